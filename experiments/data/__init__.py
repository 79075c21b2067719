"""Data sets: walls and the readers that make them."""

"""Hydra configuration: one group for each choice a user makes."""

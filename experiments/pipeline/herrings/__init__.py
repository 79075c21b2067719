"""How far the clues of walls mislead a model, and people."""

"""What a person at a terminal sees: messages, progress, and the one way to the terminal itself."""

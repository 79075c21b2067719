"""What is shown of records, as rows and columns; nothing is computed again."""

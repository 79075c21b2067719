"""Records: what a run leaves behind, and how it is kept, found and read again."""

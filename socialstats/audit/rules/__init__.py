"""Rules: which check reads which cells, from a file, from the names of columns, or from the numbers."""

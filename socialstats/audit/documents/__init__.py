"""Documents and tables as they were printed: their readers, sheets of cells, sentences and what they report."""

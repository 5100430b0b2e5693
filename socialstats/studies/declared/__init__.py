"""A study of a user's own: a file of plain data, its scales, its questions and its page."""

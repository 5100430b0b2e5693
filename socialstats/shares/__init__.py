"""Shares of labels, and their differences between sources."""

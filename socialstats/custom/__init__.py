"""A statistic of one's own, and results over choices of analysis."""

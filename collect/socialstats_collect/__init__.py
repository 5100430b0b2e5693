"""Collect model answers into tidy tables (nothing here yet: see NEWS.md)."""

"""Generators of proposals: each looks for one shape of tables."""

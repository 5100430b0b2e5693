"""Checks of printed numbers: what is possible of rounded numbers, and whether several agree."""

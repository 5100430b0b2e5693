"""Read the bundled files."""

from __future__ import annotations

import csv
import gzip
import io
from importlib.resources import files

DATA = files("socialstats.datasets").joinpath("data")


def text(name: str) -> str:
    """Return a bundled file's text; a name ending in ``.gz`` is decompressed."""
    content = DATA.joinpath(name).read_bytes()
    return (gzip.decompress(content) if name.endswith(".gz") else content).decode()


def table(name: str) -> list[dict[str, str]]:
    """Return a bundled csv file as one mapping a row, every value as text.

    Examples
    --------
    >>> table("baseball.csv")[0]
    {'item_a': 'Milwaukee', 'item_b': 'Detroit', 'home': 'Milwaukee', 'wins_a': '4', 'wins_b': '3'}
    """
    return list(csv.DictReader(io.StringIO(text(name), newline="")))

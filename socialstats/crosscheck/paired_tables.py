"""Comparisons of numbers and of intervals with others, and numbers that are set aside."""

from __future__ import annotations

import numpy as np

from socialstats.crosscheck.long import compare, version
from socialstats.crosscheck.row_arithmetic import label, relative
from socialstats.results import Check, Row

MOST_ROWS = 2_000_000  # pairs that a check writes out one by one
TOO_MANY = f"more than {MOST_ROWS:,} pairs: not written out one by one"
CLOSED = "the same closed form in another order of arithmetic"


def near(
    name: str,
    ours: float | None,
    theirs: float,
    package: str,
    why: str = CLOSED,
    close: float = 1e-9,
) -> Check:
    """Compare with a tolerance relative to the size of the number."""
    theirs = float(theirs)
    tolerance = close * max(1.0, abs(theirs))
    return compare(name, ours, theirs, package=package, tolerance=tolerance, why=why)


def ends(
    row: Row, low: float, high: float, package: str, why: str = CLOSED, close: float = 1e-8
) -> list[Check]:
    """Compare both ends of a row's interval, relative to its half width where an end lies near 0."""
    # an interval with an open end has no half width
    half = (high - low) / 2 if np.isfinite([low, high]).all() else 0.0
    return [
        relative(label(row, name), ours, end, package, why, close, half)
        for name, ours, end in (("low", row.conf_low, low), ("high", row.conf_high, high))
    ]


def set_aside(
    name: str, ours: float | None, theirs: float | None, package: str, note: str
) -> Check:
    """Record a number of another package that is known to be wrong for these data, or does not exist."""
    return Check(
        quantity=name,
        ours=ours,
        theirs=theirs,
        package=package,
        version=version(package),
        tolerance=0.0,
        ok=None,
        note=note,
    )

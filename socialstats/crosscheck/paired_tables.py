"""Pairs written out again, as a table of cells or as plain vectors, and the checks of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.long import compare, version
from socialstats.crosscheck.row_arithmetic import relative
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.results import Check, Row

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 2_000_000  # pairs that a check writes out one by one
TOO_MANY = f"more than {MOST_ROWS:,} pairs: not written out one by one"
CLOSED = "the same closed form in another order of arithmetic"


def pair_table(design: Paired, factors: tuple[Factor, ...] = ()) -> pd.DataFrame:
    """Return one row per cell: first, second, d (first minus second), n (pairs), and g0, g1 for the clusters."""
    import pandas as pd

    table = pd.DataFrame({"first": design.first, "second": design.second, "n": design.count})
    for k, factor in enumerate(factors):
        table[f"g{k}"] = factor.codes
    return table.assign(d=table["first"] - table["second"])


def expanded(table: pd.DataFrame) -> pd.DataFrame | None:
    """Repeat each cell by its count: one row per pair; None when that is too much for a check."""
    if table["n"].sum() > MOST_ROWS:
        return None
    return table.loc[table.index.repeat(table["n"].astype(int))].reset_index(drop=True)


def cross_table(table: pd.DataFrame, levels: int) -> FloatArray:
    """Count the pairs by both values with pandas, all levels present."""
    names = range(levels)
    found = table.pivot_table(
        index="first", columns="second", values="n", aggfunc="sum", fill_value=0.0
    )
    return found.reindex(index=names, columns=names, fill_value=0.0).to_numpy(dtype=np.float64)


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
    return compare(
        name, ours, theirs, package=package, tolerance=close * max(1.0, abs(theirs)), why=why
    )


def ends(
    row: Row, low: float, high: float, package: str, why: str = CLOSED, close: float = 1e-8
) -> list[Check]:
    """Compare both ends of a row's interval, relative to its half width where an end lies near 0."""
    label = f"{row.term}{f' [{row.group}]' if row.group else ''}"
    half = (high - low) / 2 if np.isfinite([low, high]).all() else 0.0
    return [
        relative(f"{label}, {name}", ours, end, package, why, close, half)
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Vectors:
    """One entry a pair.

    Attributes
    ----------
    x, y : (pairs,) float64 arrays
    groups : (pairs, factors) int64 array
    """

    x: FloatArray
    y: FloatArray
    groups: np.ndarray[Any, np.dtype[np.int64]]


def vectors(design: Paired, names: Any) -> Vectors | None:
    """Return the pairs of a design and the levels of some cluster factors; None for too many pairs."""
    if design.n_pairs > MOST_ROWS:
        return None
    times = design.count.astype(np.int64)
    factors = design.factors(names)
    codes = (
        np.column_stack([f.codes for f in factors])
        if factors
        else np.zeros((len(times), 0), dtype=np.int64)
    )
    return Vectors(
        x=np.repeat(design.first, times),
        y=np.repeat(design.second, times),
        groups=np.repeat(codes, times, axis=0),
    )

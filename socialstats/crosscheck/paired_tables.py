"""Paired tables once more, a row a pair: the start of the checks of McNemar and of symmetry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from socialstats.crosscheck.long import compare
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.results import Check, FloatArray, Row

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 2_000_000  # pairs that a check writes out one by one
TOO_MANY = f"more than {MOST_ROWS:,} pairs: not written out one by one"
CLOSED = "the same closed form in another order of arithmetic"


def pair_table(design: Paired, factors: tuple[Factor, ...] = ()) -> pd.DataFrame:
    """Return a row a cell: first, second, d (first minus second), n (pairs), and g0, g1 for the clusters."""
    import pandas as pd

    table = pd.DataFrame({"first": design.first, "second": design.second, "n": design.count})
    for k, factor in enumerate(factors):
        table[f"g{k}"] = factor.codes
    return table.assign(d=table["first"] - table["second"])


def expanded(table: pd.DataFrame) -> pd.DataFrame | None:
    """Repeat each cell by its count: a row a pair; None when that is too much for a check."""
    if table["n"].sum() > MOST_ROWS:
        return None
    return table.loc[table.index.repeat(table["n"].astype(int))].reset_index(drop=True)


def cross_table(table: pd.DataFrame, levels: int) -> FloatArray:
    """Count the pairs by both values with pandas, all levels present."""
    names = range(levels)
    found = table.pivot_table(index="first", columns="second", values="n", aggfunc="sum", fill_value=0.0)
    return found.reindex(index=names, columns=names, fill_value=0.0).to_numpy(dtype=np.float64)


def near(name: str, ours: float | None, theirs: float, package: str, why: str = CLOSED, close: float = 1e-9) -> Check:
    """Compare with a tolerance relative to the size of the number."""
    theirs = float(theirs)
    return compare(name, ours, theirs, package=package, tolerance=close * max(1.0, abs(theirs)), why=why)


def ends(row: Row, low: float, high: float, package: str, why: str = CLOSED, close: float = 1e-8) -> list[Check]:
    """Compare both ends of a row's interval."""
    label = f"{row.term}{f' [{row.group}]' if row.group else ''}"
    return [
        near(f"{label}, low", row.conf_low, low, package, why, close),
        near(f"{label}, high", row.conf_high, high, package, why, close),
    ]


def set_aside(name: str, ours: float | None, theirs: float | None, package: str, note: str) -> Check:
    """Record a number of another package that is known to be wrong for these data, or does not exist."""
    from importlib.metadata import version

    return Check(quantity=name, ours=ours, theirs=theirs, package=package, version=version(package), tolerance=0.0,
                 ok=None, note=note)  # fmt: skip

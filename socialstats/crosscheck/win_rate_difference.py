"""How often items are chosen once more: pandas counts, and errors by clusters."""

from __future__ import annotations

from typing import Any

import numpy as np

from socialstats.crosscheck.clusters import CR2, mean_error
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.row_arithmetic import tail_p
from socialstats.results import Check, Result, Row

COUNTED = "the same counts, divided"


def checks_of(result: Result) -> list[Check]:
    """Recompute every difference, and error, df and p of the clearest ones.

    Parameters
    ----------
    result : Result
        One row an item; ``extras`` has the matched ``stories``, and of how many rows (``clearest``), by the size of t,
        the errors are recomputed.
    """
    import pandas as pd

    rows, stories, clearest = result.rows, result.extras["stories"], result.extras["clearest"]

    names = np.array(stories.items, dtype=object)
    sides = [
        pd.DataFrame({"item": names[own], "pair": stories.pair, "one": stories.chose[0] == is_low,
                      "two": stories.chose[1] == is_low})
        for own, is_low in ((stories.low, True), (stories.high, False))
    ]  # fmt: skip
    table = pd.concat(sides, ignore_index=True)
    table["gap"] = table["one"].astype(float) - table["two"].astype(float)
    means = table.groupby("item")["gap"].mean()
    checks = [
        compare(f"difference of '{row.term}'", row.estimate, float(means[row.term]), package="pandas", tolerance=1e-12,
                why=COUNTED)
        for row in rows if row.estimate is not None
    ]  # fmt: skip
    tested = sorted((r for r in rows if r.statistic is not None), key=lambda r: -abs(r.statistic or 0.0))[:clearest]
    for row in tested:
        checks += error_checks(row, table[table["item"] == row.term])
    return checks


def error_checks(row: Row, table: Any) -> list[Check]:
    """Compare standard error, df and p of one item."""
    gap = table["gap"].to_numpy()
    error, df = mean_error(gap, table[["pair"]].to_numpy())
    values = (("s.e.", row.std_error, error), ("df", row.df, df), ("p", row.p_value, tail_p(gap.mean() / error, df)))
    return [
        compare(f"{what} of '{row.term}'", ours, theirs, package="scipy", tolerance=1e-8, why=CR2)
        for what, ours, theirs in values
    ]

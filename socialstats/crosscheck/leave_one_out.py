"""Differences without each cluster once more, from the pairs."""

from __future__ import annotations

from socialstats.crosscheck.long import compare
from socialstats.results import Check, Result

MOST_CHECKED = 200


def checks_of(result: Result) -> list[Check]:
    """Recompute the difference without each cluster (of many: the ends of the range) from the pairs, by pandas."""
    import pandas as pd

    design, factor = result.design, result.extras["factor"]
    pairs = pd.DataFrame({"gap": design.first - design.second, "n": design.count})
    pairs["cluster"] = [factor.levels[code] for code in factor.codes.tolist()]
    checks = []
    for row in result.rows if len(result.rows) <= MOST_CHECKED else (result.rows[0], result.rows[-1]):
        others = pairs[pairs["cluster"] != row.term]
        theirs = float((others["gap"] * others["n"]).sum() / others["n"].sum())
        checks.append(compare(f"difference without '{row.term}'", row.estimate, theirs, package="pandas",
                              tolerance=1e-9 * max(1.0, abs(theirs)), why="sums in another order"))  # fmt: skip
    return checks

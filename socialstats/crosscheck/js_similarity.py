"""Jensen-Shannon similarity once more: scipy's jensenshannon on pandas tables, one cluster left out at a time."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.long import compare, worst
from socialstats.crosscheck.rated_table import rated_table
from socialstats.results import Check, Result, Row, Verification

if TYPE_CHECKING:
    import pandas as pd

CLOSED = "the same closed form in another order of arithmetic"
ULP = "scipy's distance is nan for shares that differ by rounding only: the root of a negative number"
MOST_UNITS, MOST_GROUPS = 3000, 4
MOST_PATTERNS = 400


def verify(result: Result) -> Verification:
    """Recompute plug-in similarities, and the corrected ones of the first groups of units."""
    settings, reference = result.settings, str(result.settings["reference"])
    table = rated_table(result, "cell")
    checks: list[Check] = []
    groups = dict.fromkeys(row.group for row in result.rows if not (row.group or "").startswith("mean of "))
    for k, group in enumerate(groups):
        part = table if group is None else table[table["cell"] == group]
        for row, plain in pairs(result, group):
            both = part[part["source"].isin([reference, row.term])]
            if settings["aggregate"] == "pooled":
                checks += pooled_checks(row, plain, both, reference, k < MOST_GROUPS)
            else:
                checks += unit_checks(row, plain, both, reference)
    if len(checks) <= 2 * MOST_GROUPS:
        return Verification(checks=tuple(checks))
    failed = [c for c in checks if c.ok is not True]
    return Verification(checks=(*checks[:MOST_GROUPS], worst(checks, "similarities"), *failed[:MOST_GROUPS]))


def pairs(result: Result, group: str | None) -> list[tuple[Row, Row]]:
    """Corrected and plug-in rows of a group of units."""
    rows = [row for row in result.rows if row.group == group]
    return [(rows[k], rows[k + 1]) for k in range(0, len(rows) - 1, 2)]


def squared(table: Any) -> float:
    """Square of scipy's distance between the first two rows of a table of counts."""
    from scipy.spatial.distance import jensenshannon

    return float(jensenshannon(table[0], table[1], base=2)) ** 2


def crossed_counts(part: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Counts of the levels by source, the reference first."""
    counts = part.groupby(["source", "value"]).size().unstack(fill_value=0)
    return counts.loc[sorted(counts.index, key=lambda name: name != reference)]


def pooled_checks(row: Row, plain: Row, part: pd.DataFrame, reference: str, corrected: bool) -> list[Check]:
    """Compare pooled similarities; the jackknife leaves one unit (cluster) out at a time."""
    where = f"{row.term} [{row.group or 'all units'}]"
    if plain.estimate is None:
        return []
    counts = crossed_counts(part, reference)
    value = squared(counts.to_numpy(dtype=float))
    if math.isnan(value):
        checks = [compare(f"{where}, plug-in", plain.estimate, None, package="scipy", tolerance=1e-9, why=CLOSED,
                          note=ULP)]  # fmt: skip
        value = 1 - plain.estimate
    else:
        checks = [compare(f"{where}, plug-in", plain.estimate, 1 - value, package="scipy", tolerance=1e-9, why=CLOSED)]
    left = part.groupby(["left", "source", "value"]).size()
    groups = left.index.get_level_values(0).unique()
    if not corrected or row.estimate is None or len(groups) > MOST_UNITS or part["crossed"].any():
        return checks
    values = []
    for one in groups:
        less = left.loc[one].unstack(fill_value=0).reindex(index=counts.index, columns=counts.columns, fill_value=0)
        found = squared((counts - less).to_numpy(dtype=float))
        values.append(value if math.isnan(found) else found)  # nan: the shares are equal up to rounding
    bias = (len(values) - 1) * (float(np.mean(values)) - value)
    why = "leave-one-out values of another implementation"
    return [*checks, compare(f"{where}, corrected", row.estimate, 1 - value + bias, package="scipy", tolerance=1e-7,
                             why=why)]  # fmt: skip


def unit_checks(row: Row, plain: Row, part: pd.DataFrame, reference: str) -> list[Check]:
    """Compare means over units, and the correction by leaving out every rating of a unit in turn."""
    where = f"{row.term} [{row.group or 'all units'}]"
    if plain.estimate is None:
        return []
    sizes = part.groupby(["unit", "source", "value"]).size().unstack("value", fill_value=0)
    sides = [sizes.xs(name, level="source") for name in (reference, row.term)]
    both = sides[0].index.intersection(sides[1].index)
    lists = [[tuple(line) for line in side.loc[both].to_numpy().tolist()] for side in sides]
    patterns = Counter(zip(*lists, strict=True))
    n = patterns.total()
    mean = sum(clean(squared(np.array(one, dtype=float))) * times for one, times in patterns.items()) / n
    checks = [compare(f"{where}, plug-in", plain.estimate, 1 - mean, package="scipy", tolerance=1e-7, why=CLOSED)]
    if row.estimate is None or len(patterns) > MOST_PATTERNS:
        return checks
    bias = sum(rating_bias(one) * times for one, times in patterns.items()) / n
    why = "every rating of a unit left out, one by one"
    return [*checks, compare(f"{where}, corrected", row.estimate, 1 - mean + bias, package="scipy", tolerance=1e-7,
                             why=why)]  # fmt: skip


def clean(value: float) -> float:
    """Take scipy's nan for equal shares as 0."""
    return 0.0 if math.isnan(value) else value


def rating_bias(counts: tuple[tuple[int, ...], ...]) -> float:
    """Bias of the divergence of two lists of counts, by the jackknife over the ratings of each."""
    whole, total = clean(squared(np.array(counts, dtype=float))), 0.0
    for side in range(2):
        n, values = sum(counts[side]), []
        for level, times in enumerate(counts[side]):
            left = np.array(counts, dtype=float)
            left[side, level] -= 1
            values += [clean(squared(left))] * times
        total += (n - 1) * (float(np.mean(values)) - whole)
    return total

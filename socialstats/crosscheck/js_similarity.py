"""Jensen-Shannon similarity once more: scipy's jensenshannon on pandas tables, one cluster left out at a time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.long import compare, worst
from socialstats.crosscheck.rated_table import rated_table
from socialstats.crosscheck.split_halves import ceiling_checks
from socialstats.results import Check, Result, Row, Verification

if TYPE_CHECKING:
    import pandas as pd

CLOSED = "the same closed form in another order of arithmetic"
ULP = "scipy's distance is nan for shares that differ by rounding only: the root of a negative number"
MOST_UNITS, MOST_GROUPS = 3000, 4
MOST_PATTERNS = 200
OUTER = "scipy's ncx2 with eigenvalues of the covariance of shares, and its t of leave-one-out values"
FAR = 2000.0  # scaled values beyond are normal


def verify(result: Result) -> Verification:
    """Recompute plug-in similarities, and corrected ones and the ceiling of the first groups of units."""
    settings, reference = result.settings, str(result.settings["reference"])
    table = rated_table(result, "cell")
    checks: list[Check] = []
    groups = dict.fromkeys(row.group for row in result.rows if not (row.group or "").startswith("mean of "))
    tops = ceiling_checks(result, table, list(groups)[:MOST_GROUPS])
    for k, group in enumerate(groups):
        part = table if group is None else table[table["cell"] == group]
        for row, plain in pairs(result, group):
            both = part[part["source"].isin([reference, row.term])]
            if settings["aggregate"] == "pooled":
                checks += pooled_checks(row, plain, both, reference, k < MOST_GROUPS)
            else:
                checks += unit_checks(row, plain, both, settings)
    if len(checks) <= 2 * MOST_GROUPS:
        return Verification(checks=(*checks, *tops))
    failed = [c for c in checks if c.ok is not True]
    return Verification(checks=(*checks[:MOST_GROUPS], worst(checks, "similarities"), *failed[:MOST_GROUPS], *tops))


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
    checks.append(compare(f"{where}, corrected", row.estimate, 1 - value + bias, package="scipy", tolerance=1e-7,
                          why=why))  # fmt: skip
    if "noncentral" not in (row.method or "") or row.conf_low is None:
        return checks
    ends = outer_ends(value, value - bias, np.array(values), chance_of(part, counts), row.conf_level or 0.95)
    return checks + [compare(f"{where}, {name}", ours, theirs, package="scipy", tolerance=1e-6, why=OUTER)
                     for name, ours, theirs in (("low", row.conf_low, ends[0]), ("high", row.conf_high, ends[1]),
                                                ("s.e.", row.std_error, ends[2]))]  # fmt: skip


def chance_of(part: pd.DataFrame, counts: pd.DataFrame) -> Any:
    """Eigenvalues of AV: the covariance of the differences of shares by clusters, over 8 ln 2 times their middle."""
    sums = part.groupby(["source", "left", "value"]).size().unstack("value", fill_value=0)
    clusters, moved = part["left"].unique(), 0.0
    shares = counts.div(counts.sum(axis=1), axis=0)
    for sign, name in zip((1.0, -1.0), counts.index, strict=True):
        own = sums.loc[name].reindex(index=clusters, columns=counts.columns, fill_value=0)
        off = own - np.outer(own.sum(axis=1), shares.loc[name])
        moved = moved + sign * off.to_numpy() / float(counts.loc[name].sum())
    covariance = np.atleast_2d(np.cov(np.asarray(moved).T, ddof=1)) * len(clusters)
    scale = 1 / np.sqrt(8 * math.log(2) * shares.mean(axis=0).to_numpy())
    return np.linalg.eigvalsh(covariance * np.outer(scale, scale))


def outer_ends(value: float, corrected: float, left: Any, roots: Any, level: float) -> tuple[float, float, float]:
    """Ends of a pooled similarity, and its standard error: scipy's ncx2; below, scipy's t where it reaches further."""
    from scipy import optimize, stats

    n, first, second = len(left), float(roots.sum()), float((roots**2).sum())
    error = math.sqrt((n - 1) * float(np.var(left)))
    df = 2 / (2 / (n - 1) + float(stats.kurtosis(left)) / n)
    reach = float(stats.t.ppf((1 + level) / 2, min(max(df, 1.0), n - 1.0))) * error
    ends = [corrected - reach, corrected + reach]
    scale, tail = second / first, (1 - level) / 2
    f, x = first / scale, value / scale
    if x > FAR:
        wide = float(stats.norm.ppf(1 - tail)) * math.sqrt(2 * second + 4 * scale * max(value - first, 0.0))
        found = [value - first - wide, value - first + wide]
    else:
        found = []
        for share in (1 - tail, tail):
            if stats.chi2.cdf(x, f) <= share:
                found.append(0.0)
                continue
            found.append(scale * float(optimize.brentq(
                lambda c, share=share: stats.ncx2.cdf(x, f, c) - share, 1e-12, 10 * x + 100, xtol=1e-9
            )))  # fmt: skip
    low, high = found[0], max(found[1], ends[1])
    return min(max(1 - high, 0.0), 1 - corrected), max(min(1 - low, 1.0), 1 - corrected), error


def unit_checks(row: Row, plain: Row, part: pd.DataFrame, settings: Mapping[str, Any]) -> list[Check]:
    """Compare means over units, and the correction by leaving out every rating of a unit in turn."""
    where = f"{row.term} [{row.group or 'all units'}]"
    if plain.estimate is None:
        return []
    sizes = part.groupby(["unit", "source", "value"]).size().unstack("value", fill_value=0)
    sides = [sizes.xs(name, level="source") for name in (str(settings["reference"]), row.term)]
    both = sides[0].index.intersection(sides[1].index)
    lists = [[tuple(line) for line in side.loc[both].to_numpy().tolist()] for side in sides]
    patterns = Counter(zip(*lists, strict=True))
    n = patterns.total()
    mean = sum(clean(squared(np.array(one, dtype=float))) * times for one, times in patterns.items()) / n
    checks = [compare(f"{where}, plug-in", plain.estimate, 1 - mean, package="scipy", tolerance=1e-7, why=CLOSED)]
    if row.estimate is None or len(patterns) > MOST_PATTERNS:
        return checks
    why = "every one and every two ratings of a unit left out"
    orders = [{one: extrapolated(one, order) for one in patterns} for order in (2, 1)]
    values, first = (np.array([found[one] for one in zip(*lists, strict=True)]) for found in orders)
    checks.append(compare(f"{where}, corrected", row.estimate, 1 - float(values.mean()), package="scipy",
                          tolerance=1e-7, why=why))  # fmt: skip
    if settings["ci"] != "t" or row.conf_low is None or part["crossed"].any():
        return checks
    left = part.groupby("unit")["left"].first().loc[both].to_numpy()
    return checks + t_checks(row, values, float(values.mean() - first.mean()) / 2, left, where)


def t_checks(row: Row, values: Any, left_over: float, left: Any, where: str) -> list[Check]:
    """Compare error and ends within units: leave one cluster out, and the allowance for bias."""
    from scipy.stats import t

    less = [values[left != one].mean() for one in np.unique(left)]
    error = math.sqrt((len(less) - 1) * float(np.var(less)) + left_over**2)
    reach = float(t.ppf((1 + (row.conf_level or 0.95)) / 2, len(less) - 1)) * error
    ends = [min(max(1 - float(values.mean()) + k * reach, 0.0), 1.0) for k in (-1, 1)]
    wanted = (("s.e.", row.std_error, error), ("low", row.conf_low, min(ends[0], row.estimate or 0.0)),
              ("high", row.conf_high, max(ends[1], row.estimate or 0.0)))  # fmt: skip
    why = "one unit (cluster) left out at a time"
    return [compare(f"{where}, {name}", ours, theirs, package="scipy", tolerance=1e-7, why=why)
            for name, ours, theirs in wanted]  # fmt: skip


def clean(value: float) -> float:
    """Take scipy's nan for equal shares as 0."""
    return 0.0 if math.isnan(value) else value


def extrapolated(counts: tuple[tuple[int, ...], ...], order: int) -> float:
    """Jackknife of first or second order of the divergence of two lists of counts, over the ratings of each."""
    sides = [np.array(one) for one in counts]
    sizes = [int(one.sum()) for one in sides]
    weights = [(n * n / 2, -((n - 1) ** 2), (n - 2) ** 2 / 2) if order == 2 else (n, 1 - n, 0) for n in sizes]
    total = 0.0
    for r, s in product(range(3), range(3)):
        weight = weights[0][r] * weights[1][s]
        if weight:
            values = [(p * q, clean(squared(np.array([one, two], dtype=float))))
                      for one, p in remainders(sides[0], r) for two, q in remainders(sides[1], s)]  # fmt: skip
            total += weight * sum(chance * value for chance, value in values)
    return total


def remainders(counts: Any, left: int) -> list[tuple[Any, float]]:
    """What can be left of a list of counts without some ratings, and how likely each is."""
    from scipy.stats import multivariate_hypergeom

    if not left:
        return [(counts, 1.0)]
    drawn = [one for one in product(range(left + 1), repeat=len(counts))
             if sum(one) == left and np.all(np.array(one) <= counts)]  # fmt: skip
    return [(counts - np.array(one), float(multivariate_hypergeom.pmf(one, counts, left))) for one in drawn]

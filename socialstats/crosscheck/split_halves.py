"""The split-half ceiling once more: ratings shuffled anew, and the jackknife with scipy's hypergeometric variances."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.long import compare
from socialstats.results import Check, Result, Row

if TYPE_CHECKING:
    import pandas as pd

SHUFFLES, WIDE, MOST_UNITS, MOST_PATTERNS = 60, 5.0, 3000, 200
DRAWN = "both are means of random halvings: five Monte-Carlo errors"
LEFT = "leave-one-out values with variances from scipy's hypergeometric distribution"
EXACT = "ours are means of random halvings, theirs of all: fifteen per cent"


def ceiling_checks(result: Result, table: pd.DataFrame, groups: list[str | None]) -> list[Check]:
    """Recompute the ceiling of some groups of units: estimate, error and ends."""
    errors = result.extras["ceiling_error"]
    names = dict(zip(dict.fromkeys(row.group for row in result.rows), errors, strict=True))  # of all units first
    own = table[table["source"] == result.settings["reference"]]
    own = own[own.groupby("unit")["value"].transform("size") >= 2]
    last = [row for row in result.rows if row.group is None][-1].term
    checks: list[Check] = []
    for group in groups:
        row = result.row(last, group=group)
        part = own if group is None else own[own["cell"] == group]
        if row.estimate is None:
            continue
        drawing = float(errors[names[group]])
        make = pooled_checks if result.settings["aggregate"] == "pooled" else unit_checks
        checks += make(row, part, drawing, f"{last} [{group or 'all units'}]")
    return checks


def pooled_checks(row: Row, part: pd.DataFrame, drawing: float, where: str) -> list[Check]:
    """Compare the similarity of pooled halves with fresh halvings, and its interval with a jackknife by hand."""
    values = shuffled(part)
    error = math.hypot(drawing, float(values.std(ddof=1)) / math.sqrt(SHUFFLES))
    checks = [compare(where, row.estimate, 1 - float(values.mean()), package="scipy", tolerance=WIDE * error + 1e-12,
                      why=DRAWN)]  # fmt: skip
    left = part["left"].unique()
    if row.conf_low is None or part["crossed"].any() or len(left) > MOST_UNITS:
        return checks
    sums = noise_parts(part)
    whole = sums.sum(axis=0)
    logs = np.array([math.log(quadratic(whole - one)) for one in sums])
    return checks + end_checks(row, math.sqrt((len(logs) - 1) * float(np.var(logs))), drawing, where, LEFT, 1e-9)


def end_checks(row: Row, error: float, drawing: float, where: str, why: str, share: float) -> list[Check]:
    """Compare standard error and ends with those of a log error; `share`: tolerance as a share of each divergence."""
    from scipy.stats import t

    less = 1 - float(row.estimate or 0.0)
    groups = float((row.n_units if row.n_clusters is None else row.n_clusters) or 0)
    error = math.hypot(error, drawing / less)
    reach = math.exp(float(t.ppf((1 + (row.conf_level or 0.95)) / 2, row.df or 1.0)) * error)
    wanted = (
        ("s.e.", row.std_error, less * error, less * error), ("low", row.conf_low, 1 - less * reach, less * reach),
        ("high", row.conf_high, 1 - less / reach, less / reach), ("df", row.df, groups - 1, 1.0),
    )  # fmt: skip
    return [
        compare(f"{where}, {name}", ours, max(theirs, 0.0), package="scipy", tolerance=share * size + 1e-12, why=why)
        for name, ours, theirs, size in wanted
    ]


def shuffled(part: pd.DataFrame) -> Any:
    """(SHUFFLES,) divergences of halves of freshly shuffled ratings; of an odd number either half has one more."""
    rng = np.random.default_rng(97)
    unit, value = (part[name].astype("category").cat.codes.to_numpy().astype(int) for name in ("unit", "value"))
    size = np.bincount(unit)
    start = np.concatenate([[0], size.cumsum()[:-1]])
    levels, out = value.max() + 1, []
    for _ in range(SHUFFLES):
        order = np.lexsort((rng.random(len(unit)), unit))
        rank = np.arange(len(unit)) - start[unit[order]]
        half = (size + rng.integers(0, 2, len(size)) * (size % 2)) // 2
        first = rank < half[unit[order]]
        counts = [np.bincount(value[order][first == one], minlength=levels).astype(float) for one in (True, False)]
        out.append(divergence(*counts))
    return np.array(out)


def divergence(one: Any, two: Any) -> float:
    """Square of scipy's distance; 0 where it is nan because the shares are equal up to rounding."""
    from scipy.spatial.distance import jensenshannon

    found = float(jensenshannon(one, two, base=2)) ** 2
    return 0.0 if math.isnan(found) else found


def noise_parts(part: pd.DataFrame) -> Any:
    """(clusters, 5, levels) sums: variance of the difference of two halves, what odd units add, counts."""
    from scipy.stats import hypergeom

    counts = part.groupby(["unit", "value"]).size().unstack(fill_value=0)
    n, left = counts.sum(axis=1), part.groupby("unit")["left"].first()
    odd = n % 2 == 1
    share = counts.div(n, axis=0).mul(odd, axis=0)
    size = n.to_numpy()[:, None]
    spread = counts * 0.0 + 4 * np.asarray(hypergeom.var(size, counts.to_numpy(), size // 2))
    tables = (spread, share**2, share, counts, counts * 0 + odd.to_numpy()[:, None])
    return np.stack([table.groupby(left.loc[counts.index]).sum().to_numpy(dtype=float) for table in tables], axis=1)


def quadratic(sums: Any) -> float:
    """Mean divergence to second order, from (5, levels) sums."""
    spread, squares, shares, count, odd = sums
    total = float(count.sum())
    p = count / total
    with np.errstate(invalid="ignore", divide="ignore"):
        each = np.where(p > 0, (spread + squares - 2 * p * shares + p * p * odd) / p, 0.0)
    return float(each.sum()) / (total / 2) ** 2 / (8 * math.log(2))


def unit_checks(row: Row, part: pd.DataFrame, drawing: float, where: str) -> list[Check]:
    """Compare the mean over units, and its interval, with all halvings of each unit."""
    counts = part.groupby(["unit", "value"]).size().unstack(fill_value=0)
    patterns = dict.fromkeys(map(tuple, counts.to_numpy().tolist()), 0.0)
    if len(patterns) > MOST_PATTERNS:
        return []
    patterns = {pattern: every_half(pattern) for pattern in patterns}
    values = np.array([patterns[tuple(line)] for line in counts.to_numpy().tolist()])
    checks = [compare(where, row.estimate, 1 - float(values.mean()), package="scipy", tolerance=WIDE * drawing + 1e-12,
                      why=DRAWN)]  # fmt: skip
    if row.conf_low is None or part["crossed"].any():
        return checks
    left = part.groupby("unit")["left"].first().loc[counts.index].to_numpy()
    logs = np.array([math.log(values[left != one].mean()) for one in np.unique(left)])
    return checks + end_checks(row, math.sqrt((len(logs) - 1) * float(np.var(logs))), drawing, where, EXACT, 0.15)


def every_half(pattern: tuple[int, ...]) -> float:
    """Mean divergence over all halvings of one unit's counts."""
    from scipy.stats import multivariate_hypergeom

    counts, n = np.array(pattern), sum(pattern)
    total = 0.0
    for one in itertools.product(*(range(c + 1) for c in pattern)):
        if sum(one) == n // 2:
            chance = float(multivariate_hypergeom.pmf(one, counts, n // 2))
            total += chance * divergence(np.array(one, dtype=float), (counts - one).astype(float))
    return total

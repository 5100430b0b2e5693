"""Jensen-Shannon similarity once more: scipy's jensenshannon on pandas tables, one cluster left out at a time."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.rated_table import rated_table
from socialstats.crosscheck.resamples import WHY, Cells, Redrawn
from socialstats.crosscheck.row_arithmetic import end_checks, label, quantile
from socialstats.crosscheck.swapping import exchange_check, swap_check
from socialstats.results import Check, Result, Row, Verification

if TYPE_CHECKING:
    import pandas as pd

CLOSED = "the same closed form in another order of arithmetic"
OUTER = "scipy's ncx2 with eigenvalues of the covariance of shares, and its t of leave-one-out values"
FAR = 2_000.0  # scaled values beyond are normal
MOST_UNITS, MOST_GROUPS = 3000, 4
MOST_PATTERNS = 200


def verify(result: Result) -> Verification:
    """Recompute similarities, plug-in and corrected, their errors, intervals and tests, and the ceiling."""
    settings, reference = result.settings, str(result.settings["reference"])
    table = rated_table(result, "cell")
    groups: list[str | None] = [None, *table.attrs["cells"]]
    checks: list[Check] = []
    for name in sorted(set(table["source"]) - {reference}):
        both = table[table["source"].isin([reference, name])]
        found = [row for row in result.rows if row.term == name]
        plain = [next(other for other in result.rows if other.group == row.group and other.method == "plug-in"
                      and other.term == f"{name} (plug-in)") for row in found]  # fmt: skip
        if settings["aggregate"] == "pooled":
            checks += pooled_checks(found, plain, both, reference, settings)
            continue
        for row, other in zip(found, plain, strict=True):
            part = both if row.group not in set(both["cell"]) else both[both["cell"] == row.group]
            if row.group is None or row.group in set(both["cell"]):
                checks += unit_checks(row, other, part, settings)
    return Verification(checks=(*checks, *ceiling_checks(result, table, groups[:MOST_GROUPS])))


def squared(table: Any) -> float:
    """Square of scipy's distance between the first two rows of a table of counts."""
    return float(divergences(np.asarray(table[0])[None], np.asarray(table[1])[None])[0])


def divergences(one: FloatArray, two: FloatArray) -> FloatArray:
    """Squares of scipy's distances of (..., levels) counts; its nan for shares equal up to rounding is 0."""
    from scipy.spatial.distance import jensenshannon

    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.asarray(jensenshannon(one, two, axis=-1, base=2)) ** 2
    empty = (one.sum(axis=-1) <= 0) | (two.sum(axis=-1) <= 0)
    return np.where(empty, np.nan, np.nan_to_num(found))


def pooled_checks(
    rows: list[Row], plain: list[Row], both: pd.DataFrame, reference: str, settings: Mapping[str, Any]
) -> list[Check]:
    """Compare pooled similarities of all units, of each cell and of their mean; the jackknife leaves a cluster out."""
    cells = list(both.attrs["cells"]) or [""]
    counts = both.groupby(["left", "cell", "source", "value"]).size().unstack("value", fill_value=0)
    names = [reference, rows[0].term]
    clusters = list(dict.fromkeys(counts.index.get_level_values("left")))
    index = pd_product([clusters, cells, names])
    sums = counts.reindex(index, fill_value=0).to_numpy(dtype=float).reshape(len(clusters), len(cells), 2, -1)
    several = cells != [""]

    def groups_of(parts: FloatArray) -> FloatArray:
        """(..., cells, 2, levels) counts to (..., m): all units, each cell, the mean of the cells."""
        whole = np.concatenate([parts.sum(axis=-3, keepdims=True), parts], axis=-3)
        values = divergences(whole[..., 0, :], whole[..., 1, :])
        mean = values[..., 1:].mean(axis=-1, keepdims=True)
        return np.concatenate([values, mean], axis=-1) if several else values[..., :1]

    total = sums.sum(axis=0)
    value, left = groups_of(total), groups_of(total - sums)
    there = sums.sum(axis=(2, 3)) > 0
    some = there.any(axis=1, keepdims=True)
    met = np.concatenate([some, there, some], axis=1) if several else some
    checks: list[Check] = []
    biases: list[float] = []
    for k, (row, other) in enumerate(zip(rows, plain, strict=True)):
        if other.estimate is None:
            biases.append(math.nan)
            continue
        kept, g = left[met[:, k], k], int(met[:, k].sum())
        bias, variance = (g - 1) * (float(kept.mean()) - value[k]), (g - 1) * float(np.var(kept))
        biases.append(bias)
        if several and k == len(rows) - 1:
            bias = float(np.mean(biases[1:-1]))
        made: dict[str, Any] = {"package": "scipy", "why": CLOSED}
        checks.append(compare(label(other), other.estimate, 1 - value[k], tolerance=1e-9, **made))
        if row.estimate is None or len(clusters) > MOST_UNITS or both["crossed"].any():
            continue
        made["why"] = "leave-one-out values of another implementation"
        checks.append(compare(label(row), row.estimate, inside(1 - value[k] + bias), tolerance=1e-7, **made))
        if settings["ci"] == "noncentral" and row.conf_low is not None:
            error = math.sqrt(variance)
            checks.append(compare(label(row, "s.e."), row.std_error, error, tolerance=1e-6 * error, **made))
            part = sums.sum(axis=1, keepdims=True) if k == 0 else sums if k == len(cells) + 1 else sums[:, k - 1 : k]
            ends = outer_ends(float(value[k]), float(value[k]) - bias, kept, chance_of(part), settings["level"])
            checks += held_ends(row, 1 - ends[1], 1 - ends[0], OUTER)
        elif settings["ci"] in ("percentile", "basic") and row.conf_low is not None and both["clustered"].all():
            drawn = Redrawn(estimate=1 - value[k : k + 1] + bias, left=None, copies=None,
                            replicates=1 - resampled(sums, groups_of, settings)[:, k : k + 1] + 2 * bias)  # fmt: skip
            checks.append(compare(label(row, "s.e."), row.std_error, drawn.std_error(0), tolerance=1e-7, **made))
            checks += held_ends(row, *drawn.ends(settings["ci"], 0, settings["level"]), WHY)
        if row.p_value is not None:
            parts = total.sum(axis=0) if k == 0 else total[k - 1]
            own = sums.sum(axis=1) if k == 0 else sums[:, k - 1]
            sides = own[:, 0] / parts[0].sum(), own[:, 1] / parts[1].sum()
            checks.append(swap_check(row, sides, np.arange(len(own)), divergences, settings["permutations"]))
            checks.append(compare(label(row, "statistic"), row.statistic, value[k], tolerance=1e-9, **made))
    return checks


def inside(similarity: float) -> float:
    """Return a similarity between 0 and 1: a correction for bias can lead beyond."""
    return min(max(similarity, 0.0), 1.0)


def held_ends(row: Row, low: float, high: float, why: str) -> list[Check]:
    """Compare ends that are cut at 0 and 1 and hold the estimate."""
    estimate = float(row.estimate or 0.0)
    return end_checks(row, min(max(low, 0.0), estimate), max(min(high, 1.0), estimate), "scipy", why, 1e-6)


def resampled(sums: FloatArray, finish: Callable[[Any], FloatArray], settings: Mapping[str, Any]) -> FloatArray:
    """Return the divergences of every resample of the clusters, (B, m)."""
    cells = Cells.of(np.ones(len(sums)), [np.arange(len(sums))])
    drawn = cells.draws(settings["resamples"], settings["seed"])
    return np.array([finish(np.tensordot(times, sums, 1)) for times in drawn])


def pd_product(parts: list[list[Any]]) -> Any:
    """Every combination as an index."""
    import pandas as pd

    return pd.MultiIndex.from_product(parts)


def chance_of(sums: FloatArray) -> FloatArray:
    """Eigenvalues of AV: the covariance of the differences of shares by clusters, over 8 ln 2 times their middle.

    Parameters
    ----------
    sums : (clusters, k, 2, levels) float64 array
        Counts of the k pairs of shares whose mean divergence is taken.
    """
    own = sums[sums.sum(axis=(1, 2, 3)) > 0]
    sizes = own.sum(axis=(0, 3))[..., None]
    shares = own.sum(axis=0) / sizes
    off = (own - own.sum(axis=3, keepdims=True) * shares) / sizes
    middle = shares.mean(axis=1).ravel()
    gap = (off[:, :, 0] - off[:, :, 1]).reshape(len(own), -1)[:, middle > 0]
    scale = 1 / np.sqrt(8 * math.log(2) * len(sizes) * middle[middle > 0])
    return np.linalg.eigvalsh(np.atleast_2d(np.cov(gap.T)) * len(own) * np.outer(scale, scale))


def outer_ends(
    value: float, corrected: float, left: FloatArray, roots: FloatArray, level: float
) -> tuple[float, float]:
    """Ends of a divergence by `chi_square_ends`, the upper one by scipy's t of the values left where it is larger."""
    from scipy.stats import kurtosis

    n, first, second = len(left), float(roots.sum()), float((roots**2).sum())
    df = 2 / (2 / (n - 1) + float(kurtosis(left)) / n)
    reach = quantile(level, min(max(df, 1.0), n - 1.0)) * math.sqrt((n - 1) * float(np.var(left)))
    if not (value > 0 and first > 0 and second > 0):
        return corrected - reach, corrected + reach
    low, high = chi_square_ends(value, first, second, level)
    return low, max(high, corrected + reach)


def chi_square_ends(value: float, mean: float, square: float, level: float) -> tuple[float, float]:
    """Truths for which the divergence is a quantile of scale times a noncentral chi-square, by scipy's roots.

    The scale is square / mean, the degrees of freedom mean / scale, the noncentrality truth / scale.
    """
    from scipy.optimize import brentq
    from scipy.stats import chi2, ncx2, norm

    scale = square / mean
    if value / scale > FAR:
        reach = float(norm.ppf((1 + level) / 2)) * math.sqrt(2 * square + 4 * scale * max(value - mean, 0.0))
        return max(0.0, value - mean - reach), value - mean + reach

    def truth(tail: float) -> float:
        def above(nc: float) -> float:
            x, df = value / scale, mean / scale
            return float(ncx2.cdf(x, df, nc) if nc > 0 else chi2.cdf(x, df)) - tail

        if above(0.0) <= 0:
            return 0.0
        top = 1.0
        while above(top) > 0:
            top *= 2
        return scale * float(brentq(above, 0.0, top, xtol=1e-11 * top))

    return truth((1 + level) / 2), truth((1 - level) / 2)


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
    checks.append(compare(f"{where}, corrected", row.estimate, inside(1 - float(values.mean())), package="scipy",
                          tolerance=1e-7, why=why))  # fmt: skip
    if row.p_value is not None:
        checks.append(compare(f"{where}, statistic", row.statistic, mean, package="scipy", tolerance=1e-7, why=CLOSED))
        given = [(one, two, times) for (one, two), times in patterns.items()]
        checks.append(exchange_check(row, given, divergences, settings["permutations"]))
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
    wanted = (("s.e.", row.std_error, error), ("df", row.df, len(less) - 1.0),
              ("low", row.conf_low, min(ends[0], row.estimate or 0.0)),
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


SHUFFLES, WIDE, MOST_UNITS, MOST_PATTERNS = 60, 5.0, 3000, 200
DRAWN = "both are means of random halvings: five Monte-Carlo errors"
LEFT = "leave-one-out values with variances from scipy's hypergeometric distribution"
EXACT = "ours are means of random halvings, theirs of all: fifteen per cent"


def ceiling_checks(result: Result, table: pd.DataFrame, groups: list[str | None]) -> list[Check]:
    """Recompute the ceiling of some groups of units: estimate, error and ends."""
    errors = result.extras["ceiling_error"]
    errors = dict(zip(dict.fromkeys(row.group for row in result.rows), errors, strict=True))  # of all units first
    own = table[table["source"] == result.settings["reference"]]
    own = own[own.groupby("unit")["value"].transform("size") >= 2]
    last = [row for row in result.rows if row.group is None][-1].term
    checks: list[Check] = []
    for group in groups:
        row = result.row(last, group=group)
        part = own if group is None else own[own["cell"] == group]
        if row.estimate is None:
            continue
        drawing = float(errors[group])
        make = pooled_ceiling if result.settings["aggregate"] == "pooled" else unit_ceiling
        checks += make(row, part, drawing, f"{last} [{group or 'all units'}]")
    return checks


def pooled_ceiling(row: Row, part: pd.DataFrame, drawing: float, where: str) -> list[Check]:
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
    return checks + ceiling_ends(row, math.sqrt((len(logs) - 1) * float(np.var(logs))), drawing, where, LEFT, 1e-9)


def ceiling_ends(row: Row, error: float, drawing: float, where: str, why: str, share: float) -> list[Check]:
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


def unit_ceiling(row: Row, part: pd.DataFrame, drawing: float, where: str) -> list[Check]:
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
    return checks + ceiling_ends(row, math.sqrt((len(logs) - 1) * float(np.var(logs))), drawing, where, EXACT, 0.15)


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

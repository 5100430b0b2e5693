"""Statistics of one's own recomputed: the function is called again, and errors, ends and p are made of its numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.resamples import Redrawn, quantiles, share_below
from socialstats.crosscheck.row_arithmetic import (
    end_checks,
    field_checks,
    label,
    relative,
    wald_checks,
)
from socialstats.results import Check, Result, Row

AGAIN = 16  # resamples, levels left out, or permutations for which the function is called again
CALLED = "the function, called again"
DRAWN = "rows drawn by numpy from the seed, the function called again"
OF_REPLICATES = "of the numbers of the resamples"
CORRECTED = "bias corrected"


def bootstrap_checks(result: Result) -> Iterator[Check]:
    """Recompute estimates, some resamples, and error and ends from all of them."""
    yield from called_again(result)
    plan, statistic, replicates = (
        result.extras[name] for name in ("plan", "statistic", "replicates")
    )
    seed, ci, level = (result.settings[name] for name in ("seed", "ci", "level"))
    for k, times in enumerate(levels_drawn(plan, min(AGAIN, len(replicates)), seed)):
        theirs = statistic.values(repeated(plan, times))
        yield from same_numbers(f"resample {k + 1}", replicates[k], theirs, DRAWN)
    left = result.extras["left_out"]
    for j, row in enumerate(result.rows):
        if row.std_error is not None:
            x = replicates[:, j][np.isfinite(replicates[:, j])]
            unit = unit_of(x)
            off = x / unit - float((x / unit).mean())
            theirs = unit * math.sqrt(math.fsum(off**2) / (len(x) - 1))
            yield relative(label(row, "s.e."), row.std_error, theirs, "numpy", OF_REPLICATES)
        if row.conf_low is not None or row.conf_high is not None:
            ends = ends_of(row, replicates[:, j], left, j, ci, level)
            low, high = row.limits or (-math.inf, math.inf)
            cut = (
                min(max(ends[0], low), float(row.estimate or 0)),
                max(min(ends[1], high), float(row.estimate or 0)),
            )
            yield from end_checks(row, *cut, why=OF_REPLICATES, least=cut[1] - cut[0])


def ends_of(
    row: Row, column: FloatArray, left: Any, j: int, ci: str, level: float
) -> tuple[float, float]:
    """Return the ends of an interval from the numbers of the resamples, and without each unit."""
    from scipy import stats

    x = column[np.isfinite(column)]
    value = float(row.estimate or 0.0)
    if ci in ("percentile", "basic"):
        drawn = Redrawn(
            estimate=np.array([value]), replicates=column[:, None], left=None, copies=None
        )
        return drawn.ends(ci, 0, level)
    unit = unit_of(*(part[:, j] for part in left.parts))
    parts = [part[:, j] / unit for part in left.parts]
    moves = np.concatenate([(len(one) - 1) / len(one) * (one.mean() - one) for one in parts])
    a = float(np.sum(moves**3)) / (6 * float(np.sum(moves**2)) ** 1.5)
    z = stats.norm.ppf([(1 - level) / 2, (1 + level) / 2])
    if ci == "expanded":
        v = np.array([float((one.size - 1) * one.var()) for one in parts])
        n = np.array([float(one.size) for one in parts])
        z = stats.t.ppf([(1 - level) / 2, (1 + level) / 2], df_of(v, n, left.crossed))
        z = z * math.sqrt(v.sum() / float((v * (n - 1) / n).sum()))
    z0 = float(stats.norm.ppf(share_below(x, value)))
    tails = stats.norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z)))
    if ci == "expanded":
        tails = np.clip(tails, 1 / (len(x) + 1), len(x) / (len(x) + 1))
    return quantiles(x, tails)


def unit_of(*values: FloatArray) -> float:
    """Return the power of two near the largest size of some numbers."""
    largest = max(float(np.abs(one).max()) for one in values)
    return 2.0 ** round(math.log2(largest)) if largest > 0 else 1.0


def df_of(v: Any, n: Any, crossed: bool) -> float:
    """Return degrees of freedom of a sum of variances: one part, two crossed factors (Cochran 1964), or strata."""
    from scipy import optimize, stats

    if len(v) == 1:
        return float(n[0]) - 1
    if crossed:
        wanted = float((v * stats.t.ppf(0.975, n - 1)).sum() / v.sum())
        low, high = float((n - 1)[v > 0].min()), float((n - 1)[v > 0].max())
        if low == high:
            return low
        return float(
            optimize.brentq(
                lambda df: float(stats.t.ppf(0.975, df)) - wanted, low, high, xtol=1e-12
            )
        )
    found = float(v.sum() ** 2 / (v**2 / (n + 1)).sum() - 2)
    return min(max(found, float(n.min()) - 1), float(n.sum() - len(n)))


def jackknife_checks(result: Result) -> Iterator[Check]:
    """Recompute estimates, some levels left out, and error, bias, df, test and ends from all of them."""
    yield from called_again(result)
    plan, statistic, left = (result.extras[name] for name in ("plan", "statistic", "left_out"))
    for part, values in zip(plan.parts(), left.parts, strict=True):
        for k in range(min(AGAIN, len(values))):
            theirs = statistic.values(plan.pieces.take(plan.codes[part.factor] != part.levels[k]))
            yield from same_numbers(f"without level {k + 1}", values[k], theirs, CALLED)
    null, level = result.settings["null"], result.settings["level"]
    m = len(statistic.keys)
    known = [j for j, row in enumerate(result.rows[:m]) if row.std_error is not None]
    for row, j in zip(result.rows, [*range(m), *known], strict=True):
        corrected = row.label("quantity") == CORRECTED
        parts = [values[:, j] for values in left.parts]
        if corrected:
            bias = math.fsum(
                (len(x) - 1) * (float(x.mean()) - float(left.estimate[j])) for x in parts
            )
            yield relative(
                label(row), row.estimate, float(left.estimate[j]) - bias, "numpy", CALLED, size=1e-3
            )
        elif row.std_error is not None and row.estimate is not None:
            unit, n = unit_of(*parts), np.array([float(x.size) for x in parts])
            v = np.array([float((x.size - 1) * (x / unit).var()) for x in parts])
            total = float(v.sum())
            if left.crossed:
                cells = left.cells[:, j] / unit
                total = max(float(v.max()), total - float((cells.size - 1) * cells.var()))
            error, df = unit * math.sqrt(total), df_of(v, n, left.crossed)
            yield from field_checks(row, std_error=error, df=df)
            yield from wald_checks(
                row, level, float(row.estimate), error, df, null=null or 0.0, cut=row.limits
            )


def permute_checks(result: Result) -> Iterator[Check]:
    """Recompute estimates, some permutations, how many there are, and p from the numbers of all of them."""
    yield from called_again(result)
    statistic, null, exact = (result.extras[name] for name in ("statistic", "null", "exact"))
    shuffle, pieces = result.extras["shuffle"], result.extras["plan"].pieces
    own, what = result.settings["alternative"], result.settings["what"]
    drawn = (
        shuffle.all_arrangements()
        if exact
        else shuffle.random_arrangements(AGAIN, result.settings["seed"])
    )
    for k, codes in zip(range(min(AGAIN, len(null))), drawn, strict=False):
        yield from same_numbers(
            f"permutation {k + 1}", null[k], statistic.values(pieces.labelled(what, codes)), CALLED
        )
    many = math.prod(orders_of(labels) for labels in shuffle.labels_of_groups())
    yield compare(
        "different permutations",
        result.extras["arrangements"],
        many,
        package="numpy",
        tolerance=0.0,
        why="factorials over those of the labels",
    )
    for j, row in enumerate(result.rows):
        if row.p_value is None or row.estimate is None:
            continue
        x, value = null[:, j][np.isfinite(null[:, j])], float(row.estimate)
        near = np.isclose(x, value, rtol=0.0, atol=1e-10 * max(float(np.abs(x).max()), abs(value)))
        tails = {"greater": np.sum((x > value) | near), "less": np.sum((x < value) | near)}
        extreme = min(tails.values()) if own == "two_sided" else tails[own]
        share = float(extreme / len(x)) if exact else float((extreme + 1) / (len(x) + 1))
        theirs = min(1.0, share * (2 if own == "two_sided" else 1))
        yield compare(
            label(row, "p"),
            row.p_value,
            theirs,
            package="numpy",
            tolerance=1e-12,
            why="counted again",
        )


def orders_of(labels: list[int]) -> int:
    """Return in how many different orders labels stand."""
    return math.factorial(len(labels)) // math.prod(
        math.factorial(n) for n in np.bincount(labels).tolist()
    )


def called_again(result: Result) -> Iterator[Check]:
    """Compare the estimates with those of another call of the function on the data."""
    statistic, plan = result.extras["statistic"], result.extras["plan"]
    found = statistic.values(plan.pieces.data if statistic.spread else result.design)
    for row, value in zip(result.rows, found.tolist(), strict=False):
        if row.estimate is not None and not math.isnan(value):
            yield relative(label(row), row.estimate, value, "numpy", CALLED, size=1e-3)


def same_numbers(name: str, ours: FloatArray, theirs: FloatArray, why: str) -> Iterator[Check]:
    """Compare the numbers of one set of data; one that is missing must be missing on both sides."""
    for one, other in zip(ours.tolist(), theirs.tolist(), strict=True):
        if not math.isnan(one + other):
            yield relative(name, one, other, "numpy", why, 1e-6, size=1e-3)
        elif math.isnan(one) != math.isnan(other):
            known = [None if math.isnan(x) else x for x in (one, other)]
            yield Check(
                quantity=name,
                ours=known[0],
                theirs=known[1],
                package="numpy",
                version="",
                tolerance=0.0,
                ok=False,
                why=why,
            )


def levels_drawn(plan: Any, resamples: int, seed: int) -> Iterator[list[Any]]:
    """Yield how often each level of each factor is drawn; factors and strata have a generator each."""
    parts = plan.parts()
    streams = [
        np.random.Generator(np.random.PCG64(one))
        for one in np.random.SeedSequence(seed).spawn(len(parts))
    ]
    picked = [
        rng.integers(0, len(part.levels), size=(resamples, len(part.levels)))
        for rng, part in zip(streams, parts, strict=True)
    ]
    for k in range(resamples):
        times = [np.zeros(n, dtype=int) for n in plan.sizes]
        for part, places in zip(parts, picked, strict=True):
            np.add.at(times[part.factor], part.levels[places[k]], 1)
        yield times


def repeated(plan: Any, times: list[Any]) -> Any:
    """Return pieces as often as their levels are drawn, copies of what is drawn with names of their own."""
    index, copies = list[int](), [list[int]() for _ in times]
    for piece in range(plan.pieces.size):
        each = [range(int(own[code[piece]])) for own, code in zip(times, plan.codes, strict=True)]
        for drawn in product(*each):
            index.append(piece)
            for copy, number in zip(copies, drawn, strict=True):
                copy.append(number)
    named = {name: np.array(copy) for name, copy in zip(plan.names or [""], copies, strict=True)}
    return plan.pieces.drawn(np.array(index), named)

"""Comparisons of models recomputed: numbers from sums, errors unit by unit, Holm by statsmodels, ranks by scipy."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import (
    Errors,
    cochran,
    crossing,
    errors_by,
    errors_of_mean,
    intersections,
)
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.paired_tables import MOST_ROWS, TOO_MANY, set_aside
from socialstats.crosscheck.people import Part, joined_errors, numbers
from socialstats.crosscheck.relationship_bias import DRAWS, MOST, Sizes, ends
from socialstats.crosscheck.row_arithmetic import (
    adjusted_checks,
    adjusted_p,
    end_checks,
    field_checks,
    kurtosis_df,
    label,
    relative,
    statistic_checks,
    t_ends,
)
from socialstats.results import Check, Result

SUMS = "its sums over all units"
DRAWN = "both sizes drawn again, by chi-squares of scipy"
PARTS = ("value", "error", "df", "weight", "correlation")
FEWEST_DRAWS = 20  # beyond the end at 1 - p, for it to be known
LEFT_OUT = "each unit left out, then CR2 and two crossed factors by sums written out"
ALONE = "the pairs of both levels written out: scipy's t tests, or CR2 with a matrix of each level"
MOST_CLUSTERS = 2_000  # clusters of two levels whose matrices are written out
PART = 1_000_000  # numbers of sums without a unit that are held at once


def checks_of(result: Result) -> list[Check]:
    """Recompute numbers, differences with their errors, adjusted p-values and rank sets."""
    rows, numbers = result.rows, {one.row.term: one for one in result.extras["numbers"]}
    own = [row for row in rows if row.group == "number" and row.estimate is not None]
    checks = []
    pairs = {
        name: Side.of(alone)
        for name, alone in result.extras["by_model"].items()
        if numbers[name].pairs
    }
    for row in own:
        one = numbers[row.term]
        if (side := pairs.get(row.term)) is not None:
            checks.append(
                relative(
                    label(row, "estimate"), row.estimate, side.mean, "numpy", ALONE, 1e-8, side.size
                )
            )
            continue
        corrected = result.metric == "js_similarity"  # corrected for the jackknife's bias
        theirs = one.value if corrected else float(one.finish(total_of(one))[0]) - one.bias
        low, high = row.limits or (-math.inf, math.inf)
        theirs = min(max(theirs, low), high)  # a corrected number is cut at what is possible
        checks.append(
            relative(label(row, "estimate"), row.estimate, theirs, "numpy", SUMS, 1e-8, 1.0)
        )
    gaps = [row for row in rows if row.role == "difference" and row.estimate is not None]
    known: dict[tuple[str, int], Any] = {}
    for row in gaps:
        pair = [numbers[row.label(side) or ""] for side in ("model", "minus")]
        if pairs:
            checks += pair_checks(row, pairs[pair[0].row.term], pairs[pair[1].row.term], result)
            continue
        checks += difference_checks(row, pair, result, known)
        if row.std_error is None and row.conf_low is not None:
            checks += size_checks(row, pair, result.settings["level"], known)
    checks += adjusted_checks(gaps)
    if not result.extras["kind"].ranked:
        return [
            *checks,
            *(adjusted_checks(own) if any(row.p_adjusted is not None for row in own) else ()),
        ]
    return [*checks, *rank_checks(result, own)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Side:
    """The pairs of one level.

    Attributes
    ----------
    difference : (pairs,) float64 array, or (cells,) where they are too many to be written out
    count : array of the same length, ones where pairs are written out
    groups : (pairs, factors) array of labels of clusters
    names : (pairs,) array of labels, or None where units have none
    """

    difference: FloatArray
    count: FloatArray
    groups: Any
    names: Any

    @classmethod
    def of(cls, result: Result) -> Side:
        """Write out the pairs of a level, by unit where units have names."""
        design = result.design
        factors = design.factors(result.settings["cluster"])
        cell, count = np.arange(len(design.count)), design.count
        if design.units is not None:
            cell = design.units.cell
        elif design.n_pairs <= MOST_ROWS:
            cell = np.repeat(cell, design.count.astype(np.int64))
        if len(cell) == design.n_pairs:
            count = np.ones(len(cell))
        labels = [np.array(factor.levels)[factor.codes[cell]] for factor in factors]
        return cls(
            difference=(design.first - design.second)[cell],
            count=count,
            groups=np.array(labels).T if labels else np.zeros((len(cell), 0)),
            names=None
            if design.units is None
            else np.array(design.units.levels)[design.units.codes],
        )

    @property
    def mean(self) -> float:
        """Of all pairs."""
        return float(np.average(self.difference, weights=self.count))

    @property
    def size(self) -> float:
        """Largest size of a difference."""
        return float(np.abs(self.difference).max())


def pair_checks(row: Any, one: Side, two: Side, result: Result) -> list[Check]:
    """Recompute a difference of two levels of pairs from the pairs of both."""
    reach, level = result.extras["kind"].reach, result.settings["level"]
    cut = None if math.isinf(reach) else (-reach, reach)
    common: Any = []
    if one.names is not None and two.names is not None:
        common, at, to = np.intersect1d(one.names, two.names, return_indices=True)
    theirs = one.mean - two.mean
    if len(common):
        gaps = one.difference[at] - two.difference[to]
        theirs = float(gaps.mean())
    checks = [
        relative(
            label(row, "estimate"),
            row.estimate,
            theirs,
            "numpy",
            ALONE,
            1e-8,
            max(one.size, two.size),
        )
    ]
    if row.std_error is None:
        return checks
    if len(common):
        errors = errors_of_mean(gaps, one.groups[at])
    elif one.count.max() > 1 or two.count.max() > 1:
        return [*checks, set_aside(label(row, "s.e."), row.std_error, None, "numpy", TOO_MANY)]
    elif not one.groups.shape[1]:
        from scipy.stats import ttest_ind

        found = ttest_ind(one.difference, two.difference, equal_var=False)
        checks += field_checks(
            row, "scipy", ALONE, statistic=float(found.statistic), p_value=float(found.pvalue)
        )
        low, high = found.confidence_interval(level)
        ends = (low, high) if cut is None else (max(low, cut[0]), min(high, cut[1]))
        return [
            *checks,
            *field_checks(row, "scipy", ALONE, df=float(found.df)),
            *end_checks(row, *ends),
        ]
    elif any(np.isin(*both).any() for both in zip(one.groups.T, two.groups.T, strict=True)):
        errors = shared_errors(one, two)
    else:
        own = [errors_of_mean(side.difference, side.groups) for side in (one, two)]
        variance = sum(part.variance for part in own)
        df = variance**2 / sum(part.variance**2 / part.df for part in own)
        errors = Errors(variance=variance, df=df, effective=1.0, largest=1.0, plain=variance)
    if math.isnan(errors.variance):
        return [*checks, set_aside(label(row, "s.e."), row.std_error, None, "numpy", TOO_MANY)]
    checks.append(relative(label(row, "s.e."), row.std_error, errors.variance**0.5, "numpy", ALONE))
    return [*checks, *statistic_checks(row, df=errors.df), *t_ends(row, level, errors.df, cut=cut)]


def shared_errors(one: Side, two: Side) -> Errors:
    """CR2 and Satterthwaite's df of a regression on the level, by clusters of both, from the matrix of each level.

    The working variances of both levels are those of their own means. NaN where the matrices would be too large.
    """
    sides = (one, two)
    codes = crossing(np.concatenate([one.groups, two.groups]))
    scores = np.concatenate(
        [
            sign * (side.difference - side.mean) / len(side.difference)
            for sign, side in zip((1, -1), sides, strict=True)
        ]
    )
    shares = np.zeros((2, len(scores)))
    shares[0, : len(one.difference)] = 1 / len(one.difference)
    shares[1, len(one.difference) :] = 1 / len(two.difference)
    weights = [errors_of_mean(side.difference, side.groups).variance for side in sides]
    parts = []
    for code in codes.T:
        size = int(code.max()) + 1
        if size > MOST_CLUSTERS:
            return Errors(
                variance=math.nan, df=math.nan, effective=1.0, largest=1.0, plain=math.nan
            )
        total, matrix = np.zeros(size), np.zeros((size, size))
        for share, weight in zip(shares, weights, strict=True):
            f = np.bincount(code, share)
            rest = np.diag((1 - f) ** -0.5)
            total += rest @ np.bincount(code, scores * (share > 0))
            beside = -rest @ np.outer(f, f) @ rest
            matrix += weight * (beside - np.diag(np.diag(beside)) + np.diag(f))
        parts.append(
            (float(total @ total), float(np.trace(matrix)) ** 2 / float(np.trace(matrix @ matrix)))
        )
    variances, dfs = zip(*parts, strict=True)
    plain = variances[0]
    if len(parts) == 2:
        plain = sum(variances) - float((np.bincount(intersections(*codes.T), scores) ** 2).sum())
    return Errors(
        variance=max(*variances, plain),
        df=cochran(variances, dfs) if len(parts) == 2 else dfs[0],
        effective=1.0,
        largest=1.0,
        plain=plain,
    )


def total_of(one: Any, at: Any = None) -> Any:
    """Return the sums over (some) units as one row."""
    sums = one.sums if at is None else one.sums[at]
    return np.asarray(sums.sum(axis=0), dtype=np.float64).reshape(1, -1)


def difference_checks(
    row: Any, pair: list[Any], result: Result, known: dict[tuple[str, int], Any]
) -> list[Check]:
    """Recompute a difference, and what each unit of both adds to it."""
    places = [{name: k for k, name in enumerate(one.units)} for one in pair]
    common = [name for name in pair[0].units if name in places[1]]
    at = [np.array([place[name] for name in common]) for place in places]
    whole = all(len(common) == len(one.units) for one in pair)
    theirs = [
        one.value if whole else float(one.finish(total_of(one, i))[0]) - one.bias
        for one, i in zip(pair, at, strict=True)
    ]
    checks = [
        relative(
            label(row, "estimate"), row.estimate, theirs[0] - theirs[1], "numpy", SUMS, 1e-8, 1.0
        )
    ]
    if row.std_error is not None:
        moves = [moves_of(one, i, known) for one, i in zip(pair, at, strict=True)]
        codes = np.array(
            [
                np.unique(np.array(labels)[at[0]], return_inverse=True)[1]
                for labels in pair[0].clusters
            ]
        ).T
        n = len(common)
        errors = errors_by(moves[0] - moves[1], np.full(n, 1 / n), codes)
        if codes.ndim < 2 and not (pair[0].linear and pair[1].linear):
            errors = replace(errors, df=min(errors.df, kurtosis_df(moves[0] - moves[1])))
        elif codes.shape[-1] == 1 and not (pair[0].linear and pair[1].linear):
            errors = replace(
                errors,
                df=min(errors.df, kurtosis_df(np.bincount(codes[:, 0], moves[0] - moves[1]))),
            )
        left = codes[:, 0] if codes.ndim == 2 else np.arange(n)
        errors = joined_errors(errors, [people_moves(pair, at, left)])
        checks.append(
            relative(
                label(row, "s.e."), row.std_error, errors.variance**0.5, "numpy", LEFT_OUT, 1e-6
            )
        )
        df = errors.df
        reach = result.extras["kind"].reach
        cut = None if reach == float("inf") else (-reach, reach)
        checks += [
            *statistic_checks(row, df=df),
            *t_ends(row, result.settings["level"], df, cut=cut),
        ]
    return checks


def size_checks(
    row: Any, pair: list[Any], level: float, known: dict[tuple[str, int], Any]
) -> list[Check]:
    """Draw both sizes again: the interval of their difference, and that at 1 - p, which ends at 0."""
    places = [{name: k for k, name in enumerate(one.units)} for one in pair]
    common = [name for name in pair[0].units if name in places[1]]
    at = [np.array([place[name] for name in common]) for place in places]
    found = [one.sizes(i) for one, i in zip(pair, at, strict=True)]
    sides = [
        Sizes(pair=s.estimates.block, **{name: getattr(s.estimates, name) for name in PARTS})
        for s in found
    ]
    signed = np.column_stack(
        [
            s.influence @ (np.where(e.value < 0, -1, 1) * e.weight)
            for s, e in zip(found, sides, strict=True)
        ]
    )
    total = np.zeros((2, 2))
    for labels in pair[0].clusters or (pair[0].units,):
        code = np.unique(np.array(labels)[at[0]], return_inverse=True)[1]
        sums = np.column_stack([np.bincount(code, column) for column in signed.T])
        total += sums.T @ sums * len(sums) / max(len(sums) - 1, 1)
    alike = np.diag(total) <= (1e-13 * np.abs(signed).sum(axis=0)) ** 2
    r = 0.0 if alike.any() else min(float(total[0, 1] / math.sqrt(total[0, 0] * total[1, 1])), 0.0)

    def own(k: int, level: float) -> tuple[float, float, float]:
        key = (pair[k].row.term, hash((at[k].tobytes(), level)))
        if key not in known:
            known[key] = sides[k].corrected, *ends(sides[k], found[k].seed, level)
        return known[key]  # type: ignore[no-any-return]

    def ends_at(level: float) -> tuple[float, float]:
        (a, a1, a2), (b, b1, b2) = own(0, level), own(1, level)
        low = a - b - math.sqrt((a - a1) ** 2 + (b2 - b) ** 2 - 2 * r * (a - a1) * (b2 - b))
        high = a - b + math.sqrt((a2 - a) ** 2 + (b - b1) ** 2 - 2 * r * (a2 - a) * (b - b1))
        return min(low, -b2) if a1 == 0 else low, max(high, a2) if b1 == 0 else high

    low, high = ends_at(level)
    held = (max(min(low, row.estimate), -MOST), min(max(high, row.estimate), MOST))
    checks = end_checks(row, *held, "scipy", DRAWN, 1e-5, MOST)
    if FEWEST_DRAWS / DRAWS < row.p_value < 1:
        inner = ends_at(1 - row.p_value)[0 if sides[0].corrected > sides[1].corrected else 1]
        checks.append(
            relative(label(row, "interval at 1 - p"), 0.0, inner, "scipy", DRAWN, 0.02, MOST)
        )
    return checks


def people_moves(pair: list[Any], at: list[Any], left: Any) -> Part | None:
    """Return what each rating of people who are a sample adds to a difference, by leaving it out of both numbers."""
    e, f, cluster, rater, second = [], [], [], [], []
    for side, (one, units) in enumerate(zip(pair, at, strict=True)):
        if one.ratings is None:
            continue
        place = {unit: k for k, unit in enumerate(units.tolist())}
        rows = [k for k, unit in enumerate(one.ratings.unit.tolist()) if unit in place]
        total = total_of(one, units)
        less = np.array([float(one.finish(total - one.ratings.sums[[k]])[0]) for k in rows])
        e.append((1 - 2 * side) * (less.mean() - less) * (len(rows) - 1) / len(rows))
        f.append(np.full(len(rows), 1 / len(rows)))
        cluster += [left[place[one.ratings.unit[k]]] for k in rows]
        rater += [one.ratings.rater[k] for k in rows]
        second.append(np.full(len(rows), side == 1))
    if not e:
        return None
    sides = np.concatenate(second)
    both = sides.any() and not sides.all()
    return Part(
        e=np.concatenate(e)[:, None],
        f=np.concatenate(f),
        left=numbers(cluster),
        rater=numbers(rater),
        second=sides if both else None,
    )


def moves_of(one: Any, at: Any, known: dict[tuple[str, int], Any]) -> Any:
    """Return what each of some units adds to a number; of all its units computed once."""
    key = one.row.term, hash(at.tobytes())
    if key not in known:
        total, rows = total_of(one, at), one.sums[at]
        parts = np.array_split(np.arange(len(at)), max(1, len(at) * total.shape[1] // PART))
        left = np.concatenate(
            [
                one.finish(total - (rows[k] if isinstance(rows, np.ndarray) else rows[k].toarray()))
                for k in parts
            ]
        )
        known[key] = (left.mean() - left) * (len(left) - 1) / len(left)
    return known[key]


def rank_checks(result: Result, own: list[Any]) -> list[Check]:
    """Count the ranks by scipy, and the sets from statsmodels' adjusted p-values."""
    from scipy.stats import rankdata

    sign = -1.0 if result.settings["best"] == "highest" else 1.0
    numbers = np.array([row.estimate for row in own], dtype=np.float64)
    ranks = rankdata(sign * np.round(numbers / (np.abs(numbers).max() or 1.0), 8), method="min")
    tests = [row for row in result.rows if row.role == "difference" and row.p_value is not None]
    p = adjusted_p([row.p_value for row in tests]) if tests else []
    better, worse = (
        dict.fromkeys((row.term for row in own), 0),
        dict.fromkeys((row.term for row in own), 0),
    )
    for row, adjusted in zip(tests, p, strict=True):
        if adjusted <= 1 - result.settings["level"]:
            one, two = (row.label(side) or "" for side in ("model", "minus"))
            first, last = (one, two) if sign * (row.estimate or 0.0) < 0 else (two, one)
            better[last] += 1
            worse[first] += 1
    found = {row.term: row for row in result.rows if row.group == "rank"}
    checks, why = [], "the pairs found different counted"
    for one, rank in zip(own, np.asarray(ranks).tolist(), strict=True):
        row = found[one.term]
        ends = min(1 + better[one.term], rank), max(len(own) - worse[one.term], rank)
        ends = (math.nan, math.nan) if np.isnan(p).any() else ends
        checks += [
            compare(label(row, name), ours, float(theirs), package=package, tolerance=0, why=why)
            for name, ours, theirs, package in (
                ("estimate", row.estimate, rank, "scipy"),
                ("low", row.conf_low, ends[0], "statsmodels"),
                ("high", row.conf_high, ends[1], "statsmodels"),
            )
        ]
    return checks

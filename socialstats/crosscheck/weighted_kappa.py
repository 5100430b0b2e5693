"""Weighted kappa recomputed: statsmodels and scikit-learn on expanded ratings, slopes written out, resamples.

statsmodels takes a matrix as *disagreement* weights, and scikit-learn sorts labels and weighs their positions. Each is
called with what it needs, or named as unable.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import FEW, codes_of, disagreement_ends, errors_by, fisher_ends
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.resamples import (
    RESAMPLED,
    SAMPLE,
    Cells,
    Statistic,
    redrawn,
    resampled_checks,
    sampled_check,
)
from socialstats.crosscheck.row_arithmetic import (
    FORMULA,
    adjusted_checks,
    end_checks,
    label,
    relative,
    same_p,
    statistic_checks,
    t_ends,
    tail_p,
)
from socialstats.designs.ratings import OK, REFUSAL, Ratings
from socialstats.results import Check, Result, Row, Verification
from socialstats.results.peers import load_peer

SAME = "the table of every pair written out; the quantiles by sorting"
CLOSED = "the same closed form in another order of arithmetic"
SLOPE = "central differences of a direct computation, error about h^2"
TOLERANCE, LEAST, STEP = 1e-9, 1e-12, 1e-4
SAMPLED = 200  # pairs, of many, that statsmodels recomputes
MANY = 2000  # more pairs of raters than this are not kept
JOINT = ("mean", "pooled")
CLOSED_CI = ("closed", "wald")
Names = Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Alike:
    """Distinct rows of ratings of units with two of them.

    Attributes
    ----------
    codes : (cells, raters) int array
        Index of the level; -1 where there is none.
    cells : Cells
        How many units each row stands for, with the clusters that are drawn.
    clusters : (cells, factors) int array
        Those of the errors: of two nested factors the coarser alone.
    """

    codes: Any
    cells: Cells
    clusters: Any


def alike(result: Result, group: str | None, raters: Sequence[int]) -> Alike:
    """Count the units of all, or of one level of the stratum, by cluster and by their row of ratings, ascending."""
    design: Ratings = result.design
    factors, stratum = (
        design.factors(result.settings.get("cluster", None)),
        result.settings.get("stratum"),
    )
    codes = np.full((len(design.units), len(design.raters)), -1)
    given = design.status == OK
    if result.settings.get("refusal") == "level":
        given |= design.status == REFUSAL
    level = np.where(design.status == REFUSAL, len(design.levels), design.value)
    codes[design.unit[given], design.rater[given]] = level[given]
    kept = (codes[:, raters] >= 0).sum(axis=1) >= 2
    if group is not None and stratum is not None:
        factor = design.strata[stratum] if stratum in design.strata else design.factors(stratum)[0]
        kept &= factor.codes == factor.levels.index(group)
    at = np.flatnonzero(kept)
    keys = np.column_stack([*(f.codes[at] for f in factors), codes[at][:, raters]])
    distinct, first, place = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    wide = np.full((len(distinct), codes.shape[1]), -1)
    wide[:, raters] = distinct[:, len(factors) :]
    count = np.bincount(place.ravel(), design.unit_count[at], len(distinct))
    return Alike(
        codes=wide,
        cells=Cells.of(count, distinct[:, : len(factors)].T),
        clusters=codes_of(factors, at[first]),
    )


class Pair:
    """Two raters: the cells that both rated, the levels there, and the square table of all units."""

    def __init__(
        self, codes: Any, raters: tuple[int, int], disagreement: FloatArray, count: FloatArray
    ) -> None:
        first, second = (codes[:, rater] for rater in raters)
        self.there = np.flatnonzero((first >= 0) & (second >= 0))
        self.x, self.y = first[self.there], second[self.there]
        self.disagreement, self.k = disagreement, len(disagreement)
        self.whole = self.table(count)
        self.n, self.seen, self.chance = (
            float(x[0]) for x in disagreements(self.whole[None], disagreement)
        )
        self.known = self.n >= 2 and self.chance > LEAST * self.n
        self.kappa = 1 - self.seen / self.chance if self.known else math.nan

    def table(self, times: FloatArray) -> FloatArray:
        """Square table of units taken so many times."""
        flat = np.bincount(self.x * self.k + self.y, times[self.there], self.k**2)
        return flat.reshape(self.k, self.k).astype(np.float64)


def disagreements(
    tables: FloatArray, apart: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Units of each table, and how far they are apart in all, seen and by chance, each (pairs,)."""
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    n = rows.sum(axis=1)
    chance = ((rows @ apart) * columns).sum(axis=1) / np.maximum(n, 1.0)
    return n, (tables * apart).sum(axis=(1, 2)), chance


def pairs_of(found: Alike, raters: Iterable[tuple[int, int]], result: Result) -> Iterator[Pair]:
    """Yield pairs of raters one by one."""
    apart = 1 - np.asarray(result.extras["weights"])
    return (Pair(found.codes, pair, apart, found.cells.count) for pair in raters)


def checks_of(result: Result) -> list[Check]:
    """Recompute the quantiles of the kappas.

    Parameters
    ----------
    result : Result
        ``extras["places"]`` says which quantile each row is.
    """
    places = result.extras["places"]
    every = range(len(result.design.raters))
    pairs = pairs_of(alike(result, None, every), combinations(every, 2), result)
    values = [pair.kappa for pair in pairs if pair.known]
    return [
        compare(
            f"{row.term} of the kappas",
            row.estimate,
            float(np.quantile(values, places[row.term])),
            package="numpy",
            tolerance=1e-10,
            why=SAME,
        )
        for row in result.rows
    ]


def verify(result: Result) -> Verification:
    """Recompute every kappa, its standard error (statsmodels, or slopes), and from these test, p and interval."""
    raters, wanted = list(result.design.raters), result.settings["pairs"]
    chosen = (
        list(range(len(raters)))
        if isinstance(wanted, str)
        else [raters.index(name) for name in wanted]
    )
    names = dict(
        zip(next(iter(result.extras["tables"].values())), combinations(chosen, 2), strict=True)
    )  # by the name of their row
    checks: list[Check] = []
    resampled: list[Check] = []
    for group in dict.fromkeys(row.group for row in result.rows):
        rows = {row.term: row for row in result.rows if row.group == group}
        found = alike(result, group, chosen)
        if len(names) > MANY:
            checks += many_checks(rows, found, names, group, result)
        else:
            pairs = dict(zip(names, pairs_of(found, names.values(), result), strict=True))
            for name in (name for name in names if name in rows):
                checks += pair_checks(name, rows[name], pairs[name], found.cells.count, result)
            checks += [joint_check(rows[term], pairs) for term in JOINT if term in rows]
            checks += error_checks(rows, found, pairs, result)
        if sum(rows[name].p_value is not None for name in names if name in rows) > 1:
            checks += adjusted_checks(rows[name] for name in names if name in rows)
        resampled += bootstrap_checks(rows, found, names, result)
    return Verification(checks=(*checks, *resampled))


def many_checks(
    rows: Mapping[str, Row], found: Alike, names: Names, group: str | None, result: Result
) -> Iterator[Check]:
    """Compare numbers of many pairs: all by sums over their tables, every so many of them with statsmodels.

    The standard errors of all pairs together would need slopes in every unit of every pair, and are left out.
    """
    cohens_kappa = load_peer("statsmodels.stats.inter_rater", "cohens_kappa")

    made: dict[str, Any] = {"tolerance": TOLERANCE, "why": CLOSED}
    ours, count = result.extras["pairs"][group or "all units"], found.cells.count
    kappas, sums, used = [], np.zeros(2), {term: np.zeros(len(count), dtype=bool) for term in JOINT}
    for k, (name, pair) in enumerate(
        zip(names, pairs_of(found, names.values(), result), strict=True)
    ):
        sums += (pair.seen, pair.chance)
        used["pooled"][pair.there] = True
        if not pair.known:
            continue
        used["mean"][pair.there] = True
        kappas.append(pair.kappa)
        kappa = rows[name].estimate if name in rows else ours[name]["kappa"]
        yield compare(f"kappa of {name}", kappa, pair.kappa, package="numpy", **made)
        if k % (len(names) // SAMPLED) == 0:
            theirs = float(cohens_kappa(pair.whole, weights=pair.disagreement).kappa)
            yield compare(f"kappa of {name}", kappa, theirs, package="statsmodels", **made)
    joint = {
        "mean": float(np.mean(kappas)) if kappas else None,
        "pooled": 1 - sums[0] / sums[1] if sums[1] else None,
    }
    codes = found.clusters
    for term, value in joint.items():
        row = rows[term]
        if row.reason == "no_variation":
            continue
        yield compare(term, row.estimate, value, package="numpy", **made)
        if row.std_error is not None and row.statistic is not None:
            levels = [len(np.unique(code[used[term]])) for code in codes.T]
            yield from row_arithmetic(
                row, min(levels, default=float(count[used[term]].sum())), codes, result.settings
            )
            note = f"slopes of {len(names):,} pairs would take too long"
            yield compare(
                f"s.e. of {term}", row.std_error, None, package="numpy", note=note, **made
            )


def pair_checks(name: str, row: Row, pair: Pair, count: FloatArray, result: Result) -> list[Check]:
    """Compare one pair with statsmodels (all numbers) and scikit-learn (the value)."""
    cohen_kappa_score = load_peer("sklearn.metrics", "cohen_kappa_score")
    cohens_kappa = load_peer("statsmodels.stats.inter_rater", "cohens_kappa")

    if row.estimate is None or row.n is None or row.reason == "no_variation":
        return []
    theirs = cohens_kappa(pair.whole, weights=pair.disagreement)
    made: dict[str, Any] = {"package": "statsmodels", "tolerance": TOLERANCE, "why": CLOSED}
    rough = made | {"tolerance": 1e-7, "why": "statsmodels subtracts squares, which loses digits"}
    out = [compare(f"kappa of {name}", row.estimate, float(theirs.kappa), **made)]
    independent = not result.design.factors(result.settings["cluster"])
    if independent and row.std_error is not None and result.settings["ci"] in CLOSED_CI:
        out.append(compare(f"s.e. of {name}", row.std_error, float(theirs.std_kappa), **rough))
    if independent and row.statistic is not None:
        z = float(theirs.kappa / theirs.std_kappa0)
        out.append(
            compare(
                f"z of {name}", row.statistic, z, **made | {"tolerance": 1e-8 * max(1.0, abs(z))}
            )
        )
    made["package"], scheme = "scikit-learn", sklearn_scheme(result)
    if scheme is None:
        note = "scikit-learn weighs positions only"
        return [*out, compare(f"kappa of {name}", row.estimate, None, **made, note=note)]
    score = cohen_kappa_score(
        pair.x,
        pair.y,
        labels=list(range(pair.k)),
        weights=None if scheme == "unweighted" else scheme,
        sample_weight=count[pair.there],
    )
    return [*out, compare(f"kappa of {name}", row.estimate, float(score), **made)]


def sklearn_scheme(result: Result) -> str | None:
    """Name the weights that scikit-learn has too: it weighs the positions of the levels; None where it has them not."""
    chosen, scores = str(result.settings["weights"]), result.design.scores
    even = np.allclose(np.diff(scores, 2), 0) if len(scores) > 2 else True
    same = chosen in ("linear", "quadratic") and even and result.settings["refusal"] != "level"
    return chosen if chosen == "unweighted" or same else None


def joint_check(row: Row, found: Mapping[str, Pair]) -> Check:
    """Compare the mean with that of statsmodels' kappas, the pooled one with sums over units."""
    cohens_kappa = load_peer("statsmodels.stats.inter_rater", "cohens_kappa")

    theirs, package = None, "statsmodels" if row.term == "mean" else "numpy"
    chance = sum(pair.chance for pair in found.values())
    if row.term == "mean":
        kept = [pair for pair in found.values() if pair.known]
        values = [float(cohens_kappa(pair.whole, weights=pair.disagreement).kappa) for pair in kept]
        theirs = sum(values) / len(values) if values else None
    elif chance > LEAST:
        theirs = 1 - sum(pair.seen for pair in found.values()) / chance
    if row.reason == "no_variation":
        theirs = None
    note = "kappa is undefined" if theirs is None else ""
    return compare(
        row.term, row.estimate, theirs, package=package, tolerance=TOLERANCE, why=CLOSED, note=note
    )


def error_checks(
    rows: Mapping[str, Row], found: Alike, pairs: Mapping[str, Pair], result: Result
) -> list[Check]:
    """Compare errors by clusters, or of all pairs together, then test and interval of every row."""
    settings, out = result.settings, []
    level, count = settings["level"], found.cells.count
    for term, row in rows.items():
        if row.estimate is None or row.conf_low is None or row.reason == "no_variation":
            continue
        joint = [pair for pair in pairs.values() if pair.known or term == "pooled"]
        own = joint if term in JOINT else [pairs[term]]
        rated = np.unique(np.concatenate([pair.there for pair in own]))
        each = np.repeat(rated, count[rated].astype(int))  # one by one
        clusters = found.clusters[each]
        clustered = clusters.shape[1] > 0
        move = np.zeros(len(count))
        for pair, slopes in zip(own, cell_slopes(own, term), strict=True):
            move[pair.there] += slopes[pair.x, pair.y]
        errors = errors_by(move[each], np.full(len(each), 1 / len(each)), clusters)
        if (
            row.std_error is not None
            and settings["ci"] in CLOSED_CI
            and (clustered or term in JOINT)
        ):
            error = math.sqrt(errors.variance * (1.0 if clustered else errors.df / (errors.df + 1)))
            out.append(
                compare(
                    f"s.e. of {term}",
                    row.std_error,
                    error,
                    package="numpy",
                    tolerance=1e-6,
                    why=SLOPE,
                )
            )
        told = settings
        if settings["ci"] == "closed":
            effective, low, high = few_ends(own, row.estimate, each, clusters, level)
            if row.std_error is None or effective == 0 or (clustered and effective < FEW):
                if row.std_error is not None and effective > 0:
                    fisher = fisher_ends(row.estimate, row.std_error, errors.df, level)
                    low, high = min(low, fisher[0]), max(high, fisher[1])
                out += end_checks(row, low, high, least=1.0)
                told = {**settings, "ci": "disagreements"}
        out += row_arithmetic(row, errors.df + 1, clusters, told)
    return out


def cell_slopes(pairs: Sequence[Pair], term: str) -> list[FloatArray]:
    """Derivatives of a kappa with respect to the count of each cell of each pair's table, (levels, levels)."""
    own = np.array([(pair.seen, pair.chance) for pair in pairs])
    out = []
    for pair, mine in zip(pairs, own, strict=True):
        others = own.sum(axis=0) - mine if term == "pooled" else np.zeros(2)
        v, rows, columns, ends = (
            pair.disagreement,
            pair.whole.sum(axis=1),
            pair.whole.sum(axis=0),
            [],
        )
        for step in (STEP, -STEP):  # one unit more, or less, in each cell
            seen = mine[0] + step * v
            chance = rows @ v @ columns + step * ((v @ columns)[:, None] + rows @ v) + step**2 * v
            ends.append(1 - (others[0] + seen) / (others[1] + chance / (rows.sum() + step)))
        out.append((ends[0] - ends[1]) / (2 * STEP) / (len(pairs) if term == "mean" else 1))
    return out


def few_ends(
    pairs: Sequence[Pair], value: float, each: Any, clusters: Any, level: float
) -> tuple[float, float, float]:
    """Effective disagreements and the ends they give, of all pairs of raters together."""
    apart, weight = np.zeros((2, int(each.max()) + 1))
    expected, top = 0.0, float(pairs[0].disagreement.max())
    for pair in pairs:
        apart[pair.there] += pair.disagreement[pair.x, pair.y] / top
        weight[pair.there] += 1.0
        expected += pair.chance / top
    mean = np.divide(apart, weight, out=np.zeros_like(apart), where=weight > 0)[each]
    return disagreement_ends(
        value, mean, weight[each], expected / float(weight[each].sum()), clusters, level
    )


def row_arithmetic(row: Row, g: float, clusters: Any, options: Mapping[str, Any]) -> list[Check]:
    """Compare test, p and closed interval of a row of g clusters (or units)."""
    out: list[Check] = []
    clustered = clusters.shape[1] > 0
    error = (row.std_error or 0.0) * (1.0 if clustered else math.sqrt(g / (g - 1)))
    if (
        row.statistic is not None and row.df is None
    ):  # the z by the null error is compared with statsmodels
        out.append(same_p(label(row, "p"), row.p_value, tail_p(row.statistic, None)))
    elif row.statistic is not None:
        out += statistic_checks(
            replace(row, std_error=error) if row.interval == "fisher_z" else row, df=g - 1
        )
    elif row.df is not None:
        out.append(relative(label(row, "df"), row.df, g - 1))
    if options["ci"] == "wald":
        out += t_ends(row, options["level"], g - 1 if clustered else None, cut=(-math.inf, 1.0))
    elif options["ci"] == "closed":
        ends = fisher_ends(row.estimate or 0.0, error, g - 1, options["level"])
        out += end_checks(
            row, *ends, "scipy", FORMULA, least=1.0
        )  # a kappa is 1 less a ratio, with the rounding of 1
    return out


def bootstrap_checks(
    rows: Mapping[str, Row], found: Alike, names: Names, result: Result
) -> list[Check]:
    """Compute the kappas of every resample of one group of units from its own tables."""
    settings = result.settings
    shown = {term: row for term, row in rows.items() if row.conf_low is not None}
    if settings["ci"] not in RESAMPLED or not shown:
        return []
    pairs = list(pairs_of(found, names.values(), result))
    drawn = redrawn(
        found.cells,
        drawn_kappas(pairs),
        ci=settings["ci"],
        resamples=settings["resamples"],
        seed=settings["seed"],
        cost=len(pairs) * (1 + pairs[0].k ** 2 / 2000),
    )
    out = []
    for column, term in enumerate((*names, *JOINT)):
        if term in shown:
            out += resampled_checks(
                shown[term], drawn, settings["ci"], settings["level"], column=column, most=1.0
            )
    if drawn is not None and all(row.group is None for row in shown.values()):
        scheme = sklearn_scheme(result)
        package = "statsmodels" if scheme is None else "scikit-learn"
        made: dict[str, Any] = {
            "package": package,
            "calls": max(1, SAMPLE // len(pairs)),
            "seed": settings["seed"],
        }
        for column, (pair, term) in enumerate(zip(pairs, names, strict=True)):
            out += sampled_check(
                term, found.cells, drawn.replicates[:, column], peer_of(pair, scheme), **made
            )
    return out


def drawn_kappas(pairs: Sequence[Pair]) -> Statistic:
    """Return the function from the rows of each cell to the kappa of each pair, their mean and the pooled kappa.

    The mean is that of the pairs which have a kappa, on two units or more, in the sample itself.
    """
    k, apart, used = pairs[0].k, pairs[0].disagreement, np.array([pair.known for pair in pairs])
    there = np.concatenate([pair.there for pair in pairs])
    place = np.concatenate([p * k * k + k * pair.x + pair.y for p, pair in enumerate(pairs)])

    def statistic(times: FloatArray) -> list[float]:
        tables = (
            np.bincount(place, times[there], len(pairs) * k * k)
            .astype(np.float64)
            .reshape(-1, k, k)
        )
        n, seen, chance = disagreements(tables, apart)
        known = chance > LEAST * n
        single = np.where(known, 1 - seen / np.where(known, chance, 1.0), np.nan)
        kept, total = single[used & known], float(chance.sum())
        pooled = 1 - float(seen.sum()) / total if total > LEAST * float(n.sum()) else math.nan
        return [*single.tolist(), float(kept.mean()) if len(kept) else math.nan, pooled]

    return statistic


def peer_of(pair: Pair, scheme: str | None) -> Statistic:
    """Return the kappa of the units of a resample by scikit-learn, or by statsmodels where its weights are others."""
    if scheme is None:
        cohens_kappa = load_peer("statsmodels.stats.inter_rater", "cohens_kappa")

        def theirs(times: FloatArray) -> Any:
            with np.errstate(all="ignore"):
                return cohens_kappa(
                    pair.table(times), weights=pair.disagreement, return_results=False
                )

        return theirs
    cohen_kappa_score = load_peer("sklearn.metrics", "cohen_kappa_score")

    def kappa(times: FloatArray) -> Any:
        n = times[pair.there].astype(np.int64)
        weights = None if scheme == "unweighted" else scheme
        return cohen_kappa_score(
            np.repeat(pair.x, n), np.repeat(pair.y, n), labels=list(range(pair.k)), weights=weights
        )

    return kappa

"""Weighted kappa once more: statsmodels and scikit-learn on expanded ratings, slopes written out, resamples.

statsmodels takes a matrix as *disagreement* weights, and scikit-learn sorts labels and weighs their positions: each is
called with what it needs, or named as unable.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.clusters import FEW, Errors, codes_of, disagreement_ends, errors_by, fisher_ends
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
    end_checks,
    label,
    relative,
    same_p,
    statistic_checks,
    t_ends,
    tail_p,
)
from socialstats.designs.parts import AnyArray
from socialstats.results import Check, FloatArray, Result, Row, Verification

if TYPE_CHECKING:
    import pandas as pd

SAME = "the table of every pair written out; the quantiles by sorting"
CLOSED = "the same closed form in another order of arithmetic"
TOLERANCE, LEAST = 1e-9, 1e-12
SAMPLED = 200  # of many pairs, those that statsmodels gets
JOINT = ("mean", "pooled")


def checks_of(result: Result, places: Mapping[str, float]) -> list[Check]:
    """Recompute the quantiles of the kappas.

    Parameters
    ----------
    result : Result
        Rows by the names of `places`.
    places : mapping of str to float
        Which quantile each row is.
    """
    values = sorted(kappas(result))
    return [
        compare(f"{row.term} of the kappas", row.estimate, type_7(values, places[row.term]), package="numpy",
                tolerance=1e-10, why=SAME)
        for row in result.rows
    ]  # fmt: skip


def kappas(result: Result) -> list[float]:
    """Return 1 - Do/De of every pair with two units and an expected disagreement."""
    disagreement = 1 - np.asarray(result.extras["weights"])
    tables = pair_tables(result.design.matrix(), result.design.unit_count, len(disagreement))
    parts = (parts_of(table, disagreement) for table, _ in tables)
    return [1 - do / de for n, do, de in parts if n >= 2 and de > LEAST]


def pair_tables(wide: FloatArray, count: FloatArray, k: int) -> Iterator[tuple[FloatArray, Any]]:
    """Yield for each pair of columns its square table of units by levels, and which lines have both.

    Parameters
    ----------
    wide : (lines, raters) float64 array
        Levels; NaN where there is none.
    count : (lines,) float64 array
        Units of each line.
    k : int
        Number of levels.
    """
    given = ~np.isnan(wide.T)
    levels = np.where(given, wide.T, 0).astype(int)
    for a, b in combinations(range(len(levels)), 2):
        both = given[a] & given[b]
        cells = np.bincount((levels[a] * k + levels[b])[both], count[both], k * k)
        yield cells.reshape(k, k).astype(np.float64), both


def parts_of(table: FloatArray, disagreement: FloatArray) -> tuple[float, float, float]:
    """Return n, observed and expected disagreement of a square table."""
    n = float(table.sum())
    if n == 0:
        return 0.0, math.nan, math.nan
    expected = table.sum(axis=1) @ disagreement @ table.sum(axis=0)
    return n, float((table * disagreement).sum()) / n, float(expected) / n**2


def type_7(values: list[float], place: float) -> float:
    """Return a quantile of sorted values, linear between two neighbours."""
    at = place * (len(values) - 1)
    low, high = math.floor(at), math.ceil(at)
    return values[low] + (at - low) * (values[high] - values[low])


def many_checks(
    rows: Mapping[str, Row], part: pd.DataFrame, names: Sequence[str], group: str | None, result: Result
) -> Iterator[Check]:
    """Compare numbers of many pairs: all by sums over their tables, every so many of them with statsmodels.

    Parameters
    ----------
    rows : mapping of str to Row
        Of one group of units.
    part : data frame
        One line a distinct row of ratings: levels by rater, and ``count``.
    names : sequence of str
        Of the pairs, in order.
    group : str or None
    result : Result

    Notes
    -----
    The standard errors of all pairs together would need slopes in every unit of every pair, and are left out.
    """
    from statsmodels.stats.inter_rater import cohens_kappa

    v = 1 - np.asarray(result.extras["weights"])
    made: dict[str, Any] = {"tolerance": TOLERANCE, "why": CLOSED}
    ours = result.extras["pairs"][group or "all units"]
    wide, count = part[range(len(result.design.raters))].to_numpy(dtype=float), part["count"].to_numpy(dtype=float)
    parts, used = [], {term: np.zeros(len(part), dtype=bool) for term in JOINT}
    for k, (name, (table, both)) in enumerate(zip(names, pair_tables(wide, count, len(v)), strict=True)):
        n, do, de = parts_of(table, v)
        parts.append((n, do, de))
        used["pooled"] |= both
        if n < 2 or not de > LEAST:
            continue
        used["mean"] |= both
        kappa = rows[name].estimate if name in rows else ours[name]["kappa"]
        yield compare(f"kappa of {name}", kappa, 1 - do / de, package="numpy", **made)
        if k % (len(names) // SAMPLED) == 0:
            theirs = float(cohens_kappa(table, weights=v).kappa)
            yield compare(f"kappa of {name}", kappa, theirs, package="statsmodels", **made)
    known = [1 - do / de for n, do, de in parts if n >= 2 and de > LEAST]
    joint = {"mean": sum(known) / len(known) if known else None, "pooled": pooled(parts)}
    factors = [factor.codes for factor in result.design.factors(result.settings["cluster"])]
    for term, value in joint.items():
        row, units = rows[term], part.index.to_numpy()[used[term]]
        if row.method == "on_undefined=1.0":
            continue
        yield compare(term, row.estimate, value, package="numpy", **made)
        if row.std_error is not None and row.statistic is not None:
            g = min((len(np.unique(code[units])) for code in factors), default=float(count[used[term]].sum()))
            yield from row_arithmetic(row, g, bool(factors), result.settings)
            note = f"slopes of {len(names):,} pairs would take too long"
            yield compare(f"s.e. of {term}", row.std_error, None, package="numpy", note=note, **made)


def pooled(parts: list[tuple[float, float, float]]) -> float | None:
    """1 - sum n Do / sum n De."""
    total = sum(n * de for n, _, de in parts if n)
    return 1 - sum(n * do for n, do, _ in parts if n) / total if total > 1e-12 else None


def row_arithmetic(row: Row, g: float, clustered: bool, options: Mapping[str, Any]) -> list[Check]:
    """Compare test, p and closed interval of a row of g clusters (or units)."""
    out: list[Check] = []
    if row.statistic is not None and row.df is None:  # the z by the null error is compared with statsmodels
        out.append(same_p(label(row, "p"), row.p_value, tail_p(row.statistic, None)))
    elif row.statistic is not None:
        out += statistic_checks(row, df=g - 1)
    elif row.df is not None:
        out.append(relative(label(row, "df"), row.df, g - 1))
    if options["ci"] == "wald":
        out += t_ends(row, options["level"], g - 1 if clustered else None)
    elif options["ci"] == "closed":
        small = 1.0 if clustered else math.sqrt(g / (g - 1))
        error = (row.std_error or 0.0) * small
        out += end_checks(row, *fisher_ends(row.estimate or 0.0, error, g - 1, options["level"]), "scipy", FORMULA)
    return out


SLOPE = "central differences of a direct computation, error about h^2"
STEP = 1e-4
CLOSED_CI = ("closed", "wald")
MANY = 2000  # more pairs of raters than this are not kept


def verify(result: Result) -> Verification:
    """Recompute every kappa, its standard error (statsmodels, or slopes), and from these test, p and interval."""
    wide, pairs = wide_table(result), pair_columns(result)
    checks: list[Check] = []
    groups: dict[str | None, Any] = {None: wide}
    if result.settings["stratum"] is not None:
        groups |= {str(name): part for name, part in wide.groupby(stratum_of(result)[wide.index])}
    for group, part in groups.items():
        rows = {row.term: row for row in result.rows if row.group == group}
        if len(pairs) > MANY:
            checks += many_checks(rows, part, list(pairs), group, result)
            continue
        found = {name: Pair(part, a, b, result) for name, (a, b) in pairs.items()}
        for name, pair in found.items():
            if name in rows:
                checks += pair_checks(name, rows[name], pair, result)
        checks += [joint_check(rows[term], found) for term in JOINT if term in rows]
        checks += error_checks(rows, part, found, result)
    return Verification(checks=(*checks, *bootstrap_checks(result, sklearn_scheme(result), pairs)))


class Pair:
    """Two columns of ratings, on the units that have both."""

    def __init__(self, wide: pd.DataFrame, a: int, b: int, result: Result) -> None:
        both = wide[[a, b, "count"]].dropna()
        self.x, self.y = both[a].to_numpy(dtype=int), both[b].to_numpy(dtype=int)
        self.count = both["count"].to_numpy(dtype=float)
        self.index = both.index
        self.disagreement = 1 - np.asarray(result.extras["weights"])
        self.k = len(self.disagreement)
        self.whole = np.zeros((self.k, self.k))
        np.add.at(self.whole, (self.x, self.y), self.count)

    def sums(self) -> FloatArray:
        """Return n times the observed, and n times the expected disagreement."""
        n, seen, chance = self.parts()
        return np.array([n * seen, n * chance]) if n else np.zeros(2)

    def parts(self) -> tuple[float, float, float]:
        """Return n, observed and expected disagreement of the table."""
        return parts_of(self.whole, self.disagreement)


def wide_table(result: Result) -> pd.DataFrame:
    """One line a distinct row of ratings: the code of each rater's level, NaN where there is none, and its units.

    Only units of the same clusters and stratum are counted as alike; the index is that of the first of them.
    """
    import pandas as pd

    design = result.design
    value = design.value.astype(float)
    value[design.status != 0] = np.nan
    if result.settings["refusal"] == "level":
        value[design.status == 2] = len(design.levels)
    long = pd.DataFrame({"unit": design.unit, "rater": design.rater, "value": value})
    wide = long.pivot(index="unit", columns="rater", values="value").reindex(range(len(design.units)))
    wide = wide.reindex(columns=range(len(design.raters)))
    return counted(wide, design.unit_count, result)


def counted(wide: pd.DataFrame, copies: FloatArray, result: Result) -> pd.DataFrame:
    """Count alike units instead of listing them."""
    keys = wide.assign(**{f"c{k}": f.codes for k, f in enumerate(result.design.factors(result.settings["cluster"]))})
    if result.settings["stratum"] is not None:
        keys["stratum"] = stratum_of(result)
    group = keys.groupby(list(keys), dropna=False, sort=False).ngroup().to_numpy()
    first = np.unique(group, return_index=True)[1]
    return wide.iloc[first].assign(count=np.bincount(group, weights=copies))


def stratum_of(result: Result) -> AnyArray:
    """Stratum label of each unit."""
    design, name = result.design, result.settings["stratum"]
    factor = design.strata[name] if name in design.strata else design.factors(name)[0]
    labels: AnyArray = np.array(factor.levels, dtype=object)[factor.codes]
    return labels


def pair_columns(result: Result) -> dict[str, tuple[int, int]]:
    """Columns of each pair of raters, by the name of its row."""
    raters, pairs = list(result.design.raters), result.settings["pairs"]
    chosen = list(range(len(raters))) if isinstance(pairs, str) else [raters.index(name) for name in pairs]
    names = next(iter(result.extras["tables"].values()))
    return dict(zip(names, combinations(chosen, 2), strict=True))


def pair_checks(name: str, row: Row, pair: Pair, result: Result) -> list[Check]:
    """Compare one pair with statsmodels (all numbers) and scikit-learn (the value)."""
    from statsmodels.stats.inter_rater import cohens_kappa

    if row.estimate is None or row.n is None or row.method == "on_undefined=1.0":
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
        close = made | {"tolerance": 1e-8 * max(1.0, abs(z))}
        out.append(compare(f"z of {name}", row.statistic, z, **close))
    return [*out, sklearn_check(name, row, pair, result)]


def sklearn_check(name: str, row: Row, pair: Pair, result: Result) -> Check:
    """Compare with cohen_kappa_score where its weights are the same."""
    from sklearn.metrics import cohen_kappa_score

    chosen = sklearn_scheme(result)
    made: dict[str, Any] = {"package": "scikit-learn", "tolerance": TOLERANCE, "why": CLOSED}
    if chosen is None:
        return compare(f"kappa of {name}", row.estimate, None, **made, note="scikit-learn weighs positions only")
    scheme = None if chosen == "unweighted" else chosen
    score = cohen_kappa_score(pair.x, pair.y, labels=list(range(pair.k)), weights=scheme, sample_weight=pair.count)
    return compare(f"kappa of {name}", row.estimate, float(score), **made)


def sklearn_scheme(result: Result) -> str | None:
    """Name the weights that scikit-learn has too: it weighs the positions of the levels; None where it has them not."""
    chosen, scores = str(result.settings["weights"]), result.design.scores
    even = np.allclose(np.diff(scores, 2), 0) if len(scores) > 2 else True
    same = chosen in ("linear", "quadratic") and even and result.settings["refusal"] != "level"
    return chosen if chosen == "unweighted" or same else None


def joint_check(row: Row, found: Mapping[str, Pair]) -> Check:
    """Compare the mean with that of statsmodels' kappas, the pooled one with sums over units."""
    from statsmodels.stats.inter_rater import cohens_kappa

    parts = [pair.parts() for pair in found.values()]
    if row.term == "mean":
        kept = with_kappa(found)
        values = [float(cohens_kappa(pair.whole, weights=pair.disagreement).kappa) for pair in kept.values()]
        theirs = sum(values) / len(values) if values else None
        package = "statsmodels"
    else:
        theirs, package = pooled(parts), "numpy"
    if row.method == "on_undefined=1.0":
        theirs = None
    note = "the kappa does not exist" if theirs is None else ""
    return compare(row.term, row.estimate, theirs, package=package, tolerance=TOLERANCE, why=CLOSED, note=note)


def with_kappa(found: Mapping[str, Pair]) -> dict[str, Pair]:
    """Pairs of raters that have a kappa: those in the mean."""
    parts = {name: pair.parts() for name, pair in found.items()}
    return {name: found[name] for name, (n, _, de) in parts.items() if n >= 2 and de > LEAST}


def error_checks(rows: Mapping[str, Row], part: pd.DataFrame, found: Mapping[str, Pair], result: Result) -> list[Check]:
    """Compare errors by clusters, or of all pairs together, then test and interval of every row."""
    factors = result.design.factors(result.settings["cluster"])
    codes = codes_of(factors, part.index)
    settings, out = result.settings, []
    for term, row in rows.items():
        if row.estimate is None or row.conf_low is None or row.method == "on_undefined=1.0":
            continue
        pairs = with_kappa(found) if term == "mean" else found if term in JOINT else {term: found[term]}
        made: dict[str, Any] = {"package": "numpy", "tolerance": 1e-6, "why": SLOPE}
        lines = Lines(list(pairs.values()), part, codes)
        errors = lines.errors(term)
        if row.std_error is not None and settings["ci"] in CLOSED_CI and (factors or term in JOINT):
            small = 1.0 if factors else errors.df / (errors.df + 1)
            out.append(compare(f"s.e. of {term}", row.std_error, math.sqrt(errors.variance * small), **made))
        few = lines.disagreement_ends(row.estimate, settings["level"]) if settings["ci"] == "closed" else None
        told = settings
        if few is not None and (row.std_error is None or few[0] == 0 or (factors and few[0] < FEW)):
            ends = few[1:]
            if row.std_error is not None and few[0] > 0:
                fisher = fisher_ends(row.estimate, row.std_error, errors.df, settings["level"])
                ends = min(ends[0], fisher[0]), max(ends[1], fisher[1])
            out += end_checks(row, *ends)
            told = {**settings, "ci": "disagreements"}
        out += row_arithmetic(row, errors.df + 1, bool(factors), told)
    return out


class Lines:
    """Units that some pairs of raters rated, one by one, with their clusters."""

    def __init__(self, pairs: list[Pair], part: pd.DataFrame, codes: AnyArray) -> None:
        taking = part.index.isin({u for pair in pairs for u in pair.index})
        each = np.repeat(np.flatnonzero(taking), part["count"].to_numpy(dtype=int)[taking])
        self.pairs, self.size, self.each = pairs, len(part), each
        self.at = [part.index.get_indexer(pair.index) for pair in pairs]
        self.codes = codes[each]

    def errors(self, term: str) -> Errors:
        """Errors of a kappa, from its slope in the weight of every unit: the sum of its slopes in cells of tables."""
        total = np.zeros(self.size)
        for pair, at, slopes in zip(self.pairs, self.at, cell_slopes(self.pairs, term), strict=True):
            total[at] += slopes[pair.x, pair.y]
        n = len(self.each)
        return errors_by(total[self.each], np.full(n, 1 / n), self.codes)

    def disagreement_ends(self, value: float, level: float) -> tuple[float, float, float]:
        """Effective disagreements and the ends they give, of all pairs of raters together."""
        apart, weight = np.zeros((2, self.size))
        expected = 0.0
        for pair, at in zip(self.pairs, self.at, strict=True):
            top = float(pair.disagreement.max())
            apart[at] += pair.disagreement[pair.x, pair.y] / top
            weight[at] += 1.0
            n, _, de = pair.parts()
            expected += n * de / top if n else 0.0
        mean = np.divide(apart, weight, out=np.zeros_like(apart), where=weight > 0)
        expected /= float(weight[self.each].sum())
        return disagreement_ends(value, mean[self.each], weight[self.each], expected, self.codes, level)


def cell_slopes(pairs: Sequence[Pair], term: str) -> list[FloatArray]:
    """Derivatives of a kappa with respect to the count of each cell of each pair's table, (levels, levels)."""
    own = np.array([pair.sums() for pair in pairs])
    out = []
    for pair, mine in zip(pairs, own, strict=True):
        others = own.sum(axis=0) - mine if term == "pooled" else np.zeros(2)
        v, rows, columns, ends = pair.disagreement, pair.whole.sum(axis=1), pair.whole.sum(axis=0), []
        for step in (STEP, -STEP):  # one unit more, or less, in each cell
            seen = mine[0] + step * v
            chance = rows @ v @ columns + step * ((v @ columns)[:, None] + rows @ v) + step**2 * v
            ends.append(1 - (others[0] + seen) / (others[1] + chance / (rows.sum() + step)))
        out.append((ends[0] - ends[1]) / (2 * STEP) / (len(pairs) if term == "mean" else 1))
    return out


LEAST = 1e-12
Places = tuple[Any, Any]


def bootstrap_checks(result: Result, scheme: str | None, pairs: Mapping[str, tuple[int, int]]) -> list[Check]:
    """Compute the kappas of every resample from its own tables.

    Parameters
    ----------
    result : Result
    scheme : str or None
        What scikit-learn calls the weights: ``"unweighted"``, ``"linear"``, ``"quadratic"``; None where it has none
        that are the same.
    pairs : mapping of str to pair of int
        Raters of each pair, by the term of its row.
    """
    settings, design = result.settings, result.design
    if settings["ci"] not in RESAMPLED:
        return []
    codes = np.full((len(design.units), len(design.raters)), -1)
    level = np.where(design.status == 2, len(design.levels), design.value)
    given = (design.status == 0) | ((design.status == 2) & (settings["refusal"] == "level"))
    codes[design.unit[given], design.rater[given]] = level[given]
    clusters = [factor.codes for factor in design.factors(settings["cluster"])]
    out, stratum = [], settings["stratum"]
    for group in dict.fromkeys(row.group for row in result.rows):
        rows = {row.term: row for row in result.rows if row.group == group and row.conf_low is not None}
        among = np.ones(len(codes), dtype=bool)
        if group is not None:
            factor = design.strata[stratum] if stratum in design.strata else design.factors(stratum)[0]
            among = np.asarray(factor.codes == factor.levels.index(group))
        if rows:
            out += group_checks(result, rows, alike(codes, clusters, pairs, among, design.unit_count), scheme, pairs)
    return out


Alike = tuple[Any, Cells]


def alike(
    codes: Any, clusters: Sequence[Any], pairs: Mapping[str, tuple[int, int]], among: Any, count: FloatArray
) -> Alike:
    """Return the distinct rows of levels (-1: none), ascending by cluster and by rater, and the cells they are."""
    raters = list(dict.fromkeys(rater for pair in pairs.values() for rater in pair))
    kept = among & ((codes[:, raters] >= 0).sum(axis=1) >= 2)
    keys = np.column_stack([*clusters, codes[:, raters]])[kept]
    distinct, place = np.unique(keys, axis=0, return_inverse=True)
    k = len(clusters)
    wide = np.full((len(distinct), codes.shape[1]), -1)
    wide[:, raters] = distinct[:, k:]
    return wide, Cells.of(np.bincount(place.ravel(), count[kept]), distinct[:, :k].T)


def group_checks(
    result: Result, rows: dict[str, Row], found: Alike, scheme: str | None, names: Mapping[str, tuple[int, int]]
) -> list[Check]:
    """Compare the intervals of one group of units."""
    settings, (wide, cells) = result.settings, found
    apart = 1 - np.asarray(result.extras["weights"])
    pairs = [CellPair(wide, a, b, len(apart)) for a, b in names.values()]
    drawn = redrawn(
        cells, drawn_kappas(pairs, apart, cells.count), ci=settings["ci"], resamples=settings["resamples"],
        seed=settings["seed"], cost=len(pairs) * (1 + len(apart) ** 2 / 2000),
    )  # fmt: skip
    out = []
    for column, term in enumerate((*names, *JOINT)):
        if term in rows:
            out += resampled_checks(rows[term], drawn, settings["ci"], settings["level"], column=column)
    if drawn is not None and all(row.group is None for row in rows.values()):
        calls = max(1, SAMPLE // len(pairs))
        for column, (pair, term) in enumerate(zip(pairs, names, strict=True)):
            package = "statsmodels" if scheme is None else "scikit-learn"
            peer = statsmodels_kappa(pair, apart) if scheme is None else sklearn_kappa(pair, len(apart), scheme)
            mine, seed = drawn.replicates[:, column], settings["seed"]
            out += sampled_check(term, cells, mine, peer, seed=seed, package=package, calls=calls)
    return out


class CellPair:
    """Two raters: the cells that both rated, and the levels there."""

    def __init__(self, wide: Any, a: int, b: int, levels: int) -> None:
        first, second = wide[:, a], wide[:, b]
        self.there = np.flatnonzero((first >= 0) & (second >= 0))
        self.x, self.y = first[self.there], second[self.there]
        self.levels = levels

    def table(self, times: FloatArray) -> FloatArray:
        """Square table of the units of a resample."""
        table: FloatArray = tables_of([self], times)[0]
        return table


def tables_of(pairs: Sequence[CellPair], times: FloatArray, place: Places | None = None) -> FloatArray:
    """Square tables of the units of a resample, (pairs, levels, levels)."""
    k = pairs[0].levels
    there, cell = places_of(pairs) if place is None else place
    flat: FloatArray = np.bincount(cell, times[there], len(pairs) * k * k).astype(np.float64)
    return flat.reshape(len(pairs), k, k)


def places_of(pairs: Sequence[CellPair]) -> Places:
    """Return the cells of all pairs of raters one after the other, and their place in the flattened tables."""
    k = pairs[0].levels
    place = [p * k * k + k * pair.x + pair.y for p, pair in enumerate(pairs)]
    return np.concatenate([pair.there for pair in pairs]), np.concatenate(place)


def drawn_kappas(pairs: Sequence[CellPair], apart: FloatArray, count: FloatArray) -> Statistic:
    """Return the function from the rows of each cell to the kappa of each pair, their mean and the pooled kappa.

    The mean is that of the pairs which have a kappa, on two units or more, in the sample itself.
    """
    place = places_of(pairs)
    whole, _, expected = disagreements(tables_of(pairs, count, place), apart)
    used = (whole >= 2) & (expected > LEAST * whole)

    def statistic(times: FloatArray) -> list[float]:
        n, seen, chance = disagreements(tables_of(pairs, times, place), apart)
        known = chance > LEAST * n
        single = np.where(known, 1 - seen / np.where(known, chance, 1.0), np.nan)
        kept = single[used & known]
        joint = float(chance.sum()) > LEAST * float(n.sum())
        pooled = 1 - float(seen.sum()) / float(chance.sum()) if joint else math.nan
        return [*single.tolist(), float(kept.mean()) if len(kept) else math.nan, pooled]

    return statistic


def disagreements(tables: FloatArray, apart: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Units of each table, and how far they are apart in all, seen and by chance, each (pairs,)."""
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    n = rows.sum(axis=1)
    chance = ((rows @ apart) * columns).sum(axis=1) / np.maximum(n, 1.0)
    return n, (tables * apart).sum(axis=(1, 2)), chance


def statsmodels_kappa(pair: CellPair, apart: FloatArray) -> Statistic:
    """statsmodels' kappa of the units of a resample."""
    from statsmodels.stats.inter_rater import cohens_kappa

    def kappa(times: FloatArray) -> Any:
        with np.errstate(all="ignore"):
            return cohens_kappa(pair.table(times), weights=apart, return_results=False)

    return kappa


def sklearn_kappa(pair: CellPair, levels: int, scheme: str) -> Statistic:
    """scikit-learn's kappa of the ratings of a resample."""
    from sklearn.metrics import cohen_kappa_score

    def kappa(times: FloatArray) -> Any:
        n = times[pair.there].astype(np.int64)
        weights = None if scheme == "unweighted" else scheme
        return cohen_kappa_score(
            np.repeat(pair.x, n), np.repeat(pair.y, n), labels=list(range(levels)), weights=weights
        )

    return kappa

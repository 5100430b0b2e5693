"""Weighted kappa once more: statsmodels and scikit-learn on expanded ratings, and slopes of a direct computation.

statsmodels takes a matrix as *disagreement* weights, and scikit-learn sorts labels and weighs their positions: each is
called with what it needs, or named as unable.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.clusters import FEW, Errors, codes_of, disagreement_ends, errors_by, fisher_ends
from socialstats.crosscheck.kappa_resamples import bootstrap_checks
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.pair_kappas import (
    CLOSED,
    JOINT,
    LEAST,
    TOLERANCE,
    many_checks,
    parts_of,
    pooled,
    row_arithmetic,
)
from socialstats.crosscheck.row_arithmetic import end_checks
from socialstats.designs.parts import AnyArray
from socialstats.results import Check, FloatArray, Result, Row, Verification

if TYPE_CHECKING:
    import pandas as pd

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

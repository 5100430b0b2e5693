"""Relationship bias once more: pandas' group means, errors by clusters, McNemar and t elsewhere.

The table is read from the design again, one record an answer, with labels for everything; B is a contrast of the
means of cells. Every number of every row is compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.clusters import crossing, errors_by
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.paired_tables import MOST_ROWS, TOO_MANY, near, set_aside
from socialstats.crosscheck.resamples import CLOSE, WHY, Cells, Redrawn, redrawn
from socialstats.crosscheck.row_arithmetic import (
    adjusted_p,
    end_checks,
    label,
    relative,
    same_p,
    statistic_checks,
    t_ends,
)
from socialstats.designs.ratings import Ratings
from socialstats.results import Check, FloatArray, Result, Row, Verification

if TYPE_CHECKING:
    import pandas as pd

CELL = ["level", "rater", "group_first", "group_second"]
Key = tuple[str, Any, str, str]  # level of the stratum ("" for all answers), rater, groups of both names


def records(result: Result) -> pd.DataFrame:
    """Return one record an answer, repeated by its count (each copy is a unit): labels, score and clusters.

    ``rater`` is 0 where raters are pooled, ``who`` who answered; ``stratum`` the level of the stratum, if there is one.
    """
    import pandas as pd

    design: Ratings = result.design
    options = result.settings
    known = {**design.strata, **{f.name: f for f in design.clusters}}
    ok = design.status == 0
    unit = design.unit[ok]
    first = design.levels[np.flatnonzero([same(v, options["answers"][0]) for v in design.levels])[0]]
    table = pd.DataFrame({
        "score": np.where(np.array(design.levels, dtype=object)[design.value[ok]] == first, -1.0, 1.0),
        "rater": design.rater[ok] if options["aggregate"] == "rater" else 0, "who": design.rater[ok], "row": unit,
    })  # fmt: skip
    names = {name: options[name] for name in ("scenario", "pair", "group_first", "group_second")}
    if options["stratum"] is not None:
        names["stratum"] = options["stratum"]
    for part, name in names.items():
        table[part] = np.array(known[name].levels, dtype=object)[known[name].codes[unit]]
    for k, factor in enumerate(design.factors(options["cluster"])):
        table[f"g{k}"] = factor.codes[unit]
    table = table.loc[table.index.repeat(design.unit_count[unit].astype(int))]
    table["copy"] = table.groupby(level=0).cumcount()
    table = table[table[["group_first", "group_second"]].isin(result.extras["groups"]).all(axis=1)]
    table = complete(table) if options["couples"] == "complete" else table
    return table.assign(unit=table.groupby(["row", "copy"]).ngroup()).reset_index(drop=True)


def same(label: str, answer: Any) -> bool:
    """Tell whether a label is this answer, as text or as a number."""
    try:
        return float(label) == float(answer)
    except (TypeError, ValueError):
        return label == str(answer)


def complete(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out couples of two groups with answers in one order only."""
    groups = table[["group_first", "group_second"]]
    kind = groups.apply(lambda r: " / ".join(sorted(map(str, r))), axis=1)
    orders = table.groupby([table["scenario"], table["pair"], table["who"], kind])["group_first"].transform("nunique")
    return table[(orders == 2) | (table["group_first"] == table["group_second"])]


def weighted(table: pd.DataFrame, aggregate: str, level: str = "") -> pd.DataFrame:
    """Return the answers of a level with the weight of each in the mean of its cell (alike, or scenarios alike)."""
    mine = table if level == "" else table[table["stratum"] == level]
    mine = mine.assign(level=level, w=1.0)
    if aggregate == "scenario":
        mine["w"] = 1 / mine.groupby([*CELL, "scenario"])["score"].transform("size")
    return mine


def cell_means(table: pd.DataFrame) -> dict[Key, float]:
    """Weighted mean of each cell: level, rater, both groups."""
    total = table.assign(x=table["w"] * table["score"]).groupby(CELL)[["x", "w"]].sum()
    found: dict[Any, float] = (total["x"] / total["w"]).to_dict()
    return found


def bias_contrasts(means: dict[Key, float], a: str, b: str, level: str = "") -> list[dict[Key, float]]:
    """B_ab = S_ba - S_ab of each rater who has both orders, as coefficients of cells."""
    raters = sorted({key[1] for key in means if key[0] == level})
    each = [{(level, r, b, a): 1.0, (level, r, a, b): -1.0} for r in raters]
    return [one for one in each if set(one) <= set(means)]


def score_contrasts(means: dict[Key, float], a: str, b: str, level: str = "") -> list[dict[Key, float]]:
    """S_ab of each rater who has it."""
    return [{key: 1.0} for key in sorted(means) if (key[0], key[2], key[3]) == (level, a, b)]


def position_contrasts(means: dict[Key, float], level: str = "") -> list[dict[Key, float]]:
    """Mean of the scores of couples of one group, of each rater who has some."""
    found = []
    for r in sorted({key[1] for key in means if key[0] == level}):
        own = [key for key in means if key[:2] == (level, r) and key[2] == key[3]]
        found.append(dict.fromkeys(own, 1 / len(own)) if own else {})
    return [one for one in found if one]


def mean_contrast(each: list[dict[Key, float]]) -> dict[Key, float]:
    """Average the coefficients over raters."""
    return {key: value / len(each) for one in each for key, value in one.items()}


def value_of(contrast: dict[Key, float], means: dict[Key, float]) -> float:
    """Return the value of a contrast."""
    return float(sum(c * means[key] for key, c in contrast.items()))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """Weighted answers, those of several levels one below the other.

    Attributes
    ----------
    cell : (answers,) int array
    off : (answers,) float64 array
        What an answer adds to the mean of its cell: its deviation times its share of the weight.
    unit : (answers,) int array
    groups : (answers, factors) int array
        Without `declared` clusters the unit.
    row : (answers,) int array
        Cells of the design.
    size : int
        Number of cells.
    """

    cell: Any
    off: FloatArray
    unit: Any
    groups: Any
    declared: bool
    row: Any
    size: int

    @classmethod
    def of(cls, table: pd.DataFrame) -> Answers:
        """Read `couple_records.weighted` tables with the code of their ``cell``."""
        cell, w = table["cell"].to_numpy(), table["w"].to_numpy()
        share = w / np.bincount(cell, w)[cell]
        off = share * (table["score"].to_numpy() - np.bincount(cell, share * table["score"])[cell])
        names = [name for name in ("g0", "g1") if name in table]
        return cls(
            cell=cell, off=off, unit=table["unit"].to_numpy(), groups=crossing(table[names or ["unit"]].to_numpy()),
            declared=bool(names), row=crossing(table[["row"]].to_numpy())[:, 0], size=int(cell.max()) + 1,
        )  # fmt: skip

    def error(self, contrast: dict[Key, float], cells: dict[Key, int]) -> tuple[float, float]:
        """Standard error and degrees of freedom of a contrast; NaN where there is one cluster only.

        CR2 with the residuals of the saturated regression; a cluster's share is that of the units.
        """
        there, times = np.zeros(self.size, dtype=bool), np.zeros(self.size)
        for key, value in contrast.items():
            there[cells[key]], times[cells[key]] = True, value
        at = np.flatnonzero(there[self.cell])
        first = np.zeros(len(at))
        first[np.unique(self.unit[at], return_index=True)[1]] = 1.0
        groups = crossing(self.groups[at]) if self.groups.shape[1] == 2 else self.groups[at]
        found = errors_by(self.off[at] * times[self.cell[at]], first / first.sum(), groups)
        return math.sqrt(found.variance), found.df

    def correlations(self, contrasts: list[dict[Key, float]], cells: dict[Key, int]) -> FloatArray:
        """Correlations of contrasts: products of the sums of their influences in clusters, added over factors."""
        times = np.zeros((self.size, len(contrasts)))
        for k, contrast in enumerate(contrasts):
            times[[cells[key] for key in contrast], k] = list(contrast.values())
        at = np.flatnonzero((times != 0).sum(axis=1)[self.cell])
        total = np.zeros((len(contrasts), len(contrasts)))
        for column in (self.groups if self.declared else self.row[:, None])[at].T:
            sums = np.bincount(column * self.size + self.cell[at], self.off[at], (column.max() + 1) * self.size)
            moved = sums.reshape(-1, self.size) @ times
            many = len(np.unique(column))
            total += moved.T @ moved * many / max(many - 1, 1)
        spread = np.sqrt(np.diag(total))
        return np.asarray(total / np.outer(spread, spread))


DRAWS = 20_000  # of the library
MC_DRAWS, MC_WIDTH = 20_000, 5.0
SAME_DRAWS, ROOTS_CLOSE = "the same draws, every size weighed anew", 1e-6
STEP = 1e-7  # of the engine: draws are steps, which may cross the line more than once
MOST = 2.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sizes:
    """Every B of a level of the stratum: value, standard error, df, weight, its pair of groups, and correlations."""

    value: FloatArray
    error: FloatArray
    df: FloatArray
    weight: FloatArray
    pair: list[str]
    correlation: FloatArray

    @property
    def size(self) -> float:
        """B_all."""
        return float(np.average(np.abs(self.value), weights=self.weight))

    def draws(self, normal: FloatArray, square: Any) -> FloatArray:
        """Errors from correlated normals and a source of chi-squares, one for each pair of groups, by name."""
        found = normal.copy()
        for pair in sorted(set(self.pair)):
            own = [k for k, name in enumerate(self.pair) if name == pair]
            df = float(self.df[own].min())
            found[:, own] /= np.sqrt(square(df) / df)[:, None]
        return np.asarray(found * self.error)


def sizes_of(
    answers: Answers, means: dict[Key, float], cells: dict[Key, int], pairs: list[tuple[str, str, str]], level: str
) -> Sizes | None:
    """Read every B of a level, with its error; None where an error is not known."""
    kept = [(a, b, one) for _, a, b in pairs for one in [bias_contrasts(means, a, b, level)] if one]
    listed = [(f"{min(a, b)} / {max(a, b)}", c, 1 / len(one) / len(kept)) for a, b, one in kept for c in one]
    if not listed:
        return None
    found = np.array([answers.error(contrast, cells) for _, contrast, _ in listed])
    if not np.all(found[:, 0] > 0):
        return None
    contrasts = [contrast for _, contrast, _ in listed]
    return Sizes(
        value=np.array([value_of(c, means) for c in contrasts]), error=found[:, 0], df=found[:, 1],
        weight=np.array([w for _, _, w in listed]), pair=[name for name, _, _ in listed],
        correlation=answers.correlations(contrasts, cells),
    )  # fmt: skip


def corrected(sizes: Sizes) -> float:
    """B_all less the excess of folded normal means."""
    from scipy.stats import foldnorm

    means = foldnorm.mean(np.abs(sizes.value) / sizes.error, scale=sizes.error)
    return max(sizes.size - float(np.average(means - np.abs(sizes.value), weights=sizes.weight)), 0.0)


def nearest(sizes: Sizes, size: float) -> FloatArray:
    """Values of a mean size nearest to the estimates, the Lagrange multiplier by a root."""
    from scipy.optimize import brentq

    rate = sizes.weight * sizes.error**2
    least = -(MOST + 1) / float(sizes.weight @ rate)
    most = float((np.abs(sizes.value) / rate).max())

    def off(multiplier: float) -> float:
        return float(np.maximum(np.abs(sizes.value) - multiplier * rate, 0.0) @ sizes.weight) - size

    at = most if size <= 0 else float(brentq(off, least, most, xtol=1e-14 * max(1.0, most), rtol=1e-14))
    return np.asarray(np.sign(sizes.value) * np.maximum(np.abs(sizes.value) - at * rate, 0.0))


def ends(sizes: Sizes, seed: int, level: float) -> tuple[float, float]:
    """Both ends: the sizes at which the observed one is the upper, and the lower, quantile of the seeded draws."""
    from scipy.optimize import brentq

    rng = np.random.Generator(np.random.PCG64(seed))
    left, roots, _ = np.linalg.svd(sizes.correlation, hermitian=True)
    normal = rng.standard_normal((DRAWS, len(sizes.value))) @ (left @ np.diag(np.sqrt(roots)) @ left.T)
    errors = sizes.draws(normal, lambda df: rng.chisquare(df, DRAWS))

    def beyond(size: float, percent: float) -> float:
        found = np.abs(errors + nearest(sizes, size)) @ sizes.weight
        return float(np.percentile(found, percent)) - sizes.size

    few, many = 50 * (1 - level), 50 * (1 + level)
    low = 0.0 if beyond(0.0, many) >= 0 else float(brentq(beyond, 0.0, sizes.size, (many,), STEP))
    if beyond(sizes.size, few) >= 0:
        high = sizes.size
    elif beyond(MOST, few) <= 0:
        high = MOST
    else:
        high = float(brentq(beyond, sizes.size, MOST, (few,), STEP))
    better = corrected(sizes)
    return min(low, better), max(high, better)


def size_checks(
    plain: Row, better: Row, sizes: Sizes | None, settings: Mapping[str, Any], *, closed: bool
) -> list[Check]:
    """Compare B_all corrected, and (closed) the interval of both rows."""
    if sizes is None or better.estimate is None:
        return []
    checks = [near(label(better), better.estimate, corrected(sizes), "scipy", "the same integral in another form")]
    if not closed or plain.conf_low is None:
        return checks
    low, high = ends(sizes, settings["seed"], settings["level"])
    return checks + [c for row in (plain, better) for c in end_checks(row, low, high, "scipy", SAME_DRAWS, ROOTS_CLOSE)]


def gap_checks(gap: Row, one: Row, two: Row) -> list[Check]:
    """Compare a difference of B_all corrected, and its interval from those of both levels (Zou & Donner 2008)."""
    if gap.estimate is None:
        return []
    a, b = (np.array([row.estimate, row.conf_low, row.conf_high], dtype=np.float64) for row in (one, two))
    low = a[0] - b[0] - np.sqrt((a[0] - a[1]) ** 2 + (b[2] - b[0]) ** 2)
    high = a[0] - b[0] + np.sqrt((a[2] - a[0]) ** 2 + (b[0] - b[1]) ** 2)
    return [near(label(gap), gap.estimate, float(a[0] - b[0]), "numpy"),
            near(label(gap, "n"), gap.n, (one.n or 0.0) + (two.n or 0.0), "numpy"),
            *end_checks(gap, float(low), float(high), "numpy", "the intervals of both levels")]  # fmt: skip


def null_checks(row: Row, sizes: Sizes | None) -> list[Check]:
    """Compare the mean of B_all without any bias, and its test with draws of scipy's normals and chi-squares."""
    from scipy import stats

    if row.estimate is None or row.p_value is None or sizes is None:
        return []
    rng = np.random.default_rng(1)
    normals: Any = stats.multivariate_normal(cov=sizes.correlation, allow_singular=True)
    normal = np.reshape(normals.rvs(MC_DRAWS, random_state=rng), (MC_DRAWS, -1))
    drawn = sizes.draws(normal, lambda df: stats.chi2(df).rvs(MC_DRAWS, random_state=rng))
    p = float(np.mean(np.abs(drawn) @ sizes.weight >= sizes.size))
    error = MC_WIDTH * np.sqrt(row.p_value * (1 - row.p_value) * (1 / MC_DRAWS + 1 / DRAWS)) + 2 / MC_DRAWS
    why = f"{MC_DRAWS:,} draws of scipy: {MC_WIDTH:g} Monte-Carlo standard errors"
    mean = float(sizes.weight @ sizes.error * stats.halfnorm.mean())
    return [
        near(label(row, "mean"), row.estimate, mean, "scipy", "the same sandwich from another implementation", 1e-7),
        near(label(row, "statistic"), row.statistic, sizes.size, "pandas"),
        relative(label(row, "df"), row.df, float(sizes.df.min()), "statsmodels"),
        compare(label(row, "p"), row.p_value, p, package="scipy", tolerance=float(error), why=why),
    ]  # fmt: skip


TOO_MANY_DRAWS = "too many resamples of too many answers to compute one by one"


def resampled(
    result: Result, table: pd.DataFrame, contrasts: list[dict[Key, float]], sizes: list[list[dict[Key, float]]]
) -> Redrawn | None:
    """Compute contrasts, and last B_all, of every resample; None where that takes too long.

    Parameters
    ----------
    result : Result
    table : DataFrame
        Weighted answers.
    contrasts : list of mappings
    sizes : list of lists of mappings
        B of each rater, for each pair of groups.
    """
    design: Any = result.design
    cells = Cells.of(design.unit_count, [f.codes for f in design.factors(result.settings["cluster"])])
    place, keys = table.groupby(CELL).ngroup().to_numpy(), sorted(set(table[CELL].itertuples(index=False, name=None)))
    row, score, weight = (table[name].to_numpy() for name in ("row", "score", "w"))
    copies = cells.count[row]

    def statistic(times: FloatArray) -> FloatArray:
        now = weight * times[row] / copies
        total = np.bincount(place, now, len(keys))
        own = np.bincount(place, now * score, len(keys)) / np.where(total > 0, total, np.nan)
        means = dict(zip(keys, own.tolist(), strict=True))
        size = np.mean([np.mean([abs(value_of(c, means)) for c in one]) for one in sizes if one])
        return np.array([*(value_of(c, means) for c in contrasts), size])

    return redrawn(cells, statistic, ci="percentile", resamples=result.settings["resamples"],
                   seed=result.settings["seed"], cost=3.0)  # fmt: skip


def term_ends(row: Row, drawn: Redrawn | None, column: int, result: Result, reach: float) -> list[Check]:
    """Compare the percentile or basic interval of B or S, cut at what it can reach."""
    if row.conf_low is None:
        return []
    if drawn is None:
        return [compare(label(row, "bootstrap"), row.conf_low, None, package="numpy", tolerance=0, why=WHY,
                        note=TOO_MANY_DRAWS)]  # fmt: skip
    low, high = drawn.ends(result.settings["ci"], column, result.settings["level"])
    return end_checks(row, max(low, -reach), min(high, reach), "numpy", WHY, CLOSE)


def overall_ends(rows: list[Row], drawn: Redrawn | None, level: float) -> list[Check]:
    """Compare interval and standard error of B_all and B_all corrected.

    From below the basic interval less the bias, from above the percentile one, cut at 0 and 2, widened to both.
    """
    known = [row for row in rows if row.conf_low is not None]
    if not known:
        return []
    if drawn is None:
        return [compare(label(row, "bootstrap"), row.conf_low, None, package="numpy", tolerance=0, why=WHY,
                        note=TOO_MANY_DRAWS) for row in known]  # fmt: skip
    last = drawn.replicates.shape[1] - 1
    bias = float(np.nanmean(drawn.replicates[:, last]) - drawn.estimate[last])
    held = [row.estimate for row in rows if row.estimate is not None]
    low = min(max(drawn.ends("basic", last, level)[0] - bias, 0.0), *held, 2.0)
    high = max(min(drawn.ends("percentile", last, level)[1], 2.0), *held, 0.0)
    checks = []
    for row in known:
        checks += end_checks(row, low, high, "numpy", WHY, CLOSE)
        if row.std_error is not None:
            found = drawn.std_error(last)
            checks.append(relative(label(row, "s.e. of the resamples"), row.std_error, found, "numpy", WHY, CLOSE))
    return checks


MC_WIDTH = 5.0
WITH_T, LESS = "scipy's t test", "exact p less the point probability"
EXACT_FLIPS = 13


def scenario_values(table: pd.DataFrame, a: str, b: str) -> FloatArray:
    """One difference a scenario and rater (rows and columns), NaN where an order is missing."""
    means = table.groupby(["scenario", "rater", "group_first", "group_second"])["score"].mean().unstack([2, 3])
    if (a, b) not in means or (b, a) not in means:
        return np.empty((0, 1))
    return (means[b, a] - means[a, b]).unstack("rater").dropna(how="all").to_numpy(dtype=np.float64)


def scenario_checks(row: Row, flip: Row, values: FloatArray, level: float) -> list[Check]:
    """Every number of the t test of scenarios' differences, and of their sign flips."""
    from scipy import stats

    if not len(values):
        return []
    mean = np.nanmean(values, axis=1)
    n = float(len(mean))
    checks = [near(label(r, "n"), r.n, n, "pandas") for r in (row, flip)]
    if row.estimate is not None:
        checks.append(near(label(row), row.estimate, float(mean.mean()), "pandas"))
    if row.std_error is not None:
        test = stats.ttest_1samp(mean, 0.0)
        ends = test.confidence_interval(level)
        checks += [
            relative(label(row, "s.e."), row.std_error, float(stats.sem(mean))),
            relative(label(row, "statistic"), row.statistic, float(test.statistic), size=1e-6),
            relative(label(row, "df"), row.df, float(test.df)),
            same_p(label(row, "p"), row.p_value, float(test.pvalue), "scipy", WITH_T),
            *end_checks(row, max(float(ends.low), -2.0), min(float(ends.high), 2.0)),
        ]
    if flip.p_value is not None:
        checks.append(near(label(flip, "sum"), flip.statistic, float(mean.sum()), "pandas"))
        checks.append(flip_check(mean[:, None], np.ones(1), flip))
    return checks


def flip_check(values: FloatArray, weight: FloatArray, row: Row) -> Check:
    """Sign flips of rows by scipy, exact or within their Monte-Carlo error; the statistic is sum of w abs(mean)."""
    from scipy import stats

    n = (~np.isnan(values)).sum(axis=0)
    filled = np.nan_to_num(values)
    exact = len(values) <= EXACT_FLIPS
    draws = 2 ** len(values) if exact else 4999

    def size(index: FloatArray, axis: int) -> FloatArray:
        sign = np.moveaxis(np.sign(index), axis, -1)
        return np.asarray(np.round(np.abs(sign @ filled / n) @ weight, 12))

    permuted: Any = stats.permutation_test
    found = permuted(
        (np.ones(len(values)),), size, permutation_type="samples", vectorized=True, alternative="greater",
        n_resamples=np.inf if exact else draws, rng=np.random.default_rng(1),
    )  # fmt: skip
    p = row.p_value or 0.0
    if exact:
        return same_p(label(row, "p"), p, float(found.pvalue), "scipy", "all patterns of signs")
    error = MC_WIDTH * np.sqrt(p * (1 - p) * (1 / draws + 1e-4)) + 2 / draws
    why = f"{draws:,} random flips: {MC_WIDTH:g} Monte-Carlo standard errors"
    return compare(label(row, "p"), p, float(found.pvalue), package="scipy", tolerance=float(error), why=why)


def overall_flip_checks(result: Result, table: pd.DataFrame, pairs: list[tuple[str, str, str]]) -> list[Check]:
    """Sign flips of all groups' differences together."""
    row = result.row("B_all", group="scenario sign flip")
    if row.p_value is None:
        return []
    parts = [one for _, a, b in pairs for one in [wide_values(table, a, b)] if one is not None]
    values = np.hstack(aligned(parts))
    weight = np.concatenate([np.full(p.shape[1], 1 / p.shape[1] / len(parts)) for p in parts])
    values = values[~np.isnan(values).all(axis=1)]
    observed = float(np.abs(np.nanmean(values, axis=0)) @ weight)
    n = float(table["scenario"].nunique())
    return [near(label(row, "n"), row.n, n, "pandas"), near(label(row), row.statistic, observed, "pandas"),
            flip_check(values, weight, row)]  # fmt: skip


def wide_values(table: pd.DataFrame, a: str, b: str) -> pd.DataFrame | None:
    """Differences with scenarios as rows, and the raters who have both orders as columns."""
    means = table.groupby(["scenario", "rater", "group_first", "group_second"])["score"].mean().unstack([2, 3])
    if (a, b) not in means or (b, a) not in means:
        return None
    whole = cell_means(weighted(table, "pooled"))
    raters = [next(iter(one))[1] for one in bias_contrasts(whole, a, b)]
    found: pd.DataFrame = (means[b, a] - means[a, b]).unstack("rater")
    return found[raters] if raters else None


def aligned(parts: list[pd.DataFrame]) -> list[FloatArray]:
    """Return the parts with the same scenarios in the same order."""
    scenarios = sorted({s for part in parts for s in part.index})
    return [part.reindex(scenarios).to_numpy(dtype=np.float64) for part in parts]


def couple_table(table: pd.DataFrame, a: str, b: str) -> FloatArray:
    """2 x 2 table of complete couples: who is chosen with a first, by who is chosen with b first."""
    mine = table[table["group_first"].isin((a, b)) & table["group_second"].isin((a, b))]
    mine = mine[mine["group_first"] != mine["group_second"]].assign(
        favours_a=lambda t: (t["score"] == -1.0) == (t["group_first"] == a),
        copy=lambda t: t.groupby(["scenario", "pair", "who", "group_first"]).cumcount(),
    )
    keys = ["scenario", "pair", "who", "copy"]
    wide = mine.pivot_table(index=keys, columns="group_first", values="favours_a", aggfunc="first")
    wide = wide.reindex(columns=[a, b]).dropna()
    one, two = wide[a].astype(bool), wide[b].astype(bool)
    # McNemar's margins are "the first place is chosen": a with a first, not a with b first
    cells = [[(one & ~two).sum(), (one & two).sum()], [(~one & ~two).sum(), (~one & two).sum()]]
    return np.array(cells, dtype=np.float64)


def mcnemar_checks(chi: Row, mid: Row, cells: FloatArray) -> list[Check]:
    """Every number of both tests of complete couples."""
    from scipy.stats import binom
    from statsmodels.stats.contingency_tables import mcnemar

    if chi.undefined or not cells.sum():
        return []
    for_a, for_b = cells[0, 1], cells[1, 0]
    checks = [near(label(chi), chi.estimate, 2 * (for_a - for_b) / cells.sum(), "pandas"),
              *(near(label(row, "couples"), row.n, float(cells.sum()), "pandas") for row in (chi, mid)),
              near(label(chi, "discordant"), chi.n_units, for_a + for_b, "pandas")]  # fmt: skip
    if not for_a + for_b:
        return checks
    plain, exact = mcnemar(cells, exact=False, correction=False), mcnemar(cells, exact=True).pvalue
    half = exact - binom.pmf(min(for_a, for_b), for_a + for_b, 0.5)
    return [
        *checks, relative(label(chi, "statistic"), chi.statistic, float(plain.statistic), "statsmodels", size=1e-6),
        near(label(chi, "df"), chi.df, 1.0, "statsmodels"),
        same_p(label(chi, "p"), chi.p_value, float(plain.pvalue), "statsmodels"),
        near(label(mid, "first group"), mid.statistic, float(for_a), "pandas"),
        same_p(label(mid, "p"), mid.p_value, float(half) if for_a != for_b else 1.0, "statsmodels", LESS),
    ]  # fmt: skip


def size_of(means: dict[Key, float], pairs: list[tuple[str, str, str]], level: str) -> float:
    """B_all: the mean over pairs of groups of the raters' mean abs(B)."""
    each = [bias_contrasts(means, a, b, level) for _, a, b in pairs]
    return float(np.mean([np.mean([abs(value_of(c, means)) for c in one]) for one in each if one]))


SAME = "the same means in another order of arithmetic"
SANDWICH = "CR2 by sums of clusters, on deviations from the means of cells"


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A row that is a contrast of cell means: its coefficients rater by rater, and what it can reach."""

    row: Row
    parts: list[dict[Key, float]]
    reach: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recount:
    """What everything is recomputed from.

    Attributes
    ----------
    result : Result
    plain : DataFrame
        Records.
    table : DataFrame
        The same with weights, those of each level of the stratum below those of all answers; `answers` for errors.
    means, cells : mapping
        Means of the cells of `table`, and their codes.
    pairs : list of (term, first group, second group)
    levels : tuple of str
        Of the stratum.
    """

    result: Result
    plain: pd.DataFrame
    table: pd.DataFrame
    answers: Answers
    means: dict[Key, float]
    cells: dict[Key, int]
    pairs: list[tuple[str, str, str]]
    levels: tuple[str, ...]

    @property
    def size(self) -> FloatArray:
        """Answers of each cell."""
        return np.bincount(self.answers.cell).astype(np.float64)

    def error(self, contrast: dict[Key, float]) -> tuple[float, float]:
        """Standard error and degrees of freedom of a contrast."""
        return self.answers.error(contrast, self.cells)

    def sizes(self, level: str) -> Sizes | None:
        """Every B of a level of the stratum, or of all answers (empty text)."""
        return sizes_of(self.answers, self.means, self.cells, self.pairs, level)

    def rows(self, group: str) -> dict[str, Row]:
        """Rows of a group by their terms."""
        return {row.term: row for row in self.result.rows if row.group == group}


def verify(result: Result) -> Verification:
    """Recompute every row: B, S, B_all, levels of the stratum and their differences, and the tests beside them."""
    counted = recount(result)
    made = (main_checks, level_checks, scenario_rows, mcnemar_rows, without_bias)
    return Verification(checks=tuple(check for checks_of in made for check in checks_of(counted)))


def recount(result: Result) -> Recount:
    """Read the records, and average them in every cell."""
    import pandas as pd

    plain = records(result)
    stratum = result.settings["stratum"]
    levels = tuple(sorted(set(plain["stratum"]))) if stratum is not None else ()
    aggregate = result.settings["aggregate"]
    table = pd.concat([weighted(plain, aggregate, level) for level in ("", *levels)], ignore_index=True)
    table["cell"] = table.groupby(CELL).ngroup()
    first = table.drop_duplicates("cell")
    cells = dict(zip(first[CELL].itertuples(index=False, name=None), first["cell"].tolist(), strict=True))
    groups = result.extras["groups"]
    terms = {row.term for row in result.rows if row.group == "bias"}
    every = [(f"{a} - {b}", a, b) for i, a in enumerate(groups) for b in groups[i + 1 :]]
    return Recount(result=result, plain=plain, table=table, answers=Answers.of(table), means=cell_means(table),
                   cells=cells, levels=levels, pairs=[one for one in every if one[0] in terms])  # fmt: skip


def main_terms(counted: Recount) -> Iterator[Term]:
    """Every B, S and effect of the position of all answers."""
    biases, position, score, mean = (counted.rows(g) for g in ("bias", "position", "score", "position, mean"))
    for term, a, b in counted.pairs:
        yield Term(row=biases[term], parts=bias_contrasts(counted.means, a, b), reach=2.0)
    for a in counted.result.extras["groups"]:
        for b in counted.result.extras["groups"]:
            row = position.get(a) if a == b else score.get(f"{a}, {b}")
            if row is not None:
                yield Term(row=row, parts=score_contrasts(counted.means, a, b), reach=1.0)
    for row in mean.values():
        yield Term(row=row, parts=position_contrasts(counted.means), reach=1.0)


def term_checks(counted: Recount, term: Term, *, closed: bool = True) -> list[Check]:
    """Compare estimate, n, standard error, df, t, p and (closed) the t interval of a contrast."""
    row, settings = term.row, counted.result.settings
    if row.estimate is None or not term.parts:
        return [compare(label(row), row.estimate, None, package="pandas", tolerance=0, why=SAME)] if term.parts else []
    contrast = mean_contrast(term.parts)
    checks = [near(label(row), row.estimate, value_of(contrast, counted.means), "pandas", SAME)]
    if row.n is not None:
        n = counted.size[[counted.cells[key] for key in contrast]].sum()
        checks.append(near(label(row, "n"), row.n, float(n), "pandas", SAME))
    if row.std_error is None:
        return checks
    if len(counted.plain) > MOST_ROWS:
        return [*checks, set_aside(label(row, "s.e."), row.std_error, None, "statsmodels", TOO_MANY)]
    error, df = counted.error(contrast)
    checks.append(near(label(row, "s.e."), row.std_error, error, "numpy", SANDWICH, 1e-7))
    checks += statistic_checks(row, df=df)
    if closed:
        checks += t_ends(row, settings["level"], df, cut=(-term.reach, term.reach))
    return checks


def main_checks(counted: Recount) -> list[Check]:
    """Compare all answers' B, S, positions and B_all, with Holm's adjustment and the bootstrap."""
    settings = counted.result.settings
    terms = [term for term in main_terms(counted) if term.parts]
    closed = settings["ci"] == "closed"
    checks = [check for term in terms for check in term_checks(counted, term, closed=closed)]
    checks += holm_checks([row for row in counted.result.rows if row.group == "bias"])
    whole = counted.table[counted.table["level"] == ""]
    sizes = [bias_contrasts(counted.means, a, b) for _, a, b in counted.pairs]
    listed = [mean_contrast(term.parts) for term in terms]
    rows = list(counted.rows("overall").values())
    if not closed and any(row.conf_low is not None for row in (*rows, *(t.row for t in terms))):
        drawn = resampled(counted.result, whole, listed, sizes)
        checks += [c for k, t in enumerate(terms) for c in term_ends(t.row, drawn, k, counted.result, t.reach)]
        checks += overall_ends(rows, drawn, settings["level"])
    return checks + overall_checks(counted)


def holm_checks(rows: list[Row]) -> list[Check]:
    """Adjust the p-values of a family with statsmodels."""
    known = [row for row in rows if row.p_value is not None]
    if not known:
        return []
    adjusted = adjusted_p([row.p_value for row in known])
    return [same_p(label(row, "Holm"), row.p_adjusted, float(p), "statsmodels", SAME)
            for row, p in zip(known, adjusted, strict=True)]  # fmt: skip


def overall_checks(counted: Recount, level: str = "") -> list[Check]:
    """Compare B_all, and B_all corrected, with their interval where it is no bootstrap's."""
    settings = counted.result.settings
    rows = counted.rows(f"{settings['stratum']} = {level}" if level else "overall")
    if "B_all" not in rows or rows["B_all"].estimate is None:
        return []
    plain, better = rows["B_all"], rows["B_all corrected"]
    checks = [near(label(plain), plain.estimate, size_of(counted.means, counted.pairs, level), "pandas", SAME)]
    checks += [c for row in (plain, better) for c in answers_check(counted, row, level)]
    if len(counted.plain) > MOST_ROWS:
        return [*checks, *(set_aside(label(row, "interval"), row.conf_low, None, "scipy", TOO_MANY)
                           for row in (plain, better) if row.conf_low is not None)]  # fmt: skip
    closed = settings["ci"] == "closed" or bool(level)
    return checks + size_checks(plain, better, counted.sizes(level), settings, closed=closed)


def answers_check(counted: Recount, row: Row, level: str) -> list[Check]:
    """Compare the number of answers to couples of two groups."""
    table = counted.table
    n = ((table["level"] == level) & (table["group_first"] != table["group_second"])).sum()
    return [] if row.n is None else [near(label(row, "n"), row.n, float(n), "pandas", SAME)]


def without_bias(counted: Recount) -> list[Check]:
    """Compare the mean of B_all without any bias, and the test of that."""
    row = counted.rows("overall, without any bias")["B_all"]
    return [] if row.estimate is None else [*null_checks(row, counted.sizes("")), *answers_check(counted, row, "")]


def level_checks(counted: Recount) -> list[Check]:
    """Compare B, B_all and the place within every level of the stratum, and the differences of two levels."""
    checks: list[Check] = []
    name = counted.result.settings["stratum"]
    for level in counted.levels:
        rows = counted.rows(f"{name} = {level}")
        terms = [Term(row=rows[term], parts=bias_contrasts(counted.means, a, b, level), reach=2.0)
                 for term, a, b in counted.pairs if term in rows]  # fmt: skip
        if "same groups" in rows:
            parts = position_contrasts(counted.means, level)
            terms.append(Term(row=rows["same groups"], parts=parts, reach=1.0))
        terms += [Term(row=rows[name], parts=score_contrasts(counted.means, a, b, level), reach=1.0)
                  for name, a, b in kinds(counted.result.extras["groups"]) if name in rows]  # fmt: skip
        checks += [check for term in terms for check in term_checks(counted, term)]
        checks += overall_checks(counted, level)
    return checks + difference_checks(counted)


def kinds(groups: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Term, first and second group of the score of every kind of couple; those of one group have its name."""
    return [(a if a == b else f"{a}, {b}", a, b) for a in groups for b in groups]


def difference_checks(counted: Recount) -> list[Check]:
    """Compare the differences of the biases between two levels, with Holm's adjustment."""
    if len(counted.levels) != 2:
        return []
    one, two = counted.levels
    rows = counted.rows(f"{one} - {two}")
    checks = []
    for term, a, b in counted.pairs:
        first, second = (bias_contrasts(counted.means, a, b, level) for level in (one, two))
        if term in rows and first and second:
            gap = mean_contrast(first) | {key: -value for key, value in mean_contrast(second).items()}
            checks += term_checks(counted, Term(row=rows[term], parts=[gap], reach=4.0))
    if "B_all corrected" in rows:
        name = counted.result.settings["stratum"]
        levels = [counted.rows(f"{name} = {level}")["B_all corrected"] for level in counted.levels]
        checks += gap_checks(rows.pop("B_all corrected"), *levels)
    return checks + holm_checks(list(rows.values()))


def scenario_rows(counted: Recount) -> list[Check]:
    """Compare the tests of one difference a scenario."""
    checks = []
    means, flips = counted.rows("scenario means"), counted.rows("scenario sign flip")
    for term, a, b in counted.pairs:
        values = scenario_values(counted.plain, a, b)
        checks += scenario_checks(means[term], flips[term], values, counted.result.settings["level"])
    return checks + overall_flip_checks(counted.result, counted.plain, counted.pairs)


def mcnemar_rows(counted: Recount) -> list[Check]:
    """Compare McNemar's tests of every pair of groups."""
    chi, mid = (counted.rows(f"{name}, ignoring clusters") for name in ("McNemar", "McNemar mid-p"))
    return [check for term, a, b in counted.pairs
            for check in mcnemar_checks(chi[term], mid[term], couple_table(counted.plain, a, b))]  # fmt: skip

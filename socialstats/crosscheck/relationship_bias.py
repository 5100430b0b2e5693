"""Relationship bias recomputed: pandas' group means, errors by clusters, McNemar and t elsewhere.

The table is read from the design again, one record an answer, with labels for everything. B is a contrast of the means
of cells, written as a vector of their coefficients. Every number of every row is compared.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import crossing, errors_by, errors_of_gap
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.paired_tables import MOST_ROWS, TOO_MANY, near, set_aside
from socialstats.crosscheck.resamples import CLOSE, WHY, Cells, Redrawn, redrawn
from socialstats.crosscheck.row_arithmetic import (
    adjusted_checks,
    both_ends,
    end_checks,
    label,
    relative,
    same_p,
    statistic_checks,
    t_ends,
)
from socialstats.designs.ratings import Ratings
from socialstats.results import Check, Result, Row, Verification
from socialstats.results.peers import load_peer

if TYPE_CHECKING:
    import pandas as pd

ALIKE = "all levels of the stratum, weighing alike"
CELL = ["level", "rater", "group_first", "group_second"]
MOST = 2.0
DRAWS = 20_000  # draws of the library, and of the checks that draw anew
MC_WIDTH = 5.0
STEP = 1e-7  # step of the engine: draws are steps, which may cross the line more than once
EXACT_FLIPS = 13
SAME = "the same means in another order of arithmetic"
SANDWICH = "CR2 by sums of clusters, on deviations from the means of cells"
SAME_DRAWS, ROOTS_CLOSE = "the same draws, every size weighed anew", 1e-6
WITH_T, LESS = "scipy's t test", "exact p less the point probability"
TOO_MANY_DRAWS = "too many resamples of too many answers to compute one by one"


def records(design: Ratings, options: Mapping[str, Any], groups: Sequence[str]) -> pd.DataFrame:
    """Return one record an answer, repeated by its count (each copy is a unit): labels, score and clusters.

    ``rater`` is 0 where raters are pooled, ``who`` who answered; ``stratum`` the level of the stratum, if there is one.
    """
    import pandas as pd

    known = {**design.strata, **{f.name: f for f in design.clusters}}
    ok = design.status == 0
    unit, said = design.unit[ok], np.array(design.levels, dtype=object)[design.value[ok]]
    first = np.array([same(value, options["answers"][0]) for value in said], dtype=bool)
    score = np.where(first, -1.0, 1.0)
    if design.probabilities is not None:
        side = [-1.0 if same(level, options["answers"][0]) else 1.0 for level in design.levels]
        score = (design.read_as()[ok] * side).sum(axis=1)
    table = pd.DataFrame({"score": score, "who": design.rater[ok], "row": unit})
    table["rater"] = table["who"] if options["aggregate"] == "rater" else 0
    for part in ("scenario", "pair", "group_first", "group_second", "stratum"):
        if options[part] is None:
            continue
        if part == "stratum" and options[part] in design.rater_groups:
            factor, at = design.rater_groups[options[part]], design.rater[ok]
        else:
            factor, at = known[options[part]], unit
        table[part] = np.array([*factor.levels, None], dtype=object)[factor.codes[at]]
    for k, factor in enumerate(design.factors(options["cluster"])):
        table[f"g{k}"] = factor.codes[unit]
    table = table.loc[table.index.repeat(design.unit_count[unit].astype(int))]
    table["copy"] = table.groupby(level=0).cumcount()
    table = table[table[["group_first", "group_second"]].isin(groups).all(axis=1)]
    if options["couples"] == "complete":
        both = table[["group_first", "group_second"]].astype(str)
        kind = both.min(axis=1) + " / " + both.max(axis=1)
        orders = table.groupby([table["scenario"], table["pair"], table["who"], kind])[
            "group_first"
        ]
        table = table[
            (orders.transform("nunique") == 2) | (table["group_first"] == table["group_second"])
        ]
    return table.assign(unit=table.groupby(["row", "copy"]).ngroup()).reset_index(drop=True)


def same(label: str, answer: Any) -> bool:
    """Return whether a label is this answer, as text or as a number."""
    try:
        return float(label) == float(answer)
    except (TypeError, ValueError):
        return label == str(answer)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recount:
    """What everything is recomputed from: records, and the mean of every cell.

    Attributes
    ----------
    plain : DataFrame
        Records.
    table : DataFrame
        The same with weights ``w``, codes of ``cell``, and ``off``, what an answer adds to the mean of its cell. This
        is its deviation times its share of the weight. All answers (level ""), and below them those of each level.
    column : mapping of str to array
        Numeric columns of the table that errors are made of.
    clusters : list of str
        Columns of the clusters.
    cells : list of (level, rater, first group, second group)
    means, sizes : (cells,) float64 arrays
    """

    plain: pd.DataFrame
    table: pd.DataFrame
    column: Mapping[str, Any]
    clusters: list[str]
    cells: list[Any]
    means: FloatArray
    sizes: FloatArray

    def contrasts(self, row: Row, level: str) -> FloatArray:
        """Coefficients of the cells, (raters who have all of them, cells), of what a row is about."""
        a, b, one, two = (row.label(name) for name in ("group", "other", "first", "second"))
        found, place = [], set(self.cells)
        for rater in sorted({cell[1] for cell in self.cells if cell[0] == level}):
            own = [cell for cell in self.cells if cell[:2] == (level, rater) and cell[2] == cell[3]]
            wanted = dict.fromkeys(
                own, 1 / max(len(own), 1)
            )  # the mean of the scores of couples of one group
            if row.label("orders"):  # the mean over pairs of groups that have both orders
                every = [
                    cell for cell in self.cells if cell[:2] == (level, rater) and cell[2] != cell[3]
                ]
                twice = [cell for cell in every if (*cell[:2], cell[3], cell[2]) in place]
                wanted = dict.fromkeys(twice, 1 / max(len(twice), 1))
            elif a is not None:
                wanted = {(level, rater, b, a): 1.0, (level, rater, a, b): -1.0}
            elif one is not None:
                wanted = {(level, rater, one, two): 1.0}
            if wanted and all(cell in place for cell in wanted):
                found.append([wanted.get(cell, 0.0) for cell in self.cells])
        return np.array(found).reshape(-1, len(self.cells))

    def error(self, contrast: FloatArray) -> tuple[float, float]:
        """Standard error and degrees of freedom of a contrast; NaN where there is one cluster only.

        CR2 with the residuals of the saturated regression; a cluster's share is that of the units. The difference of
        two levels has shares within either level.
        """
        times = contrast[self.column["cell"]]
        mine = {name: values[times != 0] for name, values in self.column.items()}
        codes = crossing(np.column_stack([mine[name] for name in self.clusters or ["unit"]]))
        level = np.unique([cell[0] for cell in self.cells], return_inverse=True)[1][mine["cell"]]
        sides = [level == side for side in np.unique(level)]
        share = np.zeros(len(level))
        for side in sides:  # a unit counts once
            first = np.flatnonzero(side)[np.unique(mine["unit"][side], return_index=True)[1]]
            share[first] = 1 / len(first)
        e = mine["off"] * times[times != 0]
        found = (
            errors_by(e, share, codes)
            if len(sides) == 1
            else errors_of_gap(e, share, sides[1], codes)
        )
        return math.sqrt(found.variance), found.df

    def correlations(self, contrasts: FloatArray) -> FloatArray:
        """Correlations of contrasts: products of the sums of their influences in clusters, added over factors."""
        moved = contrasts.T[self.column["cell"]]
        there = (moved != 0).any(axis=1)
        moved = (moved * self.column["off"][:, None])[there]
        total = np.zeros((len(contrasts), len(contrasts)))
        for name in self.clusters or ["row"]:
            code = np.unique(self.column[name][there], return_inverse=True)[1]
            sums = np.column_stack([np.bincount(code, column) for column in moved.T])
            total += sums.T @ sums * len(sums) / max(len(sums) - 1, 1)
        spread = np.sqrt(np.diag(total))
        return np.asarray(total / np.outer(spread, spread))


def recount(design: Ratings, options: Mapping[str, Any], groups: Sequence[str]) -> Recount:
    """Read the records, and average them in every cell."""
    import pandas as pd

    plain = records(design, options, groups)
    parts = [plain.assign(level="")]
    if options["stratum"] is not None:
        known = plain[plain["stratum"].notna()]
        parts += [known.assign(level=known["stratum"]), known.assign(level=ALIKE)]
    table = pd.concat(parts, ignore_index=True).assign(w=1.0)
    if options["aggregate"] == "scenario":
        table["w"] = 1 / table.groupby([*CELL, "scenario"])["score"].transform("size")
    if options["stratum"] is not None:
        even = table["level"] == ALIKE
        table.loc[even, "w"] = 1 / table[even].groupby([*CELL, "stratum"])["score"].transform(
            "size"
        )
    by_cell = table.assign(x=table["w"] * table["score"]).groupby(CELL)
    total = by_cell[["x", "w"]].sum()
    means = (total["x"] / total["w"]).to_numpy()
    cell = by_cell.ngroup().to_numpy()
    share = table["w"] / total["w"].to_numpy()[cell]
    table = table.assign(cell=cell, off=share * (table["score"] - means[cell]))
    clusters = [name for name in ("g0", "g1") if name in table]
    column = {name: table[name].to_numpy() for name in ("cell", "off", "unit", "row", *clusters)}
    return Recount(
        plain=plain,
        table=table,
        column=column,
        clusters=clusters,
        cells=list(total.index),
        means=means,
        sizes=np.bincount(cell).astype(np.float64),
    )


def verify(result: Result) -> Verification:
    """Recompute every row: B, S, B_all, levels of the stratum and their differences, and the tests beside them."""
    counted = recount(result.design, result.settings, result.extras["groups"])
    biases = [row for row in result.rows if row.group == "bias"]
    linear = [
        row for row in result.rows if row.role in (None, "difference") and not row.label("quantity")
    ]
    gaps = [row for row in linear if row.role == "difference"]
    alike = [row for row in linear if row.label("alike")]
    whole = [
        row
        for row in linear
        if row.label("level") is None and row.role is None and row not in alike
    ]
    drawn = None if result.settings["ci"] == "closed" else resampled(result, counted, whole, biases)
    checks = [check for row in linear for check in term_checks(result, counted, row, drawn)]
    of_b, of_s = (
        [row for row in gaps if (row.label("group") is None) == other] for other in (False, True)
    )
    for rows in (biases, of_b, of_s, [row for row in alike if row.label("group")]):
        checks += adjusted_checks(rows)
    checks += size_checks(result, counted, biases, drawn)
    checks += scenario_checks(result, counted.plain, biases)
    levels = dict.fromkeys(
        row.label("level") for row in result.rows if row.role == "test" and row.label("level")
    )
    for level in (None, *levels):
        table = counted.plain if level is None else counted.plain[counted.plain["stratum"] == level]
        checks += [check for row in biases for check in mcnemar_checks(result, row, table, level)]
    return Verification(checks=tuple(checks))


def contrast_of(counted: Recount, row: Row) -> FloatArray | None:
    """Return the coefficients of a row, averaged over raters; None where nobody has the cells."""
    names = ("first level", "second level") if row.role == "difference" else ("level",)
    parts = [
        counted.contrasts(row, ALIKE if row.label("alike") else row.label(name) or "")
        for name in names
    ]
    if not all(len(part) for part in parts):
        return None
    means = [np.asarray(part.mean(axis=0)) for part in parts]
    return means[0] if len(means) == 1 else means[0] - means[1]


def term_checks(result: Result, counted: Recount, row: Row, drawn: Drawn | None) -> list[Check]:
    """Compare estimate, n, standard error, df, t, p and interval of a contrast."""
    contrast, level = contrast_of(counted, row), result.settings["level"]
    if contrast is None:
        return []
    if row.estimate is None:
        return [compare(label(row), None, None, package="pandas", tolerance=0, why=SAME)]
    checks = [near(label(row), row.estimate, float(contrast @ counted.means), "pandas", SAME)]
    if row.n is not None:
        checks.append(
            near(label(row, "n"), row.n, float(counted.sizes[contrast != 0].sum()), "pandas", SAME)
        )
    reach = (2.0 if row.role == "difference" else 1.0) * (MOST if row.label("group") else 1.0)
    if row.std_error is not None and len(counted.plain) > MOST_ROWS:
        checks.append(set_aside(label(row, "s.e."), row.std_error, None, "statsmodels", TOO_MANY))
    elif row.std_error is not None:
        error, df = counted.error(contrast)
        checks.append(near(label(row, "s.e."), row.std_error, error, "numpy", SANDWICH, 1e-7))
        checks += statistic_checks(row, df=df)
        if row.test is None and row.df is not None:
            checks.append(relative(label(row, "df"), row.df, df, "numpy", SANDWICH))
        if drawn is None or row not in drawn.rows:
            checks += t_ends(row, level, df, cut=(-reach, reach))
    if drawn is None or row not in drawn.rows or row.conf_low is None:
        return checks
    if drawn.found is None:
        return [*checks, too_many_draws(row)]
    low, high = drawn.found.ends(result.settings["ci"], drawn.rows.index(row), level)
    return [
        *checks,
        *end_checks(row, max(low, -reach), min(high, reach), "numpy", WHY, CLOSE, high - low),
    ]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawn:
    """Resamples of the contrasts of rows, and last of B_all; None where those take too long."""

    rows: list[Row]
    found: Redrawn | None


def resampled(result: Result, counted: Recount, rows: list[Row], biases: list[Row]) -> Drawn:
    """Compute the contrasts of rows, and last B_all, of every resample."""
    design, settings = result.design, result.settings
    known = [
        (row, contrast)
        for row in rows
        for contrast in [contrast_of(counted, row)]
        if contrast is not None
    ]
    cells = Cells.of(design.unit_count, [f.codes for f in design.factors(settings["cluster"])])
    table = counted.table[counted.table["level"] == ""]
    place, row, score, weight = (table[name].to_numpy() for name in ("cell", "row", "score", "w"))
    copies = cells.count[row]
    each, shares = every_bias(counted, biases, "")
    wanted = np.array([*(contrast for _, contrast in known), *each]).reshape(-1, len(counted.cells))

    def statistic(times: FloatArray) -> FloatArray:
        now = weight * times[row] / copies
        total, own = (np.bincount(place, x, len(counted.cells)) for x in (now, now * score))
        gone = ((wanted != 0) & (total == 0)).any(axis=1)
        values = np.where(gone, np.nan, wanted @ (own / np.where(total > 0, total, 1.0)))
        return np.append(values[: len(known)], np.abs(values[len(known) :]) @ shares)

    found = redrawn(
        cells,
        statistic,
        ci="percentile",
        resamples=settings["resamples"],
        seed=settings["seed"],
        cost=3.0,
    )
    return Drawn(rows=[row for row, _ in known], found=found)


def too_many_draws(row: Row) -> Check:
    """State that the resamples were not drawn again."""
    return compare(
        label(row, "bootstrap"),
        row.conf_low,
        None,
        package="numpy",
        tolerance=0,
        why=WHY,
        note=TOO_MANY_DRAWS,
    )


def every_bias(counted: Recount, biases: list[Row], level: str) -> tuple[FloatArray, FloatArray]:
    """Coefficients of every B of a level, rater by rater, and the weight of its size in B_all."""
    parts = [part for row in biases for part in [counted.contrasts(row, level)] if len(part)]
    weights = [np.full(len(part), 1 / len(part) / len(parts)) for part in parts]
    return np.concatenate([np.empty((0, len(counted.cells))), *parts]), np.concatenate(
        [np.empty(0), *weights]
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sizes:
    """Every B of a level of the stratum: value, standard error, df, weight, its pair of groups, and correlations."""

    value: FloatArray
    error: FloatArray
    df: FloatArray
    weight: FloatArray
    pair: FloatArray
    correlation: FloatArray

    @property
    def size(self) -> float:
        """B_all."""
        return float(np.abs(self.value) @ self.weight)

    @property
    def corrected(self) -> float:
        """B_all less the excess of folded normal means."""
        from scipy.stats import foldnorm

        means = foldnorm.mean(np.abs(self.value) / self.error, scale=self.error)
        return max(self.size - float((means - np.abs(self.value)) @ self.weight), 0.0)

    def draws(self, normal: FloatArray, square: Any) -> FloatArray:
        """Errors from correlated normals and a source of chi-squares, one for each pair of groups in their order."""
        found = normal.copy()
        for pair in np.unique(self.pair):
            df = float(self.df[self.pair == pair].min())
            found[:, self.pair == pair] /= np.sqrt(square(df) / df)[:, None]
        return np.asarray(found * self.error)


def sizes_of(counted: Recount, biases: list[Row], level: str) -> Sizes | None:
    """Read every B of a level, with its error; None where an error is not known."""
    each, weight = every_bias(counted, biases, level)
    errors = np.array([counted.error(contrast) for contrast in each]).reshape(-1, 2)
    if not len(each) or not np.all(errors[:, 0] > 0):
        return None
    pair = np.concatenate(
        [np.full(len(counted.contrasts(row, level)), k) for k, row in enumerate(biases)]
    )
    return Sizes(
        value=each @ counted.means,
        error=errors[:, 0],
        df=errors[:, 1],
        weight=weight,
        pair=pair,
        correlation=counted.correlations(each),
    )


def nearest(sizes: Sizes, size: float) -> FloatArray:
    """Values of a mean size nearest to the estimates, the Lagrange multiplier by a root."""
    from scipy.optimize import brentq

    rate = sizes.weight * sizes.error**2
    most = float((np.abs(sizes.value) / rate).max())

    def sized(multiplier: float) -> FloatArray:
        return np.maximum(np.abs(sizes.value) - multiplier * rate, 0.0)

    def off(multiplier: float) -> float:
        return float(sized(multiplier) @ sizes.weight) - size

    least = -(MOST + 1) / float(sizes.weight @ rate)
    at = (
        most
        if size <= 0
        else float(brentq(off, least, most, xtol=1e-14 * max(1.0, most), rtol=1e-14))
    )
    return np.asarray(np.where(sizes.value < 0, -1.0, 1.0) * sized(at))


def ends(sizes: Sizes, seed: int, level: float) -> tuple[float, float]:
    """Both ends: the sizes at which the observed one is the upper, and the lower, quantile of the seeded draws."""
    from scipy.optimize import brentq
    from scipy.stats import chi2

    rng = np.random.Generator(np.random.PCG64(seed))
    left, roots, _ = np.linalg.svd(sizes.correlation, hermitian=True)
    normal = rng.standard_normal((DRAWS, len(sizes.value))) @ (
        left @ np.diag(np.sqrt(roots)) @ left.T
    )
    errors = sizes.draws(normal, lambda df: np.asarray(chi2.ppf(rng.random(DRAWS), df)))

    def beyond(size: float, percent: float) -> float:
        found = np.abs(errors + nearest(sizes, size)) @ sizes.weight
        return float(np.percentile(found, percent)) - sizes.size

    few, many = 50 * (1 - level), 50 * (1 + level)
    low, high = 0.0, MOST
    if beyond(0.0, many) < 0:
        low = float(brentq(beyond, 0.0, sizes.size, (many,), STEP))
    if beyond(sizes.size, few) >= 0:
        high = sizes.size
    elif beyond(MOST, few) > 0:
        high = float(brentq(beyond, sizes.size, MOST, (few,), STEP))
    signs = np.where(sizes.value < 0, -1.0, 1.0)
    summed = np.percentile(np.abs((errors * signs) @ sizes.weight), 100 * level)
    return min(low, sizes.corrected), max(high, min(sizes.corrected + float(summed), MOST))


def size_checks(
    result: Result, counted: Recount, biases: list[Row], drawn: Drawn | None
) -> list[Check]:
    """Compare B_all as it is, corrected, and without any bias, of all answers and of levels, and its differences."""
    settings, checks = result.settings, []
    rows = [
        row
        for row in result.rows
        if row.label("quantity") and row.role in (None, "difference", "reference")
    ]
    table = counted.table[counted.table["group_first"] != counted.table["group_second"]]
    for level in dict.fromkeys(row.label("level") or "" for row in rows):
        own = [
            row for row in rows if (row.label("level") or "") == level and row.role != "difference"
        ]
        plain, better, *null = own
        checks += [
            near(label(row, "n"), row.n, float((table["level"] == level).sum()), "pandas", SAME)
            for row in own
            if row.n is not None
        ]
        if plain.estimate is None:
            continue
        each, weight = every_bias(counted, biases, level)
        observed = float(np.abs(each @ counted.means) @ weight)
        checks.append(near(label(plain), plain.estimate, observed, "pandas", SAME))
        if len(counted.plain) > MOST_ROWS:
            checks += [
                set_aside(label(row, "interval"), row.conf_low, None, "scipy", TOO_MANY)
                for row in (plain, better)
                if row.conf_low is not None
            ]
            continue
        sizes = sizes_of(counted, biases, level)
        if sizes is None or better.estimate is None:
            continue
        why = "the same integral in another form"
        checks.append(near(label(better), better.estimate, sizes.corrected, "scipy", why))
        checks += [check for row in null for check in null_checks(row, sizes)]
        if drawn is not None and not level:
            checks += overall_ends([plain, better], drawn, settings["level"])
        elif plain.conf_low is not None:
            low, high = ends(sizes, settings["seed"], settings["level"])
            checks += [
                check
                for row in (plain, better)
                for check in end_checks(row, low, high, "scipy", SAME_DRAWS, ROOTS_CLOSE)
            ]
    for row in rows:
        if row.role == "difference":
            names = (row.label("first level"), row.label("second level"))
            pair = [
                next(r for r in rows if (r.label("level"), r.term) == (name, row.term))
                for name in names
            ]
            checks += gap_checks(row, *pair)
    return checks


def gap_checks(gap: Row, one: Row, two: Row) -> list[Check]:
    """Compare a difference of B_all corrected, and its interval from those of both levels (Zou & Donner 2008)."""
    if gap.estimate is None:
        return []
    apart = (one.estimate or 0.0) - (two.estimate or 0.0)
    return [
        near(label(gap), gap.estimate, apart, "numpy"),
        near(label(gap, "n"), gap.n, (one.n or 0.0) + (two.n or 0.0), "numpy"),
        *end_checks(gap, *both_ends(apart, one, two), "numpy", "the intervals of both levels"),
    ]


def null_checks(row: Row, sizes: Sizes) -> list[Check]:
    """Compare the mean of B_all without any bias, and its test with draws of scipy's normals and chi-squares."""
    from scipy import stats

    if row.estimate is None or row.p_value is None:
        return []
    rng = np.random.default_rng(1)
    normals: Any = stats.multivariate_normal(cov=sizes.correlation, allow_singular=True)
    normal = np.reshape(normals.rvs(DRAWS, random_state=rng), (DRAWS, -1))
    drawn = sizes.draws(normal, lambda df: stats.chi2(df).rvs(DRAWS, random_state=rng))
    p = float(np.mean(np.abs(drawn) @ sizes.weight >= sizes.size))
    mean, why = (
        float(sizes.weight @ sizes.error * stats.halfnorm.mean()),
        "the same sandwich, another implementation",
    )
    return [
        near(label(row, "mean"), row.estimate, mean, "scipy", why, 1e-7),
        near(label(row, "statistic"), row.statistic, sizes.size, "pandas"),
        relative(label(row, "df"), row.df, float(sizes.df.min()), "numpy"),
        drawn_p(row, p, DRAWS, 1 / DRAWS, "draws of scipy"),
    ]


def drawn_p(row: Row, theirs: float, draws: int, own: float, what: str) -> Check:
    """Compare a p-value with one of other draws, within their Monte-Carlo error; `own`: 1 / draws of the library."""
    p = row.p_value or 0.0
    error = MC_WIDTH * np.sqrt(p * (1 - p) * (1 / draws + own)) + 2 / draws
    why = f"{draws:,} {what}: {MC_WIDTH:g} Monte-Carlo standard errors"
    return compare(
        label(row, "p"), row.p_value, theirs, package="scipy", tolerance=float(error), why=why
    )


def overall_ends(rows: list[Row], drawn: Drawn, level: float) -> list[Check]:
    """Compare interval and standard error of B_all and B_all corrected.

    From below the basic interval less the bias, from above the percentile one, cut at 0 and 2, widened to both.
    """
    known, found = [row for row in rows if row.conf_low is not None], drawn.found
    if found is None:
        return [too_many_draws(row) for row in known]
    last = len(drawn.rows)
    bias = float(np.nanmean(found.replicates[:, last]) - found.estimate[last])
    held = [row.estimate for row in rows if row.estimate is not None]
    low = min(max(found.ends("basic", last, level)[0] - bias, 0.0), *held, MOST)
    high = max(min(found.ends("percentile", last, level)[1], MOST), *held, 0.0)
    checks = []
    for row in known:
        checks += end_checks(row, low, high, "numpy", WHY, CLOSE, high - low)
        if row.std_error is not None:
            name = label(row, "s.e. of the resamples")
            checks.append(relative(name, row.std_error, found.std_error(last), "numpy", WHY, CLOSE))
    return checks


def scenario_gaps(table: pd.DataFrame, a: str, b: str) -> pd.DataFrame:
    """One difference a scenario (rows) and rater with both orders (columns), NaN where an order is missing."""
    means = (
        table.groupby(["scenario", "rater", "group_first", "group_second"])["score"]
        .mean()
        .unstack([2, 3])
    )
    if (a, b) not in means or (b, a) not in means:
        return means.iloc[:0, :0]
    both = means[[(a, b), (b, a)]].notna().groupby("rater").any().all(axis=1)
    found: pd.DataFrame = (means[b, a] - means[a, b]).unstack("rater")
    return found[both.index[both]]


def scenario_checks(result: Result, table: pd.DataFrame, biases: list[Row]) -> list[Check]:
    """Every number of the tests of one difference a scenario: t, sign flips, and sign flips of all groups together."""
    import pandas as pd
    from scipy import stats

    checks, parts, weight = [], [], []
    for bias in biases:
        gaps = scenario_gaps(table, bias.label("group") or "", bias.label("other") or "")
        if gaps.shape[1]:
            parts.append(gaps)
            weight += [1 / gaps.shape[1]] * gaps.shape[1]
        mean = gaps.mean(axis=1).dropna().to_numpy(dtype=np.float64)
        row, flip = (
            result.row(bias.term, group=f"scenario {name}") for name in ("means", "sign flip")
        )
        if not len(mean):
            continue
        checks += [near(label(r, "n"), r.n, float(len(mean)), "pandas") for r in (row, flip)]
        if row.estimate is not None:
            checks.append(near(label(row), row.estimate, float(mean.mean()), "pandas"))
        if row.std_error is not None:
            test = stats.ttest_1samp(mean, 0.0)
            reach = test.confidence_interval(result.settings["level"])
            checks += [
                relative(label(row, "s.e."), row.std_error, float(stats.sem(mean))),
                relative(label(row, "statistic"), row.statistic, float(test.statistic), size=1e-6),
                relative(label(row, "df"), row.df, float(test.df)),
                same_p(label(row, "p"), row.p_value, float(test.pvalue), "scipy", WITH_T),
                *end_checks(row, max(float(reach.low), -MOST), min(float(reach.high), MOST)),
            ]
        if flip.p_value is not None:
            checks.append(near(label(flip, "sum"), flip.statistic, float(mean.sum()), "pandas"))
            checks.append(flip_check(mean[:, None], np.ones(1), flip))
    row = result.row("B_all", group="scenario sign flip")
    if row.p_value is None:
        return checks
    values = pd.concat(parts, axis=1).dropna(how="all").to_numpy(dtype=np.float64)
    shares = np.array(weight) / len(parts)
    observed = float(np.abs(np.nanmean(values, axis=0)) @ shares)
    return [
        *checks,
        near(label(row, "n"), row.n, float(table["scenario"].nunique()), "pandas"),
        near(label(row), row.statistic, observed, "pandas"),
        flip_check(values, shares, row),
    ]


def flip_check(values: FloatArray, weight: FloatArray, row: Row) -> Check:
    """Sign flips of rows by scipy, exact or within their Monte-Carlo error; the statistic is sum of w abs(mean)."""
    from scipy import stats

    n, filled = (~np.isnan(values)).sum(axis=0), np.nan_to_num(values)
    exact = len(values) <= EXACT_FLIPS

    def size(index: FloatArray, axis: int) -> FloatArray:
        sign = np.moveaxis(np.sign(index), axis, -1)
        return np.asarray(np.round(np.abs(sign @ filled / n) @ weight, 12))

    permuted: Any = stats.permutation_test
    found = permuted(
        (np.ones(len(values)),),
        size,
        permutation_type="samples",
        vectorized=True,
        alternative="greater",
        n_resamples=np.inf if exact else 4999,
        rng=np.random.default_rng(1),
    )
    if exact:
        return same_p(
            label(row, "p"), row.p_value, float(found.pvalue), "scipy", "all patterns of signs"
        )
    return drawn_p(row, float(found.pvalue), 4999, 1e-4, "random flips")


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


def mcnemar_checks(
    result: Result, bias: Row, table: pd.DataFrame, level: str | None
) -> list[Check]:
    """Every number of both tests of complete couples of two groups, of all answers or of a level of the stratum."""
    from scipy.stats import binom

    mcnemar = load_peer("statsmodels.stats.contingency_tables", "mcnemar")

    end = "" if level is None else f"; {result.settings['stratum']} = {level}"
    named = [f"{name}, ignoring clusters{end}" for name in ("McNemar", "McNemar mid-p")]
    found = [
        row for name in named for row in result.rows if (row.term, row.group) == (bias.term, name)
    ]
    if len(found) < len(named):  # no couple of these groups in this level
        return []
    chi, mid = found
    cells = couple_table(table, bias.label("group") or "", bias.label("other") or "")
    if chi.undefined or not cells.sum():
        return []
    for_a, for_b = cells[0, 1], cells[1, 0]
    checks = [
        near(label(chi), chi.estimate, 2 * (for_a - for_b) / cells.sum(), "pandas"),
        *(near(label(row, "couples"), row.n, float(cells.sum()), "pandas") for row in (chi, mid)),
        near(label(chi, "discordant"), chi.n_units, for_a + for_b, "pandas"),
    ]
    if not for_a + for_b:
        return checks
    plain, exact = mcnemar(cells, exact=False, correction=False), mcnemar(cells, exact=True).pvalue
    half = exact - binom.pmf(min(for_a, for_b), for_a + for_b, 0.5)
    return [
        *checks,
        relative(
            label(chi, "statistic"), chi.statistic, float(plain.statistic), "statsmodels", size=1e-6
        ),
        near(label(chi, "df"), chi.df, 1.0, "numpy"),
        same_p(label(chi, "p"), chi.p_value, float(plain.pvalue), "statsmodels"),
        near(label(mid, "first group"), mid.statistic, float(for_a), "pandas"),
        same_p(
            label(mid, "p"),
            mid.p_value,
            float(half) if for_a != for_b else 1.0,
            "statsmodels",
            LESS,
        ),
    ]

"""Rows of relationship bias: combinations of mean scores, sizes, tests by scenario, and levels of a stratum."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.ratings import Ratings
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.compare import rows_with_holm, with_both_intervals
from socialstats.inference.dependence import cluster_names, resampling_units
from socialstats.inference.rows import NO_WIDTH, with_ends, with_mean
from socialstats.paired import matched_pairs as tests
from socialstats.paired.mean_sizes import MeanSizeEstimates, NoBias, size_interval
from socialstats.resampling import (
    Bootstrap,
    Interval,
    basic,
    bootstrap_sums,
    percentile,
    sign_flip_test,
)
from socialstats.results import Row
from socialstats.results.rows import RowKey
from socialstats.scales.alignment import FlippedMean, flipped_mean_absolute
from socialstats.scales.bias_analysis import (
    ALIKE,
    APART,
    BIAS,
    BOTH,
    CORRECTED,
    FLIP,
    MCNEMAR,
    MEAN,
    MEANS,
    MID_P,
    MOST,
    NEITHER,
    NULL,
    ONE_ORDER,
    OVERALL,
    PLAIN,
    POSITION,
    SAME,
    SCORE,
    Analysis,
    Settings,
    joint_estimates,
    level_key,
    unit_factor,
)
from socialstats.scales.couples import (
    CoupleAnswers,
    Couples,
    LinearCombination,
    cell_scores,
    match_couples,
    scenario_means,
)
from socialstats.text import count, listing, number, shorten

MOST_LEVELS = 4  # levels of a stratum up to which any two are compared
NOT_DRAWN = "replies count with probabilities, and McNemar's test takes answers that were drawn"
TINY = 1e-15  # influence that is rounding
DEPENDENCE = {
    "rows": "t, units independent",
    "CR2": "t, clusters of {names} (CR2)",
    "two-way": "t, crossed clusters of {names}",
}
FLOORED = "larger one-way variance"
TWO_MEANS = "each level around its own mean"
RESAMPLED = "bootstrap interval of the population's mean absolute bias (basic, less the bias, to percentile), cut at 0"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Term:
    """A row that is a combination of mean scores, with what it was made from.

    Attributes
    ----------
    row : Row
        With its t interval.
    coefficient : (cells,) float64 array or None
        None where no rater has the cells.
    mean : ClusteredMean or None
    reach : float
        The largest size that it can have.
    """

    row: Row
    coefficient: FloatArray | None
    mean: ClusteredMean | None
    reach: float


def term_of(
    analysis: Analysis,
    row: Row,
    coefficients: FloatArray,
    reach: float,
    level: float,
    *,
    tested: bool = True,
) -> Term:
    """Return the term of a combination."""
    combination = analysis.linear(coefficients)
    if combination is None:
        return Term(
            row=replace(row, undefined=ONE_ORDER, reason="no_data"),
            coefficient=None,
            mean=None,
            reach=reach,
        )
    mean = analysis.mean(combination)
    row = with_linear(analysis, row, [combination], mean, reach, level, tested=tested)
    return Term(row=row, coefficient=coefficients.mean(axis=0), mean=mean, reach=reach)


def with_linear(
    analysis: Analysis,
    row: Row,
    parts: Sequence[LinearCombination],
    mean: ClusteredMean,
    reach: float,
    level: float,
    *,
    tested: bool = True,
) -> Row:
    """Fill a row with the t interval of a combination, or of the difference of two, cut at what it can reach."""
    value = parts[0].estimate - sum(part.estimate for part in parts[1:])
    row = replace(
        row,
        estimate=value,
        n=float(sum(part.touched.sum() for part in parts)),
        n_clusters=min(mean.clusters, default=None),
    )
    if mean.undefined:
        varies = all(np.any(np.abs(part.influence) > TINY) for part in parts)
        if mean.n > 1 and not varies:
            return replace(row, undefined=ALIKE, reason="no_variation")
        return replace(row, undefined=mean.undefined, reason=None)
    method = DEPENDENCE[mean.kind].format(names=cluster_names(analysis.factors))
    method += f", {FLOORED}" * mean.floored + f", {TWO_MEANS}" * (len(parts) > 1)
    return with_mean(
        row, mean, level, within=(-reach, reach), test=tested, method=method, df=mean.df
    )


def terms(
    analysis: Analysis, settings: Settings, level: str | None = None
) -> dict[str, list[Term]]:
    """Return B of all pairs of groups, S_aa of each group and their mean, and S_ab, of all answers or of a level."""
    confidence = settings["level"]
    key = level_key(level)

    def group(name: str) -> str:
        return name if level is None else f"{settings['stratum']} = {level}"

    def score(a: int, b: int, name: str) -> Term:
        row = analysis.couple_row(a, b, group=group(name))
        row = replace(row, key=(*row.key, *key))
        line = analysis.combination((1.0, a, b))
        return term_of(analysis, row, line, 1.0, confidence, tested=a == b)

    mean = Row(term=SAME, group=group(MEAN), key=key)
    any_order = Row(term=APART, group=group(BOTH), key=(("orders", "both"), *key))
    biases = []
    for pair in analysis.pairs:
        row = analysis.bias_row(pair, group=group(BIAS))
        row = replace(row, key=(*row.key, *key))
        biases.append(term_of(analysis, row, analysis.bias(pair), MOST, confidence))
    both_ways = [order for pair in analysis.pairs for order in (pair, pair[::-1])]
    by_kind = {
        POSITION: [score(k, k, POSITION) for k in range(len(analysis.groups))],
        MEAN: [term_of(analysis, mean, analysis.position(), 1.0, confidence)],
        BOTH: [term_of(analysis, any_order, analysis.both_orders(), 1.0, confidence)],
        SCORE: [score(*order, SCORE) for order in both_ways],
    }
    # a bias without answers is told; scores of couples that nobody answered are not
    answered = {
        kind: [term for term in of_kind if term.coefficient is not None]
        for kind, of_kind in by_kind.items()
    }
    return {BIAS: biases, **answered}


def resample_terms(
    analysis: Analysis, term_list: Sequence[Term], settings: Settings
) -> Bootstrap | None:
    """Bootstrap the terms, and last B_all, where it is asked for and there is something to resample.

    A resample without any answer of a cell has none of the numbers made from it.
    """
    from scipy.sparse import csr_array

    means, k, units = analysis.means, len(analysis.means.cells), analysis.answers.unit
    codes = [units, *(factor.codes[units] for factor in analysis.factors)]
    if settings["ci"] == "closed" or analysis.size is None:
        return None
    if min(len(np.unique(code)) for code in codes) < 2:
        return None
    rows = np.array(
        [np.zeros(k) if term.coefficient is None else term.coefficient for term in term_list]
    )
    bias_lines, weight = analysis.every_bias()
    positions = (np.concatenate([units] * 2), np.concatenate([means.cell, k + means.cell]))
    # (units, 2 cells): weighted sums of the scores of each cell, then sums of the weights
    sums = np.concatenate([means.weight * analysis.answers.score, means.weight])
    table = csr_array((sums, positions), shape=(len(analysis.design.units), 2 * k))

    def finish(sums: FloatArray) -> FloatArray:
        answered = sums[:, k:] > 0
        cell_means = np.divide(
            sums[:, :k], sums[:, k:], out=np.zeros_like(sums[:, :k]), where=answered
        )
        term_values, absolute = (
            np.where((1.0 - answered) @ (lines != 0).T > 0, np.nan, cell_means @ lines.T)
            for lines in (rows, bias_lines)
        )
        return np.column_stack([term_values, np.abs(absolute) @ weight])

    resampled = resampling_units(analysis.design, analysis.factors)
    return bootstrap_sums(
        table, finish, resampled, resamples=settings["resamples"], seed=settings["seed"]
    )


def with_bootstrap(term: Term, at: int, ends: Interval, settings: Settings) -> Row:
    """Replace the t interval of a term by the bootstrap interval."""
    row, low, high = term.row, float(ends.low[at]), float(ends.high[at])
    if row.undefined:
        return row
    why = ends.undefined[at] or ("" if low < high else NO_WIDTH)
    return with_ends(
        row,
        low,
        high,
        settings["level"],
        why=why,
        within=(-term.reach, term.reach),
        method=f"{row.method}; {settings['ci']} bootstrap interval",
        interval=settings["ci"],
        df=row.df if row.test else None,
    )


def size_rows(
    analysis: Analysis,
    estimates: MeanSizeEstimates | str,
    settings: Settings,
    level: str | None = None,
    boot: Bootstrap | None = None,
) -> list[Row]:
    """Rows of B_all as it is, and corrected for its bias; both have the interval of what they estimate."""
    group, key = OVERALL, level_key(level)
    if level is not None:
        group = f"{settings['stratum']} = {level}"
    rows = [
        Row(term=term, group=group, key=(("quantity", term), *key)) for term in (PLAIN, CORRECTED)
    ]
    if analysis.size is None:
        return [replace(row, undefined=NEITHER, reason="no_data") for row in rows]
    plain, corrected = (replace(row, n=analysis.mixed) for row in rows)
    plain = replace(plain, estimate=analysis.size)
    if isinstance(estimates, str):
        return [replace(row, undefined=estimates) for row in (plain, corrected)]
    corrected = replace(corrected, estimate=estimates.corrected)
    if boot is not None:
        return with_resampled_size([plain, corrected], boot, settings["level"])
    level_of = settings["level"]
    # the interval of what both rows estimate: values of B_all that a test does not reject
    low, high = size_interval(
        estimates, estimates.draw_errors(settings["seed"]), level=level_of, most=MOST
    )
    df = float(estimates.df.min())
    how = f"tests inverted, correlated t of {number(df, 0 if df % 1 == 0 else 1)} df, {analysis.clusters}"
    return [
        with_ends(
            row,
            low,
            high,
            level_of,
            within=(0.0, MOST),
            hold=True,
            method=how,
            interval="test_inversion",
        )
        for row in (plain, corrected)
    ]


def with_resampled_size(rows: list[Row], boot: Bootstrap, level: float) -> list[Row]:
    """Give both rows of B_all the bootstrap interval, and the bootstrap's standard error.

    Resamples of an absolute value lie too high. From below the interval is the basic one less the bootstrap's estimate
    of the bias, from above the percentile one. Each end errs to the safe side. An interval that is basic, or
    percentile, at both ends holds the truth too seldom. It is widened to hold both rows.
    """
    below, above = basic(boot, level=level), percentile(boot, level=level)
    estimates = [row.estimate for row in rows if row.estimate is not None]
    low = min(max(float(below.low[-1] - boot.bias[-1]), 0.0), *estimates)
    high = max(min(float(above.high[-1]), MOST), *estimates)
    # B_all is the last statistic of the bootstrap
    why = below.undefined[-1] or above.undefined[-1] or ("" if low < high else NO_WIDTH)
    fields: dict[str, Any] = {
        "std_error": float(boot.std_error[-1]) or None,
        "n_clusters": boot.units.n_clusters,
        "method": RESAMPLED,
    }
    return [with_ends(row, low, high, level, why=why, **fields) for row in rows]


def null_row(analysis: Analysis, null: NoBias | str) -> Row:
    """Row of B_all without any bias: its mean (`estimate`), and the test (`statistic`: B_all)."""
    row = Row(term=PLAIN, group=NULL, key=(("quantity", PLAIN),), role="reference")
    if isinstance(null, str):
        return replace(row, undefined=null)
    return replace(
        row,
        estimate=null.null_mean,
        statistic=analysis.size,
        df=null.df,
        p_value=null.p_value,
        n=analysis.mixed,
        method=f"correlated t of the biases, {analysis.clusters}, {count(null.draws)} draws",
    )


def scenario_rows(analysis: Analysis, settings: Settings) -> tuple[list[Row], FlippedMean | str]:
    """Tests on one difference a scenario: t and sign flip of each B (its `statistic` is their sum), and of B_all.

    The test of B_all, whose `statistic` it is, is that the differences of scenarios are as likely as their negatives.
    """
    rows, columns = [], []
    for pair in analysis.pairs:
        after, before = scenario_means(analysis.answers, *pair, max(analysis.raters) + 1)
        table = after - before  # (scenarios, raters), NaN where a rater lacks an order
        cells = set(analysis.means.cells)
        columns += [
            table[:, rater]
            for rater in analysis.raters
            if {(rater, *pair), (rater, *pair[::-1])} <= cells
        ]
        answered = ~np.isnan(table)
        n_raters = answered.sum(axis=1)
        values = np.where(answered, table, 0.0).sum(axis=1)[n_raters > 0] / n_raters[n_raters > 0]
        row, flip = (analysis.bias_row(pair, group=group, role="test") for group in (MEANS, FLIP))
        if not len(values):
            why = "no scenario has answers in both orders"
            rows += [replace(test_row, undefined=why, reason="no_data") for test_row in (row, flip)]
            continue
        n = len(values)
        mean = clustered_mean(values, np.ones(n), magnitude=1.0)
        row = replace(
            row, estimate=mean.mean, n=float(n), method=f"t, {count(n, 'scenario')} weighing alike"
        )
        rows.append(with_mean(row, mean, settings["level"], within=(-MOST, MOST)))
        flip = replace(flip, n=float(n), statistic=float(values.sum()), test="sign_flip")
        if n < 2:
            why = "a single scenario: its sign alone cannot be tested"
            flip = replace(flip, statistic=None, undefined=why, reason="one_cluster")
        elif not np.any(values):
            flip = replace(
                flip, p_value=1.0, method="sign flip: every scenario has the difference 0"
            )
        else:
            test = sign_flip_test(values, seed=settings["seed"])
            method = flip_text(0 if test.exact else test.draws)
            flip = replace(flip, p_value=float(test.p_value[0]), method=method)
        rows.append(flip)
    overall_row = Row(term=PLAIN, group=FLIP, role="test", test="sign_flip")
    if not columns:
        return [*rows, replace(overall_row, undefined=NEITHER, reason="no_data")], NEITHER
    flipped = flipped_mean_absolute(
        np.column_stack(columns), analysis.every_bias()[1], seed=settings["seed"]
    )
    if isinstance(flipped, str):
        return [*rows, replace(overall_row, undefined=flipped)], flipped
    n = len(np.unique(analysis.answers.scenario))
    overall_row = replace(
        overall_row,
        statistic=flipped.observed,
        # the statistic is B_all of the differences of scenarios
        p_value=flipped.p_value,
        n=float(n),
        method=flip_text(flipped.flips),
    )
    return [*rows, overall_row], flipped


def flip_text(flips: int) -> str:
    """Return how many patterns of signs were drawn; 0: all were counted."""
    return f"sign flip of scenarios, {f'{count(flips)} random flips' if flips else 'exact'}"


def mcnemar_rows(
    analysis: Analysis, asked: Couples
) -> tuple[list[Row], dict[str, dict[str, float]]]:
    """McNemar's tests of complete couples taken as independent, and the cells."""
    rows, cells, what = [], {}, "complete couples as independent"
    for pair in analysis.pairs:
        chi_row, mid_row = (
            analysis.bias_row(pair, group=group, role="test") for group in (MCNEMAR, MID_P)
        )
        if not analysis.answers.drawn:
            rows += [
                replace(row, undefined=NOT_DRAWN, reason="unidentified")
                for row in (chi_row, mid_row)
            ]
            continue
        table, repeated = asked.cells(*pair), int(asked.repeated[asked.is_of_groups(*pair)].sum())
        if repeated or table is None:
            why = "no couple was answered in both orders"
            if table is not None:
                why = (
                    f"{count(repeated, 'couple')} with several answers in an order, or unlike counts: which belong "
                    "together is not known"
                )
            rows += [replace(row, undefined=why, reason="no_data") for row in (chi_row, mid_row)]
            continue
        cells[chi_row.term] = {
            "first_group_both": table.b,
            "second_group_both": table.c,
            "first_place_both": table.a,
            "second_place_both": table.d,
        }
        sizes: dict[str, Any] = {"n": table.n, "n_units": int(table.discordant)}
        chi_square, mid_p_test = tests.asymptotic(table), tests.mid_p(table)
        chi_row = replace(
            chi_row,
            estimate=2 * table.difference,
            test="chi2",
            method=f"chi-square, {what}",
            **sizes,
        )
        if isinstance(chi_square, str):
            chi_row = replace(chi_row, undefined=chi_square, reason="no_variation")
        else:
            statistic, df, p = chi_square.statistic, chi_square.df, chi_square.p
            chi_row = replace(chi_row, statistic=statistic, df=df, p_value=p)
        mid_row = replace(
            mid_row,
            statistic=mid_p_test.statistic,
            p_value=mid_p_test.p,
            test="mid_p",
            method=f"mid-p, {what}",
            **sizes,
        )
        rows += [chi_row, mid_row]
    return rows, cells


def stratum_codes(
    design: Ratings, answers: CoupleAnswers, name: str
) -> tuple[Any, tuple[str, ...]]:
    """Return the level of each answer (-1: none) and the levels of a stratum of units, or of a group of raters."""
    if name in design.rater_groups:
        factor = design.rater_groups[name]
        return factor.codes[answers.rater], factor.levels
    factor = unit_factor(design, name, "stratum")
    return factor.codes[answers.unit], factor.levels


def stratum_rows(analysis: Analysis, settings: Settings) -> tuple[list[Row], list[Term]]:
    """Rows of each level of the stratum, of their differences, and of all levels alike; and the terms among them."""
    name = settings["stratum"]
    if name is None:
        return [], []
    codes, levels = stratum_codes(analysis.design, analysis.answers, name)
    rows, level_terms, parts, sizes = [], [], {}, {}
    with_scores = settings["stratum_rows"] == "scores"
    for code, level in enumerate(levels):
        inside = codes == code
        if not inside.any():
            continue
        part = replace(
            analysis, means=cell_scores(analysis.answers.take(inside), settings["aggregate"])
        )
        by_kind = terms(part, settings, level)
        shown = (POSITION, SCORE) if with_scores else ()
        kinds = [by_kind[BIAS], by_kind[MEAN], *(by_kind[kind] for kind in shown)]
        level_terms += [term for of_kind in kinds for term in of_kind]
        parts[level] = part
        if part.size is not None:
            sizes[level] = size_rows(part, joint_estimates(part), settings, level)
        rows += [
            *(term.row for term in by_kind[BIAS]),
            *sizes.get(level, []),
            *(term.row for of_kind in kinds[1:] for term in of_kind),
        ]
        if with_scores:
            tests, _ = mcnemar_rows(part, match_couples(part.answers))
            for row in tests:
                key = (*row.key, *level_key(level))
                rows.append(replace(row, group=f"{row.group}; {name} = {level}", key=key))
    gaps = gap_terms(analysis, parts, settings)
    size_gaps: list[Row] = []
    for first, second in combinations(sizes, 2) if len(parts) <= MOST_LEVELS else ():
        a_size, b_size = (sizes[level][1] for level in (first, second))
        gap = Row(
            term=CORRECTED,
            key=(("quantity", CORRECTED), *level_facts(first, second)),
            group=f"{first} - {second}",
            role="difference",
        )
        n = (a_size.n or 0.0) + (b_size.n or 0.0)
        method = f"{a_size.method}; both intervals combined"
        size_gaps.append(with_both_intervals(gap, a_size, b_size, n=n, method=method))
    weighed_alike = alike_terms(analysis, settings, codes)
    # differences of B are one family of tests, those of S another, and B with levels alike a third
    rows += [
        *rows_with_holm([term.row for term in gaps if term.reach == 2 * MOST]),
        *rows_with_holm([term.row for term in gaps if term.reach != 2 * MOST]),
        *size_gaps,
        *rows_with_holm([term.row for term in weighed_alike if term.row.label("group")]),
        *(term.row for term in weighed_alike if not term.row.label("group")),
    ]
    return rows, [*level_terms, *gaps, *weighed_alike]


def level_facts(first: str, second: str) -> RowKey:
    """Return the levels of a difference, as facts of its row."""
    return ("first level", first), ("second level", second)


def gap_terms(analysis: Analysis, parts: Mapping[str, Analysis], settings: Settings) -> list[Term]:
    """Return the differences of any two levels (up to four levels): of B, and with ``"scores"`` of S.

    Each level has its own mean. A level with a single cluster of a factor shows no variance between its clusters.
    """
    gaps = []
    for first, second in combinations(parts, 2) if len(parts) <= MOST_LEVELS else ():
        with_scores = settings["stratum_rows"] == "scores"
        for row, coefficients, reach in level_contrasts(analysis, with_scores=with_scores):
            a, b = (parts[level].linear(coefficients(parts[level])) for level in (first, second))
            if a is None or b is None:
                continue
            mean = analysis.gap(a, b)
            row = replace(
                row,
                key=(*row.key, *level_facts(first, second)),
                group=f"{first} - {second}",
                role="difference",
            )
            row = with_linear(analysis, row, [a, b], mean, 2 * reach, settings["level"])
            single_clusters = [
                f"'{shorten(level)}' has a single {shorten(name)}"
                for level, name in zip(
                    (first, second), map(analysis.single_factor, (a, b)), strict=True
                )
                if name
            ]
            if single_clusters:
                why = f"{listing(single_clusters)}, so the variance between clusters is unknown"
                row = replace(row, undefined=why, reason="one_cluster")
            gaps.append(Term(row=row, coefficient=None, mean=mean, reach=2 * reach))
    return gaps


def level_contrasts(
    analysis: Analysis, *, with_scores: bool
) -> list[tuple[Row, Callable[[Analysis], FloatArray], float]]:
    """Return what levels are compared by: B of each pair of groups, and `with_scores` S of every kind of couple."""
    out: list[tuple[Row, Callable[[Analysis], FloatArray], float]] = [
        (analysis.bias_row(pair), partial(Analysis.bias, pair=pair), MOST)
        for pair in analysis.pairs
    ]
    if not with_scores:
        return out
    out.append((Row(term=SAME), Analysis.position, 1.0))
    for a, b in dict.fromkeys((a, b) for _, a, b in analysis.means.cells):
        row = analysis.couple_row(a, b)
        out.append((row, lambda part, a=a, b=b: part.combination((1.0, a, b)), 1.0))  # type: ignore[misc]
    return out


def alike_terms(analysis: Analysis, settings: Settings, codes: Any) -> list[Term]:
    """Return B and the order effect with all levels of the stratum weighing alike.

    Differences between levels are part of the error, so that a level may have a single scenario.
    """
    name, in_level = settings["stratum"], codes >= 0
    if len(np.unique(codes[in_level])) < 2:
        return []
    means = cell_scores(
        analysis.answers.take(in_level), settings["aggregate"], alike=codes[in_level]
    )
    by_kind = terms(replace(analysis, means=means), settings)
    return [
        replace(
            term,
            row=replace(
                term.row, group=f"levels of {name} alike", key=(*term.row.key, ("alike", name))
            ),
        )
        for term in (*by_kind[BIAS], *by_kind[MEAN])
    ]

"""Relationship bias: with whom a model sides in couples of two groups of names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.calls import TableLike
from socialstats.designs.couples import couples_design
from socialstats.designs.levels import codes_in
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import OK, Ratings
from socialstats.errors import Caution, DesignError, InputError, NothingToAnalyse, caution
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.compare import rows_with_holm, with_both_intervals
from socialstats.inference.dependence import (
    FEW_DF,
    cluster_factors,
    cluster_names,
    cluster_text,
    few_df,
    mean_cautions,
    resampling_units,
)
from socialstats.inference.intervals import checked_level
from socialstats.inference.rows import NO_WIDTH, with_ends, with_mean
from socialstats.paired import matched_pairs as tests
from socialstats.paired.mean_sizes import (
    DRAWS,
    MeanSizeEstimates,
    NoBias,
    influence_correlation,
    no_bias,
    size_interval,
)
from socialstats.paired.size_differences import MeanSizes
from socialstats.registry import Metric, reads
from socialstats.resampling import (
    Bootstrap,
    Interval,
    basic,
    bootstrap_sums,
    percentile,
    sign_flip_test,
)
from socialstats.resampling.engine import lost_caution
from socialstats.resampling.intervals import check_resamples
from socialstats.resampling.permutation import checked_seed
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.rows import RowKey
from socialstats.scales.alignment import FlippedMean, flipped_mean_absolute
from socialstats.scales.couples import (
    Aggregate,
    CellScores,
    CoupleAnswers,
    Couples,
    LinearCombination,
    cell_scores,
    clustered_difference_of,
    clustered_mean_of,
    combine_cells,
    match_couples,
    scenario_means,
)
from socialstats.sentences import estimate_text as estimated
from socialstats.sentences import stat
from socialstats.shares.counts import probabilities_text
from socialstats.tables import label_text
from socialstats.text import count, listing, number, p_value, quoted, shorten
from socialstats.voice import Word, check_allowed, option

if TYPE_CHECKING:
    from matplotlib.axes import Axes


CiName = Literal["closed", "percentile", "basic"]
CoupleRule = Literal["all", "complete"]
StratumRows = Literal["biases", "scores"]
Settings = dict[str, Any]  # the options of `relationship_bias`, which documents them
ALLOWED = {"couples": CoupleRule, "aggregate": Aggregate, "ci": CiName, "stratum_rows": StratumRows}

BIAS, POSITION, MEAN, SCORE = "bias", "position", "position, mean", "score"
BOTH, APART = "position, both orders", "different groups"
MEANS, FLIP = "scenario means", "scenario sign flip"
MCNEMAR, MID_P = "McNemar, ignoring clusters", "McNemar mid-p, ignoring clusters"
PLAIN, CORRECTED, OVERALL, NULL = "B_all", "B_all corrected", "overall", "overall, without any bias"
SAME = "same groups"
MOST = 2.0  # the largest size of B
# couples of one order that a result names
MOST_LISTED = 200
MOST_LEVELS = 4  # levels of a stratum up to which any two are compared
ONE_ORDER = "couples of these groups have answers in one order only"
NEITHER = "no pair of groups was answered in both orders"
NOT_DRAWN = "replies count with probabilities, and McNemar's test takes answers that were drawn"
ALIKE = "couples of one kind were always answered alike: no standard error, no test"
TINY = 1e-15  # influence that is rounding
DEPENDENCE = {
    "rows": "t, units independent",
    "CR2": "t, clusters of {names} (CR2)",
    "two-way": "t, crossed clusters of {names}",
}
FLOORED = "larger one-way variance"
TWO_MEANS = "each level around its own mean"
RESAMPLED = "bootstrap interval of the population's mean absolute bias (basic, less the bias, to percentile), cut at 0"
# biases in a sentence
MOST_SAID = 6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Analysis:
    """Mean scores of one set of answers, and the combinations that are asked for.

    A combination is a (raters, cells) array of coefficients of the mean scores, a line for each rater who has all of
    its cells. Its value is the mean over these raters.

    Attributes
    ----------
    design : Ratings
    factors : tuple of Factor
        Clusters.
    groups : tuple of str
    pairs : tuple of (int, int)
        Two groups that met, in the order of `groups`.
    means : CellScores
    """

    design: Ratings
    factors: tuple[Factor, ...]
    groups: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    means: CellScores

    @property
    def answers(self) -> CoupleAnswers:
        """The answers behind the means."""
        return self.means.answers

    @property
    def raters(self) -> list[int]:
        """Codes of the raters that have cells of their own; 0 where raters are pooled."""
        return sorted({cell[0] for cell in self.means.cells})

    @property
    def clusters(self) -> str:
        """The clusters in words."""
        names = cluster_names(self.factors)
        return f"clusters of {names}" if names else "units independent"

    def bias_row(self, pair: tuple[int, int], **fields: Any) -> Row:
        """Return a row about two groups, named by the one that a positive number favours first."""
        first, second = (self.groups[k] for k in pair)
        return Row(term=f"{first} - {second}", key=(("group", first), ("other", second)), **fields)

    def couple_row(self, a: int, b: int, **fields: Any) -> Row:
        """Return a row about couples whose first name is of group a, and the second of b."""
        first, second = self.groups[a], self.groups[b]
        term = first if a == b else f"{first}, {second}"
        return Row(term=term, key=(("first", first), ("second", second)), **fields)

    def combination(self, *cells: tuple[float, int, int]) -> FloatArray:
        """Combine cells given as (coefficient, first, second)."""
        place = {cell: k for k, cell in enumerate(self.means.cells)}
        lines = []
        for rater in self.raters:
            coefficients = {(rater, a, b): value for value, a, b in cells}
            if set(coefficients) <= set(place):
                lines.append([coefficients.get(cell, 0.0) for cell in self.means.cells])
        return np.array(lines).reshape(-1, len(place))

    def bias(self, pair: tuple[int, int]) -> FloatArray:
        """B_ab = S_ba - S_ab."""
        return self.combination((1.0, *pair[::-1]), (-1.0, *pair))

    def position(self) -> FloatArray:
        """Mean of the scores S_aa of all groups that met their own kind."""
        indicators = [
            [float(rater == cell[0] and cell[1] == cell[2]) for cell in self.means.cells]
            for rater in self.raters
        ]
        lines = [np.array(indicator) / sum(indicator) for indicator in indicators if sum(indicator)]
        return np.array(lines).reshape(-1, len(self.means.cells))

    def both_orders(self) -> FloatArray:
        """Mean of (S_ab + S_ba)/2, in which B cancels, of the pairs of groups that have both orders."""
        place = {cell: k for k, cell in enumerate(self.means.cells)}
        lines = []
        for rater in self.raters:
            cells = [[(rater, *pair), (rater, *pair[::-1])] for pair in self.pairs]
            present = [cell for orders in cells if set(orders) <= set(place) for cell in orders]
            if present:
                at = [place[cell] for cell in present]
                lines.append(np.bincount(at, minlength=len(place)) / len(at))
        return np.array(lines).reshape(-1, len(place))

    def linear(self, coefficients: FloatArray) -> LinearCombination | None:
        """Return the value of a combination with its influence; None where no rater has the cells."""
        if not len(coefficients):
            return None
        return combine_cells(self.means, coefficients.mean(axis=0), len(self.design.units))

    def mean(self, combination: LinearCombination) -> ClusteredMean:
        """Return the clustered mean behind a combination."""
        return clustered_mean_of(
            combination, self.design.unit_count, [factor.codes for factor in self.factors]
        )

    def gap(self, first: LinearCombination, second: LinearCombination) -> ClusteredMean:
        """Return the difference of two combinations, each with a mean of its own."""
        return clustered_difference_of(
            first, second, self.design.unit_count, [factor.codes for factor in self.factors]
        )

    def single_factor(self, combination: LinearCombination) -> str:
        """Return the factor of which a combination has one level only; empty where there is none."""
        touched = combination.touched > 0
        for factor in self.factors:
            if len(np.unique(factor.codes[touched])) < 2:
                return factor.name
        return ""

    def every_bias(self) -> tuple[FloatArray, FloatArray]:
        """Coefficients of every B that the mean size averages, and weights: pairs alike, raters within a pair alike."""
        by_pair = [lines for lines in map(self.bias, self.pairs) if len(lines)]
        if not by_pair:
            return np.empty((0, 0)), np.empty(0)
        # pairs of groups weigh alike, and raters within a pair
        weights = [np.full(len(lines), 1 / len(lines) / len(by_pair)) for lines in by_pair]
        return np.concatenate(by_pair), np.concatenate(weights)

    def sizes(self, units: IntArray, aggregate: Aggregate, seed: int) -> MeanSizes | None:
        """Every B that B_all averages, in some units, with what each of these adds; None where an error is unknown."""
        inside = np.isin(self.answers.unit, units)
        analysis = self
        if not inside.all():
            analysis = replace(self, means=cell_scores(self.answers.take(inside), aggregate))
        estimates = joint_estimates(analysis)
        if isinstance(estimates, str):
            return None
        lines, _ = analysis.every_bias()
        biases = [combine_cells(analysis.means, line, len(analysis.design.units)) for line in lines]
        return MeanSizes(
            estimates=estimates,
            influence=np.column_stack([line.influence[units] for line in biases]),
            seed=seed,
        )

    @property
    def size(self) -> float | None:
        """B_all, the mean of abs(B) over the pairs of groups; None where none has both orders."""
        lines, weights = self.every_bias()
        return float(np.abs(lines @ self.means.mean) @ weights) if len(lines) else None

    @property
    def mixed(self) -> float:
        """Answers to couples of two groups, which B_all is made of."""
        return float(self.answers.count[self.answers.first != self.answers.second].sum())


def read_analysis(design: Ratings, settings: Settings) -> tuple[Analysis, Couples]:
    """Take the answers and their groups from a design; the couples are those before incomplete ones are left out.

    Raises
    ------
    DesignError
        If a factor is not declared, or an answer is neither of the two.
    InputError
        For groups that do not occur.
    NothingToAnalyse
        If nothing was answered.
    """
    factors = cluster_factors(design, settings["cluster"])
    scenario, pair, first, second = (
        unit_factor(design, settings[name], name)
        for name in ("scenario", "pair", "group_first", "group_second")
    )
    groups = ordered_groups((*first.levels, *second.levels), settings["groups"])
    ok = np.flatnonzero(design.status == OK)
    unit = design.unit[ok]
    codes = answer_codes(design, settings["answers"])
    # an answer scores -1 for the first name and 1 for the second; probable replies are weighted means of both
    score_of_level = np.array([-1.0 if k == codes[0] else 1.0 for k in range(len(design.levels))])
    group_codes = [codes_of(factor, groups)[unit] for factor in (first, second)]
    answers = CoupleAnswers(
        score=design.read_as()[ok] @ score_of_level,
        count=design.unit_count[unit],
        unit=unit,
        scenario=scenario.codes[unit],
        pair=pair.codes[unit],
        rater=design.rater[ok],
        first=group_codes[0],
        second=group_codes[1],
    ).take((group_codes[0] >= 0) & (group_codes[1] >= 0))
    if not len(answers.score):
        raise NothingToAnalyse(f"{design.source}: no couple of {quoted(groups)} was answered")
    asked = match_couples(answers)
    if not len(asked.key):
        raise DesignError(
            f"{design.source}: no couple of two different groups was answered; relationship_bias "
            f"compares couples (a, b) with couples (b, a) of {quoted(groups)}"
        )
    if settings["couples"] == "complete":
        # couples of one group have no other order, and stay
        answers = answers.take(np.append(asked.complete, True)[asked.of_answer])
        if not len(answers.score):
            raise NothingToAnalyse(
                f"{design.source}: no couple was answered in both orders "
                f"({option('couples', 'complete')})"
            )
    pairs = tuple(sorted({(a, b) for a, b in asked.key[:, :2].tolist()}))
    means = cell_scores(answers, settings["aggregate"])
    return Analysis(design=design, factors=factors, groups=groups, pairs=pairs, means=means), asked


def unit_factor(design: Ratings, name: str, part: str) -> Factor:
    """Return a stratum or cluster of the units.

    Raises
    ------
    DesignError
        If it is not declared.
    """
    factors = {**design.strata, **{factor.name: factor for factor in design.clusters}}
    if name not in factors:
        listed = ", ".join(f"'{shorten(declared)}'" for declared in factors) or "none"
        raise DesignError(
            f"{design.source}: no stratum or cluster '{shorten(name)}' of the units. Declared: {listed}; "
            f"name it with {option(part)}, or pass the table itself, one answer a row"
        )
    return factors[name]


def ordered_groups(present: Sequence[str], asked: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the groups in the order asked for, or sorted."""
    occurring = sorted(set(present))
    if asked is None:
        return tuple(occurring)
    unknown = [group for group in asked if group not in occurring]
    if unknown:
        raise InputError(
            f"groups: no group '{shorten(str(unknown[0]))}'. Groups: {quoted(occurring, 20)}"
        )
    if len(set(asked)) < len(asked) or len(asked) < 2:
        raise InputError(
            f"{option('groups', listing(list(asked)))} must be at least two different groups of {quoted(occurring, 20)}"
        )
    return asked


def codes_of(factor: Factor, groups: Sequence[str]) -> Any:
    """(units,) int64 array: the place of each unit's level among the groups, -1 for others."""
    return np.array(
        [groups.index(g) if g in groups else -1 for g in factor.levels], dtype=np.int64
    )[factor.codes]


def answer_codes(design: Ratings, answers: tuple[Any, ...]) -> list[int]:
    """Return the places of both answers among the levels; refuse any other answer that occurs."""
    labels, values = (
        [label_text(answer) or "" for answer in answers],
        design.value[design.status == OK],
    )
    codes = codes_in(labels, design.levels)
    others = [design.levels[code] for code in np.unique(values).tolist() if code not in codes]
    if others:
        n = int(np.isin(values, codes, invert=True).sum())
        raise DesignError(
            f"{design.source}: {count(n, 'answer')} neither '{shorten(labels[0])}' (the first name) nor "
            f"'{shorten(labels[1])}' (the second): {quoted(others)}. Say which two answers count with "
            f"{option('answers', (Word('first'), Word('second')))}, and declare the others as "
            f"{option('refusal')} or {option('na')}"
        )
    return codes


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


def joint_estimates(analysis: Analysis) -> MeanSizeEstimates | str:
    """Every B that B_all averages, with their clustered errors and correlations; or why those are not known.

    Pairs of groups have pairs of names of their own, so that each has its own chi-square of the error. Raters within a
    pair of groups share it.
    """
    lines, weight = analysis.every_bias()
    if not len(lines):
        return NEITHER
    biases = [combine_cells(analysis.means, bias, len(analysis.design.units)) for bias in lines]
    lone_factor = next(filter(None, map(analysis.single_factor, biases)), "")
    if lone_factor:
        return f"a bias rests on a single {shorten(lone_factor)}: no interval"
    means = [analysis.mean(bias) for bias in biases]
    why = next((mean.undefined for mean in means if mean.undefined), "")
    if why:
        return why
    used = np.any([bias.touched > 0 for bias in biases], axis=0)
    influence = np.column_stack([bias.influence[used] for bias in biases])  # (units used, biases)
    codes = [factor.codes[used] for factor in analysis.factors]
    block = [np.full(len(analysis.bias(pair)), k) for k, pair in enumerate(analysis.pairs)]
    return MeanSizeEstimates(
        value=np.array([bias.estimate for bias in biases]),
        error=np.array([mean.std_error for mean in means]),
        df=np.array([mean.df for mean in means]),
        weight=weight,
        correlation=influence_correlation(influence, codes),
        block=np.concatenate(block),
    )


def level_key(level: str | None) -> RowKey:
    """Return the level of the stratum as a part of a row's key; nothing of all answers."""
    return () if level is None else (("level", level),)


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


REFERENCES = (
    "levy2024",
    "cameron2011",
    "cochran1964",
    "bellmccaffrey2002",
    "welch1947",
    "holm1979",
    "leone1961",
    "owen2007",
    "chuanglai2000",
    "zoudonner2008",
    "mcnemar1947",
    "fagerland2013",
)


@reads(couples_design, Ratings)
def relationship_bias(
    ratings: Ratings | TableLike,
    *,
    groups: Sequence[str] | None = None,
    scenario: str = "scenario",
    pair: str = "pair",
    group_first: str = "group_first",
    group_second: str = "group_second",
    answers: Sequence[Any] = (-1, 1),
    couples: CoupleRule = "all",
    aggregate: Aggregate = "pooled",
    stratum: str | None = None,
    stratum_rows: StratumRows = "biases",
    ci: CiName = "closed",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate with whom a model sides in couples of two groups of names, and the effect of the order of names.

    An answer scores -1 for the first and +1 for the second name. S_ab is the mean score of couples whose first name
    is of group a and second of b. B_ab = S_ba - S_ab, in [-2, 2], is positive where group a is favoured over both
    positions. S_aa, couples of one group, is the order effect. B_all is the mean of abs(B) over the pairs of groups
    (Levy et al. 2024). B_all is positive even without bias: it is returned with its expected value then, and corrected.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        Units are (scenario, pair of names, order). A data frame with one answer per row is read by the columns that the
        options name (`socialstats.designs.couples.couples_design`). Scenario and pair are crossed clusters, and raters
        come from a column ``rater``, ``model`` or ``judge``. With a ``by`` factor: one result per level.
    groups : sequence of str, optional
        Groups to compare, in the order of the differences: of (a, b, c) B_ab, B_ac and B_bc. By default all, sorted.
    scenario, pair, group_first, group_second : str
        Strata or clusters of the units (columns of a data frame). `pair` is the same label in both orders.
    answers : pair
        The answers that mean the first and the second name.
    couples : {"all", "complete"}
        Use all answers, or leave out couples that were answered in one order only (caution SS301 counts them).
    aggregate : {"pooled", "scenario", "rater"}
        How answers become S: all alike; scenarios alike. Alternatively rater by rater, with B and abs(B) averaged over
        raters (the mean of absolute values is not the absolute value of the mean).
    stratum : str, optional
        Stratum of the units (a topic), or group of the raters (models with and without safety tuning): biases, position
        and B_all of each of its levels. Up to four levels have the differences of any two, on the same scenarios where
        levels are of raters. Each level has its own mean (`socialstats.inference.means.difference_errors`). Another row
        gives all levels the same weight. A level of one scenario has no interval, and no test of a difference: nothing
        shows how others like it would differ.
    stratum_rows : {"biases", "scores"}
        ``"scores"``: also S of every kind of couple within each level, its differences between levels, and McNemar's
        tests within each level.
    ci : {"closed", "percentile", "basic"}
        Interval of S, B and B_all: t, and for B_all inverted tests (`socialstats.paired.mean_sizes.size_interval`);
        or a bootstrap of clusters.
    cluster : str, sequence of str or None
        ``"declared"``: all declared clusters, crossed (V1 + V2 - V12, not below the larger of V1 and V2, with
        Cochran's df); one name (CR2); or None, units independent (caution SS201).
    level : float
    resamples, seed : int
        Of the bootstrap; the seed also of random flips and draws.
    **columns
        Of a data frame or file: its columns, by the keywords of `couples_design` or `read_ratings`.

    Returns
    -------
    Result
        Group ``"bias"``: B of each pair of groups (``"a - b"``), t test of 0, `p_adjusted` by Holm. ``"overall"``:
        ``B_all`` and ``B_all corrected``, both with the interval of the population's value. It contains all values not
        rejected, by draws of correlated t's with the clustered errors of the biases, as of the test. Its lower limit is
        0 where a test of no bias at half of 1 - `level` does not reject. With a bootstrap, the basic one less the bias
        from below, the percentile one from above, cut at 0. Both are widened to hold both estimates. ``"overall,
        without any bias"``: the mean that B_all has where every B is 0 (sum of weight x s.e. x sqrt(2/pi)) and the test
        of that, by the same draws: both factors count. ``"position"``: S_aa of each group; ``"position, mean"``: their
        mean. ``"position, both orders"``: the mean of (S_ab + S_ba)/2, in which B cancels, over pairs of groups.
        ``"score"``: S_ab (``"a, b"``). ``"scenario means"`` and ``"scenario sign flip"``: tests on one difference per
        scenario (of ``B_all``: that no group is favoured). They leave the pairs of names out, so the p of a sign flip
        is too small where names matter. ``"McNemar, ignoring clusters"``, ``"McNemar mid-p, ignoring clusters"``:
        tests that take complete couples as independent, for comparison with publications. `n` counts couples, `n_units`
        those in which both orders favour the same group (the mid-p row's `statistic`: the first group). With `stratum`
        the groups ``"<stratum> = <level>"``, ``"<level> - <level>"`` (``B_all corrected`` there by the intervals of
        both levels: Zou & Donner 2008; tests of B one family by Holm, those of S another) and ``"levels of <stratum>
        alike"``. `extras`: ``null_mean`` of B_all (value), ``flipped_mean`` (by sign flips: value, mc_error, flips),
        ``mcnemar_cells``, ``one_order_only`` (the first 200 couples without one of the answers).

    Raises
    ------
    DesignError
        If scenario, pair or a group is not declared, or an answer is neither of the two.
    InputError
        For an unknown option, group or cluster.
    NothingToAnalyse
        If no couple was answered.

    References
    ----------
    Levy, S., Adler, W. D., Karver, T. S., Dredze, M., & Kaufman, M. R. (2024). Gender bias in decision-making with
    large language models: A study of relationship conflicts. doi:10.18653/v1/2024.findings-emnlp.331
    Cameron, A. C., Gelbach, J. B., & Miller, D. L. (2011). doi:10.1198/jbes.2010.07136
    Leone, F. C., Nelson, L. S., & Nottingham, R. B. (1961). doi:10.1080/00401706.1961.10489974
    Chuang, C.-S., & Lai, T. L. (2000). Hybrid resampling methods for confidence intervals. Statistica Sinica, 10(1).
    Zou, G. Y., & Donner, A. (2008). doi:10.1002/sim.3095

    Examples
    --------
    >>> rows = {"scenario": ["s1"] * 4 + ["s2"] * 4 + ["s3"] * 4, "pair": ["p1", "p1", "p2", "p2"] * 3,
    ...         "group_first": ["w", "m"] * 6, "group_second": ["m", "w"] * 6,
    ...         "answer": [-1, 1, -1, -1, -1, 1, -1, 1, 1, 1, -1, -1]}
    >>> result = relationship_bias(rows, groups=("w", "m"))
    >>> result.row("w - m", group="bias").estimate
    1.0
    """
    groups = (groups,) if isinstance(groups, str) else groups
    settings: Settings = {
        "groups": groups if groups is None else tuple(groups),
        "scenario": scenario,
        "pair": pair,
        "group_first": group_first,
        "group_second": group_second,
        "answers": tuple(answers),
        "couples": couples,
        "aggregate": aggregate,
        "stratum": stratum,
        "stratum_rows": stratum_rows,
        "ci": ci,
        "cluster": cluster,
        "level": checked_level(level),
        "resamples": resamples,
        "seed": checked_seed(seed),
    }
    for name, allowed in ALLOWED.items():
        check_allowed(name, settings[name], get_args(allowed))
    if len(settings["answers"]) != 2 or settings["answers"][0] == settings["answers"][1]:
        raise InputError(
            f"{option('answers', settings['answers'])} must be two different answers: the one that means "
            "the first name and the one that means the second"
        )
    check_resamples(resamples, level)
    return estimate(ratings, settings)


def estimate(design: Ratings, settings: Settings) -> Result:
    """Compute everything of one design."""
    analysis, asked = read_analysis(design, settings)
    by_kind, estimates = terms(analysis, settings), joint_estimates(analysis)
    # the mean of one group is that group
    by_kind[MEAN] = by_kind[MEAN] if len(by_kind[POSITION]) > 1 else []
    main = [term for kind in (BIAS, POSITION, MEAN, BOTH, SCORE) for term in by_kind[kind]]
    first = [term.row for term in main]
    boot = resample_terms(analysis, main, settings)
    if boot is not None:
        interval = percentile if settings["ci"] == "percentile" else basic
        ends = interval(boot, level=settings["level"])
        first = [with_bootstrap(term, k, ends, settings) for k, term in enumerate(main)]
    null = (
        estimates
        if isinstance(estimates, str)
        else no_bias(estimates, estimates.draw_errors(settings["seed"]))
    )
    by_scenario, flipped = scenario_rows(analysis, settings)
    tests, cells = mcnemar_rows(analysis, asked)
    strata, stratum_terms = stratum_rows(analysis, settings)
    n = len(analysis.pairs)
    rows = (
        *rows_with_holm(first[:n], family="pairs of groups"),
        *size_rows(analysis, estimates, settings, boot=boot),
        *first[n:],
        null_row(analysis, null),
        *by_scenario,
        *tests,
        *strata,
    )
    means = [term.mean for term in by_kind[BIAS] if term.mean and not term.mean.undefined]
    gaps = [term for term in stratum_terms if term.row.role == "difference"]
    gap_means = [term.mean for term in gaps if term.mean]
    floored = [term.row for term in (*main, *stratum_terms) if term.mean and term.mean.floored]
    answers, incomplete = analysis.answers, ~asked.complete
    raters, n_one_order = len(np.unique(answers.rater)), int(asked.count[incomplete].sum())
    extras: dict[str, Any] = {
        "analysis": analysis,
        "estimates": estimates,
        "mcnemar_cells": cells,
        "one_order_only": one_order_only(analysis, asked, settings),
        "groups": analysis.groups,
        "floored": tuple((row.term, row.group) for row in floored),
    }
    if isinstance(null, NoBias):
        extras["null_mean"] = {"value": null.null_mean}
    if isinstance(flipped, FlippedMean):
        extras["flipped_mean"] = {
            "value": flipped.null_mean,
            "mc_error": flipped.mc_error,
            "flips": flipped.flips,
        }
    fit = {
        "nobs": int(answers.count.sum()),
        "n_clusters": rows[0].n_clusters,
        "method": rows[0].method,
        "seed": settings["seed"],
        "resamples": settings["resamples"],
        "effective_df": min((mean.df for mean in means), default=None),
        "largest_leverage": max((mean.largest for mean in means), default=None),
    }
    cautions = (
        *mean_cautions(
            design,
            analysis.factors,
            [*means, *gap_means],
            what="couples",
            bounded=True,
            resampled=settings["ci"] != "closed",
            few=False,
        ),
        *few_cautions(analysis, rows[: len(rows) - len(strata)], strata, settings),
        *bias_cautions(analysis, rows, floored, boot, null, n_one_order, settings),
    )
    return Result(
        metric="relationship_bias",
        title=f"Relationship bias B of {count(len(analysis.groups), 'group')}{probabilities_text(design)}",
        inference=intervals_text(analysis, settings),
        rows=rows,
        counts={
            "answers": int(answers.count.sum()),
            "scenarios": len(np.unique(answers.scenario)),
            "pairs of names": len(np.unique(answers.pair)),
            "complete couples": int(asked.count[~incomplete].sum()),
            "couples answered in one order only": n_one_order,
        }
        | ({"raters": raters} if raters > 1 else {}),
        fit=fit,
        settings=settings,
        cautions=cautions,
        references=REFERENCES,
        design=design,
        extras=extras,
    )


def one_order_only(
    analysis: Analysis, asked: Couples, settings: Settings
) -> tuple[dict[str, str], ...]:
    """List the first couples that were answered in one order only."""
    scenario, pair = (
        unit_factor(analysis.design, settings[name], name) for name in ("scenario", "pair")
    )
    listed = []
    for k in np.flatnonzero(~asked.complete)[:MOST_LISTED].tolist():
        # a couple of groups a and b lacks the order without a score
        a, b, at, names, rater = asked.key[k].tolist()
        first, second = (a, b) if np.isnan(asked.score[k, 0]) else (b, a)
        listed.append(
            {
                "scenario": scenario.levels[at],
                "pair": pair.levels[names],
                "rater": analysis.design.raters[rater],
                "no_answer_with_first": analysis.groups[first],
                "and_second": analysis.groups[second],
            }
        )
    return tuple(listed)


def intervals_text(analysis: Analysis, settings: Settings) -> str:
    """Return how the intervals were obtained."""
    clusters, seed = cluster_text(analysis.factors, "units"), settings["seed"]
    if settings["ci"] == "closed":
        return f"t intervals of B and S, inverted tests for B_all ({count(DRAWS)} draws, seed {seed}); {clusters}"
    resamples = f"{count(settings['resamples'])} resamples, seed {seed}"
    return f"{settings['ci']} bootstrap intervals of B and S, bootstrap of B_all ({resamples}); {clusters}"


def few_cautions(
    analysis: Analysis, rows: Sequence[Row], strata: Sequence[Row], settings: Settings
) -> list[Caution]:
    """Caution SS202 of the numbers of all answers (bootstraps have their own), and of those of levels, each on its own.

    B_all rests on the biases that it is made of.
    """
    cautions: list[Caution] = []
    if not analysis.factors:
        return cautions
    # bootstraps are cautioned by their number of clusters
    pooled = rows if settings["ci"] == "closed" else ()
    for numbers, where in ((pooled, ""), (strata, f" by {settings['stratum']}")):
        dfs = {row: row.df for row in numbers if row.df is not None and row.test != "chi2"}
        few = [row for row, df in dfs.items() if df < FEW_DF]
        levels = {row.label("level") for row in few if row.label("group")}
        sizes = [
            row.name
            for row in numbers
            if row.label("quantity") and row.df is None and row.label("level") in levels
        ]
        cautions += few_df(dfs.values(), dfs, where=where, beside=sizes)
    return cautions


def bias_cautions(
    analysis: Analysis,
    rows: Sequence[Row],
    floored: Sequence[Row],
    boot: Bootstrap | None,
    null: NoBias | str,
    n_one_order: int,
    settings: Settings,
) -> list[Caution]:
    """Cautions SS301, SS304, SS316, SS204, SS205 and SS206, those that apply."""
    cautions: list[Caution | None] = []
    if n_one_order:  # couples that were answered in one order only
        treatment = "they were left out"
        if settings["couples"] == "all":
            treatment = "their answers count in S and B, not in McNemar's test"
        verb = "was" if n_one_order == 1 else "were"
        cautions.append(
            caution(
                "SS301",
                f"{count(n_one_order, 'couple')} {verb} answered in one order only; {treatment}",
                affects="S and B, which assume that answers are missing at random",
                fix="collect the missing answers, or report the bounds",
            )
        )
    if isinstance(null, NoBias):  # B_all is above 0 without any bias
        detail = f"the expected value of uncorrected B_all without bias is {number(null.null_mean, 3)}, not 0"
        cautions.append(
            caution(
                "SS304",
                detail,
                affects="uncorrected B_all",
                fix="quote B_all corrected, with its interval",
                rows=[PLAIN],
            )
        )
    biases = [row for row in rows if row.group == BIAS]
    mcnemar = {row.term: row.p_value for row in rows if row.group == MCNEMAR}
    line = round(1 - settings["level"], 12)
    tested = [(row.term, row.p_value, mcnemar.get(row.term)) for row in biases]
    disagreeing = [
        shorten(term)
        for term, p, p_mcnemar in tested
        if p is not None and p_mcnemar is not None and (p < line) != (p_mcnemar < line)
    ]
    if disagreeing:
        at = number(line, bounded=True)
        cautions.append(
            caution(
                "SS316",
                f"the clustered test and McNemar's test disagree at α = {at} for {listing(disagreeing)}"
                "; McNemar's test treats couples as independent",
                affects="McNemar's test",
                fix="quote the clustered test",
            )
        )
    if boot is not None:  # resamples without answers of some kind of couple
        fix = "collect more answers about couples of every kind"
        cautions.append(
            lost_caution(int(boot.n_degenerate.max()), boot.resamples, "bootstrap intervals", fix)
        )
    # B of independent answers has the variance (1 - S^2)/n, added over both orders
    independent = cell_scores(analysis.answers)
    variances = ((1 - independent.mean**2) / independent.n).tolist()
    variance = dict(zip(independent.cells, variances, strict=True))
    ratios = []
    for row, (a, b) in zip(biases, analysis.pairs, strict=True):
        expected = variance.get((0, a, b), np.nan) + variance.get((0, b, a), np.nan)
        if row.std_error is not None and expected > 0:
            ratios.append(row.std_error / expected**0.5)
    # how much clustering changes the standard errors of B
    if analysis.factors and ratios and analysis.answers.drawn:
        spread = " to ".join(dict.fromkeys(number(ratio) for ratio in (min(ratios), max(ratios))))
        cautions.append(
            caution(
                "SS205", f"standard errors of B were {spread} times those of independent answers"
            )
        )
    if floored:  # two-way variances that were smaller than that of one factor
        listed = [f"{shorten(row.term)} ({shorten(row.group or '')})" for row in floored]
        sizes = [OVERALL] * any(row.group == BIAS for row in floored)
        cautions.append(
            caution(
                "SS206",
                f"in {count(len(listed), 'row')} the two-way variance fell below the larger "
                f"one-way variance, which was used instead: {listing(listed, 3)}",
                affects="these CIs and tests, which may be conservative",
                fix="no action needed",
                rows=[*(row.name for row in floored), *sizes],
            )
        )
    return [ratio for ratio in cautions if ratio is not None]


def sentence(result: Result) -> str:
    """Return the biases with the clustered test, B_all with its expected value without bias, and McNemar's test."""
    n = result.counts
    biases = [bias_text(row) for row in result.rows if row.group == BIAS]
    scenarios, pairs = count(n["scenarios"], "scenario"), count(n["pairs of names"], "pair")
    text = f"Over {scenarios} and {pairs} of names ({count(n['answers'], 'answer')}), bias B was "
    text += "; ".join(biases[:MOST_SAID])
    n_more = len(biases) - MOST_SAID
    text += f"; {count(n_more, 'more pair')} of groups in the table" if n_more > 0 else ""
    parts = [text, "Positive B favours the group named first", overall_text(result)]
    plain = [row for row in result.rows if row.group == MCNEMAR and row.statistic is not None]
    if plain:
        shown = listing([f"{shorten(r.term)}, {p_value(r.p_value)}" for r in plain], MOST_SAID)
        parts.append(
            f"Treating {count(n['complete couples'], 'couple')} as independent, McNemar's test gave {shown}"
        )
    return ". ".join(parts) + "."


def bias_text(row: Row) -> str:
    """Return one B with its test."""
    name = shorten(row.term)
    return f"{name} undefined ({row.undefined})" if row.estimate is None else f"{name} {stat(row)}"


def overall_text(result: Result) -> str:
    """Return B_all corrected, as it is, and its expected value without bias."""
    plug_in, corrected = (result.row(term, group=OVERALL) for term in (PLAIN, CORRECTED))
    if plug_in.estimate is None:
        return f"B_all is undefined ({plug_in.undefined})"
    null, beside = result.row(PLAIN, group=NULL), f"uncorrected {number(plug_in.estimate)}"
    if null.estimate is not None:
        beside += f"; expected without bias {number(null.estimate)}, {p_value(null.p_value)}"
    if corrected.estimate is None:
        return f"B_all was {number(plug_in.estimate)}, without a correction ({corrected.undefined})"
    return f"B_all (bias-corrected) was {estimated(corrected)} ({beside})"


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the biases, and below them the order effects, with their intervals."""
    from dataclasses import replace

    from socialstats.figures import forest

    rows = [row for row in result.rows if row.group == BIAS]
    rows += [
        replace(row, term=f"order effect: {row.term}")
        for row in result.rows
        if row.group == POSITION
    ]
    settings = {
        "xlabel": "B (above 0: first group favoured); order effect: S of one group",
        "sort": False,
    }
    return forest(rows, ax=ax, **{**settings, **options})


METRIC = Metric(
    name="relationship_bias",
    title="With whom a model sides, by the groups of two names (B)",
    design="ratings",
    function=relationship_bias,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.relationship_bias:verify",
    estimand="How much more often names of one group are chosen than of another, over both positions (-2 to 2). Also "
    "how often the second position is chosen between names of one group.",
    assumptions=(
        "scenarios, and pairs of names, are independent draws of those meant (or the named clusters are)",
        "both orders of a couple share scenario and names; answers are missing at random",
        "t intervals: about 10 scenarios and 10 pairs of names or more",
    ),
    references=REFERENCES,
    swap="invariant",
    values="couples",
)

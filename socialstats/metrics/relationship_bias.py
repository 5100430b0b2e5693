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
    cluster_text,
    few_df,
    mean_cautions,
    units_of,
)
from socialstats.inference.intervals import checked_level
from socialstats.inference.rows import NO_WIDTH, with_ends, with_mean
from socialstats.models import matched_pairs as tests
from socialstats.models.alignment import FlippedMean, flipped_mean_absolute
from socialstats.models.couples import (
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
from socialstats.models.effect_sizes import (
    DRAWS,
    MeanSizeEstimates,
    NoBias,
    influence_correlation,
    no_bias,
    size_interval,
)
from socialstats.models.shares import probabilities_text
from socialstats.models.size_differences import MeanSizes
from socialstats.registry import Metric, reads
from socialstats.resampling import Bootstrap, Interval, basic, bootstrap, percentile, sign_flip
from socialstats.resampling.engine import check_resamples, lost_caution
from socialstats.resampling.permutation import checked_seed
from socialstats.results import Result, ResultGroup, Row
from socialstats.sentences import estimate as estimated
from socialstats.sentences import stat
from socialstats.tables import as_text
from socialstats.text import count, listing, number, p_value, quoted, shorten
from socialstats.voice import Word, one_of, option

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
    means : Scores
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
        names = " x ".join(factor.name for factor in self.factors)
        return f"clusters of {names}" if names else "units independent"

    def bias_row(self, pair: tuple[int, int], **fields: Any) -> Row:
        """Return a row about two groups, named by the one that a positive number favours first."""
        one, other = (self.groups[k] for k in pair)
        return Row(term=f"{one} - {other}", key=(("group", one), ("other", other)), **fields)

    def each(self, *wanted: tuple[float, int, int]) -> FloatArray:
        """Combine cells given as (coefficient, first, second)."""
        place = {cell: k for k, cell in enumerate(self.means.cells)}
        found = []
        for rater in self.raters:
            at = {(rater, a, b): value for value, a, b in wanted}
            if set(at) <= set(place):
                found.append([at.get(cell, 0.0) for cell in self.means.cells])
        return np.array(found).reshape(-1, len(place))

    def bias(self, pair: tuple[int, int]) -> FloatArray:
        """B_ab = S_ba - S_ab."""
        return self.each((1.0, *pair[::-1]), (-1.0, *pair))

    def position(self) -> FloatArray:
        """Mean of the scores S_aa of all groups that met their own kind."""
        own = [
            [float(r == cell[0] and cell[1] == cell[2]) for cell in self.means.cells]
            for r in self.raters
        ]
        return np.array([np.array(one) / sum(one) for one in own if sum(one)]).reshape(
            -1, len(self.means.cells)
        )

    def both_orders(self) -> FloatArray:
        """Mean of (S_ab + S_ba)/2, in which B cancels, of the pairs of groups that have both orders."""
        place = {cell: k for k, cell in enumerate(self.means.cells)}
        found = []
        for rater in self.raters:
            cells = [[(rater, *pair), (rater, *pair[::-1])] for pair in self.pairs]
            known = [cell for both in cells if set(both) <= set(place) for cell in both]
            if known:
                found.append(
                    np.bincount([place[cell] for cell in known], minlength=len(place)) / len(known)
                )
        return np.array(found).reshape(-1, len(place))

    def linear(self, coefficients: FloatArray) -> LinearCombination | None:
        """Return the value of a combination with its influence; None where no rater has the cells."""
        if not len(coefficients):
            return None
        return combine_cells(self.means, coefficients.mean(axis=0), len(self.design.units))

    def mean(self, combined: LinearCombination) -> ClusteredMean:
        """Return the clustered mean behind a combination."""
        return clustered_mean_of(
            combined, self.design.unit_count, [factor.codes for factor in self.factors]
        )

    def gap(self, one: LinearCombination, two: LinearCombination) -> ClusteredMean:
        """Return the difference of two combinations, each with a mean of its own."""
        return clustered_difference_of(
            one, two, self.design.unit_count, [factor.codes for factor in self.factors]
        )

    def alone(self, combined: LinearCombination) -> str:
        """Return the factor of which a combination has one level only; empty where there is none."""
        return next(
            (f.name for f in self.factors if len(np.unique(f.codes[combined.touched > 0])) < 2), ""
        )

    def every_bias(self) -> tuple[FloatArray, FloatArray]:
        """Coefficients of every B that the mean size averages, and weights: pairs alike, raters within a pair alike."""
        each = [one for pair in self.pairs for one in [self.bias(pair)] if len(one)]
        weight = [np.full(len(one), 1 / len(one) / len(each)) for one in each]
        return (
            (np.concatenate(each), np.concatenate(weight))
            if each
            else (np.empty((0, 0)), np.empty(0))
        )

    def sizes(self, units: IntArray, aggregate: Aggregate, seed: int) -> MeanSizes | None:
        """Every B that B_all averages, in some units, with what each of these adds; None where an error is unknown."""
        kept = np.isin(self.answers.unit, units)
        found = (
            self
            if kept.all()
            else replace(self, means=cell_scores(self.answers.take(kept), aggregate))
        )
        known = joint(found)
        if isinstance(known, str):
            return None
        listed, _ = found.every_bias()
        each = [combine_cells(found.means, one, len(found.design.units)) for one in listed]
        return MeanSizes(
            estimates=known,
            influence=np.column_stack([one.influence[units] for one in each]),
            seed=seed,
        )

    @property
    def size(self) -> float | None:
        """B_all, the mean of abs(B) over the pairs of groups; None where none has both orders."""
        each, weight = self.every_bias()
        return float(np.abs(each @ self.means.mean) @ weight) if len(each) else None

    @property
    def mixed(self) -> float:
        """Answers to couples of two groups, which B_all is made of."""
        return float(self.answers.count[self.answers.first != self.answers.second].sum())


def read(design: Ratings, settings: Settings) -> tuple[Analysis, Couples]:
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
    groups = chosen_groups((*first.levels, *second.levels), settings["groups"])
    ok = np.flatnonzero(design.status == OK)
    unit = design.unit[ok]
    wanted = answer_codes(design, settings["answers"])
    places = np.array([-1.0 if k == wanted[0] else 1.0 for k in range(len(design.levels))])
    place = [codes_of(factor, groups)[unit] for factor in (first, second)]
    answers = CoupleAnswers(
        score=design.read_as()[ok] @ places,
        count=design.unit_count[unit],
        unit=unit,
        scenario=scenario.codes[unit],
        pair=pair.codes[unit],
        rater=design.rater[ok],
        first=place[0],
        second=place[1],
    ).take((place[0] >= 0) & (place[1] >= 0))
    if not len(answers.score):
        raise NothingToAnalyse(f"{design.source}: no couple of {quoted(groups)} was answered")
    asked = match_couples(answers)
    if not len(asked.key):
        raise DesignError(
            f"{design.source}: no couple of two different groups was answered; relationship_bias "
            f"compares couples (a, b) with couples (b, a) of {quoted(groups)}"
        )
    if settings["couples"] == "complete":
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
    known = {**design.strata, **{factor.name: factor for factor in design.clusters}}
    if name not in known:
        listed = ", ".join(f"'{shorten(n)}'" for n in known) or "none"
        raise DesignError(
            f"{design.source}: no stratum or cluster '{shorten(name)}' of the units. Declared: {listed}; "
            f"name it with {option(part)}, or pass the table itself, one answer a row"
        )
    return known[name]


def chosen_groups(present: Sequence[str], asked: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the groups in the order asked for, or sorted."""
    known = sorted(set(present))
    if asked is None:
        return tuple(known)
    unknown = [group for group in asked if group not in known]
    if unknown:
        raise InputError(
            f"groups: no group '{shorten(str(unknown[0]))}'. Groups: {quoted(known, 20)}"
        )
    if len(set(asked)) < len(asked) or len(asked) < 2:
        raise InputError(
            f"{option('groups', listing(list(asked)))} must be at least two different groups of {quoted(known, 20)}"
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
        [as_text(answer) or "" for answer in answers],
        design.value[design.status == OK],
    )
    wanted = codes_in(labels, design.levels)
    other = [design.levels[code] for code in np.unique(values).tolist() if code not in wanted]
    if other:
        n = int(np.isin(values, wanted, invert=True).sum())
        raise DesignError(
            f"{design.source}: {count(n, 'answer')} neither '{shorten(labels[0])}' (the first name) nor "
            f"'{shorten(labels[1])}' (the second): {quoted(other)}. Say which two answers count with "
            f"{option('answers', (Word('first'), Word('second')))}, and declare the others as "
            f"{option('refusal')} or {option('na')}"
        )
    return wanted


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
    found: Analysis,
    row: Row,
    coefficients: FloatArray,
    reach: float,
    level: float,
    *,
    tested: bool = True,
) -> Term:
    """Return the term of a combination."""
    combined = found.linear(coefficients)
    if combined is None:
        return Term(
            row=replace(row, undefined=ONE_ORDER, reason="no_data"),
            coefficient=None,
            mean=None,
            reach=reach,
        )
    mean = found.mean(combined)
    row = with_linear(found, row, [combined], mean, reach, level, tested=tested)
    return Term(row=row, coefficient=coefficients.mean(axis=0), mean=mean, reach=reach)


def with_linear(
    found: Analysis,
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
        alike = mean.n > 1 and not all(np.any(np.abs(part.influence) > TINY) for part in parts)
        return replace(
            row,
            undefined=ALIKE if alike else mean.undefined,
            reason="no_variation" if alike else None,
        )
    method = DEPENDENCE[mean.kind].format(names=" x ".join(f.name for f in found.factors))
    method += f", {FLOORED}" * mean.floored + f", {TWO_MEANS}" * (len(parts) > 1)
    return with_mean(
        row, mean, level, within=(-reach, reach), test=tested, method=method, df=mean.df
    )


def terms(found: Analysis, settings: Settings, level: str | None = None) -> dict[str, list[Term]]:
    """Return B of all pairs of groups, S_aa of each group and their mean, and S_ab, of all answers or of a level."""
    confidence, names = settings["level"], found.groups
    key = () if level is None else (("level", level),)

    def group(name: str) -> str:
        return name if level is None else f"{settings['stratum']} = {level}"

    def score(a: int, b: int, name: str) -> Term:
        term = names[a] if a == b else f"{names[a]}, {names[b]}"
        row = Row(
            term=term, group=group(name), key=(("first", names[a]), ("second", names[b]), *key)
        )
        return term_of(found, row, found.each((1.0, a, b)), 1.0, confidence, tested=a == b)

    base = [found.bias_row(pair, group=group(BIAS)) for pair in found.pairs]
    mean = Row(term=SAME, group=group(MEAN), key=key)
    both = Row(term=APART, group=group(BOTH), key=(("orders", "both"), *key))
    made = {
        BIAS: [
            term_of(found, replace(row, key=(*row.key, *key)), found.bias(pair), MOST, confidence)
            for row, pair in zip(base, found.pairs, strict=True)
        ],
        POSITION: [score(k, k, POSITION) for k in range(len(names))],
        MEAN: [term_of(found, mean, found.position(), 1.0, confidence)],
        BOTH: [term_of(found, both, found.both_orders(), 1.0, confidence)],
        SCORE: [score(*way, SCORE) for pair in found.pairs for way in (pair, pair[::-1])],
    }
    return {
        kind: [t for t in each if kind == BIAS or t.coefficient is not None]
        for kind, each in made.items()
    }


def drawn(found: Analysis, listed: Sequence[Term], settings: Settings) -> Bootstrap | None:
    """Bootstrap the terms, and last B_all, where it is asked for and there is something to resample.

    A resample without any answer of a cell has none of the numbers made from it.
    """
    from scipy.sparse import csr_array

    means, k, units = found.means, len(found.means.cells), found.answers.unit
    codes = [units, *(factor.codes[units] for factor in found.factors)]
    if (
        settings["ci"] == "closed"
        or found.size is None
        or min(len(np.unique(code)) for code in codes) < 2
    ):
        return None
    rows = np.array(
        [np.zeros(k) if term.coefficient is None else term.coefficient for term in listed]
    )
    each, weight = found.every_bias()
    place = (np.concatenate([units] * 2), np.concatenate([means.cell, k + means.cell]))
    table = csr_array(
        (np.concatenate([means.weight * found.answers.score, means.weight]), place),
        shape=(len(found.design.units), 2 * k),
    )

    def finish(sums: FloatArray) -> FloatArray:
        have = sums[:, k:] > 0
        own = np.divide(sums[:, :k], sums[:, k:], out=np.zeros_like(sums[:, :k]), where=have)
        some, absolute = (
            np.where((1.0 - have) @ (wanted != 0).T > 0, np.nan, own @ wanted.T)
            for wanted in (rows, each)
        )
        return np.column_stack([some, np.abs(absolute) @ weight])

    resampled = units_of(found.design, found.factors)
    return bootstrap(
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


def joint(found: Analysis) -> MeanSizeEstimates | str:
    """Every B that B_all averages, with their clustered errors and correlations; or why those are not known.

    Pairs of groups have pairs of names of their own, so that each has its own chi-square of the error. Raters within a
    pair of groups share it.
    """
    listed, weight = found.every_bias()
    if not len(listed):
        return NEITHER
    each = [combine_cells(found.means, one, len(found.design.units)) for one in listed]
    single = next((name for one in each for name in [found.alone(one)] if name), "")
    if single:
        return f"a bias rests on a single {shorten(single)}: no interval"
    spread = [found.mean(one) for one in each]
    why = next((mean.undefined for mean in spread if mean.undefined), "")
    if why:
        return why
    used = np.any([one.touched > 0 for one in each], axis=0)
    influence = np.column_stack([one.influence[used] for one in each])
    return MeanSizeEstimates(
        value=np.array([one.estimate for one in each]),
        error=np.array([mean.std_error for mean in spread]),
        df=np.array([mean.df for mean in spread]),
        weight=weight,
        correlation=influence_correlation(
            influence, [factor.codes[used] for factor in found.factors]
        ),
        block=np.concatenate(
            [np.full(len(found.bias(pair)), k) for k, pair in enumerate(found.pairs)]
        ),
    )


def size_rows(
    found: Analysis,
    known: MeanSizeEstimates | str,
    settings: Settings,
    level: str | None = None,
    boot: Bootstrap | None = None,
) -> list[Row]:
    """Rows of B_all as it is, and corrected for its bias; both have the interval of what they estimate."""
    group, key = (
        (OVERALL, ())
        if level is None
        else (f"{settings['stratum']} = {level}", (("level", level),))
    )
    rows = [
        Row(term=term, group=group, key=(("quantity", term), *key)) for term in (PLAIN, CORRECTED)
    ]
    if found.size is None:
        return [replace(row, undefined=NEITHER, reason="no_data") for row in rows]
    plain, better = (replace(row, n=found.mixed) for row in rows)
    plain = replace(plain, estimate=found.size)
    if isinstance(known, str):
        return [replace(row, undefined=known) for row in (plain, better)]
    better = replace(better, estimate=known.corrected)
    if boot is not None:
        return with_resampled_size([plain, better], boot, settings["level"])
    level_of = settings["level"]
    low, high = size_interval(known, known.draw_errors(settings["seed"]), level=level_of, most=MOST)
    df = float(known.df.min())
    how = f"tests inverted, correlated t of {number(df, 0 if df % 1 == 0 else 1)} df, {found.clusters}"
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
        for row in (plain, better)
    ]


def with_resampled_size(rows: list[Row], boot: Bootstrap, level: float) -> list[Row]:
    """Give both rows of B_all the bootstrap interval, and the bootstrap's standard error.

    Resamples of an absolute value lie too high. From below the interval is the basic one less the bootstrap's estimate
    of the bias, from above the percentile one. Each end errs to the safe side. An interval that is basic, or
    percentile, at both ends holds the truth too seldom. It is widened to hold both rows.
    """
    below, above = basic(boot, level=level), percentile(boot, level=level)
    held = [row.estimate for row in rows if row.estimate is not None]
    low = min(max(float(below.low[-1] - boot.bias[-1]), 0.0), *held)
    high = max(min(float(above.high[-1]), MOST), *held)
    why = below.undefined[-1] or above.undefined[-1] or ("" if low < high else NO_WIDTH)
    fields: dict[str, Any] = {
        "std_error": float(boot.std_error[-1]) or None,
        "n_clusters": boot.units.n_clusters,
        "method": RESAMPLED,
    }
    return [with_ends(row, low, high, level, why=why, **fields) for row in rows]


def null_row(found: Analysis, null: NoBias | str) -> Row:
    """Row of B_all without any bias: its mean (`estimate`), and the test (`statistic`: B_all)."""
    row = Row(term=PLAIN, group=NULL, key=(("quantity", PLAIN),), role="reference")
    if isinstance(null, str):
        return replace(row, undefined=null)
    return replace(
        row,
        estimate=null.null_mean,
        statistic=found.size,
        df=null.df,
        p_value=null.p_value,
        n=found.mixed,
        method=f"correlated t of the biases, {found.clusters}, {count(null.draws)} draws",
    )


def scenario_rows(found: Analysis, settings: Settings) -> tuple[list[Row], FlippedMean | str]:
    """Tests on one difference a scenario: t and sign flip of each B (its `statistic` is their sum), and of B_all.

    The test of B_all, whose `statistic` it is, is that the differences of scenarios are as likely as their negatives.
    """
    rows, columns = [], []
    for pair in found.pairs:
        raters = [
            rater
            for rater in found.raters
            if {(rater, *pair), (rater, *pair[::-1])} <= set(found.means.cells)
        ]
        after, before = scenario_means(found.answers, *pair, max(found.raters) + 1)
        table = after - before
        columns += [table[:, rater] for rater in raters]
        known = ~np.isnan(table)
        times = known.sum(axis=1)
        values = np.where(known, table, 0.0).sum(axis=1)[times > 0] / times[times > 0]
        row, flip = (found.bias_row(pair, group=group, role="test") for group in (MEANS, FLIP))
        if not len(values):
            why = "no scenario has answers in both orders"
            rows += [replace(one, undefined=why, reason="no_data") for one in (row, flip)]
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
            test = sign_flip(values, seed=settings["seed"])
            flip = replace(
                flip,
                p_value=float(test.p_value[0]),
                method=flip_text(0 if test.exact else test.draws),
            )
        rows.append(flip)
    whole = Row(term=PLAIN, group=FLIP, role="test", test="sign_flip")
    if not columns:
        return [*rows, replace(whole, undefined=NEITHER, reason="no_data")], NEITHER
    flipped = flipped_mean_absolute(
        np.column_stack(columns), found.every_bias()[1], seed=settings["seed"]
    )
    if isinstance(flipped, str):
        return [*rows, replace(whole, undefined=flipped)], flipped
    n = len(np.unique(found.answers.scenario))
    whole = replace(
        whole,
        statistic=flipped.observed,
        p_value=flipped.p_value,
        n=float(n),
        method=flip_text(flipped.flips),
    )
    return [*rows, whole], flipped


def flip_text(flips: int) -> str:
    """Return how many patterns of signs were drawn; 0: all were counted."""
    return f"sign flip of scenarios, {f'{count(flips)} random flips' if flips else 'exact'}"


def mcnemar_rows(found: Analysis, asked: Couples) -> tuple[list[Row], dict[str, dict[str, float]]]:
    """McNemar's tests of complete couples taken as independent, and the cells."""
    rows, cells, what = [], {}, "complete couples as independent"
    for pair in found.pairs:
        chi, mid = (found.bias_row(pair, group=group, role="test") for group in (MCNEMAR, MID_P))
        if not found.answers.drawn:
            rows += [replace(row, undefined=NOT_DRAWN, reason="unidentified") for row in (chi, mid)]
            continue
        table, repeated = asked.cells(*pair), int(asked.repeated[asked.is_of_groups(*pair)].sum())
        if repeated or table is None:
            why = (
                "no couple was answered in both orders"
                if table is None
                else (
                    f"{count(repeated, 'couple')} with several answers in an order, or unlike counts: which belong "
                    "together is not known"
                )
            )
            rows += [replace(row, undefined=why, reason="no_data") for row in (chi, mid)]
            continue
        cells[chi.term] = {
            "first_group_both": table.b,
            "second_group_both": table.c,
            "first_place_both": table.a,
            "second_place_both": table.d,
        }
        sizes: dict[str, Any] = {"n": table.n, "n_units": int(table.discordant)}
        one, two = tests.asymptotic(table), tests.mid_p(table)
        chi = replace(
            chi, estimate=2 * table.difference, test="chi2", method=f"chi-square, {what}", **sizes
        )
        rows += [
            replace(chi, undefined=one, reason="no_variation")
            if isinstance(one, str)
            else replace(chi, statistic=one.statistic, df=one.df, p_value=one.p),
            replace(
                mid,
                statistic=two.statistic,
                p_value=two.p,
                test="mid_p",
                method=f"mid-p, {what}",
                **sizes,
            ),
        ]
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


def stratum_rows(found: Analysis, settings: Settings) -> tuple[list[Row], list[Term]]:
    """Rows of each level of the stratum, of their differences, and of all levels alike; and the terms among them."""
    name = settings["stratum"]
    if name is None:
        return [], []
    codes, levels = stratum_codes(found.design, found.answers, name)
    rows, made, parts, sizes = [], [], {}, {}
    every = settings["stratum_rows"] == "scores"
    for code, level in enumerate(levels):
        inside = codes == code
        if not inside.any():
            continue
        part = replace(found, means=cell_scores(found.answers.take(inside), settings["aggregate"]))
        own = terms(part, settings, level)
        shown = (POSITION, SCORE) if every else ()
        listed = [own[BIAS], own[MEAN], *(own[kind] for kind in shown)]
        made += [term for each in listed for term in each]
        parts[level] = part
        if part.size is not None:
            sizes[level] = size_rows(part, joint(part), settings, level)
        rows += [
            *(t.row for t in own[BIAS]),
            *sizes.get(level, []),
            *(t.row for each in listed[1:] for t in each),
        ]
        if every:
            tests, _ = mcnemar_rows(part, match_couples(part.answers))
            rows += [
                replace(
                    row, group=f"{row.group}; {name} = {level}", key=(*row.key, ("level", level))
                )
                for row in tests
            ]
    gaps = gap_terms(found, parts, settings)
    larger: list[Row] = []
    for one, two in combinations(sizes, 2) if len(parts) <= MOST_LEVELS else ():
        a_size, b_size = (sizes[level][1] for level in (one, two))
        gap = Row(
            term=CORRECTED,
            key=(("quantity", CORRECTED), *between(one, two)),
            group=f"{one} - {two}",
            role="difference",
        )
        larger.append(
            with_both_intervals(
                gap,
                a_size,
                b_size,
                n=(a_size.n or 0.0) + (b_size.n or 0.0),
                method=f"{a_size.method}; both intervals combined",
            )
        )
    even = alike_terms(found, settings, codes)
    rows += [
        *rows_with_holm([t.row for t in gaps if t.reach == 2 * MOST]),
        *rows_with_holm([t.row for t in gaps if t.reach != 2 * MOST]),
        *larger,
        *rows_with_holm([t.row for t in even if t.row.label("group")]),
        *(t.row for t in even if not t.row.label("group")),
    ]
    return rows, [*made, *gaps, *even]


def between(one: str, two: str) -> tuple[tuple[str, str], ...]:
    """Return the levels of a difference, as facts of its row."""
    return ("first level", one), ("second level", two)


def gap_terms(found: Analysis, parts: Mapping[str, Analysis], settings: Settings) -> list[Term]:
    """Return the differences of any two levels (up to four levels): of B, and with ``"scores"`` of S.

    Each level has its own mean. A level with a single cluster of a factor shows no variance between its clusters.
    """
    made = []
    for one, two in combinations(parts, 2) if len(parts) <= MOST_LEVELS else ():
        for row, coefficients, reach in contrasts(
            found, every=settings["stratum_rows"] == "scores"
        ):
            a, b = (parts[level].linear(coefficients(parts[level])) for level in (one, two))
            if a is None or b is None:
                continue
            mean = found.gap(a, b)
            row = replace(
                row, key=(*row.key, *between(one, two)), group=f"{one} - {two}", role="difference"
            )
            row = with_linear(found, row, [a, b], mean, 2 * reach, settings["level"])
            single = [
                f"'{shorten(level)}' has a single {shorten(name)}"
                for level, part in ((one, a), (two, b))
                for name in [found.alone(part)]
                if name
            ]
            if single:
                why = f"{listing(single)}, so the variance between clusters is unknown"
                row = replace(row, undefined=why, reason="one_cluster")
            made.append(Term(row=row, coefficient=None, mean=mean, reach=2 * reach))
    return made


def contrasts(
    found: Analysis, *, every: bool
) -> list[tuple[Row, Callable[[Analysis], FloatArray], float]]:
    """Return what levels are compared by: B of each pair of groups, and with `every` S of every kind of couple."""
    out: list[tuple[Row, Callable[[Analysis], FloatArray], float]] = [
        (found.bias_row(pair), partial(Analysis.bias, pair=pair), MOST) for pair in found.pairs
    ]
    if not every:
        return out
    out.append((Row(term=SAME), Analysis.position, 1.0))
    names = found.groups
    for a, b in dict.fromkeys((a, b) for _, a, b in found.means.cells):
        term = names[a] if a == b else f"{names[a]}, {names[b]}"
        row = Row(term=term, key=(("first", names[a]), ("second", names[b])))
        out.append((row, lambda part, a=a, b=b: part.each((1.0, a, b)), 1.0))  # type: ignore[misc]
    return out


def alike_terms(found: Analysis, settings: Settings, codes: Any) -> list[Term]:
    """Return B and the order effect with all levels of the stratum weighing alike.

    Differences between levels are part of the error, so that a level may have a single scenario.
    """
    name, has = settings["stratum"], codes >= 0
    if len(np.unique(codes[has])) < 2:
        return []
    means = cell_scores(found.answers.take(has), settings["aggregate"], alike=codes[has])
    own = terms(replace(found, means=means), settings)
    return [
        replace(
            term,
            row=replace(
                term.row, group=f"levels of {name} alike", key=(*term.row.key, ("alike", name))
            ),
        )
        for term in (*own[BIAS], *own[MEAN])
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
        Interval of S, B and B_all: t, and for B_all inverted tests (`socialstats.models.effect_sizes.size_interval`);
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
    settings: Settings = {
        "groups": None
        if groups is None
        else (groups,)
        if isinstance(groups, str)
        else tuple(groups),
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
        one_of(name, settings[name], get_args(allowed))
    if len(settings["answers"]) != 2 or settings["answers"][0] == settings["answers"][1]:
        raise InputError(
            f"{option('answers', settings['answers'])} must be two different answers: the one that means "
            "the first name and the one that means the second"
        )
    check_resamples(resamples, level)
    return estimate(ratings, settings)


def estimate(design: Ratings, settings: Settings) -> Result:
    """Compute everything of one design."""
    found, asked = read(design, settings)
    own, known = terms(found, settings), joint(found)
    own[MEAN] = own[MEAN] if len(own[POSITION]) > 1 else []
    main = [term for kind in (BIAS, POSITION, MEAN, BOTH, SCORE) for term in own[kind]]
    first = [term.row for term in main]
    boot = drawn(found, main, settings)
    if boot is not None:
        ends = (percentile if settings["ci"] == "percentile" else basic)(
            boot, level=settings["level"]
        )
        first = [with_bootstrap(term, k, ends, settings) for k, term in enumerate(main)]
    null = known if isinstance(known, str) else no_bias(known, known.draw_errors(settings["seed"]))
    by_scenario, flipped = scenario_rows(found, settings)
    tests, cells = mcnemar_rows(found, asked)
    strata, more = stratum_rows(found, settings)
    n = len(found.pairs)
    rows = (
        *rows_with_holm(first[:n], family="pairs of groups"),
        *size_rows(found, known, settings, boot=boot),
        *first[n:],
        null_row(found, null),
        *by_scenario,
        *tests,
        *strata,
    )
    means = [term.mean for term in own[BIAS] if term.mean is not None and not term.mean.undefined]
    apart = [term.mean for term in more if term.mean is not None and term.row.role == "difference"]
    floored = [t.row for t in (*main, *more) if t.mean is not None and t.mean.floored]
    answers, gone = found.answers, ~asked.complete
    raters, one_order = len(np.unique(answers.rater)), int(asked.count[gone].sum())
    extras: dict[str, Any] = {
        "analysis": found,
        "estimates": known,
        "mcnemar_cells": cells,
        "one_order_only": one_order_only(found, asked, settings),
        "groups": found.groups,
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
    return Result(
        metric="relationship_bias",
        title="Relationship bias B of "
        + count(len(found.groups), "group")
        + probabilities_text(design),
        inference=inference_text(found, settings),
        rows=rows,
        counts={
            "answers": int(answers.count.sum()),
            "scenarios": len(np.unique(answers.scenario)),
            "pairs of names": len(np.unique(answers.pair)),
            "complete couples": int(asked.count[~gone].sum()),
            "couples answered in one order only": one_order,
        }
        | ({"raters": raters} if raters > 1 else {}),
        fit={
            "nobs": int(answers.count.sum()),
            "n_clusters": rows[0].n_clusters,
            "method": rows[0].method,
            "seed": settings["seed"],
            "resamples": settings["resamples"],
            "effective_df": min((mean.df for mean in means), default=None),
            "largest_leverage": max((mean.largest for mean in means), default=None),
        },
        settings=settings,
        cautions=(
            *mean_cautions(
                design,
                found.factors,
                [*means, *apart],
                what="couples",
                bounded=True,
                resampled=settings["ci"] != "closed",
                few=False,
            ),
            *few_cautions(found, rows[: len(rows) - len(strata)], strata, settings),
            *own_cautions(found, rows, floored, boot, null, one_order, settings),
        ),
        references=REFERENCES,
        design=design,
        extras=extras,
    )


def one_order_only(
    found: Analysis, asked: Couples, settings: Settings
) -> tuple[dict[str, str], ...]:
    """List the first couples that were answered in one order only."""
    scenario, pair = (
        unit_factor(found.design, settings[name], name) for name in ("scenario", "pair")
    )
    listed = []
    for k in np.flatnonzero(~asked.complete)[:MOST_LISTED].tolist():
        a, b, at, names, rater = asked.key[k].tolist()
        first, second = (a, b) if np.isnan(asked.score[k, 0]) else (b, a)
        listed.append(
            {
                "scenario": scenario.levels[at],
                "pair": pair.levels[names],
                "rater": found.design.raters[rater],
                "no_answer_with_first": found.groups[first],
                "and_second": found.groups[second],
            }
        )
    return tuple(listed)


def inference_text(found: Analysis, settings: Settings) -> str:
    """Return how the intervals were obtained."""
    clusters, seed = cluster_text(found.factors, "units"), settings["seed"]
    if settings["ci"] == "closed":
        return f"t intervals of B and S, inverted tests for B_all ({count(DRAWS)} draws, seed {seed}); {clusters}"
    resamples = f"{count(settings['resamples'])} resamples, seed {seed}"
    return f"{settings['ci']} bootstrap intervals of B and S, bootstrap of B_all ({resamples}); {clusters}"


def few_cautions(
    found: Analysis, rows: Sequence[Row], strata: Sequence[Row], settings: Settings
) -> list[Caution]:
    """Caution SS202 of the numbers of all answers (bootstraps have their own), and of those of levels, each on its own.

    B_all rests on the biases that it is made of.
    """
    told: list[Caution] = []
    pooled = rows if settings["ci"] == "closed" else ()
    for some, where in (
        ((pooled, ""), (strata, f" by {settings['stratum']}")) if found.factors else ()
    ):
        known = {row: row.df for row in some if row.df is not None and row.test != "chi2"}
        levels = {
            row.label("level") for row, df in known.items() if df < FEW_DF and row.label("group")
        }
        sizes = [
            row.name
            for row in some
            if row.label("quantity") and row.df is None and row.label("level") in levels
        ]
        told += few_df(known.values(), known, where=where, beside=sizes)
    return told


def own_cautions(
    found: Analysis,
    rows: Sequence[Row],
    floored: Sequence[Row],
    boot: Bootstrap | None,
    null: NoBias | str,
    one_order: int,
    settings: Settings,
) -> list[Caution]:
    """Cautions SS301, SS304, SS316, SS204, SS205 and SS206, those that apply."""
    told: list[Caution | None] = []
    if one_order:  # couples that were answered in one order only
        kept = settings["couples"] == "all"
        did = (
            "their answers count in S and B, not in McNemar's test"
            if kept
            else "they were left out"
        )
        verb = "was" if one_order == 1 else "were"
        told.append(
            caution(
                "SS301",
                f"{count(one_order, 'couple')} {verb} answered in one order only; {did}",
                affects="S and B, which assume that answers are missing at random",
                fix="collect the missing answers, or report the bounds",
            )
        )
    if isinstance(null, NoBias):  # B_all is above 0 without any bias
        said = f"the expected value of uncorrected B_all without bias is {number(null.null_mean, 3)}, not 0"
        told.append(
            caution(
                "SS304",
                said,
                affects="uncorrected B_all",
                fix="quote B_all corrected, with its interval",
                rows=[PLAIN],
            )
        )
    biases = [row for row in rows if row.group == BIAS]
    naive = {row.term: row.p_value for row in rows if row.group == MCNEMAR}
    line = round(1 - settings["level"], 12)
    split = [
        shorten(row.term)
        for row in biases
        for other in [naive.get(row.term)]
        if row.p_value is not None and other is not None and (row.p_value < line) != (other < line)
    ]
    if split:
        at = number(line, bounded=True)
        told.append(
            caution(
                "SS316",
                f"the clustered test and McNemar's test disagree at α = {at} for {listing(split)}"
                "; McNemar's test treats couples as independent",
                affects="McNemar's test",
                fix="quote the clustered test",
            )
        )
    if boot is not None:  # resamples without answers of some kind of couple
        fix = "collect more answers about couples of every kind"
        told.append(
            lost_caution(int(boot.n_degenerate.max()), boot.resamples, "bootstrap intervals", fix)
        )
    plain = cell_scores(
        found.answers
    )  # independent answers: B has the variance (1 - S^2)/n, added over both orders
    variance = dict(zip(plain.cells, ((1 - plain.mean**2) / plain.n).tolist(), strict=True))
    ratios = [
        row.std_error / both**0.5
        for row, (a, b) in zip(biases, found.pairs, strict=True)
        for both in [variance.get((0, a, b), np.nan) + variance.get((0, b, a), np.nan)]
        if row.std_error is not None and both > 0
    ]
    if (
        found.factors and ratios and found.answers.drawn
    ):  # how much clustering changes the standard errors of B
        spread = " to ".join(dict.fromkeys(number(one) for one in (min(ratios), max(ratios))))
        told.append(
            caution(
                "SS205", f"standard errors of B were {spread} times those of independent answers"
            )
        )
    if floored:  # two-way variances that were smaller than that of one factor
        listed = [f"{shorten(row.term)} ({shorten(row.group or '')})" for row in floored]
        told.append(
            caution(
                "SS206",
                f"in {count(len(listed), 'row')} the two-way variance fell below the larger "
                f"one-way variance, which was used instead: {listing(listed, 3)}",
                affects="these CIs and tests, which may be conservative",
                fix="no action needed",
                rows=[row.name for row in floored]
                + [OVERALL] * any(row.group == BIAS for row in floored),
            )
        )
    return [one for one in told if one is not None]


def sentence(result: Result) -> str:
    """Return the biases with the clustered test, B_all with its expected value without bias, and McNemar's test."""
    n = result.counts
    biases = [one_bias(row) for row in result.rows if row.group == BIAS]
    said = (
        f"Over {count(n['scenarios'], 'scenario')} and {count(n['pairs of names'], 'pair')} of names "
        f"({count(n['answers'], 'answer')}), bias B was " + "; ".join(biases[:MOST_SAID])
    )
    more = len(biases) - MOST_SAID
    said += f"; {count(more, 'more pair')} of groups in the table" if more > 0 else ""
    parts = [said, "Positive B favours the group named first", overall(result)]
    plain = [row for row in result.rows if row.group == MCNEMAR and row.statistic is not None]
    if plain:
        shown = listing([f"{shorten(r.term)}, {p_value(r.p_value)}" for r in plain], MOST_SAID)
        parts.append(
            f"Treating {count(n['complete couples'], 'couple')} as independent, McNemar's test gave {shown}"
        )
    return ". ".join(parts) + "."


def one_bias(row: Row) -> str:
    """Return one B with its test."""
    name = shorten(row.term)
    return f"{name} undefined ({row.undefined})" if row.estimate is None else f"{name} {stat(row)}"


def overall(result: Result) -> str:
    """Return B_all corrected, as it is, and its expected value without bias."""
    plain, better = (result.row(term, group=OVERALL) for term in (PLAIN, CORRECTED))
    if plain.estimate is None:
        return f"B_all is undefined ({plain.undefined})"
    null, said = result.row(PLAIN, group=NULL), f"uncorrected {number(plain.estimate)}"
    if null.estimate is not None:
        said += f"; expected without bias {number(null.estimate)}, {p_value(null.p_value)}"
    if better.estimate is None:
        return f"B_all was {number(plain.estimate)}, without a correction ({better.undefined})"
    return f"B_all (bias-corrected) was {estimated(better)} ({said})"


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

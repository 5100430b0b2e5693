"""Relationship bias: with whom a model sides in couples of two groups of names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.calls import TableLike, reads
from socialstats.designs.couples import couples_design
from socialstats.designs.levels import codes_in
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import OK, Ratings
from socialstats.errors import Caution, DesignError, InputError, NothingToAnalyse, caution
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.compare import with_both_intervals, with_holm
from socialstats.inference.dependence import cluster_factors, cluster_text, mean_cautions, units_of
from socialstats.inference.intervals import checked_level
from socialstats.inference.rows import NO_WIDTH, with_ends, with_mean
from socialstats.models import matched_pairs as tests
from socialstats.models.alignment import FlippedMean, flipped_mean_absolute
from socialstats.models.couples import (
    AGGREGATES,
    Aggregate,
    Answers,
    Cell,
    Couples,
    Linear,
    Scores,
    both_orders,
    couples,
    folded_mean,
    inference,
    linear,
    scenario_differences,
    scores,
)
from socialstats.models.effect_sizes import DRAWS, Estimates, NoBias, influence_correlation, no_bias, size_interval
from socialstats.registry import Metric
from socialstats.resampling import Bootstrap, Interval, Units, basic, bootstrap, percentile, sign_flip
from socialstats.resampling.engine import check_resamples, lost_caution
from socialstats.resampling.permutation import checked_seed
from socialstats.results import Result, ResultGroup, Row, by_levels
from socialstats.tables import as_text
from socialstats.text import count, interval, listing, number, p_value, quoted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes


CiName = Literal["closed", "percentile", "basic"]
CoupleRule = Literal["all", "complete"]
StratumRows = Literal["biases", "scores"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of `relationship_bias`, which documents them."""

    groups: tuple[str, ...] | None
    scenario: str
    pair: str
    group_first: str
    group_second: str
    answers: tuple[Any, ...]
    couples: CoupleRule
    aggregate: Aggregate
    stratum: str | None
    stratum_rows: StratumRows
    ci: CiName
    cluster: Any
    level: float
    resamples: int
    seed: int

    def check(self) -> None:
        """Raise InputError for an impossible option."""
        checked_level(self.level)
        checked_seed(self.seed)
        for name, allowed in (
            ("couples", get_args(CoupleRule)),
            ("aggregate", AGGREGATES),
            ("ci", get_args(CiName)),
            ("stratum_rows", get_args(StratumRows)),
        ):
            if getattr(self, name) not in allowed:
                raise InputError(f"{name}={getattr(self, name)!r} is not one of {', '.join(allowed)}")
        if len(self.answers) != 2 or self.answers[0] == self.answers[1]:
            raise InputError(f"answers={self.answers!r} must be two different answers: the one that means the first "
                             "name and the one that means the second")  # fmt: skip
        check_resamples(self.resamples, self.level)

    @property
    def settings(self) -> dict[str, Any]:
        """Everything, to be echoed in a result."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


MOST_LISTED = 200


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Data:
    """Everything that is known about the answers.

    Attributes
    ----------
    design : Ratings
    answers : Answers
        Of the groups asked for.
    groups : tuple of str
    pairs : tuple of (int, int)
        Two groups that met, in the order of `groups`.
    matched : mapping of pair to Couples
        Before incomplete ones were left out.
    scenarios, names : Factor
        Over units: the scenario, and the pair of names.
    factors : tuple of Factor
        Clusters.
    """

    design: Ratings
    answers: Answers
    groups: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    matched: dict[tuple[int, int], Couples]
    scenarios: Factor
    names: Factor
    factors: tuple[Factor, ...]

    @property
    def codes(self) -> tuple[IntArray, ...]:
        """Clusters of the units."""
        return tuple(factor.codes for factor in self.factors)

    def label(self, pair: tuple[int, int]) -> str:
        """Name a bias: the group that a positive number favours first."""
        return f"{self.groups[pair[0]]} - {self.groups[pair[1]]}"


def read(design: Ratings, options: Options, factors: tuple[Factor, ...]) -> Data:
    """Take the answers and their groups from a design.

    Raises
    ------
    DesignError
        If a factor is not declared, or an answer is neither of the two.
    InputError
        For groups that do not occur.
    NothingToAnalyse
        If nothing was answered.
    """
    found = {
        name: unit_factor(design, getattr(options, name), name)
        for name in ("scenario", "pair", "group_first", "group_second")
    }
    first, second = found["group_first"], found["group_second"]
    groups = chosen_groups(design, (*first.levels, *second.levels), options.groups)
    answers = all_answers(design, found, groups, options)
    if not len(answers.score):
        raise NothingToAnalyse(f"{design.source}: no couple of {quoted(groups)} was answered")
    met = {(a, b) for a, b in combinations(range(len(groups)), 2) if both_orders(answers, a, b).any()}
    if not met:
        raise DesignError(f"{design.source}: no couple of two different groups was answered; relationship_bias "
                          f"compares couples (a, b) with couples (b, a) of {quoted(groups)}")  # fmt: skip
    matched = {pair: couples(answers, *pair) for pair in sorted(met)}
    if options.couples == "complete":
        answers = complete_only(answers, matched)
        if not len(answers.score):
            raise NothingToAnalyse(f"{design.source}: no couple was answered in both orders (couples='complete')")
    return Data(
        design=design, answers=answers, groups=groups, pairs=tuple(sorted(met)), matched=matched,
        scenarios=found["scenario"], names=found["pair"], factors=factors,
    )  # fmt: skip


def unit_factor(design: Ratings, name: str, option: str) -> Factor:
    """Return a stratum or cluster of the units.

    Raises
    ------
    DesignError
        If it is not declared.
    """
    known = {**design.strata, **{factor.name: factor for factor in design.clusters}}
    if name not in known:
        listed = ", ".join(f"'{shorten(n)}'" for n in known) or "none"
        raise DesignError(f"{design.source}: no stratum or cluster '{shorten(name)}' of the units. Declared: {listed}; "
                          f"name it with {option}=, or pass the table itself, one answer a row")  # fmt: skip
    return known[name]


def chosen_groups(design: Ratings, present: Sequence[str], asked: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the groups in the order asked for, or sorted."""
    known = sorted(set(present))
    if asked is None:
        return tuple(known)
    unknown = [group for group in asked if group not in known]
    if unknown:
        raise InputError(f"groups: no group '{shorten(str(unknown[0]))}'. Groups: {quoted(known, 20)}")
    if len(set(asked)) < len(asked) or len(asked) < 2:
        raise InputError(
            f"groups={listing(list(asked))!r} must be at least two different groups of {quoted(known, 20)}"
        )
    return asked


def all_answers(design: Ratings, found: dict[str, Factor], groups: tuple[str, ...], options: Options) -> Answers:
    """Turn values into -1 and 1, and labels of groups into their places in `groups`."""
    ok = np.flatnonzero(design.status == OK)
    unit = design.unit[ok]
    wanted = answer_codes(design, options.answers, design.value[ok])
    place = {
        name: np.array([groups.index(g) if g in groups else -1 for g in found[name].levels])[found[name].codes[unit]]
        for name in ("group_first", "group_second")
    }
    answers = Answers(
        score=np.where(design.value[ok] == wanted[1], 1.0, -1.0), count=design.unit_count[unit], unit=unit,
        scenario=found["scenario"].codes[unit], pair=found["pair"].codes[unit], rater=design.rater[ok],
        first=place["group_first"].astype(np.int64), second=place["group_second"].astype(np.int64),
    )  # fmt: skip
    return answers.take((answers.first >= 0) & (answers.second >= 0))


def answer_codes(design: Ratings, answers: tuple[Any, ...], values: IntArray) -> list[int]:
    """Return the places of both answers among the levels; refuse any other answer that occurs."""
    labels = [as_text(answer) or "" for answer in answers]
    wanted = codes_in(labels, design.levels)
    other = [design.levels[code] for code in np.unique(values).tolist() if code not in wanted]
    if other:
        n = int(np.isin(values, wanted, invert=True).sum())
        raise DesignError(f"{design.source}: {count(n, 'answer')} neither '{shorten(labels[0])}' (the first name) nor "
                          f"'{shorten(labels[1])}' (the second): {quoted(other)}. Say which two answers count with "
                          "answers=(first, second), and declare the others as refusal= or na=")  # fmt: skip
    return wanted


def complete_only(answers: Answers, matched: dict[tuple[int, int], Couples]) -> Answers:
    """Leave out couples that were answered in one order only; couples of one group stay."""
    keep = np.ones(len(answers.score), dtype=bool)
    for (a, b), found in matched.items():
        keep[both_orders(answers, a, b)] = found.complete[found.of_answer]
    return answers.take(keep)


def one_order_only(data: Data) -> tuple[int, tuple[dict[str, str], ...]]:
    """Count the couples that were answered in one order only, and list the first of them."""
    total = 0.0
    listed: list[dict[str, str]] = []
    for (a, b), found in data.matched.items():
        gone = ~found.complete
        total += float(found.count[gone].sum())
        for key, score in zip(found.key[gone].tolist(), found.score[gone].tolist(), strict=True):
            if len(listed) == MOST_LISTED:
                break
            first, second = (a, b) if np.isnan(score[0]) else (b, a)
            listed.append({
                "scenario": data.scenarios.levels[key[0]], "pair": data.names.levels[key[1]],
                "rater": data.design.raters[key[2]], "no_answer_with_first": data.groups[first],
                "and_second": data.groups[second],
            })  # fmt: skip
    return int(total), tuple(listed)


def of_stratum(data: Data, stratum: Factor, code: int) -> Data:
    """Return the answers of one level of a stratum."""
    return replace(data, answers=data.answers.take(stratum.codes[data.answers.unit] == code))


Parts = Mapping[Cell, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Analysis:
    """Mean scores of one set of answers, and the combinations that are asked for.

    Attributes
    ----------
    data : Data
    means : Scores
    raters : tuple of int
        Codes of the raters that have cells of their own; (0,) where raters are pooled.
    """

    data: Data
    means: Scores
    raters: tuple[int, ...]

    def parts(self, cells: Sequence[tuple[float, int, int]]) -> list[Parts]:
        """Coefficients of a combination of (sign, first, second), once for each rater who has all its cells."""
        known = set(self.means.cells)
        found: list[Parts] = [{(r, a, b): sign for sign, a, b in cells} for r in self.raters]
        return [one for one in found if set(one) <= known]

    def bias(self, pair: tuple[int, int]) -> list[Parts]:
        """B_ab = S_ba - S_ab, rater by rater."""
        a, b = pair
        return self.parts([(1.0, b, a), (-1.0, a, b)])

    def combine(self, parts: Sequence[Parts]) -> FloatArray | None:
        """Average the coefficients over raters; None where nobody has the cells."""
        if not parts:
            return None
        return np.asarray(np.mean([self.means.coefficients(one) for one in parts], axis=0))

    def linear(self, parts: Sequence[Parts]) -> Linear | None:
        """Return the average over raters with its influence."""
        coefficient = self.combine(parts)
        return None if coefficient is None else linear(self.means, coefficient, len(self.data.design.units))

    def position(self) -> list[Parts]:
        """Mean of the scores S_aa of all groups that met their own kind, rater by rater."""
        found: list[Parts] = []
        for r in self.raters:
            own = [cell for cell in self.means.cells if cell[0] == r and cell[1] == cell[2]]
            if own:
                found.append({cell: 1 / len(own) for cell in own})
        return found

    def each_bias(self) -> tuple[list[Parts], FloatArray]:
        """Every B that the mean absolute value averages, and its weight: pairs alike, and raters within a pair."""
        listed: list[Parts] = []
        weights: list[float] = []
        for pair in self.data.pairs:
            own = self.bias(pair)
            listed += own
            weights += [1 / max(len(own), 1)] * len(own)
        return listed, np.array(weights) / sum(weights) if weights else np.zeros(0)


def analysis(data: Data, aggregate: Aggregate) -> Analysis:
    """Average the answers."""
    means = scores(data.answers, aggregate)
    raters = tuple(sorted({cell[0] for cell in means.cells}))
    return Analysis(data=data, means=means, raters=raters)


def differences(found: Analysis, pair: tuple[int, int]) -> FloatArray:
    """(scenarios, raters) array of the scenarios' differences; one column where raters are pooled."""
    data, size = found.data, len(found.data.scenarios.levels)
    if len(found.raters) == 1:
        return scenario_differences(data.answers, *pair, size)[:, None]
    each = [data.answers.take(data.answers.rater == r) for r in found.raters]
    return np.column_stack([scenario_differences(one, *pair, size) for one in each])


def resample(found: Analysis, rows: FloatArray, units: Units, resamples: int, seed: int) -> Bootstrap:
    """Bootstrap linear combinations of the means, and last the mean absolute value of all biases.

    Parameters
    ----------
    found : Analysis
    rows : (m, cells) array
        Coefficients.
    units : Units
    resamples, seed : int

    Returns
    -------
    Bootstrap
        Of m + 1 quantities. A resample without any answer of a cell has none of the numbers made from it.
    """
    from scipy.sparse import csr_array

    means, k = found.means, len(found.means.cells)
    listed, weight = found.each_bias()
    each = np.array([means.coefficients(one) for one in listed]).reshape(-1, k)
    shape = (len(found.data.design.units), 2 * k)
    place = (np.concatenate([means.answers.unit] * 2), np.concatenate([means.cell, k + means.cell]))
    table = csr_array((np.concatenate([means.weight * means.answers.score, means.weight]), place), shape=shape)

    def finish(sums: FloatArray) -> FloatArray:
        have = sums[:, k:] > 0
        own = np.divide(sums[:, :k], sums[:, k:], out=np.zeros_like(sums[:, :k]), where=have)
        lost = 1.0 - have
        some = np.where(lost @ (rows != 0).T > 0, np.nan, own @ rows.T)
        absolute = np.where(lost @ (each != 0).T > 0, np.nan, np.abs(own @ each.T))
        return np.column_stack([some, absolute @ weight])

    return bootstrap(table, finish, units, resamples=resamples, seed=seed)


BIAS, POSITION, SCORE = "bias", "position", "score"
MEANS, FLIP = "scenario means", "scenario sign flip"
MCNEMAR, MID_P = "McNemar, ignoring clusters", "McNemar mid-p, ignoring clusters"
SAME = "same groups"
DEPENDENCE = {
    "rows": "t, units independent", "CR2": "t, clusters of {names} (CR2)",
    "two-way": "t, crossed clusters of {names}",
}  # fmt: skip


FLOORED = "by the one that varies more"
ALIKE = "couples of one kind were always answered alike: no standard error, no test"
TINY = 1e-15


def method_of(data: Data, found: ClusteredMean) -> str:
    """Say how standard error and test were obtained."""
    text = DEPENDENCE[found.kind].format(names=" x ".join(f.name for f in data.factors))
    return f"{text}, {FLOORED}" if found.floored else text


def linear_row(data: Data, combined: Linear, term: str, group: str, reach: float, options: Options) -> Row:
    """Row of a combination with its t interval, cut at what it can reach, and the test of 0."""
    found = inference(combined, data.design.unit_count, data.codes)
    base = Row(term=term, group=group, estimate=combined.estimate, n=combined.n,
               n_clusters=min(found.clusters, default=None))  # fmt: skip
    if found.undefined:
        alike = not np.any(np.abs(combined.influence) > TINY)
        return replace(base, undefined=ALIKE if alike and found.n > 1 else found.undefined)
    return with_mean(base, found, options.level, within=(-reach, reach), method=method_of(data, found))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Term:
    """A row to be: its names, its coefficients (once for each rater who has the cells), what it can reach."""

    term: str
    group: str
    parts: list[Parts]
    reach: float
    tested: bool = True


def bias_terms(found: Analysis, group: str = BIAS) -> list[Term]:
    """B of every pair of groups."""
    data = found.data
    return [Term(term=data.label(pair), group=group, parts=found.bias(pair), reach=2.0) for pair in data.pairs]


def position_terms(found: Analysis, group: str = POSITION) -> list[Term]:
    """S_aa of every group that met its own kind, and their mean: 0 without an effect of the position."""
    each = [
        Term(term=name, group=group, parts=found.parts([(1.0, k, k)]), reach=1.0)
        for k, name in enumerate(found.data.groups)
    ]
    each = [term for term in each if term.parts]
    mean = Term(term=SAME, group=f"{POSITION}, mean", parts=found.position(), reach=1.0)
    return [*each, mean] if len(each) > 1 else each


def score_terms(found: Analysis, group: str = SCORE) -> list[Term]:
    """S_ab of every pair of different groups, in both orders; no test: position and bias are both in it."""
    names = found.data.groups
    each = [
        Term(term=f"{names[a]}, {names[b]}", group=group, parts=found.parts([(1.0, a, b)]), reach=1.0, tested=False)
        for one, other in found.data.pairs
        for a, b in ((one, other), (other, one))
    ]
    return [term for term in each if term.parts]


def term_row(found: Analysis, term: Term, options: Options) -> Row:
    """Row of a term."""
    combined = found.linear(term.parts)
    if combined is None:
        return Row(term=term.term, group=term.group, undefined="couples of these groups have answers in one order only")
    row = linear_row(found.data, combined, term.term, term.group, term.reach, options)
    return row if term.tested else replace(row, statistic=None, df=None, p_value=None)


def with_bootstrap(rows: list[Row], terms: list[Term], ends: Interval, options: Options) -> list[Row]:
    """Put bootstrap intervals in place of the t intervals; `ends` has those of the terms first."""
    done = []
    for k, (row, term) in enumerate(zip(rows, terms, strict=True)):
        low, high, why = float(ends.low[k]), float(ends.high[k]), ends.undefined[k]
        why = why or ("" if low < high else NO_WIDTH)
        method = f"{row.method}; {options.ci} bootstrap interval"
        within = (-term.reach, term.reach)
        done.append(
            row if row.undefined else
            with_ends(row, low, high, options.level, why=why, within=within, method=method)
        )  # fmt: skip
    return done


def scenario_rows(found: Analysis, options: Options) -> list[Row]:
    """t and sign-flip tests on one difference a scenario."""
    rows = []
    for pair in found.data.pairs:
        table, label = differences(found, pair), found.data.label(pair)
        have = ~np.isnan(table)
        per = have.sum(axis=1)
        values = (np.where(have, table, 0.0).sum(axis=1)[per > 0]) / per[per > 0]
        if len(values):
            rows += [means_row(label, values, options), flip_row(label, values, options)]
        else:
            why = "no scenario has answers in both orders"
            rows += [Row(term=label, group=group, undefined=why) for group in (MEANS, FLIP)]
    return rows


def means_row(label: str, values: FloatArray, options: Options) -> Row:
    """t test that the mean of the scenarios' differences is 0."""
    mean = clustered_mean(values, np.ones(len(values)), magnitude=1.0)
    base = Row(term=label, group=MEANS, estimate=mean.mean, n=float(len(values)),
               method=f"t, {count(len(values), 'scenario')} weighing alike")  # fmt: skip
    return with_mean(base, mean, options.level, within=(-2.0, 2.0))


def flip_row(label: str, values: FloatArray, options: Options) -> Row:
    """Sign-flip test of the same differences; `statistic` is their sum."""
    base = Row(term=label, group=FLIP, n=float(len(values)), statistic=float(values.sum()))
    if len(values) < 2:
        return replace(base, statistic=None, undefined="a single scenario: its sign alone cannot be tested")
    if not np.any(values):
        return replace(base, p_value=1.0, method="sign flip: every scenario has the difference 0")
    test = sign_flip(values, seed=options.seed)
    how = "exact" if test.exact else f"{count(test.draws)} random flips"
    return replace(base, p_value=float(test.p_value[0]), method=f"sign flip of scenarios, {how}")


def mcnemar_rows(data: Data) -> tuple[list[Row], dict[str, dict[str, float]]]:
    """McNemar's tests of complete couples taken as independent, and the cells."""
    rows, cells = [], {}
    for pair in data.pairs:
        label, matched = data.label(pair), data.matched[pair]
        table = matched.cells()
        if matched.repeated or table is None:
            why = "no couple was answered in both orders" if table is None else (
                f"{count(matched.repeated, 'couple')} with several answers in an order, or unlike counts: which belong "
                "together is not known")  # fmt: skip
            rows += [Row(term=label, group=group, undefined=why) for group in (MCNEMAR, MID_P)]
            continue
        cells[label] = {
            "first_group_both": table.b, "second_group_both": table.c, "first_place_both": table.a,
            "second_place_both": table.d,
        }  # fmt: skip
        chi, mid = tests.asymptotic(table), tests.mid_p(table)
        size, mixed = table.n, int(table.discordant)
        what = "complete couples as independent"
        rows += [
            Row(term=label, group=MCNEMAR, estimate=2 * table.difference, statistic=chi.statistic, df=chi.df,
                p_value=chi.p, method=f"chi-square, {what}", n=size, n_units=mixed),
            Row(term=label, group=MID_P, statistic=mid.statistic, p_value=mid.p, method=f"mid-p, {what}",
                n=size, n_units=mixed),
        ]  # fmt: skip
    return rows, cells


LINE = 0.05


def all_cautions(
    data: Data, rows: tuple[Row, ...], means: Sequence[ClusteredMean], boot: Bootstrap | None, null: NoBias | str,
    one_order: int, options: Options,
) -> tuple[Caution, ...]:  # fmt: skip
    """Cautions SS201, SS202, SS204 to SS206, SS211, SS301, SS304, SS316 and SS317, those that apply."""
    own = (
        incomplete(one_order, options), plug_in(null), disagreement(rows), lost_resamples(boot),
        design_effect(data, rows), floored(rows),
    )  # fmt: skip
    told = mean_cautions(
        data.design, data.factors, means, what="couples", bounded=True, resampled=options.ci != "closed"
    )
    return (*told, *(c for c in own if c is not None))


def incomplete(one_order: int, options: Options) -> Caution | None:
    """SS301: couples that were answered in one order only."""
    if not one_order:
        return None
    did = "their answers count in S and B, not in McNemar's test" if options.couples == "all" else "they were left out"
    verb = "was" if one_order == 1 else "were"
    return caution("SS301", f"{count(one_order, 'couple')} {verb} answered in one order only; {did}",
                   affects="S and B: answers must be missing at random",
                   fix="ask the missing orders again, or quote the bounds that they leave")  # fmt: skip


def plug_in(null: NoBias | str) -> Caution | None:
    """SS304: B_all is above 0 without any bias."""
    if isinstance(null, str):
        return None
    said = f"without any bias B_all would be {number(null.null_mean, 3)} on average, not 0"
    return caution("SS304", said, affects="B_all", fix="quote B_all corrected, with its interval")


def disagreement(rows: tuple[Row, ...]) -> Caution | None:
    """SS316: McNemar's test, which ignores clusters, and the clustered one disagree."""
    plain = {row.term: row.p_value for row in rows if row.group == MCNEMAR}
    split = [
        row.term
        for row in rows
        if row.group == BIAS and row.p_value is not None and plain.get(row.term) is not None
        and (row.p_value < LINE) != ((plain[row.term] or 0.0) < LINE)
    ]  # fmt: skip
    if not split:
        return None
    return caution("SS316", "the clustered test and McNemar's, which takes couples as independent, lie on different "
                   f"sides of .05 for {listing([shorten(s) for s in split])}",
                   affects="McNemar's test", fix="quote the clustered test")  # fmt: skip


def lost_resamples(boot: Bootstrap | None) -> Caution | None:
    """SS204: resamples without answers of some kind of couple."""
    fix = "collect more answers about couples of every kind"
    return (
        None if boot is None else lost_caution(int(boot.n_degenerate.max()), boot.resamples, "bootstrap intervals", fix)
    )


def floored(rows: tuple[Row, ...]) -> Caution | None:
    """SS206: two-way variances that were smaller than that of one factor."""
    listed = [f"{shorten(row.term)} ({shorten(row.group or '')})" for row in rows if FLOORED in (row.method or "")]
    if not listed:
        return None
    return caution("SS206", "the errors of scenarios and of names together, less what both count, came out below those "
                   f"of one alone in {count(len(listed), 'row')}, and the larger of both took their place: "
                   f"{listing(listed, 3)}",
                   affects="those intervals and tests, which are cautious",
                   fix="nothing: they are a little long at worst")  # fmt: skip


def design_effect(data: Data, rows: tuple[Row, ...]) -> Caution | None:
    """SS205: how much clustering changes the standard errors of B."""
    if not data.factors:
        return None
    ratios = []
    for row, pair in zip((r for r in rows if r.group == BIAS), data.pairs, strict=True):
        plain = independent_error(data.answers, pair)
        if row.std_error is not None and plain:
            ratios.append(row.std_error / plain)
    if not ratios:
        return None
    low, high = number(min(ratios)), number(max(ratios))
    spread = low if low == high else f"{low} to {high}"
    return caution("SS205", f"standard errors of B are {spread} times those of independent answers")


def independent_error(answers: Answers, pair: tuple[int, int]) -> float:
    """Standard error of B when all answers are independent: sqrt of the sum of (1 - S^2)/n over both orders."""
    total = 0.0
    for first, second in (pair, pair[::-1]):
        mine = answers.take((answers.first == first) & (answers.second == second))
        if not mine.n:
            return 0.0
        mean = float(mine.count @ mine.score) / mine.n
        total += (1 - mean**2) / mine.n
    return float(total**0.5)


NEITHER = "no pair of groups was answered in both orders"
MOST = 2.0
PLAIN, CORRECTED, OVERALL, NULL = "B_all", "B_all corrected", "overall", "overall, without any bias"
METHOD = "bootstrap interval of the population's mean absolute bias (basic, less the bias, to percentile), cut at 0"


def mean_absolute(found: Analysis) -> float | None:
    """B_all: the mean of abs(B) over the pairs of groups; None where none has both orders."""
    listed, weight = found.each_bias()
    if not listed:
        return None
    values = np.array([found.means.coefficients(one) @ found.means.mean for one in listed])
    return float(np.abs(values) @ weight)


def answers_of(found: Analysis) -> float:
    """Answers to couples of two groups, which B_all is made of."""
    answers = found.data.answers
    return float(answers.count[answers.first != answers.second].sum())


def joint(found: Analysis) -> Estimates | str:
    """Every B that B_all averages, with their clustered errors and correlations; or why those are not known.

    Pairs of groups have pairs of names of their own, so that each has its own chi-square of the error; raters within a
    pair of groups share it.
    """
    listed, weight = found.each_bias()
    if not listed:
        return NEITHER
    data = found.data
    each = [linear(found.means, found.means.coefficients(one), len(data.design.units)) for one in listed]
    spread = [inference(one, data.design.unit_count, data.codes) for one in each]
    why = single_cluster(found, each) or next((one.undefined for one in spread if one.undefined), "")
    if why:
        return why
    used = np.any([one.touched > 0 for one in each], axis=0)
    influence = np.column_stack([one.influence[used] for one in each])
    kinds = [tuple(sorted({group for cell in one for group in cell[1:]})) for one in listed]
    return Estimates(
        value=np.array([one.estimate for one in each]), error=np.array([one.std_error for one in spread]),
        df=np.array([one.df for one in spread]), weight=weight,
        correlation=influence_correlation(influence, [code[used] for code in data.codes]),
        block=np.array([sorted(set(kinds)).index(kind) for kind in kinds]),
    )  # fmt: skip


def drawn_errors(known: Estimates | str, options: Options) -> FloatArray:
    """Draw errors of the biases; none where their standard errors are not known."""
    return np.empty((0, 0)) if isinstance(known, str) else known.drawn(options.seed)


def corrected(joint: Estimates) -> float:
    """B_all less its bias, at least 0.

    Each estimate of B is taken as normal around the true one with its robust standard error s; E abs(N(B, s)) -
    abs(B) at the estimate is subtracted.
    """
    means = [folded_mean(b, s) for b, s in zip(joint.value.tolist(), joint.error.tolist(), strict=True)]
    return max(joint.size - float((np.array(means) - np.abs(joint.value)) @ joint.weight), 0.0)


def flips(found: Analysis, seed: int) -> FlippedMean | str:
    """Mean absolute bias when the differences of whole scenarios change their sign at random."""
    columns = []
    for pair in found.data.pairs:
        table = differences(found, pair)
        have = [next(iter(one))[0] for one in found.bias(pair)]
        columns += [table[:, found.raters.index(r)] for r in have]
    if not columns:
        return NEITHER
    return flipped_mean_absolute(np.column_stack(columns), found.each_bias()[1], seed=seed)


def size_rows(found: Analysis, group: str, known: Estimates | str, errors: FloatArray, options: Options) -> list[Row]:
    """Rows of B_all as it is, and corrected for its bias; both have the interval of what they estimate."""
    size = mean_absolute(found)
    plain, better = (Row(term=term, group=group, n=answers_of(found)) for term in (PLAIN, CORRECTED))
    plain = replace(plain, estimate=size)
    if isinstance(known, str):
        return [replace(plain, undefined=known), replace(better, undefined=known)]
    better = replace(better, estimate=corrected(known))
    low, high = size_interval(known, errors, level=options.level, most=MOST)
    low, high = min(low, better.estimate or 0.0), max(high, better.estimate or 0.0)
    why, how = "" if low < high else NO_WIDTH, method_of_overall(found, known)
    return [with_ends(row, low, high, options.level, why=why, hold=True, method=how) for row in (plain, better)]


def method_of_overall(found: Analysis, known: Estimates) -> str:
    """Say how the interval was obtained."""
    names = " x ".join(f.name for f in found.data.factors)
    df = number(float(known.df.min()), 0 if float(known.df.min()) % 1 == 0 else 1)
    return f"tests inverted, correlated t of {df} df, " + (f"clusters of {names}" if names else "units independent")


def gap_row(first: list[Row], second: list[Row], group: str) -> Row:
    """Difference of B_all corrected between two levels: names that both share make its interval longer than it needs
    to be.
    """
    one, two = first[1], second[1]
    fields = {"n": (one.n or 0.0) + (two.n or 0.0), "method": f"{one.method}; both intervals combined"}
    return with_both_intervals(Row(term=CORRECTED, group=group), one, two, **fields)


def overall_rows(
    found: Analysis, boot: Bootstrap | None, known: Estimates | str, errors: FloatArray, options: Options
) -> list[Row]:
    """Rows of B_all of all answers, with the interval that is asked for."""
    if mean_absolute(found) is None:
        return [Row(term=term, group=OVERALL, undefined=NEITHER) for term in (PLAIN, CORRECTED)]
    rows = size_rows(found, OVERALL, known, errors, options)
    if boot is None or isinstance(known, str):
        return rows
    bare = [replace(row, method=None, undefined=None) for row in rows]
    return with_resampled_size(bare, boot, options.level)


def single_cluster(found: Analysis, each: Sequence[Linear]) -> str:
    """Say that a bias rests on one level of a cluster, which cannot tell how others would differ."""
    for one in each:
        for factor in found.data.factors:
            if len(np.unique(factor.codes[one.touched > 0])) < 2:
                return f"a bias rests on a single {shorten(factor.name)}: no interval"
    return ""


def with_resampled_size(rows: list[Row], boot: Bootstrap, level: float) -> list[Row]:
    """Give both rows of B_all the bootstrap interval, and the bootstrap's standard error.

    Resamples of an absolute value lie too high. From below the interval is the basic one less the bootstrap's estimate
    of the bias, from above the percentile one: each end errs to the safe side, where an interval that is basic, or
    percentile, at both ends holds the truth too seldom. It is widened to hold both rows.
    """
    below, above = basic(boot, level=level), percentile(boot, level=level)
    held = [row.estimate for row in rows if row.estimate is not None]
    low, high = max(float(below.low[-1] - boot.bias[-1]), 0.0), min(float(above.high[-1]), MOST)
    low, high, sd = min(low, *held), max(high, *held), float(boot.std_error[-1])
    why = below.undefined[-1] or above.undefined[-1] or ("" if low < high else NO_WIDTH)
    fields: dict[str, Any] = {
        "std_error": sd if sd > 0 else None,
        "n_clusters": boot.units.n_clusters,
        "method": METHOD,
    }
    fields["std_error"] = sd if sd > 0 else None
    return [with_ends(row, low, high, level, why=why, **fields) for row in rows]


def null_row(found: Analysis, null: NoBias | str) -> Row:
    """Row of B_all without any bias: its mean (`estimate`), and the test (`statistic`: B_all)."""
    if isinstance(null, str):
        return Row(term=PLAIN, group=NULL, undefined=null)
    names = " x ".join(f.name for f in found.data.factors)
    who = f"clusters of {names}" if names else "units independent"
    return Row(term=PLAIN, group=NULL, estimate=null.null_mean, statistic=mean_absolute(found), df=null.df,
               p_value=null.p_value, n=answers_of(found),
               method=f"correlated t of the biases, {who}, {count(null.draws)} draws")  # fmt: skip


def flip_row_of_overall(found: Analysis, flipped: FlippedMean | str) -> Row:
    """Row of the test that the differences of scenarios are as likely as their negatives; `statistic` is B_all."""
    if isinstance(flipped, str):
        return Row(term=PLAIN, group=FLIP, undefined=flipped)
    how = f"{count(flipped.flips)} random flips" if flipped.flips else "exact"
    n = len(np.unique(found.data.answers.scenario))
    return Row(term=PLAIN, group=FLIP, statistic=flipped.observed, p_value=flipped.p_value, n=float(n),
               method=f"sign flip of scenarios, {how}")  # fmt: skip


def stratum_rows(data: Data, options: Options) -> list[Row]:
    """Rows of each level of the stratum; of two levels, also of their difference."""
    if options.stratum is None:
        return []
    factor = unit_factor(data.design, options.stratum, "stratum")
    parts = {
        name: analysis(of_stratum(data, factor, code), options.aggregate)
        for code, name in enumerate(factor.levels)
        if np.any(factor.codes[data.answers.unit] == code)
    }
    rows: list[Row] = []
    sizes: dict[str, list[Row]] = {}
    for name, found in parts.items():
        group, known = f"{options.stratum} = {name}", joint(found)
        if mean_absolute(found) is not None:
            sizes[name] = size_rows(found, group, known, drawn_errors(known, options), options)
        rows += level_rows(found, group, sizes.get(name, []), options)
    if len(parts) == 2:
        (one, first), (two, second) = parts.items()
        rows += difference_rows(first, second, f"{one} - {two}", options)
        if len(sizes) == 2:
            rows.append(gap_row(sizes[one], sizes[two], f"{one} - {two}"))
    return rows


def level_rows(found: Analysis, group: str, sizes: list[Row], options: Options) -> list[Row]:
    """Biases, B_all and the effect of the position within one level."""
    rows = [term_row(found, term, options) for term in bias_terms(found, group)]
    position = found.linear(found.position())
    rows += sizes
    if position is not None:
        rows.append(linear_row(found.data, position, SAME, group, 1.0, options))
    if options.stratum_rows == "scores":
        terms = [*position_terms(found, group), *score_terms(found, group)]
        rows += [term_row(found, term, options) for term in terms if term.term != SAME]
    return rows


def difference_rows(first: Analysis, second: Analysis, group: str, options: Options) -> list[Row]:
    """Difference of each bias between two levels; scenarios and names that both share are allowed for."""
    rows = []
    for pair in first.data.pairs:
        one, two = first.linear(first.bias(pair)), second.linear(second.bias(pair))
        if one is not None and two is not None:
            label = first.data.label(pair)
            rows.append(linear_row(first.data, one.minus(two), label, group, 4.0, options))
    return with_holm(rows)


REFERENCES = (
    "levy2024", "cameron2011", "cochran1964", "bellmccaffrey2002", "holm1979", "leone1961", "owen2007", "chuanglai2000",
    "zoudonner2008", "mcnemar1947", "fagerland2013",
)  # fmt: skip


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
    """Estimate with whom a model sides in couples of two groups of names, and how far the order of names decides.

    An answer scores -1 for the first and +1 for the second name. S_ab is the mean score of couples whose first name
    is of group a and second of b; B_ab = S_ba - S_ab, in [-2, 2], is positive where group a is favoured whatever its
    place; S_aa, couples of one group, is the effect of the place alone; B_all is the mean of abs(B) over the pairs of
    groups (Levy et al. 2024). B_all is never negative, and so is above 0 without any bias: it is returned with the
    mean that it has then, and corrected.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        Units are (scenario, pair of names, order). A data frame with one answer a row is read by the columns that the
        options name (`socialstats.designs.couples.couples_design`), with scenario and pair as crossed clusters and
        the raters of a column ``rater``, ``model`` or ``judge``. With a ``by`` factor: one result a level.
    groups : sequence of str, optional
        Groups to compare, in the order of the differences: of (a, b, c) B_ab, B_ac and B_bc. By default all, sorted.
    scenario, pair, group_first, group_second : str
        Strata or clusters of the units (columns of a data frame). `pair` is the same label in both orders.
    answers : pair
        The answers that mean the first and the second name.
    couples : {"all", "complete"}
        Use all answers, or leave out couples that were answered in one order only (caution SS301 counts them).
    aggregate : {"pooled", "scenario", "rater"}
        How answers become S: all alike; scenarios alike; or rater by rater, with B and abs(B) averaged over raters
        (the mean of absolute values is not the absolute value of the mean).
    stratum : str, optional
        Stratum of the units: biases, position and B_all of each of its levels; of two levels also their differences. A
        level of one scenario has no interval: nothing shows how others like it would differ.
    stratum_rows : {"biases", "scores"}
        ``"scores"``: also S of every kind of couple within each level.
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
        ``B_all`` and ``B_all corrected``, both with the interval of the population's value: every value that would
        not make B_all as observed a rare one, by draws of correlated t's with the clustered errors of the biases, as
        of the test; its lower end is 0 where a test of no bias at half of 1 - `level` does not reject. With a
        bootstrap: the basic one less the bias from below, the percentile one from above, cut at 0. Both are widened to
        hold both estimates. ``"overall, without any bias"``: the mean that B_all has where every B is 0 (sum of weight
        x s.e. x sqrt(2/pi)) and the test of that, by the same draws: both factors count.
        ``"position"``: S_aa of each group; ``"position, mean"``: their mean. ``"score"``: S_ab (``"a, b"``).
        ``"scenario means"`` and ``"scenario sign flip"``: tests on one difference a scenario, which leave the pairs
        of names out, so that the p of a sign flip is too small where names matter (of ``B_all``: that no group is
        favoured). ``"McNemar, ignoring clusters"``, ``"McNemar mid-p, ignoring clusters"``: tests that take complete
        couples as independent, for comparison with publications; `n` counts couples, `n_units` those in which both
        orders favour the same group (the mid-p row's `statistic`: the first group). With `stratum` the groups
        ``"<stratum> = <level>"`` and ``"<level> - <level>"`` (``B_all corrected`` there by the intervals of both
        levels: Zou & Donner 2008). `extras`: ``null_mean`` of B_all (value),
        ``flipped_mean`` (by sign flips: value, mc_error, flips), ``mcnemar_cells``, ``one_order_only`` (the first 200
        couples without one of the answers).

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
    options = Options(
        groups=None if groups is None else tuple(groups), scenario=scenario, pair=pair, group_first=group_first,
        group_second=group_second, answers=tuple(answers), couples=couples, aggregate=aggregate, stratum=stratum,
        stratum_rows=stratum_rows, ci=ci, cluster=cluster, level=level, resamples=resamples, seed=seed,
    )  # fmt: skip
    options.check()
    return by_levels(ratings, "declared", lambda one: estimate(one, options), Ratings)


def estimate(design: Ratings, options: Options) -> Result:
    """Compute everything of one design."""
    data = read(design, options, cluster_factors(design, options.cluster))
    found = analysis(data, options.aggregate)
    known, flipped = joint(found), flips(found, options.seed)
    errors = drawn_errors(known, options)
    null = known if isinstance(known, str) else no_bias(known, errors)
    boot = drawn(found, options)
    rows = main_rows(found, boot, known, errors, options)
    tests, cells = mcnemar_rows(data)
    rows += [null_row(found, null), *scenario_rows(found, options), flip_row_of_overall(found, flipped), *tests]
    rows += stratum_rows(data, options)
    means = bias_means(found)
    n_one, listed = one_order_only(data)
    extras: dict[str, Any] = {"mcnemar_cells": cells, "one_order_only": listed, "groups": data.groups}
    if isinstance(null, NoBias):
        extras["null_mean"] = {"value": null.null_mean}
    if isinstance(flipped, FlippedMean):
        extras["flipped_mean"] = {"value": flipped.null_mean, "mc_error": flipped.mc_error, "flips": flipped.flips}
    return Result(
        metric="relationship_bias",
        title="Relationship bias B of " + count(len(data.groups), "group"),
        inference=inference_text(data, options),
        rows=tuple(rows),
        counts=counts(data, n_one),
        fit={"nobs": int(data.answers.n), "n_clusters": rows[0].n_clusters, "method": rows[0].method,
             "seed": options.seed, "resamples": options.resamples,
             "effective_df": min((mean.df for mean in means), default=None),
             "largest_leverage": max((mean.largest for mean in means), default=None)},
        settings=options.settings,
        cautions=all_cautions(data, tuple(rows), means, boot, null, n_one, options),
        references=REFERENCES,
        design=design,
        extras=extras,
    )  # fmt: skip


def main_terms(found: Analysis) -> list[Term]:
    """B of every pair of groups, then effects of the position, and S."""
    return [*bias_terms(found), *position_terms(found), *score_terms(found)]


def bias_means(found: Analysis) -> list[ClusteredMean]:
    """Return the clustered means behind the t intervals of B, those that have one."""
    each = [found.linear(term.parts) for term in bias_terms(found)]
    design = found.data.design
    means = [inference(one, design.unit_count, found.data.codes) for one in each if one is not None]
    return [mean for mean in means if not mean.undefined]


def main_rows(
    found: Analysis, boot: Bootstrap | None, known: Estimates | str, errors: FloatArray, options: Options
) -> list[Row]:
    """Rows of B, B_all, position and S."""
    terms = main_terms(found)
    rows = [term_row(found, term, options) for term in terms]
    if boot is not None:
        ends = (percentile if options.ci == "percentile" else basic)(boot, level=options.level)
        rows = with_bootstrap(rows, terms, ends, options)
    n = len(found.data.pairs)
    return [*with_holm(rows[:n]), *overall_rows(found, boot, known, errors, options), *rows[n:]]


def drawn(found: Analysis, options: Options) -> Bootstrap | None:
    """Draw the bootstrap of all terms and B_all, where it is asked for and there is something to resample."""
    data = found.data
    if options.ci == "closed" or any(len(np.unique(code[data.answers.unit])) < 2 for code in data.codes):
        return None
    if len(np.unique(data.answers.unit)) < 2 or mean_absolute(found) is None:
        return None
    zero = np.zeros(len(found.means.cells))
    coefficients = [found.combine(term.parts) for term in main_terms(found)]
    table = np.array([zero if c is None else c for c in coefficients])
    return resample(found, table, units_of(data.design, data.factors), options.resamples, options.seed)


def counts(data: Data, one_order: int) -> dict[str, int]:
    """Numbers of answers, scenarios, pairs of names, couples and raters."""
    complete = sum(float(m.count[m.complete].sum()) for m in data.matched.values())
    answers = data.answers
    found = {
        "answers": int(answers.n), "scenarios": len(np.unique(answers.scenario)),
        "pairs of names": len(np.unique(answers.pair)), "complete couples": int(complete),
        "couples answered in one order only": one_order,
    }  # fmt: skip
    raters = len(np.unique(answers.rater))
    return found | ({"raters": raters} if raters > 1 else {})


def inference_text(data: Data, options: Options) -> str:
    """Say how the intervals were obtained."""
    clusters = cluster_text(data.factors, "units")
    if options.ci == "closed":
        return (
            f"t intervals of B and S, inverted tests for B_all ({count(DRAWS)} draws, seed {options.seed}); {clusters}"
        )
    drawn_text = f"{count(options.resamples)} resamples, seed {options.seed}"
    return f"{options.ci} bootstrap intervals of B and S, bootstrap of B_all ({drawn_text}); {clusters}"


MOST_SAID = 6


def sentence(result: Result) -> str:
    """Say the biases with the clustered test, B_all with what chance gives, and McNemar's test as what it is."""
    n = result.counts
    size = f"{count(n['scenarios'], 'scenario')} and {count(n['pairs of names'], 'pair')} of names"
    biases = [one_bias(row) for row in result.rows if row.group == BIAS]
    start = (
        f"Over {size} ({count(n['answers'], 'answer')}), the bias B, positive where the group named first is favoured"
    )
    parts = [f"{start}, was {'; '.join(biases[:MOST_SAID])}"]
    if len(biases) > MOST_SAID:
        parts.append(f"{count(len(biases) - MOST_SAID, 'more pair')} of groups in the table")
    parts.append(overall(result))
    plain = [row for row in result.rows if row.group == MCNEMAR and row.statistic is not None]
    if plain:
        shown = listing([f"{shorten(r.term)} {p_value(r.p_value)}" for r in plain], MOST_SAID)
        parts.append(f"McNemar's test, which takes {count(n['complete couples'], 'couple')} as independent: {shown}")
    return "; ".join(parts) + "."


def one_bias(row: Row) -> str:
    """Say one B."""
    name = shorten(row.term)
    if row.estimate is None:
        return f"{name} undefined ({row.undefined})"
    value = f"{name} {number(row.estimate)}"
    if row.conf_low is None:
        return f"{value} without an interval ({row.undefined})"
    ends = interval(row.conf_low, row.conf_high, level=row.conf_level or 0.95)
    test = (
        f", t({number(row.df, 0 if (row.df or 0) % 1 == 0 else 1)}) = {number(row.statistic)}, {p_value(row.p_value)}"
    )
    return f"{value}, {ends}{test if row.statistic is not None else ''}"


def overall(result: Result) -> str:
    """Say B_all."""
    plain, better = (result.row(term, group=OVERALL) for term in (PLAIN, CORRECTED))
    if plain.estimate is None:
        return f"B_all undefined ({plain.undefined})"
    text = f"B_all was {number(plain.estimate)}"
    null = result.row(PLAIN, group=NULL)
    if null.estimate is not None:
        text += f" ({number(null.estimate)} on average without any bias, {p_value(null.p_value)})"
    if better.estimate is None:
        return f"{text}, without a correction ({better.undefined})"
    text += f", corrected {number(better.estimate)}"
    if better.conf_low is None:
        return f"{text}, without an interval ({better.undefined})"
    return f"{text}, {interval(better.conf_low, better.conf_high, level=better.conf_level or 0.95)}"


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the biases, and below them the effects of the position, with their intervals."""
    from dataclasses import replace

    from socialstats.figures import forest

    rows = [row for row in result.rows if row.group == BIAS]
    rows += [replace(row, term=f"place: {row.term}") for row in result.rows if row.group == POSITION]
    settings = {"xlabel": "B (first group favoured > 0); place: S of one group", "sort": False}
    return forest(rows, ax=ax, **{**settings, **options})


METRIC = Metric(
    name="relationship_bias",
    title="With whom a model sides, by the groups of two names (B)",
    design="ratings",
    function=relationship_bias,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.relationship_bias:verify",
    estimand="How much more often a name is chosen when it is of one group than when it is of the other, whatever its "
    "place, on the scale from -2 to 2; and how often the second place is chosen between names of one group.",
    assumptions=(
        "scenarios, and pairs of names, are independent draws of those meant (or the named clusters are)",
        "both orders of a couple share scenario and names; answers are missing at random",
        "t intervals: about 10 scenarios and 10 pairs of names or more",
    ),
    references=REFERENCES,
    swap="invariant",
    values="couples",
)

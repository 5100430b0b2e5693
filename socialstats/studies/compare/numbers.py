"""Differences of models on the same units, with their errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from socialstats.arrays import AnyArray, BoolArray, FloatArray, IntArray
from socialstats.designs.comparisons import A_WON, TIED, Comparisons, group, without_cited
from socialstats.designs.ratings import OK, REFUSAL, Ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse, SocialStatsError, UndefinedStatistic
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.inference.compare import with_resampled_t, with_resamples
from socialstats.inference.dependence import small_sample
from socialstats.inference.rows import ANYWHERE, with_mean
from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.metrics.choice_entropy import choice_entropy_difference
from socialstats.metrics.sensitivity import sensitivity, sensitivity_difference
from socialstats.metrics.win_rates import win_rates
from socialstats.models.agreement import alpha_sums, rating_counts
from socialstats.models.alignment import mode_distances
from socialstats.models.matched_pairs import Cells, mid_p
from socialstats.models.sensitivity import common_pairs
from socialstats.models.shares import group_shares
from socialstats.resampling import Units, bootstrap
from socialstats.resampling.engine import Replicates
from socialstats.results import Check, Result, Row
from socialstats.studies.comparisons import (
    Pairs,
    default_cluster,
    fit_model,
    further_groups,
    item_groups,
    without_order,
)
from socialstats.studies.estimates import single
from socialstats.studies.page import StudyOptions
from socialstats.studies.role_conflict.urgency import of_effect, of_sensitivity
from socialstats.studies.sources import human_source, raters_of
from socialstats.text import count, listing, number, quoted, shorten
from socialstats.voice import option

MOST_REFITS = 1000
MOST_LOST = 0.01  # share of the resamples without finite strengths
Kind = Literal["effect", "strength", "share"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refitted:
    """A fit with its refits: numbers by name, and the same numbers of every resample.

    Attributes
    ----------
    fit : BradleyTerryResult
    kinds : mapping of name to kind
    estimate : (k,) array
    replicates : (B, k) array
        NaN in the resamples without a finite estimate.
    ok : (B,) bool array
        Which resamples have one.
    """

    fit: BradleyTerryResult
    kinds: Mapping[str, Kind]
    estimate: FloatArray
    replicates: FloatArray
    ok: BoolArray


class ModelDifference(Result):
    """Differences between two fits; ``extras["fits"]`` holds both."""

    __slots__ = ()

    def crosscheck(self) -> Sequence[Check]:
        """Recompute the differences of strengths and effects from both models fitted by statsmodels or scipy."""
        from socialstats.crosscheck.bradley_terry import peer_estimates

        theirs = [peer_estimates(fit) for fit in self.extras["fits"]]
        checks = []
        for row in self.rows:
            if row.group == "share" or row.estimate is None:
                continue
            value = theirs[0][row.term] - theirs[1][row.term]
            checks.append(
                Check(quantity=f"difference of {row.term}", ours=row.estimate, theirs=value, package="statsmodels",
                      version="", tolerance=1e-6, ok=abs(row.estimate - value) <= 1e-6,
                      why="two maxima, each found to 1e-8 or better")
            )  # fmt: skip
        return checks


def refit(
    design: Comparisons, options: StudyOptions, formula: str | None, groupings: Mapping[str, Mapping[str, Any]]
) -> Refitted:  # fmt: skip
    """Fit a model and refit it on resampled pairs of items; the same seed draws the same pairs for any design of them.

    Resamples without a finite estimate keep their place, so that those of two fits can be matched.
    """
    fit = fit_model(design, options, formula, cluster="pair")
    boot = fit.bootstrap(by="pair", resamples=min(options.resamples, MOST_REFITS), seed=options.seed)
    items = tuple(fit.strengths)
    effects = [name for name in fit.names if name not in fit.strengths]
    coefficients = fit.coef()
    estimate = [np.array([coefficients[name] for name in (*effects, *items)])]
    drawn = [boot.effects, boot.strengths]
    kinds: dict[str, Kind] = {**dict.fromkeys(effects, "effect"), **dict.fromkeys(items, "strength")}
    strengths = np.array([[fit.strengths[item] for item in items]])
    for k, (name, groups) in enumerate(groupings.items()):
        at = [j for j, item in enumerate(items) if item in groups]
        labels = sorted({str(groups[items[j]]) for j in at})
        if len(labels) < 2:
            continue
        codes = np.array([labels.index(str(groups[items[j]])) for j in at], dtype=np.int64)
        estimate.append(group_shares(strengths[:, at], codes, "arithmetic")[0])
        drawn.append(group_shares(boot.strengths[:, at], codes, "arithmetic"))
        where = f" ({name})" if k else ""
        kinds |= {f"share of {label}{where}": "share" for label in labels}
    every = np.full((len(boot.ok), len(kinds)), np.nan)
    every[boot.ok] = np.concatenate(drawn, axis=1)
    return Refitted(fit=fit, kinds=kinds, estimate=np.concatenate(estimate), replicates=every, ok=boot.ok)


def difference(one: Refitted, two: Refitted, labels: tuple[str, str], options: StudyOptions, pairs: int) -> Result:
    """Return first minus second of every number that both have, with basic intervals over joint resamples.

    Raises
    ------
    UndefinedStatistic
        If more than 1 % of the resamples have no finite strengths in one of the models.
    """
    used = one.ok & two.ok
    lost = int((~used).sum())
    if lost > MOST_LOST * len(used):
        raise UndefinedStatistic(
            f"{count(lost)} of {count(len(used), 'resample')} had no finite strengths in one of the two"
        )
    names = [name for name in one.kinds if name in two.kinds]
    at, other = ([list(r.kinds).index(name) for name in names] for r in (one, two))
    boot = Replicates(
        estimate=one.estimate[at] - two.estimate[other],
        replicates=one.replicates[used][:, at] - two.replicates[used][:, other],
        n_degenerate=np.zeros(len(names), dtype=np.int64),
    )
    rows = with_resamples(
        [Row(term=name, group=one.kinds[name], role="difference", n_clusters=pairs) for name in names],
        boot,
        options.level,
    )
    return ModelDifference(
        metric="bradley_terry", title=f"Differences between two models: {labels[0]} minus {labels[1]}",
        rows=tuple(rows), inference=f"{count(pairs, 'pair')} of items resampled in both together, "
        f"{count(len(boot.replicates))} refits{f' ({lost} without finite strengths left out)' if lost else ''}: basic "
        "intervals, z from the bootstrap s.e.", counts={"pairs": pairs},
        settings={"labels": labels},
        references=("davisonhinkley1997",), design=(one.fit.design, two.fit.design),
        words=f"Differences of strengths and effects: {quoted(labels[:1])} minus {quoted(labels[1:])}.",
        extras={"fits": (one.fit, two.fit)},
    )  # fmt: skip


REPEATED = (
    "several rows share their items and covariates, so that the stories of the two cannot be matched (declare the "
    "column that names the story as a cluster)"
)
NOTHING = "no story was answered differently"
CHECKED = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stories:
    """Stories that both designs answered, without ties.

    Attributes
    ----------
    items : tuple of str
    low, high : (stories,) int64 arrays
        The two items of a story, as indexes into `items`.
    pair : (stories,) int64 array
    chose : (2, stories) bool array
        Whether the first, the second design chose `low`.
    ties : int
        Stories left out because one of the two answers is a tie.
    """

    items: tuple[str, ...]
    low: IntArray
    high: IntArray
    pair: IntArray
    chose: np.ndarray[Any, np.dtype[np.bool_]]
    ties: int


class ItemChanges(Result):
    """Differences in how often items are chosen; ``extras["stories"]`` holds the matched stories."""

    __slots__ = ()

    def crosscheck(self) -> Sequence[Check]:
        """Count the differences again with pandas; the clearest ones' errors by statsmodels' residuals and CR2."""
        from socialstats.crosscheck.item_changes import checks_of

        checks: Sequence[Check] = checks_of(self.rows, self.extras["stories"], CHECKED)
        return checks


def item_changes(one: Comparisons, two: Comparisons, labels: tuple[str, str], *, level: float = 0.95) -> Result:
    """Return first minus second of the share of its stories in which each item is chosen.

    The stories are matched by their items and covariates (and clusters, and order, where these are needed to tell
    stories apart). With y = 1 where the first chose the item and the second did not, -1 for the reverse, and else 0,
    the difference is the mean of y, (b - c) / n; its error is that of a mean clustered by pair of items (CR2).

    Raises
    ------
    UndefinedStatistic
        If the stories cannot be matched, or none is common.
    """
    stories = matched(one, two)
    rows = [change(stories, k, name, level) for k, name in enumerate(stories.items)]
    n = int(stories.chose.shape[1])
    return ItemChanges(
        metric="mcnemar", title=f"How often items are chosen: {labels[0]} minus {labels[1]}", rows=tuple(rows),
        inference="t tests of the mean difference, clustered by pair of items (CR2)",
        counts={"stories": n, "ties": stories.ties}, settings={"labels": labels, "level": level},
        references=("mcnemar1947", "bellmccaffrey2002"), design=(one, two),
        words=f"{count(n, 'story', 'stories')} answered by {quoted(labels[:1])} and by {quoted(labels[1:])}.",
        extras={"stories": stories},
    )  # fmt: skip


def change(stories: Stories, k: int, name: str, level: float) -> Row:
    """Return the row of one item: (b - c) / n with its clustered interval and test; `method` has b, c and mid-p."""
    own = np.flatnonzero((stories.low == k) | (stories.high == k))
    chose = stories.chose[:, own] == (stories.low[own] == k)
    y = chose[0].astype(np.float64) - chose[1]
    n = len(own)
    row = Row(
        term=name,
        group="item",
        role="difference",
        key=(("item", name),),
        n=float(n),
        n_clusters=len(np.unique(stories.pair[own])),
    )
    if not n:
        return replace(row, undefined="in no story that both answered", reason="no_data")
    b, c = float((y > 0).sum()), float((y < 0).sum())
    row = replace(row, estimate=(b - c) / n)
    if not b + c:
        return replace(row, undefined=NOTHING, reason="no_variation")
    agree = chose[0] & chose[1]
    alone = mid_p(Cells(a=float(agree.sum()), b=b, c=c, d=n - float(agree.sum()) - b - c))
    row = replace(row, method=f"b = {b:.0f}, c = {c:.0f}; mid-p of independent stories {number(alone.p, 4)}")
    found = clustered_mean(y, np.ones(n), [stories.pair[own]], magnitude=1.0)
    return with_mean(row, found, level, within=(-1.0, 1.0))


def matched(one: Comparisons, two: Comparisons) -> Stories:
    """Match the stories of two designs by what describes them.

    Raises
    ------
    UndefinedStatistic
        If rows of one design cannot be told apart, or no story is common.
    """
    items = tuple(sorted({*one.items, *two.items}))
    for more in ((), ("clusters",), ("clusters", "order")):
        columns = [described(design, items, more, two if design is one else one) for design in (one, two)]
        stacked = [np.concatenate(pair) for pair in zip(*columns, strict=True)]
        story = group(stacked)[1]
        first, second = story[: len(one.count)], story[len(one.count) :]
        if all(np.all(d.count == 1) and len(np.unique(s)) == len(s) for d, s in ((one, first), (two, second))):
            break
    else:
        raise UndefinedStatistic(REPEATED)
    common, at, other = np.intersect1d(first, second, return_indices=True)
    if not len(common):
        raise UndefinedStatistic("no story was answered by both")
    decided = (one.outcome[at] != TIED) & (two.outcome[other] != TIED)
    at, other = at[decided], other[decided]
    chose = np.array([(d.outcome[k] == A_WON) == np.less(*sides(d, items))[k] for d, k in ((one, at), (two, other))])
    low, high = (column[: len(one.count)][at] for column in stacked[:2])
    return Stories(items=items, low=low, high=high, pair=group([low, high])[1], chose=chose, ties=int((~decided).sum()))


def described(design: Comparisons, items: Sequence[str], more: Sequence[str], other: Comparisons) -> list[AnyArray]:
    """Return what tells stories apart: the two items, the covariates of each, and more where asked; side-free."""
    a, b = sides(design, items)
    flipped = a > b

    def both(one: AnyArray, two: AnyArray) -> list[AnyArray]:
        return [np.where(flipped, two, one), np.where(flipped, one, two)]

    columns = both(a, b)
    for name in sorted(set(design.covariates) & set(other.covariates)):
        columns += both(design.covariates[name].a, design.covariates[name].b)
    if "clusters" in more:
        shared = {factor.name for factor in other.clusters}
        columns += [np.array(f.levels, dtype=object)[f.codes] for f in design.clusters if f.name in shared]
    if "order" in more:
        columns.append(np.where(flipped, -design.first, design.first) + 1)
    return columns


def sides(design: Comparisons, items: Sequence[str]) -> tuple[IntArray, IntArray]:
    """Return the items of both sides as indexes into `items`."""
    place = np.array([items.index(name) for name in design.items], dtype=np.int64)
    return place[design.item_a], place[design.item_b]


DEFAULTS = ("default", "baseline", "base", "none", "no persona", "original", "control", "neutral")


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """What is computed for one level by itself; `s`, `higher` and `ratio` only with a covariate."""

    design: Comparisons
    fit: BradleyTerryResult
    s: Result | None = None
    rates: Result | None = None
    ratio: Result | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """Every level by itself, and every other level minus the reference, by level.

    `items` say how often each item is chosen, story by story; `problems` which differences do not exist; `left` which
    pairs of items only one of two levels has; `beside` has the fit of every level without its order effect.
    """

    reference: str
    levels: Mapping[str, Level]
    s: Mapping[str, Result]
    models: Mapping[str, Result]
    entropy: Mapping[str, Result]
    items: Mapping[str, Result]
    ranges: Mapping[str, tuple[Result, ...]]
    beside: Pairs
    problems: tuple[str, ...] = ()
    left: tuple[Caution, ...] = ()

    @property
    def fits(self) -> dict[str, BradleyTerryResult]:
        """The model of every level."""
        return {name: level.fit for name, level in self.levels.items()}

    @property
    def own_s(self) -> dict[str, Result]:
        """S of every level by itself."""
        return {name: level.s for name, level in self.levels.items() if level.s is not None}


def reference_of(names: tuple[str, ...], wanted: str | None) -> str:
    """Return the level that the others are compared with: the one asked for, one called default, or the first."""
    if wanted is not None:
        if wanted not in names:
            levels = listing([shorten(name) for name in names])
            raise InputError(f"{option('reference', shorten(wanted))} is no level; levels: {levels}")
        return wanted
    return next((name for word in DEFAULTS for name in names if name.casefold().strip() == word), names[0])


def has_covariate(design: Comparisons, options: StudyOptions) -> bool:
    """Tell whether the covariate that should decide is there, with unequal sides."""
    c = design.covariates.get(options.covariate)
    return c is not None and np.issubdtype(c.a.dtype, np.number) and bool(np.any(c.a != c.b))


def one_level(name: str, design: Comparisons, options: StudyOptions, formula: str | None) -> Level:
    """Compute one level by itself."""
    try:
        fit = fit_model(design, options, formula, cluster=default_cluster(design))
        if not has_covariate(design, options):
            return Level(design=design, fit=fit)
        groups = next(iter(item_groups(design).values()), None)
        s = single(sensitivity(design, options.covariate, groups=groups, resamples=options.resamples,
                               seed=options.seed, level=options.level))  # fmt: skip
        rates = single(win_rates(design, options.covariate, weights="pooled", level=options.level))
    except SocialStatsError as error:
        error.args = (f"{shorten(name)}: {error}",)
        raise
    try:
        ratio: Result | None = fit.effect_in_sds(options.covariate, level=options.level)
    except UndefinedStatistic:
        ratio = None
    return Level(design=design, fit=fit, s=s, rates=rates, ratio=ratio)


def compute(design: Comparisons, options: StudyOptions) -> Numbers:
    """Compute every level by itself and every difference from the reference."""
    parts = {name: replace(part, by=None) for name, part in without_cited(design).split().items()}
    reference = reference_of(tuple(parts), options.reference)
    by_covariate = has_covariate(design, options)
    formula = f"~ {options.covariate}" if by_covariate else None
    groupings = groupings_of(design, options)
    levels = {name: one_level(name, part, options, formula) for name, part in parts.items()}
    beside = {k: pair for name, level in levels.items()
              for k, pair in without_order(level.fit, level.design, options, formula, name).items()}  # fmt: skip
    kept: dict[int, tuple[Comparisons, Refitted]] = {}  # holds each part, so that its id is not used again

    def refitted(part: Comparisons) -> Refitted:
        if id(part) not in kept:
            kept[id(part)] = part, refit(part, options, formula, groupings)
        return kept[id(part)][1]

    def models(one: Comparisons, two: Comparisons, labels: tuple[str, str], pairs: int) -> Result:
        if options.penalty or options.prior:
            raise UndefinedStatistic("a penalty or prior was used: no refits")
        return difference(refitted(one), refitted(two), labels, options, pairs)

    s_options: dict[str, Any] = {"seed": options.seed, "resamples": options.resamples, "level": options.level}
    left: list[Caution] = []
    problems: list[str] = []
    found: dict[str, dict[str, Result]] = {"s": {}, "models": {}, "entropy": {}, "items": {}}
    for name in (name for name in parts if name != reference):
        labels = (name, reference)
        one, two, pairs, dropped = common_pairs(parts[name], parts[reference], "drop")
        left += [replace(c, detail=f"{shorten(name)} and {shorten(reference)}: {c.detail}") for c in dropped]
        makers: dict[str, Callable[[], Result]] = {
            "s": partial(sensitivity_difference, one, two, options.covariate, labels=labels, **s_options),
            "models": partial(models, one, two, labels, len(pairs)),
            "entropy": partial(choice_entropy_difference, one, two, labels=labels, level=options.level),
            "items": partial(item_changes, one, two, labels, level=options.level),
        }
        for what, make in makers.items():
            if what == "s" and not by_covariate:
                continue
            try:
                found[what][name] = make()
            except SocialStatsError as error:
                why = str(error).split("\n")[0]
                problems.append(f"{shorten(name)} minus {shorten(reference)}: {why}")
    return Numbers(
        reference=reference, levels=levels, **found, problems=tuple(problems), left=tuple(left),
        ranges=ranges(levels, options) if by_covariate else {}, beside=beside,
    )  # fmt: skip


def groupings_of(design: Comparisons, options: StudyOptions) -> dict[str, dict[str, Any]]:
    """Return the groupings of the items: of the table's columns (or the one asked for), and from beside the table."""
    found = item_groups(design)
    if options.group is not None and options.group in found:
        found = {options.group: found[options.group]}
    return found | further_groups(design, options)


def ranges(levels: Mapping[str, Level], options: StudyOptions) -> dict[str, tuple[Result, ...]]:
    """Return the multiverses of S and of the effect of the covariate for each level."""
    found: dict[str, tuple[Result, ...]] = {}
    for name, level in levels.items():
        if level.s is not None:
            groups = item_groups(level.design)
            s = of_sensitivity(level.design, level.s, groups, options, clusters=False)
            found[name] = s, of_effect(level.design, level.fit, groups, options, clusters=False)
    return found


MOST_LEVELS = 12  # shares and alpha of more levels are left out: they are numbers
FEW = 10
MEAN, SHARES, ALPHA, DISTANCE = "mean", "shares", "alpha", "distance"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measure:
    """A number of a table, from sums over units.

    Attributes
    ----------
    name : str
        Kind of number: mean, shares, alpha, distance.
    terms : tuple of str
        Names of the m numbers.
    statistics : (units, k) float64 array
    known : (units,) bool array
        Units that say something about it.
    finish : callable
        (B, k) sums -> (B, m) numbers.
    """

    name: str
    terms: tuple[str, ...]
    statistics: FloatArray
    known: BoolArray
    finish: Callable[[FloatArray], FloatArray]


class RatingsDifference(Result):
    """Differences between two tables of ratings; ``extras["parts"]`` holds both."""

    __slots__ = ()

    def crosscheck(self) -> Sequence[Check]:
        """Recompute the differences with pandas and the krippendorff package."""
        from socialstats.crosscheck.ratings_difference import checks_of

        checks: Sequence[Check] = checks_of(self.rows, self.extras["parts"], self.extras["people"])
        return checks


def ratio(sums: FloatArray) -> FloatArray:
    """(B, k + 1) sums -> the first k over the last."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[:, :-1] / sums[:, -1:])


def measures(design: Ratings) -> dict[str, Measure]:
    """Return what can be said of a table of ratings: mean, shares of levels, alpha, distance from people's mode."""
    source = human_source(design)
    judged = design
    if source is not None:
        judged = design.of_raters([rater for other in source.others for rater in raters_of(design, source, other)])
    found = [distance(design, judged)] if source is not None else []
    makers = (mean_of, shares_of, alpha_of) if source is None else (mean_of, shares_of)
    for make in makers:
        try:
            found.append(make(judged))
        except SocialStatsError:
            continue
    place = {name: k for k, name in enumerate(design.units)}
    where = np.array([place[name] for name in judged.units], dtype=np.int64)
    return {m.name: spread(m, where, len(design.units)) for m in found if m is not None}


def spread(measure: Measure, where: IntArray, size: int) -> Measure:
    """Return a measure over `size` units, those that it knows at `where`; the others add nothing."""
    table, known = np.zeros((size, measure.statistics.shape[1])), np.zeros(size, dtype=bool)
    table[where], known[where] = measure.statistics, measure.known
    return replace(measure, statistics=table, known=known)


def of_units(name: str, terms: tuple[str, ...], values: FloatArray, known: BoolArray) -> Measure:
    """Return the mean over units of (units, m) values."""
    table = np.column_stack([np.where(known[:, None], values, 0.0), known.astype(np.float64)])
    return Measure(name=name, terms=terms, statistics=table, known=known, finish=ratio)


def mean_of(design: Ratings) -> Measure | None:
    """Return the mean over units of a unit's mean rating; None for levels that are no numbers."""
    if not design.numeric or design.scale == "nominal":
        return None
    return of_units(MEAN, ("mean rating",), (unit_shares(design) @ design.scores)[:, None], answered(design))


def shares_of(design: Ratings) -> Measure | None:
    """Return the mean over units of the share of a unit's ratings that each level has."""
    if len(design.levels) > MOST_LEVELS:
        return None
    terms = tuple(f"share of {level}" for level in design.levels)
    return of_units(SHARES, terms, unit_shares(design), answered(design))


def alpha_of(design: Ratings) -> Measure | None:
    """Return Krippendorff's alpha at the design's scale, of units with two ratings or more."""
    counts = rating_counts(design)
    counts = counts.keep(counts.size > 1)
    if not len(counts.size) or (len(design.levels) > MOST_LEVELS and design.scale != "interval"):
        return None
    sums = alpha_sums(counts, design.scale)
    own = Measure(name=ALPHA, terms=(f"alpha ({design.scale})",), statistics=sums.statistics.toarray(),
                  known=np.ones(len(counts.index), dtype=bool), finish=sums.alpha)  # fmt: skip
    return spread(own, counts.index, len(design.units))


def distance(design: Ratings, judged: Ratings) -> Measure | None:
    """Return ADA-Met: mean distance of the answers from the people's mode; a refusal has the width of the scale."""
    source = human_source(design)
    if source is None or design.scale == "nominal":
        return None
    people = design.of_raters(raters_of(design, source, source.human))
    counts = np.zeros((len(judged.units), len(design.levels)))
    place = {name: k for k, name in enumerate(judged.units)}
    given_levels = people.level_counts()
    for k, name in enumerate(people.units):
        if name in place:
            counts[place[name]] = given_levels[k]
    table, known = mode_distances(counts, design.scores, "mean", "max")
    given = (judged.status == OK) | (judged.status == REFUSAL)
    answer = np.where(judged.status == REFUSAL, len(design.levels), judged.value)[given]
    unit = judged.unit[given]
    n = np.bincount(unit, minlength=len(judged.units))
    total = np.bincount(unit, table[unit, answer], len(judged.units))
    return of_units(DISTANCE, ("ADA-Met",), (total / np.maximum(n, 1))[:, None], np.asarray(known & (n > 0)))


def unit_shares(design: Ratings) -> FloatArray:
    """(units, levels) shares of a unit's ratings; 0 where it has none."""
    counts = design.level_counts()
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0))


def answered(design: Ratings) -> BoolArray:
    """(units,) bool array: units with a rating."""
    return np.asarray(design.level_counts().sum(axis=1) > 0)


def on_common_units(one: Ratings, two: Ratings) -> tuple[Ratings, Ratings]:
    """Return both designs on the units that both have; units are sorted, so they then stand in the same order.

    Raises
    ------
    NothingToAnalyse
        If no unit is common.
    InputError
        If units stand for several alike ones: such units cannot be matched.
    """
    common = sorted(set(one.units) & set(two.units))
    if not common:
        raise NothingToAnalyse("no unit was rated in both")
    if np.any(one.unit_count != 1) or np.any(two.unit_count != 1):
        raise InputError("units that stand for several alike ones cannot be matched; give one row a rating")
    kept = set(common)
    first, second = (
        d.take(np.array([name in kept for name in d.units])[d.unit], note="units of both") for d in (one, two)
    )
    return first, second


def ratings_difference(one: Ratings, two: Ratings, labels: tuple[str, str], options: StudyOptions) -> Result:
    """Return first minus second of every measure that both have, by a bootstrap of the units (clusters) of both.

    The interval is the difference -+ t s.e., with the bootstrap's standard error times sqrt(G / (G - 1)) and G - 1
    degrees of freedom, G resampled units: a bootstrap of G units is too narrow by that factor (Davison & Hinkley, 1997,
    section 2.3). Units count where both tables know them. People's ratings, where they give the mode, are fixed.

    Raises
    ------
    NothingToAnalyse, InputError
        As `on_common_units`.
    """
    one, two = on_common_units(one, two)
    first, second = measures(one), measures(two)
    found = [(a, second[name]) for name, a in first.items() if name in second and second[name].terms == a.terms]
    both = [a.known & b.known for a, b in found]
    parts = [m.statistics * known[:, None] for pair, known in zip(found, both, strict=True) for m in pair]
    if not parts:
        raise NothingToAnalyse("the two tables have no number in common")
    units = Units.clusters(*(f.codes for f in one.clusters)) if one.clusters else Units.rows(np.ones(len(one.units)))
    finish = partial(finish_of, found)
    boot = bootstrap(np.concatenate(parts, axis=1), finish, units, resamples=options.resamples, seed=options.seed)
    g = min(len(f.levels) for f in one.clusters) if one.clusters else len(one.units)
    terms = [(a.name, term, int(n.sum())) for (a, _), n in zip(found, both, strict=True) for term in a.terms]
    flat, errors = boot.is_constant, boot.std_error
    rows = tuple(
        with_resampled_t(
            Row(term=term, group=kind, role="difference", n_units=n, n_clusters=g), float(boot.estimate[j]),
            0.0 if flat[j] else float(errors[j]), g, options.level, within=(-1.0, 1.0) if kind == SHARES else ANYWHERE,
        )
        for j, (kind, term, n) in enumerate(terms)
    )  # fmt: skip
    lost = boot.caution("intervals of the differences")
    by = " x ".join(f.name for f in one.clusters) or "unit"
    return RatingsDifference(
        metric="krippendorff_alpha", title=f"Differences between two tables of ratings: {labels[0]} minus {labels[1]}",
        rows=rows, inference=f"{count(options.resamples, 'bootstrap resample')} by {by}, the same for both; t with "
        f"{g - 1} df", counts={"units": len(one.units), "clusters": g}, settings={"labels": labels},
        cautions=(*small_sample(
            g, FEW, f"{count(g)} of {shorten(by, 40)}: a bootstrap of so few knows little about their spread",
            affects="intervals and tests of differences", fix="compare on more units",
        ), *(() if lost is None else (lost,))),
        references=("davisonhinkley1997", "krippendorff2019"),
        design=(one, two), words=f"Differences on the same units: {quoted(labels[:1])} minus {quoted(labels[1:])}.",
        extras={"parts": (one, two), "people": human_source(one)},
    )  # fmt: skip


def finish_of(found: Sequence[tuple[Measure, Measure]], sums: FloatArray) -> FloatArray:
    """(B, k) sums of every measure of both tables, one after the other -> (B, m) differences."""
    out, at = [], 0
    for a, b in found:
        middle, end = at + a.statistics.shape[1], at + a.statistics.shape[1] + b.statistics.shape[1]
        out.append(a.finish(sums[:, at:middle]) - b.finish(sums[:, middle:end]))
        at = end
    return np.concatenate(out, axis=1)


def values_of(design: Ratings) -> Mapping[str, Mapping[str, float]]:
    """Return every number of one table, by measure and term."""
    found = {}
    for name, m in measures(design).items():
        made = m.finish(m.statistics.sum(axis=0)[None, :])[0]
        found[name] = dict(zip(m.terms, (float(x) for x in made), strict=True))
    return found

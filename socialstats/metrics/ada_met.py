"""ADA-Met: the mean distance of a model's answers from the mode of the people's answers."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.calls import TableLike, reads
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import MISSING, REFUSAL, Ratings
from socialstats.errors import Caution, InputError, caution
from socialstats.halves import in_halves
from socialstats.inference.compare import with_holm
from socialstats.inference.dependence import cluster_cautions, cluster_factors, cluster_text, small_sample
from socialstats.inference.how import RESAMPLED
from socialstats.inference.intervals import checked_level, critical_values, two_sided_p
from socialstats.inference.rows import with_ends
from socialstats.models.alignment import (
    MODE_TIES,
    NOT_ASKED,
    REFUSAL_RULES,
    Answers,
    Ceiling,
    GroupMeans,
    GroupWatches,
    ModeTies,
    Residuals,
    Rules,
    Spread,
    Targets,
    collect,
    constant_shares,
    difference_targets,
    features,
    mode_distances,
    model_shares,
    permuted_groups,
    permuted_pairs,
    resampled_groups,
    sampled_groups,
    source_of,
    targets_of,
    whole,
    whole_replicates,
    whole_spread,
)
from socialstats.models.kappa import by_stratum
from socialstats.models.shares import How, merged, share_row
from socialstats.models.split_half import MOST, Leads, Population, population, slowest_rate
from socialstats.registry import Metric
from socialstats.resampling import basic, percentile
from socialstats.resampling.engine import Replicates, check_resamples
from socialstats.results import Result, ResultGroup, Row, by_levels
from socialstats.text import count, interval, listing, number, percent, quoted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["METRIC", "ada_met"]


AlignmentCi = Literal["two_way", "centred", "percentile", "basic"]
CIS: tuple[str, ...] = get_args(AlignmentCi)
Unparsed = Literal["exclude", "refusal"]
UNPARSED: tuple[str, ...] = get_args(Unparsed)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignmentOptions:
    """Options of `ada_met`."""

    reference: str | None
    source: str
    ties: str
    refusal: Any
    unparsed: str
    group: str | None
    stratum: str | None
    ci: str
    cluster: str | Sequence[str] | None
    level: float
    resamples: int
    seed: int

    def check(self) -> None:
        """Raise InputError for an impossible option."""
        checked_level(self.level)
        for name, allowed in (("ties", MODE_TIES), ("unparsed", UNPARSED), ("ci", CIS)):
            if getattr(self, name) not in allowed:
                raise InputError(f"{name}={getattr(self, name)!r} is not one of {', '.join(allowed)}")
        is_number = isinstance(self.refusal, int | float) and not isinstance(self.refusal, bool)
        if not (self.refusal in REFUSAL_RULES if not is_number else math.isfinite(self.refusal) and self.refusal >= 0):
            raise InputError(
                f"refusal={self.refusal!r} is not one of {', '.join(REFUSAL_RULES)}, or a distance of 0 or more"
            )
        if self.group is not None and self.group in (self.stratum, self.source):
            raise InputError(f"group='{self.group}' is the stratum or the source too; name an attribute of the raters")
        check_resamples(self.resamples, self.level)

    @property
    def rules(self) -> Rules:
        """What counts as the mode, and as the distance of a refusal."""
        return Rules(ties=self.ties, refusal=self.refusal if isinstance(self.refusal, str) else float(self.refusal))

    @property
    def settings(self) -> dict[str, Any]:
        """Everything, to be echoed in a result."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


NO_UNIT = "no unit has an answer of this model that counts and a mode of the reference"
FIXED = "all resamples give the same value, so there is no interval"
CONSTANT = "no unit differs from another and no person makes a difference, so there is no interval"
OUTSIDE = "the interval leaves the estimate out: the modes of the resamples are noisier; use ci='centred'"
METHODS = {
    "two_way": "t of people and units", "centred": "two-way bootstrap, centred percentile",
    "percentile": "two-way bootstrap, percentile", "basic": "two-way bootstrap, basic",
}  # fmt: skip
SMALL = 1e-12  # of a scale's step: a standard error below is rounding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class State:
    """A design with its joined answers.

    Attributes
    ----------
    reference : str
        Label of the source that is the reference.
    factors : tuple of Factor
        Clusters of the units, over all units of the design.
    clusters : tuple of (units,) int64 arrays
        The same over the units compared.
    """

    design: Ratings
    options: AlignmentOptions
    source: Factor
    reference: str
    answers: Answers
    factors: tuple[Factor, ...]

    @classmethod
    def of(cls, design: Ratings, options: AlignmentOptions) -> State:
        """Join the answers."""
        source, code = source_of(design, options.source, options.reference)
        answers = collect(design, source, code, options.unparsed)
        factors = cluster_factors(design, options.cluster)
        return cls(
            design=design, options=options, source=source, reference=source.levels[code], answers=answers,
            factors=factors,
        )  # fmt: skip

    @property
    def clusters(self) -> tuple[IntArray, ...]:
        """Clusters of the units compared."""
        return tuple(factor.codes[self.answers.unit] for factor in self.factors)

    @property
    def models(self) -> list[str]:
        """Labels of the models."""
        return [self.design.raters[m] for m in self.answers.models.tolist()]

    @property
    def leverage(self) -> float:
        """Largest share of the units that one cluster holds, or of the answers that one person gave."""
        given = self.answers.table.sum(axis=1)
        return max(float((given / given.sum()).max()), *(
            float(np.bincount(codes, self.answers.weight).max() / self.answers.weight.sum()) for codes in
            self.clusters or (np.arange(len(self.answers.unit)),)
        ))  # fmt: skip

    def no_resampling(self, people: int) -> str:
        """Return why this many people and these units cannot be resampled, or an empty text."""
        for factor, codes in zip(self.factors, self.clusters, strict=True):
            if len(np.unique(codes)) < 2:
                return f"a single level of the cluster '{factor.name}': no interval"
        if self.answers.weight.sum() < 2:
            return "a single unit: no interval"
        return "" if people > 1 else "a single reference rater: no interval"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimates:
    """Estimates with their intervals, one a column.

    Attributes
    ----------
    value, std_error, low, high : (m,) float64 arrays
    undefined : tuple of str
    size : (m,) float64 array
        Units behind each estimate.
    bias : (m,) float64 array
        Mean of the resamples minus the estimate.
    caution : Caution or None
        SS204.
    df : (m,) float64 array or None
        Degrees of freedom of a t interval.
    least : float or None
        What the quantity cannot be below.
    """

    value: FloatArray
    std_error: FloatArray
    low: FloatArray
    high: FloatArray
    undefined: tuple[str, ...]
    size: FloatArray
    bias: FloatArray
    caution: Caution | None
    df: FloatArray | None = None
    least: float | None = 0.0

    def tested(self, j: int, row: Row) -> Row:
        """Row with t, degrees of freedom and two-sided p that it is 0; where there is an interval."""
        if self.df is None or row.conf_low is None or row.estimate is None or row.std_error is None:
            return row
        t, df = row.estimate / row.std_error, float(self.df[j])
        return replace(row, statistic=t, df=df, p_value=float(two_sided_p(np.array([t]), df)[0]))

    def facts(self, state: State) -> dict[str, float | None]:
        """Return the least degrees of freedom of a t interval, and the largest share of one cluster or person."""
        known = [] if self.df is None else [
            df for df, why in zip(self.df.tolist(), self.undefined, strict=True) if not why and df > 0
        ]  # fmt: skip
        return {"effective_df": min(known, default=None), "largest_leverage": state.leverage}

    def row(self, j: int, state: State, *, term: str, group: str | None, **more: Any) -> Row:
        """Row of one estimate."""
        made: dict[str, Any] = {"term": term, "group": group, "n": float(self.size[j]), "n_units": int(self.size[j])}
        if state.factors:
            made["n_clusters"] = min(len(np.unique(codes)) for codes in state.clusters)
        if np.isnan(self.value[j]):
            return Row(**made, undefined=NO_UNIT)
        made["estimate"] = float(self.value[j])
        if self.std_error[j] > 0:
            made["std_error"] = float(self.std_error[j])
        made |= {"method": METHODS[state.options.ci]} | more
        within = (-math.inf if self.least is None else self.least, math.inf)
        low, high = float(self.low[j]), float(self.high[j])
        return with_ends(Row(**made), low, high, state.options.level, why=self.undefined[j], within=within)


def without_interval(value: FloatArray, size: FloatArray, why: str) -> Estimates:
    """Estimates that cannot be resampled."""
    none = np.full(len(value), np.nan)
    return Estimates(
        value=value,
        std_error=none,
        low=none,
        high=none,
        undefined=(why,) * len(value),
        size=size,
        bias=none,
        caution=None,
    )


def with_t(
    value: FloatArray, size: FloatArray, spread: Spread, options: AlignmentOptions, *, least: float | None = 0.0
) -> Estimates:
    """Estimates with t intervals; `least` is what the quantity cannot be below."""
    fixed = ~(spread.error > SMALL)
    reach = critical_values(options.level, np.where(spread.df > 0, spread.df, np.nan)) * spread.error
    return Estimates(
        value=value, std_error=np.where(fixed, 0.0, spread.error), low=value - reach, high=value + reach,
        undefined=tuple(CONSTANT if one else "" for one in fixed.tolist()), size=size, bias=spread.bias, caution=None,
        df=spread.df, least=least,
    )  # fmt: skip


def with_intervals(
    value: FloatArray, size: FloatArray, replicates: FloatArray, options: AlignmentOptions, *, least: float | None = 0.0
) -> Estimates:
    """Estimates with the intervals that `ci` names; `least` is what the quantity cannot be below."""
    boot = Replicates(estimate=value, replicates=replicates, n_degenerate=np.isnan(replicates).sum(axis=0))
    some = ~np.all(np.isnan(replicates), axis=0)
    bias = np.where(some, boot.bias, np.nan)
    found = (basic if options.ci == "basic" else percentile)(boot, level=options.level)
    move = bias if options.ci == "centred" else np.zeros(len(value))
    low, high = found.low - move, found.high - move
    if least is not None:
        low, high = np.maximum(low, least), np.maximum(high, least)  # before looking for an interval without width
    outside = ~((low <= value) & (value <= high)) | (low == high)
    constant = boot.is_constant
    why = tuple(
        text or (FIXED if flat else OUTSIDE if out else "")
        for text, flat, out in zip(found.undefined, constant.tolist(), outside.tolist(), strict=True)
    )
    error = np.where(constant, 0.0, boot.std_error)
    return Estimates(
        value=value, std_error=error, low=low, high=high, undefined=why, size=size, bias=bias,
        caution=boot.caution("intervals"), least=least,
    )  # fmt: skip


def first(cautions: Sequence[Caution | None]) -> tuple[Caution, ...]:
    """Cautions that are there, each once."""
    seen = {(c.code, c.detail): c for c in cautions if c is not None}
    return tuple(seen.values())


MINUS_NEAREST, MINUS_CONSTANT = "minus nearest = ", "minus constant = "
PAIRED = "{ci}, on the units that both answered; p of the same t, Holm over the models"


def gap_targets(state: State, value: FloatArray) -> Targets | None:
    """Means of the differences in distance from the nearest model (of several), then from the best constant answer.

    `value` has the distances of the models, and of each constant answer. None where no difference exists.
    """
    answers, models = state.answers, state.models
    shares = model_shares(answers, state.options.rules.refusal)
    names, constants = constant_shares(answers)
    found: list[tuple[tuple[str, str | None], FloatArray, FloatArray]] = []
    near, best = value[: len(models)], value[len(models) : len(models) + len(answers.scores)]
    if len(models) > 1 and np.any(~np.isnan(near)):
        first = int(np.nanargmin(near))
        group = f"{MINUS_NEAREST}{models[first]}"
        found += [((m, group), shares[k], shares[first]) for k, m in enumerate(models) if k != first]
    if np.any(~np.isnan(best)):
        first = int(np.nanargmin(best))
        found += [((m, f"{MINUS_CONSTANT}{names[first]}"), shares[k], constants[first]) for k, m in enumerate(models)]
    return difference_targets(found) if found else None


def gap_rows(state: State, targets: Targets, found: Estimates) -> list[Row]:
    """Rows of the differences with the t of their intervals, adjusted over the models."""
    rows = []
    method = PAIRED.format(ci=METHODS[state.options.ci])
    for start in (MINUS_NEAREST, MINUS_CONSTANT):
        own = [
            found.tested(j, found.row(j, state, term=term, group=group, method=method))
            for j, (term, group) in enumerate(targets.names) if group is not None and group.startswith(start)
        ]  # fmt: skip
        rows += with_holm(own)
    return rows


FEW_ANSWERS = 10.0
ENOUGH = 500  # permutations for a mean or a share that no test rests on
PERMUTED = "{ci}, less what sizes give; p by permuting people between the two groups, Holm over the pairs of a model"
SAME_T = "{ci}, less what sizes give (people permuted); p of the same t, Holm over the pairs of a model"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grouped:
    """What an attribute of the reference raters adds to a result."""

    rows: tuple[Row, ...] = ()
    cautions: tuple[Caution, ...] = ()
    extras: dict[str, Any] = field(default_factory=dict)


def grouped(state: State) -> Grouped:
    """Rows of the attribute that `group` names; nothing without one."""
    if state.options.group is None:
        return Grouped()
    labels, people = members(state, state.options.group)
    targets = targets_of(
        [(model, None) for model in state.models], model_shares(state.answers, state.options.rules.refusal)
    )
    sample = sampled_groups(state.answers, targets, state.options.rules, people)
    drawn = draws(state, targets, people, sample)
    o = state.options
    permutations = min(o.resamples, ENOUGH) if o.ci == "two_way" else o.resamples  # there they give no p of a row
    dealt = permuted_pairs(state.answers, targets, o.rules, people, permutations, o.seed)
    sizes = by_sizes(dealt, people)
    means = estimates(state, targets, sample, drawn, people)
    pairs = estimates(state, targets, sample, drawn, people, sizes)
    p = permutation_ps(sample, dealt)
    rows = [*mean_rows(state, labels, means), *difference_rows(state, labels, p, pairs)]
    if len(labels) > 1:
        rows += closest_rows(state, labels, sample.means[0], None if drawn is None else drawn[0])
    found = [c.caution for c in (*means, *pairs) if c.caution is not None][:1]
    return Grouped(
        rows=tuple(rows), cautions=(*found, *few_answers(state, labels, people)),
        extras={**extras_of(state, targets, labels, people), **by_pair(state, labels, sizes, p),
                "permutations": permutations},
    )  # fmt: skip


def members(state: State, name: str) -> tuple[list[str], list[IntArray]]:
    """Return the groups of an attribute, and the positions of their people among the reference raters.

    Raises
    ------
    InputError
        If the attribute is not declared, or no reference rater has a value of it.
    """
    known = state.design.rater_groups
    if name not in known:
        others = [other for other in known if other != state.source.name]
        raise InputError(
            f"group='{shorten(name)}' is no rater group (declared: {quoted(others) or 'none'}); make the design with "
            "rater_groups= (--rater-group)"
        )
    factor = known[name]
    codes = factor.codes[state.answers.people]
    used = [code for code in range(len(factor.levels)) if np.any(codes == code)]
    if not used:
        raise InputError(f"no {state.reference} rater with an answer has a value of '{shorten(name)}'")
    return [factor.levels[code] for code in used], [np.flatnonzero(codes == code) for code in used]


Drawn = tuple[GroupMeans, GroupWatches | None]


def draws(state: State, targets: Targets, people: list[IntArray], sample: GroupMeans) -> Drawn | None:
    """Resamples of the groups, watched where the interval is a t; None where the units cannot be resampled."""
    if state.no_resampling(2):
        return None
    o, given = state.options, (state.answers, targets, state.clusters, state.options.rules, people)
    watches = GroupWatches.start(*given, sample) if o.ci == "two_way" else None
    return resampled_groups(*given, o.resamples, o.seed, watches), watches


def by_sizes(dealt: FloatArray, people: list[IntArray]) -> FloatArray:
    """Mean difference of each pair when its people are dealt anew, (pairs, models): what their numbers alone give.

    Groups of as many people have none: with every way to deal there is the one that swaps the two.
    """
    alike = np.array([len(one) == len(other) for one, other in combinations(people, 2)], dtype=bool)
    count_of = np.sum(~np.isnan(dealt), axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.nansum(dealt, axis=0) / count_of
    return np.asarray(np.where(alike[:, None] & (count_of > 0), 0.0, found))


def estimates(
    state: State, targets: Targets, sample: GroupMeans, drawn: Drawn | None, people: list[IntArray],
    sizes: FloatArray | None = None,
) -> list[Estimates]:  # fmt: skip
    """Estimates of each group, over the models; with `sizes` of each pair of groups, less these."""
    rules, answers, out = state.options.rules, state.answers, []
    known = [
        rules.distances(answers.of_people(index).counts(np.ones((1, len(index)))), answers.scores)[1][0]
        for index in people
    ]
    sets = list(combinations(range(len(people)), 1 if sizes is None else 2))
    value = sample.means[0] if sizes is None else sample.differences[0] - sizes
    for j, chosen in enumerate(sets):
        both = np.prod([known[g] for g in chosen], axis=0)
        size = np.asarray(targets.asked @ (answers.weight * both))
        why = state.no_resampling(min(len(people[g]) for g in chosen))
        if why or drawn is None:
            out.append(without_interval(value[j], size, why))
        else:
            out.append(one_set(state, value[j], size, drawn, j, None if sizes is None else sizes[j]))
    return out


def one_set(
    state: State, value: FloatArray, size: FloatArray, drawn: Drawn, j: int, sizes: FloatArray | None
) -> Estimates:
    """Estimates of the j-th group or (with `sizes`) pair with their intervals; only means cannot be below 0."""
    replicates, watches = drawn
    least = 0.0 if sizes is None else None
    if watches is not None:
        spread = (watches.groups if sizes is None else watches.pairs)[j].spread()
        return with_t(value, size, spread, state.options, least=least)
    found = replicates.means[:, j] if sizes is None else replicates.differences[:, j] - sizes
    return with_intervals(value, size, found, state.options, least=least)


def mean_rows(state: State, labels: Sequence[str], means: list[Estimates]) -> list[Row]:
    """One row a model and group."""
    return [
        found.row(m, state, term=model, group=f"{state.options.group} = {label}")
        for m, model in enumerate(state.models)
        for label, found in zip(labels, means, strict=True)
    ]


def difference_rows(
    state: State, labels: Sequence[str], permuted: Sequence[Sequence[float | None]], pairs: list[Estimates]
) -> list[Row]:
    """One row a model and pair of groups, adjusted within the model; p of the t of its interval, else `permuted`."""
    same_t = state.options.ci == "two_way"
    method = (SAME_T if same_t else PERMUTED).format(ci=METHODS[state.options.ci])
    rows = []
    for m, model in enumerate(state.models):
        own = [
            found.row(m, state, term=model, group=f"{state.options.group}: {name}", method=method)
            for name, found in zip(pair_labels(labels), pairs, strict=True)
        ]
        if same_t:
            own = [found.tested(m, row) for found, row in zip(pairs, own, strict=True)]
        else:
            own = [replace(row, p_value=p[m]) for row, p in zip(own, permuted, strict=True)]
        rows += with_holm(own)
    return rows


def pair_labels(labels: Sequence[str]) -> list[str]:
    """Name each pair ``first - second``; in quotes where a label holds a dash between blanks itself."""
    said = [json.dumps(label) for label in labels] if any(" - " in label for label in labels) else list(labels)
    return [f"{one} - {other}" for one, other in combinations(said, 2)]


def permutation_p(value: float, dealt: FloatArray) -> float | None:
    """Two-sided p: twice the smaller tail, the sample counted among the permutations (Phipson & Smyth 2010)."""
    usable = dealt[~np.isnan(dealt)]
    if np.isnan(value) or not len(usable):
        return None
    slack = 1e-9
    below, above = np.sum(usable <= value + slack) + 1, np.sum(usable >= value - slack) + 1
    return min(1.0, 2.0 * float(min(below, above)) / (len(usable) + 1))


def permutation_ps(sample: GroupMeans, dealt: FloatArray) -> list[list[float | None]]:
    """Return `permutation_p` of each pair and model."""
    gaps = sample.differences[0]
    return [[permutation_p(gaps[j, m], dealt[:, j, m]) for m in range(gaps.shape[1])] for j in range(len(gaps))]


def is_closest(means: FloatArray) -> FloatArray:
    """Share of the smallest mean that each group has: (b, groups, models); ties share, NaN is never smallest."""
    filled = np.where(np.isnan(means), np.inf, means)
    best = filled.min(axis=1, keepdims=True)
    hit = (filled <= best + 1e-9) & np.isfinite(filled)
    return np.asarray(hit / np.maximum(hit.sum(axis=1, keepdims=True), 1))


def closest_rows(state: State, labels: Sequence[str], means: FloatArray, drawn: GroupMeans | None) -> list[Row]:
    """Share of the resamples in which the closest group of the sample is closest again."""
    rows = []
    own = is_closest(means[None])[0] > 0
    again = None if drawn is None else is_closest(drawn.means)
    for m, model in enumerate(state.models):
        chosen = np.flatnonzero(own[:, m])
        if not len(chosen):
            continue
        name = " and ".join(labels[g] for g in chosen.tolist())
        group = f"closest {state.options.group} = {name}"
        if again is None:
            rows.append(Row(term=model, group=group, undefined=state.no_resampling(2)))
            continue
        share = float(again[:, chosen, m].sum(axis=1).mean())
        rows.append(Row(term=model, group=group, estimate=share, method="share of resamples in which it is closest"))
    return rows


def by_pair(
    state: State, labels: Sequence[str], sizes: FloatArray, permuted: Sequence[Sequence[float | None]]
) -> dict[str, Any]:
    """What permuted people give, by pair and model: mean difference by size alone, and p of the difference."""
    names = pair_labels(labels)
    given = [[None if np.isnan(one) else one for one in some] for some in sizes.tolist()]
    return {
        "permuted_differences": {n: dict(zip(state.models, x, strict=True)) for n, x in zip(names, given, strict=True)},
        "permutation_p": {n: dict(zip(state.models, x, strict=True)) for n, x in zip(names, permuted, strict=True)},
    }


def extras_of(state: State, targets: Targets, labels: Sequence[str], people: list[IntArray]) -> dict[str, Any]:
    """Sizes of the groups, and which group is closest where people are permuted."""
    o = state.options
    whole = permuted_groups(state.answers, targets, o.rules, people, min(o.resamples, ENOUGH), o.seed)
    return {
        "group_raters": dict(zip(labels, map(len, people), strict=True)),
        "group_answers": dict(zip(labels, answers_per_unit(state, people), strict=True)),
        "permuted_closest": dict(zip(labels, is_closest(whole.means).mean(axis=(0, 2)).tolist(), strict=True)),
    }


def answers_per_unit(state: State, people: list[IntArray]) -> list[float]:
    """Mean number of answers that a unit has from each group."""
    return [float(state.answers.table[index].sum()) / len(state.answers.unit) for index in people]


def few_answers(state: State, labels: Sequence[str], people: list[IntArray]) -> tuple[Caution, ...]:
    """Caution SS312: modes of few answers are noisy, and noise adds distance."""
    each = answers_per_unit(state, people)
    few = [g for g, n in enumerate(each) if n < FEW_ANSWERS]
    said = listing([f"{shorten(labels[g], 30)} {number(each[g], 1)} ({count(len(people[g]), 'rater')})" for g in few])
    return small_sample(
        min(each), FEW_ANSWERS, f"answers a unit: {said}; the most is {number(max(each), 1)}",
        affects="distances and the closest group: modes of few answers lie farther off any model; from the differences "
        "what sizes alone give is subtracted", fix="compare groups of like sizes, or read the differences",
    )  # fmt: skip


LINE, POPULATION = "reference line", "population's mode"
EXTRAPOLATED = "extrapolated from halves of the answers, noise falling as n^-{middle} (interval: n^-{slow} to n^-1)"
TOO_FEW = (
    "too few answers: in a share of {share} of the units the leading level is at most one answer ahead, and halves of "
    "the answers do not tell how fast the noise of modes falls (up to {most} they do); ask more people a unit"
)
AT, MOST_STEPS = "share at distance", 12
SHARE_REFUSED, SHARE_UNPARSED = "share refused", "share unparsed"


def whole_targets(state: State) -> Targets:
    """Models over all units, models by stratum, and the answers that need no model."""
    shares = model_shares(state.answers, state.options.rules.refusal)
    names: list[tuple[str, str | None]] = []
    picked: list[FloatArray] = []
    for level, among in by_stratum(state.design, state.options.stratum):
        inside = among[state.answers.unit].astype(np.float64)[:, None]
        group = None if level is None else f"{state.options.stratum} = {level}"
        names += [(model, group) for model in state.models]
        picked += [one * inside for one in shares]
    lines, constant = constant_shares(state.answers)
    return targets_of([*names, *((line, LINE) for line in lines)], [*picked, *constant])


def whole_estimates(state: State, targets: Targets) -> tuple[Estimates, Spread | None, list[Row]]:
    """Estimate the targets and, last, the ceiling; with the t interval also their spread, and rows of differences."""
    answers, options, rules = state.answers, state.options, state.options.rules
    once = np.ones((1, len(answers.people)))
    ceiling = Ceiling.of(answers, rules)
    counts = answers.counts(once)
    known = rules.distances(counts, answers.scores)[1][0]

    def sample(some: Targets) -> tuple[FloatArray, FloatArray]:
        value = whole(answers, some, ceiling, rules, once, answers.weight[None, :])[0]
        compared = ((counts[0] * ceiling.known).sum(axis=1) > 0) @ answers.weight
        return value, np.append(some.asked @ (answers.weight * known), compared)

    value, size = sample(targets)
    why = state.no_resampling(len(answers.people))
    if why:
        return without_interval(value, size, why), None, []
    if options.ci != "two_way":
        drawn = whole_replicates(answers, targets, state.clusters, rules, options.resamples, options.seed)
        return with_intervals(value, size, drawn, options), None, []
    n, k = len(targets.names), len(answers.scores)
    gaps = gap_targets(state, np.append(value[: len(state.models)], value[n - k - 1 : n - 1]))
    every = targets if gaps is None else targets.beside(gaps)
    value, size = sample(every)
    spread = whole_spread(answers, every, state.clusters, rules, value, options.resamples, options.seed)
    kept, more = np.append(np.arange(n), len(every.names)), np.arange(n, len(every.names))
    rows = [] if gaps is None else gap_rows(
        state, gaps, with_t(value[more], size[more], spread.take(more), options, least=None)
    )  # fmt: skip
    return with_t(value[kept], size[kept], spread.take(kept), options), spread.take(kept), rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Whole:
    """Rows about all people.

    Attributes
    ----------
    models, lines, population : list of Row
        Models (all units, then strata); reference lines; models against the mode of the population.
    found : Estimates
        Of the models, and after them of the lines.
    half : dict of model to float
        Mean distance with half of the answers of each unit.
    leads : Leads or None
    effects : dict of model to float
        Design effects: variance over that of units taken as independent, with the people held.
    gaps : list of Row
        Models less the nearest one, and less the best constant answer.
    """

    models: list[Row]
    lines: list[Row]
    population: list[Row]
    found: Estimates
    half: dict[str, float]
    leads: Leads | None
    effects: dict[str, float]
    gaps: list[Row]


def whole_rows(state: State) -> Whole:
    """Rows of models, of the reference lines and of the population's mode, and the estimates behind them."""
    targets = whole_targets(state)
    found, spread, gaps = whole_estimates(state, targets)
    rows = [found.row(j, state, term=term, group=group) for j, (term, group) in enumerate(targets.names)]
    models = [row for row in rows if row.group != LINE]
    lines = [row for row in rows if row.group == LINE]
    method = f"{METHODS[state.options.ci]}, with the modes of the others held"
    top = found.row(len(targets.names), state, term=f"random {state.reference}", group=LINE, method=method)
    made = Whole(
        models=models, lines=[top, *lines], population=[], found=found, half={}, leads=None, effects={}, gaps=gaps
    )
    return made if spread is None else with_population(state, made, spread)


def with_population(state: State, whole: Whole, spread: Spread) -> Whole:
    """Add the rows of the models against the mode of the population, from their rows over all units."""
    models = whole.models[: len(state.models)]
    answers, rules = state.answers, state.options.rules
    targets = targets_of([(m, None) for m in state.models], model_shares(answers, rules.refusal))
    value = np.array([np.nan if row.estimate is None else row.estimate for row in models])
    made = population(
        answers, targets, state.clusters, rules, value, spread.first(len(value)), state.options.level
    )  # fmt: skip
    known = {m: float(x) for m, x in zip(state.models, made.half.tolist(), strict=True) if np.isfinite(x)}
    rows = [population_row(row, made, j) for j, row in enumerate(models)]
    effects = design_effects(state, targets, value, spread.first(len(value)))
    return replace(whole, population=rows, half=known, leads=made.leads, effects=effects)


def design_effects(state: State, targets: Targets, value: FloatArray, spread: Spread) -> dict[str, float]:
    """Variance of each model's mean over that with units independent and people held (Kish, 1965)."""
    answers = state.answers
    found = state.options.rules.distances(answers.counts(np.ones((1, len(answers.people)))), answers.scores)
    alone = Residuals.of(targets, value, found[1][0], answers.weight, ())
    plain = alone.unit_variance([x[:, 0] for x in alone.pieces_of(features(*found))])
    named = zip(state.models, plain.tolist(), (spread.error**2).tolist(), strict=True)
    return {model: whole / units for model, units, whole in named if units > 0}


def population_row(row: Row, made: Population, j: int) -> Row:
    """One model against the mode of the population."""
    slow = slowest_rate(made.leads.narrow)
    method = EXTRAPOLATED.format(middle=number((1 + slow) / 2), slow=number(slow))
    one = replace(row, group=POPULATION, method=method, std_error=None)
    if row.estimate is not None and made.leads.narrow > MOST:
        why = TOO_FEW.format(share=number(made.leads.narrow), most=number(MOST))
        return with_ends(replace(one, estimate=None, method=None), None, None, row.conf_level or 0.95, why=why)
    if row.estimate is None or row.conf_level is None:
        return one if row.estimate is None else replace(one, estimate=float(made.estimate[j]))
    one = replace(one, estimate=float(made.estimate[j]))
    return with_ends(one, float(made.low[j]), float(made.high[j]), row.conf_level, hold=True)


def share_rows(state: State) -> list[Row]:
    """Shares of refusals of each model among the answers asked for, and of unparsed answers where there are any."""
    kinds = [(SHARE_REFUSED, REFUSAL)]
    if (state.answers.status == MISSING).any():
        kinds.append((SHARE_UNPARSED, MISSING))
    rows = []
    for level, among in by_stratum(state.design, state.options.stratum):
        place = "" if level is None else f", {state.options.stratum} = {level}"
        inside = among[state.answers.unit]
        rows += [
            one_share(state, Row(term=model, group=f"{name}{place}"), status == code, inside, status)
            for name, code in kinds
            for model, status in zip(state.models, state.answers.status, strict=True)
        ]
    return rows


def distance_rows(state: State) -> list[Row]:
    """Share of the units of each model at each distance, rounded to whole steps (a half to the even one)."""
    answers, rules = state.answers, state.options.rules
    steps = float(answers.scores[-1] - answers.scores[0])
    if not 1 <= steps <= MOST_STEPS:
        return []
    found, known = rules.distances(answers.counts(np.ones((1, len(answers.people)))), answers.scores)
    rows = []
    for model, shares in zip(state.models, model_shares(answers, rules.refusal), strict=True):
        used = (shares.sum(axis=1) > 0) & (known[0] > 0)
        at = np.rint((found[0] * shares).sum(axis=1).round(9))
        status = np.where(used, 0, NOT_ASKED)
        for step in range(int(max(steps, at[used].max(initial=0.0))) + 1):
            rows.append(one_share(state, Row(term=model, group=f"{AT} {step}"), at == step, used, status))
    return rows


def one_share(state: State, row: Row, hit: BoolArray, inside: BoolArray, status: IntArray) -> Row:
    """Share of one kind of answer of one model, over the units inside that it was asked about."""
    how = How(ci="wilson", level=state.options.level, resamples=state.options.resamples, seed=state.options.seed)
    used = inside & (status != NOT_ASKED)
    if not used.any():
        return replace(row, n=0.0, n_units=0, undefined="not asked about these units")
    weight, codes = state.answers.weight[used], [c[used] for c in state.clusters]
    return share_row(row, merged(hit[used].astype(np.float64), weight, codes, float(weight.sum())), how)


FEW_PEOPLE = 20
NOISY = 0.5  # standard errors
COUNTED = {
    "max": "counted as the width of the scale", "item_max": "counted as the farthest answer to the item",
    "exclude": "left out",
}  # fmt: skip
MOST_SHOWN = 60


def inference_text(state: State) -> str:
    """Say how the intervals were obtained."""
    o = state.options
    units = cluster_text(state.factors, "units")
    how = f"two-way bootstrap of {state.reference} raters and units, {o.ci} intervals"
    if o.ci == "two_way":
        how = f"t intervals; variance over units, and over {state.reference} raters resampled, less what is in both"
    return f"{how}, {count(o.resamples, 'resample')}, seed {o.seed}; {units}"


def counts_of(state: State) -> dict[str, int]:
    """Number of units, reference raters and answers, models, and units with tied modes."""
    answers = state.answers
    return {
        "units": int(answers.weight.sum()), "reference raters": len(answers.people),
        "reference answers": int((answers.table @ np.repeat(answers.weight, len(answers.scores))).sum()),
        "models": len(answers.models), "units with tied modes": int(answers.weight[tied(state)].sum()),
    }  # fmt: skip


def tied(state: State) -> Any:
    """(units,) bool array: several levels have most answers."""
    counts = state.answers.counts(np.ones((1, len(state.answers.people))))[0]
    return (counts == counts.max(axis=1, keepdims=True)).sum(axis=1) > 1


def cautions_of(state: State) -> tuple[Caution, ...]:
    """Cautions on clusters, what was left out, refusals, ties, few people, undeclared distances."""
    drawn = [None] if state.options.ci in RESAMPLED else None
    found = [*cluster_cautions(state.design, state.factors, df=drawn), *left_out(state), *refusals(state)]
    ties = counts_of(state)["units with tied modes"]
    if state.options.ties == "nearest" and ties:
        said = f"the nearest of {count(ties, 'tied mode')} is chosen after the answer is known"
        found.append(caution("SS304", said, affects="every distance: too small", fix="ties='mean'"))
    people = len(state.answers.people)
    found += small_sample(
        people, FEW_PEOPLE, count(people, "reference rater"), affects="intervals, which tend to be too short",
        fix=f"ask {FEW_PEOPLE} people or more",
    )  # fmt: skip
    if not state.design.numeric:
        said = (
            f"the levels are no numbers, and no distances were declared: in order they count as 0 to "
            f"{len(state.answers.scores) - 1}"
        )
        found.append(caution("SS310", said, affects="every distance"))
    return tuple(found)


def left_out(state: State) -> list[Caution]:
    """Caution SS301: units of models without a reference answer, and the other way round."""
    answers, found = state.answers, []
    if answers.left_out:
        said = f"{count(len(answers.left_out), 'unit')} without an answer of the reference: {quoted(answers.left_out)}"
        found.append(caution("SS301", said, affects="every row", fix="check that units are spelled alike"))
    if answers.unanswered:
        said = f"{count(answers.unanswered, 'unit')} of the reference that no model was asked"
        found.append(caution("SS301", said, affects="which units are compared"))
    return found


def noisy_modes(state: State, found: Estimates) -> list[Caution]:
    """Caution SS304: where the modes rest on few answers, their noise is part of the distance."""
    models = state.models
    bias, error = found.bias[: len(models)], found.std_error[: len(models)]
    with np.errstate(invalid="ignore"):
        touched = np.flatnonzero(bias > NOISY * error)
    if not len(touched):
        return []
    worst = int(touched[np.argmax(bias[touched])])
    each = counts_of(state)["reference answers"] / max(float(state.answers.weight.sum()), 1.0)
    said = (
        f"modes of {number(each, 1)} answers a unit: resampling them adds up to {number(bias[worst])} to a distance of "
        f"{number(found.value[worst])} ('{shorten(models[worst], 30)}')"
    )
    fix = "read it as the distance with as many people as these; the one from the population's mode is beside it"
    return [caution("SS304", said, affects="distances: too large, the small ones most", fix=fix)]


def refusals(state: State) -> list[Caution]:
    """Caution SS315: how refusals and unparsed answers count, and how many exceed any possible answer."""
    answers, o = state.answers, state.options
    refused, unparsed = (int((answers.status == code).sum()) for code in (REFUSAL, MISSING))
    if not refused and not unparsed:
        return []
    rule = COUNTED[o.refusal] if isinstance(o.refusal, str) else f"counted as {number(o.refusal)} levels"
    said = f"{count(refused, 'refusal')} {rule}"
    if unparsed:
        said += f"; {count(unparsed, 'unparsed answer')} " + (
            "counted as refusals" if o.unparsed == "refusal" else "left out"
        )
    k = len(answers.scores)
    once = answers.counts(np.ones((1, len(answers.people))))[0]
    distances, _ = mode_distances(once, answers.scores, o.ties, o.rules.refusal)
    farther = distances[:, k] > distances[:, :k].max(axis=1) + 1e-12
    beyond = int(((answers.answer == k) & farther).sum())
    if beyond:
        said += f"; {count(beyond)} of them are farther off than any answer could be"
    return [
        caution(
            "SS315",
            said,
            affects="distances of models that refuse",
            fix="see how far the other rules move them: the farthest answer to the item, left out",
        )
    ]


def extras_of_result(state: State, whole: Whole) -> dict[str, Any]:
    """Share of units with tied modes, units left out, and what noise of modes adds to each model's distance."""
    named = zip(state.models, whole.found.bias.tolist(), strict=False)
    found = {
        "share_tied": float(tied(state).mean()), "units_left_out": state.answers.left_out,
        "bootstrap_bias": {model: float(one) for model, one in named if not np.isnan(one)},
        "half_distance": whole.half, "design_effect": whole.effects,
    }  # fmt: skip
    leads = whole.leads
    return found if leads is None else {**found, "share_narrow": leads.narrow, "share_narrow_apart": leads.apart}


def sentence(result: Result) -> str:
    """Say the distance of each model (the smallest and the largest of many), the ceiling and the floor."""
    n = result.counts
    among = f"over {count(n['units'], 'unit')} answered by {count(n['reference raters'], 'reference rater')}"
    rows = [row for row in result.rows if row.group is None]
    known = sorted((row for row in rows if row.estimate is not None), key=lambda row: row.estimate or 0.0)
    if not known:
        return f"The distance from the mode of the reference {among} does not exist: {rows[0].undefined}."
    if len(known) == 1:
        said = (
            f"The mean distance of '{shorten(known[0].term)}' from the mode of the reference was {value_text(known[0])}"
        )
    elif known[0].estimate == known[-1].estimate:
        said = (
            f"The mean distance from the mode of the reference was the same for all {count(len(known), 'model')}: "
            f"{value_text(known[0])}"
        )
    else:
        small, large = (f"'{shorten(row.term)}' ({value_text(row)})" for row in (known[0], known[-1]))
        said = (
            f"Of {count(len(known), 'model')}, the mean distance from the mode of the reference was smallest for "
            f"{small}, and largest for {large}"
        )
    lines = {row.term: row for row in result.rows if row.group == LINE}
    top, uniform = next(iter(lines.values())), lines["uniform answer"]
    beside = f"an answer at random would be {number(uniform.estimate)} off"
    if top.estimate is not None:
        beside = f"one reference rater was on average {number(top.estimate)} from the mode of the others, {beside}"
    return f"{said}, {among}; {beside}{refused_text(result, known)}."


def refused_text(result: Result, known: Sequence[Row]) -> str:
    """Say how many units the nearest and the farthest model refused, which counts as a distance."""
    if len(known) > 1 and known[0].estimate == known[-1].estimate:
        return ""
    names = ("it",) if len(known) == 1 else ("the former", "the latter")
    shares = {r.term: r.estimate for r in result.rows if r.group == "share refused"}
    ends = zip(names, (known[0], known[-1]), strict=False)
    said = [f"{name} refused {percent(shares[row.term])}" for name, row in ends if shares.get(row.term)]
    return f"; {', '.join(said)}" if said else ""


def value_text(row: Row) -> str:
    """Write a distance with its interval."""
    if row.conf_low is None:
        return f"{number(row.estimate)}, without an interval: {row.undefined}"
    ends = interval(row.conf_low, row.conf_high, level=row.conf_level or 0.95)
    return f"{number(row.estimate)}, {ends}"


def plot(result: Result, ax: Axes | None = None, *, group: str | None = None, **options: Any) -> Axes:
    """Draw the distance of each model between the ceiling and the floor, the smallest first.

    Parameters
    ----------
    result : Result
    ax : Axes, optional
    group : str, optional
        Draw the rows of this group (``"area = work"``) in place of all units.
    **options
        Of `socialstats.figures.forest`.
    """
    from socialstats.figures import forest

    rows = [row for row in result.rows if row.group == group]
    rows = sorted(rows, key=lambda row: (row.estimate is None, row.estimate or 0.0))[:MOST_SHOWN]
    lines = [r for r in result.rows if r.group == LINE and not r.term.startswith("always ")] if group is None else []
    shown = [replace(row, group=None) for row in (*lines[:1], *rows, *lines[1:])]
    settings = {"xlabel": "Mean distance from the mode of the reference (levels)", "sort": False, "reference": None}
    return forest(shown, ax=ax, **{**settings, **options})


@reads(Ratings)
def ada_met(
    ratings: Ratings | TableLike,
    *,
    reference: str | None = None,
    source: str = "source",
    ties: ModeTies = "mean",
    refusal: Literal["max", "item_max", "exclude"] | float = "max",
    unparsed: Unparsed = "exclude",
    group: str | None = None,
    stratum: str | None = None,
    ci: AlignmentCi = "two_way",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate how far each model's answers lie from the mode of the reference's answers to the same unit.

    The distance of a unit is |mode of the reference's answers - answer of the model| on the positions 0, 1, ..., k - 1
    of the levels (numeric levels: their numbers), and ADA-Met its mean over the units that both answered. Units are
    joined by their labels, never by position.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        Long table with a group of raters that says who is the reference (``rater_source=``). Raters of all other
        sources are the models. Ordinal or numeric levels. With a ``by`` factor: one result a level.
    reference : str, optional
        Level of `source` that is the reference; ``"human"`` by default.
    source : str
        The rater group that tells sources apart (by default also the one declared by ``rater_source=``).
    ties : {"mean", "low", "high", "nearest", "drop"}
        Several levels with most answers: the mean of all of them, the lowest, the highest, the one nearest to the
        model's answer (too small a distance: caution SS304), or the unit is left out.
    refusal : {"max", "item_max", "exclude"} or float
        Distance of a refusal: the width of the scale (it may exceed that of any answer: with the mode in the middle
        of five levels no answer is farther than 2), the largest distance any answer could have, none (the unit is
        left out for this model), or a number.
    unparsed : {"exclude", "refusal"}
        Model answers that are missing: left out, or counted as refusals. Units not in a model's rows are left out.
    group : str, optional
        An attribute of the reference raters (a rater group): rows by group, paired differences, closest group.
    stratum : str, optional
        A declared stratum (or cluster) of the units: rows for each of its levels.
    ci : {"two_way", "centred", "percentile", "basic"}
        ``"two_way"``: a t interval for the distance expected with as many raters as these. Its variance is that over
        units, plus what reference raters, resampled with their modes computed anew, make units have in common:
        V_units + V_raters - V_both, so that the noise of single answers counts once. The others are bootstraps of
        raters and units at once, which count it twice (Owen 2007) and cover more than they say. The modes of resamples
        are noisier and lie farther off, so ``"centred"`` moves the percentiles until the mean of the resamples is the
        estimate; ``"percentile"`` keeps the extra distance; ``"basic"`` reflects the percentiles.
    cluster : str, pair of str or None
        Declared clusters of units (two: crossed), resampled whole; None takes units as independent.
    level : float
    resamples, seed : int
        Of the bootstrap, and of the permutations.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        Rows, `term` a model: all units (group None), then ``area = work`` for a stratum. With `group`: ``gender =
        woman``, the distance from the mode of these people; ``gender: man - woman``, the difference over the units
        that both have a mode for, less what the sizes of the two groups alone give (the modes of few people are
        noisier and lie farther off: the mean difference when the people are dealt anew to groups of these sizes).
        With ``ci="two_way"`` interval and p are those of one t; with a bootstrap p is that of permuting people.
        Holm over the pairs of a model. ``closest gender = woman``, the group of the smallest distance with the
        share of resamples in which it is again. ``share refused`` (and ``share unparsed``), and ``share refused,
        area = work``. ``share at distance 1``: of the units, by their distance rounded to whole steps (a half to
        the even one), on scales of 12 steps at most. Group ``reference line``: ``random human``, a random person
        against the mode of the others; ``always A``; ``uniform answer``. With ``ci="two_way"``, groups ``minus
        nearest = m1`` and ``minus constant = always A``: the paired difference in distance from the nearest model
        (of the sample) and from the best constant answer, on the units of both, Holm over the models; and
        ``population's mode``: the distance from the mode of the whole population, without the noise of modes of few
        answers, which adds distance; how fast it falls with the answers n is not known, and the interval reaches
        over the rates that can be: n^-1/2 to n^-1, down to n^-1/4 where the leading level is at most one answer
        ahead in more than a quarter of the units, and both ways where levels that are not neighbours nearly tie in
        more than .08 of them; undefined where more than half of the leads are that narrow.
        `extras`: ``share_tied``, ``share_narrow`` (of the units, with the leading level at most one answer ahead)
        and ``share_narrow_apart`` (of levels that are not beside it), ``design_effect`` (by model: the variance
        over that of independent units with the people held), ``units_left_out``, ``bootstrap_bias`` (by model),
        ``half_distance`` (of each model, with half of the answers of each unit), and with `group` ``group_raters``,
        ``group_answers`` (a unit), ``permuted_differences`` (what sizes alone give, taken off), ``permutation_p``
        (by pair and model), ``permutations`` behind both (with ``"two_way"`` at most 500, as no interval or p of a
        row rests on them), and ``permuted_closest`` (how often each group is the closest when people are permuted).

    Raises
    ------
    InputError
        For unknown options, sources, attributes or strata, and nominal levels.
    NothingToAnalyse
        If no unit has an answer of the reference and of a model.

    References
    ----------
    Owen, A. B. (2007). The pigeonhole bootstrap. doi:10.1214/07-AOAS122
    Satterthwaite, F. E. (1946). Biometrics Bulletin, 2(6), 110-114. doi:10.2307/3002019
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap methods and their application. doi:10.1017/CBO9780511802843
    Quenouille, M. H. (1956). Notes on bias in estimation. doi:10.1093/biomet/43.3-4.353
    Imbens, G. W., & Manski, C. F. (2004). doi:10.1111/j.1468-0262.2004.00555.x
    Phipson, B., & Smyth, G. K. (2010). doi:10.2202/1544-6115.1585
    Holm, S. (1979). Scandinavian Journal of Statistics, 6(2), 65-70.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({
    ...     "unit": ["p", "p", "p", "q", "q", "q", "p", "q"], "rater": ["ann", "bob", "cid"] * 2 + ["m1"] * 2,
    ...     "source": ["human"] * 6 + ["model"] * 2, "value": ["A", "A", "C", "B", "C", "B", "C", "B"]})
    >>> design = Ratings.from_frame(rows, levels=["A", "B", "C"], rater_source="source")
    >>> ada_met(design, resamples=99).row("m1", group=None).estimate  # |0 - 2| and |1 - 1|
    1.0
    """
    options = AlignmentOptions(
        reference=reference, source=source, ties=ties, refusal=refusal, unparsed=unparsed, group=group,
        stratum=stratum, ci=ci, cluster=cluster, level=level, resamples=resamples, seed=seed,
    )  # fmt: skip
    options.check()
    return by_levels(ratings, "declared", lambda one: estimate(one, options), Ratings)


def by_attribute(ratings: Ratings, attributes: Sequence[str], **options: Any) -> dict[str, Result]:
    """Return what `ada_met` gives with each of several attributes as `group`; what they share is computed once.

    Parameters
    ----------
    ratings : Ratings
        Without a ``by`` factor.
    attributes : sequence of str
    **options
        Of `ada_met`.
    """
    first = {name: one.default for name, one in signature(ada_met).parameters.items() if one.default is not one.empty}
    states = []
    for name in attributes:
        chosen = AlignmentOptions(**{**first, **options, "group": name})
        chosen.check()
        states.append(State.of(ratings, chosen))
    if not states:
        return {}
    whole = whole_rows(states[0])
    found = in_halves(lambda k: assembled(states[k], whole), len(states), least=2)
    return dict(zip(attributes, found, strict=True))


def estimate(design: Ratings, options: AlignmentOptions) -> Result:
    """Compute the distances of one design."""
    state = State.of(design, options)
    return assembled(state, whole_rows(state))


def assembled(state: State, whole: Whole) -> Result:
    """Put the rows about all people together with those by group."""
    options = state.options
    groups = grouped(state)
    counts = counts_of(state)
    return Result(
        metric="ada_met",
        title="ADA-Met: mean distance from the mode of the reference",
        inference=inference_text(state),
        rows=(*whole.models, *groups.rows, *share_rows(state), *distance_rows(state), *whole.lines, *whole.population,
              *whole.gaps),
        counts=counts,
        fit={"nobs": counts["units"], "n_clusters": whole.models[0].n_clusters, "method": whole.models[0].method,
             "seed": options.seed, "resamples": options.resamples, **whole.found.facts(state)},
        settings=options.settings,
        cautions=first([*cautions_of(state), *noisy_modes(state, whole.found), *groups.cautions, whole.found.caution]),
        references=METRIC.references,
        design=state.design,
        extras={**extras_of_result(state, whole), **groups.extras},
    )  # fmt: skip


METRIC = Metric(
    name="ada_met",
    title="ADA-Met",
    design="ratings",
    function=ada_met,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.ada_met:verify",
    estimand="Mean over units of the distance of a model's answer from the mode of the reference's answers, in levels.",
    assumptions=(
        "reference raters and units (or the named clusters) are independent draws from those of interest",
        "neighbouring levels are equally far apart (numeric levels: by their numbers)",
        "units are the same thing for reference and models: they are joined by their labels",
    ),
    references=(
        "owen2007",
        "satterthwaite1946",
        "quenouille1956",
        "imbensmanski2004",
        "davisonhinkley1997",
        "phipsonsmyth2010",
        "holm1979",
        "wilson1927",
    ),
    values="sources",
)

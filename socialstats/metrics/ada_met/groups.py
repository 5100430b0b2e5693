"""Rows of ADA-Met by group of the reference raters: means, paired differences, the closest group."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.errors import Caution, InputError
from socialstats.inference.compare import with_holm
from socialstats.inference.dependence import small_sample
from socialstats.metrics.ada_met.state import METHODS, Estimates, State, with_intervals, with_t, without_interval
from socialstats.models.alignment import Targets, model_shares, targets_of
from socialstats.models.alignment_resampling import (
    GroupMeans,
    GroupWatches,
    permuted_groups,
    permuted_pairs,
    resampled_groups,
    sampled_groups,
)
from socialstats.results import Row
from socialstats.text import count, listing, number, quoted, shorten

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
        "what sizes alone give is taken off", fix="compare groups of like sizes, or read the differences",
    )  # fmt: skip

"""ADA-Met by groups of people: distances from the modes of each group, their differences, and the closest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.errors import Caution, InputError
from socialstats.inference.compare import rows_with_holm
from socialstats.inference.dependence import small_sample_caution
from socialstats.results import Result, Row
from socialstats.results.rows import lowest_and_highest, negate_row
from socialstats.scales.alignment import Panel, Targets, model_shares, resample_people
from socialstats.scales.alignment_intervals import (
    METHODS,
    AlignmentState,
    fill_intervals,
    two_way_means,
)
from socialstats.text import count, listing, number, quoted, shorten
from socialstats.voice import option

FEW_ANSWERS = 10.0  # answers per unit below which modes are noisy
ENOUGH = 500  # permutations for a mean or a share that no test rests on
PERMUTED = "{ci}, corrected for group size; p by permuting people between the two groups, Holm over a model's pairs"
T_WITH_CORRECTION = (
    "{ci}, corrected for group size (people permuted); p of the same t, Holm over a model's pairs"
)


def rows_by_group(state: AlignmentState) -> tuple[list[Row], list[Caution], dict[str, Any]]:
    """Return the rows, cautions and extras of the attribute that `group` names; nothing without one."""
    o = state.options
    answers = state.answers
    models = state.models
    if o.group is None:
        return [], [], {}
    labels, people = people_by_group(state, o.group)
    targets = Targets.from_shares(model_shares(answers))
    n = len(labels)
    panel = Panel.by_group(answers, targets, people)
    two_way = o.ci == "two_way"
    means = two_way_means(state, panel)
    drawn = list[FloatArray]()
    if not state.no_resampling(2)[0]:
        resampled_sets, watched = (n, means) if two_way else (len(means), [])
        drawn = resample_people(
            panel, watched, state.clusters, o.resamples, o.seed, kept=resampled_sets
        )
    # beside t intervals permutations give no p of a row: a mean of few of them is enough
    permutations = min(o.resamples, ENOUGH) if two_way else o.resamples
    pairs = [(people[i], people[j]) for i, j in panel.pairs]
    # by pair: (permutations, models) differences; the sets are i, j and i less j
    dealt = [
        Panel.by_group(answers, targets, pair).permuted_means(permutations, o.seed, 1 + k)[:, 2]
        for k, pair in enumerate(pairs)
    ]
    shifts = [
        group_size_effect(values, len(first) == len(second))
        for values, (first, second) in zip(dealt, pairs, strict=True)
    ]
    p_values = [
        [permutation_p(x, values) for x, values in zip(mean.value.tolist(), of_pair.T, strict=True)]
        for mean, of_pair in zip(means[n:], dealt, strict=True)
    ]
    pair_names = pair_labels(labels)
    templates = group_templates(state, labels, pair_names, panel.pairs)
    filled = []
    for j, (template, raters) in enumerate(zip(templates, panel.raters, strict=True)):
        rows = [
            replace(template, term=model, key=(("model", model), *template.key)) for model in models
        ]
        replicates = [] if two_way else drawn[j : j + 1]
        why = state.no_resampling(raters)
        shift = shifts[j - n] if j >= n else 0.0
        filled.append(fill_intervals(state, rows, means[j : j + 1], replicates, why, shift))
    rows = [of_group.rows[m] for m in range(len(models)) for of_group in filled[:n]]
    for m, model in enumerate(models):
        tests = [of_pair.rows[m] for of_pair in filled[n:]]
        if not two_way:
            tests = [
                replace(row, p_value=p[m], test="permutation")
                for row, p in zip(tests, p_values, strict=True)
            ]
        rows += rows_with_holm(tests, family=f"pairs of {o.group}, {model}")
    if n > 1:
        distances = np.array([mean.value for mean in means[:n]])
        rows += closest_rows(state, labels, distances, drawn[:n])
    # answers of each group, over all units that are compared
    per_unit = [float(answers.table[index].sum()) / len(answers.unit) for index in people]
    lost = [of_set.caution for of_set in filled if of_set.caution is not None][:1]
    regrouped = Panel.by_group(answers, targets, people, pairs=False)
    closest = closest_shares(regrouped.permuted_means(min(o.resamples, ENOUGH), o.seed, 0))
    corrections = [[None if np.isnan(x) else x for x in shift.tolist()] for shift in shifts]
    sizes = [len(index) for index in people]
    extras: dict[str, Any] = {
        "group_raters": dict(zip(labels, sizes, strict=True)),
        "group_answers": dict(zip(labels, per_unit, strict=True)),
        "permuted_closest": dict(zip(labels, closest.mean(axis=(0, 2)).tolist(), strict=True)),
    }
    for name, values in (("permuted_differences", corrections), ("permutation_p", p_values)):
        by_model = (dict(zip(models, of_pair, strict=True)) for of_pair in values)
        extras[name] = dict(zip(pair_names, by_model, strict=True))
    extras["permutations"] = permutations
    return rows, [*lost, *few_answers_caution(labels, sizes, per_unit)], extras


def group_templates(
    state: AlignmentState,
    labels: Sequence[str],
    pair_names: Sequence[str],
    pairs: Sequence[tuple[int, int]],
) -> list[Row]:
    """Return a row without its model for each group of people, then for each pair of groups."""
    o = state.options
    attribute = o.group or ""
    templates = [
        Row(
            term="",
            group=f"{attribute} = {label}",
            role="estimate",
            key=(("attribute", attribute), ("people", label)),
        )
        for label in labels
    ]
    method = (T_WITH_CORRECTION if o.ci == "two_way" else PERMUTED).format(ci=METHODS[o.ci])
    for name, (i, j) in zip(pair_names, pairs, strict=True):
        key = ("people", labels[i]), ("versus", labels[j]), ("contrast", name)
        row = Row(term="", group=f"{attribute}: {name}", role="difference", method=method)
        templates.append(replace(row, key=(("attribute", attribute), *key)))
    return templates


def people_by_group(state: AlignmentState, name: str) -> tuple[list[str], list[IntArray]]:
    """Return the groups of an attribute, and the positions of their people among the reference raters.

    Raises
    ------
    InputError
        If the attribute is not declared, or no reference rater has a value of it.
    """
    attributes = state.design.rater_groups
    if name not in attributes:
        declared = quoted([group for group in attributes if group != state.source.name]) or "none"
        raise InputError(
            f"{option('group', shorten(name))} is no rater group (declared: {declared}); make the "
            "design with " + option("rater_groups")
        )
    factor = attributes[name]
    codes = factor.codes[state.answers.people]
    codes_in_use = [code for code in range(len(factor.levels)) if np.any(codes == code)]
    if not codes_in_use:
        raise InputError(
            f"no {state.reference} rater with an answer has a value of '{shorten(name)}'"
        )
    labels = [factor.levels[code] for code in codes_in_use]
    return labels, [np.flatnonzero(codes == code) for code in codes_in_use]


def group_size_effect(dealt: FloatArray, equal_sizes: bool) -> FloatArray:
    """Mean difference of a pair under random regrouping of its people, (models,): the effect of group sizes.

    Groups of equal size have none, because every regrouping has one with the two groups exchanged.
    """
    # dealt is (permutations, models), NaN where a regrouping leaves no unit with both modes
    n = np.sum(~np.isnan(dealt), axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(equal_sizes & (n > 0), 0.0, np.nansum(dealt, axis=0) / n))


def pair_labels(labels: Sequence[str]) -> list[str]:
    """Name each pair ``first - second``; in quotes where a label holds a dash between blanks itself."""
    names = list(labels)
    if any(" - " in label for label in labels):
        names = [json.dumps(label) for label in labels]
    return [f"{first} - {second}" for first, second in combinations(names, 2)]


def permutation_p(value: float, dealt: FloatArray) -> float | None:
    """Two-sided p: twice the smaller tail, the sample counted among the permutations (Phipson & Smyth 2010)."""
    usable = dealt[~np.isnan(dealt)]
    if np.isnan(value) or not len(usable):
        return None
    slack = 1e-9  # means of the same answers in another order differ by rounding
    below = np.sum(usable <= value + slack) + 1
    above = np.sum(usable >= value - slack) + 1
    return min(1.0, 2.0 * float(min(below, above)) / (len(usable) + 1))


def closest_shares(means: FloatArray) -> FloatArray:
    """Share of the smallest mean that each group has: (b, groups, models); ties share, NaN is never smallest."""
    filled = np.where(np.isnan(means), np.inf, means)
    # where all groups are NaN the minimum is infinite, and none is the closest
    hit = (filled <= filled.min(axis=1, keepdims=True) + 1e-9) & np.isfinite(filled)
    return np.asarray(hit / np.maximum(hit.sum(axis=1, keepdims=True), 1))


def closest_rows(
    state: AlignmentState, labels: Sequence[str], means: FloatArray, drawn: Sequence[FloatArray]
) -> list[Row]:
    """Share of the resamples in which the closest group of the sample, of means (groups, models), is closest again."""
    rows = []
    is_closest = closest_shares(means[None])[0] > 0
    resampled_shares = closest_shares(np.stack(drawn, axis=1)) if drawn else None
    for m, model in enumerate(state.models):
        closest = np.flatnonzero(is_closest[:, m])
        if not len(closest):
            continue
        name = " and ".join(labels[g] for g in closest.tolist())
        row = Row(
            term=model,
            group=f"closest {state.options.group} = {name}",
            role="rank",
            limits=(0.0, 1.0),
            key=(("model", model), ("attribute", state.options.group or ""), ("closest", name)),
        )
        if resampled_shares is None:
            why, reason = state.no_resampling(2)
            rows.append(replace(row, undefined=why, reason=reason))
        else:
            share = float(resampled_shares[:, closest, m].sum(axis=1).mean())
            rows.append(
                replace(row, estimate=share, method="share of resamples in which it is closest")
            )
    return rows


def few_answers_caution(
    labels: Sequence[str], people: Sequence[int], per_unit: Sequence[float]
) -> tuple[Caution, ...]:
    """Caution SS312: modes of few answers (`per_unit`) are noisy, which inflates distances."""
    few = [
        f"{shorten(label, 30)} {number(n, 1)} ({count(size, 'rater')})"
        for label, size, n in zip(labels, people, per_unit, strict=True)
        if n < FEW_ANSWERS
    ]
    return small_sample_caution(
        min(per_unit),
        FEW_ANSWERS,
        f"few answers per unit: {listing(few)}; the most is {number(max(per_unit), 1)}",
        affects="distances to groups and the closest group: modes of few answers inflate distances",
        fix="interpret the differences between groups, which are corrected for group size",
    )


def closest_differences(
    results: Iterable[Result], differences: Iterable[Row]
) -> tuple[list[Row], list[Row]]:
    """Return the differences between the closest and the farthest group of people, and how stable the closest is.

    There is one of each for every model and attribute, but where all groups are equally close.

    Parameters
    ----------
    results : iterable of Result
        Of `results_by_attribute`.
    differences : iterable of Row
        Those between groups of people, as the results have them or adjusted over all attributes.
    """
    pairs = {
        (row.term, row.label("attribute"), row.label("people"), row.label("versus")): row
        for row in differences
    }
    closest, repeated = [], []
    for result in results:
        for again in (row for row in result.rows if row.label("closest")):
            groups = [
                row
                for row in result.rows
                if row.term == again.term and row.label("people") and row.role == "estimate"
            ]
            low, high = lowest_and_highest([row for row in groups if row.estimate is not None])
            if low == high:
                continue
            name = again.label("attribute")
            near, far = low[0].label("people"), high[-1].label("people")
            row = pairs.get((again.term, name, near, far))
            if row is None:
                row = negate_row(pairs[again.term, name, far, near])
            closest.append(replace(row, key=(*again.key, ("farthest", far or ""))))
            repeated.append(again)
    return closest, repeated

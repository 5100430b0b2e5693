"""Sensitivity index S on arrays, and what it would be for choosers of known kinds on the same design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import InputError
from socialstats.models.conditions import CONDITIONS, TARGETS, ConditionTable, Weighting, pair_condition, rates
from socialstats.text import count, quoted

TERMS = ("S", "S_corrected", *(f"S_{c}" for c in CONDITIONS), *(f"S_{c}_corrected" for c in CONDITIONS))
PLUG_IN = np.array([0, 0, 2, 3, 4, 2, 3, 4])
CORRECTED = np.array([1, 1, 5, 6, 7, 5, 6, 7])
ROUNDING = 1e-9  # an effective n of 1 is a single comparison, whatever its last bits
LARGEST = np.array([225.0, 225.0, 100.0, 25.0, 100.0, 100.0, 25.0, 100.0])


def sensitivity_terms(sums: FloatArray, n_items: int) -> FloatArray:
    """Sensitivity and its components from sums.

    S = 100 sum over conditions l of mean over items i of (p_il - t_l)^2 with targets t = 1, 1/2, 0. The
    corrected values subtract the mean of p(1-p)/(n-1), the unbiased estimate of the variance that
    independent comparisons add to (p - t)^2.

    Parameters
    ----------
    sums : (B, 9 items) float64 array
        Sums of `ConditionTable.statistics`.
    n_items : int

    Returns
    -------
    (B, 8) float64 array
        In the order of `TERMS`; NaN where a condition is empty (corrected: holds no item with more than one
        comparison).
    """
    p, n = rates(sums, n_items)
    error = (p - np.array(TARGETS)[:, None]) ** 2
    plug_in = 100 * mean_where(error, ~np.isnan(p))
    several = n > 1 + ROUNDING
    noise = 100 * mean_where(p * (1 - p) / (np.where(several, n, 2.0) - 1), several)
    corrected = plug_in - noise
    whole = [plug_in.sum(axis=1)[:, None], corrected.sum(axis=1)[:, None]]
    return np.concatenate([*whole, plug_in, corrected], axis=1)


def mean_where(values: FloatArray, keep: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> FloatArray:
    """Mean over the last axis of the values to keep; NaN where none is kept."""
    kept = keep.sum(axis=-1)
    total = np.where(keep, values, 0.0).sum(axis=-1)
    return np.where(kept > 0, total / np.maximum(kept, 1), np.nan)


def group_codes(items: Sequence[str], groups: Mapping[str, str] | None) -> IntArray | None:
    """Codes of the groups of the items.

    Raises
    ------
    InputError
        If an item has no group; the message names it.
    """
    if groups is None:
        return None
    lost = [item for item in items if item not in groups]
    if lost:
        raise InputError(f"groups: no group for {quoted(lost)} ({count(len(lost), 'item')}); give every item one")
    return np.unique([groups[item] for item in items], return_inverse=True)[1].astype(np.int64)


def in_words(term: str) -> str:
    """Return the name of one of the `TERMS` as a reader should see it.

    Examples
    --------
    >>> in_words("S"), in_words("S_lower_corrected")
    ('S', 'S, part of lower, corrected for noise')
    """
    part = term.removesuffix("_corrected").removeprefix("S").removeprefix("_")
    suffix = ", corrected for noise" if term.endswith("_corrected") else ""
    return f"S{f', part of {part}' if part else ''}{suffix}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceLine:
    """What S is for a chooser of a known kind.

    Attributes
    ----------
    label : str
    value : float
        Expected plug-in S on the design at hand.
    words : str
        How that chooser chooses.
    """

    label: str
    value: float
    words: str


def reference_lines(
    design: Comparisons, table: ConditionTable, weights: Weighting, groups: IntArray | None = None
) -> tuple[ReferenceLine, ...]:
    """Expected S of an urgency rule, coin flips, a random ranking and others, exact for this design.

    Parameters
    ----------
    design : Comparisons
    table : ConditionTable
        Of the same design and weighting.
    weights : {"opponent", "pooled"}
    groups : (items,) int64 array, optional
        Group of each item; adds the ranking group by group.

    Returns
    -------
    tuple of ReferenceLine
        Ascending in no particular order: by kind.

    Notes
    -----
    Coin: E(p - t)^2 = (1/2 - t)^2 + 1/(4n). Random ranking: p = sum_j w_j X_j, X_j = 1 if j ranks below, with
    E X_j = 1/2 and E X_j X_k = 1/3 (i is the highest of three), hence E p^2 = 1/3 + sum_j w_j^2 / 6.
    Groups ranked at random, items inside groups too: the same with group weights in place of w_j between
    groups, and independence between the two kinds of comparison.
    """
    whole = np.asarray(table.statistics.sum(axis=0), dtype=np.float64)[None, :]
    p, n = rates(whole, len(design.items))
    there = ~np.isnan(p[0])
    coin = [
        100 * ((0.5 - t) ** 2 + 0.25 * np.mean(1 / n[0, i][there[i]])) for i, t in enumerate(TARGETS) if there[i].any()
    ]
    alone = np.arange(len(design.items), dtype=np.int64)
    lines = [
        ReferenceLine(
            label="urgency rule", value=0.0,
            words="the higher urgency always wins, and equal urgencies win exactly half of the time",
        ),
        ReferenceLine(
            label="coin flips", value=float(sum(coin)),
            words="every choice is a fair coin, whatever the items and their urgency",
        ),
        ReferenceLine(
            label="random ranking", value=ranking_value(design, table, weights, alone),
            words="one strict ranking of the items, drawn at random, decides every choice; urgency is ignored",
        ),
    ]  # fmt: skip
    if groups is not None:
        words = (
            "a fixed ranking of the groups, drawn at random, decides between groups (and a random ranking inside "
            "a group); urgency is ignored"
        )
        value = ranking_value(design, table, weights, groups)
        lines.append(ReferenceLine(label="ranking group by group", value=value, words=words))
    half = sum(100 * ((0 - t) ** 2 + (1 - t) ** 2) / 2 for i, t in enumerate(TARGETS) if there[i].any())
    words = "half of the items always win and half never do, whatever the urgency"
    return (*lines, ReferenceLine(label="half always win", value=half, words=words))


def ranking_value(design: Comparisons, table: ConditionTable, weights: Weighting, groups: IntArray) -> float:
    """Expected S when a random strict ranking of groups, and of items inside groups, decides every choice.

    With groups of one item each it is a random ranking of the items.
    """
    item, other, condition, weight = directed_weights(design, table, weights)
    own = groups[item] == groups[other]
    n_items, n_groups = len(design.items), int(groups.max()) + 1
    place = condition * n_items + item
    inside = np.where(own, weight, 0.0)
    toward = place * n_groups + groups[other]
    between = np.bincount(toward, np.where(own, 0.0, weight), 3 * n_items * n_groups).reshape(-1, n_groups)
    out, inn = between.sum(axis=1), np.bincount(place, inside, 3 * n_items)
    squares = (between**2).sum(axis=1) + np.bincount(place, inside**2, 3 * n_items)
    # E p^2: products within one kind of comparison 1/3 (1/2 on the diagonal), across kinds 1/4
    second = (out**2 + inn**2) / 3 + squares / 6 + out * inn / 2
    there = np.bincount(place, minlength=3 * n_items) > 0
    total = 0.0
    for i, t in enumerate(TARGETS):
        chosen = slice(i * n_items, (i + 1) * n_items)
        if there[chosen].any():
            total += 100 * float(np.mean((second[chosen] - t + t**2)[there[chosen]]))
    return total


def directed_weights(
    design: Comparisons, table: ConditionTable, weights: Weighting
) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    """Weight of each opponent in each win rate.

    Returns
    -------
    item, other, condition : (m,) int64 arrays
        One entry for each item, opponent and condition that met.
    weight : (m,) float64 array
        Sums to 1 over the opponents of an item under a condition.
    """
    key = pair_condition(design, table.condition)
    first = np.unique(key, return_index=True)[1]
    total = np.ones(len(first)) if weights == "opponent" else np.bincount(key, weights=design.weight)
    a, b, c = design.item_a[first], design.item_b[first], table.condition[first]
    item, other = np.concatenate([a, b]), np.concatenate([b, a])
    condition, weight = np.concatenate([c, 2 - c]), np.tile(total, 2)
    place = condition * len(design.items) + item
    return item, other, condition, weight / np.bincount(place, weights=weight)[place]

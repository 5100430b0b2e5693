"""Choices by which side is more urgent: conditions, the index S, pairs of items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import B_WON, TIED
from socialstats.errors import Caution, InputError, NothingToAnalyse, caution
from socialstats.matching import match_keys
from socialstats.text import count, quoted
from socialstats.voice import check_allowed, option

if TYPE_CHECKING:
    from scipy.sparse import csr_array


Pair = tuple[str, str]


def labels_of_pairs(design: Comparisons) -> tuple[Pair, ...]:
    """Labels of the two items of each level of ``design.pair``, the smaller label first."""
    first = np.unique(design.pair.codes, return_index=True)[1]
    ends = [(design.items[design.item_a[i]], design.items[design.item_b[i]]) for i in first]
    return tuple((min(pair), max(pair)) for pair in ends)


def common_pairs(
    first: Comparisons, second: Comparisons, unmatched: str
) -> tuple[Comparisons, Comparisons, tuple[Pair, ...], tuple[Caution, ...]]:
    """Keep the pairs of items that both designs compared, matched by label.

    Parameters
    ----------
    first, second : Comparisons
    unmatched : {"error", "drop"}

    Returns
    -------
    first, second : Comparisons
        Cells of common pairs only.
    pairs : tuple of (str, str)
        Items of the common pairs, sorted.
    cautions : tuple of Caution
        SS301 when pairs were left out.

    Raises
    ------
    InputError
        If pairs are unmatched and `unmatched` is ``"error"``, or a design still has several ``by`` levels.
    NothingToAnalyse
        If no pair is common.
    """
    check_allowed("unmatched", unmatched, ("error", "drop"))
    for design in (first, second):
        if design.by is not None:
            raise InputError(
                f"the design has a by factor '{design.by.name}'; take two levels of design.split()"
            )
    match = match_keys(labels_of_pairs(first), labels_of_pairs(second))
    common = tuple(sorted(match.keys))
    if not common:
        raise NothingToAnalyse("no pair of items was compared in both designs")
    if match.complete:
        return first, second, common, ()
    unmatched_pairs = [
        " | ".join(pair) for pair in sorted((*match.unmatched[0], *match.unmatched[1]))
    ]
    message = f"{count(len(unmatched_pairs), 'pair')} in only one of the designs: {quoted(unmatched_pairs)}"
    if unmatched == "error":
        raise InputError(
            f"{message}. {option('unmatched', 'drop')} compares the {count(len(common), 'common pair')}"
        )
    keep = [
        np.isin(d.pair.codes, places)
        for d, places in zip((first, second), match.places, strict=True)
    ]
    cautions = (caution("SS301", message, affects="the difference covers common pairs only"),)
    return first.take(keep[0]), second.take(keep[1]), common, cautions


def pair_codes(design: Comparisons, pairs: Sequence[Pair]) -> IntArray:
    """Position of each cell's pair in `pairs`."""
    place = {name: i for i, name in enumerate(pairs)}
    return np.array([place[name] for name in labels_of_pairs(design)], dtype=np.int64)[
        design.pair.codes
    ]


Weighting = Literal["opponent", "pooled"]
WEIGHTINGS: tuple[str, ...] = get_args(Weighting)
CONDITIONS = ("higher", "equal", "lower")
TARGETS = (1.0, 0.5, 0.0)  # win rates of a chooser whom urgency alone decides


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConditionTable:
    """Per-cell statistics from which every conditional win rate is a ratio of sums.

    Every comparison counts for both of its items.

    Attributes
    ----------
    statistics : (cells, 9 items) sparse array
        Blocks of columns ``(statistic, condition, item)``: weighted wins, weights, squared weights.
    condition : (cells,) int64 array
        Condition of item_a: 0 higher, 1 equal, 2 lower (item_b has 2 minus that).
    rows : (3, items) float64 array
        Comparisons of each item under each condition.
    opponents : (3, items) int64 array
    """

    statistics: csr_array
    condition: IntArray
    rows: FloatArray
    opponents: IntArray

    @property
    def squares(self) -> int:
        """The first column of squared weights."""
        return self.statistics.shape[1] // 3 * 2


def side_conditions(design: Comparisons, covariate: str | None) -> IntArray:
    """Condition of item_a in each cell: 0 where its covariate is higher, 1 equal, 2 lower; without one always 1.

    Raises
    ------
    InputError
        If there is no such covariate, or it holds labels or missing values.
    """
    if covariate is None:
        return np.ones(len(design.item_a), dtype=np.int64)
    if covariate not in design.covariates:
        declared = quoted(sorted(design.covariates)) or "none"
        raise InputError(
            f"{design.source}: no covariate '{covariate}' with a value for each side (covariates: {declared})"
        )
    sides = design.covariates[covariate]
    if sides.a.dtype.kind not in "iufb" or sides.b.dtype.kind not in "iufb":
        first = next((str(v) for v in sides.a), "")
        raise InputError(
            f"{design.source}: covariate '{covariate}' holds labels such as '{first}'; higher and lower need "
            "numbers: replace each label by its rank"
        )
    a, b = sides.a.astype(np.float64), sides.b.astype(np.float64)
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        n_missing = int(design.count[~(np.isfinite(a) & np.isfinite(b))].sum())
        raise InputError(
            f"{design.source}: covariate '{covariate}' is missing or infinite in {count(n_missing, 'row')}; "
            "leave these rows out before making the design"
        )
    return (1 - np.sign(a - b)).astype(np.int64)


def first_scores(design: Comparisons) -> FloatArray:
    """Score of item_a in each cell: 1 won, 0 lost, 1/2 tied."""
    return np.where(design.outcome == TIED, 0.5, np.where(design.outcome == B_WON, 0.0, 1.0))


def condition_table(
    design: Comparisons, covariate: str | None, weights: Weighting
) -> ConditionTable:
    """Build the statistics of the conditional win rates.

    Parameters
    ----------
    design : Comparisons
    covariate : str or None
        None: all comparisons have the condition "equal".
    weights : {"opponent", "pooled"}
        ``"opponent"``: p_i = (1/J) sum_j Pr(i beats j): every opponent counts the same, so a row counts
        1/n_ij. The counts n_ij are part of the design and stay as they are in resamples.
        ``"pooled"``: every row counts the same (or by its weight).

    Raises
    ------
    InputError
        For an unknown option or an unusable covariate.
    NothingToAnalyse
        If there is no comparison.
    """
    from scipy.sparse import csr_array

    check_allowed("weights", weights, WEIGHTINGS)
    if not len(design.item_a):
        raise NothingToAnalyse(f"{design.source}: no comparison to compute win rates from")
    n_items, cells = len(design.items), np.arange(len(design.item_a))
    condition, score = side_conditions(design, covariate), first_scores(design)
    key = pair_condition(design, condition)
    row, square = design.weight, design.weight_sq
    if weights == "opponent":
        # 1 / n_ij: all comparisons with an opponent weigh 1 together
        row = design.weight / np.bincount(key, weights=design.weight)[key]
        square = design.weight_sq * (row / design.weight) ** 2
    # places (condition, item) of both sides in a block of columns
    of_a, of_b = condition * n_items + design.item_a, (2 - condition) * n_items + design.item_b
    columns = np.concatenate(
        [block * 3 * n_items + side for block in range(3) for side in (of_a, of_b)]
    )
    values = np.concatenate([row * score, row * (1 - score), row, row, square, square])
    statistics = csr_array((values, (np.tile(cells, 6), columns)), shape=(len(cells), 9 * n_items))
    n_rows = np.bincount(np.concatenate([of_a, of_b]), np.tile(design.count, 2), 3 * n_items)
    # each pair of items counts once under each condition
    first = np.unique(key, return_index=True)[1]
    opponents = np.bincount(np.concatenate([of_a[first], of_b[first]]), minlength=3 * n_items)
    return ConditionTable(
        statistics=statistics,
        condition=condition,
        rows=n_rows.reshape(3, n_items).astype(np.float64),
        opponents=opponents.reshape(3, n_items),
    )


def pair_condition(design: Comparisons, condition: IntArray) -> IntArray:
    """Index of the unordered pair and condition of each cell, from 0 without gaps."""
    swapped = design.item_a > design.item_b
    key = design.pair.codes * 3 + np.where(swapped, 2 - condition, condition)
    return np.unique(key, return_inverse=True)[1].astype(np.int64)


def win_rates_of_sums(sums: FloatArray, n_items: int) -> tuple[FloatArray, FloatArray]:
    """Turn sums into win rates and the number of comparisons they are worth.

    Parameters
    ----------
    sums : (B, 9 items) float64 array
    n_items : int

    Returns
    -------
    p : (B, 3, items) float64 array
        Win rate by condition and item; NaN without a comparison.
    n : (B, 3, items) float64 array
        Effective comparisons (sum of weights)^2 / sum of squared weights: the variance of p under
        independent comparisons of one p is p(1-p)/n. Equals the count where all pairs have equally many.
    """
    wins, weight, square = np.moveaxis(sums.reshape(len(sums), 3, 3, n_items), 1, 0)
    compared = weight > 0
    divisor = np.where(compared, weight, 1.0)
    p = np.where(compared, np.clip(wins / divisor, 0.0, 1.0), np.nan)
    n = np.where(compared, divisor**2 / np.where(compared, square, 1.0), np.nan)
    return p, n


def table_cautions(
    design: Comparisons, table: ConditionTable, covariate: str | None = "urgency"
) -> tuple[Caution, ...]:
    """Cautions SS105 (ties counted as halves) and SS302 (items without a comparison under a condition)."""
    cautions = []
    if design.n_ties:
        message = f"{count(design.n_ties, 'tie')} in {count(design.n_rows, 'comparison')} count half for each side"
        fix = "drop_ties() leaves them out"
        cautions.append(
            caution("SS105", message, affects="win rates, pulled towards one half", fix=fix)
        )
    for name, rows in zip(CONDITIONS, table.rows, strict=True) if covariate is not None else ():
        empty = [design.items[j] for j in np.flatnonzero(rows == 0)]
        if empty:
            message = (
                f"condition '{name}' is empty for {count(len(empty), 'item')}: {quoted(empty)}"
            )
            affects = "their win rates are undefined; means run over the other items"
            cautions.append(caution("SS302", message, affects=affects))
    return tuple(cautions)


TERMS = (
    "S",
    "S_corrected",
    *(f"S_{c}" for c in CONDITIONS),
    *(f"S_{c}_corrected" for c in CONDITIONS),
)
PLUG_IN = np.array([0, 0, 2, 3, 4, 2, 3, 4])
CORRECTED = np.array([1, 1, 5, 6, 7, 5, 6, 7])
ROUNDING = 1e-9  # an effective n of 1 is a single comparison, whatever its last bits
# the largest value that each of `TERMS` can have
LARGEST = np.array([225.0, 225.0, 100.0, 25.0, 100.0, 100.0, 25.0, 100.0])


def sensitivity_terms(sums: FloatArray, n_items: int, *, drawn: bool = True) -> FloatArray:
    """Sensitivity and its components from sums.

    S = 100 sum over conditions l of mean over items i of (p_il - t_l)^2 with targets t = 1, 1/2, 0. The corrected
    values subtract the mean of p(1-p)/(n-1). It estimates without bias the variance that independent comparisons add to
    (p - t)^2.

    Parameters
    ----------
    sums : (B, 9 items) float64 array
        Sums of `ConditionTable.statistics`.
    n_items : int
    drawn : bool
        False where winners are probabilities, which lack the noise of drawn ones: there is no corrected value.

    Returns
    -------
    (B, 8) float64 array
        In the order of `TERMS`; NaN where a condition is empty (corrected: holds no item with more than one
        comparison).
    """
    p, n = win_rates_of_sums(sums, n_items)
    error = (p - np.array(TARGETS)[:, None]) ** 2
    plug_in = 100 * masked_mean(error, ~np.isnan(p))
    # a single comparison does not tell its noise
    several = (n > 1 + ROUNDING) & drawn
    noise = 100 * masked_mean(p * (1 - p) / (np.where(several, n, 2.0) - 1), several)
    corrected = plug_in - noise
    totals = [part.sum(axis=1, keepdims=True) for part in (plug_in, corrected)]
    return np.concatenate([*totals, plug_in, corrected], axis=1)


def masked_mean(values: FloatArray, mask: BoolArray) -> FloatArray:
    """Mean over the last axis of the values to keep; NaN where none is kept."""
    n = mask.sum(axis=-1)
    total = np.where(mask, values, 0.0).sum(axis=-1)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)


COIN = "coin flips"


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
    without_error : float
        Expected S without sampling error, which a bias-corrected S is compared with.
    """

    label: str
    value: float
    words: str
    without_error: float


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
    Coin: E(p - t)^2 = (1/2 - t)^2 + 1/(4n). Random ranking: p = sum_j w_j X_j, X_j = 1 if j ranks below, with E X_j =
    1/2 and E X_j X_k = 1/3 (i is the highest of three), hence E p^2 = 1/3 + sum_j w_j^2 / 6. Groups are ranked at
    random, and items inside groups too. Group weights replace w_j between groups, and the two kinds of comparison are
    independent.
    """
    total = np.asarray(table.statistics.sum(axis=0), dtype=np.float64)[None, :]
    n = win_rates_of_sums(total, len(design.items))[1][0]
    # the conditions that occur: their targets, and the comparisons of the items that have some
    conditions = [
        (t, of_items[~np.isnan(of_items)])
        for t, of_items in zip(TARGETS, n, strict=True)
        if not np.isnan(of_items).all()
    ]
    # variance of a coin flip; a probability of one half has none
    noise = 0.25 if design.replies is None else 0.0
    fair = float(sum(100 * (0.5 - t) ** 2 for t, _ in conditions))
    coin = fair + float(sum(100 * noise * np.mean(1 / of_items) for _, of_items in conditions))
    half = sum(100 * (t**2 + (1 - t) ** 2) / 2 for t, _ in conditions)
    singletons = np.arange(len(design.items), dtype=np.int64)
    by_group = 0.0 if groups is None else ranking_value(design, table, weights, groups)
    kinds = (
        (
            "urgency rule",
            0.0,
            "the higher urgency always wins, and equal urgencies win exactly half of the time",
        ),
        (COIN, coin, "every choice is a fair coin, whatever the items and their urgency"),
        (
            "random ranking",
            ranking_value(design, table, weights, singletons),
            "one strict ranking of the items, drawn at random, decides every choice; urgency is ignored",
        ),
        (
            "ranking group by group",
            by_group,
            "a fixed ranking of the groups, drawn at random, decides between groups (and a random ranking inside "
            "a group); urgency is ignored",
        ),
        (
            "half always win",
            half,
            "half of the items always win and half never do, whatever the urgency",
        ),
    )
    lines = [
        ReferenceLine(
            label=label, value=value, words=words, without_error=fair if label == COIN else value
        )
        for label, value, words in kinds
    ]
    return tuple(lines if groups is not None else [*lines[:3], lines[4]])


def ranking_value(
    design: Comparisons, table: ConditionTable, weights: Weighting, groups: IntArray
) -> float:
    """Expected S when a random strict ranking of groups, and of items inside groups, decides every choice.

    With groups of one item each it is a random ranking of the items.
    """
    key = pair_condition(design, table.condition)
    first = np.unique(key, return_index=True)[1]
    total = (
        np.ones(len(first)) if weights == "opponent" else np.bincount(key, weights=design.weight)
    )
    a, b, c = design.item_a[first], design.item_b[first], table.condition[first]
    item, opponent = np.concatenate([a, b]), np.concatenate([b, a])
    n_places, n_groups = 3 * len(design.items), int(groups.max()) + 1
    # places: an item under a condition; the weight of each of its opponents
    place = np.concatenate([c, 2 - c]) * len(design.items) + item
    weight = np.tile(total, 2) / np.bincount(place, np.tile(total, 2))[place]
    # weights of opponents inside the group, and (places, groups) sums of those in other groups
    inside = np.where(groups[item] == groups[opponent], weight, 0.0)
    place_and_group = place * n_groups + groups[opponent]
    between = np.bincount(place_and_group, weight - inside, n_places * n_groups)
    between = between.reshape(-1, n_groups)
    w_between, w_inside = between.sum(axis=1), np.bincount(place, inside, n_places)
    squares = (between**2).sum(axis=1) + np.bincount(place, inside**2, n_places)
    # E p^2: products within one kind of comparison 1/3 (1/2 on the diagonal), across kinds 1/4
    second_moment = (w_between**2 + w_inside**2) / 3 + squares / 6 + w_between * w_inside / 2
    t = np.array(TARGETS)[:, None]
    compared = (np.bincount(place, minlength=n_places) > 0).reshape(3, -1)
    return 100 * float(np.nansum(masked_mean(second_moment.reshape(3, -1) - t + t**2, compared)))

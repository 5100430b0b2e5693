"""Choices by which side is more urgent: conditions, the index S, pairs of items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.comparisons import B_WON, TIED, Comparisons
from socialstats.errors import Caution, InputError, NothingToAnalyse, UndefinedStatistic, caution
from socialstats.inference.compare import with_jackknife, with_resamples
from socialstats.resampling import Units, bootstrap, jackknife
from socialstats.resampling.engine import Replicates
from socialstats.results import Result, Row
from socialstats.text import count, interval, number, p_value, quoted

if TYPE_CHECKING:
    from scipy.sparse import csr_array


Pair = tuple[str, str]


def pair_names(design: Comparisons) -> tuple[Pair, ...]:
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
    if unmatched not in ("error", "drop"):
        raise InputError(f"unmatched='{unmatched}' is not one of error, drop")
    for design in (first, second):
        if design.by is not None:
            raise InputError(f"the design has a by factor '{design.by.name}'; take two levels of design.split()")
    names = pair_names(first), pair_names(second)
    common = tuple(sorted(set(names[0]) & set(names[1])))
    alone = [" | ".join(pair) for pair in sorted(set(names[0]) ^ set(names[1]))]
    if not common:
        raise NothingToAnalyse("no pair of items was compared in both designs")
    if not alone:
        return first, second, common, ()
    said = f"{count(len(alone), 'pair')} in only one of the designs: {quoted(alone)}"
    if unmatched == "error":
        raise InputError(f'{said}. unmatched="drop" compares the {count(len(common), "common pair")}')
    known = set(common)
    keep = [np.array([name in known for name in pair_names(d)])[d.pair.codes] for d in (first, second)]
    left = (caution("SS301", said, affects="the difference covers common pairs only"),)
    return first.take(keep[0]), second.take(keep[1]), common, left


def pair_codes(design: Comparisons, pairs: Sequence[Pair]) -> IntArray:
    """Position of each cell's pair in `pairs`."""
    place = {name: i for i, name in enumerate(pairs)}
    return np.array([place[name] for name in pair_names(design)], dtype=np.int64)[design.pair.codes]


Weighting = Literal["opponent", "pooled"]
WEIGHTINGS: tuple[str, ...] = get_args(Weighting)
CONDITIONS = ("higher", "equal", "lower")
TARGETS = (1.0, 0.5, 0.0)


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
    share : (cells,) float64 array
        Share of the cell in its pair-and-condition: weights of cells of the same pair and condition sum to 1.
    """

    statistics: csr_array
    condition: IntArray
    rows: FloatArray
    opponents: IntArray
    share: FloatArray


def side_conditions(design: Comparisons, covariate: str) -> IntArray:
    """Condition of item_a in each cell: 0 where its covariate is higher, 1 equal, 2 lower.

    Raises
    ------
    InputError
        If there is no such covariate, or it holds labels or missing values.
    """
    if covariate not in design.covariates:
        known = quoted(sorted(design.covariates)) or "none"
        raise InputError(
            f"{design.source}: no covariate '{covariate}' with a value for each side (covariates: {known})"
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
        bad = int(design.count[~(np.isfinite(a) & np.isfinite(b))].sum())
        raise InputError(
            f"{design.source}: covariate '{covariate}' is missing or infinite in {count(bad, 'row')}; "
            "leave these rows out before making the design"
        )
    return (1 - np.sign(a - b)).astype(np.int64)


def scores(design: Comparisons) -> FloatArray:
    """Score of item_a in each cell: 1 won, 0 lost, 1/2 tied."""
    return np.where(design.outcome == TIED, 0.5, np.where(design.outcome == B_WON, 0.0, 1.0))


def condition_table(design: Comparisons, covariate: str, weights: Weighting) -> ConditionTable:
    """Build the statistics of the conditional win rates.

    Parameters
    ----------
    design : Comparisons
    covariate : str
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

    if weights not in WEIGHTINGS:
        raise InputError(f"weights='{weights}' is not one of {', '.join(WEIGHTINGS)}")
    if not len(design.item_a):
        raise NothingToAnalyse(f"{design.source}: no comparison to compute win rates from")
    n_items, cells = len(design.items), np.arange(len(design.item_a))
    condition, score = side_conditions(design, covariate), scores(design)
    key = pair_condition(design, condition)
    share = design.weight / np.bincount(key, weights=design.weight)[key]
    row, square = design.weight, design.weight_sq
    if weights == "opponent":
        row, square = share, design.weight_sq * (share / design.weight) ** 2
    of_a, of_b = condition * n_items + design.item_a, (2 - condition) * n_items + design.item_b
    columns = np.concatenate([block * 3 * n_items + side for block in range(3) for side in (of_a, of_b)])
    values = np.concatenate([row * score, row * (1 - score), row, row, square, square])
    statistics = csr_array((values, (np.tile(cells, 6), columns)), shape=(len(cells), 9 * n_items))
    once = np.unique(key, return_index=True)[1]
    both = np.concatenate([of_a, of_b])
    return ConditionTable(
        statistics=statistics,
        condition=condition,
        rows=np.bincount(both, np.tile(design.count, 2), 3 * n_items).reshape(3, n_items).astype(np.float64),
        opponents=np.bincount(np.concatenate([of_a[once], of_b[once]]), minlength=3 * n_items).reshape(3, n_items),
        share=share,
    )


def pair_condition(design: Comparisons, condition: IntArray) -> IntArray:
    """Index of the unordered pair and condition of each cell, from 0 without gaps."""
    swapped = design.item_a > design.item_b
    key = design.pair.codes * 3 + np.where(swapped, 2 - condition, condition)
    return np.unique(key, return_inverse=True)[1].astype(np.int64)


def rates(sums: FloatArray, n_items: int) -> tuple[FloatArray, FloatArray]:
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
    there = weight > 0
    safe = np.where(there, weight, 1.0)
    p = np.where(there, np.clip(wins / safe, 0.0, 1.0), np.nan)
    n = np.where(there, safe**2 / np.where(there, square, 1.0), np.nan)
    return p, n


def table_cautions(design: Comparisons, table: ConditionTable) -> tuple[Caution, ...]:
    """Cautions SS105 (ties counted as halves) and SS302 (items without a comparison under a condition)."""
    found = []
    if design.n_ties:
        share = count(design.n_ties, "tie")
        found.append(
            caution(
                "SS105",
                f"{share} in {count(design.n_rows, 'comparison')} count half for each side",
                affects="win rates, pulled towards one half",
                fix="drop_ties() leaves them out",
            )
        )
    for i, name in enumerate(CONDITIONS):
        empty = [design.items[j] for j in np.flatnonzero(table.rows[i] == 0)]
        if empty:
            found.append(
                caution(
                    "SS302",
                    f"condition '{name}' is empty for {count(len(empty), 'item')}: {quoted(empty)}",
                    affects="their win rates are undefined; means run over the other items",
                )
            )
    return tuple(found)


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


METHODS = {
    "jackknife": "jackknife t by pair, around the corrected value",
    "basic": "basic bootstrap by pair; z from bootstrap s.e.",
}
FEW = "no item has two comparisons under some condition in one of the designs"


def paired_difference(
    first: Comparisons,
    second: Comparisons,
    covariate: str,
    *,
    labels: tuple[str, str],
    weights: Weighting,
    unmatched: str,
    ci: str,
    resamples: int,
    seed: int,
    level: float,
) -> Result:
    """Difference of S; see `socialstats.metrics.sensitivity.sensitivity_difference`."""
    from scipy.sparse import hstack

    one, two, pairs, cautions = common_pairs(first, second, unmatched)
    tables = [condition_table(design, covariate, weights).statistics for design in (one, two)]
    units = [Units.clusters(pair_codes(design, pairs)) for design in (one, two)]
    both = hstack([u.total(t) for u, t in zip(units, tables, strict=True)], format="csr")
    cut = tables[0].shape[1]

    def finish(sums: FloatArray) -> FloatArray:
        a = sensitivity_terms(np.ascontiguousarray(sums[:, :cut]), len(one.items))
        b = sensitivity_terms(np.ascontiguousarray(sums[:, cut:]), len(two.items))
        return np.concatenate([a - b, a, b], axis=1)

    shared = Units.clusters(np.arange(len(pairs), dtype=np.int64))
    left = jackknife(both, finish, shared) if ci == "jackknife" and len(pairs) > 1 else None
    if left is None or np.isnan(left.estimate[1]):
        ci = "basic"  # no corrected value, as where every pair is met once
    n, terms = one.n_rows + two.n_rows, len(TERMS)
    names = [Row(term=t, group="difference", n=float(n), n_clusters=len(pairs), method=METHODS[ci]) for t in TERMS]
    tested = [term in TERMS[:2] for term in TERMS]
    if ci == "jackknife" and left is not None:
        estimate, lost, centre = left.estimate, None, left.estimate[:terms][CORRECTED]
        gaps = with_jackknife(names, estimate[:terms], left.std_error[:terms], centre, len(pairs) - 1.0, level, tested)
    else:
        boot = bootstrap(both, finish, shared, resamples=resamples, seed=seed)
        estimate, lost = boot.estimate, boot.caution("the intervals")
        own = Replicates(
            estimate=estimate[:terms], replicates=boot.replicates[:, :terms], n_degenerate=boot.n_degenerate[:terms]
        )
        gaps = with_resamples(names, own, level, centre=estimate[:terms][PLUG_IN], tested=tested)
    if np.isnan(estimate[0]):
        raise UndefinedStatistic(f"S is undefined: it needs comparisons with higher, equal and lower {covariate}")
    rows = [replace(row, undefined=FEW, method=None, n=None, n_clusters=None) if row.estimate is None else row
            for row in gaps]  # fmt: skip
    for label, values in zip(labels, np.split(estimate[terms:], 2), strict=True):
        rows += [Row(term=term, group=label, undefined=FEW) if math.isnan(value) else
                 Row(term=term, group=label, estimate=value, n_clusters=len(pairs))
                 for term, value in zip(TERMS, values.tolist(), strict=True)]  # fmt: skip
    said = "jackknife t intervals" if ci == "jackknife" else "basic bootstrap intervals"
    drawn = {"seed": seed, "resamples": resamples} if ci == "basic" else {}
    return Result(
        metric="sensitivity",
        title=f"Difference in sensitivity to {covariate}: {labels[0]} minus {labels[1]}",
        inference=f"{said}, {count(len(pairs), 'pair')} of items left out (or resampled) in both together",
        rows=tuple(rows),
        counts={"comparisons": n, "pairs": len(pairs)},
        fit={"n_clusters": len(pairs), "method": ci, **drawn},
        settings={
            "covariate": covariate, "labels": labels, "weights": weights, "unmatched": unmatched, "ci": ci,
            "cluster": "pair", "resamples": resamples, "seed": seed, "level": level,
        },
        cautions=(*cautions, lost) if lost else cautions,
        references=("efrontibshirani1993",) if ci == "jackknife" else ("davisonhinkley1997",),
        design=(one, two),
    )  # fmt: skip


def difference_sentence(result: Result) -> str:
    """Say the corrected difference (or the plug-in one), its interval and p."""
    row = result.row("S_corrected", group="difference")
    if row.estimate is None:
        row = result.row("S", group="difference")
    a, b = result.settings["labels"]
    ends = interval(row.conf_low, row.conf_high, level=result.settings["level"])
    kind = "corrected for noise" if row.term == "S_corrected" else "plug-in"
    settled = row.conf_low is not None and row.conf_high is not None and (row.conf_low > 0 or row.conf_high < 0)
    if not settled:
        verdict = f"The data do not settle whether {a} or {b} is closer to following {result.settings['covariate']}"
    else:
        near, far = (a, b) if (row.estimate or 0.0) < 0 else (b, a)
        verdict = f"{near} was closer to following {result.settings['covariate']} than {far}"
    test = f", {p_value(row.p_value)}" if row.p_value is not None else ""
    return f"{verdict}: difference in S ({a} minus {b}, {kind}) {number(row.estimate)}, {ends}{test}."

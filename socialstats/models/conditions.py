"""Who wins when its urgency (or any covariate) is higher, equal or lower: sums per item and condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.comparisons import B_WON, TIED, Comparisons
from socialstats.errors import Caution, InputError, NothingToAnalyse, caution
from socialstats.text import count, quoted

if TYPE_CHECKING:
    from scipy.sparse import csr_array

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

"""Similarity within units: the mean over units of the divergence within the unit, less its bias."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.inference.intervals import critical_values
from socialstats.inference.means import DrawnRaters, MeanErrors, dense_codes, with_drawn
from socialstats.shares.counts import RaterCounts
from socialstats.shares.divergence import (
    JackknifeMoments,
    exchange_test,
    jackknife_moments,
    jensen_shannon,
    unit_corrected,
)
from socialstats.shares.similarity import ALONE, ComparedSources, Similarities


def within_units(sources: ComparedSources, settings: Mapping[str, Any]) -> Similarities:
    """Average over units the divergence within the unit, of the units that both sources rated."""
    shared = np.flatnonzero((sources.first.sum(axis=1) > 0) & (sources.second.sum(axis=1) > 0))
    if not len(shared):
        none = np.full(len(sources.cells.groups), math.nan)
        return Similarities.alone(none, none)
    units = sources.take(shared)
    cells, copies, codes = units.cells, units.copies, units.codes
    divergences = jensen_shannon(*units.sides)
    second_order, first_order = (unit_corrected(*units.sides, order) for order in (2, 1))
    columns = [divergences, second_order, first_order, np.ones(len(shared))]
    flat = cells.in_columns(np.column_stack(columns) * copies[:, None])
    means = [cells.by_group(partial(mean_of_column, column=k)) for k in range(3)]
    total = flat.sum(axis=0)[None, :]
    plain, corrected, less_corrected = (mean(total)[0] for mean in means)
    raters = [drawn_within_units(people, units, shared, side) for side, people in sources.people]
    drawn = [group for group in raters if group is not None]
    test = None
    if not drawn:
        test = exchange_test(
            units.first,
            units.second,
            copies,
            cells.codes,
            cells.size,
            permutations=settings["permutations"],
            seed=settings["seed"],
        )
    entered = cells.units_in_groups(np.ones(len(shared), dtype=bool))
    df = units.independent_units(entered) - 1
    without = Similarities.alone(plain, corrected, test)
    if df[0] < 1:
        return without
    flat = np.nan_to_num(flat)
    if settings["ci"] != "t":
        return without.resampled(flat, means[1], units, settings)
    moments = jackknife_moments(flat, means[1], copies, codes, entered)
    spread = moments.std_error
    if drawn:
        crossed = with_drawn(errors_over_units(moments, df), drawn)
        spread, df = crossed.std_error, crossed.df
    # about half of what the second order takes off, for the bias that is left
    error = np.hypot(spread, (corrected - less_corrected) / 2)
    reach = critical_values(settings["level"], df) * error
    why = [
        units.no_variation if not e > 0 else ALONE if g < 1 else ""
        for e, g in zip(error, df, strict=True)
    ]
    return Similarities(
        plain=plain,
        corrected=corrected,
        test=test,
        low=1 - corrected - reach,
        high=1 - corrected + reach,
        error=error,
        df=df,
        plain_df=df,
        why=tuple(why),
        mean=clustered_mean(divergences, copies, codes, magnitude=1.0),
    )


def errors_over_units(moments: JackknifeMoments, df: FloatArray) -> MeanErrors:
    """Return the jackknife's variances over units as those of means, beside which people are a factor."""
    return MeanErrors(
        variance=moments.variance,
        df=df,
        clusters=df + 1,
        effective=df + 1,
        largest=np.zeros(len(df)),
        plain=moments.variance,
        rounding=moments.rounding,
    )


def drawn_within_units(
    people: RaterCounts, units: ComparedSources, shared: IntArray, side: int
) -> DrawnRaters | None:
    """Return what people who are a sample add to the mean divergence within units, by its derivative.

    The divergence of shares p and q with the mean m has the derivative log2(p / m) / 2 by the share p of a level.

    Parameters
    ----------
    people : RaterCounts
    units : ComparedSources
        The units that both sources rated.
    shared : (units,) int64 array
        Their places among all units.
    side : int
        0 for people of the first source, 1 for those of the second.
    """
    copies, cells = units.copies, units.cells
    place = np.full(int(max(people.unit.max(initial=0), shared.max())) + 1, -1)
    place[shared] = np.arange(len(shared))
    inside = place[people.unit] >= 0
    if not inside.any():
        return None
    ratings = RaterCounts(
        unit=place[people.unit[inside]], rater=people.rater[inside], counts=people.counts[inside]
    )
    every = np.ones(len(shared), dtype=bool)
    rows, weight, cluster = ratings.rows(copies, units.codes, every)
    unit = ratings.unit[rows]
    p, q = (counts / counts.sum(axis=1, keepdims=True) for counts in units.sides)
    if side:
        p, q = q, p
    # the derivative by the share of a level that the source gave
    slope = np.log2(np.divide(2 * p, p + q, out=np.ones_like(p), where=p > 0)) / 2
    ratings_of_unit = np.bincount(unit, weight, len(shared)) / copies
    share = weight / ratings_of_unit[unit]
    moved = ((ratings.counts[rows] - p[unit]) * slope[unit]).sum(axis=1) * share
    by_cell = np.equal.outer(cells.codes[unit], np.arange(cells.size))
    by_cell = by_cell / np.bincount(cells.codes, copies, cells.size)
    groups = [np.full(len(rows), 1 / copies.sum())]
    if cells.labels:
        groups += [*by_cell.T, by_cell.mean(axis=1)]
    weight_of_group = np.column_stack(groups)
    shares = share[:, None] * weight_of_group
    return DrawnRaters(
        scores=moved[:, None] * weight_of_group,
        shares=shares / shares.sum(axis=0),
        cluster=dense_codes(cluster)[0],
        rater=dense_codes(ratings.rater[rows])[0],
    )


def mean_of_column(sums: FloatArray, *, column: int) -> FloatArray:
    """Mean over units of one of three values, from their sums and the number of units in the last column."""
    return np.asarray(sums[..., column] / sums[..., 3])

"""Pairs as cells: their differences up to rounding, ties, names, clusters and intervals of the mean."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray, size_unit
from socialstats.designs.cells import mass
from socialstats.designs.means import MEAN_EPSILON
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import DesignError, InputError
from socialstats.inference.clustered_mean import ClusteredMean
from socialstats.inference.weights import EFFECTIVE
from socialstats.resampling import (
    Interval,
    PlanUnits,
    bootstrap_sums,
    choose,
    jackknife_sums,
    studentized,
)
from socialstats.results import Result
from socialstats.text import count, count_with_noun, listing, shorten
from socialstats.voice import option

IGNORING = "ignoring clusters"  # the group of rows that take units as independent
ROUNDING_ERRORS = 8  # rounding errors that two differences of two values can be apart
LEFT = 1e-13  # share of a sum of squares that rounding can leave of a sum that is 0
MOST_LABEL = 30


def clusters_by_factor(factors: Sequence[Factor], codes: Sequence[IntArray]) -> dict[str, int]:
    """Count the clusters of each factor among some units, for the counts of a result."""
    return {
        f"clusters of '{shorten(f.name)}'": len(np.unique(c))
        for f, c in zip(factors, codes, strict=True)
    }


def sample_text(result: Result, key: str, noun: str) -> str:
    """State how many units (or pairs) a result is about, and in how many clusters."""
    names = [
        f"of '{shorten(factor.name)}'"
        for factor in result.design.factors(result.settings["cluster"])
    ]
    clusters = [
        count(result.counts[f"clusters {name}"], f"cluster {name}", f"clusters {name}")
        for name in names
    ]
    return count(result.counts[key], noun) + (f" in {listing(clusters)}" if clusters else "")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairValues:
    """Pairs as cells.

    Attributes
    ----------
    difference : (cells,) float64 array
        First minus second. Differences that are equal up to rounding are equal, those of rounding only are 0.
    first, second, count : (cells,) float64 arrays
    n : int
        Pairs.
    magnitude : float
        Largest size of a value.
    tolerance : (cells,) float64 array
        What rounding can make of two equal differences, from the precision of the values' type.
    weight : (cells,) float64 array, or None
        Sampling weight of each pair of a cell.
    """

    difference: FloatArray
    first: FloatArray
    second: FloatArray
    count: FloatArray
    n: int
    magnitude: float
    tolerance: FloatArray
    weight: FloatArray | None = None

    @property
    def mass(self) -> FloatArray:
        """(cells,) float64 array: what each cell weighs; sums to `n`."""
        return mass(self.count, self.weight)

    def in_size_unit(self) -> tuple[PairValues, float]:
        """Return the values divided by their `size_unit`, and the unit."""
        unit = size_unit(self.first, self.second)
        names = ("difference", "first", "second", "magnitude", "tolerance")
        return (
            self
            if unit == 1
            else replace(self, **{name: getattr(self, name) / unit for name in names})
        ), unit


def pair_values(design: Paired) -> PairValues:
    """Return the values of a design's pairs.

    Raises
    ------
    DesignError
        For nominal values, fewer than two pairs, or differences beyond the largest float.
    """
    with np.errstate(over="ignore"):
        raw = design.difference
    n = design.n_pairs
    if n < 2:
        raise DesignError(
            f"{design.source}: a paired comparison needs at least 2 pairs; there is {n}"
        )
    if not np.all(np.isfinite(raw)):
        raise DesignError(
            f"{design.source}: differences are beyond the largest number, 1.8e308. Use a larger unit"
        )
    size = np.maximum(np.abs(design.first), np.abs(design.second))
    # means of repeats have few digits: what is left of equal differences is their rounding
    if design.repeats is not None and np.ptp(raw) <= 4 * MEAN_EPSILON * size.max():
        raw = np.full_like(raw, np.mean(raw))
    tolerance = ROUNDING_ERRORS * design.epsilon * size
    return PairValues(
        difference=merge_ties(raw, tolerance),
        first=design.first,
        second=design.second,
        count=design.count,
        n=n,
        magnitude=float(size.max()),
        tolerance=tolerance,
        weight=design.weight,
    )


def merge_ties(values: FloatArray, tolerance: FloatArray | float) -> FloatArray:
    """Give values that differ by rounding only one value, and 0 to those next to it; signs stay symmetric.

    1.1 - 0.1 and 1.3 - 0.3 are not the same float; ranks and ties need them to be. Sizes next to each other are one
    where they differ by the larger tolerance at most. Where such steps lead farther than the tolerance, the values lie
    too densely for ties to be told, and stay as they are.

    Parameters
    ----------
    values : (k,) float64 array
    tolerance : (k,) float64 array or float

    Examples
    --------
    >>> merge_ties(np.array([1.1 - 0.1, 1.3 - 0.3, -1e-17, -1.0]), 1e-15).tolist()
    [1.0, 1.0, 0.0, -1.0]
    """
    size = np.abs(values)
    order = np.argsort(size, kind="stable")
    # 0 stands first: sizes next to it become 0
    ordered = np.concatenate([[0.0], size[order]])
    allowed = np.concatenate(
        [[0.0], np.broadcast_to(np.asarray(tolerance, dtype=np.float64), size.shape)[order]]
    )
    # a chain: sizes of which each is within the tolerance of the next; the first begins at 0
    begins = np.diff(ordered) > np.maximum(allowed[1:], allowed[:-1])
    chain = np.concatenate([[0], np.cumsum(begins)])
    starts = np.flatnonzero(np.concatenate([[True], begins]))
    tolerance_of_chain = np.maximum.reduceat(allowed, starts)[chain]
    chain_end = np.append(ordered[starts[1:] - 1], ordered[-1])[chain]
    dense = chain_end - ordered[starts][chain] > tolerance_of_chain
    # group 0 is next to zero; sizes of a dense chain stay apart
    group = np.cumsum(begins | (dense[1:] & (np.diff(ordered) > 0)))
    size_of_group = np.zeros(int(group[-1]) + 1)
    np.maximum.at(size_of_group, group, size[order])
    size_of_group[0] = 0.0
    merged_size = np.empty(len(values))
    merged_size[order] = size_of_group[group]
    return np.sign(values) * merged_size + 0.0  # + 0.0: no negative zero


def checked_number(value: float, name: str) -> float:
    """Return a finite number, or raise InputError."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.number)
        or not math.isfinite(value)
    ):
        raise InputError(f"{name} must be a finite number, not {value!r}")
    return float(value)


def condition_names(design: Paired) -> tuple[str, str]:
    """Return the two conditions cut for display."""
    first, second = design.conditions
    return shorten(first, MOST_LABEL), shorten(second, MOST_LABEL)


def cluster_counts(factors: Sequence[Factor]) -> dict[str, int]:
    """Return the number of levels of each factor, keyed by what is counted."""
    return {f"clusters ({shorten(f.name, MOST_LABEL)})": len(np.unique(f.codes)) for f in factors}


def clusters_text(counts: Mapping[str, int]) -> str:
    """Return where the pairs are, from a result's counts: '' or ' in 29 clusters (scenario) x 50 clusters (writer)'."""
    factors = [
        count_with_noun(n, name)
        for name, n in counts.items()
        if name != "pairs" and not name.startswith(EFFECTIVE)
    ]
    return f" in {' x '.join(factors)}" if factors else ""


def whole_df(df: float) -> float | None:
    """Return degrees of freedom for a header: an int where they are whole, None where they do not exist."""
    if math.isnan(df):
        return None
    return int(df) if df == int(df) else df


def fit_of_mean(mean: ClusteredMean, nobs: int, method: str, **drawn: Any) -> dict[str, Any]:
    """Return the fit of a result whose first row is a mean; of clusters also effective df and the largest share.

    `drawn` has the options of resamples, where there are any.
    """
    # where units are independent, the row itself has its df
    clustered = bool(mean.clusters) and not mean.undefined
    return {
        "nobs": nobs,
        "n_clusters": mean.n_clusters,
        "df": whole_df(mean.df),
        "method": method,
        **drawn,
        "effective_df": mean.df if clustered else None,
        "largest_leverage": mean.largest if clustered else None,
    }


def mean_interval(
    values: FloatArray,
    count: FloatArray,
    codes: Sequence[IntArray],
    *,
    ci: str,
    level: float,
    resamples: int,
    seed: int,
    magnitude: float | None = None,
) -> Interval:
    """Bootstrap interval of a mean, resampling pairs, clusters, or two crossed factors.

    Parameters
    ----------
    values, count : (cells,) arrays
    codes : sequence of (cells,) int64 arrays
        None, one or two factors.
    ci : {"percentile", "basic", "bca", "studentized"}
        The last two need pairs or one factor.
    level, resamples, seed
        As in `socialstats.resampling`.
    magnitude : float, optional
        Largest size of the numbers that `values` were computed from; default the largest size in `values`.

    Raises
    ------
    InputError
        For BCa or studentized intervals of two crossed factors.
    """
    if len(codes) == 2 and ci in ("bca", "studentized"):
        raise InputError(
            f"{option('ci', ci)} needs pairs or one cluster factor, not two crossed ones; use 'percentile' or 'basic'"
        )
    magnitude = float(np.abs(values).max()) if magnitude is None else magnitude
    unit = size_unit(values)
    if unit != 1:
        interval = mean_interval(
            values / unit,
            count,
            codes,
            ci=ci,
            level=level,
            resamples=resamples,
            seed=seed,
            magnitude=magnitude / unit,
        )
        return replace(interval, low=interval.low * unit, high=interval.high * unit)
    centre = float(count @ values / count.sum())
    x = values - centre
    units = PlanUnits.clusters(*codes) if codes else PlanUnits.rows(count)
    if ci == "studentized":
        return studentized_mean(
            x,
            count,
            units,
            centre,
            level=level,
            resamples=resamples,
            seed=seed,
            magnitude=magnitude,
        )
    table = np.column_stack([x * count, count])

    def mean(sums: FloatArray) -> FloatArray:
        # crossed factors: a resample may hold no pair
        with np.errstate(invalid="ignore", divide="ignore"):
            return centre + sums[:, :1] / sums[:, 1:]

    boot = bootstrap_sums(table, mean, units, resamples=resamples, seed=seed, size=magnitude)
    jack = jackknife_sums(table, mean, units, size=magnitude) if ci == "bca" else None
    return choose(ci, boot, level=level, jack=jack)


def studentized_mean(
    x: FloatArray,
    count: FloatArray,
    units: PlanUnits,
    centre: float,
    *,
    level: float,
    resamples: int,
    seed: int,
    magnitude: float,
) -> Interval:
    """Studentized interval of a mean: every resample has its own CR1 error (pairs: sd/sqrt(n)).

    V* = G/(G-1) sum_g (s_g - n_g m*)^2 / n*^2 over the G units drawn, from sums of s^2, s n and n^2.
    """
    if units.copies is None:
        s: FloatArray = np.bincount(units.unit, x * count, units.n_units).astype(np.float64)
        n: FloatArray = np.bincount(units.unit, count, units.n_units).astype(np.float64)
        copies, drawn_units = np.ones(units.n_units), PlanUnits.clusters(np.arange(units.n_units))
    else:
        s, n, copies, drawn_units = x, np.ones(len(x)), count, units
    table = np.column_stack([s, n, s**2, s * n, n**2, np.ones(len(s))]) * copies[:, None]

    def with_error(sums: FloatArray) -> FloatArray:
        total, size, ss, sn, nn, groups = sums.T
        mean = total / size
        squares = ss - 2 * mean * sn + mean**2 * nn
        # what equal values leave is rounding
        squares = np.where(squares > LEFT * (ss + mean**2 * nn), squares, 0.0)
        return np.column_stack([centre + mean, np.sqrt(groups / (groups - 1) * squares) / size])

    boot = bootstrap_sums(
        table, with_error, drawn_units, resamples=resamples, seed=seed, size=magnitude
    )
    means = type(boot)(
        estimate=boot.estimate[:1],
        replicates=boot.replicates[:, :1],
        n_degenerate=boot.n_degenerate[:1],
        units=boot.units,
        seed=boot.seed,
        scheme=boot.scheme,
        size=boot.size,
    )
    return studentized(
        means, std_error=boot.estimate[1:], std_errors=boot.replicates[:, 1:], level=level
    )

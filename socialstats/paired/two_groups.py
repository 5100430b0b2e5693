"""Estimators of two independent groups: their difference with and without clusters, Fisher's exact test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr

from socialstats.arrays import FloatArray, size_unit
from socialstats.designs.groups import Groups
from socialstats.designs.parts import Factor
from socialstats.errors import DesignError
from socialstats.inference.clustered_mean import (
    ClusteredMean,
    clustered_mean,
    difference_of_clustered_means,
    mean_in_unit,
)
from socialstats.inference.intervals import not_zero
from socialstats.paired.pair_values import clusters_text
from socialstats.resampling import Alternative
from socialstats.results import Result, Row
from socialstats.text import shorten

MOST_TABLES = 2_000_000  # tables of the same margins that are added up
REACH = 45.0  # standard deviations from the mode beyond which chances are below the smallest float
ALIKE = "the values of each group are all alike: no standard error, no test"
TIED = 1e-7  # chances that differ by less tie, as in R


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TwoGroupMeans:
    """The means of two groups, and the first minus the second.

    Attributes
    ----------
    first, second, difference : ClusteredMean
    crossed : bool
        Whether a cluster has units of both groups.
    """

    first: ClusteredMean
    second: ClusteredMean
    difference: ClusteredMean
    crossed: bool

    @property
    def sides(self) -> tuple[ClusteredMean, ClusteredMean]:
        """Both means."""
        return self.first, self.second


def group_means(
    design: Groups, values: FloatArray, factors: Sequence[Factor] = ()
) -> TwoGroupMeans:
    """Estimate both means and their difference.

    Parameters
    ----------
    design : Groups
    values : (cells,) float64 array
    factors : sequence of Factor
        Clusters, which may have units of both groups.

    Notes
    -----
    Independent units: s.e. = sqrt(s1^2 / n1 + s2^2 / n2), with Welch's (1947) degrees of freedom. With weights s^2 / n
    and n - 1 of each group are those of `socialstats.inference.means.sampled_errors`. Clusters: CR2 of both
    means together (`socialstats.inference.means.difference_errors`). Values of one group that are all alike leave the
    variance of the other.

    Raises
    ------
    DesignError
        For a difference beyond the largest float.
    """
    unit = size_unit(values)
    x, codes, first = values / unit, [factor.codes for factor in factors], design.group == 0
    size = float(np.abs(x).max())
    sides, weight = [], design.weight
    for in_group in (first, ~first):
        group_weight = None if weight is None else weight[in_group]
        mean = clustered_mean(
            x[in_group],
            design.count[in_group],
            [code[in_group] for code in codes],
            magnitude=size,
            weight=group_weight,
        )
        sides.append(mean_in_unit(mean, unit, values[in_group][0]))
    count = design.count[:, None] * np.column_stack([first, ~first])
    gap = difference_of_clustered_means(
        np.column_stack([x, x]), count, codes, magnitude=size, allow_constant=True, weight=weight
    )
    if not factors and not gap.undefined:
        # Welch (1947): (v1 + v2)^2 / (v1^2 / df1 + v2^2 / df2)
        group_df = np.array([side.n - 1 if side.undefined else side.df for side in sides])
        variances = np.array(
            [0.0 if side.undefined else (side.std_error / unit) ** 2 for side in sides]
        )
        variances /= variances.max()
        gap = replace(gap, df=float(variances.sum() ** 2 / (variances**2 / group_df).sum()))
    gap = mean_in_unit(gap, unit, values[0])
    if not np.isfinite(gap.mean):
        raise DesignError(
            f"{design.source}: the difference is beyond the largest number, 1.8e308. Use a larger unit"
        )
    if gap.undefined and gap.sd == 0:
        gap = replace(gap, undefined=ALIKE)
    return TwoGroupMeans(
        first=sides[0],
        second=sides[1],
        difference=gap,
        crossed=has_crossing_clusters(design, factors),
    )


def has_crossing_clusters(design: Groups, factors: Sequence[Factor]) -> bool:
    """Return whether a cluster of some factor has units of both groups."""
    first = design.group == 0
    return any(
        len(np.intersect1d(factor.codes[first], factor.codes[~first])) > 0 for factor in factors
    )


def check_sizes(design: Groups) -> None:
    """Refuse a group of a single unit, whose spread is unknown."""
    for name, n in zip(design.groups, design.n_units, strict=True):
        if n < 2:
            raise DesignError(
                f"{design.source}: '{shorten(name)}' has a single unit, and a group needs at least 2"
            )


def fisher_exact(
    hits: Sequence[float], n: Sequence[float], alternative: Alternative = "two_sided"
) -> float | None:
    """Return the p of Fisher's (1935) exact test of two shares; None where there are too many tables.

    The p-value is the chance of the tables with the same margins that are at most as likely as the one seen. One-sided,
    it is that of the tables with at least (``"less"``: at most) as many ones in the first group.

    Parameters
    ----------
    hits, n : pairs of numbers
        Units with a 1, and all units, of either group.
    alternative : {"two_sided", "greater", "less"}

    Examples
    --------
    >>> round(fisher_exact((56, 48), (70, 80)), 6), fisher_exact((3, 4), (3, 4))
    (0.012521, 1.0)
    >>> round(fisher_exact((56, 48), (70, 80), "greater"), 6)
    0.006325
    """
    first, second = map(float, n)
    total, ones = first + second, float(sum(hits))
    low, high = max(0.0, ones - second), min(ones, first)
    # standard deviation and mode of the hypergeometric number of ones in the first group
    share = ones / total
    sd = float(np.sqrt(first * share * (1 - share) * second / max(total - 1, 1.0)))
    mode = float(np.floor((first + 1) * (ones + 1) / (total + 2)))
    low, high = max(low, mode - REACH * sd - REACH), min(high, mode + REACH * sd + REACH)
    if high - low > MOST_TABLES:
        return None
    k = np.arange(np.ceil(low), np.floor(high) + 1)
    step = k[:-1]
    # log of the chance of k + 1 over that of k
    ratio = np.log((ones - step) * (first - step)) - np.log((step + 1) * (second - ones + step + 1))
    chance = np.append(0.0, np.cumsum(ratio))
    chance = np.exp(chance - chance.max())
    observed = np.flatnonzero(k == hits[0])
    if alternative != "two_sided":
        tail = k >= hits[0] if alternative == "greater" else k <= hits[0]
    elif len(observed):
        tail = chance <= chance[observed[0]] * (1 + TIED)
    else:
        tail = np.zeros(len(k), dtype=bool)
    p = float(not_zero(chance[tail].sum() / chance.sum()))
    return min(p, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Superiority:
    """Probability that a unit of the first group has a higher value than one of the second; ties count a half.

    Attributes
    ----------
    estimate : float
    placement : (cells,) float64 array
        Share of the other group that lies below each cell's value; ties count a half.
    error : ClusteredMean
        `mean` is twice the estimate less 1; `std_error` and `df` are those of the estimate (Brunner & Munzel 2000).
    """

    estimate: float
    placement: FloatArray
    error: ClusteredMean


def cluster_place(counts: Mapping[str, int]) -> str:
    """Return the clusters among the counts of a result, in words."""
    return clusters_text({what: n for what, n in counts.items() if what != "units"})


def superiority(design: Groups, factors: Sequence[Factor] = ()) -> Superiority:
    """Estimate the probability of superiority from placements.

    Notes
    -----
    With u_i the share of the second group below unit i of the first (ties count a half), and v_j likewise, the estimate
    is the mean of u. To first order it moves with mean(u) - mean(v), whose standard error and degrees of freedom are
    those of Welch's test of the placements. Brunner and Munzel's (2000) are the same. Clusters: CR2 of that difference.
    """
    levels, level = np.unique(design.value, return_inverse=True)
    table = np.zeros((2, len(levels)))
    np.add.at(table, (design.group, level), design.count)
    below = np.cumsum(table, axis=1) - table / 2
    placement = (below / table.sum(axis=1, keepdims=True))[1 - design.group, level]
    means = group_means(design, placement, factors)
    return Superiority(estimate=means.first.mean, placement=placement, error=means.difference)


MOST_EXACT = 60  # units up to which the exact distribution of a rank sum is made


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSum:
    """The Wilcoxon-Mann-Whitney test.

    Attributes
    ----------
    u : float
        Pairs of units in which the first group has the higher value; ties count a half.
    p_value : float
    exact : bool
        Whether p is of the exact distribution given the ties, else of the normal one with continuity correction.
    """

    u: float
    p_value: float
    exact: bool


def rank_sum(design: Groups, alternative: Alternative = "two_sided") -> RankSum | None:
    """Test whether two groups have one distribution, by the sum of ranks; None where all values tie.

    Up to 60 units p is exact, twice the smaller tail of the sum over all ways to choose the first group, given the
    ties. Else it is normal, with the variance for ties and continuity correction, as in R. One-sided p are of one tail:
    ``"greater"`` of sums at least as large, with the correction towards the other tail.
    """
    _, level = np.unique(design.value, return_inverse=True)
    ties = np.bincount(level, design.count).astype(np.float64)
    first = np.bincount(level, design.count * (design.group == 0), len(ties))
    n, m = float(first.sum()), float((ties - first).sum())
    ranks = np.cumsum(ties) - (ties - 1) / 2
    u = float(first @ ranks - n * (n + 1) / 2)
    if len(ties) < 2:
        return None
    if n + m <= MOST_EXACT:
        p = exact_rank_sum(np.round(2 * ranks), ties, int(n), float(first @ ranks), alternative)
        return RankSum(u=u, p_value=p, exact=True)
    total = n + m
    variance = n * m / 12 * (total + 1 - float((ties**3 - ties).sum()) / (total * (total - 1)))
    gap = u - n * m / 2
    if alternative == "two_sided":
        p = float(not_zero(2 * ndtr(-max(abs(gap) - 0.5, 0.0) / np.sqrt(variance))))
    else:
        toward = gap if alternative == "less" else -gap
        p = float(not_zero(ndtr((0.5 + toward) / np.sqrt(variance))))
    return RankSum(u=u, p_value=min(p, 1.0), exact=False)


def exact_rank_sum(
    doubled: FloatArray,
    ties: FloatArray,
    n: int,
    observed: float,
    alternative: Alternative = "two_sided",
) -> float:
    """Return a tail of the sum of n of some ranks, which are doubled so that they are whole; or twice the smaller one.

    Examples
    --------
    >>> exact_rank_sum(np.array([2.0, 4.0, 6.0, 8.0]), np.ones(4), 2, 3.0)
    0.3333333333333333
    >>> exact_rank_sum(np.array([2.0, 4.0, 6.0, 8.0]), np.ones(4), 2, 3.0, "less")
    0.16666666666666666
    """
    ranks = np.repeat(doubled, ties.astype(int))
    largest = int(sum(np.sort(ranks)[::-1][:n]))
    # ways[i, s]: how many sets of i of the ranks so far have the sum s
    ways = np.zeros((n + 1, largest + 1))
    ways[0, 0] = 1.0
    for rank in ranks.astype(int).tolist():
        ways[1:, rank:] += ways[:-1, : largest + 1 - rank].copy()
    chance = ways[n] / ways[n].sum()
    rank_sum = round(2 * observed)
    below, above = float(chance[: rank_sum + 1].sum()), float(chance[rank_sum:].sum())
    p = {"two_sided": 2 * min(below, above), "greater": above, "less": below}[alternative]
    return min(1.0, p)


def groups_and_difference(result: Result) -> list[Row]:
    """Return the estimates of both groups above their difference, for a figure."""
    # a reader compares the groups first
    difference, *groups = result.rows[:3]
    return [*groups, difference]

"""Rows of the shares of two independent groups, and one-sided tests of their difference against a margin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.cells import kish, mass, unequal
from socialstats.designs.groups import Groups
from socialstats.designs.parts import Factor
from socialstats.errors import DesignError, InputError
from socialstats.inference.compare import with_both_intervals
from socialstats.inference.dependence import cluster_factors
from socialstats.inference.intervals import not_zero
from socialstats.inference.margins import Tested, TwoTests
from socialstats.inference.proportions import clustered_share, wilson
from socialstats.inference.rows import with_ends, with_mean, with_share
from socialstats.inference.weights import NAMED
from socialstats.paired.two_groups import TwoGroupMeans, group_means
from socialstats.results import Row
from socialstats.text import quoted
from socialstats.voice import Word, option

DIFFERENCE_RANGE = (-1.0, 1.0)
NEWCOMBE, MOVER = "Newcombe (method 10)", "MOVER of both intervals"
BY_CLUSTER = "Wilson, effective number of units"
WELCH = "Welch's t"
CR2 = "cluster-robust t (CR2, Satterthwaite df)"
NARROW = 1e-13  # levels between which no p-value of interest lies


def level_indicator(design: Groups, choice: str | None) -> tuple[FloatArray, str]:
    """Return what each cell adds to a share, and the label of the level.

    Raises
    ------
    DesignError, InputError
        For values without levels, several levels without a choice, and a choice that is no level.
    """
    levels = design.levels
    if design.repeats is not None and design.repeats.share_of:
        if choice not in (None, design.repeats.share_of):
            raise InputError(
                f"{option('choice', choice)}: the values are shares of '{design.repeats.share_of}'"
            )
        return design.value, design.repeats.share_of
    if not levels:
        say = option("levels", (Word("ZERO"), Word("ONE")))
        raise DesignError(
            f"{design.source}: the values are numbers, and shares need levels ({say}). two_means "
            "compares numbers. Successes and sizes: two_proportions(count=[14, 32], "
            "nobs=[70, 80])"
        )
    if choice is None and design.scale != "binary":
        raise DesignError(
            f"{design.source}: {option('choice', levels[-1])} says of which level the shares are. "
            f"Levels: {quoted(levels, 8)}"
        )
    label = levels[-1] if choice is None else choice
    if label not in levels:
        raise InputError(f"{option('choice', label)}: no such level. Levels: {quoted(levels, 8)}")
    return (design.value == levels.index(label)).astype(np.float64), label


def group_share_row(
    design: Groups, ones: FloatArray, side: int, factors: Sequence[Factor], level: float
) -> Row:
    """Row of the share of one group, with Wilson's interval."""
    in_group, name = design.group == side, design.groups[side]
    x, n = ones[in_group], design.count[in_group]
    weight = None if design.weight is None else unequal(design.weight[in_group])
    unit_mass, total = mass(n, weight), float(n.sum())
    p = float(unit_mass @ x / unit_mass.sum())
    plain = not factors and design.repeats is None and not design.weighted
    row = Row(
        term=name,
        group="share",
        key=(("group", name),),
        role="estimate",
        estimate=p,
        n=total,
        n_units=int(total),
        limits=(0.0, 1.0),
        method="Wilson" if plain else BY_CLUSTER + NAMED * design.weighted,
    )
    if plain:
        low, high = wilson(np.array([p]), np.array([total]), level=level)
        error = math.sqrt(p * (1 - p) / total) or None
        return with_ends(
            row, float(low[0]), float(high[0]), level, std_error=error, interval="score"
        )
    codes, answers = [factor.codes[in_group] for factor in factors], total
    if design.repeats is not None:
        answers = float(design.repeats.of_source(name).answers.sum())
    # unequal sampling weights make the answers worth fewer
    answers *= kish(n, weight) / total
    mean = clustered_share(
        x, unit_mass, codes, trials=answers, level=level, alike=n, sampled=weight is not None
    )
    n_clusters = min((len(np.unique(c)) for c in codes), default=None)
    row = replace(row, estimate=mean.estimate, n_clusters=n_clusters)
    return with_share(row, mean, level, clustered=bool(codes) or design.weighted)


def group_share_rows(
    design: Groups, ones: FloatArray, factors: Sequence[Factor], level: float
) -> tuple[Row, ...]:
    """Rows of the shares of both groups."""
    # the first group stands first, as in their difference
    return tuple(group_share_row(design, ones, side, factors, level) for side in (0, 1))


def share_difference_row(
    design: Groups, shares: Sequence[Row], means: TwoGroupMeans, plain: bool, level: float
) -> tuple[Row, str]:
    """Row of the difference, without Fisher's p; and the name of its test."""
    gap = means.difference
    row = Row(
        term="difference",
        role="difference",
        key=(("group", design.groups[0]), ("minus", design.groups[1])),
        estimate=gap.mean,
        n=float(design.n_rows),
        n_units=design.n_rows,
        limits=DIFFERENCE_RANGE,
        n_clusters=gap.n_clusters,
        method=NEWCOMBE if plain else MOVER,
    )
    first, second = shares
    test = CR2 if gap.clusters or design.repeats is not None else WELCH
    if plain:
        error = math.hypot(first.std_error or 0.0, second.std_error or 0.0) or None
        row = with_both_intervals(
            row, first, second, within=DIFFERENCE_RANGE, interval="score", std_error=error
        )
        return row, "Fisher's exact test"
    # clusters with units of both groups: intervals of the shares are not independent
    if means.crossed:
        return with_mean(replace(row, method=CR2), gap, level, within=DIFFERENCE_RANGE), CR2
    row = with_both_intervals(row, first, second, within=DIFFERENCE_RANGE, interval="score")
    if gap.undefined:
        return replace(row, undefined=row.undefined or f"no test: {gap.undefined}"), test
    return replace(
        row, std_error=gap.std_error, statistic=gap.t(), df=gap.df, p_value=gap.p_value(), test="t"
    ), test


def margin_tests(design: Groups, choice: str, cluster: str | Sequence[str] | None) -> Tested:
    """Return the one-sided tests of a difference of shares that its intervals invert.

    p is (1 - L) / 2 of the level L at which an end of the interval is the bound. A test at 1 - `level` then rejects
    where the interval at 2 `level` - 1 excludes the bound.
    """
    ones, _ = level_indicator(design, choice)
    factors = cluster_factors(design, cluster)
    means = group_means(design, ones, factors)
    plain = not factors and design.repeats is None and not design.weighted

    def difference_at(level: float) -> Row:
        shares = group_share_rows(design, ones, factors, level)
        return share_difference_row(design, shares, means, plain, level)[0]

    def p_above(bound: float, sign: float) -> float:
        """One-sided p of a difference above the bound, below it with sign -1."""
        gap = sign * (means.difference.mean - bound)
        is_low = (gap < 0) != (sign > 0)  # the limit that meets the bound
        # bisection for the level at which the limit is the bound
        low, high = 0.0, 1.0
        while high - low > NARROW:
            middle = (low + high) / 2
            row = difference_at(middle)
            limit = row.conf_low if is_low else row.conf_high
            inside = limit is not None and (limit - bound) * (1 if is_low else -1) > 0
            low, high = (middle, high) if inside else (low, middle)
        tail = float(not_zero((1 - low) / 2))
        return tail if gap >= 0 else 1 - tail

    def tested(row: Row, bounds: tuple[float, float], level: float) -> tuple[TwoTests, Row]:
        difference = difference_at(round(2 * level - 1, 12))
        if difference.conf_low is None or difference.conf_high is None:
            raise InputError(
                f"{row.name}: no interval, and so no test against a margin: {difference.undefined}"
            )
        tests = TwoTests(
            above=math.nan,
            below=math.nan,
            p_above=p_above(bounds[0], 1.0),
            p_below=p_above(bounds[1], -1.0),
            interval=(difference.conf_low, difference.conf_high),
            df=None,
        )
        return tests, replace(difference, statistic=None, p_value=None, df=None, test=None)

    return tested

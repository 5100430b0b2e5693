"""Comparisons of numbers, and Wilcoxon's exact p of tied ranks, for rechecks that have functions of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.paired_tables import CLOSED, set_aside
from socialstats.results import Check

SIDES: dict[str, Any] = {"two_sided": "two-sided", "greater": "greater", "less": "less"}
RANKS = "sums of mid-ranks with binomial numbers of positive ones; scipy's exact test has no ties"


def skipped(quantity: str, package: str, note: str) -> Check:
    """A number that the peer does not have."""
    return set_aside(quantity, None, None, package, note)


def near(
    name: str,
    ours: float | None,
    theirs: float,
    package: str,
    why: str = CLOSED,
    relative: float = 1e-8,
) -> Check:
    """Compare two numbers, to a tolerance relative to the larger of 1 and their size."""
    if ours is None and not np.isfinite(theirs):
        return skipped(name, package, "undefined on both sides")
    return compare(
        name, ours, theirs, package=package, tolerance=relative * max(1.0, abs(theirs)), why=why
    )


def exact_rank_p(d: FloatArray, alternative: str) -> float:
    """Return the p-value of the sum of positive mid-ranks, from its distribution over all patterns of signs.

    Differences of one size have one mid-rank, and a binomial number of them is positive. Doubled ranks are whole.

    Examples
    --------
    >>> exact_rank_p(np.array([1.0, 1, 1, 1, 2]), "two_sided")
    0.0625
    """
    from scipy.stats import binom, rankdata

    doubled = np.round(2 * rankdata(np.abs(d))).astype(np.int64)
    doubled //= np.gcd.reduce(doubled)
    chance = np.ones(1)
    for rank, times in zip(*np.unique(doubled, return_counts=True), strict=True):
        wider = np.zeros(len(chance) + int(rank * times))
        for positive in range(int(times) + 1):
            start = int(positive * rank)
            wider[start : start + len(chance)] += binom.pmf(positive, times, 0.5) * chance
        chance = wider
    seen = int(doubled[d > 0].sum())
    above, below = float(chance[seen:].sum()), float(chance[: seen + 1].sum())
    if alternative == "two_sided":
        return min(1.0, 2 * min(above, below))
    return above if alternative == "greater" else below

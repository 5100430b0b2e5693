"""One difference of two paired shares with its test, for independent pairs or with clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from socialstats.inference.clustered_mean import clustered_mean
from socialstats.inference.paired_score import paired_score
from socialstats.inference.proportions import ONE_CLUSTER
from socialstats.models.mcnemar import Cells, mid_p
from socialstats.models.paired_proportions import tango, wald_std_error
from socialstats.resampling.units import FloatArray, IntArray

CLUSTERED_SCORE = "Tango's score interval and test for clusters"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareDifference:
    """First share minus second.

    Attributes
    ----------
    estimate : float
    std_error, low, high, statistic, df, p : float or None
    method : str
    undefined : str
        Why interval or test are missing.
    """

    estimate: float
    std_error: float | None = None
    low: float | None = None
    high: float | None = None
    statistic: float | None = None
    df: float | None = None
    p: float | None = None
    method: str
    undefined: str = ""


def share_difference(
    first: FloatArray, second: FloatArray, count: FloatArray, codes: Sequence[IntArray], level: float
) -> ShareDifference:
    """Estimate and test a difference of two shares seen on the same units.

    Independent pairs: Tango's interval and McNemar's mid-p test. Clusters: t interval (cut at -1
    and 1) and test of `clustered_mean`, or those of `paired_score` where it leads (few effective discordant pairs).

    Parameters
    ----------
    first, second : (cells,) arrays of 0 and 1
    count : (cells,) float64 array
    codes : none, one or two (cells,) int64 arrays
    level : float

    Examples
    --------
    >>> x, y, n = np.array([1.0, 1, 0, 0]), np.array([1.0, 0, 1, 0]), np.array([794.0, 150, 86, 570])
    >>> found = share_difference(x, y, n, (), 0.95)
    >>> round(found.estimate, 3), round(found.low, 4), round(found.high, 4)
    (0.04, 0.0214, 0.059)
    """
    kinds = {"a": (1, 1), "b": (1, 0), "c": (0, 1), "d": (0, 0)}
    cells = Cells(**{k: float(count @ ((first == x) & (second == y))) for k, (x, y) in kinds.items()})
    if not codes:
        low, high = tango(cells, level)
        return ShareDifference(estimate=cells.difference, std_error=wald_std_error(cells) or None, low=low, high=high,
                               p=mid_p(cells).p, method="Tango's score interval; McNemar's mid-p test")  # fmt: skip
    d = np.asarray(first - second)
    score, found = paired_score(d, count, codes), clustered_mean(d, count, codes, magnitude=1.0)
    if score.df is None or np.isnan(score.n[0]):
        return ShareDifference(estimate=cells.difference, method="cluster-robust t", undefined=ONE_CLUSTER)
    error = None if found.undefined else found.std_error
    if score.leads[0] or error is None:
        low, high = (float(end[0]) for end in score.interval(level))
        return ShareDifference(
            estimate=cells.difference, std_error=error, low=low, high=high, statistic=float(score.statistic(0.0)[0]),
            df=float(score.df[0]), p=float(score.p_value(0.0)[0]), method=CLUSTERED_SCORE,
        )  # fmt: skip
    low, high = found.interval(level)
    low, high = max(low, -1.0), min(high, 1.0)
    return ShareDifference(estimate=cells.difference, std_error=error, low=low, high=high, statistic=found.t(),
                           df=found.df, p=found.p_value(), method="cluster-robust t")  # fmt: skip

"""One difference of two paired shares with its test, for independent pairs or with clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.inference.paired_score import paired_score
from socialstats.inference.proportions import ONE_CLUSTER
from socialstats.inference.rows import with_ends, with_mean
from socialstats.models.mcnemar import Cells, mid_p
from socialstats.models.paired_proportions import tango, wald_std_error
from socialstats.results.rows import Row

CLUSTERED_SCORE = "Tango's score interval and test for clusters"


def with_share_difference(
    row: Row, first: FloatArray, second: FloatArray, count: FloatArray, codes: Sequence[IntArray], level: float
) -> Row:
    """Return a row with the difference of two shares seen on the same units, its interval and test.

    Independent pairs: Tango's interval and McNemar's mid-p test. Clusters: t interval (cut at -1
    and 1) and test of `clustered_mean`, or those of `paired_score` where it leads (few effective discordant pairs).

    Parameters
    ----------
    row : Row
    first, second : (cells,) arrays of 0 and 1
    count : (cells,) float64 array
    codes : none, one or two (cells,) int64 arrays
    level : float

    Examples
    --------
    >>> x, y, n = np.array([1.0, 1, 0, 0]), np.array([1.0, 0, 1, 0]), np.array([794.0, 150, 86, 570])
    >>> found = with_share_difference(Row(term="x - y"), x, y, n, (), 0.95)
    >>> round(found.estimate, 3), round(found.conf_low, 4), round(found.conf_high, 4)
    (0.04, 0.0214, 0.059)
    """
    kinds = {"a": (1, 1), "b": (1, 0), "c": (0, 1), "d": (0, 0)}
    cells = Cells(**{k: float(count @ ((first == x) & (second == y))) for k, (x, y) in kinds.items()})
    row = replace(row, estimate=cells.difference, method="cluster-robust t")
    if not codes:
        return with_ends(row, *tango(cells, level), level, std_error=wald_std_error(cells) or None,
                         p_value=mid_p(cells).p, method="Tango's score interval; McNemar's mid-p test")  # fmt: skip
    d = np.asarray(first - second)
    score, found = paired_score(d, count, codes), clustered_mean(d, count, codes, magnitude=1.0)
    if score.df is None or np.isnan(score.n[0]):
        return replace(row, undefined=ONE_CLUSTER)
    if score.leads[0] or found.undefined:
        low, high = (float(end[0]) for end in score.interval(level))
        return with_ends(
            row, low, high, level, df=float(score.df[0]),
            std_error=None if found.undefined else found.std_error, statistic=float(score.statistic(0.0)[0]),
            p_value=float(score.p_value(0.0)[0]), method=CLUSTERED_SCORE,
        )  # fmt: skip
    return with_mean(row, found, level, within=(-1.0, 1.0))

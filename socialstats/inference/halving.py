"""How many more clusters would halve an interval."""

from __future__ import annotations

import math

from socialstats.inference.intervals import critical_value
from socialstats.results import Row


def clusters_to_halve(row: Row, clusters: int | None = None, *, df: float | None = None) -> int | None:
    """Return how many more clusters of the same kind would halve the interval of an estimate.

    The standard error is taken to fall with the root of the number of clusters, the degrees of freedom to grow in
    proportion. The result is the least n' with t(df n'/n) / sqrt(n') at most t(df) / (2 sqrt(n)), less n. It is about 3
    n, and less where df are few.

    Parameters
    ----------
    row : Row
        An estimate with its interval; `df` where the interval is one of t.
    clusters : int, optional
        Clusters behind the estimate; by default `row.n_clusters`.
    df : float, optional
        Degrees of freedom behind an interval that is not one of t, such as of inverted tests of t's.

    Returns
    -------
    int or None
        None without an interval, or where there is no number of clusters.

    Examples
    --------
    >>> from socialstats.results import Row
    >>> row = Row(term="d", estimate=1.0, conf_low=0.8, conf_high=1.2, conf_level=0.95, df=9.0, n_clusters=10)
    >>> clusters_to_halve(row), clusters_to_halve(row, 1546)
    (23, 3503)
    """
    n = row.n_clusters if clusters is None else clusters
    if not n or row.conf_low is None or row.conf_high is None or not row.conf_low < row.conf_high:
        return None
    if not math.isfinite(row.conf_low) or not math.isfinite(row.conf_high):
        return None
    level = row.conf_level or 0.95
    df = row.df if row.interval in ("t", None) else df

    def reach(m: int) -> float:
        return float(critical_value(level, None if df is None else df * m / n)) / math.sqrt(m)

    target, low, high = reach(n) / 2, n, 4 * n + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reach(middle) <= target else (middle, high)
    return high - n

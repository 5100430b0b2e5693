"""What an interval or a planned test settles: the one place where a number becomes a verdict.

Three-way: the quantity is above (or below) zero, it is practically nothing, or the data do not settle it. There is no
"no difference": an interval that holds zero leaves the question open.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.special import chdtrc

from socialstats.inference.intervals import critical_value, not_zero, two_sided_p
from socialstats.inference.rows import with_t
from socialstats.results import Row

Verdict = Literal["above", "below", "equal", "open", "differs", "none"]
Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES = ("two-sided", "greater", "less")
NULLS = {"odds_ratio": 1.0}  # what a quantity is where nothing is going on, if not 0
SAME = 1e-6  # two numbers nearer than this (relative) are one


def verdict(row: Row, *, bounds: Row | None = None, smallest: float | None = None) -> Verdict:
    """Say what the interval settles.

    Parameters
    ----------
    row : Row
        A difference with its interval.
    bounds : Row, optional
        The same difference with the interval of the test of equivalence, at level 1 - 2 alpha.
    smallest : float, optional
        Differences smaller than this, either way, are practically nothing.

    Returns
    -------
    {"above", "below", "equal", "open"}
        "equal" wherever the interval of the test of equivalence lies inside, even if it also excludes zero.

    Examples
    --------
    >>> verdict(Row(term="d", estimate=0.3, conf_low=0.1, conf_high=0.5))
    'above'
    >>> near = Row(term="d", estimate=0.0, conf_low=-0.1, conf_high=0.1)
    >>> verdict(near), verdict(near, bounds=near, smallest=0.2)
    ('open', 'equal')
    """
    if bounds is not None and smallest is not None and is_inside(bounds, smallest):
        return "equal"
    null = NULLS.get(row.term, 0.0)
    if row.conf_low is not None and row.conf_low > null:
        return "above"
    if row.conf_high is not None and row.conf_high < null:
        return "below"
    return "open"


def is_inside(bounds: Row, smallest: float) -> bool:
    """Tell whether an interval lies between minus and plus the smallest effect that matters."""
    low, high = bounds.conf_low, bounds.conf_high
    return low is not None and high is not None and -smallest < low and high < smallest


def planned_verdict(row: Row, *, alpha: float, bounds: Row | None = None, smallest: float | None = None) -> Verdict:
    """Say what a planned test settles, by its p-value (adjusted where the row has that).

    A test without direction (a chi-square of several df, or one without an estimate) can only say ``differs``. A row
    with neither p-value nor interval settles nothing: ``none``.

    Examples
    --------
    >>> planned_verdict(Row(term="d", estimate=0.3, p_value=0.01, p_adjusted=0.08), alpha=0.05)
    'open'
    >>> planned_verdict(Row(term="chi2", statistic=12.0, df=3.0, p_value=0.007), alpha=0.05)
    'differs'
    """
    if bounds is not None and smallest is not None and is_inside(bounds, smallest):
        return "equal"
    p = row.p_value if row.p_adjusted is None else row.p_adjusted
    if p is None:
        return "none" if row.conf_low is None and row.conf_high is None else verdict(row)
    if p >= alpha:
        return "open"
    null = NULLS.get(row.term, 0.0)
    if row.estimate is None or row.estimate == null:
        return "differs"
    return "above" if row.estimate > null else "below"


def equivalence_bounds(row: Row) -> Row:
    """Return the row with the interval of two one-sided tests, at level 1 - 2 alpha, where it follows from the row.

    The interval must be estimate +- critical value x s.e. (normal, or t with the row's df). Any other row is returned
    as it is: its longer interval at level 1 - alpha is the stricter test. So is one of a level of 1/2 or less, where
    1 - 2 alpha leaves no interval.

    Examples
    --------
    >>> wide = Row(term="d", estimate=0.0, std_error=1.0, conf_low=-1.959964, conf_high=1.959964, conf_level=0.95)
    >>> round(equivalence_bounds(wide).conf_high, 3)
    1.645
    """
    level = row.conf_level
    if row.estimate is None or row.std_error is None or level is None or row.conf_low is None or row.conf_high is None:
        return row
    if level <= 0.5:
        return row
    for df in dict.fromkeys((row.df, None)):
        reach = critical_value(level, df) * row.std_error
        gaps = (row.estimate - row.conf_low - reach, row.conf_high - row.estimate - reach)
        if all(abs(gap) <= SAME * reach for gap in gaps):
            return with_t(row, row.std_error, df, 2 * level - 1, test=False)
    return row


def one_sided_p(row: Row, alternative: Alternative) -> float | None:
    """Return the p-value of an alternative, or None where the row's p allows none.

    Halving is right for the two-sided p of a z, a t, or a chi-square of 1 df with an estimate that has a direction:
    p/2 on the side of the estimate, 1 - p/2 on the other.

    Examples
    --------
    >>> row = Row(term="d", estimate=1.0, statistic=1.959964, p_value=0.05)
    >>> round(one_sided_p(row, "greater"), 4), round(one_sided_p(row, "less"), 4)
    (0.025, 0.975)
    """
    p = row.p_value
    if alternative == "two-sided" or p is None:
        return p
    if row.estimate is None or row.statistic is None or not _is_two_sided(row, p):
        return None
    above = row.estimate > NULLS.get(row.term, 0.0)
    half = p / 2 if above == (alternative == "greater") else 1 - p / 2
    return float(not_zero(half))


def _is_two_sided(row: Row, p: float) -> bool:
    statistic = float(row.statistic or 0.0)
    known = [float(two_sided_p(np.array(statistic), row.df)), float(two_sided_p(np.array(statistic), None))]
    if row.df in (None, 1.0) and statistic >= 0:
        known.append(float(not_zero(chdtrc(1.0, statistic))))
    return any(abs(value - p) <= SAME * max(value, p) + 1e-300 for value in known)

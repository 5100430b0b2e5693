"""Rows with intervals and tests: what is undefined, cut, one-sided, or leaves its estimate out is decided here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from socialstats.arrays import FloatArray, size_unit
from socialstats.inference.clustered_mean import ClusteredMean, rounding
from socialstats.inference.influence import FEWEST_SPREAD, kurtosis_of, spread_ends
from socialstats.inference.intervals import critical_value, two_sided_p, wald_interval
from socialstats.results.rows import Interval, Row
from socialstats.rounding import EPS, SPARE, no_variation_reason

if TYPE_CHECKING:
    from socialstats.inference.infer import Inferred
    from socialstats.inference.proportions import Share

ANYWHERE = (-math.inf, math.inf)
NO_ENDS = "the method has no interval for these data"
NO_WIDTH = "the interval has no width"
BEYOND = "the whole interval lies beyond what is possible"
MISSED = "the interval leaves the estimate out: too few or too uneven data for this method"
SPREAD = "SD (n - 1), wider limits of Bonett's and the jackknife's t interval"
# share of an estimate (or of 1) by which rounding can put an end beyond it
ROUNDING = 1e-9


def cut_at_limits(row: Row, value: float, limits: tuple[float, float]) -> Row:
    """Return a row whose estimate is a corrected value, cut at what is possible, where its correction leads further.

    Examples
    --------
    >>> cut_at_limits(Row(term="S", method="jackknife t"), -0.3, (0.0, 225.0)).method
    'jackknife t, cut at 0, beyond which its correction leads'
    """
    inside = min(max(value, limits[0]), limits[1])
    end = "" if inside == value else f", cut at {inside:g}, beyond which its correction leads"
    return replace(row, estimate=inside, method=f"{row.method}{end}")


def with_ends(
    row: Row,
    low: float | None,
    high: float | None,
    level: float,
    *,
    why: str | None = "",
    within: tuple[float, float] = ANYWHERE,
    hold: bool = False,
    **fields: Any,
) -> Row:
    """Return a row with its interval, or with the reason why it has none.

    An infinite end is left out (a one-sided interval). An end that rounding put beyond the estimate is the estimate; an
    interval that leaves the estimate out by more is none. So is one without width, but for ranks.

    Parameters
    ----------
    row : Row
        With its estimate.
    low, high : float or None
        None or NaN where there is no interval.
    level : float
    why : str, optional
        Why there is no interval; empty where there is one.
    within : pair of float
        What the quantity can be: ends are cut there.
    hold : bool
        The interval is that of another centre (a corrected estimate): its ends reach to the estimate of the row.
    **fields
        Fields that a row with an interval has beside it.

    Examples
    --------
    >>> row = with_ends(Row(term="share", estimate=0.9), 0.7, 1.1, 0.95, within=(0, 1))
    >>> row.conf_low, row.conf_high
    (0.7, 1)
    >>> with_ends(Row(term="share", estimate=0.9), 0.2, 0.5, 0.95).undefined
    'the interval leaves the estimate out: too few or too uneven data for this method'
    """
    if not why and (low is None or high is None or math.isnan(low) or math.isnan(high)):
        why = NO_ENDS
    row = row if within == ANYWHERE else replace(row, limits=within)
    if why or low is None or high is None:
        return replace(row, conf_low=None, conf_high=None, conf_level=None, undefined=why)
    if row.role != "rank" and not hold and no_width(low, high):
        return replace(with_ends(row, None, None, level, why=NO_WIDTH), reason="no_variation")
    low, high = (min(max(end, within[0]), within[1]) for end in (low, high))
    # both ends were cut at one limit
    if row.role != "rank" and low == high:
        return with_ends(row, None, None, level, why=BEYOND)
    if row.estimate is not None:
        # rounding may put an end on the other side of the estimate
        slack = math.inf if hold else ROUNDING * max(1.0, abs(row.estimate))
        if not low - slack <= row.estimate <= high + slack:
            return with_ends(row, None, None, level, why=MISSED)
        low, high = min(low, row.estimate), max(high, row.estimate)
    shown = [None if math.isinf(end) else end for end in (low, high)]
    return replace(row, conf_low=shown[0], conf_high=shown[1], conf_level=level, **fields)


def no_width(low: float, high: float) -> bool:
    """Return whether an interval is no wider than what rounding can leave between two equal ends."""
    return not math.isinf(low - high) and high - low <= SPARE * EPS * max(abs(low), abs(high))


def without_error(row: Row, level: float) -> Row:
    """Return a row without a standard error: its clusters, or its units where it has none, are alike."""
    row = with_ends(
        row,
        None,
        None,
        level,
        why=no_variation_reason("units" if row.n_clusters is None else "clusters"),
    )
    return replace(row, reason="no_variation")


def with_spread(row: Row, values: FloatArray, level: float) -> Row:
    """Return a row with the standard deviation (n - 1) of values and its interval (`spread_ends`); or why it has none.

    `effective` is the number of normal values whose standard deviation would be as uncertain, 2 n / (kurtosis - 1).
    """
    n, unit = len(values), size_unit(values)
    values = values / unit
    if n < 2:
        return replace(
            row, n=float(n), undefined="a single value has no standard deviation", reason="one_unit"
        )
    spread = float(np.std(values, ddof=1))
    row = replace(row, estimate=spread * unit, n=float(n), n_units=n, method=SPREAD)
    if spread <= rounding(float(np.abs(values).max())):
        return replace(row, estimate=0.0, undefined="all values are alike", reason="no_variation")
    if n < FEWEST_SPREAD:
        return with_ends(
            row, None, None, level, why=f"no interval of a spread below {FEWEST_SPREAD} values"
        )
    # the variance of s^2 is s^4 (kurtosis - 1) / n, of normal values 2 s^4 / n
    effective = 2 * n / max(kurtosis_of(values) - 1, 1.0)
    low, high = (end * unit for end in spread_ends(values, level))
    return with_ends(row, low, high, level, interval="outer_ends", effective=effective)


def row_at_level(row: Row, level: float) -> Row | None:
    """Return a row with its t, z or Fisher's z interval at another level, or None where its fields do not give it.

    Examples
    --------
    >>> row = row_at_level(with_t(Row(term="mean", estimate=2.0), 1.0, 10.0, 0.95), 0.99)
    >>> round(row.conf_low, 3), round(row.conf_high, 3), row.conf_level
    (-1.169, 5.169, 0.99)
    """
    if row.conf_level is None:
        return row
    ends_now, ends = _ends_of(row, row.conf_level), _ends_of(row, level)
    if ends_now is None or ends is None or row.conf_low is None or row.conf_high is None:
        return None
    size = ROUNDING * (ends_now[1] - ends_now[0])
    # its fields do not give its own interval, as where df are those of the test
    if abs(ends_now[0] - row.conf_low) > size or abs(ends_now[1] - row.conf_high) > size:
        return None
    return replace(row, conf_low=ends[0], conf_high=ends[1], conf_level=level)


def _ends_of(row: Row, level: float) -> tuple[float, float] | None:
    """Return the ends that estimate, standard error and df give, by the kind of interval."""
    value, error = row.estimate, row.std_error
    if value is None or error is None or row.interval not in ("t", "z", "fisher_z"):
        return None
    reach = critical_value(level, None if row.interval == "z" else row.df) * error
    if row.interval == "fisher_z":
        if abs(value) >= 1:
            return None
        # delta method: dz/dx = 1 / (1 - x^2)
        reach /= 1 - value**2
        return math.tanh(math.atanh(value) - reach), math.tanh(math.atanh(value) + reach)
    low, high = row.limits or ANYWHERE
    # limits cut an interval, as `with_ends` did
    return max(value - reach, low), min(value + reach, high)


def with_t(
    row: Row,
    error: float,
    df: float | None,
    level: float,
    *,
    within: tuple[float, float] = ANYWHERE,
    test: bool = True,
    **fields: Any,
) -> Row:
    """Return a row with the interval estimate -+ critical value x s.e., and (`test`) with t, df and p of a value of 0.

    Parameters
    ----------
    row : Row
        With its estimate.
    error : float
        NaN where clusters (or units) are alike: the row then has no interval and no test.
    df : float or None
        None for z.
    level : float
    within, **fields
        As for `with_ends`.
    test : bool

    Examples
    --------
    >>> row = with_t(Row(term="mean", estimate=2.0), 1.0, 10.0, 0.95)
    >>> round(row.conf_low, 3), round(row.conf_high, 3), round(row.p_value, 3)
    (-0.228, 4.228, 0.073)
    """
    if not error > 0:
        return without_error(row, level)
    value = row.estimate or 0.0
    reach = critical_value(level, df) * error
    kind: Literal["t", "z"] = "z" if df is None else "t"
    if test:
        t = value / error
        fields |= {
            "statistic": t,
            "df": df,
            "p_value": float(two_sided_p(np.asarray(t), df)),
            "test": kind,
        }
    fields = {"interval": kind, **fields}
    return with_ends(
        row, value - reach, value + reach, level, within=within, std_error=error, **fields
    )


def with_each_t(
    rows: Sequence[Row], errors: FloatArray, dfs: FloatArray, level: float, why: Sequence[str]
) -> list[Row]:
    """Return what `with_t` does for many rows at once.

    Parameters
    ----------
    rows : sequence of Row
        With their estimates.
    errors, dfs : (k,) float64 arrays
        NaN errors where clusters (or units) are alike; infinite degrees of freedom for z.
    level : float
    why : sequence of str
        Why a row has no interval; empty where it has one, or where its error says why.
    """
    low, high, t, p = wald_interval(
        np.array([row.estimate for row in rows], dtype=np.float64), errors, df=dfs, level=level
    )
    out = []
    for k, row in enumerate(rows):
        if not why[k] and not errors[k] > 0:
            out.append(without_error(row, level))
            continue
        kind: Literal["t", "z"] = "z" if np.isinf(dfs[k]) else "t"
        fields: dict[str, Any] = {
            "std_error": float(errors[k]),
            "statistic": float(t[k]),
            "df": None if kind == "z" else float(dfs[k]),
            "p_value": float(p[k]),
            "interval": kind,
            "test": kind,
        }
        out.append(with_ends(row, float(low[k]), float(high[k]), level, why=why[k], **fields))
    return out


def with_mean(
    row: Row,
    mean: ClusteredMean,
    level: float,
    *,
    null: float = 0.0,
    alternative: str = "two_sided",
    within: tuple[float, float] = ANYWHERE,
    test: bool = True,
    **fields: Any,
) -> Row:
    """Return a row with the t interval of a mean, and (`test`) with t, df and p of `null`; or why there is none.

    Parameters
    ----------
    row : Row
        Its estimate is left as it is.
    mean : ClusteredMean
    level, null, alternative
        As for `ClusteredMean.p_value` and `ClusteredMean.interval`.
    within, **fields
        As for `with_ends`.
    test : bool
    """
    if mean.undefined:
        return replace(
            row, undefined=mean.undefined, reason="no_variation" if mean.sd == 0 else row.reason
        )
    if test:
        p = mean.p_value(null, alternative=alternative)
        fields |= {"statistic": mean.t(null), "df": mean.df, "p_value": p, "test": "t"}
    fields = {"interval": "t", **fields}
    ends = mean.interval(level, alternative=alternative)
    return with_ends(row, *ends, level, within=within, std_error=mean.std_error, **fields)


def share_ci(rows: Iterable[Row]) -> str:
    """Name the intervals of shares: those of clustered or pooled answers take their effective number.

    Examples
    --------
    >>> share_ci([Row(term="yes")]), share_ci([Row(term="yes"), Row(term="no", effective=12.5)])
    ("Wilson's intervals", "Wilson's intervals for effective numbers of answers")
    """
    return "Wilson's intervals" + " for effective numbers of answers" * any(
        row.effective is not None for row in rows
    )


KINDS: dict[str, Interval] = {
    "t": "t",
    "wald": "z",
    "fisher": "fisher_z",
    "disagreements": "korn_graubard",
    "hull": "outer_ends",
    "percentile": "percentile",
    "basic": "basic",
    "bca": "bca",
}


def with_inferred(row: Row, inference: Inferred, level: float, *, test: bool = True) -> Row:
    """Return a row with what `infer` found: error, interval, and (`test`) t, df and p of 0; or why there is none."""
    fields: dict[str, Any] = dict.fromkeys(("statistic", "df", "p_value", "test"))
    if test:
        kind = None if inference.statistic is None else "t"
        values = (inference.statistic, inference.df, inference.p, kind)
        fields = dict(zip(fields, values, strict=True))
    leverage = inference.largest or None
    row = replace(row, std_error=inference.std_error, leverage=leverage, **fields)
    if inference.low is None and not inference.why:
        return row
    row = with_ends(
        row,
        inference.low,
        inference.high,
        level,
        why=inference.why,
        within=(inference.least, inference.most),
    )
    return replace(row, interval=None if row.conf_low is None else KINDS[inference.kind])


def with_share(
    row: Row, share: Share, level: float, *, clustered: bool, shift: float = 0.0, **fields: Any
) -> Row:
    """Return a row with the error, interval and df of a share (`shift` is added to both ends); or why there is none.

    With clusters, the row also has its `leverage` and effective number of answers.
    """
    row = replace(row, leverage=share.largest if clustered else None)
    if share.undefined or share.low is None or share.high is None:
        return with_ends(row, None, None, level, why=share.undefined)
    return with_ends(
        row,
        share.low + shift,
        share.high + shift,
        level,
        std_error=share.std_error,
        df=share.df,
        interval="score",
        effective=share.trials if clustered else None,
        **fields,
    )

"""One-sided tests: p of one tail, an interval with one end, and the words for both."""

from __future__ import annotations

import math
from dataclasses import replace

from socialstats.errors import InputError
from socialstats.inference.intervals import not_zero
from socialstats.resampling.options import Alternative
from socialstats.results.rows import Row, checked_level

ANYWHERE = (-math.inf, math.inf)
OPEN: dict[Alternative, str] = {
    "two_sided": "",
    "greater": "; no upper end",
    "less": "; no lower end",
}


def two_sided_level(level: float, alternative: Alternative) -> float:
    """Return the level of the two-sided interval whose one end a one-sided interval has: 2 `level` - 1.

    Raises
    ------
    InputError
        For a level that is none, and a one-sided interval of a level of .5 or less, which would leave the estimate out.

    Examples
    --------
    >>> two_sided_level(0.95, "greater"), two_sided_level(0.95, "two_sided")
    (0.9, 0.95)
    """
    checked_level(level)
    if alternative == "two_sided":
        return level
    if level <= 0.5:
        raise InputError(f"a one-sided interval needs a level above 0.5, not {level!r}")
    return round(2 * level - 1, 12)


def one_sided_ends(
    low: float, high: float, alternative: Alternative, within: tuple[float, float] = ANYWHERE
) -> tuple[float, float]:
    """Return an interval whose end beyond the alternative is the limit of what is possible, as in R.

    Examples
    --------
    >>> one_sided_ends(0.2, 0.5, "greater"), one_sided_ends(0.2, 0.5, "less", (-1.0, 1.0))
    ((0.2, inf), (-1.0, 0.5))
    >>> one_sided_ends(0.2, 0.5, "two_sided")
    (0.2, 0.5)
    """
    return (within[0] if alternative == "less" else low), (
        within[1] if alternative == "greater" else high
    )


def one_tail(p: float, sign: float, alternative: Alternative) -> float:
    """Return the p of one tail of a symmetric test: half the two-sided one, or the complement of this half.

    Parameters
    ----------
    p : float
        Two-sided, of a t, z or score, or of a chi-square with one degree of freedom, which is the square of a z.
    sign : float
        Of the statistic; for a chi-square, of its root.
    alternative : {"two_sided", "greater", "less"}

    Examples
    --------
    >>> one_tail(0.04, 2.05, "greater"), one_tail(0.04, 2.05, "less"), one_tail(1.0, 0.0, "less")
    (0.02, 0.98, 0.5)
    """
    if alternative == "two_sided":
        return p
    # the tail on the side of the statistic is half of the two-sided p
    return float(not_zero(p / 2 if (sign > 0) == (alternative == "greater") else 1 - p / 2))


def one_end(
    row: Row, alternative: Alternative, level: float, within: tuple[float, float] | None = None
) -> Row:
    """Return a row, whose interval has `two_sided_level`, with one end of it, now at `level`.

    The other end is the limit of the quantity (`within`, by default `limits` of the row), and left out where there is
    none.

    Examples
    --------
    >>> row = Row(term="share", conf_low=0.3, conf_high=0.6, conf_level=0.9, limits=(0.0, 1.0), method="z")
    >>> row = one_end(row, "greater", 0.95)
    >>> row.conf_low, row.conf_high, row.conf_level, row.method
    (0.3, 1.0, 0.95, 'z; no upper end')
    """
    # a row without an interval has no end to open
    if alternative == "two_sided" or row.conf_level is None:
        return row
    low, high = (math.nan if end is None else end for end in (row.conf_low, row.conf_high))
    low, high = one_sided_ends(low, high, alternative, within or row.limits or ANYWHERE)
    shown = [end if math.isfinite(end) else None for end in (low, high)]
    method = f"{row.method}{OPEN[alternative]}" if row.method else None
    return replace(row, conf_low=shown[0], conf_high=shown[1], conf_level=level, method=method)


def has_open_end(row: Row) -> bool:
    """Return whether an end of an interval is left out or is the limit of the quantity, as in one-sided intervals.

    Examples
    --------
    >>> has_open_end(Row(term="d", conf_low=0.2)), has_open_end(Row(term="d", conf_low=0.2, conf_high=0.4))
    (True, False)
    >>> has_open_end(Row(term="share", conf_low=0.0, conf_high=0.4, limits=(0.0, 1.0)))
    True
    """
    limits = row.limits or ANYWHERE
    return row.has_interval and any(
        end in (None, limit)
        for end, limit in zip((row.conf_low, row.conf_high), limits, strict=True)
    )


def one_sided(
    row: Row, alternative: Alternative, level: float, within: tuple[float, float] | None = None
) -> Row:
    """Return a symmetric test (t, z, score), made at `two_sided_level`, with one tail and one end (`one_end`).

    Examples
    --------
    >>> row = Row(term="d", estimate=1.0, statistic=2.0, p_value=0.04, conf_low=0.2, conf_high=1.8, conf_level=0.9)
    >>> row = one_sided(row, "less", 0.95)
    >>> row.conf_low, row.conf_high, row.p_value
    (None, 1.8, 0.98)
    """
    row = one_end(row, alternative, level, within)
    if row.p_value is None or row.statistic is None:
        return row
    return replace(row, p_value=one_tail(row.p_value, row.statistic, alternative))


def side_text(alternative: Alternative) -> str:
    """Return the alternative in brackets, as sentences have it after p; nothing of a two-sided test.

    Examples
    --------
    >>> side_text("greater"), side_text("two_sided")
    (' (one-sided: greater)', '')
    """
    return "" if alternative == "two_sided" else f" (one-sided: {alternative})"

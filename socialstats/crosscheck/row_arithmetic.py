"""From a row's (checked) estimate and standard error to its statistic, p and interval, recomputed by scipy.stats."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from socialstats.crosscheck.comparing import compare
from socialstats.results import Check, Row
from socialstats.results.peers import load_peer

FORMULA = "of the estimate and its standard error, by scipy's distributions"
TINY = 1e-300
CLOSE = 1e-8  # the same arithmetic in another order
FIELDS = {"estimate": "", "std_error": "s.e.", "statistic": "statistic", "df": "df", "p_value": "p"}
# sizes of numbers that may be near 0
SIZES = {"estimate": 1e-3, "statistic": 1e-6}
MULTIPLETESTS = {
    "none": "none",
    "holm": "holm",
    "bonferroni": "bonferroni",
    "hochberg": "simes-hochberg",
    "hommel": "hommel",
    "sidak": "sidak",
    "holm_sidak": "holm-sidak",
    "bh": "fdr_bh",
    "by": "fdr_by",
}
"""What statsmodels' multipletests calls our methods."""


def label(row: Row, what: str = "") -> str:
    """Name a quantity of a row."""
    return row.term + (f" [{row.group}]" if row.group else "") + (f", {what}" if what else "")


def relative(
    name: str,
    ours: float | None,
    theirs: float | None,
    package: str = "scipy",
    why: str = FORMULA,
    close: float = 1e-8,
    size: float = 0.0,
) -> Check:
    """Compare to a tolerance relative to the number itself, or to `size` where that is larger."""
    most = max(abs(theirs or 0.0), size)
    # the tolerance of a number that is 0 is not 0
    return compare(name, ours, theirs, package=package, tolerance=close * most + TINY, why=why)


def field_checks(
    row: Row,
    package: str = "scipy",
    why: str = FORMULA,
    close: float = 1e-8,
    size: float = 0.0,
    **theirs: float,
) -> list[Check]:
    """Compare those of `estimate`, `std_error`, `statistic`, `df` and `p_value` that the row has.

    The tolerance is relative to the number, or to `size` (at least that of `SIZES`) where that is larger.

    Examples
    --------
    >>> [check.ok for check in field_checks(Row(term="mean", estimate=2.0, df=9.0), estimate=2.0, df=8.0, p_value=0.1)]
    [True, False]
    """
    checks = []
    for name, value in theirs.items():
        ours = getattr(row, name)
        if ours is None:
            continue
        quantity = label(row, FIELDS[name])
        if name == "p_value":
            checks.append(same_p(quantity, ours, value, package, why, close))
        else:
            least = max(size, SIZES.get(name, 0.0))
            checks.append(relative(quantity, ours, value, package, why, close, least))
    return checks


def same_p(
    name: str,
    ours: float | None,
    theirs: float,
    package: str = "scipy",
    why: str = FORMULA,
    close: float = 1e-8,
    least: float = TINY,
) -> Check:
    """Compare p-values to a relative tolerance, which grows with the digits that a far tail loses: close (1 - log p).

    `least` is the rounding error of a peer that takes p from 1.

    Examples
    --------
    >>> same_p("p", 1e-20, 2e-20).ok, same_p("p", 0.04, 0.04).ok
    (False, True)
    """
    theirs = float(theirs)
    # an error of a statistic changes log p the more, the farther its tail
    lost = 1.0 - math.log(min(max(theirs, TINY), 1.0))
    tolerance = close * lost * abs(theirs) + least
    return compare(name, ours, theirs, package=package, tolerance=tolerance, why=why)


def tail_p(value: float, df: float | None, alternative: str = "two_sided") -> float:
    """Return the p-value of a t (normal: `df` None or infinite) statistic by scipy."""
    from scipy.special import ndtr, stdtr

    def below(x: float) -> float:
        return float(ndtr(x) if df is None or math.isinf(df) else stdtr(df, x))

    if alternative == "two_sided":
        return 2 * below(-abs(value))
    return below(-value if alternative == "greater" else value)


@lru_cache(maxsize=10_000)
def quantile(level: float, df: float | None) -> float:
    """Return the two-sided critical value of level `level` by scipy."""
    from scipy.special import ndtri, stdtrit

    below = (1 + level) / 2
    return float(ndtri(below) if df is None or math.isinf(df) else stdtrit(df, below))


def wald_checks(
    row: Row,
    level: float,
    value: float,
    error: float,
    df: float | None,
    *,
    null: float = 0.0,
    alternative: str = "two_sided",
    cut: tuple[float, float] | None = None,
    ends: bool = True,
    package: str = "scipy",
    why: str = FORMULA,
    close: float = 1e-8,
) -> list[Check]:
    """Compare statistic, df, p and ends of a row with those of an estimate and standard error found independently.

    Parameters
    ----------
    row : Row
        What it has of these is compared.
    level, value, error : float
    df : float or None
        None: normal.
    null : float
    alternative : {"two_sided", "greater", "less"}
    cut : pair of float, optional
        Limits of the scale, at which the ends are cut.
    ends : bool
        False: the row's interval is of another kind.
    close : float
        Relative tolerance: of the statistic, and of the ends relative to the width.
    """
    z = (value - null) / error
    checks = []
    if row.statistic is not None:
        name = label(row, "statistic")
        checks.append(relative(name, row.statistic, z, package, why, close, size=1.0))
    is_t = row.statistic is not None and df is not None and not math.isinf(df)
    if row.df is not None or is_t:
        checks.append(relative(label(row, "df"), row.df, df, package, why, close))
    if row.p_value is not None:
        # a change of the statistic by a share changes log p by its square times this share
        lost = max(1.0, z * z if close > CLOSE else 1.0)
        p = tail_p(z, df, alternative)
        checks.append(same_p(label(row, "p"), row.p_value, p, package, why, close * lost))
    if ends and (row.conf_low is not None or row.conf_high is not None):
        # one end at a level leaves the share outside on its side, both ends leave half of it
        two_sided = level if alternative == "two_sided" else 2 * level - 1
        reach = quantile(two_sided, df) * error
        low, high = with_open_end(value - reach, value + reach, alternative, cut)
        checks += end_checks(row, low, high, package, why, close, least=reach)
    return checks


def inner_level(settings: Mapping[str, Any]) -> float:
    """Return the level of the two-sided interval that has the end of a one-sided one; of a two-sided one its own.

    Examples
    --------
    >>> inner_level({"level": 0.75, "alternative": "less"}), inner_level({"level": 0.75})
    (0.5, 0.75)
    """
    level = float(settings["level"])
    return level if settings.get("alternative", "two_sided") == "two_sided" else 2 * level - 1


def with_open_end(
    low: float, high: float, alternative: str, cut: tuple[float, float] | None = None
) -> tuple[float, float]:
    """Return both ends, cut at the limits of the scale; the one beyond a one-sided alternative is such a limit.

    Examples
    --------
    >>> with_open_end(0.2, 1.3, "less", (0.0, 1.0)), with_open_end(0.2, 1.3, "greater")
    ((0.0, 1.0), (0.2, inf))
    """
    least, most = cut or (-math.inf, math.inf)
    if alternative == "less":
        low = least
    if alternative == "greater":
        high = most
    return max(low, least), min(high, most)


def adjusted_checks(rows: Iterable[Row], method: str = "holm") -> list[Check]:
    """Compare the adjusted p-values of one family with statsmodels'."""
    tested = [row for row in rows if row.p_value is not None]
    theirs = adjusted_p([row.p_value for row in tested], method) if tested else []
    return [
        same_p(label(row, f"p ({method})"), row.p_adjusted, p, "statsmodels", "multipletests")
        for row, p in zip(tested, theirs, strict=True)
    ]


def end_checks(
    row: Row,
    low: float | None,
    high: float | None,
    package: str = "scipy",
    why: str = FORMULA,
    close: float = 1e-8,
    least: float = 0.0,
) -> list[Check]:
    """Compare both ends (None or infinite: the row must not have it either), relative to the larger of both numbers.

    `least`: the interval's half width, where the tolerance is not to shrink with an end near 0.
    """
    if row.conf_low is None and row.conf_high is None:
        return []
    checks = []
    for name, ours, end in (("low", row.conf_low, low), ("high", row.conf_high, high)):
        # a one-sided interval has no end on its other side
        theirs = None if end is None or math.isinf(end) else float(end)
        sizes = [abs(number) for number in (ours, theirs) if number is not None]
        if sizes:
            size = max(least, *sizes)
            checks.append(relative(label(row, name), ours, theirs, package, why, close, size))
    return checks


def statistic_checks(
    row: Row, *, null: float = 0.0, df: float | None = None, alternative: str = "two_sided"
) -> list[Check]:
    """Compare statistic, df and p of a t or z test (`df` None: normal) with the row's estimate and standard error.

    Where the interval is on Fisher's z scale, so is the test.
    """
    if row.statistic is None or row.estimate is None or not row.std_error:
        return []
    value, error = float(row.estimate), float(row.std_error)
    if row.interval == "fisher_z":
        # by the derivative of atanh
        value, error = math.atanh(value), error / (1 - value**2)
    return wald_checks(row, 0.95, value, error, df, null=null, alternative=alternative, ends=False)


def adjusted_p(p_values: Sequence[float | None], method: str = "holm") -> list[float]:
    """Return statsmodels' adjusted p-values of one family, each of which has one.

    For Holm's method statsmodels runs Python's garbage collector, which takes longer than everything else here. It
    would run again for every family of a page. What is on the heap is set aside during the call.

    Examples
    --------
    >>> adjusted_p([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    if method == "none":
        return [float(p or 0.0) for p in p_values]
    multipletests = load_peer("statsmodels.stats.multitest", "multipletests")

    # whoever set something aside before decides when it returns
    is_first = gc.get_freeze_count() == 0
    if is_first:
        gc.freeze()
    try:
        adjusted = multipletests(list(p_values), method=method)[1]
        return [float(p) for p in np.broadcast_to(adjusted, len(p_values))]
    finally:
        if is_first:
            gc.unfreeze()

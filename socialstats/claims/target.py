"""A printed number as what it can stand for: exactly itself, or everything that rounds to it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from socialstats.audit.numbers import printed as read
from socialstats.errors import InputError

FULL = 1e-12
"""Relative difference of two ways to sum the same numbers: 16 digits less what n additions lose."""
DUST = 1e-14
"""What rounding leaves of a difference of numbers of size 1, where the result is 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The numbers that a printed text can stand for.

    Attributes
    ----------
    value : float
    low, high : float
        Half a unit of the last printed digit around `value` (`value` itself when `full`); both ends count, whatever
        way ties were rounded.
    full : bool
        The text has all digits of a float: only the number itself matches, up to 1e-12 relative.
    """

    value: float
    low: float
    high: float
    full: bool

    def holds(self, number: float | None, *, size: float = 1.0, noise: float = 0.0) -> bool:
        """Tell whether a number can have been printed like this.

        Parameters
        ----------
        number : float or None
        size : float
            Largest size of the values that the number comes from: scale of rounding errors.
        noise : float
            Monte-Carlo error to allow for.
        """
        if number is None or not math.isfinite(number):
            return False
        slack = max(FULL * max(abs(number), abs(self.value)), DUST * size) + noise
        if self.full:
            return abs(number - self.value) <= slack
        return self.low - slack <= number <= self.high + slack


def target_of(printed: str, *, full: bool) -> Target | None:
    """Read a printed number; None where the text is no number.

    Parameters
    ----------
    printed : str
        Digits as printed; a percent sign divides by 100.
    full : bool
        See `Target`.

    Examples
    --------
    >>> target = target_of("0.812", full=False)
    >>> target.holds(0.81249), target.holds(0.8126)
    (True, False)
    >>> target_of("81.2%", full=False).high
    0.8125
    >>> target_of("N/A", full=False) is None
    True
    """
    try:
        number = read(printed).share()
    except InputError:
        return None
    low = -math.inf if number.low is None else float(number.low)
    high = math.inf if number.high is None else float(number.high)
    if full and number.relation == "=":
        return Target(value=float(number.value), low=float(number.value), high=float(number.value), full=True)
    return Target(value=float(number.value), low=low, high=high, full=False)


def digits_in(printed: str) -> int:
    """Return the significant digits of a printed number, 0 for other text.

    Examples
    --------
    >>> digits_in("0.11063265039459795"), digits_in("0.050"), digits_in("N/A")
    (17, 2, 0)
    """
    mantissa = printed.strip().lower().partition("e")[0]
    return len("".join(ch for ch in mantissa if ch.isdigit()).lstrip("0")) or int("0" in mantissa)

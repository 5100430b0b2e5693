"""One comparison for every check by formula: ranges of printed inputs, documented variants in order, one verdict."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, Literal

from socialstats.audit.numbers import (
    TWICE,
    Finding,
    Printed,
    absolute,
    compare,
    gap_of,
    possible,
    printed,
    shown,
    unchecked,
)
from socialstats.errors import InputError

Statistic = Literal["t", "F", "z", "chi2", "r"]
Tails = Literal["two", "one"]
SIGNED = ("t", "z", "r")
TURNED = ("t", "z", "d", "g")  # differences, in either order of subtraction
SLACK = 1e-9  # tail areas are computed in floating point: the slack is on the side of agreement
Range = tuple[Fraction, Fraction]
Box = tuple[float, float]
FAR = Fraction(10**12)  # stands for a limit that does not exist


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One documented way to compute numbers, and what it gives.

    Attributes
    ----------
    name : str
        ``Welch's test``.
    gives : mapping of name to (low, high)
        The range of each number that it gives.
    usual : bool
        Whether the number may be printed without a word about it. Others explain a disagreement, which is minor then.
    turned : bool
        Whether a t, z, d or g may have the other sign: both orders of subtraction are in use.
    """

    name: str
    gives: Mapping[str, Range]
    usual: bool = True
    turned: bool = True

    def compared(self, name: str, number: Printed) -> Printed:
        """Return a number as it is compared: p as a share, whole degrees of freedom cut off or rounded."""
        if name == "p":
            return number.share()
        if name == "df" and number.relation == "=" and number.unit == 1:
            return replace(number, high=number.value + number.unit)
        if name in TURNED and self.turned:
            return oriented(number, self.gives[name])
        return number

    def gap(self, name: str, number: Printed) -> Fraction:
        """Return how far a number is from the range of this variant, in units of its last digit."""
        return gap_of(self.compared(name, number), *self.gives[name])

    def fits(self, name: str, number: Printed) -> bool:
        """Return whether a number may have been printed of this variant."""
        compared, ends = self.compared(name, number), self.gives[name]
        return compared.meets(*ends) or gap_of(compared, *ends) <= slack_of(name, compared)


def slack_of(name: str, number: Printed) -> Fraction:
    """Return what is left to numbers that were rounded twice: bounds are not rounded, a p comes from a program."""
    rounded = name != "p" and number.unit and number.relation == "="
    return TWICE if rounded else Fraction(0)


def outward(low: float, high: float) -> Range:
    """Return a range of floats as exact numbers, widened by what floating point may have lost."""
    low, high = (min(max(end, -float(FAR)), float(FAR)) for end in (low, high))
    return Fraction(low - SLACK * abs(low) - 1e-12), Fraction(high + SLACK * abs(high) + 1e-12)


def nearly(number: float) -> Range:
    """Return the range of a number in floating point."""
    return outward(number, number)


def exactly(number: int) -> Range:
    """Return the range of a number that is not rounded."""
    return Fraction(number), Fraction(number)


def sum_of_ranges(ranges: Iterable[Range]) -> Range:
    """Return the range of the sum of numbers with some ranges."""
    lows, highs = zip(*ranges, strict=True)
    return sum(lows, Fraction(0)), sum(highs, Fraction(0))


def mean_of_ranges(ranges: Sequence[Range], weights: Sequence[Fraction] = ()) -> Range:
    """Return the range of the weighted mean of numbers with some ranges; by default their weights are equal.

    Examples
    --------
    >>> [str(end) for end in mean_of_ranges([(Fraction(0), Fraction(1)), (Fraction(2), Fraction(4))])]
    ['1', '5/2']
    """
    weights = weights or [Fraction(1)] * len(ranges)
    total = sum(weights)
    pairs = zip(ranges, weights, strict=True)
    return sum_of_ranges(
        (low * weight / total, high * weight / total) for (low, high), weight in pairs
    )


def hull_of_ranges(ranges: Iterable[Range]) -> Range:
    """Return the smallest range that holds all of some ranges."""
    lows, highs = zip(*ranges, strict=True)
    return min(lows), max(highs)


def span(formula: Callable[..., float], *boxes: Range) -> Range:
    """Return the range of a formula that is monotone in each number while the others stay: its ends are at corners.

    Where a corner divides by 0 the formula has no limit on the side of its sign.

    Examples
    --------
    >>> low, high = span(lambda x, y: x / y, (Fraction(1), Fraction(2)), (Fraction(4), Fraction(5)))
    >>> round(float(low), 6), round(float(high), 6)
    (0.2, 0.5)
    """
    values = [
        formula(*corner) for corner in product(*({float(low), float(high)} for low, high in boxes))
    ]
    return outward(min(values), max(values))


def over(x: float, y: float) -> float:
    """Divide; by 0 the quotient has the size of no limit, and 0 / 0 is 0."""
    return x / y if y else float(FAR) * ((x > 0) - (x < 0))


def oriented(number: Printed, given: Range) -> Printed:
    """Return a difference in the order of subtraction that fits the sign of a range: both orders are in use."""
    if number.relation != "=" or number.value * (given[0] + given[1]) >= 0:
        return number
    low, high = number.bounds
    return replace(number, value=-number.value, low=-high, high=-low)


def tailed(
    name: str,
    kind: Statistic,
    statistic: Range,
    frees: Sequence[Range],
    tails: Tails = "two",
    *,
    usual: bool = True,
    **more: Range,
) -> list[Variant]:
    """Return a test and the p of its tails: the side that is asked for, and the other one as an explanation."""
    boxes = [(max(float(low), 1e-6), float(high)) for low, high in frees]
    signed = kind in SIGNED
    gives = {kind: statistic, **more}
    size = absolute(*statistic) if signed else (max(statistic[0], Fraction(0)), statistic[1])

    def variant(words: str, p: Range, *, asked: bool = True) -> Variant:
        return Variant(name=name + words, gives=gives | {"p": p}, usual=usual and asked)

    one = p_range(kind, size, boxes, 1)
    if not signed:
        return [variant("", one)]
    two = p_range(kind, size, boxes, 2)
    if tails == "two":
        return [variant("", two), variant(", one-sided,", one, asked=False)]
    against = 1 - one[1], 1 - one[0]
    return [
        variant("", one),
        variant(" against the tested side", against),
        variant(", two-sided,", two, asked=False),
    ]


def p_range(kind: Statistic, ends: Range, frees: Sequence[Box], sides: int) -> Range:
    """Return the least and the largest p of a statistic between two ends, with ranges of degrees of freedom."""
    values = [sides * tail(kind, float(end), list(df)) for end in ends for df in product(*frees)]
    return Fraction(min(values) * (1 - SLACK)), Fraction(min(1.0, max(values) * (1 + SLACK)))


def tail(kind: Statistic, statistic: float, df: list[float]) -> float:
    """Upper tail area of a test statistic of at least 0.

    Examples
    --------
    >>> round(2 * tail("z", 1.96, []), 4), round(tail("chi2", 3.841, [1]), 4)
    (0.05, 0.05)
    """
    from scipy import special

    if kind == "z":
        return float(special.ndtr(-statistic))
    if kind == "chi2":
        return float(special.chdtrc(df[0], statistic))
    if kind == "F":
        return float(special.fdtrc(df[0], df[1], statistic))
    if kind == "r":
        if statistic >= 1:
            return 0.0
        statistic *= math.sqrt(df[0] / (1 - statistic**2))
    return float(special.stdtr(df[0], -statistic))


def words(name: str, given: Range, unit: Fraction) -> str:
    """Write a range; one without an upper limit is ``at least``."""
    low, high = given
    if name == "p":
        return p_shown(float(low), float(high))
    if abs(low) < FAR <= high:
        return f"at least {shown(low, low, unit)}"
    if low <= -FAR and high < FAR:
        return f"at most {shown(high, high, unit)}"
    return "any" if high >= FAR else shown(low, high, unit or Fraction(1, 100))


def judge(
    rule: str,
    said: Mapping[str, Any],
    variants: Sequence[Variant],
    source: str,
    *,
    level: float = 0.05,
) -> Finding:
    """Compare printed numbers with the first variant that gives all of them.

    Parameters
    ----------
    rule : str
    said : mapping of name to printed number
        None where it is not printed.
    variants : sequence of Variant
    source : str
        What they are computed of: ``mean 5.1, sd 1.2, n = 30``; empty where the names of the variants say it.
    level : float
        Of the decision that a p makes.

    Returns
    -------
    Finding
        ``details["variant"]`` names what fits; without a printed number ``not_checkable`` with what it would be.
    """
    source = f" of {source}" if source else ""
    numbers = {name: printed(value) for name, value in said.items() if value is not None}
    usual = [variant for variant in variants if variant.usual]
    if not numbers:
        return _none_printed(rule, usual[0], source)
    fits_usual = functools.partial(_first_fitting, usual)
    fitting = fits_usual(numbers) or _first_fitting(variants, numbers)
    published = ", ".join(f"{n} {'= ' * (x.relation == '=')}{x.text}" for n, x in numbers.items())
    gives = (fitting if fitting and fitting.usual else usual[0]).gives
    expected = ", ".join(f"{n} = {words(n, gives[n], x.unit)}" for n, x in numbers.items())
    name_of_fitting = fitting.name if fitting else ""
    finding = possible(
        rule,
        published,
        numbers,
        lambda *others: fits_usual(dict(zip(numbers, others, strict=True))) is not None,
        yes=f"{published} agrees with {name_of_fitting}{source}: {expected}",
        no="",
        shares=["p"],
    )
    details: dict[str, Any] = {"variant": name_of_fitting}
    if "p" in numbers:
        details |= {"p_low": float(gives["p"][0]), "p_high": float(gives["p"][1])}
    implied = gives[next(iter(numbers))] if len(numbers) == 1 else None
    finding = replace(finding, expected=expected, implied=implied, details=details)
    return finding or _disagreement(finding, numbers, usual, fitting, source, level)


def _first_fitting(variants: Sequence[Variant], numbers: Mapping[str, Printed]) -> Variant | None:
    """Return the first variant that gives all numbers."""
    return next((v for v in variants if all(v.fits(n, x) for n, x in numbers.items())), None)


def _none_printed(rule: str, variant: Variant, source: str) -> Finding:
    ends = variant.gives.items()
    expected = ", ".join(f"{name} = {words(name, range_, Fraction(0))}" for name, range_ in ends)
    message = f"{variant.name}{source} gives {expected}: none is printed"
    return replace(unchecked(rule, message), expected=expected)


def _disagreement(
    finding: Finding,
    numbers: Mapping[str, Printed],
    usual: Sequence[Variant],
    fitting: Variant | None,
    source: str,
    level: float,
) -> Finding:
    """Word a disagreement by the number that is farthest from the nearest variant."""
    gaps = {v.name: max((v.gap(n, x), n) for n, x in numbers.items()) for v in usual}
    quoted = usual[0] if fitting else min(usual, key=lambda variant: gaps[variant.name])
    name = gaps[quoted.name][1]
    number, ends = quoted.compared(name, numbers[name]), quoted.gives[name]
    farthest = compare(
        finding.rule,
        number,
        *ends,
        source=f"{quoted.name}{source}",
        name=name,
        expected=words(name, ends, number.unit),
        slack=slack_of(name, number),
    )
    finding = replace(
        finding,
        message=farthest.message,
        severity=farthest.severity,
        expected=farthest.expected,
        gap=farthest.gap,
        implied=finding.implied and ends,
    )
    if fitting:
        message = f"{finding.message}; {fitting.name.strip(',')} fits"
        finding = replace(finding, severity="minor", message=message)
    if "p" not in numbers or any(v.fits("p", numbers["p"]) for v in usual):
        return finding
    low = min(float(v.gives["p"][0]) for v in usual)
    high = max(float(v.gives["p"][1]) for v in usual)
    return decided(finding, numbers["p"].share(), low, high, level)


def p_shown(low: float, high: float) -> str:
    """Write a range of p with three digits."""
    return f"{low:.3g}" if f"{low:.3g}" == f"{high:.3g}" else f"{low:.3g} to {high:.3g}"


def decided(finding: Finding, p: Printed, low: float, high: float, level: float) -> Finding:
    """State of a p that disagrees whether it lies on the other side of the level."""
    at = Fraction(repr(float(level)))
    least, most = p.reach
    wrong = most <= at < low or high < at <= least
    finding = replace(finding, details={**finding.details, "decision_error": wrong})
    if not wrong:
        return finding
    side = f"the other side of {level:g}"
    return replace(
        finding,
        severity="major",
        message=f"{finding.message}; on {side}",
        changes=f"p lies on {side}",
    )


def box(value: Any, name: str, *, least: int | None = None) -> Range:
    """Return the range of a printed number, cut off at the least that it can be.

    Raises
    ------
    InputError
        For a bound, and for a number that lies below.
    """
    low, high = printed(value).bounds
    if least is not None and high < least:
        raise InputError(f"{name}={printed(value).text} is below {least}")
    return (low if least is None else max(low, Fraction(least))), high


def inside(confidence: float) -> float:
    """Return a confidence level; an error for one that is not between 0 and 1."""
    if not 0 < confidence < 1:
        raise InputError(f"confidence={confidence:g} must lie between 0 and 1: write 0.95 for 95%")
    return confidence

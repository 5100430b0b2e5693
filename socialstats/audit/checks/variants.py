"""One comparison for every check by formula: ranges of printed inputs, documented variants in order, one verdict."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
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


def outward(low: float, high: float) -> Range:
    """Return a range of floats as exact numbers, widened by what floating point may have lost."""
    low, high = (min(max(end, -float(FAR)), float(FAR)) for end in (low, high))
    return Fraction(low - SLACK * abs(low) - 1e-12), Fraction(high + SLACK * abs(high) + 1e-12)


def exactly(number: int) -> Range:
    """Return the range of a number that is not rounded."""
    return Fraction(number), Fraction(number)


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
    signed, gives = kind in SIGNED, {kind: statistic, **more}
    size = (
        absolute(*statistic)
        if signed
        else (max(statistic[0], Fraction(0)), max(statistic[1], Fraction(0)))
    )
    one, two = (p_range(kind, size, boxes, sides) for sides in (1, 2))
    asked = [
        (name, two if signed else one, usual),
        *([(f"{name}, one-sided,", one, False)] if signed else []),
    ]
    if tails == "one" and signed:
        other = (f"{name} against the tested side", (1 - one[1], 1 - one[0]), usual)
        asked = [(name, one, usual), other, (f"{name}, two-sided,", two, False)]
    return [
        Variant(name=said, gives=gives | {"p": (Fraction(p[0]), Fraction(p[1]))}, usual=fine)
        for said, p, fine in asked
    ]


def p_range(
    kind: Statistic, ends: tuple[Fraction, Fraction], frees: Sequence[Box], sides: int
) -> Box:
    """Return the least and the largest p of a statistic between two ends, with ranges of degrees of freedom."""
    values = [sides * tail(kind, float(end), list(df)) for end in ends for df in product(*frees)]
    return min(values) * (1 - SLACK), min(1.0, max(values) * (1 + SLACK))


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
    if low <= -FAR or high >= FAR:
        ends = [("at least", low), ("at most", high)]
        return next(
            (f"{word} {shown(end, end, unit)}" for word, end in ends if abs(end) < FAR), "any"
        )
    return shown(low, high, unit or Fraction(1, 100))


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
    ordered = sorted(variants, key=lambda v: not v.usual)
    usual = [v for v in ordered if v.usual]
    if not numbers:
        expected = ", ".join(
            f"{name} = {words(name, r, Fraction(0))}" for name, r in usual[0].gives.items()
        )
        found = unchecked(rule, f"{usual[0].name}{source} gives {expected}: none is printed")
        return replace(found, expected=expected)

    @functools.cache  # while one number is changed, the others fit as before
    def known(i: int, name: str) -> bool:
        return _fits(name, numbers[name], ordered[i])

    fits = next((v for i, v in enumerate(ordered) if all(known(i, name) for name in numbers)), None)
    published = ", ".join(f"{n} {'= ' * (x.relation == '=')}{x.text}" for n, x in numbers.items())

    def accepts(*others: Printed) -> bool:
        pairs = list(zip(numbers, others, strict=True))
        return any(
            all(known(i, n) if x is numbers[n] else _fits(n, x, v) for n, x in pairs)
            for i, v in enumerate(usual)
        )

    gives = (fits if fits and fits.usual else usual[0]).gives
    expected = ", ".join(f"{n} = {words(n, gives[n], x.unit)}" for n, x in numbers.items())
    named = fits.name if fits else ""
    found = possible(
        rule,
        published,
        numbers,
        accepts,
        no="",
        shares=["p"],
        yes=f"{published} agrees with {named}{source}: {expected}",
    )
    implied = gives[next(iter(numbers))] if len(numbers) == 1 else None
    ends = {"p_low": float(gives["p"][0]), "p_high": float(gives["p"][1])} if "p" in numbers else {}
    found = replace(found, expected=expected, implied=implied, details={"variant": named, **ends})
    if found:
        return found
    gaps = {
        v.name: max((gap_of(_as_given(n, x, v), *v.gives[n]), n) for n, x in numbers.items())
        for v in usual
    }
    quoted = usual[0] if fits else min(usual, key=lambda v: gaps[v.name])
    name = gaps[quoted.name][1]
    number, range_ = _as_given(name, numbers[name], quoted), quoted.gives[name]
    worst = compare(
        rule,
        number,
        *range_,
        source=f"{quoted.name}{source}",
        name=name,
        expected=words(name, range_, number.unit),
        slack=_slack(name, number),
    )
    worst = replace(
        worst,
        published=published,
        noticed=found.noticed,
        neighbours=found.neighbours,
        details=found.details,
        implied=implied and worst.implied,
    )
    if fits:
        worst = replace(
            worst, severity="minor", message=f"{worst.message}; {fits.name.strip(',')} fits"
        )
    if "p" not in numbers or any(_fits("p", numbers["p"], v) for v in usual):
        return worst
    low, high = (end(float(v.gives["p"][i]) for v in usual) for i, end in ((0, min), (1, max)))
    return decided(worst, numbers["p"].share(), low, high, level)


def _slack(name: str, number: Printed) -> Fraction:
    """Return what is left to numbers that were rounded twice: bounds are not rounded, a p comes from a program."""
    return TWICE if name != "p" and number.unit and number.relation == "=" else Fraction(0)


def _fits(name: str, number: Printed, variant: Variant) -> bool:
    """Return whether `gap_of` is at most the slack, which is added to the printed ends: they have short fractions."""
    given, (low, high) = _as_given(name, number, variant), variant.gives[name]
    if given.meets(low, high):
        return True
    left = _slack(name, number) * (given.unit or 1)
    near = (given.low is None or given.low - left <= high) and (
        given.high is None or low <= given.high + left
    )
    return left > 0 and near


def _as_given(name: str, number: Printed, variant: Variant) -> Printed:
    """Return a number as it is compared: p as a share, whole degrees of freedom cut off or rounded."""
    if name == "p":
        return number.share()
    if name == "df" and number.low is not None and number.high is not None and number.unit == 1:
        return replace(number, high=number.value + number.unit)
    return (
        oriented(number, variant.gives[name])
        if variant.turned and name in ("t", "z", "d", "g")
        else number
    )


def p_shown(low: float, high: float) -> str:
    """Write a range of p with three digits."""
    return f"{low:.3g}" if f"{low:.3g}" == f"{high:.3g}" else f"{low:.3g} to {high:.3g}"


def decided(finding: Finding, p: Printed, low: float, high: float, level: float) -> Finding:
    """State of a p that disagrees whether it lies on the other side of the level."""
    at = Fraction(repr(float(level)))
    below, above = p.high is not None and p.high <= at, p.low is not None and p.low >= at
    wrong = bool((below and low > at) or (above and high < at))
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

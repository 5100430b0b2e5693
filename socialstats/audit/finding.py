"""What a check found: a verdict that blames nobody, both numbers, where they stand, and what could have been seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from socialstats.audit.numbers import Printed, as_decimal, decimals_of

Verdict = Literal["agree", "disagree", "no_power", "not_checkable"]
Severity = Literal["none", "minor", "major"]
NEIGHBOURS = 10
MINOR_UNITS = 1  # a gap of at most one unit of the last digit
TWICE = Fraction(1, 20)  # what rounding first to one more digit adds to a rounding error, in units of the last digit


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The outcome of one check of published numbers.

    Attributes
    ----------
    rule : str
        Name of the check.
    verdict : {"agree", "disagree", "no_power", "not_checkable"}
        ``no_power``: the check could not have failed, whatever had been printed. ``not_checkable``: a number that the
        check needs is missing, or does not exist.
    severity : {"none", "minor", "major"}
        Of a disagreement: minor where at most one unit of the last digit, or one other convention, parts the numbers.
    message : str
        One sentence.
    published, expected : str
        The number as printed, and what the other numbers imply.
    gap : Fraction
        How far the published number is from the nearest possible one, in units of its last digit; 0 when they agree.
    noticed, neighbours : int
        The power: of so many `neighbours` (the nearest other numbers that could have been printed), how many this check
        would have `noticed`. Both 0 where it is not computed.
    where : str
        The place: table, line, column, labels.
    title : str
        Name of the rule in a rules file.
    cells : tuple of (str, int, str)
        Table, line and column of each printed number that took part.
    details : mapping of str to value
        Numbers behind the message.

    Examples
    --------
    >>> import socialstats as ss
    >>> found = ss.audit.grim("5.19", 40)
    >>> found.verdict, found.expected, f"{found.power:.2f}"
    ('disagree', '5.175 or 5.2', '0.40')
    """

    rule: str
    verdict: Verdict
    message: str
    severity: Severity = "none"
    published: str = ""
    expected: str = ""
    gap: Fraction = Fraction(0)
    noticed: int = 0
    neighbours: int = 0
    where: str = ""
    title: str = ""
    cells: tuple[tuple[str, int, str], ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """True unless the sources disagree."""
        return self.verdict != "disagree"

    @property
    def power(self) -> float | None:
        """Share of the nearest other numbers that the check would have noticed; None where it is not computed."""
        return self.noticed / self.neighbours if self.neighbours else None

    def to_dict(self) -> dict[str, Any]:
        """Return built-in types only."""
        return {
            "rule": self.rule, "title": self.title, "verdict": self.verdict, "severity": self.severity,
            "where": self.where, "published": self.published, "expected": self.expected, "gap_units": float(self.gap),
            "message": self.message, "power": self.power, "noticed": self.noticed, "neighbours": self.neighbours,
            "cells": [list(cell) for cell in self.cells],
            "details": {name: plain(value) for name, value in self.details.items()},
        }  # fmt: skip


def plain(value: Any) -> Any:
    """Return a detail as a built-in type."""
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def shown(low: Fraction, high: Fraction, unit: Fraction) -> str:
    """Write an interval with two decimals more than the number that it is compared with."""
    decimals = decimals_of(unit) + 2 if unit else 4
    ends = [as_decimal(end, decimals).rstrip("0").rstrip(".") if decimals else str(end) for end in (low, high)]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def neighbours_noticed(
    number: Printed, accepts: Callable[[Printed], bool], *, least: int | None = None, most: int | None = None
) -> tuple[int, int]:
    """Count the nearest other numbers that could have been printed, and those that a check would not accept.

    Parameters
    ----------
    number : Printed
    accepts : callable
        Tells whether the check accepts another number.
    least, most : int, optional
        Limits of what could be printed at all, such as 0 and 1 of a p-value.

    Returns
    -------
    noticed, neighbours : int
        (0, 0) for a bound and for an exact number.
    """
    if number.relation != "=" or not number.unit:
        return 0, 0
    near = [number.shifted(steps) for steps in range(-NEIGHBOURS, NEIGHBOURS + 1) if steps]
    others = [x for x in near if (least is None or x.value >= least) and (most is None or x.value <= most)]
    return sum(not accepts(other) for other in others), len(others)


def gap_of(number: Printed, low: Fraction, high: Fraction) -> Fraction:
    """Return the distance of a printed number's interval from another, in units of its last digit."""
    below = Fraction(0) if number.high is None else low - number.high
    above = Fraction(0) if number.low is None else number.low - high
    return max(below, above, Fraction(0)) / (number.unit or 1)


def compare(
    rule: str, number: Printed, low: Fraction, high: Fraction, *, source: str, details: Mapping[str, Any] | None = None
) -> Finding:
    """Compare a printed number with the interval that other numbers imply.

    Where rounded numbers imply it, a gap of 1/20 unit of the last digit is left to numbers that were rounded twice.

    Parameters
    ----------
    rule : str
    number : Printed
    low, high : Fraction
        All values from `low` to `high` are possible.
    source : str
        What implies them, as the subject of "implies": ``the sum of 3 parts``.
    details : mapping, optional
    """
    expected = shown(low, high, number.unit)
    gap = gap_of(number, low, high)
    noticed, of = neighbours_noticed(number, lambda x: gap_of(x, low, high) <= (TWICE if low < high else 0))
    twice = 0 < gap <= TWICE and bool(number.unit)
    severity: Severity = "none"
    if gap and not (twice and low < high):
        message = f"sources disagree: {number.text} is printed, {source} gives {expected}"
        message += "; rounded twice, it would fit" if twice else ""
        severity = "minor" if gap <= MINOR_UNITS else "major"
    else:
        message = f"{number.text} agrees with {source}, {expected}" + (" (rounded twice)" if twice else "")
    verdict: Verdict = "disagree" if severity != "none" else "agree"
    return Finding(
        rule=rule, verdict=verdict, severity=severity, message=message, published=number.text,
        expected=expected, gap=gap, noticed=noticed, neighbours=of, details=dict(details or {}),
    )  # fmt: skip

"""Parts and their total, counts and their percentages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from socialstats.audit.finding import NEIGHBOURS, Finding, compare, neighbours_noticed, shown
from socialstats.audit.numbers import Printed, printed, same_units
from socialstats.errors import InputError
from socialstats.text import count


def needed(values: Sequence[Any], name: str, least: int = 1) -> list[Printed]:
    """Read the numbers of a list, at least so many.

    Raises
    ------
    InputError
        For too few values, for bounds such as ``<5`` and for text that is no number.
    """
    numbers = [printed(value) for value in values]
    if len(numbers) < least:
        raise InputError(f"{name} holds {count(len(numbers), 'number')}: this check needs at least {least}")
    for number in numbers:
        number.bounds  # noqa: B018  a bound is refused
    return numbers


def sum_to(parts: Sequence[Any], total: Any = None, *, counts: bool = False) -> Finding:
    """Check that printed parts may add up to a printed total.

    The sum of m rounded parts lies in [sum of low ends, sum of high ends], m units wide; the total agrees when its own
    interval meets that one.

    Parameters
    ----------
    parts : sequence of printed numbers
    total : printed number, optional
        A string is a rounded number; an int or a Fraction is exact. By default 100 exactly where a part ends with ``%``
        or the sum is above 2, else 1.
    counts : bool
        True when the numbers are counts: whole numbers without rounding, so that they must add up exactly.

    Returns
    -------
    Finding

    Raises
    ------
    InputError
        For fewer than two parts, or text that is no number.

    Examples
    --------
    >>> sum_to(["33.3", "33.3", "33.3"], 100).verdict, sum_to(["33.3", "33.3", "33.9"], "100.0").message
    ('agree', 'sources disagree: 100.0 is printed, the sum of 3 parts gives 100.35 to 100.65')
    """
    numbers = needed(parts, "parts", 2)
    if total is None:
        percent = any(n.percent for n in numbers) or sum(n.value for n in numbers) > 2
        total = 100 if percent else 1
    total = Fraction(total) if isinstance(total, int) else total
    goal, *numbers = same_units([printed(total), *numbers])
    if counts:
        goal, *numbers = [exact_count(number) for number in (goal, *numbers)]
    low, high = (sum((n.bounds[end] for n in numbers), Fraction(0)) for end in (0, 1))
    source = f"the sum of {count(len(numbers), 'part')}"
    finding = compare("sum_to", goal, low, high, source=source)
    if counts and not any(number.unit for number in (goal, *numbers)):
        return replace(finding, noticed=2 * NEIGHBOURS, neighbours=2 * NEIGHBOURS)  # every other total is noticed
    return finding if goal.unit else with_part_power(finding, numbers[0], goal, low, high)


def with_part_power(finding: Finding, part: Printed, goal: Printed, low: Fraction, high: Fraction) -> Finding:
    """Give the power of a check against an exact total: what it notices when one part had been printed otherwise."""
    first_low, first_high = part.bounds

    def accepts(other: Printed) -> bool:
        other_low, other_high = other.bounds
        return goal.meets(low - first_low + other_low, high - first_high + other_high)

    noticed, of = neighbours_noticed(part, accepts)
    return replace(finding, noticed=noticed, neighbours=of)


def count_percent(count: Any, percent: Any, total: Any, *, scale: int = 100) -> Finding:
    """Check a percentage against its count and the total that it is a part of.

    percent = scale x count / total, with every printed number an interval.

    Parameters
    ----------
    count : printed number
    percent : printed number
    total : printed number, or a sequence of them
        The denominator; a sequence is added up, so that the total need not be printed.
    scale : int
        100 for percentages, 1 for shares.

    Returns
    -------
    Finding
        ``not_checkable`` for a total of 0.

    Raises
    ------
    InputError
        For text that is no number, and negative counts.

    Examples
    --------
    >>> count_percent("328", "24.6", [39, 52, 328, 862]).message
    'sources disagree: 24.6 is printed, 100 x 328 / 1281 gives 25.605'
    >>> count_percent("328", "24.6", [89, 52, 328, 862]).verdict
    'agree'
    """
    parts = needed(total if isinstance(total, list | tuple) else [total], "total")
    number, part = printed(percent), exact_count(printed(count))
    if number.percent and scale == 1:
        number = number.share()
    sums = [sum((exact_count(p).bounds[end] for p in parts), Fraction(0)) for end in (0, 1)]
    if part.bounds[0] < 0 or sums[0] < 0:
        raise InputError(f"count={part.text}, total={parts[0].text}: counts cannot be negative")
    whole = shown(sums[0], sums[1], Fraction(1)) if len(parts) > 1 else parts[0].text
    if sums[0] <= 0:
        message = f"a percentage of a total of {whole} does not exist"
        return Finding(rule="count_percent", verdict="not_checkable", message=message, published=number.text)
    low, high = scale * part.bounds[0] / sums[1], scale * part.bounds[1] / sums[0]
    return compare("count_percent", number, low, high, source=f"{scale} x {part.text} / {whole}")


def exact_count(number: Printed) -> Printed:
    """Return a count printed in full as exact; ``1.5e3`` and ``12.5`` keep their interval."""
    if number.relation == "=" and number.unit == 1:
        return replace(number, unit=Fraction(0), low=number.value, high=number.value)
    return number

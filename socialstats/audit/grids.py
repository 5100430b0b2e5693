"""GRIM: a mean of n whole numbers is one of finitely many; and the same for scores of -1 and +1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

from socialstats.audit.finding import Finding, compare, gap_of, neighbours_noticed, shown
from socialstats.audit.means import exact
from socialstats.audit.numbers import Printed, Rounding, interval_of, printed, whole
from socialstats.errors import InputError

OF = ("either", "mean", "difference")


def grim(mean: Any, n: Any, *, items: Any = 1, scale: Any = 1, rounding: Rounding = "half") -> Finding:
    """Check that a printed mean of n whole numbers is possible (GRIM).

    The possible means are k scale / (n items) for whole k (Brown & Heathers 2017): the mean is possible when a whole k
    lies between low n items / scale and high n items / scale. Where these steps are no coarser than one unit of the
    last digit nothing could ever be impossible: ``no_power``.

    Parameters
    ----------
    mean : printed number
        ``67.3%`` and ``scale=100`` are percentages of n.
    n : whole number
        People (or answers).
    items : whole number
        Whole-number items averaged for each person.
    scale : number
        Step of one answer: 1; 100 for percentages; 0.5 for half points.
    rounding : {"half", "truncate", "floor", "ceil", "any"}
        How the mean was printed; used when `mean` is not a `Printed` already.

    Returns
    -------
    Finding

    Raises
    ------
    InputError
        For text that is no number, n or items that are not whole.

    References
    ----------
    Brown, N. J. L., & Heathers, J. A. J. (2017). The GRIM test. Social Psychological and Personality Science, 8(4),
    363-369. https://doi.org/10.1177/1948550616673876

    Examples
    --------
    >>> grim("5.19", 40).message
    'sources disagree: 5.19 is printed, a mean of 40 whole numbers is 5.175 or 5.2'
    >>> grim("67.3%", 52).verdict, grim("67.4%", 52).verdict, grim("3.5", 40).verdict
    ('agree', 'disagree', 'no_power')
    """
    number = printed(mean, rounding=rounding)
    people, per_person = whole(n, "n"), whole(items, "items")
    step = exact(scale, "scale")
    step = Fraction(100) if number.percent and step == 1 else step
    what = f"a mean of {people} whole numbers"
    if per_person > 1:
        what = f"a mean of {people} x {per_person} whole numbers"
    elif step != 1:
        what = f"a multiple of {_short(step)} / {people}"
    return on_grid("grim", number, step / (people * per_person), what)


def granularity(
    value: Any, n: Any, step: Any = 2, *, of: Literal["either", "mean", "difference"] = "either"
) -> Finding:
    """Check that a printed mean of n scores of -1 and +1, or a difference of two, is possible.

    A mean of n such scores is -1, -1 + 2/n, ..., 1, and a difference of two such means a multiple of 2/n (the same grid
    where n is even). A value off the grid means that fewer than n answers entered somewhere (missing answers), or that
    something else was averaged.

    Parameters
    ----------
    value : printed number
    n : whole number
        Answers in each mean.
    step : number
        Change of the sum when one answer changes: 2 for scores of -1 and +1, 1 for 0 and 1.
    of : {"either", "mean", "difference"}
        What the value is. The grid of a mean starts at the lowest score, that of a difference at 0; ``either`` allows
        both. With ``step=1`` (scores of 0 and 1) they are the same.

    Returns
    -------
    Finding

    Examples
    --------
    >>> granularity("0.35", 40).verdict, granularity("0.36", 40).verdict
    ('agree', 'disagree')
    """
    if of not in OF:
        raise InputError(f"of={of!r} is not one of {', '.join(OF)}")
    number, size, change = printed(value), whole(n, "n"), exact(step, "step")
    lowest = Fraction(0) if change == 1 else -change / 2
    starts = {"mean": (lowest,), "difference": (Fraction(0),), "either": (Fraction(0), lowest)}[of]
    most = change if of == "difference" or (of == "either" and change != 1) else lowest + change
    limits = (-change if of != "mean" else lowest, most)
    if not number.meets(*limits):
        return compare("granularity", number, *limits, source="the range of such answers")
    what = f"a mean of {size} answers, in steps of {_short(change / size)},"
    finding = on_grid("granularity", number, change / size, what, starts)
    if finding.verdict == "disagree":
        finding = replace(finding, message=f"{finding.message}: fewer than {size} answers may have entered")
    return finding


def _short(number: Fraction) -> str:
    return str(int(number)) if number.denominator == 1 else f"{float(number):.6g}"


def on_grid(
    rule: str, number: Printed, grid: Fraction, what: str, starts: Sequence[Fraction] = (Fraction(0),)
) -> Finding:
    """Check that start + k times `grid`, for a whole k and one of the starts, may have been printed as this number."""
    if grid <= 0:
        raise InputError(f"a step of {grid} between possible values must be above 0")
    low, high = number.bounds
    if number.unit and high - low >= _widest_gap(grid, starts):
        message = f"{what} may be any number with so many decimals: this check could not have failed"
        return Finding(rule=rule, verdict="no_power", message=message, published=number.text)
    noticed, of = neighbours_noticed(number, lambda other: _first(*other.bounds, grid, starts) is not None)
    inside = _first(low, high, grid, starts)
    if inside is not None:
        expected = shown(inside, inside, number.unit)
        return Finding(
            rule=rule, verdict="agree", published=number.text, expected=expected, noticed=noticed, neighbours=of,
            message=f"{number.text} is possible: {what} may be {expected}",
            details={"k": inside / grid, "step": grid},
        )  # fmt: skip
    below = max(math.floor((number.value - s) / grid) * grid + s for s in starts)
    above = min(math.ceil((number.value - s) / grid) * grid + s for s in starts)
    expected = " or ".join(shown(x, x, number.unit) for x in (below, above))
    cut = cut_off_fits(number, grid, starts)
    message = f"sources disagree: {number.text} is printed, {what} is {expected}"
    message += " (cut off instead of rounded, the number would fit)" if cut else ""
    return Finding(
        rule=rule, verdict="disagree", severity="minor" if cut else "major", message=message, published=number.text,
        expected=expected, gap=min(gap_of(number, x, x) for x in (below, above)), noticed=noticed, neighbours=of,
        details={"step": grid},
    )  # fmt: skip


def _widest_gap(grid: Fraction, starts: Sequence[Fraction]) -> Fraction:
    """Return the widest gap between neighbouring possible values."""
    places = sorted({start % grid for start in starts})
    return max(b - a for a, b in pairwise([*places, places[0] + grid]))


def _first(low: Fraction, high: Fraction, grid: Fraction, starts: Sequence[Fraction]) -> Fraction | None:
    """Return a possible value from `low` to `high`, None where there is none."""
    for start in starts:
        for k in multiples(low - start, high - start, grid):
            return start + k * grid
    return None


def multiples(low: Fraction, high: Fraction, grid: Fraction) -> range:
    """Return the whole numbers k for which k times `grid` lies from `low` to `high`."""
    return range(math.ceil(low / grid), math.floor(high / grid) + 1)


def cut_off_fits(number: Printed, grid: Fraction, starts: Sequence[Fraction] = (Fraction(0),)) -> bool:
    """Tell whether a number fits the grid if its digits were cut off rather than rounded."""
    if number.relation != "=" or number.rounding != "half":
        return False
    low, high = interval_of(number.value, number.unit, "truncate")
    return any(
        abs(start + k * grid - number.value) < number.unit
        for start in starts
        for k in multiples(low - start, high - start, grid)
    )

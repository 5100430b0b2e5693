"""GRIM: a mean of n whole numbers is one of finitely many; and the same for scores of -1 and +1."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

from socialstats.audit.finding import Finding, gap_of, neighbours_noticed, shown
from socialstats.audit.means import exact
from socialstats.audit.numbers import Printed, Rounding, interval_of, printed, whole
from socialstats.errors import InputError


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
    step = Fraction(100) if number.percent and scale == 1 else exact(scale, "scale")
    what = f"a mean of {people} whole numbers"
    if per_person > 1:
        what = f"a mean of {people} x {per_person} whole numbers"
    elif step != 1:
        what = f"a multiple of {_short(step)} / {people}"
    return on_grid("grim", number, step / (people * per_person), what)


def granularity(value: Any, n: Any, *, step: Any = 2) -> Finding:
    """Check that a printed mean of n scores of -1 and +1 (or its difference) is possible: it detects missing answers.

    A mean of n such scores moves in steps of 2/n, and so does the difference of two of the same n. A value off that
    grid means that fewer than n answers entered somewhere (missing answers), or that something else was averaged.

    Parameters
    ----------
    value : printed number
    n : whole number
        Answers in each mean.
    step : number
        Change of the sum when one answer changes: 2 for scores of -1 and +1, 1 for 0 and 1.

    Returns
    -------
    Finding

    Examples
    --------
    >>> granularity("0.35", 40).verdict, granularity("0.36", 40).verdict
    ('agree', 'disagree')
    """
    number, size = printed(value), whole(n, "n")
    grid = exact(step, "step") / size
    finding = on_grid("granularity", number, grid, f"a mean of {size} answers, in steps of {_short(grid)},")
    if finding.verdict == "disagree":
        finding = replace(finding, message=f"{finding.message}: fewer than {size} answers may have entered")
    return finding


def _short(number: Fraction) -> str:
    return str(int(number)) if number.denominator == 1 else f"{float(number):.6g}"


def on_grid(rule: str, number: Printed, grid: Fraction, what: str) -> Finding:
    """Check that a whole multiple of `grid` may have been printed as this number."""
    if grid <= 0:
        raise InputError(f"a step of {grid} between possible values must be above 0")
    low, high = number.bounds
    if number.unit and high - low >= grid:
        message = f"{what} may be any number with so many decimals: this check could not have failed"
        return Finding(rule=rule, verdict="no_power", message=message, published=number.text)
    noticed, of = neighbours_noticed(number, lambda other: bool(multiples(*other.bounds, grid)))
    below, above = math.floor(number.value / grid) * grid, math.ceil(number.value / grid) * grid
    inside = multiples(low, high, grid)
    if inside:
        expected = shown(inside[0] * grid, inside[0] * grid, number.unit)
        return Finding(
            rule=rule, verdict="agree", published=number.text, expected=expected, noticed=noticed, neighbours=of,
            message=f"{number.text} is possible: {what} may be {expected}", details={"k": inside[0], "step": grid},
        )  # fmt: skip
    expected = " or ".join(shown(x, x, number.unit) for x in (below, above))
    gap = min(gap_of(number, x, x) for x in (below, above))
    message = f"sources disagree: {number.text} is printed, {what} is {expected}"
    if cut_off_fits(number, grid):
        message += " (cut off instead of rounded, the number would fit)"
    return Finding(
        rule=rule, verdict="disagree", severity="minor" if cut_off_fits(number, grid) else "major", gap=gap,
        message=message, published=number.text, expected=expected, noticed=noticed, neighbours=of,
        details={"step": grid},
    )  # fmt: skip


def multiples(low: Fraction, high: Fraction, grid: Fraction) -> range:
    """Return the whole numbers k for which k times `grid` lies from `low` to `high`."""
    return range(math.ceil(low / grid), math.floor(high / grid) + 1)


def cut_off_fits(number: Printed, grid: Fraction) -> bool:
    """Tell whether a number fits the grid if its digits were cut off rather than rounded."""
    if number.relation != "=" or number.rounding != "half":
        return False
    low, high = interval_of(number.value, number.unit, "truncate")
    return any(abs(k * grid - number.value) < number.unit for k in multiples(low, high, grid))

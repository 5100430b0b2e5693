"""Means and their parts: weighted, unweighted, of absolute values; what lies outside the hull of the parts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from socialstats.audit.finding import Finding, compare, shown
from socialstats.audit.numbers import Printed, printed, same_units
from socialstats.audit.sums import needed
from socialstats.errors import InputError


def weighted_mean(value: Any, parts: Sequence[Any], weights: Sequence[Any]) -> Finding:
    """Check that a printed value may be the weighted mean of printed parts, and whether it is inside their hull.

    The mean lies in [sum w_k low_k / sum w_k, sum w_k high_k / sum w_k]. A value outside the range of the parts (their
    convex hull) is no weighted mean of them whatever the weights: `details["outside_hull"]`, and the severity is major.
    A value that fits equal weights instead is said to (`details["fits_equal_weights"]`).

    Parameters
    ----------
    value : printed number
    parts : sequence of printed numbers
    weights : sequence of numbers
        One a part, exact (sizes of the groups); not negative.

    Returns
    -------
    Finding

    Raises
    ------
    InputError
        For unequal lengths, negative weights, or a sum of weights of 0.

    Examples
    --------
    >>> weighted_mean("0.558", ["0.469", "0.931"], [16, 13]).expected
    '0.6756 to 0.6766'
    >>> weighted_mean("1.2", ["0.469", "0.931"], [16, 13]).details["outside_hull"]
    True
    """
    number, *numbers = same_units([printed(value), *needed(parts, "parts")])
    sizes = [exact(weight, "weights") for weight in weights]
    if len(sizes) != len(numbers):
        raise InputError(f"{len(numbers)} parts and {len(sizes)} weights: give one weight a part")
    if min(sizes) < 0 or sum(sizes) == 0:
        raise InputError("weights must not be negative, and not all 0")
    low, high = (mean([n.bounds[end] for n in numbers], sizes) for end in (0, 1))
    finding = compare("weighted_mean", number, low, high, source=f"the weighted mean of {len(numbers)} parts")
    return _explained(finding, number, numbers)


def _explained(finding: Finding, number: Printed, numbers: Sequence[Printed]) -> Finding:
    """Say of a disagreement whether the value is outside the hull, and whether equal weights fit."""
    least, most = min(n.bounds[0] for n in numbers), max(n.bounds[1] for n in numbers)
    outside = not number.meets(least, most)
    equal = number.meets(*(mean([n.bounds[end] for n in numbers], [Fraction(1)] * len(numbers)) for end in (0, 1)))
    details = {"outside_hull": outside, "fits_equal_weights": equal, "hull_low": least, "hull_high": most}
    if finding.verdict != "disagree":
        return replace(finding, details=details)
    said = finding.message
    if outside:
        said += f"; no weights give it: all parts lie in {shown(least, most, number.unit)}"
    elif equal:
        said += "; the unweighted mean fits"
    return replace(finding, message=said, details=details, severity="major" if outside else finding.severity)


def mean(values: Sequence[Fraction], weights: Sequence[Fraction]) -> Fraction:
    """Return the weighted mean of exact numbers."""
    return sum((v * w for v, w in zip(values, weights, strict=True)), Fraction(0)) / sum(weights)


def exact(value: Any, name: str) -> Fraction:
    """Read a number that is exact as written, such as a weight or a size."""
    number = printed(value)
    if number.relation != "=":
        raise InputError(f"{name}: '{number.text}' is a bound, not a number")
    return number.share().value


def hull(value: Any, parts: Sequence[Any]) -> Finding:
    """Check that a printed value is within the range of its parts, as every mean of them is.

    Parameters
    ----------
    value : printed number
    parts : sequence of printed numbers

    Returns
    -------
    Finding

    Examples
    --------
    >>> hull("0.291", ["0.079", "0.397"]).verdict, hull("0.423", ["0.369", "0.213"]).verdict
    ('agree', 'disagree')
    """
    number, *numbers = same_units([printed(value), *needed(parts, "parts")])
    low, high = min(n.bounds[0] for n in numbers), max(n.bounds[1] for n in numbers)
    return compare("hull", number, low, high, source=f"the range of its {len(numbers)} parts")


def mean_of(value: Any, parts: Sequence[Any]) -> Finding:
    """Check that a printed value may be the unweighted mean of printed parts.

    Parameters
    ----------
    value : printed number
    parts : sequence of printed numbers

    Returns
    -------
    Finding

    Examples
    --------
    >>> mean_of("0.42", ["0.524", "0.316"]).verdict, mean_of("0.43", ["0.524", "0.316"]).verdict
    ('agree', 'disagree')
    """
    number, *numbers = same_units([printed(value), *needed(parts, "parts")])
    low, high = (mean([n.bounds[end] for n in numbers], [Fraction(1)] * len(numbers)) for end in (0, 1))
    return compare("mean_of", number, low, high, source=f"the mean of {len(numbers)} parts")


def mean_abs(value: Any, parts: Sequence[Any]) -> Finding:
    """Check that a printed value may be the mean of the absolute values of printed parts.

    Parameters
    ----------
    value : printed number
    parts : sequence of printed numbers

    Returns
    -------
    Finding

    Examples
    --------
    >>> mean_abs("0.053", ["-0.06", "-0.02", "0.08"]).verdict, mean_abs("0.10", ["-0.06", "-0.02", "0.08"]).verdict
    ('agree', 'disagree')
    """
    number, *numbers = same_units([printed(value), *needed(parts, "parts")])
    ends = [absolute(*n.bounds) for n in numbers]
    low, high = (sum((e[end] for e in ends), Fraction(0)) / len(ends) for end in (0, 1))
    return compare("mean_abs", number, low, high, source=f"the mean of {len(numbers)} absolute values")


def absolute(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """Return the range of the absolute value of a number between two ends."""
    least = Fraction(0) if low <= 0 <= high else min(abs(low), abs(high))
    return least, max(abs(low), abs(high))


def sd_of(value: Any, parts: Sequence[Any], *, ddof: int = 1) -> Finding:
    """Check that a printed value may be the standard deviation of printed parts.

    The standard deviation is a seminorm, so rounding moves it by at most that of the rounding errors:
    sqrt(sum h_i^2 / (m - ddof)) with half widths h_i.

    Parameters
    ----------
    value : printed number
    parts : sequence of printed numbers
    ddof : {0, 1}
        Divisor m - ddof.

    Returns
    -------
    Finding
        A disagreement says when the other divisor fits.

    Examples
    --------
    >>> sd_of("1.29", ["1", "2", "3", "4"], ddof=0).verdict
    'agree'
    >>> sd_of("1.118", ["1.000", "2.000", "3.000", "4.000"]).message.partition("; ")[2]
    'ddof 0 fits'
    """
    if ddof not in (0, 1):
        raise InputError(f"ddof={ddof!r} is not 0 or 1")
    number, *numbers = same_units([printed(value), *needed(parts, "parts", 2)])
    low, high = _sd_range(numbers, ddof)
    source = f"the standard deviation of {len(numbers)} parts (ddof {ddof})"
    finding = compare("sd_of", number, low, high, source=source, details={"ddof": ddof})
    if finding.verdict == "disagree" and number.meets(*_sd_range(numbers, 1 - ddof)):
        finding = replace(finding, message=f"{finding.message}; ddof {1 - ddof} fits", severity="minor")
    return finding


def _sd_range(numbers: Sequence[Printed], ddof: int) -> tuple[Fraction, Fraction]:
    middles = [sum(n.bounds) / 2 for n in numbers]
    center = sum(middles, Fraction(0)) / len(middles)
    spread = math.sqrt(sum((m - center) ** 2 for m in middles) / (len(middles) - ddof))
    slack = math.sqrt(sum(((n.bounds[1] - n.bounds[0]) / 2) ** 2 for n in numbers) / (len(middles) - ddof))
    slack += 1e-9 * (1 + spread)  # square roots are rounded; the slack is on the side of agreement
    return Fraction(max(0.0, spread - slack)), Fraction(spread + slack)

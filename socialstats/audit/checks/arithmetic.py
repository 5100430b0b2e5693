"""Numbers that follow from other printed numbers: totals, percentages, means, composites, limits, reference lines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

from socialstats.audit.checks.variants import (
    Range,
    Variant,
    hull_of_ranges,
    judge,
    mean_of_ranges,
    sum_of_ranges,
    words,
)
from socialstats.audit.numbers import (
    ENDLESS,
    NEIGHBOURS,
    Finding,
    Printed,
    absolute,
    compare,
    neighbours_noticed,
    one_of,
    printed,
    same_units,
    shown,
    unchecked,
    weighed,
    whole,
)
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
        raise InputError(
            f"{name} holds {count(len(numbers), 'number')}: this check needs at least {least}"
        )
    for number in numbers:
        number.bounds  # noqa: B018  a bound is refused
    return numbers


def value_and_parts(
    value: Any, parts: Sequence[Any], name: str, least: int = 1
) -> tuple[Printed, list[Printed], list[Range]]:
    """Read a number and those that it follows from, in one unit; also return the ranges of the latter."""
    number, *numbers = same_units([printed(value), *needed(parts, name, least)])
    return number, numbers, [part.bounds for part in numbers]


def sum_to(parts: Sequence[Any], total: Any = None, *, counts: bool = False) -> Finding:
    """Check that printed parts may add up to a printed total.

    The sum of m rounded parts lies in [sum of low ends, sum of high ends], m units wide. The total agrees when its own
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
    low, high = sum_of_ranges(number.bounds for number in numbers)
    source = f"the sum of {count(len(numbers), 'part')}"
    finding = compare("sum_to", goal, low, high, source=source)
    if counts and not any(number.unit for number in (goal, *numbers)):
        # any other whole number would fail
        return replace(finding, noticed=2 * NEIGHBOURS, neighbours=2 * NEIGHBOURS)
    return finding if goal.unit else with_part_power(finding, numbers[0], goal, low, high)


def with_part_power(
    finding: Finding, part: Printed, goal: Printed, low: Fraction, high: Fraction
) -> Finding:
    """Give the power of a check against an exact total: what it notices when one part had been printed otherwise."""
    first_low, first_high = part.bounds

    def accepts(other: Printed) -> bool:
        other_low, other_high = other.bounds
        return goal.meets(low - first_low + other_low, high - first_high + other_high)

    noticed, of = neighbours_noticed(part, accepts)
    return weighed(replace(finding, noticed=noticed, neighbours=of))


def count_percent(
    count: Any, percent: Any, total: Any | Sequence[Any], *, scale: int = 100
) -> Finding:
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
    sums = sum_of_ranges(exact_count(p).bounds for p in parts)
    if part.bounds[0] < 0 or sums[0] < 0:
        raise InputError(f"count={part.text}, total={parts[0].text}: counts cannot be negative")
    whole = shown(*sums, Fraction(1)) if len(parts) > 1 else parts[0].text
    if sums[0] <= 0:
        return unchecked(
            "count_percent", f"a percentage of a total of {whole} is undefined", number
        )
    low, high = scale * part.bounds[0] / sums[1], scale * part.bounds[1] / sums[0]
    return compare("count_percent", number, low, high, source=f"{scale} x {part.text} / {whole}")


def exact_count(number: Printed) -> Printed:
    """Return a count printed in full as exact; ``1.5e3`` and ``12.5`` keep their interval."""
    if number.relation == "=" and number.unit == 1:
        return replace(number, unit=Fraction(0), low=number.value, high=number.value)
    return number


def weighted_mean(value: Any, parts: Sequence[Any], weights: Sequence[Any]) -> Finding:
    """Check that a printed value may be the weighted mean of printed parts, and whether it is inside their hull.

    The mean lies in [sum w_k low_k / sum w_k, sum w_k high_k / sum w_k]. A value outside the range of the parts (their
    convex hull) is no weighted mean of them whatever the weights: `details["outside_hull"]`, and the severity is major.
    A value that fits equal weights instead is marked in `details["fits_equal_weights"]`.

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
    number, numbers, ranges = value_and_parts(value, parts, "parts")
    sizes = [exact(weight, "weights") for weight in weights]
    if len(sizes) != len(numbers):
        raise InputError(f"{len(numbers)} parts and {len(sizes)} weights: give one weight a part")
    if min(sizes) < 0 or sum(sizes) == 0:
        raise InputError("weights must not be negative, and not all 0")
    source = f"the weighted mean of {len(numbers)} parts"
    finding = compare("weighted_mean", number, *mean_of_ranges(ranges, sizes), source=source)
    return _explained(finding, number, ranges)


def _explained(finding: Finding, number: Printed, ranges: Sequence[Range]) -> Finding:
    """State of a disagreement whether the value is outside the hull, and whether equal weights fit."""
    least, most = hull_of_ranges(ranges)
    outside = not number.meets(least, most)
    equal = number.meets(*mean_of_ranges(ranges))
    details = {
        "outside_hull": outside,
        "fits_equal_weights": equal,
        "hull_low": least,
        "hull_high": most,
    }
    if finding.verdict != "disagree":
        return replace(finding, details=details)
    if outside:
        message = f"{finding.message}; no weights give it: all parts lie in {shown(least, most, number.unit)}"
        return replace(finding, message=message, details=details, severity="major")
    message = f"{finding.message}{'; the unweighted mean fits' * equal}"
    return replace(finding, message=message, details=details)


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
    >>> hull("0.39", ["0.08", "0.40"]).verdict, hull("0.41", ["0.08", "0.40"]).verdict
    ('agree', 'disagree')
    """
    number, numbers, ranges = value_and_parts(value, parts, "parts")
    units = {last_unit(number, part) for part in numbers}
    against = units.pop() if len(units) == 1 else None
    source = f"the range of its {len(numbers)} parts"
    return compare("hull", number, *hull_of_ranges(ranges), source=source, against=against)


def last_unit(number: Printed, other: Printed, factor: Fraction = Fraction(1)) -> Fraction | None:
    """Return the unit of the last digit of another number where both are rounded half: rounding keeps their order."""
    rounded = number.rounding == other.rounding == "half" and other.unit
    return abs(factor) * other.unit if rounded else None


def extreme(
    value: Any, parts: Sequence[Any], *, which: Literal["largest", "smallest"] = "largest"
) -> Finding:
    """Check a claim that a printed value is the largest, or the smallest, of several; a tie agrees.

    Parameters
    ----------
    value : printed number
    parts : sequence of printed numbers
        The others; the value itself may be among them.
    which : {"largest", "smallest"}

    Returns
    -------
    Finding

    Examples
    --------
    >>> extreme("0.77", ["0.89", "0.69"]).message
    'sources disagree: 0.77 is printed, the largest of 3 numbers gives at least 0.89'
    >>> extreme("0.69", ["0.89", "0.69"], which="smallest").verdict
    'agree'
    """
    one_of("which", which, ("largest", "smallest"))
    number, numbers, _ = value_and_parts(value, parts, "parts")
    if which == "largest":
        rival = max(numbers, key=lambda other: other.value)
        ends, expected = (rival.bounds[0], ENDLESS), f"at least {rival.text}"
    else:
        rival = min(numbers, key=lambda other: other.value)
        ends, expected = (-ENDLESS, rival.bounds[1]), f"at most {rival.text}"
    source = f"the {which} of {count(len(numbers) + 1, 'number')}"
    against = last_unit(number, rival)
    return _limited("extreme", number, ends, source, expected=expected, against=against)


def _limited(
    rule: str,
    number: Printed,
    limits: Range,
    source: str,
    *,
    expected: str = "",
    against: Fraction | None = None,
) -> Finding:
    """Compare a number with limits; agreement counts even if all numbers nearby would have agreed."""
    expected = expected or words("", limits, Fraction(0))
    finding = compare(rule, number, *limits, source=source, expected=expected, against=against)
    if not finding:
        return finding
    message = f"{number.text} agrees with {source}, {expected}"
    neighbours = finding.neighbours if finding.noticed else 0
    return replace(finding, verdict="agree", message=message, neighbours=neighbours)


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
    number, numbers, ranges = value_and_parts(value, parts, "parts")
    return compare(
        "mean_of", number, *mean_of_ranges(ranges), source=f"the mean of {len(numbers)} parts"
    )


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
    number, numbers, ranges = value_and_parts(value, parts, "parts")
    sizes = [absolute(*ends) for ends in ranges]
    source = f"the mean of {len(numbers)} absolute values"
    return compare("mean_abs", number, *mean_of_ranges(sizes), source=source)


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
    'no_power'
    >>> sd_of("1.118", ["1.000", "2.000", "3.000", "4.000"]).message.partition("; ")[2]
    'ddof 0 fits'
    """
    if ddof not in (0, 1):
        raise InputError(f"ddof={ddof!r} is not 0 or 1")
    number, numbers, ranges = value_and_parts(value, parts, "parts", 2)
    variants = [
        Variant(name=f"ddof {d}", gives={"sd": _sd_range(ranges, d)}, usual=d == ddof)
        for d in (0, 1)
    ]
    return judge("sd_of", {"sd": number}, variants, f"{len(numbers)} parts")


def _sd_range(ranges: Sequence[Range], ddof: int) -> Range:
    middles = [(low + high) / 2 for low, high in ranges]
    center = sum(middles, Fraction(0)) / len(middles)
    divisor = len(ranges) - ddof
    spread = math.sqrt(sum((middle - center) ** 2 for middle in middles) / divisor)
    slack = math.sqrt(sum(((high - low) / 2) ** 2 for low, high in ranges) / divisor)
    slack += 1e-9 * (1 + spread)  # square roots are rounded; the slack is on the side of agreement
    return Fraction(max(0.0, spread - slack)), Fraction(spread + slack)


def subset_mean(
    value: Any,
    n: Any,
    means: Sequence[Any],
    sizes: Sequence[Any],
    *,
    low: Any,
    high: Any,
    taken: Sequence[Any] | None = None,
) -> Finding:
    """Check that a printed value may be the mean of n of the units whose group means are printed.

    Groups k have size N_k and mean m_k, every unit's value lies in [low, high]. With t_k units of group k in the part,
    their sum lies in [max(low t_k, N_k m_k - high (N_k - t_k)), min(high t_k, N_k m_k - low (N_k - t_k))]; the bounds
    are those of the best split t_1 + t_2 + ... = n, exactly.

    Parameters
    ----------
    value : printed number
    n : whole number
        Units in the part.
    means : sequence of printed numbers
    sizes : sequence of whole numbers
        Units in each group.
    low, high : number
        Ends of one unit's value.
    taken : sequence of whole numbers, optional
        Units of each group that are in the part, where that is known; by default every split is allowed.

    Returns
    -------
    Finding

    Examples
    --------
    >>> found = subset_mean("0.2", 2, ["0.5", "1.0"], [2, 2], low=0, high=1)
    >>> found.verdict, found.expected
    ('disagree', '0.45 to 1')
    """
    number, numbers, ranges = value_and_parts(value, means, "means")
    counts = [whole(size, "sizes") for size in sizes]
    part, ends = whole(n, "n"), (exact(low, "low"), exact(high, "high"))
    if len(counts) != len(numbers):
        raise InputError(f"{len(numbers)} means and {len(counts)} sizes: give one size a mean")
    if part > sum(counts) or ends[0] >= ends[1]:
        raise InputError(
            f"n={part} of {sum(counts)} units with values from {low} to {high} is not possible"
        )
    split = None if taken is None else [whole(t, "taken", least=0) for t in taken]
    if split is not None and (len(split) != len(counts) or sum(split) != part):
        raise InputError(f"taken must hold one count a group, and add up to n={part}")
    lows, highs = zip(*ranges, strict=True)
    least = _least_sum(lows, counts, part, ends, split)
    mirrored = [-high for high in highs]
    most = -_least_sum(mirrored, counts, part, (-ends[1], -ends[0]), split)
    which = "any " if split is None else ""
    source = f"the mean of {which}{part} of {count(sum(counts), 'unit')} in {count(len(counts), 'group')}"
    return compare("subset_mean", number, least / part, most / part, source=source)


def _least_sum(
    means: Sequence[Fraction],
    sizes: Sequence[int],
    part: int,
    ends: Range,
    split: Sequence[int] | None,
) -> Fraction:
    """Return the least sum that `part` units can have, over all splits among the groups, or a given one.

    Each cost is convex in t, so the units that add least, of whatever group, are taken first.
    """
    costs = [
        [max(ends[0] * t, size * mean - ends[1] * (size - t)) for t in range(min(size, part) + 1)]
        for mean, size in zip(means, sizes, strict=True)
    ]
    if split is not None:
        return sum((cost[t] for cost, t in zip(costs, split, strict=True)), Fraction(0))
    more = sorted(after - before for cost in costs for before, after in pairwise(cost))
    return sum((cost[0] for cost in costs), sum(more[:part], Fraction(0)))


def alpha_bound(value: Any, raters: Any) -> Finding:
    """Check a printed alpha or Fleiss' kappa of units with m ratings each: it is at least -1/(m - 1), at most 1.

    The mean squared distance of two ratings of a unit is at most m/(m - 1) times that of two ratings of all units. No
    group varies more around its own mean than around the common one. This holds for nominal and interval distances, and
    for ordinal ones with the ranks as they are. Krippendorff's alpha is even above the bound.

    Parameters
    ----------
    value : printed number
    raters : whole number
        Ratings of each unit, all of them complete.

    Returns
    -------
    Finding

    Examples
    --------
    >>> alpha_bound("-0.032", 50).message
    'sources disagree: -0.032 is printed, agreement of 50 ratings a unit gives -0.0204 to 1'
    """
    m = whole(raters, "raters", least=2)
    limits = Fraction(-1, m - 1), Fraction(1)
    return _limited("alpha_bound", printed(value), limits, f"agreement of {m} ratings a unit")


Chooser = Literal["rule", "coin", "ranking", "all_or_nothing", "largest"]
SCALED = 75  # 100 x 3 conditions x 1/4, the variance of one fair coin flip


def text_against_table(value: Any, source: Any, *, scale: Any = 1, shift: Any = 0) -> Finding:
    """Check a number of the text (or of another table) against its source: value = scale x source + shift.

    Parameters
    ----------
    value, source : printed numbers
        One may be a bound (``<.001``) or have fewer decimals.
    scale, shift : number
        Exact: 0.01 for a mean of 100 units whose sum is `source`.

    Returns
    -------
    Finding

    Examples
    --------
    >>> text_against_table("46.28", "46.11").verdict, text_against_table("16.3", "16.27").verdict
    ('disagree', 'agree')
    """
    number, other = same_units([printed(value), printed(source)])
    factor, added = exact(scale, "scale"), exact(shift, "shift")
    if factor == 0:
        raise InputError("scale=0 makes every source equal: it must not be 0")
    low, high = sorted(factor * end + added for end in other.reach)
    times = "" if factor == 1 else f"{float(factor):.6g} x "
    plus = "" if added == 0 else f" {'+' if added > 0 else '-'} {float(abs(added)):.6g}"
    return compare(
        "text_against_table",
        number,
        low,
        high,
        source=f"the other source ({times}{other.text}{plus})",
        expected=words("", (low, high), number.unit),
        against=last_unit(number, other, factor) if other.relation == "=" else None,
    )


def linear_composite(
    value: Any,
    scores: Sequence[Any] | Mapping[str, Any],
    weights: Sequence[Any] | Mapping[str, Any],
    *,
    center: Any = 0,
    divisor: Any = 1,
    shift: Any = 0,
) -> Finding:
    """Check a weighted composite: value = sum of weight x (score - center), over divisor, plus shift.

    Parameters
    ----------
    value : printed number
    scores : sequence or mapping of printed numbers
    weights : sequence or mapping of numbers
        Exact as written. Two mappings are joined by key, never by position.
    center, divisor, shift : number
        Exact.

    Returns
    -------
    Finding

    Raises
    ------
    InputError
        For scores without a weight, weights without a score, divisor 0.

    Examples
    --------
    >>> linear_composite("0.97", ["95.23810"], ["0.0063"], shift="0.37").verdict
    'agree'
    >>> linear_composite("7.0", {"a": "13", "b": "8"}, {"b": -1, "a": 1}, center=10).expected
    '4 to 6'
    """
    if isinstance(scores, Mapping) != isinstance(weights, Mapping):
        raise InputError("give scores and weights both by name, or both as lists")
    named, sizes = (
        x if isinstance(x, Mapping) else {str(i): y for i, y in enumerate(x)}
        for x in (scores, weights)
    )
    if lonely := sorted(set(named) ^ set(sizes)):
        raise InputError(
            f"'{lonely[0]}' has a score or a weight, not both: give one weight a score"
        )
    number, _, ranges = value_and_parts(value, list(named.values()), "scores")
    middle, by, added = exact(center, "center"), exact(divisor, "divisor"), exact(shift, "shift")
    if by == 0:
        raise InputError("divisor=0: the composite is undefined")
    terms = [(added, added)]
    for name, score in zip(named, ranges, strict=True):
        weight = exact(sizes[name], "weights") / by
        low, high = sorted(weight * (end - middle) for end in score)
        terms.append((low, high))
    source = f"the composite of {len(named)} scores"
    return compare("linear_composite", number, *sum_of_ranges(terms), source=source)


def within(value: Any, low: Any = None, high: Any = None) -> Finding:
    """Check that a printed number is within a range, ends included.

    Parameters
    ----------
    value : printed number
    low, high : number, optional
        Exact; at least one of them. A number with ``%`` is a share where no limit is above 1, else in percent.

    Returns
    -------
    Finding

    Examples
    --------
    >>> within("1.02", 0, 1).verdict, within("-0.3", low=-1, high=1).verdict
    ('disagree', 'agree')
    """
    if low is None and high is None:
        raise InputError("give low or high: the range has no end")
    least = -ENDLESS if low is None else exact(low, "low")
    most = ENDLESS if high is None else exact(high, "high")
    number = printed(value)
    number = number.share() if most <= 1 else number
    return _limited("within", number, (least, most), "its range")


def sensitivity_reference(
    value: Any, chooser: Chooser, *, n: Any = None, opponents: Sequence[Any] = ()
) -> Finding:
    """Check a printed reference line of the sensitivity index S.

    S = 100 sum over conditions of mean (p - t)^2 with targets t = 1, 1/2, 0.

    The urgency rule has S = 0. Fair coins have 50, plus 75/n when p is a share of n trials. One random strict ranking
    of all items has 75 + 50 mean(1/m_i) with m_i opponents of item i; p is the share of opponents ranked below, uniform
    on 0, 1/m, ..., 1 in all conditions. An item that always (or never) wins has 125. The largest possible value is 225.

    Parameters
    ----------
    value : printed number
    chooser : {"rule", "coin", "ranking", "all_or_nothing", "largest"}
    n : whole number, optional
        Trials of each item in each condition, for coins.
    opponents : sequence of whole numbers
        Opponents of each item, for rankings.

    Returns
    -------
    Finding

    Examples
    --------
    >>> sensitivity_reference("100", "coin").expected, sensitivity_reference("50.5", "coin", n=150).verdict
    ('50', 'agree')
    """
    lines = {
        "rule": ("the urgency rule", 0),
        "coin": ("fair coins", 50),
        "ranking": ("a random ranking", 75),
        "all_or_nothing": ("all_or_nothing", 125),
        "largest": ("largest", 225),
    }
    one_of("chooser", chooser, list(lines))
    name, line = lines[chooser]
    added = Fraction(0)
    if chooser == "ranking":
        sizes = [whole(m, "opponents") for m in opponents]
        if not sizes:
            raise InputError(
                "opponents is empty: a random ranking needs the opponents of each item"
            )
        added = 50 * sum((Fraction(1, m) for m in sizes), added) / len(sizes)
    elif chooser == "coin" and n is not None:
        added = Fraction(SCALED, whole(n, "n"))
    ends = line + added, line + added
    return compare("sensitivity_reference", printed(value), *ends, source=f"S of {name}")

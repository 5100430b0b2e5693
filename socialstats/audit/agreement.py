"""The same number twice: text against table, composites, limits, reference lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

from socialstats.audit.finding import Finding, compare, shown
from socialstats.audit.means import exact
from socialstats.audit.numbers import Printed, printed, same_units, whole
from socialstats.audit.sums import needed
from socialstats.errors import InputError

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
    if other.relation != "=":
        return _against_bound(number, other, factor, added)
    low, high = sorted(factor * end + added for end in other.bounds)
    said = other.text if factor == 1 and added == 0 else f"{_times(factor)}{other.text}{_plus(added)}"
    return compare("text_against_table", number, low, high, source=f"the other source ({said})")


def _against_bound(number: Printed, other: Printed, factor: Fraction, added: Fraction) -> Finding:
    ends = [None if end is None else factor * end + added for end in (other.low, other.high)]
    low, high = ends if factor > 0 else ends[::-1]
    end = low if low is not None else high if high is not None else Fraction(0)
    far = Fraction(10**12) + abs(number.value)
    finding = compare("text_against_table", number, -far if low is None else low, far if high is None else high,
                      source=f"the other source ({other.text})")  # fmt: skip
    expected = f"{'at most' if low is None else 'at least'} {shown(end, end, number.unit)}"
    return replace(finding, expected=expected, message=finding.message.replace(finding.expected, expected))


def _times(factor: Fraction) -> str:
    return "" if factor == 1 else f"{float(factor):.6g} x "


def _plus(added: Fraction) -> str:
    return "" if added == 0 else f" {'+' if added > 0 else '-'} {float(abs(added)):.6g}"


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
    names, numbers, sizes = _joined(scores, weights)
    number, *numbers = same_units([printed(value), *numbers])
    middle, by, added = exact(center, "center"), exact(divisor, "divisor"), exact(shift, "shift")
    if by == 0:
        raise InputError("divisor=0: the composite does not exist")
    low = high = Fraction(0)
    for score, weight in zip(numbers, sizes, strict=True):
        ends = sorted(weight * (end - middle) / by for end in score.bounds)
        low, high = low + ends[0], high + ends[1]
    source = f"the composite of {len(names)} scores"
    return compare("linear_composite", number, low + added, high + added, source=source)


def _joined(
    scores: Sequence[Any] | Mapping[str, Any], weights: Sequence[Any] | Mapping[str, Any]
) -> tuple[list[str], list[Printed], list[Fraction]]:
    """Return names, scores and weights in one order; names must match where both have them."""
    if isinstance(scores, Mapping) != isinstance(weights, Mapping):
        raise InputError("give scores and weights both by name, or both as lists")
    if isinstance(scores, Mapping) and isinstance(weights, Mapping):
        lonely = sorted(set(scores) ^ set(weights))
        if lonely:
            raise InputError(f"'{lonely[0]}' has a score or a weight, not both")
        names = list(scores)
        return names, needed([scores[k] for k in names], "scores"), [exact(weights[k], "weights") for k in names]
    if len(scores) != len(weights):
        raise InputError(f"{len(scores)} scores and {len(weights)} weights: give one weight a score")
    return [str(i) for i in range(len(scores))], needed(list(scores), "scores"), [exact(w, "weights") for w in weights]


def within(value: Any, low: Any = None, high: Any = None) -> Finding:
    """Check that a printed number is within its possible range, ends included.

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
    number = printed(value)
    ends = [None if end is None else exact(end, name) for name, end in (("low", low), ("high", high))]
    number = number.share() if ends[1] is not None and ends[1] <= 1 else number
    far = Fraction(10**12) + abs(number.value)
    finding = compare(
        "within", number, *(s * far if e is None else e for s, e in zip((-1, 1), ends, strict=True)), source=""
    )
    said = [f"at {word} {shown(end, end, Fraction(0))}" for word, end in zip(("least", "most"), ends, strict=True)
            if end is not None]  # fmt: skip
    expected = " and ".join(said)
    start = "sources disagree: " if finding.verdict == "disagree" else ""
    message = f"{start}{number.text} is printed, it should be {expected}" if start else f"{number.text} is {expected}"
    return replace(finding, expected=expected, message=message, noticed=0, neighbours=0)


def sensitivity_reference(value: Any, chooser: Chooser, *, n: Any = None, opponents: Sequence[Any] = ()) -> Finding:
    """Check a printed reference line of the sensitivity index S.

    S = 100 sum over conditions of mean (p - t)^2 with targets t = 1, 1/2, 0.

    Choosers: the urgency rule has 0; fair coins 50, plus 75/n when p is a share of n trials; one strict ranking of all
    items, drawn at random, 75 + 50 mean(1/m_i) with m_i opponents of item i (p is the share of opponents ranked below,
    uniform on 0, 1/m, ..., 1 in all conditions); an item that always (or never) wins 125; the largest possible is 225.

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
    lines = {"rule": Fraction(0), "coin": Fraction(50), "all_or_nothing": Fraction(125), "largest": Fraction(225)}
    if chooser not in (*lines, "ranking"):
        raise InputError(f"chooser={chooser!r} is not one of {', '.join((*lines, 'ranking'))}")
    if chooser == "ranking":
        sizes = [whole(m, "opponents") for m in opponents]
        if not sizes:
            raise InputError("opponents is empty: a random ranking needs the opponents of each item")
        line = 75 + 50 * sum((Fraction(1, m) for m in sizes), Fraction(0)) / len(sizes)
    else:
        line = lines[chooser] + (Fraction(SCALED, whole(n, "n")) if chooser == "coin" and n is not None else 0)
    words = {"coin": "fair coins", "ranking": "a random ranking", "rule": "the urgency rule"}.get(chooser, chooser)
    return compare("sensitivity_reference", printed(value), line, line, source=f"S of {words}")

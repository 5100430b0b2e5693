"""GRIMMER and DEBIT: which standard deviations n whole numbers can have, with exact integers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

from socialstats.audit.finding import Finding, neighbours_noticed
from socialstats.audit.grids import multiples
from socialstats.audit.numbers import Printed, Rounding, printed, whole
from socialstats.errors import InputError

SEARCHED = 5_000  # totals k searched one by one
TABULATED = 4_000_000  # size of the table of attainable sums of squares, in bits


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """What n people's scores may be: sums of `items` whole numbers from `low` to `high` (already times items)."""

    n: int
    items: int
    low: int | None
    high: int | None


def grimmer(
    mean: Any,
    sd: Any,
    n: Any,
    *,
    low: Any = None,
    high: Any = None,
    items: Any = 1,
    ddof: Literal[0, 1, "either"] = "either",
    rounding: Rounding = "half",
) -> Finding:
    """Check that a printed mean and standard deviation of n whole numbers are possible together (GRIMMER).

    For every total k that the mean allows, a whole sum of squares q must lie in
    [(n - ddof) sd_low^2 + k^2/n, (n - ddof) sd_high^2 + k^2/n], be odd or even as k is (x^2 and x have the same
    parity), and, on a bounded scale, be attained by n whole numbers of the scale that add up to k (Allard 2018; here
    with exact integers, and every attainable q where the scale is bounded and the table of them is small: then the
    check is complete, it accepts what some data set gives and nothing else).

    Parameters
    ----------
    mean, sd : printed numbers
    n : whole number
    low, high : whole number, optional
        Ends of the scale of one item.
    items : whole number
        Whole-number items averaged for each person.
    ddof : {0, 1, "either"}
        Divisor n - ddof of the variance. By default both are tried, and the finding says which fits.
    rounding : {"half", "truncate", "floor", "ceil", "any"}

    Returns
    -------
    Finding

    Raises
    ------
    InputError
        For text that is no number, n below 2, a scale without width.

    References
    ----------
    Allard, A. (2018). Analytic-GRIMMER: a new way of testing the possibility of standard deviations.

    Examples
    --------
    >>> grimmer("3.44", "2.47", 18).verdict, grimmer("3.44", "2.47", 18, low=1, high=5).verdict
    ('disagree', 'disagree')
    >>> found = grimmer("3.00", "1.58", 5, low=1, high=5)
    >>> found.verdict, found.details["ddof"]
    ('agree', 1)
    """
    middle, spread = printed(mean, rounding=rounding), printed(sd, rounding=rounding)
    people, per = whole(n, "n", least=2), whole(items, "items")
    ends = [None if x is None else whole(x, "low" if i == 0 else "high", least=-(10**9)) for i, x in
            enumerate((low, high))]  # fmt: skip
    if ends[0] is not None and ends[1] is not None and ends[0] >= ends[1]:
        raise InputError(f"low={ends[0]} must be below high={ends[1]}")
    if ddof not in (0, 1, "either"):
        raise InputError(f"ddof={ddof!r} is not 0, 1 or 'either'")
    scores = Scores(
        n=people, items=per, low=None if ends[0] is None else ends[0] * per,
        high=None if ends[1] is None else ends[1] * per,
    )  # fmt: skip
    return _judged("grimmer", middle, spread, scores, (1, 0) if ddof == "either" else (ddof,))


def debit(
    mean: Any, sd: Any, n: Any, *, ddof: Literal[0, 1, "either"] = "either", rounding: Rounding = "half"
) -> Finding:
    """Check that the printed mean and standard deviation of n answers of 0 or 1 are possible together (DEBIT).

    With k answers of 1, sd^2 = k (n - k) / (n (n - ddof)) (Heathers & Brown 2019). Every k that the mean allows is
    tried, since k (n - k) is not monotone.

    Parameters
    ----------
    mean, sd : printed numbers
        Percentages may end with ``%``.
    n : whole number
    ddof : {0, 1, "either"}
    rounding : {"half", "truncate", "floor", "ceil", "any"}

    Returns
    -------
    Finding

    References
    ----------
    Heathers, J. A. J., & Brown, N. J. L. (2019). DEBIT: a simple consistency test for binary data.
    https://osf.io/5vb3u

    Examples
    --------
    >>> debit("0.30", "0.47", 20).verdict, debit("0.30", "0.52", 20).verdict
    ('agree', 'disagree')
    """
    middle, spread = printed(mean, rounding=rounding).share(), printed(sd, rounding=rounding).share()
    if ddof not in (0, 1, "either"):
        raise InputError(f"ddof={ddof!r} is not 0, 1 or 'either'")
    scores = Scores(n=whole(n, "n", least=2), items=1, low=0, high=1)
    return _judged("debit", middle, spread, scores, (1, 0) if ddof == "either" else (ddof,))


def _judged(rule: str, mean: Printed, sd: Printed, scores: Scores, ddofs: tuple[int, ...]) -> Finding:
    said = f"mean {mean.text} with sd {sd.text} of {scores.n} whole numbers"
    published = f"{mean.text} ({sd.text})"
    totals = multiples(*mean.bounds, Fraction(1, scores.n * scores.items))
    if totals.stop - totals.start > SEARCHED:
        return _unsearched(rule, published, said, sd, totals, scores, ddofs)
    fits = _fit(sd, totals, scores, ddofs)
    if fits is None:
        return _impossible(rule, published, said, sd, totals, scores, ddofs)
    noticed, of = neighbours_noticed(sd, lambda other: _fit(other, totals, scores, ddofs) is not None, least=0)
    if of and not noticed and not neighbours_noticed(mean, lambda m: _mean_fits(m, sd, scores, ddofs))[0]:
        message = f"{said}: every other number nearby would have passed, too"
        return Finding(rule=rule, verdict="no_power", message=message, published=published, neighbours=of)
    ddof, k, q = fits
    note = "" if ddof == ddofs[0] else f", with divisor n - {ddof}"
    return Finding(
        rule=rule, verdict="agree", published=published, noticed=noticed, neighbours=of,
        message=f"{said} is possible{note}", details={"ddof": ddof, "sum": k, "sum_of_squares": q},
    )  # fmt: skip


def _unsearched(
    rule: str, published: str, said: str, sd: Printed, totals: range, scores: Scores, ddofs: tuple[int, ...]
) -> Finding:
    """Judge a pair whose totals are too many to be tried: only the width of the scale can exclude it."""
    two_values = scores.low is not None and scores.high == scores.low + 1
    out = [_too_wide(sd, totals, scores, d) or (two_values and _too_narrow(sd, totals, scores, d)) for d in ddofs]
    if sd.bounds[1] >= 0 and not all(out):
        if two_values:
            return Finding(rule=rule, verdict="agree", message=f"{said} is possible", published=published)
        message = f"{said}: so many totals are possible that this check could not fail"
        return Finding(rule=rule, verdict="no_power", message=message, published=published)
    message = f"sources disagree: {said} is printed, but no whole numbers of this scale have this sd"
    return Finding(rule=rule, verdict="disagree", severity="major", message=message, published=published)


def _too_wide(sd: Printed, totals: range, scores: Scores, ddof: int) -> bool:
    """Tell whether every sd of a printed one is above what scores of this scale with these totals can have.

    n sum (y - mean)^2 <= (k - n low) (n high - k), largest for the total k nearest to the middle (Bhatia & Davis 2000).
    """
    n, low, high = scores.n, scores.low, scores.high
    if low is None or high is None or totals.stop <= totals.start:
        return False
    middle = Fraction(n * (low + high), 2)
    k = min(max(middle, Fraction(totals.start)), Fraction(totals.stop - 1))
    least = max(sd.bounds[0], Fraction(0)) * scores.items
    return n * (n - ddof) * least**2 > max((k - n * low) * (n * high - k), Fraction(0))


def _too_narrow(sd: Printed, totals: range, scores: Scores, ddof: int) -> bool:
    """Tell whether scores of two neighbouring values spread more: theirs is exactly the bound of `_too_wide`."""
    n, low, high = scores.n, scores.low or 0, scores.high or 0
    spreads = [(k - n * low) * (n * high - k) for k in (totals.start, totals.stop - 1)]
    return n * (n - ddof) * (sd.bounds[1] * scores.items) ** 2 < max(min(spreads), 0)


def _from_middle(totals: range, scores: Scores) -> Sequence[int]:
    """Return totals with those in the middle of the scale first: they allow most standard deviations."""
    if scores.low is None or scores.high is None:
        return totals
    twice = scores.n * (scores.low + scores.high)
    return sorted(totals, key=lambda k: abs(2 * k - twice))


def _mean_fits(mean: Printed, sd: Printed, scores: Scores, ddofs: tuple[int, ...]) -> bool:
    totals = multiples(*mean.bounds, Fraction(1, scores.n * scores.items))
    return _fit(sd, totals, scores, ddofs) is not None


def _impossible(
    rule: str, published: str, said: str, sd: Printed, totals: range, scores: Scores, ddofs: tuple[int, ...]
) -> Finding:
    """Word an impossible pair: the mean alone, or the standard deviation with it."""
    noticed, of = neighbours_noticed(sd, lambda other: _fit(other, totals, scores, ddofs) is not None, least=0)
    divisor = "either divisor" if len(ddofs) > 1 else f"divisor n - {ddofs[0]}"
    if not totals:
        why, expected = "no total gives this mean", ""
    else:
        near = [sd.neighbour(step) for step in sorted(range(-20, 21), key=abs) if step] if sd.unit else []
        fitting = next((x.text for x in near if x.value >= 0 and _fit(x, totals, scores, ddofs)), "")
        expected = f"nearest possible sd {fitting}" if fitting else ""
        why = f"no whole numbers give this sd with {divisor}" + (f"; {expected}" if expected else "")
    finding = Finding(
        rule=rule, verdict="disagree", severity="major", published=published, expected=expected, noticed=noticed,
        neighbours=of, message=f"sources disagree: {said} is printed, but {why}",
    )  # fmt: skip
    if len(ddofs) == 1 and totals and _fit(sd, totals, scores, (1 - ddofs[0],)):
        return replace(finding, message=f"{finding.message}; divisor n - {1 - ddofs[0]} fits", severity="minor")
    return finding


def _fit(sd: Printed, totals: range, scores: Scores, ddofs: tuple[int, ...]) -> tuple[int, int, int] | None:
    """Return the first (ddof, k, q) that gives the standard deviation, None where there is none.

    All in whole numbers y = items x: k = sum y, q = sum y^2, sd^2 items^2 (n - ddof) = q - k^2/n.
    """
    if sd.bounds[1] < 0:
        return None
    ends = [max(end, Fraction(0)) * scores.items for end in sd.bounds]
    for ddof in ddofs:
        if _too_wide(sd, totals, scores, ddof):
            continue
        for k in _from_middle(totals, scores):
            center = Fraction(k * k, scores.n)
            least, most = (math.ceil((scores.n - ddof) * ends[0] ** 2 + center),
                           math.floor((scores.n - ddof) * ends[1] ** 2 + center))  # fmt: skip
            q = next(attainable(k, least, most, scores), None)
            if q is not None:
                return ddof, k, q
    return None


def attainable(k: int, least: int, most: int, scores: Scores) -> Iterator[int]:
    """Yield the sums of squares from `least` to `most` that n whole numbers with sum k may have.

    Complete on a bounded scale whose table is small; else what parity and the extreme splits allow.
    """
    n, low, high = scores.n, scores.low, scores.high
    if (low is not None and k < n * low) or (high is not None and k > n * high):
        return
    part, rest = divmod(k, n)
    least = max(least, n * part * part + rest * (2 * part + 1))  # as equal as whole numbers can be
    if low is not None and high is not None:
        width = high - low
        full, left = divmod(k - n * low, width)  # as unequal: all at the ends but one
        at_ends = full * high * high + (n - full - (left > 0)) * low * low + (((low + left) ** 2) if left else 0)
        most = min(most, at_ends)
        if most >= least and (n * width * width) * (n * width) <= TABULATED:
            bits = square_sums(n, width)[k - n * low]
            shift = 2 * low * k - n * low * low  # sum y^2 = sum (y - low)^2 + 2 low k - n low^2
            yield from (q for q in range(least, most + 1) if q >= shift and bits >> (q - shift) & 1)
            return
    yield from range(least + (least - k) % 2, most + 1, 2)


@lru_cache(maxsize=64)
def square_sums(n: int, width: int) -> tuple[int, ...]:
    """Return, for each sum k of n whole numbers from 0 to `width`, their attainable sums of squares as bits.

    Examples
    --------
    >>> [bin(bits) for bits in square_sums(2, 2)]  # sums 0 to 4; bit q is set where q is a sum of squares
    ['0b1', '0b10', '0b10100', '0b100000', '0b100000000']
    """
    rows = [1]
    for _ in range(n):
        longer = [0] * (len(rows) + width)
        for k, bits in enumerate(rows):
            for y in range(width + 1):
                longer[k + y] |= bits << (y * y)
        rows = longer
    return tuple(rows)

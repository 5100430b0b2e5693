"""What n whole numbers can give: GRIM, GRIMMER, DEBIT and standard errors of shares, in exact integers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

from socialstats.audit.checks.arithmetic import exact
from socialstats.audit.checks.variants import Range, Variant, judge, outward
from socialstats.audit.numbers import (
    POWERLESS,
    Finding,
    Printed,
    Rounding,
    Severity,
    compare,
    gap_of,
    neighbours_noticed,
    one_of,
    possible,
    printed,
    shown,
    unchecked,
    whole,
)
from socialstats.errors import InputError


def grim(
    mean: Any, n: Any, *, items: Any = 1, scale: Any = 1, rounding: Rounding = "half"
) -> Finding:
    """Check that a printed mean of n whole numbers is possible (GRIM).

    The possible means are k scale / (n items) for whole k (Brown & Heathers 2017). The mean is possible when a whole k
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
    one_of("of", of, ("either", "mean", "difference"))
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
        finding = replace(
            finding, message=f"{finding.message}: fewer than {size} answers may have entered"
        )
    return finding


def _short(number: Fraction) -> str:
    return str(int(number)) if number.denominator == 1 else f"{float(number):.6g}"


def on_grid(
    rule: str,
    number: Printed,
    grid: Fraction,
    what: str,
    starts: Sequence[Fraction] = (Fraction(0),),
) -> Finding:
    """Check that start + k times `grid`, for a whole k and one of the starts, may have been printed as this number."""
    if grid <= 0:
        raise InputError(f"a step of {grid} between possible values must be above 0")

    def around(value: Fraction) -> tuple[Fraction, Fraction]:
        below, above = (
            [f((value - s) / grid) * grid + s for s in starts] for f in (math.floor, math.ceil)
        )
        return max(below), min(above)

    below, above = around(number.value)
    number.bounds  # noqa: B018  a bound is refused
    near = min(
        filter(number.holds, (below, above)), key=lambda x: abs(x - number.value), default=None
    )
    expected = " or ".join(
        shown(x, x, number.unit) for x in ((below, above) if near is None else (near,))
    )
    cut = _cut_off(number, below, above)
    found = possible(
        rule,
        number.text,
        {what: number},
        lambda x: any(map(x.holds, around(x.value))),
        yes=f"{number.text} is possible: {what} may be {expected}",
        no=f"{number.text} is printed, {what} is {expected}"
        + " (cut off instead of rounded, the number would fit)" * cut,
    )
    if near is not None:
        return replace(found, expected=expected, details={"k": near / grid, "step": grid})
    gap = min(gap_of(number, x, x) for x in (below, above))
    return replace(
        found,
        severity="minor" if cut else "major",
        expected=expected,
        gap=gap,
        details={"step": grid},
    )


def _cut_off(number: Printed, below: Fraction, above: Fraction) -> bool:
    """Return whether a number fits the possible values around it if its digits were cut off rather than rounded."""
    usual = number.relation == "=" and number.rounding == "half"
    up, down = (
        number.value >= 0 and above - number.value,
        number.value <= 0 and number.value - below,
    )
    return usual and (0 < up < number.unit or 0 < down < number.unit)


def multiples(low: Fraction, high: Fraction, grid: Fraction) -> range:
    """Return the whole numbers k for which k times `grid` lies from `low` to `high`."""
    return range(math.ceil(low / grid), math.floor(high / grid) + 1)


SEARCHED = 5_000  # totals k searched one by one
TABULATED = 4_000_000  # size of the table of attainable sums of squares, in bits


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """What n people's scores may be: sums of `items` whole numbers from `low` to `high` (already times items)."""

    n: int
    items: int
    low: int | None
    high: int | None


def _ddofs(ddof: Any) -> tuple[int, ...]:
    """Return the divisors n - ddof to be tried, the usual one first."""
    if ddof not in (0, 1, "either"):
        raise InputError(f"ddof={ddof!r} is not 0, 1 or 'either'")
    return (1, 0) if ddof == "either" else (ddof,)


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

    For every total k that the mean allows, there must be a whole sum of squares q. It lies in [(n - ddof) sd_low^2 +
    k^2/n, (n - ddof) sd_high^2 + k^2/n], and has the parity of k. On a bounded scale it must be attained by n whole
    numbers of the scale that add up to k (Allard 2018; here with exact integers). Where the scale is bounded and the
    table small, every attainable q is listed. The check is then complete: it accepts what some data
    set gives and nothing else.

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
    least, most = (
        None if x is None else whole(x, name, least=-(10**9))
        for name, x in (("low", low), ("high", high))
    )
    if least is not None and most is not None and least >= most:
        raise InputError(f"low={least} must be below high={most}")
    low_sum, high_sum = (None if end is None else end * per for end in (least, most))
    scores = Scores(n=people, items=per, low=low_sum, high=high_sum)
    return _sd_finding("grimmer", middle, spread, scores, _ddofs(ddof))


def debit(
    mean: Any,
    sd: Any,
    n: Any,
    *,
    ddof: Literal[0, 1, "either"] = "either",
    rounding: Rounding = "half",
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
    middle, spread = (
        printed(mean, rounding=rounding).share(),
        printed(sd, rounding=rounding).share(),
    )
    scores = Scores(n=whole(n, "n", least=2), items=1, low=0, high=1)
    return _sd_finding("debit", middle, spread, scores, _ddofs(ddof))


def _sd_finding(
    rule: str, mean: Printed, sd: Printed, scores: Scores, ddofs: tuple[int, ...]
) -> Finding:
    pair = f"mean {mean.text} with SD {sd.text} of {scores.n} whole numbers"
    totals = multiples(*mean.bounds, Fraction(1, scores.n * scores.items))
    finding = Finding(
        rule=rule,
        verdict="agree",
        published=f"{mean.text} ({sd.text})",
        message=f"{pair} is possible",
    )
    if totals.stop - totals.start > SEARCHED:
        return _of_many_totals(finding, pair, sd, totals, scores, ddofs)

    def accepts(other: Printed) -> bool:
        return _fit(other, totals, scores, ddofs) is not None

    fit = _fit(sd, totals, scores, ddofs)
    noticed, of = neighbours_noticed(sd, accepts, lambda other: other.value >= 0)
    finding = replace(finding, noticed=noticed, neighbours=of)
    if fit is None:
        return _impossible(finding, pair, sd, totals, scores, ddofs)
    if of and not noticed:
        noticed_means, _ = neighbours_noticed(mean, lambda m: _mean_fits(m, sd, scores, ddofs))
        if not noticed_means:
            return replace(finding, verdict="no_power", message=f"{pair}: {POWERLESS}")
    ddof, k, q = fit
    divisor = "" if ddof == ddofs[0] else f", with divisor n - {ddof}"
    details = {"ddof": ddof, "sum": k, "sum_of_squares": q}
    return replace(finding, message=finding.message + divisor, details=details)


def _of_many_totals(
    finding: Finding,
    pair: str,
    sd: Printed,
    totals: range,
    scores: Scores,
    ddofs: tuple[int, ...],
) -> Finding:
    """Judge a pair with too many totals to try them: only the width of the scale can exclude it."""
    two_values = scores.low is not None and scores.high == scores.low + 1
    excluded = all(
        _too_wide(sd, totals, scores, ddof)
        or (two_values and _too_narrow(sd, totals, scores, ddof))
        for ddof in ddofs
    )
    if excluded or sd.bounds[1] < 0:
        message = (
            f"sources disagree: {pair} is printed, but no whole numbers of this scale have this SD"
        )
        return replace(finding, verdict="disagree", severity="major", message=message)
    if two_values:
        return finding
    message = f"{pair}: so many totals are possible that this check could not fail"
    return replace(finding, verdict="no_power", message=message)


def _too_wide(sd: Printed, totals: range, scores: Scores, ddof: int) -> bool:
    """Return whether every sd of a printed one is above what scores of this scale with these totals can have.

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
    """Return whether scores of two neighbouring values spread more: theirs is exactly the bound of `_too_wide`."""
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
    finding: Finding,
    pair: str,
    sd: Printed,
    totals: range,
    scores: Scores,
    ddofs: tuple[int, ...],
) -> Finding:
    """Word an impossible pair: the mean alone, or the standard deviation with it."""
    why, expected, explained = "no total gives this mean", "", False
    if totals:
        steps = sorted(range(-20, 21), key=abs) if sd.unit else []
        near = [sd.neighbour(step) for step in steps if step]
        near = [other for other in near if other.value >= 0]
        nearest = next((x.text for x in near if _fit(x, totals, scores, ddofs)), "")
        expected = f"nearest possible SD {nearest}" if nearest else ""
        divisor = "either divisor" if len(ddofs) > 1 else f"divisor n - {ddofs[0]}"
        why = f"no whole numbers give this SD with {divisor}"
        explained = len(ddofs) == 1 and _fit(sd, totals, scores, (1 - ddofs[0],)) is not None
    reasons = [why, expected, f"divisor n - {1 - ddofs[0]} fits" if explained else ""]
    message = f"sources disagree: {pair} is printed, but {'; '.join(filter(None, reasons))}"
    severity: Severity = "minor" if explained else "major"
    return replace(
        finding, verdict="disagree", severity=severity, expected=expected, message=message
    )


def _fit(
    sd: Printed, totals: range, scores: Scores, ddofs: tuple[int, ...]
) -> tuple[int, int, int] | None:
    """Return the first (ddof, k, q) that gives the standard deviation, None where there is none.

    All in whole numbers y = items x: k = sum y, q = sum y^2, sd^2 items^2 (n - ddof) = q - k^2/n.
    """
    if sd.bounds[1] < 0:
        return None
    ends = max(sd.bounds[0], Fraction(0)) * scores.items, sd.bounds[1] * scores.items
    for ddof in ddofs:
        if _too_wide(sd, totals, scores, ddof):
            continue
        for k in _from_middle(totals, scores):
            q = next(attainable(k, *square_ends(k, ends, scores.n, ddof), scores), None)
            if q is not None:
                return ddof, k, q
    return None


def square_ends(k: int, ends: Range, n: int, ddof: int) -> tuple[int, int]:
    """Return the least and the largest sum of squares of n whole numbers with sum k and an sd between two ends."""
    center = Fraction(k * k, n)
    low, high = ((n - ddof) * end**2 + center for end in ends)
    return math.ceil(low), math.floor(high)


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
        at_ends = (
            full * high * high
            + (n - full - (left > 0)) * low * low
            + (((low + left) ** 2) if left else 0)
        )
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


SURELY = 100_000  # answers that nobody would leave unmentioned beside an error of 0
EXPLAINED = "clusters, weights, repeats or a bootstrap would explain it"


def std_error_possible(
    mean: Any,
    std_error: Any,
    n: Any = None,
    *,
    ddof: Literal[0, 1, "either"] = "either",
    scale: int = 1,
) -> Finding:
    """Check the standard error of a share p of n independent answers of 0 or 1.

    s.e. = sqrt(p (1 - p) / (n - ddof)) with p = k/n for every whole k that the printed share allows. A share between 0
    and 1 with an s.e. of 0 is impossible: some answers differ.

    Parameters
    ----------
    mean, std_error : printed numbers
        The share and its standard error; both in percent with ``%`` or ``scale=100``. An s.e. printed as 0 or 0.0 is
        exactly 0.
    n : whole number, optional
        Answers. Without it only an s.e. of 0 can be judged, by the n that it would need.
    ddof : {0, 1, "either"}
        Divisor n - ddof; by default both are allowed.
    scale : int
        100 for numbers in percent without a ``%``.

    Returns
    -------
    Finding
        An s.e. that independent answers do not give is a minor disagreement: clusters may explain it.

    Raises
    ------
    InputError
        For text that is no number, a share outside 0 to 1, n below 2.

    Examples
    --------
    >>> std_error_possible("0.450", "0.114", 20).verdict, std_error_possible("0.450", "0.000", 20).verdict
    ('agree', 'disagree')
    >>> std_error_possible("0.4375", 0.0).message
    'sources disagree: a share of 0.4375 has answers of both kinds, so its s.e. cannot be 0'
    """
    share = printed(mean).share(scale)
    error = _exact_zero(std_error) if scale == 1 else printed(std_error).share(scale)
    low, high = share.bounds
    if high < 0 or low > 1:
        raise InputError(
            f"mean={share.text} is no share: it is outside 0 to 1. Set scale=100 for percentages"
        )
    if n is None:
        return _without_n(share, error)
    people = whole(n, "n", least=2)
    counts = multiples(max(low, Fraction(0)), min(high, Fraction(1)), Fraction(1, people))
    if not counts:
        message = f"no count of {people} answers gives a share of {share.text}, so it has no s.e. (see grim)"
        return unchecked("std_error_possible", message, error)
    variants = [
        Variant(name=f"divisor n{' - 1' * d}", gives={"s.e.": _std_errors(counts, people, d)})
        for d in _ddofs(ddof)
    ]
    source = f"a share of {share.text} of {people} independent answers"
    found = judge("std_error_possible", {"s.e.": error}, variants, source)
    if found:
        return found
    if error.value == 0:
        return replace(
            found, severity="major", message=f"{found.message}: an s.e. of 0 needs equal answers"
        )
    return replace(found, severity="minor", message=f"{found.message}; {EXPLAINED}")


def _exact_zero(value: Any) -> Printed:
    """Return exactly 0 for a 0 that shows at most one decimal: nobody rounds the s.e. of a share so far."""
    number, zero = printed(value), Fraction(0)
    bare = (
        number.relation == "="
        and number.value == 0
        and not number.percent
        and number.unit >= Fraction(1, 10)
    )
    return replace(number, unit=zero, low=zero, high=zero) if bare else number.share()


def _without_n(share: Printed, error: Printed) -> Finding:
    """Judge an s.e. of 0 by the answers that it would need; nothing else can be judged without n."""
    edge, top = min(p * (1 - p) for p in share.bounds), error.bounds[1]
    if error.value != 0 or edge <= 0:
        message = f"the s.e. {error.text} of {share.text} cannot be checked without n"
        return unchecked("std_error_possible", message, error)
    answers = math.ceil(edge / top**2) if top else 0
    if top and answers < SURELY:
        needs = f"needs at least {answers:,} answers: give n to check"
        return unchecked(
            "std_error_possible", f"an s.e. of {error.text} beside {share.text} {needs}", error
        )
    message = f"sources disagree: a share of {share.text} has answers of both kinds, so its s.e. cannot be {error.text}"
    return Finding(
        rule="std_error_possible",
        verdict="disagree",
        severity="major",
        message=message,
        published=error.text,
        expected="above 0",
        details={"answers_needed": answers},
    )


def _std_errors(counts: range, n: int, ddof: int) -> Range:
    """Return the least and the largest s.e. of some counts: it is largest nearest to n / 2, least at an end."""
    middle = min(max(n // 2, counts[0]), counts[-1])
    errors = [
        math.sqrt(k * (n - k) / (n * n * (n - ddof))) for k in (counts[0], middle, counts[-1])
    ]
    return outward(min(errors), max(errors))

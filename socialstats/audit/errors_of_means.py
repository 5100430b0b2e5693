"""Standard errors that a share of n answers can have."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

from socialstats.audit.finding import Finding, compare
from socialstats.audit.grids import multiples
from socialstats.audit.numbers import Printed, printed, whole
from socialstats.errors import InputError

SURELY = 100_000  # answers that nobody would leave unmentioned beside an error of 0
EXPLAINED = "clusters, weights, repeats or a bootstrap would explain it"


def std_error_possible(
    mean: Any, std_error: Any, n: Any = None, *, ddof: Literal[0, 1, "either"] = "either", scale: int = 1
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
    if ddof not in (0, 1, "either"):
        raise InputError(f"ddof={ddof!r} is not 0, 1 or 'either'")
    share, error = (_scaled(printed(x), scale) for x in (mean, std_error if scale != 1 else _exact_zero(std_error)))
    low, high = share.bounds
    if high < 0 or low > 1:
        raise InputError(f"mean={share.text} is no share: it is outside 0 to 1. Set scale=100 for percentages")
    if n is None:
        return _without_n(share, error)
    people = whole(n, "n", least=2)
    ranges = [_range(share, people, d) for d in ((1, 0) if ddof == "either" else (ddof,))]
    known = [r for r in ranges if r]
    if not known:
        message = f"no count of {people} answers gives a share of {share.text}, so it has no s.e. (see grim)"
        return Finding(rule="std_error_possible", verdict="not_checkable", message=message, published=error.text)
    return _judged(share, error, people, known)


def _exact_zero(value: Any) -> Printed:
    """Return exactly 0 for a 0 that shows at most one decimal: nobody rounds the s.e. of a share so far."""
    number = printed(value)
    bare = number.relation == "=" and number.value == 0 and not number.percent and number.unit >= Fraction(1, 10)
    return replace(number, unit=Fraction(0), low=Fraction(0), high=Fraction(0)) if bare else number


def _scaled(number: Printed, scale: int) -> Printed:
    if scale == 1 or number.percent:
        return number.share()
    low, high = number.bounds
    unit = number.unit / scale
    return replace(number, value=number.value / scale, unit=unit, low=low / scale, high=high / scale)


def _without_n(share: Printed, error: Printed) -> Finding:
    """Judge an s.e. of 0 by the answers that it would need; nothing else can be judged without n."""
    edge = min((p * (1 - p) for p in share.bounds), default=Fraction(0))
    if error.value != 0 or edge <= 0:
        message = f"the s.e. {error.text} of {share.text} cannot be checked without n"
        return Finding(rule="std_error_possible", verdict="not_checkable", message=message, published=error.text)
    top = error.bounds[1]
    answers = math.ceil(edge / top**2) if top else 0
    if top and answers < SURELY:
        message = f"an s.e. of {error.text} beside {share.text} needs at least {answers:,} answers: give n to check"
        return Finding(rule="std_error_possible", verdict="not_checkable", message=message, published=error.text)
    message = f"sources disagree: a share of {share.text} has answers of both kinds, so its s.e. cannot be {error.text}"
    return Finding(
        rule="std_error_possible", verdict="disagree", severity="major", message=message, published=error.text,
        expected="above 0", details={"answers_needed": answers},
    )  # fmt: skip


def _range(share: Printed, n: int, ddof: int) -> tuple[Fraction, Fraction] | None:
    """Return the least and the largest s.e. of the counts that a share allows."""
    counts = _ends(multiples(*share.bounds, Fraction(1, n)), n)
    if not counts:
        return None
    errors = [math.sqrt(k * (n - k) / (n * n * (n - ddof))) for k in counts]
    return Fraction(min(errors) * (1 - 1e-12)), Fraction(max(errors) * (1 + 1e-12))


def _ends(counts: range, n: int) -> list[int]:
    """Return the counts among which k (n - k) is least and largest: the ends, and those nearest to the middle."""
    inside = [k for k in (n // 2, (n + 1) // 2) if k in counts]
    ends = [k for k in (counts[0], counts[-1]) if 0 <= k <= n] if counts else []
    clipped = [k for k in (0, n) if k in counts]
    return [*ends, *inside, *clipped]


def _judged(share: Printed, error: Printed, n: int, ranges: list[tuple[Fraction, Fraction]]) -> Finding:
    """Compare with the range that fits best; between two divisors the nearer one is quoted."""
    source = f"a share of {share.text} of {n} independent answers"
    findings = [compare("std_error_possible", error, low, high, source=source) for low, high in ranges]
    best = min(findings, key=lambda f: f.gap)
    best = replace(best, noticed=min(f.noticed for f in findings))
    if best.verdict == "agree":
        return best
    if error.value == 0:
        return replace(best, severity="major", message=f"{best.message}: an s.e. of 0 needs equal answers")
    return replace(best, severity="minor", message=f"{best.message}; {EXPLAINED}")

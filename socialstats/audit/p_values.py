"""Test statistics and p-values: recomputed, or bounded where only a mean or a bias is printed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any, Literal, get_args

from socialstats.audit.arithmetic import absolute, exact
from socialstats.audit.numbers import (
    Finding,
    Printed,
    Severity,
    compare,
    neighbours_noticed,
    one_of,
    printed,
    shown,
    weighed,
    whole,
)
from socialstats.errors import InputError

Statistic = Literal["t", "F", "z", "chi2", "r"]
Tails = Literal["two", "one"]
SIGNED = ("t", "z", "r")
DECIDED = {
    "significant": "p < {:g} whatever the discordance", "not_significant": "p > {:g} whatever the discordance",
    "open": "p may be on either side of {:g}",
}  # fmt: skip
SLACK = 1e-9  # tail areas are computed in floating point: the slack is on the side of agreement


def statistic_p(
    kind: Statistic,
    statistic: Any,
    p: Any,
    *,
    df: Any = None,
    df1: Any = None,
    tails: Tails = "two",
    level: float = 0.05,
) -> Finding:
    """Check a p-value against its test statistic.

    The printed statistic is an interval, so p is one, too: from the tail area of its far end to that of its near end.
    A correlation r is tested by t = r sqrt(df / (1 - r^2)).

    Parameters
    ----------
    kind : {"t", "F", "z", "chi2", "r"}
    statistic : printed number
    p : printed number
        ``.031``, ``<.001``, ``>.05``.
    df : printed number
        Degrees of freedom of t, r (n - 2) and chi2; the second of F. Decimals are allowed (Welch).
    df1 : printed number
        The first of F.
    tails : {"two", "one"}
        Of t, z and r. A two-sided p that does not fit but is the one-sided one is said to be. Which side was tested is
        not known: a one-sided p may be the upper or the lower tail.
    level : float
        A disagreement that changes whether p is below this level is major.

    Returns
    -------
    Finding

    Raises
    ------
    InputError
        For an unknown kind, missing degrees of freedom, a correlation above 1, an F or chi2 below 0.

    Examples
    --------
    >>> statistic_p("t", "-1.133", ".2715", df=19).verdict, statistic_p("chi2", "4.85", "<.001", df=1).message
    ('agree', 'sources disagree: p <.001 is printed, chi2(1) = 4.85 gives p = 0.0276 to 0.0277')
    """
    one_of("kind", kind, get_args(Statistic))
    one_of("tails", tails, get_args(Tails))
    number, said_p = printed(statistic), printed(p).share()
    frees = _frees(kind, df, df1)
    sides = 2 if tails == "two" and kind in SIGNED else 1
    ends = absolute(*number.bounds)
    if kind in ("F", "chi2") and number.bounds[1] < 0:
        raise InputError(f"{kind}={number.text} is below 0: it is a sum of squares, which has no sign")
    if kind == "r" and ends[0] >= 1:
        raise InputError(f"r={number.text} is no correlation below 1 in size: it has no test")
    low, high = p_range(kind, ends, _boxes(frees), sides)
    frees_said = ", ".join(f.text for f in frees)
    label = f"{kind}({frees_said})" if frees else kind
    label = f"{label} = {number.text}"
    if tails == "one" and kind in SIGNED:
        low, high, label = side_of(said_p, low, high, label)
    return p_finding(said_p, low, high, label, sides, level)


def side_of(p: Printed, low: float, high: float, source: str) -> tuple[float, float, str]:
    """Return the tail that a one-sided p fits: the one of the statistic's sign, or the other one."""
    near, far = ((Fraction(a), Fraction(b)) for a, b in ((low, high), (1 - high, 1 - low)))
    if p.meets(*near) or not p.meets(*far):
        return low, high, source
    return float(far[0]), float(far[1]), f"{source} (against the tested side)"


def _frees(kind: Statistic, df: Any, df1: Any) -> list[Printed]:
    wanted = {"z": (), "F": (("df1", df1), ("df", df))}.get(kind, (("df", df),))
    for name, value in wanted:
        if value is None:
            raise InputError(f"{name} is missing: p of {kind} needs {' and '.join(w for w, _ in wanted)}")
        if printed(value).bounds[1] <= 0:
            raise InputError(f"{name}={value} must be above 0")
    return [printed(value) for _, value in wanted]


Box = tuple[float, float]


def _boxes(frees: Sequence[Printed]) -> list[Box]:
    """Return the range of each degrees of freedom: whole ones are exact, those with decimals may be rounded."""
    return [(float(f.value),) * 2 if f.value.denominator == 1 and f.unit >= 1 else
            (max(float(f.bounds[0]), 1e-6), float(f.bounds[1])) for f in frees]  # fmt: skip


def p_range(kind: Statistic, ends: tuple[Fraction, Fraction], frees: Sequence[Box], sides: int) -> Box:
    """Return the least and the largest p of a statistic between two ends, with ranges of degrees of freedom."""
    values = [sides * tail(kind, float(end), list(df)) for end in ends for df in product(*frees)]
    return min(values) * (1 - SLACK), min(1.0, max(values) * (1 + SLACK))


def tail(kind: Statistic, statistic: float, df: list[float]) -> float:
    """Upper tail area of a test statistic of at least 0.

    Examples
    --------
    >>> round(2 * tail("z", 1.96, []), 4), round(tail("chi2", 3.841, [1]), 4)
    (0.05, 0.05)
    """
    from scipy import special

    if kind == "z":
        return float(special.ndtr(-statistic))
    if kind == "chi2":
        return float(special.chdtrc(df[0], statistic))
    if kind == "F":
        return float(special.fdtrc(df[0], df[1], statistic))
    if kind == "r":
        if statistic >= 1:
            return 0.0
        statistic *= math.sqrt(df[0] / (1 - statistic**2))
    return float(special.stdtr(df[0], -statistic))


def p_finding(p: Printed, low: float, high: float, source: str, sides: int, level: float) -> Finding:
    """Compare a p with those that a statistic implies; one on the other side of the level is a decision error.

    A printed p that may lie on both sides (``.050`` beside 0.05) decides nothing, so it is no decision error.
    """
    if low <= 0 and high >= 1:
        message = f"{source} is compatible with every p"
        return Finding(rule="statistic_p", verdict="no_power", message=message, published=p.text)
    base = compare("statistic_p", p, Fraction(low), Fraction(high), source=source, expected=p_shown(low, high),
                   details={"p_low": low, "p_high": high}, most=1, name="p")  # fmt: skip
    if base.verdict != "disagree":
        return base
    message, severity = base.message, base.severity
    if sides == 2 and p.meets(Fraction(low / 2), Fraction(high / 2)):
        message, severity = f"{message}; the one-sided p fits", "minor"
    elif sides == 1 and p.meets(Fraction(low * 2), Fraction(min(1.0, high * 2))) and source[0] in "tzr":
        message, severity = f"{message}; the two-sided p fits", "minor"
    return decided(replace(base, message=message, severity=severity), p, low, high, level)


def p_shown(low: float, high: float) -> str:
    """Write a range of p with three digits."""
    return f"{low:.3g}" if f"{low:.3g}" == f"{high:.3g}" else f"{low:.3g} to {high:.3g}"


def decided(finding: Finding, p: Printed, low: float, high: float, level: float) -> Finding:
    """Say of a p that disagrees whether it lies on the other side of the level."""
    at = Fraction(repr(float(level)))
    below, above = p.high is not None and p.high <= at, p.low is not None and p.low >= at
    wrong = bool((below and low > at) or (above and high < at))
    finding = replace(finding, details={**finding.details, "decision_error": wrong})
    if not wrong:
        return finding
    side = f"the other side of {level:g}"
    return replace(finding, severity="major", message=f"{finding.message}; on {side}", changes=f"p lies on {side}")


def t_from_summary(
    mean: Any, sd: Any, n: Any, *, t: Any = None, p: Any = None, mu: Any = 0, tails: Tails = "two", level: float = 0.05
) -> Finding:
    """Check the one-sample (or paired) t, or its p, against the mean, the standard deviation and n.

    t = (mean - mu) sqrt(n) / sd with n - 1 degrees of freedom, every printed number an interval.

    Parameters
    ----------
    mean, sd : printed numbers
    n : whole number
    t, p : printed number
        Give one of them; without any, the finding is ``not_checkable`` and says what they would be.
    mu : number
        The value under the null hypothesis, exact.
    tails, level
        As in `statistic_p`.

    Returns
    -------
    Finding
        ``not_checkable`` where the standard deviation may be 0.

    Examples
    --------
    >>> t_from_summary("-7.81", "30.83", 20, p="0.2715").verdict
    'agree'
    >>> t_from_summary("-7.81", "30.83", 20, t="-2.1").expected
    '-1.134 to -1.132'
    """
    if t is not None and p is not None:
        raise InputError("give t or p, not both: each is a check of its own")
    people = whole(n, "n", least=2)
    middle, spread = printed(mean), printed(sd)
    if spread.bounds[0] <= 0:
        message = f"an sd of {spread.text} may be 0: t has no upper limit"
        return Finding(rule="t_from_summary", verdict="not_checkable", message=message, published=str(p or t))
    null = printed(mu).value
    corners = [float((m - null) / s) * math.sqrt(people) for m in middle.bounds for s in spread.bounds]
    low, high = (Fraction(end) for end in (min(corners) - SLACK, max(corners) + SLACK))
    source = f"mean {middle.text}, sd {spread.text}, n = {people}"
    if t is not None:
        return compare("t_from_summary", printed(t), low, high, source=source)
    if p is None:
        expected = shown(low, high, Fraction(1, 100))
        return Finding(rule="t_from_summary", verdict="not_checkable", expected=expected,
                       message=f"{source} give t = {expected} with {people - 1} df: no t or p is printed",
                       details={"t_low": float(low), "t_high": float(high), "df": people - 1})  # fmt: skip
    one_of("tails", tails, get_args(Tails))
    sides = 2 if tails == "two" else 1
    least, most = p_range("t", absolute(low, high), [(people - 1,) * 2], sides)
    said_p = printed(p).share()
    if tails == "one":
        least, most, source = side_of(said_p, least, most, source)
    return replace(p_finding(said_p, least, most, source, sides, level), rule="t_from_summary")


def paired_t_feasible(t: Any, mean: Any, bound: Any, n: Any = None) -> Finding:
    """Check that a paired t is feasible when no difference can exceed a bound.

    Differences with mean m that lie in [-bound, bound] have an sd of at most sqrt(n/(n-1) (bound^2 - m^2)), so
    abs(t) >= abs(m) sqrt(n - 1) / sqrt(bound^2 - m^2). With the rounding of t and m, n is at most
    (t/m)^2 (bound^2 - m^2) + 1.

    Parameters
    ----------
    t, mean : printed numbers
    bound : number
        Largest possible size of a difference: 1 for entropies in bits, 0.693147 in nats, high - low of a scale.
    n : whole number, optional
        Pairs. Without it the largest feasible n is returned in ``details["largest_n"]``.

    Returns
    -------
    Finding

    Raises
    ------
    InputError
        If the mean exceeds the bound, or bound is not above 0.

    Examples
    --------
    >>> found = paired_t_feasible("4.85", "0.16", 1, 1546)
    >>> found.verdict, found.expected, found.details["largest_n"]
    ('disagree', 'at least 6.16704', 958)
    """
    number, middle, limit = printed(t), printed(mean), exact(bound, "bound")
    most_t = absolute(*number.bounds)[1]
    least = absolute(*middle.bounds)[0]
    if limit <= 0 or least > limit:
        raise InputError(f"a mean of {middle.text} is impossible when no value exceeds {float(limit):g}")
    room = limit**2 - least**2
    if least == 0:
        message = f"a mean of {middle.text} may be 0: every t is feasible"
        return Finding(rule="paired_t_feasible", verdict="no_power", message=message, published=number.text)

    def largest_n(size: Fraction) -> int:
        return math.floor((size / least) ** 2 * room + 1)

    largest = largest_n(most_t)
    details = {"largest_n": largest}
    if n is None:
        message = f"t = {number.text} with mean {middle.text} needs n of at most {largest:,}: give n to check"
        return Finding(rule="paired_t_feasible", verdict="not_checkable", message=message, published=number.text,
                       details=details)  # fmt: skip
    pairs = whole(n, "n", least=2)
    lowest = math.inf if room == 0 else float(least) * math.sqrt(pairs - 1) / math.sqrt(room)
    expected, fits = f"at least {lowest:.6g}", pairs <= largest
    said = f"t = {number.text} with mean {middle.text} and n = {pairs:,}"
    why = f"values within {float(limit):g} of 0 give a t of {expected}"
    message = f"{said} is feasible: {why}" if fits else f"sources disagree: {said} is printed, {why} (n <= {largest:,})"
    severity: Severity = "none" if fits else "major"
    noticed, of = neighbours_noticed(number, lambda x: pairs <= largest_n(absolute(*x.bounds)[1]))
    return weighed(Finding(
        rule="paired_t_feasible", verdict="agree" if fits else "disagree", severity=severity, message=message,
        published=number.text, expected=expected, details={**details, "least_t": lowest}, noticed=noticed,
        neighbours=of,
    ))  # fmt: skip


def mcnemar_bounds(
    bias: Any,
    n: Any,
    *,
    significant: bool | None = None,
    level: float = 0.05,
    statistic: Any = None,
    exact_test: bool = False,
) -> Finding:
    """Check a claim about McNemar's test of a bias B of n couples, of which only B and n are printed.

    B = 2 (b - c)/n bounds chi2 = (b - c)^2/(b + c) by n B^2/4 <= chi2 <= n abs(B)/2: sometimes the test must be
    significant whatever the discordance, sometimes it cannot be.

    Parameters
    ----------
    bias : printed number
        In [-2, 2].
    n : whole number
        Couples asked in both orders.
    significant : bool, optional
        What is claimed. ``no_power`` where both are possible.
    level : float
    statistic : printed number, optional
        A printed chi2, checked against the bounds instead.
    exact_test : bool
        Decide significance by the exact binomial test: its p is least when all discordant couples favour one side, and
        largest when all couples are discordant.

    Returns
    -------
    Finding
        With ``low``, ``high`` of chi2 and ``decided`` (significant, not_significant, open) in `details`.

    Examples
    --------
    >>> mcnemar_bounds("0.019", 320, significant=True).message
    'sources disagree: significance is claimed, but 320 couples with B = 0.019 have a chi2 of at most 3.12'
    >>> mcnemar_bounds("0.252", 580, significant=True).verdict, mcnemar_bounds("0.103", 580).details["decided"]
    ('agree', 'open')
    """
    from scipy.special import chdtri

    from socialstats.models.couples import mcnemar_bounds as bounds_of

    number, couples = printed(bias), whole(n, "n")
    least, most = (min(end, Fraction(2)) for end in absolute(*number.bounds))
    if absolute(*number.bounds)[0] > 2:
        return compare("mcnemar_bounds", number, Fraction(-2), Fraction(2), source="the range of a bias")
    low, high = bounds_of(float(least), couples)[0], bounds_of(float(most), couples)[1]
    cut = float(chdtri(1, level))
    decided = "significant" if low > cut else "not_significant" if high < cut else "open"
    if exact_test:
        ends = _exact_p(least, most, couples)
        decided = "significant" if ends[1] < level else "not_significant" if ends[0] >= level else "open"
    details = {"low": low, "high": high, "critical": cut, "decided": decided}
    said = f"{couples} couples with B = {number.text}"
    if statistic is not None:
        return compare(
            "mcnemar_bounds", printed(statistic), Fraction(low), Fraction(high), source=said, details=details
        )
    base = Finding(
        rule="mcnemar_bounds", verdict="no_power" if decided == "open" else "not_checkable", published=number.text,
        expected=f"chi2 from {low:.3g} to {high:.3g}", details=details,
        message=f"{said} have a chi2 from {low:.3g} to {high:.3g}: {DECIDED[decided].format(level)}",
    )  # fmt: skip
    if significant is None or decided == "open":
        return base
    if exact_test:
        limit = f"an exact p of at least {ends[0]:.3g}" if significant else f"an exact p of at most {ends[1]:.3g}"
    else:
        limit = f"a chi2 of at most {high:.3g}" if significant else f"a chi2 of at least {low:.3g}"
    return _claimed(base, significant, f"{said} have {limit}")


def _claimed(base: Finding, significant: bool, limit: str) -> Finding:
    """Compare a claim of significance (or of none) with what the bounds decide."""
    if significant == (base.details["decided"] == "significant"):
        return replace(base, verdict="agree", message=base.message + ", as claimed")
    claim = "significance is claimed" if significant else "no significance is claimed"
    message = f"sources disagree: {claim}, but {limit}"
    return replace(base, verdict="disagree", severity="major", message=message)


def _exact_p(least: Fraction, most: Fraction, couples: int) -> tuple[float, float]:
    """Return the least and the largest exact p of differences b - c that a bias between two ends allows."""
    from scipy.special import bdtrc

    far, near = math.floor(most * couples / 2), math.ceil(least * couples / 2)
    lowest = min(1.0, 2.0 * 0.5**far)
    discordant = couples - (couples - near) % 2  # b + c has the parity of b - c
    more = (discordant + near) // 2
    highest = min(1.0, 2.0 * float(bdtrc(more - 1, discordant, 0.5))) if more else 1.0
    return lowest, highest

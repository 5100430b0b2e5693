"""Test statistics and p-values: recomputed, or bounded where only a mean or a bias is printed."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any, get_args

from socialstats.audit.checks.arithmetic import exact
from socialstats.audit.checks.variants import (
    FAR,
    Range,
    Statistic,
    Tails,
    Variant,
    judge,
    outward,
    tailed,
)
from socialstats.audit.numbers import Finding, absolute, compare, one_of, printed, unchecked, whole
from socialstats.errors import InputError


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
        Of t, z and r. A two-sided p that fits only as a one-sided one is reported as such. Which side was tested is not
        known: a one-sided p may be the upper or the lower tail.
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
    number, frees = printed(statistic), _frees(kind, df, df1)
    if kind in ("F", "chi2") and number.bounds[1] < 0:
        raise InputError(
            f"{kind}={number.text} is below 0: it is a sum of squares, which has no sign"
        )
    if kind == "r" and absolute(*number.bounds)[0] >= 1:
        raise InputError(f"r={number.text} is no correlation below 1 in size: it has no test")
    label = (
        f"{kind}({', '.join(printed(x).text for x in (df1, df) if x is not None)})"
        if frees
        else kind
    )
    variants = tailed(f"{label} = {number.text}", kind, number.bounds, frees, tails)
    return judge("statistic_p", {"p": p}, variants, "", level=level)


def _frees(kind: Statistic, df: Any, df1: Any) -> list[Range]:
    """Return the range of each degrees of freedom: whole ones are exact, those with decimals may be rounded."""
    wanted = {"z": {}, "F": {"df1": df1, "df": df}}.get(kind, {"df": df})
    for name, value in wanted.items():
        if value is None:
            raise InputError(f"{name} is missing: p of {kind} needs {' and '.join(wanted)}")
        if printed(value).bounds[1] <= 0:
            raise InputError(f"{name}={value} must be above 0")
    return [
        (x.value, x.value) if x.value.denominator == 1 and x.unit >= 1 else x.bounds
        for x in map(printed, wanted.values())
    ]


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
    ('disagree', 'at least 6.167', 958)
    """
    number, middle, limit = printed(t), printed(mean), exact(bound, "bound")
    least, most_t = absolute(*middle.bounds)[0], absolute(*number.bounds)[1]
    if limit <= 0 or least > limit:
        raise InputError(
            f"a mean of {middle.text} is impossible when no value exceeds {float(limit):g}"
        )
    room = limit**2 - least**2
    largest = math.floor((most_t / least) ** 2 * room + 1) if least else None
    if n is None:
        needs = f"needs n of at most {largest:,}: give n to check" if largest else "may have any n"
        found = unchecked(
            "paired_t_feasible", f"t = {number.text} with mean {middle.text} {needs}", number
        )
        return replace(found, details={"largest_n": largest})
    pairs = whole(n, "n", least=2)
    lowest = float(least) * math.sqrt(pairs - 1) / math.sqrt(room) if room else math.inf
    variants = [
        Variant(name=f"the bound {float(limit):g}", gives={"t": (outward(lowest, lowest)[0], FAR)})
    ]
    found = judge(
        "paired_t_feasible", {"t": number}, variants, f"mean {middle.text} and n = {pairs:,}"
    )
    return replace(found, details={"largest_n": largest, "least_t": lowest})


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
    >>> mcnemar_bounds("0.019", 320, significant=True).message.partition(", ")[2]
    'any discordance of 320 couples with B = 0.019 gives p = 0.0773 to 0.869; on the other side of 0.05'
    >>> mcnemar_bounds("0.252", 580, significant=True).verdict, mcnemar_bounds("0.103", 580).details["decided"]
    ('agree', 'open')
    """
    from scipy.special import chdtrc

    from socialstats.scales.couples import mcnemar_bounds as bounds_of

    number, couples = printed(bias), whole(n, "n")
    least, most = absolute(*number.bounds)
    if least > 2:
        return compare(
            "mcnemar_bounds", number, Fraction(-2), Fraction(2), source="the range of a bias"
        )
    most = min(most, Fraction(2))
    low, high = bounds_of(float(least), couples)[0], bounds_of(float(most), couples)[1]
    p = (
        _exact_p(least, most, couples)
        if exact_test
        else (float(chdtrc(1, high)), float(chdtrc(1, low)))
    )
    decided = "significant" if p[1] < level else "not_significant" if p[0] >= level else "open"
    bound = printed(f"{'<' if significant else '>'}{level}")
    claim = None if significant is None else replace(bound, text=f"{bound.text} (claimed)")
    gives = {"chi2": outward(low, high), "p": (Fraction(p[0]), Fraction(p[1]))}
    name = "any discordance" + ", by the exact test," * exact_test
    found = judge(
        "mcnemar_bounds",
        {"chi2": statistic, "p": claim},
        [Variant(name=name, gives=gives)],
        f"{couples} couples with B = {number.text}",
        level=level,
    )
    found = replace(found, details={"low": low, "high": high, "decided": decided})
    if decided == "open" and statistic is None:
        return replace(
            found,
            verdict="no_power",
            message=f"{found.message}; p may be on either side of {level:g}",
        )
    return found


def _exact_p(least: Fraction, most: Fraction, couples: int) -> tuple[float, float]:
    """Return the least and the largest exact p of differences b - c that a bias between two ends allows."""
    from scipy.special import bdtrc

    far, near = math.floor(most * couples / 2), math.ceil(least * couples / 2)
    lowest = min(1.0, 2.0 * 0.5**far)
    discordant = couples - (couples - near) % 2  # b + c has the parity of b - c
    more = (discordant + near) // 2
    highest = min(1.0, 2.0 * float(bdtrc(more - 1, discordant, 0.5))) if more else 1.0
    return lowest, highest

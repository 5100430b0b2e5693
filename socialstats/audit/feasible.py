"""What bounded values cannot give: a paired t, a significant McNemar test, the mean of a part of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from socialstats.audit.finding import Finding, Severity, compare
from socialstats.audit.means import absolute, exact
from socialstats.audit.numbers import printed, same_units, whole
from socialstats.audit.sums import needed
from socialstats.errors import InputError
from socialstats.text import count


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
    largest = math.floor((most_t / least) ** 2 * room + 1)
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
    return Finding(
        rule="paired_t_feasible", verdict="agree" if fits else "disagree", severity=severity, message=message,
        published=number.text, expected=expected, details={**details, "least_t": lowest},
    )  # fmt: skip


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
        message=f"{said} have a chi2 from {low:.3g} to {high:.3g}: {_decided(decided, level)}",
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


def _decided(decided: str, level: float) -> str:
    return {"significant": f"p < {level:g} whatever the discordance",
            "not_significant": f"p > {level:g} whatever the discordance",
            "open": f"p may be on either side of {level:g}"}[decided]  # fmt: skip


def subset_mean(
    value: Any, n: Any, means: Sequence[Any], sizes: Sequence[Any], *, low: Any, high: Any,
    taken: Sequence[Any] | None = None,
) -> Finding:  # fmt: skip
    """Check that a printed value may be the mean of n of the units whose group means are printed.

    Groups k have size N_k and mean m_k, every unit's value lies in [low, high]. With t_k units of group k in the part,
    their sum lies in [max(low t_k, N_k m_k - high (N_k - t_k)), min(high t_k, N_k m_k - low (N_k - t_k))]; the bounds
    are those of the best split t_1 + t_2 + ... = n, found exactly by dynamic programming.

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
    number, *numbers = same_units([printed(value), *needed(means, "means")])
    counts = [whole(size, "sizes") for size in sizes]
    part, ends = whole(n, "n"), (exact(low, "low"), exact(high, "high"))
    if len(counts) != len(numbers):
        raise InputError(f"{len(numbers)} means and {len(counts)} sizes: give one size a mean")
    if part > sum(counts) or ends[0] >= ends[1]:
        raise InputError(f"n={part} of {sum(counts)} units with values from {low} to {high} is not possible")
    known = None if taken is None else [whole(t, "taken", least=0) for t in taken]
    if known is not None and (len(known) != len(counts) or sum(known) != part):
        raise InputError(f"taken must hold one count a group, and add up to n={part}")
    least = _least_sum([(m.bounds[0], s) for m, s in zip(numbers, counts, strict=True)], part, ends, known)
    mirrored = [(-m.bounds[1], s) for m, s in zip(numbers, counts, strict=True)]
    most = -_least_sum(mirrored, part, (-ends[1], -ends[0]), known)
    which = "any " if known is None else ""
    source = f"the mean of {which}{part} of {count(sum(counts), 'unit')} in {count(len(counts), 'group')}"
    return compare("subset_mean", number, least / part, most / part, source=source)


def _least_sum(
    groups: Sequence[tuple[Fraction, int]], part: int, ends: tuple[Fraction, Fraction], known: list[int] | None
) -> Fraction:
    """Return the least sum that `part` units can have, over all splits among the groups, or the known one."""
    costs = [
        [max(ends[0] * t, size * middle - ends[1] * (size - t)) for t in range(min(size, part) + 1)]
        for middle, size in groups
    ]
    if known is not None:
        return sum((cost[t] for cost, t in zip(costs, known, strict=True)), Fraction(0))
    best: dict[int, Fraction] = {0: Fraction(0)}
    for cost in costs:
        longer: dict[int, Fraction] = {}
        for taken, total in best.items():
            for t, extra in enumerate(cost[: part - taken + 1]):
                found = longer.get(taken + t)
                if found is None or total + extra < found:
                    longer[taken + t] = total + extra
        best = longer
    return best[part]

"""Tests, effect sizes and intervals against the means, standard deviations and sizes that are printed with them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, Literal

from socialstats.audit.checks.arithmetic import needed
from socialstats.audit.checks.variants import (
    FAR,
    Range,
    Tails,
    Variant,
    box,
    exactly,
    inside,
    judge,
    outward,
    over,
    span,
    tailed,
)
from socialstats.audit.numbers import (
    Finding,
    Printed,
    absolute,
    compare,
    gap_of,
    printed,
    same_units,
    unchecked,
    whole,
)
from socialstats.errors import InputError
from socialstats.inference.intervals import critical_value
from socialstats.paired.noncentral_t import hedges_j

SHORT_J = "J = 1 - 3/(4 df - 1)"  # Hedges' approximation
POPULATION = "with SDs of divisor n"  # numpy's default
TRANSFORMED = "a bootstrap or a transformed scale would explain it"


def _times(range_: Range, factor: float) -> Range:
    return span(lambda x: x * factor, range_)


def _scaled(range_: Range, n: int) -> Range:
    """Return the range of the sd with divisor n - 1 of one with divisor n."""
    return _times(range_, math.sqrt(n / (n - 1)))


@dataclass(frozen=True, slots=True)
class TwoGroups:
    """The range of the difference of two means, those of both standard deviations, and what is printed."""

    difference: Range
    sd1: Range
    sd2: Range
    text: str

    @property
    def may_not_vary(self) -> bool:
        """Whether both standard deviations may be 0."""
        return self.sd1[0] <= 0 and self.sd2[0] <= 0

    def over(self, error: Callable[[float, float], float]) -> Range:
        """Return the range of the difference over an error, which is a function of both standard deviations."""
        return span(lambda d, x, y: over(d, error(x, y)), self.difference, self.sd1, self.sd2)


def _two_groups(mean1: Any, sd1: Any, n1: Any, mean2: Any, sd2: Any, n2: Any) -> TwoGroups:
    difference = span(operator.sub, box(mean1, "mean1"), box(mean2, "mean2"))
    text = f"{_group(mean1, sd1, n1)} and {_group(mean2, sd2, n2)}"
    return TwoGroups(difference, box(sd1, "sd1", least=0), box(sd2, "sd2", least=0), text)


def _group(mean: Any, sd: Any, n: Any) -> str:
    size = "" if n is None else f", n = {printed(n).text}"
    return f"{printed(mean).text} ({printed(sd).text}{size})"


def two_sample_t(
    mean1: Any,
    sd1: Any,
    n1: Any,
    mean2: Any,
    sd2: Any,
    n2: Any,
    *,
    t: Any = None,
    df: Any = None,
    p: Any = None,
    test: Literal["either", "welch", "student"] = "either",
    tails: Tails = "two",
    level: float = 0.05,
) -> Finding:
    """Check the t, the degrees of freedom or the p of two groups against their means, sds and sizes.

    Welch: t = (m1 - m2) / sqrt(v1 + v2), v = s^2/n, df = (v1 + v2)^2 / (v1^2/(n1 - 1) + v2^2/(n2 - 1)) (Welch 1947).
    Student: the pooled variance with n1 + n2 - 2. All printed numbers must fit one of them. The sign of t is free: both
    orders of subtraction are in use. Whole degrees of freedom may be rounded or cut off.

    Parameters
    ----------
    mean1, sd1, mean2, sd2 : printed numbers
    n1, n2 : whole number
        At least 2.
    t, df, p : printed number
        Any of them; without one, ``not_checkable`` says what they would be.
    test : {"either", "welch", "student"}
    tails : {"two", "one"}
    level : float
        What p is compared with.

    Returns
    -------
    Finding
        ``details["variant"]`` names the test that fits. Minor where sds with divisor n or the other tail fit.
        ``not_checkable`` where both sds may be 0.

    References
    ----------
    Welch, B. L. (1947). Biometrika, 34(1/2), 28-35. https://doi.org/10.2307/2332510

    Examples
    --------
    >>> found = two_sample_t("5.12", "1.31", 40, "4.55", "0.92", 38, t="2.23", p=".029")
    >>> found.verdict, found.details["variant"]
    ('agree', "Welch's test")
    >>> two_sample_t("5.12", "1.31", 40, "4.55", "0.92", 38, t="2.73").verdict
    'disagree'
    """
    a, b = whole(n1, "n1", least=2), whole(n2, "n2", least=2)
    groups = _two_groups(mean1, sd1, n1, mean2, sd2, n2)
    if groups.may_not_vary:
        return _may_be_zero("two_sample_t", groups.text, t if t is not None else p)
    scaled = replace(groups, sd1=_scaled(groups.sd1, a), sd2=_scaled(groups.sd2, b))
    variants: list[Variant] = []
    for words, of in (("", groups), (f" {POPULATION}", scaled)):
        usual = not words
        if test in ("either", "welch"):
            welch = of.over(lambda x, y: math.sqrt(x * x / a + y * y / b))
            df_range = _welch_df(of.sd1, of.sd2, a, b)
            name = f"Welch's test{words}"
            variants += tailed(name, "t", welch, [df_range], tails, usual=usual, df=df_range)
        if test in ("either", "student"):
            student = of.over(lambda x, y: _pooled(x, y, a, b) * math.sqrt(1 / a + 1 / b))
            df_range = exactly(a + b - 2)
            name = f"Student's test{words}"
            variants += tailed(name, "t", student, [df_range], tails, usual=usual, df=df_range)
    said = {"t": t, "df": df, "p": p}
    return judge("two_sample_t", said, variants, groups.text, level=level)


def _may_be_zero(rule: str, source: str, said: Any) -> Finding:
    return unchecked(
        rule, f"the standard deviations of {source} may be 0: t has no upper limit", said
    )


def _pooled(x: float, y: float, a: int, b: int) -> float:
    return math.sqrt(((a - 1) * x * x + (b - 1) * y * y) / (a + b - 2))


def _welch_df(x: Range, y: Range, a: int, b: int) -> Range:
    """Return the range of Welch's df: its largest value is n1 + n2 - 2, where v1/(n1 - 1) = v2/(n2 - 1)."""

    def formula(r: float, s: float) -> float:
        v, w = r * r / a, s * s / b
        return over((v + w) ** 2, v * v / (a - 1) + w * w / (b - 1))

    low, high = span(formula, x, y)
    ratio = math.sqrt(b * (b - 1) / (a * (a - 1)))  # largest df: the ratio of sd2 to sd1 there
    reached = ratio * float(x[1]) >= y[0] and ratio * float(x[0]) <= y[1]
    return low, Fraction(a + b - 2) if reached else high


def cohens_d(
    value: Any,
    mean1: Any,
    sd1: Any,
    mean2: Any,
    sd2: Any,
    n1: Any = None,
    n2: Any = None,
    *,
    kind: Literal["d", "g"] = "d",
) -> Finding:
    """Check a standardized difference of two groups: Cohen's d or Hedges' g.

    d = (m1 - m2) / s with the pooled s (divisor n1 + n2 - 2) or s = sqrt((s1^2 + s2^2)/2); g = J d with
    J = gamma(df/2) / (sqrt(df/2) gamma((df - 1)/2)), or 1 - 3/(4 df - 1) (Hedges 1981). The sign is free.

    Parameters
    ----------
    value, mean1, sd1, mean2, sd2 : printed numbers
    n1, n2 : whole number, optional
        Without them only s = sqrt((s1^2 + s2^2)/2) is tried; g needs them.
    kind : {"d", "g"}

    Returns
    -------
    Finding
        Minor where the other of d and g, Glass's delta, or the pooled s with divisor n1 + n2 fits.

    References
    ----------
    Hedges, L. V. (1981). Journal of Educational Statistics, 6(2), 107-128. https://doi.org/10.3102/10769986006002107

    Examples
    --------
    >>> cohens_d("0.50", "5.12", "1.31", "4.55", "0.92", 40, 38).details["variant"]
    'd with the pooled SD'
    >>> cohens_d("0.62", "5.12", "1.31", "4.55", "0.92", 40, 38).message.partition("; ")[2]
    "Glass's delta (SD of group 2) fits"
    """
    groups = _two_groups(mean1, sd1, n1, mean2, sd2, n2)
    if groups.may_not_vary:
        return _may_be_zero("cohens_d", groups.text, value)
    if (n1 is None or n2 is None) and (kind == "g" or n1 is not n2):
        raise InputError("n1 and n2 are needed for g, and both or none of them for d")
    average = groups.over(lambda x, y: math.sqrt((x * x + y * y) / 2))
    d_of = {"d with the root mean of the variances": average}
    g_of: dict[str, Range] = {}
    explaining: dict[str, Range] = {}
    if n1 is not None:
        a, b = whole(n1, "n1", least=2), whole(n2, "n2", least=2)
        df = a + b - 2
        pooled = groups.over(lambda x, y: _pooled(x, y, a, b))
        d_of = {"d with the pooled SD": pooled, **d_of}
        explaining["d with the pooled SD of divisor n1 + n2"] = _times(
            pooled, math.sqrt((a + b) / df)
        )
        for name, d in (("pooled SD", pooled), ("root mean of the variances", average)):
            g_of[f"g with the {name}"] = _times(d, hedges_j(df))
            g_of[f"g with the {name} and {SHORT_J}"] = _times(d, 1 - 3 / (4 * df - 1))
    usual = d_of if kind == "d" else g_of
    glass = {
        "Glass's delta (SD of group 2)": span(over, groups.difference, groups.sd2),
        "Glass's delta (SD of group 1)": span(over, groups.difference, groups.sd1),
    }
    ranges = d_of | explaining | g_of | glass
    variants = [
        Variant(name=name, gives={kind: range_}, usual=name in usual)
        for name, range_ in ranges.items()
    ]
    return judge("cohens_d", {kind: value}, variants, groups.text)


def anova_f(
    means: Sequence[Any],
    sds: Sequence[Any],
    sizes: Sequence[Any],
    *,
    f: Any = None,
    p: Any = None,
    level: float = 0.05,
) -> Finding:
    """Check the F or the p of a one-way analysis of variance against the groups' means, sds and sizes.

    F = sum n (m - grand mean)^2 / (k - 1) over sum (n - 1) s^2 / (N - k). Rounding moves the root of the first sum by
    at most sqrt(sum n h^2), h half the widths of the means. Welch's F (1951) is tried, too.

    Parameters
    ----------
    means, sds : sequence of printed numbers
    sizes : sequence of whole numbers
    f, p : printed number
    level : float

    Returns
    -------
    Finding
        ``not_checkable`` where all sds may be 0.

    Examples
    --------
    >>> anova_f(["5.1", "4.4", "4.9"], ["1.2", "1.1", "1.3"], [30, 30, 30], f="7.21").verdict
    'disagree'
    """
    import numpy as np

    middles, spreads = needed(means, "means", 2), needed(sds, "sds", 2)
    n = np.array([float(whole(size, "sizes", least=2)) for size in sizes])
    if not len(middles) == len(spreads) == len(n):
        raise InputError(
            f"{len(middles)} means, {len(spreads)} SDs and {len(n)} sizes: give one of each per group"
        )
    ends = np.array([[x.bounds for x in of] for of in (middles, spreads)], dtype=np.float64)
    m, h = ends[0].mean(axis=1), np.diff(ends[0])[:, 0] / 2
    s = np.maximum(ends[1].T, 0.0)
    k, total = len(n), int(n.sum())
    source = f"{k} groups with n = {total} in all"
    if s[0].max() <= 0:
        return _may_be_zero("anova_f", source, f if f is not None else p)
    root, slack = math.sqrt(n @ (m - n @ m / total) ** 2), math.sqrt(n @ h**2)
    least, most = max(0.0, root - slack) ** 2 / (k - 1), (root + slack) ** 2 / (k - 1)
    frees = [exactly(k - 1), exactly(total - k)]
    variants: list[Variant] = []
    for words, less in (("", 1), (f" {POPULATION}", 0)):
        within = s**2 @ (n - less) / (total - k)
        f_range = outward(least / within[1], over(most, within[0]))
        name = f"the one-way analysis{words}"
        variants += tailed(name, "F", f_range, frees, usual=not words)
    if s[0].min() > 0:
        variants += _welch_anova(m, h, s, n)
    return judge("anova_f", {"F": f, "p": p}, variants, source, level=level)


def _welch_anova(m: Any, h: Any, s: Any, n: Any) -> list[Variant]:
    """Return Welch's F with its range: the sum of what each number alone moves, and a fifth more for what both do."""
    import numpy as np

    def formula(m: Any, s: Any) -> Any:
        w, k = n / s**2, len(n)
        grand = np.average(m, weights=w)
        rest = ((1 - w / w.sum()) ** 2 / (n - 1)).sum() / (k * k - 1)
        f = w @ (m - grand) ** 2 / (k - 1) / (1 + 2 * (k - 2) * rest)
        return np.array([f, 1 / (3 * rest)])

    sds, half = s.mean(axis=0), (s[1] - s[0]) / 2
    value = formula(m, sds)
    moves = [*np.eye(len(n)), *-np.eye(len(n))]
    near = [formula(m + move * h, sds) for move in moves]
    near += [formula(m, sds + move * half) for move in moves]
    moved = 0.6 * abs(np.array(near) - value).sum(axis=0)
    f, df = map(outward, np.maximum(value - moved, 0.0), value + moved)
    return tailed("Welch's F", "F", f, [exactly(len(n) - 1), df])


def paired_t_bounds(
    mean1: Any,
    sd1: Any,
    mean2: Any,
    sd2: Any,
    n: Any,
    *,
    t: Any = None,
    p: Any = None,
    r: Any = None,
    tails: Tails = "two",
    level: float = 0.05,
) -> Finding:
    """Check a paired t, or its p, against both means and sds: the correlation lies between -1 and 1.

    t = (m1 - m2) sqrt(n) / sqrt(s1^2 + s2^2 - 2 r s1 s2), so that abs(t) lies between abs(m1 - m2) sqrt(n) / (s1 + s2)
    and abs(m1 - m2) sqrt(n) / abs(s1 - s2).

    Parameters
    ----------
    mean1, sd1, mean2, sd2 : printed numbers
    n : whole number
        Pairs.
    t, p : printed number
    r : printed number, optional
        The correlation, where it is printed.
    tails, level
        As in `two_sample_t`.

    Returns
    -------
    Finding

    Examples
    --------
    >>> paired_t_bounds("5.12", "1.31", "4.55", "0.92", 40, t="1.21").expected
    '1.5811 to 9.6533'
    """
    pairs = whole(n, "n", least=2)
    groups = _two_groups(mean1, sd1, None, mean2, sd2, None)
    x, y = groups.sd1, groups.sd2
    low, high = (Fraction(-1), Fraction(1)) if r is None else box(r, "r")
    low, high = max(low, Fraction(-1)), min(high, Fraction(1))
    difference = absolute(*groups.difference)

    def variance(s: Fraction, u: Fraction, r: Fraction) -> float:
        return max(float(s * s + u * u - 2 * r * s * u), 0.0)

    # where the least variance of one sd lies, the other at its lower end
    edges = [(_within(high * y[0], x), y[0]), (x[0], _within(high * x[0], y))]
    least = math.sqrt(min(variance(*edge, high) for edge in edges))
    most = math.sqrt(max(variance(*corner, low) for corner in product(x, y)))
    root = math.sqrt(pairs)
    nearest, farthest = over(float(difference[0]), most), over(float(difference[1]), least)
    t_range = outward(nearest * root, farthest * root)
    correlated = "any correlation" if r is None else f"r = {printed(r).text}"
    source = f"{groups.text}, {pairs} pairs and {correlated}"
    variants = tailed("a paired test", "t", t_range, [exactly(pairs - 1)], tails)
    return judge("paired_t_bounds", {"t": t, "p": p}, variants, source, level=level)


def _within(value: Fraction, ends: Range) -> Fraction:
    return min(max(value, ends[0]), ends[1])


def correlation(
    r: Any,
    *,
    n: Any = None,
    df: Any = None,
    t: Any = None,
    p: Any = None,
    tails: Tails = "two",
    level: float = 0.05,
) -> Finding:
    """Check a correlation against its t or its p: t = r sqrt(df / (1 - r^2)), df = n - 2.

    Parameters
    ----------
    r : printed number
    n, df : whole number
        One of them.
    t, p : printed number
    tails, level
        As in `two_sample_t`.

    Returns
    -------
    Finding
        Minor where p is that of Fisher's z.

    Examples
    --------
    >>> correlation(".34", n=60, p=".008").verdict, correlation(".34", n=60, t="3.75").verdict
    ('agree', 'disagree')
    """
    if (n is None) == (df is None):
        raise InputError("give n or df: df is n - 2")
    free = whole(n, "n", least=3) - 2 if df is None else whole(df, "df")
    low, high = box(r, "r")
    if low > 1 or high < -1:
        raise InputError(f"r={printed(r).text} is outside -1 to 1: it is no correlation")
    ends = max(low, Fraction(-1)), min(high, Fraction(1))
    t_range = span(lambda x: over(x * math.sqrt(free), math.sqrt(1 - x * x)), ends)
    variants = tailed("t", "t", t_range, [exactly(free)], tails)
    if free > 1 and t is None:
        z = span(lambda x: _fisher_z(x) * math.sqrt(free - 1), ends)
        variants += tailed("Fisher's z", "z", z, [], tails, usual=False)
    source = f"r = {printed(r).text} with {free} df"
    return judge("correlation", {"t": t, "p": p}, variants, source, level=level)


def _fisher_z(r: float) -> float:
    return math.atanh(r) if abs(r) < 1 else float(FAR) * r


def t_from_estimate(
    estimate: Any,
    std_error: Any,
    *,
    t: Any = None,
    df: Any = None,
    p: Any = None,
    tails: Tails = "two",
    level: float = 0.05,
) -> Finding:
    """Check the t (or z) of a coefficient, or its p, against the estimate and its standard error: t = b / s.e.

    Parameters
    ----------
    estimate, std_error : printed numbers
    t : printed number, optional
        t, or Wald's z.
    df : printed number, optional
        Degrees of freedom. Without them p may be that of any t distribution, up to the normal one.
    p : printed number, optional
    tails, level
        As in `two_sample_t`.

    Returns
    -------
    Finding

    Examples
    --------
    >>> t_from_estimate("0.420", "0.150", t="2.8").verdict, t_from_estimate("0.42", "0.15", df=90, p=".0001").verdict
    ('agree', 'disagree')
    """
    b, error = box(estimate, "estimate"), box(std_error, "std_error", least=0)
    range_ = span(over, b, error)
    if df is None:
        frees = Fraction(1), FAR
    elif printed(df).unit in (0, 1):
        frees = exactly(whole(df, "df"))
    else:
        frees = box(df, "df", least=0)
    source = f"{printed(estimate).text} with s.e. {printed(std_error).text}"
    variants = tailed("the ratio", "t", range_, [frees], tails)
    if df is not None:
        variants += tailed("the normal distribution", "t", range_, [(FAR, FAR)], tails, usual=False)
    return judge("t_from_estimate", {"t": t, "p": p}, variants, source, level=level)


def std_error_from_sd(std_error: Any, sd: Any, n: Any) -> Finding:
    """Check the standard error of a mean: s.e. = sd / sqrt(n).

    Parameters
    ----------
    std_error, sd : printed numbers
    n : whole number

    Returns
    -------
    Finding
        Minor where an sd with divisor n fits.

    Examples
    --------
    >>> std_error_from_sd("0.20", "1.27", 40).verdict, std_error_from_sd("0.22", "1.27", 40).verdict
    ('agree', 'disagree')
    """
    people, spread = whole(n, "n", least=2), box(sd, "sd", least=0)
    root = span(lambda s: s / math.sqrt(people), spread)
    variants = [
        Variant(name="SD / sqrt(n)", gives={"s.e.": root}),
        Variant(name=POPULATION, gives={"s.e.": _scaled(root, people)}, usual=False),
    ]
    return judge(
        "std_error_from_sd", {"s.e.": std_error}, variants, f"SD {printed(sd).text}, n = {people}"
    )


def kappa_from_agreement(kappa: Any, observed: Any, chance: Any) -> Finding:
    """Check a chance-corrected agreement: kappa = (po - pe) / (1 - pe).

    Cohen's, Fleiss', Scott's and Gwet's coefficients, weighted or not, have this form with their own pe.

    Parameters
    ----------
    kappa, observed, chance : printed numbers
        Shares, or percentages with ``%``.

    Returns
    -------
    Finding

    Examples
    --------
    >>> kappa_from_agreement("0.56", "0.78", "0.50").verdict, kappa_from_agreement("0.65", "78%", "50%").verdict
    ('agree', 'disagree')
    """
    po, pe = printed(observed).share(), printed(chance).share()
    if pe.bounds[0] >= 1 or po.bounds[0] > 1:
        raise InputError(
            f"observed={po.text}, chance={pe.text} are no shares: write percentages with %"
        )
    ends = [(low, min(high, Fraction(1))) for low, high in (po.bounds, pe.bounds)]
    value = span(lambda a, e: over(a - e, 1 - e), *ends)
    variants = [Variant(name="(po - pe) / (1 - pe)", gives={"kappa": value})]
    source = f"po = {po.text}, pe = {pe.text}"
    return judge("kappa_from_agreement", {"kappa": kappa}, variants, source)


def mean_ci(
    mean: Any,
    low: Any,
    high: Any,
    *,
    std_error: Any = None,
    sd: Any = None,
    n: Any = None,
    confidence: float = 0.95,
) -> Finding:
    """Check a confidence interval of a mean against the mean and its standard error, or the sd and n.

    mean -+ q s.e. with q of the normal distribution or of t with n - 1 degrees of freedom; without n, of any t with 2
    or more. Both ends, their middle and half their distance are compared.

    Parameters
    ----------
    mean, low, high : printed numbers
    std_error, sd : printed number, optional
        One of them, sd with n; without any the interval must only hold its mean.
    n : whole number, optional
    confidence : float

    Returns
    -------
    Finding
        ``details["variant"]`` names the quantile. Minor where a 90, 95 or 99% interval, or mean -+ 1 or 2 s.e. fits,
        and where an interval holds its mean but not in the middle. Major where it does not hold it.

    Examples
    --------
    >>> mean_ci("0.45", "0.35", "0.55", std_error="0.05").verdict
    'agree'
    >>> mean_ci("0.45", "0.25", "0.35", std_error="0.05").message
    'sources disagree: the interval 0.25 to 0.35 does not hold its mean 0.45'
    """
    name, spread = ("s.e.", std_error) if std_error is not None else ("SD", sd)
    values = {"low": low, "high": high, "mean": mean, name: spread}
    values = {key: value for key, value in values.items() if value is not None}
    units = same_units([printed(value) for value in values.values()])
    numbers = dict(zip(values, units, strict=True))
    text = f"{numbers['low'].text} to {numbers['high'].text}"
    contradiction = outside("mean_ci", text, numbers, "mean")
    if contradiction is not None:
        return contradiction
    (lowest, low_end), (high_end, highest) = numbers["low"].bounds, numbers["high"].bounds
    people = None if n is None else whole(n, "n", least=2)
    if std_error is None and (sd is None or people is None):
        source = f"the interval {text}"
        return compare("mean_ci", numbers["mean"], lowest, highest, source=source)
    root = math.sqrt(people) if std_error is None and people else 1.0
    size = box(numbers[name], name, least=0)
    middle = (lowest + high_end) / 2, (low_end + highest) / 2
    half = max((high_end - low_end) / 2, Fraction(0)), (highest - lowest) / 2

    def end(m: float, s: float, q: float) -> float:
        return m + q * s / root

    variants = []
    for label, (least, most) in _quantiles(confidence, people).items():
        below, above = (Fraction(-most), Fraction(-least)), (Fraction(least), Fraction(most))
        gives = {
            "mean": middle,
            name: (half[0] * Fraction(root / most), half[1] * Fraction(root / least)),
            "low": span(end, numbers["mean"].bounds, size, below),
            "high": span(end, numbers["mean"].bounds, size, above),
        }
        usual = label in _interval_names(confidence)
        variants.append(Variant(name=label, gives=gives, usual=usual))
    sized = f", n = {people}" if people else ""
    source = f"mean {numbers['mean'].text}, {name} {numbers[name].text}{sized}"
    finding = judge("mean_ci", numbers, variants, source)
    if finding or not gap_of(numbers["mean"], *middle):
        return finding
    # other methods have intervals whose estimate is not in the middle
    return replace(finding, severity="minor", message=f"{finding.message}; {TRANSFORMED}")


def _quantiles(confidence: float, people: int | None) -> dict[str, tuple[float, float]]:
    """Return the least and the largest quantile of each kind of interval, the usual ones first."""
    quantiles: dict[str, tuple[float, float]] = {}
    for level in (inside(confidence), 0.9, 0.95, 0.99):
        z, t = critical_value(level), critical_value(level, people - 1 if people else 2)
        normal, student = _interval_names(level)
        quantiles.setdefault(normal, (z, z))
        quantiles.setdefault(student, (t if people else z, t))
    return quantiles | {f"mean -+ {q} s.e.": (q, q) for q in (1, 2)}


def _interval_names(level: float) -> tuple[str, str]:
    return f"the normal {100 * level:g}% interval", f"the {100 * level:g}% interval of t"


def outside(rule: str, text: str, numbers: dict[str, Printed], name: str) -> Finding | None:
    """Return the disagreement of an interval that is upside down, or that does not hold its own estimate."""
    low, high, middle = numbers["low"], numbers["high"], numbers[name]
    if low.bounds[0] > high.bounds[1]:
        why = f"the lower end of {text} is above the upper one"
    elif middle.bounds[1] < low.bounds[0] or middle.bounds[0] > high.bounds[1]:
        why = f"the interval {text} does not hold its {name} {middle.text}"
    else:
        return None
    return Finding(
        rule=rule,
        verdict="disagree",
        severity="major",
        published=text,
        message=f"sources disagree: {why}",
    )


def t_from_summary(
    mean: Any,
    sd: Any,
    n: Any,
    *,
    t: Any = None,
    p: Any = None,
    mu: Any = 0,
    tails: Tails = "two",
    level: float = 0.05,
) -> Finding:
    """Check the one-sample (or paired) t, or its p, against the mean, the standard deviation and n.

    t = (mean - mu) sqrt(n) / sd with n - 1 degrees of freedom, every printed number an interval.

    Parameters
    ----------
    mean, sd : printed numbers
    n : whole number
    t, p : printed number
        Any of them; without one, ``not_checkable`` says what they would be.
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
    people, spread = whole(n, "n", least=2), printed(sd).bounds
    source = f"mean {printed(mean).text}, SD {printed(sd).text}, n = {people}"
    if spread[0] <= 0:
        return _may_be_zero("t_from_summary", source, t if p is None else p)
    null = float(printed(mu).value)
    root = math.sqrt(people)
    t_range = span(lambda m, s: (m - null) / s * root, box(mean, "mean"), spread)
    tests = tailed("t", "t", t_range, [exactly(people - 1)], tails)
    variants = [replace(variant, turned=False) for variant in tests]
    return judge("t_from_summary", {"t": t, "p": p}, variants, source, level=level)

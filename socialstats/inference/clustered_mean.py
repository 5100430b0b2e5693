"""The mean of values in clusters: CR0 to CR3 with Satterthwaite degrees of freedom, and two crossed factors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from socialstats.errors import InputError
from socialstats.inference.intervals import critical_value, not_zero
from socialstats.resampling.units import FloatArray, IntArray
from socialstats.results.rows import OUT_OF_RANGE
from socialstats.results.scaling import size_unit
from socialstats.text import count as counted
from socialstats.text import number

Kind = Literal["CR0", "CR1", "CR2", "CR3"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ROUND_DF = 1e-9
EPS = float(np.finfo(np.float64).eps)
SPARE = 8  # rounding errors of the values themselves
ONE_HOLDS_ALL = "one cluster holds all values but a share that is lost in rounding: no standard error"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredMean:
    """A mean with a standard error that knows about clusters.

    Attributes
    ----------
    mean : float
    sd : float
        Of the single values, with n - 1.
    std_error, df : float
        NaN where they do not exist; `undefined` says why.
    n : float
        Values.
    clusters : tuple of int
        Number of levels of each factor; empty for independent values.
    kind : str
        ``"rows"``, ``"CR0"`` to ``"CR3"``, or ``"two-way"``.
    floored : bool
        Two factors only: V1 + V2 - V12 was below the larger of V1 and V2, which took its place.
    unfloored_std_error : float or None
        Two factors only: the root of V1 + V2 - V12 as it is (Cameron, Gelbach & Miller 2011); None where that is not
        positive.
    undefined : str
    """

    mean: float
    sd: float
    std_error: float
    df: float
    n: float
    clusters: tuple[int, ...]
    kind: str
    floored: bool = False
    unfloored_std_error: float | None = None
    undefined: str = ""

    def t(self, null: float = 0.0) -> float:
        """Statistic of the hypothesis that the mean is `null`; NaN where there is no standard error."""
        return (self.mean - null) / self.std_error

    def p_value(self, null: float = 0.0, *, alternative: str = "two_sided") -> float:
        """Return the p-value of the t test against `null`: never 0, NaN where there is no standard error.

        Parameters
        ----------
        null : float
        alternative : {"two_sided", "greater", "less"}
        """
        return t_p_value(self.t(null), self.df, alternative)

    def interval(self, level: float = 0.95, *, alternative: str = "two_sided") -> tuple[float, float]:
        """Return the t interval; with a one-sided alternative one end is infinite, as in R's ``t.test``."""
        if alternative == "two_sided":
            reach = critical_value(level, self.df) * self.std_error
            return self.mean - reach, self.mean + reach
        reach = critical_value(2 * level - 1, self.df) * self.std_error
        return (self.mean - reach, math.inf) if alternative == "greater" else (-math.inf, self.mean + reach)


def in_unit(found: ClusteredMean, unit: float, value: float) -> ClusteredMean:
    """Return a mean of values that were divided by a unit in the unit of the values, of which `value` is one."""
    raw, error = found.unfloored_std_error, found.std_error * unit
    out = replace(
        found, mean=found.mean * unit, sd=found.sd * unit, std_error=error,
        unfloored_std_error=None if raw is None else raw * unit,
    )  # fmt: skip
    if found.undefined:
        return replace(out, undefined=all_equal(found.n, value)) if found.sd == 0 else out
    if 0 < error < math.inf:
        return out
    return replace(out, std_error=math.nan, df=math.nan, undefined=f"the standard error is {OUT_OF_RANGE}")


def t_p_value(t: float, df: float, alternative: str = "two_sided") -> float:
    """Return the p-value of a t statistic (normal for infinite df); never 0.

    Examples
    --------
    >>> round(t_p_value(-4.0621277, 9), 6), round(t_p_value(-4.0621277, 9, "greater"), 6)
    (0.002833, 0.998584)
    """
    from scipy.special import stdtr

    if math.isnan(t):
        return math.nan
    if alternative == "two_sided":
        return float(not_zero(2 * stdtr(df, -abs(t))))
    return float(not_zero(stdtr(df, -t if alternative == "greater" else t)))


def clustered_mean(
    values: FloatArray,
    count: FloatArray,
    codes: Sequence[IntArray] = (),
    *,
    kind: Kind = "CR2",
    magnitude: float | None = None,
) -> ClusteredMean:
    """Estimate a mean from cells, with a standard error for independent, clustered or crossed values.

    Parameters
    ----------
    values, count : (cells,) arrays
        Distinct values (within clusters) and how often each occurs.
    codes : sequence of (cells,) int64 arrays
        None, one or two cluster factors.
    kind : {"CR0", "CR1", "CR2", "CR3"}
        Of one factor. Two factors always use CR1 for each part.
    magnitude : float, optional
        Largest size of the numbers that `values` were computed from (differences: of the raw values): spreads
        below n * eps * magnitude are rounding. Default: the largest size in `values`.

    Returns
    -------
    ClusteredMean

    Raises
    ------
    InputError
        For an unknown kind, more than two factors, or no value.

    Notes
    -----
    With residuals e summed to e_g and shares f_g = n_g / n of the clusters, V = sum_g w_g e_g^2 / n^2, where w_g is 1
    (CR0), G/(G-1) (CR1), 1/(1-f_g) (CR2, exact for a mean: Bell & McCaffrey 2002), 1/(1-f_g)^2 (CR3). CR2's degrees
    of freedom are (tr P)^2 / tr(P^2) with P of independent errors; for a mean, with r_g = f_g^2/(1-f_g),

        df = 1 / (sum f_g^2 + (sum r_g)^2 - sum r_g^2),

    which is G - 1 when clusters are equal. The others have G - 1. Independent values are clusters of one: sd/sqrt(n).
    Two crossed factors: V1 + V2 - V12 (Cameron, Gelbach & Miller 2011), not below max(V1, V2), and min(G1, G2) - 1 df.

    References
    ----------
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.
    Cameron, A. C., Gelbach, J. B., & Miller, D. L. (2011). Robust inference with multiway clustering.
    doi:10.1198/jbes.2010.07136
    Pustejovsky, J. E., & Tipton, E. (2018). Small-sample methods for cluster-robust variance estimation.
    doi:10.1080/07350015.2016.1247004

    Examples
    --------
    >>> values, ones = np.array([1.0, 2.0, 4.0, 9.0]), np.ones(4)
    >>> m = clustered_mean(values, ones, [np.array([0, 0, 1, 2])])
    >>> m.mean, round(m.std_error, 4), round(m.df, 4)
    (4.0, 2.2822, 1.8)
    """
    if kind not in KINDS:
        raise InputError(f"kind='{kind}' is not one of {', '.join(KINDS)}")
    if len(codes) > 2:
        raise InputError(f"at most two crossed cluster factors, got {len(codes)}")
    x, c = np.asarray(values, dtype=np.float64), np.asarray(count, dtype=np.float64)
    n = float(c.sum())
    if not n > 0:
        raise InputError("a mean needs at least one value")
    unit = size_unit(x)
    if unit != 1:
        size = None if magnitude is None else magnitude / unit
        return in_unit(clustered_mean(x / unit, c, codes, kind=kind, magnitude=size), unit, float(x[0]))
    dense = [np.unique(np.asarray(code), return_inverse=True)[1] for code in codes]
    mean = centre(x, c, n)
    off = x - mean
    squares = float(c @ off**2)
    base = ClusteredMean(
        mean=mean, sd=math.sqrt(squares / (n - 1)) if n > 1 else math.nan, std_error=math.nan, df=math.nan, n=n,
        clusters=tuple(int(d.max()) + 1 for d in dense), kind=("rows", kind, "two-way")[len(dense)],
    )  # fmt: skip
    size = float(np.abs(x).max()) if magnitude is None else magnitude
    why = no_spread(x, n, size) or few(base) or all_in_one(dense, c)
    if why:
        return replace(base, undefined=why)
    if not dense:
        return replace(base, std_error=math.sqrt(squares / (n - 1) / n), df=n - 1)
    found = one_factor(base, off * c, c, dense[0], kind) if len(dense) == 1 else two_factors(base, off * c, dense)
    if found.std_error > rounding(x, n, size):
        return found
    why = "the mean is the same in every cluster: the clusters show no variance to judge it by"
    return replace(base, undefined=why)


def centre(x: FloatArray, c: FloatArray, n: float) -> float:
    """Return the mean; exactly the value itself when all are equal."""
    if np.all(x == x[0]):
        return float(x[0])
    rough = float(c @ x) / n
    return rough + float(c @ (x - rough)) / n


def no_spread(x: FloatArray, n: float, magnitude: float) -> str:
    """Say that all values are equal up to rounding, or return empty text."""
    if n < 2:
        return "one value only: no standard error"
    if float(np.ptp(x)) > rounding(x, n, magnitude):
        return ""
    return all_equal(n, float(x[0]))


def rounding(cells: FloatArray, n: float, magnitude: float) -> float:
    """Return the spread that rounding can give equal values: by the numbers that are added up, not by their counts."""
    return EPS * min(n, len(cells) + SPARE) * magnitude


def all_equal(n: float, value: float) -> str:
    """Say that all values are equal."""
    return f"all {counted(n)} values equal {plain_number(value)}: no standard error, no test"


def plain_number(value: float) -> str:
    """Write a number with the decimals it needs, at most four; very large and small ones with an exponent.

    Examples
    --------
    >>> plain_number(-1.0), plain_number(0.125)
    ('−1', '0.125')
    """
    if value and not 1e-4 <= abs(value) < 1e15:
        return f"{value:g}".replace("-", "\N{MINUS SIGN}")
    digits = next((d for d in range(4) if abs(value - round(value, d)) <= 1e-9 * max(1.0, abs(value))), 4)
    return number(value, digits)


def few(base: ClusteredMean) -> str:
    """Say that a factor has a single level, or return empty text."""
    return "a single cluster: no standard error" if base.clusters and min(base.clusters) < 2 else ""


def all_in_one(codes: Sequence[IntArray], count: FloatArray) -> str:
    """Say that a cluster holds all values but a share that is lost in rounding, or return empty text."""
    return ONE_HOLDS_ALL if any(np.any(others(code, count) <= 0) for code in codes) else ""


def others(code: IntArray, count: FloatArray) -> FloatArray:
    """Return the share of the values outside each cluster, (clusters,): no difference of shares near 1."""
    held = np.bincount(code, count)
    return np.asarray((count.sum() - held) / count.sum())


def one_factor(base: ClusteredMean, sums: FloatArray, count: FloatArray, code: IntArray, kind: Kind) -> ClusteredMean:
    """Fill in standard error and df for one factor (formulas: `clustered_mean`)."""
    share, rest = np.bincount(code, count) / base.n, others(code, count)
    squares = np.bincount(code, sums) ** 2
    groups = len(share)
    weight = {
        "CR0": np.ones(groups), "CR1": np.full(groups, groups / (groups - 1)), "CR2": 1 / rest, "CR3": rest**-2,
    }[kind]  # fmt: skip
    df = float(groups - 1)
    if kind == "CR2":
        r = share**2 / rest
        apart = r.sum() - r  # the sum over the other clusters: of the largest, added up without it
        apart[r.argmax()] = np.delete(r, r.argmax()).sum()
        df = float(1 / (share @ share + r @ apart))
        df = round(df) if abs(df - round(df)) < ROUND_DF else df  # equal clusters: G - 1, not 27.999999999999996
    return replace(base, std_error=math.sqrt(float(weight @ squares)) / base.n, df=float(df))


def two_factors(base: ClusteredMean, sums: FloatArray, codes: Sequence[IntArray]) -> ClusteredMean:
    """Fill in standard error and df for two crossed factors (formula: `clustered_mean`)."""
    both = np.unique(codes[0] * base.clusters[1] + codes[1], return_inverse=True)[1]
    parts = []
    for code in (*codes, both):
        squares = np.bincount(code, sums) ** 2
        groups = len(squares)
        parts.append(groups / (groups - 1) * float(squares.sum()) / base.n**2)
    plain, least = parts[0] + parts[1] - parts[2], max(parts[0], parts[1])
    df = float(min(base.clusters) - 1)
    raw = math.sqrt(plain) if plain > 0 else None
    error = math.sqrt(max(plain, least))
    return replace(base, std_error=error, df=df, floored=plain < least, unfloored_std_error=raw)

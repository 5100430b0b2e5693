"""Standardised mean differences of pairs, from sums or from summary numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from socialstats.errors import Caution, InputError, caution
from socialstats.inference.clustered_mean import SKEWED, rounding, skewed
from socialstats.inference.dependence import small_sample
from socialstats.inference.influence import jackknife_errors
from socialstats.inference.rows import with_ends
from socialstats.models.noncentral_t import d_z_interval
from socialstats.models.pair_values import PairValues
from socialstats.resampling import Units, jackknife
from socialstats.resampling.units import FloatArray
from socialstats.results.rows import Row
from socialstats.results.scaling import scaled, size_unit
from socialstats.text import number

TERMS = ("d_z", "d_av", "d_rm")
HULL = "noncentral t or jackknife t, the outer ends"
SMALL = 1e-12
ROUNDING = 1e-13  # share of a sum of squares that rounding can leave of a variance of 0
PEAKED = 1.5  # excess kurtosis
FEWEST_SHAPED = 25  # pairs (clusters) below which neither says much
LARGE, ENOUGH = 0.8, 200  # size of d_z above which, and pairs below which, tails matter that were not met
LARGEST_RATIO = {100: 1.15, 20: 1.3}  # by pairs: normal differences hardly ever reach it, exponential ones mostly


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Summary numbers of pairs; None where unknown.

    Attributes
    ----------
    n : float
    mean : float or None
        Mean difference.
    sd : float or None
        Standard deviation of the differences.
    sd_first, sd_second, r : float or None
    t : float or None
        mean / (sd / sqrt(n)).
    skewness : float or None
        Sum of the cubed deviations of the differences over the 3/2th power of the sum of their squares.
    """

    n: float
    mean: float | None = None
    sd: float | None = None
    sd_first: float | None = None
    sd_second: float | None = None
    r: float | None = None
    t: float | None = None
    skewness: float | None = None

    @property
    def varies(self) -> bool:
        """True where a condition is known to vary."""
        return bool((self.sd_first or 0) + (self.sd_second or 0) > 0)

    def sizes(self) -> dict[str, float | None]:
        """Return d_z, d_av and d_rm, None where numbers for them are missing."""
        d_z = None if self.t is None else self.t / math.sqrt(self.n)
        d_av = None
        if self.mean is not None and self.sd_first is not None and self.sd_second is not None and self.varies:
            d_av = self.mean / math.hypot(self.sd_first, self.sd_second) * math.sqrt(2)
        d_rm = None if d_z is None or self.r is None else d_z * math.sqrt(2 * (1 - self.r))
        return {"d_z": d_z, "d_av": d_av, "d_rm": d_rm}


def moments(pairs: PairValues) -> tuple[FloatArray, Callable[[FloatArray], FloatArray]]:
    """Return per-cell sums and the function from summed sums to d_z, d_av and d_rm.

    d_z = M/S, M and S mean and standard deviation (n - 1) of the differences; d_av = M / sqrt((S1^2 + S2^2)/2);
    d_rm = d_z sqrt(2 (1 - r)) (Cohen 1988, p. 48; Cumming 2012, p. 291; Morris & DeShon 2002). Sums are of
    values minus the means of the whole sample, against cancellation; what a variance keeps of them by rounding alone
    (a resample of equal values) is 0.

    Returns
    -------
    table : (cells, 8) float64 array
    finish : callable
        (B, 8) -> (B, 3); NaN where a standard deviation is 0.
    """
    pairs, _ = pairs.sized()
    c = pairs.count
    x, y, d = (v - float(c @ v / c.sum()) for v in (pairs.first, pairs.second, pairs.difference))
    gap = float(c @ pairs.difference / c.sum())
    table = np.column_stack([c * x, c * y, c * d, c * x * x, c * y * y, c * d * d, c * x * y, c])
    floor = SMALL * max(1.0, pairs.n) * np.finfo(np.float64).eps * pairs.magnitude**2

    def finish(sums: FloatArray) -> FloatArray:
        n = sums[:, 7]
        with np.errstate(invalid="ignore", divide="ignore"):
            means = sums[:, :3] / n[:, None]
            v = (sums[:, 3:6] - n[:, None] * means**2) / (n - 1)[:, None]
            v = np.where(v > np.maximum(floor, ROUNDING * sums[:, 3:6] / (n - 1)[:, None]), v, 0.0)
            cov = (sums[:, 6] - n * means[:, 0] * means[:, 1]) / (n - 1)
            m, mixed, both = gap + means[:, 2], v[:, 0] + v[:, 1], v[:, 0] * v[:, 1] > 0
            d_z = m / np.sqrt(np.where(v[:, 2] > 0, v[:, 2], np.nan))
            d_av = m / np.sqrt(np.where(mixed > 0, mixed / 2, np.nan))
            r = np.where(both, np.clip(cov / np.sqrt(v[:, 0] * v[:, 1]), -1, 1), np.nan)
            return np.column_stack([d_z, d_av, d_z * np.sqrt(2 * (1 - r))])

    return table, finish


def summary_of(pairs: PairValues) -> Summary:
    """Return the summary numbers of pairs; r is None where a condition does not vary, t where differences do not."""
    pairs, unit = pairs.sized()
    c, n = pairs.count, float(pairs.n)

    def spread(values: FloatArray) -> float:
        mean = float(c @ values / n)
        return math.sqrt(float(c @ (values - mean) ** 2) / (n - 1))

    def varies(values: FloatArray) -> bool:
        return bool(np.ptp(values) > rounding(values, n, pairs.magnitude))

    mean, sd = float(c @ pairs.difference / n), spread(pairs.difference)
    one, two = (spread(values) if varies(values) else 0.0 for values in (pairs.first, pairs.second))
    r = None
    if varies(pairs.first) and varies(pairs.second):
        off = (pairs.first - c @ pairs.first / n) * (pairs.second - c @ pairs.second / n)
        r = max(-1.0, min(1.0, float(c @ off) / (n - 1) / (one * two)))
    t = mean / (sd / math.sqrt(n)) if varies(pairs.difference) else None
    off = scaled(pairs.difference - mean)
    return Summary(
        n=n, mean=mean * unit, sd=sd * unit if t is not None else None, sd_first=one * unit, sd_second=two * unit, r=r,
        t=t, skewness=None if t is None else float(c @ off**3) / float(c @ off**2) ** 1.5,
    )  # fmt: skip


def completed(
    *, n: float, t: float | None, mean: float | None, sd: float | None, sd_first: float | None,
    sd_second: float | None, r: float | None,
) -> Summary:  # fmt: skip
    """Fill in what follows from the numbers given.

    sd^2 = sd_first^2 + sd_second^2 - 2 r sd_first sd_second gives the one of sd and r that is missing; t = mean /
    (sd/sqrt(n)) gives t, the mean or sd.

    Raises
    ------
    InputError
        For impossible numbers, numbers given twice over, or too few for any effect size.
    """
    given = {"n": n, "t": t, "mean": mean, "sd": sd, "sd_first": sd_first, "sd_second": sd_second, "r": r}
    check_numbers(given)
    both = sd_first is not None and sd_second is not None
    if sd_first is not None and sd_second is not None:
        if sd is not None and r is not None:
            raise InputError("sd=, sd_first=, sd_second= and r= say the same thing twice: leave out sd= or r=")
        if r is not None:
            unit = size_unit(np.array([sd_first, sd_second]))
            one, two = sd_first / unit, sd_second / unit
            sd = math.sqrt(max(0.0, one**2 + two**2 - 2 * r * one * two)) * unit
            if not sd > SMALL * (sd_first + sd_second):
                raise InputError(f"r={r:g} with these standard deviations leaves no variation of the differences")
    if t is not None and mean is not None and sd is not None:
        raise InputError("t= and mean= with the sd of the differences say the same thing twice: leave out t=")
    if t is None and mean is not None and sd is not None:
        t = mean / (sd / math.sqrt(n))
    elif t is not None and sd is not None:
        mean = t * sd / math.sqrt(n)
    elif t is not None and mean is not None and (t or mean):
        if t * mean <= 0:
            raise InputError(f"t={t:g} and mean={mean:g} have different signs")
        sd = mean / t * math.sqrt(n)
    if sd is not None and r is None and sd_first is not None and sd_second is not None:
        r = implied_r(sd, sd_first, sd_second)
    if t is None and not (both and mean is not None):
        raise InputError("give t= and n=; or mean=, sd= and n=; or mean=, sd_first=, sd_second=, r= and n=")
    return Summary(n=n, mean=mean, sd=sd, sd_first=sd_first, sd_second=sd_second, r=r, t=t)


def implied_r(sd: float, sd_first: float, sd_second: float) -> float:
    """Correlation of the conditions that the three standard deviations imply, or InputError where there is none."""
    one, two, both = scaled(np.array([sd_first, sd_second, sd])).tolist()
    r = float((one**2 + two**2 - both**2) / (2 * one * two))
    if abs(r) > 1:
        raise InputError(f"sd={sd:g} is impossible with sd_first={sd_first:g}, sd_second={sd_second:g} (r={r:.3f})")
    return r


def check_numbers(given: dict[str, float | None]) -> None:
    """Raise InputError for summary numbers that cannot be."""
    for name, value in given.items():
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
            raise InputError(f"{name} must be a finite number, not {value!r}")
        if name.startswith("sd") and value <= 0:
            raise InputError(f"{name} must be above 0, not {value!r}")
    n, r = given["n"], given["r"]
    if n is None or n < 2 or n % 1:
        raise InputError(f"n must be a whole number of pairs, at least 2, not {n!r}")
    if r is not None and abs(r) > 1:
        raise InputError(f"r must be between -1 and 1, not {r!r}")


def error_ratio(values: FloatArray, count: FloatArray, d_z: float) -> float:
    """Return the standard error of d_z by the shape of the values over that of normal values.

    By the delta method n var(d_z) = 1 - d_z g + d_z^2 (k - 1)/4, with skewness g and kurtosis k of the values; normal
    values have g = 0 and k = 3.

    Examples
    --------
    >>> values = np.array([-1.0, 0.0, 1.0])
    >>> round(error_ratio(values, np.ones(3), 0.0), 3)
    1.0
    """
    n = count.sum()
    off = scaled(values)
    off = off - count @ off / n
    sd = math.sqrt(float(count @ off**2 / n))
    skewness, kurtosis = (float(count @ (off / sd) ** k / n) for k in (3, 4))
    shape = 1 - d_z * skewness + d_z**2 * (kurtosis - 1) / 4
    return math.sqrt(max(shape, 0.0) / (1 + d_z**2 / 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """An interval of an effect size, with the jackknife's standard error and degrees of freedom where it has one."""

    low: float
    high: float
    std_error: float | None = None
    df: float | None = None


def jackknife_ends(
    table: FloatArray, finish: Callable[[FloatArray], FloatArray], units: Units, level: float
) -> list[Ends | None]:
    """Jackknife t intervals of d_z, d_av and d_rm; None where leaving one unit out leaves nothing to divide by.

    The degrees of freedom are those of `socialstats.inference.influence.influence_df`.
    """
    left = jackknife(table, finish, units)
    errors = jackknife_errors(left.values, left.copies)
    low, high = errors.interval(left.estimate, level)
    found = zip(low.tolist(), high.tolist(), errors.std_error.tolist(), errors.df.tolist(), strict=True)
    return [None if math.isnan(a + b) else Ends(low=a, high=b, std_error=e, df=df) for a, b, e, df in found]


def d_z_hull(summary: Summary, jack: Ends | None, level: float) -> Ends:
    """Return the outer ends of the noncentral t interval of d_z and of the jackknife's.

    The former is exact for normal differences, and its error does not know their skewness and kurtosis; the jackknife's
    does, and is too short where few pairs show little of a tail. Without the jackknife's (two or three pairs) it is the
    former. In simulations of 5 to 200 differences (4,000 each, d_z of 0, .5 and 1.2) nominal 95 % intervals held .949
    to .995 of normal ones (noncentral t .943 to .955), .953 to .999 of exponential ones with the tail on the side of
    the effect and .942 to .982 with it on the other (.695 to .936 there), .961 to .980 of lognormal ones without an
    effect, .899 to .951 with the tail on the other side and .84 to .997 on its own (.436 to .993); of t with 3 df .88
    to .99 (.68 to .97).

    Where the long tail is on the side of the effect and the noncentral t excludes 0, an end of the jackknife's beyond 0
    is made on the log scale, d_z exp(-reach / |d_z|): one far value on the side of the effect then does not make an
    effect doubtful that the t test finds. In 126 settings (seven shapes, 5 to 100 pairs, 4,000 samples each) the least
    coverage stayed .83 and 16 settings, not 14, were below .925; the two that fell are of five lognormal values. The
    noncentral t alone was below .925 in 69, and taking the jackknife only where caution SS317 is said, in 51.

    Parameters
    ----------
    summary : Summary
        With t.
    jack : Ends or None
        Of d_z, by `jackknife_ends`.
    level : float

    Raises
    ------
    UndefinedStatistic
        Where the noncentral t has no interval.
    """
    assert summary.t is not None
    low, high = d_z_interval(summary.t, summary.n, level)
    if jack is None:
        return Ends(low=low, high=high)
    d, ends = summary.t / math.sqrt(summary.n), [jack.low, jack.high]
    inner = 0 if d > 0 else 1
    if d * (summary.skewness or 0.0) > 0 and d * (low, high)[inner] > 0 >= d * ends[inner]:
        ends[inner] = d * math.exp(ends[inner] / d - 1)
    return Ends(low=min(low, ends[0]), high=max(high, ends[1]), std_error=jack.std_error, df=jack.df)


def with_d_z(row: Row, values: FloatArray, level: float, *, magnitude: float | None = None) -> Row:
    """Return a row of d_z of single values with the interval of `d_z_hull`.

    Parameters
    ----------
    row : Row
        Its names.
    values : (n,) float64 array
        At least two.
    level : float
    magnitude : float, optional
        Largest size that a value can have; default that of the values.
    """
    zero, ones = np.zeros(len(values)), np.ones(len(values))
    pairs = PairValues(
        difference=values, first=values, second=zero, count=ones, n=len(values), tolerance=zero,
        magnitude=float(np.abs(values).max()) if magnitude is None else magnitude,
    )  # fmt: skip
    summary = summary_of(pairs)
    if summary.t is None:
        return replace(row, undefined="the values do not vary: no standardised size")
    ends = d_z_hull(summary, jackknife_ends(*moments(pairs), Units.rows(ones), level)[0], level)
    row = replace(row, estimate=summary.t / math.sqrt(summary.n), method=f"mean / sd, {HULL}")
    return with_ends(row, ends.low, ends.high, level)


def excess_kurtosis(values: FloatArray, count: FloatArray) -> float:
    """Return n sum d^4 / (sum d^2)^2 - 3 of deviations from the mean; -3 where values do not vary.

    Examples
    --------
    >>> excess_kurtosis(np.array([-1.0, 0.0, 1.0]), np.ones(3))
    -1.5
    """
    n = count.sum()
    off = values - count @ values / n
    top = float(np.abs(off).max(initial=0.0))
    off = off / top if top > 0 else off
    squares = float(count @ off**2)
    return float(n * (count @ off**4)) / squares**2 - 3 if squares > 0 else -3.0


def long_tails(pairs: PairValues, units: int, d_z: float | None) -> tuple[Caution, ...]:
    """Cautions of jackknife intervals: SS312 where pairs are too few to show long tails, SS317 where they show them.

    SS317 fires on an excess kurtosis of the differences above 1.5 or sum e^3 / (sum e^2)^1.5 above .15: in simulations
    of 30, 60 and 100 lognormal differences in .97 to .99 (by kurtosis above 1 alone: .83 of 30), of normal ones in .05,
    .01 and .01. Their intervals held .81 to .92. SS312 fires below 25 pairs (clusters), and below 200 where d_z is
    above .8: of differences with t of 3 df and d_z = 1.2, 30 to 100 pairs held .89 to .91, and samples that showed no
    long tail .35 to .82. For smaller effects they held .93 to .95 up to 60 pairs, and .90 of 100.
    """
    said = f"{units:,} independent pairs (or clusters) do not show how long the tails of their differences are"
    affects = "jackknife intervals: nominal 95% ones held .84 to .99 for lognormal differences"
    found = small_sample(units, FEWEST_SHAPED, said, affects=affects, fix="collect more pairs (or clusters)")
    if found:
        return found
    excess, skew = excess_kurtosis(pairs.difference, pairs.count), skewness_of(pairs.difference, pairs.count)
    if excess > PEAKED or skew > SKEWED:
        tails = f"excess kurtosis {number(excess)}, skewness over the root of their number {number(skew)}"
        return (caution(
            "SS317", f"the differences have long tails ({tails})",
            affects="intervals of effect sizes, which held .81 to .95 in simulations where such tails were met",
            fix="quote the mean difference beside them",
        ),)  # fmt: skip
    if d_z is None or abs(d_z) <= LARGE:
        return ()
    said = f"a d_z of {number(d_z)} rests on the tails of the differences, which {units:,} pairs (or clusters) may hide"
    affects = "intervals of large effect sizes: nominal 95% ones held .89 to .91 where tails were long"
    return small_sample(units, ENOUGH, said, affects=affects, fix="quote the mean difference beside it")


def skewness_of(values: FloatArray, count: FloatArray) -> float:
    """Return the size of sum d^3 / (sum d^2)^1.5 of deviations from the mean."""
    return skewed(values - count @ values / count.sum(), count)


def not_normal(pairs: PairValues, summary: Summary, kind: str) -> tuple[Caution, ...]:
    """Caution SS317 where skewness and kurtosis of the differences contradict the plain noncentral t interval."""
    most = next((ratio for fewest, ratio in LARGEST_RATIO.items() if pairs.n >= fewest), None)
    if kind != "noncentral_t" or summary.t is None or most is None:
        return ()
    ratio = error_ratio(pairs.difference, pairs.count, summary.t / math.sqrt(summary.n))
    if 1 / most <= ratio <= most:
        return ()
    said = f"the shape of the differences makes the error of d_z {number(ratio)} times that of normal differences"
    return (
        caution("SS317", said, affects="noncentral t intervals of d_z and g_z", fix="ci='auto' follows the shape too"),
    )

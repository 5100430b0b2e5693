"""The mean of values in clusters: CR0 to CR3 with Satterthwaite degrees of freedom, and two crossed factors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from socialstats.arrays import FloatArray, IntArray, size_unit
from socialstats.designs.cells import mass, unequal
from socialstats.errors import InputError
from socialstats.inference.intervals import critical_value, not_zero
from socialstats.inference.means import (
    DrawnRaters,
    MeanErrors,
    dense_codes,
    difference_errors,
    mean_errors,
    sampled_errors,
    with_drawn,
)
from socialstats.results.rows import OUT_OF_RANGE
from socialstats.rounding import EPS, SPARE, no_variation_reason
from socialstats.text import count as counted
from socialstats.text import number
from socialstats.voice import check_allowed

Kind = Literal["CR0", "CR1", "CR2", "CR3"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# values or clusters below which their skewness says nothing
FEWEST_SHAPED = 6
# skewness of what is summed over the root of its number: normal values reach it in .045 of 30
SKEWED = 0.15
# coefficients and fewer than 25 values: normal ones reach it in .23 of 8, .07 of 15, .02 of 20
CLEARLY = 0.25
ONE_HOLDS_ALL = (
    "one cluster holds all values but a share that is lost in rounding: no standard error"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredMean:
    """A mean with its standard error under dependence within clusters.

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
    largest : float
        Largest share of the values that one cluster holds (independent values: one value).
    skewness : float
        Size of sum e^3 / (sum e^2)^1.5 over what clusters (or values) add to the mean: their skewness over the root of
        their number. Of two factors, the more skewed one counts. Factors of fewer than six clusters do not enter. With
        clusters it is at least the skewness of single values over the root of their effective number sd^2 / V. Many
        values show a long tail that the sums of few clusters hide.
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
    largest: float = 0.0
    skewness: float = 0.0
    floored: bool = False
    unfloored_std_error: float | None = None
    undefined: str = ""

    @property
    def n_clusters(self) -> int | None:
        """Levels of the (smaller) cluster factor; None without clusters."""
        return min(self.clusters, default=None)

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

    def interval(
        self, level: float = 0.95, *, alternative: str = "two_sided"
    ) -> tuple[float, float]:
        """Return the t interval; with a one-sided alternative one end is infinite, as in R's ``t.test``."""
        if alternative == "two_sided":
            reach = critical_value(level, self.df) * self.std_error
            return self.mean - reach, self.mean + reach
        reach = critical_value(2 * level - 1, self.df) * self.std_error
        return (
            (self.mean - reach, math.inf)
            if alternative == "greater"
            else (-math.inf, self.mean + reach)
        )


def mean_in_unit(mean: ClusteredMean, unit: float, value: float) -> ClusteredMean:
    """Return a mean of values that were divided by a unit in the unit of the values, of which `value` is one."""
    raw, error = mean.unfloored_std_error, mean.std_error * unit
    out = replace(
        mean,
        mean=mean.mean * unit,
        sd=mean.sd * unit,
        std_error=error,
        unfloored_std_error=None if raw is None else raw * unit,
    )
    if mean.undefined:
        return replace(out, undefined=all_equal(mean.n, value)) if mean.sd == 0 else out
    if 0 < error < math.inf:
        return out
    return replace(
        out, std_error=math.nan, df=math.nan, undefined=f"the standard error is {OUT_OF_RANGE}"
    )


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
    drawn: Sequence[DrawnRaters] = (),
    weight: FloatArray | None = None,
) -> ClusteredMean:
    """Estimate a mean from cells, with a standard error for independent, clustered or crossed values.

    Parameters
    ----------
    values, count : (cells,) arrays
        Distinct values (within clusters) and how often each occurs.
    codes : sequence of (cells,) int64 arrays
        None, one or two cluster factors.
    kind : {"CR0", "CR1", "CR2", "CR3"}
        Of one factor. Two factors always use CR2.
    magnitude : float, optional
        Largest size of the numbers that `values` were computed from (differences: of the raw values), of which
        rounding is a share. Default: the largest size in `values`.
    drawn : sequence of DrawnRaters
        Groups of raters who are samples too, beside at most one cluster factor (CR2), in the unit of `values`.
    weight : (cells,) array, optional
        Sampling weight of each value of a cell; only their ratios matter, and equal ones are none.

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
    (CR0), G/(G-1) (CR1), 1/(1-f_g) (CR2, exact for a mean: Bell & McCaffrey 2002), 1/(1-f_g)^2 (CR3). CR2 has
    Satterthwaite's degrees of freedom, the others G - 1; two crossed factors have the largest of V1, V2 and V1 + V2 -
    V12 and Cochran's degrees of freedom (`socialstats.inference.means.mean_errors`). Independent values are clusters
    of one: sd/sqrt(n).

    With weights w the mean is sum(w x) / sum(w), and f_g is the share of the sum of weights. Independent values have
    the errors of `socialstats.inference.means.sampled_errors`; `sd` is the root of n/(n - 1) sum w (x - m)^2 / sum w.

    Coverage of nominal 95% intervals of two crossed factors was measured in 1,500 simulations per cell, with normal
    effects of both factors, of one, or of none. It was .94 to .985 for complete tables of 5 x 6 to 30 x 40. Dirichlet
    sizes of 29 x 50 and 15 x 60 gave .935 to .99 (CR1 with min(G) - 1 df: .83 to .97). Tables of 40 x 3 and 50 x 2 gave
    .93 to .995. Intervals were up to 4.2 times as long as needed where the factor of two or three levels matters
    (there: up to 7 times). Skewed values: `socialstats.inference.dependence`.

    References
    ----------
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.
    Cameron, A. C., Gelbach, J. B., & Miller, D. L. (2011). Robust inference with multiway clustering.
    doi:10.1198/jbes.2010.07136
    Cochran, W. G. (1964). Approximate significance levels of the Behrens-Fisher test. doi:10.2307/2528069
    Pustejovsky, J. E., & Tipton, E. (2018). Small-sample methods for cluster-robust variance estimation.
    doi:10.1080/07350015.2016.1247004

    Examples
    --------
    >>> values, ones = np.array([1.0, 2.0, 4.0, 9.0]), np.ones(4)
    >>> m = clustered_mean(values, ones, [np.array([0, 0, 1, 2])])
    >>> m.mean, round(m.std_error, 4), round(m.df, 4)
    (4.0, 2.2822, 1.8)
    """
    check_allowed("kind", kind, KINDS)
    if len(codes) + bool(drawn) > 2:
        raise InputError(f"at most two crossed cluster factors, got {len(codes) + bool(drawn)}")
    x, c = np.asarray(values, dtype=np.float64), np.asarray(count, dtype=np.float64)
    n = float(c.sum())
    if not n > 0:
        raise InputError("a mean needs at least one value")
    unit = size_unit(x)
    if unit != 1:
        size = None if magnitude is None else magnitude / unit
        scaled = [replace(group, scores=group.scores / unit) for group in drawn]
        small = clustered_mean(
            x / unit, c, codes, kind=kind, magnitude=size, drawn=scaled, weight=weight
        )
        return mean_in_unit(small, unit, float(x[0]))
    dense = [dense_codes(code)[0] for code in codes]
    weight = unequal(weight)
    masses = mass(c, weight)
    mean = centre(x, masses, float(masses.sum()) if weight is not None else n)
    deviations = x - mean
    squares = float(masses @ deviations**2)
    base = ClusteredMean(
        mean=mean,
        sd=math.sqrt(squares / (n - 1)) if n > 1 else math.nan,
        std_error=math.nan,
        df=math.nan,
        n=n,
        clusters=tuple(int(d.max()) + 1 for d in dense),
        kind=("rows", kind, "two-way")[2 if drawn else len(dense)],
    )
    size = float(np.abs(x).max()) if magnitude is None else magnitude
    equal, single = no_spread_reason(x, n, size), single_level_reason(base)
    if equal and n > 1 and any(np.abs(group.scores).sum() > rounding(size) for group in drawn):
        # people differ where units do not
        equal, deviations = "", np.zeros_like(deviations)
    if equal or single:
        return replace(base, undefined=equal or single)
    scores, shares = deviations * masses / n, masses / n
    of_people = [sums_by_cluster(group.rater, group.scores[:, 0]) for group in drawn]
    # what one value adds
    influence = deviations if weight is None else scores / c
    if not dense:
        most = 1 / n if weight is None else float((shares / c).max())
        base = replace(
            base,
            largest=most,
            skewness=max(skewness_statistic(influence, c), *skewness_by_factor(of_people), 0.0),
        )
        if weight is not None:
            errors = sampled_errors(scores[:, None], shares[:, None], c, size=size)
            return mean_with_errors(base, with_drawn(errors, drawn))
        if not drawn:
            return replace(base, std_error=math.sqrt(squares / (n - 1) / n), df=n - 1)
        return mean_with_errors(
            base, with_drawn(mean_errors(scores[:, None], shares[:, None], (), c, size=size), drawn)
        )
    errors = with_drawn(mean_errors(scores[:, None], shares[:, None], dense, size=size), drawn)
    sums = [sums_by_cluster(code, scores) for code in dense]
    independent = base.sd**2 / n if weight is None else float(c @ influence**2) * n / (n - 1)
    skewness = cluster_skewness(
        errors, [*sums, *of_people], skewness_statistic(influence, c), independent
    )
    base = replace(base, largest=float(errors.largest[0]), skewness=skewness)
    if len(dense) == 1 and kind != "CR2" and not np.isnan(errors.variance[0]):
        variance, df = cr_variance(sums[0], share_outside(dense[0], masses), kind)
        errors = replace(
            errors, variance=np.array([variance]), df=np.array([df]), plain=np.array([variance])
        )
    return mean_with_errors(base, errors)


def difference_of_clustered_means(
    values: FloatArray,
    count: FloatArray,
    codes: Sequence[IntArray] = (),
    *,
    magnitude: float,
    allow_constant: bool = False,
    weight: FloatArray | None = None,
) -> ClusteredMean:
    """Estimate the difference of two means, the first minus the second, of values in clusters that both may share.

    Parameters
    ----------
    values, count : (cells, 2) arrays
        Values of either mean, and how often each occurs: 0 where a cell has no part in a mean. A cell that has part in
        both has the same count.
    codes : sequence of (cells,) int64 arrays
        None, one or two cluster factors.
    magnitude : float
        As for `clustered_mean`.
    allow_constant : bool
        Whether the values of one mean may be all alike: the other's variance is then that of the difference.
    weight : (cells,) array, optional
        As for `clustered_mean`.

    Returns
    -------
    ClusteredMean
        `mean` is the difference, and `std_error` and `df` are those of `socialstats.inference.means.difference_errors`.
        It is undefined where a mean has a single cluster, or values that are all alike.

    Examples
    --------
    >>> x, first = np.array([1.0, 3.0, 2.0, 8.0]), np.array([1.0, 1.0, 0.0, 0.0])
    >>> d = difference_of_clustered_means(np.column_stack([x, x]), np.column_stack([first, 1 - first]), magnitude=8.0)
    >>> d.mean, round(d.std_error, 4), round(d.df, 4)  # Welch's t test
    (-3.0, 3.1623, 1.2195)
    """
    present = count > 0
    sides = [
        clustered_mean(
            values[used, k],
            count[used, k],
            [code[used] for code in codes],
            magnitude=magnitude,
            weight=None if weight is None else weight[used],
        )
        for k, used in enumerate(present.T)
    ]
    n = count.sum(axis=0)
    masses = np.column_stack([mass(column, weight) for column in count.T])
    deviations = np.where(present, values - np.array([side.mean for side in sides]), 0.0)
    scores, copies = deviations * masses / n, count.max(axis=1)
    dense = [dense_codes(code)[0] for code in codes]
    pooled = float((masses * deviations**2).sum() / max(n.sum() - 2, 1.0))
    largest = [float(sums_by_cluster(d, copies).max() / copies.sum()) for d in dense]
    base = ClusteredMean(
        mean=sides[0].mean - sides[1].mean,
        sd=math.sqrt(pooled),
        std_error=math.nan,
        df=math.nan,
        n=float(n.sum()),
        clusters=tuple(int(d.max()) + 1 for d in dense),
        kind=sides[0].kind,
        largest=max(largest, default=0.0),
    )
    undefined = [side for side in sides if side.undefined]
    if allow_constant and len(undefined) < 2:
        undefined = [side for side in undefined if side.n < 2 or single_level_reason(side)]
    if undefined:
        return replace(base, undefined=undefined[0].undefined)
    # (2,) variances of means of values with variance 1: sum w^2 / n^2 for weights w = mass / count of a value
    squares = np.divide(masses**2, count, out=np.zeros_like(masses), where=present).sum(axis=0)
    unit_variance = squares / n**2
    errors = difference_errors(scores, masses / n, unit_variance, dense, copies, size=magnitude)
    if weight is not None and not dense:
        errors = replace(
            errors,
            variance=np.array([sum(side.std_error**2 for side in sides if not side.undefined)]),
        )
    influence = scores[:, 0] - scores[:, 1]
    independent = (
        float(difference_errors(scores, masses / n, unit_variance, (), copies).variance[0])
        if dense
        else 0.0
    )
    single = skewness_statistic(influence / copies, copies)
    sums = [sums_by_cluster(d, influence) for d in dense]
    base = replace(
        base, skewness=cluster_skewness(errors, sums, single, independent) if dense else single
    )
    return mean_with_errors(base, errors)


def cluster_skewness(
    errors: MeanErrors, sums: Sequence[FloatArray], single: float, independent: float
) -> float:
    """Return `ClusteredMean.skewness` of clusters.

    Parameters
    ----------
    errors : MeanErrors
    sums : sequence of (clusters,) arrays
        What the clusters of each factor add.
    single, independent : float
        Skewness of single values over the root of their number, and the variance that they had if independent.
    """
    variance, by_factor = float(errors.variance[0]), skewness_by_factor(sums)
    # values that are alike may differ by people
    design_effect = variance / independent if variance > 0 and independent > 0 else 1.0
    return max(single * math.sqrt(max(1.0, design_effect)), *by_factor) if by_factor else 0.0


def skewness_by_factor(sums: Sequence[FloatArray]) -> list[float]:
    """Return the skewness of sums by cluster, of each factor with clusters enough to show it."""
    return [skewness_statistic(e, np.ones(len(e))) for e in sums if len(e) >= FEWEST_SHAPED]


def mean_with_errors(base: ClusteredMean, errors: MeanErrors) -> ClusteredMean:
    """Return a mean with its standard error; undefined where there is none, or clusters are alike."""
    variance, plain, error = (
        float(errors.variance[0]),
        float(errors.plain[0]),
        float(errors.std_error[0]),
    )
    if math.isnan(variance):
        return replace(base, undefined=ONE_HOLDS_ALL)
    if math.isnan(error):
        return replace(
            base, undefined=no_variation_reason("clusters" if base.clusters else "values")
        )
    base = replace(base, std_error=error, df=float(errors.df[0]))
    if len(base.clusters) < 2:
        return base
    return replace(
        base, floored=plain < variance, unfloored_std_error=math.sqrt(plain) if plain > 0 else None
    )


def sums_by_cluster(code: IntArray, values: FloatArray) -> FloatArray:
    """Sums of values by cluster."""
    return np.bincount(code, values).astype(np.float64)


def share_outside(code: IntArray, count: FloatArray) -> FloatArray:
    """Return the share of the values outside each cluster, (clusters,): no difference of shares near 1."""
    return np.asarray((count.sum() - sums_by_cluster(code, count)) / count.sum())


def cr_variance(sums: FloatArray, outside: FloatArray, kind: Kind) -> tuple[float, float]:
    """Variance by CR0, CR1 or CR3 and its degrees of freedom (formulas: `clustered_mean`)."""
    n_clusters = len(sums)
    factor = {
        "CR0": np.ones(n_clusters),
        "CR1": np.full(n_clusters, n_clusters / (n_clusters - 1)),
        "CR3": outside**-2.0,
    }[kind]
    return float(factor @ sums**2), n_clusters - 1.0


def skewness_statistic(values: FloatArray, count: FloatArray) -> float:
    """Return the size of sum e^3 / (sum e^2)^1.5 of values whose mean is 0; 0 where they do not vary."""
    top = float(np.abs(values).max(initial=0.0))
    if not top > 0:
        return 0.0
    # cubes of large values overflow
    e = values / top
    squares = e**2
    # a product takes a twentieth of the time of a third power
    return abs(float(count @ (squares * e))) / math.sqrt(float(count @ squares) ** 3)


def centre(x: FloatArray, c: FloatArray, n: float) -> float:
    """Return the mean; exactly the value itself when all are equal."""
    if np.all(x == x[0]):
        return float(x[0])
    rough = float(c @ x) / n
    # the second pass adds what rounding took from the first
    return rough + float(c @ (x - rough)) / n


def no_spread_reason(x: FloatArray, n: float, magnitude: float) -> str:
    """State that all values are equal up to rounding, or return empty text."""
    if n < 2:
        return "one value only: no standard error"
    spread = float(np.ptp(x))
    if spread > rounding(magnitude):
        return ""
    return no_variation_reason("values") if spread else all_equal(n, float(x[0]))


def rounding(magnitude: float) -> float:
    """Return the spread that rounding can give equal values, which were computed from numbers of this size."""
    return SPARE * EPS * magnitude


def all_equal(n: float, value: float) -> str:
    """State that all values are equal."""
    return f"all {counted(n)} values equal {decimal_text(value)}: no standard error, no test"


def decimal_text(value: float) -> str:
    """Write a number with the decimals it needs, at most four; very large and small ones with an exponent.

    Examples
    --------
    >>> decimal_text(-1.0), decimal_text(0.125)
    ('−1', '0.125')
    """
    if value and not 1e-4 <= abs(value) < 1e15:
        return f"{value:g}".replace("-", "\N{MINUS SIGN}")
    digits = next(
        (d for d in range(4) if abs(value - round(value, d)) <= 1e-9 * max(1.0, abs(value))), 4
    )
    return number(value, digits)


def single_level_reason(base: ClusteredMean) -> str:
    """State that a factor has a single level, or return empty text."""
    return "a single cluster: no standard error" if base.clusters and min(base.clusters) < 2 else ""

"""Means over units, by stratum, their families of tests and Wald tests."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from scipy.special import fdtrc

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, caution
from socialstats.inference.clustered_mean import (
    ONE_HOLDS_ALL,
    ClusteredMean,
    clustered_mean,
    share_outside,
)
from socialstats.inference.crossed_mean import crossed_mean
from socialstats.inference.dependence import (
    caution_of_few_clusters,
    cluster_cautions,
    cluster_factors,
    is_nested_in,
    small_sample_caution,
)
from socialstats.inference.intervals import cochran_df, not_zero
from socialstats.inference.means import DrawnRaters, factors_and_intersections, mean_errors
from socialstats.inference.rows import ANYWHERE, NO_WIDTH, with_ends, with_mean
from socialstats.paired.matched_pairs import NOTHING, McNemarTest
from socialstats.paired.pair_sizes import with_d_z
from socialstats.paired.pair_values import IGNORING, mean_interval
from socialstats.results import Result, Row
from socialstats.rounding import gated, left_of_sums, no_variation_reason
from socialstats.text import count, listing, number, p_value, quoted, shorten
from socialstats.voice import option

CiName = Literal["closed", "percentile", "basic", "bca", "studentized"]
CIS: tuple[str, ...] = ("closed", "percentile", "basic", "bca", "studentized")
JUDGES = ("fixed", "random")
HOW = {
    "percentile": "bootstrap, percentile",
    "basic": "bootstrap, basic",
    "bca": "bootstrap, BCa",
    "studentized": "bootstrap, studentized",
}
TWO_WAY = "t, two-way error"
# as for means: `socialstats.inference.dependence.shape_cautions`; 20 exponential composites held .92
FEW_UNITS = 25
NO_UNIT = "no {} has every value that this needs"
DEPENDENT = "units are clustered or judges drawn: d_z has no interval here"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Inference:
    """How uncertainty is reckoned.

    Attributes
    ----------
    unit : str
        What one value is of: ``"scenario"``, ``"model"``, ...
    judges : {"fixed", "random"}
    ci, level, resamples, seed
        As in the metrics.
    clusters : tuple of (units,) int64 arrays
        Cluster of each unit of analysis.
    magnitude : float
        Largest size that a value can have.
    taken_off : pair of float, or None
        Variance and degrees of freedom of what was subtracted from every value alike, and is itself estimated.
    pooled : (models,) bool array, or None
        Models of which rows of all models are; None: all.
    """

    unit: str
    judges: str = "fixed"
    ci: str = "closed"
    level: float = 0.95
    resamples: int = 2000
    seed: int = 0
    clusters: tuple[IntArray, ...] = ()
    magnitude: float = 100.0
    taken_off: tuple[float, float] | None = None
    pooled: BoolArray | None = None

    @property
    def dependent(self) -> bool:
        """True where values are not independent draws."""
        return bool(self.clusters) or self.judges == "random"

    def pooled_of(self, models: int) -> BoolArray:
        """Return which of so many models rows of all models are of."""
        return np.ones(models, dtype=bool) if self.pooled is None else self.pooled


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnitSample:
    """Values of units of analysis by judge.

    Attributes
    ----------
    values : (units, judges) float64 array
    unit : (units,) int64 array
    how : Inference
    drawn : tuple of DrawnRaters
        Raters who are samples too, beside fixed judges.
    weight : (units,) float64 array, or None
        Sampling weights of the units, beside fixed judges.
    """

    values: FloatArray
    unit: IntArray
    how: Inference
    drawn: tuple[DrawnRaters, ...] = ()
    weight: FloatArray | None = None

    @property
    def means(self) -> FloatArray:
        """(units,) float64 array: means over judges."""
        return np.asarray(self.values.mean(axis=1))

    def parts(self) -> tuple[FloatArray, list[IntArray]]:
        """Return the values whose mean is taken, and the codes of their clusters."""
        codes = [c[self.unit] for c in self.how.clusters]
        if self.how.judges == "fixed":
            return self.means, codes
        n, k = self.values.shape
        inner = codes[0] if codes else self.unit
        return self.values.ravel(), [np.repeat(inner, k), np.tile(np.arange(k), n)]

    def mean(self) -> ClusteredMean:
        """Return the mean with its error, that of what was subtracted included: where all units are alike, it alone."""
        mean = self.mean_alone()
        if self.how.taken_off is None:
            return mean
        if mean.undefined:
            if mean.sd != 0 or len(self.unit) < 2 or min(mean.clusters, default=2) < 2:
                return mean
            variance, df = self.how.taken_off
            return replace(mean, std_error=math.sqrt(variance), df=df, undefined="")
        # the variances of independent estimates add up; df of their sum by Cochran (1951)
        variances, dfs = zip((mean.std_error**2, mean.df), self.how.taken_off, strict=True)
        return replace(mean, std_error=math.sqrt(sum(variances)), df=cochran_df(variances, dfs))

    def mean_alone(self) -> ClusteredMean:
        """Return the mean with the error of units and judges: drawn judges by mean squares, and by V1 + V2 - V12
        beside clusters.
        """
        if self.how.judges == "random" and not self.how.clusters:
            return crossed_mean(self.values, magnitude=self.how.magnitude)
        # drawn judges beside clusters are the second of two crossed factors
        values, codes = self.parts()
        ones, size = np.ones(len(values)), self.how.magnitude
        return clustered_mean(
            values, ones, codes, magnitude=size, drawn=self.drawn, weight=self.weight
        )


def mostly_complete(n_complete: IntArray, n_units: int) -> BoolArray:
    """Return which models have half of the units or more; all of them where none has.

    What is said of all models rests on the units that all have: one model with few would leave few for all.

    Examples
    --------
    >>> mostly_complete(np.array([6, 3, 2]), 6).tolist(), mostly_complete(np.array([1, 2]), 6).tolist()
    ([True, True, False], [True, True])
    """
    has_half = 2 * n_complete >= n_units
    return np.asarray(has_half if has_half.any() else ~has_half)


def sample_across_models(cells: FloatArray, how: Inference) -> UnitSample:
    """One value a unit of analysis from (models, scenarios, judges) cells, NaN where a cell is empty.

    Scenarios: the mean over models, of scenarios in which every model has a value. Models: the mean over the scenarios
    that they have. Both over the models that `how` pools.
    """
    has_value = np.isfinite(cells[:, :, 0])
    pooled = how.pooled_of(len(has_value))
    if how.unit == "model":
        kept = np.logical_and(has_value.any(axis=1), pooled)
        return UnitSample(
            values=np.nanmean(cells[kept], axis=1), unit=np.flatnonzero(kept), how=how
        )
    kept = np.asarray(has_value[pooled].all(axis=0))
    return UnitSample(
        values=cells[pooled][:, kept].mean(axis=0), unit=np.flatnonzero(kept), how=how
    )


def sample_of_model(cells: FloatArray, how: Inference) -> UnitSample:
    """Return the values of one model: (scenarios, judges) cells, empty ones left out."""
    has_value = np.isfinite(cells[:, 0])
    return UnitSample(values=cells[has_value], unit=np.flatnonzero(has_value), how=how)


def sample_mean_row(
    term: str,
    group: str,
    sample: UnitSample,
    *,
    test: bool = True,
    within: tuple[float, float] = ANYWHERE,
    **facts: Any,
) -> Row:
    """Row of a mean: t interval or bootstrap; t, df and p of a mean of 0.

    Parameters
    ----------
    term, group : str
    sample : Sample
    test : bool
        Give t, df and p.
    within : pair of float
        What the mean can be: ends are cut there.
    **facts
        Further fields of the row, such as its `key` and `role`.
    """
    how, n = sample.how, len(sample.unit)
    if not n:
        return empty_row(term, group, how, **facts)
    mean = sample.mean()
    row = Row(
        term=term,
        group=group,
        estimate=mean.mean,
        n=float(n),
        n_units=n,
        method=TWO_WAY if sample.drawn else mean_method(how),
        n_clusters=mean.n_clusters,
        leverage=mean.largest if mean.clusters else None,
        **facts,
    )
    row = with_mean(row, mean, how.level, test=test, within=within)
    row = replace(row, df=mean.df) if sample.drawn and not mean.undefined else row
    if how.ci == "closed" or how.taken_off is not None or row.undefined:
        return row
    return with_resampled_mean(row, sample, within)


def empty_row(term: str, group: str, how: Inference, **facts: Any) -> Row:
    """Row of no unit of analysis at all."""
    return Row(
        term=term,
        group=group,
        n=0.0,
        n_units=0,
        undefined=NO_UNIT.format(how.unit),
        reason="no_data",
        **facts,
    )


def mean_method(how: Inference) -> str:
    """Name the interval, and the test beside it."""
    error = "t" if not how.dependent else TWO_WAY
    if how.judges == "fixed" and len(how.clusters) == 1:
        error = "t, CR2 error"
    elif how.judges == "random" and not how.clusters:
        error = "t, two-way mean squares"
    if how.taken_off is not None:
        return f"{error}, with the error of the zero"
    return error if how.ci == "closed" else f"{HOW[how.ci]}; test: {error}"


def with_resampled_mean(
    row: Row, sample: UnitSample, within: tuple[float, float] = ANYWHERE
) -> Row:
    """Return the row of a mean with a bootstrap interval in place of its t interval."""
    values, codes = sample.parts()
    how = sample.how
    interval = mean_interval(
        values,
        np.ones(len(values)),
        codes,
        ci=how.ci,
        level=how.level,
        resamples=how.resamples,
        seed=how.seed,
        magnitude=how.magnitude,
    )
    low, high = float(interval.low[0]), float(interval.high[0])
    why = interval.undefined[0] or ("" if low < high else NO_WIDTH)
    return with_ends(row, low, high, how.level, why=why, within=within, interval=how.ci)


def d_z_row(term: str, group: str, sample: UnitSample, **facts: Any) -> Row:
    """Row of d_z: mean over standard deviation (n - 1) of the values of the units (interval: `d_z_hull`)."""
    values, n, level = sample.means, len(sample.unit), sample.how.level
    if not n:
        return empty_row(term, group, sample.how, method="mean / SD", **facts)
    plain = clustered_mean(values, np.ones(n), magnitude=sample.how.magnitude)
    row = Row(term=term, group=group, n=float(n), n_units=n, method="mean / SD", **facts)
    if plain.undefined:
        return replace(row, undefined=plain.undefined)
    if sample.how.dependent:
        return replace(row, estimate=plain.mean / plain.sd, undefined=DEPENDENT)
    return with_d_z(row, values, level, magnitude=sample.how.magnitude)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnitClusters:
    """Declared clusters of the units of analysis.

    Attributes
    ----------
    factors : tuple of Factor
        Those that hold whole units of analysis; codes over the units of the design.
    codes : tuple of (units of analysis,) int64 arrays
    cautions : tuple of Caution
    """

    factors: tuple[Factor, ...] = ()
    codes: tuple[IntArray, ...] = ()
    cautions: tuple[Caution, ...] = field(default=())


def unit_clusters(
    design: Ratings, unit: Factor, cluster: str | Sequence[str] | None, *, judges: str, ci: str
) -> UnitClusters:
    """Return the clusters of the units of analysis that `cluster` names.

    A factor inside the units of analysis (or equal to them) is accounted for by taking one value per unit.

    Raises
    ------
    InputError
        For a factor that cuts across units of analysis, more than two factors, or more than one with drawn judges. Also
        for an interval that two crossed factors lack.
    """
    declared = cluster_factors(design, cluster)
    used = tuple(f for f in declared if not is_nested_in(f, unit))
    cutting = [f.name for f in used if not is_nested_in(unit, f)]
    if cutting:
        raise InputError(
            f"cluster {quoted(cutting)} holds parts of several {unit.name}s, which are the units of analysis. Use "
            f"{option('cluster', None)} and say so, or another {option('unit_of_analysis')}"
        )
    # drawn judges are crossed with the clusters, or with the units where there are none
    crossed = len(used) + (judges == "random") + (judges == "random" and not used)
    if crossed > 2:
        raise InputError(
            f"{option('judges', 'random')} takes one cluster factor beside the judges; name it with "
            f"{option('cluster')}"
        )
    if crossed == 2 and ci in ("bca", "studentized"):
        raise InputError(
            f"{option('ci', ci)} needs one factor, not two crossed ones; use 'closed', 'percentile' or "
            "'basic'"
        )
    # a unit of the design that belongs to each unit of analysis: the first one
    first = {int(code): k for k, code in reversed(list(enumerate(unit.codes.tolist())))}
    member = np.array([first.get(code, -1) for code in range(len(unit.levels))], dtype=np.int64)
    ignored = [c for c in cluster_cautions(design, (*used, unit)) if c.code == "SS201"]
    few = [c for c in cluster_cautions(design, used) if c.code == "SS202"]
    return UnitClusters(
        factors=used, codes=tuple(f.codes[member] for f in used), cautions=(*ignored, *few)
    )


def few_units_cautions(units: int, how: Inference, judges: int) -> tuple[Caution, ...]:
    """Cautions SS312 (few units of analysis) and SS202 (few judges taken as drawn)."""
    cautions: tuple[Caution, ...] = ()
    if units > 1:
        message = f"{count(units, how.unit)}; t needs values close to normal"
        cautions = small_sample_caution(
            units, FEW_UNITS, message, affects="intervals, tests", fix=f"collect more {how.unit}s"
        )
    if how.judges == "random" and judges > 1:
        message = f"{count(judges, 'judge')} taken as drawn from all judges"
        fix = f"add judges, or use {option('judges', 'fixed')}"
        cautions = (*cautions, caution_of_few_clusters(message, affects="intervals", fix=fix))
    return cautions


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Strata:
    """The units that some columns share, and what each stratum counts in the mean.

    Attributes
    ----------
    stratum, cluster : (n,) int64 arrays
        Stratum of each unit (codes of `weights`); its cluster, a cluster of its own where units are independent.
    weights : (strata,) float64 array
        Add up to 1.
    names : tuple of str
        Of the strata; a single one without a name for units that have none.
    """

    stratum: IntArray
    cluster: IntArray
    weights: FloatArray
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StratifiedMeans:
    """Means of k columns.

    Attributes
    ----------
    estimate : (k,) float64 array
    influence : (clusters, k) float64 array
        What each cluster adds. The covariance of the means is its cross product. The error of any combination of
        columns is the root of its sum of squares.
    parts : (k,) float64 array
        Standard errors that the means would have if nothing in what the clusters add cancelled.
    df : float
        Of t for every combination of columns.
    undefined : str
        Why there is no error; then `influence` is empty.
    """

    estimate: FloatArray
    influence: FloatArray
    parts: FloatArray
    df: float
    undefined: str = ""

    def std_error(self, size: float) -> FloatArray:
        """(k,) float64 array: standard errors, NaN where clusters are alike; `size` is that of the largest value."""
        return gated(np.sqrt((self.influence**2).sum(axis=0)), left_of_sums(self.parts, size))

    @property
    def covariance(self) -> FloatArray:
        """(k, k) float64 array: covariance of the means."""
        return np.asarray(self.influence.T @ self.influence)


def stratified_means(values: FloatArray, strata: Strata) -> StratifiedMeans:
    """Estimate weighted means of strata, CR2 errors and Satterthwaite's degrees of freedom.

    Parameters
    ----------
    values : (n, k) float64 array
        Without gaps.
    strata : Strata
        Of the n units.

    Returns
    -------
    StratifiedMeans

    Notes
    -----
    Least squares with one mean per stratum, and the contrast with the weights w_t. The strata are fixed: only units
    vary. With n_t units in stratum t, n_gt of them in cluster g, f_gt = n_gt / n_t and S_gt their summed residuals, the
    matrices A_g = (I - H_gg)^(-1/2) of Bell & McCaffrey (2002) give

        V = sum_g (sum_t (w_t/n_t) S_gt / sqrt(1 - f_gt))^2.

    The degrees of freedom are (tr P)^2 / tr(P^2) with P of independent errors of one variance: tr P = sum_t w_t^2/n_t,
    P_gg = sum_t (w_t/n_t)^2 n_gt, P_gh = -sum_t q_gt q_ht with q_gt = (w_t/n_t) n_gt / sqrt(n_t (1 - f_gt)). With one
    stratum this is `clustered_mean`; clusters of one unit give sum_t w_t^2 s_t^2 / n_t.

    References
    ----------
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.
    Pustejovsky, J. E., & Tipton, E. (2018). Small-sample methods for cluster-robust variance estimation.
    doi:10.1080/07350015.2016.1247004

    Examples
    --------
    >>> codes, half = np.array([0, 0, 1, 1]), np.array([0.5, 0.5])
    >>> strata = Strata(stratum=codes, cluster=np.arange(4), weights=half, names=("a", "b"))
    >>> means = stratified_means(np.array([[1.0], [3.0], [0.0], [4.0]]), strata)
    >>> means.estimate.tolist(), means.covariance.round(9).tolist(), means.df
    ([2.0], [[1.25]], 2.0)
    """
    n_t = np.bincount(strata.stratum, minlength=len(strata.weights)).astype(np.float64)
    estimate, residual = stratum_residuals(values, strata.stratum, n_t, strata.weights)
    none = np.zeros((0, values.shape[1]))
    cluster = np.unique(strata.cluster, return_inverse=True)[1]
    # cells: the combinations of cluster g and stratum t that occur, with n_gt units
    cell, in_cell = np.unique(cluster * len(n_t) + strata.stratum, return_inverse=True)
    g, t = np.divmod(cell, len(n_t))
    n_gt = np.bincount(in_cell).astype(np.float64)
    fills_stratum = n_gt >= n_t[t]
    if fills_stratum.any():
        why = singleton_text(strata, t[fills_stratum], n_t)
        return StratifiedMeans(
            estimate=estimate, influence=none, parts=none.sum(axis=0), df=math.nan, undefined=why
        )
    share = strata.weights[t] / n_t[t]
    root = np.sqrt(1 - n_gt / n_t[t])
    # the same sums of absolute residuals tell what rounding can leave of them
    influence, parts = np.zeros((2, int(g.max()) + 1, values.shape[1]))
    for table, residuals in ((influence, residual), (parts, np.abs(residual))):
        sums = np.stack([np.bincount(in_cell, weights=column) for column in residuals.T], axis=1)
        np.add.at(table, g, (share / root)[:, None] * sums)
    return StratifiedMeans(
        estimate=estimate,
        influence=influence,
        parts=np.sqrt((parts**2).sum(axis=0)),
        df=stratified_df(strata, n_t, (g, t, n_gt)),
    )


def stratum_residuals(
    values: FloatArray, stratum: IntArray, n_t: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the weighted means and the residuals from the strata's means; equal values have residuals of exactly 0."""
    _, index, inverse = np.unique(stratum, return_index=True, return_inverse=True)
    first = values[index][inverse]
    deviation = values - first  # a stratum of one value is exactly constant
    means = np.zeros((len(n_t), values.shape[1]))
    np.add.at(means, stratum, deviation)
    means /= np.maximum(n_t, 1)[:, None]
    base = np.zeros_like(means)
    base[stratum] = first
    return weights @ (base + means), deviation - means[stratum]


def stratified_df(
    strata: Strata, n_t: FloatArray, cells: tuple[IntArray, IntArray, FloatArray]
) -> float:
    """Return Satterthwaite's degrees of freedom; formulas in `stratified_means`."""
    g, t, n_gt = cells
    share = strata.weights[t] / n_t[t]
    p_gg = np.bincount(g, weights=share**2 * n_gt)
    q = np.zeros((len(p_gg), len(n_t)))
    q[g, t] = share * n_gt / np.sqrt(n_t[t] * (1 - n_gt / n_t[t]))
    # tr(P^2) is the sum of squares of P_gg and of P_gh, g != h
    off_diagonal = float(((q.T @ q) ** 2).sum()) - float(((q**2).sum(axis=1) ** 2).sum())
    df = float((strata.weights**2 / n_t).sum()) ** 2 / (float(p_gg @ p_gg) + off_diagonal)
    return float(round(df)) if abs(df - round(df)) < 1e-9 * df else df


def singleton_text(strata: Strata, singletons: IntArray, n_t: FloatArray) -> str:
    """State which stratum has one unit, or one cluster, only."""
    code = int(singletons[0])
    noun = "one unit" if n_t[code] == 1 else "a single cluster"
    subject = f"task '{strata.names[code]}' has " if len(strata.names) > 1 else ""
    return f"{subject}{noun} only: no standard error"


def correlation_of(covariance: FloatArray) -> FloatArray:
    """Return the correlation matrix of a covariance matrix; negative eigenvalues (two-way clustering) are set to 0.

    Raises
    ------
    InputError
        If the matrix is not square, symmetric and finite with positive variances.
    """
    v = np.asarray(covariance, dtype=np.float64)
    if (
        v.ndim != 2
        or v.shape[0] != v.shape[1]
        or not np.all(np.isfinite(v))
        or not np.allclose(v, v.T)
    ):
        raise InputError(
            f"covariance must be a square symmetric matrix of finite numbers (its shape is {v.shape})"
        )
    variance = np.diagonal(v)
    if np.any(variance <= 0):
        raise InputError(
            f"covariance has a variance of {variance.min():g}; every test needs one above 0"
        )
    values, vectors = np.linalg.eigh(v / np.sqrt(np.outer(variance, variance)))
    # rows of the root get length 1 again, so that the diagonal is 1
    root = vectors * np.sqrt(np.maximum(values, 0))
    root /= np.sqrt((root**2).sum(axis=1))[:, None]
    return np.asarray(root @ root.T)


def replicate_draws(replicates: FloatArray) -> FloatArray:
    """Turn bootstrap replicates of estimates into draws of statistics under the hypothesis of no effect.

    Each column is centred at its mean and divided by its standard deviation. Resamples in which an estimate does not
    exist are left out whole, so that the draws stay joint.

    Parameters
    ----------
    replicates : (B, m) float64 array
        NaN where a resample had no estimate.

    Returns
    -------
    (at most B, m) float64 array

    Raises
    ------
    InputError
        If fewer than two resamples are whole, or an estimate never varies.
    """
    complete = replicates[np.all(np.isfinite(replicates), axis=1)]
    if len(complete) < 2:
        raise InputError(
            f"{len(complete)} of {len(replicates)} resamples have every estimate; max_t needs many"
        )
    sd = complete.std(axis=0, ddof=1)
    if np.any(sd <= 1e-12 * np.maximum(1, np.abs(complete).max(axis=0))):
        raise InputError(f"column {int(np.argmin(sd)) + 1} of the replicates never varies")
    return np.asarray((complete - complete.mean(axis=0)) / sd)


RANK = 1e-10  # eigenvalues below this share of the largest are 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WaldTest:
    """F test of q means.

    Attributes
    ----------
    statistic, df, df_denominator, p : float
    cautious : bool
        Two factors only: V1 + V2 - V12 was not positive and V1 + V2 took its place, or W was smaller with V1 or V2.
    """

    statistic: float
    df: float
    df_denominator: float
    p: float
    cautious: bool = False


def robust_wald(
    values: FloatArray,
    count: FloatArray,
    codes: Sequence[IntArray],
    drawn: Sequence[DrawnRaters] = (),
) -> WaldTest | str:
    """Test that the means of several columns are all 0, with one or two crossed cluster factors.

    W = m' V^- m, with V the cluster-robust covariance of the means. One factor: CR2. Two: V1 + V2 - V12, the first two
    by CR2, or V1 or V2 where W is smaller (in one dimension as `clustered_mean`). V^- is its inverse on the q
    dimensions it has. F = (v - q + 1) / (v q) W has q and v - q + 1 df (Hotelling's T^2; Pustejovsky & Tipton 2018), v
    the Satterthwaite df of a single mean; of two factors Cochran's, by the traces of V1 and V2.

    Parameters
    ----------
    values : (cells, m) float64 array
        May be linearly dependent, such as shares that sum to 0.
    count : (cells,) float64 array
    codes : one or two (cells,) int64 arrays
    drawn : sequence of DrawnRaters
        Groups of raters who are samples too: the second factor, beside one of `codes`.

    Returns
    -------
    WaldTest, or str
        The reason where it does not exist.

    Examples
    --------
    >>> x = np.array([[1.0], [2.0], [-1.0], [3.0]])
    >>> test = robust_wald(x, np.ones(4), [np.arange(4)])
    >>> round(test.statistic, 4), test.df, round(test.df_denominator, 6)
    (2.1429, 1.0, 3.0)
    """
    n = float(count.sum())
    dense = factors_and_intersections(codes)
    if min(int(c.max()) for c in dense) < 1:
        return "a single cluster"
    mean = count @ values / n
    deviation = (values - mean) * count[:, None]
    cautious = False
    dfs = [satterthwaite_df(count, c) for c in dense[:2]]
    groups = [group for group in drawn if not group.nested.all()]
    if groups:
        group_variances = [float((group.sums() ** 2).sum()) for group in groups]
        group_dfs = [
            float(np.fmin.reduce(group.errors().df)) if group.raters > 1 else math.nan
            for group in groups
        ]
        # people who are alike add no variance
        varies = sum(group_variances) > 0
        dfs.append(cochran_df(group_variances, group_dfs) if varies else dfs[0])
    if np.isnan(dfs).any():
        return ONE_HOLDS_ALL
    # V1 and V2 by CR2: a cluster's squared sum over the share of the others
    parts = [outer_sums(deviation / n, c, 1 / share_outside(c, count)) for c in dense[:2]]
    shares = np.repeat(count[:, None] / n, values.shape[1], axis=1)
    errors = mean_errors(deviation / n, shares, codes, size=np.abs(values).max())
    least = float(errors.rounding.max()) ** 2
    covariance, freedom = parts[0], dfs[0]
    if groups:
        parts.append(np.sum([group.sums().T @ group.sums() for group in groups], axis=0))
        overlap = np.sum(
            [sum_outer_products(group.scores, group.intersections) for group in groups], axis=0
        )
    elif len(dense) > 1:
        overlap = sum_outer_products(deviation / n, dense[2])
    if len(parts) > 1:
        covariance = parts[0] + parts[1] - overlap
        traces = [float(np.trace(part)) for part in parts]
        freedom = cochran_df(traces, dfs) if sum(traces) > 0 else min(dfs)
        # dimensions that the variances of both factors together have
        rank = rank_of(parts[0] + parts[1], least)
        # tests with V1, or V2, alone: the smallest W of all is taken
        tests = [
            f_test(mean, part, freedom, least, True)
            for part in parts
            if rank_of(part, least) == rank
        ]
        negative = np.linalg.eigvalsh(covariance).min() < -RANK * np.trace(covariance)
        # V1 + V2 - V12 may lose dimensions or have negative variances: V1 + V2 takes its place
        if rank > 1 and (negative or rank_of(covariance, least) < rank):
            covariance, cautious = parts[0] + parts[1], True
        elif rank == 1 and np.trace(covariance) < max(traces):
            covariance, cautious = max(parts, key=lambda part: float(np.trace(part))), True
        tests.insert(0, f_test(mean, covariance, freedom, least, cautious))
        if defined := [test for test in tests if isinstance(test, WaldTest)]:
            return min(defined, key=lambda test: test.statistic)
    return f_test(mean, covariance, freedom, least, cautious)


def f_test(
    mean: FloatArray, covariance: FloatArray, freedom: float, least: float, cautious: bool
) -> WaldTest | str:
    """Turn means and their covariance, whose variances up to `least` are rounding, into an F test."""
    values, vectors = np.linalg.eigh(covariance)
    used = values > max(RANK * float(values[-1]), least)
    q = float(np.count_nonzero(used))
    if not q:
        return no_variation_reason("clusters")
    # the means on the dimensions that have a variance; the rest of them must be 0
    projected = vectors[:, used].T @ mean
    if float(np.linalg.norm(mean) ** 2 - projected @ projected) > RANK * max(
        float(mean @ mean), RANK
    ):
        return "too few clusters, or too alike: they show no variance in a direction in which the means differ"
    denominator = freedom - q + 1
    if denominator <= 0:
        return f"too few clusters for {q:g} differences"
    # Hotelling's T^2 approximation (Pustejovsky & Tipton 2018): F with q and v - q + 1 df
    statistic = denominator / (freedom * q) * float(projected**2 @ (1 / values[used]))
    p = float(not_zero(fdtrc(q, denominator, statistic)))
    return WaldTest(statistic=statistic, df=q, df_denominator=denominator, p=p, cautious=cautious)


def outer_sums(scores: FloatArray, code: IntArray, weight: FloatArray) -> FloatArray:
    """Sum over clusters of the outer products of their sums, weighted."""
    sums = np.column_stack([np.bincount(code, column) for column in scores.T])
    return np.asarray((sums * weight[:, None]).T @ sums)


def sum_outer_products(scores: FloatArray, code: IntArray) -> FloatArray:
    """Sum over clusters of the outer products of their sums."""
    return outer_sums(scores, code, np.ones(int(code.max()) + 1))


def rank_of(covariance: FloatArray, least: float) -> int:
    """Number of eigenvalues that are more than rounding."""
    values = np.linalg.eigvalsh(covariance)
    return int(np.count_nonzero(values > max(RANK * float(values[-1]), least)))


def satterthwaite_df(count: FloatArray, code: IntArray) -> float:
    """Degrees of freedom of a CR2 mean: they depend on the sizes of the clusters alone."""
    signs = np.where(code % 2 == 0, 1.0, -1.0)  # any values that vary
    return clustered_mean(signs, count, [code]).df


FEW_DISCORDANT = 10  # units or pairs that differ, below which SS314 is raised
WALD = "robust_wald"
# the robust test, p = 1 by definition, why there is none, no clusters
Robust = WaldTest | McNemarTest | str | None


def robust_test(values: FloatArray, count: FloatArray, codes: Sequence[IntArray]) -> Robust:
    """Return `robust_wald`; None without clusters, and p = 1 where no unit has a value other than 0."""
    if not codes:
        return None
    return robust_wald(values, count, codes) if np.any(values) else NOTHING


def wald_and_chi_square_rows(
    wald: Robust, plain: Mapping[str, McNemarTest], n: float, names: Mapping[str, str]
) -> list[Row]:
    """Return rows of chi-square tests by their terms; with clusters the robust test leads, and they ignore these."""
    group = "test" if wald is None else IGNORING
    rows = [
        Row(
            term=term,
            group=group,
            role="test",
            test="chi2",
            statistic=test.statistic,
            df=test.df,
            p_value=test.p,
            n=n,
            method=names[term],
        )
        for term, test in plain.items()
    ]
    if wald is None:
        return rows
    lead = Row(term=WALD, group="test", role="test", test="f", n=n, method=names[WALD])
    if isinstance(wald, str):
        return [replace(lead, undefined=wald), *rows]
    return [replace(lead, statistic=wald.statistic, df=wald.df, p_value=wald.p), *rows]


def cautions_of_tests(wald: Robust, discordant: float, message: str) -> list[Caution]:
    """Cautions SS314 (few units or pairs that differ) and SS206 (a covariance that was not positive)."""
    cautions = []
    if discordant < FEW_DISCORDANT:
        message += ": p is 1 by definition" if not discordant else ""
        cautions.append(caution("SS314", message, affects="chi-square and F tests"))
    if isinstance(wald, WaldTest) and wald.cautious:
        cautions.append(
            caution(
                "SS206",
                "V1 + V2 - V12 was too small or not positive; a larger variance took its place",
                affects="the robust test, which is cautious",
            )
        )
    return cautions


def wald_or_chi_square_text(row: Row, name: str, denominator: float | None) -> str:
    """Return a test as text with its statistic, df and p."""
    if row.undefined:
        return f"{name} undefined ({row.undefined})"
    if row.df is None:
        return f"{name} {p_value(row.p_value)}"
    letter, dfs = "chi-square", number(row.df, 0)
    if row.term == WALD:
        letter, dfs = "F", f"{dfs}, {number(denominator, 1)}"
    return f"{name} {letter}({dfs}) = {number(row.statistic)}, {p_value(row.p_value)}"


def clusters_by_factor(factors: Sequence[Factor], codes: Sequence[IntArray]) -> dict[str, int]:
    """Count the clusters of each factor among some units, for the counts of a result."""
    return {
        f"clusters of '{shorten(f.name)}'": len(np.unique(c))
        for f, c in zip(factors, codes, strict=True)
    }


def sample_text(result: Result, key: str, noun: str) -> str:
    """State how many units (or pairs) a result is about, and in how many clusters."""
    names = [
        f"of '{shorten(factor.name)}'"
        for factor in result.design.factors(result.settings["cluster"])
    ]
    clusters = [
        count(result.counts[f"clusters {name}"], f"cluster {name}", f"clusters {name}")
        for name in names
    ]
    return count(result.counts[key], noun) + (f" in {listing(clusters)}" if clusters else "")


def unit_shares(design: Ratings) -> FloatArray:
    """(units, levels) shares of a unit's ratings, means of probabilities where these are read; 0 where it has none."""
    n = len(design.units)
    columns = [np.bincount(design.unit, column, n) for column in design.read_as().T]
    counts = np.array(columns).reshape(-1, n).T
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0))


def has_rating(design: Ratings) -> BoolArray:
    """(units,) bool array: units with a rating."""
    return np.asarray(design.level_counts().sum(axis=1) > 0)

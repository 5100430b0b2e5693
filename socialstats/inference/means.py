"""Cluster-robust variances of means and ratios, and their degrees of freedom: CR2 with one parameter.

A mean, a share, a ratio of sums or any linearised statistic has two parts. Its cells contribute deviations (`scores`,
whose sum is 0) and weights (`shares`, whose sum is 1). With one parameter the equations of
`socialstats.inference.robust` are closed formulas of the sums by cluster. Clusters are summed block by block, so that
they may stay with a table that an engine reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.scan import ClusterPart, StoredClusters
from socialstats.inference.intervals import cochran_df
from socialstats.rounding import gated, left_of_sums

# A share that rounding can leave of 0: one cluster is the whole statistic.
LOST = 64 * float(np.finfo(np.float64).eps)
ROUND_DF = 1e-9
# codes of clusters up to so many times the number of rows are numbered by a list of them
FEW_GAPS = 4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeanErrors:
    """Variances of k statistics, as (k,) arrays.

    Attributes
    ----------
    variance : float64 array
        NaN where one cluster is the whole statistic, or there is none.
    df : float64 array
        Satterthwaite's degrees of freedom of each; with two factors Cochran's. NaN where `variance` is.
    clusters : float64 array
        Clusters that take part; of the factor with fewer.
    effective : float64 array
        1 / sum f^2, the number of equal clusters that would weigh as evenly; of the factor with less.
    largest : float64 array
        Largest share f of one cluster.
    plain : float64 array
        Two factors: V1 + V2 - V12 before it is raised to the larger of V1 and V2. One: `variance`.
    rounding : float64 array
        Largest standard error that rounding can leave (`socialstats.rounding`).
    """

    variance: FloatArray
    df: FloatArray
    clusters: FloatArray
    effective: FloatArray
    largest: FloatArray
    plain: FloatArray
    rounding: FloatArray

    @classmethod
    def of_statistic(
        cls,
        *,
        variance: float,
        df: float,
        clusters: float,
        effective: float,
        largest: float,
        rounding: float = 0.0,
    ) -> MeanErrors:
        """Return those of one statistic."""
        parts = (variance, df, clusters, effective, largest, variance, rounding)
        return cls(**dict(zip(cls.__slots__, (np.array([part]) for part in parts), strict=True)))

    @property
    def std_error(self) -> FloatArray:
        """Standard errors; NaN where there is none, or where clusters are alike."""
        return gated(np.sqrt(self.variance), self.rounding)

    def where(self, marked: BoolArray, other: MeanErrors) -> MeanErrors:
        """Return these of the (k,) statistics that are marked, and those of `other` of the rest."""
        return MeanErrors(
            **{
                name: np.where(marked, getattr(self, name), getattr(other, name))
                for name in MeanErrors.__slots__
            }
        )

    def with_rounding(self, parts: FloatArray, size: FloatArray | float) -> MeanErrors:
        """Return them with what rounding can leave.

        Without cancellation a cluster of share f adds f of the sum of the sizes of all scores. The variance is then the
        square of that sum times the sum of f^2 / (1 - f).

        Parameters
        ----------
        parts : (k,) array
            Sums of the sizes of all scores.
        size : float or (k,) array
            Largest size of the numbers whose differences the scores are.
        """
        spread = np.sqrt(1 / np.maximum(self.effective * (1 - self.largest), LOST))
        with np.errstate(over="ignore"):
            return replace(self, rounding=left_of_sums(parts * spread, size * spread))


def mean_errors(
    scores: Any,
    shares: Any,
    factors: Sequence[IntArray] | StoredClusters = (),
    alike: FloatArray | None = None,
    *,
    size: FloatArray | float = 0.0,
) -> MeanErrors:
    """Estimate the variances of k means, under independent rows, one cluster factor, or two crossed ones.

    Parameters
    ----------
    scores : (cells, k) array, dense or sparse
        What each cell adds to the deviation of each statistic from its expectation; columns sum to 0.
    shares : (cells, k) array, dense or sparse
        What each cell weighs in each statistic; at least 0, columns sum to 1.
    factors : sequence of (cells,) int64 arrays, or StoredClusters
        None, one or two.
    alike : (cells,) array, optional
        Independent rows: how many rows of one score each cell stands for (default 1).
    size : float or (k,) array
        Largest size of the numbers whose differences the scores are, such as values of which their mean was
        subtracted. Rounding of these can make alike scores differ.

    Notes
    -----
    With sums e_g and f_g of the scores and shares of clusters, V = sum e_g^2 / (1 - f_g), which is CR2 of one parameter
    (Bell & McCaffrey 2002), and with r_g = f_g^2 / (1 - f_g)

        df = 1 / (sum f_g^2 + (sum r_g)^2 - sum r_g^2)

    (Satterthwaite's, of independent errors; G - 1 where clusters weigh the same). Two crossed factors: the largest of
    V1, V2 and V1 + V2 - V12, with V12 = sum e^2 over intersections (Cameron, Gelbach & Miller 2011; MacKinnon, Nielsen
    & Webb, arXiv:2406.08880), with Cochran's degrees of freedom of V1 and V2. Of two nested factors the coarser one
    alone counts.

    References
    ----------
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.
    Cameron, A. C., Gelbach, J. B., & Miller, D. L. (2011). Robust inference with multiway clustering.
    doi:10.1198/jbes.2010.07136

    Examples
    --------
    >>> values, cluster = np.array([1.0, 2.0, 4.0, 9.0]), np.array([0, 0, 1, 2])
    >>> errors = mean_errors((values - 4)[:, None] / 4, np.full((4, 1), 1 / 4), [cluster])
    >>> round(float(errors.variance[0]) ** 0.5, 4), round(float(errors.df[0]), 4)
    (2.2822, 1.8)
    """
    errors = (
        _factor_errors(scores, shares, factors)
        if len(factors)
        else _independent_errors(scores, shares, alike)
    )
    return errors.with_rounding(np.asarray(abs(scores).sum(axis=0)).ravel(), size)


def _independent_errors(scores: Any, shares: Any, alike: FloatArray | None) -> MeanErrors:
    sums = ColumnSums(scores.shape[1])
    e, f, column = _by_cluster(scores, shares, None)
    m = np.ones(len(e))
    if alike is not None:
        m = _by_cluster(scores, _copies_where_shared(shares, alike), None)[1]
    sums.add(e, f, column, m)
    return sums.errors()


def _factor_errors(
    scores: Any, shares: Any, factors: Sequence[IntArray] | StoredClusters
) -> MeanErrors:
    k = scores.shape[1]
    blocks, finer = _share_blocks(factors)

    def one_factor(factor: int) -> MeanErrors:
        sums = ColumnSums(k)
        for share in blocks(factor):
            sums.add(*_by_cluster(scores, shares, share, share.codes[factor]))
        return sums.errors()

    if len(factors) == 1:
        return one_factor(0)
    finer_sums, overlap, n_cells = ColumnSums(k), np.zeros(k), np.zeros(k)
    for share in blocks(finer):
        cluster, other_cluster = share.codes[finer], share.codes[1 - finer]
        code, _ = dense_codes(cluster * (int(other_cluster.max(initial=0)) + 1) + other_cluster)
        e, _, column = _by_cluster(scores, shares, share, code)
        overlap += np.bincount(column, e**2, minlength=k)
        n_cells += np.bincount(column, minlength=k)
        finer_sums.add(*_by_cluster(scores, shares, share, cluster))
    first, second = (finer_sums.errors(), one_factor(1 - finer))[:: 1 - 2 * finer]
    sizes = np.asarray(abs(scores).sum(axis=0)).ravel()
    crossed = _cross_errors(first, second, overlap, rounding=LOST * sizes)
    # nested in the cells of a column, whatever the others are
    return second.where(n_cells == first.clusters, first.where(n_cells == second.clusters, crossed))


def sampled_errors(
    scores: FloatArray, shares: FloatArray, alike: FloatArray, *, size: FloatArray | float = 0.0
) -> MeanErrors:
    """Estimate the variances of k means of independent units with sampling weights.

    Parameters
    ----------
    scores, shares, alike, size
        As in `mean_errors`: a unit of weight w and value x has the score w (x - m) / sum w, and the share w / sum w.

    Notes
    -----
    V = n / (n - 1) sum of squared scores of the n units, the linearised variance of a ratio. That is svymean of R's
    survey (Lumley 2004), and s^2 / n where all weights are equal. HC1 of a weighted regression is the same; HC0 lacks
    the factor n / (n - 1), and HC2 has 1 / (1 - f_i) in its place. Degrees of freedom are Satterthwaite's of
    `mean_errors`, about Kish's effective number less 1, where survey has n - 1. Of 30 normal values with lognormal
    weights (sigma 1) t intervals held .933 with them, and .912 with n - 1.

    References
    ----------
    Lumley, T. (2004). Analysis of complex survey samples. doi:10.18637/jss.v009.i08

    Examples
    --------
    >>> x, w = np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 2.0])
    >>> f = w / w.sum()
    >>> errors = sampled_errors((f * (x - f @ x))[:, None], f[:, None], np.ones(3))
    >>> errors.variance.round(6).tolist(), errors.df.round(4).tolist(), errors.effective.round(4).tolist()
    ([0.925781], [1.8], [2.6667])
    """
    errors = mean_errors(scores, shares, (), alike, size=size)
    n = float(alike[np.any(shares > 0, axis=1)].sum())
    variance = n / max(n - 1, 1.0) * (scores**2 / alike[:, None]).sum(axis=0)
    variance = np.where(np.isnan(errors.variance), np.nan, variance)
    return replace(errors, variance=variance, plain=variance)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnRaters:
    """What raters who are a sample themselves add to k statistics; ratings of fixed raters are no part of it.

    Attributes
    ----------
    scores : (ratings, k) float64 array
        What each rating of a drawn rater adds to the deviation of each statistic; columns sum to 0.
    shares : (ratings, k) float64 array
        What it weighs among these ratings; columns sum to 1.
    cluster, rater : (ratings,) int64 arrays
        The unit (or its cluster), and the rater, by codes from 0 without gaps.
    alone : bool
        Whether no other rater has part in the statistics.
    second : (ratings,) bool array, or None
        Of statistics that are differences of two means of the same raters: ratings of the second mean. `scores` have
        its sign, and `shares` sum to 1 in either mean.
    """

    scores: FloatArray
    shares: FloatArray
    cluster: IntArray
    rater: IntArray
    alone: bool = False
    second: BoolArray | None = None

    @classmethod
    def of_means(
        cls,
        values: FloatArray,
        weight: FloatArray,
        cluster: IntArray,
        rater: IntArray,
        *,
        total: float | None = None,
        sign: float = 1.0,
    ) -> DrawnRaters:
        """Return what drawn raters add to weighted means of (ratings, k) values.

        `total` is the weight of all ratings, where fixed raters have part in the means; `sign` that of the means in a
        difference.
        """
        drawn_weight = float(weight.sum())
        share = weight / drawn_weight
        factor = sign * (1.0 if total is None else drawn_weight / total)
        shares = np.repeat(share[:, None], values.shape[1], axis=1)
        # equal values leave rounding
        deviations = np.where(np.ptp(values, axis=0) > 0, values - share @ values, 0.0)
        return cls(
            scores=factor * shares * deviations,
            shares=shares,
            cluster=dense_codes(cluster)[0],
            rater=dense_codes(rater)[0],
            alone=total is None and sign == 1,
        )

    def column(self, j: int) -> DrawnRaters:
        """Return the same of one statistic."""
        return replace(self, scores=self.scores[:, [j]], shares=self.shares[:, [j]])

    @property
    def intersections(self) -> IntArray:
        """Codes of the intersections of clusters and raters."""
        return dense_codes(self.cluster * (int(self.rater.max()) + 1) + self.rater)[0]

    @property
    def nested(self) -> BoolArray:
        """(k,) bool array: whether each rater rated in one cluster alone, whose sums hold all dependence."""
        cells = self.intersections
        return self._by_statistic(
            lambda used: len(np.unique(cells[used])) == len(np.unique(self.rater[used]))
        )

    @property
    def nesting(self) -> BoolArray:
        """(k,) bool array: whether one rater alone rated each cluster, and nobody else has part in the statistic."""
        cells = self.intersections
        return self._by_statistic(
            lambda used: (
                self.alone and len(np.unique(cells[used])) == len(np.unique(self.cluster[used]))
            )
        )

    def _by_statistic(self, holds: Callable[[BoolArray], bool]) -> BoolArray:
        """Return what holds of the ratings that have part in each statistic."""
        used_in = self.shares > 0
        if used_in.all():
            return np.full(used_in.shape[1], holds(used_in[:, 0]))
        return np.array([holds(used) for used in used_in.T])

    @property
    def overlap(self) -> FloatArray:
        """(k,) float64 array: V12, the sum of squares over the intersections."""
        cells = self.intersections
        return np.array([(np.bincount(cells, column) ** 2).sum() for column in self.scores.T])

    @property
    def raters(self) -> int:
        """Number of drawn raters."""
        return int(self.rater.max(initial=-1)) + 1

    def sums(self) -> FloatArray:
        """(raters, k) float64 array: sums of scores over sqrt(1 - f), whose cross product is CR2's covariance."""
        second = np.zeros(len(self.rater), dtype=bool) if self.second is None else self.second
        out = np.zeros((self.raters, self.scores.shape[1]))
        for side in (~second, second):
            e, f = (
                np.column_stack(
                    [np.bincount(self.rater[side], column, self.raters) for column in table[side].T]
                )
                for table in (self.scores, self.shares)
            )
            out += e / np.sqrt(np.maximum(1 - f, LOST))
        return out

    def errors(self) -> MeanErrors:
        """Return the errors over raters."""
        if self.second is None:
            return mean_errors(self.scores, self.shares, [self.rater])
        sides = np.column_stack([~self.second, self.second])
        by_statistic = []
        for scores, shares in zip(self.scores.T, self.shares.T, strict=True):
            f = shares[:, None] * sides
            by_statistic.append(
                difference_errors(
                    scores[:, None] * sides * (1, -1), f, (f**2).sum(axis=0), [self.rater]
                )
            )
        fields = {
            name: np.concatenate([getattr(errors, name) for errors in by_statistic])
            for name in MeanErrors.__slots__
        }
        return MeanErrors(**fields)


def with_drawn(errors: MeanErrors, drawn: Sequence[DrawnRaters]) -> MeanErrors:
    """Join the errors over units (or clusters) with those over drawn raters, as two crossed factors.

    The overlap that is subtracted is that of the drawn raters' ratings: what fixed raters add stays with the units.
    Several groups of drawn raters are independent of each other. The numbers of clusters and the largest share are
    those of the units.

    Parameters
    ----------
    errors : MeanErrors
        Over units or one cluster factor.
    drawn : sequence of DrawnRaters
        One for each group of drawn raters, such as the people of one source.
    """
    if not drawn:
        return errors
    nested = np.array([group.nested for group in drawn])
    errors_of_all = errors
    for pattern in {tuple(column) for column in nested.T.tolist()}:
        crossed = [group for group, inside in zip(drawn, pattern, strict=True) if not inside]
        if crossed:
            errors_of_all = _cross_raters(errors, crossed).where(
                np.all(np.array(pattern) == nested.T, axis=1), errors_of_all
            )
    return errors_of_all


def _cross_raters(errors: MeanErrors, groups: Sequence[DrawnRaters]) -> MeanErrors:
    """Join the errors over units (or clusters) with those over groups of raters who rated in several of them."""
    parts = [group.errors() for group in groups]
    raters = parts[0]
    for part in parts[1:]:
        variance = raters.variance + part.variance
        with np.errstate(divide="ignore", invalid="ignore"):
            df = variance**2 / (raters.variance**2 / raters.df + part.variance**2 / part.df)
        raters = replace(
            raters,
            variance=variance,
            df=np.where(variance > 0, df, np.minimum(raters.df, part.df)),
            effective=np.minimum(raters.effective, part.effective),
            rounding=np.hypot(raters.rounding, part.rounding),
        )
    rounding = np.maximum(errors.rounding, raters.rounding)
    sizes = np.abs(np.concatenate([group.scores for group in groups])).sum(axis=0)
    overlap = np.sum([group.overlap for group in groups], axis=0)
    crossed = _cross_errors(errors, raters, overlap, rounding=np.maximum(rounding, LOST * sizes))
    if len(groups) == 1:
        crossed = raters.where(groups[0].nesting, crossed)
    return replace(crossed, clusters=errors.clusters, largest=errors.largest, rounding=rounding)


def _cross_errors(
    first: MeanErrors, second: MeanErrors, overlap: FloatArray, *, rounding: FloatArray
) -> MeanErrors:
    """Join the variances by two crossed factors; `rounding` is a standard error that rounding can leave."""
    plain = first.variance + second.variance - overlap
    # below it a sum of two variances is rounding
    least = 2 * rounding**2
    parts = zip(first.variance, second.variance, first.df, second.df, least, strict=True)
    df = [_joint_df(*part) for part in parts]
    return MeanErrors(
        variance=np.maximum(np.maximum(plain, first.variance), second.variance),
        df=np.array(df),
        plain=plain,
        clusters=np.minimum(first.clusters, second.clusters),
        largest=np.maximum(first.largest, second.largest),
        effective=np.minimum(first.effective, second.effective),
        rounding=np.zeros_like(plain),
    )


def difference_errors(
    scores: FloatArray,
    shares: FloatArray,
    unit: FloatArray,
    factors: Sequence[IntArray] = (),
    alike: FloatArray | None = None,
    *,
    estimated: bool = True,
    size: float = 0.0,
) -> MeanErrors:
    """Estimate the variance of the difference of two means whose clusters may be the same, or others.

    Parameters
    ----------
    scores, shares : (cells, 2) arrays
        As in `mean_errors`, of either mean: 0 where a cell has no part in it. The sign of the second is not changed.
    unit : (2,) array
        Variance that either mean has of independent values with variance 1.
    factors : sequence of (cells,) int64 arrays
        None, one or two.
    alike : (cells,) array, optional
        As in `mean_errors`.
    estimated : bool
        Whether degrees of freedom may be those of the estimated variances of both means, where these are fewer.
    size : float
        As in `mean_errors`.

    Notes
    -----
    Each mean has its own fitted value. With the sums e_gl and shares f_gl of cluster g in mean l, and u_gl = e_gl /
    sqrt(1 - f_gl), the variance is V = sum_g (u_g1 - u_g2)^2. That is CR2 of a regression on two indicators (Bell &
    McCaffrey 2002). It is the sum of both variances where each cluster belongs to one mean, and the variance of
    differences where each has part in both. With v_l in proportion to the variances of both means, Satterthwaite's
    degrees of freedom are

        (v_1 + v_2)^2 / sum_kl v_k v_l T_kl,   T_kl = sum_g f_gk f_gl + (sum_g r_g)^2 - sum_g r_g^2,

    r_g = f_gk f_gl / sqrt((1 - f_gk)(1 - f_gl)). They are the smaller of two. One has v_l = `unit`, which is that of
    CR2. The other has the estimates v_l = sum_g u_gl^2, which is Welch's (1947) where no cluster has part in both. With
    normal means of 2 and 2, 2 and 5, 2 and 10, 3 and 3, or 5 and 5 clusters of alike variances tests at .05 rejected
    .023, .015, .004, .036 and .045. With a standard deviation three times as large in the first, they rejected .037,
    .065, .048, .053 and .053. Welch's alone rejected up to .11 (2 and 10), those of CR2 up to .09 (2 and 3). Two
    crossed factors are joined as in `mean_errors`.

    References
    ----------
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.
    Welch, B. L. (1947). The generalization of Student's problem when several different population variances are
    involved. doi:10.1093/biomet/34.1-2.28

    Examples
    --------
    >>> x, first = np.array([1.0, 3.0, 2.0, 8.0]), np.array([1.0, 1.0, 0.0, 0.0])
    >>> shares = np.column_stack([first, 1 - first]) / 2
    >>> scores = shares * (x[:, None] - x @ shares)
    >>> errors = difference_errors(scores, shares, np.array([0.5, 0.5]), [np.arange(4)])
    >>> errors.variance.round(9).tolist(), errors.df.round(4).tolist()  # Welch's t test of (1, 3) and (2, 8)
    ([10.0], [1.2195])
    """
    codes = factors_and_intersections(factors) if len(factors) else [np.arange(len(scores))]
    times = np.ones(len(scores)) if len(factors) or alike is None else alike
    by_factor = [
        _difference_by_factor(code, scores, shares, unit, times, estimated) for code in codes[:2]
    ]
    parts = np.abs(scores).sum()
    if len(by_factor) == 1:
        return by_factor[0].with_rounding(parts, size)
    # the third codes are those of intersections, whose sums of squares both factors have (V12)
    overlap = np.bincount(codes[2], scores[:, 0] - scores[:, 1])
    products, rounding = np.array([overlap @ overlap]), LOST * np.array([parts])
    crossed = _cross_errors(by_factor[0], by_factor[1], products, rounding=rounding)
    return crossed.with_rounding(parts, size)


def _difference_by_factor(
    code: IntArray,
    scores: FloatArray,
    shares: FloatArray,
    unit: FloatArray,
    times: FloatArray,
    estimated: bool,
) -> MeanErrors:
    """`difference_errors` of one factor; cells that are clusters of their own stand for `times` alike ones."""
    e, f = (
        np.column_stack([np.bincount(code, column / times) for column in table.T])
        for table in (scores, shares)
    )
    m, present = np.bincount(code, times) / np.bincount(code), f > 0
    remainder = np.where(present, 1 - f, 1.0)
    clusters, largest = (m[:, None] * present).sum(axis=0), f.max(axis=0)
    kept = np.maximum(remainder, LOST)
    u = e / np.sqrt(kept)
    root = f / np.sqrt(kept)
    r = root[:, :, None] * root[:, None, :]
    # (2, 2) table of T_kl, see `difference_errors`; m alike clusters count as m
    traces = (
        np.einsum("g,gk,gl->kl", m, f, f)
        + np.einsum("g,gkl->kl", m, r) ** 2
        - np.einsum("g,gkl->kl", m, r**2)
    )
    defined = bool(np.all(remainder > LOST))
    estimated_variance = m @ u**2
    weights = (unit, estimated_variance) if estimated and estimated_variance.any() else (unit,)
    # squares of variances overflow
    scaled = (v / v.max() if v.max() > 0 else v for v in weights)
    df = min(_near_whole(v.sum() ** 2 / (v @ traces @ v)) for v in scaled) if defined else np.nan
    variance = float(m @ (u[:, 0] - u[:, 1]) ** 2)
    return MeanErrors.of_statistic(
        variance=variance if defined else np.nan,
        df=df,
        clusters=float(clusters.min()),
        effective=float((1 / (m @ f**2)).min()),
        largest=float(largest.max()),
    )


def _share_blocks(
    factors: Sequence[IntArray] | StoredClusters,
) -> tuple[Callable[[int], Iterable[ClusterPart]], int]:
    """Return the shares of the cells that belong to clusters, in blocks, and the factor with more clusters."""
    if isinstance(factors, StoredClusters):
        return factors.blocks, factors.rows.finer()
    dense = [dense_codes(code) for code in factors]
    return lambda _: [ClusterPart.of([code for code, _ in dense])], int(
        np.argmax([n for _, n in dense])
    )


def dense_codes(code: IntArray) -> tuple[IntArray, int]:
    """Return codes as numbers from 0 without gaps, and how many there are."""
    if code.size and code.min() >= 0 and code.max() < FEW_GAPS * code.size:
        # a list of the codes that occur is made in a tenth of the time that sorting takes
        occurs = np.bincount(code) > 0
        return (np.cumsum(occurs) - 1)[code], int(occurs.sum())
    distinct, dense = np.unique(code, return_inverse=True)
    return dense, len(distinct)


def factors_and_intersections(factors: Sequence[IntArray]) -> list[IntArray]:
    """Return the dense codes of one factor, or of two crossed ones and their intersections.

    Of two nested factors only the coarser is left: it holds all dependence.

    Examples
    --------
    >>> [code.tolist() for code in factors_and_intersections([np.array([4, 4, 7]), np.array([1, 2, 3])])]
    [[0, 0, 1]]
    """
    dense = [dense_codes(code)[0] for code in factors]
    if len(dense) == 1:
        return dense
    cells = dense_codes(dense[0] * (dense[1].max() + 1) + dense[1])[0]
    if cells.max() == max(code.max() for code in dense):
        return [min(dense, key=lambda code: int(code.max()))]
    return [*dense, cells]


def _joint_df(v1: float, v2: float, df1: float, df2: float, least: float) -> float:
    """Return Cochran's degrees of freedom of two parts; the smaller where neither varies, NaN where one is unknown."""
    if np.isnan(v1 + v2):
        return np.nan
    return cochran_df([v1, v2], [df1, df2]) if v1 + v2 > least else min(df1, df2)


class ColumnSums:
    """Sums over the clusters of each of k columns, from which their variances are made.

    The cluster of the largest share is kept apart: sums over the others lose nothing where its share is near 1.
    """

    def __init__(self, k: int) -> None:
        # score, share and copies of the cluster of the largest share
        self._top = np.zeros((3, k))
        # sums over all others of f, f^2, r = f^2 / (1 - f), r^2, 1 and e^2 / (1 - f)
        self._rest = np.zeros((6, k))

    def add(
        self, e: FloatArray, f: FloatArray, column: IntArray, m: FloatArray | None = None
    ) -> None:
        """Add clusters: sums of scores and shares, the column of each, and how many alike ones each stands for."""
        k, copies = self._top.shape[1], np.ones(len(e)) if m is None else m
        share = f / copies
        largest, place = np.zeros(k), np.full(k, -1)
        np.maximum.at(largest, column, share)
        leading = np.flatnonzero(share == largest[column])
        place[column[leading]] = leading
        new = np.flatnonzero((place >= 0) & (largest > self._top[1]))
        place = place[new]
        before = self._top[:, new]
        self._top[:, new] = e[place], share[place], copies[place]
        is_other = np.ones(len(e), dtype=bool)
        is_other[place] = False
        for (score, part, times), at in (
            ((e[is_other], share[is_other], copies[is_other]), column[is_other]),
            (before[:, before[2] > 0], new[before[2] > 0]),
        ):
            remainder = np.maximum(1 - part, LOST)
            r = part**2 / remainder
            variance = score**2 / times**2 / remainder
            for j, values in enumerate((part, part**2, r, r**2, part > 0, variance)):
                self._rest[j] += np.bincount(at, times * values, minlength=k)

    def errors(self) -> MeanErrors:
        """Return the variances of the columns."""
        (e, top, m), (part, squares, r, r_squares, clusters, variance) = self._top, self._rest
        # one of m alike clusters with the largest share is the top, and m - 1 are among the others
        alike_tops = np.maximum(m - 1, 0.0)
        remainder = part + alike_tops * top
        defined = (m > 0) & (remainder > LOST)
        remainder = np.maximum(remainder, LOST)
        of_top, copies = top**2 / remainder, np.where(m > 0, m, 1.0)
        variance = np.where(defined, variance + e**2 / copies / remainder, np.nan)
        squares, r_sum = squares + m * top**2, r + alike_tops * of_top
        with np.errstate(divide="ignore", invalid="ignore"):
            # 1 / (sum f^2 + (sum r)^2 - sum r^2), see `mean_errors`
            df = 1 / (
                squares + r_sum**2 - (r_squares + alike_tops * of_top**2) + 2 * of_top * r_sum
            )
            return MeanErrors(
                variance=variance,
                df=np.where(defined, _near_whole(df), np.nan),
                clusters=clusters + m * (top > 0),
                effective=1 / squares,
                largest=top,
                plain=variance,
                rounding=np.zeros_like(variance),
            )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeparateSample:
    """The cells of one of two separate samples.

    Attributes
    ----------
    scores, shares : (cells,) float64 arrays
        As columns of `mean_errors`: what each cell adds to the mean, and what it weighs in it.
    codes : sequence of (cells,) int64 arrays
        One or two cluster factors; clusters of both samples have one code.
    variance : float
        Of its mean, by these clusters.
    size : float
        As in `mean_errors`.
    """

    scores: FloatArray
    shares: FloatArray
    codes: Sequence[IntArray]
    variance: float
    size: float = 0.0


def gap_errors(first: SeparateSample, second: SeparateSample) -> tuple[float, float]:
    """Return standard error and degrees of freedom of the difference of the means of two samples that share clusters.

    The error is NaN where clusters are alike.

    No unit is in both samples; each adds to the sum of its cluster there alone. `difference_errors` has the formula.
    Satterthwaite's degrees of freedom take the variances of the samples as estimated. Without a shared cluster they
    are Welch's, and where each cluster has one unit of each sample those of the paired t test.

    Examples
    --------
    >>> x, y, g = np.array([1.0, 2.0, 6.0]), np.array([2.0, 5.0, 5.0]), np.arange(3)
    >>> third = np.full(3, 1 / 3)
    >>> samples = [SeparateSample(scores=(v - v.mean()) / 3, shares=third, codes=[g], variance=v.var(ddof=1) / 3)
    ...            for v in (x, y)]
    >>> error, df = gap_errors(*samples)
    >>> round(error**2, 4), round(float((x - y).var(ddof=1)) / 3, 4), round(df, 9)
    (1.3333, 1.3333, 2.0)
    """
    n = len(first.scores)
    scores, shares = np.zeros((2, n + len(second.scores), 2))
    for k, (sample, at) in enumerate(((first, slice(None, n)), (second, slice(n, None)))):
        scores[at, k], shares[at, k] = sample.scores, sample.shares
    factors = [np.concatenate(codes) for codes in zip(first.codes, second.codes, strict=True)]
    errors = difference_errors(
        scores,
        shares,
        np.array([first.variance, second.variance]),
        factors,
        estimated=False,
        size=max(first.size, second.size),
    )
    return float(errors.std_error[0]), float(errors.df[0])


def _near_whole(df: Any) -> Any:
    """Return degrees of freedom, those of equal clusters without rounding: G - 1, not 27.999999999999996."""
    near = np.round(df)
    return np.where(np.abs(df - near) < ROUND_DF * near, near, df)


def _copies_where_shared(shares: Any, alike: FloatArray) -> Any:
    """A table with `alike` wherever there is a share."""
    if not sparse.issparse(shares):
        return np.where(np.asarray(shares) > 0, np.asarray(alike, dtype=np.float64)[:, None], 0.0)
    table: Any = shares
    present = sparse.csr_array(table) > 0
    return present.multiply(np.asarray(alike, dtype=np.float64)[:, None])


def _by_cluster(
    scores: Any, shares: Any, share: ClusterPart | None, code: IntArray | None = None
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Sums of scores and shares of each cluster and column where there is a share, flat, with their columns.

    Parameters
    ----------
    scores, shares : (cells, k) arrays, dense or sparse
    share : Part or None
        What belongs to clusters; None where each cell is a cluster.
    code : (n,) int64 array, optional
        Cluster of each of its parts.
    """
    k = scores.shape[1]
    e: Any = scores
    f: Any = shares
    if not sparse.issparse(shares):
        e, f = np.asarray(e, dtype=np.float64), np.asarray(f, dtype=np.float64)
        if share is not None and code is not None:
            e, f = share.cluster_sums(code, e, f)
        present = np.nonzero(f > 0)
        return e[present], f[present], present[1]
    e, f = sparse.csr_array(e, dtype=np.float64), sparse.csr_array(f, dtype=np.float64)
    if share is not None and code is not None:
        gather = share.gather(code, scores.shape[0])
        e, f = gather @ e, gather @ f
    f.eliminate_zeros()
    f.sort_indices()
    e, f = e.tocoo(), f.tocoo()
    aligned = np.zeros(len(f.data))
    keys = f.row.astype(np.int64) * k + f.col
    aligned[np.searchsorted(keys, e.row.astype(np.int64) * k + e.col)] = e.data
    return aligned, f.data, f.col.astype(np.int64)


def effective_trials(p: FloatArray, errors: MeanErrors, trials: FloatArray | float) -> FloatArray:
    """Independent trials that would give a proportion the variance it has under clustering.

    p (1 - p) / variance, between 1 and `trials` (Korn & Graubard 1998). With p of 0 or 1, or where all clusters have
    one share, the variance is uninformative. 1 / sum f^2 stands in, as if each of so many equal clusters were one
    trial.

    Parameters
    ----------
    p : (k,) float64 array
    errors : MeanErrors
    trials : (k,) float64 array or float
        Answers behind each proportion.

    References
    ----------
    Korn, E. L., & Graubard, B. I. (1998). Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data. Survey Methodology, 24(2), 193-201.
    """
    return effective_size(p * (1 - p), errors, trials)


def effective_size(spread: FloatArray, errors: MeanErrors, most: FloatArray | float) -> FloatArray:
    """Independent values of variance `spread` that would give a mean its variance: between 1 and `most`.

    Where values or clusters do not differ: 1 / sum f^2.
    """
    # clusters too, by more than rounding
    varies = (spread > 0) & ~np.isnan(errors.std_error)
    with np.errstate(divide="ignore", invalid="ignore"):
        effective = np.where(varies, np.maximum(spread / errors.variance, 1.0), errors.effective)
    return np.where(np.isnan(errors.variance), np.nan, np.minimum(effective, most))

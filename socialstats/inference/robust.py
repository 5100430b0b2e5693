"""Cluster-robust standard errors, degrees of freedom and tests of estimators that have scores.

An estimator is given as a whitened linear regression. It has rows f whose sum of f f' is its information, residuals e
whose sum of f e is its score, and its bread B = R R'. With F_g' the rows of cluster g, J_g = R' F_g F_g' R is the share
of the information that it holds, and the eigenvalues of J_g (those of M_g = F_g' B F_g) are its leverages. The
equations are those of Bell & McCaffrey (2002) and Pustejovsky & Tipton (2018, doi:10.1080/07350015.2016.1247004).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import fdtrc

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.inference.intervals import cochran_df, not_zero
from socialstats.rounding import EPS, NOTHING, SHARE, SPARE, full_rank, gated

# a leverage above this is 1: the residual there is 0 whatever happened
UNIT = 1 - 1e-6
# share of a contrast's information in directions of leverage 1 beyond which it has no error
MOSTLY_UNSEEN = 0.5
# smaller shares are rounding
UNSEEN = 1e-9
# variances below this share of the others are 0
ROUNDING = 1e-10
# Kish's degrees of freedom from which the exact ones, which take longer, are not computed
EXACT_BELOW = 50.0
# A share of the model's variance. Of m rows in a cluster, one that differs from other clusters gives 1/m of it.
# Rounding gives m (1e-13)^2, where scores are 0 to 1e-13 of their parts. So 1e-14 is between both up to m = 10^12.
OF_MODEL = 1e-14
# eigenvalues of standardised information below this are 0
NULL = 1e-12
# largest leverage of clusters whose eigenvalues are not computed in very large tables
FAINT = 0.5
# largest leverage of clusters for whose degrees of freedom a lower bound, 1,000, is enough
LIGHT = 1e-3
# numbers that the eigenvectors of all clusters may take before the table is very large
MOST_NUMBERS = 20_000_000
# numbers in one block of work
BLOCK = 4_000_000
# clusters whose scores are compared with each other
MOST_COMPARED = 1_000
# rows of a cluster up to which products of pairs of them take less time than those of all
# parameters
TINY = 16
# rows whose products with all parameters stay in a processor's cache
SLAB = 4_000
# an information with a smaller share of numbers that are not 0 is multiplied by these alone
SPARSE = 16
# p^2 over rows of a cluster up to which its information takes less time
MANY = 75
# whitened rows, residuals, clusters by factor
Block = tuple[sparse.csr_array, FloatArray, tuple[IntArray, ...]]
# the same with the clusters of one factor
SortedBlock = tuple[sparse.csr_array, FloatArray, IntArray]
# a factor -> rows in blocks, each of whole clusters of that factor
Blocks = Callable[[int], Iterable[Block]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ContrastErrors:
    """Standard errors of k contrasts.

    Attributes
    ----------
    variance : (k,) array
        For a refused contrast it is borrowed entirely from other contrasts; do not report it.
    df : (k,) array
        Degrees of freedom of each t test, at least 1.
    unit : (k,) array
        Share of the contrast's information in directions of leverage 1, where a cluster cannot be seen to differ.
    refused : (k,) bool array
        True where no standard error can be known: `unit` is above one half, or nothing could be borrowed.
    rounding : (k,) array
        Largest standard error that rounding can leave (`socialstats.rounding`).
    """

    variance: FloatArray
    df: FloatArray
    unit: FloatArray
    refused: BoolArray
    rounding: FloatArray

    @property
    def std_error(self) -> FloatArray:
        """Return the standard errors; NaN for refused contrasts, and for those in which clusters are alike."""
        return gated(
            np.where(self.refused, np.nan, np.sqrt(np.maximum(self.variance, 0))), self.rounding
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """An F test that k contrasts are zero together.

    Attributes
    ----------
    statistic : float
        The Wald statistic W.
    f, df, df_denominator, p : float
        F = (nu - k + 1) / (nu k) W, with k and nu - k + 1 degrees of freedom.
    """

    statistic: float
    f: float
    df: int
    df_denominator: float
    p: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Robust:
    """A cluster-robust covariance under one factor, or under two crossed ones.

    Attributes
    ----------
    parts : tuple of OneWay
        One for each factor that counts; only the coarser one of two nested factors.
    n_clusters : tuple of int
        Of every factor that was given.
    overlap : (p, p) array or None
        Two factors: covariance by their intersection, without correction (CR0).
    """

    parts: tuple[OneWay, ...]
    n_clusters: tuple[int, ...]
    overlap: FloatArray | None

    @property
    def largest_leverage(self) -> float:
        """Return the largest share of what is known in one direction that one cluster holds, from 0 to 1."""
        return max(part.largest_leverage for part in self.parts)

    def errors(self, contrasts: Any) -> ContrastErrors:
        """Return the standard errors of contrasts of the parameters.

        One factor: c' V c with CR2's V and Satterthwaite's degrees of freedom. Two: the largest of V1, V2 and
        V1 + V2 - V12 (Cameron, Gelbach & Miller 2011, doi:10.1198/jbes.2010.07136; MacKinnon, Nielsen & Webb,
        arXiv:2406.08880), and Cochran's (1964) degrees of freedom of V1 and V2.

        Parameters
        ----------
        contrasts : (k, p) array or sparse array
        """
        c = sparse.csr_array(contrasts)
        return self._combine_factors(
            [part.errors(c) for part in self.parts], contrast_variances(self.overlap, c)
        )

    def differences(self, n: int) -> ContrastErrors:
        """Return what `errors` does for the differences i - j, i < j, between the first n parameters, but faster."""
        overlap = (
            np.zeros(1)
            if self.overlap is None
            else difference_variances(self.overlap, *np.triu_indices(n, 1))
        )
        return self._combine_factors([part.differences(n) for part in self.parts], overlap)

    def _combine_factors(
        self, by_factor: Sequence[ContrastErrors], overlap: FloatArray
    ) -> ContrastErrors:
        if len(by_factor) == 1:
            return by_factor[0]
        # a factor whose clusters are alike says nothing: its part is rounding, or the pull of a prior on every cluster
        alike = np.array([np.sqrt(e.variance) <= e.rounding for e in by_factor])
        variances = np.where(alike, 0.0, [e.variance for e in by_factor])
        rounding = np.where(alike & ~alike.all(axis=0), 0.0, [e.rounding for e in by_factor])
        df_by_factor = np.array([e.df for e in by_factor])
        df = [
            cochran_df(v, d) if v.max() > 0 else d.min()
            for v, d in zip(variances.T, df_by_factor.T, strict=True)
        ]
        # V1 + V2 - V12 may fall below V1 or V2, and even below 0; the largest of the three never does
        variance = np.maximum(variances.max(axis=0), variances.sum(axis=0) - overlap)
        return ContrastErrors(
            variance=variance,
            df=np.array(df),
            unit=np.max([e.unit for e in by_factor], axis=0),
            refused=np.any([e.refused for e in by_factor], axis=0),
            rounding=np.hypot(*rounding),
        )

    def covariance(self, transform: FloatArray | None = None) -> tuple[FloatArray, bool]:
        """Return the covariance of (transformed) parameters, and whether its correlations had to be adjusted.

        With two factors V1 + V2 - V12 is made positive without touching the variances, which are those of `errors`.
        """
        a = np.eye(len(self.parts[0].covariance)) if transform is None else transform
        by_factor = [np.asarray(a @ part.covariance @ a.T) for part in self.parts]
        if self.overlap is None:
            return by_factor[0], False
        least = np.max([np.diagonal(v) for v in by_factor], axis=0)
        return repair_covariance(sum(by_factor) - a @ self.overlap @ a.T, least)

    def joint(self, contrasts: FloatArray, estimate: FloatArray) -> Joint | str:
        """Test that contrasts are zero together: HTZ of Pustejovsky and Tipton (2018, section 3.2).

        nu = k (k + 1) / sum over s, t of Var(Omega_st), where Omega is the standardised covariance; with two factors
        nu is the smaller one, and the covariance that of `covariance`.

        Parameters
        ----------
        contrasts : (k, p) array
        estimate : (k,) array

        Returns
        -------
        Joint, or str
            The reason why there is no test.
        """
        k = len(contrasts)
        v, _ = self.covariance(contrasts)
        freedom = [part.wishart_df(contrasts) for part in self.parts]
        if any(nu is None for nu in freedom):
            return "a combination of the terms rests on single clusters, whose own effects cannot be seen"
        nu = min(nu for nu in freedom if nu is not None)
        if nu <= k - 1:
            return f"too few clusters for {k} terms"
        if min(part.different for part in self.parts) <= k:
            return f"the clusters are alike in a combination of the {k} terms: no more than {k} of them differ"
        if not full_rank(v, np.sum([part.rounding(contrasts) for part in self.parts], axis=0)):
            return f"the clusters are alike in a combination of the {k} terms: {NOTHING}"
        size = np.sqrt(np.diagonal(v))
        # fewer different clusters than terms
        if np.linalg.eigvalsh(v / np.outer(size, size))[0] < ROUNDING:
            return f"the clusters are alike in a combination of the {k} terms: {NOTHING}"
        # a Hotelling T^2 with nu degrees of freedom is this multiple of an F
        w = float(estimate @ np.linalg.solve(v, estimate))
        f = (nu - k + 1) / (nu * k) * w
        p = float(not_zero(fdtrc(k, nu - k + 1, f)))
        return Joint(statistic=w, f=f, df=k, df_denominator=nu - k + 1, p=p)


def cluster_robust(
    rows: sparse.csr_array,
    residuals: FloatArray,
    factors: Sequence[IntArray],
    bread: FloatArray,
    *,
    noise: float = 1.0,
    least: float | None = None,
) -> Robust:
    """Return the cluster-robust covariance of an estimator.

    Parameters
    ----------
    rows : (n, p) sparse array
        Whitened rows: rows' rows is the information.
    residuals : (n,) array
        rows' residuals is the score; under the model each has variance `noise`.
    factors : one or two (n,) int arrays
        Cluster of each row.
    bread : (p, p) array
        Covariance under the model. It is the (generalised) inverse of the information, or smaller under a penalty.
    noise : float
        1, or sum of squared weights over sum of weights.
    least : float, optional
        Variance that a direction of leverage 1 is lent at least; default `noise`.

    Examples
    --------
    The mean of eight numbers in four clusters:

    >>> x, cluster = np.array([1.0, 3, 2, 6, 4, 5, 7, 4]), np.array([0, 0, 1, 1, 2, 3, 3, 3])
    >>> rows = sparse.csr_array(np.ones((8, 1)))
    >>> errors = cluster_robust(rows, x - x.mean(), [cluster], np.array([[1 / 8]])).errors(np.ones((1, 1)))
    >>> errors.std_error.round(4).tolist(), errors.df.round(4).tolist()
    ([0.8563], [2.6033])
    """
    dense = tuple(np.unique(codes, return_inverse=True)[1].astype(np.int64) for codes in factors)
    information = np.asarray((rows.T @ rows).todense())
    sizes = [np.bincount(codes) for codes in dense]
    ranks = [float(np.minimum(size, len(bread)).sum()) for size in sizes]
    finer = int(np.argmax([*map(len, sizes)]))
    return robust_of_blocks(
        lambda _: [(rows, residuals, dense)],
        information,
        bread,
        ranks,
        finer,
        noise=noise,
        least=least,
        kept=True,
    )


def robust_of_blocks(
    blocks: Blocks,
    information: FloatArray,
    bread: FloatArray,
    ranks: Sequence[float],
    finer: int = 0,
    *,
    noise: float = 1.0,
    least: float | None = None,
    kept: bool = False,
) -> Robust:
    """Return what `cluster_robust` does, from rows that are read in blocks, once or twice for each factor.

    Parameters
    ----------
    blocks : callable
        Number of a factor -> (rows, residuals, codes of all factors). A block holds the whole of each of its clusters
        of that factor.
    information, bread : (p, p) arrays
    ranks : one or two numbers
        For each factor, the sum over its clusters of their rows, of which as many count as there are parameters.
    finer : int
        The factor with more clusters.
    noise : float
    least : float, optional
    kept : bool
        Whether rows of a very large table may be kept. Without them, degrees of freedom of contrasts other than single
        parameters are a lower bound there.
    """

    def one_way(k: int) -> OneWay:
        lent, large = noise if least is None else least, ranks[k] * len(bread) > MOST_NUMBERS
        return OneWay(blocks, k, information, bread, noise, lent, large=large, kept=kept)

    if len(ranks) == 1:
        only = one_way(0)
        return Robust(parts=(only,), n_clusters=(only.clusters,), overlap=None)
    cells = factor_intersections(blocks, finer, len(bread))
    # nested: the intersection is the finer factor, and V1 + V2 - V12 that of the coarser one
    if cells.n_cells == cells.n_clusters:
        coarse = one_way(1 - finer)
        sizes = (coarse.clusters, cells.n_cells)
        return Robust(parts=(coarse,), n_clusters=sizes if finer else sizes[::-1], overlap=None)
    parts = one_way(0), one_way(1)
    n_clusters = parts[0].clusters, parts[1].clusters
    return Robust(parts=parts, n_clusters=n_clusters, overlap=bread @ cells.products @ bread)


class Intersections(NamedTuple):
    """The cells in which clusters of two factors meet.

    Attributes
    ----------
    n_cells : int
        Clusters of the intersection.
    n_clusters : int
        Clusters of one of the factors; as many where it is nested in the other.
    products : (p, p) array
        Products of scores, summed over the clusters of the intersection.
    """

    n_cells: int
    n_clusters: int
    products: FloatArray


def factor_intersections(blocks: Blocks, factor: int, p: int) -> Intersections:
    """Return the intersections of two factors, from blocks of whole clusters of `factor`."""
    n_cells, n_clusters, products = 0, 0, np.zeros((p, p))
    for rows, residuals, factors in blocks(factor):
        cluster, crossed = factors[factor], factors[1 - factor]
        cells, cell_of_row = np.unique(
            cluster * (int(crossed.max(initial=0)) + 1) + crossed, return_inverse=True
        )
        # (cells, p)
        u = cluster_scores(rows, residuals, cell_of_row, len(cells))
        n_cells, n_clusters = n_cells + len(cells), n_clusters + len(np.unique(cluster))
        products = products + np.asarray((u.T @ u).todense())
    return Intersections(n_cells, n_clusters, products)


def sort_by_cluster(rows: sparse.csr_array, residuals: FloatArray, codes: IntArray) -> SortedBlock:
    """Return rows sorted by cluster."""
    if not np.any(np.diff(codes) < 0):
        return rows, residuals, codes
    order = np.argsort(codes, kind="stable")
    return sparse.csr_array(rows[order]), residuals[order], codes[order]


def cluster_scores(
    rows: sparse.csr_array, residuals: FloatArray, codes: IntArray, size: int
) -> sparse.csr_array:
    """Return the score of each cluster, (size, p)."""
    member = sparse.csr_array((residuals, (codes, np.arange(len(codes)))), shape=(size, len(codes)))
    return sparse.csr_array(member @ rows)


def contrast_variances(v: FloatArray | None, contrasts: sparse.csr_array) -> FloatArray:
    """Return c' v c for every row c; 0 where v is None."""
    if v is None:
        return np.zeros(contrasts.shape[0])
    return np.asarray(contrasts.multiply(contrasts @ v).sum(axis=1), dtype=np.float64).reshape(-1)


def difference_variances(v: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
    """Return the variances of the differences between parameters i and j from their covariance."""
    d = np.diagonal(v)
    return np.asarray(d[i] + d[j] - 2 * v[i, j])


def left_of_forms(model: FloatArray, parts: FloatArray, p: int) -> FloatArray:
    """Return the largest variances that rounding can leave of quadratic forms of p parameters.

    Parameters
    ----------
    model : (k,) array
        The model's variances.
    parts : (k,) array
        Sums of the sizes that each form is the sum of.
    p : int
    """
    return np.asarray(OF_MODEL * model + (SPARE + 4 * p) * EPS * parts)


def rounding_of(model: FloatArray, parts: FloatArray, p: int) -> FloatArray:
    """Return the same of a covariance, (k, k), from the model's and from the sizes that its variances are sums of."""
    return np.asarray(OF_MODEL * model + np.diag(left_of_forms(np.zeros(len(parts)), parts, p)))


def normal_errors(
    variance: FloatArray, model: FloatArray, parts: FloatArray, p: int
) -> ContrastErrors:
    """Return errors that rest on the normal limit; parameters as in `left_of_forms`."""
    k = len(variance)
    return ContrastErrors(
        variance=variance,
        df=np.full(k, np.inf),
        unit=np.zeros(k),
        refused=np.zeros(k, dtype=bool),
        rounding=np.sqrt(left_of_forms(model, parts, p)),
    )


def positive(values: FloatArray) -> FloatArray:
    """Return the values, 1 where they are 0: for divisions whose result is not used there."""
    return np.where(values > 0, values, 1.0)


def different_rows(scores: FloatArray) -> int:
    """Return how many rows of scores differ beyond rounding."""
    size = float(np.abs(scores).max(initial=0.0))
    return len(np.unique(np.round(scores / size, 9) + 0.0, axis=0)) if size else 1


class OneWay:
    """One cluster factor: the leverages of its clusters and the adjusted scores.

    Attributes
    ----------
    clusters : int
    covariance : (p, p) array
        B [sum over g of F_g (I - M_g)^-1/2 e_g e_g' (I - M_g)^-1/2 F_g'] B, M_g = F_g' B F_g, and what is borrowed for
        directions of leverage 1.
    largest_leverage : float
    bounded : bool
        Whether degrees of freedom are lower bounds, as the rows of a very large table were not kept.
    phi : float or None
        Dispersion of the clusters: squared residuals over (ranks of the clusters - rank of the information), from which
        directions of leverage 1 borrow. None where that is 0, as when clusters are the edges of a tree.
    """

    def __init__(
        self,
        blocks: Blocks,
        factor: int,
        information: FloatArray,
        bread: FloatArray,
        noise: float,
        least: float,
        *,
        large: bool,
        kept: bool,
    ) -> None:
        self._root, self._noise = inverse_root(information), noise
        seen = information @ self._root
        # from contrasts to coordinates in which the information is I
        self._back = bread @ seen
        difference = np.abs(information @ self._back - seen).max(initial=0.0)
        if difference <= NULL * np.abs(seen).max(initial=0.0):
            # no penalty: they differ in what the information does not see
            self._root = self._back
        self.clusters, self.bounded = 0, large and not kept
        directions = Directions.from_blocks(
            self._counted(blocks, factor), self._root, self._back, large=large, kept=kept
        )
        self._faint, self._rows = directions.faint, directions.rows
        self._vectors, self._starts = directions.vectors, directions.starts
        unit = directions.values > UNIT
        # what cannot be seen enters by `_unseen` alone
        self._values = np.where(unit, 0.0, directions.values)
        self.largest_leverage = directions.largest
        self.phi = directions.squares / directions.spare if directions.spare > 0.5 else None
        self._lent, self._lent_df = max(least, self.phi or 0.0), max(directions.spare, 1.0)
        adjusted = np.where(unit, 0.0, directions.scores / np.sqrt(1 - self._values))
        meat = self._by_cluster(self._vectors * adjusted[:, None])
        self.different = different_rows(meat[:MOST_COMPARED]) + (
            MOST_COMPARED if self._faint else 0
        )
        self._meat = meat.T @ meat + (self._faint.meat if self._faint else 0.0)
        total = meat.sum(axis=0) + (self._faint.total if self._faint else 0.0)
        # for a penalty, whose score clusters share
        self._common = np.outer(total, total) / max(self.clusters, 1)
        self._sizes = np.abs(self._meat) + SHARE / (SPARE * EPS) * np.abs(self._common)
        self._unseen = self._vectors[unit].T @ self._vectors[unit]
        self.covariance = np.asarray(
            self._back @ (self._meat + self._lent * self._unseen) @ self._back.T
        )

    def _counted(self, blocks: Blocks, factor: int) -> Iterator[SortedBlock]:
        for rows, residuals, factors in blocks(factor):
            codes = factors[factor]
            self.clusters += int(np.count_nonzero(np.bincount(codes - codes.min())))
            yield rows, residuals, codes

    def errors(self, contrasts: sparse.csr_array) -> ContrastErrors:
        """Return the standard errors of contrasts; see `Robust.errors`."""
        step = max(1, BLOCK // max(len(self._values), 1))
        blocks = []
        for start in range(0, max(contrasts.shape[0], 1), step):
            # the model's variance of a contrast is d'd
            d = np.asarray(contrasts[start : start + step] @ self._back)
            model, sandwich, unseen = (
                np.einsum("kq,kq->k", d @ m, d)
                for m in (np.eye(d.shape[1]), self._meat, self._unseen)
            )
            total, squares = self._shares(d, contrasts[start : start + step])
            common = np.einsum("kq,kq->k", d @ self._common, d)
            parts = self._form_sizes(d)
            blocks.append(
                self._finish_errors(
                    model, sandwich, unseen, total, squares, common, parts, d.__getitem__
                )
            )
        return ContrastErrors(
            **{
                name: np.concatenate([getattr(b, name) for b in blocks])
                for name in ContrastErrors.__slots__
            }
        )

    def _form_sizes(self, d: FloatArray) -> FloatArray:
        """Return the sizes that the forms d' meat d are sums of, (k,)."""
        return np.asarray(np.einsum("kq,kq->k", np.abs(d) @ self._sizes, np.abs(d)))

    def rounding(self, contrasts: FloatArray) -> FloatArray:
        """Return the largest covariance of contrasts that rounding can leave, (k, k)."""
        d = contrasts @ self._back
        parts = self._form_sizes(d)
        return rounding_of(self._noise * d @ d.T, parts, len(self._meat))

    def differences(self, n: int) -> ContrastErrors:
        """Return the standard errors of the differences i - j, i < j, between the first n parameters."""
        base = self._back[:n]
        i, j = np.triu_indices(n, 1)

        def form(m: FloatArray) -> FloatArray:
            return difference_variances(base @ m @ base.T, i, j)

        # a difference has the share (t_ni - t_nj)^2 values_n in direction n; its sums need t't products only
        t = self._vectors @ base.T
        information = (self._vectors.T * self._values) @ self._vectors
        total, squares = form(information), self._squares(t)[i, j]
        model, sandwich, unseen = form(np.eye(base.shape[1])), form(self._meat), form(self._unseen)
        if self._faint:
            faint, fourth = np.maximum(model - total - unseen, 0), self._faint.fourth[:n] ** 0.25
            # bound of `FaintClusters.fourth`
            minkowski = (fourth[i] + fourth[j]) ** 4
            total = total + faint
            squares = squares + np.minimum(self._faint.largest * model * faint, minkowski)
        # Cauchy-Schwarz: rounding of differences of products can leave less
        least = total**2 / max(len(self._starts), 1) if not self._faint else 0
        squares = np.maximum(squares, least)
        size = np.sqrt(self._form_sizes(base))
        parts = (size[i] + size[j]) ** 2
        return self._finish_errors(
            model,
            sandwich,
            unseen,
            total,
            squares,
            form(self._common),
            parts,
            lambda few: base[i[few]] - base[j[few]],
        )

    def _squares(self, t: FloatArray) -> FloatArray:
        """Return the sum over g of v_g^2 of the difference between two columns of t, for all of them."""
        if len(self._starts) == len(self._values):
            w, t2 = self._values[:, None] ** 2, t**2
            cubic, fourth = (w * t * t2).T @ t, (w * t2 * t2).sum(axis=0)
            return np.asarray(
                fourth[:, None] + fourth + 6 * (w * t2).T @ t2 - 4 * cubic - 4 * cubic.T
            )
        out = np.zeros((t.shape[1], t.shape[1]))
        for a, b in pairwise([*self._starts.tolist(), len(t)]):
            gram = (t[a:b].T * self._values[a:b]) @ t[a:b]
            d = np.diagonal(gram)
            out += (d[:, None] + d - 2 * gram) ** 2
        return out

    def _by_cluster(self, values: FloatArray) -> FloatArray:
        """Sum over the directions of each cluster."""
        return (
            values
            if len(self._starts) == len(values)
            else np.asarray(np.add.reduceat(values, self._starts, axis=0))
        )

    def _shares(self, d: FloatArray, contrasts: Any) -> tuple[FloatArray, FloatArray]:
        """Return the sums over g of v_g and v_g^2, v_g = c' B F_g F_g' B c without directions of leverage 1."""
        v = self._by_cluster(self._values[:, None] * (self._vectors @ d.T) ** 2)
        total, squares = v.sum(axis=0), (v**2).sum(axis=0)
        if self._faint:
            faint = np.einsum("kq,kq->k", d, d) - total - np.einsum("kq,kq->k", d @ self._unseen, d)
            of_faint = self._faint.shares(d, contrasts, np.maximum(faint, 0))
            return total + of_faint[0], squares + of_faint[1]
        return total, squares

    def _finish_errors(
        self,
        model: FloatArray,
        sandwich: FloatArray,
        unseen: FloatArray,
        total: FloatArray,
        squares: FloatArray,
        common: FloatArray,
        parts: FloatArray,
        contrasts: Callable[[IntArray], FloatArray],
    ) -> ContrastErrors:
        """Add to CR2's variances what is borrowed, and find the degrees of freedom.

        Kish's (sum v)^2 / sum v^2 where these are 50 or more, and in very large tables; else Satterthwaite's. `common`
        is what CR2's variances have of the mean score of the clusters, `parts` the sizes that they are sums of.
        """
        unit = unseen / positive(model)
        unit[unit < UNSEEN] = 0
        df = np.maximum(total**2 / positive(squares), 1.0)
        few = np.flatnonzero((df < EXACT_BELOW) & (squares > 0) & (self._faint is None))
        step = max(1, BLOCK // max(len(self._values), 1))
        for part in (few[k : k + step] for k in range(0, len(few), step)):
            df[part] = np.maximum(total[part] ** 2 / self._trace_of_squares(contrasts(part)), 1.0)
        lent = self._lent * unit * model
        variance = sandwich + lent
        # Satterthwaite (1946) of the sum of CR2's variance and of what is borrowed
        mixed = (unit > 0) & (variance > 0)
        df[mixed] = variance[mixed] ** 2 / (
            sandwich[mixed] ** 2 / df[mixed] + lent[mixed] ** 2 / self._lent_df
        )
        refused = (unit > MOSTLY_UNSEEN) | ((unit > 0) & (self.phi is None))
        lost = left_of_forms(self._noise * model, parts, len(self._meat))
        rounding = np.sqrt(np.where(variance - common > lost, lost, np.maximum(variance, lost)))
        return ContrastErrors(
            variance=variance, df=df, unit=unit, refused=refused, rounding=rounding
        )

    def _trace_of_squares(self, d: FloatArray) -> FloatArray:
        """Return tr P^2 with P_gh = w_g' (d_gh I - F_g' B F_h) w_h, w_g = (I - M_g)^-1/2 F_g' B c.

        With q_g = J_g (I - J_g)^-1/2 d and p_g = d' J_g (I - J_g)^-1 d it is P_gh = d_gh p_g - q_g' q_h. The sum of
        (q_g' q_h)^2 is taken over clusters, over parameters (one row per cluster) or over coordinates: the shortest.
        """
        projected = self._vectors @ d.T
        p, q2 = (
            self._by_cluster((self._values**power / (1 - self._values))[:, None] * projected**2)
            for power in (1, 2)
        )
        trace = (p**2 - 2 * p * q2).sum(axis=0)
        weight = self._values**2 / (1 - self._values)
        (n, q), k = self._vectors.shape, len(d)
        by_clusters = n * (q + k) if n == len(self._starts) and n * n <= 4 * BLOCK else np.inf
        by_parameters = 8 * k * q**3 / n if self._rows is not None else np.inf
        if by_clusters <= min(by_parameters, k * q * q):
            weights = weight[:, None] * projected**2
            return np.asarray(
                trace
                + np.einsum("nk,nk->k", weights, (self._vectors @ self._vectors.T) ** 2 @ weights)
            )
        if self._rows is not None and by_parameters < k * q * q:
            weights = (self._values / (1 - self._values))[:, None] * projected**2
            information = self._weighted_information(weights)
            squares = [np.einsum("abk,bak->k", m, m) for m in information]
            return np.asarray(trace + np.concatenate(squares))
        step = max(1, BLOCK // (max(len(self._starts), q) * q))
        for start in range(0, k, step):
            pulls = self._pulls(projected[:, start : start + step])
            turned = pulls.transpose(0, 2, 1)
            gram = pulls @ turned if len(self._starts) < q else turned @ pulls
            trace[start : start + step] += np.einsum("kab,kab->k", gram, gram)
        return np.asarray(trace)

    def _weighted_information(self, weights: FloatArray) -> Iterator[FloatArray]:
        """Yield for blocks of columns of weights of rows B (rows' diag(weights) rows), (p, p, columns)."""
        assert self._rows is not None
        bread = self._root @ self._root.T
        row, first, second = pairs_within_rows(self._rows)
        data, index = self._rows.data, self._rows.indices.astype(np.int64)
        cell = (data[first] * data[second], (index[first] * len(bread) + index[second], row))
        outer = sparse.csr_array(cell, shape=(len(bread) ** 2, self._rows.shape[0]))
        step = max(1, BLOCK // len(bread) ** 2)
        for k in range(0, weights.shape[1], step):
            information = np.asarray(outer @ weights[:, k : k + step])
            yield (bread @ information.reshape(len(bread), -1)).reshape(len(bread), len(bread), -1)

    def _pulls(self, projected: FloatArray) -> FloatArray:
        """Return q_g = J_g (I - J_g)^-1/2 d of every cluster, (contrasts, clusters, q)."""
        along = (self._values / np.sqrt(1 - self._values))[:, None] * projected
        if len(self._values) == len(self._starts):
            return np.asarray(along.T[:, :, None] * self._vectors)
        edges = [*self._starts.tolist(), len(self._values)]
        return np.stack([along[a:b].T @ self._vectors[a:b] for a, b in pairwise(edges)], axis=1)

    def wishart_df(self, contrasts: FloatArray) -> float | None:
        """Return nu of `Robust.joint`; None where a combination of the contrasts is refused."""
        d = contrasts @ self._back
        d, k = d / np.linalg.norm(d, axis=1, keepdims=True), len(d)
        values, vectors = np.linalg.eigh(d @ d.T)
        if values[0] <= NULL * values[-1]:
            return None
        turn = (vectors / np.sqrt(values)).T / np.linalg.norm(contrasts @ self._back, axis=1)
        # (k, q), orthonormal: Omega is then I under the model
        d = turn @ contrasts @ self._back
        limit = MOSTLY_UNSEEN if self.phi is not None else UNSEEN
        if np.linalg.eigvalsh(d @ self._unseen @ d.T)[-1] > limit:
            return None
        if self._faint:
            total, squares = self._shares(d, turn @ contrasts)
            return float((total**2 / squares).min())
        projected = self._vectors @ d.T
        weights = [(self._values**power / (1 - self._values))[:, None] for power in (1, 2)]
        pulls = self._pulls(projected)
        variances = 0.0
        for s, t in product(range(k), repeat=2):
            products = projected[:, [s, t, s]] * projected[:, [s, t, t]]
            (ss, tt, st), (qs, qt, qst) = (self._by_cluster(w * products).T for w in weights)
            x = pulls[s].T @ pulls[t]
            within = np.sum(ss * tt - ss * qt - tt * qs + st * st - 2 * st * qst)
            variances += float(within + np.sum(x * (x + x.T)))
        return k * (k + 1) / variances


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Directions:
    """Eigenvectors of the shares J_g of the clusters, cluster by cluster.

    Attributes
    ----------
    vectors : (n, q) array
    values : (n,) array
        Leverages in (0, 1].
    starts : (clusters,) int64 array
        The first direction of each cluster.
    scores : (n,) array
        The clusters' scores in these directions.
    squares, spare : float
        Sum of squared residuals of the clusters, and what the model expects of it when residuals have variance 1.
    largest : float
        Largest leverage; an upper bound of it where all clusters are faint.
    rows : (n, p) sparse array, or None
        The row of each cluster, where all clusters have one.
    faint : FaintClusters or None
        Clusters of a very large table whose directions were not computed.
    """

    vectors: FloatArray
    values: FloatArray
    starts: IntArray
    scores: FloatArray
    squares: float
    spare: float
    largest: float
    rows: sparse.csr_array | None
    faint: FaintClusters | None

    @classmethod
    def from_blocks(
        cls,
        blocks: Iterator[SortedBlock],
        root: FloatArray,
        back: FloatArray,
        *,
        large: bool,
        kept: bool,
    ) -> Directions:
        """Compute them, for clusters of alike size together."""
        faint = FaintClusters(root, back, kept=kept) if large else None
        sorted_blocks = [
            sort_by_cluster(*block) if faint is None else faint.add(*block) for block in blocks
        ]
        rows, residuals, codes = sorted_blocks[0]
        if len(sorted_blocks) > 1:
            rows = sparse.csr_array(sparse.vstack([block[0] for block in sorted_blocks]))
            residuals = np.concatenate([block[1] for block in sorted_blocks])
            codes = np.concatenate([block[2] for block in sorted_blocks])
        empty = (
            np.zeros((0, root.shape[1])),
            np.zeros(0),
            np.zeros(0),
            np.zeros(0, dtype=np.int64),
        )
        parts = list(cluster_directions(rows, residuals, codes, root)) or [empty]
        vectors, values, scores, owner = (
            np.concatenate([part[j] for part in parts]) for j in range(4)
        )
        if len(parts) > 1:
            order = np.argsort(owner, kind="stable")
            vectors, values, scores, owner = (
                vectors[order],
                values[order],
                scores[order],
                owner[order],
            )
        total = float(values.sum())
        squares, spare = float(np.sum(scores**2 / values)), len(values) - total
        largest = values.max(initial=0.0)
        if faint:
            squares, spare = squares + float(np.trace(faint.meat)), spare + (root.shape[1] - total)
            largest = max(largest, faint.largest)
        single = len(vectors) == rows.shape[0] and np.all(np.diff(codes) > 0)
        return cls(
            vectors=vectors,
            values=np.minimum(values, 1.0),
            scores=scores,
            faint=faint,
            starts=np.flatnonzero(np.diff(owner, prepend=-1)),
            rows=rows if single else None,
            squares=squares,
            spare=spare,
            largest=min(float(largest), 1.0),
        )


def cluster_directions(
    rows: sparse.csr_array, residuals: FloatArray, codes: IntArray, root: FloatArray
) -> Iterator[tuple[FloatArray, FloatArray, FloatArray, IntArray]]:
    """Yield vectors, values, scores and clusters of directions, from rows sorted by cluster.

    Clusters of at most q rows, padded to a power of two, by the eigenvectors of M_g; others by those of J_g.
    """
    first = np.flatnonzero(np.diff(codes, prepend=-1))
    clusters, size = codes[first], np.diff(first, append=len(codes))
    q = root.shape[1]
    padded = np.where(size > q, 0, 2 ** np.ceil(np.log2(np.maximum(size, 1))).astype(np.int64))
    for m in np.unique(padded[padded > 0]).tolist():
        here = np.flatnonzero(padded == m)
        step = max(1, BLOCK // (m * q))
        for some in (here[k : k + step] for k in range(0, len(here), step)):
            place = first[some][:, None] + np.arange(m)
            is_row = np.arange(m) < size[some][:, None]
            place = np.where(is_row, place, first[some][:, None])
            a = (
                np.asarray(rows[place.reshape(-1)] @ root).reshape(len(some), m, q)
                * is_row[:, :, None]
            )
            values, eigenvectors = (
                np.linalg.eigh(a @ a.transpose(0, 2, 1)) if m > 1 else eigh_of_single_rows(a)
            )
            kept = values > NULL * values[:, -1:]
            length = np.sqrt(np.where(kept, values, 1))
            vectors = (eigenvectors.transpose(0, 2, 1) @ a) / length[:, :, None]
            scores = length * np.einsum(
                "gmk,gm->gk", eigenvectors, np.where(is_row, residuals[place], 0)
            )
            owner = np.broadcast_to(clusters[some][:, None], kept.shape)
            yield vectors[kept], values[kept], scores[kept], owner[kept]
    for g in np.flatnonzero(padded == 0).tolist():
        part = slice(first[g], first[g] + size[g])
        rows_of_cluster = rows[part]
        # not large: its rows in these coordinates take less than sparse products
        if len(codes[part]) * q * q <= BLOCK:
            a = np.asarray(rows_of_cluster @ root)
            share, score = a.T @ a, a.T @ residuals[part]
        else:
            share = root.T @ np.asarray((rows_of_cluster.T @ rows_of_cluster).todense()) @ root
            score = root.T @ np.asarray(rows_of_cluster.T @ residuals[part])
        values, eigenvectors = np.linalg.eigh(share)
        kept = values > NULL * values[-1]
        scores = eigenvectors.T @ score
        yield (
            eigenvectors.T[kept],
            values[kept],
            scores[kept],
            np.full(int(kept.sum()), clusters[g]),
        )


def eigh_of_single_rows(a: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the eigenvalues and eigenvectors of a a' for clusters of one row."""
    return np.einsum("gmq,gmq->gm", a, a), np.ones((len(a), 1, 1))


class FaintClusters:
    """Clusters of a very large table that hold at most half of any direction, without eigenvectors.

    (I - J)^-1/2 is the series 1 + J/2 + 3 J^2/8 + ..., which needs products with rows only. No leverage of a cluster is
    above their sum tr J, or above the root of tr J^2.

    Attributes
    ----------
    meat : (q, q) array
        Sum of products of the adjusted scores, whose trace the model expects to be the sum of all leverages.
    total : (q,) array
        Sum of the adjusted scores.
    largest : float
        Largest bound of a cluster's leverage.
    """

    def __init__(self, root: FloatArray, back: FloatArray, *, kept: bool) -> None:
        self._root, self._bread = root, root @ root.T
        self._kept: list[tuple[sparse.csr_array, BoolArray]] | None = [] if kept else None
        p = len(self._bread)
        # rows of unit are e' B
        self._unit, self._model = (
            back @ root.T,
            np.einsum("iq,iq->i", back, back),
        )
        self._plain = back is root
        self._meat, self._light, self._fourth, self.largest = (
            np.zeros((p, p)),
            np.zeros((p, p)),
            np.zeros(p),
            0.0,
        )
        self._total = np.zeros(p)

    @property
    def meat(self) -> FloatArray:
        """Return the sum in coordinates in which the information is I."""
        return np.asarray(self._root.T @ self._meat @ self._root)

    @property
    def total(self) -> FloatArray:
        """Return the sum in the same coordinates."""
        return np.asarray(self._total @ self._root)

    @cached_property
    def fourth(self) -> FloatArray:
        """Return the sum over g of v_g^2 of each parameter, v_g = e' B F_g F_g' B e, (p,), once all are added.

        Where the bound of a leverage is at most `LIGHT`, v_g^2 is replaced by that times v_g and the model's variance.
        The sum for a contrast c is at most the fourth power of the sum of abs(c_i) fourth_i^1/4 (Minkowski's
        inequality).
        """
        fourth: FloatArray = self._fourth + self._model * np.einsum(
            "ij,ij->i", self._unit @ self._light, self._unit
        )
        return fourth

    def add(
        self, rows: sparse.csr_array, residuals: FloatArray, codes: IntArray
    ) -> tuple[sparse.csr_array, FloatArray, IntArray]:
        """Add the faint clusters of a block; return the rows of the others, sorted by cluster."""
        p = len(self._bread)
        size = np.bincount(codes - codes.min())
        if (
            self._kept is None
            and len(size) * p * p <= BLOCK
            and np.all(size[size > 0] * MANY > p * p)
        ):
            members, inner = np.unique(codes, return_inverse=True)
            loud, bound = self._add_dense(rows, residuals, inner, len(members))
            self.largest = max(self.largest, float(bound[~loud].max(initial=0.0)))
            left = loud[inner]
            return sort_by_cluster(sparse.csr_array(rows[left]), residuals[left], codes[left])
        rows, residuals, codes = sort_by_cluster(rows, residuals, codes)
        first = np.flatnonzero(np.diff(codes, prepend=-1))
        size = np.diff(first, append=len(codes))
        column, value = padded_entries(rows)
        leverage = np.einsum(
            "ra,rab,rb->r", value, self._bread[column[:, :, None], column[:, None, :]], value
        )
        bound = np.add.reduceat(leverage, first) if len(first) else np.zeros(0)
        # whose squares may have a smaller sum
        dense = bound > FAINT
        loud = np.zeros(len(first), dtype=bool)
        for some in np.array_split(
            np.flatnonzero(dense), -(-int(dense.sum()) * p * p // BLOCK) or 1
        ):
            at = np.repeat(some, size[some])
            part = np.concatenate(
                [np.arange(first[g], first[g] + size[g]) for g in some.tolist()] or [first[:0]]
            )
            loud[some], bound[some] = self._add_dense(
                rows[part], residuals[part], np.searchsorted(some, at), len(some)
            )
        light = ~dense & (bound <= LIGHT)
        scale = sparse.diags_array(np.repeat(np.where(light, bound, 0.0), size))
        self._light += np.asarray((rows.T @ scale @ rows).todense())
        many = max(1, BLOCK // (4 * p))
        for members in (
            np.flatnonzero(~dense & (size <= TINY)),
            np.flatnonzero(~dense & (size > TINY)),
        ):
            for some in (members[k : k + many] for k in range(0, len(members), many)):
                part = np.flatnonzero(
                    np.repeat(np.isin(np.arange(len(first)), some, assume_unique=True), size)
                )
                inner = np.repeat(np.arange(len(some)), size[some])
                self._add_small(rows[part], residuals[part], inner, size[some], light[some])
        self.largest = max(self.largest, float(bound[~loud].max(initial=0.0)))
        left = np.repeat(loud, size)
        if self._kept is not None:
            self._kept.append(
                (sparse.csr_array(rows[~left]), np.diff(codes[~left], prepend=-1) > 0)
            )
        return sparse.csr_array(rows[left]), residuals[left], codes[left]

    def _add_small(
        self,
        rows: sparse.csr_array,
        residuals: FloatArray,
        codes: IntArray,
        size: IntArray,
        light: BoolArray,
    ) -> None:
        """Add clusters by their rows."""
        if size.max() <= TINY:
            adjusted: Any = cluster_scores(
                rows, adjusted_residuals(rows, residuals, size, self._bread), codes, len(size)
            )
            self._meat += (adjusted.T @ adjusted).toarray()
            self._total += np.asarray(adjusted.sum(axis=0)).ravel()
        else:
            y = adjusted_scores(rows, residuals, codes, self._bread)
            self._meat += y.T @ y
            self._total += y.sum(axis=0)
        if light.all():
            return
        if light.any():
            heavy = ~light[codes]
            rows, codes = sparse.csr_array(rows[heavy]), codes[heavy]
        v = np.zeros((len(size), len(self._bread)))
        # degrees of freedom to seven digits
        single, unit = (
            rows.astype(np.float32),
            self._unit.T.astype(np.float32),
        )
        for k in range(0, rows.shape[0], SLAB):
            owner = codes[k : k + SLAB]
            squares = (single[k : k + SLAB] @ unit) ** 2
            ends = np.searchsorted(owner, np.arange(owner[0], owner[-1] + 2))
            member = sparse.csr_array(
                (np.ones(len(owner), np.float32), np.arange(len(owner)), ends)
            )
            v[owner[0] : owner[-1] + 1] += member @ squares
        self._fourth += (v**2).sum(axis=0)

    def _add_dense(
        self, rows: sparse.csr_array, residuals: FloatArray, codes: IntArray, n: int
    ) -> tuple[BoolArray, FloatArray]:
        """Add clusters by their information; return which are not faint, and the bound of each one's leverage.

        The information of a cluster with few rows for its parameters is mostly 0. Its product with B then takes a
        fraction of the time of the cube of all parameters.
        """
        p = len(self._bread)
        column = np.repeat(codes, np.diff(rows.indptr)) * p + rows.indices
        by_cluster: Any = sparse.csr_array(
            (rows.data, column, rows.indptr), shape=(rows.shape[0], n * p)
        )
        information: Any = (rows.T @ by_cluster).T
        if information.nnz * SPARSE > n * p * p:
            information = information.toarray()
        score = np.asarray(by_cluster.T @ residuals).reshape(n, p)
        product = np.asarray(information @ self._bread).reshape(n, p, p)
        bound = np.einsum("gii->g", product).copy()
        for g in np.flatnonzero(bound > FAINT).tolist():
            bound[g] = np.sqrt(np.sum(product[g] * product[g].T))
        loud = bound > FAINT
        faint = ~loud
        if self._plain:
            v = np.einsum("gij,ij->gj", product, self._bread)
        else:
            v = np.einsum(
                "gij,ji->gj", np.asarray(information @ self._unit.T).reshape(n, p, p), self._unit
            )
        if loud.any():
            product, score, v = product[faint], score[faint], v[faint]
        y = inverse_root_series(score, lambda term: np.matmul(product, term[:, :, None])[:, :, 0])
        self._meat += y.T @ y
        self._total += y.sum(axis=0)
        self._fourth += (v**2).sum(axis=0)
        return loud, bound

    def shares(
        self, d: FloatArray, contrasts: Any, total: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the sum of v_g over these clusters, and that of v_g^2 or an upper bound of it, for every contrast.

        Parameters
        ----------
        d : (k, q) array
            The contrasts in coordinates in which the information is I.
        contrasts : (k, p) array or sparse array
        total : (k,) array
            Sum of v_g.
        """
        if self._kept is None:
            bound = (
                np.asarray(abs(sparse.csr_array(contrasts)) @ self.fourth**0.25).reshape(-1) ** 4
            )
            return total, np.minimum(bound, self.largest * np.einsum("kq,kq->k", d, d) * total)
        out = np.zeros((2, len(d)))
        for rows, new in self._kept:
            starts = np.flatnonzero(new)
            step = max(1, 4 * BLOCK // max(rows.shape[0], 1))
            for k in range(0, len(d) if len(starts) else 0, step):
                v = np.add.reduceat(
                    np.asarray(rows @ (self._root @ d[k : k + step].T)) ** 2, starts, axis=0
                )
                out[:, k : k + step] += v.sum(axis=0), (v**2).sum(axis=0)
        return out[0], out[1]


def pairs_within_rows(rows: sparse.csr_array) -> tuple[IntArray, IntArray, IntArray]:
    """Return the row of each ordered pair of numbers in one row, and the places of both numbers."""
    size = np.diff(rows.indptr)
    row, place = np.repeat(np.arange(len(size)), size**2), np.arange(int((size**2).sum()))
    within = place - np.repeat(np.cumsum(size**2) - size**2, size**2)
    first, second = (
        np.asarray(rows.indptr[row] + part, dtype=np.int64) for part in np.divmod(within, size[row])
    )
    return row, first, second


def inverse_root_series(
    score: FloatArray, pulled: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """Return the sum over k of (2k choose k) / 4^k (I_g B)^k u_g for each cluster, until a term adds nothing."""
    term = out = score
    power = 0
    while np.abs(term).max(initial=0.0) > NULL * np.abs(out).max(initial=0.0):
        power += 1
        term = pulled(term) * (2 * power - 1) / (2 * power)
        out = out + term
    return out


def padded_entries(rows: sparse.csr_array) -> tuple[IntArray, FloatArray]:
    """Return the columns and the values of every row, (n, most of a row) arrays filled with column 0 and value 0."""
    size = np.diff(rows.indptr)
    place = rows.indptr[:-1, None] + np.arange(int(size.max(initial=0)))
    real = np.arange(place.shape[1]) < size[:, None]
    place = np.where(real, place, 0)
    return np.where(real, rows.indices[place], 0), np.where(real, rows.data[place], 0.0)


def adjusted_residuals(
    rows: sparse.csr_array, residuals: FloatArray, size: IntArray, bread: FloatArray
) -> FloatArray:
    """Return (I - M_g)^-1/2 e_g of clusters of few rows each, M_g = F_g' B F_g, by the same series.

    F_g of it is the adjusted score, since (I - J_g)^-1/2 F_g = F_g (I - M_g)^-1/2 in coordinates of the information.
    """
    out = np.zeros(len(residuals))
    first = np.cumsum(size) - size
    column, value = padded_entries(rows)
    width = column.shape[1]
    for m in np.unique(size).tolist():
        here = first[size == m]
        # stays in a processor's cache
        step = max(1, BLOCK // (16 * (m * width) ** 2))
        for some in (here[k : k + step] for k in range(0, len(here), step)):
            place = some[:, None] + np.arange(m)
            x, at = value[place], column[place]
            between_rows = bread[at[:, :, :, None, None], at[:, None, None, :, :]]
            gram = np.einsum("gra,grasb,gsb->grs", x, between_rows, x, optimize=True)
            out[place] = inverse_root_series(
                residuals[place], partial(np.einsum, "grs,gs->gr", gram)
            )
    return out


def adjusted_scores(
    rows: sparse.csr_array, residuals: FloatArray, codes: IntArray, bread: FloatArray
) -> FloatArray:
    """Return the `inverse_root_series` of clusters from their rows."""
    size = int(codes.max()) + 1
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    cell = codes[row] * len(bread) + rows.indices

    def sums(e: FloatArray) -> FloatArray:
        return np.asarray(
            np.bincount(cell, rows.data * e[row], size * len(bread)).reshape(size, len(bread))
        )

    def pulled(term: FloatArray) -> FloatArray:
        along = (term @ bread).reshape(-1)
        return sums(np.asarray(np.bincount(row, rows.data * along[cell], rows.shape[0])))

    return inverse_root_series(sums(residuals), pulled)


def inverse_root(information: FloatArray) -> FloatArray:
    """Return R with R R' the generalised inverse of the information and R' information R = I, shape (p, rank)."""
    scale = np.sqrt(np.diagonal(information))
    scale = np.where(scale > 0, scale, 1.0)
    values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
    kept = values > NULL * values[-1]
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]) / scale[:, None])


def repair_covariance(v: FloatArray, least: FloatArray) -> tuple[FloatArray, bool]:
    """Make V1 + V2 - V12 positive semi-definite, with variances of at least the larger of V1 and V2.

    Plain flooring of eigenvalues inflates every variance and depends on the parametrisation. Here the correlation
    matrix is floored and scaled back (Rebonato & Jaeckel 1999).

    Parameters
    ----------
    v : (p, p) array
    least : (p,) array
        The larger one-way variances.
    """
    v = (v + v.T) / 2
    wanted = np.maximum(np.diagonal(v), least)
    # a reference item
    fixed = wanted <= ROUNDING * wanted.max(initial=0.0)
    values = np.linalg.eigvalsh(v)
    floored = bool(
        values[0] < -ROUNDING * values[-1]
        or np.any(np.diagonal(v)[~fixed] <= ROUNDING * wanted[~fixed])
    )
    if floored:
        scale = np.sqrt(np.where(fixed, 1.0, wanted))
        corr = np.where(fixed[:, None] | fixed, 0.0, v / np.outer(scale, scale))
        np.fill_diagonal(corr, 1.0)
        values, vectors = np.linalg.eigh(corr)
        v = (vectors * np.maximum(values, 0)) @ vectors.T
    ratio = np.where(fixed, 0.0, np.sqrt(wanted / np.where(fixed, 1.0, np.diagonal(v))))
    return v * np.outer(ratio, ratio), floored

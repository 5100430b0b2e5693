"""Cluster-robust standard errors, degrees of freedom and tests of estimators that have scores.

An estimator is given as a whitened linear regression. It has rows f whose sum of f f' is its information, residuals e
whose sum of f e is its score, and its bread B = R R'. With F_g' the rows of cluster g, J_g = R' F_g F_g' R is the share
of the information that it holds, and the eigenvalues of J_g (those of M_g = F_g' B F_g) are its leverages. The
equations are those of Bell & McCaffrey (2002) and Pustejovsky & Tipton (2018, doi:10.1080/07350015.2016.1247004).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import fdtrc

from socialstats.arrays import FloatArray, IntArray
from socialstats.inference.cluster_blocks import (
    Blocks,
    factor_intersections,
)
from socialstats.inference.intervals import cochran_df, not_zero
from socialstats.inference.one_way import ContrastErrors, OneWay, difference_variances
from socialstats.rounding import NOTHING, full_rank

# variances below this share of the others are 0
ROUNDING = 1e-10
# numbers that the eigenvectors of all clusters may take before the table is very large
MOST_NUMBERS = 20_000_000


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


def contrast_variances(v: FloatArray | None, contrasts: sparse.csr_array) -> FloatArray:
    """Return c' v c for every row c; 0 where v is None."""
    if v is None:
        return np.zeros(contrasts.shape[0])
    return np.asarray(contrasts.multiply(contrasts @ v).sum(axis=1), dtype=np.float64).reshape(-1)


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

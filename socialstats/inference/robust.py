"""Cluster-robust standard errors, degrees of freedom and tests of estimators that have scores.

An estimator is given as a whitened linear regression. It has rows f whose sum of f f' is its information, residuals e
whose sum of f e is its score, and its bread B = R R'. With F_g' the rows of cluster g, J_g = R' F_g F_g' R is the share
of the information that it holds, and the eigenvalues of J_g (those of M_g = F_g' B F_g) are its leverages. The
equations are those of Bell & McCaffrey (2002) and Pustejovsky & Tipton (2018, doi:10.1080/07350015.2016.1247004).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import fdtrc

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.inference.intervals import cochran_df, not_zero

UNIT = 1 - 1e-6  # a leverage above this is 1: the residual there is 0 whatever happened
MOSTLY_UNSEEN = 0.5  # share of a contrast's information in directions of leverage 1 beyond which it has no error
UNSEEN = 1e-9  # smaller shares are rounding
ROUNDING = 1e-10  # variances below this share of the others are 0
EXACT_BELOW = 50.0  # Kish's degrees of freedom from which the exact ones, which take longer, are not computed
NULL = 1e-12  # eigenvalues of standardised information below this are 0
FAINT = 0.1  # largest share of all leverage of clusters whose eigenvalues are not computed in very large tables
MOST_NUMBERS = 20_000_000  # numbers that the eigenvectors of all clusters may take before the table is very large
BLOCK = 4_000_000  # numbers in one block of work


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Errors:
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
    """

    variance: FloatArray
    df: FloatArray
    unit: FloatArray
    refused: BoolArray

    @property
    def std_error(self) -> FloatArray:
        """Return the standard errors; NaN for refused contrasts."""
        return np.where(self.refused, np.nan, np.sqrt(np.maximum(self.variance, 0)))


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

    def errors(self, contrasts: Any) -> Errors:
        """Return the standard errors of contrasts of the parameters.

        One factor: c' V c with CR2's V and Satterthwaite's degrees of freedom. Two: the largest of V1, V2 and
        V1 + V2 - V12 (Cameron, Gelbach & Miller 2011, doi:10.1198/jbes.2010.07136; MacKinnon, Nielsen & Webb,
        arXiv:2406.08880), and Cochran's (1964) degrees of freedom of V1 and V2.

        Parameters
        ----------
        contrasts : (k, p) array or sparse array
        """
        c = sparse.csr_array(contrasts)
        return self._joined([part.errors(c) for part in self.parts], quadratic(self.overlap, c))

    def differences(self, n: int) -> Errors:
        """Return what `errors` does for the differences i - j, i < j, between the first n parameters, but faster."""
        overlap = np.zeros(1) if self.overlap is None else between(self.overlap, *np.triu_indices(n, 1))
        return self._joined([part.differences(n) for part in self.parts], overlap)

    def _joined(self, found: Sequence[Errors], overlap: FloatArray) -> Errors:
        if len(found) == 1:
            return found[0]
        variances, dfs = np.array([e.variance for e in found]), np.array([e.df for e in found])
        df = [cochran_df(v, d) if v.max() > 0 else d.min() for v, d in zip(variances.T, dfs.T, strict=True)]
        return Errors(
            variance=np.maximum(variances.max(axis=0), variances.sum(axis=0) - overlap), df=np.array(df),
            unit=np.max([e.unit for e in found], axis=0), refused=np.any([e.refused for e in found], axis=0),
        )  # fmt: skip

    def covariance(self, transform: FloatArray | None = None) -> tuple[FloatArray, bool]:
        """Return the covariance of (transformed) parameters, and whether its correlations had to be adjusted.

        With two factors V1 + V2 - V12 is made positive without touching the variances, which are those of `errors`.
        """
        a = np.eye(len(self.parts[0].covariance)) if transform is None else transform
        whole = [np.asarray(a @ part.covariance @ a.T) for part in self.parts]
        if self.overlap is None:
            return whole[0], False
        return repaired(sum(whole) - a @ self.overlap @ a.T, np.max([np.diagonal(v) for v in whole], axis=0))

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
        if nu <= k - 1 or np.linalg.matrix_rank(v, hermitian=True) < k:
            return f"too few clusters for {k} terms"
        w = float(estimate @ np.linalg.solve(v, estimate))
        f = (nu - k + 1) / (nu * k) * w
        p = float(not_zero(fdtrc(k, nu - k + 1, f)))
        return Joint(statistic=w, f=f, df=k, df_denominator=nu - k + 1, p=p)


def cluster_robust(
    rows: sparse.csr_array, residuals: FloatArray, factors: Sequence[IntArray], bread: FloatArray, *, noise: float = 1.0
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

    Examples
    --------
    The mean of eight numbers in four clusters:

    >>> x, cluster = np.array([1.0, 3, 2, 6, 4, 5, 7, 4]), np.array([0, 0, 1, 1, 2, 3, 3, 3])
    >>> rows = sparse.csr_array(np.ones((8, 1)))
    >>> found = cluster_robust(rows, x - x.mean(), [cluster], np.array([[1 / 8]])).errors(np.ones((1, 1)))
    >>> found.std_error.round(4).tolist(), found.df.round(4).tolist()
    ([0.8563], [2.6033])
    """
    dense = [np.unique(codes, return_inverse=True)[1].astype(np.int64) for codes in factors]
    sizes = tuple(int(codes.max()) + 1 for codes in dense)
    used, overlap = dense, None
    if len(dense) == 2:
        both = np.unique(dense[0] * sizes[1] + dense[1], return_inverse=True)[1].astype(np.int64)
        n = int(both.max()) + 1
        if n == max(sizes):  # nested: the intersection is the finer factor, and V1 + V2 - V12 that of the coarser
            used = [dense[int(np.argmin(sizes))]]
        else:
            u = sums_of(rows, residuals, both, n)
            overlap = np.asarray(bread @ np.asarray((u.T @ u).todense()) @ bread)
    parts = tuple(OneWay(rows, residuals, codes, bread, noise) for codes in used)
    return Robust(parts=parts, n_clusters=sizes, overlap=overlap)


def sums_of(rows: sparse.csr_array, residuals: FloatArray, codes: IntArray, size: int) -> sparse.csr_array:
    """Return the score of each cluster, (size, p)."""
    member = sparse.csr_array((residuals, (codes, np.arange(len(codes)))), shape=(size, len(codes)))
    return sparse.csr_array(member @ rows)


def quadratic(v: FloatArray | None, contrasts: sparse.csr_array) -> FloatArray:
    """Return c' v c for every row c; 0 where v is None."""
    if v is None:
        return np.zeros(contrasts.shape[0])
    return np.asarray(contrasts.multiply(contrasts @ v).sum(axis=1), dtype=np.float64).reshape(-1)


def between(v: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
    """Return the variances of the differences between parameters i and j from their covariance."""
    d = np.diagonal(v)
    return np.asarray(d[i] + d[j] - 2 * v[i, j])


def positive(values: FloatArray) -> FloatArray:
    """Return the values, 1 where they are 0: for divisions whose result is not used there."""
    return np.where(values > 0, values, 1.0)


class OneWay:
    """One cluster factor: the leverages of its clusters and the adjusted scores.

    Attributes
    ----------
    covariance : (p, p) array
        B [sum over g of F_g (I - M_g)^-1/2 e_g e_g' (I - M_g)^-1/2 F_g'] B, M_g = F_g' B F_g, and what is borrowed for
        directions of leverage 1.
    largest_leverage : float
    phi : float or None
        Dispersion of the clusters: squared residuals over (ranks of the clusters - rank of the information), from which
        directions of leverage 1 borrow. None where that is 0, as when clusters are the edges of a tree.
    """

    def __init__(
        self, rows: sparse.csr_array, residuals: FloatArray, codes: IntArray, bread: FloatArray, noise: float
    ) -> None:
        information = np.asarray((rows.T @ rows).todense())
        self._root = inverse_root(information)
        self._back = bread @ (information @ self._root)  # from contrasts to coordinates in which the information is I
        found = Directions.of(rows, residuals, codes, self._root)
        self._faint, self._rows = found.faint, found.rows
        self._vectors, self._starts = found.vectors, found.starts
        unit = found.values > UNIT
        self._values = np.where(unit, 0.0, found.values)  # what cannot be seen enters by `_unseen` alone
        self.largest_leverage = found.largest
        self.phi = found.squares / found.spare if found.spare > 0.5 else None
        self._lent, self._lent_df = max(noise, self.phi or 0.0), max(found.spare, 1.0)
        adjusted = np.where(unit, 0.0, found.scores / np.sqrt(1 - self._values))
        meat = self._by_cluster(self._vectors * adjusted[:, None])
        self._meat = meat.T @ meat + (self._faint.meat if self._faint else 0.0)
        self._unseen = self._vectors[unit].T @ self._vectors[unit]
        self.covariance = np.asarray(self._back @ (self._meat + self._lent * self._unseen) @ self._back.T)

    def errors(self, contrasts: sparse.csr_array) -> Errors:
        """Return the standard errors of contrasts; see `Robust.errors`."""
        step = max(1, BLOCK // max(len(self._values), 1))
        found = []
        for start in range(0, max(contrasts.shape[0], 1), step):
            d = np.asarray(contrasts[start : start + step] @ self._back)  # the model's variance of a contrast is d'd
            total, squares = self._shares(d)
            whole, own, unseen = (
                np.einsum("kq,kq->k", d @ m, d) for m in (np.eye(d.shape[1]), self._meat, self._unseen)
            )
            found.append(self._finished(whole, own, unseen, total, squares, d.__getitem__))
        return Errors(**{name: np.concatenate([getattr(b, name) for b in found]) for name in Errors.__slots__})

    def differences(self, n: int) -> Errors:
        """Return the standard errors of the differences i - j, i < j, between the first n parameters."""
        base = self._back[:n]
        i, j = np.triu_indices(n, 1)

        def form(m: FloatArray) -> FloatArray:
            return between(base @ m @ base.T, i, j)

        t = self._vectors @ base.T
        known = (self._vectors.T * self._values) @ self._vectors
        total, squares = form(known), self._squares(t)[i, j]
        whole, own, unseen = form(np.eye(base.shape[1])), form(self._meat), form(self._unseen)
        if self._faint:  # v_g is at most (largest leverage) d'd, so that df are those of the worst case
            faint = np.maximum(whole - total - unseen, 0)
            total, squares = total + faint, squares + self._faint.largest * whole * faint
        squares = np.maximum(squares, total**2 / max(len(self._starts), 1) if not self._faint else 0)  # rounding
        return self._finished(whole, own, unseen, total, squares, lambda few: base[i[few]] - base[j[few]])

    def _squares(self, t: FloatArray) -> FloatArray:
        """Return the sum over g of v_g^2 of the difference between two columns of t, for all of them."""
        if len(self._starts) == len(self._values):
            w, t2 = self._values[:, None] ** 2, t**2
            cubic, fourth = (w * t * t2).T @ t, (w * t2 * t2).sum(axis=0)
            return np.asarray(fourth[:, None] + fourth + 6 * (w * t2).T @ t2 - 4 * cubic - 4 * cubic.T)
        out = np.zeros((t.shape[1], t.shape[1]))
        for a, b in pairwise([*self._starts.tolist(), len(t)]):
            gram = (t[a:b].T * self._values[a:b]) @ t[a:b]
            d = np.diagonal(gram)
            out += (d[:, None] + d - 2 * gram) ** 2
        return out

    def _by_cluster(self, values: FloatArray) -> FloatArray:
        """Sum over the directions of each cluster."""
        return values if len(self._starts) == len(values) else np.asarray(np.add.reduceat(values, self._starts, axis=0))

    def _shares(self, d: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the sums over g of v_g and v_g^2, v_g = c' B F_g F_g' B c without directions of leverage 1."""
        v = self._by_cluster(self._values[:, None] * (self._vectors @ d.T) ** 2)
        total, squares = v.sum(axis=0), (v**2).sum(axis=0)
        if self._faint:
            more = self._faint.shares(d)
            return total + more[0], squares + more[1]
        return total, squares

    def _finished(
        self, whole: FloatArray, own: FloatArray, unseen: FloatArray, total: FloatArray, squares: FloatArray,
        contrasts: Callable[[IntArray], FloatArray],
    ) -> Errors:  # fmt: skip
        """Add to CR2's variances what is borrowed, and find the degrees of freedom.

        Kish's (sum v)^2 / sum v^2 where these are 50 or more, and in very large tables; else Satterthwaite's.
        """
        unit = unseen / positive(whole)
        unit[unit < UNSEEN] = 0
        df = np.maximum(total**2 / positive(squares), 1.0)
        few = np.flatnonzero((df < EXACT_BELOW) & (squares > 0) & (self._faint is None))
        step = max(1, BLOCK // max(len(self._values), 1))
        for part in (few[k : k + step] for k in range(0, len(few), step)):
            df[part] = np.maximum(total[part] ** 2 / self._trace_of_squares(contrasts(part)), 1.0)
        lent = self._lent * unit * whole
        variance = own + lent
        mixed = (unit > 0) & (variance > 0)
        df[mixed] = variance[mixed] ** 2 / (own[mixed] ** 2 / df[mixed] + lent[mixed] ** 2 / self._lent_df)
        refused = (unit > MOSTLY_UNSEEN) | ((unit > 0) & (self.phi is None))
        return Errors(variance=variance, df=df, unit=unit, refused=refused)

    def _trace_of_squares(self, d: FloatArray) -> FloatArray:
        """Return tr P^2 with P_gh = w_g' (d_gh I - F_g' B F_h) w_h, w_g = (I - M_g)^-1/2 F_g' B c.

        With q_g = J_g (I - J_g)^-1/2 d and p_g = d' J_g (I - J_g)^-1 d it is P_gh = d_gh p_g - q_g' q_h. The sum of
        (q_g' q_h)^2 is taken over clusters, over parameters (one row per cluster) or over coordinates: the shortest.
        """
        projected = self._vectors @ d.T
        p, q2 = (
            self._by_cluster((self._values**power / (1 - self._values))[:, None] * projected**2) for power in (1, 2)
        )
        own = (p**2 - 2 * p * q2).sum(axis=0)
        weight = self._values**2 / (1 - self._values)
        (n, q), k = self._vectors.shape, len(d)
        by_clusters = n * (q + k) if n == len(self._starts) and n * n <= 4 * BLOCK else np.inf
        by_parameters = 8 * k * q**3 / n if self._rows is not None else np.inf
        if by_clusters <= min(by_parameters, k * q * q):
            weights = weight[:, None] * projected**2
            return np.asarray(own + np.einsum("nk,nk->k", weights, (self._vectors @ self._vectors.T) ** 2 @ weights))
        if self._rows is not None and by_parameters < k * q * q:
            weights = (self._values / (1 - self._values))[:, None] * projected**2
            return np.asarray(own + np.concatenate([
                np.einsum("abk,bak->k", m, m) for m in self._weighted_information(weights)
            ]))  # fmt: skip
        step = max(1, BLOCK // (max(len(self._starts), q) * q))
        for start in range(0, k, step):
            pulls = self._pulls(projected[:, start : start + step])
            turned = pulls.transpose(0, 2, 1)
            gram = pulls @ turned if len(self._starts) < q else turned @ pulls
            own[start : start + step] += np.einsum("kab,kab->k", gram, gram)
        return np.asarray(own)

    def _weighted_information(self, weights: FloatArray) -> Iterator[FloatArray]:
        """Yield for blocks of columns of weights of rows B (rows' diag(weights) rows), (p, p, columns)."""
        assert self._rows is not None
        bread = self._root @ self._root.T
        size = np.diff(self._rows.indptr)
        row, place = np.repeat(np.arange(len(size)), size**2), np.arange(int((size**2).sum()))
        within = place - np.repeat(np.cumsum(size**2) - size**2, size**2)
        first, second = (self._rows.indptr[row] + part for part in np.divmod(within, size[row]))
        data, index = self._rows.data, self._rows.indices.astype(np.int64)
        cell = (data[first] * data[second], (index[first] * len(bread) + index[second], row))
        outer = sparse.csr_array(cell, shape=(len(bread) ** 2, len(size)))
        step = max(1, BLOCK // len(bread) ** 2)
        for k in range(0, weights.shape[1], step):
            found = np.asarray(outer @ weights[:, k : k + step])
            yield (bread @ found.reshape(len(bread), -1)).reshape(len(bread), len(bread), -1)

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
        d = (vectors / np.sqrt(values)).T @ d
        if np.linalg.eigvalsh(d @ self._unseen @ d.T)[-1] > (MOSTLY_UNSEEN if self.phi is not None else UNSEEN):
            return None
        if self._faint:
            total, squares = self._shares(d)
            return float((total**2 / squares).min())
        projected = self._vectors @ d.T
        weights = [(self._values**power / (1 - self._values))[:, None] for power in (1, 2)]
        pulls = self._pulls(projected)
        variances = 0.0
        for s, t in product(range(k), repeat=2):
            products = projected[:, [s, t, s]] * projected[:, [s, t, t]]
            (ss, tt, st), (qs, qt, qst) = (self._by_cluster(w * products).T for w in weights)
            x = pulls[s].T @ pulls[t]
            variances += float(np.sum(ss * tt - ss * qt - tt * qs + st * st - 2 * st * qst) + np.sum(x * (x + x.T)))
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
    def of(cls, rows: sparse.csr_array, residuals: FloatArray, codes: IntArray, root: FloatArray) -> Directions:
        """Compute them, for clusters of alike size together."""
        if np.any(np.diff(codes) < 0):
            order = np.argsort(codes, kind="stable")
            rows, residuals, codes = sparse.csr_array(rows[order]), residuals[order], codes[order]
        faint = None
        if float(np.minimum(np.bincount(codes), root.shape[1]).sum()) * root.shape[1] > MOST_NUMBERS:
            faint = FaintClusters.of(rows, residuals, codes, root)
            loud = ~faint.member[codes]
            rows, residuals, codes = sparse.csr_array(rows[loud]), residuals[loud], codes[loud]
        empty = (np.zeros((0, root.shape[1])), np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64))
        found = list(decomposed(rows, residuals, codes, root)) or [empty]
        vectors, values, scores, owner = (np.concatenate([part[j] for part in found]) for j in range(4))
        if len(found) > 1:
            back = np.argsort(owner, kind="stable")
            vectors, values, scores, owner = vectors[back], values[back], scores[back], owner[back]
        return cls(
            vectors=vectors, values=np.minimum(values, 1.0), scores=scores, faint=faint,
            starts=np.flatnonzero(np.diff(owner, prepend=-1)),
            rows=rows if len(vectors) == rows.shape[0] and np.all(np.diff(codes) > 0) else None,
            squares=float(np.sum(scores**2 / values)) + (float(np.trace(faint.meat)) if faint else 0.0),
            spare=len(values) - float(values.sum()) + (root.shape[1] - float(values.sum()) if faint else 0.0),
            largest=min(float(max(values.max(initial=0.0), faint.largest if faint else 0.0)), 1.0),
        )  # fmt: skip


def decomposed(
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
            real = np.arange(m) < size[some][:, None]
            place = np.where(real, place, first[some][:, None])
            a = np.asarray(rows[place.reshape(-1)] @ root).reshape(len(some), m, q) * real[:, :, None]
            values, turn = np.linalg.eigh(a @ a.transpose(0, 2, 1)) if m > 1 else one_row(a)
            kept = values > NULL * values[:, -1:]
            length = np.sqrt(np.where(kept, values, 1))
            vectors = (turn.transpose(0, 2, 1) @ a) / length[:, :, None]
            scores = length * np.einsum("gmk,gm->gk", turn, np.where(real, residuals[place], 0))
            owner = np.broadcast_to(clusters[some][:, None], kept.shape)
            yield vectors[kept], values[kept], scores[kept], owner[kept]
    for g in np.flatnonzero(padded == 0).tolist():
        part = slice(first[g], first[g] + size[g])
        own = rows[part]
        if len(codes[part]) * q * q <= BLOCK:  # not large: its rows in these coordinates take less than sparse products
            a = np.asarray(own @ root)
            share, score = a.T @ a, a.T @ residuals[part]
        else:
            share = root.T @ np.asarray((own.T @ own).todense()) @ root
            score = root.T @ np.asarray(own.T @ residuals[part])
        values, turn = np.linalg.eigh(share)
        kept = values > NULL * values[-1]
        scores = turn.T @ score
        yield turn.T[kept], values[kept], scores[kept], np.full(int(kept.sum()), clusters[g])


def one_row(a: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the eigenvalues and eigenvectors of a a' for clusters of one row."""
    return np.einsum("gmq,gmq->gm", a, a), np.ones((len(a), 1, 1))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FaintClusters:
    """Clusters of a very large table that hold at most a tenth of any direction, without eigenvectors.

    (I - J)^-1/2 is the series 1 + J/2 + 3 J^2/8 + ..., which needs products with rows only.

    Attributes
    ----------
    member : (all clusters,) bool array
    rows : (n, p) sparse array
        Sorted by cluster; `starts` are the first rows of the clusters.
    meat : (q, q) array
        Sum of products of the adjusted scores, whose trace the model expects to be the sum of all leverages.
    largest : float
        Largest sum of a cluster's leverages.
    """

    member: BoolArray
    rows: sparse.csr_array
    starts: IntArray
    root: FloatArray
    meat: FloatArray
    largest: float

    @classmethod
    def of(cls, rows: sparse.csr_array, residuals: FloatArray, codes: IntArray, root: FloatArray) -> FaintClusters:
        """Find them among rows that are sorted by cluster, and adjust their scores."""
        bread = root @ root.T
        step = max(1, BLOCK // len(bread))
        leverage = np.concatenate([
            np.asarray(rows[k : k + step].multiply(rows[k : k + step] @ bread).sum(axis=1)).reshape(-1)
            for k in range(0, rows.shape[0], step)
        ])  # fmt: skip
        trace = np.bincount(codes, leverage)
        member = trace <= FAINT
        inside = member[codes]
        rows, residuals, codes = sparse.csr_array(rows[inside]), residuals[inside], codes[inside]
        meat = np.zeros((root.shape[1], root.shape[1]))
        clusters, first = np.unique(codes, return_index=True)
        ends = np.append(first, len(codes))
        many = max(1, BLOCK // len(bread))
        for k in range(0, len(clusters), many):
            a, b = ends[k], ends[min(k + many, len(clusters))]
            y = adjusted_scores(rows[a:b], residuals[a:b], np.searchsorted(clusters[k:], codes[a:b]), bread) @ root
            meat += y.T @ y
        return cls(member=member, rows=rows, starts=first, root=root, meat=meat,
                   largest=float(trace[member].max(initial=0.0)))  # fmt: skip

    def shares(self, d: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the sum of v_g and of v_g^2 over these clusters, for every row of d."""
        out = np.zeros((2, len(d)))
        step = max(1, 4 * BLOCK // max(self.rows.shape[0], 1))
        for k in range(0, len(d) if len(self.starts) else 0, step):
            v = np.add.reduceat(np.asarray(self.rows @ (self.root @ d[k : k + step].T)) ** 2, self.starts, axis=0)
            out[:, k : k + step] = v.sum(axis=0), (v**2).sum(axis=0)
        return out[0], out[1]


def adjusted_scores(rows: sparse.csr_array, residuals: FloatArray, codes: IntArray, bread: FloatArray) -> FloatArray:
    """Return the sum over k of (2k choose k) / 4^k (I_g B)^k u_g for each cluster, until a term adds nothing."""
    size = int(codes.max()) + 1
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    cell = codes[row] * len(bread) + rows.indices

    def sums(e: FloatArray) -> FloatArray:
        found: FloatArray = np.bincount(cell, rows.data * e[row], size * len(bread)).astype(np.float64)
        return found.reshape(size, len(bread))

    term = out = sums(residuals)
    power = 0
    while np.abs(term).max(initial=0.0) > NULL * np.abs(out).max(initial=0.0):
        power += 1
        pulled = (term @ bread).reshape(-1)
        along = np.bincount(row, rows.data * pulled[cell], rows.shape[0]).astype(np.float64)
        term = sums(along) * (2 * power - 1) / (2 * power)
        out = out + term
    return out


def inverse_root(information: FloatArray) -> FloatArray:
    """Return R with R R' the generalised inverse of the information and R' information R = I, shape (p, rank)."""
    scale = np.sqrt(np.diagonal(information))
    scale = np.where(scale > 0, scale, 1.0)
    values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
    kept = values > NULL * values[-1]
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]) / scale[:, None])


def repaired(v: FloatArray, least: FloatArray) -> tuple[FloatArray, bool]:
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
    fixed = wanted <= ROUNDING * wanted.max(initial=0.0)  # a reference item
    values = np.linalg.eigvalsh(v)
    floored = bool(values[0] < -ROUNDING * values[-1] or np.any(np.diagonal(v)[~fixed] <= ROUNDING * wanted[~fixed]))
    if floored:
        scale = np.sqrt(np.where(fixed, 1.0, wanted))
        corr = np.where(fixed[:, None] | fixed, 0.0, v / np.outer(scale, scale))
        np.fill_diagonal(corr, 1.0)
        values, vectors = np.linalg.eigh(corr)
        v = (vectors * np.maximum(values, 0)) @ vectors.T
    ratio = np.where(fixed, 0.0, np.sqrt(wanted / np.where(fixed, 1.0, np.diagonal(v))))
    return v * np.outer(ratio, ratio), floored

"""Directions of clusters: eigenvectors and leverages of the share of the information that each cluster holds.

Clusters of very large tables whose leverage is small are faint: what is needed of them is a series in their shares.
`robust.py` has the notation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import sparse

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.inference.cluster_blocks import SortedBlock, cluster_scores, sort_by_cluster

# eigenvalues of standardised information below this are 0
NULL = 1e-12
# largest leverage of clusters whose eigenvalues are not computed in very large tables
FAINT = 0.5
# largest leverage of clusters for whose degrees of freedom a lower bound, 1,000, is enough
LIGHT = 1e-3
# numbers in one block of work
BLOCK = 4_000_000
# rows of a cluster up to which products of pairs of them take less time than those of all
# parameters
TINY = 16
# rows whose products with all parameters stay in a processor's cache
SLAB = 4_000
# an information with a smaller share of numbers that are not 0 is multiplied by these alone
SPARSE = 16
# p^2 over rows of a cluster up to which its information takes less time
MANY = 75


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

"""Errors of contrasts under one factor of clusters: variances, degrees of freedom, and what cannot be seen of them.

`robust.py` has the notation, and joins two factors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
from scipy import sparse

from socialstats.arrays import BoolArray, FloatArray, IntArray, unique_rows
from socialstats.inference.cluster_blocks import Blocks, SortedBlock
from socialstats.inference.cluster_directions import BLOCK, NULL, Directions
from socialstats.rounding import EPS, SHARE, SPARE, gated

# a leverage above this is 1: the residual there is 0 whatever happened
UNIT = 1 - 1e-6
# share of a contrast's information in directions of leverage 1 beyond which it has no error
MOSTLY_UNSEEN = 0.5
# smaller shares are rounding
UNSEEN = 1e-9
# Kish's degrees of freedom from which the exact ones, which take longer, are not computed
EXACT_BELOW = 50.0
# A share of the model's variance. Of m rows in a cluster, one that differs from other clusters gives 1/m of it.
# Rounding gives m (1e-13)^2, where scores are 0 to 1e-13 of their parts. So 1e-14 is between both up to m = 10^12.
OF_MODEL = 1e-14
# clusters whose scores are compared with each other
MOST_COMPARED = 1_000


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
    return len(unique_rows(np.round(scores / size, 9))[0]) if size else 1


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


def pairs_within_rows(rows: sparse.csr_array) -> tuple[IntArray, IntArray, IntArray]:
    """Return the row of each ordered pair of numbers in one row, and the places of both numbers."""
    size = np.diff(rows.indptr)
    row, place = np.repeat(np.arange(len(size)), size**2), np.arange(int((size**2).sum()))
    within = place - np.repeat(np.cumsum(size**2) - size**2, size**2)
    first, second = (
        np.asarray(rows.indptr[row] + part, dtype=np.int64) for part in np.divmod(within, size[row])
    )
    return row, first, second


def inverse_root(information: FloatArray) -> FloatArray:
    """Return R with R R' the generalised inverse of the information and R' information R = I, shape (p, rank)."""
    scale = np.sqrt(np.diagonal(information))
    scale = np.where(scale > 0, scale, 1.0)
    values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
    kept = values > NULL * values[-1]
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]) / scale[:, None])

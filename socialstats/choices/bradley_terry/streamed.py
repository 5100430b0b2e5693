"""Sums over rows that pass by: log-likelihood, score and information where each row has a predictor of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.choices.bradley_terry.likelihoods import (
    BradleyTerry,
    PairData,
    cross_products,
    design_rows,
    weight_table,
)

Products = Iterable[tuple["RowBlock", Sequence[FloatArray]]]  # rows, and h_ee (h_et, h_tt) of each


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowBlock:
    """Some rows.

    Attributes
    ----------
    cell : (n,) int64 array
        Cells of the design, which know all but the covariates that pass by.
    z : (n, k) float64 array
        These covariates, side a of the cell minus side b.
    weight : (n,) float64 array
    codes : (factors, n) int64 array
        Clusters.
    """

    cell: IntArray
    z: FloatArray
    weight: FloatArray
    codes: IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowSums:
    """Sums over all rows at some parameters.

    Attributes
    ----------
    loglik : float
    score : (p,) array
    information : (p, p) array
    largest : float
        Largest linear predictor, without its sign.
    """

    loglik: float
    score: FloatArray
    information: FloatArray
    largest: float


class StreamedRows:
    """The rows of a model, some of whose covariates pass by.

    The predictors of `base` have 0 in the columns of these covariates. A row's linear predictor is that of its cell,
    and its own covariates times their slopes. Sums by predictor of `base` give all other blocks of a sum over rows.

    Parameters
    ----------
    base : PairData
    columns : sequence of int
        Columns of ``base.x`` of the covariates that pass by.
    flipped : (cells,) bool array
        Cells whose side a is side b of their predictor.
    rows : callable
        Returns all rows, in parts.
    """

    def __init__(
        self,
        base: PairData,
        columns: Sequence[int],
        flipped: BoolArray,
        rows: Callable[[], Iterator[RowBlock]],
    ) -> None:
        self._base, self._columns, self._sign = base, list(columns), np.where(flipped, -1.0, 1.0)
        self._rows = rows
        self._last: tuple[FloatArray, RowSums] | None = None

    def _parts(self) -> Iterator[RowBlock]:
        """Yield the rows with covariates from the side of their predictors."""
        for part in self._rows():
            yield replace(part, z=part.z * self._sign[part.cell][:, None])

    def block(self, part: RowBlock) -> PairData:
        """Return some rows as data of their own, one predictor each."""
        base, predictor, n = self._base, self._base.cell[part.cell], len(part.cell)
        z = base.z[predictor]
        z[:, [c - base.n_items for c in self._columns]] = part.z * self._sign[part.cell][:, None]
        outcome, row = base.outcome[part.cell], np.arange(n)
        w, w_sq = (
            weight_table(outcome, row, weight, n) for weight in (part.weight, part.weight**2)
        )
        a, b = base.a[predictor], base.b[predictor]
        return replace(
            base,
            a=a,
            b=b,
            z=z,
            x=design_rows(base.n_items, a, b, z),
            w=w,
            w_sq=w_sq,
            cell=row,
            outcome=outcome,
            rows=None,
        )

    def in_memory(self) -> PairData:
        """Return all rows in memory; of one covariate those with its least and largest value in each cell.

        The others of a cell lie between these two, so that a direction along which the likelihood rises in both rises
        in all of them.
        """
        if len(self._columns) > 1:
            parts = list(self._rows())
        else:
            # (2, cells): the least and the largest value of the covariate
            ends = np.array([[np.inf], [-np.inf]]).repeat(len(self._base.cell), axis=1)
            for part in self._rows():
                np.minimum.at(ends[0], part.cell, part.z[:, 0])
                np.maximum.at(ends[1], part.cell, part.z[:, 0])
            occurring = np.flatnonzero(np.isfinite(ends[0]))
            weight, codes = np.ones(len(occurring)), without_clusters(occurring)
            parts = [
                RowBlock(cell=occurring, z=end[occurring][:, None], weight=weight, codes=codes)
                for end in ends
            ]
        columns = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in ("cell", "z", "weight")
        }
        return self.block(RowBlock(**columns, codes=without_clusters(columns["cell"])))

    def at(self, model: BradleyTerry, beta: FloatArray) -> RowSums:
        """Return the sums at some parameters; the last ones are remembered."""
        if self._last is None or not np.array_equal(self._last[0], beta):
            self._last = beta.copy(), self._summed(model, beta)
        return self._last[1]

    def _eta(self, part: RowBlock, of_base: FloatArray, beta: FloatArray) -> FloatArray:
        return np.asarray(
            of_base[self._base.cell[part.cell]] + np.einsum("ij,j->i", part.z, beta[self._columns])
        )

    def _summed(self, model: BradleyTerry, beta: FloatArray) -> RowSums:
        base, p = self._base, self._base.x.shape[1]
        of_base, tau = base.eta_tau(beta)
        loglik, largest, by_tau = 0.0, 0.0, 0.0
        by_base, slope = np.zeros(len(base.a)), np.zeros(len(self._columns))

        def products() -> Iterator[tuple[RowBlock, list[FloatArray]]]:
            nonlocal loglik, largest, by_tau
            for part in self._parts():
                eta, outcome = self._eta(part, of_base, beta), base.outcome[part.cell]
                row = np.arange(len(eta))
                log_p = model.log_probabilities(eta, tau)[outcome, row]
                loglik += float(np.sum(part.weight * log_p))
                largest = max(largest, float(np.abs(eta).max(initial=0.0)))
                scores, tie = model.scores(eta, tau)
                g = part.weight * scores[outcome, row]
                np.add(by_base, np.bincount(base.cell[part.cell], g, len(by_base)), out=by_base)
                np.add(slope, np.einsum("i,ij->j", g, part.z), out=slope)
                if tie is not None:
                    by_tau += float(np.sum(part.weight * tie[outcome, row]))
                w = np.zeros((3, len(eta)))
                w[outcome, row] = part.weight
                at = model.curvature(eta, tau, model.statistics(w))
                yield part, [h for h in (at.h_ee, at.h_et, at.h_tt) if h is not None]

        information = self._products(products())
        # columns of the covariates that pass by are 0 in the base, and get their own sums
        score = np.asarray(base.x.T @ by_base)
        score[self._columns] = slope
        if len(information) > p:
            score = np.append(score, by_tau)
        return RowSums(loglik=loglik, score=score, information=information, largest=largest)

    def weights(self) -> FloatArray:
        """Return the sum over rows of weight x x'."""
        return self._products((part, [part.weight]) for part in self._parts())

    def squared_scores(self, model: BradleyTerry, beta: FloatArray) -> FloatArray:
        """Return the sum over rows of their squared scores, (p, p)."""
        of_base, tau = self._base.eta_tau(beta)

        def products() -> Iterator[tuple[RowBlock, list[FloatArray]]]:
            for part in self._parts():
                outcome, row = self._base.outcome[part.cell], np.arange(len(part.cell))
                scores, tie = model.scores(self._eta(part, of_base, beta), tau)
                g = part.weight * scores[outcome, row]
                t = None if tie is None else part.weight * tie[outcome, row]
                yield part, [g**2] if t is None else [g**2, g * t, t**2]

        return self._products(products())

    def _products(self, rows: Products) -> FloatArray:
        """Return what `cross_products` does, from h of each row."""
        base, k = self._base, len(self._columns)
        m, p = len(base.a), base.x.shape[1]
        sums: list[FloatArray] = []
        # sums of h z' by predictor of the base, of z h z', and of z times h_et
        base_z, z_z, z_tau = np.zeros((m, k)), np.zeros((k, k)), np.zeros(k)
        for part, h in rows:
            predictor = base.cell[part.cell]
            sums = sums or [np.zeros(m) for _ in h]
            for total, values in zip(sums, h, strict=True):
                total += np.bincount(predictor, values, m)
            hz = h[0][:, None] * part.z
            for j in range(k):
                base_z[:, j] += np.bincount(predictor, hz[:, j], m)
            z_z += np.einsum("ij,ik->jk", part.z, hz)  # no threads wait for parts as small as these
            if len(h) > 1:
                z_tau += np.einsum("i,ij->j", h[1], part.z)
        products = cross_products(replace(base, rows=None), *sums)
        products[:p, self._columns] = base.x.T @ base_z
        products[self._columns, :p] = products[:p, self._columns].T
        products[np.ix_(self._columns, self._columns)] = z_z
        if len(sums) > 1:
            products[p, self._columns] = products[self._columns, p] = z_tau
        return products


def without_clusters(rows: IntArray) -> IntArray:
    """Return the clusters of rows without any."""
    return np.zeros((0, len(rows)), dtype=np.int64)


def row_blocks(spooled: Iterable[Any]) -> Iterator[RowBlock]:
    """Yield rows of a `Spool`."""
    for rows in spooled:
        sides = rows["sides"]
        yield RowBlock(
            cell=rows["cell"].astype(np.int64),
            z=sides[:, :, 0] - sides[:, :, 1],
            weight=rows["weight"].astype(np.float64),
            codes=rows["codes"].T,
        )

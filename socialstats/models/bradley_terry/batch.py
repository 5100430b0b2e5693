"""Many refits at once: all resamples move together, layout (cells x replicates).

Each replicate is solved by scaled chord steps: the inverse information of the original fit, rescaled on both
sides by the replicate's own diagonal. The error shrinks about tenfold a step, and no matrix is factorised for a
replicate unless it fails to converge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from socialstats.arrays import BoolArray, FloatArray
from socialstats.errors import NonConvergence, NotIdentified
from socialstats.models.bradley_terry.assembly import centred_inverse, information
from socialstats.models.bradley_terry.data import PairData
from socialstats.models.bradley_terry.existence import require_identified
from socialstats.models.bradley_terry.likelihoods import Likelihood
from socialstats.models.bradley_terry.newton import fit_newton

TOLERANCE = 3e-6  # largest last step; what remains is a tenth of it, and the standard errors are 1e-2 and more
SWEEPS = 60
LONGEST_STEP = 3.0
LITTLE_LEFT = 0.25
SMALL_TABLE = 100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Refits:
    """Estimates from resampled data.

    Attributes
    ----------
    beta : (p, B) array
        NaN where the replicate has no finite estimate.
    ok : (B,) bool array
    """

    beta: FloatArray
    ok: BoolArray


class Refitter:
    """Refits one model to many reweightings of the same cells.

    Parameters
    ----------
    data : PairData
    model : Likelihood
    beta : (p,) array
        Estimate from the original weights.
    """

    def __init__(self, data: PairData, model: Likelihood, beta: FloatArray) -> None:
        self.data, self.model, self.beta = data, model, beta
        m, n = len(data.a), data.n_items
        self.has_tau = model.tie_term is not None
        at = model.curvature(data.eta(beta), beta[-1] if self.has_tau else 0.0, model.statistics(data.w))
        h_et, h_tt = (at.h_et, float(np.sum(at.h_tt))) if self.has_tau else (None, 0.0)
        info = information(data, at.h_ee, h_et, h_tt)
        self.inverse = centred_inverse(info, n)
        self.diagonal = np.diagonal(info)[:, None].copy()
        self.incidence = _incidence(data.a, m, n) - _incidence(data.b, m, n)
        self.touches = abs(self.incidence)

    def refit(self, w: FloatArray) -> Refits:
        """Refit to the outcome weights `w` of shape (3, m, B)."""
        total = w.shape[2]
        beta = np.repeat(self.beta[:, None], total, axis=1)
        active = np.arange(total)
        stats = self.model.statistics(w)
        moving = np.ones(total, dtype=bool)
        for _ in range(SWEEPS):
            everyone = len(active) == total
            step = self._step(beta if everyone else beta[:, active], stats)
            beta[:, active] += step
            still = np.abs(step).max(axis=0) > TOLERANCE
            moving[active] = still
            if not still.any():
                break
            if still.mean() < 0.75:
                active, stats = active[still], tuple(s[:, still] for s in stats)
        return self._settle(beta, w, ~moving)

    def _step(self, beta: FloatArray, stats: Sequence[FloatArray]) -> FloatArray:
        """Return the scaled chord step: D C D gradient, D^2 = original over own diagonal information."""
        data, n, k = self.data, self.data.n_items, self.data.n_z
        at = self.model.curvature(data.eta(beta), beta[-1] if self.has_tau else 0.0, stats)
        grad, diag = np.empty_like(beta), np.empty_like(beta)
        if n:
            grad[:n] = self.incidence @ at.g_eta
            diag[:n] = self.touches @ at.h_ee
        if k:
            grad[n : n + k] = data.z.T @ at.g_eta
            diag[n : n + k] = (data.z**2).T @ at.h_ee
        if self.has_tau:
            grad[-1] = at.g_tau
            diag[-1] = at.h_tt.sum(axis=0)
        scale = np.sqrt(self.diagonal / np.maximum(diag, 1e-3 * self.diagonal))
        step = scale * (self.inverse @ (scale * grad))
        if n:
            step[:n] -= step[:n].mean(axis=0)
        return np.asarray(step / np.maximum(1.0, np.abs(step).max(axis=0) / LONGEST_STEP))

    def _settle(self, beta: FloatArray, w: FloatArray, converged: BoolArray) -> Refits:
        """Finish slow replicates with Newton's method; mark those without a finite estimate."""
        ok = strongly_connected(self.data, w) if self.data.free else np.ones(len(converged), dtype=bool)
        if self.data.n_z:
            ok &= self._identified(w, ok)
        for r in np.flatnonzero(ok & ~converged):
            one = replace(self.data, w=np.ascontiguousarray(w[:, :, r]))
            try:
                with np.errstate(all="ignore"):
                    beta[:, r] = fit_newton(one, self.model).beta
            except (NonConvergence, np.linalg.LinAlgError, ValueError):
                ok[r] = False
        ok &= np.isfinite(beta).all(axis=0)
        beta[:, ~ok] = np.nan
        return Refits(beta=beta, ok=ok)

    def _identified(self, w: FloatArray, ok: BoolArray) -> BoolArray:
        """Return for each replicate whether its data tell the effects apart; steps would leave them where they were.

        Looked at one by one where an effect lost much of its variation, and everywhere in small tables.
        """
        data, squares = self.data, self.data.z.T**2
        left = squares @ w.sum(axis=0) / (squares @ data.w.sum(axis=0))[:, None]
        out = np.ones(w.shape[2], dtype=bool)
        for r in np.flatnonzero(ok & ((left.min(axis=0) < LITTLE_LEFT) | (len(data.a) <= SMALL_TABLE))):
            try:
                require_identified(replace(data, w=w[:, :, r]))
            except NotIdentified:
                out[r] = False
        return out


def strongly_connected(data: PairData, w: FloatArray) -> BoolArray:
    """Return, for each replicate, whether the win graph is strongly connected (ties are edges both ways).

    Breadth-first from the item with most opponents, along wins and against them. Replicates are bits, so that one
    operation moves eight of them.
    """
    n, reps = data.n_items, w.shape[2]
    up, down = (np.packbits((side > 0) | (w[2] > 0), axis=1) for side in (w[0], w[1]))
    hub = int(np.argmax(np.bincount(data.a, minlength=n) + np.bincount(data.b, minlength=n)))
    source, target = np.concatenate([data.a, data.b]), np.concatenate([data.b, data.a])
    order = np.argsort(target, kind="stable")
    source, (targets, starts) = source[order], np.unique(target[order], return_index=True)
    everyone = np.full(up.shape[1], 255, dtype=np.uint8)
    for edges in (np.concatenate([up, down]), np.concatenate([down, up])):
        edges = edges[order]
        reached = np.zeros((n, up.shape[1]), dtype=np.uint8)
        reached[hub] = 255
        while True:
            arrived = np.bitwise_or.reduceat(edges & reached[source], starts, axis=0) | reached[targets]
            if np.array_equal(arrived, reached[targets]):
                break
            reached[targets] = arrived
        everyone &= np.bitwise_and.reduce(reached, axis=0)
    return np.unpackbits(everyone, count=reps).astype(bool)


def _incidence(item: np.ndarray[Any, np.dtype[np.int64]], m: int, n: int) -> sparse.csr_array:
    if not n:
        return sparse.csr_array((0, m))
    return sparse.csr_array((np.ones(m), (item, np.arange(m))), shape=(n, m))

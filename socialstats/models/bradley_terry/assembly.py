"""From cell-wise derivatives to gradient and information of all parameters (strengths, theta, tau).

The order of parameters is: n_items strengths, k order and covariate effects, then tau where the model has it.
The information of the strengths is a graph Laplacian, so nothing of size (cells x items) is ever built.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import linalg

from socialstats.arrays import FloatArray
from socialstats.models.bradley_terry.data import PairData, sums


def item_sums(data: PairData, g: FloatArray) -> FloatArray:
    """Return sum of g over cells where the item is a, minus where it is b; shape (n_items,)."""
    n = data.n_items
    return sums(data.a, g, n) - sums(data.b, g, n)


def gradient(data: PairData, g_eta: FloatArray, g_tau: Any = None) -> FloatArray:
    """Return the gradient in all parameters; `g_tau` is None where the model has no tie parameter."""
    parts = [item_sums(data, g_eta)] if data.free else []
    parts.append(data.z.T @ g_eta)
    if g_tau is not None:
        parts.append(np.atleast_1d(np.asarray(g_tau, dtype=float)))
    return np.concatenate(parts)


def information(data: PairData, h_ee: FloatArray, h_et: FloatArray | None, h_tt: float) -> FloatArray:
    """Return the symmetric matrix sum over cells of m' [[h_ee, h_et], [h_et, h_tt]] m, m = (x, tau).

    Used for the information, and with squared scores in place of h for the row sandwich.

    Parameters
    ----------
    data : PairData
    h_ee, h_et : (m,) arrays
        `h_et` is None where the model has no tie parameter.
    h_tt : float
        Sum over cells.
    """
    n, k = data.n_items, data.n_z
    p = n + k + (h_et is not None)
    out = np.zeros((p, p))
    if n:
        off = sums(data.a * n + data.b, h_ee, n * n).reshape(n, n)
        off += off.T
        out[:n, :n] = -off
        out[np.arange(n), np.arange(n)] = off.sum(axis=1)
    if k:
        zh = data.z * h_ee[:, None]
        out[n : n + k, n : n + k] = data.z.T @ zh
        for j in range(k if n else 0):
            out[:n, n + j] = out[n + j, :n] = item_sums(data, zh[:, j])
    if h_et is not None:
        column = np.concatenate([item_sums(data, h_et) if n else np.zeros(0), data.z.T @ h_et])
        out[: p - 1, p - 1] = out[p - 1, : p - 1] = column
        out[p - 1, p - 1] = h_tt
    return out


def solve_centred(info: FloatArray, rhs: FloatArray, n_items: int) -> FloatArray:
    """Solve info @ x = rhs for x whose strengths sum to zero.

    The likelihood does not change when all strengths move together, so adding a constant to the strength block
    makes the system regular without changing the centred solution.
    """
    with _singular_is_an_error():
        return np.asarray(linalg.solve(_regular(info, n_items), rhs, assume_a="sym", check_finite=False))


def centred_inverse(info: FloatArray, n_items: int) -> FloatArray:
    """Return the covariance under the sum-zero constraint: the inverse on the space it leaves."""
    with _singular_is_an_error():
        inverse = np.asarray(linalg.inv(_regular(info, n_items), check_finite=False))
    inverse = (inverse + inverse.T) / 2
    if n_items:
        inverse[:n_items, :n_items] -= 1 / (_scale(info, n_items) * n_items**2)
    return inverse


@contextmanager
def _singular_is_an_error() -> Iterator[None]:
    """Turn scipy's warning about a matrix that is singular to working precision into its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", linalg.LinAlgWarning)
        try:
            yield
        except linalg.LinAlgWarning as warning:
            raise linalg.LinAlgError(str(warning)) from warning


def _scale(info: FloatArray, n_items: int) -> float:
    return float(np.trace(info[:n_items, :n_items])) / n_items**2 or 1.0


def _regular(info: FloatArray, n_items: int) -> FloatArray:
    out = info.copy()
    if n_items:
        out[:n_items, :n_items] += _scale(info, n_items)
    return out


def predictor_variance(data: PairData, cov: FloatArray) -> FloatArray:
    """Return x' cov x for every predictor, x its row of the design; shape (m,)."""
    n, k = data.n_items, data.n_z
    out = np.zeros(len(data.a))
    if n:
        d = np.diagonal(cov)
        out += d[data.a] + d[data.b] - 2 * cov[data.a, data.b]
    if k:
        theta = slice(n, n + k)
        if n:
            cross = cov[data.a, theta] - cov[data.b, theta]
            out += 2 * np.einsum("ij,ij->i", data.z, cross)
        out += np.einsum("ij,jk,ik->i", data.z, cov[theta, theta], data.z)
    return out


def predictor_tau_covariance(data: PairData, cov: FloatArray) -> FloatArray:
    """Return the covariance of every predictor with tau (the last parameter); shape (m,)."""
    n, k = data.n_items, data.n_z
    tau = cov[:, -1]
    out = tau[data.a] - tau[data.b] if n else np.zeros(len(data.a))
    return out + data.z @ tau[n : n + k]

"""Errors by clusters of the crosschecks against Bell and McCaffrey's matrices, written out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import sqrtm

from socialstats.crosscheck.clusters import crossing, errors_by, errors_of_mean


def by_matrices(x, w, code):
    """V = sum (a' A_g e_g)^2 and df = (tr P)^2 / tr(P^2), with A_g = (I - H_gg)^-1/2, H of a weighted mean."""
    n, root = len(x), np.sqrt(w)
    hat = np.outer(root, root) / w.sum()
    off, a = root * (x - w @ x / w.sum()), root / w.sum()
    rows = np.zeros((code.max() + 1, n))
    for g in range(code.max() + 1):
        at = np.flatnonzero(code == g)
        rows[g, at] = a[at] @ np.linalg.inv(np.real(sqrtm(np.eye(len(at)) - hat[np.ix_(at, at)])))
    p = rows @ (np.eye(n) - hat) @ rows.T
    return float(((rows @ off) ** 2).sum()), float(np.trace(p) ** 2 / np.sum(p * p))


@pytest.mark.parametrize("weights", ["alike", "drawn"])
@pytest.mark.parametrize("sizes", [(1, 1, 1, 1), (5, 2, 1, 9, 3), (40, 1, 1)])
def test_cr2_and_its_degrees_of_freedom_are_those_of_the_matrices(sizes, weights) -> None:
    rng, code = np.random.default_rng(3), np.repeat(np.arange(len(sizes)), sizes)
    x = rng.normal(size=len(code))
    w = np.ones(len(code)) if weights == "alike" else rng.exponential(size=len(code)) + 0.1
    found, (variance, df) = errors_of_mean(x, code[:, None], w), by_matrices(x, w, code)
    assert (found.variance, found.df) == pytest.approx((variance, df), rel=1e-9)


def test_nearly_one_cluster_loses_no_digits_of_the_degrees_of_freedom() -> None:
    f = np.array([1 - 3e-6, 1e-6, 2e-6])
    r = f**2 / (1 - f)
    exact = 1 / (f @ f + 2 * (r[0] * r[1] + r[0] * r[2] + r[1] * r[2]))
    assert errors_by(np.array([1e-6, 0, -1e-6]), f, np.arange(3)[:, None]).df == pytest.approx(
        exact, rel=1e-12
    )


def test_two_factors_are_the_largest_of_three_and_nested_ones_the_coarser() -> None:
    rng = np.random.default_rng(5)
    one, two, x = rng.integers(0, 6, 80), rng.integers(0, 9, 80), rng.normal(size=80)
    v = [
        by_matrices(x, np.ones(80), np.unique(code, return_inverse=True)[1])[0]
        for code in (one, two)
    ]
    off = (x - x.mean()) / 80
    both = sum(off[(one == a) & (two == b)].sum() ** 2 for a in range(6) for b in range(9))
    found = errors_of_mean(x, np.column_stack([one, two]))
    assert found.plain == pytest.approx(sum(v) - both, rel=1e-9)
    assert found.variance == pytest.approx(max(*v, sum(v) - both), rel=1e-9)
    nested = np.column_stack([one, one * 9 + two])
    assert crossing(nested).shape[1] == 1
    of_both, of_coarser = errors_of_mean(x, nested), errors_of_mean(x, one[:, None])
    assert of_both.variance == pytest.approx(of_coarser.variance)
    assert of_both.df == pytest.approx(of_coarser.df)


def test_one_cluster_has_no_error() -> None:
    assert not errors_of_mean(np.arange(4.0), np.zeros((4, 1))).known

"""Means over fixed strata: brute-force matrices, one stratum as a clustered mean."""

from __future__ import annotations

import numpy as np
import pytest

from socialstats.inference.clustered_mean import clustered_mean
from socialstats.scales.stratified_means import Strata, stratified_means

N = 40


def made(seed, strata=3, clusters=9):
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(strata))
    return rng.normal(size=(N, 2)), Strata(
        stratum=rng.permutation(np.arange(N) % strata),
        cluster=rng.integers(0, clusters, N),
        weights=weights,
        names=tuple("abcdef"[:strata]),
    )


def matrices(y, strata):
    """Bell and McCaffrey's CR2 with every matrix written out."""
    x = (strata.stratum[:, None] == np.arange(len(strata.weights))).astype(float)
    bread = x @ np.linalg.inv(x.T @ x)
    off, a = np.eye(len(y)) - bread @ x.T, bread @ strata.weights
    rows = []
    for g in np.unique(strata.cluster):
        at = np.flatnonzero(strata.cluster == g)
        values, vectors = np.linalg.eigh(off[np.ix_(at, at)])
        row = np.zeros(len(y))
        row[at] = a[at] @ vectors @ np.diag(values**-0.5) @ vectors.T
        rows.append(row)
    rows = np.array(rows)
    p = rows @ off @ rows.T
    return a @ y, ((rows @ (off @ y)) ** 2).sum(), np.trace(p) ** 2 / (p * p).sum()


@pytest.mark.parametrize("seed", range(5))
def test_errors_and_degrees_of_freedom_are_those_of_the_matrices(seed):
    values, strata = made(seed)
    found = stratified_means(values, strata)
    for k in range(2):
        estimate, variance, df = matrices(values[:, k], strata)
        assert found.estimate[k] == pytest.approx(estimate, rel=1e-12)
        assert found.covariance[k, k] == pytest.approx(variance, rel=1e-10)
        assert found.df == pytest.approx(df, rel=1e-10)
    difference = matrices(values[:, 0] - values[:, 1], strata)[1]
    v = found.covariance
    assert v[0, 0] + v[1, 1] - 2 * v[0, 1] == pytest.approx(difference, rel=1e-10)


def test_one_stratum_is_the_clustered_mean():
    values, strata = made(3, strata=1)
    found = stratified_means(values, strata)
    one = clustered_mean(values[:, 0], np.ones(N), [strata.cluster])
    assert found.estimate[0] == pytest.approx(one.mean, rel=1e-13)
    assert found.covariance[0, 0] ** 0.5 == pytest.approx(one.std_error, rel=1e-12)
    assert found.df == pytest.approx(one.df, rel=1e-12)


def test_independent_units_add_the_variances_of_the_strata():
    values, strata = made(1)
    alone = Strata(
        stratum=strata.stratum, cluster=np.arange(N), weights=strata.weights, names=strata.names
    )
    parts = [values[strata.stratum == t, 0] for t in range(3)]
    wanted = sum(
        w**2 * part.var(ddof=1) / len(part) for w, part in zip(strata.weights, parts, strict=True)
    )
    assert stratified_means(values, alone).covariance[0, 0] == pytest.approx(wanted, rel=1e-12)


def test_a_stratum_of_one_unit_has_no_error_and_says_so():
    strata = Strata(
        stratum=np.array([0, 0, 1]),
        cluster=np.arange(3),
        weights=np.array([0.5, 0.5]),
        names=("a", "b"),
    )
    found = stratified_means(np.array([[1.0], [2.0], [3.0]]), strata)
    assert found.estimate.tolist() == [2.25]
    assert found.undefined == "task 'b' has one unit only: no standard error"

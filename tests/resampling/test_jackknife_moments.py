"""Bias, standard error and leave-one-out values of the jackknife, against closed forms and a loop."""

from __future__ import annotations

import numpy as np
import pytest

from socialstats.resampling import PlanUnits, jackknife_sums

X = np.random.default_rng(4).lognormal(size=15)


def variance(sums: np.ndarray) -> np.ndarray:
    """(B, 3) sums of 1, x and x^2 -> (B, 2) plug-in variances and means."""
    n, first, second = sums.T
    return np.column_stack([second / n - (first / n) ** 2, first / n])


@pytest.mark.parametrize(
    "copies", [np.ones(15), np.random.default_rng(5).integers(1, 4, 15).astype(float)]
)
def test_of_a_variance_it_is_minus_the_unbiased_one_over_n_and_of_a_mean_none(
    copies: np.ndarray,
) -> None:
    found = jackknife_sums(
        np.column_stack([np.ones(15), X, X**2]) * copies[:, None], variance, PlanUnits.rows(copies)
    )
    rows = np.repeat(X, copies.astype(int))
    n = len(rows)
    assert found.bias == pytest.approx([-rows.var(ddof=1) / n, 0.0], abs=1e-12)
    each = np.array([[np.delete(rows, k).var(), np.delete(rows, k).mean()] for k in range(n)])
    spread = np.sqrt((n - 1) / n * ((each - each.mean(axis=0)) ** 2).sum(axis=0))
    assert found.std_error == pytest.approx(spread)
    assert found.std_error[1] == pytest.approx(rows.std(ddof=1) / np.sqrt(n))


def test_of_clusters_whole_clusters_are_left_out() -> None:
    codes = np.array([0, 0, 0, 0, 0, 1, 1, 2, 3, 3, 3, 4, 4, 4, 4])
    found = jackknife_sums(
        np.column_stack([np.ones(15), X, X**2]), variance, PlanUnits.clusters(codes)
    )
    each = np.array([[X[codes != k].var(), X[codes != k].mean()] for k in range(5)])
    assert found.bias == pytest.approx(4 * (each.mean(axis=0) - [X.var(), X.mean()]))
    assert found.std_error == pytest.approx(
        np.sqrt(4 / 5 * ((each - each.mean(axis=0)) ** 2).sum(axis=0))
    )

"""The multinomial logit: closed form where it is saturated, R with clusters, simulated truth."""

from __future__ import annotations

import numpy as np
import pytest

from socialstats.errors import UndefinedStatistic
from socialstats.models.multinomial_logit import joint_test, multinomial_logit
from tests.golden_data import golden


def table(seed: int, clusters: int = 30, beta: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three levels, a column within clusters and one between them, clusters with tastes of their own."""
    rng = np.random.default_rng(seed)
    code = np.repeat(np.arange(clusters), 2)
    x = np.column_stack([np.ones(2 * clusters), np.tile([0.0, 1.0], clusters), (code % 3).astype(float)])
    taste = rng.normal(0, 0.6, (clusters, 2))[code]
    odds = np.exp(np.column_stack([np.zeros(2 * clusters), 0.3 + taste[:, 0] + beta * x[:, 1], -0.2 + taste[:, 1]]))
    counts = np.array([rng.multinomial(6, p) for p in odds / odds.sum(axis=1, keepdims=True)]).astype(float)
    return x, counts, code


def test_saturated_coefficients_are_logs_of_ratios_of_shares():
    counts = np.array([[10.0, 20.0, 5.0], [12.0, 6.0, 9.0]])
    fit = multinomial_logit(np.array([[1.0, 0.0], [1.0, 1.0]]), counts, np.arange(2))
    logs = np.log(counts[:, 1:] / counts[:, :1])
    assert fit.coef[:, 0] == pytest.approx(logs[0], abs=1e-9)
    assert fit.coef[:, 1] == pytest.approx(logs[1] - logs[0], abs=1e-9)


def test_coefficients_clustered_errors_and_the_joint_test_are_those_of_r():
    wanted = golden("multinomial_logit")
    x, counts = (np.array(wanted[name], float) for name in ("x", "counts"))
    fit = multinomial_logit(x, counts, np.array(wanted["cluster"]))
    assert fit.groups == 10
    assert fit.coef == pytest.approx(np.array(wanted["coef"]), abs=1e-6)  # nnet stops about there
    assert fit.covariance == pytest.approx(np.array(wanted["covariance"]), rel=1e-5, abs=1e-8)
    assert joint_test(fit, np.array([1])) == pytest.approx((wanted["f"], 2, 8, wanted["p"]), rel=1e-5)


@pytest.mark.slow
def test_a_true_null_is_rejected_as_often_as_the_level_says():
    """200 tables of 30 clusters with tastes of their own: 5% with a Monte-Carlo error of 1.5."""
    rejected = []
    for seed in range(200):
        test = joint_test(multinomial_logit(*table(100 + seed)), np.array([1]))
        rejected.append(test is not None and test[3] < 0.05)
    assert 0.01 <= np.mean(rejected) <= 0.1


def test_a_level_that_a_column_rules_out_has_no_fit():
    with pytest.raises(UndefinedStatistic, match="rule a level out"):
        multinomial_logit(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[3.0, 4.0], [5.0, 0.0]]), np.arange(2))
    with pytest.raises(UndefinedStatistic, match="rule a level out"):
        multinomial_logit(np.ones((2, 1)), np.array([[3.0, 0.0, 4.0], [5.0, 0.0, 1.0]]), np.arange(2))
    with pytest.raises(UndefinedStatistic, match="single cluster"):
        multinomial_logit(np.ones((2, 1)), np.ones((2, 2)), np.zeros(2, dtype=int))

"""The multinomial logit: closed form where it is saturated, R and statsmodels, simulated truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from socialstats.errors import UndefinedStatistic
from socialstats.shares.multinomial_logit import fit_logit, probabilities, whitened_rows
from tests.golden_data import golden


def table(
    seed: int, clusters: int = 30, beta: float = 0.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three levels, a column within clusters and one between them, clusters with tastes of their own."""
    rng = np.random.default_rng(seed)
    code = np.repeat(np.arange(clusters), 2)
    x = np.column_stack(
        [np.ones(2 * clusters), np.tile([0.0, 1.0], clusters), (code % 3).astype(float)]
    )
    taste = rng.normal(0, 0.6, (clusters, 2))[code]
    odds = np.exp(
        np.column_stack(
            [np.zeros(2 * clusters), 0.3 + taste[:, 0] + beta * x[:, 1], -0.2 + taste[:, 1]]
        )
    )
    counts = np.array(
        [rng.multinomial(6, p) for p in odds / odds.sum(axis=1, keepdims=True)]
    ).astype(float)
    return x, counts, code


def test_saturated_coefficients_are_logs_of_ratios_of_shares():
    counts = np.array([[10.0, 20.0, 5.0], [12.0, 6.0, 9.0]])
    fit = fit_logit(np.array([[1.0, 0.0], [1.0, 1.0]]), counts, np.arange(2))
    logs = np.log(counts[:, 1:] / counts[:, :1])
    assert fit.coef[:, 0] == pytest.approx(logs[0], abs=1e-9)
    assert fit.coef[:, 1] == pytest.approx(logs[1] - logs[0], abs=1e-9)


def test_coefficients_cr2_errors_df_and_joint_tests_are_those_of_r():
    wanted = golden("multinomial_logit")
    x, counts = (np.array(wanted[name], float) for name in ("x", "counts"))
    fit = fit_logit(x, counts, np.array(wanted["cluster"]))
    errors = fit.robust.errors(np.eye(6))
    assert fit.groups == 10
    assert fit.coef == pytest.approx(np.array(wanted["coef"]), abs=1e-10)
    assert errors.std_error == pytest.approx(np.ravel(wanted["std_error"]), rel=1e-9)
    assert errors.df == pytest.approx(np.ravel(wanted["df"]), rel=1e-8)
    assert fit.robust.covariance()[0] == pytest.approx(np.array(wanted["covariance"]), rel=1e-8)
    single, both = wanted["joint"]
    test = fit.joint_test(np.array([single["columns"]]))
    assert (test.f, test.df, test.df_denominator, test.p) == pytest.approx(
        tuple(single[name] for name in ("f", "df1", "df2", "p")), rel=1e-8
    )
    test = fit.joint_test(np.array(both["columns"]))
    assert both["df2"] > both["df1"]
    assert test.p == pytest.approx(both["p"], rel=1e-8)


def test_alike_rows_and_their_order_do_not_matter():
    x, counts, code = table(3)
    one = fit_logit(x, counts, code)
    order = np.random.default_rng(1).permutation(2 * len(x))
    halves = np.concatenate([np.floor(counts / 2), np.ceil(counts / 2)])[order]
    two = fit_logit(
        np.concatenate([x, x])[order], halves, 7 * np.concatenate([code, code])[order] + 3
    )
    assert two.coef == pytest.approx(one.coef, abs=1e-9)
    assert two.robust.covariance()[0] == pytest.approx(one.robust.covariance()[0], rel=1e-7)


def test_statsmodels_has_the_same_maximum_and_information():
    from statsmodels.discrete.discrete_model import MNLogit

    x, counts, code = table(5)
    fit = fit_logit(x, counts, code)
    row, level = np.nonzero(counts)
    times = counts[row, level].astype(int)
    peer = MNLogit(np.repeat(level, times), x[np.repeat(row, times)]).fit(
        method="newton", tol=1e-12, disp=0
    )
    assert fit.coef == pytest.approx(np.asarray(peer.params).T, abs=1e-8)
    assert fit.bread == pytest.approx(np.asarray(peer.cov_params()), rel=1e-6)


@pytest.mark.parametrize("seed", [0, 1])
def test_whitened_rows_have_the_score_and_the_information(seed):
    x, counts, _ = table(seed)
    coef = np.random.default_rng(seed).normal(0, 0.5, (2, 3))
    p = probabilities(x, coef)
    rows, residuals = whitened_rows(x, counts, p)
    off = (counts - counts.sum(axis=1, keepdims=True) * p)[:, 1:]
    weights = [
        n * (np.diag(q) - np.outer(q, q)) for n, q in zip(counts.sum(axis=1), p[:, 1:], strict=True)
    ]
    assert rows.T @ residuals == pytest.approx(
        sum(np.kron(e, one) for e, one in zip(off, x, strict=True))
    )
    wanted = sum(np.kron(w, np.outer(one, one)) for w, one in zip(weights, x, strict=True))
    assert (rows.T @ rows).toarray() == pytest.approx(wanted)


@pytest.mark.slow
def test_a_true_null_is_rejected_as_often_as_the_level_says():
    """400 tables of 30 clusters with tastes of their own: 5% with a Monte-Carlo error of 1.1."""
    rejected = []
    for seed in range(400):
        test = fit_logit(*table(100 + seed)).joint_test(np.array([1]))
        rejected.append(not isinstance(test, str) and test.p < 0.05)
    assert 0.02 <= np.mean(rejected) <= 0.08


def topics(seed: int, n: int, levels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Topics with tastes of their own in four domains: intercept, domains, a source within topics."""
    rng = np.random.default_rng(seed)
    code = np.repeat(np.arange(n), 2)
    source = np.tile([0.0, 1.0], n)
    x = np.column_stack([np.ones(2 * n), source, np.eye(4)[code % 4][:, 1:]])
    odds = np.exp(rng.normal(0, 0.6, (n, levels))[code] + rng.normal(0, 0.3, (2 * n, levels)))
    chances = odds / odds.sum(axis=1, keepdims=True)
    counts = [rng.multinomial(k, p) for k, p in zip(np.tile([40, 12], n), chances, strict=True)]
    return x, np.array(counts, float), code


@pytest.mark.slow
@pytest.mark.parametrize("n", [12, 24])
def test_few_topics_in_four_domains_hold_the_level_or_have_no_test(n):
    """Of 12 topics all three coefficients of domains of three levels have no joint test; t tests hold (error .01)."""
    joint, single = [], []
    for seed in range(500):
        fit = fit_logit(*topics(seed, n, 3))
        test = fit.joint_test(np.array([2, 3, 4]))
        joint.append(None if isinstance(test, str) else test.p < 0.05)
        errors = fit.robust.errors(np.eye(10))
        single.append(2 * t.sf(np.abs(fit.coef.ravel() / errors.std_error), errors.df) < 0.05)
    rates = np.mean(single, axis=0)[[1, 2, 3, 4, 6, 7, 8, 9]]
    assert np.all((rates > 0.015) & (rates < 0.085))
    assert 0.03 < rates.mean() < 0.07
    if n == 12:
        assert all(one is None for one in joint)
    else:
        assert all(one is not None for one in joint)
        assert 0.02 < np.mean(joint) < 0.08


def test_too_few_clusters_for_a_joint_test_say_so():
    fit = fit_logit(*topics(1, 12, 3))
    assert "too few clusters for 6 coefficients" in fit.joint_test(np.array([2, 3, 4]))
    assert fit.joint_test(np.array([1])).df == 2


def test_a_term_of_a_single_cluster_has_no_error():
    x, counts, code = topics(2, 12, 2)
    x = np.column_stack([x[:, :2], (code == 5).astype(float)])
    fit = fit_logit(x, counts, code)
    errors = fit.robust.errors(np.eye(3))
    assert errors.refused.tolist() == [False, False, True]
    assert "rests on single clusters" in fit.joint_test(np.array([2]))


def test_a_level_that_a_column_rules_out_has_no_fit():
    with pytest.raises(UndefinedStatistic, match="rule a level out"):
        fit_logit(
            np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[3.0, 4.0], [5.0, 0.0]]), np.arange(2)
        )
    with pytest.raises(UndefinedStatistic, match="rule a level out"):
        fit_logit(np.ones((2, 1)), np.array([[3.0, 0.0, 4.0], [5.0, 0.0, 1.0]]), np.arange(2))
    with pytest.raises(UndefinedStatistic, match="single cluster"):
        fit_logit(np.ones((2, 1)), np.ones((2, 2)), np.zeros(2, dtype=int))


def test_separated_columns_have_no_fit_whatever_the_levels():
    """One of three sources never gave the third level; a large finite log-odds ratio stays."""
    x = np.column_stack([np.ones(6), np.repeat(np.eye(3)[:, 1:], 2, axis=0)])
    counts = np.array([[9, 5, 2], [8, 4, 3], [7, 2, 4], [9, 5, 1], [6, 5, 0], [9, 4, 0]], float)
    with pytest.raises(UndefinedStatistic, match="rule a level out"):
        fit_logit(x, counts, np.arange(6))
    counts[5, 2] = 1
    assert np.isfinite(fit_logit(x, counts, np.arange(6)).coef).all()
    big = fit_logit(np.ones((2, 1)), np.array([[300_000.0, 1.0], [500_000.0, 1.0]]), np.arange(2))
    assert big.coef[0, 0] == pytest.approx(np.log(2 / 800_000), abs=1e-9)

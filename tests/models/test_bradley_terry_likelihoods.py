"""The three likelihoods: derivatives against numerical ones, Firth's score, solvers against exact answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import approx_fprime

from socialstats.choices.bradley_terry import bradley_terry
from socialstats.choices.bradley_terry.fitting import fit_firth, fit_mm, fit_newton
from socialstats.choices.bradley_terry.likelihoods import (
    LIKELIHOODS,
    centred_inverse,
    information,
    log_likelihood,
    pair_data,
    score,
    solve_centred,
)
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import NonConvergence

MODELS = ["none", "half", "davidson", "rao_kupper"]


def probability(kind, eta, tau):
    """P(a), P(b), P(tie) straight from the papers: worths p_a = exp(eta), p_b = 1."""
    a, b = np.exp(eta), 1.0
    if kind in ("none", "half"):
        return a / (a + b), b / (a + b), None
    if kind == "davidson":
        tie = np.exp(tau) * np.sqrt(a * b)
        return a / (a + b + tie), b / (a + b + tie), tie / (a + b + tie)
    theta = np.exp(tau)
    win, loss = a / (a + theta * b), b / (b + theta * a)
    return win, loss, (theta**2 - 1) * a * b / ((a + theta * b) * (b + theta * a))


def games(kind, seed=0, n=5, rows=120):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, n, rows)
    b = (a + rng.integers(1, n, rows)) % n
    ends = (2, 3)[kind != "none"]
    outcome = rng.integers(0, ends, rows)
    frame = pd.DataFrame(
        {
            "item_a": [f"i{k}" for k in a],
            "item_b": [f"i{k}" for k in b],
            "winner": [(f"i{i}", f"i{j}", "tie")[o] for i, j, o in zip(a, b, outcome, strict=True)],
            "x_a": rng.normal(size=rows).round(1),
            "x_b": rng.normal(size=rows).round(1),
            "order": [
                f"i{(i, j)[k]}" for i, j, k in zip(a, b, rng.integers(0, 2, rows), strict=True)
            ],
        }
    )
    return Comparisons.from_frame(frame)


def arrays(kind, seed=0):
    design = games(kind, seed)
    z = np.column_stack([design.first, design.covariates["x"].a - design.covariates["x"].b]).astype(
        float
    )
    return design, z, pair_data(design, z, ("order", "x"))


def loglik_by_hand(kind, design, z, beta):
    total, n = 0.0, len(design.items)
    tau = beta[-1] if kind in ("davidson", "rao_kupper") else 0.0
    for a, b, o, row, w in zip(
        design.item_a, design.item_b, design.outcome, z, design.weight, strict=True
    ):
        eta = beta[a] - beta[b] + row @ beta[n : n + 2]
        p = probability(kind, eta, tau)
        tied = 0.5 * (np.log(p[0]) + np.log(p[1])) if kind in ("none", "half") else np.log(p[2])
        total += w * (tied if o == 2 else np.log(p[o]))
    return total


def point(kind, data, seed=3):
    rng = np.random.default_rng(seed)
    beta = rng.normal(size=data.x.shape[1]) * 0.7
    return np.append(beta, 0.6) if kind in ("davidson", "rao_kupper") else beta


def derivatives(kind, data, beta):
    return score(data, LIKELIHOODS[kind], beta, data.w), information(data, LIKELIHOODS[kind], beta)


@pytest.mark.parametrize("kind", MODELS)
def test_log_likelihood_is_the_definition(kind):
    design, z, data = arrays(kind)
    beta = point(kind, data)
    ours = log_likelihood(data, LIKELIHOODS[kind], beta)
    assert ours == pytest.approx(loglik_by_hand(kind, design, z, beta), rel=1e-12)


@pytest.mark.parametrize("kind", MODELS)
def test_gradient_and_information_are_numerical_derivatives(kind):
    design, z, data = arrays(kind)
    beta = point(kind, data)
    g, h = derivatives(kind, data, beta)
    model = LIKELIHOODS[kind]
    at = model.curvature(*data.eta_tau(beta), model.statistics(data.w))
    by_curvature = np.append(data.x.T @ at.g_eta, [] if at.g_tau is None else at.g_tau.sum())
    np.testing.assert_allclose(by_curvature, g, atol=1e-10)
    numeric = approx_fprime(beta, lambda v: loglik_by_hand(kind, design, z, v), 1e-6)
    np.testing.assert_allclose(g, numeric, atol=2e-4)
    rows = [
        approx_fprime(beta, lambda v, j=j: derivatives(kind, data, v)[0][j], 1e-7)
        for j in range(len(beta))
    ]
    np.testing.assert_allclose(h, -np.array(rows), atol=1e-4)
    np.testing.assert_allclose(h, h.T, rtol=1e-13)


@pytest.mark.parametrize("kind", MODELS)
def test_probabilities_and_scores(kind):
    model = LIKELIHOODS[kind]
    eta, tau = np.array([-40.0, -3.0, 0.0, 0.4, 6.0]), 0.8
    p = model.probabilities(eta, tau)
    np.testing.assert_allclose(p.sum(axis=0), 1, rtol=1e-14)
    s_eta, s_tau = model.scores(eta, tau)
    s_tau = np.zeros((3, 5)) if s_tau is None else s_tau
    for k in range(3 if model.tie_term else 2):
        wanted = [probability(kind, e, tau)[k] for e in eta[1:]]
        np.testing.assert_allclose(p[k, 1:], wanted, rtol=1e-10)
        up, down = (
            model.probabilities(eta[1:] + 1e-6, tau)[k],
            model.probabilities(eta[1:] - 1e-6, tau)[k],
        )
        np.testing.assert_allclose(s_eta[k, 1:], (np.log(up) - np.log(down)) / 2e-6, atol=1e-8)
        up, down = (
            model.probabilities(eta[1:], tau + 1e-6)[k],
            model.probabilities(eta[1:], tau - 1e-6)[k],
        )
        np.testing.assert_allclose(s_tau[k, 1:], (np.log(up) - np.log(down)) / 2e-6, atol=1e-8)


@pytest.mark.parametrize("kind", ["davidson", "rao_kupper"])
def test_starting_value_of_ties_is_exact_for_equal_strengths(kind):
    model, wins, ties = LIKELIHOODS[kind], 70.0, 30.0
    p = model.probabilities(np.zeros(1), model.start_tau(wins, ties))
    assert p[2, 0] == pytest.approx(0.3, rel=1e-12)


@pytest.mark.parametrize("kind", ["none", "davidson"])
def test_firth_is_the_maximum_of_the_penalised_likelihood(kind):
    """At the estimate the numerical gradient of loglik + log det(information) / 2 is zero (Firth 1993)."""
    design, z, data = arrays(kind, seed=5)
    fitted = fit_firth(data, LIKELIHOODS[kind])

    def penalised(free):
        beta = np.insert(free, 0, 0.0)
        return (
            loglik_by_hand(kind, design, z, beta)
            + np.linalg.slogdet(derivatives(kind, data, beta)[1][1:, 1:])[1] / 2
        )

    beta = fitted.beta.copy()
    beta[: data.n_items] -= beta[0]
    step = 1e-5 * np.eye(len(beta) - 1)
    slope = np.array([(penalised(beta[1:] + s) - penalised(beta[1:] - s)) / 2e-5 for s in step])
    np.testing.assert_allclose(slope, 0, atol=1e-6)
    moved = beta[1:] + 0.05
    assert penalised(moved) < penalised(beta[1:])


def chain(n=20, wins=50):
    rows = [(f"c{k:02d}", f"c{k + 1:02d}", wins, 1) for k in range(n - 1)]
    return Comparisons.from_counts(
        pd.DataFrame(rows, columns=["item_a", "item_b", "wins_a", "wins_b"])
    )


def test_chain_has_the_exact_gap():
    """Each of 20 items wins 50:1 against the next: neighbours differ by log 50 exactly."""
    strengths = np.array(list(bradley_terry(chain()).strengths.values()))
    np.testing.assert_allclose(-np.diff(strengths), np.log(50), atol=1e-10)


def test_two_items_have_the_closed_form():
    rows = pd.DataFrame({"item_a": ["x"], "item_b": ["y"], "wins_a": [30], "wins_b": [10]})
    fit = bradley_terry(Comparisons.from_counts(rows), reference="y")
    assert fit.row("x").estimate == pytest.approx(np.log(3), abs=1e-12)
    assert fit.row("x").std_error == pytest.approx(np.sqrt(1 / 30 + 1 / 10), rel=1e-10)
    assert fit.log_likelihood == pytest.approx(30 * np.log(0.75) + 10 * np.log(0.25), rel=1e-13)


@pytest.mark.parametrize("kind", ["none", "half"])
def test_mm_agrees_with_newton(kind):
    data = pair_data(
        games(kind, seed=8, rows=200), np.zeros((len(games(kind, seed=8, rows=200).first), 0)), ()
    )
    worth, _ = fit_mm(data)
    mm = np.log(worth) - np.log(worth).mean()
    np.testing.assert_allclose(mm, fit_newton(data, LIKELIHOODS[kind]).beta, atol=1e-8)
    assert worth.sum() == pytest.approx(1, rel=1e-14)


def test_mm_agrees_with_newton_through_the_front_door():
    design = games("none", seed=9, rows=300)
    newton, mm = bradley_terry(design, order=False), bradley_terry(design, solver="mm")
    assert mm.strengths == pytest.approx(newton.strengths, abs=1e-8)
    assert [r.std_error for r in mm.rows] == pytest.approx(
        [r.std_error for r in newton.rows], rel=1e-7
    )


def test_stopping_early_is_an_error_that_carries_the_gap():
    design = games("none", seed=9, rows=300)
    data = pair_data(design, np.zeros((len(design.first), 0)), ())
    with pytest.raises(NonConvergence) as stopped:
        fit_mm(data, max_iterations=3)
    assert stopped.value.iterations == 3
    assert 0 < stopped.value.gap < 1
    with pytest.raises(NonConvergence):
        fit_newton(data, LIKELIHOODS["none"], max_iterations=1)


@pytest.mark.parametrize(("n", "extra"), [(2, 0), (5, 0), (5, 2)])
def test_the_inverse_of_an_information_is_symmetric_and_of_centred_strengths(
    n: int, extra: int
) -> None:
    rng = np.random.default_rng(n + extra)
    x = rng.normal(size=(40, n + extra))
    x[:, :n] -= x[:, :n].mean(axis=1, keepdims=True)  # strengths have no level
    information = x.T @ x
    found = centred_inverse(information, n)
    assert np.array_equal(found, found.T)
    np.testing.assert_allclose(found, np.linalg.pinv(information), rtol=1e-8, atol=1e-12)
    slope = information @ rng.normal(size=n + extra)
    step = solve_centred(information, slope, n)
    np.testing.assert_allclose(step, np.linalg.pinv(information) @ slope, rtol=1e-7, atol=1e-10)
    assert step[:n].sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("kind", MODELS)
def test_a_fit_that_begins_at_its_end_takes_one_step(kind):
    """Every step before brings the score nearer to 0; the last one moves nothing."""
    _, _, data = arrays(kind)
    found = fit_newton(data, LIKELIHOODS[kind])
    assert found.iterations > 1
    np.testing.assert_allclose(derivatives(kind, data, found.beta)[0], 0, atol=1e-8)
    again = fit_newton(data, LIKELIHOODS[kind], beta=found.beta, max_iterations=1)
    assert again.iterations == 1
    np.testing.assert_allclose(again.beta, found.beta, atol=1e-10)
    with pytest.raises(NonConvergence):
        fit_newton(data, LIKELIHOODS[kind], max_iterations=1)

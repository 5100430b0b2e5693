"""The reference values themselves: against print, against an independent fit in Python, against one another."""

from __future__ import annotations

import gzip
import hashlib
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from socialstats.datasets import baseball, ice_hockey, journal_citations
from tests.golden.make_crossed import rows as crossed_rows
from tests.golden_data import GOLDEN, SHARED, by_name, covariance, golden, golden_frame


def names_of(rows: list[dict[str, Any]]) -> list[str]:
    return [row["term"] for row in rows]


def difference(a: pd.Series, b: pd.Series, items: list[str]) -> np.ndarray:
    one, two = a.to_numpy()[:, None], b.to_numpy()[:, None]
    return (one == np.array(items)).astype(float) - (two == np.array(items))


def glm(X: np.ndarray, y: Any) -> Any:
    return sm.GLM(y, X, family=sm.families.Binomial()).fit(tol=1e-14, maxiter=100)


def test_citations_match_the_printed_values() -> None:
    """Turner and Firth (2012), section 2: estimates, standard errors, deviance."""
    ml = golden("citations")["ml"]
    assert {k: round(v, 5) for k, v in by_name(ml["coefficients"]).items()} == {
        "Comm Statist": -2.94907,
        "JASA": -0.47957,
        "JRSS-B": 0.26895,
    }
    assert {k: round(v, 5) for k, v in by_name(ml["coefficients"], "std_error").items()} == {
        "Comm Statist": 0.10255,
        "JASA": 0.06059,
        "JRSS-B": 0.07083,
    }
    assert round(ml["deviance"], 4) == 4.2934
    assert ml["df_residual"] == 3


def test_baseball_matches_the_printed_values() -> None:
    """Agresti (2002), Table 10.11: strengths against Baltimore, home advantage 0.302 (s.e. 0.131)."""
    order = golden("baseball")["order"]
    found = by_name(order["coefficients"])
    assert round(found.pop("order"), 3) == 0.302
    assert round(by_name(order["coefficients"], "std_error")["order"], 3) == 0.131
    assert {team: round(value, 2) for team, value in found.items()} == {
        "Milwaukee": 1.62,
        "Detroit": 1.48,
        "Toronto": 1.33,
        "New York": 1.28,
        "Boston": 1.14,
        "Cleveland": 0.70,
    }


@pytest.mark.parametrize(("model", "home"), [("no_order", False), ("order", True)])
def test_baseball_by_statsmodels(model: str, home: bool) -> None:
    data, wanted = baseball(), golden("baseball")[model]
    names = names_of(wanted["coefficients"])
    X = difference(data["item_a"], data["item_b"], [name for name in names if name != "order"])
    fit = glm(np.column_stack([X, np.ones(len(data))]) if home else X, data[["wins_a", "wins_b"]])
    assert (names[-1] == "order") is home
    np.testing.assert_allclose(
        fit.params, list(by_name(wanted["coefficients"]).values()), atol=1e-9
    )
    np.testing.assert_allclose(fit.cov_params(), covariance(wanted["vcov"], names), rtol=1e-8)
    assert fit.deviance == pytest.approx(wanted["deviance"], rel=1e-12)


def test_reference_item_changes_nothing_but_the_reference() -> None:
    data = golden("citations")
    first, second = data["ml"], data["ml_reference_jasa"]
    assert by_name(first["centred"]) == pytest.approx(by_name(second["centred"]), abs=1e-12)
    a, b = (by_name(one["quasi_variances"]["rows"], "quasi_variance") for one in (first, second))
    assert a == pytest.approx(b, rel=1e-7)


@pytest.mark.parametrize(("file", "model"), [("citations", "firth"), ("unbeaten", "firth")])
def test_firth_solves_the_modified_score(file: str, model: str) -> None:
    """U(b) + X'(h (1/2 - p)) = 0, Firth (1993): recomputed here from the data."""
    data = journal_citations() if file == "citations" else pd.DataFrame(golden(file)["data"])
    wanted = by_name(golden(file)[model]["coefficients"])
    X = difference(data["item_a"], data["item_b"], list(wanted))
    wins, games = data["wins_a"].to_numpy(float), (data["wins_a"] + data["wins_b"]).to_numpy(float)
    p = 1 / (1 + np.exp(-X @ np.array(list(wanted.values()))))
    W = games * p * (1 - p)
    cov = np.linalg.inv(X.T @ (X * W[:, None]))
    h = W * np.einsum("ij,jk,ik->i", X, cov, X)
    np.testing.assert_allclose(X.T @ (wins - games * p + h * (0.5 - p)), 0, atol=1e-9)
    wanted_se = list(by_name(golden(file)[model]["coefficients"], "std_error").values())
    np.testing.assert_allclose(np.sqrt(np.diag(cov)), wanted_se, rtol=1e-7)


def quasi_variance_gap(cov: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Gradient of sum over pairs of (log(q_i + q_j) - log var(i - j))^2 with respect to q."""
    variance = np.diag(cov)[:, None] + np.diag(cov)[None] - 2 * cov
    total = q[:, None] + q[None]
    np.fill_diagonal(variance, 1)
    pull = np.log(total / variance) / total
    np.fill_diagonal(pull, 0)
    return pull.sum(axis=1)


def test_quasi_variances_are_a_stationary_point() -> None:
    ml = golden("citations")["ml"]
    q = by_name(ml["quasi_variances"]["rows"], "quasi_variance")
    cov = np.zeros((4, 4))
    cov[1:, 1:] = covariance(ml["vcov"], list(q)[1:])
    assert next(iter(q)) == ml["reference"]
    gap = quasi_variance_gap(cov, np.array(list(q.values())))
    assert np.abs(gap).max() < 1e-4
    assert np.abs(quasi_variance_gap(cov, np.array(list(q.values())) * 1.001)).max() > 0.1


def hockey() -> tuple[pd.DataFrame, np.ndarray]:
    data = ice_hockey()
    return data, np.select(
        [data["winner"] == data["visitor"], data["winner"] == data["opponent"]], [0, 1], 2
    )


def tie_loglik(kind: str, gap: np.ndarray, tie: float, outcome: np.ndarray) -> float:
    """Log-likelihood straight from the definition of the probabilities."""
    a, b = np.exp(gap / 2), np.exp(-gap / 2)
    if kind == "davidson":
        ways = np.stack([a, b, np.full_like(a, np.exp(tie))])
        p = ways / ways.sum(axis=0)
    else:
        theta = np.exp(tie)
        win, loss = a / (a + theta * b), b / (b + theta * a)
        p = np.stack([win, loss, 1 - win - loss])
    return float(np.log(p[outcome, np.arange(len(gap))]).sum())


@pytest.mark.parametrize("extra", ["", "_order", "_home"])
@pytest.mark.parametrize("kind", ["davidson", "rao_kupper"])
def test_ties_reach_their_maximum(kind: str, extra: str) -> None:
    wanted = golden("ice_hockey_ties")[kind + extra]
    data, outcome = hockey()
    values = by_name(wanted["coefficients"])
    tie = values.pop("log_nu" if kind == "davidson" else "log_theta")
    shift = values.pop(extra[1:], 0.0)
    X = difference(data["visitor"], data["opponent"], list(values))
    gap = X @ np.array(list(values.values()))
    gap += shift * (1 if extra == "_order" else -data["home_ice"].to_numpy())
    best = tie_loglik(kind, gap, tie, outcome)
    assert best == pytest.approx(wanted["loglik"], rel=1e-12)
    assert wanted["max_abs_gradient"] < 1e-10
    rng = np.random.default_rng(1)
    for _ in range(20):
        direction = rng.normal(size=X.shape[1])
        moved = gap + 0.01 * X @ direction
        assert tie_loglik(kind, moved, tie, outcome) < best
    assert max(tie_loglik(kind, gap, tie + step, outcome) for step in (-0.01, 0.01)) < best


@pytest.mark.parametrize("name", ["davidson", "davidson_order", "davidson_home"])
def test_davidson_agrees_with_gnm(name: str) -> None:
    data = golden("ice_hockey_ties")
    for value, tolerance in (("estimate", 2e-7), ("std_error", 1e-7)):
        assert by_name(data[name]["coefficients"], value) == pytest.approx(
            by_name(data[f"{name}_gnm"], value), abs=tolerance
        )


def test_rao_kupper_with_order_agrees_with_polr() -> None:
    data = golden("ice_hockey_ties")
    ours, polr = by_name(data["rao_kupper_order"]["coefficients"]), data["rao_kupper_order_polr"]
    low, high = polr["zeta"]
    assert ours.pop("log_theta") == pytest.approx((high - low) / 2, abs=1e-6)
    assert ours.pop("order") == pytest.approx(-(high + low) / 2, abs=1e-6)
    assert ours == pytest.approx(by_name(polr["coefficients"]), abs=1e-5)


def test_davidson_agrees_with_psychotools() -> None:
    data = golden("crossed")
    other = data["davidson_items_only_psychotools"]
    ours = by_name(data["davidson_items_only"]["coefficients"])
    assert ours == pytest.approx(by_name(other["coefficients"]), abs=1e-8)
    ours = by_name(data["davidson_items_only"]["coefficients"], "std_error")
    assert ours == pytest.approx(by_name(other["coefficients"], "std_error"), rel=1e-6)


def test_crossed_rows_come_from_their_generator() -> None:
    frame = pd.DataFrame(crossed_rows(), columns=list(golden_frame("crossed.csv.gz").columns))
    pd.testing.assert_frame_equal(
        frame, golden_frame("crossed.csv.gz").astype("str"), check_dtype=False
    )


def test_clusters_recomputed_from_the_rows() -> None:
    """Cameron, Gelbach and Miller (2011): V1 + V2 - V12, each with its G/(G - 1), scores summed by loops here."""
    data = golden_frame("crossed.csv.gz").query("winner != 'tie'")
    wanted = golden("crossed")["tie_free"]
    names = names_of(wanted["coefficients"])
    items = difference(data["item_a"], data["item_b"], names[:-2])
    order = np.where(data["first"] == data["item_a"], 1.0, -1.0)
    X = np.column_stack([items, data["urgency_a"] - data["urgency_b"], order])
    y = (data["winner"] == data["item_a"]).to_numpy(float)
    fit = glm(X, y)
    np.testing.assert_allclose(
        fit.params, list(by_name(wanted["coefficients"]).values()), atol=1e-9
    )
    score, bread = X * (y - fit.fittedvalues)[:, None], fit.cov_params()

    def one_way(labels: pd.Series) -> np.ndarray:
        sums = [score[(labels == label).to_numpy()].sum(axis=0) for label in labels.unique()]
        scale = len(sums) / (len(sums) - 1)
        return scale * bread @ np.transpose(sums) @ np.array(sums) @ bread

    worker, prompt = one_way(data["worker"]), one_way(data["prompt"])
    both = worker + prompt - one_way(data["worker"] + data["prompt"])
    for found, entry in (
        (worker, wanted["one_way"]["worker"]),
        (prompt, wanted["one_way"]["prompt"]),
        (both, wanted["two_way"]),
        (bread @ score.T @ score @ bread, wanted["hc0_by_row"]),
    ):
        np.testing.assert_allclose(found, covariance(entry, names), rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("model", ["tie_free", "davidson", "rao_kupper", "davidson_items_7_to_12"])
def test_two_way_covariance_and_its_floor(model: str) -> None:
    wanted = golden("crossed")[model]
    names = wanted["two_way"]["names"]
    both, floored = (covariance(wanted[key], names) for key in ("two_way", "two_way_floored"))
    values, vectors = np.linalg.eigh(both)
    assert values[0] == pytest.approx(wanted["two_way_smallest_eigenvalue"], abs=1e-10)
    assert bool(values[0] > 0) is (model == "davidson_items_7_to_12")
    np.testing.assert_allclose((vectors * np.maximum(values, 0)) @ vectors.T, floored, atol=1e-12)


def test_simulated_role_conflict_loglik() -> None:
    data, wanted = golden_frame("rcb_sim.csv.gz"), golden("rcb_sim")
    strengths = by_name(wanted["ml"]["centred"])
    assert len(data) == 13_914
    assert len(strengths) == 65
    gap = data["item_a"].map(strengths) - data["item_b"].map(strengths)
    sign = np.where(data["winner"] == data["item_a"], 1, -1)
    loglik = -np.logaddexp(0, -(sign * gap).to_numpy()).sum()
    assert loglik == pytest.approx(-7476.1258016742195, rel=1e-12)
    assert wanted["ml"]["loglik_bernoulli"] == pytest.approx(-7476.1258016742195, rel=1e-13)
    assert wanted["pairs"] == 1546
    assert round(wanted["pair_deviance"], 2) == 1477.21
    content = gzip.decompress((GOLDEN / "rcb_sim.csv.gz").read_bytes())
    digest = hashlib.sha256(content).hexdigest()
    assert (digest[:8], digest[-5:]) == ("8632398a", "fd7e0")


@pytest.mark.skipif(not (SHARED / "data").is_dir(), reason="../shared is not beside the project")
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (("citations", "ml"), ("citations", "model")),
        (("citations", "firth"), ("citations", "bias_reduced_firth")),
        (("baseball", "no_order"), ("baseball", "no_home")),
        (("baseball", "order"), ("baseball", "home_advantage")),
        (("ice_hockey", "half"), ("icehockey", "standard")),
        (("ice_hockey", "half_home"), ("icehockey", "home_ice")),
        (("ice_hockey_ties", "davidson"), ("icehockey_ties", "davidson")),
        (("ice_hockey_ties", "davidson_order"), ("icehockey_ties", "davidson_order")),
    ],
)
def test_an_earlier_run_gave_the_same(ours: tuple[str, str], theirs: tuple[str, str]) -> None:
    wanted = json.loads((SHARED / "data" / "golden_paired" / f"{theirs[0]}.json").read_text())[
        theirs[1]
    ]
    rows = wanted["coefficients"] if "coefficients" in wanted else wanted["coef"]
    rename = {"at.home": "order", "home.ice": "home", "tie": "log_nu"}
    other = {}
    for row in rows:
        term = row["term"].removeprefix("team").removeprefix("journal")
        other[rename.get(term, term)] = row
    found = golden(ours[0])[ours[1]]["coefficients"]
    assert by_name(found) == pytest.approx(
        {k: row["estimate"] for k, row in other.items()}, abs=2e-7
    )
    # the earlier standard errors are from numerical second derivatives (ties) or one iteration earlier (glm)
    expected = {
        k: row["std.error"] if "std.error" in row else row["std_error"] for k, row in other.items()
    }
    assert by_name(found, "std_error") == pytest.approx(
        expected, rel=5e-4 if "ties" in ours[0] else 2e-5
    )

"""Bradley-Terry fits against R (tests/golden), joined by name."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from socialstats.datasets import baseball, ice_hockey, journal_citations
from socialstats.designs.comparisons import Comparisons
from socialstats.metrics.bradley_terry import bradley_terry
from tests.golden_data import by_name, covariance, golden, golden_frame


def citations():
    return Comparisons.from_counts(journal_citations())


def home_and_away():
    return Comparisons.from_counts(baseball(), order="home")


def hockey():
    games = ice_hockey().assign(visiting=0)
    return Comparisons.from_frame(
        games, item_a="visitor", item_b="opponent", winner="winner", covariates={"home": ("visiting", "home_ice")}
    )


def crossed(drop_ties=False, keep=None):
    rows = golden_frame("crossed.csv.gz")
    rows = rows if keep is None else rows[rows["item_a"].isin(keep) & rows["item_b"].isin(keep)]
    rows = rows[rows["winner"] != "tie"] if drop_ties else rows
    return Comparisons.from_frame(
        rows, order="first", cluster=("worker", "prompt"), covariates={"urgency": ("urgency_a", "urgency_b")}
    )


def same_coefficients(fit, wanted, atol=1e-8, rtol=1e-6):
    """Estimate, s.e., statistic and p of every term of R's table, and nothing but the reference besides."""
    table = {row["term"]: row for row in wanted["coefficients"]}
    assert set(fit.names) == set(table) | {wanted["reference"]}
    for term, row in table.items():
        ours = fit.row(term)
        assert ours.estimate == pytest.approx(row["estimate"], abs=atol), term
        assert ours.std_error == pytest.approx(row["std_error"], rel=rtol), term
        if "statistic" in row:
            assert ours.statistic == pytest.approx(row["statistic"], rel=1e-5), term
            assert ours.p_value == pytest.approx(row["p_value"], rel=1e-4, abs=1e-300), term


def same_centred(fit, wanted, rtol=1e-6):
    assert fit.strengths == pytest.approx(by_name(wanted["centred"]), abs=1e-8)
    ours = {row.term: row.std_error for row in fit.rows if row.group == "strength"}
    assert ours == pytest.approx(by_name(wanted["centred"], "std_error"), rel=rtol)


def same_quasi_variances(fit, wanted, atol):
    found = fit.quasi_variances()
    assert found.extras["quasi_variance"] == pytest.approx(by_name(wanted["rows"], "quasi_variance"), abs=atol)
    errors = {row.term: row.std_error for row in found.rows}
    assert errors == pytest.approx(by_name(wanted["rows"], "quasi_se"), rel=1e-6)
    return found.extras["worst_errors"]


@pytest.mark.parametrize("key", ["ml", "ml_reference_jasa"])
def test_citations(key):
    wanted = golden("citations")[key]
    fit = bradley_terry(citations(), reference=wanted["reference"])
    same_coefficients(fit, wanted)
    names = [row["term"] for row in wanted["coefficients"]]
    np.testing.assert_allclose(fit.vcov().loc[names, names], covariance(wanted["vcov"], names), rtol=1e-6)
    assert fit.log_likelihood == pytest.approx(wanted["loglik_bernoulli"], rel=1e-12)
    assert fit.fit["aic"] == pytest.approx(2 * 3 - 2 * wanted["loglik_bernoulli"], rel=1e-12)
    assert {r.term: r.estimate for r in fit.worth().rows} == pytest.approx(wanted["worth"], abs=1e-9)
    gof = fit.goodness_of_fit().row("deviance")
    assert gof.statistic == pytest.approx(wanted["deviance"], rel=1e-8)
    assert gof.df == wanted["df_residual"]


def test_citations_centred_and_quasi_variances():
    wanted = golden("citations")["ml"]
    fit = bradley_terry(citations())
    same_centred(fit, wanted)
    worst = same_quasi_variances(fit, wanted["quasi_variances"], 1e-8)
    assert worst == pytest.approx(wanted["quasi_variances"]["relative_errors_range"], abs=1e-7)


@pytest.mark.parametrize("key", ["firth", "firth_brglm"])
def test_citations_firth(key):
    wanted = golden("citations")[key]
    fit = bradley_terry(citations(), penalty="firth", reference=wanted["reference"])
    same_coefficients(fit, wanted, rtol=2e-5 if key == "firth_brglm" else 1e-6)
    assert fit.log_likelihood == pytest.approx(wanted["loglik_bernoulli"], rel=1e-11)


def test_unbeaten_item_with_firth():
    data = golden("unbeaten")
    fit = bradley_terry(Comparisons.from_counts(pd.DataFrame(data["data"])), penalty="firth", reference="A")
    same_coefficients(fit, data["firth"])


@pytest.mark.parametrize(("key", "order"), [("no_order", False), ("order", True)])
def test_baseball(key, order):
    wanted = golden("baseball")[key]
    fit = bradley_terry(home_and_away(), order=order, reference="Baltimore")
    same_coefficients(fit, wanted)
    assert fit.log_likelihood == pytest.approx(wanted["loglik_bernoulli"], rel=1e-12)
    same_quasi_variances(fit, wanted["quasi_variances"], 1e-8)
    gof = fit.goodness_of_fit(cells="ordered").row("deviance")
    assert gof.statistic == pytest.approx(wanted["deviance"], rel=1e-8)
    assert gof.df == wanted["df_residual"]


def test_baseball_home_advantage_is_printed():
    """Agresti (2002), Table 10.11: deviance 38.643 on 35 df, home advantage 0.302 (0.131)."""
    fit = bradley_terry(home_and_away(), order=True)
    assert round(fit.row("order").estimate, 3) == 0.302
    assert round(fit.row("order").std_error, 3) == 0.131
    assert fit.goodness_of_fit().row("deviance").statistic == pytest.approx(38.643, abs=5e-4)


def test_baseball_tests_and_fitted_values():
    data = golden("baseball")
    fit = bradley_terry(home_and_away(), order=True)
    test = bradley_terry(home_and_away()).anova(fit)
    for name in ("statistic", "p_value", "df"):
        assert getattr(test.rows[0], name) == pytest.approx(data["lrt"][name], rel=1e-7)
    pearson = fit.goodness_of_fit().row("Pearson").statistic
    assert pearson == pytest.approx(data["pearson_chi2"], rel=1e-8)
    for row in data["fitted"]:
        home, away = fit.predict(row["item_a"], row["item_b"], first="a").rows
        assert home.estimate == pytest.approx(row["value"], abs=1e-9)
        assert away.estimate == pytest.approx(1 - row["value"], abs=1e-9)
        assert home.term == f"{row['item_a']} wins"


def test_baseball_sandwiches():
    data = golden("baseball")
    names = data["hc0_by_row"]["names"]
    fit = bradley_terry(home_and_away(), order=True, reference="Baltimore", cluster="pair")
    found = fit.vcov().loc[names, names]
    np.testing.assert_allclose(found, covariance(data["cluster_by_pair"], names), rtol=1e-6)
    assert fit.row("Boston").df == 20
    firth = bradley_terry(home_and_away(), order=True, penalty="firth", reference="Baltimore")
    same_coefficients(firth, data["firth_order"])


def test_baseball_sandwich_by_tabulated_row():
    """R's HC0 takes a row of counts as one observation: the same as clusters of one row, without G/(G - 1)."""
    data = golden("baseball")
    games = baseball().assign(row=lambda d: [f"row {i}" for i in range(len(d))])
    fit = bradley_terry(Comparisons.from_counts(games, order="home", cluster="row"), order=True, reference="Baltimore")
    names = data["hc0_by_row"]["names"]
    np.testing.assert_allclose(fit.vcov().loc[names, names] * 41 / 42, covariance(data["hc0_by_row"], names), rtol=1e-6)


@pytest.mark.parametrize(("key", "formula"), [("half", None), ("half_home", "~ home")])
def test_hockey_with_half_wins(key, formula):
    data = golden("ice_hockey")
    wanted = data[key]
    fit = bradley_terry(hockey(), formula, ties="half", vcov="model", reference=wanted["reference"])
    same_coefficients(fit, wanted)
    same_quasi_variances(fit, wanted["quasi_variances"], 1e-7)
    robust = bradley_terry(hockey(), formula, ties="half", reference=wanted["reference"])
    ours = {r.term: r.std_error for r in robust.rows if r.std_error is not None}
    assert ours == pytest.approx(data["hc0_std_errors"][key], rel=1e-6)


@pytest.mark.parametrize("extra", ["", "_order", "_home"])
@pytest.mark.parametrize("ties", ["davidson", "rao_kupper"])
def test_hockey_with_ties(ties, extra):
    wanted = golden("ice_hockey_ties")[ties + extra]
    options = {"_order": {"order": True}, "_home": {"formula": "~ home"}}.get(extra, {})
    fit = bradley_terry(hockey(), ties=ties, reference=wanted["reference"], **options)
    same_coefficients(fit, wanted)
    assert fit.log_likelihood == pytest.approx(wanted["loglik"], rel=1e-12)
    free = bradley_terry(hockey(), ties=ties, **options)
    same_centred(free, wanted)
    if not extra:
        same_quasi_variances(free, wanted["quasi_variances"], 1e-7)


MODELS = ["tie_free", "davidson", "rao_kupper"]


def crossed_fit(model, **options):
    design = crossed(drop_ties=model == "tie_free")
    ties = "none" if model == "tie_free" else model
    return bradley_terry(design, "~ urgency", order=True, ties=ties, reference="i01", **options)


@pytest.mark.parametrize("model", MODELS)
def test_crossed_coefficients_and_row_sandwich(model):
    wanted = golden("crossed")[model]
    fit = crossed_fit(model, cluster=None)
    same_coefficients(fit, wanted)
    names = wanted["vcov"]["names"]
    np.testing.assert_allclose(fit.vcov().loc[names, names], covariance(wanted["vcov"], names), rtol=1e-6, atol=1e-12)
    robust = crossed_fit(model, cluster=None, vcov="sandwich").vcov().loc[names, names]
    np.testing.assert_allclose(robust, covariance(wanted["hc0_by_row"], names), rtol=1e-6, atol=1e-10)


@pytest.mark.parametrize("cluster", ["worker", "prompt"])
@pytest.mark.parametrize("model", MODELS)
def test_one_way_clusters(model, cluster):
    wanted = golden("crossed")[model]["one_way"][cluster]
    fit = crossed_fit(model, cluster=cluster)
    found = fit.vcov().loc[wanted["names"], wanted["names"]]
    np.testing.assert_allclose(found, covariance(wanted, wanted["names"]), rtol=1e-6, atol=1e-10)
    assert fit.row("order").df == {"worker": 40, "prompt": 25}[cluster] - 1


def test_two_way_clusters_that_are_positive():
    wanted = golden("crossed")["davidson_items_7_to_12"]
    items = {row["item"] for row in wanted["centred"]}
    fit = bradley_terry(crossed(keep=items), "~ urgency", order=True, reference=wanted["reference"])
    names = wanted["two_way"]["names"]
    found = fit.vcov().loc[names, names]
    np.testing.assert_allclose(found, covariance(wanted["two_way"], names), rtol=1e-6, atol=1e-10)
    assert not [c for c in fit.cautions if c.code == "SS206"]


@pytest.mark.parametrize("model", MODELS)
def test_two_way_clusters_that_are_not_positive_keep_their_variances(model):
    """R's matrix, centred, has a negative eigenvalue: single variances are R's, and the matrix is positive."""
    wanted = golden("crossed")[model]["two_way"]
    fit = crossed_fit(model, cluster=("worker", "prompt"))
    items = [name for name in fit.items if name != "i01"]
    rest = [name for name in wanted["names"] if name not in items]
    unfloored = covariance(wanted, items + rest)
    n = len(fit.items)
    back = np.zeros((n + len(rest), len(items) + len(rest)))
    back[1:] = np.eye(len(items) + len(rest))
    back[:n, : n - 1] -= 1 / n
    centred = back @ unfloored @ back.T
    free = bradley_terry(
        fit.design, "~ urgency", order=True, ties="none" if model == "tie_free" else model, vcov="cluster"
    )
    found = free.vcov().loc[["i01", *items, *rest], ["i01", *items, *rest]].to_numpy()
    np.testing.assert_allclose(np.diagonal(found), np.diagonal(centred), rtol=1e-6)
    assert np.linalg.eigvalsh(found)[0] > -1e-12
    assert [c for c in free.cautions if c.code == "SS206"]
    differences = free.pairwise().rows
    i, j = np.triu_indices(n, 1)
    d = np.diagonal(centred)
    np.testing.assert_allclose([r.std_error**2 for r in differences], d[i] + d[j] - 2 * centred[i, j], rtol=1e-6)


@pytest.mark.parametrize("model", MODELS)
def test_two_way_errors_with_a_reference_item_are_those_of_r(model):
    """Adjusting correlations in centred coordinates must not change the errors of differences."""
    wanted = golden("crossed")[model]["two_way"]
    fit = crossed_fit(model, cluster=("worker", "prompt"))
    found = fit.vcov().loc[wanted["names"], wanted["names"]].to_numpy()
    variances = np.diagonal(covariance(wanted, wanted["names"]))
    np.testing.assert_allclose(np.diagonal(found), variances, rtol=1e-6)
    errors = {row.term: row.std_error for row in fit.rows}
    np.testing.assert_allclose([errors[name] ** 2 for name in wanted["names"]], variances, rtol=1e-6)
    one = fit.contrast(f"{fit.items[1]} - i01").rows[0].std_error
    assert one == pytest.approx(errors[fit.items[1]], rel=1e-9)


def test_likelihood_ratios_of_terms_added_one_after_the_other():
    wanted = golden("crossed")["tie_free"]["anova"]
    design = crossed(drop_ties=True)
    plain, urgency, both = (
        bradley_terry(design, formula, order=order, cluster=None)
        for formula, order in ((None, False), ("~ urgency", False), ("~ urgency", True))
    )
    for term, small, large in (("urgency", plain, urgency), ("order", urgency, both)):
        row = large.anova(small).rows[0]
        assert row.term == term
        assert row.statistic == pytest.approx(wanted[term]["statistic"], rel=1e-7)
        assert row.df == wanted[term]["df"] == 1
        assert row.p_value == pytest.approx(wanted[term]["p_value"], rel=1e-6)


def role_conflict_rows():
    return Comparisons.from_frame(golden_frame("rcb_sim.csv.gz"))


def test_simulated_role_conflict():
    data = golden("rcb_sim")
    fit = bradley_terry(role_conflict_rows(), reference="fam01")
    assert fit.log_likelihood == pytest.approx(-7476.1258016742195, rel=1e-13)
    same_coefficients(fit, data["ml"])
    same_quasi_variances(fit, data["ml"]["quasi_variances"], 1e-8)
    gof = fit.goodness_of_fit(cells="pair").row("deviance")
    assert gof.statistic == pytest.approx(data["pair_deviance"], rel=1e-8)
    assert gof.df == data["pair_df"]


def test_simulated_role_conflict_with_urgency_and_clusters():
    data = golden("rcb_sim")
    design = role_conflict_rows()
    fit = bradley_terry(design, "~ urgency", cluster="pair")
    wanted = data["cluster_by_pair_centred_std_errors"]["ml_urgency"]
    assert {row.term: row.std_error for row in fit.rows} == pytest.approx(wanted, rel=1e-6)
    plain = bradley_terry(design, cluster="pair")
    wanted = data["cluster_by_pair_centred_std_errors"]["ml"]
    assert {row.term: row.std_error for row in plain.rows} == pytest.approx(wanted, rel=1e-6)
    test = bradley_terry(design).anova(bradley_terry(design, "~ urgency")).rows[0]
    assert test.statistic == pytest.approx(data["lrt_urgency"]["statistic"], rel=1e-9)

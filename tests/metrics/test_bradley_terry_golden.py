"""Bradley-Terry fits against R (tests/golden), joined by name."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from socialstats.choices.bradley_terry import bradley_terry
from socialstats.datasets import baseball, ice_hockey, journal_citations
from socialstats.designs.comparisons import Comparisons
from socialstats.inference.intervals import cochran_df
from tests.golden_data import by_name, covariance, golden, golden_frame


def citations():
    return Comparisons.from_counts(journal_citations())


def home_and_away():
    return Comparisons.from_counts(baseball(), order="home")


def hockey():
    games = ice_hockey().assign(visiting=0)
    return Comparisons.from_frame(
        games,
        item_a="visitor",
        item_b="opponent",
        winner="winner",
        covariates={"home": ("visiting", "home_ice")},
    )


def crossed(drop_ties=False, keep=None):
    rows = golden_frame("crossed.csv.gz")
    rows = rows if keep is None else rows[rows["item_a"].isin(keep) & rows["item_b"].isin(keep)]
    rows = rows[rows["winner"] != "tie"] if drop_ties else rows
    return Comparisons.from_frame(
        rows,
        order="first",
        cluster=("worker", "prompt"),
        covariates={"urgency": ("urgency_a", "urgency_b")},
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
    assert found.extras["quasi_variance"] == pytest.approx(
        by_name(wanted["rows"], "quasi_variance"), abs=atol
    )
    errors = {row.term: row.std_error for row in found.rows}
    assert errors == pytest.approx(by_name(wanted["rows"], "quasi_se"), rel=1e-6)
    return found.extras["worst_errors"]


@pytest.mark.parametrize("key", ["ml", "ml_reference_jasa"])
def test_citations(key):
    wanted = golden("citations")[key]
    fit = bradley_terry(citations(), reference=wanted["reference"], cluster="declared", order=False)
    same_coefficients(fit, wanted)
    names = [row["term"] for row in wanted["coefficients"]]
    np.testing.assert_allclose(
        fit.vcov().loc[names, names], covariance(wanted["vcov"], names), rtol=1e-6
    )
    assert fit.log_likelihood == pytest.approx(wanted["loglik_bernoulli"], rel=1e-12)
    assert fit.fit["aic"] == pytest.approx(2 * 3 - 2 * wanted["loglik_bernoulli"], rel=1e-12)
    assert {r.term: r.estimate for r in fit.worth().rows} == pytest.approx(
        wanted["worth"], abs=1e-9
    )
    gof = fit.goodness_of_fit().row("deviance")
    assert gof.statistic == pytest.approx(wanted["deviance"], rel=1e-8)
    assert gof.df == wanted["df_residual"]


def test_citations_centred_and_quasi_variances():
    wanted = golden("citations")["ml"]
    fit = bradley_terry(citations(), cluster="declared", order=False)
    same_centred(fit, wanted)
    worst = same_quasi_variances(fit, wanted["quasi_variances"], 1e-8)
    assert worst == pytest.approx(wanted["quasi_variances"]["relative_errors_range"], abs=1e-7)


@pytest.mark.parametrize("key", ["firth", "firth_brglm"])
def test_citations_firth(key):
    wanted = golden("citations")[key]
    fit = bradley_terry(
        citations(), penalty="firth", reference=wanted["reference"], cluster="declared", order=False
    )
    same_coefficients(fit, wanted, rtol=2e-5 if key == "firth_brglm" else 1e-6)
    assert fit.log_likelihood == pytest.approx(wanted["loglik_bernoulli"], rel=1e-11)


def test_unbeaten_item_with_firth():
    data = golden("unbeaten")
    fit = bradley_terry(
        Comparisons.from_counts(pd.DataFrame(data["data"])),
        penalty="firth",
        reference="A",
        cluster="declared",
        order=False,
    )
    same_coefficients(fit, data["firth"])


@pytest.mark.parametrize(("key", "order"), [("no_order", False), ("order", True)])
def test_baseball(key, order):
    wanted = golden("baseball")[key]
    fit = bradley_terry(home_and_away(), order=order, reference="Baltimore", cluster="declared")
    same_coefficients(fit, wanted)
    assert fit.log_likelihood == pytest.approx(wanted["loglik_bernoulli"], rel=1e-12)
    same_quasi_variances(fit, wanted["quasi_variances"], 1e-8)
    gof = fit.goodness_of_fit(cells="ordered").row("deviance")
    assert gof.statistic == pytest.approx(wanted["deviance"], rel=1e-8)
    assert gof.df == wanted["df_residual"]


def test_baseball_home_advantage_is_printed():
    """Agresti (2002), Table 10.11: deviance 38.643 on 35 df, home advantage 0.302 (0.131)."""
    fit = bradley_terry(home_and_away(), order=True, cluster="declared")
    assert round(fit.row("order").estimate, 3) == 0.302
    assert round(fit.row("order").std_error, 3) == 0.131
    assert fit.goodness_of_fit().row("deviance").statistic == pytest.approx(38.643, abs=5e-4)


def test_baseball_tests_and_fitted_values():
    data = golden("baseball")
    fit = bradley_terry(home_and_away(), order=True, cluster="declared")
    test = bradley_terry(home_and_away(), cluster="declared", order=False).anova(fit)
    for name in ("statistic", "p_value", "df"):
        assert getattr(test.rows[0], name) == pytest.approx(data["lrt"][name], rel=1e-7)
    pearson = fit.goodness_of_fit().row("Pearson").statistic
    assert pearson == pytest.approx(data["pearson_chi2"], rel=1e-8)
    for row in data["fitted"]:
        home, away = fit.predict(row["item_a"], row["item_b"], first="a").rows
        assert home.estimate == pytest.approx(row["value"], abs=1e-9)
        assert away.estimate == pytest.approx(1 - row["value"], abs=1e-9)
        assert home.term == f"{row['item_a']} wins"


def same_clustered(fit, wanted, borrowed=()):
    """Strengths, effects and all differences: standard errors and df of clubSandwich's CR2."""
    rows = {row.term: row for row in (*fit.rows, *fit.pairwise().rows)}
    table = [
        row
        for row in wanted["contrasts"]
        if not {row["term"], *row["term"].split(" - ")} & set(borrowed)
    ]
    assert table
    for row in table:
        ours = rows[row["term"]]
        assert ours.std_error == pytest.approx(row["std_error"], rel=1e-7), row["term"]
        assert ours.df == pytest.approx(row["df"], rel=1e-7), row["term"]


def test_baseball_sandwiches():
    fit = bradley_terry(home_and_away(), order=True, cluster="pair")
    same_clustered(fit, golden("robust")["baseball"]["pair"])
    firth = bradley_terry(
        home_and_away(), order=True, penalty="firth", reference="Baltimore", cluster="declared"
    )
    same_coefficients(firth, golden("baseball")["firth_order"])


def test_baseball_sandwich_by_tabulated_row():
    """HC2 of package sandwich takes a row of counts as one observation: CR2 with clusters of one row."""
    games = baseball().assign(row=lambda d: [f"row {i}" for i in range(len(d))])
    fit = bradley_terry(
        Comparisons.from_counts(games, order="home", cluster="row"),
        order=True,
        reference="Baltimore",
        cluster="declared",
    )
    ours = {row.term: row.std_error for row in fit.rows if row.std_error is not None}
    assert ours == pytest.approx(golden("robust")["baseball"]["hc2_by_row"], rel=1e-7)


@pytest.mark.parametrize(("key", "formula"), [("half", None), ("half_home", "~ home")])
def test_hockey_with_half_wins(key, formula):
    data = golden("ice_hockey")
    wanted = data[key]
    fit = bradley_terry(
        hockey(),
        formula,
        ties="half",
        vcov="model",
        reference=wanted["reference"],
        cluster="declared",
        order=False,
    )
    same_coefficients(fit, wanted)
    same_quasi_variances(fit, wanted["quasi_variances"], 1e-7)
    robust = bradley_terry(
        hockey(),
        formula,
        ties="half",
        reference=wanted["reference"],
        cluster="declared",
        order=False,
    )
    ours = {r.term: r.std_error for r in robust.rows if r.std_error is not None}
    assert ours == pytest.approx(data["hc0_std_errors"][key], rel=1e-6)


@pytest.mark.parametrize("extra", ["", "_order", "_home"])
@pytest.mark.parametrize("ties", ["davidson", "rao_kupper"])
def test_hockey_with_ties(ties, extra):
    wanted = golden("ice_hockey_ties")[ties + extra]
    options = {"_order": {"order": True}, "_home": {"formula": "~ home"}}.get(extra, {})
    options = {"order": False, "cluster": None, **options}
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
    np.testing.assert_allclose(
        fit.vcov().loc[names, names], covariance(wanted["vcov"], names), rtol=1e-6, atol=1e-12
    )
    robust = crossed_fit(model, cluster=None, vcov="sandwich").vcov().loc[names, names]
    np.testing.assert_allclose(
        robust, covariance(wanted["hc0_by_row"], names), rtol=1e-6, atol=1e-10
    )


CLUB_MODELS = ["tie_free", "davidson"]  # clubSandwich needs the whitened rows of a canonical model


def centred_fit(model, **options):
    return bradley_terry(
        crossed(drop_ties=model == "tie_free"),
        "~ urgency",
        order=True,
        ties="none" if model == "tie_free" else model,
        **options,
    )


@pytest.mark.parametrize("cluster", ["worker", "prompt"])
@pytest.mark.parametrize("model", CLUB_MODELS)
def test_one_way_clusters(model, cluster):
    wanted = golden("robust")["crossed"][model][cluster]
    fit = centred_fit(model, cluster=cluster)
    same_clustered(fit, wanted)
    test = fit.anova(plain_fit(model, cluster)).rows[0]
    assert test.df == wanted["wald"][0]["df1"]
    assert test.p_value == pytest.approx(wanted["wald"][0]["p"], rel=1e-6)


def plain_fit(model, cluster):
    design = crossed(drop_ties=model == "tie_free")
    return bradley_terry(
        design, ties="none" if model == "tie_free" else model, cluster=cluster, order=False
    )


def test_an_item_met_in_one_pair_has_an_estimate_and_a_reason_instead_of_an_interval():
    """The table of tests/golden/robust.R: G is met in one pair, and is left out of what is compared with R."""
    fit = bradley_terry(
        Comparisons.from_counts(pd.DataFrame(golden("robust")["tied"]["data"])),
        cluster="pair",
        order=False,
    )
    leaf = fit.row("G")
    assert leaf.estimate is not None
    assert (leaf.std_error, leaf.conf_low, leaf.p_value, leaf.df) == (None, None, None, None)
    assert (
        leaf.undefined
        == "met in one pair only: a lean of that pair cannot be told from its strength"
    )
    same_clustered(fit, golden("robust")["tied"]["by_pair"], borrowed=fit.items)


def overlap_of(wanted, names):
    """CR0 by worker and prompt together, from sandwich::vcovCL: V12 = V1 + V2 - (V1 + V2 - V12)."""
    one, two = (
        covariance(wanted["one_way"][by], names)
        * (wanted[f"{by}s"] - 1)
        / wanted[f"{by}s"]  # as CR0
        for by in ("worker", "prompt")
    )
    return one + two - covariance(wanted["two_way_unadjusted"], names)


@pytest.mark.parametrize("model", CLUB_MODELS)
def test_two_way_variances_are_the_largest_of_v1_v2_and_their_sum_less_the_overlap(model):
    """CR2 of each factor by clubSandwich, the overlap by sandwich, Cochran's df of both."""
    club, crossed_r = golden("robust")["crossed"][model], golden("crossed")[model]
    fit = centred_fit(model, cluster=("worker", "prompt"))
    rows = {row.term: row for row in (*fit.rows, *fit.pairwise().rows)}
    names = crossed_r["two_way"]["names"]
    overlap = overlap_of(crossed_r, names)
    n = len(fit.items)
    for worker, prompt in zip(
        club["worker"]["contrasts"], club["prompt"]["contrasts"], strict=True
    ):
        c = np.zeros(len(names))
        left, _, right = worker["term"].partition(" - ")
        if left in fit.items and not right:
            c[: n - 1] = -1 / n  # centred: names begin with the items but the reference
        for term, weight in ((left, 1), (right, -1)):
            if term in names:
                c[names.index(term)] += weight
        v = np.array([worker["std_error"], prompt["std_error"]]) ** 2
        row = rows[worker["term"]]
        assert row.std_error**2 == pytest.approx(max(*v, v.sum() - c @ overlap @ c), rel=1e-6), (
            row.term
        )
        assert row.df == pytest.approx(cochran_df(v, (worker["df"], prompt["df"])), rel=1e-6), (
            row.term
        )


@pytest.mark.parametrize("model", MODELS)
def test_a_two_way_matrix_that_is_not_positive_is_made_so_with_its_variances_kept(model):
    fit = centred_fit(model, cluster=("worker", "prompt"))
    found = fit.vcov().to_numpy()
    np.testing.assert_allclose(
        np.sqrt(np.diagonal(found)), [row.std_error for row in fit.rows], rtol=1e-9
    )
    assert np.linalg.eigvalsh(found)[0] > -1e-12
    assert [c for c in fit.cautions if c.code == "SS206"]


@pytest.mark.parametrize("model", MODELS)
def test_two_way_errors_with_a_reference_item_are_those_of_differences(model):
    """Adjusting correlations in centred coordinates must not change the errors of differences."""
    fit = crossed_fit(model, cluster=("worker", "prompt"))
    errors = {row.term: row.std_error for row in fit.rows}
    np.testing.assert_allclose(
        np.diagonal(fit.vcov())[1:], [errors[name] ** 2 for name in fit.names[1:]], rtol=1e-9
    )
    one = fit.contrast(f"{fit.items[1]} - i01").rows[0].std_error
    assert one == pytest.approx(errors[fit.items[1]], rel=1e-9)
    difference = (
        centred_fit(model, cluster=("worker", "prompt")).contrast(f"{fit.items[1]} - i01").rows[0]
    )
    assert difference.std_error == pytest.approx(one, rel=1e-7)


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
    fit = bradley_terry(role_conflict_rows(), reference="fam01", cluster="declared", order=False)
    assert fit.log_likelihood == pytest.approx(-7476.1258016742195, rel=1e-13)
    same_coefficients(fit, data["ml"])
    same_quasi_variances(fit, data["ml"]["quasi_variances"], 1e-8)
    gof = fit.goodness_of_fit(cells="pair").row("deviance")
    assert gof.statistic == pytest.approx(data["pair_deviance"], rel=1e-8)
    assert gof.df == data["pair_df"]


def test_simulated_role_conflict_with_urgency_and_clusters():
    design = role_conflict_rows()
    for formula, wanted in (("~ urgency", "urgency"), (None, "plain")):
        fit = bradley_terry(design, formula, cluster="pair", order=False)
        r = golden("robust")["role_conflict"][wanted]
        assert {row.term: row.std_error for row in fit.rows} == pytest.approx(
            r["std_errors"], rel=1e-7
        )
        for term, df in r["df"].items():  # Kish's take over at 50 and are a little larger there
            assert fit.row(term).df == pytest.approx(df, rel=1e-7 if df < 50 else 0.02), term
    test = (
        bradley_terry(design, cluster="declared", order=False)
        .anova(bradley_terry(design, "~ urgency", cluster="declared", order=False))
        .rows[0]
    )
    assert test.statistic == pytest.approx(golden("rcb_sim")["lrt_urgency"]["statistic"], rel=1e-9)

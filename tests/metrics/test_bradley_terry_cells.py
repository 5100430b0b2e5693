"""Criteria, fitted values, residuals, leverages, predictions of new comparisons, and refits: R, statsmodels, scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import logit

import socialstats as ss
from socialstats.datasets import baseball, ice_hockey, role_conflict
from socialstats.designs import covariates
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.results import GLANCE_COLUMNS
from tests.golden_data import golden, golden_frame

KINDS = ("response", "pearson", "deviance")


@pytest.fixture(scope="module")
def home():
    return ss.bradley_terry(
        ss.Comparisons.from_counts(baseball(), order="home"), order=True, cluster="declared"
    )


def crossed(**more):
    return ss.Comparisons.from_frame(golden_frame("crossed.csv.gz"), order="first", **more)


def beside(fit, wanted):
    """Return R's table and ours, cell by cell."""
    theirs = pd.DataFrame({key: value for key, value in wanted.items() if isinstance(value, list)})
    ours = (
        fit.augment()
        .set_index(["item_a", "item_b"])
        .loc[list(zip(theirs.item_a, theirs.item_b, strict=True))]
    )
    assert len(ours) == len(theirs) == len(fit.augment())
    return ours, theirs


def test_values_of_cells_are_those_of_bradleyterry2(home):
    ours, theirs = beside(home, golden("residuals")["baseball"])
    for name in ("fitted", "hat"):
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-9)
    for kind in KINDS:
        np.testing.assert_allclose(ours[f"resid_{kind}"], theirs[kind], rtol=1e-7, atol=1e-10)
        assert (home.residuals(kind) == home.augment()[f"resid_{kind}"]).all()
    assert (home.fitted() == home.augment()["fitted"]).all()
    assert (home.residuals() == home.residuals("deviance")).all()


def test_ties_as_half_wins_are_those_of_glm():
    fit = ss.bradley_terry(
        ice_hockey(),
        item_a="visitor",
        item_b="opponent",
        ties="half",
        cluster="declared",
        order=False,
    )
    ours, theirs = beside(fit, golden("residuals")["ice_hockey_half"])
    for name, key in (
        ("fitted", "fitted"),
        ("hat", "hat"),
        *((f"resid_{kind}", kind) for kind in KINDS),
    ):
        np.testing.assert_allclose(ours[name], theirs[key], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("order", [True, False])
def test_criteria_are_those_of_glm_by_game(order, home):
    wanted = golden("residuals")["baseball"]["by_game" if order else "by_game_without_order"]
    fit = home if order else home.update(order=False)
    for name, value in (
        ("nobs", fit.nobs),
        ("loglik", fit.log_likelihood),
        ("aic", fit.aic),
        ("bic", fit.bic),
    ):
        assert value == pytest.approx(wanted[name], rel=1e-10)
    glance = fit.glance()
    assert tuple(glance.columns) == GLANCE_COLUMNS
    assert (glance["aic"][0], glance["bic"][0]) == (fit.aic, fit.bic)


def test_criteria_by_statsmodels(home):
    import statsmodels.api as sm

    rows = pd.DataFrame(baseball())
    x = np.array(
        [
            [(a == t) - float(b == t) for t in home.items[1:]] + [1.0]
            for a, b in zip(rows.item_a, rows.item_b, strict=True)
        ]
    )
    each = np.repeat(np.arange(len(rows)), rows.wins_a + rows.wins_b)
    won = np.concatenate([[1] * a + [0] * b for a, b in zip(rows.wins_a, rows.wins_b, strict=True)])
    theirs = sm.GLM(won, x[each], family=sm.families.Binomial()).fit(tol=1e-14)
    assert home.aic == pytest.approx(theirs.aic, rel=1e-10)
    assert home.bic == pytest.approx(theirs.bic_llf, rel=1e-10)


@pytest.mark.parametrize("more", [{"penalty": "firth"}, {"prior": 0.5}])
def test_criteria_need_maximum_likelihood(home, more):
    fit = home.update(**more)
    for name in ("aic", "bic"):
        with pytest.raises(
            UndefinedStatistic, match=f"{name.upper()} needs estimates of maximum likelihood"
        ):
            getattr(fit, name)
    assert fit.fit["bic"] is None


@pytest.mark.parametrize("ties", ["davidson", "rao_kupper"])
def test_cells_of_models_of_ties(ties):
    fit = ss.bradley_terry(crossed(), "~ urgency", order=True, ties=ties, cluster=None)
    table, state = fit.augment(), fit.fitted_state
    deviance = fit.goodness_of_fit().row("deviance").statistic
    assert (table.resid_deviance**2).sum() == pytest.approx(deviance, rel=1e-10)
    assert table.n.sum() == fit.nobs
    x = np.array(
        [
            [float(t == a) - float(t == b) for t in fit.items] + [order, urgency]
            for a, b, order, urgency in zip(
                table.item_a, table.item_b, table.order, table.urgency, strict=True
            )
        ]
    )
    eta, tau = x @ state.fitted.beta[:-1], state.fitted.beta[-1]
    p = state.model.probabilities(eta, tau)
    np.testing.assert_allclose(table.fitted, p[0], rtol=1e-12)
    np.testing.assert_allclose(table.fitted_tie, p[2], rtol=1e-12)
    share = (table.wins_a + table.ties / 2) / table.n
    mean, square = p[0] + p[2] / 2, p[0] + p[2] / 4
    np.testing.assert_allclose(table.resid_response, share - mean, atol=1e-12)
    pearson = (share - mean) / np.sqrt((square - mean**2) / table.n)
    np.testing.assert_allclose(table.resid_pearson, pearson, atol=1e-10)
    by_eta, by_tau = state.model.scores(
        eta, tau
    )  # the expected information is the variance of the score
    for k in range(0, len(table), 37):
        scores = np.array([np.append(by_eta[o, k] * x[k], by_tau[o, k]) for o in range(3)])
        information = table.n[k] * (scores.T * p[:, k]) @ scores
        assert table.hat[k] == pytest.approx(
            np.trace(information @ state.fitted.covariance), rel=1e-9
        )
    assert table.hat.sum() == pytest.approx(fit.fit["df"], rel=1e-9 if ties == "davidson" else 0.02)


def test_new_comparisons_are_predicted_as_r_does(home):
    wanted = golden("residuals")["baseball"]
    found = home.predict(baseball())
    won = [
        row
        for row in found.rows
        if row.label("outcome") == f"{row.term.removesuffix(' wins')} wins"
    ][::2]
    p = np.array([row.estimate for row in won])
    np.testing.assert_allclose(logit(p), wanted["link"], rtol=1e-8, atol=1e-10)
    errors = np.array([row.std_error for row in won]) / (p * (1 - p))
    np.testing.assert_allclose(errors, wanted["link_std_error"], rtol=1e-7)
    first = baseball().iloc[0]
    assert won[0].group.startswith(f"{first['item_a']} against {first['item_b']}")
    assert [row.label("row") for row in won[:3]] == ["0", "1", "2"]
    checked = found.verify()
    assert checked.ok
    rows = list(found.rows)
    rows[2] = replace(rows[2], estimate=rows[2].estimate + 0.01)
    assert not replace(found, rows=tuple(rows)).verify().ok


def test_new_comparisons_with_covariates_and_order():
    fit = ss.bradley_terry(
        crossed(cluster="worker"), "~ urgency + C(urgency > 2)", order=True, cluster="worker"
    )
    new = {
        "item_a": ["i01", "i03"],
        "item_b": ["i02", "i01"],
        "first": ["i01", "i01"],
        "urgency_a": [3, 1],
        "urgency_b": [1, 2],
    }
    found = fit.predict(new).rows
    one = fit.predict("i01", "i02", first="a", covariates={"urgency": (3, 1)}).rows
    two = fit.predict("i03", "i01", first="b", covariates={"urgency": (1, 2)}).rows
    for row, alone in zip(found, (*one, *two), strict=True):
        for name in ("term", "estimate", "std_error", "conf_low", "conf_high"):
            assert getattr(row, name) == getattr(alone, name)
    without = fit.predict(
        {key: value for key, value in new.items() if key != "first"}, first="a"
    ).rows
    assert without[0].estimate == one[0].estimate


def test_what_predict_refuses(home):
    fit = ss.bradley_terry(crossed(), "~ urgency", order=True, cluster=None)
    new = {"item_a": ["i01"], "item_b": ["i02"]}
    with pytest.raises(InputError, match="no column 'urgency_a', which the fit needs"):
        fit.predict(new)
    full = {**new, "urgency_a": [1], "urgency_b": [2]}
    with pytest.raises(
        InputError, match="data frame, row 0: the order 'i09' is neither 'i01' nor 'i02'"
    ):
        fit.predict({**full, "first": ["i09"]})
    with pytest.raises(InputError, match="'Paris' is not an item"):
        fit.predict({**full, "item_b": ["Paris"]})
    with pytest.raises(InputError, match="predict\\(\\) takes two items, or one table"):
        fit.predict(full, "i02")
    with pytest.raises(InputError, match="predict\\(\\) takes two items, or one table"):
        fit.predict(full, covariates={"urgency": (1, 2)})


def test_update_keeps_what_is_not_changed():
    fit = ss.bradley_terry(role_conflict(), order=True, cluster="pair")
    larger = fit.update("~ . + urgency")
    assert (
        larger.rows
        == ss.bradley_terry(role_conflict(), "~ urgency", order=True, cluster="pair").rows
    )
    assert larger.update("~ . - urgency").rows == fit.rows
    assert (
        larger.update("~ . + I(urgency ** 2)").settings["formula"] == "~ urgency + I(urgency ** 2)"
    )
    assert (
        larger.update(order=False, cluster=None).rows
        == ss.bradley_terry(role_conflict(), "~ urgency", cluster="declared", order=False).rows
    )
    assert fit.update("~ urgency | pair").rows == larger.rows
    assert fit.update("~ I(0.5 * urgency)").row("I(0.5 * urgency)").estimate == pytest.approx(
        2 * larger.row("urgency").estimate, rel=1e-9
    )
    assert fit.anova(larger).rows == larger.anova(fit).rows
    with pytest.raises(InputError, match="the comparisons stay the same"):
        fit.update("choice ~ . + urgency")
    with pytest.raises(InputError, match=r"no option claster=\. Did you mean cluster="):
        fit.update(claster="pair")


def test_covariates_that_stay_with_a_lazy_table_have_the_same_cells_and_predictions(monkeypatch):
    monkeypatch.setattr(covariates, "MANY_VALUES", 100)
    rng = np.random.default_rng(6)
    a, b = rng.integers(0, 5, (2, 400))
    keep = a != b
    rows = pd.DataFrame(
        {"item_a": np.array([*"vwxyz"])[a[keep]], "item_b": np.array([*"vwxyz"])[b[keep]]}
    )
    rows["length_a"], rows["length_b"] = rng.normal(size=(2, len(rows)))
    rows["winner"] = np.where(rng.random(len(rows)) < 0.5, rows["item_a"], rows["item_b"])
    fit, lazy = (
        ss.bradley_terry("winner ~ length", table, cluster="declared", order=False)
        for table in (rows, pl.from_pandas(rows).lazy())
    )
    assert lazy.fitted_state.streamed == ("length",)
    order = ["item_a", "item_b", "length"]
    one, two = (table.augment().sort_values(order, ignore_index=True) for table in (fit, lazy))
    pd.testing.assert_frame_equal(one, two, rtol=1e-8)
    new = rows.head(3)
    for ours, theirs in zip(fit.predict(new).rows, lazy.predict(new).rows, strict=True):
        assert ours.estimate == pytest.approx(theirs.estimate, rel=1e-8)
        assert ours.std_error == pytest.approx(theirs.std_error, rel=1e-6)
    assert lazy.bic == pytest.approx(fit.bic, rel=1e-10)
    assert lazy.update("~ . - length").row("v").estimate == pytest.approx(
        fit.update("~ 1").row("v").estimate, rel=1e-8
    )


@pytest.mark.parametrize("formula", ["~ style", "~ C(style)", "~ length"])
def test_the_reference_level_of_a_category_is_named(formula):
    rng = np.random.default_rng(3)
    styles = pd.CategoricalDtype(["mid", "low", "high"])
    table = pd.DataFrame({"item_a": rng.choice([*"ab"], 90)})
    table["item_b"] = np.where(table["item_a"] == "a", "b", "a")
    table["winner"] = np.where(rng.random(90) < 0.5, "a", "b")
    for side in "ab":
        table[f"style_{side}"] = pd.Series(rng.choice(["low", "mid", "high"], 90)).astype(styles)
        table[f"length_{side}"] = rng.normal(size=90)
    fit = ss.bradley_terry(table, formula)
    named = {"style": "mid"} if "style" in formula else {}
    assert fit.settings["reference_levels"] == named
    assert ("The reference level of style is mid." in fit.sentence()) == bool(named)


def test_predictions_name_the_two_items_and_number_rows_that_meet_again():
    fit = ss.bradley_terry(baseball(), order=False)
    new = pd.DataFrame(
        {"item_a": ["Boston", "Boston", "Detroit"], "item_b": ["Detroit", "Detroit", "Boston"]}
    )
    groups = [row.group for row in fit.predict(new).rows][::2]
    assert groups == [
        "Boston against Detroit, row 0",
        "Boston against Detroit, row 1",
        "Detroit against Boston",
    ]

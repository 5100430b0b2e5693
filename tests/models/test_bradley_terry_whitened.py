"""Bradley-Terry fits as whitened linear regressions, in clusters: against clubSandwich (tests/golden/robust.R)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from socialstats.choices.bradley_terry import bradley_terry
from socialstats.choices.bradley_terry.covariance import WhitenedRows
from socialstats.datasets import baseball
from socialstats.designs.comparisons import Comparisons
from socialstats.inference.robust import Joint, cluster_robust
from tests.golden_data import golden, golden_frame


def crossed(twelve=False, drop_ties=False):
    d = golden_frame("crossed.csv.gz")
    d = d[d["worker"].isin(sorted(d["worker"].unique())[:12])] if twelve else d
    d = d[d["winner"] != "tie"] if drop_ties else d
    return Comparisons.from_frame(
        d,
        order="first",
        cluster=("worker", "prompt"),
        covariates={"urgency": ("urgency_a", "urgency_b")},
    )


def thin(name):
    return Comparisons.from_counts(pd.DataFrame(golden("robust")[name]["data"]))


URGENCY = {"formula": "~ urgency", "order": True}
CASES = {
    "thin pairs": (("thin", "by_pair"), lambda: thin("thin"), {"cluster": "pair"}),
    "thin pairs with ties": (("tied", "by_pair"), lambda: thin("tied"), {"cluster": "pair"}),
    "baseball": (
        ("baseball", "pair"),
        lambda: Comparisons.from_counts(baseball(), order="home"),
        {"cluster": "pair", "order": True},
    ),
    **{
        f"{model} by {by}": (
            ("crossed", model, by),
            lambda free=model == "tie_free": crossed(drop_ties=free),
            {"cluster": by, **URGENCY},
        )
        for model in ("tie_free", "davidson")
        for by in ("worker", "prompt")
    },
    **{
        f"{model}, twelve workers": (
            ("twelve_workers", model, "worker"),
            lambda free=model == "tie_free": crossed(True, free),
            {"cluster": "worker", **URGENCY},
        )
        for model in ("tie_free", "davidson")
    },
}


def parts(fit):
    state = fit.fitted_state
    weight, codes = fit.design.weight, [factor.codes for factor in state.factors]
    found = WhitenedRows(state.data, state.model, state.fitted.beta)(
        np.arange(len(weight)), weight, codes
    )
    return found, state.fitted


@pytest.mark.parametrize("case", CASES)
def test_errors_df_and_wald_tests_are_those_of_clubsandwich(case):
    path, design, options = CASES[case]
    wanted = golden("robust")
    for key in path:
        wanted = wanted[key]
    fit = bradley_terry(design(), **options)
    (rows, residuals, codes), fitted = parts(fit)
    found = cluster_robust(rows, residuals, codes, fitted.covariance)
    names = list(fit.names)

    def contrast(term):
        c = np.zeros(len(names))
        left, minus, right = term.partition(" - ")
        c[names.index(left)] = 1
        if minus:
            c[names.index(right)] = -1
        return c

    table = wanted["contrasts"]
    errors = found.errors(np.array([contrast(row["term"]) for row in table]))
    seen = errors.unit == 0  # the others borrow
    assert seen.sum() >= 15
    se, df = (np.array([row[key] for row in table], dtype=float) for key in ("std_error", "df"))
    np.testing.assert_allclose(
        errors.std_error[seen], se[seen], rtol=1e-8
    )  # two solvers of the likelihood
    np.testing.assert_allclose(errors.df[seen], df[seen], rtol=1e-8)
    for test in wanted["wald"]:
        c = np.array([contrast(term) for term in test["terms"]])
        joint = found.joint(c, c @ fitted.beta)
        assert isinstance(joint, Joint)
        assert joint.df == test["df1"]
        assert joint.f == pytest.approx(test["F"], rel=1e-8)
        assert joint.df_denominator == pytest.approx(test["df2"], rel=1e-8)
        assert joint.p == pytest.approx(test["p"], rel=1e-6)


@pytest.mark.parametrize("ties", ["half", "davidson", "rao_kupper"])
def test_whitened_rows_carry_the_information_and_the_score_of_the_fit(ties):
    fit = bradley_terry(crossed(), ties=ties, **URGENCY)
    (rows, residuals, _), fitted = parts(fit)
    information = (rows.T @ rows).toarray()
    np.testing.assert_allclose(
        information @ fitted.covariance @ information, information, atol=1e-9
    )
    np.testing.assert_allclose(rows.T @ residuals, 0, atol=1e-9)


def test_quasi_variances_of_differences_of_very_different_sizes_do_not_end_in_a_singular_matrix() -> (
    None
):
    """A covariance found by the fuzzer: of clusters that are nearly alike."""
    from socialstats.choices.bradley_terry.covariance import quasi_variances
    from socialstats.errors import UndefinedStatistic

    rng = np.random.default_rng(0)
    for _ in range(200):
        root = rng.normal(size=(4, 2)) * 10.0 ** rng.integers(-16, 1, size=(4, 1))
        cov = root @ root.T
        try:
            q = quasi_variances(cov)
        except UndefinedStatistic:
            continue
        assert np.isfinite(q).all()

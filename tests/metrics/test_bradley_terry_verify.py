"""verify() of Bradley-Terry fits: agrees where it should, notices a wrong number, says what was not compared."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from socialstats.choices.bradley_terry import bradley_terry
from socialstats.choices.bradley_terry.definition import sample_derived, sample_fit
from socialstats.crosscheck.equations import solution_of, solve_equation
from socialstats.datasets import journal_citations
from socialstats.designs.comparisons import Comparisons
from socialstats.results.verification import NOT_RECOUNTED
from tests.golden_data import SHARED, golden, golden_frame


def crossed(drop_ties=False, **options):
    frame = golden_frame("crossed.csv.gz").assign(w=lambda d: 0.5 + (np.arange(len(d)) % 5) / 4)
    frame = frame[frame["winner"] != "tie"] if drop_ties else frame
    given = {
        "order": "first",
        "covariates": {"urgency": ("urgency_a", "urgency_b")},
        "cluster": ("worker", "prompt"),
    }
    return Comparisons.from_frame(frame, **(given | options))


def packages(fit):
    checks = fit.verify()
    assert checks.ok, checks.tidy().to_string()
    assert all(c.why or c.note for c in checks)
    return {c.package for c in checks if c.ok}


def test_plain_fits_are_checked_by_choix_and_statsmodels():
    fit = bradley_terry(Comparisons.from_counts(journal_citations()), cluster=None)
    assert packages(fit) == {"choix", "statsmodels", "numpy", "scipy"}
    names = " ".join(c.quantity for c in fit.verify())
    for field in ("s.e.", "statistic", "low", "high", ", p"):
        assert field in names


@pytest.mark.parametrize(
    "options",
    [
        {"cluster": "worker"},
        {"formula": "~ urgency", "order": True},
        {"formula": "~ C(urgency)", "vcov": "sandwich"},
        {"cluster": ("worker", "prompt"), "reference": "i05"},
        {"penalty": "firth", "vcov": "model"},
        {"prior": 0.5, "cluster": "pair"},
        {"formula": "~ urgency", "strengths": "none", "vcov": "model"},
    ],
)
@pytest.mark.parametrize("ties", ["none", "half", "davidson", "rao_kupper"])
@pytest.mark.slow
def test_every_kind_of_fit_is_confirmed(options, ties):
    if ties == "rao_kupper" and options.get("penalty"):
        options = {"prior": 0.2}
    fit = bradley_terry(crossed(drop_ties=ties == "none"), ties=ties, **options)
    penalised = fit.fitted_state.penalised
    assert ("statsmodels" in packages(fit)) is (ties in ("none", "half") and not penalised)
    assert set(fit.verify().reasons()) == {NOT_RECOUNTED}


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_weighted_fits_are_confirmed(ties):
    fit = bradley_terry(crossed(weight="w"), ties=ties, cluster=None)
    packages(fit)


def wrong(fit, **changes):
    rows = list(fit.rows)
    at = next(k for k, row in enumerate(rows) if row.group == "strength")
    rows[at] = replace(
        rows[at], **{name: getattr(rows[at], name) + by for name, by in changes.items()}
    )
    return replace(fit, rows=tuple(rows)).verify()


@pytest.mark.parametrize("ties", ["none", "davidson", "rao_kupper"])
@pytest.mark.parametrize(
    ("field", "by"),
    [("estimate", 1e-6), ("std_error", 1e-5), ("conf_high", 1e-4), ("p_value", 1e-4)],
)
@pytest.mark.slow
def test_a_wrong_number_is_noticed(ties, field, by):
    fit = bradley_terry(crossed(drop_ties=ties == "none"), ties=ties)
    checks = wrong(fit, **{field: by})
    assert not checks.ok
    assert [c for c in checks if c.ok is False and "i01" in c.quantity]


def test_a_wrong_covariance_is_noticed():
    fit = bradley_terry(crossed(drop_ties=True), cluster="worker")
    ignored = bradley_terry(crossed(drop_ties=True), cluster=None)
    assert not replace(fit, rows=ignored.rows).verify().ok


@pytest.mark.parametrize("cluster", [None, "worker"])
def test_what_follows_from_a_fit_is_recomputed(cluster):
    fit = bradley_terry(crossed(), cluster=cluster)
    first, second = fit.items[:2]
    derived = [
        fit.worth(),
        fit.ranks(),
        fit.ranks(kind="simultaneous"),
        fit.quasi_variances(),
        fit.pairwise(),
        fit.contrast(f"{first} - {second}"),
        fit.predict(first, second),
    ]
    for result in derived:
        found = result.verify()
        assert found.ok, found.tidy().to_string()
        rows = list(result.rows)
        rows[0] = replace(rows[0], estimate=rows[0].estimate + 0.1)
        assert not replace(result, rows=tuple(rows)).verify().ok
        # no package has sets of ranks and quasi-variances: R's values are golden
        if rows[0].group not in ("rank", "quasi-variance"):
            assert set(found.reasons()) <= {NOT_RECOUNTED}, result.title
            rows = list(result.rows)
            rows[0] = replace(rows[0], conf_low=rows[0].conf_low - 20.0)
            assert not replace(result, rows=tuple(rows)).verify().ok


@pytest.mark.parametrize("ties", ["none", "davidson"])
def test_the_clustered_errors_of_the_verification_are_those_of_clubsandwich(ties):
    design = crossed(drop_ties=ties == "none")
    fit = bradley_terry(design, "~ urgency", order=True, cluster="worker", ties=ties)
    wanted = golden("robust")["crossed"]["tie_free" if ties == "none" else "davidson"]["worker"]
    rows = {row["term"]: row for row in wanted["contrasts"]}
    solution = solve_equation(sample_fit(fit, {}).model)
    n = len(fit.items)
    for k, name in enumerate(fit.names):
        # strengths have the mean 0
        contrast = np.eye(len(fit.names))[k] - (np.arange(len(fit.names)) < n) / n * (k < n)
        errors = solution.errors(contrast)
        assert np.sqrt(errors.variance) == pytest.approx(rows[name]["std_error"], rel=1e-6)
        assert errors.df == pytest.approx(rows[name]["df"], rel=1e-6)


def test_results_of_a_fit_share_the_model_that_verification_solves():
    fit = bradley_terry(crossed(drop_ties=True), order=True)
    models = [next(sample_derived(derived)).model for derived in (fit.ranks(), fit.pairwise())]
    assert models[0] is models[1] is sample_fit(fit, {}).model
    assert solution_of(models[0]) is solution_of(models[1])
    other = bradley_terry(crossed(drop_ties=True), order=False)
    assert sample_fit(other, {}).model is not models[0]
    state = weakref.ref(fit.fitted_state)
    del fit, models
    gc.collect()
    # a model is kept as long as its fit
    assert state() is None


def thin_table():
    return Comparisons.from_counts(pd.DataFrame(golden("robust")["tied"]["data"]))


@pytest.mark.parametrize("change", ["std_error", "df", "conf_low", "statistic"])
def test_a_clustered_number_that_is_3_percent_off_is_noticed(change):
    fit = bradley_terry(thin_table(), cluster="pair")
    assert fit.verify().ok
    wrong = tuple(
        replace(r, **{change: 1.03 * getattr(r, change)}) if r.term == "B" else r for r in fit.rows
    )
    assert not replace(fit, rows=wrong).verify().ok


def test_an_interval_of_what_rests_on_one_cluster_is_noticed():
    fit = bradley_terry(thin_table(), cluster="pair")
    made_up = replace(fit.row("B"), term="G", estimate=fit.row("G").estimate)
    wrong = tuple(made_up if r.term == "G" else r for r in fit.rows)
    bad = [c.quantity for c in replace(fit, rows=wrong).verify() if c.ok is False]
    assert any("whether there is an error" in name for name in bad)


ARENA = SHARED / "data" / "arena" / "llmfao.csv"


@pytest.mark.skipif(not ARENA.is_file(), reason="../shared is not beside the project")
@pytest.mark.parametrize("ties", ["davidson", "rao_kupper"])
@pytest.mark.slow
def test_59_models_judged_by_workers_on_prompts(ties):
    design = Comparisons.from_file(
        ARENA, item_a="left", item_b="right", cluster=("worker", "prompt")
    )
    assert (design.n_rows, len(design.items)) == (8931, 59)
    fit = bradley_terry(design, ties=ties, order=True)
    assert packages(fit) == {"numpy", "scipy"}


def test_a_penalised_model_of_three_comparisons_is_recomputed() -> None:
    # Newton's method without shorter steps runs away from this maximum
    rows = [("a", "b", "b"), ("a", "b", "b"), ("b", "a", "b")]
    frame = pd.DataFrame(rows, columns=["item_a", "item_b", "winner"])
    fit = bradley_terry(Comparisons.from_frame(frame, order="item_a"), penalty="firth", order=True)
    # Jeffreys' prior of a saturated model adds half an answer to each cell: odds of 1 to 5 and of 3 to 1
    gap, order = (fit.row(name).estimate for name in ("b", "order"))
    assert 2 * gap == pytest.approx((np.log(5) + np.log(3)) / 2)
    assert order == pytest.approx((np.log(3) - np.log(5)) / 2)
    assert fit.verify().ok


@pytest.mark.parametrize("seed", range(12))
def test_penalised_models_of_few_comparisons_are_recomputed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    items = [f"i{k}" for k in range(int(rng.integers(2, 5)))]
    pairs = [rng.choice(items, 2, replace=False) for _ in range(int(rng.integers(4, 14)))]
    rows = [(a, b, a if rng.random() < 0.9 else b) for a, b in map(sorted, pairs)]
    frame = pd.DataFrame(rows, columns=["item_a", "item_b", "winner"])
    fit = bradley_terry(Comparisons.from_frame(frame), penalty="firth")
    assert not [check for check in fit.verify() if check.ok is False]
    assert not [check for check in fit.worth().verify() if check.ok is False]

"""The batched bootstrap against one-by-one refits to the same weights, and how it treats lost resamples."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.sparse import csgraph, csr_array

from socialstats.choices.bradley_terry import bradley_terry
from socialstats.choices.bradley_terry.definition import sample_fit
from socialstats.choices.bradley_terry.fitting import Refitter, fit_newton, strongly_connected
from socialstats.choices.bradley_terry.likelihoods import pair_data
from socialstats.choices.bradley_terry.refits import refit_all
from socialstats.crosscheck.equations import solve_equation
from socialstats.crosscheck.resamples import Cells
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import A_WON, B_WON, TIED
from socialstats.errors import InputError, NonConvergence, UndefinedStatistic
from socialstats.resampling.engine import PlanUnits, weight_blocks
from tests.golden_data import golden_frame

CLOSE = 5e-6


def crossed_fit(ties="davidson", drop_ties=False, cluster=("worker", "prompt"), **options):
    rows = golden_frame("crossed.csv.gz")
    rows = rows[rows["winner"] != "tie"] if drop_ties else rows
    covariates = {"urgency": ("urgency_a", "urgency_b")}
    design = Comparisons.from_frame(rows, order="first", cluster=cluster, covariates=covariates)
    options = {"order": False, "cluster": "declared", **options}
    return bradley_terry(design, ties="none" if drop_ties else ties, **options)


def units_of(fit, by):
    factors = [f.codes for f in fit.fitted_state.factors]
    return {
        "row": lambda: PlanUnits.rows(fit.design.count),
        "pair": lambda: PlanUnits.clusters(fit.design.pair.codes),
        "cluster": lambda: PlanUnits.clusters(*factors),
    }[by]()


def one_by_one(fit, by, resamples, seed):
    """Refit every resample by Newton's method from its own weighted cells."""
    state, design = fit.fitted_state, fit.design
    units = units_of(fit, by)
    z = np.zeros((len(design.item_a), len(state.data.z_names)))
    z[state.data.cell >= 0] = (
        state.data.z[state.data.cell] * np.where(design.item_a > design.item_b, -1, 1)[:, None]
    )
    out = []
    for weights in weight_blocks(units, resamples=resamples, seed=seed, block=resamples):
        out += [refit(fit, z, w[units.unit]) for w in weights]
    return np.array(out)


def refit(fit, z, times):
    """Refit the design with each cell so many times."""
    per_cell = times * fit.design.weight
    resampled = replace(fit.design, weight=per_cell, weight_sq=per_cell, weighted=True)
    return fit_newton(
        pair_data(resampled, z, fit.fitted_state.data.z_names), fit.fitted_state.model
    ).beta


def hashed_weight(seed, factor, level, k):
    """Weight of a cluster in resample k: a Poisson quantile of SplitMix64's number k + 1, in whole numbers."""
    digest = hashlib.blake2b(f"{seed}\n{factor}\n{level}".encode(), digest_size=8).digest()
    x = (int.from_bytes(digest, "little") + (k + 1) * 0x9E3779B97F4A7C15) % 2**64
    for shift, times in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        x = (x ^ (x >> shift)) * times % 2**64
    return stats.poisson.ppf((x >> 11) / 2**53, 1)


CASES = {
    "plain": {"drop_ties": True},
    "order and urgency": {"drop_ties": True, "formula": "~ urgency", "order": True},
    "half": {"ties": "half"},
    "davidson": {"formula": "~ urgency", "order": True},
    "rao_kupper": {"ties": "rao_kupper", "order": True},
}


@pytest.mark.parametrize("by", ["row", "pair", "cluster"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.slow
def test_every_resample_is_the_full_refit(case, by):
    fit = crossed_fit(**CASES[case])
    batched = refit_all(fit.design, fit.fitted_state, units_of(fit, by), 10, 5)
    wanted = one_by_one(fit, by, 10, 5)
    np.testing.assert_allclose(batched, wanted, atol=CLOSE)
    assert np.abs(wanted - fit.fitted_state.fitted.beta).max() > 0.05


def test_interval_and_error_are_those_of_the_resamples():
    fit = crossed_fit(drop_ties=True, cluster="worker")
    wanted = one_by_one(fit, "cluster", 60, 2)
    for ci in ("percentile", "basic"):
        boot = fit.bootstrap(by="cluster", resamples=60, seed=2, ci=ci, level=0.9)
        np.testing.assert_allclose(boot.strengths, wanted, atol=CLOSE)
        for j, item in enumerate(fit.items):
            row = boot.row(item)
            assert row.std_error == pytest.approx(np.std(wanted[:, j], ddof=1), abs=CLOSE)
            low, high = np.quantile(wanted[:, j], [0.05, 0.95], method="weibull")
            if ci == "basic":
                low, high = 2 * row.estimate - high, 2 * row.estimate - low
            assert (row.conf_low, row.conf_high) == pytest.approx((low, high), abs=CLOSE)


def test_poisson_resamples_are_refits_with_weights_of_the_names_of_clusters():
    fit = crossed_fit(drop_ties=True)
    boot = fit.bootstrap(by="cluster", resamples=70, seed=4, scheme="poisson", level=0.9)
    for k in (0, 63, 64, 69):  # the rows are gone through once for 64 resamples
        times = np.ones(len(fit.design.weight))
        for factor in fit.fitted_state.factors:
            drawn = [hashed_weight(4, factor.name, level, k) for level in factor.levels]
            times *= np.array(drawn)[factor.codes]
        wanted = refit(fit, np.zeros((len(times), 0)), times)
        np.testing.assert_allclose(boot.strengths[k], wanted, atol=CLOSE)


def test_row_bootstrap_agrees_with_the_model():
    """400 resamples: s.e. within 4 Monte-Carlo errors (14%) of the sandwich, plus its finite-sample bias."""
    fit = crossed_fit(drop_ties=True, cluster=())
    boot = fit.bootstrap(resamples=400, seed=1)
    sandwich = bradley_terry(fit.design, vcov="sandwich", cluster="declared", order=False)
    ratio = [boot.row(i).std_error / sandwich.row(i).std_error for i in fit.items]
    assert 0.85 < min(ratio) <= max(ratio) < 1.2
    assert 0.95 < np.mean(ratio) < 1.08


def small():
    """15 games of A, B and C: resamples often have an unbeaten or winless item."""
    rows = pd.DataFrame(
        [("A", "B", 3, 2), ("B", "C", 3, 2), ("A", "C", 4, 1)],
        columns=["item_a", "item_b", "wins_a", "wins_b"],
    )
    return bradley_terry(Comparisons.from_counts(rows), cluster="declared", order=False)


def has_estimate(design, weight):
    wins = np.zeros((3, 3))
    for a, b, o, w in zip(design.item_a, design.item_b, design.outcome, weight, strict=True):
        wins[(a, b) if o == A_WON else (b, a)] += w
    return (
        csgraph.connected_components(csr_array(wins > 0), directed=True, connection="strong")[0]
        == 1
    )


def test_resamples_without_an_estimate_are_counted_and_left_out():
    fit = small()
    boot = fit.bootstrap(resamples=1000, seed=4)
    units = PlanUnits.rows(fit.design.count)
    weights = next(weight_blocks(units, resamples=1000, seed=4, block=1000))
    finite = [has_estimate(fit.design, w[units.unit]) for w in weights]
    assert boot.n_degenerate == 1000 - sum(finite)
    assert 30 < boot.n_degenerate < 150  # 6.8% were measured
    assert len(boot.strengths) == sum(finite)
    assert np.isfinite(boot.strengths).all()
    assert np.abs(boot.strengths).max() < 10
    assert boot.row("A").n == fit.row("A").n
    assert next(c.code for c in boot.cautions) == "SS204"
    assert not [
        c for c in crossed_fit(drop_ties=True).bootstrap(resamples=40).cautions if c.code == "SS204"
    ]


def test_lost_resamples_match_newton_one_by_one():
    fit = small()
    data, model = fit.fitted_state.data, fit.fitted_state.model
    rng = np.random.default_rng(3)
    w = rng.poisson(1.2, size=(3, len(data.a), 200)).astype(float)
    w[2] = 0
    refits = Refitter(data, model, fit.fitted_state.fitted.beta).refit(w)
    ok = np.isfinite(refits).all(axis=0)
    np.testing.assert_array_equal(strongly_connected(data, w), ok)
    assert 20 < ok.sum() < 180
    for r in range(200):
        one = replace(data, w=w[:, :, r])
        if ok[r]:
            np.testing.assert_allclose(refits[:, r], fit_newton(one, model).beta, atol=CLOSE)
        else:
            assert np.isnan(refits[:, r]).all()


def test_resamples_that_do_not_identify_an_effect_are_lost():
    """The covariate differs in one cluster only: a resample without that cluster has no estimate of it."""
    rows = golden_frame("crossed.csv.gz").query("winner != 'tie'")
    one = rows["worker"] == rows["worker"].iloc[0]
    rows["x_a"], rows["x_b"] = (
        np.where(one, rows["urgency_a"], 1),
        np.where(one, rows["urgency_b"], 1),
    )
    design = Comparisons.from_frame(rows, order="first", cluster="worker", covariates=["x"])
    fit = bradley_terry(design, "~ x", cluster="declared", order=False)
    boot = fit.bootstrap(by="cluster", resamples=100, seed=1)
    units = PlanUnits.clusters(design.clusters[0].codes)
    weights = next(weight_blocks(units, resamples=100, seed=1, block=100))
    code = design.clusters[0].levels.index(rows["worker"].iloc[0])
    drawn = weights[:, np.unique(design.clusters[0].codes).tolist().index(code)] > 0
    assert 20 < (~drawn).sum() < 60
    assert boot.n_degenerate >= (~drawn).sum()


def test_same_seed_same_bytes():
    fit = crossed_fit()
    one, two, other = (fit.bootstrap(by="cluster", resamples=40, seed=s) for s in (7, 7, 8))
    assert one.strengths.tobytes() == two.strengths.tobytes()
    assert one.effects.tobytes() == two.effects.tobytes()
    assert one.strengths.tobytes() != other.strengths.tobytes()
    assert (one.fit["seed"], one.fit["resamples"]) == (7, 40)


def test_crossed_clusters_multiply_their_weights():
    fit = crossed_fit(drop_ties=True)
    units = units_of(fit, "cluster")
    first, second = fit.fitted_state.factors
    weights = next(weight_blocks(units, resamples=3, seed=11, block=3))
    cells = weights[:, units.unit]
    for w in cells:
        assert set(np.unique(w)) <= {float(i * j) for i in range(12) for j in range(12)}
        zero_workers = [k for k in np.unique(first.codes) if not w[first.codes == k].any()]
        assert zero_workers
    assert len(np.unique(second.codes)) == 25


def test_wrong_requests_say_what_is_possible():
    fit = small()
    for options, says in (
        ({"by": "cluster"}, "none"),
        ({"by": "item"}, "'pair'"),
        ({"ci": "bca"}, "'percentile'"),
        ({"resamples": 0}, "resample"),
        ({"seed": -1}, "seed"),
    ):
        with pytest.raises((InputError, UndefinedStatistic), match=says):
            fit.bootstrap(**options)
    firth = bradley_terry(fit.design, penalty="firth", cluster="declared", order=False)
    with pytest.raises(InputError, match="penalty"):
        firth.bootstrap()


def test_outcome_codes_are_what_these_tests_assume():
    assert (A_WON, B_WON, TIED) == (0, 1, 2)
    with pytest.raises(NonConvergence):
        fit_newton(
            replace(small().fitted_state.data, w=np.array([[1.0, 1, 1], [0, 0, 0], [0, 0, 0]])),
            small().fitted_state.model,
        )


@pytest.mark.parametrize("seed", [0, 2, 4])
@pytest.mark.slow
def test_refits_of_resampled_pairs_are_those_of_an_independent_fit(seed):
    """Resamples without an item, or without a loss of one, have no estimate; the others agree to 1e-6."""
    rng, items, rows = np.random.default_rng(seed), [f"i{k}" for k in range(7)], []
    for a in range(7):
        for b in range(a + 1, 7):
            p = 1 / (1 + np.exp(-(0.4 * (b - a) + rng.normal())))
            rows += [
                (items[a], items[b], items[a] if rng.random() < p else items[b]) for _ in range(8)
            ]
    design = Comparisons.from_frame(pd.DataFrame(rows, columns=["item_a", "item_b", "winner"]))
    fit = bradley_terry(design, cluster="declared", order=False)
    found = fit.bootstrap(by="pair", resamples=100, seed=seed)
    assert found.verify().ok
    sample = sample_fit(fit, {})
    cells = Cells.of(design.count, (design.pair.codes,))
    draws = np.array([*cells.draws(100, seed)])
    for drawn, strengths in zip(draws[found.ok], found.strengths, strict=True):
        again = solve_equation(replace(sample.model, weight=drawn)).parameters
        assert again - again.mean() == pytest.approx(strengths, abs=1e-6)

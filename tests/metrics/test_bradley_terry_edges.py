"""Extreme and tiny tables: closed forms, or an exception that says what is wrong. Never 0, NaN or p = 0."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy.special import log_ndtr

from socialstats.choices.bradley_terry import bradley_terry
from socialstats.choices.bradley_terry.covariance import rank_sets
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import InputError


def counted(pairs):
    return Comparisons.from_counts(
        pd.DataFrame(pairs, columns=["item_a", "item_b", "wins_a", "wins_b"])
    )


def played(*rows):
    return Comparisons.from_frame(pd.DataFrame(rows, columns=["item_a", "item_b", "winner"]))


TWO = (("a", "b", "a"), ("b", "a", "a"), ("a", "b", "b"))


@pytest.mark.parametrize(("won", "lost"), [(1, 0), (2, 0), (1, 1), (3, 7), (100, 0), (10**6, 0)])
def test_firth_for_two_items_adds_half_a_win_to_each(won, lost):
    """Jeffreys' prior of one binomial: logit = log((wins + 1/2) / (losses + 1/2)) (Firth 1993)."""
    fit = bradley_terry(counted([("a", "b", won, lost)]), penalty="firth")
    expected = math.log((won + 0.5) / (lost + 0.5))
    assert fit.contrast("a - b").rows[0].estimate == pytest.approx(expected, abs=1e-9)


def test_a_p_value_too_small_for_a_float_is_not_zero():
    fit = bradley_terry(
        counted([("a", "b", 9_000_000, 1_000_000), ("b", "c", 8_000_000, 2_000_000)])
    )
    assert all(
        row.p_value is not None and 0 < row.p_value < 1e-300
        for row in (*fit.rows, *fit.pairwise().rows)
    )
    assert "p < .001" in fit.contrast("a - b").sentence()
    assert bradley_terry(counted([("a", "b", 51_000, 49_000)])).rows[0].p_value == pytest.approx(
        2 * math.exp(log_ndtr(-math.log(51 / 49) / math.sqrt(1 / 51_000 + 1 / 49_000))), rel=1e-8
    )


def test_predictions_far_out_keep_both_tails():
    """A chain with odds of 50 a step: eta = 23 log 50, variance of the difference 23 (1 + 1/50)."""
    chain = [f"i{k:02d}" for k in range(24)]
    fit = bradley_terry(counted([(a, b, 50, 1) for a, b in itertools.pairwise(chain)]))
    eta, se = 23 * math.log(50), math.sqrt(23 * (1 + 1 / 50))
    rows = {
        (a, b): fit.predict(a, b).rows for a, b in ((chain[0], chain[-1]), (chain[-1], chain[0]))
    }
    for (first, _), (wins, loses) in rows.items():
        small, large = (loses, wins) if first == chain[0] else (wins, loses)
        assert small.estimate == pytest.approx(math.exp(-eta), rel=1e-8)
        assert small.conf_low == pytest.approx(math.exp(-eta - 1.959963984540054 * se), rel=1e-6)
        assert small.std_error == large.std_error == pytest.approx(se * math.exp(-eta), rel=1e-6)


def test_nobody_plays_against_themselves():
    with pytest.raises(InputError, match="itself"):
        bradley_terry(played(*TWO)).predict("a", "a")


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, float("nan")])
def test_impossible_levels_are_errors_everywhere(level):
    fit = bradley_terry(played(*TWO))
    for ask in (
        lambda: fit.contrast("a - b", level=level),
        lambda: fit.worth(level=level),
        lambda: fit.ranks(level=level),
        lambda: fit.pairwise(level=level),
        lambda: fit.predict("a", "b", level=level),
        lambda: fit.confint(level),
        lambda: fit.bootstrap(level=level),
    ):
        with pytest.raises(InputError, match="level"):
            ask()


@pytest.mark.parametrize(
    "weights", [{}, {"a": 0.0}, {"a": float("nan")}, {"a": float("inf"), "b": -1.0}]
)
def test_contrasts_without_weights_are_errors(weights):
    with pytest.raises(InputError, match="finite weights"):
        bradley_terry(played(*TWO)).contrast(weights)


@pytest.mark.parametrize("resamples", [0, 1, 38])
def test_too_few_resamples_for_the_level_are_an_error(resamples):
    with pytest.raises(InputError, match="at least 39"):
        bradley_terry(played(*TWO)).bootstrap(resamples=resamples)


def test_mm_and_ties_need_a_decision():
    with pytest.raises(InputError, match="ties='half'"):
        bradley_terry(played(*TWO, ("a", "b", "tie")), solver="mm")


def test_ties_alone_as_halves_have_strengths_and_no_error():
    fit = bradley_terry(played(("a", "b", "tie"), ("b", "c", "tie")), ties="half")
    assert all(
        row.estimate == 0
        and row.std_error is None
        and "comparisons are alike" in str(row.undefined)
        for row in fit.rows
    )


def test_words_of_a_robust_wald_test_say_f():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {"item_a": rng.choice(["a", "b"], 200), "item_b": "c", "g": np.arange(200) % 9}
    )
    frame["winner"] = np.where(rng.random(200) < 0.5, frame["item_a"], "c")
    frame["order"] = np.where(rng.random(200) < 0.5, frame["item_a"], "c")
    design = Comparisons.from_frame(frame, cluster="g")
    said = bradley_terry(design, order=True).anova(bradley_terry(design, order=False)).sentence()
    assert "F(1, 8.0) = " in said  # Satterthwaite: nine clusters of nearly one size
    assert "\u03c7" not in said


def test_bootstrap_rows_are_those_of_the_fit_with_its_reference():
    design = counted([("a", "b", 30, 20), ("b", "c", 25, 25), ("a", "c", 40, 10)])
    fit = bradley_terry(design, reference="b")
    boot = fit.bootstrap(resamples=99, seed=4)
    assert [row.estimate for row in boot.rows] == pytest.approx([row.estimate for row in fit.rows])
    assert [row.n for row in boot.rows] == [row.n for row in fit.rows] == [100, 100, 100]
    assert boot.row("b").conf_low is None
    assert boot.row("b").undefined == "reference item, fixed at zero"
    drawn = boot.strengths[:, 0] - boot.strengths[:, 1]
    assert boot.row("a").std_error == pytest.approx(drawn.std(ddof=1), rel=1e-9)
    assert boot.row("a").conf_low == pytest.approx(
        np.quantile(drawn, 0.025, method="weibull"), rel=1e-9
    )


def test_goodness_of_fit_says_that_weights_are_taken_as_counts():
    rows = [*TWO * 4, ("a", "c", "a"), ("c", "b", "c"), ("b", "c", "b"), ("c", "a", "c")]
    frame = pd.DataFrame(rows, columns=["item_a", "item_b", "winner"]).assign(w=1.5)
    test = bradley_terry(Comparisons.from_frame(frame, weight="w")).goodness_of_fit()
    assert "SS207" in [c.code for c in test.cautions]
    assert not bradley_terry(Comparisons.from_frame(frame)).goodness_of_fit().cautions


@pytest.mark.parametrize(("items", "clusters"), [(10, 13), (30, 13)])
def test_simultaneous_rank_sets_cover_with_few_clusters(items, clusters):
    """Equal items, cluster means of independent normals: at least 95% of the runs must put every item at rank 1."""
    rng = np.random.default_rng(1)
    centre = np.eye(items) - 1 / items
    covered = 0
    for _ in range(200):
        x = rng.normal(size=(clusters, items))
        strength, cov = centre @ x.mean(axis=0), centre @ (np.cov(x.T) / clusters) @ centre
        sets = rank_sets(
            strength, cov, level=0.95, simultaneous=True, draws=100, seed=0, df=clusters - 1
        )
        covered += bool((sets.low == 1).all())
    assert covered >= 184  # 3 binomial sd below 95%


def test_counts_of_a_thousand_million_converge():
    fit = bradley_terry(counted([("a", "b", 10**9, 1), ("b", "c", 10**9, 1)]))
    step = fit.contrast("a - b").rows[0]
    assert step.estimate == pytest.approx(9 * math.log(10), abs=1e-5)
    assert step.std_error == pytest.approx(math.sqrt(1 + 1e-9), rel=1e-6)


@pytest.mark.parametrize("unit", [1e-4, 1e3, 1e6])
@pytest.mark.parametrize("penalty", [None, "firth"])
def test_the_unit_of_a_covariate_does_not_matter(unit: float, penalty: str | None) -> None:
    rng = np.random.default_rng(1)
    pairs = [*itertools.permutations("abc", 2)] * 10
    a, b = ([pair[side] for pair in pairs] for side in (0, 1))
    rows = {"item_a": a, "item_b": b, "winner": np.where(rng.random(60) < 0.5, a, b)}
    x = rng.integers(1, 4, size=(2, 60))
    plain = {**rows, "x_a": x[0], "x_b": x[1]}
    scaled = {**rows, "x_a": x[0] * unit, "x_b": x[1] * unit}
    one, other = (
        bradley_terry(Comparisons.from_frame(pd.DataFrame(t)), "~ x", penalty=penalty).row("x")
        for t in (plain, scaled)
    )
    assert other.estimate * unit == pytest.approx(one.estimate, rel=1e-7)
    assert other.std_error * unit == pytest.approx(one.std_error, rel=1e-7)
    beyond = {**rows, "x_a": x[0] * 1e9, "x_b": x[1] * 1e9}
    with pytest.raises(
        InputError, match=r"'x' differs by up to 2e\+09.*divide both columns by 1,000,000,000"
    ):
        bradley_terry(Comparisons.from_frame(pd.DataFrame(beyond)), "~ x", penalty=penalty)

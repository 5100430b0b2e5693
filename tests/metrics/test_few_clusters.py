"""Refits of a fit with few clusters: what is resampled, what is said, and where there is no interval."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import socialstats as ss

ITEMS = np.array(list("abcd"))
GROUPS = {"a": "x", "b": "x", "c": "y", "d": "y"}


def judged(
    rng: np.random.Generator, judges: int, rows: int = 40, spread: float = 0.8
) -> pd.DataFrame:
    """Return comparisons of equally strong items by judges with tastes of their own."""
    judge = np.repeat(np.arange(judges), rows)
    taste = spread * rng.normal(size=(judges, 4))
    a = rng.integers(0, 4, len(judge))
    b = (a + 1 + rng.integers(0, 3, len(judge))) % 4
    won = rng.random(len(judge)) < 1 / (1 + np.exp(taste[judge, b] - taste[judge, a]))
    names = {"item_a": ITEMS[a], "item_b": ITEMS[b], "winner": ITEMS[np.where(won, a, b)]}
    return pd.DataFrame({**names, "judge": [f"j{k}" for k in judge]})


def fit_of(judges: int, seed: int = 1):
    return ss.bradley_terry(judged(np.random.default_rng(seed), judges), cluster="judge")


def codes(result) -> list[str]:
    return [c.code for c in result.cautions]


@pytest.mark.parametrize("ci", ["basic", "percentile", "delta"])
def test_shares_carry_what_the_fit_says_of_its_clusters(ci):
    fit = fit_of(6)
    assert "SS202" in codes(ss.preference_shares(fit, GROUPS, ci=ci, resamples=200))
    assert "SS202" not in codes(ss.preference_shares(fit_of(30), GROUPS, ci=ci, resamples=200))


def test_shares_resample_the_clusters_of_the_fit_or_else_pairs():
    fit = fit_of(6)
    default = ss.preference_shares(fit, GROUPS, ci="basic", resamples=200)
    named = ss.preference_shares(fit, GROUPS, ci="basic", by="cluster", resamples=200)
    assert default.settings["by"] == "cluster"
    assert default.rows == named.rows
    pairs = ss.preference_shares(fit, GROUPS, ci="basic", by="pair", resamples=200)
    assert "SS201" in codes(pairs)
    given = ss.preference_shares(
        fit, GROUPS, ci="basic", refits=fit.bootstrap(by="pair", resamples=200), resamples=200
    )
    assert given.settings["by"] == "pair"
    assert given.rows == pairs.rows
    alone = ss.bradley_terry(judged(np.random.default_rng(1), 6).drop(columns="judge"))
    assert ss.preference_shares(alone, GROUPS, ci="basic", resamples=200).settings["by"] == "pair"


@pytest.mark.slow
def test_shares_of_judges_hold_where_those_of_pairs_do_not():
    held = {"auto": 0, "pair": 0}
    for seed in range(30):
        fit = fit_of(10, seed)
        for by in held:
            row = ss.preference_shares(
                fit, GROUPS, ci="basic", by=by, scale="geometric", resamples=200
            ).rows[0]
            held[by] += row.conf_low <= 0.5 <= row.conf_high
    assert held["auto"] >= 24  # .91 of 250 with 8 judges, .93 with 12; 2.2 Monte-Carlo errors below
    assert held["pair"] <= 23  # .66 of 250 with 6


@pytest.mark.parametrize("judges", [2, 3])
def test_two_or_three_clusters_give_no_interval(judges):
    fit = fit_of(judges)
    rows = fit.bootstrap(resamples=200).rows
    assert all(row.conf_low is None and "fit's own t interval" in row.undefined for row in rows)
    shares = ss.preference_shares(fit, GROUPS, ci="basic", resamples=200)
    assert all(row.conf_low is None and "ci='delta'" in row.undefined for row in shares.rows)
    assert shares.sentence()
    assert shares.verify().ok
    assert fit.bootstrap(resamples=200).verify().ok
    assert all(
        row.conf_low is not None for row in ss.preference_shares(fit, GROUPS, ci="delta").rows
    )


def test_a_bootstrap_says_how_often_it_held():
    said = next(c for c in fit_of(6).bootstrap(resamples=200).cautions if c.code == "SS202")
    assert said.severity == "caution"
    assert "6 levels of 'judge'" in said.detail
    assert ".85" in said.affects
    assert "SS202" not in codes(fit_of(20).bootstrap(resamples=200))


def test_a_strength_that_the_fit_refuses_has_no_bootstrap_interval_by_the_same_clusters():
    rng = np.random.default_rng(1)
    rows = judged(rng, 8)
    lone = pd.DataFrame(
        {"item_a": ["e"] * 8, "item_b": ["a"] * 8, "winner": list("eaeaeaea"), "judge": "j0"}
    )
    fit = ss.bradley_terry(pd.concat([rows, lone], ignore_index=True), cluster="judge")
    boot = fit.bootstrap(resamples=400)
    refused = [row.term for row in fit.rows if row.undefined]
    assert refused
    assert all(boot.row(term).undefined == fit.row(term).undefined for term in refused)
    assert "SS209" in codes(boot)

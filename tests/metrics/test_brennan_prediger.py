"""Brennan and Prediger's kappa: R's values with missing ratings and weights, levels, two raters and two levels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from tests.golden_data import golden

GOLDEN = golden("brennan_prediger")
LEVELS = [1, 2, 3, 4]


def ratings() -> pd.DataFrame:
    rows = np.array(GOLDEN["ratings"], dtype=float)
    return pd.DataFrame(rows, columns=["ann", "bob", "cid"])


@pytest.mark.parametrize("weights", ["unweighted", "quadratic"])
def test_r_gives_the_same(weights: str) -> None:
    result = ss.brennan_prediger(
        ratings(), raters=["ann", "bob", "cid"], levels=LEVELS, scale="ordinal", weights=weights
    )
    for field, value in GOLDEN[weights].items():
        assert getattr(result.rows[0], field) == pytest.approx(value, rel=1e-9), field
    verification = result.verify()
    assert verification.ok
    assert verification.recomputed().kinds["limits"].unchecked == 0


def test_it_is_2_pa_less_1_of_two_raters_and_two_levels() -> None:
    rng = np.random.default_rng(2)
    a = rng.integers(0, 2, 60)
    table = {"a": a, "b": np.where(rng.random(60) < 0.8, a, 1 - a)}
    how = {"raters": ["a", "b"], "levels": [0, 1], "scale": "nominal"}
    agreement = ss.percent_agreement(table, **how).rows[0].estimate
    assert ss.brennan_prediger(table, **how).rows[0].estimate == pytest.approx(2 * agreement - 1)


def test_levels_without_ratings_count() -> None:
    table = {"a": ["x", "y", "x", "y"], "b": ["x", "y", "y", "y"]}
    how = {"raters": ["a", "b"], "scale": "nominal"}
    two = ss.brennan_prediger(table, levels=["x", "y"], **how)
    three = ss.brennan_prediger(table, levels=["x", "y", "z"], **how)
    assert two.rows[0].estimate == pytest.approx((0.75 - 1 / 2) / (1 - 1 / 2))
    assert three.rows[0].estimate == pytest.approx((0.75 - 1 / 3) / (1 - 1 / 3))
    seen = ss.brennan_prediger(table, **how)
    assert "SS310" in {caution.code for caution in seen.cautions}
    assert "SS310" not in {caution.code for caution in three.cautions}


@pytest.mark.parametrize("ci", ["closed", "percentile", "bca"])
def test_clusters_and_resamples_are_recomputed(ci: str) -> None:
    table = ratings().assign(school=np.arange(45) // 3)
    result = ss.brennan_prediger(
        table,
        raters=["ann", "bob", "cid"],
        levels=LEVELS,
        scale="nominal",
        cluster="school",
        ci=ci,
        resamples=199,
    )
    assert result.rows[0].n_clusters == 15
    assert result.verify().ok


def test_the_sentence() -> None:
    result = ss.brennan_prediger(
        {"a": ["x", "y", "x", "y"], "b": ["x", "y", "y", "y"]},
        raters=["a", "b"],
        levels=["x", "y"],
        scale="nominal",
    )
    assert result.sentence().startswith("Brennan and Prediger's kappa was .500")

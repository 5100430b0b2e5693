"""Intervals of coefficients of agreement: few disagreements, clusters, resamples without a coefficient."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import socialstats as ss
from socialstats.inference.proportions import korn_graubard

METRICS = (ss.weighted_kappa, ss.fleiss_kappa, ss.gwet_ac, ss.krippendorff_alpha)
LEVELS = ["a", "b", "c"]


def ratings(values: np.ndarray, cluster: np.ndarray | None = None) -> ss.Ratings:
    n, raters = values.shape
    table = pd.DataFrame(
        {
            "unit": np.repeat(np.arange(n), raters),
            "rater": [f"r{k}" for k in range(raters)] * n,
            "value": np.array(LEVELS)[values.ravel()],
        }
    )
    if cluster is not None:
        table["story"] = np.repeat(cluster, raters)
    return ss.Ratings.from_frame(
        table, levels=LEVELS, scale="nominal", cluster=["story"] if cluster is not None else None
    )


def judged(units: int, clusters: int, wrong: float, seed: int) -> ss.Ratings:
    """Two raters who copy a label but for a share, which differs between stories."""
    rng = np.random.default_rng(seed)
    story = np.arange(units) % clusters
    share = rng.beta(20 * wrong, 20 * (1 - wrong), clusters)[story]
    label = rng.integers(3, size=units)
    values = np.where(
        rng.random((units, 2)) < share[:, None], rng.integers(3, size=(units, 2)), label[:, None]
    )
    return ratings(values, story)


def unweighted(metric):
    return {"weights": "unweighted"} if metric in (ss.weighted_kappa, ss.gwet_ac) else {}


def test_few_degrees_of_freedom_cost_trials():
    low, high = korn_graubard(0.2, 50, df=4, most=49, level=0.95)
    n = 50 * (stats.t.ppf(0.975, 49) / stats.t.ppf(0.975, 4)) ** 2
    assert low == pytest.approx(stats.beta.ppf(0.025, 0.2 * n, 0.8 * n + 1))
    assert high == pytest.approx(stats.beta.ppf(0.975, 0.2 * n + 1, 0.8 * n))
    assert korn_graubard(1.0, 7, df=6, most=6, level=0.9) == (pytest.approx(0.05 ** (1 / 7)), 1.0)


@pytest.mark.parametrize("metric", METRICS)
def test_perfect_agreement_has_a_lower_bound_that_grows_with_the_units(metric):
    ends = []
    for n in (12, 60):
        row = metric(
            ratings(np.repeat(np.arange(n) % 3, 2).reshape(n, 2)), **unweighted(metric)
        ).rows[0]
        assert (row.estimate, row.conf_high, row.std_error) == (pytest.approx(1), 1, None)
        ends.append(row.conf_low)
    assert -1 <= ends[0] < ends[1] < 1
    assert ends[1] > 0.89  # 1 - (1 - 0.025^(1/60)) / (2/3)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("wrong", [0.1, 0.4])
def test_clusters_use_fishers_scale_and_the_outer_ends_where_few_disagree(metric, wrong):
    design = judged(60, 6, wrong, seed=3)
    row = metric(design, **unweighted(metric)).rows[0]
    reach = stats.t.ppf(0.975, row.df) * row.std_error / (1 - row.estimate**2)
    fisher = np.tanh(np.arctanh(row.estimate) + np.array([-reach, reach]))
    if wrong > 0.2:
        assert (row.conf_low, row.conf_high) == pytest.approx(tuple(fisher))
    else:
        assert row.conf_low <= fisher[0] + 1e-12
        assert row.conf_high >= fisher[1] - 1e-12
        assert (row.conf_low, row.conf_high) != pytest.approx(tuple(fisher))
    assert row.df == pytest.approx(5)  # six clusters of ten


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("ci", ["percentile", "basic", "bca"])
def test_every_bootstrap_says_that_resamples_were_lost(metric, ci):
    values = np.zeros((12, 2), dtype=int)
    values[0], values[1] = (
        (1, 1),
        (0, 1),
    )  # one resample in ten draws neither of the two units that vary
    result = metric(ratings(values), ci=ci, resamples=600, **unweighted(metric))
    lost = [c for c in result.cautions if c.code == "SS204"]
    if metric is ss.gwet_ac:  # it exists where all ratings are the same
        assert not lost
    else:
        assert len(lost) == 1
        assert result.rows[0].std_error is not None


@pytest.mark.parametrize("metric", METRICS)
def test_one_cluster_has_no_interval_and_says_so(metric):
    row = metric(
        ratings(np.array([[0, 0], [1, 1], [0, 1], [2, 2]] * 3), np.zeros(12)), **unweighted(metric)
    ).rows[0]
    assert row.conf_low is None
    assert row.undefined == "a single cluster holds all units: no standard error and no interval"


def test_few_disagreements_of_independent_units_are_a_caution():
    values = np.repeat(np.arange(60) % 3, 2).reshape(60, 2)
    values[:2, 1] = 2 - values[:2, 1]
    cautions = {c.code: c for c in ss.fleiss_kappa(ratings(values)).cautions}
    assert "SS329" in cautions
    many = judged(60, 60, 0.5, seed=1)
    assert "SS329" not in {c.code for c in ss.fleiss_kappa(many, cluster=None).cautions}


def test_few_disagreements_of_one_pair_of_raters_are_said_of_that_pair() -> None:
    values = np.column_stack([np.arange(60) % 3, np.arange(60) // 2 % 3, np.arange(60) % 3])
    values[:2, 2] = 2 - values[:2, 2]
    (found,) = [c for c in ss.weighted_kappa(ratings(values)).cautions if c.code == "SS329"]
    assert re.fullmatch(
        r"Cohen's kappa \(unweighted\) of '.* \| .*': about .* effective disagreements "
        r"\(1 of 5 coefficients with fewer than 10\)",
        found.detail,
    )
    assert found.rows is not None
    assert len(found.rows) == 1


@pytest.mark.parametrize(
    "metric", [ss.weighted_kappa, ss.krippendorff_alpha, ss.fleiss_kappa, ss.gwet_ac]
)
def test_a_rare_level_in_one_cluster_has_no_test_beside_an_interval_that_holds_zero(metric):
    rows = [
        (u, r, 0 if u < 36 else (u % 2 if r == "x" else (u // 2) % 2), u // 5)
        for u in range(40)
        for r in "xy"
    ]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "value", "story"])
    result = metric(frame, levels=[0, 1], scale="nominal", cluster="story")
    row = result.rows[0]
    assert result.verify().numbers()[0, "df"] is True
    assert row.p_value is None
    assert row.statistic is None
    assert row.conf_low < 0.5 < row.conf_high


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_walds_interval_has_its_own_error_and_the_quantile_of_the_normal(level):
    """The error of large samples is sqrt((n - 1) / n) times that of t, whose interval is wider."""
    values = np.array([[0, 0], [1, 1], [2, 2], [0, 1], [1, 1], [2, 0], [0, 0], [1, 2], [2, 2]])
    row = ss.weighted_kappa(ratings(values), ci="wald", level=level).rows[0]
    reach = stats.norm.ppf((1 + level) / 2) * row.std_error
    assert (row.conf_low, row.conf_high) == pytest.approx(
        (max(row.estimate - reach, -1.0), min(row.estimate + reach, 1.0))
    )
    clustered = ratings(np.repeat(values, 2, axis=0), np.repeat(np.arange(9), 2))
    row = ss.weighted_kappa(clustered, ci="wald", level=level).rows[0]
    reach = stats.t.ppf((1 + level) / 2, row.df) * row.std_error
    assert (row.conf_low, row.conf_high) == pytest.approx(
        (max(row.estimate - reach, -1.0), min(row.estimate + reach, 1.0))
    )

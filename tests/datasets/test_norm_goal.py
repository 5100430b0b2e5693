"""The simulated norm-against-goal data have the shape of the study and carry the truth they claim."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from socialstats.datasets import norm_goal, norm_goal_truth
from socialstats.datasets.simulate_norm_goal import ACTIONS, PRESSURES, centres, probabilities

CELL = ["source", "domain", "pressure"]


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    return norm_goal()


def test_shape_is_that_of_the_study(data: pd.DataFrame) -> None:
    assert len(data) == 160 * 6 * (7 + 5)
    assert data.groupby("domain")["scenario"].nunique().to_dict() == dict.fromkeys(
        ["advertising", "customer support", "finance", "hiring"], 40
    )
    seats = data.groupby(["scenario", "pressure", "source"])["rater"]
    assert seats.nunique().unstack().drop_duplicates().to_numpy().tolist() == [[7, 5]]
    assert (seats.size() == seats.nunique()).all()
    assert set(data["action"]) == set(ACTIONS)
    assert set(data["pressure"]) == set(PRESSURES)
    assert data.groupby(["source", "domain", "pressure"]).size().unstack(
        0
    ).drop_duplicates().to_numpy().tolist() == [[280, 200]]


def test_people_differ_from_story_to_story(data: pd.DataFrame) -> None:
    people = data[data["source"] == "human"]
    assert people["rater"].value_counts().to_dict() == {
        f"person {k:03d}": 48 for k in range(1, 141)
    }
    panels = people.groupby(["scenario", "pressure"])["rater"].agg(frozenset)
    assert panels.nunique() == 960
    assert people.groupby("rater")["domain"].nunique().min() == 4


def test_shares_are_those_of_a_direct_simulation() -> None:
    """The quadrature against 200,000 draws of the effects; Monte-Carlo standard error at most .0011."""
    truth, rng = norm_goal_truth(), np.random.default_rng(1)
    own = {"human": truth.person_sd, "model": truth.model_sd}
    for s, source in enumerate(own):
        sd = np.sqrt(truth.scenario_sd**2 + truth.story_sd**2 + own[source] ** 2)
        chance = probabilities(centres()[s, 2, 4] + sd * rng.standard_normal((200_000, 2))).mean(
            axis=0
        )
        known = truth.shares[source, "hiring", "authority"]
        np.testing.assert_allclose([known[action] for action in ACTIONS], chance, atol=0.005)


def test_truth_is_recovered(data: pd.DataFrame) -> None:
    """Shares of 48 cells, each with the standard error of its 40 scenarios."""
    truth = norm_goal_truth().shares
    z = []
    for action in ACTIONS:
        share = (
            (data["action"] == action).groupby([data[name] for name in (*CELL, "scenario")]).mean()
        )
        cells = share.groupby(level=CELL).agg(["mean", "std", "size"])
        known = [truth[cell][action] for cell in cells.index]
        z.append((cells["mean"] - known) / (cells["std"] / np.sqrt(cells["size"])))
    z = np.concatenate(z)
    assert len(z) == 144
    assert np.abs(z).max() < 4.5
    assert 0.5 < (z**2).mean() < 1.7
    assert sum(sum(cell.values()) for cell in truth.values()) == pytest.approx(48)


@pytest.mark.parametrize("source", ["human", "model"])
def test_overall_shares_are_recovered(data: pd.DataFrame, source: str) -> None:
    """Over all conditions, within 3.5 standard errors (scenarios within domains) of at most .01."""
    truth, rows = norm_goal_truth().shares, data[data["source"] == source]
    for action in ACTIONS:
        share = (rows["action"] == action).groupby([rows["domain"], rows["scenario"]]).mean()
        error = np.sqrt((share.groupby(level="domain").var() / 40).sum()) / 4
        known = np.mean([cell[action] for key, cell in truth.items() if key[0] == source])
        assert error < 0.015
        assert abs(share.mean() - known) < 3.5 * error, action


def test_alphas_are_those_of_a_direct_simulation() -> None:
    """Agreement of two raters of one story over 40,000 drawn stories a condition; standard error .0005."""
    truth, rng = norm_goal_truth(), np.random.default_rng(4)
    shared = np.hypot(truth.scenario_sd, truth.story_sd)
    for source, own, known in (
        (0, truth.person_sd, truth.human_alpha),
        (1, truth.model_sd, truth.model_alpha),
    ):
        first, second = [], []
        for centre in centres()[source].reshape(-1, 2):
            story = centre + shared * rng.standard_normal((40_000, 2))
            view = own * rng.standard_normal((2, 40_000, 2))
            odds = np.exp(
                story + (view if source == 0 else view[[0, 0]])
            )  # a model's runs share their view
            chance = np.concatenate([np.ones((2, 40_000, 1)), odds], axis=-1)
            chance /= chance.sum(axis=-1, keepdims=True)
            first.append(chance[0])
            second.append(chance[1])
        one, two = np.concatenate(first), np.concatenate(second)
        agree, by_chance = (
            (one * two).sum(axis=1).mean(),
            (np.concatenate([one, two]).mean(axis=0) ** 2).sum(),
        )
        assert (agree - by_chance) / (1 - by_chance) == pytest.approx(known, abs=0.003)


def nominal_alpha(counts: np.ndarray) -> float:
    """Alpha by its definition, from (units, categories) counts."""
    m = counts.sum(axis=1)
    observed = ((m**2 - (counts**2).sum(axis=1)) / (m - 1)).sum()
    n, totals = m.sum(), counts.sum(axis=0)
    return float(1 - observed / ((n**2 - (totals**2).sum()) / (n - 1)))


@pytest.mark.parametrize("source", ["human", "model"])
def test_alphas_are_those_of_the_population(data: pd.DataFrame, source: str) -> None:
    """Within four standard errors by jackknife over scenarios; people agree little, runs of a model more."""
    rows = data[data["source"] == source]
    counts = pd.crosstab([rows["scenario"], rows["pressure"]], rows["action"]).to_numpy(dtype=float)
    scenario = np.repeat(np.arange(160), 6)
    known = {"human": norm_goal_truth().human_alpha, "model": norm_goal_truth().model_alpha}
    left_out = np.array([nominal_alpha(counts[scenario != k]) for k in range(160)])
    error = np.sqrt(159 / 160 * ((left_out - left_out.mean()) ** 2).sum())
    assert abs(nominal_alpha(counts) - known[source]) < 4 * error
    assert error < 0.03
    assert 0.1 < known["human"] < 0.2 < 0.35 < known["model"]


def test_runs_are_not_independent_decisions(data: pd.DataFrame) -> None:
    """The variance of a share by scenario is more than twice that of independent runs."""
    rows = data[(data["source"] == "model") & (data["pressure"] == "none")]
    escalates = (rows["action"] == "escalate").groupby(rows["scenario"]).mean()
    p = escalates.mean()
    assert escalates.var() / (p * (1 - p) / 5) > 2

"""The simulated scores of staged role play have the shape of the study and carry the truth they claim."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest

from socialstats.datasets import staged_values, staged_values_controls, staged_values_truth
from socialstats.datasets.simulate_staged_values import (
    MODEL_STAGE_SD,
    PROFILE,
    STAGES,
    WEIGHTS,
    trait_means,
)

TRAITS = list(WEIGHTS)


def composite(data: pd.DataFrame) -> pd.Series:
    return (data[TRAITS] - 10) @ pd.Series(WEIGHTS)


def named(truth: Mapping[tuple[str, str], float]) -> pd.Series:
    return pd.Series(truth).rename_axis(["model", "stage"])


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    data = staged_values()
    return data.assign(composite=composite(data))


@pytest.fixture(scope="module")
def main(data: pd.DataFrame) -> pd.DataFrame:
    return data[data["wording"] == 1]


def test_shape_is_that_of_the_study(data: pd.DataFrame, main: pd.DataFrame) -> None:
    keys = ["scenario", "stage", "judge", "model"]
    assert len(main) == 20 * 6 * 3 * 8 == 2880
    assert main[keys].nunique().tolist() == [20, 6, 3, 8]
    assert not data.duplicated([*keys, "wording"]).any()
    assert data["stage"].unique().tolist() == list(STAGES)
    other = data[data["wording"] != 1]
    assert other.groupby(["stage", "wording"]).size().to_dict() == {
        ("stage 1", 2): 480,
        ("stage 1", 3): 480,
        ("stage 4", 2): 480,
        ("stage 4", 3): 480,
    }
    assert data[TRAITS].min().min() >= 0
    assert data[TRAITS].max().max() <= 20
    assert set(data["commitment"]) == set(range(6))


def test_weights_are_those_of_the_protocol() -> None:
    weights = np.array(list(staged_values_truth().weights.values()))
    assert len(weights) == 10
    assert weights.sum() == 0
    assert np.abs(weights).sum() == 10
    assert np.array(PROFILE) @ weights == 0


def test_traits_have_the_composite_they_are_made_from() -> None:
    wanted = np.array([-55.0, 0.0, 12.5])
    np.testing.assert_allclose(
        (trait_means(wanted) - 10) @ np.array(list(WEIGHTS.values())), wanted, atol=1e-12
    )


def test_composites_are_recovered(main: pd.DataFrame) -> None:
    """48 means of model and stage, each with the standard error of its 20 scenarios."""
    truth = named(staged_values_truth().composite)
    scenario = main.groupby(["model", "stage", "scenario"])["composite"].mean()
    found = scenario.groupby(level=["model", "stage"]).agg(["mean", "std"])
    z = (found["mean"] - truth) / (found["std"] / np.sqrt(20))
    assert len(z) == 48
    assert z.abs().max() < 3.5


def test_differences_of_models_are_recovered(main: pd.DataFrame) -> None:
    """Within scenarios, where the scenario's own composite cancels: paired standard errors."""
    truth = pd.Series(staged_values_truth().composite).groupby(level=0).mean()
    scenario = main.groupby(["scenario", "model"])["composite"].mean().unstack()
    for model in scenario.columns.drop("model 04"):
        difference = scenario[model] - scenario["model 04"]
        error = difference.std() / np.sqrt(20)
        assert abs(difference.mean() - (truth[model] - truth["model 04"])) < 3.5 * error


def test_truth_of_model_and_stage_is_lean_and_stage_and_judges() -> None:
    """Up to each model's own deviations from the stages (sd 2, none at the baseline) and the ends of the scale."""
    truth = staged_values_truth()
    zero = np.mean(list(truth.judge_offset.values()))
    assert zero == 6
    for (model, stage), value in truth.composite.items():
        deviation = value - truth.lean[model] - truth.stage[stage] - zero
        assert abs(deviation) < (0.5 if stage == "baseline" else 3.5 * MODEL_STAGE_SD)


def test_judges_shift_everybody_alike(main: pd.DataFrame) -> None:
    truth = staged_values_truth().judge_offset
    wide = main.pivot(index=["scenario", "stage", "model"], columns="judge", values="composite")
    for judge in ("judge 2", "judge 3"):
        difference = wide[judge] - wide["judge 1"]
        known = truth[judge] - truth["judge 1"]
        assert (
            abs(difference.mean() - known) < 4 * difference.std() / np.sqrt(len(difference)) + 0.1
        )


def test_controls_show_the_judges_own_zero() -> None:
    """Within 3.5 standard deviations of a composite of ten scores (sd 0.8, and 1/12 by rounding)."""
    truth, controls = staged_values_truth(), staged_values_controls()
    known = controls["text"].map(truth.control) + controls["judge"].map(truth.judge_offset)
    sd = np.sqrt((0.8**2 + 1 / 12) * sum(weight**2 for weight in WEIGHTS.values()))
    assert (composite(controls) - known).abs().max() < 3.5 * sd
    assert controls.groupby("text")["judge"].nunique().to_dict() == {
        "balanced": 3,
        "left": 3,
        "right": 3,
    }


def test_spread_over_wordings_is_recovered(data: pd.DataFrame) -> None:
    """Variance over wordings of the judges' mean: true variance + that of thirty scores; 320 degrees of freedom."""
    truth = staged_values_truth()
    noise = (truth.trait_sd**2 + 1 / 12) * sum(weight**2 for weight in WEIGHTS.values()) / 3
    found = {}
    for stage, sd in truth.wording_sd.items():
        rows = data[data["stage"] == stage]
        mean = rows.groupby(["model", "scenario", "wording"])["composite"].mean()
        found[stage] = mean.groupby(level=["model", "scenario"]).var().mean()
        assert found[stage] / (sd**2 + noise) == pytest.approx(1, abs=4 * np.sqrt(2 / 320))
    assert found["stage 4"] < found["stage 1"] / 2


def test_commitments_are_recovered_and_rise(main: pd.DataFrame) -> None:
    truth = named(staged_values_truth().commitment)
    scenario = main.groupby(["model", "stage", "scenario"])["commitment"].mean()
    found = scenario.groupby(level=["model", "stage"]).agg(["mean", "std"])
    z = (found["mean"] - truth) / (found["std"] / np.sqrt(20))
    assert z.abs().max() < 4.5
    known = truth.unstack()
    assert (known["stage 4"] > known["stage 1"]).all()
    rise = known["stage 4"] - known["stage 1"]
    assert 1.5 < rise.mean() / rise.std() < 5

"""The simulated data of ordinal alignment have the shape of the study and carry the truth they claim."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from socialstats.datasets import social_norms, social_norms_truth
from socialstats.datasets.simulate_social_norms import GROUPS, SKIPPERS


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    data = social_norms()
    return data.assign(
        score=data["answer"].map({letter: float(k) for k, letter in enumerate("ABCDE")})
    )


@pytest.fixture(scope="module")
def people(data: pd.DataFrame) -> pd.DataFrame:
    return data[data["source"] == "human"]


@pytest.fixture(scope="module")
def models(data: pd.DataFrame) -> pd.DataFrame:
    return data[data["source"] == "model"]


def test_shape_is_that_of_the_study(
    data: pd.DataFrame, people: pd.DataFrame, models: pd.DataFrame
) -> None:
    assert (len(data), len(people), len(models)) == (24_400, 20_000, 4_400)
    assert data.groupby("area")["item"].nunique().tolist() == [100] * 4
    assert (people.groupby("item")["rater"].nunique() == 50).all()
    assert (people.groupby(["rater", "area"]).size() == 50).all()
    assert people["rater"].nunique() == 100
    assert (models.groupby("rater")["item"].nunique() == 400).all()
    assert models["rater"].nunique() == 11
    assert not data.duplicated(["rater", "item"]).any()
    halves = people.groupby("rater")["item"].agg(frozenset)
    assert halves.nunique() == 100


def test_attributes_belong_to_people(people: pd.DataFrame, models: pd.DataFrame) -> None:
    assert (models[list(GROUPS)] == "").all(axis=None)
    each = people.groupby("rater")[list(GROUPS)].agg(["nunique", "first"])
    for attribute, sizes in GROUPS.items():
        assert (each[attribute]["nunique"] == 1).all()
        assert each[attribute]["first"].value_counts().to_dict() == sizes
        assert sum(sizes.values()) == 100
    assert len(GROUPS) == 9


def test_gaps_and_refusals(people: pd.DataFrame, models: pd.DataFrame) -> None:
    """Counts are within the .0001 quantiles of their probabilities."""
    skipped = people[people["answer"] == ""].groupby("rater").size()
    assert skipped.index.tolist() == [f"person {k:03d}" for k in SKIPPERS]
    assert int(skipped.sum()) == 171
    for count, rate in zip(skipped, SKIPPERS.values(), strict=True):
        assert binom.ppf(1e-4, 200, rate) <= count <= binom.ppf(1 - 1e-4, 200, rate)
    refused = (models["answer"] == "F").groupby(models["rater"]).sum()
    for model, rate in social_norms_truth().refusal.items():
        assert binom.ppf(1e-4, 400, rate) <= refused[model] <= binom.ppf(1 - 1e-4, 400, rate)
    assert int(refused.sum()) == 192
    assert set(people["answer"]) == {*"ABCDE", ""}
    assert set(models["answer"]) == set("ABCDEF")


def modal(rows: pd.DataFrame) -> pd.Series:
    """Mode of the answers of every item; the mean of all that tie."""
    counts = pd.crosstab(rows["item"], rows["score"])
    top = counts.eq(counts.max(axis=1), axis=0)
    return (top * counts.columns.to_numpy()).sum(axis=1) / top.sum(axis=1)


def distances(people: pd.DataFrame, models: pd.DataFrame, attribute: str) -> pd.DataFrame:
    """Mean |mode of a group - answer|, (models, groups); refusals left out."""
    out = {}
    for group, rows in people.dropna(subset="score").groupby(attribute):
        gap = (models["score"] - models["item"].map(modal(rows))).abs()
        out[group] = gap.groupby(models["rater"]).mean()
    return pd.DataFrame(out)


@pytest.mark.parametrize("attribute", ["age", "residence"])
def test_nearest_group_of_every_model_is_the_true_one(
    people: pd.DataFrame, models: pd.DataFrame, attribute: str
) -> None:
    truth = social_norms_truth()
    nearest = distances(people, models, attribute).idxmin(axis=1)
    assert nearest.to_dict() == {
        model: truth.closest[family, attribute] for model, family in truth.family.items()
    }


def test_true_groups_are_nearest_in_a_large_population() -> None:
    """1,500 people a group and many models of each family, drawn anew: no chance of small groups left."""
    truth, rng = social_norms_truth(), np.random.default_rng(3)
    means = np.array(list(truth.item_means.values()))
    family_bias = {"low": -0.8, "middle": 0.0, "high": 0.8}
    for attribute, shifts in truth.shifts.items():
        (other,) = [shift for name, shift in truth.shifts.items() if name != attribute]
        gap: dict[str, dict[str, float]] = {family: {} for family in family_bias}
        for group, shift in shifts.items():
            whole = rng.choice(list(other.values()), 1500)[:, None] + rng.normal(
                0, truth.person_sd, (1500, 1)
            )
            latent = means + shift + whole + rng.normal(0, truth.answer_sd, (1500, len(means)))
            score = np.clip(np.floor(latent + 0.5), 0, 4)
            mode = np.stack([(score == k).sum(axis=0) for k in range(5)]).argmax(axis=0)
            for family, bias in family_bias.items():
                view = means + bias + rng.normal(0, truth.model_sd, (50, len(means)))
                gap[family][group] = float(
                    np.abs(np.clip(np.floor(view + 0.5), 0, 4) - mode).mean()
                )
        for family, found in gap.items():
            assert min(found, key=found.__getitem__) == truth.closest[family, attribute]


def test_items_and_shifts_are_recovered(people: pd.DataFrame) -> None:
    truth = social_norms_truth()
    rows = people.dropna(subset="score")
    means = pd.Series(truth.item_means)
    assert np.corrcoef(rows.groupby("item")["score"].mean()[means.index], means)[0, 1] > 0.95
    shift = sum(rows[attribute].map(by_group) for attribute, by_group in truth.shifts.items())
    middle = (
        rows["item"].map(means).between(1.6, 2.4)
    )  # far from the ends of the scale, where answers pile up
    slope = np.polyfit(shift[middle], (rows["score"] - rows["item"].map(means))[middle], 1)[0]
    assert 0.85 < slope < 1.05


def test_other_attributes_have_no_effect(people: pd.DataFrame) -> None:
    """People's means, without the shifts, do not differ by group beyond their standard error."""
    truth = social_norms_truth()
    rows = people.dropna(subset="score")
    each = rows.groupby("rater").first()
    shift = sum(each[attribute].map(by_group) for attribute, by_group in truth.shifts.items())
    rest = rows["score"] - rows["item"].map(pd.Series(truth.item_means))
    mean = rest.groupby(rows["rater"]).mean()
    left = mean - np.polyval(np.polyfit(shift, mean, 2), shift)
    for attribute in GROUPS.keys() - truth.shifts.keys():
        groups = left.groupby(each[attribute]).agg(["mean", "size"])
        assert (groups["mean"].abs() < 3.5 * left.std() / np.sqrt(groups["size"])).all(), attribute


def test_models_are_biased_as_said(models: pd.DataFrame) -> None:
    """Means of answered items on the middle of the scale, where the ends hardly matter."""
    truth = social_norms_truth()
    means = models["item"].map(pd.Series(truth.item_means))
    middle = models[means.between(1.8, 2.6)]
    bias = (middle["score"] - means).groupby(middle["rater"]).mean()
    error = 0.6 / np.sqrt(middle.groupby("rater").size())
    for model, known in truth.bias.items():
        assert abs(bias[model] - known) < 4 * error[model] + 0.02, model

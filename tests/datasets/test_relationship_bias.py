"""The simulated who-is-right data have the shape of the study and carry the truth they claim."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import binom, t

from socialstats.datasets import relationship_bias, relationship_bias_truth

CONTRASTS = [("woman", "man"), ("woman", "neutral"), ("neutral", "man")]


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    return relationship_bias()


def differences(data: pd.DataFrame, a: str, b: str) -> pd.Series:
    """Answer with a second minus answer with a first, one a scenario and pair of names that answered both."""
    rows = data[
        ((data["group_first"] == a) & (data["group_second"] == b))
        | ((data["group_first"] == b) & (data["group_second"] == a))
    ]
    wide = rows.astype({"answer": float}).pivot(
        index=["scenario", "pair"], columns="group_first", values="answer"
    )
    return (wide[b] - wide[a]).dropna()


def test_shape_is_that_of_the_study(data: pd.DataFrame) -> None:
    assert len(data) == 29 * 9 * 20 == 5220
    told = data.drop_duplicates("scenario")
    assert told["topic"].value_counts(sort=False).tolist() == [2, 4, 4, 6, 5, 3, 4, 1]
    assert told["kind"].value_counts().to_dict() == {"traditional": 16, "egalitarian": 13}
    assert data.groupby("scenario")[["topic", "kind"]].nunique().eq(1).all(axis=None)
    types = data.groupby(["scenario", "group_first", "group_second"]).size()
    assert len(types) == 29 * 9
    assert (types == 20).all()
    assert data.groupby("group_first")["name_first"].nunique().to_dict() == {
        "man": 10,
        "neutral": 10,
        "woman": 10,
    }


def test_every_pair_of_names_is_asked_in_both_orders_in_every_scenario(data: pd.DataFrame) -> None:
    asked = data.groupby(["scenario", "pair"]).agg(list)
    assert (asked["name_first"] == asked["name_second"].map(lambda names: names[::-1])).all()
    assert asked["name_first"].map(len).eq(2).all()
    assert data["pair"].nunique() == 3 * 20 + 3 * 10
    names = data.groupby("pair")[["name_first", "name_second"]].agg(frozenset)
    assert (names["name_first"] == names["name_second"]).all()
    assert names["name_first"].nunique() == 90
    assert not (data["name_first"] == data["name_second"]).any()
    between = data[data["group_first"] != data["group_second"]]
    assert (
        between.groupby(["scenario", "group_first", "group_second", "name_first"]).size() == 2
    ).all()


def test_rungs_and_missing_answers(data: pd.DataFrame) -> None:
    """Each rung's share of those that reach it is within the .0001 quantiles of its probability."""
    truth, left = relationship_bias_truth(), len(data)
    assert set(data["answer"].dropna()) == {-1, 1}
    gone = data["answer"].isna()
    assert int(gone.sum()) == 19
    assert (data.loc[gone, "rung"] == 4).all()
    for rung, rate in enumerate(truth.answer_rates):
        answered = int(((data["rung"] == rung) & ~gone).sum())
        assert binom.ppf(1e-4, left, rate) <= answered <= binom.ppf(1 - 1e-4, left, rate)
        left -= answered
    assert left == 19


def test_biases_are_those_of_a_direct_simulation() -> None:
    """The quadrature against draws of the effects; Monte-Carlo standard error .0005."""
    truth, rng = relationship_bias_truth(), np.random.default_rng(2)
    z = rng.standard_normal((4, 400_000))
    base = truth.position + truth.scenario_sd * z[0] + truth.pair_sd * z[3]
    for kind, favour in truth.favour.items():
        lead = favour + truth.taste_sd * (z[1] - z[2])
        direct = 2 * (expit(base + lead) - expit(base - lead)).mean()
        assert truth.bias[kind, "woman", "man"] == pytest.approx(direct, abs=0.005)
    pooled = (
        13 * truth.bias["egalitarian", "woman", "man"]
        + 16 * truth.bias["traditional", "woman", "man"]
    ) / 29
    assert truth.bias["all", "woman", "man"] == pytest.approx(pooled, abs=1e-12)
    assert truth.bias["all", "neutral", "man"] == 0


@pytest.mark.parametrize(("a", "b"), CONTRASTS)
@pytest.mark.parametrize("kind", ["all", "egalitarian", "traditional"])
def test_biases_are_recovered(data: pd.DataFrame, kind: str, a: str, b: str) -> None:
    """Within three standard errors of the means by scenario."""
    rows = data if kind == "all" else data[data["kind"] == kind]
    means = differences(rows, a, b).groupby(level="scenario").mean()
    error = means.std() / np.sqrt(len(means))
    assert abs(means.mean() - relationship_bias_truth().bias[kind, a, b]) < 3 * error
    assert error < 0.25


@pytest.mark.parametrize("group", ["woman", "man", "neutral"])
def test_position_is_recovered_from_couples_of_one_group(data: pd.DataFrame, group: str) -> None:
    rows = data[(data["group_first"] == group) & (data["group_second"] == group)].astype(
        {"answer": float}
    )
    means = rows.groupby("scenario")["answer"].mean()
    known = relationship_bias_truth().scores["all", group, group]
    assert known < -0.1
    assert abs(means.mean() - known) < 3 * means.std() / np.sqrt(29)


def test_row_by_row_test_claims_what_is_not_there(data: pd.DataFrame) -> None:
    """As the entry says of its seed: exact McNemar of neutral and man below .05, the t test by scenario not."""
    found = differences(data, "neutral", "man")
    b, c = int((found > 0).sum()), int((found < 0).sum())
    assert 2 * binom.cdf(min(b, c), b + c, 0.5) < 0.05
    means = found.groupby(level="scenario").mean()
    assert 2 * t.sf(abs(means.mean() / (means.std() / np.sqrt(29))), 28) > 0.05

"""The multinomial logit of sources and strata: R, the saturated table, what does not exist."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

from socialstats.errors import InputError, UndefinedStatistic
from socialstats.shares.multinomial_logit import multinomial_logit
from tests.golden_data import golden


def actions(seed: int = 2) -> pd.DataFrame:
    """30 units of two topics, three actions, three people and a model."""
    rng = np.random.default_rng(seed)
    rows = [
        (
            unit,
            rater,
            "model" if rater == "m" else "human",
            ("home", "work")[unit % 2],
            f"s{unit // 3}",
            rng.choice(
                ["go", "stay", "wait"], p=[0.5, 0.3, 0.2] if rater != "m" else [0.3, 0.4, 0.3]
            ),
        )
        for unit in range(30)
        for rater in ("p1", "p2", "p3", "m")
    ]
    return pd.DataFrame(rows, columns=["unit", "rater", "who", "topic", "story", "value"])


def test_saturated_coefficients_are_logs_of_ratios_of_shares() -> None:
    table = actions()
    result = multinomial_logit(table, rater_groups="who", strata="topic", scale="nominal")
    counts = table.groupby(["who", "topic"])["value"].value_counts().unstack()
    base = str(table.loc[table["who"] == "human", "value"].mode()[0])
    for action in sorted(set(table["value"]) - {base}):
        logs = np.log(counts[action] / counts[base])
        own = {r.term: r.estimate for r in result.rows if r.label("action") == action}
        assert own["intercept"] == pytest.approx(logs["human", "home"], abs=1e-8)
        assert own["model"] == pytest.approx(
            logs["model", "home"] - logs["human", "home"], abs=1e-8
        )
        crossed = (
            logs["model", "work"]
            - logs["human", "work"]
            - logs["model", "home"]
            + logs["human", "home"]
        )
        assert own["model x work"] == pytest.approx(crossed, abs=1e-8)


def test_r_gives_the_same() -> None:
    wanted = golden("multinomial_logit_sources")
    table = pd.DataFrame(
        {name: wanted[name] for name in ("unit", "rater", "who", "topic", "story", "value")}
    )
    result = multinomial_logit(
        table, rater_groups="who", strata="topic", cluster="story", scale="nominal"
    )
    places = {
        "intercept": "(Intercept)",
        "model": "whomodel",
        "work": "topicwork",
        "model x work": "whomodel:topicwork",
    }
    for k, action in enumerate(("stay", "wait")):
        for name, place in places.items():
            row = result.row(name, group=f"{action} against go")
            at = wanted["terms"].index(place)
            assert row.estimate == pytest.approx(wanted["coef"][k][at], abs=1e-9)
            assert row.std_error == pytest.approx(wanted["std_error"][k][at], rel=1e-8)
            assert row.df == pytest.approx(wanted["df"][k][at], rel=1e-7)
    for kind, test in zip(("source", "topic", "source x topic"), wanted["joint"], strict=True):
        row = result.row(kind)
        ours = (row.statistic, row.df, result.extras["df_denominator"][kind], row.p_value)
        assert ours == pytest.approx(
            tuple(test[name] for name in ("f", "df1", "df2", "p")), rel=1e-7
        )
    assert result.verify().ok
    assert {check.package for check in result.verify() if check.ok} == {
        "numpy",
        "scipy",
        "statsmodels",
    }


def test_what_does_not_exist_says_why() -> None:
    table = actions()
    with pytest.raises(InputError, match="one level is called human"):
        multinomial_logit(table, scale="nominal")
    with pytest.raises(InputError, match="terms: 'x' not declared"):
        multinomial_logit(table, rater_groups="who", terms=["x"], scale="nominal")
    with pytest.raises(InputError, match="two are declared"):
        multinomial_logit(table, rater_groups="who", cluster=["story", "topic"], scale="nominal")
    with pytest.raises(InputError, match="maximum of 60"):
        multinomial_logit(
            table.assign(topic=table["unit"].astype(str)),
            rater_groups="who",
            strata="topic",
            scale="nominal",
        )
    with pytest.raises(UndefinedStatistic, match="not identified"):
        multinomial_logit(
            table[(table["who"] == "human") | (table["topic"] == "home")],
            rater_groups="who",
            strata="topic",
            scale="nominal",
        )


def test_it_fits_without_statsmodels(monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels", None)
    monkeypatch.setitem(sys.modules, "statsmodels.discrete.discrete_model", None)
    assert multinomial_logit(actions(), rater_groups="who", scale="nominal").rows[-1].std_error


def domains(topics: int = 12, seed: int = 7) -> pd.DataFrame:
    """Units of topics in four domains, five people and a model."""
    rng = np.random.default_rng(seed)
    rows = [
        (
            f"u{topic}-{k}",
            f"t{topic}",
            "abcd"[topic % 4],
            rater,
            "model" if rater == "bot" else "human",
            rng.choice(["go", "stay", "wait"]),
        )
        for topic in range(topics)
        for k in range(10)
        for rater in ("p1", "p2", "p3", "p4", "p5", "bot")
    ]
    return pd.DataFrame(rows, columns=["unit", "topic", "domain", "rater", "who", "value"])


def test_joint_tests_of_too_few_clusters_are_undefined_and_the_page_says_so():
    result = multinomial_logit(
        domains(), rater_groups="who", strata="domain", cluster="topic", scale="nominal"
    )
    tests = [row for row in result.rows if row.role == "test"]
    assert len(tests) == 3
    for row in tests:
        assert row.p_value is None
        assert row.statistic is None
        assert row.reason == "unidentified"
        assert row.undefined is not None
        assert row.undefined.startswith("too few clusters for")
    assert result.extras["df_denominator"] == {}
    assert (
        result.fit["effective_df"] == min(row.df for row in result.rows if row.df is not None) < 5
    )
    assert [said.code for said in result.cautions] == ["SS202"]
    assert result.verify().ok


def test_what_rests_on_a_single_topic_has_no_interval_and_a_caution():
    table = domains(13)
    table.loc[table["topic"] == "t12", "domain"] = "e"
    result = multinomial_logit(
        table, rater_groups="who", strata="domain", cluster="topic", scale="nominal"
    )
    none = [row for row in result.rows if row.label("column") in ("e", "model x e")]
    assert len(none) == 4
    for row in none:
        assert row.estimate is not None
        assert row.std_error is None
        assert row.conf_low is None
        assert row.p_value is None
        assert (
            row.undefined
            == "rests on single clusters (topic), whose own effects cannot be told from it"
        )
    others = [row for row in result.rows if row.role == "estimate" and row not in none]
    assert all(row.std_error is not None for row in others)
    said = next(one for one in result.cautions if one.code == "SS209")
    assert said.rows == tuple(row.name for row in none)
    assert result.verify().ok


def test_clusters_that_do_not_differ_have_no_error():
    rows = [
        (f"s{s}-{k}", f"s{s}", rater, who, value)
        for s in range(4)
        for k, value in enumerate("yyn")
        for rater, who in (("p", "human"), ("m", "model"))
    ]
    table = pd.DataFrame(rows, columns=["unit", "story", "rater", "who", "value"])
    result = multinomial_logit(table, rater_groups="who", cluster="story", scale="nominal")
    row = result.row("model")
    assert row.undefined == "the clusters do not differ: no standard error"
    assert row.std_error is None
    assert row.p_value is None
    assert row.conf_low is None
    assert result.row("source").p_value is None
    assert result.row("source").undefined


def test_the_order_of_a_categorical_gives_the_reference_level():
    rng = np.random.default_rng(2)
    area = rng.choice(["low", "mid", "high"], 60)
    rows = [
        (k, area[k], who, "human" if who == "ann" else "model")
        for k in range(60)
        for who in ("ann", "m")
    ]
    table = pd.DataFrame(rows, columns=["unit", "area", "rater", "source"])
    table["value"] = rng.choice([*"xy"], len(table))
    table["area"] = table["area"].astype(pd.CategoricalDtype(["mid", "low", "high"]))
    result = multinomial_logit(table, rater_groups="source", strata="area", scale="nominal")
    assert result.settings["reference_levels"] == {"source": "human", "area": "mid"}
    assert [
        row.term
        for row in result.rows
        if row.label("kind") == "area" and row.group != "all at once"
    ] == [
        "low",
        "high",
    ]
    assert result.sentence().endswith("Reference levels are human (source) and mid (area).")
    text = multinomial_logit(
        table.astype({"area": str}), rater_groups="source", strata="area", scale="nominal"
    )
    assert text.settings["reference_levels"]["area"] == "high"

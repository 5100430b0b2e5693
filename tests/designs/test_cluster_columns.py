"""Which columns hold units together, and who are people: by structure, then names; with tables whose truth is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.designs.cluster_columns import (
    clusters_of_comparisons,
    clusters_of_units,
    holds_units,
)
from socialstats.designs.profile import TableProfile
from socialstats.designs.roles import answered_apart, who_answered
from socialstats.proposals.guessing import guessed
from socialstats.tables import as_table


def profile(**columns: Any) -> TableProfile:
    return TableProfile(as_table(columns))


def labels(k: int, of: int = 40) -> list[str]:
    return [f"x{i % k:02d}" for i in range(of)]


def clusters(unit: str | None, **columns: Any) -> list[str]:
    table = profile(**columns)
    column = table.columns[unit] if unit else None
    free = [c for c in table.varying() if c is not column]
    return [c.name for c in clusters_of_units(table, column, free)]


@pytest.mark.parametrize(
    ("name", "size", "expected"),
    [
        ("story", 5, True),
        ("story", 4, False),
        ("n_story", 5, False),
        ("topic", 5, True),
        ("topic", 4, False),
        ("essay", 8, True),
        ("essay", 7, False),
        ("trial", 8, False),
        ("shade", 20, False),
    ],
)
def test_a_name_that_says_cluster_needs_five_labels_and_another_eight(
    name: str, size: int, expected: bool
) -> None:
    assert holds_units(profile(**{name: labels(size)}).columns[name]) is expected


def test_each_unit_has_one_label_and_some_labels_have_several_units() -> None:
    units = [f"u{i:02d}" for i in range(40)]
    assert clusters("item", item=units * 2, story=labels(39) * 2) == ["story"]
    assert clusters("item", item=units * 2, story=units * 2) == []
    crossed = [f"x{i % 7}" for i in range(80)]
    assert clusters("item", item=units * 2, story=crossed) == []


def test_the_outermost_cluster_comes_first_and_a_kind_of_units_last() -> None:
    rows = range(120)
    columns = {
        "topic": [f"t{k // 15}" for k in rows],
        "classroom": [f"c{k // 5:02d}" for k in rows],
        "school": [f"s{k // 20}" for k in rows],
        "item": [f"i{k:03d}" for k in rows],
    }
    assert clusters("item", **columns) == ["school", "classroom", "topic"]
    assert clusters(None, **columns)[:2] == ["school", "classroom"]


def test_goals_of_a_match_are_no_clusters() -> None:
    rng = np.random.default_rng(4)
    names = np.array(["ash", "birch", "cedar", "elm", "fir", "oak"])
    home = rng.integers(0, 6, 400)
    away = (home + rng.integers(1, 6, 400)) % 6
    goals = rng.poisson(3, (2, 400))
    columns = {
        "visitor": names[away].tolist(),
        "opponent": names[home].tolist(),
        "visitor_goals": goals[0].tolist(),
        "points": goals[1].tolist(),
        "serial": [k % 20 for k in range(400)],
    }
    table = profile(**columns)
    sides = table.columns["visitor"], table.columns["opponent"]
    assert clusters_of_comparisons(table, *sides, []) == ["serial"]


def of_topics(rng: np.random.Generator) -> pd.DataFrame:
    """Two ratings of each of six items of ten topics: a third of the variance lies between topics, the mean is 0."""
    topic = np.repeat(np.arange(10), 12)
    item = np.repeat(np.arange(60), 2)
    effects = rng.normal(scale=0.3**0.5, size=10)[topic]
    effects += rng.normal(scale=0.7**0.5, size=60)[item]
    return pd.DataFrame(
        {
            "topic": [f"t{k}" for k in topic],
            "item": [f"i{k:02d}" for k in item],
            "judge": ["ann", "ben"] * 60,
            "score": effects + rng.normal(scale=0.3, size=120),
        }
    )


@pytest.mark.slow
def test_the_cluster_that_is_proposed_holds_the_level_where_topics_were_drawn() -> None:
    rng = np.random.default_rng(17)
    draws = 200
    covered = {"as proposed": 0, "none": 0}
    assert guessed(as_table(of_topics(rng)), {})["cluster"] == ["topic"]
    for _ in range(draws):
        rows = of_topics(rng)
        for name, clusters in (("as proposed", ["topic"]), ("none", [])):
            interval = ss.mean_ratings(rows, cluster=clusters).tidy().iloc[0]
            covered[name] += interval["conf_low"] <= 0 <= interval["conf_high"]
    # the standard error of a share of 95% of 200 draws is 1.5%
    assert covered["as proposed"] / draws > 0.95 - 3 * 0.0154
    assert covered["none"] / draws < 0.95 - 3 * 0.0154


def answered(rater: str, source: str, raters: dict[str, str]) -> str | None:
    """Return the column that says who answered of raters of six items, each of one kind."""
    table = profile(
        **{
            rater: [name for name in raters for _ in range(6)],
            source: [kind for kind in raters.values() for _ in range(6)],
            "item": [f"i{k}" for _ in raters for k in range(6)],
        }
    )
    column = who_answered(table, table.columns[rater], [table.columns[source]])
    return None if column is None else column.name


def test_people_who_met_advice_of_people_or_machines_are_no_models() -> None:
    treated = {f"p{k:02d}": ("human", "AI")[k % 2] for k in range(40)}
    assert answered("participant", "advice", treated) is None
    assert answered("rater", "condition", treated) is None
    assert answered("participant", "source", treated) == "source"


def test_few_others_beside_many_people_are_models_and_so_are_raters_called_so() -> None:
    few = {f"p{k:02d}": "AI" if k < 4 else "human" for k in range(40)}
    assert answered("participant", "advice", few) == "advice"
    named = {"p1": "human", "p2": "human", "gpt-4": "AI", "claude": "AI"}
    assert answered("participant", "group", named) == "group"
    assert answered("rater", "who", {"a": "human", "b": "human", "c": "AI"}) == "who"


def test_models_that_chose_are_analysed_apart_and_models_that_were_chosen_are_not() -> None:
    pairs = [("x", "y"), ("y", "z"), ("z", "x")] * 8
    a, b = zip(*pairs, strict=True)
    who = [("gpt-4", "claude")[k // 3 % 2] for k in range(24)]
    chose = profile(a=a, b=b, model=who)
    sides = chose.columns["a"], chose.columns["b"]
    assert [c.name for c in answered_apart(chose, chose.varying(), sides)] == ["model"]
    rare = profile(a=a, b=b, model=[f"gpt-{k}" for k in range(12)] * 2)
    sides = rare.columns["a"], rare.columns["b"]
    assert answered_apart(rare, rare.varying(), sides) == []


def test_few_prompts_are_analysed_apart_and_many_are_not() -> None:
    for count, expected in ((4, ["prompt"]), (5, [])):
        table = profile(item=labels(10), prompt=labels(count))
        free = [table.columns["prompt"]]
        assert [c.name for c in answered_apart(table, free)] == expected

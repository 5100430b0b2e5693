"""Scores of models: the shapes of a table, repeats, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import socialstats as ss

LONG = pd.DataFrame(
    {
        "model": ["b", "b", "b", "a", "a", "a"],
        "task": ["t", "t", "u"] * 2,
        "item": [1, 2, 1] * 2,
        "score": [1.0, 3.0, 5.0, 2.0, 4.0, 6.5],
    }
)


def values(design):
    """Return {(unit, model): score}."""
    ok = design.status == 0
    cells = zip(
        design.unit[ok].tolist(),
        design.rater[ok].tolist(),
        design.scores[design.value[ok]].tolist(),
        strict=True,
    )
    return {(design.units[u], design.raters[r]): x for u, r, x in cells}


def test_an_item_number_that_two_tasks_have_is_two_units():
    design = ss.model_scores(LONG)
    assert design.units == ("2", "t: 1", "u: 1")
    assert values(design)["u: 1", "a"] == 6.5
    assert design.strata["task"].levels == ("t", "u")
    assert design.columns == {"task": "task", "unit": "item", "rater": "model", "value": "score"}


def test_long_and_wide_tables_of_the_same_scores_are_the_same_design():
    wide = LONG.pivot(index=["task", "item"], columns="model", values="score").reset_index()
    for found in (ss.model_scores(wide), ss.model_scores(wide, raters=["a", "b"])):
        assert values(found) == values(ss.model_scores(LONG))
        assert found.strata["task"].levels == ("t", "u")


def test_one_row_per_model_takes_tasks_as_units_and_leaves_averages_aside():
    rows = pd.DataFrame(
        {"model": ["a", "b"], "mmlu": [0.5, 0.25], "gsm8k": [0.1, 0.75], "Average": [0.3, 0.5]}
    )
    design = ss.model_scores(rows)
    assert values(design) == {
        ("gsm8k", "a"): 0.1,
        ("gsm8k", "b"): 0.75,
        ("mmlu", "a"): 0.5,
        ("mmlu", "b"): 0.25,
    }
    assert [c.code for c in design.cautions] == ["SS307"]
    assert "'Average'" in design.cautions[0].detail
    assert ss.model_scores(rows, task="mmlu,gsm8k").units == ("gsm8k", "mmlu")


def test_one_row_per_model_and_task_takes_tasks_as_units():
    rows = LONG.drop_duplicates(["model", "task"]).drop(columns="item")
    design = ss.model_scores(rows)
    assert design.units == ("t", "u")
    assert not design.strata


@pytest.mark.parametrize(
    ("zero", "one"), [("no", "yes"), ("Incorrect", "Correct"), ("I", "C"), ("fail", "pass")]
)
def test_words_for_right_and_wrong_are_0_and_1(zero, one):
    design = ss.model_scores(LONG.assign(score=[zero, one, one, zero, zero, one]))
    assert values(design)["2", "b"] == 1.0
    assert values(design)["t: 1", "a"] == 0.0


def test_repeats_are_averaged_and_counted():
    twice = pd.concat(
        [LONG.assign(epoch=1), LONG.assign(epoch=2, score=LONG["score"] + 1), LONG.assign(epoch=3)]
    )
    design = ss.model_scores(twice.sample(frac=1, random_state=1))
    wanted = {key: x + 1 / 3 for key, x in values(ss.model_scores(LONG)).items()}
    assert values(design) == pytest.approx(wanted, abs=1e-11)
    assert [(step.label, step.rows) for step in design.flow] == [
        ("rows read", 18),
        ("answers averaged", 18),
        ("ratings analysed", 6),
    ]
    assert [(c.code, c.detail) for c in design.cautions] == [
        ("SS341", "18 answers to 6 means, 3 each, told apart by 'epoch'")
    ]


def test_a_missing_repeat_does_not_hide_the_others():
    rows = pd.DataFrame({"model": list("aabb"), "item": [1] * 4, "score": [None, 2.0, None, None]})
    design = ss.model_scores(rows.assign(epoch=[1, 2, 1, 2]))
    assert values(design) == {("1", "a"): 2.0}
    assert np.isnan(design.matrix()[0, 1])


def test_rows_that_are_not_ok_have_no_score():
    design = ss.model_scores(LONG.assign(status=["ok", "error", "refusal", "ok", "ok", "ok"]))
    assert ("2", "b") not in values(design)
    assert sorted(design.status.tolist()) == [0, 0, 0, 0, 1, 2]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (
            "scorer",
            "Take their mean with repeat='scorer' (--map repeat=scorer), or choose one, as in --where scorer=x",
        ),
        ("subset_id", "It is part of what a unit is: say unit=['item', 'task', 'subset_id']"),
    ],
)
def test_several_scores_of_one_answer_are_no_repeats(column, message):
    both = pd.concat([LONG.assign(**{column: "x"}), LONG.assign(**{column: "y"})])
    with pytest.raises(ss.InputError) as error:
        ss.model_scores(both)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"model": ["a", "b"], "size": [1, 2]}, "no column for 'unit'"),
        ({"model": ["a", "b"], "item": [1, 1], "length": [1, 2]}, "no column for 'value'"),
        ({"item": [1, 2], "text": ["p", "q"]}, "no column names the models"),
        ({"model": ["a", "b"], "item": [1, 1], "score": ["x", "3"]}, "'x' is not a finite number"),
    ],
)
def test_what_is_missing_is_named(table, message):
    with pytest.raises(ss.InputError) as error:
        ss.model_scores(table)
    assert message in str(error.value)


def test_a_cluster_that_changes_within_a_unit_is_refused():
    with pytest.raises(ss.InputError, match="has several values of 'story'"):
        ss.model_scores(LONG.assign(story=list("xyzxyx")), cluster="story")

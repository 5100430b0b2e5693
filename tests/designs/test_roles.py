"""What names, labels and the structure of a table say of its columns: each rule at its edge."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from socialstats.designs.answer_columns import has_sentences, is_mean_of, may_be_age
from socialstats.designs.boards import fills_rows, meets, numbers_units
from socialstats.designs.profile import TableProfile
from socialstats.designs.repeated_answers import answers_as_numbers
from socialstats.designs.roles import (
    holds_families,
    is_balanced,
    is_met,
    is_ordinal,
    is_question,
    met_share,
    model_columns,
    names_sources,
    names_units,
)
from socialstats.tables import as_table


def profile(**columns: Any) -> TableProfile:
    return TableProfile(as_table(columns))


def only(values: list[Any], name: str = "x") -> Any:
    return profile(**{name: values}).columns[name]


def read(values: list[Any]) -> list[float] | None:
    found = profile(x=values)
    cells = found.table.counts(["x"])
    numbers = answers_as_numbers(found, "x", cells.columns["x"].labels())
    if numbers is None:
        return None
    assert numbers.dtype == np.float64
    return sorted(numbers.tolist(), key=lambda x: (np.isnan(x), x))


def test_answers_are_their_numbers_or_0_and_1_of_two_labels() -> None:
    assert read(["3", "1", "1", "2.5"]) == [1.0, 2.5, 3.0]
    assert read(["yes", "no", "no"]) == [0.0, 1.0]
    assert read(["yes", "no", "maybe"]) is None
    *known, lost = read(["yes", None, "no"]) or []
    assert known == [0.0, 1.0]
    assert np.isnan(lost)


def met(rows: list[tuple[str, str]]) -> tuple[TableProfile, Any, Any]:
    found = profile(model=[m for m, _ in rows], item=[i for _, i in rows])
    return found, found.columns["model"], found.columns["item"]


ITEMS = [f"i{k}" for k in range(10)]


def test_the_share_of_pairs_that_met_and_whether_these_are_enough() -> None:
    every = list(product(["a", "b", "c", "d"], ITEMS))
    found, model, item = met(every)
    assert met_share(found, model, item) == 1
    assert fills_rows(found, model, item)
    assert is_balanced(found, model, item)
    assert meets(found, model, item, 1.0)
    part, model, item = met(every[:-10] + [("d", f"i{k}") for k in range(6)])
    assert met_share(part, model, item) == 0.9
    assert not fills_rows(part, model, item)
    assert meets(part, model, item, 0.9)
    assert not meets(part, model, item, 0.91)
    nested, model, item = met([(m, f"{m}{k}") for m in "abcd" for k in range(5)])
    assert met_share(nested, model, item) == 0.25
    assert not meets(nested, model, item, 0.0)


def test_most_units_met_every_label_equally_often() -> None:
    every = list(product(["a", "b"], ITEMS))
    assert is_balanced(*met(every * 2))
    assert is_balanced(*met([*every, *every[:1]]))
    mixed, model, item = met([*every, *every[:10]])  # half of the pairs once, half of them twice
    assert not is_balanced(mixed, model, item)


def test_labels_drawn_anew_for_each_row_are_met_by_all_units_or_units_do_not_repeat() -> None:
    every = list(product(["a", "b"], ITEMS))
    found, model, _ = met(every)
    assert is_met(found, model)
    lacking, model, _ = met([*every[:-1], ("a", "i9")])
    assert not is_met(lacking, model)
    single, model, _ = met([("ab"[k % 2], f"i{k}") for k in range(10)])
    assert is_met(single, model)


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["gpt", "claude"], True),
        (["a", "b"], False),
        (["run1", "run2"], False),
        (["first", "second"], False),
        (["x", "claude"], True),
        (["new model", "old"], True),
    ],
)
def test_names_of_sources_are_words_of_their_own(labels: list[str], names: bool) -> None:
    assert names_sources(only(labels)) == names


def test_names_of_units_hold_numbers_or_are_many() -> None:
    def named(labels: list[str]) -> bool:
        return names_units(only(labels))

    assert named(["q1", "q2", "q3", "q4", "intro"])  # four of five
    assert not named(["q1", "q2", "q3", "outro", "intro"])
    assert named(["1", "2", "3"])
    letters = [f"{a}{b}" for a in "abcdefghijklmnopqrst" for b in "abcde"]
    assert named(letters)
    assert not named(letters[:5])


def test_most_labels_of_families_of_models() -> None:
    assert holds_families(only(["gpt-4", "claude-3", "baseline"]))
    assert not holds_families(only(["gpt-4", "baseline"]))  # half is not most
    models = {"system": ["gpt-4", "claude-3"] * 4, "item": [*"aabbccdd"]}
    assert [c.name for c in model_columns(profile(**models))] == ["system"]
    nested = {
        "model": ["gpt-4", "gpt-4o", "claude-3", "claude-4"] * 3,
        "family": ["gpt", "gpt", "claude", "claude"] * 3,
    }
    assert [c.name for c in model_columns(profile(**nested))] == ["model"]


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["Yes, it is.", "no", "maybe"], True),
        (["Yes, it is.", "no", "maybe", "why"], False),
        (['He said "no."', "no"], True),
        (["yes", "no"], False),
    ],
)
def test_a_third_of_labels_that_end_like_sentences(labels: list[str], said: bool) -> None:
    assert has_sentences(only(labels)) == said


@pytest.mark.parametrize(
    ("low", "high", "age"), [(14, 100, True), (13, 90, False), (14, 101, False)]
)
def test_ages_are_whole_numbers_of_14_to_100(low: int, high: int, age: bool) -> None:
    assert may_be_age(only([low, *range(20, 60, 3), high])) == age
    assert not may_be_age(only([low, 20.5, *range(21, 60, 3), high]))
    assert not may_be_age(only([20, 21, 22]))


def test_names_of_means_ordinals_and_questions() -> None:
    x, y, z = [1, 2, 3, 4], [2, 3, 4, 1], [3, 4, 1, 2]
    two, one = (
        profile(score_1=x, score_2=y, score_mean=z),
        profile(score_1=x, other_2=y, score_mean=z),
    )
    assert is_mean_of(two, two.columns["score_mean"])
    assert not is_mean_of(one, one.columns["score_mean"])
    assert is_ordinal(only(["first", "second"]))
    assert not is_ordinal(only(["first", "last word"]))
    asked = "how much do you agree with this?"
    assert is_question(only(x, asked))
    assert not is_question(only(x, "agree?"))


def test_whole_numbers_that_name_units() -> None:
    table = {
        "model": ["a", "b", "c"] * 6,
        "item": np.repeat([1, 2, 3, 4, 5, 6], 3).tolist(),
        "score": [3, 9, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3],
    }
    found = profile(**table)
    assert numbers_units(found, found.columns["model"], found.columns["item"])
    assert not numbers_units(found, found.columns["model"], found.columns["score"])

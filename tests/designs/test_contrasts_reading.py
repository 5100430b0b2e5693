"""How the values of two conditions become numbers or codes of levels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from socialstats import Paired
from socialstats.errors import DesignError

ORDER = ["low", "mid", "high"]
WORDS = {"x": ["low", "high", "mid", "high"], "y": ["mid", "low", "low", "high"]}


def read(table: Any, **options: Any) -> Paired:
    return Paired.from_wide(table, first="x", second="y", **options)


def differences(design: Paired) -> list[float]:
    return sorted(np.repeat(design.difference, design.count.astype(int)).tolist())


def codes(design: Paired) -> list[str]:
    return [c.code for c in design.cautions if c.code in ("SS310", "SS345")]


def test_words_in_order_count_in_equal_steps_and_numbers_as_they_are() -> None:
    words = read(WORDS, scale="numeric", levels=ORDER)
    assert (words.scale, words.levels, codes(words)) == ("numeric", (), ["SS310"])
    assert differences(words) == [-1, 0, 1, 2]
    table = {"x": [1, 5, 2, 5], "y": [2, 1, 1, 5]}
    numbers = read(table, scale="numeric", levels=[1, 2, 5])
    assert (numbers.scale, numbers.levels, codes(numbers)) == ("numeric", (), [])
    assert differences(numbers) == [-1, 0, 1, 4]


def test_levels_in_order_that_are_compared_as_categories_are_said_unless_asked_for() -> None:
    unasked = read(WORDS, levels=ORDER)
    assert (unasked.scale, unasked.levels) == ("nominal", tuple(ORDER))
    assert codes(unasked) == ["SS345"]
    assert codes(read(WORDS, levels=ORDER, scale="nominal")) == []
    assert codes(read(WORDS, levels=[*ORDER[:2], "none", "high"])) == ["SS345"]
    known = {"x": ["差", "好", "很差"], "y": ["好", "差", "差"]}
    assert read(known).levels == ("很差", "差", "好")
    assert codes(read(known)) == ["SS345"]
    letters = {"x": ["A", "B", "C"], "y": ["B", "A", "A"]}
    assert (read(letters).levels, codes(read(letters))) == (("A", "B", "C"), [])
    two = read({"x": ["b", "a", "b"], "y": ["a", "b", "b"]}, levels=["a", "b"])
    assert (two.scale, codes(two), differences(two)) == ("binary", [], [-1, 0, 1])


@pytest.mark.parametrize("further", [[], ["none"]])
def test_ordered_categories_of_a_column_are_its_levels_where_they_hold_every_value(
    further: list[str],
) -> None:
    kind = pd.CategoricalDtype([*further, "red", "blue", "green"], ordered=True)
    values = pd.Series(["red", "blue", "green", "blue", "red", "red"], dtype=kind)
    table = pd.DataFrame({"unit": [*"abcabc"], "condition": [*"xxxyyy"], "value": values})
    design = Paired.from_frame(table)
    assert design.levels == (*further, "red", "blue", "green")


def test_two_words_without_an_order_and_numbers_that_are_not_two_are_refused() -> None:
    with pytest.raises(DesignError, match="which counts as 1 is undeclared"):
        read({"x": ["red", "blue"], "y": ["blue", "red"]})
    with pytest.raises(DesignError, match="the values are 1, 2 and 5"):
        read({"x": [1, 5, 2], "y": [2, 1, 1]}, scale="binary")
    opposite = read({"x": ["yes", "no", "yes"], "y": ["no", "yes", "yes"]})
    assert (opposite.scale, opposite.levels) == ("binary", ("no", "yes"))
    numeric = read({"x": ["yes", "no", "yes"], "y": ["no", "yes", "yes"]}, scale="numeric")
    assert (numeric.scale, differences(numeric)) == ("numeric", [-1, 0, 1])

"""Answers that are no numbers, or missing, have no mean: an error names them."""

from __future__ import annotations

import pytest

from socialstats import Groups, Paired
from socialstats.errors import InputError, NothingToAnalyse

ROWS = {"item": [1, 1, 1, 1], "arm": ["a", "a", "b", "b"], "run": [1, 2, 1, 2]}


def test_texts_that_should_be_numbers_are_named() -> None:
    with pytest.raises(InputError, match="'w' is not a finite number"):
        Paired.from_frame({**ROWS, "score": ["w", "x", "y", "z"]}, repeat="run", scale="numeric")


def test_repeats_without_any_value_leave_nothing() -> None:
    with pytest.raises(NothingToAnalyse, match="no pair is left to analyse"):
        Paired.from_frame(
            {**ROWS, "score": [None] * 4}, repeat="run", scale="numeric", missing="drop"
        )
    table = {
        "item": [1, 1, 2, 2],
        "arm": ["a", "a", "b", "b"],
        "run": [1, 2, 1, 2],
        "score": [None] * 4,
    }
    with pytest.raises(NothingToAnalyse, match="unit"):
        Groups.from_frame(table, repeat="run", scale="numeric", missing="drop")

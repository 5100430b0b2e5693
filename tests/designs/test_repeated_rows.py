"""A table that holds rows twice is not taken without a word; repeated comparisons without a story are."""

from __future__ import annotations

import pandas as pd
import pytest

import socialstats as ss

ROWS = {
    "item_a": ["a", "b", "c", "a", "b", "c"],
    "item_b": ["b", "c", "a", "b", "c", "a"],
    "winner": ["a", "b", "c", "b", "c", "a"],
}


def noted(**columns: object) -> list[str]:
    design = ss.Comparisons.from_frame(pd.DataFrame({**ROWS, **columns}))
    return [c.detail for c in design.cautions if c.code == "SS321"]


def twice(**columns: object) -> list[str]:
    frame = pd.DataFrame({**ROWS, **columns})
    design = ss.Comparisons.from_frame(pd.concat([frame, frame.head(4)]))
    return [c.detail for c in design.cautions if c.code == "SS321"]


@pytest.mark.parametrize("name", ["scenario", "Story", "scenario_id", "dialogue_no", "id"])
def test_copies_of_rows_are_counted(name: str) -> None:
    said = [f"4 of 10 rows equal another row in every column, '{name}' among them"]
    assert twice(**{name: [*"uvwxyz"]}) == said
    assert twice(**{name: [*"uvuvuv"]}) == said, "stories may repeat under other pairs"
    assert noted(**{name: [*"uvwxyz"]}) == []
    assert noted(**{name: [*"uvuvuv"]}) == []


def test_repeated_comparisons_are_no_copies() -> None:
    assert twice() == []
    assert twice(worker=[*"uvwxyz"]) == [], "who chose says nothing about what was put"
    assert twice(scenario=[*"uvwxyz"], weight=[1, 2, 3, 4, 5, 6]) != []
    frame = pd.DataFrame({**ROWS, "scenario": [*"uvwxyz"]})
    runs = pd.concat([frame.assign(run=k) for k in (1, 2)])
    assert not any(c.code == "SS321" for c in ss.Comparisons.from_frame(runs).cautions), (
        "a column numbers the answers"
    )
    weighted = pd.concat([frame, frame]).assign(n=2.0)
    assert not any(
        c.code == "SS321" for c in ss.Comparisons.from_frame(weighted, weight="n").cautions
    )


def test_a_table_of_counts_may_repeat_itself() -> None:
    counts = pd.DataFrame(
        {
            "id": ["x"] * 4,
            "item_a": ["a"] * 4,
            "item_b": ["b"] * 4,
            "wins_a": [2] * 4,
            "wins_b": [1] * 4,
        }
    )
    assert not any(c.code == "SS321" for c in ss.Comparisons.from_counts(counts).cautions)

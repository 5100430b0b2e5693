"""What else is read of a board of models by items: the benchmark of an item, its cluster, and repeats."""

from __future__ import annotations

import numpy as np
import pandas as pd

from socialstats.designs.boards import BoardColumns, board_of_one_unit
from socialstats.designs.column_profile import Columns
from socialstats.designs.profile import TableProfile
from socialstats.tables import as_table

MODELS = ("ash-large", "birch-base", "cedar-mini")


def board(**columns: object) -> pd.DataFrame:
    """Scores of 48 items in 16 stories and two benchmarks by three models."""
    rng = np.random.default_rng(3)
    item = np.tile(np.arange(48), 3)
    return pd.DataFrame(
        {
            "model": np.repeat(MODELS, 48),
            "item": [f"q{k:02d}" for k in item],
            "benchmark": np.where(item < 20, "arith", "geography"),
            "story": [f"s{k // 3:02d}" for k in item],
            "correct": rng.integers(0, 2, 144),
            **columns,
        }
    )


def read(rows: pd.DataFrame) -> BoardColumns | None:
    profile = TableProfile(as_table(rows))
    columns = [profile.columns[name] for name in ("model", "item", "correct")]
    return board_of_one_unit(profile, columns[0], columns[1], columns[2:])


def names(columns: Columns) -> list[str]:
    return [c.name for c in columns]


def test_what_is_the_same_in_all_rows_of_an_item_is_its_benchmark_or_its_cluster() -> None:
    found = read(board())
    assert found is not None
    assert (found.model.name, names(found.unit), found.value.name) == ("model", ["item"], "correct")
    assert (names(found.task), names(found.cluster), names(found.repeat)) == (
        ["benchmark"],
        ["story"],
        [],
    )


def test_what_differs_between_rows_of_an_item_is_neither() -> None:
    mixed = np.random.default_rng(4).permutation(144)
    rows = board()
    found = read(
        rows.assign(
            benchmark=rows["benchmark"].to_numpy()[mixed], story=rows["story"].to_numpy()[mixed]
        )
    )
    assert found is not None
    assert [*found.task, *found.cluster] == []


def test_a_column_that_says_no_such_thing_is_no_cluster() -> None:
    rows = board().rename(columns={"story": "colour", "benchmark": "shade"})
    found = read(rows)
    assert found is not None
    assert [*found.task, *found.cluster] == []

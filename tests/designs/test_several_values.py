"""Several columns of one kind of answer: their mean is the value, in Python as on the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.errors import InputError
from socialstats.proposals.reading import read
from socialstats.tables import as_table

ITEMS = ["mood_1", "mood_2", "mood_3"]


def answers() -> pd.DataFrame:
    made = np.random.default_rng(3)
    keys = pd.DataFrame(
        [(f"p{k}", wave) for k in range(20) for wave in (1, 2)], columns=["who", "wave"]
    )
    items = pd.DataFrame(made.integers(1, 6, (len(keys), 3)), columns=ITEMS)
    return pd.concat([keys, items], axis=1).assign(arm=keys["who"].str[-1].isin([*"13579"]))


def first_wave() -> pd.DataFrame:
    rows = answers()
    return rows[rows["wave"] == 1].assign(arm=lambda table: np.where(table["arm"], "drug", "none"))


def pairs(rows: pd.DataFrame, value: Any) -> Any:
    return ss.Paired.from_frame(
        rows, unit="who", condition="wave", conditions=("2", "1"), value=value
    )


def groups(rows: pd.DataFrame, value: Any) -> Any:
    return ss.Groups.from_frame(rows, unit="who", group="arm", groups=("drug", "none"), value=value)


def ratings(rows: pd.DataFrame, value: Any) -> Any:
    return ss.Ratings.from_frame(rows, unit="who", rater="wave", value=value)


CASES: list[tuple[Callable[[], pd.DataFrame], Callable[..., Any], dict[str, Any]]] = [
    (answers, pairs, {"map": ["unit=who", "condition=wave"], "conditions": ["2", "1"]}),
    (
        first_wave,
        groups,
        {"design": "groups", "map": ["unit=who", "group=arm"], "groups": ["drug", "none"]},
    ),
    (answers, ratings, {"map": ["unit=who", "rater=wave"]}),
]


@pytest.mark.parametrize(("rows", "design", "settings"), CASES, ids=["pairs", "groups", "ratings"])
def test_both_doors_take_the_mean_of_several_columns(
    rows: Callable[[], pd.DataFrame], design: Callable[..., Any], settings: dict[str, Any]
) -> None:
    table = rows()
    ours = design(table, ITEMS)
    entries = [*settings["map"], f"value={','.join(ITEMS)}"]
    theirs: Any = read(as_table(table), {**settings, "map": entries})
    assert ours.columns == theirs.columns
    assert ours.flow == theirs.flow
    assert [c.code for c in ours.cautions] == [c.code for c in theirs.cautions]
    alone = design(table.assign(mean=table[ITEMS].mean(axis=1)), "mean")
    for name in ("first", "second", "value"):
        if hasattr(ours, name):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
            assert np.sort(getattr(ours, name)) == pytest.approx(np.sort(getattr(alone, name)))


def test_a_metric_takes_several_columns() -> None:
    rows = answers()
    how: dict[str, Any] = {"unit": "who", "condition": "wave", "conditions": ("2", "1")}
    result: Any = ss.paired_difference(rows, value=ITEMS, **how)
    single: Any = ss.paired_difference(rows.assign(m=rows[ITEMS].mean(axis=1)), value="m", **how)
    assert result.rows[0].estimate == pytest.approx(single.rows[0].estimate)
    assert result.rows[0].p_value == pytest.approx(single.rows[0].p_value)


def test_rows_of_groups_are_units_where_no_column_names_them() -> None:
    rows = first_wave().drop(columns=["who", "wave"])
    result: Any = ss.two_means(rows, group="arm", value=ITEMS)
    assert result.counts == {"units": 20}
    with_numbers = rows.rename(columns=dict(zip(ITEMS, (0, 1, 2), strict=True)))
    again: Any = ss.two_means(with_numbers, group="arm", value=[0, 1, 2])
    assert again.counts == {"units": 20}


def test_one_column_in_a_list_is_the_value_and_others_must_exist() -> None:
    rows = answers()
    assert pairs(rows, ITEMS[:1]).columns == pairs(rows, ITEMS[0]).columns
    with pytest.raises(InputError, match="no column 'mood_9'"):
        pairs(rows, ["mood_1", "mood_9"])

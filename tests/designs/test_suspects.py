"""What a table may mean otherwise: where each caution begins, its numbers and its labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from socialstats import Comparisons, Paired, Ratings
from socialstats.designs.parts import Coverage, Factor
from socialstats.designs.suspects import (
    cluster_suspects,
    item_suspects,
    label_cautions,
    mirror_suspects,
    probability_cautions,
    repeated_rows,
    standing_apart,
    votes,
)
from socialstats.tables import as_table


@pytest.mark.parametrize(
    ("rows", "codes"),
    [
        ({1: 20, 2: 20, 3: 20, 4: 20, 5: 20, 7: 5}, [7]),  # twice the step of 1, four rows a level
        ({1: 20, 2: 20, 3: 20, 4: 20, 5: 20, 6: 5}, []),  # 6 is no code, and the next step
        ({1: 20, 2: 20, 3: 20, 5: 20, 8: 5}, []),  # a step of 3 is not twice that from 3 to 5
        ({1: 20, 2: 20, 3: 20, 5: 20, 9: 5}, [9]),
        ({1: 4, 2: 4, 3: 4, 4: 4, 5: 3, 7: 1}, [7]),  # 20 rows of five levels
        (
            {1: 4, 2: 4, 3: 4, 4: 4, 5: 2, 7: 1},
            [],
        ),  # 19 rows: half of the range of 4 is not left out
        ({1: 2, 2: 2, 3: 2, 7: 1}, [7]),  # few rows, and a gap of more than half of the range
        ({-1: 15, 0: 40, 1: 45}, [-1]),
        ({-1: 16, 0: 40, 1: 44}, []),  # more than .15 of the rows
        ({-1: 30, 0: 25, 1: 25, 2: 20}, []),  # a scale from -1 to 2
        ({-1: 9, 0: 41, 1: 25, 2: 20, 3: 5}, []),  # one below a short scale from 0
        ({-2: 9, 0: 41, 1: 25, 2: 20, 3: 5}, [-2]),
        ({-1: 9, 1: 41, 2: 25, 3: 20, 4: 5}, [-1]),
        ({-1: 9, 0.5: 41, 2.25: 25, 3: 20, 4: 5}, [-1]),  # the only negative one
        ({10: 5, 20: 5, 55: 5, 99: 2}, []),  # 44 is no more than the range of 45
        ({10: 5, 20: 5, 54: 5, 99: 2}, [99]),
        ({1: 10, 2: 10, 3: 10, 99: 15}, [99]),  # a third of the rows
        ({1: 10, 2: 10, 3: 10, 99: 16}, []),
        ({-9: 1, 1: 10, 2: 10, 3: 10, 99: 1}, [-9, 99]),
        ({1: 10, 99: 1}, []),  # two values
    ],
)
def test_codes_stand_apart(rows: dict[float, float], codes: list[float]) -> None:
    assert standing_apart(rows) == codes


def cells(**columns: Any) -> Any:
    return as_table(columns)


def test_clusters_have_five_values_and_fewer_than_the_units() -> None:
    table = cells(
        story=[*"abcdeabcde"], chapter=[*"abcdabcdab"], site=[*"abcdefghij"], plain=[*"aaaaabbbbb"]
    )
    (told,) = cluster_suspects(table, (), 10, names=("chapter", "site"))
    assert (told.code, told.detail) == ("SS311", "'story' (5 values), 10 units")
    (told,) = cluster_suspects(table, (), 11, names=("chapter", "site"))
    assert told.detail == "'story' (5 values); 'site' (10 values), 11 units"
    assert "cluster='story'" in told.fix
    assert cluster_suspects(table, ("story",), 10, names=("chapter", "site")) == []
    assert cluster_suspects(table, (), 5) == []
    assert cluster_suspects(table, (), 10, within=lambda column: column == "story") == []
    assert cluster_suspects(table, (), 6, what="pair")[0].detail == "'story' (5 values), 6 pairs"


def test_labels_that_are_nearly_identical_are_named_by_column() -> None:
    factor = Factor(name="team", codes=np.array([0, 1, 2]), levels=("Red", "red ", "blue"))
    found = label_cautions({"items": ["x", "X", "y"], "raters": ["a", "b"]}, [factor, None])
    assert [one.code for one in found] == ["SS306", "SS306"]
    assert found[0].detail.startswith("items: ")
    assert "'x'" in found[0].detail
    assert "'X'" in found[0].detail
    assert "'y'" not in found[0].detail
    assert found[1].detail.startswith("column 'team': ")
    assert label_cautions({"items": ["x", "y"]}) == []


@pytest.mark.parametrize(
    ("raters", "items"),
    [
        (["A1", "A2", "E1"], True),
        (["agree_1", "agree_2"], True),
        (["A1"], False),
        (["rater1", "rater2"], False),
        (["m1", "m2"], False),
        (["A1", "ann"], False),
        (["A1", "rater2"], False),
        (["1", "2"], False),
    ],
)
def test_raters_that_are_numbered_like_items(raters: list[str], items: bool) -> None:
    assert [one.code for one in item_suspects(raters)] == ["SS326"] * items
    assert all(name in one.detail for one in item_suspects(raters) for name in raters)


def games(rows: list[tuple[str, str, str]], **more: Any) -> Comparisons:
    return Comparisons.from_frame(
        pd.DataFrame(rows, columns=["item_a", "item_b", "winner"]), **more
    )


def test_twins_with_the_items_changed_round() -> None:
    rows = [("x", "y", "x"), ("y", "z", "z"), ("x", "z", "x"), ("x", "y", "y"), ("y", "z", "z")]
    twins = rows + [(b, a, winner) for a, b, winner in rows]
    (told,) = mirror_suspects(games(twins))
    assert (told.code, told.detail) == ("SS328", "10 comparisons are 5 and their mirror images")
    assert mirror_suspects(games(twins[:9])) == []  # one lacks its twin
    assert (
        mirror_suspects(games([*twins[:9], ("z", "y", "y")])) == []
    )  # a twin with the other winner
    assert mirror_suspects(games(twins), ["order"]) == []  # a column may tell the two orders apart
    assert len(mirror_suspects(games(twins), ["topic"])) == 1
    few = [rows[k] for k in (0, 1, 2, 3)]
    assert (
        mirror_suspects(games(few + [(b, a, winner) for a, b, winner in few])) == []
    )  # eight rows may be chance
    two = [("x", "y", "x"), ("y", "x", "x")] * 6
    assert mirror_suspects(games(two)) == []
    design = games([("x", "y", "x"), ("x", "y", "x"), ("y", "x", "tie"), ("x", "y", "y")])
    assert sum(votes(design).values()) == 4 == sum(votes(design, turned=True).values())
    assert sorted(votes(design).values()) == [1, 1, 2]
    assert {cell[:2] for cell in votes(design)} == {("x", "y"), ("y", "x")}


@pytest.mark.parametrize(
    ("replies", "none", "rest", "said"),
    [
        (95, 5, 0.05, ""),
        (94, 6, 0.05, "6 of 100 replies have no probabilities"),
        (95, 5, 0.051, "other answers hold 5.1% of the probability on average"),
        (
            3,
            1,
            0.2,
            "other answers hold 20.0% of the probability on average; 1 of 4 replies have no probabilities",
        ),
        (0, 1, None, "1 of 1 reply have no probabilities"),
    ],
)
def test_probabilities_that_tell_little(
    replies: int, none: int, rest: float | None, said: str
) -> None:
    found = probability_cautions(Coverage(replies=replies, none=none, rest=rest))
    assert [(one.code, one.detail) for one in found] == ([("SS331", said)] if said else [])


def test_rows_that_equal_another_one_in_every_column_with_a_story() -> None:
    story = {"story": ["a", "a", "b", "c", "c", "c"], "score": [1, 1, 2, 3, 3, 4]}
    (told,) = repeated_rows(cells(**story))
    assert (told.code, told.detail) == (
        "SS321",
        "2 of 6 rows equal another row in every column, 'story' among them",
    )
    assert repeated_rows(cells(thing=story["story"], score=story["score"])) == []
    assert repeated_rows(cells(story=[*"abcdef"], score=story["score"])) == []


def test_codes_of_every_column_that_is_read_are_named_with_their_rows() -> None:
    values = [1.0, 2, 3, 4, 5] * 8
    first, second = values.copy(), values[::-1]
    first[4], first[11], second[2] = 99, -9, 77
    (one,) = [
        c
        for c in Paired.from_wide({"x": first, "y": second}, first="x", second="y").cautions
        if c.code == "SS325"
    ]
    assert one.detail == "'-9', '77' and '99' in 'x and y' (rows 4, 11, 2), beside 1 to 5"
    table = {"item": [*range(20)] * 2, "judge": ["a"] * 20 + ["b"] * 20, "rating": first}
    (one,) = [c for c in Ratings.from_frame(table).cautions if c.code == "SS325"]
    assert one.detail == "'-9' and '99' in 'rating' (rows 4, 11), beside 1 to 5"
    assert one.fix.startswith("na=['-9', '99'] (--na -9 --na 99) if they mean a missing value")

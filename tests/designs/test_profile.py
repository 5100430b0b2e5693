"""What is read of a table's columns: sums and differences, plans, what describes an answer, scales that are alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from socialstats.designs.profile import Profile, negated, same_scale
from socialstats.designs.roles import answer_rank, within_one
from socialstats.tables import as_table


def profile(**columns: Any) -> Profile:
    return Profile(as_table(columns))


X, Y = [3, 1, 4, 1, 5, 9, 2], [2, 7, 1, 8, 2, 8, 1]


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_sum_or_difference_is_found_in_any_place(place: int, sign: int) -> None:
    made = [x + sign * y for x, y in zip(X, Y, strict=True)]
    columns = [("x", X), ("y", Y)]
    columns.insert(place, ("total" if sign > 0 else "change", made))
    assert profile(**dict(columns)).triples == {columns[place][0]: frozenset("xy")}


def test_what_is_nearly_a_sum_is_none() -> None:
    made = [x + y for x, y in zip(X, Y, strict=True)]
    assert profile(x=X, y=Y, total=[*made[:-1], made[-1] + 1]).triples == {}


def test_totals_are_sums_of_neighbours_in_every_row() -> None:
    total = [x + y for x, y in zip(X, Y, strict=True)]
    found = profile(total=total, wins=X, losses=Y).totals
    assert found == {"total": ["wins", "losses"]}
    assert profile(total=[total[0] + 1, *total[1:]], wins=X, losses=Y).totals == {}


def test_what_describes_an_answer_stands_aside_in_any_place() -> None:
    columns = {"age": X, "score": Y, "year": X}
    assert profile(**columns).aside == {"age", "year"}
    assert profile(score=Y, age=X, year=X).aside == {"age", "year"}
    assert profile(age=X, year=X).aside == set()  # nothing else is there


def test_scores_are_ordered_by_name_then_by_what_values_they_have() -> None:
    halves = [0.5 * x for x in X]
    columns = profile(
        n_s=[0.2, 0.5, 0.1, 0.9, 1, 0, 0.3], q=X, r=[0, 1, 1, 0, 1, 1, 0], few=[2, 3, 2, 3, 2, 3, 2],
        s=[0.2, 0.5, 0.1, 0.9, 1, 0, 0.3], t=halves, score=Y,
    )  # fmt: skip
    names = [column.name for column in sorted(columns.every, key=lambda c: answer_rank(columns, c))]
    assert names == ["score", "r", "s", "q", "few", "t", "n_s"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [([0, 1, 1, 0], True), ([0.2, 1, 0, 0.5], True), ([0, 1, 2, 0], False), ([-0.1, 1, 0, 0.5], False),
     (["yes", "no", "no", "yes"], True), (["yes", "no", "so", "yes"], False), ([1, 1.5, 1, 2], False)],
)  # fmt: skip
def test_values_within_one(values: list[Any], expected: bool) -> None:
    (column,) = profile(x=values).every
    assert within_one(column) is expected


def test_concordance_is_lins() -> None:
    found = profile(x=X, y=Y)
    x, y = np.array(X), np.array(Y)
    lin = 2 * np.cov(x, y, ddof=0)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)
    assert found.concordance(*found.every) == pytest.approx(lin)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [([1, 2, 3, 4, 5], [1, 2, 3, 4, 5], True), ([1, 2, 3, 4, 5], [1, 2, 1, 2, 1], True),
     ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10], False), ([1, 2, 3, 4, 5], [4, 5, 6, 7, 8], True),
     ([1, 2, 3, 4, 5], [10, 20, 30, 40, 50], False), ([0, 100, 0, 100, 0], [0, 19, 0, 19, 0], False),
     ([0, 100, 0, 100, 0], [0, 25, 0, 25, 0], True), ([1, 2, 3, 4, 5], [2, 2, 2, 2, 2], False)],
)  # fmt: skip
def test_scales_are_the_same_where_ranges_overlap_and_spreads_are_alike(
    one: list[int], other: list[int], expected: bool
) -> None:
    assert same_scale(*profile(x=one, y=other).every) is expected


def test_names_with_a_no_are_opposites() -> None:
    assert negated("organic", "nonorganic")
    assert negated("agree_not", "agree")
    assert not negated("agree", "disagreement")


@pytest.mark.parametrize("keep", [1.0, 0.8])
def test_labels_that_never_meet_themselves_in_a_cell_are_planned(keep: float) -> None:
    """Runs of a model on a task differ, whatever they are called and although some are missing; answers do not."""
    drawn = np.random.default_rng(4)
    rows = [(m, t, r, int(drawn.integers(0, 5))) for m in "uvw" for t in range(20) for r in ("q", "b", "k")]
    model, task, run, answer = zip(*[row for row in rows if drawn.random() < keep], strict=True)
    assert profile(model=model, task=task, run=run, answer=answer).planned == {"model", "task", "run"}


def test_numbers_of_few_cells_with_several_rows_are_not_planned() -> None:
    rows = [(f"m{k % 4}", f"task {k // 4}", turn + 1) for k in range(20) for turn in range(2 if k < 9 else 1)]
    model, task, turn = zip(*rows, strict=True)
    assert "turn" not in profile(model=model, task=task, turn=turn).planned


@pytest.mark.parametrize("label", ["a", "b", "c"])
def test_sides_are_opposed_where_no_label_meets_itself(label: str) -> None:
    pairs = [("a", "b"), ("b", "c"), ("c", "a")] * 6 + [("", "")]
    left, right = zip(*pairs, strict=True)
    apart = profile(left=left, right=right)
    assert apart.opposed(*apart.every)
    once = profile(left=[*left, label], right=[*right, label])
    assert not once.opposed(*once.every)
    few = profile(left=left[:12], right=right[:12])
    assert not few.opposed(*few.every)


@pytest.mark.parametrize("unit", [1.0, 100.0, 0.01])
@pytest.mark.parametrize(
    ("ends", "alike"),
    [((0, 4), True), ((2, 6), True), ((3, 7), True), ((3.1, 7.1), False), ((5, 9), False), ((-3, 1), True),
     ((0, 0.8), False), ((0, 1), True), ((1, 2), True), ((0, 0.7), False), ((0, 20), False), ((2, 2), False)],
)  # fmt: skip
def test_scales_are_alike_where_ranges_overlap_by_a_quarter_of_the_wider_and_none_is_a_fifth(
    unit: float, ends: tuple[float, float], alike: bool
) -> None:
    one, other = [0, 1, 2, 3, 4], [ends[0], ends[1], *[ends[1]] * 3]
    made = profile(one=[unit * x for x in one], other=[unit * x for x in other])
    columns = [made.column(name) for name in ("one", "other")]
    assert same_scale(*columns) is alike  # type: ignore[arg-type]
    assert same_scale(*columns[::-1]) is alike  # type: ignore[arg-type]

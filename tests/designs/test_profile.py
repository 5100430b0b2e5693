"""What is read of a table's columns: sums and differences, plans, what describes an answer, scales that are alike."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from socialstats.designs.answer_columns import answer_rank, within_one
from socialstats.designs.column_pairs import negated, odd_labels, same_scale
from socialstats.designs.column_profile import ColumnProfile
from socialstats.designs.profile import TableProfile
from socialstats.tables import as_table


def profile(**columns: Any) -> TableProfile:
    return TableProfile(as_table(columns))


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
        n_s=[0.2, 0.5, 0.1, 0.9, 1, 0, 0.3],
        q=X,
        r=[0, 1, 1, 0, 1, 1, 0],
        few=[2, 3, 2, 3, 2, 3, 2],
        s=[0.2, 0.5, 0.1, 0.9, 1, 0, 0.3],
        t=halves,
        score=Y,
    )
    names = [column.name for column in sorted(columns.every, key=lambda c: answer_rank(columns, c))]
    assert names == ["score", "r", "s", "q", "few", "t", "n_s"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0, 1, 1, 0], True),
        ([0.2, 1, 0, 0.5], True),
        ([0, 1, 2, 0], False),
        ([-0.1, 1, 0, 0.5], False),
        (["yes", "no", "no", "yes"], True),
        (["yes", "no", "so", "yes"], False),
        ([1, 1.5, 1, 2], False),
    ],
)
def test_values_within_one(values: list[Any], expected: bool) -> None:
    (column,) = profile(x=values).every
    assert within_one(column) is expected


def test_concordance_is_lins() -> None:
    found = profile(x=X, y=Y)
    x, y = np.array(X), np.array(Y)
    lin = 2 * np.cov(x, y, ddof=0)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)
    assert found.concordance(*found.every) == pytest.approx(lin)
    three, same, two = (
        profile(x=[1, 2, 3], y=[2, 3, 4]),
        profile(x=[1] * 3, y=[1] * 3),
        profile(x=[1, 2], y=[1, 2]),
    )
    assert three.concordance(*three.every) == pytest.approx(4 / 7)  # 2 * 2/3 over 2/3 + 2/3 + 1
    assert same.concordance(*same.every) == 0.0
    assert two.concordance(*two.every) == 0.0


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([1, 2, 3, 4, 5], [1, 2, 3, 4, 5], True),
        ([1, 2, 3, 4, 5], [1, 2, 1, 2, 1], True),
        ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10], False),
        ([1, 2, 3, 4, 5], [4, 5, 6, 7, 8], True),
        ([1, 2, 3, 4, 5], [10, 20, 30, 40, 50], False),
        ([0, 100, 0, 100, 0], [0, 19, 0, 19, 0], False),
        ([0, 100, 0, 100, 0], [0, 25, 0, 25, 0], True),
        ([1, 2, 3, 4, 5], [2, 2, 2, 2, 2], False),
    ],
)
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
    rows = [
        (m, t, r, int(drawn.integers(0, 5)))
        for m in "uvw"
        for t in range(20)
        for r in ("q", "b", "k")
    ]
    model, task, run, answer = zip(*[row for row in rows if drawn.random() < keep], strict=True)
    assert profile(model=model, task=task, run=run, answer=answer).planned == {
        "model",
        "task",
        "run",
    }


def test_numbers_of_few_cells_with_several_rows_are_not_planned() -> None:
    rows = [
        (f"m{k % 4}", f"task {k // 4}", turn + 1)
        for k in range(20)
        for turn in range(2 if k < 9 else 1)
    ]
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
    [
        ((0, 4), True),
        ((2, 6), True),
        ((3, 7), True),
        ((3.1, 7.1), False),
        ((5, 9), False),
        ((-3, 1), True),
        ((0, 0.8), False),
        ((0, 1), True),
        ((1, 2), True),
        ((0, 0.7), False),
        ((0, 20), False),
        ((2, 2), False),
    ],
)
def test_scales_are_alike_where_ranges_overlap_by_a_quarter_of_the_wider_and_none_is_a_fifth(
    unit: float, ends: tuple[float, float], alike: bool
) -> None:
    one, other = [0, 1, 2, 3, 4], [ends[0], ends[1], *[ends[1]] * 3]
    made = profile(one=[unit * x for x in one], other=[unit * x for x in other])
    columns = [made.column(name) for name in ("one", "other")]
    assert same_scale(*columns) is alike  # type: ignore[arg-type]
    assert same_scale(*columns[::-1]) is alike  # type: ignore[arg-type]


FRUIT = [*"abcdefghijkl"]  # twelve labels


def test_names_of_several_pairs_are_counterparts_and_those_of_one_pair_are_not() -> None:
    x, y = [1, 2, 3, 4], [2, 3, 4, 1]
    assert profile(base_ok=x, ft_ok=y, base_pred=y, ft_pred=x).counterparts == {
        "base_ok",
        "ft_ok",
        "base_pred",
        "ft_pred",
    }
    assert profile(base_ok=x, ft_ok=y).counterparts == set()
    assert profile(q_1=x, q_2=y, r_1=y, r_2=x).counterparts == {
        "q_1",
        "r_1",
        "q_2",
        "r_2",
    }  # q and r, twice
    assert profile(q_1=x, q_2=y, q_3=y).counterparts == set()  # numbers tell questions apart


def test_three_columns_of_one_scale_are_siblings_and_two_are_not() -> None:
    a, b, c = [1, 2, 3, 4, 5], [2, 3, 4, 5, 1], [5, 4, 3, 2, 1]
    assert profile(q1=a, q2=b, q3=c).siblings == {"q1", "q2", "q3"}
    assert profile(q1=a, q2=b).siblings == set()
    assert profile(q1=a, q2=b, q3=[100 * x for x in c]).siblings == set()  # of another scale


def test_whole_numbers_that_number_all_rows_with_a_text_are_crossed() -> None:
    four, two = [*"aabbccdd"], [1, 2] * 4
    assert profile(item=four, run=two, score=[0.1, 0.4, 0.2, 0.6, 0.9, 0.3, 0.7, 0.5]).crossed == {
        "run"
    }
    assert (
        profile(item=four[:6], run=two[:6], score=[0.1, 0.4, 0.2, 0.6, 0.9, 0.3]).crossed == set()
    )  # fewer than 8
    assert (
        profile(
            item=four, run=[1, 1, *two[2:]], score=[0.1, 0.4, 0.2, 0.6, 0.9, 0.3, 0.7, 0.5]
        ).crossed
        == set()
    )


def test_a_plan_is_nearly_all_pairs_of_the_labels_of_two_columns_once_each() -> None:
    item, judge = np.repeat(FRUIT, 3).tolist(), [*"xyz"] * 12
    found = profile(judge=judge, item=item)
    assert [c.name for c in found.plan or ()] == ["item", "judge"]  # more labels first
    assert found.rated_by_name == {"item"}
    assert profile(judge=judge[:-1], item=item[:-1]).plan is not None  # 35 of 36 pairs
    assert profile(judge=[*judge, "x"], item=[*item, "a"]).plan is None  # one of them twice
    half = [k for k in range(36) if k % 2]
    assert profile(judge=[judge[k] for k in half], item=[item[k] for k in half]).plan is None


@pytest.mark.parametrize(
    ("labels", "constant"),
    [
        ("aaaaaaaaab", False),
        ("aaaaaaaaaaab", True),
        ("aaaaaaaabb", False),
        ("aaaaaaaaaaabc", False),
    ],
)
def test_more_than_nine_of_ten_rows_of_one_of_two_labels(labels: str, constant: bool) -> None:
    found = profile(x=[*labels])
    assert found.nearly_constant(found.columns["x"]) == constant


def test_labels_that_occur_twice_on_average_are_enough() -> None:
    found = profile(two=[*"aabbcc"], fewer=[*"aabbcd"], half=[*"abcabc"])
    assert [found.enough(found.columns[name]) for name in ("two", "fewer", "half")] == [
        True,
        False,
        True,
    ]


def test_a_value_in_the_rows_of_one_kind_alone() -> None:
    kind = ["ask"] * 10 + ["tell"] * 10
    for filled, wanted in (
        (range(10), True),
        (range(9), True),
        (range(8), False),
        (range(11), False),
    ):
        found = profile(kind=kind, x=[str(k % 3) if k in filled else None for k in range(20)])
        assert found.filled_only(found.columns["x"], found.columns["kind"], "ask") == wanted, filled
        assert not found.filled_only(found.columns["x"], found.columns["kind"], "tell")


def test_one_value_for_each_value_of_another() -> None:
    found = profile(item=[*"aabbccdd"], topic=[*"xxxxyyyy"], other=[*"xxxyyyyy"])
    told = {
        (one, two): found.constant(found.columns[one], found.columns[two])
        for one in ("item", "topic", "other")
        for two in ("item", "topic", "other")
        if one != two
    }
    assert {pair for pair, constant in told.items() if constant} == {("topic", "item")}


def test_columns_of_probabilities_of_labels_of_another_column() -> None:
    rows = {
        "answer": [*"yynyn"],
        "y": [0.9, 0.6, 0.2, 1.0, 0.3],
        "n": [0.1, 0.4, 0.8, 0.0, 0.7],
        "z": [0.5, 0.2, 0.1, 0.9, 0.3],
    }
    assert profile(**rows).shares == {"y", "n"}
    assert (
        profile(**{**rows, "n": [1.1, 0.4, 0.8, 0.0, 0.7]}).shares == set()
    )  # one name of two, as n is no share
    assert profile(**{**rows, "n": [-0.1, 0.4, 0.8, 0.0, 0.7]}).shares == set()


def test_sizes_of_two_arms_and_only_of_two() -> None:
    sizes = {"n1i": [10, 20, 30], "n2i": [11, 19, 28]}
    assert profile(**sizes).arm_sizes == ["n1i", "n2i"]
    assert profile(n1i=sizes["n1i"]).arm_sizes == []


def test_the_largest_and_smallest_sum_of_a_row_without_a_gap() -> None:
    found = profile(
        a=["1", "5", None, "2", "9"], b=["2", "1", "70", "-9", None], c=["0", "4", "1", "3", "1"]
    )
    columns = [found.columns[name] for name in "abc"]
    assert found.most_and_least(columns) == (10.0, -4.0)


def test_a_cross_names_its_rows_as_its_columns() -> None:
    assert profile(item=["x", "y"], x=[None, "3"], y=["4", None]).is_cross
    assert profile(item=["x", "y"], x=[None, "3"], y=["4", None], total=["4", "3"]).is_cross
    assert not profile(
        item=["x", "y"], x=[None, "3"], y=["4", None], total=["4", "3"], n=["1", "2"]
    ).is_cross
    assert not profile(item=["x", "z"], x=[None, "3"], y=["4", None]).is_cross
    assert not profile(item=["x"], x=["3"]).is_cross
    assert not profile(item=["x", "x"], x=["3", "4"]).is_cross


def test_the_fewest_further_columns_that_tell_rows_apart() -> None:
    rows = {
        "item": [*"aaaabbbb"],
        "run": [1, 1, 2, 2] * 2,
        "side": [*"lrlrlrlr"],
        "topic": [*"xxxxyyyy"],
    }
    found = profile(**rows)
    free = [found.columns[name] for name in ("topic", "run", "side")]
    assert [c.name for c in found.telling_apart([found.columns["item"]], free)] == ["run", "side"]
    assert [
        c.name for c in found.telling_apart([found.columns["item"], found.columns["run"]], free)
    ] == ["side"]
    assert found.telling_apart([found.columns["item"]], free[:2]) == []
    assert found.told_apart(found.columns["item"], [found.columns[name] for name in rows])
    assert not found.told_apart(
        found.columns["item"], [found.columns[name] for name in ("item", "run", "topic")]
    )
    assert found.distinct(*(found.columns[name] for name in ("item", "run", "side")))
    assert not found.distinct(found.columns["item"], found.columns["run"])


def column(name: str, *levels: str) -> ColumnProfile:
    return ColumnProfile(name=name, levels=levels, rows=9, filled=9)


@pytest.mark.parametrize("levels", [*permutations(("0.3", "1", "2.5"))])
def test_what_a_column_holds_does_not_depend_on_the_order_of_its_levels(
    levels: tuple[str, ...],
) -> None:
    assert not column("x", *levels).discrete  # a third of a grade is none
    halves = ["0.5" if level == "0.3" else level for level in levels]
    assert column("x", *halves).discrete
    texts = {"0.3": "not at all well", "1": "well", "2.5": "so"}
    assert column("comment", *(texts[level] for level in levels)).prose
    assert not column("comment", *(f"n{level}" for level in levels)).prose
    days = {"0.3": "2025-03-01", "1": "1.3.2025", "2.5": "2025/3/2"}
    assert column("x", *(days[level] for level in levels)).describes
    assert column("x", *(f"q{level}" for level in levels)).lists


@pytest.mark.parametrize("name", ["cost", "costs", "costs_of_it", "date", "dates", "AgeOfUser"])
def test_names_of_dates_costs_and_ages_measure_no_answer(name: str) -> None:
    assert column(name, "1", "2").describes
    assert not column("score", "1", "2").describes


@pytest.mark.parametrize(("n", "told"), [(7, False), (8, True)])
def test_an_id_of_eight_labels_or_more_names_units(n: int, told: bool) -> None:
    labels = [f"s{k}" for k in range(n)]
    assert column("session_id", *labels).id_named == told
    assert not column("id", *labels).id_named


@pytest.mark.parametrize("place", [0, 2, 3])
@pytest.mark.parametrize(
    ("label", "others", "rows", "told"),
    [
        ("k. A.", ("1", "2", "3"), 4, True),
        ("k. A.", ("1", "2", "3"), 30, False),
        ("parse_error", ("A", "B", "C"), 3, True),
        ("A", ("1", "2", "parse_error"), 3, False),
    ],
)
def test_a_label_that_says_why_a_value_is_missing_is_found_in_any_place(
    place: int, label: str, others: tuple[str, ...], rows: int, told: bool
) -> None:
    labels = [(other, 40.0) for other in others]
    labels.insert(place, (label, float(rows)))
    assert (label in odd_labels(dict(labels))) == told


def test_of_two_columns_in_any_order_one_is_rated_by_the_other() -> None:
    essay, rater = [*"aabbccddee"], ["ann", "bob"] * 5
    for columns in ({"essay": essay, "rater": rater}, {"rater": rater, "essay": essay}):
        assert profile(**columns, score=range(10)).rated_by_name == {"essay"}
        twice = {name: [*values, values[0]] for name, values in columns.items()}
        assert profile(**twice, score=range(11)).rated_by_name == set()


@pytest.mark.parametrize(
    ("numbers", "rows", "counted"),
    [
        ([1, 2, 3], 12, True),
        ([0, 1, 2], 12, True),
        ([2, 3, 4], 12, False),
        ([1, 2, 4], 12, False),
        ([1, 2, 3], 9, False),
        ([1, 2], 12, False),
    ],
)
def test_numbers_counted_up_equally_often_are_part_of_a_plan(
    numbers: list[int], rows: int, counted: bool
) -> None:
    """Of twelve rows or more, with a column called repeats, or with owners of three rows each."""
    labels = [numbers[k % len(numbers)] for k in range(rows)]
    for name in ("run", "z"):
        alone = profile(**{name: labels}, x=[k * 0.5 for k in range(rows)])
        assert alone.enumerates(alone.columns[name]) == (counted and name == "run")
    owner = ["abc"[k * 7 % 5 % 3] for k in range(rows)]
    owned = profile(z=labels, owner=owner, x=[k * 0.5 for k in range(rows)])
    assert owned.enumerates(owned.columns["z"]) == counted
    uneven = profile(run=[*labels[:-1], labels[0]], x=[k * 0.5 for k in range(rows)])
    assert not uneven.enumerates(uneven.columns["run"])
    once = profile(run=[1, 2, 3, 4] * 3, x=[k * 0.5 for k in range(12)])
    assert once.enumerates(once.columns["run"])
    unique = profile(run=[*range(12)], x=[k * 0.5 for k in range(12)])
    assert not unique.enumerates(unique.columns["run"])


def test_a_label_that_no_row_has_is_no_kind() -> None:
    kind = ["ask"] * 10 + ["tell"] * 10
    for filled in (range(10), range(10, 20)):
        found = profile(kind=kind, x=[str(k % 3) if k in filled else None for k in range(20)])
        assert not found.filled_only(found.columns["x"], found.columns["kind"], "say")

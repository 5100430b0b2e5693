"""What the rows of a unit and a source, and the columns around them, say of the part that each column plays."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from socialstats.designs.answer_columns import outcome_columns
from socialstats.designs.boards import (
    BoardColumns,
    answers_alike,
    board_of_one_unit,
    find_board,
    owned_by,
    unit_rank,
    units_met,
)
from socialstats.designs.cluster_columns import clusters_of_comparisons
from socialstats.designs.group_columns import independent_groups, only_measure
from socialstats.designs.profile import TableProfile
from socialstats.designs.repeated_answers import (
    OtherAnswers,
    SourceCells,
    is_numbered_anew,
    refuse_other_answers,
)
from socialstats.designs.roles import LIKELY, contrasts, model_columns
from socialstats.tables import as_table

MODELS = ("ash", "birch")


def profile(**columns: Any) -> TableProfile:
    return TableProfile(as_table(pd.DataFrame(columns)))


def crossed(items: int, times: int, **columns: Any) -> TableProfile:
    """Each item answered several times by each of two models, in the order model, item, time."""
    rows = [*product(MODELS, [f"q{k}" for k in range(items)], range(times))]
    table = {"model": [m for m, _, _ in rows], "item": [i for _, i, _ in rows]}
    further = {name: make(rows) if callable(make) else make for name, make in columns.items()}
    score = np.random.default_rng(2).integers(1, 6, len(rows))
    return profile(**table, score=score, **further)


def cells_of(found: TableProfile, value: str | None = "score") -> SourceCells:
    return SourceCells(found, ["item"], ["model"], value)


def kinds(found: TableProfile) -> dict[str, tuple[str, bool, str]]:
    return {
        reason.name: (reason.kind, reason.numbers, reason.evidence)
        for reason in cells_of(found).within
    }


def test_cells_count_rows_and_answers() -> None:
    single = cells_of(crossed(4, 1))
    assert (single.repeated, single.rows, single.answers) == (False, 8.0, (1, 1))
    some = profile(model=["a", "a", "b"], item=["q", "q", "q"], score=[1, 2, 3])
    twice = cells_of(some)
    assert (twice.repeated, twice.rows, twice.answers) == (True, 3.0, (1, 2))


@pytest.mark.parametrize(
    ("name", "make", "kind"),
    [
        ("seed", lambda rows: [t for _, _, t in rows], ("repeat", True, "name")),
        ("metric", lambda rows: ["xyz"[t] for _, _, t in rows], ("measure", True, "name")),
        ("scorer", lambda rows: ["xyz"[t] for _, _, t in rows], ("scorer", True, "name")),
        ("phase", lambda rows: ["xyz"[t] for _, _, t in rows], ("factor", True, "name")),
        ("phase", lambda rows: ["xyy"[t] for _, _, t in rows], ("factor", False, "name")),
        ("paraphrase", lambda rows: ["xyz"[t] for _, _, t in rows], ("repeat", True, "name")),
        ("z", lambda rows: ["xyz"[t] for _, _, t in rows], ("repeat", True, "structure")),
        (
            "z",
            lambda rows: [["oak", "elm", "fir"][t] for *_, t in rows],
            ("factor", True, "structure"),
        ),
        (
            "topic",
            lambda rows: [["oak", "elm", "fir"][t] for *_, t in rows],
            ("part", True, "name"),
        ),
        ("call_id", lambda rows: [*range(len(rows))], ("repeat", True, "structure")),
    ],
)
def test_why_a_column_varies_within_a_unit_and_source(name: str, make: Any, kind: Any) -> None:
    assert kinds(crossed(6, 3, **{name: make})) == {name: kind}


def test_a_column_says_nothing_where_it_is_free_text_or_few_units_have_several_rows() -> None:
    assert kinds(crossed(6, 3, remark=[f"remark {k}" for k in range(36)])) == {}

    def few(doubled: int) -> TableProfile:
        rows = [(m, f"q{k}") for m in MODELS for k in range(4)]
        rows += rows[:doubled] * 2
        return profile(
            model=[m for m, _ in rows],
            item=[i for _, i in rows],
            score=[1] * len(rows),
            z=["x"] * 8 + ["y"] * doubled + ["z"] * doubled,
        )

    assert kinds(few(2)) == {"z": ("repeat", True, "structure")}
    assert kinds(few(1)) == {}


def test_columns_that_number_rows_come_first_then_those_called_repeats() -> None:
    found = crossed(
        4,
        4,
        phase=lambda rows: ["xxyy"[t] for *_, t in rows],
        half=lambda rows: ["xyxy"[t] for *_, t in rows],
        z=lambda rows: ["wxyz"[t] for *_, t in rows],
        seed=lambda rows: ["abcd"[t] for *_, t in rows],
    )
    assert [*kinds(found)] == ["seed", "z", "phase", "half"]
    assert cells_of(found).repeats() == ("seed",)
    assert cells_of(found).repeats({"factor"}) == ()
    assert cells_of(found).first("factor") == "phase"
    assert cells_of(found).first("part") is None
    same = crossed(4, 4, shade=lambda rows: [i for _, i, _ in rows])
    assert kinds(same) == {}
    both = crossed(
        4,
        4,
        run=lambda rows: ["xxyy"[t] for *_, t in rows],
        seed=lambda rows: ["xyxy"[t] for *_, t in rows],
    )
    assert cells_of(both).repeats() == ("run", "seed")


def test_what_is_called_so_comes_before_what_looks_so() -> None:
    found = crossed(
        6,
        3,
        z=lambda rows: [["oak", "elm", "fir"][t] for *_, t in rows],
        phase=lambda rows: [["one", "two", "two"][t] for *_, t in rows],
    )
    assert [reason.kind for reason in cells_of(found).within] == ["factor", "factor"]
    assert cells_of(found).first("factor") == "phase"


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize(("in_turn", "repeats"), [(7, True), (6, False)])
def test_numbers_that_count_up_in_seven_of_ten_units_say_which_trial_it_was(
    start: int, in_turn: int, repeats: bool
) -> None:
    """Trials 1, 2, ... of each person, over both conditions; in the others the numbers leave gaps."""
    rows = [(p, t) for p in range(10) for t in range(8)]
    number = [start + t if p < in_turn else start + 3 * t + p for p, t in rows]
    found = profile(
        item=[f"p{p}" for p, _ in rows],
        model=[MODELS[t % 2] for _, t in rows],
        z=number,
        score=[1 + (3 * t + p) % 5 for p, t in rows],
    )
    numbered = {"z": ("repeat", True, "structure")}
    assert kinds(found) == (numbered if repeats else {})


def test_a_number_that_a_unit_has_twice_or_not_in_every_row_counts_no_trials() -> None:
    rows = [(p, t) for p in range(10) for t in range(40 if p == 9 else 8)]
    table = {
        "item": [f"p{p}" for p, _ in rows],
        "model": [MODELS[t % 2] for _, t in rows],
        "score": [1 + (3 * t + p) % 5 for p, t in rows],
    }
    number: list[Any] = [t + 1 for _, t in rows]
    assert kinds(profile(**table, z=number)) == {"z": ("repeat", True, "structure")}
    assert kinds(profile(**table, z=[*number[:-1], None])) == {}
    assert kinds(profile(**table, z=[*number[:-2], 38, 40])) == {}


@pytest.mark.parametrize(
    ("small", "large", "measures"),
    [
        ([1, 2, 3, 2], [40, 41, 39, 60], True),
        ([1, 2, 3, 2], [39, 38, 37, 60], False),
        ([-1, -2, -3, -2], [40, 41, 39, 60], True),
        ([0, 0, 0, 0], [40, 41, 39, 60], False),
    ],
)
def test_measures_are_labels_whose_median_sizes_differ_twentyfold(
    small: list[int], large: list[int], measures: bool
) -> None:
    rows = [(m, i, z) for m in MODELS for i in range(4) for z in ("fir", "oak")]
    found = profile(
        model=[m for m, _, _ in rows],
        item=[f"q{i}" for _, i, _ in rows],
        z=[z for *_, z in rows],
        score=[(small if z == "fir" else large)[i] for _, i, z in rows],
    )
    assert ("measure" in [kind for kind, *_ in kinds(found).values()]) == measures
    assert "measure" not in [reason.kind for reason in cells_of(found, None).within]


def groups(persons: int, items: int) -> TableProfile:
    """Persons of two groups who each answered several items."""
    rows = [(p, i) for p in range(persons) for i in range(items)]
    return profile(
        group=["ab"[p % 2] for p, _ in rows],
        item=[f"q{i}" for _, i in rows],
        person=[f"p{p}" for p, _ in rows],
        score=[1 + (i * p) % 5 for p, i in rows],
    )


@pytest.mark.parametrize(
    ("persons", "items", "nested"),
    [(6, 4, True), (5, 4, True), (4, 4, False), (6, 2, True), (6, 1, False)],
)
def test_people_of_one_group_each_are_nested(persons: int, items: int, nested: bool) -> None:
    found = groups(persons, items)
    cells = SourceCells(found, ["item"], ["group"], "score")
    assert ("nested" in [reason.kind for reason in cells.within]) == nested


def test_labels_that_two_groups_share_and_runs_of_models_are_not_nested() -> None:
    rows = [(p, i) for p in range(6) for i in range(4)]

    def of(group: list[str], **columns: list[str]) -> list[str]:
        found = profile(
            group=group,
            item=[f"q{i}" for _, i in rows],
            score=[k % 5 for k in range(24)],
            **columns,
        )
        return [reason.kind for reason in SourceCells(found, ["item"], ["group"], "score").within]

    person = [f"p{p}" for p, _ in rows]
    own = ["ab"[p % 2] for p, _ in rows]
    assert "nested" in of(own, person=person)
    assert "nested" not in of([*own[:-1], "a"], person=person)
    assert "nested" not in of(own, run=person)
    assert "nested" not in of(own, shade=person)
    assert "nested" not in of([{"a": "gpt-4", "b": "claude-3"}[g] for g in own], person=person)


@pytest.mark.parametrize(
    ("unit", "other", "names", "labels", "rather"),
    [
        ("item", "z", 4, 3, None),
        ("sample", "z", 3, 4, "z"),
        ("sample", "z", 4, 3, None),
        ("sample", "z", 4, 4, None),
        ("item", "z", 3, 4, None),
        ("item", "person", 3, 4, "person"),
        ("item", "person", 7, 9, "person"),
        ("item", "person", 8, 9, None),
    ],
)
def test_repeats_of_more_labels_than_the_units_have_may_be_the_units(
    unit: str, other: str, names: int, labels: int, rather: str | None
) -> None:
    rows = [*product(MODELS, range(names), range(labels))]
    found = profile(
        model=[m for m, *_ in rows],
        score=np.random.default_rng(3).integers(1, 6, len(rows)),
        **{unit: [f"q{i}" for _, i, _ in rows], other: [f"{chr(97 + z)}" for *_, z in rows]},
    )
    cells = SourceCells(found, [unit], ["model"], "score")
    column = cells.rather_unit([other])
    assert (column.name if column is not None else None) == rather
    assert cells.rather_unit([]) is None
    assert SourceCells(found, [unit, other], ["model"], "score").rather_unit([other]) is None


@pytest.mark.parametrize(("labels", "rather"), [(8, "z"), (9, None)])
def test_units_have_two_rows_or_more_each(labels: int, rather: str | None) -> None:
    """Sixteen rows of two samples; half of the labels, or one more, name no units."""
    found = profile(
        model=[MODELS[k % 2] for k in range(16)],
        sample=[f"s{k // 2 % 2}" for k in range(16)],
        z=[chr(97 + min(k // 2 + (k == 15), labels - 1)) for k in range(16)],
        score=[k % 5 for k in range(16)],
    )
    cells = SourceCells(found, ["sample"], ["model"], "score")
    reasons = {reason.name for reason in cells.within}
    assert reasons == ({"z"} if labels == 8 else set())
    column = cells.rather_unit(["z"])
    assert (column.name if column is not None else None) == rather


def test_an_id_of_each_row_names_no_units_and_the_first_column_is_looked_at() -> None:
    found = profile(
        call_id=[*range(16)],
        model=[MODELS[k % 2] for k in range(16)],
        sample=[f"s{k // 2 % 2}" for k in range(16)],
        score=[k % 5 for k in range(16)],
    )
    cells = SourceCells(found, ["sample"], ["model"], "score")
    assert [reason.name for reason in cells.within] == ["call_id"]
    assert cells.rather_unit(["call_id"]) is None


def test_most_labels_of_a_plan_occur_equally_often() -> None:
    """Two rows beyond the plan leave it one; answers drawn at random are none."""
    rows = [*product(MODELS, range(6), "xyz")]

    def of(labels: list[str], further: int) -> dict[str, tuple[str, bool, str]]:
        every = rows + rows[:further]
        return kinds(
            profile(
                model=[m for m, *_ in every],
                item=[f"q{i}" for _, i, _ in every],
                z=labels + labels[:further],
                score=np.random.default_rng(2).integers(1, 6, len(every)),
            )
        )

    planned = [z for *_, z in rows]
    assert of(planned, 2) == {"z": ("repeat", False, "structure")}
    assert of(planned, 11) == {}
    assert of(planned[:3] + ["x", "y", "y"] * 11, 0) == {}


def named(columns: Any) -> list[str]:
    return [c.name for c in columns]


def test_models_are_named_by_columns_of_texts_and_of_nested_ones_the_finest() -> None:
    """The provider is coarser; a column of many labels within another one names runs of each model."""
    rows = [(m, i) for m in range(4) for i in range(30)]
    model = [f"m{m}" for m, _ in rows]
    item = [f"q{i}" for _, i in rows]
    by_name = profile(
        model=model, provider=["ab"[m // 2] for m, _ in rows], item=item, model_size=[1] * 120
    )
    assert named(model_columns(by_name)) == ["model"]
    runs = profile(model=model, agent=[f"a{m}{i % 5}" for m, i in rows], item=item)
    assert named(model_columns(runs)) == ["model"]
    few = profile(model=model, agent=[f"a{m}{i % 3}" for m, i in rows], item=item)
    assert named(model_columns(few)) == ["agent"]
    two = profile(model=model, agent=[f"a{i % 3}" for _, i in rows], item=item)
    assert named(model_columns(two)) == ["model", "agent"]
    beside = profile(provider=["abcd"[m] for m, _ in rows], model=model, item=item)
    assert named(model_columns(beside)) == ["model"]
    judged = profile(judge_model=model, engine=["ab"[i % 2] for _, i in rows], item=item)
    assert named(model_columns(judged)) == ["engine"]
    assert model_columns(profile(item=item, x=[f"{i % 3}" for _, i in rows])) == []


def test_ids_of_more_than_twelve_labels_and_rows_that_are_models_are_no_sources() -> None:
    ids = profile(system_id=[f"s{k % 13}" for k in range(39)], item=[f"q{k}" for k in range(39)])
    assert model_columns(ids) == []
    ids = profile(system_id=[f"s{k % 12}" for k in range(36)], item=[f"q{k}" for k in range(36)])
    assert named(model_columns(ids)) == ["system_id"]
    rows = profile(model=[f"m{k}" for k in range(8)], vendor=[*"aabbccdd"])
    assert model_columns(rows) == []


def kind_of(name: str, labels: list[Any], *, even: bool = True, **columns: Any) -> str:
    """The kind of contrast of a column whose labels each of twelve units met, once each or as they came."""
    rows = [*product(range(12), range(len(labels)))]
    drawn = np.random.default_rng(5).integers(0, len(labels), len(rows))
    place = [k if even else int(drawn[r]) for r, (_, k) in enumerate(rows)]
    table = {
        "item": [f"q{i}" for i, _ in rows],
        name: [labels[k] for k in place],
        "score": np.random.default_rng(6).integers(1, 6, len(rows)).tolist(),
    }
    found = contrasts(profile(**table, **columns))
    kinds = [contrast.kind for contrast in found if contrast.column.name == name]
    assert [contrast.likely for contrast in found] == sorted(
        (LIKELY[contrast.kind] for contrast in found), reverse=True
    )
    return kinds[0] if kinds else ""


@pytest.mark.parametrize(
    ("name", "labels", "kind"),
    [
        ("model", ["ash", "birch"], "source"),
        ("z", ["gpt-4", "claude-3"], "source"),
        ("z", [0.0, 0.7], "setting"),
        ("z", [0.0, 0.2, 0.4, 0.6, 0.8, 0.9], "setting"),
        ("z", [0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0], ""),
        ("z", [1, 2], ""),
        ("z", ["pre", "post"], "time"),
        ("run", ["pre", "post"], ""),
        ("z", ["human", "ai"], "people"),
        ("z", ["drug", "placebo"], "treatment"),
        ("treatment", ["x", "y"], "treatment"),
        ("period", ["x", "y"], "period"),
        ("price", ["x", "y"], ""),
        ("mode", ["x", "y"], "condition"),
        ("mode", [1, 2], "period"),
        ("z", ["on", "off"], "condition"),
        ("z", ["oak", "elm"], "unnamed"),
        ("z", ["v", "w"], "lettered"),
        ("z", ["first", "second"], ""),
        ("task", ["T1", "T2", "T3", "T4"], "lettered"),
        ("task", ["T1", "T2", "T3", "T4", "T5"], ""),
        ("gender", ["x", "y"], "cue"),
        ("judge", ["x", "y"], ""),
        ("response", ["oak", "elm"], ""),
        ("visit_id", ["oak", "elm"], ""),
    ],
)
def test_labels_that_may_be_compared_by_names_labels_and_plan(
    name: str, labels: list[Any], kind: str
) -> None:
    assert kind_of(name, labels) == kind


def test_labels_as_they_come_are_compared_where_a_name_says_so() -> None:
    assert kind_of("z", ["oak", "elm"], even=False) == "lettered"
    assert kind_of("z", [0.0, 0.7], even=False) == ""
    assert kind_of("source", ["oak", "elm"]) == "people"
    assert kind_of("source", ["oak", "elm"], even=False) == "lettered"


def test_models_and_treatments_are_likelier_contrasts_than_periods() -> None:
    order = [
        "source",
        "treatment",
        "people",
        "time",
        "condition",
        "cue",
        "unnamed",
        "lettered",
        "period",
    ]
    likely = [LIKELY[kind] for kind in order]
    assert likely == sorted({*likely}, reverse=True)
    assert LIKELY["setting"] == LIKELY["cue"]


def test_of_two_contrasts_the_names_of_kinds_stay_and_the_finer_labels_go() -> None:
    """Each of four voices has one tone; models stay whatever their kinds are."""
    rows = [(k, i) for i in range(10) for k in range(4)]
    item = [f"q{i}" for _, i in rows]
    score = np.random.default_rng(6).integers(1, 6, 40)
    tone = ["high", "high", "low", "low"]
    fine = profile(
        item=item,
        voice=[["oak", "elm", "fir", "ash"][k] for k, _ in rows],
        tone=[tone[k] for k, _ in rows],
        score=score,
    )
    assert [(c.column.name, c.kind) for c in contrasts(fine)] == [("tone", "treatment")]
    models = profile(
        item=item, tone=[tone[k] for k, _ in rows], model=[f"m{k}" for k, _ in rows], score=score
    )
    assert [c.column.name for c in contrasts(models)] == ["model", "tone"]


RATED = [*product(["ash", "birch", "cedar"], range(12))]


def rated(**columns: Any) -> dict[str, Any]:
    """Twelve items that each of three models answered."""
    return {
        "model": [m for m, _ in RATED],
        "item": [f"q{i}" for _, i in RATED],
        **columns,
    }


def values(found: TableProfile, *used: str) -> list[str]:
    return named(outcome_columns(found, [found.columns[name] for name in ("item", *used)]))


def drawn(low: int, high: int, seed: int) -> list[int]:
    return [*map(int, np.random.default_rng(seed).integers(low, high, 36))]


@pytest.mark.parametrize(
    ("columns", "order"),
    [
        ({"score": drawn(1, 6, 1), "rt": drawn(300, 900, 2)}, ["score", "rt"]),
        ({"rt": drawn(300, 900, 2), "score": drawn(1, 6, 1)}, ["score", "rt"]),
        ({"zz": drawn(1, 6, 1), "right": drawn(0, 2, 2)}, ["right", "zz"]),
        ({"confidence": drawn(1, 6, 1), "zz": drawn(1, 6, 2)}, ["zz", "confidence"]),
        ({"gold": drawn(0, 2, 1), "zz": drawn(1, 6, 2)}, ["zz", "gold"]),
        ({"n_words": drawn(1, 6, 1), "zz": drawn(1, 6, 2)}, ["zz"]),
        ({"weight": drawn(1, 6, 1), "zz": drawn(1, 6, 2)}, ["zz"]),
        ({"row_id": drawn(1, 40, 1), "zz": drawn(1, 6, 2)}, ["zz"]),
        ({"age": drawn(20, 60, 1), "zz": drawn(1, 6, 2)}, ["zz"]),
        ({"category": drawn(1, 6, 1), "zz": drawn(1, 6, 2)}, ["zz", "category"]),
        ({"num_hits": drawn(1, 6, 1), "zz": drawn(1, 6, 2)}, ["zz", "num_hits"]),
    ],
)
def test_columns_that_may_hold_the_answers_by_name_and_values(
    columns: dict[str, Any], order: list[str]
) -> None:
    assert values(profile(**rated(**columns))) == order


def test_what_was_planned_is_no_answer_whatever_stands_first() -> None:
    planned = [k // 12 % 3 for k in range(36)]
    columns = rated(zz=drawn(1, 6, 2))
    assert values(profile(half=planned, **columns)) == ["zz"]
    found = profile(**columns, yy=drawn(1, 6, 3))
    assert values(found) == ["zz", "yy"]
    assert values(found, "zz") == ["yy"]


def test_where_no_label_repeats_names_tell_what_was_done() -> None:
    halves = [[x / 2 for x in drawn(1, 9, seed)] for seed in (2, 3)]
    table = {"zz": halves[0], "score": halves[1], "drug": [*drawn(0, 2, 1)[:35], None]}
    assert named(outcome_columns(profile(**table))) == ["score", "zz"]
    assert named(outcome_columns(profile(**table, z=drawn(0, 4, 4)))) == [
        "score",
        "zz",
        "z",
        "drug",
    ]


def units(**columns: Any) -> list[str]:
    found = profile(**rated(**columns))
    return named(units_met(found, found.columns["model"]))


def test_units_that_met_the_labels_of_a_column_are_called_so_or_planned_by_structure() -> None:
    number = [k for _, k in RATED]
    assert units() == ["item"]
    assert units(z=[f"{'abcdefghijkl'[k]}" for k in number]) == ["item", "z"]
    assert units(z=number) == ["item", "z"]
    assert units(run=number) == ["item", "run"]
    assert units(metric=[f"{'abcdefghijkl'[k]}" for k in number]) == ["item"]
    assert units(z=drawn(1, 6, 4)) == ["item"]
    assert units(story=[f"s{k // 3}" for k in number]) == ["item", "story"]
    assert units(story=[f"s{k // 6}" for k in number]) == ["item"]
    assert units(story=[f"s{m}{k}" for m, k in RATED]) == ["item"]
    assert units(reply=[f"{'abcde'[k]}" for k in drawn(0, 5, 5)]) == ["item"]


def test_few_labels_of_models_that_each_unit_met_are_not_enough() -> None:
    """Units that met 1.3 labels or more on average, and half of the pairs, met several of them."""

    def share(twice: int, least: float = 0.5) -> bool:
        rows = [("ab"[k % 2], k) for k in range(20)] + [
            ("ab"[(k + 1) % 2], k) for k in range(twice)
        ]
        found = profile(model=[m for m, _ in rows], item=[f"q{k}" for _, k in rows])
        return named(units_met(found, found.columns["model"], least)) == ["item"]

    assert share(6)
    assert not share(5)
    assert share(10, 0.75)
    assert not share(9, 0.75)


def test_the_likeliest_unit_has_enough_labels_and_is_called_like_one() -> None:
    def rank(unit: str, size: int) -> Any:
        rows = [*product(MODELS, range(size))]
        found = profile(
            model=[m for m, _ in rows],
            **{unit: [f"q{k}" for _, k in rows]},
            score=np.random.default_rng(7).integers(1, 6, len(rows)),
        )
        board = board_of_one_unit(
            found, found.columns["model"], found.columns[unit], [found.columns["score"]]
        )
        assert board is not None
        return unit_rank(found, board)

    order = [("item", 9), ("item", 8), ("z", 20), ("trial", 30), ("run", 20), ("item", 7)]
    ranks = [rank(unit, size) for unit, size in order]
    assert ranks == sorted(ranks, reverse=True)


def board(rows: list[tuple[str, str, str]], third: str, **columns: Any) -> BoardColumns | None:
    """Read the board of models and items of rows that a third column tells apart."""
    found = profile(
        model=[m for m, *_ in rows],
        item=[i for _, i, _ in rows],
        **{third: [z for *_, z in rows]},
        score=np.random.default_rng(8).integers(1, 6, len(rows)),
        **columns,
    )
    values = [found.columns["model"], found.columns["score"]]
    return board_of_one_unit(found, found.columns["model"], found.columns["item"], values)


def several(labels: list[str]) -> list[tuple[str, str, str]]:
    return [*product(MODELS, [f"q{k}" for k in range(12)], labels)]


@pytest.mark.parametrize(
    ("third", "labels", "repeat"),
    [
        ("seed", ["x", "y", "z"], ["seed"]),
        ("phase", ["x", "y", "z"], ["phase"]),
        ("scorer", ["x", "y", "z"], ["scorer"]),
        ("metric", ["x", "y", "z"], None),
    ],
)
def test_boards_take_means_of_repeats_conditions_and_judges_but_not_of_measures(
    third: str, labels: list[str], repeat: list[str] | None
) -> None:
    read = board(several(labels), third)
    assert (named(read.repeat) if read is not None else None) == repeat
    assert read is None or (read.answers == (3, 3) and named(read.unit) == ["item"])
    single = board(several(["x"]), third)
    assert single is not None
    assert single.repeat == []


def test_a_part_of_the_unit_is_a_second_column_of_it() -> None:
    """Items are numbered anew within each topic, which is no benchmark; a task of fixed weight is one."""
    rows = [(m, i, t) for m, i, t in several(["oak", "elm", "fir"])]
    read = board(rows, "topic")
    assert read is not None
    assert (named(read.unit), read.anew, read.of) == (["item", "topic"], True, "'item' and 'topic'")
    assert not read.within
    tasks = board(rows, "dataset")
    assert tasks is not None
    assert (named(tasks.unit), named(tasks.task)) == (["item"], ["dataset"])
    assert tasks.of == "'item' of each 'dataset'"


def test_runs_in_columns_are_the_value_together() -> None:
    rows = several(["x"])
    table = {
        "model": [m for m, *_ in rows],
        "item": [i for _, i, _ in rows],
        **{f"run{k}": np.random.default_rng(k).integers(1, 6, len(rows)).tolist() for k in (1, 2)},
    }
    found = profile(**table)
    model, item, run = (found.columns[name] for name in ("model", "item", "run1"))
    read = board_of_one_unit(found, model, item, [run])
    assert read is not None
    assert named(read.values) == ["run1", "run2"]
    single = board(rows, "z")
    assert single is not None
    assert named(single.values) == ["score"]


def test_who_owns_a_column_has_several_rows_and_no_name_of_raters_or_repeats() -> None:
    def owned(name: str, labels: int) -> bool:
        rows = [(u, i) for u in range(labels) for i in range(4)]
        found = profile(group=["ab"[u % 2] for u, _ in rows], **{name: [f"u{u}" for u, _ in rows]})
        return owned_by(found, found.columns["group"])

    assert owned("talk", 5)
    assert not owned("talk", 4)
    assert not owned("run", 5)
    assert not owned("judge", 5)


@pytest.mark.parametrize(
    ("unit", "labels", "part", "parts", "anew"),
    [
        ("item", [1, 2], "z", ["x", "y"], True),
        ("item", ["q1", "q2"], "z", ["x", "y"], False),
        ("item", [1, 2], "z", [1, 2], False),
        ("item", ["q1", "q2"], "subject", ["x", "y"], True),
        ("item", ["q1", "q2"], "task", ["x", "y"], True),
    ],
)
def test_units_are_numbered_anew_in_texts_and_in_tasks(
    unit: str, labels: list[Any], part: str, parts: list[Any], anew: bool
) -> None:
    found = profile(**{unit: labels * 2, part: [*parts, *parts[::-1]]})
    assert is_numbered_anew(found.columns[unit], found.columns[part]) == anew


def clusters(**columns: Any) -> list[str]:
    """Columns that 80 battles of five items may depend on: each pair met several times."""
    rng = np.random.default_rng(9)
    a, b = rng.integers(0, 5, 80), rng.integers(0, 4, 80)
    b = (a + 1 + b) % 5
    names = ["ash", "birch", "cedar", "elm", "fir"]
    found = profile(
        a=[names[k] for k in a],
        b=[names[k] for k in b],
        winner=rng.choice(["a", "b"], 80),
        **columns,
    )
    return clusters_of_comparisons(found, found.columns["a"], found.columns["b"], ["winner"])


def turns(labels: int) -> list[str]:
    return [f"t{k % labels:02d}" for k in range(80)]


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        ({}, []),
        ({"judge": turns(5)}, ["judge"]),
        ({"judge": turns(4)}, []),
        ({"judge": turns(40)}, ["judge"]),
        ({"judge": turns(41)}, []),
        ({"z": turns(8)}, ["z"]),
        ({"z": turns(7)}, []),
        ({"z": [k % 8 for k in range(80)]}, []),
        ({"z_id": [k % 8 for k in range(80)]}, ["z_id"]),
        ({"score": turns(20)}, ["score"]),
        ({"age": [k % 20 for k in range(80)]}, []),
        ({"z": turns(8), "judge": turns(5)}, ["z", "judge"]),
        ({"z": turns(8), "judge": turns(9)}, ["judge", "z"]),
        ({"z": turns(8), "zz": turns(9)}, ["z", "zz"]),
        ({"z": turns(16), "zz": turns(9)}, ["zz", "z"]),
        ({"z": turns(8), "zz": turns(16)}, ["z"]),
        ({"judge": turns(6), "prompt": turns(10)}, ["prompt", "judge"]),
        ({"judge": turns(8), "prompt": turns(9), "z": turns(11)}, ["judge", "prompt"]),
    ],
)
def test_at_most_two_clusters_of_pairs_those_called_so_and_of_many_labels_first(
    columns: dict[str, Any], names: list[str]
) -> None:
    assert clusters(**columns) == names


def grouped(size: int, label: str = "group", **columns: Any) -> dict[str, Any]:
    """Rows of 24 persons, of one of two groups each, with a reading time."""
    rows = [(p, i) for p in range(24) for i in range(size)]
    return {
        "person": [f"p{p}" for p, _ in rows],
        label: [["control", "advice"][p % 2] for p, _ in rows],
        "words": (np.random.default_rng(10).integers(100, 300, len(rows)) / 2).tolist(),
        **{name: make(rows) for name, make in columns.items()},
    }


def test_groups_are_compared_by_rows_or_by_units_of_several_rows() -> None:
    rows = independent_groups(profile(**grouped(1)))
    assert rows is not None
    assert rows.unit is not None
    assert (rows.group.name, rows.unit.name, rows.several, rows.named) == (
        "group",
        "person",
        False,
        True,
    )
    units = independent_groups(profile(**grouped(3)))
    assert units is not None
    assert units.unit is not None
    assert (units.group.name, units.unit.name, units.several) == ("group", "person", True)
    assert independent_groups(profile(**grouped(1, "z", z2=lambda r: [1] * len(r)))) is not None
    met = profile(**grouped(2, "z", group=lambda rows: ["ab"[i] for _, i in rows]))
    found = independent_groups(met)
    assert found is None or found.group.name == "z"


def test_a_treatment_comes_before_other_groups_in_any_place() -> None:
    table = grouped(1, "kind", drug=lambda rows: ["xy"[p // 2 % 2] for p, _ in rows])
    for columns in (table, dict(reversed(table.items()))):
        found = independent_groups(profile(**columns))
        assert found is not None
        assert found.group.name == "drug"


def test_the_only_measure_beside_groups_is_what_they_are_compared_by() -> None:
    def measure(**columns: Any) -> str | None:
        found = profile(**grouped(1, **columns))
        column = only_measure(found, independent_groups(found))
        return column.name if column is not None else None

    assert measure() == "words"
    assert measure(row=lambda rows: [*range(1, 25)]) == "words"
    assert measure(z_id=lambda rows: [*range(100, 124)]) == "words"
    assert measure(letters=lambda rows: [p * 7 % 11 for p, _ in rows]) is None
    assert measure(remark=lambda rows: ["ab"[p % 3 // 2] for p, _ in rows]) is None
    assert only_measure(profile(**grouped(1)), None) is None
    two = profile(**(grouped(1) | {"words": [k % 3 // 2 for k in range(24)]}))
    assert only_measure(two, independent_groups(two)) is None


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["oak", "elm"], True),
        (["oak", "elm", "fir"], True),
        (["oak", "elm", "fir", "ash"], False),
        (["yes", "no"], False),
    ],
)
def test_the_only_column_of_few_labels_of_persons_tells_groups(
    labels: list[str], names: bool
) -> None:
    table = {
        "person": [f"p{k}" for k in range(24)],
        "z": [labels[k % len(labels)] for k in range(24)],
        "words": [k * 7 % 13 for k in range(24)],
    }
    for columns in (table, dict(reversed(table.items()))):
        found = independent_groups(profile(**columns))
        assert (found is not None) == names
        assert found is None or (found.group.name, found.named, found.several) == (
            "z",
            False,
            False,
        )
    two = independent_groups(profile(**table, zz=["uv"[k // 2 % 2] for k in range(24)]))
    assert two is None or not names


def test_classes_of_one_label_each_are_the_units() -> None:
    """Yes and no are answers, unless all persons of a class have one of them; a class is one of five or more."""

    def read(classes: int) -> Any:
        return independent_groups(
            profile(
                person=[f"p{k}" for k in range(24)],
                z=[["yes", "no"][k % classes % 2] for k in range(24)],
                room=[f"r{k % classes}" for k in range(24)],
                words=[k * 7 % 13 for k in range(24)],
            )
        )

    found = read(6)
    assert (found.group.name, found.unit.name, found.several, found.named) == (
        "z",
        "room",
        True,
        False,
    )
    assert read(4) is None


@pytest.mark.parametrize(
    ("unit", "missing", "repeat"),
    [("person", 0, ["story"]), ("person", 4, ["story"]), ("person", 5, None), ("item", 0, None)],
)
def test_persons_who_met_stories_of_either_source_are_units_of_a_board(
    unit: str, missing: int, repeat: list[str] | None
) -> None:
    """Fourteen stories, each of one source; seven of ten pairs of a person and a source are enough."""
    rows = [(p, k) for p in range(8) for k in range(14) if p >= missing or k % 2]
    found = profile(
        tone=[MODELS[k % 2] for _, k in rows],
        **{unit: [f"p{p}" for p, _ in rows]},
        story=[f"s{k}" for _, k in rows],
        score=np.random.default_rng(8).integers(1, 6, len(rows)),
    )
    tone, column, score = (found.columns[name] for name in ("tone", unit, "score"))
    read = board_of_one_unit(found, tone, column, [score])
    assert (named(read.repeat) if read is not None else None) == repeat


def test_a_board_of_one_column_of_models_and_none_of_two() -> None:
    found = profile(**rated(score=drawn(1, 6, 1)))
    board = find_board(found, outcome_columns(found))
    assert board is not None
    assert (board.model.name, named(board.unit), board.value.name) == ("model", ["item"], "score")
    two = profile(**rated(score=drawn(1, 6, 1), agent=[f"a{k}" for k in drawn(0, 3, 2)]))
    assert find_board(two, outcome_columns(two)) is None
    judged = profile(
        judge=[m for m, _ in RATED], item=[f"q{i}" for _, i in RATED], score=drawn(1, 6, 1)
    )
    assert find_board(judged, outcome_columns(judged)) is None


def test_answers_that_half_of_the_rows_lack_come_last() -> None:
    def order(lacking: int) -> list[str]:
        score = [None if k < lacking else x for k, x in enumerate(drawn(1, 6, 1))]
        return values(profile(**rated(score=score, zz=drawn(1, 6, 2))))

    assert order(18) == ["score", "zz"]
    assert order(19) == ["zz", "score"]
    rare = [0.5] * 4 + [1.0] * 32
    assert values(profile(**rated(score=rare, zz=drawn(1, 6, 2)))) == ["score", "zz"]
    assert values(profile(**rated(score=[0.5] * 3 + [1.0] * 33, zz=drawn(1, 6, 2)))) == [
        "zz",
        "score",
    ]


@pytest.mark.parametrize(("persons", "several"), [(16, True), (17, False)])
def test_persons_with_three_rows_for_two_labels_are_units_of_groups(
    persons: int, several: bool
) -> None:
    found = independent_groups(
        profile(
            person=[f"p{k % persons}" for k in range(24)],
            group=[["control", "advice"][k % persons % 2] for k in range(24)],
            words=[k * 7 % 13 for k in range(24)],
        )
    )
    assert (found.several if found is not None else False) == several


def test_of_several_other_answers_measures_are_told_first_then_parts_and_scorers() -> None:
    columns = {
        "metric": lambda rows: ["xyz"[t] for *_, t in rows],
        "topic": lambda rows: [["oak", "elm", "fir"][t] for *_, t in rows],
        "scorer": lambda rows: ["uvw"[t] for *_, t in rows],
        "phase": lambda rows: ["rst"[t] for *_, t in rows],
    }
    order = [*columns]
    while columns:
        found = crossed(6, 3, **dict(reversed(columns.items())))
        with pytest.raises(OtherAnswers) as raised:
            refuse_other_answers(found.table, cells_of(found))
        assert raised.value.column == order[-len(columns)]
        del columns[raised.value.column]


def test_runs_in_columns_are_three_or_two_that_are_called_so_of_one_scale() -> None:
    x, y, z = ([*map(float, np.random.default_rng(k).permutation(8))] for k in range(3))

    def alike(**columns: list[float]) -> list[str]:
        found = profile(**columns)
        return named(answers_alike(found, found.columns[next(iter(columns))]))

    assert alike(q1=x, q2=y, q3=z) == ["q1", "q2", "q3"]
    assert alike(q1=x, q2=y) == []
    assert alike(run1=x, run2=y) == ["run1", "run2"]
    assert alike(q1=x) == []
    commas = {"run 1, a": x, "run 2": y}
    assert alike(**commas) == []


def test_groups_of_three_labels_nest_people_and_a_unit_that_met_all_is_no_group() -> None:
    rows = [(p, i) for p in range(9) for i in range(4)]
    found = profile(
        group=["abc"[p % 3] for p, _ in rows],
        item=[f"q{i}" for _, i in rows],
        person=[f"p{p}" for p, _ in rows],
        score=[1 + (i * p) % 5 for p, i in rows],
    )
    cells = SourceCells(found, ["item"], ["group"], "score")
    assert "nested" in [reason.kind for reason in cells.within]


@pytest.mark.parametrize(
    ("shared", "of_unit", "kind"),
    [(2.0, 0.0, "part"), (0.0, 0.0, "repeat"), (2.0, 20.0, "repeat"), (0.0, 20.0, "repeat")],
)
@pytest.mark.parametrize("lost", [0, 1])
def test_labels_on_which_sources_agree_are_parts_of_units_that_do_not_differ_as_a_whole(
    shared: float, of_unit: float, kind: str, lost: int
) -> None:
    """Ten items answered under four labels by each of two models; an item without a name tells nothing."""
    rng = np.random.default_rng(4)
    rows = [*product(MODELS, range(10), range(4))]
    cell, unit = shared * rng.normal(size=(10, 4)), of_unit * rng.normal(size=10)
    answers = [cell[i, z] + unit[i] + rng.normal() for _, i, z in rows]
    found = profile(
        model=[m for m, *_ in rows] + [*MODELS] * lost,
        item=[f"q{i}" for _, i, _ in rows] + [None, None] * lost,
        z=["wxyz"[z] for *_, z in rows] + ["w", "w"] * lost,
        score=np.round([*answers, *[1e4, -1e4] * lost], 3),
    )
    assert kinds(found)["z"][0] == kind


def test_items_that_both_groups_met_leave_groups_to_persons_alone() -> None:
    table = grouped(1)
    table["words"] = [k * 7 % 13 for k in range(24)]
    alone = independent_groups(profile(**table))
    beside = independent_groups(
        profile(**table, item=[f"q{k}" for k in np.random.default_rng(3).integers(0, 9, 24)])
    )
    assert alone is not None
    assert beside is not None
    assert (alone.named, beside.named) == (True, False)


def test_sessions_within_stories_that_met_both_groups_tell_no_groups_apart() -> None:
    rows = [(session, k) for session in range(20) for k in range(3)]
    table = {
        "group": [["control", "advice"][s % 2] for s, _ in rows],
        "talk": [f"t{s}" for s, _ in rows],
        "words": (np.random.default_rng(10).integers(100, 300, 60) / 2).tolist(),
    }
    units = independent_groups(profile(**table))
    assert units is not None
    assert units.unit is not None
    assert (units.unit.name, units.several) == ("talk", True)
    within = independent_groups(profile(**table, story=[f"s{s // 2}" for s, _ in rows]))
    assert within is None or within.unit is None or within.unit.name != "talk"

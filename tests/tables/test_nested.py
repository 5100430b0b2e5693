"""Objects in JSON become columns, and lists of the answers of several people become rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import socialstats as ss
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.tables import Table, read_table
from socialstats.tables.nested import lists_of_answers

META = [
    {"text": "a", "meta": {"prompt_id": "p1", "of": {"model": "x"}}, "answer": "accept"},
    {"text": "b", "meta": {"prompt_id": "p1", "of": {"model": "y"}}, "answer": "reject"},
    {"text": "c", "meta": None, "answer": "accept"},
    {"text": "d", "meta": {}, "answer": "accept"},
]


def lines(path: Path, rows: list[Any]) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    return path


def held(table: Table) -> list[dict[str, Any]]:
    frame: Any = table.frame
    return [*frame.iter_rows(named=True)]


def rated(users: list[str] | None, values: list[int] | None, **more: Any) -> dict[str, Any]:
    return {"prompt_id": "p", "quality.responses": values, "quality.responses.users": users, **more}


def test_objects_become_columns_at_all_depths(tmp_path: Path) -> None:
    table = read_table(lines(tmp_path / "t.jsonl", META))
    assert table.columns == ("text", "meta.prompt_id", "meta.of.model", "answer", "meta")
    assert table.texts("meta.of.model") == ["x", "y", None, None]
    assert table.texts("meta") == [None] * 4
    (tmp_path / "t.json").write_text(json.dumps(META))
    assert held(read_table(tmp_path / "t.json")) == held(table)
    assert not table.entries


def test_objects_in_columns_of_lists_become_columns(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"id": [1, 2], "meta": [{"model": "x"}, {"model": "y"}]}))
    assert held(read_table(path)) == [
        {"id": "1", "meta.model": "x"},
        {"id": "2", "meta.model": "y"},
    ]


def test_a_column_named_twice_by_its_object_is_an_error(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", [{"meta.model": "x", "meta": {"model": "y"}}])
    with pytest.raises(InputError, match=r"two columns are called 'meta\.model'"):
        read_table(path)


@pytest.mark.parametrize(
    ("limits", "rows", "message"),
    [
        ("columns=3", [{"a": {"b": 1, "c": 2, "d": 3, "e": 4}}], "more than 3 columns"),
        ("columns=3", [{"a": {"b": 1, "c": 2}}, {"a": {"d": 1, "e": 2}}], "more than 3 columns"),
        ("name=5", [{"a": {"bcd": {"e": {"f": 1}}}}], "a name of more than 5 characters"),
        ("depth=3", [{"a": {"b": {"c": {"d": 1}}}}], "nested more than 3 deep"),
    ],
)
def test_limits_hold_for_objects(
    limits: str, rows: list[Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOCIALSTATS_LIMITS", limits)
    with pytest.raises(InputError, match=message):
        read_table(lines(tmp_path / "t.jsonl", rows))


def test_lists_of_answers_become_rows_and_it_is_said(tmp_path: Path) -> None:
    rows = [rated(["u", "v"], [4, 3]), rated(["u"], [5]), rated([], []), rated(None, None)]
    table = read_table(lines(tmp_path / "t.jsonl", rows))
    users, values = table.texts("quality.responses.users"), table.texts("quality.responses")
    assert (users, values) == (["u", "v", "u", None, None], ["4", "3", "5", None, None])
    assert table.entries == (
        "each entry of the lists in 'quality.responses' and 'quality.responses.users' is a row: 5 rows of 4 records"
    )
    assert table.places([0, 1, 2, 4]) == {0: 1, 1: 1, 2: 2, 4: 4}  # the lines of the file


def test_nested_lists_of_answers_become_rows(tmp_path: Path) -> None:
    rows = [{"id": k, "quality": {"values": [k, 1], "users": ["u", "v"]}} for k in range(4)]
    (tmp_path / "t.json").write_text(json.dumps(rows))
    table = read_table(tmp_path / "t.json")
    assert table.columns == ("id", "quality.values", "quality.users")
    assert table.places([0, 7]) == {0: 1, 7: 4}


def test_the_rows_read_say_what_they_were_made_of(tmp_path: Path) -> None:
    rows = [rated(["u", "v"], [k % 3, (k + 1) % 3], item=f"i{k}") for k in range(9)]
    path = lines(tmp_path / "t.jsonl", rows)
    design = ss.read_ratings(
        path, unit="item", rater="quality.responses.users", value="quality.responses"
    )
    assert (design.flow[0].rows, "18 rows of 9 records" in design.flow[0].note) == (18, True)


@pytest.mark.parametrize(
    "rows",
    [
        [{"tags": ["x", "y"]}],
        [{"tags": ["x", "y"], "users": ["u", "v"]}],  # no first part in common
        [{"choices.text": ["yes", "no"], "choices.label": ["A", "B"]}],
        [rated(["u", "v"], [4, 3]), rated(["u", "v"], [4])],
        [rated(["u", "u"], [4, 3])],
        [rated(["u", "v"], [4, 3], **{"quality.notes": [{"a": 1}, {"a": 2}]})],
        [rated(["u", "v"], [4, 3]), rated("u", 4)],  # type: ignore[arg-type]
        [
            rated(
                ["u", "v"],
                [4, 3],
                **{"style.responses": [1, 2], "style.responses.users": ["v", "u"]},
            )
        ],
    ],
)
def test_other_lists_stay_as_they_are(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    assert lists_of_answers(rows) == []
    table = read_table(lines(tmp_path / "t.jsonl", rows))
    assert (len(held(table)), table.entries) == (len(rows), "")


def test_several_questions_of_the_same_people_are_spread_together() -> None:
    row = rated(
        ["u", "v"], [4, 3], **{"style.responses": [1, 2], "style.responses.users": ["u", "v"]}
    )
    assert len(lists_of_answers([row])) == 4


def test_lists_make_no_more_cells_than_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = [f"u{k}" for k in range(300)]
    row = rated(users, [1] * 300, **{f"c{k}": "x" for k in range(300)})
    monkeypatch.setenv("SOCIALSTATS_LIMITS", "cells=50000")
    with pytest.raises(InputError, match="make more than 50,000 cells"):
        read_table(lines(tmp_path / "t.jsonl", [row]))


def test_empty_objects_make_no_table(tmp_path: Path) -> None:
    with pytest.raises(NothingToAnalyse, match="has no columns"):
        read_table(lines(tmp_path / "t.jsonl", [{}, {}]))


def test_several_files_say_it_of_each(tmp_path: Path) -> None:
    lines(tmp_path / "a.jsonl", [rated(["u", "v"], [4, 3])])
    lines(tmp_path / "b.jsonl", [rated(["u"], [5])])
    table = read_table(tmp_path)
    assert table.texts("quality.responses") == ["4", "3", "5"]
    assert [part.partition(":")[0] for part in table.entries.split("; ")] == ["a.jsonl", "b.jsonl"]


@pytest.mark.parametrize("who", ["user", "annotator_id", "completed_by"])
def test_objects_that_say_who_gave_them_become_rows(tmp_path: Path, who: str) -> None:
    entries = [
        {who: "ann", "result": [{"value": {"choices": ["calm"]}}]},
        {who: "ben", "result": []},
    ]
    path = tmp_path / "t.json"
    path.write_text(
        json.dumps(
            [{"id": 1, "said": entries}, {"id": 2, "said": []}, {"id": 3, "said": entries[:1]}]
        )
    )
    table = read_table(path)
    column = "said.result.value.choices"
    assert held(table) == [
        {"id": "1", f"said.{who}": "ann", column: "calm", "said.result": None},
        {"id": "1", f"said.{who}": "ben", column: None, "said.result": None},
        {"id": "3", f"said.{who}": "ann", column: "calm", "said.result": None},
    ]
    assert (
        table.entries
        == "each entry of the list in 'said' is a row: 3 rows of 3 records, and 1 record without "
        "entries left out"
    )
    assert table.places([1, 2]) == {1: 1, 2: 3}


def test_options_of_a_question_stay_a_list(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(
        json.dumps([{"id": k, "options": [{"id": "a"}, {"id": "b"}]} for k in range(3)])
    )
    assert len(held(read_table(path))) == 3


def test_records_within_an_object(tmp_path: Path) -> None:
    path, rows = tmp_path / "t.json", [{"item": k, "score": k % 2} for k in range(3)]
    path.write_text(json.dumps({"made": "2025-01-01", "meta": {"n": 3}, "rows": rows}))
    table = read_table(path)
    assert held(table) == [{"item": str(k), "score": str(k % 2)} for k in range(3)]
    assert table.entries == "the records are those of 'rows'"
    path.write_text(json.dumps({"results": {"version": 3, "results": rows}}))
    assert len(held(read_table(path))) == 3


def test_lists_of_records_by_key(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"alder": [{"item": 1, "ok": 1}], "birch": [{"item": 1, "ok": 0}]}))
    assert held(read_table(path)) == [
        {"list": "alder", "item": "1", "ok": "1"},
        {"list": "birch", "item": "1", "ok": "0"},
    ]


def test_two_lists_of_other_records_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"rows": [{"a": 1}], "notes": [{"b": 2}], "date": "x"}))
    with pytest.raises(InputError, match="not a list of values"):
        read_table(path)


def test_many_samples_of_few_runs_are_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    runs = [
        {"eval": {"model": m}, "samples": [{"id": k, "ok": k % 2} for k in range(20)]}
        for m in ("x", "y")
    ]
    path.write_text(json.dumps({"logs": runs}))
    rows = held(read_table(path))
    assert len(rows) == 40
    assert rows[21] == {"eval.model": "y", "samples.id": "1", "samples.ok": "1"}

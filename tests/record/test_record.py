"""The record tells what changed: a row that is gone, a number, a sentence; and it is the same twice."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import socialstats as ss
from tests.record.command import main
from tests.record.comparing import Difference, differences
from tests.record.entries import Entry, entry_of_call, entry_of_result, read, write
from tests.record.pages import entry_of_page
from tests.record.reports import report_entries

PAIRS = {"old": [1, 2, 2, 4, 3], "new": [2, 2, 5, 6, 3]}
HEAD = {"source": "here", "parts": ["metrics"], "case": "", "versions": {}}


def result() -> Any:
    return ss.paired_difference(PAIRS, first="new", second="old")


def told(before: Entry, after: Entry) -> list[Difference]:
    return [*differences({"c": before}, {"c": after})]


def of(changed: Any) -> list[Difference]:
    """What differs from the result as it is."""
    return told(entry_of_result("c", result()), entry_of_result("c", changed))


def with_row(**changes: Any) -> Any:
    """The result with another first row."""
    whole = result()
    return replace(
        whole, rows=(replace(whole.rows[0], **changes), *whole.rows[1:]), words="As before."
    )


def test_a_result_does_not_differ_from_the_same_one() -> None:
    assert of(result()) == []


def test_a_changed_number_is_told_with_its_size() -> None:
    estimate = result().rows[0].estimate
    (one,) = (one for one in of(with_row(estimate=estimate + 0.012)) if one.kind != "text")
    assert (one.kind, one.was, one.now) == ("number", estimate, estimate + 0.012)
    assert one.absolute == pytest.approx(0.012)
    assert one.relative == pytest.approx(0.012 / (estimate + 0.012))
    assert one.place.endswith(", estimate")


def test_rounding_is_told_apart() -> None:
    estimate = result().rows[0].estimate
    (one,) = (one for one in of(with_row(estimate=estimate * (1 + 1e-15))) if one.kind != "text")
    assert one.kind == "rounding"


def test_a_zero_that_is_no_longer_one_is_no_rounding() -> None:
    before, after = (Entry("c", (), {"gradient": size}) for size in (0.0, 1e-17))
    (one,) = told(before, after)
    assert (one.kind, one.relative) == ("number", 1.0)


def test_a_missing_row_is_told_by_its_key() -> None:
    whole = result()
    (gone,) = (one for one in of(replace(whole, rows=whole.rows[1:])) if one.kind == "missing")
    assert gone.place == f"row [{whole.rows[0].role}; {label_of(whole.rows[0])}]"


def label_of(row: Any) -> str:
    key = "; ".join(f"{dimension}={label}" for dimension, label in row.key)
    return key or " ".join(filter(None, (row.term, row.group)))


def test_a_changed_sentence_is_a_text() -> None:
    (one,) = of(replace(result(), words="Something else."))
    assert (one.kind, one.place, one.now) == ("text", "sentence", "Something else.")


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [("role", "effect_size", "name"), ("term", "shift", "text"), ("key", (("x", "y"),), "name")],
)
def test_a_row_that_has_another_name_is_the_same_row(name: str, value: Any, kind: str) -> None:
    changes = [one for one in of(with_row(**{name: value})) if one.place != "sentence"]
    assert [(one.kind, one.place.rpartition(", ")[2]) for one in changes] == [(kind, name)]


def test_rows_in_another_order_are_told_once() -> None:
    whole = replace(result(), words="As before.")
    turned = replace(whole, rows=whole.rows[::-1])
    assert [one.kind for one in told(*(entry_of_result("c", r) for r in (whole, turned)))] == [
        "order"
    ]


def test_an_error_in_place_of_a_result_is_told() -> None:
    wrong = entry_of_call("c", partial(ss.paired_difference, PAIRS, first="new", second="absent"))
    assert wrong.facts == {"error": "DesignError"}
    kinds = {one.kind for one in told(entry_of_result("c", result()), wrong)}
    assert kinds == {"missing", "new"}


def test_an_error_that_nobody_meant_is_told_and_does_not_end_the_record() -> None:
    entry = entry_of_call("c", lambda: 1 // 0)
    assert entry.facts == {"error": "unexpected ZeroDivisionError"}


def page(**changes: Any) -> dict[str, Any]:
    """A page of one block and one table."""
    table = {
        "number": "2",
        "caption": "Means",
        "header": ["Term", "Mean"],
        "cells": [["first", 1.5], ["second", 2.5]],
        "printed": [[None, "1.50"], [None, "2.50"]],
    } | changes
    return {"blocks": [{"id": "means", "sentences": ["Both differ."], "tables": [table]}]}


def of_pages(**changes: Any) -> list[Difference]:
    return told(entry_of_page("c", page()), entry_of_page("c", page(**changes)))


def test_a_cell_of_a_page_is_known_by_row_and_column() -> None:
    (one,) = of_pages(cells=[["first", 1.5], ["second", 2.25]])
    assert one.place == "blocks.means.tables.0[second, Mean]"
    assert (one.kind, one.was, one.now) == ("number", 2.5, 2.25)


def test_cells_with_other_labels_are_paired_in_their_order() -> None:
    changes = of_pages(cells=[["first", 1.5], ["last", 2.25]])
    assert {one.kind for one in changes} == {"label", "number", "text"}
    (one,) = (one for one in changes if one.kind == "number")
    assert (one.was, one.now) == (2.5, 2.25)


def test_a_row_of_a_table_that_is_gone_is_missing() -> None:
    changes = of_pages(cells=[["first", 1.5]], printed=[[None, "1.50"]])
    assert {one.kind for one in changes} == {"missing"}


def test_the_command_prints_differences_and_ends_with_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    estimate = result().rows[0].estimate
    records = {
        "before": result(),
        "again": result(),
        "rounded": with_row(estimate=estimate * (1 + 1e-15)),
        "after": with_row(estimate=2 * estimate),
    }
    paths = {}
    for name, found in records.items():
        paths[name] = tmp_path / f"{name}.gz"
        write(paths[name], HEAD, [replace(entry_of_result("c", found), texts={})])
    compare = {name: ["compare", str(paths["before"]), str(path)] for name, path in paths.items()}
    assert paths["before"].read_bytes() == paths["again"].read_bytes()
    assert main(compare["again"]) == 0
    assert main(compare["rounded"]) == 0
    assert "1 difference of rounding" in capsys.readouterr().out
    assert main([*compare["rounded"], "--exact"]) == 1
    assert main(compare["after"]) == 1
    assert f"was {estimate!r}, is {2 * estimate!r}" in capsys.readouterr().out


@pytest.mark.slow
def test_a_record_of_some_cases_has_those(tmp_path: Path) -> None:
    out = tmp_path / "some.gz"
    assert main(["write", str(out), "--metrics", "--case", "by, mcnemar"]) == 0
    head, entries = read(out)
    assert head["parts"] == ["metrics"]
    assert [*entries] == ["by, mcnemar, even", "by, mcnemar, odd"]
    assert all(entry.rows for entry in entries.values())


@pytest.mark.slow
def test_a_page_of_the_command_line_is_the_same_twice() -> None:
    for table in ("choices", "accuracy"):  # a page, and an error with proposals
        one, other = ([*report_entries(f"data/{table}.csv")] for _ in range(2))
        assert one == other
        assert any(entry.rows for entry in one) or "error" in one[0].texts

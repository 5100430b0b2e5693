"""Forms for people: what they are shown, the rows that their answers make, and files that must not be mixed."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from socialstats.cli import main
from socialstats_collect.ask import Ask, Reply
from socialstats_collect.design import RunDesign
from socialstats_collect.forming import GENERATOR, form_data, page, parts_of
from socialstats_collect.people import people_rows, questions
from socialstats_collect.runfile import read_runfile
from tests.collect.mock import answer
from tests.collect.server import serving

SAID = {  # how a model gives the same answer
    "norm-goal": '{{"action": "{}"}}',
    "ordinal": "{}",
    "pairwise-roles": '{{"Answer": "{}"}}',
    "template": '{{"Answer": "{}"}}',
    "who-is-right": "{}",
}
APART = {"rule", "reply_text", "model", "source", "rater", "prompt", "prefix"}


def started(name: str, folder: Path) -> Path:
    assert main(["collect", "--new", name, str(folder)]) == 0
    return folder / "run.toml"


def design_of(name: str, folder: Path) -> RunDesign:
    return read_runfile(started(name, folder)).design


def answers(
    data: dict[str, Any], rater: str, which: int = 0, saved_at: str = "1", who: str = ""
) -> list[Any]:
    """What the page saves where a rater always takes the same place among the choices."""
    return [
        {
            "item_id": one["item_id"],
            "rater": rater,
            data["column"]: one["choices"][which][0],
            "form_id": data["form_id"],
            "option_order": one["option_order"],
            "question_id": one["question_id"],
            "answered_at": "2026-01-01T10:00:00Z",
            "rater_id": who or f"id of {rater}",
            "saved_at": saved_at,
        }
        for one in data["questions"]
    ]


def write(path: Path, rows: list[Any]) -> Path:
    path.write_text(json.dumps(rows))
    return path


def filled_in(path: Path, column: str, words: bool, rater: str = "ann") -> None:
    """Write the first choice of each question into a table, in its words, as a person would."""
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    for row in rows:
        first = row["choices_shown"].split(" | ")[0]
        row |= {"rater": rater, column: first if words else first.partition(":")[0]}
    with path.open("w", newline="") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)


@pytest.mark.parametrize("name", SAID)
def test_people_see_the_words_and_orders_of_the_models(name: str, tmp_path: Path) -> None:
    design = design_of(name, tmp_path)
    data = form_data(design)
    first = {
        unit.item_id: unit for unit in reversed(list(design.units()))
    }  # the first cell of each item
    assert [one["item_id"] for one in data["questions"]] == [item.id for item in design.items]
    for one in data["questions"]:
        unit = first[one["item_id"]]
        assert one["option_order"] == unit.factors.get("order", "")
        assert not re.search(r"JSON|[Rr]eply|\{|\([AB]\)|1\)", one["text"])
        sent = design.protocol.asked(unit)
        places = [
            sent.index(words, sent.rindex(one["text"][-15:].strip()[:12]))
            for _, words in one["choices"]
        ]
        assert places == sorted(places)
    assert len({one["question_id"] for one in data["questions"]}) == len(design.items)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n == "who-is-right")) for n in SAID]
)
def test_an_answer_makes_the_row_of_a_model_that_answers_the_same(
    name: str, tmp_path: Path
) -> None:
    design = design_of(name, tmp_path)
    for question in [one for any_order in questions(design) for one in any_order.orders()][:24]:
        assert question.row("an answer that is no option") is None
        for choice in (*question.choices, None):
            content = SAID[name].format(choice.label) if choice else ""
            reply = Reply(key="", status="ok" if content else "empty", content=content)
            (same,) = design.protocol.rows(
                question.unit, [(Ask(model="human", messages=()), reply)]
            )
            value, words = (str(choice.value), choice.words) if choice else ("", "")
            row = question.row(value)
            assert row is not None
            assert question.row(words) == row
            assert {k: v for k, v in row.items() if k not in APART} == {
                k: v for k, v in same.items() if k not in APART
            }
            assert row["model"] == "human"
            assert row["answer_status"] == ("ok" if choice else "empty")
            assert str(row[design.protocol.column] if choice else "") == value


@pytest.mark.parametrize("name", SAID)
def test_tables_filled_in_and_forms_give_the_same_rows(name: str, tmp_path: Path) -> None:
    run = started(name, tmp_path / "run")
    design, table = read_runfile(run).design, tmp_path / "people.csv"
    assert main(["form", str(run), "--csv", str(table)]) == 0
    assert not run.with_suffix(".form.html").exists()
    filled_in(table, design.protocol.column, words=True)
    by_hand, _ = people_rows(design, table)
    by_form, notes = people_rows(
        design, write(tmp_path / "form.json", answers(form_data(design), "ann"))
    )
    assert notes[0].startswith(
        f"{len(design.items)} rows of people, 1 rater, about {len(design.items)} items"
    )
    assert by_hand == [
        {name: value for name, value in row.items() if name != "answered_at"} for row in by_form
    ]


def test_an_order_that_nobody_wrote_down_is_not_in_the_table(tmp_path: Path) -> None:
    design = design_of("pairwise-roles", tmp_path / "run")
    (tmp_path / "people.csv").write_text("item_id,rater,choice,age\nd1-11,p,aunt,30\n")
    ((row,), _) = people_rows(design, tmp_path / "people.csv")
    assert (row["choice"], row["role_a"], row["role_b"], row["age"]) == (
        "aunt",
        "nurse",
        "aunt",
        "30",
    )
    assert row["option_order"] is row["first"] is row["letter"] is row["prefix"] is None
    (tmp_path / "people.csv").write_text(
        "item_id,rater,choice,option_order\nd1-11,p,aunt,c first\n"
    )
    with pytest.raises(
        ValueError, match="1 answer to other words or options than this run has: 'd1-11'"
    ):
        people_rows(design, tmp_path / "people.csv")


def test_a_file_of_another_design_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    design = design_of("ordinal", tmp_path / "run")
    given = answers(form_data(design), "ann")
    items = tuple(
        replace(item, columns={**item.columns, "text": f"{item.columns['text']} Always."})
        for item in design.items
    )
    with pytest.raises(
        ValueError,
        match=r"form.json: 8 answers to other words .* than this run has: 'r01'.*another design",
    ):
        people_rows(replace(design, items=items), write(tmp_path / "form.json", given))
    with pytest.raises(
        ValueError, match="1 answer to other words or options than this run has: 'r08'"
    ):
        people_rows(replace(design, items=(*design.items[:7], items[7])), tmp_path / "form.json")
    other = form_data(design_of("norm-goal", tmp_path / "other"))
    strange = [{**one, "answer": "A"} for one in answers(other, "bob")]
    (tmp_path / "both").mkdir()
    write(tmp_path / "both" / "ann.json", given)
    write(tmp_path / "both" / "bob.json", strange)
    with pytest.raises(ValueError, match=r"bob.json: 12 answers to other words"):
        people_rows(design, tmp_path / "both")


def test_items_that_were_renamed_or_taken_out_are_found_or_left_out(tmp_path: Path) -> None:
    design = design_of("ordinal", tmp_path / "run")
    form = write(tmp_path / "form.json", answers(form_data(design), "ann"))
    items = (replace(design.items[0], id="new"), *design.items[1:7])
    rows, notes = people_rows(replace(design, items=items), form)
    assert [row["item_id"] for row in rows] == ["new", *(f"r0{k}" for k in range(2, 8))]
    assert notes == [
        "7 rows of people, 1 rater, about 7 items; 1 row about other items left out; "
        "1 answer found again by content"
    ]


def test_the_same_rater_counts_once_and_two_raters_of_one_alias_are_refused(tmp_path: Path) -> None:
    design, folder = design_of("ordinal", tmp_path / "run"), tmp_path / "back"
    data = form_data(design)
    folder.mkdir()
    write(folder / "ann.json", answers(data, "ann", 0, "2026-01-01T10:00:00Z"))
    write(folder / "ann (1).json", answers(data, "ann", 4, "2026-01-01T11:00:00Z"))
    write(folder / "bob.json", answers(data, "bob", 2))
    rows, notes = people_rows(design, folder)
    assert Counter(row["rater"] for row in rows) == {"ann": 8, "bob": 8}
    assert notes[1:] == ["ann.json left out: ann (1).json is of the same rater, and later"]
    assert all(
        row["answer"] == ("A" if row["option_order"] == "falling" else "E")
        for row in rows
        if row["rater"] == "ann"
    )
    write(folder / "x.json", answers(data, "bob", 1, who="somebody else"))
    with pytest.raises(
        ValueError,
        match=r"x.json: 'bob' is another rater in bob.json. Change 'rater' in one of them",
    ):
        people_rows(design, folder)
    (folder / "x.json").unlink()
    (folder / "a.csv").write_text("item_id,rater,answer\nr01,cy,A\n")
    (folder / "b.csv").write_text("item_id,rater,answer\nr02,cy,A\nr01,cy,B\n")
    with pytest.raises(
        ValueError, match=r"b.csv line 3: 'cy' answered 'r01' in a.csv line 2 already"
    ):
        people_rows(design, folder)


@pytest.mark.parametrize(
    "damage", ["[1]", '[{"item_id": "r01"}]', '[{"item_id": "r01", "rater": "a", "answer', "[]"]
)
def test_damaged_files_are_named(damage: str, tmp_path: Path) -> None:
    design = design_of("ordinal", tmp_path / "run")
    (tmp_path / "form.json").write_text(damage)
    with pytest.raises(ValueError, match=r"form\.json"):
        people_rows(design, tmp_path / "form.json")


def test_a_form_replaces_nothing_but_a_form(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = started("ordinal", tmp_path)
    form, table = str(tmp_path / "form.html"), str(tmp_path / "people.csv")
    assert main(["form", str(run), "-o", form, "--csv", table]) == 0
    assert main(["form", str(run), "-o", form]) == 0
    for one in (
        ["-o", str(run)],
        ["--csv", str(tmp_path / "items.csv")],
        ["-o", str(tmp_path)],
        ["--csv", table],
    ):
        before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
        assert main(["form", str(run), *one]) == 2
        assert re.search("would (replace|be written over)|is a folder", capsys.readouterr().err)
        assert before == {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}


def test_texts_of_items_are_data_of_the_page(tmp_path: Path) -> None:
    design = design_of("template", tmp_path)
    nasty = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)>"
    items = (replace(design.items[0], columns={"text": nasty}), *design.items[1:])
    text = page(form_data(replace(design, items=items))).decode()
    assert GENERATOR in text
    assert text.count("<script") == 2
    assert "<img" not in text
    assert not re.search(r"https?:|innerHTML|\beval\b|<[^>]* on\w+=", text)
    (held,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert json.loads(held)["questions"][0]["text"].startswith(nasty)


def test_questions_are_shared_out_evenly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for n, raters, each in ((12, 7, 5), (8, 3, 8), (10, 4, 1)):
        parts = parts_of(n, raters, each, seed=3)
        times = Counter(place for part in parts for place in part)
        assert all(len(set(part)) == each for part in parts)
        assert max(times.values()) - min(times[place] for place in range(n)) <= 1
        assert (
            parts == parts_of(n, raters, each, seed=3) != parts_of(n, raters, each, seed=4)
            or n == each
        )
    run = started("ordinal", tmp_path)
    table = tmp_path / "people.csv"
    assert main(["form", str(run), "--csv", str(table), "--raters", "4", "--per-rater", "2"]) == 0
    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    assert Counter(row["rater"] for row in rows) == {f"rater {k}": 2 for k in range(1, 5)}
    assert main(["form", str(run), "--raters", "4", "--per-rater", "9"]) == 2
    assert "1 to 8 questions each" in capsys.readouterr().err


def test_words_for_people_may_change_without_asking_models_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = started("norm-goal", tmp_path)
    with serving(answer) as server:
        assert main(["collect", str(run), "--base-url", server.url]) == 0
        earlier = answers(form_data(read_runfile(run).design), "ann")
        text = tmp_path / "texts" / "people.txt"
        text.write_text(text.read_text().replace("What do you do?", "What is done?"))
        assert main(["collect", str(run), "--base-url", server.url]) == 0
        assert len(server.bodies) == 120
    folder = tmp_path / "back"
    folder.mkdir()
    write(folder / "ann.json", earlier)
    write(folder / "bob.json", answers(form_data(read_runfile(run).design), "bob"))
    capsys.readouterr()
    table = tmp_path / "table.csv"
    assert (
        main(["tidy", str(tmp_path / "run.log.jsonl"), "-o", str(table), "--people", str(folder)])
        == 0
    )
    assert (
        "people were shown 2 forms: compare them by the column form_id" in capsys.readouterr().err
    )
    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    assert Counter(row["source"] for row in rows) == {"model-one": 60, "model-two": 60, "human": 24}


def test_the_orders_on_record_are_shown_where_items_came_later(tmp_path: Path) -> None:
    run = started("ordinal", tmp_path)
    shown = {one["item_id"]: one for one in form_data(read_runfile(run).design)["questions"]}
    with serving(answer) as server:
        assert main(["collect", str(run), "--base-url", server.url]) == 0
    items = tmp_path / "items.csv"
    items.write_text(items.read_text() + "".join(f"x{k},Rule {k}.,public\n" for k in range(20)))
    form = tmp_path / "form.html"
    assert main(["form", str(run), "-o", str(form)]) == 0
    (held,) = re.findall(r'id="data">(.*?)</script>', form.read_text(), re.S)
    now = {one["item_id"]: one for one in json.loads(held)["questions"]}
    assert len(now) == 28
    assert {name: now[name] for name in shown} == shown


def test_free_texts_are_not_asked_of_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = started("template", tmp_path)
    run.write_text(re.sub("protocol = .*", 'protocol = "template"', run.read_text()))
    assert main(["form", str(run)]) == 2
    assert "asks nothing of people. A template needs a text 'people'" in capsys.readouterr().err
    assert main(["form", str(started("staged-values", tmp_path / "play"))]) == 2

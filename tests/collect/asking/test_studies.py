"""From a run file to a page: every protocol as `collect --new` writes it, two models, people where they are asked."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from socialstats.cli import main
from tests.collect.mock import TRAITS, answer
from tests.collect.server import serving

UNITS = {
    "norm-goal": 120,
    "ordinal": 48,
    "pairwise-roles": 144,
    "staged-values": 10,
    "who-is-right": 72,
}
PEOPLE = {
    "norm-goal": ("action", ("comply", "deviate", "escalate")),
    "ordinal": ("answer", tuple("ABCDE")),
}


def started(name: str, folder: Path) -> Path:
    assert main(["collect", "--new", name, str(folder)]) == 0
    return folder / "run.toml"


def read(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text())))


def asked(path: Path, *more: str) -> int:
    with serving(answer) as server:
        return main(["collect", str(path), "--base-url", server.url, *more])


def people(name: str, folder: Path, n: int = 6) -> Path:
    """Answers of some people to all items, drawn."""
    rng, (column, labels) = random.Random(name), PEOPLE[name]
    items = [row["item_id"] for row in read(folder / "items.csv")]
    rows = [
        f"{item},person {p},{rng.choice(labels)},{'wm'[p % 2]}" for item in items for p in range(n)
    ]
    path = folder / "people.csv"
    path.write_text("\n".join([f"item_id,rater,{column},gender", *rows]) + "\n")
    return path


def tidied(
    folder: Path, capsys: pytest.CaptureFixture[str], *more: str
) -> tuple[list[dict[str, str]], list[str], str]:
    """The table, the report that ``tidy`` proposes, and what it said."""
    capsys.readouterr()
    assert (
        main(["tidy", str(folder / "run.log.jsonl"), "-o", str(folder / "table.csv"), *more]) == 0
    )
    said = capsys.readouterr().err
    (proposed,) = re.findall("next: socialstats (.*)", said)
    return read(folder / "table.csv"), shlex.split(proposed), said


@pytest.mark.parametrize(
    "name", ["ordinal", "pairwise-roles", pytest.param("staged-values", marks=pytest.mark.slow)]
)
def test_the_proposed_report_can_be_made(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked(started(name, tmp_path)) == 0
    beside = ["--people", str(people(name, tmp_path))] if name in PEOPLE else []
    _, (_, *proposed), _ = tidied(tmp_path, capsys, *beside)
    assert main(["check", *proposed]) == 0
    assert f"report      study {proposed[2]} runs" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("name", UNITS)
def test_from_a_new_folder_to_the_page(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = started(name, tmp_path)
    assert asked(path, "--dry-run") == 0
    assert (
        f"{UNITS[name]} units, 0 finished before, {UNITS[name]} to ask" in capsys.readouterr().out
    )
    assert asked(path) == 0
    assert f"{UNITS[name]} units planned, {UNITS[name]} asked" in capsys.readouterr().out
    assert asked(path, "--dry-run") == 0
    assert (
        f"{UNITS[name]} units, {UNITS[name]} finished before, 0 to ask" in capsys.readouterr().out
    )
    beside = ["--people", str(people(name, tmp_path))] if name in PEOPLE else []
    rows, proposed, said = tidied(tmp_path, capsys, *beside)
    assert f"from {UNITS[name]} units" in said
    assert "to ask" not in said
    assert {row["model"] for row in rows} == {
        "model-one",
        "model-two",
        *(["human"] if beside else []),
    }
    page = tmp_path / "page.html"
    code = main([*proposed, "--no-verify", "-q", "-o", str(page)])
    assert code == 0, capsys.readouterr().err
    text = page.read_text()
    assert all(model in text for model in ("model-one", "model-two"))
    if beside:
        assert {row["source"] for row in rows} == {"model-one", "model-two", "human"}
        assert "6 human" in text or "human" in text
    if name == "staged-values":
        assert "2 neutral texts" in text or "balanced 1" in text
        assert "no control texts" not in text


def test_two_models_are_two_sources(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(started("norm-goal", tmp_path)) == 0
    rows, _, said = tidied(tmp_path, capsys, "--people", str(people("norm-goal", tmp_path)))
    assert "72 rows of people, 6 raters, about 12 items" in said
    raters: dict[str, set[str]] = {}
    for row in rows:
        raters.setdefault(row["source"], set()).add(row["rater"])
    assert {source: len(own) for source, own in raters.items()} == {
        "model-one": 5,
        "model-two": 5,
        "human": 6,
    }
    assert Counter(row["domain"] for row in rows if row["source"] == "human") == {
        "advertising": 36,
        "hiring": 36,
    }


BAD = {
    "another answer": (
        "a1-none,p,maybe",
        "line 2: action 'maybe' is not one of comply, deviate, escalate",
    ),
    "twice": (
        "a1-none,p,comply\na1-none,p,comply",
        "line 3: 'p' answered 'a1-none' in line 2 already",
    ),
    "nobody": ("a1-none,,comply", "line 2: no rater"),
    "no item": ("zz,p,comply", "no answer to an item of this run"),
}


def test_people_are_joined_by_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = started("norm-goal", tmp_path)
    path.write_text(path.read_text().replace("replicates = 5", "replicates = 1"))
    assert asked(path) == 0
    given = tmp_path / "people.csv"
    tidy = ["tidy", str(tmp_path / "run.log.jsonl"), "--people", str(given)]
    for text, words in BAD.values():
        given.write_text(f"item_id,rater,action\n{text}\n")
        assert main(tidy) in {2, 3}
        assert words in capsys.readouterr().err
    given.write_text("item_id,rater,action,domain\na1-none,p,comply,sales\n")
    assert main(tidy) == 2
    assert "domain is 'sales', in the items of the run 'advertising'" in capsys.readouterr().err
    given.write_text("item_id,rater,action\na1-none,p,comply\nzz,p,comply\nh1-none,p,\n")
    assert main(tidy) == 0
    said = capsys.readouterr()
    assert "2 rows of people, 1 rater, about 2 items; 1 row about other items left out" in said.err
    assert len(said.out.splitlines()) == 1 + 24 + 2


def test_nobody_is_asked_to_play_stages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = started("staged-values", tmp_path)
    assert asked(path) == 0
    assert (
        main(["tidy", str(path.with_suffix(".log.jsonl")), "--people", str(tmp_path / "items.csv")])
        == 2
    )
    assert "asks nothing of people" in capsys.readouterr().err


def test_planned_asked_and_left_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = started("staged-values", tmp_path)
    text = path.read_text()
    path.write_text(
        text.replace("max_calls = 1000", "max_calls = 30").replace(
            "concurrency = 8", "concurrency = 1"
        )
    )
    assert asked(path) == 1
    said = capsys.readouterr()
    assert "9 of 10 units are not finished" in said.err
    assert "10 units planned, 2 asked" in said.out
    assert asked(path, "--dry-run") == 0
    said = capsys.readouterr()
    assert "10 units, 1 finished before, 9 to ask (1 of them begun)" in said.out
    assert "4 items of them control texts" in said.out
    assert (
        "1 of 10 planned units are finished, 9 to ask (8 of them never asked)"
        in tidied(tmp_path, capsys)[2]
    )
    path.write_text(text)
    assert asked(path) == 0
    assert "10 units, 1 finished before, 9 to ask (1 of them begun)" in capsys.readouterr().err
    note = tidied(tmp_path, capsys)[2]
    assert "from 10 units" in note
    assert "to ask" not in note


def test_what_the_run_file_no_longer_plans_is_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = started("who-is-right", tmp_path)
    path.write_text(path.read_text().replace('"balanced"', '"fixed"'))
    assert asked(path) == 0
    path.write_text(
        path.read_text().replace('"model-one", "model-two"', '"model-two", "model-three"')
    )
    items = (tmp_path / "items.csv").read_text()
    (tmp_path / "items.csv").write_text(items.replace("topic", "theme").replace("q1-CP", "q0-CP"))
    capsys.readouterr()
    assert asked(path) == 0
    assert "1 item found again by content: 'q1-CP' is now 'q0-CP'" in capsys.readouterr().err
    rows, _, said = tidied(tmp_path, capsys)
    assert "108 units" in said
    assert Counter(row["model"] for row in rows) == {
        "model-one": 36,
        "model-two": 36,
        "model-three": 36,
    }
    assert {row["model"] for row in rows if row["item_id"] == "q0-CP"} == {
        "model-one",
        "model-two",
        "model-three",
    }
    assert all(row["theme"] for row in rows)


@pytest.mark.slow
def test_every_text_is_the_author_s(tmp_path: Path) -> None:
    """Each text of each protocol is changed in its file, and the changed one is sent, or shown to people alone."""
    marks: dict[str, int] = {}
    shown = ""
    for name in (*UNITS, "template"):
        path = started(name, tmp_path / name)
        for text in (path.parent / "texts").iterdir():
            lines = text.read_text().splitlines()
            mark = f"[{name} {text.stem}]"
            lines[0] = (
                lines[0].replace(": ", f": {mark} ", 1)
                if ": " in lines[0]
                else f"{lines[0]} {mark}"
            )
            text.write_text("\n".join(lines) + "\n")
            marks[mark] = 0
        path.write_text(path.read_text().replace("max_calls = 1000", "max_calls = 150"))

        def script(body: dict[str, Any], before: int) -> Any:
            sent = "\n".join(message["content"] for message in body["messages"])
            for mark in marks:
                marks[mark] += mark in sent
            if "Who is right?" in sent:
                body = {**body, "messages": [{"content": "no answer"}]}
            return answer(body, before)

        with serving(script) as server:
            main(["collect", str(path), "--base-url", server.url])
        if name != "staged-values":
            assert main(["form", str(path)]) == 0
            shown += path.with_suffix(".form.html").read_text()
    people = [mark for mark in marks if "people" in mark]
    assert len(marks) - len(people) == 2 + 2 + 5 + 4 + 5 + 1
    assert [mark for mark, sent in marks.items() if not sent] == people
    assert len(people) == sum(mark in shown for mark in people) == 5


TEXTS = {
    "unknown": ('texts = { promt = "x" }', "has no text 'promt'. Did you mean 'prompt'?"),
    "column": ('texts = { prompt = "{sory} {option_a}" }', "needs a column 'sory'"),
    "no order": (
        'texts = { prompt = "{prefix}{story}" }',
        "the prompt shows no options whose order could be balanced",
    ),
    "both": (
        'template = "x {option_a}"\ntexts = { prompt = "x" }',
        "both 'template' and a text 'prompt'",
    ),
    "no folder": ('texts = "words"', "words: No such file or directory"),
    "empty": ('texts = { prompt = " " }', "text 'prompt' is empty"),
}


@pytest.mark.parametrize(("line", "words"), TEXTS.values(), ids=TEXTS)
def test_texts_that_cannot_be_used(
    line: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = started("pairwise-roles", tmp_path)
    path.write_text(re.sub("(?m)^texts = .*$", lambda _: line, path.read_text()))
    assert main(["collect", str(path), "--dry-run"]) == 2
    assert words in capsys.readouterr().err


def test_a_template_keeps_the_ladder_and_is_refused_where_there_are_several_texts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = started("who-is-right", tmp_path / "who")
    path.write_text(
        'template = "{text} 1) {option_1} 2) {option_2}"\n'
        + path.read_text().replace("texts =", "# ")
    )
    assert main(["collect", str(path), "--dry-run"]) == 0
    items = (tmp_path / "who" / "items.csv").read_text().splitlines(keepends=True)
    (tmp_path / "who" / "items.csv").write_text("".join(items[:5]))
    with serving(lambda body, _: answer({**body, "messages": [{"content": "x"}]}, 0)) as server:
        assert main(["collect", str(path), "--base-url", server.url]) == 0
    rows, _, _ = tidied(tmp_path / "who", capsys)
    assert {row["wordings_tried"] for row in rows} == {"5"}
    path = started("staged-values", tmp_path / "staged")
    path.write_text('template = "{text}"\n' + path.read_text())
    assert main(["collect", str(path), "--dry-run"]) == 2
    assert "protocol staged-values has no text 'prompt'" in capsys.readouterr().err


def test_forms_rungs_and_stages_of_the_author_s_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = started("ordinal", tmp_path / "a")
    (tmp_path / "a" / "texts" / "form_mine.txt").write_text("- {share} ({meaning}) is {letter}\n")
    (tmp_path / "a" / "texts" / "options.txt").write_text(
        "few: 1 in 10\nhalf: 5 in 10\nmost: 9 in 10\n"
    )
    path.write_text(
        path.read_text()
        .replace('["options", "described", "table"]', '["mine"]')
        .replace("balanced", "fixed")
    )
    with serving(lambda *_: answer({"model": "m", "messages": [{"content": "x"}]}, 0)) as server:
        assert main(["collect", str(path), "--base-url", server.url]) == 0
        assert "- few (1 in 10) is A\n- half (5 in 10) is B\n- most (9 in 10) is C\n" in next(
            iter(server.seen)
        )
    assert "--levels A,B,C" in tidied(tmp_path / "a", capsys)[2]
    path = started("who-is-right", tmp_path / "b")
    (tmp_path / "b" / "texts" / "rung_6.txt").write_text("{question} Please.\n")
    assert main(["collect", str(path), "--dry-run"]) == 2
    assert "rungs are numbered rung_1, rung_2, ... without a gap" in capsys.readouterr().err
    path = started("staged-values", tmp_path / "c")
    path.write_text(path.read_text().replace("stages = 4", "stages = 2"))
    assert asked(path) == 0
    stages = {row["stage"] for row in tidied(tmp_path / "c", capsys)[0]}
    assert stages == {"baseline", "stage 1", "stage 2", "debrief"}


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    started("ordinal", tmp_path)
    assert main(["collect", "--new", "ordinal", str(tmp_path)]) == 2
    assert "would be overwritten" in capsys.readouterr().err
    assert main(["collect", "--new", "ordnal", str(tmp_path / "x")]) == 2
    assert "no protocol 'ordnal'" in capsys.readouterr().err
    assert main(["collect"]) == 2
    assert "--new PROTOCOL FOLDER" in capsys.readouterr().err


def test_control_texts_are_no_stage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    traits = ",".join(TRAITS)
    rows = [f"m,s1,{stage},j,{','.join('9' * 10)}" for stage in ("baseline", "stage 1", "control")]
    (tmp_path / "old.csv").write_text(
        "\n".join([f"model,scenario,stage,judge,{traits}", *rows]) + "\n"
    )
    assert main(["check", str(tmp_path / "old.csv"), "--study", "staged-values"]) == 2
    assert "control texts are no stage. Leave them out (--exclude)" in capsys.readouterr().err


def test_wordings_may_share_a_baseline_and_a_factor_is_named_in_a_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = started("staged-values", tmp_path)
    header, first, *_ = (tmp_path / "items.csv").read_text().splitlines(keepends=True)
    again = first.replace("library,library,1", "library 2,library,2").replace(
        "You head", "You lead"
    )
    (tmp_path / "items.csv").write_text(header + first + again)
    path.write_text(
        path.read_text().replace("[factors]", '[factors]\npersona = ["a nurse", "a baker"]')
    )
    assert main(["collect", str(path), "--dry-run"]) == 2
    assert (
        "no text names the factor 'persona'. Write {persona} where its levels belong."
        in capsys.readouterr().err
    )
    play = tmp_path / "texts" / "role_play.txt"
    play.write_text("You are {persona}. " + play.read_text())
    assert asked(path) == 0
    steps = Counter(
        line["step"]
        for line in map(json.loads, (tmp_path / "run.log.jsonl").read_text().splitlines())
        if "step" in line
    )
    assert steps["baseline"] == steps["stage 1"] == 8
    assert Counter(row["persona"] for row in tidied(tmp_path, capsys)[0]) == {
        "a nurse": 72,
        "a baker": 72,
    }

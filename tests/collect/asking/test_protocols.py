"""Each protocol against a scripted model: what is asked, how replies are read, and that a study reads the table."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.designs.couples import couples_design
from socialstats.designs.parts import OK
from socialstats_collect.protocols.base import Settings
from socialstats_collect.protocols.shares import Shares
from tests.collect.mock import TRAITS
from tests.collect.runs import attempts, collect, table
from tests.collect.server import Send, Server, says, serving


def write(
    folder: Path, server: Server, protocol: str, items: Sequence[dict[str, str]], more: str = ""
) -> Path:
    """A run file with its items."""
    with (folder / "items.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(items[0]))
        writer.writeheader()
        writer.writerows(items)
    path = folder / "run.toml"
    start = "" if "model =" in more else 'factors = { model = ["toy"] }\n'
    endpoint = f'endpoint = {{ base_url = "{server.url}" }}\n'
    path.write_text(f'protocol = {protocol}\nitems = "items.csv"\n{endpoint}{start}{more}\n')
    return path


def prompt_of(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


ROLES = [
    {"item_id": f"{a}-{b}-{k}", "story": f"Story {a} {b} {k}.", "role_a": a, "role_b": b}
    for a, b in (("nurse", "aunt"), ("guard", "son"), ("cook", "friend"))
    for k in range(8)
]


def test_roles_are_chosen_by_name_whatever_their_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(body: dict[str, Any], _: int) -> Send:
        first = prompt_of(body).split("(A) ")[1].split("\n")[0]
        letter = "A" if first in {"nurse", "guard", "friend"} else "B"
        return says(json.dumps({"Answer": letter, "Reason": "r", "Value": "Security; benevolence"}))

    with serving(script) as server:
        path = write(tmp_path, server, '"pairwise-roles"', ROLES)
        assert collect(path) == 0
        assert all("{" not in prompt_of(body).split("JSON object")[0] for body in server.bodies)
    rows = table(path, capsys)
    assert {row["choice"] for row in rows} == {"nurse", "guard", "friend"}
    assert Counter(row["option_order"] for row in rows) == {"a first": 12, "b first": 12}
    assert all(
        row["first"] == (row["role_a"] if row["option_order"] == "a first" else row["role_b"])
        for row in rows
    )
    assert {row["values"] for row in rows} == {"security; benevolence"}


def test_a_prefix_asks_the_same_stories_again(tmp_path: Path) -> None:
    with serving(lambda *_: says('{"Answer": "A"}')) as server:
        more = 'factors = { model = ["toy"], prefix = ["", "As a woman, answer for yourself."] }'
        assert collect(write(tmp_path, server, '"pairwise-roles"', ROLES[:2], more)) == 0
        assert sum(prompt_of(body).startswith("As a woman") for body in server.bodies) == 2
        assert server.seen.total() == 4


NORMS = [
    {"scenario": f"s{k}", "goal": f"g{k}", "situation": "x", "norm": "n", "pressure": "none"}
    for k in range(12)
]


def test_actions_with_a_seed_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replies = [
        '{"action": "comply", "explanation": "not deviate"}',
        "escalate",
        "I will not comply; deviate",
        "",
    ]
    with serving(lambda body, _: says(replies[body["seed"] - 7])) as server:
        more = "replicates = 4\nparameters = { seed = 7, temperature = 0.7 }"
        path = write(tmp_path, server, '"norm-goal"', NORMS, more)
        assert collect(path) == 0
        lists = {
            tuple(line[2:].split(":")[0] for line in prompt_of(b).split("\n") if line[:2] == "- ")
            for b in server.bodies
        }
    assert len(lists) == 6
    rows = table(path, capsys)
    assert Counter((row["replicate"], row["action"], row["answer_status"]) for row in rows) == {
        ("1", "comply", "ok"): 12,
        ("2", "escalate", "ok"): 12,
        ("3", "", "ambiguous"): 12,
        ("4", "", "empty"): 12,
    }
    assert {row["rater"] for row in rows} == {f"toy, run {k}" for k in range(1, 5)}


COUPLES = [
    {
        "text": "NAME1 and NAME2 quarrel over the dishes. NAME1 shouts.",
        "scenario": f"s{k}",
        "name_first": first,
        "name_second": second,
        "group_first": group,
        "group_second": other,
        "pair": "Ann-Bob",
        "item_id": f"{k}{first}",
    }
    for k in range(6)
    for first, second, group, other in (("Ann", "Bob", "w", "m"), ("Bob", "Ann", "m", "w"))
]


def test_the_ladder_stops_at_the_first_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(body: dict[str, Any], _: int) -> Send:
        text = prompt_of(body)
        if "Response: number" in text:
            return says("Response: 1" if "1) Ann" in text else "Response: 2")
        return says("Both are right.")

    with serving(script) as server:
        path = write(
            tmp_path,
            server,
            '"who-is-right"',
            [{**c, "text": c["text"] + c["scenario"]} for c in COUPLES],
        )
        assert collect(path) == 0
        assert server.seen.total() == 24
        assert all("NAME" not in prompt for prompt in server.seen)
    rows = table(path, capsys)
    assert {(row["rung"], row["wordings_tried"]) for row in rows} == {("1", "2")}
    assert all(row["answer"] == ("-1" if row["name_first"] == "Ann" else "1") for row in rows)
    assert {row["option_order"] for row in rows} == {"first is 1", "second is 1"}


def test_a_ladder_that_ends_without_an_answer_is_a_refusal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(lambda *_: says("As an AI I cannot choose.")) as server:
        path = write(tmp_path, server, '{ name = "who-is-right", rungs = 3 }', COUPLES[:1])
        assert collect(path) == 0
    (row,) = table(path, capsys)
    assert (row["answer"], row["answer_status"], row["wordings_tried"]) == ("", "refusal", "3")
    assert [line["step"] for line in attempts(path)] == ["rung 0", "rung 1", "rung 2"]


def test_a_corrected_answer_ends_the_ladder_and_is_counted_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(lambda *_: says("1 - no wait, 2", logprobs=None)) as server:
        items = [{**c, "text": c["text"] + c["scenario"]} for c in COUPLES[:4]]
        path = write(tmp_path, server, '"who-is-right"', items, 'order = "fixed"')
        assert collect(path) == 0
    rows = table(path, capsys)
    assert [(row["answer"], row["answer_status"], row["rung"]) for row in rows] == [
        ("1", "corrected", "0")
    ] * 4
    out = tmp_path / "t.csv"
    assert main(["tidy", str(path.with_name("log.jsonl")), "-o", str(out), "--summary"]) == 0
    printed = capsys.readouterr().out
    (head,) = (line.split() for line in printed.splitlines() if "answered" in line)
    (counts,) = (line.split() for line in printed.splitlines() if line.split()[:1] == ["toy"])
    named = dict(zip(head, counts, strict=False))
    assert (named["rows"], named["answered"], named["corrected"], named["unread"]) == (
        "4",
        "4",
        "4",
        "0",
    )
    assert couples_design(pd.read_csv(out)).status.tolist() == [OK] * 4


def test_shares_are_read_in_rising_letters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(body: dict[str, Any], _: int) -> Send:
        order = "rising" if "A) <1%" in prompt_of(body) else "falling"
        letter = next(
            option.letter
            for option in Shares(Settings()).offered(order)
            if option.text == "75%-90%"
        )
        return says(f"{letter}\n\n{prompt_of(body)}")

    items = [{"item_id": f"r{k}", "text": f"Rule {k}.", "area": "x"} for k in range(10)]
    with serving(script) as server:
        more = 'factors = { model = ["toy"], prompt = ["options", "described", "table"] }'
        path = write(tmp_path, server, '"ordinal"', items, more)
        assert collect(path) == 0
    rows = table(path, capsys)
    assert Counter(row["answer"] for row in rows) == {"D": 30}
    assert Counter((row["prompt"], row["option_order"]) for row in rows)["table", "falling"] == 5


def test_a_form_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(lambda *_: says("A")) as server:
        more = 'factors = { model = ["toy"], prompt = ["pictures"] }'
        assert collect(write(tmp_path, server, '"ordinal"', [{"text": "Rule."}], more)) == 2
    assert (
        "factors.prompt: unknown pictures. There are: described, options, table"
        in capsys.readouterr().err
    )


STAGED = [
    {
        "item_id": f"s{k}",
        "scenario": f"s{k}",
        "baseline": f"What of {k}?",
        "control": "",
        **{f"stage_{n}": f"Event {n} of {k}." for n in range(1, 5)},
    }
    for k in range(2)
] + [
    {
        "item_id": "left",
        "scenario": "left",
        "baseline": "",
        "control": "A text.",
        **{f"stage_{n}": "" for n in range(1, 5)},
    }
]


def test_stages_in_one_conversation_and_every_reply_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(body: dict[str, Any], _: int) -> Send:
        if body["model"] == "toy":
            return says(f"Turn {len(body['messages'])}: {prompt_of(body)[-20:]}")
        scores = dict.fromkeys(TRAITS, 12) | {"commitment": 4}
        return says(json.dumps(scores | {"openness": 150} if body["model"] == "strict" else scores))

    with serving(script) as server:
        more = 'judges = { models = ["mild", "strict"], parameters = { temperature = 0 } }'
        path = write(tmp_path, server, '"staged-values"', STAGED, more)
        assert collect(path) == 0
        turns = sorted(len(body["messages"]) for body in server.bodies if body["model"] == "toy")
    assert turns == [1, 1, 1, 1, 3, 3, 5, 5, 7, 7, 9, 9]
    rows = table(path, capsys)
    assert len(rows) == 2 * 6 * 2
    strict = [row for row in rows if row["judge"] == "strict"]
    assert {(row["openness"], row["scores_unread"], row["tradition"]) for row in strict} == {
        ("", "openness: out_of_range", "12")
    }
    assert Counter(row["stage"] for row in rows) == {
        **dict.fromkeys(["baseline", "stage 1", "stage 2", "stage 3", "stage 4", "debrief"], 4),
    }
    assert main(["tidy", str(tmp_path / "log.jsonl")]) == 0
    assert (
        "2 rows of control texts left out: --controls FILE writes them" in capsys.readouterr().err
    )
    assert main(["tidy", str(tmp_path / "log.jsonl"), "-o", str(tmp_path / "table.csv")]) == 0
    controls = list(csv.DictReader(io.StringIO((tmp_path / "table.controls.csv").read_text())))
    assert [(row["text"], row["judge"], row["tradition"]) for row in controls] == [
        ("left", "mild", "12"),
        ("left", "strict", "12"),
    ]


def test_a_stage_that_is_refused_is_no_missing_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(body: dict[str, Any], _: int) -> Send:
        if body["model"] == "judge":
            return says(json.dumps(dict.fromkeys(TRAITS, 12) | {"commitment": 4}))
        if "Event 2" in prompt_of(body):
            return says("", refusal="I cannot play this.")
        return says("" if "Event 3" in prompt_of(body) else "I act.")

    with serving(script) as server:
        path = write(
            tmp_path, server, '"staged-values"', STAGED[:1], 'judges = { models = ["judge"] }'
        )
        assert collect(path) == 0
    assert {row["stage"]: row["answer_status"] for row in table(path, capsys)} == {
        "baseline": "ok",
        "stage 1": "ok",
        "stage 2": "refusal",
        "stage 3": "missing",
        "stage 4": "ok",
        "debrief": "ok",
    }


def test_a_conversation_goes_on_where_it_was_cut(tmp_path: Path) -> None:
    def script(body: dict[str, Any], before: int) -> Send:
        return says("{}" if body["model"] == "judge" else "I act.")

    with serving(script) as server:
        more = 'judges = { models = ["judge"] }\nlimits = { max_calls = 7, concurrency = 1 }'
        path = write(tmp_path, server, '"staged-values"', STAGED[:1], more)
        assert collect(path) == 1
        path.write_text(path.read_text().replace("max_calls = 7", "max_calls = 100"))
        assert collect(path) == 0
        assert server.seen.total() == len(attempts(path)) == 12


def test_equal_words_in_answer_to_different_questions_are_scored_each_on_its_own(
    tmp_path: Path,
) -> None:
    with serving(lambda body, _: says("{}" if body["model"] == "judge" else "I act.")) as server:
        path = write(
            tmp_path, server, '"staged-values"', STAGED[:2], 'judges = { models = ["judge"] }'
        )
        assert collect(path) == 0
        assert sum(body["model"] == "judge" for body in server.bodies) == 12
    assert len({line["key"] for line in attempts(path)}) == 24

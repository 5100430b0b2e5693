"""Whatever an endpoint does: answers are kept, failures are asked again, a lost cause ends the run in a sentence."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.collect.runs import attempts, collect, table, write_run
from tests.collect.server import Send, fails, says, serving

ANSWER = '{"Answer": "A", "Reason": "x"}'


def test_answers_become_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(
        lambda body, _: says(ANSWER if "story 1" in str(body) else '{"Answer": "B"}')
    ) as server:
        path = write_run(tmp_path, server.url)
        assert collect(path) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[1].split() == [
        "toy",
        "4",
        "4",
        "0",
        "0",
        "0",
        "0",
        "0",
        "0%",
        "(0%",
        "to",
        "0%)",
    ]
    assert "4 units planned, 4 asked, in 4 attempts that brought 4 answers" in said.out
    rows = table(path, capsys)
    assert {row["item_id"]: row["answer"] for row in rows} == {
        "s0": "B",
        "s1": "A",
        "s2": "B",
        "s3": "B",
    }
    assert {(row["text"][:5], row["model_returned"], row["answer_status"]) for row in rows} == {
        ("story", "toy-1", "ok")
    }


def test_what_is_sent_is_what_is_logged(tmp_path: Path) -> None:
    with serving(lambda *_: says(ANSWER)) as server:
        path = write_run(tmp_path, server.url, n=1)
        assert collect(path) == 0
        (sent,) = server.bodies
    (line,) = attempts(path)
    assert sent == {"model": "toy", "messages": line["messages"], **line["parameters"]}
    assert line["prompt_tokens"] == 10
    assert line["t_end"] >= line["t_start"]


ONCE = {
    "html": Send(body=b"<html>busy</html>", headers={"content-type": "text/html"}),
    "broken json": Send(body=b'{"choices": [', headers={"content-type": "application/json"}),
    "error body": Send(body=b'{"error": {"message": "overloaded", "code": 502}}'),
    "no choices": Send(body=b'{"choices": []}'),
    "null choices": Send(body=b'{"choices": null}'),
    "content is a number": says(7),
    "cut": Send(body=says(ANSWER).body, cut=True),
    "reset": Send(reset=True),
    "500": fails(500),
    "503": fails(503),
}


@pytest.mark.parametrize("trouble", ONCE.values(), ids=ONCE)
def test_a_failure_is_logged_and_asked_again(
    trouble: Send, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(lambda _, before: says(ANSWER) if before else trouble) as server:
        path = write_run(tmp_path, server.url, n=1)
        assert collect(path) == 0
    first, second = attempts(path)
    assert first["status"] in {"malformed", "http_error", "connection"}
    assert (first["attempt"], second["attempt"], second["status"]) == (1, 2, "ok")
    (row,) = table(path, capsys)
    assert (row["answer"], row["attempts"]) == ("A", "2")


KEPT: dict[str, tuple[Send, str, str]] = {
    "refusal": (says(None, refusal="I can't."), "refusal", "refusal"),
    "empty": (says(""), "empty", "empty"),
    "null": (says(None), "empty", "empty"),
    "filter": (says("partly", finish="content_filter"), "blocked", "refusal"),
    "cut off": (says('{"Answer": "B", "Rea', finish="length"), "truncated", "ok"),
    "in words": (says("I'm sorry, I cannot choose."), "ok", "refusal"),
    "parts": (says([{"type": "text", "text": ANSWER}]), "ok", "ok"),
}


@pytest.mark.parametrize(("send", "reply", "answer"), KEPT.values(), ids=KEPT)
def test_what_a_model_says_is_data_and_asked_once(
    send: Send, reply: str, answer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(lambda *_: send) as server:
        path = write_run(tmp_path, server.url, n=1)
        assert collect(path) == 0
        assert collect(path) == 0
        assert server.seen.total() == 1
    (row,) = table(path, capsys)
    assert (row["reply_status"], row["answer_status"]) == (reply, answer)


def test_retry_after_holds_for_every_worker(tmp_path: Path) -> None:
    def script(body: dict[str, Any], before: int) -> Send:
        return says(ANSWER) if before or "story 0" not in str(body) else fails(429, retry_after="1")

    with serving(script) as server:
        path = write_run(tmp_path, server.url, n=30, concurrency=2)
        assert collect(path) == 0
        refused, again = next(
            times for prompt, times in server.times.items() if "story 0 " in prompt
        )
        between = [
            t
            for times in server.times.values()
            for t in times
            if refused + 0.3 < t < refused + 0.95
        ]
    assert again - refused >= 1.0
    assert not between


@pytest.mark.parametrize(
    ("send", "words"),
    [
        (fails(401), "does not accept the key"),
        (fails(404), "does not know this address or model"),
        (fails(429, code="insufficient_quota"), "quota is used up"),
    ],
)
def test_a_lost_cause_stops_the_run_at_once(
    send: Send, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(body: dict[str, Any], _: int) -> Send:
        return send if "story 9 " in str(body) else says(ANSWER)

    with serving(script) as server:
        path = write_run(tmp_path, server.url, n=400, concurrency=2)
        assert collect(path) == 2
        assert server.seen.total() < 30
    said = capsys.readouterr().err
    assert words in said
    assert "run the same command again" in said
    assert sum(line["status"] == "ok" for line in attempts(path)) >= 8


def test_a_dead_endpoint_ends_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_run(tmp_path, "http://127.0.0.1:9/v1", n=200, concurrency=16)
    assert collect(path) == 2
    assert "attempts in a row failed" in capsys.readouterr().err
    assert len(attempts(path)) < 100


def test_requests_at_fault_end_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(lambda *_: fails(400)) as server:
        path = write_run(tmp_path, server.url, n=200)
        assert collect(path) == 2
        assert server.seen.total() < 40
        assert max(server.seen.values()) == 1
    assert "status 400" in capsys.readouterr().err


def test_a_stall_is_a_timeout(tmp_path: Path) -> None:
    def script(_: dict[str, Any], before: int) -> Send:
        answer = says(ANSWER)
        answer.delay = 0.0 if before else 1.5
        return answer

    with serving(script) as server:
        path = write_run(tmp_path, server.url, n=1, timeout=0.4)
        assert collect(path) == 0
    assert [line["status"] for line in attempts(path)] == ["timeout", "ok"]


def test_a_unit_that_keeps_failing_is_missing_and_asked_next_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    down = [True]
    with serving(
        lambda body, _: fails(500) if "story 2" in str(body) and down[0] else says(ANSWER)
    ) as server:
        path = write_run(tmp_path, server.url, attempts=2, patience=2.0)
        assert collect(path) in (1, 4)  # given up by itself, or as an endpoint that is silent
        assert "1 of 4 units are not finished" in capsys.readouterr().err
        missing = [row for row in table(path, capsys) if row["answer_status"] == "missing"]
        assert [(row["item_id"], row["answer"], row["last_failure"]) for row in missing] == [
            ("s2", "", "http_error")
        ]
        down.clear()
        down.append(False)
        assert collect(path) == 0
    assert {row["answer_status"] for row in table(path, capsys)} == {"ok"}


def test_budgets_stop_a_run_and_count_the_whole_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(lambda *_: says(ANSWER)) as server:
        path = write_run(tmp_path, server.url, n=40, limits="max_calls = 10")
        assert collect(path) == 1
        assert collect(path) == 1
        assert server.seen.total() == 10
        assert "limits.max_calls (10) is reached" in capsys.readouterr().err
        write_run(tmp_path, server.url, n=40, limits="max_tokens_total = 240", concurrency=1)
        assert collect(path) == 1
        assert server.seen.total() == 20


def test_requests_a_minute(tmp_path: Path) -> None:
    with serving(lambda *_: says(ANSWER)) as server:
        path = write_run(tmp_path, server.url, n=4, limits="requests_per_minute = 300")
        assert collect(path) == 0
    times = sorted(datetime.fromisoformat(line["t_start"]) for line in attempts(path))
    assert (times[-1] - times[0]).total_seconds() >= 3 * 0.2 - 0.02


def test_the_key_comes_from_the_environment_and_is_written_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_KEY", "sk-very-secret")
    with serving(lambda *_: fails(500)) as server:
        path = write_run(tmp_path, server.url, n=1, patience=0.5)
        path.write_text(path.read_text().replace("[limits]", 'key_env = "TOY_KEY"\n[limits]'))
        collect(path)
        assert server.keys == {"Bearer sk-very-secret"}
    assert "secret" not in path.with_name("log.jsonl").read_text()


def test_a_model_that_changes_its_name_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(
        lambda body, _: says(ANSWER, model="toy-2" if "story 3" in str(body) else "toy-1")
    ) as server:
        assert collect(write_run(tmp_path, server.url)) == 0
    assert "toy answered under more than one name: toy-1 (3), toy-2 (1)" in capsys.readouterr().err


def test_unusual_characters_survive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = 'é\u2028"\ud800\x00 {"Answer": "B"}'
    with serving(lambda *_: says(text)) as server:
        path = write_run(tmp_path, server.url, n=1)
        assert collect(path) == 0
    assert attempts(path)[0]["content"] == text

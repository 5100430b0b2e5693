"""Nothing paid is lost, nothing of the user's is overwritten, no key is written; finish reasons and blocks are data."""

from __future__ import annotations

import base64
import json
import re
import threading
import time
import zlib
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd
import pytest

from socialstats.cli import main
from socialstats_collect.replies import FINISH, response_outcome
from tests.collect.runs import attempts, collect, table, write_run
from tests.collect.server import Send, fails, says, serving

ANSWER = '{"Answer": "A"}'


@pytest.mark.parametrize("option", ["-o", "--methods", "--controls"])
def test_a_log_is_never_its_own_output(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(lambda *_: says(ANSWER)) as server:
        path = write_run(tmp_path, server.url)
        assert collect(path) == 0
    log = path.with_name("log.jsonl")
    whole = log.read_bytes()
    (tmp_path / "link.jsonl").symlink_to(log)
    for name in (log, tmp_path / "link.jsonl"):
        assert main(["tidy", str(log), option, str(name)]) == 2
        assert log.read_bytes() == whole
    said = capsys.readouterr().err
    assert (
        "the log holds no control texts" if option == "--controls" else "though it is read"
    ) in said


@pytest.mark.parametrize(
    "content",
    ["{}", "a,b\n1,2\n", '{"type": "run"}\n', "\x00" * 50, "item_id,text\ns0,x\n", "[]\n"],
)
def test_a_file_that_is_no_log_is_not_touched(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_run(tmp_path, "http://127.0.0.1:9/v1")
    path.with_name("log.jsonl").write_text(content)
    assert collect(path) == 2
    assert path.with_name("log.jsonl").read_text() == content
    assert "not a log of socialstats collect" in capsys.readouterr().err
    assert main(["collect", str(path), "-o", str(tmp_path / "items.csv")]) == 2
    assert main(["collect", str(path), "-o", str(path)]) == 2
    assert main(["collect", str(path), "-o", str(tmp_path)]) == 2
    assert main(["collect", str(path), "-o", "/dev/full"]) == 2
    assert "items" in path.read_text()


@pytest.mark.parametrize("gone", ["deleted", "moved", "replaced"])
def test_a_log_that_goes_away_is_saved_beside(
    gone: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.jsonl"

    def script(body: dict[str, Any], _: int) -> Send:
        if "story 9 " in str(body):
            if gone == "deleted":
                log.unlink()
            else:
                log.rename(tmp_path / "elsewhere.jsonl")
            if gone == "replaced":
                log.write_text("mine\n")
        return says(ANSWER)

    with serving(script) as server:
        path = write_run(tmp_path, server.url, n=30, concurrency=1)
        assert collect(path) == 0
    assert "was moved, deleted or replaced" in capsys.readouterr().err
    saved = tmp_path / "log.saved-1.jsonl" if gone == "replaced" else log
    assert saved.read_text().count('"status": "ok"') == 30
    assert gone != "replaced" or log.read_text() == "mine\n"
    if gone == "moved":
        assert (tmp_path / "elsewhere.jsonl").read_text().count('"status": "ok"') >= 9


def test_a_whole_last_line_counts_without_its_newline(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(lambda *_: says(ANSWER)) as server:
        path = write_run(tmp_path, server.url, limits="max_calls = 3", concurrency=1)
        assert collect(path) == 1
        log = path.with_name("log.jsonl")
        lines = log.read_bytes().splitlines(keepends=True)
        assert b'"end"' in lines[-1]
        log.write_bytes(b"".join(lines[:-1]).rstrip(b"\n"))
        assert sum(bool(row["answer"]) for row in table(path, capsys)) == 3
        path.write_text(path.read_text().replace("max_calls = 3", ""))
        assert collect(path) == 0
        assert server.seen.total() == 4
    assert len(attempts(path)) == 4


KEY = "sk-very+secret/key=0123456789"
CODED = [
    KEY,
    quote(KEY, safe=""),
    base64.b64encode(KEY.encode()).decode(),
    KEY[::-1],
    json.dumps(KEY)[1:-1],
    f"Bearer {KEY}",
]
LEAKS: dict[str, Any] = {
    **{f"error {k}": fails(400, code=f"bad {one}") for k, one in enumerate(CODED)},
    **{f"answer {k}": says(f"{ANSWER} {one}") for k, one in enumerate(CODED[:4])},
    "code": fails(401, code=KEY),
    "html": Send(status=500, body=f"<p>{KEY}</p>".encode()),
    "malformed": Send(body=f"{KEY * 200}".encode()),
    "long": Send(body=("x" * 1990 + KEY * 20).encode()),
    "model": says(ANSWER, model=KEY),
    "refusal": says(None, refusal=f"no {KEY}"),
    "thoughts": says(ANSWER, reasoning_content=KEY),
    "tools": says(None, tool_calls=[{"function": {"name": KEY, "arguments": KEY}}]),
    "finish": says(ANSWER, finish=f"content_filter: {KEY}"),
    "request id": Send(body=says(ANSWER).body, headers={"x-request-id": KEY}),
    "quota": Send(
        status=429,
        body=json.dumps({"error": {"code": "insufficient_quota", "message": KEY}}).encode(),
    ),
    "retry": Send(status=429, body=KEY.encode(), headers={"retry-after": "99999"}),
}


def _leaks(folder: Path, said: str) -> list[str]:
    texts = [
        said,
        *(one.read_text("utf-8", "replace") for one in folder.rglob("*") if one.is_file()),
    ]
    return [text[:200] for text in texts for one in (*CODED, KEY[:20]) if one in text]


@pytest.mark.parametrize("name", LEAKS)
def test_no_key_leaks(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TOY_KEY", f" {KEY}\r\n")
    with serving(lambda *_: LEAKS[name]) as server:
        path = write_run(tmp_path, server.url, n=2, patience=0.6, attempts=1, more="raw = true")
        path.write_text(path.read_text().replace("[limits]", 'key_env = "TOY_KEY"\n[limits]'))
        collect(path)
        assert server.keys == {f"Bearer {KEY}"}
    main(
        [
            "tidy",
            str(path.with_name("log.jsonl")),
            "-o",
            str(tmp_path / "t.csv"),
            "--methods",
            str(tmp_path / "m.txt"),
        ]
    )
    said = capsys.readouterr()
    assert not _leaks(tmp_path, said.out + said.err)


def test_passwords_in_an_address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(lambda *_: fails(500, code="pass-word-9")) as server:
        path = write_run(
            tmp_path, server.url.replace("127", "me:pass-word-9@127"), n=1, patience=0.6
        )
        collect(path)
        assert {key[:6] for key in server.keys} == {"Basic "}
    said = capsys.readouterr()
    assert "pass-word-9" not in path.with_name("log.jsonl").read_text() + said.out + said.err
    assert '"host": "127.0.0.1:' in path.with_name("log.jsonl").read_text()


@pytest.mark.parametrize(
    ("key", "env", "words"),
    [
        ("sk-schlüssel-0123", "TOY_KEY", "character 8 of the 17 in TOY_KEY cannot stand in a key"),
        ("sk-two\nlines-012", "TOY_KEY", "cannot stand in a key"),
        ("x", "sk-0123456789abcdef", "key_env is not the name of a variable"),
    ],
)
def test_a_key_that_is_none_is_refused_in_a_sentence(
    key: str,
    env: str,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(env, key)
    path = write_run(tmp_path, "http://127.0.0.1:9/v1")
    path.write_text(path.read_text().replace("[limits]", f'key_env = "{env}"\n[limits]'))
    assert collect(path) == 2
    said = capsys.readouterr().err
    assert words in said
    assert "Traceback" not in said
    assert key not in said
    assert env not in said or env == "TOY_KEY"


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:99999/v1", "127.0.0.1:80", "ftp://x/y", "http://[::1", ""]
)
def test_an_address_that_is_none(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert collect(write_run(tmp_path, url)) == 2
    assert "base_url is no address" in capsys.readouterr().err


SERVERS = {
    "OpenAI": [
        ("stop", "ok"),
        ("length", "truncated"),
        ("content_filter", "blocked"),
        ("tool_calls", "ok"),
    ],
    "Azure": [("stop", "ok"), ("content_filter", "blocked")],
    "Gemini": [
        ("STOP", "ok"),
        ("MAX_TOKENS", "truncated"),
        ("SAFETY", "blocked"),
        ("PROHIBITED_CONTENT", "blocked"),
        ("RECITATION", "blocked"),
        ("BLOCKLIST", "blocked"),
        ("SPII", "blocked"),
        ("FinishReason.SAFETY", "blocked"),
        ("content_filter: PROHIBITED_CONTENT", "blocked"),
    ],
    "Anthropic": [
        ("end_turn", "ok"),
        ("stop_sequence", "ok"),
        ("max_tokens", "truncated"),
        ("refusal", "blocked"),
        ("tool_use", "ok"),
        ("model_context_window_exceeded", "truncated"),
    ],
    "Mistral": [
        ("stop", "ok"),
        ("length", "truncated"),
        ("model_length", "truncated"),
        ("error", "malformed"),
    ],
    "vLLM": [("stop", "ok"), ("length", "truncated"), ("abort", "malformed"), (None, "ok")],
    "TGI": [("eos_token", "ok"), ("stop_sequence", "ok"), ("length", "truncated")],
    "llama.cpp": [("stop", "ok"), ("length", "truncated")],
    "Ollama": [("stop", "ok"), ("length", "truncated"), ("load", "malformed")],
    "others": [
        ("complete", "ok"),
        ("eos", "ok"),
        ("guardrail_intervened", "blocked"),
        ("something new", "ok"),
    ],
}


@pytest.mark.parametrize("server", SERVERS)
def test_finish_reasons(server: str) -> None:
    for finish, status in SERVERS[server]:
        outcome = response_outcome(says(ANSWER, finish=finish).body)
        assert outcome.status == status, finish
        assert status == "malformed" or outcome.detail["finish_reason"] == finish
        assert status != "blocked" or outcome.detail["blocked_by"] == finish
    assert {
        word
        for several in SERVERS.values()
        for word, _ in several
        if word and word.lower() in FINISH
    }


BLOCKS = {
    "Azure": (
        400,
        {"code": "content_filter", "message": "The response was filtered"},
        "content_filter",
    ),
    "OpenAI": (
        400,
        {"code": "content_policy_violation", "message": "x"},
        "content_policy_violation",
    ),
    "reasoning": (
        400,
        {"code": "invalid_prompt", "message": "Your prompt was flagged"},
        "invalid_prompt",
    ),
    "OpenRouter": (
        403,
        {"code": 403, "message": "moderation", "metadata": {"reasons": ["violence"]}},
        "violence",
    ),
    "Alibaba": (400, {"code": "data_inspection_failed", "message": "x"}, "data_inspection_failed"),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_is_an_answer_and_paid_once(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, error, word = BLOCKS[name]
    with serving(
        lambda *_: Send(status=status, body=json.dumps({"error": error}).encode())
    ) as server:
        path = write_run(tmp_path, server.url)
        assert collect(path) == 0
        assert collect(path) == 0
        assert server.seen.total() == 4
    rows = table(path, capsys)
    assert {(row["reply_status"], row["answer_status"], row["blocked_by"]) for row in rows} == {
        ("blocked", "refusal", word)
    }
    assert (
        main(["tidy", str(path.with_name("log.jsonl")), "-o", str(tmp_path / "t.csv"), "--summary"])
        == 0
    )
    assert re.search(r"toy +4 +0 +0 +0 +4 +0 +0 +100% \(100% to 100%\)", capsys.readouterr().out)


def test_a_prompt_without_a_choice_was_blocked() -> None:
    body = {"choices": [], "promptFeedback": {"blockReason": "SAFETY"}}
    assert response_outcome(json.dumps(body).encode()).status == "blocked"
    assert response_outcome(b'{"choices": []}').status == "malformed"
    assert response_outcome(b'{"error": {"message": "content filter"}}', 500).status == "http_error"


def test_what_comes_with_a_reply_is_kept(tmp_path: Path) -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": ANSWER},
    ]
    logprobs = {"content": [{"token": "A", "logprob": -0.1, "top_logprobs": []}]}
    body = json.loads(says(parts, tool_calls=[{"id": "t"}]).body)
    body["choices"][0]["logprobs"] = logprobs
    body["usage"]["cost"] = 0.5
    send = Send(body=b"\xef\xbb\xbf" + json.dumps(body).encode(), headers={"x-request-id": "r-1"})
    with serving(lambda *_: send) as server:
        path = write_run(tmp_path, server.url, n=1, more="raw = true")
        assert collect(path) == 0
    (line,) = attempts(path)
    assert (line["content"], line["reasoning"], line["request_id"], line["cost"]) == (
        ANSWER,
        "hm",
        "r-1",
        0.5,
    )
    assert (line["logprobs"], line["tool_calls"]) == (logprobs, [{"id": "t"}])
    assert json.loads(zlib.decompress(base64.b64decode(line["raw"]))) == body


def test_an_outage_is_waited_for(tmp_path: Path) -> None:
    """No door opens for 3 s; nothing is given up, whatever the number of attempts."""
    began = time.monotonic()

    def script(_: dict[str, Any], before: int) -> Send:
        return fails(503) if 0.3 < time.monotonic() - began < 3.3 else says(ANSWER)

    with serving(script) as server:
        path = write_run(
            tmp_path, server.url, n=200, attempts=1, limits="requests_per_minute = 6000"
        )
        assert collect(path) == 0
        assert server.seen.total() < 260
    assert sum(line["status"] == "ok" for line in attempts(path)) == 200


def test_patience_ends_with_its_own_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    down = threading.Event()

    def script(body: dict[str, Any], _: int) -> Send:
        if "story 5 " in str(body):
            down.set()
        return fails(429, retry_after="0.2") if down.is_set() else says(ANSWER)

    with serving(script) as server:
        path = write_run(tmp_path, server.url, n=40, concurrency=2, patience=1.0)
        assert collect(path) == 4
        down.clear()
        said = capsys.readouterr().err
        assert "no answer for 1 s, the run's patience" in said
        assert "run the same command again" in said
    assert len(table(path, capsys)) == 40
    with serving(lambda *_: fails(429, retry_after="5000")) as server:
        assert collect(write_run(tmp_path, server.url, n=40)) == 4
        assert server.seen.total() <= 4
    assert "asks to wait 5,000 s" in capsys.readouterr().err


def test_retry_after_holds_under_requests_a_minute(tmp_path: Path) -> None:
    def script(body: dict[str, Any], before: int) -> Send:
        return (
            says(ANSWER) if before or "story 0 " not in str(body) else fails(429, retry_after="1")
        )

    with serving(script) as server:
        path = write_run(
            tmp_path, server.url, n=20, concurrency=4, limits="requests_per_minute = 1200"
        )
        assert collect(path) == 0
        refused = next(times for prompt, times in server.times.items() if "story 0 " in prompt)[0]
        assert not [
            t
            for times in server.times.values()
            for t in times
            if refused + 0.2 < t < refused + 0.95
        ]


def test_one_model_that_is_not_known_stops_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(body: dict[str, Any], _: int) -> Send:
        return fails(404, code="model_not_found") if body["model"] == "gone" else says(ANSWER)

    with serving(script) as server:
        path = write_run(tmp_path, server.url, n=30, concurrency=2)
        path.write_text(path.read_text().replace('["toy"]', '["gone", "toy"]'))
        assert collect(path) == 1
        assert sum(body["model"] == "gone" for body in server.bodies) <= 2
    assert "gone was abandoned: the endpoint does not know this model" in capsys.readouterr().err
    assert sum(row["model"] == "toy" and row["answer"] == "A" for row in table(path, capsys)) == 30


def bare(*_: object) -> Send:
    body = json.loads(says(ANSWER).body)
    body.pop("usage")
    return Send(body=json.dumps(body).encode())


def test_a_budget_of_tokens_without_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(bare) as server:
        path = write_run(tmp_path, server.url, n=200, limits="max_tokens_total = 300")
        assert collect(path) == 1
        assert 10 < server.seen.total() < 300 / 9 + 4
    assert "answers came without counts of tokens: theirs are estimated" in capsys.readouterr().err


def test_a_budget_of_money(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prices = "[prices.toy]\ninput = 100.0\noutput = 500.0\n\n[endpoint]"
    with serving(lambda *_: says(ANSWER)) as server:  # 10 and 2 tokens: 0.002 a call
        path = write_run(tmp_path, server.url, n=100, concurrency=4, limits="max_cost = 0.05")
        path.write_text(path.read_text().replace("[endpoint]", prices))
        assert collect(path, "--dry-run") == 0
        assert "cost at most 1.09, by the prices" in capsys.readouterr().out
        assert collect(path) == 1
        assert 20 <= server.seen.total() <= 25 + 4
    said = capsys.readouterr().err
    assert "limits.max_cost (0.05) is reached" in said
    assert re.search(r"cost: 0\.05", said)


def test_a_dry_run_counts_calls_of_whole_conversations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["collect", "--new", "who-is-right", str(tmp_path)]) == 0
    assert main(["collect", str(tmp_path / "run.toml"), "--dry-run"]) == 0
    assert "at most 360 calls" in capsys.readouterr().out


def test_a_control_character_does_not_spoil_the_table(tmp_path: Path) -> None:
    with serving(lambda *_: says('{"Answer": "A"} \x00 \x1b[31m \ud800')) as server:
        path = write_run(tmp_path, server.url)
        assert collect(path) == 0
    out = tmp_path / "t.csv"
    assert main(["tidy", str(path.with_name("log.jsonl")), "-o", str(out)]) == 0
    assert "\x00" not in out.read_text()
    assert pd.read_csv(out)["reply_text"].str.contains("A").all()


def test_a_budget_that_nobody_can_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(lambda *_: says(ANSWER)) as server:
        path = write_run(tmp_path, server.url, n=20, concurrency=2, limits="max_cost = 0.01")
        assert collect(path, "--dry-run") == 0
        assert "[prices] has none for 'toy'" in capsys.readouterr().out
        assert collect(path) == 2
        assert server.seen.total() <= 3
        assert "neither the endpoint nor [prices] says what 'toy' costs" in capsys.readouterr().err
    with serving(lambda *_: says(ANSWER)) as server:
        (tmp_path / "log.jsonl").unlink()
        path = write_run(tmp_path, server.url, n=20, limits="max_tokens_total = 20")
        assert collect(path) == 1
        assert server.seen.total() == 0
    assert "limits.max_tokens_total (20) leaves no room for" in capsys.readouterr().err


def test_the_last_request_is_given_up_by_itself(tmp_path: Path) -> None:
    with serving(lambda body, _: fails(500) if "story 3" in str(body) else says(ANSWER)) as server:
        path = write_run(tmp_path, server.url, attempts=2, concurrency=1, patience=600.0)
        assert collect(path) == 1
        assert server.seen.total() == 5

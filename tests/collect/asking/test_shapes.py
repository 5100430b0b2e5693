"""Replies of any JSON shape: each is a line of the log with a status, and the log stays readable."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from socialstats.cli import main
from socialstats_collect.ask import DATA, STATUSES
from socialstats_collect.log import Log, _records, encode, reply_of
from socialstats_collect.replies import response_outcome
from socialstats_collect.summary import methods_text
from socialstats_collect.tally import CallTally
from socialstats_collect.tidy import table_of
from tests.collect.runs import attempts, collect, table, write_run
from tests.collect.server import Send, fails, says, serving

ANSWER = '{"Answer": "A"}'
DEEP = 100_000


def with_usage(usage: Any, content: Any = ANSWER) -> bytes:
    return json.dumps({**json.loads(says(content).body), "usage": usage}).encode()


def with_choice(choice: Any) -> bytes:
    return json.dumps({"choices": [choice]}).encode()


def with_message(message: Any) -> bytes:
    return with_choice({"message": message, "finish_reason": "stop"})


ODD: list[Any] = [
    None,
    True,
    0,
    -5,
    0.5,
    "",
    "text",
    [],
    {},
    [1],
    [None],
    [[1]],
    {"a": 1},
    [{"a": [1]}],
    10**400,
    "\ud800",
    "\x00",
    float("nan"),
    float("inf"),
]
BODIES: dict[str, bytes] = {
    **{f"body {k}": json.dumps(odd).encode() for k, odd in enumerate(ODD)},
    **{f"choices {k}": json.dumps({"choices": odd}).encode() for k, odd in enumerate(ODD)},
    **{f"choice {k}": with_choice(odd) for k, odd in enumerate(ODD)},
    **{f"message {k}": with_message(odd) for k, odd in enumerate(ODD)},
    **{f"content {k}": with_message({"content": odd}) for k, odd in enumerate(ODD)},
    **{
        f"part {k}": with_message({"content": [odd, {"type": odd, "text": odd}]})
        for k, odd in enumerate(ODD)
    },
    **{
        f"refusal {k}": with_message({"content": ANSWER, "refusal": odd})
        for k, odd in enumerate(ODD)
    },
    **{
        f"tools {k}": with_message({"content": None, "tool_calls": odd})
        for k, odd in enumerate(ODD)
    },
    **{
        f"thoughts {k}": with_message({"content": ANSWER, "reasoning": odd})
        for k, odd in enumerate(ODD)
    },
    **{
        f"finish {k}": with_choice({"message": {"content": ANSWER}, "finish_reason": odd})
        for k, odd in enumerate(ODD)
    },
    **{
        f"logprobs {k}": with_choice({"message": {"content": ANSWER}, "logprobs": odd})
        for k, odd in enumerate(ODD)
    },
    **{
        f"names {k}": json.dumps(
            {
                **json.loads(says(ANSWER).body),
                "model": odd,
                "id": odd,
                "created": odd,
                "system_fingerprint": odd,
            }
        ).encode()
        for k, odd in enumerate(ODD)
    },
    **{f"error {k}": json.dumps({"error": odd}).encode() for k, odd in enumerate(ODD)},
    **{
        f"code {k}": json.dumps(
            {"error": {"code": odd, "type": odd, "message": odd, "metadata": {"reasons": odd}}}
        ).encode()
        for k, odd in enumerate(ODD)
    },
    **{
        f"details {k}": with_usage(
            {"completion_tokens_details": odd, "prompt_tokens_details": {"cached_tokens": odd}}
        )
        for k, odd in enumerate(ODD)
    },
    "other digits": json.dumps({"error": {"code": "4²³"}}).encode(),
    "deep": b"[" * DEEP,
    "deep and whole": b'{"choices": ' + b"[" * DEEP + b"]" * DEEP + b"}",
    "deep content": with_message({"content": 0}).replace(
        b"0", b'[{"text": ' * 500 + b"1" + b"}]" * 500
    ),
    "a little deep": with_message({"content": ANSWER, "tool_calls": 0}).replace(
        b" 0}", b"[" * 900 + b"]" * 900 + b"}"
    ),
    "digits": b'{"choices": ' + b"1" * 5000 + b"}",
    "not utf-8": says(ANSWER).body.replace(b"toy-1", b"toy\xff\xfe"),
    "utf-16": says(ANSWER).body.decode().encode("utf-16"),
    "nothing": b"",
    "null bytes": b"\x00" * 1000,
    "a repeated name": b'{"choices": 1, "choices": [{"message": {"content": "A"}}]}',
}


@pytest.mark.slow
@pytest.mark.parametrize("http_status", [200, 400])
def test_every_shape_is_a_line_and_the_log_goes_on(
    http_status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [*BODIES]

    def script(body: dict[str, Any], before: int) -> Send:
        item = int(str(body["messages"][-1]["content"]).split()[1])
        return says(ANSWER) if before else Send(status=http_status, body=BODIES[names[item]])

    limits = "requests_per_minute = 60000"
    with serving(script) as server:
        path = write_run(
            tmp_path,
            server.url,
            n=len(names),
            attempts=1,
            patience=600.0,
            limits=limits,
            concurrency=1,
        )
        codes = [collect(path) for _ in range(3)]
        assert codes[-1] == 0
        first = {line["item_id"]: line["status"] for line in reversed(attempts(path))}
        assert set(first.values()) <= set(STATUSES)
        assert len(first) == len(names)
    rows = table(path, capsys)
    assert len(rows) == len(names)
    assert collect(path, "--dry-run") == 0
    log = path.with_name("log.jsonl")
    assert main(["merge", str(log), "-o", str(tmp_path / "both.jsonl")]) == 0
    assert (
        main(
            ["tidy", str(log), "-o", str(tmp_path / "t.csv"), "--methods", str(tmp_path / "m.txt")]
        )
        == 0
    )
    assert main(["tidy", str(log), "-o", str(tmp_path / "t.jsonl"), "--summary"]) == 0


def values(rng: random.Random, depth: int = 0) -> Any:
    """A random JSON value; names are mostly those of completions."""
    kind = rng.random()
    if depth > 4 or kind < 0.45:
        return copy.deepcopy(rng.choice(ODD))
    if kind < 0.65:
        return [values(rng, depth + 1) for _ in range(rng.randrange(3))]
    return {rng.choice(NAMES): values(rng, depth + 1) for _ in range(rng.randrange(5))}


NAMES = [
    *json.loads(says("").body),
    *json.loads(says("").body)["choices"][0],
    "content",
    "text",
    "type",
    "refusal",
    "cost",
    "prompt_tokens",
    "completion_tokens",
    "error",
    "code",
    "metadata",
    "reasons",
    "logprobs",
    "tool_calls",
    "reasoning",
    "thinking",
    "prompt_feedback",
    "system_fingerprint",
]


def bodies(seed: int) -> Iterator[bytes]:
    """Whole completions of which some parts are replaced, and bytes that are cut or changed."""
    rng = random.Random(seed)
    whole = json.loads(says(ANSWER, reasoning="x").body)
    for _ in range(rng.randrange(1, 4)):
        place: Any = whole
        while isinstance(place, dict | list) and place:
            name = rng.choice([*place]) if isinstance(place, dict) else rng.randrange(len(place))
            if rng.random() < 0.4 or not isinstance(place[name], dict | list):
                place[name] = values(rng)
                break
            place = place[name]
    yield json.dumps(whole).encode()
    yield json.dumps(values(rng)).encode()
    data = bytearray(json.dumps(whole).encode())
    for _ in range(3):
        data[rng.randrange(len(data))] = rng.randrange(256)
    yield bytes(data[: rng.randrange(len(data))] if rng.random() < 0.3 else data)


def check(body: bytes, http_status: int) -> None:
    outcome = response_outcome(body, http_status, {"x-request-id": "r"})
    assert outcome.status in STATUSES
    texts = {"status": outcome.status, "content": outcome.content, "refusal": outcome.refusal}
    line = {
        "type": "attempt",
        "run_id": "r",
        "key": "0" * 64,
        "item_id": "a",
        "factors": {},
        "n": 0,
        **texts,
    }
    line |= outcome.detail
    ((_, record),) = _records(encode(line).strip())[0]
    tally = CallTally()
    tally.add(record)
    assert tally.tokens >= 0
    assert tally.cost >= 0
    reply = reply_of(record)
    assert isinstance(reply.content, str)
    assert all(isinstance(text, str) for text in (*outcome.words, *tally.costs(), *tally.changes()))


@pytest.mark.parametrize("name", BODIES)
def test_one_shape(name: str) -> None:
    for http_status in (200, 204, 400, 403, 429, 500, 999):
        check(BODIES[name], http_status)


def test_random_shapes() -> None:
    for seed in range(300):
        for body in bodies(seed):
            check(body, random.Random(seed).choice([200, 400, 403, 500]))


@pytest.mark.slow
def test_ten_thousand_random_shapes() -> None:
    seed = random.randrange(10**9)
    for k in range(10_000):
        for body in bodies(seed + k):
            check(body, random.Random(k).choice([200, 400, 403, 500]))


BOUNDLESS = ["1e16", "1" + "7" * 307, "1e400", "9" * 400]
AMOUNTS = [
    *BOUNDLESS,
    "NaN",
    "-5",
    "Infinity",
    "-Infinity",
    '"0.5"',
    '""',
    "[1]",
    "[]",
    "{}",
    "true",
    "false",
]


@pytest.mark.parametrize("value", AMOUNTS)
@pytest.mark.parametrize("name", ["cost", "prompt_tokens", "completion_tokens"])
def test_an_amount_that_is_none_stops_the_run_in_a_sentence(
    name: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usage = with_usage(
        {"prompt_tokens": 1, "completion_tokens": 1, "cost": 0.5, name: "?"}
    ).replace(b'"?"', value.encode())
    with serving(lambda *_: Send(body=usage)) as server:
        path = write_run(tmp_path, server.url, n=20, concurrency=1, limits="max_cost = 100")
        assert collect(path) == 2
        assert server.seen.total() == 1
        said = capsys.readouterr().err
        assert f"the reply to 's0 / model=toy' (answer) reports usage.{name} = " in said
        assert "Traceback" not in said
    (line,) = attempts(path)
    assert (line["status"], line["content"]) == ("ok", ANSWER)
    assert [row["answer"] for row in table(path, capsys)].count("A") == 1
    with serving(lambda *_: Send(body=usage)) as server:
        write_run(tmp_path, server.url, n=20, concurrency=1, limits="max_cost = 100")
        priced = "trust_usage = false\n[prices.toy]\ninput = 1.0\noutput = 1.0\n[limits]"
        path.write_text(path.read_text().replace("[limits]", priced))
        assert collect(path) == 0
        assert server.seen.total() == 19
    assert all("cost_reported" not in line for line in attempts(path)[1:])


def test_usage_that_is_no_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(lambda *_: Send(body=with_usage([{"cost": 1}]))) as server:
        path = write_run(tmp_path, server.url, n=5, concurrency=1)
        assert collect(path) == 2
    assert 'reports usage = [{"cost": 1}]' in capsys.readouterr().err


EARLIER = [
    {"cost": [1]},
    {"cost": "x"},
    {"cost": -5},
    {"cost": float("nan")},
    {"cost": True},
    {"prompt_tokens": "9"},
    {"completion_tokens": [1]},
    {"prompt_tokens": -(10**500)},
    {"tokens_estimated": 5},
    {"tokens_estimated": [1, 2, 3]},
    {"tokens_estimated": ["a", None]},
    {"content": [1]},
    {"content": {"a": 1}},
    {"refusal": 5},
    {"logprobs": "x"},
    {"model_returned": [1]},
    {"model_returned": "\ud800"},
    {"model_requested": {}},
    {"t_start": 5},
    {"host": []},
    {"error_message": {}},
    {"attempt": []},
    {"replicate": None},
    {"key": "00 " * 21 + "0"},
    {"n": "x"},
    {"n": 10**30},
    {"n": -7},
    {"n": None},
    {"n": 2.5},
    {"run_id": [1]},
    {"factors": []},
    {"item_id": 7},
    {"blocked_by": [1]},
    {"finish_reason": {}},
    {"step": 1},
]


@pytest.mark.parametrize("checked", [True, False], ids=["with a checksum", "without"])
@pytest.mark.parametrize("odd", EARLIER, ids=str)
def test_an_odd_line_of_an_earlier_version_locks_nothing(
    odd: dict[str, Any], checked: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(lambda *_: says(ANSWER)) as server:
        path = write_run(tmp_path, server.url, limits="max_cost = 100")
        path.write_text(
            path.read_text().replace(
                "[endpoint]", "[prices.toy]\ninput = 1.0\noutput = 1.0\n[endpoint]"
            )
        )
        assert collect(path) == 0
        log = path.with_name("log.jsonl")
        lines = log.read_bytes().splitlines(keepends=True)
        place = next(k for k, line in enumerate(lines) if b'"type": "attempt"' in line)
        record = {**json.loads(lines[place]), **odd}
        record.pop("sum")
        plain = (json.dumps(record) + "\n").encode()
        lines[place] = encode(record) if checked else plain
        log.write_bytes(b"".join(lines))
        assert collect(path, "--dry-run") == 0
        assert collect(path) == 0
        assert 4 <= server.seen.total() <= 5
    assert len(table(path, capsys)) in (4, 5)
    with Log(log) as read:
        assert sum(one["status"] in DATA for one in read.records() if one["type"] == "attempt") >= 3
        assert methods_text(table_of(read))


DESIGN = {
    "run": "after options system parameters judges judge_parameters factors texts order seed replicates n_items "
    "items_of run_file items_file hosts versions format protocol",
    "item": "place id columns drawn batch gone",
    "call": "attempt tokens_at_most cost_at_most model_requested",
    "end": "stopped run_id n",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, names in DESIGN.items() for name in names.split()]
)
def test_odd_designs_in_a_log_end_in_a_sentence(kind: str, name: str, tmp_path: Path) -> None:
    with serving(lambda *_: says(ANSWER)) as server:
        path = write_run(tmp_path, server.url)
        assert collect(path) == 0
    log = path.with_name("log.jsonl")
    lines = [json.loads(line) for line in log.read_bytes().splitlines()]
    for line in lines:
        line.pop("sum")
    for odd in (*ODD, {"model": 5}, {"model": []}, {"model": [[1]]}, ["\ud800"], {"a": "\ud800"}):
        changed = [{**line, name: odd} if line["type"] == kind else line for line in lines]
        log.write_bytes(b"".join(map(encode, changed)))
        for command in (
            ["tidy", log, "-o", tmp_path / "t.csv"],
            ["merge", log, "-o", tmp_path / "both.jsonl"],
            ["tidy", log, "-o", tmp_path / "t.jsonl", "--methods", tmp_path / "m.txt", "--summary"],
            ["collect", path, "-o", log, "--dry-run"],
        ):
            assert main([str(word) for word in command]) in (0, 2, 3)
            for output in ("t.csv", "both.jsonl", "t.jsonl", "m.txt"):
                (tmp_path / output).unlink(missing_ok=True)


@pytest.mark.slow
def test_ten_megabytes_and_ten_levels(tmp_path: Path) -> None:
    content = ANSWER + "é\n" * 2_500_000
    nested: Any = 1
    for _ in range(10):
        nested = [nested, {"a": nested}] if not isinstance(nested, list) else [nested]
    with serving(lambda *_: says(content, tool_calls=nested)) as server:
        path = write_run(tmp_path, server.url, n=1, limits="max_reply_bytes = 40000000")
        assert collect(path) == 0
        assert collect(path) == 0
        assert server.seen.total() == 1
    assert attempts(path)[0]["content"] == content
    out = tmp_path / "t.jsonl"
    assert main(["tidy", str(path.with_name("log.jsonl")), "-o", str(out)]) == 0
    (row,) = map(json.loads, out.read_text().splitlines())
    assert (row["rule"], row["reply_text"]) == ("too_long", content)


def test_a_reply_over_the_limit_names_the_limit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(lambda body, _: says("x" * 5000 if "story 1" in str(body) else ANSWER)) as server:
        path = write_run(tmp_path, server.url, limits="max_reply_bytes = 3000", attempts=2)
        assert collect(path) == 1
        assert server.seen.total() == 5
    assert "malformed  the reply has more than 3,000 bytes unpacked" in capsys.readouterr().err
    messages = {
        line.get("error_message") for line in attempts(path) if line["status"] == "malformed"
    }
    assert messages == {"the reply has more than 3,000 bytes unpacked (limits.max_reply_bytes)"}


def test_too_many_headers(tmp_path: Path) -> None:
    answer = says(ANSWER)
    answer.headers |= {f"x-{k}": "y" for k in range(300)}
    with serving(lambda *_: answer) as server:
        path = write_run(tmp_path, server.url, n=1, attempts=1)
        assert collect(path) == 1
        assert (
            "headers, and 200 are allowed (limits.max_reply_headers)"
            in attempts(path)[0]["error_message"]
        )
        write_run(tmp_path, server.url, n=1, attempts=1, limits="max_reply_headers = 400")
        assert collect(path) == 0


def test_an_endpoint_that_fails_in_words_of_its_own(tmp_path: Path) -> None:
    with serving(lambda *_: fails(400, code="4²³")) as server:
        assert collect(write_run(tmp_path, server.url, n=1)) == 1

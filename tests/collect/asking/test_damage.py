"""Damaged logs: a line that is hurt costs itself; all other lines are read, and no answer goes to another question."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from socialstats.errors import SocialStatsError
from socialstats_collect.ask import DATA
from socialstats_collect.log import Log, _records
from socialstats_collect.tidy import table_of
from tests.collect.runs import collect, write_run
from tests.collect.server import Send, fails, says, serving

N = 12
KINDS: dict[str, Callable[[bytes, random.Random], bytes]] = {}


def kind(
    damage: Callable[[bytes, random.Random], bytes],
) -> Callable[[bytes, random.Random], bytes]:
    KINDS[damage.__name__] = damage
    return damage


def _at(data: bytes, rng: random.Random) -> int:
    return rng.randrange(len(data))


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


@kind
def a_byte(data: bytes, rng: random.Random) -> bytes:
    at = _at(data, rng)
    return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]


@kind
def three_bytes(data: bytes, rng: random.Random) -> bytes:
    return a_byte(a_byte(a_byte(data, rng), rng), rng)


@kind
def zeroed_block(data: bytes, rng: random.Random) -> bytes:
    at, size = _at(data, rng), rng.choice((8, 64, 512, 4096))
    return data[:at] + bytes(len(data[at : at + size])) + data[at + size :]


@kind
def cut_block(data: bytes, rng: random.Random) -> bytes:
    at = _at(data, rng)
    return data[:at] + data[at + rng.choice((1, 10, 100, 1000)) :]


@kind
def torn_end(data: bytes, rng: random.Random) -> bytes:
    return data[: _at(data, rng)]


@kind
def torn_beginning(data: bytes, rng: random.Random) -> bytes:
    return data[_at(data, rng) :]


@kind
def no_last_newline(data: bytes, rng: random.Random) -> bytes:
    return data[:-1]


@kind
def lost_line(data: bytes, rng: random.Random) -> bytes:
    lines = _lines(data)
    lines.pop(rng.randrange(len(lines)))
    return b"".join(lines)


@kind
def lost_newline(data: bytes, rng: random.Random) -> bytes:
    lines = _lines(data)
    at = rng.randrange(len(lines) - 1)
    lines[at] = lines[at].rstrip(b"\n") + rng.choice((b"", b" ", b"\x00"))
    return b"".join(lines)


@kind
def doubled_line(data: bytes, rng: random.Random) -> bytes:
    lines = _lines(data)
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return b"".join(lines)


@kind
def shuffled(data: bytes, rng: random.Random) -> bytes:
    head, tail = _lines(data)[: 2 * N + 2], _lines(data)[2 * N + 2 :]
    rng.shuffle(tail)
    return b"".join(head + tail)


FOREIGN = [
    b"not json\n",
    b"[1]\n",
    b"{}\n",
    b'{"type": "attempt"}\n',
    b'{"type": "run", "run_id": "x"}\n',
    b'{"type": "attempt", "key": "zz", "status": "ok", "item_id": "s1", "factors": {}}\n',
    b"\xff\xfe\n",
    b"null\n",
    b"\x00" * 99,
]


@kind
def foreign_line(data: bytes, rng: random.Random) -> bytes:
    lines = _lines(data)
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(FOREIGN))
    return b"".join(lines)


@kind
def forged_answer(data: bytes, rng: random.Random) -> bytes:
    """A line whose text was edited by hand: its checksum no longer fits."""
    lines = _lines(data)
    places = [k for k, line in enumerate(lines) if b'"status": "ok"' in line]
    at = rng.choice(places)
    lines[at] = lines[at].replace(b'\\"A\\"', b'\\"B\\"')
    return b"".join(lines)


@kind
def windows_newlines(data: bytes, rng: random.Random) -> bytes:
    return data.replace(b"\n", b"\r\n")


@kind
def byte_order_mark(data: bytes, rng: random.Random) -> bytes:
    return b"\xef\xbb\xbf" + data


def said(item: str) -> str:
    return (
        f'{{"Answer": "{"AB"[hashlib.sha256(item.encode()).digest()[0] % 2]}"}} to {item} of them'
    )


def script(body: dict[str, Any], before: int) -> Send:
    item = "s" + str(body["messages"][-1]["content"]).split()[1]
    if item in ("s3", "s7") and not before:
        return fails(500)
    return says(said(item)) if item != "s5" else says("", finish="content_filter")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A log of three runs: a budget, an item more, a failure or two."""
    folder = tmp_path_factory.mktemp("whole")
    with serving(script) as server:
        collect(write_run(folder, server.url, n=N, limits="max_calls = 6"))
        path = write_run(folder, server.url, n=N)
        assert collect(path) == 0
        (folder / "items.csv").write_text((folder / "items.csv").read_text() + "s99,story 99\n")
        assert collect(path) == 0
    return path.with_name("log.jsonl").read_bytes()


def check(damaged: bytes, whole: bytes, path: Path) -> None:
    """Read a damaged log; every answer that stands whole in it is in the table, and no other."""
    path.write_bytes(damaged)
    expected = set()
    for line in _lines(whole):
        (record,) = [one for _, one in _records(line.strip())[0]]
        if record["type"] == "attempt" and record["status"] in DATA and line.strip() in damaged:
            expected.add((record["item_id"], record["content"]))
    try:
        with Log(path) as read:
            table = table_of(read)
            rows = [row for several, _ in table.tidied() for row in several]
            hurt = list(read.repairs())
    except SocialStatsError:
        assert not expected
        return
    found = {(row["item_id"], row["reply_text"]) for row in rows if row["reply_status"] in DATA}
    assert found >= expected
    assert all(text == ("" if item == "s5" else said(str(item))) for item, text in found)
    lost = [
        line
        for line in _lines(whole)
        if line.strip() not in damaged and b'"type": "end"' not in line
    ]
    if lost and damaged.strip().endswith(_lines(whole)[-1].strip()):
        assert hurt


@pytest.mark.parametrize("name", KINDS)
def test_a_damaged_log(name: str, log: bytes, tmp_path: Path) -> None:
    for seed in range(6):
        check(KINDS[name](log, random.Random(seed)), log, tmp_path / "log.jsonl")


@pytest.mark.slow
def test_two_thousand_damaged_logs(log: bytes, tmp_path: Path) -> None:
    for seed in range(2000):
        rng = random.Random(f"many {seed}")
        name = list(KINDS)[seed % len(KINDS)]
        damaged = KINDS[name](log, rng)
        if seed % 3 == 2 and damaged:
            damaged = (
                KINDS[rng.choice(list(KINDS))](damaged, rng) if len(damaged) > 5000 else damaged
            )
        check(damaged, log, tmp_path / "log.jsonl")

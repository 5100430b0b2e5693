"""Responses that come late, early, twice, or in pieces: no unit has the answer to another."""

from __future__ import annotations

import gzip
import time
from pathlib import Path
from typing import Any

import pytest

from socialstats_collect import client
from tests.collect.raw import Connection, Talk, answer_to, response, talking
from tests.collect.runs import attempts, collect, table, write_run
from tests.collect.server import says

STALE = response("nobody")
CHUNKED = "transfer-encoding: chunked"
TALKS: dict[str, Talk] = {}


def way(talk: Talk) -> Talk:
    TALKS[talk.__name__] = talk
    return talk


def _in_chunks(body: bytes) -> bytes:
    pieces = [body[k : k + 40] for k in range(0, len(body), 40)]
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


@way
def surplus_at_once(connection: Connection) -> None:
    while item := connection.read():
        connection.send(response(item) + STALE)


@way
def surplus_later(connection: Connection) -> None:
    while item := connection.read():
        connection.send(response(item))
        time.sleep(0.01)
        connection.send(STALE)


@way
def one_response_behind(connection: Connection) -> None:
    """After the first request, each answer on a connection is that to the request before."""
    before = connection.read() or ""
    connection.send(response(before) + response(before))
    while item := connection.read():
        connection.send(response(before))
        before = item


@way
def before_the_request(connection: Connection) -> None:
    if connection.number % 3 == 0 and not connection.asked:
        connection.send(STALE)
    while item := connection.read():
        connection.send(response(item))


@way
def before_the_body(connection: Connection) -> None:
    """Half a stale response stands on the connection, the other half comes in place of the answer."""
    stale = connection.number % 3 == 0 and not connection.asked
    if stale:
        connection.send(STALE[:60])
    while item := connection.read():
        connection.send(STALE[60:] if stale else response(item))


@way
def half_a_response(connection: Connection) -> None:
    item = connection.read() or ""
    data = response(item)
    connection.send(data if connection.number % 3 else data[: len(data) // 2])


@way
def in_pieces(connection: Connection) -> None:
    while item := connection.read():
        data = response(item)
        for place in range(0, len(data), 50):
            connection.send(data[place : place + 50])
            time.sleep(0.001)


@way
def chunked_and_of_a_length(connection: Connection) -> None:
    while item := connection.read():
        body = says(answer_to(item)).body
        head = f"{CHUNKED}\r\ncontent-length: {len(body) // 2}"
        connection.send(response(item, head=head, body=_in_chunks(body)) + STALE)


@way
def two_lengths(connection: Connection) -> None:
    while item := connection.read():
        body = says(answer_to(item)).body
        wrong = connection.number % 3 == 0
        head = f"content-length: {len(body)}" + (
            f"\r\ncontent-length: {len(STALE)}" if wrong else ""
        )
        connection.send(response(item, head=head, body=body) + STALE)


@way
def informed_first(connection: Connection) -> None:
    while item := connection.read():
        connection.send(
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"
            + response(item)
        )


@way
def no_content_with_a_body(connection: Connection) -> None:
    while item := connection.read():
        connection.send(
            STALE.replace(b"200 OK", b"204 No Content")
            if connection.number % 3 == 0
            else response(item)
        )


@way
def late_after_a_timeout(connection: Connection) -> None:
    item = connection.read() or ""
    if connection.number % 8 == 0:
        time.sleep(1.2)
    connection.send(response(item))
    while item := connection.read() or "":
        connection.send(response(item))


@way
def closed_at_once(connection: Connection) -> None:
    if connection.number % 3 and (item := connection.read()):
        connection.send(response(item))


@pytest.mark.parametrize("name", TALKS)
def test_no_unit_has_the_answer_of_another(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if name.startswith("before"):
        monkeypatch.setattr(client, "QUIET", 0.1)  # threads of a busy machine speak late
    with talking(TALKS[name]) as server:
        path = write_run(tmp_path, server.url, n=16, concurrency=4, timeout=0.9, attempts=8)
        assert collect(path) == 0
        assert max(len(connection.items) for connection in server.connections) == 1
    rows = table(path, capsys)
    assert len(rows) == 16
    assert {row["item_id"]: row["reply_text"] for row in rows} == {
        f"s{k}": answer_to(f"s{k}") for k in range(16)
    }


def test_a_server_that_always_speaks_first_is_never_an_answer(tmp_path: Path) -> None:
    def first(connection: Connection) -> None:
        if not connection.asked:  # else the client was quicker, and gets no answer
            connection.send(STALE)
            connection.read()

    with talking(first) as server:
        path = write_run(tmp_path, server.url, n=4, patience=0.5)
        assert collect(path) in (2, 4)
    lines = attempts(path)
    assert {line["status"] for line in lines} == {"connection"}
    assert any("before the request was sent" in line["error_message"] for line in lines)


FLOODS: dict[str, bytes] = {
    "endless informational responses": b"HTTP/1.1 100 Continue\r\n\r\n" * 20,
    "a byte at a time": b" ",
}


@pytest.mark.parametrize("name", FLOODS)
def test_the_time_of_a_whole_reply_is_limited(name: str, tmp_path: Path) -> None:
    def drip(connection: Connection) -> None:
        connection.read()
        if name == "a byte at a time":
            connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n{")
        while True:
            connection.send(FLOODS[name])
            time.sleep(0.02)

    with talking(drip) as server:
        path = write_run(tmp_path, server.url, n=1, timeout=0.5, attempts=1)
        assert collect(path) == 1
    (line,) = attempts(path)
    assert (line["status"], line["error_message"]) == (
        "timeout",
        "no whole reply within 0.5 s (limits.timeout)",
    )


def _odd(body: bytes, status: str = "200 OK") -> Talk:
    def talk(connection: Connection) -> None:
        connection.read()
        connection.send(body)

    return talk


ODD: dict[str, tuple[bytes, str]] = {
    "no http": (b"hello\r\n\r\n", "connection"),
    "switching protocols": (b"HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n" + STALE, "connection"),
    "a redirect": (
        response(
            "x", status="307 X", head="location: http://[::1]/\r\ncontent-length: 0", body=b""
        ),
        "http_error",
    ),
    "no gzip": (
        response("x", head="content-encoding: gzip\r\ncontent-length: 5", body=b"hello"),
        "malformed",
    ),
    "an unknown coding": (
        response("x", head="content-encoding: x\r\ncontent-length: 5", body=b"hello"),
        "malformed",
    ),
    "a negative length": (response("x", head="content-length: -1"), "connection"),
    "a status of two digits": (response("x", status="20 OK"), "connection"),
    "null bytes in a header": (response("x", head="a: \0\r\ncontent-length: 0"), "connection"),
    "nothing": (b"", "connection"),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_responses_are_on_record(name: str, tmp_path: Path) -> None:
    data, status = ODD[name]
    with talking(_odd(data)) as server:
        path = write_run(tmp_path, server.url, n=1, attempts=1, patience=0.3)
        assert collect(path) in (1, 2, 4)
    assert {line["status"] for line in attempts(path)} == {status}


def test_no_request_carries_the_cookie_of_another(tmp_path: Path) -> None:
    heads: list[bytes] = []

    def talk(connection: Connection) -> None:
        item = connection.read() or ""
        heads.append(connection.head.lower())
        body = says(answer_to(item)).body
        connection.send(
            response(item, head=f"set-cookie: session=1; path=/\r\ncontent-length: {len(body)}")
        )

    with talking(talk) as server:
        assert collect(write_run(tmp_path, server.url, n=4, concurrency=1)) == 0
    assert len(heads) == 4
    assert not any(b"cookie" in head for head in heads)


def test_a_reply_that_is_packed_twice_is_not_unpacked(tmp_path: Path) -> None:
    """Each packing may hold a thousand times its size of nothing, in which no limit of bytes ends it."""
    empty = gzip.compress(b"")[:10] + b"\x00\x00\x00\xff\xff" * 100_000
    body = gzip.compress(empty)
    packed = response(
        "x", head=f"content-encoding: gzip, gzip\r\ncontent-length: {len(body)}", body=body
    )
    with talking(_odd(packed)) as server:
        path = write_run(tmp_path, server.url, n=1, attempts=1)
        assert collect(path) == 1
    assert attempts(path)[0]["error_message"] == "the reply is packed more than once (gzip, gzip)"


def test_a_redirect_carries_nothing_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def elsewhere(connection: Connection) -> None:
        seen.append(connection.read())

    monkeypatch.setenv("TOY_KEY", "sk-toy-0123456789")
    with talking(elsewhere) as other:
        moved = response(
            "x", status="308 X", head=f"location: {other.url}\r\ncontent-length: 0", body=b""
        )
        with talking(_odd(moved)) as server:
            path = write_run(tmp_path, server.url, n=1)
            path.write_text(path.read_text().replace("[limits]", 'key_env = "TOY_KEY"\n[limits]'))
            assert collect(path) == 1
    assert seen == []

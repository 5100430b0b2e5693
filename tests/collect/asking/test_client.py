"""The openai client as it is set up: what it sends, where to, and how much it reads."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest

from tests.collect.raw import Connection, answer_to, response, talking
from tests.collect.runs import attempts, collect, write_run

KEY = "sk-toy-0123456789"


def _set(path: Path, setting: str) -> Path:
    path.write_text(path.read_text().replace("[limits]", f"{setting}\n[limits]"))
    return path


def test_azure_has_a_deployment_in_the_address_and_a_header_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads: list[bytes] = []

    def talk(connection: Connection) -> None:
        item = connection.read() or ""
        heads.append(connection.head)
        connection.send(response(item))

    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", "of-another-account")
    with talking(talk) as server:
        path = write_run(tmp_path, server.url.removesuffix("/v1"), n=1)
        path = _set(path, 'key_env = "AZURE_OPENAI_API_KEY"\napi_version = "2024-10-21"')
        assert collect(path) == 0
    (head,) = heads
    request, *_ = head.split(b"\r\n")
    address = b"/openai/deployments/toy/chat/completions?api-version=2024-10-21"
    assert request == b"POST " + address + b" HTTP/1.1"
    assert f"\r\napi-key: {KEY}\r\n".encode() in head.lower() + b"\r\n"
    assert b"authorization" not in head.lower()
    assert [line["content"] for line in attempts(path)] == [answer_to("s0")]


@pytest.mark.parametrize("key", ["", KEY])
def test_no_header_comes_from_the_environment(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads: list[bytes] = []

    def talk(connection: Connection) -> None:
        item = connection.read() or ""
        heads.append(connection.head.lower())
        connection.send(response(item))

    monkeypatch.setenv("TOY_KEY", key)
    monkeypatch.setenv("OPENAI_API_KEY", "of-another-endpoint")
    monkeypatch.setenv("OPENAI_ORG_ID", "organisation-of-mine")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-mine")
    custom = "X-Secret: word-of-mine\nAuthorization: Bearer of-mine\nCookie: of-mine"
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", custom)
    with talking(talk) as server:
        path = _set(write_run(tmp_path, server.url, n=1), 'key_env = "TOY_KEY"')
        assert collect(path) == 0
    (head,) = heads
    names = {line.partition(b":")[0] for line in head.split(b"\r\n")[1:]}
    plain = b"host accept accept-encoding connection content-type content-length user-agent"
    assert names == {*plain.split(), *([b"authorization"] if key else [])}
    assert b"of-mine" not in head
    assert b"of-another" not in head
    assert b"connection: close" in head


@pytest.mark.parametrize("status", ["200 OK", "307 X", "400 X", "500 X"])
def test_a_packed_reply_of_any_status_is_unpacked_up_to_the_limit(
    status: str, tmp_path: Path
) -> None:
    body = gzip.compress(bytes(50_000_000))

    def talk(connection: Connection) -> None:
        connection.read()
        head = f"content-encoding: gzip\r\ncontent-length: {len(body)}"
        connection.send(response("x", status=status, head=head, body=body))

    with talking(talk) as server:
        path = write_run(tmp_path, server.url, n=1, attempts=1, limits="max_reply_bytes = 50000")
        assert collect(path) == 1
    (line,) = attempts(path)
    words = "the reply has more than 50,000 bytes unpacked (limits.max_reply_bytes)"
    assert (line["status"], line["error_message"]) == ("malformed", words)


def test_without_the_client_a_run_names_the_line_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import socialstats_collect

    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.delitem(sys.modules, "socialstats_collect.client", raising=False)
    monkeypatch.delattr(socialstats_collect, "client", raising=False)
    path = write_run(tmp_path, "http://127.0.0.1:9/v1", n=1)
    assert collect(path, "--dry-run") == 0
    capsys.readouterr()
    assert collect(path) == 2
    assert "pip install 'socialstats[collect]'" in capsys.readouterr().err

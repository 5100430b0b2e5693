"""What a run spends and shows: endpoints and their keys, tokens under way, progress, columns of a long prefix."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from socialstats_collect.summary import as_text
from socialstats_collect.tally import CallTally, Progress
from tests.collect.runs import attempts, collect, write_run
from tests.collect.server import Send, says, serving

ANSWER = '{"Answer": "A"}'


def test_each_model_has_its_own_endpoint_and_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRST_KEY", "one")
    monkeypatch.setenv("SECOND_KEY", "two")
    with serving(lambda *_: says(ANSWER)) as here, serving(lambda *_: says(ANSWER)) as there:
        path = write_run(tmp_path, here.url, n=2)
        text = path.read_text().replace('["toy"]', '["toy", "far", "near"]')
        more = f'[endpoints.far]\nbase_url = "{there.url}"\nkey_env = "SECOND_KEY"\n'
        more += f'[endpoints.near]\nbase_url = "{here.url}"\nkey_env = "SECOND_KEY"\n'
        path.write_text(text.replace("[limits]", f'key_env = "FIRST_KEY"\n{more}[limits]'))
        assert collect(path) == 0
        assert {body["model"] for body in there.bodies} == {"far"}
        assert {body["model"] for body in here.bodies} == {"toy", "near"}
        assert there.keys == {"Bearer two"}
        assert here.keys == {"Bearer one", "Bearer two"}


def test_calls_under_way_count_against_the_tokens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def slow(_: dict[str, Any], before: int) -> Send:
        answer = says(ANSWER)
        answer.delay = 0.02
        return answer

    with serving(slow) as server:
        path = write_run(
            tmp_path, server.url, n=300, concurrency=16, limits="max_tokens_total = 1200"
        )
        assert collect(path) == 1
        assert server.seen.total() * 12 <= 1200 + 12 * 16 / 2
    assert "limits.max_tokens_total (1,200) is reached" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ("stream = true", "never streamed"),
        ("n = 2", "use replicates"),
        ('model = "x"', "[factors] model"),
    ],
)
def test_parameters_that_a_run_sets_itself_are_refused(
    sent: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_run(tmp_path, "http://127.0.0.1:9/v1")
    path.write_text(path.read_text().replace("temperature = 0", sent))
    assert collect(path) == 2
    assert words in capsys.readouterr().err


def test_no_request_streams(tmp_path: Path) -> None:
    with serving(lambda *_: says(ANSWER)) as server:
        assert collect(write_run(tmp_path, server.url)) == 0
        assert not any(body.get("stream") for body in server.bodies)


def test_tokens_by_model_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(lambda *_: says(ANSWER)) as server:
        path = write_run(tmp_path, server.url)
        assert collect(path) == 0
    assert "toy: 40 tokens sent, 8 received" in capsys.readouterr().err
    assert len(attempts(path)) == 4


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_counts_unread_replies_and_fits_the_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    tally = CallTally(units_done=60, units_replayed=40, unread=3)
    terminal = _Terminal()
    Progress(terminal, total=100)(tally)
    assert len(terminal.getvalue().removeprefix("\r\x1b[K")) <= 39
    line = Progress(terminal, total=100).line(tally, 10.0)
    assert "60 of 100 units, 20 s left, 2.0 a second" in line
    assert "3 unread" in line
    monkeypatch.setenv("TERM", "dumb")
    plain = _Terminal()
    Progress(plain, total=100)(tally)
    assert plain.getvalue() == ""


def test_a_long_prefix_does_not_break_the_table_by_cell() -> None:
    text = as_text([{"prefix": "As a woman,\nanswer " * 50, "rows": 2}])
    assert max(len(line) for line in text.split("\n")) < 60
    assert len(text.split("\n")) == 2

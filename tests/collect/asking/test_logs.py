"""The log: killed, torn, shared, full, or begun by other questions; nothing on record is lost, nothing asked twice."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from socialstats.cli import main
from socialstats_collect.log import Log, encode
from tests.collect.runs import attempts, collect, table, write_run
from tests.collect.server import Send, says, serving

ROOT = Path(__file__).parents[3]
START = (
    "import sys; sys.path[:0] = {path!r}; from socialstats.cli import main; "
    "sys.exit(main(['collect', sys.argv[1], '-o', sys.argv[2]]))"
)


def _slow(*_: object) -> Send:
    answer = says('{"Answer": "A"}')
    answer.delay = 0.02
    return answer


def _start(path: Path) -> subprocess.Popen[bytes]:
    code = START.format(path=[str(ROOT), str(ROOT / "collect")])
    return subprocess.Popen(
        [sys.executable, "-c", code, str(path), str(path.with_name("log.jsonl"))],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def _wait_for(path: Path, several: int) -> None:
    log = path.with_name("log.jsonl")
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if log.exists() and log.read_bytes().count(b'{"type": "attempt"') >= several:
            return
        time.sleep(0.02)
    raise AssertionError("the run did not get far enough")


def test_a_later_answer_never_replaces_the_first(tmp_path: Path) -> None:
    with serving(lambda *_: says('{"Answer": "A"}')) as server:
        path = write_run(tmp_path, server.url, n=3)
        assert collect(path) == 0
    place = path.with_name("log.jsonl")
    with Log(place) as log:
        first = list(log.answers())
    again = {name: value for name, value in first[0].items() if name not in ("n", "sum")}
    with Log(place, writing=True) as log:
        log._written = 1 + max(
            line["n"] for line in log.records() if line["run_id"] == again["run_id"]
        )
        log.append({**again, "content": '{"Answer": "B"}'})
    with Log(place) as log:
        assert len(log.entries(again["key"])) == 2
        assert list(log.answers()) == first


@pytest.mark.slow
def test_three_kills_lose_nothing_and_double_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    n, concurrency = 400, 8
    with serving(_slow) as server:
        path = write_run(tmp_path, server.url, n=n, concurrency=concurrency)
        for lines in (60, 150, 260):
            process = _start(path)
            _wait_for(path, lines)
            process.kill()
            process.communicate()
        assert collect(path) == 0
        assert server.seen.total() <= n + 3 * concurrency
    rows = table(path, capsys)
    assert sorted(row["item_id"] for row in rows) == sorted(f"s{place}" for place in range(n))
    answered = [line["key"] for line in attempts(path) if line["status"] == "ok"]
    assert len(answered) == len(set(answered)) == n


@pytest.mark.slow
def test_ctrl_c_waits_for_the_calls_under_way(tmp_path: Path) -> None:
    with serving(_slow) as server:
        path = write_run(tmp_path, server.url, n=2000, concurrency=8)
        process = _start(path)
        _wait_for(path, 40)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
        assert process.returncode == 130
        assert server.seen.total() == len(attempts(path))
    assert b"run the same command again" in said
    assert b"Traceback" not in said


def test_a_second_process_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_run(tmp_path, "http://127.0.0.1:9/v1")
    with Log(path.with_name("log.jsonl"), writing=True):
        assert collect(path) == 2
    assert "another process is writing to this log" in capsys.readouterr().err


def test_a_torn_log_on_a_full_disk_is_named(tmp_path: Path) -> None:
    with serving(lambda *_: says('{"Answer": "A"}')) as server:
        path = write_run(tmp_path, server.url)
        assert collect(path) == 0
    log = path.with_name("log.jsonl")
    log.write_bytes(log.read_bytes()[:-30])
    whole = log.read_bytes()

    def full() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole), len(whole)))

    code = START.format(path=[str(ROOT), str(ROOT / "collect")])
    ended = subprocess.run(
        [sys.executable, "-c", code, str(path), str(log)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=full,
    )
    assert ended.returncode == 2
    assert "log.jsonl: cannot be written: File too large. Make room" in ended.stderr
    assert log.read_bytes() == whole


def test_a_log_of_an_end_alone_is_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A disk that was full at the first line had room for the last."""
    with serving(lambda *_: says('{"Answer": "A"}')) as server:
        path = write_run(tmp_path, server.url)
        path.with_name("log.jsonl").write_bytes(encode({"type": "end", "run_id": "r", "n": 0}))
        assert collect(path, "--dry-run") == 0
        assert collect(path) == 0
    assert [row["answer"] for row in table(path, capsys)] == ["A"] * 4


def test_a_line_without_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.jsonl"
    with log.open("wb") as file:
        file.truncate(2**36)
    monkeypatch.setenv("SOCIALSTATS_LIMITS", "length=100000")
    assert main(["tidy", str(log)]) == 2
    assert (
        "log.jsonl line 1: a line, or a single value, has more than 100,000 bytes"
        in capsys.readouterr().err
    )


def test_a_log_that_is_no_file_is_refused_by_a_dry_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_run(tmp_path, "http://127.0.0.1:9/v1")
    os.mkfifo(path.with_name("log.jsonl"))
    assert collect(path, "--dry-run") == 2
    assert "not a file that a log can be in" in capsys.readouterr().err


@pytest.mark.parametrize(
    "torn", [b'{"type": "attempt", "key": "12', b"\x00" * 50, b"{" * 2_000_000]
)
def test_a_torn_end_costs_itself_alone(
    torn: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(lambda *_: says('{"Answer": "A"}')) as server:
        path = write_run(tmp_path, server.url)
        assert collect(path) == 0
        whole = path.with_name("log.jsonl").read_bytes()
        path.with_name("log.jsonl").write_bytes(whole + torn)
        assert collect(path) == 0
        assert server.seen.total() == 4
    assert "1 line of the log cannot be read" in capsys.readouterr().err
    assert path.with_name("log.jsonl").read_bytes().startswith(whole)


def test_a_broken_line_is_passed_over_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(lambda *_: says('{"Answer": "A"}')) as server:
        path = write_run(tmp_path, server.url)
        assert collect(path) == 0
        log = path.with_name("log.jsonl")
        lines = log.read_bytes().splitlines(keepends=True)
        log.write_bytes(b"".join([*lines[:2], b"not json\n[1]\n", *lines[2:]]))
        assert collect(path) == 0
        assert server.seen.total() == 4
    assert "2 lines of the log cannot be read in full" in capsys.readouterr().err
    assert len(table(path, capsys)) == 4


@pytest.mark.slow
@pytest.mark.parametrize(
    "room", [20_000, 120_000]
)  # full within the design, and within the answers
def test_a_full_disk_ends_the_run_and_keeps_the_log_whole(room: int, tmp_path: Path) -> None:
    def small_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    with serving(lambda *_: says('{"Answer": "A"}')) as server:
        path = write_run(tmp_path, server.url, n=200)
        code = START.format(path=[str(ROOT), str(ROOT / "collect")])
        command = [sys.executable, "-c", code, str(path), str(path.with_name("log.jsonl"))]
        ended = subprocess.run(
            command, capture_output=True, preexec_fn=small_files, timeout=60, check=False
        )
        assert ended.returncode == 2
        assert b"Everything before is in the log" in ended.stderr
        assert b"Traceback" not in ended.stderr
        log = path.with_name("log.jsonl").read_bytes()
        assert log.endswith(b"\n")
        assert all(json.loads(line) for line in log.splitlines())
        assert collect(path) == 0
    assert len({line["key"] for line in attempts(path) if line["status"] == "ok"}) == 200


def test_other_settings_need_another_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(lambda *_: says('{"Answer": "A"}')) as server:
        path = write_run(tmp_path, server.url)
        assert collect(path) == 0
        path.write_text(path.read_text().replace("temperature = 0", "temperature = 1"))
        assert collect(path) == 2
        assert server.seen.total() == 4
    said = capsys.readouterr().err
    assert "parameters.temperature was 0, is 1" in said
    assert "a separate log" in said


def test_a_changed_word_is_told_before_it_is_paid_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(
        lambda body, _: says('{"Answer": "B"}' if "new" in str(body) else '{"Answer": "A"}')
    ) as server:
        path = write_run(tmp_path, server.url)
        assert collect(path) == 0
        items = tmp_path / "items.csv"
        items.write_text(items.read_text().replace("story 1", "new 1") + "s9,new 9\n")
        capsys.readouterr()
        assert collect(path) == 2
        assert collect(path, "--dry-run") == 2
        assert server.seen.total() == 4
        said = capsys.readouterr().err
        assert "item 's1': text was 'story 1', is 'new 1'. 1 unit would be asked again" in said
        assert collect(path, "--again") == 0
        assert server.seen.total() == 6
    assert "1 new item: 's9'" in capsys.readouterr().err
    rows = {row["item_id"]: (row["text"], row["answer"]) for row in table(path, capsys)}
    assert rows["s1"] == ("new 1", "B")
    assert len(rows) == 5


def test_the_table_is_a_pure_function_of_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(lambda *_: says('{"Answer": "A"}')) as server:
        path = write_run(tmp_path, server.url)
        assert collect(path) == 0
    first = table(path, capsys)
    path.unlink()
    (tmp_path / "items.csv").unlink()
    assert table(path, capsys) == first
    assert os.listdir(tmp_path) == ["log.jsonl"]

"""A night of faults: kills, outages, a full disk, one in twenty attempts failing; nothing is lost and nothing doubled.

``SOCIALSTATS_NIGHT=10000 60`` in the environment makes it that many calls, with outages of so many seconds.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.collect.runs import attempts, collect, table, write_run
from tests.collect.server import Send, fails, says, serving

ROOT = Path(__file__).parents[3]
START = "import sys; from socialstats.cli import main; sys.exit(main(['collect', sys.argv[1], '-o', sys.argv[2]]))"
FAULTS = [fails(500), fails(429), fails(429, retry_after="0.1"), Send(reset=True), Send(body=b"<html>"), fails(503)]


def _start(path: Path, size: int | None = None) -> subprocess.Popen[bytes]:
    def small_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size or 0, size or 0))

    command = [sys.executable, "-c", START, str(path), str(path.with_name("log.jsonl"))]
    paths = os.pathsep.join((str(ROOT), str(ROOT / "collect")))
    env = {**os.environ, "PYTHONPATH": paths}
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=env, preexec_fn=small_files if size else None, **pipes)


@pytest.mark.slow
def test_a_night_of_faults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    n, outage = (int(one) for one in os.environ.get("SOCIALSTATS_NIGHT", "600 2").split())
    rng, lock, down = random.Random(1), threading.Lock(), [0.0]
    answered: dict[str, int] = {}

    def script(body: dict[str, Any], _: int) -> Send:
        prompt = str(body["messages"][-1]["content"])
        with lock:
            if time.monotonic() < down[0]:
                return fails(503)
            if rng.random() < 0.05:
                return rng.choice(FAULTS)
            answered[prompt] = answered.get(prompt, 0) + 1
        return says('{"Answer": "A"} to ' + prompt)

    kills, concurrency = 5, 8
    with serving(script) as server:
        path = write_run(tmp_path, server.url, n=n, concurrency=concurrency, attempts=8, patience=10.0 * outage)
        log = path.with_name("log.jsonl")
        for k in range(kills):
            process = _start(path)
            goal = (k + 1) * n // 8
            while len(answered) < goal and process.poll() is None:
                time.sleep(0.01)
            if k in (1, 3):
                down[0] = time.monotonic() + outage
                time.sleep(outage / 2)
            process.kill()
            process.communicate()
        full = _start(path, log.stat().st_size + 20_000)
        _, said = full.communicate()
        assert full.returncode == 2
        assert b"Everything before is in the log" in said
        assert collect(path) == 0
    rows = table(path, capsys)
    assert len(rows) == n
    assert all(row["text"] in row["reply_text"] for row in rows)
    first = [line["key"] for line in attempts(path) if line["status"] == "ok"]
    assert len(first) == len(set(first)) == n
    assert sum(answered.values()) <= n + (kills + 1) * concurrency

"""A night of faults: kills, outages, a full disk, failing attempts and a ceiling of cost, with the figures at the end.

``python -m tests.collect.night 10000 60`` makes 10,000 units, with outages of 60 seconds.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from socialstats.text import as_given
from socialstats_collect.log import Log
from socialstats_collect.tidy import table_of
from tests.collect.mock import answer
from tests.collect.runs import attempts, write_run
from tests.collect.server import Send, fails, serving

ROOT = Path(__file__).parents[2]
START = "import sys; from socialstats.cli import main; sys.exit(main(['collect', sys.argv[1], '-o', sys.argv[2]]))"
KILLS, WORKERS, FAULTS = 5, 8, 0.05
FREE = [
    fails(500),
    fails(429),
    fails(429, retry_after="0.1"),
    fails(503),
    Send(reset=True),
    Send(body=b"<html>"),
]
BILLED = ("cut", "odd", "bomb")
CHEAPEST, DEAREST = 0.5, 1.5  # a call


@dataclass(slots=True)
class Night:
    """The endpoint of a night: what it answered and what it billed.

    Attributes
    ----------
    answered
        Whole answers that were sent, by prompt.
    spent
        Money billed, answers that never arrived included.
    down
        When the outage ends.
    """

    rng: random.Random
    answered: Counter[str] = field(default_factory=Counter)
    spent: float = 0.0
    down: float = 0.0
    faults: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def script(self, body: dict[str, Any], before: int) -> Send:
        """Answer, or fail: one fault in three is billed all the same."""
        prompt = str(body["messages"][-1]["content"])
        whole = json.loads(answer(body, before).body)
        whole["usage"]["cost"] = CHEAPEST + zlib.crc32(prompt.encode()) % 11 / 10
        with self._lock:
            if time.monotonic() < self.down:
                return fails(503)
            fault = self.rng.random() < FAULTS
            kind = self.rng.choice((*BILLED, *range(len(FREE)))) if fault else ""
            self.faults += fault
            if isinstance(kind, int):
                return FREE[kind]
            self.spent += whole["usage"]["cost"]
            self.answered[prompt] += kind == ""
        if kind == "odd":
            whole["choices"] = {}
        if kind == "bomb":
            whole["padding"] = "x" * 100_000
        return Send(body=json.dumps(whole).encode(), cut=kind == "cut")


def _start(path: Path, size: int | None = None) -> subprocess.Popen[bytes]:
    def small_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size or 0, size or 0))

    command = [sys.executable, "-c", START, str(path), str(path.with_name("log.jsonl"))]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "collect")))}
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=env, preexec_fn=small_files if size else None, **pipes)


def run(folder: Path, n: int, outage: float) -> dict[str, float]:
    """Run a night and return its figures.

    Half of the way there is a ceiling of cost, at which the run has to end; then the ceiling is raised.
    """
    night, began = Night(random.Random(1)), time.monotonic()
    figures: dict[str, float] = {}
    with serving(night.script) as server:

        def write(ceiling: float) -> Path:
            limits = f"max_cost = {ceiling}\nmax_reply_bytes = 50000"
            return write_run(
                folder,
                server.url,
                n=n,
                concurrency=WORKERS,
                attempts=8,
                patience=10.0 * outage,
                limits=limits,
            )

        ceiling = 0.5 * n
        path = write(ceiling)
        for k in range(KILLS):
            process = _start(path)
            goal = (k + 1) * n // 12
            while len(night.answered) < goal and process.poll() is None:
                time.sleep(0.01)
            if k in (1, 3):
                night.down = time.monotonic() + outage
                time.sleep(outage / 2)
            process.kill()
            process.communicate()
        process = _start(path)
        _, said = process.communicate()
        figures |= {
            "ceiling": ceiling,
            "spent at the ceiling": night.spent,
            "code at the ceiling": process.returncode,
        }
        assert f"limits.max_cost ({as_given(ceiling)}) is reached" in said.decode()
        path = write(10.0 * n)
        full = _start(path, path.with_name("log.jsonl").stat().st_size + 20_000)
        _, said = full.communicate()
        assert b"Everything before is in the log" in said
        figures["code with a full disk"] = full.returncode
        for _ in range(3):
            last = _start(path)
            last.communicate()
            if last.returncode == 0:
                break
        figures["code at the end"] = last.returncode
    return {**figures, **_counted(path, night), "seconds": round(time.monotonic() - began)}


def _counted(path: Path, night: Night) -> dict[str, float]:
    """Compare the log and its table with what the endpoint answered."""
    lines = attempts(path)
    answers = Counter(line["key"] for line in lines if line["status"] == "ok")
    with Log(path.with_name("log.jsonl")) as log:
        rows = [row for several, _ in table_of(log).tidied() for row in several]
        damaged = len(log.damaged) + log.lost
    wrong = 0
    for row in rows:
        body = {
            "model": "toy",
            "messages": [{"role": "user", "content": f"{row['text']} (A) or (B)?"}],
        }
        wrong += (
            row["reply_text"]
            != json.loads(answer(body, 0).body)["choices"][0]["message"]["content"]
        )
    return {
        "rows": len(rows),
        "answers": len(answers),
        "lost": sum(row["answer_status"] == "missing" for row in rows),
        "twice": answers.total() - len(answers),
        "with another unit's answer": wrong,
        "lines damaged or lost": damaged,
        "attempts": len(lines),
        "faults": night.faults,
        "answers sent": night.answered.total(),
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for name, figure in run(Path(folder), int(sys.argv[1]), float(sys.argv[2])).items():
            print(f"{name}: {figure:,}")

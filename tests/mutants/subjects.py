"""The tests of the subject of a function: those that run it, and first of these those named after its file."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

ROOMS = (
    "inference",
    "resampling",
    "designs",
    "planning",
    "paired",
    "shares",
    "agreement",
    "choices",
    "scales",
    "custom",
)  # of the package
FOLDERS = (
    "models",
    "inference",
    "metrics",
    "resampling",
    "designs",
    "planning",
    "contracts",
    "traps",
    "audit",
    "cli",
    "studies",
    "results",
    "tables",
)  # of the tests
FILES = (
    *(f"socialstats/{room}" for room in ROOMS),  # the examples of docstrings
    "tests/test_golden_values.py",
    "tests/test_resampling.py",
    "tests/test_multinomial.py",
    "tests/test_halves.py",
)
RECORDED = ("tests/contracts/test_fingerprints.py", "tests/contracts/test_readings.py")
SECONDS, MOST = 40.0, 800  # the most CPU, as measured, and the most tests for one mutant
QUICK = ("-m", "not slow and not engines and not browser", "-q", "-p", "no:cacheprovider")
Seconds = dict[str, float]


class Subjects:
    """Which tests run which function.

    Parameters
    ----------
    tests : dict of str to (float, list of str)
        Seconds, and functions as ``path::name``, of each test that passes without a mutant.
    """

    def __init__(self, tests: dict[str, tuple[float, list[str]]]) -> None:
        self.seconds: Seconds = {test: seconds for test, (seconds, _) in tests.items()}
        self.by_function: defaultdict[str, set[str]] = defaultdict(set)
        for test, (_, functions) in tests.items():
            for function in functions:
                self.by_function[function].add(test)
                self.by_function[function.split("::")[0]].add(test)

    def of(self, path: str, function: str) -> list[str]:
        """Return the tests of a function, up to `SECONDS` and `MOST` of them.

        Examples of its own file come first, tests named after it, then those that compare all numbers and readings
        with what they were. Of the others each file gives one in turn, the quickest first, as tests of one file look
        at the same things. What stands outside of functions has the tests that run any function of the file.
        """
        running = self.by_function[f"{path}::{function}" if function else path]
        if not function and not running:
            running = {*self.seconds}  # a module of names, which every test imports
        turn: Counter[str] = Counter()
        order = {}
        for test in sorted(running, key=lambda test: (self.seconds[test], test)):
            file = test.split("::")[0]
            order[test] = (
                -_shared(path, test),
                file not in RECORDED,
                0 if file in RECORDED else turn[file],
            )
            turn[file] += 1
        tests = sorted(order, key=lambda test: (*order[test], self.seconds[test], test))
        chosen, total = [], 0.0
        for test in tests[:MOST]:
            total += self.seconds[test]
            if chosen and total > SECONDS:
                break
            chosen.append(test)
        return chosen


def measure(copy: Path, jobs: int) -> Subjects:
    """Run the quick tests once in an unchanged copy, and return which functions each test runs."""
    folders = [f"tests/{folder}" for folder in FOLDERS]
    with tempfile.TemporaryDirectory() as calls:
        command = [
            sys.executable,
            "-m",
            "pytest",
            *QUICK,
            "-n",
            str(jobs),
            "-p",
            "tests.mutants.running",
        ]
        subprocess.run(
            [*command, *folders, *FILES],
            cwd=copy,
            env=environment(copy) | {"MUTANTS_CALLS": calls},
            stdout=subprocess.DEVNULL,
            check=False,
        )
        tests = {}
        for part in Path(calls).glob("*.json"):
            tests.update(json.loads(part.read_text(encoding="utf-8")))
    if not tests:
        raise RuntimeError("no test passes without a mutant")
    return Subjects(tests)


def environment(copy: Path) -> dict[str, str]:
    """Return the environment in which the package is that of a copy."""
    path = os.pathsep.join(str(copy / folder) for folder in (".", "collect", "reports"))
    return {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def _shared(path: str, test: str) -> int:
    """Return how many words the name of a file of the package shares with that of a test's file; most for its own."""
    if test.startswith(f"{path}::"):
        return len(path)
    stem = Path(test.split("::")[0]).stem
    return len({*re.split(r"[/_.]", path)[2:-1]} & {*stem.split("_")[1:]})

"""A pytest plugin that writes which functions of the package each test runs: ``-p tests.mutants.running``.

The environment variable MUTANTS_CALLS names the folder it writes to. A fixture that several tests share counts for
each of them. What a helper remembers counts for the first test that asks for it.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

TOP = str(Path(__file__).parents[2]) + os.sep


class Calls:
    """The code that ran in each test and in each fixture."""

    def __init__(self) -> None:
        self.now: set[CodeType] = set()
        self.fixtures: defaultdict[str, set[CodeType]] = defaultdict(set)
        self.tests: dict[str, tuple[float, list[str]]] = {}
        self.failed: set[str] = set()

    def start(self) -> set[CodeType]:
        """Note calls from here on, and return those before; an error in a traced call, such as recursion, ends it."""
        sys.settrace(self.trace)
        before, self.now = self.now, set()
        return before

    def trace(self, frame: FrameType, _event: str, _argument: Any) -> None:
        """Note the code of a call; the lines inside are not traced."""
        self.now.add(frame.f_code)


calls = Calls()


def pytest_configure() -> None:
    """Begin to note calls."""
    threading.settrace(calls.trace)
    calls.start()


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any) -> Generator[None, Any, Any]:
    """Note what a shared fixture runs."""
    before = calls.start()
    try:
        return (yield)
    finally:
        calls.fixtures[fixturedef.argname] |= calls.now
        calls.now |= before


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Function) -> Generator[None, Any, Any]:
    """Note what a test runs, and the seconds of CPU it takes."""
    calls.start()
    start = time.process_time()
    try:
        return (yield)
    finally:
        ran = calls.now.union(*(calls.fixtures[name] for name in getattr(item, "fixturenames", ())))
        calls.tests[item.nodeid] = (
            time.process_time() - start,
            sorted({name for c in ran if (name := _name(c))}),
        )


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note what does not pass without any mutant."""
    if report.outcome != "passed":
        calls.failed.add(report.nodeid)


def pytest_unconfigure() -> None:
    """Write the tests that pass: seconds and names of functions."""
    sys.settrace(None)
    if calls.tests:
        passed = {name: ran for name, ran in calls.tests.items() if name not in calls.failed}
        Path(os.environ["MUTANTS_CALLS"], f"{os.getpid()}.json").write_text(
            json.dumps(passed), encoding="utf-8"
        )


def _name(code: CodeType) -> str:
    """Return file and qualified name of the outermost function of a code; empty for code outside of the package."""
    path = code.co_filename.removeprefix(TOP)
    name = code.co_qualname.split(".<locals>")[0]
    return f"{path}::{name}" if path.startswith("socialstats") and "<" not in name else ""

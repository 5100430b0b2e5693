"""A night of faults, scaled down: nothing is lost, nothing doubled, and the ceiling holds (`make night`: all of it)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.collect.night import DEAREST, KILLS, WORKERS, run


@pytest.mark.slow
def test_a_night_of_faults(tmp_path: Path) -> None:
    n, outage = (int(number) for number in os.environ.get("SOCIALSTATS_NIGHT", "400 2").split())
    figures = run(tmp_path, n, outage)
    assert (figures["rows"], figures["answers"]) == (n, n)
    for name in (
        "lost",
        "twice",
        "with another unit's answer",
        "lines damaged or lost",
        "code at the end",
    ):
        assert figures[name] == 0, (name, figures)
    assert (figures["code at the ceiling"], figures["code with a full disk"]) == (1, 2)
    assert figures["spent at the ceiling"] <= figures["ceiling"] + DEAREST
    assert figures["spent at the ceiling"] >= 0.8 * figures["ceiling"]
    assert figures["answers sent"] <= n + (KILLS + 2) * WORKERS

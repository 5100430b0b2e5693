"""The power of the checks from summaries stands in docs/audit.md as computed; no right number is called wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import power

SEARCHED = "confusion, F1 of precision and recall"  # two seconds


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=[pytest.mark.slow] * (k == SEARCHED)) for k in power.KINDS]
)
def test_no_false_alarm_and_the_page_says_the_power(kind: str) -> None:
    alarms, powerless, noticed = power.measured(kind)
    assert not alarms
    table = power.PAGE.read_text(encoding="utf-8").split(power.MARKS[0])[1].split(power.MARKS[1])[0]
    (row,) = [line for line in table.splitlines() if line.startswith(f"| {kind} |")]
    assert row.endswith(f"| 0 of 40 | {powerless} | {round(100 * noticed / 40)}% |")


@pytest.mark.slow
@pytest.mark.parametrize("kind", power.KINDS)
def test_no_false_alarm_in_other_draws(kind: str) -> None:
    assert not power.measured(kind, cases=150, seed=7)[0]

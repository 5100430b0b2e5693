"""No number, count or name of a result changes unnoticed, under any option of any metric."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from socialstats.metrics import METRICS
from tests.contracts.fingerprints import FILE, cases, derived, outcome
from tests.contracts.test_derived import OF_FITS

KNOWN = json.loads(FILE.read_text(encoding="utf-8"))
SMALL = 1e-7  # what is 0 but for rounding


def changes(calls: Iterable[tuple[str, Callable[[], Any]]]) -> list[str]:
    found = {case: outcome(call) for case, call in calls if case in KNOWN}
    return [
        f"{case}: {field} is {one.get(field)}, was {known}"
        for case, one in found.items() for field, known in KNOWN[case].items()
        if one.get(field) != pytest.approx(known, rel=1e-6, abs=SMALL)
    ]  # fmt: skip


@pytest.mark.parametrize("name", METRICS)
def test_numbers_counts_and_names_stay(name: str) -> None:
    assert not (found := changes(cases(name))), "\n".join(found)


def test_those_of_derived_results_stay() -> None:
    assert not (found := changes(derived())), "\n".join(found)


def test_every_metric_and_nearly_every_option_has_a_fingerprint() -> None:
    assert {case.split(",")[0] for case in KNOWN} == {*METRICS, "derived", *OF_FITS}
    assert sum("=" in case for case in KNOWN) > 250

"""No number, count or name of a result changes unnoticed, under any option of any metric."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from socialstats.metrics import METRICS
from tests.contracts.fingerprints import FILE, cases, derived, least_cases, outcome, thin_cases
from tests.contracts.further import FURTHER
from tests.contracts.subjects import subject_of, thin_tables
from tests.contracts.test_derived import OF_FITS

KNOWN = json.loads(FILE.read_text(encoding="utf-8"))
THIN = [(name, table) for name in METRICS for table in thin_tables(subject_of(name))]
NOTHING = [0, 0.0]
SMALL = 1e-7  # what is 0 but for rounding


def changes(calls: Iterable[tuple[str, Callable[[], Any]]]) -> list[str]:
    found = {case: outcome(call) for case, call in calls if case in KNOWN}
    both = [
        (case, field, one.get(field, NOTHING), KNOWN[case].get(field, NOTHING))
        for case, one in found.items()
        for field in {**KNOWN[case], **one}
    ]
    return [
        f"{case}: {field} is {is_now}, was {was}"
        for case, field, is_now, was in both
        if is_now != pytest.approx(was, rel=1e-6, abs=SMALL)
    ]


@pytest.mark.parametrize("name", METRICS)
def test_numbers_counts_and_names_stay(name: str) -> None:
    assert not (found := changes(cases(name))), "\n".join(found)


@pytest.mark.parametrize("name", METRICS)
def test_those_of_two_and_three_units_or_clusters_stay(name: str) -> None:
    assert not (found := changes(least_cases(name))), "\n".join(found)


@pytest.mark.parametrize(("name", "table"), THIN)
def test_those_of_thin_tables_and_uneven_clusters_stay(name: str, table: str) -> None:
    assert not (found := changes(thin_cases(name, table))), "\n".join(found)


def test_those_of_derived_results_stay() -> None:
    assert not (found := changes(derived())), "\n".join(found)


@pytest.mark.parametrize("kind", FURTHER)
def test_those_of_further_derived_results_stay(kind: str) -> None:
    assert not (found := changes(FURTHER[kind]())), "\n".join(found)


def test_every_metric_and_nearly_every_option_has_a_fingerprint() -> None:
    assert {case.split(",")[0] for case in KNOWN} == {*METRICS, "derived", *OF_FITS}
    assert {f"{name}, {table}" for name, table in THIN} <= {*KNOWN}
    assert sum("=" in case for case in KNOWN) > 800

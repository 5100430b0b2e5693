"""Rows and the line on inference name the bootstrap interval that was asked for, and no other."""

from __future__ import annotations

import inspect

import pytest

from socialstats.errors import InputError
from socialstats.metrics import METRICS
from socialstats.results import Row
from tests.contracts.subjects import run, subject_of

BOOTSTRAPS = ("percentile", "basic", "bca", "studentized")
DRAWN = [
    n
    for n, m in METRICS.items()
    if {"ci", "resamples"} <= set(inspect.signature(m.function).parameters)
]


def named(row: Row) -> list[str]:
    return [ci for ci in BOOTSTRAPS if ci in (row.method or "").casefold()]


@pytest.mark.parametrize("ci", BOOTSTRAPS)
@pytest.mark.parametrize("name", DRAWN)
def test_the_bootstrap_that_was_asked_for_is_named(name: str, ci: str) -> None:
    subject = subject_of(name)
    try:
        result = run(name, subject.design(subject.rows()), ci=ci, resamples=199)
    except InputError as error:
        if "is not one of" not in str(error):
            raise
        pytest.skip(f"{name} has no such interval")
    assert ci in result.inference.casefold()
    rows = [row for row in result.rows if row.conf_low is not None]
    assert [ci] in [named(row) for row in rows]
    for row in rows:
        if row.interval in BOOTSTRAPS:
            assert (row.interval, named(row)) == (ci, [ci])

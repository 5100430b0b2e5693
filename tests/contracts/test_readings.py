"""No reading of an unknown table changes unnoticed."""

from __future__ import annotations

import json

import pytest

from tests.contracts.readings import FILE, NAMES, readings

KNOWN = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_readings_of_a_table_stay(name: str) -> None:
    assert readings(name) == KNOWN[name]


def test_every_table_has_readings() -> None:
    assert {*KNOWN} == {*NAMES}
    assert sum(bool(found) for name in NAMES for found in KNOWN[name].values()) > 150

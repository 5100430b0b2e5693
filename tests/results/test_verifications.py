"""Comparisons that are made when they are first read."""

from __future__ import annotations

import pytest

from socialstats.results import Verification, Verifications, combine_verifications

EMPTY = Verification(checks=())


def test_a_comparison_is_made_once_and_only_when_it_is_read() -> None:
    made: list[str] = []

    def later(name: str) -> Verification:
        made.append(name)
        return Verification(checks=())

    found = Verifications({"a": lambda: later("a"), "b": lambda: later("b")})
    both = combine_verifications(found, {"c": EMPTY})
    assert list(both) == ["a", "b", "c"]
    assert len(both) == 3
    assert made == []
    assert both["b"] is both["b"]
    assert both["b"] is found["b"]
    assert made == ["b"]


def test_what_was_made_elsewhere_is_kept_under_known_names_only() -> None:
    found = Verifications({"a": lambda: pytest.fail("made again")})
    found.keep({"a": EMPTY, "z": EMPTY})
    assert dict(found) == {"a": EMPTY}


def test_of_one_name_the_last_source_counts() -> None:
    other = Verification(checks=())
    assert combine_verifications({"a": EMPTY}, {"a": other})["a"] is other

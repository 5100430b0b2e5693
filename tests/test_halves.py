"""Work in two processes: the same results and the same errors as in one."""

from __future__ import annotations

import os
import sys
import time

import pytest

from socialstats import halves
from socialstats.halves import in_halves


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_two_processes_give_what_one_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(halves, "_alone", lambda: True)
    one = os.getpid()

    def work(i: int) -> tuple[int, bool, int]:
        time.sleep(0.1)
        return i, os.getpid() == one, halves.processes()

    found = in_halves(work, 7)
    assert [i for i, _, _ in found] == list(range(7))
    here = [mine for _, mine, _ in found]
    assert here == sorted(
        here, reverse=True
    )  # one process from the first piece on, the other from the last
    assert {True, False} == set(here)
    assert {n for _, _, n in found} == {1}  # neither makes a third
    assert halves.processes() == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_long_piece_leaves_the_others_to_the_other_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(halves, "_alone", lambda: True)
    one = os.getpid()

    def work(i: int) -> bool:
        time.sleep(1.0 if i == 0 else 0.02)
        return os.getpid() == one

    assert in_halves(work, 6) == [True] + [False] * 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.parametrize("bad", [0, 1, 5])
def test_an_exception_of_either_process_is_raised_here(
    bad: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(halves, "_alone", lambda: True)

    def work(i: int) -> int:
        if i == bad:
            raise ArithmeticError(f"piece {i}")
        return i

    with pytest.raises(ArithmeticError, match=f"piece {bad}"):
        in_halves(work, 6)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_what_cannot_be_sent_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(halves, "_alone", lambda: True)
    found = in_halves(lambda i: lambda: i, 6)
    assert [one() for one in found] == list(range(6))


def test_a_process_with_an_engine_of_threads_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy of one that had read by DuckDB waited for its threads, and a page of a folder never ended."""
    for name in halves.ENGINES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    free = halves.processes()
    monkeypatch.setitem(sys.modules, "duckdb", sys)
    assert halves.processes() == 1
    monkeypatch.delitem(sys.modules, "duckdb")
    assert halves.processes() == free


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.parametrize(("seconds", "alone"), [(0.0, True), (0.02, False)])
def test_pieces_of_another_kind_are_taken_where_they_are_worth_it(
    seconds: float, alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second process does quick pieces alone; of slow ones the first does a part after its own kind."""
    monkeypatch.setattr(halves, "_alone", lambda: True)
    monkeypatch.setattr(halves, "LOADING", 0.05)
    one = os.getpid()

    def work(i: int) -> bool:
        end = time.process_time() + (seconds if i >= 2 else 0.0)
        while time.process_time() < end:
            pass
        return os.getpid() == one

    in_first = in_halves(work, 22, border=2)
    assert in_first[:2] == [True, True]
    assert any(in_first[2:]) is not alone

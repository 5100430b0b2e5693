"""Work in two processes: the same results and the same errors as in one."""

from __future__ import annotations

import os

import pytest

from socialstats import halves
from socialstats.halves import in_halves


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_two_processes_give_what_one_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(halves, "_alone", lambda: True)
    one = os.getpid()
    found = in_halves(lambda i: (i, os.getpid() == one), 7)
    assert [i for i, _ in found] == list(range(7))
    assert [here for _, here in found] == [True, False] * 3 + [True]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.parametrize("bad", [0, 1, 5])
def test_an_exception_of_either_process_is_raised_here(bad: int, monkeypatch: pytest.MonkeyPatch) -> None:
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

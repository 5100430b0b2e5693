"""The verification table of a page: many numbers in a few lines, and every disagreement in one of its own."""

from __future__ import annotations

from dataclasses import replace

from socialstats.results import Check, Verification
from socialstats_reports.verification import verification_table, verification_words


def check(quantity: str, ours: float | None, theirs: float | None, ok: bool | None = True, why: str = "sums") -> Check:
    return Check(quantity=quantity, ours=ours, theirs=theirs, package="numpy", version="2.0", tolerance=0.1, ok=ok,
                 why=why)  # fmt: skip


FOUND = {
    "fit": Verification(checks=(check("a", 1.0, 1.0), check("b", 1.0, 1.05), check("c", 1.0, 9.0, ok=False),
                                check("d", 1.0, 1.0, why="other"))),
    "shares": Verification(checks=(check("a", None, 2.0, ok=None), check("a", 2.0, 2.0))),
}  # fmt: skip


def test_numbers_checked_in_one_way_share_a_line_that_shows_the_farthest() -> None:
    table = verification_table(FOUND)
    shown = [(row[0], *row[2:5]) for row in table.cells]
    assert shown == [
        ("fit", 2, "2", "b"), ("fit", 1, "0", "c"), ("fit", 1, "1", "d"), ("shares", 1, "not compared", "a"),
        ("shares", 1, "1", "a"),
    ]  # fmt: skip


def test_published_numbers_are_counted_by_kind_with_what_was_not_checked() -> None:
    low = replace(check("a, low", 0.5, 0.5), row=0, field="conf_low")
    high = replace(check("a, high", 1.5, None, ok=None, why=""), row=0, field="conf_high", note="too many draws")
    again = replace(check("a", 1.0, 9.0, ok=False), row=0, field="estimate")
    found = {**FOUND, "more": Verification(checks=(low, high, again, replace(again, ok=True)))}
    assert verification_words(found) == {
        "said": "0 of 1 recomputed value agreed with independent implementations within tolerance.",
        "wrong": "1 disagreed: estimates 1 ('a'). Quote none of these values.",
        "by_kind": "estimates 0 of 1; intervals 0 of 1", "reasons": "too many draws (1)",
        "absent": "",
    }  # fmt: skip
    gone = Verification(checks=(replace(check("b", 1.0, None, ok=None), package="pingouin", version=""),))
    assert verification_words({"a": gone})["absent"] == ("pingouin is not installed: pip install 'socialstats[check]'")
    assert verification_words({})["said"] == "No value was recomputed by an independent implementation."
    assert sum(row[2] for row in verification_table(FOUND).cells if isinstance(row[2], int)) == 6

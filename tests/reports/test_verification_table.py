"""The verification table of a page: many numbers in a few lines, and every disagreement in one of its own."""

from __future__ import annotations

from dataclasses import replace

from socialstats.results import Check, Result, Row, Verification
from socialstats.studies.page import Block, Outcome
from socialstats_reports.verification import verification_table, verification_words


def check(
    quantity: str,
    ours: float | None,
    theirs: float | None,
    ok: bool | None = True,
    why: str = "sums",
) -> Check:
    return Check(
        quantity=quantity,
        ours=ours,
        theirs=theirs,
        package="numpy",
        version="2.0",
        tolerance=0.1,
        ok=ok,
        why=why,
    )


FOUND = {
    "fit": Verification(
        checks=(
            check("a", 1.0, 1.0),
            check("b", 1.0, 1.05),
            check("c", 1.0, 9.0, ok=False),
            check("d", 1.0, 1.0, why="other"),
        )
    ),
    "shares": Verification(checks=(check("a", None, 2.0, ok=None), check("a", 2.0, 2.0))),
}


def test_numbers_checked_in_one_way_share_a_line_that_shows_the_farthest() -> None:
    table = verification_table(FOUND)
    shown = [(row[0], *row[2:5]) for row in table.cells]
    assert shown == [
        ("fit", 2, "2", "b"),
        ("fit", 1, "0", "c"),
        ("fit", 1, "1", "d"),
        ("shares", 1, "not compared", "a"),
        ("shares", 1, "1", "a"),
    ]


def test_what_disagrees_is_named_and_what_was_not_asked_too() -> None:
    low = replace(check("a, low", 0.5, 0.5), row=0, field="conf_low")
    high = replace(
        check("a, high", 1.5, None, ok=None, why=""),
        row=0,
        field="conf_high",
        note="too many draws",
    )
    again = replace(check("a", 1.0, 9.0, ok=False), row=0, field="estimate")
    row = Row(term="a", estimate=1.0, conf_low=0.5, conf_high=1.5)
    result = Result(metric="choice_shares", title="t", rows=(row,), inference="i")
    outcome = Outcome(
        study="s",
        title="t",
        design="d",
        answer=(),
        cautions=(),
        flow=(),
        blocks=(Block(id="b", question="?", sentences=(), results=(result,)),),
    )
    found = {
        **FOUND,
        "more": Verification(checks=(low, high, again, replace(again, ok=True)), rows=(row,)),
    }
    words = verification_words(outcome, found)
    assert words["said"] == (
        "1 of the 3 numbers of this page was recomputed by independent code and agrees. 1 disagrees. "
        "1 was not recomputed: no independent implementation (1)."
    )
    assert words["wrong"] == "Do not quote what disagrees: 'a'."
    assert words["by_kind"] == "estimates 0 of 1; limits 1 of 2"
    assert words["notes"] == "too many draws (1)"
    gone = Verification(
        checks=(replace(check("b", 1.0, None, ok=None), package="pingouin", version=""),)
    )
    absent = verification_words(outcome, {"a": gone})["absent"]
    assert absent == "pingouin is not installed: pip install 'socialstats[check]'"
    none = "No number of this page was recomputed by independent code. 3 were not recomputed: "
    assert verification_words(outcome, {})["said"].startswith(none)


def test_lines_of_the_table_hold_every_check() -> None:
    assert sum(row[2] for row in verification_table(FOUND).cells if isinstance(row[2], int)) == 6

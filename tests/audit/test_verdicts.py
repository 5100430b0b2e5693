"""What a verdict means: touching intervals, the side of the level, and checks that could not have failed."""

from __future__ import annotations

import pytest

import socialstats as ss


@pytest.mark.parametrize(
    ("value", "source", "verdict", "severity"),
    [
        ("3", "4", "disagree", "minor"),
        ("16.4", "16.3", "disagree", "minor"),
        ("16.5", "16.3", "disagree", "major"),
        ("16.4%", "16.3%", "disagree", "minor"),
        ("0.163", "16.4%", "disagree", "minor"),
        ("0.164", "16.4%", "agree", "none"),
        ("16.30", "16.3", "agree", "none"),
        ("16.34", "16.3", "agree", "none"),
        ("16.3", "16.35", "agree", "none"),  # a tie: half down, or 16.346 before it was rounded
        ("16.4", "16.35", "agree", "none"),
        ("16.3", "16.36", "disagree", "minor"),
        ("<.001", ".0004", "agree", "none"),
        ("-3", "3", "disagree", "major"),
    ],
)
def test_two_printed_numbers_are_equal_or_one_is_the_rounding_of_the_other(
    value: str, source: str, verdict: str, severity: str
) -> None:
    for one, other in ((value, source), (source, value)):
        found = ss.audit.text_against_table(one, other)
        assert (found.verdict, found.severity) == (verdict, severity), (one, other)


def test_the_gap_of_equal_decimals_is_that_of_the_numbers() -> None:
    assert ss.audit.text_against_table("3", "4").gap == 1
    assert ss.audit.text_against_table("3", "5").gap == 2
    assert ss.audit.text_against_table("45.3", "0.452", scale=100).gap == 1
    assert ss.audit.text_against_table("3", "4").power == 0.95  # 4 itself is among the 20
    assert ss.audit.hull("0.41", ["0.10", "0.40"]).verdict == "disagree"
    assert ss.audit.hull("0.41", ["0.10", "0.405"]).verdict == "agree"


@pytest.mark.parametrize("p", [".049", ".050", ".051"])
def test_the_size_of_an_error_does_not_jump_at_the_level(p: str) -> None:
    found = ss.audit.statistic_p("F", "4.21", p, df1=3, df=729)  # p = .0058
    assert (found.verdict, found.severity) == ("disagree", "major")
    assert found.details["decision_error"] is (p == ".051")  # .050 may be .0496: it decides nothing
    assert found.changes == ("p lies on the other side of 0.05" if p == ".051" else "")


@pytest.mark.parametrize(
    ("statistic", "p", "decision"),
    [
        ("2.10", ".052", True),
        ("2.10", ">.05", True),
        ("2.10", ".05", False),
        ("1.90", ".048", True),
        ("1.90", "<.05", True),
        ("1.90", "<.10", False),
        ("3.50", ".02", False),
        ("1.96", ".060", False),
    ],
)
def test_a_decision_error_is_no_rounding_error(statistic: str, p: str, decision: bool) -> None:
    found = ss.audit.statistic_p("z", statistic, p)
    assert found.details.get("decision_error", False) is decision
    assert bool(found.changes) is decision
    assert not decision or found.severity == "major"


def test_a_level_is_exact() -> None:
    assert ss.audit.statistic_p("z", "2.90", ".010", level=0.01).details["decision_error"] is False
    assert ss.audit.statistic_p("z", "2.90", ".011", level=0.01).details["decision_error"] is True
    assert ss.audit.statistic_p("z", "3.50", "<.05", level=0.05).verdict == "agree"


def test_what_could_not_have_failed_has_no_power() -> None:
    wide = ss.audit.sum_to(["3"] * 33, 100)
    assert (wide.verdict, wide.noticed, wide.neighbours) == ("no_power", 0, 20)
    assert ss.audit.sum_to(["33", "33", "34"], 100).verdict == "agree"
    assert ss.audit.sum_to(["33", "33", "35"], 105).verdict == "disagree"
    assert ss.audit.mean_of("0.4203", ["0.5", "0.3"]).verdict == "no_power"
    assert ss.audit.statistic_p("t", "2", ".0455", df=60).verdict == "no_power"
    assert ss.audit.std_error_possible("0.1", "0.0300", 100).verdict == "no_power"
    assert ss.audit.paired_t_feasible("9.85", "0.16", 1, 1000).verdict == "no_power"
    assert ss.audit.grim("3.00", 99).verdict == "no_power"  # all numbers nearby are possible, too
    assert ss.audit.within("0.52", 0, 1).verdict == "agree"

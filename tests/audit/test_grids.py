"""GRIM and granularity against every possible data set."""

from __future__ import annotations

from fractions import Fraction

import pytest
from brute import CUT, ROUNDED, as_printed

import socialstats as ss
from socialstats.errors import InputError


@pytest.mark.parametrize("items", [1, 2, 3])
@pytest.mark.parametrize("decimals", [0, 1, 2, 3])
@pytest.mark.slow
def test_no_possible_mean_is_flagged_and_every_impossible_one_is(decimals: int, items: int) -> None:
    """All means of n whole numbers from 1 to 5, n up to 12: rounded in every way; or cut off."""
    flagged = checked = 0
    for n in range(1, 13) if decimals < 3 else (1, 2, 3, 7, 11, 12):
        size = n * items
        possible = {
            t
            for k in range(size, 5 * size + 1)
            for t in as_printed(Fraction(k, size), decimals, ROUNDED)
        }
        cut = {
            t
            for k in range(size, 5 * size + 1)
            for t in as_printed(Fraction(k, size), decimals, CUT)
        }
        for text in possible:
            assert ss.audit.grim(text, n, items=items).verdict in ("agree", "no_power"), (text, n)
        for text in cut | possible:
            assert ss.audit.grim(text, n, items=items, rounding="any").verdict in (
                "agree",
                "no_power",
            ), (text, n)
        for text in cut:
            assert ss.audit.grim(text, n, items=items, rounding="truncate").verdict in (
                "agree",
                "no_power",
            ), (text, n)
        unit = Fraction(1, 10**decimals)
        every = {
            as_printed(1 + i * unit, decimals, ROUNDED).pop() for i in range(4 * 10**decimals + 1)
        }
        impossible = every - possible
        verdicts = [
            ss.audit.grim(text, n, items=items).verdict
            for text in sorted(impossible)[:: max(1, len(impossible) // 40)]
        ]
        checked += len(verdicts)
        flagged += verdicts.count("disagree")
    assert flagged == checked


def test_known_examples() -> None:
    """From the notes of the GRIM literature and of audits of harnesses."""
    assert ss.audit.grim("5.19", 40).verdict == "disagree"
    assert ss.audit.grim("5.18", 40).details["k"] == 207
    assert ss.audit.grim("67.3%", 52).details["k"] == 35
    assert ss.audit.grim("67.4", 52, scale=100).verdict == "disagree"
    assert ss.audit.grim("11.09", 21).verdict == "disagree"
    assert ss.audit.grim("3.44", 7, items=2).verdict == "disagree"
    assert ss.audit.grim("3.43", 7, items=2).verdict == "agree"


@pytest.mark.parametrize(
    ("text", "n", "power"), [("3.5", 10, False), ("3.50", 99, True), ("3.50", 100, False)]
)
def test_without_power_it_says_so(text: str, n: int, power: bool) -> None:
    finding = ss.audit.grim(text, n)
    assert (finding.verdict != "no_power") is power
    if not power:
        assert "every other number nearby would have passed" in finding.message


def test_power_is_the_share_of_neighbours_that_are_impossible() -> None:
    finding = ss.audit.grim(
        "2.50", 8
    )  # steps of .125: 16 of 101 printed values of one unit are means of 8
    others = [Fraction(250 + i, 100) for i in range(-10, 11) if i]
    half = Fraction(1, 200)
    by_hand = sum(not any(abs(Fraction(k, 8) - x) <= half for k in range(41)) for x in others)
    assert (finding.noticed, finding.neighbours) == (by_hand, 20)


def test_digits_cut_off_are_named() -> None:
    finding = ss.audit.grim("0.66", 3)
    assert (finding.verdict, finding.severity) == ("disagree", "minor")
    assert "cut off" in finding.message
    assert ss.audit.grim("0.66", 3, rounding="truncate").verdict == "agree"


def test_granularity_finds_missing_answers() -> None:
    """Scores of -1 and +1: with all 40 answers a multiple of .05; with 39 answers it is not."""
    full = {as_printed(Fraction(2 * k - 40, 40), 3, ROUNDED).pop() for k in range(41)}
    assert all(ss.audit.granularity(text, 40).verdict == "agree" for text in full)
    lacking = {as_printed(Fraction(2 * k - 39, 39), 3, ROUNDED).pop() for k in range(1, 39)} - full
    verdicts = [ss.audit.granularity(text, 40).verdict for text in lacking]
    assert verdicts.count("disagree") == len(verdicts) > 30
    assert ss.audit.granularity("0.25", 400).verdict == "no_power"


@pytest.mark.parametrize("n", [3, 7, 12, 39])
def test_granularity_accepts_every_mean_and_difference_of_scores(n: int) -> None:
    """Odd n: a mean of -1 and +1 is never 0, a difference of two may be."""
    means = {Fraction(2 * k - n, n) for k in range(n + 1)}
    for mean in means:
        for text in as_printed(mean, 3, ROUNDED):
            assert ss.audit.granularity(text, n).verdict == "agree"
            assert ss.audit.granularity(text, n, of="mean").verdict == "agree"
    for gap in {a - b for a in means for b in means}:
        for text in as_printed(gap, 3, ROUNDED):
            assert ss.audit.granularity(text, n).verdict == "agree"
            assert ss.audit.granularity(text, n, of="difference").verdict == "agree"
    assert ss.audit.granularity("0.000", n, of="mean").verdict == ("disagree" if n % 2 else "agree")


@pytest.mark.parametrize(
    "wrong", [{"n": 0}, {"n": "ten"}, {"n": 2.5}, {"n": 5, "items": 0}, {"n": 5, "scale": 0}]
)
def test_bad_sizes_are_errors(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError, match=r"whole number|not a printed number|above 0"):
        ss.audit.grim("3.5", **wrong)  # type: ignore[arg-type]

"""One-sided p of either tail, percent signs on some numbers only, numbers that cannot exist."""

from __future__ import annotations

from fractions import Fraction

import pytest
from brute import ROUNDED, as_printed
from scipy import stats

import socialstats as ss
from socialstats.errors import InputError


def rounded(value: float, decimals: int) -> str:
    """A number rounded half up, down or to even: the first of them."""
    return min(as_printed(Fraction(value), decimals, ROUNDED))


def test_one_sided_p_of_either_tail() -> None:
    """t = -1.20 tested for above 0 has p = .88: which side was tested nobody prints."""
    upper = float(stats.t.sf(-1.2, 30))
    assert (
        ss.audit.statistic_p("t", "-1.20", rounded(upper, 3), df=30, tails="one").verdict == "agree"
    )
    assert (
        ss.audit.statistic_p("t", "-1.20", rounded(1 - upper, 3), df=30, tails="one").verdict
        == "agree"
    )
    assert ss.audit.statistic_p("t", "-1.20", ".50", df=30, tails="one").verdict == "disagree"
    assert ss.audit.statistic_p("t", "-1.20", rounded(upper, 3), df=30).verdict == "disagree"
    assert ss.audit.t_from_summary("-1.20", "2.00", 25, p=".997", tails="one").verdict == "agree"
    assert ss.audit.t_from_summary("-1.20", "2.00", 25, p=".90", tails="one").verdict == "disagree"


def test_percent_signs_on_some_numbers_only() -> None:
    assert ss.audit.statistic_p("t", "3.2", "0.45%", df=20).verdict == "agree"
    assert ss.audit.within("45%", 0, 1).verdict == "agree"
    assert ss.audit.within("45%", 0, 100).verdict == "agree"
    assert (
        ss.audit.within("145%", 0, 1).verdict
        == ss.audit.within("145%", 0, 100).verdict
        == "disagree"
    )
    assert ss.audit.linear_composite("50%", ["0.4", "0.6"], ["0.5", "0.5"]).verdict == "agree"
    assert ss.audit.weighted_mean("50", ["45%", "55%"], [1, 1]).verdict == "agree"
    assert (
        ss.audit.sum_to(["50", "50"], "100%").verdict
        == ss.audit.sum_to(["50%", "50%"], "1.00").verdict
        == "agree"
    )
    assert (
        ss.audit.sum_to(["50", "40"], "100%").verdict
        == ss.audit.sum_to(["50%", "40%"], "1.00").verdict
        == "disagree"
    )


def test_impossible_statistics_and_biases() -> None:
    with pytest.raises(InputError, match="below 0"):
        ss.audit.statistic_p("chi2", "-3.2", ".05", df=2)
    assert ss.audit.mcnemar_bounds("3.0", 100, significant=True).verdict == "disagree"
    found = ss.audit.text_against_table(".02", "<.001")
    assert (
        found.message
        == "sources disagree: .02 is printed, the other source (<.001) gives at most 0.001"
    )
    assert ss.audit.text_against_table("45%", ">.5").expected == "at least 0.5"
    for strange in (10**30, "1e99"):
        with pytest.raises(InputError, match="no such number can be right"):
            ss.audit.grim("3.1", strange)
    with pytest.raises(InputError, match="not a printed number"):
        ss.audit.grim("1e999", 10)


def test_means_of_answers_beyond_their_scale() -> None:
    """No power of the steps (n = 100, one decimal), but -1 and +1 average to no 1.5."""
    assert (
        ss.audit.granularity("1.5", 100).verdict == "no_power"
    )  # a difference of two means reaches 2
    assert ss.audit.granularity("1.5", 100, of="mean").verdict == "disagree"
    assert ss.audit.granularity("-1.0", 100, of="mean").verdict == "no_power"
    assert ss.audit.granularity("2.3", 100).verdict == "disagree"
    assert ss.audit.granularity("-1.95", 40, of="difference").verdict == "agree"
    assert ss.audit.granularity("1.10", 10, 1).verdict == "disagree"
    assert ss.audit.granularity("-0.50", 10, 1, of="difference").verdict == "agree"
    assert ss.audit.granularity("-0.50", 10, 1).verdict == "agree"
    assert ss.audit.granularity("-0.50", 10, 1, of="mean").verdict == "disagree"

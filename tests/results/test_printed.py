"""What rows carry for their readers: decimals at which estimates subtract, and which intervals are approximate."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import get_args

import numpy as np
import pytest

from socialstats.errors import APPROXIMATE, CAUTIONS, Caution, caution
from socialstats.results import Result, Row
from socialstats.results.rows import MOST_TOGETHER, Interval, Test
from socialstats.sentences import (
    INTERVALS,
    LETTERS,
    TESTS,
    TESTS_OF_INTERVALS,
    estimate_text,
    of_two_methods,
    some_of,
    stat,
)
from socialstats.text import count, number


def compared(values: list[float], limits: tuple[float, float] | None = None) -> tuple[Row, ...]:
    """Return the numbers of models and the differences of any two."""
    names = [f"m{k}" for k in range(len(values))]
    own = [
        Row(
            term=name,
            key=(("model", name),),
            role="estimate",
            estimate=x,
            std_error=0.05,
            limits=limits,
        )
        for name, x in zip(names, values, strict=True)
    ]
    gaps = [
        Row(
            term=f"{names[j]} - {names[k]}",
            key=(("model", names[j]), ("minus", names[k])),
            role="difference",
            estimate=values[j] - values[k],
            std_error=0.07,
            limits=limits and (-1.0, 1.0),
        )
        for j, k in combinations(range(len(values)), 2)
    ]
    return (*own, *gaps)


def printed(row: Row) -> Fraction:
    return Fraction(number(row.shown()).replace("\u2212", "-"))


def fits(values: list[float], digits: int) -> bool:
    """Whether all rounded values subtract to the rounded differences, by the numbers as text."""
    shown = [Fraction(f"{x:.{digits}f}") for x in values]
    return all(
        shown[j] - shown[k] == Fraction(f"{values[j] - values[k]:.{digits}f}")
        for j, k in combinations(range(len(values)), 2)
    )


@pytest.mark.parametrize("models", [2, 3, 4, 5])
@pytest.mark.parametrize("limits", [None, (0.0, 1.0)])
def test_printed_estimates_subtract_to_the_printed_difference(
    models: int, limits: tuple[float, float] | None
) -> None:
    """.385 and .331 stood beside a difference of .053."""
    rng = np.random.default_rng(models)
    base, together = 2 if limits is None else 3, models * (models - 1) // 2
    for _ in range(200):
        values = rng.random(models).tolist()
        rows = Result(metric="leaderboard", title="", rows=compared(values, limits)).rows
        wanted = [
            d
            for d in range(base, base + (2 if together <= MOST_TOGETHER else 1))
            if fits(values, d)
        ]
        assert {row.decimals for row in rows} == {wanted[0] if wanted else base}
        if wanted:
            at = {row.term: printed(row) for row in rows}
            assert all(
                at[a] - at[b] == at[f"{a} - {b}"]
                for a, b in combinations([r.term for r in rows[:models]], 2)
            )


def test_a_difference_of_other_values_leaves_decimals_alone() -> None:
    """A difference on shared units is not that of the two means."""
    one, two, gap = compared([0.3846, 0.3312])
    apart = Row(
        **{
            **{name: getattr(gap, name) for name in ("term", "key", "role", "std_error")},
            "estimate": 0.06,
        }
    )
    rows = Result(metric="leaderboard", title="", rows=(one, two, apart)).rows
    assert [row.decimals for row in rows] == [2, 2, 2]


def row_of(term: str, group: str | None = None, **facts: str) -> Row:
    return Row(
        term=term, group=group, estimate=1.0, conf_low=0.5, conf_high=1.5, key=tuple(facts.items())
    )


@pytest.mark.parametrize(
    ("names", "touched"),
    [
        (None, "abc"),
        ((), ""),
        (("a",), "a"),
        (("a [share]",), "a"),
        (("share",), "ab"),
        (("m2",), "bc"),
    ],
)
def test_a_caution_makes_the_intervals_of_its_rows_approximate(
    names: tuple[str, ...] | None, touched: str
) -> None:
    rows = (
        row_of("a", "share", model="m1"),
        row_of("b", "share", model="m2"),
        row_of("c", model="m1", minus="m2"),
    )
    said = caution("SS312", "8 units", rows=names)
    found = Result(metric="leaderboard", title="", rows=rows, cautions=(said,)).rows
    assert "".join(row.term for row in found if row.approximate) == touched
    assert all(("approximate 95% CI" in estimate_text(row)) == row.approximate for row in found)


def test_only_cautions_about_intervals_make_them_approximate() -> None:
    rows = (row_of("a"), Row(term="no interval", estimate=1.0))
    for code in CAUTIONS:
        found = Result(metric="leaderboard", title="", rows=rows, cautions=(caution(code),)).rows
        assert [row.approximate for row in found] == [code in APPROXIMATE, False]
    assert Caution(code="SS312", severity="caution", short="").rows is None


def test_interval_and_test_of_two_methods_are_both_named() -> None:
    """A basic bootstrap interval that excluded 0 stood beside p = .060 of z without a word."""
    row = Row(term="d", estimate=1.0, conf_low=0.5, conf_high=1.5, p_value=0.06, statistic=1.9)
    for kind in get_args(Interval):
        for test in get_args(Test):
            said = stat(replace(row, interval=kind, test=test))
            if test in TESTS_OF_INTERVALS.get(kind, ()):
                assert said.startswith("1.00, 95% CI [0.50, 1.50], ")
            else:
                assert f"1.00, {INTERVALS[kind]} 95% CI [" in said
                assert (
                    f"], {TESTS[test]} test p = .060" in said
                    or f"], {LETTERS.get(test)} = 1.90, p = .060" in said
                )


def test_a_single_test_is_not_adjusted_and_no_noun_ends_in_storys() -> None:
    assert (
        some_of(0, 1, "differences between models")
        == "The difference between models was not significant."
    )
    assert some_of(1, 2, "shares") == "1 of 2 shares was significant (Holm)."
    assert [count(56, noun) for noun in ("story", "reply", "survey", "pair")] == [
        "56 stories",
        "56 replies",
        "56 surveys",
        "56 pairs",
    ]


@pytest.mark.parametrize(
    ("interval", "test", "two"),
    [
        ("t", "t", False),
        ("t", "sign_flip", True),
        ("t", "permutation", True),
        ("percentile", "z", True),
        ("z", "chi2", False),
        ("score", "chi2", False),
        ("outer_ends", "t", True),
    ],
)
def test_which_intervals_have_tests_of_their_own(interval: Interval, test: Test, two: bool) -> None:
    row = Row(
        term="d",
        estimate=0.4,
        conf_low=0.1,
        conf_high=0.7,
        p_value=0.06,
        interval=interval,
        test=test,
    )
    assert of_two_methods(row) is two


@pytest.mark.parametrize(
    ("low", "high", "limits", "ends"),
    [
        (0.004, 0.4, None, ("0.004", "0.40")),
        (-0.4, -0.004, None, ("\u22120.40", "\u22120.004")),
        (-0.004, 0.4, None, ("0.00", "0.40")),
        (0.0004, 0.014, (0.0, 1.0), (".000", ".014")),
    ],
)
def test_a_limit_of_an_interval_that_excludes_0_is_not_printed_as_0(
    low: float, high: float, limits: tuple[float, float] | None, ends: tuple[str, str]
) -> None:
    """[-0.47, 0.00] stood beside p = .047. A share is never below 0, and its limit keeps the decimals of the row."""
    row = Row(
        term="d",
        estimate=(low + high) / 2,
        std_error=0.1,
        conf_low=low,
        conf_high=high,
        limits=limits,
    )
    assert (number(row.shown("conf_low")), number(row.shown("conf_high"))) == ends

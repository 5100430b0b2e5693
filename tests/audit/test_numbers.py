"""Printed numbers: the interval of every spelling, and errors for everything else."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialstats.audit.numbers import as_decimal, printed, same_units, whole
from socialstats.errors import InputError


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("0.30", "0.295", "0.305"),
        ("0.3", "0.25", "0.35"),
        (".3", "0.25", "0.35"),
        ("5", "4.5", "5.5"),
        ("5.", "4.5", "5.5"),
        ("-.25", "-0.255", "-0.245"),
        ("\u22120.25", "-0.255", "-0.245"),
        ("\u2013 0.25", "-0.255", "-0.245"),
        ("+1.5", "1.45", "1.55"),
        ("1,546", "1545.5", "1546.5"),
        ("1\u202f546\u202f000.5", "1546000.45", "1546000.55"),
        ("12 345", "12344.5", "12345.5"),
        ("1.2e-5", "0.0000115", "0.0000125"),
        ("3E2", "250", "350"),
        ("45%", "44.5", "45.5"),
        ("45.0%", "44.95", "45.05"),
        ("= .031", "0.0305", "0.0315"),
        (" 7 ", "6.5", "7.5"),
        ("0", "-0.5", "0.5"),
    ],
)
def test_interval_of_a_string(text: str, low: str, high: str) -> None:
    number = printed(text)
    assert number.bounds == (Fraction(low), Fraction(high))
    assert number.percent == ("%" in text)


def test_bounds_are_open_on_one_side() -> None:
    assert (printed("<.001").low, printed("<.001").high) == (None, Fraction(1, 1000))
    assert (printed("> 0.05").low, printed("\u2265.05").high) == (Fraction(1, 20), None)
    with pytest.raises(InputError, match="is a bound"):
        _ = printed("<.001").bounds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "abc",
        "1,23",
        "1,2345",
        "12,34,567",
        "1.2.3",
        "1e",
        "e5",
        "0x10",
        "NaN",
        "inf",
        "1/2",
        "--3",
        "3 4",
        "45%%",
        "\u0663",
        "1_000",
        "(0.12)",
        "9" * 80,
        "1e99999",
        "0.3*",
        "\x00",
        "<<1",
        "1;2",
    ],
)
def test_everything_else_is_an_error_that_says_what_to_write(text: str) -> None:
    with pytest.raises(InputError, match=r"is not a printed number\. Write it"):
        printed(text)


@pytest.mark.parametrize("value", [None, True, float("nan"), float("inf"), [], object()])
def test_no_other_type_is_a_number(value: Any) -> None:
    with pytest.raises(InputError, match="not a printed number"):
        printed(value)


def test_numbers_of_python() -> None:
    assert printed(0.3).text == "0.3"
    assert printed(3.0).unit == 1  # lost zeros make the interval wider, never narrower
    assert printed(Decimal("0.30")).unit == Fraction(1, 100)
    assert printed(Fraction(1, 3)).bounds == (Fraction(1, 3), Fraction(1, 3))
    assert printed(0.3, decimals=3).bounds == (Fraction("0.2995"), Fraction("0.3005"))
    with pytest.raises(InputError, match="more than 1 decimals: give decimals=3 or more"):
        printed("0.123", decimals=1)


def test_options_list_what_is_allowed() -> None:
    with pytest.raises(InputError, match="half, truncate, floor, ceil, any"):
        printed("1", rounding="up")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"decimal='x' is not '.' or ','"):
        printed("1", decimal="x")  # type: ignore[arg-type]


def test_marks_and_decimal_commas_by_option() -> None:
    assert printed("0.32***", strip="*").value == Fraction(8, 25)
    assert printed("(0.12)", strip="()").value == Fraction(3, 25)
    assert printed("1.234,5", decimal=",").value == Fraction("1234.5")


@given(st.fractions(-100, 100, max_denominator=997), st.integers(0, 4))
def test_the_interval_holds_what_was_rounded(value: Fraction, decimals: int) -> None:
    for mode in (ROUND_HALF_UP, ROUND_HALF_EVEN):
        assert printed(_printed_as(value, decimals, mode)).holds(value)
    assert printed(_printed_as(value, decimals, ROUND_DOWN), rounding="truncate").holds(value)
    for mode in (ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_DOWN):
        assert printed(_printed_as(value, decimals, mode), rounding="any").holds(value)


def _printed_as(value: Fraction, decimals: int, mode: str) -> str:
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return f"{exact.quantize(Decimal(1).scaleb(-decimals), rounding=mode):f}"


@given(st.fractions(-50, 50, max_denominator=1000), st.integers(0, 5))
def test_decimals_of_exact_numbers(value: Fraction, decimals: int) -> None:
    assert abs(Fraction(as_decimal(value, decimals)) - value) <= Fraction(1, 2 * 10**decimals)


def test_neighbours_are_printed_alike() -> None:
    assert [printed("0.99").neighbour(k).text for k in (-1, 1, 2)] == ["0.98", "1.00", "1.01"]
    assert printed("45%").neighbour(1).text == "46%"


def test_units_and_whole_numbers() -> None:
    assert [n.value for n in same_units([printed("45%"), printed("50%")])] == [45, 50]
    assert [n.value for n in same_units([printed("45%"), printed("0.5")])] == [
        Fraction(9, 20),
        Fraction(1, 2),
    ]
    assert whole("1,546", "n") == 1546
    for value in ("0", "1.5", "<5", "-3"):
        with pytest.raises(InputError, match=r"n=.* must be a whole number of at least 1"):
            whole(value, "n")

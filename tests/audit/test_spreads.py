"""GRIMMER and DEBIT against every possible data set."""

from __future__ import annotations

import random
from itertools import product

import pytest
from brute import CUT, ROUNDED, pairs

import socialstats as ss
from socialstats.audit.checks.whole_numbers import Scores, attainable, square_sums
from socialstats.errors import InputError

FINE = ("agree", "no_power")


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("decimals", [0, 1, 2, 3])
@pytest.mark.slow
def test_no_possible_pair_is_flagged(decimals: int, ddof: int) -> None:
    """All data sets of up to 12 whole numbers from 1 to 5; with and without the scale, with the divisor and without."""
    for n in range(2, 13 if decimals == 2 else 7):
        every = list(pairs(n, 1, 5, decimals, ddof))
        some = every if n < 5 else random.Random(n).sample(every, min(100, len(every)))
        for mean, sd in some:
            assert ss.audit.grimmer(mean, sd, n, low=1, high=5, ddof=ddof).verdict in FINE, (
                mean,
                sd,
                n,
            )
            assert ss.audit.grimmer(mean, sd, n).verdict in FINE, (mean, sd, n)


@pytest.mark.parametrize("decimals", [1, 2])
@pytest.mark.slow
def test_digits_cut_off_are_possible_by_option(decimals: int) -> None:
    for n in (3, 5, 8):
        for mean, sd in pairs(n, 1, 5, decimals, 1, CUT):
            assert (
                ss.audit.grimmer(mean, sd, n, low=1, high=5, ddof=1, rounding="truncate").verdict
                in FINE
            )
            assert ss.audit.grimmer(mean, sd, n, low=1, high=5, rounding="any").verdict in FINE


@pytest.mark.parametrize("items", [2, 3])
def test_means_of_items_are_possible(items: int) -> None:
    for n in (2, 3, 5):
        for mean, sd in pairs(n, 1, 3, 2, 1, ROUNDED, items):
            assert ss.audit.grimmer(mean, sd, n, low=1, high=3, items=items).verdict in FINE, (
                mean,
                sd,
                n,
            )


@pytest.mark.parametrize("n", [4, 6])
@pytest.mark.slow
def test_every_impossible_pair_is_flagged_on_a_bounded_scale(n: int) -> None:
    """What no data set prints is impossible, all of it: the check is complete where the scale is known."""
    possible = set(pairs(n, 1, 5, 2, 1))
    means = sorted({mean for mean, _ in possible})
    every = set(
        product(means[:: max(1, len(means) // 3)], (f"{k / 100:.2f}" for k in range(0, 225)))
    )
    impossible = every - possible
    flagged = sum(
        ss.audit.grimmer(m, s, n, low=1, high=5, ddof=1).verdict == "disagree"
        for m, s in impossible
    )
    assert flagged == len(impossible) > 500


@pytest.mark.slow
def test_without_a_scale_most_impossible_pairs_are_flagged() -> None:
    """Parity and the sums alone: measured for n = 6 and whole numbers without limits."""
    possible = set(pairs(6, -6, 8, 2, 1))
    every = {(m, f"{k / 100:.2f}") for m in ("1.00", "1.17", "1.50", "1.83") for k in range(0, 300)}
    impossible = every - possible
    flagged = sum(ss.audit.grimmer(m, s, 6, ddof=1).verdict == "disagree" for m, s in impossible)
    assert flagged / len(impossible) > 0.95


@pytest.mark.parametrize(("n", "width"), [(1, 4), (3, 4), (5, 2), (4, 6)])
def test_attainable_sums_of_squares_are_those_of_all_data_sets(n: int, width: int) -> None:
    table = square_sums(n, width)
    found = {
        (k, q) for k, bits in enumerate(table) for q in range(bits.bit_length()) if bits >> q & 1
    }
    by_hand = {(sum(x), sum(v * v for v in x)) for x in product(range(width + 1), repeat=n)}
    assert found == by_hand
    for low in (-3, 0, 1):
        scores = Scores(n=n, items=1, low=low, high=low + width)
        shifted = {
            (sum(x), sum(v * v for v in x)) for x in product(range(low, low + width + 1), repeat=n)
        }
        for k in range(n * low, n * (low + width) + 1):
            assert set(attainable(k, 0, 10**6, scores)) == {q for total, q in shifted if total == k}


def test_a_pair_that_another_test_flags_by_mistake_is_feasible() -> None:
    """Known false alarm of a test that rounds the sum first: (4.74, 6.55, 31) has q = 1983."""
    found = ss.audit.grimmer("4.74", "6.55", 31)
    assert found.verdict == "agree"
    k, q = found.details["sum"], found.details["sum_of_squares"]
    assert abs(((q - k * k / 31) / (30 if found.details["ddof"] else 31)) ** 0.5 - 6.55) <= 0.0051


def test_large_samples_are_fast_and_say_when_they_have_no_power() -> None:
    assert ss.audit.grimmer("3.51", "1.23", 5000).verdict == "no_power"
    assert ss.audit.grimmer("3.514", "1.237", 150, low=1, high=5).verdict in ("agree", "disagree")


def test_the_divisor_that_fits_is_named() -> None:
    population = ss.audit.grimmer("2.50", "1.12", 4, low=1, high=5)
    assert (population.verdict, population.details["ddof"]) == ("agree", 0)
    wrong = ss.audit.grimmer("2.50", "1.12", 4, low=1, high=5, ddof=1)
    assert (wrong.verdict, wrong.severity) == ("disagree", "minor")
    assert "divisor n - 0 fits" in wrong.message


def test_debit_against_all_counts() -> None:
    for n in range(2, 13):
        for ddof in (0, 1):
            for mean, sd in pairs(n, 0, 1, 2, ddof):
                assert ss.audit.debit(mean, sd, n, ddof=ddof).verdict in FINE
    assert ss.audit.debit("0.30", "0.52", 20).verdict == "disagree"
    assert ss.audit.debit("30%", "47%", 20).verdict == "agree"


def test_impossible_input_is_an_error() -> None:
    with pytest.raises(InputError, match="n=1 must be a whole number of at least 2"):
        ss.audit.grimmer("3.0", "1.0", 1)
    with pytest.raises(InputError, match="low=5 must be below high=5"):
        ss.audit.grimmer("3.0", "1.0", 10, low=5, high=5)
    with pytest.raises(InputError, match="0, 1 or 'either'"):
        ss.audit.debit("0.3", "0.1", 10, ddof=2)  # type: ignore[arg-type]
    assert ss.audit.grimmer("3.0", "-1.0", 10).verdict == "disagree"


def test_large_samples_are_judged_without_searching_all_totals() -> None:
    """Tens of thousands of totals: the width of the scale decides (known by hand), nothing else is flagged."""
    assert ss.audit.grimmer("3", "9", 100_000, low=1, high=5).verdict == "disagree"
    assert ss.audit.grimmer("3", "1.999", 100_000, low=1, high=5).verdict == "no_power"
    assert (
        ss.audit.grimmer("4.0", "2.5", 10_000, low=1, high=5).verdict == "disagree"
    )  # at most 1.75 of mean 3.95
    assert ss.audit.grimmer("3", "9", 100_000).verdict == "no_power"
    for mean, sd in (
        ("0.1", "0.22"),
        ("0.1", "0.30"),
        ("0.1", "0.35"),
        ("0.5", "0.5"),
        ("0.9", "0.357"),
    ):
        assert ss.audit.debit(mean, sd, 100_000).verdict == "agree", (mean, sd)
    for mean, sd in (("0.1", "0.21"), ("0.1", "0.37"), ("0.5", "0.9"), ("0.5", "0.49")):
        assert ss.audit.debit(mean, sd, 100_000).verdict == "disagree", (mean, sd)


def test_the_width_of_the_scale_excludes_no_data_set() -> None:
    """All data sets of five whole numbers: with whole-number means their totals are several, and none is cut off."""
    for mean, sd in pairs(5, 1, 5, 0, 1):
        for exact in (sd, f"{sd}.0"):
            found = ss.audit.grimmer(mean, sd, 5, low=1, high=5, ddof=1)
            assert found.verdict in FINE, (mean, exact)
    for mean, sd in pairs(5, 1, 5, 1, 1):
        assert ss.audit.grimmer(mean, sd, 5, low=1, high=5).verdict in FINE, (mean, sd)


@pytest.mark.slow
def test_debit_against_all_tables_of_zeros_and_ones() -> None:
    """Every mean and sd of n answers passes; of the sds beside a possible mean no other one does."""
    for n in (2, 7, 19, 40):
        possible = set(pairs(n, 0, 1, 2, 1))
        for mean in sorted({mean for mean, _ in possible}):
            passed = {
                f"{k / 100:.2f}"
                for k in range(75)
                if ss.audit.debit(mean, f"{k / 100:.2f}", n, ddof=1)
            }
            assert passed == {sd for m, sd in possible if m == mean}, (n, mean)

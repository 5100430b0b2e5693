"""Every data set of n whole numbers on a scale, and the ways of printing their mean and standard deviation."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import (
    ROUND_DOWN,
    ROUND_HALF_DOWN,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    Decimal,
    localcontext,
)
from fractions import Fraction
from itertools import combinations_with_replacement

ROUNDED = (ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_HALF_DOWN)
CUT = (ROUND_DOWN,)


def sums_of(n: int, low: int, high: int) -> set[tuple[int, int]]:
    """Sum and sum of squares of every data set: no formula, just all of them."""
    return {
        (sum(data), sum(x * x for x in data))
        for data in combinations_with_replacement(range(low, high + 1), n)
    }


def as_printed(value: Fraction, decimals: int, modes: tuple[str, ...]) -> set[str]:
    """Write an exact number with decimals, rounded in every way of `modes`."""
    unit = Decimal(1).scaleb(-decimals)
    with localcontext() as context:
        context.prec = 50
        exact = Decimal(value.numerator) / Decimal(value.denominator)
        return {f"{exact.quantize(unit, rounding=mode):f}" for mode in modes}


def root_as_printed(square: Fraction, decimals: int, modes: tuple[str, ...]) -> set[str]:
    """Write the square root of an exact number with decimals."""
    unit = Decimal(1).scaleb(-decimals)
    with localcontext() as context:
        context.prec = 60
        exact = (Decimal(square.numerator) / Decimal(square.denominator)).sqrt()
        return {f"{exact.quantize(unit, rounding=mode):f}" for mode in modes}


def pairs(
    n: int,
    low: int,
    high: int,
    decimals: int,
    ddof: int,
    modes: tuple[str, ...] = ROUNDED,
    items: int = 1,
) -> Iterator[tuple[str, str]]:
    """Every (mean, sd) that some data set prints; with several items the scores are sums over items, then divided."""
    seen = set()
    for k, q in sums_of(n, low * items, high * items):
        variance = (Fraction(q) - Fraction(k * k, n)) / (n - ddof) / items**2
        for mean in as_printed(Fraction(k, n * items), decimals, modes):
            for sd in root_as_printed(variance, decimals, modes):
                seen.add((mean, sd))
    yield from sorted(seen)

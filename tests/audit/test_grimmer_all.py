"""GRIMMER against every data set of up to 12 whole numbers from 1 to 5: no mean and sd that exist are flagged."""

from __future__ import annotations

import itertools
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

import pytest

from socialstats import audit

CENT = Decimal("0.01")


@pytest.mark.parametrize("n", range(2, 13))
@pytest.mark.slow
def test_no_pair_that_exists_is_flagged(n: int) -> None:
    existing = set()
    for values in itertools.combinations_with_replacement(range(1, 6), n):
        total, squares = Decimal(sum(values)), Decimal(sum(value * value for value in values))
        sd = ((squares - total * total / n) / (n - 1)).sqrt()
        for way in (ROUND_HALF_UP, ROUND_HALF_EVEN):
            existing.add((str((total / n).quantize(CENT, way)), str(sd.quantize(CENT, way))))
    flagged = [
        pair
        for pair in sorted(existing)
        if audit.grimmer(*pair, n, low=1, high=5).verdict == "disagree"
    ]
    assert existing
    assert not flagged

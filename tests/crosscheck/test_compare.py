"""One number beside that of another implementation."""

from __future__ import annotations

import math

from socialstats.crosscheck.comparing import compare
from socialstats.results import Verification


def test_a_number_that_became_nan_is_not_compared_and_an_infinite_one_disagrees() -> None:
    nan, infinite = (
        compare("a", 1.0, theirs, package="numpy", tolerance=1e-8, why="")
        for theirs in (math.nan, math.inf)
    )
    assert (nan.ok, nan.theirs, nan.note) == (None, None, "numpy gave no number")
    assert infinite.ok is False
    groups = Verification(checks=(nan, infinite)).to_dict()["groups"]
    assert [group["largest_difference"] for group in groups] == [None, "Infinity"]

"""Ratings that were shared out among raters are not missing; ratings that some units lack are."""

from __future__ import annotations

import pandas as pd
import pytest

import socialstats as ss


@pytest.mark.parametrize(("lost", "told"), [(0, False), (1, True)])
def test_only_unequal_numbers_of_ratings_are_cautioned(lost: int, told: bool) -> None:
    rows = [
        (f"u{u:02d}", f"r{(u + k) % 9}", "ab"[(u * k) % 2]) for u in range(30) for k in range(3)
    ]
    frame = pd.DataFrame(rows[lost:], columns=["unit", "rater", "value"])
    result = ss.krippendorff_alpha(ss.Ratings.from_frame(frame, scale="nominal"))
    assert any("missing or not asked for" in c.detail for c in result.cautions) == told

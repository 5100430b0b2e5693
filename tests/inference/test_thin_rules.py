"""Rules that decide whether a thin table gets a caution."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from socialstats.designs.ratings_reading import scale_ends
from socialstats.inference.dependence import small_clusters


@pytest.mark.parametrize(
    ("clusters", "n", "small"),
    [(10, 40, True), (10, 41, False), (19, 38, True), (20, 40, False), (None, 40, False)],
)
def test_small_clusters_hold_up_to_four_answers_each(
    clusters: int | None, n: int, small: bool
) -> None:
    row = cast(Any, SimpleNamespace(n_clusters=clusters, n=n, n_units=None))
    assert small_clusters(row) is small


def test_scores_of_zero_and_one_bound_a_scale_that_nobody_declared() -> None:
    assert scale_ends(np.array([0.0, 1.0]), False) == (0.0, 1.0)
    assert scale_ends(np.array([0.0, 1.0, 2.0]), False) is None
    assert scale_ends(np.array([3.0]), True) is None

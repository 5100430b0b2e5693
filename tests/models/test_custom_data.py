"""What resampling plans say of the sizes of their clusters, and combinations of factors."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from socialstats.custom.data import cluster_size_cautions, joint_factor
from socialstats.designs.parts import Factor

EVEN, LARGE = np.full(20, 1 / 20), np.r_[0.3, np.full(19, 0.7 / 19)]
UNEVEN = np.r_[np.full(5, 0.19), np.full(15, 0.05 / 15)]  # about 5.5 equal ones


def codes(*shares: Any, clustered: bool = True, fewest: int = 20) -> list[str]:
    plan: Any = SimpleNamespace(
        clustered=clustered, fewest=fewest, shares=lambda: [*shares], names=["story"]
    )
    return [c.code for c in cluster_size_cautions(plan)]


@pytest.mark.parametrize("shares", [LARGE, UNEVEN])
def test_large_and_uneven_clusters_of_any_factor_are_said(shares: Any) -> None:
    assert codes(EVEN) == codes(EVEN, EVEN) == []
    assert codes(shares) == codes(EVEN, shares) == codes(shares, EVEN) == ["SS211"]
    assert codes(shares, clustered=False) == []
    assert codes(shares, fewest=19) == []


def test_the_largest_share_and_the_number_of_equal_clusters_are_told() -> None:
    plan: Any = SimpleNamespace(
        clustered=True, fewest=20, shares=lambda: [LARGE, UNEVEN], names=["story"]
    )
    (told,) = cluster_size_cautions(plan)
    effective = 1 / (5 * 0.19**2 + 15 * (0.05 / 15) ** 2)
    assert "holds 30.0% of the rows" in told.detail
    assert f"about {effective:.1f} equal ones" in told.detail


def test_combinations_of_two_factors_have_the_labels_of_both() -> None:
    one = Factor(name="a", codes=np.array([1, 0, 1, 0]), levels=("p", "q"))
    two = Factor(name="b", codes=np.array([0, 0, 0, 1]), levels=("x", "y"))
    joint = joint_factor([one, two])
    assert joint.name == "a x b"
    assert [joint.levels[code] for code in joint.codes] == ["q, x", "p, x", "q, x", "p, y"]
    assert len(joint.levels) == 3

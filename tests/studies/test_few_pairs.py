"""Pages say so where pairs are too few to show their leans."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.studies import StudyOptions
from socialstats.studies.comparisons import fit_model


@pytest.mark.parametrize(
    ("items", "times", "said"), [(3, 20, True), (4, 20, True), (8, 20, False), (4, 1, False)]
)
def test_few_repeated_pairs_without_clusters_are_a_caution(items, times, said):
    rng = np.random.default_rng(2)
    pairs = [
        pair for pair in combinations([f"i{k}" for k in range(items)], 2) for _ in range(times)
    ]
    if times == 1:  # a cycle has finite strengths
        pairs = [("i0", "i1"), ("i1", "i2"), ("i2", "i3"), ("i3", "i0")]
    winner = [pair[0] if times == 1 else pair[rng.integers(2)] for pair in pairs]
    design = ss.Comparisons.from_frame(
        pd.DataFrame(pairs, columns=["item_a", "item_b"]).assign(winner=winner)
    )
    for fit in (fit_model(design, StudyOptions(), None), ss.bradley_terry(design)):
        assert (
            any(c.code == "SS202" and "independent comparisons" in c.detail for c in fit.cautions)
            == said
        )


def test_pairs_that_do_not_exist_are_not_asked_for():
    """All six pairs of four items have met: what else rows depend on may be named."""
    rng = np.random.default_rng(2)
    pairs = [pair for pair in combinations("wxyz", 2) for _ in range(20)]
    table = pd.DataFrame(pairs, columns=["item_a", "item_b"]).assign(
        winner=[pair[rng.integers(2)] for pair in pairs]
    )
    found = {
        len(rows): next(c.fix for c in ss.bradley_terry(rows).cautions if c.code == "SS202")
        for rows in (table, table[20:])
    }
    assert "more pairs" not in found[120]
    assert "judges or prompts" in found[120]
    assert "compare more pairs of items" in found[100]

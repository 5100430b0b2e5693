"""Who ranked first on a page of comparisons: ties, leads beside rank intervals, and what halves an interval."""

from __future__ import annotations

import math
import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from study_examples import FAST

import socialstats as ss
from socialstats.studies import STUDIES, run_study
from socialstats.studies.page import Outcome


def of(rows: list[tuple[str, str, str]]) -> Outcome:
    design = ss.Comparisons.from_frame(pd.DataFrame(rows, columns=["item_a", "item_b", "winner"]))
    return run_study(STUDIES["comparisons"], design, FAST)


def round_robin(strengths: np.ndarray, each: int, seed: int) -> list[tuple[str, str, str]]:
    """Every pair so many times, with winners drawn from a Bradley-Terry model."""
    rng, rows = np.random.default_rng(seed), []
    for i, j in combinations(range(len(strengths)), 2):
        chance = 1 / (1 + math.exp(strengths[j] - strengths[i]))
        a, b = f"item {i:02d}", f"item {j:02d}"
        rows += [(a, b, a if won else b) for won in rng.random(each) < chance]
    return rows


def test_equal_strengths_are_tied_for_first() -> None:
    cycle = [("a", "b", "a"), ("b", "c", "b"), ("c", "a", "c"), ("a", "b", "b"), ("b", "c", "c"), ("c", "a", "a")]
    answer = of(cycle * 3).answer
    assert answer[0].startswith("3 of 3 items tied for first (log-strength 0.00): a, b and c.")
    assert answer[0].endswith("): a, b and c.")
    assert answer[1] == "a ranked 1 of 3, approximate 95% simultaneous rank interval [1, 3]."


def test_a_reliable_lead_beside_a_rank_interval_of_several_ranks_is_no_reliable_first_rank() -> None:
    seen = set()
    for gap in (0.1, 0.7, 0.9, 1.1, 2.5):
        strengths = np.array([1.0 + gap, *[1.0] * 6, *[-1.5] * 9])
        lead, ranks = of(round_robin(strengths, 12, seed=3)).answer
        last = re.search(r"rank interval \[1, (\d+)\]", ranks)
        assert last is not None
        reliable, several = " was reliable (" in lead, int(last[1]) > 1
        said = ranks.endswith("; adjusted for all items, its first rank was not reliable.")
        assert said == (reliable and several)
        seen.add((reliable, several))
    assert seen == {(False, True), (True, True), (True, False)}


def test_new_items_halve_the_interval_of_a_strength_where_every_pair_was_compared() -> None:
    """The number that the page names, added to the table: the interval of the first item is about half as long."""
    strengths = np.random.default_rng(5).normal(0, 0.5, 60)
    strengths[0] = 1.5
    page = of(round_robin(strengths[:10], 10, seed=6))
    (said,) = [s for s in page.blocks[0].sentences if s.startswith("To halve")]
    found = re.fullmatch(
        r"To halve the interval of the log-strength of item 00, collect about (\d+) more items\.", said
    )
    assert found is not None
    more = of(round_robin(strengths[: 10 + int(found[1])], 10, seed=7))
    width = [
        float(row.conf_high - row.conf_low) for row in (p.blocks[0].results[0].row("item 00") for p in (page, more))
    ]
    assert width[1] / width[0] == pytest.approx(0.5, abs=0.12)  # sampling error of two standard errors

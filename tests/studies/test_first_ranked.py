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
    cycle = [
        ("a", "b", "a"),
        ("b", "c", "b"),
        ("c", "a", "c"),
        ("a", "b", "b"),
        ("b", "c", "c"),
        ("c", "a", "a"),
    ]
    answer = of(cycle * 3).answer
    assert answer[0].startswith("3 of 3 items tied for first (log-strength 0.00): a, b and c.")
    assert answer[0].endswith("): a, b and c.")
    assert (
        answer[1]
        == "a had estimated rank 1 of 3, approximate 95% simultaneous rank interval [1, 3]."
    )


def test_a_reliable_lead_beside_a_rank_interval_of_several_ranks_is_no_reliable_first_rank() -> (
    None
):
    seen = set()
    for gap in (0.1, 0.7, 0.9, 1.1, 2.5):
        strengths = np.array([1.0 + gap, *[1.0] * 6, *[-1.5] * 9])
        lead, ranks = of(round_robin(strengths, 12, seed=3)).answer
        last = re.search(r"rank interval \[1, (\d+)\]", ranks)
        assert last is not None
        reliable, several = " was clear (" in lead, int(last[1]) > 1
        apart = " was not clear when adjusted for all items (unadjusted win probability " in lead
        assert not (reliable and several)
        assert several or not apart
        seen.add((reliable, apart))
    assert seen == {(False, False), (False, True), (True, False)}


def test_a_page_by_levels_says_that_a_first_rank_is_not_reliable_and_what_its_figure_shows() -> (
    None
):
    names = ["item_a", "item_b", "winner"]
    strengths = np.array([1.9, *[1.0] * 6, *[-1.5] * 9])
    parts = [
        pd.DataFrame(round_robin(x, 12, seed=3), columns=names).assign(prompt=level)
        for level, x in (("plain", strengths), ("turned", strengths[::-1]))
    ]
    design = ss.Comparisons.from_frame(pd.concat(parts), by="prompt")
    page = run_study(STUDIES["comparisons"], design, FAST)
    alone = run_study(
        STUDIES["comparisons"], ss.Comparisons.from_frame(parts[0].drop(columns="prompt")), FAST
    )
    assert "not clear when adjusted for all items" in alone.answer[0]
    assert page.answer[0] == f"plain: {alone.answer[0]}"
    assert page.verdict is not None


def test_a_win_probability_beside_a_model_of_ties_is_one_without_a_tie() -> None:
    rows = round_robin(np.array([1.0, 0.5, 0.0, -0.5]), 12, seed=2)
    tied = [(a, b, "tie" if k % 4 == 0 else w) for k, (a, b, w) in enumerate(rows)]
    assert "(win probability without a tie ." in of(tied).answer[0]
    assert "(win probability ." in of(rows).answer[0]


def test_comparisons_of_a_rarely_compared_item_halve_the_interval_of_its_strength() -> None:
    """The comparisons that the page names, added: the interval is half as long, as the other items have many."""
    rows = round_robin(np.array([1.0, 0.5, 0.0, -0.5]), 40, seed=2)
    rare = [("z", f"item {k % 4:02d}", "z" if k < 7 else f"item {k % 4:02d}") for k in range(8)]
    page = of(rows + rare)
    assert page.planning == (
        "To know the strength of z twice as precisely, collect about 24 more comparisons of z, which has 8.",
    )
    model = [
        ss.bradley_terry(
            pd.DataFrame(rows + rare * n, columns=["item_a", "item_b", "winner"]), vcov="model"
        )
        for n in (1, 4)
    ]
    errors = [fit.row("z", group="strength").std_error for fit in model]
    assert errors[1] / errors[0] == pytest.approx(0.5, abs=0.06)


def test_no_new_items_are_asked_for_where_every_pair_was_compared() -> None:
    """Items are models or names, of which a study has those that it asks about."""
    page = of(round_robin(np.random.default_rng(5).normal(0, 0.5, 10), 10, seed=6))
    assert page.planning == ()


def test_a_caution_of_a_level_keeps_the_case_of_its_label() -> None:
    """A page writes the first letter of a caution in upper case, which a quotation mark before a label prevents."""
    few = round_robin(np.array([0.3, 0.2, 0.0]), 4, seed=2)
    parts = [
        pd.DataFrame(few, columns=["item_a", "item_b", "winner"]),
        pd.DataFrame(
            round_robin(np.array([1.0, 0.5, 0.0]), 30, seed=2),
            columns=["item_a", "item_b", "winner"],
        ),
    ]
    frame = pd.concat(
        [part.assign(by=name) for part, name in zip(parts, ("mB", "lynx"), strict=True)]
    )
    page = run_study(STUDIES["comparisons"], ss.Comparisons.from_frame(frame, by="by"), FAST)
    own = [c.detail for c in page.cautions if "mB" in c.detail or "lynx" in c.detail]
    assert own
    assert all(detail.startswith(("'mB': ", "'lynx': ")) for detail in own)

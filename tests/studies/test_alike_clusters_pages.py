"""Pages of clusters that are alike: nothing is reliable or significant, every rank is possible, checks agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from study_examples import FAST, choices, leaderboard_frame, run_study
from study_tables import LEVELS, answers, ratings, scores

from socialstats import Comparisons, Paired, Ratings, model_scores
from socialstats.results import Result
from socialstats.studies import STUDIES
from socialstats.studies.page import Outcome

CERTAIN = (
    "was reliable",
    "was clear",
    "were reliable",
    "were clear",
    "significantly higher",
    "significantly lower",
    "differed significantly",
)
ALIKE = "the clusters"


def copies(frame: pd.DataFrame, cluster: str, *units: str) -> pd.DataFrame:
    """Six clusters of the same rows, whose units have names of their own."""
    parts = [
        frame.assign(
            **{cluster: f"c{j}"}, **{unit: frame[unit].astype(str) + f" {j}" for unit in units}
        )
        for j in range(6)
    ]
    return pd.concat(parts, ignore_index=True).sample(frac=1, random_state=2)


def paired_answers() -> pd.DataFrame:
    frame = answers()
    return copies(frame.assign(item=frame["scenario"] + frame["item"]), "scenario", "item")


TABLES: dict[str, tuple[str, Callable[[], Any]]] = {
    "comparisons": (
        "comparisons",
        lambda: Comparisons.from_frame(copies(choices(urgency=False), "story"), cluster="story"),
    ),
    "paired": (
        "paired",
        lambda: Paired.from_frame(
            paired_answers(), conditions=("reminded", "plain"), cluster="scenario"
        ),
    ),
    "paired, of numbers": (
        "paired",
        lambda: Paired.from_frame(copies(scores(), "g", scores().columns[0]), cluster="g"),
    ),
    "agreement": (
        "agreement",
        lambda: Ratings.from_frame(
            copies(ratings(), "story", "unit"),
            levels=list(LEVELS),
            cluster="story",
            rater_groups="kind",
            refusal="refused",
        ),
    ),
    "leaderboard": (
        "leaderboard",
        lambda: model_scores(copies(leaderboard_frame(), "story", "item"), cluster="story"),
    ),
}


def results_of(outcome: Outcome) -> list[Result]:
    return [
        result for block in outcome.blocks for result in block.results if isinstance(result, Result)
    ]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.slow
def test_a_page_of_clusters_that_are_alike_is_certain_of_nothing(name: str) -> None:
    study, make = TABLES[name]
    outcome = run_study(STUDIES[study], make(), replace(FAST, verify=True))
    said = " ".join(outcome.answer)
    assert not any(words in said for words in CERTAIN), said
    for result in results_of(outcome):
        for row in result.rows:
            if row.conf_low is not None and row.conf_high is not None and row.role != "rank":
                assert row.conf_high - row.conf_low > 1e-9 * max(
                    abs(row.conf_low), abs(row.conf_high)
                ), row
            assert row.p_value is None or row.p_value > 1e-300, row
    assert any(
        row.undefined and ALIKE in row.undefined for one in results_of(outcome) for row in one.rows
    )
    assert all(one.ok for one in outcome.verifications.values())

"""Pages of tables whose replies have probabilities: what was sampled, what was read, and every number verified."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from study_examples import FAST

import socialstats as ss
from socialstats import datasets
from socialstats.studies import STUDIES, run_study
from socialstats.studies.page import Outcome
from socialstats.tables import as_table

ACTIONS = ["comply", "deviate", "escalate"]


def with_probabilities(rows: pd.DataFrame, labels: dict[Any, str], answer: str) -> pd.DataFrame:
    """Add columns of probabilities to the rows that have one of the answers, with 2% elsewhere."""
    rng = np.random.default_rng(7)
    given = 0.98 * rng.dirichlet(np.ones(len(labels)), len(rows))
    known = rows[answer].isin(list(labels)) & (
        rows["source"] != "human" if "source" in rows else True
    )
    return rows.assign(
        **{
            f"p_{name}": np.where(known, given[:, k], np.nan)
            for k, name in enumerate(labels.values())
        }
    )


def norms() -> Outcome:
    rows = datasets.social_norms()
    few = sorted(rows["item"].unique())[::40]
    people = sorted(rows.loc[rows["source"] == "human", "rater"].unique())[:40]
    models = sorted(rows.loc[rows["source"] != "human", "rater"].unique())[:3]
    rows = rows[rows["item"].isin(few) & rows["rater"].isin([*people, *models])]
    rows = with_probabilities(rows, {level: level for level in "ABCDE"}, "answer")
    design = ss.Ratings.from_frame(
        rows,
        unit="item",
        rater="rater",
        value="answer",
        levels=list("ABCDE"),
        refusal="F",
        na=["NA"],
        rater_source="source",
        strata="area",
        probabilities="p_",
    )
    return run_study(STUDIES["ordinal-alignment"], design, FAST)


def bias() -> Outcome:
    rows = datasets.relationship_bias()
    rows = rows[rows["scenario"].isin(sorted(rows["scenario"].unique())[:6])]
    study = STUDIES["relationship-bias"]
    assert study.read is not None
    table = with_probabilities(rows, {-1: "first", 1: "second"}, "answer")
    return run_study(study, study.read(as_table(table), probabilities="p_"), FAST)


def goals() -> Outcome:
    rows = datasets.norm_goal()
    rows = rows[rows["scenario"].isin(sorted(rows["scenario"].unique())[:8])]
    rows = with_probabilities(rows, {name: name for name in ACTIONS}, "action")
    design = ss.Ratings.from_frame(
        rows,
        unit="scenario",
        rater="rater",
        value="action",
        by="pressure",
        levels=ACTIONS,
        scale="nominal",
        rater_source="source",
        probabilities="p_",
    )
    outcome = run_study(STUDIES["norm-goal"], design, FAST)
    tables = [
        table
        for block in outcome.blocks
        for table in block.tables
        if table.caption.startswith("Entropies")
    ]
    assert tables
    assert any("H_reply" in str(cells[0]) for cells in tables[0].cells)
    return outcome


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            norms,
            "Distances of models, their shares by distance and mean ratings are means over these probabilities",
        ),
        (
            goals,
            "Shares, their differences and changes, and similarities are those of these probabilities",
        ),
        (bias, "A reply scores the probability of the second name minus that of the first"),
    ],
)
def test_a_page_says_what_was_read_and_is_verified(made: Any, said: str) -> None:
    outcome = made()
    (told,) = [text for text in outcome.methods if "what was read is the probability" in text]
    assert said in told
    assert "Other answers held 2.0% of the probability on average." in told
    assert [name for name, one in outcome.verifications.items() if not one.ok] == []
    titles = [result.title for block in outcome.blocks for result in block.results]
    assert any(title.endswith(", of probabilities") for title in titles)

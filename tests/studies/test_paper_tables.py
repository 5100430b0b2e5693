"""The tables of the papers, from the pages of their studies: 003's Tables 1 and 4, 004's Table 3, 000's RPI."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.studies.page import Outcome, PageTable
from socialstats.tables import as_table

pytestmark = pytest.mark.slow  # whole pages
FAST = StudyOptions(resamples=100, verify=False)
PROMPTS = ("description", "options", "table")


def tables_of(outcome: Outcome) -> dict[str, PageTable]:
    """Return the tables that have a name."""
    return {table.name: table for block in outcome.blocks for table in block.tables if table.name}


def norms() -> pd.DataFrame:
    """Return a part of the social norms, with models asked by three prompts, and families of models."""
    rng = np.random.default_rng(0)
    table = ss.datasets.social_norms()[["item", "area", "source", "rater", "answer"]]
    table = table[table["item"].isin(sorted(table["item"].unique())[::8])]
    of_models = table[table["source"] == "model"]
    names = sorted(of_models["rater"].unique())[:4]
    of_models = of_models[of_models["rater"].isin(names)]
    parts = [table[table["source"] == "human"].assign(prompt="")]
    for k, prompt in enumerate(PROMPTS):
        part = of_models.assign(prompt=prompt)
        other = rng.random(len(part)) < 0.15 * k
        part.loc[other, "answer"] = rng.choice(list("ABCDE"), other.sum())
        parts.append(part)
    families = dict(zip(names, ("north", "north", "south", "south"), strict=True))
    joined = pd.concat(parts, ignore_index=True)
    return joined.assign(family=joined["rater"].map(families).fillna(""))


def design_of(table: pd.DataFrame, **more: Any) -> ss.Ratings:
    return ss.Ratings.from_frame(
        table,
        unit="item",
        rater="rater",
        value="answer",
        levels=list("ABCDE"),
        refusal="F",
        rater_source="source",
        rater_groups="family",
        strata="area",
        **more,
    )


@pytest.fixture(scope="module")
def by_prompt() -> tuple[pd.DataFrame, dict[str, PageTable]]:
    table = norms()
    design = design_of(table, by="prompt", shared="people")
    return table, tables_of(run_study(STUDIES["ordinal-alignment"], design, FAST))


def test_models_prompts_and_areas_stand_in_one_table(
    by_prompt: tuple[pd.DataFrame, dict[str, PageTable]],
) -> None:
    table, tables = by_prompt
    grid = tables["by-area"]
    assert grid.header[:2] == ("Model", "Prompt")
    assert set(grid.header[2:]) == set(table["area"])
    assert len(grid.cells) == 4 * len(PROMPTS)
    part = table[table["prompt"].isin(["", "table"])]
    distances = ss.ada_met(design_of(part), stratum="area", resamples=100)
    cells = {
        (labels["model"], labels["stratum"]): row
        for labels, row in grid.labelled
        if labels["prompt"] == "table"
    }
    rows = [row for row in distances.rows if row.role == "estimate" and row.label("stratum")]
    assert len(rows) == len(cells) == 16
    for row in rows:
        cell = cells[row.label("model") or "", row.label("stratum") or ""]
        assert cell.estimate == pytest.approx(row.estimate, rel=1e-12)


def test_alphas_of_people_models_and_families_stand_by_prompt(
    by_prompt: tuple[pd.DataFrame, dict[str, PageTable]],
) -> None:
    table, tables = by_prompt
    grid = tables["alphas"]
    cells = {
        (labels["part"], labels["prompt"], labels["kind"]): row for labels, row in grid.labelled
    }
    assert {part for part, _, _ in cells} == {
        "human",
        "model",
        "family = north",
        "family = south",
    }
    for prompt in PROMPTS:
        part = table[(table["prompt"] == prompt) & (table["family"] == "north")]
        alpha = ss.krippendorff_alpha(design_of(part), level=0.95)
        cell = cells["family = north", prompt, "ordinal"]
        assert cell.estimate == pytest.approx(alpha.rows[0].estimate, rel=1e-12)


def test_names_of_tables_are_unique(by_prompt: tuple[pd.DataFrame, dict[str, PageTable]]) -> None:
    _, tables = by_prompt
    assert {"by-area", "by-area-1", "by-area-2", "by-area-3"} <= {*tables}


def test_mean_and_standard_deviation_of_the_composite_stand_in_one_cell() -> None:
    design = STUDIES["staged-values"].read(as_table(ss.datasets.staged_values()))
    outcome = run_study(STUDIES["staged-values"], design, FAST)
    grid = tables_of(outcome)["leans"]
    table = ss.datasets.staged_values()
    rows = {(labels["model"], row.role): row for labels, row in grid.labelled}
    assert {model for model, _ in rows} == set(table["model"])
    for model, text in grid.cells:
        mean, spread = rows[str(model), "estimate"], rows[str(model), "spread"]
        assert str(text).endswith(f"({spread.estimate:.2f})")
        # the error of a mean of n scenarios is their standard deviation over the root of n
        n = table["scenario"].nunique()
        assert mean.std_error == pytest.approx(spread.estimate / np.sqrt(n), rel=1e-9)


def test_worths_of_the_plain_fit_stand_beside_those_of_the_page() -> None:
    table = ss.datasets.role_conflict()
    study = STUDIES["role-conflict"]
    roles = sorted({*table["role_a"]})[::3]
    table = table[table["role_a"].isin(roles) & table["role_b"].isin(roles)]
    read = {"item_a": "role_a", "item_b": "role_b", "winner": "choice", "order": "first"}
    design = ss.Comparisons.from_frame(table, **read)
    outcome = run_study(study, design, FAST)
    grid = tables_of(outcome)["rpi"]
    plain = ss.bradley_terry(ss.Comparisons.from_frame(table, **{**read, "order": False})).worth()
    cells = {(labels["item"], labels["fit"]): row for labels, row in grid.labelled}
    fits = list(dict.fromkeys(fit for _, fit in cells))
    assert fits[0] == "plain fit"
    assert fits[1].endswith("held equal")
    for row in plain.rows:
        assert cells[row.term, "plain fit"].estimate == pytest.approx(row.estimate, rel=1e-9)
    worths = [row.estimate for (_, fit), row in cells.items() if fit == fits[1]]
    assert sum(worths) == pytest.approx(1)

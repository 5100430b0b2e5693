"""Tables beside the data that show what nobody said: stances in words, values that no story cites."""

from __future__ import annotations

from dataclasses import replace

import pytest
from study_examples import EXAMPLES

from socialstats.designs.comparisons import Comparisons
from socialstats.designs.trait_ratings import trait_ratings
from socialstats.errors import InputError
from socialstats.studies import STUDIES
from socialstats.studies.page import StudyOptions
from socialstats.studies.role_conflict.cited import count_cited
from socialstats.studies.staged_values.declaration import check_stances, read_stances
from socialstats.studies.staged_values.questions import stances
from socialstats.tables import as_table

STANCES = {
    "answer": [*range(8)],
    "stance": ["agrees"] * 5 + ["refuses"] * 3,
    "model": [*"abababab"],
    "scenario": [*"ssttuuvv"],
}
VALUES = {
    "item_a": ["son"] * 6,
    "item_b": ["judge"] * 6,
    "winner": ["son", "judge"] * 3,
    "kind_a": ["family"] * 6,
    "kind_b": ["work"] * 6,
    "values": ["Security", "Tradition; Security"] * 3,
}


def test_stances_are_shares_of_answers_by_model() -> None:
    options = StudyOptions(resamples=100, verify=False)
    table = as_table(STANCES, "stances.csv")
    block = stances(read_stances(table), options)
    assert block is not None
    assert "most often agrees by 5 answers" in block.sentences[0]
    assert ".625, approximate 95% CI [.118, .954]" in block.sentences[0]
    (result,) = block.results
    assert result.row("refuses (share of units)", group="a").estimate == 0.25
    assert {row.estimate for row in block.tables[0].rows} >= {5 / 8, 0.25}
    assert STUDIES["staged-values"].beside["stances"](table) is table


def test_a_table_without_stances_is_named() -> None:
    with pytest.raises(
        InputError, match=r"stances\.csv: no column 'stance'; stances have answer, stance, model"
    ):
        read_stances(as_table({"answer": [1]}, "stances.csv"))


@pytest.mark.parametrize("part", ["model", "scenario"])
def test_stances_of_models_and_scenarios_without_scores_are_refused(part: str) -> None:
    scores = {
        "model": [*"ab"] * 4,
        "scenario": [*"ssttuuvv"],
        "stage": ["one"] * 8,
        "judge": ["j"] * 8,
        "open": [9] * 8,
    }
    design = trait_ratings(scores, traits=["open"])
    check_stances(as_table(STANCES, "stances.csv"), design)
    wrong = STANCES | {part: [*STANCES[part][:7], "ghost"]}
    with pytest.raises(
        InputError, match=rf"stances\.csv, column '{part}': the scores have no {part} 'ghost'"
    ):
        check_stances(as_table(wrong, "stances.csv"), design)


@pytest.mark.slow
def test_a_page_shows_stances() -> None:
    design = EXAMPLES["staged-values"](False)
    named = {
        part: [design.strata[part].levels["abstuv".index(label) % 2] for label in STANCES[part]]
        for part in ("model", "scenario")
    }
    options = StudyOptions(
        resamples=100, verify=False, stances=as_table(STANCES | named, "stances.csv")
    )
    page = STUDIES["staged-values"].run(design, options)
    assert "stances" in {block.id for block in page.blocks}


def test_values_that_nobody_cites_have_rows() -> None:
    """All cited are of Schwartz's ten: the others are there with 0; or those that were declared."""
    design, options = Comparisons.from_frame(VALUES), StudyOptions(resamples=100, verify=False)
    result = count_cited(design, ["kind"], options)["kind"]
    assert len({row.label("label") for row in result.rows}) == 10
    power = result.row("Power (share of units)", group="family")
    assert (power.estimate, power.conf_low) == (0, 0)
    declared = replace(options, value_levels=("Security", "Tradition", "care"))
    result = count_cited(design, ["kind"], declared)["kind"]
    assert {row.label("label") for row in result.rows} == {
        "Security",
        "Tradition",
        "care",
    }
    with pytest.raises(InputError, match="'Tradition' cited, and not among levels="):
        count_cited(design, ["kind"], replace(options, value_levels=("Security",)))

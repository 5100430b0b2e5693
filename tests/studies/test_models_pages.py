"""Pages of several models: the comparison first, many models, factors of models, people shared by prompts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.scales.model_words import named_differences
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.studies.page import Outcome
from socialstats.tables import as_table
from tests.studies.study_examples import FAST


def couples(models: int, seed: int = 1) -> pd.DataFrame:
    """Six scenarios x three pairs of names, both orders, asked of models that like women more and more."""
    rng = np.random.default_rng(seed)
    rows = [
        (
            f"m{m:02d}",
            f"s{s}",
            f"p{p}",
            first,
            second,
            1
            if rng.random() < 0.5 + (0.1 + 0.3 * m / models) * (1 if second == "woman" else -1)
            else -1,
        )
        for m in range(models)
        for s in range(6)
        for p in range(3)
        for first, second in (("man", "woman"), ("woman", "man"))
    ]
    return pd.DataFrame(
        rows, columns=["model", "scenario", "pair", "group_first", "group_second", "answer"]
    )


def page(table: pd.DataFrame, study: str = "relationship-bias", **options: Any) -> Outcome:
    given = STUDIES[study]
    assert given.read is not None
    design = given.read(as_table(table), by="model")
    return run_study(given, design, replace(FAST, verify=False, **options))


@pytest.mark.slow
def test_the_comparison_comes_first_and_has_every_model() -> None:
    outcome = page(couples(3))
    assert [b.id for b in outcome.blocks[:2]] == ["models", "models-differences"]
    assert [b.level for b in outcome.blocks[:2]] == ["", ""]
    board = outcome.blocks[0].results[0]
    assert [r.term for r in board.rows if r.group == "number"] == ["m00", "m01", "m02"]
    alone = ss.relationship_bias(
        couples(3)[lambda f: f["model"] == "m01"].drop(columns="model"), resamples=100
    )
    assert (
        board.row("m01", group="number").estimate
        == alone.row("B_all corrected", group="overall").estimate
    )
    assert outcome.answer[0] == board.sentence()
    bias = next(b for b in outcome.blocks if b.id == "models-more-1").results[0]
    assert bias.settings["number"] == "bias B, man - woman"


def test_every_difference_of_sizes_is_tested_and_a_test_of_few_degrees_of_freedom_is_named() -> (
    None
):
    outcome = page(couples(6))
    board = outcome.blocks[0].results[0]
    gaps = [r for r in board.rows if r.group == "difference"]
    (known,) = (r for r in gaps if r.df is not None)  # no B of these two models is near 0
    assert [r.p_adjusted > 0.05 for r in gaps] == [True] * 15
    assert "None of 15 differences between models was significant (Holm)." in outcome.answer[0]
    few = f"The test of m04 and m05 had only {known.df:.1f} degrees of freedom. Collect more units."
    assert outcome.answer[0].endswith(few)
    ways = "by t tests on shared units or by the CIs of both combined (Zou and Donner), with Holm-adjusted p values"
    assert f"Levels of model were compared {ways}." in outcome.methods[0]


def apart(shift: float) -> Outcome:
    """Return the page of one model as near to people as before, and of two that are farther by a shift."""
    table = norms()
    alone = table[table["prompt"] != "table"].drop(columns="prompt")
    far = alone["rater"].isin(["m1", "m2"])
    alone["value"] = np.where(
        far, np.clip(alone["value"] + shift, 0, 4).astype(int), alone["value"]
    )
    design = ss.Ratings.from_frame(alone, **{k: v for k, v in READ.items() if k != "by"})
    return run_study(STUDIES["ordinal-alignment"], design, replace(FAST, verify=False))


def test_few_significant_differences_are_named_with_their_size() -> None:
    outcome = apart(4)
    block = next(b for b in outcome.blocks if b.id == "models")
    told = " ".join(block.sentences)
    assert block.part == "appendix"
    assert "conditional on these 10 human raters" in block.sentences[0]
    board = block.results[0]
    clear = [r for r in board.rows if r.group == "difference" and (r.p_adjusted or 1.0) <= 0.05]
    assert {r.term for r in clear} == {"m0 - m1", "m0 - m2"}
    for row in clear:
        size = -(row.estimate or 0.0)
        assert (
            f"higher for {row.label('minus')} than m0 (difference = {size:.{row.decimals}f}, "
            in told
        )


def test_printed_numbers_subtract_to_the_printed_difference() -> None:
    """All three have the same decimals, more than their error asks for where that lets them subtract."""
    for shift in (4, 3, 2, 1):
        board = next(b for b in apart(shift).blocks if b.id == "models").results[0]
        for gap in named_differences(board.rows):
            one, other = (
                board.row(gap.label(side) or "", group="number") for side in ("model", "minus")
            )
            assert 2 <= one.decimals == other.decimals == gap.decimals <= 4
            printed = [round(row.estimate or 0.0, row.decimals) for row in (one, other, gap)]
            assert printed[0] - printed[1] == pytest.approx(printed[2], abs=1e-9)


@pytest.mark.slow
def test_the_first_blocks_of_levels_stand_among_the_results_where_there_is_room() -> None:
    for models, first in ((3, 3), (6, 0)):
        outcome = page(couples(models))
        main = [b for b in outcome.blocks if b.part == "main"]
        assert len(main) <= 8
        assert len({b.level for b in main} - {""}) == (
            models if first else len({b.level for b in main} - {""})
        )
        assert outcome.blocks[0].part == "main"


def test_the_pooled_answer_of_raters_does_not_lead() -> None:
    given = STUDIES["relationship-bias"]
    assert given.read is not None
    outcome = run_study(given, given.read(as_table(couples(3))), replace(FAST, verify=False))
    assert outcome.answer[0] == outcome.blocks[0].results[0].sentence()
    assert not any("favoured" in sentence for sentence in outcome.answer)
    assert outcome.answer[-1].startswith(
        "The mean of B_all (bias-corrected) over these 3 models was "
    )
    pooled = next(b for b in outcome.blocks if b.id == "bias")
    assert pooled.question == "Whom did the models favour, with their answers pooled?"
    assert [row.term for row in outcome.blocks[0].drawn] == [
        r.term
        for r in sorted(
            (r for r in outcome.blocks[0].results[0].rows if r.group == "number"),
            key=lambda r: r.estimate or 0.0,
        )
    ]


@pytest.mark.slow
def test_many_models_have_their_leading_blocks_and_more_than_thirty_the_comparison_alone() -> None:
    few, many, most = (page(couples(n)) for n in (3, 6, 31))
    sections = [{b.level for b in one.blocks} - {""} for one in (few, many, most)]
    assert [len(one) for one in sections] == [3, 6, 0]
    of_one = [sum(b.level == "m01" for b in one.blocks) for one in (few, many)]
    assert of_one[0] > 5
    assert of_one[1] == 1
    assert len([r for r in most.blocks[0].results[0].rows if r.group == "number"]) == 31


@pytest.mark.slow
def test_models_that_rate_one_table_are_compared_too() -> None:
    table = couples(3)
    given = STUDIES["relationship-bias"]
    assert given.read is not None
    outcome = run_study(given, given.read(as_table(table)), replace(FAST, verify=False))
    assert outcome.blocks[0].id == "models"
    split = page(table).blocks[0].results[0]
    found = outcome.blocks[0].results[0]
    same = [
        [(r.term, r.estimate) for r in one.rows if r.group == "difference"]
        for one in (split, found)
    ]
    assert same[0] == same[1]


def test_factors_of_models_are_tested_with_models_as_the_sample() -> None:
    table = couples(6)
    factors = as_table(
        {
            "model": [f"m{k:02d}" for k in range(6)],
            "safety": ["yes", "yes", "yes", "no", "no", "no"],
        }
    )
    outcome = page(table, models=factors)
    block = next(b for b in outcome.blocks if b.id == "models-factors")
    board = outcome.blocks[0].results[0]
    values = [board.row(f"m{k:02d}", group="number").estimate for k in range(6)]
    row = next(r for r in block.results[0].rows if r.role == "difference")
    assert row.estimate == pytest.approx(np.mean(values[3:]) - np.mean(values[:3]))
    with pytest.raises(ss.InputError, match="no row of 'm05'"):
        page(
            table,
            models=as_table({"model": [f"m{k:02d}" for k in range(5)], "safety": list("abcde")}),
        )


def norms() -> pd.DataFrame:
    """Ten people without a prompt, and three models under two prompts."""
    rng = np.random.default_rng(4)
    item = rng.normal(2, 1, 25)
    rows = [
        (u, f"p{k}", "human", "", int(np.clip(round(item[u] + rng.normal()), 0, 4)))
        for u in range(25)
        for k in range(10)
    ]
    rows += [
        (u, f"m{k}", "model", prompt, int(np.clip(round(item[u] + k / 2 + rng.normal()), 0, 4)))
        for u in range(25)
        for k in range(3)
        for prompt in ("plain", "table")
    ]
    return pd.DataFrame(rows, columns=["unit", "rater", "source", "prompt", "value"])


READ: dict[str, Any] = {
    "levels": list(range(5)),
    "scale": "ordinal",
    "rater_source": "source",
    "by": "prompt",
}


def test_people_are_shared_by_all_prompts() -> None:
    design = ss.Ratings.from_frame(norms(), shared="people", **READ)
    parts = design.split()
    assert {name: len(part.raters) for name, part in parts.items()} == {"plain": 13, "table": 13}
    alone = norms()[lambda f: f["prompt"] != "table"].drop(columns="prompt")
    own = ss.Ratings.from_frame(alone, **{k: v for k, v in READ.items() if k != "by"})
    both = [ss.ada_met(d, resamples=100).row("m1").estimate for d in (parts["plain"], own)]
    assert both[0] == both[1]
    outcome = run_study(STUDIES["ordinal-alignment"], design, replace(FAST, verify=False))
    assert [b.question for b in outcome.blocks[:2]] == [
        "How did the 2 prompts compare, over all models?",
        "How did the 6 compare by distance from people (ADA-Met)?",
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"prompt": lambda f: f["prompt"].where(f["rater"] != "p0", "plain")},
            "people have no value in 'prompt'",
        ),
        ({"prompt": lambda f: f["prompt"].where(f["rater"] != "m0", "")}, "the value is missing"),
        (
            {"source": lambda f: f["source"].replace("human", "site")},
            "no row of column 'source' names people",
        ),
    ],
)
def test_rows_that_are_not_shared(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ss.InputError, match=message):
        ss.Ratings.from_frame(norms().assign(**change), shared="people", **READ)


def test_shared_needs_what_is_shared() -> None:
    with pytest.raises(ss.InputError, match="name by= too"):
        ss.Ratings.from_frame(
            norms(), shared="people", rater_source="source", levels=list(range(5))
        )


def test_the_group_named_first_is_favoured_by_a_positive_bias() -> None:
    table = couples(1).drop(columns="model")
    given = STUDIES["relationship-bias"]
    assert given.read is not None
    design = given.read(as_table(table))
    options = replace(FAST, verify=False)
    plain, turned = (
        run_study(given, design, o) for o in (options, replace(options, first="woman"))
    )
    rows = [
        next(r for b in one.blocks if b.id == "bias" for r in b.results[0].rows)
        for one in (plain, turned)
    ]
    assert [r.term for r in rows] == ["man - woman", "woman - man"]
    assert rows[0].estimate == -(rows[1].estimate or 0.0)
    with pytest.raises(ss.InputError, match="'child' is no group of names"):
        run_study(given, design, replace(options, first="child"))


def test_brief_is_no_setting() -> None:
    assert not {"brief", "models"} & set(StudyOptions().echo())

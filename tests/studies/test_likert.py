"""Pages of Likert answers: their order, one number with one interval, labels cut without changing their sense."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import socialstats as ss
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.studies.page import Outcome
from socialstats.text import shortened

AGREE = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]
LIKELY = ["very unlikely", "unlikely", "likely", "very likely"]
FAST = StudyOptions(verify=False, resamples=200)


def answers(levels: list[str], seed: int = 5) -> pd.DataFrame:
    """Return one answer of each of 60 people before and after, the later one a little higher."""
    rng, top = np.random.default_rng(seed), len(levels) - 1
    one = np.clip(np.rint(rng.normal(top / 2, 1.1, 60)), 0, top).astype(int)
    two = np.clip(np.rint(one + rng.normal(0.4, 0.9, 60)), 0, top).astype(int)
    return pd.DataFrame(
        {
            "person": [*range(60)] * 2,
            "time": np.repeat(["before", "after"], 60),
            "answer": [levels[k] for k in (*one, *two)],
        }
    )


def page(frame: pd.DataFrame, **options: object) -> Outcome:
    return run_study(STUDIES["paired"], ss.Paired.from_frame(frame, **options), FAST)  # type: ignore[arg-type]


def codes(design: object) -> dict[str, str]:
    return {one.code: one.detail for one in design.cautions}  # type: ignore[attr-defined]


@pytest.mark.parametrize("levels", [AGREE, LIKELY])
@pytest.mark.parametrize("declared", [False, True])
def test_levels_in_order_that_are_compared_as_categories_say_so(
    levels: list[str], declared: bool
) -> None:
    options = {"levels": levels} if declared else {}
    design = ss.Paired.from_frame(answers(levels), **options)
    assert design.levels == tuple(levels)
    assert all(f"'{level}'" in codes(design)["SS345"] for level in levels)
    assert "SS345" in {one.code for one in page(answers(levels), **options).cautions}


def test_categories_without_an_order_and_a_declared_scale_say_nothing() -> None:
    assert "SS345" not in codes(ss.Paired.from_frame(answers(AGREE), scale="nominal", levels=AGREE))
    assert "SS345" not in codes(ss.Paired.from_frame(answers(["cat", "cow", "dog"])))
    assert "SS345" not in codes(
        ss.Paired.from_frame(answers(["A", "B", "C", "D"]))
    )  # options of a question
    assert "SS345" not in codes(ss.Paired.from_table([[4, 2, 1], [0, 3, 2], [1, 1, 5]]))


@pytest.mark.parametrize("levels", [AGREE, ["1", "2", "3", "4", "5"], ["2", "4", "8"]])
def test_levels_may_be_numbers(levels: list[str]) -> None:
    """Words count as 0, 1, 2, ..., which a note says; numbers as they are."""
    frame = answers(levels)
    number = {level: float(level) if level.isdigit() else k for k, level in enumerate(levels)}
    wide = frame.assign(answer=frame["answer"].map(number)).pivot(
        index="person", columns="time", values="answer"
    )
    row = ss.paired_difference(frame, levels=levels, scale="numeric").row("difference")
    test = stats.ttest_rel(wide["after"], wide["before"])
    assert (row.estimate, row.p_value) == pytest.approx(
        ((wide["after"] - wide["before"]).mean(), test.pvalue)
    )
    noted = "count as 0 to 4, in equal steps" in codes(
        ss.Paired.from_frame(frame, levels=levels, scale="numeric")
    ).get("SS310", "")
    assert noted == (levels == AGREE)


def test_groups_take_the_same_words() -> None:
    frame = answers(AGREE).assign(person=range(120))
    with pytest.raises(ss.DesignError, match=r"scale='numeric' .* in order counts them as numbers"):
        ss.two_means(frame, group="time", levels=AGREE)
    row = ss.two_means(frame, group="time", levels=AGREE, scale="numeric").rows[0]
    number = frame["answer"].map({level: k for k, level in enumerate(AGREE)})
    one, two = (number[frame["time"] == time] for time in ("after", "before"))
    assert abs(row.estimate or 0) == pytest.approx(abs(one.mean() - two.mean()))
    assert row.p_value == pytest.approx(stats.ttest_ind(one, two, equal_var=False).pvalue)


def test_a_value_beside_declared_numbers_is_an_error() -> None:
    with pytest.raises(ss.InputError, match="'5' is none of the levels"):
        ss.Paired.from_frame(
            answers(["1", "2", "3", "4", "5"]), levels=[1, 2, 3, 4], scale="numeric"
        )


def test_a_difference_of_shares_has_the_same_decimals_everywhere() -> None:
    """The answer and both tables print one difference alike, and say which interval is simultaneous."""
    outcome = page(answers(AGREE))
    rows = [
        row for result in outcome.blocks[0].results for row in result.rows if row.group == "margin"
    ]
    assert {row.limits for row in rows} == {(-1.0, 1.0)}
    assert "simultaneous" in outcome.answer[0]
    assert any("simultaneous" in table.caption for table in outcome.blocks[0].tables)


@pytest.mark.parametrize("width", range(5, 26))
def test_a_label_that_is_cut_does_not_read_as_its_opposite(width: int) -> None:
    """No label ends in a word, or in the end of a word, that is another label's."""
    others = {"agree", "likely", "acceptable", "satisfied", "isagree", "nlikely"}
    labels = [
        *AGREE,
        *LIKELY,
        "Completely unacceptable",
        "Completely acceptable",
        "Neither satisfied nor dissatisfied",
        "Very dissatisfied",
    ]
    for whole, cut in zip(labels, shortened(labels, width), strict=True):
        end = cut.rpartition("…")[2].strip().split(" ")[-1].casefold()
        if "…" in cut and end in others:
            assert whole.casefold().endswith(f" {end}"), (whole, cut)
    assert len(set(shortened(labels, width))) == len(labels)


def test_a_negation_is_not_cut_out() -> None:
    for text in ("agree, but not fully", "I would never agree", "Ich bin nicht einverstanden"):
        for width in range(6, len(text)):
            (cut,) = shortened([text], width)
            head, _, tail = cut.partition("…")
            assert not tail or any(
                word in f"{head} {tail}".split() for word in ("not", "never", "nicht")
            ), cut


def test_the_figure_has_the_rank_intervals_that_the_answer_quotes() -> None:
    table = Path(__file__).parents[2] / "examples" / "data" / "choices.csv"
    outcome = run_study(STUDIES["comparisons"], ss.read_comparisons(table, cluster="prompt"), FAST)
    block = next(block for block in outcome.blocks if block.id == "strengths")
    drawn = block.draw.keywords["ranks"]  # type: ignore[union-attr]
    kind = next(
        kind
        for kind in ("simultaneous", "marginal")
        if f"{kind} rank interval" in " ".join(outcome.answer)
    )
    assert f"Right: {kind} rank intervals" in block.caption
    ranks = next(
        result for result in block.results if result.metric == "ranks" or kind in result.inference
    )
    known = {row.term: (row.conf_low, row.conf_high) for row in ranks.rows}
    assert drawn == {name: tuple(map(int, known[name])) for name in drawn}  # type: ignore[arg-type]


def test_ranks_of_a_leaderboard_are_whole_numbers() -> None:
    table = Path(__file__).parents[2] / "examples" / "data" / "benchmark.csv"
    design = ss.read_ratings(
        table,
        unit=["task", "item"],
        rater="model",
        value="correct",
        strata="task",
        scale="interval",
    )
    outcome = run_study(STUDIES["leaderboard"], design, FAST)
    block = next(block for block in outcome.blocks if block.id == "means")
    assert block.draw is not None
    texts = [text.get_text() for text in block.draw().texts]
    assert "1\u20133" in texts
    assert not any(text.startswith("1.0") for text in texts)

"""The sentence that opens a page is right where the truth is known, has 25 words at most, and no symbols."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from study_examples import outcome_of

from socialstats.designs.comparisons import Comparisons
from socialstats.designs.groups import Groups
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.errors import caution
from socialstats.results import Row
from socialstats.studies import STUDIES
from socialstats.studies.page import SecondAnalysis, StudyOptions
from socialstats.studies.running import run_study
from socialstats.studies.verdicts import MOST_WORDS, Conclusion, ranking
from socialstats_reports.opening import short_answers

FAST = StudyOptions(resamples=100, verify=False)
SYMBOLS = re.compile(r"[=<>±%καχ\[\]]|\bp\b|\bCI\b|\d\.\d{2}|−")
JARGON = re.compile(
    r"log-|odds|interval|signific|bootstrap|cluster|kappa|alpha|Holm|ADA-Met|B_all", re.IGNORECASE
)


def conclusion(name: str, design: object, options: StudyOptions = FAST) -> Conclusion:
    found = run_study(STUDIES[name], design, options)  # type: ignore[arg-type]
    assert found.verdict is not None
    return found.verdict


def pairs(first: np.ndarray, second: np.ndarray, **reading: object) -> Paired:
    frame = pd.DataFrame(
        {
            "unit": np.tile(np.arange(len(first)), 2),
            "condition": ["calm"] * len(first) + ["urgent"] * len(second),
            "value": np.concatenate([first, second]),
        }
    )
    return Paired.from_frame(frame, conditions=("calm", "urgent"), **reading)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["role-conflict", "relationship-bias", "norm-goal", "ordinal-alignment", "staged-values"],
)
def test_a_verdict_of_an_example_is_short_and_plain(name: str) -> None:
    found = outcome_of(name).verdict
    assert found is not None
    assert len(found.text.split()) <= MOST_WORDS
    assert not SYMBOLS.search(found.text), found.text
    assert not JARGON.search(found.text), found.text


def test_a_clear_difference_has_a_direction_and_a_size() -> None:
    rng = np.random.default_rng(1)
    low = rng.normal(size=60)
    found = conclusion("paired", pairs(low, low + 1 + rng.normal(0, 0.5, 60)))
    assert re.fullmatch(
        r"The data clearly show that values are lower for calm than for urgent, by \S+ on average, "
        r"and so in \d\d of 60 pairs\.",
        found.text,
    )
    assert found.certainty == "clear"
    assert "1,000" in found.how_sure(0.95)


def test_no_significance_is_not_called_equal() -> None:
    rng = np.random.default_rng(2)
    low = rng.normal(size=30)
    design = pairs(low, low + rng.normal(0, 0.5, 30))
    found = conclusion("paired", design)
    assert found.text == "The data do not show whether values are higher for calm or for urgent."
    assert found.certainty == "open"
    same = conclusion("paired", design, StudyOptions(verify=False, smallest_effect=2.0))
    assert same.text == "Calm and urgent are alike up to a difference that does not matter."
    assert same.certainty == "alike"


def test_shares_are_counts_of_ten() -> None:
    first, second = np.repeat([1, 0], [20, 80]), np.repeat([1, 0], [70, 30])
    found = conclusion("paired", pairs(first, second, scale="binary"))
    assert found.text == (
        "The data clearly show that '1' in column 'value' is less frequent for calm than for urgent: "
        "about 2 against 7 of 10."
    )


@pytest.mark.parametrize("swapped", [False, True])
def test_groups_follow_the_sign(swapped: bool) -> None:
    rng = np.random.default_rng(3)
    values = np.concatenate([rng.normal(0, 1, 80), rng.normal(1.5, 1, 80)])
    names = ["zeta", "alef"] if swapped else ["alef", "zeta"]
    frame = pd.DataFrame({"group": np.repeat(names, 80), "value": values})
    found = conclusion("groups", Groups.from_frame(frame, groups=("alef", "zeta")))
    side = "higher" if swapped else "lower"
    assert found.text.startswith(
        f"The data clearly show that values are {side} for alef than for zeta"
    )


def ranks(*ends: tuple[int, int]) -> list[Row]:
    return [
        Row(term=name, estimate=k, conf_low=low, conf_high=high, role="rank")
        for k, (name, (low, high)) in enumerate(zip("abcdefg", ends, strict=False), 1)
    ]


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ([(1, 1), (2, 3), (2, 3)], "The data show that a is best of 3 models."),
        (
            [(1, 2), (1, 2), (3, 4), (3, 4)],
            "The data do not show which of a and b is best; both beat the other 2 models.",
        ),
        (
            [(1, 3), (1, 3), (2, 4), (3, 4)],
            "The data do not show which of a and b is best; it is none of the other 2 models.",
        ),
        (
            [(1, 2), (1, 3), (2, 3)],
            "The data do not show which of a and b is best; it is not c.",
        ),
        ([(1, 3), (1, 3), (1, 3)], "The data do not show which of a, b and c is best."),
        (
            [(1, 5), (1, 5), (1, 5), (1, 5), (1, 5)],
            "The data do not show which of the 5 models is best.",
        ),
        (
            [(1, 4), (1, 4), (1, 4), (1, 4), (5, 5)],
            "The data do not show which of 4 models is best; all beat the other model.",
        ),
    ],
)
def test_only_what_rank_intervals_exclude_is_said(ends: list[tuple[int, int]], text: str) -> None:
    assert ranking(ranks(*ends), "is best", "beat", "model").text == text


def test_an_item_that_always_wins_is_preferred() -> None:
    rng = np.random.default_rng(4)
    strengths = {"ash": 2.0, "oak": 0.0, "elm": -0.3}
    rows = []
    for _ in range(150):
        a, b = rng.choice(list(strengths), 2, replace=False)
        won = rng.random() < 1 / (1 + np.exp(strengths[b] - strengths[a]))
        rows.append((a, b, a if won else b))
    frame = pd.DataFrame(rows, columns=["item_a", "item_b", "winner"])
    found = conclusion("comparisons", Comparisons.from_frame(frame))
    assert found.text.startswith("The data show that ash is preferred most of 3 items, and over ")
    assert found.text.endswith(("in about 9 of 10 choices.", "in about 8 of 10 choices."))
    assert found.certainty == "ranked"


@pytest.mark.parametrize(
    ("noise", "text"),
    [(0.02, "this is enough for firm conclusions"), (0.9, "this is too little for conclusions")],
)
def test_agreement_is_judged_by_its_interval(noise: float, text: str) -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(1, 4, 200)
    raters = {
        name: np.where(rng.random(200) < noise, rng.integers(1, 4, 200), truth) for name in "xyz"
    }
    frame = pd.DataFrame({"unit": np.arange(200)} | raters).melt("unit", None, "rater", "value")
    found = conclusion("agreement", Ratings.from_frame(frame, scale="nominal"))
    assert text in found.text


def test_one_verdict_opens_the_page_before_the_statistics(tmp_path: Path) -> None:
    from socialstats_reports import render

    outcome = run_study(
        STUDIES["paired"], pairs(np.arange(20.0), np.arange(20.0)[::-1].copy()), FAST
    )
    page = render(outcome)
    assert page.count('class="verdict"') == 1
    assert (
        page.index('class="verdict"') < page.index('class="short"') < page.index('class="answer"')
    )
    for question in ("How sure?", "What could be wrong?", "What to collect next?"):
        assert page.count(f"<dt>{question}</dt>") == 1


def test_levels_without_a_test_leave_the_verdict_open() -> None:
    frame = pd.DataFrame(
        {
            "unit": [*range(3)] * 4,
            "condition": (["calm"] * 3 + ["urgent"] * 3) * 2,
            "value": [1.0, 2, 3, 2, 3, 4, 1, 2, 3, 2, 3, 4],
            "model": ["m"] * 6 + ["n"] * 6,
        }
    )
    design = Paired.from_frame(frame, by="model", conditions=("calm", "urgent"))
    assert conclusion("paired", design).certainty == "open"


def test_an_equivalence_in_standard_deviations_is_that_of_its_test() -> None:
    # the difference is .09 SD of the differences, and .9 in the unit of the values
    rng = np.random.default_rng(6)
    low = rng.normal(size=400) * 10
    design = pairs(low, low + 0.9 + rng.normal(0, 10, 400))
    chosen = StudyOptions(verify=False, smallest_effect=0.3, effect_scale="d_z")
    assert conclusion("paired", design, chosen).certainty == "alike"
    tight = StudyOptions(verify=False, smallest_effect=0.02, effect_scale="d_z")
    assert conclusion("paired", design, tight).certainty != "alike"
    # half of the standard deviation is far above half of the unit
    small = pairs(low / 100, low / 100 + 0.1 + rng.normal(0, 0.1, 400))
    assert conclusion("paired", small, replace(chosen, smallest_effect=0.5)).certainty == "clear"


def test_the_level_that_differs_is_named_and_not_the_largest_uncertain_one() -> None:
    first = np.repeat(["x", "y", "z"], [30, 60, 10])
    second = np.repeat(["x", "y", "z"], [60, 30, 10])
    found = conclusion("paired", pairs(first, second, scale="nominal"))
    assert "is less frequent for calm than for urgent" in found.text
    assert found.certainty != "open"


def test_a_caution_is_told_beside_how_sure_it_is() -> None:
    from socialstats_reports import render

    rows = [("a", "b", "a")] * 8 + [("b", "c", "b")] * 7 + [("a", "c", "a")] * 9
    rows += [("a", "b", "b"), ("b", "c", "c"), ("a", "c", "c")]
    frame = pd.DataFrame(rows, columns=["item_a", "item_b", "winner"])
    outcome = run_study(STUDIES["comparisons"], Comparisons.from_frame(frame), FAST)
    assert [caution.code for caution in outcome.cautions if caution.severity == "caution"]
    assert outcome.verdict is not None
    told = "can make it less sure." in render(outcome)
    # the rank interval of c ends before rank 1, so a part of the ranking is settled
    assert told
    assert outcome.verdict.partly_ranked


@pytest.mark.parametrize(("bias", "size"), [(2.0, "more than 19 of 20"), (-1.0, "about 8 of 10")])
def test_a_bias_is_told_as_a_share_of_the_choices(bias: float, size: str) -> None:
    from socialstats.results import Result
    from socialstats.studies.relationship_bias import verdict_on_groups

    row = Row(
        term="x - y",
        group="bias",
        role="estimate",
        key=(("group", "x"), ("other", "y")),
        estimate=bias,
        conf_low=bias - 0.1,
        conf_high=bias + 0.1,
        p_value=0.0001,
    )
    result = Result(metric="relationship_bias", title="t", rows=(row,), inference="i")
    # of ten choices between both, one side has all at B = 2, and three quarters at B = 1
    high, low = ("x", "y") if bias > 0 else ("y", "x")
    text = verdict_on_groups(result).text
    assert f"'{high}' names are favoured over '{low}' names, {size} times" in text


def test_an_open_ranking_says_what_is_settled() -> None:
    ends = {"a": (1, 2), "b": (1, 2), "c": (3, 3)}
    rows = [
        Row(term=name, estimate=float(k), conf_low=low, conf_high=high)
        for k, (name, (low, high)) in enumerate(ends.items(), 1)
    ]
    found = ranking(rows, "is preferred most", "are preferred to", "item")
    assert found.certainty == "open"
    assert found.how_sure(0.95).startswith(
        "Not sure which of them is preferred most. Fairly sure that no other is preferred most:"
    )
    tied = ranking(rows[:2], "is preferred most", "are preferred to", "item")
    assert tied.how_sure(0.95) == "Not sure: the data fit more than one answer."


def test_a_caution_makes_the_settled_part_of_an_open_ranking_less_sure() -> None:
    outcome = outcome_of("comparisons")
    settled = Conclusion("The data do not show which of a and b is first.", "open", True)
    few = caution("SS202", "4 pairs")
    (_, sure), (_, wrong), _ = short_answers(replace(outcome, verdict=settled), [few])
    assert sure.endswith("can make it less sure.")
    # t intervals of few clusters are longer, and others shorter
    assert "less reliable" in wrong
    unsettled = replace(settled, partly_ranked=False)
    (_, sure), *_ = short_answers(replace(outcome, verdict=unsettled), [few])
    assert "less sure" not in sure


@pytest.mark.parametrize("certainty", ["ranked", "interval"])
def test_a_range_is_explained_once(certainty: str) -> None:
    verdict = Conclusion("A is best.", certainty, within="about 4 to 6 of 10")  # type: ignore[arg-type]
    few = caution("SS202", "4 pairs; hardly enough", basis="4 pairs of items")
    answers = short_answers(replace(outcome_of("comparisons"), verdict=verdict), [few])
    texts = dict(answers)
    assert "The data come from only 4 pairs of items" in texts["What could be wrong?"]
    explained = [text.count("holds the truth in about 19 of 20 studies") for _, text in answers]
    assert explained == ([1, 0, 0] if certainty == "interval" else [0, 1, 0])
    assert ("about 4 to 6 of 10" in texts["How sure?"]) is (certainty == "interval")


def test_a_first_rank_that_another_analysis_turns_names_the_analysis_of_the_page() -> None:
    other = SecondAnalysis(
        "t", "Without refusals, b would be nearest.", here="with refusals as here"
    )
    settled = Conclusion("It is a or b.", "open", True, superlative="is nearest")
    outcome = replace(outcome_of("comparisons"), verdict=settled, turned=(other,))
    (_, sure), (_, wrong), _ = short_answers(outcome, [])
    assert sure.endswith("This holds with refusals as here.")
    assert "no other is nearest" in sure
    assert wrong == "Without refusals, b would be nearest."
    # nothing is settled, so nothing has to hold
    (_, sure), *_ = short_answers(
        replace(outcome, verdict=replace(settled, partly_ranked=False)), []
    )
    assert "This holds" not in sure


def test_no_other_caution_follows_the_sentence_on_simulated_data() -> None:
    outcome = replace(outcome_of("comparisons"), simulated=True, turned=())
    _, (_, wrong), _ = short_answers(outcome, [])
    assert wrong.endswith("models or people. No other caution was raised.")

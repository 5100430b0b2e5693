"""Mean ratings on the agreement page."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from study_tables import stray_cells, stray_decimals

from socialstats.designs.ratings import Ratings
from socialstats.studies import STUDIES, StudyOptions, run_study

FAST = StudyOptions(resamples=100)


def likert() -> pd.DataFrame:
    """40 items in 8 topics, rated 1 to 5 on three criteria by three people; some ratings are missing."""
    rng = np.random.default_rng(11)
    rows = []
    for item in range(40):
        for criterion, high in (("plausibility", 4.2), ("clarity", 3.6), ("dilemma", 3.0)):
            level = high + 0.6 * rng.normal()
            for judge in ("ann", "bob", "cia"):
                if rng.random() > 0.05:
                    rows.append(
                        (
                            f"{item}-{criterion}",
                            f"t{item // 5}",
                            criterion,
                            judge,
                            int(np.clip(round(level + 0.7 * rng.normal()), 1, 5)),
                        )
                    )
    return pd.DataFrame(rows, columns=["item", "topic", "criterion", "judge", "rating"])


def design(**more: object) -> Ratings:
    return Ratings.from_frame(likert(), levels=[1, 2, 3, 4, 5], scale="ordinal", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "more", [{"strata": "criterion"}, {"strata": "criterion", "cluster": "topic"}]
)
def test_the_page_holds_the_means_and_verifies_them(more: dict[str, str]) -> None:
    outcome = run_study(STUDIES["agreement"], design(**more), FAST)
    block = next(b for b in outcome.blocks if b.id == "means")
    assert stray_cells(outcome) == []
    assert stray_decimals(outcome, list(block.sentences), set()) == []
    assert "Means by criterion lay between" in block.sentences[1]
    assert "(dilemma)" in block.sentences[1]
    assert all(v.ok for v in outcome.verifications.values())
    assert block.draw is not None
    block.draw()


def test_two_groups_of_raters_are_compared_on_the_units_of_both() -> None:
    """The mean of two people minus that of a model's three runs per unit, by topic: CR2 of equal topics is their t."""
    rng = np.random.default_rng(3)
    rows = [
        (
            f"u{unit}",
            f"t{unit // 4}",
            rater,
            rater[0],
            int(np.clip(round(3 + (0.8 if rater[0] == "m" else 0.0) + rng.normal()), 1, 5)),
        )
        for unit in range(48)
        for rater in ("h1", "h2", "m1", "m2", "m3")
    ]
    frame = pd.DataFrame(rows, columns=["unit", "topic", "rater", "kind", "value"])
    read = Ratings.from_frame(
        frame, levels=[1, 2, 3, 4, 5], scale="interval", cluster="topic", rater_groups="kind"
    )
    outcome = run_study(STUDIES["agreement"], read, FAST)
    block = next(b for b in outcome.blocks if b.id == "means")
    row = block.results[1].row("difference")
    unit = frame.groupby(["topic", "unit", "kind"])["value"].mean().unstack()
    topic = (unit["h"] - unit["m"]).groupby("topic").mean()
    test = stats.ttest_1samp(topic, 0)
    assert (row.estimate, row.statistic, row.df) == pytest.approx(
        (topic.mean(), test.statistic, 11)
    )
    assert block.sentences[-1].startswith("The mean rating was lower for h than m (difference = −")
    assert all(v.ok for v in outcome.verifications.values())


def two_groups(lost: dict[str, str]) -> pd.DataFrame:
    """Two people, who rate one higher than two models; each group lacks a unit of its own."""
    rng = np.random.default_rng(2)
    rows = [
        (f"u{unit:02d}", rater, kind, unit % 4 + 1 + (kind == "human") + int(rng.integers(2)))
        for unit in range(20)
        for kind in ("human", "model")
        for rater in (f"{kind} 1", f"{kind} 2")
        if f"u{unit:02d}" != lost.get(kind)
    ]
    return pd.DataFrame(rows, columns=["unit", "rater", "kind", "value"])


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        (
            {"human": "u02", "model": "u17"},
            "18 units of both; 1 unit only from 'human', 1 unit only from 'model'",
        ),
        ({"human": "u02"}, "19 units of both; 1 unit only from 'model'"),
        ({}, ""),
    ],
)
def test_groups_that_lack_other_units_are_matched_by_unit(lost: dict[str, str], said: str) -> None:
    frame = two_groups(lost)
    read = Ratings.from_frame(
        frame, levels=[1, 2, 3, 4, 5, 6], scale="interval", rater_groups="kind"
    )
    outcome = run_study(STUDIES["agreement"], read, FAST)
    block = next(b for b in outcome.blocks if b.id == "means")
    result = block.results[1]
    means = frame.groupby(["unit", "kind"])["value"].mean().unstack().dropna()
    gaps = means["human"] - means["model"]
    test = stats.ttest_1samp(gaps, 0)
    row = result.row("difference")
    assert (row.estimate, row.statistic, row.n) == pytest.approx(
        (gaps.mean(), test.statistic, len(gaps))
    )
    assert result.verify().ok
    assert any(said in text for text in block.sentences)
    assert [
        c.detail for c in outcome.cautions if c.code == "SS301" and "only from" in c.detail
    ] == [said] * bool(said)


def test_the_check_of_two_groups_notices_units_that_were_paired_by_position() -> None:
    read = Ratings.from_frame(
        two_groups({"human": "u02", "model": "u17"}),
        levels=[1, 2, 3, 4, 5, 6],
        scale="interval",
        rater_groups="kind",
    )
    block = next(b for b in run_study(STUDIES["agreement"], read, FAST).blocks if b.id == "means")
    result = block.results[1]
    row = result.rows[0]
    wrong = replace(result, rows=(replace(row, estimate=row.estimate + 0.05), *result.rows[1:]))  # type: ignore[operator]
    assert any(check.ok is False for check in wrong.verify() if check.package == "pandas")


def test_people_and_models_who_give_one_level_each_have_a_page() -> None:
    frame = two_groups({}).assign(value=lambda rows: (rows["kind"] == "human").astype(int))
    read = Ratings.from_frame(frame, levels=[0, 1], scale="interval", rater_source="kind")
    outcome = run_study(STUDIES["agreement"], read, FAST)
    assert any(
        text.startswith("Judges could not be compared with people: no variation")
        for text in outcome.answer
    )

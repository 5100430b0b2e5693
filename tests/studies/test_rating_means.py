"""Mean ratings on the agreement page."""

from __future__ import annotations

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
                    rows.append((f"{item}-{criterion}", f"t{item // 5}", criterion, judge,
                                 int(np.clip(round(level + 0.7 * rng.normal()), 1, 5))))  # fmt: skip
    return pd.DataFrame(rows, columns=["item", "topic", "criterion", "judge", "rating"])


def design(**more: object) -> Ratings:
    return Ratings.from_frame(likert(), levels=[1, 2, 3, 4, 5], scale="ordinal", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("more", [{"strata": "criterion"}, {"strata": "criterion", "cluster": "topic"}])
def test_the_page_holds_the_means_and_verifies_them(more: dict[str, str]) -> None:
    outcome = run_study(STUDIES["agreement"], design(**more), FAST)
    block = next(b for b in outcome.blocks if b.id == "means")
    assert stray_cells(outcome) == []
    assert stray_decimals(outcome, list(block.sentences), set()) == []
    assert "By criterion, means ranged from" in block.sentences[1]
    assert "(dilemma)" in block.sentences[1]
    assert all(v.ok for v in outcome.verifications.values())
    assert block.draw is not None
    block.draw()


def test_two_groups_of_raters_are_compared_on_the_units_of_both() -> None:
    """The mean of two people minus that of a model's three runs per unit, by topic: CR2 of equal topics is their t."""
    rng = np.random.default_rng(3)
    rows = [
        (f"u{unit}", f"t{unit // 4}", rater, rater[0], int(np.clip(round(3 + (0.8 if rater[0] == "m" else 0.0)
                                                                        + rng.normal()), 1, 5)))
        for unit in range(48) for rater in ("h1", "h2", "m1", "m2", "m3")
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["unit", "topic", "rater", "kind", "value"])
    read = Ratings.from_frame(frame, levels=[1, 2, 3, 4, 5], scale="interval", cluster="topic", rater_groups="kind")
    outcome = run_study(STUDIES["agreement"], read, FAST)
    block = next(b for b in outcome.blocks if b.id == "means")
    row = block.results[1].row("difference")
    unit = frame.groupby(["topic", "unit", "kind"])["value"].mean().unstack()
    topic = (unit["h"] - unit["m"]).groupby("topic").mean()
    test = stats.ttest_1samp(topic, 0)
    assert (row.estimate, row.statistic, row.df) == pytest.approx((topic.mean(), test.statistic, 11))
    assert block.sentences[-1].startswith("The mean rating was lower for h than m (difference = −")
    assert all(v.ok for v in outcome.verifications.values())

"""Mean ratings on the agreement page."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
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

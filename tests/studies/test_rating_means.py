"""Mean ratings on the agreement page: by hand, by clusters, only where levels are numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student
from study_tables import ratings, stray_cells, stray_decimals

from socialstats.designs.ratings import Ratings
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.studies.ratings import rating_means

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


def test_means_and_intervals_are_those_of_units() -> None:
    found = rating_means(design(strata="criterion"), 0.9)
    assert found is not None
    units = likert().groupby(["criterion", "item"])["rating"].mean()
    for name, own in units.groupby("criterion"):
        row = found.row(str(name))
        error = own.std(ddof=1) / np.sqrt(len(own))
        reach = student.ppf(0.95, len(own) - 1) * error
        expected = (own.mean(), error, own.mean() - reach, own.mean() + reach)
        assert (row.estimate, row.std_error, row.conf_low, row.conf_high) == pytest.approx(expected)
    assert found.row("ann").estimate == pytest.approx(likert().query("judge == 'ann'")["rating"].mean())
    assert found.rows[0].estimate == pytest.approx(units.mean())


def test_clusters_widen_the_error_by_hand() -> None:
    found = rating_means(design(cluster="topic"), 0.95)
    assert found is not None
    frame = likert()
    units = frame.groupby("item").agg(x=("rating", "mean"), g=("topic", "first"))
    sums = (units["x"] - units["x"].mean()).groupby(units["g"]).agg(["sum", "size"])
    n = len(units)
    assert found.rows[0].std_error == pytest.approx(np.sqrt((sums["sum"] ** 2 / (1 - sums["size"] / n)).sum()) / n)
    assert found.rows[0].n_clusters == 8


@pytest.mark.parametrize("more", [{"strata": "criterion"}, {"strata": "criterion", "cluster": "topic"}])
def test_the_page_holds_the_means_and_verifies_them(more: dict[str, str]) -> None:
    outcome = run_study(STUDIES["agreement"], design(**more), FAST)
    block = next(b for b in outcome.blocks if b.id == "means")
    assert stray_cells(outcome) == []
    assert stray_decimals(outcome, list(block.sentences), set()) == []
    assert "By criterion it runs from" in block.sentences[1]
    assert "(dilemma)" in block.sentences[1]
    assert all(v.ok for v in outcome.verifications.values())
    assert block.draw is not None
    block.draw()


def test_levels_that_are_no_numbers_have_no_mean() -> None:
    words = Ratings.from_frame(ratings(), levels=["low", "medium", "high"], refusal="refused")
    assert rating_means(words, 0.95) is None
    assert rating_means(Ratings.from_frame(likert(), scale="nominal"), 0.95) is None

"""Mean ratings: R's values, by hand, by clusters, only where levels are numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.metrics.mean_ratings import mean_ratings
from tests.golden_data import golden

GOLDEN = golden("mean_ratings")


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


@pytest.mark.parametrize(("cluster", "term", "name"), [
    (None, "all units", "units"), ("story", "all units", "clusters"), ("story", "ann", "ann"),
])  # fmt: skip
def test_r_gives_the_same(cluster: str | None, term: str, name: str) -> None:
    table = pd.DataFrame({part: GOLDEN[part] for part in ("unit", "rater", "value", "story")})
    row = mean_ratings(table, scale="interval", cluster=cluster).row(term)
    for field, value in GOLDEN[name].items():
        assert getattr(row, field) == pytest.approx(value, rel=1e-9), field


def test_means_and_intervals_are_those_of_units() -> None:
    found = mean_ratings(design(strata="criterion"), level=0.9)
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
    found = mean_ratings(design(cluster="topic"))
    frame = likert()
    units = frame.groupby("item").agg(x=("rating", "mean"), g=("topic", "first"))
    sums = (units["x"] - units["x"].mean()).groupby(units["g"]).agg(["sum", "size"])
    n = len(units)
    assert found.rows[0].std_error == pytest.approx(np.sqrt((sums["sum"] ** 2 / (1 - sums["size"] / n)).sum()) / n)
    assert found.rows[0].n_clusters == 8


def test_levels_that_are_no_numbers_have_no_mean() -> None:
    words = {"unit": [1, 2], "rater": ["a", "a"], "value": ["low", "high"]}
    with pytest.raises(InputError, match="levels that are numbers"):
        mean_ratings(words, levels=["low", "high"], scale="ordinal")
    with pytest.raises(InputError, match="levels that are numbers"):
        mean_ratings(Ratings.from_frame(likert(), scale="nominal"))
    with pytest.raises(InputError, match="give one row a rating"):
        mean_ratings({"a": [1, 2], "b": [2, 2], "n": [3, 1]}, raters=["a", "b"], scale="interval", count="n")
    with pytest.raises(NothingToAnalyse):
        mean_ratings(likert().iloc[:0], scale="interval")


def test_means_of_few_units_or_clusters_are_approximate_and_clusters_that_are_left_out_are_said() -> None:
    found = mean_ratings(design(strata="criterion", cluster="topic"))
    assert [(c.code, c.detail) for c in found.cautions if c.severity == "caution"] == [
        ("SS312", "8 clusters; t needs values close to normal")
    ]
    frame = likert().query("item in ('0-clarity', '1-clarity', '2-clarity') or criterion == 'dilemma'")
    few = mean_ratings(frame, levels=[1, 2, 3, 4, 5], scale="ordinal", unit="item", strata="criterion")
    assert {row.term: row.approximate for row in few.rows if row.group == "mean by criterion"} == {
        "clarity": True, "dilemma": False,
    }  # fmt: skip
    ignored = mean_ratings(design(cluster="topic"), cluster=None)
    assert [c.code for c in ignored.cautions if c.severity == "caution"] == ["SS201"]

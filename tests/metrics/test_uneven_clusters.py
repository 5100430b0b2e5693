"""Every row over clusters of unequal size: its mean, its units and clusters, and the largest share of one cluster."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.results import Result, Row

UNITS = [f"u{k:02}" for k in range(20)]
STORY = dict(zip(UNITS, [*"aaaaaaaaabbbbbcccdde"], strict=True))
TASK = dict(zip(UNITS, [*"pqpqppppqqqpppqpppqq"], strict=True))
RATERS = ("m1", "m2", "m3")


def table() -> pd.DataFrame:
    """Ratings of 1 to 3 by three raters of 20 units of five stories, without three of them."""
    rng = np.random.default_rng(2)
    rows = [(m, u, STORY[u], TASK[u], float(rng.integers(1, 4))) for m in RATERS for u in UNITS]
    frame = pd.DataFrame(rows, columns=["rater", "unit", "story", "task", "value"])
    return frame.drop(index=[3, 25, 47]).reset_index(drop=True)


def read(frame: pd.DataFrame) -> ss.Ratings:
    return ss.Ratings.from_frame(
        frame,
        unit="unit",
        rater="rater",
        value="value",
        cluster="story",
        strata="task",
        levels=[1, 2, 3],
    )


Wanted = tuple[pd.Series, pd.Series]  # values and weights of a row, by unit


def equally(values: pd.Series) -> Wanted:
    return values, pd.Series(1.0, index=values.index)


def by_tasks(values: pd.Series) -> Wanted:
    task = values.index.map(TASK)
    return values, pd.Series(
        1.0 / pd.Series(task).map(pd.Series(task).value_counts()).to_numpy(), index=values.index
    )


def board_of(row: Row, wide: pd.DataFrame, pooling: str) -> Wanted:
    key = dict(row.key)
    pool = by_tasks if key.get("pooling", pooling) == "tasks" else equally
    if "minus" in key:
        return pool((wide[key["model"]] - wide[key["minus"]]).dropna())
    if key.get("units") == "shared":
        return pool(wide.dropna()[key["model"]])
    own = wide[key["model"]].dropna()
    return equally(own[own.index.map(TASK) == key["task"]]) if "task" in key else pool(own)


def ratings_of(row: Row, wide: pd.DataFrame) -> Wanted | None:
    key = dict(row.key)
    if "rater" in key:
        return equally(wide[key["rater"]].dropna())
    if set(key) - {"stratum", "level"}:
        return None
    means = wide.mean(axis=1)
    return equally(means[means.index.map(TASK) == key["level"]] if "level" in key else means)


def share_of(row: Row, wide: pd.DataFrame) -> Wanted:
    """Of pooled ratings a unit weighs as many as it has."""
    given = wide.notna().sum(axis=1).astype(float)
    return (wide == float(dict(row.key)["level"])).sum(axis=1) / given, given


def agreement_of(row: Row, wide: pd.DataFrame) -> Wanted:
    pairs = (
        list(combinations(RATERS, 2)) if row.term == "all pairs" else [tuple(row.term.split(" | "))]
    )
    same = pd.DataFrame(
        {
            (one, two): (wide[one] == wide[two]).astype(float)[wide[[one, two]].notna().all(axis=1)]
            for one, two in pairs
        }
    )
    return equally(same.mean(axis=1).dropna())


def results(name: str) -> tuple[Result, Callable[[Row, pd.DataFrame], Wanted | None]]:
    frame = table()
    if name.startswith("leaderboard"):
        frame = frame.rename(columns={"rater": "model", "unit": "item"})
        scores, pooling = ss.model_scores(frame, value="value", cluster="story"), name.split()[-1]
        return ss.leaderboard(scores, pooling=pooling), lambda row, wide: board_of(
            row, wide, pooling
        )
    of = {"mean_ratings": ratings_of, "choice_shares": share_of, "percent_agreement": agreement_of}[
        name
    ]
    more = {} if name == "percent_agreement" else {"people": "fixed"}
    return getattr(ss, name)(read(frame), **more), of


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("leaderboard over tasks", 18),
        ("leaderboard over units", 18),
        ("mean_ratings", 6),
        ("choice_shares", 3),
        ("percent_agreement", 4),
    ],
)
def test_mean_counts_and_largest_cluster_of_every_row(name: str, rows: int) -> None:
    result, of = results(name)
    wide = table().pivot(index="unit", columns="rater", values="value")
    told = 0
    for row in result.rows:
        if row.leverage is None or (wanted := of(row, wide)) is None:
            continue
        values, weights = wanted
        weights = weights / weights.sum()
        stories = pd.Series(values.index.map(STORY), index=values.index)
        told += 1
        assert row.estimate == pytest.approx((weights * values).sum(), rel=1e-12), row.name
        assert (row.n_units, row.n_clusters) == (len(values), stories.nunique()), row.name
        assert row.leverage == pytest.approx(weights.groupby(stories).sum().max(), rel=1e-12), (
            row.name
        )
    assert told == rows
    whole = {row.leverage for row in result.rows if row.leverage is not None}
    assert len(whole) > 1 or name == "choice_shares"


@pytest.mark.parametrize("source", ["rater", "all"])
def test_a_difference_within_pairs_has_the_cr2_error_of_its_clusters(source: str) -> None:
    """sum (e_g / sqrt(1 - w_g))^2 over clusters, e_g the weighted deviations of a cluster and w_g its share."""
    wide = table().pivot(index="unit", columns="rater", values="value").dropna()
    gap = wide["m1"] - wide["m2"]
    rows = pd.DataFrame(
        {"unit": gap.index, "a": wide["m1"], "b": wide["m2"], "story": gap.index.map(STORY)}
    )
    if source == "all":  # two of the pairs twice: pairs of their own
        rows = pd.concat([rows, rows.iloc[:2].assign(unit=["v", "w"])])
    gap = rows["a"] - rows["b"]
    found = ss.paired_difference(rows, first="a", second="b", unit="unit", cluster="story")
    row = found.row("difference")
    share = rows.groupby("story").size() / len(rows)
    off = (gap - gap.mean()).groupby(rows["story"]).sum() / len(rows)
    assert row.estimate == pytest.approx(gap.mean(), rel=1e-12)
    assert row.std_error == pytest.approx(np.sqrt((off**2 / (1 - share)).sum()), rel=1e-9)
    assert (row.n, row.n_clusters) == (len(rows), 5)
    assert found.glance()["largest_leverage"][0] == pytest.approx(share.max(), rel=1e-12)

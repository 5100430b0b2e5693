"""Levels of a pandas index are columns of a table where they are named, and nothing where they are not."""

from __future__ import annotations

import pandas as pd
import pytest

from socialstats import Comparisons, Paired, Ratings, trait_ratings
from socialstats.errors import DesignError
from tests.designs.same import same

LONG = pd.DataFrame(
    {
        "post": [1, 1, 2, 2, 3, 3],
        "who": [*"ababab"],
        "said": [1, 2, 2, 2, 1, 1],
        "forum": [*"xxyyxx"],
    }
)


def test_parts_of_ratings_may_be_index_levels() -> None:
    named = {
        "unit": "post",
        "rater": "who",
        "value": "said",
        "cluster": "forum",
        "scale": "ordinal",
    }
    plain = Ratings.from_frame(LONG, **named)
    for levels in (["post"], ["post", "who"], ["forum", "post", "who"]):
        same(Ratings.from_frame(LONG.set_index(levels), **named), plain)


def test_units_and_clusters_of_pairs_may_be_index_levels() -> None:
    wide = LONG.pivot(index=["forum", "post"], columns="who", values="said")
    plain = Paired.from_wide(
        wide.reset_index(), first="a", second="b", unit="post", cluster="forum"
    )
    same(Paired.from_wide(wide, first="a", second="b", unit="post", cluster="forum"), plain)
    ratings = Ratings.from_wide(wide, raters_in="columns", unit="post", strata="forum")
    same(
        ratings,
        Ratings.from_wide(wide.reset_index(), raters_in="columns", unit="post", strata="forum"),
    )


def test_clusters_of_comparisons_may_be_index_levels() -> None:
    games = pd.DataFrame(
        {"item_a": [*"xyz"], "item_b": [*"yzx"], "winner": [*"xzx"], "judge": [*"mmn"]}
    )
    same(
        Comparisons.from_frame(games.set_index("judge"), cluster="judge"),
        Comparisons.from_frame(games, cluster="judge"),
    )


def test_parts_of_trait_scores_may_be_index_levels() -> None:
    table = pd.DataFrame(
        {"model": ["m", "m"], "scenario": [1, 2], "judge": ["j", "j"], "open": [12, 15]}
    )
    same(
        trait_ratings(table.set_index(["model", "scenario"]), traits=["open"]),
        trait_ratings(table, traits=["open"]),
    )


def test_index_levels_that_nobody_names_change_nothing() -> None:
    wide = pd.DataFrame({"a": [1, 2, 3], "b": [1, 2, 2]}, index=pd.Index([7, 8, 9], name="carol"))
    same(
        Ratings.from_wide(wide, raters_in="columns"),
        Ratings.from_wide(wide.reset_index(drop=True), raters_in="columns"),
    )
    clash = LONG.set_index("who", drop=False)
    named = {"unit": "post", "rater": "who", "value": "said"}
    same(Ratings.from_frame(clash, **named), Ratings.from_frame(LONG, **named))


def test_a_missing_column_is_looked_for_among_index_levels() -> None:
    table = LONG.set_index(["post", "who"])
    with pytest.raises(DesignError, match=r"index levels: post and who\. Did you mean unit='post'"):
        Ratings.from_frame(table, unit="Post", rater="who", value="said")

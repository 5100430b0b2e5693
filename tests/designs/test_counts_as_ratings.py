"""Counts of ratings by level where ratings are expected, and totals in tables of counts: refused, with what works."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

import socialstats as ss
from socialstats.errors import InputError
from tests.designs.test_vectors import COUNTED

THREE = np.random.default_rng(8).integers(0, 4, size=(15, 3))
COUNTS = aggregate_raters(THREE)[0]
NAMED = pd.DataFrame(COUNTED, columns=list("abcde"))
PEER = fleiss_kappa(COUNTED)


@pytest.mark.parametrize(
    "metric", ["fleiss_kappa", "gwet_ac", "percent_agreement", "krippendorff_alpha"]
)
def test_counts_said_to_be_raters_in_columns_are_refused(metric: str) -> None:
    function = getattr(ss, metric)
    said = r"each row sum to 14, as counts of ratings by level do\. .* pass Ratings\.from_counts\(data\)\."
    with pytest.raises(InputError, match=said):
        function(COUNTED, raters_in="columns")
    with pytest.raises(InputError, match=r"say columns=\['a', 'b', 'c', 'd', 'e'\] alone"):
        function(NAMED, raters_in="columns")
    with pytest.raises(InputError, match=r"say columns=\['a', 'b', 'c', 'd', 'e'\] alone"):
        function(NAMED, raters=list("abcde"))
    with pytest.raises(InputError, match=r"each column sum to 14.*from_counts\(data\.T\)"):
        function(COUNTED.T, raters_in="rows")
    with pytest.raises(InputError, match=r"each row sum to 14.*from_counts\(data\)"):
        function(COUNTED, raters_in="rows")


def test_what_the_message_says_gives_the_peers_number() -> None:
    for design in (ss.Ratings.from_counts(COUNTED), ss.Ratings.from_counts(COUNTED.T.T)):
        assert ss.fleiss_kappa(design).row("kappa").estimate == pytest.approx(PEER)
    assert ss.fleiss_kappa(NAMED, columns=list("abcde")).row("kappa").estimate == pytest.approx(
        PEER
    )


def test_ratings_that_happen_to_sum_alike_are_read_where_their_levels_are_named() -> None:
    data = [[0, 2, 1], [1, 1, 1], [2, 0, 1], [1, 0, 2]]
    with pytest.raises(InputError, match=r"name their levels: levels=\[0, 1, 2\]$"):
        ss.fleiss_kappa(data, raters_in="columns")
    read = ss.fleiss_kappa(data, raters_in="columns", levels=[0, 1, 2])
    assert read.row("kappa").estimate == pytest.approx(fleiss_kappa(aggregate_raters(data)[0]))


@pytest.mark.parametrize(
    "data",
    [
        THREE,
        [[1, 2], [2, 1], [1, 2]],  # two raters who never agree, and no zero
        [[0, 1], [1, 0], [1, 0]],
        [[1, 1, 1], [1, 1, 1], [2, 2, 2]],
        [[0, 2, np.nan], [2, 0, 0], [1, 1, 0]],
    ],
)
def test_ratings_are_no_counts(data: Any) -> None:
    read = ss.percent_agreement(data, raters_in="columns", scale="nominal")
    assert 0 <= read.rows[0].estimate <= 1


def test_counts_of_unequal_numbers_of_raters_are_asked_about_where_nothing_is_said() -> None:
    unequal = COUNTS.copy()
    unequal[0, 0] += 1
    with pytest.raises(InputError, match=r"Ratings\.from_counts\(data\)"):
        ss.fleiss_kappa(unequal)


@pytest.mark.parametrize("function", [ss.weighted_kappa, ss.symmetry])
def test_totals_of_a_square_table_are_no_level(function: Any) -> None:
    first, second = (pd.Series(THREE[:, k]).map(dict(enumerate("abcd"))) for k in (0, 1))
    crossed = pd.crosstab(first, second)
    crossed = crossed.reindex(index=[*"abcd"], columns=[*"abcd"], fill_value=0)
    whole = crossed.copy()
    whole["All"] = whole.sum(axis=1)
    whole.loc["All"] = whole.sum()
    for totals in (whole, whole.to_numpy(), whole.to_numpy().tolist()):
        with pytest.raises(
            InputError, match=r"the last row and the last column .* sums of the others"
        ):
            function(totals)
    options = {"scale": "nominal"} if function is ss.weighted_kappa else {}
    assert function(whole.iloc[:-1, :-1], **options).rows == function(crossed, **options).rows

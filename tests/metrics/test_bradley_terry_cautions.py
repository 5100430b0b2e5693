"""Cautions of a Bradley-Terry fit: where each begins, and that its numbers are those of the table."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

from socialstats.choices.bradley_terry import bradley_terry
from socialstats.choices.bradley_terry.cautions import sort_by_severity
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import Caution

ITEMS = "abcde"


def table(counts: dict[str, int], seed: int = 0, ties: int = 0) -> pd.DataFrame:
    """Comparisons by pair such as ``ab``, of which some are ties, by eight judges in turn."""
    rng = np.random.default_rng(seed)
    rows = [
        (x, y, "tie" if k < ties else x if rng.random() < 0.6 else y)
        for (x, y), n in counts.items()
        for k in range(n)
    ]
    frame = pd.DataFrame(rows, columns=["item_a", "item_b", "winner"])
    return frame.assign(judge=np.arange(len(frame)) % 8)


def even(n: int) -> dict[str, int]:
    return dict.fromkeys(map("".join, combinations(ITEMS, 2)), n)


def told(
    frame: pd.DataFrame, reading: dict[str, Any] | None = None, **options: Any
) -> dict[str, Caution]:
    return {
        one.code: one
        for one in bradley_terry(
            Comparisons.from_frame(frame, **(reading or {})), **options
        ).cautions
    }


def test_items_of_fewer_than_ten_comparisons_are_named_with_their_number() -> None:
    counts = {**even(8), "ae": 3, "be": 2, "ce": 2, "de": 2}  # e: 9 comparisons
    found = told(table(counts), cluster=None)
    assert found["SS103"].detail == "fewer than 10 comparisons: 'e' (9)"
    assert found["SS103"].rows == ("e",)
    assert "SS103" not in told(table({**counts, "de": 3}), cluster=None)
    two = told(
        table({**even(8), **dict.fromkeys(("ae", "be", "ce", "ad", "bd", "cd"), 2), "de": 2}),
        cluster=None,
    )
    assert two["SS103"].detail == "fewer than 10 comparisons: 'd' (8) and 'e' (8)"
    assert two["SS103"].rows == ("d", "e")


def test_the_share_of_ties_and_how_they_count() -> None:
    frame = table(even(10), ties=2)
    share = f"{20 * 1.0:.1f}% of the comparisons were ties"
    assert told(frame, ties="half", cluster=None)["SS105"].detail.startswith(
        f"{share}, each counted as half a win"
    )
    assert (
        told(frame, ties="davidson", cluster=None)["SS109"].detail
        == f"{share}, in Davidson's model"
    )
    assert (
        told(frame, ties="rao_kupper", cluster=None)["SS109"].detail
        == f"{share}, in Rao and Kupper's model"
    )
    assert not {"SS105", "SS109"} & set(told(table(even(10)), cluster=None))


def test_clusters_that_are_left_out_are_counted_and_used_ones_multiply_the_errors() -> None:
    frame = table(even(10), seed=3)
    found = told(frame, {"cluster": "judge"}, cluster=None)
    assert found["SS201"].detail == "judge (8) declared, intervals use single rows"
    assert "SS201" not in told(frame, {"cluster": "judge"}, cluster="declared")
    again = pd.concat(
        [frame.assign(judge=range(len(frame)))] * 4
    )  # each comparison four times: errors are doubled
    design = Comparisons.from_frame(again, cluster="judge")
    fits = [bradley_terry(design, cluster=cluster) for cluster in ("declared", None)]
    one, other = (np.array([fit.row(item).std_error for item in ITEMS]) for fit in fits)
    (said,) = [one.detail for one in fits[0].cautions if one.code == "SS205"]
    ratio = np.median(one / other)
    assert 1.8 < ratio < 2.2
    assert (
        said
        == f"clustering by judge multiplied the standard errors of the strengths by {ratio:.2f} (median)"
    )
    assert "SS205" not in told(
        frame.assign(judge=range(len(frame))), {"cluster": "judge"}, cluster="declared"
    )


@pytest.mark.parametrize("judges", [4, 5])
def test_fewer_clusters_than_parameters_leave_no_joint_test(judges: int) -> None:
    """Five items have five strengths in the fit."""
    frame = table(even(20), seed=1)
    frame["judge"] = np.arange(len(frame)) % judges
    found = told(frame, {"cluster": "judge"}, cluster="declared")
    assert ("SS203" in found) == (judges < 5)
    if judges < 5:
        assert found["SS203"].detail.startswith(
            "4 clusters for 5 parameters: the covariance matrix is singular"
        )
        assert found["SS203"].rows == ("rank",)


def test_weights_penalties_and_an_order_that_nobody_declared() -> None:
    frame = table(even(10))
    assert "SS207" in told(
        frame.assign(w=np.arange(len(frame)) % 2 + 1), {"weight": "w"}, cluster=None
    )
    found = told(frame, order=True, cluster=None)
    assert found["SS106"].detail == "order=True took the item in column 'item_a' as shown first"
    assert "SS106" not in told(
        frame.assign(first=frame["item_b"]), {"order": "first"}, order=True, cluster=None
    )
    assert (
        told(frame, penalty="firth", cluster=None)["SS102"].detail
        == "Firth's penalty shrinks the strengths"
    )
    assert not {"SS102", "SS106", "SS207"} & set(told(frame, cluster=None))


def test_the_most_serious_come_first_and_others_in_their_order() -> None:
    given = [
        SimpleNamespace(severity=s, k=k)
        for k, s in enumerate(["info", "stop", "caution", "info", "stop"])
    ]
    assert [one.k for one in sort_by_severity(cast(Any, given))] == [1, 4, 2, 0, 3]

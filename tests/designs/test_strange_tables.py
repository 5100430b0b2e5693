"""Whatever a table holds: a design, or an error made on purpose; never anything else."""

from __future__ import annotations

import contextlib
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from socialstats import Comparisons, Paired, Ratings
from socialstats.errors import InputError, SocialStatsError
from tests.designs.same import same

junk = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.0, -0.0, 1.0, 0.5, float("nan"), float("inf")]),
    st.sampled_from(["", " ", "nan", "1", "1.0", "yes", "No", "low", "{}", "a\x00b", "١", "½"]),
    st.sampled_from(
        [pd.Timestamp("2024-01-01"), np.int8(2), np.float32(0.1), pd.NA, pd.NaT, (1, 2), b"x"]
    ),
)
tables = st.integers(0, 8).flatmap(
    lambda n: st.fixed_dictionaries(
        {name: st.lists(junk, min_size=n, max_size=n) for name in ("unit", "who", "value", "group")}
    )
)
either = st.sampled_from(["error", "drop"])


@settings(max_examples=100, deadline=None)
@given(
    tables, either, either, st.sampled_from([None, "binary", "nominal", "numeric"]), st.booleans()
)
def test_junk_makes_pairs_or_an_error(
    table: Any, missing: Any, unmatched: Any, scale: Any, by: bool
) -> None:
    options: dict[str, Any] = {"by": "group"} if by else {"cluster": "group"}
    with contextlib.suppress(SocialStatsError):
        frame = pd.DataFrame(
            {name: pd.Series(column, dtype=object) for name, column in table.items()}
        )
        design = Paired.from_frame(
            frame,
            unit="unit",
            condition="who",
            value="value",
            missing=missing,
            unmatched=unmatched,
            scale=scale,
            **options,
        )
        assert np.isfinite(design.first).all()
        assert np.isfinite(design.second).all()
        assert design.n_pairs >= 1


@settings(max_examples=100, deadline=None)
@given(
    tables,
    either,
    st.sampled_from([None, "nominal", "ordinal", "ratio"]),
    st.sampled_from(["strata", "cluster", "by"]),
)
def test_junk_makes_ratings_or_an_error(table: Any, missing: Any, scale: Any, part: str) -> None:
    with contextlib.suppress(SocialStatsError):
        frame = pd.DataFrame(
            {name: pd.Series(column, dtype=object) for name, column in table.items()}
        )
        design = Ratings.from_frame(
            frame,
            unit="unit",
            rater="who",
            value="value",
            missing=missing,
            scale=scale,
            **{part: "group"},
        )
        assert ((design.value >= 0) == (design.status == 0)).all()
        assert (design.value < len(design.levels)).all()


@pytest.mark.parametrize("other", [np.array([1, 0, 1], dtype="int8"), [0.0, 1.0, None]])
def test_truth_values_beside_numbers_are_zero_and_one(other: Any) -> None:
    frame = pd.DataFrame({"x": [True, False, True], "y": other})
    design = Paired.from_wide(frame, first="x", second="y", unmatched="drop")
    assert (design.scale, design.levels) == ("binary", ("0", "1"))
    assert design.square()[1].sum() == (
        2 if other is not None and not isinstance(other, list) else 1
    )


def test_only_values_in_use_decide() -> None:
    table = pd.DataFrame(
        {"unit": [1, 1, 1, 2, 2, 2], "condition": list("abc") * 2, "value": [0, 1, np.inf, 1, 1, 7]}
    )
    design = Paired.from_frame(table, conditions=("a", "b"))
    assert (design.scale, design.n_pairs) == ("binary", 2)
    kinds = table.assign(value=pd.Categorical([0, 1, 5, 1, 1, 7]))
    assert Paired.from_frame(kinds, conditions=("a", "b")).scale == "binary"


def test_designs_survive_pickling() -> None:
    table = {
        "item": [1, 1, 2, 2],
        "judge": ["a", "b"] * 2,
        "value": [1, 2, 2, 3],
        "topic": [1, 1, 2, 2],
    }
    ratings = Ratings.from_frame(table, strata="topic", cluster="topic")
    same(pickle.loads(pickle.dumps(ratings)), ratings)
    pairs = Paired.from_frame(table, condition="judge", cluster="topic")
    same(pickle.loads(pickle.dumps(pairs)), pairs)


def test_negative_zero_is_zero() -> None:
    table = {"unit": [1, 1, 2, 2], "condition": list("ab") * 2, "value": [-0.0, 0.5, 0.0, 0.5]}
    design = Paired.from_frame(table)
    assert (design.count.tolist(), str(design.first[0])) == ([2.0], "0.0")


def test_values_that_are_no_labels_are_named_with_their_column() -> None:
    rows = pd.DataFrame({"item_a": [("x", 1), "y"], "item_b": ["y", "z"], "winner": ["y", "z"]})
    with pytest.raises(
        InputError, match=r"column 'item_a': it holds values that are no labels \(a tuple"
    ):
        Comparisons.from_frame(rows)

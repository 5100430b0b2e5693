"""What holds vectors in Python: each is read as a list is, or refused with what to write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats

import socialstats as ss
from socialstats.errors import InputError

RNG = np.random.default_rng(5)
X, Y = RNG.normal(size=20).round(3).tolist(), RNG.normal(0.3, 1, 20).round(3).tolist()
A, B, C = (RNG.integers(1, 5, 30).tolist() for _ in range(3))
STORY = np.repeat(np.arange(5), 4).tolist()
NUMBERS: dict[str, Callable[[Any], Any]] = {
    "list": list,
    "tuple of numpy scalars": lambda v: tuple(np.float64(x) for x in v),
    "generator": lambda v: (x for x in v),
    "map": lambda v: map(float, v),
    "column of an array": lambda v: np.array(v)[:, None],
    "matrix": lambda v: np.array(v)[:, None].view(np.matrix),
    "frame of one column": lambda v: pd.DataFrame({f"c{v[0]}": v}),
    "polars frame of one column": lambda v: pl.DataFrame({f"c{v[0]}": v}),
    "object array": lambda v: np.array(v, dtype=object),
    "Float64": lambda v: pd.Series(v, dtype="Float64"),
    "array of Float64": lambda v: pd.array(v, dtype="Float64"),
    "Arrow in pandas": lambda v: pd.Series(v, dtype="float64[pyarrow]"),
    "Arrow": pa.array,
    "chunks of Arrow": lambda v: pa.chunked_array([v[:3], v[3:]]),
    "polars": pl.Series,
    "index": pd.Index,
    "masked array": lambda v: np.ma.masked_invalid(v),
    "categorical": lambda v: pd.Series(v).astype("category"),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_in_every_container_are_read_as_a_list(name: str) -> None:
    held = NUMBERS[name]
    pairs, groups = ss.paired_difference(held(X), held(Y)), ss.two_means(held(X), held(Y))
    assert pairs.rows[0].p_value == pytest.approx(stats.ttest_rel(X, Y).pvalue)
    assert groups.rows[0].p_value == pytest.approx(stats.ttest_ind(X, Y, equal_var=False).pvalue)
    assert ss.mean_ratings(held(X)).rows[0].estimate == pytest.approx(np.mean(X))


LABELS: dict[str, Callable[[Any], Any]] = {
    "Int64": lambda v: pd.Series(v, dtype="Int64"),
    "array of Int64": lambda v: pd.array(v, dtype="Int64"),
    "categorical": lambda v: pd.Series(v).astype("category"),
    "Categorical": pd.Categorical,
    "numpy scalars": lambda v: tuple(np.int8(x) for x in v),
    "column of an array": lambda v: np.array(v)[:, None],
    "string": lambda v: pd.Series(v).astype("string"),
    "Arrow": pa.array,
}


@pytest.mark.parametrize("name", LABELS)
def test_ratings_in_every_container_are_read_as_a_list(name: str) -> None:
    ratings = [LABELS[name](one) for one in (A, B, C)]
    ours, wanted = (
        ss.krippendorff_alpha(*raters, scale="ordinal") for raters in (ratings, (A, B, C))
    )
    assert ours.rows[0].estimate == pytest.approx(wanted.rows[0].estimate)


@pytest.mark.parametrize("dtype", ["boolean", "bool", "bool[pyarrow]"])
def test_nullable_truth_values_are_read_as_truth_values(dtype: str) -> None:
    first, second = (pd.Series([x > 0 for x in v]) for v in (X, Y))
    ours, wanted = (
        ss.mcnemar(first.astype(kind), second.astype(kind)) for kind in (dtype, "object")
    )
    assert ours.rows == wanted.rows


@pytest.mark.parametrize(
    "gap",
    [
        pd.Series([*X[:19], None], dtype="Float64"),
        pd.array([*X[:19], None], dtype="Float64"),
        np.ma.array(X, mask=[*[False] * 19, True]),
        pa.array([*X[:19], None]),
        pl.Series([*X[:19], None]),
    ],
    ids=["Float64", "array", "masked", "arrow", "polars"],
)
def test_what_a_container_calls_missing_is_missing(gap: Any) -> None:
    with pytest.raises(InputError, match="missing='drop'"):
        ss.paired_difference(gap, Y)
    with pytest.raises(InputError, match="missing at 19"):
        ss.two_means(gap, Y)
    left = ss.paired_difference(gap, Y, missing="drop").rows[0]
    assert left.p_value == pytest.approx(stats.ttest_rel(X[:19], Y[:19]).pvalue)


def test_a_range_is_a_vector() -> None:
    assert ss.paired_difference(range(20), Y).rows[0].p_value == pytest.approx(
        stats.ttest_rel(range(20), Y).pvalue
    )
    own, none = (ss.paired_difference(X, Y, cluster=rows) for rows in (range(20), None))
    assert own.rows[0].std_error == pytest.approx(none.rows[0].std_error)


@pytest.mark.parametrize(
    "held",
    [
        tuple,
        iter,
        np.array,
        lambda v: np.array(v)[:, None],
        pd.array,
        lambda v: pd.Series(v, dtype="category"),
        pa.array,
    ],
)
def test_clusters_beside_vectors_have_any_container(held: Any) -> None:
    ours, wanted = (ss.paired_difference(X, Y, cluster=rows) for rows in (held(STORY), STORY))
    assert ours.rows[0].std_error == wanted.rows[0].std_error
    assert ours.rows[0].n_clusters == 5


def test_a_zip_of_three_raters_asks_who_rated() -> None:
    with pytest.raises(InputError, match=r"an array of 30 x 3 does not say who rated"):
        ss.krippendorff_alpha(zip(A, B, C, strict=True))
    read = ss.krippendorff_alpha(zip(A, B, C, strict=True), raters_in="columns", scale="ordinal")
    wanted = ss.krippendorff_alpha(A, B, C, scale="ordinal")
    assert read.rows[0].estimate == pytest.approx(wanted.rows[0].estimate)


@pytest.mark.parametrize("shape", [(1, 20), (2, 2, 5), (20, 3)])
def test_other_shapes_are_refused(shape: tuple[int, ...]) -> None:
    data = np.arange(np.prod(shape), dtype=float).reshape(shape)
    for function in (ss.paired_difference, ss.two_means, ss.mean_ratings, ss.krippendorff_alpha):
        with pytest.raises(InputError):
            function(data)


def test_many_columns_of_numbers_ask_which_way_raters_stand() -> None:
    turned = pd.DataFrame({"ann": A, "bob": B, "cid": C}).T
    with pytest.raises(InputError, match=r"Where each row is a rater, say raters_in='rows'"):
        ss.krippendorff_alpha(turned)
    read = ss.krippendorff_alpha(turned, raters_in="rows", scale="ordinal")
    wanted = ss.krippendorff_alpha(A, B, C, scale="ordinal")
    assert read.rows[0].estimate == pytest.approx(wanted.rows[0].estimate)

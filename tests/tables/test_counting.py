"""The group-by against a dictionary, also when the codes overflow one integer."""

from __future__ import annotations

from collections import Counter

import narwhals as nw
import numpy as np
import pandas as pd
import pytest

from socialstats.tables import as_table, counts
from socialstats.tables.counting import (
    WEIGHT_MISSING,
    WEIGHT_NEGATIVE,
    WEIGHT_NO_NUMBER,
    WEIGHT_OK,
    WEIGHT_ZERO,
)


def counted(frame: pd.DataFrame | object, keys: list[str]) -> Counter[tuple[object, ...]]:
    cells = counts(nw.from_native(frame), keys)
    columns = [cells.columns[k] for k in keys]
    rows = zip(
        *[np.array([*c.values.tolist(), None], dtype=object)[c.codes] for c in columns], strict=True
    )
    return Counter({row: int(n) for row, n in zip(rows, cells.n, strict=True)})


def test_many_wide_columns_do_not_overflow() -> None:
    rng = np.random.default_rng(1)
    data = {
        f"k{j}": rng.integers(0, 5000, 400) // 40 * 7919 + np.arange(400) % 311 for j in range(9)
    }
    frame = pd.DataFrame({k: v.astype(str) for k, v in data.items()})
    frame = pd.concat([frame, frame.iloc[:57]], ignore_index=True)
    product = 1
    for name in frame:
        product *= frame[name].nunique() + 1
    assert product > 2**62
    assert counted(frame, [*data]) == Counter(frame.itertuples(index=False, name=None))


@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow"])
def test_missing_values_are_cells_too(engine: str) -> None:
    data = {"x": ["u", None, "u", None], "y": ["v", "w", "v", None]}
    native: object = pd.DataFrame(data)
    if engine == "polars":
        native = pytest.importorskip("polars").DataFrame(data)
    if engine == "pyarrow":
        native = pytest.importorskip("pyarrow").table(data)
    assert counted(native, ["x", "y"]) == Counter({("u", "v"): 2, (None, "w"): 1, (None, None): 1})


def test_unused_categories_are_no_values_of_the_design() -> None:
    column = pd.Series(["u", "u"], dtype=pd.CategoricalDtype(["t", "u"]))
    cells = counts(nw.from_native(pd.DataFrame({"x": column})), ["x"])
    assert cells.n.tolist() == [2.0]
    assert cells.columns["x"].labels().levels[cells.columns["x"].labels().codes[0]] == "u"


@pytest.mark.parametrize("engine", ["pandas", "polars", "text"])
def test_weights_are_summed_and_classified(engine: str) -> None:
    x = ["u", "u", "v", "v", "v", "v", "v"]
    w = [2.0, 3.0, 0.0, -1.0, np.inf, np.nan, 4.0]
    if engine == "polars":
        table = as_table(pytest.importorskip("polars").DataFrame({"x": x, "w": w}))
    elif engine == "text":
        table = as_table({"x": x, "w": ["2", "3.0", "0", "-1", "inf", "", "4e0"]})
    else:
        table = as_table({"x": x, "w": w})
    cells = table.counts(["x"], "w")
    values = cells.columns["x"].values[cells.columns["x"].codes]
    sums: dict[tuple[str, int], list[float]] = {}
    for k in range(len(cells.n)):
        total = sums.setdefault((str(values[k]), int(cells.status[k])), [0.0, 0.0, 0.0])
        total[0] += cells.n[k]
        total[1] += cells.weight[k]
        total[2] += cells.weight_sq[k]
    assert sums == {
        ("u", WEIGHT_OK): [2, 5, 13],
        ("v", WEIGHT_ZERO): [1, 0, 0],
        ("v", WEIGHT_NEGATIVE): [1, 0, 0],
        ("v", WEIGHT_NO_NUMBER): [1, 0, 0],
        ("v", WEIGHT_MISSING): [1, 0, 0],
        ("v", WEIGHT_OK): [1, 4, 16],
    }


def test_the_frame_is_not_changed() -> None:
    frame = pd.DataFrame({"x": ["u", "v"], "w": [1.0, -1.0]})
    before = frame.copy()
    as_table(frame).counts(["x"], "w")
    pd.testing.assert_frame_equal(frame, before)

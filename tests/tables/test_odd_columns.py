"""Columns of parquet and Arrow that hold no labels: passed over where nobody names them, named where they are used."""

from __future__ import annotations

import datetime
import decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import socialstats as ss
from socialstats.cli import main
from socialstats.errors import SocialStatsError
from socialstats.tables import files

pa = pytest.importorskip("pyarrow")
CHOICES = {
    "item_a": ["x", "y", "x", "z"],
    "item_b": ["y", "z", "z", "x"],
    "winner": ["x", "z", "z", "x"],
}
DAY, MOMENT, EPOCH = datetime.date(2020, 1, 1), datetime.time(1), datetime.datetime(2020, 1, 1)
NO_LABELS = {
    "bytes": pa.array([b"\xff\x00", b"b", None, b"c"]),
    "fixed bytes": pa.array([b"ab", b"cd", None, b"ab"], pa.binary(2)),
    "large bytes": pa.array([b"ab", b"cd", None, b"ab"], pa.large_binary()),
    "views of bytes": pa.array([b"a", b"b", None, b"a"], pa.binary_view()),
    "lists": pa.array([[1], [2, 3], None, []]),
    "fixed lists": pa.array([[1, 2], [2, 3], None, [1, 2]], pa.list_(pa.int64(), 2)),
    "views of lists": pa.array([[1], [2], None, []], pa.list_view(pa.int64())),
    "structures": pa.array([{"a": 1}, {"a": 2}, None, {"a": 3}]),
    "maps": pa.array([[("k", 1)], [], None, [("z", 2)]], pa.map_(pa.string(), pa.int64())),
    "unlikely dates": pa.array([2**62, 0, 1, None], pa.timestamp("us")),
    "identifiers": pa.ExtensionArray.from_storage(
        pa.uuid(), pa.array([b"0" * 16] * 4, pa.binary(16))
    ),
}
LABELS = {
    "decimals": pa.array(
        [decimal.Decimal("1.5"), decimal.Decimal("2.5"), None, decimal.Decimal("1.5")]
    ),
    "long decimals": pa.array([decimal.Decimal("1.5"), None] * 2, pa.decimal256(50, 3)),
    "durations": pa.array(
        [datetime.timedelta(1), datetime.timedelta(2), None, datetime.timedelta(1)]
    ),
    "coded texts": pa.array(["u", "v", None, "u"]).dictionary_encode(),
    "coded numbers": pa.array([5, 6, None, 5]).dictionary_encode(),
    "nothing": pa.nulls(4),
    "times": pa.array([MOMENT, None, MOMENT, MOMENT]),
    "days": pa.array([DAY] * 4),
    "moments": pa.array([EPOCH] * 3 + [None]),
    "moments of a zone": pa.array([EPOCH] * 4, pa.timestamp("s", "UTC")),
    "truths": pa.array([True, False, None, True]),
    "half numbers": pa.array(np.array([1, 2, 3, 4], np.float16)),
    "large numbers": pa.array([2**64 - 1, 1, 2, None], pa.uint64()),
    "texts": pa.array(["a"] * 4, pa.large_string()),
    "views of texts": pa.array(["a", "b", "a", "a"], pa.string_view()),
}


def written(path: Path, column: Any) -> Path:
    import pyarrow.feather
    import pyarrow.parquet

    table = pa.table({**CHOICES, "odd": column})
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        pyarrow.feather.write_feather(table, path, compression="uncompressed")
    return path


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
@pytest.mark.parametrize("name", [*NO_LABELS, *LABELS])
def test_a_column_that_nobody_uses_is_passed_over(suffix: str, name: str, tmp_path: Path) -> None:
    path = written(tmp_path / f"x.{suffix}", {**NO_LABELS, **LABELS}[name])
    assert ss.read_comparisons(path).n_rows == 4
    assert main(["check", str(path)]) == 0


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
@pytest.mark.parametrize("name", NO_LABELS)
def test_a_column_of_no_labels_that_is_used_is_named(
    suffix: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / f"x.{suffix}", NO_LABELS[name])
    for options in (
        ["--cluster", "odd"],
        ["--by", "odd"],
        ["--map", "winner=odd"],
        ["--where", "odd=1"],
    ):
        assert main(["check", str(path), *options]) in (2, 3)
        assert f"x.{suffix}" in capsys.readouterr().err


@pytest.mark.parametrize("name", [*NO_LABELS, *LABELS])
def test_large_files_do_the_same(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(files, "MOST_ROWS", 0)
    path = written(tmp_path / "x.parquet", {**NO_LABELS, **LABELS}[name])
    assert main(["check", str(path)]) == 0
    code = main(["check", str(path), "--by", "odd", "--missing", "drop"])
    capsys.readouterr()
    labels = (
        name in LABELS and name != "nothing"
    ) or name == "identifiers"  # DuckDB has them as texts
    assert code == 0 if labels else code in (2, 3)


@pytest.mark.parametrize("name", LABELS)
def test_what_reads_as_labels_is_labels(name: str, tmp_path: Path) -> None:
    path = written(tmp_path / "x.parquet", LABELS[name])
    try:
        found = ss.read_comparisons(path, by="odd", missing="drop")
    except SocialStatsError:
        assert name == "nothing"
    else:
        assert found.by is not None
        assert len(found.by.levels) == len(LABELS[name].drop_null().unique())

"""Large files are read by DuckDB, which takes some names for patterns: each file is read alone."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from socialstats.tables import files, read_table


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize(
    "name", ["a[12]", "a*", "a?", "x'); drop table held; --", "{a1,a2}", "$(touch MARK)", 'a"b']
)
def test_a_name_is_no_pattern_and_no_query(
    name: str, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 0)
    monkeypatch.setattr(files, "MOST_ROWS", 0)
    monkeypatch.chdir(tmp_path)
    for stem, label in ((name, "own"), ("a1", "other"), ("a2", "other")):
        frame = pd.DataFrame({"item_a": [label] * 5, "item_b": ["b"] * 5, "winner": ["b"] * 5})
        frame.to_csv(f"{stem}.csv", index=False) if suffix == "csv" else frame.to_parquet(
            f"{stem}.parquet"
        )
    table = read_table(f"{name}.{suffix}")
    assert table.counts(["item_a"]).columns["item_a"].labels().levels == ("own",)
    assert table.height == 5
    assert not Path("MARK").exists()

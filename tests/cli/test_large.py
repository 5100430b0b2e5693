"""`check` of a table whose rows stay in its file reads no more of it than a fit does."""

from __future__ import annotations

from pathlib import Path

import narwhals as nw
import numpy as np
import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.designs import covariates
from socialstats.tables import files


@pytest.mark.parametrize("stays", [True, False])
def test_the_range_of_a_covariate_that_stays_is_found_by_the_engine(
    stays: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every value of a covariate was read, and made a text: 842 MB for 1,000,000 rows."""
    rng = np.random.default_rng(1)
    n, names = 4000, np.array(["x", "y", "z"])
    a = rng.integers(0, 3, n)
    b = (a + rng.integers(1, 3, n)) % 3
    length = rng.lognormal(5, 1, (2, n))
    votes = pd.DataFrame(
        {
            "item_a": names[a],
            "item_b": names[b],
            "winner": np.where(rng.random(n) < 0.5, names[a], names[b]),
            "length_a": length[0],
            "length_b": length[1],
        }
    )
    votes.to_parquet(tmp_path / "votes.parquet", row_group_size=500)
    monkeypatch.setattr(files, "MOST_ROWS", 1000)
    monkeypatch.setattr(covariates, "MANY_VALUES", 500 if stays else 10**6)
    monkeypatch.setattr(covariates, "FIRST_ROWS", 600)
    fetched: list[int] = []
    collect = nw.LazyFrame.collect

    def noticed(frame: nw.LazyFrame[object], *args: object, **given: object) -> object:
        found = collect(frame, *args, **given)  # type: ignore[arg-type]
        fetched.append(len(found))
        return found

    monkeypatch.setattr(nw.LazyFrame, "collect", noticed)
    assert main(["check", str(tmp_path / "votes.parquet")]) == 0
    said = {
        line.split(":")[0].split()[-1]: line.partition(": ")[2]
        for line in capsys.readouterr().out.splitlines()
        if line.startswith("column ")
    }
    assert (max(fetched) <= 1000) == stays  # the first rows, which may be data in place of names
    for side in (0, 1):
        low, high = (f"{x:,.6f}" for x in (length[side].min(), length[side].max()))
        more = " (stays with the table)" if stays else f", {n:,} values"
        assert said[f"length_{'ab'[side]}"] == f"{low} to {high}{more}"
    assert said["item_a"].startswith("3 values; rarest")

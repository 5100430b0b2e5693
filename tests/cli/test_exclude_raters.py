"""A rater who fails one attention check is left out entirely."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.tables import as_table, rows_without_whole

QUICK = ["--resamples", "100", "--no-verify", "-q", "-o", "page.html"]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    """Twelve stories by six people, of whom p2 and p4 fail a check in one row each."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        [(f"s{u:02d}", f"p{r}", "abc"[rng.integers(3)]) for u in range(12) for r in range(6)],
        columns=["unit", "person", "value"],
    )
    frame["attention"] = "passed"
    frame.loc[[2, 22], "attention"] = "failed"
    frame.to_csv(tmp_path / "choices.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return frame


def flow(page: Path) -> list[dict[str, object]]:
    from socialstats_reports import read_results

    return list(read_results(page.read_text(encoding="utf-8"))["flow"])


@pytest.mark.slow
def test_all_rows_of_who_failed_go_and_are_counted(table: pd.DataFrame, tmp_path: Path) -> None:
    failed = set(table.loc[table["attention"] == "failed", "person"])
    assert failed == {"p2", "p4"}
    options = [
        "--map",
        "rater=person",
        "--scale",
        "nominal",
        "--exclude-raters",
        "attention=failed",
    ]
    assert main(["report", "choices.csv", *options, *QUICK]) == 0
    step = flow(tmp_path / "page.html")[1]
    assert step == {
        "label": "excluded raters: attention is 'failed' in some row",
        "rows": int(table["person"].isin(failed).sum()),
        "note": "2 raters, --exclude-raters attention=failed",
    }
    plan = '[data]\nexclude_raters = ["attention=failed"]\nscale = "nominal"\nmap = {rater = "person"}\n'
    (tmp_path / "plan.toml").write_text(plan, encoding="utf-8")
    assert main(["report", "choices.csv", "--plan", "plan.toml", *QUICK]) == 0
    assert flow(tmp_path / "page.html")[1] == step


def test_raters_are_found_by_the_name_of_their_column(table: pd.DataFrame, tmp_path: Path) -> None:
    assert (
        main(
            [
                "report",
                "choices.csv",
                "--scale",
                "nominal",
                "--exclude-raters",
                "attention=failed",
                *QUICK,
            ]
        )
        == 0
    )
    assert flow(tmp_path / "page.html")[1]["rows"] == int(table["person"].isin({"p2", "p4"}).sum())


def test_a_column_that_is_not_there_and_nobody_left_are_said(
    table: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    table.rename(columns={"person": "who"}).to_csv("who.csv", index=False)
    options = ["--design", "ratings", "--scale", "nominal", "--exclude-raters", "attention=failed"]
    assert main(["report", "who.csv", *options, *QUICK]) == 2
    assert "no column 'rater'" in capsys.readouterr().err
    options = ["--map", "rater=person", "--scale", "nominal", "--exclude-raters"]
    assert main(["report", "choices.csv", *options, "attention=passed", *QUICK]) == 3
    assert "everyone in 'person' has a row with attention = 'passed'" in capsys.readouterr().err
    kept, rows, names = rows_without_whole(as_table(table), "attention", "nothing", "person")
    assert (len(kept.frame), rows, names) == (72, 0, 0)

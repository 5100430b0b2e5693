"""`init` guesses the mapping of every bundled table, and `report --plan` runs on what it printed."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from socialstats import datasets
from socialstats.cli import main
from socialstats.cli.examples import READINGS
from socialstats_reports import read_results

sys.path.insert(0, str(Path(__file__).parents[1] / "studies"))
from study_tables import ratings

TABLES = {
    "role_conflict": "role-conflict",
    "norm_goal": "norm-goal",
    "relationship_bias": "relationship-bias",
    "social_norms": "ordinal-alignment",
    "staged_values": "staged-values",
    "journal_citations": "comparisons",
    "baseball": "comparisons",
    "ice_hockey": "comparisons",
}
NO_TABLES = ("role_conflict_roles", "staged_values_controls")  # belong to another data set
QUICK = ["--resamples", "100", "--no-verify", "-q"]


def small(name: str) -> pd.DataFrame:
    """Return a bundled table, cut to some units where it is long."""
    frame = datasets.describe(name).load()
    unit = {"norm_goal": "scenario", "social_norms": "item", "staged_values": "scenario"}.get(name)
    if unit is None:
        return frame
    kept = list(dict.fromkeys(frame[unit]))
    return frame[frame[unit].isin(kept[:: max(1, len(kept) // 16)])]


def planned(
    frame: pd.DataFrame, folder: Path, capsys: pytest.CaptureFixture[str], *words: str
) -> dict[str, Any]:
    """Print the plan of a table and return it; it is in ``plan.toml``."""
    path = folder / "table.csv"
    frame.to_csv(path, index=False)
    code = main(["init", str(path), *words])
    out, err = capsys.readouterr()
    assert code == 0, err
    (folder / "plan.toml").write_text(out, encoding="utf-8")
    return tomllib.loads(out)


def page_of(folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """Run the plan on the file that it names, and return the numbers of the page."""
    page = folder / "page.html"
    code = main(["report", "--plan", str(folder / "plan.toml"), "-o", str(page), *QUICK, *words])
    assert code == 0, capsys.readouterr().err
    return read_results(page.read_text(encoding="utf-8"))


def test_every_bundled_table_is_here() -> None:
    names = {entry.name for entry in datasets.datasets()}
    assert names >= {*TABLES, *NO_TABLES}
    parts = {
        name for name in names if any(name.startswith(f"{whole}_") for whole in TABLES)
    }  # of another data set
    assert names - parts == set(TABLES)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.slow
def test_the_plan_of_a_bundled_table_runs(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = small(name)
    plan = planned(frame, tmp_path, capsys)
    assert plan["study"]["name"] == TABLES[name]
    found = page_of(tmp_path, capsys)
    assert found["study"] == TABLES[name]
    assert found["run"]["plan_sha256"]
    assert found["run"]["deviations"] == ["resamples: the plan says 2000, the command line 100"]


@pytest.mark.parametrize("name", [name for name in READINGS if "study" in READINGS[name]])
@pytest.mark.slow
def test_the_guess_is_how_the_example_is_read(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = planned(datasets.describe(name).load(), tmp_path, capsys)
    reading = dict(READINGS[name])
    assert plan["study"]["name"] == reading.pop("study")
    assert {f"{part}={column}" for part, column in plan["data"]["map"].items()} == set(
        reading.pop("map")
    )
    for key, value in reading.items():
        assert plan["data"][key] == value, key


def test_whose_games_they_are_is_told_by_the_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = planned(datasets.ice_hockey(), tmp_path, capsys)
    assert (
        plan["data"]["map"].items()
        >= {"item_a": "visitor", "item_b": "opponent", "winner": "winner"}.items()
    )


def test_counts_of_other_names_are_mapped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = datasets.baseball().rename(columns={"wins_a": "x", "wins_b": "y"})
    data = planned(frame, tmp_path, capsys, "--map", "wins_a=x", "--map", "wins_b=y")["data"]
    assert (data["map"]["wins_a"], data["map"]["wins_b"]) == ("x", "y")
    assert page_of(tmp_path, capsys)["flow"][-1]["rows"] == int(frame["x"].sum() + frame["y"].sum())


def test_words_of_a_known_order_are_ordinal_and_others_are_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    units = [f"u{k:02}" for k in range(20)]
    words = ["agree", "strongly disagree", "neutral", "disagree"]
    rows = [
        (u, r, words[(k + j) % 4]) for k, u in enumerate(units) for j, r in enumerate(("x", "y"))
    ]
    frame = pd.DataFrame(rows, columns=["item", "judge", "label"])
    data = planned(frame, tmp_path, capsys)["data"]
    assert data["levels"] == ["strongly disagree", "disagree", "neutral", "agree"]
    assert data["scale"] == "ordinal"
    colours = frame.assign(
        label=frame["label"].map(dict(zip(words, ["red", "blue", "green", "grey"], strict=True)))
    )
    assert planned(colours, tmp_path, capsys)["data"]["scale"] == "nominal"
    page_of(tmp_path, capsys)


def test_what_is_said_is_not_guessed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--by", "domain", "--map", "unit=scenario", "--where", "pressure=none")
    data = planned(small("norm_goal"), tmp_path, capsys, *words)["data"]
    assert (data["by"], data["where"], data["map"]["value"]) == (
        "domain",
        ["pressure=none"],
        "action",
    )
    assert "strata" not in data


@pytest.mark.slow
def test_columns_of_stories_and_models_are_guessed_for_pairs_and_comparisons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        (f"q{k}", f"s{k // 4}", model, when, (k * 7 + j + (when == "after")) % 5 + 0.5)
        for k in range(40)
        for j, model in enumerate(("m1", "m2"))
        for when in ("before", "after")
    ]
    frame = pd.DataFrame(rows, columns=["item", "story", "model", "time", "score"])
    data = planned(frame, tmp_path, capsys)["data"]
    assert (data["cluster"], data["by"]) == (["story"], "model")
    assert page_of(tmp_path, capsys)["study"] == "paired"


def test_many_prompts_are_clusters_of_comparisons_and_few_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for prompts, expected in ((13, (["prompt"], None)), (2, (None, "prompt"))):
        rows = [
            (f"p{k % prompts}", "a", "bc"[k % 2], "a" if k % 5 else "bc"[k % 2]) for k in range(78)
        ]
        frame = pd.DataFrame(rows, columns=["prompt", "item_a", "item_b", "winner"])
        data = planned(frame, tmp_path, capsys)["data"]
        assert (data.get("cluster"), data.get("by")) == expected


@pytest.mark.slow
def test_stories_are_clusters_and_domains_are_strata_of_ratings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = planned(ratings(), tmp_path, capsys)["data"]
    assert (data["cluster"], data["strata"]) == (["story"], ["domain"])
    assert data["map"]["rater_source"] == "kind"
    assert (data["levels"], data["refusal"]) == (["low", "medium", "high"], ["refused"])
    assert page_of(tmp_path, capsys)["study"] == "agreement"


def test_columns_that_nothing_can_be_guessed_from_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("role_conflict_roles",):
        path = tmp_path / f"{name}.csv"
        datasets.describe(name).load().to_csv(path, index=False)
        assert main(["init", str(path)]) == 2
        assert "the columns fit no design" in capsys.readouterr().err

"""Cells of questions of a declared study: levels that a cell lacks, a single source, people beside models."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from socialstats import read_study
from socialstats.cli import main

STUDY = """
[data]
scale = "nominal"
map = {unit = "item", source = "model", repeat = "run", value = "said"}

[[question]]
id = "shares"
metric = "choice_shares"
unit = ["item", "run"]

[[table]]
title = "Shares"
question = "shares"
rows = "model"
columns = "level"
"""
ITEMS = ["i1", "i2", "i3", "i4", "i5", "i6"]
# what each model says to the items, in both runs: one of them never says more than one label
SAID = {"elm": "aaaaaa", "fir": "abcabc"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a study and its table."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {"item": item, "model": model, "run": run, "said": label}
        for model, labels in SAID.items()
        for item, label in zip(ITEMS, labels, strict=True)
        for run in (1, 2)
    ]
    pd.DataFrame(rows).to_csv("t.csv", index=False)
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path


def shown_table(capsys: pytest.CaptureFixture[str], *typed: str) -> pd.DataFrame:
    """Return the table of shares of a page."""
    assert main(["report", "t.csv", "--study", "study.toml", *typed, "-o", "p.html", "-q"]) == 0
    capsys.readouterr()
    assert (
        main(["show", "p.html", "--table", "shares-level", "--format", "csv", "-o", "s.csv"]) == 0
    )
    return pd.read_csv("s.csv").set_index("model")


@pytest.mark.parametrize("labels", ["abc", "123"])
def test_a_label_that_a_model_never_gives_has_the_share_0(
    labels: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = pd.read_csv("t.csv")
    rows["said"] = rows["said"].map(dict(zip("abc", labels, strict=True)))
    rows.to_csv("t.csv", index=False)
    if labels == "123":
        (folder / "study.toml").write_text(STUDY.replace('scale = "nominal"\n', ""))
    shares = shown_table(capsys, "--no-verify")
    assert [shares.loc["elm", label] for label in labels] == [1, 0, 0]
    assert [shares.loc["fir", label] for label in labels] == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("model", SAID)
def test_a_single_model_has_its_name_on_the_page(
    model: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = pd.read_csv("t.csv")
    rows[rows["model"] == model].to_csv("t.csv", index=False)
    shares = shown_table(capsys, "--no-verify")
    assert shares.index.tolist() == [model]
    assert main(["show", "p.html"]) == 0
    assert f"{model}: Shares over" in capsys.readouterr().out


def test_the_page_says_which_model_has_no_answer(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = pd.read_csv("t.csv")
    rows.loc[rows["model"] == "elm", "said"] = None
    rows.to_csv("t.csv", index=False)
    (folder / "study.toml").write_text(STUDY.replace("[data]", '[data]\nmissing = "drop"'))
    assert main(["report", "t.csv", "--study", "study.toml", "-o", "p.html"]) == 0
    printed = capsys.readouterr()
    assert "The result for elm is undefined" in printed.out + printed.err


def test_people_do_not_pool_the_models(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    people = pd.DataFrame([["c"] * len(ITEMS)] * 3, columns=ITEMS)
    people.to_csv("people.csv", index=False)
    alone = shown_table(capsys, "--no-verify")
    beside = shown_table(capsys, "--no-verify", "--people", "people.csv")
    assert beside.loc["human", "c"] == 1
    pd.testing.assert_frame_equal(beside.loc[[*SAID], [*"abc"]], alone.loc[[*SAID], [*"abc"]])


def test_rows_are_named_by_cell_and_level(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = pd.read_csv("t.csv")
    rows["rater"] = rows["run"].map({1: "x", 2: "y"})
    rows = rows[(rows["model"] == "fir") | (rows["run"] == 1)].drop(columns="run")
    rows.to_csv("t.csv", index=False)
    text = STUDY.replace('repeat = "run"', 'rater = "rater"').partition("[[table]]")[0]
    (folder / "study.toml").write_text(text.replace('unit = ["item", "run"]\n', ""))
    assert main(["report", "t.csv", "--study", "study.toml", "-o", "p.html", "--no-verify"]) == 0
    capsys.readouterr()
    assert main(["show", "p.html", "--table", "shares", "--format", "csv", "-o", "s.csv"]) == 0
    names = pd.read_csv("s.csv").iloc[:, 0].tolist()
    assert names == [f"{model} / {label}" for model in SAID for label in "abc"]


def test_units_named_in_one_text_keep_their_cluster(folder: Path) -> None:
    errors = {}
    for unit in ('["item", "run"]', '"item,run"'):
        (folder / "study.toml").write_text(STUDY.replace('["item", "run"]', unit))
        shares = read_study("study.toml").answers("t.csv")["shares"]
        errors[unit] = shares["fir"].row("a").std_error  # type: ignore[index]
    first, second = errors.values()
    assert first is not None
    assert first == second


def test_the_cure_of_repeated_rows_names_single_columns(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = pd.read_csv("t.csv")
    other = rows.assign(rater="y", said=rows["said"].map({"a": "b", "b": "c", "c": "a"}))
    pd.concat([rows.assign(rater="x"), other]).to_csv("t.csv", index=False)
    assert main(["check", "t.csv", "--study", "study.toml"]) == 2
    assert 'unit = ["item", "run", "rater"]' in capsys.readouterr().err

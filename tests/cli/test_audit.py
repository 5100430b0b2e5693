"""The audit command as a user meets it: formats, exit codes, files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from socialstats.cli import main

TABLE = "group,n,mean\n<b>A</b>,40,5.19\nB|x,40,5.18\n"
RULES = "title = 'My <table>'\nsource = 'somewhere'\n[[rule]]\nname = 'means'\ncheck = 'grim'\nmean = 'mean'\nn = 'n'\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "rules.toml").write_text(RULES)
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    return path


def test_text_leads_with_the_answer(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(table), "--rules", str(table.parent / "rules.toml")]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(
        "My <table>\nsomewhere\n2 checks of printed numbers: in 1 of them the sources disagree, in 1"
    )
    assert (
        "[major] t.csv line 2: <b>A</b>: 5.19 is printed, a mean of 40 whole numbers is 5.175 or 5.2"
        in out
    )
    assert err == ""


def test_exit_codes(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = str(table.parent / "rules.toml")
    assert main(["audit", str(table), "--rules", rules, "--fail-on", "disagree"]) == 1
    assert main(["audit", str(table), "--rules", rules, "--fail-on", "major"]) == 1
    assert (
        main(["audit", str(table), "--fail-on", "disagree"]) == 0
    )  # nothing says that the means are of whole numbers
    rated = table.with_name("rated.csv")
    rated.write_text(TABLE.replace("mean", "mean rating"))
    assert main(["audit", str(rated), "--fail-on", "major"]) == 0  # guessed rules are minor
    assert main(["audit", str(rated), "--fail-on", "disagree"]) == 1
    table.write_text("group,n,mean\nA,40,5.18\n")
    assert main(["audit", str(table), "--rules", rules, "--fail-on", "disagree"]) == 0
    assert main(["audit", str(table), "--rules", "nowhere.toml"]) == 2
    assert main(["audit"]) == 2
    table.write_text("a,b\nx,y\n")
    assert main(["audit", str(table)]) == 3
    err = capsys.readouterr().err
    assert "nowhere.toml" in err
    assert "no generic check fits" in err


def test_json_holds_everything_and_markdown_is_inert(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = str(table.parent / "rules.toml")
    main(["audit", str(table), "--rules", rules, "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    assert found["tally"] == {"disagree": 1, "agree": 1, "no_power": 0, "not_checkable": 0}
    assert found["findings"][0]["cells"] == [["t.csv", 2, "mean"], ["t.csv", 2, "n"]]
    assert found["findings"][0]["published"] == "5.19"
    assert 0 < found["findings"][0]["power"] < 1
    main(["audit", str(table), "--rules", rules, "--format", "md"])
    out = capsys.readouterr().out
    assert "<b>" not in out
    assert "&lt;b&gt;A&lt;/b&gt;" in out
    assert "# My &lt;table&gt;" in out


def test_files_by_suffix_and_no_input_is_overwritten(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = table.parent / "rules.toml"
    for suffix, start in (
        ("html", "<!DOCTYPE html>"),
        ("md", "# "),
        ("json", "{"),
        ("txt", "My <table>"),
    ):
        target = table.parent / f"out.{suffix}"
        assert main(["audit", str(table), "--rules", str(rules), "-o", str(target)]) == 0
        assert target.read_text().lstrip().startswith(start)
    for target in (table, rules, table.parent):
        assert main(["audit", str(table), "--rules", str(rules), "-o", str(target)]) == 2
    assert table.read_text() == TABLE
    said = capsys.readouterr().err
    assert "rules.toml: would be written over, though it is read" in said
    assert "is a folder" in said


def test_bad_rules_write_nothing(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (table.parent / "bad.toml").write_text("[[rule]]\ncheck = 'grim'\nmean = 'meen'\n")
    target = table.parent / "out.html"
    assert (
        main(["audit", str(table), "--rules", str(table.parent / "bad.toml"), "-o", str(target)])
        == 2
    )
    assert not target.exists()
    assert "has no column 'meen'. Did you mean 'mean'?" in capsys.readouterr().err

"""The power command, and reports as Markdown."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

import socialstats as ss
from socialstats.cli import main

DATA = Path(__file__).parents[2] / "examples" / "data"
PAIRED = ["power", "paired-t", "--effect", "0.5", "--power", "0.8"]


def test_the_text_has_the_plan_and_a_curve_that_statsmodels_gives(capsys):
    assert main(PAIRED) == 0
    out = capsys.readouterr().out
    assert ss.power_paired_t(effect=0.5, power=0.8).sentence() in out
    points = re.findall(r"^ *(\d+) +(\.\d{3})  #+( <)?$", out, re.M)
    assert len(points) == 7
    assert [n for n, _, mark in points if mark] == ["34"]
    for n, power, _ in points:
        assert float(power) == pytest.approx(TTestPower().power(0.5, int(n), 0.05), abs=6e-4)


def test_the_numbers_of_the_curve(capsys):
    assert main([*PAIRED, "--format", "csv"]) == 0
    lines = capsys.readouterr().out.split()
    assert lines[0] == "size,power"
    for n, power in (line.split(",") for line in lines[1::10]):
        df, shift, edge = int(n) - 1, 0.5 * int(n) ** 0.5, stats.t.ppf(0.975, int(n) - 1)
        theirs = stats.nct.sf(edge, df, shift) + stats.nct.cdf(-edge, df, shift)
        assert float(power) == pytest.approx(theirs, abs=1e-6)
    assert (
        main(
            [
                "power",
                "clustered-mean",
                "--clusters",
                "20",
                "--size",
                "5",
                "--icc",
                "0.2",
                "--effect",
                "0.3",
                "--format",
                "json",
            ]
        )
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    plan = ss.power_clustered_mean(clusters=20, size=5, icc=0.2, effect=0.3)
    assert [p["power"] for p in found["curve"] if p["size"] == 20] == [plan.row("power").estimate]
    assert found["terms"] == json.loads(json.dumps(plan.to_dict()))["terms"]


@pytest.mark.parametrize(
    ("suffix", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_figures_are_files_that_may_be_made_again(suffix, start, tmp_path, capsys):
    target = tmp_path / f"power.{suffix}"
    words = [
        "power",
        "mcnemar",
        "--n",
        "300",
        "--discordant",
        "0.3",
        "--effect",
        "0.1",
        "-o",
        str(target),
    ]
    assert main(words) == 0
    first = target.read_bytes()
    assert first.startswith(start)
    assert "with power .893" in capsys.readouterr().err
    assert main(words) == 0
    assert target.read_bytes() == first
    if suffix == "svg":
        ET.fromstring(first.decode())
    other = tmp_path / f"mine.{suffix}"
    other.write_text("mine")
    assert main([*words[:-1], str(other)]) == 2
    assert other.read_text() == "mine"


def test_markdown_has_two_tables(capsys):
    assert main([*PAIRED, "--format", "md"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# Power of a paired t test\n\nTo detect")
    assert "| 34 | .808 |" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["pared"],
            "no design 'pared'. Did you mean 'paired-t'? Designs: paired-t, mcnemar, clustered-mean",
        ),
        (["paired-t"], "leave out exactly one of n, effect, power"),
        (["paired-t", "--effect", "x"], "--effect x: not a number"),
        (["paired-t", "--effect", "1", "--power", "0.8", "--format", "png"], "name a file with -o"),
        (["paired-t", "--effect", "1", "--power", "0.8", "-o", "a.docx"], "writes no docx"),
    ],
)
def test_what_is_refused(words, said, capsys):
    assert main(["power", *words]) == 2
    assert said in capsys.readouterr().err


def test_help_lists_the_designs(capsys):
    assert main(["power"]) == 0
    with pytest.raises(SystemExit, match="0"):
        main(["power", "--help"])
    first, second = capsys.readouterr().out.split("usage: ")[1:]
    assert first == second
    assert "clustered-mean" in first


@pytest.mark.slow
def test_a_report_as_markdown(tmp_path, capsys):
    words = ["report", str(DATA / "scores.csv"), "--smallest-effect", "0.5", "-q", "--no-verify"]
    assert (
        main([*words, "-o", str(tmp_path / "page.html"), "--json", str(tmp_path / "page.json")])
        == 0
    )
    capsys.readouterr()
    assert main([*words, "--format", "md"]) == 0
    out = capsys.readouterr().out
    assert main([*words, "-o", str(tmp_path / "page.md")]) == 0
    assert (tmp_path / "page.md").read_text() == out
    assert main([*words, "-o", str(tmp_path / "page.md")]) == 0  # replaces its own
    assert main(["show", str(tmp_path / "page.html"), "--format", "md"]) == 0
    assert capsys.readouterr().out == out
    found = json.loads((tmp_path / "page.json").read_text())
    main_part = [block for block in found["blocks"] if block["part"] == "main"]
    assert re.findall(r"^## (.*)$", out, re.M) == [*(b["question"] for b in main_part), "Methods"]
    assert re.findall(r"^Table (\w+)\.", out, re.M) == [
        t["number"] for b in main_part for t in b["tables"]
    ]
    assert not re.search(r"</?[a-z]+[ >]", out)
    assert "Study paired, exploratory. Made by socialstats" in out
    (tmp_path / "mine.md").write_text("mine")
    assert main([*words, "-o", str(tmp_path / "mine.md")]) == 2
    assert main([*words, "-o", str(tmp_path / "page.html"), "--format", "md"]) == 2

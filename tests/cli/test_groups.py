"""Independent groups on the command line: the page, `estimate`, `check` and `init`, and their errors."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.cli import main
from socialstats.cli.analysis import prepare
from socialstats.cli.parser import make_parser
from socialstats.studies.plan_files import load_plan


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    path = tmp_path / "trial.csv"
    pd.DataFrame(
        {
            "person": [f"p{k:02d}" for k in range(60)],
            "arm": np.repeat(["control", "drug"], 30),
            "score": rng.normal(size=60).round(2),
            "ok": rng.integers(0, 2, 60),
            "answer": rng.choice(["low", "mid", "high"], 60),
            "ward": [f"w{k // 5}" for k in range(60)],
        }
    ).to_csv(path, index=False)
    return path


MAPPED = ["--design", "groups", "--map", "unit=person", "--map", "group=arm"]


@pytest.mark.parametrize(
    ("value", "more", "metric"),
    [
        ("score", [], "two_means"),
        ("ok", ["--cluster", "ward"], "two_proportions"),
        ("answer", ["--levels", "low,mid,high"], "two_ordinal"),
    ],
)
def test_the_page_has_the_numbers_of_the_metric(
    trial: Path, value: str, more: list[str], metric: str
) -> None:
    words = ["report", str(trial), *MAPPED, "--map", f"value={value}", *more]
    outcome, _ = prepare(make_parser().parse_args(words), load_plan(None)).run()
    (block,) = outcome.blocks
    options = {"levels": ["low", "mid", "high"]} if value == "answer" else {}
    options |= {"cluster": "ward"} if more[:1] == ["--cluster"] else {}
    known = getattr(ss, metric)(str(trial), unit="person", value=value, **options)
    assert [row.estimate for row in block.results[0].rows] == [row.estimate for row in known.rows]
    assert outcome.title == "Is there a difference between drug and control?"
    assert "twice as precisely" in outcome.planning[0]
    assert ("more wards" in outcome.planning[0]) == bool(options.get("cluster"))
    assert all(found.ok for found in outcome.verifications.values())
    assert [row.term for row in block.drawn][-1] == known.rows[0].term


def test_report_writes_a_page_and_says_the_answer(
    trial: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    assert main(["report", str(trial), *MAPPED, "--map", "value=score", "-o", str(page)]) == 0
    assert page.stat().st_size > 10_000
    assert "did not differ significantly between 'drug' and 'control'" in capsys.readouterr().err


def test_estimate_reads_groups(trial: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "estimate",
                "two_proportions",
                str(trial),
                "--value",
                "ok",
                "--groups",
                "control,drug",
                "--verify",
            ]
        )
        == 0
    )
    assert "difference of .100, score 95% CI" in capsys.readouterr().out


def test_check_prints_a_command_that_works(
    trial: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(trial)]) != 0
    said = capsys.readouterr()
    lines = [
        line
        for line in (said.out + said.err).splitlines()
        if line.startswith("  socialstats report")
    ]
    assert lines
    words = shlex.split(lines[0])[1:]
    assert {"group=arm", "unit=person", "value=score"} <= {*words}
    assert words[words.index("--cluster") + 1] == "ward"
    assert main([*words, "-o", str(tmp_path / "page.html")]) == 0


def test_check_and_init_describe_the_groups(
    trial: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(trial), *MAPPED, "--map", "value=ok"]) == 0
    assert "30 units of drug and 30 units of control" in capsys.readouterr().out
    assert main(["init", str(trial), *MAPPED, "--map", "value=ok"]) == 0
    assert 'groups = ["drug", "control"]' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--map", "value=answer", "--scale", "nominal"], "have no order"),
        (["--map", "value=score", "--scale", "interval"], "scales of groups are"),
        (["--map", "value=score", "--groups", "drug,x"], "no group 'x'"),
        (["--map", "value=score", "--conditions", "drug,control"], "--conditions is for paired"),
        (["--map", "value=score", "--map", "rater=ward"], "no part 'rater' in groups"),
        (["--map", "value=score", "--crosstab"], "--crosstab counts pairs"),
    ],
)
def test_what_does_not_fit_is_an_error(
    trial: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = "report" if "nominal" in words else "check"
    assert main([command, str(trial), *MAPPED, *words]) != 0
    assert message in capsys.readouterr().err


def test_units_in_both_groups_are_pairs_or_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "both.csv"
    shared = pd.DataFrame(
        {"item": [*range(20)] * 2, "arm": np.repeat(["a", "b"], 20), "score": np.arange(40) % 7}
    )
    shared.to_csv(path, index=False)
    named = ["check", str(path), "--design", "groups", "--map", "group=arm"]
    assert main(named) != 0
    assert "--design paired" in capsys.readouterr().err
    assert main([*named, "--map", "unit="]) == 0
    assert "20 units of a and 20 units of b" in capsys.readouterr().out

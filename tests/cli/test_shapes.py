"""Tables of the shape of one study, and control texts, from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from socialstats import datasets
from socialstats.cli import main

QUICK = ["--resamples", "100", "--no-verify", "-q"]


def page(words: list[str], tmp_path: Path) -> dict[str, Any]:
    out, numbers = tmp_path / "page.html", tmp_path / "page.json"
    assert main(["report", *words, "-o", str(out), "--json", str(numbers), *QUICK]) == 0
    assert "</html>" in out.read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(numbers.read_text(encoding="utf-8"))
    return found


@pytest.mark.slow
def test_example_of_couples_finds_its_study(tmp_path: Path) -> None:
    found = page(["--example", "relationship-bias"], tmp_path)
    assert found["study"] == "relationship-bias"
    assert "simulated" in json.dumps(found)


@pytest.mark.slow
def test_columns_with_other_names_are_mapped(tmp_path: Path) -> None:
    table = datasets.relationship_bias().rename(columns={"scenario": "vignette", "answer": "pick"})
    path = tmp_path / "couples.csv"
    table[table["group_first"] != "neutral"].to_csv(path, index=False)
    words = [
        str(path),
        "--study",
        "relationship-bias",
        "--map",
        "scenario=vignette",
        "--map",
        "answer=pick",
    ]
    assert page(words, tmp_path)["study"] == "relationship-bias"


@pytest.mark.slow
def test_example_of_stages_has_the_zero_of_its_controls(tmp_path: Path) -> None:
    found = page(["--example", "staged-values"], tmp_path)
    assert found["study"] == "staged-values"
    assert found["settings"]["zero"] == {"judge 1": -0.125, "judge 2": 3.375, "judge 3": 10.25}


@pytest.mark.slow
def test_controls_from_a_file(tmp_path: Path) -> None:
    scores, controls = tmp_path / "scores.csv", tmp_path / "controls.csv"
    whole = datasets.staged_values()
    whole[whole["model"].isin(["model 01", "model 04"])].to_csv(scores, index=False)
    datasets.staged_values_controls().to_csv(controls, index=False)
    found = page([str(scores), "--controls", str(controls)], tmp_path)
    assert found["settings"]["zero"]["judge 3"] == 10.25
    assert page([str(scores)], tmp_path)["settings"]["zero"] is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--map", "who=scenario"],
            "--map who=scenario: write part=column. Parts of study relationship-bias: scenario",
        ),
        (["--map", "pair=nothing"], "--map pair=nothing: no column 'nothing'"),
        (
            ["--cluster", "topic"],
            "--cluster: this study takes scenario and pair as crossed clusters",
        ),
        (["--controls", "none.csv"], "--controls is for study staged-values; this page is study"),
    ],
)
def test_what_does_not_fit_is_refused(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "page.html")
    assert (
        main(
            [
                "report",
                "--example",
                "relationship-bias",
                "--study",
                "relationship-bias",
                *words,
                "-o",
                out,
            ]
        )
        == 2
    )
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_a_plan_names_controls_and_weights(tmp_path: Path) -> None:
    scores, plan = tmp_path / "scores.csv", tmp_path / "plan.toml"
    whole = datasets.staged_values()
    whole[whole["model"].isin(["model 01", "model 04"])].to_csv(scores, index=False)
    datasets.staged_values_controls().to_csv(tmp_path / "texts.csv", index=False)
    texts = (tmp_path / "texts.csv").as_posix()
    plan.write_text(
        f'[data]\ncontrols = "{texts}"\n[inference]\nweights = "equal"\n', encoding="utf-8"
    )
    found = page([str(scores), "--plan", str(plan)], tmp_path)
    assert found["settings"]["weights"]["openness"] == 1.0
    assert set(found["settings"]["zero"]) == {"judge 1", "judge 2", "judge 3"}

"""The gate: what meets a requirement, what does not, and the workflow that stands in the examples."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from socialstats.cli import main
from socialstats.cli.gate import Requirement, entry_of
from socialstats.errors import InputError, caution
from socialstats.results import Row

ROOT = Path(__file__).parents[2]


def runs(folder: Path, gain: float, items: int = 120) -> Path:
    """Scores of two models on the same items, four of each scenario."""
    rng = np.random.default_rng(5)
    hard = rng.normal(0, 0.1, items)
    parts = [
        pd.DataFrame(
            {
                "item": [f"q{k}" for k in range(items)],
                "model": name,
                "score": (0.6 + hard + more + rng.normal(0, 0.02, items)).round(4),
                "scenario": [f"s{k // 4}" for k in range(items)],
            }
        )
        for name, more in (("old", 0.0), ("new", gain))
    ]
    pd.concat(parts).to_csv(folder / "runs.csv", index=False)
    return folder / "runs.csv"


def test_the_limit_is_that_of_a_paired_t_interval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = runs(tmp_path, 0.01)
    wide = pd.read_csv(path).pivot(index="item", columns="model", values="score")
    low = stats.ttest_rel(wide["new"], wide["old"]).confidence_interval(0.95).low
    for shift, code in ((-1e-6, 0), (1e-6, 1)):
        assert (
            main(["gate", str(path), "--require", f"mean[new - old].conf_low > {low + shift:.9f}"])
            == code
        )
        said = capsys.readouterr().out
        assert said.startswith(("met: ", "fails: ")[code])
        assert said.endswith(f"{1 - code} of 1 requirement met.\n")


def test_a_difference_can_be_written_either_way(tmp_path: Path) -> None:
    path = str(runs(tmp_path, 0.05))
    assert main(["gate", path, "--require", "mean[old - new].conf_high < 0"]) == 0
    assert (
        main(
            [
                "gate",
                path,
                "--rater",
                "model",
                "--require",
                "mean[new].conf_low > 0.6",
                "--require",
                "mean[new - old].estimate > 0.04",
            ]
        )
        == 0
    )


def test_columns_can_be_the_conditions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wide = (
        pd.read_csv(runs(tmp_path, 0.05))
        .pivot(index="item", columns="model", values="score")
        .reset_index()
    )
    wide.to_csv(tmp_path / "wide.csv", index=False)
    words = [
        "gate",
        str(tmp_path / "wide.csv"),
        "--require",
        "mean[new - old].conf_low > 0",
        "--first",
    ]
    assert main([*words, "new", "--second", "old"]) == 0
    assert main([*words, "old", "--second", "new"]) == 2
    assert "name the columns in this order" in capsys.readouterr().err


def test_any_metric_is_a_quantity(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "unit": [*range(40)] * 2,
            "rater": ["a"] * 40 + ["b"] * 40,
            "value": [*[k % 2 for k in range(40)] * 2],
        }
    )
    frame.to_csv(tmp_path / "r.csv", index=False)
    words = ["gate", str(tmp_path / "r.csv"), "--require"]
    assert main([*words, "percent_agreement[a | b].estimate >= 1"]) == 0
    assert main([*words, "percent_agreement[nobody].estimate >= 1"]) == 2


def test_models_that_answer_alike_in_every_unit_changed_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [(f"i{k}", model, k % 2, f"s{k // 4}") for k in range(20) for model in ("new", "old")]
    frame = pd.DataFrame(rows, columns=["unit", "model", "value", "story"])
    words = [
        "gate",
        str(tmp_path / "r.csv"),
        "--condition",
        "model",
        "--cluster",
        "story",
        "--require",
    ]
    frame.to_csv(tmp_path / "r.csv", index=False)
    assert main([*words, "mean[new - old].conf_low > -0.02"]) == 0
    assert "nothing changed, conf_low counts as 0: all 20 values equal 0" in capsys.readouterr().out
    assert main([*words, "mean[new - old].conf_low > 0"]) == 1
    assert main([*words, "mean[new - old].p_value < 0.05"]) == 1
    frame.loc[[0, 3], "value"] = (
        1  # one gain and one loss in one story: the difference is 0, and is not known well
    )
    frame.assign(story="s").to_csv(tmp_path / "r.csv", index=False)
    assert main([*words, "mean[new - old].conf_low > -0.02"]) == 1


@pytest.mark.parametrize("ending", ["md", "json", "xml"])
def test_outputs_for_people_and_for_continuous_integration(tmp_path: Path, ending: str) -> None:
    path, out = str(runs(tmp_path, -0.1)), tmp_path / f"gate.{ending}"
    assert (
        main(["gate", path, "--require", "mean[new - old].conf_low > -0.02", "-o", str(out)]) == 1
    )
    text = out.read_text(encoding="utf-8")
    if ending == "json":
        found = json.loads(text)
        assert found["ok"] is False
        assert found["requirements"][0]["value"] == pytest.approx(-0.1, abs=0.02)
    else:
        assert {"md": "**0 of 1 requirement met.**", "xml": 'failures="1"'}[ending] in text


def test_nothing_undefined_and_nothing_stopped_is_met() -> None:
    one = Requirement.parsed("mean[a].conf_low > -1")
    assert entry_of(one, Row(term="a", estimate=1.0, undefined="one unit"), "t.csv").wrong
    known = Row(term="a", estimate=1.0, conf_low=0.5, conf_high=1.5, conf_level=0.95)
    assert not entry_of(one, known, "t.csv").wrong
    assert entry_of(one, known, "t.csv", [caution("SS101", "two groups")]).wrong


@pytest.mark.parametrize("quantity", ["mean[new - old]", "mean[new]"])
def test_an_interval_of_few_units_is_said_wherever_its_requirement_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], quantity: str
) -> None:
    few = "SS312 the sample is small for this interval"
    words = ["--rater", "model", "--require", f"{quantity}.conf_low > -9"]
    for items, wanted in ((3, True), (60, False)):
        path = str(runs(tmp_path, 0.05, items))
        for out in ("gate.md", "gate.xml"):
            assert main(["gate", path, *words, "-o", str(tmp_path / out), "--overwrite"]) == 0
        said = capsys.readouterr().err.split("met: ")[1].split("\n")[0]
        line = next(
            x
            for x in (tmp_path / "gate.md").read_text(encoding="utf-8").split("\n")
            if "| met |" in x
        )
        case = (tmp_path / "gate.xml").read_text(encoding="utf-8").partition("<system-out>")[2]
        assert [few in text for text in (said, line, case)] == [wanted] * 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["t.csv"], "name what must hold"),
        (["--require", "mean[a].estimate > 0"], "name the table first"),
        (["t.csv", "--require", "mean > 0"], "not a requirement"),
        (["t.csv", "--require", "mean[a].mean > 0"], "no field 'mean'; fields: estimate"),
        (["t.csv", "--require", "mean[a].estimate > 1-2"], "the limit is not a number"),
        (
            ["t.csv", "--require", "average[a].estimate > 0"],
            "no quantity 'average'. Quantities: mean, ada_met",
        ),
        (
            ["runs.csv", "--require", "mean[new - old].estimate > 0", "--colour", "red"],
            "has the option '--colour'",
        ),
        (["runs.csv", "--require", "mean[new - older].estimate > 0"], "no condition 'older'"),
    ],
)
def test_errors_say_what_to_write(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    said: str,
) -> None:
    runs(tmp_path, 0.0)
    monkeypatch.chdir(tmp_path)
    assert main(["gate", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_large_p_value_is_no_evidence_of_equality(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["gate", str(runs(tmp_path, 0.0)), "--require", "mean[new - old].p_value > 0.05"])
    assert "no evidence that two are equal" in capsys.readouterr().err


def test_a_requirement_of_another_form_is_an_error() -> None:
    with pytest.raises(InputError, match="write QUANTITY"):
        Requirement.parsed("conf_low > 0")


@pytest.mark.parametrize(("gain", "code"), [(0.0, 0), (-0.05, 1)])
def test_the_workflow_of_the_examples_runs_as_plain_shell(
    tmp_path: Path, gain: float, code: int
) -> None:
    lines = (ROOT / "examples" / "gate" / "gate.yml").read_text(encoding="utf-8").split("\n")
    start = next(k for k, line in enumerate(lines) if line.strip() == "run: |")
    script = "\n".join(line[10:] for line in lines[start + 1 :])
    runs(tmp_path, gain)
    shim = tmp_path / "socialstats"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m socialstats "$@"\n', encoding="utf-8")
    shim.chmod(0o755)
    rooms = os.pathsep.join(str(ROOT / room) for room in (".", "collect", "reports"))
    env = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": "summary.md",
        "PYTHONPATH": rooms,
    }
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert f"{1 - code} of 1 requirement met" in (tmp_path / "summary.md").read_text(
        encoding="utf-8"
    )


def test_a_difference_of_models_reads_them_from_the_column_of_raters(tmp_path: Path) -> None:
    table = runs(tmp_path, 0.05)
    frame = pd.read_csv(table).rename(columns={"model": "system"})
    frame.to_csv(tmp_path / "systems.csv", index=False)
    words = ["gate", str(tmp_path / "systems.csv"), "--unit", "item", "--value", "score"]
    wanted = ["--require", "mean[new - old].conf_low > 0", "--require", "mean[new].estimate > 0"]
    for rater in (["--rater", "system"], ["--rater=system"]):
        assert main([*words, *rater, *wanted]) == 0
    assert main([*words, "--rater", "system", *wanted[:2]]) == 0

"""A study that is in nobody's paper, by commands only: moral foundations, four judges, 30 scenarios, two conditions."""

from __future__ import annotations

import hashlib
import io
import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from socialstats.cli import main
from tests.collect.server import Send, says, serving

FOUNDATIONS = ("care", "fairness", "loyalty", "authority", "purity")
TRAITS = [f"{name}{k}" for name in FOUNDATIONS for k in (1, 2, 3)]
RUN = f"""
items = "items.csv"
texts = {{role_play = "{{prompt}}"}}
factors = {{model = ["birch", "cedar"]}}

[protocol]
name = "staged-values"
stages = ["prompt"]
baseline = false
debrief = false
scale = [1, 5]
traits = {json.dumps(TRAITS)}

[judges]
models = ["ada", "bo", "cy", "di"]

[endpoint]
base_url = "URL"
"""
SHIFT = {"authority": 1, "care": -1}  # under pressure


def draw(*words: object) -> int:
    return int.from_bytes(hashlib.sha256(repr(words).encode()).digest()[:4])


def answer(body: dict[str, Any], _: int) -> Send:
    """Answer a scenario, or score an answer: under pressure authority rises by 1 and care falls by 1."""
    text = str(body["messages"][-1]["content"])
    if "whole number" not in text:
        return says(f"I act so in {text}")
    scenario = re.findall(r"Story \d+", text)[-1]
    pressure = "(pressure)" in text
    scores = {}
    for trait in TRAITS:
        level = 2 + draw(scenario, trait[:-1]) % 2
        shift = SHIFT.get(trait[:-1], 0) * pressure
        score = level + shift + (draw(scenario, trait, body["model"], pressure) % 5 == 0)
        # the third item is worded the other way
        scores[trait] = 6 - score if trait.endswith("3") else score
    return says(json.dumps(scores))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [
        f"s{k:02}-{condition},s{k:02},{condition},Story {k} ({condition})"
        for k in range(30)
        for condition in ("plain", "pressure")
    ]
    Path("items.csv").write_text("item_id,scenario,condition,prompt\n" + "\n".join(rows) + "\n")
    return tmp_path


@pytest.mark.slow
def test_from_a_run_file_to_the_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(answer) as server:
        Path("run.toml").write_text(RUN.replace("URL", server.url))
        assert main(["new", "run.toml"]) == 0
        assert main(["collect", "study.toml", "--dry-run"]) == 0
        assert "120 units" in capsys.readouterr().out
        assert main(["collect", "study.toml", "-o", "log.jsonl"]) == 0
    assert main(["tidy", "log.jsonl", "-o", "table.csv"]) == 0
    assert "report table.csv --study study.toml" in capsys.readouterr().err
    assert main(["report", "table.csv", "--study", "study.toml", "-o", "page.html", "-q"]) == 0
    # a study of three questions
    text = Path("study.toml").read_text()
    assert text.count("[[question]]") == 3
    assert len(text.splitlines()) <= 120
    assert main(["show", "page.html", "--table", "Means", "--format", "csv"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    scales = [name for name in head.split(",") if " " not in name]
    assert scales == ["model", "condition", "care", "fairness", "loyalty", "authority", "purity"]
    assert len(lines) == 4
    # the log shows which items are worded the other way
    assert main(["new", "log.jsonl", "-o", "again.toml"]) == 0
    again = Path("again.toml").read_text()
    assert again.count("# reversed = ") == 5
    Path("again.toml").write_text(again.replace("# reversed = ", "reversed = "))
    typed = ["difference", "table.csv", "--study", "again.toml", "--format", "csv"]
    capsys.readouterr()
    assert main(["estimate", *typed]) == 0
    rows = pd.read_csv(io.StringIO(capsys.readouterr().out))
    rows = rows[rows["term"] == "difference"].set_index(rows.columns[1])
    for foundation, shift in {"care": -1, "authority": 1}.items():
        for model in ("birch", "cedar"):
            row = rows.loc[[f"{foundation} / {model}"]].iloc[0]
            assert row["estimate"] == pytest.approx(shift, abs=0.15)
            assert row["conf_low"] * row["conf_high"] > 0

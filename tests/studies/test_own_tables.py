"""Tables that stand nowhere, from new to check: other languages, thin, skewed, wide, files in the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.cli.own_study import read_study

Rows = dict[str, Any] | list[dict[str, Any]]
RNG = np.random.default_rng(5)
AGREED = ["trifft nicht zu", "trifft wenig zu", "teils teils", "trifft eher zu", "trifft zu"]
TEXTS = ["texto A", "texto B", "texto C", "texto D"]


def spanish_labels_with_repeats() -> Rows:
    return [
        {"pregunta": f"p{q}", "modelo": m, "instrucción": i, "corrida": r, "respuesta": answer}
        for q in range(15)
        for m in ("llama", "qwen")
        for i in ("formal", "coloquial")
        for r in (1, 2, 3)
        for answer in [str(RNG.choice(["sí", "no"], p=[0.7, 0.3]))]
    ]


def japanese_judges_with_gaps() -> Rows:
    return [
        {"課題": f"課題{q}", "モデル": m, "審査員": j, "評価": value}
        for q in range(20)
        for m in ("甲", "乙", "丙")
        for j in ("佐藤", "鈴木", "高橋")
        for value in [None if RNG.random() < 0.1 else int(RNG.integers(1, 8))]
    ]


def skewed_arms_between_persons() -> Rows:
    arms = ["control", "nudge", "incentive"] * 30
    return {
        "participant": range(1, 91),
        "arm": arms,
        "donation": np.round(RNG.lognormal(1, 1.2, 90), 2),
    }


def people_beside_models() -> Rows:
    answered = [("ann", "human"), ("bob", "human"), ("cem", "human"), ("gpt-5", "model")]
    return [
        {"dilemma": f"d{q}", "respondent": who, "source": source, "verdict": verdict}
        for q in range(18)
        for who, source in answered
        for verdict in [str(RNG.choice(["guilty", "not guilty"]))]
    ]


def french_columns_of_two_times() -> Rows:
    return {
        "sujet": [f"S{k}" for k in range(24)],
        "groupe": ["a", "b"] * 12,
        "avant": RNG.normal(10, 2, 24).round(1),
        "après": RNG.normal(11, 2, 24).round(1),
    }


def portuguese_duels_with_ties() -> Rows:
    return [
        {"jurado": f"j{j}", "esquerda": TEXTS[a], "direita": TEXTS[b], "vencedor": winner}
        for j in range(12)
        for a in range(4)
        for b in range(a + 1, 4)
        for winner in [str(RNG.choice([TEXTS[a], TEXTS[b], "empate"], p=[0.5, 0.35, 0.15]))]
    ]


def three_stages_of_two_grades() -> Rows:
    return [
        {"scene": f"s{k}", "llm": m, "stage": stage, "warmth": warmth, "dominance": dominance}
        for k in range(16)
        for m in ("x1", "x2")
        for stage in ("start", "middle", "end")
        for warmth, dominance in [RNG.integers(0, 11, 2).tolist()]
    ]


def thin_frames() -> Rows:
    return {
        "story": ["a", "b", "c", "d"] * 2,
        "frame": ["gain"] * 4 + ["loss"] * 4,
        "rating": [3, 4, 4, 2, 5, 5, 4, 3],
    }


def one_column_for_each_model() -> Rows:
    names = ("gpt-4o", "claude-3", "llama-3")
    return {
        "item": [f"i{k}" for k in range(30)],
        **{name: RNG.integers(0, 2, 30) for name in names},
    }


def polish_answers_that_are_counted() -> Rows:
    return [
        {"tekst": f"t{k:02}", "model": m, "powtórzenie": r, "wynik": int(RNG.integers(1, 6))}
        for k in range(20)
        for m in ("claude-3", "gpt-4o")
        for r in range(1, 6)
    ]


def columns_that_play_no_part() -> Rows:
    return [
        {
            "id": f"n{k}",
            "timestamp": f"2026-01-{1 + k % 28:02}T10:00",
            "model": ("m1", "m2")[k % 2],
            "persona": ("nurse", "banker", "farmer")[k // 2 % 3],
            "topic": f"topic {k // 6}",
            "reply": f"I think that this matters a lot because of reason number {k}",
            "words": int(RNG.poisson(60)),
            "cost": round(float(RNG.random()), 4),
        }
        for k in range(72)
    ]


# table -> parts that are declared, and contrasts
TABLES: dict[Callable[[], Rows], tuple[dict[str, str], list[tuple[str, str]]]] = {
    spanish_labels_with_repeats: (
        {"source": "modelo", "unit": "pregunta", "repeat": "corrida", "value": "respuesta"},
        [("coloquial", "formal")],
    ),
    japanese_judges_with_gaps: (
        {"source": "モデル", "unit": "課題", "rater": "審査員", "value": "評価"},
        [],
    ),
    skewed_arms_between_persons: (
        {"unit": "participant", "condition": "arm", "value": "donation"},
        [("incentive", "control"), ("nudge", "control")],
    ),
    people_beside_models: ({"rater": "respondent", "kind": "source", "unit": "dilemma"}, []),
    french_columns_of_two_times: ({"unit": "sujet"}, []),
    portuguese_duels_with_ties: ({"cluster": "jurado"}, []),
    three_stages_of_two_grades: (
        {"source": "llm", "unit": "scene", "condition": "stage"},
        [("end", "start"), ("middle", "start")],
    ),
    thin_frames: ({"unit": "story", "condition": "frame"}, [("gain", "loss")]),
    one_column_for_each_model: ({"unit": "item"}, []),
    polish_answers_that_are_counted: (
        {"unit": "tekst", "source": "model", "repeat": "powtórzenie", "value": "wynik"},
        [],
    ),
    columns_that_play_no_part: (
        # each topic was asked once of each model and persona; an id numbers the rows
        {"source": "model", "unit": "topic", "condition": "persona", "value": "words"},
        [("banker", "farmer"), ("banker", "nurse"), ("farmer", "nurse")],
    ),
}


@pytest.mark.parametrize("make", TABLES, ids=lambda make: make.__name__)
def test_the_first_file_runs(
    make: Callable[[], Rows], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(make()).to_csv("t.csv", index=False)
    assert main(["new", "t.csv"]) == 0
    assert main(["check", "t.csv", "--study", "study.toml"]) == 0
    declared = read_study("study.toml").declaration
    parts, pairs = TABLES[make]
    assert {part: names[0] for part, names in declared.parts.items()}.items() >= parts.items()
    assert [contrast.pair for contrast in declared.contrasts.values()] == pairs


def test_labels_in_an_unknown_order_wait_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    items = {f"Vertrauen_{k}": RNG.choice(AGREED, 40) for k in (1, 2, 3)}
    pd.DataFrame({"Versuchsperson": [f"VP{k}" for k in range(40)], **items}).to_csv(
        "t.csv", index=False
    )
    assert main(["new", "t.csv"]) == 0
    assert main(["check", "t.csv", "--study", "study.toml"]) == 2
    assert "Write options = [LOWEST, ..., HIGHEST] in the scale" in capsys.readouterr().err
    text = Path("study.toml").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith("# options = "))
    Path("study.toml").write_text(text.replace(line, f"options = {AGREED}"), encoding="utf-8")
    assert main(["check", "t.csv", "--study", "study.toml"]) == 0


def test_several_files_are_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame(spanish_labels_with_repeats())
    first = table["modelo"] == "llama"
    table[first].to_csv("llama.csv", index=False)
    table[~first].to_csv("qwen.csv", index=False)
    table.to_csv("both.csv", index=False)
    assert main(["new", "both.csv"]) == 0
    assert main(["check", "llama.csv", "qwen.csv", "--study", "study.toml"]) == 0


STUDY = """
[data]
scale = "nominal"
map = {unit = "question", source = "model", value = "said"}

[[question]]
id = "shares"
metric = "choice_shares"

[collect]
items = "items.csv"
template = 'Is {text} fine? {{"Answer": "yes" or "no"}}'
protocol = {name = "template", parser = "json", labels = ["yes", "no"]}
factors = {model = ["birch"]}
endpoint = {base_url = "http://127.0.0.1:9/v1"}
"""
# steps in the wrong order, and files in the way -> what the error says
STEPS = {
    "tidy study.log.jsonl": "'socialstats collect RUN.toml' writes it",
    "report table.csv --study study.toml": "table.csv: there is no such file",
    "check items.csv --study study.toml": "map: unit: 'question' is no column of items.csv",
    "collect study.toml -o study.toml": "study.toml: not a log of socialstats collect",
    "collect study.toml -o items.csv": "items.csv: not a log of socialstats collect",
    "tidy study.toml -o t.csv": "study.toml: not a log of socialstats collect",
    "report items.csv --study study.toml -o study.toml": "would be written over",
    "new items.csv -o study.toml": "new replaces nothing",
    "new study.toml -o other.toml": "this is the file of a study",
    "check study.toml --study study.toml": "this is a TOML file",
    "estimate share items.csv --study study.toml": "Did you mean 'shares'",
    "run items.csv study.toml": "Type: socialstats run study.toml items.csv",
    "report study.toml": "--study STUDY.toml; or type 'socialstats run STUDY.toml TABLE'",
    "form study.toml": "A template needs a text 'people'",
}


@pytest.mark.parametrize("step", STEPS)
def test_wrong_steps_say_what_to_do_and_change_no_file(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("study.toml").write_text(STUDY)
    Path("items.csv").write_text("item_id,text\nq1,a lie\nq2,a gift\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert main(step.split()) == 2
    assert STEPS[step] in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_commands_name_files_as_a_shell_takes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(thin_frames()).to_csv("my table.csv", index=False)
    assert main(["new", "my table.csv", "-o", "my study.toml"]) == 0
    assert "check 'my table.csv' --study 'my study.toml'" in capsys.readouterr().err
    assert "report 'my table.csv' --study 'my study.toml'" in Path("my study.toml").read_text()


def test_a_page_in_markdown_is_known_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(thin_frames()).to_csv("t.csv", index=False)
    assert main(["new", "t.csv"]) == 0
    typed = ["report", "t.csv", "--study", "study.toml", "-o", "page.html", "-q", "--no-verify"]
    assert main(typed) == 0
    assert main(["show", "page.html", "--format", "md", "-o", "page.md"]) == 0
    assert main(["show", "page.md"]) == 2
    assert "a Markdown report of socialstats" in capsys.readouterr().err

"""The first file of a study: from duels, two columns of values, conditions of three labels, run files and logs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.cli.own_study import read_study
from socialstats.proposals.study_guess import guess_of
from socialstats.tables import as_table
from tests.collect import mock
from tests.collect.runs import shipped
from tests.collect.server import serving

DATA = Path(__file__).parents[2] / "examples" / "data"


def first_file(table: Path | str, folder: Path) -> str:
    """Write the first file of a study into a folder and return its path."""
    target = str(folder / "study.toml")
    assert main(["new", str(table), "-o", target]) == 0
    return target


def test_two_columns_of_values_are_a_difference(tmp_path: Path) -> None:
    table = pd.read_csv(DATA / "scores.csv")
    study = read_study(first_file(DATA / "scores.csv", tmp_path))
    answers = study.answers(DATA / "scores.csv")
    row = answers["difference"].row("difference")  # type: ignore[union-attr]
    assert row.estimate == pytest.approx((table["after"] - table["before"]).mean(), rel=1e-12)
    assert [*answers] == ["difference", "level-1", "level-2"]
    counted = read_study(first_file(DATA / "pairs.csv", tmp_path / ".."))
    assert [question.metric for question in counted.declaration.questions.values()] == ["mcnemar"]


@pytest.mark.parametrize("name", ["arena", "choices", "votes", "role_choices"])
def test_duels_are_declared(name: str, tmp_path: Path) -> None:
    table = DATA / f"{name}.csv"
    study = first_file(table, tmp_path)
    questions = read_study(study).declaration.questions
    assert [question.metric for question in questions.values()] == ["bradley_terry", "win_rates"]
    assert main(["check", str(table), "--study", study]) == 0


def test_a_square_of_wins_is_left_to_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", str(DATA / "wins.csv"), "-o", str(tmp_path / "s.toml")]) == 2
    assert "report wins.csv --crosstab" in capsys.readouterr().err


# labels of a condition -> the pairs that are compared
CONDITIONS = {
    ("anger", "control", "fear"): [("anger", "control"), ("fear", "control")],
    ("formal", "plain words", "slang"): [
        ("formal", "plain words"),
        ("formal", "slang"),
        ("plain words", "slang"),
    ],
    ("after", "before"): [("after", "before")],
}


@pytest.mark.parametrize("labels", CONDITIONS, ids=" ".join)
def test_each_label_of_a_condition_is_compared(labels: tuple[str, ...], tmp_path: Path) -> None:
    rows = {
        "scenario": [f"s{k:02}" for k in range(24) for _ in labels],
        "condition": [*labels] * 24,
        "score": [(5 * k) % 7 for k in range(24 * len(labels))],
    }
    pd.DataFrame(rows).to_csv(tmp_path / "t.csv", index=False)
    study = first_file(tmp_path / "t.csv", tmp_path)
    declared = read_study(study).declaration
    assert [contrast.pair for contrast in declared.contrasts.values()] == CONDITIONS[labels]
    asked = [question.contrast for question in declared.questions.values() if question.contrast]
    assert asked == [*declared.contrasts]
    assert main(["check", str(tmp_path / "t.csv"), "--study", study]) == 0


# protocol -> the parts that the first file declares
PROTOCOLS = {
    "template": {"source", "unit", "value"},
    "ordinal": {"source", "unit", "value", "condition"},
    "norm-goal": {"source", "unit", "value", "condition", "repeat"},
    "staged-values": {"source", "unit", "rater", "condition"},
    "pairwise-roles": {"source", "cluster"},
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_run_file_begins_a_study(protocol: str, tmp_path: Path) -> None:
    items = shipped(tmp_path, protocol, Path("items.csv"))
    study = first_file(items, tmp_path)
    assert {*read_study(study).declaration.parts} == PROTOCOLS[protocol]
    assert main(["collect", study, "--dry-run"]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["norm-goal", "staged-values", "pairwise-roles"])
def test_the_study_of_a_run_file_collects_and_reports(
    protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of-a-scripted-server")
    run = shipped(tmp_path, protocol, Path("items.csv"))
    study = first_file(run, tmp_path)
    with serving(mock.answer) as server:
        assert main(["collect", study, "--base-url", server.url]) == 0
    log, table = str(tmp_path / "study.log.jsonl"), str(tmp_path / "t.csv")
    assert main(["tidy", log, "-o", table]) == 0
    assert main(["check", table, "--study", study]) == 0
    # the log says the same as the run file
    again = str(tmp_path / "again.toml")
    assert main(["new", log, "-o", again]) == 0
    declared, of_log = (read_study(path).declaration for path in (study, again))
    assert declared.parts == of_log.parts
    assert {*declared.scales} == {*of_log.scales}


def test_replies_that_are_texts_begin_no_study(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run.toml"
    (tmp_path / "items.csv").write_text("item_id,text\na,b\n")
    run.write_text(
        'items = "items.csv"\nprotocol = "template"\ntemplate = "{text}"\nfactors = {model = ["m"]}\n'
        'endpoint = {base_url = "http://127.0.0.1:9/v1"}\n'
    )
    assert main(["new", str(run), "-o", str(tmp_path / "s.toml")]) == 2
    assert "replies are texts, and no answers" in capsys.readouterr().err


def parts(**columns: object) -> dict[str, list[str]]:
    """Return the columns of each part that a table is guessed to have."""
    guess = guess_of(as_table(columns))
    return {part: [c.name for c in profiles] for part, profiles in guess.parts.items()}


RNG = np.random.default_rng(5)
CELLS = [(m, q, r) for m in ("m1", "m2", "m3") for q in range(20) for r in range(3)]


def test_units_met_all_models_and_numbered_answers_are_repeats() -> None:
    """The truth: 20 questions of four topics, to each of which each of three models gave three answers."""
    scores = RNG.integers(1, 6, len(CELLS)).tolist()
    assert parts(
        Modell=[m for m, _, _ in CELLS],
        Frage=[f"Frage {q}" for _, q, _ in CELLS],
        Lauf=[r for _, _, r in CELLS],
        Antwort=scores,
    ) == {"source": ["Modell"], "unit": ["Frage"], "repeat": ["Lauf"], "value": ["Antwort"]}


def test_a_condition_that_units_met_is_no_part_of_the_unit() -> None:
    rows = [(m, q, c) for m in ("m1", "m2") for q in range(20) for c in ("plain", "polite", "rude")]
    assert parts(
        model=[m for m, _, _ in rows],
        scenario=[f"s{q:02d}" for _, q, _ in rows],
        tone=[c for _, _, c in rows],
        score=RNG.integers(1, 6, len(rows)).tolist(),
    ) == {"source": ["model"], "unit": ["scenario"], "condition": ["tone"], "value": ["score"]}


def test_wards_that_met_both_arms_are_no_units_of_a_trial() -> None:
    guessed = parts(
        person=[f"p{k:03d}" for k in range(80)],
        arm=[("control", "treatment")[k % 2] for k in range(80)],
        ward=[f"w{k // 8}" for k in range(80)],
        score=RNG.normal(size=80).round(2).tolist(),
    )
    assert (guessed["unit"], guessed["condition"]) == (["person"], ["arm"])


def test_sessions_of_judges_are_repeats_and_no_scale() -> None:
    rows = [(j, p, s) for j in range(8) for p in range(5) for s in (1, 2)]
    assert parts(
        Panelist=[f"j{j}" for j, _, _ in rows],
        Product=[f"p{p}" for _, p, _ in rows],
        Session=[s for _, _, s in rows],
        Sweetness=RNG.integers(1, 10, len(rows)).tolist(),
    ) == {
        "rater": ["Panelist"],
        "unit": ["Product"],
        "repeat": ["Session"],
        "value": ["Sweetness"],
    }


def test_numbered_teams_with_a_winner_are_duels_and_no_scale() -> None:
    teams = ["ash", "birch", "cedar", "elm"]
    pairs = [(a, b) for a in teams for b in teams if a != b] * 4
    guess = guess_of(
        as_table(
            {
                "team1": [a for a, _ in pairs],
                "team2": [b for _, b in pairs],
                "match_winner": [max(pair) if k % 3 else min(pair) for k, pair in enumerate(pairs)],
            }
        )
    )
    assert guess.duel == {"item_a": "team1", "item_b": "team2", "winner": "match_winner"}
    assert guess.scales == {}


def test_raters_in_columns_hold_the_values_where_nothing_else_does() -> None:
    columns = {name: RNG.integers(1, 5, 12).tolist() for name in ("coderA", "coderB", "coderC")}
    assert [*guess_of(as_table(columns)).scales] == [*columns]

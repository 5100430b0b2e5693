"""Logs of harnesses on the command line: what is compared without an option, and what is printed where it is not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from socialstats.cli import main
from tests.harness_logs.logs import dump_lines

WINNERS = ("model_1", "model_2", "tie")


def games(path: Path, **more: Any) -> Path:
    """Write judgments of pairs as FastChat does: two orders a line, and a prompt of its own for the second turn."""
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    rows = [
        {
            "question_id": 81 + k,
            "model_1": one,
            "model_2": two,
            "g1_winner": WINNERS[(k + turn) % 3],
            "g2_winner": WINNERS[(k * turn) % 3],
            "judge": ["gpt-4", "pair-v2" + "-multi-turn" * (turn - 1)],
            "turn": turn,
            "tstamp": 1.0,
        }
        for k in range(12)
        for one, two in pairs
        for turn in (1, 2)
    ]
    return dump_lines(path, [{**rows[0], **more}, *rows[1:]])


def test_games_of_two_turns_are_comparisons_with_questions_as_clusters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(games(tmp_path / "gpt-4_pair.jsonl"))]) == 0
    printed = capsys.readouterr().out
    assert "72 comparisons of 3 items" in printed  # a line with both orders is one game
    assert re.search(r"clusters +unit \(12\)", printed)
    assert re.search(r"studies +comparisons", printed)


def test_games_that_ended_in_an_error_are_left_out_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(games(tmp_path / "gpt-4_pair.jsonl", g2_winner="error"))]) == 0
    printed = capsys.readouterr().out
    assert "71 comparisons of 3 items" in printed
    assert "status is not 'ok': 1 (--where status=ok)" in printed


def test_ratings_of_two_turns_are_averaged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {
            "question_id": 81 + k,
            "model": model,
            "judge": ["gpt-4", "single-v1" + "-multi-turn" * (turn - 1)],
            "turn": turn,
            "score": 1 + (k * turn + len(model)) % 9,
        }
        for k in range(12)
        for model in ("a", "bb")
        for turn in (1, 2)
    ]
    assert main(["check", str(dump_lines(tmp_path / "gpt-4_single.jsonl", rows))]) == 0
    assert "answers averaged" in capsys.readouterr().out


def test_of_several_metrics_the_printed_choice_works(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {
            "doc_id": k,
            "doc": {"q": f"q{k}"},
            "target": "1",
            "resps": [],
            "filtered_resps": [],
            "model": model,
            "task": "ethics",
            "acc": (k + len(model)) % 2,
            "acc norm": k % 2,
        }
        for model in ("m", "mm")
        for k in range(20)
    ]
    path = dump_lines(tmp_path / "samples_ethics.jsonl", rows)
    assert main(["check", str(path)]) == 0
    told = capsys.readouterr().out
    assert (
        "each answer has several scores: 'acc' is analysed, and --where scorer=NAME takes 'acc norm'"
        in told
    )
    assert "scorer is not 'acc': 40 (--where scorer=acc)" in told
    assert main(["check", str(path), "--where", "scorer=acc norm"]) == 0
    assert "is analysed" not in capsys.readouterr().out

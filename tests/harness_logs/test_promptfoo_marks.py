"""A csv of promptfoo whose texts begin with a verdict: read by its content, one source for each column."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from socialstats.cli import main
from socialstats.errors import InputError
from socialstats.harness_logs import holds_log, read_log

HEAD = ["request", "[openai:gpt] polite.txt", "[ollama:llama] polite.txt"]
ROWS = [
    ["r1", "[PASS] Dear you, no.", "[FAIL] not polite\n---\nNo."],
    ["r2", "[ERROR] HTTP 500", "[PASS] I cannot."],
    ["r1", "[FAIL] not polite\n---\nNo.", ""],
    ["r3", "[PASS] Sorry, no.", "[PASS] Sorry."],
]


def written(path: Path, head: list[str], rows: list[list[str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])
    return path


def test_verdicts_are_scores_and_errors_are_none(tmp_path: Path) -> None:
    path = written(tmp_path / "out.csv", HEAD, ROWS)
    assert holds_log(path)
    log = read_log(path)
    assert (log.harness, set(log.rows["scorer"]), set(log.rows["filter"])) == (
        "promptfoo",
        {"pass"},
        {""},
    )
    values = [None if value != value else value for value in log.rows["value"]]
    assert [*log.rows["model"][:2]] == ["openai:gpt", "ollama:llama"]
    assert [*log.rows["unit"][::2]] == ["test 1", "test 2", "test 1", "test 3"]
    assert [*log.rows["epoch"][::2]] == ["1", "1", "2", "1"]
    assert values == [1.0, 0.0, None, 1.0, 0.0, None, 1.0, 1.0]
    assert [*log.rows["status"]] == ["ok", "ok", "error", "ok", "ok", "missing", "ok", "ok"]
    assert [*log.rows["answer"][:3]] == ["Dear you, no.", "not polite\n---\nNo.", "HTTP 500"]
    assert [*log.rows["request"][::2]] == ["r1", "r2", "r1", "r3"]
    assert "PASS is 1, FAIL is 0" in log.notes[0]


def test_a_provider_with_several_prompts_is_several_sources(tmp_path: Path) -> None:
    head = ["request", "[openai:gpt] warm", "[openai:gpt] cold"]
    log = read_log(written(tmp_path / "out.csv", head, ROWS))
    assert [*log.rows["model"].unique()] == head[1:]


def test_rows_without_variables_are_tests_of_their_own(tmp_path: Path) -> None:
    log = read_log(written(tmp_path / "out.csv", HEAD[1:], [row[1:] for row in ROWS]))
    assert log.rows["unit"].nunique() == 4


@pytest.mark.parametrize(
    ("head", "rows", "known"),
    [
        (["id", "a", "b"], [["1", "[PASS] x", "[FAIL] y"]], True),
        (["id", "[gpt] polite"], [["1", "[PASS] x"]], True),
        (["id", "log"], [["1", "[ERROR] x"]], False),
        (["id", "a", "b"], [["1", "[PASS] x", "[FAIL] y"], ["2", "fine", "[PASS] y"]], False),
        (["id", "a", "b"], [["1", "PASS", "FAIL"]], False),
        (["id", "a", "b"], [], False),
    ],
)
def test_only_columns_of_verdicts_are_known(
    head: list[str], rows: list[list[str]], known: bool, tmp_path: Path
) -> None:
    assert holds_log(written(tmp_path / "t.csv", head, rows)) is known


def test_a_record_of_another_length_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "out.csv", HEAD, [*ROWS, ["r4", "[PASS] x"]])
    with pytest.raises(InputError, match=r"out\.csv record 6: 2 fields where the header has 3"):
        read_log(path)


def test_a_report_compares_providers_on_the_same_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        [
            f"r{k}",
            f"[{'FAIL' if k % 4 == 0 else 'PASS'}] x",
            f"[{'PASS' if k % 3 == 0 else 'FAIL'}] y",
        ]
        for k in range(24)
    ]
    path = written(tmp_path / "out.csv", HEAD, [*rows, ["r24", "[ERROR] z", "[PASS] y"]])
    assert main(["check", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "49 ratings of 25 units by 2 raters" in printed
    assert "ollama:llama and openai:gpt" in printed

"""Tables beside the data on the command line and in a plan: labels of stories, groups of items; refusals and values."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from socialstats import datasets
from socialstats.cli import main

QUICK = ["--resamples", "100", "--no-verify", "-q", "-o"]


def choices(items: int = 8) -> pd.DataFrame:
    """Every pair of roles, four stories each: the more urgent one tends to be chosen, and so do some roles."""
    rng = np.random.default_rng(5)
    rows = []
    for i in range(items):
        for j in range(i + 1, items):
            for _ in range(4):
                ua, ub = (int(v) for v in rng.integers(1, 4, 2))
                won = rng.random() < 1 / (1 + np.exp(-0.9 * (ua - ub) - 0.25 * (i - j)))
                sides = (("family", "work")[i % 2], ("family", "work")[j % 2])
                rows.append((f"role {i}", f"role {j}", f"role {i if won else j}", ua, ub, *sides))
    names = ["item_a", "item_b", "winner", "urgency_a", "urgency_b", "domain_a", "domain_b"]
    return pd.DataFrame(rows, columns=names)


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of choices with values and refusals, labels of its stories, groups of its roles."""
    frame = choices()
    frame["why"] = np.where(np.arange(len(frame)) % 3, "care;duty", "power")
    frame.loc[::10, "winner"] = "refused"
    frame.to_csv(tmp_path / "choices.csv", index=False)
    datasets.role_conflict_labels().to_csv(tmp_path / "labels.csv", index=False)
    roles = [f"role {k}" for k in range(8)]
    pd.DataFrame({"role": roles, "gender": ["f", "m"] * 3 + ["", ""]}).to_csv(
        tmp_path / "roles.csv", index=False
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def blocks(page: Path) -> set[str]:
    from socialstats_reports import read_results

    return {block["id"] for block in read_results(page.read_text(encoding="utf-8"))["blocks"]}


WORDS = ["--map", "values=why", "--refusal", "refused"]


@pytest.mark.parametrize(
    ("word", "message"),
    [
        (
            "eqal",
            "weights = 'eqal' is neither a file nor a named set (paper, equal). Did you mean 'equal'? A file has",
        ),
        (
            "mine.csv",
            "weights = 'mine.csv' is neither a file nor a named set (paper, equal). A file has columns 'trait'",
        ),
    ],
)
def test_weights_that_are_no_file_name_what_there_is(
    word: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", "--example", "staged-values", "--weights", word, *QUICK, "p.html"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_all_tables_are_read_and_named_on_the_page(tables: Path) -> None:
    code = main(
        [
            "report",
            "choices.csv",
            *WORDS,
            "--label-check",
            "labels.csv",
            "--item-groups",
            "roles.csv",
            *QUICK,
            "p.html",
        ]
    )
    assert code == 0
    assert {"values-domain", "labels", "shares", "refusals-share", "refusals-s"} <= blocks(
        tables / "p.html"
    )
    text = (tables / "p.html").read_text(encoding="utf-8")
    assert "sha256 of the label check" in text
    assert "sha256 of the item groups" in text


@pytest.mark.slow
def test_a_plan_names_them_too_and_departures_are_listed(
    tables: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tables / "plan.toml").write_text(
        '[data]\nmap = {values = "why"}\nrefusal = "refused"\nlabel_check = "labels.csv"\nitem_groups = "roles.csv"\n'
    )
    assert main(["report", "choices.csv", "--plan", "plan.toml", *QUICK, "p.html"]) == 0
    assert {"labels", "shares", "values-domain"} <= blocks(tables / "p.html")
    (tables / "other.csv").write_text((tables / "roles.csv").read_text())
    assert (
        main(
            [
                "report",
                "choices.csv",
                "--plan",
                "plan.toml",
                "--item-groups",
                "other.csv",
                *QUICK,
                "q.html",
            ]
        )
        == 0
    )
    assert "item_groups: the plan says" in (tables / "q.html").read_text(encoding="utf-8").replace(
        "&#39;", "'"
    )


def test_a_study_without_such_a_table_refuses_it(
    tables: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(
        [
            "report",
            "choices.csv",
            *WORDS,
            "--study",
            "comparisons",
            "--label-check",
            "labels.csv",
            *QUICK,
            "p.html",
        ]
    )
    assert code == 2
    assert (
        "--label-check is for study role-conflict; this page is study comparisons"
        in capsys.readouterr().err
    )


def test_bad_labels_name_the_file_and_the_value(
    tables: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tables / "labels.csv"
    path.write_text(path.read_text().replace("Tie", "perhaps"))
    assert (
        main(["report", "choices.csv", *WORDS, "--label-check", "labels.csv", *QUICK, "p.html"])
        == 2
    )
    said = capsys.readouterr().err
    assert re.search(
        r"labels\.csv line \d+, column 'label': 'perhaps' is none of the levels .* \([\d,]+ rows: lines \d+, ",
        said,
    )


def test_init_writes_the_refusals_of_comparisons(
    tables: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "choices.csv", *WORDS]) == 0
    plan = capsys.readouterr().out
    assert '"values" = "why"' in plan
    assert "refused" in plan


@pytest.mark.slow
def test_the_example_has_its_labels_and_groups(tables: Path) -> None:
    assert main(["report", "--example", "role-conflict", "--json", "n.json", *QUICK, "p.html"]) == 0
    ids = {block["id"] for block in json.loads((tables / "n.json").read_text())["blocks"]}
    assert {"labels", "values-domain", "shares"} <= ids

"""Cells that a spreadsheet would run: guarded in every csv that is written, and the same labels once read."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.tables import files, read_table
from socialstats.tables.formula_cells import guarded, unguarded
from socialstats.tables.writing import put, put_rows, writing

FORMULAS = [
    "=1+1",
    "+x",
    "-y",
    "@z",
    "\tq",
    "\rq",
    '=HYPERLINK("http://x")',
    "\uff1da",
    "'=w",
    "''-w",
    "-1+2",
    "=",
    "-",
]
OTHERS = ["plain", "-0.5", "+3", "1e5", "'quoted'", "a=b", "it's", "'-0.5", " =x", "'"]
SIGNS = ("=", "+", "-", "@", "\t", "\r", "\uff1d")


def frame() -> pd.DataFrame:
    labels = [*FORMULAS, *OTHERS]
    return pd.DataFrame(
        {
            "=label": labels,
            "n": [k - 3.5 for k in range(len(labels))],
            "unit": [f"u{k}" for k in range(len(labels))],
        }
    )


def texts(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ","))


@pytest.mark.parametrize("label", [*FORMULAS, *OTHERS])
def test_what_is_guarded_is_read_as_it_was(label: str) -> None:
    assert unguarded(guarded(label)) == label
    assert guarded(label).startswith("'") == (label in FORMULAS or label.startswith("'"))


def test_numbers_are_no_formulas() -> None:
    assert guarded(-0.5) == -0.5
    assert guarded(None) is None
    assert [guarded(text) for text in ("-0.5", "+3", "-1e-7", "-.5")] == [
        "-0.5",
        "+3",
        "-1e-7",
        "-.5",
    ]


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
@pytest.mark.parametrize("writer", ["put", "put_rows"])
@pytest.mark.parametrize("lazy", [False, True])
def test_labels_come_back(
    suffix: str, writer: str, lazy: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, wanted = tmp_path / f"x.{suffix}", frame()
    if writer == "put":
        put(str(path), wanted, "csv" if suffix == "csv" else "tsv")
    else:
        put_rows(str(path), iter(wanted.to_dict("records")))
    header, *rows = texts(path)
    assert header[0] == "'=label"
    assert not any(row[0].startswith(SIGNS) for row in rows if row[0] not in OTHERS)
    assert [float(row[1]) for row in rows] == wanted[
        "n"
    ].tolist()  # negative numbers are written as such
    if lazy:
        monkeypatch.setattr(files, "MOST_BYTES", 0)
    found: Any = read_table(path)
    assert found.columns == ("=label", "n", "unit")
    assert found.texts("=label") == wanted["=label"].tolist()
    put(
        str(path), wanted, "csv" if suffix == "csv" else "tsv"
    )  # known as the same table, and replaced


def test_other_formats_and_the_option_leave_them(tmp_path: Path) -> None:
    wanted = frame()
    put(str(tmp_path / "x.jsonl"), wanted, "jsonl")
    put(str(tmp_path / "x.parquet"), wanted, "parquet")
    for name in ("x.jsonl", "x.parquet"):
        assert read_table(tmp_path / name).texts("=label") == wanted["=label"].tolist()
    with writing([], overwrite=False, keep_formulas=True):
        put(str(tmp_path / "x.csv"), wanted, "csv")
    assert [row[0] for row in texts(tmp_path / "x.csv")[1:]] == wanted["=label"].tolist()


def test_a_workbook_made_of_such_a_file_has_the_same_labels(tmp_path: Path) -> None:
    put(str(tmp_path / "x.csv"), frame(), "csv")
    book = openpyxl.Workbook()
    for k, row in enumerate(texts(tmp_path / "x.csv"), start=1):
        for j, text in enumerate(row, start=1):
            cell = book.active.cell(k, j, text)
            cell.data_type = "s"
    book.save(tmp_path / "x.xlsx")
    found = read_table(tmp_path / "x.xlsx")
    rest = [
        label for label in frame()["=label"] if label.isprintable()
    ]  # control characters do not last in a workbook
    assert [label for label in found.texts("=label") if label in rest] == rest


def votes(path: Path) -> Path:
    names = ["=a", "-b", "c"]
    rows = [
        (a, b, a if (i + j + k) % 3 else b)
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        for k in range(6)
        if a != b
    ]
    pd.DataFrame(rows, columns=["item_a", "item_b", "winner"]).to_csv(path, index=False)
    return path


def test_every_command_guards_its_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, joined = votes(tmp_path / "votes.csv"), tmp_path / "joined.csv"
    (tmp_path / "more.csv").write_text("item_a,@kind\n=a,=k\n-b,+k\nc,k\n")
    assert main(["estimate", "bradley_terry", str(path), "--format", "csv"]) == 0
    terms = [line.split(",")[0] for line in capsys.readouterr().out.splitlines()[1:]]
    assert {"'=a", "'-b", "c"} <= {*terms}
    assert main(["estimate", "bradley_terry", str(path), "--format", "csv", "--keep-formulas"]) == 0
    assert {"=a", "-b", "c"} <= {
        line.split(",")[0] for line in capsys.readouterr().out.splitlines()[1:]
    }
    assert (
        main(["join", str(path), str(tmp_path / "more.csv"), "--on", "item_a", "-o", str(joined)])
        == 0
    )
    header, *rows = texts(joined)
    assert header == ["item_a", "item_b", "winner", "'@kind"]
    assert {row[0] for row in rows} == {"'=a", "'-b", "c"}
    assert {row[3] for row in rows} == {"'=k", "'+k", "k"}
    assert {*read_table(joined).texts("item_a")} == {"=a", "-b", "c"}


@pytest.mark.slow
def test_a_table_of_a_page_is_guarded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, page = votes(tmp_path / "votes.csv"), tmp_path / "page.html"
    assert main(["report", str(path), "-o", str(page), "--no-verify", "-q"]) == 0
    capsys.readouterr()
    assert main(["show", str(page), "--table", "1", "--format", "csv"]) == 0
    terms = {line.split(",")[0] for line in capsys.readouterr().out.splitlines()[1:]}
    assert {"'=a", "'-b", "c"} <= terms
    assert main(["show", str(page), "--table", "1", "--format", "csv", "--keep-formulas"]) == 0
    assert {"=a", "-b", "c"} <= {
        line.split(",")[0] for line in capsys.readouterr().out.splitlines()[1:]
    }

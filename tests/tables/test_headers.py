"""First lines that hold data, names that repeat, and tables with very many columns."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.files import read_comparisons, read_ratings
from socialstats.errors import InputError
from socialstats.tables import as_table, read_table

NAME_THEM = "Add a first line that names the columns, such as unit,rater,value"


def refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_table(path)
    return str(caught.value)


def test_a_first_line_of_data_is_told_from_names_that_repeat(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("A,B,B\nB,A,B\nA,C,A\n")
    said = (
        "x.csv: the first line looks like data, not column names ('A' and 'B' occur again below). "
    )
    assert refused(path) == said + NAME_THEM
    path.write_text("3,4,4\n3,5,4\n1,2,3\n")
    assert refused(path).startswith("x.csv: the first line looks like data")
    path.write_text("unit,score,score\nu1,1,2\nu2,2,1\n")
    assert refused(path) == "x.csv: two columns are called 'score'. Rename one of them"
    path.write_text("unit,,\nu1,1,2\nu2,2,1\n")
    assert (
        refused(path)
        == "x.csv: 2 columns have no name. Name each of them. If the first line is a title, remove it"
    )
    path.write_text("unit,score,,\nu1,1,2,3\nu2,2,1,3\n")
    assert refused(path) == "x.csv: 2 columns have no name. Name each of them"


def test_a_table_that_fits_no_design_is_asked_for_its_header(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.csv"
    path.write_text("q1,ann,3\nq1,bob,4\nq2,ann,3\nq2,bob,2\n")
    assert main(["check", str(path)]) == 2
    said = "The first line may be data, not column names ('q1', 'ann' and '3' occur again below)"
    columns = "the columns fit no design (columns: q1, ann and 3)"
    assert capsys.readouterr().err == f"error: x.csv: {columns}. {said}. {NAME_THEM}\n"
    with pytest.raises(InputError, match="The first line may be data"):
        read_ratings(path)
    path.write_text("story,ann,bob\ns1,ann,2\ns2,3,4\n")
    assert main(["check", str(path)]) == 2
    assert "may be data" not in capsys.readouterr().err


def test_names_that_occur_as_values_are_names_where_the_table_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("A,B,winner\nA,B,A\nA,B,B\nB,A,A\n")
    assert read_comparisons(path).n_rows == 3


def wide(path: Path, columns: int, *named: str) -> Path:
    names = [*named, *(f"feature_{k}" for k in range(columns))]
    sides = ("p", "q", "p"), ("q", "p", "p"), ("p", "q", "q")
    rows = [[*row, *("1" for _ in range(columns))] if named else ["1"] * columns for row in sides]
    path.write_text("".join(",".join(row) + "\n" for row in (names, *rows)))
    return path


@pytest.mark.slow
def test_columns_are_found_among_twenty_thousand(tmp_path: Path) -> None:
    path = wide(tmp_path / "x.csv", 20_000, "item_a", "item_b", "winner")
    design = read_comparisons(path)
    assert (design.n_rows, design.items, design.covariates) == (3, ("p", "q"), {})
    assert main(["check", str(path)]) == 0


@pytest.mark.slow
def test_twenty_thousand_columns_that_fit_no_design_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(wide(tmp_path / "x.csv", 20_000))]) == 2
    assert "the columns fit no design" in capsys.readouterr().err


@pytest.mark.slow
def test_a_hundred_thousand_columns_are_a_table_on_its_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = (
        "it has more than 50,000 columns (limit 'columns'). Of its 100,000 columns keep those that are needed, or "
        "transpose it: a table has one row per observation and one column per variable. If that is meant, set "
        "SOCIALSTATS_LIMITS=columns=500000 in the environment"
    )
    path = wide(tmp_path / "x.csv", 100_000)
    for command in ("check", "report"):
        assert main([command, str(path)]) == 2
        assert capsys.readouterr().err == f"error: x.csv: {said}\n"
    (tmp_path / "x.json").write_text(json.dumps({f"c{k}": [1] for k in range(60_000)}))
    assert "Of its 60,000 columns keep those that are needed" in refused(tmp_path / "x.json")
    assert len(as_table({f"c{k}": [1] for k in range(60_000)}).columns) == 60_000


def test_a_wide_frame_reads_like_a_narrow_one() -> None:
    frame = pd.DataFrame(
        {
            "item_a": ["p", "q", "p"],
            "item_b": ["q", "p", "q"],
            "winner": ["p", "p", "q"],
            "mood_a": [1, 2, 3],
            "mood_b": [3, 2, 1],
        }
    )
    more = pd.concat(
        [frame, pd.DataFrame(1, index=frame.index, columns=[f"x{k}" for k in range(3_000)])], axis=1
    )
    narrow, many = Comparisons.from_frame(frame), Comparisons.from_frame(more)
    assert (
        (many.items, [*many.covariates])
        == (narrow.items, [*narrow.covariates])
        == (("p", "q"), ["mood"])
    )

"""Workbooks: one sheet, cells as a csv file would hold them, rows counted as the spreadsheet counts them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.designs.files import read_ratings
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.tables import read_table

HEAD = ["unit", "rater", "value"]
ROWS = [
    ["u1", "ann", 1],
    ["u1", "bob", 2],
    ["u2", "ann", 2],
    ["u2", "bob", 2],
    ["u3", "ann", 1],
    ["u3", "bob", 1],
]


def book(path: Path, sheets: Mapping[str, Sequence[Sequence[Any]]]) -> Path:
    made = openpyxl.Workbook()
    made.remove(made.worksheets[0])
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    made.save(path)
    return path


def refused(path: Path | str) -> str:
    with pytest.raises(InputError) as caught:
        read_table(path)
    return str(caught.value)


def columns(path: Path | str) -> dict[str, list[str]]:
    frame: Any = read_table(path).frame
    return {name: frame.get_column(name).to_list() for name in frame.columns}


def test_cells_are_text_as_a_csv_file_would_hold_it(tmp_path: Path) -> None:
    rows = [
        ["id", "n", "when", "flag", 2020],
        ["007", 3.0, datetime(2026, 1, 31), True, "NA"],
        ["a, b", 2.5, datetime(2026, 1, 31, 13, 30), False, None],
        ["nan", 1e20, date(2026, 2, 1), None, -0.25],
    ]
    expected = {
        "id": ["007", "a, b", "nan"],
        "n": ["3", "2.5", "100000000000000000000"],
        "when": ["2026-01-31", "2026-01-31 13:30:00", "2026-02-01"],
        "flag": ["TRUE", "FALSE", ""],
        "2020": ["NA", "", "-0.25"],
    }
    path = book(tmp_path / "x.xlsx", {"Data": rows, "Empty": []})
    assert columns(path) == expected
    pd.DataFrame(rows[1:], columns=rows[0]).to_excel(tmp_path / "x.ods", index=False, engine="odf")
    assert columns(tmp_path / "x.ods") == expected


def test_empty_rows_and_columns_around_a_table_are_no_part_of_it(tmp_path: Path) -> None:
    path = book(
        tmp_path / "x.xlsx",
        {
            "Data": [
                [],
                [],
                [None, *HEAD],
                *([None, *row] for row in ROWS[:2]),
                [],
                [None, *ROWS[2]],
            ]
        },
    )
    assert columns(path) == {
        "unit": ["u1", "u1", "u2"],
        "rater": ["ann", "bob", "ann"],
        "value": ["1", "2", "2"],
    }


def test_messages_count_rows_as_the_spreadsheet_does(tmp_path: Path) -> None:
    path = book(tmp_path / "x.xlsx", {"Data": [[], HEAD, *ROWS, [], ["u3", "bob", 2]]})
    with pytest.raises(InputError, match=r"x\.xlsx row 8"):
        read_ratings(path)


def test_several_sheets_are_listed_and_one_is_named_after_a_colon(tmp_path: Path) -> None:
    path = book(
        tmp_path / "x.xlsx", {"Notes": [["made by hand"]], "Data": [HEAD, *ROWS], "Empty": []}
    )
    assert refused(path) == (
        "x.xlsx: 2 sheets hold cells: 'Notes' and 'Data'. Name one of them after a colon, as in 'x.xlsx:Notes'"
    )
    assert read_ratings(f"{path}:Data").matrix().shape == (3, 2)
    assert read_table(f"{path}:Data").source == "x.xlsx:Data"
    assert (
        refused(f"{path}:data")
        == "x.xlsx:data: the workbook has no such sheet. Sheets: 'Notes', 'Data' and 'Empty'"
    )
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    assert "x.csv has no sheets" in refused(f"{tmp_path / 'x.csv'}:Data")


def test_a_sheet_of_many_rows_beside_notes_is_the_table(tmp_path: Path) -> None:
    data = [["id", "x"], *([k, k] for k in range(30))]
    path = book(tmp_path / "x.xlsx", {"Notes": [["About"], ["2025"]], "Data": data})
    table = read_table(path)
    assert table.height == 30
    assert table.entries == "the rows are those of the sheet 'Data', beside 'Notes'"


def test_columns_without_a_name_are_refused_but_for_row_names(tmp_path: Path) -> None:
    path = book(
        tmp_path / "x.xlsx", {"Data": [["unit", "ratings", None], ["u1", 1, 2], ["u2", 2, 2]]}
    )
    assert refused(path).startswith(
        "x.xlsx: cell C1 is empty, and its column holds values. Write the name of each"
    )
    pd.DataFrame(ROWS, columns=HEAD).to_excel(tmp_path / "index.xlsx")
    assert read_table(tmp_path / "index.xlsx").columns == ("", *HEAD)


def test_errors_and_formulas_without_their_values_are_named_by_their_cells(tmp_path: Path) -> None:
    made = openpyxl.load_workbook(book(tmp_path / "x.xlsx", {"Data": [HEAD, *ROWS]}))
    made["Data"]["C3"] = "#N/A"
    made["Data"]["C3"].data_type = "e"
    made["Data"]["C4"] = "=1+1"
    made.save(tmp_path / "x.xlsx")
    assert refused(tmp_path / "x.xlsx").split("\n") == [
        "x.xlsx: cell C3 holds an error (such as #N/A or #DIV/0!). Correct it, or empty it where a value is missing",
        "x.xlsx: cell C4 holds a formula without its value. Open the file in a spreadsheet program and save it there",
    ]


@pytest.mark.parametrize(
    "saved", [b'<c r="C4"><f>1+1</f><v>2</v></c>', b'<c r="C4" t="str"><f>""</f><v></v></c>']
)
def test_formulas_with_their_values_are_values(saved: bytes, tmp_path: Path) -> None:
    """As Excel writes them; a formula may well give empty text."""
    import re
    import zipfile

    made = openpyxl.load_workbook(book(tmp_path / "x.xlsx", {"Data": [HEAD, *ROWS]}))
    made["Data"]["C4"] = "=1+1"
    made.save(tmp_path / "x.xlsx")
    with (
        zipfile.ZipFile(tmp_path / "x.xlsx") as old,
        zipfile.ZipFile(tmp_path / "y.xlsx", "w") as new,
    ):
        for name in old.namelist():
            written = rb'<c r="C4"><f>1\+1</f><v(?: ?/>|></v>)</c>'  # with lxml installed openpyxl writes another form
            new.writestr(name, re.sub(written, lambda _: saved, old.read(name)))
    assert columns(tmp_path / "y.xlsx")["value"][2] == ("2" if b"<v>2" in saved else "")


def test_a_workbook_without_rows_has_nothing_to_analyse(tmp_path: Path) -> None:
    for sheets in ({"Data": []}, {"Data": [HEAD]}):
        with pytest.raises(NothingToAnalyse):
            read_table(book(tmp_path / "x.xlsx", sheets))


def test_a_sheet_is_checked_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = book(tmp_path / "x.xlsx", {"Notes": [["made by hand"]], "Data": [HEAD, *ROWS]})
    assert main(["check", f"{path}:Data"]) == 0
    assert "6 ratings of 3 units by 2 raters" in capsys.readouterr().out

"""Every message names the place, the value and the fix, with the lines of the file."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from socialstats.designs.comparisons import Comparisons
from socialstats.designs.files import read_comparisons
from socialstats.errors import DesignError, InputError, NothingToAnalyse

HEAD = "item_a,item_b,winner"


def messages(
    text: str | bytes, folder: Path, name: str = "choices.csv", **options: Any
) -> list[str]:
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as caught:
        read_comparisons(folder / name, **options)
    return str(caught.value).split("\n")


def frame_message(data: Any, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        Comparisons.from_frame(data, **options)
    return str(caught.value)


def test_an_unknown_winner_is_never_a_silent_tie(tmp_path: Path) -> None:
    text = f"{HEAD}\nx,y,x\nx,y,banana\nx,y,tie\ny,x,banana\n"
    assert messages(text, tmp_path) == [
        "choices.csv line 3, column 'winner': 'banana' is neither of the two items of its row nor a tie label "
        "('tie') (2 rows: lines 3, 5). Correct it, or declare it with tie='banana' if it means a tie, "
        "or with refusal='banana' if no choice was made"
    ]


def test_lines_are_the_files_lines(tmp_path: Path) -> None:
    """A comment, blank lines, white-space lines, quoted newlines, CRLF and a byte-order mark all count."""
    lines = [
        "# made by hand",
        "",
        "item_a,item_b,note,winner",
        'x,y,"two',
        'lines",x',
        "",
        "x,y,,z1",
        "   ",
        "x,y,,z2",
    ]
    for end in ("\n", "\r\n"):
        found = messages(b"\xef\xbb\xbf" + end.join(lines).encode(), tmp_path)
        assert [m.split(": ")[0] for m in found] == [
            "choices.csv line 7, column 'winner'",
            "choices.csv line 9, column 'winner'",
        ]


def test_a_bad_value_within_a_quoted_record_is_on_its_first_line(tmp_path: Path) -> None:
    assert messages(f'{HEAD}\nx,y,"ba\nna"\nx,y,x\n', tmp_path)[0].startswith(
        "choices.csv line 2, column 'winner': 'ba na' is neither"
    )


def test_a_winner_that_took_no_part_is_an_error(tmp_path: Path) -> None:
    (message,) = messages(f"{HEAD}\nx,y,x\ny,z,x\n", tmp_path)
    assert message.startswith(
        "choices.csv line 3, column 'winner': 'x' is neither of the two items of its row"
    )


def test_a_text_among_numbers_names_lines(tmp_path: Path) -> None:
    rows = ["x,y,x,1,2"] * 20
    for line in (6, 19):
        rows[line - 2] = "x,y,x,seven,2"
    assert messages(f"{HEAD},urgency_a,urgency_b\n" + "\n".join(rows), tmp_path) == [
        "choices.csv line 6, column 'urgency_a': 'seven' is not a number (2 rows: lines 6, 19). "
        "Correct it, or declare it with na='seven' if it means a missing value (covariate urgency)"
    ]
    declared = messages(
        f"{HEAD},urgency_a,urgency_b\n" + "\n".join(rows), tmp_path, allowed={"urgency": (1, 2, 3)}
    )
    assert declared == [
        "choices.csv line 6, column 'urgency_a': 'seven' is not 1, 2 or 3 (2 rows: lines 6, 19). "
        "Correct it, or allow it"
    ]


@pytest.mark.parametrize("value", ["inf", "-inf", "1e999", "1_000", "0x10", "١"])
def test_what_python_would_parse_is_not_always_a_number(value: str, tmp_path: Path) -> None:
    text = f"{HEAD},u_a,u_b\nx,y,x,1,2\nx,y,x,1,2\nx,y,x,{value},2\n"
    assert messages(text, tmp_path)[0].startswith(
        f"choices.csv line 4, column 'u_a': '{value}' is not a number"
    )


def test_a_missing_column_says_where_it_looked_and_what_would_help(tmp_path: Path) -> None:
    text = "scenario,left,rihgt,winner\n1,x,y,x\n"
    assert messages(text, tmp_path, item_a="left", item_b="right") == [
        "choices.csv: no column 'right' (asked for as item_b). Columns: scenario, left, rihgt and winner. "
        "Did you mean item_b='rihgt' ?"
    ]
    text = "item_a,right,winner\nx,y,x\n"
    assert messages(text, tmp_path) == [
        "choices.csv: no column for 'item_b' (looked for item_b, role_b, model_b, player_b, option_b, choice_b "
        "and 14 more). Columns: item_a, right and winner. Did you mean item_b='right' ?"
    ]
    message = frame_message({"item_a": ["x"], "item_bb": ["y"], "winner": ["x"]})
    assert message.endswith("Did you mean item_b='item_bb' ?")


def test_all_missing_columns_are_named_at_once(tmp_path: Path) -> None:
    found = messages("one,two\n1,2\n", tmp_path, by="modle", cluster="rater", weight="w")
    assert len(found) == 6
    with pytest.raises(DesignError):
        read_comparisons(tmp_path / "choices.csv")


def test_a_wrong_cluster_lists_columns_and_suggests(tmp_path: Path) -> None:
    assert messages(f"{HEAD},worker\nx,y,x,1\n", tmp_path, cluster="workr") == [
        "choices.csv: no column 'workr' (asked for as cluster). Columns: item_a, item_b, winner and worker. "
        "Did you mean cluster='worker' ?"
    ]


def test_missing_values_are_listed_or_counted(tmp_path: Path) -> None:
    text = f"{HEAD},rater\nx,y,x,1\nx,y,,1\nx,,y,\n,y,y,2\ny,x,x,2\n"
    assert messages(text, tmp_path, cluster="rater") == [
        f"choices.csv line {line}, column '{column}': the value is missing. "
        "Fill it in, or say missing='drop' (--missing drop) to leave such rows out"
        for line, column in ((5, "item_a"), (4, "item_b"), (4, "rater"), (3, "winner"))
    ]
    design = read_comparisons(tmp_path / "choices.csv", cluster="rater", missing="drop")
    assert [(step.label, step.rows) for step in design.flow] == [
        ("rows read", 5),
        ("no value in 'item_a'", 1),
        ("no value in 'item_b'", 1),
        ("no value in 'winner'", 1),
        ("rows analysed", 2),
    ]
    assert [c.code for c in design.cautions] == ["SS301"]
    assert design.n_rows == 2


def test_further_markers_of_missing_values_are_declared(tmp_path: Path) -> None:
    text = f"{HEAD}\nx,y,x\nx,y,refused\n"
    assert "'refused'" in messages(text, tmp_path)[0]
    design = read_comparisons(tmp_path / "choices.csv", na="refused", missing="drop")
    assert design.items == ("x", "y")
    assert design.flow[1].rows == 1
    assert messages(text, tmp_path, na="refused")[0].startswith(
        "choices.csv line 3, column 'winner': the value is"
    )


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("-1", "a weight is negative: -1."),
        ("inf", "a weight is not a finite number: inf."),
        ("", "the weight is missing."),
        ("two", "a weight is not a finite number: two."),
        ("-inf", "a weight is negative: -inf."),
        ("nan", "the weight is missing."),
    ],
)
def test_bad_weights_are_named_with_lines(value: str, message: str, tmp_path: Path) -> None:
    text = f"{HEAD},w\nx,y,x,1\nx,y,x,{value}\nx,y,y,0\n"
    (found,) = messages(text, tmp_path, weight="w")
    assert found.startswith(f"choices.csv line 3, column 'w': {message}")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (-1.0, "a weight is negative: -1."),
        (np.inf, "a weight is not a finite number: inf."),
        (np.nan, "the weight is missing."),
        (-np.inf, "a weight is negative: -inf."),
    ],
)
@pytest.mark.parametrize("engine", ["pandas", "polars"])
def test_bad_numeric_weights_are_named_with_rows(value: float, message: str, engine: str) -> None:
    data: Any = {
        "item_a": ["x"] * 3,
        "item_b": ["y"] * 3,
        "winner": ["x", "y", "x"],
        "w": [1.0, value, 0.0],
    }
    if engine == "polars":
        data = pytest.importorskip("polars").DataFrame(data)
    found = frame_message(data, weight="w")
    assert found.startswith(f"data frame row 1, column 'w': {message}")


def test_declared_markers_hold_for_weights_too(tmp_path: Path) -> None:
    text = f"{HEAD},w\nx,y,x,1\nx,y,y,none\n"
    assert (
        "line 3, column 'w': a weight is not a finite number"
        in messages(text, tmp_path, weight="w")[0]
    )
    assert (
        "line 3, column 'w': the weight is missing"
        in messages(text, tmp_path, weight="w", na="none")[0]
    )
    assert (
        read_comparisons(tmp_path / "choices.csv", weight="w", na="none", missing="drop").n_rows
        == 1
    )


def test_allowed_values_need_a_covariate() -> None:
    data = {"item_a": ["x"], "item_b": ["y"], "winner": ["x"]}
    assert (
        frame_message(data, allowed={"u": [1]})
        == "allowed= names 'u', which is no covariate. Covariates: none"
    )


def test_zero_weights_are_counted_and_all_zero_is_nothing() -> None:
    data = {"item_a": ["x", "x"], "item_b": ["y", "y"], "winner": ["x", "y"], "w": [0, 2]}
    design = Comparisons.from_frame(data, weight="w")
    assert (design.n_rows, design.weight.tolist(), design.weight_sq.tolist()) == (1, [2.0], [4.0])
    assert [(step.label, step.rows) for step in design.flow][1] == ("weight 0 in 'w'", 1)
    with pytest.raises(NothingToAnalyse, match=r"no row is left to analyse \(weight 0 in 'w': 2\)"):
        Comparisons.from_frame(data | {"w": [0, 0]}, weight="w")


def test_an_item_compared_with_itself_is_an_error(tmp_path: Path) -> None:
    (message,) = messages(f"{HEAD}\nx,y,x\ny,y,y\n", tmp_path)
    assert message == (
        "choices.csv line 3, column 'item_a': 'y' is compared with itself. Remove such rows, or correct one side"
    )


def test_an_item_called_like_a_tie_label_is_an_error(tmp_path: Path) -> None:
    (message,) = messages(f"{HEAD}\nx,y,x\ntie,y,y\n", tmp_path)
    assert message == (
        "choices.csv line 3: an item is called 'tie', which is also a tie label. Rename the item, or declare "
        "other tie labels with tie="
    )
    assert read_comparisons(tmp_path / "choices.csv", tie=()).items == ("tie", "x", "y")


def test_problems_of_all_kinds_come_together_up_to_twenty(tmp_path: Path) -> None:
    text = (
        f"{HEAD},u_a,u_b,w\n"
        + "x,y,x,1,2,1\n" * 9
        + "x,y,q,1,2,1\nx,x,x,1,2,1\nx,y,x,one,2,1\nx,,x,1,2,1\nx,y,x,1,2,-3\n"
    )
    found = messages(text, tmp_path, weight="w")
    assert [re.sub(r"choices.csv line (\d+).*", r"\1", m) for m in found] == [
        "14",
        "15",
        "12",
        "11",
        "13",
    ]
    many = f"{HEAD}\n" + "".join(f"x,y,bad{k}\n" for k in range(50))
    found = messages(many, tmp_path)
    assert len(found) == 6
    assert found[-1] == (
        "choices.csv line 4, column 'winner': 45 further values have the same problem "
        "(45 rows: lines 4, 5, 6, 7, 8, ...)"
    )


def test_ragged_rows_are_listed_with_lines(tmp_path: Path) -> None:
    text = f'{HEAD}\nx,y,x\n\nx,y\n"x\ny",y,y\nx,y,x,9\nx,y\nx,y,x,\nx,y,x,1,2\n'
    fix = "Quote fields that hold the delimiter, and write empty fields for missing values"
    assert messages(text, tmp_path) == [
        f"choices.csv line 4: 2 fields where the header has 3 (2 rows: lines 4, 8). {fix}",
        f"choices.csv line 7: 4 fields where the header has 3 (2 rows: lines 7, 9). {fix}",
        f"choices.csv line 10: 5 fields where the header has 3. {fix}",
    ]


@pytest.mark.parametrize("row", ["x,y,x,", "x,y,x,,", "x,y", "x,y,x,9"])
def test_one_ragged_row_is_found_wherever_it_is(row: str, tmp_path: Path) -> None:
    for position in range(3):
        rows = ["x,y,x", "y,x,y"]
        rows.insert(position, row)
        (message,) = messages("\n".join([HEAD, *rows, ""]), tmp_path)
        assert message.startswith(
            f"choices.csv line {position + 2}: {row.count(',') + 1} fields where"
        )


def test_repeated_column_names_are_refused(tmp_path: Path) -> None:
    (message,) = messages("item_a,item_b,winner,winner\nx,y,x,y\n", tmp_path)
    assert message == "choices.csv: two columns are called 'winner'. Rename one of them"


def test_an_open_quote_is_located(tmp_path: Path) -> None:
    (message,) = messages(f'{HEAD}\nx,y,x\nx,y,"x\ny,x,y\n', tmp_path)
    assert message.startswith("choices.csv line 3: a quoted field is opened and never closed")


def test_headers_in_capitals_or_with_blanks_are_recognised(tmp_path: Path) -> None:
    said = messages("ROLE_A,ROLE_B,Choice\nx,y,x\n", tmp_path)
    hints = ("item_a='ROLE_A'", "item_b='ROLE_B'", "winner='Choice'")
    for line, hint in zip(said, hints, strict=True):
        assert line.endswith(f"Did you mean {hint} ?")
    said = messages(" role_a , role_b ,winner\nx,y,x\n", tmp_path)
    for line, part in zip(said, ("a", "b"), strict=True):
        assert line.endswith(
            f"Remove the blanks around the names in the header, or say item_{part}=' role_{part} '"
        )


def test_no_label_is_suggested_for_itself(tmp_path: Path) -> None:
    said = messages(f"{HEAD}\nx,y,z\nz,y,z\n", tmp_path)
    assert "'z' is neither of the two items of its row" in said[0]
    assert "Did you mean" not in said[0]
    assert "Did you mean 'Z'? " in messages(f"{HEAD}\nx,y,z\nZ,y,Z\n", tmp_path)[0]


def test_workbooks_and_archives_are_called_what_they_are(tmp_path: Path) -> None:
    import zipfile

    archive_said = "this is a zip archive, which is not read. Unpack it and name the table in it"
    expected = {
        "xl/workbook.xml": "this is an Excel workbook, not a csv file. Let its name end in .xlsx, or say format='xlsx'",
        "word/document.xml": "this is a Word document, which is not read. Save the table as CSV (UTF-8)",
        "table.csv": archive_said,
    }
    for member, said in expected.items():
        with zipfile.ZipFile(tmp_path / "packed", "w") as archive:
            archive.writestr(member, HEAD)
        assert messages((tmp_path / "packed").read_bytes(), tmp_path) == [f"choices.csv: {said}"]
    (old,) = messages(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", tmp_path)
    assert old.startswith(
        "choices.csv: this is an old Excel workbook (.xls), or one with a password, which is not read."
    )
    assert messages(b"PK\x03\x04 torn", tmp_path) == [f"choices.csv: {archive_said}"]


def test_other_encodings_are_refused_with_line_and_column(tmp_path: Path) -> None:
    text = f"{HEAD}\nx,y,x\nmüller,y,y\n"
    fix = "Say which encoding the file has, such as encoding='windows-1250', or save it as UTF-8"
    assert messages(text.encode("cp850"), tmp_path) == [
        f"choices.csv line 3, column 'item_a': byte 0x81 is not UTF-8. {fix}"
    ]
    for place, line in ((HEAD, 1), ("müller", 3)):
        bad = text.replace(place, place[0] + "\0" + place[1:])
        assert messages(bad, tmp_path) == [
            f"choices.csv line {line}: a NUL character. The file may be UTF-16 or binary: save it as UTF-8 text"
        ]


def test_json_lines_that_are_no_objects_are_listed(tmp_path: Path) -> None:
    good = json.dumps({"item_a": "x", "item_b": "y", "winner": "x"})
    text = f'{good}\n\n{{"item_a": \n[1]\n{{"item_a": "x", "item_a": "y"}}\n{good}\n'
    assert messages(text, tmp_path, "c.jsonl") == [
        "c.jsonl line 3: not JSON (expecting value, character 1). Every line must be one JSON object",
        "c.jsonl line 4: a JSON list where an object is needed. Every line must be one JSON object",
        "c.jsonl line 5: not usable JSON (the key 'item_a' occurs twice). Every line must be one JSON object",
    ]
    bad = good.replace('"winner": "x"', '"winner": "q"')
    assert messages(f"{good}\n\n{bad}\n", tmp_path, "c.jsonl")[0].startswith(
        "c.jsonl line 3, column 'winner': 'q'"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"a": 1}, 3]', "c.json record 2: a JSON value is not a record."),
        ("3", "c.json: a JSON value is not a table."),
        (
            '{"item_a": ["x"], "item_b": "y"}',
            "c.json: 'item_b' is a JSON value, not a list of values.",
        ),
        (
            '{"item_a": ["x"], "item_b": []}',
            "c.json: the columns have different lengths (item_a 1, item_b 0)",
        ),
        (
            '{"a": 1}\n{"a": 2}',
            "c.json line 2: not JSON (extra data, character 1). Is it one object a line?",
        ),
        (
            '[{"item_a": "x", "item_b": "y", "winner": "x"}, {"item_a": "x", "item_b": "y", "winner": "q"}]',
            "c.json record 2, column 'winner': 'q' is neither",
        ),
    ],
)
def test_json_files_of_other_shapes_are_refused(text: str, message: str, tmp_path: Path) -> None:
    assert messages(text, tmp_path, "c.json")[0].startswith(message)


def test_files_that_are_not_there_or_not_what_they_say(tmp_path: Path) -> None:
    for path, pattern in (
        (tmp_path / "no.csv", "there is no such file"),
        (tmp_path, "this is a folder"),
    ):
        with pytest.raises(InputError, match=pattern):
            read_comparisons(path)
    (tmp_path / "x.parquet").write_bytes(b"no parquet")
    with pytest.raises(InputError, match=r"x\.parquet: this is not a parquet file"):
        read_comparisons(tmp_path / "x.parquet")
    (tmp_path / "x.csv.gz").write_bytes(b"\x1f\x8bno gzip at all")
    with pytest.raises(InputError, match=r"x\.csv\.gz: it cannot be read"):
        read_comparisons(tmp_path / "x.csv.gz")
    (tmp_path / "y.csv.gz").write_bytes(gzip.compress(f"{HEAD}\n{'x,y,x' * 9000}".encode())[:-20])
    with pytest.raises(InputError, match=r"y\.csv\.gz: it cannot be read"):
        read_comparisons(tmp_path / "y.csv.gz")
    damaged = gzip.compress(
        (f"{HEAD}\n" + "".join(f"x,y{k * k},x\n" for k in range(90000))).encode()
    )[:-20]
    (tmp_path / "z.csv.gz").write_bytes(damaged)
    with pytest.raises(InputError, match=r"z\.csv\.gz: the gzip file is damaged"):
        read_comparisons(tmp_path / "z.csv.gz")
    with pytest.raises(
        InputError, match=r"no format 'xls'\. Formats: csv, tsv, jsonl, json, parquet, feather"
    ):
        read_comparisons(tmp_path / "x.csv", format="xls")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["missing", "winner_coding"])
def test_options_list_what_is_allowed(name: str) -> None:
    data = {"item_a": ["x"], "item_b": ["y"], "winner": ["x"]}
    message = frame_message(data, **{name: "perhaps"})
    assert message.startswith(f"{name}='perhaps' is not an option. Choose from ")


def test_hostile_labels_are_shortened_and_made_printable(tmp_path: Path) -> None:
    label = "</script>\x1b[31m" + "x" * 300
    (message,) = messages(f'{HEAD}\nx,y,"{label}"\n', tmp_path)
    assert "\x1b" not in message
    assert "x" * 60 not in message
    assert len(message) < 350


def test_lazy_queries_say_how_many_rows_and_which_come_first() -> None:
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    query = duckdb.connect().sql(
        "select 'x' as item_a, 'y' as item_b, unnest(['q', 'q', 'x']) as winner"
    )
    message = frame_message(query)
    assert message.startswith("data frame row 0, column 'winner': 'q' is neither")
    assert "(2 rows: rows 0, 1)" in message
    pl = pytest.importorskip("polars")
    lazy = pl.LazyFrame({"item_a": ["x", "x"], "item_b": ["y", "y"], "winner": ["x", "q"]})
    assert frame_message(lazy).startswith("data frame row 1, column 'winner': 'q' is neither")


def test_rows_of_a_frame_are_positions() -> None:
    frame = pd.DataFrame(
        {"item_a": ["x", "x"], "item_b": ["y", "y"], "winner": ["x", "q"]}, index=[7, 9]
    )
    assert frame_message(frame).startswith("data frame row 1, column 'winner': 'q'")


@pytest.mark.parametrize("codes", [("1", "-1"), ("left", "right"), ("item_a", "item_b")])
@pytest.mark.parametrize("stray", ["banana", "x"])
def test_one_bad_order_among_codes_is_the_one_that_is_named(
    codes: tuple[str, str], stray: str, tmp_path: Path
) -> None:
    """All rows were blamed, since no pair of codes explains every value."""
    rows = [f"x,y,x,{codes[k % 2]}" for k in range(20)]
    rows[3] = rows[11] = f"y,z,z,{stray}"
    (message,) = messages(f"{HEAD},order\n" + "\n".join(rows), tmp_path)
    assert message.startswith(
        f"choices.csv line 5, column 'order': '{stray}' does not say which of the two items of its row was shown first "
        "(2 rows: lines 5, 13)."
    )


def test_an_order_whose_code_is_an_item_is_no_side(tmp_path: Path) -> None:
    found = messages(
        f"{HEAD},order\nleft,y,y,right\nleft,right,left,left\nleft,y,y,right\n", tmp_path
    )
    assert found[0].startswith("choices.csv line 2, column 'order': 'right' does not say")

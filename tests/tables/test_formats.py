"""Files of other programs: what is read, as what; and what is not read, with the way out."""

from __future__ import annotations

import datetime
import gzip
import io
import re
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from socialstats.cli import main
from socialstats.designs.files import read_paired, read_ratings
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.tables import Format, read_table
from socialstats.tables.formats import READ, UNREAD
from socialstats.tables.spss import UnreadableFile, _PlainValues

AGREE = {1: "disagree", 2: "rather not", 3: "undecided", 4: "rather", 5: "agree"}
CODES = pd.DataFrame(
    {
        "unit": ["u1", "u1", "u2", "u2", "u3", "u3"],
        "rater": [1.0, 2.0, 1.0, 2.0, 1.0, 2.0],
        "rating": [1.0, 2.0, 5.0, 4.0, 9.0, np.nan],
        "age": [31.0, np.nan, 40.0, 41.0, 31.0, 52.0],
    }
)


def refused(path: Path, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        read_table(path, **options)
    return str(caught.value)


def write(path: Path, labels: dict[str, Any], frame: pd.DataFrame = CODES, **options: Any) -> Path:
    if path.suffix == ".dta":
        frame.to_stata(path, value_labels=labels, write_index=False)
    else:
        pyreadstat.write_sav(frame, path, variable_value_labels=labels, **options)
    return path


def test_value_labels_are_ordered_levels_and_declared_missing_values_are_missing(
    tmp_path: Path,
) -> None:
    labels = {"rating": AGREE | {9: "refused to answer"}}
    path = write(
        tmp_path / "x.sav",
        labels,
        missing_ranges={"rating": [9]},
        variable_measure={"rating": "ordinal"},
    )
    design = read_ratings(path)
    assert (design.levels, design.scale, design.levels_declared) == (
        tuple(AGREE.values()),
        "ordinal",
        True,
    )
    assert design.raters == ("1", "2")
    assert design.matrix()[:2].tolist() == [[0.0, 1.0], [4.0, 3.0]]
    peer = pd.read_spss(path)["rating"].tolist()
    ours: Any = read_table(path).frame
    assert ours.get_column("rating").to_list() == peer


def test_a_file_that_crashes_its_library_ends_in_an_error(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x.sav", {"judge": {0: "first", 1: "second"}}, pd.DataFrame({"judge": [0, 1]})
    )
    data = bytearray(path.read_bytes())
    at = (
        data.index(b"JUDGE   ") - 20
    )  # the width of the variable: of texts, while its labels are those of numbers
    assert data[at] == 0
    data[at] = 2
    path.write_bytes(data)
    assert refused(path).startswith("x.sav: this is not an SPSS file, or it is damaged (")


def test_dates_and_times_of_spss_are_those_of_its_reader(tmp_path: Path) -> None:
    day, moment = datetime.date(2026, 1, 31), datetime.datetime(2026, 1, 31, 3, 4)
    frame = pd.DataFrame(
        {"day": [day, None], "moment": [moment, None], "time": [moment.time(), None]}
    )
    path = write(tmp_path / "x.sav", {}, frame)
    ours: Any = read_table(path).frame.to_native()
    peer = pyreadstat.read_sav(path)[0]
    assert ours.dtypes.tolist() == peer.dtypes.tolist()
    assert ours[:1].values.tolist() == peer[:1].values.tolist() == [[day, moment, moment.time()]]
    assert ours[1:].isna().all(axis=None)


def test_another_class_in_the_answer_of_the_process_is_refused() -> None:
    with pytest.raises(UnreadableFile, match=r"it returned 'posix\.system'"):
        _PlainValues(io.BytesIO(b"cposix\nsystem\n(Vtrue\ntR.")).load()


def test_labels_of_a_nominal_variable_have_no_order(tmp_path: Path) -> None:
    labels = {"rating": AGREE | {9: "none of these"}}
    path = write(tmp_path / "x.sav", labels, variable_measure={"rating": "nominal"})
    with pytest.raises(InputError, match="'disagree'"):
        read_ratings(path)
    assert len(read_ratings(path, scale="nominal").levels) == 5


def test_stata_labels_that_no_row_has_stay_levels(tmp_path: Path) -> None:
    frame = CODES.replace(9, np.nan)
    design = read_ratings(write(tmp_path / "x.dta", {"rating": AGREE}, frame))
    assert (design.levels, design.scale) == (tuple(AGREE.values()), "ordinal")
    peer = pd.read_stata(tmp_path / "x.dta")["rating"].tolist()
    ours: Any = read_table(tmp_path / "x.dta").frame
    assert ours.get_column("rating").to_list() == peer


@pytest.mark.parametrize("suffix", ["sav", "dta"])
def test_a_scale_with_labels_at_its_ends_has_no_declared_order(suffix: str, tmp_path: Path) -> None:
    frame = CODES.replace(9, 3)
    path = write(tmp_path / f"x.{suffix}", {"rating": {1: "never", 5: "always"}}, frame)
    values: Any = read_table(path).frame
    assert values.get_column("rating").to_list()[:5] == ["never", "2", "always", "4", "3"]
    with pytest.raises(
        InputError, match=rf"x\.{suffix} record 1, column 'rating': 'never' is not a finite number"
    ):
        read_ratings(path)
    assert read_ratings(path, levels=["never", 2, 3, 4, "always"]).matrix()[0].tolist() == [
        0.0,
        1.0,
    ]


@pytest.mark.parametrize("suffix", ["sav", "dta"])
def test_whole_numbers_with_gaps_stay_whole_and_unused_labels_change_nothing(
    suffix: str, tmp_path: Path
) -> None:
    path = write(tmp_path / f"x.{suffix}", {"age": {99: "no answer"}})
    design = read_ratings(path, value="age", scale="nominal")
    assert design.levels == ("31", "40", "41", "52")


def test_two_codes_with_one_label_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "x.sav", {"rating": {1: "yes", 2: "yes"}})
    assert (
        "column 'rating': codes 1 and 2 have the same label 'yes'. Give each code its own label"
        in refused(path)
    )


def test_labelled_conditions_are_subtracted_in_the_order_of_their_codes(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"unit": [1, 1, 2, 2], "condition": [1, 2, 1, 2], "value": [3.5, 1.0, 2.5, 2.0]}
    )
    design = read_paired(
        write(tmp_path / "x.dta", {"condition": {1: "treated", 2: "control"}}, frame)
    )
    assert design.conditions == ("treated", "control")
    assert (design.first - design.second).sum() == 3.0


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "x.csv",
            b"<!DOCTYPE html>\n<html><body>a,b</body>",
            "this is an HTML page, which is not read. Name the data",
        ),
        ("x.html", b"\n <table><tr><td>1</td></tr></table>", "this is an HTML page"),
        (
            "x.rds",
            gzip.compress(b"X\n\0\0\0\3\0\4\1\2", mtime=0),
            "this is an R data file, which is not read. In R",
        ),
        ("x.RData", b"\xfd7zXZ\0\0\4", "this is an R data file"),
        ("x.dat", gzip.compress(b"RDX3\nX\n\0\0\0\3", mtime=0), "this is an R data file"),
        ("x.sas7bdat", bytes(12) + b"\xc2\xea\x81\x60", "this is a SAS data set"),
        (
            "x.xls",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0",
            "this is an old Excel workbook (.xls), or one with a pass",
        ),
        ("x.pdf", b"%PDF-1.7\n%\xe2\xe3", "this is a PDF"),
        ("x.db", b"SQLite format 3\0\x10\0", "this is an SQLite database"),
        ("x.duckdb", b"\1\2\3\4\5\6\7\0DUCK", "this is a DuckDB database"),
        (
            "x.pkl",
            b"\x80\x05\x95\0\0",
            "this is a pickle, which is not read. In Python, pass the data frame itself",
        ),
        ("x.csv.bz2", b"BZh91AY&SY\0\1", "this is a file compressed with zstd, xz, bzip2 or 7z"),
        (
            "x.csv",
            b"$FL2@(#) SPSS DATA FILE \2\0\0\0",
            "this is an SPSS file, not a csv file. Let its name end in",
        ),
        ("x.csv", b"ARROW1\0\0\xff\xff", "this is a feather (Arrow) file, not a csv file"),
        (
            "x.tsv",
            b"<stata_dta><header><release>118</release><K>\1\0",
            "this is a Stata file, not a tsv file",
        ),
        ("x.json", b"PAR1\x15\4\x15", "this is a parquet file, not a json file"),
        ("x.sav", b"unit,rater,value\n", "this is not an SPSS file, or it is damaged ("),
        ("x.dta", b"unit,rater,value\n", "this is not a Stata file, or it is damaged ("),
        (
            "x.feather",
            b"unit,rater,value\n",
            "this is not a feather (Arrow) file, or it is damaged (",
        ),
        ("x.xlsx", b"unit,rater,value\n", "this is not an Excel workbook, or it is damaged ("),
        ("x.xlsx", b"PK\3\4 torn", "this is not an Excel workbook, or it is damaged ("),
        (
            "x.ods",
            b"unit,rater,value\n",
            "this is not an OpenDocument spreadsheet, or it is damaged (",
        ),
    ],
)
def test_files_are_called_what_they_are(
    name: str, content: bytes, said: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    assert refused(tmp_path / name).startswith(f"{name}: {said}")


@pytest.mark.parametrize("name", ["PAR1", "ORC", "RDA", "FEA1", "GIF8", "BZh", "ARROW1", "$FL2"])
def test_columns_that_are_called_like_the_mark_of_a_format_are_columns(
    name: str, tmp_path: Path
) -> None:
    for suffix in ("csv", "xls", "db"):
        (tmp_path / f"x.{suffix}").write_text(f"{name},b\n1,2\n")
        assert read_table(tmp_path / f"x.{suffix}").columns == (name, "b")


def test_utf16_text_is_read_whatever_its_name(tmp_path: Path) -> None:
    for name in ("x.csv", "x.xls", "x"):
        (tmp_path / name).write_bytes("a\tb\n1\t2\n".encode("utf-16"))
        assert read_table(tmp_path / name).columns == ("a", "b")


@pytest.mark.parametrize("suffix", ["sav", "dta", "feather", "xlsx", "ods", "parquet"])
def test_empty_files_and_tables_without_rows_have_nothing_to_analyse(
    suffix: str, tmp_path: Path
) -> None:
    path = tmp_path / f"x.{suffix}"
    path.write_bytes(b"")
    with pytest.raises(NothingToAnalyse, match="is empty"):
        read_table(path)
    none = CODES.iloc[:0]
    if suffix in ("sav", "dta"):
        write(path, {}, none)
    elif suffix in ("xlsx", "ods"):
        none.to_excel(path, index=False, engine="odf" if suffix == "ods" else "openpyxl")
    else:
        (none.to_feather if suffix == "feather" else none.to_parquet)(path)
    with pytest.raises(NothingToAnalyse, match="no rows"):
        read_table(path)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (
            "https://example.org/x.csv",
            "https://example.org/x.csv is a URL. Download it first: curl -LO https://exa",
        ),
        (
            Path("https://example.org/x.csv?raw=1"),
            "https://example.org/x.csv?raw=1 is a URL. Download it first: curl "
            "-LO 'https://example.org/x.csv?raw=1'",
        ),
        ("s3://bucket/x.parquet", "s3://bucket/x.parquet is a URL. Copy the file to this machine"),
    ],
)
def test_a_url_is_to_be_downloaded_first(url: Any, said: str) -> None:
    assert refused(url).startswith(said)


def test_no_suffix_stands_for_two_formats() -> None:
    suffixes = [suffix for kind in (*READ.values(), *UNREAD) for suffix in kind.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert set(READ) == set(get_args(Format))


def test_the_command_line_takes_every_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x").write_text("nothing of the kind\n")
    for name in get_args(Format):
        assert main(["check", str(tmp_path / "x"), "--input-format", name]) in (2, 3)
    with pytest.raises(SystemExit):
        main(["check", str(tmp_path / "x"), "--input-format", "xls"])
    offered = capsys.readouterr().err.partition("Choose from ")[2]
    assert re.findall(r"\w+", offered) == list(get_args(Format))

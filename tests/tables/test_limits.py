"""What is too large, endless or no file at all ends in an error that names the limit and the setting."""

from __future__ import annotations

import gzip
import io
import json
import os
import socket
import sys
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import openpyxl
import pytest

import socialstats as ss
from socialstats.cli import main
from socialstats.errors import InputError
from socialstats.tables import files, read_table, sources
from socialstats.tables.limits import LIMITS, VARIABLE, depth_of, limit

HEAD = "item_a,item_b,winner\n"
GOOD = HEAD + "x,y,x\ny,x,x\n"
posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")


def refused(path: Path | str) -> str:
    with pytest.raises(InputError) as caught:
        read_table(path)
    return str(caught.value)


def test_a_setting_changes_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, " rows=5 , bytes=1e12")
    assert (limit("rows"), limit("bytes"), limit("columns")) == (5, 1e12, LIMITS["columns"].default)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("row=5", "there is no limit 'row'. Did you mean 'rows'?"),
        ("rows", "'rows' sets no limit"),
        ("rows=many", "'rows=many' sets no limit. Write a number above 0"),
        ("rows=-1", "sets no limit"),
        ("rows=nan", "sets no limit"),
    ],
)
def test_a_wrong_setting_is_named(
    setting: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.csv").write_text(GOOD)
    monkeypatch.setenv(VARIABLE, setting)
    assert said in refused(tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("value", "depth"), [(1, 0), ([], 1), ({"a": [1, {"b": []}]}, 4), ([[]] * 3, 2)]
)
def test_depth(value: Any, depth: int) -> None:
    assert depth_of(value) == depth


def records(n: int) -> list[dict[str, int]]:
    return [{f"c{k}": k} for k in range(n)]


def sheet(path: Path, cells: dict[str, object]) -> None:
    book = openpyxl.Workbook()
    for place, value in cells.items():
        book.active[place] = value
    book.save(path)


def with_part(path: Path, part: str, content: str) -> None:
    """Replace a part of a workbook."""
    with zipfile.ZipFile(path) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in {**parts, part: content.encode()}.items():
            new.writestr(name, data)


ODS = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:'
    'names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body>'
    '<office:spreadsheet><table:table table:name="s">{}</table:table></office:spreadsheet></office:body>'
    "</office:document-content>"
)
ODS_CELL = '<table:table-cell office:value-type="string"{}><text:p>{}</text:p></table:table-cell>'


def spreadsheet(path: Path, rows: str) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("content.xml", ODS.format(rows))


def ods_row(*cells: str, times: int = 1) -> str:
    return (
        f'<table:table-row table:number-rows-repeated="{times}">{"".join(cells)}</table:table-row>'
    )


def ods_cell(text: str, times: int = 1) -> str:
    return ODS_CELL.format(f' table:number-columns-repeated="{times}"', text)


TOO_MUCH: dict[str, tuple[str, Callable[[Path], object]]] = {
    "lines.csv": ("length", lambda path: path.write_text(HEAD + "x" * 700_000 + "\n" * 10)),
    "name.csv": ("name", lambda path: path.write_text("x" * 700 + ",b\n1,2\n")),
    "wide.csv": (
        "columns",
        lambda path: path.write_text(",".join(f"c{k}" for k in range(200)) + "\n"),
    ),
    "fields.csv": ("columns", lambda path: path.write_text("a,b\n1,2" + "," * 200 + "\n")),
    "wide.jsonl": (
        "columns",
        lambda path: path.write_text(json.dumps({f"c{k}": k for k in range(200)})),
    ),
    "sparse.jsonl": (
        "cells",
        lambda path: path.write_text("\n".join(map(json.dumps, records(60)))),
    ),
    "sparse.json": ("cells", lambda path: path.write_text(json.dumps(records(60)))),
    "deep.json": ("depth", lambda path: path.write_text('[{"a": ' + "[" * 30 + "]" * 30 + "}]")),
    "deeper.jsonl": (
        "depth",
        lambda path: path.write_text('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}"),
    ),
    "packed.csv.gz": (
        "bytes",
        lambda path: path.write_bytes(
            gzip.compress(
                b"x,y\n" + b"\n".join(os.urandom(99).hex().encode() for _ in range(15_000))
            )
        ),
    ),
    "bomb.csv.gz": ("ratio", lambda path: path.write_bytes(gzip.compress(b"0" * 900_000))),
    "bomb.parquet.gz": (
        "ratio",
        lambda path: path.write_bytes(gzip.compress(b"PAR1" + bytes(900_000))),
    ),
    "cells.xlsx": ("cells", lambda path: sheet(path, {f"A{k}": k for k in range(1, 1200)})),
    "cells.ods": (
        "cells",
        lambda path: spreadsheet(path, ods_row(ods_cell("x"), times=1_000_000_000)),
    ),
    "columns.ods": (
        "columns",
        lambda path: spreadsheet(path, ods_row(ods_cell("x", times=1_000_000_000))),
    ),
}
SMALL = "length=400000,name=500,columns=100,cells=1000,depth=20,bytes=2000000,ratio=100"


@pytest.mark.parametrize("name", TOO_MUCH)
def test_what_is_too_large_names_limit_and_setting(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    which, write = TOO_MUCH[name]
    write(tmp_path / name)
    monkeypatch.setenv(VARIABLE, SMALL)
    monkeypatch.setattr(sources, "RATIO_FROM", 1 << 17)
    said = refused(tmp_path / name)
    assert said.startswith(name)
    assert f"(limit '{which}')" in said
    assert f"set {VARIABLE}={which}=" in said


@pytest.mark.parametrize("name", TOO_MUCH)
def test_a_pattern_of_files_has_the_same_limits(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    which, write = TOO_MUCH[name]
    for k in range(2):
        write(tmp_path / f"{k}{name}")
    monkeypatch.setenv(VARIABLE, SMALL)
    monkeypatch.setattr(sources, "RATIO_FROM", 1 << 17)
    assert f"(limit '{which}')" in refused(tmp_path / f"*{name}")


@pytest.mark.parametrize("name", ["packed.csv.gz", "bomb.csv.gz", "lines.csv"])
def test_files_that_stay_on_the_disk_have_limits(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    which, write = TOO_MUCH[name]
    write(tmp_path / name)
    monkeypatch.setenv(VARIABLE, SMALL)
    monkeypatch.setattr(sources, "RATIO_FROM", 1 << 17)
    monkeypatch.setattr(files, "MOST_BYTES", 0)
    assert f"(limit '{which}')" in refused(tmp_path / name)


def test_rows_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas as pd

    pd.DataFrame({"x": range(20)}).to_parquet(tmp_path / "x.parquet")
    pd.DataFrame({"x": range(20)}).to_feather(tmp_path / "x.feather")
    monkeypatch.setenv(VARIABLE, "rows=10")
    for name in ("x.parquet", "x.feather"):
        assert "it has more than 10 rows (limit 'rows')" in refused(tmp_path / name)
    monkeypatch.setattr(files, "MOST_ROWS", 0)
    assert "(limit 'rows')" in refused(tmp_path / "x.parquet")


def test_lines_that_duckdb_would_drop_are_read_by_our_own_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB 2.0 leaves out a last line of more than 32 MB without a word; here the bound is a smaller one."""
    path = tmp_path / "x.csv"
    path.write_text(GOOD + "z" * 600_000 + ",y,y\n")
    monkeypatch.setattr(files, "MOST_BYTES", 0)
    monkeypatch.setattr(files, "LONGEST_LINE", 300_000)
    assert read_table(path).height == 3


def test_a_sparse_file_is_refused_at_its_first_block(tmp_path: Path) -> None:
    with (tmp_path / "x.csv").open("wb") as file:
        file.write(GOOD.encode())
        file.truncate(1 << 38)
    assert refused(tmp_path / "x.csv").startswith("x.csv line 4: a NUL character")


def test_a_file_that_grows_ends_where_it_ended(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(GOOD)
    source = sources.from_path(path)
    with path.open("a") as file:
        file.write("z,y,y\n" * 1000)
    for opened in (source.open, source.seekable):
        with opened() as stream:
            assert stream.read() == GOOD.encode()


@posix
def test_a_pipe_that_nobody_writes_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "x.csv")
    monkeypatch.setenv(VARIABLE, "writer=0.1")
    assert refused(tmp_path / "x.csv").startswith(
        "x.csv: no program wrote to this pipe within 0.1 seconds (limit 'w"
    )


@posix
def test_a_pipe_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, stop = tmp_path / "x.csv", threading.Event()
    os.mkfifo(path)

    def write() -> None:
        with path.open("wb") as file:
            file.write(GOOD.encode())
            file.flush()
            stop.wait(20)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    monkeypatch.setenv(VARIABLE, "seconds=0.3")
    assert "it did not end within 0.3 seconds (limit 'seconds')" in refused(path)
    stop.set()
    thread.join(20)


@posix
def test_a_reader_says_what_it_waits_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "x.csv")
    monkeypatch.setenv(VARIABLE, "writer=0.2")
    monkeypatch.setattr(sources, "PATIENCE", 0.05)
    assert main(["check", str(tmp_path / "x.csv")]) == 2
    assert capsys.readouterr().err.startswith("waiting for data from x.csv, for ")


@posix
def test_a_stream_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    endless, end = os.pipe()
    monkeypatch.setenv(VARIABLE, "stream=300000")
    monkeypatch.setattr(sources, "IN_MEMORY", 100_000)

    def write() -> None:
        try:
            while True:
                os.write(end, b"x,y,x\n" * 1000)
        except BrokenPipeError:
            pass

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    with os.fdopen(endless, "rb") as stream:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stream))
        assert refused("-").startswith(
            "stdin: more than 300,000 bytes came, and no end (limit 'stream'). Write it to a"
        )
    thread.join(20)
    os.close(end)


def test_a_long_stream_is_kept_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    data = (HEAD + "x,y,x\n" * 50_000).encode()
    monkeypatch.setattr(sources, "IN_MEMORY", 1000)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    monkeypatch.setattr(files, "MOST_BYTES", 1000)
    table = read_table("-")
    assert (table.source, table.height, table.columns) == (
        "stdin",
        50_000,
        ("item_a", "item_b", "winner"),
    )


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such devices")
@pytest.mark.parametrize(
    ("name", "said"), [("/dev/zero", "this is a device"), ("/dev/full", "this is a device")]
)
def test_devices_hold_no_table(name: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said in refused(name)
    assert main(["check", name]) == 2
    assert said in capsys.readouterr().err


@posix
def test_sockets_hold_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # their paths are short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("x.csv")
        assert "this is a socket, not a file" in refused("x.csv")


def test_loops_of_links(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert refused(tmp_path / "a").startswith(
        "a: it cannot be read (too many levels of symbolic links"
    )
    assert "links stand for files that are not there" in refused(tmp_path)
    for command in (
        ["check"],
        ["report", "-o", str(tmp_path / "x.html")],
        ["validate"],
        ["audit"],
        ["convert"],
    ):
        assert main([*command, str(tmp_path / "a")]) == 2
        assert "a: " in capsys.readouterr().err


@pytest.mark.parametrize("pattern", ["", "**/*.csv"])
def test_links_to_folders_above_are_not_followed(pattern: str, tmp_path: Path) -> None:
    for name in ("up", "here"):
        (tmp_path / name).symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "x.csv").write_text(GOOD)
    assert read_table(tmp_path / pattern).height == 2


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything"
)
def test_files_without_permission(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(GOOD)
    (tmp_path / "x.csv").chmod(0)
    assert refused(tmp_path / "x.csv").startswith("x.csv: it cannot be read (permission denied)")


def test_names_are_shown_on_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "two\nlines\x1b[31m.csv"
    path.write_text("a,b\n1\n")
    assert main(["check", str(path)]) == 2
    error = capsys.readouterr().err
    assert "\x1b" not in error
    assert error.startswith("error: two lines [31m.csv line 2")
    assert len(error.splitlines()) == 1


def test_memory_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.csv"
    path.write_text(GOOD)

    def none(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(files, "read_source", none)
    assert (
        refused(path)
        .split("/")[-1]
        .startswith("x.csv: there is not enough memory to read it as a whole")
    )
    monkeypatch.undo()
    monkeypatch.setattr("socialstats.cli.analysis.prepare", none)
    assert main(["check", str(path)]) == 2
    assert capsys.readouterr().err.startswith("error: there is not enough memory")


def test_entities_and_far_cells_of_a_workbook(tmp_path: Path) -> None:
    path, part = tmp_path / "x.xlsx", "xl/worksheets/sheet1.xml"
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    made = f'<worksheet xmlns="{space}"><sheetData>{{}}</sheetData></worksheet>'
    text = '<row r="{0}"><c r="{1}{0}" t="inlineStr"><is><t>{2}</t></is></c></row>'.format
    sheet(path, {"A1": 1})
    with_part(path, part, '<!DOCTYPE x [<!ENTITY l "lol">]>' + made.format(text(1, "A", "&l;")))
    assert "its XML declares the entity 'l', which no workbook needs" in refused(path)
    with_part(path, part, made.format(text(1, "A", "unit") + text(99999999999, "A", "u1")))
    assert read_table(path).texts("unit") == ["u1"]
    with_part(path, part, made.format(text(1, "A", "unit") + text(2, "XFD", "far")))
    assert refused(path).startswith("x.xlsx: cell XFD1 is empty, and its column holds values")
    spaces = '<table:table-cell><text:p><text:s text:c="900000000"/></text:p></table:table-cell>'
    spreadsheet(tmp_path / "x.ods", ods_row(ods_cell("unit"), spaces))
    assert "a cell with 900,000,000 spaces" in refused(tmp_path / "x.ods")


def test_more_rows_than_a_worksheet_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows without numbers pack to a thousandth: a workbook of 150 kB would take a minute."""
    monkeypatch.setattr("socialstats.tables.workbooks.MOST_ROWS", 30)
    path = tmp_path / "x.xlsx"
    sheet(path, {f"A{k}": k for k in range(1, 31)})
    assert len(read_table(path).texts("1")) == 29
    sheet(path, {f"A{k}": k for k in range(1, 32)})
    assert refused(path).startswith("x.xlsx: it has more rows than a worksheet holds, 30. ")


@pytest.mark.parametrize("letter", ["x", "é", "\t"])
def test_a_value_of_millions_of_characters_is_told_in_seconds(letter: str, tmp_path: Path) -> None:
    """The words of a label are looked at only where it may be a phrase; a message shows its beginning."""
    said = []

    def counted(name: str) -> str:
        said.append(len(name))
        return name

    path = tmp_path / "x.csv"
    path.write_text(f"item_a,item_b,winner\nx,y,{letter * 2_000_000}\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("socialstats.designs.winners.without_accents", counted)
        with pytest.raises(InputError) as caught:
            ss.read_comparisons(path)
    assert len(str(caught.value)) < 1_000
    assert max(said, default=0) <= 1_000

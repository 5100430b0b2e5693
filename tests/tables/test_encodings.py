"""Texts in other encodings: read as what they are, with a note, or refused with line and column; never garbled."""

from __future__ import annotations

import gc
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

import socialstats as ss
from socialstats.cli import main
from socialstats.errors import InputError
from socialstats.tables import read_table, sources

ROWS = [
    ("Köln", "Zürich"),
    ("Zürich", "Besançon"),
    ("Besançon", "Köln"),
    ("Málaga", "Köln"),
    ("Köln", "Málaga"),
]
TEXT = "item_a,item_b,winner\n" + "".join(f"{a},{b},{a}\n" for a, b in ROWS)
ITEMS = ("Besançon", "Köln", "Málaga", "Zürich")
GUESSED = pytest.mark.filterwarnings("ignore:.*read as Windows-1252:UnicodeWarning")
NOTE = "not UTF-8, and read as Windows-1252, such as 'Köln', 'Zürich' and 'Besançon'"
FIX = "Say which encoding the file has, such as encoding='windows-1250', or save it as UTF-8"


def written(path: Path, text: str, encoding: str) -> Path:
    """Write a text in some encoding."""
    path.write_bytes(text.encode(encoding))
    return path


@GUESSED
@pytest.mark.parametrize(
    ("encoding", "note"), [("utf-8", ""), ("cp1252", NOTE), ("utf-16", "read as UTF-16")]
)
def test_western_and_marked_encodings_are_read_with_a_note(
    encoding: str, note: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "x.csv", TEXT, encoding)
    table = read_table(path)
    assert table.encoding == note
    design = ss.read_comparisons(path)
    assert design.items == ITEMS
    assert design.flow[0].note == "; ".join(filter(None, ["x.csv", note]))
    packed = tmp_path / "y.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert ss.read_comparisons(packed).items == ITEMS
    assert table.sha256 is not None
    assert read_table(packed).encoding == note


@GUESSED
@pytest.mark.parametrize("suffix", ["json", "jsonl"])
@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_json_in_other_encodings(suffix: str, encoding: str, tmp_path: Path) -> None:
    rows = [
        json.dumps({"item_a": a, "item_b": b, "winner": a}, ensure_ascii=False) for a, b in ROWS
    ]
    text = "\n".join(rows) if suffix == "jsonl" else f"[{','.join(rows)}]"
    assert ss.read_comparisons(written(tmp_path / f"x.{suffix}", text, encoding)).items == ITEMS


@GUESSED
def test_a_semicolon_file_of_excel_keeps_decimal_commas_and_lines(tmp_path: Path) -> None:
    text = "Straße;größe\nÄußere;1,5\nÄußere;2,5\nMüller;2,5\n"
    path = written(tmp_path / "x.csv", text, "cp1252")
    table = read_table(path)
    assert (table.columns, table.decimal_commas, table.texts("Straße")[0]) == (
        ("Straße", "größe"),
        ("größe",),
        "Äußere",
    )
    assert table.places([2]) == {2: 4}
    ragged = written(tmp_path / "y.csv", text + "é\n", "cp1252")
    with pytest.raises(InputError, match=r"y\.csv line 5: 1 field where the header has 2"):
        read_table(ragged)


FOREIGN = {
    "cp1251": ("Москва", "Париж"),
    "cp1253": ("Αθήνα", "Πάτρα"),
    "shift-jis": ("東京", "大阪"),
    "gb18030": ("北京市", "上海市"),
    "cp850": ("Köln", "Zürich"),
    "mac-roman": ("Köln", "Zürich"),
    "cp1250": ("Łódź", "Wałbrzych"),
}


@pytest.mark.parametrize("encoding", FOREIGN)
def test_other_encodings_are_never_guessed_and_are_read_by_name(
    encoding: str, tmp_path: Path
) -> None:
    a, b = FOREIGN[encoding]
    path = written(
        tmp_path / "x.csv", "item_a,item_b,winner\nx,y,x\n" + f"{a},{b},{a}\n" * 2, encoding
    )
    byte = next(byte for byte in a.encode(encoding) + b.encode(encoding) if byte > 127)
    with pytest.raises(InputError) as caught:
        read_table(path)
    assert (
        str(caught.value) == f"x.csv line 3, column 'item_a': byte 0x{byte:02x} is not UTF-8. {FIX}"
    )
    found = read_table(path, encoding=encoding)
    assert (found.texts("item_b")[1], found.encoding) == (b, f"read as {encoding}")


def test_utf8_with_a_broken_letter_is_no_windows_1252(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(TEXT.encode() + "é,x,x\n".encode("cp1252"))
    with pytest.raises(
        InputError, match=r"x\.csv line 7, column 'item_a': byte 0xe9 is not UTF-8\. Say"
    ):
        read_table(path)


def test_json_with_bytes_of_no_known_encoding_names_its_line(tmp_path: Path) -> None:
    text = "".join(f'{{"item_a": "{a}", "item_b": "x", "winner": "x"}}\n' for a in ("b", "Łódź"))
    with pytest.raises(InputError) as caught:
        read_table(written(tmp_path / "x.jsonl", text, "cp1250"))
    assert str(caught.value) == f"x.jsonl line 2: byte 0xa3 is not UTF-8. {FIX}"


def test_bytes_that_an_asked_encoding_lacks_and_names_of_none(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", TEXT, "cp1252")
    with pytest.raises(InputError, match=r"line 2, column 'item_a': byte 0xf6 is not ascii\."):
        read_table(path, encoding="ascii")
    with pytest.raises(InputError, match=r"byte 0xf6 is not utf-8\. Save it as UTF-8"):
        read_table(path, encoding="utf-8")
    with pytest.raises(
        InputError, match=r"x\.csv: it cannot be read \(utf-16 stream does not start with bom\)"
    ):
        read_table(path, encoding="utf-16")
    for name in ("klingon", "base64"):
        with pytest.raises(InputError, match=f"encoding='{name}' is no encoding"):
            read_table(path, encoding=name)


def test_formats_that_say_their_encoding_take_none(tmp_path: Path) -> None:
    import pandas as pd

    pd.DataFrame({"x": ["a"]}).to_parquet(tmp_path / "x.parquet")
    with pytest.raises(
        InputError, match=r"a parquet file says its encoding itself\. Leave out encoding='cp1252'"
    ):
        read_table(tmp_path / "x.parquet", encoding="cp1252")
    with pytest.raises(
        InputError, match=r"encoding='cp1252' says what a file holds, and a dict is no file"
    ):
        ss.read_comparisons({"item_a": ["x"]}, encoding="cp1252")


@GUESSED
def test_several_files_each_in_its_encoding(tmp_path: Path) -> None:
    for name, encoding in (("a", "utf-8"), ("b", "cp1252"), ("c", "utf-16")):
        written(tmp_path / f"{name}.csv", TEXT, encoding)
    written(tmp_path / "d.csv", "item_a,item_b,winner\n", "utf-8")
    table = read_table(tmp_path)
    assert {*table.texts("item_a")} == {*ITEMS}
    assert table.encoding == f"b.csv {NOTE}; c.csv read as UTF-16"


def test_every_door_takes_an_encoding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "item_a,item_b,winner\n" + "Łódź,Kraków,Łódź\nŁódź,Kraków,Kraków\n" * 9
    path = str(written(tmp_path / "x.csv", rows, "cp1250"))
    assert ss.win_rates(path, encoding="cp1250").tidy()["term"].tolist()[:2] == ["Kraków", "Łódź"]
    assert ss.Comparisons.from_file(path, encoding="cp1250").items == ("Kraków", "Łódź")
    assert main(["check", path, "--encoding", "cp1250"]) == 0
    said = capsys.readouterr().out
    assert "(x.csv; read as cp1250)" in said
    assert (
        main(["estimate", "win_rates", path, "--encoding", "cp1250", "--where", "winner=Łódź"]) == 0
    )
    assert "Łódź" in capsys.readouterr().out
    plan: dict[str, Any] = {"utf-8": 2, "cp1250": 0}
    for encoding, code in plan.items():
        (tmp_path / "plan.toml").write_text(f'[data]\nencoding = "{encoding}"\n')
        assert main(["check", path, "--plan", str(tmp_path / "plan.toml")]) == code
    assert main(["init", path, "--encoding", "cp1250"]) == 0
    assert 'encoding = "cp1250"' in capsys.readouterr().out
    assert main(["check", path]) == 2
    assert "--encoding windows-1250" in capsys.readouterr().err


def test_a_guess_is_a_note_on_the_command_line_and_a_warning_in_python(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "x.csv", TEXT, "cp1252")
    with pytest.warns(UnicodeWarning, match=f"x.csv: {NOTE}"):
        ss.join(path, {"item_a": ["Köln"], "land": ["DE"]}, "item_a", columns=["land"])
    for command in (
        ["check"],
        ["join", "--rows", str(written(tmp_path / "y.csv", TEXT, "utf-8"))],
        ["estimate", "win_rates"],
    ):
        assert main([*command, str(path)]) == 0
        assert f"note: x.csv: {NOTE}\n" in capsys.readouterr().err


@GUESSED
@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_a_long_stream_stays_readable_in_its_encoding(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "IN_MEMORY", 16)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode(encoding))))
    table = read_table("-")
    gc.collect()
    assert table.texts("item_a")[0] == "Köln"
    assert table.places([3]) == {3: 5}


def test_a_decimal_point_among_commas_is_what_is_wrong(tmp_path: Path) -> None:
    rows = [f"t{k};{'AB'[j]};{k % 4 + 1},{k % 7 + 1}{j + 1}" for k in range(12) for j in range(2)]
    rows[4] = "t2;A;4.96"
    path = tmp_path / "points.csv"
    path.write_text("\n".join(["Text;rater;Stärke", *rows]), encoding="utf-8")
    with pytest.raises(ss.InputError) as raised:
        ss.mean_ratings(str(path), unit="Text", rater="rater", value="Stärke", scale="interval")
    (problem,) = raised.value.problems
    assert problem.lines == (6,)
    assert "'4.96'" in problem.message
    assert "with a comma" in problem.fix

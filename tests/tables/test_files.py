"""Folders, patterns and large files: the table is that of one file, and errors name file and row."""

from __future__ import annotations

import gc
import gzip
import hashlib
import importlib.util
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.tables import files, read_table

COLUMNS = {"item_a": "a", "item_b": "b", "winner": "winner"}
HOSTILE = ["007", "1e5", "True", 'say "hi"', "two\nlines", "a,b", " x", "ü", "x'y"]
BAD = (6, 17)  # file and row of the bad row


def votes(n: int = 400, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, len(HOSTILE), n)
    b = (a + 1 + rng.integers(0, len(HOSTILE) - 1, n)) % len(HOSTILE)
    names = np.array(HOSTILE, dtype=object)
    winner = np.where(rng.random(n) < 0.2, "tie", np.where(rng.random(n) < 0.6, names[a], names[b]))
    return pd.DataFrame(
        {
            "a": names[a],
            "b": names[b],
            "winner": winner,
            "judge": rng.integers(0, 20, n),
            "team": np.where(rng.random(n) < 0.05, "", "t" + names[a]),
        }
    )


def to_csv(frame: pd.DataFrame, path: Path) -> None:
    frame.to_csv(path, index=False)


def to_gzip(frame: pd.DataFrame, path: Path) -> None:
    path.write_bytes(
        gzip.compress(("# a comment\n\n" + frame.to_csv(index=False, sep=";")).encode())
    )


def to_parquet(frame: pd.DataFrame, path: Path) -> None:
    frame.to_parquet(path, index=False)


WRITERS = {"csv": to_csv, "csv.gz": to_gzip, "parquet": to_parquet}


@pytest.fixture(params=["in memory", "scanned", "without DuckDB"])
def how(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    found = importlib.util.find_spec
    if request.param == "scanned":
        monkeypatch.setattr(files, "MOST_ROWS", 0)
        monkeypatch.setattr(files, "MOST_BYTES", 0)
    elif request.param == "without DuckDB":
        monkeypatch.setattr(
            importlib.util, "find_spec", lambda name: None if name == "duckdb" else found(name)
        )
    return str(request.param)


def ten(folder: Path, suffix: str, bad: bool = False) -> pd.DataFrame:
    """Write ten files, one of them with a bad row, and files that are none of the table's; return all rows."""
    parts = [votes(40, seed=k) for k in range(10)]
    if bad:
        parts[BAD[0]].loc[BAD[1], "winner"] = "nobody"
    for k, part in enumerate(parts):
        WRITERS[suffix](part, folder / f"part-{k:02d}.{suffix}")
    (folder / "_SUCCESS").touch()
    for name in (".part.crc", f"part-00.{suffix}.crc", ".DS_Store"):
        (folder / name).write_bytes(b"\0")
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("named", ["{}", "{}/*"])
def test_several_files_are_one_table(suffix: str, named: str, how: str, tmp_path: Path) -> None:
    whole = ten(tmp_path, suffix)
    table = read_table(named.format(tmp_path))
    assert isinstance(table.frame, nw.LazyFrame) == (how == "scanned")
    assert table.columns == tuple(whole.columns)
    lines = (
        f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.name}\n"
        for p in sorted(tmp_path.glob(f"part*.{suffix}"))
    )
    assert table.sha256 is not None
    assert table.sha256() == hashlib.sha256("".join(lines).encode()).hexdigest()
    found, wanted = (
        ss.Comparisons.from_frame(t, **COLUMNS, by="team", missing="drop").table()
        for t in (table, whole)
    )
    pd.testing.assert_frame_equal(
        *(t.sort_values([*t.columns], ignore_index=True) for t in (found, wanted))
    )


def test_the_checksum_is_the_one_of_a_shell(tmp_path: Path) -> None:
    ten(tmp_path, "csv")
    said = subprocess.run(
        "sha256sum part-*.csv | sha256sum",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    digest = read_table(tmp_path).sha256
    assert digest is not None
    assert said.stdout.decode().split()[0] == digest()


@pytest.mark.parametrize("suffix", WRITERS)
def test_an_error_names_file_and_row(suffix: str, how: str, tmp_path: Path) -> None:
    ten(tmp_path, suffix, bad=True)
    line = BAD[1] if suffix == "parquet" else None
    with pytest.raises(InputError) as caught:
        ss.read_comparisons(tmp_path, **COLUMNS)
    (problem,) = caught.value.problems
    assert (problem.lines[0].file, problem.n_rows) == (f"part-06.{suffix}", 1)  # type: ignore[attr-defined]
    if line is None:
        read = (gzip.open if suffix.endswith("gz") else open)(
            tmp_path / f"part-06.{suffix}", "rt", newline=""
        )
        with read as text:
            line = next(k for k, row in enumerate(text, start=1) if "nobody" in row)
            text.seek(0)
            record = "".join([*text][: line - 1])
        line -= record.count("two\n") % 2  # the record may begin on the line before
    assert str(caught.value).startswith(
        f"part-06.{suffix} {problem.unit} {line}, column 'winner': 'nobody' is"
    )


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_large_file_stays_where_it_is(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = votes(300)
    whole.loc[[4, 250], "winner"] = "nobody"
    path = tmp_path / f"votes.{suffix}"
    WRITERS[suffix](whole, path)
    small = read_table(path)
    monkeypatch.setattr(files, "MOST_ROWS", 299)
    monkeypatch.setattr(files, "MOST_BYTES", 2000)
    lazy = read_table(path)
    assert isinstance(lazy.frame, nw.LazyFrame)
    assert (lazy.source, lazy.unit, lazy.height) == (small.source, small.unit, 300)
    assert small.sha256 is not None
    assert lazy.sha256 is not None
    assert lazy.sha256() == small.sha256()
    said = []
    for table in (small, lazy):
        with pytest.raises(InputError) as caught:
            ss.Comparisons.from_frame(table, **COLUMNS)
        said.append(str(caught.value))
    assert said[0] == said[1]


def ragged(path: Path) -> None:
    path.write_text(path.read_text() + "x,y\n")


def latin(path: Path) -> None:
    path.write_bytes(path.read_bytes() + "x,y,é,1,t\n".encode("latin-1"))


def unclosed(path: Path) -> None:
    path.write_text(path.read_text() + 'x,y,"z,1,t\n')


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (ragged, "2 fields where the header has 5"),
        (latin, "is not UTF-8"),
        (unclosed, "opened and never closed"),
    ],
)
def test_a_damaged_text_is_named_with_its_line(
    spoil: Callable[[Path], None], said: str, how: str, tmp_path: Path
) -> None:
    ten(tmp_path, "csv")
    spoil(tmp_path / "part-03.csv")
    with pytest.raises(InputError, match=rf"part-03\.csv line \d+.*: .*{said}"):
        read_table(tmp_path)


def test_files_of_other_columns_and_formats_are_refused(how: str, tmp_path: Path) -> None:
    ten(tmp_path, "csv")
    to_csv(votes(5).rename(columns={"team": "group"}), tmp_path / "part-11.csv")
    with pytest.raises(
        InputError, match=r"part-11\.csv lacks 'team' and has 'group', which part-00\.csv lacks"
    ):
        read_table(tmp_path)
    with pytest.raises(InputError, match="there is no such file"):
        read_table(tmp_path / "*.parquet")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="a folder without a file"):
        read_table(tmp_path / "empty")
    (tmp_path / "damaged").mkdir()
    to_parquet(votes(5), tmp_path / "damaged" / "a.parquet")
    (tmp_path / "damaged" / "b.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(
        InputError, match=r"b\.parquet: this is not a parquet file, or it is damaged"
    ):
        read_table(tmp_path / "damaged")


def test_files_without_rows(how: str, tmp_path: Path) -> None:
    for k in range(2):
        to_parquet(votes(5).head(0), tmp_path / f"{k}.parquet")
    with pytest.raises(NothingToAnalyse, match="no rows"):
        ss.read_comparisons(tmp_path, **COLUMNS)
    to_parquet(votes(9), tmp_path / "2.parquet")
    assert ss.read_comparisons(tmp_path, **COLUMNS).n_rows == 9


def test_a_csv_file_with_columns_alone_has_no_rows(how: str, tmp_path: Path) -> None:
    """It was an error in memory, and none where the rows stay in the files."""
    for name, rows in (("0", 0), ("1", 9), ("2", 0), ("3", 9), ("4", 0)):
        to_csv(votes(9).head(rows), tmp_path / f"{name}.csv")
    table = read_table(tmp_path)
    assert (table.height, table.unit, table.columns) == (18, "line", tuple(votes(1).columns))
    to_csv(
        votes(9).assign(a="x", b="y", team="t", winner=["x"] * 7 + ["nobody", "x"]),
        tmp_path / "3.csv",
    )
    with pytest.raises(InputError, match=r"3\.csv line 9, column 'winner': 'nobody'"):
        ss.read_comparisons(tmp_path, **COLUMNS)
    for name in "13":
        to_csv(votes(9).head(0), tmp_path / f"{name}.csv")
    with pytest.raises(NothingToAnalyse, match=r"0\.csv has columns but no rows"):
        read_table(tmp_path)


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet"])
@pytest.mark.parametrize("stray", ["README.md", "notes.txt", "chart.png", "schema.json", "LICENSE"])
def test_a_stray_file_in_a_folder_is_named(
    suffix: str, stray: str, how: str, tmp_path: Path
) -> None:
    """It was read as a table, and its columns were said to be missing in others."""
    ten(tmp_path, suffix)
    (tmp_path / stray).write_text("{}")
    with pytest.raises(
        InputError, match=rf"'{stray}' is in this folder beside files such as part-00\.{suffix}"
    ) as caught:
        read_table(tmp_path)
    pattern = str(caught.value).rpartition("by a pattern: ")[2].strip("'")
    assert pattern == f"{tmp_path}/*.{suffix}"
    assert read_table(pattern).height == 400


@pytest.mark.parametrize("named", ["{}", "{}/*"])
def test_plans_and_pages_may_stand_beside_a_table(named: str, how: str, tmp_path: Path) -> None:
    """A plan was read as a table, and a page that was written into the folder was a stray file."""
    ten(tmp_path, "csv")
    (tmp_path / "plan.toml").write_text("")
    (tmp_path / "report.html").write_text(
        '<!doctype html>\n<meta name="generator" content="socialstats 0.1.0">'
    )
    assert read_table(named.format(tmp_path)).height == 400
    (tmp_path / "report.html").write_text("<table></table>")
    with pytest.raises(InputError, match=r"report\.html"):
        read_table(named.format(tmp_path))


@pytest.mark.parametrize("suffix", WRITERS)
def test_copies_of_a_file_are_a_caution(suffix: str, how: str, tmp_path: Path) -> None:
    """A file that was downloaded twice counted twice, without a word."""
    ten(tmp_path, suffix)
    for name in ("none-0", "none-1"):
        WRITERS[suffix](votes(1).head(0), tmp_path / f"{name}.{suffix}")

    def said() -> list[str]:
        return [
            c.detail for c in ss.read_comparisons(tmp_path, **COLUMNS).cautions if c.code == "SS321"
        ]

    assert said() == []
    copy = tmp_path / f"part-03 (1).{suffix}"
    copy.write_bytes((tmp_path / f"part-03.{suffix}").read_bytes())
    assert said() == [f"'{max(copy.name, f'part-03.{suffix}')}' has the bytes of another file"]
    (tmp_path / "model=2").mkdir()
    copy.rename(tmp_path / "model=2" / copy.name)
    for file in tmp_path.glob(f"*.{suffix}"):
        (tmp_path / "model=1").mkdir(exist_ok=True)
        file.rename(tmp_path / "model=1" / file.name)
    assert said() == []


def test_a_file_that_cannot_be_read_leaves_no_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows before it stayed in the folder of temporary files."""
    monkeypatch.setattr(files, "MOST_BYTES", 0)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "votes").mkdir()
    ten(tmp_path / "votes", "csv")
    table = read_table(tmp_path / "votes")
    assert len([*(tmp_path / "temporary").iterdir()]) == 1
    del table
    with (tmp_path / "votes" / "part-09.csv").open("a") as stream:
        stream.write("x,y\n")
    with pytest.raises(InputError, match=r"part-09\.csv line \d+: 2 fields where the header has 5"):
        read_table(tmp_path / "votes")
    gc.collect()
    assert [*(tmp_path / "temporary").iterdir()] == []


def test_names_that_differ_in_case_are_kept(how: str, tmp_path: Path) -> None:
    """DuckDB called the second one Winner_1."""
    whole = ten(tmp_path, "parquet")
    for file in tmp_path.glob("*.parquet"):
        to_parquet(pd.read_parquet(file).rename(columns={"judge": "Winner"}), file)
    table = read_table(tmp_path)
    assert table.columns == ("a", "b", "winner", "Winner", "team")
    assert (
        table.counts(["Winner"]).columns["Winner"].values.tolist()
        == whole["judge"].unique().tolist()
    )


@pytest.mark.parametrize("named", ["{}", "{}/*"])
def test_a_link_to_a_file_that_is_gone_is_named(
    named: str, how: str, tmp_path: Path, capsys: Any
) -> None:
    """Its rows were missing without a word, as those of data sets whose files were not fetched."""
    from socialstats.cli import main

    ten(tmp_path, "csv")
    (tmp_path / "part-03.csv").rename(tmp_path / "away")
    (tmp_path / "part-03.csv").symlink_to(tmp_path / "away")
    (tmp_path / "away").unlink()
    assert main(["check", named.format(tmp_path)]) == 2
    assert (
        ": links stand for files that are not there: 'part-03.csv'. Fetch them"
        in capsys.readouterr().err
    )


def test_the_pattern_without_a_stray_file_keeps_the_files_of_folders(
    how: str, tmp_path: Path
) -> None:
    """It named those beside the first file alone."""
    ten(tmp_path, "csv")
    (tmp_path / "more").mkdir()
    (tmp_path / "part-09.csv").rename(tmp_path / "more" / "part-09.csv")
    (tmp_path / "more" / "notes.txt").write_text("x")
    with pytest.raises(
        InputError, match=r"'more/notes\.txt' is in this folder beside files"
    ) as caught:
        read_table(tmp_path)
    assert read_table(str(caught.value).rpartition("by a pattern: ")[2].strip("'")).height == 400


def test_the_command_line_names_a_stray_file(tmp_path: Path, capsys: Any) -> None:
    from socialstats.cli import main

    ten(tmp_path, "csv")
    (tmp_path / "README.md").write_text("# Votes\n")
    assert main(["check", str(tmp_path)]) == 2
    assert (
        "'README.md' is in this folder beside files such as part-00.csv" in capsys.readouterr().err
    )


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet"])
def test_folders_named_by_values_make_a_column(suffix: str, how: str, tmp_path: Path) -> None:
    """Neither the format nor the size of a table, nor DuckDB, decides which columns it has."""
    for name in ("model=a%20b", "model=2024", "model=__HIVE_DEFAULT_PARTITION__"):
        (tmp_path / name).mkdir()
        WRITERS[suffix](votes(), tmp_path / name / f"part.{suffix}")
    table = read_table(tmp_path)
    assert table.columns == (*votes().columns, "model")
    held = table.frame.lazy().collect().to_pandas()
    assert sorted(held["model"].dropna().unique()) == ["2024", "a b"]
    assert held["model"].isna().sum() == len(votes())


def test_a_column_that_the_names_of_folders_hold_as_well_is_refused(
    how: str, tmp_path: Path
) -> None:
    (tmp_path / "judge=3").mkdir()
    to_csv(votes(), tmp_path / "judge=3" / "part.csv")
    with pytest.raises(InputError, match=r"part\.csv: two columns are called 'judge'"):
        read_table(tmp_path)


def test_an_order_of_levels_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_ROWS", 0)
    kind = pd.CategoricalDtype(["low", "middle", "high"], ordered=True)
    frame = pd.DataFrame(
        {"unit": [1, 1, 2, 2], "rater": [*"xyxy"], "value": ["low", "high", "middle", "high"]}
    )
    for k in range(2):
        to_parquet(
            frame.assign(unit=frame.unit + 2 * k).astype({"value": kind}), tmp_path / f"{k}.parquet"
        )
    assert ss.read_ratings(tmp_path).levels == ("low", "middle", "high")


def test_the_command_line_takes_patterns_and_folders(how: str, tmp_path: Path, capsys: Any) -> None:
    from socialstats.cli import main

    ten(tmp_path, "parquet")
    said = []
    for named in (tmp_path, tmp_path / "*.parquet"):
        assert (
            main(
                [
                    "check",
                    str(named),
                    "--map",
                    "item_a=a",
                    "--map",
                    "item_b=b",
                    "--where",
                    "judge=3",
                ]
            )
            == 0
        )
        said.append(capsys.readouterr().out.replace(str(tmp_path), ""))
    assert f"{sum((votes(40, seed=k).judge == 3).sum() for k in range(10))} comparisons" in said[0]

"""Tables of a log in each format, items in each, and the methods paragraph on a report's page."""

from __future__ import annotations

import gzip
import html
from pathlib import Path

import pandas as pd
import pytest

from socialstats.cli import main
from tests.collect.runs import collect, write_run
from tests.collect.server import says, serving


@pytest.fixture
def run(tmp_path: Path) -> Path:
    def answer(body: object, _: int) -> object:
        return says('{"Answer": "A"} \ud800' if "story 1" in str(body) else '{"Answer": "B"}')

    with serving(answer) as server:  # type: ignore[arg-type]
        path = write_run(tmp_path, server.url, n=6, more="replicates = 2")
        packed = gzip.compress((tmp_path / "items.csv").read_bytes())
        (tmp_path / "items.csv.gz").write_bytes(packed)
        (tmp_path / "items.csv").unlink()
        path.write_text(path.read_text().replace("items.csv", "items.csv.gz"))
        assert collect(path) == 0
    return path


def test_the_same_table_in_every_format(run: Path) -> None:
    log = str(run.with_name("log.jsonl"))
    tables = []
    for suffix in ("csv", "tsv", "jsonl", "parquet"):
        target = run.with_name(f"table.{suffix}")
        assert main(["tidy", log, "-o", str(target)]) == 0
        if suffix == "parquet":
            tables.append(pd.read_parquet(target))
        elif suffix == "jsonl":
            tables.append(pd.read_json(target, lines=True))
        else:
            tables.append(pd.read_csv(target, sep="\t" if suffix == "tsv" else ","))
    for table in tables:
        assert list(table.columns) == list(tables[0].columns)
        assert list(table["answer"]) == list(tables[0]["answer"])
        assert set(table["answer"]) == {"A", "B"}
        assert len(table) == 12


def test_an_unknown_format_is_refused_before_any_work(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main(["tidy", str(run.with_name("log.jsonl")), "-o", str(run.with_name("table.xlsx"))]) == 2
    )
    assert "no format has the suffix '.xlsx'" in capsys.readouterr().err


def test_items_that_are_not_whole(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packed = run.with_name("items.csv.gz")
    packed.write_bytes(packed.read_bytes()[:-9])
    assert collect(run) == 2
    assert "items.csv.gz: it cannot be read (compressed file ended" in capsys.readouterr().err


def test_the_methods_paragraph_stands_on_the_page(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = run.parent
    table, note, page = (str(folder / name) for name in ("table.csv", "methods.txt", "page.html"))
    assert main(["tidy", str(folder / "log.jsonl"), "-o", table, "--methods", note]) == 0
    said = Path(note).read_text().strip()
    assert "temperature 0" in said
    Path(note).write_text(f"{said} <script>alert(1)</script>\n")
    command = [
        "report",
        table,
        "--map",
        "unit=item_id",
        "--map",
        "rater=replicate",
        "--map",
        "value=answer",
    ]
    command += ["--scale", "nominal", "--no-verify", "-q", "-o", page]
    assert main([*command, "--methods-note", note]) == 0
    written = Path(page).read_text()
    assert said in html.unescape(written)
    assert "<script>alert(1)" not in written
    Path(note).write_text("")
    assert main([*command, "--methods-note", note]) == 2
    assert "a note has 1 to 20,000 characters" in capsys.readouterr().err

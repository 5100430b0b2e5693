"""Pages as the command line writes them: of bundled examples, and of the tables in examples/data."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from socialstats.cli import main
from tests.record.entries import RESULT_TEXTS, Entry, Leaf, leaves, with_paths
from tests.record.pages import entry_of_page

TOP = Path(__file__).parents[2]
EXAMPLES = ("role-conflict", "staged-values", "relationship-bias", "social-norms", "norm-goal")
TABLES = Path("examples", "data")
QUICK = ("--no-verify", "--resamples", "200")


def commands() -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each page and what the command is asked for."""
    for name in EXAMPLES:
        yield f"page by report --example {name}", ["--example", name]
    for path in sorted((TOP / TABLES).glob("*.csv")):
        name = (TABLES / path.name).as_posix()
        yield f"page by report {name}", [name]


def report_entries(text: str = "") -> Iterator[Entry]:
    """Yield the entries of each page whose name contains a text: its own, and one for each of its results."""
    for case, asked in commands():
        if text not in case:
            continue
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(TOP):
            numbers = Path(folder, "page.json")
            out = ["-o", str(Path(folder, "page.md")), "--json", str(numbers)]
            told = io.StringIO()
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(told):
                code = main(["report", *asked, *QUICK, *out])
            if not numbers.exists():
                message = told.getvalue().replace(folder, "FOLDER")
                yield Entry(case, (), {"exit code": code}, {"error": message})
                continue
            page = json.loads(numbers.read_text(encoding="utf-8"))
        yield entry_of_page(case, page)
        results = (
            (f"{case}, block {block['id']}, {result['metric']}", result)
            for block in page["blocks"]
            for result in block["results"]
        )
        for path, result in with_paths(results):
            yield entry_of_json(path, result)


def entry_of_json(case: str, result: Mapping[str, Any]) -> Entry:
    """Return the entry of a result that was written as JSON."""
    facts = {
        path: leaf
        for name in ("counts", "fit", "settings", "references")
        for path, leaf in leaves(result[name], name)
    }
    texts = {name: result[name] for name in (*RESULT_TEXTS, "sentence")}
    codes = ((caution["code"], caution["severity"]) for caution in result["cautions"])
    facts |= {f"cautions.{path}": severity for path, severity in with_paths(codes)}
    return Entry(
        case, tuple(row_of(term, result["metric"]) for term in result["terms"]), facts, texts
    )


def row_of(term: Mapping[str, Any], metric: str) -> dict[str, Leaf]:
    """Return the fields of a row that was written as JSON."""
    key = "; ".join(f"{dimension}={label}" for dimension, label in term.get("key", {}).items())
    fields: dict[str, Leaf] = {name: value for name, value in term.items() if name != "key"}
    return {"metric": metric, **fields} | ({"key": key} if key else {})

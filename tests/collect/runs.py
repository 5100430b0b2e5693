"""Run files and command lines for the tests of collecting."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import socialstats_collect
from socialstats.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples" / "collect"

RUN = """
items = "items.csv"
template = "{{text}} (A) or (B)?"
protocol = {{ name = "template", parser = "json" }}
factors = {{ model = ["toy"] }}
parameters = {{ temperature = 0, max_tokens = 20 }}
{more}

[endpoint]
base_url = "{url}"

[limits]
concurrency = {concurrency}
timeout = {timeout}
attempts = {attempts}
patience = {patience}
{limits}
"""


def write_run(
    folder: Path,
    url: str,
    *,
    n: int = 4,
    more: str = "",
    limits: str = "",
    concurrency: int = 4,
    timeout: float = 5.0,
    attempts: int = 3,
    patience: float = 30.0,
) -> Path:
    """Write items and a run file and return its path."""
    rows = "".join(f"s{place},story {place}\n" for place in range(n))
    (folder / "items.csv").write_text(f"item_id,text\n{rows}")
    path = folder / "run.toml"
    path.write_text(
        RUN.format(
            url=url,
            more=more,
            limits=limits,
            concurrency=concurrency,
            timeout=timeout,
            attempts=attempts,
            patience=patience,
        )
    )
    return path


def shipped(folder: Path, protocol: str, items: Path) -> Path:
    """Write the shipped run file of a protocol, with other items, into a folder of its own; return its path."""
    folder = folder / "run"
    folder.mkdir()
    new = Path(socialstats_collect.__file__).parent / "new" / protocol
    shutil.copytree(new, folder, dirs_exist_ok=True)
    text = (new / "run.toml").read_text()
    path = folder / "run.toml"
    path.write_text(re.sub(r'items = ".*?"', f"items = {json.dumps(str(items))}", text))
    return path


def collect(path: Path, *more: str) -> int:
    """Run ``socialstats collect`` in this process."""
    return main(["collect", str(path), "-o", str(path.with_name("log.jsonl")), *more])


def attempts(path: Path) -> list[dict[str, Any]]:
    """The attempts in a run file's log."""
    lines = [json.loads(line) for line in path.with_name("log.jsonl").read_text().splitlines()]
    return [line for line in lines if line["type"] == "attempt"]


def table(path: Path, capsys: Any) -> list[dict[str, str]]:
    """The tidy table of a run file's log."""
    capsys.readouterr()
    assert main(["tidy", str(path.with_name("log.jsonl"))]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))

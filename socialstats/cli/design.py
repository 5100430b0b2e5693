"""The command design: the items of a protocol from lists of parts, and the texts that a model has to write for them."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd

from socialstats.designs.aliases import Fields
from socialstats.designs.settings import Settings
from socialstats.errors import InputError, Problem
from socialstats.planning.builders import Items, design_items
from socialstats.tables.sources import small_file
from socialstats.tables.toml_files import toml_of
from socialstats.tables.writing import RUN_FILE, format_by_name, is_read, put, write_whole
from socialstats.text import count, meant, quoted
from socialstats.voice import speaking

WRITE = (
    "model",
    "base_url",
    "key_env",
    "parameters",
    "limits",
    "log",
    "expectation",
    "situation",
    "story",
)
RUN = """# Written by socialstats design: texts for its items. Run it, then design again.
protocol = "template"
items = "texts.csv"
template = "{prompt}"
"""


def toml(name: str, value: Any, typed: str) -> str:
    """Return a setting as a design file writes it.

    Examples
    --------
    >>> toml("pairs", 20, ""), toml("draw", "once", "")
    ('pairs = 20', 'draw = "once"')
    """
    return f"{name} = {json.dumps(value, ensure_ascii=False)}"


@speaking(toml)
def run(options: argparse.Namespace) -> int:
    """Make the items, or say which texts are still to be written."""
    target = options.output or "-"
    format = format_by_name(target)
    path = Path(options.design)
    spec = read_parts(path)
    is_read(*tables_of(spec, path.parent))
    write = written_by(spec, path.name)
    log = path.parent / write.get("log", "texts.jsonl")
    texts, refused = texts_of(log) if write and log.exists() else ({}, [])
    items = design_items(options.protocol, spec, folder=path.parent, texts=texts, source=path.name)
    if items.prompts:
        write_prompts(items, write, path.parent)
    if items.missing:
        return tell_missing(items, refused, path, log)
    put(target, items.frame, format)
    if not options.quiet:
        print(
            "\n".join([*items.sentences(), *next_command(options.protocol, target)]),
            file=sys.stderr,
        )
    return 0


def next_command(protocol: str, target: str) -> list[str]:
    """State what becomes of the items: the run file beside them asks them, or one is to be started from."""
    run = Path(target).with_name("run.toml")
    if target == "-":
        return []
    if run.exists():
        return [f"next: {shlex.join(['socialstats', 'collect', str(run), '--dry-run'])}"]
    start = shlex.join(["socialstats", "collect", "--new", protocol, "FOLDER"])
    there = "or write the items to FOLDER/items.csv with --overwrite"
    return [f'next: {start}, where items = "{target}" in run.toml, {there}']


def read_parts(path: Path) -> Fields:
    """Return what a design file says."""
    try:
        return toml_of(small_file(path), path.name)
    except OSError as error:
        raise InputError(
            Problem(source=path.name, message=error.strerror or "cannot be read")
        ) from None


def tables_of(spec: Settings, folder: Path) -> set[Path]:
    """Return the files that a design names."""
    return {
        Path(os.path.realpath(folder / value))
        for value in spec.values()
        if isinstance(value, str) and "." in value
    }


def written_by(spec: Settings, source: str) -> Fields:
    """Return who writes texts and how; empty where the design has no such section."""
    write = spec.get("write", {})
    if not isinstance(write, dict):
        raise InputError(
            Problem(source=source, message="write is no section", fix="Write: [write]")
        )
    for name in write:
        if name not in WRITE:
            fix = f"{meant(name, WRITE)}Keys: {', '.join(WRITE)}"
            raise InputError(Problem(source=source, message=f"unknown key 'write.{name}'", fix=fix))
    for name in ("model", "base_url") if write else ():
        if not isinstance(write.get(name), str):
            raise InputError(
                Problem(source=source, message=f"[write] has no {name}", fix=f'Add {name} = "..."')
            )
    return dict(write)


def texts_of(log: Path) -> tuple[dict[str, str], list[str]]:
    """Return the texts of a log by identifier, and the identifiers whose reply is no text."""
    # most designs need no texts of a model
    from socialstats_collect.log import Log
    from socialstats_collect.tidy import table_of

    with Log(log) as record:
        rows = [row for several, _ in table_of(record).tidied() for row in several]
    texts = {
        str(row["item_id"]): str(row["answer"]).strip()
        for row in rows
        if row["answer_status"] == "ok"
    }
    return texts, [
        str(row["item_id"]) for row in rows if row["answer_status"] not in ("ok", "missing")
    ]


def write_prompts(items: Items, write: Settings, folder: Path) -> None:
    """Write the prompts of all texts that can be asked for so far, and their run file, beside the design."""
    put(str(folder / "texts.csv"), pd.DataFrame(list(items.prompts)), "csv")
    lines = [RUN, "[factors]", f"model = {json.dumps([write['model']])}", "", "[parameters]"]
    lines += [
        f"{name} = {json.dumps(value)}" for name, value in write.get("parameters", {}).items()
    ]
    lines += [
        "",
        "[endpoint]",
        *(
            f"{name} = {json.dumps(write[name])}"
            for name in ("base_url", "key_env")
            if name in write
        ),
    ]
    lines += [
        "",
        "[limits]",
        *(f"{name} = {json.dumps(value)}" for name, value in write.get("limits", {}).items()),
    ]
    write_whole(folder / "texts.toml", "\n".join(lines) + "\n", RUN_FILE)


def tell_missing(items: Items, refused: list[str], path: Path, log: Path) -> int:
    """State which texts are missing, and what to type next."""
    steps = {row["item_id"]: row["step"] for row in items.prompts}
    lost = [name for name in items.missing if name in set(refused)]
    missing = Counter(steps[name] for name in items.missing)
    by_step = [f"{count(number)} of {step}" for step, number in missing.items()]
    print(
        f"{count(len(items.missing), 'text')} to be written ({', '.join(by_step)}); next:",
        file=sys.stderr,
    )
    print(f"  socialstats collect {path.parent / 'texts.toml'} -o {log}", file=sys.stderr)
    print("  and this command again", file=sys.stderr)
    if lost:
        print(
            f"the model gave no text for {quoted(lost)}: change its prompt in [write], or write it as a table",
            file=sys.stderr,
        )
    return 1

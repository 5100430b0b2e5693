"""The run command: from the file of a study to its table, page, tables and figures; again, only what is new.

Each step is a command of its own, which is printed: it can be typed alone.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from socialstats import __version__
from socialstats.cli import collect, report, tidy
from socialstats.cli.helping import Parser
from socialstats.cli.options import CommandFile, Output, complete
from socialstats.cli.plan import read_plan
from socialstats.cli.running import run_command
from socialstats.designs.aliases import Fields
from socialstats.errors import InputError
from socialstats.tables.toml_files import read_toml
from socialstats.tables.writing import kind_by_mark, writable_place, write_whole

PARSER: Fields = {
    "epilog": """example, with the tables in examples/data:
  socialstats run foundations.toml foundations.csv -o foundations""",
    "allow_abbrev": False,
}
TABLE, METHODS, PAGE, NUMBERS = "answers.csv", "methods.txt", "page.html", "numbers.json"
TABLES = "tables"  # folder of the tables and figures of the page
RECORD = "run.json"
RECORDED = kind_by_mark("a record of 'socialstats run'", r'\{\s*"made by": "socialstats run"')


def add_options(parser: Parser) -> None:
    """Add the study, its tables, and the folder to write."""
    add = parser.add_argument
    add("study", metavar="STUDY.toml", help="a study that 'socialstats new' wrote, or a plan")
    add(
        "data",
        metavar="TABLE",
        nargs="*",
        help="its tables, where the file does not say what is asked",
    )
    add("-o", "--output", metavar="FOLDER", type=Output, help="folder to write (default: STUDY)")
    add("--people", metavar="FILE", help="answers of people, to stand beside those of models")
    add(
        "--base-url",
        metavar="URL",
        help="send all requests here instead of to the endpoint of the file",
    )
    add("--dry-run", action="store_true", help="print what would be asked, and end")


def run(options: argparse.Namespace) -> int:
    """Ask what is missing, write the table, the page, and its tables and figures.

    Raises
    ------
    InputError
        For a file that is no study or plan, and one without a table that asks nothing.
    """
    study = Path(options.study)
    read_plan(str(study))
    folder = folder_of(options, study)
    record: dict[str, str] = {}
    code = 0
    tables = list(options.data)
    if not tables and asks(study):
        code = ask_missing(study, folder, options, record)
        if options.dry_run or not log_of(study).exists():
            return code
        tables = [str(folder / TABLE)]
    elif options.dry_run:
        raise InputError(f"--dry-run: {study} asks nothing here. Leave it out")
    elif not tables and not names_table(study):
        raise InputError(
            f"{study} asks nothing, and names no table. Write socialstats run {study} TABLE, or add a section [collect]"
        )
    code = write_page(study, tables, folder, options.people, record) or code
    write_record(folder, record)
    return code


def folder_of(options: argparse.Namespace, study: Path) -> Path:
    """Return the folder to write, which is made where it is missing."""
    folder = Path(options.output or study.with_suffix(""))
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file. Name a folder with -o FOLDER")
    folder.mkdir(parents=True, exist_ok=True)
    writable_place(str(folder / RECORD), RECORDED)
    return folder


def asks(study: Path) -> bool:
    """Return whether the file of a study says what is asked."""
    return "collect" in read_toml(str(study))[1]


def names_table(study: Path) -> bool:
    """Return whether a plan names its table."""
    return "file" in read_toml(str(study))[1].get("data", {})


def log_of(study: Path) -> Path:
    """Return the log of what a study asks."""
    return study.with_suffix(".log.jsonl")


def ask_missing(
    study: Path, folder: Path, options: argparse.Namespace, record: dict[str, str]
) -> int:
    """Print what is missing, ask it, and write the table of all answers; return the exit code of `collect`."""
    where = ["--base-url", options.base_url] if options.base_url else []
    run_words("collect", collect, [str(study), *where, "--dry-run"])
    if options.dry_run:
        return 0
    log = log_of(study)
    code = run_words("collect", collect, [str(study), "-o", str(log), *where])
    if not log.exists():
        return code
    inputs, outputs = [study, log], [folder / TABLE, folder / METHODS]
    if is_current(folder, "table", inputs, outputs):
        print(f"{folder / TABLE} has all answers", file=sys.stderr)
        return code
    run_words("tidy", tidy, [str(log), "-o", str(outputs[0]), "--methods", str(outputs[1])])
    record["table"] = digest(inputs)
    return code


def write_page(
    study: Path,
    tables: Sequence[str],
    folder: Path,
    people: str | None,
    record: dict[str, str],
) -> int:
    """Write the page, its numbers, tables and figures, unless they are those of the same files."""
    inputs = [study, *map(Path, tables), *([Path(people)] if people else [])]
    page, numbers, files = folder / PAGE, folder / NUMBERS, folder / TABLES
    if is_current(folder, "page", inputs, [page, numbers, files]):
        print(f"nothing changed: {page} is the page of these files", file=sys.stderr)
        return 0
    outputs = ["-o", str(page), "--json", str(numbers), "--files", str(files)]
    how = ["--study" if has_questions(study) else "--plan", str(study)]
    how += ["--people", people] if people else []
    methods = folder / METHODS
    how += ["--methods-note", str(methods)] if methods.exists() else []
    code = run_words("report", report, [*tables, *how, *outputs])
    record["page"] = digest(inputs)
    return code


def has_questions(study: Path) -> bool:
    """Return whether a file is a study of the user's own, and not a plan of another study."""
    return read_plan(str(study)).own is not None


def run_words(name: str, file: CommandFile, words: Sequence[str]) -> int:
    """Print a command and run it."""
    print(f"$ {shlex.join(['socialstats', name, *words])}", file=sys.stderr, flush=True)
    parser = Parser(prog=f"socialstats {name}", **file.PARSER)
    complete(parser, file)
    return run_command(parser.parse_args(words, argparse.Namespace(command=name)))


def digest(paths: Iterable[Path]) -> str:
    """Return what tells contents apart: of this version, and of every file."""
    whole = hashlib.sha256(__version__.encode())
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file():
                whole.update(f"{file.name}\n".encode())
                whole.update(hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()


def read_record(folder: Path) -> dict[str, str]:
    """Return the digests of what was made of which files; empty before a first run."""
    try:
        content = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def is_current(folder: Path, step: str, inputs: Iterable[Path], outputs: Iterable[Path]) -> bool:
    """Return whether a step was taken with these files, and its outputs are still there."""
    there = all(path.exists() for path in outputs)
    return there and read_record(folder).get(step) == digest(inputs)


def write_record(folder: Path, record: Mapping[str, str]) -> None:
    """Add the steps that were taken to the record of a folder: of which files each made its outputs."""
    if record:
        content = {"made by": "socialstats run", **read_record(folder), **record}
        write_whole(str(folder / RECORD), json.dumps(content, indent=1) + "\n", RECORDED)

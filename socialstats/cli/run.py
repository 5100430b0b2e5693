"""The run command: from the file of a study to its table, page, tables and figures; again, only what is new.

Each step is a command of its own, which is printed: it can be typed alone.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from socialstats import __version__
from socialstats.cli.beside import read_side
from socialstats.cli.parser import make_parser
from socialstats.cli.running import run_safely
from socialstats.errors import InputError, Problem
from socialstats.studies.plan_files import read_plan
from socialstats.tables.toml_files import read_toml
from socialstats.tables.writing import kind_by_mark, writable_place, write_whole

TABLE, METHODS, PAGE, NUMBERS = "answers.csv", "methods.txt", "page.html", "numbers.json"
TABLES = "tables"  # folder of the tables and figures of the page
RECORD = "run.json"
TOML = ".toml"
NOTHING = 3  # exit code: there is nothing to analyse
RECORDED = kind_by_mark("a record of 'socialstats run'", r'\{\s*"made by": "socialstats run"')


def run(options: argparse.Namespace) -> int:
    """Ask what is missing, write the table, the page, and its tables and figures.

    Raises
    ------
    InputError
        For a file that is no study or plan, and one without a table that asks nothing.
    """
    study = Path(options.study)
    refuse_other_order(study, options.data)
    read_plan(str(study))
    asking = not options.data and asks(study)
    if options.dry_run and not asking:
        raise InputError(f"--dry-run: {study} asks nothing here. Leave it out")
    if not (asking or options.data or names_table(study)):
        raise InputError(
            f"{study} asks nothing, and names no table. Write socialstats run {study} TABLE, or add a section [collect]"
        )
    folder = Path(options.output or study.with_suffix(""))
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file. Name a folder with -o FOLDER")
    with folder_for(folder):
        if not (options.dry_run or options.overwrite):
            refuse_edited(folder)
        return take_steps(study, folder, options, asking=asking)


def refuse_other_order(study: Path, tables: Sequence[str]) -> None:
    """Refuse a table that stands in the place of the study.

    Raises
    ------
    InputError
        With the command in the right order.
    """
    files = [name for name in tables if Path(name).suffix.casefold() == TOML]
    if study.suffix.casefold() == TOML or not files:
        return
    following = [name for name in tables if name != files[0]]
    command = shlex.join(["socialstats", "run", files[0], str(study), *following])
    raise InputError(f"{study}: the study stands first, and tables follow. Type: {command}")


def refuse_edited(folder: Path) -> None:
    """Refuse to write files anew that somebody changed since an earlier run wrote them.

    Raises
    ------
    InputError
        With a problem for each file.
    """
    fix = "Rename it to keep the changes, delete it to have it written anew, or add --overwrite."
    corrected = (
        "Rename it, and make the page of the corrected table: socialstats run STUDY.toml TABLE."
        " Or delete it, or add --overwrite to have it written anew."
    )
    problems = [
        Problem(
            source=str(folder / name),
            message="was changed since 'socialstats run' wrote it, and the changes would be lost",
            fix=corrected if name == TABLE else fix,
        )
        for step in read_record(folder).values()
        for name in step.edited(folder)
    ]
    if problems:
        raise InputError(problems)


@contextmanager
def folder_for(folder: Path) -> Iterator[None]:
    """Make a folder, and take it away again where nothing was written."""
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        writable_place(str(folder / RECORD), RECORDED)
        yield
    finally:
        if is_new and not any(folder.iterdir()):
            folder.rmdir()


def take_steps(study: Path, folder: Path, options: argparse.Namespace, *, asking: bool) -> int:
    """Ask, write the table and the page where they are not those of the same files; return the exit code."""
    steps: dict[str, Step] = {}
    code, tables, people = 0, list(options.data), options.people
    if asking:
        code = ask_missing(study, options)
        if options.dry_run or not log_of(study).exists():
            return code
        tables = [str(folder / TABLE)]
        # answers to a form are answers to what was asked; others have columns of the study's questions
        form = people if people and are_form_answers(Path(people)) else None
        people = None if form else people
        steps["table"] = write_table(study, folder, form)
        if not has_answers(folder / TABLE):
            print(
                "there is no answer yet: what stopped the questions stands above", file=sys.stderr
            )
            return code or NOTHING
    page_code, steps["page"] = write_page(study, tables, folder, people)
    write_record(folder, steps)
    return page_code or code


def asks(study: Path) -> bool:
    """Return whether the file of a study says what is asked."""
    return "collect" in read_toml(str(study))[1]


def names_table(study: Path) -> bool:
    """Return whether a plan names its table."""
    return "file" in read_toml(str(study))[1].get("data", {})


def log_of(study: Path) -> Path:
    """Return the log of what a study asks."""
    return study.with_suffix(".log.jsonl")


def ask_missing(study: Path, options: argparse.Namespace) -> int:
    """Print what is missing, and ask it; return the exit code of `collect`."""
    where = ["--base-url", options.base_url] if options.base_url else []
    run_words("collect", str(study), *where, "--dry-run")
    if options.dry_run:
        return 0
    return run_words("collect", str(study), "-o", str(log_of(study)), *where)


def are_form_answers(path: Path) -> bool:
    """Return whether people answered the questions of a form: one file for each rater, or rows with item and rater."""
    if path.is_dir() or path.suffix.casefold() == ".json":
        return True
    return {"item_id", "rater"} <= {*read_side("people", str(path)).columns}


def write_table(study: Path, folder: Path, form: str | None) -> Step:
    """Write the table of all answers, those to a form below those of models, and how they were collected."""
    log, table, methods = log_of(study), folder / TABLE, folder / METHODS
    inputs = digest_of_inputs([study, log, *([Path(form)] if form else [])])
    before = read_record(folder).get("table")
    if before is not None and before.is_current(inputs, folder):
        print(f"{table} has all answers", file=sys.stderr)
        return before
    how = ["--people", form] if form else []
    run_words("tidy", str(log), *how, "-o", str(table), "--methods", str(methods))
    return Step.of(inputs, folder, [table, methods])


def has_answers(table: Path) -> bool:
    """Return whether a table of `tidy` holds an answer."""
    import pandas as pd

    status = pd.read_csv(table, dtype=str).get("answer_status")
    return status is None or bool((status == "ok").any())


def write_page(
    study: Path, tables: Sequence[str], folder: Path, people: str | None
) -> tuple[int, Step]:
    """Write the page, its numbers, tables and figures; what an earlier page had and this one lacks goes."""
    inputs = digest_of_inputs([study, *map(Path, tables), *([Path(people)] if people else [])])
    before = read_record(folder).get("page")
    page, numbers, files = folder / PAGE, folder / NUMBERS, folder / TABLES
    if before is not None and before.is_current(inputs, folder):
        print(f"nothing changed: {page} is the page of these files", file=sys.stderr)
        return 0, before
    how = ["--study" if has_questions(study) else "--plan", str(study)]
    how += ["--people", people] if people else []
    methods = folder / METHODS
    how += ["--methods-note", str(methods)] if methods.exists() else []
    if before is not None:
        remove_outputs(before, folder)
    outputs = ["-o", str(page), "--json", str(numbers), "--files", str(files)]
    code = run_words("report", *tables, *how, *outputs)
    return code, Step.of(inputs, folder, [page, numbers, *files.iterdir()])


def remove_outputs(step: Step, folder: Path) -> None:
    """Remove the tables and figures of an earlier page."""
    for name in step.outputs:
        path = folder / name
        if path.parent.name == TABLES:
            path.unlink(missing_ok=True)


def has_questions(study: Path) -> bool:
    """Return whether a file is a study of the user's own, and not a plan of another study."""
    return read_plan(str(study)).own is not None


def run_words(*typed: str) -> int:
    """Print a command and run it."""
    from socialstats.cli import collect, report, tidy

    commands = {"collect": collect.run, "tidy": tidy.run, "report": report.run}
    print(f"$ {shlex.join(['socialstats', *typed])}", file=sys.stderr, flush=True)
    options = make_parser(typed).parse_args(typed)
    return run_safely(commands[options.command], options)


def digest_of_inputs(paths: Iterable[Path]) -> str:
    """Return what tells inputs apart: the version of socialstats, and the content of every file."""
    return f"{__version__} {digest(paths)}"


def digest(paths: Iterable[Path]) -> str:
    """Return what tells contents of files apart."""
    sum_of_files = hashlib.sha256()
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file():
                sum_of_files.update(f"{file.name}\n".encode())
                sum_of_files.update(hashlib.sha256(file.read_bytes()).digest())
    return sum_of_files.hexdigest()


@dataclass(frozen=True, slots=True)
class Step:
    """A step that was taken: the digest of what it read, and of each file that it wrote, by its place in the folder."""

    inputs: str
    outputs: dict[str, str]

    @classmethod
    def of(cls, inputs: str, folder: Path, outputs: Iterable[Path]) -> Step:
        """Return the step that has just been taken."""
        files = {path.relative_to(folder).as_posix(): digest([path]) for path in sorted(outputs)}
        return cls(inputs, files)

    def is_current(self, inputs: str, folder: Path) -> bool:
        """Return whether the same files were read, and all that was written is there unchanged."""
        there = all((folder / name).is_file() for name in self.outputs)
        return inputs == self.inputs and there and not self.edited(folder)

    def edited(self, folder: Path) -> list[str]:
        """Return which of the files that were written are there with another content."""
        return [
            name
            for name, before in self.outputs.items()
            if (folder / name).is_file() and digest([folder / name]) != before
        ]


def read_record(folder: Path) -> dict[str, Step]:
    """Return the steps that were taken, by name; empty before a first run."""
    try:
        content = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        return {name: Step(**step) for name, step in content["steps"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def write_record(folder: Path, steps: Mapping[str, Step]) -> None:
    """Write the record of a folder: of which files each step made its outputs."""
    # a run of another table leaves the answers that were collected
    every = read_record(folder) | dict(steps)
    content = {
        "made by": "socialstats run",
        "steps": {name: asdict(step) for name, step in every.items()},
    }
    write_whole(str(folder / RECORD), json.dumps(content, indent=1) + "\n", RECORDED)

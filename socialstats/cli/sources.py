"""The table of a command: one file, several tables of the same columns, or logs of harnesses put together."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw

from socialstats.designs.aliases import Levels, Texts
from socialstats.designs.settings import Settings
from socialstats.designs.vocabulary import MODELS
from socialstats.errors import InputError
from socialstats.tables import Table, as_table, read_table
from socialstats.tables.files import of_files
from socialstats.tables.paths import file_of, files_below
from socialstats.tables.pieces import PART
from socialstats.text import count, listing, quoted, shorten

if TYPE_CHECKING:
    from socialstats.claims import Log
    from socialstats.harness_logs.log import StudyReading

MODEL, FILE = "model", "file"
COLUMNAR = (".parquet", ".pq")  # always tables
DELIMITED = (".csv", ".tsv")
SUFFIXES = (*DELIMITED, ".tab", *COLUMNAR)  # tables, but for outputs with a verdict in each cell
VERDICTS = (b"[PASS]", b"[FAIL]", b"[ERROR]")  # with which promptfoo begins the cells of a csv
LOOKED = 1 << 20  # bytes in which a reader looks for them
NAMED = 4  # files that a message names


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """What a command reads.

    Attributes
    ----------
    table : Table
    facts : mapping of str to str
        What identifies the data, for the reproduce block.
    simulated : str
        Says so when the data are simulated.
    logs : bool
        True where the rows come from logs of harnesses.
    reading : StudyReading or None
        How the rows of all logs are read, where they are those of one study.
    notes : tuple of str
        What was seen while files were put together.
    """

    table: Table
    facts: Mapping[str, str]
    simulated: str = ""
    logs: bool = False
    reading: StudyReading | None = None
    notes: Levels = ()


def read_files(paths: Texts, input_format: Any, settings: Settings) -> Input:
    """Read one table, several tables of the same columns, or logs.

    Raises
    ------
    InputError
        For tables of different columns, logs beside tables, and whatever reading finds.
    """
    twice = next((path for path in paths if list(map(real, paths)).count(real(path)) > 1), None)
    if twice is not None:
        raise InputError(f"{twice} is named twice: its rows would count twice. Name each file once")
    logs = [path for path in paths if input_format is None and is_log(path)]
    if logs and len(logs) < len(paths):
        other = next(path for path in paths if path not in logs)
        raise InputError(
            f"{Path(logs[0]).name} is the log of a harness, and {Path(other).name} a table. Give files of one kind, or "
            "make tables of the logs with 'socialstats convert'"
        )
    if logs:
        return read_logs_of(logs)
    if len(paths) == 1:
        try:
            table = read_table(paths[0], input_format, settings.get("encoding"))
        except InputError:
            release = read_release(paths[0]) if input_format is None else None
            if release is None:
                raise
            return release
        assert table.sha256 is not None
        return Input(table=table, facts={"data": table.source, "sha256": table.sha256()})
    return joined(paths, input_format, settings)


def real(path: str) -> Path:
    """Return the path of a file without links."""
    return Path(os.path.realpath(path))  # pathlib raises RuntimeError for a loop of links


def is_log(path: str) -> bool:
    """Return whether a path is the log of a harness, which is no plain table."""
    place = Path(path)
    name = place.name.lower().removesuffix(".gz")
    if path == "-" or not (place.is_file() or place.is_dir()) or name.endswith(COLUMNAR):
        return False
    if place.is_file() and place.name.lower().endswith(DELIMITED) and not holds_verdicts(place):
        return False
    from socialstats.harness_logs import holds_log

    if name.endswith(SUFFIXES):
        return place.is_file() and bool(holds_log(place))
    if place.is_dir():
        files = [file for file in files_below(place) if file.exists()]
        rest_of_folder = [
            file for file in files if not file.name.lower().removesuffix(".gz").endswith(SUFFIXES)
        ]
        run = any(
            file.name == "run.toml" for file in rest_of_folder
        )  # this folder belongs to the collect package
        return bool(rest_of_folder) and (
            run or len(rest_of_folder) == len(files) or any(map(holds_log, rest_of_folder))
        )
    return bool(holds_log(place))


def holds_verdicts(path: Path) -> bool:
    """Return whether a delimited file may be an output of promptfoo; only then are readers of logs loaded."""
    try:
        with path.open("rb") as file:
            head = file.read(LOOKED)
    except OSError:  # the reader of tables says why
        return False
    return any(verdict in head for verdict in VERDICTS)


def joined(paths: Texts, input_format: Any, settings: Settings) -> Input:
    """Stack tables of the same columns; a column ``file`` names each, and the model where nothing else does."""
    names = distinct(paths)
    files = [
        file_of(path, name, settings.get("encoding"))
        for path, name in zip(paths, names, strict=True)
    ]
    table = of_files(
        files, f"{files[0].name} and {count(len(files) - 1, 'more file')}", input_format
    )
    mapped = {str(entry).partition("=")[0] for entry in settings.get("map") or ()}
    unnamed = (
        not (set(MODELS.names) & set(table.columns))
        and "rater" not in mapped
        and not settings.get("raters")
    )
    added = [
        column for column in ([MODEL] if unnamed else []) + [FILE] if column not in table.columns
    ]
    frame: Any = table.frame.with_columns(*(nw.col(PART).alias(column) for column in added))
    notes = (
        (f"no column names the model: each file is one model ({quoted(names, NAMED)})",)
        if unnamed
        else ()
    )
    digests = ", ".join(file.source.sha256() for file in files)
    return Input(
        table=replace(table, data=frame, columns=(*table.columns, *added)),
        notes=notes,
        facts={"data": ", ".join(file.name for file in files), "sha256": digests},
    )


def read_logs_of(paths: Texts) -> Input:
    """Stack the rows of logs, each named by its model, or by its file where logs share a model and a unit."""
    import pandas as pd

    from socialstats.harness_logs import read_logs
    from socialstats.harness_logs.converting import wide

    logs = [(path, log) for path in paths for log in read_logs(path)]
    unanswered = next((path for path, log in logs if MODEL not in log.rows.columns), None)
    if unanswered is not None:
        raise InputError(
            f"{Path(unanswered).name} holds questions without answers: 'socialstats convert' makes a table of items"
        )
    folders = {path: Path(path).is_dir() for path in paths}
    places = [str(Path(path) / log.files[0]) if folders[path] else path for path, log in logs]
    names = distinct([log.files[0] for _, log in logs] if len(paths) == 1 else places)
    shared = shared_models([log for _, log in logs])
    frames = []
    for (_, log), name in zip(logs, names, strict=True):
        models = log.rows[MODEL].fillna("").astype(str)
        labels = [name if not m else f"{m} ({name})" if m in shared else m for m in models]
        frames.append(log.rows.assign(**{MODEL: labels, FILE: name}))
    rows = pd.concat(frames, ignore_index=True)
    if not len(rows):
        raise InputError(f"{quoted(names, NAMED)}: logs without samples hold no row to analyse")
    notes = [
        f"{name}: {note}" for (_, log), name in zip(logs, names, strict=True) for note in log.notes
    ]
    if shared:
        several = "several logs of one model and the same units, told apart by file"
        notes.append(f"{quoted(sorted(shared), NAMED)}: {several}")
    source = names[0] + (f" and {count(len(names) - 1, 'more log')}" if len(names) > 1 else "")
    digests = [
        hashlib.sha256(Path(path).read_bytes()).hexdigest()
        for path in paths
        if Path(path).is_file()
    ]
    facts = {"data": listing([shorten(name) for name in names], 40), "sha256": ", ".join(digests)}
    readings = {log.reading for _, log in logs}
    reading = readings.pop() if len(readings) == 1 else None
    if reading is not None and reading.wide:
        rows = wide(rows, reading.wide)
    return Input(
        table=as_table(rows, source), facts=facts, logs=True, reading=reading, notes=tuple(notes)
    )


def read_release(path: str) -> Input | None:
    """Return the rows of files that a study released, which no design reads as they are; None for other files."""
    # releases are text: columns with types of their own are no such files
    if path == "-" or path.lower().removesuffix(".gz").endswith(COLUMNAR):
        return None
    try:
        rows = read_logs_of((path,))
    except InputError:
        return None
    return rows if rows.reading is not None else None


def distinct(paths: Texts) -> list[str]:
    """Return a name for each path: its file, with as many folders as tell them apart.

    Examples
    --------
    >>> distinct(["runs/a.csv", "runs/b.csv"]), distinct(["x/run.csv", "y/run.csv"])
    (['a', 'b'], ['x/run', 'y/run'])
    """
    parts = [real(path).parts for path in paths]
    for depth in range(1, max(map(len, parts)) + 1):
        names = ["/".join(part[-depth:]) for part in parts]
        if len(set(names)) == len(names):
            break
    stems = [name.removesuffix(".gz").rpartition(".")[0] or name for name in names]
    return stems if len(set(stems)) == len(stems) else names


def shared_models(logs: Sequence[Log]) -> set[str]:
    """Return the models that have scores of the same unit of a task in two logs."""
    first_log: dict[tuple[str, str, str], int] = {}
    shared: set[str] = set()
    for k, log in enumerate(logs):
        for key in set(
            log.rows[[MODEL, "task", "unit"]]
            .fillna("")
            .astype(str)
            .itertuples(index=False, name=None)
        ):
            if first_log.setdefault(key, k) != k:
                shared.add(key[0])
    return shared - {""}

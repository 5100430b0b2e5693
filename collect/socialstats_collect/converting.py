"""Logs of other harnesses to one table, and a table to a file in the format of its name."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from socialstats.claims.types import KEYS, Log
from socialstats.errors import InputError, MissingDependency, NothingToAnalyse
from socialstats.text import count, listing, quoted, shorten
from socialstats_collect.readers import read_logs

if TYPE_CHECKING:
    import pandas as pd


Format = Literal["csv", "tsv", "jsonl", "parquet"]
SUFFIXES: dict[str, Format] = {
    ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
}  # fmt: skip
READABLE = 0o666


def format_of(target: str) -> Format:
    """Return the format that a file's name asks for; ``-`` (stdout) is csv.

    Raises
    ------
    InputError
        For a suffix that is none of these.

    Examples
    --------
    >>> format_of("rows.parquet"), format_of("-")
    ('parquet', 'csv')
    """
    if target == "-":
        return "csv"
    suffix = Path(target).suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"{target}: no format has the suffix '{suffix}'. Suffixes: {listing([*SUFFIXES], 9)}")
    return SUFFIXES[suffix]


def as_bytes(frame: pd.DataFrame, format: Format) -> bytes:
    """Write a table with every digit of its numbers; missing values are empty, or null.

    Raises
    ------
    MissingDependency
        For parquet without pyarrow.

    Examples
    --------
    >>> import pandas as pd
    >>> as_bytes(pd.DataFrame({"unit": ["u1"], "value": [0.1]}), "tsv")
    b'unit\\tvalue\\nu1\\t0.1\\n'
    """
    if format == "jsonl":
        names = [str(name) for name in frame.columns]
        rows = (dict(zip(names, map(_null, row), strict=True)) for row in frame.itertuples(index=False, name=None))
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    if format == "parquet":
        return _parquet(frame)
    return frame.to_csv(index=False, sep="\t" if format == "tsv" else ",", lineterminator="\n").encode()


def _null(value: Any) -> Any:
    return None if isinstance(value, float) and value != value else value


def _parquet(frame: pd.DataFrame) -> bytes:
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise MissingDependency("writing parquet needs pyarrow: pip install 'socialstats[parquet]'") from error
    held = io.BytesIO()
    frame.to_parquet(held, index=False)
    return held.getvalue()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file beside its place and move it there, so that nobody meets half of it.

    Raises
    ------
    OSError
        If the folder cannot be written; nothing is left behind.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:50]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(READABLE & ~mask)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


PER_SCORE = ("value", "answer", "status", "scorer", "trait", "weight", "threshold", "passed")
LOG = "log"


def convert(options: argparse.Namespace) -> int:
    """Read the logs that the options name, write one table, and say on stderr what is in it."""
    target = options.output or "-"
    format = options.format or format_of(target)
    if format == "parquet" and target == "-" and sys.stdout.isatty():
        raise InputError("not printing parquet to a terminal; name a file with -o")
    logs = read_logs(options.log, options.harness)
    table = table_of(logs)
    if target != "-" and Path(target).resolve() in _read_files(Path(options.log)):
        raise InputError(f"{target} is the log itself: name another file with -o")
    content = as_bytes(table if options.wide is None else wide(table, options.wide), format)
    if target == "-":
        sys.stdout.buffer.write(content)
    else:
        write_whole(Path(target), content)
    if not options.quiet:
        _say(logs, table)
    return 0


def _read_files(path: Path) -> set[Path]:
    if path.is_dir():
        return {held.resolve() for held in path.rglob("*") if held.is_file()}
    return {path.resolve()}


def table_of(logs: Sequence[Log]) -> pd.DataFrame:
    """Put the rows of all logs in one table; of several, the column ``log`` names the file.

    Raises
    ------
    NothingToAnalyse
        If the logs hold no row.
    """
    import pandas as pd

    if not sum(len(log.rows) for log in logs):
        raise NothingToAnalyse(
            f"{quoted([log.files[0] for log in logs])}: a log without samples: there is no row to write"
        )
    if len(logs) == 1:
        return logs[0].rows
    parts = [log.rows.assign(**{LOG: log.files[0]}) for log in logs if len(log.rows)]
    return pd.concat(parts, ignore_index=True)


def wide(table: pd.DataFrame, column: str = "scorer") -> pd.DataFrame:
    """Give every value of a column (scorer, trait) a column of its own; rows without one are left out.

    Parameters
    ----------
    table
        Rows of a log.
    column
        Whose values become columns.

    Raises
    ------
    InputError
        If there is no such column, or two rows share a place.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"unit": ["u", "u"], "scorer": ["a", "b"], "value": [1.0, 0.5], "status": ["ok", "ok"]})
    >>> wide(rows).to_dict("records")
    [{'unit': 'u', 'a': 1.0, 'b': 0.5}]
    """
    import pandas as pd

    if column not in table.columns or column == "value":
        names = listing([str(name) for name in table.columns if name != "value"], 20)
        raise InputError(f"--wide {column}: the rows have no such column. Columns: {names}")
    index = [str(name) for name in table.columns if name not in (*PER_SCORE, column)]
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in table.to_dict("records"):
        label = row[column]
        if not isinstance(label, str) or not label:
            continue
        place = tuple(None if row[name] != row[name] else row[name] for name in index)
        name = f"score_{label}" if label in index else label
        held = found.setdefault(place, dict(zip(index, place, strict=True)))
        if name in held:
            at = ", ".join(f"{k} {shorten(str(v), 30)}" for k, v in zip(index, place, strict=True) if k in KEYS and v)
            raise InputError(f"two rows at {at} for {column} '{shorten(name)}': leave out --wide, or choose a column")
        held[name] = row["value"]
    return pd.DataFrame(list(found.values()))


def _say(logs: Sequence[Log], table: pd.DataFrame) -> None:
    for log in logs:
        version = f" {log.version}" if log.version else ""
        print(f"{log.files[0]}: {log.harness}{version}, {count(len(log.rows), 'row')}", file=sys.stderr)
        for note in log.notes:
            print(f"note: {''.join(ch if ch.isprintable() else ' ' for ch in note)}", file=sys.stderr)
    statuses = Counter(table["status"])
    said = ", ".join(f"{status} {count(n)}" for status, n in statuses.most_common())
    print(f"rows by status: {said}", file=sys.stderr)

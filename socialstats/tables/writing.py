"""Tables out: to a file in the format of its name, whole or not at all."""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from socialstats.errors import InputError, MissingDependency
from socialstats.text import listing

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


@contextmanager
def opened_whole(path: Path) -> Iterator[IO[bytes]]:
    """Open a file beside its place for writing; it is moved there at the end, so that nobody meets half of it.

    Raises
    ------
    OSError
        If the folder cannot be written; nothing is left behind.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:50]}.")
    except OSError as error:  # of the file that was asked for, not of the one beside its place
        raise OSError(error.errno, f"{error.strerror} (folder '{path.parent}')", str(path)) from None
    try:
        os.close(handle)
        with open(name, "wb") as file:
            yield file
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(READABLE & ~mask)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: bytes) -> None:
    """Write a file as a whole or not at all (`opened_whole`)."""
    with opened_whole(path) as file:
        file.write(content)


def put(target: str, frame: pd.DataFrame, format: Format) -> None:
    """Write a table to a file, or to stdout (``-``)."""
    content = as_bytes(frame, format)
    if target == "-":
        sys.stdout.buffer.write(content)
    else:
        write_whole(Path(target), content)

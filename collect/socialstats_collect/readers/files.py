"""Files of strangers, opened safely: sizes are bounded, text is UTF-8, and nothing outside the folder is read."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from socialstats.errors import InputError, Problem
from socialstats_collect.readers.streaming import CHUNK, JsonStream, parse

GZIP_MAGIC = b"\x1f\x8b"
ZIP_MAGIC = b"PK\x03\x04"
MOST_BYTES = 1 << 29
MOST_LINE = 1 << 28
MOST_STREAMED = 1 << 34
MOST_FILES = 200_000
DEEPEST = 8
TOO_LARGE = "Split the log, or convert it with its own harness first"


def open_bytes(path: Path) -> IO[bytes]:
    """Open a plain or gzipped file; special files (pipes, devices) are refused.

    Raises
    ------
    InputError
        If there is no such file, or it is none that can be read.
    """
    if not path.exists():
        raise InputError(f"{path.name}: there is no such file")
    if not path.is_file():
        raise InputError(f"{path.name}: this is not a regular file. Name a log file or its folder")
    try:
        with path.open("rb") as stream:
            zipped = stream.read(2) == GZIP_MAGIC
        return gzip.open(path, "rb") if zipped else path.open("rb")  # type: ignore[return-value]
    except OSError as error:
        raise InputError(f"{path.name}: it cannot be read ({(error.strerror or str(error)).lower()})") from error


def damaged(name: str, error: BaseException) -> InputError:
    """Say that a compressed file is broken."""
    reason = str(error).lower() or type(error).__name__
    return InputError(f"{name}: the file is cut off or damaged ({reason}). Copy it again from where it was written")


def load_json(path: Path, *, nan: bool = False, spelled: bool = True, most: int = MOST_BYTES) -> Any:
    """Read a whole JSON file, gzipped or not.

    Parameters
    ----------
    path : path
    nan : bool
        Whether the format documents NaN; elsewhere it is an error with its line.
    spelled : bool
        Keep how decimal numbers are spelled (`streaming.Spelled`).
    most : int
        Bytes, after decompression, beyond which the file is refused.

    Raises
    ------
    InputError
        With the line where the JSON breaks, or the byte that is not UTF-8.
    """
    with open_bytes(path) as raw:
        return parse(raw, path.name, nan=nan, spelled=spelled, most=most)


@contextmanager
def json_stream(path: Path, *, nan: bool = False, spelled: bool = True) -> Iterator[JsonStream]:
    """Open a JSON file to be read member by member, however large it is."""
    with open_bytes(path) as raw:
        yield JsonStream(raw, Problem(message="", source=path.name), nan=nan, spelled=spelled, most=MOST_STREAMED)


def json_lines(path: Path, *, nan: bool = False, spelled: bool = False) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line numbers and objects of a file with one JSON object a line; blank lines are skipped.

    Raises
    ------
    InputError
        For the first line that is not one JSON object.
    """
    offset, fix = 0, "Every line must be one JSON object"
    with open_bytes(path) as raw:
        for number, line in enumerate(_lines(raw, path.name), start=1):
            place = Problem(message="", source=path.name, lines=(number,), fix=fix)
            if line.strip(b" \t\r\n\xef\xbb\xbf"):
                value = JsonStream.of(line.rstrip(b"\r\n"), place, offset, nan=nan, spelled=spelled).whole()
                if not isinstance(value, dict):
                    raise InputError(Problem(message="not a JSON object", source=path.name, lines=(number,), fix=fix))
                yield number, value
            offset += len(line)


def _lines(raw: IO[bytes], name: str) -> Iterator[bytes]:
    try:
        while line := raw.readline(MOST_LINE):
            if len(line) == MOST_LINE:
                raise InputError(f"{name}: a line has more than {MOST_LINE:,} bytes. {TOO_LARGE}")
            yield line
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise damaged(name, error) from error


def head_of(path: Path, size: int = CHUNK) -> bytes:
    """Return the first bytes of a file, decompressed."""
    with open_bytes(path) as raw:
        try:
            return raw.read(size)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise damaged(path.name, error) from error


def inside(folder: Path, name: str) -> Path:
    """Return a file of a folder, refusing names and links that lead out of it.

    Raises
    ------
    InputError
        If the file lies outside.

    Examples
    --------
    >>> inside(Path("."), "../secret.json")
    Traceback (most recent call last):
    socialstats.errors.InputError: ../secret.json: this name leads out of the folder...
    """
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(
            f"{name}: this name leads out of the folder. Copy the file into the folder if it belongs there"
        )
    return path


def files_in(folder: Path) -> tuple[str, ...]:
    """List the files of a folder and its folders, as names relative to it, sorted; links that lead out are an error."""
    found: list[str] = []
    for here, folders, names in os.walk(folder, followlinks=False):
        below = Path(here).relative_to(folder)
        if len(below.parts) >= DEEPEST:
            folders.clear()
        folders.sort()
        found += [(below / name).as_posix() for name in names if not name.startswith(".")]
        if len(found) > MOST_FILES:
            raise InputError(f"{folder.name}: more than {MOST_FILES:,} files. Name the folder of one run")
    return tuple(sorted(found))

"""Files and folders of logs: a first look at what a path holds, and how JSON, lines and zips are read within bounds."""

from __future__ import annotations

import csv
import fnmatch
import gzip
import importlib
import io
import os
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any, Literal

from socialstats.errors import InputError, MissingDependency, Problem, SocialStatsError
from socialstats.harness_logs.streaming import CHUNK, SPLIT, JsonStream, Shape
from socialstats.tables.formats import named_format
from socialstats.tables.limits import RATIO_FROM, check_limit, exceeded, limit
from socialstats.tables.sources import from_path

ZIP_MAGIC = b"PK\x03\x04"
PARQUET_MAGIC = b"PAR1"
DEEPEST = 8


@contextmanager
def open_bytes(path: Path) -> Iterator[IO[bytes]]:
    """Open a plain or gzipped file; special files (pipes, devices) are refused.

    Raises
    ------
    InputError
        If there is no such file, it is none that can be read, or it is cut off.
    """
    if not path.is_file():
        special = "this is not a regular file. Name a log file or its folder"
        raise InputError(f"{path.name}: {special if path.exists() else 'there is no such file'}")
    try:
        with from_path(path).open() as stream:
            yield stream
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise damaged(path.name, error) from error
    except OSError as error:
        raise InputError(
            f"{path.name}: it cannot be read ({(error.strerror or str(error)).lower()})"
        ) from error


def damaged(name: str, error: BaseException, what: str = "file") -> InputError:
    """State that a compressed file, or an entry of it, is broken."""
    reason = str(error).lower() or type(error).__name__
    fix = "Copy it again from where it was written, once the run has ended"
    return InputError(f"{name}: the {what} is cut off or damaged ({reason}). {fix}")


def load_json(path: Path, shape: Shape = None, *, nan: bool = False) -> Any:
    """Read a JSON file, gzipped or not.

    Parameters
    ----------
    path : path
    shape
        What is kept (`streaming.Shape`); the file is then read piece by piece, and may be large.
    nan : bool
        Whether the format documents NaN; elsewhere it is an error with its line.

    Raises
    ------
    InputError
        With the line where the JSON breaks, or the byte that is not UTF-8.
    """
    with open_bytes(path) as raw:
        return JsonStream(raw, Problem(message="", source=path.name), nan=nan).whole(shape)


def json_lines(path: Path, *, nan: bool = False) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line numbers and objects of a file with one JSON object a line; blank lines are skipped.

    Raises
    ------
    InputError
        For the first line that is not one JSON object.
    """
    offset, fix = 0, "Every line must be one JSON object"
    most = int(min(limit("length"), sys.maxsize))
    with open_bytes(path) as raw:
        for number, line in enumerate(iter(lambda: raw.readline(most), b""), start=1):
            place = Problem(message="not a JSON object", source=path.name, lines=(number,), fix=fix)
            if len(line) == most:
                raise exceeded("length", path.name, line=number, fix=SPLIT)
            if line.strip(b" \t\r\n\xef\xbb\xbf"):
                value = JsonStream(line.rstrip(b"\r\n"), place, offset, nan=nan).whole()
                if not isinstance(value, dict):
                    raise InputError(place)
                yield number, value
            offset += len(line)


def head_of(path: Path, size: int = CHUNK) -> bytes:
    """Return the first bytes of a file, decompressed."""
    with open_bytes(path) as raw:
        return raw.read(size)


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
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise InputError(
            f"{name}: this name leads out of the folder. Copy the file into the folder if it belongs there"
        )
    return path


def files_in(folder: Path) -> tuple[str, ...]:
    """List the files of a folder and its folders, as names relative to it, sorted; links that lead out are an error."""
    files: list[str] = []
    for here, folders, names in os.walk(folder, followlinks=False):
        below = Path(here).relative_to(folder)
        folders[:] = sorted(folders) if len(below.parts) < DEEPEST else []
        files += [(below / name).as_posix() for name in names if not name.startswith(".")]
        check_limit("files", len(files), folder.name, fix="Name the folder of one run")
    return tuple(sorted(files))


READABLE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ZSTD = 93
ZSTD_READERS: dict[str, Callable[[Any, IO[bytes]], Any]] = {
    "compression.zstd": lambda module, raw: module.ZstdFile(raw),  # Python 3.14
    "zstandard": lambda module, raw: module.ZstdDecompressor().stream_reader(
        raw, read_across_frames=True
    ),
    "pyarrow": lambda module, raw: module.CompressedInputStream(raw, "zstd"),
}
BLOCK = 1 << 20


class Archive(zipfile.ZipFile):
    """A zip file whose entries are read one at a time, within bounds.

    Parameters
    ----------
    path

    Raises
    ------
    InputError
        If the file is no complete zip, or an entry's name leads out of the archive.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._expanded = path, 0
        try:
            super().__init__(path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise damaged(path.name, error, "zip file") from error
        trouble = ""
        for name in self.namelist():
            if name.startswith(("/", "\\")) or ".." in PurePosixPath(name.replace("\\", "/")).parts:
                trouble = f"the entry {name!r} leads out of the archive. Such a log is not read"
        try:
            check_limit("files", len(self.filelist), path.name, fix=SPLIT)
            if trouble:
                raise InputError(f"{path.name}: {trouble}")
        except InputError:
            self.close()
            raise

    def json(self, name: str) -> Any:
        """Read an entry as JSON, in which NaN is allowed."""
        place = Problem(message="", source=f"{self._path.name}: {name}")
        return JsonStream(self.content(name), place, nan=True).whole()

    def content(self, name: str) -> bytes:
        """Read an entry.

        Raises
        ------
        InputError
            If it is damaged, encrypted, expands beyond what is bounded here, or is packed in another way.
        MissingDependency
            If it is packed with zstd and nothing that reads zstd is installed.
        """
        entry, place = self.getinfo(name), f"{self._path.name}: {name}"
        method, stored = entry.compress_type, copy(entry)
        if method not in (*READABLE, ZSTD) or entry.flag_bits & 1:
            how = "with a password" if entry.flag_bits & 1 else f"by method {method}"
            raise InputError(f"{place}: packed {how}; deflate and zstd are read. Pack it again")
        if (
            method == ZSTD
        ):  # zipfile hands out the packed bytes of an entry that says it is stored and has no checksum
            stored.compress_type, stored.file_size = zipfile.ZIP_STORED, entry.compress_size
            del stored.CRC
        try:
            with self.open(stored) as raw:
                data = self._bounded(_zstd(raw, place) if method == ZSTD else raw, entry, place)
        except SocialStatsError:
            raise
        except Exception as error:  # each decompressor raises errors of its own
            raise damaged(place, error, "entry") from error
        if zlib.crc32(data) != entry.CRC:
            raise InputError(
                f"{place}: the checksum is wrong: the entry is damaged. Copy the file again"
            )
        return data

    def _bounded(self, stream: IO[bytes], entry: zipfile.ZipInfo, place: str) -> bytes:
        """Read a stream block by block, and stop as soon as it expands too far."""
        blocks, size = [], 0
        while block := stream.read(BLOCK):
            blocks.append(block)
            size += len(block)
            self._expanded += len(block)
            if size > RATIO_FROM and size > limit("ratio") * entry.compress_size:
                raise exceeded("ratio", place)
            check_limit("length", size, place, fix=SPLIT)
            check_limit("bytes", self._expanded, place, fix=SPLIT)
        return b"".join(blocks)


def _zstd(raw: IO[bytes], place: str) -> Any:
    """Return a stream of all frames of zstd data, by whichever package is there."""
    for name, stream in ZSTD_READERS.items():
        try:
            return stream(importlib.import_module(name), raw)
        except ImportError:
            continue
    fix = "pip install 'socialstats[zstd]' (or pyarrow, or use Python 3.14)"
    raise MissingDependency(
        f"{place}: the entry is packed with zstd, and nothing here reads it: {fix}"
    )


DEPTH = 2
DELIMITED = ("csv", "tsv")
Kind = Literal["folder", "zip", "object", "list", "lines", "text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A path and a first look at its content.

    Parameters
    ----------
    path
    kind
        ``object``, ``list``: one JSON value; ``lines``: one JSON object a line; ``text``: anything else.
    first
        Leading members of the object, or the first element or line when it is an object; members that lie beyond the
        first megabytes are absent.
    names
        Files of the folder, entries of the zip, or columns of the delimited text.
    trouble
        What broke the first look, for a file that no reader knows.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "battles.jsonl"
    >>> _ = file.write_text('{"model_a": "m1"}\\n{"model_a": "m2"}\\n')
    >>> look(file).kind, look(file).first
    ('lines', {'model_a': 'm1'})
    """

    path: Path
    kind: Kind
    first: dict[str, Any] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    trouble: str = ""

    def fits(self, forms: Iterable[Sequence[str]]) -> bool:
        """Return whether the first look fits a form: one of its kinds, then patterns of members, files or columns."""
        names = [*self.names, *_paths(self.first, DEPTH)]
        return any(
            self.kind in kinds.split()
            and all(fnmatch.filter(names, pattern) for pattern in patterns)
            for kinds, *patterns in forms
        )


def _paths(members: dict[str, Any], depth: int) -> Iterator[str]:
    """Yield the members of an object, and those below as ``outer.inner``."""
    for name, value in members.items():
        yield name
        if depth and isinstance(value, dict):
            yield from (f"{name}.{below}" for below in _paths(value, depth - 1))


def look(path: Path) -> Source:
    """Look at a file or folder.

    Raises
    ------
    InputError
        If there is none, it cannot be read, or it is a zip that is cut off.
    """
    if path.is_dir():
        return Source(path=path, kind="folder", names=files_in(path))
    head = head_of(path)
    if head.startswith(ZIP_MAGIC):
        with Archive(path) as archive:
            return Source(path=path, kind="zip", names=tuple(archive.namelist()))
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if (
        start not in (b"[", b"{") or named_format(path.name) in DELIMITED
    ):  # a csv may begin with [provider]
        return Source(path=path, kind="text", names=_header(head))
    first, after, trouble = _first(head, path.name, start == b"[")
    lines = after.startswith("{") or path.name.lower().removesuffix(".gz").endswith(
        (".jsonl", ".ndjson")
    )
    kind: Kind = "list" if start == b"[" else "lines" if lines else "object"
    return Source(path=path, kind=kind, first=first, trouble=trouble)


def _header(head: bytes) -> tuple[str, ...]:
    """Return the fields of the first record of a delimited text; none of a parquet file."""
    text = head.decode("utf-8-sig", "replace")
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    try:
        fields = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
    except csv.Error:
        return ()
    return () if head.startswith(PARQUET_MAGIC) else tuple(field.strip() for field in fields)


def _first(head: bytes, name: str, is_list: bool) -> tuple[dict[str, Any], str, str]:
    """Return the members of the first object as far as they go, what follows it, and what broke it.

    A first look forgives what a reader will name, and that the head may end in the middle of a value.
    """
    place: dict[str, Any] = {}
    after, trouble = "", ""
    try:
        stream = JsonStream(head, Problem(message="", source=name), nan=True)
        if is_list:
            place["first"] = next(stream.elements(), None)
        else:
            stream.keep({"*": {"*": {"*": None}}}, place, "first")
            after = stream.peek()
    except InputError as error:
        trouble = "" if len(head) >= CHUNK and "not UTF-8" not in str(error) else str(error)
    first = place.get("first")
    return (first if isinstance(first, dict) else {}), after, trouble

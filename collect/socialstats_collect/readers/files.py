"""Files and folders of logs: a first look at what a path holds, and how JSON, lines and zips are read within bounds."""

from __future__ import annotations

import gzip
import io
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import IO, Any, Literal

from socialstats.errors import InputError, MissingDependency, Problem
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


ZSTD = 93
READABLE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
LOCAL_HEADER = 30
BLOCK = 1 << 20
MOST_ENTRY = 1 << 29
MOST_EXPANDED = 1 << 33
MOST_RATIO, RATIO_FROM = 400, 1 << 26
MOST_ENTRIES = 1_000_000


class Archive:
    """A zip file whose entries are read one at a time.

    Parameters
    ----------
    path

    Raises
    ------
    InputError
        If the file is no complete zip, or an entry's name leads out of the archive.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._expanded = path, 0
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            message = f"{path.name}: the zip file is cut off or damaged ({str(error).lower()})"
            raise InputError(f"{message}. Copy it again, or wait until the run has ended") from error
        if len(self._zip.filelist) > MOST_ENTRIES:
            self._zip.close()
            raise InputError(f"{path.name}: more than {MOST_ENTRIES:,} entries. Split the log")
        self._entries = {entry.filename: entry for entry in self._zip.filelist}
        for name in self._entries:
            if name.startswith(("/", "\\")) or ".." in PurePosixPath(name.replace("\\", "/")).parts:
                self._zip.close()
                raise InputError(f"{path.name}: the entry {name!r} leads out of the archive. Such a log is not read")

    def __enter__(self) -> Archive:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the entries, in the order of the archive; of entries with one name, the last counts."""
        return tuple(self._entries)

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def json(self, name: str, *, nan: bool = False, spelled: bool = True) -> Any:
        """Read an entry as JSON."""
        return parse(io.BytesIO(self.read(name)), f"{self.path.name}: {name}", nan=nan, spelled=spelled)

    def read(self, name: str) -> bytes:
        """Read an entry.

        Raises
        ------
        InputError
            If it is damaged, encrypted, expands beyond what is bounded here, or is packed in another way.
        MissingDependency
            If it is packed with zstd and nothing that reads zstd is installed.
        """
        entry, place = self._entries[name], f"{self.path.name}: {name}"
        if entry.flag_bits & 1:
            raise InputError(f"{place}: the entry is encrypted. Save the log without a password")
        if entry.compress_type not in (*READABLE, ZSTD):
            raise InputError(
                f"{place}: packed by method {entry.compress_type}; deflate and zstd are read. Pack it again"
            )
        try:
            if entry.compress_type == ZSTD:
                data = self._bounded(_zstd(self._packed(entry, place), place), entry, place)
                if zlib.crc32(data) != entry.CRC:
                    raise InputError(f"{place}: the checksum is wrong: the entry is damaged. Copy the file again")
                return data
            with self._zip.open(entry) as stream:
                return self._bounded(stream, entry, place)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            message = f"{place}: the entry is cut off or damaged ({str(error).lower()})"
            raise InputError(f"{message}. Copy the file again") from error

    def _packed(self, entry: zipfile.ZipInfo, place: str) -> bytes:
        """Read the packed bytes of an entry, after its local header (APPNOTE.TXT 6.3.10, section 4.3.7)."""
        if entry.compress_size > MOST_ENTRY:
            raise InputError(f"{place}: {entry.compress_size:,} packed bytes are more than is read. Split the log")
        with self.path.open("rb") as raw:
            raw.seek(entry.header_offset)
            header = raw.read(LOCAL_HEADER)
            if len(header) < LOCAL_HEADER or header[:4] != b"PK\x03\x04":
                raise zipfile.BadZipFile("no local header")
            skipped = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
            raw.seek(skipped, io.SEEK_CUR)
            packed = raw.read(entry.compress_size)
        if len(packed) < entry.compress_size:
            raise zipfile.BadZipFile("the entry ends too early")
        return packed

    def _bounded(self, stream: IO[bytes], entry: zipfile.ZipInfo, place: str) -> bytes:
        """Read a stream block by block, and stop as soon as it expands too far."""
        blocks, size = [], 0
        while block := stream.read(BLOCK):
            blocks.append(block)
            size += len(block)
            self._expanded += len(block)
            ratio = size / max(entry.compress_size, 1)
            bomb = size > RATIO_FROM and ratio > MOST_RATIO
            if bomb or size > MOST_ENTRY or self._expanded > MOST_EXPANDED:
                held = f"it expands to more than {size:,} bytes from {entry.compress_size:,}"
                raise InputError(
                    f"{place}: {held}: a zip bomb or a log that is too large. It is not read; split the log"
                )
        return b"".join(blocks)


def _zstd(packed: bytes, place: str) -> IO[bytes]:
    """Return a stream of all frames of zstd data, by whichever package is there."""
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]  # Python 3.14

        return io.BufferedReader(_Checked(zstd.ZstdFile(io.BytesIO(packed)), zstd.ZstdError))
    except ImportError:
        pass
    try:
        import zstandard

        reader: Any = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed), read_across_frames=True)
        return io.BufferedReader(_Checked(reader, zstandard.ZstdError))
    except ImportError:
        pass
    try:
        import pyarrow as pa
    except ImportError as error:
        fix = "pip install 'socialstats[zstd]' (or pyarrow, or use Python 3.14)"
        raise MissingDependency(f"{place}: the entry is packed with zstd, and nothing here reads it: {fix}") from error
    return io.BufferedReader(_Checked(pa.CompressedInputStream(pa.BufferReader(packed), "zstd"), pa.ArrowException))


class _Checked(io.RawIOBase):
    """A reader of another package as a raw stream whose errors are OSErrors."""

    def __init__(self, reader: Any, errors: type[Exception]) -> None:
        self._reader, self._errors = reader, errors

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            block = self._reader.read(len(buffer))
        except self._errors as error:
            raise OSError(f"zstd: {error}") from error
        buffer[: len(block)] = block
        return len(block)


DEPTH = 2
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
        Files of the folder, or entries of the zip.
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

    def has(self, *keys: str) -> bool:
        """Tell whether the first look found all these members."""
        return all(key in self.first for key in keys)


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
        return Source(path=path, kind="zip", names=_entries(path))
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if start not in (b"[", b"{"):
        return Source(path=path, kind="text")
    first, rest, trouble = _first(head, path.name, start == b"[")
    if start == b"[":
        return Source(path=path, kind="list", first=first, trouble=trouble)
    lines = rest.startswith("{") or path.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson"))
    return Source(path=path, kind="lines" if lines else "object", first=first, trouble=trouble)


def _entries(path: Path) -> tuple[str, ...]:
    try:
        with zipfile.ZipFile(path) as archive:
            return tuple(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        message = f"{path.name}: the zip file is cut off or damaged ({str(error).lower()})"
        raise InputError(f"{message}. Copy it again, or wait until the run has ended") from error


def _first(head: bytes, name: str, is_list: bool) -> tuple[dict[str, Any], str, str]:
    """Return the members of the first object as far as they go, what follows it, and what broke it.

    A first look forgives what a reader will name, and that the head may end in the middle of a value.
    """
    found: dict[str, Any] = {}
    try:
        stream = JsonStream.of(head, Problem(message="", source=name), nan=True)
        if is_list:
            element = next(stream.elements(), None)
            return (element if isinstance(element, dict) else {}), "", ""
        _fill(found, stream, DEPTH)
        return found, stream.peek(), ""
    except InputError as error:
        cut = len(head) >= CHUNK and "not UTF-8" not in str(error)
        return found, "", "" if cut else str(error)


def _fill(found: dict[str, Any], stream: JsonStream, depth: int) -> None:
    """Put the members of an object in place as they are read, so that what was read stays when the head ends."""
    for key in stream.members():
        found[key] = None
        if depth and stream.peek() == "{":
            inner: dict[str, Any] = {}
            found[key] = inner
            _fill(inner, stream, depth - 1)
        else:
            found[key] = stream.value(plain=True)

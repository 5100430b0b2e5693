"""Where bytes come from: files, pipes and standard input, packed or not, read within the limits of `limits`."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import select
import shutil
import stat
import sys
import tempfile
import time
import weakref
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from socialstats.errors import InputError, NothingToAnalyse, Problem
from socialstats.progress import announce
from socialstats.tables.aliases import Bytes
from socialstats.tables.limits import RATIO_FROM, check_limit, exceeded, limit
from socialstats.tables.writing import is_read
from socialstats.text import count, shorten

GZIP_MAGIC = b"\x1f\x8b"
END = re.compile(rb"[\r\n]")
NUL_FIX = "The file may be UTF-16 or binary: save it as UTF-8 text"
# bytes read at a time
BLOCK = 1 << 18
# bytes of a stream that are kept in memory; a longer one goes to a temporary file
IN_MEMORY = 1 << 26
# characters of a file's name in messages: all that most file systems allow
LONGEST_NAME = 255
# seconds without data, after which a reader says what it waits for
PATIENCE = 5.0


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True)
class ByteSource:
    """Bytes that can be read again and again.

    Attributes
    ----------
    name : str
        Name for messages.
    raw : callable
        Returns a fresh binary stream of the bytes as they are.
    packed : bool
        True for bytes that gzip made.
    path : Path or None
        A file that holds the bytes as they are; None for bytes in memory.
    encoding : str
        Of a text that is no UTF-8: it is read as if it were.
    errors : str
        What becomes of bytes that are no text, as `codecs` has it.
    """

    name: str
    raw: Callable[[], Bytes]
    packed: bool
    path: Path | None = None
    encoding: str = ""
    errors: str = "strict"

    def open(self, *, text: bool = False) -> Bytes:
        """Return a fresh stream of the unpacked bytes; of text it refuses endless lines and NUL characters."""
        return io.BufferedReader(self._bounded(text=text), BLOCK)

    def _bounded(self, *, text: bool) -> Bounded:
        raw = self.raw()
        stream = cast(Bytes, gzip.GzipFile(fileobj=raw, mode="rb")) if self.packed else raw
        stream = (
            cast(Bytes, Recoded(stream, self.encoding, self.errors)) if self.encoding else stream
        )
        return Bounded(stream, self.name, raw, text=text)

    def seekable(self) -> Bytes:
        """Return a stream of the unpacked bytes in which a reader may go back and forth."""
        if not self.packed:
            return self.raw()
        unpacked = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 (it is returned open)
        with self.open() as stream:
            shutil.copyfileobj(stream, unpacked, BLOCK)
        unpacked.seek(0)
        return cast(Bytes, unpacked)

    def problem(self, message: str, *lines: int, **more: Any) -> Problem:
        """Return what is wrong with some lines of a text."""
        return Problem(message=message, source=self.name, lines=lines, **more)

    def sha256(self) -> str:
        """Return the checksum of the bytes as they are, in hexadecimal."""
        digest = hashlib.sha256()
        with self.raw() as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
        return digest.hexdigest()

    def head(self, size: int = 4096) -> bytes:
        """Return the first bytes."""
        try:
            with replace(self, errors="replace").open() as stream:
                return stream.read(size)
        except (OSError, EOFError, zlib.error, UnicodeError) as error:
            raise InputError(f"{self.name}: it cannot be read ({_error_reason(error)})") from error

    def longest_line(self) -> int:
        """Return how many bytes the longest line of a text has, or some number below `BLOCK`.

        Raises
        ------
        InputError
            For a text beyond the limits.
        """
        with self._bounded(text=True) as stream:
            buffer = bytearray(BLOCK)
            while stream.readinto(buffer):
                pass
            return stream.longest


def _error_reason(error: BaseException) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower() or type(error).__name__


class Recoded:
    """Bytes of a text in some encoding as those of UTF-8.

    Examples
    --------
    >>> Recoded(io.BytesIO("K\u00f6ln".encode("cp1252")), "cp1252", "strict").read(16).decode()
    'K\u00f6ln'
    """

    def __init__(self, stream: Bytes, encoding: str, errors: str) -> None:
        self._text, self._errors = (
            io.TextIOWrapper(stream, encoding=encoding, errors=errors, newline=""),
            errors,
        )
        self.close = self._text.close

    def read(self, size: int) -> bytes:
        """Return some bytes; a character has four at most."""
        # a character takes at most four bytes of UTF-8
        return self._text.read(size // 4).encode("utf-8", self._errors)


class Bounded(io.RawIOBase):
    """A stream that is refused as soon as it is beyond a limit.

    Parameters
    ----------
    stream
        Of the unpacked bytes.
    name
        For messages.
    packed
        The stream below, whose position says how many bytes were unpacked.
    text
        Whether lines have a limit and NUL characters are refused.

    Attributes
    ----------
    longest : int
        Bytes of the longest line so far, where they are more than are read at a time.
    """

    def __init__(self, stream: Bytes, name: str, packed: Bytes, *, text: bool = False) -> None:
        self._stream, self._name, self._packed, self._text = stream, name, packed, text
        self._total, self._in_line, self._lines, self.longest = 0, 0, 0, 0
        self._limits = {key: limit(key) for key in ("bytes", "ratio", "length")}

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer.

        Raises
        ------
        InputError
        """
        block = self._stream.read(len(buffer))
        buffer[: len(block)] = block
        self._total += len(block)
        if self._total > self._limits["bytes"]:
            raise exceeded("bytes", self._name)
        unpacked = self._packed is not self._stream and self._total > RATIO_FROM
        # `tell` is how much was read of the packed file
        if unpacked and self._total > self._limits["ratio"] * self._packed.tell():
            raise exceeded("ratio", self._name)
        if self._text:
            self._check_text(block)
        return len(block)

    def _check_text(self, block: bytes) -> None:
        if b"\0" in block:
            line = self._lines + block.count(b"\n", 0, block.index(b"\0")) + 1
            raise InputError(
                Problem(message="a NUL character", source=self._name, lines=(line,), fix=NUL_FIX)
            )
        first, last = END.search(block), max(block.rfind(b"\n"), block.rfind(b"\r"))
        self.longest = max(self.longest, self._in_line + (first.start() if first else len(block)))
        if self.longest > self._limits["length"]:
            raise exceeded("length", self._name, line=self._lines + 1)
        self._lines += block.count(b"\n")
        self._in_line = len(block) - 1 - last if first else self._in_line + len(block)

    def close(self) -> None:
        """Close the stream and the one below it."""
        if not self.closed:
            self._stream.close()
            self._packed.close()
        super().close()


class Fixed(io.RawIOBase):
    """A file that ends where it ended when it was first looked at: one that grows would otherwise have no end."""

    def __init__(self, path: Path, size: int) -> None:
        self._file, self._size = io.FileIO(path), size

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer, up to that end."""
        # a log that grows while it is read ends where it ended when it was opened
        left = max(self._size - self._file.tell(), 0)
        return self._file.readinto(memoryview(buffer)[:left]) or 0

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Move to a place, counted from that end where the end is meant."""
        if whence == io.SEEK_END:
            return self._file.seek(self._size + offset)
        return self._file.seek(offset, whence)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


def from_path(path: Path) -> ByteSource:
    """Return a file, a pipe or standard input by its name as a source.

    Raises
    ------
    InputError
        If there is no such file, it is a folder, a socket or a device, or nobody may read it.
    """
    name = shorten(path.name or str(path), LONGEST_NAME)
    try:
        state = path.stat()
    except FileNotFoundError as error:
        raise InputError(f"{shorten(str(path), 400)}: there is no such file") from error
    except (
        OSError,
        ValueError,
    ) as error:
        # a loop of links, a name that is too long, one with a NUL character
        raise InputError(f"{name}: it cannot be read ({_error_reason(error)})") from error
    if stat.S_ISDIR(state.st_mode):
        raise InputError(f"{name}: this is a folder, not a file. Name the file in it")
    if stat.S_ISSOCK(state.st_mode) or stat.S_ISBLK(state.st_mode):
        raise InputError(
            f"{name}: this is {'a socket' if stat.S_ISSOCK(state.st_mode) else 'a disk'}, not a file"
        )
    is_read(path)
    try:
        if stat.S_ISFIFO(state.st_mode):
            with open_pipe(path, name) as stream:
                return from_stream(stream, name)
        if not stat.S_ISREG(state.st_mode):
            with path.open("rb", buffering=0) as stream:
                return from_stream(cast(Bytes, stream), name)

        def raw() -> Bytes:
            return io.BufferedReader(Fixed(path, state.st_size), BLOCK)

        with raw() as stream:
            packed = stream.read(2) == GZIP_MAGIC
    except OSError as error:
        raise InputError(f"{name}: it cannot be read ({_error_reason(error)})") from error
    return ByteSource(name=name, raw=raw, packed=packed, path=path)


def from_bytes(data: bytes, name: str) -> ByteSource:
    """Return bytes in memory as a source."""
    return ByteSource(name=name, raw=lambda: io.BytesIO(data), packed=data[:2] == GZIP_MAGIC)


def from_stream(stream: Bytes, name: str) -> ByteSource:
    """Return what a stream holds (standard input, a pipe) as a source; it is read to its end.

    Raises
    ------
    InputError
        For a device that never ends, and for a stream beyond the limits.
    """
    buffer, arriving = bytearray(), read_blocks(stream, name)
    for block in arriving:
        buffer += block
        if len(buffer) > IN_MEMORY:
            break
    else:
        return from_bytes(bytes(buffer), name)
    with tempfile.NamedTemporaryFile(prefix="socialstats", delete=False) as file:
        path = Path(file.name)
        try:
            file.write(buffer)
            file.writelines(arriving)
            file.flush()
            source = from_path(path)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
    # the temporary file lives as long as the source that reads it
    weakref.finalize(source.raw, path.unlink, missing_ok=True)
    return replace(source, name=name)


def standard_input() -> ByteSource:
    """Return standard input as a source."""
    return from_stream(sys.stdin.buffer, "stdin")


def small_file(path: Path) -> bytes:
    """Return the bytes of a small file: a plan, a page, a paper; those of gzip as they are.

    Raises
    ------
    InputError
        If it cannot be read, or is larger than documents are.
    """
    source = standard_input() if str(path) == "-" else from_path(path)
    with source.raw() as stream:
        data = stream.read(int(min(limit("document"), sys.maxsize - 1)) + 1)
    check_limit("document", len(data), source.name)
    return data


def open_pipe(path: Path, name: str) -> Bytes:
    """Open a named pipe, once a program writes to it.

    Raises
    ------
    InputError
        If none does in time.
    """
    # opening a pipe waits for a writer, which may never come
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        if not _arrives(handle, name, limit("writer")):
            raise exceeded(
                "writer", name, fix="Start the program that writes to it, or name a file"
            )
        os.set_blocking(handle, True)
    except BaseException:
        os.close(handle)
        raise
    return cast(Bytes, open(handle, "rb", buffering=0))


def read_blocks(stream: Bytes, name: str) -> Iterator[bytes]:
    """Yield what a stream holds, block by block, to its end.

    Raises
    ------
    InputError
        For a device that is no terminal, a stream beyond the limits, and if the end does not come in time.
    """
    handle = _handle(stream)
    if handle is not None and stat.S_ISCHR(os.fstat(handle).st_mode) and not os.isatty(handle):
        if handle_is_empty(handle):
            return
        raise InputError(f"{name}: this is a device, which holds no table. Name a file or a pipe")
    end, size = time.monotonic() + limit("seconds"), 0
    while True:
        left = end - time.monotonic()
        if left < 0 or (handle is not None and not _arrives(handle, name, left)):
            raise exceeded(
                "seconds", name, fix="Write it to a file, and name that file once it is complete"
            )
        block = stream.read(BLOCK) if handle is None else os.read(handle, BLOCK)
        if not block:
            return
        size += len(block)
        if size > limit("stream"):
            raise exceeded("stream", name, fix="Write it to a file, and name that file")
        yield block


def handle_is_empty(handle: int) -> bool:
    """Return whether a device is the one that holds nothing."""
    return os.path.exists(os.devnull) and os.path.samestat(os.fstat(handle), os.stat(os.devnull))


def _handle(stream: Bytes) -> int | None:
    """Return the number of an open file; None for bytes in memory, and where streams cannot be waited for."""
    try:
        return stream.fileno() if hasattr(select, "poll") else None
    except (AttributeError, OSError):
        return None


def _arrives(handle: int, name: str, seconds: float) -> bool:
    """Wait until bytes, or the end, arrive; False if they do not in time. After a while it is said what is missing."""
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    if poll.poll(1000 * max(min(seconds, PATIENCE), 0)):
        return True
    if seconds > PATIENCE:
        announce(
            f"waiting for data from {name}, for {count(round(seconds - PATIENCE), 'second')} at most"
        )
        return bool(poll.poll(1000 * (seconds - PATIENCE)))
    return False


class CheckedText(io.TextIOWrapper):
    """UTF-8 text that notes delimiters and apostrophes in what is read in blocks.

    Attributes
    ----------
    delimiter : str
    delimiters : int
        How many were read by `read`.
    apostrophes : bool
        Whether any was read by `read`.
    """

    delimiter = ","
    delimiters = 0
    apostrophes = False

    def read(self, size: int | None = -1, /) -> str:
        """Read a block of text."""
        block = super().read(size)
        self.delimiters += block.count(self.delimiter)
        self.apostrophes |= "'" in block
        return block


def open_text(source: ByteSource) -> CheckedText:
    """Open a source as text with its line ends kept."""
    return CheckedText(
        source.open(text=True), encoding="utf-8-sig", errors=source.errors, newline=""
    )


def refuse_empty(source: ByteSource) -> None:
    """Refuse files without a character that shows, before anything is parsed."""
    head = source.head()
    if not head.strip(b"\xef\xbb\xbf \t\r\n") and len(head) < 4096:
        raise NothingToAnalyse(f"{source.name} is empty: there is nothing to analyse")

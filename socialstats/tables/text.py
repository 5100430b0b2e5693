"""Text files as text: UTF-8 only, byte-order mark or not, gzipped or not, from a path or standard input."""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from socialstats.errors import InputError, NothingToAnalyse, Problem

GZIP_MAGIC = b"\x1f\x8b"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
NUL_FIX = "The file may be UTF-16 or binary: save it as UTF-8 text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Bytes that can be read again and again.

    Attributes
    ----------
    name : str
        Name for messages.
    open : callable
        Returns a fresh binary stream, already decompressed.
    raw : callable
        Returns a fresh binary stream of the bytes as they are.
    """

    name: str
    open: Callable[[], IO[bytes]]
    raw: Callable[[], IO[bytes]]

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
            with self.open() as stream:
                return stream.read(size)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{self.name}: it cannot be read ({_reason(error)})") from error


def _reason(error: BaseException) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower() or type(error).__name__


def from_path(path: Path) -> Source:
    """Return a file as a source.

    Raises
    ------
    InputError
        If there is no such file.
    """
    if path.is_dir():
        raise InputError(f"{path.name}: this is a folder, not a file. Name the file in it")
    if not path.exists():
        raise InputError(f"{path}: there is no such file")
    try:
        if not path.is_file():  # a pipe gives its bytes once
            return from_bytes(path.read_bytes(), path.name)
        with path.open("rb") as stream:
            zipped = stream.read(2) == GZIP_MAGIC
    except OSError as error:
        raise InputError(f"{path.name}: it cannot be read ({_reason(error)})") from error
    return _source(path.name, lambda: path.open("rb"), zipped)


def from_bytes(data: bytes, name: str) -> Source:
    """Return bytes in memory (standard input, a pipe) as a source."""
    return _source(name, lambda: io.BytesIO(data), data[:2] == GZIP_MAGIC)


def _source(name: str, raw: Callable[[], IO[bytes]], zipped: bool) -> Source:
    return Source(name=name, raw=raw, open=(lambda: cast(IO[bytes], Unzipped(raw()))) if zipped else raw)


class Unzipped(gzip.GzipFile):
    """A gzipped stream that closes what it reads from."""

    def __init__(self, packed: IO[bytes]) -> None:
        super().__init__(fileobj=packed, mode="rb")
        self._packed = packed

    def close(self) -> None:
        """Close the stream and the file below it."""
        try:
            super().close()
        finally:
            self._packed.close()


class CheckedText(io.TextIOWrapper):
    """UTF-8 text that counts a delimiter in what is read in blocks, and refuses NUL characters.

    Attributes
    ----------
    delimiter : str
    delimiters : int
        How many were read by `read`.
    """

    delimiter = ","
    delimiters = 0

    def read(self, size: int | None = -1, /) -> str:
        """Read a block of text."""
        block = super().read(size)
        if "\0" in block:
            raise UnicodeDecodeError("utf-8", b"\0", 0, 1, "NUL character")
        self.delimiters += block.count(self.delimiter)
        return block


def open_text(source: Source) -> CheckedText:
    """Open a source as UTF-8 text with its line ends kept."""
    return CheckedText(source.open(), encoding="utf-8-sig", newline="")


def refuse_other_encodings(source: Source) -> None:
    """Refuse empty files and UTF-16 before anything is parsed."""
    head = source.head()
    if not head.strip(b"\xef\xbb\xbf \t\r\n") and len(head) < 4096:
        raise NothingToAnalyse(f"{source.name} is empty: there is nothing to analyse")
    if head[:2] in UTF16_MARKS:
        raise InputError(f"{source.name}: the file is UTF-16. Save it as UTF-8")


def bad_text(source: Source) -> InputError:
    """Find the first line that is not UTF-8, or holds a NUL character, and say so."""
    with source.open() as stream:
        for line, data in enumerate(stream, start=1):
            if b"\0" in data:
                return InputError(Problem(message="a NUL character", source=source.name, lines=(line,), fix=NUL_FIX))
            try:
                data.decode("utf-8")
            except UnicodeDecodeError as error:
                byte = data[error.start]
                message = f"byte 0x{byte:02x} is not UTF-8"
                fix = "Save the file as UTF-8 (it may be Latin-1 or Windows-1252)"
                return InputError(Problem(message=message, source=source.name, lines=(line,), fix=fix))
    return InputError(f"{source.name}: the text cannot be decoded. Save it as UTF-8")

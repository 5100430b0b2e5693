"""Zip archives of strangers: deflate and zstd entries, one at a time, with a bound on what they expand to.

Inspect writes entries with zstd (method 93 of APPNOTE.TXT 6.3.10, section 4.4.5), which the standard library reads from
Python 3.14 on; large ones in several frames, all of which are read.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import IO, Any

from socialstats.errors import InputError, MissingDependency
from socialstats_collect.readers.streaming import parse

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

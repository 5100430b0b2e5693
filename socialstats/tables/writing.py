"""Writing of files: whole or not at all, never over a file of another kind, a log or an input."""

from __future__ import annotations

import csv
import errno
import io
import itertools
import json
import os
import re
import signal
import stat
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from socialstats.errors import InputError, MissingDependency, Problem
from socialstats.tables.aliases import Bytes, Texts
from socialstats.tables.formula_cells import NUMERIC, guarded, guarded_frame, unguarded
from socialstats.text import listing, quoted, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    import pandas as pd

Target = str | Path
Format = Literal["csv", "tsv", "jsonl", "parquet"]
SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
SEPARATORS = {"csv": ",", "tsv": "\t"}
READABLE = 0o666
# bytes looked at: of any file, of a log, of a row of JSON
HEAD, CHUNK, LONGEST_LINE = (
    1 << 12,
    1 << 16,
    1 << 24,
)
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
DESCRIPTOR = re.compile(r"/dev/(stdout|stderr|fd/\d+)|/proc/self/(fd/\d+)")


def format_by_name(target: str) -> Format:
    """Return the format that a file's name asks for; ``-`` (stdout), a device or a pipe without a suffix is csv.

    Raises
    ------
    InputError
        For a suffix that is none of these.

    Examples
    --------
    >>> format_by_name("rows.parquet"), format_by_name("-")
    ('parquet', 'csv')
    """
    suffix = Path(target).suffix.lower()
    if target == "-" or (not suffix and straight(target)):
        return "csv"
    if suffix not in SUFFIXES:
        raise InputError(
            f"{target}: no format has the suffix '{suffix}'. Suffixes: {listing([*SUFFIXES], 9)}"
        )
    return SUFFIXES[suffix]


def as_bytes(frame: pd.DataFrame, format: Format) -> bytes:
    """Write a table with every digit of its numbers; missing values are empty, or null.

    In csv and tsv a text that a spreadsheet would take for a formula has an apostrophe before it (`formula_cells`).

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
        rows = (
            dict(zip(names, map(_missing_as_none, row), strict=True))
            for row in frame.itertuples(index=False, name=None)
        )
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    if format == "parquet":
        return _parquet(frame)
    frame = frame if _keeps_formulas() else guarded_frame(frame)
    texts = [column for _, column in frame.items() if column.dtype.kind not in NUMERIC]
    returns = any(map(_has_return, itertools.chain(frame.columns, *texts)))
    # csv.QUOTE_NONNUMERIC, csv.QUOTE_MINIMAL
    quoting: Literal[0, 2] = 2 if returns else 0
    return frame.to_csv(
        index=False, sep=SEPARATORS[format], lineterminator="\n", quoting=quoting
    ).encode()


def _has_return(value: Any) -> bool:
    """Return whether a value is a text with a carriage return, which ends a row unless the text is in quotes."""
    return isinstance(value, str) and "\r" in value


def write_rows(
    out: IO[str], rows: Iterable[Iterable[Any]], format: Literal["csv", "tsv"] = "csv"
) -> None:
    """Write rows of csv or tsv; what looks like a formula is guarded (`csv_cell`).

    Examples
    --------
    >>> write_rows(sys.stdout, [["unit", "value"], ["=u", -0.1]])
    unit,value
    '=u,-0.1
    """
    minimal, full = (
        csv.writer(out, delimiter=SEPARATORS[format], lineterminator="\n", quoting=quoting)
        for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC)
    )
    for row in rows:
        cells = [csv_cell(value) for value in row]
        # csv readers end a line at a bare return, unless the field is quoted
        (full if any(map(_has_return, cells)) else minimal).writerow(cells)


def _missing_as_none(value: Any) -> Any:
    return None if isinstance(value, float) and value != value else value


def _parquet(frame: pd.DataFrame) -> bytes:
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise MissingDependency(
            "writing parquet needs pyarrow: pip install 'socialstats[parquet]'"
        ) from error
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file, and how one that exists is known as such: nothing else is replaced.

    Attributes
    ----------
    name
        With its article, for messages.
    known
        Tells of a path whether it is of this kind.
    """

    name: str
    known: Callable[[Path], bool]


def kind_by_mark(name: str, mark: str) -> Kind:
    """Return the kind of the files whose first 4,096 bytes match a regular expression from their start.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "note.txt"
    >>> _ = file.write_text("Dear diary")
    >>> kind_by_mark("a letter", "Dear .*").known(file), METHODS.known(file)
    (True, False)
    """
    return Kind(name, lambda path: re.match(mark.encode(), _head(path), re.DOTALL) is not None)


def table_like(columns: Texts, format: Format) -> Kind:
    """Return the kind of the tables in a format with these columns in this order."""
    heads = list(map(unguarded, columns))
    return Kind(
        f"a {format} table of {quoted(columns)}",
        lambda path: _existing_columns(path, format) == heads,
    )


def text_like(content: str, name: str = "a text of socialstats") -> Kind:
    """Return the kind of the texts that begin as this one does: its first line up to a colon, numbers aside.

    Of LaTeX the whole head of the table counts.
    """
    lines = content.split("\n")
    # every text in LaTeX begins with a backslash, so that one line tells too little
    head = "\n".join(lines[:3]) if content[:1] == "\\" else lines[0].partition(":")[0]
    return kind_by_mark(
        name, re.sub(r"\d+", r"\\d+", re.escape(head.replace("\r", ""))) + r"(?![^:\n])"
    )


PAGE = kind_by_mark("a page of socialstats", '.*<meta name="generator" content="socialstats ')
NUMBERS = kind_by_mark("numbers of socialstats (JSON)", r'\s*\{\s*"socialstats": "')
MARKDOWN = kind_by_mark("a Markdown report of socialstats", r"# .{1,3000}Made by socialstats ")
METHODS = kind_by_mark(
    "a methods paragraph of socialstats", "Responses were collected with socialstats "
)
RUN_FILE = kind_by_mark("a run file of 'socialstats design'", "# Written by socialstats design")
LOG = Kind("a log", lambda path: False)
LOG_LINE = re.compile(rb'\{"type": "(run|item|attempt|end)", ')
DESCRIPTIONS: tuple[tuple[bytes, str], ...] = (
    (rb"\s*(<!doctype html|<html)", "a page of somebody else"),
    (rb"%PDF", "a PDF"),
    (rb"PK\x03\x04", "an archive"),
    (rb"PAR1", "a parquet table"),
    (rb"(?s).*\0", "not a text"),
    (rb"\s*[{\[]", "JSON of another kind"),
)


def _head(path: Path, size: int = HEAD) -> bytes:
    with path.open("rb") as file:
        return file.read(size)


def _existing_columns(path: Path, format: Format) -> list[str] | None:
    """Return the columns of a table that exists; None for anything else."""
    try:
        if format == "parquet":
            import pyarrow.parquet

            return [unguarded(str(name)) for name in pyarrow.parquet.read_schema(path).names]
        with path.open(encoding="utf-8-sig", newline="") as file:
            if format == "jsonl":
                first = json.loads(file.readline(LONGEST_LINE))
                return list(map(unguarded, first)) if isinstance(first, dict) else None
            heads = next(csv.reader(file, delimiter="\t" if format == "tsv" else ","), None)
            return None if heads is None else list(map(unguarded, heads))
    except (
        OSError,
        ValueError,
        csv.Error,
        RecursionError,
    ):
        # UnicodeDecodeError and pyarrow's are ValueErrors
        return None


def _describe_file(path: Path) -> str:
    """Describe a file."""
    head = _head(path)
    ours = next(
        (kind.name for kind in (PAGE, NUMBERS, METHODS, RUN_FILE) if kind.known(path)), None
    )
    description = next(
        (what for mark, what in DESCRIPTIONS if re.match(mark, head, re.IGNORECASE)), None
    )
    line = head.decode("utf-8", "replace").strip("\ufeff \r\n").split("\n")[0]
    return ours or description or f"a file that begins with '{shorten(line, 60)}'"


@dataclass(slots=True)
class _Allowed:
    read: list[Path] = field(default_factory=list)
    overwrite: bool = False
    keep_formulas: bool = False


_allowed: ContextVar[_Allowed | None] = ContextVar("allowed", default=None)


@contextmanager
def writing(
    words: Iterable[str], *, overwrite: bool, keep_formulas: bool = False
) -> Iterator[None]:
    """Inside, no file that one of the words names is written over, and others of another kind only with `overwrite`.

    A word may be anything that a command was given, also ``BOOK.xlsx:SHEET``. With `keep_formulas` texts that look like
    formulas are written as they are.
    """
    named = [
        part for word in words for part in (word, word.rpartition(":")[0]) if os.path.isfile(part)
    ]
    token = _allowed.set(_Allowed([*map(Path, named)], overwrite, keep_formulas))
    try:
        yield
    finally:
        _allowed.reset(token)


def _keeps_formulas() -> bool:
    allowed = _allowed.get()
    return allowed is not None and allowed.keep_formulas


def csv_cell(value: Any) -> Any:
    """Return a value as csv files hold it: a text that looks like a formula with an apostrophe before it."""
    return value if _keeps_formulas() else guarded(value)


def is_read(*paths: Path) -> None:
    """Note files that a command reads, though no option names them."""
    if (allowed := _allowed.get()) is not None:
        allowed.read += paths


def writable_place(target: Target, kind: Kind) -> Path:
    """Return where a file is to be written, links followed, or raise where something stands that would be lost.

    Parameters
    ----------
    target
        A file, a device or a pipe.
    kind
        What is to be written.

    Raises
    ------
    InputError
        For a folder, a missing folder, a write-protected file, a file that the command reads, or a log of ``socialstats
        collect``. Without ``--overwrite`` also for any other file that is not of this kind.
    """
    path, allowed = Path(target), _allowed.get() or _Allowed()
    try:
        state = path.stat()
    except FileNotFoundError:
        if not (place := path.resolve()).parent.is_dir():
            raise _refused(target, f"there is no folder {place.parent}", "Make it first.") from None
        return _in_folder(place, target)
    except OSError as error:
        raise _refused(target, f"cannot be written: {error.strerror}") from None
    if stat.S_ISDIR(state.st_mode):
        raise _refused(target, "is a folder", "Name a file in it.")
    if straight(path):
        return path
    if any(description.exists() and path.samefile(description) for description in allowed.read):
        raise _refused(target, "would be written over, though it is read, or was just written")
    if not os.access(path, os.W_OK):
        raise _refused(target, "is write-protected")
    if state.st_size and not kind.known(path):
        if LOG_LINE.search(_head(path, CHUNK)):
            raise _refused(target, "is a log of 'socialstats collect', which nothing replaces")
        if not allowed.overwrite:
            fix = f"Name another file, or add {option('overwrite', True, '--overwrite')}."
            raise _refused(
                target, f"exists, and is {_describe_file(path)}; {kind.name} would replace it", fix
            )
    return _in_folder(path.resolve(), target)


def _in_folder(place: Path, target: Target) -> Path:
    if not os.access(place.parent, os.W_OK):
        raise _refused(target, f"the folder {place.parent} is read-only")
    return place


def _refused(target: Target, message: str, fix: str = "Name another file.") -> InputError:
    return InputError(Problem(message=message, source=str(target), fix=fix))


@contextmanager
def opened_whole(target: Target, kind: Kind) -> Iterator[Bytes]:
    """Open a file beside its place for writing; it is moved there at the end, so that nobody meets half of it.

    Devices and pipes are written to as they are; ``-`` is stdout.

    Raises
    ------
    InputError
        Where something stands that would be lost (`writable_place`), or the folder or disk takes no file. Nothing is
        left behind.
    """
    if str(target) == "-":
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    place = writable_place(target, kind)
    number, name = _descriptor(place), ""
    try:
        if number is not None:
            sys.stdout.flush()
            handle = os.dup(number)
        elif straight(place):
            handle = os.open(place, os.O_WRONLY)
        else:
            handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name[:50]}.")
    except OSError as error:
        raise _refused(target, f"cannot be written: {error.strerror}") from None
    try:
        with _ending(), open(handle, "wb") as file:
            yield file
        if name:
            # the mask can only be read by setting it; temporary files are private, and the result
            # is not
            mask = os.umask(0)
            os.umask(mask)
            Path(name).chmod(
                stat.S_IMODE(place.stat().st_mode) if place.exists() else READABLE & ~mask
            )
            os.replace(name, place)
            is_read(place)
    except OSError as error:
        if error.errno in FULL or (name and error.filename == name):
            raise _refused(
                target, f"cannot be written: {error.strerror}", "Make room, or name another file."
            ) from None
        raise
    finally:
        if name:
            Path(name).unlink(missing_ok=True)


def _descriptor(path: Path) -> int | None:
    """Return the number of the open file that a name such as /dev/stdout stands for: it may be the end of a file."""
    if match := DESCRIPTOR.fullmatch(str(path)):
        return {"stdout": 1, "stderr": 2}.get(match[1]) or int(
            (match[1] or match[2]).rpartition("/")[2]
        )
    return None


def straight(target: Target) -> bool:
    """Return whether a name is that of a device, a pipe or an open file: nothing can stand in its place."""
    path = Path(target)
    return _descriptor(path) is not None or (
        path.exists() and not path.is_file() and not path.is_dir()
    )


@contextmanager
def _ending() -> Iterator[None]:
    """Inside, a polite kill and a closed terminal end as Ctrl-C does, so that what was begun is cleared away."""
    several = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    # Python sets signals in the main thread alone
    if threading.current_thread() is not threading.main_thread():
        several = []
    # a caller that handles a signal keeps its own handler
    changed = [signum for signum in several if signal.getsignal(signum) is signal.SIG_DFL]
    for signum in changed:
        signal.signal(signum, signal.default_int_handler)
    try:
        yield
    finally:
        for signum in changed:
            signal.signal(signum, signal.SIG_DFL)


@contextmanager
def opened_text(target: Target, kind: Kind) -> Iterator[IO[str]]:
    """Open a file for UTF-8 text, as `opened_whole` does."""
    if str(target) == "-":
        yield sys.stdout
        return
    with opened_whole(target, kind) as raw:
        out = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        yield out
        out.flush()
        out.detach()


def write_whole(target: Target, content: bytes | str, kind: Kind) -> None:
    """Write a file as a whole or not at all (`opened_whole`)."""
    with opened_whole(target, kind) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def put(target: str, frame: pd.DataFrame, format: Format) -> None:
    """Write a table to a file, or to stdout (``-``)."""
    write_whole(
        target, as_bytes(frame, format), table_like([str(name) for name in frame.columns], format)
    )


def put_rows(target: str, rows: Iterable[Mapping[str, Any]], further: Iterable[str] = ()) -> None:
    """Write rows to a file, or to stdout (``-``), one after another; parquet alone holds all of them in memory.

    Parameters
    ----------
    target
        Its suffix says the format.
    rows
        Column to value, None for none. In a list columns may differ from row to row; of an iterator the first row has
        them all.
    further
        Columns that later rows of an iterator have beside.

    Raises
    ------
    ValueError
        For a column that is neither in the first row nor announced.

    Examples
    --------
    >>> put_rows("-", iter([{"unit": "u1", "value": 0.1}]))
    unit,value
    u1,0.1
    """
    import pandas as pd

    format = format_by_name(target)
    if format == "parquet" or isinstance(rows, list):
        listed = list(rows)
        names = list(dict.fromkeys(name for row in listed for name in row))
        return put(target, pd.DataFrame(listed, columns=names, dtype=object), format)
    later = iter(rows)
    first = next(later, None)
    names = list(dict.fromkeys([*(first or ()), *further]))
    with opened_text(target, table_like(names, format)) as out:
        every = itertools.chain([] if first is None else [first], later)
        if format == "jsonl":
            for row in every:
                out.write(
                    json.dumps({name: row.get(name) for name in names}, ensure_ascii=False) + "\n"
                )
        else:
            write_rows(
                out,
                itertools.chain([names], (_values_in_order(row, names) for row in every)),
                format,
            )
    return None


def _values_in_order(row: Mapping[str, Any], names: Texts) -> list[Any]:
    """Return the values of a row in the order of some names, which are all it may have."""
    if unknown := row.keys() - set(names):
        raise ValueError(f"columns that were not announced: {sorted(unknown)}")
    return [row.get(name) for name in names]

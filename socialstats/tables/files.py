"""Names of files to tables: one file, or a folder or pattern of several; rows of large ones stay in the files.

DuckDB (extra ``scale``) reads what is asked for: of parquet in place, of csv from a copy in a temporary file. Without
it several files are read one after another into memory, with a code for each text.
"""

from __future__ import annotations

import glob
import gzip
import hashlib
import importlib.util
import os
import re
import shlex
import shutil
import tempfile
import weakref
import zlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, chain, groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, get_args
from urllib.parse import unquote

import narwhals as nw
import numpy as np

from socialstats.errors import InFile, InputError, NothingToAnalyse
from socialstats.tables.formula_cells import unguarded_in_sql
from socialstats.tables.lazy import ROW, connected, in_sql
from socialstats.tables.limits import limit, within
from socialstats.tables.reading import (
    WORKBOOKS,
    Format,
    format_of,
    lines_of,
    named_format,
    on_delimiter,
    read_source,
    reader_of,
)
from socialstats.tables.sources import Source, from_path, standard_input
from socialstats.tables.table import Locate, Table, check_names, refuse_wide
from socialstats.tables.writing import PAGE
from socialstats.text import quoted, shorten

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS, MOST_BYTES = 1_000_000, 100_000_000  # rows of parquet and bytes of text beyond which rows stay in files
SCANNED = ("csv", "tsv", "parquet")
BATCH = 1 << 18  # rows of parquet that are coded at a time
LONGEST_LINE = 1 << 20  # bytes of a line that DuckDB is left to read: it drops a last line of over 32 MB in silence
LONGEST = 400  # characters of a path in a message


PART = "socialstats file"
"""Column of the label of each row's file, which frames of several files hold beside those of their table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file of a table.

    Attributes
    ----------
    name : str
        As messages call it.
    path : Path
    source : Source
    sheet : str
        Of a workbook.
    label : str
        What the file may stand for, such as a model.
    """

    name: str
    path: Path
    source: Source
    sheet: str = ""
    label: str = ""

    @property
    def partition(self) -> dict[str, str | None]:
        """Columns that the names of its folders hold, as Hive and Spark write them: ``model=a``."""
        parts = (part.partition("=") for part in Path(self.name).parts[:-1] if "=" in part)
        return {name: None if value == "__HIVE_DEFAULT_PARTITION__" else unquote(value) for name, _, value in parts}


def file_of(name: str, label: str = "") -> File:
    """Return the file of a name; ``-`` is standard input, ``book.xlsx:Sheet1`` a sheet.

    Raises
    ------
    InputError
        For an address, and where there is no such file.
    """
    path, sheet = Path(name), ""
    if name == "-":
        source = standard_input()
    else:
        file, colon, after = name.rpartition(":")
        if colon and not path.exists() and Path(file).is_file():
            path, sheet = Path(file), after
        else:
            refuse_url(name)
        source = from_path(path)
    return File(name=source.name, path=source.path or path, source=source, sheet=sheet, label=label)


def several(name: str) -> list[File] | None:
    """Return the files of a folder or of a pattern, sorted; None for the name of a single file.

    Names that begin with a dot or an underscore, or end in ``.crc``, are none of the table's: Spark writes such. Plans,
    run files (TOML) and pages of socialstats are none either, where other files are there.

    Raises
    ------
    InputError
        For a folder, or a pattern, without files, and for links to files that are gone.
    """
    place = Path(name)
    if place.is_dir():
        found, base = files_below(place), place
    elif name != "-" and glob.has_magic(name) and not place.exists() and not Path(name.rpartition(":")[0]).is_file():
        found = files_like(place)
        base = Path(os.path.commonpath([path.parent for path in found])) if found else place
    else:
        return None
    if gone := [str(path.relative_to(base)) for path in found if not path.exists()]:
        raise InputError(f"{name}: links stand for files that are not there: {quoted(gone, 5)}. Fetch them (with "
                         "'git annex get' where git-annex keeps them), or remove the links")  # fmt: skip
    rest = [path for path in found if path.suffix == ".toml" or (path.suffix == ".html" and PAGE.known(path))]
    found = [path for path in found if path not in rest] or found
    if not found:
        refuse_url(name)
        what = "this is a folder without a file" if place.is_dir() else "there is no such file"
        raise InputError(f"{name}: {what}. Name the files of a table")
    names = [str(path.relative_to(base)) for path in found]
    return [File(name=name, path=path, source=from_path(path)) for name, path in zip(names, found, strict=True)]


def files_like(pattern: Path) -> list[Path]:
    """Return the files that a pattern names, sorted; ``**`` does not follow links to folders, which may lead back."""
    top = Path(pattern.anchor)
    found = list(islice(top.glob(str(pattern.relative_to(top))), int(limit("files")) + 1))
    within("files", len(found), str(pattern))
    return sorted(path for path in found if holds_rows(path, path.name))


def files_below(folder: Path) -> list[Path]:
    """Return the files in a folder and its folders, sorted, but for those that are hidden and Spark's checksums.

    Raises
    ------
    OSError
        If a folder in it cannot be read: its rows would be missing.
    """
    found: list[Path] = []
    for here, _, names in os.walk(folder, onerror=raised):
        found += [Path(here, name) for name in names]
        within("files", len(found), str(folder))
    return sorted(path for path in found if holds_rows(path, *path.relative_to(folder).parts))


def raised(error: OSError) -> NoReturn:
    """Raise an error that `os.walk` would pass over."""
    raise error


def holds_rows(path: Path, *parts: str) -> bool:
    """Return whether a file may be a table: not hidden, as no part of its name is, and no mark or checksum of Spark.

    A link to a file that is gone may be one too: `several` says so.
    """
    file = path.is_file() or (path.is_symlink() and not path.exists())
    return file and path.suffix != ".crc" and not any(part.startswith((".", "_")) for part in parts)


def refuse_strays(files: Sequence[File], folder: str) -> None:
    """Refuse a folder that holds files of other formats beside those of a table; a csv and a tsv file are alike.

    Raises
    ------
    InputError
        Naming the files that are fewer.
    """
    formats = [named_format(file.name) for file in files]
    kinds = [format if format != "tsv" else "csv" for format in formats]
    known = Counter(kind for kind in kinds if kind is not None)
    usual = max(known, key=known.__getitem__, default=None)
    places = {file.path.parent for file, kind in zip(files, kinds, strict=True) if kind == usual}
    strays = [file.name for file, kind in zip(files, kinds, strict=True)
              if kind != usual and file.path.parent in places]  # fmt: skip
    if strays and usual is not None:
        first = files[kinds.index(usual)]
        end = "".join(first.path.suffixes[-2 if first.path.suffix == ".gz" else -1 :])
        deep = any(os.sep in file.name for file, kind in zip(files, kinds, strict=True) if kind == usual)
        below = Path(folder, "**") if deep else Path(folder)
        pattern = shlex.quote(str(below / f"*{end}"))
        raise InputError(
            f"{folder}: {quoted(strays, 5)} {'is' if len(strays) == 1 else 'are'} in this folder beside files such as "
            f"{first.name}, which are a table of another format. Move {'it' if len(strays) == 1 else 'them'}, or name "
            f"the files of the table by a pattern: {pattern}"
        )


def of_files(files: Sequence[File], source: str, asked: Format | None) -> Table:
    """Read several files as one table, whose rows are those of the first, then those of the second, and so on.

    Parameters
    ----------
    files : sequence of File
    source : str
        Name for messages of the whole.
    asked : str or None
        Format of all files.

    Raises
    ------
    InputError
        For files of different columns, and whatever reading finds, with file and line.
    """
    formats = [format_of(file.source, asked) for file in files]
    table = (scanned(files, formats[0]) if large(files, formats) else None) or in_memory(files, formats)
    return replace(table, source=source, sha256=lambda: digest(files))


def digest(files: Sequence[File]) -> str:
    """Return the checksum of the checksums of some files: what ``sha256sum * | sha256sum`` prints in their folder."""
    lines = (f"{file.source.sha256()}  {file.name}\n" for file in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def large(files: Sequence[File], formats: Sequence[Format]) -> bool:
    """Return whether the rows of some files are left in them: DuckDB is there and reads them, and they are many."""
    if len({*formats}) > 1 or formats[0] not in SCANNED or importlib.util.find_spec("duckdb") is None:
        return False
    if formats[0] != "parquet":
        sizes = (file.path.stat().st_size * (4 if file.name.endswith(".gz") else 1) for file in files)
        return all(file.path.is_file() for file in files) and sum(sizes) > MOST_BYTES
    import duckdb

    try:
        return sum(_parquet_sizes(connected(), files)) > MOST_ROWS
    except duckdb.Error:  # the reader says what is wrong
        return False


def scanned(files: Sequence[File], format: Format) -> Table | None:
    """Return a table whose rows stay in its files.

    None for files that DuckDB cannot read: our own readers say what is wrong, and where. None as well where columns
    declare an order of their levels, or have names that differ in case alone: DuckDB keeps neither.
    """
    import duckdb

    if format != "parquet" and any(file.source.longest_line() > LONGEST_LINE for file in files):
        return None
    try:
        native, rows, locators = (parquet_rows if format == "parquet" else delimited_rows)(files, format)
    except (duckdb.Error, UnicodeDecodeError):
        return None
    if native is None:
        return None
    frame = nw.from_native(native)
    columns = tuple(name for name in frame.collect_schema().names() if name not in (ROW, PART))
    check_names(columns, files[0].name)
    refuse_wide(columns, files[0].name)
    within("rows", sum(rows), files[0].name)
    if not sum(rows):
        raise NothingToAnalyse(f"{files[0].name} has columns but no rows: there is nothing to analyse")
    return Table(
        frame=frame, columns=columns, source=files[0].name, unit="row" if format == "parquet" else "line",
        is_file=True, locate=locator(files, rows, locators), sha256=files[0].source.sha256,
        copies=copies(files, rows),
    )  # fmt: skip


Lines = Callable[[Sequence[int]], Sequence[int]]


def locator(files: Sequence[File], rows: Sequence[int], lines: Sequence[Lines]) -> Callable[[Sequence[int]], list[int]]:
    """Return a function from rows of several files, one below the other, to file and line."""
    starts = [0, *accumulate(rows)]

    def locate(positions: Sequence[int]) -> list[int]:
        found: list[int] = []
        for k, some in groupby(positions, lambda position: bisect_right(starts, position) - 1):
            places = lines[k]([position - starts[k] for position in some])
            found += [InFile(place, files[k].name) for place in places] if len(files) > 1 else places
        return found

    return locate


def copies(files: Sequence[File], rows: Sequence[int]) -> tuple[str, ...]:
    """Return the files that have rows, and the bytes, label and names of folders of a file before them."""
    held = [file for file, n in zip(files, rows, strict=True) if n and file.path.is_file()]
    sizes = [file.path.stat().st_size for file in held]
    often = Counter(sizes)
    first: dict[tuple[Any, ...], list[str]] = {}
    for file, size in zip(held, sizes, strict=True):
        if often[size] > 1:
            first.setdefault((file.source.sha256(), file.label, *file.partition.items()), []).append(file.name)
    return tuple(chain.from_iterable(names[1:] for names in first.values()))


def parquet_rows(files: Sequence[File], format: Format) -> tuple[Any, list[int], list[Locate]]:
    """Return parquet files as a relation of DuckDB; names of folders such as ``model=a`` make a column."""
    if any(_is_unlike_sql(file.path) for file in files):
        return None, [], []
    connection = connected()
    rows = _parquet_sizes(connection, files)
    hive = f"hive_partitioning = {any(file.partition for file in files)}, hive_types_autocast = false"
    parts = [
        f'select * exclude (file_row_number), file_row_number + {start} as "{ROW}", {in_sql(file.label)} as "{PART}" '
        f"from read_parquet({path_in_sql(file.path)}, file_row_number=true, {hive})"
        for file, start in zip(files, [0, *accumulate(rows)], strict=False)
    ]
    same_columns(files, [connection.sql(part).columns for part in parts])
    return connection.sql(" union all by name ".join(parts)), rows, [list] * len(files)


def _parquet_sizes(connection: Any, files: Sequence[File]) -> list[int]:
    return [int(_one(connection, f"select num_rows from parquet_file_metadata({path_in_sql(f.path)})")) for f in files]


def _is_unlike_sql(path: Path) -> bool:
    """Return whether a column of a parquet file is a category with an order, or two names differ in case alone."""
    if importlib.util.find_spec("pyarrow") is None:
        return False
    import pyarrow.parquet as pq

    schema = pq.read_schema(path)
    names = {name.casefold() for name in schema.names}
    return len(names) < len(schema.names) or any(getattr(field.type, "ordered", False) for field in schema)


def delimited_rows(files: Sequence[File], format: Format) -> tuple[Any, list[int], list[Locate]]:
    """Return csv or tsv files as a relation of DuckDB: a copy in a temporary file, which ends with the table."""
    heads = [on_delimiter(file.source, "," if format == "csv" else "\t") for file in files]
    every = [[*columns, *file.partition] for file, (_, columns, _) in zip(files, heads, strict=True)]
    for file, names in zip(files, every, strict=True):
        check_names(names, file.name)
    same_columns(files, every)
    locators: list[Locate] = [partial(lines_of, file.source, head[0]) for file, head in zip(files, heads, strict=True)]
    folder = tempfile.mkdtemp(prefix="socialstats")
    weakref.finalize(locators[0], shutil.rmtree, folder, ignore_errors=True)
    connection = connected(str(Path(folder) / "rows"))
    types = ", ".join(in_sql(name, '"') + " varchar" for name in every[0])
    connection.execute(f'create table held ({types}, "{PART}" varchar)')
    rows, mark = [], '"'
    for file, (delimiter, columns, line) in zip(files, heads, strict=True):
        if not line:
            rows.append(0)
            continue
        named = ", ".join(f"{in_sql(name)}: 'varchar'" for name in columns)
        texts = ", ".join(f"{unguarded_in_sql(held)} as {held}" for held in (in_sql(name, mark) for name in columns))
        values = ("null" if value is None else in_sql(value) for value in file.partition.values())
        more = "".join(f", {v} as {in_sql(name, mark)}" for name, v in zip(file.partition, values, strict=True))
        rows.append(int(_one(connection, (
            f'insert into held by name select {texts}{more}, {in_sql(file.label)} as "{PART}" '
            f"from read_csv({path_in_sql(file.path)}, auto_detect=false, header=false, "
            f"compression='{'gzip' if file.source.packed else 'none'}', "
            f"skip={line - 1}, delim={in_sql(delimiter)}, quote='\"', escape='\"', columns={{{named}}})"
        ))))  # fmt: skip
    return connection.sql(f'select *, rowid as "{ROW}" from held'), rows, locators


def path_in_sql(path: Path) -> str:
    """Return a path as DuckDB reads that file alone: it takes ``*``, ``?`` and ``[`` for patterns of names."""
    return in_sql(glob.escape(str(path)))


def _one(connection: Any, query: str) -> Any:
    return connection.execute(query).fetchall()[0][0]


def same_columns(files: Sequence[File], columns: Sequence[Sequence[str]]) -> None:
    """Refuse files of different columns.

    Raises
    ------
    InputError
    """
    for file, names in zip(files, columns, strict=True):
        refuse_other_columns((files[0].name, columns[0]), (file.name, names))


def refuse_other_columns(first: tuple[str, Sequence[str]], table: tuple[str, Sequence[str]]) -> None:
    """Refuse a table that has not the columns of the first; tables are named.

    Raises
    ------
    InputError
    """
    lack, more = (quoted(sorted(set(a[1]) - set(b[1]))) for a, b in ((first, table), (table, first)))
    said = [f"lacks {lack}"] * bool(lack) + [f"has {more}, which {first[0]} lacks"] * bool(more)
    if said:
        raise InputError(f"{table[0]} {' and '.join(said)}. Tables that are read together have the same columns")


def in_memory(files: Sequence[File], formats: Sequence[Format]) -> Table:
    """Read files one after another; of texts each is held once, with a code for every row."""
    import pandas as pd

    held: dict[str, list[Any]] = {}
    rows, lines = [], []
    for file, format in zip(files, formats, strict=True):
        rows.append(0)
        for piece, made in pieces(file, format):
            if held:
                refuse_other_columns((files[0].name, [*held]), (file.name, [*piece.columns]))
            for name in piece.columns:
                held.setdefault(name, []).append(coded(piece[name]))
            rows[-1], last = rows[-1] + len(piece), made
        lines.append(lambda positions, made=last: [*made.places(positions).values()])
    if not sum(rows):
        raise NothingToAnalyse(f"{files[0].name} has columns but no rows: there is nothing to analyse")
    frame = pd.DataFrame({name: joined(parts) for name, parts in held.items()})
    frame[PART] = pd.Categorical(np.repeat([file.label for file in files], rows))
    return replace(last, frame=nw.from_native(frame), columns=tuple(held), locate=locator(files, rows, lines),
                   copies=copies(files, rows))  # fmt: skip


def pieces(file: File, format: Format) -> Iterator[tuple[pd.DataFrame, Table]]:
    """Yield the rows of a file: of parquet in batches, of other formats at once; each with its `partition`."""
    import pandas as pd

    if format == "parquet":
        with reader_of(file.source, format), file.source.seekable() as stream:
            import pyarrow.parquet as pq

            opened = pq.ParquetFile(stream)
            for batch in chain([opened.schema_arrow.empty_table()], opened.iter_batches(BATCH)):
                piece = batch.to_pandas().assign(**file.partition)
                yield piece, Table(frame=nw.from_native(piece.head(0)), columns=tuple(piece.columns), is_file=True)
        return
    try:
        table = read_source(file.source, format, file.sheet)
    except NothingToAnalyse:  # a csv or tsv file may have columns and no rows, where others have some
        if format not in ("csv", "tsv"):
            raise
        _, columns, _ = on_delimiter(file.source, "," if format == "csv" else "\t")
        none = nw.from_native(pd.DataFrame(columns=columns, dtype=str))
        table = Table(frame=none, columns=columns, source=file.name, unit="line", is_file=True)
    frame: Any = table.frame
    check_names([*table.columns, *file.partition], file.name)
    yield frame.to_pandas().assign(**file.partition), replace(table, frame=frame.head(0))


def coded(column: pd.Series[Any]) -> Any:
    """Return a column of texts as codes; others as they are."""
    import pandas as pd

    return pd.Categorical(column.astype(object)) if column.dtype == "str" or column.dtype == object else column


def joined(parts: list[Any]) -> Any:
    """Return the parts of a column, one below the other."""
    import pandas as pd

    parts = [part for part in parts if len(part)] or parts[:1]
    if all(isinstance(part.dtype, pd.CategoricalDtype) for part in parts):
        alike = all(part.dtype == parts[0].dtype for part in parts)
        if len({part.dtype.categories.dtype for part in parts}) > 1:  # texts, kept in different ways
            parts = [pd.Categorical(part.astype(object)) for part in parts]
        return pd.api.types.union_categoricals(parts, ignore_order=not alike)
    return pd.concat([pd.Series(part).astype(object) if isinstance(part, pd.Categorical) else part for part in parts],
                     ignore_index=True)  # fmt: skip


URL = re.compile(r"([a-z][a-z0-9+.-]+):/+(?=[^/])", re.IGNORECASE)


def read_table(path: str | os.PathLike[str], format: Format | None = None) -> Table:
    """Read a table from a file, gzipped or not.

    Parameters
    ----------
    path : str or path
        ``-`` reads standard input. A workbook with several sheets is read as ``book.xlsx:Sheet1``. A folder, or a
        pattern such as ``votes/*.parquet``, is one table in several files of the same columns.
    format : {"csv", "tsv", "jsonl", "json", "parquet", "feather", "dta", "sav", "xlsx", "ods"}, optional
        By default the suffix decides (with or without ``.gz``), then the first bytes.

    Returns
    -------
    Table
        Text files and workbooks hold text only: what a label or a number means is decided by the design. Value
        labels of Stata and SPSS files are labels, in the order of their codes. Rows of parquet beyond 1,000,000, and of
        csv beyond 100 MB, stay in the files where DuckDB is installed (extra ``scale``).

    Raises
    ------
    InputError
        With the line, for files that are not UTF-8, ragged, or not what their format says.
    NothingToAnalyse
        For empty files.
    MissingDependency
        Without the package that reads the format (extras ``parquet``, ``spss``).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "choices.csv"
    >>> _ = file.write_text("item_a,item_b,winner\\nnurse,son,nurse\\n")
    >>> read_table(file).columns
    ('item_a', 'item_b', 'winner')
    """
    if format is not None and format not in get_args(Format):
        raise InputError(f"there is no format '{format}'. Formats: {', '.join(get_args(Format))}")
    name = os.fspath(path)
    with readable(name):
        if (found := several(name)) is not None:
            pattern = not Path(name).is_dir()
            if not pattern and format is None:
                refuse_strays(found, name)
            return of_files(found, "/".join(Path(os.path.realpath(name)).parts[-1 - pattern :]), format)
        file = file_of(name)
        chosen = format_of(file.source, format)
        if file.sheet and chosen not in WORKBOOKS:
            raise InputError(f"{name}: there is no such file, and {file.name} has no sheets")
        table = scanned([file], chosen) if large([file], [chosen]) else None
        return replace(table or read_source(file.source, chosen, file.sheet), sha256=file.source.sha256)


@contextmanager
def readable(name: str) -> Iterator[None]:
    """State why a table cannot be read: the disk, the gzip file, or the memory.

    Raises
    ------
    InputError
    """
    name = shorten(name, LONGEST)
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{name}: the gzip file is damaged ({str(error).lower()})") from error
    except OSError as error:
        what = f"{shorten(str(error.filename), LONGEST)}: " if error.filename not in (None, name) else ""
        raise InputError(f"{name}: it cannot be read ({what}{(error.strerror or str(error)).lower()})") from error
    except MemoryError as error:
        raise InputError(
            f"{name}: there is not enough memory to read it as a whole, or it is damaged. Write it as parquet or CSV, "
            "of which DuckDB reads what is needed (pip install 'socialstats[scale]'), or keep fewer columns"
        ) from error


def refuse_url(name: str) -> None:
    """Refuse an address, also one whose slashes a path has joined.

    Raises
    ------
    InputError

    Examples
    --------
    >>> refuse_url("https:/example.org/x.csv")
    Traceback (most recent call last):
    socialstats.errors.InputError: https://example.org/x.csv is a URL. Download it first: curl -LO https://example.org/x.csv
    """
    match = URL.match(name)
    if match is None or len(match[1]) < 2 or Path(name).exists():
        return
    url = f"{match[1]}://{name[match.end() :]}"
    get = f"Download it first: curl -LO {shlex.quote(url)}" if match[1].lower() in ("http", "https", "ftp") else ""
    raise InputError(f"{url} is a URL. {get or 'Copy the file to this machine, and name its path'}")

"""Several files of one table: the rows of each, where they stand, and that all have the same columns."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, chain, groupby
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from socialstats.errors import InFile, InputError, NothingToAnalyse
from socialstats.tables.aliases import Levels, Lines, Locate, Positions, Texts
from socialstats.tables.delimited import layout_of
from socialstats.tables.encodings import as_encoded
from socialstats.tables.formats import Format
from socialstats.tables.headers import check_column_names
from socialstats.tables.paths import File, Files
from socialstats.tables.reading import explain_reader_errors, read_source
from socialstats.tables.table import Table, of_file
from socialstats.tables.writing import SEPARATORS
from socialstats.text import quoted

if TYPE_CHECKING:
    import pandas as pd

# rows of parquet that are coded at a time
BATCH = 1 << 18
PART = "socialstats file"
"""Column of the label of each row's file, which frames of several files hold beside those of their table."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The rows of one file of a table.

    Attributes
    ----------
    file : File
    rows : int
    lines : callable
        Positions of rows in the file to lines.
    """

    file: File
    rows: int
    lines: Locate


def locator(pieces: Sequence[Piece]) -> Locate:
    """Return a function from rows of several files, one below the other, to file and line."""
    starts = [0, *accumulate(piece.rows for piece in pieces)]

    def locate(positions: Positions) -> Lines:
        places: Lines = []
        for k, positions_of_piece in groupby(
            positions, lambda position: bisect_right(starts, position) - 1
        ):
            lines = pieces[k].lines([position - starts[k] for position in positions_of_piece])
            places += (
                [InFile(line, pieces[k].file.name) for line in lines] if len(pieces) > 1 else lines
            )
        return places

    return locate


def copies(pieces: Sequence[Piece]) -> Levels:
    """Return the files that have rows, and the bytes, label and names of folders of a file before them."""
    files = [piece.file for piece in pieces if piece.rows and piece.file.path.is_file()]
    sizes = [file.path.stat().st_size for file in files]
    often = Counter(sizes)
    groups: dict[tuple[Any, ...], list[str]] = {}
    for file, size in zip(files, sizes, strict=True):
        # only files of one size can be copies: others are not read again
        if often[size] > 1:
            groups.setdefault(
                (file.source.sha256(), file.label, *file.partition.items()), []
            ).append(file.name)
    return tuple(chain.from_iterable(names[1:] for names in groups.values()))


def same_columns(files: Files, columns: Sequence[Texts]) -> None:
    """Refuse files that have not the columns of the first one.

    Raises
    ------
    InputError
    """
    for file, names in zip(files, columns, strict=True):
        lack, more = (
            quoted(sorted({*columns[0]} - {*names})),
            quoted(sorted({*names} - {*columns[0]})),
        )
        unlike = [f"lacks {lack}"] * bool(lack) + [
            f"has {more}, which {files[0].name} lacks"
        ] * bool(more)
        if unlike:
            raise InputError(
                f"{file.name} {' and '.join(unlike)}. Tables that are read together have the same columns"
            )


def in_memory(files: Files, formats: Sequence[Format]) -> Table:
    """Read files one after another; of texts each is held once, with a code for every row."""
    import pandas as pd

    columns: dict[str, list[Any]] = {}
    pieces, notes, entries = [], {""}, {""}
    for file, format in zip(files, formats, strict=True):
        rows = 0
        for frame, table in frames_of(file, format):
            same_columns([files[0], file], [[*(columns or frame.columns)], [*frame.columns]])
            for name in frame.columns:
                columns.setdefault(name, []).append(encode_texts(frame[name]))
            rows, last = rows + len(frame), table
            notes.add(table.encoding and f"{file.name} {table.encoding}")
            entries.add(table.entries and f"{file.name}: {table.entries}")
        pieces.append(Piece(file, rows, partial(lines_in, last)))
    labels = np.repeat([piece.file.label for piece in pieces], [piece.rows for piece in pieces])
    if not len(labels):
        raise NothingToAnalyse(
            f"{files[0].name} has columns but no rows: there is nothing to analyse"
        )
    combined = pd.DataFrame({name: concatenate(parts) for name, parts in columns.items()})
    combined[PART] = pd.Categorical(labels)
    return replace(
        last,
        data=nw.from_native(combined),
        columns=tuple(columns),
        encoding="; ".join(sorted(notes - {""})),
        entries="; ".join(sorted(entries - {""})),
        locate=locator(pieces),
        copies=copies(pieces),
    )


def lines_in(table: Table, positions: Positions) -> Lines:
    """Return the lines of some rows of a file, in their order."""
    return [*table.places(positions).values()]


def frames_of(file: File, format: Format) -> Iterator[tuple[pd.DataFrame, Table]]:
    """Yield the rows of a file: of parquet in batches, of other formats at once; each with its `partition`."""
    import pandas as pd

    if format == "parquet":
        with explain_reader_errors(file.source, format), file.source.seekable() as stream:
            import pyarrow.parquet as pq

            # an empty piece comes first, so that a file without rows has columns too
            opened = pq.ParquetFile(stream)
            for batch in chain([opened.schema_arrow.empty_table()], opened.iter_batches(BATCH)):
                frame = batch.to_pandas().assign(**file.partition)
                yield frame, of_file(frame.head(0), "", "row")
        return
    try:
        table = read_source(file.source, format, file.sheet)
    except NothingToAnalyse:
        # a csv or tsv file may have columns and no rows, where others have some
        if format not in SEPARATORS:
            raise
        (_, columns, _), _ = as_encoded(partial(layout_of, format=format), file.source, format)
        table = of_file(pd.DataFrame(columns=columns, dtype=str), file.name)
    combined: Any = table.frame
    check_column_names([*table.columns, *file.partition], file.name)
    yield combined.to_pandas().assign(**file.partition), replace(table, data=combined.head(0))


def encode_texts(column: pd.Series[Any]) -> Any:
    """Return a column of texts as codes; others as they are."""
    import pandas as pd

    return (
        pd.Categorical(column.astype(object))
        if column.dtype == "str" or column.dtype == object
        else column
    )


def concatenate(parts: list[Any]) -> Any:
    """Return the parts of a column, one below the other."""
    import pandas as pd

    parts = [part for part in parts if len(part)] or parts[:1]
    if all(isinstance(part.dtype, pd.CategoricalDtype) for part in parts):
        alike = all(part.dtype == parts[0].dtype for part in parts)
        # texts, kept in different ways
        if len({part.dtype.categories.dtype for part in parts}) > 1:
            parts = [pd.Categorical(part.astype(object)) for part in parts]
        return pd.api.types.union_categoricals(parts, ignore_order=not alike)
    columns = [pd.Series(part) for part in parts]
    plain = [
        c.astype(object) if isinstance(p, pd.Categorical) else c
        for p, c in zip(parts, columns, strict=True)
    ]
    return pd.concat(plain, ignore_index=True)

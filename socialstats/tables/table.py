"""A table from anywhere: a frame that narwhals can hold, its name, and where its rows came from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals as nw
import numpy as np

from socialstats.errors import InputError, MissingDependency
from socialstats.tables.counting import Counts, Frame, counts
from socialstats.tables.headers import LOOKED, NAME_THEM, check_names, signs_of_data
from socialstats.tables.values import EPSILON, as_text
from socialstats.text import shorten

Locate = Callable[[Sequence[int]], list[int]]
FEW = 20  # values that are looked at
Wanted = Callable[[tuple[str | None, ...]], bool]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """A table that was read or passed, before anybody decided what its columns mean.

    Attributes
    ----------
    frame : narwhals DataFrame or LazyFrame
    columns : tuple of str
    index : tuple of str
        Levels of a pandas index, which `frame` holds as well: they play a part only where they are named.
    source : str
        Name for messages: the file's name, ``stdin`` or ``data frame``.
    unit : {"line", "record", "row"}
        What `places` counts: lines of a text file (from 1), records of a json file (from 1), rows of a frame
        (from 0).
    semicolons : bool
        True for a text file whose fields are separated by semicolons, as where commas are decimal.
    is_file : bool
        True when the table was read from a file or from standard input.
    locate : callable or None
        Row positions to lines, for text files.
    sha256 : callable or None
        Checksum of the bytes that were read, for files and standard input.
    epsilons : mapping of str to float
        Relative rounding errors of columns that were computed from others of less precision; see `epsilon`.
    """

    frame: Frame
    columns: tuple[str, ...]
    index: tuple[str, ...] = ()
    source: str = "data frame"
    unit: str = "row"
    is_file: bool = False
    semicolons: bool = False
    locate: Locate | None = None
    sha256: Callable[[], str] | None = None
    epsilons: Mapping[str, float] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        """Return whether a column, or a level of the index, has this name."""
        return name in self.columns or name in self.index

    def holds_labels(self, column: str) -> bool:
        """Return whether the first values of a column can be labels: no lists, mappings or structures."""
        chosen: Any = self.frame.select(column)
        if chosen.collect_schema()[column].is_nested():
            return False
        lazy = isinstance(chosen, nw.LazyFrame)
        return lazy or all(isinstance(value, Hashable) for value in chosen.head(FEW).get_column(column).to_list())

    def epsilon(self, column: str) -> float:
        """Return the relative rounding error of a column's numbers: 1.2e-7 in single precision, else 2.2e-16."""
        single = self.frame.select(column).collect_schema()[column] == nw.Float32
        return self.epsilons.get(column, float(np.finfo(np.float32).eps) if single else EPSILON)

    def counts(self, keys: Sequence[str], weight: str | None = None, na: Collection[str] = ()) -> Counts:
        """Count the distinct rows of some columns; see `socialstats.tables.counting.counts`."""
        try:
            return counts(self.frame, keys, weight, na=na, source=self.source)
        except ImportError as error:
            raise MissingDependency(f"{self.source}: {error}") from error

    @property
    def doubt(self) -> str:
        """A sentence where the first line of a file looks like data; empty for data frames, and where little does."""
        if not self.is_file:
            return ""
        names = self.columns[: LOOKED[1]]
        chosen: Any = self.frame.select(*names).head(LOOKED[0])
        signs = signs_of_data(names, (_texts(row) for row in chosen.iter_rows()))
        return f"The first line may be data, not column names ({signs}). {NAME_THEM}" if signs else ""

    def positions(self, keys: Sequence[str], wanted: Sequence[Wanted], most: int) -> list[list[int]]:
        """Find the first rows that each predicate wants; called only when something is wrong.

        Parameters
        ----------
        keys : sequence of str
            Columns whose labels (None where missing) the predicates see, in this order.
        wanted : sequence of callable
        most : int
            Rows to find for each predicate.
        """
        found: list[list[int]] = [[] for _ in wanted]
        if isinstance(self.frame, nw.LazyFrame) and not self.frame.implementation.is_polars():
            return found  # the rows of a query have no order
        chosen: Any = self.frame.select(*dict.fromkeys(keys))
        eager = chosen.collect() if isinstance(chosen, nw.LazyFrame) else chosen
        texts = [_texts(eager.get_column(key).to_list()) for key in keys]
        open_ = list(range(len(wanted)))
        for position, row in enumerate(zip(*texts, strict=True)):
            for k in [k for k in open_ if wanted[k](row)]:
                found[k].append(position)
                if len(found[k]) == most:
                    open_.remove(k)
            if not open_:
                break
        return found

    def places(self, positions: Collection[int]) -> dict[int, int]:
        """Map row positions to what `unit` counts."""
        ordered = sorted(set(positions))
        if self.locate is not None and ordered:
            return dict(zip(ordered, self.locate(ordered), strict=True))
        shift = 1 if self.unit == "record" else 0
        return {position: position + shift for position in ordered}


def _texts(values: Sequence[Any]) -> list[str | None]:
    seen: dict[Any, str | None] = {}
    texts: list[str | None] = []
    for value in values:
        if not isinstance(value, Hashable):
            texts.append(shorten(str(value)))  # a list or mapping, which is no label: for a message only
            continue
        if value not in seen:
            seen[value] = as_text(value)
        texts.append(seen[value])
    return texts


def as_table(data: Any, source: str = "data frame") -> Table:
    """Wrap a data frame of any engine that narwhals knows, or a mapping of columns.

    Parameters
    ----------
    data : Table, pandas, polars, pyarrow or other frame, DuckDB relation, mapping of sequences
    source : str
        Name for messages.

    Raises
    ------
    InputError
        If the object is no table, or its column names are not distinct texts.

    Examples
    --------
    >>> as_table({"item_a": ["x"], "item_b": ["y"]}).columns
    ('item_a', 'item_b')
    """
    if isinstance(data, Table):
        return data
    if isinstance(data, Mapping):
        check_names([*data], source)
        data = _from_mapping(data, source)
    index: tuple[str, ...] = ()
    if type(data).__module__.split(".")[0] == "pandas" and hasattr(data, "columns"):
        check_names([*data.columns], source)
        index = tuple(name for name in data.index.names if isinstance(name, str) and name not in data.columns)
        data = data.reset_index(level=[*index]) if index else data
    try:
        frame: Any = nw.from_native(data)
    except TypeError as error:
        raise InputError(
            f"{source}: a {type(data).__name__} is not a table. Pass a data frame (pandas, polars, pyarrow, "
            "DuckDB, ...), a mapping of columns, or read a file (read_comparisons, read_paired, read_ratings)"
        ) from error
    except nw.exceptions.DuplicateError as error:
        names = " ".join(str(error).split())
        raise InputError(f"{source}: two columns have the same name ({names}). Rename one of them") from error
    columns = tuple(frame.collect_schema().names() if isinstance(frame, nw.LazyFrame) else frame.columns)
    check_names(columns, source)
    columns = tuple(column for column in columns if column not in index)
    return Table(frame=frame, columns=columns, index=index, source=source)


def _from_mapping(data: Mapping[Any, Any], source: str) -> Any:
    import pandas as pd

    sizes = {str(name): len(column) for name, column in data.items() if hasattr(column, "__len__")}
    if len(set(sizes.values())) > 1 and not any(isinstance(column, str) for column in data.values()):
        listed = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
        raise InputError(f"{source}: the columns have different lengths ({listed})")
    try:
        return pd.DataFrame(dict(data))
    except ValueError as error:
        raise InputError(f"{source}: the columns do not make a table ({error})") from error

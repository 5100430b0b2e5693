"""A table of a file or of a data frame: its columns, and what can be asked of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np

from socialstats.errors import InputError, Problem, in_columns
from socialstats.tables.aliases import Levels, Lines, Locate, Positions, Texts
from socialstats.tables.counting import DistinctRows, N, counts
from socialstats.tables.headers import (
    LOOKED,
    NAME_THEM,
    check_column_names,
    refuse_lengths,
    signs_of_data,
)
from socialstats.tables.labels import EPSILON, NO_LABELS, is_nested, labels_of, refuse_no_labels
from socialstats.tables.lazy import (
    FIRST,
    ROW,
    TIMES,
    Frame,
    asks,
    collected,
    engine,
    first_of_each,
    first_rows_of,
    group_rows,
    height,
    package_of,
    smallest_and_largest,
    with_row_numbers,
)
from socialstats.text import listing, meant, shorten
from socialstats.voice import option

# names or values that a message lists
MOST_LINES = 20
# values that are looked at
FEW = 20
Predicate = Callable[[tuple[str | None, ...]], bool]


@dataclass(frozen=True, slots=True)
class Stacked:
    """Columns of `rows` values each that stand one below the other in `column`."""

    column: str
    columns: Levels
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """A table that was read or passed, before anybody decided what its columns mean.

    Attributes
    ----------
    data : narwhals DataFrame or LazyFrame, or callable
        The rows, or what puts them together when `frame` is first asked for. A lazy frame holds the number of each row
        as well, where its engine can tell (`socialstats.tables.lazy.ROW`).
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
    decimal_commas : tuple of str
        Columns of such a file whose numbers were written with decimal commas, and are read as numbers.
    encoding : str
        A word on the encoding of a text file that is not UTF-8.
    entries : str
        A word on rows that were made of the entries of lists.
    is_file : bool
        True when the table was read from a file or from standard input.
    locate : callable or None
        Row positions to lines, for text files.
    sha256 : callable or None
        Checksum of the bytes that were read, for files and standard input.
    epsilons : mapping of str to float
        Relative rounding errors of columns that were computed from others of less precision; see `epsilon`.
    stacked : Stacked or None
        Of a table made of a wide one: which column holds the values of several, one below the other.
    copies : tuple of str
        Of a table in several files, those that are copies of another one.
    counted : dict of frozenset of str to Counts
        The values of single columns, once they were counted, and the cells of a stack.
    dtypes : dict of str to narwhals DType
        The types of columns in memory, once they were asked for.
    """

    data: Frame | Callable[[], Frame]
    columns: Levels
    index: Levels = ()
    source: str = "data frame"
    unit: str = "row"
    is_file: bool = False
    semicolons: bool = False
    decimal_commas: Levels = ()
    encoding: str = ""
    entries: str = ""
    locate: Locate | None = None
    sha256: Callable[[], str] | None = None
    epsilons: Mapping[str, float] = field(default_factory=dict)
    stacked: Stacked | None = None
    copies: Levels = ()
    counted: dict[frozenset[str], DistinctRows] = field(
        default_factory=dict, init=False, repr=False
    )
    dtypes: dict[str, nw.dtypes.DType] = field(default_factory=dict, init=False, repr=False)

    @property
    def frame(self) -> Frame:
        """The rows."""
        if callable(self.data):
            object.__setattr__(self, "data", self.data())
        return self.data  # type: ignore[return-value]

    @property
    def lazy(self) -> bool:
        """Whether an engine reads the rows when it is asked."""
        return isinstance(self.data, nw.LazyFrame)

    def columns_behind(self, column: str, positions: Positions = ()) -> str | Levels:
        """Return a column as the user's table spells it; several where it holds the values of several.

        Parameters
        ----------
        column : str
        positions : sequence of int
            Rows that are meant; none for all.
        """
        if self.stacked is None or column != self.stacked.column:
            return column
        names, rows = self.stacked.columns, self.stacked.rows
        lines = tuple(dict.fromkeys(names[k // rows] for k in positions)) or names
        return lines[0] if len(lines) == 1 else lines

    def place(self, column: str) -> str:
        """Name the table and a column for a message."""
        return f"{self.source}, {in_columns(self.columns_behind(column))}"

    def has(self, name: str) -> bool:
        """Return whether a column, or a level of the index, has this name."""
        return name in self.columns or name in self.index

    def need(self, *names: str) -> None:
        """Refuse names that no column has.

        Raises
        ------
        InputError
        """
        for name in names:
            if name not in self.columns:
                listed = listing([shorten(column) for column in self.columns], most=MOST_LINES)
                fix = f"{meant(name, self.columns)}Columns: {listed}"
                raise InputError(
                    Problem(source=self.source, message=f"no column '{shorten(name)}'", fix=fix)
                )

    @asks
    def dtype(self, column: str) -> nw.dtypes.DType:
        """Return the type of a column."""
        if isinstance(self.frame, nw.LazyFrame):
            return self.frame.select(column).collect_schema()[column]
        if column not in self.dtypes:
            self.dtypes[column] = self.frame.get_column(column).dtype
        return self.dtypes[column]

    @asks
    def holds_labels(self, column: str) -> bool:
        """Return whether the first values of a column can be labels: no lists, mappings or structures."""
        if is_nested(self.dtype(column)):
            return False
        try:
            first = (
                []
                if isinstance(self.frame, nw.LazyFrame)
                else self.frame.get_column(column).head(FEW).to_list()
            )
        except OverflowError:
            # a date after the year 9999
            return False
        return all(
            isinstance(value, Hashable) and not isinstance(value, NO_LABELS) for value in first
        )

    def levels(self, column: str, na: Collection[str] = ()) -> Levels:
        """Return the sorted labels of a column; none where it holds values that are no labels."""
        try:
            return self.counts([column]).columns[column].labels(na).levels
        except (InputError, TypeError):
            return ()

    @asks
    def texts(self, column: str) -> list[str | None]:
        """Return the label in each row of a column; None where it is missing.

        Raises
        ------
        InputError
            For values that are no labels.
        """
        values = collected(self.frame.select(column)).get_column(column).to_list()
        refuse_no_labels(values, self.source, column)
        return labels_of(values)

    @asks
    def epsilon(self, column: str) -> float:
        """Return the relative rounding error of a column's numbers: 1.2e-7 in single precision, else 2.2e-16."""
        if column in self.epsilons:
            return self.epsilons[column]
        single = self.dtype(column) == nw.Float32
        return float(np.finfo(np.float32).eps) if single else EPSILON

    @asks
    def counts(
        self, keys: Texts, weight: str | None = None, na: Collection[str] = ()
    ) -> DistinctRows:
        """Count the distinct rows of some columns; see `socialstats.tables.table.counts`.

        The values of a column in memory are counted once.
        """
        key = frozenset(keys)
        if weight is None and key in self.counted:
            return self.counted[key]
        cells = counts(self.frame, keys, weight, na=na, source=self.source)
        if weight is None and len(key) == 1 and not self.lazy:
            self.counted[key] = cells
        return cells

    def categories(self, column: str) -> Levels:
        """Return the labels of a pandas Categorical or an Enum in their order; none for other columns."""
        kind = self.dtype(column) if column in self.columns else None
        if isinstance(kind, nw.Enum):
            return tuple(kind.categories)
        if isinstance(self.frame, nw.LazyFrame) or not isinstance(kind, nw.Categorical):
            return ()
        if not self.frame.implementation.is_pandas_like():
            # other engines keep the order of the rows
            return ()
        return tuple(map(str, nw.to_native(self.frame.get_column(column)).cat.categories))

    @property
    @asks
    def height(self) -> int:
        """How many rows there are."""
        return height(self.frame)

    @asks
    def ends(self, column: str) -> tuple[float, float]:
        """Return the smallest and the largest number of a column of numbers."""
        low, high = map(float, smallest_and_largest(self.frame, column))
        return low, high

    @asks
    def distinct(self, columns: Texts) -> int:
        """Return how many rows differ in some columns; an engine that reads lazily counts them itself."""
        if self.lazy:
            distinct = list(dict.fromkeys(columns))
            return height(group_rows(self.frame.select(*distinct), distinct, nw.len().alias(N)))
        return len(self.counts(columns).n)

    @property
    @asks
    def doubt(self) -> str:
        """A sentence where the first line of a file looks like data; empty for data frames, and where little does."""
        names = self.columns[: LOOKED[1]]
        schema = self.frame.select(*names).collect_schema()
        if not self.is_file or not all(
            isinstance(schema[name], nw.String | nw.Object) for name in names
        ):
            # other formats than text do not take a row for their names
            return ""
        chosen = collected(self.frame.select(*names).head(LOOKED[0]))
        signs = signs_of_data(names, (labels_of(row) for row in chosen.iter_rows()))
        return (
            f"The first line may be data, not column names ({signs}). {NAME_THEM}" if signs else ""
        )

    @asks
    def positions(self, keys: Texts, predicates: Sequence[Predicate], most: int) -> list[Lines]:
        """Find the first rows that each predicate wants; called only when something is wrong.

        Parameters
        ----------
        keys : sequence of str
            Columns whose labels (None where missing) the predicates see, in this order.
        predicates : sequence of callable
        most : int
            Rows to find for each predicate.
        """
        if isinstance(self.frame, nw.LazyFrame):
            return _positions_lazily(self.frame, keys, predicates, most)
        chosen = self.frame.select(*dict.fromkeys(keys))
        texts = [labels_of(chosen.get_column(key).to_list()) for key in keys]
        return _first_lines(zip(*texts, strict=True), predicates, most)

    def places(self, positions: Collection[int]) -> dict[int, int]:
        """Map row positions to what `unit` counts."""
        ordered = sorted(set(positions))
        if self.locate is not None and ordered:
            return dict(zip(ordered, self.locate(ordered), strict=True))
        shift = 1 if self.unit == "record" else 0
        return {position: position + shift for position in ordered}


def _first_lines(
    rows: Iterable[tuple[str | None, ...]], predicates: Sequence[Predicate], most: int
) -> list[Lines]:
    """Return where the first rows stand that each predicate wants."""
    lines: list[Lines] = [[] for _ in predicates]
    open_ = list(range(len(predicates)))
    for position, row in enumerate(rows):
        for k in [k for k in open_ if predicates[k](row)]:
            lines[k].append(position)
            if len(lines[k]) == most:
                open_.remove(k)
        if not open_:
            break
    return lines


def _positions_lazily(
    frame: nw.LazyFrame[Any], keys: Texts, predicates: Sequence[Predicate], most: int
) -> list[Lines]:
    """Find the first wanted rows by two queries: the distinct rows with the first of each, then the rows of these.

    The first rows are among those that equal one of as many distinct rows whose first row comes first.
    """
    cells = first_of_each(frame, list(dict.fromkeys(keys)))
    if cells is None:
        return [[] for _ in predicates]
    # a column may be named twice
    columns = [cells.get_column(key).to_list() for key in keys]
    first, times = (cells.get_column(name).to_list() for name in (FIRST, TIMES))
    lines = []
    for hits in _first_lines(zip(*map(labels_of, columns), strict=True), predicates, most):
        if all(times[k] == 1 for k in hits):
            lines.append([int(first[k]) for k in hits])
        else:
            lines.append(
                first_rows_of(frame, keys, [[column[k] for column in columns] for k in hits], most)
            )
    return lines


def of_file(data: Any, source: str, unit: str = "line", **more: Any) -> Table:
    """Return the table of a file whose rows were read into a frame."""
    frame: Any = nw.from_native(data)
    return Table(
        data=frame, columns=tuple(frame.columns), source=source, unit=unit, is_file=True, **more
    )


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
        names = [text_name(name) for name in data]
        check_column_names(names, source)
        data = _from_mapping(dict(zip(names, data.values(), strict=True)), source)
    index: Levels = ()
    if package_of(data) == "pandas" and hasattr(data, "columns"):
        names = [text_name(name) for name in data.columns]
        data = data if names == [*data.columns] else data.set_axis(names, axis=1)
        check_column_names(names, source)
        index = tuple(
            name for name in data.index.names if isinstance(name, str) and name not in data.columns
        )
        data = data.reset_index(level=[*index]) if index else data
    try:
        with engine(source):
            data, locate = with_row_numbers(data)
            frame: Any = nw.from_native(data)
            columns = tuple(
                frame.collect_schema().names() if isinstance(frame, nw.LazyFrame) else frame.columns
            )
    except TypeError as error:
        raise InputError(
            f"{source}: a {type(data).__name__} is not a table. Pass a data frame (pandas, polars, pyarrow, "
            "DuckDB, ...), a mapping of columns, vectors one after the other, or read a file (read_comparisons, "
            "read_paired, read_ratings)"
        ) from error
    except nw.exceptions.DuplicateError as error:
        message = " ".join(str(error).split())
        raise InputError(
            f"{source}: two columns have the same name ({message}). Rename one of them"
        ) from error
    check_column_names(columns, source)
    columns = tuple(column for column in columns if column not in (*index, ROW))
    return Table(data=frame, columns=columns, index=index, source=source, locate=locate)


def text_name(name: Any) -> Any:
    """Return the name of a column, a whole number as text."""
    return str(name) if isinstance(name, int | np.integer) and not isinstance(name, bool) else name


def _from_mapping(data: Mapping[Any, Any], source: str) -> Any:
    import pandas as pd

    single = next((name for name, column in data.items() if isinstance(column, Real)), None)
    if single is not None and all(isinstance(column, Real) for column in data.values()):
        raise InputError(
            f"{source}: a mapping holds a list for each column, and {single!r} is the number {data[single]}. Values "
            f"and how often each occurred are two vectors: ({[*data][:3]}, {option('count', [*data.values()][:3])})"
        )
    if not any(isinstance(column, str) for column in data.values()):
        refuse_lengths(
            {str(name): column for name, column in data.items() if hasattr(column, "__len__")},
            source,
        )
    try:
        return pd.DataFrame(dict(data))
    except ValueError as error:
        raise InputError(f"{source}: the columns do not make a table ({error})") from error

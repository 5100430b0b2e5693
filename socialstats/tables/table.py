"""A table of a file or of a data frame: columns, values, counts, rows left out."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import narwhals as nw
import numpy as np

from socialstats.arrays import AnyArray, BoolArray, FloatArray, IntArray
from socialstats.errors import InputError, NothingToAnalyse, Problem, in_columns
from socialstats.tables.batches import encoded, numbers_of
from socialstats.tables.lazy import (
    FIRST,
    ROW,
    TIMES,
    Frame,
    asks,
    collected,
    engine,
    first_of_each,
    group_rows,
    height,
    numbered,
    rows_of,
)
from socialstats.tables.limits import within
from socialstats.text import listing, meant, quoted, shorten

if TYPE_CHECKING:
    import pandas as pd


EPSILON = float(np.finfo(np.float64).eps)
"""Relative rounding error of double precision."""
MISSING = frozenset({
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL",
    "NaN", "None", "n/a", "nan", "null", ".", "-2147483648",
})  # as `pandas.read_csv` has them, SAS's and Stata's dot, and R's integer NA  # fmt: skip
"""Texts that mean a missing value unless they are declared as something else; the last is R's integer NA."""
NO_LABELS = (list, tuple, dict, set, bytes, bytearray, memoryview, np.ndarray)
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def missing_labels(na: str | Collection[str] | Literal[False], declared: Collection[str] = ()) -> frozenset[str]:
    """Return the texts that mean a missing value: those of `MISSING` that are not declared, and those of `na`.

    Parameters
    ----------
    na : str, collection of str, or False
        Further texts; False: no text is missing but the empty one.
    declared : collection of str
        Labels with a meaning of their own (levels, refusals, ties, conditions).

    Examples
    --------
    >>> sorted(missing_labels("9", ["NA"]) ^ MISSING), missing_labels(False)
    (['9', 'NA'], frozenset())
    """
    if na is False:
        return frozenset()
    return MISSING.difference(declared) | ({na} if isinstance(na, str) else {*na})


def missing_names(na: Collection[str]) -> frozenset[str]:
    """Return the texts that mean a missing value in a column of names (units, items, raters): not the numbers.

    A number that a user declares as missing is a code among values; among names it may be a name.

    Examples
    --------
    >>> sorted(missing_names(missing_labels(["99", "unknown"])) - MISSING)
    ['unknown']
    """
    return frozenset(text for text in na if text in MISSING or as_number(text) is None)


def as_text(value: Any) -> str | None:
    """Return a value as the label it stands for; None where it is missing.

    Missing are None, NaN, NaT and the empty text; a design decides which texts mean a missing value as well
    (`missing_labels`). Whole floating-point numbers lose their ``.0`` (a column of whole numbers with a gap is
    floating-point in pandas).

    Raises
    ------
    TypeError
        For nested values (lists, mappings) and bytes, which are no labels.

    Examples
    --------
    >>> as_text("007"), as_text(7.0), as_text(True), as_text("NA"), as_text(float("nan")), as_text("")
    ('007', '7', 'True', 'NA', None, None)
    """
    if isinstance(value, str):
        return str(value) or None
    if value is None or type(value).__name__ in {"NAType", "NaTType"} or value != value:
        return None
    if isinstance(value, NO_LABELS):
        raise TypeError(f"a {type(value).__name__} is not a label")
    if isinstance(value, (float, np.floating)) and math.isfinite(value) and float(value).is_integer():
        return str(int(value))
    return str(value)


def as_number(text: str) -> float | None:
    """Return the finite number that a text spells in plain ASCII digits; None where it spells none.

    Examples
    --------
    >>> as_number(" 1e3"), as_number("seven"), as_number("inf"), as_number("1_000"), as_number("1e999")
    (1000.0, None, None, None, None)
    """
    if not NUMBER.fullmatch(text.strip()):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coded:
    """A column as codes into its distinct values, as the engine holds them.

    Attributes
    ----------
    codes : (cells,) int64 array
        Indexes into `values`; -1 where the value is missing.
    values : array
        Distinct values, in any order, never missing.
    """

    codes: IntArray
    values: AnyArray

    def texts_of(self, cells: AnyArray) -> list[str]:
        """Return the distinct texts that some cells (a mask or indexes) hold; nothing for empty ones."""
        codes = np.unique(self.codes[cells])
        found = (as_text(value) for value in self.values[codes[codes >= 0]].tolist())
        return sorted(text for text in found if text is not None)

    def labels(self, na: Collection[str] = ()) -> Labels:
        """Return the column as sorted text labels; texts in `na` count as missing."""
        used = np.zeros(len(self.values) + 1, dtype=bool)  # categories that no row has are no labels
        used[self.codes] = True
        values = self.values.tolist()
        texts: list[str | None] = values
        if not (used[:-1].all() and set(map(type, values)) <= {str}):
            texts = [as_text(v) if u else None for v, u in zip(values, used[:-1].tolist(), strict=True)]
        levels = tuple(sorted({text for text in set(texts).difference(na) if text}))
        kinds: dict[bool, set[str | None]] = {True: set(), False: set()}
        for label, value in zip(texts, values, strict=True) if texts is not values else ():
            kinds[isinstance(value, str)].add(label)
        mixed = tuple(level for level in levels if level in kinds[True] & kinds[False])
        index: dict[str | None, int] = {text: code for code, text in enumerate(levels)}
        recode = np.array([*(index.get(text, -1) for text in texts), -1], dtype=np.int64)
        return Labels(codes=recode[self.codes], levels=levels, mixed=mixed)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labels:
    """A column as codes into its sorted text labels.

    Attributes
    ----------
    codes : (cells,) int64 array
        Indexes into `levels`; -1 where the value is missing.
    levels : tuple of str
        Distinct labels, sorted by code point.
    mixed : tuple of str
        Labels that a column writes both as a number (or another value) and as text.
    """

    codes: IntArray
    levels: tuple[str, ...]
    mixed: tuple[str, ...] = ()

    def take(self, keep: AnyArray) -> Labels:
        """Return the labels of some cells, without the levels that these cells do not use."""
        codes = self.codes[keep]
        used = np.zeros(len(self.levels) + 1, dtype=bool)
        used[codes] = True
        used = used[:-1]
        recode = np.append(np.cumsum(used, dtype=np.int64) - 1, -1)
        levels = tuple(level for level, kept in zip(self.levels, used.tolist(), strict=True) if kept)
        return Labels(codes=recode[codes], levels=levels, mixed=tuple(x for x in self.mixed if x in levels))

    def mapped(self, value: Callable[[str], Any], missing: Any, dtype: Any = None) -> AnyArray:
        """Return a value for each cell: that of its label, or `missing`."""
        return np.array([*map(value, self.levels), missing], dtype=dtype)[self.codes]

    def numbers(self) -> FloatArray:
        """Return the numbers that the labels spell; NaN for other texts, and where missing."""
        return self.mapped(as_number, None, np.float64) + 0.0  # no negative zero


LOOKED = (1_000, 30)  # first rows, and first columns, in which names of columns are looked for
NAME_THEM = "Add a first line that names the columns, such as unit,rater,value"


def check_names(names: Sequence[Any], source: str, below: Iterable[Sequence[str | None]] = ()) -> None:
    """Refuse column names that are not text, or not distinct.

    Parameters
    ----------
    names : sequence
    source : str
        Named in errors.
    below : iterable of sequence of str
        Rows under the names, to tell whether the names are a row as well; read only where names repeat.

    Raises
    ------
    InputError

    Examples
    --------
    >>> check_names(["a", "b", "a"], "x.csv")
    Traceback (most recent call last):
    socialstats.errors.InputError: x.csv: two columns are called 'a'. Rename one of them
    """
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"{source}: the column name {name!r} is not text. Rename the columns")
        within("name", len(name), source, fix="Check the first line and the delimiter")
        if name in seen:
            signs = signs_of_data(names, below)
            if signs:
                raise InputError(f"{source}: the first line looks like data, not column names ({signs}). {NAME_THEM}")
            if not name:
                raise InputError(f"{source}: {names.count(name)} columns have no name. Name each of them")
            raise InputError(f"{source}: two columns are called '{name}'. Rename one of them")
        seen.add(name)


def refuse_wide(names: Sequence[str], source: str) -> None:
    """Refuse a file with more columns than are read in seconds.

    Raises
    ------
    InputError
    """
    shape = "a table has one row per observation and one column per variable"
    fix = f"Of its {len(names):,} columns keep those that are needed, or transpose it: {shape}"
    within("columns", len(names), source, fix=fix)


def signs_of_data(names: Sequence[str], below: Iterable[Sequence[str | None]]) -> str:
    """Return what says that names of columns are a row of data; empty where little does.

    Names that are numbers, or that occur again in their own column, may be data. They are taken as data where at least
    half of the names occur again, or all are such names and some occur again.

    Examples
    --------
    >>> signs_of_data(["A", "B", "B"], [["B", "A", "B"], ["A", "B", "A"]])
    "'A' and 'B' occur again below"
    >>> signs_of_data(["unit", "1", "2"], [["u1", "1", "2"]])
    ''
    """
    rows, names = islice(below, LOOKED[0]), names[: LOOKED[1]]
    pairs = (pair for row in rows for pair in enumerate(zip(names, row, strict=False)))
    places = {place for place, (name, value) in pairs if name and value == name}
    again = dict.fromkeys(names[place] for place in sorted(places))
    numbers = {place for place, name in enumerate(names) if as_number(name) is not None}
    if places and (2 * len(places - numbers) >= len(names) or len(places | numbers) == len(names)):
        return f"{quoted([*again])} occur{'s' if len(again) == 1 else ''} again below"
    return ""


WEIGHT_OK, WEIGHT_ZERO, WEIGHT_MISSING, WEIGHT_NEGATIVE, WEIGHT_NO_NUMBER, WEIGHT_EXTREME = 0, 1, 2, 3, 4, 5
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-100, 1e100  # products of three weights are floats
LARGEST = 2**62
R_INTEGER_NA = -(2**31)  # how R's integer NA reads where a file or engine does not know it
N, SUM, SUM_SQ, STATUS = "socialstats rows", "socialstats sum", "socialstats sum of squares", "socialstats status"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counts:
    """Distinct rows of some columns.

    Attributes
    ----------
    columns : mapping of str to Coded
        One a key column, over the cells.
    n : (cells,) float64 array
        Rows in the cell.
    weight, weight_sq : (cells,) float64 arrays
        Sum of the rows' weights and of their squares; both equal `n` without weights, and 0 in cells whose
        weights cannot be used.
    status : (cells,) int64 array
        ``WEIGHT_OK``, ``WEIGHT_ZERO``, ``WEIGHT_MISSING``, ``WEIGHT_NEGATIVE``, ``WEIGHT_NO_NUMBER`` (text, infinite)
        or ``WEIGHT_EXTREME`` (below 1e-100, above 1e100): rows of different status are never in one cell.
    """

    columns: Mapping[str, Coded]
    n: FloatArray
    weight: FloatArray
    weight_sq: FloatArray
    status: IntArray


def counts(
    frame: Frame, keys: Sequence[str], weight: str | None = None, *, na: Collection[str] = (), source: str = "",
    grouped: bool = True,
) -> Counts:  # fmt: skip
    """Count the distinct rows of the key columns.

    Parameters
    ----------
    frame : narwhals DataFrame or LazyFrame
    keys : sequence of str
        Columns that make a cell.
    weight : str, optional
        Column of row weights, summed and checked in the same pass when it is numeric. A text column (from a csv
        file) is one more key: its distinct values are parsed, not its rows.
    na : collection of str
        Texts that mean a missing weight.
    source : str
        Named in errors.
    grouped : bool
        False: an engine that is not pandas returns equal rows as cells of their own, where few rows are equal.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = counts(nw.from_native(pd.DataFrame({"x": ["u", "v", "u"]})), ["x"])
    >>> cells.columns["x"].values.tolist(), cells.n.tolist()
    (['u', 'v'], [2.0, 1.0])
    """
    keys = list(dict.fromkeys(keys))
    text_weight = weight is not None and not frame.select(weight).collect_schema()[weight].is_numeric()
    if weight is not None and text_weight:
        keys = list(dict.fromkeys([*keys, weight]))
    summed = None if text_weight else weight
    if frame.implementation.is_pandas():
        cells = _count_pandas(nw.to_native(frame), keys, summed, source)
    else:
        cells = _count_narwhals(frame, keys, summed, source, grouped=grouped)
    return _parse_weights(cells, weight, na) if weight is not None and text_weight else cells


def _count_pandas(frame: pd.DataFrame, keys: Sequence[str], weight: str | None, source: str) -> Counts:
    """Count by combining the columns' codes in mixed radix, re-coded whenever the radix would overflow."""
    combined = _Radix()
    values: dict[str, AnyArray] = {}
    for key in keys:
        codes, values[key] = _factorise(frame[key], key, source)
        combined.push(key, codes, len(values[key]) + 1)
    numbers = None
    if weight is not None:
        numbers = frame[weight].to_numpy(dtype=np.float64, na_value=np.nan)
        status = weight_status(numbers)
        if status.any():
            numbers = np.where(status > WEIGHT_ZERO, 0.0, numbers)
            combined.push(STATUS, status - 1, WEIGHT_EXTREME + 1)
    n, cell_of_row, cells = combined.finish(len(frame), each_row=numbers is not None)
    size = len(n)
    w = w2 = n
    if numbers is not None and cell_of_row is not None:
        w = np.bincount(cell_of_row, weights=numbers, minlength=size).astype(np.float64, copy=False)
        w2 = np.bincount(cell_of_row, weights=numbers**2, minlength=size).astype(np.float64, copy=False)
    state = cells.pop(STATUS) + 1 if STATUS in cells else np.zeros(size, dtype=np.int64)
    columns = {key: Coded(codes=cells[key], values=values[key]) for key in keys}
    return Counts(columns=columns, n=n, weight=w, weight_sq=w2, status=state)


class _Radix:
    """Several code columns (each from -1) as one integer a row, and back."""

    def __init__(self) -> None:
        self.key: IntArray | None = None
        self.size = 1
        self.stages: list[tuple[IntArray | None, list[tuple[str, int]]]] = [(None, [])]

    def push(self, name: str, codes: IntArray, size: int) -> None:
        import pandas as pd

        if self.key is not None and self.size > LARGEST // size:
            self.key, seen = pd.factorize(self.key)
            self.size = len(seen)
            self.stages.append((seen, []))
        if self.key is None:
            self.key = codes + 1
        else:
            self.key *= size
            self.key += codes
            self.key += 1
        self.size *= size
        self.stages[-1][1].append((name, size))

    def finish(self, rows: int, *, each_row: bool) -> tuple[FloatArray, IntArray | None, dict[str, IntArray]]:
        """Return the rows of each cell, the cell of each row if asked for, and each column's codes over the cells.

        Where the possible keys are no more than the rows, they are counted in place of being hashed.
        """
        import pandas as pd

        key = np.zeros(rows, dtype=np.int64) if self.key is None else self.key
        cell_of_row = None
        if self.size <= rows:
            every = np.bincount(key, minlength=self.size)
            rest = np.flatnonzero(every)
            n = every[rest].astype(np.float64)
            if each_row:
                cell_of_row = (np.cumsum(every > 0) - 1)[key]
        else:
            cell_of_row, rest = pd.factorize(key)
            n = np.bincount(cell_of_row, minlength=len(rest)).astype(np.float64)
        codes: dict[str, IntArray] = {}
        for seen, names in reversed(self.stages):
            for name, size in reversed(names):
                codes[name] = rest % size - 1
                rest = rest // size
            if seen is not None:
                rest = seen[rest]
        return n, cell_of_row, codes


def _factorise(column: pd.Series[Any], key: str, source: str) -> tuple[IntArray, AnyArray]:
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        values = np.asarray(column.cat.categories)
        return column.cat.codes.to_numpy().astype(np.int64), values
    # Text held as Python objects factorises twice as fast as an object array than through its extension array.
    python_text = isinstance(column.dtype, pd.StringDtype) and column.dtype.storage == "python"
    data: Any = column.to_numpy(dtype=object) if python_text else column
    try:
        codes, distinct = pd.factorize(data)
    except TypeError as error:
        raise no_labels(source, key, str(error)) from error
    values = np.asarray(distinct, dtype=object) if column.dtype.kind in "mM" else np.asarray(distinct)
    if values.dtype == object:
        refuse_no_labels(values.tolist(), source, key)
    return codes.astype(np.int64, copy=False), values


def no_labels(source: str, column: str, what: str) -> InputError:
    """Return the error of a column whose values are no labels."""
    return InputError(f"{source}, column '{shorten(column)}': it holds values that are no labels ({what})")


def refuse_no_labels(values: Sequence[Any], source: str, column: str) -> None:
    """Refuse nested values and bytes.

    Raises
    ------
    InputError
    """
    bad = next((value for value in values if isinstance(value, NO_LABELS)), None)
    if bad is not None:
        raise no_labels(source, column, f"a {type(bad).__name__} is not a label")


def _is_nested(kind: nw.dtypes.DType) -> bool:
    """Return whether values of a type are lists, structures or bytes, which are no labels."""
    return kind.is_nested() or kind == nw.Binary


def _count_narwhals(frame: Frame, keys: Sequence[str], weight: str | None, source: str, *, grouped: bool) -> Counts:
    """Count with the engine's own group-by; only the cells leave the engine."""
    chosen: Any = frame.select(*dict.fromkeys([*keys, *([weight] if weight else [])]))
    schema = chosen.collect_schema()
    for key in keys:
        if _is_nested(schema[key]):
            raise no_labels(source, key, str(schema[key]))
    texts = [k for k in keys if isinstance(schema[k], (nw.Categorical, nw.Enum))]
    if texts:
        chosen = chosen.with_columns(*(nw.col(key).cast(nw.String) for key in texts))
    by, sums = list(keys), [nw.len().alias(N)]
    if weight is not None:
        w = nw.col(weight).cast(nw.Float64)
        usable = nw.col(STATUS) <= WEIGHT_ZERO
        chosen = chosen.with_columns(_status_expression(w).alias(STATUS))
        chosen = chosen.with_columns(nw.when(usable).then(w).otherwise(nw.lit(0.0)).alias(SUM))
        chosen = chosen.with_columns((nw.col(SUM) * nw.col(SUM)).alias(SUM_SQ))
        by, sums = [*by, STATUS], [*sums, nw.col(SUM).sum(), nw.col(SUM_SQ).sum()]
    cells = collected(group_rows(chosen, by, *sums) if grouped else chosen.with_columns(nw.lit(1).alias(N)))
    n = _numbers_of(cells.get_column(N)).astype(np.float64)
    columns = {key: _code_cells(cells.get_column(key), source) for key in keys}
    if weight is None:
        return Counts(columns=columns, n=n, weight=n, weight_sq=n, status=np.zeros(len(n), dtype=np.int64))
    w_sum, w_sq, state = (_numbers_of(cells.get_column(name)) for name in (SUM, SUM_SQ, STATUS))
    weights = {"weight": w_sum.astype(float), "weight_sq": w_sq.astype(float), "status": state.astype(np.int64)}
    return Counts(columns=columns, n=n, **weights)


def _status_expression(w: nw.Expr) -> nw.Expr:
    usual = (w >= SMALLEST_WEIGHT) & (w <= LARGEST_WEIGHT)
    extreme = nw.when(usual).then(nw.lit(WEIGHT_OK)).otherwise(nw.lit(WEIGHT_EXTREME))
    infinite = nw.when(w.is_finite()).then(extreme).otherwise(nw.lit(WEIGHT_NO_NUMBER))
    negative = nw.when(w < 0).then(nw.lit(WEIGHT_NEGATIVE)).otherwise(infinite)
    zero = nw.when(w == 0).then(nw.lit(WEIGHT_ZERO)).otherwise(negative)
    nan = nw.when(w.is_nan() | (w == R_INTEGER_NA)).then(nw.lit(WEIGHT_MISSING)).otherwise(zero)
    return nw.when(w.is_null()).then(nw.lit(WEIGHT_MISSING)).otherwise(nan)


def _numbers_of(column: nw.Series[Any]) -> AnyArray:
    arrow = column.implementation is nw.Implementation.PYARROW and not column.null_count()
    return numbers_of(column.to_arrow()) if arrow else column.to_numpy()


def _code_cells(column: nw.Series[Any], source: str) -> Coded:
    if column.implementation in (nw.Implementation.PYARROW, nw.Implementation.POLARS) and column.dtype == nw.String:
        found = column.to_arrow()
        codes, texts = encoded(found.combine_chunks() if hasattr(found, "combine_chunks") else found)
        return Coded(codes=codes.astype(np.int64), values=np.array(texts, dtype=object))
    import pandas as pd

    plain = (column.dtype.is_integer() or column.dtype.is_float()) and not column.null_count()
    held = pd.Series(column.to_numpy() if plain else column.to_list(), dtype=None if plain else object)
    codes, values = _factorise(held, column.name, source)
    return Coded(codes=codes, values=values)


def weight_status(numbers: FloatArray) -> IntArray:
    """Classify weights: usable, zero, missing, negative, no finite number, or far from 1."""
    status = np.zeros(len(numbers), dtype=np.int64)
    status[(numbers < SMALLEST_WEIGHT) | (numbers > LARGEST_WEIGHT)] = WEIGHT_EXTREME
    status[numbers == 0] = WEIGHT_ZERO
    status[np.isnan(numbers)] = WEIGHT_MISSING
    status[np.isinf(numbers)] = WEIGHT_NO_NUMBER
    status[numbers < 0] = WEIGHT_NEGATIVE
    status[numbers == R_INTEGER_NA] = WEIGHT_MISSING
    return status


def text_weight(value: Any) -> tuple[float, int]:
    """Return a weight written as text, and its status.

    Examples
    --------
    >>> text_weight("2.5"), text_weight("-1"), text_weight("many"), text_weight("")
    ((2.5, 0), (0.0, 3), (0.0, 4), (0.0, 2))
    """
    text = as_text(value)
    if text is None:
        return 0.0, WEIGHT_MISSING
    number = as_number(text)
    if number is None:
        return 0.0, WEIGHT_NO_NUMBER if text != "-inf" else WEIGHT_NEGATIVE
    status = int(weight_status(np.array([number]))[0])
    return number if status == WEIGHT_OK else 0.0, status


def _parse_weights(cells: Counts, weight: str, na: Collection[str]) -> Counts:
    coded = cells.columns[weight]
    parsed = [*(text_weight("" if as_text(v) in na else v) for v in coded.values.tolist()), (0.0, WEIGHT_MISSING)]
    w = np.array([value for value, _ in parsed])[coded.codes]
    status = np.array([state for _, state in parsed], dtype=np.int64)[coded.codes]
    return Counts(columns=cells.columns, n=cells.n, weight=w * cells.n, weight_sq=w**2 * cells.n, status=status)


Locate = Callable[[Sequence[int]], list[int]]
FEW = 20  # values that are looked at
Wanted = Callable[[tuple[str | None, ...]], bool]


@dataclass(frozen=True, slots=True)
class Stacked:
    """Columns of `rows` values each that stand one below the other in `column`."""

    column: str
    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """A table that was read or passed, before anybody decided what its columns mean.

    Attributes
    ----------
    frame : narwhals DataFrame or LazyFrame
        A lazy one holds the number of each row as well, where its engine can tell (`socialstats.tables.lazy.ROW`).
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
    """

    frame: Frame
    columns: tuple[str, ...]
    index: tuple[str, ...] = ()
    source: str = "data frame"
    unit: str = "row"
    is_file: bool = False
    semicolons: bool = False
    decimal_commas: tuple[str, ...] = ()
    locate: Locate | None = None
    sha256: Callable[[], str] | None = None
    epsilons: Mapping[str, float] = field(default_factory=dict)
    stacked: Stacked | None = None
    copies: tuple[str, ...] = ()

    @property
    def lazy(self) -> bool:
        """Whether an engine reads the rows when it is asked."""
        return isinstance(self.frame, nw.LazyFrame)

    def columns_behind(self, column: str, positions: Sequence[int] = ()) -> str | tuple[str, ...]:
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
        found = tuple(dict.fromkeys(names[k // rows] for k in positions)) or names
        return found[0] if len(found) == 1 else found

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
                listed = listing([shorten(column) for column in self.columns], most=SHOWN)
                fix = f"{meant(name, self.columns)}Columns: {listed}"
                raise InputError(Problem(source=self.source, message=f"no column '{shorten(name)}'", fix=fix))

    @asks
    def holds_labels(self, column: str) -> bool:
        """Return whether the first values of a column can be labels: no lists, mappings or structures."""
        chosen: Any = self.frame.select(column)
        if _is_nested(chosen.collect_schema()[column]):
            return False
        try:
            first = [] if isinstance(chosen, nw.LazyFrame) else chosen.head(FEW).get_column(column).to_list()
        except OverflowError:  # a date after the year 9999
            return False
        return all(isinstance(value, Hashable) and not isinstance(value, NO_LABELS) for value in first)

    def levels(self, column: str, na: Collection[str] = ()) -> tuple[str, ...]:
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
        return _texts(values)

    @asks
    def epsilon(self, column: str) -> float:
        """Return the relative rounding error of a column's numbers: 1.2e-7 in single precision, else 2.2e-16."""
        single = self.frame.select(column).collect_schema()[column] == nw.Float32
        return self.epsilons.get(column, float(np.finfo(np.float32).eps) if single else EPSILON)

    @asks
    def counts(self, keys: Sequence[str], weight: str | None = None, na: Collection[str] = ()) -> Counts:
        """Count the distinct rows of some columns; see `socialstats.tables.table.counts`."""
        return counts(self.frame, keys, weight, na=na, source=self.source)

    def categories(self, column: str) -> tuple[str, ...]:
        """Return the labels of a pandas Categorical or an Enum in their order; none for other columns."""
        kind = self.frame.collect_schema().get(column)
        if isinstance(kind, nw.Enum):
            return tuple(kind.categories)
        if isinstance(self.frame, nw.LazyFrame) or not isinstance(kind, nw.Categorical):
            return ()
        if not self.frame.implementation.is_pandas_like():
            return ()  # other engines keep the order of the rows
        return tuple(map(str, nw.to_native(self.frame.get_column(column)).cat.categories))

    @property
    @asks
    def height(self) -> int:
        """How many rows there are."""
        return height(self.frame)

    @asks
    def ends(self, column: str) -> tuple[float, float]:
        """Return the smallest and the largest number of a column of numbers; an engine finds them itself."""
        named = (nw.col(column).min().alias("low"), nw.col(column).max().alias("high"))
        found = collected(self.frame.select(*named))
        low, high = (float(found.get_column(name)[0]) for name in ("low", "high"))
        return low, high

    @asks
    def distinct(self, columns: Sequence[str]) -> int:
        """Return how many rows differ in some columns; an engine that reads lazily counts them itself."""
        if isinstance(self.frame, nw.LazyFrame):
            held = list(dict.fromkeys(columns))
            return height(group_rows(self.frame.select(*held), held, nw.len().alias(N)))
        return len(self.counts(columns).n)

    @property
    @asks
    def doubt(self) -> str:
        """A sentence where the first line of a file looks like data; empty for data frames, and where little does."""
        names = self.columns[: LOOKED[1]]
        schema = self.frame.select(*names).collect_schema()
        if not self.is_file or not all(isinstance(schema[name], nw.String | nw.Object) for name in names):
            return ""  # other formats than text do not take a row for their names
        chosen = collected(self.frame.select(*names).head(LOOKED[0]))
        signs = signs_of_data(names, (_texts(row) for row in chosen.iter_rows()))
        return f"The first line may be data, not column names ({signs}). {NAME_THEM}" if signs else ""

    @asks
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
        if isinstance(self.frame, nw.LazyFrame):
            return _positions_lazily(self.frame, keys, wanted, most)
        chosen = self.frame.select(*dict.fromkeys(keys))
        texts = [_texts(chosen.get_column(key).to_list()) for key in keys]
        return _first(zip(*texts, strict=True), wanted, most)

    def places(self, positions: Collection[int]) -> dict[int, int]:
        """Map row positions to what `unit` counts."""
        ordered = sorted(set(positions))
        if self.locate is not None and ordered:
            return dict(zip(ordered, self.locate(ordered), strict=True))
        shift = 1 if self.unit == "record" else 0
        return {position: position + shift for position in ordered}


def _first(rows: Iterable[tuple[str | None, ...]], wanted: Sequence[Wanted], most: int) -> list[list[int]]:
    """Return where the first rows stand that each predicate wants."""
    found: list[list[int]] = [[] for _ in wanted]
    open_ = list(range(len(wanted)))
    for position, row in enumerate(rows):
        for k in [k for k in open_ if wanted[k](row)]:
            found[k].append(position)
            if len(found[k]) == most:
                open_.remove(k)
        if not open_:
            break
    return found


def _positions_lazily(
    frame: nw.LazyFrame[Any], keys: Sequence[str], wanted: Sequence[Wanted], most: int
) -> list[list[int]]:
    """Find the first wanted rows by two queries: the distinct rows with the first of each, then the rows of these.

    The first rows are among those that equal one of as many distinct rows whose first row comes first.
    """
    cells = first_of_each(frame, list(dict.fromkeys(keys)))
    if cells is None:
        return [[] for _ in wanted]
    columns = [cells.get_column(key).to_list() for key in keys]  # a column may be named twice
    first, times = (cells.get_column(name).to_list() for name in (FIRST, TIMES))
    found = []
    for hits in _first(zip(*map(_texts, columns), strict=True), wanted, most):
        if all(times[k] == 1 for k in hits):
            found.append([int(first[k]) for k in hits])
        else:
            found.append(rows_of(frame, keys, [[column[k] for column in columns] for k in hits], most))
    return found


def _texts(values: Sequence[Any]) -> list[str | None]:
    seen: dict[Any, str | None] = {}
    texts: list[str | None] = []
    for value in values:
        if isinstance(value, NO_LABELS) or not isinstance(value, Hashable):
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
        with engine(source):
            data, locate = numbered(data)
            frame: Any = nw.from_native(data)
            columns = tuple(frame.collect_schema().names() if isinstance(frame, nw.LazyFrame) else frame.columns)
    except TypeError as error:
        raise InputError(
            f"{source}: a {type(data).__name__} is not a table. Pass a data frame (pandas, polars, pyarrow, "
            "DuckDB, ...), a mapping of columns, or read a file (read_comparisons, read_paired, read_ratings)"
        ) from error
    except nw.exceptions.DuplicateError as error:
        names = " ".join(str(error).split())
        raise InputError(f"{source}: two columns have the same name ({names}). Rename one of them") from error
    check_names(columns, source)
    columns = tuple(column for column in columns if column not in (*index, ROW))
    return Table(frame=frame, columns=columns, index=index, source=source, locate=locate)


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


SHOWN = 20


def rows_where(table: Table, column: str, value: str, *, missing: bool = False) -> tuple[Table, int]:
    """Keep the rows whose value, written as text, is `value`.

    Parameters
    ----------
    table : Table
        The rows of a lazy one are left to its engine.
    column, value : str
    missing : bool
        Keep rows without a value too.

    Returns
    -------
    table : Table
    left_out : int
        Rows that have another value.

    Raises
    ------
    InputError
        If there is no such column.
    NothingToAnalyse
        If no row has the value; the message lists those there are.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> kept, left_out = rows_where(as_table({"model": ["m1", "m2", "m1"], "y": [1, 2, 3]}), "model", "m1")
    >>> kept.frame.shape, left_out
    ((2, 2), 1)
    """
    known = _values(table, column)
    if not any(as_text(one) == value for one in known):
        listed = listing([shorten(str(as_text(one))) for one in known], most=SHOWN)
        raise NothingToAnalyse(f"{table.source}: no row has {column} = '{shorten(value)}'; values: {listed}")
    texts = {text for one in known if (text := as_text(one)) is not None} - {value}
    others = _has(table, column, texts) if missing else ~_has(table, column, {value})
    return _left_out(table, others, "none is left")


def rows_without(table: Table, column: str, value: str) -> tuple[Table, int]:
    """Leave out the rows whose value, written as text, is `value`; rows that miss a value stay.

    Returns
    -------
    table : Table
    left_out : int
        Rows with the value; 0 where there is none, since what is excluded in advance may not occur.

    Raises
    ------
    InputError
        If there is no such column.
    NothingToAnalyse
        If every row has the value.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> kept, left_out = rows_without(as_table({"state": ["ok", "failed", None], "y": [1, 2, 3]}), "state", "failed")
    >>> kept.frame.shape, left_out
    ((2, 2), 1)
    """
    return _left_out(table, _has(table, column, {value}), f"every row has {column} = '{shorten(value)}': none is left")


@asks
def rows_unlike(table: Table, one: str, other: str) -> tuple[Table, int]:
    """Leave out the rows in which two columns hold the same text; rows that miss a value stay.

    Returns
    -------
    table : Table
    left_out : int

    Raises
    ------
    InputError
        If there is no such column.
    NothingToAnalyse
        If the columns agree in every row.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> kept, left_out = rows_unlike(as_table({"winner": ["a", "b"], "loser": ["b", "b"]}), "winner", "loser")
    >>> kept.frame.shape, left_out
    ((1, 2), 1)
    """
    table.need(one, other)
    bad: BoolArray | nw.Expr
    if isinstance(table.frame, nw.LazyFrame):
        a, b = (_as_text(table, column) for column in (one, other))
        bad = _sure((a == b) & (a != ""))
    else:
        texts = (_texts(table.frame.get_column(column).to_list()) for column in (one, other))
        bad = np.array([x == y is not None for x, y in zip(*texts, strict=True)], dtype=bool)
    return _left_out(table, bad, f"every row has the same value in '{one}' and '{other}': none is left")


def rows_without_whole(table: Table, column: str, value: str, whole: str) -> tuple[Table, int, int]:
    """Leave out all rows of everyone (everything named in the column `whole`) who has a row with the value.

    Returns
    -------
    table : Table
    left_out, names : int
        Rows, and how many names.

    Raises
    ------
    InputError
        If there is no such column.
    NothingToAnalyse
        If nobody is left.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> rows = as_table({"rater": ["ann", "bob", "ann"], "check": ["ok", "ok", "failed"]})
    >>> kept, left_out, names = rows_without_whole(rows, "check", "failed", "rater")
    >>> kept.frame.shape, left_out, names
    ((1, 2), 2, 1)
    """
    table.need(column, whole)
    cells = table.counts([column, whole]).columns
    texts = ([*_texts(coded.values.tolist()), None] for coded in (cells[column], cells[whole]))
    values, names = (
        [some[k] for k in coded.codes] for some, coded in zip(texts, (cells[column], cells[whole]), strict=True)
    )
    out = {name for name, held in zip(names, values, strict=True) if held == value and name is not None}
    gone = _has(table, column, {value}) | _has(table, whole, out)
    said = f"everyone in '{shorten(whole)}' has a row with {column} = '{shorten(value)}'"
    return (*_left_out(table, gone, said), len(out))


@asks
def with_joint(table: Table, column: str | Sequence[str] | None) -> tuple[Table, str | None]:
    """Make one key of several columns: a column of their values, with the columns' names joined by commas as its name.

    Parameters
    ----------
    table : Table
    column : str, sequence of str or None
        Several columns, or their names in one text with commas between; a column of that very name is left as it is.
        None or empty: there is no key.

    Returns
    -------
    table : Table
        With the column added where there are several; a value is missing where one of its parts is.
    name : str or None

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> made, name = with_joint(as_table({"task": ["t", "t"], "id": [1, 2]}), "task,id")
    >>> name, made.frame["task,id"].to_list()
    ('task,id', ['t | 1', 't | 2'])
    """
    if not column:
        return table, None
    names = [part.strip() for part in column.split(",")] if isinstance(column, str) else list(column)
    name = column if isinstance(column, str) else ",".join(names)
    if name in table.columns or len(names) < 2 or not set(names) <= set(table.columns):
        return table, name
    if isinstance(table.frame, nw.LazyFrame):
        parts = [nw.col(part).cast(nw.String()) for part in names]
        lazy = table.frame.with_columns(nw.concat_str(parts, separator=" | ").alias(name))
        return replace(table, frame=lazy, columns=(*table.columns, name)), name
    values = [table.texts(part) for part in names]
    keys = [None if None in row else " | ".join(map(str, row)) for row in zip(*values, strict=True)]
    series = nw.new_series(name, keys, nw.String(), backend=table.frame.implementation)
    return replace(table, frame=table.frame.with_columns(series), columns=(*table.columns, name)), name


def _values(table: Table, column: str) -> list[Any]:
    """Return the distinct values of a column."""
    table.need(column)
    return list(table.counts([column]).columns[column].values.tolist())


def _has(table: Table, column: str, labels: Collection[str]) -> nw.Expr:
    """Return whether a row has a value that is one of some labels."""
    wanted = [value for value in _values(table, column) if as_text(value) in labels]
    missing = nw.col(column).is_null()
    return _sure(nw.col(column).is_in(wanted)) if wanted else missing & ~missing  # no engine takes an empty list


def _sure(condition: nw.Expr) -> nw.Expr:
    """Return a condition that is false where a value is missing."""
    return nw.when(condition).then(nw.lit(True)).otherwise(nw.lit(False))


def _as_text(table: Table, column: str) -> nw.Expr:
    """Return a column of a lazy table as the labels that `as_text` makes."""
    whole = table.frame.collect_schema()[column].is_float()
    cast = nw.col(column).cast(nw.String)
    return cast.str.replace_all(r"\.0$", "") if whole else cast


@asks
def _left_out(table: Table, bad: BoolArray | nw.Expr, nothing: str) -> tuple[Table, int]:
    """Leave out some rows and count them; raise NothingToAnalyse with a reason where these are all."""
    rows, frame = table.height, table.frame
    if isinstance(frame, nw.LazyFrame):
        kept = replace(table, frame=frame.filter(~bad))
        out = rows - kept.height
    else:
        mask = (
            bad if isinstance(bad, np.ndarray) else frame.with_columns(bad.alias(STATUS)).get_column(STATUS).to_numpy()
        )
        kept, out = _kept(table, ~mask.astype(bool)), int(mask.sum())
    if rows == out:
        raise NothingToAnalyse(f"{table.source}: {nothing}")
    return (kept if out else table), out


def _kept(table: Table, mask: BoolArray) -> Table:
    """Return the rows of the mask; the places of errors stay those of the whole table."""
    kept = np.flatnonzero(mask)
    frame: Any = table.frame

    def locate(positions: Sequence[int]) -> list[int]:
        before = [int(kept[position]) for position in positions]
        places = table.places(before)
        return [places[position] for position in before]

    return replace(table, frame=frame.filter(mask.tolist()), locate=locate)

"""Vectors and square arrays of counts at the start of a call, as scipy, statsmodels and R take them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, KeysView, Mapping, Sequence, Set, ValuesView
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd

from socialstats.designs.aliases import Fields, Given, Texts
from socialstats.designs.calls import keywords
from socialstats.designs.contrasts_reading import vector
from socialstats.designs.crosstabs import (
    are_counts,
    may_count,
    refuse_margins,
)
from socialstats.designs.square_tables import (
    SQUARES,
    called,
    is_counts,
    is_crosstab,
    is_square,
    matrix,
    refuse_pivoted,
)
from socialstats.designs.vocabulary import (
    CONDITIONS,
    TIE_WORDS,
    bare,
)
from socialstats.errors import InputError
from socialstats.text import listing
from socialstats.voice import Word, option

# an attribute of a relation of DuckDB may be a query
ARRAYS = (
    "ndarray",
    "Series",
    "Index",
    "Categorical",
)
# keywords that may be several columns
LISTS = (
    "unit",
    "value",
    "cluster",
    "strata",
    "raters",
    "units",
    "columns",
    "ranks",
)
# types of arrays that lists of their values have too
PLAIN = (np.int64, np.float64, np.bool_)
# keywords that go with a square array
OF_SQUARES = ("levels", "scale", "groups")
# successes and sizes of two groups, by their names elsewhere
OF_TOTALS = (
    "count",
    "x",
    "nobs",
    "n",
)
# keywords that may be a vector, with one value per row
COLUMNS = (
    "unit",
    "cluster",
    "by",
    "count",
    "weight",
)
# keywords that name the columns of two sides
OF_SIDES = ("first", "second", "item_a", "item_b")
# keywords that name no column
OF_VALUES = ("levels", "scale", "missing", "na", "refusal")
# keywords that may be a vector beside one vector of values
BESIDE_ONE = ("group", "rater")
ONCE = {*COLUMNS, *BESIDE_ONE}
# keywords by which a design reads an array itself
LAYOUTS = (
    "raters_in",
    "raters",
    "units",
    "columns",
    "ranks",
)


def from_vectors(
    args: Sequence[Any],
    given: Given,
    readers: Sequence[Any],
    name: str,
    square: bool = True,
    labels: bool = False,
) -> tuple[list[Any], Fields]:
    """Return a call with vectors as a call with one table, and a square array of counts as a design.

    Parameters
    ----------
    args, given
        Of the call. Two vectors are pairs or two samples; two or more are raters; three are the two items of each
        comparison and its winner. One vector has the values of all units, with ``group=`` or ``rater=`` beside it. A
        square array counts pairs, or wins of the row's item over the column's. Tuples of two are winners and losers,
        or pairs, whose array has two rows or two columns. A table of two groups counts units, with a row each. A
        mapping has two samples of different sizes, or how often the first of two items won. Keywords of `COLUMNS` may
        be vectors too. Iterators are read once.
    readers : sequence of type or callable
        As for `as_design`.
    name : str
        The function that was called, for messages.
    square : bool
        Whether an array without labels is one of counts: a square one, or one of two groups. A data frame with the
        same labels on both sides is.
    labels : bool
        Whether the function counts labels: one vector of whole numbers may be counts then.

    Raises
    ------
    InputError
        For vectors of different lengths, series with different indexes, and sets, which have no order. For arrays that
        can be read in two ways; the message has the call of each.

    Examples
    --------
    >>> from socialstats import Comparisons, Paired
    >>> args, given = from_vectors([[3, 4], [5, 4]], {}, [Paired], "f()")
    >>> args, given["first"], given["second"]
    ([{'first': [3, 4], 'second': [5, 4]}], 'first', 'second')
    >>> from_vectors([[[44, 5], [7, 19]]], {}, [Paired], "f()")[0][0].n_pairs
    75
    >>> from_vectors([[("x", "y"), ("z", "x")]], {}, [Comparisons], "f()")[0]
    [{'item_a': ['x', 'z'], 'item_b': ['y', 'x'], 'winner': ['x', 'z']}]
    """
    designs = [reader for reader in readers if reader.__name__ in TABLES]
    kinds = [design.__name__ for design in designs]
    plain = designs == [*readers]
    given = dict(given)
    alone = plain and kinds == ["Ratings"] and not {*keywords(designs[0])} & {*given} - {*OF_VALUES}
    args = single_columns([once(data, name) for data in args], alone)
    if not kinds:
        return args, given
    kind = kinds[0]
    if not args and "data" in given:
        args = [once(given.pop("data"), name)]
    if kinds == ["Groups"] and square:
        args, given = of_totals(designs[0], args, given, name)
    if not args:
        refuse_sides(given, kind, name, square)
        return args, given
    if plain:
        refuse_number(args[0], calls(kind, name, square), name, labels)
    vectors = leading_vectors(args)
    rest = args[max(1, len(vectors)) :]
    if len(vectors) < 2:
        named_keys = {key for design in designs for key in keywords(design) if key in given}
        named_keys -= {*OF_SQUARES}
        counted = holds_counts(args[0], kinds, name, square)
        if counted and not named_keys:
            refuse_pivoted(args[0], name)
            of_squares: Fields = {key: given.pop(key) for key in OF_SQUARES if key in given}
            return [SQUARES[kind](designs[0], args[0], of_squares, name), *rest], given
        if plain and not vectors and named_keys.isdisjoint(LAYOUTS):
            vectors = PARTS_OF[kind](args[0], name, square)
        if not vectors or not plain:
            return args, given
    if len(kinds) > 1:
        call = name.removesuffix("()")
        raise InputError(
            f"{name}: two vectors may be pairs or two samples. Pairs: {call}(ss.paired_difference(x, y), ...). "
            f"Samples: {call}(ss.two_means(x, y), ...)"
        )
    for key, value in given.items():
        given[key] = once(value, name) if key in ONCE else value
    if len(vectors) == 1:
        if kind == "Ratings" and (labels or getattr(vectors[0], "name", "") == "count"):
            refuse_counts(vectors[0], given, name)
        if kind == "Paired" and not square and rest and isinstance(rest[0], Number):
            given["null"] = rest[0]
        table, named = of_one(kind, vectors[0], given, name, square)
    else:
        given = with_order(vectors, given)
        table, named = of_several(kind, vectors, given, name)
    refuse_columns([key for key in named if key in given], name)
    put_beside(table, given, None if kind == "Groups" else vectors[0], name)
    return [table, *rest], {**given, **named}


def refuse_number(data: Any, ways: str, name: str, labels: bool) -> None:
    """Refuse a number where a table or vectors are meant.

    Raises
    ------
    InputError
    """
    if isinstance(data, Number):
        counts = f". Counts: {name[:-2]}(['yes', 'no'], count=[14, 6])" if labels else ""
        raise InputError(f"{name} takes a table or vectors, not the number {data}. {ways}{counts}")


def refuse_columns(keys: Texts, name: str) -> None:
    """Refuse keywords that name columns beside vectors, which have none.

    Raises
    ------
    InputError
    """
    if keys:
        raise InputError(
            f"{name}: {listing([option(key) for key in keys])} names columns, and vectors have none. "
            "Leave it out, or pass a table"
        )


def of_several(
    kind: str, vectors: Sequence[Any], settings: Given, name: str
) -> tuple[Fields, Fields]:
    """Return several vectors as a table, with the keywords that read it."""
    if kind == "Groups" and settings.get("missing") != "drop":
        refuse_missing(vectors, name)
    return TABLES[kind](vectors, name)


def refuse_sides(settings: Given, kind: str, name: str, square: bool) -> None:
    """Refuse vectors where the columns of a table are named, of which there is none.

    Raises
    ------
    InputError
    """
    sides = [key for key in OF_SIDES if is_vector(settings.get(key))]
    if sides:
        raise InputError(
            f"{name}: {listing([option(key) for key in sides])} would name columns of a table. "
            f"{calls(kind, name, square)}"
        )


def holds_counts(data: Any, kinds: Sequence[str], name: str, square: bool) -> bool:
    """Whether something is a table of counts of the design that a function takes."""
    if kinds == ["Groups"] and square:
        if isinstance(data, pd.DataFrame) and len(data) == 3 and are_counts(data):
            refuse_margins(data.to_numpy(dtype=np.float64), str(data.index[-1]), name)
        return is_counts(data)
    return kinds[0] in SQUARES and (is_square(data) if square else is_crosstab(data))


def put_beside(table: Fields, settings: Fields, first: Any, name: str) -> None:
    """Make columns of the vectors that stand beside the values: ``cluster=labels`` names a column then.

    Parameters
    ----------
    table : dict
    settings : dict
        Keywords of the call.
    first : vector or None
        Whose values stand in the rows; None where several vectors do one after the other.
    name : str

    Raises
    ------
    InputError
        For another number of values, and for series with another index.
    """
    rows = len(next(iter(table.values())))
    for key in COLUMNS:
        if not is_vector(settings.get(key)):
            continue
        table[key] = vector_values(settings[key], key)
        if len(table[key]) != rows:
            raise InputError(f"{name}: {key}= has {len(table[key])} values for {rows} rows")
        if first is not None:
            align_vectors([first, settings[key]], name)
        settings[key] = key


# what to write, by the design that a function takes
CALLS: Mapping[str, str] = {
    "Paired": "Two vectors: {0}(first, second)",
    "Groups": "Two vectors: {0}(x, y). Values and their groups: {0}(values, group=labels)",
    "Ratings": "A vector for each rater: {0}(ann, bob). "
    "Values and who gave them: {0}(values, unit=units, rater=raters)",
    "Comparisons": "Winners and losers: {0}(list(zip(winners, losers)))",
}
# and what of counts, where it takes them
COUNTS: Mapping[str, str] = {
    "Paired": "Counts: {0}([[30, 12], [5, 53]])",
    "Groups": "Successes and sizes: {0}(count=[14, 32], nobs=[70, 80])",
}


def calls(kind: str, name: str, square: bool = False) -> str:
    """Return what to write, by the design that a function takes."""
    said = [CALLS[kind], *([COUNTS[kind]] if square and kind in COUNTS else [])]
    return ". ".join(said).format(name.removesuffix("()"))


def once(data: Any, name: str) -> Any:
    """Return an iterator, a view or a range as a list, and a column of an array as a vector; anything else as it is.

    Masked values of numpy, and nulls of Arrow, are None.

    Raises
    ------
    InputError
        For a set.

    Examples
    --------
    >>> once(zip("ab", "ba"), "f()"), once(np.ones((2, 1)), "f()").tolist()
    ([('a', 'b'), ('b', 'a')], [1.0, 1.0])
    >>> once(np.ma.array([1, 2], mask=[False, True]), "f()"), once(pd.array([1, None]), "f()").tolist()
    ([1, None], [1, <NA>])
    """
    if isinstance(data, Set) and not isinstance(data, KeysView):
        raise InputError(f"{name}: a set has no order, and holds equal values once. Pass a list")
    if isinstance(data, (Iterator, KeysView, ValuesView, range)) and not isinstance(
        data, io.IOBase
    ):
        data = list(data)
    if isinstance(data, pd.api.extensions.ExtensionArray):
        return pd.Series(data)
    if isinstance(data, np.ma.MaskedArray):
        data = data.tolist()
    # a table of Arrow has no type, and stays as it is
    if type(data).__module__ == "pyarrow.lib" and hasattr(data, "type"):
        data = data.to_pylist()
    if isinstance(data, np.matrix):
        data = np.asarray(data)
    if isinstance(data, np.ndarray) and data.ndim == 2 and data.shape[1] == 1:
        return data[:, 0]
    if (
        isinstance(data, list)
        and data
        and all(isinstance(row, (list, tuple)) and len(row) == 1 for row in data)
    ):
        return [row[0] for row in data]
    return data


def single_columns(args: Sequence[Any], alone: bool = False) -> list[Any]:
    """Return data frames of one column as their columns, where there are several, or one may be `alone`.

    Examples
    --------
    >>> frames = [pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"b": [3, 4]})]
    >>> [column.name for column in single_columns(frames)]
    ['a', 'b']
    """
    single = [type(data).__name__ == "DataFrame" and data.shape[1] == 1 for data in args]
    if not all(single) or len(args) <= (0 if alone else 1):
        return [*args]
    return [data.iloc[:, 0] if hasattr(data, "iloc") else data.to_series() for data in args]


def with_order(vectors: Sequence[Any], given: Fields) -> Fields:
    """Return the keywords of a call with the levels of its vectors, where all are ordered categoricals with the same.

    Examples
    --------
    >>> with_order([pd.Categorical(["low"], ["low", "high"], ordered=True)], {})
    {'levels': ['low', 'high']}
    """
    types = {getattr(data, "dtype", None) for data in vectors}
    kind = types.pop()
    if (
        types
        or not isinstance(kind, pd.CategoricalDtype)
        or not kind.ordered
        or given.get("levels") is not None
    ):
        return given
    return {**given, "levels": kind.categories.tolist()}


def refuse_counts(values: Any, given: Fields, name: str) -> None:
    """Refuse one vector of whole numbers that may be counts, as of R's chisq.test or of value_counts of pandas.

    Raises
    ------
    InputError
        Where neither levels nor a scale, a rater or counts are declared, and some number is above 1.
    """
    numbers = vector_values(values, name)
    declared = {"levels", "scale", "count", "rater", "raters"} & given.keys()
    # pandas' value_counts(normalize=True)
    if getattr(values, "name", "") == "proportion":
        raise InputError(
            f"{name}: these are shares already. Their counts have an interval: {name[:-2]}(labels, count=counts)"
        )
    if not declared and are_counts(np.array(numbers, dtype=object)) and max(numbers) > 1:
        call = name.removesuffix("()")
        raise InputError(
            f"{name}: these whole numbers may be values or counts. Values: say {option('scale', 'interval')}, or the "
            f"levels. Counts: {call}(['a', 'b', 'c'], count=[10, 5, 5])"
        )


def of_one(
    kind: str, values: Any, given: Fields, name: str, square: bool = False
) -> tuple[Fields, Fields]:
    """Return one vector of values as a table with one row per value, and take the vectors beside it.

    Raises
    ------
    InputError
        For one vector where values of two conditions, or of two items, belong together.

    Examples
    --------
    >>> of_one("Groups", [3, 4], {"group": ["a", "b"]}, "f()")
    ({'value': [3, 4], 'group': ['a', 'b']}, {'value': 'value', 'group': 'group'})
    """
    beside = {key: given.pop(key) for key in BESIDE_ONE if is_vector(given.get(key))}
    if kind not in ("Groups", "Ratings") or (kind == "Groups" and "group" not in beside):
        raise InputError(
            f"{name}: one vector is not enough. {calls(kind, name, square)}{of_constant(kind, given, name, square)}"
        )
    given |= {key: value for key, value in with_order([values], given).items() if key == "levels"}
    (column,) = names_of([values], ("value",))
    lists = align_vectors([values, *beside.values()], name)
    table = {column: lists[0], **dict(zip(beside, lists[1:], strict=True))}
    named = {"value": column, **{key: key for key in beside}}
    if kind == "Ratings" and given.get("unit") is None:
        table["unit"], named["unit"] = [*range(1, len(lists[0]) + 1)], "unit"
    if kind == "Groups" or "rater" in beside:
        return table, named
    if all(isinstance(value, str) for value in lists[0]) and not {"levels", "scale"} & given.keys():
        # shares of labels need no order
        named["scale"] = "nominal"
    return table, {**named, "rater": False}


def of_constant(kind: str, given: Given, name: str, square: bool) -> str:
    """Return what to write of one vector of differences, or of values against a constant."""
    if kind != "Paired" or square:
        return ""
    null = given.get("null", 0)
    return f". Differences, or values against a constant: {name[:-2]}(ss.Paired.one_sample(values, bound={null}))"


def is_vector(data: Any) -> bool:
    """Whether something is a sequence of single values."""
    if isinstance(data, (list, tuple)):
        return all(isinstance(x, str) or np.ndim(x) == 0 for x in data[:100])
    return type(data).__name__ in ARRAYS and len(data.shape) == 1


def leading_vectors(args: Sequence[Any]) -> list[Any]:
    """Return the vectors before the first argument that is none."""
    end = next((k for k, data in enumerate(args) if not is_vector(data)), len(args))
    return list(args[:end])


def array_columns(cells: Any) -> list[list[Any]]:
    """Return the columns of an array as lists."""
    return [list(column) for column in cells.T]


def met(data: Any, name: str, square: bool) -> list[list[Any]]:
    """Return rows of winner and loser, or of two items and the winner, as three vectors.

    Raises
    ------
    InputError
        For rows of both kinds.
    """
    if (
        isinstance(data, Mapping)
        and data
        and all(isinstance(pair, tuple) and len(pair) == 2 for pair in data)
    ):
        if not all(isinstance(times, (int, np.integer)) and times >= 0 for times in data.values()):
            raise InputError(
                f"{name}: a mapping of winner and loser to how often takes whole numbers from 0 upwards"
            )
        data = [pair for pair, times in data.items() for _ in range(times)]
    if isinstance(data, (list, tuple)) and {
        len(row) if isinstance(row, tuple) else 0 for row in data
    } == {2, 3}:
        raise InputError(
            f"{name}: some rows have two entries, and some three. "
            "Write all as (item, item, winner), with 'tie' for a tie"
        )
    cells = None if is_square(data) else matrix(data)
    if cells is not None and is_ranking(cells):
        call = name.removesuffix("()")
        raise InputError(
            f"{name}: these rows are rankings. From best to worst, with all items as texts: {call}({{item: "
            f"[row.index(item) + 1 for row in rows] for item in items}}, {option('ranks', Word('items'))})"
        )
    if cells is None or cells.shape[1] not in (2, 3):
        return []
    vectors = array_columns(cells)
    return vectors if len(vectors) == 3 else [*vectors, vectors[0]]


def is_ranking(cells: Any) -> bool:
    """Whether each row of an array has the same three or more items, in one order or another, and no word for a tie.

    Examples
    --------
    >>> is_ranking(matrix([("x", "y", "z"), ("z", "x", "y")])), is_ranking(matrix([("x", "y", "x"), ("y", "x", "x")]))
    (True, False)
    """
    items = {*cells[0].tolist()} if len(cells) else set()
    if len(items) < max(3, cells.shape[1]) or any({*row.tolist()} != items for row in cells):
        return False
    return not any(bare(str(item)) in TIE_WORDS for item in items)


def paired_columns(data: Any, name: str, square: bool) -> list[list[Any]]:
    """Return an array with two columns, or two rows, as two vectors.

    Raises
    ------
    InputError
        For arrays of other shapes, and of two rows and two columns.
    """
    cells = matrix(data)
    if cells is None:
        return []
    tuples = all(isinstance(row, tuple) for row in data)
    if 2 not in cells.shape:
        why = f"an array of pairs has two columns, and this one the shape {cells.shape}"
    elif cells.shape == (2, 2) and not tuples:
        why = "pairs may be the rows or the columns of this array"
    elif square and not tuples and are_counts(cells) and max(cells.ravel()) > 1:
        why = f"a table of counts is square, and this one has the shape {cells.shape}"
    else:
        return array_columns(cells if cells.shape[1] == 2 else cells.T)
    raise InputError(f"{name}: {why}. {calls('Paired', name, square)}")


def two_samples(data: Any, name: str, square: bool) -> list[Any]:
    """Return a mapping of two names to vectors of different lengths as two series.

    Raises
    ------
    InputError
        For an array.
    """
    if matrix(data) is not None:
        raise InputError(
            f"{name} takes no array of the shape {np.shape(data)}. {calls('Groups', name, square)}"
        )
    if not isinstance(data, Mapping) or len(data) != 2 or not all(map(is_vector, data.values())):
        return []
    one, other = data.values()
    # a table of two columns
    if len(one) == len(other):
        return []
    return [pd.Series(list(vector(values, name)), name=str(key)) for key, values in data.items()]


def two_raters(data: Any, name: str, square: bool) -> list[list[Any]]:
    """Return the two columns of an array as raters, where counts of pairs are read too, as irr's kappa2 takes them.

    Peers put raters in rows (krippendorff, irr's kripp.alpha) or in columns (irr's kappam.fleiss), or count ratings.

    Raises
    ------
    InputError
        For other arrays, with a call for each reading.
    """
    cells = matrix(data)
    if cells is None:
        return []
    if square and cells.shape[1] == 2 < cells.shape[0] and not may_count(cells):
        return array_columns(cells)
    call = name.removesuffix("()")
    counts = f"; or a column for each level, with counts: {call}(Ratings.from_counts(data))"
    raise InputError(
        f"{name}: an array of {cells.shape[0]} x {cells.shape[1]} does not say who rated. A row for each rater: "
        f"{call}(data, {option('raters_in', 'rows')}); a column for each rater: "
        f"{call}(data, {option('raters_in', 'columns')})" + (counts if may_count(cells) else "")
    )


# how what stands alone, and is no table, is read as vectors
PARTS_OF: Mapping[str, Callable[[Any, str, bool], list[Any]]] = {
    "Paired": paired_columns,
    "Groups": two_samples,
    "Ratings": two_raters,
    "Comparisons": met,
}


def vector_values(data: Any, name: str) -> list[Any]:
    """Return a vector as a list."""
    return list(vector(data, name))


def align_vectors(vectors: Sequence[Any], name: str) -> list[Any]:
    """Return vectors whose values belong together by position.

    Raises
    ------
    InputError
        For other lengths, and for series whose indexes differ: pandas would align them.

    Examples
    --------
    >>> align_vectors([pd.Series([1, 2]), pd.Series([1, 2], index=[1, 0])], "f()")
    Traceback (most recent call last):
    socialstats.errors.InputError: f(): two of the vectors have different indexes. ...
    """
    lengths = [len(data) for data in vectors]
    if len(set(lengths)) > 1:
        sizes = listing([str(length) for length in lengths])
        raise InputError(
            f"{name}: the vectors have {sizes} values. Values that belong together stand at the same place of each"
        )
    series = [data.index for data in vectors if isinstance(data, pd.Series)]
    for index in series[1:]:
        if not index.equals(series[0]):
            raise InputError(
                f"{name}: two of the vectors have different indexes. Put them in the same order, "
                "and pass their values (.to_numpy()), or pass a table"
            )
    return [data if keeps_type(data) else vector_values(data, name) for data in vectors]


def keeps_type(data: Any) -> bool:
    """Whether a vector is an array of numbers whose type a table keeps: as a list it would be looked through again."""
    return isinstance(data, np.ndarray) and data.ndim == 1 and data.dtype in PLAIN


def names_of(vectors: Sequence[Any], defaults: Texts) -> list[str]:
    """Return the names of series, where they all have one of their own, else the defaults."""
    names = [getattr(data, "name", None) for data in vectors]
    texts = [name for name in names if isinstance(name, str) and name]
    return texts if len({*texts, *COLUMNS}) == len(vectors) + len(COLUMNS) else list(defaults)


def pairs(vectors: Sequence[Any], name: str) -> tuple[Fields, Fields]:
    """Return two vectors as a table with one row per pair."""
    need_two(vectors, name)
    first, second = names_of(vectors, ("first", "second"))
    table = dict(zip((first, second), align_vectors(vectors, name), strict=True))
    return table, {"first": first, "second": second}


def refuse_missing(vectors: Sequence[Any], name: str) -> None:
    """Refuse a sample with a missing value, by its place in the vector that was passed.

    Raises
    ------
    InputError
    """
    for group, data in zip(names_of(vectors, ("first", "second")), vectors, strict=False):
        absent = [str(k) for k, value in enumerate(vector_values(data, name)) if pd.isna(value)]
        if absent:
            raise InputError(
                f"{name}: the values of '{group}' are missing at {listing(absent, most=5)} (of 0 to {len(data) - 1}). "
                f"Fill them in, or say {option('missing', 'drop')} to leave such units out"
            )


def samples(vectors: Sequence[Any], name: str) -> tuple[Fields, Fields]:
    """Return two samples as a table with one row per unit."""
    need_two(vectors, name)
    groups = names_of(vectors, ("first", "second"))
    lists = [vector_values(data, name) for data in vectors]
    texts = [all(isinstance(value, str) for value in values) for values in lists]
    label = getattr(vectors[1], "name", None)
    labelled = label is not None and called(label, CONDITIONS) and len({*map(str, lists[1])}) == 2
    if (texts == [False, True] or labelled) and len(lists[0]) == len(lists[1]):
        raise InputError(f"{name}: the second vector holds labels. {calls('Groups', name)}")
    labels = [group for group, values in zip(groups, lists, strict=True) for _ in values]
    table = {"group": labels, "value": [*lists[0], *lists[1]]}
    return table, {"group": "group", "value": "value", "groups": groups}


def raters(vectors: Sequence[Any], name: str) -> tuple[Fields, Fields]:
    """Return the vectors of raters as a table with one row per unit."""
    texts = {all(isinstance(value, str) for value in vector_values(data, name)) for data in vectors}
    numbers = {
        all(isinstance(value, Number) for value in vector_values(data, name)) for data in vectors
    }
    if True in texts and True in numbers:
        raise InputError(
            f"{name}: some vectors hold numbers, and some texts. {calls('Ratings', name)}"
        )
    names = names_of(vectors, [f"rater {k + 1}" for k in range(len(vectors))])
    return dict(zip(names, align_vectors(vectors, name), strict=True)), {"raters": names}


def comparison_columns(vectors: Sequence[Any], name: str) -> tuple[Fields, Fields]:
    """Return three vectors, or two called winner and loser, as a table with one row per comparison."""
    names = [str(getattr(data, "name", "")).casefold() for data in vectors]
    if sorted(names) == ["loser", "winner"]:
        won, lost = vectors if names[0] == "winner" else vectors[::-1]
        vectors = [won, lost, won]
    if len(vectors) != 3:
        raise InputError(
            f"{name} takes three vectors: the two items of each comparison and its winner, not {len(vectors)}. "
            f"{calls('Comparisons', name)}"
        )
    keys = ("item_a", "item_b", "winner")
    return dict(zip(keys, align_vectors(vectors, name), strict=True)), {key: key for key in keys}


def need_two(vectors: Sequence[Any], name: str) -> None:
    """Refuse another number of vectors."""
    if len(vectors) != 2:
        raise InputError(f"{name} takes two vectors, not {len(vectors)}. Pass a table")


def of_totals(design: Any, args: list[Any], given: Fields, name: str) -> tuple[list[Any], Fields]:
    """Return a call with successes and sizes of two groups, as statsmodels and R take them, as one with a design.

    Raises
    ------
    InputError
        For other than two successes and two sizes, and more successes than units.

    Examples
    --------
    >>> from socialstats import Groups
    >>> of_totals(Groups, [], {"count": [14, 32], "nobs": [70, 80]}, "f()")[0][0].square().tolist()
    [[56.0, 14.0], [48.0, 32.0]]
    """
    sizes = "nobs" if "nobs" in given else "n"
    ones = next((key for key in ("count", "x") if key in given), None)
    if sizes not in given or (ones is None and len(args) != 1) or (ones and args):
        return args, given
    hits = np.ravel(np.array(given.pop(ones) if ones else args[0], dtype=object))
    units = np.ravel(np.array(given.pop(sizes), dtype=object))
    units = np.repeat(units, 2) if len(units) == 1 else units
    usable = len(hits) == len(units) == 2 and are_counts(hits) and are_counts(units)
    if not usable or any(hits > units):
        raise InputError(
            f"{name} takes the successes and sizes of two groups, as whole numbers: {name[:-2]}(count=[14, 32], "
            "nobs=[70, 80])"
        )
    return [design.from_table(np.column_stack([units - hits, hits]), source=name)], given


def by_text(data: Any, columns: Given) -> Fields:
    """Return the keywords of a table whose columns are called 0, 1, ... with these names as text.

    Examples
    --------
    >>> by_text(pd.DataFrame([[1, 2]]), {"first": 1, "second": 0, "raters": [0, 1], "levels": [0, 1]})
    {'first': '1', 'second': '0', 'raters': ['0', '1'], 'levels': [0, 1]}
    """
    labels: list[Any] = [*data.columns] if isinstance(data, pd.DataFrame) else []
    numbers = {name for name in labels if isinstance(name, int)}
    out = dict(columns)
    for key, value in columns.items():
        if type(value) is int and value in numbers:
            out[key] = str(value)
        elif (
            numbers
            and value
            and key in LISTS
            and isinstance(value, (list, tuple))
            and numbers.issuperset(value)
        ):
            out[key] = [str(name) for name in value]
    return out


# vectors as a table: its columns, and the settings that read it
TABLES: Mapping[str, Callable[[Sequence[Any], str], tuple[Fields, Fields]]] = {
    "Paired": pairs,
    "Groups": samples,
    "Ratings": raters,
    "Comparisons": comparison_columns,
}

"""Functions of a design called with a table: its columns are named among the function's options."""

from __future__ import annotations

import difflib
import functools
import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar, cast, get_args, get_origin, get_type_hints

import numpy as np

from socialstats.designs.aliases import Fields, Given, Levels, Missing, Texts
from socialstats.designs.contrasts import ContrastScale
from socialstats.designs.formulas import GRAMMAR, SIDES, take_apart
from socialstats.designs.habits import advice
from socialstats.designs.level_orders import SCALES
from socialstats.designs.options import texts
from socialstats.designs.paired_data import PairedScale
from socialstats.designs.parts import Read
from socialstats.errors import InputError
from socialstats.tables import Format, as_table, read_table
from socialstats.text import listing
from socialstats.voice import option

# a data frame of any engine, a mapping of columns, a Table, or the path of a file
TableLike: TypeAlias = Any
# a design, or a function that makes one of a table
Reader: TypeAlias = Callable[..., Any]
F = TypeVar("F", bound=Callable[..., Any])
# what the docstrings of readers of files have in common
SHARED = {
    "file": """Parameters
    ----------
    path : str or path, data frame, or mapping of columns
        csv, tsv, jsonl, json, parquet, feather, Stata, SPSS, .xlsx or .ods, gzipped or not; ``-`` for standard input.
        One of several sheets is named after a colon: ``book.xlsx:Sheet1``. A formula may come before it: see Notes.
    format : {"csv", "tsv", "jsonl", "json", "parquet", "feather", "dta", "sav", "xlsx", "ods"}, optional
        By default the suffix decides, then the content.
    encoding : str, optional
        Of text, such as ``"windows-1250"``. By default UTF-8, else UTF-16 by its mark, else Windows-1252; a note says
        which.""",
    "clusters": "Clusters follow ``|``, joined by ``+``.",
}

# keywords that say how a file is read
OF_FILES = ("format", "encoding")
CONSTRUCTORS = ("from_frame", "from_wide", "from_counts", "from_ranks")
NO_COLUMN: Mapping[str, tuple[Any, ...]] = {
    "cluster": (None, "declared"),
    "by": (None, "declared"),
    "source": ("rater",),
}
# what may stand for clusters, unless a column is called so
RULES = ("auto", "pair")
READ_TOO: Mapping[str, Levels] = {
    "scale": (*SCALES, *get_args(PairedScale), *get_args(ContrastScale)),
    "missing": get_args(Missing),
}
PARTS_NAMED = {
    **dict.fromkeys(
        ("stratum", "cell", "model", "scenario", "stage", "wording", "trait"), "strata"
    ),
    **dict.fromkeys(("pair", "group_first", "group_second"), "strata"),
    "group": "rater_groups",
    "source": "rater_source",
}
PLAYED = (
    "unit",
    "rater",
    "value",
    "by",
    "status",
    "strata",
    "cluster",
    "rater_groups",
    "rater_source",
    "raters",
)


def as_design(
    data: TableLike, columns: Given, *readers: Reader, name: str, options: Texts = ()
) -> Any:
    """Make a design of a table, by the first reader that knows all of the keywords.

    Parameters
    ----------
    data : design, data frame, mapping of columns, 2-D array, Table, or path
    columns : mapping of str to object
        Keyword -> column or setting, as the constructors of designs take them; ``format`` of a file.
    *readers : type or callable
        Comparisons, Groups, Paired or Ratings; functions of a table that make one of these.
    name : str
        The function that was called, for messages.
    options : sequence of str
        Its options, which a misspelt keyword may mean.

    Returns
    -------
    Comparisons, Groups, Paired, Ratings or LabelLists
        A design is returned as it is.

    Raises
    ------
    InputError
        For keywords that no reader knows, that do not go together, or that come with a design.

    Examples
    --------
    >>> from socialstats import Paired
    >>> table = {"question": [1, 2], "old": [0, 1], "new": [1, 1]}
    >>> as_design(table, {"first": "new", "second": "old"}, Paired, name="f()").difference.tolist()
    [1.0, 0.0]
    """
    if isinstance(data, Read) and not columns:
        return data
    reader = reader_of(columns, readers, name, options)
    if not isinstance(data, Read):
        table = open_table(data, **{key: columns[key] for key in OF_FILES if key in columns})
        named = {key: value for key, value in columns.items() if key not in OF_FILES}
        # a design reads the table by one of its constructors
        by_constructor = getattr(reader, "from_keywords", None)
        return reader(table, **named) if by_constructor is None else by_constructor(table, named)
    columns_named = ", ".join(option(key) for key in columns)
    kind = type(data).__name__
    raise InputError(
        f"{name}: {columns_named} tells how to read a table, but this {kind} is read already. Name the columns where "
        f"it is made ({kind}.from_frame), or pass the table itself"
    )


def takes_formula(*readers: Reader) -> Callable[[F], F]:
    """Let a function take a formula before its table, or as ``formula=``: see `by_keywords`."""

    def decorate(function: F) -> F:
        arguments = list(inspect.signature(function).parameters)

        @functools.wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            named, options = by_keywords(args, given, readers, arguments, f"{function.__name__}()")
            return function(*named, **options)

        call.__doc__ = docstring_of(function.__doc__, readers[0], function.__name__)
        return cast(F, call)

    return decorate


def docstring_of(text: str | None, reader: Reader, name: str) -> str | None:
    """Return the docstring of a function that takes a formula, with what readers share, and an example of a formula."""
    example = SIDES[reader.__qualname__].example
    shown = f'Or a formula before the table: ``{name}("{example}", table)``, docs/formulas.md.'
    for key, shared in SHARED.items():
        text = text and text.replace(f"{{{key}}}", shared)
    return text and re.sub(r"(\n +)(Of a data frame or file: [^\n]*)", rf"\1\2\1{shown}", text)


def by_keywords(
    args: Sequence[Any], given: Given, readers: Sequence[Reader], arguments: Texts, name: str
) -> tuple[list[Any], Fields]:
    """Return the arguments of a call with the keywords of its formula in place of the formula.

    Parameters
    ----------
    args, given
        Of the call. The formula comes first and the table next (or as ``data=``), or it is the keyword ``formula``.
    readers : sequence of type or callable
        As for `as_design`.
    arguments : sequence of str
        Parameters of the function that was called.
    name : str
        The function, for messages.

    Raises
    ------
    InputError
        For a formula without a table, beside keywords that contradict it, and as `take_apart`.

    Examples
    --------
    >>> from socialstats import Paired
    >>> by_keywords(["score ~ arm | story", "t.csv"], {}, [Paired], [], "f()")
    (['t.csv'], {'value': 'score', 'condition': 'arm', 'cluster': 'story'})
    """
    args, given, formula = take_formula(args, given, arguments, name)
    plain = (
        isinstance(formula, str) and "|" not in formula and not formula.partition("~")[0].strip()
    )
    # an error of the function's own
    alone = isinstance(formula, str) and "~" not in formula
    if not isinstance(formula, str) or ("formula" in arguments and (plain or alone)):
        return args, given if formula is None else {**given, "formula": formula}
    terms = take_apart(formula)
    keys = {key for reader in readers for key in keywords(reader)}
    for reader in readers:
        named = terms.keywords(SIDES[reader.__qualname__], arguments, name)
        if set(named) <= {*keywords(reader), *arguments}:
            break
    for key, value in named.items():
        beside = given.get(key)
        unsaid = beside in (None, "declared") and not (
            key == "cluster" and key in given and beside is None
        )
        if not unsaid and (isinstance(beside, bool) or texts(beside) != texts(value)):
            raise InputError(
                f"{name}: formula {formula!r} says {option(key, value)}, and {option(key, beside)} "
                f"contradicts it. Leave one of them out; {GRAMMAR}"
            )
        if key not in keys and key not in arguments:
            raise InputError(f"{name} has no option {option(key)}, which formula {formula!r} names")
    return args, {**given, **named}


def take_formula(
    args: Sequence[Any], given: Given, arguments: Texts, name: str
) -> tuple[list[Any], Fields, Any]:
    """Take the formula out of the arguments of a call; None where there is none."""
    args = list(args)
    given = dict(given)
    formulas = [given.pop("formula")] if "formula" in given else []
    if (
        args
        and isinstance(args[0], str)
        and "~" in args[0]
        and not os.path.exists(os.path.expanduser(args[0]))
    ):
        if "data" in given:
            args.insert(1, given.pop("data"))
        if len(args) > 1 and not (isinstance(args[1], str) and "~" in args[1]):
            formulas.append(args.pop(0))
        elif len(args) == 1 and re.search(r"\s~|~\s", args[0]):
            raise InputError(f"{name}: the formula {args[0]!r} needs a table after it")
    if (
        len(args) > 1
        and isinstance(args[1], str)
        and re.search(r"\w\s*~\s*\w", args[1])
        and "formula" not in arguments
        and not formulas
    ):
        raise InputError(f"{name}: the formula stands first: {name[:-2]}({args[1]!r}, data)")
    if "formula" in arguments[: len(args)]:
        formulas.append(args.pop(arguments.index("formula")))
    if len(formulas) > 1:
        raise InputError(
            f"{name}: two formulas, {formulas[0]!r} and {formulas[1]!r}. Leave one of them out"
        )
    return args, given, formulas[0] if formulas else None


def makers_of(reader: Reader) -> list[Callable[..., Any]]:
    """Return the constructors by which a design reads a table, or the function itself that makes one."""
    return [getattr(reader, name) for name in CONSTRUCTORS if hasattr(reader, name)] or [reader]


@functools.cache
def keywords(reader: Reader) -> Levels:
    """Return the keywords of a design's constructors, or of a function, that say how to read a table."""
    makers = makers_of(reader)
    named = [
        p
        for maker in makers
        for p in inspect.signature(maker).parameters.values()
        if p.kind is p.KEYWORD_ONLY
    ]
    return (*dict.fromkeys(p.name for p in named if p.name != "source"), *OF_FILES)


def reader_of(columns: Given, readers: Sequence[Reader], name: str, options: Texts) -> Reader:
    """Return the first reader that knows all keywords.

    Raises
    ------
    InputError
        For an unknown keyword, with the nearest known one; for keywords of different readers.
    """
    keywords_of = {reader: keywords(reader) for reader in readers}
    found = next(
        (reader for reader, names in keywords_of.items() if set(columns) <= set(names)), None
    )
    if found is not None:
        return found
    every = list(dict.fromkeys(key for names in keywords_of.values() for key in names))
    for key in columns:
        if key not in every:
            close = difflib.get_close_matches(key, [*options, *every], n=1)
            if key in ("weight", "weights") and not close:
                raise InputError(
                    f"{name} takes no sampling weights: it would ignore them. Whole frequencies of alike rows are "
                    f"{option('count')}, where it takes these"
                )
            hint = advice(key, columns, [*options, *every], name) or (
                f"Did you mean {option(close[0])} ?"
                if close
                else f"Options: {', '.join(options)}. Columns: {', '.join(every)}"
            )
            raise InputError(f"{name} has no option {option(key)}. {hint}")
    named = listing([option(key) for key in columns], most=20)
    sets = "; or ".join(", ".join(names) for names in keywords_of.values())
    raise InputError(
        f"{name}: {named} belong to different layouts of the table. Use those of one: {sets}"
    )


def open_table(data: TableLike, format: Format | None = None, encoding: str | None = None) -> Any:
    """Return a table: a file is read, a data frame wrapped, an array (or list of rows) left as it is.

    Raises
    ------
    InputError
        For what is no table, and for a `format` or `encoding` where there is no file.
    """
    if isinstance(data, str | os.PathLike):
        return read_table(data, format, encoding)
    for key, value in (("format", format), ("encoding", encoding)):
        if value is not None and not getattr(data, "is_file", False):
            raise InputError(
                f"{option(key, value)} says what a file holds, and a {type(data).__name__} is no file"
            )
    return data if isinstance(data, np.ndarray | list | tuple) else as_table(data)


def keywords_of_call(
    function: Callable[..., Any], options: Fields, columns: Given, reader: Reader, table: Any
) -> Fields:
    """Return the keywords that a table is read with; those that only say how to read it are taken out of `options`."""
    read = dict(columns)
    keys = keywords(reader)
    there = getattr(table, "columns", ())
    # raters may be columns of a table with one row per unit
    wide = not {"rater", "value"} & {*columns}
    for key in [key for key in options if key in keys]:
        value = options[key]
        choices = _choices(function, key)
        if isinstance(value, bool | int | float) or value in NO_COLUMN.get(key, ()):
            continue
        if key == "cluster" and value in RULES and value not in there:
            continue
        if value in choices:
            read |= {key: value} if value in READ_TOO.get(key, ()) else {}
        elif key == "ties" and value not in there:
            # neither a way to treat ties nor a column: the metric says which ways there are
            continue
        elif choices or (
            key == "raters" and ("raters_in" in columns or (wide and {*texts(value)} & {*there}))
        ):
            read[key] = options.pop(key)
        elif key != "raters":
            read[key] = value
            options |= {key: True} if key == "order" else {}
    for key, part in PARTS_NAMED.items():
        parameter = _parameters(function).get(key)
        if parameter is None or part not in keys or key in keys:
            continue
        for column in texts(options.get(key, parameter.default)):
            if column in NO_COLUMN.get(key, ()):
                continue
            named = {column for name in PLAYED for column in texts(read.get(name) or ())}
            if (column in there or key in options) and column not in named:
                read[part] = column if part == "rater_source" else (*texts(read.get(part)), column)
    return read


@functools.cache
def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(function).parameters


@functools.cache
def _choices(function: Callable[..., Any], key: str) -> tuple[Any, ...]:
    """Return the values that an option's type lists."""

    def listed(hint: Any) -> tuple[Any, ...]:
        inner = get_args(hint)
        return (
            inner
            if get_origin(hint) is Literal
            else tuple(value for value_hint in inner for value in listed(value_hint))
        )

    return listed(get_type_hints(function).get(key, Any))

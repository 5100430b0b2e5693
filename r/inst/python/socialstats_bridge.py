"""What passes between R and Python: calls, tables, results, errors. Numbers travel as bytes, so that no bit is lost."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import inspect
import io
import re
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

import socialstats
from socialstats.designs.calls import as_design
from socialstats.errors import InputError, SocialStatsError
from socialstats.results import TEXT_COLUMNS
from socialstats.tables import Table, as_table
from socialstats.voice import speaking

KIND = "r_kind"  # marks what is no plain scalar; R code looks for the same name
LARGEST_INTEGER = 2**31 - 1
FAMILIES = ("Result", "ResultGroup")


def decode(value: Any) -> Any:
    """Return a value of R as Python holds it."""
    if not isinstance(value, Mapping):
        return value
    match value[KIND]:
        case "object":
            return value["value"]
        case "list":
            return [decode(one) for one in value["values"]]
        case "dict":
            return dict(zip(value["names"], [decode(one) for one in value["values"]], strict=True))
        case "matrix":
            return numbers(value["data"]).reshape(value["dim"], order="F")
        case "cells":
            return cells(value)
        case _:
            return table(value)


def cells(value: Mapping[str, Any]) -> pd.DataFrame:
    """Return a matrix of R with the names of its rows and columns: counts by two factors, or raters in columns."""
    array = numbers(value["data"]).reshape(value["dim"], order="F")
    if not np.isnan(array).any() and (array == array.round()).all():
        array = array.astype(np.int64)
    rows, columns = (
        pd.Index([*names] or range(1, length + 1), name=title or None)
        for names, length, title in zip(
            (value["rows"], value["columns"]), array.shape, value["titles"], strict=True
        )
    )
    if not value["rows"]:
        rows = pd.RangeIndex(len(array))
    return pd.DataFrame(array, index=rows, columns=columns)


def numbers(data: Any) -> Any:
    """Return doubles of R; its NA is not a number."""
    return np.frombuffer(data, dtype=np.float64).copy()


def table(frame: Mapping[str, Any]) -> Table:
    """Return a data frame of R as a table whose messages count rows from 1."""
    columns = {
        name: column(one) for name, one in zip(frame["names"], frame["columns"], strict=True)
    }
    made = pd.DataFrame(columns, index=range(int(frame["rows"])))
    return replace(
        as_table(made, frame["source"]), locate=lambda positions: [at + 1 for at in positions]
    )


def column(one: Mapping[str, Any]) -> Any:
    """Return a column: numbers, or codes from 1 (0 where missing) into levels."""
    if one[KIND] == "number":
        found = numbers(one["data"])
        return found.astype(np.int64) if one["whole"] and not np.isnan(found).any() else found
    codes = np.frombuffer(one["data"], dtype=np.int32) - 1
    if one[KIND] == "text":
        return pd.Series(np.array([*one["levels"], None], dtype=object)[codes], dtype=object)
    return pd.Categorical.from_codes(
        codes, pd.Index(one["levels"], dtype=object), ordered=one[KIND] == "ordered"
    )


def encode(value: Any) -> Any:
    """Return a value of Python as R can hold it."""
    match value:
        case None | bool() | str():
            return value
        case int() | np.integer():
            return int(value) if abs(value) <= LARGEST_INTEGER else float(value)
        case float() | np.floating():
            return float(value)
        case np.bool_():
            return bool(value)
        case Table():
            return encode(pd.DataFrame(value.frame.to_native()))
        case pd.DataFrame() if square(value):
            return matrix(value.to_numpy(dtype=np.float64), value.index, value.columns)
        case pd.DataFrame():
            flat = (
                value
                if isinstance(value.index, pd.RangeIndex)
                else named_index(value).reset_index()
            )
            return {
                KIND: "frame",
                "names": [str(name) for name in flat.columns],
                "columns": [
                    encoded_column(flat.iloc[:, k], name) for k, name in enumerate(flat.columns)
                ],
                "rows": len(flat),
            }
        case np.ndarray() if value.ndim == 2 and value.dtype.kind in "fiu":
            return matrix(value.astype(np.float64), (), ())
        case list() | tuple() | set() | frozenset() | np.ndarray():
            return {KIND: "list", "values": [encode(one) for one in value]}
        case Mapping():
            return {
                KIND: "dict",
                "names": [str(name) for name in value],
                "values": [encode(x) for x in value.values()],
            }
        case _ if is_dataclass(value) and type(value).__name__ in (
            "Caution",
            "Problem",
            "Check",
            "Row",
        ):
            return encode(asdict(value))
    names = [kind.__name__ for kind in type(value).__mro__]
    family = next((name for name in FAMILIES if name in names), "")
    return {
        KIND: "object",
        "value": value,
        "type": snake(names[0]),
        "family": snake(family),
        "metric": getattr(value, "metric", "") if family == "Result" else "",
    }


def square(frame: pd.DataFrame) -> bool:
    """Return whether a frame is a matrix with named rows and columns, such as a covariance."""
    named = not isinstance(frame.index, pd.RangeIndex | pd.MultiIndex)
    return (
        named
        and list(frame.index) == list(frame.columns)
        and all(kind.kind == "f" for kind in frame.dtypes)
    )


def named_index(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose index has names, which become columns; levels of several that have none count rows."""
    if isinstance(frame.index, pd.MultiIndex):
        return frame.droplevel([k for k, name in enumerate(frame.index.names) if name is None])
    return frame.rename_axis(index=frame.index.name or "term")


def matrix(values: Any, rows: Any, columns: Any) -> dict[str, Any]:
    """Return a matrix as bytes in the order of R, with names of rows and columns."""
    return {
        KIND: "matrix",
        "data": bytearray(np.asfortranarray(values).tobytes(order="F")),
        "dim": list(values.shape),
        "row_names": [str(name) for name in rows],
        "column_names": [str(name) for name in columns],
    }


def encoded_column(column: pd.Series, name: object) -> dict[str, Any]:
    """Return a column as bytes: numbers, or codes from 1 (0 where missing) into levels."""
    if column.dtype.kind in "fiu":
        data = column.to_numpy(dtype=np.float64)
        whole = column.dtype.kind in "iu" and bool(np.all(np.abs(data) <= LARGEST_INTEGER))
        return {KIND: "number", "whole": whole, "data": bytearray(data.tobytes())}
    if isinstance(column.dtype, pd.CategoricalDtype):
        kind = "ordered" if column.dtype.ordered else "factor"
        codes, levels = column.cat.codes.to_numpy(), column.cat.categories
    else:
        held = column.dropna()
        truth = all(isinstance(x, bool | np.bool_) for x in held) and name not in TEXT_COLUMNS
        if not truth and len(held) and all(isinstance(x, int | float | np.number) for x in held):
            return encoded_column(column.astype(np.float64), name)
        kind = "logical" if truth else "text"
        codes, levels = pd.factorize(column)
        levels = [bool(x) for x in levels] if truth else levels
    shown = [x if kind == "logical" else str(x) for x in levels]
    return {KIND: kind, "levels": shown, "data": bytearray((codes + 1).astype(np.int32).tobytes())}


def snake(name: str) -> str:
    """Return the name of a class in small letters: ``BradleyTerryResult`` is ``bradley_terry_result``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def in_r(name: str, value: Any, typed: str) -> str:
    """Return a setting as an argument of an R call."""
    del typed
    return f"{name} = {literal(value)}" if str(value) else f"{name}="


def literal(value: Any) -> str:
    """Return a value as R code."""
    if type(value).__name__ == "Word":
        return str(value)
    if value is None or isinstance(value, bool):
        return {None: "NULL", True: "TRUE", False: "FALSE"}[value]
    if value is ...:
        return "..."
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, Mapping):
        return f"list({', '.join(f'`{key}` = {literal(one)}' for key, one in value.items())})"
    if isinstance(value, list | tuple | set | frozenset):
        return f"c({', '.join(map(literal, value))})"
    return str(value)


def guarded(run: Callable[[], Any]) -> dict[str, Any]:
    """Return what a call gives, encoded, or its error as fields: no exception passes through R's C code."""
    try:
        with speaking(in_r):
            return {"value": encode(run())}
    except SocialStatsError as error:
        names = [snake(kind.__name__) for kind in type(error).__mro__]
        fields = {name: encode(value) for name, value in vars(error).items()}
        return {
            "error": {
                "message": str(error),
                "fields": fields,
                "classes": names[: names.index("social_stats_error")],
            }
        }
    except Exception as error:
        said = str(error) if isinstance(error, TypeError) else f"{type(error).__name__}: {error}"
        return {
            "error": {
                "message": said,
                "fields": {"traceback": traceback.format_exc()},
                "classes": ["python_error"],
            }
        }


def call(name: str, arguments: Any) -> dict[str, Any]:
    """Call a public function, or one of a public module as ``datasets.baseball``."""
    return guarded(lambda: target(name)(**decode(arguments)))


def target(name: str) -> Any:
    """Return what a name stands for, looked up from the package."""
    module, _, last = name.rpartition(".")
    home = importlib.import_module(f"socialstats.{module}") if module else socialstats
    return getattr(home, last)


def design(kind: str, data: Any, columns: Any) -> dict[str, Any]:
    """Make a design of a table: comparisons, groups, paired or ratings."""

    def run() -> Any:
        table, named = decode(data), decode(columns)
        if isinstance(table, str) or "formula" in named:
            return getattr(socialstats, f"read_{kind}")(table, **named)
        return as_design(table, named, getattr(socialstats, kind.capitalize()), name=f"{kind}()")

    return guarded(run)


def attribute(of: Any, name: str) -> dict[str, Any]:
    """Return an attribute of an object; of a method, that it is one."""
    if name not in dir(of):
        return guarded(lambda: unknown(of, name))
    found = getattr(of, name, None)
    if inspect.ismethod(found):
        return {"method": True}
    return guarded(lambda: getattr(of, name))


def unknown(of: Any, name: str) -> None:
    """Refuse an attribute that an object does not have."""
    close = difflib.get_close_matches(name, members(of), n=1)
    raise InputError(
        f"this object has no '{name}'." + (f" Did you mean '{close[0]}'?" if close else "")
    )


def method(of: Any, name: str, positional: Any, named: Any) -> dict[str, Any]:
    """Call a method of an object."""
    return guarded(lambda: getattr(of, name)(*decode(positional), **decode(named)))


def members(of: Any) -> list[str]:
    """Return the public names of an object."""
    return [name for name in dir(of) if not name.startswith("_")]


def shown(of: Any) -> str:
    """Return an object as text."""
    return str(of)


def draw(
    of: Any, file: str, width: float, height: float, dots: float, options: Any
) -> dict[str, Any]:
    """Draw a result into a file, whose suffix decides the format; sizes in inches, 0 for the figure's own."""

    def run() -> list[float]:
        import matplotlib

        matplotlib.use("agg")
        from matplotlib import pyplot

        figure = of.plot(**decode(options)).figure
        try:
            if width and height:
                figure.set_size_inches(width, height)
            figure.savefig(file, dpi=dots, bbox_inches="tight")
            return [float(size) for size in figure.get_size_inches()]
        finally:
            pyplot.close(figure)

    return guarded(run)


def report(data: str, file: str, settings: Any) -> dict[str, Any]:
    """Write the page of a table, as ``socialstats report`` does; settings are its options, or columns by their part."""

    def run() -> str:
        from socialstats.cli.parser import make_parser
        from socialstats.cli.report import run as write_page
        from socialstats.cli.running import run_safely

        parser = make_parser(["report"])
        known = {action.dest: action for action in parser.commands()["report"]._actions}
        words = ["report", data, "-o", file, "--quiet"]
        for name, value in decode(settings).items():
            action = known.get(name)
            if isinstance(value, Mapping):
                value = [f"{part}={place}" for part, place in value.items()]
            for one in value if isinstance(value, list) else [value]:
                if action is None:
                    words += ["--map", f"{name}={one}"]
                elif action.nargs != 0:
                    words += [f"{action.option_strings[-1]}={one}"]
                elif one:
                    words += [action.option_strings[-1]]
        said = io.StringIO()
        try:
            with contextlib.redirect_stderr(said):
                options = parser.parse_args(words)
        except SystemExit:
            raise InputError(said.getvalue().strip().rpartition("error: ")[2]) from None
        run_safely(write_page, options)
        return file

    return guarded(run)

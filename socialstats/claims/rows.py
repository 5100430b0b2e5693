"""The rows of a log as codes and numbers, and the rows that a claim is about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.errors import InputError, Problem
from socialstats.resampling.units import FloatArray, IntArray
from socialstats.text import quoted

if TYPE_CHECKING:
    import pandas as pd

UNITS = "\0units"  # no column is called so
EMPTY = -1
"""Code of an empty cell; a selection of '' means these where no cell holds an empty text."""
BoolArray = np.ndarray[Any, np.dtype[np.bool_]]
IDENTITY = ("model", "task", "unit", "scorer", "filter")
"""Columns that together say which unit a row belongs to; rows that share them are repeats of one unit."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowTable:
    """Rows of a log, each column read once.

    Attributes
    ----------
    frame : DataFrame
        With the column ``value``; the others of `socialstats.claims.KEYS` and metadata where there are any.
    value : (rows,) float64 array
        NaN where the row has no value or its status is not ``ok``.
    status : (rows,) object array of str
    """

    frame: pd.DataFrame
    value: FloatArray
    status: np.ndarray[Any, np.dtype[np.object_]]
    known: dict[str, tuple[IntArray, tuple[str, ...]]] = field(default_factory=dict)

    @classmethod
    def of(cls, frame: pd.DataFrame, source: str = "the rows") -> RowTable:
        """Read a frame.

        Raises
        ------
        InputError
            Without a column ``value``.
        """
        import pandas as pd

        frame = frame.rename(columns=str)
        if "value" not in frame.columns:
            names = quoted([str(c) for c in frame.columns]) or "none"
            fix = "Name the column with the scores 'value'; a column 'unit' says which rows repeat one unit"
            raise InputError(Problem(source=source, message=f"no column 'value'; columns: {names}", fix=fix))
        numbers = pd.to_numeric(frame["value"], errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan).copy()
        numbers[~np.isfinite(numbers)] = np.nan
        if "status" in frame.columns:
            status = frame["status"].fillna("missing").astype(str).to_numpy(dtype=object).copy()
            numbers[status != "ok"] = np.nan
        else:
            status = np.full(len(numbers), "ok", dtype=object)
        status[(status == "ok") & np.isnan(numbers)] = "missing"
        return cls(frame=frame, value=numbers, status=status)

    def __len__(self) -> int:
        return len(self.value)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.frame.columns)

    def column(self, name: str) -> tuple[IntArray, tuple[str, ...]]:
        """Return codes (-1 where empty) and labels of a column."""
        if name not in self.known:
            self.known[name] = encode(self.frame[name])
        return self.known[name]

    def where(self, select: Mapping[str, str]) -> BoolArray:
        """Return which rows a claim is about.

        Raises
        ------
        InputError
            For a column that the rows do not have, or a value that no row has.
        """
        if not len(self):
            raise InputError("the log holds no rows to recompute it from")
        chosen: BoolArray = np.ones(len(self), dtype=np.bool_)
        for name, wanted in select.items():
            if name not in self.columns:
                raise InputError(f"no column {quoted([name])} in the rows; columns: {quoted(self.columns, 12)}")
            codes, labels = self.column(name)
            known = str(wanted) in labels
            if not known and str(wanted):
                raise InputError(f"no row has {name} = {quoted([str(wanted)])}; values: {quoted(labels, 8) or 'none'}")
            chosen &= codes == (labels.index(str(wanted)) if known else EMPTY)
        if not chosen.any():
            said = ", ".join(f"{name} = {quoted([str(value)])}" for name, value in select.items())
            raise InputError(f"no row has {said} together")
        return chosen

    def units(self) -> IntArray:
        """Return the unit of each row; without a column ``unit`` each row is one."""
        if "unit" not in self.columns:
            return np.arange(len(self), dtype=np.int64)
        if UNITS not in self.known:
            codes = crossed([self.column(name)[0] for name in IDENTITY if name in self.columns])
            self.known[UNITS] = (codes, ())
        return self.known[UNITS][0]


def crossed(codes: list[IntArray]) -> IntArray:
    """Return one code for each combination of codes."""
    both = codes[0]
    for other in codes[1:]:
        both = np.unique(both * (int(other.max(initial=0)) + 2) + other, return_inverse=True)[1].astype(np.int64)
    return both


def encode(series: pd.Series[Any]) -> tuple[IntArray, tuple[str, ...]]:
    """Return codes of a column's values as text (-1 where empty), and the texts in order of appearance.

    Examples
    --------
    >>> import pandas as pd
    >>> encode(pd.Series([2.0, "a", None, "2"]))[1]
    ('2', 'a')
    """
    import pandas as pd

    try:
        codes, values = pd.factorize(series, use_na_sentinel=True)
    except TypeError:  # lists or mappings
        codes, values = pd.factorize(series.map(label_of, na_action="ignore"), use_na_sentinel=True)
    texts = [label_of(value) for value in values]
    labels = list(dict.fromkeys(texts))
    place = {text: i for i, text in enumerate(labels)}
    renumbered = np.array([place[text] for text in texts] + [-1], dtype=np.int64)
    return renumbered[codes], tuple(labels)


def label_of(value: Any) -> str:
    """Return a cell's value as text: whole numbers without decimals, lists and mappings as JSON."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, sort_keys=True, default=str)
    return str(value)

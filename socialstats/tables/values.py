"""One value as text, and columns as codes into distinct values.

Everything that decides about values (missing, numbers, labels) looks at the distinct values of a column, never
at its rows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

IntArray = np.ndarray[Any, np.dtype[np.int64]]
FloatArray = np.ndarray[Any, np.dtype[np.float64]]
AnyArray = np.ndarray[Any, np.dtype[Any]]

EPSILON = float(np.finfo(np.float64).eps)
"""Relative rounding error of double precision."""
MISSING = frozenset({"NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", ".", "-2147483648"})
"""Texts that mean a missing value unless they are declared as something else; the last is R's integer NA."""
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
    if isinstance(value, (list, tuple, dict, set, bytes, bytearray, memoryview, np.ndarray)):
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
        for text, value in zip(texts, values, strict=True) if texts is not values else ():
            kinds[isinstance(value, str)].add(text)
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

"""What values mean: missing or not, a label, a number; columns as codes into their labels."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import narwhals as nw
import numpy as np

from socialstats.arrays import AnyArray, FloatArray, IntArray
from socialstats.errors import InputError
from socialstats.tables.aliases import Levels
from socialstats.text import shorten

EPSILON = float(np.finfo(np.float64).eps)
"""Relative rounding error of double precision."""
# as `pandas.read_csv` has them, SAS's and Stata's dot, and R's integer NA
MISSING = frozenset(
    {
        "#N/A",
        "#N/A N/A",
        "#NA",
        "-1.#IND",
        "-1.#QNAN",
        "-NaN",
        "-nan",
        "1.#IND",
        "1.#QNAN",
        "<NA>",
        "N/A",
        "NA",
        "NULL",
        "NaN",
        "None",
        "n/a",
        "nan",
        "null",
        ".",
        "-2147483648",
    }
)
"""Texts that mean a missing value unless they are declared as something else; the last is R's integer NA."""
NO_LABELS = (list, tuple, dict, set, bytes, bytearray, memoryview, np.ndarray)
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def missing_labels(
    na: str | Collection[str] | Literal[False], declared: Collection[str] = ()
) -> frozenset[str]:
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


def label_text(value: Any) -> str | None:
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
    >>> label_text("007"), label_text(7.0), label_text(True), label_text("NA"), label_text(float("nan")), label_text("")
    ('007', '7', 'True', 'NA', None, None)
    """
    if isinstance(value, str):
        return str(value) or None
    # a value that does not equal itself is NaN, of whatever type
    if value is None or type(value).__name__ in {"NAType", "NaTType"} or value != value:
        return None
    if isinstance(value, NO_LABELS):
        raise TypeError(f"a {type(value).__name__} is not a label")
    if (
        isinstance(value, (float, np.floating))
        and math.isfinite(value)
        and float(value).is_integer()
    ):
        return str(int(value))
    return str(value)


# the same labels are asked for when a column is looked at, decoded and counted
@lru_cache(maxsize=2**16)
def as_number(text: str) -> float | None:
    """Return the finite number that a text spells in plain ASCII digits; None where it spells none.

    Examples
    --------
    >>> as_number(" 1e3"), as_number("seven"), as_number("inf"), as_number("1_000"), as_number("1e999")
    (1000.0, None, None, None, None)
    """
    # `float` also takes underscores, other alphabets' digits, "nan" and "infinity"
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
    labelled : dict of frozenset of str to Labels
        The labels, by the texts that count as missing, once they were made.
    """

    codes: IntArray
    values: AnyArray
    labelled: dict[frozenset[str], Labels] = field(default_factory=dict, init=False, repr=False)

    def texts_of(self, cells: AnyArray) -> list[str]:
        """Return the distinct texts that some cells (a mask or indexes) hold; nothing for empty ones."""
        codes = np.unique(self.codes[cells])
        labels = (label_text(value) for value in self.values[codes[codes >= 0]].tolist())
        return sorted(text for text in labels if text is not None)

    def labels(self, na: Collection[str] = ()) -> Labels:
        """Return the column as sorted text labels; texts in `na` count as missing."""
        missing = frozenset(na)
        if missing not in self.labelled:
            self.labelled[missing] = self._make_labels(missing)
        return self.labelled[missing]

    def _make_labels(self, na: frozenset[str]) -> Labels:
        # categories that no row has are no labels
        used = np.zeros(len(self.values) + 1, dtype=bool)
        used[self.codes] = True
        values = self.values.tolist()
        texts: list[str | None] = values
        mixed: Levels = ()
        if self.values.dtype.kind in "iu" and used[:-1].all():
            texts = list(map(str, values))
        elif not (used[:-1].all() and set(map(type, values)) <= {str}):
            texts = [
                label_text(v) if u else None
                for v, u in zip(values, used[:-1].tolist(), strict=True)
            ]
            of_text = [isinstance(value, str) for value in values]
            written = {text for text, is_text in zip(texts, of_text, strict=True) if is_text}
            not_texts = {text for text, is_text in zip(texts, of_text, strict=True) if not is_text}
            mixed = tuple(sorted(text for text in (written & not_texts).difference(na) if text))
        levels = tuple(sorted({text for text in set(texts).difference(na) if text}))
        index: dict[str | None, int] = {text: code for code, text in enumerate(levels)}
        # the last entry is that of code -1, a missing value
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
    levels: Levels
    mixed: Levels = ()

    def take(self, keep: AnyArray) -> Labels:
        """Return the labels of some cells, without the levels that these cells do not use."""
        codes = self.codes[keep]
        used = np.zeros(len(self.levels) + 1, dtype=bool)
        used[codes] = True
        used = used[:-1]
        # levels in use are numbered anew; -1 stays what is missing
        recode = np.append(np.cumsum(used, dtype=np.int64) - 1, -1)
        levels = tuple(
            level for level, is_used in zip(self.levels, used.tolist(), strict=True) if is_used
        )
        return Labels(
            codes=recode[codes], levels=levels, mixed=tuple(x for x in self.mixed if x in levels)
        )

    def mapped(self, value: Callable[[str], Any], missing: Any, dtype: Any = None) -> AnyArray:
        """Return a value for each cell: that of its label, or `missing`."""
        return np.array([*map(value, self.levels), missing], dtype=dtype)[self.codes]

    def numbers(self) -> FloatArray:
        """Return the numbers that the labels spell; NaN for other texts, and where missing."""
        # no negative zero
        return self.mapped(as_number, None, np.float64) + 0.0


def labels_of(values: Sequence[Any]) -> list[str | None]:
    """Return each value as a label; a list or mapping, which is none, as it is shown in a message."""
    label_of_value: dict[Any, str | None] = {}
    texts: list[str | None] = []
    for value in values:
        if isinstance(value, NO_LABELS) or not isinstance(value, Hashable):
            # a list or mapping, which is no label: for a message only
            texts.append(shorten(str(value)))
            continue
        if value not in label_of_value:
            label_of_value[value] = label_text(value)
        texts.append(label_of_value[value])
    return texts


def no_labels(source: str, column: str, what: str) -> InputError:
    """Return the error of a column whose values are no labels."""
    return InputError(
        f"{source}, column '{shorten(column)}': it holds values that are no labels ({what})"
    )


def refuse_no_labels(values: Sequence[Any], source: str, column: str) -> None:
    """Refuse nested values and bytes.

    Raises
    ------
    InputError
    """
    bad = next((value for value in values if isinstance(value, NO_LABELS)), None)
    if bad is not None:
        raise no_labels(source, column, f"a {type(bad).__name__} is not a label")


def is_nested(kind: nw.dtypes.DType) -> bool:
    """Return whether values of a type are lists, structures or bytes, which are no labels."""
    return kind.is_nested() or kind == nw.Binary

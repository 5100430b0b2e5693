"""The types of arguments and fields that occur all over the room."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, TypeAlias

Names: TypeAlias = str | Sequence[str]
"""One column, or several."""
Texts: TypeAlias = Sequence[str]
"""Names of columns, labels or other texts, in an order."""
TextSet: TypeAlias = Collection[str]
"""Texts whose order says nothing."""
Levels: TypeAlias = tuple[str, ...]
Pair: TypeAlias = tuple[str, str]
Fields: TypeAlias = dict[str, Any]
Given: TypeAlias = Mapping[str, Any]
"""Keywords and their values, as they were given."""
LevelOrder: TypeAlias = Sequence[Any] | None
"""Levels in order, the lowest first; None where none were declared."""
NaTexts: TypeAlias = Names | Literal[False]
"""Texts that mean a missing value; False: none but an empty field."""
ColumnOption: TypeAlias = str | Literal[False] | None
"""A column as named, none (False), or found by its name (None)."""
Repeat: TypeAlias = Names | Literal[True] | None
"""Columns that number the answers to one question; True: rows are such answers, whatever tells them apart."""
Missing: TypeAlias = Literal["error", "drop"]

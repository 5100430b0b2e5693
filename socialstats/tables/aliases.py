"""The types of arguments and fields that occur all over the room."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import IO, TypeAlias

Bytes: TypeAlias = IO[bytes]
Levels: TypeAlias = tuple[str, ...]
Texts: TypeAlias = Sequence[str]
"""Names of columns, labels, or the fields of a record."""
Positions: TypeAlias = Sequence[int]
"""Positions of rows, from 0."""
Lines: TypeAlias = list[int]
Locate: TypeAlias = Callable[[Positions], Lines]
"""From positions of rows to what people count."""
Records: TypeAlias = Iterator[tuple[int, list[str]]]
"""The first line and the fields of each record."""

"""What the constructors of all designs share; those of each design stand in its class, above its readers."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, Self

from socialstats.designs.aliases import Given
from socialstats.tables import Format, read_table


class Constructors(ABC):
    """Constructors of a design: its readers make the data of it, and its class adds the ways to call them."""

    __slots__ = ()

    @classmethod
    def of(cls, design: Any) -> Self:
        """Return the data that readers made, as a design of this class."""
        return cls(**{field.name: getattr(design, field.name) for field in fields(design)})

    @classmethod
    @abstractmethod
    def from_keywords(cls, data: Any, options: Given) -> Self:
        """Build the design by the constructor whose keywords are given."""

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        format: Format | None = None,
        encoding: str | None = None,
        **options: Any,
    ) -> Self:
        """Read a file of any format of `socialstats.tables.read_table`; ``-`` for standard input.

        Options are those of `from_frame`, and of the constructor of the layout whose columns are named. Errors name
        the file's lines.
        """
        return cls.from_keywords(read_table(path, format, encoding), options)

"""The bundled data sets: their files, and the catalogue of columns and sources in ``data/catalogue.toml``."""

from __future__ import annotations

import csv
import gzip
import io
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

from socialstats.errors import InputError
from socialstats.references import citation
from socialstats.text import count, unknown

if TYPE_CHECKING:
    import pandas as pd


DTYPES: Mapping[str, str] = {
    "text": "str",
    "whole number": "int64",
    "whole number or missing": "Int64",
}


DATA = files(__name__.rpartition(".")[0]).joinpath("data")


def text(name: str) -> str:
    """Return a bundled file's text; a name ending in ``.gz`` is decompressed."""
    content = DATA.joinpath(name).read_bytes()
    return (gzip.decompress(content) if name.endswith(".gz") else content).decode()


def data_rows(name: str) -> list[dict[str, str]]:
    """Return a bundled csv file as one mapping a row, every value as text.

    Examples
    --------
    >>> data_rows("baseball.csv")[0]
    {'item_a': 'Milwaukee', 'item_b': 'Detroit', 'home': 'Milwaukee', 'wins_a': '4', 'wins_b': '3'}
    """
    return list(csv.DictReader(io.StringIO(text(name), newline="")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column: its name, the type of its values and what they mean."""

    name: str
    kind: Literal["text", "whole number", "whole number or missing"]
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A bundled data set.

    Attributes
    ----------
    name : str
        Also the name of the function in `socialstats.datasets` that returns it.
    title, about : str
        One line, and what a reader should know before using it.
    n_rows : int
    columns : tuple of Column
    source, licence : str
    simulated : bool
        True where the rows were made by a random number generator.
    design : str
        The line of code that makes the design from ``data``.
    file : str
    """

    name: str
    title: str
    about: str
    n_rows: int
    columns: tuple[Column, ...]
    source: str
    licence: str
    simulated: bool
    design: str
    file: str

    @property
    def origin(self) -> str:
        """``SIMULATED`` or ``real``."""
        return "SIMULATED" if self.simulated else "real"

    def load(self) -> pd.DataFrame:
        """Return the rows as a new pandas data frame; ``attrs`` say what they are."""
        import pandas as pd

        kinds = {column.name: DTYPES[column.kind] for column in self.columns}
        missing = {
            column.name: [""] for column in self.columns if column.kind == "whole number or missing"
        }
        data = pd.read_csv(
            io.StringIO(text(self.file)), dtype=kinds, keep_default_na=False, na_values=missing
        )
        data.attrs = {
            key: getattr(self, key) for key in ("name", "title", "simulated", "source", "licence")
        }
        return data

    def __str__(self) -> str:
        wide = max(len(column.name) for column in self.columns)
        lines = [
            f"{self.name}: {self.title} ({self.origin})",
            f"{count(self.n_rows, 'row')}, {count(len(self.columns), 'column')}",
            self.about,
            "Columns",
            *(
                f"  {column.name:<{wide}}  {column.meaning} ({column.kind})"
                for column in self.columns
            ),
            f"Design: {self.design}",
            f"Source: {self.source}",
            f"Licence: {self.licence}",
        ]
        return "\n".join(lines)


def datasets() -> tuple[Dataset, ...]:
    """List the bundled data sets.

    Returns
    -------
    tuple of Dataset

    Examples
    --------
    >>> for data in datasets():
    ...     print(f"{data.name}, {data.n_rows:,} rows, {data.origin}")
    role_conflict, 13,914 rows, SIMULATED
    role_conflict_labels, 2,100 rows, SIMULATED
    role_conflict_roles, 65 rows, real
    norm_goal, 11,520 rows, SIMULATED
    relationship_bias, 5,220 rows, SIMULATED
    social_norms, 24,400 rows, SIMULATED
    staged_values, 4,800 rows, SIMULATED
    staged_values_controls, 9 rows, SIMULATED
    journal_citations, 6 rows, real
    baseball, 42 rows, real
    ice_hockey, 1,083 rows, real
    """
    return _catalogue()


@cache
def _catalogue() -> tuple[Dataset, ...]:
    """Read ``data/catalogue.toml``; ``{key}`` in a source stands for the citation of a work."""
    return tuple(
        Dataset(
            name=name,
            columns=tuple(
                Column(name=column, kind=kind, meaning=meaning)
                for column, (kind, meaning) in entry.pop("columns").items()
            ),
            source=re.sub(r"\{(\w+)\}", lambda key: citation(key[1]), entry.pop("source")),
            **entry,
        )
        for name, entry in tomllib.loads(text("catalogue.toml")).items()
    )


def describe(name: str) -> Dataset:
    """Return what is known about one data set; printing it shows every column.

    Parameters
    ----------
    name : str
        As listed by `datasets`.

    Raises
    ------
    InputError
        If there is no data set of that name.

    Examples
    --------
    >>> print(describe("journal_citations"))
    journal_citations: Citations between four statistics journals (real)
    6 rows, 4 columns
    ...
    """
    by_name = {data.name: data for data in datasets()}
    if name not in by_name:
        raise InputError(unknown("data set", name, by_name))
    return by_name[name]

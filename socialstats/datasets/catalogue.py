"""What the bundled data sets are: every column, where the rows come from, real or simulated. The one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from socialstats.errors import InputError
from socialstats.text import count, quoted

if TYPE_CHECKING:
    import pandas as pd


DTYPES: Mapping[str, str] = {"text": "str", "whole number": "int64", "whole number or missing": "Int64"}


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
        import io

        import pandas as pd

        from socialstats.datasets.reading import text

        kinds = {column.name: DTYPES[column.kind] for column in self.columns}
        missing = {column.name: [""] for column in self.columns if column.kind == "whole number or missing"}
        data = pd.read_csv(io.StringIO(text(self.file)), dtype=kinds, keep_default_na=False, na_values=missing)
        data.attrs = {
            "name": self.name,
            "title": self.title,
            "simulated": self.simulated,
            "source": self.source,
            "licence": self.licence,
        }
        return data

    def __str__(self) -> str:
        wide = max(len(column.name) for column in self.columns)
        lines = [
            f"{self.name}: {self.title} ({self.origin})",
            f"{count(self.n_rows, 'row')}, {count(len(self.columns), 'column')}",
            self.about,
            "Columns",
            *(f"  {column.name:<{wide}}  {column.meaning} ({column.kind})" for column in self.columns),
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
    from socialstats.datasets.entries import ENTRIES

    return ENTRIES


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
    known = {data.name: data for data in datasets()}
    if name not in known:
        raise InputError(f"no data set '{name}'. Data sets: {quoted(tuple(known), most=20)}")
    return known[name]

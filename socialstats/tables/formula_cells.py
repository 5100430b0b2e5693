"""Cells that a spreadsheet would take for formulas: an apostrophe before them in csv files, and none once read.

A label such as ``=HYPERLINK(...)`` in a csv file is run by the spreadsheet program that opens the file (OWASP: CSV
injection). Behind an apostrophe it is text. Numbers, also negative ones, are no formulas and stay as they are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from socialstats.tables.labels import NUMBER, as_number

if TYPE_CHECKING:
    import pandas as pd

# the last four are the full-width forms of the first
SIGNS = "=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20"
FORMULA = re.compile(f"'*[{SIGNS}]")
GUARDED = re.compile(f"'+[{SIGNS}]")
# kinds of columns that hold no texts: numbers, dates, durations
NUMERIC = "biufcmM"


def guarded(value: Any) -> Any:
    """Return a text that looks like a formula with an apostrophe before it; anything else as it is.

    Examples
    --------
    >>> guarded("=1+1"), guarded("-0.5"), guarded("@me"), guarded(-0.5), guarded("'=1+1")
    ("'=1+1", '-0.5', "'@me", -0.5, "''=1+1")
    """
    return f"'{value}" if isinstance(value, str) and _is_formula(FORMULA, value) else value


def unguarded(text: str) -> str:
    """Return a text without the apostrophe of `guarded`.

    Examples
    --------
    >>> unguarded("'=1+1"), unguarded("''=1+1"), unguarded("'-0.5"), unguarded("'quoted'")
    ('=1+1', "'=1+1", "'-0.5", "'quoted'")
    """
    return text[1:] if _is_formula(GUARDED, text) else text


def _is_formula(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.match(text) is not None and as_number(text.lstrip("'")) is None


def guarded_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose texts and names of columns are `guarded`."""
    # names may repeat
    renumbered = frame.set_axis(range(frame.shape[1]), axis=1)
    for k in renumbered.columns:
        if renumbered[k].dtype.kind not in NUMERIC:
            renumbered[k] = renumbered[k].astype(object).map(guarded)
    return renumbered.set_axis([guarded(name) for name in frame.columns], axis=1)


def unguarded_column(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column of texts, each `unguarded`."""
    quoted = column.str.startswith("'")
    return column.where(~quoted, column[quoted].map(unguarded)) if quoted.any() else column


def unguarded_in_sql(name: str) -> str:
    """Return `unguarded` of a column (its name as SQL writes it) as an expression of DuckDB."""
    number = rf"regexp_full_match(ltrim({name}, ''''), '\s*{NUMBER.pattern}\s*')"
    formula = (
        f"starts_with({name}, '''') and regexp_matches({name}, '^''+[{SIGNS}]') and not {number}"
    )
    return f"case when {formula} then {name}[2:] else {name} end"

"""What a definition looks at: which rows, repeats joined or not, as one value a unit with its columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from socialstats.claims.repeats import POOLED, join
from socialstats.claims.rows import RowTable, crossed
from socialstats.claims.types import SCORE_TEXT
from socialstats.errors import InputError
from socialstats.resampling.units import FloatArray, IntArray

OK, ZERO, UNPARSED, ALL_FILTERS = "ok", "zero", "unparsed zero", "all filters"
FILTER, WITHOUT = "filter:", "without:"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """One value a unit (or a row), and the columns that units lie inside of.

    Attributes
    ----------
    value : (n,) array
    columns : mapping of str to (n,) int64 array
        Codes; only columns in which all rows of a unit agree and none is empty.
    rows, ok_rows : int
        Rows selected, and those with a value.
    level : float
        Of intervals.
    resamples : int
        Of a bootstrap; 0 where the log does not say.
    weight : (n,) array or None
    """

    value: FloatArray
    columns: Mapping[str, IntArray] = field(default_factory=dict)
    rows: int = 0
    ok_rows: int = 0
    level: float = 0.95
    resamples: int = 0
    weight: FloatArray | None = None

    @property
    def n(self) -> int:
        """Number of values."""
        return len(self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Which rows are looked at, and how repeats are joined.

    Attributes
    ----------
    rows : str
        ``ok``; ``zero`` (rows without a value count as 0); ``unparsed zero`` (only scores that are no number do);
        ``filter:NAME`` or ``all filters`` in place of the
        claim's own; ``without:COLUMN`` for all rows whatever the column says.
    repeats : str
        See `socialstats.claims.repeats.join`.
    """

    rows: str = OK
    repeats: str = "mean"

    def words(self) -> str:
        """Say which rows, where they are not the claim's own with a value."""
        if self.rows == ZERO:
            return "rows without a score counted as 0"
        if self.rows == UNPARSED:
            return "scores that are no number counted as 0"
        if self.rows == ALL_FILTERS:
            return "rows of all filters together"
        if self.rows.startswith(FILTER):
            return f"filter '{self.rows.removeprefix(FILTER)}'"
        if self.rows.startswith(WITHOUT):
            return f"all rows, whatever their {self.rows.removeprefix(WITHOUT)}"
        return ""


def select_of(select: Mapping[str, str], rows: str) -> Mapping[str, str]:
    """Return the selection that a reading's `rows` makes of a claim's."""
    if rows == ALL_FILTERS:
        return {name: value for name, value in select.items() if name != "filter"}
    if rows.startswith(FILTER):
        return {**select, "filter": rows.removeprefix(FILTER)}
    if rows.startswith(WITHOUT):
        return {name: value for name, value in select.items() if name != rows.removeprefix(WITHOUT)}
    return select


def take(table: RowTable, select: Mapping[str, str], reading: Reading, columns: tuple[str, ...] = ()) -> Sample:
    """Make the sample of a reading.

    Parameters
    ----------
    table : RowTable
    select : mapping of str to str
    reading : Reading
    columns : tuple of str
        Columns that formulas may group by.

    Raises
    ------
    InputError
        Where no row is selected, or none has a value.
    """
    chosen = table.where(select_of(select, reading.rows))
    scored = chosen & ~np.isnan(table.value)
    used = scored
    if reading.rows == ZERO:
        used = chosen
    elif reading.rows == UNPARSED:
        used = scored | (chosen & (table.status == "unparsed"))
    if not used.any():
        total = int(chosen.sum())
        rows = "the only row" if total == 1 else f"none of the {total:,} rows"
        raise InputError(f"{rows} that this is about has {'no' if total == 1 else 'a'} value")
    value = np.nan_to_num(table.value[used], nan=0.0)
    unit = table.units()[used]
    joined, first = join(value, unit, reading.repeats, kinds(table)[used] if reading.repeats == "mode" else None)
    if not len(joined):
        raise InputError("no unit has enough repeats")
    return Sample(
        value=joined,
        columns=inside({name: table.column(name)[0][used] for name in columns}, unit, first, reading.repeats),
        rows=int(chosen.sum()),
        ok_rows=int(scored.sum()),
    )


def kinds(table: RowTable) -> IntArray:
    """Return one code for each value, and for each text that stands for it: I and N are two scores worth 0."""
    value = np.unique(table.value, return_inverse=True)[1].astype(np.int64)
    return value if SCORE_TEXT not in table.columns else crossed([value, table.column(SCORE_TEXT)[0]])


def inside(codes: Mapping[str, IntArray], unit: IntArray, first: IntArray, repeats: str) -> dict[str, IntArray]:
    """Return for each column the code of every unit, for columns in which all rows of a unit agree."""
    found = {}
    dense = np.unique(unit, return_inverse=True)[1]
    start = np.unique(dense, return_index=True)[1]
    for name, code in codes.items():
        if code.min(initial=0) < 0 or (repeats != POOLED and not np.array_equal(code[start][dense], code)):
            continue
        found[name] = code[first]
    return found

"""What a definition looks at: rows as codes and numbers, repeats joined or not, one value a unit with its columns."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.errors import InputError, Problem
from socialstats.harness_logs.log import SCORE_TEXT
from socialstats.text import quoted

if TYPE_CHECKING:
    import pandas as pd


UNITS = "\0units"  # no column is called so
EMPTY = -1
"""Code of an empty cell; a selection of '' means these where no cell holds an empty text."""
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
    cached: dict[str, tuple[IntArray, tuple[str, ...]]] = field(default_factory=dict)

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
            raise InputError(
                Problem(source=source, message=f"no column 'value'; columns: {names}", fix=fix)
            )
        numbers = (
            pd.to_numeric(frame["value"], errors="coerce")
            .to_numpy(dtype=np.float64, na_value=np.nan)
            .copy()
        )
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
        if name not in self.cached:
            self.cached[name] = encode(self.frame[name])
        return self.cached[name]

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
        for name, label in select.items():
            if name not in self.columns:
                raise InputError(
                    f"no column {quoted([name])} in the rows; columns: {quoted(self.columns, 12)}"
                )
            codes, labels = self.column(name)
            text = str(label)
            if text and text not in labels:
                values = quoted(labels, 8) or "none"
                raise InputError(f"no row has {name} = {quoted([text])}; values: {values}")
            chosen &= codes == (labels.index(text) if text in labels else EMPTY)
        if not chosen.any():
            pairs = ", ".join(f"{name} = {quoted([str(value)])}" for name, value in select.items())
            raise InputError(f"no row has {pairs} together")
        return chosen

    def units(self) -> IntArray:
        """Return the unit of each row; without a column ``unit`` each row is one."""
        if "unit" not in self.columns:
            return np.arange(len(self), dtype=np.int64)
        if UNITS not in self.cached:
            codes = crossed([self.column(name)[0] for name in IDENTITY if name in self.columns])
            self.cached[UNITS] = (codes, ())
        return self.cached[UNITS][0]


def crossed(codes: list[IntArray]) -> IntArray:
    """Return one code for each combination of codes."""
    combined = codes[0]
    for code in codes[1:]:
        combined = combined * (int(code.max(initial=0)) + 2) + code
        combined = np.unique(combined, return_inverse=True)[1].astype(np.int64)
    return combined


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


POOLED = "pooled"
PLAIN = ("mean", "median", "mode", "max", "min", "first")
COUNTING = ("at_least", "pass_at", "pass_at_short", "pass_at_equal", "pass_k")
WITH_K = re.compile(
    r"^(?P<name>at_least|pass_at(?:_short|_equal)?|pass_k)(?:_(?P<k>\d+))?(?:@(?P<least>.+))?$"
)
WORDS = {
    "mean": "repeats of a unit averaged first",
    "median": "the median of a unit's repeats",
    "mode": "the most frequent of a unit's repeats",
    "max": "the best of a unit's repeats",
    "min": "the worst of a unit's repeats",
    "first": "only the first of a unit's repeats",
    POOLED: "every repeat as a row of its own",
    "at_least": "1 where at least {k} of a unit's repeats score {least} or more",
    "pass_at": "chance that {k} of a unit's repeats hold a score of {least} or more (pass@{k})",
    "pass_at_short": "chance that {k} of a unit's repeats hold a score of {least} or more, and 1 with fewer than {k} "
    "repeats (pass@{k} of Inspect before 0.3.221)",
    "pass_at_equal": "chance that {k} of a unit's repeats hold a score equal to {least} (pass@{k} of Inspect before "
    "0.3.101)",
    "pass_k": "chance that {k} of a unit's repeats all score {least} or more",
}


def repeats_in_words(how: str) -> str:
    """State how repeats were joined.

    Examples
    --------
    >>> repeats_in_words("at_least_2")
    "1 where at least 2 of a unit's repeats score 1 or more"
    """
    name, k = name_and_k(how)
    return WORDS[name].format(k=k, least=f"{least_of(how):g}")


def name_and_k(how: str) -> tuple[str, int]:
    """Split the name of a reducer from its k (1 where it has none)."""
    match = WITH_K.match(how)
    return (match["name"], int(match["k"] or 1)) if match else (how, 1)


def least_of(how: str) -> float:
    """Return the score from which a repeat counts as passed: 1 unless the name of the reducer ends in ``@SCORE``."""
    match = WITH_K.match(how)
    return float(match["least"] or 1) if match else 1.0


def is_known(how: str) -> bool:
    """Return whether `join_repeats` knows a reducer."""
    return name_and_k(how)[0] in WORDS


def join_repeats(
    value: FloatArray, unit: IntArray, how: str, kind: IntArray | None = None
) -> tuple[FloatArray, IntArray]:
    """Join the repeats of each unit.

    Parameters
    ----------
    value : (rows,) array
        NaN for a repeat that was not scored: it makes a mean NaN, and does not pass.
    unit : (rows,) int64 array
    how : str
        ``pooled`` leaves rows alone; else a name of `WORDS` with k and threshold: ``pass_at_3``, ``at_least_2@0.5``.
    kind : (rows,) int64 array, optional
        What ``mode`` counts, where two labels may stand for one value.

    Returns
    -------
    values : (units,) array
    first : (units,) int64 array
        Position of each unit's first row.

    Examples
    --------
    >>> join_repeats(np.array([1.0, 0.0, 1.0]), np.array([0, 0, 1]), "mean")[0].tolist()
    [0.5, 1.0]
    """
    import pandas as pd

    if how == POOLED:
        return value, np.arange(len(value), dtype=np.int64)
    first, dense, count = np.unique(
        unit, return_index=True, return_inverse=True, return_counts=True
    )[1:]
    name, k = name_and_k(how)
    if name == "first":
        return value[first], first.astype(np.int64)
    if name in COUNTING:
        least = least_of(how)
        passed = value == least if name == "pass_at_equal" else value >= least
        joined = of_counts(name, k, count, np.bincount(dense, passed).astype(np.float64))
    elif name == "mode":
        joined = most_frequent(value, dense, kind)
    elif name == "mean":
        joined = np.bincount(dense, value) / count
    elif np.isnan(value).any():  # as Python orders them: Inspect before 0.3.123
        grouped = [value[dense == i].tolist() for i in range(len(count))]
        ordered: dict[str, Any] = {"max": max, "min": min, "median": statistics.median}
        joined = np.array([ordered[name](scores) for scores in grouped])
    else:
        by_unit: Any = pd.Series(value).groupby(dense)
        joined = by_unit.agg(name).to_numpy(np.float64)
    exists = ~np.isnan(joined)
    return joined[exists], first[exists].astype(np.int64)


def of_counts(name: str, k: int, n: IntArray, correct: FloatArray) -> FloatArray:
    """At least k; pass@k = 1 - C(n-c, k)/C(n, k) (Chen et al. 2021, eq. 1); C(c, k)/C(n, k).

    NaN below k repeats; 1 for the pass@k of Inspect before 0.3.221.
    """
    if name == "at_least":
        return np.asarray(correct >= k, dtype=np.float64)
    chosen = correct if name == "pass_k" else n - correct
    ratio = np.ones(len(n))
    for i in range(k):
        ratio *= np.maximum(chosen - i, 0) / np.maximum(n - i, 1)
    chance = ratio if name == "pass_k" else 1 - ratio
    few = 1.0 if name in ("pass_at_short", "pass_at_equal") else np.nan
    return np.asarray(np.where(n < k, few, chance), dtype=np.float64)


def most_frequent(value: FloatArray, dense: IntArray, kind: IntArray | None = None) -> FloatArray:
    """Most frequent value (or kind of value) of each unit; of several, the one that came first."""
    kind = np.unique(value if kind is None else kind, return_inverse=True)[1].astype(np.int64)
    n_kinds = int(kind.max()) + 1
    pairs, first, count = np.unique(dense * n_kinds + kind, return_index=True, return_counts=True)
    owner = pairs // n_kinds
    order = np.lexsort((first, -count, owner))
    chosen = order[np.unique(owner[order], return_index=True)[1]]
    return np.asarray(value[first[chosen]], dtype=np.float64)


OK, ZERO, UNPARSED, ALL_FILTERS = "ok", "zero", "unparsed zero", "all filters"
KEPT = "unscored kept"
KEEPING = {ZERO: "", UNPARSED: "unparsed", KEPT: "unscored"}
"""Rows without a score that take part: of a status, or of any."""
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
        ``ok``; ``zero`` (rows without a value count as 0); ``unparsed zero`` (only scores that are no number do).
        ``unscored kept`` (repeats without a score stay, and spoil the mean of their unit); ``filter:NAME`` or ``all
        filters`` in place of the claim's own. ``without:COLUMN`` for all rows whatever the column says.
    repeats : str
        See `socialstats.claims.repeats.join`.
    """

    rows: str = OK
    repeats: str = "mean"

    def words(self) -> str:
        """State which rows, where they are not the claim's own with a value."""
        kind, _, name = self.rows.partition(":")
        return ROWS_IN_WORDS[kind].format(name)


ROWS_IN_WORDS = {
    OK: "",
    ZERO: "rows without a score counted as 0",
    UNPARSED: "scores that are no number counted as 0",
    KEPT: "an unscored repeat stays: it does not pass, and a unit has no mean with it (Inspect before 0.3.123)",
    ALL_FILTERS: "rows of all filters together",
    FILTER.rstrip(":"): "filter '{}'",
    WITHOUT.rstrip(":"): "all rows, whatever their {}",
}


def select_of(select: Mapping[str, str], rows: str) -> Mapping[str, str]:
    """Return the selection that a reading's `rows` makes of a claim's."""
    if rows.startswith(FILTER):
        return {**select, "filter": rows.removeprefix(FILTER)}
    omitted = "filter" if rows == ALL_FILTERS else rows.removeprefix(WITHOUT)
    return {name: value for name, value in select.items() if name != omitted}


def take(
    table: RowTable, select: Mapping[str, str], reading: Reading, columns: tuple[str, ...] = ()
) -> Sample:
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
    if reading.rows in KEEPING:
        status = KEEPING[reading.rows]
        used = scored | (chosen & (table.status == status if status else True))
    if not used.any():
        total = int(chosen.sum())
        rows = "the only row" if total == 1 else f"none of the {total:,} rows"
        raise InputError(f"{rows} that this is about has {'no' if total == 1 else 'a'} value")
    value = table.value[used] if reading.rows == KEPT else np.nan_to_num(table.value[used], nan=0.0)
    unit = table.units()[used]
    joined, first = join_repeats(
        value, unit, reading.repeats, kinds(table)[used] if reading.repeats == "mode" else None
    )
    if not len(joined):
        raise InputError("no unit has enough repeats")
    codes = inside(
        {name: table.column(name)[0][used] for name in columns}, unit, first, reading.repeats
    )
    return Sample(value=joined, columns=codes, rows=int(chosen.sum()), ok_rows=int(scored.sum()))


def kinds(table: RowTable) -> IntArray:
    """Return one code for each value, and for each text that stands for it: I and N are two scores worth 0."""
    value = np.unique(table.value, return_inverse=True)[1].astype(np.int64)
    return (
        value if SCORE_TEXT not in table.columns else crossed([value, table.column(SCORE_TEXT)[0]])
    )


def inside(
    codes: Mapping[str, IntArray], unit: IntArray, first: IntArray, repeats: str
) -> dict[str, IntArray]:
    """Return for each column the code of every unit, for columns in which all rows of a unit agree."""
    by_column = {}
    dense = np.unique(unit, return_inverse=True)[1]
    start = np.unique(dense, return_index=True)[1]
    for name, code in codes.items():
        filled = code.min(initial=0) >= 0
        if filled and (repeats == POOLED or np.array_equal(code[start][dense], code)):
            by_column[name] = code[first]
    return by_column

"""Two tables made one: by a checked key, or one below the other; nothing is multiplied, nothing is lost unsaid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from socialstats.errors import InputError, Problem
from socialstats.tables.aliases import Levels, Positions, Texts
from socialstats.tables.files import read_table
from socialstats.tables.labels import as_number, label_text
from socialstats.tables.lazy import asks, collected
from socialstats.tables.spelling import spelling_key, told_apart
from socialstats.tables.table import Table, as_table
from socialstats.text import count, listing, quoted, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    import pandas as pd

Unmatched = Literal["keep", "drop", "error"]
Key = tuple[str | None, ...]
# lines that a message names
MOST_KEYS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """A table with the columns of another.

    Attributes
    ----------
    frame : pandas DataFrame
        One row for each row of the first table that was kept, in its order.
    lacking : mapping of tuple to int
        Keys of the first table without a row in the other, and their rows.
    unused : tuple of tuple
        Keys of the other table that no row of the first has.
    added : tuple of str
        Columns of the other table.
    """

    frame: pd.DataFrame
    lacking: Mapping[Key, int]
    unused: tuple[Key, ...]
    added: Levels


def join(
    table: Any,
    other: Any,
    on: str | Texts | Mapping[str, str],
    *,
    columns: Texts | None = None,
    unmatched: Unmatched = "keep",
) -> Joined:
    """Add the columns of another table by a key, such as what is known of each rater to that rater's answers.

    Each key has one row in `other`, so no row of `table` is multiplied. Keys are compared as labels: 7.0 is 7.

    Parameters
    ----------
    table, other : file name, data frame or mapping of columns
    on : str, sequence of str, or mapping of str to str
        Columns of the key; a mapping where `other` calls them otherwise.
    columns : sequence of str, optional
        Columns of `other` to add; all of them by default.
    unmatched : {"keep", "drop", "error"}
        What becomes of rows of `table` whose key `other` has not: kept with empty cells, left out, or an error.

    Returns
    -------
    Joined

    Raises
    ------
    InputError
        For a key that repeats or is empty in `other`, keys that differ only in spelling, or no common key. Also for a
        column that both tables have with other values.

    Examples
    --------
    >>> answers = {"rater": ["p1", "p1", "gpt"], "answer": ["A", "B", "A"]}
    >>> found = join(answers, {"rater": ["p1", "p2"], "age": ["30", "41"]}, "rater")
    >>> found.frame["age"].fillna("").tolist(), found.lacking, found.unused
    (['30', '30', ''], {('gpt',): 1}, (('p2',),))
    """
    if unmatched not in ("keep", "drop", "error"):
        raise InputError(f"{option('unmatched', unmatched)} is not one of keep, drop, error")
    first, second = as_read(table), as_read(other)
    names = (
        dict(on)
        if isinstance(on, Mapping)
        else {name: name for name in ([on] if isinstance(on, str) else on)}
    )
    if not names:
        raise InputError(f"{option('on')} names no column")
    ours, theirs = keys_of(first, list(names)), keys_of(second, list(names.values()))
    rows = one_row_each(second, theirs, list(names.values()), ours, first)
    lacking = Counter(key for key in ours if key not in rows)
    if len(lacking) == len(set(ours)):
        raise InputError(
            f"{first.source} and {second.source} have no {listing(list(names))} in common: "
            f"{keys_text(list(lacking))} there, {keys_text(list(rows))} here"
        )
    refuse_spellings(first, ours, lacking, rows, list(names))
    if lacking and unmatched == "error":
        at = [place for place, key in enumerate(ours) if key in lacking]
        raise InputError(
            problem(
                first, at, f"no row in {second.source} for {keys_text(list(lacking))}", list(names)
            )
        )
    frame, more = pandas_of(first), pandas_of(second)
    added = added_columns(first, second, columns, set(names.values()))
    # -1 is no label of the other table's index: `reindex` leaves such cells empty
    places = [rows.get(key, -1) for key in ours]
    for name in list(added):
        joined = more[name].reindex(places).set_axis(frame.index)
        # a column that both tables have must agree, and is then kept once
        if name in frame.columns:
            refuse_contradiction(first, second, name, frame[name], joined)
            added.remove(name)
        else:
            frame[name] = joined
    if unmatched == "drop" and lacking:
        frame = frame[[place >= 0 for place in places]].reset_index(drop=True)
    used = set(ours)
    return Joined(
        frame=frame,
        lacking=dict(lacking),
        unused=tuple(key for key in rows if key not in used),
        added=tuple(added),
    )


def stack(
    table: Any,
    other: Any,
    *,
    on: Mapping[str, str] | None = None,
    fill: Mapping[str, str] | None = None,
    fill_table: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Stack the rows of another table below those of the first, column by name; what a table lacks stays empty.

    Parameters
    ----------
    table, other : file name, data frame or mapping of columns
    on : mapping of str to str, optional
        Columns of `table` that `other` calls otherwise, such as ``{"model": "rater"}``.
    fill, fill_table : mapping of str to str, optional
        Values of columns that `other` lacks, such as ``{"source": "human"}``, and of columns that `table` lacks.

    Raises
    ------
    InputError
        For tables without a common column, a column that is not there, or a column to fill that the table has.

    Examples
    --------
    >>> people = {"rater": ["p1"], "answer": ["A"], "age": ["30"]}
    >>> models = {"model": ["gpt"], "answer": ["B"]}
    >>> both = stack(models, people, on={"model": "rater"}, fill={"source": "human"}, fill_table={"source": "model"})
    >>> both["model"].tolist(), both["source"].tolist()
    (['gpt', 'p1'], ['model', 'human'])
    """
    import pandas as pd

    first, second = as_read(table), as_read(other)
    second = called_as(first, second, on or {})
    if not set(first.columns) & set(second.columns):
        raise InputError(
            f"{second.source} has no column of {first.source} ({quoted(first.columns, 8)}). Rename its columns first"
        )
    frame, below = pandas_of(first), pandas_of(second)
    for key, to, ours, values in (
        ("fill", second, below, fill),
        ("fill_table", first, frame, fill_table),
    ):
        for name, value in (values or {}).items():
            if name in ours.columns:
                raise InputError(
                    f"{to.source} has a column '{shorten(name)}': leave out {option(key, name)}"
                )
            ours[name] = value
    # as objects, numbers of one table and texts of the other keep their spelling
    return pd.concat([frame.astype(object), below.astype(object)], ignore_index=True)


def called_as(first: Table, second: Table, on: Mapping[str, str]) -> Table:
    """Return the second table with its columns called as the first one calls them."""
    new = {theirs: ours for ours, theirs in on.items() if ours != theirs}
    keys_of(first, list(on))
    keys_of(second, list(on.values()))
    if shared := [ours for ours in new.values() if ours in second.columns]:
        raise InputError(
            f"{second.source} has a column '{shorten(shared[0])}' too: leave out {option('on', shared[0])}"
        )
    frame: Any = second.frame
    return replace(
        second,
        data=frame.rename(new),
        columns=tuple(new.get(name, name) for name in second.columns),
    )


def as_read(data: Any) -> Table:
    """Return a table of a file, or of a data frame."""
    from os import PathLike

    return read_table(data) if isinstance(data, str | PathLike) else as_table(data)


@asks
def pandas_of(table: Table) -> pd.DataFrame:
    """Return the rows as a pandas data frame with whole-number positions."""
    return collected(table.frame).to_pandas()[[*table.columns]].reset_index(drop=True)


@asks
def keys_of(table: Table, names: Texts) -> list[Key]:
    """Return the key of each row."""
    table.need(*names)
    return list(zip(*map(table.texts, names), strict=True))


def one_row_each(
    table: Table, keys: Sequence[Key], names: Texts, ours: Sequence[Key], first: Table
) -> dict[Key, int]:
    """Return the row of each key; a key that repeats or is empty is an error with its lines."""
    rows: dict[Key, int] = {}
    for place, key in enumerate(keys):
        if None in key:
            raise InputError(
                problem(table, [place], "an empty key", names, "Fill it in, or leave the row out.")
            )
        if key in rows:
            again = [at for at, row_key in enumerate(keys) if row_key == key]
            fix = "Give each key one row"
            # the tables fit the other way round where the keys of the first one are distinct
            if len(set(ours)) == len(ours):
                fix += (
                    f", or name the tables the other way round: {first.source} has one row per key"
                )
            raise InputError(
                problem(table, again, f"{keys_text([key])} has {len(again)} rows", names, f"{fix}.")
            )
        rows[key] = place
    return rows


def refuse_spellings(
    table: Table,
    ours: Sequence[Key],
    lacking: Mapping[Key, int],
    rows: Mapping[Key, int],
    names: Texts,
) -> None:
    """Refuse keys without a row that another spelling of them has: other case, spaces, leading zeros, Unicode form."""
    spelled = {tuple(map(folded, key)): key for key in rows}
    for key in lacking:
        other = spelled.get(tuple(map(folded, key)))
        if other is not None:
            at = [place for place, row_key in enumerate(ours) if row_key == key]
            here, there = (", ".join(part or "" for part in parts) for parts in (key, other))
            message = (
                f"{told_apart(here, there)} is spelled {told_apart(there, here)} in the other table"
            )
            raise InputError(problem(table, at, message, names, "Spell it in one way."))


def folded(text: str | None) -> str:
    r"""Return a label as `socialstats.tables.spelling.spelling_key`, without spaces and leading zeros.

    Examples
    --------
    >>> folded(" P01 "), folded("007"), folded("7"), folded("Zoe\u0308") == folded("zo\u00eb")
    ('p01', '7.0', '7.0', True)
    """
    label = "".join(spelling_key(text or "").split())
    value = as_number(label)
    # numbers that are spelled in two ways are one key
    return label if value is None else repr(value)


def added_columns(first: Table, second: Table, columns: Texts | None, key: set[str]) -> list[str]:
    """Return the columns to add, without those of the key."""
    columns = [columns] if isinstance(columns, str) else columns
    second.need(*(columns or ()))
    added = [name for name in (second.columns if columns is None else columns) if name not in key]
    if not added:
        raise InputError(f"{second.source} has no column to add to {first.source}")
    return added


def refuse_contradiction(first: Table, second: Table, name: str, ours: Any, joined: Any) -> None:
    """Refuse a column of both tables unless its values are the same."""
    unlike = [
        place
        for place, (a, b) in enumerate(zip(ours.tolist(), joined.tolist(), strict=True))
        if label_text(b) is not None and label_text(a) != label_text(b)
    ]
    if unlike:
        at = unlike[0]
        message = f"'{shorten(str(ours.iloc[at]))}', and '{shorten(str(joined.iloc[at]))}' in {second.source}"
        remaining = option("columns", [column for column in second.columns if column != name][:3])
        fix = f"Rename one of the columns, or choose others with {remaining}."
        raise InputError(problem(first, unlike, message, [name], fix))


def problem(table: Table, at: Positions, message: str, names: Texts, fix: str = "") -> Problem:
    """Return a problem with the lines of some rows."""
    lines = tuple(table.places(at[:MOST_KEYS]).values())
    column = names[0] if len(names) == 1 else None
    return Problem(
        message=message,
        source=table.source,
        column=column,
        lines=lines,
        n_rows=len(at),
        fix=fix,
        unit=table.unit,
    )


def keys_text(keys: Sequence[Key]) -> str:
    """Return keys for a message."""
    return quoted([", ".join(part or "(empty)" for part in key) for key in keys])


def outcome(joined: Joined, first: str, second: str, unmatched: Unmatched) -> list[str]:
    """Return what a join did, a line each: rows, columns, keys without a partner."""
    lines = [
        f"{count(len(joined.frame), 'row')}, with {listing(list(joined.added), 12) or 'no new column'} of {second}"
    ]
    if joined.lacking:
        what = {"keep": "their cells stay empty", "drop": "their rows are left out", "error": ""}[
            unmatched
        ]
        lines.append(
            f"{count(len(joined.lacking), 'key')} of {first} ({count(sum(joined.lacking.values()), 'row')}) without a "
            f"row in {second}: {what} ({keys_text(list(joined.lacking))})"
        )
    if joined.unused:
        lines.append(
            f"{count(len(joined.unused), 'key')} of {second} in no row of {first}: {keys_text(joined.unused)}"
        )
    return lines

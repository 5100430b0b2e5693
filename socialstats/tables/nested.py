"""Nested JSON as a plain table: objects become columns, and lists of the answers of several people become rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from socialstats.tables.aliases import Lines, Texts
from socialstats.tables.headers import check_column_names, refuse_many_columns
from socialstats.tables.limits import check_limit
from socialstats.text import count, quoted

Record: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = Sequence[Record]
# last parts of names of lists that say who gave each entry: lists of tags or of options have none
# beside them
WHO = re.compile(
    r"(?:user|annotator|rater|judge|coder|worker|reviewer|evaluator|labell?er|participant|respondent|juror|voter|panell?ist|expert)s?"
    r"(?:_?(?:id|name)s?)?|(?:completed|annotated|rated|judged|labell?ed|coded|graded)_by",
    re.IGNORECASE,
)
# objects of a list for each record, from which they are the rows, and the records say of which run
LARGE = 10
# cells of a table for each value in its records, beyond which the limit of cells counts
SPARSE = 20


def with_columns(rows: Rows, source: str) -> Rows:
    """Return records whose objects are spread to columns: ``{"meta": {"model": "m"}}`` is ``{"meta.model": "m"}``.

    Raises
    ------
    InputError
        For names, or more of them, than a table has, and for two columns of one name.

    Examples
    --------
    >>> with_columns([{"text": "t", "meta": {"model": "m", "of": {"run": 1}}}], "t.jsonl")
    [{'text': 't', 'meta.model': 'm', 'meta.of.run': 1}]
    """
    if not any(isinstance(value, dict) for row in rows for value in row.values()):
        return rows
    names: dict[str, str] = {}
    return [_flatten(row, names, source) for row in rows]


def _flatten(row: Record, names: dict[str, str], source: str) -> Record:
    """Return a record without objects; `names` holds the names of columns so far, each once."""
    found: dict[str, Any] = {}
    left = [*row.items()][::-1]
    while left:
        name, value = left.pop()
        if isinstance(value, dict) and value:
            # before they are named
            refuse_many_columns(max(names, value, key=len), source)
            check_limit("name", len(name), source)
            left += [(f"{name}.{key}", member) for key, member in [*value.items()][::-1]]
            continue
        if name in found:
            check_column_names([name, name], source)
        found[names.setdefault(name, name)] = None if isinstance(value, dict) else value
    return found


def with_lone_values(rows: Rows) -> Rows:
    """Return records in which lists of one plain value each are that value: a choice that could have been several.

    Examples
    --------
    >>> with_lone_values([{"accept": ["a"], "tags": ["x", "y"]}, {"accept": [], "tags": ["x"]}])
    [{'accept': 'a', 'tags': ['x', 'y']}, {'accept': None, 'tags': ['x']}]
    """
    listed = {name for row in rows for name, value in row.items() if isinstance(value, list)}
    # one of them may have answered
    people = {name.partition(".")[0] for name in listed if who_of([name])}
    free = [name for name in listed if name.partition(".")[0] not in people]
    lone = {name for name in free if all(is_lone(row.get(name)) for row in rows)}
    if not lone:
        return rows
    return [
        {name: (value or [None])[0] if name in lone else value for name, value in row.items()}
        for row in rows
    ]


def is_lone(value: Any) -> bool:
    """Whether a value is a list of one plain value at most, or nothing."""
    return value is None or (
        isinstance(value, list)
        and len(value) <= 1
        and not any(isinstance(entry, list | dict) for entry in value)
    )


def with_entries(rows: Rows, source: str) -> tuple[Rows, Lines, str]:
    """Return records with a row for each object of a list, where the objects say who gave each, or are very many.

    Label Studio, for instance, writes ``"annotations": [{"completed_by": 9, "result": [...]}, ...]``, and a log a list
    of samples. A list of one object in such an object counts as the object.

    Returns
    -------
    rows : sequence of mapping
    origins : list of int
        The record that each row was made of, from 0.
    said : str
        What was done; empty for other tables, which stay as they are.

    Raises
    ------
    InputError
        For more rows and columns than a table has.

    Examples
    --------
    >>> with_entries([{"id": 1, "q": [{"user": "a", "value": 4}, {"user": "b", "value": 3}]}], "t.json")[0]
    [{'id': 1, 'q.user': 'a', 'q.value': 4}, {'id': 1, 'q.user': 'b', 'q.value': 3}]
    """
    listed = dict.fromkeys(name for row in rows for name, value in row.items() if is_objects(value))
    candidates = [
        name
        for name in listed
        if all(is_objects(row.get(name)) or not row.get(name) for row in rows)
    ]
    large = [
        name
        for name in candidates
        if sum(len(row.get(name) or ()) for row in rows) >= LARGE * len(rows)
    ]
    candidates = (
        large
        if len(candidates) == len(large) == 1
        else [n for n in candidates if says_who(row.get(n) for row in rows)]
    )
    if len(candidates) != 1:
        return rows, [*range(len(rows))], ""
    name = candidates[0]
    spread: list[Record] = []
    origins: list[int] = []
    for k, row in enumerate(rows):
        remainder = {key: value for key, value in row.items() if key != name}
        entries = [{name: one_object(entry)} for entry in row.get(name) or ()]
        spread += [{**remainder, **entry} for entry in with_columns(entries, source)]
        origins += [k] * len(entries)
        check_limit(
            "cells", len(spread) * len(remainder), source, fix="Write a row for each entry yourself"
        )
    origin = f"each entry of the list in {quoted([name])} is a row"
    empty = sum(not row.get(name) for row in rows)
    without = f", and {count(empty, 'record')} without entries left out" if empty else ""
    return (
        spread,
        origins,
        f"{origin}: {count(len(spread), 'row')} of {count(len(rows), 'record')}{without}",
    )


def is_objects(value: Any) -> bool:
    """Whether a value is a list of objects, one at least."""
    return (
        isinstance(value, list) and bool(value) and all(isinstance(entry, dict) for entry in value)
    )


def says_who(lists: Iterable[Any]) -> bool:
    """Whether each object of some lists has a key that is called like people who answer."""
    entries = [entry for member in lists if member for entry in member]
    return bool(entries) and all(who_of([*entry]) for entry in entries)


def one_object(entry: Record) -> Record:
    """Return an object in which lists of one object each are that object."""
    return {
        key: value[0] if is_objects(value) and len(value) == 1 else value
        for key, value in entry.items()
    }


def records_of(value: Mapping[str, Any]) -> tuple[Rows, str] | None:
    """Return the records that an object holds, and where; None where it holds none, or several lists of them.

    They are its only list of objects, or a list for each of several keys, which become a column called ``list``.

    Examples
    --------
    >>> records_of({"date": "2025", "rows": [{"a": 1}]})
    ([{'a': 1}], "the records are those of 'rows'")
    >>> records_of({"x": [{"a": 1}], "y": [{"a": 2}]})[0]
    [{'list': 'x', 'a': 1}, {'list': 'y', 'a': 2}]
    """
    lists = {key: member for key, member in value.items() if is_objects(member)}
    plain = [
        member for key, member in value.items() if key not in lists and isinstance(member, list)
    ]
    if plain:
        # columns
        return None
    if len(lists) == 1:
        key, member = next(iter(lists.items()))
        return member, f"the records are those of {quoted([key])}"
    names = {frozenset(member[0]) for member in lists.values()}
    if len(lists) == len(value) > 1 == len(names) and "list" not in next(iter(names)):
        rows = [{"list": key, **row} for key, member in lists.items() for row in member]
        return rows, f"'list' is the list that a record stands in: {quoted([*lists], 4)}"
    inner = [member for member in value.values() if isinstance(member, dict)]
    found = [records for member in inner if (records := records_of(member)) is not None]
    return found[0] if len(found) == 1 and not lists else None


def with_rows(rows: Rows, source: str) -> tuple[Rows, Lines, str]:
    """Return records with a row for each entry of lists that hold the answers of several people.

    Such lists share the first part of their names, have the same length in each record, and one says who answered.
    Argilla, for instance, writes ``quality.responses`` beside ``quality.responses.users``.

    Returns
    -------
    rows : sequence of mapping
    origins : list of int
        The record that each row was made of, from 0.
    said : str
        What was done; empty for other tables, which stay as they are.

    Raises
    ------
    InputError
        For more rows and columns than a table has.

    Examples
    --------
    >>> with_rows([{"id": 1, "q.values": [4, 3], "q.users": ["a", "b"]}], "t.jsonl")[0]
    [{'id': 1, 'q.values': 4, 'q.users': 'a'}, {'id': 1, 'q.values': 3, 'q.users': 'b'}]
    """
    lists = lists_of_answers(rows)
    if not lists:
        return rows, [*range(len(rows))], ""
    sizes = [max((len(row[name]) for name in lists if row.get(name)), default=1) for row in rows]
    cells = sum(size * len(row) for size, row in zip(sizes, rows, strict=True))
    filled = sum(len(row[name]) for row in rows for name in lists if row.get(name))
    if cells > SPARSE * (filled + sum(map(len, rows))):
        check_limit(
            "cells",
            cells,
            source,
            fix="Write a row for each entry yourself, with the columns that are needed",
        )
    origins = [k for k, size in enumerate(sizes) for _ in range(size)]
    places = [place for size in sizes for place in range(size)]
    chosen = frozenset(lists)
    spread = [_list_entry(rows[k], chosen, place) for k, place in zip(origins, places, strict=True)]
    origin = f"each entry of the lists in {quoted(lists, 4)} is a row"
    return spread, origins, f"{origin}: {count(len(spread), 'row')} of {count(len(rows), 'record')}"


def _list_entry(row: Record, lists: frozenset[str], place: int) -> Record:
    """Return a record with one entry of its lists; it lacks what is an empty list, or none."""
    return {
        name: value if name not in lists else value[place] if value else None
        for name, value in row.items()
    }


def lists_of_answers(rows: Rows) -> list[str]:
    """Return the columns whose lists have an entry for each person who answered; none where that is in doubt.

    Examples
    --------
    >>> lists_of_answers([{"tags": ["x", "y"], "q.values": [4, 3], "q.users": ["a", "b"]}])
    ['q.values', 'q.users']
    >>> lists_of_answers([{"choices.text": ["yes", "no"], "choices.label": ["A", "B"]}])
    []
    """
    listed = dict.fromkeys(
        name for row in rows for name, value in row.items() if isinstance(value, list)
    )
    groups: dict[str, list[str]] = {}
    for name in listed:
        groups.setdefault(name.partition(".")[0], []).append(name)
    chosen = [
        group
        for group in groups.values()
        if len(group) > 1 and who_of(group) and are_parallel_lists(rows, group)
    ]
    people = [[row.get(who_of(group)) for row in rows] for group in chosen]
    if any(one != people[0] for one in people[1:]):
        # the entries of several questions are of other people
        return []
    return [name for group in chosen for name in group]


def who_of(names: Texts) -> str:
    """Return the first column that is called like people who answer; an empty text for none."""
    return next((name for name in names if WHO.fullmatch(name.rpartition(".")[2])), "")


def are_parallel_lists(rows: Rows, names: Texts) -> bool:
    """Return whether columns hold lists of plain values, as many in each as there are different people in a record."""
    who = who_of(names)
    for row in rows:
        columns = [row[name] for name in names if row.get(name) is not None]
        if not all(isinstance(values, list) for values in columns):
            return False
        if any(isinstance(value, list | dict) for values in columns for value in values):
            return False
        if len({*map(len, columns)}) > 1 or (
            columns and len({*(row.get(who) or ())}) != len(columns[0])
        ):
            return False
    return True

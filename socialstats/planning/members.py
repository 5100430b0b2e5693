"""Who belongs to a family of tests: rows out of results, groups of results, rows and bare p-values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.errors import InputError
from socialstats.results import Result, ResultGroup, Row
from socialstats.text import quoted, shorten

NO_P = "no p-value was given"
AGAIN = ("test", "ignoring clusters")  # groups that test the hypothesis of the leading row again


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Tests that are adjusted together.

    Attributes
    ----------
    name : str
    rows : tuple of Row
        Those with a p-value, and those whose test does not exist.
    source : Result or None
        The one result all rows came from, where there is one.
    """

    name: str
    rows: tuple[Row, ...]
    source: Result | None = None

    @property
    def tested(self) -> tuple[Row, ...]:
        """Rows with a p-value: the m tests of the family."""
        return tuple(row for row in self.rows if row.p_value is not None)


def families(results: Any, name: str | None, terms: Sequence[str] | None, groups: Sequence[str] | None) -> list[Family]:
    """Return the families that the caller's argument holds.

    Raises
    ------
    InputError
        If something is no test, a p-value is not between 0 and 1, or a family has no test.
    """
    parts: dict[str, Any] = {name or "": results}
    if isinstance(results, Mapping) and not all(is_p(value) for value in results.values()):
        if name is not None:
            raise InputError(f"family='{shorten(name)}' and a mapping of families: give the names in one place")
        parts = {str(key): value for key, value in results.items()}
    found = []
    for family, members in parts.items():
        titled = list(titled_rows(members, again=groups is not None, named=terms is not None))
        rows = chosen([row for _, row in titled], terms, groups)
        if not any(row.p_value is not None for row in rows):
            raise InputError(f"family '{shorten(family or 'all tests')}' has no test with a p-value to adjust")
        source = members if isinstance(members, Result) else None
        titles = tuple(dict.fromkeys(title for title, _ in titled if title))
        found.append(Family(name=family or default_name(titles), rows=rows, source=source))
    return told_apart(found)


def default_name(titles: Sequence[str]) -> str:
    """Describe a family that the caller did not name."""
    return "all tests of " + quoted(titles, 3) if titles else "all tests given"


def is_p(value: Any) -> bool:
    """Tell whether a value is meant as one p-value (None stands for a test that does not exist)."""
    return value is None or isinstance(value, int | float | np.number)


def titled_rows(members: Any, *, again: bool, named: bool) -> Iterable[tuple[str, Row]]:
    """Yield each row with the title of its result (empty for bare rows and p-values).

    Of a result that has leading tests, those that test the same hypothesis again only where `again`; of one that names
    terms which sum up others, these only where terms are `named`.
    """
    if isinstance(members, Result):
        rows = members.rows if again else leading(members.rows)
        rows = rows if named else single(rows, members.extras.get("together", ()))
        yield from ((members.title, row) for row in rows)
    elif isinstance(members, ResultGroup):
        for level, result in members.results.items():
            found = titled_rows(result, again=again, named=named)
            yield from ((title, replace(row, by=row.by or level)) for title, row in found)
    elif isinstance(members, Row):
        yield "", checked(members)
    elif isinstance(members, Mapping):
        for label, value in members.items():
            yield "", bare(str(label), value)
    elif isinstance(members, str) or not isinstance(members, Iterable):
        raise InputError(f"a family is made of results, rows or p-values, not {type(members).__name__} {members!r}")
    else:
        for k, member in enumerate(members):
            if is_p(member):
                yield "", bare(f"test {k + 1}", member)
            else:
                yield from titled_rows(member, again=again, named=named)


def leading(rows: Sequence[Row]) -> Sequence[Row]:
    """Leave out rows that test again what another row of the result tests, where there is such a row."""
    first = [row for row in rows if row.group not in AGAIN and not (row.group or "").endswith(" alone")]
    return first if any(row.p_value is not None or row.undefined is not None for row in first) else rows


def single(rows: Sequence[Row], together: Sequence[str]) -> Sequence[Row]:
    """Leave out the terms that sum up others, and then rows without p, where other tests remain."""
    if not together:
        return rows
    alone = [row for row in rows if row.term not in together and row.p_value is not None]
    return alone or rows


def bare(label: str, p: Any) -> Row:
    """Turn a bare p-value into a row; None and NaN stand for a test that does not exist."""
    if not is_p(p) or isinstance(p, bool):
        raise InputError(f"'{shorten(label)}' has {p!r} where a p-value should be")
    if p is None or math.isnan(p):
        return Row(term=label, undefined=NO_P)
    return checked(Row(term=label, p_value=float(p)))


def checked(row: Row) -> Row:
    """Return the row, or say that its p-value is none."""
    if row.p_value is not None and not 0 <= row.p_value <= 1:
        raise InputError(f"'{shorten(row.term)}' has p = {row.p_value!r}; a p-value is between 0 and 1")
    return row


def chosen(rows: Sequence[Row], terms: Sequence[str] | None, groups: Sequence[str] | None) -> tuple[Row, ...]:
    """Rows of some terms and groups; of those, the tests and what should have been one."""
    for what, wanted, known in (
        ("term", terms, [r.term for r in rows]),
        ("group", groups, [r.group for r in rows if r.group is not None]),
    ):
        missing = [w for w in listed(wanted) if w not in known]
        if missing:
            raise InputError(
                f"no {what} '{shorten(missing[0])}' in these tests; {what}s: {quoted(sorted({*known}), 10)}"
            )
    kept = [
        row for row in rows
        if (terms is None or row.term in listed(terms)) and (groups is None or row.group in listed(groups))
    ]  # fmt: skip
    return tuple(checked(row) for row in kept if row.p_value is not None or row.undefined is not None)


def listed(names: Sequence[str] | str | None) -> tuple[str, ...]:
    """A name, several, or none, as a tuple."""
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)


def told_apart(found: list[Family]) -> list[Family]:
    """Give rows that no field tells apart a group that does: the family, or a running number."""
    seen: dict[tuple[str, str | None, str | None], int] = {}
    several = len(found) > 1
    out = []
    for family in found:
        rows = []
        for row in family.rows:
            new = replace(row, group=f"{family.name}: {row.group}" if row.group else family.name) if several else row
            key = (new.term, new.group, new.by)
            seen[key] = seen.get(key, 0) + 1
            if seen[key] > 1:
                new = replace(new, group=f"{new.group or 'test'} #{seen[key]}")
            rows.append(new)
        out.append(replace(family, rows=tuple(rows)))
    return out

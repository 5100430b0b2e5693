"""Differences of two records by key: what is missing or new, which number, name or text changed, and by how much."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from tests.record.entries import ROW_TEXTS, Entry, Leaf

ROUNDING = 1e-12  # relative: what another order of the same sum may change
Kind = Literal["missing", "new", "number", "rounding", "name", "text", "order", "label"]
KINDS: dict[Kind, str] = {
    "missing": "missing",
    "new": "new",
    "number": "changed numbers",
    "name": "changed names and codes",
    "text": "changed texts",
    "order": "rows in another order",
    "label": "tables with other labels",
    "rounding": "roundings",
}
RowFields = Mapping[str, Leaf]
NUMBERS = ("estimate", "std_error", "conf_low", "conf_high", "statistic", "df", "p_value", "n")
# what tells a row from others, the strictest first; a row without the first field of a stage is left to the next
STAGES: tuple[tuple[str, ...], ...] = (
    ("term", "by", "key", "role", "group"),
    ("key", "by", "role", "group"),
    ("key", "by", "term", "group"),
    ("key", "by", "role"),
    ("key", "by"),
    ("term", "by", "role", "group"),
    NUMBERS,
)


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: where it is, and what was and is there."""

    kind: Kind
    case: str
    place: str
    was: Leaf = None
    now: Leaf = None

    @property
    def absolute(self) -> float:
        """Size of a changed number; infinite where it is no number on one side."""
        both = [value for value in (self.was, self.now) if is_number(value)]
        gap = abs(both[0] - both[1]) if len(both) == 2 else math.inf  # type: ignore[operator]
        return math.inf if math.isnan(gap) else gap

    @property
    def relative(self) -> float:
        """The same, of the larger of both numbers."""
        if not math.isfinite(self.absolute):
            return math.inf
        return self.absolute / max(abs(self.was), abs(self.now))  # type: ignore[arg-type]

    def __str__(self) -> str:
        if self.kind in ("missing", "new", "order", "label"):
            told = "" if self.was is self.now is None else f": was {self.was!r}, is {self.now!r}"
            return f"{self.kind}: {self.place}{told}"
        if self.kind == "text":
            return f"text: {self.place}\n    was {self.was!r}\n    is  {self.now!r}"
        size = f" ({self.absolute:.2g}, relative {self.relative:.2g})"
        told = size if math.isfinite(self.absolute) else ""
        return f"{self.kind}: {self.place} was {self.was!r}, is {self.now!r}{told}"


def is_number(value: Leaf) -> bool:
    """Return whether a leaf is a number, and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def differences(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> Iterator[Difference]:
    """Yield all differences, case by case."""
    for case in {**before, **after}:
        if case not in after:
            yield Difference("missing", case, "the case")
        elif case not in before:
            yield Difference("new", case, "the case")
        else:
            yield from of_rows(case, before[case].rows, after[case].rows)
            yield from of_facts(case, before[case].facts, after[case].facts)
            yield from of_facts(case, before[case].texts, after[case].texts, text=True)


def changed(
    case: str, place: str, was: Leaf, now: Leaf, *, text: bool = False
) -> Difference | None:
    """Return the difference of two leaves, or None where they are equal; one that is NaN equals another."""
    if is_number(was) and is_number(now):
        if was == now or (was != was and now != now):
            return None
        number = Difference("number", case, place, was, now)
        return (
            number if number.relative > ROUNDING else Difference("rounding", case, place, was, now)
        )
    if was == now and type(was) is type(now):
        return None
    some = next(value for value in (was, now) if value is not None)
    kind: Kind = "number" if is_number(some) else "text" if text else "name"
    return Difference(kind, case, place, was, now)


def of_rows(
    case: str, before: Sequence[RowFields], after: Sequence[RowFields]
) -> Iterator[Difference]:
    """Yield the differences of the rows of a result."""
    paired = dict(matched(before, after))
    for k, row in enumerate(before):
        if k not in paired:
            yield Difference("missing", case, f"row {name_of(row)}")
            continue
        other = after[paired[k]]
        for name in {**row, **other}:
            place = f"row {name_of(row)}, {name}"
            difference = changed(
                case, place, row.get(name), other.get(name), text=name in ROW_TEXTS
            )
            if difference is not None:
                yield difference
    kept = set(paired.values())
    for k, row in enumerate(after):
        if k not in kept:
            yield Difference("new", case, f"row {name_of(row)}")
    places = [paired[k] for k in sorted(paired)]
    if any(one > following for one, following in pairwise(places)):
        yield Difference("order", case, "rows")


def matched(before: Sequence[RowFields], after: Sequence[RowFields]) -> Iterator[tuple[int, int]]:
    """Yield the places of rows that are the same one, by what tells them apart; alike ones in their order."""
    left, right = [*range(len(before))], [*range(len(after))]
    for stage in STAGES:
        places = by_stage(after, right, stage)
        pairs = []
        for k in left:
            alike = places.get(told_by(before[k], stage))
            if alike:
                pairs.append((k, alike.pop(0)))
        yield from pairs
        left = sorted({*left} - {first for first, _ in pairs})
        right = sorted({*right} - {second for _, second in pairs})


def by_stage(
    rows: Sequence[RowFields], places: Sequence[int], stage: Sequence[str]
) -> dict[Hashable, list[int]]:
    """Return the places of rows by the fields of a stage; rows without the first of them are left out."""
    known: dict[Hashable, list[int]] = {}
    for k in places:
        known.setdefault(told_by(rows[k], stage), []).append(k)
    known.pop(None, None)
    return known


def told_by(row: RowFields, stage: Sequence[str]) -> Hashable:
    """Return the fields of a stage, or None where the row lacks the first of them."""
    told = tuple(row.get(name) for name in stage)
    return None if told[0] is None else told


def name_of(row: RowFields) -> str:
    """Return what a person knows a row by."""
    by, role, key = (row.get(name) for name in ("by", "role", "key"))
    label = key or " ".join(str(row[name]) for name in ("term", "group") if name in row)
    return f"[{'; '.join(str(part) for part in (by, role, label) if part is not None)}]"


def of_facts(
    case: str, before: Mapping[str, Leaf], after: Mapping[str, Leaf], *, text: bool = False
) -> Iterator[Difference]:
    """Yield the differences of facts, or of texts, by path.

    Where labels of a table changed and as many cells are left on both sides, these are paired in their order.
    """
    paired = {path: path for path in before if path in after}
    gone, come = (
        cells_by_table(path for path in one if path not in other)
        for one, other in ((before, after), (after, before))
    )
    for table, cells in gone.items():
        if table and len(cells) == len(come.get(table, ())):
            paired |= zip(cells, come[table], strict=True)
            yield Difference("label", case, f"{len(cells)} cells", cells[0], come[table][0])
    for path, other in paired.items():
        difference = changed(case, path, before[path], after[other], text=text)
        if difference is not None:
            yield difference
    kept = {*paired.values()}
    for kind, paths, leaves in (
        ("missing", (path for path in before if path not in paired), before),
        ("new", (path for path in after if path not in kept), after),
    ):
        for path in paths:
            was, now = (leaves[path], None) if kind == "missing" else (None, leaves[path])
            yield Difference(kind, case, path, was, now)  # type: ignore[arg-type]


def cells_by_table(paths: Iterable[str]) -> dict[str, list[str]]:
    """Return paths by the table that they are cells of; those of no table under an empty name."""
    tables: dict[str, list[str]] = {}
    for path in paths:
        table, bracket, _ = path.partition("[")
        tables.setdefault(table if bracket else "", []).append(path)
    return tables

"""The committed figures of each room, and what rose above them or fell below."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.house.rooms import MEASURES, MORE_IS_BETTER, RATIOS, Figures

FILE = Path(__file__).parent / "rooms.toml"
TOLERANT = ("nodes", "nodes_a_statement")
# of a new room, what its budget does not state; 0 of all else
WANTED = {"nodes_a_statement": 13.0, "comments": 3.0}
HEAD = """\
# What each room may have at most (tests/house): `make check` fails where a figure is worse than here.
# `python -m tests.house --write` lowers figures, and never raises one; --raise ROOM "reason" does, and the table
# keeps the reason. A new room states its budget before it is there: a section with budget = "reason", its nodes,
# and what else it needs. What it leaves out is 0; 13 of nodes a statement, 3 of comments. --write leaves a section
# with a budget as it is, until that line is taken out.
# Several may work at once, so nodes, and nodes a statement, may be more by the tolerance.
"""


@dataclass(frozen=True, slots=True)
class Change:
    """A figure that is not as in the table; a room that is new or gone has no measure."""

    room: str
    measure: str
    old: float
    new: float
    worse: bool

    def __str__(self) -> str:
        if not self.measure:
            return f"{self.room}: " + (
                f'a new room. State its budget: python -m tests.house --raise {self.room} "reason"'
                if self.worse
                else "the room is gone"
            )
        what = MEASURES[self.measure]
        return f"{self.room}: {what}: {shown(self.old)} before, {shown(self.new)} now"


@dataclass(frozen=True, slots=True)
class Budget:
    """The table: how much nodes may differ, in percent; names that protocols ask for; figures; why some rose."""

    tolerance: float
    protocols: Mapping[str, str]
    rooms: Mapping[str, Mapping[str, Any]]
    raised: tuple[Mapping[str, Any], ...] = ()


def read(path: Path = FILE) -> Budget:
    """Return the committed table."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    raised = tuple(table.get("raised", ()))
    return Budget(table["tolerance"], table["protocols"], table.get("rooms", {}), raised)


def changes(budget: Budget, figures: Mapping[str, Figures]) -> Iterator[Change]:
    """Yield where rooms are worse or better than the table says; a room that is only planned is neither."""
    for room in sorted({*budget.rooms, *figures}):
        if room not in figures and "budget" in budget.rooms[room]:
            continue
        if room not in budget.rooms or room not in figures:
            yield Change(room, "", 0, 0, worse=room in figures)
            continue
        for measure in MEASURES:
            old, new = stated(budget.rooms[room], measure), figures[room][measure]
            allowed = old + (old * budget.tolerance / 100 if measure in TOLERANT else 0)
            worse = new < old if measure in MORE_IS_BETTER else new > allowed
            if worse or is_better(measure, old, new):
                yield Change(room, measure, old, new, worse)


def stated(room: Mapping[str, Any], measure: str) -> float:
    """Return a figure of the table, or what holds where a new room does not state it."""
    return float(room.get(measure, WANTED.get(measure, 0)))


def is_better(measure: str, old: float, new: float) -> bool:
    """Return whether a figure improved."""
    return new > old if measure in MORE_IS_BETTER else new < old


def lowered(budget: Budget, figures: Mapping[str, Figures], reasons: Mapping[str, str]) -> Budget:
    """Return the table with better figures, and with worse ones of the rooms that have a reason."""
    rooms: dict[str, dict[str, Any]] = {
        room: dict(section) for room, section in budget.rooms.items() if "budget" in section
    }
    raised = [*budget.raised]
    for room, measured in figures.items():
        section = budget.rooms.get(room)
        if section is None:
            if room in reasons:
                rooms[room] = {"budget": reasons[room], **measured}
            continue
        if room in rooms and room not in reasons:
            continue
        rooms[room] = dict(section)
        for measure in MEASURES:
            old, new = stated(section, measure), measured[measure]
            better = is_better(measure, old, new)
            if better or room in reasons:
                rooms[room][measure] = new
            if not better and new != old and room in reasons:
                change = {"room": room, "measure": measure, "old": old, "new": new}
                raised.append(change | {"reason": reasons[room]})
    return Budget(budget.tolerance, budget.protocols, rooms, tuple(raised))


def text_of(budget: Budget) -> str:
    """Return the table as TOML."""
    lines = [HEAD + f"tolerance = {budget.tolerance}  # percent of nodes, and of nodes a statement"]
    lines += [
        "",
        "[protocols]  # functions that several modules have because something asks each of them for it",
    ]
    lines += [f"{name} = {json.dumps(why)}" for name, why in budget.protocols.items()]
    for room, figures in sorted(budget.rooms.items()):
        lines += ["", f"[rooms.{room}]", *assigned(figures)]
    for change in budget.raised:
        lines += ["", "[[raised]]", *assigned(change)]
    return "\n".join(lines) + "\n"


def assigned(values: Mapping[str, Any]) -> Iterable[str]:
    """Yield the lines of a section."""
    for name, value in values.items():
        if isinstance(value, str):
            yield f"{name} = {json.dumps(value, ensure_ascii=False)}"
        else:
            is_ratio = name in RATIOS or values.get("measure") in RATIOS
            yield f"{name} = {value if is_ratio else int(value)}"


def shown(value: float) -> str:
    """Return a figure with thousands commas, or with its decimals."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"

"""Measure the rooms: ``python -m tests.house`` fails where one is worse than rooms.toml says.

``--table`` prints all figures, ``--list ROOM [MEASURE]`` what is counted in a room, ``--write`` lowers the table,
``--raise ROOM REASON`` raises the figures of a room (``all``: of every room), for a reason that the table keeps.
``--map`` writes the picture of the rooms, docs/_static/house.svg. ``--where METRIC`` prints where its formula,
interval, sentence, definition, tests and pages stand.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence

from tests.house.budget import FILE, Change, changes, lowered, read, shown, text_of
from tests.house.drawing import picture, places, table
from tests.house.measures import File
from tests.house.rooms import ALL, INNER, MEASURES, TOP, Figures, House, house, percent

MAP = TOP / "docs" / "_static" / "house.svg"

HEADERS = {
    "nodes": "nodes",
    "nodes_a_statement": "a stmt",
    "dense_statements": "> 60",
    "dense": "%",
    "long_functions": "long f.",
    "large_files": "files",
    "vague_names": "vague",
    "vague": "%",
    "comments": "comm. %",
    "formatter_exceptions": "fmt",
    "imports_inside": "inside",
    "imports_by_string": "string",
    "modules_in_circles": "circles",
    "same_functions": "same f.",
    "same_classes": "same c.",
}
ALL_OF_THEM = "all"
TARGETS = ["380,000", "13", "-", "1", "0", "0", "-", "2", "3", "0", "60", "10", "0", "0", "0"]


def main(arguments: Sequence[str]) -> int:
    """Print what changed, write the table where that is asked for, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.house", description=__doc__)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--list", nargs="+", metavar=("ROOM", "MEASURE"))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--raise", nargs=2, metavar=("ROOM", "REASON"), action="append", dest="up")
    parser.add_argument("--map", action="store_true")
    parser.add_argument("--where", metavar="METRIC")
    asked = parser.parse_args(arguments)
    if asked.where:
        try:
            print(table([*places(asked.where)]))
        except KeyError as error:
            parser.error(str(error.args[0]))
        return 0
    budget = read()
    measured = house(budget.protocols)
    figures = measured.figures()
    if asked.table:
        print_table(measured, figures)
        return 0
    if asked.map:
        MAP.write_text(picture(figures), encoding="utf-8")
        return 0
    if asked.list:
        print_places(measured, *asked.list)
        return 0
    if asked.write or asked.up:
        reasons = dict(asked.up or ())
        if ALL_OF_THEM in reasons:
            reasons = dict.fromkeys(figures, reasons[ALL_OF_THEM]) | reasons
        budget = lowered(budget, figures, reasons)
        FILE.write_text(text_of(budget), encoding="utf-8")
    return report([*changes(budget, figures)], figures)


def report(differing: Sequence[Change], figures: Mapping[str, Figures]) -> int:
    """Print the figures that rose, then those that fell; return 1 where any rose."""
    rose = [change for change in differing if change.worse]
    fell = [change for change in differing if not change.worse]
    for change in rose:
        print(f"{change}: more than {FILE.name} allows" if change.measure else change)
    for room in sorted({change.room for change in rose if change.measure}):
        print(f"what is counted: python -m tests.house --list {room} MEASURE")
    for change in fell:
        print(f"better: {change}")
    if fell:
        print("python -m tests.house --write lowers the table")
    total = sum(measures["nodes"] for measures in figures.values())
    print(f"{shown(total)} nodes in {len(figures)} rooms: {len(rose)} figures rose")
    return int(bool(rose))


def print_table(measured: House, figures: Mapping[str, Figures]) -> None:
    """Print all figures of all rooms, with those of the inner rooms, of all rooms, and the targets."""
    files = {**measured.rooms(), INNER: measured.inner(), ALL: [*measured.files]}
    print(f"{'':12}" + "".join(f"{header:>10}" for header in HEADERS.values()))
    for room, members in files.items():
        cells = {**measured.figures_of(members), **shares(members)}
        print(f"{room:12}" + "".join(f"{shown(cells[name]):>10}" for name in HEADERS))
    print(f"{'target':12}" + "".join(f"{target:>10}" for target in TARGETS))
    print(f"targets of sizes are those of the {INNER}")
    for group in measured.circles:
        print(f"circle of {len(group)} modules: {', '.join(group[:4])} ...")
    print(f"{len(measured.same_functions)} names of functions in several modules")
    print(f"{len(measured.same_classes)} names of classes in several modules")


def shares(files: Sequence[File]) -> Figures:
    """Return the share of dense statements, and of names that say nothing, in percent."""
    counts = {
        "dense": (sum(len(f.dense) for f in files), sum(f.simple for f in files)),
        "vague": (sum(len(f.vague) for f in files), sum(f.names for f in files)),
    }
    return {name: percent(part, of) for name, (part, of) in counts.items()}


def print_places(measured: House, room: str, *names: str) -> None:
    """Print what measures count in a room."""
    unknown = [name for name in names if name not in MEASURES]
    if unknown or room not in measured.rooms():
        print(f"rooms: {', '.join(measured.rooms())}\nmeasures: {', '.join(MEASURES)}")
        return
    for measure, place in measured.places(measured.rooms()[room]):
        if not names or measure in names:
            print(f"{measure}: {place}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The table that a run makes, with the part of each column: what a first file of a study is guessed from."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from socialstats.errors import InputError, Problem
from socialstats.tables import Table, as_table
from socialstats.tables.toml_files import read_toml
from socialstats_collect.ask import Ask, Reply
from socialstats_collect.design import RunDesign
from socialstats_collect.log import Log
from socialstats_collect.runfile import read_runfile
from socialstats_collect.tidy import table_of

MOST_UNITS = 5_000  # that are drawn to see which columns vary
LONGEST_LABEL = 60  # characters of a column of items that may play a part
FIRST = b'{"type": "run"'  # how a log begins
Cells = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTable:
    """The table of a run, in the columns that a study may use.

    Attributes
    ----------
    table : Table
        With answers in turn, so that each one that may be given is in it.
    parts : dict of part to columns
    ranges : dict of str to pair of float
        Scores of judges, each with the lowest and the highest.
    file : Path or None
        The run file, where there is one.
    """

    table: Table
    parts: dict[str, list[str]]
    ranges: Mapping[str, tuple[float, float]]
    file: Path | None


def is_run(path: Path) -> bool:
    """Return whether a file is a run file, or a log that ``collect`` wrote."""
    if path.suffix.lower() == ".toml":
        return True
    if path.suffix.lower() != ".jsonl" or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.readline(len(FIRST)) == FIRST


def run_table(path: Path) -> RunTable:
    """Return the table that a run file makes, or the run of a log.

    Raises
    ------
    InputError
        For a run whose replies are not read as answers.
    """
    import pandas as pd

    design, file, rows = rows_of_run(path)
    frame = pd.DataFrame(rows)
    ranges = design.protocol.ranges
    parts = parts_of_design(design, [*map(str, frame.columns)])
    if not ranges and "value" not in parts:
        fix = 'Write parser = "json" or "options" in [protocol], with the answers that count'
        message = "replies are texts, and no answers"
        raise InputError(Problem(message=message, source=path.name, fix=fix))
    items = [name for name in design.items[0].columns if is_short(design, name)]
    columns = dict.fromkeys([*itertools.chain(*parts.values()), *items, *ranges])
    present = [name for name in columns if name in frame and frame[name].notna().any()]
    table = as_table(frame[present], path.name)
    return RunTable(table=table, parts=parts, ranges=ranges, file=file)


def rows_of_run(path: Path) -> tuple[RunDesign, Path | None, list[Cells]]:
    """Return the design of a run file or log, the run file where there is one, and rows: a log has its own."""
    if path.suffix.lower() == ".toml":
        if "collect" in read_toml(path)[1]:
            fix = "Name a table, a run file, or a log of collect"
            message = "this is the file of a study"
            raise InputError(Problem(message=message, source=path.name, fix=fix))
        design = read_runfile(path).design
        return design, path, [*simulated_rows(design)]
    with Log(path) as log:
        record = table_of(log)
        rows = [row for several, control in record.tidied() for row in several if not control]
        design = record.designs[-1]
    beside = path.parent / design.run_file
    return design, beside if design.run_file and beside.is_file() else None, rows


def parts_of_design(design: RunDesign, columns: Collection[str]) -> dict[str, list[str]]:
    """Return which part columns of a design's table play."""
    protocol = design.protocol
    factors = [name for name, levels in design.factors.items() if len(levels) > 1]
    stages = protocol.instrument.stages if protocol.instrument is not None else ()
    choices = protocol.choices(next(design.units()))
    conditions = [name for name in factors if name != "model"]
    parts = {
        "source": ["model"],
        "unit": ["scenario" if "scenario" in columns else "item_id"],
        "repeat": ["replicate"] if design.replicates > 1 else [],
        "rater": ["judge"] if protocol.settings.judges else [],
        "value": [protocol.column] if choices else [],
        "condition": [*conditions, "stage"] if len(stages) > 1 else conditions,
    }
    return {part: names for part, names in parts.items() if names}


def is_short(design: RunDesign, column: str) -> bool:
    """Return whether a column of the items holds labels rather than texts."""
    return all(len(item.columns.get(column, "")) <= LONGEST_LABEL for item in design.asked)


def simulated_rows(design: RunDesign) -> Iterator[Cells]:
    """Yield the rows of the first units as they are when answered, with answers and scores in turn."""
    protocol = design.protocol
    for place, unit in enumerate(islice(design.units(), MOST_UNITS)):
        if protocol.once(unit.item):
            continue
        exchanges = []
        if choices := protocol.choices(unit):
            label = choices[place % len(choices)].label
            ask = Ask(model=unit.factors["model"], messages=())
            exchanges.append((ask, Reply(key="", status="ok", choice=label)))
        ranges = protocol.ranges.items()
        scores = {name: low + place % (high - low + 1) for name, (low, high) in ranges}
        for row in protocol.rows(unit, exchanges):
            yield {**unit.item, **row, **scores}

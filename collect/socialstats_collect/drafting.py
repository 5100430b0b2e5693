"""The table that a run makes, with the part of each column: what a first file of a study is guessed from."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from socialstats.errors import InputError, Problem
from socialstats.tables import Table, as_table
from socialstats.tables.toml_files import read_toml
from socialstats_collect.ask import Ask, Reply, Unit
from socialstats_collect.design import RunDesign
from socialstats_collect.log import Log
from socialstats_collect.runfile import read_runfile
from socialstats_collect.tidy import table_of

MOST_UNITS = 5_000  # that are drawn to see which columns vary
LONGEST_LABEL = 60  # characters of a column of items that may play a part
Cells = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTable:
    """The table of a run, in the columns that a study may use.

    Attributes
    ----------
    table : Table
        Of a run file its answers are drawn; of a log they are those on record.
    parts : dict of part to columns
    ranges : dict of str to pair of float
        Scores of judges, each with the lowest and the highest.
    file : Path or None
        The run file, where there is one.
    """

    table: Table
    parts: dict[str, list[str]]
    ranges: dict[str, tuple[float, float]]
    file: Path | None


def is_run(path: Path) -> bool:
    """Return whether a file is a run file, or a log that ``collect`` wrote."""
    if path.suffix.lower() == ".toml":
        return True
    if path.suffix.lower() != ".jsonl" or not path.is_file():
        return False
    with path.open("rb") as file:
        first = file.readline(1 << 20)
    try:
        record = json.loads(first)
    except ValueError:
        return False
    return isinstance(record, dict) and record.get("type") == "run"


def run_table(path: Path) -> RunTable:
    """Return the table of a run file, or of a log.

    Raises
    ------
    InputError
        For a run whose replies are not read as answers.
    """
    if path.suffix.lower() == ".toml":
        if "collect" in read_toml(path)[1]:
            fix = "Name a table, a run file, or a log of collect"
            raise InputError(
                Problem(message="this is the file of a study", source=path.name, fix=fix)
            )
        design = read_runfile(path).design
        return table_of_design(design, [*simulated_rows(design)], path, path.name)
    with Log(path) as log:
        record = table_of(log)
        rows = [row for several, control in record.tidied() for row in several if not control]
        design = record.designs[-1]
    beside = path.parent / design.run_file
    file = beside if design.run_file and beside.is_file() else None
    return table_of_design(design, rows, file, path.name)


def table_of_design(
    design: RunDesign, rows: list[Cells], file: Path | None, source: str
) -> RunTable:
    """Return the rows of a design in the columns that a study may use, and the part of each."""
    import pandas as pd

    frame = pd.DataFrame(rows)
    scores = score_ranges(design)
    parts = parts_of_design(design, [*map(str, frame.columns)])
    if not scores and "value" not in parts:
        fix = 'Write parser = "json" or "options" in [protocol], with the answers that count'
        raise InputError(
            Problem(message="replies are texts, and no answers", source=source, fix=fix)
        )
    items = [name for name in design.items[0].columns if is_short(design, name)]
    columns = [name for names in parts.values() for name in names]
    columns = [*dict.fromkeys([*columns, *items, *scores])]
    present = [name for name in columns if name in frame and frame[name].notna().any()]
    table = as_table(frame[present], source)
    return RunTable(table=table, parts=parts, ranges=scores, file=file)


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


def score_ranges(design: RunDesign) -> dict[str, tuple[float, float]]:
    """Return the scores that judges give, each with its range."""
    instrument = design.protocol.instrument
    if instrument is None:
        return {}
    return {**dict.fromkeys(instrument.traits, instrument.scale), **instrument.further}


def is_short(design: RunDesign, column: str) -> bool:
    """Return whether a column of the items holds labels rather than texts."""
    return all(len(item.columns.get(column, "")) <= LONGEST_LABEL for item in design.asked)


def simulated_rows(design: RunDesign) -> Iterator[Cells]:
    """Yield the rows of the first units as they are when answered, with answers and scores in turn."""
    scores = score_ranges(design)
    for place, unit in enumerate(islice(design.units(), MOST_UNITS)):
        if design.protocol.once(unit.item):
            continue
        for row in answered_rows(design, unit, place):
            drawn = {name: low + place % (high - low + 1) for name, (low, high) in scores.items()}
            yield {**unit.item, **row, **drawn}


def answered_rows(design: RunDesign, unit: Unit, place: int) -> list[Cells]:
    """Return the rows of a unit that gave one of its answers, in turn."""
    choices = design.protocol.choices(unit)
    if not choices:
        return design.protocol.rows(unit, [])
    ask = Ask(model=unit.factors["model"], messages=())
    reply = Reply(key="", status="ok", choice=choices[place % len(choices)].label)
    return design.protocol.rows(unit, [(ask, reply)])

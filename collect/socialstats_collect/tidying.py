"""``socialstats tidy``: the table of a log, people's answers below it, control texts beside it."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from socialstats.errors import InputError
from socialstats.tables.labels import MISSING
from socialstats.tables.writing import (
    METHODS,
    format_by_name,
    is_read,
    put_rows,
    straight,
    writable_place,
    write_whole,
)
from socialstats.text import count
from socialstats.voice import option
from socialstats_collect.declared import named_columns, next_words, renaming
from socialstats_collect.log import Log
from socialstats_collect.people import people_rows
from socialstats_collect.saying import DONE, refuse_windows, say_hidden
from socialstats_collect.summary import Summary, as_text, methods_text
from socialstats_collect.tidy import Cells, LogTable, as_cells, table_of


def written_rows(
    table: LogTable, people: Sequence[Cells], summary: Summary, controls: list[Cells]
) -> Iterator[Cells]:
    """Yield the rows of a table as they are written: those of models, then those of people.

    Parameters
    ----------
    table
        Of the log.
    people
        Rows of people, without the columns of the items.
    summary
        Counts the rows of models.
    controls
        Takes the rows of control texts, which stand in a table of their own.
    """
    raters = ("rater", "source") if people else ()
    for rows, control in table.tidied():
        if control:
            controls += map(as_cells, rows)
            continue
        for row in rows:
            summary.add(row)
            yield as_cells({**dict.fromkeys(raters, row.get("model")), **row})
    items = {item.id: item.columns for design in table.designs for item in design.asked}
    for row in people:
        yield as_cells(table.columns(items[str(row["item_id"])], row))


def tidy(options: argparse.Namespace) -> int:
    """Write the table of a log, with people's answers below, and that of control texts."""
    refuse_windows()
    target, path = options.output or "-", Path(options.log)
    format_by_name(target)
    if options.methods and options.methods != "-":
        writable_place(options.methods, METHODS)
    with Log(path) as log:
        runfile = runfile_beside(log, path, options.compared)
        is_read(*([runfile] if runfile else []))
        table = table_of(log, runfile)
        notes = [*log.repairs(), *table.notes]
        people: list[Cells] = []
        if options.people and table.designs:
            people, about_people = people_rows(table.designs[-1], Path(options.people))
            notes += about_people
        names = renaming(runfile, table.designs)
        if names:
            notes.append(named_columns(names))
        summary, controls = Summary(table), list[Cells]()
        rows = (as_declared(row, names) for row in written_rows(table, people, summary, controls))
        later = [name for row in people for name in as_declared(row, names)]
        # answers without an item have columns of their own
        put_rows(target, [*rows] if log.damaged or log.lost else rows, later)
        beside, about_controls = put_controls(target, controls, options.controls)
        if options.methods:
            write_whole(options.methods, f"{methods_text(table)}\n", METHODS)
    notes += [*about_controls, *log.tally.changes()]
    for note in [*counted_rows(table, summary), *notes]:
        say_hidden(note)
    if options.summary:
        print(as_text(summary.table()), file=sys.stdout if target != "-" else sys.stderr)
    if target != "-" and table.designs:
        words = next_words(runfile) or [*report_words(table, summary, bool(people)), *beside]
        command = ["socialstats", "report" if words else "check", target, *words]
        say_hidden(f"next: {shlex.join(command)}")
    return DONE


def as_declared(row: Mapping[str, object], names: Mapping[str, str]) -> Cells:
    """Return a row whose columns have the names that a study declares."""
    return {names.get(column, column): value for column, value in row.items()}


def report_words(table: LogTable, summary: Summary, people: bool) -> list[str]:
    """Return the options with which a report reads the table of a protocol."""
    protocol = table.designs[-1].protocol
    words = protocol.report(table.varies, people)
    # rows without probabilities, as those of people are, would be dropped
    drops = people and "--missing" in protocol.probable
    if words and summary.has_probabilities and not drops:
        words += protocol.probable
        sampled = "the report reads the sampled answers, no probabilities"
        say_hidden(f"without {shlex.join(protocol.probable)} {sampled}")
    levels = {level for name in table.factors for level in table.levels(name)}
    if MISSING & levels:
        words += ["--na", ""]
    return words


def runfile_beside(log: Log, path: Path, named: str | None) -> Path | None:
    """Return the run file to compare a log with: that which is named, or that of the log where it stands beside."""
    if named:
        return Path(named)
    name = log.runs[-1].get("run_file") if log.runs else None
    beside = path.parent / str(name)
    return beside if name and beside.is_file() else None


def put_controls(target: str, rows: list[Cells], place: str | None) -> tuple[list[str], list[str]]:
    """Write the table of control texts beside the other one; return what names it to a report, and notes."""
    if not rows:
        if place:
            name = option("controls", place, f"--controls {place}")
            raise InputError(f"{name}: the log holds no control texts")
        return [], []
    texts = f"{count(len(rows), 'row')} of control texts"
    if not place and (target == "-" or straight(target)):
        where = option("controls", "FILE", "--controls FILE")
        return [], [f"{texts} left out: {where} writes them"]
    place = place or str(Path(target).with_suffix(f".controls{Path(target).suffix}"))
    put_rows(place, rows)
    return ["--controls", place], [f"{texts} in {place}"]


def counted_rows(table: LogTable, summary: Summary) -> Iterator[str]:
    """State how many rows and units there are, and what is left to ask."""
    units, finished = table.units, table.finished
    yield f"{count(summary.rows, 'row')} from {count(units, 'unit')}"
    if finished < units:
        left = f"{units - finished:,} to ask ({units - table.asked:,} of them never asked)"
        planned = f"{finished:,} of {units:,} planned units are finished"
        yield f"{planned}, {left}: run the run file again"
    if summary.missing:
        yield f"{summary.missing:,} rows have no answer yet (answer_status missing)"
    if (unused := table.log.tally.answers - table.used) > 0:
        answers = count(unused, "answer")
        yield f"{answers} on record belong to no unit of the design (other words, items taken out)"

"""From a log to the table of its design: every conversation is replayed on the answers on record, without any call."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from socialstats.errors import InputError, NothingToAnalyse, Problem
from socialstats.text import count, quoted
from socialstats_collect.ask import Ask, Reply, Unit
from socialstats_collect.design import RunDesign, design_of, differences, heads_of, matched
from socialstats_collect.log import Log, reply_of
from socialstats_collect.parse import printable
from socialstats_collect.protocols.base import Exchange, Step, replay
from socialstats_collect.runfile import read_runfile

Cells = dict[str, object]
Line = Mapping[str, Any]
PROVENANCE = {
    "model_returned": "model_returned",
    "endpoint": "host",
    "system_fingerprint": "system_fingerprint",
    "t_start": "t_start",
    "run_id": "run_id",
}
"""Columns of a row, and the fields of its call's line in the log."""
BY_JUDGE = {f"judge_{name.removeprefix('model_')}": place for name, place in PROVENANCE.items()}
OURS = (*PROVENANCE, *BY_JUDGE, "attempts", "last_failure")


@dataclass(slots=True)
class UnitRecord:
    """What a log holds of a unit.

    Attributes
    ----------
    log, design, unit
    lines
        The line of each reply, by the key of its request.
    exchanges
        Its requests with their replies.
    following
        The request that is still to be answered; None: the unit is finished.
    failures
        Statuses of the attempts at it.
    """

    log: Log
    design: RunDesign
    unit: Unit
    lines: dict[str, Line] = field(default_factory=dict)
    exchanges: Sequence[Exchange] = ()
    following: Ask | None = None
    failures: Sequence[str] = ()

    def __post_init__(self) -> None:
        self.exchanges, self.following = replay(self.design.protocol, self.unit, self._reply)
        if self.following is not None:
            self.failures = [status for _, status in self.log.entries(self.following.key)]

    def _reply(self, key: str) -> Reply | None:
        """Return the first answer on record for a request, and keep its line."""
        line = self.log.answer(key)
        if line is None:
            return None
        self.lines[key] = line
        return reply_of(line)

    @property
    def keys(self) -> list[str]:
        """Keys of the requests, in their order."""
        asks = [ask for ask, _ in self.exchanges]
        return [ask.key for ask in (*asks, self.following) if ask is not None]

    def rows(self) -> list[Cells]:
        """Return the rows of the unit, each with where it comes from."""
        protocol = self.design.protocol
        rows = protocol.rows(self.unit, self.exchanges)
        several = zip(rows, protocol.steps(self.unit), strict=True)
        return [row | self._provenance(steps) for row, steps in several]

    def _provenance(self, steps: Sequence[Step]) -> Cells:
        """Return which lines of the log gave a row: that of its reply, that of its judge, and how many attempts."""
        asks = [ask for ask, _ in self.exchanges if self._rests(steps, ask)]
        lines = {(ask.step, ask.model): self.lines[ask.key] for ask in asks}
        if steps:
            played, judged = steps
            score = lines.get(judged, {})
            cells = _line_cells(lines.get(played, score), PROVENANCE) | _line_cells(score, BY_JUDGE)
        else:
            cells = _line_cells([*lines.values()][-1] if lines else {}, PROVENANCE)
        waits = self.following is not None and self._rests(steps, self.following)
        failures = self.failures if waits else ()
        attempts = [self.log.entries(ask.key) for ask in asks]
        cells["attempts"] = sum(map(len, attempts)) + len(failures)
        cells["last_failure"] = failures[-1] if failures and not asks else None
        return cells

    def _rests(self, steps: Sequence[Step], ask: Ask) -> bool:
        """Return whether a row with these steps rests on a request."""
        return not steps or (ask.step, ask.model) in steps


def _line_cells(line: Line, columns: Mapping[str, str]) -> Cells:
    """Return what a line of the log holds for columns of a row."""
    return {name: line.get(place) for name, place in columns.items()}


@dataclass(slots=True)
class LogTable:
    """The table of a log: its designs, with what a run file says of them today.

    Attributes
    ----------
    log
        Open for reading.
    designs
        One, or several where logs were put together; each unit stands in the table once.
    notes
        What is said of changes since.
    used, units, asked, finished
        Answers in the table, of those on record; units of the design, those of them asked and finished: known when all
        was tidied.
    """

    log: Log
    designs: list[RunDesign]
    notes: list[str] = field(default_factory=list)
    used: int = 0
    units: int = 0
    asked: int = 0
    finished: int = 0
    _clashes: set[str] = field(default_factory=set)

    @property
    def factors(self) -> list[str]:
        """Factors of the designs."""
        return [*dict.fromkeys(name for design in self.designs for name in design.factors)]

    def levels(self, name: str) -> list[str]:
        """Return the levels of a factor in all designs."""
        several = [design.factors.get(name, ()) for design in self.designs]
        return [*dict.fromkeys(level for levels in several for level in levels)]

    def varies(self, name: str) -> bool:
        """Return whether a factor, or a column of the items, holds more than one value, the absent ones aside."""
        values = {item.columns.get(name) for design in self.designs for item in design.asked}
        return len(self.levels(name)) > 1 or len(values - {None, ""}) > 1

    def tidied(self) -> Iterator[tuple[list[Cells], bool]]:
        """Yield each unit's rows, at least one also where no answer came, and whether it is a control text.

        Rows of control texts are a table of their own.
        """
        self.used = self.units = self.asked = self.finished = 0
        self._clashes = {name for design in self.designs for name in _clashes(design)}
        keys: set[str] = set()
        several, damaged = len(self.designs) > 1, bool(self.log.lost or self.log.damaged)
        for design in self.designs:
            columns = dict.fromkeys(name for item in design.items for name in item.columns)
            for unit in design.units():
                record = UnitRecord(self.log, design, unit)
                begun = bool(record.exchanges or record.failures)
                # a model of an earlier run file is not asked an item of a later one
                planned = begun or self._planned(unit)
                if not planned or not record.keys or (several and record.keys[0] in keys):
                    continue
                if several or damaged:
                    keys.update(record.keys)
                self.used += len(record.exchanges)
                self.units += 1
                self.finished += record.following is None
                self.asked += begun
                item = {name: unit.item.get(name) for name in columns}
                rows = [self.columns(item, row) for row in record.rows()]
                yield rows, design.protocol.once(unit.item)
        if damaged:
            yield from self._homeless(keys)

    def _planned(self, unit: Unit) -> bool:
        """Return whether the last run of the log asks a unit."""
        factors = self.log.runs[-1]["factors"] if self.log.runs else {}
        return bool(self.log.runs) and all(
            level in factors.get(name, (level,)) for name, level in unit.factors.items()
        )

    def columns(self, item: Mapping[str, object], row: Mapping[str, object]) -> Cells:
        """Return a row with its item's columns; one whose name the table needs itself is called ``item_NAME``."""
        cells = dict(row)
        for name, value in item.items():
            if name in self._clashes:
                cells[f"item_{name}"] = value
            elif name not in row:
                cells[name] = value
        return cells

    def _homeless(self, keys: Collection[str]) -> Iterator[tuple[list[Cells], bool]]:
        """Yield the answers whose item is damaged in the log: as they are, read by no parser."""
        items = {item.id for design in self.designs for item in design.items}
        for line in self.log.answers():
            if line["key"] in keys or str(line["item_id"]) in items:
                continue
            self.used += 1
            row = {
                "item_id": line["item_id"],
                **line["factors"],
                "replicate": line.get("replicate", 1),
                "answer_status": "unparsed",
                "rule": f"the log has lost the item ({line.get('step')})",
                "reply_status": line["status"],
                "reply_text": line.get("content"),
                **_line_cells(line, PROVENANCE),
                "attempts": 1,
                "last_failure": None,
            }
            yield [row], False


def _clashes(design: RunDesign) -> set[str]:
    """Return the item columns whose names the table needs for something else."""
    cell = {name: levels[0] for name, levels in design.factors.items()}
    clashes = {*OURS} & {name for item in design.items for name in item.columns}
    for item in design.asked:
        unit = Unit(item_id=item.id, item=item.columns, factors=cell)
        row = design.protocol.rows(unit, [])[0]
        shared = row.keys() & item.columns.keys()
        clashes |= {name for name in shared if str(row[name]) != item.columns[name]}
    return clashes


def table_of(log: Log, runfile: Path | None = None) -> LogTable:
    """Return the table of a log.

    Parameters
    ----------
    log
        Open for reading.
    runfile
        A run file to compare the log with. Columns that were not asked about are corrected, new names are adopted, and
        items that it lacks are excluded. What was asked is never changed.

    Raises
    ------
    InputError
        For designs that were put together and ask differently.
    NothingToAnalyse
        For a log without a single attempt.
    """
    if not log.tally.calls:
        if log.damaged:
            lines = f"{count(len(log.damaged), 'line')} cannot be read in full, the first is line {log.damaged[0]}"
            fix = "Restore a copy of the log: each line has a checksum, so that none can be edited"
            raise InputError(f"{log.path.name}: no call can be read: {lines}. {fix}")
        raise NothingToAnalyse(f"{log.path.name}: nothing was asked yet")
    designs = [_with_earlier(run, log.runs) for run in heads_of(log.runs)]
    for design in designs[1:]:
        if changes := list(differences(designs[0], design)):
            fix = (
                "Read each log separately and combine the tables (socialstats join), or remove one of them from the "
                "file. Or ask the same in both, in a new log."
            )
            message = f"runs that ask differently stand in one log: {'; '.join(changes)}"
            raise InputError(Problem(message=message, source=log.path.name, fix=fix))
    table = LogTable(log, designs)
    if len(designs) > 1:
        apart = f"the log holds {len(designs)} runs that were made apart"
        table.notes.append(f"{apart}; every unit is in the table once")
    if runfile is not None:
        table.notes += _compare(table, runfile)
    return table


def _with_earlier(run: Line, runs: Sequence[Line]) -> RunDesign:
    """Return the design of a run with the levels (a model, say) that runs before it asked for and it does not."""
    factors, names = dict(run["factors"]), {*run.get("after", ())}
    for earlier in reversed(runs):
        if earlier["run_id"] in names and earlier["factors"].keys() == factors.keys():
            names |= {*earlier.get("after", ())}
            for name, levels in factors.items():
                factors[name] = list(dict.fromkeys([*levels, *earlier["factors"][name]]))
    return replace(design_of(run), factors=factors)


def _compare(table: LogTable, path: Path) -> list[str]:
    """Take over what a run file corrects, and return what else changed, in words."""
    try:
        present = read_runfile(path).design
    except InputError as error:
        return [f"{path.name} cannot be read, so the table is that of the log alone: {error}"]
    if not table.designs:
        table.designs = [present]
        return []
    if changes := list(differences(table.designs[-1], present)):
        what = f"{path.name} has changed since, and the table holds what was asked"
        return [f"{what}: {'; '.join(changes)}"]
    change = matched(present, table.designs)
    changed = {new.id: old for old, new in change.changed}
    items_before = [item for item in change.design.items if item.id not in change.added]
    by_drawn = {item.drawn: changed.get(item.id, item) for item in items_before}
    designs = []
    for design in table.designs:
        items = [replace(by_drawn.get(item.drawn, item), batch=item.batch) for item in design.items]
        designs.append(replace(design, items=tuple(items)))
    table.designs = designs
    notes = [f"{present.source} since the run: {change}"] if str(change) else []
    if changed:
        texts = f"texts of {present.source} changed since"
        notes.append(f"{texts}; the table holds those that were asked: {quoted([*changed])}")
    return notes


def as_cells(row: Mapping[str, object]) -> Cells:
    """Return a row as a table's cells: texts, numbers and truth values as they are, everything else as JSON.

    What no file of a table can hold becomes a sign in its place, the log keeps it (`parse.printable`).
    """
    return {name: as_cell(value) for name, value in row.items()}


def as_cell(value: object) -> object:
    """Return a value as a table's cell."""
    if value is None or isinstance(value, int | float | bool):
        return value
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return printable(value)

"""From a log to the table of its design: every conversation is replayed on the answers on record, without any call."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from socialstats.errors import InputError, NothingToAnalyse, Problem
from socialstats.text import count, quoted, shorten
from socialstats_collect.ask import Ask, Reply, Unit
from socialstats_collect.design import Item, RunDesign, design_of, differences, heads_of, matched
from socialstats_collect.log import Log, reply_of
from socialstats_collect.parse import VERSION, printable
from socialstats_collect.protocols.base import Source, replay
from socialstats_collect.runfile import read_runfile
from socialstats_collect.tally import CallTally

PROVENANCE = {
    "model_returned": "model_returned",
    "endpoint": "host",
    "system_fingerprint": "system_fingerprint",
    "t_start": "t_start",
    "run_id": "run_id",
}
BY_JUDGE = {f"judge_{name.removeprefix('model_')}": kept for name, kept in PROVENANCE.items()}
OURS = (*PROVENANCE, *BY_JUDGE, "attempts", "last_failure")


Rows = list[dict[str, object]]


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

    def tidied(self) -> Iterator[tuple[Rows, bool]]:
        """Yield each unit's rows, at least one also where no answer came, and whether it is a control text.

        Rows of control texts are a table of their own.
        """
        hurt = bool(self.log.lost or self.log.damaged)
        seen: set[str] = set()
        self.used = self.units = self.asked = self.finished = 0
        self._clashes = {name for one in self.designs for name in _clashes(one)}
        for design in self.designs:
            columns = tuple(dict.fromkeys(name for item in design.items for name in item.columns))
            for unit in design.units():
                lines: dict[str, Mapping[str, Any]] = {}
                exchanges, ask = replay(design.protocol, unit, partial(self._reply, lines))
                begins = exchanges[0][0] if exchanges else ask
                if begins is None or (len(self.designs) > 1 and begins.key in seen):
                    continue
                if hurt or len(self.designs) > 1:
                    seen |= {begins.key, *(one.key for one, _ in exchanges)}
                pending = self.log.entries(ask.key) if ask else []
                if not exchanges and not pending and not self._planned(unit):
                    continue  # a model of an earlier run file, with an item of a later one
                self.used += len(exchanges)
                self.units += 1
                self.finished += ask is None
                self.asked += bool(exchanges or pending)
                item = {name: unit.item.get(name) for name in columns}
                rows = [
                    {**self.columns(item, row), **self._provenance(source, lines, ask, pending)}
                    for row, source in zip(
                        design.protocol.rows(unit, exchanges),
                        design.protocol.sources(unit, exchanges),
                        strict=True,
                    )
                ]
                control = design.protocol.once(unit.item)
                yield rows, control
        if hurt:
            yield from self._homeless(seen)

    def _planned(self, unit: Unit) -> bool:
        return any(
            all(level in run["factors"].get(name, (level,)) for name, level in unit.factors.items())
            for run in self.log.runs[-1:] or ()
        )

    def columns(self, item: Mapping[str, object], row: Mapping[str, object]) -> dict[str, object]:
        """Return a row with its item's columns; one whose name the table needs itself is called ``item_NAME``."""
        return {
            **row,
            **{
                f"item_{name}" if name in self._clashes else name: value
                for name, value in item.items()
                if name not in row or name in self._clashes
            },
        }

    def _reply(self, lines: dict[str, Mapping[str, Any]], key: str) -> Reply | None:
        """Return the first answer on record for a request, and keep its line."""
        if (line := self.log.answer(key)) is not None:
            lines[key] = line
        return None if line is None else reply_of(line)

    def _provenance(
        self,
        source: Source,
        lines: Mapping[str, Mapping[str, Any]],
        ask: Ask | None,
        pending: Sequence[tuple[int, str]],
    ) -> dict[str, object]:
        """Return which lines of the log gave a row: that of its reply, that of its judge, and how many attempts."""
        waits = pending if ask is not None and source.takes(ask) else ()
        found: dict[str, object] = {}
        for exchange, columns in ((source.reply, PROVENANCE), (source.judge, BY_JUDGE)):
            line = lines[exchange[0].key] if exchange else {}
            if source.steps or columns is PROVENANCE:  # only some protocols have judges
                found |= {name: line.get(kept) for name, kept in columns.items()}
        found["attempts"] = sum(len(self.log.entries(one.key)) for one, _ in source.calls) + len(
            waits
        )
        found["last_failure"] = waits[-1][1] if waits and source.reply is None else None
        return found

    def _homeless(self, seen: Collection[str]) -> Iterator[tuple[Rows, bool]]:
        """Yield the answers whose item is damaged in the log: as they are, read by no parser."""
        known = {item.id for one in self.designs for item in one.items}
        for line in self.log.answers():
            if line["key"] not in seen and str(line["item_id"]) not in known:
                row = {
                    "item_id": line["item_id"],
                    **line["factors"],
                    "replicate": line.get("replicate", 1),
                    "answer_status": "unparsed",
                    "rule": f"the log has lost the item ({line.get('step')})",
                    "reply_status": line["status"],
                    "reply_text": line.get("content"),
                    **{name: line.get(kept) for name, kept in PROVENANCE.items()},
                    "attempts": 1,
                    "last_failure": None,
                }
                self.used += 1
                yield [row], False

    def methods(self) -> str:
        """Return a paragraph for a paper's methods section: models as returned, dates, parameters, counts.

        Everything in it comes from the log, once all was tidied.

        Raises
        ------
        InputError
            Where the log has lost its design.
        """
        if not self.designs:
            fix = "Run the run file again with this log: it writes the design anew."
            raise InputError(
                Problem(message="the design cannot be read", source=self.log.path.name, fix=fix)
            )
        design, tally = self.designs[-1], self.log.tally
        settings = design.protocol.settings
        levels = {
            name: list(
                dict.fromkeys(level for one in self.designs for level in one.factors.get(name, ()))
            )
            for name in design.factors
        }

        def asked(models: Sequence[str]) -> str:
            names = sorted(
                {
                    name
                    for kind, one, name in tally.served
                    if kind == "model_returned" and one in models
                }
            )
            return ", ".join(models) + (f" (returned as {', '.join(names)})" if names else "")

        days = sorted(tally.days)
        when = (
            days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else "an unknown day"
        )
        given = (
            ", ".join(f"{name} {value}" for name, value in settings.parameters.items())
            or "the endpoint's defaults"
        )
        factors = "; ".join(
            f"{name}: {', '.join(several)}"
            for name, several in levels.items()
            if name != "model" and len(several) > 1
        )
        said = sum(count for name, count in tally.by_status.items() if name == "blocked")
        parts = [
            f"Responses were collected with socialstats {design.versions.get('socialstats', '')} on {when} "
            f"(protocol {design.protocol.name}).",
            f"Models asked: {asked(levels['model'])}.",
            f"Parameters: {given}.",
            f"Factors: {factors}." if factors else "",
            f"Order of the options: {design.order}, seed {design.seed}."
            if len(design.protocol.orders) > 1
            else "",
            f"Judges: {asked(settings.judges)}." if settings.judges else "",
            f"{count(self.units, 'unit')} planned, {self.asked:,} asked, in "
            f"{count(tally.calls, 'attempt')} that brought {count(tally.answers, 'answer')}"
            + (f", {said:,} of them blocks by a filter." if said else "."),
            f"Replies were read by parser version {VERSION}.",
        ]
        return printable(" ".join(part for part in parts if part))


def _clashes(design: RunDesign) -> set[str]:
    """Return the item columns whose names the table needs for something else."""
    cell = {name: levels[0] for name, levels in design.factors.items()}
    found = set(OURS) & {name for item in design.items for name in item.columns}
    for item in design.asked:
        unit = Unit(item_id=item.id, item=item.columns, factors=cell)
        row = design.protocol.rows(unit, [])[0]
        found |= {
            name for name, value in item.columns.items() if name in row and str(row[name]) != value
        }
    return found


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
        raise NothingToAnalyse(f"{log.path.name}: nothing was asked yet")
    designs = [_with_earlier(run, log.runs) for run in heads_of(log.runs)]
    for other in designs[1:]:
        if said := list(differences(designs[0], other)):
            fix = (
                "Read each log separately and combine the tables (socialstats join), or remove one of them from the "
                "file. Or ask the same in both, in a new log."
            )
            message = f"runs that ask differently stand in one log: {'; '.join(said)}"
            raise InputError(Problem(message=message, source=log.path.name, fix=fix))
    table = LogTable(log, designs)
    if len(designs) > 1:
        table.notes.append(
            f"the log holds {len(designs)} runs that were made apart; every unit is in the table once"
        )
    if runfile is not None:
        _compare(table, runfile)
    return table


def _with_earlier(run: Mapping[str, Any], runs: Sequence[Mapping[str, Any]]) -> RunDesign:
    """Return the design of a run with the levels (a model, say) that runs before it asked for and it does not."""
    design, found, names = design_of(run), dict(run["factors"]), {*run.get("after", ())}
    for other in reversed(runs):
        if other["run_id"] in names and other["factors"].keys() == found.keys():
            names |= {*other.get("after", ())}
            found = {
                name: list(dict.fromkeys([*levels, *other["factors"][name]]))
                for name, levels in found.items()
            }
    return replace(design, factors=found)


def _compare(table: LogTable, path: Path) -> None:
    """Take over what a run file corrects, and say what else changed."""
    try:
        present = read_runfile(path).design
    except InputError as error:
        table.notes.append(
            f"{path.name} cannot be read, so the table is that of the log alone: {error}"
        )
        return
    if not table.designs:
        table.designs = [present]
        return
    if said := list(differences(table.designs[-1], present)):
        table.notes.append(
            f"{path.name} has changed since, and the table holds what was asked: {'; '.join(said)}"
        )
        return
    change = matched(present, table.designs)
    asked = {(new.id): old for old, new in change.changed}
    items = tuple(
        asked.get(item.id, item) for item in change.design.items if item.id not in change.added
    )
    new = {item.drawn: item for item in items}
    table.designs = [_updated(one, new) for one in table.designs]
    if words := str(change):
        table.notes.append(f"{present.source} since the run: {words}")
    if change.changed:
        names = quoted([new.id for _, new in change.changed])
        table.notes.append(
            f"texts of {present.source} changed since; the table holds those that were asked: {names}"
        )


def _updated(design: RunDesign, new: Mapping[str, Item]) -> RunDesign:
    return replace(
        design,
        items=tuple(
            replace(new[item.drawn], batch=item.batch) if item.drawn in new else item
            for item in design.items
        ),
    )


def as_cells(row: Mapping[str, object]) -> dict[str, object]:
    """Return a row as a table's cells: texts, numbers and truth values as they are, everything else as JSON.

    What no file of a table can hold becomes a sign in its place, the log keeps it (`parse.printable`).
    """
    return {
        name: value
        if value is None or isinstance(value, int | float | bool)
        else printable(
            value
            if isinstance(value, str)
            else json.dumps(value, ensure_ascii=False, sort_keys=True)
        )
        for name, value in row.items()
    }


LONGEST_CELL = 40  # characters of a level in the table by cell: a prefix may be a paragraph
KINDS = {"ok": "answered", "corrected": "corrected", "refusal": "refusal", "missing": "missing"}
SHOWN = 100


@dataclass(slots=True)
class Summary:
    """Rows of a table counted by the cells of the design, and the columns that vary.

    Examples
    --------
    >>> summary = Summary(["model"])
    >>> summary.add({"model": "m", "answer_status": "ok"})
    >>> summary.add({"model": "m", "answer_status": "missing"})
    >>> summary.table()[0]["refused"]
    '0% (0% to 50%)'
    """

    factors: Sequence[str]
    rows: int = 0
    _cells: dict[tuple[str, ...], Counter[str]] = field(default_factory=dict)
    _first: dict[str, set[object]] = field(default_factory=dict)

    def add(self, row: Mapping[str, object]) -> None:
        """Count a row."""
        self.rows += 1
        cell = tuple(str(row.get(name, "")) for name in self.factors)
        kind = KINDS.get(str(row.get("answer_status")), "unread")
        self._cells.setdefault(cell, Counter())[
            "blocked" if row.get("reply_status") == "blocked" else kind
        ] += 1
        for name, value in row.items():
            values = self._first.setdefault(name, set())
            if len(values) < 2 and value not in (None, ""):
                values.add(str(value)[:SHOWN])

    def varies(self, name: str) -> bool:
        """Return whether a column holds more than one value, the absent ones aside."""
        return len(self._first.get(name, ())) > 1

    def has(self, name: str) -> bool:
        """Return whether a column holds any value."""
        return bool(self._first.get(name))

    def table(self) -> list[dict[str, object]]:
        """Return counts by cell, and the share refused: of replies, and of all if none or all of the missing were."""
        found = []
        for cell, counts in sorted(self._cells.items()):
            refused, n = counts["refusal"] + counts["blocked"], counts.total()
            there = n - counts["missing"]
            rate = f"{refused / there:.0%}" if there else "-"
            bounds = f"{rate} ({refused / n:.0%} to {(refused + counts['missing']) / n:.0%})"
            answered = counts["answered"] + counts["corrected"]
            kinds = {
                name: counts[name]
                for name in ("corrected", "refusal", "blocked", "unread", "missing")
            }
            found.append(
                {
                    **dict(zip(self.factors, cell, strict=True)),
                    "rows": n,
                    "answered": answered,
                    **kinds,
                    "refused": bounds,
                }
            )
        return found


def as_text(table: Sequence[Mapping[str, object]]) -> str:
    """Return a table of counts as aligned text.

    Examples
    --------
    >>> print(as_text([{"model": "m", "rows": 2000}]))
    model  rows
        m 2,000
    """
    import pandas as pd

    cells = [
        {
            name: f"{one:,}" if isinstance(one, int) else shorten(str(one), LONGEST_CELL)
            for name, one in row.items()
        }
        for row in table
    ]
    return str(pd.DataFrame(cells).to_string(index=False)) if cells else ""


def failures(tally: CallTally) -> list[str]:
    """State how often which failure was met, the most frequent first."""
    return [f"{count:,} x {name}" for name, count in tally.errors.most_common(5)]

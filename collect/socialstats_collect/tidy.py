"""From a log to a table: a pure function. Every conversation is replayed on the answers on record, without any call."""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from socialstats.errors import InputError, NothingToAnalyse, Problem
from socialstats.text import count, shorten
from socialstats_collect.ask import DATA, Reply, Unit
from socialstats_collect.items import Items, units
from socialstats_collect.log import as_line, line_at, placed_lines, reply_of
from socialstats_collect.protocols import protocol_class
from socialstats_collect.protocols.base import CollectionProtocol, Exchange, Settings, replay
from socialstats_collect.tally import Tally

PROVENANCE = ("model_returned", "system_fingerprint", "t_start", "run_id")


@dataclass(slots=True)
class Seen:
    """A unit in the log: where it was first asked, how often in all, and how the last attempt ended."""

    place: int
    attempts: int = 0
    status: str = ""


@dataclass(slots=True)
class Record:
    """An index of a log: answers and units by their places in the file, which stays open.

    Attributes
    ----------
    runs
        The lines that open runs, oldest first.
    answers
        Key to the place of its first answer.
    items, ids
        Identifier to the newest columns of every item; the items of the last run.
    seen
        Units by identity, in order of their first attempt.
    returned, days
        Models as the endpoint named them, and days of the answers, with counts.
    broken
        Numbers of lines that cannot be read.
    """

    descriptor: int
    runs: list[Mapping[str, Any]] = field(default_factory=list)
    answers: dict[bytes, int] = field(default_factory=dict)
    items: dict[str, Mapping[str, str]] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    seen: dict[str, Seen] = field(default_factory=dict)
    returned: Counter[str] = field(default_factory=Counter)
    days: Counter[str] = field(default_factory=Counter)
    broken: list[int] = field(default_factory=list)

    def line(self, key: str) -> dict[str, Any] | None:
        """Return the line of the first answer to a request."""
        place = self.answers.get(bytes.fromhex(key))
        return None if place is None else self.at(place)

    def reply(self, key: str) -> Reply | None:
        """Return the first answer to a request; a later one never replaces it."""
        line = self.line(key)
        return None if line is None else reply_of(line)

    def at(self, place: int) -> dict[str, Any]:
        """Return the line at a place."""
        line: dict[str, Any] = json.loads(line_at(self.descriptor, place))
        return line

    @property
    def attempts(self) -> int:
        """Attempts on record."""
        return sum(unit.attempts for unit in self.seen.values())


@contextlib.contextmanager
def opened_record(path: Path) -> Iterator[Record]:
    """Open a log for reading.

    Raises
    ------
    InputError
        For a file that is not there, or is not a log of this package.
    NothingToAnalyse
        For a log without a single attempt.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError as error:
        raise InputError(Problem(message=error.strerror or "cannot be read", source=path.name)) from None
    try:
        record = Record(descriptor)
        for number, place, text in placed_lines(descriptor):
            line = as_line(text)
            if line is None:
                record.broken.append(number)
            else:
                _take(record, line, place)
        if not record.ids:
            fix = "Is this a log of socialstats collect? Logs of other harnesses: socialstats convert."
            raise InputError(Problem(message="no line says how the run was made", source=path.name, fix=fix))
        if not record.seen:
            raise NothingToAnalyse(f"{path.name}: nothing was asked yet")
        yield record
    finally:
        os.close(descriptor)


def _take(record: Record, line: dict[str, Any], place: int) -> None:
    if line.get("type") == "run":
        record.runs.append(line)
        record.items.update(line.get("rows", ()))
        record.ids = [one for one, _ in line["rows"]] if "rows" in line else record.ids
        return
    key, status = bytes.fromhex(line["key"]), str(line["status"])
    identity = unit_of(line, {}).identity
    seen = record.seen.setdefault(identity, Seen(place))
    seen.attempts += 1
    seen.status = status
    if status in DATA and key not in record.answers:
        record.answers[key] = place
        record.returned[str(line.get("model_returned") or line.get("model_requested"))] += 1
        record.days[str(line.get("t_start"))[:10]] += 1


def unit_of(line: Mapping[str, Any], items: Mapping[str, Mapping[str, str]]) -> Unit:
    """Return the unit that a line of the log is about."""
    return Unit(
        item_id=str(line["item_id"]),
        item=items.get(str(line["item_id"]), {}),
        factors=line["factors"],
        replicate=int(line.get("replicate", 1)),
    )


def protocol_of(run: Mapping[str, Any]) -> CollectionProtocol:
    """Return the protocol that a run's line describes."""
    settings = Settings(
        texts=run["texts"],
        system=run.get("system", ""),
        parameters=run.get("parameters", {}),
        judges=tuple(run.get("judges", ())),
        judge_parameters=run.get("judge_parameters", {}),
        options=run.get("options", {}),
    )
    return protocol_class(str(run["protocol"]))(settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidied:
    """A unit that was begun, with its rows of the table.

    Attributes
    ----------
    control
        A control text, whose rows are a table of their own.
    finished
        Nothing is left to ask.
    planned
        The last version of the run file asks for it.
    """

    rows: list[dict[str, object]]
    control: bool
    finished: bool
    planned: bool


def tidied(record: Record) -> Iterator[Tidied]:
    """Yield every unit that was asked, in the order of the design: at least one row, also where no answer came."""
    protocol = protocol_of(record.runs[-1])
    plan = planned(record, protocol)
    left = (unit_of(record.at(seen.place), record.items) for name, seen in record.seen.items() if name not in plan)
    for unit in (*plan.values(), *left):
        exchanges, ask = replay(protocol, unit, record.reply)
        seen = record.seen.get(unit.identity)
        if seen is None and not exchanges:
            continue
        more = {**_provenance(record, exchanges), "attempts": seen.attempts if seen else 0}
        if seen and not exchanges:
            more["last_failure"] = seen.status
        rows = [
            {**row, **{name: value for name, value in unit.item.items() if name not in row}, **more}
            for row in protocol.rows(unit, exchanges)
        ]
        yield Tidied(rows=rows, control=protocol.once(unit.item), finished=ask is None, planned=unit.identity in plan)


def tidy_rows(record: Record) -> Iterator[dict[str, object]]:
    """Yield the rows of the table; control texts have a table of their own."""
    return (row for one in tidied(record) if not one.control for row in one.rows)


def planned(record: Record, protocol: CollectionProtocol) -> dict[str, Unit]:
    """Return the units that the last run plans, by identity."""
    run, rows = record.runs[-1], tuple(record.items[one] for one in record.ids)
    items = Items(rows=rows, ids=tuple(record.ids), columns=(), source=run["items"], sha256=run["items_sha256"])
    made = units(items, run["factors"], replicates=run["replicates"], order=run["order"], orders=protocol.orders,
                 seed=run["seed"], once=protocol.once)  # fmt: skip
    return {unit.identity: unit for unit in made}


def _provenance(record: Record, exchanges: list[Exchange]) -> dict[str, object]:
    line = record.line(exchanges[0][0].key) if exchanges else None
    return {name: (line or {}).get(name) for name in PROVENANCE}


def as_cell(value: object) -> object:
    """Return a value as a table's cell: texts, numbers and truth values as they are, everything else as JSON.

    Half characters (lone surrogates), which no file of a table can hold, become question marks; the log keeps them.
    """
    if value is None or isinstance(value, int | float | bool):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text.encode("utf-8", "replace").decode()


LONGEST_CELL = 40  # characters of a level in the table by cell: a prefix may be a paragraph
COLUMNS = ("answered", "refusal", "unread", "missing")


def by_cell(rows: Iterable[Mapping[str, object]], factors: Sequence[str]) -> list[dict[str, object]]:
    """Count a table's rows by the cells of the design.

    Examples
    --------
    >>> rows = [{"model": "m", "answer_status": "ok"}, {"model": "m", "answer_status": "refusal"}]
    >>> by_cell(rows, ["model"])
    [{'model': 'm', 'rows': 2, 'answered': 1, 'refusal': 1, 'unread': 0, 'missing': 0}]
    """
    counts: dict[tuple[str, ...], Counter[str]] = {}
    for row in rows:
        cell = tuple(str(row.get(name, "")) for name in factors)
        counts.setdefault(cell, Counter())[_kind(str(row.get("answer_status")))] += 1
    return [
        {**dict(zip(factors, cell, strict=True)), "rows": found.total(), **{name: found[name] for name in COLUMNS}}
        for cell, found in sorted(counts.items())
    ]


def _kind(status: str) -> str:
    return {"ok": "answered", "refusal": "refusal", "missing": "missing"}.get(status, "unread")


def as_text(table: Sequence[Mapping[str, object]]) -> str:
    """Return a table of counts as aligned text.

    Examples
    --------
    >>> print(as_text([{"model": "m", "rows": 2}]))
    model  rows
    m         2
    """
    if not table:
        return ""
    names = list(table[0])
    cells = [names, *([_cell(row[name]) for name in names] for row in table)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(names))]
    right = [isinstance(table[0][name], int) for name in names]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in cells
    )


def _cell(value: object) -> str:
    text = f"{value:,}" if isinstance(value, int) else shorten(str(value), LONGEST_CELL)
    return "".join(character if character.isprintable() else "?" for character in text)


def failures(tally: Tally) -> list[str]:
    """Say how often which failure was met, the most frequent first."""
    return [f"{count:,} x {name}" for name, count in tally.errors.most_common(5)]


def methods(record: Record) -> str:
    """Return a paragraph for a paper's methods section: models as returned, dates, parameters, counts.

    Everything in it comes from the log.
    """
    run = record.runs[-1]
    models = ", ".join(str(model) for model in run["factors"]["model"])
    asked = len(record.seen.keys() & planned(record, protocol_of(run)))
    returned = ", ".join(sorted(record.returned))
    days = sorted(record.days)
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else "an unknown day"
    given = ", ".join(f"{name} {value}" for name, value in run["parameters"].items()) or "the endpoint's defaults"
    factors = "; ".join(
        f"{name}: {', '.join(str(level) for level in levels)}"
        for name, levels in run["factors"].items()
        if name != "model" and len(levels) > 1
    )
    parts = [
        f"Responses were collected with socialstats {run['versions'].get('socialstats', '')} on {when} "
        f"(protocol {run['protocol']}).",
        f"Models asked: {models}" + (f" (returned as {returned})" if returned else "") + ".",
        f"Parameters: {given}.",
        f"Factors: {factors}." if factors else "",
        f"Order of the options: {run['order']}, seed {run['seed']}." if run["orders"] > 1 else "",
        f"Judges: {', '.join(run['judges'])}." if run.get("judges") else "",
        f"{count(run['n_units'], 'unit')} planned, {asked:,} asked, in "
        f"{count(record.attempts, 'attempt')} that brought {count(len(record.answers), 'answer')}.",
        f"Replies were read by parser version {run['parser_version']}.",
    ]
    return " ".join(part for part in parts if part)

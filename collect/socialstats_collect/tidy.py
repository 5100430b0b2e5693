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
from socialstats_collect.log import as_line, line_at, placed_lines, reply_of
from socialstats_collect.protocols import make_protocol
from socialstats_collect.protocols.base import CollectionProtocol, Exchange, Settings
from socialstats_collect.tally import Tally

PROVENANCE = ("model_returned", "system_fingerprint", "t_start", "run_id")


@dataclass(slots=True)
class Seen:
    """A unit in the log: where its newest item stands, how often it was asked, and how the last attempt ended."""

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
        if not record.runs:
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
        return
    key, status = bytes.fromhex(line["key"]), str(line["status"])
    identity = unit_of(line).identity
    seen = record.seen.setdefault(identity, Seen(place))
    if "item" in line:
        seen.place = place
    seen.attempts += 1
    seen.status = status
    if status in DATA and key not in record.answers:
        record.answers[key] = place
        record.returned[str(line.get("model_returned") or line.get("model_requested"))] += 1
        record.days[str(line.get("t_start"))[:10]] += 1


def unit_of(line: Mapping[str, Any]) -> Unit:
    """Return the unit that a line of the log is about."""
    return Unit(
        item_id=str(line["item_id"]),
        item=line.get("item", {}),
        factors=line["factors"],
        replicate=int(line.get("replicate", 1)),
    )


def protocol_of(run: Mapping[str, Any]) -> CollectionProtocol:
    """Return the protocol that a run's line describes."""
    settings = Settings(
        template=run.get("template", ""),
        system=run.get("system", ""),
        parameters=run.get("parameters", {}),
        judges=tuple(run.get("judges", ())),
        judge_parameters=run.get("judge_parameters", {}),
        options=run.get("options", {}),
    )
    return make_protocol(str(run["protocol"]), settings)


def tidy_rows(record: Record) -> Iterator[dict[str, object]]:
    """Yield the rows of the table: at least one a unit that was asked, also where no answer came."""
    protocol = protocol_of(record.runs[-1])
    for seen in record.seen.values():
        unit = unit_of(record.at(seen.place))
        exchanges = replay(protocol, unit, record)
        more = {**_provenance(record, exchanges), "attempts": seen.attempts}
        if not exchanges:
            more["last_failure"] = seen.status
        for row in protocol.rows(unit, exchanges):
            columns = {name: value for name, value in unit.item.items() if name not in row}
            yield {**row, **columns, **more}


def replay(protocol: CollectionProtocol, unit: Unit, record: Record) -> list[Exchange]:
    """Return a unit's requests and replies as far as the record goes."""
    conversation = protocol.conversation(unit)
    exchanges: list[Exchange] = []
    ask = next(conversation, None)
    while ask is not None:
        reply = record.reply(ask.key)
        if reply is None:
            break
        exchanges.append((ask, reply))
        try:
            ask = conversation.send(reply)
        except StopIteration:
            break
    return exchanges


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
    asked = ", ".join(str(model) for model in run["factors"]["model"])
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
        f"Models asked: {asked}" + (f" (returned as {returned})" if returned else "") + ".",
        f"Parameters: {given}.",
        f"Factors: {factors}." if factors else "",
        f"Order of the options: {run['order']}, seed {run['seed']}." if run["orders"] > 1 else "",
        f"Judges: {', '.join(run['judges'])}." if run.get("judges") else "",
        f"{count(run['n_units'], 'unit')} planned, {len(record.seen):,} asked, in "
        f"{count(record.attempts, 'attempt')} that brought {count(len(record.answers), 'answer')}.",
        f"Replies were read by parser version {run['parser_version']}.",
    ]
    return " ".join(part for part in parts if part)

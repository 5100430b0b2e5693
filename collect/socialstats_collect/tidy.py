"""From a log to a table: a pure function. Every conversation is replayed on the answers on record, without any call."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from socialstats.errors import InputError, NothingToAnalyse, Problem
from socialstats_collect.ask import DATA, Reply, Unit
from socialstats_collect.log import read_lines, reply_of
from socialstats_collect.protocols import make_protocol
from socialstats_collect.protocols.base import CollectionProtocol, Exchange, Settings

PROVENANCE = ("model_returned", "system_fingerprint", "t_start", "run_id")


@dataclass(slots=True)
class Record:
    """What a log holds: its runs, the answers by key, and the units in order of their first attempt."""

    runs: list[Mapping[str, Any]] = field(default_factory=list)
    replies: dict[str, Reply] = field(default_factory=dict)
    provenance: dict[str, dict[str, object]] = field(default_factory=dict)
    units: dict[str, Unit] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)
    last_status: dict[str, str] = field(default_factory=dict)
    broken: list[int] = field(default_factory=list)
    unfinished: bool = False


def read_record(path: Path) -> Record:
    """Return what a log holds.

    Raises
    ------
    InputError
        For a log without a run's line.
    NothingToAnalyse
        For a log without a single attempt.
    """
    record = Record()
    for number, line in read_lines(path):
        if line is None:
            record.broken.append(number)
        elif line.get("type") == "run":
            record.runs.append(line)
        elif line.get("type") == "attempt":
            _take(record, line)
    if not record.runs:
        fix = "Is this a log of socialstats collect? Logs of other harnesses: socialstats convert."
        raise InputError(Problem(message="no line says how the run was made", source=path.name, fix=fix))
    if not record.units:
        raise NothingToAnalyse(f"{path.name}: nothing was asked yet")
    return record


def _take(record: Record, line: Mapping[str, Any]) -> None:
    key = str(line["key"])
    unit = Unit(
        item_id=str(line["item_id"]),
        item=line.get("item", {}),
        factors=line.get("factors", {}),
        replicate=int(line.get("replicate", 1)),
    )
    identity = unit.identity
    if line.get("item") or identity not in record.units:
        record.units[identity] = unit
    record.attempts[identity] = record.attempts.get(identity, 0) + 1
    record.last_status[identity] = str(line["status"])
    if line["status"] in DATA and key not in record.replies:
        record.replies[key] = reply_of(dict(line))
        record.provenance[key] = {name: line.get(name) for name in PROVENANCE}


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
    """Yield the rows of the table: at least one a unit that was asked, also where no answer came.

    The first answer on record for a request is the one that counts, never a later one.
    """
    protocol = protocol_of(record.runs[-1])
    for identity, unit in record.units.items():
        exchanges = replay(protocol, unit, record.replies)
        more = _provenance(record, identity, exchanges)
        for row in protocol.rows(unit, exchanges):
            yield {**row, **_columns(unit, row), **more}


def replay(protocol: CollectionProtocol, unit: Unit, replies: Mapping[str, Reply]) -> list[Exchange]:
    """Return a unit's requests and replies as far as the record goes."""
    conversation = protocol.conversation(unit)
    exchanges: list[Exchange] = []
    ask = next(conversation, None)
    while ask is not None:
        reply = replies.get(ask.key)
        if reply is None:
            break
        exchanges.append((ask, reply))
        try:
            ask = conversation.send(reply)
        except StopIteration:
            break
    return exchanges


def _columns(unit: Unit, row: Mapping[str, object]) -> dict[str, object]:
    """The item's own columns, without overwriting what the protocol says."""
    return {name: value for name, value in unit.item.items() if name not in row}


def _provenance(record: Record, identity: str, exchanges: list[Exchange]) -> dict[str, object]:
    first = record.provenance[exchanges[0][0].key] if exchanges else dict.fromkeys(PROVENANCE)
    failed = None if exchanges else record.last_status[identity]
    return {**first, "attempts": record.attempts[identity], "last_failure": failed}


def as_cell(value: object) -> object:
    """Return a value as a table's cell: texts, numbers and truth values as they are, everything else as JSON."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True)

"""Before and after a run: what is missing, whether the log belongs to this run file, and what is written on top of it."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from socialstats.errors import InputError, Problem
from socialstats_collect.ask import DATA, Unit, digest
from socialstats_collect.log import Log, read_lines
from socialstats_collect.parse import VERSION
from socialstats_collect.run import all_units
from socialstats_collect.runfile import RunFile
from socialstats_collect.tally import Tally

TOKEN_CHARACTERS = 4  # a usual estimate for English text; other scripts need more tokens
SAME = ("protocol", "options", "template", "system", "parameters", "judges", "judge_parameters")
SHOWN = 20


@dataclass(slots=True)
class Work:
    """What a run file asks for: units, those whose first answer is on record, and a rough number of tokens to send."""

    units: int = 0
    begun: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


def survey(runfile: RunFile, answered: frozenset[str] | Any) -> Work:
    """Walk through the whole design once, without any call.

    Parameters
    ----------
    runfile
        The run file.
    answered
        Function of a key that says whether its answer is on record.

    Raises
    ------
    InputError
        Where two units ask the very same thing: both are named.
    """
    work, seen, problems = Work(), {}, []  # type: tuple[Work, dict[bytes, int], list[Problem]]
    for place, unit in enumerate(all_units(runfile)):
        ask = next(runfile.protocol.conversation(unit), None)
        if ask is None:
            continue
        work.units += 1
        key = bytes.fromhex(ask.key)
        if key in seen:
            problems.append(_twice(runfile, seen[key], unit))
            if len(problems) > SHOWN:
                break
        seen.setdefault(key, place)
        if answered(ask.key):
            work.begun += 1
            continue
        work.prompt_tokens += sum(len(message["content"]) for message in ask.messages) // TOKEN_CHARACTERS
        most = ask.parameters.get("max_tokens", ask.parameters.get("max_completion_tokens", 0))
        work.completion_tokens += most if isinstance(most, int) else 0
    if problems:
        raise InputError(problems)
    return work


def _twice(runfile: RunFile, first: int, unit: Unit) -> Problem:
    earlier = next(one for place, one in enumerate(all_units(runfile)) if place == first)
    return Problem(
        message=f"'{unit.name}' asks the very same as '{earlier.name}'",
        source=runfile.items.source,
        fix="Take one of them out; to ask a question more than once, use replicates.",
    )


def header(runfile: RunFile, run_id: str, n_units: int) -> dict[str, Any]:
    """Return the line that opens a run in its log: enough to read the log without the run file; no key, no secret."""
    settings = runfile.settings
    return {
        "type": "run",
        "run_id": run_id,
        "started": datetime.now(UTC).isoformat(),
        "protocol": runfile.protocol.name,
        "options": dict(settings.options),
        "template": settings.template,
        "system": settings.system,
        "parameters": dict(settings.parameters),
        "judges": list(settings.judges),
        "judge_parameters": dict(settings.judge_parameters),
        "factors": {name: list(levels) for name, levels in runfile.factors.items()},
        "order": runfile.order,
        "replicates": runfile.replicates,
        "seed": runfile.seed,
        "n_units": n_units,
        "run_file": runfile.name,
        "items": runfile.items.source,
        "items_sha256": runfile.items.sha256,
        "parser_version": VERSION,
        "versions": versions(),
    }


def versions() -> Mapping[str, str]:
    """Return the versions of what makes the requests."""
    found = {"python": platform.python_version()}
    for name in ("socialstats", "openai"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def belongs(log: Log, line: Mapping[str, Any]) -> list[str]:
    """Check that a log was begun by the same questions; return what changed without harm.

    Raises
    ------
    InputError
        Where protocol, prompt or parameters differ: their answers would mix in one table.
    """
    if not log.runs:
        return []
    before = log.runs[-1]
    different = [name for name in SAME if digest(before.get(name)) != digest(line[name])]
    if different:
        was = "; ".join(f"{name} was {_short(before.get(name))}, is {_short(line[name])}" for name in different)
        fix = "Give the changed run a log of its own (-o)."
        raise InputError(
            Problem(message=f"this log was begun with other settings: {was}", source=log.path.name, fix=fix)
        )
    if before.get("items_sha256") != line["items_sha256"]:
        return ["the items changed since the last run: new and changed ones are asked, the table takes the newest text"]
    return []


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) < 60 else text[:57] + "..."


def tally_of(path: Path) -> Tally:
    """Return the counts of everything a log holds."""
    tally = Tally()
    if path.exists():
        for _, line in read_lines(path):
            if line and line.get("type") == "attempt":
                tally.add(line)
    return tally


@dataclass(slots=True)
class Cells:
    """Answers by cell of the design (factors without the item): asked, answered, refused, failed."""

    counts: dict[tuple[tuple[str, str], ...], dict[str, int]] = field(default_factory=dict)

    def add(self, line: Mapping[str, Any]) -> None:
        """Count one attempt."""
        cell = tuple(sorted((str(name), str(level)) for name, level in line.get("factors", {}).items()))
        counts = self.counts.setdefault(cell, {})
        status = str(line.get("status"))
        name = status if status in DATA else "failed attempts"
        counts[name] = counts.get(name, 0) + 1

"""Before a run: what is missing, whether the log belongs to this run file, and the line that opens it."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from socialstats.errors import InputError, Problem
from socialstats_collect.ask import Unit, digest
from socialstats_collect.log import Log
from socialstats_collect.parse import VERSION
from socialstats_collect.run import all_units
from socialstats_collect.runfile import RunFile

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


def survey(runfile: RunFile, answered: Callable[[str], bool]) -> Work:
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
    work = Work()
    seen: dict[bytes, int] = {}
    problems: list[Problem] = []
    for place, unit in enumerate(all_units(runfile)):
        ask = next(runfile.protocol.conversation(unit), None)
        if ask is None:
            continue
        work.units += 1
        key = bytes.fromhex(ask.key)
        if key in seen:
            problems += _twice(runfile, seen[key], unit)
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


def _twice(runfile: RunFile, first: int, unit: Unit) -> list[Problem]:
    """Say that two units ask the same; they may where only the respondent differs, as for texts that judges score."""
    earlier = next(one for place, one in enumerate(all_units(runfile)) if place == first)
    if earlier.item_id == unit.item_id and {**earlier.factors, "model": ""} == {**unit.factors, "model": ""}:
        return []
    fix = "Take one of them out; to ask a question more than once, use replicates."
    return [
        Problem(message=f"'{unit.name}' asks the very same as '{earlier.name}'", source=runfile.items.source, fix=fix)
    ]


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
        "orders": len(runfile.protocol.orders),
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
    import socialstats

    openai = importlib.metadata.version("openai")
    return {"socialstats": socialstats.__version__, "python": platform.python_version(), "openai": openai}


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

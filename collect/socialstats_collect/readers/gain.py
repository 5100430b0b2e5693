"""Answers to norms against goals, one row a scenario and one column a person or a model's run (GAIN).

Actions are comply, deviate and escalate, or their Japanese words. Which columns hold them is told by their values, and
who answered by the names of the columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from socialstats.claims.types import Log, Status
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.text import count
from socialstats_collect.readers.ada_met import PERSON
from socialstats_collect.readers.files import Source, head_of
from socialstats_collect.readers.scenarios import ACTIONS, columns_of, each, named, norms, plain
from socialstats_collect.readers.tabular import Row, frame, row, status_notes, without_long

NAME = "gain"
NEEDS = "a table with goal, situation, norm (or scenario) and several columns of actions (GAIN)"
RUN = re.compile(r"(.+?)[\W_]*(?:run|seed)?[\W_]*(\d+)")


def recognises(source: Source) -> bool:
    """Tell whether this is a wide table of actions."""
    if source.kind not in ("text", "list", "lines"):
        return False
    head = head_of(source.path, 1 << 16).decode("utf-8", "replace").lower()
    if not any(action in head for action in ACTIONS) or not any(name in head for name in ("norm", "scenario")):
        return False
    try:
        columns = columns_of(source)
    except (InputError, NothingToAnalyse):
        return False
    return len(answered(columns)) > 1 and named(columns, "scenario", "scenarioid", "id", "norm") is not None


def answered(columns: Mapping[str, list[str | None]]) -> list[str]:
    """Name the columns whose values are actions."""
    found = []
    for name, values in columns.items():
        held = [value for value in values if value]
        if held and 2 * sum(action(value) is not None for value in held) > len(held):
            found.append(name)
    return found


def action(said: str | None) -> str | None:
    """Return the action that a cell names.

    Examples
    --------
    >>> action(" Comply"), action("逸脱"), action("both")
    ('comply', 'deviate', None)
    """
    return ACTIONS.get((said or "").strip().lower())


def read(source: Source) -> Log:
    """Read a wide table: a row a scenario and answer, with source, rater and action."""
    columns = columns_of(source)
    rows = list(_rows(columns, answered(columns)))
    kept, long = without_long(rows)
    return Log(
        harness=NAME, files=(source.path.name,), rows=frame(kept), notes=(*_notes(rows), *status_notes(rows), *long)
    )


def _rows(columns: Mapping[str, list[str | None]], labels: list[str]) -> Iterator[Row]:
    rest = {name: values for name, values in columns.items() if name not in labels}
    empty: list[str | None] = [None] * len(next(iter(rest.values())))
    filled = {**{name: empty for name in ("goal", "situation", "norm") if named(rest, name) is None}, **rest}
    items, _ = norms(filled)
    for k, (item, own) in enumerate(zip(items, each(rest), strict=True)):
        unit = own.get("scenario") or own.get("scenarioid") or item["scenario"]
        metadata = {"scenario": unit, "domain": item["domain"], "pressure": item["pressure"]}
        for name in labels:
            said = columns[name][k]
            found = action(said)
            person = PERSON.fullmatch(name) is not None
            run = RUN.fullmatch(name)
            who = "human" if person else run[1] if run and _several(run[1], labels) else name
            status: Status = "ok" if found else "unparsed" if said else "missing"
            yield row(
                model="" if person else who, task="norm-goal", unit=unit, scorer="action", value=1.0 if found else None,
                status=status, answer=said, metadata={**metadata, "source": who, "rater": name, "action": found},
            )  # fmt: skip


def _several(stem: str, labels: list[str]) -> bool:
    """Tell whether several columns are runs of one model."""
    return sum(bool((match := RUN.fullmatch(name)) and plain(match[1]) == plain(stem)) for name in labels) > 1


def _notes(rows: list[Row]) -> Iterator[str]:
    people = {str(r["rater"]) for r in rows if r["source"] == "human"}
    models = {str(r["source"]) for r in rows} - {"human"}
    yield f"{count(len(people), 'person', 'people')} and {count(len(models), 'model')} by the names of the columns"
    pressures = {str(r["pressure"]) for r in rows}
    by = " --by pressure" if len(pressures) > 1 else ""
    strata = " --strata domain" if any(r["domain"] for r in rows) else ""
    dropped = "" if all(r["status"] == "ok" for r in rows) else " --where status=ok"
    parts = "--map unit=scenario --map rater=rater --map value=action --map rater_source=source --scale nominal"
    yield f"the converted table is read by: socialstats report TABLE --study norm-goal {parts}{by}{strata}{dropped}"

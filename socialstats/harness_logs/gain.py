"""Answers to norms against goals, one row per scenario and one column per person or a model's run (GAIN).

Actions are comply, deviate and escalate, or their Japanese words. Which columns hold them is told by their values, and
who answered by the names of the columns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from socialstats.designs.vocabulary import ACTIONS
from socialstats.harness_logs.files import Source
from socialstats.harness_logs.log import Log, Status, StudyReading
from socialstats.harness_logs.scenarios import norms
from socialstats.harness_logs.tables import (
    PERSON,
    Columns,
    columns_in,
    columns_of,
    header,
    mostly,
    named,
    plain_name,
)
from socialstats.harness_logs.tabular import Row, log_of, read_by, row
from socialstats.text import count

NEEDS = "a table with goal, situation, norm (or scenario) and several columns of actions (GAIN)"
RUN = re.compile(r"(.+?)[\W_]*(?:run|seed)?[\W_]*(\d+)")
KNOWN = {spelled: name for name, spellings in ACTIONS.items() for spelled in spellings}
MAPPED = "--map unit=scenario --map rater=rater --map value=action --map rater_source=source --scale nominal"


def recognises(source: Source) -> bool:
    """Return whether this is a wide table of actions."""
    key = named(header(source), "scenario", "scenarioid", "norm", "id")
    return key is not None and len(answered(columns_in(source.path))) > 1


def answered(columns: Columns) -> list[str]:
    """Name the columns whose values are actions."""
    return mostly(columns, lambda text: action(text) is not None)


def action(text: str | None) -> str | None:
    """Return the action that a cell names.

    Examples
    --------
    >>> action(" Comply"), action("逸脱"), action("both")
    ('comply', 'deviate', None)
    """
    return KNOWN.get((text or "").strip().lower())


def read(source: Source) -> Log:
    """Read a wide table: one row per scenario and answer, with source, rater and action."""
    columns = columns_of(source.path)
    rows = list(action_rows(columns, answered(columns)))
    return log_of(__name__, source, rows, notes=action_notes(rows))


def action_rows(columns: Columns, labels: list[str]) -> Iterator[Row]:
    """Yield a row for each scenario and column of actions."""
    about = {name: values for name, values in columns.items() if name not in labels}
    sources = sources_of_columns(labels)
    for k, item in enumerate(norms(about)):
        metadata = {
            "scenario": item["scenario"],
            "domain": item["domain"],
            "pressure": item["pressure"],
        }
        for name in labels:
            text, who = columns[name][k], sources[name]
            name_of_action = action(text)
            status: Status = "ok" if name_of_action else "unparsed" if text else "missing"
            yield row(
                model="" if who == "human" else who,
                task="norm-goal",
                unit=item["scenario"],
                scorer="action",
                score=(1.0, status),
                answer=text,
                metadata={**metadata, "source": who, "rater": name, "action": name_of_action},
            )


def sources_of_columns(labels: list[str]) -> dict[str, str]:
    """Return who answered in each column: people, or a model; several columns may be runs of one model."""
    runs = {name: match[1] for name in labels if (match := RUN.fullmatch(name))}
    several = Counter(plain_name(stem) for stem in runs.values())
    sources = {name: stem if several[plain_name(stem)] > 1 else name for name, stem in runs.items()}
    return {name: "human" if PERSON.fullmatch(name) else sources.get(name, name) for name in labels}


def action_notes(rows: list[Row]) -> Iterator[str | StudyReading]:
    """Yield who answered, and how a study reads the rows."""
    people = {r["rater"] for r in rows if r["source"] == "human"}
    models = {r["source"] for r in rows} - {"human"}
    yield f"{count(len(people), 'person', 'people')} and {count(len(models), 'model')} by the names of the columns"
    by = " --by pressure" if len({r["pressure"] for r in rows}) > 1 else ""
    strata = " --strata domain" if any(r["domain"] for r in rows) else ""
    yield read_by(rows, "norm-goal", f"{MAPPED}{by}{strata}")

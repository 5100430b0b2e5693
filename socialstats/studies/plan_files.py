"""Plan files: what will be analysed and how, written down before it is done."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from socialstats.designs.aliases import Fields, Pair
from socialstats.designs.settings import (
    BESIDE,
    COMPUTED,
    HOLDS,
    READ,
    REASONS,
    Setting,
    Settings,
)
from socialstats.errors import InputError, Problem
from socialstats.tables.toml_files import Allowed, problem_in, read_toml, toml_value, wrong_keys
from socialstats.text import meant, shorten

if TYPE_CHECKING:
    from socialstats.studies.declared.declaration import Declaration

STATUSES = ("exploratory", "confirmatory")


def holds(settings: Iterable[Setting], *without: str) -> Allowed:
    """Return what the keys of settings may hold."""
    return {one.key: HOLDS[one.kind] for one in settings if one.key not in without}


KEYS: dict[str, Allowed] = {
    "study": {
        "name": str,
        "title": str,
        "status": STATUSES,
        "registered": str,
        "data_seen": bool,
        "simulated": bool,
    },
    "data": {
        **holds((*READ, *BESIDE), "weights"),
        "file": str,
        "range": object,  # the study checks it
        "exclude": object,  # rows with their reasons, which have a reader
    },
    "inference": {**holds(COMPUTED, "study"), "weights": str},
    "hypothesis": {
        "id": str,
        "text": str,
        "metric": str,
        "question": str,
        "terms": [str],
        "group": str,
        "by": str,
        "minus": str,
        "alternative": ("two-sided", "greater", "less"),
        "smallest_effect": float,
        "sesoi": float,
        "family": str,
        "status": STATUSES,
    },
}
NEEDED = dict.fromkeys(("id", "metric"), "A hypothesis has an id, a metric, and best a text")
SIMULATED = "These data are simulated."


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A plan as read.

    Attributes
    ----------
    name, text, sha256 : str
        File name, content, and hash of its bytes.
    values : mapping of str to value
        The keys of all sections in one mapping; ``study`` for the study's name, ``reasons`` for those of exclusions.
    hypotheses : tuple of mapping
        One for each ``[[hypothesis]]``, with its keys as read.
    own : Declaration or None
        The study that the file declares, where it asks questions of its own.
    """

    name: str = ""
    text: str = ""
    sha256: str = ""
    values: Settings = field(default_factory=dict)
    hypotheses: tuple[Settings, ...] = ()
    own: Declaration | None = None


def read_plan(path: str) -> Plan:
    """Read and check a plan file.

    Raises
    ------
    InputError
        For broken TOML, unknown sections and keys, values of the wrong kind, and a file that plans nothing.
    """
    # no other page has a study of its own
    from socialstats.studies.declared.reading import SECTIONS, read_declaration

    raw, content = read_toml(path)
    if "protocol" in content and content.keys().isdisjoint((*KEYS, *SECTIONS)):
        fix = f"Make a study of it: socialstats new {path} -o study.toml"
        message = "this is a run file of 'socialstats collect', and no study or plan"
        raise InputError(Problem(source=path, message=message, fix=fix))
    text = raw.decode("utf-8-sig")
    reader = PlanReader(path, text, SECTIONS)
    for section, entries in content.items():
        if section not in SECTIONS:
            reader.section(section, entries)
    own = None
    if any(section in content for section in SECTIONS):
        try:
            own = read_declaration(content, reader.values, path, text)
        except InputError as error:
            reader.problems += error.problems
    elif not (reader.problems or reader.values or reader.hypotheses):
        reader.problems.append(
            Problem(
                source=path,
                message="this file plans nothing: it has no key of [study], [data] or [inference], "
                "and no [[hypothesis]]",
                fix="'socialstats init TABLE' writes a plan to start from",
            )
        )
    if reader.problems:
        raise InputError(reader.problems)
    return Plan(
        name=Path(path).name,
        text=text,
        sha256=hashlib.sha256(raw).hexdigest(),
        values=reader.values,
        hypotheses=tuple(reader.hypotheses),
        own=own,
    )


class PlanReader:
    """What a plan holds, and everything that is wrong with it."""

    def __init__(self, path: str, text: str, declared: Collection[str]) -> None:
        self.path, self.text, self.declared = path, text, declared
        self.problems: list[Problem] = []
        self.values: Fields = {}
        self.hypotheses: list[Fields] = []

    def note(self, section: str, message: str, fix: str = "", nth: int = 0, of: int = 1) -> None:
        """Note a problem, with its line."""
        self.problems.append(problem_in(self.path, self.text, section, message, fix, nth, of))

    def section(self, section: str, entries: Any) -> None:
        """Read a section; the name of the study is its key ``study``."""
        if section == "hypothesis":
            self.all_hypotheses(entries)
            return
        if section not in KEYS or not isinstance(entries, dict):
            known = (*KEYS, *self.declared)
            fix = meant(section, known).strip() or f"Known: {', '.join(known)}"
            self.note(section, f"unknown section [{shorten(section)}]", fix)
            return
        for problem in wrong_keys(entries, KEYS[section]):
            self.note(section, f"{problem.message} (in [{section}])", problem.fix)
        for key, value in entries.items():
            if (section, key) == ("data", "exclude"):
                value = self.exclusions(value if isinstance(value, list) else [value])
            self.values["study" if (section, key) == ("study", "name") else key] = value

    def exclusions(self, entries: list[Any]) -> list[str]:
        """Return the exclusions as ``column=value``, and keep their reasons."""
        rows: list[str] = []
        for entry in entries:
            keys = entry if isinstance(entry, dict) else {"rows": entry}
            rule, reason = keys.get("rows"), keys.get("reason", "")
            texts = isinstance(rule, str) and "=" in rule and isinstance(reason, str)
            if not (texts and {*keys} <= {"rows", "reason"}):
                fix = 'Write "column=value", or {rows = "column=value", reason = "why"}'
                self.note("data", f"exclude: {entry!r} names no rows (in [data])", fix)
                continue
            rows.append(str(rule))
            if reason:
                self.values.setdefault(REASONS, {})[rule] = reason
        return rows

    def all_hypotheses(self, entries: Any) -> None:
        """Read the hypotheses, each with an id of its own."""
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            self.note("hypothesis", "hypotheses are written [[hypothesis]], in double brackets")
            return
        for nth, entry in enumerate(entries):
            name = entry.get("id") or f"number {nth + 1}"
            for message, fix in self.wrong_in_hypothesis(entry):
                said = f"{message} (in [[hypothesis]] {name})"
                self.note("hypothesis", said, fix, nth, len(entries))
            renamed = {"sesoi": "smallest_effect"}
            self.hypotheses.append({renamed.get(key, key): entry[key] for key in entry})

    def wrong_in_hypothesis(self, entry: Fields) -> Iterator[Pair]:
        """Yield what is wrong with a hypothesis, and its cure."""
        needed = {"id": NEEDED["id"]} if "question" in entry else NEEDED
        for problem in wrong_keys(entry, KEYS["hypothesis"], needed=needed):
            yield problem.message, problem.fix
        if any(other.get("id") == entry.get("id") for other in self.hypotheses):
            yield "another hypothesis has this id", ""
        if "sesoi" in entry and "smallest_effect" in entry:
            yield "sesoi and smallest_effect are one thing", "Give one of them"
        for key in ("smallest_effect", "sesoi"):
            size = entry.get(key)
            if isinstance(size, int | float) and not 0 < size < float("inf"):
                yield f"{key} = {size!r} is not a size", "Write a number above 0"


def write_plan(sections: Mapping[str, Settings], comments: Mapping[str, str]) -> str:
    """Return a plan as TOML text, with a comment above each section.

    Examples
    --------
    >>> print(write_plan({"study": {"name": "comparisons"}}, {"study": "What is asked."}))
    # What is asked.
    [study]
    name = "comparisons"
    """
    parts = []
    for section, entries in sections.items():
        lines = [f"# {line}" for line in comments.get(section, "").split("\n") if line]
        lines.append(f"[{section}]")
        lines += [
            f"{key} = {toml_value(value)}"
            for key, value in entries.items()
            if value not in (None, [], {})
        ]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def load_plan(path: str | None) -> Plan:
    """Read the plan, or return an empty one."""
    return read_plan(path) if path else Plan()

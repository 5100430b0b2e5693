"""Plan files: what will be analysed and how, written down before it is done."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from socialstats.designs.aliases import Fields
from socialstats.designs.settings import (
    BESIDE,
    COMPUTED,
    READ,
    REASONS,
    TYPES,
    Settings,
)
from socialstats.errors import InputError, Problem
from socialstats.tables.toml_files import PLAIN, read_toml, toml_value
from socialstats.text import meant

if TYPE_CHECKING:
    from socialstats.studies.declared.declaration import Declaration

KEYS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "study": {
        "name": str,
        "title": str,
        "status": str,
        "registered": str,
        "data_seen": bool,
        "simulated": bool,
    },
    "data": {"file": str, "range": list}
    | {one.key: TYPES[one.kind] for one in (*READ, *BESIDE) if one.key != "weights"},
    "inference": {one.key: TYPES[one.kind] for one in COMPUTED if one.key != "study"}
    | {"weights": str},
    "hypothesis": {
        "id": str,
        "text": str,
        "metric": str,
        "question": str,
        "terms": (str, list),
        "group": str,
        "by": str,
        "minus": str,
        "alternative": str,
        "smallest_effect": float,
        "sesoi": float,
        "family": str,
        "status": str,
    },
}
STATUSES = ("exploratory", "confirmatory")
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
    found = _Reading(path, SECTIONS)
    for section, entries in content.items():
        if section not in SECTIONS:
            found.section(section, entries)
    text = raw.decode("utf-8-sig")
    own = None
    if any(section in content for section in SECTIONS):
        try:
            own = read_declaration(content, found.values, path, text)
        except InputError as error:
            found.problems += error.problems
    elif not content or not (found.problems or found.values or found.hypotheses):
        found.wrong(
            "this file plans nothing: it has no key of [study], [data] or [inference], and no [[hypothesis]]",
            "'socialstats init TABLE' writes a plan to start from",
        )
    if found.problems:
        raise InputError(found.problems)
    digest = hashlib.sha256(raw).hexdigest()
    return Plan(
        name=Path(path).name,
        text=text,
        sha256=digest,
        values=found.values,
        hypotheses=tuple(found.hypotheses),
        own=own,
    )


class _Reading:
    """What a plan holds, and everything that is wrong with it."""

    def __init__(self, path: str, sections: Collection[str]) -> None:
        self.path = path
        self.sections = sections
        self.problems: list[Problem] = []
        self.values: Fields = {}
        self.hypotheses: list[Fields] = []

    def wrong(self, message: str, fix: str = "") -> None:
        self.problems.append(Problem(source=self.path, message=message, fix=fix))

    def unknown(self, what: str, word: str, section: str | None = None) -> None:
        sections = (*KEYS, *self.sections)
        known = [name for name in (KEYS[section] if section else sections) if name != "sesoi"]
        self.wrong(f"unknown {what}", meant(word, known).strip() or f"Known: {', '.join(known)}")

    def section(self, section: str, entries: Any) -> None:
        if section == "hypothesis":
            self.all_hypotheses(entries)
        elif section not in KEYS or not isinstance(entries, dict):
            self.unknown(f"section [{section}]", section)
        else:
            for key, value in entries.items():
                if key == "exclude" and section == "data" and isinstance(value, list):
                    value = self.exclusions(value)
                self.check(f"[{section}]", section, key, value)
                self.values["study" if (section, key) == ("study", "name") else key] = value

    def check(self, place: str, section: str, key: str, value: Any) -> None:
        """Complain of a key that is unknown, or whose value is of another kind."""
        if key not in KEYS[section]:
            self.unknown(f"key '{key}' in {place.removesuffix(':')}", key, section)
            return
        kind = KEYS[section][key]
        kinds = kind if isinstance(kind, tuple) else (kind,)
        inside = (
            value
            if isinstance(value, list)
            else flat(v for part, v in value.items() if part != "repeat" or v is not True)
            if isinstance(value, dict)
            else ()
        )
        if key == "range" and section == "data":
            inside = ()  # two numbers, which the study checks
        if not all(isinstance(v, str) for v in inside):
            wanted = (
                "is not a list of texts"
                if isinstance(value, list)
                else "does not map parts to columns"
            )
        elif isinstance(value, (*kinds, int) if float in kinds else kinds) and isinstance(
            value, bool
        ) == (kind is bool):
            return
        else:
            wanted = f"is not {' or '.join(PLAIN[k] for k in kinds)}"
        self.wrong(f"{place} {key} = {value!r} {wanted}")

    def exclusions(self, entries: list[Any]) -> list[str]:
        """Return the exclusions as ``column=value``, and keep their reasons."""
        rows: list[str] = []
        for entry in entries:
            known = isinstance(entry, dict) and set(entry) <= {"rows", "reason"} and "rows" in entry
            told = entry if known else {"rows": entry}
            rule, reason = told["rows"], told.get("reason", "")
            if not isinstance(rule, str) or not isinstance(reason, str) or "=" not in rule:
                self.wrong(
                    f"[data] exclude: {entry!r} names no rows",
                    'Write "column=value", or {rows = "column=value", reason = "why"}',
                )
                continue
            rows.append(rule)
            if reason:
                self.values.setdefault(REASONS, {})[rule] = reason
        return rows

    def all_hypotheses(self, entries: Any) -> None:
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            self.wrong("hypotheses are written [[hypothesis]], in double brackets")
            return
        for k, entry in enumerate(entries, 1):
            self.hypothesis(entry, str(entry.get("id") or f"number {k}"))

    def hypothesis(self, entry: Fields, name: str) -> None:
        where = f"[[hypothesis]] {name}:"
        for key, value in entry.items():
            self.check(where, "hypothesis", key, value)
        needed = ("id",) if "question" in entry else ("id", "metric")
        missing = [key for key in needed if not entry.get(key)]
        if missing:
            self.wrong(
                f"{where} {missing[0]} is missing",
                "A hypothesis has an id, a metric, and best a text",
            )
        if any(other.get("id") == entry.get("id") for other in self.hypotheses):
            self.wrong(f"{where} another hypothesis has this id")
        if "sesoi" in entry and "smallest_effect" in entry:
            self.wrong(f"{where} sesoi and smallest_effect are one thing: give one of them")
        named = {
            "smallest_effect" if key == "sesoi" else key: value for key, value in entry.items()
        }
        if isinstance(named.get("smallest_effect"), int | float) and not 0 < named[
            "smallest_effect"
        ] < float("inf"):
            self.wrong(
                f"{where} smallest_effect = {named['smallest_effect']!r} is a size, a number above 0"
            )
        for key, allowed in (
            ("alternative", ("two-sided", "greater", "less")),
            ("status", STATUSES),
        ):
            if key in named and named[key] not in allowed:
                self.wrong(
                    f"{where} {key} = {named[key]!r}",
                    f"Choose from {', '.join(map(repr, allowed))}",
                )
        self.hypotheses.append(named)


def flat(values: Iterable[Any]) -> list[Any]:
    """Return values with the entries of lists in place of these: several columns may play one part."""
    return [entry for value in values for entry in (value if isinstance(value, list) else [value])]


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
    plan = read_plan(path) if path else Plan()
    status = plan.values.get("status", "exploratory")
    if status not in STATUSES:
        raise InputError(f"{plan.name}: status = {status!r} is not 'exploratory' or 'confirmatory'")
    return plan

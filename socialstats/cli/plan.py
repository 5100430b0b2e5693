"""Plan files: what will be analysed and how, written down before it is done."""

from __future__ import annotations

import difflib
import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from socialstats.errors import InputError, Problem

KEYS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "study": {"name": str, "title": str, "status": str},
    "data": {
        "file": str, "design": str, "map": dict, "cluster": (str, list), "by": str, "where": (str, list),
        "tie": (str, list), "na": (str, list), "missing": str, "winner_coding": str, "conditions": list,
        "levels": list, "scale": str, "refusal": (str, list), "unmatched": str, "strata": (str, list),
        "rater_groups": (str, list),
    },
    "inference": {
        "level": float, "seed": int, "resamples": int, "ties": str, "penalty": str, "prior": float,
        "covariate": str, "group": str, "adjust": (str, list), "smallest_effect": float, "effect_scale": str,
    },
}  # fmt: skip
NAMES = {str: "text", int: "a whole number", float: "a number", dict: "a table", list: "a list"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A plan as read.

    Attributes
    ----------
    name, text, sha256 : str
        File name, content, and hash of its bytes.
    values : mapping of str to value
        The keys of all sections in one mapping; ``study`` for the study's name.
    """

    name: str = ""
    text: str = ""
    sha256: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)


def read_plan(path: str) -> Plan:
    """Read and check a plan file.

    Raises
    ------
    InputError
        For broken TOML, unknown sections and keys, and values of the wrong kind.
    """
    raw = Path(path).read_bytes()
    try:
        text = raw.decode("utf-8")
        content = tomllib.loads(text)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(Problem(source=path, message=f"not a TOML file: {error}")) from error
    problems: list[Problem] = []
    values: dict[str, Any] = {}
    for section, entries in content.items():
        if section not in KEYS or not isinstance(entries, dict):
            problems.append(_unknown(path, f"section [{section}]", section, list(KEYS)))
            continue
        for key, value in entries.items():
            problem = _check(path, section, key, value)
            if problem is not None:
                problems.append(problem)
            values["study" if (section, key) == ("study", "name") else key] = value
    if problems:
        raise InputError(problems)
    return Plan(name=Path(path).name, text=text, sha256=hashlib.sha256(raw).hexdigest(), values=values)


def _check(path: str, section: str, key: str, value: Any) -> Problem | None:
    if key not in KEYS[section]:
        return _unknown(path, f"key '{key}' in [{section}]", key, list(KEYS[section]))
    kind = KEYS[section][key]
    kinds = kind if isinstance(kind, tuple) else (kind,)
    good = isinstance(value, (*kinds, int) if float in kinds else kinds) and not isinstance(value, bool)
    if isinstance(value, list) and not all(isinstance(v, str) for v in value):
        return Problem(source=path, message=f"[{section}] {key} = {value!r} is not a list of texts")
    if isinstance(value, dict) and not all(isinstance(v, str) for v in value.values()):
        return Problem(source=path, message=f"[{section}] {key} = {value!r} does not map parts to columns")
    if not good:
        wanted = " or ".join(NAMES[k] for k in kinds)
        return Problem(source=path, message=f"[{section}] {key} = {value!r} is not {wanted}")
    return None


def _unknown(path: str, what: str, word: str, known: list[str]) -> Problem:
    close = difflib.get_close_matches(word, known, n=1)
    fix = f"Did you mean '{close[0]}'?" if close else f"Known: {', '.join(known)}"
    return Problem(source=path, message=f"unknown {what}", fix=fix)


def write_plan(sections: Mapping[str, Mapping[str, Any]], comments: Mapping[str, str]) -> str:
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
        lines += [f"{key} = {toml_value(value)}" for key, value in entries.items() if value not in (None, [], {})]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def toml_value(value: Any) -> str:
    """Write a value as TOML: text, number, list or inline table."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{toml_value(str(k))} = {toml_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(v) for v in value) + "]"
    return repr(value)

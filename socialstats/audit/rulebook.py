"""Rules files: TOML in, checked rules and their tables out. One ``[[rule]]`` a check."""

from __future__ import annotations

import difflib
import hashlib
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from socialstats.audit.checks import CHECKS, TABLE_CHECKS
from socialstats.audit.numbers import Rounding
from socialstats.audit.rule_lines import line_of_rule, line_of_table
from socialstats.audit.rule_parameters import RuleReading
from socialstats.audit.sheets import Reading, Sheet, read_sheet
from socialstats.errors import InputError, Problem
from socialstats.text import listing, shorten

SECTIONS = ("title", "source", "tables", "rule")
TABLE_KEYS = ("file", "decimals", "rounding", "decimal", "strip", "missing", "names")
GIVEN = "table"  # name of the table of the command line


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule, checked: which check, on which rows and columns, with which parameters and options."""

    name: str
    check: str
    table: str = ""
    note: str = ""
    columns: tuple[str, ...] = ()
    where: Mapping[str, Any] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    label: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleBook:
    """A rules file with its tables read."""

    title: str
    source: str
    sheets: Mapping[str, Sheet]
    rules: tuple[Rule, ...]
    text: str = ""
    sha256: str = ""
    name: str = ""


def read_rules(path: str | os.PathLike[str], tables: Sequence[str | os.PathLike[str]] = ()) -> RuleBook:
    """Read a rules file and the tables that it names.

    Parameters
    ----------
    path : str or path
        TOML. Files that it names are looked for beside it.
    tables : sequence of str or path
        Tables of the command line: the first is called ``table``, each also by its file name without suffix.

    Raises
    ------
    InputError
        For broken TOML, and up to 20 unknown keys, tables, columns or values, each with what is allowed.
    """
    raw = Path(path).read_bytes()
    try:
        text = raw.decode("utf-8")
        content = tomllib.loads(text, parse_float=Decimal)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(Problem(source=str(path), message=f"not a TOML file: {error}")) from error
    reading = _Reading(str(path), text)
    reading.known("", content, SECTIONS)
    sheets = reading.tables(content.get("tables", {}), tables)
    entries = content.get("rule", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        reading.wrong("rule must be written as [[rule]], one a check")
        entries = []
    reading.rules = len(entries)
    rules = [rule for i, entry in enumerate(entries, 1) if (rule := reading.rule(i, entry, sheets)) is not None]
    if not entries and not reading.problems:
        reading.wrong("there is no [[rule]]", 'Write one a check, such as: [[rule]] check = "sum_to"')
    if reading.problems:
        raise InputError(reading.problems)
    return RuleBook(
        title=str(content.get("title", "")), source=str(content.get("source", "")), sheets=sheets,
        rules=_named_apart(rules),
        text=text, sha256=hashlib.sha256(raw).hexdigest(), name=Path(path).name,
    )  # fmt: skip


def _named_apart(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Number the rules whose name an earlier one has: findings belong to the rule of their name."""
    times: dict[str, int] = {}
    named = []
    for rule in rules:
        times[rule.name] = times.get(rule.name, 0) + 1
        again = times[rule.name]
        named.append(rule if again == 1 else replace(rule, name=f"{rule.name} (#{again})"))
    return tuple(named)


class _Reading:
    """What a rules file holds, and everything that is wrong with it."""

    def __init__(self, path: str, text: str = "") -> None:
        self.path, self.text = path, text
        self.number = self.rules = 0  # the rule that is being read, of how many
        self.problems: list[Problem] = []

    def wrong(self, message: str, fix: str = "") -> None:
        """Note a problem with the line of the key that it names."""
        about = message.partition(": ")[2] or message
        if message.startswith("tables."):
            name = re.split(r"[: ]", message.removeprefix("tables."), maxsplit=1)[0]
            line = line_of_table(self.text, name, about)
        else:
            line = line_of_rule(self.text, self.number, self.rules, about)
        self.problems.append(Problem(source=self.path, lines=(line,) if line else (), message=message, fix=fix))

    def known(self, place: str, given: Mapping[str, Any], allowed: Sequence[str]) -> bool:
        """Complain of unknown keys."""
        strange = [key for key in given if key not in allowed]
        for key in strange:
            close = difflib.get_close_matches(key, allowed, n=1)
            hint = f"Did you mean '{close[0]}'? " if close else ""
            self.wrong(f"{place}unknown key '{shorten(key)}'", f"{hint}Known: {', '.join(allowed)}")
        return not strange

    def tables(self, given: Any, paths: Sequence[str | os.PathLike[str]]) -> dict[str, Sheet]:
        """Read the tables of the file and of the command line."""
        sheets: dict[str, Sheet] = {}
        if not isinstance(given, dict):
            self.wrong("tables must be a section: [tables]", 'Write: [tables] t3 = "file.csv"')
            return sheets
        settings = {name: self._settings(name, spec) for name, spec in given.items()}
        own = {Path(path).name.split(".")[0]: path for path in paths}
        if len(own) < len(paths):
            self.wrong("two tables of the command line have the same file name", "Rename one: rules call them by it")
        for i, (stem, path) in enumerate(own.items()):
            how = settings.get(stem) or (settings.get(GIVEN) if i == 0 else None)
            sheets[stem] = self._read(stem, [path], how or {})
            if i == 0 and not (settings.get(GIVEN) or {}).get("file"):
                sheets[GIVEN] = sheets[stem]
        for name, how in settings.items():
            if name not in sheets and how is not None:
                if "file" in how:
                    folder = Path(self.path).parent
                    sheets[name] = self._read(name, [folder / file for file in how["file"]], how)
                else:
                    self.wrong(
                        f"tables.{name} names no file",
                        'Write: file = "name.csv", or give the table on the command line',
                    )
        return sheets

    def _settings(self, name: str, spec: Any) -> dict[str, Any] | None:
        how = dict(spec) if isinstance(spec, dict) else {"file": spec}
        place = f"tables.{name}: "
        if not self.known(place, how, TABLE_KEYS):
            return None
        files = [how["file"]] if isinstance(how.get("file"), str) else how.get("file", [])
        if not isinstance(files, list) or not all(isinstance(file, str) for file in files):
            self.wrong(f"{place}file must be a file name or a list of them")
            return None
        if "file" in how:
            how["file"] = files
        return how if self._valid(place, how) else None

    def _valid(self, place: str, how: Mapping[str, Any]) -> bool:
        before = len(self.problems)
        from typing import get_args

        for key, allowed in (("rounding", get_args(Rounding)), ("decimal", (".", ","))):
            if how.get(key, allowed[0]) not in allowed:
                self.wrong(f"{place}{key} = {how[key]!r} is not one of {', '.join(allowed)}")
        decimals = how.get("decimals", "printed")
        for value in decimals.values() if isinstance(decimals, dict) else [decimals]:
            if value not in ("printed", "column") and not (isinstance(value, int) and 0 <= value <= 30):
                self.wrong(f"{place}decimals = {value!r} is not 'printed', 'column' or a number from 0 to 30")
        if not isinstance(how.get("missing", []), list):
            self.wrong(f"{place}missing must be a list of texts")
        names = how.get("names", {})
        if not (isinstance(names, dict) and all(isinstance(v, dict) for v in names.values())):
            self.wrong(f'{place}names must hold, for a column, other = "label"')
        return len(self.problems) == before

    def _read(self, name: str, files: Sequence[str | os.PathLike[str]], how: Mapping[str, Any]) -> Sheet:
        keys = ("decimals", "rounding", "decimal", "strip")
        reading = Reading(**{k: how[k] for k in keys if k in how}, missing=tuple(map(str, how.get("missing", ()))))
        return read_sheet(name, files, reading=reading, names=how.get("names", {}))

    def rule(self, number: int, given: dict[str, Any], sheets: Mapping[str, Sheet]) -> Rule | None:
        """Check one rule; None when it cannot be used."""
        self.number = number
        check = given.get("check")
        place = f"rule {number}{' (' + shorten(str(given['name']), 40) + ')' if 'name' in given else ''}: "
        every = (*CHECKS, *TABLE_CHECKS)
        if check is None:
            self.wrong(f"{place}check is missing", f"Checks: {', '.join(every)}")
            return None
        if check not in every:
            close = difflib.get_close_matches(str(check), every, n=1)
            self.wrong(f"{place}check = {shorten(repr(check))} is none of the checks",
                       (f"Did you mean '{close[0]}'? " if close else "") + f"Checks: {', '.join(every)}")  # fmt: skip
            return None
        table = given.get("table", GIVEN if GIVEN in sheets else next(iter(sheets), ""))
        if check in TABLE_CHECKS:
            from socialstats.audit.sums_of_distances import KEYS, read_alignment

            return read_alignment(self, place, given, sheets) if self.known(place, given, KEYS) else None
        if str(table) not in sheets:
            self.wrong(
                f"{place}there is no table '{shorten(str(table))}'", f"Tables: {listing(list(sheets), 20) or 'none'}"
            )
            return None
        return RuleReading(self, place, given, sheets, sheets[str(table)]).read(f"rule {number}")

"""The parameters of one rule of a rules file: columns, numbers, references to cells, settings."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from socialstats.audit.checks import CHECKS
from socialstats.audit.sheets import Sheet
from socialstats.text import listing, shorten

if TYPE_CHECKING:
    from socialstats.audit.rulebook import Rule, _Reading

RULE_KEYS = ("check", "name", "note", "table", "columns", "where", "by", "label")
REFERENCE_KEYS = ("table", "column", "by", "where", "value", "match", "key", "values", "columns")


class RuleReading:
    """The parameters of one rule against the check that it names."""

    def __init__(
        self, file: _Reading, place: str, given: dict[str, Any], sheets: Mapping[str, Sheet], sheet: Sheet
    ) -> None:
        self.file, self.place, self.given, self.sheets, self.sheet = file, place, given, sheets, sheet
        self.check = CHECKS[given["check"]]

    def read(self, unnamed: str) -> Rule | None:
        """Return the rule, or None with its problems noted."""
        from socialstats.audit.rulebook import Rule

        before, check, given = len(self.file.problems), self.check, self.given
        names = (*check.one, *check.many, *check.along)
        if not self.file.known(self.place, given, (*RULE_KEYS, *names, *check.options)):
            return None
        columns = self.columns("columns", given.get("columns", []), self.sheet)
        by = self.columns("by", given.get("by", []), self.sheet)
        label = self.columns("label", given.get("label", []), self.sheet)
        where = self.where(given.get("where", {}), self.sheet)
        parameters = {name: self.spec(name, given[name]) for name in names if name in given}
        options = {name: self.option(name, given[name]) for name in check.options if name in given}
        self.complete(parameters, columns)
        if len(self.file.problems) > before:
            return None
        return Rule(
            name=str(given.get("name", unnamed)), check=given["check"], table=self.sheet.name,
            note=str(given.get("note", "")), columns=columns, where=where, by=by, label=label, parameters=parameters,
            options=options,
        )  # fmt: skip

    def complete(self, parameters: Mapping[str, Any], columns: Sequence[str]) -> None:
        """Complain of parameters that are needed and not given."""
        absent = [name for name in self.check.required if name not in parameters]
        absent = absent[1:] if columns else absent
        if absent:
            fix = "Give a column, a constant, or { table = ..., column = ..., by = ... }"
            self.file.wrong(f"{self.place}{self.given['check']} needs {', '.join(absent)}", fix)
        for name in (n for n in ("kind", "chooser") if n in self.check.options and n not in self.given):
            allowed = ", ".join(self.check.options[name])
            self.file.wrong(f"{self.place}{self.given['check']} needs {name}", f"One of: {allowed}")

    def columns(self, key: str, given: Any, sheet: Sheet) -> tuple[str, ...]:
        """Check names of columns."""
        names = [given] if isinstance(given, str) else given
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            self.file.wrong(f"{self.place}{key} must be a column or a list of columns")
            return ()
        for name in names:
            if name not in sheet.columns:
                close = difflib.get_close_matches(name, sheet.columns, n=1)
                hint = f"Did you mean '{close[0]}'? " if close else ""
                self.file.wrong(f"{self.place}{key}: table {sheet.name} has no column '{shorten(name)}'",
                                f"{hint}Columns: {', '.join(sheet.columns)}")  # fmt: skip
        return tuple(names)

    def where(self, given: Any, sheet: Sheet) -> dict[str, Any]:
        """Check a filter of rows."""
        if not isinstance(given, dict):
            self.file.wrong(f'{self.place}where must be {{ column = "label" }}')
            return {}
        self.columns("where", list(given), sheet)
        for column, rule in given.items():
            if isinstance(rule, dict) and list(rule) != ["not"]:
                self.file.wrong(f"{self.place}where.{column}: only {{ not = label }} is allowed, not {list(rule)}")
        return given

    def option(self, name: str, value: Any) -> Any:
        """Check a setting."""
        allowed = self.check.options[name]
        if not allowed and isinstance(value, int | Decimal) and not isinstance(value, bool):
            return float(value)
        if value not in allowed or (isinstance(value, bool) != isinstance((*allowed, 0)[0], bool)):
            said = ", ".join(["true", "false"] if allowed == (True, False) else map(str, allowed)) or "a number"
            self.file.wrong(f"{self.place}{name} = {shorten(repr(value))} is not allowed", f"Allowed: {said}")
        return value

    def spec(self, name: str, given: Any) -> Any:
        """Check what a parameter refers to, and bring it into one form."""
        if isinstance(given, bool):
            self.file.wrong(f"{self.place}{name} = {str(given).lower()} is no number and no column")
        elif isinstance(given, str):
            if not (name in self.check.along and self._leads_elsewhere()):
                self.columns(name, given, self.sheet)
        elif isinstance(given, list):
            return [self.spec(name, one) for one in given]
        elif isinstance(given, dict):
            return self.reference(name, given)
        elif not isinstance(given, int | Decimal):
            self.file.wrong(f"{self.place}{name} = {shorten(repr(given))} is no number and no column")
        return given

    def _leads_elsewhere(self) -> bool:
        leader = self.given.get(self.check.many[0]) if self.check.many else None
        first = leader[0] if isinstance(leader, list) and leader else leader
        return isinstance(first, dict) and "table" in first

    def reference(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        """Check a reference to cells of a table."""
        if not self.file.known(f"{self.place}{name}: ", given, REFERENCE_KEYS):
            return given
        if "value" in given:
            return {"value": given["value"]}
        if not isinstance(given.get("match", ""), str) or (
            "match" in given and "values" not in given and not {"table", "column"} <= set(given)
        ):
            self.file.wrong(f"{self.place}{name}: match must be a column, with values, or with table and column")
            return given
        if "columns" in given or "values" in given:
            key = "columns" if "columns" in given else "values"
            if not isinstance(given[key], dict):
                self.file.wrong(f"{self.place}{name}.{key} must be {{ label = number }}")
            return given
        if str(given.get("table", self.sheet.name)) not in self.sheets:
            self.file.wrong(f"{self.place}{name}: there is no table '{shorten(str(given['table']))}'",
                            f"Tables: {listing(list(self.sheets), 20)}")  # fmt: skip
            return given
        other = self.sheets[str(given.get("table", self.sheet.name))]
        keys = given.get("by", {} if "match" in given else None)
        found = dict(given)
        if keys is not None and not isinstance(keys, dict | str | list):
            self.file.wrong(f'{self.place}{name}.by must be a column, a list, or {{ ours = "theirs" }}')
            return given
        if keys is not None:
            pairs = keys if isinstance(keys, dict) else {k: k for k in ([keys] if isinstance(keys, str) else keys)}
            self.columns(f"{name}.by", list(pairs), self.sheet)
            self.columns(f"{name}.by", list(pairs.values()), other)
            found["by"] = pairs
        elif other is not self.sheet and isinstance(self.given.get("by"), str | list):
            by = self.given["by"]
            self.columns(f"{name}.by", [by] if isinstance(by, str) else list(by), other)
        if "column" in given:
            self.columns(f"{name}.column", given["column"], other)
        if "where" in given:
            self.where(given["where"], other)
        return found

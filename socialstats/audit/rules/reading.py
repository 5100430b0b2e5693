"""One rule of a rules file against the check that it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from socialstats.audit.checks.catalogue import CHECKS, TABLE_CHECKS
from socialstats.audit.documents.quotes import (
    WORDS_LEAST,
    Claim,
    contradicts,
    looked_up,
    nearest,
    said_of,
    words_of,
)
from socialstats.audit.documents.sheets import Sheet
from socialstats.audit.rules.alignment import read_alignment
from socialstats.audit.rules.answers import LABEL, VALUE, listed
from socialstats.audit.rules.rule import Rule
from socialstats.audit.rules.tables import GIVEN, RuleTables
from socialstats.tables.toml_files import FILTER, Allowed, ColumnName, wrong_keys, wrong_value
from socialstats.text import count, listing, meant, shorten

HOLDS = ("all", "most", "some")
CLAIM: Allowed = {"sentence": str, "place": str, "verbatim": (True, False), "holds": [HOLDS, int]}
QUOTE = 'Quote what the paper says: sentence = "...", place = "Section 4"; without such a sentence, leave the rule out'
CHOICES = ("kind", "chooser")  # settings without a default
CONSTANTS = ("value", "values", "columns")  # keys with which a parameter names no cells


def read_rule(file: RuleTables, number: int, entry: dict[str, Any]) -> Rule | None:
    """Check one rule; None when it cannot be used."""
    file.number = number
    check = entry.get("check")
    title = f" ({shorten(str(entry['name']), 40)})" if "name" in entry else ""
    place = f"rule {number}{title}: "
    checks = (*CHECKS, *TABLE_CHECKS)
    if check not in checks:
        fix = f"Checks: {', '.join(checks)}"
        if check is None:
            file.wrong(f"{place}check is missing", fix)
        else:
            message = f"{place}check = {shorten(repr(check))} is none of the checks"
            file.wrong(message, meant(str(check), checks) + fix)
        return None
    table = str(entry.get("table", GIVEN if GIVEN in file.sheets else next(iter(file.sheets), "")))
    absent = _absent_table(file, entry)
    if absent:
        return Rule(
            name=str(entry.get("name", check)),
            check=check,
            table=table,
            note=str(entry.get("note", "")),
            parameters=entry,
            absent=f"{absent} ({file.absent[absent]})",
        )
    if check in TABLE_CHECKS:
        return read_alignment(file, place, entry, file.sheets)
    if table not in file.sheets:
        tables = f"Tables: {listing(list(file.sheets), 20) or 'none'}"
        file.wrong(f"{place}there is no table '{shorten(table)}'", tables)
        return None
    return RuleReading(file, place, entry, file.sheets[table]).read(f"rule {number}")


def _absent_table(file: RuleTables, entry: Mapping[str, Any]) -> str:
    """Return the first optional table that a rule needs and that was not given; empty where none is missing."""
    references = [value for value in entry.values() if isinstance(value, dict)]
    names = [entry.get(key) for key in ("table", "answers", "units")]
    names += [part.get("table", part.get("answers")) for part in references]
    return next((name for name in names if isinstance(name, str) and name in file.absent), "")


class RuleReading:
    """The parameters of one rule against the check that it names."""

    def __init__(self, file: RuleTables, place: str, entry: dict[str, Any], sheet: Sheet) -> None:
        self.file, self.place, self.entry, self.sheet = file, place, entry, sheet
        self.check = CHECKS[entry["check"]]
        self.column = _column_of(sheet)

    def wrong(self, message: str, fix: str = "") -> None:
        """Note a problem of the rule."""
        self.file.wrong(f"{self.place}{message}", fix)

    def read(self, unnamed: str) -> Rule | None:
        """Return the rule, or None with its problems noted."""
        before, entry = len(self.file.problems), self.entry
        allowed = self._allowed_keys()
        fits = self.file.fits(self.place, wrong_keys(entry, allowed))
        if not fits and entry.keys() - allowed:
            return None
        columns = tuple(listed(entry.get("columns")))
        parameters = {
            name: self._parameter(name, entry[name]) for name in self.check.names if name in entry
        }
        self._complain_of_missing(parameters, columns)
        claim = self._claim()
        if len(self.file.problems) > before:
            return None
        whole = entry.get("by") == "*" or (self.check.whole and "by" not in entry)
        rule = Rule(
            name=str(entry.get("name", unnamed)),
            check=entry["check"],
            table=self.sheet.name,
            note=str(entry.get("note", "")),
            columns=columns,
            where=entry.get("where", {}),
            by=() if whole else tuple(listed(entry.get("by"))),
            label=tuple(listed(entry.get("label"))),
            whole=whole,
            parameters=parameters,
            options=self._options(),
            claim=claim,
        )
        if claim:
            self._complain_of_count(claim, len(rule.groups(self.sheet)) * max(1, len(columns)))
        return rule

    def _allowed_keys(self) -> Allowed:
        check, column = self.check, self.column
        number = [[float, dict, column]]
        joined = [[float, dict, str]] if self._leads_elsewhere() else number
        return {
            **dict.fromkeys(("check", "table", "name", "note"), object),
            **CLAIM,
            "where": dict.fromkeys(self.sheet.columns, FILTER),
            "columns": [column],
            "by": [("*",), [column]],
            "label": [column],
            **dict.fromkeys(check.names, number),
            **dict.fromkeys(check.along, joined),
            **{name: values or float for name, values in check.options.items()},
        }

    def _options(self) -> dict[str, Any]:
        options = self.check.options
        given = {name: self.entry[name] for name in options if name in self.entry}
        return {name: value if options[name] else float(value) for name, value in given.items()}

    def _complain_of_missing(self, parameters: Mapping[str, Any], columns: Sequence[str]) -> None:
        """Complain of parameters that are needed; the columns of the rule fill the first."""
        check = self.entry["check"]
        absent = [name for name in self.check.required if name not in parameters]
        absent = absent[1:] if columns else absent
        if absent:
            fix = "Give a column, a constant, or { table = ..., column = ..., by = ... }"
            self.wrong(f"{check} needs {', '.join(absent)}", fix)
        for name in CHOICES:
            if name in self.check.options and name not in self.entry:
                fix = f"One of: {', '.join(self.check.options[name])}"
                self.wrong(f"{check} needs {name}", fix)

    def _claim(self) -> Claim | None:
        """Return the claim that the rule tests, as its document has it."""
        entry = self.entry
        if "sentence" not in entry:
            self._complain_of_unquoted()
            return None
        claim = Claim(
            sentence=str(entry["sentence"]),
            place=str(entry.get("place", "")),
            holds=entry.get("holds", "all"),
            basis="quotation" if entry.get("verbatim", True) else "note",
        )
        self._complain_of_sentence(claim)
        documents = self.file.texts()
        if not documents:
            return claim
        located = looked_up(claim, documents)
        if located is None:
            near = nearest(claim.sentence, documents)
            text = shorten(near.text, 200)
            fix = f"The nearest sentence is in {near.source} line {near.line}: {text}"
            self.wrong(f"sentence is not in {listing(list(self.file.passages), 3)}", fix)
        return located

    def _complain_of_unquoted(self) -> None:
        """Complain of keys of a claim, and of a check of claims, without a sentence."""
        needs = self.check.claims
        spare = [key for key in CLAIM if key in self.entry]
        if spare:
            self.wrong(f"{spare[0]} is about a claim, and there is no sentence", QUOTE)
        elif needs is not None and all(key in self.entry for key in needs):
            self.wrong(f"{self.entry['check']} tests a claim, and no sentence is quoted", QUOTE)

    def _complain_of_sentence(self, claim: Claim) -> None:
        """Complain of a sentence that is too short, or that does not say what the rule tests."""
        words = words_of(claim.sentence)
        if len(words) < WORDS_LEAST:
            message = f"sentence has {count(len(words), 'word')}, it needs {WORDS_LEAST}"
            self.wrong(message, QUOTE)
        for name in self.check.names:
            reference = self.entry.get(name)
            number = reference.get("value") if isinstance(reference, dict) else None
            if number is not None and not {*words_of(str(number))} <= {*words}:
                fix = "Give the number as the sentence prints it, or the sentence that prints it"
                self.wrong(f"{name} = {number} is not in the sentence", fix)
        if isinstance(claim.holds, int) and claim.holds < 0:
            fix = f"{', '.join(HOLDS)}, 0, 1, ..."
            self.wrong(f"holds = {claim.holds} is no count of numbers", fix)
        spoken = said_of(words)
        quoted = claim.basis == "quotation" and "holds" in self.entry
        if quoted and contradicts(spoken, claim.holds):
            fix = f"It speaks of {listing(spoken, 4)}: say so, or quote the part that is about these numbers"
            self.wrong(f"holds = {claim.holds} is not what the sentence says", fix)

    def _complain_of_count(self, claim: Claim, tested: int) -> None:
        """Complain of a claim on several numbers that does not say how many bear it out, or says too many."""
        if tested > 1 and "holds" not in self.entry:
            fix = 'Say of how many the sentence says it: holds = "all", "most", "some" or a whole number'
            self.wrong(f"sentence is tested on {tested} numbers", fix)
        elif isinstance(claim.holds, int) and claim.holds > tested:
            self.wrong(f"holds = {claim.holds}, and the rule has {count(tested, 'number')}")

    def _parameter(self, name: str, value: Any) -> Any:
        """Bring what a parameter refers to into one form."""
        if isinstance(value, list):
            return [self._parameter(name, item) for item in value]
        if not isinstance(value, dict):
            return value
        return self._of_answers(name, value) if "answers" in value else self._cells(name, value)

    def _leads_elsewhere(self) -> bool:
        """Return whether the first of the check's lists is of another table, or of answers."""
        leader = self.entry.get(self.check.many[0]) if self.check.many else None
        first = leader[0] if isinstance(leader, list) and leader else leader
        return isinstance(first, dict) and not {"table", "answers"}.isdisjoint(first)

    def _cells(self, name: str, reference: dict[str, Any]) -> dict[str, Any]:
        """Check a reference to cells of a table."""
        match = reference.get("match", "")
        joined = "values" in reference or {"table", "column"} <= reference.keys()
        if not isinstance(match, str) or ("match" in reference and not joined):
            fault = "match must be a column, with values, or with table and column"
            self.wrong(f"{name}: {fault}")
            return reference
        table = str(reference.get("table", self.sheet.name))
        other = self.file.sheets.get(table)
        if other is None:
            fix = f"Tables: {listing(list(self.file.sheets), 20)}"
            self.wrong(f"{name}: there is no table '{shorten(table)}'", fix)
            return reference
        column = _column_of(other)
        allowed: Allowed = {
            **dict.fromkeys(("table", "value", "match", "key"), object),
            "column": column,
            "by": [{"*": column}, [self.column]],
            "where": dict.fromkeys(other.columns, FILTER),
            **dict.fromkeys(("values", "columns"), dict),
        }
        fits = self.file.fits(self.place, wrong_keys(reference, allowed, f"{name}."))
        if not fits or not reference.keys().isdisjoint(CONSTANTS):
            return reference
        keys = reference.get("by", {} if "match" in reference else None)
        pairs = _pairs(keys)
        inherits = keys is None and other is not self.sheet
        keys_there = [*pairs.values(), *(listed(self.entry.get("by")) if inherits else ())]
        self._complain_of_keys(name, list(pairs), self.column)
        self._complain_of_keys(name, keys_there, column)
        return reference if keys is None else {**reference, "by": pairs}

    def _complain_of_keys(self, name: str, keys: list[Any], column: ColumnName) -> None:
        self.file.fits(self.place, wrong_value(f"{name}.by", keys, [column]))

    def _of_answers(self, name: str, reference: dict[str, Any]) -> dict[str, Any]:
        """Compute what a parameter asks for, as a table of one row a group, and refer to its cells."""
        pairs = _pairs(reference.get("by"))
        self._complain_of_keys(name, list(pairs), self.column)
        what = f"{reference['answers']}: {reference.get('compute')}"
        table = f"{what} for {name} of rule {self.file.number}"
        how = {key: value for key, value in reference.items() if key != LABEL}
        how["by"] = list(pairs.values())
        self.file.compute(f"{self.place}{name}: ", table, how)
        where = {LABEL: reference[LABEL]} if LABEL in reference else {}
        return {"table": table, "column": VALUE, "by": pairs, "where": where}


def _column_of(sheet: Sheet) -> ColumnName:
    return ColumnName(sheet.name, sheet.columns)


def _pairs(keys: Any) -> dict[Any, Any]:
    """Return columns of the rule's table with those of another; a list names columns of both."""
    return keys if isinstance(keys, dict) else {key: key for key in listed(keys)}

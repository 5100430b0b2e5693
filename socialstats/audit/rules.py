"""Rules files: the checks that they can name, TOML in, checked rules and their tables out."""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from socialstats.audit.answers import KEYS as ANSWER_KEYS
from socialstats.audit.answers import LABEL, VALUE, computed, listed, recorded_sheet, wrong_settings
from socialstats.audit.arithmetic import (
    alpha_bound,
    count_percent,
    extreme,
    hull,
    linear_composite,
    mean_abs,
    mean_of,
    sd_of,
    sensitivity_reference,
    subset_mean,
    sum_to,
    text_against_table,
    weighted_mean,
    within,
)
from socialstats.audit.confusion_tables import confusion
from socialstats.audit.counts import (
    chi2_from_counts,
    count_ci,
    duplicate_rows,
    rating_win_rate,
    ratio_from_counts,
    shared_denominator,
)
from socialstats.audit.documents import SUFFIXES, Passage, read_document
from socialstats.audit.numbers import Finding, Rounding
from socialstats.audit.p_values import mcnemar_bounds, paired_t_feasible, statistic_p
from socialstats.audit.sheets import Reading, Sheet, read_sheet
from socialstats.audit.summaries import (
    anova_f,
    cohens_d,
    correlation,
    kappa_from_agreement,
    mean_ci,
    paired_t_bounds,
    std_error_from_sd,
    t_from_estimate,
    t_from_summary,
    two_sample_t,
)
from socialstats.audit.whole_numbers import debit, granularity, grim, grimmer, std_error_possible
from socialstats.errors import InputError, Problem
from socialstats.text import listing, meant, shorten


class Check:
    """One check as a rules file sees it.

    Its signature says most: literals, truth values and floats are settings, all else are numbers.

    Parameters
    ----------
    function : callable
    asks : str
        One line: what it asks.
    one : sequence of str
        Numbers that lead where ``columns`` fills the parameters in another order than that of the signature.
    many : sequence of str
        Parameters that are several numbers.
    along : sequence of str
        Parameters with one number for each of the first of `many`.
    options : mapping of str to allowed values
        Settings whose allowed values are no literals; an empty tuple allows any number.
    references : tuple of str
        Keys of its literature.
    grid : bool
        Whether the first of `many` is a sequence of rows, not of numbers.
    whole : bool
        Whether it stands on all rows of a table where a rule says nothing else.

    Attributes
    ----------
    optional : tuple of str
        Parameters that may be left out.
    required : tuple of str
        Those that must be given, in the order in which ``columns`` fills them.
    """

    def __init__(
        self, function: Callable[..., Finding], asks: str, *, one: Sequence[str] = (), many: Sequence[str] = (),
        along: Sequence[str] = (), options: Mapping[str, tuple[Any, ...]] | None = None,
        references: tuple[str, ...] = (), grid: bool = False, whole: bool = False,
    ) -> None:  # fmt: skip
        self.function, self.asks, self.references, self.grid, self.whole = function, asks, references, grid, whole
        self.many, self.along, self.options = tuple(many), tuple(along), dict(options or {})
        parameters, kinds = signature(function).parameters, get_type_hints(function)
        for name in (name for name in parameters if name not in self.options):
            if get_origin(kinds[name]) is Literal:
                self.options[name] = get_args(kinds[name])
            elif kinds[name] in (bool, bool | None, float):
                self.options[name] = () if kinds[name] is float else (True, False)
        self.one = (*one, *(name for name in parameters if name not in (*one, *many, *along, *self.options)))
        self.names = (*self.one, *self.many, *self.along)
        self.optional = tuple(n for n in parameters if parameters[n].default is not Parameter.empty and n in self.names)
        self.required = tuple(name for name in self.names if name not in self.optional)


CHECKS: dict[str, Check] = {check.function.__name__: check for check in (
    Check(sum_to, "do the parts add up to their total?", many=["parts"]),
    Check(count_percent, "is the percentage that of the count in its total?", one=["percent", "count"], many=["total"],
           options={"scale": (1, 100)}),
    Check(weighted_mean, "is it the weighted mean of its parts, and inside their range?", many=["parts"],
           along=["weights"]),
    Check(hull, "is it within the range of its parts?", many=["parts"]),
    Check(mean_of, "is it the mean of its parts?", many=["parts"]),
    Check(mean_abs, "is it the mean of the sizes of its parts?", many=["parts"]),
    Check(sd_of, "is it the standard deviation of its parts?", many=["parts"], options={"ddof": (0, 1)}),
    Check(subset_mean, "can it be the mean of some of the units?", many=["means"], along=["sizes", "taken"]),
    Check(grim, "can n whole numbers have this mean?", references=("brownheathers2017",)),
    Check(grimmer, "can n whole numbers have this mean and standard deviation?",
           references=("anaya2016", "allard2018", "bhatiadavis2000")),
    Check(debit, "can n answers of 0 or 1 have this mean and standard deviation?", references=("heathersbrown2019",)),
    Check(granularity, "can n scores of -1 and +1 have this mean?"),
    Check(std_error_possible, "can a share of n answers have this standard error?", options={"scale": (1, 100)}),
    Check(statistic_p, "is p that of the statistic?"),
    Check(t_from_summary, "do mean, sd and n give this t or p?"),
    Check(paired_t_feasible, "can bounded differences have this t and mean?"),
    Check(mcnemar_bounds, "can McNemar's test of this bias be (in)significant?"),
    Check(two_sample_t, "do both groups' means, sds and n give this t, df or p?", references=("welch1947",)),
    Check(cohens_d, "do both groups' means and sds give this d or g?", references=("hedges1981",)),
    Check(anova_f, "do the groups' means, sds and n give this F or p?", many=["means"], along=["sds", "sizes"],
           whole=True),
    Check(paired_t_bounds, "does any correlation of the pairs give this t or p?"),
    Check(correlation, "do r and n give this t or p?"),
    Check(t_from_estimate, "do the estimate and its s.e. give this t or p?"),
    Check(std_error_from_sd, "is the standard error sd / sqrt(n)?"),
    Check(kappa_from_agreement, "do the observed and the chance agreement give this kappa?"),
    Check(mean_ci, "is the interval that of the mean and its s.e.?"),
    Check(count_ci, "is the interval that of the count?", options={"scale": (1, 100)},
           references=("browncaidasgupta2001",)),
    Check(confusion, "can one confusion table have all these numbers?", options={"scale": (1, 100)}),
    Check(ratio_from_counts, "do the four counts give this ratio and interval?"),
    Check(chi2_from_counts, "do the counts give this chi2 or p?", many=["counts"], grid=True),
    Check(rating_win_rate, "do the ratings give this win rate?", many=["opponents"]),
    Check(shared_denominator, "can one n have all these percentages?", many=["percents"], options={"scale": (1, 100)}),
    Check(duplicate_rows, "do two rows print the same numbers?", many=["rows"], grid=True, whole=True),
    Check(linear_composite, "is it the weighted composite of the scores?", many=["scores"], along=["weights"]),
    Check(text_against_table, "do two places print the same number?"),
    Check(within, "is it within its possible range?"),
    Check(alpha_bound, "can so many ratings a unit agree so little?"),
    Check(extreme, "is it the largest (or the smallest) of these?", many=["parts"]),
    Check(sensitivity_reference, "is the reference line of S right?", many=["opponents"]),
)}  # fmt: skip
TABLE_CHECKS = {"alignment": "can the sums of distances belong to these answers in this order?"}


HEADER = re.compile(r"\s*\[(?P<many>\[)?\s*(?P<name>[^\[\]]+?)\s*\]\]?\s*(?:#.*)?")
WORD = re.compile(r"[\w-]+")


def line_of_rule(text: str, number: int, rules: int, message: str) -> int:
    """Return the line of the key that a message about a rule names first, or of its ``[[rule]]``.

    Parameters
    ----------
    text : str
        The rules file.
    number, rules : int
        Which rule (from 1) of how many.
    message : str

    Returns
    -------
    int
        From 1; 0 where the rule cannot be found for certain.

    Examples
    --------
    >>> line_of_rule('[[rule]]\\ncheck = "grim"\\nmeen = "m"\\n', 1, 1, "rule 1: unknown key 'meen'")
    3
    """
    lines = text.splitlines()
    heads = [(i, found) for i, line in enumerate(lines) if (found := HEADER.fullmatch(line))]
    starts = [i for i, found in heads if found["many"] and found["name"] == "rule"]
    if len(starts) != rules or not 1 <= number <= rules:
        return 0
    first = starts[number - 1]
    last = next((i for i, found in heads if i > first and not found["name"].startswith("rule.")), len(lines))
    return _named(lines, first, last, message) or first + 1


def line_of_table(text: str, name: str, message: str) -> int:
    """Return the line where a table is named, or of the key of it that a message names first; 0 if not found.

    Examples
    --------
    >>> line_of_table('[tables]\\nt3 = { file = 3 }\\n', "t3", "file must be a file name")
    2
    """
    lines = text.splitlines()
    for i, line in enumerate(lines):
        found = HEADER.fullmatch(line)
        if found and found["name"].replace('"', "") == f"tables.{name}":
            last = next((j for j in range(i + 1, len(lines)) if HEADER.fullmatch(lines[j])), len(lines))
            return _named(lines, i, last, message) or i + 1
    start = next((i for i, line in enumerate(lines) if (h := HEADER.fullmatch(line)) and h["name"] == "tables"), None)
    return 0 if start is None else _named(lines, start, len(lines), name)


def _named(lines: list[str], first: int, last: int, message: str) -> int:
    """Return the line, between two, of the first word of a message that is a key there; 0 where none is."""
    for word in WORD.findall(message):
        key = re.compile(rf"\s*[\"']?{re.escape(word)}[\"']?\s*[.=]")
        for i in range(first, last):
            if key.match(lines[i]):
                return i + 1
    return 0


RULE_KEYS = ("check", "name", "note", "table", "columns", "where", "by", "label")
REFERENCE_KEYS = ("table", "column", "by", "where", "value", "match", "key", "values", "columns")
COMPUTED_KEYS = (*ANSWER_KEYS, LABEL)  # of a parameter that is computed from raw answers


class RuleReading:
    """The parameters of one rule against the check that it names."""

    def __init__(
        self, file: _Reading, place: str, given: dict[str, Any], sheets: dict[str, Sheet], sheet: Sheet
    ) -> None:
        self.file, self.place, self.given, self.sheets, self.sheet = file, place, given, sheets, sheet
        self.check = CHECKS[given["check"]]

    def read(self, unnamed: str) -> Rule | None:
        """Return the rule, or None with its problems noted."""

        before, check, given = len(self.file.problems), self.check, self.given
        if not self.file.known(self.place, given, (*RULE_KEYS, *check.names, *check.options)):
            return None
        columns = self.columns("columns", given.get("columns", []), self.sheet)
        whole = given.get("by") == "*" or (self.check.whole and "by" not in given)
        by = () if whole else self.columns("by", given.get("by", []), self.sheet)
        label = self.columns("label", given.get("label", []), self.sheet)
        where = self.where(given.get("where", {}), self.sheet)
        parameters = {name: self.spec(name, given[name]) for name in check.names if name in given}
        options = {name: self.option(name, given[name]) for name in check.options if name in given}
        self.complete(parameters, columns)
        if len(self.file.problems) > before:
            return None
        return Rule(
            name=str(given.get("name", unnamed)), check=given["check"], table=self.sheet.name,
            note=str(given.get("note", "")), columns=columns, where=where, by=by, label=label, parameters=parameters,
            options=options, whole=whole,
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
                fix = f"{meant(name, sheet.columns)}Columns: {', '.join(sheet.columns)}"
                self.file.wrong(f"{self.place}{key}: table {sheet.name} has no column '{shorten(name)}'", fix)
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
        return isinstance(first, dict) and not {"table", "answers"}.isdisjoint(first)

    def reference(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        """Check a reference to cells of a table, or to what is computed from raw answers."""
        if "answers" in given:
            return self.from_answers(name, given)
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

    def from_answers(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        """Compute what a parameter asks for, as a table of one row a group, and refer to its cells."""
        place, keys = f"{self.place}{name}: ", given.get("by", {})
        pairs = keys if isinstance(keys, dict) else {str(key): key for key in listed(keys)}
        if self.file.known(place, given, COMPUTED_KEYS):
            self.columns(f"{name}.by", list(pairs), self.sheet)
            table = f"{given['answers']}: {given.get('compute')} for {name} of rule {self.file.number}"
            how = {key: value for key, value in given.items() if key != LABEL} | {"by": list(pairs.values())}
            self.file.compute(place, table, how, self.sheets)
            where = {LABEL: given[LABEL]} if LABEL in given else {}
            return {"table": table, "column": VALUE, "by": pairs, "where": where}
        return given


SECTIONS = ("title", "source", "tables", "rule")
TABLE_KEYS = ("file", "table", "optional", "decimals", "rounding", "decimal", "strip", "missing", "names")
REALIGNED_KEYS = ("table", "sum", "group", "source", "units", "sort_by", "low", "high", "missing", "refusals")
COMPUTED_TABLE_KEYS = (*ANSWER_KEYS, *REALIGNED_KEYS, "recorded")
GIVEN = "table"  # name of the table of the command line


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule, checked: which check, on which rows and columns, with which parameters and options.

    `absent` says which optional table was not given, where the rule needs it; the rule is not checked then. `assumes`
    says what a guessed rule takes for granted ("means of whole numbers"), and `odds` the log odds of that.
    `whole`: one check of all rows, not one a row.
    """

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
    absent: str = ""
    assumes: str = ""
    odds: float = 0.0
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleBook:
    """A rules file with its tables read; without one, the guessed rules of documents with their sentences and notes."""

    title: str
    source: str
    sheets: Mapping[str, Sheet]
    rules: tuple[Rule, ...]
    text: str = ""
    sha256: str = ""
    name: str = ""
    passages: tuple[Passage, ...] = ()
    notes: tuple[str, ...] = ()


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
        passages=tuple(one for several in reading.passages.values() for one in several),
        text=text, sha256=hashlib.sha256(raw).hexdigest(), name=Path(path).name,
    )  # fmt: skip


def optional_tables(path: str | os.PathLike[str]) -> dict[str, str]:
    """Return the tables that a rules file can use and does not bring, and what they are."""
    tables = tomllib.loads(Path(path).read_text(encoding="utf-8")).get("tables", {})
    return {name: str(how["optional"]) for name, how in tables.items() if isinstance(how, dict) and "optional" in how}


def _named_apart(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Number the rules whose name an earlier one has: findings belong to the rule of their name."""
    times: Counter[str] = Counter()
    named = []
    for rule in rules:
        times[rule.name] += 1
        again = f" (#{times[rule.name]})" if times[rule.name] > 1 else ""
        named.append(replace(rule, name=rule.name + again))
    return tuple(named)


class _Reading:
    """What a rules file holds, and everything that is wrong with it."""

    def __init__(self, path: str, text: str = "") -> None:
        self.path, self.text = path, text
        self.number = self.rules = 0  # the rule that is being read, of how many
        self.problems: list[Problem] = []
        self.passages: dict[str, tuple[Passage, ...]] = {}  # sentences of the documents
        self.absent: dict[str, str] = {}  # optional tables that were not given, and what they are

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
            self.wrong(f"{place}unknown key '{shorten(key)}'", f"{meant(key, allowed)}Known: {', '.join(allowed)}")
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
                    sheets[name] = self._read(name, [Path(self.path).parent / file for file in how["file"]], how)
                elif "optional" in how:
                    self.absent[name] = str(how["optional"])
                elif "answers" in how:
                    continue
                else:
                    fix = 'Write: file = "name.csv", or give the table on the command line'
                    self.wrong(f"tables.{name} names no file", fix)
        for name, how in settings.items():
            if how is not None and "answers" in how and name not in sheets:
                self.compute(f"tables.{name}: ", name, how, sheets)
        return sheets

    def compute(self, place: str, name: str, how: Mapping[str, Any], sheets: dict[str, Sheet]) -> None:
        """Compute a table from raw answers: from a table, or a file beside the rules file; or take what is recorded."""
        from socialstats.audit.alignment import realigned_sheet, wrong_keys

        answers, beside = str(how["answers"]), Path(self.path).parent
        wanted = [answers, *(str(how[key]) for key in ("table", "units") if key in how)]
        absent = [table for table in wanted if table in self.absent]
        if absent and "recorded" in how:
            sheets[name] = recorded_sheet(self._read(name, [beside / str(how["recorded"])], {}))
        elif absent:
            self.absent[name] = self.absent[absent[0]]
        else:
            try:
                sheet = sheets[answers] if answers in sheets else self._read(answers, [beside / answers], {})
                realigned = how.get("compute") == "realigned"
                wrong = wrong_keys(how, sheets) if realigned else wrong_settings(how, sheet.columns)
                for message, fix in wrong:
                    self.wrong(f"{place}{message}", fix)
                if not wrong:
                    made = realigned_sheet(name, sheets, how) if realigned else computed(name, sheet, how)
                    sheets[name] = made
            except InputError as error:
                self.problems += error.problems

    def _settings(self, name: str, spec: Any) -> dict[str, Any] | None:
        how = dict(spec) if isinstance(spec, dict) else {"file": spec}
        place = f"tables.{name}: "
        if not self.known(place, how, COMPUTED_TABLE_KEYS if "answers" in how else TABLE_KEYS):
            return None
        if "answers" in how:
            return how
        files = [how["file"]] if isinstance(how.get("file"), str) else how.get("file", [])
        if not isinstance(files, list) or not all(isinstance(file, str) for file in files):
            self.wrong(f"{place}file must be a file name or a list of them")
            return None
        if "file" in how:
            how["file"] = files
        return how if self._valid(place, how) else None

    def _valid(self, place: str, how: Mapping[str, Any]) -> bool:
        before = len(self.problems)
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
        if len(files) > 1 or Path(files[0]).suffix.lower() not in SUFFIXES:
            return read_sheet(name, files, reading=reading, names=how.get("names", {}))
        document, wanted = read_document(files[0]), str(how.get("table", 1))
        self.passages[document.source] = document.passages
        for number, sheet in enumerate(document.sheets, 1):
            if wanted == str(number) or sheet.name.rpartition(", ")[2].casefold() == wanted.casefold():
                read = replace(reading, strip=sheet.reading.strip + reading.strip, lenient=sheet.reading.lenient)
                return replace(sheet, name=name, reading=read, names=how.get("names", {}))
        there = listing([f"{k} ({sheet.name})" for k, sheet in enumerate(document.sheets, 1)]) or "none"
        raise InputError(Problem(source=document.source, message=f"there is no table {wanted}", fix=f"Tables: {there}"))

    def rule(self, number: int, given: dict[str, Any], sheets: dict[str, Sheet]) -> Rule | None:
        """Check one rule; None when it cannot be used."""
        self.number = number
        check = given.get("check")
        place = f"rule {number}{' (' + shorten(str(given['name']), 40) + ')' if 'name' in given else ''}: "
        every = (*CHECKS, *TABLE_CHECKS)
        if check is None:
            self.wrong(f"{place}check is missing", f"Checks: {', '.join(every)}")
            return None
        if check not in every:
            fix = f"{meant(str(check), every)}Checks: {', '.join(every)}"
            self.wrong(f"{place}check = {shorten(repr(check))} is none of the checks", fix)
            return None
        table = given.get("table", GIVEN if GIVEN in sheets else next(iter(sheets), ""))
        parts = [value for value in given.values() if isinstance(value, dict)]
        named = [given.get(key) for key in ("table", "answers", "units")]
        named += [part.get("table", part.get("answers")) for part in parts]
        absent = [name for name in named if isinstance(name, str) and name in self.absent]
        if absent:
            said = f"{absent[0]} ({self.absent[absent[0]]})"
            name, note = str(given.get("name", check)), str(given.get("note", ""))
            return Rule(name=name, check=check, table=str(table), note=note, parameters=given, absent=said)
        if check in TABLE_CHECKS:
            from socialstats.audit.alignment import KEYS, read_alignment

            return read_alignment(self, place, given, sheets) if self.known(place, given, KEYS) else None
        if str(table) not in sheets:
            known = f"Tables: {listing(list(sheets), 20) or 'none'}"
            self.wrong(f"{place}there is no table '{shorten(str(table))}'", known)
            return None
        return RuleReading(self, place, given, sheets, sheets[str(table)]).read(f"rule {number}")

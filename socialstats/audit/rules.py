"""Rules files: the checks that they can name, TOML in, checked rules and their tables out."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from socialstats.audit.alignment import read_alignment, realigned_sheet
from socialstats.audit.alignment import wrong_settings as wrong_alignment
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
from socialstats.audit.documents import is_document, read_document
from socialstats.audit.numbers import Finding, Rounding
from socialstats.audit.p_values import mcnemar_bounds, paired_t_feasible, statistic_p
from socialstats.audit.passages import Document, Passage
from socialstats.audit.quotes import (
    WORDS_LEAST,
    Claim,
    contradicts,
    looked_up,
    nearest,
    said_of,
    words_of,
)
from socialstats.audit.rule import Rule
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
from socialstats.tables.toml_files import (
    FILTER,
    Allowed,
    ColumnName,
    line_of_key,
    read_toml,
    wrong_keys,
    wrong_value,
)
from socialstats.text import count, listing, meant, shorten


class CheckSignature:
    """One check as a rules file sees it: its signature and the first line of its docstring say all.

    Literals, truth values and floats are settings, all else are numbers.

    Parameters
    ----------
    function : callable

    Attributes
    ----------
    asks : str
        One line: what it checks.
    one, many, along : tuple of str
        Parameters that are one number; several numbers; one number for each of the first of `many`.
    options : mapping of str to allowed values
        Settings; an empty tuple allows any number.
    optional, required : tuple of str
        Parameters that may be left out, and those that must be given.
    references : tuple of str
        Keys of its literature.
    grid : bool
        Whether the first of `many` is a sequence of rows, not of numbers.
    whole : bool
        Whether it stands on all rows of a table where a rule says nothing else.
    claims : tuple of str, or None
        Settings that make it the test of a claim, which needs a sentence; an empty tuple: it always is one.
    """

    def __init__(self, function: Callable[..., Finding]) -> None:
        name, parameters, kinds = (
            function.__name__,
            signature(function).parameters,
            get_type_hints(function),
        )
        self.function, self.asks = function, (function.__doc__ or name).strip().partition("\n")[0]
        self.references, self.whole = LITERATURE.get(name, ()), name in OF_ALL_ROWS
        self.claims = CLAIMS.get(name)
        self.options = {
            key: found for key in parameters if (found := _allowed(key, kinds[key])) is not None
        }
        nested = {key: [get_origin(inner) for inner in get_args(kinds[key])] for key in parameters}
        several = [key for key in parameters if Sequence in (get_origin(kinds[key]), *nested[key])]
        self.many, self.along = tuple(several[:1]), tuple(several[1:])
        self.grid = any(get_origin(kinds[key]) is Sequence in nested[key] for key in self.many)
        self.one = tuple(key for key in parameters if key not in (*several, *self.options))
        self.names = (*self.one, *self.many, *self.along)
        self.optional = tuple(
            n
            for n in parameters
            if parameters[n].default is not Parameter.empty and n in self.names
        )
        self.required = tuple(key for key in self.names if key not in self.optional)


def _allowed(name: str, kind: Any) -> tuple[Any, ...] | None:
    """Return the allowed values of a setting, none where any number is; None for what is no setting."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    if kind in (bool, bool | None):
        return True, False
    return {float: (), int: WHOLE.get(name)}.get(kind)


WHOLE = {"scale": (1, 100), "ddof": (0, 1)}
OF_ALL_ROWS = ("anova_f", "duplicate_rows")
CLAIMS: dict[str, tuple[str, ...]] = {"extreme": (), "mcnemar_bounds": ("significant",)}
HOLDS = ("all", "most", "some")
LITERATURE = {
    "grim": ("brownheathers2017",),
    "grimmer": ("anaya2016", "allard2018", "bhatiadavis2000"),
    "debit": ("heathersbrown2019",),
    "two_sample_t": ("welch1947",),
    "cohens_d": ("hedges1981",),
    "count_ci": ("browncaidasgupta2001",),
}
CHECKS = {
    function.__name__: CheckSignature(function)
    for function in (
        sum_to,
        count_percent,
        weighted_mean,
        hull,
        mean_of,
        mean_abs,
        sd_of,
        subset_mean,
        grim,
        grimmer,
        debit,
        granularity,
        std_error_possible,
        statistic_p,
        t_from_summary,
        paired_t_feasible,
        mcnemar_bounds,
        two_sample_t,
        cohens_d,
        anova_f,
        paired_t_bounds,
        correlation,
        t_from_estimate,
        std_error_from_sd,
        kappa_from_agreement,
        mean_ci,
        count_ci,
        confusion,
        ratio_from_counts,
        chi2_from_counts,
        rating_win_rate,
        shared_denominator,
        duplicate_rows,
        linear_composite,
        text_against_table,
        within,
        alpha_bound,
        extreme,
        sensitivity_reference,
    )
}
TABLE_CHECKS = {
    "alignment": "Check that sums of distances can belong to these answers in this order."
}


class RuleReading:
    """The parameters of one rule against the check that it names."""

    def __init__(
        self,
        file: _Reading,
        place: str,
        given: dict[str, Any],
        sheets: dict[str, Sheet],
        sheet: Sheet,
    ) -> None:
        self.file, self.place, self.given, self.sheets, self.sheet = (
            file,
            place,
            given,
            sheets,
            sheet,
        )
        self.check = CHECKS[given["check"]]

    def read(self, unnamed: str) -> Rule | None:
        """Return the rule, or None with its problems noted."""

        before, check, given, column = (
            len(self.file.problems),
            self.check,
            self.given,
            self.column(),
        )
        number = [[float, dict, column]]
        allowed: Allowed = {
            **dict.fromkeys(("check", "table", "name", "note"), object),
            **CLAIM,
            "where": self.rows(self.sheet),
            "columns": [column],
            "by": [("*",), [column]],
            "label": [column],
            **dict.fromkeys(check.names, number),
            **{name: [[float, dict, str]] for name in check.along if self._leads_elsewhere()},
            **{name: allowed or float for name, allowed in check.options.items()},
        }
        if not self.file.fits(self.place, wrong_keys(given, allowed)) and given.keys() - allowed:
            return None
        columns = tuple(listed(given.get("columns")))
        parameters = {name: self.spec(name, given[name]) for name in check.names if name in given}
        self.complete(parameters, columns)
        claim = self.claim()
        if len(self.file.problems) > before:
            return None
        whole = given.get("by") == "*" or (check.whole and "by" not in given)
        rule = Rule(
            name=str(given.get("name", unnamed)),
            check=given["check"],
            table=self.sheet.name,
            note=str(given.get("note", "")),
            columns=columns,
            where=given.get("where", {}),
            by=() if whole else tuple(listed(given.get("by"))),
            label=tuple(listed(given.get("label"))),
            whole=whole,
            parameters=parameters,
            options={
                name: given[name] if allowed else float(given[name])
                for name, allowed in check.options.items()
                if name in given
            },
            claim=claim,
        )
        tested = len(rule.groups(self.sheet)) * max(1, len(columns))
        if claim and tested > 1 and "holds" not in given:
            fix = 'Say of how many the sentence says it: holds = "all", "most", "some" or a whole number'
            self.file.wrong(f"{self.place}sentence is tested on {tested} numbers", fix)
        elif claim and isinstance(claim.holds, int) and claim.holds > tested:
            self.file.wrong(
                f"{self.place}holds = {claim.holds}, and the rule has {count(tested, 'number')}"
            )
        return rule

    def claim(self) -> Claim | None:
        """Return the claim that the rule tests; complain of one without its sentence, and of a sentence without one."""
        given, needs = self.given, self.check.claims
        if "sentence" not in given:
            spare = [key for key in CLAIM if key in given]
            if spare:
                self.file.wrong(
                    f"{self.place}{spare[0]} is about a claim, and there is no sentence", QUOTE
                )
            elif needs is not None and all(key in given for key in needs):
                self.file.wrong(
                    f"{self.place}{given['check']} tests a claim, and no sentence is quoted", QUOTE
                )
            return None
        said, holds = str(given["sentence"]), given.get("holds", "all")
        words = words_of(said)
        if len(words) < WORDS_LEAST:
            self.file.wrong(
                f"{self.place}sentence has {count(len(words), 'word')}, it needs {WORDS_LEAST}",
                QUOTE,
            )
        for name in self.check.names:
            number = given[name].get("value") if isinstance(given.get(name), dict) else None
            if number is not None and not {*words_of(str(number))} <= {*words}:
                fix = "Give the number as the sentence prints it, or the sentence that prints it"
                self.file.wrong(f"{self.place}{name} = {number} is not in the sentence", fix)
        if isinstance(holds, int) and holds < 0:
            self.file.wrong(
                f"{self.place}holds = {holds} is no count of numbers",
                f"{', '.join(HOLDS)}, 0, 1, ...",
            )
        claim = Claim(
            sentence=said,
            place=str(given.get("place", "")),
            holds=holds,
            basis="quotation" if given.get("verbatim", True) else "note",
        )
        documents = self.file.texts()
        spoken = said_of(words)
        if claim.basis == "quotation" and "holds" in given and contradicts(spoken, holds):
            fix = f"It speaks of {listing(spoken, 4)}: say so, or quote the part that is about these numbers"
            self.file.wrong(f"{self.place}holds = {holds} is not what the sentence says", fix)
        found = looked_up(claim, documents) if documents else claim
        if found is None:
            near = nearest(said, documents)
            fix = f"The nearest sentence is in {near.source} line {near.line}: {shorten(near.text, 200)}"
            self.file.wrong(
                f"{self.place}sentence is not in {listing(list(self.file.passages), 3)}", fix
            )
        return found

    def column(self, sheet: Sheet | None = None) -> ColumnName:
        """Return the kind of a column of a table, by default of the rule's own."""
        sheet = sheet or self.sheet
        return ColumnName(sheet.name, sheet.columns)

    @staticmethod
    def rows(sheet: Sheet) -> dict[str, Any]:
        """Return what a filter of rows may hold."""
        return dict.fromkeys(sheet.columns, FILTER)

    def complete(self, parameters: Mapping[str, Any], columns: Sequence[str]) -> None:
        """Complain of parameters that are needed and not given."""
        absent = [name for name in self.check.required if name not in parameters]
        absent = absent[1:] if columns else absent
        if absent:
            fix = "Give a column, a constant, or { table = ..., column = ..., by = ... }"
            self.file.wrong(f"{self.place}{self.given['check']} needs {', '.join(absent)}", fix)
        for name in (
            n for n in ("kind", "chooser") if n in self.check.options and n not in self.given
        ):
            allowed = ", ".join(self.check.options[name])
            self.file.wrong(f"{self.place}{self.given['check']} needs {name}", f"One of: {allowed}")

    def spec(self, name: str, given: Any) -> Any:
        """Bring what a parameter refers to into one form."""
        if isinstance(given, list):
            return [self.spec(name, one) for one in given]
        return self.reference(name, given) if isinstance(given, dict) else given

    def _leads_elsewhere(self) -> bool:
        leader = self.given.get(self.check.many[0]) if self.check.many else None
        first = leader[0] if isinstance(leader, list) and leader else leader
        return isinstance(first, dict) and not {"table", "answers"}.isdisjoint(first)

    def reference(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        """Check a reference to cells of a table, or to what is computed from raw answers."""
        if "answers" in given:
            return self.from_answers(name, given)
        if not isinstance(given.get("match", ""), str) or (
            "match" in given and "values" not in given and not {"table", "column"} <= set(given)
        ):
            self.file.wrong(
                f"{self.place}{name}: match must be a column, with values, or with table and column"
            )
            return given
        other = self.sheets.get(str(given.get("table", self.sheet.name)))
        if other is None:
            fix = f"Tables: {listing(list(self.sheets), 20)}"
            self.file.wrong(
                f"{self.place}{name}: there is no table '{shorten(str(given['table']))}'", fix
            )
            return given
        theirs = self.column(other)
        fits = self.file.fits(
            self.place,
            wrong_keys(
                given,
                {
                    "table": object,
                    "column": theirs,
                    "by": [{"*": theirs}, [self.column()]],
                    "value": object,
                    "where": self.rows(other),
                    "match": object,
                    "key": object,
                    **dict.fromkeys(("values", "columns"), dict),
                },
                f"{name}.",
            ),
        )
        if not fits or not {"value", "values", "columns"}.isdisjoint(given):
            return given
        keys = given.get("by", {} if "match" in given else None)
        pairs = keys if isinstance(keys, dict) else {key: key for key in listed(keys)}
        inherited = [
            key for key in listed(self.given.get("by")) if keys is None and other is not self.sheet
        ]
        for columns, kind in (
            (list(pairs), self.column()),
            ([*pairs.values(), *inherited], theirs),
        ):
            self.file.fits(self.place, wrong_value(f"{name}.by", columns, [kind]))
        return {**given, "by": pairs} if keys is not None else given

    def from_answers(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        """Compute what a parameter asks for, as a table of one row a group, and refer to its cells."""
        keys = given.get("by", {})
        pairs = keys if isinstance(keys, dict) else {str(key): key for key in listed(keys)}
        self.file.fits(self.place, wrong_value(f"{name}.by", list(pairs), [self.column()]))
        table = f"{given['answers']}: {given.get('compute')} for {name} of rule {self.file.number}"
        how = {key: value for key, value in given.items() if key != LABEL} | {
            "by": list(pairs.values())
        }
        self.file.compute(f"{self.place}{name}: ", table, how, self.sheets)
        return {
            "table": table,
            "column": VALUE,
            "by": pairs,
            "where": {LABEL: given[LABEL]} if LABEL in given else {},
        }


SECTIONS = dict.fromkeys(("title", "source", "document", "tables", "rule"), object)
CLAIM: Allowed = {"sentence": str, "place": str, "verbatim": (True, False), "holds": [HOLDS, int]}
QUOTE = 'Quote what the paper says: sentence = "...", place = "Section 4"; without such a sentence, leave the rule out'
DECIMALS = ("printed", "column", *range(31))
TABLE: Allowed = {
    "file": [str],
    "table": object,
    "optional": object,
    "decimals": [DECIMALS, {"*": DECIMALS}],
    "rounding": get_args(Rounding),
    "decimal": (".", ","),
    "strip": str,
    "missing": list,
    "names": {"*": dict},
}
GIVEN = "table"  # name of the table of the command line


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


def read_rules(
    path: str | os.PathLike[str], tables: Sequence[str | os.PathLike[str]] = ()
) -> RuleBook:
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
    raw, content = read_toml(path, Decimal)
    text = raw.decode("utf-8")
    reading = _Reading(str(path), text)
    reading.fits("", wrong_keys(content, SECTIONS))
    reading.document(content.get("document", []))
    sheets = reading.tables(content.get("tables", {}), tables)
    entries = content.get("rule", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        reading.wrong("rule must be written as [[rule]], one a check")
        entries = []
    reading.rules = len(entries)
    rules = [
        rule
        for i, entry in enumerate(entries, 1)
        if (rule := reading.rule(i, entry, sheets)) is not None
    ]
    if not entries and not reading.problems:
        reading.wrong(
            "there is no [[rule]]", 'Write one a check, such as: [[rule]] check = "sum_to"'
        )
    if reading.problems:
        raise InputError(reading.problems)
    return RuleBook(
        title=str(content.get("title", "")),
        source=str(content.get("source", "")),
        sheets=sheets,
        rules=_named_apart(rules),
        passages=tuple(one for several in reading.passages.values() for one in several),
        text=text,
        sha256=hashlib.sha256(raw).hexdigest(),
        name=Path(path).name,
    )


def optional_tables(path: str | os.PathLike[str]) -> dict[str, str]:
    """Return the tables that a rules file can use and does not bring, and what they are."""
    tables = read_toml(path)[1].get("tables", {})
    return {
        name: str(how["optional"])
        for name, how in tables.items()
        if isinstance(how, dict) and "optional" in how
    }


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
        self.read: dict[str, Document] = {}  # documents by path
        self.passages: dict[str, tuple[Passage, ...]] = {}  # sentences of the documents
        self.documents: dict[str, tuple[Sheet, ...]] = {}  # and their tables
        self.absent: dict[str, str] = {}  # optional tables that were not given, and what they are

    def wrong(self, message: str, fix: str = "") -> None:
        """Note a problem with the line of the key that it names."""
        about = message.partition(": ")[2] or message
        if message.startswith("tables."):
            line = line_of_key(self.text, re.split(r": | ", message, maxsplit=1)[0], about)
        else:
            line = line_of_key(self.text, "rule", about, self.number - 1, self.rules)
        self.problems.append(
            Problem(source=self.path, lines=(line,) if line else (), message=message, fix=fix)
        )

    def fits(self, place: str, problems: Iterable[Problem]) -> bool:
        """Note problems with their place and line; whether there were none."""
        found = list(problems)
        for problem in found:
            self.wrong(f"{place}{problem.message}", problem.fix)
        return not found

    def document(self, given: Any) -> None:
        """Read the documents in which the sentences of claims are looked up."""
        if self.fits("", wrong_value("document", given, [str])):
            for name in listed(given):
                try:
                    document = self._document(Path(self.path).parent / name)
                except InputError as error:
                    self.problems += error.problems
                    continue
                if not document.passages:
                    self.wrong(
                        f"document {shorten(name)} has no sentences",
                        "Name the paper: .pdf, .tex, .md, .html, .txt",
                    )

    def texts(self) -> list[list[Passage]]:
        """Return the sentences of each document, and the captions of its tables."""
        captions = {
            source: [
                Passage(text=one.title, source=source, line=one.lines[0])
                for one in sheets
                if one.title and one.lines
            ]
            for source, sheets in self.documents.items()
        }
        return [
            [*passages, *captions[source]] for source, passages in self.passages.items() if passages
        ]

    def tables(self, given: Any, paths: Sequence[str | os.PathLike[str]]) -> dict[str, Sheet]:
        """Read the tables of the file and of the command line."""
        sheets: dict[str, Sheet] = {}
        if not isinstance(given, dict):
            self.wrong("tables must be a section: [tables]", 'Write: [tables] t3 = "file.csv"')
            return sheets
        settings = {name: self._settings(name, spec) for name, spec in given.items()}
        own = {Path(path).name.split(".")[0]: path for path in paths}
        if len(own) < len(paths):
            self.wrong(
                "two tables of the command line have the same file name",
                "Rename one: rules call them by it",
            )
        for i, (stem, path) in enumerate(own.items()):
            if is_document(path) and not self._document(path).sheets:
                continue  # only sentences, which claims are looked up in
            how = settings.get(stem) or (settings.get(GIVEN) if i == 0 else None)
            sheets[stem] = self._read(stem, [path], how or {})
            more = {
                one.name.rpartition(", ")[2]: one for one in self.documents.get(Path(path).name, ())
            }
            sheets |= {name: replace(sheet, name=name) for name, sheet in more.items()}
            if i == 0 and not (settings.get(GIVEN) or {}).get("file"):
                sheets[GIVEN] = sheets[stem]
        for name, how in settings.items():
            if name not in sheets and how is not None:
                if "file" in how:
                    sheets[name] = self._read(
                        name, [Path(self.path).parent / file for file in how["file"]], how
                    )
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

    def compute(
        self, place: str, name: str, how: Mapping[str, Any], sheets: dict[str, Sheet]
    ) -> None:
        """Compute a table from raw answers: from a table, or a file beside the rules file; or take what is recorded."""
        answers, beside = str(how["answers"]), Path(self.path).parent
        wanted = [answers, *(str(how[key]) for key in ("table", "units") if key in how)]
        absent = [table for table in wanted if table in self.absent]
        if absent and "recorded" in how:
            sheets[name] = recorded_sheet(self._read(name, [beside / str(how["recorded"])], {}))
        elif absent:
            self.absent[name] = self.absent[absent[0]]
        else:
            try:
                sheet = (
                    sheets[answers]
                    if answers in sheets
                    else self._read(answers, [beside / answers], {})
                )
                if how.get("compute") == "realigned":
                    if self.fits(place, wrong_alignment(how, sheets)):
                        sheets[name] = realigned_sheet(name, sheets, how)
                elif self.fits(place, wrong_settings(how, sheet)):
                    sheets[name] = computed(name, sheet, how)
            except InputError as error:
                self.problems += error.problems

    def _settings(self, name: str, spec: Any) -> dict[str, Any] | None:
        how = dict(spec) if isinstance(spec, dict) else {"file": spec}
        if "answers" not in how and not self.fits(f"tables.{name}: ", wrong_keys(how, TABLE)):
            return None
        return how | ({"file": listed(how["file"])} if "file" in how else {})

    def _read(
        self, name: str, files: Sequence[str | os.PathLike[str]], how: Mapping[str, Any]
    ) -> Sheet:
        keys = ("decimals", "rounding", "decimal", "strip")
        reading = Reading(
            **{k: how[k] for k in keys if k in how}, missing=tuple(map(str, how.get("missing", ())))
        )
        if len(files) > 1 or not is_document(files[0]):
            return read_sheet(name, files, reading=reading, names=how.get("names", {}))
        document, wanted = self._document(files[0]), str(how.get("table", 1))
        for number, sheet in enumerate(document.sheets, 1):
            if (
                wanted == str(number)
                or sheet.name.rpartition(", ")[2].casefold() == wanted.casefold()
            ):
                read = replace(
                    reading,
                    strip=sheet.reading.strip + reading.strip,
                    lenient=sheet.reading.lenient,
                )
                return replace(sheet, name=name, reading=read, names=how.get("names", {}))
        there = (
            listing([f"{k} ({sheet.name})" for k, sheet in enumerate(document.sheets, 1)]) or "none"
        )
        raise InputError(
            Problem(
                source=document.source,
                message=f"there is no table {wanted}",
                fix=f"Tables: {there}",
            )
        )

    def _document(self, path: str | os.PathLike[str]) -> Document:
        """Read a document once, and keep its sentences and tables."""
        if str(path) not in self.read:
            document = self.read[str(path)] = read_document(path)
            self.passages[document.source], self.documents[document.source] = (
                document.passages,
                document.sheets,
            )
        return self.read[str(path)]

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
            return Rule(
                name=name, check=check, table=str(table), note=note, parameters=given, absent=said
            )
        if check in TABLE_CHECKS:
            return read_alignment(self, place, given, sheets)
        if str(table) not in sheets:
            known = f"Tables: {listing(list(sheets), 20) or 'none'}"
            self.wrong(f"{place}there is no table '{shorten(str(table))}'", known)
            return None
        return RuleReading(self, place, given, sheets, sheets[str(table)]).read(f"rule {number}")

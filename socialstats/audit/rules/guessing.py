"""Without a rules file: the checks that the heads of the columns, the labels of the rows and the captions allow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from socialstats.audit.checks.catalogue import CHECKS
from socialstats.audit.documents.columns import RANGE, TABLES, Family, families, upright
from socialstats.audit.documents.passages import Document, Passage
from socialstats.audit.documents.prose import ADJUSTED, ONE_SIDED, OTHER_NULL
from socialstats.audit.documents.sheets import Sheet
from socialstats.audit.rules.emphasis import bold_rules
from socialstats.audit.rules.files import RuleBook
from socialstats.audit.rules.margins import PrintedTable, guessed_rule, margin_rules
from socialstats.audit.rules.relations import relations
from socialstats.audit.rules.rule import CERTAIN, LIKELY, OPEN, UNLIKELY, Rule
from socialstats.audit.rules.tables import GIVEN
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.text import listing

LIMITS: Mapping[str, Mapping[str, Any]] = TABLES["limits"]
WHOLE = re.compile(r"\b(?:likert|ratings?|rated|points?|scale)\b", re.IGNORECASE)
POINTS = re.compile(r"\b(\d{1,2})[- ]point\b")
P_VALUES = re.compile(r"\bp[- ]?values?\b|\btests?\b|\bcorrect(?:ed|ion)\b|\badjust", re.IGNORECASE)
RELATION = re.compile(r"[<=>]")
SIDED = ("t", "z", "r")
NO_RULES = (
    'Write a rules file: [[rule]] check = "sum_to" ... (socialstats audit --help has an example)'
)
ESTIMATES = (
    "share",
    "percent",
    "mean",
    "value",
    "odds_ratio",
    "risk_ratio",
    "b",
    "r",
    "d",
    "g",
    "f1",
    "kappa",
)
CELLS = ("tp", "fp", "fn", "tn")
RATES = ("share", "precision", "recall", "specificity", "f1", "mcc")
WITH_REFERENCES = ("grim", "grimmer", "std_error_possible")
"""Checks of samples: rows of people or of chance may come from other samples, or from theory."""
ODDS = {"certain": CERTAIN, "likely": LIKELY, "open": OPEN, "unlikely": UNLIKELY}


@dataclass(frozen=True, slots=True, kw_only=True)
class GuessForm:
    """One ``[[guess]]`` of columns.toml, which explains the fields."""

    check: str
    needs: Mapping[str, Sequence[str]]
    optional: Sequence[str] = ()
    optional_unless: Sequence[str] = ()
    unless: Sequence[str] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    scale: str = ""
    assumes: str = ""
    odds: str = "likely"

    def rule(self, family: Family, table: PrintedTable) -> Rule | None:
        """Return the rule for one measure; None where it lacks a kind."""
        parameters: dict[str, Any] = {}
        for name, kinds in self.needs.items():
            present = [kind for kind in kinds if kind in family]
            if not present:
                return None
            parameters[name] = family[present[0]]
        if not family.keys().isdisjoint(self.unless):
            return None
        if family.keys().isdisjoint(self.optional_unless):
            parameters |= {kind: family[kind] for kind in self.optional if kind in family}
        options = dict(self.options)
        if self.scale:
            setting = "scale" in CHECKS[self.check].options
            scale = table.columns[str(parameters[self.scale])].scale
            (options if setting else parameters)["scale"] = scale
        return guessed_rule(
            table.name,
            self.check,
            parameters,
            options=options,
            assumes=self.assumes,
            odds=ODDS[self.odds],
        )


FORMS = tuple(GuessForm(**form) for form in TABLES["guess"])


def guess_rules(documents: Sequence[Document]) -> RuleBook:
    """Return the generic rules for the tables of some documents.

    Raises
    ------
    InputError
        When no document is given.
    NothingToAnalyse
        When there is neither a sentence nor a column whose name says what it holds.
    """
    if not documents:
        raise InputError("name a table, or give --rules with a file that names its tables")
    passages = tuple(passage for document in documents for passage in document.passages)
    general = _about_tests(passages)
    sheets: dict[str, Sheet] = {}
    rules: dict[str, Rule] = {}
    for sheet in (upright(sheet) for document in documents for sheet in document.sheets):
        name = f"{sheet.name} (#{len(sheets) + 1})" if sheet.name in sheets else sheet.name
        sheets[name] = sheet
        for rule in table_rules(PrintedTable(name, sheet), f"{sheet.title} {general}"):
            rules.setdefault(rule.name, rule)
    if not rules and not passages:
        raise NothingToAnalyse(_why_nothing(documents[0].source, list(sheets.values())))
    if sheets:
        sheets[GIVEN] = next(iter(sheets.values()))
    return RuleBook(
        title="",
        source="",
        sheets=sheets,
        rules=tuple(rules.values()),
        passages=passages,
        notes=tuple(note for document in documents for note in document.notes),
    )


def _about_tests(passages: Sequence[Passage]) -> str:
    """Return the sentences about tests in general, which print no number of one."""
    texts = [passage.text for passage in passages]
    return " ".join(text for text in texts if P_VALUES.search(text) and not RELATION.search(text))


def _why_nothing(source: str, sheets: Sequence[Sheet]) -> str:
    columns = [column for sheet in sheets for column in sheet.columns]
    if columns:
        return f"{source}: no generic check fits the columns {listing(columns, 12)}. {NO_RULES}"
    return f"{source} has no table with numbers and no sentence. {NO_RULES}"


def table_rules(table: PrintedTable, about: str) -> list[Rule]:
    """Return the rules of one table: of its measures, its margins, and what its numbers bear out."""
    rules = [*_measure_rules(table, about), *margin_rules(table)]
    related = relations(table.sheet, table.name, table.numeric)
    rules += [rule for rule in related if not any(map(rule.overlaps, rules))]
    return [*rules, *bold_rules(table)]


def _measure_rules(table: PrintedTable, about: str) -> Iterator[Rule]:
    """Yield the rules that go through the rows, one measure after the other; rows that are means are left out."""
    summaries = table.labels_of(*table.means, *table.apart)
    references = summaries + table.labels_of(*table.references)
    for rule in _guesses(table, about):
        omitted = references if rule.check in WITH_REFERENCES else summaries
        if omitted and rule.check != "within":
            rule = replace(rule, where={table.label: {"not": omitted}})
        if rule.check in CHECKS:
            yield rule


def _guesses(table: PrintedTable, about: str) -> Iterator[Rule]:
    measures = families(table.columns, table.sheet.title)
    for family in measures:
        yield from _limits(family, table)
        yield from _intervals(family, table)
        yield from _means(family, table)
        for rule in filter(None, (form.rule(family, table) for form in FORMS)):
            yield _of_test(rule, about) if rule.check == "statistic_p" else rule
        yield from _confusion(family, table)
    yield from _two_groups(measures, table)
    yield from _unnamed_counts(measures, table)


def _limits(family: Family, table: PrintedTable) -> Iterator[Rule]:
    """Yield the limits of each kind, such as 0 and 1 of p."""
    for kind, limits in LIMITS.items():
        name = family.get(kind)
        if isinstance(name, str):
            scale = table.columns[name].scale if limits.get("scaled") else 1
            ends = {end: scale * limits[end] for end in ("low", "high") if end in limits}
            yield guessed_rule(table.name, "within", {"value": name, **ends}, odds=CERTAIN)


def _intervals(family: Family, table: PrintedTable) -> Iterator[Rule]:
    """Yield that an estimate lies in its interval."""
    estimate = next((family[kind] for kind in ESTIMATES if kind in family), None)
    if estimate and "low" in family and "high" in family:
        kinds = [column.kind for column in table.numeric.values()]
        measures = [kind for kind in kinds if kind in ("", "value", *ESTIMATES)]
        yield guessed_rule(
            table.name,
            "within",
            {"value": estimate, "low": family["low"], "high": family["high"]},
            assumes=f"intervals of {estimate}",
            odds=CERTAIN if len(measures) == 1 else LIKELY,
        )


def _means(family: Family, table: PrintedTable) -> Iterator[Rule]:
    """Yield a rule about means; that they are of whole numbers is for the numbers to say."""
    if not {"mean", "n"} <= family.keys():
        return
    mean = str(family["mean"])
    about = f"{mean} {table.sheet.title}"
    limits = scale_of(about)
    if not limits and all(abs(number.value) <= 1 for number in table.columns[mean].numbers):
        return
    names = [name for name in ("sd", "mean", "n") if name in family]
    whole = limits or WHOLE.search(about.replace("_", " "))
    yield guessed_rule(
        table.name,
        "grimmer" if "sd" in family else "grim",
        {name: family[name] for name in names} | limits,
        assumes="means of whole numbers",
        odds=CERTAIN if whole else OPEN,
    )


def _of_test(rule: Rule, about: str) -> Rule:
    """Return the rule of a test; its caption may say that p-values are adjusted or one-sided."""
    one_sided = rule.options["kind"] in SIDED and ONE_SIDED.search(about)
    options = {**rule.options, "tails": "one"} if one_sided else rule.options
    if ADJUSTED.search(about) or OTHER_NULL.search(about):
        assumes = "p-values without adjustment"
        return replace(rule, options=options, assumes=assumes, odds=UNLIKELY)
    return replace(rule, options=options, odds=CERTAIN)


def _confusion(family: Family, table: PrintedTable) -> Iterator[Rule]:
    """Yield that counts and rates are those of one confusion table."""
    counts = {kind: family[kind] for kind in CELLS if kind in family}
    scales = {kind: table.columns[str(family[kind])].scale for kind in RATES if kind in family}
    # accuracy in percent may stand beside F1 from 0 to 1
    scale = max(scales.values(), key=[*scales.values()].count, default=1)
    rates = {kind: str(family[kind]) for kind in scales if scales[kind] == scale}
    if len(counts) + len(rates) <= max(2, len(counts)):
        return
    named = {"accuracy" if kind == "share" else kind: rates[kind] for kind in rates}
    yield guessed_rule(
        table.name,
        "confusion",
        counts | named,
        options={"scale": scale},
        assumes="of one confusion table",
        odds=CERTAIN if counts else LIKELY,
    )


def _two_groups(measures: Sequence[Family], table: PrintedTable) -> Iterator[Rule]:
    """Yield rules of tests and effect sizes beside the means of two groups."""
    groups = [family for family in measures if {"mean", "sd", "n"} <= family.keys()]
    if len(groups) != 2:
        return
    samples = {
        f"{name}{i}": family[name]
        for i, family in enumerate(groups, start=1)
        for name in ("mean", "sd", "n")
    }
    results = next((f for f in measures if not f.keys().isdisjoint(("t", "p", "d", "g"))), {})
    test = {name: results[name] for name in ("t", "df", "p") if name in results}
    if ("t" in test or "p" in test) and "F" not in results:
        assumes = "tests of two independent groups"
        yield guessed_rule(table.name, "two_sample_t", samples | test, assumes=assumes, odds=LIKELY)
    for kind in ("d", "g"):
        if kind in results:
            yield guessed_rule(
                table.name,
                "cohens_d",
                samples | {"value": results[kind]},
                options={"kind": kind},
                assumes="of two independent groups",
                odds=LIKELY,
            )


def _unnamed_counts(measures: Sequence[Family], table: PrintedTable) -> Iterator[Rule]:
    """Yield a rule: the only column of whole numbers holds the counts of the only column of percentages."""
    sizes = [family[kind] for family in measures for kind in ("total", "n") if kind in family]
    total = next((size for size in sizes if isinstance(size, str)), None)
    uncounted = [family for family in measures if "count" not in family]
    shares = {
        str(family[kind]) for family in uncounted for kind in ("percent", "share") if kind in family
    }
    unnamed = [column for column in table.numeric.values() if not column.kind]
    counts = [c.name for c in unnamed if c.whole and c.name != total]
    if total and len(shares) == len(counts) == 1 and shares.isdisjoint(counts):
        (share,) = shares
        yield guessed_rule(
            table.name,
            "count_percent",
            {"count": counts[0], "percent": share, "total": total},
            options={"scale": table.columns[share].scale},
            assumes=f"counts of {share}",
            odds=UNLIKELY,
        )


def scale_of(text: str) -> dict[str, int]:
    """Return the ends of the scale that a head or a caption names.

    Examples
    --------
    >>> scale_of("Mean rating (1–7)"), scale_of("5-point Likert scale"), scale_of("Mean accuracy in 2020-2024")
    ({'low': 1, 'high': 7}, {'low': 1, 'high': 5}, {})
    """
    points = POINTS.search(text)
    if points and int(points[1]) > 1:
        return {"low": 1, "high": int(points[1])}
    for match in RANGE.finditer(text):
        low, high = int(match["low"]), int(match["high"])
        if -5 <= low <= 1 and 2 <= high - low <= 100:
            bracketed = text[max(match.start() - 1, 0) :].lstrip()[:1] in ("(", "[")
            return {"low": low, "high": high} if bracketed or WHOLE.search(text) else {}
    return {}

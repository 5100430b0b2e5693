"""An audit: the findings of every rule, and the single digits that would settle several of them."""

from __future__ import annotations

import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from socialstats.audit.checks.catalogue import CHECKS
from socialstats.audit.documents.prose import counts_in, findings_in
from socialstats.audit.documents.quotes import weighed_claim
from socialstats.audit.documents.reading import read_document
from socialstats.audit.findings.leading import told
from socialstats.audit.findings.repairs import Repair, repairs_of
from socialstats.audit.findings.unread import Unread, unread_cells
from socialstats.audit.numbers import Finding, is_number, printed, unchecked
from socialstats.audit.rules.alignment import run_alignment
from socialstats.audit.rules.binding import Bound, bind
from socialstats.audit.rules.files import RuleBook, read_rules
from socialstats.audit.rules.guessing import guess_rules
from socialstats.audit.rules.rule import Rule
from socialstats.errors import InputError, Problem

FOLDER = Path(__file__).parents[2] / "datasets" / "published"


def papers(name: str | None = None) -> dict[str, Path]:
    """Return the rules files of the bundled published tables.

    The numbers are facts quoted from five papers: `000` to `004` are their tables and numbers of their texts, with one
    rules file each. A single odd digit may be an error of extraction.

    Parameters
    ----------
    name : str, optional
        One of them.

    Returns
    -------
    dict of str to Path

    Raises
    ------
    InputError
        For an unknown name.

    Examples
    --------
    >>> list(papers())
    ['000', '001', '002', '003', '004']
    """
    files = {path.stem: path for path in sorted(FOLDER.glob("[0-9][0-9][0-9].toml"))}
    if name is not None and name not in files:
        names = ", ".join(files)
        raise InputError(f"there are no published tables called '{name}'. There are: {names}")
    return files if name is None else {name: files[name]}


FAR_ODDS = 2.0  # log odds against what a rule assumes, for a number that is far from what it gives
ERROR_RATE = 0.05  # share of printed numbers, where a rule assumes what holds
ORDER = ("disagree", "agree", "no_power", "not_checkable")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What an audit found.

    Attributes
    ----------
    title, source : str
        Of the rules file: what was audited, and where it was published.
    findings : tuple of Finding
        In the order of the rules.
    repairs : tuple of Repair
        Single digits that would settle two or more disagreements at once.
    book : RuleBook
        The rules and tables.
    guessed : bool
        True when no rules file was given and the columns' names decided.
    unread : tuple of Unread
        Columns with numbers that no check read, and why.
    numbers : int
        How many numbers the tables hold.
    """

    title: str
    source: str
    findings: tuple[Finding, ...]
    repairs: tuple[Repair, ...]
    book: RuleBook
    guessed: bool = False
    unread: tuple[Unread, ...] = ()
    numbers: int = 0

    def of(self, verdict: str) -> tuple[Finding, ...]:
        """Return the findings of one verdict."""
        return tuple(finding for finding in self.findings if finding.verdict == verdict)

    def tally(self) -> dict[str, int]:
        """Return the count of each verdict."""
        return tally_of(self.findings)

    def by_rule(self) -> list[tuple[Rule, list[Finding]]]:
        """Return each rule with its findings."""
        return [
            (rule, [f for f in self.findings if f.title == rule.name]) for rule in self.book.rules
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return built-in types only."""
        rules = [_rule_to_dict(rule, findings) for rule, findings in self.by_rule()]
        return {
            "title": self.title,
            "source": self.source,
            "guessed": self.guessed,
            "tally": self.tally(),
            "rules_file": self.book.name,
            "rules_sha256": self.book.sha256,
            "rules": rules,
            "notes": list(self.book.notes),
            "numbers": self.numbers,
            "unread_cells": sum(column.cells for column in self.unread),
            "unread": [column.to_dict() for column in self.unread],
            "repairs": [repair.to_dict() for repair in self.repairs],
            "findings": [finding.to_dict() for finding in self.findings],
        }


def _rule_to_dict(rule: Rule, findings: Sequence[Finding]) -> dict[str, Any]:
    return {
        "name": rule.name,
        "check": rule.check,
        "note": rule.note,
        "claim": None if rule.claim is None else asdict(rule.claim),
        "tally": tally_of(findings),
    }


def tally_of(findings: Sequence[Finding]) -> dict[str, int]:
    """Return the count of each verdict."""
    verdicts = Counter[str](finding.verdict for finding in findings)
    return {verdict: verdicts[verdict] for verdict in ORDER}


def audit(
    tables: Sequence[str | os.PathLike[str]] | str | os.PathLike[str] = (),
    rules: str | os.PathLike[str] | None = None,
) -> AuditReport:
    """Audit published tables by a rules file, or by the checks that their columns' names allow.

    Parameters
    ----------
    tables : file name, or sequence of them
        csv, tsv, xlsx, Markdown, HTML, LaTeX, PDF, pasted text. With rules csv, tsv, ...: the first is ``table`` in the
        rules file, each also by its file name without suffix. The rules file may name tables of its own.
    rules : file name, optional
        TOML, one ``[[rule]]`` a check. Without it the columns' names decide which checks are made.

    Returns
    -------
    AuditReport

    Raises
    ------
    InputError
        For unreadable files, rules that cannot be used, cells that are no numbers; with place and fix.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "t.csv").write_text("group,n,mean rating\\nA,40,5.19\\nB,40,5.18\\n")
    >>> found = audit(folder / "t.csv")
    >>> [(f.rule, f.verdict) for f in found.findings if f.rule == "grim"]
    [('grim', 'disagree'), ('grim', 'agree')]
    """
    paths = [tables] if isinstance(tables, str | os.PathLike) else list(tables)
    if rules is None:
        return run(guess_rules([read_document(path) for path in paths]), guessed=True)
    return run(read_rules(rules, paths))


def assumed(rule: Rule, findings: Sequence[Finding]) -> list[Finding]:
    """Weigh what a guessed rule takes for granted by all of its findings; its disagreements are minor, or are none.

    By Bayes' rule: where the assumption holds, all but one in twenty checks agree. Elsewhere, a check agrees by
    chance, with a probability of one minus its power.
    """
    odds = rule.odds
    for finding in findings:
        power = 0.5 if finding.power is None else finding.power
        power = min(max(power, ERROR_RATE), 1 - ERROR_RATE)
        if finding.verdict in ("agree", "disagree"):
            agrees = finding.verdict == "agree"
            odds += math.log((1 - ERROR_RATE) / (1 - power) if agrees else ERROR_RATE / power)
            odds -= FAR_ODDS * _far_off(finding)
    if not rule.assumes:
        return list(findings)
    return [finding or _as_assumed(rule, finding, odds) for finding in findings]


def _as_assumed(rule: Rule, finding: Finding, odds: float) -> Finding:
    """Return a disagreement as what it is where the rule's assumption is likely, or unlikely."""
    if odds > 0:
        message = f"{finding.message} (if these are {rule.assumes})"
        return replace(finding, severity="minor", message=message)
    message = finding.message.removeprefix("sources disagree: ")
    message = f"nothing in the table says that these are {rule.assumes}; if they were: {message}"
    return replace(finding, verdict="not_checkable", severity="none", message=message)


def _far_off(finding: Finding) -> bool:
    """Return whether what is implied is more than a quarter off: rows that are no parts give that, misprints rarely."""
    if finding.verdict != "disagree" or finding.implied is None or not is_number(finding.published):
        return False
    number = printed(finding.published).value
    return all(abs(end - number) > abs(number) / 4 for end in finding.implied)


Results = list[tuple[Bound | None, Finding]]


def checked(rule: Rule, book: RuleBook) -> Results:
    """Make the checks of one rule; those of alignments have no cells that could be changed."""
    if rule.check not in CHECKS or rule.absent:
        return [(None, finding) for finding in run_alignment(rule, book.sheets)]
    results: Results = [
        (bound, told(bound.run(), bound.printed_cells, book.sheets, book.passages))
        for bound in bind(rule, CHECKS[rule.check], book.sheets)
    ]
    if results:
        return results
    finding = unchecked(rule.check, "no row of the table is selected by this rule")
    return [(None, replace(finding, title=rule.name))]


def agreements(results: Iterable[tuple[Bound, Finding]]) -> dict[tuple[str, int, str], list[str]]:
    """Return, for each cell, the rules by which its number agrees with others."""
    rules: dict[tuple[str, int, str], list[str]] = defaultdict(list)
    for bound, finding in results:
        if finding.verdict == "agree" and finding.noticed and bound.exacting:
            for cell in bound.subject(finding):
                rules[cell.key].append(bound.rule.name)
    return rules


def run(book: RuleBook, *, guessed: bool = False) -> AuditReport:
    """Make every check of a rules file."""
    by_rule: list[tuple[Rule, Results]] = []
    problems: list[Problem] = []
    for rule in book.rules:
        try:
            by_rule.append((rule, checked(rule, book)))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(list(dict.fromkeys(problems)))
    bound_results = [
        (bound, finding) for _, results in by_rule for bound, finding in results if bound
    ]
    agreeing = agreements(bound_results)
    findings: list[Finding] = []
    for rule, results in by_rule:
        of_rule = []
        for bound, finding in results:
            if bound and not finding:
                names = [name for cell in bound.subject(finding) for name in agreeing[cell.key]]
                finding = replace(finding, beside=tuple(dict.fromkeys(names)))
            of_rule.append(finding)
        if rule.claim and any(bound for bound, _ in results):
            of_rule = weighed_claim(rule.claim, of_rule)
        findings += assumed(rule, of_rule) if guessed else of_rule
    for of_text in filter(None, (findings_in(book.passages), counts_in(book.passages))):
        findings += of_text
        rule = Rule(name=of_text[0].title, check=of_text[0].rule)
        book = replace(book, rules=(*book.rules, rule))
    sheets = {id(sheet): sheet for sheet in book.sheets.values()}
    unread, numbers = unread_cells(sheets.values(), findings, guessed=guessed)
    return AuditReport(
        title=book.title,
        source=book.source,
        findings=tuple(findings),
        repairs=repairs_of(bound_results),
        book=book,
        guessed=guessed,
        unread=unread,
        numbers=numbers,
    )

"""Run a rules file over its tables: findings, and the single digits that would settle several of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from socialstats.audit.binding import Bound, bind
from socialstats.audit.checks import CHECKS
from socialstats.audit.finding import Finding
from socialstats.audit.repairs import Repair, repairs_of
from socialstats.audit.rulebook import Rule, RuleBook, read_rules
from socialstats.errors import InputError, Problem

ASSUMING = {
    "grim": "means of whole numbers", "grimmer": "whole numbers", "std_error_possible": "shares of 0 and 1 answers",
    "count_percent": "percentages of that total",
}  # fmt: skip
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
    """

    title: str
    source: str
    findings: tuple[Finding, ...]
    repairs: tuple[Repair, ...]
    book: RuleBook
    guessed: bool = False

    def of(self, verdict: str) -> tuple[Finding, ...]:
        """Return the findings of one verdict."""
        return tuple(finding for finding in self.findings if finding.verdict == verdict)

    def tally(self) -> dict[str, int]:
        """Return the count of each verdict."""
        return {verdict: len(self.of(verdict)) for verdict in ORDER}

    def by_rule(self) -> list[tuple[Rule, list[Finding]]]:
        """Return each rule with its findings."""
        return [(rule, [f for f in self.findings if f.title == rule.name]) for rule in self.book.rules]

    def to_dict(self) -> dict[str, Any]:
        """Return built-in types only."""
        return {
            "title": self.title, "source": self.source, "guessed": self.guessed, "tally": self.tally(),
            "rules_file": self.book.name, "rules_sha256": self.book.sha256,
            "rules": [{"name": rule.name, "check": rule.check, "note": rule.note,
                       "tally": {v: sum(f.verdict == v for f in found) for v in ORDER}}
                      for rule, found in self.by_rule()],
            "repairs": [repair.to_dict() for repair in self.repairs],
            "findings": [finding.to_dict() for finding in self.findings],
        }  # fmt: skip


def audit(
    tables: Sequence[str | os.PathLike[str]] | str | os.PathLike[str] = (),
    rules: str | os.PathLike[str] | None = None,
) -> AuditReport:
    """Audit published tables by a rules file, or by the checks that their columns' names allow.

    Parameters
    ----------
    tables : file name, or sequence of them
        csv, tsv, ...; the first is ``table`` in the rules file, each also by its file name without suffix. The rules
        file may name tables of its own.
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
    >>> _ = (folder / "t.csv").write_text("group,n,mean\\nA,40,5.19\\nB,40,5.18\\n")
    >>> found = audit(folder / "t.csv")
    >>> [(f.rule, f.verdict) for f in found.findings if f.rule == "grim"]
    [('grim', 'disagree'), ('grim', 'agree')]
    """
    paths = [tables] if isinstance(tables, str | os.PathLike) else list(tables)
    if rules is None:
        from socialstats.audit.guessing import guess_rules

        return run(guess_rules(paths), guessed=True)
    return run(read_rules(rules, paths))


def assumed(finding: Finding) -> Finding:
    """Mark a disagreement that rests on what the columns' names suggest: whole numbers, independent answers."""
    if finding.verdict != "disagree" or finding.rule not in ASSUMING:
        return finding
    message = f"{finding.message} (if these are {ASSUMING[finding.rule]})"
    return replace(finding, severity="minor", message=message)


def run(book: RuleBook, *, guessed: bool = False) -> AuditReport:
    """Make every check of a rules file."""
    bounds: list[tuple[Bound, Finding]] = []
    findings: list[Finding] = []
    problems: list[Problem] = []
    for rule in book.rules:
        if rule.check not in CHECKS:
            from socialstats.audit.sums_of_distances import run_alignment

            findings += run_alignment(rule, book.sheets)
            continue
        try:
            of_rule: list[Bound] = list(bind(rule, CHECKS[rule.check], book.sheets))
        except InputError as error:
            problems += error.problems
            continue
        made = [bound.run(book.sheets) for bound in of_rule]
        bounds += zip(of_rule, made, strict=True)
        findings += [assumed(finding) for finding in made] if guessed else made
        if not of_rule:
            findings.append(Finding(rule=rule.check, verdict="not_checkable", title=rule.name,
                                    message="no row of the table is selected by this rule"))  # fmt: skip
    if problems:
        raise InputError(list(dict.fromkeys(problems)))
    return AuditReport(
        title=book.title, source=book.source, findings=tuple(findings), repairs=repairs_of(bounds, book.sheets),
        book=book, guessed=guessed,
    )  # fmt: skip

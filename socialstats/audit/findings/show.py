"""An audit as text for a terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from socialstats.audit.checks.catalogue import CHECKS, TABLE_CHECKS
from socialstats.audit.findings.leading import leading
from socialstats.audit.findings.running import AuditReport, tally_of
from socialstats.audit.findings.unread import unread_text
from socialstats.audit.numbers import Finding
from socialstats.audit.rules.rule import Rule
from socialstats.text import count, listing, shorten

LONGEST = 400
MOST_OF_A_RULE = 12  # findings of one rule in text; HTML and JSON have all
HEADINGS = {
    "disagree": "Sources disagree",
    "agree": "What agrees",
    "no_power": "Uninformative checks",
    "not_checkable": "What could not be checked",
}
COLORS = {"disagree": "33", "agree": "32", "no_power": "2", "not_checkable": "2"}
GUESSED = "No rules file was given: the names of the columns and the numbers decide the checks, which may not fit."


def clean(text: str) -> str:
    """Return text without control characters, of some length."""
    return shorten(text, LONGEST)


def headline(report: AuditReport) -> str:
    """Return the answer in one sentence.

    Examples
    --------
    >>> import socialstats as ss, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "t.csv"
    >>> _ = file.write_text("group,n,mean rating\\nA,40,5.19\\nB,40,5.18\\n")
    >>> headline(ss.audit.audit(file))
    '4 checks of printed numbers: in 1 of them the sources disagree, in 3 they agree; all 4 cells checked.'
    """
    tally = report.tally()
    able = tally["disagree"] + tally["agree"]
    parts = []
    if tally["disagree"]:
        parts.append(
            f"in {tally['disagree']:,} of them the sources disagree, in {tally['agree']:,} they agree"
        )
    elif not report.findings:
        parts.append("none fits what the tables and the text print")
    elif not able:
        parts += ["all were uninformative"] if tally["no_power"] else []
    elif report.guessed and all(finding.rule == "within" for finding in report.of("agree")):
        parts.append(f"no disagreement, but only the ranges of numbers could be checked ({able:,})")
    else:
        parts.append(f"no disagreement in {count(able, 'informative check')}")
    if tally["no_power"] and able:
        was = "was" if tally["no_power"] == 1 else "were"
        parts.append(f"{tally['no_power']:,} {was} uninformative")
    if tally["not_checkable"]:
        parts.append(f"{tally['not_checkable']:,} could not be checked")
    parts.append(unread_text(report.unread, report.numbers))
    checks = count(len(report.findings), "check")
    return f"{checks} of printed numbers: {'; '.join(filter(None, parts))}."


def lead(report: AuditReport) -> list[tuple[str, str]]:
    """Return the disagreement that leads the report: its place and numbers, its sentence, what it changes."""
    first = leading(report.findings)
    if first is None:
        return []
    place = f"{first.where}: " if first.where else ""
    lines = {
        "Gravest disagreement": place + short(first.message),
        "Sentence": f"“{first.passage}”" if first.passage else "",
        "What it changes": first.changes,
    }
    return [(name, text) for name, text in lines.items() if text]


def asked(rule: Rule) -> str:
    """Return what a rule asks."""
    return CHECKS[rule.check].asks if rule.check in CHECKS else TABLE_CHECKS[rule.check]


def by_verdict(report: AuditReport, verdict: str) -> Iterator[tuple[Rule, list[Finding], str]]:
    """Yield each rule with its findings of a verdict, the largest gaps first, and how many of all its findings."""
    for rule, findings in report.by_rule():
        of_verdict = [finding for finding in findings if finding.verdict == verdict]
        if not of_verdict:
            continue
        share = f"{len(of_verdict):,} of {len(findings):,}"
        agree = tally_of(findings)["agree"]
        if verdict == "disagree" and agree:
            share += f"; {agree:,} agree"
        yield rule, sorted(of_verdict, key=lambda finding: -finding.gap), share


def power_text(findings: Sequence[Finding]) -> str:
    """State how much a rule could have noticed: of the nearest other numbers, on average over its findings."""
    noticed, of = sum(f.noticed for f in findings), sum(f.neighbours for f in findings)
    if not of:
        return ""
    return f"would have noticed {round(100 * noticed / of)}% of the nearest other numbers"


def as_text(report: AuditReport, *, color: bool = False) -> str:
    """Return an audit for a terminal: disagreements with both numbers, then what agrees, rule by rule."""
    lines = [clean(line) for line in (report.title, report.source) if line]
    lines += [headline(report), *([GUESSED] if report.guessed else [])]
    lines += [f"{name}: {clean(text)}" for name, text in lead(report)]
    lines += map(clean, report.book.notes)
    for verdict, heading in HEADINGS.items():
        groups = list(by_verdict(report, verdict))
        if groups:
            title = f"{heading} ({sum(len(findings) for _, findings, _ in groups):,})"
            lines += ["", f"\033[{COLORS[verdict]}m{title}\033[0m" if color else title]
            for rule, findings, share in groups:
                lines += _rule_lines(rule, findings, share, verdict)
        if verdict == "disagree" and report.repairs:
            lines += ["", "One digit", *indented(repair.message for repair in report.repairs)]
    if report.unread:
        lines += ["", "Numbers that no check read", *indented(unread_lines(report))]
    lines += ["", "Read", *indented(what_was_read(report))]
    return "\n".join(lines) + "\n"


def indented(lines: Iterable[str]) -> list[str]:
    """Return the lines below a heading."""
    return [f"  {clean(line)}" for line in lines]


def what_was_read(report: AuditReport) -> list[str]:
    """Return one line for each table with its rows and columns, and one for the sentences."""
    sheets = {id(sheet): sheet for sheet in report.book.sheets.values()}.values()
    lines = []
    for sheet in sheets:
        size = f"{count(len(sheet.rows), 'row')} x {listing(list(sheet.columns), 12)}"
        lines.append(f"{listing(sorted({*sheet.sources}), 3)}: {size}")
    if report.book.passages:
        of_text = [f for f in report.findings if f.passage and not f.cells]
        tests = sum(finding.basis == "numbers" for finding in of_text)
        sentences = count(len(report.book.passages), "sentence")
        lines.append(f"{sentences} with {count(tests, 'test result')}")
    return lines


def unread_lines(report: AuditReport) -> list[str]:
    """Return one line for each column with numbers that no check read, or with cells that are no numbers."""
    lines = []
    for column in report.unread:
        parts = [f"{column.cells:,} of {column.of:,}: {column.reason}"] if column.cells else []
        parts += [f"not read as a number: {listing(list(column.odd), 3)}"] if column.odd else []
        lines.append(f"{column.table}, {column.column}: {'; '.join(parts)}")
    return lines


def _rule_lines(rule: Rule, findings: Sequence[Finding], share: str, verdict: str) -> list[str]:
    claim = [f"    Claim: {clean(rule.claim.text)}"] if rule.claim else []
    if verdict == "agree":
        power = power_text(findings)
        lines = [f"  {clean(rule.name)}: {share}{'; ' + power if power else ''}", *claim]
        if rule.claim and rule.claim.holds != "all":
            lines.append(f"    {clean(findings[0].message)}")
        return lines
    lines = [f"  {clean(rule.name)}: {share}", *claim]
    if rule.note:
        lines.append(f"    {clean(rule.note)}")
    most = MOST_OF_A_RULE if verdict == "disagree" else 1
    for finding in findings[:most]:
        severity = f"[{finding.severity}] " if verdict == "disagree" else ""
        lines.append(f"    {severity}{clean(finding.where)}: {clean(short(finding.message))}")
        if finding.beside:
            rules = listing(list(finding.beside), 3)
            lines.append(f"      The same number agrees in: {clean(rules)}")
    if len(findings) > most:
        rest = f"{len(findings) - most:,} more (all of them in --format html and json)"
        lines.append(f"    ... and {rest}")
    return lines


def short(message: str) -> str:
    """Drop what the heading says already."""
    return message.removeprefix("sources disagree: ")


def as_json(report: AuditReport) -> str:
    """Return an audit as JSON: every finding with its cells, power and details."""
    from socialstats import __version__

    return (
        json.dumps({"socialstats": __version__, **report.to_dict()}, indent=1, allow_nan=False)
        + "\n"
    )

"""An audit as text for a terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from socialstats.audit.checks.catalogue import CHECKS, TABLE_CHECKS
from socialstats.audit.findings.leading import leading
from socialstats.audit.findings.running import AuditReport
from socialstats.audit.findings.unread import unread_text
from socialstats.audit.numbers import Finding
from socialstats.audit.rules.rule import Rule
from socialstats.text import count, listing, shorten

LONGEST = 400
SHOWN_EACH = 12  # findings of one rule in text; HTML and JSON have all
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
    said = f"{count(len(report.findings), 'check')} of printed numbers: "
    if tally["disagree"]:
        said += f"in {tally['disagree']:,} of them the sources disagree, in {tally['agree']:,} they agree"
    elif not able:
        said += "all were uninformative"
    elif report.guessed and all(found.rule == "within" for found in report.of("agree")):
        said += f"no disagreement, but only the ranges of numbers could be checked ({able:,})"
    else:
        said += f"no disagreement in {count(able, 'informative check')}"
    rest = (
        [f"{tally['no_power']:,} {'was' if tally['no_power'] == 1 else 'were'} uninformative"]
        if tally["no_power"] and able
        else []
    )
    rest += [f"{tally['not_checkable']:,} could not be checked"] if tally["not_checkable"] else []
    unread = unread_text(report.unread, report.numbers)
    return "; ".join([said, *rest, *([unread] if unread else [])]) + "."


def lead(report: AuditReport) -> list[tuple[str, str]]:
    """Return the disagreement that leads the report: its place and numbers, its sentence, what it changes."""
    first = leading(report.findings)
    if first is None:
        return []
    found = [
        (
            "Gravest disagreement",
            f"{first.where}: {short(first.message)}" if first.where else short(first.message),
        ),
        ("Sentence", f"“{first.passage}”" if first.passage else ""),
        ("What it changes", first.changes),
    ]
    return [(name, text) for name, text in found if text]


def asked(rule: Rule) -> str:
    """Return what a rule asks."""
    return CHECKS[rule.check].asks if rule.check in CHECKS else TABLE_CHECKS[rule.check]


def by_verdict(report: AuditReport, verdict: str) -> Iterator[tuple[Rule, list[Finding], str]]:
    """Yield each rule with its findings of a verdict, the largest gaps first, and how many of all its findings."""
    for rule, found in report.by_rule():
        some = sorted((f for f in found if f.verdict == verdict), key=lambda f: -f.gap)
        if some:
            said = f"{len(some):,} of {len(found):,}"
            agree = sum(f.verdict == "agree" for f in found)
            yield (
                rule,
                some,
                f"{said}; {agree:,} agree" if verdict == "disagree" and agree else said,
            )


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
            title = f"{heading} ({sum(len(found) for _, found, _ in groups):,})"
            lines += ["", f"\033[{COLORS[verdict]}m{title}\033[0m" if color else title]
            for rule, found, share in groups:
                lines += _rule_lines(rule, found, share, verdict)
        if verdict == "disagree" and report.repairs:
            lines += ["", "One digit", *(f"  {clean(repair.message)}" for repair in report.repairs)]
    if report.unread:
        lines += [
            "",
            "Numbers that no check read",
            *(f"  {clean(line)}" for line in unread_lines(report)),
        ]
    lines += ["", "Read", *(f"  {clean(line)}" for line in what_was_read(report))]
    return "\n".join(lines) + "\n"


def what_was_read(report: AuditReport) -> list[str]:
    """Return one line for each table with its rows and columns, and one for the sentences."""
    sheets = {id(sheet): sheet for sheet in report.book.sheets.values()}.values()
    said = [
        f"{listing(sorted({*sheet.sources}), 3)}: {count(len(sheet.rows), 'row')} x {listing(list(sheet.columns), 12)}"
        for sheet in sheets
    ]
    if report.book.passages:
        tests = sum(
            bool(f.passage) and not f.cells and f.basis == "numbers" for f in report.findings
        )
        said.append(
            f"{count(len(report.book.passages), 'sentence')} with {count(tests, 'test result')}"
        )
    return said


def unread_lines(report: AuditReport) -> list[str]:
    """Return one line for each column with numbers that no check read, or with cells that are no numbers."""
    lines = []
    for one in report.unread:
        said = [f"{one.cells:,} of {one.of:,}: {one.reason}"] if one.cells else []
        said += [f"not read as a number: {listing(list(one.odd), 3)}"] if one.odd else []
        lines.append(f"{one.table}, {one.column}: {'; '.join(said)}")
    return lines


def _rule_lines(rule: Rule, found: Sequence[Finding], share: str, verdict: str) -> list[str]:
    claim = [f"    Claim: {clean(rule.claim.text)}"] if rule.claim else []
    if verdict == "agree":
        power = power_text(found)
        counted = (
            [f"    {clean(found[0].message)}"] if rule.claim and rule.claim.holds != "all" else []
        )
        return [f"  {clean(rule.name)}: {share}{'; ' + power if power else ''}", *claim, *counted]
    lines = [f"  {clean(rule.name)}: {share}", *claim]
    if rule.note:
        lines.append(f"    {clean(rule.note)}")
    most = SHOWN_EACH if verdict == "disagree" else 1
    for finding in found[:most]:
        severity = f"[{finding.severity}] " if verdict == "disagree" else ""
        lines.append(f"    {severity}{clean(finding.where)}: {clean(short(finding.message))}")
        if finding.beside:
            lines.append(
                f"      The same number agrees in: {clean(listing(list(finding.beside), 3))}"
            )
    if len(found) > most:
        lines.append(
            f"    ... and {len(found) - most:,} more (all of them in --format html and json)"
        )
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

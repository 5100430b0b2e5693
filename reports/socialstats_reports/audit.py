"""Audits of published numbers as one self-contained HTML page: disagreements first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from socialstats.audit.findings.show import (
    GUESSED,
    HEADINGS,
    asked,
    by_verdict,
    clean,
    headline,
    lead,
    power_text,
    short,
    what_was_read,
)
from socialstats.studies.page import PageTable
from socialstats.text import listing
from socialstats_reports.data import ESCAPES
from socialstats_reports.page import TEMPLATES, _environment, palette_css, table_view, versions
from socialstats_reports.text import CELL_WIDTH

if TYPE_CHECKING:
    from socialstats.audit.findings.running import AuditReport
    from socialstats.audit.numbers import Finding
    from socialstats.audit.rules.rule import Rule

TITLE = "Do the published numbers agree with each other?"
AGREEING = ("rule", "title", "verdict", "where", "published", "expected", "power")
METHODS = (
    "A printed number is taken as an interval: all values that round to it. It reaches half a unit of the last digit "
    "to both sides, ends included, in exact fractions. Sources disagree when no values inside the intervals of all "
    "numbers that take part fit together. A disagreement says nothing about its cause: rounding by other rules, a "
    "mistyped digit, missing answers or other data all look alike.",
    "Arithmetic needs no sentence. A claim does: a disagreement with one is as severe as its numbers only where the "
    "sentence was found word by word in the document. A claim that is noted in other words gets no verdict.",
    "Power was computed over the twenty nearest other numbers, ten below and ten above in units of the last digit. It "
    "is the share of them that the check would have flagged. A check without power is uninformative.",
)


def render_audit(
    reports: Sequence[AuditReport], *, title: str = TITLE, command: str = "", date: str = ""
) -> str:
    """Return audits as one HTML page.

    Parameters
    ----------
    reports : sequence of AuditReport
        One a paper or rules file.
    title : str
    command : str
        The command line that made the page.
    date : str
        Printed when given; the clock is never read.

    Returns
    -------
    str
        HTML without scripts that run and without requests; everything from tables and rules files is escaped.
    """
    one = len(reports) == 1
    view = {
        "title": (reports[0].title or title) if one else title,
        "source": reports[0].source if one else "",
        "date": date,
        "answer": [headline(reports[0])] if one else _answers(reports),
        "parts": [part(report, i) for i, report in enumerate(reports, 1)],
        "one": one,
        "methods": METHODS,
        "command": command,
        "versions": versions(),
        "palette": palette_css(),
        "css": Markup((TEMPLATES / "report.css").read_text(encoding="utf-8")),
        "json": Markup(_embedded(reports)),
    }
    page: str = _environment().get_template("audit.html").render(view)
    return page


def _answers(reports: Sequence[AuditReport]) -> list[str]:
    checks = sum(len(report.findings) for report in reports)
    bad = sum(len(report.of("disagree")) for report in reports)
    first = f"{checks:,} checks of the tables of {len(reports)} papers: in {bad:,} of them the sources disagree."
    return [first, *(f"{report.title or 'Audit'}: {headline(report)}" for report in reports)]


def part(report: AuditReport, number: int) -> dict[str, Any]:
    """Return one audit as what the template shows."""
    groups = {
        verdict: [
            {
                "rule": rule,
                "share": share,
                "n": len(found),
                "power": power_text(found),
                "claim": claim_text(rule),
                "table": findings_table(found, verdict, asked(rule)),
            }
            for rule, found, share in by_verdict(report, verdict)
        ]
        for verdict in HEADINGS
    }
    return {
        "id": f"part-{number}",
        "title": report.title or "Audit of published numbers",
        "source": report.source,
        "headline": headline(report),
        "lead": lead(report),
        "guessed": GUESSED if report.guessed else "",
        "repairs": [repair.message for repair in report.repairs],
        "sections": [(verdict, heading, groups[verdict]) for verdict, heading in HEADINGS.items()],
        "agree": agree_table(report),
        "unread": unread_table(report),
        "notes": report.book.notes,
        "rules": report.book.text,
        "rules_name": report.book.name,
        "sha256": report.book.sha256,
        "read": what_was_read(report),
    }


def claim_text(rule: Rule) -> str:
    """Return the claim that a rule tests, with its sentence; empty for arithmetic."""
    return f"Claim: {clean(rule.claim.text)}" if rule.claim else ""


def findings_table(found: Sequence[Finding], verdict: str, question: str) -> dict[str, Any]:
    """Return findings as a table of the page."""
    header = (
        "Where",
        "Printed",
        "Implied by the others",
        "Finding",
        "Severity",
        "The same number agrees in",
    )
    cells = tuple(
        (
            f.where[:CELL_WIDTH],
            f.published,
            f.expected,
            short(f.message),
            f.severity if verdict == "disagree" else "",
            listing(list(f.beside), 3),
        )
        for f in found
    )
    return words_table(question, header, cells)


def agree_table(report: AuditReport) -> dict[str, Any]:
    """Return what agrees, one row a rule."""
    cells = tuple(
        (rule.name, claim_text(rule) or asked(rule), share, power_text(found))
        for rule, found, share in by_verdict(report, "agree")
    )
    return words_table(
        "What agrees, rule by rule", ("Rule", "What it checks", "Agree", "Power"), cells
    )


def unread_table(report: AuditReport) -> dict[str, Any] | None:
    """Return the numbers that no check read, one row a column; None without any."""
    cells = tuple(
        (one.table, one.column, f"{one.cells:,} of {one.of:,}", "; ".join((one.reason, *one.odd)))
        for one in report.unread
    )
    header = ("Table", "Column", "Numbers", "What a check would need")
    return words_table("Numbers that no check read", header, cells) if cells else None


def words_table(
    caption: str, header: tuple[str, ...], cells: tuple[tuple[str, ...], ...]
) -> dict[str, Any]:
    """Return a table of the page with every column flush left."""
    view = table_view(PageTable(caption=caption, header=header, cells=cells))
    return view | {"right": [False] * len(view["header"])}


def _brief(finding: dict[str, Any]) -> dict[str, Any]:
    """Return a finding for the page's JSON: what agrees in short (``--format json`` has all), nothing empty."""
    kept = AGREEING if finding["verdict"] == "agree" else tuple(finding)
    return {name: finding[name] for name in kept if finding[name] not in ("", None, [], {})}


def _embedded(reports: Sequence[AuditReport]) -> str:
    import json

    found = {"audits": [report.to_dict() for report in reports]}
    for one in found["audits"]:
        one["findings"] = [_brief(finding) for finding in one["findings"]]
    return json.dumps(found, allow_nan=False, ensure_ascii=False, separators=(",", ":")).translate(
        ESCAPES
    )

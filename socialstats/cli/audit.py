"""The audit command: are published numbers possible, and do they agree with each other?"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

import socialstats_reports
from socialstats.audit import audit, papers, printed, sprite
from socialstats.audit.documents.reading import is_document
from socialstats.audit.findings.running import AuditReport
from socialstats.audit.findings.show import GUESSED, as_json, as_text, headline, lead, unread_lines
from socialstats.audit.rules.files import optional_tables
from socialstats.cli.options import PRINTED
from socialstats.cli.writing import (
    Entry,
    as_junit,
    as_summary,
    command_line,
    source_date,
    write,
)
from socialstats.errors import InputError
from socialstats.tables.writing import as_bytes
from socialstats.text import listing


def run(options: argparse.Namespace) -> int:
    """Audit the tables and write the outcome."""
    if options.reconstruct is not None:
        return reconstruct(options)
    if options.example is not None:
        if options.rules:
            raise InputError("--example brings its own rules: leave out --rules")
        options.rules = str(papers(options.example)[options.example])
        optional = optional_tables(options.rules)
        folder = options.example == "003"
        strange = [
            name
            for name in options.tables
            if not (folder and Path(name).is_dir())
            and Path(name).name.split(".")[0] not in optional
            and not is_document(name)
        ]
        if strange:
            further = listing([f"{name}.csv ({what})" for name, what in optional.items()]) or "none"
            raise InputError(
                f"{strange[0]} is no table of this example, which brings its own. Further ones: {further}"
            )
    report = (
        audited(options.tables, options.rules)
        if options.example == "003"
        else audit(options.tables, options.rules)
    )
    write(options, lambda kind, color: rendered(kind, report, color), (*PRINTED, "junit"))
    bad = [f for f in report.findings if f.verdict == "disagree"]
    reached = {
        "never": False,
        "disagree": bool(bad),
        "major": any(f.severity == "major" for f in bad),
    }
    return int(reached[options.fail_on])


def reconstruct(options: argparse.Namespace) -> int:
    """Write what a mean and a standard deviation leave possible; a map or a histogram is drawn in Python."""
    if options.tables or options.rules or options.example:
        raise InputError("--reconstruct takes five numbers and no tables: leave out the others")
    mean, sd, n, low, high = options.reconstruct
    if printed(low).value >= printed(high).value:
        raise InputError(
            f"--reconstruct: the lowest score ({low}) is not below the highest ({high})"
        )
    samples = sprite(mean, sd, n, low=low, high=high)

    def content(kind: str, color: bool) -> str:
        if kind == "html":
            raise InputError("--reconstruct writes no html: say --format text, md or json")
        if kind == "json":
            return json.dumps(samples.to_dict(), indent=1) + "\n"
        return samples.message + "\n"

    write(options, content)
    bad = samples.finding.verdict == "disagree"
    return int(bad and options.fail_on != "never")


def audited(paths: Sequence[str], rules: str) -> AuditReport:
    """Audit with the tables of ADA-Met's released folder, where a folder is given."""
    folders = [path for path in paths if Path(path).is_dir()]
    if not folders:
        return audit(paths, rules)
    # only the folder of one paper is read as logs
    from socialstats.harness_logs.ada_met import tables_of

    with tempfile.TemporaryDirectory() as place:
        tables = {
            Path(place) / f"{name}.csv": rows for name, rows in tables_of(Path(folders[0])).items()
        }
        for path, rows in tables.items():
            path.write_bytes(as_bytes(pd.DataFrame(rows), "csv"))
        return audit([*tables, *(path for path in paths if path not in folders)], rules)


def rendered(kind: str, report: AuditReport, color: bool) -> str:
    """Return the outcome in one of the formats."""
    if kind == "html":
        return str(
            socialstats_reports.render_audit([report], command=command_line(), date=source_date())
        )
    if kind == "json":
        return as_json(report)
    if kind == "text":
        return as_text(report, color=color)
    entries = [
        Entry(
            source=finding.title,
            name=finding.where or finding.title,
            verdict=finding.verdict,
            reason=finding.message
            if finding.basis == "numbers"
            else f"{finding.message} (claim: {finding.passage})",
            wrong=finding.verdict == "disagree",
            skipped=finding.verdict in ("no_power", "not_checkable"),
            cells=(
                finding.published,
                finding.expected,
                finding.severity if finding.severity != "none" else "",
            ),
        )
        for finding in report.findings
    ]
    if kind == "junit":
        return as_junit("socialstats audit", entries)
    gaps = sorted(zip(report.findings, entries, strict=True), key=lambda pair: -pair[0].gap)
    notes = [report.source, GUESSED * report.guessed]
    notes += [
        *report.book.notes,
        *(repair.message for repair in report.repairs),
        *unread_lines(report),
    ]
    title, heads = report.title or "Audit of published numbers", ("Printed", "Implied", "Severity")
    return as_summary(
        title,
        headline(report),
        [entry for _, entry in gaps],
        heads,
        list(filter(None, notes)),
        source="Rule",
        above=[f"{name}: {text}" for name, text in lead(report)],
    )

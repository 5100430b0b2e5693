"""The validate command: recompute the numbers that another harness printed."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

import socialstats_reports
from socialstats import __version__
from socialstats.audit.claims.files import read_claims
from socialstats.audit.claims.judging import check
from socialstats.audit.claims.show import as_text, name_of, ordered, outcome_of, row_of, rows_text
from socialstats.audit.claims.verdicts import SAID, headline
from socialstats.claims import Checked, Claim
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
from socialstats.harness_logs import read_logs


def run(options: argparse.Namespace) -> int:
    """Check the logs and write the outcome; 1 when a number is wrong."""
    if options.only_claims and not options.claims:
        raise InputError(
            "--only-claims checks the numbers of a claims file: name it with --claims FILE"
        )
    claims: tuple[Claim, ...] = read_claims(options.claims) if options.claims else ()
    logs = [log for path in options.logs for log in read_logs(path, options.harness)]
    if claims and len(logs) > 1:
        names = ", ".join(log.files[0] for log in logs[:4])
        raise InputError(
            f"--claims is about one log, and here are {len(logs)} ({names} ...). Name one of them"
        )
    checked = [
        check(log, claims, cluster=options.cluster, only_claims=options.only_claims) for log in logs
    ]
    write(options, lambda kind, color: rendered(kind, checked, color), (*PRINTED, "junit"))
    return 0 if all(log.ok for log in checked) else 1


def rendered(kind: str, checked: Sequence[Checked], color: bool) -> str:
    """Return the outcome in one of the formats."""
    if kind == "html":
        facts = {"data": ", ".join(log.source for log in checked)}
        outcome = outcome_of(checked)
        return str(
            socialstats_reports.render(
                outcome, command=command_line(), facts=facts, date=source_date()
            )
        )
    if kind == "json":
        logs = [log.to_dict() for log in checked]
        ok = all(log.ok for log in checked)
        content = {"socialstats": __version__, "ok": ok, "logs": logs}
        return json.dumps(content, indent=1, allow_nan=False) + "\n"
    if kind == "junit":
        return as_junit("socialstats validate", entries_of(checked))
    return summary_of(checked) if kind == "md" else as_text(checked, color=color)


def entries_of(checked: Sequence[Checked]) -> list[Entry]:
    """Return every checked number with its log, those that need attention first."""
    entries = []
    for log in checked:
        for judged in ordered(log.judged):
            title, printed, recomputed, _, definition, reason, _ = row_of(judged)
            entries.append(
                Entry(
                    source=name_of(log),
                    name=title,
                    verdict=SAID[judged.verdict].one,
                    wrong=judged.wrong,
                    reason=reason,
                    skipped=judged.verdict == "not_computable",
                    cells=(printed, recomputed, definition),
                )
            )
    return entries


def summary_of(checked: Sequence[Checked]) -> str:
    """Return the outcome of logs in Markdown, for a pull request."""
    title = name_of(checked[0]) if len(checked) == 1 else f"{len(checked):,} logs"
    notes = [f"{name_of(log)}: rows: {rows_text(log)}" for log in checked]
    notes += [str(text) for log in checked for text in (*log.cautions, *log.notes)]
    verdict = headline([judged for log in checked for judged in log.judged])
    return as_summary(
        title, verdict, entries_of(checked), ("Printed", "Recomputed", "Definition"), notes
    )

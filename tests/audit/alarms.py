"""Alarms of the five bundled papers: what each rests on, and whether every known finding is told.

known_findings.csv has the place of each number that disagreed when claims in other words than the papers' were alarms.

    python tests/audit/alarms.py
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import socialstats as ss
from socialstats.audit.findings.running import AuditReport

KNOWN = Path(__file__).with_name("known_findings.csv")
Known = tuple[str, str]
"""The place of a number, and the number as it is printed."""


def known_findings(paper: str) -> list[Known]:
    """Return the known findings of a paper."""
    rows = csv.DictReader(KNOWN.read_text(encoding="utf-8").splitlines())
    return [(row["place"], row["printed"]) for row in rows if row["paper"] == paper]


def split(report: AuditReport, known: list[Known]) -> tuple[list[Known], list[Known], list[Known]]:
    """Return the known findings that are alarms, those that a note tells, and those that are not told."""
    alarms = {(f.where, f.published) for f in report.of("disagree")}
    notes = [f for f in report.findings if f.verdict == "not_checkable" and f.basis == "note"]
    noted = {place for f in notes for place in f.details["exceptions"]}
    others = [one for one in known if one not in alarms]
    return (
        [one for one in known if one in alarms],
        [one for one in others if one[0] in noted],
        [one for one in others if one[0] not in noted],
    )


def main() -> None:
    """Print every rule with alarms, its evidence, and both figures."""
    total: Counter[str] = Counter()
    for paper, path in ss.audit.papers().items():
        report = ss.audit.audit([], path)
        print(f"{paper}: {report.title}")
        for rule, found in report.by_rule():
            alarms = [f for f in found if f.verdict == "disagree"]
            for basis, n in Counter(f.basis for f in alarms).items():
                evidence = rule.claim.text if rule.claim else "arithmetic between printed numbers"
                print(f"  {n:3} of {len(found):3} {rule.name} [{rule.check}]: {basis}, {evidence}")
                total[f"alarms, basis {basis}"] += n
        known = known_findings(paper)
        for name, some in zip(
            ("alarms", "told by a note", "not told"), split(report, known), strict=True
        ):
            total[f"known findings, {name}"] += len(some)
        total["known findings"] += len(known)
    for name, n in sorted(total.items()):
        print(f"{name}: {n}")


if __name__ == "__main__":
    main()

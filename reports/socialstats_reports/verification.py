"""The comparison with independent implementations on a page: one line for numbers checked in one way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from socialstats.results import Check, Verification, totals
from socialstats.studies.page import Table
from socialstats_reports.text import significant

HEADER = ("Result", "Compared with", "Numbers", "Agree", "Farthest apart", "Ours", "Theirs", "|Difference|",
          "Tolerance", "Why")  # fmt: skip


def verification_lines(found: Mapping[str, Verification]) -> dict[str, list[str]]:
    """Return the counts by kind, and the reasons why numbers were not checked, in words."""
    tallies, reasons = totals(found.values())
    return {
        "counts": [f"{kind} {tally.agree:,} of {tally.n:,}" for kind, tally in tallies.items()],
        "wrong": [f"{kind} {tally.disagree:,}" for kind, tally in tallies.items() if tally.disagree],
        "reasons": [f"{reason} ({n:,})" for reason, n in reasons.most_common()],
    }


def verification_table(found: Mapping[str, Verification]) -> Table:
    """Return a line for each result, package and kind of check; a number that disagrees has a line of its own."""
    groups: dict[tuple[str, ...], list[Check]] = {}
    for name, verification in found.items():
        for check in verification:
            why = "; ".join(part for part in (check.why, check.note) if part)
            alone = check.quantity if check.ok is False else ""
            key = (name, f"{check.package} {check.version}".strip(), why, str(check.ok is None), alone)
            groups.setdefault(key, []).append(check)
    return Table(
        caption="Our numbers beside those of independent implementations; of each kind of check, the number that is "
        "farthest from the other for its tolerance. Every single one is in the page's JSON (socialstats show)",
        header=HEADER,
        cells=tuple(_cells(key[0], key[1], key[2], checks) for key, checks in groups.items()),
    )


def _cells(name: str, package: str, why: str, checks: Sequence[Check]) -> tuple[str | int, ...]:
    """Return one line: how many numbers, how many agree, and the one that is farthest apart."""
    compared = [check for check in checks if check.ok is not None]
    agree = f"{sum(bool(check.ok) for check in compared)}" if compared else "not compared"
    worst = max(checks, key=_distance)
    return (
        name, package, len(checks), agree, worst.quantity, significant(worst.ours), significant(worst.theirs),
        significant(worst.difference, 2), significant(worst.tolerance, 2), why,
    )  # fmt: skip


def _distance(check: Check) -> float:
    """Return the difference in units of its tolerance; a number without one is nearest."""
    if check.difference is None:
        return -1.0
    return check.difference / check.tolerance if check.tolerance > 0 else float(check.difference > 0) * 1e9

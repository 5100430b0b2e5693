"""The comparison with independent implementations on a page: one line for numbers checked in one way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from socialstats.results import Check, Verification, totals
from socialstats.results.verification import absent_of, install_line
from socialstats.studies.page import Table
from socialstats.text import count, quoted
from socialstats_reports.text import significant

HEADER = ("Result", "Compared with", "Values", "Agree", "Largest difference", "Ours", "Theirs", "|Difference|",
          "Tolerance", "Reason")  # fmt: skip


def verification_words(found: Mapping[str, Verification]) -> dict[str, str]:
    """Return how many recomputed values agreed; what disagreed, by kind; and why values were not recomputed."""
    tallies, reasons = totals(found.values())
    agree, wrong = sum(t.agree for t in tallies.values()), {k: t.disagree for k, t in tallies.items() if t.disagree}
    n = agree + sum(wrong.values())
    which = dict.fromkeys(check.quantity for one in found.values() for check in one if check.row is not None
                          and check.ok is False)  # fmt: skip
    return {
        "said": f"{count(agree)} of {count(n, 'recomputed value')} agreed with independent implementations within "
        "tolerance." if n else "No value was recomputed by an independent implementation.",
        "wrong": f"{count(sum(wrong.values()))} disagreed: {', '.join(f'{k} {count(w)}' for k, w in wrong.items())} "
        f"({quoted(list(which), 5)}). Quote none of these values." if wrong else "",
        "by_kind": "; ".join(f"{kind} {count(tally.agree)} of {count(tally.n)}" for kind, tally in tallies.items()),
        "reasons": "; ".join(f"{reason} ({count(n)})" for reason, n in reasons.most_common()),
        "absent": "; ".join(map(install_line, absent_of(found.values()))),
    }  # fmt: skip


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
        caption="Recomputation by independent implementations: of each kind of check, the value that differs most "
        "relative to its tolerance",
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

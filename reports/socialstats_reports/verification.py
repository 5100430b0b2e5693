"""The comparison with independent implementations on a page: one line for numbers checked in one way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import attrgetter

from socialstats.results import Check, Verification
from socialstats.results.verification import LACKS, absent_of, install_line
from socialstats.studies.page import Outcome, PageTable
from socialstats.studies.recomputed import recomputed
from socialstats.text import count, quoted
from socialstats_reports.text import significant

HEADER = (
    "Result",
    "Compared with",
    "Values",
    "Agree",
    "Largest difference",
    "Ours",
    "Theirs",
    "|Difference|",
    "Tolerance",
    "Reason",
)


def verification_words(
    outcome: Outcome, verifications: Mapping[str, Verification]
) -> dict[str, str]:
    """Return how many numbers of the page were recomputed, why the others were not, and what disagreed.

    Parameters
    ----------
    outcome : Outcome
    verifications : mapping of str to Verification
        The comparisons of its results, which the page made.
    """
    wrong = [
        check.quantity
        for verification in verifications.values()
        for check in verification
        if check.row is not None and check.ok is False
    ]
    counted = recomputed(outcome, verifications)
    notes = sum((verification.reasons() for verification in verifications.values()), Counter[str]())
    return {
        "said": " ".join(counted.sentences(" of this page")),
        "wrong": f"Do not quote what disagrees: {quoted(list(dict.fromkeys(wrong)), 5)}."
        if wrong
        else "",
        "by_kind": "; ".join(
            f"{kind} {count(tally.agree)} of {count(tally.n)}"
            for kind, tally in counted.kinds.items()
        ),
        "reasons": "; ".join(f"{LACKS[why]} {count(n)}" for why, n in counted.lacks.items()),
        "notes": "; ".join(f"{note} ({count(n)})" for note, n in notes.most_common()),
        "absent": "; ".join(map(install_line, absent_of(verifications.values()))),
    }


def verification_table(verifications: Mapping[str, Verification]) -> PageTable:
    """Return a line for each result, package and kind of check; a number that disagrees has a line of its own."""
    groups: dict[tuple[str, ...], list[Check]] = {}
    for name, verification in verifications.items():
        for check in verification:
            why = "; ".join(part for part in (check.why, check.note) if part)
            alone = check.quantity if check.ok is False else ""
            key = (
                name,
                f"{check.package} {check.version}".strip(),
                why,
                str(check.ok is None),
                alone,
            )
            groups.setdefault(key, []).append(check)
    return PageTable(
        caption="Recomputation by independent implementations: of each kind of check, the value that differs most "
        "relative to its tolerance",
        header=HEADER,
        cells=tuple(_cells(key[0], key[1], key[2], checks) for key, checks in groups.items()),
    )


def _cells(name: str, package: str, why: str, checks: Sequence[Check]) -> tuple[str | int, ...]:
    """Return one line: how many numbers, how many agree, and the one that is farthest apart."""
    compared = [check for check in checks if check.ok is not None]
    agree = f"{sum(bool(check.ok) for check in compared)}" if compared else "not compared"
    worst = max(checks, key=attrgetter("distance"))
    return (
        name,
        package,
        len(checks),
        agree,
        worst.quantity,
        significant(worst.ours),
        significant(worst.theirs),
        significant(worst.difference, 2),
        significant(worst.tolerance, 2),
        why,
    )

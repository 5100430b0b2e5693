"""Checked claims as text for a terminal, and as a page of the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from socialstats.audit.claims.own_estimates import Own
from socialstats.audit.claims.verdicts import SAID, SHOWN, digits, headline
from socialstats.designs.parts import FlowStep
from socialstats.studies.page import Block, Outcome, PageTable
from socialstats.text import count, listing, number, percent_of, shorten

if TYPE_CHECKING:
    from socialstats.audit.claims.judged import Checked, Judged

LONGEST = 400
LABEL = 13
ALSO = 3


def as_text(checked: Sequence[Checked], *, color: bool = False) -> str:
    """Return the outcome of logs for a terminal: the summary, then the claims by verdict.

    Parameters
    ----------
    checked : sequence of Checked
        One a log.
    color : bool
        Headings in colour.
    """
    lines: list[str] = []
    if len(checked) > 1:
        lines += [
            f"{len(checked):,} logs: {headline([claim for log in checked for claim in log.judged])}",
            "",
        ]
    for log in checked:
        lines += [*_log_lines(log, color), ""]
    return "\n".join(lines).rstrip() + "\n"


def name_of(log: Checked) -> str:
    """Return the files of a log, and the harness that wrote it."""
    harness = " ".join(part for part in (log.harness, log.version) if part)
    return clean(f"{log.source} ({harness})" if harness else log.source)


def clean(text: str) -> str:
    """Return text that a terminal prints as it is: no control characters, of some length."""
    return shorten(text, LONGEST)


def _log_lines(log: Checked, color: bool) -> list[str]:
    lines = [name_of(log), log.headline()]
    for verdict in SHOWN:
        judged = log.by_verdict(verdict)
        if not judged:
            continue
        title = f"{SAID[verdict].heading} ({len(judged):,})"
        lines += ["", f"\033[{SAID[verdict].color}m{title}\033[0m" if color else title]
        for alike in same_reason(judged):
            lines += _claim_lines(alike, log.source)
    lines += ["", f"Rows: {rows_text(log)}"]
    lines += [f"Caution {clean(str(c))}" for c in log.cautions]
    return lines + [f"Note: {clean(note)}" for note in log.notes]


def same_reason(judged: Sequence[Judged]) -> list[list[Judged]]:
    """Group claims that nothing was computed for, for one and the same reason."""
    groups: dict[str, list[Judged]] = {}
    for i, claim in enumerate(judged):
        alone = claim.recomputed is not None or not claim.reason
        groups.setdefault(f"{i}" if alone else claim.reason, []).append(claim)
    return list(groups.values())


def _claim_lines(alike: Sequence[Judged], source: str) -> list[str]:
    lines = []
    for judged in alike:
        number = judged.claim.printed.strip()
        lines.append(
            f"  {clean(judged.title)}{f' = {clean(number)}' if number else ', not printed'}"
        )
    for label, text in facts(alike[0], source):
        lines.append(f"    {label:<{LABEL}}{clean(text)}")
    return lines


def facts(judged: Judged, source: str = "") -> list[tuple[str, str]]:
    """Return what is said about a claim beside its number, as pairs of label and text."""
    recomputed, definition = judged.recomputed, judged.definition
    also = others_text(judged)
    lines: dict[str, str] = {}
    if judged.verdict == "explained":
        lines["documented"] = "undefined" if recomputed is None else digits(recomputed)
        lines["fits"] = f"{digits(judged.value)}: {definition}"
        lines["others"] = also
    elif judged.verdict == "reproduced":
        lines["formula"] = "; ".join(part for part in (definition, also) if part)
    elif recomputed is not None:
        lines["recomputed"] = f"{digits(recomputed)}: {definition}"
    if judged.reason:
        lines["why"] = judged.reason
    if judged.own is not None:
        lines["ours"] = own_text(judged.own)
    if judged.wrong and judged.claim.where:
        lines["where"] = judged.claim.where.removeprefix(f"{source}: ")
    return list(lines.items())


def others_text(judged: Judged) -> str:
    """State how many other definitions were tried, and whether any of them gives the number too."""
    n, fitting = judged.tried - 1, len(judged.matches)
    if n < 1:
        return ""
    if not fitting:
        if n == 1:
            return "the other definition tried gives another number"
        return f"none of {n:,} others gives this number"
    text = f"{fitting:,} of {count(n, 'other')} {'gives' if fitting == 1 else 'give'} it too"
    if judged.verdict == "reproduced":
        return text
    return f"{text}: {'; or '.join(judged.matches[:ALSO])}"


def own_text(own: Own) -> str:
    """Return our own estimate as text with its interval, units and clusters.

    Examples
    --------
    >>> own_text(Own(estimate=0.75, std_error=0.1, conf_low=0.5, conf_high=0.9, n_units=16, n_clusters=8, cluster="s"))
    "0.7500, 95% CI [0.5000, 0.9000]; 16 units in 8 clusters of 's'"
    """
    where = f"; {where_text(own)}" if own.n_units or own.n_clusters else ""
    if own.conf_low is None:
        return f"{number(own.estimate, 4)}, no interval ({own.undefined or 'none for this estimate'}){where}"
    ends = f"[{number(own.conf_low, 4)}, {number(own.conf_high, 4)}]"
    return f"{number(own.estimate, 4)}, {percent_of(own.level)} CI {ends}{where}"


def where_text(own: Own) -> str:
    """State how many units and clusters an estimate rests on."""
    units = count(own.n_units, "unit") if own.n_units else ""
    if not own.n_clusters:
        return f"{units}, taken as independent" if own.independent else units
    clusters = count(own.n_clusters, "cluster") + (
        f" of '{shorten(own.cluster)}'" if own.cluster else ""
    )
    return f"{units} in {clusters}" if units else clusters


def rows_text(log: Checked) -> str:
    """Count rows by status."""
    total = sum(log.rows.values())
    if not total:
        return "none: the log holds no scores of single units"
    if set(log.rows) == {"ok"}:
        return f"{total:,}, all with a score"
    words = {"ok": "with a score"}
    kinds = [f"{n:,} {words.get(status) or clean(status)}" for status, n in log.rows.items()]
    return f"{total:,}, of which {listing(kinds, 8)}"


def row_of(judged: Judged) -> tuple[str, ...]:
    """Return a claim as cells under `HEADER`."""
    return (
        judged.title,
        judged.claim.printed.strip() or "nothing",
        digits(judged.recomputed),
        SAID[judged.verdict].cell,
        judged.definition,
        judged.reason,
        own_text(judged.own) if judged.own else "",
    )


SENTENCES_AT_MOST = 12
QUESTION = "Which of the printed numbers were reproduced?"
HEADER = ("Number", "Printed", "Recomputed", "Verdict", "Definition", "Why", "Our estimate")
NAMED_AT_MOST = 4
METHODS = (
    "Each printed number was computed again from the rows. It counts as reproduced if the definition that the log "
    "documents gives it. A float printed in full must agree in all digits (1e-12 relative). Otherwise any value that "
    "rounds to the printed number agrees, with ties rounded either way. Where the documented definition did not give "
    "the number, other definitions were tried, those closest to the documented one first. They differ from it in at "
    "most two of rows, repeats and formula. Every definition that gives the number is named.",
    "Our estimates average the repeats of a unit first. Their 95% CIs are Wilson's with the effective number of trials "
    "for scores between 0 and 1, otherwise t intervals. Both use a cluster-robust (CR2) variance where a column of "
    "clusters is named.",
)


def ordered(judged: Sequence[Judged]) -> list[Judged]:
    """Return claims with those that need attention first."""
    return sorted(judged, key=lambda claim: SHOWN.index(claim.verdict))


def claims_table(judged: Sequence[Judged], caption: str) -> PageTable:
    """Return claims as a table of the page."""
    return PageTable(caption=caption, header=HEADER, cells=tuple(map(row_of, ordered(judged))))


def together(alike: Sequence[Judged]) -> str:
    """Return one sentence about claims with the same verdict for the same reason."""
    if len(alike) == 1:
        return alike[0].sentence()
    names = listing([judged.title for judged in alike], NAMED_AT_MOST)
    return f"{len(alike):,} numbers {SAID[alike[0].verdict].many}: {alike[0].reason}. They are {names}."


def claims_block(
    judged: Sequence[Judged], *, name: str = "claims", question: str = QUESTION
) -> Block:
    """Return claims as a block: how many stand, those that do not in words, and all of them in a table."""
    doubtful = ("inconsistent", "not_reproduced", "explained")
    groups = same_reason([claim for claim in ordered(judged) if claim.verdict in doubtful])
    sentences = [headline(judged), *map(together, groups[:SENTENCES_AT_MOST])]
    if len(groups) > SENTENCES_AT_MOST:
        sentences.append("The table has the others.")
    table = claims_table(judged, "Every printed number beside ours")
    return Block(
        id=name,
        question=question,
        sentences=tuple(sentences),
        tables=(table,) if judged else (),
    )


def outcome_of(checked: Sequence[Checked]) -> Outcome:
    """Return checked logs as an outcome that the report renders."""
    judged = [claim for log in checked for claim in log.judged]
    blocks = [
        claims_block(log.judged, name=f"log-{i}", question=name_of(log))
        for i, log in enumerate(checked, 1)
    ]
    rows = sum(sum(log.rows.values()) for log in checked)
    scored = sum(log.rows.get("ok", 0) for log in checked)
    notes = PageTable(
        caption="What the logs show",
        header=("Log", "Rows", "Notes"),
        cells=tuple((name_of(log), rows_text(log), " ".join(log.notes)) for log in checked),
    )
    return Outcome(
        study="validate",
        title=QUESTION,
        design=f"{count(len(checked), 'log')}, {count(rows, 'row')}, {count(len(judged), 'number')}",
        answer=(headline(judged),),
        cautions=tuple(dict.fromkeys(c for log in checked for c in log.cautions)),
        blocks=tuple(blocks),
        flow=(
            FlowStep(label="rows read", rows=rows),
            FlowStep(label="rows with a score", rows=scored),
        ),
        data=(notes,),
        methods=METHODS,
    )

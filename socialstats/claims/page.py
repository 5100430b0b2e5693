"""Checked claims as a block of a report, and as a page of their own."""

from __future__ import annotations

from collections.abc import Sequence

from socialstats.claims.judged import Checked, Judged, digits
from socialstats.claims.show import name_of, own_text, rows_text, same_reason
from socialstats.claims.words import HEADINGS, PHRASES, headline
from socialstats.designs.parts import FlowStep
from socialstats.studies.outcome import Block, Outcome, Table
from socialstats.text import count, listing

SAID_AT_MOST = 12
QUESTION = "Which of the printed numbers stand?"
HEADER = ("Number", "Printed", "Recomputed", "Verdict", "Definition", "Why", "Our estimate")
VERDICTS_OF_MANY = {verdict: many for verdict, _, many in PHRASES}
NAMED_AT_MOST = 4
VERDICT_WORDS = {
    "reproduced": "stands", "explained": "another definition", "not_reproduced": "not reproduced",
    "inconsistent": "inconsistent", "not_computable": "cannot be recomputed",
}  # fmt: skip
METHODS = (
    "Each printed number was computed again from the rows. It stands when the definition that the log documents gives "
    "it: all digits where the file prints a float in full (1e-12 relative), else any value that rounds to it, whatever "
    "way ties went. Where it does not, other definitions are tried in order of how little they depart from the "
    "documented one (rows, repeats, formula; at most two departures), and every one that gives the number is named.",
    "Our estimates average the repeats of a unit first. Their intervals have 95 % confidence: Wilson's with the "
    "effective number of trials for scores between 0 and 1, otherwise t, both with a cluster-robust (CR2) variance "
    "where a column of clusters is named.",
)  # fmt: skip


def ordered(judged: Sequence[Judged]) -> list[Judged]:
    """Return claims with those that need attention first."""
    order = {verdict: i for i, verdict in enumerate(HEADINGS)}
    return sorted(judged, key=lambda one: order[one.verdict])


def claims_table(judged: Sequence[Judged], caption: str) -> Table:
    """Return claims as a table of the page."""
    cells = tuple(
        (
            one.title, one.claim.printed.strip() or "nothing", digits(one.recomputed), VERDICT_WORDS[one.verdict],
            one.definition, one.reason, own_text(one.own) if one.own else "",
        )
        for one in ordered(judged)
    )  # fmt: skip
    return Table(caption=caption, header=HEADER, cells=cells)


def together(alike: Sequence[Judged]) -> str:
    """Say one sentence about claims with the same verdict for the same reason."""
    if len(alike) == 1:
        return alike[0].sentence()
    names = listing([one.title for one in alike], NAMED_AT_MOST)
    return f"{len(alike):,} numbers {VERDICTS_OF_MANY[alike[0].verdict]}: {alike[0].reason}. They are {names}."


def claims_block(judged: Sequence[Judged], *, name: str = "claims", question: str = QUESTION) -> Block:
    """Return claims as a block: how many stand, those that do not in words, and all of them in a table."""
    trouble = [one for one in ordered(judged) if one.verdict in ("inconsistent", "not_reproduced", "explained")]
    groups = same_reason(trouble)
    said = [together(alike) for alike in groups[:SAID_AT_MOST]]
    if len(groups) > SAID_AT_MOST:
        said.append("The table has the others.")
    table = claims_table(judged, "Every printed number beside ours")
    return Block(id=name, question=question, sentences=(headline(judged), *said), tables=(table,) if judged else ())


def outcome_of(checked: Sequence[Checked]) -> Outcome:
    """Return checked logs as an outcome that the report renders."""
    judged = [one for log in checked for one in log.judged]
    blocks = [
        claims_block(log.judged, name=f"log-{i}", question=name_of(log)) for i, log in enumerate(checked, 1)
    ]  # fmt: skip
    rows = sum(sum(log.rows.values()) for log in checked)
    scored = sum(log.rows.get("ok", 0) for log in checked)
    notes = Table(caption="What the logs show", header=("Log", "Rows", "Notes"),
                  cells=tuple((name_of(log), rows_text(log), " ".join(log.notes)) for log in checked))  # fmt: skip
    return Outcome(
        study="validate", title=QUESTION,
        design=f"{count(len(checked), 'log')}, {count(rows, 'row')}, {count(len(judged), 'number')}",
        answer=(headline(judged),), strip=None,
        cautions=tuple(dict.fromkeys(c for log in checked for c in log.cautions)), blocks=tuple(blocks),
        flow=(FlowStep(label="rows read", rows=rows), FlowStep(label="rows with a score", rows=scored)),
        data=(notes,), methods=METHODS,
    )  # fmt: skip

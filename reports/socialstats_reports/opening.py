"""The opening of a page below its verdict: three short answers, and the statistics."""

from __future__ import annotations

from collections.abc import Sequence

from socialstats.cautions import COUNTED, COUNTED_OF, PLAIN
from socialstats.errors import CAUTIONS, Caution
from socialstats.studies.page import Outcome
from socialstats.studies.second import told_together
from socialstats.studies.verdicts import range_holds
from socialstats.text import count, listing
from socialstats_reports.once import words_outside_brackets
from socialstats_reports.text import sentence

NO_CAUTION, NO_FURTHER = "No caution was raised.", "No other caution was raised."
SIMULATED = "The data are simulated, so they say nothing about real models or people."
LESS_SURE = " What stands under 'What could be wrong?' can make it less sure."
MOST_NAMED = 3  # cautions that the short answer names
MOST_OF_DETAIL = 14  # words of what a named caution is about
MOST_OF_SUBJECT = 9  # words of what a caution in plain words is about
# what to collect, by whether the question is open
NEXT = {
    True: "More of the same data: the question is open.",
    False: "The same on other prompts or days, to see whether it holds there.",
}


def short_answers(outcome: Outcome, cautions: Sequence[Caution]) -> list[tuple[str, str]]:
    """Return three questions of every reader with their answers: how sure, what could be wrong, what to collect.

    Parameters
    ----------
    outcome : Outcome
    cautions : sequence of Caution
        Those that stand open on the page, strongest first.
    """
    if outcome.verdict is None:
        return []
    level = float(outcome.settings.get("level", 0.95))
    sure = outcome.verdict.how_sure(level)
    unsure = outcome.verdict.certainty in ("open", "fixed")
    settled = not unsure or outcome.verdict.partly_ranked
    here = list(dict.fromkeys(analysis.here for analysis in outcome.turned if analysis.here))
    if here and settled:
        sure += f" This holds {listing(here)}."
    wrong = [NO_CAUTION, "How the data came about is not checked."]
    if cautions:
        if settled:
            sure += LESS_SURE
        # what turns the verdict takes the room of a caution
        most = MOST_NAMED - bool(outcome.turned)
        texts = plain_texts(cautions)
        more = len(texts) - most
        wrong = texts[:most]
        # "How sure?" has said it where the verdict rests on a range
        if outcome.verdict.certainty != "interval" and any(map(is_about_ranges, cautions)):
            wrong.append(f"A range {range_holds(level)}.")
        wrong += [f"{count(more, 'more caution')} below."] * (more > 0)
    if outcome.turned:
        # what turns the verdict comes before what may make it less sure
        wrong = [*told_together(outcome.turned), *(wrong if cautions else ())]
    if outcome.simulated:
        wrong = [SIMULATED, *(wrong if cautions or outcome.turned else [NO_FURTHER])]
    collect = " ".join(outcome.planning) or NEXT[unsure]
    return [
        ("How sure?", sure),
        ("What could be wrong?", " ".join(wrong)),
        ("What to collect next?", collect),
    ]


def plain_texts(cautions: Sequence[Caution]) -> list[str]:
    """Return what cautions mean for the conclusion, as sentences without statistics, with what they are about.

    Several cautions of a kind mean the same to the conclusion, and are one sentence.

    Examples
    --------
    >>> from socialstats.errors import caution
    >>> plain_texts([caution("SS312", "8 models; t needs normal values"), caution("SS312", "1 neutral text")])
    ['The sample is small, so some ranges are less reliable (8 models; 1 neutral text).']
    >>> plain_texts([caution("SS202", basis="4 pairs of items"), caution("SS202", basis="9 judges")])
    ['The data come from only 4 pairs of items and 9 judges, so the ranges are less reliable.']
    """
    subjects: dict[str, list[str]] = {}
    for caution in cautions:
        # a caution with words of its own is of another kind than its code in general
        general = caution.short == CAUTIONS[caution.code][1]
        if caution.code not in PLAIN or not general:
            subjects.setdefault(with_subject(caution), [])
            continue
        about = subjects.setdefault(plain_template(caution), [])
        clause = caution.basis or first_clause(caution.detail, MOST_OF_SUBJECT)
        if clause and clause not in about:
            about.append(clause)
    return [sentence(with_clauses(*parts)) for parts in subjects.items()]


def is_about_ranges(caution: Caution) -> bool:
    """Return whether the plain words of a caution are about ranges, which the page explains once."""
    general = caution.short == CAUTIONS[caution.code][1]
    return general and " ranges " in PLAIN.get(caution.code, "")


def plain_template(caution: Caution) -> str:
    """Return what a caution means in plain words, with ``{basis}`` for what it rests on where it says so."""
    if caution.numbers and caution.code in COUNTED_OF:
        return COUNTED_OF[caution.code].replace("{numbers}", caution.numbers)
    return (COUNTED if caution.basis else {}).get(caution.code, PLAIN[caution.code])


def with_clauses(text: str, clauses: Sequence[str]) -> str:
    """Return a text with its clauses in their place, or in brackets behind it."""
    if "{basis}" in text:
        return text.replace("{basis}", listing(clauses))
    return f"{text} ({'; '.join(clauses)})" if clauses else text


def with_subject(caution: Caution) -> str:
    """Return a caution in short, with what it is about where that is brief.

    Examples
    --------
    >>> from socialstats.errors import caution
    >>> with_subject(caution("SS202", "4 pairs (of 9) for 3 differences of strengths; cluster by pair"))
    'few clusters: 4 pairs for 3 differences of strengths'
    >>> with_subject(caution("SS212", "8 shares rest on few answers (fewer than 10; see the table)"))
    'rare answers: 8 shares rest on few answers'
    """
    clause = first_clause(caution.detail, MOST_OF_DETAIL)
    return f"{caution.short}: {clause}" if clause else caution.short


def first_clause(detail: str, most: int) -> str:
    """Return the first clause of a detail, or its start before a comma or colon; nothing if it has too many words."""
    # brackets may hold semicolons
    clause = words_outside_brackets(detail).split("; ")[0]
    for mark in (", ", ": "):
        if len(clause.split()) > most:
            clause = clause.split(mark)[0]
    return clause if len(clause.split()) <= most else ""


def statistics_below(outcome: Outcome) -> list[str]:
    """Return the sentences below the verdict and the short answers: those that neither has said."""
    if outcome.verdict is None:
        return [*outcome.answer, *outcome.planning]
    return list(outcome.answer)

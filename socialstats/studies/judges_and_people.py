"""Judges against people: do judges agree with people as people agree with each other?"""

from __future__ import annotations

from socialstats import sentences
from socialstats.figures.rows import MOST_ROWS
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.scales.judge_agreement import DIFFERENCE, agreement_rows, judge_sentence
from socialstats.studies.asking import ask_rows
from socialstats.studies.page import Block
from socialstats.studies.row_figures import interval_points
from socialstats.studies.row_picking import pick_rows
from socialstats.studies.row_sentences import span_sentence, tally_sentence
from socialstats.studies.verdicts import (
    LABEL,
    Conclusion,
    certainty_of,
    data_show,
    is_shown,
    verdict_of,
)
from socialstats.text import count, shorten

LISTED = 5  # judges in sentences


def gaps(result: Result) -> list[Row]:
    """Return the differences that have an estimate, adjusted over the judges; none where no judge can be compared."""
    rows = [row for row in pick_rows(result.rows, "difference") if row.estimate is not None]
    return list(adjust_family_by_holm(rows, "judges")[0])


def title(result: Result) -> str:
    """Return the heading of the page."""
    people, judges = result.extras["named"], result.extras["judges"]
    who = f"Do the {count(len(judges), 'judge')}"
    if len(judges) == 1:
        who = f"Does '{shorten(judges[0], 40)}'"
    return f"{who} agree with {people} as {people} agree with each other?"


def answer_of_judges(result: Result) -> str:
    """Compare the agreement of judges with people with that among people: of one judge, or of several."""
    rows, people = gaps(result), result.extras["named"]
    if not rows:
        reasons = [row.undefined for row in result.rows if row.undefined]
        return f"Judges could not be compared with {people}: {reasons[0] if reasons else 'no estimate'}."
    if len(rows) == 1:
        return judge_sentence(result, str(rows[0].group))
    what = f" in kappa (judge with {people}, minus {people} with each other)"
    return f"{tally_sentence(rows, 'difference', what)} {span_sentence(rows, 'it')}"


def judges_question(result: Result) -> Block | None:
    """Ask whether each judge agrees with people as they do with each other, on the same units."""
    people, every = result.extras["named"], pick_rows(result.rows, "difference")
    tested, adjusted = adjust_family_by_holm(every, "judges")
    by_judge = {row.group: row for row in tested}
    rows = [by_judge[row.group] if row.term == DIFFERENCE else row for row in result.rows]
    drawn = [row for row in agreement_rows(result) if row.estimate is not None][:MOST_ROWS]
    lines = []
    for row in tested[:LISTED]:
        if row.estimate is None:
            what = f"the difference of '{shorten(row.group or '', 40)}'"
            lines.append(sentences.no_number(what, row.undefined or "no estimate"))
        else:
            lines.append(judge_sentence(result, str(row.group), adjusted=row.p_adjusted))
    return ask_rows(
        "judge" if len(every) == 1 else "judges",
        f"Did judges agree with {people} as {people} agreed with each other?",
        result,
        rows,
        quantity="kappa of judges with people, and of people with each other (1: perfect, 0: chance)",
        say=lines,
        names=lambda row: f"{shorten(row.group or '', 40)}: {row.term}",
        draw=lambda *of: interval_points()(drawn, [row.name for row in drawn], of[2]),
        results=adjusted,
        note=f"Kappa is pooled over pairs of raters; n: ratings of {people}. Other raters may differ.",
    )


def methods_of_judges(result: Result) -> str:
    """Return the paragraph about the comparison of judges with people."""
    people = result.extras["named"]
    return (
        f"Judges were compared with {people} on the units that the judge and at least two of them rated. Agreement was "
        f"{result.settings['weights']} kappa, pooled over pairs of raters (Conger, 1980): the judge with one of the "
        f"{people}, and two of the {people}. Single raters were the standard, not a majority: a judge who rates like "
        f"the {people} has an expected difference of 0. Differences were tested by t with standard errors linearised "
        "in both kappas."
    )


def verdict_on_judges(result: Result) -> Conclusion:
    """Return whether judges agree with people as people do with each other."""
    rows, people = gaps(result), result.extras["named"]
    shown = [row for row in rows if is_shown(row)]
    less = sum((row.estimate or 0.0) < 0 for row in shown)
    more = len(shown) - less
    if len(rows) > 1:
        judges = count(len(rows), "judge")
        if not shown:
            text = f"The data do not show that any of {judges} agrees more or less with {people} than {people} do"
            return verdict_of(text, certainty="open")
        text = f"Of {judges}, {count(less)} agree less with {people} than {people} with each other"
        return verdict_of(f"{text}, and {count(more)} more", certainty="shown")
    (row,) = rows
    name, than = (
        shorten(row.group or "", LABEL),
        f"with {people} than {people} agree with each other",
    )
    if not shown:
        text = f"The data do not show whether {name} agrees more or less {than}"
        return verdict_of(text, certainty="open")
    side = "more" if more else "less"
    return verdict_of(f"{data_show(row)} {name} agrees {side} {than}", certainty=certainty_of(row))

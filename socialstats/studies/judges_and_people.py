"""Judges against people: do judges agree with people as people agree with each other?"""

from __future__ import annotations

from socialstats import sentences
from socialstats.figures.forest import MOST_ROWS
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.scales.judge_agreement import (
    DIFFERENCE,
    agreement_rows,
    judge_sentence,
)
from socialstats.studies.asking import ask_rows, interval_points
from socialstats.studies.estimates import (
    extremes,
)
from socialstats.studies.page import (
    Block,
)
from socialstats.studies.verdicts import (
    LABEL,
    Conclusion,
    certainty_of,
    data_show,
    is_shown,
    verdict_of,
)
from socialstats.text import (
    count,
    listing,
    shorten,
)

JUDGES = "judges"
LISTED = 5  # judges in a sentence


def is_known(result: Result | None) -> bool:
    """Return whether any judge can be compared with people."""
    return result is not None and bool(gaps(result))


def why_unknown(result: Result) -> str:
    """Return why no judge can be compared with people."""
    reasons = (row.undefined for row in result.rows if row.term == DIFFERENCE)
    return next(filter(None, reasons), "no estimate")


def gaps(result: Result) -> list[Row]:
    """Return the rows of the difference that have an estimate, in the order of the judges."""
    return [row for row in result.rows if row.term == DIFFERENCE and row.estimate is not None]


def title(result: Result) -> str:
    """Return the heading of the page."""
    people, judges = result.extras["named"], result.extras["judges"]
    one = len(judges) == 1
    who = f"Does '{shorten(judges[0], 40)}'" if one else f"Do the {count(len(judges), 'judge')}"
    return f"{who} agree with {people} as {people} agree with each other?"


def answer_of_judges(result: Result) -> str:
    """Compare the agreement of judges with people with that among people: of one judge, or of several."""
    known, people = gaps(result), result.extras["named"]
    if len(known) == 1:
        return judge_sentence(result, str(known[0].group))
    tested, _ = adjust_family_by_holm(known, JUDGES)
    clear = [
        row
        for row in tested
        if row.p_adjusted is not None and row.p_adjusted < 1 - result.settings["level"]
    ]
    said = []
    for what, sign in (("less", -1), ("more", 1)):
        some = [
            f"'{shorten(row.group or '', 30)}'" for row in clear if sign * (row.estimate or 0.0) > 0
        ]
        if some:
            said.append(
                f"{count(len(some))} agreed significantly {what} with {people} than {people} with each other "
                f"({listing(some, most=LISTED)})"
            )
    none = f"none agreed significantly more or less with {people} than {people} with each other"
    low, high = (
        f"{sentences.estimate_text(r)} ('{shorten(r.group or '', 30)}')" for r in extremes(known)
    )
    return (
        f"Of {count(len(known), 'judge')}, {listing(said) if said else none} (Holm). The difference in kappa (judge "
        f"with {people}, minus {people} with each other) was smallest at {low} and largest at {high}."
    )


def judges_block(result: Result) -> Block | None:
    """Return each judge against people, on the same units, with the tests of the differences."""
    people = result.extras["named"]
    tested, adjusted = adjust_family_by_holm(gaps(result), JUDGES)
    by_judge = {row.group: row for row in tested}
    rows = [by_judge.get(row.group, row) if row.term == DIFFERENCE else row for row in result.rows]
    lines = [
        judge_sentence(result, str(row.group), adjusted=row.p_adjusted) for row in tested[:LISTED]
    ]
    unknown = [row for row in result.rows if row.term == DIFFERENCE and row.estimate is None]
    for row in unknown[:LISTED]:
        judge = f"The difference of '{shorten(row.group or '', 40)}'"
        lines.append(sentences.no_number(judge, row.undefined or "no estimate"))
    drawn = [row for row in agreement_rows(result) if row.estimate is not None][:MOST_ROWS]
    return ask_rows(
        "judge" if len(result.extras["judges"]) == 1 else "judges",
        f"Did judges agree with {people} as {people} agreed with each other?",
        result,
        rows,
        quantity="kappa of judges with people, and of people with each other (1: perfect, 0: chance)",
        say=lines,
        names=[f"{shorten(row.group or '', 40)}: {row.term}" for row in rows],
        draw=lambda *of: interval_points()(drawn, [row.name for row in drawn], of[2]),
        results=[adjusted],
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
    tested, _ = adjust_family_by_holm(gaps(result), JUDGES)
    people = result.extras["named"]
    clear = [row for row in tested if is_shown(row)]
    if len(tested) == 1:
        (row,) = tested
        name = shorten(row.group or "", LABEL)
        than = f"with {people} than {people} agree with each other"
        if not clear:
            return verdict_of(
                f"The data do not show whether {name} agrees more or less {than}", certainty="open"
            )
        side = "more" if (row.estimate or 0.0) > 0 else "less"
        return verdict_of(
            f"{data_show(row)} {name} agrees {side} {than}", certainty=certainty_of(row)
        )
    more, less = (sum(sign * (row.estimate or 0.0) > 0 for row in clear) for sign in (1, -1))
    judges = count(len(tested), "judge")
    if not clear:
        return verdict_of(
            f"The data do not show that any of {judges} agrees more or less with {people} than {people} do",
            certainty="open",
        )
    return verdict_of(
        f"Of {judges}, {count(less)} agree less with {people} than {people} with each other, and {count(more)} more",
        certainty="shown",
    )

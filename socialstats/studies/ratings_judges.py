"""A judge against people: the answer, the number line and the block of a study of ratings by both."""

from __future__ import annotations

from functools import partial
from typing import Any

from socialstats.designs.ratings import Ratings
from socialstats.figures import forest
from socialstats.figures.forest import MOST_ROWS
from socialstats.metrics.judge_agreement import DIFFERENCE, agreement_rows, judge_agreement, judge_sentence
from socialstats.models.traits import people_and_judges
from socialstats.results import Result, Row
from socialstats.studies.estimates import numbers_text, rows_table, with_holm
from socialstats.studies.outcome import Block, Mark, Strip
from socialstats.text import count, listing, shorten

JUDGES = "judges"
MOST_MARKS = 8  # judges on the number line
LISTED = 5  # judges in a sentence


def judged(design: Ratings, **options: Any) -> Result | None:
    """Return every judge against people; None where no group of raters tells them apart."""
    if people_and_judges(design) is None:
        return None
    found: Any = judge_agreement(design, **options)
    result: Result = found
    return result


def is_known(result: Result | None) -> bool:
    """Whether any judge can be compared with people."""
    return result is not None and any(row.estimate is not None for row in result.rows)


def gaps(result: Result) -> list[Row]:
    """Rows of the difference that exist, in the order of the judges."""
    return [row for row in result.rows if row.term == DIFFERENCE and row.estimate is not None]


def title(result: Result) -> str:
    """Return the heading of the page."""
    people, judges = result.extras["named"], result.extras["judges"]
    if len(judges) == 1:
        return f"Does '{shorten(judges[0], 40)}' agree with {people} as they agree with each other?"
    return f"Do the {count(len(judges), 'judge')} agree with {people} as they agree with each other?"


def answer_of_judges(result: Result) -> str:
    """Say whether the judge, or how many of several, agrees with people as people do, with the numbers."""
    known, people = gaps(result), result.extras["named"]
    if len(known) == 1:
        return judge_sentence(result, str(known[0].group))
    tested, _ = with_holm(known, JUDGES)
    said = []
    for what, sign in (("less", -1), ("more", 1)):
        clear = [row for row in tested if row.p_adjusted is not None and row.p_adjusted < 1 - result.settings["level"]]
        some = [row for row in clear if sign * (row.estimate or 0.0) > 0]
        if some:
            named = listing([f"'{shorten(row.group or '', 30)}'" for row in some], most=LISTED)
            said.append(f"{count(len(some))} agreed with {people} significantly {what} than {people} with each other "
                        f"({named})")  # fmt: skip
    none = f"none differed significantly from {people} in agreement with {people}"
    low, high = (pick(known, key=lambda r: r.estimate or 0.0) for pick in (min, max))
    ends = [f"{numbers_text(row, bounded=True)} ('{shorten(row.group or '', 30)}')" for row in (low, high)]
    return (
        f"Of {count(len(known), 'judge')}, {listing(said) if said else none} (Holm). The differences in kappa run from "
        f"{ends[0]} to {ends[1]}."
    )


def unknown(result: Result) -> str:
    """Say why no judge can be compared, and what would be needed."""
    return f"Judges cannot be compared with {result.extras['named']}: {result.rows[0].undefined}."


def strip_of_judges(result: Result) -> Strip:
    """Return judges with people beside people with each other."""
    rows = [row for row in agreement_rows(result) if row.estimate is not None]
    few = rows if len(result.extras["judges"]) <= MOST_MARKS else [*rows[:MOST_MARKS], rows[-1]]
    some = "" if len(few) == len(rows) else f" (the first {MOST_MARKS} judges; all of them below)"
    marks = tuple(
        Mark(label=row.term, value=row.estimate, low=row.conf_low, high=row.conf_high, undefined=row.undefined or "")
        for row in few
    )
    people = result.extras["named"]
    return Strip(
        title=f"Agreement with {people}, beside that of {people} with each other{some}",
        axis="kappa: 1 = perfect agreement, 0 = as by chance",
        marks=(Mark(label="chance", value=0.0, kind="reference"), *marks), digits=3,
    )  # fmt: skip


def judges_block(result: Result) -> Block:
    """Return each judge against people, on the same units, with the tests of the differences."""
    people, known = result.extras["named"], gaps(result)
    tested, adjusted = with_holm(known, JUDGES)
    by_judge = {row.group: row for row in tested}
    rows = [by_judge.get(row.group, row) if row.term == DIFFERENCE else row for row in result.rows]
    labels = [f"{shorten(row.group or '', 40)}: {row.term}" for row in rows]
    said = [judge_sentence(result, str(row.group), adjusted=row.p_adjusted) for row in tested[:LISTED]]
    said += [
        f"'{shorten(row.group or '', 40)}' cannot be compared: {row.undefined}."
        for row in [row for row in result.rows if row.term == DIFFERENCE and row.estimate is None][:LISTED]
    ]
    drawn = [row for row in agreement_rows(result) if row.estimate is not None]
    return Block(
        id="judge" if len(result.extras["judges"]) == 1 else "judges",
        question=f"Does a judge agree with {people} as they agree with each other?",
        sentences=tuple(said),
        draw=partial(forest, drawn[:MOST_ROWS], sort=False, digits=3,
                     xlabel="kappa: 1 = perfect agreement, 0 = as by chance") if drawn else None,
        figure_title=f"Agreement of each judge with {people}, and of {people} with each other",
        caption=f"Kappas pooled over pairs of raters, both on the units that the judge and two {people} or more "
        f"rated; {result.inference}. The raters are taken as fixed.",
        tables=(rows_table(rows, f"Judges against {people}, on the same units", term="Judge", labels=labels),),
        results=(result,) if adjusted is None else (result, adjusted),
    )  # fmt: skip


def methods_of_judges(result: Result) -> str:
    """Return what was estimated, and how."""
    people = result.extras["named"]
    return (
        f"Judges were compared with {people} on the units that the judge and two or more of them rated. Agreement was "
        f"kappa ({result.settings['weights']}) pooled over pairs of raters: of the judge and one of the {people}, and "
        f"of two of the {people} (Conger). Judges were compared with single raters, not with a majority, so that a "
        "judge who rates as they do has an expected difference of 0. Differences were tested by t with a standard "
        f"error linearised in both kappas; {result.inference.split('; ')[-1]}."
    )

"""Which columns may hold the answers, the likeliest first."""

from __future__ import annotations

from typing import Any

from socialstats.designs.aliases import TextSet
from socialstats.designs.column_profile import FEW, MOST_GRADES, ColumnProfile, Columns
from socialstats.designs.level_orders import conventional_order
from socialstats.designs.profile import TableProfile
from socialstats.designs.roles import (
    is_call,
    is_designed,
    is_question,
    names_a_count,
    names_answers,
)
from socialstats.designs.schema import Finder
from socialstats.designs.vocabulary import (
    CONDITIONS,
    CONFIDENCE,
    CUES,
    GOLD,
    PICKED,
    PROSE,
    RATERS,
    REACTIONS,
    REPEATS,
    RESPONSES,
    RIGHT,
    SPREADS,
    TREATMENTS,
    VALUES,
    WEAK_VALUES,
    WEIGHTS,
)
from socialstats.tables import Table

MEAN_WORDS = ("mean", "average", "avg", "mw", "mittelwert", "media", "moyenne", "promedio")


def is_choice(column: ColumnProfile) -> bool:
    """Whether two opposites are called like a choice: of each set one was picked, as often as in the next set."""
    return column.yes_no and column.called(PICKED)


def outcome_columns(profile: TableProfile, used: Columns = ()) -> list[ColumnProfile]:
    """Return the columns that may hold the answers, the likeliest first.

    Answers come as they come: what was planned, numbered, timed or counted is none. A name tells most. Then come two
    opposites, shares and short scales. What stands beside an answer, such as a reaction time, comes last.
    """
    free = [
        c for c in profile.varying() if c not in used and (c.numbers is not None or c.size <= FEW)
    ]
    free = [c for c in free if not (c.prose or c.unique_key or numbers_things(c))]
    free = [c for c in free if not (is_call(c) or c.says(WEIGHTS))]
    free = [c for c in free if not (c.unique and c.is_enumeration)]
    free = [c for c in free if is_choice(c) or not is_designed(profile, c)]
    plays = (*TREATMENTS, *RATERS, *CUES)
    # where no label repeats by unit, names tell what was done
    drawn = not profile.repeating
    free = [c for c in free if not drawn or c.called(VALUES) or not c.called(plays)]
    free = [c for c in free if c.name not in profile.aside]
    free = [c for c in free if c.name not in profile.no_values or c.numbering or is_choice(c)]
    return sorted(
        [c for c in free if not c.describes] or free, key=lambda c: answer_rank(profile, c)
    )


def answer_column(table: Table, used: TextSet) -> str:
    """Return the column of answers: one of the usual names, or the likeliest that is called so in any language.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> table = as_table({"Person": ["a", "a", "b", "b"], "Frage": [1, 2, 1, 2], "Antwort": [5, 4, 2, 4]})
    >>> answer_column(table, {"Person", "Frage"})
    'Antwort'
    """
    named = Finder(table, any_case=True).free(VALUES.names, used)
    if named is not None:
        return named
    profile = TableProfile(table)
    columns = [c for c in map(profile.column, used) if c is not None]
    return next((c.name for c in outcome_columns(profile, columns) if names_answers(c)), "")


def numbers_things(column: ColumnProfile) -> bool:
    """Whether a column is called like an id, or like a number of something and has more labels than a scale."""
    numbering = column.numbering and column.size > MOST_GRADES
    return column.identifies or numbering or (column.id_named and not column.called(VALUES))


def answer_rank(profile: TableProfile, column: ColumnProfile) -> tuple[Any, ...]:
    """Rank a column that may hold the answers; the least comes first."""
    weak = column.called(WEAK_VALUES, CONFIDENCE) and not column.called(RIGHT)
    beside = column.called(REACTIONS) or names_a_count(column) or column.says(SPREADS)
    sure_of = column.called(CONFIDENCE)
    summary = column.says(MEAN_WORDS, "rank")
    picked = column.called(PICKED) and not column.called(RESPONSES)
    is_summary = summary and is_mean_of(profile, column)
    named = (names_answers(column) or picked or is_summary) and not (
        weak or beside or (summary and not is_summary)
    )
    plays = column.called(REPEATS, CONDITIONS) or (column.unique and column.whole)
    label = column.numbers is None and not (column.yes_no and not is_question(column))
    label = label and not conventional_order(column.levels)
    remark = column.text and not column.yes_no and (column.ends(PROSE) or has_sentences(column))
    place = [*profile.columns].index(column.name)
    # the first that holds decides, whatever follows
    ranks = {
        6: remark or is_reference(column),
        5: sure_of,
        0: named,
        4: label or plays,
        3: beside,
        2: weak or summary,
        1: True,
    }
    kind = next(rank for rank, holds in ranks.items() if holds)
    return (
        profile.nearly_constant(column) or 2 * column.filled < column.rows,
        not is_summary,
        kind,
        not (column.yes_no and column.called(RIGHT)),
        may_be_age(column),
        column.numbers is None and not (column.yes_no or conventional_order(column.levels)),
        not within_one(column),
        place,
    )


def is_reference(column: ColumnProfile) -> bool:
    """Whether a column is called like the right answer, which is the same for everybody."""
    return column.says(GOLD)


def has_sentences(column: ColumnProfile) -> bool:
    """Whether labels are what was said rather than names of it: some end like sentences."""
    return (
        3 * sum(label.rstrip("\"'”")[-1:] in tuple(".!?。！？") for label in column.levels)
        >= column.size
    )


def may_be_age(column: ColumnProfile) -> bool:
    """Whether whole numbers are as many and as large as the ages of those who answered."""
    numbers = column.numbers or [0.0]
    return column.whole and column.size > MOST_GRADES and 14 <= min(numbers) <= max(numbers) <= 100


def is_mean_of(profile: TableProfile, column: ColumnProfile) -> bool:
    """Whether a column is called the mean of two or more numbered columns: score_mean beside score_1, score_2."""
    stem = [token for token in column.tokens if token not in MEAN_WORDS]
    numbered = [c for c in profile.every if [*c.tokens[:-1]] == stem and c.tokens[-1].isdigit()]
    return bool(stem) and len(numbered) > 1


def within_one(column: ColumnProfile) -> bool:
    """Whether values are two opposites, or lie between 0 and 1, as right or wrong and shares do; times do not."""
    numbers = column.numbers
    return column.yes_no or (numbers is not None and min(numbers) >= 0 and max(numbers) <= 1)

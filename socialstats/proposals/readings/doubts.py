"""What speaks against a proposal: names that do not confirm it, and columns that it leaves aside."""

from __future__ import annotations

import numpy as np

from socialstats.designs.column_pairs import BEATEN, WINNERS, WON, differing, paired_names
from socialstats.designs.profile import TableProfile, names_text, stem
from socialstats.designs.roles import FAMILIES
from socialstats.designs.surveys import MANY_PEOPLE
from socialstats.designs.suspects import RATER_STEMS, item_suspects
from socialstats.designs.vocabulary import (
    CONDITIONS,
    LOST,
    LOWER,
    MEASURES,
    OCCASIONS,
    PERSONS,
    PREDICTIONS,
    PREFERRED,
    RATERS,
    REFERENCES,
    REPEATS,
    SCORES,
    UNITS,
    bare,
)
from socialstats.proposals.readings.contests import has_sides
from socialstats.proposals.readings.proposal import Parts, Proposal
from socialstats.proposals.readings.wide_rows import two_judges
from socialstats.text import count, listing, quoted, shorten

MOST_NAMED = 6  # columns that are left aside and named


def unused(profile: TableProfile, one: Proposal) -> str:
    """Return the columns that vary and that a proposal leaves aside, as the end of a sentence."""
    if one.options.get("crosstab"):
        return ""
    used = {*one.columns()}
    left = [
        c.name for c in profile.every if c.size > 1 and c.name not in used and not c.numbers_rows
    ]
    named = [f"'{shorten(name, 30)}'" for name in left[:MOST_NAMED]]
    more = len(left) - MOST_NAMED
    if more > 0:
        return f". Not used: {', '.join(named)} and {count(more, 'further column')}"
    return f". Not used: {listing(named)}" if named else ""


def doubts(profile: TableProfile, one: Proposal) -> str:
    """Return what the names of a proposal's columns leave open; an empty text where they confirm it."""
    if one.options.get("crosstab"):
        head = profile.columns.get(profile.table.columns[0])
        if head is not None and head.called(
            RATERS, REFERENCES, PREDICTIONS, WINNERS, BEATEN, CONDITIONS
        ):
            return ""
        sides = {"comparisons": "won and columns lost", "paired": "and columns are two conditions"}
        return f"no name says that rows {sides.get(one.design, 'and columns are two raters')}"
    if columns := one.parts.get("level_columns"):
        names = [c.name for c in columns]
        steady = (
            any({*parts} == {*names} for parts in profile.totals.values())
            or len({*map(stem, names)}) == 1
        )
        counts = profile.values(columns).sum(axis=0)
        return (
            ""
            if steady or np.ptp(counts) == 0
            else f"no name says that {quoted(names)} count raters, a level each"
        )
    value, *alike = one.parts.get("value", ()) or (None,)
    if value is not None and alike and not value.called(REPEATS):
        return f"that {names_text([value, *alike])} ask for one thing, and none of them for its opposite"
    if one.options.get("study") and value is not None and value.called(LOWER):
        return f"that more of {value} is worse: the highest mean ranks first"
    if one.options.get("study"):
        models = one.parts.get("raters", ())
        known = not models or any(FAMILIES.search(c.name) for c in models)
        return (
            ""
            if known
            else f"no name says that the {len(models)} columns are models, nor that higher is better"
        )
    if "ranks" in one.parts:
        return "that 1 is the best rank"
    if one.options.get("winner_coding") == "grade":
        grade, better = one.parts["winner"][0], one.parts["item_a"][0]
        return f"that a number above 0 in {grade} says {better} was better"
    if one.parts.get("rater") == []:
        return "no column says who gave the values, so all of them should be of one source"
    if "first" in one.parts and profile.subtracted(*one.parts["first"], *one.parts["second"]):
        return ""  # the table holds their difference
    return (sizes_doubt(profile, one.parts) if one.design == "paired" else "") or CHECKS[
        one.design
    ](one.parts)


LONE = {
    "comparisons": "that each row is a comparison of two items, and the result is that of its row",
    "paired": "that both values of a pair are of one unit, and not of two groups",
    "groups": "that units were assigned to the groups at random, or drawn at random from each",
    "ratings": "that those who rate judged the same units, and did not describe themselves",
}  # what no table can say by itself


def sizes_doubt(profile: TableProfile, parts: Parts) -> str:
    """State where two columns are rather two groups: sizes of groups stand beside them, or one is shorter."""
    if "first" not in parts:
        return ""
    if profile.arm_sizes:
        return f"{quoted(profile.arm_sizes)} are called like sizes of two groups: a row would be a study, and no unit"
    first, second = parts["first"][0], parts["second"][0]
    if first.filled == second.filled or profile.row_id() is not None or paired_names(first, second):
        return ""
    return (
        f"{first} has {count(first.filled, 'value')} and {second} "
        f"{second.filled}: they may be two groups side by side, whose rows are no pairs"
    )


def comparison_doubt(parts: Parts) -> str:
    """State where names tell neither two sides nor a result."""
    a, b = parts["item_a"][0], parts["item_b"][0]
    results = [
        c
        for part in ("winner", "wins_a", "wins_b", "score_a", "score_b")
        for c in parts.get(part, [])
    ]
    tells = any(c.called(WON, WINNERS, SCORES, PREFERRED, LOST) for c in results)
    if tells or a.called(WINNERS) or b.called(BEATEN):
        return ""
    result = names_text(results)
    items = "" if has_sides(a, b) else ", nor which columns are the two items"
    return f"no name says that {result} {'tell' if len(results) > 1 else 'tells'} who won{items}"


def paired_doubt(parts: Parts) -> str:
    """State where names tell no two conditions."""
    if "condition" in parts:
        condition = parts["condition"][0]
        if bare(condition.name) in MEASURES:
            return f"{condition} names measures, whose numbers may be of different kinds"
        if condition.called(CONDITIONS, OCCASIONS) and any(
            c.called(UNITS, PERSONS) for c in parts.get("unit", [])
        ):
            return ""
        return f"no name says that {condition} holds conditions that each unit met"
    first, second = parts["first"][0], parts["second"][0]
    if (
        paired_names(first, second)
        or stem(first.name) == stem(second.name)
        or differing(first, second)
    ):
        return ""
    names = f"{first} and {second}"
    return f"{names} stand together only because their values share a scale"


def rating_doubt(parts: Parts) -> str:
    """State where names tell no raters."""
    columns = [*parts.get("raters", ()), *parts.get("units", ())]
    rater = parts.get("rater", ())
    names = [c.name for c in columns]
    if columns and item_suspects(names) and "units" in parts and columns[0].rows >= MANY_PEOPLE:
        ends = quoted([names[0], names[-1]])
        return f"{ends} are numbered like items: the page says what people answer (study survey)"
    if columns and item_suspects(names):
        who = "persons who describe themselves in them rate no units"
        return f"{quoted([names[0], names[-1]])} are numbered like items of a questionnaire: {who} (SS326)"
    stems = {stem(name) for name in names}
    are_raters = any(c.called(RATERS, PERSONS, REFERENCES, PREDICTIONS) for c in (*rater, *columns))
    are_raters = are_raters or (len(columns) == 2 and two_judges(*columns))
    if are_raters or (columns and stems <= RATER_STEMS):
        return ""
    who = f"{rater[0]} names raters" if rater else f"the {count(len(columns), 'column')} are raters"
    return f"no name says that {who}"


def groups_doubt(parts: Parts) -> str:
    """State nothing: groups are proposed where names or labels tell them."""
    return ""


CHECKS = {
    "comparisons": comparison_doubt,
    "paired": paired_doubt,
    "ratings": rating_doubt,
    "groups": groups_doubt,
}

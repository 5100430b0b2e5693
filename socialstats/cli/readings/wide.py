"""A row a unit: columns of raters or of two conditions, counts of raters by level, or a row a rater."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from socialstats.cli.columns import (
    CONDITIONS,
    COVARIATES,
    DATES,
    DERIVED,
    FEW,
    MOST_COLUMNS,
    MOST_KEYS,
    PERSONS,
    RATERS,
    REPEATS,
    RIGHT,
    SCORES,
    SUMMARIES,
    UNITS,
    Column,
    Seen,
    paired_names,
    same_scale,
    stem,
)
from socialstats.cli.readings.contests import meet_themselves
from socialstats.cli.readings.crosstabs import square_tables
from socialstats.cli.readings.proposal import Proposal, later_first, value_settings
from socialstats.designs.aggregate import WIN_WORDS, bare
from socialstats.designs.suspects import PLAIN_STEMS, RATER_STEMS, item_suspects
from socialstats.tables import as_number
from socialstats.text import count

LONGEST = 11  # levels of a scale of answers
SAME = 0.6  # concordance from which numbered columns are raters of one quantity
RATED = ("nraters", "raters", "nratings", "ratings", "njudges")  # how many rated the unit


def wide_tables(seen: Seen) -> Iterator[Proposal]:
    """Look for columns of one scale, a row a unit: two conditions, or several raters."""
    if len(seen.table.columns) > MOST_COLUMNS:  # a group would lack columns that were not looked at
        return
    if seen.is_cross and not any(square_tables(seen)):  # a matrix of distances, say
        return
    identity = seen.row_id()
    values = [
        c for c in seen.columns.values()
        if c.levels and c.name != identity and c.name not in seen.frequencies and not c.called((*DERIVED, *REPEATS))
        and (c.numbers is not None or (len(c.levels) <= FEW and not c.unique))
        and not (len(c.tokens) == 1 and c.names_things and c.called((*UNITS, *RATERS)) and (c.unique or not identity))
        and bare(c.name) not in (*DATES, *COVARIATES, *SUMMARIES) and c.name not in (*seen.crossed, *seen.no_values)
    ]  # fmt: skip
    persons = identity is not None and seen.columns[identity].called([name for name in PERSONS if name != "id"])
    unit = [f"unit={identity}"] if identity is not None and identity.strip() else []
    less = 3.0 if seen.long else 1.0 if seen.is_cross else 0.0
    names_all = [name for name in seen.columns if name not in seen.frequencies]
    counted = seen.frequencies and not identity and seen.distinct(names_all)
    for group in alike(values, identity is not None or len(values) == len(seen.columns) == 2):
        names, size = [c.name for c in group], len(group)
        stems = {stem(name) for name in names}
        initials = size > 2 and all(re.fullmatch(r"[A-Z]{1,3}", name.strip()) for name in names)
        raters = initials or (len(stems) == 1 and stems <= RATER_STEMS) or any(c.called(RATERS) for c in group)
        items = bool(item_suspects(names)) and not raters
        pairs = [pair for pair in combinations(group[:MOST_KEYS], 2) if paired_names(*pair)]
        many, discrete = size > 2 and size >= len(values) - (size > 3), all(c.discrete for c in group)
        told = any(bare(c.name) in COVARIATES for c in seen.columns.values())  # of those who answered
        numbered = size > 3 and len(stems) == 1 and not stems & {*PLAIN_STEMS, *CONDITIONS}
        numbered = numbered and all(name.endswith(str(k)) for k, name in enumerate(names, 1))
        asked = size > 3 and not (raters or counted) and is_scale(group, items or numbered)
        asked = asked and (items or numbered or persons or told)
        sure = items or numbered or told
        lower = 1.5 * (asked and sure)
        if asked:
            who = {"map": [f"rater={identity}"]} if identity is not None and identity.strip() else {}
            settings = {**who, "units": names, **value_settings(group, "ratings")}
            yield Proposal(
                "ratings",
                (7.4 if sure else 5.6) - less,
                f"a row a person, who rates {count(size, 'unit')} in columns",
                settings,
            )
        if not (pairs or raters or many) and group[0].numbers is None and len({c.levels for c in group}) > 1:
            continue
        if size == 2 and group[0].numbers is None and len(group[0].levels) > 3 and not meet_themselves(seen, *group):
            continue  # two items a row, not twice the same measure
        times = {"count": seen.frequencies[0]} if counted and discrete else {}
        raters = raters or (numbered and not discrete and seen.concordance(*group[:2]) >= SAME)
        if discrete or raters:
            score = 6.5 if size > 2 and many else 4.5
            score = score - 0.6 * persons  # persons rate the columns
            score = (
                (5.2 if size > 3 else 4)
                if items and discrete
                else 7.5
                if raters or (many and len(stems) == 1)
                else score
            )
            settings = {"raters": names, **times, **value_settings(group, "ratings"), **({"map": unit} if unit else {})}
            yield Proposal("ratings", score - less - lower, f"{count(size, 'rater')}, a column each", settings)
        if (raters and size > 2) or (size > 8 and (items or not pairs)):
            continue
        subtracted = [two for two in combinations(group[:MOST_KEYS], 2) if seen.subtracted(*two)]
        first, second = later_first(*(subtracted[0] if subtracted else nearest(seen, group, pairs)))
        lone = size == 2 and sum(c.numbers is not None for c in values) <= 2
        score = 5 if items else (6.4 if many and discrete else 7.3) if pairs else 6.8 if lone else 6
        settings = {"map": [*unit, f"first={first.name}", f"second={second.name}"], **times}
        settings |= value_settings((first, second), "paired")
        settings |= {"missing": "drop"} if min(first.filled, second.filled) < seen.rows else {}
        score = 8.8 + less + lower if subtracted else score  # the table holds their difference
        score += 0.2 * (first.yes_no and first.called(RIGHT))
        yield Proposal("paired", score - less - lower, f"'{first.name}' minus '{second.name}', a row a unit", settings)


def is_scale(group: Sequence[Column], items: bool) -> bool:
    """Whether columns hold answers on one short scale; columns that are not numbered as items have the same ends."""
    levels = {level for c in group for level in c.levels}
    if any(c.called(("rank",)) for c in group) or not all(c.discrete for c in group) or len(levels) > LONGEST:
        return False
    if any(c.numbers is None for c in group):
        return len(levels) > 2 and (items or len({c.levels for c in group}) == 1)
    low, high = min(x for c in group for x in c.numbers or []), max(x for c in group for x in c.numbers or [])
    whole_range = sum(min(c.numbers or [0.0]) == low and max(c.numbers or [0.0]) == high for c in group)
    return low >= 0 and (items or 2 * whole_range >= len(group))


def nearest(seen: Seen, group: Sequence[Column], pairs: Sequence[Sequence[Column]]) -> Sequence[Column]:
    """Return two columns of a group: paired by name or the first two, or where these differ, those that agree best."""
    two = pairs[0] if pairs else group[:2]
    if len(group) == 2 or len({stem(c.name) for c in group}) == 1 or any(c.numbers is None for c in group):
        return two

    def likeness(pair: Sequence[Column]) -> float:
        return seen.concordance(*pair) + 0.3 * bool({*pair[0].tokens} & {*pair[1].tokens})

    differ = likeness(two) < (0.1 if pairs else 0.3)
    return max(combinations(group[:MOST_KEYS], 2), key=likeness) if differ else two


def alike(values: Sequence[Column], rows_named: bool) -> list[list[Column]]:
    """Return at most three groups of columns that are called alike, or else of one scale, the largest first."""
    by_name: dict[str, list[Column]] = {}
    for column in values:
        if column.tokens[1:] or column.name[-1:].isdigit():
            by_name.setdefault(stem(column.name), []).append(column)
    groups = [g for g in by_name.values() if len(g) > 1 and len({c.numbers is None for c in g}) == 1]
    scaled: list[list[Column]] = []
    for column in [c for c in values if not any(c in g for g in groups)]:
        home = next((g for g in scaled if same_scale(g[0], column)), None)
        if home is None:
            scaled.append([column])
        else:
            home.append(column)
    groups += scaled
    groups = sorted((g for g in groups if len(g) > 1 and any(len(c.levels) > 1 for c in g)), key=len, reverse=True)
    short = [c for c in values if len(c.levels) <= MOST_KEYS]
    longest = {*max((c.levels for c in short), key=len, default=())}
    one_scale = [c for c in short if {*c.levels} <= longest]
    named = any(stem(c.name) in RATER_STEMS for group in groups for c in group)
    if len(one_scale) > 3 and len(one_scale) >= len(values) - 1 and one_scale not in groups and not named:
        groups = [one_scale, *groups]
    numbers = [c for c in values if c.numbers is not None and len(c.levels) > 1]
    return groups[:3] or ([numbers] if rows_named and len(numbers) == 2 else [])


def fleiss_tables(seen: Seen) -> Iterator[Proposal]:
    """Look for counts of raters by level: whole numbers that add up to one number in each row, or have many zeros."""
    identity = seen.row_id()
    columns = [c for c in seen.columns.values() if c.whole and c.name != identity and not seen.is_cross]
    columns = [c for c in columns if not (c.called(DERIVED) or c.name in seen.frequencies or bare(c.name) in RATED)]
    if (
        not 2 <= len(columns) <= FEW
        or seen.rows < 3
        or all(max(c.numbers or [0]) < 2 for c in columns)
        or any(c.filled < c.rows for c in columns)
    ):
        return
    rows = seen.values(columns)
    sums, zeros, names = rows.sum(axis=0), float((rows == 0).mean()), [c.name for c in columns]
    steady = len(set(sums.tolist())) == 1 and zeros > 0
    items = bool(item_suspects(names))
    sparse = zeros >= 0.4 and sums.max() <= 2 * np.median(sums) + 2 and not items
    heads = [as_number(name) for name in names]
    scale = 2 < len(names) <= 12 and all(x is not None and x == k + (heads[0] or 0) for k, x in enumerate(heads))
    levels = scale and (rows.min() == 0 or rows.max() > FEW)  # the names are 1, 2, ..., the values no such levels
    wins = any(c.called((*WIN_WORDS, *SCORES)) for c in columns)
    shared = zeros > 0 and len(names) > 2 and not (items or wins) and sums.var() < 0.7 * rows.var(axis=1).sum()
    if not (steady or sparse or levels or shared) or (sums.max() > 1000 and not levels):
        return
    free = identity is not None and identity.strip()
    settings = {
        "level_columns": [c.name for c in columns],
        "scale": "nominal",
        **({"map": [f"unit={identity}"]} if free else {}),
    }
    score = 9 if steady else 8.5 if levels else 7.7 if sparse else 6.7
    yield Proposal("ratings", score, "how many raters gave the unit each level", settings)


def transposed_tables(seen: Seen) -> Iterator[Proposal]:
    """Look for a row a rater: a column called so with a value of its own in every row, and a column a unit."""
    named = [c for c in seen.columns.values() if c.unique and c.called((*RATERS, "model", "llm", "system"))][:1]
    rest = [c for c in seen.columns.values() if c not in named]
    named = named if len(seen.table.columns) <= MOST_COLUMNS else []
    if named and len(rest) > 2 and len({stem(c.name) for c in rest}) == 1:
        settings = {
            "map": [f"rater={named[0].name}"],
            "units": [c.name for c in rest],
            **value_settings(rest, "ratings"),
        }
        yield Proposal("ratings", 8, f"a row a rater, {count(len(rest), 'unit')} in columns", settings)

"""Independent groups: a label of a treatment, or of people and machines, that different units have."""

from __future__ import annotations

from collections.abc import Iterator

from socialstats.cli.readings.proposal import Proposal
from socialstats.designs.level_orders import ordered
from socialstats.designs.profile import Column, Profile
from socialstats.designs.roles import independent_groups, models_of, people_among, tells_groups
from socialstats.designs.tables import FREQUENCIES, bare
from socialstats.designs.vocabulary import COVARIATES, NUMBERINGS, PERSONS, UNITS, VALUES
from socialstats.text import quoted, shorten

MOST = 2  # columns of values
SCORE = 8.0  # where the column is called like a value
COUNTED = 8.0  # answers with their numbers
OPPOSED = 6.0  # two opposites
UNNAMED = 5.0


def groups_of_units(seen: Profile) -> Iterator[Proposal]:
    """Yield a comparison of two groups of different units for each of the likeliest columns of values."""
    found = independent_groups(seen)
    if found is None:
        return
    group = seen.columns[found.group]
    picked = {} if len(group.levels) == 2 else {"groups": [*group.levels[:2]]}
    single = next((c for c in seen.columns.values() if c.unique and c.called((*UNITS.words, *PERSONS))), None)
    clustered = found.several and single is not None
    unit = single if clustered else seen.columns.get(found.unit or "")
    used = {found.group, found.unit, unit.name if unit is not None else None}
    options = {"design": "groups", **({"cluster": [found.unit]} if clustered else {}), **picked}
    for score, value in values_of(seen, used)[:MOST]:
        parts = {"group": [group], **({"unit": [unit]} if unit is not None else {}), "value": [value]}
        means = f"'{shorten(value.name, 40)}' of different units, by '{shorten(group.name, 40)}'"
        means += f" (two of {quoted(group.levels, 4)})" if picked else ""
        yield Proposal("groups", score, means, parts, options)


def counted_answers(seen: Profile) -> Iterator[Proposal]:
    """Yield a comparison of two sources in a table of counts of their answers: source, answer, number."""
    texts = [c for c in seen.every if c.text and c.size > 1 and not c.prose]
    counts = [c for c in seen.every if c.whole and bare(c.name) in FREQUENCIES]
    if len(texts) != 2 or len(counts) != 1 or len(seen.columns) > 4 or not seen.distinct([c.name for c in texts]):
        return
    for group, value in (texts, texts[::-1]):
        source = group in models_of(seen) or bool(people_among(group)) or tells_groups(group)
        if source and value.called((*VALUES.words, "option", "type")):
            picked = {} if len(group.levels) == 2 else {"groups": [*group.levels[:2]]}
            parts = {"group": [group], "value": [value], "count": counts}
            choice = value.levels[0]
            means = f"the share of '{shorten(choice, 30)}' among the counted answers of two of '{group.name}'"
            yield Proposal("groups", COUNTED, means, parts, {**picked, "choice": choice}, "two_proportions")


def values_of(seen: Profile, used: set[str | None]) -> list[tuple[float, Column]]:
    """Return the columns that may be compared: those called like values first, then other numbers."""
    free = [c for c in seen.varying() if c.name not in used and not (c.unique and (c.whole or c.text))]
    free = [c for c in free if not (c.describes or c.called((*COVARIATES, *NUMBERINGS)))]
    named = [(SCORE, c) for c in free if c.called(VALUES.words) and (c.numbers is not None or len(c.levels) <= MOST)]
    named = named or [(OPPOSED, c) for c in free if c.yes_no or (c.text and c.size > 2 and ordered(c.levels))]
    return named or [(UNNAMED, c) for c in free if c.numbers is not None]

"""Several rows a unit: raters or conditions in a column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

from socialstats.cli.readings.boards import measures_in
from socialstats.cli.readings.proposal import Parts, Proposal, in_time, two_conditions
from socialstats.designs.level_orders import ordered
from socialstats.designs.profile import FEW, FEW_COLUMNS, MOST_KEYS, Column, Profile, paired_names, share
from socialstats.designs.roles import Cells, is_answer, of_people_and_machines, tells_groups
from socialstats.designs.vocabulary import (
    CONDITIONS,
    METHODS,
    PERSONS,
    RATERS,
    REPEATS,
    RIGHT,
    SCALED,
    TREATMENTS,
    UNITS,
    VALUES,
    VARIANTS,
    WEAK_VALUES,
)
from socialstats.text import listing, quoted

MOST_KINDS = 4  # labels of a column that tells kinds of raters apart
MOST_CONDITIONS = 12  # labels of conditions, and of what a page is made by
KEYS = (*UNITS.words, *RATERS.words, *CONDITIONS.words, *REPEATS.words)


@dataclass(frozen=True, slots=True)
class Crossing:
    """A unit, what rated or changed it, and the value.

    Attributes
    ----------
    seen : Profile
    unit, other, value : Column
    added : list of Column
        What tells units apart beside the unit's own column.
    repeat : list of Column
        What numbers the answers of one unit and source.
    instead : str
        Which columns may be the value instead, and what is averaged.
    lone : bool
        Whether the value is the only one that is free.
    """

    seen: Profile
    unit: Column
    other: Column
    value: Column
    added: list[Column]
    repeat: list[Column]
    instead: str
    lone: bool

    @property
    def full(self) -> float:
        """The rows, as a share of the cells of the plan."""
        cells = len(self.unit.levels) * len(self.other.levels) * max(1, len(self.added))
        return self.seen.rows / max(1, cells)

    @property
    def of(self) -> str:
        """The columns that name the units, as they are told."""
        return listing([f"'{c.name}'" for c in (self.unit, *self.added)])

    @property
    def score(self) -> float:
        """How likely it is that this is a crossing of units, whatever crosses them."""
        surely = self.unit.called(UNITS.words) or rate_as_persons(self.unit, self.other)
        score = 4 + 1.2 * surely + self.value.called(VALUES.words) + 0.8 * (self.full > 0.7) - 0.7 * len(self.added)
        return score - 0.5 * self.unit.called(REPEATS.words)  # which trial it was is no unit that others meet again

    def parts(self, kind: str, *, joint: bool = True) -> Parts:
        """Return the parts, with `other` as raters or conditions."""
        unit = [self.unit, *self.added] if joint else [self.unit]
        return {"unit": unit, kind: [self.other], "value": [self.value], "repeat": self.repeat}

    @property
    def within(self) -> dict[str, Any]:
        """The setting that names the cluster, where several columns name the unit."""
        return {"cluster": [self.unit.name]} if self.added else {}


def rate_as_persons(unit: Column, other: Column) -> bool:
    """Whether a column is called like persons who rate units, and not like raters."""
    return other.called(PERSONS) and not unit.called((*PERSONS, *CONDITIONS.words)) and not other.called(RATERS.words)


def long_tables(seen: Profile) -> Iterator[Proposal]:
    """Look for a unit, a rater or condition, and a value in a long table: keys whose combinations are all different."""
    keys, values = keys_of(seen), values_of(seen)
    for unit, other in permutations(keys, 2):
        if may_cross(seen, unit, other, keys) and (found := crossing_of(seen, unit, other, keys, values)):
            yield from as_ratings(found)
            yield from as_conditions(found)


def keys_of(seen: Profile) -> list[Column]:
    """Return the columns that may name units, raters or conditions; no text of two sides."""
    keys = []
    for c in seen.varying():
        judged = c.name in seen.rated_by_name
        most = seen.rows * (0.98 if judged or c.called(UNITS.words) else 0.5)
        condition = c.filled == c.rows and len(c.levels) <= MOST_CONDITIONS and c.called(CONDITIONS.words)
        named = c.numbers is None or len(seen.columns) <= FEW_COLUMNS or judged or c.called(KEYS)
        told = not c.describes or {*c.tokens} <= {*CONDITIONS.words}
        if told and named and len(c.levels) <= most and (c.names_things or condition):
            keys.append(c)
    sides = {c for two in combinations(keys, 2) if paired_names(*two) and share(*two) >= 0.5 for c in two}
    measure = measures_in(seen)
    return [c for c in keys if c is not measure and (c.numbers is not None or c not in sides)][:MOST_KEYS]


def values_of(seen: Profile) -> list[Column]:
    """Return the columns that may be the value: numbers and labels, no numbers of a plan, no treatments."""
    free = [c for c in seen.varying() if c.numbers is not None or len(c.levels) <= FEW]
    free = [c for c in free if not (c.called(TREATMENTS) or of_people_and_machines(c))]
    free = [c for c in free if not (c.numbers_rows or seen.enumerates(c))]
    return [c for c in free if c.name not in seen.no_values] or free


def may_cross(seen: Profile, unit: Column, other: Column, keys: Sequence[Column]) -> bool:
    """Whether one column may name units that the labels of another one rate or change."""
    persons, rated, condition = (
        rate_as_persons(unit, other),
        other.called(RATERS.words),
        other.called(CONDITIONS.words),
    )
    if other.called(REPEATS.words) or seen.constant(other, unit) or (seen.constant(unit, other) and not rated):
        return False  # each label of one unit only: no condition is like that
    if not (persons or unit.called(UNITS.words)):
        met = len(unit.levels) * len(other.levels) == seen.rows and unit.called(REPEATS.words)
        if other.called(UNITS.words) or (unit.called((*CONDITIONS.words, *REPEATS.words)) and not met):
            return False
    if not (rated or condition):
        degrees = other.numbers is None and ordered(other.levels)  # in an order that everybody knows
        if other.called(VALUES.words) or (not persons and (degrees or is_answer(seen, other, unit))):
            return False
    return not unit.called(VARIANTS)


def crossing_of(
    seen: Profile, unit: Column, other: Column, keys: Sequence[Column], values: Sequence[Column]
) -> Crossing | None:
    """Return what a unit and a rater or condition make of a table; None where no value is free."""
    rated, persons = other.called(RATERS.words), rate_as_persons(unit, other)
    sure = rated and (persons or unit.called(UNITS.words))
    joint = seen.joint_key(unit, other, keys, 1.02 if sure else 1.3)
    repeat = repeats_among(seen, unit, other, joint[1:] if joint is not None else None, values)
    if repeat is None:
        return None
    added = [name for name in (joint or [])[1:] if name not in repeat]
    used = {unit.name, other.name, *added, *repeat}
    free = [c for c in values if c.name not in used and not (seen.constant(c, unit) or seen.constant(c, other))]
    free = [c for c in free if c not in keys or not c.called(KEYS)]
    if not free:
        return None
    likely = likely_values(seen, free, rated)
    value = likely[0]
    nominal = value.numbers is None and len(value.levels) > 2  # labels have no mean
    if nominal and {*repeat} <= {c.name for c in keys}:
        added, repeat = [*added, *repeat], ()
    more = [f"'{c.name}'" for c in likely[1:] if not c.called(WEAK_VALUES)][:FEW_COLUMNS]
    instead = f"; {listing(more)} may be the value instead" if more else ""
    instead += f". Answers told apart by {quoted(repeat)} are averaged" if repeat else ""
    further, again = ([seen.columns[name] for name in names] for names in (added, repeat))
    return Crossing(seen, unit, other, value, further, again, instead, lone=len(free) == 1)


def likely_values(seen: Profile, free: Sequence[Column], rated: bool) -> list[Column]:
    """Return the columns that may be the value, the likeliest first: called so, or else the last column of numbers."""
    named = [c for c in free if c.called(VALUES.words)]
    if named:
        right = [c for c in named if c.yes_no and c.called(RIGHT)]
        return sorted(named, key=lambda c: (seen.nearly_constant(c), c not in right, c.called(WEAK_VALUES)))
    numbers = [c for c in free if c.numbers is not None and (len(c.levels) > 2 or rated)]
    numbers = numbers or [c for c in free if c.numbers is not None]
    likely = numbers or free
    return [likely[-1], *likely[:-1]]


def as_ratings(found: Crossing) -> Iterator[Proposal]:
    """Propose that the labels of the other column rate the units; or give one answer each to choose from."""
    seen, unit, other, value, added = found.seen, found.unit, found.other, found.value, found.added
    persons, rated, size = rate_as_persons(unit, other), other.called(RATERS.words), len(other.levels)
    if persons and not found.lone and not (value.discrete and value.called(SCALED)):
        return
    groups = kinds_of(seen, other, unit) if not (added or unit.called(VALUES.words)) else []
    if not (rated or groups or size <= max(FEW, 2 * len(unit.levels))):
        return
    apart = rated and len(added) == 1 and len(added[0].levels) <= MOST_CONDITIONS
    apart = apart and not added[0].called(REPEATS.words)
    options: dict[str, Any] = {"by": added[0].name} if apart else found.within
    options |= {"rater_groups": groups[:1]} if groups else {}
    methods = size > 2 and other.called(METHODS) and value.numbers is not None and found.full == 1
    score = found.score + 2.2 * methods
    score += 2 if rated else 1.2 if persons else 0 if other.called(CONDITIONS.words) else 0.3
    score -= 0.5 * (size > len(unit.levels) and not (rated or groups))
    surely = unit.called(UNITS.words) or persons
    score += 0.6 * bool(groups) - 0.6 * bool(not surely and kinds_of(seen, unit, other))
    units = f"'{unit.name}'" if apart else found.of
    means = f"'{other.name}' rates {units}, '{value.name}' is the rating{found.instead}"
    means += f". '{groups[0]}' tells kinds of '{other.name}' apart" if groups else ""
    parts = found.parts("rater", joint=not apart)
    yield Proposal("ratings", score, means, parts, options)
    choosing = unit.called([name for name in PERSONS if name != "id"]) and other.called(UNITS.words)
    if choosing and value.numbers is None and not rated:
        means = f"shares of each '{value.name}', of which each '{unit.name}' gave one to each '{other.name}'"
        yield Proposal("ratings", score + 2, means, parts, {**options, "scale": "nominal"}, "choice_shares")


def as_conditions(found: Crossing) -> Iterator[Proposal]:
    """Propose that two labels of the other column are conditions which the units met."""
    unit, other, size = found.unit, found.other, len(found.other.levels)
    condition = other.called(CONDITIONS.words)
    numbered = sum(any(letter.isdigit() for letter in level) for level in other.levels) > size / 2
    units = size > 2 and not condition and (other.called(UNITS.words) or (other.numbers is None and numbered))
    rated = other.called(RATERS.words) and size != 2
    if units or rated or size > MOST_CONDITIONS or rate_as_persons(unit, other) or found.seen.constant(unit, other):
        return
    score = found.score + 1.5 * condition + 0.3 * other.called(TREATMENTS) + 0.9 * bool(in_time(other))
    score += 0.6 if size == 2 else 0.4 if unit.called(UNITS.words) and not found.value.discrete else 0.2
    score += 0.3 * (other.numbers is None and (size == 2 or condition))
    gaps = {"missing": "drop"} if found.full < 1 else {}
    options = {"conditions": two_conditions(other), **found.within, **gaps}
    means = f"'{found.value.name}' of the same {found.of} under two of '{other.name}'{found.instead}"
    yield Proposal("paired", min(score, 9.0), means, found.parts("condition"), options)


def kinds_of(seen: Profile, rater: Column, unit: Column) -> list[str]:
    """Return texts of few labels that each rater has one of, as where people and models answer: those called so first.

    What differs by unit as well says nothing of raters.
    """
    few = [c for c in seen.varying() if c.numbers is None and 2 <= len(c.levels) <= MOST_KINDS and c.filled == c.rows]
    few = [c for c in few if c not in (rater, unit) and 3 * len(c.levels) <= len(rater.levels)]
    found = [c for c in few if seen.constant(c, rater) and not seen.constant(c, unit)]
    return [c.name for c in sorted(found, key=lambda c: not tells_groups(c))]


def repeats_among(
    seen: Profile, unit: Column, other: Column, added: Sequence[str] | None, values: Sequence[Column]
) -> tuple[str, ...] | None:
    """Return which of the columns that tell the rows of a unit and a source apart number its repeated answers.

    Where no columns that name things do that (`added` is None), a time or an id of each answer may. None where nothing
    does, and where such a column rather names the units.
    """
    if added is not None and not added:
        return ()
    value = next((c for c in values if c.called(VALUES.words) and c not in (unit, other)), None)
    cells = Cells(seen, [unit.name], [other.name], value.name if value is not None else None)
    if added is None:
        repeat = cells.repeats() if cells.repeated and unit.called(UNITS.words) else ()
        return repeat if repeat and cells.rather_unit(repeat) is None else None
    kinds = {one.name: one.kind for one in cells.within}
    repeat = tuple(name for name in added if kinds.get(name) == "repeat")
    return None if cells.rather_unit(repeat) is not None else repeat

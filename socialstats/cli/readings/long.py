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
from socialstats.designs.roles import (
    FEWEST_UNNAMED,
    MET_BY,
    Cells,
    is_answer,
    met_share,
    models_of,
    of_people_and_machines,
    people_among,
    tells_groups,
    units_met,
)
from socialstats.designs.vocabulary import (
    CONDITIONS,
    CONFIDENCE,
    CROWD,
    CUES,
    GRADERS,
    METHODS,
    PERIODS,
    PERSONS,
    RATERS,
    REACTIONS,
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

BESIDE_PEOPLE, SHARES, TREATED = 9.6, 9.1, 8.7  # scores
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
        surely = self.unit.called(UNITS.words) or self.unit.id_named or rate_as_persons(self.unit, self.other)
        few = len(self.unit.levels) < FEWEST_UNNAMED and bool(self.added)  # they would be few clusters
        score = 4 - 0.3 * few + 1.2 * surely
        score += self.value.called(VALUES.words) + 0.8 * (self.full > 0.7) - 0.7 * len(self.added)
        # which trial it was is no unit that others meet again
        return score - 0.5 * (self.unit.called(REPEATS.words) and not self.unit.id_named)

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
    yield from beside_people(seen)
    keys, values = keys_of(seen), values_of(seen)
    for unit, other in permutations(keys, 2):
        if may_cross(seen, unit, other, keys) and (found := crossing_of(seen, unit, other, keys, values)):
            yield from shares_of_models(found)
            yield from as_ratings(found)
            yield from as_conditions(found)


def treated_units(seen: Profile) -> Iterator[Proposal]:
    """Look for units that met each of two treatments in several rows: their means are compared.

    What else differs within a unit and a treatment, such as names, judges and runs, is averaged.
    """
    for condition in seen.varying():
        treated = condition.called((*TREATMENTS, *CUES)) and not condition.called(PERIODS) and condition.text
        if not treated or condition.size != 2 or not condition.names_things or condition in models_of(seen):
            continue
        units = [c for c in units_met(seen, condition) if c.called((*UNITS.words, *PERSONS))]
        units = [c for c in units if not c.called(REPEATS.words)]
        unit = max(units, key=lambda c: c.size, default=None)
        if unit is None or seen.distinct([unit.name, condition.name]):
            continue
        free = [c for c in values_of(seen) if c not in (unit, condition) and not seen.constant(c, unit)]
        free = [c for c in free if not seen.constant(c, condition) and (c.numbers is not None or c.yes_no)]
        value = next(iter(likely_values(seen, free, rated=False)), None) if free else None
        rest = [c for c in seen.varying() if c.names_things and c not in (unit, condition, value)]
        repeat = telling_apart(seen, [unit, condition], [c for c in rest if not seen.constant(c, unit)])
        if value is None or not repeat:
            continue
        parts = {"unit": [unit], "condition": [condition], "value": [value], "repeat": repeat}
        told = listing([f"'{c.name}'" for c in repeat])
        means = f"'{value.name}' of the same '{unit.name}' under two of '{condition.name}'; {told} averaged"
        options = {"conditions": two_conditions(condition), "missing": "drop"}
        yield Proposal("paired", TREATED, means, parts, options)


def telling_apart(seen: Profile, key: Sequence[Column], free: Sequence[Column]) -> list[Column]:
    """Return the fewest further columns that tell the rows of a key apart; empty where three do not."""
    names = [c.name for c in key]
    for size in (1, 2, 3):
        for added in combinations(free[:MOST_KEYS], size):
            if seen.distinct([*names, *(c.name for c in added)]):
                return [*added]
    return []


def beside_people(seen: Profile) -> Iterator[Proposal]:
    """Propose that people and models answered: each rater has one label of a column that names people among others."""
    things = [c for c in seen.varying() if c.names_things and not c.prose]
    units = [c for c in things if c.called(UNITS.words) or c.numbering]
    for source in things:
        if not people_among(source) or source.size > MOST_CONDITIONS or source.called(CONDITIONS.words):
            continue
        raters = [c for c in things if c.size > 2 * source.size and not (c.numbering and c.called(REPEATS.words))]
        raters = [c for c in raters if seen.constant(source, c) or c.called((*PERSONS, *RATERS.words, "who"))]
        for rater, unit in ((rater, unit) for rater in raters for unit in units if unit not in (rater, source)):
            met = met_share(seen, source, unit) >= MET_BY and seen.distinct([unit.name, source.name, rater.name])
            free = [c for c in values_of(seen) if c not in (unit, rater, source) and not seen.constant(c, unit)]
            free = [c for c in free if not seen.constant(c, source)]
            if not met or seen.constant(unit, rater) or not free:
                continue
            value = likely_values(seen, free, rated=True)[0]
            parts = {"unit": [unit], "rater": [rater], "value": [value], "rater_source": [source]}
            means = f"'{rater.name}' answers '{unit.name}' with '{value.name}', '{source.name}' says who is a person"
            yield Proposal("ratings", BESIDE_PEOPLE, means, parts, reference_of(source))
            return


def reference_of(source: Column) -> dict[str, str]:
    """Return the setting that says which raters are people, where their label is none that a report knows."""
    people = people_among(source)
    return {} if people.strip().casefold() in CROWD else {"reference": people}


def shares_of_models(found: Crossing) -> Iterator[Proposal]:
    """Propose the shares of each label among the answers of each model: labels have no mean."""
    seen, unit, other, value = found.seen, found.unit, found.other, found.value
    labels = value.numbers is None and len(value.levels) > 2 and not ordered(value.levels)
    if not labels or other not in models_of(seen) or not unit.called(UNITS.words):
        return
    means = f"shares of each '{value.name}' among the answers of each '{other.name}', by {found.of}"
    options = {**found.within, "scale": "nominal", "source": "rater"}
    yield Proposal("ratings", SHARES, means, found.parts("rater"), options, "choice_shares")


def keys_of(seen: Profile) -> list[Column]:
    """Return the columns that may name units, raters or conditions; no text of two sides."""
    keys = []
    for c in seen.varying():
        judged = c.name in seen.rated_by_name
        most = seen.rows * (0.98 if judged or c.called(UNITS.words) else 0.5)
        condition = c.filled == c.rows and len(c.levels) <= MOST_CONDITIONS and c.called(CONDITIONS.words)
        named = c.numbers is None or len(seen.columns) <= FEW_COLUMNS or judged or c.called(KEYS)
        told = not c.describes or {*c.tokens} <= {*CONDITIONS.words}
        if told and named and len(c.levels) <= most and (c.names_things or condition) and not c.prose:
            keys.append(c)
    sides = {c for two in combinations(keys, 2) if paired_names(*two) and share(*two) >= 0.5 for c in two}
    judged = not models_of(seen) and any(c.called(GRADERS) and c.names_things for c in seen.varying())
    measure = None if judged else measures_in(seen)  # criteria of judges are kinds of one rating
    return [c for c in keys if c is not measure and (c.numbers is not None or c not in sides)][:MOST_KEYS]


def values_of(seen: Profile) -> list[Column]:
    """Return the columns that may be the value: numbers and labels, no numbers of a plan, no treatments."""
    free = [c for c in seen.varying() if c.numbers is not None or len(c.levels) <= FEW]
    free = [c for c in free if not (c.called(TREATMENTS) or of_people_and_machines(c) or c.prose)]
    free = [c for c in free if c.called(REACTIONS) or not c.describes] or free
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
    named = other.called((*(name for name in PERSONS if name != "id"), *RATERS.words))
    if other.id_named and not named:
        return False  # talks and sessions with ids are units, which nobody met
    if not (persons or unit.called(UNITS.words) or unit.id_named):
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
    nested = [name for name in (joint or [])[1:] if seen.constant(other, seen.columns[name])]  # each in one condition
    repeat = (*repeat, *(name for name in nested if name not in repeat))
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
        return sorted(
            named,
            key=lambda c: (
                seen.nearly_constant(c),
                c not in right,
                c.called((*WEAK_VALUES, *CONFIDENCE)),
                c.called(REACTIONS) and not right,
            ),
        )
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
    by = rated and len(added) == 1 and len(added[0].levels) <= MOST_CONDITIONS
    by = by and not (added[0].called(REPEATS.words) or added[0].numbering)
    options: dict[str, Any] = {"by": added[0].name} if by else found.within
    source = seen.columns[groups[0]] if groups and people_among(seen.columns[groups[0]]) else None
    options |= {"rater_groups": groups[:1]} if groups and source is None else {}
    options |= reference_of(source) if source is not None else {}
    methods = size > 2 and other.called(METHODS) and value.numbers is not None and found.full == 1
    score = found.score + 2.2 * methods
    score += 2 if rated else 1.2 if persons else 0 if other.called(CONDITIONS.words) else 0.3
    score -= 0.5 * (size > len(unit.levels) and not (rated or groups))
    surely = unit.called(UNITS.words) or persons
    score += 0.6 * bool(groups) - 0.6 * bool(not surely and kinds_of(seen, unit, other))
    units = f"'{unit.name}'" if by else found.of
    means = f"'{other.name}' rates {units}, '{value.name}' is the rating{found.instead}"
    means += f". '{groups[0]}' tells kinds of '{other.name}' apart" if groups else ""
    parts = {**found.parts("rater", joint=not by), **({"rater_source": [source]} if source is not None else {})}
    yield Proposal("ratings", score, means, parts, options)
    choosing = unit.called([name for name in PERSONS if name != "id"]) and other.called(UNITS.words)
    choosing = choosing and not any(c.called(TREATMENTS) and not seen.constant(c, unit) for c in seen.varying())
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
    score = min(score, 9.0) - 0.15 + 0.01 * score - 0.5 * (other.called(PERIODS) and not in_time(other))
    means = f"'{found.value.name}' of the same {found.of} under two of '{other.name}'{found.instead}"
    yield Proposal("paired", score, means, found.parts("condition"), options)


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
    part = cells.first("part")
    if part in added and len(added) > 1:  # what remains within the whole unit
        whole = Cells(seen, [unit.name, str(part)], [other.name], cells.value)
        kinds |= {one.name: one.kind for one in whole.within}
    repeat = tuple(name for name in added if kinds.get(name) == "repeat")
    return None if cells.rather_unit(repeat) is not None else repeat

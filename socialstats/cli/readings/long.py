"""Several rows a unit: raters or conditions in a column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from typing import Any

from socialstats.cli.guesses import ordered
from socialstats.cli.readings.boards import measures_in
from socialstats.cli.readings.proposal import Proposal, in_time, two_conditions, value_settings
from socialstats.designs.profile import FEW, FEW_COLUMNS, MOST_KEYS, Column, Profile, paired_names, share
from socialstats.designs.roles import Cells, is_answer, tells_groups
from socialstats.designs.vocabulary import (
    CONDITIONS,
    DATES,
    PERSONS,
    RATERS,
    REPEATS,
    RIGHT,
    TREATMENTS,
    UNITS,
    VALUES,
    VARIANTS,
)
from socialstats.text import listing, quoted

MOST_KINDS = 4  # labels of a column that tells kinds of raters apart
WEAK = ("category", "label", "code")  # names units as often as values
METHODS = ("method", "meth", "machine", "instrument", "device")  # three of them measure one quantity as raters do


def long_tables(seen: Profile) -> Iterator[Proposal]:
    """Look for a unit, a rater or condition, and a value in a long table: keys whose combinations are all different."""
    hints = (*UNITS.words, *RATERS.words, *CONDITIONS.words, *REPEATS.words)
    judged = seen.rated_by_name
    keys = [
        c for c in seen.varying()
        if not (c.describes and not {*c.tokens} <= {*CONDITIONS.words})
        and len(c.levels) <= seen.rows * (0.98 if c.called(UNITS.words) or c.name in judged else 0.5)
        and (c.names_things or (c.filled == c.rows and len(c.levels) <= 12 and c.called(CONDITIONS.words)))
        and (c.numbers is None or len(seen.columns) <= FEW_COLUMNS or c.called(hints) or c.name in judged)
    ]  # fmt: skip
    sides = [two for two in combinations(keys, 2) if paired_names(*two) and share(*two) >= 0.5]
    sides = [two for two in sides if not two[0].called(RATERS.words)]
    keys = [c for c in keys if c.numbers is not None or not any(c in two for two in sides)][:MOST_KEYS]
    values = [c for c in seen.varying() if (c.numbers is not None or len(c.levels) <= FEW)
              and not (c.numbers_rows or seen.enumerates(c))]  # fmt: skip
    values = [c for c in values if not c.called(TREATMENTS)]
    values = [c for c in values if c.name not in seen.no_values] or values
    measure = measures_in(seen)
    keys = [c for c in keys if c is not measure]
    wordings = [c for c in keys if c.called(VARIANTS)]
    for unit, other in permutations(keys, 2):
        persons = (
            other.called(PERSONS) and not unit.called((*PERSONS, *CONDITIONS.words)) and not other.called(RATERS.words)
        )
        surely, rated, cond = (
            unit.called(UNITS.words) or persons,
            other.called(RATERS.words),
            other.called(CONDITIONS.words),
        )
        met = (
            len(unit.levels) * len(other.levels) == seen.rows and unit.called(REPEATS.words) and not unit.called(DATES)
        )
        if not surely and (other.called(UNITS.words) or (unit.called((*CONDITIONS.words, *REPEATS.words)) and not met)):
            continue
        nested = seen.constant(unit, other)  # each rater rates one unit: no condition is like that
        if other.called(VALUES.words) and not (rated or cond):
            continue
        degrees = other.numbers is None and ordered(other.levels)  # in an order that everybody knows
        if not (rated or cond or persons) and (degrees or is_answer(seen, other, unit)):
            continue
        if unit in wordings and any(c.called(UNITS.words) for c in keys if c not in (unit, other, *wordings)):
            continue
        if other.called(REPEATS.words) or seen.constant(other, unit) or (nested and not rated):
            continue
        joint = seen.joint_key(unit, other, keys, 1.02 if surely and rated else 1.3)
        repeat = repeats_among(seen, unit, other, joint[1:] if joint is not None else None, values)
        if repeat is None:
            continue
        joint = joint or [unit.name]
        joint = [name for name in joint if name not in repeat]
        free = [c for c in values if c.name not in (*joint, *repeat, other.name) and not seen.constant(c, unit)
                and not (c in keys and c.called(hints) and len(c.levels) <= max(MOST_KEYS, seen.rows / 3))
                and not seen.constant(c, other)]  # fmt: skip
        if not free:
            continue
        numbers = [c for c in free if c.numbers is not None and (len(c.levels) > 2 or rated)]
        numbers = numbers or [c for c in free if c.numbers is not None]
        scales = [c for c in free if c.discrete] if rated else []
        named = [c for c in free if c.called(VALUES.words)]
        named.sort(key=lambda c: (seen.nearly_constant(c), not (c.yes_no and c.called(RIGHT)), c.called(WEAK)))
        likely = named or [c for c in numbers if c in scales] or scales or numbers or free
        value = likely[0] if named else likely[-1]
        nominal = value.numbers is None and len(value.levels) > 2  # labels have no mean
        if repeat and nominal and {*repeat} <= {c.name for c in keys}:
            joint, repeat = [*joint, *repeat], ()
        more = [f"'{c.name}'" for c in likely if c is not value and not c.called(WEAK)][:FEW_COLUMNS]
        instead = f"; {listing(more)} may be the value instead" if more else ""
        likert = value.discrete and value.called(("rating", "response", "score", "liking", "preference"))
        if persons and not likert and len(free) > 1:
            continue
        alone = len(joint) == 1 and not unit.called(VALUES.words)
        groups = kinds_of(seen, other, unit) if alone else []
        size, added = len(other.levels), [seen.columns[name] for name in joint[1:]]
        full = seen.rows / max(1, len(unit.levels) * size * max(1, len(added)))
        base = 4 + 1.2 * surely + value.called(VALUES.words) + 0.8 * (full > 0.7) - 0.7 * len(added)
        base -= 0.5 * unit.called(REPEATS.words)  # which trial it was is no unit that others meet again
        key, last = f"unit={','.join(joint)}", f"value={value.name}"
        of = listing([f"'{name}'" for name in joint])
        again = [f"repeat={name}" for name in repeat]
        instead = f"{instead}. Answers told apart by {quoted(repeat)} are averaged" if repeat else instead
        within: dict[str, Any] = {"cluster": [unit.name]} if added else {}
        if rated or groups or size <= max(FEW, 2 * len(unit.levels)):
            apart = rated and len(added) == 1 and len(added[0].levels) <= 12 and not added[0].called(REPEATS.words)
            rated_unit = f"'{unit.name}'" if apart else of
            entries = [f"unit={unit.name}" if apart else key, f"rater={other.name}", last, *again]
            settings = {"map": entries, **({"by": added[0].name} if apart else within)}
            settings |= {"rater_groups": groups[:1]} if groups else {}
            methods = size > 2 and other.called(METHODS) and value.numbers is not None and full == 1
            score = base + 2.2 * methods + (2 if rated else 1.2 if persons else 0 if cond else 0.3)
            score -= 0.5 * (size > len(unit.levels) and not (rated or groups))
            score += 0.6 * bool(groups) - 0.6 * bool(not surely and kinds_of(seen, unit, other))
            told = f"'{other.name}' rates {rated_unit}, '{value.name}' is the rating{instead}"
            told += f". '{groups[0]}' tells kinds of '{other.name}' apart" if groups else ""
            yield Proposal("ratings", score, told, settings | value_settings([value], "ratings"))
            if (
                unit.called([name for name in PERSONS if name != "id"])
                and other.called(UNITS.words)
                and value.numbers is None
                and not rated
            ):
                told = f"shares of each '{value.name}', of which each '{unit.name}' gave one to each '{other.name}'"
                yield Proposal("ratings", score + 2, told, {**settings, "scale": "nominal"}, "choice_shares")
        numbered = sum(any(letter.isdigit() for letter in level) for level in other.levels) > size / 2
        several = size > 2 and not cond and (other.called(UNITS.words) or (other.numbers is None and numbered))
        if not nested and not persons and not several and size <= 12 and (not rated or size == 2):
            gaps = {"missing": "drop"} if full < 1 or value.filled < value.rows else {}
            parts = [key, f"condition={other.name}", last, *again]
            settings = {"map": parts, "conditions": two_conditions(other), **within, **gaps}
            score = base + 1.5 * cond + 0.3 * other.called(TREATMENTS)
            score += 0.6 if size == 2 else 0.4 if surely and not value.discrete else 0.2
            score += 0.3 * (other.numbers is None and (size == 2 or cond)) + 0.9 * bool(in_time(other))
            told = f"'{value.name}' of the same {of} under two of '{other.name}'{instead}"
            yield Proposal("paired", min(score, 9.0), told, settings | value_settings([value], "paired"))


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
        return repeat or None
    kinds = {one.name: one.kind for one in cells.within}
    repeat = tuple(name for name in added if kinds.get(name) == "repeat")
    return None if cells.rather_unit(repeat) is not None else repeat

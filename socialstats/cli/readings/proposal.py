"""A proposal, and the settings that its values need."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from socialstats.cli.guesses import ordered
from socialstats.designs.profile import FEW, Column
from socialstats.designs.tables import bare
from socialstats.designs.vocabulary import LATER, spelled, without_accents
from socialstats.tables import as_number

YES = spelled(
    "yes y true t 1 c pos positive + present success pass passed correct right ja oui si approve accept accepted agree "
    "good better high"
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """One way to read a table.

    Attributes
    ----------
    design : {"comparisons", "paired", "ratings"}
    score : float
        How likely it is, from 0 to 10.
    means : str
        What the settings say, in a few words.
    settings : dict
        As the command line has them.
    metric : str
        The metric to estimate, where a report would ask another question first.
    """

    design: str
    score: float
    means: str
    settings: dict[str, Any]
    metric: str = ""


def value_settings(columns: Sequence[Column], design: str) -> dict[str, Any]:
    """Return the levels or scale that texts need; numbers and opposites need none."""
    levels = sorted({level for column in columns for level in column.levels})
    folded = {level.casefold() for level in levels}
    if all(as_number(level) is not None for level in levels) or folded <= {"true", "false"} or folded <= {"yes", "no"}:
        return {}
    order = ordered(levels) if len(levels) <= FEW and max(map(len, levels)) > 1 else []
    if design == "paired" and not order and len(levels) == 2:
        return {"levels": levels[::-1] if says_yes(*levels) else levels}
    return {"levels": order} if order else {"scale": "nominal"}


def says_yes(one: str, other: str) -> bool:
    """Whether the first of two labels is a yes, in any spelling, or the second is the first with a no before it."""
    yes, no = one.strip().casefold(), other.strip().casefold()
    return yes in YES or any(bare(no) == prefix + bare(yes) != prefix for prefix in ("no", "non", "not", "un", "in"))


def later_first(one: Column, other: Column) -> tuple[Column, Column]:
    """Order conditions with the later one first, so that a difference is a change: after minus before."""
    spelt = [{*re.split(r"[\W_]+", without_accents(c.name).casefold())} for c in (one, other)]
    if any(y in spelt[0] and x in spelt[1] for x, y in LATER):
        return one, other
    later = any(y in spelt[1] or starts(other.name, y) or other.called((y,)) for _, y in LATER)
    return (other, one) if later else (one, other)


def starts(label: str, word: str) -> bool:
    """Whether a label begins with a word, accents aside."""
    return bare(without_accents(label)).startswith(word)


def in_time(column: Column) -> list[str]:
    """Return a later and an earlier label of a column; empty where its labels say nothing of time."""
    for x, y in LATER:
        low = next((level for level in column.levels if starts(level, x)), None)
        high = next((level for level in column.levels if starts(level, y)), None)
        if low is not None and high is not None:
            return [high, low]
    return []


def two_conditions(column: Column) -> list[str]:
    """Return two conditions, what comes later first where the labels say so."""
    return in_time(column) or list(column.levels[:2])

"""A proposal: which columns play which parts, and the settings that follow from what these hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from socialstats.designs.aliases import Fields
from socialstats.designs.column_profile import FEW, ColumnProfile, Columns
from socialstats.designs.level_orders import conventional_order
from socialstats.designs.levels import later_and_earlier
from socialstats.designs.settings import Settings
from socialstats.designs.vocabulary import (
    BASELINES,
    CONTROLS,
    LATER,
    OCCASIONS,
    UNNUMBERED,
    YES,
    bare,
    without_accents,
)
from socialstats.proposals.deciding import words
from socialstats.tables import as_number

LISTED = (
    "raters",
    "units",
    "level_columns",
    "ranks",
)  # settings of their own; others are entries of the map
ANSWERS = ("value", "first", "second", "raters", "units")  # parts whose labels are levels
Pair = tuple[ColumnProfile, ColumnProfile]
Parts = Mapping[str, Columns]


@dataclass(frozen=True, slots=True)
class Proposal:
    """One way to read a table.

    Attributes
    ----------
    design : {"comparisons", "groups", "paired", "ratings"}
    score : float
        How likely it is, from 0 to 10.
    means : str
        What the settings say, in a few words.
    parts : mapping of str to sequence of Column
        Which columns play which part.
    options : mapping of str to value
        Settings beside the parts, in place of those that would follow from the columns.
    metric : str
        The metric to estimate, where a report would ask another question first.
    given : sequence of str
        Entries of the map that the user gave: they stand for the parts that they name.
    unnumbered : bool
        Whether a unit has several answers of one source, which no column numbers.
    """

    design: str
    score: float
    means: str
    parts: Parts = field(default_factory=dict)
    options: Settings = field(default_factory=dict)
    metric: str = ""
    given: Sequence[str] = ()
    unnumbered: bool = False

    @property
    def settings(self) -> Fields:
        """The settings as the command line has them."""
        given = {entry.partition("=")[0] for entry in self.given}
        entries, listed = [*self.given], Fields()
        for part, columns in self.parts.items():
            names = [c.name for c in columns]
            if part in LISTED:
                listed[part] = names
            elif part == "rater" and not names and "value" in self.parts and part not in given:
                entries.append("rater=")  # all values are of one source
            elif names and part not in given:
                entries += [
                    f"{part}={name}" for name in (names if part == "repeat" else [",".join(names)])
                ]
        if self.unnumbered and "repeat" not in given:
            entries.append(f"repeat={UNNUMBERED}")
        mapped = {"map": entries} if entries else {}
        first, last = ({}, mapped) if listed.keys() & {"raters", "level_columns"} else (mapped, {})
        options = {key: value for key, value in self._implied().items() if key not in self.options}
        study = {"study": self.options["study"]} if "study" in self.options else {}
        return {**study, **first, **listed, **self.options, **options, **last}

    def _implied(self) -> Fields:
        """Return the settings that follow from what the columns hold."""
        if self.design == "comparisons":
            return drop_gaps([c for columns in self.parts.values() for c in columns])
        answers = [c for part in ANSWERS for c in self.parts.get(part, ())]
        if not answers or "study" in self.options:
            return {}
        labels = [level for column in answers for level in column.levels]
        levels = (
            {} if {"levels", "scale"} & {*self.options} else level_settings(labels, self.design)
        )
        return levels | (drop_gaps(answers) if self.design in ("groups", "paired") else {})

    def columns(self) -> Iterator[str]:
        """Return the names of the columns that it uses."""
        yield from (c.name for columns in self.parts.values() for c in columns)
        for key in ("by", "cluster", "count", "units"):
            yield from words(self.options.get(key))
        yield from (entry.partition("=")[2] for entry in words(self.options.get("map")))
        for key in ("where", "exclude"):
            yield from (entry.partition("=")[0] for entry in words(self.options.get(key)))


Proposals = Iterator[Proposal]


def ends_of(column: ColumnProfile) -> tuple[float, float]:
    """Return the smallest and the largest number of a column; 0 and 0 for texts."""
    numbers = column.numbers or [0.0]
    return min(numbers), max(numbers)


def drop_gaps(columns: Columns) -> dict[str, str]:
    """Return the setting that leaves rows without a value out, where there are some."""
    return {"missing": "drop"} if any(c.filled < c.rows for c in columns) else {}


def level_settings(labels: Iterable[str], design: str, *, letters: bool = False) -> Fields:
    """Return the levels or scale that texts need; numbers and opposites need none.

    With `letters`, single letters are in order too.
    """
    levels = sorted({*labels})
    folded = {level.casefold() for level in levels}
    if (
        all(as_number(level) is not None for level in levels)
        or folded <= {"true", "false"}
        or folded <= {"yes", "no"}
    ):
        return {}
    ordered = len(levels) <= FEW and (letters or max(map(len, levels)) > 1)
    order = conventional_order(levels) if ordered else []
    if design in ("groups", "paired") and not order and len(levels) == 2:
        return {"levels": levels[::-1] if says_yes(*levels) else levels}
    return {"levels": order} if order else {"scale": "nominal"}


def says_yes(first: str, second: str) -> bool:
    """Whether the first of two labels is a yes, in any spelling, or the second is the first with a no before it."""
    yes, no = first.strip().casefold(), second.strip().casefold()
    return yes in YES or any(
        bare(no) == prefix + bare(yes) != prefix for prefix in ("no", "non", "not", "un", "in")
    )


def later_first(first_column: ColumnProfile, second_column: ColumnProfile) -> Pair:
    """Order conditions with the later one first, so that a difference is a change: after minus before."""
    orders = [
        [(says(column, x), says(column, y)) for x, y in LATER]
        for column in (first_column, second_column)
    ]
    forth = any(first and second for (first, _), (_, second) in zip(*orders, strict=True))
    back = any(first and second for (_, second), (first, _) in zip(*orders, strict=True))
    if forth is not back:  # T1 comes before T2, and after T0
        return (second_column, first_column) if forth else (first_column, second_column)
    later = any(second for _, second in orders[1])
    base = (
        first_column.words - second_column.words <= {*CONTROLS, *BASELINES}
        and first_column.words != second_column.words
    )
    return (second_column, first_column) if later or base else (first_column, second_column)


def says(column: ColumnProfile, word: str) -> bool:
    """Whether a name says a time, as a word of its own, at its start, or at the end of a word."""
    words = re.split(r"[\W_]+", without_accents(column.name).casefold())
    return word in words or starts(column.name, word) or column.called(word)


def starts(label: str, word: str) -> bool:
    """Whether a label begins with a word, accents aside."""
    return bare(without_accents(label)).startswith(word)


def two_of(column: ColumnProfile) -> str:
    """Return a word on the two conditions of a column, and on how many there are where others are left out."""
    return f"two of the {column.size} labels of {column}" if column.size > 2 else f"two of {column}"


def two_conditions(column: ColumnProfile) -> list[str]:
    """Return two conditions, what comes later first where the labels say so."""
    timed = column.called(OCCASIONS)
    if column.numbers is not None and (timed or len(column.levels) > 2):  # the last and the first
        numbers = sorted(column.levels, key=float)
        return [numbers[-1], numbers[0]]
    if timed and (places := places_of(column.levels)):
        return [places[max(places)], places[min(places)]]
    return [*(later_and_earlier(column.levels) or column.levels[:2])]


def places_of(labels: Sequence[str]) -> dict[int, str]:
    """Return the labels by the number that each holds; empty where one holds none, or two the same.

    Examples
    --------
    >>> places_of(["wave 2", "wave 10"]), places_of(["spring", "wave 2"])
    ({2: 'wave 2', 10: 'wave 10'}, {})
    """
    numbers = {int(n[0]): label for label in labels if (n := re.search(r"\d+", label)) is not None}
    return numbers if len(numbers) == len(labels) else {}

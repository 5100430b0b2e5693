"""One column as the generators look at it: its labels, its numbers, and what its name and its values say of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from socialstats.designs.aliases import Levels
from socialstats.designs.levels import opposites
from socialstats.designs.vocabulary import (
    COSTS,
    COVARIATES,
    DATES,
    EXPORTED,
    FREQUENCIES,
    IDENTITIES,
    LONG_LABEL,
    NUMBERINGS,
    PERSONS,
    PROSE,
    RATERS,
    REACTIONS,
    ROW_NAMES,
    ROW_NUMBERS,
    TIMINGS,
    UNITS,
    bare,
    every_word,
    without_accents,
)
from socialstats.tables import as_number
from socialstats.text import shorten

# labels of a scale
FEW = 30
# numbers of a scale of ratings
MOST_GRADES = 12
# share of cells that keep to a plan, where some rows are missing
MOST_OF = 0.85
# 2025-03-01, 1.3.2025
DATED = re.compile(r"\s*(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})(?:\D|$)")
# ends of second, exchange, writer and scaffold
NO_ENDS = ("cond", "change", "iter", "fold")
# labels of a column that is called an id and names units
FEWEST_IDS = 8
# between the words of a name
SPACED = re.compile(
    r"(?<=[A-Z])(?=Id$)|(?<=[a-z])(?=[A-Z])|(?<=[A-Z]{2})(?=[a-z])(?!d$)|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])"
)


@dataclass(eq=False)
class ColumnProfile:
    """What a column holds: its labels, the rows of the table, and how many of them have a value.

    Attributes
    ----------
    name : str
    levels : tuple of str
    rows, filled : int
    odd : tuple of str
        Labels that rather say why a value is missing: few rows among numbers have them, or they are called failures.
    ranks : bool
        Whether further columns hold the same numbers, each once: ranks, or scores, of rows.
    size : int
        Labels.
    tokens, words : tuple and frozenset of str
        The words of the name.
    labels : frozenset of str
        The levels.
    numbers : list of float or None
        The values as numbers; None where one is none.
    text : bool
        Whether some value is no number.
    whole : bool
        Whether all values are whole numbers from 0 upwards.
    unique : bool
        Whether every row has a value of its own.
    counts : bool
        Whether the column is called like a frequency, and holds whole numbers.
    identifies : bool
        Whether the column is called like an id or a hash, and holds whole numbers of any sign: no measurement.
    names_things : bool
        Whether the column can name units: text or whole numbers, with a value in every row.
    discrete : bool
        Whether the values can be levels of a scale.
    timing : bool
        Whether the column is called like a time at which, or a duration in which, something was answered.
    yes_no : bool
        Whether the values are two opposites, or 0 and 1.
    """

    name: str
    levels: Levels
    rows: int
    filled: int
    odd: Levels = ()
    ranks: bool = False

    def __post_init__(self) -> None:
        self.size = len(self.levels)
        tokens = re.split(r"[\W_]+", SPACED.sub(" ", without_accents(self.name)).casefold())
        self.tokens = tuple(token for token in tokens if token)
        self.words = frozenset(self.tokens)
        self.labels = frozenset(self.levels)
        values = [as_number(level) for level in self.levels]
        self.numbers = (
            [x for x in values if x is not None] if values and None not in values else None
        )
        integers = self.numbers is not None and all(x.is_integer() for x in self.numbers)
        halves = self.numbers is not None and all((2 * x).is_integer() for x in self.numbers)
        self.whole = integers and min(self.numbers or [0.0]) >= 0
        self.unique = self.size == self.rows
        self.counts = bare(self.name) in FREQUENCIES and self.whole and not self.unique
        last = self.tokens[-1] if self.tokens else ""
        named = last in IDENTITIES or (
            last.endswith("id") and last[:-2] in (*UNITS, *RATERS, *PERSONS, "user")
        )
        self.identifies = named and integers
        self.text = self.numbers is None
        names = self.text or self.whole or self.identifies
        self.names_things = self.filled == self.rows and self.size > 1 and names
        self.discrete = self.size <= FEW and (halves or self.text)
        timed = len(self.tokens) > 1 and self.says(TIMINGS, "ms", "sec", "secs", "seg", "sek")
        self.timing = (
            timed or bare(without_accents(self.name)).endswith(TIMINGS)
        ) and not self.called(REACTIONS)
        two = self.size == 2
        self.yes_no = two and (opposites(self.levels) is not None or self.labels == {"0", "1"})

    def __str__(self) -> str:
        """The name as messages write it."""
        return f"'{shorten(self.name)}'"

    @cached_property
    def describes(self) -> bool:
        """Whether the column is called like a date, time, cost or age: it measures no answer, and names no unit."""
        words = {
            *self.tokens,
            *(token.removesuffix("s") for token in self.tokens),
            bare(without_accents(self.name)),
        }
        exact = words & {*DATES, *COSTS, *COVARIATES, *EXPORTED, "time", "zeit", "tiempo", "temps"}
        dated = (
            self.text
            and sum(bool(DATED.match(level)) for level in self.levels) > MOST_OF * self.size
        )
        spelt = self._holds((*DATES, *COSTS, *COVARIATES))
        return not self.called(REACTIONS) and (self.timing or bool(exact) or spelt or dated)

    @property
    def id_named(self) -> bool:
        """Whether the column is called an id and has many labels: a session_id names sessions, and numbers nothing."""
        return self.size >= FEWEST_IDS and self.ends(IDENTITIES) and len(self.tokens) > 1

    @cached_property
    def prose(self) -> bool:
        """Whether the column holds free texts: long labels of several words each, under a name of texts or not."""
        if not self.text:
            return False
        letters = sum(map(len, self.levels)) / max(self.size, 1)
        words = sum(len(label.split()) > 2 for label in self.levels) / max(self.size, 1)
        named = self.ends(PROSE) and words > 0
        return (letters >= LONG_LABEL and words > 0.5) or (named and words >= 0.3)

    def _holds(self, words: Iterable[str]) -> bool:
        """Whether the name holds one of some Chinese words, between which no blanks stand."""
        return any(word in self.name for word in words if not word.isascii())

    @cached_property
    def numbering(self) -> bool:
        """Whether whole numbers are called an id or a number of something."""
        numbered = self.ends(NUMBERINGS) or self._holds(IDENTITIES)
        return self.whole and (numbered or self.called("nummer"))

    @property
    def lists(self) -> bool:
        """Whether labels name things rather than measure them: texts, ids, numbers of something, or of a list."""
        return self.text or self.identifies or self.numbering or self.is_enumeration

    @property
    def is_enumeration(self) -> bool:
        """Whether whole numbers are those of a list: nearly all from 0 or 1 to the last, more than a scale has."""
        numbers = self.numbers or [0.0]
        full = len(numbers) >= MOST_GRADES and len(numbers) >= MOST_OF * (max(numbers) + 1)
        return self.whole and not self.describes and full and min(numbers) <= 1

    @property
    def unique_key(self) -> bool:
        """Whether the column numbers the rows, or is called an id and differs in each."""
        return self.numbers_rows or (self.unique and self.whole and self.called("id"))

    @property
    def numbers_rows(self) -> bool:
        """Whether the column is called like a row number, or has no name, and each of its whole numbers occurs once."""
        if self.ranks or not (bare(self.name) in ROW_NUMBERS and self.unique and self.whole):
            return False
        return bare(self.name) in ROW_NAMES or self.rows > max(self.numbers or [0]) - min(
            self.numbers or [0]
        )

    def says(self, *kinds: Iterable[str]) -> bool:
        """Whether a word of the column's name is one of these."""
        return not every_word(kinds).isdisjoint(self.tokens)

    def ends(self, *kinds: Iterable[str]) -> bool:
        """Whether the last word of the column's name is one of these."""
        return not every_word(kinds).isdisjoint(self.tokens[-1:])

    def called(self, *kinds: Iterable[str]) -> bool:
        """Whether a word of the column's name is, or ends with, one of these, in any number, with or without ``id``."""
        names = every_word(kinds)
        tokens = {*self.tokens, bare(without_accents(self.name))}
        tokens |= {
            short
            for token in tokens
            for short in (token.removesuffix("s"), token.removesuffix("id"))
        }
        tokens |= {token.removeprefix("id") for token in tokens}
        if tokens & names or any(
            t.endswith(n) for n in names if len(n) > 3 and n not in NO_ENDS for t in tokens
        ):
            return True
        return self._holds(names)


Columns = Sequence[ColumnProfile]

"""A design as a list of parts, each with its kind, and one reader that finds the column of each part in a table."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, TypeAlias, get_args

from socialstats.designs.aliases import Levels, Texts, TextSet
from socialstats.designs.options import texts
from socialstats.designs.vocabulary import LIKELY_UNITS
from socialstats.errors import DesignError, InputError, Problem
from socialstats.tables import Table
from socialstats.text import listing, shorten
from socialstats.voice import option

Kind: TypeAlias = Literal[
    "item",
    "unit",
    "within",
    "rater",
    "source",
    "condition",
    "order",
    "by",
    "group",
    "cluster",
    "stratum",
    "rater_group",
    "value",
    "wins",
    "score",
    "drawn",
    "covariate",
    "weight",
    "count",
    "repeat",
    "status",
    "probability",
    "note",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""What a column is in a design; a note says more of a value."""
# kinds that people are not told
UNTOLD = ("within", "probability", "note")
# kinds of parts that several columns may play
SEVERAL = frozenset({"cluster", "stratum", "rater_group", "repeat"})
# kinds of columns that tell units apart
UNIT = ("unit", "within")
# kinds of names
KEYS = (
    "item",
    *UNIT,
    "rater",
    "source",
    "condition",
    "order",
    "by",
    "group",
    "cluster",
    "stratum",
)
NAMING = (*KEYS, "rater_group")
# kinds of columns that have a value in every row
NEEDED = (
    *KEYS,
    "wins",
    "score",
    "drawn",
    "covariate",
    "count",
)
# kinds that share no column
ALONE = frozenset({"unit", "rater", "condition", "value", "by", "group", "status"})
# columns of collected tables
STATUS = "answer_status"
REPLY = "reply_status"
# columns whose names are compared letter by letter with a name that is not there
COMPARED = 2_000


@dataclass(frozen=True, slots=True)
class DesignPart:
    """A part of a design.

    Attributes
    ----------
    name : str
        The option that names its column.
    kind : Kind
    names : tuple of str
        Names of columns that play the part without being named; empty where it is played by named ones alone.
    wanted : bool
        Whether the design needs the part.
    """

    name: str
    kind: Kind
    names: Levels = ()
    required: bool = True


def plain_parts(text: str) -> tuple[DesignPart, ...]:
    """Return parts that columns play only where they are named: ``name:kind``, or a name that is the kind as well.

    Raises
    ------
    ValueError
        For a kind that is none.

    Examples
    --------
    >>> [(part.name, part.kind) for part in plain_parts("by strata:stratum")]
    [('by', 'by'), ('strata', 'stratum')]
    """
    parts = []
    for word in text.split():
        name, _, kind = word.partition(":")
        parts.append(DesignPart(name, KINDS[KINDS.index(kind or name)]))
    return tuple(parts)


# tells replies that were blocked, beside a status
BLOCKS = DesignPart("reply", "note")


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns of each part of a design.

    Attributes
    ----------
    schema : tuple of Part
    played : mapping of str to tuple of str
        Columns by the name of the part.
    """

    schema: tuple[DesignPart, ...]
    played: Mapping[str, Levels]

    def __getitem__(self, name: str) -> str:
        """Return the first column of a part; empty where none plays it."""
        return next(iter(self.played.get(name, ())), "")

    def of(self, *kinds: str) -> list[str]:
        """Return the columns of some kinds, each once, in the order of the parts."""
        chosen = (self.played.get(part.name, ()) for part in self.schema if part.kind in kinds)
        return list(dict.fromkeys(column for columns in chosen for column in columns))

    def columns(self) -> list[str]:
        """Return every column that plays a part."""
        return self.of(*(part.kind for part in self.schema))

    def parts(self) -> dict[str, str]:
        """Return part -> column, for people; the columns of a part that several play are numbered."""
        parts: dict[str, str] = {}
        for part in self.schema:
            columns = self.played.get(part.name, ()) if part.kind not in UNTOLD else ()
            if part.kind in SEVERAL:
                parts |= {f"{part.kind}{k}": column for k, column in enumerate(columns, start=1)}
            elif columns:
                parts[part.name] = columns[0]
        return parts

    def replaced(self, **played: Iterable[str]) -> Self:
        """Return the roles with other columns of some parts."""
        return replace(
            self,
            played={**self.played, **{name: tuple(columns) for name, columns in played.items()}},
        )

    def counted(self, column: str | None) -> Self:
        """Return the roles with a column of counts, if there is one."""
        return self.replaced(count=[column] if column else ())


class Finder:
    """Looks for the columns of one table and collects what is missing.

    Parameters
    ----------
    table : Table
    any_case : bool
        Whether the names of parts are found in any case, and with blanks around them.
    """

    def __init__(self, table: Table, *, any_case: bool = False) -> None:
        self.table = table
        self.any_case = any_case
        self.columns = table.columns
        self.problems: list[Problem] = []

    def roles(
        self, parts: Sequence[DesignPart], options: Any = None, used: TextSet = (), **named: Any
    ) -> Roles:
        """Find the columns of a design: as named, or the first free one of the names of a part.

        Parameters
        ----------
        parts : sequence of Part
        options : object
            Holds the columns that were named, by part; False for a part that no column plays.
        used : collection of str
            Columns that play other parts.
        **named
            Columns of further parts.

        Raises
        ------
        DesignError
            For a cluster that is the unit itself.
        """
        roles = {
            part.name: named.get(part.name, getattr(options, part.name, None)) for part in parts
        }
        played = {
            part.name: self.several(part.name, roles[part.name], part.names)
            for part in parts
            if roles[part.name] and roles[part.name] is not True
        }
        used = {*used, *(column for columns in played.values() for column in columns)}
        for part in parts:
            if part.kind == "unit":
                self._refuse_unit_as_cluster(part, played, used)
        for part in parts:
            if not part.names or part.name in played or roles[part.name] is False:
                continue
            column = self.free(part.names, used)
            if column is not None:
                played[part.name] = (column,)
                used.add(column)
            elif part.required:
                # one of these may have been meant, and is never taken: it may be a cluster of units
                # too
                likely = (*part.names, *(LIKELY_UNITS if part.kind == "unit" else ()))
                guess = self.spelled(
                    likely, [column for column in self.columns if column not in used]
                )
                self.lack(part.name, part.names, guess, sorted(used))
        part_of: dict[str, str] = {}
        for part in parts:
            for column in played.get(part.name, ()) if part.kind in ALONE else ():
                if part_of.setdefault(column, part.name) != part.name:
                    message = (
                        f"{part_of[column]} and {part.name} are the same column '{shorten(column)}'"
                    )
                    self.miss(part.name, message, [part.name], used=[column])
        if played.get("status", ()) not in ((), (REPLY,)) and self.table.has(REPLY):
            played[BLOCKS.name] = (REPLY,)
        return Roles(tuple(parts), played)

    def free(self, names: Texts, used: TextSet = ()) -> str | None:
        """Return the first column of some names that plays no part yet."""
        columns = [column for column in self.columns if column not in used]
        return (
            self.spelled(names, columns)
            if self.any_case
            else next((n for n in names if n in columns), None)
        )

    def _refuse_unit_as_cluster(
        self, part: DesignPart, columns: Mapping[str, Levels], used: TextSet
    ) -> None:
        """Refuse a cluster that is the unit itself: as named, or the only column that could be it.

        Raises
        ------
        DesignError
        """
        unit = columns.get(part.name, ())
        for name in columns.get("cluster", ()):
            alone = (
                not unit
                and name in part.names
                and (not self.free(part.names, used) or name in part.names[:2])
            )
            if name in unit or (alone and name in self.columns):
                raise DesignError(
                    f"{self.table.source}: '{shorten(name)}' already is the unit, and units are what is taken as "
                    f"independent: leave {option('cluster')} out. If another column is the unit, say "
                    f"{option('unit', 'COLUMN', '--map unit=COLUMN')}"
                )

    def explicit(self, part: str, name: str, looked: Texts = ()) -> str:
        """Take a column that the caller named."""
        if not isinstance(name, str) and not self.table.has(name):
            raise InputError(
                f"{option(part)} names a column of the table; values go into a column first"
            )
        if not self.table.has(name):
            self.miss(part, f"no column '{shorten(name)}' (asked for as {part})", [name, *looked])
        return name

    def several(self, part: str, names: str | Iterable[str] | None, looked: Texts = ()) -> Levels:
        """Take the columns that the caller named, one or several."""
        return tuple(self.explicit(part, name, looked) for name in texts(names))

    def finish(self) -> None:
        """Raise `DesignError` that names every column that is missing."""
        if self.problems:
            raise DesignError(self.problems)

    def lack(
        self, part: str, names: Texts, guess: str | None = None, used: Texts = (), like: int = 3
    ) -> None:
        """Collect a part that no column plays; columns like the first few names may have been meant."""
        message = f"no column for '{part}' (looked for {listing(names, most=6)})"
        self.miss(part, message, names[:like], guess, used)
        self.problems[-1] = replace(self.problems[-1], part=part)

    def miss(
        self, part: str, message: str, looked: Texts, guess: str | None = None, used: Texts = ()
    ) -> None:
        """Collect a missing column with the likeliest cure: a free column of a similar name."""
        free = [column for column in (*self.columns, *self.table.index) if column not in used]
        compared = free[:COMPARED]
        close = (
            m for want in looked for m in difflib.get_close_matches(want, compared, n=1, cutoff=0.7)
        )
        guess = guess or self.spelled(looked, free) or next(close, None)
        listed = listing([shorten(c) for c in self.columns], most=20)
        levels = f"; index levels: {listing(self.table.index)}" if self.table.index else ""
        fix = f"Columns: {listed}{levels}. {self.table.doubt or self.advice(part, guess)}"
        self.problems.append(Problem(message=message, source=self.table.source, fix=fix))

    @staticmethod
    def spelled(looked: Texts, free: Texts) -> str | None:
        """Return the first column that is called like a name but for capitals and blanks around it."""
        plain = {column.strip().casefold(): column for column in reversed(free)}
        return next((plain[want.casefold()] for want in looked if want.casefold() in plain), None)

    def advice(self, part: str, guess: str | None) -> str:
        """Return the setting that would help."""
        setting = option(part, shorten(guess) if guess else "COLUMN")
        if guess and self.table.is_file and guess != guess.strip():
            return f"Remove the blanks around the names in the header, or say {setting}"
        return f"Did you mean {setting} ?" if guess else f"Say which it is: {setting}"


def find_roles(table: Table, parts: Sequence[DesignPart], options: Any, **named: Any) -> Roles:
    """Find the columns of a design, as `Finder.roles` does.

    Raises
    ------
    DesignError
        Naming every column that is missing, where it was looked for, and the likeliest cure.
    """
    finder = Finder(table)
    roles = finder.roles(parts, options, **named)
    finder.finish()
    return roles

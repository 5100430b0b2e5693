"""The options of a table of pairs, checked once, and the columns that play its parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from socialstats import text
from socialstats.designs.columns import Finder
from socialstats.designs.levels import declared_levels
from socialstats.designs.paired import PairedScale
from socialstats.errors import DesignError, InputError
from socialstats.tables import Table, as_text, missing_labels

ErrorOrDrop = Literal["error", "drop"]
UNIT_NAMES = (
    "unit", "unit_id", "item", "item_id", "question", "question_id", "prompt_id", "story", "story_id", "sample",
    "sample_id", "subject", "subject_id", "participant", "participant_id", "student", "person", "respondent", "task",
    "task_id", "problem", "problem_id", "text_id", "doc_id", "pair", "pair_id", "id",
)  # fmt: skip
CONDITION_NAMES = (
    "condition", "arm", "treatment", "phase", "time", "group", "version", "variant", "model", "prompt", "setting",
)  # fmt: skip
VALUE_NAMES = (
    "value", "score", "correct", "answer", "response", "rating", "outcome", "result", "y", "label",
    "action",
)  # fmt: skip


LIKELY = {
    "unit": ("scenario", "scenario_id", "vignette", "dilemma", "situation", "statement", "case", "text", "post"),
}  # suggested, never taken: such a column may be a cluster of units as well
WIDE_PAIRS = (("before", "after"), ("pre", "post"), ("pretest", "posttest"), ("baseline", "followup"))


def texts(value: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return one or several names as a tuple without repetitions.

    Examples
    --------
    >>> texts("a"), texts(["a", "b", "a"]), texts(None)
    (('a',), ('a', 'b'), ())
    """
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(dict.fromkeys(value))


def check_choice(name: str, value: Any, allowed: Sequence[Any]) -> None:
    """Raise `InputError` for a value that is not allowed, with those that are."""
    if value not in allowed:
        raise InputError(f"{name}={value!r} is not an option. Choose from {', '.join(map(repr, allowed))}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedOptions:
    """How to read a table as pairs; `Paired.from_frame`, `from_wide` and `from_counts` document every field."""

    unit: str | None = None
    condition: str | None = None
    value: str | None = None
    conditions: Sequence[str] | None = None
    levels: Sequence[Any] | None = None
    scale: PairedScale | None = None
    by: str | None = None
    cluster: str | Sequence[str] = ()
    count: str | Literal[False] | None = None
    missing: ErrorOrDrop = "error"
    unmatched: ErrorOrDrop | None = None
    na: str | Sequence[str] | Literal[False] = ()

    def __post_init__(self) -> None:
        check_choice("missing", self.missing, get_args(ErrorOrDrop))
        check_choice("unmatched", self.unmatched, (*get_args(ErrorOrDrop), None))
        check_choice("scale", self.scale, (*get_args(PairedScale), None))
        levels = self.level_labels
        if levels is not None and self.scale == "numeric":
            raise InputError("levels= and scale='numeric' contradict each other: numbers have no levels")
        if levels is not None and len(levels) != 2 and self.scale == "binary":
            raise InputError(f"scale='binary' needs two levels (zero, one), not {text.quoted(levels)}")
        if levels is not None and len(levels) < 2:
            raise InputError(f"levels= needs at least two levels, not {text.quoted(levels)}")
        if self.conditions is not None:
            _check_conditions(self.conditions)

    @property
    def level_labels(self) -> tuple[str, ...] | None:
        """Declared levels as labels."""
        return declared_levels(self.levels)

    @property
    def condition_labels(self) -> tuple[str, str] | None:
        """Declared conditions as labels, first minus second."""
        if self.conditions is None:
            return None
        first, second = (as_text(label) or "" for label in self.conditions)
        return first, second

    @property
    def drop_unmatched(self) -> bool:
        """Whether units that miss a condition are left out: as `missing` says, unless `unmatched` does."""
        return (self.unmatched or self.missing) == "drop"

    @property
    def na_labels(self) -> frozenset[str]:
        """Labels that mean a missing value."""
        return missing_labels(self.na, {*(self.level_labels or ()), *(self.condition_labels or ())})


def _check_conditions(conditions: Sequence[Any]) -> None:
    if isinstance(conditions, str) or len(conditions) != 2:
        raise InputError(f"conditions={conditions!r}: name two, the first minus the second: conditions=('a', 'b')")
    first, second = (as_text(label) for label in conditions)
    if first is None or second is None or first == second:
        raise InputError(f"conditions={tuple(conditions)!r}: the two conditions must be different and not empty")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedRoles:
    """The part of each column."""

    unit: str
    condition: str
    value: str
    by: str | None
    clusters: tuple[str, ...]
    count: str | None = None

    @property
    def key(self) -> list[str]:
        """Columns that tell units apart, the unit first."""
        return [self.unit, *([self.by] if self.by else [])]

    def columns(self) -> list[str]:
        """Return every column that plays a part."""
        counted = [self.count] if self.count else []
        return list(dict.fromkeys([*self.key, self.condition, self.value, *counted, *self.clusters]))

    def parts(self) -> dict[str, str]:
        """Return part -> column, for people."""
        named = {"unit": self.unit, "condition": self.condition, "value": self.value}
        named |= {"by": self.by} if self.by else {}
        named |= {"count": self.count} if self.count else {}
        return named | {f"cluster{k}": name for k, name in enumerate(self.clusters, start=1)}


def find(finder: Finder, part: str, name: str | None, aliases: Sequence[str], taken: set[str]) -> str:
    """Return the column of a part: as named, or the first alias that is free."""
    if name is not None:
        taken.add(name)
        return finder.explicit(part, name, aliases)
    found = next((alias for alias in aliases if alias in finder.columns and alias not in taken), None)
    if found is None:
        looked = text.listing(aliases, most=6)
        likely = finder.spelled((*aliases, *LIKELY.get(part, ())), [c for c in finder.columns if c not in taken])
        finder.miss(part, f"no column for '{part}' (looked for {looked})", aliases[:3], likely, sorted(taken))
        return ""
    taken.add(found)
    return found


def refuse_unit_as_cluster(
    finder: Finder, unit: str | None, clusters: Sequence[str], aliases: Sequence[str], taken: Collection[str]
) -> None:
    """Refuse a cluster that is the unit itself: as named, or the only column that could be it.

    Raises
    ------
    DesignError
    """
    free = [alias for alias in aliases if alias in finder.columns and alias not in taken]
    for name in clusters:
        alone = unit is None and name in aliases and (not free or name in aliases[:2])
        if name == unit or (alone and name in finder.columns):
            raise DesignError(
                f"{finder.table.source}: '{text.shorten(name)}' already is the unit, and units are what is taken as "
                "independent: leave cluster= out. If another column is the unit, say unit='COLUMN' (--map unit=COLUMN)"
            )


def refuse_wide(finder: Finder) -> None:
    """Refuse a table with one row a unit, known by two columns such as before and after.

    Raises
    ------
    DesignError
    """
    pair = wide_pair(finder.columns)
    if pair is None or any(name in finder.columns for name in CONDITION_NAMES):
        return
    one, two = pair
    raise DesignError(
        f"{finder.table.source}: the columns '{one}' and '{two}' look like two conditions, one row a unit: name both, "
        f"first='{one}', second='{two}' (--map first={one} --map second={two}); of a data frame "
        f"Paired.from_wide(data, first='{one}', second='{two}'). Differences are the first minus the second"
    )


def wide_pair(columns: Sequence[str]) -> tuple[str, str] | None:
    """Return two columns that are called like two conditions of one row.

    Examples
    --------
    >>> wide_pair(["id", "pre", "post"]), wide_pair(["id", "score"])
    (('pre', 'post'), None)
    """
    return next((pair for pair in WIDE_PAIRS if set(pair) <= set(columns)), None)


def distinct_parts(finder: Finder, parts: Sequence[tuple[str, str]]) -> None:
    """Refuse a column that plays two of the parts."""
    seen: dict[str, str] = {}
    for part, column in parts:
        if column and column in seen:
            message = f"{seen[column]} and {part} are the same column '{text.shorten(column)}'"
            finder.miss(part, message, [part], taken=[column])
        seen.setdefault(column, part)


def paired_roles(table: Table, options: PairedOptions) -> PairedRoles:
    """Decide which column plays which part.

    Raises
    ------
    DesignError
        Naming every column that is missing, where it was looked for, and the likeliest cure.
    """
    finder = Finder(table)
    if options.condition is None and options.value is None:
        refuse_wide(finder)
    by = finder.explicit("by", options.by) if options.by else None
    times = finder.explicit("count", options.count) if options.count else None
    clusters = tuple(finder.explicit("cluster", name) for name in texts(options.cluster))
    named = (options.unit, options.condition, options.value, by, times, *clusters)
    taken = {name for name in named if name}
    refuse_unit_as_cluster(finder, options.unit, clusters, UNIT_NAMES, taken)
    roles = PairedRoles(
        unit=find(finder, "unit", options.unit, UNIT_NAMES, taken),
        condition=find(finder, "condition", options.condition, CONDITION_NAMES, taken),
        value=find(finder, "value", options.value, VALUE_NAMES, taken), by=by, clusters=clusters,
        count=times,
    )  # fmt: skip
    named_parts = [("unit", roles.unit), ("condition", roles.condition), ("value", roles.value)]
    distinct_parts(finder, [*named_parts, *([("by", by)] if by else [])])
    if finder.problems:
        raise DesignError(finder.problems)
    return roles

"""The options of a table of ratings, checked once, and the columns that play its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from socialstats.designs.columns import Finder
from socialstats.designs.levels import declared_levels
from socialstats.designs.paired_options import (
    UNIT_NAMES,
    VALUE_NAMES,
    ErrorOrDrop,
    check_choice,
    distinct_parts,
    find,
    refuse_unit_as_cluster,
    texts,
)
from socialstats.designs.ratings import SCALES, Scale
from socialstats.errors import DesignError, InputError
from socialstats.tables import Table, as_number, missing_labels
from socialstats.text import shorten

RATER_NAMES = (
    "rater", "rater_id", "judge", "judge_id", "annotator", "annotator_id", "coder", "grader", "labeler", "evaluator",
    "reviewer", "expert", "worker", "worker_id", "participant", "participant_id", "respondent", "person", "model",
)  # fmt: skip
PEOPLE = ("participant", "participant_id", "person", "respondent")  # who rates, in a table of ratings
UNITS = tuple(name for name in UNIT_NAMES if name not in PEOPLE)
RATINGS = (
    "value",
    "rating",
    "score",
    "label",
    *(name for name in VALUE_NAMES if name not in ("value", "rating", "score", "label")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingsOptions:
    """How to read a table as ratings; `Ratings.from_frame` documents every field."""

    unit: str | None = None
    rater: str | None = None
    value: str | None = None
    levels: Sequence[Any] | None = None
    scale: Scale | None = None
    refusal: str | Sequence[str] = ()
    na: str | Sequence[str] | Literal[False] = ()
    status: str | None = None
    rater_source: str | None = None
    rater_groups: str | Sequence[str] = ()
    strata: str | Sequence[str] = ()
    cluster: str | Sequence[str] = ()
    by: str | None = None
    count: str | Literal[False] | None = None
    missing: ErrorOrDrop = "drop"
    repeats: Literal["error", "mean"] = "error"

    def __post_init__(self) -> None:
        check_choice("missing", self.missing, ("error", "drop"))
        check_choice("scale", self.scale, (*SCALES, None))
        levels = self.level_labels
        if levels is None:
            return
        clash = [label for label in levels if label in self.refusal_labels or label in texts(self.na or ())]
        if clash:
            raise InputError(f"'{shorten(clash[0])}' is declared as a level and as a refusal or missing value")
        check_scale(self.scale, levels, "levels=")

    @property
    def level_labels(self) -> tuple[str, ...] | None:
        """Declared levels as labels."""
        return declared_levels(self.levels)

    @property
    def refusal_labels(self) -> frozenset[str]:
        """Values that mean a refusal."""
        return frozenset(texts(self.refusal))

    @property
    def na_labels(self) -> frozenset[str]:
        """Labels that mean a missing value."""
        return missing_labels(self.na, {*(self.level_labels or ()), *self.refusal_labels})


def check_scale(scale: Scale | None, levels: Sequence[str], place: str) -> None:
    """Refuse interval and ratio scales of levels that are no numbers, or below zero.

    Raises
    ------
    InputError
    """
    if scale not in ("interval", "ratio"):
        return
    for level in levels:
        number = as_number(level)
        if number is None:
            raise InputError(
                f"{place}: scale='{scale}' needs numbers, and '{shorten(level)}' is none. Say scale='ordinal' with "
                "levels= in order (--scale ordinal --levels a,b,c), or scale='nominal'"
            )
        if number < 0 and scale == "ratio":
            raise InputError(
                f"{place}: scale='ratio' needs numbers from 0 upwards, and '{shorten(level)}' is negative. "
                "Say scale='interval' (--scale interval)"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingsRoles:
    """The part of each column."""

    unit: str
    rater: str
    value: str
    by: str | None
    status: str | None
    source: str | None
    groups: tuple[str, ...]
    strata: tuple[str, ...]
    clusters: tuple[str, ...]
    count: str | None = None
    within: str | None = None  # names of units are unique within a level of this column

    @property
    def what(self) -> list[str]:
        """Columns that tell units apart."""
        return [self.unit, *([self.within] if self.within else [])]

    @property
    def who(self) -> list[str]:
        """Columns that tell raters apart."""
        return [self.rater, *([self.source] if self.source else [])]

    def needed(self) -> list[str]:
        """Return the columns that every row needs a value in: all but those that belong to the rater."""
        return [*self.names(), *([self.count] if self.count else [])]

    def names(self) -> list[str]:
        """Return the columns of names that belong to the unit, the rater or the row."""
        by = [self.by] if self.by else []
        return list(dict.fromkeys([*self.what, *self.who, *by, *self.strata, *self.clusters]))

    def columns(self) -> list[str]:
        """Return every column that plays a part."""
        status = [self.status] if self.status else []
        return list(dict.fromkeys([*self.needed(), *self.groups, self.value, *status]))

    def parts(self) -> dict[str, str]:
        """Return part -> column, for people."""
        named: dict[str, str | None] = {
            "unit": self.unit, "rater": self.rater, "value": self.value, "by": self.by, "status": self.status,
            "rater_source": self.source, "count": self.count,
        }  # fmt: skip
        for part, names in (("rater_group", self.groups), ("stratum", self.strata), ("cluster", self.clusters)):
            named |= {f"{part}{k}": name for k, name in enumerate(names, start=1)}
        return {part: column for part, column in named.items() if column is not None}


def ratings_roles(table: Table, options: RatingsOptions) -> RatingsRoles:
    """Decide which column plays which part.

    Raises
    ------
    DesignError
        Naming every column that is missing, where it was looked for, and the likeliest cure.
    """
    finder = Finder(table)

    def one(part: str, name: str | None) -> str | None:
        return finder.explicit(part, name) if name else None

    def several(part: str, names: str | Sequence[str]) -> tuple[str, ...]:
        return tuple(finder.explicit(part, name) for name in texts(names))

    by, status, source = one("by", options.by), one("status", options.status), one("rater_source", options.rater_source)
    times = one("count", options.count or None)
    groups = several("rater_groups", options.rater_groups)
    strata, clusters = several("strata", options.strata), several("cluster", options.cluster)
    named = (options.unit, options.rater, options.value, by, status, source, times, *groups, *strata, *clusters)
    taken = {name for name in named if name}
    refuse_unit_as_cluster(finder, options.unit, clusters, UNITS, taken)
    roles = RatingsRoles(
        unit=find(finder, "unit", options.unit, UNITS, taken),
        rater=find(finder, "rater", options.rater, RATER_NAMES, taken),
        value=find(finder, "value", options.value, RATINGS, taken),
        by=by, status=status, source=source, groups=groups, strata=strata, clusters=clusters, count=times,
    )  # fmt: skip
    parts = {"unit": roles.unit, "rater": roles.rater, "value": roles.value, "by": by or "", "status": status or ""}
    distinct_parts(finder, [(part, column) for part, column in parts.items() if column])
    if finder.problems:
        raise DesignError(finder.problems)
    return roles

"""How a table is read as ratings, and which levels suit a scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from socialstats.designs.aliases import ColumnOption, LevelOrder, Missing, Names, Texts
from socialstats.designs.level_orders import SCALES, Scale
from socialstats.designs.levels import declared_levels
from socialstats.designs.options import ReadingReplies, check_choice, texts
from socialstats.errors import InputError
from socialstats.tables import as_number
from socialstats.text import shorten
from socialstats.voice import option


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingsOptions(ReadingReplies):
    """How to read a table as ratings; `Ratings.from_frame` documents every field."""

    unit: str | None = None
    rater: ColumnOption = None
    value: str | None = None
    levels: LevelOrder = None
    scale: Scale | None = None
    rater_source: str | None = None
    rater_groups: Names = ()
    strata: Names = ()
    shared: Literal["people"] | None = None
    missing: Missing = "drop"
    probabilities: str | Mapping[str, str] | None = None
    why_missing: bool = False  # the status says why a value is missing, and takes no value away
    cure: str = ""  # what is done where a unit has several rows of one rater that are no repeats

    def __post_init__(self) -> None:
        ReadingReplies.__post_init__(self)
        check_choice("scale", self.scale, (*SCALES, None))
        check_choice("shared", self.shared, ("people", None))
        if self.shared and not (self.by and self.rater_source):
            lacking = " and ".join(
                option(name) for name in ("by", "rater_source") if not getattr(self, name)
            )
            raise InputError(
                f"{option('shared', self.shared)} gives the people of a table to every level of a factor: "
                f"name {lacking} too"
            )
        levels = declared_levels(self.levels)
        if levels is None:
            return
        clash = [
            label
            for label in levels
            if label in self.refusal_labels or label in texts(self.na or ())
        ]
        if clash:
            raise InputError(
                f"'{shorten(clash[0])}' is declared as a level and as a refusal or missing value"
            )
        check_scale(self.scale, levels, option("levels"))

    @property
    def declared(self) -> frozenset[str]:
        """Labels of levels and refusals."""
        return self.refusal_labels | {*(declared_levels(self.levels) or ())}


def check_scale(scale: Scale | None, levels: Texts, place: str) -> None:
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
                f"{place}: {option('scale', scale)} needs numbers, and '{shorten(level)}' is none. Say "
                f"{option('scale', 'ordinal')} with {option('levels')} in order (--scale ordinal --levels a,b,c), or "
                f"{option('scale', 'nominal')}"
            )
        if number < 0 and scale == "ratio":
            raise InputError(
                f"{place}: {option('scale', 'ratio')} needs numbers from 0 upwards, and '{shorten(level)}' is "
                f"negative. Say {option('scale', 'interval', '--scale interval')}"
            )

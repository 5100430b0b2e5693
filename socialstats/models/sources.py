"""Which raters are people, and which are models: the rater group that tells them apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from socialstats.designs.parts import HUMANS
from socialstats.designs.ratings import Ratings

__all__ = ["HUMANS", "MODEL_COLUMNS", "Source", "human_source", "models_of", "raters_of"]

MODEL_COLUMNS = ("model", "llm", "language_model")  # columns of raters that are models


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The rater group that says the source: its name, the human level, and the others in order."""

    name: str
    human: str
    others: tuple[str, ...]


def human_source(design: Ratings) -> Source | None:
    """Return the rater group of which one level is called human; None where there is none, or nothing beside it."""
    for name, factor in design.rater_groups.items():
        used = {factor.levels[code] for code in np.unique(factor.codes).tolist() if code >= 0}
        for level in factor.levels:
            if level.strip().casefold() in HUMANS and level in used and len(used) > 1:
                others = tuple(other for other in factor.levels if other != level and other in used)
                return Source(name=name, human=level, others=others)
    return None


def raters_of(design: Ratings, source: Source, level: str) -> tuple[str, ...]:
    """Return the raters of a source."""
    factor = design.rater_groups[source.name]
    code = factor.levels.index(level)
    return tuple(rater for rater, own in zip(design.raters, factor.codes.tolist(), strict=True) if own == code)


def models_of(design: Ratings) -> tuple[str, ...]:
    """Return the raters that are models: those of a column called model; of couples, which models judge, all."""
    couples = {"group_first", "group_second"} <= set(design.strata)
    called = design.columns.get("rater", "").casefold() in MODEL_COLUMNS
    return design.raters if design.raters_known and (couples or called) else ()

"""The replies of a table, answered or not, as ratings that only say what became of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.arrays import unique_rows
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import (
    MISSING,
    OK,
    REFUSAL,
    Factor,
    StatusArray,
    stack_factors,
    taken,
)
from socialstats.designs.ratings import Ratings

# who replied, where the table does not say
MODEL = "model"
# strata that tell the answers of `trait_ratings` apart
TRAIT_PARTS = (
    MODEL,
    "scenario",
    "stage",
    "wording",
)


def replies_of(design: Comparisons | Ratings) -> Ratings:
    """Return the replies of a design, whose raters are the levels of its by factor.

    Parameters
    ----------
    design : Comparisons or Ratings
        Without a by factor: of comparisons all replies are of one rater, of ratings the raters stay. Clusters are those
        of the design; of comparisons without any, the pairs of items.

    Examples
    --------
    >>> rows = {"item_a": ["x", "x", "y"], "item_b": ["y", "z", "z"], "winner": ["x", "", "y"],
    ...         "answer_status": ["ok", "refusal", "ok"], "model": ["m1", "m2", "m1"]}
    >>> replies = replies_of(Comparisons.from_frame(rows, by="model"))
    >>> replies.raters, replies.status.tolist()
    (('m1', 'm2'), [0, 0, 2])
    """
    if isinstance(design, Ratings):
        if design.by is None:
            return design
        # ratings of all levels are those of people
        of_models = design.by.codes >= 0
        return replace(
            design,
            **design.answers_at(of_models),
            unit=design.unit[of_models],
            rater=design.by.codes[of_models],
            raters=design.by.levels,
            rater_groups={},
            by=None,
        )
    parts = {OK: design, REFUSAL: design.refused, MISSING: design.unread}
    parts_present = [part for part in parts.values() if part is not None]
    sizes = {kind: len(part.count) for kind, part in parts.items() if part is not None}
    status = np.repeat(np.array([*sizes], dtype=np.int8), [*sizes.values()])
    split_by = [part.by for part in parts_present if part.by is not None]
    who = stack_factors(split_by) if split_by else None
    names = [factor.name for factor in design.clusters] or ["pair"]
    # every part has the clusters of the design; where it has none, the pairs of items
    of_parts = [{f.name: f for f in part.clusters or (part.pair,)} for part in parts_present]
    clusters = tuple(stack_factors([by_name[name] for by_name in of_parts]) for name in names)
    count = np.concatenate([part.count for part in parts_present])
    return of_statuses(
        status,
        who,
        "choice",
        unit_count=count,
        clusters=clusters,
        source=design.source,
        flow=design.flow,
    )


def of_statuses(status: StatusArray, who: Factor | None, level: str, **fields: Any) -> Ratings:
    """Return replies, each a unit of its own, as ratings of one level.

    Parameters
    ----------
    status : (replies,) int8 array
    who : Factor or None
        Who replied, over the replies; by default all are of one model.
    level : str
        What a usable reply is.
    **fields
        Of `Ratings`.
    """
    n = len(status)
    who = who or Factor(name=MODEL, codes=np.zeros(n, dtype=np.int64), levels=(MODEL,))
    return Ratings(
        units=tuple(f"{k:09d}" for k in range(n)),
        unit=np.arange(n),
        raters=who.levels,
        rater=who.codes,
        levels=(level,),
        scores=np.zeros(1),
        scale="nominal",
        value=np.where(status == OK, 0, -1),
        status=status,
        **fields,
    )


def trait_replies(design: Ratings) -> Ratings:
    """Return the replies behind the trait scores of a design (`trait_ratings`), whose raters are the models.

    A reply with any score of any judge is usable. One without is refused where its status says so, else missing or
    unreadable.
    """
    parts = [design.strata[name] for name in TRAIT_PARTS if name in design.strata]
    codes = np.column_stack([factor.codes[design.unit] for factor in parts])
    _, first, place = unique_rows(codes)
    n = len(first)
    unit = design.unit[first]
    status = np.full(n, MISSING, dtype=np.int8)
    for kind in (REFUSAL, OK):
        status[place[design.status == kind]] = kind
    model = design.strata.get(MODEL)
    return of_statuses(
        status,
        None if model is None else replace(model, codes=model.codes[unit]),
        "scored",
        unit_count=np.ones(n),
        clusters=taken(design.clusters, unit),
        strata={factor.name: factor.take(unit) for factor in parts},
        source=design.source,
        flow=design.flow,
    )

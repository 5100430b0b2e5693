"""Other views of ratings: a table for two raters, a data frame, other names of the raters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.factors import taken
from socialstats.designs.ratings import OK, STATUSES, Ratings
from socialstats.errors import InputError
from socialstats.text import quoted

if TYPE_CHECKING:
    import pandas as pd

OWN = ("unit", "rater", "value", "status", "count", "score")


def square_of(design: Ratings, rater_a: str, rater_b: str) -> FloatArray:
    """Count units by the levels that two raters gave; `Ratings.square` documents it."""
    k = len(design.levels)
    given = []
    for name in (rater_a, rater_b):
        if name not in design.raters:
            raise InputError(f"{quoted([name])}: no such rater. Raters: {quoted(design.raters, 10)}")
        mine = (design.rater == design.raters.index(name)) & (design.status == OK)
        values = np.full(len(design.units), -1, dtype=np.int64)
        values[design.unit[mine]] = design.value[mine]
        given.append(values)
    both = (given[0] >= 0) & (given[1] >= 0)
    cell = given[0][both] * k + given[1][both]
    return np.bincount(cell, weights=design.unit_count[both], minlength=k * k).reshape(k, k).astype(np.float64)


def relabelled(design: Ratings, labels: Mapping[str, str]) -> Ratings:
    """Give raters new labels; `Ratings.relabel_raters` documents it."""
    unknown = [name for name in labels if name not in design.raters]
    if unknown:
        raise InputError(f"{quoted(unknown)}: no such rater. Raters: {quoted(design.raters, 10)}")
    renamed = [labels.get(name, name) for name in design.raters]
    if len(set(renamed)) < len(renamed):
        twice = sorted({name for name in renamed if renamed.count(name) > 1})
        raise InputError(f"two raters would be called {quoted(twice)}. Give every rater a label of its own")
    order = np.array(sorted(range(len(renamed)), key=renamed.__getitem__), dtype=np.int64)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    rater = place[design.rater]
    rows = np.lexsort((rater, design.unit, *([design.by.codes] if design.by else [])))
    return replace(
        design, raters=tuple(renamed[k] for k in order.tolist()), rater=rater[rows], unit=design.unit[rows],
        value=design.value[rows], status=design.status[rows], by=taken(design.by, rows) if design.by else None,
        rater_groups={name: taken(factor, order) for name, factor in design.rater_groups.items()},
    )  # fmt: skip


def table_of(design: Ratings) -> pd.DataFrame:
    """Return the ratings as a long data frame; `Ratings.table` documents it."""
    import pandas as pd

    levels = np.array([*design.levels, None], dtype=object)
    columns: dict[str, Any] = {
        "unit": np.array(design.units, dtype=object)[design.unit],
        "rater": np.array(design.raters, dtype=object)[design.rater],
        "value": levels[design.value],
        "status": np.array(STATUSES, dtype=object)[design.status],
        "count": design.unit_count[design.unit],
    }
    if design.numeric:
        columns["score"] = np.append(design.scores, np.nan)[design.value]
    factors = [(f, f.codes) for f in ([design.by] if design.by else [])]
    factors += [(f, f.codes[design.unit]) for f in (*design.strata.values(), *design.clusters)]
    factors += [(f, f.codes[design.rater]) for f in design.rater_groups.values()]
    for factor, codes in factors:
        name = (
            factor.name
            if factor.name not in ("unit", "rater", "value", "status", "count", "score")
            else f"{factor.name}_"
        )
        columns[name] = np.array([*factor.levels, None], dtype=object)[codes]  # -1: no level
    return pd.DataFrame(columns)

"""The difference of pairs under every choice of analysis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.results import Result, Row
from socialstats.studies.estimates import cluster_ways
from socialstats.studies.multiverse import (
    MOST_LEFT_OUT,
    Variant,
    distinct,
    multiverse,
    multiverse_block,
    without_label,
)
from socialstats.studies.outcome import Block
from socialstats.text import shorten

OWN = "as on this page"
INTERVALS: dict[str, dict[str, tuple[str, ...]]] = {
    "binary": {"difference_ci": ("newcombe", "wald")},
    "numeric": {"ci": ("percentile", "bca", "studentized")},
    "nominal": {},
}  # options of the interval by scale, those of the page left out
NAMES = {"newcombe": "Newcombe's interval", "wald": "Wald's interval", "percentile": "bootstrap, percentile",
         "bca": "bootstrap, BCa", "studentized": "bootstrap, studentized"}  # fmt: skip
Compute = Callable[..., Any]


def paired_multiverse(
    design: Paired,
    compute: Compute,
    *,
    lead: Callable[[Result], Row],
    left_out: Mapping[str, Result],
    quantity: str,
    digits: int,
) -> Block | None:
    """Return the block; None where nothing can be done in another way.

    Parameters
    ----------
    design : Paired
    compute : callable
        (design, options of the metric) -> Result.
    lead : callable
        Result -> the row of the difference.
    left_out : mapping of factor name to Result
        The estimate without each cluster, smallest first, where that is known.
    quantity : str
    digits : int
    """
    made = variants(design, compute, lead, left_out)
    if len(made) < 2:
        return None
    metric = made[0].compute().metric
    found = multiverse(metric, f"the {quantity}", distinct(made), reference=0.0, digits=digits, words="0")
    return multiverse_block(
        found, id="multiverse", question="Does the answer hang on a choice of analysis?", quantity=quantity
    )


def variants(
    design: Paired, compute: Compute, lead: Callable[[Result], Row], left_out: Mapping[str, Result]
) -> list[Variant]:
    """Return every reasonable way to do the analysis, the page's own first."""
    ways = list(cluster_ways(design.clusters, "pairs").items())
    own, others = (ways[-1], ways[:-1]) if design.clusters else (("pairs independent", None), [])
    made = [Variant(label=f"all pairs, {own[0].removeprefix('pairs ')}", choice=OWN, compute=partial(compute, design),
                    lead=lead)]  # fmt: skip
    made += [
        Variant(label=label, choice="clusters", compute=partial(compute, design, cluster=way), lead=lead)
        for label, way in others
    ]
    if not design.clusters or design.scale == "numeric":
        made += [
            Variant(label=NAMES[value], choice="interval", lead=lead, compute=partial(compute, design, **{name: value}))
            for name, values in INTERVALS[design.scale].items() for value in values
        ]  # fmt: skip
    if design.scale == "binary" and len(design.clusters) == 1:
        made.append(Variant(label="clusters weigh alike", choice="weights", compute=partial(compute, design),
                            lead=lambda result: result.row("cluster_means_t")))  # fmt: skip
    for factor in design.clusters:
        made += [
            Variant(label=without_label(factor.name, factor.levels[code]), lead=lead,
                    choice=f"{shorten(factor.name, 30)} left out",
                    compute=partial(without, design, factor, code, compute))
            for code in dropped(factor, left_out.get(factor.name))
        ]  # fmt: skip
    return made


def dropped(factor: Factor, range_of: Result | None) -> list[int]:
    """Return the clusters to leave out: each of a few, else the two without which the estimate is farthest off."""
    if 2 < len(factor.levels) <= MOST_LEFT_OUT:
        return list(range(len(factor.levels)))
    if range_of is None:
        return []
    ends = (range_of.rows[0], range_of.rows[-1])
    return [factor.levels.index(row.term) for row in dict.fromkeys(ends)]


def without(design: Paired, factor: Factor, code: int, compute: Compute) -> Result:
    """Compute the difference without one cluster."""
    found: Result = compute(design.take(np.asarray(factor.codes != code)))
    return found

"""Alpha under every choice of analysis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from socialstats.designs.ratings import OK, REFUSAL, Ratings
from socialstats.metrics.krippendorff_alpha import krippendorff_alpha
from socialstats.results import Result
from socialstats.studies.base import StudyOptions
from socialstats.studies.estimates import cluster_ways
from socialstats.studies.multiverse import MOST_LEFT_OUT, Variant, distinct, multiverse, multiverse_block
from socialstats.studies.outcome import Block
from socialstats.text import number

OWN = "as on this page"
MOST_REPEATED = 20  # more are numbers, which nobody repeats
Compute = Callable[[], Any]


def alpha_multiverse(
    design: Ratings, options: StudyOptions, left_out: Mapping[str, Result], *, line: float
) -> Block | None:
    """Return the block; None where nothing can be done in another way.

    Parameters
    ----------
    design : Ratings
    options : StudyOptions
    left_out : mapping of str to Result
        Alpha without each rater, by what it is called.
    line : float
        The customary line that the conclusion turns on.
    """
    made = [*variants(design, options)]
    if len(left_out) <= MOST_LEFT_OUT:
        made += [
            Variant(label=label, choice="rater left out", compute=partial(_known, found))
            for label, found in left_out.items()
        ]
    if len(made) < 2:
        return None
    found = multiverse("krippendorff_alpha", "alpha", distinct(made), reference=line, digits=3,
                       words=number(line, 3, bounded=True))  # fmt: skip
    return multiverse_block(
        found, id="multiverse", question="Does alpha hang on a choice of analysis?", quantity="alpha",
        note="Another scale is another question: it says what counts as disagreement.",
    )  # fmt: skip


def variants(design: Ratings, options: StudyOptions) -> list[Variant]:
    """Return every reasonable way to compute alpha, the page's own first."""

    def way(label: str, choice: str, data: Callable[[], Ratings] = lambda: design, **choices: Any) -> Variant:
        given = {"level": options.level, "seed": options.seed, "resamples": options.resamples} | choices
        return Variant(label=label, choice=choice, compute=lambda: _single(krippendorff_alpha(data(), **given)))

    ways = list(cluster_ways(design.clusters, "units").items())
    others = ways[:-1] if design.clusters else []
    made = [way(f"{design.scale}, all raters", OWN)]
    made += [way(f"{scale} scale", "scale", scale=scale) for scale in scales(design)]
    made += [way(label, "clusters", cluster=clusters) for label, clusters in others]
    made.append(way("bootstrap, percentile", "interval", ci="percentile"))
    if design.scale == "nominal" and np.any(design.status == REFUSAL):
        made.append(way("refusals as a level", "refusals", refusal="level"))
    whole = complete(design)
    if whole.any() and not whole.all():
        taken = partial(design.take, whole[design.unit], note="units that all raters rated")
        made.append(way("units that all raters rated", "missing ratings", taken))
    return made


def scales(design: Ratings) -> list[str]:
    """Return the other scales on which the levels could be taken."""
    known = ["nominal"] if len(design.levels) <= MOST_REPEATED else []
    known += [] if design.scale == "nominal" else ["ordinal"]
    known += ["interval"] if design.numeric and design.scale != "nominal" else []
    return [scale for scale in known if scale != design.scale]


def complete(design: Ratings) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """(units,) array: which units every rater rated."""
    rated = np.bincount(design.unit[design.status == OK], minlength=len(design.units))
    return np.asarray(rated == len(design.raters), dtype=np.bool_)


def _single(found: Any) -> Result:
    result: Result = found
    return result


def _known(found: Result) -> Result:
    return found

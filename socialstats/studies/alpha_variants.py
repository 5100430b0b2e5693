"""Analysis variants of Krippendorff's alpha: scale, clusters, interval, refusals, units, raters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
from socialstats.custom.multiverse import Variant, distinct
from socialstats.designs.parts import OK, REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.results import Result
from socialstats.studies.estimates import (
    cluster_ways,
    declared_clusters,
    single,
)
from socialstats.studies.multiverse import (
    MOST_LEFT_OUT,
    multiverse_question,
)
from socialstats.studies.page import (
    Block,
    StudyOptions,
)
from socialstats.text import (
    number,
)

OWN = "as on this page"
MOST_REPEATED = 20  # levels; more are numbers that are rarely repeated
TENTATIVE = 0.667  # Krippendorff's customary minimum for tentative conclusions


def alpha_multiverse(
    design: Ratings, options: StudyOptions, left_out: Mapping[str, Result]
) -> Block | None:
    """Return the block of analysis variants of alpha; None where there is one only.

    Parameters
    ----------
    design : Ratings
    options : StudyOptions
    left_out : mapping of str to Result
        Alpha without each rater, by what it is called.
    """
    made = variants(design, options)
    for label, found in left_out.items() if len(left_out) <= MOST_LEFT_OUT else ():
        made.append(Variant(label=label, choice="rater left out", compute=partial(single, found)))
    if len(made) < 2:
        return None
    line = number(TENTATIVE, 3, bounded=True)  # the customary minimum
    return multiverse_question(
        "krippendorff_alpha",
        "coefficient alpha",
        distinct(made),
        reference=TENTATIVE,
        words=line,
        note="Another scale defines disagreement differently.",
    )


def variants(design: Ratings, options: StudyOptions) -> list[Variant]:
    """Return the analysis variants of alpha, the page's own first."""

    def way(
        label: str, choice: str, data: Callable[[], Ratings] = lambda: design, **choices: Any
    ) -> Variant:
        def again() -> Result:
            return single(krippendorff_alpha(data(), **options.chosen(), **choices))

        return Variant(label=label, choice=choice, compute=again)

    ways = list(cluster_ways(declared_clusters(design), "units").items())
    made = [way(f"{design.scale}, all raters", OWN)]
    made += [way(f"{scale} scale", "scale", scale=scale) for scale in scales(design)]
    made += [
        way(label, "clusters", cluster=clusters)
        for label, clusters in (ways[:-1] if design.clusters else [])
    ]
    made.append(way("bootstrap, percentile", "interval", ci="percentile"))
    if design.scale == "nominal" and np.any(design.status == REFUSAL):
        made.append(way("refusals as a level", "refusals", refusal="level"))
    whole = np.bincount(design.unit[design.status == OK], minlength=len(design.units)) == len(
        design.raters
    )
    if whole.any() and not whole.all():
        taken = partial(design.take, whole[design.unit], note="units that all raters rated")
        made.append(way("units that all raters rated", "missing ratings", taken))
    return made


def scales(design: Ratings) -> list[str]:
    """Return the other scales on which the levels could be taken."""
    ordered = design.scale != "nominal"
    known = ["nominal"] * (len(design.levels) <= MOST_REPEATED)
    known += ["ordinal"] * ordered + ["interval"] * (design.numeric and ordered)
    return [scale for scale in known if scale != design.scale]

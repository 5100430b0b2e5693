"""How much a composite rests on its weights and on single judges."""

from __future__ import annotations

from typing import Any

import numpy as np

from socialstats.metrics.trait_profile.rows import ALL, Profile, whole_course
from socialstats.models.trait_weights import variants
from socialstats.models.unit_means import across, of_one
from socialstats.results import FloatArray, Row
from socialstats.text import count

EQUAL = "equal weights"


def weight_rows(profile: Profile) -> tuple[list[Row], dict[str, dict[str, float]]]:
    """Rows of the composite under other weights: equal ones, and the lowest and highest of all variants.

    The composite is linear in the scores: each variant is a sum of the traits' means.

    Returns
    -------
    rows : list of Row
        Estimates only; the method of the lowest and highest names the variant.
    values : dict of str to dict of str to float
        By variant: the composite of each model (and of all models).
    """
    made = variants(profile.options.weights, free=profile.options.free_weights)
    means = trait_means(profile)
    values = {
        name: {term: float((mean - profile.options.centre) @ weights) for term, (_, mean) in means.items()}
        for name, weights in made.items()
    }
    rows = []
    for term, (group, _) in means.items():
        own = [(name, values[name][term]) for name in values]
        if EQUAL in values:
            rows.append(Row(term=term, group=f"{EQUAL}{group}", estimate=values[EQUAL][term], method=EQUAL))
        if len(own) > 1:
            for which, pick in (("lowest", min), ("highest", max)):
                name, value = pick(own, key=lambda pair: pair[1])
                said = f"{name}, of {count(len(own), 'set')} of weights"
                rows.append(Row(term=term, group=f"{which} of other weights{group}", estimate=value, method=said))
    return rows, values


def trait_means(profile: Profile) -> dict[str, tuple[str, FloatArray]]:
    """Mean score of each trait over the units that the composite rests on: term -> (end of the group, means)."""
    traits = [whole_course(profile.answers.cells(profile.answers.scores[:, :, t]))
              for t in range(len(profile.answers.traits))]  # fmt: skip
    out: dict[str, tuple[str, FloatArray]] = {}
    if profile.by_model:
        for k, model in enumerate(profile.answers.models):
            found = [of_one(cells[k], profile.how).means for cells in traits]
            if len(found[0]):
                out[model] = ("", np.array([x.mean() for x in found]))
        return out
    found = [across(cells, profile.how).means for cells in traits]
    return {"composite": (f" {ALL}", np.array([x.mean() for x in found]))} if len(found[0]) else {}


def judge_ranges(rows: list[Row], judges: tuple[str, ...]) -> dict[str, Any]:
    """Lowest and highest composite with one judge left out, by term."""
    groups = {f"without judge '{judge}'{end}" for judge in judges for end in ("", f" {ALL}")}
    found: dict[str, list[float]] = {}
    for row in rows:
        if row.group in groups and row.estimate is not None:
            joint = (row.group or "").endswith(ALL) and row.term == (row.group or "").removesuffix(f" {ALL}")
            found.setdefault("all models" if joint else row.term, []).append(row.estimate)
    return {term: (min(values), max(values)) for term, values in found.items()}

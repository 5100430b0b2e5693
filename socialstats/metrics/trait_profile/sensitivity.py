"""How much a composite rests on its weights and on single judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.inference.compare import HOLM, with_holm
from socialstats.metrics.trait_profile.rows import ALL, Profile, taking_off, whole_course
from socialstats.models.judge_zeros import JudgeZeros
from socialstats.models.trait_weights import variants
from socialstats.models.unit_means import Sample, across, mean_row, of_one
from socialstats.results import Row
from socialstats.text import count

EQUAL = "equal weights"
OTHER = "other weights"
LOWEST, HIGHEST = "lowest of other weights", "highest of other weights"
MINUS = "minus these"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Course:
    """Scores over the whole course, ready to be weighted.

    Attributes
    ----------
    profile : Profile
    scores : (models, scenarios, judges, traits) float64 array
        Minus the centre; NaN where a stage is lacking.
    zero : JudgeZeros or None
        Taken off each composite, under the same weights.
    """

    profile: Profile
    scores: FloatArray
    zero: JudgeZeros | None = None

    def sample(self, weights: FloatArray, model: int | None) -> Sample:
        """Return the values of one model (of all: None) under some weights."""
        values, how = self.scores @ weights, self.profile.how
        if self.zero is not None:
            zero = self.zero.under(dict(zip(self.profile.answers.traits, weights.tolist(), strict=True)))
            values, how = values - np.array([zero[j] for j in self.profile.answers.judges]), taking_off(how, zero)
        return across(values, how) if model is None else of_one(values[model], how)


def weight_rows(profile: Profile) -> tuple[list[Row], dict[str, dict[str, float]]]:
    """Rows of the composite under other weights, each with the difference to the composite under the weights given.

    The composite is linear in the scores, so that every set of weights has an interval of its own, and a difference of
    two sets is a composite too, paired within units of analysis.

    Returns
    -------
    rows : list of Row
        Of each model: equal weights, and the lowest and the highest of all sets, whose method names the set; the same
        minus the zero where control texts give it. Of all models (of the only one): every set of weights.
    values : dict of str to dict of str to float
        By set of weights: the composite of each model, or over the units of analysis.
    """
    sets = variants(profile.options.weights, free=profile.options.free_weights)
    traits = [whole_course(profile.answers.cells(profile.answers.scores[:, :, t]))
              for t in range(len(profile.answers.traits))]  # fmt: skip
    plain = Course(profile=profile, scores=np.stack(traits, axis=-1) - profile.options.centre)
    rows = list(every_row(plain, sets)) if len(sets) > 1 else []
    zero = profile.options.zero
    against = [(plain, "")]
    if isinstance(zero, JudgeZeros):
        against.append((replace(plain, zero=zero), " minus zero"))
    for course, end in against:
        for term, k, joint in terms_of(profile):
            rows += chosen_rows(course, sets, term, k, (end, joint))
    values = {name: {term: found for term, k, _ in terms_of(profile)
                     for found in [estimate_of(plain.sample(weights, k))] if found is not None}
              for name, weights in sets.items()}  # fmt: skip
    return rows, values


def terms_of(profile: Profile) -> list[tuple[str, int | None, str]]:
    """Return each model with its place and the end of its groups; all together where models are the units."""
    if not profile.by_model:
        return [("composite", None, f" {ALL}")]
    return [(model, k, "") for k, model in enumerate(profile.answers.models)]


def estimate_of(sample: Sample) -> float | None:
    """Return the mean of a sample, None of an empty one."""
    return float(sample.means.mean()) if len(sample.unit) else None


def own_weights(course: Course) -> FloatArray:
    """(traits,) float64 array of the weights given."""
    return np.array(list(course.profile.options.weights.values()))


def every_row(course: Course, sets: Mapping[str, FloatArray]) -> Iterator[Row]:
    """Rows of every set of weights, all models together: the composite, and its paired difference, Holm over sets."""
    joint = course.profile.several
    k, end = (None, f" {ALL}") if joint else (0, "")
    for name, weights in sets.items():
        yield mean_row(name, f"{OTHER}{end}", course.sample(weights, k), test=False)
    own = own_weights(course)
    yield from with_holm(
        [mean_row(name, f"{OTHER} {MINUS}{end}", course.sample(weights - own, k)) for name, weights in sets.items()],
        HOLM,
    )


def chosen_rows(
    course: Course, sets: Mapping[str, FloatArray], term: str, k: int | None, ends: tuple[str, str]
) -> list[Row]:
    """Rows of one model: equal weights, the lowest and the highest set, and their differences."""
    found = {name: estimate_of(course.sample(weights, k)) for name, weights in sets.items()}
    known = [(name, value) for name, value in found.items() if value is not None]
    picked = [(EQUAL, EQUAL)] if EQUAL in dict(known) else []
    if len(known) > 1:
        picked += [(LOWEST, min(known, key=lambda p: p[1])[0]), (HIGHEST, max(known, key=lambda p: p[1])[0])]
    own, out = own_weights(course), []
    for group, name in picked:
        said = EQUAL if group == EQUAL else f"{name}, of {count(len(known), 'set')} of weights"
        for weights, minus in ((sets[name], ""), (sets[name] - own, f" {MINUS}")):
            row = mean_row(term, f"{group}{ends[0]}{minus}{ends[1]}", course.sample(weights, k), test=False)
            out.append(replace(row, method=f"{said}; {row.method}"))
    return out


def judge_ranges(rows: list[Row], judges: tuple[str, ...]) -> dict[str, Any]:
    """Lowest and highest composite with one judge left out, by term."""
    groups = {f"without judge '{judge}'{end}" for judge in judges for end in ("", f" {ALL}")}
    found: dict[str, list[float]] = {}
    for row in rows:
        if row.group in groups and row.estimate is not None:
            joint = (row.group or "").endswith(ALL) and row.term == (row.group or "").removesuffix(f" {ALL}")
            found.setdefault("all models" if joint else row.term, []).append(row.estimate)
    return {term: (min(values), max(values)) for term, values in found.items()}


__all__ = ["EQUAL", "HIGHEST", "LOWEST", "MINUS", "OTHER", "judge_ranges", "weight_rows"]

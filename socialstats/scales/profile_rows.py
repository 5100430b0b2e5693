"""Rows of a trait profile: levels, changes, traits and their groups, spreads, differences of models and judges."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.options import texts
from socialstats.errors import InputError
from socialstats.inference.compare import HOLM, rows_with_holm
from socialstats.inference.rows import ANYWHERE, with_spread
from socialstats.paired.unit_means import (
    Inference,
    d_z_row,
    sample_across_models,
    sample_mean_row,
    sample_of_model,
)
from socialstats.results import Row
from socialstats.results.rows import TIED, Role, RowKey
from socialstats.scales.judge_zeros import JudgeZeros, by_judge
from socialstats.scales.traits import ScoredAnswers, composites, score_scale
from socialstats.text import quoted, shorten
from socialstats.voice import option

BASELINE = "baseline"
EQUAL_SET = "equal weights"
PICKS = {
    "equal": EQUAL_SET,
    "lowest": "lowest of other weights",
    "highest": "highest of other weights",
}
ALL = "of all models"
SPAN = "mean of the stages of the play"
DEBRIEF = "debrief"
BEFORE = (BASELINE, "before", "pre", "start")
AFTER = (DEBRIEF, "after", "post", "end")
SIDES = {"weights above 0": 1, "weights below 0": -1}
TOLERANCE = 1e-9  # below the threshold, by which rounding may put a mean of scores
MOST_MODELS = 15  # models up to which any two are compared
level_row = partial(sample_mean_row, test=False)


class ProfilePart(NamedTuple):
    """A part of the profile that has rows: its label (None: the whole), its values and its facts.

    Values are (models, scenarios, judges), and facts what the keys of its rows say of it.
    """

    label: str | None
    cells: FloatArray
    facts: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Profile:
    """Answers, and how they are analysed.

    Attributes
    ----------
    answers : Answers
    how : Inference
    settings : dict of str to object
    zero : mapping of judge to float, or None
    joint_only : bool
        Leave out the rows of each model.
    """

    answers: ScoredAnswers
    how: Inference
    settings: dict[str, Any]
    zero: Mapping[str, float] | None
    joint_only: bool = False

    @property
    def by_model(self) -> bool:
        """True where each model has rows of its own: scenarios are the units of analysis."""
        return self.how.unit == "scenario" and not self.joint_only

    def limits(self, measure: str, *, apart: bool = False) -> tuple[float, float]:
        """Return what a measure can be; with `apart` what a difference of two of its values can be."""
        low, high = measure_limits(self.settings, len(self.answers.traits))[measure]
        return (low - high, high - low) if apart else (low, high)

    @property
    def several(self) -> bool:
        """True where all models have rows together."""
        return self.how.unit == "model" or len(self.answers.models) > 1

    def against(self, zero: Mapping[str, float] | None) -> Profile:
        """Return the profile for values minus the zero: with its error, where control texts tell it.

        The error of judging is already in the differences of drawn judges.
        """
        error = zero.error() if isinstance(zero, JudgeZeros) else None
        if error is None or (self.how.judges == "random" and error.basis == "judging"):
            return self
        return replace(self, how=replace(self.how, taken_off=(error.std_error**2, error.df)))


def measure_limits(settings: Mapping[str, Any], traits: int) -> dict[str, tuple[float, float]]:
    """Return what each measure can be, by the scale of the scores: anything where weights are free and no scale is."""
    scale = score_scale(settings)
    score = ANYWHERE if scale is None else scale
    # the entropy of equal shares of all traits
    most = math.log(traits) / (math.log(2) if settings["entropy"] == "bits" else 1.0)
    composite = settings["limits"] or (ANYWHERE if scale is None else composite_range(settings))
    return {
        "composite": composite,
        "activation": (0.0, float(traits)),
        "active": (0.0, 1.0),
        "entropy": (0.0, most),
        "score": score,
        "group": score,
    }


def baseline_stage(baseline: str | None, stages: Sequence[str]) -> str:
    """Return the stage that others are compared with: the one named, else ``baseline`` if there is one, else the first.

    Raises
    ------
    InputError
        If the stage is not there.
    """
    if baseline is None:
        # stages stand in their declared order
        return BASELINE if BASELINE in stages else stages[0]
    if baseline not in stages:
        raise InputError(
            f"{option('baseline', shorten(baseline))} is no stage; stages: {quoted(stages, 20)}"
        )
    return baseline


def end_of(label: str) -> int:
    """Return -1 for a stage before the play, 1 for one after it, 0 for another stage, by their usual names.

    Examples
    --------
    >>> end_of("Baseline"), end_of("stage 2"), end_of("debriefing")
    (-1, 0, 1)
    """
    name = label.strip().lower()
    return (name in AFTER or name.startswith(DEBRIEF)) - (name in BEFORE)


def play_stages(settings: Mapping[str, Any], stages: Sequence[str]) -> tuple[str, ...]:
    """Return the stages of the play: those named, else all but the baseline and those after the play.

    Raises
    ------
    InputError
        If one is not there, or is the baseline.
    """
    base, interaction = settings["baseline"], settings["interaction"]
    if interaction is None:
        return tuple(stage for stage in stages if stage != base and end_of(stage) < 1)
    named = texts(interaction)
    if wrong := [s for s in named if s not in stages or s == base]:
        raise InputError(
            f"{option('interaction', wrong[0])} is no stage beside the baseline '{shorten(base)}'; "
            f"stages: {quoted(stages, 20)}"
        )
    return named


def trait_groups_of(
    settings: Mapping[str, Any], traits: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return the groups of traits: those named, else those of weights above and below 0, where both have several.

    Raises
    ------
    InputError
        If one names a trait that is not there, or none.
    """
    named, weights = settings["trait_groups"], settings["weights"]
    if named is None:
        sides = {
            words: tuple(t for t in traits if sign * weights[t] > 0)
            for words, sign in SIDES.items()
        }
        return sides if min(map(len, sides.values())) > 1 else {}
    chosen = {str(name): texts(members) for name, members in named.items()}
    for name, members in chosen.items():
        if lost := [t for t in members if t not in traits] or ([] if members else ["no trait"]):
            raise InputError(
                f"{option('trait_groups')}: '{shorten(name)}' names {quoted(lost)}; traits: "
                f"{quoted(traits, 12)}"
            )
    return chosen


def active_traits(answers: ScoredAnswers, settings: Mapping[str, Any]) -> FloatArray:
    """Return which traits reach the threshold, 0 or 1: (answers, judges, traits), alike for judges with ``"mean"``."""
    scores = answers.scores
    if settings["activated"] == "mean":
        scores = np.broadcast_to(scores.mean(axis=1, keepdims=True), scores.shape)
    return np.asarray(scores >= settings["activation"] - TOLERANCE, dtype=np.float64)


def entropies(answers: ScoredAnswers, unit: str) -> FloatArray:
    """Entropy of the shares s_t / sum of s of the judges' mean scores: (answers, judges), the same for all judges.

    Raises
    ------
    InputError
        For a mean score below 0, or scores that are all 0: they have no shares.
    """
    from scipy.stats import entropy

    scores = answers.scores.mean(axis=1)
    if np.any(scores < 0) or np.any(scores.sum(axis=1) <= 0):
        raise InputError(
            "entropy: shares of the trait scores need scores of at least 0, not all 0. Leave "
            f"{option('entropy')} out"
        )
    values = entropy(scores, base=2 if unit == "bits" else None, axis=1)
    return np.repeat(values[:, None], answers.scores.shape[1], axis=1)


def whole_course(cells: FloatArray) -> FloatArray:
    """Average (models, scenarios, stages, judges, ...) over the stages a model has; NaN where one is lacking."""
    out = np.full((*cells.shape[:2], *cells.shape[3:]), np.nan)
    # (models, scenarios, stages, judges, ...) -> (models, scenarios, judges, ...), each model over its own stages
    for m, cells_of_model in enumerate(cells):
        has_stage = np.isfinite(cells_of_model).any(axis=(0, *range(2, cells_of_model.ndim)))
        if has_stage.any():
            out[m] = cells_of_model[:, has_stage].mean(axis=1)
    return out


def profile_rows(profile: Profile) -> list[Row]:
    """Return every row but those of other weights."""
    answers, settings = profile.answers, profile.settings
    # cells: (models, scenarios, stages, judges), and traits for scores
    scores = answers.cells(answers.scores)
    answer_composites = composites(answers.scores, settings["weights"], settings["centre"])
    composite = answers.cells(answer_composites)
    out = measure_rows(profile, "composite", composite, make=sample_mean_row)
    traits: list[tuple[str, FloatArray]] = []
    if settings["activation"] is not None:
        active = active_traits(answers, settings)
        out += measure_rows(profile, "activation", answers.cells(active.sum(axis=2)))
        traits = [("active", answers.cells(active))]
    if settings["entropy"] is not None:  # for all models together, or for the only one
        rows = measure_rows(
            profile, "entropy", answers.cells(entropies(answers, settings["entropy"]))
        )
        out += [row for row in rows if not profile.several or row.label("model") is None]
    for name, cells in [*traits, ("score", scores)]:
        out += trait_rows(profile, name, whole_course(cells))
    out += trait_group_rows(profile, whole_course(scores))
    out += sd_rows(profile, "composite", whole_course(composite), {})
    for t, trait in enumerate(answers.traits if len(answers.traits) > 1 else ()):
        out += sd_rows(
            profile, "score", whole_course(scores[..., t]), {"trait": trait}, models_only=True
        )
    offsets = answers.cells(answer_composites - answer_composites.mean(axis=1, keepdims=True))
    return [
        *out,
        *model_rows(profile, whole_course(composite)),
        *judge_offset_rows(profile, whole_course(composite), whole_course(offsets)),
    ]


def measure_rows(
    profile: Profile, name: str, cells: FloatArray, *, make: Callable[..., Row] = level_row
) -> list[Row]:
    """Rows of one measure: over all stages, by stage, minus the judges' zero (composite), changes with d_z."""
    out = level_rows(
        profile, name, cells, {"measure": name}, partial(make, within=profile.limits(name))
    )
    if profile.zero is not None and name == "composite":
        shifted = cells - by_judge(profile.zero, profile.answers.judges)
        against, facts = profile.against(profile.zero), {"measure": name, "against": "zero"}
        out += level_rows(against, f"{name} minus zero", shifted, facts, sample_mean_row)
    return [*out, *profile_change_rows(profile, name, cells)]


def level_rows(
    profile: Profile, name: str, cells: FloatArray, facts: dict[str, str], make: Callable[..., Row]
) -> list[Row]:
    """Rows over all stages, and by stage where there are several."""
    stages = profile.answers.stages
    parts = [ProfilePart(stage, cells[:, :, t], {"stage": stage}) for t, stage in enumerate(stages)]
    course = ProfilePart(None, whole_course(cells), {})
    out = family_rows(profile, name, [course], facts, make=make)
    return out if len(stages) < 2 else [*out, *family_rows(profile, name, parts, facts, make=make)]


def profile_change_rows(profile: Profile, name: str, cells: FloatArray) -> list[Row]:
    """Rows of each stage minus the baseline, Holm over models and stages, and their d_z.

    With all changes, also of the mean of the stages of the play minus the baseline, and of any two other stages.
    """
    stages, base = profile.answers.stages, profile.settings["baseline"]
    start, inside = cells[:, :, stages.index(base)], profile.settings["interaction"]
    changes = []
    for t, stage in enumerate(stages):
        if stage != base:
            facts = {"stage": stage, "baseline": base}
            changes.append(ProfilePart(f"{stage} minus {base}", cells[:, :, t] - start, facts))
    families, step_rows = [changes], []
    if profile.settings["changes"] == "all" and name == "composite":
        if inside:
            mean = cells[:, :, [stages.index(stage) for stage in inside]].mean(axis=2)
            facts = {"span": SPAN, "baseline": base}
            families.append([ProfilePart(f"{SPAN} minus {base}", mean - start, facts)])
        other_stages = [(t, stage) for t, stage in enumerate(stages) if stage != base]
        # any two stages of any model would be a page of rows
        joint_profile = replace(profile, joint_only=profile.several)
        steps = []
        for (s, first), (t, later) in combinations(other_stages, 2):
            gap, facts = cells[:, :, t] - cells[:, :, s], {"stage": later, "from": first}
            steps.append(ProfilePart(f"{later} minus {first}", gap, facts))
        step_rows = change_tests(joint_profile, name, steps)
    return [
        *(row for parts in families for row in change_tests(profile, name, parts)),
        *step_rows,
    ]


def change_tests(profile: Profile, name: str, changes: Sequence[ProfilePart]) -> list[Row]:
    """Rows of changes, Holm over models and changes, and their d_z."""
    make = partial(sample_mean_row, within=profile.limits(name, apart=True))
    tests = family_rows(
        profile, f"{name} change", changes, {"measure": name}, make=make, role="difference"
    )
    sizes = family_rows(
        profile, f"{name} d_z", changes, {"measure": name}, make=d_z_row, role="effect_size"
    )
    return [*holm_by_models(tests), *sizes]


def holm_by_models(tests: Sequence[Row]) -> list[Row]:
    """Return tests with Holm's p: those of models, which come first, are a family of their own."""
    n = sum(row.label("model") is not None for row in tests)
    return [*rows_with_holm(tests[:n], HOLM), *rows_with_holm(tests[n:], HOLM)]


def family_rows(
    profile: Profile,
    name: str,
    parts: Sequence[ProfilePart],
    facts: dict[str, str],
    *,
    make: Callable[..., Row] = sample_mean_row,
    role: Role = "estimate",
) -> list[Row]:
    """Rows of each model (term the model, group ``name: part``), then of all models (term the part)."""
    out, how = [], profile.how
    for part, cells, part_facts in parts if profile.by_model else ():
        group = name if part is None else f"{name}: {part}"
        for k, model in enumerate(profile.answers.models):
            sample, key = sample_of_model(cells[k], how), row_key(facts, part_facts, model=model)
            out.append(make(model, group, sample, role=role, key=key))
    for part, cells, part_facts in parts if profile.several else ():
        staged = "by stage " * ("stage" in part_facts)
        term, group = (name, f"{name} {ALL}") if part is None else (part, f"{name} {staged}{ALL}")
        out.append(
            make(
                term,
                group,
                sample_across_models(cells, how),
                role=role,
                key=row_key(facts, part_facts),
            )
        )
    return out


def row_key(*facts: Mapping[str, str], **further: str) -> RowKey:
    """Return facts as the key of a row."""
    return tuple((name, label) for labels in (*facts, further) for name, label in labels.items())


def trait_rows(profile: Profile, name: str, course: FloatArray) -> list[Row]:
    """Rows of the mean score of each trait over all stages, or of the share of answers in which it is active."""
    out, level = [], partial(level_row, within=profile.limits(name))
    for t, trait in enumerate(profile.answers.traits):
        cells, facts = course[..., t], {"measure": name, "trait": trait}
        models = profile.answers.models if profile.by_model and name == "score" else ()
        for k, model in enumerate(models):
            sample, key = sample_of_model(cells[k], profile.how), row_key(facts, model=model)
            out.append(level(trait, f"{name}: {model}", sample, role="estimate", key=key))
        if profile.several or name == "active":
            group, sample = (
                f"{name} {ALL}" if profile.several else name,
                sample_across_models(cells, profile.how),
            )
            out.append(level(trait, group, sample, role="estimate", key=row_key(facts)))
    return out


def trait_group_rows(profile: Profile, course: FloatArray) -> list[Row]:
    """Rows of the mean score of each group of traits, and of the difference of any two groups, paired within units."""
    traits, groups = profile.answers.traits, profile.settings["trait_groups"]
    means = {
        name: course[..., [traits.index(t) for t in members]].mean(axis=-1)
        for name, members in groups.items()
    }
    levels = [ProfilePart(name, cells, {"traits": name}) for name, cells in means.items()]
    gaps = []
    for first, second in combinations(means, 2):
        gap, names = means[first] - means[second], {"traits": first, "minus": second}
        gaps.append(ProfilePart(f"{first} minus {second}", gap, names))
    facts = {"measure": "group"}
    out = family_rows(
        profile,
        "score of traits",
        levels,
        facts,
        make=partial(level_row, within=profile.limits("group")),
    )
    tests = family_rows(
        profile,
        "score of traits",
        gaps,
        facts,
        role="difference",
        make=partial(sample_mean_row, within=profile.limits("group", apart=True)),
    )
    return [*out, *holm_by_models(tests)]


def sd_rows(
    profile: Profile,
    name: str,
    course: FloatArray,
    facts: dict[str, str],
    *,
    models_only: bool = False,
) -> list[Row]:
    """Rows of the standard deviation (n - 1) of scenarios, model by model, and of the models' means over scenarios."""
    answers, how, facts, out = profile.answers, profile.how, {"measure": name, **facts}, []
    if profile.by_model and not models_only:
        for k, model in enumerate(answers.models):
            key = row_key(facts, over="scenarios", model=model)
            row = Row(term=model, group=f"{name}: SD over scenarios", role="spread", key=key)
            out.append(with_spread(row, sample_of_model(course[k], how).means, how.level))
    if len(answers.models) > 1:
        means = sample_across_models(course, replace(how, unit="model")).means
        row = Row(
            term=facts.get("trait", name),
            group=f"{name}: SD over models",
            role="spread",
            key=row_key(facts, over="models"),
        )
        out.append(with_spread(row, means, how.level))
    return out


def model_rows(profile: Profile, course: FloatArray) -> list[Row]:
    """Rows of the difference of the composites of any two models, paired within scenarios, Holm over all pairs.

    What the judges give to all models alike, their zero included, is not in them.
    """
    models = profile.answers.models
    if not (profile.by_model and 1 < len(models) <= MOST_MODELS):
        return []
    make = partial(
        sample_mean_row, role="difference", within=profile.limits("composite", apart=True)
    )
    rows = []
    for (j, first), (k, second) in combinations(enumerate(models), 2):
        sample = sample_of_model(course[j] - course[k], profile.how)
        key = row_key({"measure": "composite", "model": first, "other": second})
        rows.append(make(f"{first} minus {second}", "composite difference", sample, key=key))
    return rows_with_holm(rows, HOLM)


def judge_offset_rows(profile: Profile, course: FloatArray, offsets: FloatArray) -> list[Row]:
    """Rows of each judge's composite minus the judges' mean (`offsets`), and of the composite without each judge."""
    # deviations from the judges' mean are about these judges
    judges, zero, fixed = profile.answers.judges, profile.zero, replace(profile.how, judges="fixed")
    if len(judges) < 2:
        return []
    out = [
        sample_mean_row(
            judge,
            "judge offset",
            sample_across_models(offsets[:, :, [j]], fixed),
            role="difference",
            key=row_key({"measure": "composite", "judge": judge}),
        )
        for j, judge in enumerate(judges)
    ]
    for j, judge in enumerate(judges):
        # its zero is that of the remaining judges
        remaining, name = np.delete(course, j, axis=2), f"without judge '{judge}'"
        facts = {"measure": "composite", "without": judge}
        out += family_rows(profile, name, [ProfilePart(None, remaining, {})], facts)
        if zero is not None:
            remaining_zeros = by_judge(zero, [other for other in judges if other != judge])
            against = profile.against(zero.without(judge) if isinstance(zero, JudgeZeros) else None)
            parts = [ProfilePart(None, remaining - remaining_zeros, {})]
            out += family_rows(against, f"{name} minus zero", parts, facts | {"against": "zero"})
    return out


def first_of(means: Mapping[str, float], side: int) -> str:
    """Return the first name of the highest number (`side` 1) or the lowest (-1); rounding makes none of two equal."""
    # sums of scores in another order differ by rounding
    best = max(side * value for value in means.values())
    room = TIED * max(abs(value) for value in means.values())
    return next(name for name, value in means.items() if side * value >= best - room)


def composite_range(settings: Mapping[str, Any]) -> tuple[float, float]:
    """Return the lowest and the highest composite (free weights: for scores up to twice the centre, at least 1)."""
    weights, centre = np.array(list(settings["weights"].values())), float(settings["centre"])
    if settings["score_range"] is None:
        size = max(1.0, float(np.abs(weights).sum()) * abs(centre))
        return -size, size
    # (2, traits): what each trait adds at either end of the scale
    ends = np.outer(np.array(settings["score_range"]) - centre, weights)
    return float(ends.min(axis=0).sum()), float(ends.max(axis=0).sum())

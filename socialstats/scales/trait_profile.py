"""Weighted composite of trait scores, by model and stage."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.calls import TableLike
from socialstats.designs.options import texts
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, Problem, caution
from socialstats.inference.compare import HOLM, rows_with_holm
from socialstats.inference.dependence import spread_cautions
from socialstats.inference.rows import ANYWHERE, with_spread
from socialstats.paired.pair_values import checked_number
from socialstats.paired.unit_means import (
    JUDGES,
    CiName,
    Inference,
    UnitSample,
    d_z_row,
    few_units_cautions,
    sample_across_models,
    sample_mean_row,
    sample_of_model,
)
from socialstats.registry import Metric, reads, refuse_weights
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import Definition
from socialstats.results.rows import (
    TIED,
    Role,
    RowKey,
    lowest_and_highest,
    rows_with,
    undefined_text,
)
from socialstats.scales.plain_profile import sample_profile, tests_together
from socialstats.scales.traits import (
    JudgeZeros,
    MissingTrait,
    ScoredAnswers,
    answers_and_clusters,
    check_range,
    checked_range,
    checked_settings,
    checked_weights,
    collect_answers,
    composites,
    declared_options,
    incomplete_cautions,
    inference_of,
    pooled_models,
    result_header,
    row_text,
    score_scale,
    trait_table,
    weight_variants,
)
from socialstats.text import count, listing, meant, number, quoted, shorten
from socialstats.voice import check_allowed, option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENTROPIES = ("nats", "bits")
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


def zero_of(zero_setting: Any, judges: Sequence[str]) -> Mapping[str, float] | None:
    """Return the zero of each judge: a number for all, one a judge, or that of control texts.

    Raises
    ------
    InputError
        If a judge has none, a name is no judge, or a value is no number.
    """
    if zero_setting is None:
        return None
    zero: Mapping[str, float]
    if isinstance(zero_setting, JudgeZeros):
        zero = zero_setting
    elif isinstance(zero_setting, Mapping):
        zero = {
            str(j): checked_number(value, f"zero of judge '{shorten(str(j))}'")
            for j, value in zero_setting.items()
        }
    else:
        zero = dict.fromkeys(judges, checked_number(zero_setting, "zero"))
    # each judge has a zero of its own, as judges differ in how they use the scale
    absent, extra = [j for j in judges if j not in zero], [j for j in zero if j not in judges]
    if absent or extra:
        raise InputError(zero_problem(zero, judges, absent, extra))
    return zero


def zero_problem(
    zero: Mapping[str, float], judges: Sequence[str], absent: Sequence[str], extra: Sequence[str]
) -> Problem:
    """Return which judges of the answers have no zero, or which zeros are of no judge, and what to do about it."""
    texts = isinstance(zero, JudgeZeros)
    lacking = "no control text was scored by" if texts else "no number is given for"
    message = (
        f"{lacking} {quoted(absent, 10)}" if absent else f"{quoted(extra, 10)} judged no answer"
    )
    message += f" (judges of the answers: {quoted(judges, 10)})"
    fix = meant(absent[0], extra) if absent else meant(extra[0], judges)
    if texts:
        fix += "Let the same judges score the control texts and the answers, under the same names"
    else:
        fix += "Give each judge of the answers one number"
    return Problem(
        source=zero.source if isinstance(zero, JudgeZeros) else "zero", message=message, fix=fix
    )


def by_judge(zero: Mapping[str, float], judges: Sequence[str]) -> FloatArray:
    """(judges,) float64 array of their zeros."""
    return np.array([zero[judge] for judge in judges])


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


def play_stages(settings: Mapping[str, Any], stages: Sequence[str]) -> tuple[str, ...]:
    """Return the stages of the play: those named, else all but the baseline and those called debrief.

    Raises
    ------
    InputError
        If one is not there, or is the baseline.
    """
    base, interaction = settings["baseline"], settings["interaction"]
    if interaction is None:
        return tuple(s for s in stages if s != base and not s.strip().lower().startswith(DEBRIEF))
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


def weight_rows(profile: Profile) -> tuple[list[Row], dict[str, dict[str, float]]]:
    """Rows of the composite under other weights, each with the difference to the composite under the weights given.

    The composite is linear in the scores, so every set of weights has its own interval. A difference of two sets is a
    composite too, paired within units of analysis.

    Returns
    -------
    rows : list of Row
        Of each model: equal weights, and the lowest and the highest of all sets, whose method names the set. The same
        minus the zero where control texts give it. Of all models (of the only one): every set of weights.
    values : dict of str to dict of str to float
        By set of weights: the composite of each model, or over the units of analysis.
    """
    answers, base_weights = profile.answers, profile.settings["weights"]
    sets = weight_variants(base_weights, free=score_scale(profile.settings) is None)
    base_array = np.array(list(base_weights.values()))
    scores = whole_course(answers.cells(answers.scores)) - profile.settings["centre"]
    # each model with its place and the end of its groups; all together where models are the units
    terms: list[tuple[str, int | None, str]] = [
        (model, k, "") for k, model in enumerate(answers.models)
    ]
    if not profile.by_model:
        terms = [("composite", None, f" {ALL}")]

    def sample(weights: FloatArray, k: int | None, zero: JudgeZeros | None = None) -> UnitSample:
        values, compared = scores @ weights, profile
        if zero is not None:  # control texts have a composite under every set of weights
            zero = zero.under(dict(zip(answers.traits, weights.tolist(), strict=True)))
            values, compared = values - by_judge(zero, answers.judges), profile.against(zero)
        return (
            sample_across_models(values, compared.how)
            if k is None
            else sample_of_model(values[k], compared.how)
        )

    def row(
        term: str,
        group: str,
        name: str,
        k: int | None,
        facts: dict[str, str],
        *,
        minus: bool = False,
        zero: JudgeZeros | None = None,
        make: Callable[..., Row] = level_row,
    ) -> Row:
        weights, role = (
            (sets[name] - base_array, "difference") if minus else (sets[name], "estimate")
        )
        key = row_key({"measure": "composite", "weights": name}, facts)
        return make(term, group, sample(weights, k, zero), role=role, key=key)

    rows: list[Row] = []
    # with one model its rows are those of all models
    k, end = (None, f" {ALL}") if profile.several else (0, "")
    if len(sets) > 1:
        rows += [row(name, f"other weights{end}", name, k, {"pick": "each"}) for name in sets]
        group, facts = f"other weights minus these{end}", {"pick": "each"}
        gaps = [row(name, group, name, k, facts, minus=True, make=sample_mean_row) for name in sets]
        rows += rows_with_holm(gaps, HOLM)
    values: dict[str, dict[str, float]] = {name: {} for name in sets}
    for zero in (None, profile.zero) if isinstance(profile.zero, JudgeZeros) else (None,):
        for term, k, end in terms:
            samples = {name: sample(weights, k, zero) for name, weights in sets.items()}
            means = {
                name: float(weight_row.means.mean())
                for name, weight_row in samples.items()
                if len(weight_row.unit)
            }
            picks = {"equal": EQUAL_SET} if EQUAL_SET in means else {}
            if len(means) > 1:
                picks |= {"lowest": first_of(means, -1), "highest": first_of(means, 1)}
            facts = {} if zero is None else {"against": "zero"}
            facts |= {} if k is None else {"model": term}
            # the lowest and the highest set of weights show how far the choice of weights matters
            for pick, name in picks.items():
                method = EQUAL_SET
                if pick != "equal":
                    method = f"{name}, of {count(len(means), 'set')} of weights"
                for minus in (False, True):
                    group = PICKS[pick] + " minus zero" * (zero is not None)
                    group += " minus these" * minus + end
                    weight_row = row(
                        term, group, name, k, {"pick": pick, **facts}, minus=minus, zero=zero
                    )
                    rows.append(replace(weight_row, method=f"{method}; {weight_row.method}"))
            for name, mean in means.items() if zero is None else ():
                values[name][term] = mean
    return rows, values


def judge_ranges(rows: Sequence[Row]) -> dict[str, tuple[float, float]]:
    """Lowest and highest composite with one judge left out, by term."""
    by_term: dict[str, list[float]] = {}
    for row in (
        *rows_with(rows, "without", "model", measure="composite"),
        *rows_with(rows, "without", measure="composite"),
    ):
        if row.estimate is not None:
            by_term.setdefault(row.label("model") or "all models", []).append(row.estimate)
    return {term: (min(values), max(values)) for term, values in by_term.items()}


def sentence(result: Result) -> str:
    """Return the highest and lowest composite, and the largest change from the baseline."""
    counts = result.counts
    place = [count(counts[what], what[:-1]) for what in ("scenarios", "stages", "judges")]
    unit = result.settings["unit_of_analysis"]
    start = f"Over {listing(place)}, "
    ends = [number(x, 0 if x == round(x) else 2) for x in result.extras["range"]]
    has_scale = score_scale(result.settings) is not None
    scale = f"the composite ({ends[0]} to {ends[1]})" if has_scale else "the composite"
    return f"{start}{levels_text(result, scale, unit)}{largest_change_text(result)}."


def levels_text(result: Result, scale: str, unit: str) -> str:
    """Name the composite: of all models where they are the units of analysis, else the highest and the lowest."""
    if unit == "model":
        (row,) = rows_with(result.rows, measure="composite")
        return f"{scale} of {count(len(result.extras['pooled']), 'model')} (the units of analysis) {row_numbers(row)}"
    of_models = rows_with(result.rows, "model", measure="composite")
    if all(r.estimate is None for r in of_models):
        return f"{scale} is undefined ({undefined_text(of_models)})"
    if len(of_models) == 1:
        return f"{scale} of '{shorten(of_models[0].term)}' {row_numbers(of_models[0])}"
    low, high = lowest_and_highest(of_models)
    best, worst = (
        f"{quoted([r.term for r in end], 3)} ({row_numbers(end[0], '')})" for end in (high, low)
    )
    if number(high[0].estimate) == number(low[0].estimate):
        return f"{scale} of all {count(len(of_models), 'model')} {row_numbers(high[0])}"
    return (
        f"{scale} of {count(len(of_models), 'model')} was highest for {best} and lowest for {worst}"
    )


def change_name(row: Row) -> str:
    """Return ``stage 4 minus baseline`` of a row of changes."""
    return f"{row.label('stage')} minus {row.label('baseline')}"


def size_of(result: Result, row: Row) -> Row | None:
    """Return the row of d_z of a change."""
    return next((r for r in result.rows if r.role == "effect_size" and r.key == row.key), None)


def changes_of(result: Result, measure: str = "composite") -> list[Row]:
    """Return the changes of all models against the baseline; of the only model where there is one."""
    joint, of_models = (
        rows_with(result.rows, "stage", "baseline", *model, role="difference", measure=measure)
        for model in ((), ("model",))
    )
    return joint or of_models


def largest_change_text(result: Result) -> str:
    """Return the largest change of all models (of the only model) from the baseline."""
    several = result.counts["models"] > 1
    changes = [row for row in changes_of(result) if row.estimate is not None]
    if several:
        changes = [row for row in changes if row.label("model") is None]
    if not changes:
        return ""
    row = max(changes, key=lambda r: abs(r.estimate or 0.0))
    size = size_of(result, row)
    all_models = len(result.extras["pooled"]) == result.counts["models"]
    models = ""
    if several:
        n_models = count(len(result.extras["pooled"]), "model")
        models = "of all models " if all_models else f"of {n_models} "
    text = f"; the largest change {models}was {shorten(change_name(row))}: {row_numbers(row, '', adjusted=True)}"
    if size is not None and size.estimate is not None:
        text += f", d_z = {number(size.estimate)}"
    return text


def row_numbers(row: Row, verb: str = "was ", *, adjusted: bool = False) -> str:
    """Estimate, interval and test of a row, or why there is none."""
    if row.estimate is None:
        return f"is undefined ({row.undefined})"
    return f"{verb}{row_text(row, adjusted=adjusted)}" + (
        f" ({row.undefined})" if row.undefined else ""
    )


def plot(
    result: Result, ax: Axes | None = None, *, group: str | None = None, **options: Any
) -> Axes:
    """Draw one group of rows with their intervals: by default the composites of the models, or of the stages."""
    from socialstats.figures import forest

    groups = list(dict.fromkeys(r.group for r in result.rows if r.group is not None))
    default = "composite" if "composite" in groups else f"composite by stage {ALL}"
    chosen = group or (default if default in groups else groups[0])
    if chosen not in groups:
        raise InputError(f"no group '{shorten(chosen)}'; groups: {quoted(groups, 12)}")
    rows = [r for r in result.rows if r.group == chosen]
    settings = {"xlabel": shorten(chosen), "sort": False}
    return forest(rows[:200], ax=ax, **{**settings, **options})


@reads(trait_table, Ratings)
def trait_profile(
    ratings: Ratings | TableLike,
    *,
    weights: Mapping[str, float] | None = None,
    centre: float = 10.0,
    free_weights: bool = False,
    score_range: tuple[float, float] | None = None,
    stages: Sequence[str] | None = None,
    baseline: str | None = None,
    unit_of_analysis: Literal["scenario", "model"] = "scenario",
    judges: Literal["fixed", "random"] = "fixed",
    zero: float | Mapping[str, float] | None = None,
    activation: float | None = 14.0,
    activated: Literal["mean", "each"] = "mean",
    entropy: Literal["nats", "bits"] | None = None,
    changes: Literal["baseline", "all"] = "baseline",
    interaction: Sequence[str] | None = None,
    trait_groups: Mapping[str, Sequence[str]] | None = None,
    limits: tuple[float, float] | None = None,
    missing_trait: MissingTrait = "error",
    model: str | None = "model",
    scenario: str = "scenario",
    stage: str | None = "stage",
    wording: str | None = None,
    trait: str = "trait",
    cluster: str | Sequence[str] | None = "declared",
    ci: CiName = "closed",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate the weighted composite of trait scores, by model and stage.

    An answer's composite, as one judge scores it, is the sum over traits of weight x (score - centre). Weights add up
    to 0 and their absolute values to ten. So it lies between -100 and 100 for scores from 0 to 20. It is averaged over
    wordings and judges, over stages and models where a row says so, and over the units of analysis. The variation of
    these units is the error.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        Units are traits of answers, with strata for model, scenario, stage, trait (and wording), as `trait_ratings`
        makes them. Or a table with one column per trait (by default those of the weights). With a ``by`` factor: one
        result per level.
    weights : mapping of str to float, optional
        Weight of each trait. By default those that the table declares (`socialstats tidy`), with their scale and its
        centre. Without these, those of the ten traits of staged role play (`socialstats.scales.traits`).
    centre : float
        Neutral score, the middle of a scale from 0.
    free_weights : bool
        Allow weights of any sum and scores of any range.
    score_range : pair of float, optional
        Lowest and highest score, for weights of any sum and size. By default scores run from 0 to twice the centre.
    stages : sequence of str, optional
        Only these, in this order.
    baseline : str, optional
        Stage that others are compared with: by default ``"baseline"`` where there is one, else the first.
    unit_of_analysis : {"scenario", "model"}
        What is drawn at random: scenarios (models are those of interest), or models (each with its mean over
        scenarios).
    judges : {"fixed", "random"}
        ``"random"``: judges are drawn too: mean squares of units of analysis and judges, with Cochran's degrees
        of freedom (`socialstats.inference.crossed_mean`); V1 + V2 - V12 where units have clusters.
    zero : float, mapping of judge to float, or result of `judge_zeros`, optional
        The judges' neutral point: rows of the composite minus it. That of `judge_zeros` follows the weights. Its error
        is in these rows: variances add, with Cochran's degrees of freedom. Numbers are taken as known.
    activation : float or None
        Score from which a trait is active; None: no activation rows.
    activated : {"mean", "each"}
        Count traits by the judges' mean score, or for each judge and average the counts.
    entropy : {"nats", "bits"} or None
        Rows of the entropy of the traits' shares in an answer's scores (the judges' means): -sum p ln p with p = score
        / sum of scores. Its maximum is ln of the number of traits, where all scores are alike. None: no such rows.
    changes : {"baseline", "all"}
        ``"all"``: also the mean of the stages of the play minus the baseline, and any two other stages, with d_z. With
        several models the latter are of all models together.
    interaction : sequence of str, optional
        The stages of the play, averaged there; by default all but the baseline and those called debrief.
    trait_groups : mapping of str to sequence of str, optional
        Groups of traits whose mean scores are compared; by default those of weights above and below 0.
    limits : pair of float, optional
        What a composite can be, at which intervals are cut; by default as the weights say, with free ones unknown.
    missing_trait : {"error", "drop_unit"}
        An answer that some judge did not score on some trait: an error, or left out whole and counted (SS301).
        Weights are never spread over the other traits.
    model, scenario, stage, wording, trait : str or None
        Names of the strata. None for model or stage: there is one; for wording: ``"wording"`` where it is declared.
    cluster : str, sequence of str or None
        Declared factors that hold whole units of analysis; factors inside these (or equal) are accounted for. None:
        units of analysis are independent.
    ci : {"closed", "percentile", "basic", "bca", "studentized"}
        t interval, or bootstrap of the units of analysis (clusters).
    level : float
    resamples, seed : int
        Of the bootstrap.
    **columns
        Of a data frame or file: its columns, by the keywords of `trait_ratings` or `read_ratings`.

    Returns
    -------
    Result
        Rows of each model have the model as term. Groups:

        - ``composite``: over all stages, t against 0
        - ``composite: STAGE``: at each stage
        - ``composite minus zero``: the same relative to the zero
        - ``composite change: STAGE minus BASELINE``: paired t, Holm over models and stages
        - ``composite d_z: STAGE minus BASELINE``: noncentral t
        - ``activation ...``: the same of the number of active traits, levels without a test
        - ``entropy ...``: the same, of all models together
        - ``without judge 'JUDGE'``: also minus zero
        - ``equal weights``, ``lowest of other weights``, ``highest of other weights``: their method names the set. Also
          ``... minus zero`` (of `judge_zeros`) and ``... minus these``, the paired difference to the composite
        - ``other weights of all models``, ``other weights minus these of all models``: the term is the set of weights;
          paired t, Holm over the sets
        - ``... of all models``: the mean over models in scenarios where all have a value; the term is the stage or
          change. A model with all stages in fewer than half of the scenarios is left out (SS301 names it)
        - ``score: MODEL``: mean of each trait
        - ``score of traits: GROUP``, ``score of traits: GROUP minus GROUP``: means of groups of traits, paired
        - ``composite: SD over scenarios``, ``composite: SD over models``: with the wider limits of Bonett's and the
          jackknife's interval
        - ``active of all models``: share of answers in which a trait is active
        - ``composite difference``: any two of up to 15 models, paired, Holm over the pairs
        - ``judge offset``: a judge's composite minus the judges' mean

        `extras`: ``pooled`` (models in rows of all models), ``weight_sensitivity`` (set of weights -> model ->
        composite), ``leave_one_judge_out`` (model -> lowest, highest), ``range``, ``weights``.

    Raises
    ------
    InputError
        For an unknown option, weights that are not balanced, or traits without a weight. For scores out of range or
        missing, and clusters that cut across units of analysis.
    NothingToAnalyse
        If no answer has all its scores.

    References
    ----------
    Student. (1908). The probable error of a mean. doi:10.1093/biomet/6.1.1
    Holm, S. (1979). A simple sequentially rejective multiple test procedure.
    Steiger, J. H., & Fouladi, R. T. (1997). Noncentrality interval estimation and the evaluation of statistical models.
    Cochran, W. G. (1964). Approximate significance levels of the Behrens-Fisher test. doi:10.2307/2528069
    Cornfield, J., & Tukey, J. W. (1956). Average values of mean squares in factorials. doi:10.1214/aoms/1177728067
    Cameron, A. C., Gelbach, J. B., & Miller, D. L. (2011). Robust inference with multiway clustering.
    doi:10.1198/jbes.2010.07136
    Bonett, D. G. (2006). doi:10.1016/j.csda.2004.10.003
    Efron, B., & Tibshirani, R. J. (1993). An introduction to the bootstrap. Chapman & Hall.

    Examples
    --------
    >>> table = {"model": ["m"] * 6, "scenario": ["a", "a", "b", "b", "c", "c"], "stage": ["start", "end"] * 3,
    ...          "judge": ["j"] * 6, "openness": [12, 15, 11, 12, 13, 17], "tradition": [9, 8, 10, 8, 10, 9]}
    >>> result = trait_profile(table, baseline="start", weights={"openness": 5, "tradition": -5})
    >>> row = result.row("m", group="composite change: end minus start")
    >>> round(row.estimate, 2), row.df, round(row.p_value, 3)
    (20.0, 2.0, 0.02)
    """
    arguments = {
        name: value for name, value in locals().items() if name not in ("ratings", "columns")
    }
    settings = checked_settings(
        declared_options(arguments, ratings),
        unit_of_analysis=("scenario", "model"),
        judges=JUDGES,
        activated=("mean", "each"),
    )
    check_allowed("changes", changes, ("baseline", "all"))
    if entropy is not None:
        check_allowed("entropy", entropy, ENTROPIES)
    if isinstance(zero, JudgeZeros):
        settings["zero"] = replace(zero.under(settings["weights"]), centre=settings["centre"])
    if activation is not None:
        settings["activation"] = checked_number(activation, "activation")
    if settings["score_range"] is None and not free_weights and settings["centre"] <= 0:
        raise InputError(
            f"{option('centre', centre)}: scores run from 0 to twice the centre, so it must be above 0"
        )
    return estimate(ratings, settings)


def estimate(design: Ratings, settings: dict[str, Any]) -> Result:
    """Compute the profile of one design."""
    answers, clusters = answers_and_clusters(design, settings, judges=settings["judges"])
    settings = {**settings, "baseline": baseline_stage(settings["baseline"], answers.stages)}
    settings |= {
        "interaction": play_stages(settings, answers.stages),
        "trait_groups": trait_groups_of(settings, answers.traits),
    }
    zero, ends = zero_of(settings["zero"], answers.judges), composite_range(settings)
    # rounding is a share of the largest number behind a composite
    magnitude = max(*map(abs, ends), 1.0, float(np.abs(answers.scores).max()))
    how = inference_of(settings, clusters, magnitude, answers)
    profile = Profile(answers=answers, how=how, settings=settings, zero=zero)
    rows, (other_weights, values) = profile_rows(profile), weight_rows(profile)
    judges_drawn = how.judges == "random"
    units = count(len(answers.scenarios if how.unit == "scenario" else answers.models), how.unit)
    n = dict(zip(("models", "scenarios", "stages", "wordings"), answers.n_levels(), strict=True))
    # a single wording is no level to count
    if len(answers.wordings) < 2:
        del n["wordings"]
    counts = {
        "answers": len(answers.codes),
        **n,
        "judges": len(answers.judges),
        "traits": len(answers.traits),
        **{f"clusters ({f.name})": len(np.unique(f.codes)) for f in clusters.factors},
    }
    extras = {
        "limits": measure_limits(settings, len(answers.traits)),
        "weight_sensitivity": values,
        "leave_one_judge_out": judge_ranges(rows),
        "pooled": pooled_models(answers, how),
        "weights": dict(settings["weights"]),
        "range": ends,
    }
    references = (
        *METRIC.references,
        *(("cochran1964",) if isinstance(zero, JudgeZeros) and not judges_drawn else ()),
        *(("cochran1964", "cornfieldtukey1956", "cameron2011") if judges_drawn else ()),
        *(("davisonhinkley1997",) if how.ci != "closed" else ()),
    )
    return Result(
        metric="trait_profile",
        title="Weighted composite of trait scores",
        **result_header(
            answers, clusters, how, rows, f"{units}; judges {'drawn' if judges_drawn else 'fixed'}"
        ),
        rows=(*rows, *other_weights),
        counts=counts,
        settings=settings | zero_facts(settings["zero"], zero),
        cautions=(*clusters.cautions, *profile_cautions(profile), *spread_cautions(rows, "value")),
        references=references,
        design=design,
        extras=extras,
    )


def composite_range(settings: Mapping[str, Any]) -> tuple[float, float]:
    """Return the lowest and the highest composite (free weights: for scores up to twice the centre, at least 1)."""
    weights, centre = np.array(list(settings["weights"].values())), float(settings["centre"])
    if settings["score_range"] is None:
        size = max(1.0, float(np.abs(weights).sum()) * abs(centre))
        return -size, size
    # (2, traits): what each trait adds at either end of the scale
    ends = np.outer(np.array(settings["score_range"]) - centre, weights)
    return float(ends.min(axis=0).sum()), float(ends.max(axis=0).sum())


def zero_facts(zero_setting: Any, zero: Mapping[str, float] | None) -> dict[str, Any]:
    """Echo the zero, its error, and the control texts that it comes from."""
    echo = dict(zero) if zero is not None and isinstance(zero_setting, Mapping) else zero_setting
    if not isinstance(zero, JudgeZeros):
        return {"zero": echo, "zero_error": None, "zero_texts": None}
    error = zero.error()
    texts = dict[str, dict[str, dict[str, float]]]()  # text -> judge -> trait -> score
    for text, rows in zip(zero.texts, zero.scores.tolist(), strict=True):
        by_trait = [dict(zip(zero.traits, scores, strict=True)) for scores in rows]
        texts[text] = dict(zip(zero.judges, by_trait, strict=True))
    error_facts = None
    if error is not None:
        error_facts = {"std_error": error.std_error, "df": error.df, "basis": error.basis}
    return {
        "zero": echo,
        "zero_error": error_facts,
        "zero_texts": texts,
        "zero_neutral": list(zero.neutral),
    }


def profile_cautions(profile: Profile) -> tuple[Caution, ...]:
    """Cautions SS301 (answers left out, scenarios that not every model has), SS312 and SS202."""
    cautions: list[Caution] = []
    answers = profile.answers
    if answers.left_out:
        total = count(answers.left_out + len(answers.codes))
        detail = f"{count(answers.left_out, 'answer')} without all scores, of {total}"
        cautions.append(
            caution(
                "SS301", detail, affects="every row that needs them", fix="collect the scores again"
            )
        )
    units = len(answers.scenarios if profile.how.unit == "scenario" else answers.models)
    return (
        *cautions,
        *incomplete_cautions(answers, profile.how),
        *few_units_cautions(units, profile.how, len(answers.judges)),
    )


METRIC = Metric(
    name="trait_profile",
    title="Weighted composite of trait scores",
    design="ratings",
    function=trait_profile,
    sentence=sentence,
    plot=plot,
    definition=Definition(samples=sample_profile, family=tests_together),
    estimand="Mean over scenarios (or models) of the sum of weight x (score - centre), averaged over judges.",
    assumptions=(
        "the units of analysis (or the named clusters of them) are independent",
        "weights are given, not estimated; scores are on an interval scale",
        "judges='fixed': results do not generalise to other judges",
    ),
    references=(
        "student1908",
        "holm1979",
        "steigerfouladi1997",
        "bonett2006",
        "efrontibshirani1993",
    ),
    values="traits",
    options={"weights": {"caring": 2.0, "open": 3.0, "strict": -4.0, "wary": -1.0}},
)


def judge_zeros(
    controls: Ratings,
    *,
    weights: Mapping[str, float] | None = None,
    centre: float = 10.0,
    free_weights: bool = False,
    score_range: tuple[float, float] | None = None,
    texts: Sequence[str] | None = None,
    text: str = "scenario",
    trait: str = "trait",
) -> JudgeZeros:
    """Return each judge's mean composite of control texts with its error, for ``zero=`` of `trait_profile`.

    Parameters
    ----------
    controls : Ratings
        Scores of control texts: one stratum is the text, one the trait.
    weights, centre, free_weights, score_range
        As in `trait_profile`.
    texts : sequence of str, optional
        The neutral ones; by default all. The others only say how noisy the judges are.
    text, trait : str
        Names of these strata.

    Returns
    -------
    JudgeZeros
        A mapping of judge -> mean composite over the neutral texts. ``error()`` gives the standard error of the
        judges' mean with its degrees of freedom: by how neutral texts differ, or, with one, by the judges' noise.

    Raises
    ------
    InputError
        As `trait_profile`; every judge must have scored every text on every trait.

    Notes
    -----
    See `JudgeZeros.error`. With one neutral text nothing says how far another one would lie from it.

    References
    ----------
    Krippendorff, K. (2019). Content analysis: An introduction to its methodology (4th ed.). Sage.

    Examples
    --------
    >>> from socialstats import trait_ratings
    >>> texts = {"text": ["neutral"] * 2, "judge": ["j1", "j2"], "open": [11, 13], "closed": [10, 9]}
    >>> design = trait_ratings(texts, traits=["open", "closed"], model=None, scenario="text")
    >>> dict(judge_zeros(design, weights={"open": 5, "closed": -5}))
    {'j1': 5.0, 'j2': 20.0}
    """
    refuse_weights(controls, "judge_zeros()")
    ends = None if score_range is None else checked_range(score_range)
    trait_weights = checked_weights(weights, free=free_weights or ends is not None)
    centre_score = checked_number(centre, "centre")
    names = {"model": None, "scenario": text, "stage": None, "wording": None, "trait": trait}
    answers = collect_answers(controls, names, tuple(trait_weights), ("all",))
    scale = {"score_range": ends, "free_weights": free_weights, "centre": centre_score}
    # free weights without a range leave the scale open
    if (bounds := score_scale(scale)) is not None:
        check_range(answers, bounds, controls.source)
    scored_texts = [answers.scenarios[code] for code in answers.codes[:, 1].tolist()]
    neutral = scored_texts
    if texts is not None:
        neutral = [texts] if isinstance(texts, str) else list(texts)
    unknown = [name for name in neutral if name not in scored_texts]
    if unknown or not neutral:
        raise InputError(
            f"texts: {quoted(unknown) or 'none named'}; there are {quoted(scored_texts, 10)}"
        )
    return JudgeZeros(
        texts=tuple(scored_texts),
        judges=answers.judges,
        traits=answers.traits,
        scores=answers.scores,
        weights=trait_weights,
        centre=centre_score,
        neutral=tuple(name for name in scored_texts if name in neutral),
        source=controls.source,
    )

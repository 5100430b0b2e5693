"""Weighted composite of trait scores, by model and stage."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.calls import TableLike, reads
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, caution
from socialstats.inference.compare import HOLM, with_holm
from socialstats.inference.dependence import cluster_facts, cluster_text
from socialstats.inference.intervals import checked_level
from socialstats.models.effect_sizes import checked_choice, checked_number
from socialstats.models.traits import (
    MISSING_TRAIT,
    Answers,
    JudgeZeros,
    MissingTrait,
    Names,
    answers_of,
    check_range,
    checked_weights,
    chosen_stages,
    composites,
    declared_wording,
    factor_of,
    trait_table,
    variants,
)
from socialstats.models.unit_means import (
    CIS,
    JUDGES,
    CiName,
    Inference,
    Sample,
    UnitClusters,
    across,
    d_z_row,
    mean_row,
    of_one,
    size_cautions,
    unit_clusters,
)
from socialstats.registry import Metric
from socialstats.results import Result, ResultGroup, Row, by_levels
from socialstats.text import count, interval, listing, number, p_value, quoted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["EQUAL", "HIGHEST", "LOWEST", "MINUS", "OTHER", "judge_ranges", "weight_rows"]


UNITS = ("scenario", "model")
ACTIVATED = ("mean", "each")
ENTROPIES = ("nats", "bits")
BASELINE = "baseline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the caller chose."""

    weights: Mapping[str, float]
    centre: float
    free_weights: bool
    stages: tuple[str, ...] | None
    baseline: str | None
    unit_of_analysis: str
    judges: str
    zero: float | Mapping[str, float] | None
    activation: float | None
    activated: str
    entropy: str | None
    missing_trait: str
    names: Names
    cluster: str | Sequence[str] | None
    ci: str
    level: float
    resamples: int
    seed: int


def checked_options(
    *, weights: Mapping[str, float] | None, centre: float, free_weights: bool, zero: Any, activation: float | None,
    stages: Sequence[str] | None, level: float, **others: Any,
) -> Options:  # fmt: skip
    """Check the options of `trait_profile`.

    Raises
    ------
    InputError
        Naming the value and what is allowed.
    """
    checked_level(level)
    allowed = {
        "unit_of_analysis": UNITS,
        "judges": JUDGES,
        "activated": ACTIVATED,
        "missing_trait": MISSING_TRAIT,
        "ci": CIS,
    }
    for name, choices in allowed.items():
        checked_choice(others[name], choices, name)
    if others["entropy"] is not None:
        checked_choice(others["entropy"], ENTROPIES, "entropy")
    middle = checked_number(centre, "centre")
    if not free_weights and middle <= 0:
        raise InputError(f"centre={centre!r}: scores run from 0 to twice the centre, so it must be above 0")
    used = checked_weights(weights, free=free_weights)
    return Options(
        weights=used, centre=middle, free_weights=free_weights, zero=checked_zero(zero, used, middle),
        activation=None if activation is None else checked_number(activation, "activation"),
        stages=None if stages is None else (stages,) if isinstance(stages, str) else tuple(stages), level=level,
        **others,
    )  # fmt: skip


def checked_zero(zero: Any, weights: Mapping[str, float], centre: float) -> float | Mapping[str, float] | None:
    """Return the judges' zero: one number, one a judge, or that of control texts under the weights of the composite.

    Raises
    ------
    InputError
    """
    if zero is None:
        return None
    if isinstance(zero, JudgeZeros):
        return replace(zero.under(weights), centre=centre)
    if not isinstance(zero, Mapping):
        return checked_number(zero, "zero")
    return {
        str(judge): checked_number(value, f"zero of judge '{shorten(str(judge))}'") for judge, value in zero.items()
    }


def zeros_of(zero: float | Mapping[str, float], judges: Sequence[str]) -> list[float]:
    """Return the zero of each judge.

    Raises
    ------
    InputError
        If a judge has none, or a name is no judge.
    """
    if not isinstance(zero, Mapping):
        return [zero] * len(judges)
    absent, extra = [j for j in judges if j not in zero], [j for j in zero if j not in judges]
    if absent or extra:
        said = f"no zero of judge {quoted(absent)}" if absent else f"{quoted(extra)} is no judge"
        raise InputError(f"zero: {said}. Judges: {quoted(judges, 10)}")
    return [zero[judge] for judge in judges]


def chosen_baseline(baseline: str | None, stages: Sequence[str]) -> str:
    """Return the stage that others are compared with: the one named, else ``baseline`` if there is one, else the first.

    Raises
    ------
    InputError
        If the stage is not there.
    """
    if baseline is None:
        return BASELINE if BASELINE in stages else stages[0]
    if baseline not in stages:
        raise InputError(f"baseline='{shorten(baseline)}' is no stage; stages: {quoted(stages, 20)}")
    return baseline


def spread_of_weights(options: Options) -> float:
    """Largest size that a composite can have (free weights: for scores up to twice the centre, at least 1)."""
    size = float(np.abs(list(options.weights.values())).sum())
    return max(1.0, size * abs(options.centre)) if math.isfinite(size) else 1.0


ALL = "of all models"
TOLERANCE = 1e-9
MOST_MODELS = 15  # models up to which any two are compared


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Profile:
    """Answers with what is computed from them.

    Attributes
    ----------
    answers : Answers
    how : Inference
    options : Options
    baseline : str
    composite : (models, scenarios, stages, judges) float64 array
        NaN where there is no answer.
    """

    answers: Answers
    how: Inference
    options: Options
    baseline: str
    composite: FloatArray

    @property
    def by_model(self) -> bool:
        """True where each model has rows of its own: scenarios are the units of analysis."""
        return self.how.unit == "scenario"

    @property
    def several(self) -> bool:
        """True where all models have rows together."""
        return not self.by_model or len(self.answers.models) > 1

    def rows(self) -> list[Row]:
        """Return every row that has an interval."""
        out = measure_rows(self, "composite", self.composite, test=True)
        if self.options.activation is not None:
            counts = self.answers.cells(activations(self.answers, self.options))
            out += measure_rows(self, "activation", counts, test=False)
        if self.options.entropy is not None:
            out += entropy_rows(self, self.answers.cells(entropies(self.answers, self.options.entropy)))
        return [*out, *trait_rows(self), *model_rows(self), *judge_rows(self)]


def activations(answers: Answers, options: Options) -> FloatArray:
    """Count traits whose score reaches the threshold: (answers, judges), the same for all judges with ``"mean"``."""
    return np.asarray(active_traits(answers, options).sum(axis=2))


def active_traits(answers: Answers, options: Options) -> FloatArray:
    """Tell which traits reach the threshold, 0 or 1: (answers, judges, traits)."""
    scores = answers.scores
    if options.activated == "mean":
        scores = np.broadcast_to(scores.mean(axis=1, keepdims=True), scores.shape)
    return np.asarray(scores >= (options.activation or 0.0) - TOLERANCE, dtype=np.float64)


def entropies(answers: Answers, unit: str) -> FloatArray:
    """Entropy of the shares s_t / sum of s of the judges' mean scores: (answers, judges), the same for all judges.

    Raises
    ------
    InputError
        For a mean score below 0, or scores that are all 0: they have no shares.
    """
    scores = answers.scores.mean(axis=1)
    total = scores.sum(axis=1)
    if np.any(scores < 0) or np.any(total <= 0):
        raise InputError("entropy: shares of the trait scores need scores of at least 0, not all 0. Leave entropy= out")
    share = scores / total[:, None]
    nats = -np.where(share > 0, share * np.log(np.where(share > 0, share, 1.0)), 0.0).sum(axis=1)
    return np.repeat(nats[:, None] / (np.log(2.0) if unit == "bits" else 1.0), answers.scores.shape[1], axis=1)


def entropy_rows(profile: Profile, cells: FloatArray) -> list[Row]:
    """Rows of the entropy of all models together (of the only one): over all stages, by stage, changes, d_z."""
    rows = measure_rows(profile, "entropy", cells, test=False)
    return [row for row in rows if not profile.several or ALL in (row.group or "")]


def whole_course(cells: FloatArray) -> FloatArray:
    """Average (models, scenarios, stages, judges) over the stages that a model has; NaN where one is lacking."""
    out = np.full((*cells.shape[:2], cells.shape[3]), np.nan)
    for m in range(len(cells)):
        has = np.isfinite(cells[m, :, :, 0]).any(axis=0)
        if has.any():
            out[m] = cells[m][:, has].mean(axis=1)
    return out


def measure_rows(profile: Profile, name: str, cells: FloatArray, *, test: bool) -> list[Row]:
    """Rows of one measure: over all stages, by stage, minus the judges' zero (composite), changes with d_z."""
    stages = profile.answers.stages
    out = family(profile, name, whole_course(cells), test=test)
    if len(stages) > 1:
        out += family(profile, name, [(s, cells[:, :, t]) for t, s in enumerate(stages)], test=test)
    if profile.options.zero is not None and name == "composite":
        shifted = cells - np.array(zeros_of(profile.options.zero, profile.answers.judges))
        against = replace(profile, how=taking_off(profile.how, profile.options.zero))
        out += family(against, f"{name} minus zero", whole_course(shifted))
        if len(stages) > 1:
            out += family(against, f"{name} minus zero", [(s, shifted[:, :, t]) for t, s in enumerate(stages)])
    return [*out, *change_rows(profile, name, cells)]


def taking_off(how: Inference, zero: float | Mapping[str, float] | None) -> Inference:
    """Return the inference of values minus the zero: with its error, where control texts tell it.

    The error of judging is already in the differences of drawn judges.
    """
    error = zero.error() if isinstance(zero, JudgeZeros) else None
    if error is None or (how.judges == "random" and error.basis == "judging"):
        return how
    return replace(how, taken_off=(error.std_error**2, error.df))


def change_rows(profile: Profile, name: str, cells: FloatArray) -> list[Row]:
    """Rows of each stage minus the baseline, Holm over models and stages, and their d_z."""
    stages = profile.answers.stages
    if len(stages) < 2:
        return []
    start = cells[:, :, stages.index(profile.baseline)]
    changes = [(f"{s} minus {profile.baseline}", cells[:, :, t] - start)
               for t, s in enumerate(stages) if s != profile.baseline]  # fmt: skip
    tests = family(profile, f"{name} change", changes)
    own = len(changes) * len(profile.answers.models) * profile.by_model
    sizes = family(profile, f"{name} d_z", changes, make=d_z_row)
    return [*with_holm(tests[:own], HOLM), *with_holm(tests[own:], HOLM), *sizes]


def family(
    profile: Profile, name: str, cells: FloatArray | Sequence[tuple[str, FloatArray]], *, test: bool = True,
    make: Callable[[str, str, Sample], Row] | None = None,
) -> list[Row]:  # fmt: skip
    """Rows of each model (term the model, group ``name: part``), then of all models (term the part).

    Parameters
    ----------
    profile : Profile
    name : str
    cells : (models, scenarios, judges) array, or sequence of (part, array)
    test : bool
    make : callable, optional
        Makes a row; `mean_row` by default.
    """
    row = make or (lambda term, group, sample: mean_row(term, group, sample, test=test))
    parts = [(None, cells)] if isinstance(cells, np.ndarray) else list(cells)
    out = []
    for part, one in parts:
        if profile.by_model:
            group = name if part is None else f"{name}: {part}"
            out += [row(m, group, of_one(one[k], profile.how)) for k, m in enumerate(profile.answers.models)]
    for part, one in parts:
        if profile.several:
            term, group = (name, f"{name} {ALL}") if part is None else (part, f"{name} by stage {ALL}")
            out.append(row(term, group, across(one, profile.how)))
    return out


def trait_rows(profile: Profile) -> list[Row]:
    """Rows of the mean score of each trait over all stages, and of the share of answers in which it is active."""
    out = []
    if profile.options.activation is not None:
        active = active_traits(profile.answers, profile.options)
        for t, trait in enumerate(profile.answers.traits):
            cells = whole_course(profile.answers.cells(active[:, :, t]))
            end = f" {ALL}" if profile.several else ""
            out.append(mean_row(trait, f"active{end}", across(cells, profile.how), test=False))
    for t, trait in enumerate(profile.answers.traits):
        cells = whole_course(profile.answers.cells(profile.answers.scores[:, :, t]))
        if profile.by_model:
            out += [mean_row(trait, f"score: {m}", of_one(cells[k], profile.how), test=False)
                    for k, m in enumerate(profile.answers.models)]  # fmt: skip
        if profile.several:
            out.append(mean_row(trait, f"score {ALL}", across(cells, profile.how), test=False))
    return out


def model_rows(profile: Profile) -> list[Row]:
    """Rows of the difference of the composites of any two models, paired within scenarios, Holm over all pairs.

    What the judges give to all models alike, their zero included, is not in them.
    """
    models = profile.answers.models
    if not (profile.by_model and 1 < len(models) <= MOST_MODELS):
        return []
    course = whole_course(profile.composite)
    return with_holm([
        mean_row(f"{one} minus {models[k]}", "composite difference", of_one(course[j] - course[k], profile.how))
        for j, one in enumerate(models) for k in range(j + 1, len(models))
    ], HOLM)  # fmt: skip


def judge_rows(profile: Profile) -> list[Row]:
    """Rows of each judge's composite minus the judges' mean, and of the composite without each judge."""
    judges = profile.answers.judges
    if len(judges) < 2:
        return []
    values = composites(profile.answers.scores, profile.options.weights, profile.options.centre)
    off = profile.answers.cells(values - values.mean(axis=1, keepdims=True))
    fixed = replace(profile.how, judges="fixed")
    per_unit = [across(whole_course(off)[:, :, [j]], fixed) for j in range(len(judges))]
    out = [mean_row(judge, "judge offset", sample) for judge, sample in zip(judges, per_unit, strict=True)]
    course, zero = whole_course(profile.composite), profile.options.zero
    for j, judge in enumerate(judges):
        others = np.delete(course, j, axis=2)
        out += family(profile, f"without judge '{judge}'", others)
        if zero is not None:
            off = np.delete(np.array(zeros_of(zero, judges)), j)
            error = zero.without(judge) if isinstance(zero, JudgeZeros) else None
            against = replace(profile, how=taking_off(profile.how, error))
            out += family(against, f"without judge '{judge}' minus zero", others - off)
    return out


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


def sentence(result: Result) -> str:
    """Say the highest and lowest composite, and the largest change from the baseline."""
    counts = result.counts
    place = [count(counts[what], what[:-1]) for what in ("scenarios", "stages", "judges")]
    unit = result.settings["unit_of_analysis"]
    start = f"Over {listing(place)}, "
    ends = [number(x, 0 if x == round(x) else 2) for x in result.extras["range"]]
    scale = "the composite" if result.settings["free_weights"] else f"the composite ({ends[0]} to {ends[1]})"
    return f"{start}{levels_text(result, scale, unit)}{change_text(result)}."


def levels_text(result: Result, scale: str, unit: str) -> str:
    """Name the composite: of all models where they are the units of analysis, else the highest and the lowest."""
    if unit == "model":
        row = result.row("composite", group=f"composite {ALL}")
        return f"{scale} of {count(result.counts['models'], 'model')} (the units of analysis) {numbers(row)}"
    known = [r for r in result.rows if r.group == "composite"]
    there = sorted((r for r in known if r.estimate is not None), key=lambda r: -(r.estimate or 0.0))
    if not there:
        return f"{scale} is undefined ({known[0].undefined})"
    if len(known) == 1:
        return f"{scale} of '{shorten(known[0].term)}' {numbers(known[0])}"
    high, low = there[0], there[-1]
    if number(high.estimate or 0.0) == number(low.estimate or 0.0):
        return f"{scale} of all {count(len(known), 'model')} {numbers(high)}"
    return (
        f"{scale} of {count(len(known), 'model')} was highest for '{shorten(high.term)}' ({numbers(high, '')}) and "
        f"lowest for '{shorten(low.term)}' ({numbers(low, '')})"
    )


def change_text(result: Result) -> str:
    """Say the largest change of all models (of the only model) from the baseline."""
    joint = [r for r in result.rows if r.group == f"composite change by stage {ALL}" and r.estimate is not None]
    own = [r for r in result.rows if (r.group or "").startswith("composite change: ") and r.estimate is not None]
    if not joint and result.counts["models"] > 1:
        return ""
    found = joint or own
    if not found:
        return ""
    row = max(found, key=lambda r: abs(r.estimate or 0.0))
    what = row.term if joint else (row.group or "").removeprefix("composite change: ")
    size = next((r for r in result.rows if r.estimate is not None and r.term == row.term and r.group == (
        f"composite d_z by stage {ALL}" if joint else f"composite d_z: {what}")), None)  # fmt: skip
    models = "of all models " if joint and result.counts["models"] > 1 else ""
    text = f"; the largest change {models}was {shorten(what)}: {numbers(row, '', adjusted=True)}"
    return text + (f", d_z = {number(size.estimate)}" if size is not None else "")


def numbers(row: Row, verb: str = "was ", *, adjusted: bool = False) -> str:
    """Estimate, interval and test of a row, or why there is none."""
    if row.estimate is None:
        return f"is undefined ({row.undefined})"
    text = f"{verb}{number(row.estimate)}"
    if row.conf_low is not None:
        text += f", {interval(row.conf_low, row.conf_high, 2, level=row.conf_level or 0.95)}"
    if row.statistic is not None and row.df is not None:
        p = row.p_adjusted if adjusted else row.p_value
        name = "Holm-adjusted p" if adjusted else "p"
        text += f", t({number(row.df, 0 if row.df == round(row.df) else 2)}) = {number(row.statistic)}, "
        text += p_value(p, name=name)
    return text + (f" ({row.undefined})" if row.undefined else "")


def plot(result: Result, ax: Axes | None = None, *, group: str | None = None, **options: Any) -> Axes:
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
    stages: Sequence[str] | None = None,
    baseline: str | None = None,
    unit_of_analysis: Literal["scenario", "model"] = "scenario",
    judges: Literal["fixed", "random"] = "fixed",
    zero: float | Mapping[str, float] | None = None,
    activation: float | None = 14.0,
    activated: Literal["mean", "each"] = "mean",
    entropy: Literal["nats", "bits"] | None = None,
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

    An answer's composite, as one judge sees it, is the sum over traits of weight x (score - centre); weights add up to
    0 and their absolute values to ten, so that it lies between -100 and 100 for scores from 0 to 20. It is averaged
    over wordings and judges first, over stages and models where a row says so, and last over the units of analysis,
    whose variation is the error.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        Units are traits of answers, with strata for model, scenario, stage, trait (and wording), as `trait_ratings`
        makes them; or a table with one column a trait (by default those of the weights). With a ``by`` factor: one
        result a level.
    weights : mapping of str to float, optional
        Weight of each trait; by default the ten traits of staged role play (`socialstats.models.traits`).
    centre : float
        Neutral score, the middle of a scale from 0.
    free_weights : bool
        Allow weights of any sum and scores of any range.
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
        The judges' own zero: rows of the composite minus it. That of `judge_zeros` follows the weights, and its error
        is in these rows: variances add, with Cochran's degrees of freedom. Numbers are taken as known.
    activation : float or None
        Score from which a trait is active; None: no activation rows.
    activated : {"mean", "each"}
        Count traits by the judges' mean score, or for each judge and average the counts.
    entropy : {"nats", "bits"} or None
        Rows of the entropy of the traits' shares in an answer's scores (the judges' means): -sum p ln p with p = score
        / sum of scores; largest, ln of the number of traits, where all scores are alike. None: no such rows.
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
        Term the model, group: ``composite`` (over all stages; t against 0), ``composite: STAGE``,
        ``composite minus zero`` (also by stage), ``composite change: STAGE minus BASELINE`` (paired t, Holm over models
        and stages), ``composite d_z: ...`` (noncentral t), the same of ``activation`` (levels without a test) and of
        ``entropy`` (of all models together), ``without judge 'JUDGE'`` (also minus zero), ``equal weights``,
        ``lowest of other weights``, ``highest of other weights`` (their method names the set; with ``... minus zero``
        under the zero of `judge_zeros`, and ``... minus these``: paired difference to the composite). ``other weights
        of all models`` and ``other weights minus these of all models`` (paired t, Holm over the sets): term the set of
        weights. Groups ending in ``of all models``: the mean over models, term the stage or change. ``score: MODEL``:
        mean of each trait; ``active of all models``: share of answers in which a trait is active; ``composite
        difference``: any two of up to 15 models, paired, Holm over the pairs; ``judge offset``: a judge's composite
        minus the judges' mean. `extras`: ``weight_sensitivity`` (set of weights -> model -> composite),
        ``leave_one_judge_out`` (model -> lowest, highest), ``range``, ``weights``.

    Raises
    ------
    InputError
        For an unknown option, weights that are not balanced, scores out of range, traits without a weight, scores that
        are missing, or clusters that cut across units of analysis.
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

    Examples
    --------
    >>> table = {"model": ["m"] * 6, "scenario": ["a", "a", "b", "b", "c", "c"], "stage": ["start", "end"] * 3,
    ...          "judge": ["j"] * 6, "openness": [12, 15, 11, 12, 13, 17], "tradition": [9, 8, 10, 8, 10, 9]}
    >>> result = trait_profile(table, baseline="start", weights={"openness": 5, "tradition": -5})
    >>> row = result.row("m", group="composite change: end minus start")
    >>> round(row.estimate, 2), row.df, round(row.p_value, 3)
    (20.0, 2.0, 0.02)
    """
    options = checked_options(
        weights=weights, centre=centre, free_weights=free_weights, stages=stages, baseline=baseline,
        unit_of_analysis=unit_of_analysis, judges=judges, zero=zero, activation=activation, activated=activated,
        entropy=entropy, missing_trait=missing_trait, cluster=cluster, ci=ci, level=level, resamples=resamples,
        seed=seed,
        names=Names(model=model, scenario=scenario, stage=stage, wording=wording, trait=trait),
    )  # fmt: skip
    return by_levels(ratings, "declared", lambda one: estimate(one, options), Ratings)


def estimate(design: Ratings, options: Options) -> Result:
    """Compute the profile of one design."""
    names = options.names
    names = Names(
        model=names.model, scenario=names.scenario, stage=names.stage, trait=names.trait,
        wording=declared_wording(design, names.wording),
    )  # fmt: skip
    part, stages = chosen_stages(design, names, options.stages)
    answers = answers_of(part, names, tuple(options.weights), stages, missing=options.missing_trait)
    if not options.free_weights:
        check_range(answers, options.centre)
    unit = factor_of(part, options.unit_of_analysis, getattr(names, options.unit_of_analysis))
    clusters = unit_clusters(part, unit, options.cluster, judges=options.judges, ci=options.ci)
    profile = profile_of(answers, clusters, options)
    rows = profile.rows()
    other, values = weight_rows(profile)
    return Result(
        metric="trait_profile",
        title="Weighted composite of trait scores",
        inference=inference_text(profile, clusters),
        rows=(*rows, *other),
        counts=counts_of(answers, clusters),
        fit={"nobs": len(answers.codes) * len(answers.judges), "method": "t" if options.ci == "closed" else options.ci,
             "seed": options.seed, "resamples": None if options.ci == "closed" else options.resamples,
             **cluster_facts(rows)},
        settings=settings_of(options, profile),
        cautions=(*clusters.cautions, *own_cautions(profile)),
        references=references(options),
        design=design,
        extras={
            "weight_sensitivity": values, "leave_one_judge_out": judge_ranges(rows, answers.judges),
            "weights": dict(options.weights), "range": (-spread_of_weights(options), spread_of_weights(options)),
        },
    )  # fmt: skip


def profile_of(answers: Answers, clusters: UnitClusters, options: Options) -> Profile:
    """Put answers, inference and composites together."""
    how = Inference(
        unit=options.unit_of_analysis, judges=options.judges, ci=options.ci, level=options.level,
        resamples=options.resamples, seed=options.seed, clusters=clusters.codes,
        magnitude=max(spread_of_weights(options), float(np.abs(answers.scores).max())),
    )  # fmt: skip
    values = composites(answers.scores, options.weights, options.centre)
    return Profile(
        answers=answers, how=how, options=options, baseline=chosen_baseline(options.baseline, answers.stages),
        composite=answers.cells(values),
    )  # fmt: skip


def counts_of(answers: Answers, clusters: UnitClusters) -> dict[str, int]:
    """Count what there is at every level."""
    seen = [len(np.unique(answers.codes[:, k])) for k in range(4)]
    out = {"answers": len(answers.codes), "models": seen[0], "scenarios": seen[1], "stages": seen[2]}
    if len(answers.wordings) > 1:
        out["wordings"] = seen[3]
    named = {f"clusters ({f.name})": len(np.unique(f.codes)) for f in clusters.factors}
    return {**out, "judges": len(answers.judges), "traits": len(answers.traits), **named}


def inference_text(profile: Profile, clusters: UnitClusters) -> str:
    """Name units of analysis, judges and clusters."""
    how = profile.how
    units = count(len(profile.answers.scenarios if how.unit == "scenario" else profile.answers.models), how.unit)
    judges = "drawn" if how.judges == "random" else "fixed"
    interval = "t intervals" if how.ci == "closed" else f"bootstrap intervals ({how.ci})"
    apart = cluster_text(clusters.factors, "units") if clusters.factors else f"{how.unit}s independent of each other"
    return f"{interval}; units of analysis: {units}; judges {judges}; {apart}"


def settings_of(options: Options, profile: Profile) -> dict[str, Any]:
    """Echo the options."""
    names = {name: getattr(options.names, name) for name in Names.__dataclass_fields__}
    plain = {name: getattr(options, name) for name in Options.__dataclass_fields__ if name != "names"}
    return {**plain, **names, **zero_of(options.zero), "baseline": profile.baseline}


def zero_of(zero: float | Mapping[str, float] | None) -> dict[str, Any]:
    """Echo the zero, its error, and the control texts that it comes from."""
    if not isinstance(zero, JudgeZeros):
        return {"zero": dict(zero) if isinstance(zero, Mapping) else zero, "zero_error": None, "zero_texts": None}
    error, scores = zero.error(), zero.scores.tolist()
    texts = {text: {judge: dict(zip(zero.traits, given, strict=True))
                    for judge, given in zip(zero.judges, rows, strict=True)}
             for text, rows in zip(zero.texts, scores, strict=True)}  # fmt: skip
    known = None if error is None else {"std_error": error.std_error, "df": error.df, "basis": error.basis}
    return {"zero": dict(zero), "zero_error": known, "zero_texts": texts, "zero_neutral": list(zero.neutral)}


def own_cautions(profile: Profile) -> tuple[Caution, ...]:
    """Cautions SS301 (answers left out, scenarios that not every model has), SS312 and SS202."""
    found: list[Caution] = []
    answers = profile.answers
    if answers.left_out:
        said = (
            f"{count(answers.left_out, 'answer')} without all scores, of {count(answers.left_out + len(answers.codes))}"
        )
        found.append(caution("SS301", said, affects="every row that needs them", fix="collect the scores again"))
    empty = int(np.isnan(profile.composite[..., 0]).sum())
    if empty:
        said = f"{count(empty, 'cell')} of model, scenario and stage without an answer"
        affects = "rows over stages, changes and rows of all models, which rest on what is complete"
        found.append(caution("SS301", said, affects=affects, fix="n says how many units a row rests on"))
    units = len(answers.scenarios if profile.how.unit == "scenario" else answers.models)
    return (*found, *size_cautions(units, profile.how, len(answers.judges)))


def references(options: Options) -> tuple[str, ...]:
    """Keys of the methods used."""
    told = ("cochran1964",) if isinstance(options.zero, JudgeZeros) and options.judges != "random" else ()
    more = ("cochran1964", "cornfieldtukey1956", "cameron2011") if options.judges == "random" else ()
    drawn = ("davisonhinkley1997",) if options.ci != "closed" else ()
    return (*METRIC.references, *told, *more, *drawn)


METRIC = Metric(
    name="trait_profile",
    title="Weighted composite of trait scores",
    design="ratings",
    function=trait_profile,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.trait_profile:verify",
    estimand="Mean over scenarios (or models) of the sum of weight x (score - centre), averaged over judges.",
    assumptions=(
        "the units of analysis (or the named clusters of them) are independent",
        "weights are given, not estimated; scores are on an interval scale",
        "judges='fixed': nothing is said about other judges",
    ),
    references=("student1908", "holm1979", "steigerfouladi1997"),
    values="traits",
    options={"weights": {"caring": 2.0, "open": 3.0, "strict": -4.0, "wary": -1.0}},
)


def judge_zeros(
    controls: Ratings,
    *,
    weights: Mapping[str, float] | None = None,
    centre: float = 10.0,
    free_weights: bool = False,
    texts: Sequence[str] | None = None,
    text: str = "scenario",
    trait: str = "trait",
) -> JudgeZeros:
    """Return each judge's mean composite of control texts with its error, for ``zero=`` of `trait_profile`.

    Parameters
    ----------
    controls : Ratings
        Scores of control texts: one stratum is the text, one the trait.
    weights, centre, free_weights
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
    used, middle = checked_weights(weights, free=free_weights), checked_number(centre, "centre")
    answers = control_answers(controls, used, middle, free=free_weights, text=text, trait=trait)
    seen = [answers.scenarios[code] for code in answers.codes[:, 1].tolist()]
    return JudgeZeros(
        texts=tuple(seen), judges=answers.judges, traits=answers.traits, neutral=chosen_texts(seen, texts),
        scores=answers.scores, weights=used, centre=middle,
    )  # fmt: skip


def control_composites(
    controls: Ratings,
    *,
    weights: Mapping[str, float] | None = None,
    centre: float = 10.0,
    free_weights: bool = False,
    text: str = "scenario",
    trait: str = "trait",
) -> dict[str, dict[str, float]]:
    """Return the composite that each judge gives to each control text.

    Parameters
    ----------
    controls : Ratings
    weights, centre, free_weights, text, trait
        As in `judge_zeros`.

    Returns
    -------
    dict of str to dict of str to float
        Text -> judge -> composite, texts and judges in the order of the design.

    Raises
    ------
    InputError
        As `judge_zeros`.

    References
    ----------
    Krippendorff, K. (2019). Content analysis: An introduction to its methodology (4th ed.). Sage.

    Examples
    --------
    >>> from socialstats import trait_ratings
    >>> texts = {"text": ["left", "neutral"], "judge": ["j1", "j1"], "open": [18, 13], "closed": [4, 9]}
    >>> design = trait_ratings(texts, traits=["open", "closed"], model=None, scenario="text")
    >>> control_composites(design, weights={"open": 5, "closed": -5})
    {'left': {'j1': 70.0}, 'neutral': {'j1': 20.0}}
    """
    found = judge_zeros(
        controls, weights=weights, centre=centre, free_weights=free_weights, text=text, trait=trait
    )  # fmt: skip
    values = found.composites().tolist()
    return {name: dict(zip(found.judges, row, strict=True)) for name, row in zip(found.texts, values, strict=True)}


def control_answers(
    controls: Ratings, weights: Mapping[str, float], centre: float, *, free: bool, text: str, trait: str
) -> Answers:
    """Collect the scores of control texts; each text is a scenario.

    Raises
    ------
    InputError
        For scores that are missing, or out of range unless `free`.
    """
    names = Names(model=None, scenario=text, stage=None, wording=None, trait=trait)
    answers = answers_of(controls, names, tuple(weights), ("all",))
    if not free:
        check_range(answers, centre)
    return answers


def chosen_texts(known: Sequence[str], texts: Sequence[str] | None) -> tuple[str, ...]:
    """Return the texts that are neutral; all by default.

    Raises
    ------
    InputError
        For a text that is not there.
    """
    if texts is None:
        return tuple(known)
    wanted = (texts,) if isinstance(texts, str) else tuple(texts)
    unknown = [t for t in wanted if t not in known]
    if unknown or not wanted:
        raise InputError(f"texts: {quoted(unknown) or 'none named'}; there are {quoted(known, 10)}")
    return tuple(t for t in known if t in wanted)

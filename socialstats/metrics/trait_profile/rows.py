"""Rows of a trait profile: composites, changes, activation, traits, judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.errors import InputError
from socialstats.inference.compare import HOLM, with_holm
from socialstats.metrics.trait_profile.options import Options, zeros_of
from socialstats.models.judge_zeros import JudgeZeros
from socialstats.models.trait_answers import Answers, composites
from socialstats.models.unit_means import Inference, Sample, across, d_z_row, mean_row, of_one
from socialstats.results import Row

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

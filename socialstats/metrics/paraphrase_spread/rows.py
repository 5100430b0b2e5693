"""Spreads over wordings, and the rows made of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.errors import InputError, NothingToAnalyse, UndefinedStatistic
from socialstats.metrics.paraphrase_spread.options import Options
from socialstats.models.pair_values import ROUNDING_ERRORS, merged
from socialstats.models.signed_rank import signed_rank
from socialstats.models.trait_answers import Answers
from socialstats.models.unit_means import NO_UNIT, Inference, Sample, across, d_z_row, mean_row, of_one
from socialstats.results import Row
from socialstats.tables import EPSILON
from socialstats.text import quoted, shorten

DEPENDENT = "units are clustered: Wilcoxon's test takes them as independent"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spreads:
    """Standard deviations over wordings.

    Attributes
    ----------
    answers : Answers
    cells : (models, scenarios, stages, 1) float64 array
        NaN where a question lacks a wording.
    wordings : mapping of stage to int
        Stages with two wordings or more.
    lacking : int
        Questions of these stages that lack a wording.
    magnitude : float
        Largest size of a value.
    """

    answers: Answers
    cells: FloatArray
    wordings: Mapping[str, int]
    lacking: int
    magnitude: float

    @property
    def n(self) -> int:
        """Questions (model, scenario, stage) with a spread."""
        return int(np.isfinite(self.cells).sum())

    @property
    def ends(self) -> tuple[str, str] | None:
        """First and last stage with wordings."""
        stages = tuple(self.wordings)
        return (stages[0], stages[-1]) if len(stages) > 1 else None

    def stage(self, name: str) -> FloatArray:
        """(models, scenarios, 1) float64 array of a stage's spreads."""
        return np.asarray(self.cells[:, :, self.answers.stages.index(name)])

    def pooled(self) -> dict[str, float]:
        """Root of the mean variance, by stage."""
        return {s: math.sqrt(float(np.nanmean(self.stage(s) ** 2))) for s in self.wordings}


def spreads_of(answers: Answers, values: FloatArray) -> Spreads:
    """Take standard deviations (n - 1) over wordings of the same model, scenario and stage.

    Parameters
    ----------
    answers : Answers
    values : (answers,) float64 array

    Raises
    ------
    NothingToAnalyse
        If no question has two wordings.
    """
    shape = (len(answers.models), len(answers.scenarios), len(answers.stages))
    flat = np.ravel_multi_index(tuple(answers.codes[:, :3].T), shape)
    size = int(np.prod(shape))
    n = np.bincount(flat, minlength=size)
    mean = np.bincount(flat, values, size) / np.maximum(n, 1)
    squares = np.bincount(flat, (values - mean[flat]) ** 2, size)
    asked = n.reshape(shape)
    times = {s: len(np.unique(answers.codes[answers.codes[:, 2] == t, 3])) for t, s in enumerate(answers.stages)}
    full = (asked == np.array(list(times.values()))) & (asked > 1)
    wordings = {s: k for t, (s, k) in enumerate(times.items()) if full[:, :, t].any()}
    if not wordings:
        raise NothingToAnalyse("no question was asked in two wordings: there is no spread")
    deviation = np.sqrt(squares / np.maximum(n - 1, 1)).reshape(shape)
    several = np.array([k > 1 for k in times.values()])
    return Spreads(
        answers=answers, cells=np.where(full, deviation, np.nan)[..., None], wordings=wordings,
        lacking=int(((asked > 0) & ~full & several).sum()), magnitude=max(1.0, float(np.abs(values).max())),
    )  # fmt: skip


def sample_of(cells: FloatArray, how: Inference) -> Sample:
    """Return one value a unit of analysis from (models, scenarios, 1) cells."""
    if how.unit != "answer":
        return across(cells, how)
    flat = cells.reshape(-1, 1)
    keep = np.flatnonzero(np.isfinite(flat[:, 0]))
    return Sample(values=flat[keep], unit=keep, how=how)


def spread_rows(spreads: Spreads, how: Inference) -> list[Row]:
    """Rows of the mean spread by stage, then of each model where scenarios are the units of analysis."""
    out = [mean_row(s, "spread", sample_of(spreads.stage(s), how), test=False) for s in spreads.wordings]
    models = spreads.answers.models
    if how.unit == "scenario" and len(models) > 1:
        out += [mean_row(m, f"spread: {s}", of_one(spreads.stage(s)[k], how), test=False)
                for s in spreads.wordings for k, m in enumerate(models)]  # fmt: skip
    return out


def change_rows(spreads: Spreads, how: Inference, options: Options) -> tuple[list[Row], dict[str, Any]]:
    """Rows of the change between two stages: t, Wilcoxon, d_z; with all p-values of Wilcoxon's test.

    Raises
    ------
    InputError
        For a stage without wordings.
    """
    ends = options.change or spreads.ends
    if ends is None:
        return [], {}
    unknown = [s for s in ends if s not in spreads.wordings]
    if unknown:
        known = quoted(list(spreads.wordings), 20)
        raise InputError(f"change: stage '{shorten(str(unknown[0]))}' has no wordings; stages with some: {known}")
    sample = sample_of(spreads.stage(ends[0]) - spreads.stage(ends[1]), how)
    name = f"{ends[0]} minus {ends[1]}"
    ranked, variants = rank_row(sample, options)
    return [mean_row(name, "change", sample), ranked, d_z_row("d_z", "change", sample)], {"wilcoxon": variants}


def rank_row(sample: Sample, options: Options) -> tuple[Row, dict[str, float]]:
    """Row of Wilcoxon's signed-rank test (as R's ``wilcox.test``), and its p-values."""
    row = Row(term="wilcoxon", group="change", n=float(len(sample.unit)), n_units=len(sample.unit))
    if sample.how.dependent or not len(sample.unit):
        return replaced(row, DEPENDENT if len(sample.unit) else NO_UNIT.format(sample.how.unit)), {}
    values = merged(sample.means, ROUNDING_ERRORS * EPSILON * sample.how.magnitude)
    try:
        ranks = signed_rank(values, np.ones(len(values)))
    except UndefinedStatistic as error:
        return replaced(row, str(error)), {}
    found = {"p_normal_corrected": ranks.p_normal(options.alternative),
             "p_normal": ranks.p_normal(options.alternative, corrected=False)}  # fmt: skip
    exact = ranks.p_exact(options.alternative)
    if exact is not None:
        found["p_exact"] = exact
    use = "p_exact" if ranks.exact_as_r and exact is not None else "p_normal_corrected"
    how = "exact" if use == "p_exact" else "normal, continuity correction"
    said = f"Wilcoxon signed rank, {options.alternative.replace('_', '-')}, {how}"
    return Row(term="wilcoxon", group="change", statistic=ranks.v, p_value=found[use], n=row.n, n_units=row.n_units,
               method=said), found  # fmt: skip


def replaced(row: Row, why: str) -> Row:
    """Return a row that says why it has no test."""
    return Row(term=row.term, group=row.group, n=row.n, n_units=row.n_units, undefined=why)

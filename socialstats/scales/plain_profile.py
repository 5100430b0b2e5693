"""Plain definition of a trait profile: the values behind each row, from the table of scores."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.ratings import Ratings
from socialstats.results import Result, Row
from socialstats.results.definitions import PlainSample
from socialstats.scales.plain_scores import (
    StagedCells,
    clusters_of_units,
    error_of_zero,
    measured,
    models_together,
    other_weights,
    plain_d_z,
    plain_mean,
    plain_sd,
    ratio,
    sample_of_units,
    scores_of_controls,
    scores_of_traits,
    zero_under,
)

if TYPE_CHECKING:
    import pandas as pd

ROUNDING = 1e-9  # by which two sets of weights may give the same mean
ESTIMATES = {"spread": plain_sd, "effect_size": plain_d_z}  # by role; others are means
EXTREMES = {"lowest": min, "highest": max}
STAGE_LABELS = (
    "span",
    "stage",
    "baseline",
    "from",
)  # labels of a row that say of which stages it is


class Measured(NamedTuple):
    """What is measured: its name, the trait or groups of traits, the set of weights, and what is subtracted.

    `changed`: minus the same under the weights of the settings; `above_zero`: minus the judges' zero.
    """

    measure: str
    trait: Any
    weights: str | None
    changed: bool
    above_zero: bool


class PlainProfile:
    """Tables of the scores of a design, from which each row of its profile follows.

    Parameters
    ----------
    design : Ratings
    settings : mapping
        Of a result of `trait_profile`.
    """

    def __init__(self, design: Ratings, settings: Any) -> None:
        self.settings = settings
        self.scores = scores_of_traits(design, settings)
        self.controls = scores_of_controls(settings)
        self.axes = StagedCells(self.scores)
        self._cells: dict[Measured, FloatArray] = {}
        self._answers: dict[tuple[object, ...], FloatArray] = {}
        self._errors_of_zero: dict[tuple[object, ...], tuple[float, float] | None] = {}

    @cached_property
    def models(self) -> list[Any]:
        """Models that rows of all models are of."""
        return models_together(self.scores)

    @cached_property
    def weights(self) -> pd.Series[float]:
        """Weights of the settings."""
        import pandas as pd

        return pd.Series(self.settings["weights"], dtype=float)

    @cached_property
    def sets(self) -> dict[str, pd.Series[float]]:
        """Other sets of weights."""
        return other_weights(self.settings)

    def weights_of(self, what: Measured) -> pd.Series[float]:
        """Return the weights of a set, or what they add to those of the settings."""
        weights = self.weights if what.weights is None else self.sets[what.weights]
        return weights - self.weights if what.changed else weights

    def cells(self, what: Measured) -> FloatArray:
        """Return a measure, (models, scenarios, stages, judges)."""
        if what not in self._cells:
            weights = self.weights_of(what)
            values = measured(self.scores, self.settings, what.measure, what.trait, weights)
            cells = self.axes.means(values)
            if what.above_zero:
                zero = zero_under(self.settings, self.controls, weights)
                by_judge: Any = zero if np.isscalar(zero) else zero[self.axes.judges]
                cells = cells - np.asarray(by_judge, dtype=np.float64)
            self._cells[what] = cells
        return self._cells[what]

    def error_of_zero(self, what: Measured, left_out: str | None) -> tuple[float, float] | None:
        """Return variance and df of the zero that was subtracted; rows of several models share it."""
        key = (what.weights, what.changed, left_out)
        if key not in self._errors_of_zero:
            weights = self.weights_of(what)
            self._errors_of_zero[key] = error_of_zero(
                self.settings, self.controls, weights, left_out
            )
        return self._errors_of_zero[key]

    def values(self, row: Row, what: Measured) -> pd.DataFrame:
        """Return the values whose mean a row is: a row for each unit of analysis, a column for each judge."""
        import pandas as pd

        answers, axes = self.answers(row, what), self.axes
        model, subtracted = row.label("model"), row.label("other")
        if model is not None:
            labels, values = axes.scenarios, answers[axes.models.get_loc(model)]
            if subtracted is not None:
                values = values - answers[axes.models.get_loc(subtracted)]
        else:
            together = answers[axes.models.get_indexer(self.models)]
            if row.label("over") == "models" or self.settings["unit_of_analysis"] == "model":
                labels, values = pd.Index(self.models), mean_of_existing(together)
            else:
                labels, values = axes.scenarios, together.mean(axis=0)
        exists: Any = ~np.isnan(values).any(axis=1)
        return pd.DataFrame(values[exists], index=labels[exists])

    def answers(self, row: Row, what: Measured) -> FloatArray:
        """Return the values of all models, (models, scenarios, judges), which rows of several models share."""
        left_out, judge = row.label("without"), row.label("judge")
        stages = (row.label(name) for name in STAGE_LABELS)
        key = (what, left_out, judge, *stages)
        if key not in self._answers:
            cells, judges = self.cells(what), self.axes.judges
            if left_out is not None:
                cells = cells[..., judges != left_out]
            if judge is not None:
                cells = (cells - cells.mean(axis=-1, keepdims=True))[..., judges == judge]
            self._answers[key] = self.of_stage(row, cells)
        return self._answers[key]

    def of_stage(self, row: Row, cells: FloatArray) -> FloatArray:
        """Return values of a stage, of a change, or the mean of all stages, (models, scenarios, judges)."""
        place: Any = self.axes.stages.get_loc
        stage, start = row.label("stage"), row.label("baseline") or row.label("from")
        if row.label("span") is not None:
            later_stages = [place(name) for name in self.settings["interaction"]]
            values = cells[:, :, later_stages].mean(axis=2)
        elif stage is not None:
            values = cells[:, :, place(stage)]
        else:
            return self.axes.over_stages(cells)
        if start is not None:
            values = values - cells[:, :, place(start)]
        return np.asarray(values)

    def measured_in(self, row: Row) -> Measured:
        """Return what a row measures."""
        traits = row.label("traits")
        trait = row.label("trait") if traits is None else (traits, row.label("minus"))
        weights = row.label("weights")
        return Measured(
            measure=str(row.label("measure")),
            trait=trait,
            weights=weights,
            changed=weights is not None and row.role == "difference",
            above_zero=row.label("against") is not None,
        )

    def extreme_set(self, row: Row, what: Measured) -> str | None:
        """Return the set of weights under which the mean is lowest or highest; that of the row where several are."""
        means = {
            name: float(self.values(row, what._replace(weights=name)).to_numpy().mean())
            for name in self.sets
        }
        extreme = EXTREMES[str(row.label("pick"))](means.values())
        rounding = ROUNDING * max(1.0, abs(extreme))
        tied = [name for name, mean in means.items() if abs(mean - extreme) <= rounding]
        return what.weights if what.weights in tied else tied[0]


def mean_of_existing(answers: FloatArray) -> FloatArray:
    """Return the mean of the scenarios that each model has, (models, judges), of (models, scenarios, judges)."""
    times = (~np.isnan(answers)).sum(axis=1)
    return ratio(np.nansum(answers, axis=1), times, times > 0)


def sample_profile(result: Result) -> Iterator[PlainSample]:
    """Yield the units of analysis of each row, with what is measured in them."""
    settings = result.settings
    profile = PlainProfile(result.design, settings)
    clusters = clusters_of_units(result.design, settings["unit_of_analysis"], settings)
    for row in result.rows:
        if row.undefined and row.n == 0:
            continue
        what = profile.measured_in(row)
        if row.label("pick") in EXTREMES and row.role == "estimate":
            what = what._replace(weights=profile.extreme_set(row, what))
        # judges who are compared with each other are no sample
        drawn = settings["judges"] == "random" and row.label("judge") is None
        error = None
        if what.above_zero:
            error = profile.error_of_zero(what, row.label("without"))
        estimate = ESTIMATES.get(str(row.role), plain_mean)
        yield sample_of_units(
            (row.group, row.term),
            profile.values(row, what),
            clusters,
            estimate,
            level=settings["level"],
            drawn=drawn and estimate is plain_mean,
            error=error,
        )


def tests_together(row: Row) -> tuple[str | None, ...]:
    """Return what tells families of tests apart: the measure, and the kinds of parts that are compared."""
    return row.label("measure"), row.label("pick"), *(name for name, _ in row.key)

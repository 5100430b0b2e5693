"""Plain definition of a trait profile: the values behind each row, from the table of scores."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from socialstats.designs.ratings import Ratings
from socialstats.results import Result, Row
from socialstats.results.definitions import PlainSample
from socialstats.scales.plain_scores import (
    across_units,
    cells_by_stage,
    clusters_of_units,
    error_of_zero,
    measured,
    models_together,
    of_stages,
    other_weights,
    over_stages,
    plain_d_z,
    plain_mean,
    plain_sd,
    sample_of_units,
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
        self._cells: dict[Measured, pd.DataFrame] = {}
        self._answers: dict[tuple[object, ...], pd.DataFrame] = {}

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

    def cells(self, what: Measured) -> pd.DataFrame:
        """Return a measure: rows model, scenario and stage; a column for each judge."""
        if what not in self._cells:
            weights = self.weights_of(what)
            values = measured(self.scores, self.settings, what.measure, what.trait, weights)
            cells = cells_by_stage(values)
            if what.above_zero:
                cells = cells - zero_under(self.settings, weights)
            self._cells[what] = cells
        return self._cells[what]

    def values(self, row: Row, what: Measured) -> pd.DataFrame:
        """Return the values whose mean a row is: a row for each unit of analysis, a column for each judge."""
        cells = self.answers(row, what)
        model, subtracted = row.label("model"), row.label("other")
        if model is None:
            unit = self.settings["unit_of_analysis"]
            unit = "model" if row.label("over") == "models" else unit
            return across_units(cells, unit, self.models)
        values = of_level(cells, "model", model)
        if subtracted is not None:
            values = (values - of_level(cells, "model", subtracted)).dropna()
        return values

    def answers(self, row: Row, what: Measured) -> pd.DataFrame:
        """Return the values of all models: rows of model and scenario, which rows of several models share."""
        left_out, judge = row.label("without"), row.label("judge")
        stages = (row.label(name) for name in STAGE_LABELS)
        key = (what, left_out, judge, *stages)
        if key not in self._answers:
            cells = self.cells(what)
            if left_out is not None:
                cells = cells.drop(columns=left_out)
            if judge is not None:
                cells = cells.sub(cells.mean(axis=1), axis=0)[[judge]]
            self._answers[key] = self.of_stage(row, cells)
        return self._answers[key]

    def of_stage(self, row: Row, cells: pd.DataFrame) -> pd.DataFrame:
        """Return rows of model and scenario: of a stage, of a change, or the mean of all stages."""
        stage, start = row.label("stage"), row.label("baseline") or row.label("from")
        if row.label("span") is not None:
            later = of_stages(cells, tuple(self.settings["interaction"]))
        elif stage is not None:
            later = of_level(cells, "stage", stage)
        else:
            return over_stages(cells)
        if start is None:
            return later
        return (later - of_level(cells, "stage", start)).dropna()

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


def of_level(cells: pd.DataFrame, name: str, label: str) -> pd.DataFrame:
    """Return the rows of one model, or of one stage."""
    rows: Any = cells.xs(label, level=name)
    table: pd.DataFrame = rows
    return table


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
            error = error_of_zero(settings, profile.weights_of(what), row.label("without"))
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

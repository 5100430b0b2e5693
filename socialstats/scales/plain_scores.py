"""Tables of trait scores for the plain definitions: pandas' pivots and means, from the rows of the design.

A row's key says of which values it is the mean. The metrics count coded answers; these tables have their labels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.designs.ratings_data import DESIGN_COLUMNS
from socialstats.results.definitions import PlainSample, RowKey

if TYPE_CHECKING:
    import pandas as pd

KEYS = ["model", "scenario", "stage", "wording"]
AXES = ["model", "scenario", "stage", "judge"]
EQUAL = "equal weights"
# what each trait's weight is multiplied by in the other sets of weights
VARIATIONS = (("'{}' +20%", 1.2), ("'{}' -20%", 0.8), ("without '{}'", 0.0))


def scores_of_traits(design: Ratings, settings: Any) -> pd.DataFrame:
    """Return complete answers: a row for each answer and judge, a column for each trait."""
    import pandas as pd

    frame = design.table().dropna(subset="score")
    names = {part: settings.get(part) for part in (*KEYS, "trait")}
    if names["wording"] is None and "wording" in design.strata:
        names["wording"] = "wording"
    long = pd.DataFrame({"judge": frame["rater"], "score": frame["score"]})
    for part, name in names.items():
        long[part] = labels_of_stratum(frame, design, name, "value" if part == "trait" else "all")
    if settings["stages"] is not None:
        long = long[long["stage"].isin(settings["stages"])]
    wide = long.pivot(index=[*KEYS, "judge"], columns="trait", values="score").dropna()
    if settings.get("weights"):
        wide = wide[list(settings["weights"])]
    judges = wide.groupby(level=KEYS).transform("size")
    return wide[judges == long["judge"].nunique()] if len(wide) else wide


def labels_of_stratum(frame: pd.DataFrame, design: Ratings, name: str | None, only: str) -> Any:
    """Return a stratum (or cluster) of a table of ratings; one level, `only`, where it has no name."""
    if name is None:
        return only
    columns = {factor.name: factor.name for factor in design.clusters}
    columns |= {key: factor.name for key, factor in design.strata.items()}
    column = columns[name]
    # columns that a table of ratings has itself are told apart by an underscore
    return frame[f"{column}_" if column in DESIGN_COLUMNS else column]


def weighted_scores(
    table: pd.DataFrame, centre: float, weights: pd.Series[float]
) -> pd.Series[float]:
    """Return the composite: the sum over traits of weight times distance from the centre."""
    composites: pd.Series[float] = (table - centre).mul(weights).sum(axis=1)
    return composites


def measured(
    table: pd.DataFrame, settings: Any, measure: str, trait: Any, weights: Any
) -> pd.Series[float]:
    """Return a measure of each answer and judge.

    Parameters
    ----------
    table : DataFrame of `scores_of_traits`
    settings : mapping
    measure : {"composite", "score", "group", "entropy", "activation", "active"}
    trait : str, or pair of str and str or None
        Of a score or an active trait; a group of traits, and the one that is subtracted.
    weights : Series
        Of the composite.
    """
    values: pd.Series[float]
    if measure == "composite":
        return weighted_scores(table, settings["centre"], weights)
    if measure == "score":
        values = table[str(trait)]
        return values
    if measure == "group":
        first, subtracted = trait
        values = table[list(settings["trait_groups"][first])].mean(axis=1)
        if subtracted is not None:
            values = values - table[list(settings["trait_groups"][subtracted])].mean(axis=1)
        return values
    means = table.groupby(level=KEYS).transform("mean")
    if measure == "entropy":
        share = means.div(means.sum(axis=1), axis=0)
        nats = -(share * np.log(share.where(share > 0, 1.0))).sum(axis=1)
        return nats / math.log(2) if settings["entropy"] == "bits" else nats
    scores = means if settings["activated"] == "mean" else table
    active: Any = (scores.round(9) >= settings["activation"]).astype(float)
    values = active.sum(axis=1) if trait is None else active[trait]
    return values


class StagedCells:
    """The models, scenarios, stages and judges of a table of scores, and its means over wordings.

    Arrays have these four axes; NaN stands where a model has no such scenario or stage.

    Parameters
    ----------
    table : DataFrame of `scores_of_traits`
    """

    models: Any
    scenarios: Any
    stages: Any
    judges: Any

    def __init__(self, table: pd.DataFrame) -> None:
        axes: Any = [table.index.get_level_values(name).factorize(sort=True) for name in AXES]
        codes, labels = zip(*axes, strict=True)
        self.models, self.scenarios, self.stages, self.judges = labels
        self.shape = tuple(map(len, labels))
        self.place = np.ravel_multi_index(codes, self.shape)

    def means(self, values: pd.Series[float]) -> FloatArray:
        """Average a measure over wordings, (models, scenarios, stages, judges)."""
        size = math.prod(self.shape)
        times = np.bincount(self.place, minlength=size)
        sums = np.bincount(self.place, values.to_numpy(), size).astype(np.float64)
        return ratio(sums, times, times > 0).reshape(self.shape)

    def over_stages(self, cells: FloatArray) -> FloatArray:
        """Average over the stages that a model has; scenarios that lack one are NaN."""
        exists = ~np.isnan(cells)
        of_model = exists.any(axis=1).sum(axis=1)
        present = exists.sum(axis=2)
        complete = (present == of_model[:, None]) & (present > 0)
        return ratio(np.nansum(cells, axis=2), present, complete)


def ratio(sums: FloatArray, times: Any, exists: Any) -> FloatArray:
    """Return means, NaN where there are none."""
    return np.asarray(np.divide(sums, times, out=np.full(sums.shape, np.nan), where=exists))


def models_together(table: pd.DataFrame) -> list[Any]:
    """Return the models that have all stages in half of the scenarios or more; all models where none has."""
    cells = table.index.to_frame(index=False)[["model", "scenario", "stage"]].drop_duplicates()
    stages = cells.groupby(["model", "scenario"])["stage"].nunique()
    complete = stages == cells["stage"].nunique()
    share = complete.groupby("model").sum() / cells["scenario"].nunique()
    least = 0.5 if (share >= 0.5).any() else 0.0
    models: list[Any] = share.index[share >= least].tolist()
    return models


def across_units(cells: pd.DataFrame, unit: str, models: list[Any]) -> pd.DataFrame:
    """Average rows of model and scenario over models, or over scenarios: a row for each unit of analysis."""
    cells = cells[cells.index.get_level_values("model").isin(models)]
    group = cells.groupby(level="model" if unit == "model" else "scenario")
    means: pd.DataFrame = group.mean()
    return means if unit == "model" else means[group.size() == len(models)]


def clusters_of_units(design: Ratings, unit: str, settings: Any) -> Any:
    """Return the clusters of each unit of analysis, a column for each factor; None where units are independent."""
    import pandas as pd

    frame, columns = design.table(), []
    parts = ["model", "scenario"] if unit == "answer" else [unit]
    for factor in design.factors(settings["cluster"]):
        labels = {part: labels_of_stratum(frame, design, settings[part], "all") for part in parts}
        pairs = pd.DataFrame({**labels, "cluster": factor.codes[design.unit]}).drop_duplicates()
        # clusters that hold more than one unit
        if pairs.groupby("cluster").size().max() > 1:
            columns.append(pairs.set_index(parts)["cluster"])
    return pd.concat(columns, axis=1) if columns else None


def scores_of_controls(settings: Any) -> pd.DataFrame | None:
    """Return the scores of the control texts: a row for each text and judge, a column for each trait; None without."""
    import pandas as pd

    if settings.get("zero_texts") is None:
        return None
    texts = settings["zero_texts"].items()
    return pd.DataFrame(
        {(text, judge): by_trait for text, judges in texts for judge, by_trait in judges.items()}
    ).T


def controls_by_judge(
    scores: pd.DataFrame, centre: float, weights: pd.Series[float]
) -> pd.DataFrame:
    """Composites of the control texts: a row for each text, a column for each judge."""
    table: pd.DataFrame = weighted_scores(scores, centre, weights).unstack()
    return table


def zero_under(settings: Any, scores: pd.DataFrame | None, weights: pd.Series[float]) -> Any:
    """Return the zero by judge: the mean of the neutral control texts, or the numbers of the settings."""
    import pandas as pd

    if scores is not None:
        neutral = list(settings["zero_neutral"])
        return controls_by_judge(scores, settings["centre"], weights).loc[neutral].mean()
    zero = settings["zero"]
    return zero if np.isscalar(zero) else pd.Series(dict(zero))


def error_of_zero(
    settings: Any,
    scores: pd.DataFrame | None,
    weights: pd.Series[float],
    left_out: str | None,
) -> tuple[float, float] | None:
    """Variance and df of the judges' mean zero, without the judge `left_out`.

    They are those of the mean of neutral texts. With one text they are of the residuals of a regression on text and
    judge. None where the zero is not estimated, or where drawn judges have its error in their differences.
    """
    if scores is None:
        return None
    table = controls_by_judge(scores, settings["centre"], weights)
    neutral = list(settings["zero_neutral"])
    if left_out is not None:
        table = table.drop(columns=left_out)
    x = table.to_numpy()
    texts, judges = x.shape
    if len(neutral) > 1:
        means = table.loc[neutral].mean(axis=1)
        variance, df = float(means.var(ddof=1)) / len(neutral), len(neutral) - 1.0
    elif settings["judges"] == "random" or min(texts, judges) < 2:
        return None
    else:
        residuals = x - x.mean(axis=1, keepdims=True) - x.mean(axis=0) + x.mean()
        df = (texts - 1.0) * (judges - 1.0)
        variance = float((residuals**2).sum()) / df / judges
    # texts that are alike but for rounding tell no error
    rounding = float(np.finfo(float).eps) * max(1.0, float(np.abs(x).max()))
    return (variance, df) if variance > rounding**2 else None


def other_weights(settings: Any) -> dict[str, pd.Series[float]]:
    """Return every other set of weights: equal ones, and each trait 20% up, 20% down and left out."""
    import pandas as pd

    weights = pd.Series(settings["weights"], dtype=float)
    used = weights.index[weights != 0]
    sets: dict[str, Any] = {EQUAL: np.sign(weights) * weights.abs().sum() / len(used)}
    for trait in used:
        for name, factor in VARIATIONS:
            sets[name.format(trait)] = weights.where(weights.index != trait, weights * factor)
    if settings["score_range"] is not None or not settings["free_weights"]:
        sides = [side for side in (1, -1) if (side * weights > 0).any() and len(used) > 1]
        sets = {
            name: with_sums_of(weights, changed, sides)
            for name, changed in sets.items()
            if sides and all((side * changed > 0).any() for side in sides)
        }
    return {name: changed for name, changed in sets.items() if changed.any()}


def with_sums_of(weights: Any, changed: Any, sides: Sequence[int]) -> Any:
    """Scale weights above and below 0 so that each side keeps its sum."""
    total = 0.0
    for side in sides:
        part = (side * changed).clip(lower=0)
        total = total + side * part * (side * weights).clip(lower=0).sum() / part.sum()
    return total


def numbered_factor(name: str, codes: IntArray) -> Factor:
    """Return a factor whose levels are numbered."""
    levels, dense = np.unique(codes, return_inverse=True)
    return Factor(name=name, codes=dense.ravel(), levels=tuple(map(str, levels.tolist())))


def sample_of_units(
    key: RowKey,
    values: pd.DataFrame,
    clusters: Any,
    estimate: Callable[[FloatArray, FloatArray], float],
    *,
    level: float,
    drawn: bool = False,
    error: tuple[float, float] | None = None,
) -> PlainSample:
    """Return the sample of a row: units of analysis, or units and judges as two crossed factors.

    Parameters
    ----------
    key : RowKey
    values : DataFrame
        A row for each unit, a column for each judge.
    clusters : DataFrame or None
        Of each unit, by factor.
    estimate : function of values and their weights
    level : float
        Of the interval, which has two ends.
    drawn : bool
        Judges are a sample: they are a factor beside the units, or beside their first clusters.
    error : pair of float, optional
        Variance and df of what was subtracted from all values alike.
    """
    x = values.to_numpy(dtype=np.float64)
    units, judges = x.shape
    codes = [] if clusters is None else list(clusters.reindex(values.index).to_numpy().T)
    of_cells, cells = (
        [numbered_factor(f"cluster {k}", code) for k, code in enumerate(codes)],
        x.mean(axis=1),
    )
    if drawn:
        cells, judge = x.ravel(), np.tile(np.arange(judges), units)
        unit = codes[0] if codes else np.arange(units)
        of_cells = [
            numbered_factor("unit", np.repeat(unit, judges)),
            numbered_factor("judge", judge),
        ]
    sample = sample_of_values(key, cells, estimate)
    return replace(
        sample,
        factors=tuple(of_cells),
        mean_squares=drawn and not codes,
        added={} if error is None else {key: error},
        level=level,
    )


def sample_of_values(
    key: RowKey, values: FloatArray, estimate: Callable[[FloatArray, FloatArray], float]
) -> PlainSample:
    """Return the sample of a row that is estimated from independent values."""
    return PlainSample(
        count=np.ones(len(values)),
        plain=lambda count: {key: estimate(values, count)},
        standardised={key: 1.0} if estimate is plain_d_z else {},
        resampled_errors=False,
        unbiased=True,
    )


def plain_mean(values: FloatArray, count: FloatArray) -> float:
    """Return the mean of values of weight `count`."""
    return float(count @ values / count.sum())


def plain_sd(values: FloatArray, count: FloatArray) -> float:
    """Return the standard deviation (n - 1) of values of weight `count`."""
    n = count.sum()
    deviations = values - count @ values / n
    return float(np.sqrt(count @ deviations**2 / (n - 1)))


def plain_d_z(values: FloatArray, count: FloatArray) -> float:
    """Return the mean over the standard deviation, NaN or infinite where all values are equal."""
    return float(np.divide(plain_mean(values, count), plain_sd(values, count)))

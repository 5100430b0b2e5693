"""Scores of traits as a pandas table, and the tests of a mean by scipy and statsmodels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.adjusting import adjusted_p
from socialstats.crosscheck.clusters import cochran, mean_error
from socialstats.crosscheck.effect_sizes import d_z_checks as size_end_checks
from socialstats.crosscheck.paired_difference import near
from socialstats.crosscheck.row_arithmetic import label, wald_checks
from socialstats.designs.ratings import Ratings
from socialstats.results import Check, FloatArray, Row

if TYPE_CHECKING:
    import pandas as pd

KEYS = ("model", "scenario", "stage", "wording")
LINEAR = "the same sums in another order of arithmetic"


def score_table(design: Ratings, settings: Any) -> pd.DataFrame:
    """Return complete answers, one row an answer and judge, one column a trait, by pandas' pivot."""
    import pandas as pd

    ok = design.status == 0
    known = {**{f.name: f for f in design.clusters}, **design.strata}
    data = {"judge": np.array(design.raters)[design.rater[ok]], "score": design.scores[design.value[ok]]}
    names = {part: settings.get(part) for part in (*KEYS, "trait")}
    if names["wording"] is None and "wording" in design.strata:
        names["wording"] = "wording"
    for part, name in names.items():
        factor = known.get(name) if name is not None else None
        codes = factor.codes[design.unit[ok]] if factor is not None else np.zeros(int(ok.sum()), dtype=int)
        data[part] = np.array(factor.levels if factor is not None else ("value" if part == "trait" else "all",))[codes]
    long = pd.DataFrame(data)
    if settings["stages"] is not None:
        long = long[long["stage"].isin(settings["stages"])]
    wide = long.pivot(index=[*KEYS, "judge"], columns="trait", values="score").dropna()
    if settings.get("weights"):
        wide = wide[list(settings["weights"])]
    judges = wide.groupby(level=list(KEYS)).transform("size")
    return wide[judges == long["judge"].nunique()] if len(wide) else wide


def composite(table: pd.DataFrame, settings: Any) -> pd.Series[float]:
    """Return the composite of each answer and judge."""
    import pandas as pd

    out: pd.Series[float] = (table - settings["centre"]).mul(pd.Series(settings["weights"])).sum(axis=1)
    return out


def by_stage(values: pd.Series[float]) -> pd.DataFrame:
    """Average over wordings: rows model, scenario, stage; columns judges."""
    return values.groupby(level=["model", "scenario", "stage", "judge"]).mean().unstack("judge")


def over_stages(values: pd.DataFrame) -> pd.DataFrame:
    """Average over the stages that a model has: rows model, scenario; scenarios that lack one are left out."""
    group = values.groupby(level=["model", "scenario"])
    size, stages = group.size(), values.index.to_frame(index=False).groupby("model")["stage"].nunique()
    out: pd.DataFrame = group.mean()[size.to_numpy() == stages.reindex(size.index.get_level_values("model")).to_numpy()]
    return out


def across_units(values: pd.DataFrame, unit: str, models: int) -> pd.DataFrame:
    """Return one row a unit of analysis from rows of model and scenario: means over all models, or over scenarios."""
    import pandas as pd

    key = values.index.get_level_values("model" if unit == "model" else "scenario")
    names, code = np.unique(key, return_inverse=True)
    sums, size = np.zeros((len(names), values.shape[1])), np.bincount(code)
    np.add.at(sums, code, values.to_numpy(dtype=np.float64))
    kept = size == models if unit != "model" else size > 0
    return pd.DataFrame((sums / size[:, None])[kept], index=names[kept], columns=values.columns)


def samples_by(values: pd.DataFrame, levels: list[str]) -> dict[Any, Sample]:
    """Samples of scenarios at each level of these levels of the index."""
    scenarios, array = values.index.get_level_values("scenario").to_numpy(), values.to_numpy(dtype=np.float64)
    groups = values.groupby(level=levels if len(levels) > 1 else levels[0]).indices
    return {key: Sample(units=scenarios[at], values=array[at]) for key, at in groups.items()}


def clusters_of(design: Ratings, unit: str, settings: Any) -> Any:
    """Return the cluster of each unit of analysis (a series, or a column a factor); None where they are independent."""
    import pandas as pd

    name = settings[unit]
    known = {**{f.name: f for f in design.clusters}, **design.strata}
    own = known[name] if name is not None else None
    found = []
    for factor in design.factors(settings["cluster"]):
        table = pd.DataFrame({
            "unit": np.array(own.levels)[own.codes] if own is not None else "all", "cluster": factor.codes,
        }).drop_duplicates()  # fmt: skip
        if table.groupby("cluster").size().max() > 1:  # clusters that hold more than one unit
            found.append(table.set_index("unit")["cluster"])
    return found[0] if len(found) == 1 else pd.concat(found, axis=1) if found else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """Values behind a mean: units of analysis, and one line a unit and one column a judge."""

    units: Any
    values: FloatArray

    @classmethod
    def of(cls, frame: pd.DataFrame) -> Sample:
        """Read a frame of units by judges."""
        return cls(units=frame.index, values=frame.to_numpy(dtype=np.float64))

    @property
    def means(self) -> FloatArray:
        """Means over judges."""
        return np.asarray(self.values.mean(axis=1))


def mean_checks(
    name: str, row: Row, sample: Sample, settings: Any, clusters: Any, taken_off: tuple[float, float] | None = None
) -> list[Check]:
    """Recompute a row's mean, error, df, t, p and interval.

    `taken_off`: variance and degrees of freedom of what was subtracted from all values alike; variances add.
    """
    if row.estimate is None:
        return []
    means = sample.means
    value = float(means.mean())
    checks = [near(name, row.estimate, value, "pandas", LINEAR)]
    if row.std_error is None:
        return checks
    drawn = settings.get("judges") == "random"
    if clusters is not None:
        error, df = clustered_error(sample, drawn, clusters)
    elif drawn:
        error, df = anova_error(sample.values)
    else:
        error, df = float(means.std(ddof=1)) / math.sqrt(len(means)), len(means) - 1.0
    if taken_off is not None:
        df = cochran(*zip((error**2, df), taken_off, strict=True))
        error = math.sqrt(error**2 + taken_off[0])
    checks.append(near(label(row, "s.e."), row.std_error, error, "numpy"))
    if clusters is None or taken_off is not None:
        checks += wald_checks(row, settings["level"], value, error, df, ends=settings["ci"] == "closed", why=LINEAR)
    elif row.df is not None:
        checks.append(near(label(row, "df"), row.df, df, "scipy"))
    return checks


def clustered_error(sample: Sample, drawn: bool, clusters: Any) -> tuple[float, float]:
    """Clustered error of a mean and its df; drawn judges are a second factor."""
    inner = clusters.reindex(sample.units).to_numpy()
    if not drawn:
        return mean_error(sample.means, inner.reshape(len(inner), -1))
    n, k = sample.values.shape
    return mean_error(sample.values.ravel(), np.column_stack([np.repeat(inner, k), np.tile(np.arange(k), n)]))


def anova_error(x: FloatArray) -> tuple[float, float]:
    """Error of the mean of a complete table, rows and columns drawn, and Cochran's df, from its sums of squares."""
    (n, k), rows, columns = x.shape, x.mean(axis=1), x.mean(axis=0)
    rest = x - rows[:, None] - columns + x.mean()
    dfs = np.array([n - 1, k - 1, (n - 1) * (k - 1)], dtype=np.float64)
    squares = np.array([k * rows.var() * n, n * columns.var() * k, (rest**2).sum()]) / dfs
    value = max(squares[0] + squares[1] - squares[2], squares[0], squares[1])
    return float(np.sqrt(value / (n * k))), cochran(squares[:2].tolist(), dfs[:2].tolist())


def d_z_checks(name: str, row: Row, sample: Sample, settings: Any) -> list[Check]:
    """Recompute d_z, and its ends by the jackknife or scipy's noncentral t distribution."""
    if row.estimate is None:
        return []
    x = sample.means
    checks = [near(name, row.estimate, float(x.mean() / x.std(ddof=1)), "numpy")]
    if row.conf_low is None or row.conf_high is None:
        return checks
    return checks + size_end_checks(row, x, settings["level"])


def holm_checks(name: str, rows: list[Row]) -> list[Check]:
    """Adjust the p-values of one family with statsmodels."""
    known = [row for row in rows if row.p_value is not None]
    if not known:
        return []
    adjusted = adjusted_p([row.p_value for row in known])
    return [near(f"Holm, {name}", row.p_adjusted, float(p), "statsmodels")
            for row, p in zip(known, adjusted, strict=True)]  # fmt: skip

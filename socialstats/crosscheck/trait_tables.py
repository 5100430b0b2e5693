"""Scores of traits as a pandas table, and the tests of a mean by scipy and statsmodels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.adjusting import adjusted_p
from socialstats.crosscheck.clusters import cochran, mean_error
from socialstats.crosscheck.effect_sizes import d_z_checks as size_end_checks
from socialstats.crosscheck.paired_difference import near
from socialstats.crosscheck.row_arithmetic import same_p, statistic_checks, t_ends
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
    if unit == "model":
        return values.groupby(level="model").mean()
    size = values.groupby(level="scenario").size()
    return values.groupby(level="scenario").mean()[size == models]


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


def mean_checks(
    name: str, row: Row, values: pd.DataFrame, settings: Any, clusters: Any,
    taken_off: tuple[float, float] | None = None,
) -> list[Check]:  # fmt: skip
    """Recompute a row's mean, error, t, p and interval from one row a unit and one column a judge.

    `taken_off`: variance and degrees of freedom of what was subtracted from all values alike.
    """
    from scipy.stats import sem, ttest_1samp

    if row.estimate is None:
        return []
    means = values.mean(axis=1).to_numpy()
    checks = [near(name, row.estimate, float(means.mean()), "pandas", LINEAR)]
    if row.std_error is None:
        return checks
    if taken_off is not None:
        return checks + shifted_checks(name, row, values, settings, clusters, taken_off)
    if clusters is not None or settings.get("judges") == "random":
        return checks + clustered_checks(name, row, values, settings, clusters)
    test: Any = ttest_1samp(means, 0.0)
    checks.append(near(f"s.e., {name}", row.std_error, float(sem(means)), "scipy"))
    if row.df is not None:
        checks.append(near(f"df, {name}", row.df, float(test.df), "scipy"))
    if row.statistic is not None:
        checks += [
            near(f"t, {name}", row.statistic, float(test.statistic), "scipy"),
            same_p(f"p, {name}", row.p_value, float(test.pvalue), "scipy", "scipy's t test"),
        ]
    if settings["ci"] == "closed":
        ends = test.confidence_interval(settings["level"])
        checks += [
            near(f"low, {name}", row.conf_low, float(ends.low), "scipy"),
            near(f"high, {name}", row.conf_high, float(ends.high), "scipy"),
        ]
    return checks


def shifted_checks(
    name: str, row: Row, values: pd.DataFrame, settings: Any, clusters: Any, taken_off: tuple[float, float]
) -> list[Check]:
    """Recompute error, df, t, p and interval of a mean minus something estimated: variances add."""
    from scipy.stats import sem

    drawn = settings.get("judges") == "random"
    if clusters is not None:
        alone = clustered_error(values, settings, clusters)
    elif drawn:
        alone = anova_error(values.to_numpy())
    else:
        alone = float(sem(values.mean(axis=1))), len(values) - 1.0
    parts, dfs = zip((alone[0] ** 2, alone[1]), taken_off, strict=True)
    df = cochran(parts, dfs)
    checks = [near(f"s.e., {name}", row.std_error, float(np.sqrt(sum(parts))), "statsmodels", relative=1e-8)]
    if row.df is not None:
        checks.append(near(f"df, {name}", row.df, df, "statsmodels", relative=1e-6))
    checks += [replace(c, quantity=f"t or p, {name}") for c in statistic_checks(row, df=df)]
    return checks + [replace(c, quantity=f"ends, {name}") for c in t_ends(row, settings["level"], df)]


def clustered_checks(name: str, row: Row, values: pd.DataFrame, settings: Any, clusters: Any) -> list[Check]:
    """Recompute the error of clustered units, or of drawn judges."""
    if clusters is None:
        return drawn_checks(name, row, values, settings)
    error, df = clustered_error(values, settings, clusters)
    checks = [near(f"s.e., {name}", row.std_error, error, "numpy")]
    return checks + ([near(f"df, {name}", row.df, df, "scipy")] if row.df is not None else [])


def clustered_error(values: pd.DataFrame, settings: Any, clusters: Any) -> tuple[float, float]:
    """Clustered error of a mean and its df."""
    inner = clusters.reindex(values.index).to_numpy()
    if settings.get("judges") == "random":
        x, k = values.to_numpy().ravel(), values.shape[1]
        groups = [np.repeat(inner, k), np.tile(np.arange(k), len(values))]
    else:
        x = values.mean(axis=1).to_numpy()
        groups = [inner] if inner.ndim == 1 else list(inner.T)
    return mean_error(x, np.column_stack(groups))


def drawn_checks(name: str, row: Row, values: pd.DataFrame, settings: Any) -> list[Check]:
    """Recompute error, df, t, p and interval of drawn judges from statsmodels' table of the two-way analysis."""
    error, df = anova_error(values.to_numpy())
    checks = [near(f"s.e., {name}", row.std_error, error, "statsmodels", relative=1e-8)]
    if row.df is not None:
        checks.append(near(f"df, {name}", row.df, df, "statsmodels", relative=1e-6))
    checks += [replace(c, quantity=f"t or p, {name}") for c in statistic_checks(row, df=df)]
    if settings["ci"] == "closed":
        checks += [replace(c, quantity=f"ends, {name}") for c in t_ends(row, settings["level"], df)]
    return checks


def anova_error(x: FloatArray) -> tuple[float, float]:
    """Error of the mean of a complete table, rows and columns drawn, and Cochran's df, by regressions.

    Sums of squares are differences of the residual sums of nested regressions on dummies.
    """
    from statsmodels.regression.linear_model import OLS

    n, k = x.shape
    y = x.ravel()
    rows, columns = np.repeat(np.eye(n), k, axis=0), np.tile(np.eye(k), (n, 1))[:, 1:]
    none, of_rows, both = (
        float(OLS(y, z).fit().ssr) for z in (np.ones((n * k, 1)), rows, np.column_stack([rows, columns]))
    )
    dfs = np.array([n - 1, k - 1, (n - 1) * (k - 1)], dtype=np.float64)
    squares = np.array([none - of_rows, of_rows - both, both]) / dfs
    value = max(squares[0] + squares[1] - squares[2], squares[0], squares[1])
    return float(np.sqrt(value / (n * k))), cochran(squares[:2], dfs[:2])


def d_z_checks(name: str, row: Row, values: pd.DataFrame, settings: Any) -> list[Check]:
    """Recompute d_z with pandas, and its ends by the jackknife or scipy's noncentral t distribution."""
    if row.estimate is None:
        return []
    x = values.mean(axis=1)
    checks = [near(name, row.estimate, float(x.mean() / x.std(ddof=1)), "pandas")]
    if row.conf_low is None or row.conf_high is None:
        return checks
    return checks + size_end_checks(row, x.to_numpy(dtype=np.float64), settings["level"])


def holm_checks(name: str, rows: list[Row]) -> list[Check]:
    """Adjust the p-values of one family with statsmodels."""
    known = [row for row in rows if row.p_value is not None]
    if not known:
        return []
    adjusted = adjusted_p([row.p_value for row in known])
    return [near(f"Holm, {name}", row.p_adjusted, float(p), "statsmodels")
            for row, p in zip(known, adjusted, strict=True)]  # fmt: skip

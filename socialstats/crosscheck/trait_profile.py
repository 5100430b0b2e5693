"""A trait profile recomputed: pandas pivots and means, errors by clusters, scipy's t, statsmodels' Holm.

The key of a row says what it is; its values are made again from the table of scores. So are composites under other
sets of weights, and the judges' zero from the scores of the control texts.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import cochran, mean_error
from socialstats.crosscheck.jackknife import d_z_checks as size_end_checks
from socialstats.crosscheck.over_models import spread_checks
from socialstats.crosscheck.paired_difference import near
from socialstats.crosscheck.row_arithmetic import adjusted_checks, label, wald_checks
from socialstats.designs.ratings import DESIGN_COLUMNS, Ratings
from socialstats.results import Check, Result, Row, Verification

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

KEYS = ["model", "scenario", "stage", "wording"]
LINEAR = "the same sums in another order of arithmetic"
EQUAL = "equal weights"
OWN_SET = ""  # the weights given
PICKS: dict[str | None, Any] = {"lowest": min, "highest": max}


def verify(result: Result) -> Verification:
    """Recompute every row from the table of scores."""
    import pandas as pd

    settings, values = result.settings, sampled(result.design, result.settings)
    clusters = clusters_of(result.design, settings["unit_of_analysis"], settings)
    own, sets = pd.Series(settings["weights"], dtype=float), weight_sets(settings)

    @cache
    def error_of(weights: str | None, minus: bool, out: str | None) -> tuple[float, float] | None:
        return error_under(settings, own if weights is None else sets[weights] - own * minus, out)

    checks: list[Check] = []
    families: dict[Any, list[Row]] = {}
    for row in result.rows:
        if row.role == "difference" and row.label("judge") is None:
            kind = (row.label("measure"), row.label("pick"), *(name for name, _ in row.key))
            families.setdefault(kind, []).append(row)
        if row.estimate is None:
            continue
        weights = row.label("weights")
        sample = values(row)[OWN_SET if weights is None else weights]
        if row.role == "spread":
            x = sample.to_numpy(dtype=np.float64).mean(axis=1)
            checks += spread_checks(row, x, settings["level"])
            continue
        if row.role == "effect_size":
            checks += d_z_checks(f"{row.label('measure')} d_z", row, sample, settings)
            continue
        error, one = (
            None,
            settings if row.label("judge") is None else {**settings, "judges": "fixed"},
        )
        if row.label("against") is not None:
            error = error_of(weights, row.role == "difference", row.label("without"))
        cut = None
        if not any(row.label(name) for name in ("against", "judge", "without", "weights")):
            cut = result.extras["limits"][row.label("measure")]
            cut = (cut[0] - cut[1], cut[1] - cut[0]) if row.role == "difference" else cut
        checks += mean_checks(str(row.group), row, sample, one, clusters, off=error, cut=cut)
        pick = row.label("pick")
        if pick in PICKS and row.role == "estimate":
            every = [float(one.to_numpy().mean()) for one in values(row).values()]
            checks.append(
                near(str(row.group), row.estimate, float(PICKS[pick](every)), "pandas", LINEAR)
            )
    for rows in families.values():
        checks += adjusted_checks(row for row in rows if row.label("pick") in (None, "each"))
    return Verification(checks=tuple(checks))


def sampled(design: Ratings, settings: Any) -> Callable[[Row], Any]:
    """Return what gives the values that a row is about, from the table of scores."""
    import pandas as pd

    table = score_table(design, settings)
    own, sets = pd.Series(settings["weights"], dtype=float), weight_sets(settings)
    models = pooled(table)

    @cache
    def frame(measure: str, trait: Any, varied: bool, minus: bool, against: bool) -> Any:
        """Rows model, scenario, stage by columns of weights (OWN_SET: those given) and judges.

        All other sets of weights at once where `varied`; minus that under the weights given, or the zero.
        """
        used = {name: w - own * minus for name, w in sets.items()} if varied else {OWN_SET: own}
        cells = by_stage(
            pd.DataFrame(
                {name: measured(table, settings, measure, trait, w) for name, w in used.items()}
            )
        )
        if not against:
            return cells
        zero, columns = (
            {name: zero_under(settings, w) for name, w in used.items()},
            list[Any](cells.columns),
        )
        return cells - [z if np.isscalar(z := zero[name]) else z[judge] for name, judge in columns]

    @cache
    def part(
        named: tuple[Any, ...], out: str | None, judge: str | None, stages: tuple[Any, str | None]
    ) -> Any:
        """Rows model, scenario: of a stage, minus the baseline, or over all stages; without a judge, or of one."""
        cells, (stage, start) = frame(*named), stages
        if out is not None:
            cells = cells.drop(columns=out, level=1)
        if judge is not None:  # weights given
            cells = cells.sub(cells.mean(axis=1), axis=0)[[(OWN_SET, judge)]]
        if stage is None:
            return over_stages(cells)
        now = (
            of_stages(cells, stage) if isinstance(stage, tuple) else cells.xs(stage, level="stage")
        )
        return now if start is None else (now - cells.xs(start, level="stage")).dropna()

    @cache
    def units(model: str | None, other: str | None, unit: str, *named: Any) -> Any:
        """By set of weights: one line per unit of analysis, one column per judge."""
        cells = part(*named)
        if model is None:
            found = across_units(cells, unit, models)
        else:
            found = cells.xs(model, level="model")
            found = found if other is None else (found - cells.xs(other, level="model")).dropna()
        of = found.columns.get_level_values(0)
        return {name: found.loc[:, of == name] for name in of.unique()}

    def values(row: Row) -> Any:
        """Values under all sets of weights of the kind that the row names."""
        measure, model, other = (row.label(name) for name in ("measure", "model", "other"))
        trait: Any = row.label("trait")
        if row.label("traits") is not None:
            trait = (row.label("traits"), row.label("minus"))
        varied = row.label("weights") is not None
        unit = "model" if row.label("over") == "models" else settings["unit_of_analysis"]
        stage = tuple(settings["interaction"]) if row.label("span") else row.label("stage")
        named = (
            measure,
            trait,
            varied,
            varied and row.role == "difference",
            row.label("against") is not None,
        )
        return units(
            model,
            other,
            unit,
            named,
            row.label("without"),
            row.label("judge"),
            (stage, row.label("baseline") or row.label("from")),
        )

    return values


def stratum(frame: pd.DataFrame, design: Ratings, name: str | None, only: str) -> Any:
    """Return a stratum (or cluster) of a table of ratings; one level where it has no name."""
    known = {
        **{f.name: f.name for f in design.clusters},
        **{key: f.name for key, f in design.strata.items()},
    }
    return (
        only
        if name is None
        else frame[f"{known[name]}_" if known[name] in DESIGN_COLUMNS else known[name]]
    )


def score_table(design: Ratings, settings: Any) -> pd.DataFrame:
    """Return complete answers, one row per answer and judge, one column per trait, by pandas' pivot."""
    import pandas as pd

    frame = design.table().dropna(subset="score")
    names = {part: settings.get(part) for part in (*KEYS, "trait")}
    if names["wording"] is None and "wording" in design.strata:
        names["wording"] = "wording"
    long = pd.DataFrame({"judge": frame["rater"], "score": frame["score"]})
    for part, name in names.items():
        long[part] = stratum(frame, design, name, "value" if part == "trait" else "all")
    if settings["stages"] is not None:
        long = long[long["stage"].isin(settings["stages"])]
    wide = long.pivot(index=[*KEYS, "judge"], columns="trait", values="score").dropna()
    if settings.get("weights"):
        wide = wide[list(settings["weights"])]
    judges = wide.groupby(level=KEYS).transform("size")
    return wide[judges == long["judge"].nunique()] if len(wide) else wide


def measured(
    table: pd.DataFrame, settings: Any, measure: str, trait: Any, weights: Any
) -> pd.Series[float]:
    """Return a measure of each answer and judge: its composite, count of active traits, entropy, or one of a trait."""
    if measure == "composite":
        return composite(table, settings["centre"], weights)
    found: pd.Series[float]
    if measure == "score":
        found = table[str(trait)]
        return found
    if measure == "group":
        one, other = trait
        found = table[list(settings["trait_groups"][one])].mean(axis=1)
        return (
            found
            if other is None
            else found - table[list(settings["trait_groups"][other])].mean(axis=1)
        )
    means = table.groupby(level=KEYS).transform("mean")
    if measure == "entropy":
        p = means.div(means.sum(axis=1), axis=0)
        found = -(p * np.log(p.where(p > 0, 1.0))).sum(axis=1)
        return found / math.log(2) if settings["entropy"] == "bits" else found
    scores = means if settings["activated"] == "mean" else table
    active: Any = (scores.round(9) >= settings["activation"]).astype(float)
    found = active.sum(axis=1) if trait is None else active[trait]
    return found


def composite(table: pd.DataFrame, centre: float, weights: pd.Series[float]) -> pd.Series[float]:
    """Return the composite of each answer and judge."""
    out: pd.Series[float] = (table - centre).mul(weights).sum(axis=1)
    return out


def by_stage(values: pd.DataFrame) -> Any:
    """Average over wordings: rows model, scenario, stage; columns weights and judges."""
    return values.groupby(level=["model", "scenario", "stage", "judge"]).mean().unstack("judge")


def of_stages(values: pd.DataFrame, stages: tuple[str, ...]) -> pd.DataFrame:
    """Average over some stages, where a model and scenario has them all."""
    group = values[values.index.get_level_values("stage").isin(stages)].groupby(
        level=["model", "scenario"]
    )
    out: pd.DataFrame = group.mean()[group.size() == len(stages)]
    return out


def over_stages(values: pd.DataFrame) -> pd.DataFrame:
    """Average over the stages that a model has: rows model, scenario; scenarios that lack one are left out."""
    group = values.groupby(level=["model", "scenario"])
    size, stages = (
        group.size(),
        values.index.to_frame(index=False).groupby("model")["stage"].nunique(),
    )
    out: pd.DataFrame = group.mean()[
        size.to_numpy() == stages.reindex(size.index.get_level_values("model")).to_numpy()
    ]
    return out


def pooled(table: pd.DataFrame) -> list[Any]:
    """Return the models that have all stages in half of the scenarios or more; all models where none has."""
    asked = table.index.to_frame(index=False)[["model", "scenario", "stage"]].drop_duplicates()
    stages = asked.groupby(["model", "scenario"])["stage"].nunique() == asked["stage"].nunique()
    share = stages.groupby("model").sum() / asked["scenario"].nunique()
    found: list[Any] = share.index[share >= (0.5 if (share >= 0.5).any() else 0.0)].tolist()
    return found


def across_units(values: pd.DataFrame, unit: str, models: list[Any]) -> pd.DataFrame:
    """Return one row per unit of analysis from rows of model and scenario: means over models, or over scenarios."""
    values = values[values.index.get_level_values("model").isin(models)]
    group = values.groupby(level="model" if unit == "model" else "scenario")
    return group.mean() if unit == "model" else group.mean()[group.size() == len(models)]


def clusters_of(design: Ratings, unit: str, settings: Any) -> Any:
    """Return the clusters of each unit of analysis, one column per factor; None where they are independent."""
    import pandas as pd

    frame, found = design.table(), []
    for factor in design.factors(settings["cluster"]):
        pairs = {
            "unit": stratum(frame, design, settings[unit], "all"),
            "cluster": factor.codes[design.unit],
        }
        table = pd.DataFrame(pairs).drop_duplicates()
        if table.groupby("cluster").size().max() > 1:  # clusters that hold more than one unit
            found.append(table.set_index("unit")["cluster"])
    return pd.concat(found, axis=1) if found else None


def mean_checks(
    name: str,
    row: Row,
    values: pd.DataFrame,
    settings: Any,
    clusters: Any,
    off: tuple[float, float] | None = None,
    cut: tuple[float, float] | None = None,
) -> list[Check]:
    """Recompute a row's mean, error, df, t, p and interval.

    `off`: variance and degrees of freedom of what was subtracted from all values alike; variances add.
    """
    if row.estimate is None:
        return []
    x = values.to_numpy(dtype=np.float64)
    value, (n, k), drawn = float(x.mean(axis=1).mean()), x.shape, settings.get("judges") == "random"
    checks = [near(name, row.estimate, value, "pandas", LINEAR)]
    if row.std_error is None:
        return checks
    groups = (
        np.arange(n)[:, None] if clusters is None else clusters.reindex(values.index).to_numpy()
    )
    if not drawn:
        error, df = mean_error(x.mean(axis=1), groups)
    elif clusters is None:
        error, df = anova_error(x)
    else:  # drawn judges are a second factor
        error, df = mean_error(
            x.ravel(), np.column_stack([np.repeat(groups[:, 0], k), np.tile(np.arange(k), n)])
        )
    if off is not None:
        df = cochran(*zip((error**2, df), off, strict=True))
        error = math.sqrt(error**2 + off[0])
    checks.append(near(label(row, "s.e."), row.std_error, error, "numpy"))
    ends = settings["ci"] == "closed"
    return checks + wald_checks(
        row, settings["level"], value, error, df, ends=ends, why=LINEAR, cut=cut
    )


def anova_error(x: FloatArray) -> tuple[float, float]:
    """Error of the mean of a complete table, rows and columns drawn, and Cochran's df, from its sums of squares."""
    (n, k), rows, columns = x.shape, x.mean(axis=1), x.mean(axis=0)
    rest = x - rows[:, None] - columns + x.mean()
    dfs = np.array([n - 1, k - 1, (n - 1) * (k - 1)], dtype=np.float64)
    squares = np.array([k * rows.var() * n, n * columns.var() * k, (rest**2).sum()]) / dfs
    value = max(squares[0] + squares[1] - squares[2], squares[0], squares[1])
    return float(np.sqrt(value / (n * k))), cochran(squares[:2].tolist(), dfs[:2].tolist())


def d_z_checks(name: str, row: Row, values: pd.DataFrame, settings: Any) -> list[Check]:
    """Recompute d_z, and its ends by the jackknife or scipy's noncentral t distribution."""
    if row.estimate is None:
        return []
    x = values.to_numpy(dtype=np.float64).mean(axis=1)
    checks = [near(name, row.estimate, float(x.mean() / x.std(ddof=1)), "numpy")]
    if row.conf_low is None or row.conf_high is None:
        return checks
    return checks + size_end_checks(row, x, settings["level"])


def control_values(settings: Any, weights: pd.Series[float]) -> pd.DataFrame:
    """Composites of the control texts under some weights, one line per text and one column per judge."""
    import pandas as pd

    texts = settings["zero_texts"].items()
    scores = pd.DataFrame(
        {(text, judge): given for text, judges in texts for judge, given in judges.items()}
    ).T
    found: pd.DataFrame = composite(scores, settings["centre"], weights).unstack()
    return found


def zero_under(settings: Any, weights: pd.Series[float]) -> Any:
    """Return the zero under some weights: by judge, or the number that was given."""
    import pandas as pd

    if settings.get("zero_texts") is None:
        return (
            settings["zero"] if np.isscalar(settings["zero"]) else pd.Series(dict(settings["zero"]))
        )
    return control_values(settings, weights).loc[list(settings["zero_neutral"])].mean()


def error_under(
    settings: Any, weights: pd.Series[float], out: str | None
) -> tuple[float, float] | None:
    """Variance and df of the judges' mean zero, without the judge `out`.

    Of the means of neutral texts, or, with one text, of the rest of a regression on text and judge. None where the
    zero is known, or its error is in the differences of drawn judges.
    """
    from scipy.stats import sem

    if settings.get("zero_texts") is None:
        return None
    values, names = control_values(settings, weights), list(settings["zero_neutral"])
    values = values if out is None else values.drop(columns=out)
    (m, k), x = values.shape, values.to_numpy()
    if len(names) > 1:
        variance, df = float(sem(values.loc[names].mean(axis=1))) ** 2, len(names) - 1.0
    elif settings["judges"] == "random" or min(m, k) < 2:
        return None
    else:
        rest, df = (
            x - x.mean(axis=1, keepdims=True) - x.mean(axis=0) + x.mean(),
            (m - 1.0) * (k - 1.0),
        )
        variance = float((rest**2).sum()) / df / k
    size = max(1.0, float(np.abs(x).max()))
    return (variance, df) if variance > (np.finfo(float).eps * size) ** 2 else None


def weight_sets(settings: Any) -> dict[str, pd.Series[float]]:
    """Make every other set of weights: equal ones, and each trait 20% up, 20% down and left out."""
    import pandas as pd

    own = pd.Series(settings["weights"], dtype=float)
    found: dict[str, Any] = {EQUAL: np.sign(own) * own.abs().sum() / (own != 0).sum()}
    for trait in own.index[own != 0]:
        for factor, name in (
            (1.2, f"'{trait}' +20%"),
            (0.8, f"'{trait}' -20%"),
            (0.0, f"without '{trait}'"),
        ):
            found[name] = own.where(own.index != trait, own * factor)
    if (
        settings["score_range"] is not None or not settings["free_weights"]
    ):  # each side keeps its sum
        sides = [side for side in (1, -1) if (side * own > 0).any() and (own != 0).sum() > 1]
        found = {
            name: w
            for name, w in found.items()
            if sides and all((side * w > 0).any() for side in sides)
        }
        found = {
            name: sum(
                side
                * (side * w).clip(lower=0)
                * (side * own).clip(lower=0).sum()
                / (side * w).clip(lower=0).sum()
                for side in sides
            )
            for name, w in found.items()
        }
    return {name: w for name, w in found.items() if w.any()}

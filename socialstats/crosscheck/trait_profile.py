"""A trait profile once more: pandas pivots and means, errors by clusters, scipy's t, statsmodels' Holm.

Also composites under other sets of weights, and the judges' zero from the scores of the control texts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.clusters import cochran, mean_error
from socialstats.crosscheck.effect_sizes import d_z_checks as size_end_checks
from socialstats.crosscheck.paired_difference import near
from socialstats.crosscheck.row_arithmetic import adjusted_p, label, wald_checks
from socialstats.designs.ratings import Ratings
from socialstats.results import Check, FloatArray, Result, Row, Verification

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


Error = tuple[float, float]


def control_scores(settings: Any) -> pd.DataFrame | None:
    """Scores of the control texts: a line a text and judge, a column a trait; None where the zero is a given number."""
    import pandas as pd

    texts = settings.get("zero_texts")
    if texts is None:
        return None
    rows = {(text, judge): given for text, judges in texts.items() for judge, given in judges.items()}
    return pd.DataFrame(rows).T.rename_axis(["text", "judge"])


def zero_under(settings: Any, scores: pd.DataFrame | None, weights: Any) -> Any:
    """Return the zero under some weights: by judge, or the number that was given."""
    import pandas as pd

    if scores is None:
        zero = settings["zero"]
        return zero if np.isscalar(zero) else pd.Series(dict(zero))
    return values_under(settings, scores, weights).loc[list(settings["zero_neutral"])].mean()


def values_under(settings: Any, scores: pd.DataFrame, weights: Any) -> pd.DataFrame:
    """Composites of the control texts, a line a text and a column a judge."""
    import pandas as pd

    order = list(scores.columns)
    found = pd.Series((scores.to_numpy() - settings["centre"]) @ pd.Series(weights)[order].to_numpy(), scores.index)
    return found.unstack("judge")


def error_under(settings: Any, scores: pd.DataFrame | None, weights: Any) -> Error | None:
    """Variance and df of the judges' mean zero; None where it is known, or in the differences of drawn judges."""
    if scores is None:
        return None
    neutral = list(settings["zero_neutral"])
    if settings["judges"] == "random" and len(neutral) == 1:
        return None
    values = values_under(settings, scores, weights)
    return error_of(values, values.loc[neutral])


def error_of(values: pd.DataFrame, neutral: pd.DataFrame) -> Error | None:
    """Variance and df of the mean zero: of neutral texts, or, with one, of the rest of a regression on text and judge.

    Parameters
    ----------
    values, neutral : DataFrame
        All control texts, and the neutral ones: a line a text, a column a judge.
    """
    if len(neutral) > 1:
        from scipy.stats import sem

        variance, df = float(sem(neutral.mean(axis=1))) ** 2, len(neutral) - 1.0
    else:
        x, (m, k) = values.to_numpy(), values.shape
        if min(m, k) < 2:
            return None
        rest, df = x - x.mean(axis=1, keepdims=True) - x.mean(axis=0) + x.mean(), (m - 1.0) * (k - 1.0)
        variance = float((rest**2).sum()) / df / k
    size = max(1.0, float(np.abs(values.to_numpy()).max()))
    return (variance, df) if variance > (np.finfo(float).eps * size) ** 2 else None


OF_ALL = " of all models"
EQUAL, MINUS, ZERO = "equal weights", " minus these", " minus zero"
PICKS: dict[str, Any] = {"lowest of other weights": min, "highest of other weights": max}
OTHER = "other weights"
Part = tuple[str, bool, bool, bool]
PARTS: dict[str | None, Part] = {  # kind of weights, minus the zero, minus these weights, of all models
    kind + ZERO * against + MINUS * minus + OF_ALL * joint: (kind, against, minus, joint)
    for kind in (OTHER, EQUAL, *PICKS) for against in (False, True)
    for minus in (False, True) for joint in (False, True)
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """Means of traits over all stages, minus the centre: model (None: all) -> units of analysis and their scores.

    Scores are (unit, judge, trait).
    """

    parts: dict[str | None, tuple[Any, FloatArray]]
    judges: Any
    settings: Any
    clusters: Any
    controls: Any
    zeros: dict[tuple[float, ...], Any] = field(default_factory=dict)

    def composite(self, weights: pd.Series[float], model: str | None, *, against: bool) -> Sample:
        """Composite by unit of analysis and judge, minus the zero where that is asked for."""
        units, scores = self.parts[model]
        found = scores @ weights.to_numpy()
        return Sample(units=units, values=found - self.zero(weights) if against else found)

    def zero(self, weights: pd.Series[float]) -> Any:
        """Zero under some weights, a number or one a judge; found once."""
        key = tuple(weights.to_numpy().tolist())
        if key not in self.zeros:
            zero = zero_under(self.settings, self.controls, weights)
            self.zeros[key] = zero if np.isscalar(zero) else zero[self.judges].to_numpy()
        return self.zeros[key]


def traits_of(table: pd.DataFrame, settings: Any, clusters: Any) -> Traits:
    """Average the scores of each trait by pandas."""
    courses = [over_stages(by_stage(table[trait])) for trait in settings["weights"]]
    names = courses[0].index.get_level_values("model").unique()
    joint = [across_units(one, settings["unit_of_analysis"], len(names)) for one in courses]
    found: dict[str | None, Any] = {None: joint}
    found |= {str(name): [one.xs(name, level="model") for one in courses] for name in names}
    return Traits(
        parts={name: (own[0].index, np.stack([one.to_numpy() for one in own], axis=-1) - settings["centre"])
               for name, own in found.items()},
        judges=courses[0].columns, settings=settings, clusters=clusters, controls=control_scores(settings),
    )  # fmt: skip


def weight_sets(settings: Any) -> dict[str, pd.Series[float]]:
    """Make every other set of weights: equal ones, and each trait 20 % up, 20 % down and left out."""
    import pandas as pd

    own = pd.Series(settings["weights"], dtype=float)
    found: dict[str, Any] = {EQUAL: np.sign(own) * own.abs().sum() / (own != 0).sum()}
    for trait in own.index[own != 0]:
        for factor, name in ((1.2, f"'{trait}' +20 %"), (0.8, f"'{trait}' -20 %"), (0.0, f"without '{trait}'")):
            found[name] = own.where(own.index != trait, own * factor)
    if not settings["free_weights"]:
        found = {name: w for name, w in found.items() if (w > 0).any() and (w < 0).any()}
        found = {name: 5 * w.clip(lower=0) / w.clip(lower=0).sum() + 5 * w.clip(upper=0) / -w.clip(upper=0).sum()
                 for name, w in found.items()}  # fmt: skip
    return {name: w for name, w in found.items() if w.any()}


def weight_checks(table: pd.DataFrame, rows: dict[Any, Row], settings: Any, clusters: Any) -> list[Check]:
    """Recompute every row under other weights, and that the lowest and highest sets are those."""
    traits = traits_of(table, settings, clusters)
    sets, found = weight_sets(settings), []
    for (term, group), row in rows.items():
        part = PARTS.get(group)
        name = None if part is None else set_of(term, part[0], row)
        if part is not None and name in sets:
            found += row_checks(traits, sets, name, row, part)
    family = [
        row for (_, group), row in rows.items() if (part := PARTS.get(group)) and part[:3] == (OTHER, False, True)
    ]
    return found + pick_checks(traits, sets, rows) + holm_checks("other weights", family)


def pick_checks(traits: Traits, sets: dict[str, pd.Series[float]], rows: dict[Any, Row]) -> list[Check]:
    """Compare the composites of the lowest and highest sets with those of all sets."""
    found = []
    for against in (False, True) if traits.controls is not None else (False,):
        ends = {model: [float(traits.composite(w, model, against=against).values.mean()) for w in sets.values()]
                for model in traits.parts}  # fmt: skip
        for kind, pick in PICKS.items():
            for (term, group), row in rows.items():
                part = PARTS.get(group)
                if part is not None and part[:3] == (kind, against, False) and row.estimate is not None:
                    model = None if part[3] else term
                    found.append(near(kind, row.estimate, float(pick(ends[model])), "pandas", LINEAR))
    return found


def set_of(term: str, kind: str, row: Row) -> str | None:
    """Name the set of weights of a row of a kind."""
    if kind in PICKS:
        return (row.method or "").partition(", of ")[0]
    return term if kind == OTHER else EQUAL


def row_checks(traits: Traits, sets: dict[str, pd.Series[float]], name: str, row: Row, part: Part) -> list[Check]:
    """Recompute a row from the scores under its set of weights."""
    import pandas as pd

    kind, against, minus, joint = part
    model: str | None = row.term
    if kind == OTHER:  # of the only model
        model = next(m for m in traits.parts if m is not None)
    if joint:
        model = None
    own = pd.Series(traits.settings["weights"], dtype=float)
    change = sets[name] - own if minus else sets[name]
    error = error_under(traits.settings, traits.controls, change) if against else None
    values = traits.composite(change, model, against=against)
    return mean_checks(str(row.group), row, values, traits.settings, traits.clusters, taken_off=error)


ALL = "of all models"
Measure = tuple[str, str | None, "pd.DataFrame", tuple[float, float] | None]


def verify(result: Result) -> Verification:
    """Recompute every row from the table of scores."""
    settings, design = result.settings, result.design
    table = score_table(design, settings)
    rows = {(row.term, row.group): row for row in result.rows}
    clusters = clusters_of(design, settings["unit_of_analysis"], settings)
    checks: list[Check] = []
    for name, trait, cells, error in measures(table, result):
        for key, values in samples(name, trait, cells, settings):
            row = rows.get(key)
            if row is not None:
                checks += mean_checks(name, row, values, settings, clusters, taken_off=error)
    for measure in ("composite", "activation", "entropy"):
        if measure == "composite" or settings[measure] is not None:
            checks += change_checks(measure, cells_of(measure, table, settings), rows, settings, clusters)
    checks += offset_checks(table, rows, settings, clusters)
    checks += model_checks(table, rows, settings, clusters)
    return Verification(checks=(*checks, *weight_checks(table, rows, settings, clusters)))


def cells_of(measure: str, table: pd.DataFrame, settings: Any) -> pd.DataFrame:
    """Rows model, scenario, stage by columns of judges: composites, counts of active traits, or entropies."""
    if measure == "composite":
        return by_stage(composite(table, settings))
    if measure == "entropy":
        import pandas as pd
        from scipy.stats import entropy

        means = table.groupby(level=["model", "scenario", "stage", "wording"]).transform("mean")
        values = entropy(means.to_numpy(), base=2 if settings["entropy"] == "bits" else None, axis=1)
        return by_stage(pd.Series(values, index=table.index))
    return by_stage(active(table, settings).sum(axis=1).astype(float))


def active(table: pd.DataFrame, settings: Any) -> pd.DataFrame:
    """Tell of each score (or of the judges' mean) whether it reaches the threshold."""
    scores = table
    if settings["activated"] == "mean":
        scores = table.groupby(level=["model", "scenario", "stage", "wording"]).transform("mean")
    reached: pd.DataFrame = scores.round(9) >= settings["activation"]
    return reached


def measures(table: pd.DataFrame, result: Result) -> Iterator[Measure]:
    """Every family of levels: composite, minus zero, activation, without each judge, each trait's score and activity.

    Its name, its trait, its cells, and variance and degrees of freedom of the zero, where it is estimated.
    """
    settings = result.settings
    cells = cells_of("composite", table, settings)
    yield "composite", None, cells, None
    controls = control_scores(settings)
    if settings["zero"] is not None:
        zero = zero_under(settings, controls, settings["weights"])
        yield "composite minus zero", None, cells - zero, error_under(settings, controls, settings["weights"])
    if settings["activation"] is not None:
        yield "activation", None, cells_of("activation", table, settings), None
        for trait in table.columns:
            yield "active", trait, by_stage(active(table, settings)[trait].astype(float)), None
    if settings["entropy"] is not None:
        yield "entropy", None, cells_of("entropy", table, settings), None
    if cells.shape[1] > 1:
        for judge in cells.columns:
            yield f"without judge '{judge}'", None, cells.drop(columns=judge), None
            if settings["zero"] is not None:
                others = None if controls is None else controls.drop(judge, level="judge")
                error = error_under(settings, others, settings["weights"])
                yield f"without judge '{judge}' minus zero", None, (cells - zero).drop(columns=judge), error
    for trait in table.columns:
        yield "score", trait, by_stage(table[trait]), None


def samples(
    name: str, trait: str | None, cells: pd.DataFrame, settings: Any
) -> Iterator[tuple[tuple[str, str], Sample]]:  # fmt: skip
    """Every row of a family (of a trait: of its scores): its term and group, and one line a unit of analysis."""
    unit, models = settings["unit_of_analysis"], cells.index.get_level_values("model").nunique()
    course = over_stages(cells)
    whole = Sample.of(across_units(course, unit, models))
    if name == "active":
        yield (str(trait), f"active {ALL}" if models > 1 or unit == "model" else "active"), whole
        return
    for model, own in samples_by(course, ["model"]).items():
        yield ((str(model), name) if trait is None else (trait, f"{name}: {model}")), own
    yield (name if trait is None else trait, f"{name} {ALL}"), whole
    if trait is not None:
        return
    for (stage, model), own in samples_by(cells, ["stage", "model"]).items():
        yield (str(model), f"{name}: {stage}"), own
    for stage, part in cells.groupby(level="stage"):
        yield (str(stage), f"{name} by stage {ALL}"), Sample.of(across_units(part.droplevel("stage"), unit, models))


def change_checks(
    name: str, cells: pd.DataFrame, rows: dict[Any, Row], settings: Any, clusters: Any
) -> list[Check]:  # fmt: skip
    """Changes from the baseline with Holm's adjustment, and their d_z."""
    start = settings["baseline"]
    stages = [s for s in cells.index.get_level_values("stage").unique() if s != start]
    if not stages:
        return []
    unit, models = settings["unit_of_analysis"], cells.index.get_level_values("model").nunique()
    tests: list[Check] = []
    own_rows: list[Row] = []
    joint_rows: list[Row] = []
    for stage in stages:
        what = f"{stage} minus {start}"
        gap: Any = (cells.xs(stage, level="stage") - cells.xs(start, level="stage")).dropna()
        if not len(gap):
            continue
        found = [(str(m), f": {what}", own_rows, one) for m, one in samples_by(gap, ["model"]).items()]
        found.append((what, f" by stage {ALL}", joint_rows, Sample.of(across_units(gap, unit, models))))
        for term, end, family, sample in found:
            test, size = rows.get((term, f"{name} change{end}")), rows.get((term, f"{name} d_z{end}"))
            if test is not None and size is not None:
                tests += mean_checks(f"{name} change", test, sample, settings, clusters)
                tests += d_z_checks(f"{name} d_z", size, sample, settings)
                family.append(test)
    return [*tests, *holm_checks(f"{name} change", own_rows), *holm_checks(f"{name} change", joint_rows)]


def model_checks(table: pd.DataFrame, rows: dict[Any, Row], settings: Any, clusters: Any) -> list[Check]:
    """Differences of any two models, with Holm's adjustment."""
    from itertools import combinations

    kind = "composite difference"
    if not any(group == kind for _, group in rows):
        return []
    course = over_stages(cells_of("composite", table, settings))
    found: list[Check] = []
    known: list[Row] = []
    for one, other in combinations(course.index.get_level_values("model").unique(), 2):
        sign = 1.0 if (f"{one} minus {other}", kind) in rows else -1.0
        row = rows[(f"{one} minus {other}" if sign > 0 else f"{other} minus {one}", kind)]
        gap: Any = sign * (course.xs(one, level="model") - course.xs(other, level="model")).dropna()
        if len(gap):
            found += mean_checks(kind, row, Sample.of(gap), settings, clusters)
            known.append(row)
    return [*found, *holm_checks(kind, known)]


def offset_checks(table: pd.DataFrame, rows: dict[Any, Row], settings: Any, clusters: Any) -> list[Check]:
    """Each judge's composite minus the judges' mean."""
    cells = cells_of("composite", table, settings)
    off = over_stages(cells.sub(cells.mean(axis=1), axis=0))
    models = cells.index.get_level_values("model").nunique()
    fixed = {**settings, "judges": "fixed"}
    found: list[Check] = []
    for judge in off.columns:
        row = rows.get((judge, "judge offset"))
        if row is not None:
            values = across_units(off[[judge]], settings["unit_of_analysis"], models)
            found += mean_checks("judge offset", row, Sample.of(values), fixed, clusters)
    return found

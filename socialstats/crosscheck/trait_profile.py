"""A trait profile once more: pandas pivots and means, scipy's t tests, statsmodels' clustered errors and Holm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from socialstats.crosscheck.trait_tables import (
    Sample,
    across_units,
    by_stage,
    clusters_of,
    composite,
    d_z_checks,
    holm_checks,
    mean_checks,
    over_stages,
    samples_by,
    score_table,
)
from socialstats.crosscheck.trait_weights import weight_checks
from socialstats.crosscheck.trait_zero import control_scores, error_under, zero_under
from socialstats.results import Check, Result, Row, Verification

if TYPE_CHECKING:
    import pandas as pd

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
    for stage, own in cells.groupby(level="stage"):
        yield (str(stage), f"{name} by stage {ALL}"), Sample.of(across_units(own.droplevel("stage"), unit, models))


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

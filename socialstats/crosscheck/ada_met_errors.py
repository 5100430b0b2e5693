"""Standard errors of ADA-Met once more: people drawn by numpy, every mode found anew, sums of residuals written out.

V = V_units + P/(P - 1) (V_people - the part that single units make), with residuals weight x (distance - mean) of each
unit or cluster; degrees of freedom by Satterthwaite's formula.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.crosscheck.ada_met import LINE, Told, from_modes, modes_without
from socialstats.crosscheck.ada_met_tests import Dealt, answers_table
from socialstats.crosscheck.draws import Cells
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.row_arithmetic import end_checks, label, quantile, relative
from socialstats.results import Check, FloatArray, Result, Row

WHY = "the people that the seed draws, drawn by numpy; every mode found anew"
LONG = "modes of every resample would take too long"
MOST = 8_000_000  # resamples x units x levels
FEWEST = 4
CLOSE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A row that is a mean over units of a distance, or of a distance minus another one.

    `one`, `other`: names of columns of distances; `units`: which units count.
    """

    row: Row
    one: str
    other: str
    units: FloatArray


def error_checks(result: Result, told: Told) -> list[Check]:
    """Compare standard errors, degrees of freedom and ends of the means over all people."""
    settings = result.settings
    if settings["ci"] != "two_way":
        return []
    constants = {f"always {name}": dict.fromkeys(told.people, told.scores[k]) for k, name in enumerate(told.labels)}
    every = replace(told, models={**told.models, **constants}, modes={})
    columns = list(every.models)
    means = [mean for row in result.rows if (mean := mean_of(result, row, told)) is not None]
    shown = [mean for mean in means if mean.row.std_error is not None]
    if not shown:
        return []
    if settings["resamples"] * len(told.people) * len(told.scores) > MOST:
        return [compare(label(m.row, name), value, None, package="numpy", tolerance=0, why="", note=LONG)
                for m in shown for name in ("std_error", "conf_low", "conf_high", "df")
                if (value := getattr(m.row, name)) is not None]  # fmt: skip
    units = list(told.people)
    pool = sorted({person for own in told.people.values() for person in own}, key=result.design.raters.index)
    table, dealt = answers_table(told, units, pool), Dealt(every, result)
    weight = np.array([told.weight[unit] for unit in units])
    top = ceiling_values(result, told, units)

    def seen(times: FloatArray) -> FloatArray:
        """Distances of every column, of the uniform answer and of a person from the others, (columns, units)."""
        side = np.tensordot(times, table, 1)
        found = dealt.distances(side)
        always = found[len(told.models) :].mean(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            person = (side * np.nan_to_num(top)).sum(axis=1) / (side * ~np.isnan(top)).sum(axis=1)
        return np.vstack([found, always, person])

    names = [*columns, "uniform answer", "person"]
    clusters = [np.array([f.codes[result.design.units.index(u)] for u in units])
                for f in result.design.factors(settings["cluster"])]  # fmt: skip
    seed = int(np.random.SeedSequence([settings["seed"], 1]).generate_state(1)[0])
    draws = [seen(times) for times in people_of(len(pool), settings["resamples"], seed)]
    sample, out = seen(np.ones(len(pool))), []
    for mean in shown:
        i, j = names.index(mean.one), names.index(mean.other) if mean.other else -1
        each = [d[i] - d[j] if mean.other else d[i] for d in (sample, *draws)]
        off, counted = residuals(np.array(each), mean.units, weight), ~np.isnan(each[0]) & mean.units
        out += row_checks(mean.row, off, counted, clusters, weight, len(pool), settings)
    return out


def mean_of(result: Result, row: Row, told: Told) -> Mean | None:
    """Return what a row is the mean of; None for rows of groups of people, shares and the population's mode."""
    group, units = row.group or "", np.ones(len(told.people), dtype=bool)
    stratum = result.settings["stratum"]
    if group == LINE:
        one = row.term if row.term.startswith("always ") or row.term == "uniform answer" else "person"
        return Mean(row=row, one=one, other="", units=units)
    if row.term not in told.models:
        return None
    for start in ("minus nearest = ", "minus constant = "):
        if group.startswith(start):
            return Mean(row=row, one=row.term, other=group.removeprefix(start), units=units)
    if stratum is not None and group.startswith(f"{stratum} = "):
        design = result.design
        factor = {**{f.name: f for f in design.clusters}, **design.strata}[stratum]
        level = dict(zip(design.units, factor.codes.tolist(), strict=True))
        wanted = factor.levels.index(group.removeprefix(f"{stratum} = "))
        return Mean(row=row, one=row.term, other="", units=np.array([level[u] == wanted for u in told.people]))
    return Mean(row=row, one=row.term, other="", units=units) if row.group is None else None


def people_of(size: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each person is drawn; a single one always once."""
    if size < 2:
        return iter([np.ones(size)] * resamples)
    return Cells.of(np.ones(size), [np.arange(size)]).draws(resamples, seed)


def ceiling_values(result: Result, told: Told, units: list[str]) -> FloatArray:
    """Distance of an answer of each level from the mode of the other people, (units, levels); NaN where none is."""
    out = np.full((len(units), len(told.scores)), np.nan)
    for u, unit in enumerate(units):
        answers = list(told.people[unit].values())
        for k, score in enumerate(told.scores):
            others = modes_without(list(answers), score) if score in answers else None
            found = from_modes(others, score, told, result.settings) if others else None
            out[u, k] = math.nan if found is None else found
    return out


def residuals(each: FloatArray, units: FloatArray, weight: FloatArray) -> FloatArray:
    """Distance minus the mean of the sample, (1 + B, units), 0 where there is no distance; the sample first."""
    known = ~np.isnan(each) & units
    value = float(np.nansum(np.where(known[0], each[0], 0) * weight) / (weight * known[0]).sum())
    return np.where(known, each - value, 0.0)


def row_checks(
    row: Row, off: FloatArray, counted: Any, clusters: list[Any], weight: FloatArray, people: int, settings: Any
) -> list[Check]:
    """Compare standard error, df and ends with sums of residuals, (1 + B, units), the sample first."""
    codes = list(clusters) or [np.arange(len(weight))]
    if len(codes) == 2:
        codes.append(np.unique(np.column_stack(codes), axis=0, return_inverse=True)[1].ravel())
    scale = weight if clusters else np.sqrt(weight)
    total = float(weight @ counted)
    pieces = float(min(len(np.unique(c[counted])) for c in codes[:2])) if clusters else total
    own, units, largest = 0.0, 0.0, []
    for k, code in enumerate(codes):
        dense = np.unique(code, return_inverse=True)[1].ravel()
        sums = np.zeros((dense.max() + 1, len(off)))
        np.add.at(sums, dense, (off * scale).T)
        sign = -1.0 if k == 2 else 1.0
        own += sign * float(sums[:, 1:].var(axis=1, ddof=1).sum())
        squares = float((sums[:, 0] ** 2).sum())
        units += sign * squares
        largest += [squares] if sign > 0 else []
    v_units = pieces / (pieces - 1) * max(units, *largest) / total**2
    v_people = max(float((off[1:] @ weight).var(ddof=1)) - own, 0.0) / total**2 * people / max(people - 1, 1)
    df = (v_units + v_people) ** 2 / (v_units**2 / (pieces - 1) + v_people**2 / max(people - 1, 1))
    if people < FEWEST:
        df = min(df, max(people - 1, 1))
    error, value = math.sqrt(v_units + v_people), float(row.estimate or 0.0)
    out = [relative(label(row, "s.e."), row.std_error, error, "numpy", WHY, CLOSE)]
    if row.df is not None:
        return [*out, relative(label(row, "df"), row.df, df, "numpy", WHY, CLOSE)]
    reach = quantile(settings["level"], df) * error
    return [*out, *end_checks(row, max(value - reach, 0.0), value + reach, "scipy", WHY, CLOSE, least=reach)]

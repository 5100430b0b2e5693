"""Mean ratings recomputed: pandas averages unit by unit, scipy, matrices of clusters and roots give the intervals."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import CR2, Errors, counted, mean_row_checks
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.people import Part, joined_errors
from socialstats.crosscheck.ratings_difference import SAME
from socialstats.crosscheck.row_arithmetic import (
    end_checks,
    field_checks,
    label,
    relative,
    wald_checks,
)
from socialstats.crosscheck.shares import ROOTS, wilson_roots
from socialstats.crosscheck.weights import LINEARISED, weighted_errors
from socialstats.results import Check, Result, Row

if TYPE_CHECKING:
    import pandas as pd


def checks_of(result: Result) -> list[Check]:
    """Recompute every row.

    Parameters
    ----------
    result : Result
        The key of a row says its stratum and level, or its rater.
    """
    table = long_table(result)
    checks: list[Check] = []
    for row in result.rows:
        own = table
        if row.label("rater") is not None:
            own = table[table["rater"] == row.label("rater")]
        elif row.label("stratum") is not None:
            own = table[table[f"stratum {row.label('stratum')}"] == row.label("level")]
        checks += mean_checks(result, row, own)
    return checks


def long_table(result: Result) -> pd.DataFrame:
    """Return one row per rating: unit, rater, score, strata and clusters."""
    import pandas as pd

    design = result.design
    ok = design.status == 0
    unit = design.unit[ok]
    columns = {"unit": unit, "rater": np.array(design.raters, dtype=object)[design.rater[ok]]}
    columns |= {
        "held": np.ones(len(unit)) if design.unit_weight is None else design.unit_weight[unit]
    }
    columns |= {"score": (design.read_as() * design.scores).sum(axis=1)[ok]}
    columns |= {
        f"stratum {k}": np.array(f.levels, dtype=object)[f.codes][unit]
        for k, f in design.strata.items()
    }
    used = [f for f in design.clusters if f.name in result.settings["cluster"]]
    columns |= {f"cluster{k}": f.codes[unit] for k, f in enumerate(used)}
    return pd.DataFrame(columns)


def mean_checks(result: Result, row: Row, own: pd.DataFrame) -> list[Check]:
    """Compare a mean over units, its error and its interval."""
    if row.estimate is None:
        return []
    units = own.groupby("unit").mean(numeric_only=True)
    values, held = units["score"].to_numpy(), units["held"].to_numpy()
    made = [
        compare(
            label(row),
            row.estimate,
            float(np.average(values, weights=held)),
            package="pandas",
            tolerance=1e-10,
            why=SAME,
        )
    ]
    if row.conf_low is None:
        return made
    names = [name for name in units.columns if name.startswith("cluster")]
    groups = units[names].to_numpy() if names else np.arange(len(values))[:, None]
    codes = groups if names else groups[:, :0]
    person = own["rater"].isin(result.extras["people"]) & (row.label("rater") is None)
    weight = own["held"] / own.groupby("unit")["score"].transform("size") / held.sum()
    table = own.assign(person=person, left=own["cluster0"] if names else own["unit"])
    people = Part.of(table, own[["score"]].to_numpy(), weight, alone=True)
    errors = joined_errors(weighted_errors(values, held, codes), [people])
    if row.interval == "score":
        plain = not names and people is None and not np.ptp(held)
        return made + score_checks(result, row, values, held, errors, len(own), plain=plain)
    if np.ptp(held):
        return made + weighted_checks(row, values, held, errors, result.settings["level"])
    return made + mean_row_checks(row, values, groups, result.settings["level"], errors=errors)


def weighted_checks(
    row: Row, values: FloatArray, held: FloatArray, errors: Errors, level: float
) -> list[Check]:
    """Compare the error and the t interval of a weighted mean."""
    mean, error = float(np.average(values, weights=held)), math.sqrt(errors.variance)
    out = field_checks(row, "numpy", LINEARISED, std_error=error, df=errors.df)
    return [*out, *wald_checks(row, level, mean, error, errors.df, why=LINEARISED)]


def score_checks(
    result: Result,
    row: Row,
    values: FloatArray,
    held: FloatArray,
    errors: Errors,
    ratings: int,
    *,
    plain: bool,
) -> list[Check]:
    """Compare the standard error of a mean between two ends, and Wilson's ends of its place between them.

    `plain` means that units are independent, and raters are fixed.
    """
    low, high = result.extras["ends"]
    p, variance = (values - low) / (high - low), errors.variance / (high - low) ** 2
    extreme = bool(np.isin(values, (low, high)).all())
    out = []
    if row.std_error is not None:
        out.append(
            relative(label(row, "s.e."), row.std_error, math.sqrt(errors.variance), "numpy", CR2)
        )
    binary = (
        len(result.design.levels) == 2 and result.design.repeats is None
    )  # a mean of answers is none
    mean, df = float(np.average(p, weights=held)), errors.df
    if binary and extreme and plain:
        ends = wilson_roots(mean, float(len(p)), result.settings["level"], None)
    else:
        most = math.inf if not binary else len(p) if extreme else ratings
        most *= float(held.sum() ** 2 / (held @ held)) / len(p)
        trials = counted(mean * (1 - mean), replace(errors, variance=variance), most)
        out.append(relative(label(row, "df"), row.df, df, "numpy", CR2))
        ends = wilson_roots(mean, trials, result.settings["level"], df)
    below, above = (low + end * (high - low) for end in ends)
    return out + end_checks(row, below, above, "numpy", ROOTS, 1e-7)

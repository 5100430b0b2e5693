"""Mean ratings recomputed: pandas averages unit by unit, scipy and matrices of clusters give the intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from socialstats.crosscheck.clusters import mean_errors, mean_row_checks
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.people import Part, joined_errors
from socialstats.crosscheck.ratings_difference import SAME
from socialstats.crosscheck.row_arithmetic import label
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
    columns |= {"score": (design.read_as() * design.scores).sum(axis=1)[ok]}
    columns |= {f"stratum {k}": np.array(f.levels, dtype=object)[f.codes][unit] for k, f in design.strata.items()}
    used = [f for f in design.clusters if f.name in result.settings["cluster"]]
    columns |= {f"cluster{k}": f.codes[unit] for k, f in enumerate(used)}
    return pd.DataFrame(columns)


def mean_checks(result: Result, row: Row, own: pd.DataFrame) -> list[Check]:
    """Compare a mean over units, its error and its interval."""
    if row.estimate is None:
        return []
    units = own.groupby("unit").mean(numeric_only=True)
    values = units["score"].to_numpy()
    made = [compare(label(row), row.estimate, float(values.mean()), package="pandas", tolerance=1e-10, why=SAME)]
    if row.std_error is None:
        return made
    names = [name for name in units.columns if name.startswith("cluster")]
    groups = units[names].to_numpy() if names else np.arange(len(values))[:, None]
    left = own["cluster0"] if names else own["unit"]
    person = own["rater"].isin(result.extras["people"]) & (row.label("rater") is None)
    weight = 1 / own.groupby("unit")["score"].transform("size") / len(values)
    part = Part.of(own.assign(person=person, left=left), own[["score"]].to_numpy(), weight, alone=True)
    errors = joined_errors(mean_errors(values, groups), [part])
    return made + mean_row_checks(row, values, groups, result.settings["level"], errors=errors)

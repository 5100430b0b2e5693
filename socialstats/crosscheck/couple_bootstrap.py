"""The bootstrap of couples once more: draws by numpy, every resample computed anew from the records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.bootstrap import CLOSE, WHY, Redrawn, redrawn
from socialstats.crosscheck.couple_records import CELL, Key, value_of
from socialstats.crosscheck.draws import Cells
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.row_arithmetic import end_checks, label, relative
from socialstats.results import Check, FloatArray, Result, Row

if TYPE_CHECKING:
    import pandas as pd

TOO_MANY = "too many resamples of too many answers to compute one by one"


def resampled(
    result: Result, table: pd.DataFrame, contrasts: list[dict[Key, float]], sizes: list[list[dict[Key, float]]]
) -> Redrawn | None:
    """Compute contrasts, and last B_all, of every resample; None where that takes too long.

    Parameters
    ----------
    result : Result
    table : DataFrame
        Weighted answers.
    contrasts : list of mappings
    sizes : list of lists of mappings
        B of each rater, for each pair of groups.
    """
    design: Any = result.design
    cells = Cells.of(design.unit_count, [f.codes for f in design.factors(result.settings["cluster"])])
    place, keys = table.groupby(CELL).ngroup().to_numpy(), sorted(set(table[CELL].itertuples(index=False, name=None)))
    row, score, weight = (table[name].to_numpy() for name in ("row", "score", "w"))
    copies = cells.count[row]

    def statistic(times: FloatArray) -> FloatArray:
        now = weight * times[row] / copies
        total = np.bincount(place, now, len(keys))
        own = np.bincount(place, now * score, len(keys)) / np.where(total > 0, total, np.nan)
        means = dict(zip(keys, own.tolist(), strict=True))
        size = np.mean([np.mean([abs(value_of(c, means)) for c in one]) for one in sizes if one])
        return np.array([*(value_of(c, means) for c in contrasts), size])

    return redrawn(cells, statistic, ci="percentile", resamples=result.settings["resamples"],
                   seed=result.settings["seed"], cost=3.0)  # fmt: skip


def term_ends(row: Row, drawn: Redrawn | None, column: int, result: Result, reach: float) -> list[Check]:
    """Compare the percentile or basic interval of B or S, cut at what it can reach."""
    if row.conf_low is None:
        return []
    if drawn is None:
        return [compare(label(row, "bootstrap"), row.conf_low, None, package="numpy", tolerance=0, why=WHY,
                        note=TOO_MANY)]  # fmt: skip
    low, high = drawn.ends(result.settings["ci"], column, result.settings["level"])
    return end_checks(row, max(low, -reach), min(high, reach), "numpy", WHY, CLOSE)


def overall_ends(rows: list[Row], drawn: Redrawn | None, level: float) -> list[Check]:
    """Compare interval and standard error of B_all and B_all corrected.

    From below the basic interval less the bias, from above the percentile one, cut at 0 and 2, widened to both.
    """
    known = [row for row in rows if row.conf_low is not None]
    if not known:
        return []
    if drawn is None:
        return [compare(label(row, "bootstrap"), row.conf_low, None, package="numpy", tolerance=0, why=WHY,
                        note=TOO_MANY) for row in known]  # fmt: skip
    last = drawn.replicates.shape[1] - 1
    bias = float(np.nanmean(drawn.replicates[:, last]) - drawn.estimate[last])
    held = [row.estimate for row in rows if row.estimate is not None]
    low = min(max(drawn.ends("basic", last, level)[0] - bias, 0.0), *held, 2.0)
    high = max(min(drawn.ends("percentile", last, level)[1], 2.0), *held, 0.0)
    checks = []
    for row in known:
        checks += end_checks(row, low, high, "numpy", WHY, CLOSE)
        if row.std_error is not None:
            found = drawn.std_error(last)
            checks.append(relative(label(row, "s.e. of the resamples"), row.std_error, found, "numpy", WHY, CLOSE))
    return checks

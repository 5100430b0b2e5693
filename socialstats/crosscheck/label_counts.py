"""Label counts recomputed: pandas tables, Wilson's ends as roots, matrices of clusters for ratios."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import codes_of, errors_by
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.resamples import Cells, redrawn, resampled_checks
from socialstats.crosscheck.row_arithmetic import label
from socialstats.crosscheck.shares import clustered_share_checks, mean_checks
from socialstats.designs.label_lists import LabelLists
from socialstats.results import Check, Result, Row, Verification

COUNTED = "the same counts, divided"


def verify(result: Result) -> Verification:
    """Recompute counts and shares of all rows, their standard errors and intervals."""
    import pandas as pd

    lists: LabelLists = result.design
    cells = np.repeat(np.arange(len(lists.count)), lists.count.astype(int))
    table = pd.DataFrame(lists.cited[cells], columns=list(lists.labels))
    codes = codes_of(lists.factors(result.settings["cluster"] or None), cells)
    checks: list[Check] = []
    trios = [result.rows[k : k + 3] for k in range(0, len(result.rows), 3)]
    for one, of_units, of_labels in trios:
        kept = np.ones(len(cells), dtype=bool)
        if one.group is not None and lists.group is not None:
            kept = lists.group.codes[cells] == lists.group.levels.index(one.group)
        hits, sizes = (
            table.loc[kept, one.term].to_numpy(dtype=float),
            table[kept].sum(axis=1).to_numpy(dtype=float),
        )
        counted = float(hits.sum())
        checks.append(
            compare(
                label(one), one.estimate, counted, package="pandas", tolerance=1e-9, why=COUNTED
            )
        )
        checks += mean_checks(
            result, of_units, hits, np.ones(len(hits)), codes[kept], float(len(hits))
        )
        checks += ratio_checks(result, of_labels, hits, sizes, codes[kept])
    return Verification(checks=tuple(checks))


def ratio_checks(
    result: Result, row: Row, hits: FloatArray, sizes: FloatArray, codes: Any
) -> list[Check]:
    """Compare a share of labels, the standard error of its linearised values, and its interval."""
    if row.estimate is None:
        return []
    settings, p = result.settings, float(hits.sum() / sizes.sum())
    checks = [compare(label(row), row.estimate, p, package="pandas", tolerance=1e-9, why=COUNTED)]
    checks += clustered_share_checks(
        row,
        p,
        errors_by((hits - p * sizes) / sizes.sum(), sizes / sizes.sum(), codes),
        level=settings["level"],
        answers=float(sizes.sum()) if codes.shape[1] else math.inf,
        ends=settings["ci"] == "wilson",
    )
    if row.conf_low is None or settings["ci"] == "wilson":
        return checks
    keys, place = np.unique(np.column_stack([codes, hits, sizes]), axis=0, return_inverse=True)
    cells = Cells.of(np.bincount(place.ravel()), keys[:, :-2].T)

    def ratio(times: FloatArray) -> float:
        total = float(times @ keys[:, -1])
        return float(times @ keys[:, -2]) / total if total else np.nan

    if not cells.codes:
        return checks  # cells of the library come in the order of its table: other draws
    drawn = redrawn(
        cells, ratio, ci=settings["ci"], resamples=settings["resamples"], seed=settings["seed"]
    )
    return checks + resampled_checks(row, drawn, settings["ci"], settings["level"], error=False)

"""Label counts once more: pandas tables, Wilson's ends as roots, matrices of clusters for ratios."""

from __future__ import annotations

from typing import Any

import numpy as np

from socialstats.crosscheck.bootstrap import redrawn, resampled_checks
from socialstats.crosscheck.draws import Cells
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.reread import MATRICES, error_of
from socialstats.crosscheck.row_arithmetic import end_checks, label, relative
from socialstats.crosscheck.unit_share_rows import ROOTS, mean_checks, trials_of, wilson_roots
from socialstats.designs.label_lists import LabelLists
from socialstats.results import Check, FloatArray, Result, Row, Verification

COUNTED = "the same counts, divided"


def verify(result: Result) -> Verification:
    """Recompute counts and shares of all rows, their standard errors and intervals."""
    import pandas as pd

    lists: LabelLists = result.design
    cells = np.repeat(np.arange(len(lists.count)), lists.count.astype(int))
    table = pd.DataFrame(lists.cited[cells], columns=list(lists.labels))
    factors = [factor.codes[cells] for factor in lists.factors(result.settings["cluster"] or None)]
    codes = np.column_stack(factors) if factors else np.zeros((len(cells), 0), dtype=int)
    checks: list[Check] = []
    trios = [result.rows[k : k + 3] for k in range(0, len(result.rows), 3)]
    for one, of_units, of_labels in trios:
        kept = np.ones(len(cells), dtype=bool)
        if one.group is not None and lists.group is not None:
            kept = lists.group.codes[cells] == lists.group.levels.index(one.group)
        hits, sizes = table.loc[kept, one.term].to_numpy(dtype=float), table[kept].sum(axis=1).to_numpy(dtype=float)
        counted = float(hits.sum())
        checks.append(compare(label(one), one.estimate, counted, package="pandas", tolerance=1e-9, why=COUNTED))
        checks += mean_checks(result, of_units, hits, np.ones(len(hits)), codes[kept], float(len(hits)))
        checks += ratio_checks(result, of_labels, hits, sizes, codes[kept])
    return Verification(checks=tuple(checks))


def ratio_checks(result: Result, row: Row, hits: FloatArray, sizes: FloatArray, codes: Any) -> list[Check]:
    """Compare a share of labels, the standard error of its linearised values, and its interval."""
    if row.estimate is None:
        return []
    settings, p, n = result.settings, float(hits.sum() / sizes.sum()), len(hits)
    checks = [compare(label(row), row.estimate, p, package="pandas", tolerance=1e-9, why=COUNTED)]
    groups = codes if codes.shape[1] else np.arange(n)[:, None]
    g = float(min(len(np.unique(column)) for column in groups.T))
    if row.conf_low is None or g < 2:
        return checks
    error, df = error_of(p + n * (hits - p * sizes) / sizes.sum(), groups)
    if error is None:
        made: dict[str, Any] = {"package": "numpy", "why": "", "note": "clusters too large for matrices"}
        return [*checks, compare(label(row, "s.e."), row.std_error, None, tolerance=0, **made)]
    if row.std_error is not None:
        checks.append(relative(label(row, "s.e."), row.std_error, error, "numpy", MATRICES))
    if settings["ci"] == "wilson":
        known = row.std_error is not None
        low, high = wilson_roots(p, trials_of(p, error if known else 0.0, g, np.inf), settings["level"],
                                 df if known else g - 1)  # fmt: skip
        return checks + end_checks(row, low, high, "numpy", ROOTS, 1e-7)
    keys, place = np.unique(np.column_stack([codes, hits, sizes]), axis=0, return_inverse=True)
    cells = Cells.of(np.bincount(place.ravel()), keys[:, :-2].T)

    def ratio(times: FloatArray) -> float:
        total = float(times @ keys[:, -1])
        return float(times @ keys[:, -2]) / total if total else np.nan

    if not cells.codes:
        return checks  # cells of the library come in the order of its table: other draws
    drawn = redrawn(cells, ratio, ci=settings["ci"], resamples=settings["resamples"], seed=settings["seed"])
    return checks + resampled_checks(row, drawn, settings["ci"], settings["level"], error=False)

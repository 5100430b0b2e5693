"""Cochran's Q recomputed: statsmodels, shares by pandas, the robust test with one rater left out."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import codes_of, errors_of_mean
from socialstats.crosscheck.paired_tables import CLOSED, near, set_aside
from socialstats.crosscheck.row_arithmetic import end_checks, same_p
from socialstats.crosscheck.share_differences import difference_checks
from socialstats.crosscheck.shares import ROOTS, clustered_share_checks, wilson_roots
from socialstats.crosscheck.symmetry import IGNORING, hotelling_checks
from socialstats.designs.ratings import Ratings
from socialstats.results import Check, Result, Row, Verification
from socialstats.results.peers import load_peer


def verify(result: Result) -> Verification:
    """Recompute the shares, Q, and the robust test of one cluster factor."""
    design = result.design
    factors = design.factors(result.settings["cluster"])
    table, units = complete_table(design)
    shares = dict(zip(design.raters, table.mean(axis=0), strict=True))
    shown = [r for r in result.rows if r.group == "share"]
    checks = [
        near(f"share of rater {k + 1}", r.estimate, float(shares[r.term]), "pandas", close=1e-10)
        for k, r in enumerate(shown)
    ]
    checks += q_checks(result, table, IGNORING if factors else "test")
    codes = codes_of(factors, units)
    checks += share_ends(shown, table, codes, result.settings["level"])
    gaps = [r for r in result.rows if r.group == "difference"]
    if gaps:
        d = np.column_stack(
            [table[:, i] - table[:, j] for i, j in combinations(range(table.shape[1]), 2)]
        )
        checks += difference_checks(gaps, d, codes, result.settings["level"])
    row = result.row("robust_wald", group="test") if factors else None
    if row is not None and row.df is not None:
        d = table - table.mean(axis=1, keepdims=True)
        checks += hotelling_checks(row, d, codes, result.extras["df_denominator"])
    return Verification(checks=tuple(checks))


def share_ends(rows: list[Row], table: FloatArray, codes: Any, level: float) -> list[Check]:
    """Wilson's interval of each share: of all units, or of as many as the clustered error speaks for."""
    out, n = [], len(table)
    for row, x in zip(rows, table.T, strict=True):
        if codes.shape[1]:
            errors = errors_of_mean(x, codes)
            out += clustered_share_checks(row, float(x.mean()), errors, answers=n, level=level)
        elif row.conf_low is not None:
            out += end_checks(
                row, *wilson_roots(float(x.mean()), n, level, None), "numpy", ROOTS, 1e-7
            )
    return out


def complete_table(design: Ratings) -> tuple[FloatArray, FloatArray]:
    """Pivot the ratings with pandas: one row per complete unit (repeated by its count), one column per rater."""
    import pandas as pd

    ok = design.status == 0
    long = pd.DataFrame(
        {"unit": design.unit[ok], "rater": design.rater[ok], "value": design.value[ok]}
    )
    wide = long.pivot(index="unit", columns="rater", values="value").dropna()
    wide = wide.reindex(columns=range(len(design.raters)))
    wide = wide.loc[wide.index.repeat(design.unit_count[wide.index].astype(int))]
    return wide.to_numpy(dtype=np.float64), wide.index.to_numpy()


def q_checks(result: Result, table: FloatArray, group: str) -> list[Check]:
    """Q, df and p with statsmodels."""
    cochrans_q = load_peer("statsmodels.stats.contingency_tables", "cochrans_q")

    row = result.row("cochran_q", group=group)
    if not np.ptp(table, axis=1).any():
        note = "statsmodels divides 0 by 0 when raters never disagree; Q is 0 and p 1 by definition"
        return [set_aside("cochran_q", row.statistic, None, "statsmodels", note)]
    theirs = cochrans_q(table)
    return [
        near("Q", row.statistic, float(theirs.statistic), "statsmodels", close=1e-9),
        near("df of Q", row.df, float(theirs.df), "statsmodels"),
        same_p("p of Q", row.p_value, float(theirs.pvalue), "statsmodels", CLOSED),
        *second_opinion(row, table),
    ]


def second_opinion(row: Row, table: FloatArray) -> list[Check]:
    """Q and p with pingouin."""
    import pandas as pd

    cochran = load_peer("pingouin", "cochran")

    long = pd.DataFrame(table).reset_index().melt("index")
    found = cochran(long, dv="value", within="variable", subject="index").iloc[0]
    return [
        near("Q again", row.statistic, float(found["Q"]), "pingouin", close=1e-6),
        same_p("p of Q again", row.p_value, float(found["p_unc"]), "pingouin", CLOSED, 1e-6),
    ]

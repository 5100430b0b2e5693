"""Spearman's rho recomputed: scipy's coefficient of single units, its error by ranking again at moved weights."""

from __future__ import annotations

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import codes_of, fisher_ends, mean_error
from socialstats.crosscheck.row_arithmetic import (
    adjusted_checks,
    end_checks,
    field_checks,
    inner_level,
    label,
    relative,
    tail_p,
    with_open_end,
)
from socialstats.designs.ratings import OK
from socialstats.results import Check, Result, Row, Verification

STEP = 1e-5
MOST = 2000  # units whose ranks are moved one by one in a second
MOVED = "ranks of single units at weights moved up and down, CR2 by the textbook"


def verify(result: Result) -> Verification:
    """Recompute every pair of raters."""
    checks = [check for row in result.rows for check in checks_of(result, row)]
    tested = sum(row.p_value is not None for row in result.rows)
    return Verification(checks=(*checks, *(adjusted_checks(result.rows) if tested > 1 else ())))


def checks_of(result: Result, row: Row) -> list[Check]:
    """Compare rho, its standard error, df, test and ends."""
    from scipy.stats import spearmanr

    if row.estimate is None:
        return []
    design = result.design
    pair = [design.raters.index(row.label(part)) for part in ("rater", "other")]
    given = [
        dict(zip(design.unit[mine], design.scores[design.value[mine]], strict=True))
        for mine in ((design.status == OK) & (design.rater == k) for k in pair)
    ]
    units = [
        unit for unit in given[0] if unit in given[1] for _ in range(int(design.unit_count[unit]))
    ]
    x, y = (np.array([side[unit] for unit in units], dtype=np.float64) for side in given)
    rho = float(spearmanr(x, y).statistic)
    found = field_checks(row, "scipy", "spearmanr", estimate=rho)
    if row.std_error is None or len(units) > MOST:
        return found
    error, df = mean_error(
        slopes(x, y), codes_of(design.factors(result.settings["cluster"]), np.array(units))
    )
    found.append(relative(label(row, "s.e."), row.std_error, error, "numpy", MOVED, close=1e-5))
    t, side = (
        np.arctanh(row.estimate) * (1 - row.estimate**2) / row.std_error,
        result.settings["alternative"],
    )
    found += field_checks(row, statistic=float(t), df=df, p_value=tail_p(float(t), df, side))
    ends = fisher_ends(row.estimate, row.std_error, df, inner_level(result.settings))
    return found + end_checks(row, *with_open_end(*ends, side, (-1.0, 1.0)))


def slopes(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the change of rho with the share of each unit by central differences; ranks from all comparisons."""
    beats = [(v[:, None] > v) + 0.5 * (v[:, None] == v) for v in (x, y)]

    def rho(k: int, h: float) -> float:
        weight = 1 + h * (np.arange(len(x)) == k)
        ranks = [beat.sum(axis=1) + h * beat[:, k] for beat in beats]
        both = np.cov(np.stack(ranks), aweights=weight)
        return float(both[0, 1] / np.sqrt(both[0, 0] * both[1, 1]))

    return np.array([rho(k, STEP) - rho(k, -STEP) for k in range(len(x))]) * len(x) / (2 * STEP)

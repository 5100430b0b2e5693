"""A multinomial logit recomputed: one more step of Newton's method, and the sandwich, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.row_arithmetic import label, relative, same_p, statistic_checks, t_ends
from socialstats.results import Check, Result

MAXIMUM = "at a maximum a step of Newton's method leads nowhere; scores summed by cluster"
MOST_ROWS = 60_000
PRECISION = 1e-6  # of errors beside those of the model


def checks_of(result: Result) -> list[Check]:
    """Compare coefficients, errors, ends, p and joint tests with those of the raw counts."""
    from scipy.stats import f

    made = result.extras["matrix"]
    if len(made.x) > MOST_ROWS:
        return []
    rows = [row for row in result.rows if row.role != "test"]
    beta, covariance, model, groups = stepped(made, np.array([row.estimate for row in rows], dtype=np.float64))
    checks: list[Check] = []
    for k, row in enumerate(rows):
        checks.append(relative(label(row, "estimate"), row.estimate, float(beta[k]), "numpy", MAXIMUM, 1e-5, size=1.0))
        error = float(np.sqrt(covariance[k, k]))
        if row.std_error is None:  # clusters that are alike
            known = float(error > PRECISION * float(np.sqrt(model[k, k])))
            checks.append(compare(label(row, "whether there is a s.e."), 0.0, known, package="numpy", tolerance=0.0,
                                  why=MAXIMUM))  # fmt: skip
            continue
        checks.append(relative(label(row, "s.e."), row.std_error, error, "numpy", MAXIMUM, 1e-5))
        checks += statistic_checks(row, df=groups - 1.0) + t_ends(row, row.conf_level or 0.95, groups - 1.0)
    for row in result.rows:
        if row.role == "test" and row.statistic is not None:
            at = [k for k, one in enumerate(rows) if one.label("kind") == row.label("kind")]
            q = len(at)
            wald = float(beta[at] @ np.linalg.inv(covariance[np.ix_(at, at)]) @ beta[at])
            value = (groups - q) / ((groups - 1) * q) * wald
            checks.append(relative(label(row, "F"), row.statistic, value, "numpy", MAXIMUM, 1e-4))
            checks.append(
                same_p(label(row, "p"), row.p_value, float(f.sf(value, q, groups - q)), "scipy", MAXIMUM, 1e-3)
            )
    return checks


def stepped(made: Any, beta: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, int]:
    """Coefficients after one more step, level by level, their covariances by cluster and model, and the clusters."""
    information = np.zeros((len(beta), len(beta)))
    scores: dict[int, Any] = {}
    for x, counts, cluster in zip(made.x, made.counts, made.codes.tolist(), strict=True):
        odds = np.exp([0.0, *(beta.reshape(-1, len(x)) @ x)])
        p, n = odds / odds.sum(), counts.sum()
        scores[cluster] = scores.get(cluster, 0.0) + np.kron((counts - n * p)[1:], x)
        information += n * np.kron(np.diag(p[1:]) - np.outer(p[1:], p[1:]), np.outer(x, x))
    bread, sums, groups = np.linalg.inv(information), np.array(list(scores.values())), len(scores)
    return beta + bread @ sums.sum(axis=0), groups / (groups - 1) * bread @ sums.T @ sums @ bread, bread, groups

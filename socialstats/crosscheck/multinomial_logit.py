"""A multinomial logit once more: every rating a row, statsmodels' MNLogit with clusters."""

from __future__ import annotations

from typing import Any

import numpy as np

from socialstats.crosscheck.row_arithmetic import label, relative, same_p, statistic_checks, t_ends
from socialstats.results import Check, Result

MAXIMUM = "two maxima, each found to 1e-8 or better"
MOST_RATINGS = 60_000


def checks_of(result: Result) -> list[Check]:
    """Fit the model again and compare coefficients, errors, ends, p and joint tests."""
    made = result.extras["matrix"]
    if made.counts.sum() > MOST_RATINGS:
        return []
    beta, covariance, groups = refitted(made)
    checks: list[Check] = []
    terms = made.x.shape[1]
    tests = [row for row in result.rows if row.group == "all at once"]
    rest = result.rows[len(tests) :]
    for k, row in enumerate(rest):
        error = float(np.sqrt(covariance[k, k]))
        checks.append(
            relative(label(row, "estimate"), row.estimate, float(beta[k]), "statsmodels", MAXIMUM, 1e-5, size=1.0)
        )
        checks.append(relative(label(row, "s.e."), row.std_error, error, "statsmodels", MAXIMUM, 1e-5))
        checks += statistic_checks(row, df=groups - 1.0) + t_ends(row, row.conf_level or 0.95, groups - 1.0)
    for row in tests:
        if row.statistic is not None:
            columns = [j for j, kind in enumerate(made.kinds) if kind == row.term]
            places = [m * terms + j for m in range(len(made.levels) - 1) for j in columns]
            checks += joint_checks(row, beta[places], covariance[np.ix_(places, places)], groups)
    return checks


def refitted(made: Any) -> tuple[Any, Any, int]:
    """Coefficients level by level, their clustered covariance, and the number of clusters."""
    from statsmodels.discrete.discrete_model import MNLogit

    times = made.counts.astype(int)
    rows = np.repeat(np.arange(len(made.x)), times.sum(axis=1))
    answers = np.concatenate([np.repeat(np.arange(times.shape[1]), line) for line in times])
    codes = np.unique(made.codes, return_inverse=True)[1].ravel()[rows]
    model = MNLogit(answers, made.x[rows])
    fit = model.fit(
        method="newton", maxiter=100, tol=1e-12, disp=0, cov_type="cluster",
        cov_kwds={"groups": codes, "use_correction": False},
    )  # fmt: skip
    groups = int(codes.max()) + 1
    return np.asarray(fit.params).T.ravel(), np.asarray(fit.cov_params()) * groups / (groups - 1), groups


def joint_checks(row: Any, beta: Any, covariance: Any, groups: int) -> list[Check]:
    """Compare F and p of a joint test with those of the other fit."""
    from scipy.stats import f

    q = len(beta)
    value = (groups - q) / ((groups - 1) * q) * float(beta @ np.linalg.inv(covariance) @ beta)
    return [
        relative(label(row, "F"), row.statistic, value, "statsmodels", MAXIMUM, 1e-4),
        same_p(label(row, "p"), row.p_value, float(f.sf(value, q, groups - q)), "scipy", MAXIMUM, 1e-3),
    ]

"""Preference shares recomputed: strengths by choix, shares by a plain loop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.bradley_terry import errors_of
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.pair_derived import WHY_ERROR, slopes
from socialstats.crosscheck.pair_fits import win_matrix
from socialstats.crosscheck.pair_refits import WHY as WHY_REFITS
from socialstats.crosscheck.pair_refits import refits
from socialstats.crosscheck.resamples import Redrawn
from socialstats.crosscheck.row_arithmetic import (
    SIZES,
    end_checks,
    inner_level,
    label,
    quantile,
    relative,
    tail_p,
    with_open_end,
)
from socialstats.results import Check, Result, Row, Verification

REFITTED = 1e-5  # refits of the library stop about 1e-6 from the maximum


def verify(result: Result) -> Verification:
    """Recompute the shares from choix's strengths (plain models), else from the fit's own strengths.

    A fit with ties, order effect, covariates or weights has no counterpart in choix: `fit.verify()` checks
    its strengths, and the shares are recomputed from them.
    """
    fit, groups = result.extras["fit"], result.settings["groups"]
    theirs, package, note = choix_strengths(fit)
    made: dict[str, Any] = {
        "package": package,
        "tolerance": 1e-12 if note else 1e-6,
        "why": note or "choix iterates to 1e-8 in strength",
    }
    shares = {
        scale: loop_shares(theirs, groups, scale)
        for scale in {str(row.group) for row in result.rows}
    }
    checks = [
        compare(
            f"{row.group} share of '{row.term}'",
            row.estimate,
            shares[str(row.group)][row.term],
            **made,
        )
        for row in result.rows
    ]
    return Verification(checks=(*checks, *error_checks(result), *bootstrap_checks(result)))


def error_checks(result: Result) -> list[Check]:
    """Recompute the standard errors of the delta method with numerical derivatives of the plain loop."""
    fit, checks, shown = (
        result.extras["fit"],
        [],
        [row for row in result.rows if row.std_error is not None],
    )
    if not shown:
        return []
    contrasts = np.zeros((len(shown), len(fit.names)))
    contrasts[:, : len(fit.items)] = slopes(
        lambda point: shares_at(point, result, shown), np.array(list(fit.strengths.values()))
    )
    for row, *one in zip(shown, *errors_of(fit)(contrasts), strict=True):
        error, df = map(float, one)
        name = f"{row.group} share of '{row.term}': std_error"
        checks.append(relative(name, row.std_error, error, "numpy", WHY_ERROR, 1e-6))
        side = result.settings["alternative"]
        checks += test_checks(row, error, df, len(set(result.settings["groups"].values())), side)
        if (
            result.settings["ci"] == "delta"
            and row.conf_level is not None
            and row.estimate is not None
        ):
            p = float(row.estimate)
            reach = quantile(inner_level(result.settings), df) * error / (p * (1 - p))
            ends = with_open_end(expit(logit(p) - reach), expit(logit(p) + reach), side, (0.0, 1.0))
            checks += end_checks(row, *ends, "scipy", WHY_ERROR, 1e-5)
    return checks


def test_checks(row: Row, error: float, df: float, groups: int, side: str) -> list[Check]:
    """Recompute the test of an equal share: the log-odds of the share less those of 1 / groups, over their error."""
    if row.p_value is None or row.estimate is None:
        return []
    p = float(row.estimate)
    t = math.log(p / (1 - p) * (groups - 1)) * p * (1 - p) / error
    known = None if math.isinf(df) else df
    found = [
        ("statistic", row.statistic, t, SIZES["statistic"]),
        ("p", row.p_value, tail_p(t, known, side), 0.0),
    ]
    found += [("df", row.df, known, 0.0)] if row.df is not None and known is not None else []
    return [
        relative(label(row, what), ours, theirs, "scipy", WHY_ERROR, 1e-5, size)
        for what, ours, theirs, size in found
    ]


def bootstrap_checks(result: Result) -> list[Check]:
    """Recompute the ends from refits of every resample: quantiles on the logit scale."""
    fit, settings, checks = result.extras["fit"], result.settings, []
    shown = [row for row in result.rows if row.conf_low is not None]
    if settings["ci"] == "delta" or not shown:
        return []
    found = refits(fit, settings["by"], settings["resamples"], settings["seed"])
    if isinstance(found, str):
        return [
            compare(label(row, "end"), end, None, package="scipy", tolerance=0, why="", note=found)
            for row in shown
            for end in (row.conf_low, row.conf_high)
        ]
    shares = np.array([shares_at(beta, result, shown) for beta in (found[0], *found[1])])
    for row, own in zip(shown, shares.T.tolist(), strict=True):
        values = np.array([[logit(p)] for p in own])
        drawn = Redrawn(estimate=values[0], left=None, copies=None, replicates=values[1:])
        low, high = (expit(z) for z in drawn.ends(settings["ci"], 0, inner_level(settings)))
        ends = with_open_end(low, high, settings["alternative"], (0.0, 1.0))
        checks += end_checks(row, *ends, "scipy", WHY_REFITS, REFITTED)
    return checks


def shares_at(beta: FloatArray, result: Result, rows: Sequence[Row]) -> FloatArray:
    """Share of each row at other strengths, which are the first of the coefficients."""
    strengths = dict(zip(result.extras["fit"].items, beta.tolist(), strict=False))
    found = {
        scale: loop_shares(strengths, result.settings["groups"], scale)
        for scale in {str(r.group) for r in rows}
    }
    return np.array([found[str(row.group)][row.term] for row in rows])


def logit(p: float) -> float:
    """Log odds."""
    return math.log(p / (1 - p))


def expit(z: float) -> float:
    """Probability of log odds."""
    return 1 / (1 + math.exp(-z))


def choix_strengths(fit: Any) -> tuple[dict[str, float], str, str]:
    """Strengths by choix where the model is plain, with the package's name and a note where it is not."""
    design = fit.design
    if design.weighted or design.n_ties or fit.names != design.items or fit.fitted_state.penalised:
        return (
            dict(fit.strengths),
            "numpy",
            "plain loop over the fit's own strengths: choix has no such model",
        )
    import choix

    found = choix.ilsr_pairwise_dense(win_matrix(design), max_iter=10_000, tol=1e-10)
    return dict(zip(design.items, map(float, found), strict=True)), "choix", ""


def loop_shares(
    strengths: dict[str, float], groups: dict[str, str], scale: str
) -> dict[str, float]:
    """Shares by the definition, one group after the other."""
    means = {}
    for group in dict.fromkeys(groups.values()):
        own = [strengths[item] for item in groups if groups[item] == group]
        if scale == "geometric":
            means[group] = math.exp(math.fsum(own) / len(own))
        else:
            means[group] = math.fsum(math.exp(s) for s in own) / len(own)
    total = math.fsum(means.values())
    return {group: mean / total for group, mean in means.items()}

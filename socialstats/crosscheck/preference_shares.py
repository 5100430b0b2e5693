"""Preference shares once more: strengths by choix, shares by a plain loop."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from socialstats.crosscheck.bradley_terry import errors_of
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.pair_derived import WHY_ERROR, slopes_of_all
from socialstats.crosscheck.pair_fits import win_matrix
from socialstats.crosscheck.pair_refits import WHY as WHY_REFITS
from socialstats.crosscheck.pair_refits import refits
from socialstats.crosscheck.resamples import Redrawn
from socialstats.crosscheck.row_arithmetic import end_checks, label, quantile
from socialstats.results import Check, FloatArray, Result, Verification

REFITTED = 1e-5  # refits of the library stop about 1e-6 from the maximum


def verify(result: Result) -> Verification:
    """Recompute the shares from choix's strengths (plain models), else from the fit's own strengths.

    A fit with ties, order effect, covariates or weights has no counterpart in choix: `fit.verify()` checks
    its strengths, and the shares are recomputed from them.
    """
    fit, groups = result.extras["fit"], result.settings["groups"]
    theirs, package, note = choix_strengths(fit)
    checks: list[Check] = []
    for scale in dict.fromkeys(row.group for row in result.rows):
        shares = loop_shares(theirs, groups, str(scale))
        for row in result.rows:
            if row.group == scale:
                name = f"{scale} share of '{row.term}'"
                checks.append(
                    compare(
                        name,
                        row.estimate,
                        shares[row.term],
                        package=package,
                        tolerance=1e-6 if not note else 1e-12,
                        why=note or "choix iterates to 1e-8 in strength",
                    )
                )
    return Verification(checks=(*checks, *error_checks(result), *bootstrap_checks(result)))


def error_checks(result: Result) -> list[Check]:
    """Recompute the standard errors of the delta method with numerical derivatives of the plain loop."""
    fit, groups = result.extras["fit"], result.settings["groups"]
    if fit.covariance is None:
        return []
    names = list(fit.strengths)
    at = [list(fit.names).index(name) for name in names]
    if hasattr(fit, "fitted_state"):
        errors = errors_of(fit)
    else:
        covariance = np.asarray(fit.covariance, dtype=np.float64)

        def errors(c: FloatArray) -> tuple[FloatArray, FloatArray]:
            return np.sqrt(np.einsum("ki,ij,kj->k", c, covariance, c)), np.full(len(c), np.inf)

    point = np.array(list(fit.strengths.values()))
    found = {
        scale: slopes_of_all(partial(shares_at, names=names, groups=groups, scale=scale), point)
        for scale in dict.fromkeys(str(row.group) for row in result.rows if row.std_error is not None)
    }
    checks, shown = [], [row for row in result.rows if row.std_error is not None]
    contrasts = np.zeros((len(shown), len(fit.names)))
    contrasts[:, at] = [found[str(row.group)][row.term] for row in shown]
    for row, *one in zip(shown, *errors(contrasts), strict=True):
        error, df = map(float, one)
        checks.append(compare(f"{row.group} share of '{row.term}': std_error", row.std_error, error, package="numpy",
                              tolerance=1e-6 * error, why=WHY_ERROR))  # fmt: skip
        if result.settings["ci"] == "delta" and row.conf_level is not None and row.estimate is not None:
            p = float(row.estimate)
            reach = quantile(row.conf_level, df) * error / (p * (1 - p))
            ends = [1 / (1 + math.exp(sign * reach - math.log(p / (1 - p)))) for sign in (1, -1)]
            checks += end_checks(row, ends[0], ends[1], "scipy", WHY_ERROR, 1e-5)
    return checks


def bootstrap_checks(result: Result) -> list[Check]:
    """Recompute the ends from refits of every resample: quantiles on the logit scale."""
    fit, settings = result.extras["fit"], result.settings
    shown = [row for row in result.rows if row.conf_low is not None]
    if settings["ci"] == "delta" or not shown or not hasattr(fit, "fitted_state"):
        return []
    found = refits(fit, settings["by"], settings["resamples"], settings["seed"])
    if isinstance(found, str):
        return [compare(label(row, "end"), end, None, package="scipy", tolerance=0, why="", note=found)
                for row in shown for end in (row.conf_low, row.conf_high)]  # fmt: skip
    names, (beta, drawn) = list(fit.strengths), found
    checks = []
    for row in shown:
        one = partial(logit_share, names=names, groups=settings["groups"], scale=str(row.group), group=row.term)
        values = Redrawn(estimate=np.array([one(beta[: len(names)])]), left=None, copies=None,
                         replicates=np.array([[one(b[: len(names)])] for b in drawn]))  # fmt: skip
        low, high = (1 / (1 + math.exp(-z)) for z in values.ends(settings["ci"], 0, settings["level"]))
        checks += end_checks(row, low, high, "scipy", WHY_REFITS, REFITTED)
    return checks


def logit_share(strengths: FloatArray, *, names: list[str], groups: dict[str, str], scale: str, group: str) -> float:
    """Log odds of one share at other strengths."""
    p = shares_at(strengths, names=names, groups=groups, scale=scale)[group]
    return math.log(p / (1 - p))


def shares_at(strengths: FloatArray, *, names: list[str], groups: dict[str, str], scale: str) -> dict[str, float]:
    """Shares at other strengths."""
    return loop_shares(dict(zip(names, strengths.tolist(), strict=True)), groups, scale)


def choix_strengths(fit: Any) -> tuple[dict[str, float], str, str]:
    """Strengths by choix where the model is plain, with the package's name and a note where it is not."""
    design = fit.design
    plain = (
        design is not None and not design.weighted and not design.n_ties and set(fit.names) == set(design.items)
        and set(fit.strengths) == set(design.items)
    )  # fmt: skip
    if not plain:
        return dict(fit.strengths), "numpy", "plain loop over the fit's own strengths: choix has no such model"
    import choix

    found = choix.ilsr_pairwise_dense(win_matrix(design), max_iter=10_000, tol=1e-10)
    return dict(zip(design.items, map(float, found), strict=True)), "choix", ""


def loop_shares(strengths: dict[str, float], groups: dict[str, str], scale: str) -> dict[str, float]:
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

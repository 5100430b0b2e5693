"""The bootstrap of a Bradley-Terry model."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from socialstats.arrays import BoolArray, FloatArray
from socialstats.choices.bradley_terry.cautions import sort_by_severity
from socialstats.choices.bradley_terry.definition import REFITTED_MODEL
from socialstats.choices.bradley_terry.refits import (
    cells_in_parts,
    refit_all,
    refit_hashed,
    resampled_factors,
)
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.inference.dependence import cluster_cautions, row_units, too_few_to_resample
from socialstats.inference.rows import with_ends
from socialstats.resampling.engine import SCHEMES, PlanUnits, Scheme, lost_caution
from socialstats.resampling.hashed import HashedWeights
from socialstats.resampling.intervals import check_resamples, resamples_needed
from socialstats.resampling.options import checked_seed
from socialstats.results import Result, Row
from socialstats.rounding import FITTED, no_variation_reason
from socialstats.text import count
from socialstats.voice import check_allowed, option

if TYPE_CHECKING:
    from socialstats.choices.bradley_terry.result import BradleyTerryResult


# cautions on the fit's errors; a bootstrap has its own
ANALYTIC = ("SS201", "SS202", "SS203", "SS205", "SS206", "SS208")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class BradleyTerryBootstrap(Result):
    """Bootstrap distribution of a Bradley-Terry fit.

    Attributes
    ----------
    strengths : (B, items) array
        Centred log-strengths of the replicates that have a finite estimate.
    effects : (B, k) array
        Order effect, covariates and tie parameter.
    n_degenerate : int
        Replicates without a finite estimate, left out.
    ok : (resamples,) bool array
        Which of the resamples drawn have a finite estimate, in the order of the seed.
    refused : str
        Why there are no intervals: too few clusters. Empty where there are.
    """

    strengths: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    effects: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    n_degenerate: int = 0
    ok: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=bool))
    refused: str = ""


def resampled_rows(
    fit: BradleyTerryResult, replicates: FloatArray, ci: str, level: float, by: str, refused: str
) -> list[Row]:
    """Return the rows of a fit with intervals from its resamples: (B + 1) alpha order statistics, interpolated.

    Davison & Hinkley (1997, section 5.2.1).
    """
    state = fit.fitted_state
    estimate = state.transform @ state.fitted.beta
    replicates = replicates @ state.transform.T
    # method "weibull" of numpy interpolates between the order statistics (B + 1) alpha
    low, high = np.quantile(
        replicates, [(1 - level) / 2, (1 + level) / 2], axis=0, method="weibull"
    )
    if ci == "basic":
        low, high = 2 * estimate - high, 2 * estimate - low
    errors = replicates.std(axis=0, ddof=1)
    rows = []
    for k, row_of_fit in enumerate(fit.rows):
        why = ""
        if row_of_fit.role == "reference":
            why = row_of_fit.undefined or ""
        elif refused:
            why = f"{refused}; the fit's own t interval allows for them"
        # resamples of the clusters know no more than the fit
        elif by == "cluster" and row_of_fit.undefined:
            why = row_of_fit.undefined
        # solvers agree to this: smaller differences between resamples are no variation
        elif errors[k] <= FITTED:
            why = no_variation_reason("resamples")
        row = Row(
            term=row_of_fit.term,
            group=row_of_fit.group,
            key=row_of_fit.key,
            role=row_of_fit.role,
            estimate=row_of_fit.estimate,
            n=row_of_fit.n,
            std_error=None if why else float(errors[k]),
            method=f"{ci} bootstrap by {by}",
        )
        rows.append(with_ends(row, float(low[k]), float(high[k]), level, why=why, interval=ci))
    return rows


def bootstrap_fit(
    fit: BradleyTerryResult,
    *,
    by: Literal["auto", "row", "pair", "cluster"],
    resamples: int,
    seed: int,
    ci: Literal["percentile", "basic"],
    level: float | None,
    scheme: Scheme,
) -> BradleyTerryBootstrap:
    """Refit resamples of rows or clusters."""
    state = fit.fitted_state
    level = fit._level(level)
    scanned = fit.design.scan is not None
    if by == "auto":
        by = "cluster" if state.factors else "row"
    check_allowed("scheme", scheme, SCHEMES)
    if scheme == "poisson" and by != "cluster":
        raise InputError(
            f"{option('scheme', scheme)} draws clusters; leave {option('by', 'cluster')}"
        )
    # multinomial draws need the number of clusters, and streamed rows are refitted in memory
    if scanned and (scheme != "poisson" or state.streamed):
        in_memory = fit.in_memory()
        return in_memory.bootstrap(
            by=by, resamples=resamples, seed=seed, ci=ci, level=level, scheme=scheme
        )
    if ci not in ("percentile", "basic"):
        raise InputError(f"{option('ci', ci)} is not one of 'percentile', 'basic'")
    check_resamples(resamples, level)
    if state.penalised:
        raise InputError(
            "the bootstrap refits by maximum likelihood; fit without penalty or prior first"
        )
    factors = resampled_factors(fit.design, state, by)
    if scheme == "poisson":
        parts, levels = cells_in_parts(fit.design, factors)
        labelled = list(zip(factors, levels, strict=True))
        weights = [HashedWeights(f.name, labels, checked_seed(seed)) for f, labels in labelled]
        replicates = refit_hashed(state, parts, weights, resamples)
        if scanned:  # the number of clusters is all that is needed of them below
            factors = [replace(f, codes=np.arange(len(labels))) for f, labels in labelled]
    else:
        codes = [factor.codes for factor in factors]
        units = PlanUnits.clusters(*codes) if codes else row_units(fit.design)
        replicates = refit_all(fit.design, state, units, resamples, seed)
    # resamples can separate items that the data do not
    ok = np.asarray(np.isfinite(replicates).all(axis=1))
    how = " (Poisson weights from the names of clusters)" if scheme == "poisson" else ""
    finite = replicates[ok]
    refused = too_few_to_resample(factors)
    if len(finite) < resamples_needed(level):
        raise UndefinedStatistic(
            f"{len(finite)} of {resamples} resamples have a finite estimate, too few for a {100 * level:g}% "
            f"interval; use {option('penalty')} or {option('prior')}"
        )
    lost = int(resamples - len(finite))
    fix = f"use {option('penalty', 'firth')} or {option('prior')}, and the model's intervals"
    many_lost = lost_caution(lost, resamples, "every bootstrap interval", fix=fix)
    cautions = [
        *cluster_cautions(fit.design, factors, df=[None]),
        *(c for c in fit.cautions if c.code not in ANALYTIC),
    ]
    settings = {
        **fit.settings,
        "by": by,
        "resamples": resamples,
        "seed": seed,
        "ci": ci,
        "scheme": scheme,
    }
    n_items = len(fit.items)
    rows = resampled_rows(fit, finite, ci, level, by, refused)
    sorted_cautions = sort_by_severity(cautions)
    if many_lost:
        sorted_cautions = [many_lost, *sorted_cautions]
    title = f"{fit.title}, bootstrap by {by}"
    inference = f"{ci} bootstrap by {by}{how}, {resamples:,} resamples, seed {seed}"
    drawn = count(resamples, "resample")
    words = f"{count(len(finite))} of {drawn} by {by} have a finite estimate."
    facts = {**fit.fit, "seed": seed, "resamples": resamples}
    return BradleyTerryBootstrap(
        metric="bradley_terry",
        title=title,
        rows=tuple(rows),
        inference=inference,
        counts=fit.counts,
        fit=facts,
        settings=settings,
        cautions=tuple(sorted_cautions),
        references=("davisonhinkley1997",),
        design=fit.design,
        extras={"fit": fit},
        check=REFITTED_MODEL,
        strengths=finite[:, :n_items],
        effects=finite[:, n_items:],
        n_degenerate=lost,
        ok=ok,
        refused=refused,
        words=words,
    )

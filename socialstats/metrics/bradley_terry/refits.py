"""Bootstrap of a Bradley-Terry fit by rows, pairs or clusters."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from socialstats.designs.comparisons import TIED, Comparisons, Factor
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.halves import in_halves, processes
from socialstats.inference.dependence import cluster_cautions, row_units, too_few_to_resample
from socialstats.inference.rows import with_ends
from socialstats.metrics.bradley_terry.result import BradleyTerryResult
from socialstats.metrics.bradley_terry.state import coefficient_names, term_group
from socialstats.models.bradley_terry.batch import Refits, Refitter
from socialstats.models.bradley_terry.data import PairData
from socialstats.resampling.engine import lost_caution
from socialstats.resampling.intervals import check_resamples, resamples_needed
from socialstats.resampling.units import Units, weight_blocks
from socialstats.results import Check, Result, Row
from socialstats.text import count

if TYPE_CHECKING:
    from socialstats.metrics.bradley_terry.state import State

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
TABLE_BYTES = 1_600_000  # weights of one block of refits: small enough to stay in the processor's cache
ANALYTIC = ("SS201", "SS202", "SS203", "SS205", "SS206", "SS208")  # of the fit's own errors; a bootstrap says its own


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
    ok: np.ndarray[Any, np.dtype[np.bool_]] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    refused: str = ""

    def crosscheck(self) -> Sequence[Check]:
        """Fit every resample again from the bare likelihood, where that does not take too long."""
        checks: Sequence[Check] = importlib.import_module("socialstats.crosscheck.pair_refits").verify_bootstrap(self)
        return checks


def bootstrap(
    fit: BradleyTerryResult, by: str, resamples: int, seed: int, ci: str, level: float
) -> BradleyTerryBootstrap:
    """See `BradleyTerryResult.bootstrap`."""
    state = fit.fitted_state
    if ci not in ("percentile", "basic"):
        raise InputError(f"ci={ci!r} is not one of 'percentile', 'basic'")
    check_resamples(resamples, level)
    if state.penalised:
        raise InputError("the bootstrap refits by maximum likelihood; fit without penalty or prior first")
    factors = _factors(fit.design, state, by)
    units = Units.clusters(*[f.codes for f in factors]) if factors else row_units(fit.design)
    refused = too_few_to_resample(factors)
    replicates, ok = refit_all(fit.design, state, units, resamples, seed)
    kept = replicates[ok]
    if len(kept) < resamples_needed(level):
        raise UndefinedStatistic(
            f"{len(kept)} of {resamples} resamples have a finite estimate, too few for a {100 * level:g}% interval; "
            "use penalty= or prior="
        )
    n = state.data.n_items
    lost = int(resamples - len(kept))
    used = [*cluster_cautions(fit.design, factors, df=[None]), *(c for c in fit.cautions if c.code not in ANALYTIC)]
    cautions = sorted(used, key=lambda c: ("stop", "caution", "info").index(c.severity))
    said = lost_caution(
        lost, resamples, "every bootstrap interval", fix="use penalty='firth' or prior=, and the model's intervals"
    )
    cautions = [said, *cautions] if said else cautions
    return BradleyTerryBootstrap(
        metric="bradley_terry", title=f"{fit.title}, bootstrap by {by}",
        rows=tuple(_rows(fit, kept, ci, level, by, refused)),
        inference=f"{ci} bootstrap by {by}, {resamples:,} resamples, seed {seed}",
        counts=fit.counts, fit={**fit.fit, "seed": seed, "resamples": resamples},
        settings={**fit.settings, "by": by, "resamples": resamples, "seed": seed, "ci": ci},
        cautions=tuple(cautions), references=("davisonhinkley1997",), design=fit.design,
        extras={"fit": fit}, strengths=kept[:, :n], effects=kept[:, n:], n_degenerate=lost, ok=ok, refused=refused,
        words=f"{count(len(kept))} of {count(resamples, 'resample')} by {by} have a finite estimate.",
    )  # fmt: skip


def _factors(design: Comparisons, state: State, by: str) -> Sequence[Factor]:
    """Return what is resampled; nothing for single rows."""
    if by == "row":
        return ()
    if by == "pair":
        return (design.pair,)
    if by == "cluster":
        if not state.factors:
            raise InputError("by='cluster' needs a fit with clusters; this one has none")
        return state.factors
    raise InputError(f"by={by!r} is not one of 'auto', 'row', 'pair', 'cluster'")


def refit_all(
    design: Comparisons, state: State, units: Units, resamples: int, seed: int
) -> tuple[FloatArray, np.ndarray[Any, np.dtype[np.bool_]]]:
    """Return the (resamples, p) estimates and which of them exist."""
    n = processes()
    parts = in_halves(lambda part: _every(n, part, design, state, units, resamples, seed), n, least=2)
    out = np.empty((resamples, len(state.fitted.beta)))
    ok = np.empty(resamples, dtype=bool)
    for rows, refits in (found for part in parts for found in part):
        out[rows], ok[rows] = refits.beta.T, refits.ok
    return out, ok


def _every(
    step: int, start: int, design: Comparisons, state: State, units: Units, resamples: int, seed: int
) -> list[tuple[slice, Refits]]:
    """Refit every `step`-th block of resamples from block number `start`; the weights are those of the whole."""
    data = state.data
    m = len(data.a)
    table = slot_table(design, data, units)
    used = np.flatnonzero(np.diff(table.indptr))
    table = sparse.csr_array(table[used])
    refitter = Refitter(data, state.model, state.fitted.beta)
    block = max(8, min(64, TABLE_BYTES // (24 * m)))
    found = []
    for k, weights in enumerate(weight_blocks(units, resamples=resamples, seed=seed, block=block)):
        if k % step == start:
            w = np.zeros((3 * m, len(weights)))
            w[used] = table @ weights.T
            found.append((slice(k * block, k * block + len(weights)), refitter.refit(w.reshape(3, m, -1))))
    return found


def slot_table(design: Comparisons, data: PairData, units: Units) -> sparse.csr_array:
    """Return the (3 m, units) matrix that sums weighted units to outcome weights of the predictors."""
    m = len(data.a)
    outcome = design.outcome.astype(np.int64)
    outcome = np.where(data.flipped & (outcome != TIED), 1 - outcome, outcome)
    place = (outcome * m + data.cell, units.unit)
    return sparse.csr_array(sparse.coo_array((design.weight, place), shape=(3 * m, units.n_units)))


def _rows(fit: BradleyTerryResult, kept: FloatArray, ci: str, level: float, by: str, refused: str) -> list[Row]:
    state = fit.fitted_state
    transform = state.transform
    estimate, kept = transform @ state.fitted.beta, kept @ transform.T
    ordered = np.sort(kept, axis=0)
    low, high = (_quantile(ordered, a) for a in ((1 - level) / 2, (1 + level) / 2))
    if ci == "basic":
        low, high = 2 * estimate - high, 2 * estimate - low
    se = kept.std(axis=0, ddof=1)
    names, n = coefficient_names(fit.design, state), state.data.n_items
    rows = []
    for j, name in enumerate(names):
        shared: dict[str, Any] = {
            "term": name, "group": "strength" if j < n else term_group(name, state), "estimate": float(estimate[j]),
            "n": fit.rows[j].n, "method": f"{ci} bootstrap by {by}",
        }  # fmt: skip
        if name == state.options.reference:
            rows.append(Row(**shared, undefined=fit.rows[j].undefined))
        elif refused:
            rows.append(Row(**shared, undefined=f"{refused}; the fit's own t interval allows for them"))
        elif by == "cluster" and fit.rows[j].undefined:  # resamples of the clusters know no more than the fit
            rows.append(Row(**shared, undefined=fit.rows[j].undefined))
        elif se[j] == 0:
            rows.append(Row(**shared, undefined="every resample gives the same estimate: no interval"))
        else:
            rows.append(with_ends(Row(**shared, std_error=float(se[j])), float(low[j]), float(high[j]), level))
    return rows


def _quantile(ordered: FloatArray, alpha: float) -> FloatArray:
    """Return the (B + 1) alpha order statistic, interpolated (Davison & Hinkley 1997, section 5.2.1)."""
    return np.asarray(np.quantile(ordered, alpha, axis=0, method="weibull"))

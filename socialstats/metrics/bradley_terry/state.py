"""The fit behind a result: its arrays, its rows, and how they were obtained, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.comparisons import Comparisons, Factor
from socialstats.inference.robust import Errors, Robust, between
from socialstats.inference.rows import with_each_t
from socialstats.models.bradley_terry.data import PairData
from socialstats.models.bradley_terry.likelihoods import Likelihood
from socialstats.models.bradley_terry.newton import Fitted
from socialstats.results import Row

if TYPE_CHECKING:
    from socialstats.metrics.bradley_terry.options import Options

KINDS = {
    "model": "model-based standard errors",
    "sandwich": "sandwich standard errors by row",
    "cluster": "cluster-robust standard errors",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class State:
    """The fit behind a result, as arrays.

    Attributes
    ----------
    data : PairData
    model : Likelihood
    fitted : Fitted
        Centred estimates with their model covariance.
    covariance : (p, p) array
        Covariance that the intervals use, in the same parameters. With clusters it has borrowed variances where
        `errors` refuses a contrast.
    adjusted : bool
        True when V1 + V2 - V12 of two crossed clusters was not positive and its correlations were adjusted.
    kind : {"model", "sandwich", "cluster"}
    factors : tuple of Factor
    robust : Robust or None
    options : Options
    ties : str
        Tie model in use.
    penalised : bool
    reference : int or None
        Parameter that is 0 as reported.
    """

    data: PairData
    model: Likelihood
    fitted: Fitted
    covariance: FloatArray
    adjusted: bool
    kind: str
    factors: tuple[Factor, ...]
    robust: Robust | None
    options: Options
    ties: str
    penalised: bool
    reference: int | None

    @property
    def transform(self) -> FloatArray:
        """Matrix from centred parameters to the reported ones (reference item, if any, at zero)."""
        out = np.eye(len(self.fitted.beta))
        if self.reference is not None:
            out[: self.data.n_items, self.reference] -= 1
        return out

    @cached_property
    def reported(self) -> Errors:
        """Standard errors of the parameters as they are reported."""
        return self.errors(self.transform)

    @cached_property
    def differences(self) -> Errors:
        """Standard errors of the differences between strengths i and j, i < j."""
        n = self.data.n_items
        if self.robust is not None:
            return self.robust.differences(n)
        return normal(between(self.covariance, *np.triu_indices(n, 1)))

    def errors(self, contrasts: FloatArray) -> Errors:
        """Return standard errors and degrees of freedom of the rows of `contrasts` (k, p)."""
        if self.robust is not None:
            return self.robust.errors(contrasts)
        return normal(np.einsum("ki,ki->k", contrasts @ self.covariance, contrasts))

    def covariance_of(self, transform: FloatArray) -> FloatArray:
        """Return the covariance of transformed parameters."""
        if self.robust is not None:
            return self.robust.covariance(transform)[0]
        return np.asarray(transform @ self.covariance @ transform.T)

    @property
    def design_effects(self) -> FloatArray | None:
        """Ratio of the s.e. in use to the model's, for every strength that has one; None without clusters."""
        n = self.data.n_items
        if self.robust is None or not n:
            return None
        found = self.reported if self.reference is None else self.errors(np.eye(n, len(self.fitted.beta)))
        ratio = found.std_error[:n] / np.sqrt(np.diagonal(self.fitted.covariance)[:n])
        known = ~found.refused[:n]
        return ratio[known] if known.any() else None


def normal(variance: FloatArray) -> Errors:
    """Return errors that rest on the normal limit."""
    k = len(variance)
    return Errors(variance=variance, df=np.full(k, np.inf), unit=np.zeros(k), refused=np.zeros(k, dtype=bool))


def n_pairs(data: PairData) -> int:
    """Return how many pairs of items met."""
    return len(np.unique(data.a * (int(data.b.max(initial=0)) + 1) + data.b))


def references(state: State) -> tuple[str, ...]:
    """Return the keys of the literature behind this fit."""
    keys = ["bradley1952", "ford1957"]
    keys += {"davidson": ["davidson1970"], "rao_kupper": ["raokupper1967"]}.get(state.ties, [])
    keys += ["davidsonbeaver1977"] if state.options.order else []
    keys += ["firth1993"] if state.options.penalty else []
    keys += ["hunter2004"] if state.options.solver == "mm" else []
    robust = ["liangzeger1986", "bellmccaffrey2002", "pustejovskytipton2018", "cattelan2012"]
    keys += {"sandwich": ["white1982"], "cluster": robust}.get(state.kind, [])
    return tuple(keys + (["cameron2011", "cochran1964"] if len(state.factors) == 2 else []))


def describe(state: State) -> str:
    """Return in words how the standard errors were obtained."""
    if state.robust is None:
        return KINDS[state.kind]
    sizes = zip(state.factors, state.robust.n_clusters, strict=True)
    names = " x ".join(f"{size:,} {factor.name} clusters" for factor, size in sizes)
    crossed = ", crossed" if len(state.factors) == 2 else ""
    return f"{KINDS['cluster']} ({names}{crossed}; CR2, t with Satterthwaite's df)"


def coefficient_names(design: Comparisons, state: State) -> tuple[str, ...]:
    """Return the names of all parameters in order."""
    tie = (state.model.tie_term,) if state.model.tie_term else ()
    return (design.items if state.data.free else ()) + state.data.z_names + tie


def make_rows(design: Comparisons, state: State, level: float) -> list[Row]:
    """Return one row a parameter, with Wald intervals and tests against zero."""
    beta, errors = state.transform @ state.fitted.beta, state.reported
    n_items, names = state.data.n_items, coefficient_names(design, state)
    compared = np.bincount(design.item_a, design.count, len(design.items))
    compared += np.bincount(design.item_b, design.count, len(design.items))
    clusters = min(state.robust.n_clusters) if state.robust else None
    rows = [
        Row(
            term=name, group="strength" if j < n_items else term_group(name, state), estimate=float(beta[j]),
            n_clusters=clusters, n=float(compared[j]) if j < n_items else float(design.n_rows),
            method=KINDS[state.kind],
        )
        for j, name in enumerate(names)
    ]  # fmt: skip
    why = {j: unseen_item(design, state, j) for j in range(n_items) if errors.refused[j]}
    if state.reference is not None:
        why[state.reference] = "reference item, fixed at zero"
    return with_errors(rows, state, errors, level, why)


def with_errors(
    rows: Sequence[Row], state: State, errors: Errors, level: float, why: Mapping[int, str] | None = None
) -> list[Row]:
    """Return rows of estimates with error, Wald interval and test, or why they have none (`why` by place)."""
    known = errors.std_error > 0
    reasons = ["" if there else why_not(state, errors, k) for k, there in enumerate(known.tolist())]
    for k, reason in (why or {}).items():
        reasons[k] = reason
    return with_each_t(rows, errors.std_error, errors.df, level, reasons)


def why_not(state: State, errors: Errors, k: int) -> str:
    """Return why contrast k has no standard error."""
    if not errors.refused[k]:
        return "the standard error is zero: " + ("too few clusters" if state.robust else "every row is a tie")
    names = " and ".join(factor.name for factor in state.factors)
    return f"rests on single clusters ({names}), whose own effects cannot be told from it"


def unseen_item(design: Comparisons, state: State, item: int) -> str:
    """Return why the strength of an item has no standard error."""
    met = (design.item_a == item) | (design.item_b == item)
    for factor in state.factors:
        if len(np.unique(np.asarray(factor.codes)[met])) == 1:
            if factor.name == "pair":
                return "met in one pair only: a lean of that pair cannot be told from its strength"
            return f"met in one cluster only ({factor.name}): a lean of that cluster cannot be told from its strength"
    return why_not(state, state.reported, item)


def term_group(name: str, state: State) -> str:
    """Return the family of a parameter that is not a strength."""
    if name == state.model.tie_term:
        return "tie"
    return "order" if name == "order" and state.options.order else "covariate"

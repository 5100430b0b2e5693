"""The fit behind a result: its arrays, its rows, and how they were obtained, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.designs.comparisons import Comparisons, Factor
from socialstats.models.bradley_terry.covariance import Robust, quadratic
from socialstats.models.bradley_terry.data import PairData
from socialstats.models.bradley_terry.likelihoods import Likelihood
from socialstats.models.bradley_terry.newton import Fitted
from socialstats.models.intervals import wald
from socialstats.results import Row

if TYPE_CHECKING:
    from socialstats.metrics.bradley_terry.options import Options

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
IntArray = np.ndarray[Any, np.dtype[np.int64]]
KINDS = {
    "model": "model-based standard errors",
    "sandwich": "sandwich standard errors by row",
    "cluster": "cluster-robust standard errors",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class State:
    """The fit behind a result, as arrays.

    Attributes
    ----------
    data : PairData
    model : Likelihood
    fitted : Fitted
        Centred estimates with their model covariance.
    covariance : (p, p) array
        Covariance that the intervals use, in the same parameters.
    kind : {"model", "sandwich", "cluster"}
    factors : tuple of Factor
    robust : Robust or None
    options : Options
    ties : str
        Tie model in use.
    penalised : bool
    """

    data: PairData
    model: Likelihood
    fitted: Fitted
    covariance: FloatArray
    kind: str
    factors: tuple[Factor, ...]
    robust: Robust | None
    options: Options
    ties: str
    penalised: bool

    @property
    def df(self) -> int | None:
        """Degrees of freedom of t intervals: clusters minus one; None for the normal limit."""
        return self.robust.df if self.robust else None

    def covariance_of(self, transform: FloatArray) -> FloatArray:
        """Return the covariance of transformed parameters."""
        if self.robust is not None:
            return self.robust.transformed(transform)
        return np.asarray(transform @ self.covariance @ transform.T)

    def variances(self, contrasts: FloatArray) -> FloatArray:
        """Return the variance of every row of `contrasts` (k, p), from 0 upwards."""
        return self._variances(lambda v: quadratic(v, contrasts))

    def difference_variances(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the variances of the differences between parameters i and j."""
        return self._variances(lambda v: np.diagonal(v)[i] + np.diagonal(v)[j] - 2 * v[i, j])

    def _variances(self, form: Callable[[FloatArray], FloatArray]) -> FloatArray:
        return np.maximum(self.robust.variances(form) if self.robust else form(self.covariance), 0.0)

    @property
    def design_effects(self) -> FloatArray | None:
        """Ratio of the s.e. in use to the model's, for every strength; None without clusters."""
        n = self.data.n_items
        if self.robust is None or not n:
            return None
        d = np.diagonal(self.covariance)[:n] / np.diagonal(self.fitted.covariance)[:n]
        return np.asarray(np.sqrt(np.maximum(d, 0)))


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
    keys += {"sandwich": ["white1982"], "cluster": ["liangzeger1986", "cattelan2012"]}.get(state.kind, [])
    return tuple(keys + (["cameron2011"] if len(state.factors) == 2 else []))


def describe(state: State) -> str:
    """Return in words how the standard errors were obtained."""
    if state.robust is None:
        return KINDS[state.kind]
    sizes = zip(state.factors, state.robust.n_clusters, strict=True)
    names = " x ".join(f"{size:,} {factor.name} clusters" for factor, size in sizes)
    crossed = ", crossed" if len(state.factors) == 2 else ""
    return f"{KINDS['cluster']} ({names}{crossed}; t with {state.robust.df} df)"


def coefficient_names(design: Comparisons, state: State) -> tuple[str, ...]:
    """Return the names of all parameters in order."""
    tie = (state.model.tie_term,) if state.model.tie_term else ()
    return (design.items if state.data.free else ()) + state.data.z_names + tie


def reference_transform(design: Comparisons, state: State) -> FloatArray:
    """Return the matrix from centred parameters to the reported ones (reference item, if any, at zero)."""
    p = len(state.fitted.beta)
    out = np.eye(p)
    if state.options.reference is not None:
        out[: state.data.n_items, design.items.index(state.options.reference)] -= 1
    return out


def make_rows(design: Comparisons, state: State, level: float) -> list[Row]:
    """Return one row a parameter, with Wald intervals and tests against zero."""
    transform = reference_transform(design, state)
    beta = transform @ state.fitted.beta
    se = np.sqrt(np.maximum(np.diagonal(state.covariance_of(transform)), 0))
    n_items, names = state.data.n_items, coefficient_names(design, state)
    compared = np.bincount(design.item_a, design.count, len(design.items))
    compared += np.bincount(design.item_b, design.count, len(design.items))
    low, high, z, p = wald(beta, se, df=state.df, level=level)
    clusters = min(state.robust.n_clusters) if state.robust else None
    rows = []
    for j, name in enumerate(names):
        group = "strength" if j < n_items else term_group(name, state)
        shared: dict[str, Any] = {
            "term": name, "group": group, "estimate": float(beta[j]), "conf_level": level, "n_clusters": clusters,
            "n": float(compared[j]) if j < n_items else float(design.n_rows), "method": KINDS[state.kind],
        }  # fmt: skip
        if j < n_items and name == state.options.reference:
            rows.append(Row(**(shared | {"conf_level": None}), undefined="reference item, fixed at zero"))
        elif se[j] == 0:
            rows.append(Row(**(shared | {"conf_level": None}), undefined=no_error(state)))
        else:
            rows.append(Row(
                **shared, std_error=float(se[j]), conf_low=float(low[j]), conf_high=float(high[j]),
                statistic=float(z[j]), df=state.df, p_value=float(p[j]),
            ))  # fmt: skip
    return rows


def no_error(state: State) -> str:
    """Return why a standard error is zero."""
    return "the standard error is zero: " + ("too few clusters" if state.robust else "every row is a tie")


def term_group(name: str, state: State) -> str:
    """Return the family of a parameter that is not a strength."""
    if name == state.model.tie_term:
        return "tie"
    return "order" if name == "order" and state.options.order else "covariate"

"""The options of `bradley_terry`, checked once, and the choices that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from socialstats.designs.comparisons import Comparisons
from socialstats.errors import InputError, MleDoesNotExist

Ties = Literal["auto", "davidson", "rao_kupper", "half", "none"]
Strengths = Literal["free", "none"]
Vcov = Literal["auto", "model", "sandwich", "cluster"]
Penalty = Literal["firth"]
Components = Literal["error", "separate"]
Solver = Literal["newton", "mm"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Everything the caller chose. See `bradley_terry` for the meaning of each."""

    formula: str | None = None
    ties: Ties = "auto"
    order: bool = False
    strengths: Strengths = "free"
    cluster: str | Sequence[str] | None = "declared"
    vcov: Vcov = "auto"
    penalty: Penalty | None = None
    prior: float = 0.0
    components: Components = "error"
    solver: Solver = "newton"
    reference: str | None = None
    level: float = 0.95

    def __post_init__(self) -> None:
        for name, allowed in (
            ("ties", get_args(Ties)), ("strengths", get_args(Strengths)), ("vcov", get_args(Vcov)),
            ("penalty", (*get_args(Penalty), None)), ("components", get_args(Components)),
            ("solver", get_args(Solver)),
        ):  # fmt: skip
            value = getattr(self, name)
            if value not in allowed:
                raise InputError(f"{name}={value!r} is not one of {', '.join(map(repr, allowed))}")
        if not 0 < self.level < 1:
            raise InputError(f"level={self.level!r} is not between 0 and 1")
        if not 0 <= self.prior < float("inf"):
            raise InputError(f"prior={self.prior!r} is not a number of pseudo-wins (0 or more)")
        if self.penalty and self.prior:
            raise InputError("penalty='firth' and prior= are two ways out of the same problem: choose one")
        if self.strengths == "none" and (self.formula is None or self.prior or self.reference):
            raise InputError("strengths='none' needs a formula, and takes neither prior= nor reference=")
        if self.solver == "mm" and (self.formula or self.order or self.penalty or self.prior):
            raise InputError("solver='mm' fits strengths only: no formula, order, penalty or prior")

    def tie_model(self, design: Comparisons) -> str:
        """Return the tie model for these data: Davidson's when ties exist and nothing else was asked for."""
        ties = design.n_ties
        if ties == design.n_rows and self.ties not in ("half", "none"):
            raise MleDoesNotExist(
                "no finite tie parameter exists: every row is a tie. Use ties='half', which makes all strengths equal",
                terms=("log_theta" if self.ties == "rao_kupper" else "log_nu",),
            )
        if self.ties == "auto" and not (self.solver == "mm" and ties):
            return "davidson" if ties else "none"
        if self.ties == "none" and ties:
            raise InputError(
                f"ties='none', but {ties:,} rows are ties. Use ties='davidson', 'rao_kupper' or 'half', "
                "or leave them out with design.drop_ties()"
            )
        if self.ties in ("davidson", "rao_kupper") and not ties:
            raise InputError(f"ties='{self.ties}' needs ties, and there are none; leave ties='auto'")
        if self.penalty and self.ties == "rao_kupper":
            raise InputError("penalty='firth' is available for ties='davidson', not for 'rao_kupper'; or use prior=")
        if self.solver == "mm" and self.ties not in ("none", "half"):
            raise InputError("solver='mm' has no tie model; use ties='half' or the default solver")
        return self.ties

    def covariance_kind(self, n_factors: int, ties: str, weighted: bool) -> str:
        """Return which covariance is meant by ``vcov="auto"`` and check the others."""
        if self.vcov == "auto":
            if n_factors:
                return "cluster"
            return "sandwich" if ties == "half" or weighted else "model"
        if self.vcov == "cluster" and not n_factors:
            raise InputError("vcov='cluster' needs a cluster: declare one in the design, or pass cluster='pair'")
        return self.vcov

    def echo(self, **chosen: Any) -> dict[str, Any]:
        """Return all settings as a mapping, with what 'auto' became."""
        names = (
            "formula", "order", "strengths", "penalty", "prior", "components", "solver", "reference", "level",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names} | chosen

"""The Bradley-Terry model of a study: its order effect, and which clusters it uses."""

from __future__ import annotations

from typing import Any

from socialstats.designs.comparisons import Comparisons
from socialstats.errors import InputError
from socialstats.inference.dependence import FEW_DF
from socialstats.metrics.bradley_terry import BradleyTerryResult, bradley_terry
from socialstats.results import Row
from socialstats.studies.base import StudyOptions


def fit_model(
    design: Comparisons, options: StudyOptions, formula: str | None, *, cluster: Any, order: bool = True
) -> BradleyTerryResult:
    """Fit the study's Bradley-Terry model; with `order`, the order effect is in it where the design declares one."""
    fit = bradley_terry(
        design,
        formula,
        ties=options.ties,
        order=order and design.order_known,
        cluster=cluster,
        penalty=options.penalty,
        prior=options.prior,
        level=options.level,
        by=None,
    )
    if not isinstance(fit, BradleyTerryResult):
        raise InputError("one model at a time: use by= in the design")
    return fit


def default_cluster(design: Comparisons) -> Any:
    """Return the clusters to use: the declared ones, else the pairs of items where pairs repeat and tell their spread.

    That is: where there are at least `FEW_DF` more pairs than differences of strengths. With fewer, leans of pairs can
    hardly be told from strengths.
    """
    if design.clusters:
        return "declared"
    pairs = len(design.pair.levels)
    return "pair" if len(design.items) - 1 + FEW_DF <= pairs < design.n_rows else None


def strongest(fit: BradleyTerryResult) -> list[Row]:
    """Return the strength rows, strongest first."""
    rows = [r for r in fit.rows if r.group == "strength"]
    return sorted(rows, key=lambda r: -(r.estimate or 0.0))

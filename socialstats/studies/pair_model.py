"""The Bradley-Terry model of a study, and which clusters it uses."""

from __future__ import annotations

from typing import Any

from socialstats.designs.comparisons import Comparisons
from socialstats.errors import InputError, NotIdentified
from socialstats.metrics.bradley_terry import BradleyTerryResult, bradley_terry
from socialstats.studies.base import StudyOptions

FEWEST_PAIRS = 50  # cluster-robust errors of fewer clusters tend to be too small


def fit_model(
    design: Comparisons, options: StudyOptions, formula: str | None, *, cluster: Any, order: bool = True
) -> BradleyTerryResult:
    """Fit the study's Bradley-Terry model, without the order effect where no column says who was shown first and
    the data cannot tell it from the strengths (as when one item always stands in the same column)."""
    try:
        return _fit(design, options, formula, cluster, order)
    except NotIdentified as error:
        if not order or design.order_known or "order" not in error.terms:
            raise
    return _fit(design, options, formula, cluster, False)


def _fit(
    design: Comparisons, options: StudyOptions, formula: str | None, cluster: Any, order: bool
) -> BradleyTerryResult:
    fit = bradley_terry(
        design,
        formula,
        ties=options.ties,
        order=order,
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
    """Return the clusters to use: the declared ones, else the pairs of items where many pairs repeat."""
    if design.clusters:
        return "declared"
    pairs = len(design.pair.levels)
    return "pair" if FEWEST_PAIRS <= pairs < design.n_rows else None

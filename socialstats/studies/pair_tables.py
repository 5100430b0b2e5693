"""What a page says about the data and the fit: diagnostics, balance, methods."""

from __future__ import annotations

import numpy as np

from socialstats.designs.comparisons import A_WON, TIED, Comparisons
from socialstats.errors import UndefinedStatistic
from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.studies.base import StudyOptions
from socialstats.studies.outcome import Diagnostic, Table
from socialstats.text import count, listing, percent, shorten


def fit_diagnostics(fit: BradleyTerryResult, design: Comparisons) -> tuple[Diagnostic, ...]:
    """Check existence, fit, and how evenly items were compared."""
    return (existence_check(fit, design), fit_check(fit), evenness_check(design))


def existence_check(fit: BradleyTerryResult, design: Comparisons) -> Diagnostic:
    """Say whether a finite estimate exists, or was made to."""
    check = "Does a finite estimate exist? (Ford's condition)"
    if fit.fitted_state.penalised:
        return Diagnostic(
            check=check,
            found="Not asked: a penalty or prior keeps the estimates finite.",
            so_what="Strengths are pulled together; likelihood-ratio tests are not available.",
        )
    return Diagnostic(
        check=check,
        found=f"Yes: the win graph of {count(len(design.items), 'item')} is strongly connected.",
        so_what="Strengths and intervals are maximum-likelihood estimates.",
    )


def fit_check(fit: BradleyTerryResult) -> Diagnostic:
    """Say whether the wins of each pair follow the model."""
    try:
        gof = fit.goodness_of_fit(cells="total")
    except UndefinedStatistic as error:
        return Diagnostic(check="Goodness of fit", found=str(error), so_what="No verdict.")
    misfit = "Pairs have preferences of their own beyond the strengths: trust cluster-robust errors."
    return Diagnostic(
        check="Do the wins of each pair follow the model?",
        found=gof.sentence(),
        so_what=misfit if gof.cautions else "No sign of misfit.",
    )


def evenness_check(design: Comparisons) -> Diagnostic:
    """Say how evenly items were compared, and how many pairs met."""
    n = np.bincount(design.item_a, design.count, len(design.items))
    n += np.bincount(design.item_b, design.count, len(design.items))
    low, high = int(np.argmin(n)), int(np.argmax(n))
    spread = f"{count(n[low])} comparisons an item"
    if n[low] != n[high]:
        ends = [f"{count(n[i])} ('{shorten(design.items[i])}')" for i in (low, high)]
        spread = f"From {ends[0]} to {ends[1]} comparisons an item"
    return Diagnostic(
        check="How evenly were items compared?",
        found=f"{spread}; {count(len(design.pair.levels))} of {count(_all_pairs(design))} pairs met.",
        so_what="Intervals are wide where items met rarely." if n[low] * 4 < n[high] else "Evenly enough.",
    )


def _all_pairs(design: Comparisons) -> int:
    return len(design.items) * (len(design.items) - 1) // 2


def order_table(design: Comparisons) -> Table:
    """Count outcomes by who was shown first, or by column where the design does not say."""
    first, second = presented(design)
    a_first = design.first > 0
    first_won = np.where(a_first, design.outcome == A_WON, design.outcome == 1 - A_WON)
    tied = design.outcome == TIED
    total = design.count.sum()
    cells = [
        (label, int(n), percent(float(n / total)))
        for label, n in (
            (f"{first} was chosen", design.count[first_won & ~tied].sum()),
            (f"{second} was chosen", design.count[~first_won & ~tied].sum()),
            ("tie", design.count[tied].sum()),
        )
    ]
    by = "order of presentation" if design.order_known else "column (the order of presentation was not declared)"
    return Table(caption=f"Choices by {by}", header=("Outcome", "Rows", "Share"), cells=tuple(cells))


def presented(design: Comparisons) -> tuple[str, str]:
    """Name the two sides of a row: by the order of presentation, or by the item columns where it was not declared."""
    if design.order_known:
        return "first shown", "second shown"
    first, second = (shorten(design.columns.get(part, part), 30) for part in ("item_a", "item_b"))
    return f"item in column '{first}'", f"item in column '{second}'"


def ways_methods(fit: BradleyTerryResult, options: StudyOptions) -> str:
    """Return the methods paragraph of the model."""
    terms = [r.term for r in fit.rows if r.group in ("order", "covariate")]
    with_terms = f" with effects of {listing(terms)}" if terms else ""
    ties = {
        "davidson": " Ties follow Davidson's model.",
        "rao_kupper": " Ties follow Rao and Kupper's model.",
        "half": " Ties count as half a win for each side.",
    }.get(fit.settings["ties"], "")
    if not fit.design.order_known:
        ties += " The order of presentation was not declared, and no order effect was estimated."
    return (
        f"Strengths were estimated with the {fit.title}{with_terms} by maximum likelihood (Newton's method on distinct "
        f"pairs; existence checked on the win graph).{ties} Uncertainty: {fit.inference}. Rank sets invert max-t tests "
        f"of all differences with step-down; marginal sets cover one item's rank, simultaneous sets all ranks at once."
    )

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
    """Check existence, fit, and balance of presentation order."""
    found = [
        Diagnostic(
            check="Does a finite estimate exist? (Ford's condition)",
            found=f"Yes: the win graph of {count(len(design.items), 'item')} is strongly connected."
            if not fit.fitted_state.penalised
            else "Not asked: a penalty or prior keeps the estimates finite.",
            so_what="Strengths and intervals are maximum-likelihood estimates."
            if not fit.fitted_state.penalised
            else "Strengths are pulled together; likelihood-ratio tests are not available.",
        )
    ]
    try:
        gof = fit.goodness_of_fit(cells="total")
    except UndefinedStatistic as error:
        found.append(Diagnostic(check="Goodness of fit", found=str(error), so_what="No verdict."))
    else:
        bad = bool(gof.cautions)
        found.append(
            Diagnostic(
                check="Do the wins of each pair follow the model?",
                found=gof.sentence(),
                so_what="Pairs have preferences of their own beyond the strengths: trust cluster-robust errors."
                if bad
                else "No sign of misfit.",
            )
        )
    n = np.bincount(design.item_a, design.count, len(design.items))
    n += np.bincount(design.item_b, design.count, len(design.items))
    low, high = int(np.argmin(n)), int(np.argmax(n))
    found.append(
        Diagnostic(
            check="How evenly were items compared?",
            found=(
                f"{count(n[low])} comparisons an item; "
                if n[low] == n[high]
                else f"From {count(n[low])} ('{shorten(design.items[low])}') to {count(n[high])} "
                f"('{shorten(design.items[high])}') comparisons an item; "
            )
            + f"{count(len(design.pair.levels))} of {count(_all_pairs(design))} pairs met.",
            so_what="Intervals are wide where items met rarely." if n[low] * 4 < n[high] else "Evenly enough.",
        )
    )
    return tuple(found)


def _all_pairs(design: Comparisons) -> int:
    return len(design.items) * (len(design.items) - 1) // 2


def order_table(design: Comparisons) -> Table:
    """Count outcomes by who was shown first."""
    a_first = design.first > 0
    first_won = np.where(a_first, design.outcome == A_WON, design.outcome == 1 - A_WON)
    tied = design.outcome == TIED
    total = design.count.sum()
    cells = [
        (label, int(n), percent(float(n / total)))
        for label, n in (
            ("first shown was chosen", design.count[first_won & ~tied].sum()),
            ("second shown was chosen", design.count[~first_won & ~tied].sum()),
            ("tie", design.count[tied].sum()),
        )
    ]
    note = (
        "" if design.order_known else f" (no order column: '{design.columns.get('item_a', 'item_a')}' counts as first)"
    )
    return Table(
        caption=f"Choices by order of presentation{note}", header=("Outcome", "Rows", "Share"), cells=tuple(cells)
    )


def ways_methods(fit: BradleyTerryResult, options: StudyOptions) -> str:
    """Return the methods paragraph of the model."""
    terms = [r.term for r in fit.rows if r.group in ("order", "covariate")]
    with_terms = f" with effects of {listing(terms)}" if terms else ""
    ties = {
        "davidson": " Ties follow Davidson's model.",
        "rao_kupper": " Ties follow Rao and Kupper's model.",
        "half": " Ties count as half a win for each side.",
    }.get(fit.settings["ties"], "")
    return (
        f"Strengths were estimated with the {fit.title}{with_terms} by maximum likelihood (Newton's method on distinct "
        f"pairs; existence checked on the win graph).{ties} Uncertainty: {fit.inference}. Rank sets invert max-t tests "
        f"of all differences with step-down; marginal sets cover one item's rank, simultaneous sets all ranks at once."
    )

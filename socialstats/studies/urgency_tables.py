"""Cautions, design tables and methods of the role-conflict study."""

from __future__ import annotations

import numpy as np

from socialstats.designs.comparisons import A_WON, TIED, Comparisons
from socialstats.errors import Caution, caution
from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.studies.base import StudyOptions
from socialstats.studies.outcome import Table
from socialstats.studies.pair_tables import presented
from socialstats.text import interval, number, percent

PUBLISHED_BASELINE = 100.0
MOST_IMBALANCE = 0.05  # of the share of rows whose more urgent role is shown first, from one half


def own_cautions(design: Comparisons, fit: BradleyTerryResult | None, options: StudyOptions) -> tuple[Caution, ...]:
    """Return the cautions that belong to this study: simulated data, position bias, the published baseline."""
    found = []
    if options.simulated:
        found.append(caution("SS401", options.simulated, affects="everything on this page"))
    order = next((r for r in (fit.rows if fit is not None else ()) if r.group == "order"), None)
    if order is not None and order.p_value is not None and order.p_value < 0.05:
        shown = "first" if (order.estimate or 0) > 0 else "second"
        found.append(
            caution(
                "SS107",
                f"the role shown {shown} is preferred: {number(abs(order.estimate or 0))} log-odds, "
                f"{interval(order.conf_low, order.conf_high, level=options.level)}",
                affects="win rates and S, which do not adjust for it",
                fix="balance or randomise the order within every story"
                if _order_imbalance(design, options.covariate) > MOST_IMBALANCE
                else f"nothing for averages: orders are balanced over {options.covariate} here, so that it adds "
                "scatter, not bias; adjust for it, as the strengths do, where single pairs are compared",
            )
        )
    spread = _order_imbalance(design, options.covariate)
    if design.order_known and spread > MOST_IMBALANCE:
        found.append(
            caution(
                "SS108",
                f"the share of rows whose more urgent role is shown first differs from one half by {percent(spread)}",
                affects="win rates and S",
                fix=f"randomise the order independently of {options.covariate}",
            )
        )
    found.append(
        caution(
            "SS305",
            f"S = {PUBLISHED_BASELINE:g} has been published as the random baseline of this index; "
            "no random chooser has that value (see the table of choosers)",
            affects="comparisons with published S",
        )
    )
    return tuple(found)


def _order_imbalance(design: Comparisons, covariate: str) -> float:
    c = design.covariates[covariate]
    more = np.sign(c.a - c.b) * design.first
    unequal = design.count * (more != 0)
    return float(abs((unequal * (more > 0)).sum() / max(unequal.sum(), 1) - 0.5))


def grid_table(design: Comparisons, covariate: str) -> Table:
    """Count rows and wins by the covariate of both sides."""
    c = design.covariates[covariate]
    values = np.unique(np.concatenate([c.a, c.b]))
    won = np.where(design.outcome == TIED, 0.5, design.outcome == A_WON)
    cells = []
    for x in values:
        for y in values:
            here = (c.a == x) & (c.b == y)
            n = float(design.count[here].sum())
            share = percent(float((design.count * won)[here].sum() / n)) if n else "none"
            cells.append((f"{x:g}", f"{y:g}", int(n), share))
    return Table(
        caption=f"The design grid: comparisons by {covariate} of both sides",
        header=(f"{covariate} of one side (a)", f"{covariate} of the other (b)", "Rows", "a chosen"),
        cells=tuple(cells),
    )


def balance_table(design: Comparisons, covariate: str) -> Table:
    """Count who was shown first (or stood in which column) by which side is more urgent."""
    first, second = presented(design)
    c = design.covariates[covariate]
    difference = np.sign(c.a - c.b) * design.first
    cells = []
    labels = (f"more {covariate}: {first}", f"equal {covariate}", f"more {covariate}: {second}")
    for label, sign in zip(labels, (1, 0, -1), strict=True):
        n = float(design.count[difference == sign].sum())
        cells.append((label, int(n), percent(n / design.n_rows)))
    what = "order of presentation" if design.order_known else "column of the items"
    return Table(caption=f"Is the {what} balanced?", header=("Rows with", "Rows", "Share"), cells=tuple(cells))


def sensitivity_methods(options: StudyOptions) -> str:
    """Return the methods paragraph of S and the win rates."""
    return (
        f"Win rates are means over opponents of a role's share of wins when its {options.covariate} is higher, equal "
        "or lower than the opponent's. S = 100 times the sum over the three conditions of the mean squared distance "
        "of the rates from 1, 1/2 and 0; its plug-in value is too high by the sampling variance of the rates, which "
        f"the corrected value takes off. Intervals resample pairs of roles ({options.resamples:,} resamples, seed "
        f"{options.seed})."
    )

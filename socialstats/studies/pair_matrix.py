"""How groups of items fare against each other: a matrix of win rates, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from socialstats.arrays import BoolArray
from socialstats.designs.comparisons import A_WON, TIED, Comparisons
from socialstats.designs.parts import Factor
from socialstats.figures import heat
from socialstats.inference.dependence import cluster_factors, cluster_text
from socialstats.inference.proportions import clustered_share
from socialstats.inference.rows import with_share
from socialstats.results import Row
from socialstats.studies.estimates import numbers_text
from socialstats.studies.outcome import Block, Table
from socialstats.studies.pair_model import default_cluster
from socialstats.text import count


def group_matrix(design: Comparisons, groups: Mapping[str, str], name: str, level: float = 0.95) -> Block:
    """Return the matrix of win rates between groups of items, each with its interval."""
    labels = sorted({str(v) for v in groups.values()})
    code = np.array([labels.index(str(groups[item])) for item in design.items])
    ga, gb = code[design.item_a], code[design.item_b]
    factors = cluster_factors(design, default_cluster(design))
    rows = tuple(
        replace(won, term=labels[i], group=labels[j])
        for i in range(len(labels))
        for j in range(len(labels))
        if i != j and (won := meeting(design, (ga == i) & (gb == j), (ga == j) & (gb == i), factors, level)) is not None
    )
    best = max(rows, key=lambda r: r.estimate or 0)
    return Block(
        id=f"matrix-{name}",
        question=f"How do {name}s fare against each other?",
        sentences=(
            f"The most one-sided meeting: '{best.term}' was chosen over '{best.group}' at a rate of "
            f"{numbers_text(best, digits=3, bounded=True)}, in {count(best.n or 0, 'comparison')}.",
        ),
        draw=partial(heat, rows),
        figure_title=f"Share of comparisons that the row's {name} won against the column's",
        caption="Cells show the win rate and the number of comparisons (ties count as half); intervals are in the "
        f"table (Wilson, {cluster_text(factors)}).",
        tables=(
            Table(
                caption=f"Win rates between {name}s",
                header=(name.capitalize(), "Against", "Win rate", "Low", "High", "Comparisons"),
                cells=tuple((r.term, r.group, r.estimate, r.conf_low, r.conf_high, int(r.n or 0)) for r in rows),
            ),
        ),
    )


def meeting(
    design: Comparisons, as_a: BoolArray, as_b: BoolArray, factors: Sequence[Factor], level: float
) -> Row | None:
    """Return the win rate of one group (`as_a` rows have it as item a) against another; None if they never met.

    Wilson's interval at the comparisons that would give the rate the variance of its clusters.
    """
    met = as_a | as_b
    if not met.any():
        return None
    share = np.where(design.outcome == TIED, 0.5, (design.outcome == A_WON).astype(float))
    n = design.count[met].astype(np.float64)
    found = clustered_share(
        np.where(as_b, 1 - share, share)[met], n, [f.codes[met] for f in factors], trials=float(n.sum()), level=level
    )
    row = Row(term="", estimate=found.estimate, n=float(n.sum()))
    return with_share(row, found, level, clustered=bool(factors))

"""What to know before quoting a Bradley-Terry fit, found from the fit itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from socialstats.designs.comparisons import Comparisons
from socialstats.errors import Caution, caution
from socialstats.text import count, listing, number, percent, quoted

if TYPE_CHECKING:
    from socialstats.metrics.bradley_terry.state import State

FEW_CLUSTERS = 20
FEW_COMPARISONS = 10
NOTABLE_RATIO = 0.1


def fit_cautions(design: Comparisons, state: State) -> tuple[Caution, ...]:
    """Return the cautions of a fit, most serious first."""
    found = [*_clusters(design, state), *_ties(design, state), *_items(design, state)]
    if state.options.order and not design.order_known:
        first = design.columns.get("item_a", "item_a")
        found.append(caution(
            "SS106", f"order=True took the item in column '{first}' as shown first",
            affects="the order effect and every strength",
            fix="declare it in the design (order='item_a', or the column that says it), or leave out the order effect",
        ))  # fmt: skip
    if design.weighted:
        found.append(caution("SS207", "log-likelihood and tests treat weights as given", affects="standard errors"))
    return tuple(sorted(found, key=lambda c: ("stop", "caution", "info").index(c.severity)))


def _clusters(design: Comparisons, state: State) -> list[Caution]:
    found: list[Caution] = []
    names = listing([f"{c.name} ({len(c.levels):,})" for c in design.clusters])
    if design.clusters and state.robust is None:
        found.append(caution(
            "SS201", f"the design declares {names}, and the standard errors ignore it",
            affects="every interval and p-value", fix="leave cluster='declared'",
        ))  # fmt: skip
    if state.robust is None:
        return found
    sizes = dict(zip([f.name for f in state.factors], state.robust.n_clusters, strict=True))
    small = [f"{n} {name} clusters" for name, n in sizes.items() if n < FEW_CLUSTERS]
    if small:
        found.append(caution(
            "SS202", f"{listing(small)}: cluster-robust errors tend to be too small with so few",
            affects="every interval and p-value", fix="collect more clusters, or compare with the bootstrap by cluster",
        ))  # fmt: skip
    p = len(state.fitted.beta)
    if min(sizes.values()) < p:
        found.append(caution(
            "SS203", f"{count(min(sizes.values()), 'cluster')} for {count(p, 'parameter')}: the covariance matrix "
            "is singular, single standard errors stand, joint tests do not", affects="joint tests, rank sets",
        ))  # fmt: skip
    if state.robust.floored:
        found.append(
            caution(
                "SS206",
                "V1 + V2 - V12 was not positive: its correlations were adjusted, its variances kept; some of them can "
                "be too small by chance",
                affects="joint tests, quasi-variances, rank sets, and differences with unusually small errors",
                fix="compare such errors with those of one factor alone: cluster=",
            )
        )
    ratio = state.design_effects
    if ratio is not None and abs(np.median(ratio) - 1) > NOTABLE_RATIO:
        found.append(caution(
            "SS205", f"clustering by {listing(list(sizes))} makes the standard errors of the strengths "
            f"{number(float(np.median(ratio)))} times as large as with independent rows (median)",
        ))  # fmt: skip
    return found


def _ties(design: Comparisons, state: State) -> list[Caution]:
    if not design.n_ties:
        return []
    share = percent(design.n_ties / design.n_rows)
    if state.ties == "half":
        return [caution(
            "SS105", f"{share} of the comparisons are ties, each counted as half a win for both sides: strengths "
            "are shrunken towards each other", affects="every strength", fix="use ties='davidson'",
        )]  # fmt: skip
    name = {"davidson": "Davidson's", "rao_kupper": "Rao and Kupper's"}[state.ties]
    return [caution("SS109", f"{share} of the comparisons are ties, in {name} model")]


def _items(design: Comparisons, state: State) -> list[Caution]:
    found: list[Caution] = []
    if state.penalised:
        way = "Firth's penalty" if state.options.penalty else f"{state.options.prior:g} pseudo-wins an item"
        found.append(caution("SS102", f"{way} pulls the strengths together", affects="every strength"))
    n = np.bincount(design.item_a, design.count, len(design.items))
    n += np.bincount(design.item_b, design.count, len(design.items))
    few = [item for item, k in zip(design.items, n, strict=True) if k < FEW_COMPARISONS]
    if few and state.data.free:
        found.append(caution(
            "SS103", f"{quoted(few)}: fewer than {FEW_COMPARISONS} comparisons each",
            affects="their strengths and intervals",
        ))  # fmt: skip
    return found

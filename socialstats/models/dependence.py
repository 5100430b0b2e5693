"""Which units are resampled, and what dependence the caller left out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from socialstats.designs.comparisons import Comparisons, Factor
from socialstats.errors import Caution, InputError, caution
from socialstats.resampling import Units
from socialstats.text import count, quoted

FEW_CLUSTERS = 20


def cluster_factors(design: Comparisons, cluster: str | Sequence[str] | None) -> tuple[Factor, ...]:
    """Return the factors a caller's `cluster` option names.

    Parameters
    ----------
    design : Comparisons
    cluster : str, sequence of str or None
        ``"pair"`` is the unordered pair of items; None treats rows as independent.

    Raises
    ------
    InputError
        If a name is not declared, or there are more than two.
    """
    declared = [factor.name for factor in design.clusters]
    if cluster is None:
        return ()
    if cluster == "pair" and "pair" not in declared:
        return (design.pair,)
    if not isinstance(cluster, str) and "pair" in cluster and "pair" not in declared:
        factors = tuple(design.pair if name == "pair" else design.factors(name)[0] for name in cluster)
    else:
        factors = design.factors(cluster)
    if len(factors) > 2:
        raise InputError(f"at most two crossed cluster factors, got {quoted([f.name for f in factors])}")
    return factors


def units_of(design: Comparisons, factors: Sequence[Factor]) -> Units:
    """Resampling units: the clusters, or single rows where there are none."""
    if not factors:
        return row_units(design)
    return Units.clusters(*(factor.codes for factor in factors))


def row_units(design: Comparisons) -> Units:
    """Single rows as resampling units.

    Raises
    ------
    InputError
        If rows that are alike but for their weights were counted together: their weights are known as sums only.
    """
    if np.any(design.weight_sq * design.count > design.weight**2 * (1 + 1e-9)):
        raise InputError(
            "single rows of different weights cannot be resampled; resample clusters or pairs of items, or (for "
            "strengths) use vcov='sandwich'"
        )
    return Units.rows(design.count)


def cluster_text(factors: Sequence[Factor]) -> str:
    """Name the clusters in words: ``1,546 pairs``."""
    if not factors:
        return "rows taken as independent"
    return "clusters: " + " x ".join(
        f"{count(len(np.unique(f.codes)))} {f.name if f.name != 'pair' else 'pairs of items'}" for f in factors
    )


def is_inside(inner: Factor, outer: Factor) -> bool:
    """Tell whether every level of `inner` lies within one level of `outer`."""
    both = np.unique(np.column_stack([inner.codes, outer.codes]), axis=0)
    return len(both) == len(np.unique(inner.codes))


def cluster_cautions(design: Comparisons, factors: Sequence[Factor]) -> tuple[Caution, ...]:
    """Cautions SS201 (declared dependence that the interval ignores) and SS202 (few clusters)."""
    found = []
    ignored = [
        f.name
        for f in design.clusters
        if len(np.unique(f.codes)) > 1 and not any(f.name == used.name or is_inside(f, used) for used in factors)
    ]
    if ignored:
        used = " and ".join(f.name for f in factors) or "single rows"
        found.append(
            caution(
                "SS201",
                f"{quoted(ignored)} declared, intervals use {used}",
                affects="standard errors, intervals",
                fix='cluster="declared" uses them',
            )
        )
    for factor in factors:
        levels = len(np.unique(factor.codes))
        if levels < FEW_CLUSTERS:
            found.append(
                caution(
                    "SS202",
                    f"{levels} levels of '{factor.name}'",
                    affects="intervals, which tend to be too short",
                    fix="more clusters; read the interval as approximate",
                )
            )
    return tuple(found)

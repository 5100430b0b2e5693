"""Which units are resampled, and what dependence the caller left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from socialstats.designs.comparisons import Comparisons, Factor
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, caution
from socialstats.resampling import Units
from socialstats.text import count, quoted

FEW_CLUSTERS = 20


class Clustered(Protocol):
    """A design with declared dependence: Comparisons, Paired, Ratings."""

    @property
    def clusters(self) -> tuple[Factor, ...]:
        """Declared cluster factors."""

    def factors(self, names: str | Sequence[str] | None = "declared") -> tuple[Factor, ...]:
        """Return cluster factors by name."""


def cluster_factors(design: Clustered, cluster: str | Sequence[str] | None) -> tuple[Factor, ...]:
    """Return the factors a caller's `cluster` option names.

    Parameters
    ----------
    design : Comparisons, Paired or Ratings
    cluster : str, sequence of str or None
        ``"declared"``: all declared; None treats rows (pairs, units) as independent. Of comparisons, ``"pair"`` is
        the unordered pair of items.

    Raises
    ------
    InputError
        If a name is not declared, or there are more than two.
    """
    factors = design.factors(cluster)
    if len(factors) > 2:
        raise InputError(f"at most two crossed cluster factors, got {quoted([f.name for f in factors])}")
    return factors


def units_of(design: Comparisons | Paired | Ratings, factors: Sequence[Factor]) -> Units:
    """Resampling units: the clusters, or single rows (pairs, units) where there are none."""
    if factors:
        return Units.clusters(*(factor.codes for factor in factors))
    return row_units(design) if isinstance(design, Comparisons) else Units.rows(design.count)


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


def cluster_text(factors: Sequence[Factor], rows: str = "rows") -> str:
    """Name the clusters in words: ``clusters: 1,546 pairs of items`` (of comparisons, whose rows are ``"rows"``)."""
    if not factors:
        return f"{rows} taken as independent"
    return "clusters: " + " x ".join(
        f"{count(len(np.unique(f.codes)))} {f'of {f.name}' if f.name != 'pair' or rows != 'rows' else 'pairs of items'}"
        for f in factors
    )


def is_inside(inner: Factor, outer: Factor) -> bool:
    """Tell whether every level of `inner` lies within one level of `outer`."""
    both = np.unique(np.column_stack([inner.codes, outer.codes]), axis=0)
    return len(both) == len(np.unique(inner.codes))


def cluster_cautions(design: Clustered, factors: Sequence[Factor]) -> tuple[Caution, ...]:
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
                    f"{count(levels, 'level')} of '{factor.name}'",
                    affects="intervals, which tend to be too short",
                    fix="more clusters; read the interval as approximate",
                )
            )
    return tuple(found)

"""Which units are resampled, and what dependence the caller left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from socialstats.designs.comparisons import Comparisons, Factor
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, caution
from socialstats.inference.clustered_mean import FEWEST_SHAPED, SKEWED, ClusteredMean
from socialstats.resampling import Units
from socialstats.resampling.units import FloatArray
from socialstats.results.rows import Row
from socialstats.text import count, listing, number, percent, quoted

FEW_CLUSTERS = 20
FEWEST_RESAMPLED = 4  # clusters below which refits of resamples are given no interval
HELD = (  # percentile, basic and BCa intervals of means of normal clusters, and percentile ones of strengths, alike
    "nominal 95 % ones of 2, 3, 4, 6, 10 and 20 clusters held in about .50, .75, .80, .85, .90 and .93 of simulations"
)
FEW_DF = 5.0  # degrees of freedom below which an interval is long enough to be worth a word
LARGE = 0.2  # share of one cluster from which simulated intervals of rare outcomes were too short
RARE = 10.0  # effective answers of the rarer kind below which they were too short where clusters differ much


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


def too_few_to_resample(factors: Sequence[Factor]) -> str:
    """Return why resamples of these clusters give no interval, or empty text."""
    fewest = min((len(np.unique(f.codes)) for f in factors), default=FEWEST_RESAMPLED)
    if fewest >= FEWEST_RESAMPLED:
        return ""
    return f"{count(fewest, 'cluster')}: too few to resample, as such intervals are far too short"


def is_inside(inner: Factor, outer: Factor) -> bool:
    """Tell whether every level of `inner` lies within one level of `outer`."""
    both = np.unique(np.column_stack([inner.codes, outer.codes]), axis=0)
    return len(both) == len(np.unique(inner.codes))


def few_clusters(
    said: str, *, affects: str = "these intervals, which are long, and their tests", fix: str = "collect more clusters"
) -> Caution:
    """Caution SS202, about what rests on few (effective) clusters."""
    return caution("SS202", said, affects=affects, fix=fix)


def ignored_clusters(
    ignored: str, used: str, *, affects: str = "standard errors, intervals", fix: str = 'cluster="declared" uses them'
) -> Caution:
    """Caution SS201, about declared dependence that the intervals ignore."""
    return caution("SS201", f"{ignored} declared, intervals use {used}", affects=affects, fix=fix)


def small_sample(
    n: float, fewest: float, said: str, *, affects: str = "intervals", fix: str = ""
) -> tuple[Caution, ...]:
    """Caution SS312, where there are fewer than `fewest`.

    Parameters
    ----------
    n, fewest : float
        How many there are, and how many the method was seen to need.
    said, affects, fix : str
        What there are few of; what that makes unreliable; what helps.
    """
    return (caution("SS312", said, affects=affects, fix=fix),) if n < fewest else ()


def cluster_cautions(
    design: Clustered, factors: Sequence[Factor], *, df: Iterable[float | None] | None = None, largest: float = 0.0
) -> tuple[Caution, ...]:
    """Cautions SS201 (declared dependence that the intervals ignore), SS202 and SS211 (clusters that tell little).

    Parameters
    ----------
    design : Comparisons, Paired or Ratings
    factors : sequence of Factor
        The clusters that the intervals use.
    df : iterable of float, optional
        Effective degrees of freedom of the numbers with an interval, None for an interval from resamples. SS202 fires
        on the smallest; where there are resamples, and without `df`, on the number of clusters.
    largest : float
        Largest share of a number that one cluster holds.
    """
    found = []
    ignored = [
        f.name
        for f in design.clusters
        if len(np.unique(f.codes)) > 1 and not any(f.name == used.name or is_inside(f, used) for used in factors)
    ]
    if ignored:
        used = " and ".join(f.name for f in factors) or "single rows"
        found.append(ignored_clusters(quoted(ignored), used))
    if not factors:
        return tuple(found)
    sizes = {factor.name: len(np.unique(factor.codes)) for factor in factors}
    known = [] if df is None else list(df)
    if df is None or None in known:
        affects = (
            f"bootstrap intervals, which are too short: {HELD}" if known else "intervals, which tend to be too short"
        )
        found += [
            few_clusters(f"{count(levels, 'level')} of '{name}'", affects=affects,
                         fix="more clusters; read the interval as approximate")
            for name, levels in sizes.items() if levels < FEW_CLUSTERS
        ]  # fmt: skip
    elif few := [value for value in known if value is not None and value < FEW_DF]:
        found.append(few_clusters(
            f"{count(len(few), 'number')} {'rests' if len(few) == 1 else 'rest'} on few effective clusters, "
            f"the least on about {number(min(few), 1)}; intervals with few degrees of freedom are longer"
        ))  # fmt: skip
    if largest > LARGE and min(sizes.values()) >= FEW_CLUSTERS:
        found.append(caution(
            "SS211", f"one cluster ({listing(list(sizes))}) holds {percent(largest)} of a number",
            affects="intervals of rare outcomes: nominal 95 % ones held in .87 to .92 of simulations",
            fix="see whether the conclusion holds without it",
        ))  # fmt: skip
    return tuple(found)


def cluster_facts(rows: Iterable[Row]) -> dict[str, float | None]:
    """Return `effective_df` (the smallest) and `largest_leverage` of the rows whose interval uses clusters."""
    shown = [row for row in rows if row.leverage is not None and row.conf_low is not None]
    return {
        "effective_df": min((row.df for row in shown if row.df is not None), default=None),
        "largest_leverage": max((row.leverage for row in shown if row.leverage is not None), default=None),
    }


def share_cautions(design: Clustered, factors: Sequence[Factor], rows: Iterable[Row]) -> tuple[Caution, ...]:
    """Cautions of `cluster_cautions` about rows of shares, and SS212 (rare answers in clusters).

    Parameters
    ----------
    design : Comparisons, Paired, Ratings or LabelLists
    factors : sequence of Factor
        The clusters that the intervals use.
    rows : iterable of Row
        With `leverage` and `effective` where their intervals use clusters.
    """
    shown = [row for row in rows if row.leverage is not None and row.conf_low is not None]
    largest = max((row.leverage or 0.0 for row in shown if (row.n_clusters or 0) >= FEW_CLUSTERS), default=0.0)
    found = cluster_cautions(design, factors, df=[row.df for row in shown], largest=largest)
    rare = [n for row in shown if row.effective is not None and 0 < (n := rarer(row)) < RARE]
    if not rare:
        return found
    return (*found, caution(
        "SS212", f"{count(len(rare), 'share')} {'rests' if len(rare) == 1 else 'rest'} on fewer than {RARE:g} "
        f"effective answers of the rarer kind, the least on about {number(min(rare), 1)}",
        affects="these intervals: where clusters differ much, nominal 95 % ones held in .80 to .92 of simulations",
        fix="collect more clusters, or quote counts",
    ))  # fmt: skip


def rarer(row: Row) -> float:
    """Effective number of answers of the kind that is rarer in a row of a share."""
    p = row.estimate or 0.0
    return (row.effective or 0.0) * min(p, 1 - p)


def largest_share(weight: FloatArray, factors: Sequence[Factor]) -> float:
    """Return the largest share of the rows (pairs, units) that one cluster holds; 0 without factors.

    Parameters
    ----------
    weight : (cells,) float64 array
        Rows that each cell stands for, 0 where it does not enter.
    factors : sequence of Factor

    Examples
    --------
    >>> largest_share(np.array([2.0, 1.0, 1.0]), [Factor(name="g", codes=np.array([0, 1, 1]), levels=("a", "b"))])
    0.5
    """
    return max((float(np.bincount(f.codes, weight).max() / weight.sum()) for f in factors), default=0.0)


def mean_cautions(
    design: Clustered, factors: Sequence[Factor], means: Iterable[ClusteredMean], *, fix: str = "", what: str = "pairs",
    resampled: bool = False,
) -> tuple[Caution, ...]:  # fmt: skip
    """Cautions of t intervals of means: `cluster_cautions` by their effective df, and `shape_cautions`.

    With `resampled` the intervals are those of a bootstrap, and clusters are counted.
    """
    known = [mean for mean in means if not mean.undefined]
    largest = max((mean.largest for mean in known), default=0.0)
    return (
        *cluster_cautions(design, factors, df=[None if resampled else mean.df for mean in known], largest=largest),
        *shape_cautions(known, fix=fix, what=what),
    )


def shape_cautions(means: Iterable[ClusteredMean], *, fix: str = "", what: str = "pairs") -> tuple[Caution, ...]:
    """Cautions SS317 (skewed values) and SS312 (too few to see their shape) of t intervals of means.

    SS317 fires where sum e^3 / (sum e^2)^1.5 of the values (with clusters: of their sums by cluster) is above .25. In
    simulations normal values reached it in .23, .11, .03 and 0 of samples of 8, 12, 20 and 30, lognormal ones in .70 to
    .80 of up to 50, in .64 of 100 and .45 of 200. Nominal 95 % t intervals of lognormal means held .84 (8 values), .87
    (20), .90 (50), .92 (100), of exponential ones .90 (8), .92 (20), .94 (50); of two crossed factors with lognormal
    effects .85 to .91. The studentized bootstrap held .88 to .94 of the lognormal and .93 to .95 of the exponential
    means. Fewer than six independent values cannot show their shape: SS312.

    Parameters
    ----------
    means : iterable of ClusteredMean
        Those with a t interval; undefined ones are passed over.
    fix : str
        What the caller offers against skewness.
    what : str
        What independent values are called.
    """
    known = [mean for mean in means if not mean.undefined]
    found: list[Caution] = []
    few = [mean.n for mean in known if not mean.clusters and mean.n < FEWEST_SHAPED]
    if few:
        said = f"{count(min(few))} {what} are too few to show whether their values are skewed"
        affects = "t intervals and tests, which are too short for skewed values"
        found += small_sample(min(few), FEWEST_SHAPED, said, affects=affects, fix=f"collect more {what}")
    shaped = [mean for mean in known if mean.n >= FEWEST_SHAPED and mean.skewness > SKEWED]
    if shaped:
        sums = "sums by cluster" if shaped[0].clusters else f"values of {what}"
        many = f" in {count(len(shaped), 'mean')} of {count(len(known))}" if len(known) > 1 else ""
        found.append(caution(
            "SS317", f"the {sums} are skewed{many}: their skewness over the root of their number is up to "
            f"{number(max(mean.skewness for mean in shaped))}; above {number(SKEWED)}, 95% t intervals held .82 to .93 "
            "in simulations", affects="t intervals, too short on the side of the long tail, and their tests",
            fix=fix or f"collect more {'clusters' if shaped[0].clusters else what}",
        ))  # fmt: skip
    return tuple(found)

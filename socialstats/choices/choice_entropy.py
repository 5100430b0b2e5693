"""Choice entropy: the inconsistency of the choices between two items."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from scipy.special import xlogy

from socialstats.arrays import FloatArray, IntArray
from socialstats.choices.conditions import common_pairs, first_scores, labels_of_pairs
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import Caution, InputError, NothingToAnalyse, UndefinedStatistic, caution
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.dependence import cluster_cautions, clustered_comparisons, is_nested_in
from socialstats.inference.intervals import checked_level
from socialstats.inference.rows import cut_at_limits, with_mean
from socialstats.inference.sides import OPEN, side_text, two_sided_level
from socialstats.matching import match_keys
from socialstats.paired.pair_sizes import with_d_z
from socialstats.registry import Metric, reads
from socialstats.resampling import Alternative
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PlainSample, RowKey, weighted_means
from socialstats.sentences import apa_interval, stat
from socialstats.text import count, count_with_noun, number, p_value
from socialstats.voice import option

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# where winners were drawn: plug-in, and corrected for its bias
TERMS = ("H", "H_corrected")
# where they are probabilities: entropy of a pair's mean probabilities, and of single replies
PROBABLE = ("H", "H_reply")
# bounds of the latter: the probability of other answers is given to either item, or to both
BOUNDS = ("H_reply_low", "H_reply_high")


ONCE = 1 + 1e-9  # an effective n up to here is a single comparison


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairTable:
    """Each pair's win rate and its entropy.

    Attributes
    ----------
    rate : (pairs,) float64 array
        How often the item with the smaller label won.
    n : (pairs,) float64 array
        Comparisons ((sum of weights)^2 / sum of squared weights).
    entropy, corrected : (pairs,) float64 arrays
        Plug-in and Miller-Madow; NaN where winners are probabilities, as that correction is of drawn winners.
    """

    rate: FloatArray
    n: FloatArray
    entropy: FloatArray
    corrected: FloatArray


def entropy(rate: FloatArray, base: float = 2.0) -> FloatArray:
    """Entropy of a two-way choice, -p log p - (1-p) log(1-p) (Shannon 1948).

    Parameters
    ----------
    rate : float64 array
        In [0, 1].
    base : float
        2 for bits (range [0, 1]), e for nats (range [0, log 2]).

    Examples
    --------
    >>> entropy(np.array([0.0, 0.5, 1.0])).tolist()
    [0.0, 1.0, 0.0]
    """
    found = np.asarray(xlogy(rate, rate) + xlogy(1 - rate, 1 - rate), dtype=np.float64) / -math.log(
        base
    )
    return np.maximum(found, 0.0)


def miller_madow(rate: FloatArray, n: FloatArray, base: float = 2.0) -> FloatArray:
    """Entropy plus (K-1)/(2n), K the outcomes that occurred: first-order bias correction (Miller 1955).

    Not cut at its maximum: the correction makes the mean over pairs less biased, not each pair's value.
    """
    both = (rate > 0) & (rate < 1)
    return entropy(rate, base) + np.where(both, 1 / (2 * n), 0.0) / math.log(base)


def pair_entropies(design: Comparisons, base: float) -> PairTable:
    """Win rate and entropy of every pair of items.

    Raises
    ------
    UndefinedStatistic
        If no pair was compared twice: the plug-in entropy of one choice is 0 by construction.
    """
    codes, size = design.pair.codes, len(design.pair.levels)
    score = first_scores(design)
    ahead = np.where(design.item_a < design.item_b, score, 1 - score)
    weight = np.bincount(codes, design.weight, size)
    rate = np.clip(np.bincount(codes, design.weight * ahead, size) / weight, 0.0, 1.0)
    n = weight**2 / np.bincount(codes, design.weight_sq, size)
    if design.replies is not None:
        return PairTable(
            rate=rate, n=n, entropy=entropy(rate, base), corrected=np.full(size, np.nan)
        )
    if n.max() < ONCE:
        raise UndefinedStatistic(
            "every pair was compared once: one choice says nothing of a pair's entropy"
        )
    return PairTable(
        rate=rate, n=n, entropy=entropy(rate, base), corrected=miller_madow(rate, n, base)
    )


def reply_entropies(design: Comparisons, base: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the mean entropy of the replies of every pair of items, and its bounds, where winners are probabilities.

    Of a reply it is the entropy of its answer, given that it is one of the two items. The bounds give the probability
    of other answers to either item, or to both, as makes the entropy smallest and largest. NaN where it is not known.

    Returns
    -------
    mean, low, high : (pairs,) float64 arrays
    """
    assert design.replies is not None
    _, first, reply = np.unique(design.replies.codes, return_index=True, return_inverse=True)
    p = np.asarray(
        np.clip(np.bincount(reply, design.count * first_scores(design)), 0.0, 1.0), dtype=np.float64
    )
    rest, pair = design.replies.rest[first], design.pair.codes[first]
    least = p * (1 - rest)
    most = least + rest
    of_ends = entropy(least, base), entropy(most, base)
    values = entropy(p, base), np.minimum(*of_ends), entropy(np.clip(0.5, least, most), base)
    mean, low, high = (np.bincount(pair, value) / np.bincount(pair) for value in values)
    return mean, low, high


@reads(Comparisons, scans=True, square=True)
def choice_entropy(
    comparisons: Comparisons | TableLike,
    *,
    base: float = 2.0,
    cluster: str | None = "pair",
    level: float = 0.95,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate the mean entropy of the choices between two items.

    H_ij = -p log p - (1-p) log(1-p) with p the share of the comparisons of i and j that i won: 0 when one of
    them always wins, largest (1 bit) when both win equally often.

    Parameters
    ----------
    comparisons : Comparisons, data frame, mapping of columns, or path of a file
        With a ``by`` factor: one result per level. A tie counts half for each side (caution SS105).
    base : float
        Of the logarithm: 2 for bits, `math.e` for nats.
    cluster : str or None
        ``"pair"`` (or None) takes pairs as independent; or a declared factor with every pair inside one level.
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_comparisons`.

    Returns
    -------
    Result
        Rows ``H`` (mean of the plug-in entropies) and ``H_corrected`` (Miller-Madow: plus (K-1)/(2n) nats, K
        outcomes that occurred among n), each with a t interval over pairs or clusters (CR2). `extras`: ``pairs``,
        ``n``, ``rate`` (of the smaller label), ``entropy``, ``corrected``, all by pair.

        Where winners are probabilities there is no ``H_corrected``. ``H`` is the entropy of the mean probability of a
        pair. ``H_reply`` is the mean entropy of its single replies, without differences between replies, and at most
        ``H``. Both are conditional on an answer that is one of the two items. ``H_reply_low`` and ``H_reply_high`` are
        the bounds if other answers (``p_rest``) were one of the two as well.

    Raises
    ------
    InputError
        For a base not above 1, an unknown cluster, or one that splits pairs.
    NothingToAnalyse
        If there is no comparison.
    UndefinedStatistic
        If every pair was compared once.

    References
    ----------
    Shannon, C. E. (1948). doi:10.1002/j.1538-7305.1948.tb01338.x
    Miller, G. A. (1955). Note on the bias of information estimates.

    Examples
    --------
    >>> from socialstats.datasets import role_conflict
    >>> from socialstats.designs.comparisons import Comparisons
    >>> result = choice_entropy(Comparisons.from_frame(role_conflict()))
    >>> len(result.extras["entropy"])
    1546
    """
    check_options(base, level)
    return estimate(comparisons, base, cluster, level)


def check_options(base: float, level: float) -> None:
    """Raise InputError for an impossible base or level."""
    if not (math.isfinite(base) and base > 1):
        raise InputError(
            f"base must be a number above 1 (2 for bits, math.e for nats), not {base!r}"
        )
    checked_level(level)


def estimate(design: Comparisons, base: float, cluster: str | None, level: float) -> Result:
    """Compute the mean entropy of one design."""
    if not len(design.item_a):
        raise NothingToAnalyse(f"{design.source}: no comparison to compute an entropy from")
    table = pair_entropies(design, base)
    codes, dependence, clusters = clusters_of_pairs(design, cluster)
    n = design.n_rows
    extras: dict[str, Any] = {
        "pairs": labels_of_pairs(design),
        "n": table.n,
        "rate": table.rate,
        "entropy": table.entropy,
        "corrected": table.corrected,
    }
    references: tuple[str, ...] = ("shannon1948",)
    if design.replies is None:
        cautions = entropy_cautions(design, table)
        references = ("shannon1948", "miller1955")
        values = table.entropy, table.corrected
        rows, means = entropy_rows(values, base, codes, level, n)
    else:
        # probabilities of replies are no counts: no bias of few comparisons, and nothing to correct
        cautions = ()
        reply, *bounds = reply_entropies(design, base)
        values = table.entropy, reply
        rows, means = entropy_rows(values, base, codes, level, n, terms=PROBABLE)
        rows += [
            bound_row(term, float(entropies.mean()), len(reply))
            for term, entropies in zip(BOUNDS, bounds, strict=True)
        ]
        extras["reply"] = reply
    fit = {
        "nobs": n,
        "method": "t interval",
        "effective_df": rows[0].df,
        "largest_leverage": max(mean.largest for mean in means) or None,
    }
    title = f"Choice entropy ({entropy_unit(base)})"
    counts = {"comparisons": n, "pairs": len(table.n)}
    return Result(
        metric="choice_entropy",
        title=title,
        inference=f"t intervals over {clusters}",
        rows=tuple(rows),
        counts=counts,
        fit=fit,
        settings={"base": base, "cluster": cluster, "level": level},
        cautions=(*cautions, *dependence),
        references=references,
        design=design,
        extras=extras,
    )


def bound_row(term: str, value: float, pairs: int) -> Row:
    """Return the row of a bound of the mean entropy of replies."""
    row = Row(term=term, role="component", key=(("measure", term),), n_units=pairs, method="bound")
    if math.isnan(value):
        return replace(
            row, undefined="the probability of other answers (p_rest) is not known for every reply"
        )
    return replace(row, estimate=value)


def clusters_of_pairs(
    design: Comparisons, cluster: str | None
) -> tuple[list[IntArray], tuple[Caution, ...], str]:
    """Cluster of each pair (none: pairs are independent), cautions, and the clusters in words."""
    name = "pair" if cluster is None and design.replies is None else cluster
    design, factors, stored = clustered_comparisons(design, name)
    factor, *more = factors or (design.pair,)
    if more:
        raise InputError(
            "choice_entropy takes one cluster factor, with every pair of items inside one level"
        )
    if stored is not None:
        cluster_of_pair = stored.rows.owners(design.pair.codes)
    else:
        first_cells = np.unique(design.pair.codes, return_index=True)[1]  # one of each pair
        cluster_of_pair = factor.codes[first_cells] if is_nested_in(design.pair, factor) else None
    if cluster_of_pair is None:
        raise InputError(
            f"cluster '{factor.name}' splits pairs of items; a pair's entropy needs all its comparisons: use "
            f"{option('cluster', 'pair')}, or a factor that keeps pairs whole"
        )
    cautions = cluster_cautions(design, [factor])
    if factor.name == "pair":
        return [], cautions, count(len(design.pair.levels), "pair")
    levels, codes = np.unique(cluster_of_pair, return_inverse=True)
    return (
        [codes.astype(np.int64)],
        cautions,
        count_with_noun(len(levels), f"clusters of '{factor.name}'"),
    )


def entropy_rows(
    values: Sequence[FloatArray],
    base: float,
    codes: Sequence[IntArray],
    level: float,
    n: int,
    *,
    differences: bool = False,
    terms: Sequence[str] = TERMS,
    alternative: Alternative = "two_sided",
) -> tuple[list[Row], list[ClusteredMean]]:
    """Return the rows of both means over pairs, and the means; the test of 0 is shown for differences only."""
    # the largest entropy of two outcomes, to which rounding is relative
    magnitude = math.log(2) / math.log(base)
    ones = np.ones(len(values[0]))
    means = [clustered_mean(entropies, ones, codes, magnitude=magnitude) for entropies in values]
    rows = []
    for term, mean in zip(terms, means, strict=True):
        pairs = int(mean.n)
        tested = not mean.undefined
        row = Row(
            term=term,
            role="estimate",
            key=(("measure", term),),
            estimate=mean.mean,
            n=float(n),
            n_units=pairs,
            method="t interval",
        )
        if tested:
            row = replace(row, df=mean.df, n_clusters=min(mean.clusters, default=pairs))
        if differences:
            method = f"paired t{OPEN[alternative]}"
            row = replace(row, group="difference", role="difference", method=method)
        # the entropy of two outcomes is at most log 2
        within = (-magnitude, magnitude) if differences else (0.0, magnitude)
        # the Miller-Madow correction can exceed the entropy of even odds
        row = row if differences else cut_at_limits(row, mean.mean, within)
        filled = with_mean(
            row, mean, level, alternative=alternative, test=differences, within=within, hold=True
        )
        rows.append(replace(filled, limits=None))  # bits keep their leading zero
    return rows, means


def entropy_cautions(design: Comparisons, table: PairTable) -> tuple[Caution, ...]:
    """Cautions SS304 (plug-in bias), SS303 (unequal counts) and SS105 (ties as halves)."""
    # Miller (1955): plug-in entropies are too small by about (outcomes - 1) / (2 n) nats
    gain = float(np.mean(table.corrected - table.entropy))
    cautions = [
        caution(
            "SS304",
            f"with few comparisons per pair, H is too small, by about {number(gain, 3)} here",
            affects="H",
            fix="quote H_corrected, or compare only equal numbers of comparisons",
            rows=["H"],
        ),
    ]
    compared_once = int(np.sum(table.n < ONCE))
    if compared_once:
        cautions.append(
            caution(
                "SS303",
                f"{count(compared_once, 'pair')} compared once, whose entropy is always 0",
                affects="H and H_corrected, which are too small",
            )
        )
    elif np.ptp(table.n) > 0:
        spread = f"pairs have {number(table.n.min(), 0)} to {number(table.n.max(), 0)} comparisons"
        cautions.append(
            caution("SS303", spread, affects="H, which is biased more for pairs with fewer")
        )
    if design.n_ties:
        ties = f"{count(design.n_ties, 'tie')} count half for each side"
        cautions.append(caution("SS105", ties, affects="win rates, pulled towards one half"))
    return tuple(cautions)


@reads(Comparisons, tables=2, scans=True)
def choice_entropy_difference(
    first: Comparisons | TableLike,
    second: Comparisons | TableLike,
    *,
    labels: tuple[str, str] = ("first", "second"),
    base: float = 2.0,
    unmatched: Literal["error", "drop"] = "error",
    alternative: Alternative = "two_sided",
    level: float = 0.95,
    **columns: Any,
) -> Result:
    """Estimate and test the difference in choice entropy between two conditions, on the same pairs.

    Paired t of H_ij(first) - H_ij(second) over the pairs that both have, matched by the items' labels.

    Parameters
    ----------
    first, second : Comparisons, data frame, mapping of columns, or path of a file
        Without ``by`` (take ``design.split()[level]``).
    labels : pair of str
    base : float
    unmatched : {"error", "drop"}
        What to do with pairs that only one design has; dropped pairs are listed (caution SS301).
    alternative : {"two_sided", "greater", "less"}
        Of the differences of ``H`` and ``H_corrected`` against 0. One-sided: their intervals have one end. That of
        ``d_z`` has two.
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_comparisons`.

    Returns
    -------
    Result
        Group ``"difference"``: ``H`` and ``H_corrected`` (t, df, p of no difference), ``sd`` of the
        differences of H, and ``d_z`` = mean/sd with its noncentral-t interval. Groups named by `labels`: the
        means. All differences equal: interval, t and p are undefined and the row says so.

    Raises
    ------
    InputError
        If pairs are unmatched, or an option is unknown.
    UndefinedStatistic
        If only one pair is common.

    References
    ----------
    Miller, G. A. (1955). Note on the bias of information estimates.

    Examples
    --------
    >>> from socialstats.datasets import role_conflict
    >>> from socialstats.designs.comparisons import Comparisons
    >>> rows = role_conflict()
    >>> odd = Comparisons.from_frame(rows.iloc[::2])
    >>> even = Comparisons.from_frame(rows.iloc[1::2])
    >>> result = choice_entropy_difference(odd, even, unmatched="drop")
    >>> result.row("H", group="difference").n_units
    1546
    """
    check_options(base, level)
    two_sided_level(level, alternative)
    if first.replies is not None or second.replies is not None:
        raise UndefinedStatistic(
            "a difference in entropy is that of drawn winners, and here winners are probabilities"
        )
    design_a, design_b, pairs, cautions = common_pairs(first, second, unmatched)
    # the variance of one difference is unknown
    if len(pairs) < 2:
        raise UndefinedStatistic(
            "a paired t needs at least two common pairs of items; there is one"
        )
    # pairs that both have, in one order
    a, b = (entropies_of_pairs(design, pairs, base) for design in (design_a, design_b))
    m = len(pairs)
    n = design_a.n_rows + design_b.n_rows
    differences = [x - y for x, y in zip(a[:2], b[:2], strict=True)]
    rows, means = entropy_rows(
        differences, base, (), level, n, differences=True, alternative=alternative
    )
    key = ("condition", labels[0]), ("minus", labels[1])
    rows = [replace(row, key=(*row.key, *key)) for row in rows]
    rows.append(Row(term="sd", group="difference", role="spread", estimate=means[0].sd, n_units=m))
    size = Row(term="d_z", group="difference", role="difference", n_units=m)
    if means[0].undefined:
        rows.append(replace(size, undefined=means[0].undefined))
    else:
        rows.append(with_d_z(size, differences[0], level))
    for entropies, label in zip((a, b), labels, strict=True):
        for term, values in zip(TERMS, entropies[:2], strict=True):
            key = ("measure", term), ("condition", label)
            row = Row(term=term, group=label, key=key, role="component", n_units=m)
            rows.append(replace(row, estimate=float(values.mean())))
    settings = {
        "base": base,
        "labels": labels,
        "unmatched": unmatched,
        "alternative": alternative,
        "level": level,
    }
    all_cautions = (
        *cautions,
        *cluster_cautions(design_a, [design_a.pair], df=()),
        *unequal_counts_caution(a.n, b.n, labels),
    )
    extras = {
        "pairs": pairs,
        "entropy": (a.entropy, b.entropy),
        "corrected": (a.corrected, b.corrected),
        "n": (a.n, b.n),
    }
    title = f"Difference in choice entropy ({entropy_unit(base)})"
    counts = {"comparisons": n, "pairs": m}
    fit = {"nobs": m, "method": "paired t"}
    return Result(
        metric="choice_entropy",
        title=f"{title}: {labels[0]} minus {labels[1]}",
        inference=f"paired t over {count(m, 'pair')}",
        rows=tuple(rows),
        counts=counts,
        fit=fit,
        settings=settings,
        cautions=all_cautions,
        references=("shannon1948", "miller1955"),
        design=(design_a, design_b),
        extras=extras,
    )


class PairEntropies(NamedTuple):
    """Entropies and corrected entropies of pairs of items, and their comparisons: (pairs,) arrays."""

    entropy: FloatArray
    corrected: FloatArray
    n: FloatArray


def entropies_of_pairs(
    design: Comparisons, pairs: tuple[tuple[str, str], ...], base: float
) -> PairEntropies:
    """Return the entropies of a design, in the order of `pairs`."""
    order = match_keys(pairs, labels_of_pairs(design)).places[1]
    table = pair_entropies(design, base)
    return PairEntropies(table.entropy[order], table.corrected[order], table.n[order])


def unequal_counts_caution(
    a: FloatArray, b: FloatArray, labels: tuple[str, str]
) -> tuple[Caution, ...]:
    """Caution SS303 when the two conditions saw a pair different numbers of times."""
    if np.allclose(a, b):  # the bias of both is then the same, and cancels
        return ()
    counts = f"{labels[0]} has {number(a.mean(), 1)} comparisons per pair, {labels[1]} {number(b.mean(), 1)}"
    fix = "use the same number of comparisons in both (H_corrected does not suffice for a test)"
    affects = "the difference in H and its test: fewer comparisons give a smaller H"
    return (caution("SS303", counts, affects=affects, fix=fix),)


def entropy_unit(base: float) -> str:
    """Return the unit of entropy."""
    return {2.0: "bits", math.e: "nats"}.get(base, f"base {base:g}")


def sentence(result: Result) -> str:
    """Return the mean entropy, or the difference with its test."""
    name = entropy_unit(result.settings["base"])
    if "labels" not in result.settings:
        probable = result.design.replies is not None
        row = result.row(PROBABLE[1] if probable else "H_corrected")
        plug_in = result.row("H")
        ends = f"no interval ({row.undefined})"
        if row.conf_low is not None:
            ends = apa_interval(row)
        if probable:
            return (
                f"Mean entropy of single replies over {count(row.n_units or 0, 'pair')} was {number(row.shown())} "
                f"{name}, {ends}; the entropy of the pairs' mean probabilities was {number(plug_in.shown())}."
            )
        return (
            f"Mean choice entropy over {count(row.n_units or 0, 'pair')} was {number(row.shown())} {name} "
            f"(bias-corrected), {ends}; plug-in {number(plug_in.shown())}."
        )
    row = result.row("H", group="difference")
    effect = result.row("d_z", group="difference")
    a, b = result.settings["labels"]
    text = f"The difference in choice entropy was {number(row.shown())} {name} ({a} minus {b}"
    if row.undefined:
        return f"{text}); {row.undefined}."
    test = f"t({number(row.df, 0)}) = {number(row.statistic)}, {p_value(row.p_value)}"
    test += side_text(result.settings["alternative"])
    size = f"d_z = {stat(effect)}"
    return f"{text}), {apa_interval(row)}, {test}, {size}, over {count(row.n_units or 0, 'common pair')}."


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the mean entropies (or the differences) with their intervals."""
    from socialstats.figures import forest

    plotted = [
        r for r in result.rows if r.term in (*TERMS, *PROBABLE) and r.group in (None, "difference")
    ]
    settings = {"xlabel": f"Entropy ({entropy_unit(result.settings['base'])})", "sort": False}
    return forest(plotted, ax=ax, **{**settings, **options})


def counted_entropies(compared: Comparisons, base: float) -> pd.DataFrame:
    """Return scipy's entropy of each pair's win rate, and its first cell, by the labels of its items."""
    import pandas as pd
    from scipy.stats import entropy as entropy_of

    design = compared.whole()
    names = np.array(design.items, dtype=object)
    a, b = names[design.item_a], names[design.item_b]
    score = np.array([1.0, 0.0, 0.5])[design.outcome]
    # wins of the item whose label comes first
    won = design.weight * np.where(a < b, score, 1 - score)
    cells = pd.DataFrame(
        {
            "pair": [" | ".join(sorted(pair)) for pair in zip(a, b, strict=True)],
            "won": won,
            "weight": design.weight,
            "squares": design.weight_sq,
            "cell": np.arange(len(won)),
        }
    )
    pairs = cells.groupby("pair").agg(
        {"won": "sum", "weight": "sum", "squares": "sum", "cell": "min"}
    )
    rate = (pairs["won"] / pairs["weight"]).clip(0.0, 1.0)
    pairs["H"] = entropy_of([rate, 1 - rate], base=base)
    # Miller's correction: (K - 1) / 2n of K levels that were met
    n = pairs["weight"] ** 2 / pairs["squares"]
    pairs["H_corrected"] = pairs["H"] + (rate.between(0, 1, "neither") / (2 * n * math.log(base)))
    if design.replies is not None:
        cells["reply"] = design.replies.codes
        of_reply = cells.groupby(["pair", "reply"])["won"].sum().clip(0.0, 1.0)
        each = of_reply.map(lambda p: float(entropy_of([p, 1 - p], base=base)))
        pairs["H_reply"] = each.groupby("pair").mean()
        pairs = pairs.drop(columns="H_corrected")
    return pairs


def sample_item_pairs(result: Result) -> Iterator[PlainSample]:
    """Yield the pairs of items, with the means of their entropies; of two designs the pairs that both have."""
    base, design = result.settings["base"], result.design
    if "labels" in result.settings:
        yield from samples_of_common_pairs(result, base)
        return
    pairs = counted_entropies(design, base)
    whole = design.whole()
    first_cells = pairs["cell"].to_numpy()
    factors = [f for f in whole.factors(result.settings["cluster"]) if f.name != "pair"]
    terms = [term for term in ("H", "H_corrected", "H_reply") if term in pairs]
    # estimates beyond the largest entropy are cut, and their errors are not
    most = math.log(2) / math.log(base)
    means: dict[RowKey, FloatArray] = {
        (None, term): pairs[term].to_numpy() for term in terms if pairs[term].mean() <= most
    }
    yield PlainSample(
        count=np.ones(len(pairs)),
        plain=weighted_means(means),
        factors=tuple(factor.take(first_cells) for factor in factors),
        unbiased=True,
        limits=dict.fromkeys(means, (0.0, most)),
    )


def samples_of_common_pairs(result: Result, base: float) -> Iterator[PlainSample]:
    """Yield the pairs of items that both designs have, with the difference of their entropies and its size."""
    one, two = (counted_entropies(design, base) for design in result.design)
    common = one.index.intersection(two.index)
    tables = dict(zip(result.settings["labels"], (one.loc[common], two.loc[common]), strict=True))
    first, second = tables.values()
    difference: dict[RowKey, FloatArray] = {
        ("difference", term): (first[term] - second[term]).to_numpy() for term in TERMS
    }
    values = difference | {
        (label, term): table[term].to_numpy() for label, table in tables.items() for term in TERMS
    }
    most = math.log(2) / math.log(base)
    count = np.ones(len(common))
    yield PlainSample(
        count=count,
        plain=weighted_means(values),
        unbiased=True,
        limits=dict.fromkeys(difference, (-most, most)),
    )
    gap = difference["difference", "H"]

    def estimates(count: FloatArray) -> dict[RowKey, float]:
        mean = float(count @ gap / count.sum())
        squares = float(count @ (gap - mean) ** 2)
        sd = math.sqrt(squares / (count.sum() - 1)) if np.ptp(gap[count > 0]) else 0.0
        return {("difference", "sd"): sd, ("difference", "d_z"): mean / sd if sd else math.nan}

    # its interval has two ends, whatever the alternative
    yield PlainSample(
        count=count,
        plain=estimates,
        standardised={("difference", "d_z"): 1.0},
        level=result.settings["level"],
    )


METRIC = Metric(
    name="choice_entropy",
    title="Choice entropy",
    design="comparisons",
    function=choice_entropy,
    sentence=sentence,
    plot=plot,
    definition=Definition(samples=sample_item_pairs),
    estimand="Mean over pairs of items of the entropy of who wins.",
    assumptions=(
        "pairs of items (or the named clusters of pairs) are independent",
        "a tie counts half for each side",
    ),
    references=("shannon1948", "miller1955"),
    swap="invariant",
)

"""Which units are resampled, and what dependence the caller left out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from socialstats.arrays import FloatArray, IntArray, unique_rows
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import Factor
from socialstats.designs.scan import StoredClusters
from socialstats.errors import Caution, InputError, caution
from socialstats.inference.clustered_mean import CLEARLY, FEWEST_SHAPED, SKEWED, ClusteredMean
from socialstats.inference.one_way import ContrastErrors
from socialstats.results.rows import Row
from socialstats.text import count, listing, number, percent, plural_of, quoted, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    from socialstats.designs.paired_data import PairedData
    from socialstats.designs.ratings_data import RatingsData
    from socialstats.resampling.engine import PlanUnits

FEW_CLUSTERS = 20
# clusters below which refits of resamples are given no interval
FEWEST_RESAMPLED = 4
# Percentile, basic and BCa intervals of means of normal clusters, and percentile ones of strengths, alike.
HELD = "nominal 95% ones of 2, 3, 4, 6, 10 and 20 clusters held in about .50, .75, .80, .85, .90 and .93 of simulations"
# with fewer degrees of freedom a t interval is more than 1.3 times as wide as the normal one
FEW_DF = 5.0
# share of a variance that was estimated from other clusters and is worth a word
BORROWED = 0.01
# leverage of one cluster from which it decides a coefficient
DECISIVE = 0.5
# share of one cluster from which simulated intervals of rare outcomes were too short
LARGE = 0.2
# clusters to an effective one from which the size of tests of rare outcomes was up to .13 at .05
UNEVEN = 3.0
# independent answers of the rarer kind below which Wilson's interval can miss (`rare_answers`)
FEWEST_RARER = 4.0
# answers to a cluster
SMALL = 4.0
# effective answers of the rarer kind below which they were too short where clusters differ much
RARE = 10.0
TAILED = {
    "t": "lognormal values covered in .80 to .92 of simulations",
    "score": "values with a long tail covered in .84 to .93 of simulations",
    "bootstrap": "means of lognormal values covered in .87 to .94 of simulations",
}
# a mean and the name of its row
Named = tuple[ClusteredMean, str]
# values from which long tails show in standard deviations (`spread_cautions`)
TAILED_FROM = 100
# effective values from which a sample shows nearly every long tail that matters
SHOWN_FROM = 25.0


class ClusteredDesign(Protocol):
    """A design with declared dependence: Comparisons, Paired, Ratings."""

    @property
    def clusters(self) -> tuple[Factor, ...]:
        """Declared cluster factors."""

    def factors(self, names: str | Sequence[str] | None = "declared") -> tuple[Factor, ...]:
        """Return cluster factors by name."""


def cluster_factors(
    design: ClusteredDesign, cluster: str | Sequence[str] | None
) -> tuple[Factor, ...]:
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
    two_at_most([factor.name for factor in factors])
    return factors


def settled_cluster(
    design: Comparisons, cluster: str | Sequence[str] | None, parameters: int = 0
) -> str | Sequence[str] | None:
    """Return which clusters ``cluster="auto"`` means: the declared ones, else the pairs of items; others as they are.

    A pair may lean towards one of its items beyond their strengths. In simulations of 6 to 20 items whose pairs leaned
    with a standard deviation of .6, 95% intervals of rows covered .79 to .92, and those of pairs .95 to .96. Where no
    pair leaned, both covered .95 to .96, and intervals of pairs were 1.07 to 1.34 times as wide.

    Parameters
    ----------
    design : Comparisons
    cluster : str, sequence of str or None
    parameters : int
        Strengths that are estimated. Pairs that are fewer than these and `FEW_DF` do not tell their spread: rows are
        then taken as independent.

    Examples
    --------
    >>> design = Comparisons.from_frame({"item_a": ["x", "x"], "item_b": ["y", "y"], "winner": ["x", "y"]})
    >>> settled_cluster(design, "auto"), settled_cluster(design, "auto", parameters=1)
    ('pair', None)
    """
    if cluster != "auto":
        return cluster
    if design.declared:
        return "declared"
    enough = parameters == 0 or parameters + FEW_DF <= len(design.pair.levels) < design.n_rows
    return "pair" if enough else None


def few_pairs(design: Comparisons, parameters: int) -> tuple[Caution, ...]:
    """Caution SS202 where pairs repeat, and are too few for `settled_cluster` to take them as clusters."""
    pairs = len(design.pair.levels)
    if design.declared or pairs == design.n_rows or pairs >= parameters + FEW_DF:
        return ()
    by_pair = f"cluster by pair ({option('cluster', 'pair')})"
    declare = f"name what rows depend on, such as judges or prompts, with {option('cluster')}"
    all_met = no_pair_left(design)
    return (
        caution_of_few_clusters(
            f"{count(pairs, 'pair')} for {count(parameters, 'difference')} of strengths hardly "
            f"separate effects of pairs "
            "from strengths, and the errors are those of independent comparisons",
            affects="intervals and tests of strengths; with pair effects, nominal 95% intervals covered .50 to .95",
            fix=f"{declare if all_met else 'compare more pairs of items'}, or {by_pair}",
            basis=f"{count(pairs, 'pair')} of items",
        ),
    )


def no_pair_left(design: Comparisons) -> bool:
    """Return whether every two items met, so that there are no more pairs to compare."""
    return len(design.pair.levels) == len(design.items) * (len(design.items) - 1) // 2


def more_clusters(design: ClusteredDesign, factors: Sequence[Factor]) -> str:
    """Return what helps against few clusters: more of them, unless they are all pairs that there are."""
    if (
        isinstance(design, Comparisons)
        and [f.name for f in factors] == ["pair"]
        and no_pair_left(design)
    ):
        return "read these intervals as they are: every pair of items was compared"
    return "collect more clusters"


def stored_clusters(
    design: Comparisons, cluster: str | Sequence[str] | None
) -> tuple[Comparisons, tuple[str, ...]]:
    """Return comparisons, and which of the clusters that a caller's `cluster` option names stay with their table.

    Where only some of them stay, all are read into the cells.
    """
    scan = design.scan
    named = () if scan is None else scan.named(cluster)
    wanted = [cluster] if isinstance(cluster, str) else list(cluster or ())
    if cluster == "declared":
        wanted = [*named, *(factor.name for factor in design.clusters)]
    return (design, named) if {*wanted} == {*named} or not named else (design.whole(), ())


def clustered_comparisons(
    design: Comparisons, cluster: str | Sequence[str] | None
) -> tuple[Comparisons, tuple[Factor, ...], StoredClusters | None]:
    """Return comparisons, the factors that a caller's `cluster` option names, and the rows of those that stay.

    Factors that stay with the table have no level of a cell: they have one code for each cluster. Single rows with
    weights are read into the cells, as a cell of rows of different weights is no number of alike rows.

    Parameters
    ----------
    design : Comparisons
    cluster : str, sequence of str or None
        As in `cluster_factors`.
    """
    design, named = stored_clusters(design, cluster)
    if design.scan is None or not named:
        in_memory = design.whole() if design.weighted and cluster is None else design
        return in_memory, cluster_factors(in_memory, cluster), None
    two_at_most(named)
    rows = design.scan.rows(named)
    used = tuple(rows.used(design.n_rows))
    factors = tuple(
        Factor(name=name, codes=np.arange(int(present.sum())), levels=())
        for name, present in zip(named, used, strict=True)
    )
    return (
        design,
        factors,
        StoredClusters(rows=rows, weight=design.weight, weight_sq=design.weight_sq, used=used),
    )


def declared_cluster_counts(design: Comparisons, counted: Mapping[str, int]) -> dict[str, int]:
    """Return the number of declared clusters by factor; `counted` saves counting those that stay with a table."""
    sizes = {}
    if (scan := design.scan) is not None:
        for name in scan.clusters:
            sizes[name] = counted.get(name) or int(scan.rows([name]).used(design.n_rows)[0].sum())
    return sizes | {factor.name: len(factor.levels) for factor in design.clusters}


def two_at_most(names: Sequence[str]) -> None:
    """Refuse more than two crossed clusters."""
    if len(names) > 2:
        raise InputError(f"at most two crossed cluster factors, got {quoted(names)}")


def resampling_units(
    design: Comparisons | PairedData | RatingsData, factors: Sequence[Factor]
) -> PlanUnits:
    """Resampling units: the clusters, or single rows (pairs, units) where there are none."""
    # few results are resampled
    from socialstats.resampling.engine import PlanUnits

    if factors:
        return PlanUnits.clusters(*(factor.codes for factor in factors))
    return row_units(design) if isinstance(design, Comparisons) else PlanUnits.rows(design.count)


def row_units(design: Comparisons) -> PlanUnits:
    """Single rows as resampling units.

    Raises
    ------
    InputError
        If rows that are alike but for their weights were counted together: their weights are known as sums only.
    """
    if np.any(design.weight_sq * design.count > design.weight**2 * (1 + 1e-9)):
        raise InputError(
            "single rows of different weights cannot be resampled; resample clusters or pairs of items, or (for "
            f"strengths) use {option('vcov', 'sandwich')}"
        )
    from socialstats.resampling.engine import PlanUnits

    return PlanUnits.rows(design.count)


def cluster_text(factors: Sequence[Factor], rows: str = "rows") -> str:
    """Name the clusters in words: ``clusters: 1,546 pairs of items`` (of comparisons, whose rows are ``"rows"``)."""
    if not factors:
        return f"{rows} taken as independent"
    return "clusters: " + " x ".join(
        f"{count(len(np.unique(f.codes)))} {f'of {f.name}' if f.name != 'pair' or rows != 'rows' else 'pairs of items'}"
        for f in factors
    )


def cluster_names(factors: Sequence[Factor]) -> str:
    """Name cluster factors: ``scenario x pair``; empty without any."""
    return " x ".join(factor.name for factor in factors)


def smallest_cluster_count(codes: Iterable[IntArray]) -> int | None:
    """Return the number of clusters of the factor with fewest; None without factors."""
    return min((len(np.unique(code)) for code in codes), default=None)


def too_few_to_resample(factors: Sequence[Factor]) -> str:
    """Return why resamples of these clusters give no interval, or empty text."""
    fewest = min((len(np.unique(f.codes)) for f in factors), default=FEWEST_RESAMPLED)
    if fewest >= FEWEST_RESAMPLED:
        return ""
    return f"{count(fewest, 'cluster')}: too few to resample, as such intervals are far too short"


def is_nested_in(inner: Factor, outer: Factor) -> bool:
    """Return whether every level of `inner` lies within one level of `outer`."""
    pairs = unique_rows(np.column_stack([inner.codes, outer.codes]))[0]
    return len(pairs) == len(np.unique(inner.codes))


def caution_of_few_clusters(
    detail: str,
    *,
    affects: str = "these intervals and their tests",
    fix: str = "collect more clusters",
    rows: Iterable[str] | None = None,
    basis: str = "",
    numbers: str = "",
) -> Caution:
    """Caution SS202, about what rests on few (effective) clusters."""
    return caution(
        "SS202", detail, affects=affects, fix=fix, rows=rows, basis=basis, numbers=numbers
    )


def few_df(
    dfs: Iterable[float],
    rows: Iterable[Row] | None = None,
    *,
    where: str = "",
    beside: Iterable[str] = (),
    fix: str = "collect more clusters",
) -> tuple[Caution, ...]:
    """Caution SS202, where some numbers rest on fewer degrees of freedom than `FEW_DF`; else nothing.

    Parameters
    ----------
    dfs : iterable of float
        Degrees of freedom.
    rows : iterable of Row, optional
        Those with a `df`: the caution names the ones that have few.
    where : str
        Which numbers, after the noun.
    beside : iterable of str
        Names of rows without a `df` that rest on the same numbers.
    fix : str
        What helps.

    Examples
    --------
    >>> few_df([4.2, 19.0, 1.3], where=" by topic")[0].detail.partition(";")[0]
    '2 numbers by topic rest on few effective clusters, the least on about 1.3'
    """
    few = [value for value in dfs if value < FEW_DF]
    if not few:
        return ()
    names = (
        None
        if rows is None
        else [row.name for row in rows if row.df is not None and row.df < FEW_DF]
    )
    rests = f"{count_rests(len(few), 'number', where)} on few effective clusters"
    least = f"the least on about {number(min(few), 1)}"
    return (
        caution_of_few_clusters(
            f"{rests}, {least}; intervals with few degrees of freedom are longer",
            rows=None if names is None else [*names, *beside],
            fix=fix,
            basis=at_the_least(min(few)),
            numbers=f"{count(len(few), 'number')}{where}",
        ),
    )


def at_the_least(fewest: float) -> str:
    """Return how many there are at the least: ``about 6 at the least``."""
    return f"about {max(round(fewest), 1)} at the least"


def count_rests(n: int, noun: str, where: str = "") -> str:
    """Return the subject and the verb of a caution: ``2 numbers by topic rest``."""
    return f"{count(n, noun)}{where} {'rests' if n == 1 else 'rest'}"


def robust_cautions(
    by: str,
    terms: Sequence[str],
    dfs: Sequence[float | None],
    errors: ContrastErrors,
    largest: float,
    *,
    fix: str,
) -> Iterator[Caution]:
    """Yield SS208 (borrowed variances), SS202 (few degrees of freedom) and SS210 (one cluster decides) of coefficients.

    Parameters
    ----------
    by : str
        The cluster factors.
    terms : sequence of str
        Names of the coefficients.
    dfs : sequence of float or None
        None for a coefficient without an interval.
    errors : Errors
        Those of `socialstats.inference.robust`.
    largest : float
        Largest leverage of a cluster.
    fix : str
        What helps against borrowed variances.
    """
    borrowed = np.where((errors.unit > BORROWED) & ~errors.refused, errors.unit, 0.0)
    if borrowed.any():
        coefficients = count(int((borrowed > 0).sum()), "coefficient")
        most = quoted([terms[int(borrowed.argmax())]])
        yield caution(
            "SS208",
            f"up to {percent(borrowed.max())} of the variance of {coefficients} (most: {most}) "
            f"was not estimable between clusters ({by}) and was taken from other clusters",
            affects="these intervals, which assume equal clusters",
            fix=fix,
            rows=[term for term, share in zip(terms, borrowed, strict=True) if share],
        )
    with_df = [(df, term) for df, term in zip(dfs, terms, strict=True) if df is not None]
    few = [(df, term) for df, term in with_df if df < FEW_DF]
    if few:
        df, term = min(few, key=lambda pair: pair[0])
        number_few = count(len(few), "coefficient")
        others = f" ({number_few} on fewer than {FEW_DF:g})" if len(few) > 1 else ""
        rests = f"{quoted([term])} rests on about {number(df, 1)} effective clusters{others}"
        yield caution_of_few_clusters(
            f"{rests}; intervals with few degrees of freedom are longer",
            rows=[name for _, name in few],
            basis=at_the_least(df),
            numbers=f"{number_few}, such as {quoted([term])}" if len(few) > 1 else quoted([term]),
        )
    if largest > DECISIVE and not errors.refused.any():
        yield caution(
            "SS210",
            f"one cluster ({by}) has {percent(largest)} of the leverage of a coefficient",
            affects="coefficients with few degrees of freedom (df)",
            fix="check the df of each coefficient",
        )


def ignored_clusters(
    ignored: str, used: str, *, affects: str = "standard errors, intervals", fix: str | None = None
) -> Caution:
    """Caution SS201, about declared dependence that the intervals ignore."""
    fix = f"{option('cluster', 'declared')} uses them" if fix is None else fix
    return ignored_caution(f"{ignored} declared, intervals use {used}", affects=affects, fix=fix)


def ignored_caution(detail: str, *, affects: str, fix: str, short: str = "") -> Caution:
    """Return caution SS201."""
    return caution("SS201", detail, affects=affects, fix=fix, short=short)


def fixed_factors(factors: Sequence[Factor], unit: Factor) -> Caution:
    """Return caution SS201 about clusters that every unit of analysis is averaged over, such as scenarios of models."""
    # a mean over all scenarios holds for these, whatever the number of models
    sizes = listing([f"the {count(len(np.unique(f.codes)), f.name)}" for f in factors])
    scope = f"intervals with {unit.name}s as units hold for these"
    names = listing([plural_of(factor.name) for factor in factors])
    return ignored_caution(
        f"each {unit.name} counts with its mean over {sizes}; {scope}",
        affects=f"intervals and tests with {unit.name}s as units",
        fix=f"read the tests with {factors[0].name}s as units beside them",
        short=f"the results hold for these {names} only",
    )


def small_sample_caution(
    n: float,
    fewest: float,
    detail: str,
    *,
    affects: str = "intervals",
    fix: str = "",
    rows: Iterable[str] | None = None,
    short: str = "",
    basis: str = "",
) -> tuple[Caution, ...]:
    """Caution SS312, where there are fewer than `fewest`.

    Parameters
    ----------
    n, fewest : float
        How many there are, and how many the method was seen to need.
    detail, affects, fix : str
        What there are few of; what that makes unreliable; what helps.
    rows : iterable of str, optional
        As in `Caution`.
    short : str
        Instead of the short text of SS312, where it is not about an interval.
    basis : str
        As in `Caution`.
    """
    return (
        (caution("SS312", detail, affects=affects, fix=fix, rows=rows, short=short, basis=basis),)
        if n < fewest
        else ()
    )


def cluster_cautions(
    design: ClusteredDesign,
    factors: Sequence[Factor],
    *,
    df: Iterable[float | None] | None = None,
    largest: float = 0.0,
    effective: float = math.inf,
    among: int | None = None,
    rows: Iterable[Row] | None = None,
) -> tuple[Caution, ...]:
    """Cautions SS201 (declared dependence that the intervals ignore), SS202 and SS211 (clusters that tell little).

    SS211 fires, of 20 clusters or more, where one holds above a fifth, or where they count as fewer than a third of
    their number. Of clusters sized as 1/rank with an intraclass correlation of .2, intervals of shares of .05 held .88
    to .92 (30 to 400 clusters). Tango's tests of equivalence rejected up to .125 of true nulls at a nominal .05 (30 to
    200). The largest of 100 and 200 such clusters hold .19 and .17.

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
    effective : float
        Effective clusters of the number that has fewest: 1 / sum f^2 of their shares f, or degrees of freedom and one.
    among : int, optional
        Clusters behind that number, where it rests on a part of them.
    rows : iterable of Row, optional
        Those of the degrees of freedom in `df`: SS202 names those with few.
    """
    cautions = []
    # a factor inside one that the intervals use is no dependence that they ignore
    dependent = [f for f in design.clusters if len(np.unique(f.codes)) > 1]
    ignored = [
        f.name
        for f in dependent
        if not any(f.name == used.name or is_nested_in(f, used) for used in factors)
    ]
    if isinstance(design, Comparisons) and (scan := design.scan) is not None:
        others = [name for name in scan.clusters if all(name != used.name for used in factors)]
        ignored += [
            name for name in others if not any(scan.is_inside(name, used) for used in factors)
        ]
    if ignored:
        used = " and ".join(f.name for f in factors) or "single rows"
        cautions.append(ignored_clusters(quoted(ignored), used))
    if not factors:
        return tuple(cautions)
    sizes = {factor.name: len(np.unique(factor.codes)) for factor in factors}
    dfs = [] if df is None else list(df)
    if df is None or None in dfs:
        more = more_clusters(design, factors)
        affects = (
            f"bootstrap intervals, which are too short: {HELD}"
            if dfs
            else "intervals, which tend to be too short"
        )
        few = {name: levels for name, levels in sizes.items() if levels < FEW_CLUSTERS}
        cautions += [
            caution_of_few_clusters(
                f"{count(levels, 'level')} of '{name}'",
                affects=affects,
                fix=f"{more}; read the interval as approximate",
                basis=f"{count(levels, 'group')} of '{shorten(name)}'",
            )
            for name, levels in few.items()
        ]
    else:
        cautions += few_df(
            (value for value in dfs if value is not None),
            rows,
            fix=more_clusters(design, factors),
        )
    fewest = among or min(sizes.values())
    if fewest >= FEW_CLUSTERS and (largest > LARGE or effective < fewest / UNEVEN):
        even = (
            ""
            if math.isinf(effective)
            else f"; {fewest:,} clusters count as about {number(effective, 1)} equal ones"
        )
        cautions.append(
            caution(
                "SS211",
                f"one cluster ({listing(list(sizes))}) holds {percent(largest)} of a number{even}",
                affects="intervals of rare outcomes: nominal 95% ones held in .83 to .92 of "
                "simulations; tests likewise",
                fix="see whether the conclusion holds without the largest clusters",
            )
        )
    return tuple(cautions)


def cluster_facts(rows: Iterable[Row]) -> dict[str, float | None]:
    """Return `effective_df` (the smallest) and `largest_leverage` of the rows whose interval uses clusters."""
    shown = [row for row in rows if row.leverage is not None and row.conf_low is not None]
    return {
        "effective_df": min((row.df for row in shown if row.df is not None), default=None),
        "largest_leverage": max(
            (row.leverage for row in shown if row.leverage is not None), default=None
        ),
    }


def share_cautions(
    design: ClusteredDesign, factors: Sequence[Factor], rows: Iterable[Row]
) -> tuple[Caution, ...]:
    """Cautions of `cluster_cautions` about rows of shares, and SS212 (rare answers in clusters).

    SS212 fires below ten effective answers of the rarer kind, times the clusters to an effective cluster where sizes
    differ. With an intraclass correlation of .2, shares of .05 in clusters sized as rank^-.7 held .91 to .925 (30 to
    200 clusters). They were cautioned in .89 to 1 of samples (.07 to .96 without the factor), shares of .3 in at least
    40 equal clusters in none.

    Parameters
    ----------
    design : Comparisons, Paired, Ratings or LabelLists
    factors : sequence of Factor
        The clusters that the intervals use.
    rows : iterable of Row
        With `leverage` and `effective` where their intervals use clusters.
    """
    shown = [row for row in rows if row.leverage is not None and row.conf_low is not None]
    # SS211 is about 20 clusters or more: SS202 speaks of fewer
    enough = [row for row in shown if (row.n_clusters or 0) >= FEW_CLUSTERS]
    largest = max((row.leverage or 0.0 for row in enough), default=0.0)
    many = [row for row in enough if row.df is not None]
    least = max(many, key=unevenness, default=None)
    even, among = (math.inf, None) if least is None else ((least.df or 0.0) + 1, least.n_clusters)
    dfs = [row.df for row in shown]
    few = cluster_cautions(
        design, factors, df=dfs, largest=largest, effective=even, among=among, rows=shown
    )
    touched = [
        row
        for row in shown
        if row.effective is not None
        and 0 < rarer(row) < RARE * unevenness(row)
        and not small_clusters(row)
    ]
    rare = [rarer(row) for row in touched]
    if not rare:
        return few
    rest = count_rests(len(rare), "share")
    few_are = f"fewer than {RARE:g}, or more where clusters differ in size"
    least_rare = f"the least on about {number(min(rare), 1)}"
    more = more_clusters(design, factors)
    return (
        *few,
        caution(
            "SS212",
            f"{rest} on few effective answers of the rarer kind ({few_are}), {least_rare}",
            affects="these intervals: where clusters differ much, nominal 95% ones held in .80 to .92 of simulations",
            fix=f"{more}, or quote counts",
            rows=[row.name for row in touched],
            basis=at_the_least(min(rare)),
            numbers=numbers_named(touched, "share"),
        ),
    )


def rare_answers(rows: Sequence[Row]) -> tuple[Caution, ...]:
    """Caution SS212 of score intervals that rest on fewer than `FEWEST_RARER` answers of the rarer kind.

    By enumeration (20 to 1,000 answers) Wilson's nominal 95% intervals held .86 where .15 answers of the rarer kind
    are expected, .895 to .925 at .45 to .55, .92 at 1, and .93 to .98 elsewhere. Where 1 is expected, .98 of samples
    have fewer than four. Samples without any have an interval that holds. Clusters have the caution of
    `share_cautions`.
    """
    few = [
        row
        for row in rows
        if row.interval == "score" and row.leverage is None and 0 < rarer(row) < FEWEST_RARER
    ]
    if not few:
        return ()
    least = min(map(rarer, few))
    rest = count_rests(len(few), "mean")
    return (
        caution(
            "SS212",
            f"{rest} on fewer than {FEWEST_RARER:g} effective answers of the rarer kind, the least on about "
            f"{number(least, 1)}",
            affects="these intervals: where one such answer or fewer is expected, nominal 95% ones held .86 to .92",
            fix="collect more units, or quote counts",
            rows=[row.name for row in few],
            basis=at_the_least(least),
            numbers=numbers_named(few, "mean"),
        ),
    )


def drawn_cautions(rows: Iterable[Row], people: int) -> tuple[Caution, ...]:
    """Cautions SS202 and SS212 of numbers whose raters are a sample: few degrees of freedom, and rare answers.

    SS212 fires on shares of which fewer than one of so many people would hold the rarer kind. Log-odds of people
    differed with a standard deviation of 1. Intervals of a share of .07 held .90, and of its difference from a model
    .93 (7 people, 100 units); .925 to .955 with 30 people. Shares of .2 to .7 held .93 to .97 (5 to 30 people).
    """
    shown = [row for row in rows if row.conf_low is not None]
    few = few_df([row.df for row in shown if row.df is not None], shown)
    bounded = [row for row in shown if row.role == "estimate" and row.limits]
    rare = [row for row in bounded if 0 < rarer_part(row) * people < 1]
    if not rare:
        return few
    about = {(row.label("level"), row.label("stratum")) for row in rare}
    gaps = [row for row in shown if row.role == "difference"]
    gaps = [row for row in gaps if (row.label("level"), row.label("stratum")) in about]
    are = f"{count(len(rare), 'number')} of people {'is' if len(rare) == 1 else 'are'}"
    asked = count(people, "person", "people")
    return (
        *few,
        caution(
            "SS212",
            f"{are} so near an end of the scale that fewer than one of {asked} would account for the rarer kind",
            affects="these intervals and those of their differences: nominal 95% ones held in "
            ".89 to .95 of simulations",
            fix="ask more people, or quote counts",
            rows=[row.name for row in (*rare, *gaps)],
        ),
    )


def numbers_named(rows: Sequence[Row], noun: str) -> str:
    """Return how many numbers these are, and the one that rests on the fewest answers.

    Examples
    --------
    >>> numbers_named([Row(term="ash", estimate=0.1, n_units=40), Row(term="elm", estimate=0.02, n_units=40)], "share")
    "2 shares, such as that of 'elm'"
    """
    least = min(rows, key=rarer)
    labels = [shorten(label) for _, label in least.key if label != least.term]
    which = f" of '{shorten(least.term)}'" + (f" for {listing(labels)}" if labels else "")
    if len(rows) == 1:
        return f"the {noun}{which}"
    return f"{count(len(rows), noun)}, such as that{which}"


def rarer(row: Row) -> float:
    """Effective number of answers of the kind that is rarer in a row of a share, or of a mean between two limits."""
    return (row.effective or row.n_units or 0.0) * rarer_part(row)


def rarer_part(row: Row) -> float:
    """Share of the rarer kind: of a mean between two limits, its distance from the nearer one over theirs."""
    low, high = row.limits or (0.0, 1.0)
    p = ((row.estimate or 0.0) - low) / (high - low)
    return min(p, 1 - p)


def small_clusters(row: Row) -> bool:
    """Return whether a share stands on fewer than 20 clusters, of up to four answers each on average.

    There the t interval has few degrees of freedom, and answers of a cluster cannot differ much from independent ones.
    Nominal 95% intervals held in at least .929 of 4,000 simulations in each of 288 settings. These had 8 to 19 clusters
    (even, or sized as 1/rank) of 2 to 4 answers, shares of .02 to .2, and log-odds of clusters with SD 0 to 2.
    """
    clusters = row.n_clusters or 0
    return 0 < clusters < FEW_CLUSTERS and (row.n or row.n_units or 0.0) <= SMALL * clusters


def unevenness(row: Row) -> float:
    """Return how many clusters there are to an effective one; 1 where clusters weigh the same."""
    return max(1.0, (row.n_clusters or 0) / (row.df + 1)) if row.df is not None else 1.0


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
    return max(
        (float(np.bincount(f.codes, weight).max() / weight.sum()) for f in factors), default=0.0
    )


def rare_level_cautions(
    carriers: FloatArray, units: float, clusters: int | None
) -> tuple[Caution, ...]:
    """Caution SS312 of coefficients of agreement with a level that few units carry.

    Levels had shares of .9, .05 and .05, and five raters gave the unit's level in .6 or .85 of ratings. Nominal 95%
    intervals of Fleiss' kappa and alpha held .80 to .91 (30 and 50 units; 10 clusters of 10, 20 of 5), of Gwet's AC1
    .87 to .93. Fewer than ten units carry a level in .97 to 1 of samples of 50 units, fewer than twenty in 1 of 100
    units in 10 or 20 clusters. From 100 independent units or 40 clusters on, intervals held .925 to .98.

    Parameters
    ----------
    carriers : (levels,) float64 array
        Units with a rating of each level; levels that were not given do not count.
    units : float
    clusters : int or None
        None where units are independent.
    """
    rated = carriers[carriers > 0]
    enough = 10.0 if clusters is None else 20.0
    if (
        len(rated) < 2
        or (units >= 100 if clusters is None else clusters >= 40)
        or rated.min() >= enough
    ):
        return ()
    verb = "carries" if rated.min() == 1 else "carry"
    return small_sample_caution(
        rated.min(),
        enough,
        f"only {count(rated.min(), 'unit')} of {count(units)} {verb} some level",
        affects="intervals: with one rare level, nominal 95% ones held .80 to .93 of simulations",
        fix=f"rate more units{'' if clusters is None else ' in more clusters'} with the rare levels",
    )


def mean_cautions(
    design: ClusteredDesign,
    factors: Sequence[Factor],
    means: Iterable[ClusteredMean],
    *,
    fix: str = "",
    what: str = "pairs",
    bounded: bool = False,
    resampled: bool = False,
    few: bool = True,
) -> tuple[Caution, ...]:
    """Cautions of t intervals of means: `cluster_cautions` by their effective df, and `shape_cautions`.

    With `resampled` the intervals are those of a bootstrap, and clusters are counted. Without `few` the caller says
    which rows have few degrees of freedom (`few_df`).
    """
    defined = [mean for mean in means if not mean.undefined]
    largest = max((mean.largest for mean in defined), default=0.0)
    df = [None if resampled else mean.df for mean in defined if few or resampled]
    return (
        *cluster_cautions(design, factors, df=df, largest=largest),
        *shape_cautions(defined, fix=fix, what=what, bounded=bounded),
    )


def floored_caution(mean: ClusteredMean, affects: str = "") -> tuple[Caution, ...]:
    """Caution SS206: the two-way variance was smaller than that of one factor, which took its place."""
    if not mean.floored:
        return ()
    message = "the two-way variance fell below the larger one-way variance, used instead"
    return (caution("SS206", message, affects=affects),)


def shape_cautions(
    means: Iterable[ClusteredMean],
    *,
    names: Sequence[str] | None = None,
    fix: str = "",
    what: str = "pairs",
    bounded: bool = False,
    interval: Literal["t", "score", "bootstrap"] = "t",
    of: str = "values",
    enough: float = SHOWN_FROM,
) -> tuple[Caution, ...]:
    """Cautions SS317 (skewed values) and SS312 (too few to see their shape) of t intervals of means.

    Coverage of nominal 95% t intervals of 8, 15, 20, 25, 50 and 100 values was .83, .85, .87, .87, .90, .92 of
    lognormal means, and .90, .91, .92, .925, .94, .94 of exponential ones. Samples of 25 values or more show a long
    tail by the statistic sum e^3 / (sum e^2)^1.5 of the values. SS317 fires where it is above .15. In lognormal samples
    of 25, 30, 50 and 100 values it fired in .961, .967, .980 and .978 (in .94 of 200, whose intervals hold .93). In
    normal samples of the same sizes it fired in .088, .045, .003 and 0. A limit of .25 fired in .80, .80, .77 and .65
    of the lognormal samples, and intervals of the others held .6. Fewer than 25 values cannot show a long tail: SS312,
    or SS317 where the statistic is above .25. With clusters the limit is 24 effective degrees of freedom. It cautions
    two crossed factors with lognormal effects, whose intervals held .80 to .91.

    With clusters the statistic is the larger of two, of sums by cluster and of single values
    (`ClusteredMean.skewness`). For 30, 40 and 60 clusters of five, lognormal in both parts, SS317 fired in .986, .982
    and .973 (.87 by sums alone); coverage was .91, .92 and .92. For normal clusters it fired in .046, .014 and 0.
    Normal noise hides the tail of lognormal clusters: of 30 (coverage .918), .71 were cautioned. The studentized
    bootstrap held .88 to .94 of the lognormal and .93 to .95 of the exponential means.

    Parameters
    ----------
    means : iterable of ClusteredMean
        Those with a t (or score) interval; undefined ones are passed over.
    names : sequence of str, optional
        Of the rows of the means: a caution names those that it is about.
    fix : str
        What the caller offers against skewness.
    what : str
        What independent values are called.
    bounded : bool
        Values are scores between two ends that most of them reach, and so have no long tail. A few clusters need no
        caution, and SS317 fires above .25.
    interval : {"t", "score", "bootstrap"}
    of : str
        What is skewed: values, or influences on another statistic.
    enough : float
        Effective values that show a long tail.
    """
    every = list(means)
    terms = [""] * len(every) if names is None else names
    defined = [(mean, name) for mean, name in zip(every, terms, strict=True) if not mean.undefined]
    shaped, few = list[Named](), list[Named]()
    for mean, name in defined:
        shown = mean.df + 1 >= enough and not bounded
        if mean.n >= FEWEST_SHAPED and mean.skewness > (SKEWED if shown else CLEARLY):
            shaped.append((mean, name))
        elif not shown and not bounded:
            few.append((mean, name))
    limit = CLEARLY if bounded else SKEWED
    return (
        *_few_values_caution(few, what, interval, of, enough),
        *_skewness_caution(shaped, len(defined), fix, what, interval, limit, of),
    )


def spread_cautions(rows: Iterable[Row], what: str) -> tuple[Caution, ...]:
    """Cautions SS312 (too few values to show long tails) and SS317 (long tails) of intervals of standard deviations.

    With fewer than 100 values, nominal 95% intervals (`socialstats.inference.influence.spread_ends`) held .78 to .92 of
    lognormal samples (SD of logs 1 and .5), .90 to .93 of exponential and .95 to .99 of normal ones. From 100 values
    on, the kurtosis is above 4 in .997 of lognormal samples (coverage .87) and in .03 of normal ones. Coverage of
    exponential samples was .94.

    Parameters
    ----------
    rows : iterable of Row
        Those of `socialstats.inference.rows.with_spread` are looked at.
    what : str
        What independent values are called.
    """
    spreads = [
        row
        for row in rows
        if row.role == "spread" and row.effective is not None and row.conf_low is not None
    ]
    least = min((row.n_units or 0 for row in spreads), default=TAILED_FROM)
    tails = [row for row in spreads if (row.n_units or 0) >= TAILED_FROM and has_heavy_tails(row)]
    few = small_sample_caution(
        least,
        TAILED_FROM,
        f"{count(least, what)} of a standard deviation are too few to show long tails",
        affects="intervals of standard deviations: of fewer than 100 skewed values, nominal 95% ones held .78 to .93 "
        "in simulations, of normal ones .95",
        fix=f"collect more {what}s",
        rows=["spread"],
        basis=count(least, what),
    )
    if not tails:
        return few
    return (
        *few,
        caution(
            "SS317",
            f"the values behind {count(len(tails), 'standard deviation')} of {len(spreads)} have long tails (a "
            "kurtosis above 4)",
            affects="intervals of standard deviations: of lognormal values, nominal 95% ones held "
            ".85 to .88 in simulations",
            fix="quote quantiles beside the standard deviation",
            rows=["spread"],
        ),
    )


def has_heavy_tails(row: Row) -> bool:
    """Return whether a standard deviation is as uncertain as that of two thirds as many normal values: kurtosis 4."""
    return (row.effective or 0.0) < (row.n_units or 0) * 2 / 3


def _names_of(named: Sequence[Named]) -> tuple[str, ...] | None:
    """Return the names of the rows, None where they have none."""
    names = tuple(name for _, name in named if name)
    return names or None


def _few_values_caution(
    few: Sequence[Named], what: str, interval: str, of: str, enough: float
) -> tuple[Caution, ...]:
    """Caution SS312 about means whose values are too few to show their shape."""
    if not few:
        return ()
    least = min((mean for mean, _ in few), key=lambda mean: mean.df)
    noun = independent_noun(least, what)
    effective = f"about {number(least.df + 1, 1)} effective {noun}"
    values = f"{count(least.n)} {what}" if noun == what else effective
    return small_sample_caution(
        least.df + 1,
        enough,
        f"{values} are too few to show whether their {of} are skewed",
        affects=f"{interval} intervals and tests: of fewer than {enough:g} skewed values, nominal 95% intervals held "
        ".80 to .92 in simulations, of normal ones .95",
        fix=f"collect more {noun}",
        rows=_names_of(few),
    )


def independent_noun(mean: ClusteredMean, what: str) -> str:
    """Name what is independent in a mean: values, clusters, and people who are a sample."""
    noun = "clusters" if mean.clusters else what
    return f"{noun} or people" if mean.kind == "two-way" and len(mean.clusters) < 2 else noun


def _skewness_caution(
    shaped: Sequence[Named],
    n_defined: int,
    fix: str,
    what: str,
    interval: str,
    limit: float,
    of: str,
) -> tuple[Caution, ...]:
    """Caution SS317 about means whose values are skewed."""
    if not shaped:
        return ()
    first = shaped[0][0]
    by_cluster = bool(first.clusters) and of == "values"
    sums = (
        "values and their sums by cluster"
        if by_cluster
        else f"{of} of {independent_noun(first, what)}"
    )
    noun = "mean" if of == "values" else "number"
    many = f" in {count(len(shaped), noun)} of {count(n_defined)}" if n_defined > 1 else ""
    most = max(mean.skewness for mean, _ in shaped)
    # "up to 0.25. Above 0.25" would seem to contradict itself: three decimals tell them apart
    above = number(most, 2 if number(most) != number(limit) else 3)
    return (
        caution(
            "SS317",
            f"the {sums} are skewed{many}. Their skewness over the root of their effective number is up to "
            f"{above}. Above {number(limit)}, 95% {interval} intervals of {TAILED[interval]}",
            affects=f"{interval} intervals, too short on the side of the long tail, and their tests",
            fix=fix or f"collect more {'clusters' if first.clusters else what}",
            rows=_names_of(shaped),
        ),
    )

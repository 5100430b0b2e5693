"""Sensitivity S: the distance of choices from following urgency alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats.arrays import AnyArray, FloatArray, IntArray
from socialstats.choices.conditions import (
    CONDITIONS,
    CORRECTED,
    LARGEST,
    PLUG_IN,
    TERMS,
    ReferenceLine,
    Weighting,
    common_pairs,
    condition_table,
    labels_of_pairs,
    pair_codes,
    reference_lines,
    sensitivity_terms,
    table_cautions,
)
from socialstats.choices.win_rates import RateRecords
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import Factor
from socialstats.errors import Caution, InputError, UndefinedStatistic, caution
from socialstats.inference.compare import with_jackknife, with_resamples
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_text,
    clustered_comparisons,
    largest_share,
    resampling_units,
    settled_cluster,
)
from socialstats.inference.influence import influence_df
from socialstats.inference.intervals import checked_level, critical_value
from socialstats.inference.rows import cut_at_limits, with_ends
from socialstats.inference.sides import one_sided, side_text, two_sided_level
from socialstats.registry import Metric, reads
from socialstats.resampling import (
    Alternative,
    Bootstrap,
    Interval,
    Jackknife,
    PlanUnits,
    StoredUnits,
    basic,
    bootstrap_sums,
    choose,
    jackknife_sums,
)
from socialstats.resampling.engine import Replicates
from socialstats.resampling.intervals import check_resamples
from socialstats.resampling.options import checked_seed
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PlainSample, RowKey
from socialstats.results.rows import Role
from socialstats.rounding import no_variation_reason
from socialstats.sentences import difference
from socialstats.sentences import estimate_text as estimated
from socialstats.text import count, number, quoted
from socialstats.voice import check_allowed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from scipy.sparse import csr_array

Ci = Literal["jackknife", "basic", "percentile", "bca"]
CIS: tuple[str, ...] = get_args(Ci)
METHODS = {
    "jackknife": "jackknife t",
    "basic": "basic bootstrap",
    "percentile": "percentile bootstrap",
    "bca": "BCa bootstrap",
}
DIFFERENCES = {
    "jackknife": ("jackknife t intervals", "jackknife t by pair, around the corrected value"),
    "basic": ("basic bootstrap intervals", "basic bootstrap by pair; z from bootstrap s.e."),
}
PARTS = ("S", *CONDITIONS)
# In the order of TERMS: S and its corrected value, then the components and theirs.
KINDS = ("plug_in", "corrected")
KEYS = tuple(
    (("part", part), ("kind", kind))
    for kind, part in (*product(KINDS, PARTS[:1]), *product(KINDS, PARTS[1:]))
)
FEW = "no item has two comparisons under some condition in one of the designs"
EMPTY = "no item has a comparison under some condition"
LESS = "without one of the clusters some condition is empty: no jackknife interval"
OUTSIDE = (
    "the interval lies below 0: fewer differences from the target than sampling error alone makes"
)
NOISE = "its sampling bias exceeds the half width of the interval of the bias-corrected value; quote that value"
COST = 8.0  # S takes as long as so many means
READ = "probabilities have no sampling error to subtract; differences between replies of a pair raise S"
PROBABLE = "the winners are probabilities: the correction for sampling error is for winners that were drawn"
ONCE = "no item has two comparisons under some condition, so the sampling error cannot be estimated"


@reads(Comparisons, scans=True)
def sensitivity(
    comparisons: Comparisons | TableLike,
    covariate: str = "urgency",
    *,
    weights: Weighting = "opponent",
    cluster: str | Sequence[str] | None = "auto",
    resamples: int = 2000,
    seed: int = 0,
    ci: Ci = "jackknife",
    level: float = 0.95,
    groups: Mapping[str, str] | None = None,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate how far choices are from following urgency alone, and nothing else.

    S = 100 sum over l of mean over items i of (p_il - t_l)^2. Here p_il is item i's win rate when its urgency
    is higher, equal or lower, and t = 1, 1/2, 0. S is 0 when urgency alone decides; at most 225.

    Parameters
    ----------
    comparisons : Comparisons, data frame, mapping of columns, or path of a file
        With a numeric covariate for each side. With a ``by`` factor: one result a level.
    covariate : str
    weights : {"opponent", "pooled"}
        As in `win_rates`.
    cluster : str, pair of str or None
        What is resampled as a whole. ``"auto"``: the declared clusters, else the pairs. ``"pair"``: all comparisons of
        the same two items. ``"declared"``, names of declared factors (two are crossed), or None for single rows.
    resamples, seed : int
        Of the bootstraps.
    ci : {"jackknife", "basic", "percentile", "bca"}
        ``"jackknife"``: t with G - 1 degrees of freedom for G clusters, one of which is left out at a time. The basic
        bootstrap replaces it for two crossed factors and a single cluster. It also does where no item has two
        comparisons under some condition, so that there is no ``S_corrected``.
    level : float
    groups : mapping of item to group, optional
        Adds the reference line of a ranking group by group.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_comparisons`.

    Returns
    -------
    Result
        Rows ``S`` (plug-in), ``S_corrected``, the components ``S_higher``, ``S_equal``, ``S_lower`` that sum to
        S, and their corrected values. `extras` holds ``reference_lines`` (exact for this design) and, of bootstraps,
        the ``bootstrap`` and ``monte_carlo_error`` of the interval's ends by term.

    Raises
    ------
    InputError
        For an unknown option, covariate or cluster; items without a group.
    UndefinedStatistic
        If a condition holds no comparison at all.

    Notes
    -----
    Noise in p adds its variance to (p - t)^2: the plug-in S is too high. ``S_corrected`` subtracts
    p(1-p)/(n-1), the unbiased estimate of that variance for n independent comparisons of one p. Ties counted as
    halves, and opponents with different p, vary less than that: it then takes off too much. Jackknife intervals of both
    S and ``S_corrected`` lie around ``S_corrected``, as S is too high by what that takes off. Their standard error is
    that of the jackknife of the term (total less one pair). A resample adds sampling error a second time, so that
    percentile intervals are shifted up twice. ``ci="basic"`` takes the shift off. For S it takes 2 S - quantiles of S*.
    For ``S_corrected`` it takes S_corrected - (quantiles of S*_corrected - S), because resamples come from S. Intervals
    are cut to the possible range; S has none where its bias exceeds their half width (choices near the target). An
    ``S_corrected`` below 0 means less than chance: it is cut at 0, and its method says so.

    Probabilities of winners have no sampling error, so there is no ``S_corrected``. Differences between replies of a
    pair, and between pairs, stay in S. The interval is the basic bootstrap's, which takes off as much as resamples add.
    There were 150 simulations each (all pairs x 1 to 6 of 4, 6 and 10 items). Where the log-odds of replies differed by
    an SD of 0.5, S was up to 0.8 too high (covered .95 to 1.0). With pairs that differed by 1 it was 0.7 to 4.5 (.84 to
    .98), with replies that differed by 3, 0.9 to 6.8 (.82 to .97).

    Coverage of nominal 95% intervals was simulated 1,000 times each: all pairs x 9 of 4, 6 and 10 items, 24 pairs of
    12, 72 of 24. Nine choosers ranged from coin flips to a strong urgency effect, without and with a pair effect of SD
    1. ``jackknife`` covered .936 to .999. It was above .99 where a hierarchy decides, as opponents vary too: 1.5 to 1.8
    times as long as needed, with 4 items up to 3.6. ``basic`` covered .81 to .99 with 4 items, .82 to .99 with 24 pairs
    of 12, and .89 to 1.0 with others. ``percentile`` covered .03 to .96 for S (24 items, 216 pairs).

    References
    ----------
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap methods and their application, section 5.2.
    doi:10.1017/CBO9780511802843
    Efron, B., & Tibshirani, R. J. (1993). An introduction to the bootstrap, chapter 11. Chapman & Hall.

    Examples
    --------
    >>> from socialstats.datasets import role_conflict
    >>> from socialstats.designs.comparisons import Comparisons
    >>> design = Comparisons.from_frame(role_conflict(), covariates=["urgency"])
    >>> result = sensitivity(design)
    >>> s = result.row("S")
    >>> s.conf_low <= s.estimate <= s.conf_high
    True
    >>> [round(line.value, 1) for line in result.extras["reference_lines"]]
    [0.0, 50.5, 76.1, 125.0]
    """
    check_allowed("ci", ci, CIS)
    check_resamples(resamples, checked_level(level))
    settings: dict[str, Any] = {
        "covariate": covariate,
        "weights": weights,
        "cluster": cluster,
        "resamples": resamples,
        "seed": checked_seed(seed),
        "ci": ci,
        "level": level,
        "groups": None if groups is None else dict(groups),
    }
    return estimate(comparisons, settings)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TermIntervals:
    """Estimates and intervals of the terms of S, as (terms,) arrays.

    Attributes
    ----------
    estimate, std_error, low, high : float64 arrays
    why : sequence of str
        Why a term has no interval; empty where it has one.
    df : float or None
        Of the jackknife's t.
    """

    estimate: FloatArray
    std_error: FloatArray
    low: FloatArray
    high: FloatArray
    why: Sequence[str]
    df: float | None = None


def jackknife_intervals(jack: Jackknife, level: float, what: str) -> TermIntervals:
    """Return t intervals around the corrected values (Efron & Tibshirani 1993, chapter 11)."""
    # G - 1 for G clusters, or rows
    df = float(jack.copies.sum()) - 1
    centre, reach = jack.estimate[CORRECTED], critical_value(level, df) * jack.std_error
    lost = np.isnan(jack.values).any(axis=0)
    unvaried = np.isnan(jack.std_error) & ~lost
    # the interval of a corrected term rests on its plug-in value too
    why = np.select(
        [unvaried | unvaried[PLUG_IN], lost], [no_variation_reason(what), LESS], ""
    ).tolist()
    return TermIntervals(
        estimate=jack.estimate,
        std_error=jack.std_error,
        low=centre - reach,
        high=centre + reach,
        why=why,
        df=df,
    )


def bootstrap_intervals(boot: Bootstrap, ends: Interval) -> TermIntervals:
    """Return the intervals of a bootstrap."""
    constant = boot.is_constant | boot.is_constant[PLUG_IN]
    return TermIntervals(
        estimate=boot.estimate,
        std_error=boot.std_error,
        low=ends.low,
        high=ends.high,
        why=np.where(constant, no_variation_reason("resamples"), ends.undefined).tolist(),
    )


def term_row(j: int, terms: TermIntervals, row: Row, ci: Ci, level: float, *, drawn: bool) -> Row:
    """Return the row of one term; `row` has what all of them share."""
    corrected, value = CORRECTED[j] == j, float(terms.estimate[j])
    low, high, missing = float(terms.low[j]), float(terms.high[j]), math.isnan(value)
    why = terms.why[j]
    if missing:
        why = EMPTY
        if corrected:
            why = ONCE if drawn else PROBABLE
    if not why and high <= 0:
        why = OUTSIDE
    method = METHODS[ci]
    if ci == "jackknife" and not corrected:
        method += " around S corrected"
    if ci == "basic" and corrected:
        method += ", centred"
    role: Role = "estimate" if j < 2 else "component"
    row = replace(row, term=TERMS[j], key=KEYS[j], role=role, method=method)
    row = replace(row, group="corrected" if corrected else "plug_in")
    limits = (0.0, float(LARGEST[j]))
    if not missing:
        row = cut_at_limits(row, value, limits)
        # an interval of the corrected value that leaves the plug-in one out is no interval of it
        if not why and not corrected and not low <= value <= high:
            why = NOISE
    error = float(terms.std_error[j])
    facts: dict[str, Any] = {"std_error": error, "df": terms.df, "interval": ci}
    return with_ends(row, low, high, level, why=why, within=limits, hold=True, **facts)


def estimate(design: Comparisons, settings: dict[str, Any]) -> Result:
    """Compute S of one design."""
    # groups of items add the reference line of a ranking group by group
    codes = None if settings["groups"] is None else group_codes(design.items, settings["groups"])
    settings = settings | {"cluster": settled_cluster(design, settings["cluster"])}
    design, factors, stored = clustered_comparisons(design, settings["cluster"])
    table = condition_table(design, settings["covariate"], settings["weights"])
    units: Any = (
        resampling_units(design, factors)
        if stored is None
        else StoredUnits.from_clusters(stored, table.squares)
    )
    ci, level = settings["ci"], settings["level"]
    lines = reference_lines(design, table, settings["weights"], codes)
    extras: dict[str, Any] = {"reference_lines": lines}
    boot, jack, drawn = None, None, design.replies is None

    def finish(sums: FloatArray) -> FloatArray:
        return sensitivity_terms(sums, len(design.items), drawn=drawn)

    if np.isnan(finish(np.asarray(table.statistics.sum(axis=0), dtype=np.float64)[None, :])[0, 0]):
        raise UndefinedStatistic(
            f"S is undefined: {EMPTY}; it needs higher, equal and lower {settings['covariate']}"
        )
    if ci in ("jackknife", "bca") and len(factors) < 2:
        # BCa takes its acceleration from the jackknife, which needs one factor
        jack = jackknife_sums(table.statistics, finish, units, size=float(LARGEST.max()))
    # without a corrected value, or a second unit, the basic bootstrap stands in
    if ci == "jackknife" and (jack is None or np.isnan(jack.estimate[1]) or jack.copies.sum() < 2):
        ci = "basic"
    if ci == "jackknife" and jack is not None:
        terms = jackknife_intervals(jack, level, "clusters" if factors else "comparisons")
    else:
        boot = bootstrap_sums(
            table.statistics,
            finish,
            units,
            resamples=settings["resamples"],
            seed=settings["seed"],
            size=LARGEST,
        )
        ends = choose(ci, boot, level=level, jack=jack)
        if (
            ci == "basic"
        ):  # resamples come from the plug-in S: their corrected values are centred there
            ends = basic(boot, level=level, centre=boot.estimate[PLUG_IN])
        terms = bootstrap_intervals(boot, ends)
        errors = zip(ends.error_low.tolist(), ends.error_high.tolist(), strict=True)
        extras |= {"bootstrap": boot, "monte_carlo_error": dict(zip(TERMS, errors, strict=True))}
    blank = Row(
        term="",
        n=float(design.n_rows),
        n_units=len(design.items),
        n_clusters=units.n_clusters,
    )
    rows = [term_row(j, terms, blank, ci, level, drawn=drawn) for j in range(len(TERMS))]
    largest = largest_share(design.weight, factors) if stored is None else stored.largest()
    more = {"bca": ("efron1987",), "jackknife": ("efrontibshirani1993",)}.get(ci, ())
    lost = boot.caution("intervals of S") if boot is not None else None
    fit = {
        "nobs": design.n_rows,
        "n_clusters": units.n_clusters,
        "seed": settings["seed"],
        "resamples": None if boot is None else settings["resamples"],
        "method": ci,
        "effective_df": terms.df,
        "largest_leverage": largest if factors else None,
    }
    cautions = (
        *table_cautions(design, table),
        *cluster_cautions(design, factors, df=[terms.df], largest=largest),
        *sensitivity_cautions(terms.estimate, lines, drawn=drawn),
        *((lost,) if lost else ()),
    )
    counts = {"comparisons": design.n_rows, "items": len(design.items)}
    counts["pairs"] = len(design.pair.levels)
    return Result(
        metric="sensitivity",
        title=f"Sensitivity to {settings['covariate']}",
        inference=f"{METHODS[ci]} intervals, {cluster_text(factors)}",
        rows=tuple(rows),
        counts=counts,
        fit=fit,
        settings=dict(settings),
        cautions=cautions,
        references=("davisonhinkley1997", *more),
        design=design,
        extras=extras,
    )


def group_codes(items: Sequence[str], groups: Mapping[str, str]) -> IntArray:
    """Codes of the groups of the items; an item without a group is an error that names it."""
    lost = [item for item in items if item not in groups]
    if lost:
        raise InputError(
            f"groups: no group for {quoted(lost)} ({count(len(lost), 'item')}); give every item one"
        )
    return np.unique([groups[item] for item in items], return_inverse=True)[1].astype(np.int64)


def sensitivity_cautions(
    value: FloatArray, lines: Sequence[ReferenceLine], *, drawn: bool
) -> tuple[Caution, ...]:
    """Cautions SS304 or SS333 (sampling error in the plug-in S) and SS305 (the published baseline)."""
    plug_in, corrected = value[:2]
    code, detail, fix = (
        "SS333",
        "sampling error inflates S",
        "compare only designs with equal counts",
    )
    if not drawn:
        detail, fix = READ, "report S with its interval, which allows for that"
    if not np.isnan(corrected):
        code, detail = (
            "SS304",
            f"sampling error accounts for {number(plug_in - corrected)} of the plug-in S = {number(plug_in)}",
        )
        fix = f"quote the bias-corrected S ({number(corrected)})"
    # reference values of a corrected S have no sampling error of their own
    coins, ranking = (
        number(line.value if np.isnan(corrected) else line.without_error) for line in lines[1:3]
    )
    lines_text = f"here {lines[1].label} have S = {coins}, a random ranking {ranking}"
    return (
        caution(
            code,
            detail,
            affects="the plug-in S, most where comparisons are few",
            fix=fix,
            rows=["plug_in"],
        ),
        caution(
            "SS305",
            f"a random baseline of about 100 was published for S; {lines_text}",
            affects="comparisons with it",
            fix="use the reference values of this design",
        ),
    )


@reads(Comparisons, tables=2, scans=True)
def sensitivity_difference(
    first: Comparisons | TableLike,
    second: Comparisons | TableLike,
    covariate: str = "urgency",
    *,
    labels: tuple[str, str] = ("first", "second"),
    weights: Weighting = "opponent",
    unmatched: Literal["error", "drop"] = "error",
    alternative: Alternative = "two_sided",
    ci: Literal["jackknife", "basic"] = "jackknife",
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    **columns: Any,
) -> Result:
    """Estimate the difference in S of two choosers who judged the same pairs.

    S(first) - S(second): negative when the first is closer to following urgency. Pairs of items are matched by
    name and resampled together, so what makes a pair hard for both cancels.

    Parameters
    ----------
    first, second : Comparisons, data frame, mapping of columns, or path of a file
        Without ``by`` (take ``design.split()[level]``).
    covariate : str
    labels : pair of str
    weights : {"opponent", "pooled"}
    unmatched : {"error", "drop"}
        What to do with pairs that only one of the designs has; dropped pairs are listed (caution SS301).
    alternative : {"two_sided", "greater", "less"}
        Of the difference against 0. One-sided: intervals have one end. The other is the largest that S can differ.
    ci : {"jackknife", "basic"}
        ``"jackknife"``: over pairs of items, both designs together, around the corrected difference. Degrees of freedom
        of t follow from the kurtosis of what pairs add (Box 1953). Without a corrected value: ``"basic"``, the
        bootstrap.
    resamples, seed : int
        Of the bootstrap.
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_comparisons`.

    Returns
    -------
    Result
        Rows with the terms of `sensitivity`: group ``"difference"`` with intervals, and the estimates of both designs
        in groups named by `labels`. Tests of no difference only for ``S`` and ``S_corrected``: t, the corrected
        difference over its jackknife s.e.; with ``"basic"`` z, the estimate over its bootstrap s.e.

    Raises
    ------
    InputError
        If pairs are unmatched, options unknown, or a design has a ``by`` factor.
    UndefinedStatistic
        If S is undefined for either.

    References
    ----------
    Efron, B., & Tibshirani, R. J. (1993). An introduction to the bootstrap, chapter 11. Chapman & Hall.
    Davison, A. C., & Hinkley, D. V. (1997). doi:10.1017/CBO9780511802843

    Examples
    --------
    >>> from socialstats.datasets import role_conflict
    >>> from socialstats.designs.comparisons import Comparisons
    >>> design = Comparisons.from_frame(role_conflict(), covariates=["urgency"])
    >>> sensitivity_difference(design, design, resamples=100).row("S", group="difference").estimate
    0.0
    """
    check_allowed("ci", ci, ("jackknife", "basic"))
    inner = two_sided_level(level, alternative)
    from scipy.sparse import hstack

    first, second, pairs, cautions = common_pairs(first, second, unmatched)
    designs = first, second
    tables = [condition_table(design, covariate, weights).statistics for design in designs]
    units = [PlanUnits.clusters(pair_codes(design, pairs)) for design in designs]
    # one row for each pair of items: sums of the first design, then of the second
    statistics = hstack([u.total(t) for u, t in zip(units, tables, strict=True)], format="csr")
    cut, m, terms = tables[0].shape[1], len(pairs), len(TERMS)
    drawn = all(design.replies is None for design in designs)

    def finish(sums: FloatArray) -> FloatArray:
        # both designs have the same weight of a pair in every resample
        halves = sums[:, :cut], sums[:, cut:]
        a, b = (
            sensitivity_terms(np.ascontiguousarray(half), len(design.items), drawn=drawn)
            for half, design in zip(halves, designs, strict=True)
        )
        return np.concatenate([a - b, a, b], axis=1)

    # pairs of items are left out, or drawn, in both designs together
    shared = PlanUnits.clusters(np.arange(m, dtype=np.int64))
    widest = float(LARGEST.max())
    jack = None
    if ci == "jackknife" and m > 1:
        jack = jackknife_sums(statistics, finish, shared, size=widest)
    if jack is None or np.isnan(jack.estimate[1]):
        ci = "basic"  # no corrected value, as where every pair is met once
    n, tested = sum(design.n_rows for design in designs), [key[0][1] == "S" for key in KEYS]
    interval_text, method = DIFFERENCES[ci]
    names = names_of_differences(labels, n=float(n), pairs=m, method=method)
    fit: dict[str, Any] = {"n_clusters": m, "method": ci}
    cautions = (*cautions, *cluster_cautions(designs[0], [designs[0].pair], df=()))
    if ci == "jackknife" and jack is not None:
        estimate = jack.estimate
        df = influence_df(jack.deviations, jack.copies)[:terms]
        gaps = with_jackknife(
            names, estimate[:terms], jack.std_error[:terms], estimate[CORRECTED], df, inner, tested
        )
    else:
        boot = bootstrap_sums(
            statistics, finish, shared, resamples=resamples, seed=seed, size=widest
        )
        estimate = boot.estimate
        fit |= {"seed": seed, "resamples": resamples}
        if (lost := boot.caution("the intervals")) is not None:
            cautions = (*cautions, lost)
        replicates = Replicates(
            estimate=estimate[:terms],
            replicates=boot.replicates[:, :terms],
            n_degenerate=boot.n_degenerate[:terms],
            size=widest,
        )
        gaps = with_resamples(names, replicates, inner, centre=estimate[PLUG_IN], tested=tested)
    if np.isnan(estimate[0]):
        raise UndefinedStatistic(
            f"S is undefined: it needs comparisons with higher, equal and lower {covariate}"
        )
    why = FEW if drawn else PROBABLE
    rows = []
    for row in gaps:
        undefined = Row(term=row.term, group=row.group, key=row.key, undefined=why)
        rows.append(undefined if row.estimate is None else one_sided(row, alternative, level))
    for label, values in zip(labels, np.split(estimate[terms:], 2), strict=True):
        rows += chooser_rows(label, values, m, why)
    settings = {
        "covariate": covariate,
        "labels": labels,
        "weights": weights,
        "unmatched": unmatched,
        "alternative": alternative,
        "ci": ci,
        "cluster": "pair",
        "resamples": resamples,
        "seed": seed,
        "level": level,
    }
    references = ("efrontibshirani1993",) if ci == "jackknife" else ("davisonhinkley1997",)
    drawn_pairs = f"{count(m, 'pair')} of items left out (or resampled) in both together"
    return Result(
        metric="sensitivity",
        title=f"Difference in sensitivity to {covariate}: {labels[0]} minus {labels[1]}",
        inference=f"{interval_text}, {drawn_pairs}",
        rows=tuple(rows),
        counts={"comparisons": n, "pairs": m},
        fit=fit,
        settings=settings,
        cautions=cautions,
        references=references,
        design=designs,
    )


def names_of_differences(
    labels: tuple[str, str], *, n: float, pairs: int, method: str
) -> list[Row]:
    """Return the rows of the differences of all terms, without their numbers."""
    compared = ("chooser", labels[0]), ("minus", labels[1])
    blank = Row(term="", group="difference", role="difference", n=n, n_clusters=pairs)
    return [
        replace(blank, term=term, key=(*key, *compared), method=method, limits=(-most, most))
        for term, key, most in zip(TERMS, KEYS, LARGEST.tolist(), strict=True)
    ]


def chooser_rows(label: str, values: FloatArray, pairs: int, why: str) -> list[Row]:
    """Return the terms of one of two choosers, or `why` a term is undefined."""
    rows = []
    for term, key, value in zip(TERMS, KEYS, values.tolist(), strict=True):
        row = Row(term=term, group=label, key=(*key, ("chooser", label)), role="component")
        if math.isnan(value):
            rows.append(replace(row, undefined=why))
        else:
            rows.append(replace(row, estimate=value, n_clusters=pairs))
    return rows


def difference_sentence(result: Result) -> str:
    """Return the bias-corrected difference (or the plug-in one), its interval and p as a sentence."""
    row, (a, b) = lead_row(result, group="difference"), result.settings["labels"]
    return difference(
        f"{kind_of_s(row)} S", a, b, row, side=side_text(result.settings["alternative"])
    )


def lead_row(result: Result, group: str | None = None) -> Row:
    """Return the row of S to quote: bias-corrected, or plug-in where no correction exists.

    Parameters
    ----------
    result : Result
        Of `sensitivity`; of `sensitivity_difference` with the group of its rows.
    group : str, optional
    """
    named = {} if group is None else {"group": group}
    row = result.row("S_corrected", **named)
    return result.row("S", **named) if row.estimate is None else row


def reference_values(result: Result) -> tuple[ReferenceLine, ...]:
    """Return the reference lines with the values that the quoted S is compared with.

    Those of a plug-in S include sampling error, those of a bias-corrected one do not.
    """
    lines: tuple[ReferenceLine, ...] = result.extras["reference_lines"]
    corrected = kind_of_s(lead_row(result)) == "bias-corrected"
    return tuple(replace(line, value=line.without_error) for line in lines) if corrected else lines


def kind_of_s(row: Row) -> str:
    """Return which S a row holds: ``bias-corrected`` or ``plug-in``."""
    return "bias-corrected" if row.label("kind") == "corrected" else "plug-in"


def in_words(row: Row) -> str:
    """Return the name of a row's term as a reader should see it.

    Examples
    --------
    >>> in_words(Row(term="S", key=KEYS[0])), in_words(Row(term="S_lower_corrected", key=KEYS[7]))
    ('S, plug-in', 'S, part of lower, bias-corrected')
    """
    part = row.label("part")
    return f"S{'' if part == 'S' else f', part of {part}'}, {kind_of_s(row)}"


def sentence(result: Result) -> str:
    """Return S with its interval, and the reference values of the design."""
    if "labels" in result.settings:
        return difference_sentence(result)
    row = lead_row(result)
    other = result.row("S")
    plain = "" if row is other or other.estimate is None else f"; plug-in {number(other.shown())}"
    references_text = ", ".join(
        f"{line.label} {number(line.value, 1)}" for line in reference_values(result)
    )
    return f"S was {estimated(row)} ({kind_of_s(row)}{plain}). Reference values: {references_text}."


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw S above its reference values, which have no intervals; differences by part."""
    from socialstats.figures import forest

    if "labels" in result.settings:
        rows = [replace(r, term=in_words(r)) for r in result.rows if r.group == "difference"]
        return forest(rows, ax=ax, **{"sort": False, **options})
    rows = [replace(row, term=in_words(row)) for row in result.rows[:2]]
    rows += [Row(term=line.label, estimate=line.value) for line in reference_values(result)]
    defaults: dict[str, Any] = {"sort": False, "reference": None, "xlabel": "Sensitivity S"}
    return forest(rows, ax=ax, **{**defaults, **options})


SIGNS = {
    "higher": 1.0,
    "equal": 0.0,
    "lower": -1.0,
}  # a covariate's value of the item less the opponent's


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SidesOfCells:
    """Sums of the cells of a design for each item under each condition.

    Attributes
    ----------
    sums : (3 x items of conditions, cells) sparse array
        Scores, weights and squared weights. A cell has two items, and nothing of all others.
    condition : (items of conditions,) array of str
    drawn : bool
        Whether winners are drawn, and no probabilities.
    """

    sums: csr_array
    condition: AnyArray
    drawn: bool

    def terms(self, times: FloatArray) -> dict[str, float]:
        """Return S and its components, plug-in and corrected, where each cell counts so many times."""
        wins, weight, squares = (self.sums @ times).reshape(3, -1)
        p, n = wins / weight, weight**2 / squares
        noise = np.where((n > 1 + 1e-9) & self.drawn, p * (1 - p) / (n - 1), np.nan)
        plug_in, corrected = {}, {}
        for part, target in (("higher", 1.0), ("equal", 0.5), ("lower", 0.0)):
            here = self.condition == part
            plug_in[f"S_{part}"] = 100 * mean_of_known((p[here] - target) ** 2)
            bias = 100 * mean_of_known(noise[here])
            corrected[f"S_{part}_corrected"] = plug_in[f"S_{part}"] - bias
        return {
            "S": sum(plug_in.values()),
            "S_corrected": sum(corrected.values()),
            **plug_in,
            **corrected,
        }


def mean_of_known(values: FloatArray) -> float:
    """Return the mean of the values that exist; NaN of none."""
    values = values[~np.isnan(values)]
    return float(values.sum()) / len(values) if len(values) else math.nan


def sides_of_cells(design: Comparisons, settings: Mapping[str, Any]) -> SidesOfCells:
    """Return what each cell says of each of its two items under the condition of that item."""
    from scipy.sparse import csr_array

    records = RateRecords.of(design, settings["covariate"])
    weight = np.zeros(len(records.cell))
    for condition in CONDITIONS:
        at = records.condition == condition
        weight[at] = records.shares(at, settings["weights"])
    squares = records.squares * (weight / records.weight) ** 2
    # an item has another win rate under each condition
    groups, place = np.unique(
        np.column_stack([records.condition, records.item]).astype(str),
        axis=0,
        return_inverse=True,
    )
    lines = [place.ravel() + k * len(groups) for k in range(3)]
    values = np.concatenate([weight * records.score, weight, squares])
    # entries of one place are added
    sums = csr_array(
        (values, (np.concatenate(lines), np.tile(records.cell, 3))),
        shape=(3 * len(groups), len(design.count)),
    )
    return SidesOfCells(sums=sums, condition=groups[:, 0], drawn=design.replies is None)


def keys_of_terms(group: str | None = None) -> dict[str, RowKey]:
    """Return the key of the row of each term: the group of a difference, or the kind of the term."""
    kinds = ["corrected" if term.endswith("_corrected") else "plug_in" for term in TERMS]
    return {term: (group or kind, term) for term, kind in zip(TERMS, kinds, strict=True)}


def centres_of(keys: Mapping[str, RowKey], places: IntArray) -> dict[RowKey, RowKey]:
    """Return the keys of the terms at some places, by the key of the term whose interval lies around them."""
    return {keys[term]: keys[TERMS[k]] for term, k in zip(TERMS, places.tolist(), strict=True)}


def sample_conditions(result: Result) -> Iterator[PlainSample]:
    """Yield the comparisons of a design with S and its components, or the pairs of items that two designs share."""
    settings = result.settings
    if "labels" in settings:
        yield from sample_common_pairs(result)
        return
    design = result.design.whole()
    sides, keys = sides_of_cells(design, settings), keys_of_terms()
    count = design.count
    limits = {keys[term]: (0.0, most) for term, most in zip(TERMS, LARGEST.tolist(), strict=True)}

    def estimates(times: FloatArray) -> dict[RowKey, float]:
        return {keys[term]: value for term, value in sides.terms(times / count).items()}

    yield PlainSample(
        count=count,
        plain=estimates,
        factors=tuple(design.factors(settings["cluster"])),
        centres=centres_of(keys, CORRECTED),
        resampled_centres=centres_of(keys, PLUG_IN),
        limits=limits,
        units_df=True,
        cost=COST,
    )


def sample_common_pairs(result: Result) -> Iterator[PlainSample]:
    """Yield the pairs of items of two designs, with both S and their difference."""
    from scipy.sparse import csr_array

    labels = result.settings["labels"]
    keys = keys_of_terms("difference")
    parts = []
    for design in (part.whole() for part in result.design):
        sides = sides_of_cells(design, result.settings)
        # both designs have the same pairs, in the order of their names
        labels_by_code = labels_of_pairs(design)
        names = [labels_by_code[code] for code in design.pair.codes.tolist()]
        order = {name: k for k, name in enumerate(sorted(set(names)))}
        pair_of_cell = csr_array(
            (np.ones(len(names)), (np.arange(len(names)), [order[name] for name in names])),
            shape=(len(names), len(order)),
        )
        parts.append(replace(sides, sums=sides.sums @ pair_of_cell))
    drawn = all(part.drawn for part in parts)
    first, second = (replace(part, drawn=drawn) for part in parts)

    def estimates(times: FloatArray) -> dict[RowKey, float]:
        choosers = first.terms(times), second.terms(times)
        values = {keys[term]: choosers[0][term] - choosers[1][term] for term in TERMS}
        for label, terms in zip(labels, choosers, strict=True):
            values |= {(label, term): value for term, value in terms.items()}
        return values

    pairs = np.arange(first.sums.shape[1], dtype=np.int64)
    yield PlainSample(
        count=np.ones(len(pairs)),
        plain=estimates,
        factors=(Factor(name="pair", codes=pairs, levels=tuple(map(str, pairs))),),
        centres=centres_of(keys, CORRECTED),
        resampled_centres=centres_of(keys, PLUG_IN),
        cost=COST,
    )


METRIC = Metric(
    name="sensitivity",
    title="Sensitivity S",
    design="comparisons",
    function=sensitivity,
    sentence=sentence,
    plot=plot,
    definition=Definition(samples=sample_conditions),
    estimand="100 times the summed mean squared distance of conditional win rates from 1, 1/2 and 0.",
    assumptions=(
        "clusters (by default pairs of items) are independent",
        "the noise that S_corrected takes off is that of independent comparisons",
    ),
    references=("davisonhinkley1997", "efron1987"),
    swap="invariant",
)

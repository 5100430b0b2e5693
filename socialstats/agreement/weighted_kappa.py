"""Cohen's kappa, weighted or not, of every pair of raters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import compress
from typing import Any, Literal, get_args

import numpy as np

from socialstats import sentences
from socialstats.agreement.agreement_weights import AgreementWeights, weights_of
from socialstats.agreement.kappa import (
    KappaTable,
    RatingPatterns,
    RefusalRule,
    kappa_table,
    largest_kappa,
    missing_rating_cautions,
    pair_in_quotes,
    pair_names,
    rating_patterns,
    require_pairs,
    too_many_pairs_reason,
    units_by_stratum,
)
from socialstats.agreement.pair_tables import (
    PlainPairs,
    disagreement_parts,
    has_chance,
    plain_pairs,
)
from socialstats.agreement.reliability import OnUndefined, checked_on_undefined
from socialstats.arrays import FloatArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, UndefinedStatistic, caution
from socialstats.inference.compare import with_pairs_holm
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_text,
    rare_level_cautions,
    small_sample_caution,
    smallest_cluster_count,
)
from socialstats.inference.how import How
from socialstats.inference.infer import FEWEST_UNITS, TOO_FEW, Inferred, infer
from socialstats.inference.intervals import checked_level, two_sided_p
from socialstats.inference.rows import with_inferred
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import (
    DisagreementParts,
    PeerNumbers,
    PlainSample,
    RowKey,
)
from socialstats.results.peers import load_peer
from socialstats.results.plots import forest_plot, rows_with_groups
from socialstats.results.rows import RowKey as RowParts
from socialstats.results.rows import undefined_text
from socialstats.text import count, number, quoted, shorten
from socialstats.text import count as counted
from socialstats.voice import check_allowed, option

# Sizes of a kappa of 0 that rounding leaves.
ROUNDING = 1e-14
MOST_PAIRS = 2000  # pairs of raters whose errors are recomputed
MOST_PEERS = 200  # pairs of raters, of many, that other packages recompute
MEAN, POOLED = "mean", "pooled"
TOGETHER = (MEAN, POOLED)
METHODS = {
    "fisher": "Fisher z of kappa",
    "wald": "Wald",
    "percentile": "bootstrap, percentile",
    "basic": "bootstrap, basic",
    "bca": "bootstrap, BCa",
    "disagreements": "Korn and Graubard's interval of the share of disagreement",
    "hull": "Fisher z and Korn and Graubard's interval of the share of disagreement, the wider at each end",
}
NO_PAIR = "no two raters have a kappa"
NO_UNITS = "kappa needs at least 2 units with ratings of two raters"


@dataclass(frozen=True, slots=True, kw_only=True)
class KappaOptions(How):
    """What the caller chose, checked."""

    weights: Any
    kind: str
    pairs: str | tuple[str, str]
    stratum: str | None
    refusal: str
    on_undefined: OnUndefined


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StratumKappas:
    """All units (group None), or those of one level of the stratum, with kappa of the pairs of raters by name."""

    group: str | None
    patterns: RatingPatterns
    names: tuple[str, ...]
    table: KappaTable


def kappa_rows(
    part: StratumKappas, inferences: Sequence[Inferred], options: KappaOptions
) -> list[Row]:
    """Return the rows of all pairs together (where there are several), then those of each pair."""
    pooled = options.pairs == "pooled"
    several = len(part.patterns.raters) > 2 or pooled
    rows = together_rows(part, inferences, options) if several else []
    if pooled:
        return rows
    pairs = [pair_row(part, p, inferences[p], options) for p in range(len(part.names))]
    return [*rows, *with_pairs_holm(pairs)]


def together_rows(
    part: StratumKappas, inferences: Sequence[Inferred], options: KappaOptions
) -> list[Row]:
    """Return the rows of the mean kappa of all pairs, and of the pooled one."""
    table, n_units = part.table, part.patterns.n_units
    rated = float(sum(pair.n for pair in table.kappas))
    # mean and pooled kappa of a single pair have its inference
    mean, pooled = (inferences[-1], *inferences)[-2:]
    used = zip(table.kappas, table.used, strict=True)
    thin = sum(defined and pair.n < FEWEST_UNITS for pair, defined in used)
    if thin and len(part.names) > 1:
        # two units give kappa two influences of one size, often 0: its error would be missing in that of the mean
        few = f"{counted(thin, 'pair')} of raters with fewer than {FEWEST_UNITS} units in common"
        mean = Inferred(why=TOO_FEW.format(n=few), kind=mean.kind, clusters=mean.clusters)
    rows = []
    for term, value, inference in ((MEAN, table.mean, mean), (POOLED, table.pooled, pooled)):
        row = Row(
            term=term,
            group=part.group,
            key=stratum_key(part),
            role="estimate",
            n=rated,
            n_units=n_units,
        )
        if n_units < 2:
            rows.append(replace(row, undefined=NO_UNITS, reason="one_unit"))
        # pairs may lack units in common
        elif not rated:
            rows.append(replace(row, undefined=NO_PAIR, reason="no_data"))
        elif math.isnan(value):
            rows.append(undefined_row(row, f"no variation: {NO_PAIR}", options))
        else:
            row = replace(row, estimate=0.0 if abs(value) < ROUNDING else value)
            rows.append(with_kappa_test(row, inference, part, options))
    return rows


def pair_row(part: StratumKappas, p: int, inference: Inferred, options: KappaOptions) -> Row:
    """Return the row of one pair of raters."""
    name, pair = part.names[p], part.table.kappas[p]
    key = (("pair", name), *stratum_key(part))
    row = Row(term=name, group=part.group, key=key, role="estimate", n=pair.n, n_units=int(pair.n))
    if pair.n < 2:
        units = "no unit" if pair.n == 0 else "only one unit"
        why = f"{units} has ratings of both; kappa needs at least 2"
        return replace(row, undefined=why, reason="one_unit" if pair.n else "no_data")
    # the only level of each rater, None of a rater who gave several
    constant = [
        None if code is None else shorten(part.patterns.levels[code]) for code in pair.constant
    ]
    if math.isnan(pair.kappa):
        why = "no variation: the weights say that all levels they gave agree fully"
        if constant[0] is not None and constant[0] == constant[1]:
            units = counted(pair.n, "unit")
            why = f"no variation: both raters gave '{constant[0]}' to all {units}"
        return undefined_row(row, why, options)
    row = replace(row, estimate=pair.kappa)
    if constant == [None, None]:
        return with_kappa_test(row, inference, part, options, pair.null_error)
    side = 0 if constant[0] is not None else 1
    rater = shorten(part.patterns.raters[part.table.pairs[p][side]])
    why = f"'{rater}' always gave '{constant[side]}', so kappa is 0 whatever the other did: no error, no interval"
    return replace(row, undefined=why, reason="no_interval")


def stratum_key(part: StratumKappas) -> RowParts:
    """Return the level of the stratum as a part of a row's key; nothing of all units."""
    return () if part.group is None else (("stratum", part.group),)


def undefined_row(row: Row, why: str, options: KappaOptions) -> Row:
    """Return a row without a kappa, or with kappa 1 where the caller takes it as such.

    Raises
    ------
    UndefinedStatistic
        With ``on_undefined="raise"``.
    """
    if options.on_undefined == "raise":
        place = f" ({row.group})" if row.group is not None else ""
        raise UndefinedStatistic(
            f"{row.term}{place}: {why}; {option('on_undefined', 'nan')} gives a row with "
            "this reason"
        )
    row = replace(row, undefined=why, reason="no_variation")
    if options.on_undefined == "nan":
        return row
    taken = option("on_undefined", 1.0)
    return replace(row, estimate=1.0, undefined=f"{why}; taken as 1 by {taken}", method=taken)


def with_kappa_test(
    row: Row,
    inference: Inferred,
    part: StratumKappas,
    options: KappaOptions,
    null_error: float = 0.0,
) -> Row:
    """Add error, interval and t test; to pairs of independent units the z test by the null standard error."""
    clusters = part.patterns.clusters
    tested = not clusters and null_error > 0 and (row.n or 0) >= FEWEST_UNITS
    z = row.estimate / null_error if tested and row.estimate is not None else None
    test = "t test of kappa over its s.e." if inference.statistic is not None else ""
    if z is not None:
        test = "z test by the null s.e."
    method = "; ".join(filter(None, (METHODS.get(inference.kind, METHODS["fisher"]), test)))
    row = replace(row, n_clusters=inference.clusters if clusters else None, method=method)
    row = with_inferred(row, inference, options.level)
    # under clusters Wald's limits are of t with their degrees of freedom
    if clusters and row.interval == "z":
        row = replace(row, interval="t")
    if z is None:
        return row
    return replace(row, statistic=z, df=None, p_value=float(two_sided_p(np.array(z))), test="z")


INTERVALS = {
    "closed": "Fisher z intervals, Fleiss-Cohen-Everitt standard errors",
    "wald": "Wald intervals, Fleiss-Cohen-Everitt standard errors",
    "percentile": "percentile bootstrap intervals",
    "basic": "basic bootstrap intervals",
    "bca": "BCa bootstrap intervals",
}
NAMES = {
    "unweighted": "Cohen's kappa",
    "custom": "Weighted kappa (custom weights)",
    "ratio": "Ratio-weighted kappa",
}


def sentence(result: Result) -> str:
    """State kappa of the two raters, the mean of all pairs with their range, or the pooled one."""
    name = NAMES.get(
        result.settings["weights"], f"{result.settings['weights'].capitalize()}-weighted kappa"
    )
    pooled = result.settings["pairs"] == POOLED
    # rows of all pairs are the mean and the pooled kappa
    first = result.rows[1] if pooled else result.rows[0]
    if first.term not in (MEAN, POOLED):
        return f"{name} of {pair_in_quotes(first.term)} {kappa_text(first)} ({count(first.n or 0, 'unit')})."
    raters, units = count(result.counts["raters"], "rater"), count(first.n_units or 0, "unit")
    pairs = [r for r in result.rows if r.term not in (MEAN, POOLED) and r.group is None]
    lower_name = name if name.startswith("Cohen") else name[0].lower() + name[1:]
    if pooled:
        return f"{name}, pooled over all pairs of raters, {kappa_text(first)} ({raters}, {units})."
    text = f"Mean {lower_name} over all pairs of raters"
    if first.estimate is None and any(r.undefined for r in pairs):
        return f"{text} is undefined: {undefined_text(pairs)}."
    estimates = [r.estimate for r in pairs if r.estimate is not None]
    range_ = ""
    if estimates and first.estimate is not None:
        ends = [number(x, 2, bounded=True) for x in (min(estimates), max(estimates))]
        range_ = f" Pairs ranged from {ends[0]} to {ends[1]}."
    return f"{text} {kappa_text(first)} ({raters}, {units}).{range_}"


def kappa_text(row: Row) -> str:
    """Return estimate, interval and test of a row, after its name."""
    if row.estimate is None:
        return f"is undefined: {row.undefined}" if row.undefined else "is undefined"
    return f"was {sentences.stat(row)}"


Ci = Literal["auto", "closed", "wald", "percentile", "basic", "bca"]
CIS: tuple[str, ...] = get_args(Ci)
# Units in common below which intervals are cautioned (`kappa_cautions`).
SMALL = 50
ALL = "all units"
NO_KAPPA = "pairs of raters with undefined kappa were excluded from the mean"


@reads(Ratings, square=True)
def weighted_kappa(
    ratings: Ratings | TableLike,
    *,
    weights: Any = "auto",
    kind: Literal["agreement", "disagreement"] = "agreement",
    pairs: str | tuple[str, str] = "all",
    stratum: str | None = None,
    refusal: RefusalRule = "missing",
    ci: Ci = "auto",
    cluster: str | Sequence[str] | None = "declared",
    on_undefined: OnUndefined = "nan",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate Cohen's kappa, weighted or not, of every pair of raters and of all pairs together.

    kappa = (po - pe)/(1 - pe), with the weighted agreement po = sum w_ij p_ij. pe = sum w_ij r_i c_j is the agreement
    by chance from the raters' own margins. 1 is perfect agreement, 0 is chance, below 0 is less than chance.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        With a ``by`` factor: one result a level.
    weights : str or (levels, levels) matrix
        ``"unweighted"``, ``"linear"``, ``"quadratic"``, ``"ordinal"``, ``"ratio"``, or a matrix in the order of the
        levels. ``"auto"``: unweighted for nominal levels, else quadratic. Levels that are numbers are as far apart as
        the numbers, of ordinal levels as well (caution SS330 where they are not equally spaced). See
        `socialstats.agreement.agreement_weights.agreement_weights`.
    kind : {"agreement", "disagreement"}
        What a matrix holds (ones or zeros on the diagonal); the wrong one is an error.
    pairs : {"all", "pooled"} or pair of str
        Every pair of raters and, with more than two raters, all together; only all together; or two raters by name.
    stratum : str, optional
        A declared stratum of the units: rows for each of its levels follow those of all units.
    refusal : {"missing", "level"}
        A refusal is no rating; or a level of its own, at full disagreement with every other.
    ci : {"auto", "closed", "wald", "percentile", "basic", "bca"}
        ``"closed"`` (what ``"auto"`` takes): kappa's Fisher z = atanh(kappa) with s.e. over (1 - kappa^2) and a t
        quantile. ``"wald"``: kappa -+ z s.e., as R's vcd. The others resample units or clusters.
    cluster : str, pair of str or None
        Declared clusters of units (two are taken as crossed); None takes units as independent.
    on_undefined : {"nan", "raise", 1.0}
        Where both raters always chose the same level: a row with the reason, an error, or kappa 1 without interval.
    level : float
    resamples, seed : int
        Of ``ci="percentile"``, ``"basic"``, ``"bca"``.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        Rows: a pair ``"ann | bob"``, on the units that both rated (`n`). With more than two raters before them
        ``"mean"``, of the pairs' kappas (Light 1971), and ``"pooled"``, with `n` the pairs of ratings. The pooled one
        is 1 - sum n Do / sum n De over pairs, with the disagreements Do = 1 - po and De = 1 - pe (Conger 1980 when
        nothing is missing). `group`: level of the stratum.

        Standard errors are those of Fleiss, Cohen & Everitt, or by clusters. One pair of independent units has a z
        test with the null standard error, all others a t test of kappa over its s.e. `p_adjusted` is Holm's over the
        pairs (of a level of the stratum).

        `extras`: ``pairs``, ``tables``, ``weights``, ``together``. ``pairs`` has for each stratum and pair n, observed,
        expected, null s.e. and the largest kappa possible. ``together`` has the terms that sum up pairs, which
        `adjust` leaves out.

    Raises
    ------
    InputError
        For unknown options, raters, strata or clusters, unusable weights, an order asked of nominal levels, or more
        than 100,000 pairs of raters.
    UndefinedStatistic
        With fewer than two raters, or a single unit rated twice; and with ``on_undefined="raise"``.
    NothingToAnalyse
        If no unit has two ratings.

    Notes
    -----
    Coverage of nominal 95% intervals in 4,000 simulations of each of 8 populations (2 to 5 levels, kappa 0 to .9),
    smallest to largest: n = 30 closed .929-.977, Wald .892-.942, BCa (400 simulations) .882-.984; n = 100 closed
    .934-.960, Wald .926-.947, BCa .922-.953. Clusters (10 to 50, of 4 or 10 units that differ in how hard they are; 400
    simulations each): closed .927-.950, percentile .875-.950; clusters ignored .738-.930.

    References
    ----------
    Cohen, J. (1968). Weighted kappa. doi:10.1037/h0026256
    Fleiss, J. L., Cohen, J., & Everitt, B. S. (1969). doi:10.1037/h0028106
    Light, R. J. (1971). Measures of response agreement for qualitative data. doi:10.1037/h0031643
    Conger, A. J. (1980). Integration and generalization of kappas for multiple raters. doi:10.1037/0033-2909.88.2.322

    Examples
    --------
    >>> table = {"ann": [1, 2, 3, 3, 1], "bob": [1, 2, 3, 2, 2]}
    >>> result = weighted_kappa(table, raters=["ann", "bob"], levels=[1, 2, 3], scale="ordinal", weights="linear")
    >>> round(result.row("ann | bob").estimate, 3)
    0.545
    """
    check_allowed("ci", ci, CIS)
    options = KappaOptions(
        weights=weights,
        kind=kind,
        pairs=checked_pairs(pairs),
        stratum=stratum,
        refusal=refusal,
        ci="closed" if ci == "auto" else ci,
        cluster=cluster,
        on_undefined=checked_on_undefined(on_undefined),
        level=checked_level(level),
        resamples=resamples,
        seed=seed,
    )
    agreement = with_refusal_level(
        weights_of(ratings, options.weights, kind=options.kind), options.refusal
    )
    title = (
        "Cohen's kappa (unweighted)"
        if agreement.name == "unweighted"
        else f"weighted kappa ({agreement.name})"
    )
    factors = cluster_factors(ratings, options.cluster)
    # two raters by name are one pair, however many others there are
    reason = too_many_pairs_reason(len(ratings.raters)) if isinstance(options.pairs, str) else ""
    if reason:
        need_none = "krippendorff_alpha or gwet_ac, which need no pairs of raters"
        ways = f"name two raters with {option('pairs')}, or use {need_none}"
        raise InputError(f"{ratings.source}: {reason}; {ways}")
    two_raters = options.pairs if isinstance(options.pairs, tuple) else None
    parts, rows, inferred = [], list[Row](), []
    for group, among in units_by_stratum(ratings, options.stratum):
        rated = rating_patterns(
            ratings, factors, raters=two_raters, refusal=options.refusal, among=among
        )
        if group is None:
            require_pairs(ratings, rated)
        names = pair_names(rated.raters)
        table = kappa_table(rated, agreement.matrix, list(names))
        parts.append(
            StratumKappas(group=group, patterns=rated, names=tuple(names.values()), table=table)
        )
        terms = [*names.values(), *(TOGETHER if len(names) > 1 else ())]
        named = () if options.pairs == "pooled" else terms
        inferred.append(infer(table.estimand(), rated.clusters, options, title, named))
        rows += kappa_rows(parts[-1], inferred[-1][0], options)
    # cautions and facts are those of all units, the first part
    overall, (inferences, infer_cautions) = parts[0].patterns, inferred[0]
    largest = max(inference.largest for inference in inferences)
    dfs = [inference.df for inference in inferences if inference.low is not None]
    cautions = (
        *agreement.cautions,
        *kappa_cautions(parts[0]),
        *missing_rating_cautions(ratings, overall, options.refusal),
        *infer_cautions,
        *cluster_cautions(ratings, factors, df=dfs, largest=largest),
    )
    extras = {
        "pairs": {
            part.group or ALL: pair_facts(part, agreement, ratings, options) for part in parts
        },
        "tables": {part.group or ALL: tables_of(part) for part in parts},
        "weights": agreement.matrix,
        "together": TOGETHER,
    }
    n_raters = len(overall.raters)
    counts = {"ratings": overall.n_ratings, "units": overall.n_units, "raters": n_raters}
    fit = {
        "nobs": overall.n_ratings,
        "n_clusters": rows[0].n_clusters,
        "method": options.ci,
        "effective_df": inferences[-1].df,
        "largest_leverage": largest or None,
        **options.drawn,
    }
    of_several = ("light1971", "conger1980") if n_raters > 2 else ()
    return Result(
        metric="weighted_kappa",
        title=title[:1].upper() + title[1:],
        inference=f"{INTERVALS[options.ci]}; {cluster_text(factors, 'units')}",
        rows=tuple(rows),
        counts=counts,
        fit=fit,
        settings=asdict(options) | {"weights": agreement.name},
        cautions=cautions,
        references=("cohen1968", "fleiss1969", *of_several),
        design=ratings,
        extras=extras,
    )


def checked_pairs(pairs: Any) -> str | tuple[str, str]:
    """Return ``"all"``, ``"pooled"`` or two names; else raise InputError."""
    if isinstance(pairs, str):
        if pairs in ("all", "pooled"):
            return pairs
    elif isinstance(pairs, Sequence) and len(pairs) == 2:
        return str(pairs[0]), str(pairs[1])
    raise InputError(
        f"{option('pairs', pairs)} is not one of 'all', 'pooled', or the names of two raters"
    )


def with_refusal_level(weights: AgreementWeights, refusal: str) -> AgreementWeights:
    """Return the weights with refusals as one more level, which agrees with itself only."""
    if refusal != "level":
        return weights
    k = len(weights.matrix)
    matrix: FloatArray = np.eye(k + 1)
    # a refusal agrees with a refusal only
    matrix[:k, :k] = weights.matrix
    return replace(weights, matrix=matrix)


def pair_facts(
    part: StratumKappas, weights: AgreementWeights, design: Ratings, options: KappaOptions
) -> dict[str, dict[str, float | None]]:
    """Return for each pair of raters n, observed and expected agreement, kappa, its null s.e. and its largest value.

    One unit defines no kappa, as in the mean of the pairs.
    """
    # with refusals as a level, the levels have no order that the largest kappa needs
    ordered = options.refusal == "missing"
    by_pair: dict[str, dict[str, float | None]] = {}
    pairs = zip(part.names, part.table.kappas, part.table.used, strict=True)
    for name, pair, defined in pairs:
        if not pair.n:
            continue
        largest = None
        if ordered:
            largest = largest_kappa(pair, weights.matrix, weights.name, design.scores)
        by_pair[name] = {
            "n": pair.n,
            "observed": pair.observed,
            "expected": pair.expected,
            "kappa": pair.kappa if defined else None,
            "null_std_error": pair.null_error if pair.null_error > 0 else None,
            "largest": largest,
        }
    return by_pair


def tables_of(part: StratumKappas) -> dict[str, FloatArray]:
    """Return the (levels, levels) table of each pair of raters, by name."""
    return {name: pair.table for name, pair in zip(part.names, part.table.kappas, strict=True)}


def kappa_cautions(part: StratumKappas) -> tuple[Caution, ...]:
    """Cautions SS312 (few units), SS313 (a rater who never varies), SS301 (pairs without kappa)."""
    out: list[Caution] = []
    pairs = zip(part.table.kappas, part.table.used, strict=True)
    least = min((pair.n for pair, defined in pairs if defined), default=0.0)
    if least:
        where = "rated by both" if len(part.names) == 1 else "in common for some pair"
        detail = f"{count(least, 'unit')} {where}; with 30, 95% intervals covered .93 to .98 of simulations"
        out += small_sample_caution(least, SMALL, detail, fix="rate more units in common")
    codes, clusters = part.patterns.codes, part.patterns.clusters
    # a unit carries a level once, however many raters gave it
    levels = np.sort(codes, axis=1)
    is_first = (levels >= 0) & (np.diff(levels, axis=1, prepend=-1) > 0)
    copies = np.broadcast_to(part.patterns.count[:, None], is_first.shape)
    carriers = np.bincount(levels[is_first], copies[is_first])
    fewest = smallest_cluster_count(clusters)
    out += rare_level_cautions(carriers.astype(np.float64), part.patterns.n_units, fewest)
    constant_raters = set[str]()
    for raters, pair in zip(part.table.pairs, part.table.kappas, strict=True):
        for rater, level in zip(raters, pair.constant, strict=True):
            if pair.n > 1 and level is not None:
                constant_raters.add(part.patterns.raters[rater])
    if constant_raters:
        detail = f"{quoted(sorted(constant_raters))} gave one level only (to units that another rater rated)"
        affects = (
            "their kappa, 0 or undefined whatever the agreement, and coefficients over all raters"
        )
        out.append(caution("SS313", detail, affects=affects))
    n_undefined = sum(not defined for defined in part.table.used)
    if any(part.table.used) and n_undefined:
        detail = (
            f"{count(n_undefined, 'pair')} of {count(len(part.names))}; the others make the mean"
        )
        out.append(caution("SS301", detail, affects="the mean of the pairs", short=NO_KAPPA))
    return tuple(out)


def sample_rated_units(result: Result) -> Iterator[PlainSample]:
    """Yield units with the levels of their raters; kappa is 1 - (disagreement seen) / (disagreement by chance)."""
    for group, units in plain_pairs(result):
        if len(units.count):
            yield kappa_sample(group, units)


def kappa_sample(group: str | None, units: PlainPairs) -> PlainSample:
    """Return the sample of the kappas of all pairs, of their mean and of the pooled kappa."""
    pairs, sums = units.pairs, units.disagreements(units.count)
    has_kappa = has_chance(sums) & (sums[:, 0] >= 2)

    def estimates(count: FloatArray) -> dict[RowKey, float]:
        sums = units.disagreements(count)
        _, observed, chance = sums.T
        kappas = np.where(has_chance(sums), 1 - observed / chance, np.nan)
        # pairs that have a kappa in the sample itself, and here
        used = kappas[has_kappa & ~np.isnan(kappas)]
        values = dict(zip(pairs, kappas.tolist(), strict=True))
        values[MEAN] = float(used.mean()) if len(used) else math.nan
        values[POOLED] = float(1 - observed.sum() / chance.sum()) if chance.sum() else math.nan
        return {(group, term): value for term, value in values.items()}

    of_term: dict[str, list[tuple[int, int]]] = {name: [pair] for name, pair in pairs.items()}
    of_term |= {MEAN: [*compress(pairs.values(), has_kappa)], POOLED: [*pairs.values()]}
    counted = {
        (group, term): units.rated_by_any(used).astype(np.float64) for term, used in of_term.items()
    }
    many = len(pairs) > MOST_PAIRS
    parts: dict[RowKey, DisagreementParts] = {}
    if not many:
        parts = {(group, term): disagreement_parts(units, used) for term, used in of_term.items()}
    return PlainSample(
        count=units.count,
        plain=estimates,
        factors=units.factors,
        alike=units.codes.astype(np.float64),
        counted=counted,
        disagreements=parts,
        # the error of Fleiss, Cohen & Everitt (1969) has the divisor n
        large_sample=True,
        cost=math.inf if many else len(pairs) * (1 + units.disagreement.size / 100),
    )


def ask_for_kappas(result: Result) -> Iterator[PeerNumbers]:
    """Kappa of statsmodels with its errors and z of independent units, and kappa of scikit-learn.

    Of thousands of pairs every so many are asked for.
    """
    for group, units in plain_pairs(result):
        names = list(units.pairs)[:: max(1, len(units.pairs) // MOST_PEERS)]
        sums = dict(zip(units.pairs, units.disagreements(units.count), strict=True))
        for name in names:
            if has_chance(sums[name][None])[0] and sums[name][0] >= 2:
                yield from ask_for_pair(result, (group, name), units, units.pairs[name])


def ask_for_pair(
    result: Result, row: RowKey, units: PlainPairs, pair: tuple[int, int]
) -> Iterator[PeerNumbers]:
    """Numbers of statsmodels and scikit-learn for two raters."""
    settings, table = result.settings, units.table(pair, units.count)
    cohens_kappa = load_peer("statsmodels.stats.inter_rater", "cohens_kappa")
    theirs = cohens_kappa(table, weights=units.disagreement)
    numbers = {"estimate": float(theirs.kappa)}
    if not units.factors and theirs.std_kappa0 > 0:
        numbers |= {
            "statistic": float(theirs.kappa / theirs.std_kappa0),
            "p_value": float(theirs.pvalue_two_sided),
        }
    yield PeerNumbers(package="statsmodels", row=row, numbers=numbers)
    if not units.factors and settings["ci"] in ("closed", "wald"):
        # statsmodels subtracts squares, which loses digits
        error = {"std_error": float(theirs.std_kappa)}
        yield PeerNumbers(package="statsmodels", row=row, numbers=error, close=1e-6)
    scheme, scores = str(settings["weights"]), result.design.scores
    is_even = len(scores) < 3 or np.allclose(np.diff(scores, 2), 0)
    weighs_places = scheme in ("linear", "quadratic") and settings["refusal"] != "level"
    if scheme != "unweighted" and not (weighs_places and is_even):
        note = "scikit-learn weighs positions only"
        numbers = {"estimate": math.nan}
        yield PeerNumbers(package="scikit-learn", row=row, numbers=numbers, note=note)
        return
    cohen_kappa_score = load_peer("sklearn.metrics", "cohen_kappa_score")
    first, second = np.indices(table.shape).reshape(2, -1)
    score = cohen_kappa_score(
        first,
        second,
        labels=list(range(len(table))),
        weights=None if scheme == "unweighted" else scheme,
        sample_weight=table.ravel(),
    )
    yield PeerNumbers(package="scikit-learn", row=row, numbers={"estimate": float(score)})


METRIC = Metric(
    name="weighted_kappa",
    title="Weighted kappa",
    design="ratings",
    function=weighted_kappa,
    sentence=sentence,
    plot=forest_plot(rows_with_groups, xlabel="Kappa"),
    definition=Definition(samples=sample_rated_units, peers=ask_for_kappas),
    estimand="Agreement of two raters beyond chance: 1 minus observed over expected (weighted) disagreement.",
    assumptions=(
        "units (or the named clusters of units) are independent",
        "chance means that each rater keeps the levels' shares and the ratings are independent",
        "ratings are missing for reasons unrelated to agreement",
    ),
    references=("cohen1968", "fleiss1969", "light1971", "conger1980"),
)

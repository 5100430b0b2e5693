"""Weighted kappa: agreement of two raters beyond what their own levels would give by chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from socialstats.designs.calls import TableLike, reads
from socialstats.designs.parts import FloatArray
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, caution
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_text,
    rare_level_cautions,
    small_sample,
)
from socialstats.inference.intervals import checked_level
from socialstats.metrics.weighted_kappa.rows import TOGETHER, Options, Part
from socialstats.metrics.weighted_kappa.words import INTERVALS, plot, sentence
from socialstats.models.agreement_weights import AgreementWeights, weights_of
from socialstats.models.kappa import kappa_table, largest_kappa
from socialstats.models.raters import (
    BoolArray,
    OnUndefined,
    Patterns,
    RefusalRule,
    by_stratum,
    checked_on_undefined,
    missing_ratings,
    need_pairs,
    pair_names,
    patterns,
    too_many_pairs,
)
from socialstats.registry import Metric
from socialstats.results import Result, ResultGroup, by_levels
from socialstats.text import count, quoted

Ci = Literal["auto", "closed", "wald", "percentile", "basic", "bca"]
CIS: tuple[str, ...] = get_args(Ci)
SMALL = 50
ALL = "all units"
NO_KAPPA = "pairs of raters without a kappa were left out of the mean"


@reads(Ratings)
def weighted_kappa(
    ratings: Ratings | TableLike,
    *,
    weights: Any = None,
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

    kappa = (po - pe)/(1 - pe), po = sum w_ij p_ij the weighted agreement and pe = sum w_ij r_i c_j what the raters'
    own margins would give by chance: 1 is perfect, 0 is chance, below 0 is less than chance.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        With a ``by`` factor: one result a level.
    weights : str, (levels, levels) matrix or None
        ``"unweighted"``, ``"linear"``, ``"quadratic"``, ``"ordinal"``, ``"ratio"``, or a matrix in the order of the
        levels. None: unweighted for nominal levels, else quadratic. Levels that are numbers are as far apart as the
        numbers, of ordinal levels as well (caution SS330 where they are not equally spaced). See
        `socialstats.models.agreement_weights.agreement_weights`.
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
        Rows: a pair ``"ann | bob"``, on the units that both rated (`n`); with more than two raters before them
        ``"mean"`` (of the pairs' kappas: Light 1971) and ``"pooled"`` (1 - sum n Do / sum n De over pairs, Do and De
        the disagreements 1 - po and 1 - pe; Conger 1980 when nothing is missing), with `n` the pairs of ratings.
        `group`: level of the stratum. Standard error of Fleiss, Cohen & Everitt, or by clusters. Test of kappa 0: z by
        the null standard error for one pair of independent units, else kappa over its s.e. by t. `extras`: ``pairs``
        (for each stratum and pair n, observed, expected, null s.e., largest kappa possible), ``tables``, ``weights``,
        ``together`` (terms that sum up pairs: `adjust` leaves them out).

    Raises
    ------
    InputError
        For unknown options, raters, strata or clusters, unusable weights, an order asked of nominal levels, or more
        than 100,000 pairs of raters.
    UndefinedStatistic
        With fewer than two raters, or fewer than two units rated twice; and with ``on_undefined="raise"``.

    Notes
    -----
    Coverage of nominal 95 % intervals in 4,000 simulations of each of 8 populations (2 to 5 levels, kappa 0 to .9),
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
    if ci not in CIS:
        raise InputError(f"ci='{ci}' is not one of {', '.join(CIS)}")
    options = Options(
        weights=weights, kind=kind, pairs=checked_pairs(pairs), stratum=stratum, refusal=refusal,
        ci="closed" if ci == "auto" else ci, cluster=cluster, on_undefined=checked_on_undefined(on_undefined),
        level=checked_level(level), resamples=resamples, seed=seed,
    )  # fmt: skip
    return by_levels(ratings, "declared", lambda one: estimate(one, options), Ratings)


def checked_pairs(pairs: Any) -> str | tuple[str, str]:
    """Return ``"all"``, ``"pooled"`` or two names; else raise InputError."""
    if isinstance(pairs, str):
        if pairs in ("all", "pooled"):
            return pairs
    elif isinstance(pairs, Sequence) and len(pairs) == 2:
        return str(pairs[0]), str(pairs[1])
    raise InputError(f"pairs={pairs!r} is not one of 'all', 'pooled', or the names of two raters")


def estimate(design: Ratings, o: Options) -> Result:
    """Compute all kappas of one design."""
    weights = extended(weights_of(design, o.weights, kind=o.kind), o.refusal)
    factors = cluster_factors(design, o.cluster)
    why = too_many_pairs(len(design.raters)) if isinstance(o.pairs, str) else ""
    if why:
        ways = "name two raters with pairs=, or use krippendorff_alpha or gwet_ac, which need no pairs of raters"
        raise InputError(f"{design.source}: {why}; {ways}")
    counted = [(group, patterns_of(design, among, o)) for group, among in by_stratum(design, o.stratum)]
    whole = counted[0][1]
    need_pairs(design, whole)
    parts = [part_of(group, one, weights, o) for group, one in counted]
    rows = tuple(row for part in parts for row in part.rows())
    known = parts[0].inferred[0]
    largest = max(one.largest for one in known)
    return Result(
        metric="weighted_kappa",
        title="Cohen's kappa (unweighted)" if weights.name == "unweighted" else f"Weighted kappa ({weights.name})",
        inference=f"{INTERVALS[o.ci]}; {cluster_text(factors, 'units')}",
        rows=rows,
        counts={"ratings": whole.n_ratings, "units": whole.n_units, "raters": len(whole.raters)},
        fit={"nobs": whole.n_ratings, "n_clusters": rows[0].n_clusters, "method": o.ci,
             "effective_df": known[-1].df, "largest_leverage": largest or None, **o.drawn},
        settings={
            "weights": weights.name, "kind": o.kind, "pairs": o.pairs, "stratum": o.stratum, "refusal": o.refusal,
            "ci": o.ci, "cluster": o.cluster, "on_undefined": o.on_undefined, "level": o.level,
            "resamples": o.resamples, "seed": o.seed,
        },
        cautions=(
            *weights.cautions, *own_cautions(parts[0]), *missing_ratings(design, whole, o.refusal),
            *parts[0].inferred[1], *cluster_cautions(
                design, factors, df=[one.df for one in known if one.low is not None], largest=largest
            ),
        ),
        references=("cohen1968", "fleiss1969", *(("light1971", "conger1980") if len(whole.raters) > 2 else ())),
        design=design,
        extras={
            "pairs": {part.group or ALL: facts(part, weights, design, o) for part in parts},
            "tables": {
                part.group or ALL: {n: f.table for n, f in zip(part.names, part.table.found, strict=True)}
                for part in parts
            },
            "weights": weights.matrix,
            "together": TOGETHER,
        },
    )  # fmt: skip


def patterns_of(design: Ratings, among: BoolArray, o: Options) -> Patterns:
    """Count the rows of ratings of all units, or of one level of the stratum."""
    two = o.pairs if isinstance(o.pairs, tuple) else None
    return patterns(design, cluster_factors(design, o.cluster), raters=two, refusal=o.refusal, among=among)


def part_of(group: str | None, found: Patterns, weights: AgreementWeights, o: Options) -> Part:
    """Compute the kappas of the pairs of raters."""
    names = pair_names(found.raters)
    table = kappa_table(found, weights.matrix, list(names))
    return Part(group=group, patterns=found, table=table, names=tuple(names.values()), options=o)


def extended(weights: AgreementWeights, refusal: str) -> AgreementWeights:
    """Return the weights with refusals as one more level, which agrees with itself only."""
    if refusal != "level":
        return weights
    k = len(weights.matrix)
    matrix: FloatArray = np.eye(k + 1)
    matrix[:k, :k] = weights.matrix
    return replace(weights, matrix=matrix)


def facts(part: Part, weights: AgreementWeights, design: Ratings, o: Options) -> dict[str, dict[str, float | None]]:
    """Return for each pair of raters n, observed and expected agreement, kappa, its null s.e. and its largest value."""
    ordered = o.refusal == "missing"
    return {
        name: {
            "n": f.n, "observed": f.observed, "expected": f.expected,
            "kappa": None if math.isnan(f.kappa) else f.kappa,
            "null_std_error": f.null_error if f.null_error > 0 else None,
            "largest": largest_kappa(f, weights.matrix, weights.name, design.scores) if ordered else None,
        }
        for name, f in zip(part.names, part.table.found, strict=True)
        if f.n
    }  # fmt: skip


def own_cautions(part: Part) -> tuple[Caution, ...]:
    """Cautions SS312 (few units), SS313 (a rater who never varies), SS301 (pairs without kappa)."""
    found: list[Caution] = []
    rated = [f for f in part.table.found if f.n]
    least = min((f.n for f in rated), default=0.0)
    if least:
        where = "rated by both" if len(rated) == 1 else "in common for some pair"
        said = f"{count(least, 'unit')} {where}; below {SMALL}, 95% intervals cover about 93% to 97%"
        found += small_sample(least, SMALL, said, fix="rate more units in common")
    codes, clusters = part.patterns.codes, part.patterns.clusters
    levels = np.sort(codes, axis=1)
    once = (levels >= 0) & (np.diff(levels, axis=1, prepend=-1) > 0)
    carriers = np.bincount(levels[once], np.broadcast_to(part.patterns.count[:, None], once.shape)[once])
    fewest = min((len(np.unique(code)) for code in clusters), default=None)
    found += rare_level_cautions(carriers.astype(np.float64), part.patterns.n_units, fewest)
    flat = {
        part.patterns.raters[r]
        for (pair, f) in zip(part.table.pairs, part.table.found, strict=True)
        for r, always in zip(pair, f.constant, strict=True)
        if f.n > 1 and always is not None
    }
    if flat:
        said = f"{quoted(sorted(flat))} gave one level only (to units that another rater rated)"
        found.append(caution("SS313", said, affects="their kappa: 0 or undefined whatever the agreement"))
    lost = sum(not known for known in part.table.used)
    if lost and len(part.names) > 1:
        said = f"{count(lost, 'pair')} of {count(len(part.names))}; the others make the mean"
        found.append(caution("SS301", said, affects="the mean of the pairs", short=NO_KAPPA))
    return tuple(found)


METRIC = Metric(
    name="weighted_kappa",
    title="Weighted kappa",
    design="ratings",
    function=weighted_kappa,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.weighted_kappa:verify",
    estimand="Agreement of two raters beyond chance: 1 minus observed over expected (weighted) disagreement.",
    assumptions=(
        "units (or the named clusters of units) are independent",
        "chance means that each rater keeps the levels' shares and the ratings are independent",
        "ratings are missing for reasons unrelated to agreement",
    ),
    references=("cohen1968", "fleiss1969", "light1971", "conger1980"),
)

"""Relationship bias: with whom a model sides in couples of two groups of names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.couples import couples_design
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, caution
from socialstats.inference.compare import rows_with_holm
from socialstats.inference.dependence import (
    FEW_DF,
    cluster_text,
    few_df,
    mean_cautions,
)
from socialstats.inference.intervals import checked_level
from socialstats.paired.mean_sizes import (
    DRAWS,
    NoBias,
    no_bias,
)
from socialstats.registry import Metric, reads
from socialstats.resampling import (
    Bootstrap,
    basic,
    percentile,
)
from socialstats.resampling.engine import lost_caution
from socialstats.resampling.intervals import check_resamples
from socialstats.resampling.options import checked_seed
from socialstats.results import Result, ResultGroup, Row
from socialstats.scales.alignment import FlippedMean
from socialstats.scales.bias_analysis import (
    ALLOWED,
    BIAS,
    BOTH,
    CORRECTED,
    MCNEMAR,
    MEAN,
    MOST,
    NULL,
    OVERALL,
    PLAIN,
    POSITION,
    SCORE,
    Analysis,
    CiName,
    CoupleRule,
    Settings,
    StratumRows,
    joint_estimates,
    read_analysis,
    unit_factor,
)
from socialstats.scales.bias_terms import (
    mcnemar_rows,
    null_row,
    resample_terms,
    scenario_rows,
    size_rows,
    stratum_rows,
    terms,
    with_bootstrap,
)
from socialstats.scales.couples import (
    Aggregate,
    Couples,
    cell_scores,
)
from socialstats.scales.plain_couples import (
    ask_for_tests_of_couples,
    sample_couples,
    tests_of_contrasts,
)
from socialstats.sentences import estimate_text as estimated
from socialstats.sentences import is_significant, no_number, reliable, stat, with_p
from socialstats.shares.counts import probabilities_text
from socialstats.text import count, listing, number, p_value, shorten
from socialstats.voice import check_allowed, option

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# couples of one order that a result names
MOST_LISTED = 200
# biases in a sentence
MOST_SAID = 6


REFERENCES = (
    "levy2024",
    "cameron2011",
    "cochran1964",
    "bellmccaffrey2002",
    "welch1947",
    "holm1979",
    "leone1961",
    "owen2007",
    "chuanglai2000",
    "zoudonner2008",
    "mcnemar1947",
    "fagerland2013",
)


@reads(couples_design, Ratings)
def relationship_bias(
    ratings: Ratings | TableLike,
    *,
    groups: Sequence[str] | None = None,
    scenario: str = "scenario",
    pair: str = "pair",
    group_first: str = "group_first",
    group_second: str = "group_second",
    answers: Sequence[Any] = (-1, 1),
    couples: CoupleRule = "all",
    aggregate: Aggregate = "pooled",
    stratum: str | None = None,
    stratum_rows: StratumRows = "biases",
    ci: CiName = "closed",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate with whom a model sides in couples of two groups of names, and the effect of the order of names.

    An answer scores -1 for the first and +1 for the second name. S_ab is the mean score of couples whose first name
    is of group a and second of b. B_ab = S_ba - S_ab, in [-2, 2], is positive where group a is favoured over both
    positions. S_aa, couples of one group, is the order effect. B_all is the mean of abs(B) over the pairs of groups
    (Levy et al. 2024). B_all is positive even without bias: it is returned with its expected value then, and corrected.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        Units are (scenario, pair of names, order). A data frame with one answer per row is read by the columns that the
        options name (`socialstats.designs.couples.couples_design`). Scenario and pair are crossed clusters, and raters
        come from a column ``rater``, ``model`` or ``judge``. With a ``by`` factor: one result per level.
    groups : sequence of str, optional
        Groups to compare, in the order of the differences: of (a, b, c) B_ab, B_ac and B_bc. By default all, sorted.
    scenario, pair, group_first, group_second : str
        Strata or clusters of the units (columns of a data frame). `pair` is the same label in both orders.
    answers : pair
        The answers that mean the first and the second name.
    couples : {"all", "complete"}
        Use all answers, or leave out couples that were answered in one order only (caution SS301 counts them).
    aggregate : {"pooled", "scenario", "rater"}
        How answers become S: all alike; scenarios alike. Alternatively rater by rater, with B and abs(B) averaged over
        raters (the mean of absolute values is not the absolute value of the mean).
    stratum : str, optional
        Stratum of the units (a topic), or group of the raters (models with and without safety tuning): biases, position
        and B_all of each of its levels. Up to four levels have the differences of any two, on the same scenarios where
        levels are of raters. Each level has its own mean (`socialstats.inference.means.difference_errors`). Another row
        gives all levels the same weight. A level of one scenario has no interval, and no test of a difference: nothing
        shows how others like it would differ.
    stratum_rows : {"biases", "scores"}
        ``"scores"``: also S of every kind of couple within each level, its differences between levels, and McNemar's
        tests within each level.
    ci : {"closed", "percentile", "basic"}
        Interval of S, B and B_all: t, and for B_all inverted tests (`socialstats.paired.mean_sizes.size_interval`);
        or a bootstrap of clusters.
    cluster : str, sequence of str or None
        ``"declared"``: all declared clusters, crossed (V1 + V2 - V12, not below the larger of V1 and V2, with
        Cochran's df); one name (CR2); or None, units independent (caution SS201).
    level : float
    resamples, seed : int
        Of the bootstrap; the seed also of random flips and draws.
    **columns
        Of a data frame or file: its columns, by the keywords of `couples_design` or `read_ratings`.

    Returns
    -------
    Result
        Group ``"bias"``: B of each pair of groups (``"a - b"``), t test of 0, `p_adjusted` by Holm. ``"overall"``:
        ``B_all`` and ``B_all corrected``, both with the interval of the population's value. It contains all values not
        rejected, by draws of correlated t's with the clustered errors of the biases, as of the test. Its lower limit is
        0 where a test of no bias at half of 1 - `level` does not reject. With a bootstrap, the basic one less the bias
        from below, the percentile one from above, cut at 0. Both are widened to hold both estimates. ``"overall,
        without any bias"``: the mean that B_all has where every B is 0 (sum of weight x s.e. x sqrt(2/pi)) and the test
        of that, by the same draws: both factors count. ``"position"``: S_aa of each group; ``"position, mean"``: their
        mean. ``"position, both orders"``: the mean of (S_ab + S_ba)/2, in which B cancels, over pairs of groups.
        ``"score"``: S_ab (``"a, b"``). ``"scenario means"`` and ``"scenario sign flip"``: tests on one difference per
        scenario (of ``B_all``: that no group is favoured). They leave the pairs of names out, so the p of a sign flip
        is too small where names matter. ``"McNemar, ignoring clusters"``, ``"McNemar mid-p, ignoring clusters"``:
        tests that take complete couples as independent, for comparison with publications. `n` counts couples, `n_units`
        those in which both orders favour the same group (the mid-p row's `statistic`: the first group). With `stratum`
        the groups ``"<stratum> = <level>"``, ``"<level> - <level>"`` (``B_all corrected`` there by the intervals of
        both levels: Zou & Donner 2008; tests of B one family by Holm, those of S another) and ``"levels of <stratum>
        alike"``. `extras`: ``null_mean`` of B_all (value), ``flipped_mean`` (by sign flips: value, mc_error, flips),
        ``mcnemar_cells``, ``one_order_only`` (the first 200 couples without one of the answers).

    Raises
    ------
    DesignError
        If scenario, pair or a group is not declared, or an answer is neither of the two.
    InputError
        For an unknown option, group or cluster.
    NothingToAnalyse
        If no couple was answered.

    References
    ----------
    Levy, S., Adler, W. D., Karver, T. S., Dredze, M., & Kaufman, M. R. (2024). Gender bias in decision-making with
    large language models: A study of relationship conflicts. doi:10.18653/v1/2024.findings-emnlp.331
    Cameron, A. C., Gelbach, J. B., & Miller, D. L. (2011). doi:10.1198/jbes.2010.07136
    Leone, F. C., Nelson, L. S., & Nottingham, R. B. (1961). doi:10.1080/00401706.1961.10489974
    Chuang, C.-S., & Lai, T. L. (2000). Hybrid resampling methods for confidence intervals. Statistica Sinica, 10(1).
    Zou, G. Y., & Donner, A. (2008). doi:10.1002/sim.3095

    Examples
    --------
    >>> rows = {"scenario": ["s1"] * 4 + ["s2"] * 4 + ["s3"] * 4, "pair": ["p1", "p1", "p2", "p2"] * 3,
    ...         "group_first": ["w", "m"] * 6, "group_second": ["m", "w"] * 6,
    ...         "answer": [-1, 1, -1, -1, -1, 1, -1, 1, 1, 1, -1, -1]}
    >>> result = relationship_bias(rows, groups=("w", "m"))
    >>> result.row("w - m", group="bias").estimate
    1.0
    """
    groups = (groups,) if isinstance(groups, str) else groups
    settings: Settings = {
        "groups": groups if groups is None else tuple(groups),
        "scenario": scenario,
        "pair": pair,
        "group_first": group_first,
        "group_second": group_second,
        "answers": tuple(answers),
        "couples": couples,
        "aggregate": aggregate,
        "stratum": stratum,
        "stratum_rows": stratum_rows,
        "ci": ci,
        "cluster": cluster,
        "level": checked_level(level),
        "resamples": resamples,
        "seed": checked_seed(seed),
    }
    for name, allowed in ALLOWED.items():
        check_allowed(name, settings[name], get_args(allowed))
    if len(settings["answers"]) != 2 or settings["answers"][0] == settings["answers"][1]:
        raise InputError(
            f"{option('answers', settings['answers'])} must be two different answers: the one that means "
            "the first name and the one that means the second"
        )
    check_resamples(resamples, level)
    return estimate(ratings, settings)


def estimate(design: Ratings, settings: Settings) -> Result:
    """Compute everything of one design."""
    analysis, asked = read_analysis(design, settings)
    by_kind, estimates = terms(analysis, settings), joint_estimates(analysis)
    # the mean of one group is that group
    by_kind[MEAN] = by_kind[MEAN] if len(by_kind[POSITION]) > 1 else []
    main = [term for kind in (BIAS, POSITION, MEAN, BOTH, SCORE) for term in by_kind[kind]]
    first = [term.row for term in main]
    boot = resample_terms(analysis, main, settings)
    if boot is not None:
        interval = percentile if settings["ci"] == "percentile" else basic
        ends = interval(boot, level=settings["level"])
        first = [with_bootstrap(term, k, ends, settings) for k, term in enumerate(main)]
    null = (
        estimates
        if isinstance(estimates, str)
        else no_bias(estimates, estimates.draw_errors(settings["seed"]))
    )
    by_scenario, flipped = scenario_rows(analysis, settings)
    tests, cells = mcnemar_rows(analysis, asked)
    strata, stratum_terms = stratum_rows(analysis, settings)
    n = len(analysis.pairs)
    rows = (
        *rows_with_holm(first[:n], family="pairs of groups"),
        *size_rows(analysis, estimates, settings, boot=boot),
        *first[n:],
        null_row(analysis, null),
        *by_scenario,
        *tests,
        *strata,
    )
    rows = tuple(replace(row, role=row.role or "estimate") for row in rows)
    means = [term.mean for term in by_kind[BIAS] if term.mean and not term.mean.undefined]
    gaps = [term for term in stratum_terms if term.row.role == "difference"]
    gap_means = [term.mean for term in gaps if term.mean]
    floored = [term.row for term in (*main, *stratum_terms) if term.mean and term.mean.floored]
    answers, incomplete = analysis.answers, ~asked.complete
    raters, n_one_order = len(np.unique(answers.rater)), int(asked.count[incomplete].sum())
    extras: dict[str, Any] = {
        "analysis": analysis,
        "estimates": estimates,
        "mcnemar_cells": cells,
        "one_order_only": one_order_only(analysis, asked, settings),
        "groups": analysis.groups,
        "floored": tuple((row.term, row.group) for row in floored),
    }
    if isinstance(null, NoBias):
        extras["null_mean"] = {"value": null.null_mean}
    if isinstance(flipped, FlippedMean):
        extras["flipped_mean"] = {
            "value": flipped.null_mean,
            "mc_error": flipped.mc_error,
            "flips": flipped.flips,
        }
    fit = {
        "nobs": int(answers.count.sum()),
        "n_clusters": rows[0].n_clusters,
        "method": rows[0].method,
        "seed": settings["seed"],
        "resamples": settings["resamples"],
        "effective_df": min((mean.df for mean in means), default=None),
        "largest_leverage": max((mean.largest for mean in means), default=None),
    }
    cautions = (
        *mean_cautions(
            design,
            analysis.factors,
            [*means, *gap_means],
            what="couples",
            bounded=True,
            resampled=settings["ci"] != "closed",
            few=False,
        ),
        *few_cautions(analysis, rows[: len(rows) - len(strata)], strata, settings),
        *bias_cautions(analysis, rows, floored, boot, null, n_one_order, settings),
    )
    return Result(
        metric="relationship_bias",
        title=f"Relationship bias B of {count(len(analysis.groups), 'group')}{probabilities_text(design)}",
        inference=intervals_text(analysis, settings),
        rows=rows,
        counts={
            "answers": int(answers.count.sum()),
            "scenarios": len(np.unique(answers.scenario)),
            "pairs of names": len(np.unique(answers.pair)),
            "complete couples": int(asked.count[~incomplete].sum()),
            "couples answered in one order only": n_one_order,
        }
        | ({"raters": raters} if raters > 1 else {}),
        fit=fit,
        settings=settings,
        cautions=cautions,
        references=REFERENCES,
        design=design,
        extras=extras,
    )


def one_order_only(
    analysis: Analysis, asked: Couples, settings: Settings
) -> tuple[dict[str, str], ...]:
    """List the first couples that were answered in one order only."""
    scenario, pair = (
        unit_factor(analysis.design, settings[name], name) for name in ("scenario", "pair")
    )
    listed = []
    for k in np.flatnonzero(~asked.complete)[:MOST_LISTED].tolist():
        # a couple of groups a and b lacks the order without a score
        a, b, at, names, rater = asked.key[k].tolist()
        first, second = (a, b) if np.isnan(asked.score[k, 0]) else (b, a)
        listed.append(
            {
                "scenario": scenario.levels[at],
                "pair": pair.levels[names],
                "rater": analysis.design.raters[rater],
                "no_answer_with_first": analysis.groups[first],
                "and_second": analysis.groups[second],
            }
        )
    return tuple(listed)


def intervals_text(analysis: Analysis, settings: Settings) -> str:
    """Return how the intervals were obtained."""
    clusters, seed = cluster_text(analysis.factors, "units"), settings["seed"]
    if settings["ci"] == "closed":
        return f"t intervals of B and S, inverted tests for B_all ({count(DRAWS)} draws, seed {seed}); {clusters}"
    resamples = f"{count(settings['resamples'])} resamples, seed {seed}"
    return f"{settings['ci']} bootstrap intervals of B and S, bootstrap of B_all ({resamples}); {clusters}"


def few_cautions(
    analysis: Analysis, rows: Sequence[Row], strata: Sequence[Row], settings: Settings
) -> list[Caution]:
    """Caution SS202 of the numbers of all answers (bootstraps have their own), and of those of levels, each on its own.

    B_all rests on the biases that it is made of.
    """
    cautions: list[Caution] = []
    if not analysis.factors:
        return cautions
    # bootstraps are cautioned by their number of clusters
    pooled = rows if settings["ci"] == "closed" else ()
    for numbers, where in ((pooled, ""), (strata, f" by {settings['stratum']}")):
        dfs = {row: row.df for row in numbers if row.df is not None and row.test != "chi2"}
        few = [row for row, df in dfs.items() if df < FEW_DF]
        levels = {row.label("level") for row in few if row.label("group")}
        sizes = [
            row.name
            for row in numbers
            if row.label("quantity") and row.df is None and row.label("level") in levels
        ]
        cautions += few_df(dfs.values(), dfs, where=where, beside=sizes)
    return cautions


def bias_cautions(
    analysis: Analysis,
    rows: Sequence[Row],
    floored: Sequence[Row],
    boot: Bootstrap | None,
    null: NoBias | str,
    n_one_order: int,
    settings: Settings,
) -> list[Caution]:
    """Cautions SS301, SS304, SS316, SS204, SS205 and SS206, those that apply."""
    cautions: list[Caution | None] = []
    if n_one_order:  # couples that were answered in one order only
        treatment = "they were left out"
        if settings["couples"] == "all":
            treatment = "their answers count in S and B, not in McNemar's test"
        verb = "was" if n_one_order == 1 else "were"
        cautions.append(
            caution(
                "SS301",
                f"{count(n_one_order, 'couple')} {verb} answered in one order only; {treatment}",
                affects="S and B, which assume that answers are missing at random",
                fix="collect the missing answers, or report the bounds",
            )
        )
    if isinstance(null, NoBias):  # B_all is above 0 without any bias
        detail = f"the expected value of uncorrected B_all without bias is {number(null.null_mean, 3)}, not 0"
        cautions.append(
            caution(
                "SS304",
                detail,
                affects="uncorrected B_all",
                fix="quote B_all corrected, with its interval",
                rows=[PLAIN],
            )
        )
    biases = [row for row in rows if row.group == BIAS]
    mcnemar = {row.term: row.p_value for row in rows if row.group == MCNEMAR}
    line = round(1 - settings["level"], 12)
    tested = [(row.term, row.p_value, mcnemar.get(row.term)) for row in biases]
    disagreeing = [
        shorten(term)
        for term, p, p_mcnemar in tested
        if p is not None and p_mcnemar is not None and (p < line) != (p_mcnemar < line)
    ]
    if disagreeing:
        at = number(line, bounded=True)
        cautions.append(
            caution(
                "SS316",
                f"the clustered test and McNemar's test disagree at α = {at} for {listing(disagreeing)}"
                "; McNemar's test treats couples as independent",
                affects="McNemar's test",
                fix="quote the clustered test",
            )
        )
    if boot is not None:  # resamples without answers of some kind of couple
        fix = "collect more answers about couples of every kind"
        cautions.append(
            lost_caution(int(boot.n_degenerate.max()), boot.resamples, "bootstrap intervals", fix)
        )
    # B of independent answers has the variance (1 - S^2)/n, added over both orders
    independent = cell_scores(analysis.answers)
    variances = ((1 - independent.mean**2) / independent.n).tolist()
    variance = dict(zip(independent.cells, variances, strict=True))
    ratios = []
    for row, (a, b) in zip(biases, analysis.pairs, strict=True):
        expected = variance.get((0, a, b), np.nan) + variance.get((0, b, a), np.nan)
        if row.std_error is not None and expected > 0:
            ratios.append(row.std_error / expected**0.5)
    # how much clustering changes the standard errors of B
    if analysis.factors and ratios and analysis.answers.drawn:
        spread = " to ".join(dict.fromkeys(number(ratio) for ratio in (min(ratios), max(ratios))))
        cautions.append(
            caution(
                "SS205", f"standard errors of B were {spread} times those of independent answers"
            )
        )
    if floored:  # two-way variances that were smaller than that of one factor
        listed = [f"{shorten(row.term)} ({shorten(row.group or '')})" for row in floored]
        sizes = [OVERALL] * any(row.group == BIAS for row in floored)
        cautions.append(
            caution(
                "SS206",
                f"in {count(len(listed), 'row')} the two-way variance fell below the larger "
                f"one-way variance, which was used instead: {listing(listed, 3)}",
                affects="these CIs and tests, which may be conservative",
                fix="no action needed",
                rows=[*(row.name for row in floored), *sizes],
            )
        )
    return [ratio for ratio in cautions if ratio is not None]


def sentence(result: Result) -> str:
    """Return B_all, whom each B favours, and McNemar's test."""
    n = result.counts
    biases = [row for row in result.rows if row.group == BIAS]
    scenarios, pairs = count(n["scenarios"], "scenario"), count(n["pairs of names"], "pair")
    start = f"Over {scenarios} and {pairs} of names ({count(n['answers'], 'answer')}): "
    parts = [start + overall_text(result), *map(favoured_text, biases[:MOST_SAID])]
    n_more = len(biases) - MOST_SAID
    if n_more > 0:
        parts.append(f"{count(n_more, 'more pair')} of groups: see the table.")
    plain = [row for row in result.rows if row.group == MCNEMAR and row.statistic is not None]
    if plain:
        shown = listing([f"{shorten(r.term)}, {p_value(r.p_value)}" for r in plain], MOST_SAID)
        couples = count(n["complete couples"], "couple")
        parts.append(f"Treating {couples} as independent, McNemar's test gave {shown}.")
    return " ".join(parts)


def overall_text(result: Result) -> str:
    """Return B_all corrected with its interval, and the test that no group is favoured."""
    size, null = result.row(CORRECTED, group=OVERALL), result.row(PLAIN, group=NULL)
    quantity = "mean absolute bias (B_all, bias-corrected)"
    if size.estimate is None:
        return no_number(quantity, size.undefined or "no estimate")
    numbers = f"The {quantity} was {estimated(size)}"
    if null.p_value is None:
        return f"{numbers}; the test of no bias is undefined: {null.undefined}."
    level = size.conf_level or float(result.settings["level"])
    verb = (
        "depended" if is_significant(null, round(1 - level, 12)) else "did not depend significantly"
    )
    tested = f"(test of no bias, {p_value(null.p_value)})"
    return f"Choices {verb} on the groups of the names {tested}. {numbers}."


def favoured_text(row: Row) -> str:
    """Return who was favoured by a bias, or that it was not significant, inconclusive or undefined.

    Examples
    --------
    >>> row = Row(term="woman - man", key=(("group", "woman"), ("other", "man")), estimate=0.3, conf_low=0.1,
    ...           conf_high=0.5, conf_level=0.95, statistic=3.1, df=19.0, p_value=0.006, p_adjusted=0.012, test="t")
    >>> favoured_text(row)
    "'woman' names were favoured over 'man' names (B = 0.30, 95% CI [0.10, 0.50], p_Holm = .012)."
    """
    first, second = (f"'{shorten(row.label(side) or '', 40)}'" for side in ("group", "other"))
    high, low = (first, second) if (row.estimate or 0.0) > 0 else (second, first)
    pair = f"{first} versus {second} names"
    if row.estimate is None:
        return no_number(f"Bias for {pair}", row.undefined or "no estimate")
    numbers = f"(B = {stat(replace(row, statistic=None))})"
    if with_p(row):
        if is_significant(row):
            return f"{high} names were favoured over {low} names {numbers}."
        alone = is_significant(replace(row, p_adjusted=None))
        return f"{pair}: not significant{' after Holm correction' * alone} {numbers}."
    # a bootstrap interval comes without a test
    if row.has_interval:
        if reliable(row):
            return f"{high} names were favoured over {low} names {numbers}."
        return f"{pair}: inconclusive, the CI includes 0 {numbers}."
    if abs(row.estimate) == MOST:
        return (
            f"{high} names were chosen over {low} names in all {count(row.n or 0)} answers (B = "
            f"{number(row.estimate, 0)}, the largest possible; without variation there is no standard error)."
        )
    return f"B for {pair} was {estimated(row)}."


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the biases, and below them the order effects, with their intervals."""

    from socialstats.figures import forest

    rows = [row for row in result.rows if row.group == BIAS]
    rows += [
        replace(row, term=f"order effect: {row.term}")
        for row in result.rows
        if row.group == POSITION
    ]
    settings = {
        "xlabel": "B (above 0: first group favoured); order effect: S of one group",
        "sort": False,
    }
    return forest(rows, ax=ax, **{**settings, **options})


METRIC = Metric(
    name="relationship_bias",
    title="With whom a model sides, by the groups of two names (B)",
    design="ratings",
    function=relationship_bias,
    sentence=sentence,
    plot=plot,
    definition=Definition(
        samples=sample_couples, peers=ask_for_tests_of_couples, family=tests_of_contrasts
    ),
    estimand="How much more often names of one group are chosen than of another, over both positions (-2 to 2). Also "
    "how often the second position is chosen between names of one group.",
    assumptions=(
        "scenarios, and pairs of names, are independent draws of those meant (or the named clusters are)",
        "both orders of a couple share scenario and names; answers are missing at random",
        "t intervals: about 10 scenarios and 10 pairs of names or more",
    ),
    references=REFERENCES,
    swap="invariant",
    values="couples",
)

"""The public function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.calls import TableLike, reads
from socialstats.designs.couples import couples_design
from socialstats.designs.ratings import Ratings
from socialstats.inference.clustered_mean import ClusteredMean
from socialstats.inference.compare import with_holm
from socialstats.inference.dependence import cluster_factors, cluster_text, units_of
from socialstats.metrics.relationship_bias.analysis import Analysis, analysis, resample
from socialstats.metrics.relationship_bias.cautions import all_cautions
from socialstats.metrics.relationship_bias.data import Data, one_order_only, read
from socialstats.metrics.relationship_bias.levels import stratum_rows
from socialstats.metrics.relationship_bias.options import CiName, CoupleRule, Options, StratumRows
from socialstats.metrics.relationship_bias.overall import (
    drawn_errors,
    flip_row_of_overall,
    flips,
    joint,
    mean_absolute,
    null_row,
    overall_rows,
)
from socialstats.metrics.relationship_bias.rows import (
    Term,
    bias_terms,
    mcnemar_rows,
    position_terms,
    scenario_rows,
    score_terms,
    term_row,
    with_bootstrap,
)
from socialstats.models.couples import Aggregate, inference
from socialstats.models.mean_absolute import FlippedMean
from socialstats.models.mean_size import DRAWS, Estimates, NoBias, no_bias
from socialstats.resampling import Bootstrap, basic, percentile
from socialstats.results import Result, ResultGroup, Row, by_levels
from socialstats.text import count

REFERENCES = (
    "levy2024", "cameron2011", "cochran1964", "bellmccaffrey2002", "holm1979", "leone1961", "owen2007", "chuanglai2000",
    "zoudonner2008", "mcnemar1947", "fagerland2013",
)  # fmt: skip


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
    """Estimate with whom a model sides in couples of two groups of names, and how far the order of names decides.

    An answer scores -1 for the first and +1 for the second name. S_ab is the mean score of couples whose first name
    is of group a and second of b; B_ab = S_ba - S_ab, in [-2, 2], is positive where group a is favoured whatever its
    place; S_aa, couples of one group, is the effect of the place alone; B_all is the mean of abs(B) over the pairs of
    groups (Levy et al. 2024). B_all is never negative, and so is above 0 without any bias: it is returned with the
    mean that it has then, and corrected.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        Units are (scenario, pair of names, order). A data frame with one answer a row is read by the columns that the
        options name (`socialstats.designs.couples.couples_design`), with scenario and pair as crossed clusters and
        the raters of a column ``rater``, ``model`` or ``judge``. With a ``by`` factor: one result a level.
    groups : sequence of str, optional
        Groups to compare, in the order of the differences: of (a, b, c) B_ab, B_ac and B_bc. By default all, sorted.
    scenario, pair, group_first, group_second : str
        Strata or clusters of the units (columns of a data frame). `pair` is the same label in both orders.
    answers : pair
        The answers that mean the first and the second name.
    couples : {"all", "complete"}
        Use all answers, or leave out couples that were answered in one order only (caution SS301 counts them).
    aggregate : {"pooled", "scenario", "rater"}
        How answers become S: all alike; scenarios alike; or rater by rater, with B and abs(B) averaged over raters
        (the mean of absolute values is not the absolute value of the mean).
    stratum : str, optional
        Stratum of the units: biases, position and B_all of each of its levels; of two levels also their differences. A
        level of one scenario has no interval: nothing shows how others like it would differ.
    stratum_rows : {"biases", "scores"}
        ``"scores"``: also S of every kind of couple within each level.
    ci : {"closed", "percentile", "basic"}
        Interval of S, B and B_all: t, and for B_all inverted tests (`socialstats.models.mean_size.size_interval`);
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
        ``B_all`` and ``B_all corrected``, both with the interval of the population's value: every value that would
        not make B_all as observed a rare one, by draws of correlated t's with the clustered errors of the biases, as
        of the test; its lower end is 0 where a test of no bias at half of 1 - `level` does not reject. With a
        bootstrap: the basic one less the bias from below, the percentile one from above, cut at 0. Both are widened to
        hold both estimates. ``"overall, without any bias"``: the mean that B_all has where every B is 0 (sum of weight
        x s.e. x sqrt(2/pi)) and the test of that, by the same draws: both factors count.
        ``"position"``: S_aa of each group; ``"position, mean"``: their mean. ``"score"``: S_ab (``"a, b"``).
        ``"scenario means"`` and ``"scenario sign flip"``: tests on one difference a scenario, which leave the pairs
        of names out, so that the p of a sign flip is too small where names matter (of ``B_all``: that no group is
        favoured). ``"McNemar, ignoring clusters"``, ``"McNemar mid-p, ignoring clusters"``: tests that take complete
        couples as independent, for comparison with publications; `n` counts couples, `n_units` those in which both
        orders favour the same group (the mid-p row's `statistic`: the first group). With `stratum` the groups
        ``"<stratum> = <level>"`` and ``"<level> - <level>"`` (``B_all corrected`` there by the intervals of both
        levels: Zou & Donner 2008). `extras`: ``null_mean`` of B_all (value),
        ``flipped_mean`` (by sign flips: value, mc_error, flips), ``mcnemar_cells``, ``one_order_only`` (the first 200
        couples without one of the answers).

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
    options = Options(
        groups=None if groups is None else tuple(groups), scenario=scenario, pair=pair, group_first=group_first,
        group_second=group_second, answers=tuple(answers), couples=couples, aggregate=aggregate, stratum=stratum,
        stratum_rows=stratum_rows, ci=ci, cluster=cluster, level=level, resamples=resamples, seed=seed,
    )  # fmt: skip
    options.check()
    return by_levels(ratings, "declared", lambda one: estimate(one, options), Ratings)


def estimate(design: Ratings, options: Options) -> Result:
    """Compute everything of one design."""
    data = read(design, options, cluster_factors(design, options.cluster))
    found = analysis(data, options.aggregate)
    known, flipped = joint(found), flips(found, options.seed)
    errors = drawn_errors(known, options)
    null = known if isinstance(known, str) else no_bias(known, errors)
    boot = drawn(found, options)
    rows = main_rows(found, boot, known, errors, options)
    tests, cells = mcnemar_rows(data)
    rows += [null_row(found, null), *scenario_rows(found, options), flip_row_of_overall(found, flipped), *tests]
    rows += stratum_rows(data, options)
    means = bias_means(found)
    n_one, listed = one_order_only(data)
    extras: dict[str, Any] = {"mcnemar_cells": cells, "one_order_only": listed, "groups": data.groups}
    if isinstance(null, NoBias):
        extras["null_mean"] = {"value": null.null_mean}
    if isinstance(flipped, FlippedMean):
        extras["flipped_mean"] = {"value": flipped.null_mean, "mc_error": flipped.mc_error, "flips": flipped.flips}
    return Result(
        metric="relationship_bias",
        title="Relationship bias B of " + count(len(data.groups), "group"),
        inference=inference_text(data, options),
        rows=tuple(rows),
        counts=counts(data, n_one),
        fit={"nobs": int(data.answers.n), "n_clusters": rows[0].n_clusters, "method": rows[0].method,
             "seed": options.seed, "resamples": options.resamples,
             "effective_df": min((mean.df for mean in means), default=None),
             "largest_leverage": max((mean.largest for mean in means), default=None)},
        settings=options.settings,
        cautions=all_cautions(data, tuple(rows), means, boot, null, n_one, options),
        references=REFERENCES,
        design=design,
        extras=extras,
    )  # fmt: skip


def main_terms(found: Analysis) -> list[Term]:
    """B of every pair of groups, then effects of the position, and S."""
    return [*bias_terms(found), *position_terms(found), *score_terms(found)]


def bias_means(found: Analysis) -> list[ClusteredMean]:
    """Return the clustered means behind the t intervals of B, those that have one."""
    each = [found.linear(term.parts) for term in bias_terms(found)]
    design = found.data.design
    means = [inference(one, design.unit_count, found.data.codes) for one in each if one is not None]
    return [mean for mean in means if not mean.undefined]


def main_rows(
    found: Analysis, boot: Bootstrap | None, known: Estimates | str, errors: FloatArray, options: Options
) -> list[Row]:
    """Rows of B, B_all, position and S."""
    terms = main_terms(found)
    rows = [term_row(found, term, options) for term in terms]
    if boot is not None:
        ends = (percentile if options.ci == "percentile" else basic)(boot, level=options.level)
        rows = with_bootstrap(rows, terms, ends, options)
    n = len(found.data.pairs)
    return [*with_holm(rows[:n]), *overall_rows(found, boot, known, errors, options), *rows[n:]]


def drawn(found: Analysis, options: Options) -> Bootstrap | None:
    """Draw the bootstrap of all terms and B_all, where it is asked for and there is something to resample."""
    data = found.data
    if options.ci == "closed" or any(len(np.unique(code[data.answers.unit])) < 2 for code in data.codes):
        return None
    if len(np.unique(data.answers.unit)) < 2 or mean_absolute(found) is None:
        return None
    zero = np.zeros(len(found.means.cells))
    coefficients = [found.combine(term.parts) for term in main_terms(found)]
    table = np.array([zero if c is None else c for c in coefficients])
    return resample(found, table, units_of(data.design, data.factors), options.resamples, options.seed)


def counts(data: Data, one_order: int) -> dict[str, int]:
    """Numbers of answers, scenarios, pairs of names, couples and raters."""
    complete = sum(float(m.count[m.complete].sum()) for m in data.matched.values())
    answers = data.answers
    found = {
        "answers": int(answers.n), "scenarios": len(np.unique(answers.scenario)),
        "pairs of names": len(np.unique(answers.pair)), "complete couples": int(complete),
        "couples answered in one order only": one_order,
    }  # fmt: skip
    raters = len(np.unique(answers.rater))
    return found | ({"raters": raters} if raters > 1 else {})


def inference_text(data: Data, options: Options) -> str:
    """Say how the intervals were obtained."""
    clusters = cluster_text(data.factors, "units")
    if options.ci == "closed":
        return (
            f"t intervals of B and S, inverted tests for B_all ({count(DRAWS)} draws, seed {options.seed}); {clusters}"
        )
    drawn_text = f"{count(options.resamples)} resamples, seed {options.seed}"
    return f"{options.ci} bootstrap intervals of B and S, bootstrap of B_all ({drawn_text}); {clusters}"

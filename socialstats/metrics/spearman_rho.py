"""Spearman's rank correlation of the scores of two raters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.calls import TableLike
from socialstats.designs.ratings import Ratings
from socialstats.inference.how import How
from socialstats.models.correlations import (
    correlations,
    correlations_plot,
    correlations_sentence,
    midranks,
)
from socialstats.registry import Metric, reads
from socialstats.resampling import Alternative
from socialstats.results import Result, ResultGroup


@reads(Ratings)
def spearman_rho(
    ratings: Ratings | TableLike,
    *,
    raters: Sequence[str] | None = None,
    alternative: Alternative = "two_sided",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate Spearman's rho, the correlation of midranks, of each pair of raters on the units that both rated.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        Of ordered levels or numbers. With a ``by`` factor: one result a level.
    raters : sequence of str, optional
        Only these raters, such as a judge and a person.
    alternative : {"two_sided", "greater", "less"}
        Of rho against 0, for each pair. One-sided: the intervals have one end. The other is -1 or 1.
    cluster : str, sequence of str or None
        Declared factors whose levels are independent (two: crossed); None takes units as independent.
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        Rows ``"ann | bob"``: rho, linearised s.e. (Borkowf 2002), t interval on Fisher's z scale, t of rho = 0,
        `p_adjusted` by Holm over the pairs.

    Raises
    ------
    InputError, UndefinedStatistic, NothingToAnalyse
        For nominal levels, unknown options, raters or clusters; fewer than two raters with names; no rating.

    References
    ----------
    Borkowf, C. B. (2002). Nonnull asymptotic variance of Spearman's rank correlation. doi:10.1016/S0167-9473(01)00081-0

    Examples
    --------
    >>> table = {"judge": [1, 2, 3, 4, 5, 5], "person": [2, 1, 3, 5, 4, 5]}
    >>> round(spearman_rho(table, raters=["judge", "person"], scale="ordinal").row("judge | person").estimate, 4)
    0.8088
    """
    return correlations(
        ratings,
        rank_correlation,
        How(ci="closed", cluster=cluster, level=level, resamples=0, seed=0),
        metric="spearman_rho",
        title=METRIC.title,
        references=METRIC.references,
        raters=raters,
        alternative=alternative,
    )


def rank_correlation(x: FloatArray, y: FloatArray, copies: FloatArray) -> tuple[float, FloatArray]:
    """Return rho of units, and what the (alike) units of each entry add to it to first order (Borkowf 2002)."""
    share = copies / copies.sum()
    # centred midranks, and how a unit moves the mean of a function by moving the ranks of all
    (f, rank_influence_f), (g, rank_influence_g) = midranks(x, share), midranks(y, share)
    a, b = share @ f**2, share @ g**2
    rho = float(share @ (f * g) / np.sqrt(a * b))
    # delta method of rho = cov / sqrt(a b): the midranks f and g depend on the weights of units too
    influence = (f * g + rank_influence_f(g) + rank_influence_g(f)) / np.sqrt(a * b)
    influence -= (
        rho / 2 * ((f**2 + 2 * rank_influence_f(f)) / a + (g**2 + 2 * rank_influence_g(g)) / b)
    )
    return rho, share * (influence - share @ influence)


METRIC = Metric(
    name="spearman_rho",
    title="Spearman's rho",
    design="ratings",
    function=spearman_rho,
    sentence=correlations_sentence,
    plot=correlations_plot,
    crosscheck="socialstats.crosscheck.spearman_rho:verify",
    estimand="The correlation of the ranks that two raters give to the same units.",
    assumptions=("units (or the named clusters) are independent draws from the units of interest",),
    references=("borkowf2002",),
    swap="none",
)

"""Win rates between groups of items."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import A_WON, TIED
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.inference.dependence import (
    cluster_facts,
    cluster_text,
    clustered_comparisons,
    settled_cluster,
    share_cautions,
)
from socialstats.inference.intervals import checked_level
from socialstats.inference.proportions import clustered_share
from socialstats.inference.rows import with_share
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PlainSample, RowKey
from socialstats.sentences import estimate_text as estimated
from socialstats.text import count, quoted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@reads(Comparisons, scans=True)
def group_win_rates(
    comparisons: Comparisons | TableLike,
    groups: Mapping[str, Any],
    *,
    cluster: str | Sequence[str] | None = "auto",
    level: float = 0.95,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate the rate at which items of one group are chosen over items of another.

    Parameters
    ----------
    comparisons : Comparisons, data frame, mapping of columns, or path of a file
        With a ``by`` factor: one result a level.
    groups : mapping of item to group
        Of every item.
    cluster : str, sequence of str or None
        What is dependent. ``"auto"``: the declared clusters, else the pairs. ``"pair"``: all comparisons of the same
        two items. ``"declared"``, names of declared factors (two are taken as crossed), or None for independent rows.
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_comparisons`.

    Returns
    -------
    Result
        A row for each ordered pair of groups that met: `term` was chosen over `group`; a tie counts one half. Wilson's
        interval at the number of comparisons that would give the rate the variance of its clusters (Korn & Graubard
        1998), with Satterthwaite's t quantile.

    Raises
    ------
    InputError
        For items without a group, and unknown clusters.
    NothingToAnalyse
        If no two groups met.

    References
    ----------
    Korn, E. L., & Graubard, B. I. (1998). Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data. Survey Methodology, 24(2), 193-201.

    Examples
    --------
    >>> table = {"item_a": ["x", "x", "y", "z"], "item_b": ["y", "z", "z", "y"], "winner": ["x", "x", "z", "y"]}
    >>> result = group_win_rates(table, {"x": "one", "y": "two", "z": "two"}, cluster=None)
    >>> result.row("one", group="two").estimate
    1.0
    """
    return estimate(comparisons, groups=groups, cluster=cluster, level=checked_level(level))


def estimate(
    design: Comparisons, *, groups: Mapping[str, Any], cluster: Any, level: float
) -> Result:
    """Compute the rates of one design."""
    design, factors, stored = clustered_comparisons(design, settled_cluster(design, cluster))
    if missing := [item for item in design.items if item not in groups]:
        raise InputError(f"groups: no group of {quoted(missing)}; give every item one")
    labels = sorted({str(groups[item]) for item in design.items})
    code = np.array([labels.index(str(groups[item])) for item in design.items], dtype=np.int64)
    side_a = code[design.item_a]
    side_b = code[design.item_b]
    # share of wins of item_a, by cell; a tie is half a win
    share = np.where(design.outcome == TIED, 0.5, (design.outcome == A_WON).astype(float))
    rows = []
    # both directions, as each group has a row of its own against every other
    for i, j in permutations(range(len(labels)), 2):
        exchanged = (side_a == j) & (side_b == i)
        compared = exchanged | ((side_a == i) & (side_b == j))
        if not compared.any():
            continue
        weight = design.weight[compared]
        squares = design.weight_sq[compared]
        values = np.where(exchanged, 1 - share, share)[compared]
        codes = [f.codes[compared] for f in factors] if stored is None else stored.among(compared)
        # Kish's effective number of rows; probabilities of replies can vary less than any draws
        trials = float(weight.sum() ** 2 / squares.sum()) if design.replies is None else math.inf
        rate = clustered_share(
            values, weight, codes, trials=trials, level=level, alike=weight**2 / squares
        )
        key = ("group", labels[i]), ("other", labels[j])
        row = Row(term=labels[i], group=labels[j], key=key, role="estimate", limits=(0.0, 1.0))
        row = replace(row, estimate=rate.estimate, n=float(design.count[compared].sum()))
        rows.append(with_share(row, rate, level, clustered=bool(factors)))
    if not rows:
        raise NothingToAnalyse("no item was compared with one of another group")
    fit = {"nobs": design.n_rows, "method": "Wilson", **(cluster_facts(rows) if factors else {})}
    settings = {"cluster": [factor.name for factor in factors], "ci": "wilson", "level": level}
    cautions = share_cautions(design, factors, tuple(rows))
    counts = {"comparisons": design.n_rows, "groups": len(labels)}
    groups_of_items = {item: str(groups[item]) for item in design.items}
    return Result(
        metric="group_win_rates",
        title="Win rates between groups of items",
        rows=tuple(rows),
        inference=f"Wilson, {cluster_text(factors)}",
        counts=counts,
        fit=fit,
        settings=settings,
        cautions=cautions,
        references=METRIC.references,
        design=design,
        extras={"groups": groups_of_items},
    )


def sentence(result: Result) -> str:
    """Return the largest rate as a sentence."""
    best = max(result.rows, key=lambda r: r.estimate or 0)
    winner = shorten(best.term)
    loser = shorten(best.group or "")
    return (
        f"The most one-sided pair of groups was {winner} over {loser}: {winner} won at a rate of "
        f"{estimated(best)} (n = {count(best.n or 0, 'comparison')})."
    )


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the rates as a matrix."""
    from socialstats.figures import heat

    return heat(result.rows, ax=ax, **options)


def samples_of_two_groups(result: Result) -> Iterator[PlainSample]:
    """Yield the comparisons between two groups, each with the score of the first: 1, one half of a tie, or 0."""
    design = result.design.whole()
    named = {factor.name: factor for factor in (*design.clusters, design.pair)}
    factors = [named[name] for name in result.settings["cluster"]]
    groups = np.array([result.extras["groups"][item] for item in design.items])
    of_a, of_b = groups[design.item_a], groups[design.item_b]
    score = np.array([1.0, 0.0, 0.5])[design.outcome]
    # replies give probabilities: each cell is a part of one reply
    count = design.count if design.replies is None else np.ones(len(design.count))
    even = bool(np.allclose(design.weight**2, design.weight_sq * count))
    for row in result.rows:
        first = (of_a == row.term) & (of_b == row.group)
        second = (of_b == row.term) & (of_a == row.group)
        at = first | second
        values = np.where(first, score, 1 - score)[at]
        weight, total = (design.weight / count)[at], float(design.weight[at].sum())
        # where independent comparisons weigh unevenly, only their sums are known
        if not at.any() or not (factors or even):
            continue
        answers = math.inf
        if design.replies is None:
            answers = total**2 / float(design.weight_sq[at].sum())
        key = (row.group, row.term)
        alike = np.column_stack([values, weight])
        yield PlainSample(
            count=count[at],
            plain=mean_of_weighed(key, values, weight),
            factors=tuple(factor.take(at) for factor in factors),
            alike=alike,
            counted={key: weight},
            answers={key: answers},
            unbiased=True,
        )


def mean_of_weighed(
    key: RowKey, values: FloatArray, weight: FloatArray
) -> Callable[[FloatArray], dict[RowKey, float]]:
    """Return the plain definition of one weighted mean."""

    def estimate_of(count: FloatArray) -> dict[RowKey, float]:
        mass = count * weight
        return {key: float(mass @ values / mass.sum())}

    return estimate_of


METRIC = Metric(
    name="group_win_rates",
    title="Win rates between groups of items",
    design="comparisons",
    function=group_win_rates,
    sentence=sentence,
    plot=plot,
    definition=Definition(samples=samples_of_two_groups),
    estimand="Probability that an item of one group is chosen over an item of another, in the comparisons made.",
    assumptions=(
        "clusters (by default pairs of items) are independent",
        "a tie counts as half a win for each side",
    ),
    references=("wilson1927", "korngraubard1998", "bellmccaffrey2002"),
    swap="invariant",
)

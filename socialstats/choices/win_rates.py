"""Win rates of items: over all comparisons, or by higher, equal and lower urgency."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats.arrays import AnyArray, BoolArray, FloatArray, IntArray, unique_rows
from socialstats.choices.conditions import (
    CONDITIONS,
    ConditionTable,
    Weighting,
    condition_table,
    table_cautions,
    win_rates_of_sums,
)
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import Factor
from socialstats.designs.scan import StoredClusters
from socialstats.errors import UndefinedStatistic
from socialstats.inference.dependence import (
    cluster_facts,
    cluster_text,
    clustered_comparisons,
    settled_cluster,
    share_cautions,
)
from socialstats.inference.intervals import checked_level
from socialstats.inference.means import effective_trials, mean_errors
from socialstats.inference.proportions import ONE_CLUSTER, wilson
from socialstats.inference.rows import with_ends
from socialstats.paired.peers import wilson_ends
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PeerNumbers, PlainSample, RowKey
from socialstats.results.rows import lowest_and_highest
from socialstats.sentences import estimate_text as estimated
from socialstats.text import count, listing
from socialstats.voice import check_allowed, option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Ci = Literal["cluster", "wilson"]
CIS: tuple[str, ...] = get_args(Ci)
ALL = "all"
PLAIN, DEFAULT = "win rate", "urgency"
NONE_THERE = "no comparison under this condition"
HALF = "no interval: each comparison of equals is a win for one item and a loss for another, so 1/2 by design"
NEAR_HALF = (
    "no interval: each comparison of equals is a win and a loss, so this mean differs from 1/2 only by items' numbers "
    "of opponents"
)


@reads(Comparisons, scans=True, square=True)
def win_rates(
    comparisons: Comparisons | TableLike,
    covariate: str | None = "auto",
    *,
    weights: Weighting = "opponent",
    cluster: str | Sequence[str] | None = "auto",
    ci: Ci = "cluster",
    level: float = 0.95,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate the rate at which each item wins; with a covariate, where its own is higher, equal or lower.

    p(i) = (1/J) sum over opponents j of Pr(i beats j). With a covariate, p(i | l) has Pr(i beats j | condition l), l in
    {higher, equal, lower}: the condition compares the item's own covariate with its opponent's. Every comparison counts
    for both items.

    Parameters
    ----------
    comparisons : Comparisons, data frame, mapping of columns, or path of a file
        A covariate has a number for each side. With a ``by`` factor: one result a level.
    covariate : str or None
        None: rates over all comparisons. ``"auto"``: the covariate ``urgency`` where the design has it, else None.
    weights : {"opponent", "pooled"}
        Mean over opponents (each counts the same), or over comparisons.
    cluster : str, pair of str or None
        What is dependent. ``"auto"``: the declared clusters, else the pairs. ``"pair"``: all comparisons of the same
        two items. ``"declared"``, names of declared factors (two are taken as crossed), or None for independent rows.
        Used by ``ci="cluster"``.
    ci : {"cluster", "wilson"}
        ``"wilson"``: rows independent, n effective comparisons (sum of weights)^2 / sum of squared weights. n is the
        count itself when every opponent was met equally often, and for pooled unweighted rows.
        ``"cluster"``: Wilson's formula with n = p(1-p) / (CR2 variance of the linearised rate), between 1 and the
        former n, and a t quantile with Satterthwaite's degrees of freedom of each rate (column `df`). n has no upper
        limit for the pooled rate of all items, as what a pair adds to one direction it takes off the other. Nor has it
        one for probabilities, which vary less than drawn winners; ``"wilson"`` is refused there.
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_comparisons`.

    Returns
    -------
    Result
        Without a covariate: term = item, group = ``"win rate"``. With one: also the term ``"all"`` (mean over items, or
        over comparisons when pooled), and group = ``"higher"``, ``"equal"``, ``"lower"``. The estimate lies in [0, 1];
        n = comparisons; n_units = opponents.
        A condition without comparisons is undefined, never 0. A tie counts one half (caution SS105).

    Raises
    ------
    InputError
        For an unknown option, covariate or cluster, or a covariate that is not numeric.
    NothingToAnalyse
        If there is no comparison.

    Notes
    -----
    Coverage of nominal 95% intervals of single items was simulated 250 times each (24 items with 18 opponents, 9
    comparisons per pair). ``"cluster"`` covered .97 to .985. ``"wilson"`` covered .945 to .967 when comparisons are
    independent, .915 to .930 when pairs differ by an effect of SD 1 on the logit scale. With 5 and 10 items, pairs of
    very unequal numbers of comparisons and an effect of SD 1.5, pooled: ``"cluster"`` .993 to .995 and .955 to .959.
    Single items of 4 or 6 items, each in 3 or 5 pairs: .99 to 1.00, as Satterthwaite's degrees of freedom are few.
    Pooled rate of all items, all pairs x 6 of 4 to 20 items, pair effects of SD 0 and 1: .95 to .98 (4,000 each).

    References
    ----------
    Wilson, E. B. (1927). doi:10.1080/01621459.1927.10502953
    Korn, E. L., & Graubard, B. I. (1998). Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data. Survey Methodology, 24(2), 193-201.
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.

    Examples
    --------
    >>> from socialstats.datasets import role_conflict
    >>> result = win_rates(role_conflict(), covariates=["urgency"])
    >>> sorted({row.group for row in result.rows})
    ['equal', 'higher', 'lower']
    >>> result.row("all", group="higher").estimate > 0.5
    True
    >>> plain = win_rates({"item_a": ["x", "y", "x"], "item_b": ["y", "z", "z"], "winner": ["x", "z", "x"]})
    >>> [(row.term, row.estimate) for row in plain.rows]
    [('x', 1.0), ('y', 0.0), ('z', 0.5)]
    """
    check_allowed("ci", ci, CIS)
    settings = {
        "covariate": covariate,
        "weights": weights,
        "cluster": cluster,
        "ci": ci,
        "level": checked_level(level),
    }
    return estimate(comparisons, settings)


def estimate(design: Comparisons, settings: dict[str, Any]) -> Result:
    """Compute the win rates of one design."""
    if design.replies is not None and settings["ci"] == "wilson":
        raise UndefinedStatistic(
            f"{option('ci', 'wilson')} takes winners as drawn, and here they are probabilities; "
            f"leave {option('ci', 'cluster')}"
        )
    factors: tuple[Factor, ...] = ()
    stored = None
    # settings of the result say what "auto" was taken for
    settings = settings | {"cluster": settled_cluster(design, settings["cluster"])}
    if settings["covariate"] == "auto":
        settings["covariate"] = DEFAULT if DEFAULT in design.covariates else None
    if settings["ci"] == "cluster":
        design, factors, stored = clustered_comparisons(design, settings["cluster"])
    table = condition_table(design, settings["covariate"], settings["weights"])
    rows = rate_rows(design, table, factors, settings, stored)
    over = "opponents" if settings["weights"] == "opponent" else "comparisons"
    conditional = f"Conditional win rates by {settings['covariate']}"
    title = "Win rates" if settings["covariate"] is None else conditional
    counts = {
        "comparisons": design.n_rows,
        "items": len(design.items),
        "pairs": len(design.pair.levels),
    }
    fit = {
        "nobs": design.n_rows,
        "method": settings["ci"],
        **(cluster_facts(rows) if factors else {}),
    }
    cautions = (
        *table_cautions(design, table, settings["covariate"]),
        *share_cautions(design, factors, rows),
    )
    return Result(
        metric="win_rates",
        title=f"{title}, mean over {over}",
        inference=f"Wilson intervals, {cluster_text(factors)}",
        rows=rows,
        counts=counts,
        fit=fit,
        settings=settings,
        cautions=cautions,
        references=METRIC.references if settings["ci"] == "cluster" else ("wilson1927",),
        design=design,
    )


def rate_rows(
    design: Comparisons,
    table: ConditionTable,
    factors: Sequence[Factor],
    settings: dict[str, Any],
    stored: StoredClusters | None = None,
) -> tuple[Row, ...]:
    """Rows of every item and condition, then of all items together."""
    n_items, level = len(design.items), settings["level"]
    sums = np.asarray(table.statistics.sum(axis=0), dtype=np.float64)
    p_items, n_items_eff = (x[0] for x in win_rates_of_sums(sums[None, :], n_items))
    by_statistic = sums.reshape(3, 3, n_items)  # (statistics, conditions, items)
    pool, p_all, n_all = overall_rates(by_statistic, p_items, n_items_eff, settings["weights"])
    # (3 items + 3,): conditions x items, then the conditions of all items together
    p = np.concatenate([p_items.ravel(), p_all])
    trials = np.concatenate([n_items_eff.ravel(), n_all])
    errors, effective, variance, method = None, trials, p * (1 - p) / trials, "Wilson"
    if settings["ci"] == "cluster":
        method = "Wilson, cluster-adjusted"
        pooled = settings["weights"] == "pooled"
        scores, shares = linear_scores(table, sums, p_items, pool, p_all if pooled else None)
        # rows of a cell that differ in weight count as (sum w)^2 / sum w^2 alike ones (Kish 1965)
        alike = None if factors else design.weight**2 / design.weight_sq
        rate_errors = mean_errors(
            scores, shares, stored or [f.codes for f in factors], alike, size=1.0
        )
        # probable winners vary less than drawn ones: their number is no bound
        most_trials = trials.copy() if design.replies is None else np.full(len(p), np.inf)
        if pooled and factors:
            # a pair's preference adds to one direction what it takes off the other
            most_trials[-3:] = np.inf
        effective = effective_trials(p, rate_errors, most_trials)
        variance = np.where(np.isnan(rate_errors.std_error), 0.0, rate_errors.variance)
        errors = rate_errors if factors else None
    low, high = wilson(p, effective, level=level, df=None if errors is None else errors.df)
    # each comparison counts once: unequal ones as higher and as lower
    higher, equal, lower = table.rows.sum(axis=1)
    n = np.concatenate([table.rows.ravel(), [higher, equal / 2, lower]])
    opponents = np.concatenate([table.opponents.ravel(), np.full(3, n_items)])

    def row_of(k: int, item: str | None, condition: str) -> Row:
        """Make row k of the arrays, with the reason where the rate or its interval does not exist."""
        why = ""
        if np.isnan(p[k]):
            why = NONE_THERE
        elif item is None and condition == "equal":
            why = HALF if abs(p[k] - 0.5) < 1e-12 else NEAR_HALF
        elif np.isnan(low[k]):
            why = ONE_CLUSTER
        of_item = () if item is None else (("item", item),)
        key, has_error = (*of_item, ("condition", condition)), not why and variance[k] > 0
        row = Row(term=ALL if item is None else item, group=condition, key=key, role="estimate")
        row = replace(row, n=float(n[k]), n_units=int(opponents[k]), method=method)
        row = replace(row, limits=(0.0, 1.0))
        if not np.isnan(p[k]):
            row = replace(row, estimate=float(p[k]))
        if has_error:
            row = replace(row, std_error=float(np.sqrt(variance[k])))
        if errors is not None:
            row = replace(
                row, n_clusters=int(errors.clusters[k]), leverage=float(errors.largest[k])
            )
            if not why:
                row = replace(row, df=float(errors.df[k]), effective=float(effective[k]))
        return with_ends(row, float(low[k]), float(high[k]), level, why=why, interval="score")

    if settings["covariate"] is None:
        return tuple(
            replace(row_of(n_items + i, item, CONDITIONS[1]), group=PLAIN, key=(("item", item),))
            for i, item in enumerate(design.items)
        )
    rows = [
        row_of(j * n_items + i, item, name)
        for i, item in enumerate(design.items)
        for j, name in enumerate(CONDITIONS)
    ]
    return (*rows, *(row_of(3 * n_items + j, None, name) for j, name in enumerate(CONDITIONS)))


def overall_rates(
    sums: FloatArray, p: FloatArray, n: FloatArray, weights: Weighting
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Win rates of all items together.

    Parameters
    ----------
    sums : (3 statistics, 3 conditions, items) float64 array
    p, n : (3, items) float64 arrays

    Returns
    -------
    pool : (3, items) float64 array
        Weight of each item's rate in the overall rate; sums to 1 over items.
    p_all, n_all : (3,) float64 arrays
        NaN under a condition that nobody met.
    """
    met = sums[1] > 0
    mass = np.where(met, 1.0, 0.0) if weights == "opponent" else sums[1]
    with np.errstate(invalid="ignore"):
        pool = mass / mass.sum(axis=1, keepdims=True)
    low, high = (
        end(p, axis=1, where=met, initial=start) for end, start in ((np.min, 1.0), (np.max, 0.0))
    )
    # rounding must not put a mean beyond its parts: the mean of ones is 1
    means = np.where(met, pool * p, 0.0).sum(axis=1)
    means = np.clip(means, low, np.maximum(low, high))
    p_all = np.where(met.any(axis=1), means, np.nan)
    # variance of the mean in units of p (1 - p): 1 over it is the effective number of comparisons
    noise = np.where(met, pool**2 / n, 0.0).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return pool, p_all, np.where(met.any(axis=1), 1 / noise, np.nan)


def linear_scores(
    table: ConditionTable,
    sums: FloatArray,
    p: FloatArray,
    pool: FloatArray,
    p_all: FloatArray | None = None,
) -> tuple[Any, Any]:
    """Scores of each cell on each rate and on the overall rates, and the cell's share of their weights.

    Linearised ratio: (wins - p weight) / total weight (Taylor expansion of wins/weight). The mean over items is one of
    ratios. The rate over comparisons is one ratio, around `p_all`: weights of items vary with the pairs.

    Parameters
    ----------
    table : ConditionTable
    sums : (9 items,) float64 array
    p, pool : (3, items) float64 arrays
        Rates, and their weights in the overall rates.
    p_all : (3,) float64 array, optional
        Overall rates over comparisons; None for means over items.

    Returns
    -------
    scores, shares : (cells, 3 items + 3) sparse arrays
    """
    from scipy.sparse import block_diag, csr_array, hstack

    k = p.size
    wins, weight = table.statistics[:, :k], table.statistics[:, k : 2 * k]
    # a rate without comparisons has no weight and no share
    total = sums[k : 2 * k]
    scale = np.where(total > 0, 1 / np.where(total > 0, total, 1.0), 0.0)[None, :]
    # (3 items, 3): column l has the weights of the items' rates under condition l
    pooling = block_diag(
        [csr_array(column) for column in np.nan_to_num(pool)[:, :, None]], format="csr"
    )

    def scores_around(centre: FloatArray) -> Any:
        return csr_array(
            (wins - weight.multiply(np.nan_to_num(centre.ravel())[None, :])).multiply(scale)
        )

    item_scores, item_shares = scores_around(p), csr_array(weight.multiply(scale))
    overall_scores = item_scores
    if p_all is not None:
        overall_scores = scores_around(np.repeat(p_all[:, None], p.shape[1], axis=1))
    scores = hstack([item_scores, csr_array(overall_scores @ pooling)], format="csr")
    return scores, hstack([item_shares, csr_array(item_shares @ pooling)], format="csr")


def sentence(result: Result) -> str:
    """Return who won most and least often, or how often the side with the higher and the lower covariate won."""
    name = result.settings["covariate"]
    if name is None:
        bottom, top = lowest_and_highest([row for row in result.rows if row.estimate is not None])
        most, least = (
            f"{listing([row.term for row in end], 3)} ({estimated(end[0])})"
            for end in (top, bottom)
        )
        return (
            f"Of {count(len(result.rows), 'item')}, {most} won most often and {least} least often."
        )
    of_all = {row.label("condition"): row for row in result.rows if row.label("item") is None}
    higher, lower = of_all["higher"], of_all["lower"]
    if higher.estimate is None or lower.estimate is None:
        return f"No comparison had two different values of {name}, so the win rates by {name} are undefined."
    rate, below = (estimated(row) for row in (higher, lower))
    averaged = (
        ", averaged over opponents and items" if result.settings["weights"] == "opponent" else ""
    )
    return (
        f"The item with the higher {name} won at a rate of {rate}{averaged} "
        f"(n = {count(higher.n or 0, 'comparison')} with unequal {name}). "
        f"The item with the lower {name} won at a rate of {below}."
    )


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw one line an item with its three win rates and their targets, or a forest of its only rate."""
    from socialstats.figures import dumbbell, forest

    if result.settings["covariate"] is None:
        return forest(result.rows, ax=ax, **{"xlabel": "Win rate", **options})
    return dumbbell(result.rows[:-3], ax=ax, **options)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RateRecords:
    """Two records of each comparison, one for each of its items; a comparison may stand for several alike ones.

    Attributes
    ----------
    cell : (records,) int64 array
        The comparison.
    item, opponent : (records,) int64 arrays
    score : (records,) float64 array
    condition : (records,) object array
        How the covariate of the item is to that of the opponent; the group of the rows without a covariate.
    count, weight, squares : (records,) float64 arrays
        Alike comparisons, their weights and squared weights added up.
    """

    cell: IntArray
    item: IntArray
    opponent: IntArray
    score: FloatArray
    condition: AnyArray
    count: FloatArray
    weight: FloatArray
    squares: FloatArray

    @classmethod
    def of(cls, design: Comparisons, covariate: str | None) -> RateRecords:
        """Read the comparisons of a design."""
        cells = np.arange(len(design.count))
        # replies give probabilities: each cell is a part of one reply
        count = design.count if design.replies is None else np.ones(len(cells))
        # independent alike comparisons are single ones
        times = np.ones(len(cells), dtype=np.int64) if design.weighted else count.astype(np.int64)
        cells = np.repeat(cells, times)
        score = np.array([1.0, 0.0, 0.5])[design.outcome][cells]
        a, b = design.item_a[cells], design.item_b[cells]
        condition = np.full(2 * len(cells), PLAIN, dtype=object)
        if covariate is not None:
            sides = design.covariates[covariate]
            sign = np.sign(sides.a.astype(np.float64) - sides.b.astype(np.float64))[cells]
            names = np.array(["lower", "equal", "higher"], dtype=object)
            condition = names[np.concatenate([sign, -sign]).astype(np.int64) + 1]
        count, weight, squares = (
            np.tile(x[cells] / times[cells], 2) for x in (count, design.weight, design.weight_sq)
        )
        return cls(
            cell=np.tile(cells, 2),
            item=np.concatenate([a, b]),
            opponent=np.concatenate([b, a]),
            score=np.concatenate([score, 1 - score]),
            condition=condition,
            count=count,
            weight=weight,
            squares=squares,
        )

    def shares(self, at: BoolArray, weights: Weighting) -> FloatArray:
        """Return the part of each record in the rate of its item: by its weight, or as large for each opponent."""
        weight, item = self.weight[at], self.item[at]
        if weights == "opponent":
            of_couple = unique_rows(np.column_stack([item, self.opponent[at]]))[2]
            weight = weight / np.bincount(of_couple, weight)[of_couple]
            return weight / np.bincount(item, weight)[item]
        return weight


def samples_of_rates(result: Result) -> Iterator[PlainSample]:
    """Yield the records of each item, then of all items: the mean score, or the mean of those of the items."""
    design, settings = result.design.whole(), result.settings
    factors = list(design.factors(settings["cluster"]))
    # where independent comparisons weigh unevenly, only their sums are known
    if settings["ci"] == "wilson" or (design.weighted and not factors):
        return
    records = RateRecords.of(design, settings["covariate"])
    if not factors:
        each = np.arange(len(records.cell) // 2)
        factors = [Factor(name="comparison", codes=np.tile(each, 2), levels=())]
    else:
        factors = [replace(factor, codes=factor.codes[records.cell]) for factor in factors]
    for row in result.rows:
        key, at, share, group = rate_of_row(design, records, row, settings["weights"])
        if not at.any():
            continue
        pooled_all = row.term == ALL and settings["weights"] == "pooled"
        answers = math.inf
        if design.replies is None and not (pooled_all and settings["cluster"]):
            answers = effective_comparisons(records, at, share)
        score, count_of_cell = records.score[at], records.count[at]
        weight = share / count_of_cell
        yield PlainSample(
            count=count_of_cell,
            plain=mean_of_items(key, score, weight, group),
            factors=tuple(replace(factor, codes=factor.codes[at]) for factor in factors),
            alike=np.column_stack([score, weight, group]),
            counted={key: weight},
            answers={key: answers},
        )


def rate_of_row(
    design: Comparisons, records: RateRecords, row: Row, weights: Weighting
) -> tuple[RowKey, BoolArray, FloatArray, IntArray]:
    """Return the key of a row, its records, their shares in the rate, and the item of each whose rates are averaged."""
    at = records.condition == row.group
    everyone = row.term == ALL and ALL not in design.items
    if not everyone:
        at &= records.item == design.items.index(row.term)
    share, item = records.shares(at, weights), records.item[at]
    if not everyone or weights == "pooled":
        item = np.zeros(len(item), dtype=np.int64)
    return (row.group, row.term), at, share, np.unique(item, return_inverse=True)[1].ravel()


def mean_of_items(
    key: RowKey, score: FloatArray, share: FloatArray, item: IntArray
) -> Callable[[FloatArray], dict[RowKey, float]]:
    """Return the plain definition of a mean of the mean scores of items."""

    def estimate_of(count: FloatArray) -> dict[RowKey, float]:
        mass = count * share
        return {key: float(np.mean(np.bincount(item, mass * score) / np.bincount(item, mass)))}

    return estimate_of


def effective_comparisons(records: RateRecords, at: BoolArray, share: FloatArray) -> float:
    """Return how many equal comparisons a rate is worth."""
    part = share / share.sum() / records.weight[at]
    return 1 / float(records.squares[at] @ part**2)


def ask_for_wilson(result: Result) -> Iterator[PeerNumbers]:
    """statsmodels' intervals of independent comparisons; only rates where these have uneven weights."""
    design, settings = result.design.whole(), result.settings
    wilson_is_asked = settings["ci"] == "wilson"
    if not (wilson_is_asked or (design.weighted and not design.factors(settings["cluster"]))):
        return
    records = RateRecords.of(design, settings["covariate"])
    for row in result.rows:
        key, at, share, group = rate_of_row(design, records, row, settings["weights"])
        if not at.any():
            continue
        definition = mean_of_items(key, records.score[at], share / records.count[at], group)
        rate = definition(records.count[at])[key]
        yield PeerNumbers(package="numpy", row=key, numbers={"estimate": rate})
        if wilson_is_asked and row.has_interval:
            n = effective_comparisons(records, at, share)
            yield PeerNumbers(
                package="statsmodels",
                row=key,
                numbers={"std_error": math.sqrt(rate * (1 - rate) / n)},
                ends=wilson_ends(rate * n, n, settings["level"]),
            )


METRIC = Metric(
    name="win_rates",
    title="Win rates",
    design="comparisons",
    function=win_rates,
    sentence=sentence,
    plot=plot,
    definition=Definition(samples=samples_of_rates, peers=ask_for_wilson),
    estimand="Probability that an item wins, also where its covariate is higher than, equal to or below the other's.",
    assumptions=(
        "clusters (by default pairs of items) are independent",
        "a tie counts as half a win for each side",
    ),
    references=("wilson1927", "korngraubard1998", "bellmccaffrey2002"),
    swap="invariant",
)

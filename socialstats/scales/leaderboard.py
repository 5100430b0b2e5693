"""Leaderboard: mean scores of models on the same units, all differences, ranks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from socialstats.agreement.rating_tables import level_table
from socialstats.arrays import BoolArray, FloatArray, IntArray, unique_rows
from socialstats.choices.bradley_terry.covariance import (
    SAME,
)
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.model_scores import model_scores
from socialstats.designs.nouns import MODEL, noun_of, unit_noun
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, caution
from socialstats.inference.clustered_mean import ClusteredMean, skewness_statistic
from socialstats.inference.compare import HOLM, rows_with_holm
from socialstats.inference.dependence import (
    cluster_facts,
    cluster_text,
    rare_answers,
    shape_cautions,
    share_cautions,
    small_sample_caution,
)
from socialstats.inference.intervals import checked_level
from socialstats.inference.means import MeanErrors
from socialstats.inference.proportions import effective_share_interval, wilson
from socialstats.inference.rows import share_ci, with_ends, with_t
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PlainSample, RowKey
from socialstats.results.plots import rows_of_group
from socialstats.results.rows import (
    negate_row,
    rescaled_row,
    undefined_text,
)
from socialstats.rounding import no_variation_reason
from socialstats.scales.board_ranks import LeaderboardResult
from socialstats.scales.score_boards import (
    DIFFERENCE,
    MEAN,
    NOBODY,
    POOLINGS,
    SHARED,
    TASK,
    Board,
    minus,
    score_board,
)
from socialstats.scales.stratified_means import Strata, StratifiedMeans
from socialstats.sentences import (
    difference,
    estimate_text,
    is_significant,
    tied_first,
)
from socialstats.text import (
    count,
    listing,
    number,
    plural_of,
    shorten,
    shortened,
)
from socialstats.voice import check_allowed, option

if TYPE_CHECKING:
    from matplotlib.axes import Axes


OTHER = {"tasks": "mean over units", "units": "mean over tasks"}  # beside each pooling
WEIGHED = {"tasks": "tasks weighted equally", "units": "units weighted equally"}


def task_group(task: str) -> str:
    """Return the group of the means of one task."""
    return f"task: {task}"


def model_mean_rows(
    board: Board, group: str, pooling: str, units: BoolArray, *key: tuple[str, str]
) -> list[Row]:
    """Means of all models over their own units among some; of shares over several tasks with `outer_ends`.

    Parameters
    ----------
    board : Board
    group : str
        Of the rows.
    pooling : {"tasks", "units"}
    units : (units,) bool array
    *key : (dimension, label)
        What tells these rows from other means of the same models.
    """
    rows = [
        mean_or_difference_row(
            board,
            Row(term=model, group=group, role="estimate", key=(("model", model), *key)),
            (k,),
            pooling,
            units,
        )
        for k, model in enumerate(board.models)
    ]
    tasks = np.unique(board.task[units])
    if not board.shares or len(tasks) < 2:
        return rows
    rows_by_task = [
        model_mean_rows(board, "", "units", units & (board.task == task)) for task in tasks
    ]
    return [
        outer_ends(row, by_task, pooling, board.level)
        for row, *by_task in zip(rows, *rows_by_task, strict=True)
    ]


def outer_ends(row: Row, rows_of_tasks: Sequence[Row], pooling: str, level: float) -> Row:
    """Give a mean of shares over several tasks the wider limits of two intervals: pooled, and of those of the tasks.

    With weights w_t and shares p_t with ends l_t and u_t, the latter are p - root of sum w_t^2 (p_t - l_t)^2 and p +
    root of sum w_t^2 (u_t - p_t)^2 (Zou, Huang & Zhang 2009). A small task with equal answers keeps the width that its
    number of units gives it. These alone held .89 of ten tasks of ten units with shares near 1. The pooled ones alone
    held .65 to .89 where a task of 3 to 20 units weighs as much as one of 100 to 1,000.

    References
    ----------
    Zou, G. Y., Huang, W., & Zhang, X. (2009). A note on confidence interval estimation for a linear function of
    binomial proportions. doi:10.1016/j.csda.2008.09.033
    """
    tasks = [part for part in rows_of_tasks if part.estimate is not None]
    if row.conf_low is None or row.conf_high is None or len(tasks) < 2:
        return row
    if any(task.conf_low is None for task in tasks):
        return row
    columns = [(task.estimate, task.conf_low, task.conf_high, task.n) for task in tasks]
    p, low, high, n = np.array(columns, dtype=float).T
    w = np.full(len(tasks), 1 / len(tasks)) if pooling == "tasks" else n / n.sum()
    # MOVER of a weighted sum (Zou, Huang & Zhang 2009)
    lower = float(w @ p - np.sqrt(w**2 @ (p - low) ** 2))
    upper = float(w @ p + np.sqrt(w**2 @ (high - p) ** 2))
    low_end, high_end = min(lower, row.conf_low), max(upper, row.conf_high)
    return with_ends(row, low_end, high_end, level, within=(0.0, 1.0), interval="outer_ends")


def model_difference_rows(board: Board) -> list[Row]:
    """Differences of all pairs of models on the units that both have, with p adjusted by Holm."""
    rows = []
    for pair in combinations(range(len(board.models)), 2):
        first, second = (board.models[k] for k in pair)
        row = Row(
            term=f"{first} - {second}",
            group=DIFFERENCE,
            role="difference",
            key=(("model", first), ("minus", second)),
        )
        rows.append(mean_or_difference_row(board, row, pair, board.pooling, board.every))
    return rows_with_holm(rows, HOLM)


def cluster_weights(strata: Strata) -> FloatArray:
    """Return the share of a mean over strata that each cluster holds."""
    # each unit has its task's weight over the units of the task
    share = (strata.weights / np.bincount(strata.stratum))[strata.stratum]
    return np.asarray(np.bincount(np.unique(strata.cluster, return_inverse=True)[1], share))


def mean_or_difference_row(
    board: Board, row: Row, models: Sequence[int], pooling: str, units: BoolArray
) -> Row:
    """Fill in the mean of one model, or the difference of two with its t test, on their units (of some)."""
    part = board.part(models, pooling, units)
    inside, strata, means = part.units, part.strata, part.of(models)
    n, single = int(inside.sum()), len(models) == 1
    row = replace(row, n=float(n), n_units=n)
    if board.factors:
        row = replace(row, n_clusters=len(np.unique(board.cluster[inside])))
    if isinstance(strata, str) or means is None:
        why = NOBODY if not n and not single else str(strata)
        return replace(row, undefined=why, reason="no_data")
    if board.factors:
        row = replace(row, leverage=float(cluster_weights(strata).max()))
    wilson_ends = board.shares and single
    method = interval_method(board, inside, pooling, wilson_ends)
    row = replace(row, estimate=float(means.estimate[0]), method=method)
    if board.shares:
        row = replace(row, limits=(0.0 if single else -1.0, 1.0))
    if means.undefined:
        return replace(row, undefined=means.undefined)
    error = float(means.std_error(board.magnitude)[0])
    no_error = math.isnan(error)
    if wilson_ends:
        values = board.values[inside, models[0]]
        if no_error:  # Wilson's interval exists without an error
            return wilson_row(board, row, values, strata, 0.0, means.df)
        return wilson_row(board, replace(row, std_error=error), values, strata, error, means.df)
    if no_error:
        values = minus([board.values[inside, k] for k in models])
        why = constant(values, "scores" if single else "differences")
        return replace(row, undefined=why, reason="no_variation")
    board.shapes[row.name] = skewed_mean(means, error, n, row.n_clusters)
    if single:
        return replace(with_t(row, error, means.df, board.level, test=False), df=means.df)
    limit = 1.0 if board.shares else math.inf
    return with_t(row, error, means.df, board.level, within=(-limit, limit))


def skewed_mean(
    means: StratifiedMeans, error: float, units: int, clusters: int | None
) -> ClusteredMean:
    """Return a mean (difference) with the skewness of what its units or clusters add."""
    return ClusteredMean(
        mean=float(means.estimate[0]),
        sd=math.nan,
        std_error=error,
        df=means.df,
        n=units,
        kind="CR2",
        clusters=() if clusters is None else (clusters,),
        skewness=skewness_statistic(means.influence[:, 0], np.ones(len(means.influence))),
    )


def wilson_row(
    board: Board, row: Row, values: FloatArray, strata: Strata, error: float, df: float
) -> Row:
    """Fill in Wilson's interval: of n independent yes-or-no scores of one task, else of effective scores.

    Those are p(1 - p) / s.e.^2 with a t quantile (Korn & Graubard 1998). Yes-or-no scores in clusters never count as
    more than independent ones with the tasks' weights: 1 / sum of w_t^2 / n_t (Kish 1965). Without variance each
    unit (cluster) is one score: 1 / sum of squared shares of the clusters.
    """
    sizes, shares = np.bincount(strata.stratum), cluster_weights(strata)
    p, yes_no = np.array([row.estimate], dtype=np.float64), bool(np.isin(values, (0.0, 1.0)).all())
    # independent yes-or-no scores of one task: Wilson's interval as it is, with the normal quantile
    if len(sizes) == 1 and not board.factors and yes_no:
        low, high = wilson(p, np.array([float(len(shares))]), level=board.level)
        return with_ends(row, float(low[0]), float(high[0]), board.level, interval="score")
    errors = MeanErrors.of_statistic(
        variance=error**2,
        df=df,
        clusters=float(len(shares)),
        effective=1 / float(shares @ shares),
        largest=float(shares.max()),
    )
    most = 1 / float((strata.weights**2 / sizes).sum()) if board.factors and yes_no else math.inf
    low, high, n = effective_share_interval(p, errors, most, level=board.level)
    effective = float(n[0]) if board.factors else None
    return with_ends(
        row,
        float(low[0]),
        float(high[0]),
        board.level,
        df=df,
        effective=effective,
        interval="score",
    )


def constant(values: FloatArray, what: str) -> str:
    """State that values show no variation, or none between clusters."""
    if np.ptp(values) == 0:
        return f"all {count(len(values))} {what} are equal: no standard error, no test"
    return no_variation_reason("clusters within tasks")


def interval_method(board: Board, units: BoolArray, pooling: str, wilson_ends: bool) -> str:
    """Name interval or test, and what weighs how much."""
    kind = "Wilson" if wilson_ends else "t"
    clusters = f", clusters of {board.factors[0].name} (CR2)" if board.factors else ""
    several = len(np.unique(board.task[units])) > 1
    joined = " by task" if several and wilson_ends else ""
    return f"{kind}{joined}{clusters}" + (f", {WEIGHED[pooling]}" if several else "")


def ordered(rows: list[Row]) -> list[Row]:
    """Return the rows that have an estimate, the highest first; equal ones in the order given."""
    return sorted((r for r in rows if r.estimate is not None), key=lambda r: -(r.estimate or 0.0))


def difference_of(result: Result, first: str, second: str) -> Row:
    """Return the difference of two models, the first minus the second, whichever way the result has it."""
    by_models = {
        (r.label("model"), r.label("minus")): r for r in result.rows if r.group == DIFFERENCE
    }
    if (first, second) in by_models:
        return by_models[first, second]
    row = by_models[second, first]
    key = (("model", first), ("minus", second))
    return replace(negate_row(row), term=f"{first} - {second}", key=key)


def over(result: Result) -> str:
    """Return the units and tasks of the means."""
    n = result.counts
    tasks = (
        f" of {count(n['tasks'], 'task')}, {WEIGHED[result.settings['pooling']]}"
        if "tasks" in n
        else ""
    )
    return f"{count(n['units'], result.extras['unit'])}{tasks}"


def sentence(result: Result) -> str:
    """Return which model has the highest mean score, its lead over the next, and from how many others it differed."""
    means, noun = [row for row in result.rows if row.group == MEAN], str(result.extras["noun"])
    ranked, n = ordered(means), count(len(means), noun)
    if not ranked:
        return f"No {noun} has a mean score ({undefined_text(means)})."
    best, name = ranked[0], shorten(ranked[0].term)
    gaps = [difference_of(result, best.term, row.term) for row in ranked[1:]]
    score_text = f"{estimate_text(best)}; {over(result)}"
    tied = [row.term for row in ranked if (best.estimate or 0.0) - (row.estimate or 0.0) <= SAME]
    if len(tied) > 1:
        return tied_first(
            shortened(tied), len(means), noun, f"mean score {number(best.shown())}; {over(result)}"
        )
    text = f"{name} had the highest mean score of {n} ({score_text}). "
    if not gaps:
        return f"{text}No other {noun} has a mean score."
    shared = "" if gaps[0].n == best.n == ranked[1].n else " on shared units"
    text += difference(f"the mean score{shared}", name, shorten(ranked[1].term), gaps[0])
    tested = [row for row in gaps if row.p_adjusted is not None]
    # one difference is told already
    if len(gaps) < 2 or not tested:
        return text
    n_higher = sum(is_significant(row) and (row.estimate or 0.0) > 0 for row in tested)
    others = f"{len(gaps)} other {plural_of(noun)}"
    if not n_higher:
        return f"{text} {name} did not score significantly higher than any of the {others} (Holm)."
    how_many, approximate = (
        "each" if n_higher == len(gaps) else count(n_higher),
        ", approximate tests" * any(r.approximate for r in tested),
    )
    return f"{text} {name} scored significantly higher than {how_many} of the {others} (Holm{approximate})."


def plot(result: Result, ax: Axes | None = None, *, group: str = MEAN, **options: Any) -> Axes:
    """Draw the means of one group (``"mean"``, ``"task: NAME"``, ...) with their intervals, highest first."""
    from socialstats.figures import forest

    settings: dict[str, Any] = {
        "xlabel": shorten(group) if group != MEAN else "mean score",
        "reference": None,
    }
    return forest(rows_of_group(result, group), ax=ax, **{**settings, **options})


FEW_UNITS = 10
FEWEST_DIFFERING = 8.0  # equal units (clusters) with different scores: `few_differences`


@reads(model_scores, Ratings)
def leaderboard(
    ratings: Ratings | TableLike,
    *,
    task: str | None = "task",
    pooling: Literal["tasks", "units"] = "tasks",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    **columns: Any,
) -> LeaderboardResult | ResultGroup:
    """Estimate each model's mean score, and test the difference of every two models on the same units.

    Units (items, questions) are drawn, tasks are fixed. Errors come from the variation of units within tasks, CR2 with
    Satterthwaite's degrees of freedom, by clusters of units where these are declared.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        Raters are the models; scores are numbers, or two levels (0 and 1). A data frame is read by `model_scores`.
        With a ``by`` factor: one result a level of it.
    task : str or None
        Stratum of the tasks, if the design has it; None takes all units as one task.
    pooling : {"tasks", "units"}
        The mean over tasks, each weighted equally, or over units.
    cluster : str, sequence of str or None
        ``"declared"``, the name of one cluster of units, or None (units independent, caution SS201).
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `model_scores` or `read_ratings`.

    Returns
    -------
    LeaderboardResult
        Group ``"mean"``: the mean of each model over its own units, in the unit of the scores. Scores between 0 and 1
        have Wilson's intervals, others t intervals. With clusters, or scores that are not 0 or 1, Wilson's is for the
        effective number of units, with t. Over several tasks it is no narrower than the tasks' own make it (Zou, Huang
        & Zhang 2009).
        Groups ``"task: NAME"``: by task, with several. ``"mean over units"`` or ``"mean over tasks"``: the other
        pooling, where it differs. ``"difference"``: each pair of models, first minus second in alphabetical order, over
        the units that both have, t test against 0, `p_adjusted` by Holm over all pairs. ``"mean on shared units"``:
        over the units that every model has, where some cells are missing (caution SS342). ``ranks()`` gives the rank of
        each model with a confidence set.

    Raises
    ------
    DesignError
        For scores that are labels, or a single model.
    InputError
        For an unknown option, stratum or cluster, or two clusters.
    NothingToAnalyse
        Without a score.

    References
    ----------
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.
    Zou, G. Y., Huang, W., & Zhang, X. (2009). A note on confidence interval estimation for a linear function of
    binomial proportions. doi:10.1016/j.csda.2008.09.033
    Korn, E. L., & Graubard, B. I. (1998). Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data. Survey Methodology, 24(2), 193-201.
    Holm, S. (1979). A simple sequentially rejective multiple test procedure.
    Mogstad, M., Romano, J. P., Shaikh, A. M., & Wilhelm, D. (2024). doi:10.1093/restud/rdad006

    Examples
    --------
    >>> scores = {"model": ["m1"] * 5 + ["m2"] * 5, "item": [*range(5)] * 2, "score": [3, 5, 4, 6, 5, 2, 3, 4, 4, 2]}
    >>> print(leaderboard(scores).sentence())
    m1 had the highest mean score of 2 models (4.60, ...; 5 items). The mean score was higher for m1 than m2 (...).
    """
    checked_level(level)
    check_allowed("pooling", pooling, POOLINGS)
    settings = {
        "task": task,
        "pooling": pooling,
        "cluster": cluster,
        "level": level,
        "ci": "closed",
    }
    return board_result(ratings, settings)


def board_result(design: Ratings, settings: dict[str, Any]) -> LeaderboardResult:
    """Compute the leaderboard of one design."""
    board = score_board(
        design, **{name: settings[name] for name in ("task", "pooling", "cluster", "level")}
    )
    lead, other_pooling = board.pooling, next(p for p in POOLINGS if p != board.pooling)
    rows = model_mean_rows(board, MEAN, lead, board.every)
    if len(board.tasks) > 1:
        other_rows = model_mean_rows(
            board, OTHER[lead], other_pooling, board.every, ("pooling", other_pooling)
        )
        # the other pooling is the same where tasks have one size
        rows += other_rows if differs(rows, other_rows) else []
        for t, task_name in enumerate(board.tasks):
            rows += model_mean_rows(
                board, task_group(task_name), "units", board.task == t, (TASK, task_name)
            )
    # models with other units are compared on those that all have, too
    shared = np.asarray(board.known.all(axis=1))
    if not board.complete and shared.any():
        rows += model_mean_rows(board, SHARED, lead, shared, ("units", "shared"))
    rows = [rescaled_row(row, board.unit) for row in (*rows, *model_difference_rows(board))]
    names = (f"clusters of '{shorten(f.name)}'" for f in board.factors)
    sizes = dict(zip(names, [len(np.unique(board.cluster))], strict=False))
    tasks = {"tasks": len(board.tasks)} if len(board.tasks) > 1 else {}
    missing, noun = (~board.known).sum(axis=0), noun_of(design)
    if board.shares:
        shape = few_differences(board)
    else:
        shape = shape_cautions(board.shapes.values(), names=[*board.shapes], what="units")
    cautions = (
        *share_cautions(design, board.factors, rows),
        *rare_answers(rows),
        *leaderboard_cautions(board, shared, noun),
        *shape,
    )
    board.kept.clear()  # units x pairs of numbers, where scores are missing
    intervals = share_ci(rows) if board.shares else "t intervals"
    weighed = f", {WEIGHED[lead]}" if tasks else ""
    n_scores, n_units = int(board.known.sum()), np.bincount(board.task).tolist()
    counts = {
        "units": len(board.task),
        plural_of(noun): len(board.models),
        **tasks,
        "scores": n_scores,
        **sizes,
    }
    extras = {
        "noun": noun,
        "unit": unit_noun(design),
        "shares": board.shares,
        "tasks": board.tasks if tasks else (),
        "shared": int(shared.sum()),
        "missing": dict(zip(board.models, missing.tolist(), strict=True)),
        "sizes": dict(zip(board.tasks, n_units, strict=True)) if tasks else {},
    }
    inference = f"{intervals} of means, t tests of paired differences{weighed}; " + cluster_text(
        board.factors, "units"
    )
    fit = {"nobs": n_scores, "n_clusters": next(iter(sizes.values()), None)} | (
        cluster_facts(rows) if board.factors else {}
    )
    references = (
        "bellmccaffrey2002",
        "pustejovskytipton2018",
        "holm1979",
        "mogstad2024",
        "romanowolf2005",
    ) + (("wilson1927", "korngraubard1998", "zouhuangzhang2009") if board.shares else ())
    return LeaderboardResult(
        metric="leaderboard",
        title=f"Leaderboard of {count(len(board.models), noun)}",
        inference=inference,
        rows=tuple(rows),
        counts=counts,
        fit=fit,
        settings=settings,
        cautions=cautions,
        references=references,
        design=design,
        extras=extras,
        board=board,
    )


def differs(rows: Sequence[Row], others: Sequence[Row]) -> bool:
    """Return whether two poolings give other numbers for some model."""
    others_by_model = {row.term: row.estimate for row in others}
    pairs = [(row.estimate, others_by_model[row.term]) for row in rows]
    return any(a is None or b is None or abs(a - b) > 1e-9 * max(abs(a), 1.0) for a, b in pairs)


def leaderboard_cautions(board: Board, shared: Any, noun: str) -> tuple[Caution, ...]:
    """Cautions SS342 (models have different units) and SS312 (few units)."""
    cautions = []
    n_missing = [
        (model, int(n))
        for model, n in zip(board.models, (~board.known).sum(axis=0).tolist(), strict=True)
        if n
    ]
    if n_missing:
        detail = listing([f"'{shorten(model, 40)}' {count(n)}" for model, n in n_missing], 5)
        common = f"all {plural_of(noun)} share {count(int(shared.sum()))}"
        cautions.append(
            caution(
                "SS342",
                f"of {count(len(board.task), 'unit')} these lack: {detail}; {common}",
                affects=f"means, which are over each {noun}'s own units; differences are on the units that both "
                f"{plural_of(noun)} have",
                fix="score the missing units; the means on shared units stand beside",
                short="" if noun == MODEL else f"{plural_of(noun)} were scored on different units",
            )
        )
    groups = len(np.unique(board.cluster))
    if not board.factors and board.shares:
        detail = f"{count(groups, 'unit')}; t needs values close to normal"
        cautions += small_sample_caution(
            groups,
            FEW_UNITS,
            detail,
            affects="intervals, tests",
            fix="more units",
            basis=count(groups, "unit"),
        )
    return tuple(cautions)


def few_differences(board: Board) -> tuple[Caution, ...]:
    """Caution SS212: differences of shares that rest on few units (clusters) with different scores.

    Of units m_t that differ, of n_t in task t of weight w_t, these count as (sum m_t a_t)^2 / sum m_t a_t^2 equal ones,
    a_t = (w_t / n_t)^2, a task without any counted as one. Nominal 95% intervals held .69 to .92 where a task of 2 to
    20 units weighs as much as one of 100 to 1,000, or where 5 of 100 units of one task differ. The count was below 8 in
    .89 to 1 of these samples. With 20 differing units or more in tasks of one size it was in none (.945 to .955 held).
    """
    few, units = [], []
    for pair in combinations(range(len(board.models)), 2):
        part = board.part(pair, board.pooling)
        strata = part.strata
        if isinstance(strata, str) or part.means is None or part.means.undefined:
            continue
        cell = np.unique(np.stack([strata.stratum, strata.cluster]), axis=1, return_inverse=True)
        task, differences = cell[0][0], np.abs(minus([board.values[part.units, k] for k in pair]))
        differ = np.bincount(cell[1].ravel(), differences) > 0
        if not differ.any():  # no interval and no test
            continue
        # (sum m_t a_t)^2 / sum m_t a_t^2 with a_t = (w_t / n_t)^2
        m = np.maximum(np.bincount(task, differ), 1)
        share = (strata.weights / np.bincount(task)) ** 2
        few.append(float(m @ share) ** 2 / float(m @ share**2))
        units.append(int(differ.sum()))
    least = sorted(pair for pair in zip(few, units, strict=True) if pair[0] < FEWEST_DIFFERING)
    if not least:
        return ()
    what = "cluster" if board.factors else "unit"
    many_tasks = len(board.tasks) > 1
    even = "equally weighted " if many_tasks else ""
    as_equal = f" (as {number(least[0][0], 1)} of equal weight)" if many_tasks else ""
    affects, fix = "these differences, their tests and ranks", "score more units"
    if many_tasks:
        affects += (
            ": nominal 95% intervals held .69 to .92 of simulations "
            "where a small task weighs as much as a large one"
        )
        fix = f"score more units of the small tasks, or {option('pooling', 'units')}"
    verb = "rests" if len(least) == 1 else "rest"
    detail = (
        f"{count(len(least), 'difference')} of {count(len(few))} {verb} on fewer than {FEWEST_DIFFERING:g} "
        f"{even}{what}s whose scores differ. The least rests on {count(least[0][1], what)}{as_equal}"
    )
    return (caution("SS212", detail, affects=affects, fix=fix, rows=["difference"]),)


def sample_scores(result: Result) -> Iterator[PlainSample]:
    """Yield the units behind each mean, with their scores, or behind each difference, with the differences."""
    design, settings = result.design, result.settings
    # the score of each unit by each model, NaN for none
    table = np.append(design.scores, np.nan)[level_table(design, "missing")]
    factors = design.factors(settings["cluster"])
    task = np.zeros(len(design.units), dtype=np.int64)
    tasks: dict[str, int] = {}
    if settings["task"] in design.strata:
        stratum = design.strata[settings["task"]]
        task, tasks = stratum.codes, {name: code for code, name in enumerate(stratum.levels)}
    scored_by_all = ~np.isnan(table).any(axis=1)
    for row in result.rows:
        model, subtracted, of_task = (row.label(name) for name in ("model", "minus", "task"))
        values = table[:, design.raters.index(str(model))]
        if subtracted is not None:
            values = values - table[:, design.raters.index(subtracted)]
        if of_task is not None:
            values = np.where(task == tasks[of_task], values, np.nan)
        if row.label("units") == "shared":
            values = np.where(scored_by_all, values, np.nan)
        pooling = row.label("pooling") or settings["pooling"]
        if not np.isnan(values).all():
            equal_tasks = pooling == "tasks" and of_task is None
            key = row.group, row.term
            yield sample_of_tasks(key, values, design.unit_count, task, factors, equal_tasks)


def sample_of_tasks(
    key: RowKey,
    values: FloatArray,
    count: FloatArray,
    task: IntArray,
    factors: Sequence[Factor],
    equal_tasks: bool,
) -> PlainSample:
    """Return the sample of a mean over tasks of their means, each weighing the same, or as many units as it has.

    Parameters
    ----------
    key : RowKey
    values : (units,) float64 array
        NaN where a unit does not count.
    count : (units,) float64 array
    task : (units,) int64 array
    factors : sequence of Factor
    equal_tasks : bool
    """
    valued = ~np.isnan(values)
    columns = [*(factor.codes for factor in factors), task, values]
    cells, _, place = unique_rows(np.column_stack(columns)[valued])
    units = np.bincount(place, count[valued]).astype(np.float64)
    value, stratum = cells[:, -1], np.unique(cells[:, -2], return_inverse=True)[1].ravel()
    sizes = np.bincount(stratum, units)
    weights = np.full(len(sizes), 1 / len(sizes)) if equal_tasks else sizes / sizes.sum()

    def mean_of_tasks(count: FloatArray) -> dict[RowKey, float]:
        means = np.bincount(stratum, count * value) / np.bincount(stratum, count)
        return {key: float(weights @ means)}

    yes_or_no = bool(np.isin(value, (0.0, 1.0)).all())
    # each unit has its task's weight over the units of the task
    unit_weights = units.sum() * weights / sizes
    # clustered answers of yes and no count as no more than independent ones with these weights (Kish 1965)
    answers = 1 / float((weights**2 / sizes).sum()) if yes_or_no else math.inf
    factors_of_cells = [
        replace(factor, codes=cells[:, k].astype(np.int64)) for k, factor in enumerate(factors)
    ]
    return PlainSample(
        count=units,
        plain=mean_of_tasks,
        factors=tuple(factors_of_cells),
        strata=stratum.astype(np.int64),
        alike=np.column_stack([stratum, value]),
        counted={key: unit_weights[stratum]},
        answers={key: answers},
        yes_or_no=yes_or_no,
    )


METRIC = Metric(
    name="leaderboard",
    title="Mean scores of models on the same units, with their ranks",
    design="ratings",
    function=leaderboard,
    sentence=sentence,
    plot=plot,
    definition=Definition(samples=sample_scores),
    estimand="The mean score of each model over units like these, tasks weighted equally (or by their units), and the "
    "difference of every two models.",
    assumptions=(
        "units (or the named clusters of units) are drawn independently within tasks; the tasks are fixed",
        "missing scores are missing at random",
        "t: mean differences are close to normal",
    ),
    references=("bellmccaffrey2002", "holm1979", "mogstad2024"),
    values="binary",
    raters="models",
    options={"task": "domain"},
)

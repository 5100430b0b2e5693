"""Leaderboard: the mean score of each model, all differences of two models, by task and pooled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from socialstats.designs.calls import TableLike, reads
from socialstats.designs.model_scores import model_scores
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, caution
from socialstats.inference.clustered_mean import ClusteredMean, skewed
from socialstats.inference.dependence import (
    cluster_facts,
    cluster_text,
    shape_cautions,
    share_cautions,
    small_sample,
)
from socialstats.inference.intervals import checked_level
from socialstats.metrics.leaderboard.board import POOLINGS, Board, board_of
from socialstats.metrics.leaderboard.ranks import LeaderboardResult
from socialstats.metrics.leaderboard.rows import (
    MEAN,
    OTHER,
    SHARED,
    WEIGHED,
    difference_rows,
    mean_rows,
    task_rows,
)
from socialstats.metrics.leaderboard.words import plot, sentence
from socialstats.registry import Metric
from socialstats.results import ResultGroup, Row, by_levels
from socialstats.text import count, listing, number, shorten

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

    Units (items, questions) are drawn, tasks are fixed: errors come from the variation of units within tasks, CR2 with
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
        have Wilson's intervals (with clusters, or scores that are not 0 or 1: for the effective number of units, with
        t; over several tasks no narrower than the tasks' own make it, Zou, Huang & Zhang 2009); others t intervals.
        Groups ``"task: NAME"``: by task, with several.
        ``"mean over units"`` or ``"mean over tasks"``: the other pooling, where it differs. ``"difference"``: each
        pair of models, first minus second in alphabetical order, over the units that both have, t test against 0,
        `p_adjusted` by Holm over all pairs. ``"mean on shared units"``: over the units that every model has, where
        some cells are missing (caution SS342). ``ranks()`` gives the rank of each model with a confidence set.

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
    Over 5 units, 'm1' had the highest mean of 2 models (4.60, ...), 1.60 above 'm2' (95% CI [0.18, 3.02], ...).
    """
    checked_level(level)
    if pooling not in POOLINGS:
        raise InputError(f"pooling={pooling!r} is not one of {', '.join(POOLINGS)}")
    settings = {"task": task, "pooling": pooling, "cluster": cluster, "level": level, "ci": "closed"}
    return by_levels(ratings, "declared", lambda one: estimate(one, settings), Ratings)


def estimate(design: Ratings, settings: dict[str, Any]) -> LeaderboardResult:
    """Compute the leaderboard of one design."""
    board = board_of(design, **{name: settings[name] for name in ("task", "pooling", "cluster", "level")})
    lead, other = board.pooling, next(p for p in POOLINGS if p != board.pooling)
    rows = mean_rows(board, MEAN, lead)
    second = mean_rows(board, OTHER[lead], other) if len(board.tasks) > 1 else []
    rows += second if differs(rows, second) else []
    rows += task_rows(board)
    shared = np.asarray(board.known.all(axis=1))
    if not board.complete and shared.any():
        rows += mean_rows(board, SHARED, lead, shared)
    rows += difference_rows(board)
    names = (f"clusters of '{shorten(f.name)}'" for f in board.factors)
    sizes = dict(zip(names, [len(np.unique(board.cluster))], strict=False))
    tasks = {"tasks": len(board.tasks)} if len(board.tasks) > 1 else {}
    missing = (~board.known).sum(axis=0)
    return LeaderboardResult(
        metric="leaderboard",
        title=f"Leaderboard of {count(len(board.models), 'model')}",
        inference=f"{'Wilson' if board.shares else 't'} intervals of means, t tests of paired differences"
        + (f", {WEIGHED[lead]}" if tasks else "") + f"; {cluster_text(board.factors, 'units')}",
        rows=tuple(rows),
        counts={
            "units": len(board.task), "models": len(board.models), **tasks, "scores": int(board.known.sum()), **sizes,
        },
        fit={"nobs": int(board.known.sum()), "n_clusters": next(iter(sizes.values()), None)}
        | (cluster_facts(rows) if board.factors else {}),
        settings=settings,
        cautions=(
            *share_cautions(design, board.factors, rows), *own_cautions(board, shared),
            *(few_differences(board) if board.shares else shapes_of(board)),
        ),
        references=("bellmccaffrey2002", "pustejovskytipton2018", "holm1979", "mogstad2024", "romanowolf2005")
        + (("wilson1927", "korngraubard1998", "zouhuangzhang2009") if board.shares else ()),
        design=design,
        extras={
            "shares": board.shares, "tasks": board.tasks if tasks else (), "shared": int(shared.sum()),
            "missing": dict(zip(board.models, missing.tolist(), strict=True)),
            "sizes": dict(zip(board.tasks, np.bincount(board.task).tolist(), strict=True)) if tasks else {},
        },
        board=board,
    )  # fmt: skip


def differs(rows: Sequence[Row], others: Sequence[Row]) -> bool:
    """Tell whether two poolings give other numbers for some model."""
    pairs = [(r.estimate, o.estimate) for r, o in zip(rows, others, strict=False)]
    return any(a is None or b is None or abs(a - b) > 1e-9 * max(abs(a), 1.0) for a, b in pairs)


def own_cautions(board: Board, shared: Any) -> tuple[Caution, ...]:
    """Cautions SS342 (models have different units) and SS312 (few units)."""
    found = []
    lost = [(model, int(n)) for model, n in zip(board.models, (~board.known).sum(axis=0).tolist(), strict=True) if n]
    if lost:
        said = listing([f"'{shorten(model, 40)}' {count(n)}" for model, n in lost], 5)
        common = f"all models share {count(int(shared.sum()))}"
        found.append(caution(
            "SS342", f"of {count(len(board.task), 'unit')} these lack: {said}; {common}",
            affects="means, which are over each model's own units; differences are on the units that both models have",
            fix="score the missing units, or quote the means on shared units",
        ))  # fmt: skip
    groups = len(np.unique(board.cluster))
    if not board.factors and board.shares:
        said = f"{count(groups, 'unit')}; t needs values close to normal"
        found += small_sample(groups, FEW_UNITS, said, affects="intervals, tests", fix="more units")
    return tuple(found)


def few_differences(board: Board) -> tuple[Caution, ...]:
    """Caution SS212: differences of shares that rest on few units (clusters) with different scores.

    Of units m_t that differ, of n_t in task t of weight w_t, these count as (sum m_t a_t)^2 / sum m_t a_t^2 equal ones,
    a_t = (w_t / n_t)^2, a task without any counted as one. Nominal 95 % intervals held .69 to .92 where a task of 2 to
    20 units weighs as much as one of 100 to 1,000. The count was below 8 in .86 to 1 of these samples, and in at most
    .02 where tasks are of one size or their units differ often (which held .945 to .96).
    """
    few = []
    for (a, b), found in board.differences(board.pooling).items():
        units = board.known[:, a] & board.known[:, b]
        strata = board.strata(units, board.pooling)
        if isinstance(found, str) or found.undefined or isinstance(strata, str):
            continue
        cell = np.unique(np.stack([strata.stratum, strata.cluster]), axis=1, return_inverse=True)
        task, gaps = cell[0][0], np.abs(board.values[units, a] - board.values[units, b])
        differ = np.bincount(cell[1].ravel(), gaps) > 0
        m = np.maximum(np.bincount(task, differ), 1)
        share = (strata.weights / np.bincount(task)) ** 2
        few.append(float(m @ share) ** 2 / float(m @ share**2))
    least = [value for value in few if value < FEWEST_DIFFERING]
    if not least:
        return ()
    what = "clusters" if board.factors else "units"
    return (caution(
        "SS212", f"{count(len(least), 'difference')} of {count(len(few))} {'rests' if len(least) == 1 else 'rest'} on "
        f"few {what} whose scores differ, the least on about {number(min(least), 1)} (fewer than "
        f"{FEWEST_DIFFERING:g})",
        affects="these differences, their tests and ranks: nominal 95 % intervals held .69 to .92 of simulations where "
        "a small task weighs as much as a large one", fix="score more units of the small tasks, or pooling='units'",
    ),)  # fmt: skip


def shapes_of(board: Board) -> tuple[Caution, ...]:
    """Cautions SS312 and SS317 of t intervals of means and differences, by what units (clusters) add to them."""
    parts = [*board.own_means(board.pooling).values(), *board.differences(board.pooling).values()]
    known = [part for part in parts if not isinstance(part, str) and not part.undefined]
    sizes = (len(np.unique(board.cluster)),) if board.factors else ()
    return shape_cautions(
        (ClusteredMean(
            mean=float(part.estimate[0]), sd=math.nan, std_error=math.nan, df=part.df, n=len(part.influence),
            clusters=sizes, kind="CR2", skewness=skewed(part.influence[:, 0], np.ones(len(part.influence))),
        ) for part in known), what="units",
    )  # fmt: skip


METRIC = Metric(
    name="leaderboard",
    title="Mean scores of models on the same units, with their ranks",
    design="ratings",
    function=leaderboard,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.leaderboard:verify",
    estimand="The mean score of each model over units like these, tasks weighted equally (or by their units), and the "
    "difference of every two models.",
    assumptions=(
        "units (or the named clusters of units) are drawn independently within tasks; the tasks are fixed",
        "missing scores are missing at random",
        "t: mean differences are close to normal",
    ),
    references=("bellmccaffrey2002", "holm1979", "mogstad2024"),
    values="binary",
    options={"task": "domain"},
)

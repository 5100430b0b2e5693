"""Ranks of the models of a leaderboard, each with a set of ranks that covers it (Mogstad et al. 2024)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from socialstats.choices.bradley_terry.covariance import (
    CLUSTERS_AN_ITEM,
    SAME,
    RankSets,
    holm_rank_sets,
    rank_sets,
)
from socialstats.crosscheck.definition import Definition
from socialstats.crosscheck.row_arithmetic import adjusted_p
from socialstats.errors import InputError
from socialstats.inference.rows import with_ends
from socialstats.results import Result, Row
from socialstats.results.definitions import PeerNumbers, PlainSample, RowKey
from socialstats.results.rows import distinct_cautions, rows_with
from socialstats.scales.score_boards import MEAN, Board
from socialstats.sentences import name_of_interval
from socialstats.text import capital, count, listing, number, percent_of, shortened
from socialstats.voice import option

KINDS = ("marginal", "simultaneous")
FEWEST_DRAWS = 100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class LeaderboardResult(Result):
    """Means and differences of models; besides what every `Result` has: `ranks()`.

    Examples
    --------
    >>> import socialstats as ss
    >>> scores = {"elm": [1, 1, 1, 0, 1, 1], "oak": [0, 1, 0, 0, 1, 0]}
    >>> rows = [(model, item, score) for model, values in scores.items() for item, score in enumerate(values)]
    >>> models, items, values = zip(*rows)
    >>> table = {"model": models, "item": items, "score": values}
    >>> board = ss.leaderboard(table, rater="model", unit="item", value="score")
    >>> [(row.term, round(row.estimate, 3)) for row in board.rows][:2]
    [('elm', 0.833), ('oak', 0.333)]
    >>> print(board.ranks().sentence())
    Approximate 95% marginal rank intervals included rank 1 for 2 of 2 models (elm and oak). They contained 2.0 of 2
    ranks on average.
    """

    board: Board | None = field(default=None)

    def ranks(
        self,
        *,
        kind: Literal["marginal", "simultaneous"] = "marginal",
        draws: int = 4000,
        seed: int = 0,
    ) -> Result:
        """Return the rank of each model by its mean (1 = highest) with a confidence set.

        Parameters
        ----------
        kind : {"marginal", "simultaneous"}
            A marginal set covers the rank of one model; simultaneous sets cover all ranks at once.
        draws, seed : int
            Draws of the max-t test, which needs complete scores and ten units (or clusters) per model. Otherwise the
            sets are by Holm's method, which needs no draws.

        Returns
        -------
        Result
            Group ``"rank"``: estimate is the rank, the interval its set. A model without a mean has no rank.

        References
        ----------
        Mogstad, M., Romano, J. P., Shaikh, A. M., & Wilhelm, D. (2024). doi:10.1093/restud/rdad006
        """
        if kind not in KINDS:
            raise InputError(f"{option('kind', kind)} is not one of {', '.join(map(repr, KINDS))}")
        if isinstance(seed, bool) or seed < 0 or draws < FEWEST_DRAWS:
            raise InputError(
                f"{option('seed', seed)}, {option('draws', draws)}: a seed is 0 or more, and draws at "
                f"least {FEWEST_DRAWS}"
            )
        return rank_table(self, kind, draws, seed)


def rank_table(result: LeaderboardResult, kind: str, draws: int, seed: int) -> Result:
    """Rank the models that have a mean; `LeaderboardResult.ranks` documents it."""
    level, noun = float(result.settings["level"]), str(result.extras["noun"])
    means = [row for row in result.rows if row.group == MEAN]
    ranked = [row for row in means if row.estimate is not None]
    sets, test = sets_of(result, ranked, kind, draws, seed)
    cautions = distinct_cautions(row for row in result.rows if row.role == "difference")
    method = f"{kind} {test} rank set, step-down"
    blank = Row(term="", group="rank", role="rank", cautions=cautions, method=method)
    ranks = {}
    for row, rank, low, high in zip(ranked, sets.rank, sets.low, sets.high, strict=True):
        rank_row = replace(blank, term=row.term, estimate=float(rank))
        ranks[row.term] = with_ends(rank_row, float(low), float(high), level)
    rows = tuple(
        ranks.get(r.term, Row(term=r.term, group="rank", undefined=r.undefined)) for r in means
    )
    first = [
        row.term
        for row in sorted(ranks.values(), key=lambda r: r.estimate or 0.0)
        if row.conf_low == 1
    ]
    inference = f"{kind} sets, {test}"
    if not sets.bonferroni:
        inference += f", {draws} draws, seed {seed}"
    words = f"No {noun} has a mean ({rows[0].undefined}), and so none has a rank."
    if ranked:
        intervals = capital(f"{name_of_interval(rows[0])}{percent_of(level)} {kind} rank intervals")
        width = number(float(np.mean(sets.high - sets.low + 1)), 1)
        words = (
            f"{intervals} included rank 1 for {count(len(first))} of {count(len(means), noun)} "
            f"({listing(shortened(first))}). They contained {width} of {count(len(ranked))} ranks on average."
        )
    extras = {"result": result, "first": len(first), "holm": test != "max-t"}
    return Result(
        metric="leaderboard",
        title=f"Ranks with {kind} confidence sets",
        rows=rows,
        inference=inference,
        counts=result.counts,
        settings={**result.settings, "kind": kind, "draws": draws, "seed": seed},
        references=("mogstad2024", "holm1979" if sets.bonferroni else "romanowolf2005"),
        design=result.design,
        words=words,
        extras=extras,
        check=Definition(samples=sample_ranks, peers=ask_for_rank_sets),
    )


def sets_of(
    result: LeaderboardResult, ranked: list[Row], kind: str, draws: int, seed: int
) -> tuple[RankSets, str]:
    """Return the sets and the test they come from: max-t on complete scores of enough units, else Holm's."""
    board, level = result.board, float(result.settings["level"])
    assert board is not None
    # in a unit of the largest score, so that no covariance leaves the range of floats
    size = board.magnitude or 1.0
    strength = np.array([row.estimate for row in ranked], dtype=np.float64) / board.unit / size
    means = board.part(range(len(board.models)), board.pooling).means if board.complete else None
    # the max-t test takes one covariance of all means, of the same units
    tested = any(row.p_value is not None for row in result.rows if row.role == "difference")
    if means is not None and means.df + 1 >= CLUSTERS_AN_ITEM * len(ranked) and tested:
        sets = rank_sets(
            strength,
            means.covariance / size**2,
            level=level,
            simultaneous=kind == "simultaneous",
            draws=draws,
            seed=seed,
            df=int(means.df),
        )
        return sets, "max-t"
    # (models, models) differences and their p; NaN where a pair has no test
    place = {row.term: i for i, row in enumerate(ranked)}
    difference, p = (np.full((len(ranked), len(ranked)), np.nan) for _ in range(2))
    for row in rows_with(result.rows, "model", "minus", role="difference"):
        i, j = (place.get(str(row.label(side))) for side in ("model", "minus"))
        if i is not None and j is not None and row.p_value is not None and row.estimate is not None:
            difference[i, j], difference[j, i] = row.estimate, -row.estimate
            p[i, j] = p[j, i] = row.p_value
    return holm_rank_sets(
        strength, difference, p, level=level, simultaneous=kind == "simultaneous"
    ), "Holm's method"


def sample_ranks(result: Result) -> Iterator[PlainSample]:
    """Yield the ranks of the means: one more than the models whose mean is higher."""
    lead: Result = result.extras["result"]
    means = {
        row.term: row.estimate
        for row in lead.rows
        if row.group == MEAN and row.estimate is not None
    }
    values = np.array(list(means.values()), dtype=np.float64)
    values = values / (np.abs(values).max(initial=0.0) or 1.0)
    higher = values[None, :] > values[:, None] + SAME
    ranks: dict[RowKey, float] = {
        ("rank", name): 1.0 + n for name, n in zip(means, higher.sum(axis=1).tolist(), strict=True)
    }
    yield PlainSample(count=np.ones(len(values)), plain=lambda _: ranks)


def ask_for_rank_sets(result: Result) -> Iterator[PeerNumbers]:
    """Yield the set of each model by statsmodels' adjusted p-values: ranks that significant differences leave."""
    lead: Result = result.extras["result"]
    if not result.extras["holm"]:
        return
    names = [row.term for row in result.rows if row.estimate is not None]
    tested = [
        row
        for row in rows_with(lead.rows, "model", "minus", role="difference")
        if row.p_value is not None and {row.label("model"), row.label("minus")} <= set(names)
    ]
    simultaneous = result.settings["kind"] == "simultaneous"
    of_all = adjusted_p([row.p_value for row in tested]) if simultaneous and tested else []
    for name in names:
        family, adjusted = tested, of_all
        if not simultaneous:
            family = [row for row in tested if name in (row.label("model"), row.label("minus"))]
            adjusted = adjusted_p([row.p_value for row in family]) if family else []
        lower, upper = 0, 0
        for row, p in zip(family, adjusted, strict=True):
            first = row.label("model") == name
            if p > 1 - result.settings["level"] or not (first or row.label("minus") == name):
                continue
            is_above = ((row.estimate or 0.0) > 0) == first
            upper += is_above
            lower += not is_above
        ends = (1.0 + lower, float(len(names) - upper))
        if np.isnan(adjusted).any():
            ends = (math.nan, math.nan)
        yield PeerNumbers(package="statsmodels", row=("rank", name), ends=ends)

"""The result of `leaderboard`, and the ranks of its models with confidence sets."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from socialstats.arrays import BoolArray
from socialstats.errors import InputError
from socialstats.inference.rows import with_ends
from socialstats.metrics.leaderboard.board import Board
from socialstats.metrics.leaderboard.rows import DIFFERENCE, MEAN
from socialstats.models.bradley_terry.ranks import CLUSTERS_AN_ITEM, RankSets, holm_rank_sets, rank_sets
from socialstats.models.stratified_mean import StratifiedMeans
from socialstats.results import Result, Row, Verification
from socialstats.text import count, level_text, number, quoted

KINDS = ("marginal", "simultaneous")
FEWEST_DRAWS = 100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class LeaderboardResult(Result):
    """Means and differences of models; besides what every `Result` has: `ranks()`."""

    board: Board | None = field(default=None)

    def ranks(
        self, *, kind: Literal["marginal", "simultaneous"] = "marginal", draws: int = 4000, seed: int = 0
    ) -> Result:  # fmt: skip
        """Return the rank of each model by its mean (1 = highest) with a confidence set.

        Parameters
        ----------
        kind : {"marginal", "simultaneous"}
            A marginal set covers the rank of one model; simultaneous sets cover all ranks at once.
        draws, seed : int
            Draws of the max-t test, which needs complete scores and ten units (or clusters) per model; otherwise the
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
            raise InputError(f"kind={kind!r} is not one of {', '.join(map(repr, KINDS))}")
        if isinstance(seed, bool) or seed < 0 or draws < FEWEST_DRAWS:
            raise InputError(f"seed={seed}, draws={draws}: a seed is 0 or more, and draws at least {FEWEST_DRAWS}")
        return rank_table(self, kind, draws, seed)


class RankTable(Result):
    """Ranks of a leaderboard; ``extras["board"]`` is the result that they belong to."""

    __slots__ = ()

    def crosscheck(self) -> Verification:
        """Count ranks again, and sets by Holm's method where no draws made them."""
        found: Verification = importlib.import_module("socialstats.crosscheck.leaderboard").verify_ranks(self)
        return found


def rank_table(result: LeaderboardResult, kind: str, draws: int, seed: int) -> Result:
    """Rank the models that have a mean; `LeaderboardResult.ranks` documents it."""
    level = float(result.settings["level"])
    means = [row for row in result.rows if row.group == MEAN]
    ranked = [row for row in means if row.estimate is not None]
    sets, test = sets_of(result, ranked, kind, draws, seed)
    found = {
        row.term: with_ends(
            Row(term=row.term, group="rank", estimate=float(sets.rank[i]), method=f"{kind} {test} rank set, step-down"),
            float(sets.low[i]), float(sets.high[i]), level,
        )
        for i, row in enumerate(ranked)
    }  # fmt: skip
    rows = tuple(found.get(r.term, Row(term=r.term, group="rank", undefined=r.undefined)) for r in means)
    first = [row.term for row in sorted(found.values(), key=lambda r: r.estimate or 0.0) if row.conf_low == 1]
    return RankTable(
        metric="leaderboard", title=f"Ranks with {kind} confidence sets", rows=rows,
        inference=f"{kind} sets, {test}" + ("" if sets.bonferroni else f", {draws} draws, seed {seed}"),
        counts=result.counts, settings={**result.settings, "kind": kind, "draws": draws, "seed": seed},
        references=("mogstad2024", "holm1979" if sets.bonferroni else "romanowolf2005"), design=result.design,
        words=f"The {level_text(level)} {kind} rank {'interval' if len(first) == 1 else 'intervals'} of "
        f"{count(len(first), 'model')} of {count(len(means))} included rank 1 ({quoted(first)}); the intervals held "
        f"{number(float(np.mean(sets.high - sets.low + 1)), 1)} ranks on average.",
        extras={"result": result, "first": len(first)},
    )  # fmt: skip


def sets_of(
    result: LeaderboardResult, ranked: list[Row], kind: str, draws: int, seed: int
) -> tuple[RankSets, str]:  # fmt: skip
    """Return the sets and the test they come from: max-t on complete scores of enough units, else Holm's."""
    board, level = result.board, float(result.settings["level"])
    assert board is not None
    strength = np.array([row.estimate for row in ranked], dtype=np.float64)
    means = board.means(every(board), range(len(board.models)), board.pooling) if board.complete else ""
    many = isinstance(means, StratifiedMeans) and means.df + 1 >= CLUSTERS_AN_ITEM * len(ranked)
    if isinstance(means, StratifiedMeans) and not means.undefined and many and means.covariance.any():
        sets = rank_sets(strength, means.covariance, level=level, simultaneous=kind == "simultaneous", draws=draws,
                         seed=seed, df=int(means.df))  # fmt: skip
        return sets, "max-t"
    place = {row.term: i for i, row in enumerate(ranked)}
    difference, p = (np.full((len(ranked), len(ranked)), np.nan) for _ in range(2))
    pairs = iter(row for row in result.rows if row.group == DIFFERENCE)
    for a, one in enumerate(board.models):
        for other in board.models[a + 1 :]:
            row = next(pairs)
            if row.p_value is None or row.estimate is None or not {one, other} <= set(place):
                continue
            i, j = place[one], place[other]
            difference[i, j], difference[j, i] = row.estimate, -row.estimate
            p[i, j] = p[j, i] = row.p_value
    return holm_rank_sets(strength, difference, p, level=level, simultaneous=kind == "simultaneous"), "Holm's method"


def every(board: Board) -> BoolArray:
    """(units,) bool array of True."""
    return np.ones(len(board.task), dtype=bool)

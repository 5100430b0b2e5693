"""What each tool is asked to do, written as its users must write it. Imports are inside: a process loads one tool.

A job takes the data frame (columns model_a, model_b and winner, which is model_a, model_b or tie) and returns the
log-strengths by item, or None. Only the call of the job is timed; importing and loading the data is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

Strengths = dict[str, float]
Job = Callable[["pd.DataFrame"], Strengths | None]


def ours_fit() -> Job:
    from socialstats import Comparisons, bradley_terry

    return lambda frame: (
        bradley_terry(Comparisons.from_frame(frame), cluster=None).strengths
    )  # as the peers


def ours_bootstrap(refits: int = 1000) -> Job:
    from socialstats import Comparisons, bradley_terry

    def run(frame: pd.DataFrame) -> Strengths:
        fit = bradley_terry(Comparisons.from_frame(frame), cluster=None)
        fit.bootstrap(by="row", resamples=refits)
        return fit.strengths

    return run


def evalica_columns(frame: pd.DataFrame) -> tuple[list[str], list[str], list[object]]:
    """Lists, which evalica reads twice as fast as data-frame columns."""
    from evalica import Winner

    code = {"model_a": Winner.X, "model_b": Winner.Y, "tie": Winner.Draw}
    return frame["model_a"].tolist(), frame["model_b"].tolist(), frame["winner"].map(code).tolist()


def evalica_fit(method: str = "bradley_terry") -> Job:
    import evalica

    function = getattr(evalica, method)

    def run(frame: pd.DataFrame) -> Strengths:
        scores = function(*evalica_columns(frame)).scores
        return dict(zip(scores.index, np.log(scores.to_numpy()), strict=True))

    return run


def evalica_bootstrap(refits: int) -> Job:
    import evalica

    def run(frame: pd.DataFrame) -> None:
        evalica.bootstrap(
            evalica.bradley_terry,
            *evalica_columns(frame),
            n_resamples=refits,
            bootstrap_method="percentile",
            random_state=1,
        )

    return run


def winner_first(frame: pd.DataFrame) -> tuple[list[str], list[tuple[int, int]]]:
    """Items, and the list of (winner, loser) that choix takes."""
    import pandas as pd

    codes, items = pd.factorize(pd.concat([frame["model_a"], frame["model_b"]]), sort=True)
    a, b = codes[: len(frame)], codes[len(frame) :]
    won = (frame["winner"] == "model_a").to_numpy()
    pairs = zip(np.where(won, a, b).tolist(), np.where(won, b, a).tolist(), strict=True)
    return list(items), list(pairs)


def choix_fit(method: str = "ilsr_pairwise") -> Job:
    import choix

    def run(frame: pd.DataFrame) -> Strengths:
        items, pairs = winner_first(frame)
        return dict(zip(items, getattr(choix, method)(len(items), pairs), strict=True))

    return run


def choix_bootstrap(refits: int) -> Job:
    import choix

    def run(frame: pd.DataFrame) -> None:
        items, pairs = winner_first(frame)
        rng = np.random.default_rng(1)
        found = [
            choix.ilsr_pairwise(
                len(items), [pairs[i] for i in rng.integers(0, len(pairs), len(pairs))]
            )
            for _ in range(refits)
        ]
        np.quantile(found, [0.025, 0.975], axis=0)

    return run


def arena_fit() -> Job:
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    def run(frame: pd.DataFrame) -> Strengths:
        data = PairDataset.from_pandas(frame)
        model = BradleyTerry(n_competitors=len(data.competitors))
        result = model.compute_ratings_and_cis(data)
        ratings = (np.asarray(result["ratings"]) - model.init_rating) / model.alpha
        return dict(zip(result["competitors"], ratings, strict=True))

    return run


def fastchat_fit() -> Job:
    from fastchat.serve.monitor.elo_analysis import compute_elo_mle_with_tie

    def run(frame: pd.DataFrame) -> Strengths:
        scores = compute_elo_mle_with_tie(frame)
        return dict(zip(scores.index, (scores.to_numpy() - 1000) / 400 * np.log(10), strict=True))

    return run


def statsmodels_fit() -> Job:
    import pandas as pd
    import statsmodels.api as sm

    def run(frame: pd.DataFrame) -> Strengths:
        won = frame["winner"] == "model_a"
        cells = (
            won.groupby([frame["model_a"], frame["model_b"]]).agg(["sum", "count"]).reset_index()
        )
        items = sorted({*cells["model_a"], *cells["model_b"]})
        a = pd.get_dummies(pd.Categorical(cells["model_a"], categories=items), dtype=float)
        b = pd.get_dummies(pd.Categorical(cells["model_b"], categories=items), dtype=float)
        x = (a - b).to_numpy()[:, 1:]
        wins = np.column_stack([cells["sum"], cells["count"] - cells["sum"]])
        fit = sm.GLM(wins, x, family=sm.families.Binomial()).fit()
        return dict(zip(items, np.append(0.0, fit.params), strict=True))

    return run

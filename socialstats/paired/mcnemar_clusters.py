"""McNemar's table under clusters: robust and score tests, and the tests of one cluster factor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.paired_score import PairedScore
from socialstats.inference.proportions import ONE_CLUSTER, Share
from socialstats.paired import matched_pairs as plain
from socialstats.paired.matched_pairs import NO_TEST, Cells, McNemarTest, cluster_cells
from socialstats.resampling import Alternative

Tests = Mapping[str, McNemarTest | str]  # by name; the reason where there is none
ONE_FACTOR: dict[str, Callable[[Any, Alternative], McNemarTest | str]] = {
    "sign_flip": lambda cells, side: (
        plain.sign_flip(cells.gap, side) if len(cells.n) > 1 else "a single cluster"
    ),
    "obuchowski": plain.obuchowski,
    "durkalski": plain.durkalski,
    "yang": plain.yang,
    "eliasziw": plain.eliasziw,
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Clustered:
    """What clusters lead to.

    Attributes
    ----------
    mean : ClusteredMean
        Of the differences.
    score : PairedScore
        Tango's statistic for clusters.
    share : Share or None
        b / (b + c) with its interval; None without discordant pairs.
    """

    mean: ClusteredMean
    score: PairedScore
    share: Share | None

    @property
    def score_missing(self) -> bool:
        """Whether one cluster holds all pairs, so that there is no score for clusters."""
        return bool(np.isnan(self.score.n[0]))

    @property
    def score_leads(self) -> bool:
        """Whether interval and test of the difference are those of the score for clusters."""
        return not self.score_missing and bool(self.score.leads[0] or self.mean.undefined)


def t_test(clustered: ClusteredMean, cells: Cells, side: Alternative) -> McNemarTest | str:
    """t test of a mean difference of 0; or why there is none."""
    if not cells.discordant:
        return NO_TEST
    return clustered.undefined or McNemarTest(
        statistic=clustered.t(), df=clustered.df, p=clustered.p_value(alternative=side)
    )


def score_test(clustered: Clustered, cells: Cells, side: Alternative) -> McNemarTest | str:
    """Score test of a difference of 0 under clusters; or why there is none."""
    score = clustered.score
    if not cells.discordant:
        return NO_TEST
    if score.df is None or clustered.score_missing:
        return ONE_CLUSTER
    p = float(score.p_value(0.0, side)[0])
    return McNemarTest(statistic=float(score.statistic(0.0)[0]), df=float(score.df[0]), p=p)


def one_factor(
    design: Paired, factor: Factor, cells: Cells, side: Alternative
) -> tuple[Tests, ClusteredMean]:
    """Compute the tests of one cluster factor, and the mean of the clusters' mean differences."""
    mine = cluster_cells(design.first, design.second, design.count, factor.codes)
    means = clustered_mean(mine.gap / mine.n, np.ones(len(mine.n)), magnitude=1.0)
    robust = clustered_mean(design.difference, design.count, [factor.codes], magnitude=1.0)
    exists = cells.discordant > 0
    others = {
        name: test(mine, side) if exists or name == "sign_flip" else NO_TEST
        for name, test in ONE_FACTOR.items()
    }
    return {
        "robust_t": t_test(robust, cells, side),
        "cluster_means_t": t_test(means, cells, side),
        **others,
    }, means


def effective_sizes(clustered: Clustered) -> dict[str, float | None]:
    """Smallest effective df of difference and odds ratio, and the largest share of one cluster."""
    errors, share = clustered.score.errors, clustered.share
    if errors is None:
        return {}
    df = [x for x in (float(errors.df[0]), share.df if share else None) if x is not None and x == x]
    most = [float(errors.largest[0])] + ([share.largest] if share else [])
    return {"effective_df": min(df, default=None), "largest_leverage": max(most)}

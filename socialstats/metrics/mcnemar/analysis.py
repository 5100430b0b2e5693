"""Everything McNemar computes on one design, before it becomes rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.paired_score import PairedScore, paired_score
from socialstats.inference.proportions import ONE_CLUSTER, Share
from socialstats.models import mcnemar as plain
from socialstats.models.clustered_mcnemar import (
    cluster_cells,
    discordant_share,
    durkalski,
    eliasziw,
    obuchowski,
    sign_flip,
    yang,
)
from socialstats.models.mcnemar import Cells, McNemarTest

NOTHING = McNemarTest(statistic=0.0, df=None, p=1.0)  # no discordant pair: nothing speaks against equality
Tests = Mapping[str, McNemarTest | str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Analysis:
    """Cells, tests, and cluster-robust estimates of one design.

    Attributes
    ----------
    cells : Cells
    pair_tests : mapping of test name to McNemarTest
        Those that take pairs as independent.
    cluster_tests : mapping of test name to McNemarTest, or the reason why there is none
        Of the declared clusters together; empty without clusters.
    alone : mapping of factor name to tests
        With two crossed factors: the one-factor tests of each.
    robust : ClusteredMean or None
    means : mapping of factor name to ClusteredMean
        Unweighted mean of the cluster means.
    score : PairedScore or None
        Tango's statistic for clusters.
    discordant : Share or None
        b / (b + c) with its interval for clusters; None without clusters or discordant pairs.
    """

    cells: Cells
    pair_tests: Mapping[str, McNemarTest]
    cluster_tests: Tests
    alone: Mapping[str, Tests]
    robust: ClusteredMean | None
    means: Mapping[str, ClusteredMean]
    score: PairedScore | None
    discordant: Share | None

    @property
    def score_leads(self) -> bool:
        """Whether interval and test of the difference are those of the score for clusters."""
        return self.score is not None and self.robust is not None and bool(
            not self.score_missing and (self.score.leads[0] or self.robust.undefined)
        )  # fmt: skip

    @property
    def score_missing(self) -> bool:
        """Whether one cluster holds all pairs, so that there is no score for clusters."""
        return self.score is None or bool(np.isnan(self.score.n[0]))


def analyse(design: Paired, factors: tuple[Factor, ...], level: float) -> Analysis:
    """Compute cells, tests and robust estimates."""
    table = design.square()
    cells = Cells(a=float(table[1, 1]), b=float(table[1, 0]), c=float(table[0, 1]), d=float(table[0, 0]))
    codes = [f.codes for f in factors]
    robust = clustered_mean(design.difference, design.count, codes, magnitude=1.0) if factors else None
    single = {f.name: one_factor(design, f) for f in factors}
    score = paired_score(design.difference, design.count, codes) if factors else None
    tests: Tests = {}
    if robust is not None and score is not None:
        tests = {**(single[factors[0].name] if len(factors) == 1 else {}), "robust_t": robust_test(robust, cells),
                 "score": score_test(score, cells)}  # fmt: skip
    return Analysis(
        cells=cells,
        pair_tests={
            "mid_p": plain.mid_p(cells), "exact": plain.exact(cells), "asymptotic": plain.asymptotic(cells),
            "continuity": plain.continuity(cells),
        },
        cluster_tests=tests,
        alone=single if len(factors) == 2 else {},
        robust=robust,
        means={f.name: mean_of_means(design, f) for f in factors},
        score=score,
        discordant=discordant_share(design, codes, level) if codes else None,
    )  # fmt: skip


def robust_test(found: ClusteredMean, cells: Cells) -> McNemarTest | str:
    """t test of a mean difference of 0; without discordant pairs 0 and p = 1."""
    if not cells.discordant:
        return NOTHING
    if found.undefined:
        return found.undefined
    return McNemarTest(statistic=found.t(), df=found.df, p=found.p_value())


def score_test(found: PairedScore, cells: Cells) -> McNemarTest | str:
    """Score test of a difference of 0 under clusters; without discordant pairs 0 and p = 1."""
    if not cells.discordant:
        return NOTHING
    if found.df is None or np.isnan(found.n[0]):
        return ONE_CLUSTER
    statistic, p = float(found.statistic(0.0)[0]), float(found.p_value(0.0)[0])
    return McNemarTest(statistic=statistic, df=float(found.df[0]), p=p)


def one_factor(design: Paired, factor: Factor) -> Tests:
    """Compute the tests of one cluster factor."""
    cells = cluster_cells(design.first, design.second, design.count, factor.codes)
    whole = Cells(a=cells.a.sum(), b=cells.b.sum(), c=cells.c.sum(), d=cells.d.sum())
    robust = clustered_mean(design.difference, design.count, [factor.codes], magnitude=1.0)
    means = mean_of_means(design, factor)
    tests: dict[str, McNemarTest | str] = {
        "robust_t": robust_test(robust, whole), "cluster_means_t": robust_test(means, whole),
    }  # fmt: skip
    if not whole.discordant:
        return tests | dict.fromkeys(("sign_flip", "obuchowski", "durkalski", "yang", "eliasziw"), NOTHING)
    return tests | {
        "sign_flip": sign_flip(cells.gap) if len(cells.n) > 1 else "a single cluster",
        "obuchowski": obuchowski(cells), "durkalski": durkalski(cells),
        "yang": yang(cells), "eliasziw": eliasziw(cells),
    }  # fmt: skip


def mean_of_means(design: Paired, factor: Factor) -> ClusteredMean:
    """Return the mean over clusters of their mean difference, with its t standard error."""
    cells = cluster_cells(design.first, design.second, design.count, factor.codes)
    return clustered_mean(cells.gap / cells.n, np.ones(len(cells.n)), magnitude=1.0)

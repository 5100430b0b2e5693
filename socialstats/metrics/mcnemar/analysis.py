"""Everything McNemar computes on one design, before it becomes rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.models import clustered_mcnemar as clustered
from socialstats.models import mcnemar as plain
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
    log_odds : LogOdds, reason, or None
    """

    cells: Cells
    pair_tests: Mapping[str, McNemarTest]
    cluster_tests: Tests
    alone: Mapping[str, Tests]
    robust: ClusteredMean | None
    means: Mapping[str, ClusteredMean]
    log_odds: clustered.LogOdds | str | None


def analyse(design: Paired, factors: tuple[Factor, ...]) -> Analysis:
    """Compute cells, tests and robust estimates."""
    table = design.square()
    cells = Cells(a=float(table[1, 1]), b=float(table[1, 0]), c=float(table[0, 1]), d=float(table[0, 0]))
    codes = [f.codes for f in factors]
    robust = clustered_mean(design.difference, design.count, codes, magnitude=1.0) if factors else None
    single = {f.name: one_factor(design, f) for f in factors}
    tests: Tests = {}
    if robust is not None:
        tests = {**(single[factors[0].name] if len(factors) == 1 else {}), "robust_t": robust_test(robust, cells)}
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
        log_odds=clustered.log_odds_ratio(design.first, design.second, design.count, codes) if factors else None,
    )  # fmt: skip


def robust_test(found: ClusteredMean, cells: Cells) -> McNemarTest | str:
    """t test of a mean difference of 0; without discordant pairs 0 and p = 1."""
    if not cells.discordant:
        return NOTHING
    if found.undefined:
        return found.undefined
    return McNemarTest(statistic=found.t(), df=found.df, p=found.p_value())


def one_factor(design: Paired, factor: Factor) -> Tests:
    """Compute the tests of one cluster factor."""
    cells = clustered.cluster_cells(design.first, design.second, design.count, factor.codes)
    whole = Cells(a=cells.a.sum(), b=cells.b.sum(), c=cells.c.sum(), d=cells.d.sum())
    robust = clustered_mean(design.difference, design.count, [factor.codes], magnitude=1.0)
    means = mean_of_means(design, factor)
    tests: dict[str, McNemarTest | str] = {
        "robust_t": robust_test(robust, whole), "cluster_means_t": robust_test(means, whole),
    }  # fmt: skip
    if not whole.discordant:
        return tests | dict.fromkeys(("sign_flip", "obuchowski", "durkalski", "yang", "eliasziw"), NOTHING)
    return tests | {
        "sign_flip": clustered.sign_flip(cells.gap) if len(cells.n) > 1 else "a single cluster",
        "obuchowski": clustered.obuchowski(cells), "durkalski": clustered.durkalski(cells),
        "yang": clustered.yang(cells), "eliasziw": clustered.eliasziw(cells),
    }  # fmt: skip


def mean_of_means(design: Paired, factor: Factor) -> ClusteredMean:
    """Return the mean over clusters of their mean difference, with its t standard error."""
    cells = clustered.cluster_cells(design.first, design.second, design.count, factor.codes)
    return clustered_mean(cells.gap / cells.n, np.ones(len(cells.n)), magnitude=1.0)


def odds_interval(found: clustered.LogOdds, level: float) -> tuple[float, float]:
    """t interval of the log odds ratio, as odds."""
    from socialstats.inference.intervals import critical_value

    reach = critical_value(level, found.df) * found.std_error
    return math.exp(found.estimate - reach), math.exp(found.estimate + reach)

"""McNemar's test: proportions of two conditions on the same units."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats.designs.calls import TableLike, reads
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import Caution, DesignError, InputError, NothingToAnalyse, caution
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.dependence import cluster_cautions, cluster_factors, cluster_text
from socialstats.inference.intervals import checked_level
from socialstats.inference.paired_score import PairedScore, paired_score
from socialstats.inference.proportions import ONE_CLUSTER, Share
from socialstats.inference.rows import with_ends, with_mean, with_share
from socialstats.models import matched_pairs as plain
from socialstats.models.effect_sizes import whole
from socialstats.models.matched_pairs import (
    CLUSTERED_SCORE,
    INTERVALS,
    NAMES,
    SPECTRAL_FLOOR,
    Cells,
    McNemarTest,
    cluster_cells,
    cohens_g,
    discordant_share,
    durkalski,
    eliasziw,
    obuchowski,
    odds_ratio_interval,
    sign_flip,
    wald_std_error,
    yang,
)
from socialstats.registry import Metric
from socialstats.results import Result, ResultGroup, Row, by_levels
from socialstats.text import count, interval, listing, number, p_value, quoted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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


FEW_DISCORDANT = 10
LINE = 0.05


def all_cautions(
    design: Paired, found: Analysis, rows: tuple[Row, ...], factors: tuple[Factor, ...]
) -> tuple[Caution, ...]:
    """Cautions SS201, SS202, SS205, SS206, SS314 and SS316, those that apply."""
    own = (few_discordant(found), design_effect(found), floored(found), disagreement(rows))
    shown = [row for row in rows[:3] if row.conf_low is not None]
    errors = found.score.errors if found.score is not None else None
    df = None if errors is None else [float(errors.df[0]), *(row.df for row in shown[1:])]
    known = df is None or not math.isnan(df[0] or 0.0)
    largest = max((row.leverage or 0.0 for row in shown), default=0.0)
    even = math.inf if errors is None or not known else float(errors.df[0]) + 1
    clusters = cluster_cautions(design, factors, df=df if known else None, largest=largest, effective=even)
    return (*clusters, *(c for c in own if c is not None))


def few_discordant(found: Analysis) -> Caution | None:
    """SS314: the tests rest on the discordant pairs alone."""
    discordant, score = found.cells.discordant, found.score
    effective = discordant if score is None or found.score_missing else float((score.first + score.second)[0])
    if effective >= FEW_DISCORDANT:
        return None
    of = f"{count(discordant, 'discordant pair')} of {count(found.cells.n)}"
    if not discordant:
        return caution("SS314", f"{of}: p is 1 by definition, the odds ratio is undefined (0 to infinity)",
                       affects="tests, odds ratio", fix="quote the interval of the difference")  # fmt: skip
    if score is not None:
        said, fix = f"{of}, about {number(effective, 1)} effective in clusters", "quote the score test of clusters"
        return caution("SS314", said, affects="chi-square and t tests of clusters", fix=fix)
    return caution("SS314", of, affects="chi-square and t tests, Wald intervals", fix="quote the exact or mid-p test")


def design_effect(found: Analysis) -> Caution | None:
    """SS205: how much clustering changes the standard error of the difference."""
    plain = wald_std_error(found.cells)
    if found.robust is None or found.robust.undefined or not plain:
        return None
    ratio = found.robust.std_error / plain
    return caution("SS205", f"the standard error of the difference is {number(ratio)} times that of independent pairs")


def floored(found: Analysis) -> Caution | None:
    """SS206: the two-way variance was smaller than that of one factor, which took its place."""
    if found.robust is None or not found.robust.floored:
        return None
    return caution("SS206", "V1 + V2 - V12 was below the variance of one factor alone, which took its place",
                   affects="the interval and test of the difference, which are cautious")  # fmt: skip


def disagreement(rows: tuple[Row, ...]) -> Caution | None:
    """SS316: some tests of the result are below .05 and others are not."""
    tested = [r for r in rows if r.p_value is not None and r.term != "difference"]
    below = [r for r in tested if r.p_value is not None and r.p_value < LINE]
    if not below or len(below) == len(tested):
        return None
    values = [r.p_value for r in tested if r.p_value is not None]
    spread = f"{p_value(min(values))} to {p_value(max(values))}"
    return caution("SS316", f"{len(below)} of {len(tested)} tests are below .05 ({spread})",
                   fix="quote the test chosen in advance")  # fmt: skip


TestName = Literal[
    "auto", "mid_p", "exact", "asymptotic", "continuity", "robust_t", "score", "cluster_means_t", "sign_flip",
    "obuchowski", "durkalski", "yang", "eliasziw",
]  # fmt: skip
OddsRatioInterval = Literal["exact", "wilson", "wald"]
DifferenceInterval = Literal["tango", "newcombe", "bonett_price", "agresti_min", "wald"]

PAIR_TESTS = {
    "mid_p": "McNemar's mid-p test",
    "exact": "exact McNemar test",
    "asymptotic": "McNemar's chi-square test",
    "continuity": "McNemar's chi-square test, continuity-corrected",
}
CLUSTER_TESTS = {
    "robust_t": "cluster-robust t test",
    "score": "cluster-robust score test",
    "cluster_means_t": "t test of cluster means",
    "sign_flip": "exact sign-flip test of clusters",
    "obuchowski": "Obuchowski's test",
    "durkalski": "Durkalski's test",
    "yang": "Yang's test",
    "eliasziw": "Eliasziw and Donner's test",
}
TEST_NAMES = PAIR_TESTS | CLUSTER_TESTS
ODDS_RATIO_NAMES = {"exact": "exact interval", "wilson": "Wilson's interval", "wald": "Wald's interval"}


def check_options(test: str, odds_ratio_ci: str, difference_ci: str, level: float) -> None:
    """Raise InputError for an option that is not one of those allowed."""
    for name, value, allowed in (
        ("test", test, get_args(TestName)),
        ("odds_ratio_ci", odds_ratio_ci, get_args(OddsRatioInterval)),
        ("difference_ci", difference_ci, get_args(DifferenceInterval)),
    ):
        if value not in allowed:
            raise InputError(f"{name}={value!r} is not one of {', '.join(allowed)}")
    checked_level(level)


def chosen_test(test: str, factors: tuple[Factor, ...]) -> str:
    """Return the test that leads: mid-p for independent pairs; "auto" where clusters are to decide.

    Raises
    ------
    InputError
        If the test takes pairs as independent and clusters are used, or needs clusters that are not there.
    """
    if test == "auto":
        return "auto" if factors else "mid_p"
    names = quoted([f.name for f in factors])
    if test in PAIR_TESTS and factors:
        raise InputError(f"test='{test}' takes pairs as independent, but clusters {names} are used; cluster=None "
                         "ignores them, test='auto' takes the cluster-robust test")  # fmt: skip
    if test in CLUSTER_TESTS and not factors:
        raise InputError(f"test='{test}' needs clusters; declare a column with cluster= when making the design")
    if test not in ("robust_t", "score") and len(factors) == 2:
        raise InputError(f"test='{test}' takes one cluster factor, got {names}; test='robust_t' takes two crossed ones")
    return test


def check_binary(design: Paired) -> None:
    """Raise DesignError for values that are not of two levels, naming the metric that takes them."""
    if design.scale == "binary":
        return
    other = "symmetry() takes k levels" if design.scale == "nominal" else "paired_difference() takes numbers"
    if design.scale == "nominal" and len(design.levels) == 2:
        other = "say which of the two counts as one: levels=(zero, one) when making the design"
    raise DesignError(
        f"{design.source}: McNemar's test takes values of two levels, these are {design.scale}"
        f"{f' with {len(design.levels)} levels' if design.levels else ''}; {other}"
    )


IGNORING = "ignoring clusters"
DISCORDANT = "Wilson's interval for the effective number of discordant pairs, t"
NONE_DISCORDANT = "no discordant pairs"
SHARES = (-1.0, 1.0)  # what a difference of shares can be


def all_rows(
    found: Analysis, lead: str, conditions: tuple[str, str], settings: dict[str, Any]
) -> tuple[tuple[Row, ...], dict[str, Any]]:
    """Return the rows, and the intervals with infinite ends that rows cannot hold."""
    cells, level = found.cells, settings["level"]
    robust = found.robust
    extra: dict[str, Any] = {"odds_ratio_interval": ends_of_odds(found, settings["odds_ratio_ci"], level)}
    if robust is not None and robust.kind == "two-way":
        extra["unfloored_std_error"] = robust.unfloored_std_error
    rows = [
        difference_row(found, lead, settings), odds_ratio_row(found, settings["odds_ratio_ci"], level),
        g_row(found, level),
        Row(term=conditions[0], group="proportion", estimate=(cells.a + cells.b) / cells.n, n=cells.n),
        Row(term=conditions[1], group="proportion", estimate=(cells.a + cells.c) / cells.n, n=cells.n),
        *cell_rows(cells),
    ]  # fmt: skip
    if robust is None:
        return (*rows, *rows_of_tests(found.pair_tests, "test", cells, lead)), extra
    means = next(iter(found.means.values())) if len(found.means) == 1 else None
    rows += rows_of_tests(
        found.cluster_tests, "test", cells, lead, clusters=min(robust.clusters), means=means, level=level
    )
    for name, tests in found.alone.items():
        own = found.means[name]
        rows += rows_of_tests(tests, f"{name} alone", cells, lead, clusters=int(own.n), means=own, level=level)
    return (*rows, *ignoring_rows(found, settings)), extra


def cell_rows(cells: Cells) -> list[Row]:
    """The four cells as shares of the pairs; `n` is how many pairs each holds."""
    named = {"both": cells.a, "first only": cells.b, "second only": cells.c, "neither": cells.d}
    return [Row(term=term, group="cell", estimate=held / cells.n, n=held) for term, held in named.items()]


def difference_row(found: Analysis, lead: str, settings: dict[str, Any]) -> Row:
    """The difference, with its interval and the p-value of the test that leads."""
    if found.robust is None:
        return pairs_difference(found.cells, settings, found.pair_tests[lead], TEST_NAMES[lead], None)
    robust, cells, level = found.robust, found.cells, settings["level"]
    test = found.cluster_tests[lead]
    by_score, done = found.score_leads and found.score is not None, test if isinstance(test, McNemarTest) else None
    row = Row(
        term="difference", estimate=cells.difference, statistic=done.statistic if done else None,
        df=done.df if done else None, p_value=done.p if done else None, n=cells.n, n_units=int(cells.n),
        n_clusters=min(robust.clusters), leverage=largest_share(found), undefined=None if done else str(test),
        method=f"{CLUSTERED_SCORE if by_score else robust_name(robust)}; {named(lead, test)}",
    )  # fmt: skip
    if found.score_leads and found.score is not None:
        error = None if robust.undefined else robust.std_error
        low, high = (float(end[0]) for end in found.score.interval(level))
        return with_ends(row, low, high, level, std_error=error)
    made = with_mean(row, robust, level, within=SHARES, test=False)
    return replace(made, undefined=row.undefined or made.undefined)


def largest_share(found: Analysis) -> float | None:
    """Largest share of the pairs that one cluster holds."""
    errors = found.score.errors if found.score is not None else None
    return None if errors is None else float(errors.largest[0])


def pairs_difference(
    cells: Cells, settings: dict[str, Any], test: McNemarTest | None, named: str, group: str | None
) -> Row:
    """The difference with an interval that takes pairs as independent."""
    level, kind = settings["level"], settings["difference_ci"]
    low, high = INTERVALS[kind](cells, level)
    chi_square = test is not None and test.df is not None
    row = Row(
        term="difference", group=group, estimate=cells.difference, std_error=wald_std_error(cells) or None,
        statistic=test.statistic if test is not None and chi_square else None,
        df=test.df if test is not None else None, p_value=test.p if test is not None else None,
        n=cells.n, n_units=int(cells.n), method=f"{NAMES[kind]}; {named}" if named else NAMES[kind],
    )  # fmt: skip
    why = "" if low < high else f"{NAMES[kind]} has no width here; difference_ci='tango' has"
    return with_ends(row, low, high, level, why=why)


def odds_ratio_row(found: Analysis, kind: str, level: float) -> Row:
    """The matched odds ratio b / c: with clusters the odds of the interval of b / (b + c), else by `kind`."""
    if found.robust is None:
        return pairs_odds_ratio(found.cells, kind, level, None)
    why = infinite(found.cells)
    row = Row(
        term="odds_ratio", estimate=found.cells.odds_ratio, n=found.cells.n, n_units=int(found.cells.discordant),
        n_clusters=min(found.robust.clusters), method=f"odds of {DISCORDANT}", undefined=why or None,
    )  # fmt: skip
    share = found.discordant
    if share is None or share.low is None or share.high is None:
        return replace(row, undefined=why or (share.undefined if share else why))
    low, high = (end / (1 - end) if end < 1 else math.inf for end in (share.low, share.high))
    row = replace(row, leverage=share.largest)
    if why:
        return replace(row, undefined=f"{why}; {interval(low, high, level=level)}")
    return with_ends(row, low, high, level, df=share.df)


def pairs_odds_ratio(cells: Cells, kind: str, level: float, group: str | None) -> Row:
    """The matched odds ratio with an interval that takes pairs as independent."""
    ends = odds_ratio_interval(cells, kind, level)
    why = infinite(cells)
    if not why and ends is None:
        why = "Wald's interval needs discordant pairs of both kinds; odds_ratio_ci='exact' does not"
    elif why and ends is not None:
        why += f"; {interval(*ends, level=level)}"
    row = Row(
        term="odds_ratio", group=group, estimate=cells.odds_ratio, n=cells.n, n_units=int(cells.discordant),
        method=ODDS_RATIO_NAMES[kind],
    )  # fmt: skip
    low, high = ends or (None, None)
    return with_ends(row, low, high, level, why=why)


def infinite(cells: Cells) -> str:
    """Say why the odds ratio is not a number, or return empty text."""
    if cells.c:
        return ""
    return "no pair is second only: the odds ratio is infinite" if cells.b else f"{NONE_DISCORDANT}: odds ratio 0/0"


def ends_of_odds(found: Analysis, kind: str, level: float) -> tuple[float, float]:
    """Interval of the odds ratio of independent pairs, with its infinite end (exact where Wald's does not exist)."""
    return odds_ratio_interval(found.cells, kind, level) or odds_ratio_interval(found.cells, "exact", level) or (
        0.0, math.inf)  # fmt: skip


def g_row(found: Analysis, level: float) -> Row:
    """Cohen's g, signed, with Wilson's interval; with clusters of their effective number of discordant pairs."""
    values = cohens_g(found.cells, level)
    if values is None:
        return Row(term="cohens_g", n=found.cells.n, n_units=0, undefined=NONE_DISCORDANT)
    row = Row(term="cohens_g", estimate=values[0], n=found.cells.n, n_units=int(found.cells.discordant))
    if found.robust is None:
        return with_ends(row, values[1], values[2], level, method="Wilson's interval")
    row, share = replace(row, n_clusters=min(found.robust.clusters)), found.discordant
    if share is None:
        return replace(row, undefined=NONE_DISCORDANT)
    made = with_share(row, share, level, clustered=True, shift=-0.5, method=DISCORDANT)
    return replace(made, effective=None)  # g is no share


def rows_of_tests(
    tests: Tests, group: str, cells: Cells, lead: str, *, clusters: int | None = None,
    means: ClusteredMean | None = None, level: float = 0.95,
) -> list[Row]:  # fmt: skip
    """One row a test, the leading one first; the t of cluster means has its own estimate."""
    rows = []
    for name in sorted(tests, key=lambda name: name != lead):
        test = tests[name]
        base: dict[str, Any] = {"term": name, "group": group, "n": cells.n, "n_units": int(cells.discordant)}
        base |= {"n_clusters": clusters, "method": named(name, test)}
        if isinstance(test, McNemarTest):
            row = Row(**base, statistic=test.statistic, df=test.df, p_value=test.p)
        else:
            row = Row(**base, undefined=test)
        if name == "cluster_means_t" and means is not None and not means.undefined:
            row = with_mean(replace(row, estimate=means.mean), means, level, within=SHARES, test=False)
        rows.append(row)
    return rows


def named(name: str, test: McNemarTest | str) -> str:
    """Name a test; where the Fourier transform of the sign flips resolves no smaller p, say that p is a bound."""
    floored = name == "sign_flip" and isinstance(test, McNemarTest) and test.p == SPECTRAL_FLOOR
    return f"{TEST_NAMES[name]} (p at most {SPECTRAL_FLOOR:g})" if floored else TEST_NAMES[name]


def ignoring_rows(found: Analysis, settings: dict[str, Any]) -> list[Row]:
    """Interval, odds ratio and tests that take pairs as independent although there are clusters."""
    return [
        pairs_difference(found.cells, settings, None, "", IGNORING),
        pairs_odds_ratio(found.cells, settings["odds_ratio_ci"], settings["level"], IGNORING),
        *rows_of_tests(found.pair_tests, IGNORING, found.cells, ""),
    ]


def robust_name(found: ClusteredMean) -> str:
    """Name the robust interval: its kind and degrees of freedom."""
    if found.kind == "two-way":
        return "two-way cluster-robust t interval"
    return f"cluster-robust t interval, {found.kind} with Satterthwaite df"


PAIR_REFERENCES = (
    "mcnemar1947", "edwards1948", "fagerland2013", "clopper1934", "wilson1927", "tango1998", "newcombe1998",
    "bonettprice2012", "agrestimin2005", "cohen1988",
)  # fmt: skip
CLUSTER_REFERENCES = (
    "bellmccaffrey2002", "cameron2011", "korngraubard1998", "obuchowski1998", "durkalski2003", "yang2010",
    "eliasziw1991",
)  # fmt: skip


@reads(Paired)
def mcnemar(
    paired: Paired | TableLike,
    *,
    test: TestName = "auto",
    odds_ratio_ci: OddsRatioInterval = "exact",
    difference_ci: DifferenceInterval = "tango",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    **columns: Any,
) -> Result | ResultGroup:
    """Compare the proportions of two conditions on the same units (McNemar's test).

    Of n pairs, a have the second of the two levels under both conditions, b under the first only, c under the second
    only, d under neither. Difference of proportions (b - c)/n, first minus second; matched odds ratio b/c; Cohen's
    g = b/(b + c) - 1/2, signed.

    Where the design declares clusters they lead: the difference has a cluster-robust t interval and test (CR2 errors
    with Satterthwaite's degrees of freedom; of two crossed factors V1 + V2 - V12, not below the larger of V1 and V2,
    with Cochran's df; cut at -1 and 1), and what takes pairs as independent stands in group ``"ignoring clusters"``.
    With fewer than 10 effective discordant pairs, or clusters that show no variance, Tango's score interval and test
    for clusters take their place: n is the effective number of pairs (n over the design effect, at least 1), and the
    quantile that of t. Odds ratio and Cohen's g follow from Wilson's interval of b/(b + c), clusters weighed by their
    discordant pairs.

    Parameters
    ----------
    paired : Paired, data frame, mapping of columns, or path of a file
        With values of two levels. With a ``by`` factor: one result a level.
    test : str
        The test whose p-value the row ``difference`` shows. ``"auto"``: ``"mid_p"``, with clusters ``"robust_t"``, or
        ``"score"`` where its interval leads. Independent pairs: ``"mid_p"``, ``"exact"``, ``"asymptotic"``,
        ``"continuity"`` (not corrected when b = c, as in R). One cluster factor: ``"robust_t"``, ``"score"``,
        ``"cluster_means_t"``, ``"sign_flip"``, ``"obuchowski"``, ``"durkalski"``, ``"yang"``, ``"eliasziw"``; two:
        ``"robust_t"``, ``"score"``. All that apply are rows of the result.
    odds_ratio_ci : {"exact", "wilson", "wald"}
        Interval of the odds ratio of independent pairs.
    difference_ci : {"tango", "newcombe", "bonett_price", "agresti_min", "wald"}
        Interval of the difference of independent pairs.
    cluster : str, sequence of str or None
        ``"declared"``: all declared clusters; one or two names; None takes pairs as independent (caution SS201).
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_paired`.

    Returns
    -------
    Result
        Rows ``difference`` (p-value of the leading test), ``odds_ratio``, ``cohens_g``; group ``"proportion"``: both
        conditions; group ``"test"``: one row a test (`statistic`: chi-square, t, score, or for exact and mid-p tests b
        and for the sign-flip test b - c; df; p). With two crossed factors also groups ``"<factor> alone"``, which leave
        the other factor out. `extras`: ``cells`` (a, b, c, d), ``odds_ratio_interval`` (of independent pairs, with
        its infinite end), with two factors ``unfloored_std_error`` (of the difference, without the floor; None
        where V1 + V2 - V12 is not positive). `n` counts pairs; `n_units` too in rows ``difference``, and discordant
        pairs in those of the odds ratio, g and the tests, which rest on these alone. Without discordant pairs every p
        is 1 and the odds ratio is undefined (caution SS314).

    Raises
    ------
    DesignError
        If the values are not of two levels.
    InputError
        For an unknown option or cluster, or a test that does not fit the clusters.
    NothingToAnalyse
        If there is no pair.

    References
    ----------
    McNemar, Q. (1947). doi:10.1007/BF02295996
    Fagerland, M. W., Lydersen, S., & Laake, P. (2013). doi:10.1186/1471-2288-13-91
    Tango, T. (1998). Equivalence test and confidence interval for the difference in proportions for the paired-sample
    design. Statistics in Medicine, 17(8), 891-908.
    Korn, E. L., & Graubard, B. I. (1998). Survey Methodology, 24(2), 193-201.
    Yang, Z., Sun, X., & Hardin, J. W. (2010). doi:10.1002/bimj.201000035
    Cameron, A. C., Gelbach, J. B., & Miller, D. L. (2011). doi:10.1198/jbes.2010.07136

    Examples
    --------
    >>> approval = {"survey 1": ["yes", "yes", "no", "no"], "survey 2": ["yes", "no", "yes", "no"],
    ...             "people": [794, 150, 86, 570]}
    >>> result = mcnemar(approval, first="survey 1", second="survey 2", count="people", levels=["no", "yes"])
    >>> row = result.row("difference")
    >>> round(row.estimate, 3), round(row.conf_low, 4), round(row.conf_high, 4)
    (0.04, 0.0214, 0.059)
    >>> round(result.row("exact").p_value, 8)
    3.716e-05
    """
    check_options(test, odds_ratio_ci, difference_ci, level)
    settings: dict[str, Any] = {
        "test": test, "odds_ratio_ci": odds_ratio_ci, "difference_ci": difference_ci, "cluster": cluster,
        "level": level,
    }  # fmt: skip
    return by_levels(paired, "declared", lambda one: estimate(one, settings), Paired)


def estimate(design: Paired, settings: dict[str, Any]) -> Result:
    """Compute everything of one design."""
    check_binary(design)
    if not design.n_pairs:
        raise NothingToAnalyse(f"{design.source}: no pair to compare")
    factors = cluster_factors(design, settings["cluster"])
    lead = chosen_test(settings["test"], factors)
    found = analyse(design, factors, settings["level"])
    if lead == "auto":
        lead = "score" if found.score_leads else "robust_t"
    rows, extras = all_rows(found, lead, design.conditions, settings)
    first, second = design.conditions
    return Result(
        metric="mcnemar",
        title=f"McNemar's test: {shorten(first)} minus {shorten(second)}",
        inference=f"{rows[0].method}; {cluster_text(factors, 'pairs')}",
        rows=rows,
        counts=sizes(found, factors),
        fit={
            "nobs": design.n_pairs,
            "n_clusters": rows[0].n_clusters,
            "df": None if rows[0].df is None else whole(rows[0].df),
            "method": TEST_NAMES[lead],
            **effective(found),
        },
        settings=settings,
        cautions=all_cautions(design, found, rows, factors),
        references=PAIR_REFERENCES + (CLUSTER_REFERENCES if factors else ()),
        design=design,
        extras={"cells": {name: getattr(found.cells, name) for name in "abcd"}, "lead": lead, **extras},
    )


def effective(found: Analysis) -> dict[str, float | None]:
    """Smallest effective df of difference and odds ratio, and the largest share of one cluster."""
    errors, share = found.score.errors if found.score else None, found.discordant
    if errors is None:
        return {}
    df = [x for x in (float(errors.df[0]), share.df if share else None) if x is not None and x == x]
    most = [float(errors.largest[0])] + ([share.largest] if share else [])
    return {"effective_df": min(df, default=None), "largest_leverage": max(most)}


def sizes(found: Analysis, factors: tuple[Factor, ...]) -> dict[str, int]:
    """Count pairs, discordant pairs, and the levels of each cluster factor."""
    counts = {"pairs": int(found.cells.n), "discordant pairs": int(found.cells.discordant)}
    levels = found.robust.clusters if found.robust is not None else ()
    return counts | {f"clusters of '{shorten(f.name)}'": n for f, n in zip(factors, levels, strict=True)}


WHOLE = 1e-6  # degrees of freedom nearer than this to a whole number are printed as one


def sentence(result: Result) -> str:
    """Say the difference with its interval and leading test, the odds ratio, and what ignores the clusters."""
    design, cells, level = result.design, result.extras["cells"], result.settings["level"]
    first, second = (shorten(c) for c in design.conditions)
    row, odds = result.rows[0], result.rows[1]
    had = (
        f"Of {said_of_sizes(result)}, {count(cells['b'])} had '{shorten(design.levels[1])}' under {first} only and "
        f"{count(cells['c'])} under {second} only: the proportions differed by "
        f"{number(row.estimate, 3, bounded=True)} ({first} minus {second})"
    )
    ends = f", {interval(row.conf_low, row.conf_high, 3, level=level, bounded=True)} ({interval_name(row)})"
    size = f"; matched odds ratio {number(odds.estimate)}"
    size += f", {interval(odds.conf_low, odds.conf_high, level=level)}" if odds.conf_low is not None else ""
    if odds.estimate is None:
        size = "; the matched odds ratio is " + ("infinite" if cells["b"] else "undefined")
    tail = ignoring_text(result) if said_of_clusters(result) else ""
    return f"{had}{ends if row.conf_low is not None else ', without an interval'}, {said_test(result)}{size}{tail}."


def said_of_clusters(result: Result) -> bool:
    """Tell whether clusters lead."""
    return any(r.group == IGNORING for r in result.rows)


def said_of_sizes(result: Result) -> str:
    """Count the pairs, and the clusters they are in."""
    clusters = [cluster_count(n, what) for what, n in result.counts.items() if "of '" in what]
    return count(result.counts["pairs"], "pair") + (f" in {listing(clusters)}" if clusters else "")


def cluster_count(n: int, what: str) -> str:
    """Count clusters: ``1 cluster of 'story'``."""
    return count(n, what.replace("clusters", "cluster", 1), what)


def interval_name(row: Row) -> str:
    """Name the interval, from the row's method."""
    return (row.method or "").split(";")[0]


def said_test(result: Result) -> str:
    """Say the leading test with its statistic, df and p."""
    name = result.extras["lead"]
    row = result.row(name, group="test")
    if row.undefined:
        return f"{TEST_NAMES[name]} undefined ({row.undefined})"
    value = number(row.statistic)
    if name in ("robust_t", "score", "cluster_means_t") and row.df is not None:
        df = number(row.df, 0 if abs(row.df - round(row.df)) < WHOLE else 1)
        return f"{TEST_NAMES[name]} t({df}) = {value}, {p_value(row.p_value)}"
    if row.df is not None:
        return f"{TEST_NAMES[name]} chi-square({number(row.df, 0)}) = {value}, {p_value(row.p_value)}"
    return f"{TEST_NAMES[name]} {p_value(row.p_value)}"


def ignoring_text(result: Result) -> str:
    """Say what the mid-p test gives when the clusters are ignored."""
    row = result.row("mid_p", group=IGNORING)
    return f"; ignoring the clusters, {TEST_NAMES['mid_p']} would give {p_value(row.p_value)}"


def plot(result: Result, ax: Axes | None = None, *, kind: str = "difference", **options: Any) -> Axes:
    """Draw the difference with its interval (``kind="difference"``), or the four cells (``kind="cells"``)."""
    from socialstats.figures import forest, two_by_two

    if kind == "cells":
        design = result.design
        return two_by_two(
            **result.extras["cells"], conditions=design.conditions, levels=design.levels, ax=ax, **options
        )
    if kind != "difference":
        raise InputError(f"kind={kind!r} is not one of difference, cells")
    import dataclasses

    shown = [r for r in result.rows if r.term == "difference"]
    names = ["difference"] if len(shown) == 1 else ["with clusters", IGNORING]
    shown = [dataclasses.replace(r, term=name) for r, name in zip(shown, names, strict=True)]
    first, second = (shorten(c, 20) for c in result.design.conditions)
    settings = {"xlabel": f"Difference of proportions ({first} minus {second})", "sort": False, "digits": 3}
    return forest(shown, ax=ax, **{**settings, **options})


METRIC = Metric(
    name="mcnemar",
    title="Difference of two paired proportions (McNemar)",
    design="paired",
    function=mcnemar,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.mcnemar:verify",
    estimand="How much the share of units with the second of two levels differs between two conditions, first minus "
    "second, and the odds that a unit which differs has it under the first.",
    assumptions=(
        "every unit is seen once under each condition",
        "clusters (or pairs, where none are declared) are independent of each other",
        "t intervals: about 10 clusters or more, and no cluster that holds most pairs",
    ),
    references=PAIR_REFERENCES + CLUSTER_REFERENCES,
    swap="none",  # the difference and g change sign, but the odds ratio becomes its inverse and the tests stay
    values="binary",
)

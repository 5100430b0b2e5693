"""Numbers into rows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from socialstats.inference.clustered_mean import ClusteredMean
from socialstats.inference.rows import with_ends, with_mean, with_share
from socialstats.metrics.mcnemar.analysis import Analysis, Tests
from socialstats.metrics.mcnemar.options import ODDS_RATIO_NAMES, TEST_NAMES
from socialstats.models.clustered_mcnemar import SPECTRAL_FLOOR
from socialstats.models.mcnemar import Cells, McNemarTest, cohens_g, odds_ratio_interval
from socialstats.models.paired_proportions import INTERVALS, NAMES, wald_std_error
from socialstats.models.paired_shares import CLUSTERED_SCORE
from socialstats.results import Row
from socialstats.text import interval

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

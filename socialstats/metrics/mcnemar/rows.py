"""Numbers into rows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from socialstats.inference.clustered_mean import ClusteredMean
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
    ends, name = robust_ends(robust, level), robust_name(robust)
    if found.score_leads and found.score is not None:
        low, high = found.score.interval(level)
        ends, name = (float(low[0]), float(high[0])), CLUSTERED_SCORE
    done = test if isinstance(test, McNemarTest) else None
    return Row(
        term="difference", estimate=cells.difference, std_error=None if robust.undefined else robust.std_error,
        conf_low=ends[0] if ends else None, conf_high=ends[1] if ends else None, conf_level=level if ends else None,
        statistic=done.statistic if done else None, df=done.df if done else None, p_value=done.p if done else None,
        n=cells.n, n_units=int(cells.n), n_clusters=min(robust.clusters), leverage=largest_share(found),
        method=f"{name}; {named(lead, test)}",
        undefined=str(test) if done is None else None if ends else robust.undefined,
    )  # fmt: skip


def largest_share(found: Analysis) -> float | None:
    """Largest share of the pairs that one cluster holds."""
    errors = found.score.errors if found.score is not None else None
    return None if errors is None else float(errors.largest[0])


def robust_ends(robust: ClusteredMean, level: float) -> tuple[float, float] | None:
    """t interval of a difference of shares, cut at -1 and 1."""
    if robust.undefined:
        return None
    low, high = robust.interval(level)
    return max(low, -1.0), min(high, 1.0)


def pairs_difference(
    cells: Cells, settings: dict[str, Any], test: McNemarTest | None, named: str, group: str | None
) -> Row:
    """The difference with an interval that takes pairs as independent."""
    level, kind = settings["level"], settings["difference_ci"]
    low, high = INTERVALS[kind](cells, level)
    known = low < high
    chi_square = test is not None and test.df is not None
    return Row(
        term="difference", group=group, estimate=cells.difference, std_error=wald_std_error(cells) or None,
        conf_low=low if known else None, conf_high=high if known else None, conf_level=level if known else None,
        statistic=test.statistic if test is not None and chi_square else None,
        df=test.df if test is not None else None, p_value=test.p if test is not None else None,
        n=cells.n, n_units=int(cells.n), method=f"{NAMES[kind]}; {named}" if named else NAMES[kind],
        undefined=None if known else f"{NAMES[kind]} has no width here; difference_ci='tango' has",
    )  # fmt: skip


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
    return replace(row, conf_low=low, conf_high=high, conf_level=level, df=share.df)


def pairs_odds_ratio(cells: Cells, kind: str, level: float, group: str | None) -> Row:
    """The matched odds ratio with an interval that takes pairs as independent."""
    ends = odds_ratio_interval(cells, kind, level)
    why = infinite(cells)
    if not why and ends is None:
        why = "Wald's interval needs discordant pairs of both kinds; odds_ratio_ci='exact' does not"
    elif why and ends is not None:
        why += f"; {interval(*ends, level=level)}"
    known = ends is not None and not why
    return Row(
        term="odds_ratio", group=group, estimate=cells.odds_ratio, n=cells.n, n_units=int(cells.discordant),
        conf_low=ends[0] if known and ends else None, conf_high=ends[1] if known and ends else None,
        conf_level=level if known else None, method=ODDS_RATIO_NAMES[kind], undefined=why or None,
    )  # fmt: skip


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
        return replace(row, conf_low=values[1], conf_high=values[2], conf_level=level, method="Wilson's interval")
    row, share = replace(row, n_clusters=min(found.robust.clusters)), found.discordant
    if share is None or share.low is None or share.high is None:
        return replace(row, undefined=share.undefined if share else NONE_DISCORDANT)
    return replace(
        row, std_error=share.std_error, conf_low=share.low - 0.5, conf_high=share.high - 0.5, conf_level=level,
        df=share.df, leverage=share.largest, method=DISCORDANT,
    )  # fmt: skip


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
        if name == "cluster_means_t" and means is not None and not means.undefined:
            low, high = robust_ends(means, level) or (None, None)
            base |= {"estimate": means.mean, "std_error": means.std_error}
            base |= {"conf_low": low, "conf_high": high, "conf_level": level}
        if isinstance(test, McNemarTest):
            rows.append(Row(**base, statistic=test.statistic, df=test.df, p_value=test.p))
        else:
            rows.append(Row(**base, undefined=test))
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

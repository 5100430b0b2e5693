"""Cautions of McNemar's test: clusters, few discordant pairs, and tests that disagree."""

from __future__ import annotations

import math
from collections.abc import Sequence

from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import Caution, caution
from socialstats.inference.dependence import cluster_cautions, floored_caution
from socialstats.paired.matched_pairs import Cells, wald_std_error
from socialstats.paired.mcnemar_clusters import Clustered
from socialstats.resampling import Alternative
from socialstats.results import Row
from socialstats.text import count, number, p_value, significance_level_text

FEW_DISCORDANT = 10
INEXACT = ("difference", "cohens_g", "test")  # rows whose interval or test rests on large samples


def all_cautions(
    design: Paired,
    clustered: Clustered | None,
    cells: Cells,
    rows: Sequence[Row],
    factors: tuple[Factor, ...],
    level: float,
    side: Alternative,
) -> tuple[Caution, ...]:
    """Cautions SS201, SS202, SS205, SS206, SS314 and SS316, those that apply."""
    shown = [row for row in rows[:3] if row.has_interval]
    cautions = [few_discordant(clustered, cells, side)]
    df, even = None, math.inf
    if clustered is not None:
        affects = "the interval and test of the difference, which may be conservative"
        floored = floored_caution(clustered.mean, affects)
        cautions += [design_effect(clustered, cells), *floored]
        if clustered.score.errors is not None and not math.isnan(clustered.score.errors.df[0]):
            df = [float(clustered.score.errors.df[0]), *(row.df for row in shown[1:])]
            even = float(clustered.score.errors.df[0]) + 1
    largest = max((row.leverage or 0.0 for row in shown), default=0.0)
    clusters = cluster_cautions(design, factors, df=df, largest=largest, effective=even)
    return (*clusters, *(c for c in (*cautions, disagreement(rows, level)) if c is not None))


def few_discordant(clustered: Clustered | None, cells: Cells, side: Alternative) -> Caution | None:
    """SS314: the tests rest on the discordant pairs alone."""
    effective = discordant = cells.discordant
    if clustered is not None and not clustered.score_missing:
        effective = float((clustered.score.first + clustered.score.second)[0])
    if effective >= FEW_DISCORDANT:
        return None
    of = f"{count(discordant, 'discordant pair')} of {count(cells.n)}"
    if not discordant:
        ones = "exact, mid-p and sign-flip p are 1"
        if side != "two_sided":
            ones = "exact and sign-flip p are 1, mid-p is .5"
        return caution(
            "SS314",
            f"{of}: {ones} (no outcome is less extreme), chi-square, t and score tests are "
            "undefined (0/0), and so is the odds ratio (0 to infinity)",
            affects="tests, odds ratio",
            fix="quote the interval of the difference",
            rows=("odds_ratio", "test"),
        )
    if clustered is not None:
        text, fix = (
            f"{of}, about {number(effective, 1)} effective in clusters",
            "quote the score test of clusters",
        )
        return caution(
            "SS314",
            text,
            affects="chi-square and t tests of clusters, intervals",
            fix=fix,
            rows=INEXACT,
        )
    return caution(
        "SS314",
        of,
        affects="chi-square and t tests, score and Wald intervals",
        fix="quote the exact or mid-p test",
        rows=INEXACT,
    )


def design_effect(clustered: Clustered, cells: Cells) -> Caution | None:
    """SS205: how much clustering changes the standard error of the difference."""
    alone = wald_std_error(cells)
    if clustered.mean.undefined or not alone:
        return None
    ratio = clustered.mean.std_error / alone
    return caution(
        "SS205",
        f"the standard error of the difference is {number(ratio)} times that of independent pairs",
    )


def disagreement(rows: Sequence[Row], level: float) -> Caution | None:
    """SS316: some tests of the result are significant and others are not."""
    tested = [r.p_value for r in rows if r.p_value is not None and r.term != "difference"]
    below, alpha = [p for p in tested if p < round(1 - level, 12)], significance_level_text(level)
    if not below or len(below) == len(tested):
        return None
    spread = f"{p_value(min(tested))} to {p_value(max(tested))}"
    return caution(
        "SS316",
        f"{len(below)} of {len(tested)} tests gave p below {alpha} ({spread})",
        short=f"tests disagree at \u03b1 = {alpha}",
        fix="quote the test chosen in advance",
    )

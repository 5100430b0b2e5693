"""What to know before quoting a McNemar test."""

from __future__ import annotations

import math

from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import Caution, caution
from socialstats.inference.dependence import cluster_cautions
from socialstats.metrics.mcnemar.analysis import Analysis
from socialstats.models.paired_proportions import wald_std_error
from socialstats.results import Row
from socialstats.text import count, number, p_value

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

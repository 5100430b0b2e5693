"""Where the bias of couples comes from: scenario by scenario."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import OK, Ratings
from socialstats.figures import estimation
from socialstats.results import Result, Row
from socialstats.studies.couple_words import groups_of, sides
from socialstats.studies.estimates import numbers_text, rows_table
from socialstats.studies.outcome import Block
from socialstats.text import count, number, p_value

RUNGS = ("rung", "variant")  # columns that say which wording of a question was answered
AS_WRITTEN = ("0", "original", "as written")


def rung_of(design: Ratings) -> Factor | None:
    """Return the wording that was tried last, where the table says it."""
    return next((design.strata[name] for name in RUNGS if name in design.strata), None)


def scenario_scores(design: Ratings, first: str, second: str) -> tuple[FloatArray, FloatArray]:
    """Return the scenarios' mean answers with `first` in the second place, and with `first` in the first place.

    Scenarios without answers in both orders are left out.
    """
    scenario = factor_of(design, "scenario")
    labels = [np.array(design.strata[n].levels)[design.strata[n].codes[design.unit]]
              for n in ("group_first", "group_second")]  # fmt: skip
    score = np.where(np.array(design.levels)[np.maximum(design.value, 0)] == "1", 1.0, -1.0)
    weight = design.unit_count[design.unit] * (design.status == OK)
    size = len(scenario.levels)
    means = []
    for one, other in ((second, first), (first, second)):
        mine = (labels[0] == one) & (labels[1] == other)
        code = scenario.codes[design.unit][mine]
        n = np.bincount(code, weights=weight[mine], minlength=size)
        total = np.bincount(code, weights=(weight * score)[mine], minlength=size)
        means.append(np.divide(total, n, out=np.full(size, np.nan), where=n > 0))
    both = np.isfinite(means[0]) & np.isfinite(means[1])
    return means[0][both], means[1][both]


def factor_of(design: Ratings, name: str) -> Factor:
    """Return a stratum or cluster of the units."""
    known = {**design.strata, **{factor.name: factor for factor in design.clusters}}
    return known[name]


def scenario_blocks(design: Ratings, main: Result, scenarios: Result, biases: Sequence[Row]) -> tuple[Block, ...]:
    """Return the estimation plot of the scenarios' differences of each pair of groups."""
    found = []
    for k, row in enumerate(biases):
        mean, flip = (main.row(row.term, group=g) for g in ("scenario means", "scenario sign flip"))
        if mean.estimate is None:
            continue
        first, second = sides(row, main.extras["groups"])
        after, before = scenario_scores(design, *groups_of(row, main.extras["groups"]))
        each = [replace(r, term=(r.group or "").partition(" = ")[2], group=None) for r in scenarios.rows
                if r.term == row.term and (r.group or "").startswith("scenario = ")]  # fmt: skip
        above = sum((r.estimate or 0.0) > 0 for r in each)
        below = sum((r.estimate or 0.0) < 0 for r in each)
        found.append(
            Block(
                id=f"scenarios-{k + 1}",
                question=f"Do the scenarios agree about '{first}' and '{second}'?",
                sentences=(
                    f"{count(above)} of {count(len(each), 'scenario')} favour '{first}' and {count(below)} '{second}'. "
                    f"With one difference a scenario, all alike, B is {numbers_text(mean)}{test_text(mean)}; "
                    f"sign flips of whole scenarios give {p_value(flip.p_value)}. "
                    "Both take the pairs of names as given.",
                ),
                draw=partial(estimation, after, before, None, mean, binary=False, ylabel="mean answer of a scenario",
                             conditions=(f"{first} second", f"{first} first"), unit="scenario"),
                figure_title=f"Mean answers of the scenarios in both orders of {first} and {second}, and their "
                "difference",
                caption=f"Left: the same scenario with {first} in the second and in the first place (+1: the second "
                f"name is right). Right: their differences, above 0 where {first} is favoured.",
                tables=(rows_table(each, f"Bias {row.term} of each scenario; intervals by pairs of names, within the "
                                   "scenario", term="Scenario"),),
                results=(scenarios,) if k == 0 else (),
            )
        )  # fmt: skip
    return tuple(found)


def test_text(row: Row) -> str:
    """Write the t test of a row, after a comma."""
    if row.statistic is None or row.df is None:
        return ""
    return f", t({number(row.df, 0)}) = {number(row.statistic)}, {p_value(row.p_value)}"

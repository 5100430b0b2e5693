"""Where the bias of couples comes from: scenario by scenario, topic by topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from socialstats.designs.parts import Factor, FloatArray
from socialstats.designs.ratings import OK, Ratings
from socialstats.figures import estimation, forest
from socialstats.figures.forest import MOST_ROWS
from socialstats.results import Result, Row
from socialstats.studies.couple_words import groups_of, sides
from socialstats.studies.estimates import numbers_text, rows_table, with_holm
from socialstats.studies.outcome import Block
from socialstats.text import count, listing, number, p_value, shorten

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
                question=f"Do the scenarios agree about {first} and {second}?",
                sentences=(
                    f"{count(above)} of {count(len(each), 'scenario')} favour {first} and {count(below)} {second}. "
                    f"With one difference a scenario, all alike, B is {numbers_text(mean)}{test_text(mean)}; "
                    f"sign flips of whole scenarios give {p_value(flip.p_value)}.",
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


def strata_blocks(strata: Mapping[str, Result]) -> tuple[Block, ...]:
    """Return a forest of the biases by level of each stratum, tests adjusted over all of them."""
    found = []
    for name, result in strata.items():
        title = shorten(name, 40)
        parts = [r for r in result.rows if (r.group or "").startswith(f"{name} = ")]
        biases = {r.term for r in result.rows if r.group == "bias"}
        levels = [(r, (r.group or "").partition(" = ")[2]) for r in parts]
        own = [replace(r, term=f"{level}: {r.term}", group=None, p_adjusted=None)
               for r, level in levels if r.term in biases]  # fmt: skip
        rows, adjusted = with_holm(own, f"pairs of groups and levels of {name}")
        more = [replace(r, term=f"{level}: {'place' if r.term == 'same groups' else r.term}", group=None)
                for r, level in levels if r.term in ("B_all", "same groups")]  # fmt: skip
        scores = [replace(r, term=f"{level}: {r.term if ', ' in r.term else f'{r.term}, {r.term}'}", group=None)
                  for r, level in levels if r.term not in (*biases, "B_all", "same groups")]  # fmt: skip
        gaps = [r for r in result.rows if " - " in (r.group or "") and r not in parts]
        tables = [rows_table(rows, f"Bias B by {title}", term=title.capitalize()),
                  rows_table(more, f"B_all and effect of the place by {title}", term=title.capitalize())]  # fmt: skip
        if scores:
            tables.append(rows_table(scores, f"Mean answer S of every kind of couple by {title}",
                                     term=f"{title.capitalize()}: first, second name"))  # fmt: skip
        if gaps:
            tables.append(rows_table(gaps, f"Differences of the biases between the two levels of {title} (p (Holm): "
                                     "over the pairs of groups)", term="Difference"))  # fmt: skip
        found.append(
            Block(
                id=f"stratum-{name}",
                question=f"Does the bias differ by {title}?",
                sentences=stratum_sentences(title, rows, gaps),
                draw=partial(forest, rows[:MOST_ROWS], sort=False, label=title.capitalize(),
                             xlabel="B (above 0: the group named first is favoured)"),
                figure_title=f"Bias B of each pair of groups by {title}",
                caption="Each level by itself, with the clusters it has: a level of few scenarios has a long interval, "
                "of one scenario none.",
                tables=tuple(tables),
                results=(result,) if adjusted is None else (result, adjusted),
            )
        )  # fmt: skip
    return tuple(found)


def stratum_sentences(title: str, rows: Sequence[Row], gaps: Sequence[Row]) -> tuple[str, ...]:
    """Say which levels differ from no bias after adjustment, and whether two levels differ from each other."""
    known = [r for r in rows if r.p_adjusted is not None]
    clear = [r for r in known if r.p_adjusted is not None and r.p_adjusted < 0.05]
    differ = "differs" if len(clear) == 1 else "differ"
    named = listing([f"{shorten(r.term, 60)} ({numbers_text(r)})" for r in clear], most=6)
    said = [
        (f"Of {count(len(known), 'bias', 'biases')} by {title}, " if len(known) == len(rows) else
         f"Of {count(len(rows), 'bias', 'biases')} by {title}, {count(len(rows) - len(known))} cannot be tested (their "
         f"level is too small); of the other {count(len(known))}, ")
        + (f"{count(len(clear))} {differ} from 0 after adjustment (Holm-adjusted p below .05): {named}." if clear else
           "none differs from 0 after adjustment (Holm-adjusted p below .05); the data do not settle them one by one.")
    ]  # fmt: skip
    for row in gaps:
        if row.estimate is None or row.p_value is None:
            continue
        p = p_value(row.p_adjusted, name="Holm-adjusted p")
        clear_gap = row.p_adjusted is not None and row.p_adjusted < 0.05
        which = "differs" if clear_gap else "is not settled to differ"
        said.append(
            f"B of {shorten(row.term, 40)} {which} between the two levels ({shorten(row.group or '', 60)}: "
            f"{numbers_text(row)}, {p})."
        )
    return tuple(said)

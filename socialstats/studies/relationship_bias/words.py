"""Biases of couples as rows of tables and sentences."""

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
from socialstats.studies.estimates import (
    Verdict,
    df_text,
    equivalence_bounds,
    numbers_text,
    planned_verdict,
    rows_table,
)
from socialstats.studies.page import Block, StudyOptions
from socialstats.text import count, interval, number, p_value, shorten

FAMILY = "pairs of groups"


MOST = 2.0


def settled(row: Row, options: StudyOptions) -> Verdict:
    """Say what a bias settles: by its adjusted p, and by the smallest effect where one was given."""
    return planned_verdict(
        row, alpha=1 - options.level, bounds=equivalence_bounds(row), smallest=options.smallest_effect
    )


def groups_of(row: Row, groups: Sequence[str] = ()) -> tuple[str, str]:
    """Return the two groups of a bias; `groups` tells them apart where their names hold a dash.

    Examples
    --------
    >>> groups_of(Row(term="a - b - c"), ("a - b", "c"))
    ('a - b', 'c')
    """
    known = [(one, other) for one in groups for other in groups if row.term == f"{one} - {other}"]
    first, _, second = row.term.partition(" - ")
    return known[0] if known else (first, second)


def sides(row: Row, groups: Sequence[str] = ()) -> tuple[str, str]:
    """Return the two groups of a bias, ready for a sentence."""
    first, second = groups_of(row, groups)
    return shorten(first, 40), shorten(second, 40)


def favoured(row: Row, options: StudyOptions, groups: Sequence[str] = (), *, brief: bool = False) -> str:
    """Say who is favoured over whom, or that the data do not settle it.

    Examples
    --------
    >>> row = Row(term="woman - man", estimate=0.3, conf_low=0.1, conf_high=0.5, conf_level=0.95, statistic=3.1,
    ...           df=19.0, p_value=0.006, p_adjusted=0.012)
    >>> favoured(row, StudyOptions()).partition(", t(19)")[0]
    "'woman' names are favoured over 'man' names (B = 0.30, 95% CI [0.10, 0.50]"
    """
    first, second = (f"'{side}'" for side in sides(row, groups))
    if row.estimate is None or (row.p_value is None and row.conf_low is None):
        return unheard(row, first, second)
    inside, what = bias_text(row, brief=brief), settled(row, options)
    if what == "equal":
        near = number(options.smallest_effect)
        return f"{first} and {second} names are practically equal, within ±{near} ({inside})"
    if what in ("above", "below"):
        one, other = (first, second) if what == "above" else (second, first)
        return f"{one} names are favoured over {other} names ({inside})"
    alone = row.p_adjusted is not None and row.p_value is not None and row.p_value < 1 - options.level
    after = "after adjustment for several tests " if alone else ""
    return f"{after}the data do not settle whether {first} or {second} names are favoured ({inside})"


def unheard(row: Row, first: str, second: str) -> str:
    """Say what a bias without interval and test still shows: everything, where one group was always chosen.

    Examples
    --------
    >>> unheard(Row(term="a - b", estimate=-2.0, n=80.0), "'a'", "'b'").partition(" (B")[0]
    "'b' names were chosen over 'a' names in all 80 answers"
    """
    if row.estimate is not None and abs(row.estimate) == MOST:
        one, other = (first, second) if row.estimate > 0 else (second, first)
        return (
            f"{one} names were chosen over {other} names in all {count(row.n or 0)} answers (B = "
            f"{number(row.estimate, 0)}, the largest there can be; no standard error, as no answer differs)"
        )
    return f"no verdict on {first} and {second} names ({numbers_text(row)})"


def opened(said: str) -> str:
    """Begin a sentence with a capital, and leave the name of a group as it is written."""
    own = said.startswith(("the data ", "no verdict ", "after "))
    return f"{said[0].upper()}{said[1:]}" if own else said


def bias_text(row: Row, *, brief: bool = False) -> str:
    """Write B with its interval and test (`brief`: the adjusted p alone, where there is one)."""
    text = f"B = {number(row.estimate)}"
    if row.conf_low is not None:
        text += f", {interval(row.conf_low, row.conf_high, level=row.conf_level or 0.95)}"
    if row.statistic is not None and row.p_value is not None and not (brief and row.p_adjusted is not None):
        text += f", t({df_text(row.df)}) = {number(row.statistic)}, {p_value(row.p_value)}"
    if row.p_adjusted is not None:
        text += f", {p_value(row.p_adjusted, name='Holm-adjusted p')}"
    return text


def answer(main: Result, biases: Sequence[Row], options: StudyOptions) -> tuple[str, ...]:
    """Return who is favoured, B_all beside what chance gives it, and what a row-level test would have claimed."""
    ordered = sorted(biases, key=lambda row: {"open": 1, "none": 2}.get(settled(row, options), 0))
    said = ". ".join(opened(favoured(row, options, main.extras["groups"], brief=True)) for row in ordered)
    n, group = main.counts, sides(biases[0], main.extras["groups"])[0]
    first = f"{said}. B of '{shorten(biases[0].term, 60)}' is positive where '{group}' names are favoured."
    better = main.row("B_all corrected", group="overall")
    null = main.row("B_all", group="overall, without any bias")
    second = f"Over all pairs of groups the mean size of the bias is {numbers_text(better)} (B_all, corrected)"
    if null.estimate is not None:
        plain = main.row("B_all", group="overall")
        second += (
            f"; uncorrected it is {number(plain.estimate)}, and would be {number(null.estimate)} on average if nobody "
            f"were favoured (test of no bias: {p_value(null.p_value)})"
        )
    naive = disagreements(main, biases, options)
    third = (
        f"A test that takes the {n['complete couples']:,} couples as independent would have claimed {naive}."
        if naive else ""
    )  # fmt: skip
    return tuple(text for text in (first, f"{second}.", third) if text)


def disagreements(main: Result, biases: Sequence[Row], options: StudyOptions) -> str:
    """Name what McNemar's test calls significant and the clustered test leaves open."""
    claims = []
    for row in biases:
        naive = main.row(row.term, group="McNemar, ignoring clusters")
        if naive.p_value is not None and naive.p_value < 1 - options.level and settled(row, options) == "open":
            pair = sides(row, main.extras["groups"])
            one, other = pair if (naive.estimate or 0.0) > 0 else pair[::-1]
            claims.append(
                f"that '{one}' names are favoured over '{other}' names ({p_value(naive.p_value)}, not adjusted)"
            )
    return "; ".join(claims)


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

"""Pairs of raters: which agree with each other, and where two of them differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from socialstats import sentences
from socialstats.agreement.kappa import pair_names
from socialstats.agreement.kappa_quantiles import kappa_quantiles, kappas_of
from socialstats.agreement.weighted_kappa import weighted_kappa
from socialstats.designs.ratings import Ratings
from socialstats.errors import NothingToAnalyse, UndefinedStatistic
from socialstats.figures import forest, rater_heat, square
from socialstats.figures.heat import MOST_GROUPS
from socialstats.figures.squares import MOST_LEVELS
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.studies.asking import ask_rows, interval_points
from socialstats.studies.estimates import (
    extremes,
    rows_table,
    single,
)
from socialstats.studies.page import (
    Block,
    PageTable,
    StudyOptions,
)
from socialstats.text import (
    count,
    number,
    percent,
    quoted,
    shorten,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAIRS_OF_RATERS = "pairs of raters"
MOST_LISTED = 200  # raters
TOGETHER = ("mean", "pooled", "all pairs")
MOST_RATERS = 30  # more have too many pairs to list them all
FEWEST_UNITS = 10  # common units of a pair among the highest and lowest
ENDS = 5


def pairs_block(design: Ratings, kappa: Result, percents: Result) -> Block | None:
    """Return the heat map over pairs of raters, with tests adjusted over the pairs; None for two raters."""
    pairs = tuple(combinations(design.raters, 2))
    kappas, shares = (
        [row for row in result.rows if row.group is None and row.term not in TOGETHER]
        for result in (kappa, percents)
    )
    if len(design.raters) < 3 or len(kappas) != len(pairs):
        return None
    rows, adjusted = adjust_family_by_holm(kappas, PAIRS_OF_RATERS)
    by_pair = [(first, second, row) for (first, second), row in zip(pairs, rows, strict=True)]
    estimated = [row for row in rows if row.estimate is not None]
    # those that are 0 whatever the other rater said come last
    estimated.sort(key=lambda row: row.undefined is not None)
    few = len(design.raters) <= MOST_GROUPS

    def draw(_rows: Sequence[Row], _names: Sequence[str], xlabel: str) -> Callable[[], Axes]:
        if few:
            return partial(rater_heat, by_pair)
        return partial(forest, estimated[:MOST_LISTED], xlabel=xlabel)

    cells = (
        "Each cell: kappa and the units that both raters rated. Blue: above chance; orange: below."
    )
    return ask_rows(
        "pairs",
        "Which raters agreed with each other?",
        kappa,
        rows,
        quantity=f"{kappa.title} of each pair of raters",
        say=[*pair_sentences(rows), *apart_sentence(kappas)],
        names=[row.term for row in rows],
        draw=draw,
        more=[rows_table(shares, "Percent agreement of each pair", term="Pair")],
        results=[adjusted],
        note=f"{cells if few else ''} Differences between pairs were not tested.".strip(),
    )


def pair_sentences(rows: Sequence[Row]) -> list[str]:
    """State which pairs agree most and least, and which kappa says nothing of."""
    estimated = [row for row in rows if row.estimate is not None]
    varied = [row for row in estimated if row.undefined is None]
    constant = [row for row in estimated if row.undefined is not None]
    if not varied:
        return [f"Kappa is undefined for all {count(len(rows), 'pair')} of raters."]
    enough = [row for row in varied if (row.n or 0.0) >= FEWEST_UNITS] or varied
    which = " of raters"
    if len(enough) < len(varied):
        which = f" of raters with at least {FEWEST_UNITS} common units"
    elif constant:
        which = " whose raters both varied"
    low, high = (
        f"{quoted([row.term for row in enough if row.estimate == end.estimate], 3)}, "
        f"{sentences.estimate_text(end)}"
        for end in extremes(enough)
    )
    lines = [f"Of {count(len(enough), 'pair')}{which}, agreement was highest for {high}."]
    if len(enough) > 1:
        lines.append(f"It was lowest for {low}.")
    if constant:
        others = count(len(constant), "other pair")
        lines.append(f"Kappa says nothing of {others}: {constant[0].undefined}.")
    return lines


def apart_sentence(rows: Sequence[Row]) -> list[str]:
    """State for which pairs the interval and the unadjusted test disagree; nothing where they agree for all."""
    apart = [
        row.term
        for row in rows
        if sentences.with_p(row)
        and row.conf_low is not None
        and sentences.reliable(row) != sentences.is_significant(replace(row, p_adjusted=None))
    ]
    if not apart:
        return []
    return [
        f"CI and unadjusted test disagree for {quoted(apart, 3)}: they are of different methods."
    ]


def crossed_block(design: Ratings) -> Block | None:
    """Return the square table of two raters; None for another number of raters, or too many levels."""
    if len(design.raters) != 2 or len(design.levels) > MOST_LEVELS:
        return None
    table = design.square(*design.raters)
    same, total = float(np.trace(table)), float(table.sum())
    if total == 0:
        return None
    one, other = (shorten(name, 40) for name in design.raters)
    return Block(
        id="pairs",
        question=f"Where did {one} and {other} differ?",
        sentences=(
            f"They gave the same level to {count(same)} of {count(total, 'unit')} ({percent(same / total)}).",
        ),
        draw=partial(square, table, levels=design.levels, conditions=design.raters),
        figure_title=f"Rows: {one}; columns: {other}",
        caption="Each cell: units and their share of the units that both raters rated.",
    )


def at_the_ends(kappa: Result, design: Ratings, options: StudyOptions) -> list[Result]:
    """Return kappa of the pairs with the largest and the smallest ones, of those with ten units in common."""
    enough = {name: value for name, (value, n) in kappas_of(kappa).items() if n >= FEWEST_UNITS}
    order = sorted(enough, key=lambda name: (-enough[name], name))
    codes = {name: pair for pair, name in pair_names(design.raters).items()}
    found = []
    for name in order if len(order) <= 2 * ENDS else [*order[:ENDS], *order[-ENDS:]]:
        with suppress(UndefinedStatistic, NothingToAnalyse):
            pair = [design.raters[code] for code in codes[name]]
            found.append(single(weighted_kappa(design.of_raters(pair), level=options.level)))
    return found


def many_pairs_block(design: Ratings, kappa: Result | None, options: StudyOptions) -> Block | None:
    """Return the distribution of the pairs' kappas and its ends; None for few raters, or without two kappas."""
    if kappa is None or len(design.raters) <= MOST_RATERS or len(kappas_of(kappa)) < 2:
        return None
    spread, ends = kappa_quantiles(kappa), at_the_ends(kappa, design, options)
    rows = [replace(row, group=None) for row in kappa.rows if row.group is None]
    rows += [replace(result.rows[0], group=None) for result in ends]
    place = {row.term: number(row.shown()) for row in spread.rows}
    pairs = len(design.raters) * (len(design.raters) - 1) // 2
    title = f"{kappa.title}: all pairs pooled, and the highest and lowest pairs"
    quantiles = tuple((row.term, row.estimate) for row in spread.rows)
    return ask_rows(
        "pairs",
        "Which raters agreed with each other?",
        spread,
        rows,
        quantity=title,
        say=[
            f"Kappa was defined for {count(spread.counts['pairs'])} of {count(pairs, 'pair')} of raters.",
            f"Its median was {place['median']}, with quartiles {place['lower quartile']} and "
            f"{place['upper quartile']} and extremes {place['smallest']} and {place['largest']}.",
        ],
        names=[row.term for row in rows],
        draw=interval_points(),
        table=PageTable("Kappas of all pairs of raters", ("Of all pairs", "Kappa"), quantiles),
        more=[rows_table(rows, title, term="Pair")],
        results=ends,
        note=f"Highest and lowest: of pairs with at least {FEWEST_UNITS} common units; selected extremes overstate "
        "differences.",
    )

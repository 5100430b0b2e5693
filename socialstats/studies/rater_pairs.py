"""Pairs of raters: which agree with each other, and where two of them differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from socialstats.agreement.kappa import pair_names
from socialstats.agreement.kappa_quantiles import kappa_quantiles, kappas_of
from socialstats.agreement.weighted_kappa import weighted_kappa
from socialstats.designs.ratings import Ratings
from socialstats.figures import forest, rater_heat, square
from socialstats.figures.heat import MOST_GROUPS
from socialstats.figures.squares import MOST_LEVELS
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.studies.asking import ask_rows, attempt_result
from socialstats.studies.estimates import rows_table, table_of
from socialstats.studies.page import Block, StudyOptions
from socialstats.studies.row_figures import interval_points
from socialstats.studies.row_picking import row_term
from socialstats.studies.row_sentences import span_sentence
from socialstats.text import count, percent, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LISTED = 200  # raters
TOGETHER = ("mean", "pooled", "all pairs")
MOST_RATERS = 30  # more have too many pairs to list them all
FEWEST_UNITS = 10  # common units of a pair among the highest and lowest
ENDS = 5


def rater_pairs_question(design: Ratings, kappa: Result, percents: Result) -> Block | None:
    """Ask which pairs of raters agree, with tests adjusted over the pairs; None for two raters."""
    pairs = tuple(combinations(design.raters, 2))
    kappas, shares = (
        [row for row in result.rows if row.group is None and row.term not in TOGETHER]
        for result in (kappa, percents)
    )
    if len(design.raters) < 3 or len(kappas) != len(pairs):
        return None
    rows, adjusted = adjust_family_by_holm(kappas, "pairs of raters")
    by_pair = [(first, second, row) for (first, second), row in zip(pairs, rows, strict=True)]
    # kappas that are 0 whatever the other rater said come last
    estimated = [row for row in rows if row.estimate is not None]
    estimated.sort(key=lambda row: row.undefined is not None)
    few = len(design.raters) <= MOST_GROUPS

    def draw(_rows: Sequence[Row], _names: Sequence[str], xlabel: str) -> Callable[[], Axes]:
        if few:
            return partial(rater_heat, by_pair)
        return partial(forest, estimated[:MOST_LISTED], xlabel=xlabel)

    cells = (
        "Each cell: kappa and the units that both raters rated. Blue: above chance; orange: below. "
    )
    return ask_rows(
        "pairs",
        "Which raters agreed with each other?",
        kappa,
        rows,
        quantity=f"{kappa.title} of each pair of raters",
        say=pair_sentences(rows),
        names=row_term,
        draw=draw,
        more=[rows_table(shares, "Percent agreement of each pair", term="Pair")],
        results=adjusted,
        note=f"{cells * few}CIs and tests are of different methods. Differences between pairs were not tested.",
    )


def pair_sentences(rows: Sequence[Row]) -> list[str]:
    """State which pairs agree most and least, and which kappa says nothing of."""
    constant = [row for row in rows if row.estimate is not None and row.undefined is not None]
    varied = [row for row in rows if row.estimate is not None and row.undefined is None]
    enough = [row for row in varied if (row.n or 0.0) >= FEWEST_UNITS] or varied
    which = " who both varied" * bool(constant)
    if len(enough) < len(varied):
        which = f" with at least {FEWEST_UNITS} common units"
    lines = [span_sentence(enough, f"kappa of {count(len(enough), 'pair')} of raters{which}")]
    if constant:
        others = count(len(constant), "other pair")
        lines.append(f"Kappa says nothing of {others}: {constant[0].undefined}.")
    return lines


def crossed_question(design: Ratings) -> Block | None:
    """Ask where two raters differ, by their square table; None for another number of raters, or too many levels."""
    if len(design.raters) != 2 or len(design.levels) > MOST_LEVELS:
        return None
    table = design.square(*design.raters)
    equal, total = float(np.trace(table)), float(table.sum())
    if total == 0:
        return None
    first, second = (shorten(name, 40) for name in design.raters)
    units = f"{count(equal)} of {count(total, 'unit')} ({percent(equal / total)})"
    return Block(
        id="pairs",
        question=f"Where did {first} and {second} differ?",
        sentences=(f"They gave the same level to {units}.",),
        draw=partial(square, table, levels=design.levels, conditions=design.raters),
        figure_title=f"Rows: {first}; columns: {second}",
        caption="Each cell: units and their share of the units that both raters rated.",
    )


def at_the_ends(kappa: Result, design: Ratings, options: StudyOptions) -> list[Result]:
    """Return kappa of the pairs with the largest and the smallest ones, of those with ten units in common."""
    enough = {name: value for name, (value, n) in kappas_of(kappa).items() if n >= FEWEST_UNITS}
    order = sorted(enough, key=lambda name: (-enough[name], name))
    ends = dict.fromkeys([*order[:ENDS], *order[-ENDS:]])
    codes = {name: pair for pair, name in pair_names(design.raters).items()}
    pairs = (design.of_raters([design.raters[code] for code in codes[name]]) for name in ends)
    results = [attempt_result(weighted_kappa, pair, level=options.level) for pair in pairs]
    return [result for result in results if result is not None]


def many_pairs_question(design: Ratings, kappa: Result, options: StudyOptions) -> Block | None:
    """Ask how the kappas of very many pairs are distributed; None for few raters, or without two kappas."""
    if len(design.raters) <= MOST_RATERS or len(kappas_of(kappa)) < 2:
        return None
    spread, ends = kappa_quantiles(kappa), at_the_ends(kappa, design, options)
    rows = [replace(row, group=None) for row in kappa.rows if row.group is None]
    rows += [replace(result.rows[0], group=None) for result in ends]
    pairs = count(math.comb(len(design.raters), 2), "pair")
    title = f"{kappa.title}: all pairs pooled, and the highest and lowest pairs"
    return ask_rows(
        "pairs",
        "Which raters agreed with each other?",
        [spread, *ends],
        rows,
        quantity=title,
        say=[
            f"Kappa was defined for {count(spread.counts['pairs'])} of {pairs} of raters.",
            spread.sentence(),
        ],
        names=row_term,
        draw=interval_points(),
        table=table_of(
            spread.rows,
            "Kappas of all pairs of raters",
            ("Of all pairs", "term"),
            {"Kappa": "estimate"},
        ),
        more=[rows_table(rows, title, term="Pair")],
        note=f"Highest and lowest: of pairs with at least {FEWEST_UNITS} common units; selected extremes overstate "
        "differences.",
    )

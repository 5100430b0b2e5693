"""Pairs of raters: which agree with each other, and where two of them differ."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import combinations

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
from socialstats.results import Result
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
    percent_of,
    quoted,
    shorten,
)

PAIRS_OF_RATERS = "pairs of raters"
MOST_LISTED = 200  # raters
TOGETHER = ("mean", "pooled", "all pairs")
MOST_RATERS = 30  # more have too many pairs to list them all
FEWEST_UNITS = 10  # common units of a pair among the highest and lowest
ENDS = 5


def pairs_block(design: Ratings, kappa: Result, percents: Result) -> Block | None:
    """Return the heat map over pairs of raters, with tests adjusted over the pairs; None for two raters."""
    pairs = tuple(combinations(design.raters, 2))
    known, shares = (
        [r for r in one.rows if r.group is None and r.term not in TOGETHER]
        for one in (kappa, percents)
    )
    if len(design.raters) < 3 or len(known) != len(pairs):
        return None
    rows, adjusted = adjust_family_by_holm(known, PAIRS_OF_RATERS)
    few = len(design.raters) <= MOST_GROUPS
    held = [r for r in rows if r.estimate is not None and r.undefined is None]
    flat = [
        r for r in rows if r.estimate is not None and r.undefined is not None
    ]  # 0 whatever the other rater said
    enough = [r for r in held if (r.n or 0.0) >= FEWEST_UNITS] or held
    told = f" with at least {FEWEST_UNITS} common units" if len(enough) < len(held) else ""
    said = [f"Kappa is undefined for all {count(len(pairs), 'pair')} of raters."]
    if held:
        low, high = (
            f"{quoted([r.term for r in enough if r.estimate == end.estimate], 3)}, {sentences.estimate_text(end)}"
            for end in extremes(enough)
        )
        compared = count(len(enough), "pair") + " whose raters both varied" * bool(
            flat and not told
        )
        said = [
            f"Of {compared}{'' if flat and not told else ' of raters'}{told}, agreement was highest for {high}.",
            *([f"It was lowest for {low}."] if len(enough) > 1 else []),
        ]
        if flat:
            said.append(
                f"Kappa says nothing of {count(len(flat), 'other pair')}: {flat[0].undefined}."
            )
        apart = [
            r.term
            for r in known
            if sentences.with_p(r)
            and r.conf_low is not None
            and sentences.reliable(r) != sentences.is_significant(replace(r, p_adjusted=None))
        ]
        if apart:
            said.append(
                f"CI and unadjusted test disagree for {quoted(apart, 3)}: they are of different methods."
            )
    by_pair = [(one, other, row) for (one, other), row in zip(pairs, rows, strict=True)]
    return Block(
        id="pairs",
        question="Which raters agreed with each other?",
        sentences=tuple(said),
        draw=partial(rater_heat, by_pair)
        if few
        else partial(forest, [*held, *flat][:MOST_LISTED], xlabel="kappa"),
        figure_title=f"{kappa.title} of each pair of raters",
        caption=(
            "Each cell: kappa and the units that both raters rated. Blue: above chance; orange: below."
            if few
            else f"Points and bars: kappa and {percent_of(kappa.settings['level'])} CIs."
        )
        + " Differences between pairs were not tested.",
        tables=(
            rows_table(rows, f"{kappa.title} of each pair", term="Pair"),
            rows_table(shares, "Percent agreement of each pair", term="Pair"),
        ),
        results=(kappa,) if adjusted is None else (kappa, adjusted),
    )


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
    rows = [replace(one.rows[0], group=None) for one in ends]
    joint = [replace(row, group=None) for row in kappa.rows if row.group is None]
    place = {row.term: number(row.shown()) for row in spread.rows}
    pairs = len(design.raters) * (len(design.raters) - 1) // 2
    cells = tuple((row.term, row.estimate) for row in spread.rows)
    return Block(
        id="pairs",
        question="Which raters agreed with each other?",
        sentences=(
            f"Kappa was defined for {count(spread.counts['pairs'])} of {count(pairs, 'pair')} of raters.",
            f"Its median was {place['median']}, with quartiles {place['lower quartile']} and "
            f"{place['upper quartile']} and extremes {place['smallest']} and {place['largest']}.",
        ),
        draw=partial(forest, [*joint, *rows], sort=False, xlabel="kappa"),
        figure_title=f"{kappa.title}: all pairs pooled, and the highest and lowest pairs",
        caption=f"Points and bars: kappa and {percent_of(options.level)} CIs. Highest and lowest: of pairs with at "
        f"least {FEWEST_UNITS} common units; selected extremes overstate differences.",
        tables=(
            PageTable("Kappas of all pairs of raters", ("Of all pairs", "Kappa"), cells),
            rows_table(
                [*joint, *rows],
                f"{kappa.title}: pooled, and the highest and lowest pairs",
                term="Pair",
            ),
        ),
        results=(spread, *ends),
    )

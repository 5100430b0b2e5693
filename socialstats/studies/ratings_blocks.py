"""Questions that a study of ratings answers, one block each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np

from socialstats.designs.ratings import MISSING, OK, REFUSAL, Ratings
from socialstats.figures import forest, rater_heat, square
from socialstats.figures.heat import MOST_GROUPS
from socialstats.figures.squares import MOST_LEVELS
from socialstats.results import Result, Row
from socialstats.studies.estimates import label_of, numbers_text, rows_table, with_holm
from socialstats.studies.outcome import Block, Table
from socialstats.text import count, listing, number, percent, shorten

PAIRS_OF_RATERS = "pairs of raters"
MOST_LISTED = 200  # raters
TOGETHER = ("mean", "pooled", "all pairs")


def coefficients_block(results: Mapping[str, Result]) -> Block:
    """Put the coefficients side by side: same ratings, other ideas of chance."""
    rows = [replace(result.rows[0], term=name) for name, result in results.items()]
    lead = next(iter(results.values()))
    return Block(
        id="agreement",
        question="How well do the raters agree?",
        sentences=tuple(result.sentence() for result in results.values()),
        draw=partial(forest, rows, sort=False, digits=3,
                     xlabel="1 = perfect agreement; 0 = as by chance (percent agreement: 0 = none)"),
        figure_title="Coefficients of agreement, each by its own idea of chance",
        caption=f"Intervals of the first: {lead.inference}. Percent agreement is not corrected for chance, and so not "
        "comparable with the others.",
        tables=(rows_table(rows, "Coefficients of all units and raters", term="Coefficient"),),
        results=tuple(results.values()),
    )  # fmt: skip


def pairs_block(design: Ratings, kappa: Result, percent_result: Result) -> Block | None:
    """Return the heat map over pairs of raters, with tests adjusted over the pairs; None for two raters."""
    pairs = tuple(combinations(design.raters, 2))
    known = [r for r in kappa.rows if r.group is None and r.term not in TOGETHER]
    shares = [r for r in percent_result.rows if r.group is None and r.term not in TOGETHER]
    if len(design.raters) < 3 or len(known) != len(pairs):
        return None
    rows, adjusted = with_holm(known, PAIRS_OF_RATERS)
    held = [r for r in rows if r.estimate is not None]
    few = len(design.raters) <= MOST_GROUPS
    said = f"No pair of {count(len(pairs), 'pair')} of raters has a kappa."
    if held:
        low, high = min(held, key=lambda r: r.estimate or 0.0), max(held, key=lambda r: r.estimate or 0.0)
        said = (
            f"Of {count(len(pairs), 'pair')} of raters, '{shorten(high.term)}' agree most "
            f"({numbers_text(high, bounded=True)}) and '{shorten(low.term)}' least ({numbers_text(low, bounded=True)})."
        )
    by_pair = [(one, other, row) for (one, other), row in zip(pairs, rows, strict=True)]
    return Block(
        id="pairs",
        question="Which raters agree with each other?",
        sentences=(said,),
        draw=partial(rater_heat, by_pair) if few else partial(forest, held[:200], digits=2, xlabel="kappa"),
        figure_title=f"{kappa.title} of each pair of raters",
        caption="Each cell: kappa, and the units that both rated. Blue: better than chance; orange: worse.",
        tables=(
            rows_table(rows, f"{kappa.title} of each pair", term="Pair"),
            rows_table(shares, "Percent agreement of each pair", term="Pair"),
        ),
        results=() if adjusted is None else (adjusted,),
    )


def crossed_block(design: Ratings) -> Block | None:
    """Return the square table of two raters; None for another number of raters, or too many levels."""
    if len(design.raters) != 2 or len(design.levels) > MOST_LEVELS:
        return None
    one, other = design.raters
    table = design.square(one, other)
    same, total = float(np.trace(table)), float(table.sum())
    if total == 0:
        return None
    return Block(
        id="pairs",
        question=f"Where do {shorten(one, 40)} and {shorten(other, 40)} differ?",
        sentences=(f"They gave the same level to {count(same)} of {count(total, 'unit')} ({percent(same / total)}).",),
        draw=partial(square, table, levels=design.levels, conditions=(one, other)),
        figure_title=f"Rows: {shorten(one, 40)}; columns: {shorten(other, 40)}",
        caption="Each cell: units, and their share of the units that both rated.",
    )


def stratum_block(design: Ratings, name: str, result: Result) -> Block:
    """Return reliability by stratum."""
    whole, *parts = result.rows
    tested, adjusted = with_holm(parts, f"levels of {name}")
    rows = [replace(whole, term="all units"), *(replace(r, term=r.group or r.term, group=None) for r in tested)]
    held = [r for r in rows[1:] if r.estimate is not None]
    said = f"Within no {shorten(name, 40)} alpha is defined."
    if held:
        low, high = min(held, key=lambda r: r.estimate or 0.0), max(held, key=lambda r: r.estimate or 0.0)
        said = (
            f"Alpha runs from {numbers_text(low, bounded=True)} ('{shorten(low.term, 40)}') to "
            f"{numbers_text(high, bounded=True)} ('{shorten(high.term, 40)}') over {count(len(parts), 'level')} of "
            f"{shorten(name, 40)}; with all units it is {numbers_text(whole, bounded=True)}."
        )
    return Block(
        id=f"stratum-{list(design.strata).index(name) + 1}",
        question=f"Does agreement differ by {shorten(name, 40)}?",
        sentences=(said,),
        draw=partial(forest, rows[:200], sort=False, digits=3, xlabel="alpha", reference=0.0, label=name),
        figure_title=f"Krippendorff's alpha by {shorten(name, 40)}",
        caption="Where values vary little alpha is low even if raters mostly agree: compare percent agreement.",
        tables=(rows_table(rows, f"Alpha by {shorten(name, 40)}", term=shorten(name, 40)),),
        results=(result,) if adjusted is None else (result, adjusted),
    )


def raters_block(results: Mapping[str, Result], whole: Result, what: str) -> Block | None:
    """Return alpha of each group of raters, or without each rater in turn; None where there is none."""
    if not results:
        return None
    rows = [replace(whole.rows[0], term="all raters")]
    rows += [replace(result.rows[0], term=label, group=None) for label, result in results.items()]
    held = [r for r in rows[1:] if r.estimate is not None]
    said = "No alpha is defined here."
    if held:
        top = max(held, key=lambda r: r.estimate or 0.0)
        said = (
            f"Alpha is highest for '{shorten(top.term, 60)}', {numbers_text(top, bounded=True)}; of all raters it is "
            f"{numbers_text(rows[0], bounded=True)}."
        )
    return Block(
        id="raters-" + what.split()[0].lower(),
        question=f"How well do raters agree {what}?",
        sentences=(said,),
        draw=partial(forest, rows[:200], sort=False, digits=3, xlabel="alpha"),
        figure_title=f"Krippendorff's alpha {what}",
        caption="Same units, other raters.",
        tables=(rows_table(rows, f"Alpha {what}", term="Raters"),),
        results=tuple(results.values()),
    )


def refusals_block(refused: Result | None, whole: Result, plain: Result | None) -> Block | None:
    """Return alpha with refusals as a level of their own beside the same alpha without; None where nobody refused.

    Parameters
    ----------
    refused, plain : Result or None
        Nominal alpha with and without refusals.
    whole : Result
        Alpha of the page, on the scale of the ratings.
    """
    if refused is None or plain is None:
        return None
    rows = [replace(plain.rows[0], term="refusals left out, nominal"),
            replace(refused.rows[0], term="refusals as a level, nominal")]  # fmt: skip
    scale = whole.settings["scale"]
    more = [] if scale == "nominal" else [replace(whole.rows[0], term=f"refusals left out, {scale}")]
    return Block(
        id="refusals",
        question="Do the raters agree about what cannot be rated?",
        sentences=(
            "With refusals as a level of their own, nominal alpha is "
            f"{numbers_text(refused.rows[0], bounded=True)}; with refusals left out, nominal alpha is "
            f"{numbers_text(plain.rows[0], bounded=True)}."
            + (f" Only these two can be compared: the alpha of the page is {scale}." if more else ""),
        ),
        tables=(rows_table([*rows, *more], "Alpha with and without refusals", term="Refusals are"),),
        results=(refused,) if not more else (refused, plain),
    )


def united(design: Ratings) -> Table:
    """Count the units by how many of their raters gave the most frequent level."""
    counts, times = design.level_counts(), design.unit_count
    total, top = counts.sum(axis=1), counts.max(axis=1)
    ties = (counts == top[:, None]).sum(axis=1) > 1
    kinds = {
        "all raters gave one level": (total > 1) & (top == total),
        "more than half gave one level": (total > 1) & (top < total) & (2 * top > total),
        "one level leads without a majority": (total > 1) & (2 * top <= total) & ~ties,
        "no level leads (a tie)": (total > 1) & (2 * top <= total) & ties,
        "fewer than two ratings": total < 2,
    }
    whole = float(times.sum())
    cells = tuple(
        (label, int(times[mask].sum()), percent(float(times[mask].sum()) / whole)) for label, mask in kinds.items()
    )  # fmt: skip
    return Table(caption="How united the raters are about a unit", header=("Unit", "Units", "Share"), cells=cells)


def about_ratings(design: Ratings) -> tuple[Table, ...]:
    """Count ratings, refusals, missing ratings and levels by rater."""
    held = design.unit_count[design.unit]
    k, m = len(design.raters), len(design.levels)
    status = np.zeros((k, 3))
    np.add.at(status, (design.rater, design.status), held)
    ok = design.status == OK
    levels = np.zeros((k, m))
    np.add.at(levels, (design.rater[ok], design.value[ok]), held[ok])
    units = float(design.unit_count.sum())
    shown = design.raters[:MOST_LISTED]
    some = "" if len(shown) == k else f" (the first {count(len(shown))} of {count(k)})"
    answered = tuple(
        (name, int(status[r, OK]), int(status[r, REFUSAL]), int(status[r, MISSING]), int(units - status[r].sum()))
        for r, name in enumerate(shown)
    )  # fmt: skip
    header = ("Rater", "Ratings", "Refusals", "Missing values", "Units without a row")
    tables = [Table(caption=f"Who rated how much{some}", header=header, cells=answered), united(design)]
    if m <= MOST_LEVELS:
        shares = tuple(
            (name, *(percent(float(levels[r, v] / levels[r].sum())) if levels[r].sum() else None for v in range(m)))
            for r, name in enumerate(shown)
        )  # fmt: skip
        caption = f"Levels that each rater used, as shares of the rater's ratings{some}"
        tables.append(Table(caption=caption, header=("Rater", *design.levels), cells=shares))
    return tuple(tables)


def named(rows: Sequence[Row]) -> str:
    """List the labels of rows."""
    return listing([label_of(r) for r in rows])


def level_words(design: Ratings) -> str:
    """Name the levels, or their range where they are many numbers."""
    if len(design.levels) <= MOST_LEVELS:
        return listing([shorten(level, 24) for level in design.levels], most=MOST_LEVELS)
    ends = number(float(design.scores.min()), 2), number(float(design.scores.max()), 2)
    return f"{count(len(design.levels))} values from {ends[0]} to {ends[1]}"

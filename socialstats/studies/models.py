"""Several models (prompts, sources) on one page: the comparison that stands before what is said of each by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np

from socialstats.errors import InputError, SocialStatsError, caution
from socialstats.figures import forest, heat
from socialstats.metrics.compare_models import (
    DIFFERENCE,
    KINDS,
    NUMBER,
    RANK,
    Kind,
    compare_models,
    factors_of_models,
)
from socialstats.metrics.leaderboard import difference_of, turned
from socialstats.metrics.over_models import over_models
from socialstats.metrics.relationship_bias import BIAS
from socialstats.results import Result, ResultGroup, Row
from socialstats.studies.estimates import beside, df_text, mark_of, p_text, rows_table, table_of
from socialstats.studies.page import Block, Mark, Strip, StudyOptions
from socialstats.text import (
    capital,
    count,
    digits_of,
    interval,
    level_text,
    listing,
    number,
    p_value,
    quoted,
    shorten,
)

LEADING = "models"  # id of the block that has the main number
MOST_TOLD = 3  # significant differences that the answer names
FEWEST_DF = 5  # a test with fewer degrees of freedom is named
MOST_DRAWN, MOST_CELLS = 60, 12  # models of a figure, and of a heat map
MOST_PAIRS = 435  # differences of a table: all of 30 models
MOST_FURTHER = 45  # differences of a table about another number than the main one: more are listed where significant
MOST_BIASES = 3
FEW = 4  # models that each get a whole page; more get their leading blocks


def comparison(
    results: Mapping[str, Result] | Result, options: StudyOptions, by: str = "model",
    numbers: Sequence[str | None] = (None,), lost: Mapping[str, str] | None = None,
) -> tuple[Block, ...]:  # fmt: skip
    """Return the blocks that compare models by the numbers of a metric; none where there are fewer than two.

    Parameters
    ----------
    results : mapping of model to Result, or Result
        As `compare_models` takes them.
    options : StudyOptions
    by : str
        What the models are called.
    numbers : sequence of str or None
        The rows of the metric that are compared, the main one first; those that do not exist are left out.
    lost : mapping of str to str, optional
        Why further models have no result.
    """
    given = results if isinstance(results, Result) else ResultGroup(by=by, results=results)
    found: list[Result] = []
    for wanted in numbers:
        try:
            found.append(compare_models(given, wanted, level=options.level))
        except SocialStatsError:
            if wanted is None:
                return ()
    if found[0].extras["crossed"]:
        try:
            found.insert(0, compare_models(given, level=options.level, average=True))
        except SocialStatsError as error:  # no model in common: levels are compared model by model alone
            told = caution("SS342", str(error), affects="levels, which are compared model by model alone",
                           fix="ask the same models at every level")  # fmt: skip
            found[0] = replace(found[0], cautions=(told, *found[0].cautions))
    blocks = tuple(block for k, one in enumerate(found) for block in blocks_of(one, k, options, by, lost or {}))
    return (with_numbers(blocks[0], found, by), *blocks[1:]) if len(found) > 1 else blocks


def lead_words(shown: Sequence[Block]) -> tuple[str, ...]:
    """Return the answer of a page that compares models: the range, and who is set apart; nothing without a comparison.

    Parameters
    ----------
    shown : sequence of Block
        As `comparison` returns them, alone or before others.
    """
    if not shown or shown[0].id != LEADING:
        return ()
    found = shown[0].results[0]
    return (found.sentence(), *set_apart(found))


def set_apart(found: Result) -> tuple[str, ...]:
    """State which models differ from which by Holm's p, how far at most, and on how little a test rests."""
    tested, clear = tests_of(found)
    kind, rows = KINDS[found.metric], ordered(found)
    known = [row.term for row in rows if row.estimate is not None]
    if not tested:
        return ()
    widest = max(tested, key=lambda row: abs(row.estimate or 0.0))
    if not clear:
        which = "No two are" if len(known) > 2 else "The two are not"
        said = f"{which} set apart, which does not show that they are alike. "
    elif len(clear) <= MOST_TOLD:
        told = listing([difference_text(row, kind) for row in clear], MOST_TOLD)
        said = f"It was higher for {told}. "
    else:
        said = f"{apart_from(found, known[0])} {apart_from(found, known[-1])} "
    if widest not in clear or len(clear) > MOST_TOLD:
        which = "Largest observed" if len(tested) > 1 else "Observed"
        said += f"{which} difference: higher for {difference_text(widest, kind)}."
    fewest = min(tested, key=lambda row: row.df or np.inf)
    if fewest.df is None or fewest.df >= FEWEST_DF:
        return (said.rstrip(),)
    thin = f"The design is thin: the test of {quoted(pair_of(fewest))} rests on {df_text(fewest.df)} degrees of freedom"
    return (said.rstrip(), f"{thin}; its interval allows for that.")


def tests_of(found: Result) -> tuple[list[Row], list[Row]]:
    """Return the differences with a test, and those that are significant after Holm's adjustment."""
    tested = [row for row in found.rows if row.group == DIFFERENCE and row.p_adjusted is not None]
    return tested, [row for row in tested if (row.p_adjusted or 0.0) <= 1 - found.settings["level"]]


def difference_text(row: Row, kind: Kind) -> str:
    """State which of two models has the larger number, and by how much, with interval and p."""
    names, size, low, high = pair_of(row), row.estimate or 0.0, row.conf_low, row.conf_high
    if size < 0:
        names, size, low, high = names[::-1], -size, turned(row.conf_high), turned(row.conf_low)
    one, other = (f"'{shorten(name, 40)}'" for name in names)
    inside = interval(low, high, kind.digits, level=row.conf_level or 0.95, bounded=kind.bounded)
    by = number(size, kind.digits, bounded=kind.bounded)
    adjusted = p_value(row.p_adjusted, name="Holm-adjusted p")
    return f"{one} than for {other} (by {by}, unadjusted {inside}, {adjusted})"


def apart_from(found: Result, name: str) -> str:
    """State from how many others the first or the last model differs significantly, and from which not."""
    (rank,) = (row for row in found.rows if row.group == RANK and row.term == name)
    tested, clear = (
        [other for row in rows if name in pair_of(row) for other in pair_of(row) if other != name]
        for rows in tests_of(found)
    )
    open_ = [other for other in tested if other not in clear]
    text = f"'{shorten(name, 40)}' (rank {number(rank.estimate, 0)}) differed significantly from "
    if not clear or not open_:
        return f"{text}{'all' if clear else 'none of the'} {count(len(tested), 'other')}."
    named = f"{quoted(clear)}" if len(clear) < len(open_) else f"all but {quoted(open_)}"
    return f"{text}{count(len(clear))} of {count(len(tested), 'other')} ({named})."


def pair_of(row: Row) -> tuple[str, str]:
    """Return the two models of a difference."""
    return row.label("model") or "", row.label("minus") or ""


def lead_strip(shown: Sequence[Block], beside: Sequence[Mark] = ()) -> Strip | None:
    """Return the numbers of the models on one line: all of a few, else the first two and the last two.

    Parameters
    ----------
    shown : sequence of Block
        As `comparison` returns them.
    beside : sequence of Mark
        Reference lines.
    """
    if not lead_words(shown):
        return None
    found = shown[0].results[0]
    rows = [row for row in ordered(found) if row.estimate is not None]
    few = len(rows) <= FEW
    marks = [mark_of(row, shorten(row.term, 30)) for row in (rows if few else (*rows[:2], *rows[-2:]))]
    said = str(found.settings["number"])
    return Strip(
        title=capital(said) + ("" if few else ": the first two and the last two"), axis=said,
        digits=KINDS[found.metric].digits, marks=(*beside, *marks),
    )  # fmt: skip


def further(results: Mapping[str, Result]) -> tuple[str | None, ...]:
    """Return the numbers that are compared: the main one, and of couples the bias of each two groups of names."""
    first = next(iter(results.values()))
    return (None, *[row.term for row in first.rows if row.group == BIAS][:MOST_BIASES])


def with_numbers(block: Block, found: Sequence[Result], by: str) -> Block:
    """Add a table with a row a model and a column a number, where several numbers of the same models are compared."""
    names = [row.term for row in ordered(found[0])]
    numbers = {str(one.settings["number"]): {row.term: row for row in ordered(one)} for one in found}
    if any(set(rows) != set(names) for rows in numbers.values()):
        return block
    table = beside("Every number that is compared, with intervals", (capital(shorten(by, 40)),), numbers, names, 2)
    return replace(block, tables=(*block.tables, table))


def placed(name: str, k: int) -> str:
    """Return the anchor of a block about the k-th number; a number at the end would be that of a level."""
    return f"{name}-more-{k}" if k else name


def blocks_of(found: Result, k: int, options: StudyOptions, by: str, lost: Mapping[str, str]) -> tuple[Block, ...]:
    """Return the leaderboard of one number, its differences, and what factors of models say of it."""
    made = [leaderboard_block(found, k, by, lost), pairs_block(found, k, by), factors_block(found, k, options)]
    return tuple(block for block in made if block is not None)


def ordered(found: Result) -> list[Row]:
    """Return the numbers, rank 1 first, those that do not exist last."""
    sign = -1.0 if found.settings["best"] == "highest" else 1.0
    rows = [row for row in found.rows if row.group == NUMBER]
    return sorted(rows, key=lambda row: (row.estimate is None, sign * (row.estimate or 0.0)))


def leaderboard_block(found: Result, k: int, by: str, lost: Mapping[str, str]) -> Block:
    """Show the number of each model with its interval, its rank and its rank set; why models have none."""
    rows, kind = ordered(found), KINDS[found.metric]
    ranks = {row.term: row for row in found.rows if row.group == RANK}
    sets = {name: (int(r.conf_low), int(r.conf_high)) for name, r in ranks.items()
            if r.conf_low is not None and r.conf_high is not None}  # fmt: skip
    said, level = str(found.settings["number"]), level_text(found.settings["level"])
    columns: dict[str, Any] = {
        "Rank": lambda r: None if r.term in lost or (one := ranks[r.term].estimate) is None else int(one),
        "Estimate": "estimate", "Low": "conf_low", "High": "conf_high",
        "Rank set": lambda r: "{}\u2013{}".format(*sets[r.term]) if r.term in sets else None, "Why not": "undefined",
    }  # fmt: skip
    digits = max(digits_of(max(((r.conf_high or 0.0) - (r.conf_low or 0.0)) / 4, 1e-9), kind.digits) for r in rows)
    rest = len(rows) - MOST_DRAWN
    counted = (
        count(len(rows))
        if found.extras["crossed"] and not found.extras["average"]
        else count(len(rows), shorten(by, 40))
    )
    return Block(
        id=placed(LEADING, k),
        question=f"How do the {counted} compare{f' by {said}' if k else ''}?"
        if not found.extras["average"] else f"How do the {counted} compare, over "
        + ("the models that all of them have?" if found.extras["left_out"] else "all models?"),
        sentences=(found.sentence(),),
        draw=partial(forest, rows[:MOST_DRAWN], ranks=sets, reference=None, xlabel=said, label=shorten(by, 40),
                     sort=False, digits=digits),
        figure_title=f"{capital(said)}, rank 1 ({found.settings['best']}) first"
        + (f" ({count(rest)} more in the table)" if rest > 0 else ""),
        caption=f"{level} intervals of each by itself; ranks: {level} sets that hold all at once. Overlapping "
        f"intervals do not rule out a difference on the same units. {found.inference}.",
        tables=(table_of([*rows, *(Row(term=name, undefined=why) for name, why in lost.items())],
                         f"{capital(said)} and rank", (capital(shorten(by, 40)), "term"), columns, digits),),
        results=(found,),
    )  # fmt: skip


def pairs_block(found: Result, k: int, by: str) -> Block:
    """Show the differences of any two models on the units of both."""
    rows, kind = [row for row in found.rows if row.group == DIFFERENCE], KINDS[found.metric]
    tested, clear = tests_of(found)
    verb = "was" if 1 in (len(clear), len(tested)) else "were"
    said = f"{count(len(clear))} of {count(len(tested), 'difference')} {verb} "
    said += f"significant (t on the units of both, Holm over {count(len(tested), 'test')})"
    said += f"; {count(len(rows) - len(tested))} more could not be tested." if len(tested) < len(rows) else "."
    names = [row.term for row in ordered(found) if row.estimate is not None]
    cells = [replace(difference_of(found, one, other), term=one, group=other, n=None)
             for one, other in permutations(names if 2 < len(names) <= MOST_CELLS else [], 2)]  # fmt: skip
    far = max((abs(r.estimate) for r in rows if r.estimate is not None), default=0.0) or 1.0
    listed = rows if len(rows) <= MOST_PAIRS else [row for row in rows if names[0] in
                                                  (row.label("model"), row.label("minus"))]  # fmt: skip
    digits = max((digits_of(row.std_error, kind.digits) for row in rows), default=kind.digits)
    columns: dict[str, Any] = {
        "Estimate": "estimate", "Low": "conf_low", "High": "conf_high", "p": lambda r: p_text(r.p_value),
        "p (Holm)": lambda r: p_text(r.p_adjusted), "Units": "n_units",
    } | ({"Why not": "undefined"} if any(row.undefined for row in rows) else {})  # fmt: skip
    caption = "All differences, first minus second; p (Holm): over " + count(len(tested), "test")
    if k and len(rows) > MOST_FURTHER:
        listed, caption = clear, f"Significant differences; all {count(len(rows))} are in the embedded numbers"
    elif len(listed) < len(rows):
        caption = f"Differences from '{shorten(names[0], 40)}'; all {count(len(rows))} are in the embedded numbers"
    return Block(
        id=placed("models-differences", k),
        question="Which differ on the same units?",
        sentences=(said, *set_apart(found)),
        draw=partial(heat, cells, neutral=0.0, extreme=far, xlabel="minus", digits=min(digits, 3)) if cells else None,
        figure_title=f"Difference in {found.settings['number']}: row minus column" if cells else "",
        caption=f"{capital(shorten(by, 40))}s in the order of their ranks." if cells else "",
        tables=(table_of(listed, caption, ("Difference", "term"), columns, digits),),
    )  # fmt: skip


def factors_block(found: Result, k: int, options: StudyOptions) -> Block | None:
    """Show means of groups of models and their differences, with models as the sample; None without factors."""
    if options.models is None or found.extras["crossed"] or found.extras["average"]:
        return None
    factors = {name: levels for name, levels in factors_of_models(options.models, models_of(found)).items()
               if 1 < len(set(levels.values())) < len(levels)}  # fmt: skip
    if not factors:
        raise InputError("--models: no factor has two groups of which one has two models of this page")
    number_of = str(found.settings["number"])
    made = over_models(found.extras["by_model"], [number_of], groups=factors, level=options.level)
    means = [replace(row, term=row.group or "", group=None) for row in made.rows
             if row.role == "estimate" and row.label("factor")]  # fmt: skip
    gaps = [replace(row, term=row.group or "", group=None) for row in made.rows if row.role == "difference"]
    tested = [row for row in gaps if row.p_adjusted is not None]
    clear = [row for row in tested if (row.p_adjusted or 0.0) <= 1 - options.level]
    said = [
        f"{count(len(clear))} of {count(len(tested), 'difference')} between groups of models "
        f"{'was' if 1 in (len(clear), len(tested)) else 'were'} significant (Welch's t over models, Holm by factor)."
    ]
    said += [f"{capital(shorten(row.term, 60))}: {number(row.estimate, KINDS[found.metric].digits)}, "
             f"{p_value(row.p_adjusted, name='Holm-adjusted p')}." for row in clear[:4]]  # fmt: skip
    return Block(
        id=placed("models-factors", k),
        question=f"Do groups of models differ in {number_of}?",
        sentences=(made.sentence(), *said),
        draw=partial(forest, means[:MOST_DRAWN], reference=None, sort=False, xlabel=number_of, label="Group of models",
                     digits=KINDS[found.metric].digits),
        figure_title=f"{capital(number_of)} by {listing(list(factors), 6)}",
        caption=f"Means over models with {level_text(options.level)} intervals; they speak of models like these. "
        f"{made.inference}.",
        tables=(rows_table(means, f"Mean {number_of} of groups of models", term="Group"),
                rows_table(gaps, "Differences of groups", term="Groups")),
        results=(made,),
    )  # fmt: skip


def models_of(found: Result) -> list[str]:
    """Return the models of a comparison."""
    return [row.term for row in found.rows if row.group == NUMBER]

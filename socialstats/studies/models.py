"""Several models (prompts, sources) on one page: their comparison, before the results of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np

from socialstats.designs.nouns import noun_or
from socialstats.errors import InputError, SocialStatsError, caution
from socialstats.figures import forest, heat
from socialstats.inference.halving import clusters_to_halve
from socialstats.results import Result, ResultGroup, Row
from socialstats.scales.bias_analysis import BIAS
from socialstats.scales.compare_models import compare_models, factors_of_models
from socialstats.scales.leaderboard import difference_of
from socialstats.scales.model_differences import DIFFERENCE
from socialstats.scales.model_numbers import NUMBER, RANK
from socialstats.scales.model_words import (
    MOST_NAMED,
    differences_sentence,
    extremes_sentence,
    model_difference_sentence,
    named_differences,
)
from socialstats.scales.over_models import over_models
from socialstats.sentences import is_significant, more_clusters_sentence, more_of, some_of, stat
from socialstats.studies.estimates import (
    beside,
    df_text,
    p_text,
    pairs_to_halve,
    rows_table,
    table_of,
)
from socialstats.studies.page import Block, StudyOptions
from socialstats.studies.verdicts import Conclusion, higher_or_lower, ranking, verdict_of
from socialstats.text import (
    capital,
    count,
    listing,
    number,
    percent_of,
    plural_of,
    shorten,
    shortened,
)

TESTED: dict[str, str] = {
    "units": "t tests on shared units",
    "part": "t tests on shared units",
    "apart": "Welch's t tests of independent levels",
    "clusters": "t tests by the clusters of both levels",
}
COMBINED = "by the CIs of both combined (Zou and Donner)"
LEADING = "models"  # id of the block that has the main number
FACTORS = "models-factors"  # start of the ids of blocks on groups of models
FEWEST_DF = 5  # a test with fewer degrees of freedom is named
MOST_DRAWN, MOST_CELLS = 60, 12  # models of a figure, and of a heat map
MOST_PAIRS = 435  # differences of a table: all of 30 models
MOST_FURTHER = 45  # differences of a table about another number than the main one: more are listed where significant
MOST_BIASES = 3
FEW = 4  # models that each get a whole page; more get their leading blocks


def comparison(
    results: Mapping[str, Result] | Result,
    options: StudyOptions,
    by: str = "model",
    numbers: Sequence[str | None] = (None,),
    lost: Mapping[str, str] | None = None,
    *,
    led: bool = False,
) -> tuple[Block, ...]:
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
    led : bool
        The answer of the page is `lead_words`, which the blocks do not repeat.
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
        except (
            SocialStatsError
        ) as error:  # no model in common: levels are compared model by model alone
            told = caution(
                "SS342",
                str(error),
                affects="levels, which are compared model by model alone",
                fix="ask the same models at every level",
            )
            found[0] = replace(found[0], cautions=(told, *found[0].cautions))
    blocks = tuple(
        block
        for k, one in enumerate(found)
        for block in blocks_of(one, k, options, by, lost or {}, led=led and not k)
    )
    return (with_numbers(blocks[0], found, by), *blocks[1:]) if len(found) > 1 else blocks


def lead_words(shown: Sequence[Block]) -> tuple[str, ...]:
    """Return the answer of a page that compares models; nothing without a comparison.

    Parameters
    ----------
    shown : sequence of Block
        As `comparison` returns them, alone or before others.
    """
    if not shown or shown[0].id != LEADING:
        return ()
    found = shown[0].results[0]
    said = found.sentence()
    if (
        not found.extras["kind"].ranked and len(ordered(found)) <= FEW
    ):  # each level has a sentence of its own
        said = differences_sentence(
            found.rows,
            str(found.settings["number"]),
            found.extras["noun"],
            shared=found.extras["shared"],
        )
    return (said, *set_apart(found))


def tests_by(found: Result) -> str:
    """Name the t tests of a comparison: on shared units, or of independent levels."""
    gaps = [row for row in found.rows if row.group == DIFFERENCE]
    tested = [row for row in gaps if row.p_value is not None] or gaps
    return listing(list(dict.fromkeys(TESTED[found.extras["ways"][row.term]] for row in tested)))


def own_tests(rows: Sequence[Row]) -> str:
    """Return how many levels were significant alone, of those that have a test."""
    tested = [row for row in rows if row.p_value is not None]
    return some_of(
        sum(is_significant(row) for row in tested), len(tested), "tests of single levels"
    )


def alone_words(found: Result) -> tuple[str, ...]:
    """Return how many numbers that have no ranks were significant alone (Holm); nothing of others."""
    rows = [row for row in found.rows if row.group == NUMBER and row.p_adjusted is not None]
    return (own_tests(rows),) if rows else ()


def set_apart(found: Result) -> tuple[str, ...]:
    """Return which of several models differ from which, how far at most, and tests with few degrees of freedom."""
    tested, clear = tests_of(found)
    known = [row.term for row in ordered(found) if row.estimate is not None]
    if not tested:
        return ()
    said: list[str] = []
    if len(tested) > 1:
        if len(clear) > MOST_NAMED:
            said = [apart_from(found, name) for name in (known[0], known[-1])]
        said += [
            model_difference_sentence(
                row, str(found.settings["number"]), shared=row.term in found.extras["shared"]
            )
            for row in named_differences(found.rows)
        ]
    fewest = min(tested, key=lambda row: row.df or np.inf)
    if fewest.df is not None and fewest.df < FEWEST_DF:
        pair = listing([shorten(name, 40) for name in pair_of(fewest)])
        said.append(
            f"The test of {pair} had only {df_text(fewest.df)} degrees of freedom. Collect more units."
        )
    return tuple(said)


# what the first model is, by the number that is compared
SUPERLATIVES = {
    "distance from people (ADA-Met)": "is nearest to the answers of people",
    "Jensen-Shannon similarity": "is most like people",
    "bias-corrected B_all": "is least biased",
    "corrected sensitivity S": "follows the rule most closely",
    "plug-in sensitivity S": "follows the rule most closely",
}


def verdict_on_models(shown: Sequence[Block]) -> Conclusion | None:
    """Return which model is first in the leading number, or of two which is higher; None without a comparison."""
    if not lead_words(shown):
        return None
    found = shown[0].results[0]
    noun, said = str(found.extras["noun"]), str(found.settings["number"])
    ranks = [row for row in found.rows if row.group == RANK]
    if ranks:
        superlative = SUPERLATIVES.get(said, f"has the {found.settings['best']} {said}")
        return ranking(ranks, superlative, "are ahead of", noun)
    named = named_differences(found.rows)
    if not named:
        return verdict_on_levels(())
    row = named[0]
    first, second = (f"for {shorten(name, 30)}" for name in pair_of(row))
    return higher_or_lower(row, f"values of the {said}", first, second)


def verdict_on_levels(shown: Sequence[Block]) -> Conclusion:
    """Return which difference of the leading tested family is the clearest, or that none is shown."""
    rows = [
        row
        for block in shown
        for result in block.results
        for row in result.rows
        if row.p_adjusted is not None
    ]
    clear = [row for row in rows if is_significant(row)]
    if not rows:
        return verdict_of("The data do not show whether the levels differ", certainty="open")
    if not clear:
        return verdict_of(
            "The data do not show any difference between the levels", certainty="open"
        )
    return verdict_of(
        f"The data show {count(len(clear))} of {count(len(rows), 'difference')} between the levels",
        certainty="shown",
    )


def matched_words(shown: Sequence[Block], by: str) -> str:
    """Return how levels were compared: by t tests, or by intervals of both where sizes fold; nothing without both."""
    if not lead_words(shown):
        return ""
    found = shown[0].results[0]
    gaps = [row for row in found.rows if row.group == DIFFERENCE]
    folded = [row.interval == "test_inversion" for row in gaps if row.p_value is not None]
    how = [f"by {tests_by(found)}"] * (not all(folded) or not folded) + [COMBINED] * any(folded)
    return f" Levels of {shorten(by, 40)} were compared {' or '.join(how)}, with Holm-adjusted p values."


def tests_of(found: Result) -> tuple[list[Row], list[Row]]:
    """Return the differences with a test, and those that are significant after Holm's adjustment."""
    tested = [row for row in found.rows if row.group == DIFFERENCE and row.p_adjusted is not None]
    return tested, [row for row in tested if is_significant(row)]


def apart_from(found: Result, name: str) -> str:
    """Return from how many others the first or the last model differed significantly."""
    ranks = [
        f" (rank {number(row.estimate, 0)})"
        for row in found.rows
        if row.group == RANK and row.term == name
    ]
    tested, clear = (
        [other for row in rows if name in pair_of(row) for other in pair_of(row) if other != name]
        for rows in tests_of(found)
    )
    open_ = [other for other in tested if other not in clear]
    text = f"{shorten(name, 40)}{''.join(ranks)} differed significantly from "
    if not clear or not open_:
        return f"{text}{'all' if clear else 'none of the'} {count(len(tested), 'other')}."
    few = clear if len(clear) < len(open_) else open_
    named = f"{'' if few is clear else 'all but '}{listing(shortened(few))}"
    return f"{text}{count(len(clear))} of {count(len(tested), 'other')} ({named})."


def pair_of(row: Row) -> tuple[str, str]:
    """Return the two models of a difference."""
    return row.label("model") or "", row.label("minus") or ""


def further(results: Mapping[str, Result]) -> tuple[str | None, ...]:
    """Return the numbers that are compared: the main one, and of couples the bias of each two groups of names."""
    first = next(iter(results.values()))
    return (None, *[row.term for row in first.rows if row.group == BIAS][:MOST_BIASES])


def with_numbers(block: Block, found: Sequence[Result], by: str) -> Block:
    """Add a table with one row per model and one column per number, where several numbers are compared."""
    names = [row.term for row in ordered(found[0])]
    numbers = {
        str(one.settings["number"]): {row.term: row for row in ordered(one)} for one in found
    }
    if any(set(rows) != set(names) for rows in numbers.values()):
        return block
    table = beside(
        "All numbers compared, with unadjusted CIs", (capital(shorten(by, 40)),), numbers, names
    )
    return replace(block, tables=(*block.tables, table))


def placed(name: str, k: int) -> str:
    """Return the anchor of a block about the k-th number; a number at the end would be that of a level."""
    return f"{name}-more-{k}" if k else name


def blocks_of(
    found: Result, k: int, options: StudyOptions, by: str, lost: Mapping[str, str], *, led: bool
) -> tuple[Block, ...]:
    """Return the leaderboard of one number, its differences, and tests of factors of models.

    The differences of two models stand in their leaderboard.
    """
    first, pairs = (
        leaderboard_block(found, k, by, lost, led=led),
        pairs_block(found, k, by, led=led),
    )
    if sum(row.group == DIFFERENCE for row in found.rows) == 1:
        made: tuple[Block, ...] = (replace(first, tables=(*first.tables, *pairs.tables)),)
    else:
        made = (first, pairs)
    factors = factors_block(found, k, options)
    return made if factors is None else (*made, factors)


def ordered(found: Result) -> list[Row]:
    """Return the numbers, rank 1 first, those that do not exist last."""
    sign = -1.0 if found.settings["best"] == "highest" else 1.0
    rows = [row for row in found.rows if row.group == NUMBER]
    return sorted(rows, key=lambda row: (row.estimate is None, sign * (row.estimate or 0.0)))


def leaderboard_block(
    found: Result, k: int, by: str, lost: Mapping[str, str], *, led: bool
) -> Block:
    """Return the number of each model with its interval and rank interval, or why it has none."""
    rows, unit = ordered(found), str(found.extras["unit"])
    unit = "units" if unit.startswith("clusters") else unit
    ranks = {row.term: row for row in found.rows if row.group == RANK}
    sets = {
        name: (int(r.conf_low), int(r.conf_high))
        for name, r in ranks.items()
        if r.conf_low is not None and r.conf_high is not None
    }
    said, level = str(found.settings["number"]), percent_of(found.settings["level"])
    ranked = bool(ranks)
    ends = {"Estimate": "estimate", "Low": "conf_low", "High": "conf_high"}
    columns: dict[str, Any] = (
        {
            "Rank": lambda r: (
                None if r.term in lost or (one := ranks[r.term].estimate) is None else int(one)
            ),
            **ends,
            "Rank interval": lambda r: (
                "{}\u2013{}".format(*sets[r.term]) if r.term in sets else None
            ),
        }
        if ranked
        else {**ends, "p": lambda r: p_text(r.p_value), "p (Holm)": lambda r: p_text(r.p_adjusted)}
    )
    columns |= {"Why not": "undefined"}
    rest, own = len(rows) - MOST_DRAWN, halving_words(found)
    if not own and not ranked:
        own = (extremes_sentence(found.rows, said, found.extras["kind"], found.extras["noun"]),)
    counted = (
        count(len(rows))
        if found.extras["crossed"] and not found.extras["average"]
        else count(len(rows), noun_or(by, "group"))
    )
    first = (
        f"rank 1 ({found.settings['best']}) first" if ranked else f"{found.settings['best']} first"
    )
    title = f"{capital(said)} by {shorten(by, 40)}, {first}"
    about = (
        " and rank" if ranked else f"; p (Holm): over the {count(len(rows), noun_or(by, 'group'))}"
    )
    joint = f"ranks: simultaneous {level} intervals; " if ranked else ""
    return Block(
        id=placed(LEADING, k),
        question=f"How did the {counted} compare{f' by {said}' if k else ''}?"
        if not found.extras["average"]
        else f"How did the {counted} compare, over "
        + ("the models that all of them have?" if found.extras["left_out"] else "all models?"),
        sentences=(led and own) or (found.sentence(), *alone_words(found)),
        draw=partial(
            forest,
            rows[:MOST_DRAWN],
            ranks=sets if ranked else None,
            reference=None if ranked else 0.0,
            xlabel=said,
            label=shorten(by, 40),
            sort=False,
        ),
        figure_title=title + (f" ({count(rest)} more in the table)" if rest > 0 else ""),
        caption=f"Points: estimates; unadjusted {level} CIs; {joint}"
        f"n = {count(found.counts['units'])} {unit}. Overlapping CIs do not rule out a difference.",
        tables=(
            table_of(
                [*rows, *(Row(term=name, undefined=why) for name, why in lost.items())],
                f"{capital(said)}{about}",
                (capital(shorten(by, 40)), "term"),
                columns,
            ),
        ),
        results=(found,),
    )


def halving_words(found: Result) -> tuple[str, ...]:
    """Return how many more clusters halve the interval of the difference between the first two models."""
    names = [row.term for row in ordered(found) if row.estimate is not None]
    names = names[
        : 2 if found.extras["kind"].ranked or len(names) == 2 else 0
    ]  # without ranks no two are first
    gap = difference_of(found, *names) if len(names) > 1 else Row(term="")
    more = clusters_to_halve(gap, gap.n_clusters or gap.n_units)
    if more is None:
        return ()
    quantity = "the difference between {} and {}".format(*(shorten(name, 40) for name in names))
    if found.extras["pairs"]:
        return pairs_to_halve(more, found.design, "item", quantity)
    unit = more_of(found.extras["cluster"], found.extras["unit"])
    return (more_clusters_sentence(more, unit, quantity),) if unit else ()


def pairs_block(found: Result, k: int, by: str, *, led: bool) -> Block:
    """Return the differences of any two models on the units of both."""
    rows = [row for row in found.rows if row.group == DIFFERENCE]
    tested, clear = tests_of(found)
    lost = len(rows) - len(tested)
    what = f"{'tested ' if lost else ''}differences between {plural_of(noun_or(by, 'group'))}"
    said = [some_of(len(clear), len(tested), what)] if tested else []
    if lost:
        said.append(f"{count(lost, 'difference')} could not be tested (reasons in the table).")
    names = [row.term for row in ordered(found) if row.estimate is not None]
    cells = [
        replace(difference_of(found, one, other), term=one, group=other, n=None)
        for one, other in permutations(names if 2 < len(names) <= MOST_CELLS else [], 2)
    ]
    far = max((abs(r.estimate) for r in rows if r.estimate is not None), default=0.0) or 1.0
    listed = (
        rows
        if len(rows) <= MOST_PAIRS
        else [row for row in rows if names[0] in (row.label("model"), row.label("minus"))]
    )
    columns: dict[str, Any] = {
        "Estimate": "estimate",
        "Low": "conf_low",
        "High": "conf_high",
        "p": lambda r: p_text(r.p_value),
        "p (Holm)": lambda r: p_text(r.p_adjusted),
        "Units": "n_units",
    } | ({"Why not": "undefined"} if any(row.undefined for row in rows) else {})
    caption = "All differences, first minus second; "
    if not found.extras["kind"].ranked and tested:
        caption = f"All differences, first minus second, by {tests_by(found)}; "
    caption += f"p (Holm): over {count(len(tested), 'test')}" if tested else "none has a test"
    if k and len(rows) > MOST_FURTHER:
        listed, caption = (
            clear,
            f"Significant differences; all {count(len(rows))} are in the embedded numbers",
        )
    elif len(listed) < len(rows):
        caption = f"Differences from {shorten(names[0], 40)}; all {count(len(rows))} are in the embedded numbers"
    title = f"Differences in {found.settings['number']}"
    return Block(
        id=placed("models-differences", k),
        question="Which differed on the same units?"
        if {"units", "part"}.issuperset(found.extras["ways"].values())
        else "Which differed?",
        sentences=(*said, *(() if led else set_apart(found))),
        draw=partial(heat, cells, neutral=0.0, extreme=far, xlabel="minus") if cells else None,
        figure_title=title if cells else "",
        caption=f"Row minus column; {shorten(by, 40)}s in order of {'rank' if found.extras['kind'].ranked else 'size'}"
        + (
            f"; t tests in the table, p values Holm-adjusted (m = {count(len(tested))})."
            * bool(tested)
            or "."
        )
        if cells
        else "",
        tables=(table_of(listed, caption, ("Difference", "term"), columns),),
        part="appendix" if k else "main",
    )


def factors_block(found: Result, k: int, options: StudyOptions) -> Block | None:
    """Return means of groups of models and their differences, with models as the sample; None without factors."""
    if options.models is None or found.extras["crossed"] or found.extras["average"]:
        return None
    factors = {
        name: levels
        for name, levels in factors_of_models(options.models, models_of(found)).items()
        if 1 < len(set(levels.values())) < len(levels)
    }
    if not factors:
        raise InputError(
            "--models: no factor has two groups of which one has two models of this page"
        )
    number_of = str(found.settings["number"])
    made = over_models(found.extras["by_model"], [number_of], groups=factors, level=options.level)
    means = [
        replace(row, term=row.group or "", group=None)
        for row in made.rows
        if row.role == "estimate" and row.label("factor")
    ]
    gaps = [
        replace(row, term=row.group or "", group=None)
        for row in made.rows
        if row.role == "difference"
    ]
    tested = [row for row in gaps if row.p_adjusted is not None]
    clear = [row for row in tested if is_significant(row)]
    what, largest = (
        "differences between groups of models",
        sorted(clear, key=lambda row: -abs(row.estimate or 0.0)),
    )
    said = [some_of(len(clear), len(tested), what, family=("each factor",))] if tested else []
    said += [f"{capital(shorten(row.term, 60))}: {stat(row)}." for row in largest[:3]]
    title = f"{capital(number_of)} by {listing(list(factors), 6)}"
    return Block(
        id=placed(FACTORS, k),
        question=f"Did groups of models differ in {number_of}?",
        sentences=(made.sentence(), *said),
        draw=partial(
            forest,
            means[:MOST_DRAWN],
            reference=None,
            sort=False,
            xlabel=number_of,
            label="Group of models",
        ),
        figure_title=title,
        caption=f"Points: means over models; unadjusted {percent_of(options.level)} CIs (t, models as the "
        f"sample); n = {count(len(models_of(found)), 'model')}. Differences: Welch's t.",
        tables=(
            rows_table(means, f"Mean {number_of} of groups of models", term="Group"),
            rows_table(gaps, "Differences of groups", term="Groups"),
        ),
        results=(made,),
        part="appendix" if k else "main",
    )


def models_of(found: Result) -> list[str]:
    """Return the models of a comparison."""
    return [row.term for row in found.rows if row.group == NUMBER]

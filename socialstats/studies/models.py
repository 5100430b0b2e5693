"""Several models (prompts, sources) on one page: their comparison, before the results of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from socialstats.designs.nouns import noun_or
from socialstats.errors import InputError, caution
from socialstats.inference.halving import clusters_to_halve
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.rows import negate_row
from socialstats.scales.bias_analysis import BIAS
from socialstats.scales.compare_models import compare_models, factors_of_models
from socialstats.scales.leaderboard import difference_of
from socialstats.scales.model_numbers import NUMBER
from socialstats.scales.model_words import (
    extremes_sentence,
    models_of_difference,
    named_differences,
    sorted_numbers,
)
from socialstats.scales.over_models import over_models
from socialstats.sentences import is_significant, some_of
from socialstats.studies.asking import ask_rows, attempt_result
from socialstats.studies.estimates import Column, halving_text, p_cell, pairs_to_halve, table_of
from socialstats.studies.page import FACTORS, Block, PageTable, StudyOptions
from socialstats.studies.row_figures import Draw, cell_map, interval_points
from socialstats.studies.row_picking import pick_rows, row_term
from socialstats.studies.row_tables import grid_table, ranked_table
from socialstats.studies.verdicts import Conclusion, higher_or_lower, ranking, verdict_of
from socialstats.text import capital, count, percent_of, plural_of, shorten

# the tests of a comparison, by the units of a difference
TESTED = {
    "units": "t tests on shared units",
    "part": "t tests on shared units",
    "apart": "Welch's t tests of independent levels",
    "clusters": "t tests by the clusters of both levels",
}
COMBINED = "the CIs of both combined (Zou and Donner)"
NO_COMMON_MODEL = caution(
    "SS342",
    "no model was asked at every level",
    affects="levels, which are compared model by model alone",
    fix="ask the same models at every level",
)
LEADING = "models"  # id of the block that has the main number
MOST_CELLS = 12  # models of a heat map
MOST_PAIRS, MOST_FURTHER = (
    435,
    45,
)  # differences of the main number (30 models), and of others, that are all listed
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
    models = results if isinstance(results, Result) else ResultGroup(by=by, results=results)
    compare = partial(compare_models, models, level=options.level)
    boards = [attempt_result(compare, number) for number in numbers]
    if boards[0] is None:
        return ()
    boards = [board for board in boards if board is not None]
    if boards[0].extras["crossed"]:
        average = attempt_result(compare, average=True)
        if average is not None:
            boards.insert(0, average)
        else:
            boards[0] = replace(boards[0], cautions=(NO_COMMON_MODEL, *boards[0].cautions))
    blocks = [
        block
        for k, board in enumerate(boards)
        for block in board_questions(board, k, options, by, lost or {}, led=led and not k)
        if block is not None
    ]
    tables = (*blocks[0].tables, *numbers_table(boards, by))
    return (replace(blocks[0], tables=tables), *blocks[1:])


def board_questions(
    board: Result, k: int, options: StudyOptions, by: str, lost: Mapping[str, str], *, led: bool
) -> Iterator[Block | None]:
    """Yield the questions on the k-th number: how models compare, which differ, and groups of models.

    The difference of two models stands in the table of their numbers.
    """
    leader, pairs = leader_question(board, k, by, lost, led=led), pairs_question(board, k, by)
    if pairs is not None and leader is not None and len(pick_rows(board.rows, "difference")) == 1:
        leader, pairs = replace(leader, tables=(*leader.tables, *pairs.tables)), None
    yield leader
    yield pairs
    # averages over models have no groups of models
    if options.models is not None and not board.extras["crossed"] and not board.extras["average"]:
        yield factors_question(board, k, options)


def ranked_numbers(board: Result) -> list[Row]:
    """Return the numbers, rank 1 first, those that do not exist last."""
    undefined = [row for row in board.rows if row.group == NUMBER and row.estimate is None]
    return [*sorted_numbers(board.rows, board.settings["best"]), *undefined]


def id_of_number(name: str, k: int) -> str:
    """Return the id of a block about the k-th number; a number at the end would be that of a level."""
    return f"{name}-more-{k}" if k else name


def numbers_table(boards: Sequence[Result], by: str) -> list[PageTable]:
    """Return a table with one line per model and one column per number, where several numbers are compared."""
    rows = [
        replace(row, key=(("model", row.term), ("number", str(board.settings["number"]))))
        for board in boards
        for row in ranked_numbers(board)
    ]
    models = [{row.term for row in ranked_numbers(board)} for board in boards]
    if len(boards) == 1 or any(names != models[0] for names in models):
        return []
    headings = {"model": capital(shorten(by, 40))}
    caption = "All numbers compared, unadjusted"
    return [grid_table(rows, caption, "model", "number", cell="interval", headings=headings)]


def leader_question(
    board: Result, k: int, by: str, lost: Mapping[str, str], *, led: bool
) -> Block | None:
    """Ask how models compare: the number of each with its interval and rank interval, or why it has none."""
    rows, quantity = ranked_numbers(board), str(board.settings["number"])
    kind, level = board.extras["kind"], percent_of(board.settings["level"])
    # numbers of models at several levels are no models
    crossed = board.extras["crossed"] and not board.extras["average"]
    n = count(len(rows)) if crossed else count(len(rows), noun_or(by, "group"))
    which = f" by {quantity}" if k else ""
    if board.extras["average"]:
        models = "the models that all of them have" if board.extras["left_out"] else "all models"
        which = f", over {models}"
    say = list(halving_sentences(board))
    if not led:
        say = [board.sentence(), *alone_words(board)]
    elif not say and not kind.ranked:
        say = [extremes_sentence(board.rows, quantity, kind, board.extras["noun"])]
    block = ask_rows(
        id_of_number(LEADING, k),
        f"How did the {n} compare{which}?",
        board,
        rows,
        quantity=quantity,
        say=say,
        draw=interval_points(
            None if kind.ranked else 0.0,
            label=shorten(by, 40),
            ranks=pick_rows(board.rows, "rank"),
        ),
        table=leader_table(board, rows, by, lost),
    )
    joint = " simultaneous intervals of ranks;" * kind.ranked
    units = count(board.counts["units"], "unit")
    # the intervals of the numbers are those of their metric
    return block and replace(
        block,
        caption=f"Estimates with unadjusted {level} CIs, the {kind.best} first;{joint} n = {units}. Overlapping CIs do "
        "not rule out a difference.",
    )


def leader_table(board: Result, rows: Sequence[Row], by: str, lost: Mapping[str, str]) -> PageTable:
    """Return the numbers with their ranks, or with their tests where they have no ranks."""
    ranks = pick_rows(board.rows, "rank")
    columns: dict[str, Column] = {"Estimate": "estimate", "Low": "conf_low", "High": "conf_high"}
    lines = [*rows, *(Row(term=name, undefined=why) for name, why in lost.items())]
    heading = shorten(by, 40)
    title = f"{capital(str(board.settings['number']))} by {heading}"
    if ranks:
        return ranked_table(lines, title, heading, columns, {"Rank interval": ranks})
    tests: dict[str, Column] = {
        "p": lambda row: p_cell(row.p_value),
        "p (Holm)": lambda row: p_cell(row.p_adjusted),
        "Why not": "undefined",
    }
    return table_of(lines, title, (capital(heading), "term"), {**columns, **tests})


def halving_sentences(board: Result) -> tuple[str, ...]:
    """State how many more clusters halve the interval of the difference between the first two models."""
    names = [row.term for row in ranked_numbers(board) if row.estimate is not None]
    # without ranks no two are first
    if len(names) < 2 or not (board.extras["kind"].ranked or len(names) == 2):
        return ()
    gap = difference_of(board, names[0], names[1])
    first, second = (shorten(name, 40) for name in names[:2])
    quantity = f"the difference between {first} and {second}"
    if board.extras["pairs"]:
        more = clusters_to_halve(gap, gap.n_clusters or gap.n_units)
        return pairs_to_halve(more, board.design, "item", quantity) if more else ()
    cluster, unit = board.extras["cluster"], board.extras["unit"]
    return halving_text(gap, gap.n_units, cluster, quantity, unit=unit)


def pairs_question(board: Result, k: int, by: str) -> Block | None:
    """Ask which models differ: the differences of any two, on the units of both."""
    rows = pick_rows(board.rows, "difference")
    tested, significant = tests_of(board)
    all_listed = len(rows) <= (MOST_FURTHER if k else MOST_PAIRS)
    shared = {"units", "part"}.issuperset(board.extras["ways"].values())
    untested = len(rows) - len(tested)
    what = f"{'tested ' * bool(untested)}differences between {plural_of(noun_or(by, 'group'))}"
    listed = rows if all_listed else significant
    names = [row.term for row in ranked_numbers(board) if row.estimate is not None]
    title = f"Differences, first minus second, by {tests_text(tested or rows, board)}"
    if not all_listed:
        title = f"Significant differences of {count(len(rows))}; the embedded numbers have all"
    return ask_rows(
        id_of_number("models-differences", k),
        "Which differed on the same units?" if shared else "Which differed?",
        board,
        listed,
        quantity=f"differences in {board.settings['number']}",
        say=[
            some_of(len(significant), len(tested), what) if tested else "",
            f"{count(untested, 'difference')} could not be tested (reasons in the table)."
            if untested
            else "",
        ],
        draw=difference_map(rows, names) if 2 < len(names) <= MOST_CELLS else None,
        names=row_term,
        caption=title,
        heading="term",
        units=True,
        note="The figure has row minus column.",
        part="appendix" if k else "main",
    )


def difference_map(rows: Sequence[Row], names: Sequence[str]) -> Draw:
    """Return the drawing of each difference in both directions, models in the order of names."""
    swapped = [
        replace(
            negate_row(row),
            key=tuple(zip(("model", "minus"), models_of_difference(row)[::-1], strict=True)),
        )
        for row in rows
    ]
    places = {name: k for k, name in enumerate(names)}
    cells = [
        replace(row, n=None)
        for row in (*rows, *swapped)
        if places.keys() >= {*models_of_difference(row)}
    ]
    cells.sort(key=lambda row: [places[name] for name in models_of_difference(row)])
    colours = cell_map("model", "minus", neutral=0.0, extreme=None)
    return lambda _rows, _names, _label: colours(cells, (), "minus")


def factors_question(board: Result, k: int, options: StudyOptions) -> Block | None:
    """Ask whether groups of models differ, with models as the sample.

    Raises
    ------
    InputError
        If no factor of the models has two groups of which one has two models.
    """
    models = [row.term for row in ranked_numbers(board)]
    factors = {
        name: levels
        for name, levels in factors_of_models(options.models, sorted(models)).items()
        if 1 < len(set(levels.values())) < len(levels)
    }
    if not factors:
        raise InputError(
            "--models: no factor has two groups of which one has two models of this page"
        )
    quantity = str(board.settings["number"])
    groups = over_models(board.extras["by_model"], [quantity], groups=factors, level=options.level)
    means = pick_rows(groups.rows, factor=True)
    gaps = pick_rows(groups.rows, "difference")
    return ask_rows(
        id_of_number(FACTORS, k),
        f"Did groups of models differ in {quantity}?",
        groups,
        means,
        quantity=f"mean {quantity} of groups of models",
        names=[row.group or "" for row in means],
        say=[groups.sentence()],
        draw=interval_points(None, label="Group of models"),
        tables={"Differences of groups (Welch's t)": gaps},
        note=f"Models are the sample; n = {count(len(models), 'model')}.",
        part="appendix" if k else "main",
    )


# the answer of a page that compares models


def lead_words(blocks: Sequence[Block]) -> tuple[str, ...]:
    """Return the answer of a page that compares models; nothing without a comparison.

    Parameters
    ----------
    blocks : sequence of Block
        As `comparison` returns them, alone or before others.
    """
    if not blocks or blocks[0].id != LEADING:
        return ()
    return (blocks[0].results[0].sentence(),)


def tests_of(board: Result) -> tuple[list[Row], list[Row]]:
    """Return the differences with a test, and those that are significant after Holm's adjustment."""
    tested = [row for row in pick_rows(board.rows, "difference") if row.p_adjusted is not None]
    return tested, [row for row in tested if is_significant(row)]


def tests_text(rows: Sequence[Row], board: Result) -> str:
    """Name the tests of some differences: t tests, or intervals of both where sizes fold at 0."""
    kinds = dict.fromkeys(
        COMBINED if row.interval == "test_inversion" else TESTED[board.extras["ways"][row.term]]
        for row in rows
    )
    return " or by ".join(sorted(kinds, key=lambda kind: kind == COMBINED))


def matched_words(blocks: Sequence[Block], by: str) -> str:
    """Return how levels were compared, for the methods; nothing without a comparison."""
    if not lead_words(blocks):
        return ""
    board = blocks[0].results[0]
    tested, _ = tests_of(board)
    how = tests_text(tested or pick_rows(board.rows, "difference"), board)
    return f" Levels of {shorten(by, 40)} were compared by {how}, with Holm-adjusted p values."


def own_tests(rows: Sequence[Row]) -> str:
    """Return how many levels were significant alone, of those that have a test."""
    tested = [row for row in rows if row.p_value is not None]
    return some_of(sum(map(is_significant, tested)), len(tested), "tests of single levels")


def alone_words(board: Result) -> tuple[str, ...]:
    """Return how many numbers that have no ranks were significant alone (Holm); nothing of others."""
    rows = [row for row in board.rows if row.group == NUMBER and row.p_adjusted is not None]
    return (own_tests(rows),) if rows else ()


def further(results: Mapping[str, Result]) -> tuple[str | None, ...]:
    """Return the numbers that are compared: the main one, and of couples the bias of each two groups of names."""
    first = next(iter(results.values()))
    return (None, *[row.term for row in first.rows if row.group == BIAS][:MOST_BIASES])


def verdict_on_models(blocks: Sequence[Block]) -> Conclusion | None:
    """Return which model is first in the leading number, or of two which is higher; None without a comparison."""
    if not lead_words(blocks):
        return None
    board = blocks[0].results[0]
    quantity, ranks = str(board.settings["number"]), pick_rows(board.rows, "rank")
    if ranks:
        superlative = (
            board.extras["kind"].superlative or f"has the {board.settings['best']} {quantity}"
        )
        return ranking(ranks, superlative, "are ahead of", str(board.extras["noun"]))
    named = named_differences(board.rows)
    if not named:
        return verdict_on_levels(())
    first, second = (f"for {shorten(name, 30)}" for name in models_of_difference(named[0]))
    return higher_or_lower(named[0], f"values of the {quantity}", first, second)


def verdict_on_levels(blocks: Sequence[Block]) -> Conclusion:
    """Return how many differences of the leading tested family are significant, or that none is shown."""
    rows = [
        row
        for block in blocks
        for result in block.results
        for row in result.rows
        if row.p_adjusted is not None
    ]
    significant = [row for row in rows if is_significant(row)]
    if significant:
        of = count(len(rows), "difference")
        text = f"The data show {count(len(significant))} of {of} between the levels"
        return verdict_of(text, certainty="shown")
    what = "any difference between the levels" if rows else "whether the levels differ"
    return verdict_of(f"The data do not show {what}", certainty="open")

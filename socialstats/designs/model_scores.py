"""Scores of models as ratings: long and wide tables of benchmarks, where models are the raters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.designs.aliases import Levels, Missing, Names, Texts
from socialstats.designs.boards import BoardColumns, find_board
from socialstats.designs.levels import opposites
from socialstats.designs.options import among, texts
from socialstats.designs.profile import TableProfile
from socialstats.designs.ratings import Ratings
from socialstats.designs.ratings_options import RatingsOptions
from socialstats.designs.ratings_reading import PARTS, RATED_UNITS, RATINGS, build_from
from socialstats.designs.repeated_answers import SourceCells, refuse_other_answers
from socialstats.designs.schema import UNIT, DesignPart, Finder, Roles, plain_parts
from socialstats.designs.stacking import make_long
from socialstats.designs.tables import as_named
from socialstats.designs.vocabulary import (
    BOARD_SUMMARIES,
    MODELS,
    SCORE_NAMES,
    TASK,
    TASKS,
    bare,
    spelled,
)
from socialstats.errors import Caution, DesignError, InputError, caution
from socialstats.tables import Table, as_number, as_table, with_joint
from socialstats.text import listing, quoted, shorten
from socialstats.voice import Word, option

ITEMS = tuple(name for name in RATED_UNITS if name not in TASKS.names)
SCORES = (*RATINGS, *SCORE_NAMES)
BOARD = (
    DesignPart("rater", "rater", MODELS.names),
    DesignPart("unit", "unit", ITEMS, required=False),
    DesignPart("task", "stratum", TASKS.names, required=False),
    DesignPart("value", "value", SCORES),
    *plain_parts("by cluster repeat"),
)


def model_scores(
    data: Any,
    *,
    unit: Names | None = None,
    rater: str | None = None,
    value: str | None = None,
    task: str | None = None,
    repeat: Names | None = None,
    raters: Texts | None = None,
    by: str | None = None,
    cluster: Names = (),
    refusal: Names = (),
    na: Names = (),
    missing: Missing = "drop",
    source: str = "data frame",
) -> Ratings:
    """Build ratings from scores of models, one model a rater, in any of four shapes.

    Long: one row per model and item, with a task if there are several. Or one row per model and task, where tasks are
    the units. Wide: one row per item and a column for each model. Or one row per model and a column for each task,
    where tasks are the units. Several rows of one model and unit (repeats, epochs) are averaged (caution SS341).

    Parameters
    ----------
    data : data frame, DuckDB relation, mapping of columns, or Table
    unit, rater, value, task : str, optional
        Columns of the item, the model, the score (a number, or yes/no, correct/incorrect, pass/fail) and the task. By
        default ``item`` (or ``question``, ``sample``, ``id``, ...), ``model``, ``score`` (or ``correct``, ``accuracy``,
        ...) and ``task`` (or ``benchmark``, ``dataset``, ``subset``, ``category``). With one row per model,
        ``task="a,b"`` names the columns of scores.
    raters : sequence of str, optional
        With one row per item, the columns of the models; by default all that hold numbers or yes/no.
    repeat : str or sequence of str, optional
        Columns that number the answers of a model to a unit; by default found by structure, or none.
    by, cluster, refusal, na, missing, source
        As in `Ratings.from_frame`.

    Returns
    -------
    Ratings
        Stratum ``task`` holds the task of each unit, where items are the units and the table has tasks. An item with
        one name in two tasks is two units.

    Raises
    ------
    DesignError
        When a column is missing; says which, where it was looked for, and what there is.
    InputError
        When values are no scores, or several scores of one answer stand in the table and none was chosen.
    NothingToAnalyse
        When no row is left.

    Examples
    --------
    >>> wide = {"model": ["m1", "m2"], "arithmetic": [0.5, 0.75], "history": [0.25, 0.5]}
    >>> design = model_scores(wide)
    >>> design.raters, design.units, design.matrix().tolist()
    (('m1', 'm2'), ('arithmetic', 'history'), [[1.0, 2.0], [0.0, 1.0]])
    """
    table = as_table(as_named(data), source)
    table, key = with_joint(table, unit)
    options = among(RatingsOptions, locals(), unit=key)
    columns = texts(raters)
    finder = Finder(table, any_case=True)
    used = [name for named in (key, value, task, by, cluster, repeat) for name in texts(named)]
    model = None if columns else rater or finder.free(MODELS.names, used)
    if model is None:
        return wide_by_item(finder, columns, task, options)
    if task is not None and task not in table.columns and "," in task:
        columns = texts(name.strip() for name in task.split(","))
    elif not (value or key or task or finder.free((*ITEMS, *TASKS.names), [*used, model])):
        scores = score_columns(table, [*used, model])
        columns = scores if len(scores) > 1 else ()
    return (
        wide_by_model(finder, model, columns, options)
        if columns
        else long(finder, model, task, options)
    )


def score_columns(table: Table, other_columns: Sequence[str | None]) -> Levels:
    """Return the columns of scores of a wide table: no ranks, nor averages of the others by name or content."""
    free = [c for c in table.columns if c not in other_columns and bare(c) not in BOARD_SUMMARIES]
    scores = [c for c in free if holds_scores(table, c)]
    numbers = [c for c in scores if None not in map(as_number, table.levels(c))]
    if len(numbers) > 3:
        labels = [column.labels() for column in table.counts(numbers).columns.values()]
        rows = np.array([column.numbers() for column in labels])
        for k, column in enumerate(numbers if rows.shape[1] > 2 else ()):
            decimals = max(len(label.partition(".")[2]) for label in labels[k].levels)
            if np.allclose(
                np.delete(rows, k, axis=0).mean(axis=0), rows[k], rtol=0, atol=0.6 * 0.1**decimals
            ):
                scores.remove(column)
    return tuple(scores)


NO_COUNTS = "a leaderboard reads one row per answer: write a row for each, or leave the column out"
TOTALS_OF = frozenset(
    spelled("total n count nitems items nquestions questions outof size trials ntotal")
)


def long(finder: Finder, model: str, task: str | None, options: RatingsOptions) -> Ratings:
    """Read one row per model and item, or per model and task."""
    table = finder.table
    named = finder.roles(BOARD, options, rater=model, task=task)
    what = named["unit"] or named["task"]
    if not what:
        finder.lack("unit", ITEMS, used=[model])
    finder.finish()
    status = ["status"] * ("status" in table.columns and "ok" in table.levels("status"))
    within = named.of("stratum") if named["unit"] else []
    roles = Roles(PARTS, named.played).replaced(
        unit=[what], within=within, strata=within, status=status
    )
    if not roles["repeat"]:
        cells = SourceCells(
            TableProfile(table), roles.of(*UNIT), [model], roles["value"], roles.columns()
        )
        if cells.repeated:
            refuse_other_answers(table, cells, ("measure", "part", "scorer"))
    refuse_counts_of(table, roles["value"], [model, what, *roles.of("cluster")])
    return scores_design(table, roles, options)


def refuse_counts_of(table: Table, value: str, used: Texts) -> None:
    """Refuse counts of right answers beside the numbers of questions: models' counts cannot be compared as scores.

    Raises
    ------
    DesignError
        Naming both columns.
    """
    for total in [c for c in table.columns if c not in (*used, value) and bare(c) in TOTALS_OF]:
        cells = table.counts([value, total]).columns
        right, total_numbers = (cells[c].labels().numbers() for c in (value, total))
        if (
            np.all(
                (right >= 0)
                & (right <= total_numbers)
                & (right % 1 == 0)
                & (total_numbers % 1 == 0)
            )
            and total_numbers.max() > 1
        ):
            raise DesignError(
                f"{table.source}: '{value}' counts answers out of '{total}', and is not a score. Add a column with "
                "their ratio, or give one row per answer"
            )


def wide_by_item(
    finder: Finder, columns: Levels, task: str | None, options: RatingsOptions
) -> Ratings:
    """Read one row per item and a column for each model."""
    table = finder.table
    finder.several("raters", columns)
    parts = [part for part in BOARD if part.name not in ("rater", "value")]
    named = finder.roles(parts, options, columns, task=task)
    finder.finish()
    used = named.columns()
    scores = columns or score_columns(table, used)
    if not columns:
        refuse_long(table, scores)
    if len(scores) < 2:
        listed = listing([shorten(c) for c in table.columns], 20)
        raise DesignError(
            f"{table.source}: no column names the models (looked for {', '.join(MODELS.names)}), and fewer than two "
            f"columns hold scores of models. Say {option('rater', 'COLUMN', '--map rater=COLUMN')} for one row per "
            f"model and item, or name the columns of the models with {option('raters', typed='--raters a,b,c')}. "
            f"Columns: {listed}"
        )
    within = named.of("stratum")
    stacked = make_long(
        table, scores, named.of("stratum", "by", "cluster"), row=named["unit"] or None, name="model"
    )
    roles = Roles(PARTS, named.played).replaced(
        unit=[stacked.row],
        within=within,
        rater=[stacked.name],
        value=[stacked.value],
        strata=within,
        repeat=(),
    )
    return scores_design(stacked.table, roles, options, wide=table, used=(*used, *scores))


def refuse_long(table: Table, scores: Texts) -> None:
    """Refuse to read columns of numbers as models where other columns name models and units, row by row.

    Raises
    ------
    DesignError
        Naming the columns, and the settings that read them.
    """
    board = board_of_scores(table, scores)
    if board is None:
        return
    parts = {
        "rater": [board.model],
        "unit": board.unit,
        "value": [board.value],
        "repeat": board.repeat,
    }
    named = {part: [c.name for c in columns] for part, columns in parts.items() if columns}
    words = [option(p, n if n[1:] else n[0], f"--map {p}={','.join(n)}") for p, n in named.items()]
    raise DesignError(
        f"{table.source}: each row seems to hold a score of one of {board.model} for one of {board.unit[0]}. Say "
        f"{listing(words)}, or name columns of models with {option('raters', typed='--raters a,b,c')}"
    )


def wide_by_model(finder: Finder, model: str, columns: Levels, options: RatingsOptions) -> Ratings:
    """Read one row per model and a column for each task; the tasks are the units."""
    table = finder.table
    finder.several("task", columns)
    named = finder.roles(
        [part for part in BOARD if part.name in ("rater", "by")], options, columns, rater=model
    )
    finder.finish()
    if clusters := texts(options.cluster):
        raise InputError(
            f"{option('cluster', Word(listing(clusters)))}: with one row per model the tasks are the units, and "
            "no column can say which of them belong together. Leave it out"
        )
    stacked = make_long(table, columns, named.columns(), row=None, name=TASK)
    roles = Roles(PARTS, named.played).replaced(unit=[stacked.name], value=[stacked.value])
    return scores_design(
        stacked.table, roles, options, wide=table, used=(*named.columns(), *columns)
    )


def scores_design(
    table: Table,
    roles: Roles,
    options: RatingsOptions,
    *,
    wide: Table | None = None,
    used: Texts = (),
) -> Ratings:
    """Build the design; call the stratum of tasks ``task``, and name the columns that were left aside."""
    words = {*table.levels(roles["value"])} - options.refusal_labels - options.na_labels
    declared = options.levels if options.levels is not None and len(options.levels) == 2 else None
    pair = declared or opposites(words)
    full = replace(options, levels=pair, scale=None if pair else "interval", repeat=True)
    done = build_from(table, roles, full, wide=wide)
    tasks = dict(zip((TASK,), roles.of("stratum"), strict=False))
    columns = {part: name for part, name in roles.parts().items() if not part.startswith("stratum")}
    strata = {name: replace(done.strata[column], name=name) for name, column in tasks.items()}
    # levels and raters are no choice here
    cautions = [c for c in done.cautions if c.code not in ("SS310", "SS309")]
    cautions = [
        replace(c, fix=NO_COUNTS) if c.code == "SS324" else c
        for c in cautions
        if not of_log(table, c)
    ]
    if wide is not None and (left := [name for name in wide.columns if name not in used]):
        cautions.append(
            caution("SS307", f"{quoted(left, 12)}: neither a score nor a part", affects="nothing")
        )
    done = replace(done, strata=strata, columns=tasks | columns, cautions=tuple(cautions))
    return Ratings.of(done)


def of_log(table: Table, caution: Caution) -> bool:
    """Whether a caution on frequencies is about a log, whose weights are those of assertions."""
    return caution.code == "SS324" and {"scorer", "epoch", "status"} <= {*table.columns}


def holds_scores(table: Table, column: str) -> bool:
    """Return whether every value of a column is a number, or one of two opposites."""
    levels = table.levels(column)
    return bool(levels) and (None not in map(as_number, levels) or opposites(levels) is not None)


def is_plain_board(table: Table, parts: Mapping[str, str]) -> bool:
    """Return whether a long table is a leaderboard and nothing else, where nobody said so.

    Parameters
    ----------
    table : Table
    parts : mapping of part to column
        Of ratings: unit, rater, value.

    Returns
    -------
    bool
        True with a column ``model`` of two models or more, and units that the structure of the table shows too. Each
        model has one row of a unit, or repeats. Scores are numbers or one of two opposites.
    """
    unit, rater, value = (parts[name] for name in ("unit", "rater", "value"))
    if rater != "model" or not holds_scores(table, value):
        return False
    board = board_of_scores(table, [value])
    return board is not None and (board.model.name, board.unit[0].name, board.value.name) == (
        rater,
        unit,
        value,
    )


def board_of_scores(table: Table, scores: Texts) -> BoardColumns | None:
    """Return the roles of a long table of scores of models, where these columns may hold the score."""
    profile = TableProfile(table)
    columns = map(profile.column, scores)
    return find_board(profile, [column for column in columns if column is not None])

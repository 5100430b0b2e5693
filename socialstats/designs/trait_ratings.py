"""Trait scores as ratings: a table with one column per trait becomes one rating a row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from socialstats.designs import ratings_reading
from socialstats.designs.aliases import Missing, Names, NaTexts, Texts
from socialstats.designs.instrument import declared
from socialstats.designs.ratings import Ratings
from socialstats.designs.ratings_options import RatingsOptions
from socialstats.designs.ratings_reading import build_from
from socialstats.designs.schema import BLOCKS, STATUS, DesignPart, Finder, Roles, plain_parts
from socialstats.designs.stacking import make_long
from socialstats.designs.tables import as_named
from socialstats.errors import DesignError, InputError, Problem
from socialstats.tables import Table, as_table
from socialstats.voice import option

# parts that tell answers apart
ANSWER = ("model", "scenario", "stage", "wording")
PARTS = (
    *plain_parts(
        "model:stratum scenario:stratum stage:stratum wording:stratum judge:rater cluster by"
    ),
    DesignPart("status", "status", (STATUS,), required=False),
    BLOCKS,
)
ONCE = (
    "A judge scores an answer once. Name the column that distinguishes these rows (stage, wording), split by what else "
    "was varied (as in --by persona), or keep one of them"
)


def trait_ratings(
    data: Any,
    *,
    traits: Texts,
    model: str | None = "model",
    scenario: str = "scenario",
    stage: str | None = None,
    wording: str | None = None,
    judge: str = "judge",
    cluster: Names = (),
    by: str | None = None,
    status: str | None = None,
    refusal: Names = (),
    na: NaTexts = (),
    missing: Missing = "drop",
    source: str = "data frame",
) -> Ratings:
    """Build ratings from a table with one row per answer and judge, and one column per trait.

    A unit is a trait of an answer: of a model, in a scenario, at a stage, in a wording. These are the strata
    ``model``, ``scenario``, ``stage``, ``wording`` and ``trait`` of the design, whatever the columns are called.

    Parameters
    ----------
    data : data frame, DuckDB relation, mapping of columns, or Table
        As `Ratings.from_frame`.
    traits : sequence of str
        Columns of scores.
    model, scenario, judge : str
        Columns of who answered (None: the texts have no model), what was asked and who judged.
    stage, wording : str, optional
        Columns of the stage and of the wording; by default ``stage`` and ``wording`` where the table has them.
    status : str, optional
        Column that says why a row has no score: ``refusal``, or anything else; by default ``answer_status``, where
        there is one. It takes no score away. A reply that ``reply_status`` calls blocked, too, is a refusal.
    cluster, by, refusal, na, missing, source
        As in `Ratings.from_frame`.

    Returns
    -------
    Ratings
        Interval scale.

    Raises
    ------
    DesignError
        When columns are missing; says which, and what there is.
    InputError
        When rows are wrong (repeated, no number): up to 20 problems at once, with their rows.
    NothingToAnalyse
        When no row is left.

    Examples
    --------
    >>> table = {"model": ["m", "m"], "scenario": [1, 1], "stage": ["start", "end"], "judge": ["j", "j"],
    ...          "openness": [12, 15], "tradition": [9, 8]}
    >>> design = trait_ratings(table, traits=["openness", "tradition"])
    >>> len(design.units), sorted(design.strata), design.strata["trait"].levels
    (4, ['model', 'scenario', 'stage', 'trait'], ('openness', 'tradition'))
    """
    table = as_table(as_named(data), source)
    finder = Finder(table)
    named = finder.roles(
        PARTS,
        model=model,
        scenario=scenario,
        stage=stage or finder.free(["stage"]),
        wording=wording or finder.free(["wording"]),
        judge=judge,
        cluster=cluster,
        by=by,
        status=status,
    )
    chosen = finder.several("traits", traits)
    finder.finish()
    columns = {part: named[part] for part in ANSWER if named[part]}
    refuse_twice(table, columns, chosen, named.columns())
    long = make_long(table, chosen, named.columns(), row=None, name="trait")
    answers = [*columns.values(), long.name]
    roles = Roles(ratings_reading.PARTS, named.played).replaced(
        unit=answers, rater=[judge], value=[long.value], strata=answers
    )
    options = RatingsOptions(
        scale="interval",
        refusal=refusal,
        na=na,
        missing=missing,
        cluster=cluster,
        why_missing=True,
        cure=ONCE,
    )
    try:
        done = build_from(long.table, roles, options, wide=table)
    except InputError as error:
        raise type(error)(in_own_words(error.problems, long.name)) from error
    names = {**{column: part for part, column in columns.items()}, long.name: "trait"}
    strata = {names[c]: replace(factor, name=names[c]) for c, factor in done.strata.items()}
    further = {part: named[part] for part in ("by", "status") if named[part]}
    done = replace(
        done,
        strata=strata,
        columns={**columns, "rater": judge, **further},
        instrument=declared(table),
    )
    return Ratings.of(done)


def refuse_twice(table: Table, columns: dict[str, str], traits: Texts, further: Texts) -> None:
    """Refuse a column that plays two parts.

    Raises
    ------
    DesignError
    """
    twice = [t for k, t in enumerate(traits) if t in (*further, *traits[:k])]
    if twice or not traits:
        problem = f"column '{twice[0]}' is named twice" if twice else "no column is named"
        raise DesignError(
            f"{table.source}: {option('traits', list(traits))}: {problem}. Name each column of scores once"
        )
    repeated = [c for c in columns.values() if list(columns.values()).count(c) > 1]
    if repeated:
        raise DesignError(
            f"{table.source}: column '{repeated[0]}' cannot be both {' and '.join(columns)}"
        )


def in_own_words(problems: Sequence[Problem], trait: str) -> list[Problem]:
    """Return problems of the long table in words of the wide one: those of an answer once for all traits.

    Parameters
    ----------
    problems : sequence of Problem
    trait : str
        The column of the traits, which only the long table has.
    """
    problems_by: dict[tuple[object, ...], Problem] = {}
    named = rf"{re.escape(trait)} '[^']*'"
    for problem in problems:
        message = re.sub(rf", {named}| \({named}\)", "", problem.message, count=1)
        column = None if problem.fix == ONCE else problem.column
        problems_by.setdefault(
            (message, problem.lines), replace(problem, column=column, message=message)
        )
    return [*problems_by.values()]

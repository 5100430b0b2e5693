"""Answers to "which of two people?": couples of named groups, asked in both orders, as ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw

from socialstats.designs.aliases import Levels, Names, NaTexts, Pair, Texts
from socialstats.designs.ratings import Ratings
from socialstats.designs.schema import STATUS, DesignPart, Finder, plain_parts
from socialstats.designs.stacking import free_name, with_constant
from socialstats.errors import InputError
from socialstats.tables import Table, as_table, label_text
from socialstats.tables.lazy import ROW, asks
from socialstats.voice import option

COLUMNS = ("scenario", "pair", "group_first", "group_second")
NAMES = ("name_first", "name_second")
EXTRA = ("topic", "kind")
ANSWERS = ("answer", "value", "score", "choice")
RATERS = ("rater", "model", "judge")
PARTS = (
    *plain_parts("scenario:cluster pair:cluster group_first:stratum group_second:stratum by"),
    DesignPart("rater", "rater", RATERS, required=False),
    DesignPart("answer", "value", ANSWERS),
    DesignPart("status", "status", (STATUS,), required=False),
)
# other words for -1 and 1
WRITTEN = (
    ("1", "2"),
    ("NAME1", "NAME2"),
    ("name1", "name2"),
    ("first", "second"),
)
ORDER = "order of one group"
# how names of columns of probabilities end
PLACES = ("first", "second")


def couples_design(
    data: Any,
    *,
    scenario: str = "scenario",
    pair: str = "pair",
    group_first: str = "group_first",
    group_second: str = "group_second",
    names: Texts | None = None,
    answer: str | None = None,
    answers: Sequence[Any] = (-1, 1),
    rater: str | None = None,
    strata: Texts | None = None,
    rater_groups: Texts = (),
    refusal: Names = (),
    status: str | None = None,
    na: NaTexts = (),
    by: str | None = None,
    probabilities: str | None = None,
    source: str = "data frame",
) -> Ratings:
    """Read a table with one answer per row as ratings whose units are (scenario, pair of names, order).

    Parameters
    ----------
    data : data frame, mapping of columns, or Table
    scenario, pair : str
        Columns; they become the two crossed clusters. `pair` is the same label in both orders.
    group_first, group_second : str
        Columns with the group of the first and of the second name.
    names : sequence of str, optional
        Columns of the two names, which tell two orders of one pair apart where both are of one group. By default
        ``name_first`` and ``name_second`` where they exist; without them the two rows of such a pair are its two
        orders, whichever is which.
    answer : str, optional
        Column of the answers; by default ``answer``, ``value``, ``score`` or ``choice``.
    answers : pair
        The answers that mean the first and the second name.
    rater : str, optional
        Column of who answered; by default ``rater``, ``model`` or ``judge``; without one, all rows are of one model.
    strata : sequence of str, optional
        Further columns of the scenario; by default ``topic`` and ``kind`` where they exist.
    rater_groups : sequence of str
        Columns that belong to who answered, such as the family of a model.
    status : str, optional
        Column that says what became of the reply, as in `Ratings.from_frame`; by default ``answer_status``, where there
        is one.
    probabilities : str, optional
        Start of the names of two columns that end in ``first`` and ``second`` (``"p_"``). They hold the probability of
        each name in a reply, read in place of the answer that was drawn.
    refusal, na, by, source
        As in `Ratings.from_frame`.

    Returns
    -------
    Ratings
        Clusters `scenario` and `pair`, strata `group_first`, `group_second` and `strata`.

    Raises
    ------
    DesignError
        Naming the columns that are missing.
    InputError
        As `Ratings.from_frame`.

    Examples
    --------
    >>> rows = {"scenario": ["s", "s"], "pair": ["ann & bob"] * 2, "group_first": ["w", "m"],
    ...         "group_second": ["m", "w"], "answer": [-1, 1]}
    >>> couples_design(rows)
    <Ratings: 2 ratings, 2 units, 1 rater, 2 levels, nominal; clusters scenario and pair>
    """
    if len({str(label) for label in answers}) != len(answers):
        raise InputError(
            f"{option('answers', tuple(answers))} must be two different answers: the first and the second name's"
        )
    table = as_table(data, source)
    finder = Finder(table)
    named = finder.roles(
        PARTS,
        scenario=scenario,
        pair=pair,
        group_first=group_first,
        group_second=group_second,
        rater=rater,
        by=by,
        answer=answer,
        status=status,
    )
    twins = finder.several(
        "names", [c for c in NAMES if c in table.columns] if names is None else names
    )
    more = finder.several(
        "strata", [c for c in EXTRA if c in table.columns] if strata is None else strata
    )
    read = None
    if probabilities is not None:
        read = {
            label_text(answer) or "": f"{probabilities}{place}"
            for answer, place in zip(answers, PLACES, strict=True)
        }
        finder.several("probabilities", read.values())
    finder.several("rater_groups", rater_groups)
    finder.finish()
    needed = (scenario, pair, group_first, group_second)
    keys: Levels = (*needed, *twins)
    who = named["rater"] or None
    if not twins:
        table = with_orders(table, keys, (group_first, group_second), named.of("rater", "by"))
        keys = (*needed, *(c for c in table.columns if c.startswith(ORDER)))
    table, unit, who = with_units(table, keys, who)
    return Ratings.from_frame(
        table,
        unit=unit,
        rater=who,
        value=named["answer"],
        levels=list(answers),
        scale="nominal",
        refusal=refusal,
        status=named["status"] or None,
        na=na,
        probabilities=read,
        cluster=(scenario, pair),
        by=by,
        strata=tuple(dict.fromkeys((group_first, group_second, *more))),
        rater_groups=tuple(rater_groups),
    )


def written_answers(table: Table) -> Pair | None:
    """Return the words for the first and the second name, where a table says neither -1 nor 1 but 1 and 2 or the like.

    Examples
    --------
    >>> [written_answers(as_table({"answer": said}, "x")) for said in (["1", "2", "refused"], [1])]
    [('1', '2'), None]
    """
    column = next((c for c in ANSWERS if c in table.columns), None)
    if column is None:
        return None
    labels = {*table.levels(column)}
    pairs = (
        pair for pair in WRITTEN if pair[1] in labels or (pair[0] in labels and pair[0] != "1")
    )
    return None if "-1" in labels else next(pairs, None)


@asks
def with_orders(table: Table, keys: Texts, groups: Pair, more: Texts) -> Table:
    """Number the two rows of a pair of names of one group, whose order no column tells; a third stays a repetition."""
    name = free_name(table.columns, ORDER)
    first = free_name(table.columns, "first row")
    is_eager = isinstance(table.frame, nw.DataFrame)
    frame: Any = (
        table.frame.with_row_index(ROW) if isinstance(table.frame, nw.DataFrame) else table.frame
    )
    # whose windows need an index of its own
    if ROW not in frame.collect_schema() or frame.implementation.is_dask():
        raise InputError(
            f"{table.source}: name the columns of the two names with {option('names')}, since rows "
            "of this engine have no order"
        )
    same_group = nw.col(groups[0]) == nw.col(groups[1])
    frame = frame.with_columns(nw.col(ROW).min().over(*dict.fromkeys((*keys, *more))).alias(first))
    later = nw.when(nw.col(ROW) == nw.col(first)).then(nw.lit("")).otherwise(nw.lit("2"))
    frame = frame.with_columns(nw.when(same_group).then(later).otherwise(nw.lit("")).alias(name))
    return replace(table, data=frame.drop(first, *[ROW] * is_eager), columns=(*table.columns, name))


def with_units(table: Table, keys: Texts, rater: str | None) -> tuple[Table, str, str]:
    """Add a column that names the unit, and one for a single rater where none is named; return their names."""
    unit = free_name(table.columns, "couple")
    parts = [nw.col(key).cast(nw.String()).fill_null("") for key in dict.fromkeys(keys)]
    frame: Any = table.frame
    joined = frame.with_columns(nw.concat_str(parts, separator=" | ").alias(unit))
    table = replace(table, data=joined, columns=(*table.columns, unit))
    if rater is not None:
        return table, unit, rater
    table, who = with_constant(table, "answered by", "model")
    return table, unit, who

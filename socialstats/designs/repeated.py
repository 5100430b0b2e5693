"""Several answers of each source to each unit, as ratings: a unit is what one source answered, a rater an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np

from socialstats.arrays import IntArray
from socialstats.designs.aliases import LevelOrder, Names, NaTexts, Repeat, Texts
from socialstats.designs.level_orders import Scale
from socialstats.designs.profile import TableProfile
from socialstats.designs.ratings import Ratings
from socialstats.designs.ratings_options import RatingsOptions
from socialstats.designs.ratings_reading import ratings_roles
from socialstats.designs.repeated_answers import SourceCells, refuse_other_answers
from socialstats.designs.roles import model_columns
from socialstats.errors import DesignError
from socialstats.tables import Table, as_table
from socialstats.tables.lazy import collected
from socialstats.text import shorten
from socialstats.voice import option

NUMBER = "number of the answer"


def repeated_answers(
    data: Any,
    *,
    unit: str | None = None,
    rater: str | None = None,
    value: str | None = None,
    repeat: Repeat = None,
    levels: LevelOrder = None,
    scale: Scale | None = None,
    refusal: Names = (),
    na: NaTexts = (),
    cluster: Names = (),
    source: str = "",
) -> Ratings:
    """Make ratings of a table with several answers of a source to a unit.

    Parameters
    ----------
    data : data frame, mapping of columns, or Table
        One row for each answer.
    unit, rater, value : str, optional
        Columns of the item, of the source of the answer (a model or a person) and of the answer.
    repeat : str, sequence of str or True, optional
        Columns that number the answers; True: rows of one unit and source are answers, whatever tells them apart.
    levels, scale, refusal, na : optional
        As in `Ratings.from_frame`; texts without declared levels are nominal.
    cluster : str or sequence of str
        Columns of groups of dependent units, at most two. By default the unit: answers of two sources to it are alike.
    source : str
        Name of the table, for messages.

    Returns
    -------
    Ratings
        A unit is a pair of a unit and a source of the table, and its stratum is the source. Raters number the answers
        in the order of the rows.

    Raises
    ------
    DesignError
        If no source answered a unit twice.
    InputError
        If a unit has several measures, judges or conditions of one source, which are no repeats.

    Examples
    --------
    >>> table = {"item": [1] * 4, "model": ["m", "m", "n", "n"], "run": [1, 2, 1, 2], "value": ["a", "b", "a", "a"]}
    >>> answers = repeated_answers(table)
    >>> answers.units, answers.raters
    (('1 | m', '1 | n'), ('1', '2'))
    """
    table = as_table(data, source) if source else as_table(data)
    table = replace(table, data=collected(table.frame))
    profile = TableProfile(table)
    models = model_columns(profile) if rater is None else []
    rater = models[0].name if len(models) == 1 else rater
    roles = ratings_roles(
        table, RatingsOptions(unit=unit, rater=rater, value=value, repeat=repeat, cluster=cluster)
    )
    what = roles["unit"]
    who = roles["rater"]
    answer = profile.column(roles["value"])
    if scale is None and levels is None and answer is not None and answer.text:
        scale = "nominal"
    cells = SourceCells(profile, [what], [who], roles["value"], used=roles.of("cluster", "repeat"))
    if not cells.repeated:
        raise DesignError(
            f"{table.source}: no label of '{shorten(what)}' has two answers of one '{shorten(who)}', so "
            f"nothing was asked again. Name other columns with {option('unit')} and {option('rater')}"
        )
    if repeat is None:
        refuse_other_answers(table, cells)
    numbered = number_repeats(table, (what, who))
    return Ratings.from_frame(
        numbered,
        unit=[what, who],
        rater=NUMBER,
        value=roles["value"],
        strata=who,
        cluster=roles.of("cluster") or what,
        levels=levels,
        scale=scale,
        refusal=refusal,
        na=na,
    )


def number_repeats(table: Table, keys: Texts) -> Table:
    """Return the table with the number, from 1, of each row among those with the same keys."""
    number = occurrence(list(zip(*(table.texts(key) for key in keys), strict=True)))
    series = nw.new_series(NUMBER, number, backend=nw.get_native_namespace(table.frame))
    return replace(table, data=table.frame.with_columns(series), columns=(*table.columns, NUMBER))


def occurrence(keys: Sequence[tuple[str | None, ...]]) -> IntArray:
    """Return how often each key occurred up to its place.

    Examples
    --------
    >>> occurrence([("a",), ("b",), ("a",)]).tolist()
    [1, 1, 2]
    """
    repeats: dict[tuple[str | None, ...], int] = {}
    out = np.empty(len(keys), dtype=np.int64)
    for place, key in enumerate(keys):
        out[place] = repeats[key] = repeats.get(key, 0) + 1
    return out

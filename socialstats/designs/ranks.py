"""Ranks of several items in one row, as comparisons of each two of them: the lower rank wins."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from socialstats.designs.aliases import Fields, Texts
from socialstats.designs.comparisons_reading import build
from socialstats.designs.options import Options, texts
from socialstats.designs.parts import FlowStep
from socialstats.designs.schema import Finder
from socialstats.designs.stacking import free_name, places_of_copies
from socialstats.errors import InputError
from socialstats.tables import Table, as_table
from socialstats.tables.lazy import collected
from socialstats.voice import option

if TYPE_CHECKING:
    from socialstats.designs.comparisons_data import ComparisonsData

# between the words of a name
MARKS = ("_", " ", ".", "-")
SIDES = (("item_a", "score_a"), ("item_b", "score_b"))
# columns of ranks; two of them are scores of two sides
FEWEST = 3


def ranked_comparisons(data: Any, columns: Texts, source: str, options: Options) -> ComparisonsData:
    """Read rankings; `Comparisons.from_ranks` documents it."""
    table = as_table(data, source)
    finder = Finder(table)
    chosen = finder.several("ranks", columns)
    finder.finish()
    if len(chosen) < FEWEST:
        raise InputError(
            f"{option('ranks', chosen)}: name three columns or more. Two ranks are scores, of which the lower wins: "
            f"write the winner in a column of its own"
        )
    carried = dict.fromkeys([*texts(options.cluster), *texts(options.by)])
    pairs, ranking = pairs_of_ranks(table, chosen, [name for name in carried if table.has(name)])
    named: Fields = {part: free_name(carried, part) for side in SIDES for part in side}
    design = build(
        pairs, replace(options, **named, cluster=options.cluster or ranking, lowest_wins=True)
    )
    step = FlowStep(
        label="rankings read", rows=table.height, note="each two items are a comparison"
    )
    return replace(design, flow=(step, *design.flow), columns={"ranks": ", ".join(chosen)})


def pairs_of_ranks(table: Table, columns: Texts, carried: Texts) -> tuple[Table, str]:
    """Return a table with a row for each two items of each ranking, and the name of its column of rankings.

    Parameters
    ----------
    table : Table
        One row per ranking.
    columns : sequence of str
        Columns of ranks. Items are called like them, without the words that all of them share.
    carried : sequence of str
        Columns that belong to the ranking.

    Examples
    --------
    >>> pairs, ranking = pairs_of_ranks(as_table({"rank_x": [1], "rank_y": [3], "rank_z": [2]}), ["rank_x", "rank_y",
    ...                                 "rank_z"], [])
    >>> [pairs.texts(name) for name in ("item_a", "item_b", "score_a", "score_b")]
    [['x', 'x', 'y'], ['y', 'z', 'z'], ['1', '1', '3'], ['3', '2', '2']]
    """
    import pandas as pd

    frame: Any = collected(table.frame.select(*dict.fromkeys([*columns, *carried])))
    rows = len(frame)
    items = item_names(columns)
    ranking = free_name(carried, "ranking")
    values = {
        name: np.array(frame.get_column(name).to_list(), dtype=object)
        for name in (*columns, *carried)
    }
    index_pairs = [*combinations(range(len(columns)), 2)]
    data: Fields = {name: np.tile(values[name], len(index_pairs)) for name in carried}
    data[ranking] = np.tile(np.arange(1, rows + 1), len(index_pairs))
    for side, (item, score) in enumerate(SIDES):
        data[free_name(carried, item)] = np.repeat(
            [items[pair[side]] for pair in index_pairs], rows
        )
        data[free_name(carried, score)] = np.concatenate(
            [values[columns[pair[side]]] for pair in index_pairs]
        )
    pairs = nw.from_native(pd.DataFrame(data), eager_only=True)

    locate = partial(places_of_copies, table, rows)
    pair_table = replace(table, data=pairs, columns=tuple(data), locate=locate, stacked=None)
    return pair_table, ranking


def item_names(columns: Texts) -> list[str]:
    """Return names without the words at their start, or their end, that all of them share.

    Examples
    --------
    >>> item_names(["place_gpt4", "place_human"]), item_names(["A rank", "B rank"]), item_names(["x", "y"])
    (['gpt4', 'human'], ['A', 'B'], ['x', 'y'])
    """
    names = [*columns]
    for mark in MARKS:
        heads, _, tails = zip(*(name.partition(mark) for name in names), strict=True)
        if len({*heads}) == 1 and all(tails):
            names = [*tails]
        heads, _, tails = zip(*(name.rpartition(mark) for name in names), strict=True)
        if len({*tails}) == 1 and all(heads):
            names = [*heads]
    return names

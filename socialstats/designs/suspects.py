"""Columns that look like clusters and were not declared."""

from __future__ import annotations

import re
from collections.abc import Collection

from socialstats import text
from socialstats.errors import Caution, InputError, caution
from socialstats.tables import Table

WORDS = (
    "scenario", "story", "topic", "domain", "template", "cluster", "group", "worker", "participant", "subject",
    "annotator", "passage", "document", "dialogue", "conversation", "persona", "site", "school", "household",
)  # fmt: skip
NAME = re.compile(rf"(?:^|_)(?:{'|'.join(WORDS)})s?(?:_?(?:id|nr|no|name|number))?$", re.IGNORECASE)
MOST = 5
FEWEST = 5  # values that a cluster needs: with fewer no standard error can be estimated from them


def cluster_suspects(table: Table, used: Collection[str], units: int) -> list[Caution]:
    """Return caution SS311 where a free column has the name of a cluster, at least 5 values, and fewer than units.

    Parameters
    ----------
    table : Table
    used : collection of str
        Columns that play a part already.
    units : int
        Units of the design: a column with a value of its own for each says nothing about dependence.
    """
    found = []
    for column in [c for c in table.columns if c not in used and NAME.search(c)][:MOST]:
        try:
            levels = len(table.counts([column]).columns[column].labels().levels)
        except (InputError, TypeError):  # it holds no labels
            continue
        if FEWEST <= levels < units:
            found.append((column, levels))
    if not found:
        return []
    listed = "; ".join(f"'{text.shorten(column)}' ({levels:,} values)" for column, levels in found)
    fix = f"cluster='{text.shorten(found[0][0])}' (--map cluster={text.shorten(found[0][0])}) if its rows are alike"
    return [caution("SS311", f"{listed}, {units:,} units", affects="standard errors, intervals, p-values", fix=fix)]

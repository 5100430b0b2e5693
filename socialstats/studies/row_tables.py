"""Tables of a page from rows of results: a line a row, a grid of two dimensions, a ranking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from socialstats.results import Row
from socialstats.studies.estimates import Column, rows_table, table_of
from socialstats.studies.grids import Cell, TableLayout, cells_caption, layout_table
from socialstats.studies.page import PageTable
from socialstats.studies.row_picking import COLUMNS, key_text, name_rows, varying_dimensions
from socialstats.text import as_words, capital, listing

# what a quantity is called in rows that are not its estimates
ROLES = {
    "difference": "difference in ",
    "effect_size": "size (d_z) of the difference in ",
    "spread": "standard deviation (n − 1) of ",
    "test": "test of ",
    "rank": "rank in ",
}
# dimensions in words
PLACES = {"without": "what is left out", "over": "what varies", "pick": "set"}
# the words of a quantity tell these dimensions already
FACTS = ("measure", "against", "family")


def grid_table(
    rows: Sequence[Row],
    caption: str,
    down: str | Sequence[str],
    across: str = "",
    *,
    name: str = "",
    cell: Cell = "tested",
    none: str = "all",
    headings: Mapping[str, str] | None = None,
) -> PageTable:
    """Return rows as a table whose lines and columns are the labels of dimensions of their keys.

    Parameters
    ----------
    rows : sequence of Row
    caption : str
        What the cells are; level of the intervals, adjustment and sizes are added.
    down : str or sequence of str
        Dimensions of the lines.
    across : str
        Dimension of the columns; empty: one column.
    name : str
        Short name of the table, for ``socialstats show --table NAME``.
    cell : {"tested", "interval", "estimate", "mean_sd"}
        What stands in a cell, as `socialstats.studies.grids.TableLayout` says.
    none : str
        Name of rows without a label.
    headings : mapping of dimension to str, optional
        What the header calls dimensions, where not by their names.

    Examples
    --------
    >>> key = (("model", "m"), ("stage", "end"))
    >>> row = Row(term="m", key=key, estimate=3.0, conf_low=1.0, conf_high=5.0, conf_level=0.95, n=20.0)
    >>> table = grid_table([row], "Scores", "model", "stage")
    >>> table.caption, table.header, table.cells
    ('Scores: estimate [95% CI]; n = 20', ('Model', 'end'), (('m', '3.00 [1.00, 5.00]'),))
    """
    lines = (down,) if isinstance(down, str) else tuple(down)
    text = cells_caption(caption, rows, cell)
    grid = TableLayout(
        name=name,
        caption=text,
        rows=lines,
        columns=across,
        cell=cell,
        headings=headings or {},
        none=none,
    )
    cells = [
        ({name: as_words(text) if name in COLUMNS else text for name, text in row.key}, row)
        for row in rows
    ]
    return layout_table(grid, cells)


def kind_tables(rows: Sequence[Row], quantity: str, *, none: str = "all") -> list[PageTable]:
    """Return a table for each kind of rows: those of one role whose keys have the same dimensions.

    Estimates that differ in two dimensions stand in a grid, and others one in a line.

    Parameters
    ----------
    rows : sequence of Row
    quantity : str
        What the estimates are.
    none : str

    Examples
    --------
    >>> key = (("stage", "end"), ("baseline", "start"))
    >>> rows = [Row(term="end", role="estimate", key=key[:1]), Row(term="end", role="difference", key=key)]
    >>> [table.caption for table in kind_tables(rows, "score")]
    ['Score; stage: end', 'Difference in score; stage: end; baseline: start']
    """
    kinds: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        kinds.setdefault((row.role, *(name for name, _ in row.key)), []).append(row)
    tables = []
    for (role, *names), group in kinds.items():
        labels = {name: {row.label(name) for row in group} for name in names if name not in FACTS}
        varying = sorted(
            (name for name in labels if len(labels[name]) > 1), key=lambda name: -len(labels[name])
        )
        places = (
            f" by {listing([PLACES.get(name, as_words(name)) for name in varying])}"
            if varying
            else ""
        )
        fixed = [
            f"; {PLACES.get(name, name)}: {key_text(group[0], name)}"
            for name in labels
            if name not in varying
        ]
        caption = f"{capital(f'{ROLES.get(role, str())}{quantity}')}{places}{''.join(fixed)}"
        if role == "estimate" and len(varying) == 2:
            tables.append(grid_table(group, caption, *varying, none=none))
            continue
        term = capital(" / ".join(as_words(name) for name in varying))
        tables.append(line_table(group, caption, heading=term))
    return tables


def line_table(
    rows: Sequence[Row],
    caption: str,
    names: Sequence[str] | None = None,
    *,
    heading: str = "",
    units: bool = False,
) -> PageTable:
    """Return a table with one line for each row, without columns in which no row has anything.

    Parameters
    ----------
    rows : sequence of Row
    caption : str
    names : sequence of str, optional
        By default those of `name_rows`.
    heading : str
        What the header calls the names; by default the dimensions that they are of.
    units : bool
        Sizes are numbers of units, where n counts different things.
    """
    if names is None:
        names = name_rows(rows)
        heading = heading or " / ".join(as_words(name) for name in varying_dimensions(rows))
    term = capital(heading) or "Term"
    return compact_table(rows_table(rows, caption, term=term, labels=names, units=units))


def rank_range(row: Row | None) -> str | None:
    """Return a rank interval, such as 1–3; None without one.

    Examples
    --------
    >>> rank_range(Row(term="a", estimate=1.0, conf_low=1.0, conf_high=3.0))
    '1–3'
    """
    ends = None if row is None else row.ends()
    return None if ends is None else f"{ends[0]:.0f}\u2013{ends[1]:.0f}"


def ranked_table(
    rows: Sequence[Row],
    caption: str,
    heading: str,
    columns: Mapping[str, Column],
    ranks: Mapping[str, Iterable[Row]],
) -> PageTable:
    """Return rows with their rank, some of their fields, and their rank intervals.

    Parameters
    ----------
    rows : sequence of Row
    caption, heading : str
    columns : mapping of header to field
        As of `table_of`.
    ranks : mapping of header to rows
        The ranks of each kind of interval, by the terms of the rows.
    """
    kinds = {header: {row.term: row for row in of_kind} for header, of_kind in ranks.items()}
    places = next(iter(kinds.values()))

    def rank(row: Row) -> Any:
        return places[row.term].shown(digits=0) if row.term in places else None

    def intervals(of_kind: Mapping[str, Row]) -> Column:
        return lambda row: rank_range(of_kind.get(row.term))

    joint = {header: intervals(of_kind) for header, of_kind in kinds.items()}
    fields = {"Rank": rank, **columns, **joint, "Why not": "undefined"}
    return table_of(rows, caption, (capital(heading), "term"), fields)


def compact_table(table: PageTable) -> PageTable:
    """Return a table without the columns in which no row has anything.

    Examples
    --------
    >>> compact_table(PageTable("Sizes", ("Term", "SE", "n"), (("a", None, 3), ("b", None, 4)))).header
    ('Term', 'n')
    """
    places = [
        k for k in range(len(table.header)) if any(line[k] is not None for line in table.cells)
    ]
    return replace(
        table,
        header=tuple(table.header[k] for k in places),
        cells=tuple(tuple(line[k] for k in places) for line in table.cells),
    )

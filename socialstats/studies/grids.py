"""Tables in the shape of a paper's: rows x columns x cells, by the keys of rows of results.

A `TableLayout` says which dimensions head the lines, which head the columns, and what stands in a cell. The studies of
this package and those that users declare make their tables here. A table keeps its cells with their labels. So the
tables of several levels, such as those of three prompts, become one with a further dimension (`stacked_grids`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from socialstats.errors import InputError
from socialstats.results import Row
from socialstats.studies.estimates import in_cell, p_cell
from socialstats.studies.page import PageTable
from socialstats.text import capital, count, number, percent_of, quoted, shortened

Labels = Mapping[str, str]
Labelled = tuple[Labels, Row]
"""A row, and its label in each dimension."""
Cell = Literal["interval", "tested", "estimate", "mean_sd"]
MOST_COLUMNS = 12  # columns of cells that a page has room for
MOST_OF_LABEL = 40  # characters of a label
VALUE = "Estimate"  # heads the cells of a table without a dimension of columns
# what a file has of each cell beside its estimate, where any cell of the column has it
FIELDS = ("conf_low", "conf_high", "sd", "p_value", "p_adjusted", "n", "undefined")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLayout:
    """The layout of a table.

    Attributes
    ----------
    name : str
        Short name, by which `socialstats show --table` finds the table.
    caption : str
    rows : tuple of str
        Dimensions whose labels head the lines.
    columns : str
        Dimension whose labels head the columns; empty: one column of cells.
    cell : {"interval", "tested", "estimate", "mean_sd"}
        An estimate with its interval; with its adjusted p too; the estimate alone; a mean with its standard deviation
        (n - 1) in parentheses. The last are two rows of the same labels, that of the standard deviation with role
        "spread".
    headings : mapping of str to str
        What the header calls a dimension, where not by its own name. ``""`` heads cells without a dimension of columns.
    none : str
        What a row is called in a dimension in which it has no label.
    """

    name: str
    caption: str
    rows: tuple[str, ...]
    columns: str = ""
    cell: Cell = "interval"
    headings: Mapping[str, str] = field(default_factory=dict)
    none: str = "all"

    @property
    def sides(self) -> tuple[str, ...]:
        """The dimensions of rows and columns."""
        return (*self.rows, self.columns) if self.columns else self.rows

    def heading(self, dimension: str) -> str:
        """Return what the header calls a dimension."""
        return self.headings.get(dimension, capital(dimension))


def labelled_rows(rows: Iterable[Row], **labels: str) -> list[Labelled]:
    """Return rows with the labels of their keys, and further labels that all of them have.

    Examples
    --------
    >>> labelled_rows([Row(term="a", key=(("area", "home"),))], model="m")[0][0]
    {'model': 'm', 'area': 'home'}
    """
    return [({**labels, **dict(row.key)}, row) for row in rows]


def dimensions_of(cells: Iterable[Labelled]) -> list[str]:
    """Return the dimensions in which rows have labels, in the order in which they come."""
    return list(dict.fromkeys(name for labels, _ in cells for name in labels))


def interval_cell(rows: Sequence[Row]) -> str:
    """Return an estimate with its interval, or why there is none."""
    return in_cell(rows[0]) or rows[0].undefined or ""


def adjusted_cell(rows: Sequence[Row]) -> str:
    """Return an estimate with its interval and adjusted p, or why there is none.

    Examples
    --------
    >>> adjusted_cell([Row(term="m", estimate=-1.5, conf_low=-2.0, conf_high=-1.0, p_value=0.01, p_adjusted=0.02)])
    '−1.50 [−2.00, −1.00], .020'
    """
    row = rows[0]
    text = interval_cell(rows)
    if row.estimate is None or row.p_adjusted is None:
        return text
    return f"{text}, {number(p_cell(row.p_adjusted))}"


def estimate_cell(rows: Sequence[Row]) -> float | None:
    """Return an estimate alone, with the decimals of its row."""
    return rows[0].shown()


def mean_sd_cell(rows: Sequence[Row]) -> str | None:
    """Return a mean with its standard deviation in parentheses."""
    means = [row for row in rows if row.role != "spread"]
    spreads = [row for row in rows if row.role == "spread"]
    if not means or means[0].estimate is None:
        return None
    mean = number(means[0].shown())
    if not spreads or spreads[0].estimate is None:
        return mean
    return f"{mean} ({number(spreads[0].shown())})"


CELLS: dict[Cell, Callable[[Sequence[Row]], str | float | None]] = {
    "interval": interval_cell,
    "tested": adjusted_cell,
    "estimate": estimate_cell,
    "mean_sd": mean_sd_cell,
}


def layout_table(grid: TableLayout, cells: Iterable[Labelled]) -> PageTable:
    """Return a table of a page, whose cells are found by the labels of rows.

    Lines and columns come in the order in which their labels come. A table with more columns than a page has room for
    has a line for each of them instead.

    Raises
    ------
    InputError
        Where two rows would stand in one cell, with the dimension that tells them apart.

    Examples
    --------
    >>> rows = [Row(term="x", estimate=e, key=(("model", m), ("area", a)))
    ...         for m, a, e in (("a", "home", 0.5), ("a", "work", 1.25), ("b", "home", 2.0))]
    >>> grid = TableLayout(name="areas", caption="Distance", rows=("model",), columns="area")
    >>> table = layout_table(grid, labelled_rows(rows))
    >>> table.header, table.cells
    (('Model', 'home', 'work'), (('a', '0.50', '1.25'), ('b', '2.00', None)))
    """
    cells = list(cells)
    layout = layout_on_page(grid, cells)
    heads, lines = cells_by_place(layout, cells)
    refuse_shared_cells(layout, cells, lines.values())
    make = CELLS[layout.cell]
    sides = shortened_sides(lines)
    body = []
    for names, line in zip(sides, lines.values(), strict=True):
        values = [make(line[head]) if head in line else None for head in heads]
        body.append((*names, *values))
    return PageTable(
        caption=layout.caption,
        header=(*map(layout.heading, layout.rows), *column_titles(layout, heads)),
        cells=tuple(body),
        rows=tuple(row for _, row in cells),
        name=layout.name,
        grid=grid,
        labelled=tuple(cells),
    )


def label_in(labels: Labels, dimension: str, none: str) -> str:
    """Return a label in a dimension, or what stands for none."""
    return labels.get(dimension) or none


def layout_on_page(grid: TableLayout, cells: Sequence[Labelled]) -> TableLayout:
    """Return a layout, or that with a line a cell where a page has no room for its columns."""
    heads = {label_in(labels, grid.columns, grid.none) for labels, _ in cells}
    if grid.columns and len(heads) > MOST_COLUMNS:
        return replace(grid, rows=grid.sides, columns="")
    return grid


def cells_by_place(
    grid: TableLayout, cells: Iterable[Labelled]
) -> tuple[list[str], dict[tuple[str, ...], dict[str, list[Row]]]]:
    """Return the labels of the columns, and the rows in each cell by the labels of its line and its column."""
    lines: dict[tuple[str, ...], dict[str, list[Row]]] = {}
    heads: dict[str, None] = {}
    for labels, row in cells:
        line = tuple(label_in(labels, name, grid.none) for name in grid.rows)
        head = label_in(labels, grid.columns, grid.none)
        heads[head] = None
        lines.setdefault(line, {}).setdefault(head, []).append(row)
    return list(heads), lines


def shortened_sides(lines: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the labels of lines, shortened where they are long; different labels stay apart."""
    sides = [shortened(labels, MOST_OF_LABEL) for labels in zip(*lines, strict=True)]
    return list(zip(*sides, strict=True))


def column_titles(grid: TableLayout, heads: Sequence[str]) -> list[str]:
    """Return what heads the columns of cells."""
    return shortened(heads, MOST_OF_LABEL) if grid.columns else [grid.headings.get("", VALUE)]


def table_values(table: PageTable) -> tuple[list[str], list[list[str | float | None]]] | None:
    """Return a table of a layout with the numbers behind its cells, for a file; None for other tables.

    Of each column of cells there is a column of estimates, and one for each of `FIELDS` that any of its rows has.

    Examples
    --------
    >>> rows = [Row(term="x", estimate=e, conf_low=0.0, conf_high=3.0, key=(("model", m), ("area", "home")))
    ...         for m, e in (("a", 1 / 3), ("b", 2.0))]
    >>> grid = TableLayout(name="areas", caption="Distance", rows=("model",), columns="area")
    >>> header, lines = table_values(layout_table(grid, labelled_rows(rows)))
    >>> header
    ['Model', 'home', 'home conf_low', 'home conf_high']
    >>> lines[0]
    ['a', 0.3333333333333333, 0.0, 3.0]
    """
    if table.grid is None:
        return None
    grid = layout_on_page(table.grid, table.labelled)
    heads, lines = cells_by_place(grid, table.labelled)
    header = [grid.heading(name) for name in grid.rows]
    body: list[list[str | float | None]] = [list(line) for line in lines]
    for head, title in zip(heads, column_titles(grid, heads), strict=True):
        values = [cell_values(line.get(head, ())) for line in lines.values()]
        present = [name for name in FIELDS if any(name in cell for cell in values)]
        header += [title, *(f"{title} {name}" for name in present)]
        for line, cell in zip(body, values, strict=True):
            line += [cell.get(name) for name in ("estimate", *present)]
    return header, body


def cell_values(rows: Iterable[Row]) -> dict[str, str | float]:
    """Return the numbers of the rows of a cell by name, without those that are not there; sd is of a row of spread."""
    values: dict[str, str | float] = {}
    for row in rows:
        if row.role == "spread":
            named = {"sd": row.estimate}
        else:
            fields = ("estimate", *(name for name in FIELDS if name != "sd"))
            named = {name: getattr(row, name) for name in fields}
        values |= {name: value for name, value in named.items() if value is not None}
    return values


def cells_caption(what: str, rows: Iterable[Row], cell: Cell = "interval") -> str:
    """Return a caption that says what stands in the cells: level of the intervals, adjustment, sizes.

    Examples
    --------
    >>> cells_caption("Scores", [Row(term="m", estimate=3.0, conf_low=1.0, conf_high=5.0, conf_level=0.95, n=20.0)])
    'Scores: estimate [95% CI]; n = 20'
    """
    rows = list(rows)
    sizes = sorted({int(row.n) for row in rows if row.n is not None})
    levels = dict.fromkeys(percent_of(r.conf_level) for r in rows if r.conf_level is not None)
    if cell == "mean_sd":
        text = f"{capital(what)}: mean (SD)"
    elif cell == "estimate":
        text = capital(what)
    else:
        text = f"{capital(what)}: estimate{''.join(f' [{level} CI]' for level in levels)}"
    if cell == "tested" and any(row.p_adjusted is not None for row in rows):
        text += ", p (Holm)"
    if sizes:
        text += f"; n = {count(sizes[0])}"
    if len(sizes) > 1:
        text += f" to {count(sizes[-1])}"
    return text


def refuse_shared_cells(
    grid: TableLayout, cells: Sequence[Labelled], lines: Iterable[Mapping[str, Sequence[Row]]]
) -> None:
    """Refuse a layout that puts two rows into one cell, but for a mean and its standard deviation."""
    most = 2 if grid.cell == "mean_sd" else 1
    if all(len(rows) <= most for line in lines for rows in line.values()):
        return
    silent = [name for name in dimensions_of(cells) if name not in grid.sides]
    raise InputError(f"table '{grid.name}': its rows and columns say nothing of {quoted(silent)}")


def stacked_grids(dimension: str, tables: Mapping[str, PageTable]) -> PageTable | None:
    """Return the tables of several levels as one, with the levels as a further dimension.

    The levels head the columns of tables that have one column of cells. In other tables they head lines, within the
    first dimension.

    Parameters
    ----------
    dimension : str
        Name of the factor.
    tables : mapping of level to PageTable
        Those of one layout; None comes back where one was made without a layout.

    Examples
    --------
    >>> grid = TableLayout(name="alpha", caption="Alpha", rows=("raters",))
    >>> rows = {"p": Row(term="x", estimate=0.5), "q": Row(term="x", estimate=1.0)}
    >>> tables = {p: layout_table(grid, [({"raters": "all"}, row)]) for p, row in rows.items()}
    >>> stacked_grids("prompt", tables).header, stacked_grids("prompt", tables).cells
    (('Raters', 'p', 'q'), (('all', '0.50', '1.00'),))
    """
    first = next(iter(tables.values()), None)
    if first is None or first.grid is None or len(tables) < 2:
        return None
    grid: TableLayout = first.grid
    head = grid.rows[0]
    lines = (head, dimension, *grid.rows[1:]) if grid.columns else grid.rows
    joint = replace(grid, rows=lines, columns=grid.columns or dimension)
    cells = [
        ({**labels, dimension: level}, row)
        for level, table in tables.items()
        for labels, row in table.labelled
    ]
    # lines of one label stand together, in the order of the first level
    order = {label: k for k, label in enumerate(dict.fromkeys(c[0].get(head, "") for c in cells))}
    cells.sort(key=lambda cell: order[cell[0].get(head, "")])
    return layout_table(joint, cells)

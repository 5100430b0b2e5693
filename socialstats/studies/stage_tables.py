"""Tables of many models: a line a model and a column a stage, trait or change, each cell with its interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from socialstats.results import Result, Row
from socialstats.studies.estimates import p_text
from socialstats.studies.outcome import Table
from socialstats.text import level_text, number, shorten


def cross_table(
    rows: Sequence[Row], caption: str, *, line: Callable[[Row], str], column: Callable[[Row], str], digits: int = 2,
    corner: str = "Model",
) -> Table:  # fmt: skip
    """Return rows as a table of lines and columns, ``estimate [low, high]`` in each cell, and the adjusted p.

    Parameters
    ----------
    rows : sequence of Row
    caption : str
        What the cells are; the intervals' level, standard errors' place and n are added.
    line, column : callable
        Row -> label.
    digits : int
    corner : str
        What the lines are.

    Examples
    --------
    >>> row = Row(term="m", group="end", estimate=3.0, conf_low=1.0, conf_high=5.0, conf_level=0.95, n=20.0)
    >>> table = cross_table([row], "Scores", line=lambda r: r.term, column=lambda r: r.group, digits=1)
    >>> table.caption, table.cells
    ('Scores: estimate [95% CI]; n = 20 each', (('m', '3.0 [1.0, 5.0]'),))
    """
    lines, columns = (list(dict.fromkeys(name(r) for r in rows)) for name in (line, column))
    cells = {(line(r), column(r)): cell_text(r, digits) for r in rows}
    level = next((r.conf_level for r in rows if r.conf_level is not None), None)
    said = ["estimate" + ("" if level is None else f" [{level_text(level)} CI]")]
    said[0] += ", p (Holm)" if any(r.p_adjusted is not None for r in rows) else ""
    sizes = {int(r.n) for r in rows if r.n is not None}
    said += (
        [f"n = {min(sizes):,} each" if len(sizes) == 1 else f"n = {min(sizes):,} to {max(sizes):,}"] if sizes else []
    )
    return Table(
        caption=f"{caption}: {'; '.join(said)}", header=(corner, *(shorten(name, 40) for name in columns)),
        cells=tuple((name, *(cells.get((name, other)) for other in columns)) for name in lines),
    )  # fmt: skip


def cell_text(row: Row, digits: int) -> str:
    """Write estimate, interval and adjusted p of a row, or why there is none.

    Examples
    --------
    >>> cell_text(Row(term="m", estimate=-1.5, conf_low=-2.0, conf_high=-1.0, p_value=0.01, p_adjusted=0.02), 1)
    '−1.5 [−2.0, −1.0], .020'
    """
    if row.estimate is None:
        return row.undefined or ""
    text = number(row.estimate, digits)
    if row.conf_low is not None and row.conf_high is not None:
        text += f" [{number(row.conf_low, digits)}, {number(row.conf_high, digits)}]"
    return text if row.p_adjusted is None else f"{text}, {p_text(row.p_adjusted)}"


def part_rows(result: Result, measure: str) -> list[Row]:
    """Return the rows of each model at each stage, the stage as their group."""
    start = f"{measure}: "
    return [replace(r, group=(r.group or "")[len(start) :]) for r in result.rows if (r.group or "").startswith(start)]


def stage_table(rows: Sequence[Row], caption: str, digits: int = 2) -> Table:
    """Return rows of models at stages, a line a model and a column a stage."""
    return cross_table(rows, caption, line=lambda r: r.term, column=lambda r: r.group or "all stages", digits=digits)


def words(trait: str) -> str:
    """Write the name of a trait with blanks."""
    return shorten(trait.replace("_", " "), 40)

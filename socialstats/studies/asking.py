"""Questions of a page from rows of results: label, sentence, figure, table and caption follow from the rows.

Nothing here knows a study or a metric. A study picks rows by role and key, and says what the question is.
`ask_result` makes the block of any result, also of a metric that another package adds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any, Literal

from socialstats import sentences
from socialstats.designs.parts import Factor
from socialstats.errors import Caution, SocialStatsError
from socialstats.figures import Bar, dumbbell, forest, heat, multiples, shares, trajectories
from socialstats.figures.heat import MOST_GROUPS
from socialstats.figures.shares import MOST_BARS, MOST_LEVELS
from socialstats.figures.style import STEPS
from socialstats.figures.trajectories import MOST_ITEMS
from socialstats.results import Result, Row
from socialstats.results.rows import Role
from socialstats.studies.estimates import (
    Column,
    clusters_caption,
    label_of,
    literature,
    rows_table,
    table_of,
    verify_all,
)
from socialstats.studies.grids import Cell, TableLayout, cells_caption, layout_table
from socialstats.studies.page import (
    LEFT_OUT,
    Block,
    Diagnostic,
    Outcome,
    PageTable,
    SecondAnalysis,
    StudyOptions,
    TableRead,
    order_cautions,
)
from socialstats.studies.verdicts import Conclusion
from socialstats.text import (
    as_words,
    capital,
    count,
    listing,
    number,
    percent_of,
    shorten,
    shortened,
)

MOST_DRAWN = 60  # rows of a figure that can be read
MOST_PANELS = 4
MOST_MARKS = 5  # conditions on a line
MOST_NAMED = 3  # sources that sentences name
LABEL = 40  # characters of a label in one dimension
ROUNDING = 1e-9
ROLES = {
    "difference": "difference in ",
    "effect_size": "size (d_z) of the difference in ",
    "spread": "standard deviation (n − 1) of ",
    "test": "test of ",
    "rank": "rank in ",
}
PLACES = {
    "without": "what is left out",
    "over": "what varies",
    "pick": "set",
}  # dimensions in words
FACTS = ("measure", "against", "family")  # dimensions that the words of a quantity tell
COLUMNS = ("trait", "weights")  # dimensions whose labels are names of columns
REFERENCES = ("minus", "from", "other", "baseline", "reference")  # dimensions of what is subtracted

Part = Literal["main", "appendix"]
Drawing = Callable[[], Any]
Draw = Callable[[Sequence[Row], Sequence[str], str], Drawing | None]
"""Returns what draws some rows under their names, with the label of the axis; None where no figure holds them."""
SomeResults = Result | None | Iterable[Result | None] | Mapping[Any, Result]
"""One result or several; None is one that the data do not give."""


# picking rows


def pick_rows(
    rows: Iterable[Row], role: Role | None = "estimate", /, **labels: str | bool
) -> list[Row]:
    """Return the rows of a role whose keys have some labels.

    Parameters
    ----------
    rows : iterable of Row
    role : str or None
        One of `Role`; None takes all roles.
    **labels : str or bool
        For a dimension of the key, the label that a row has there, or True (it has one) or False (it has none).

    Examples
    --------
    >>> rows = [Row(term=t, role="estimate", key=(("stage", t),)) for t in ("1", "2")]
    >>> rows += [Row(term="all", role="estimate")]
    >>> [r.term for r in pick_rows(rows, stage="2")], [r.term for r in pick_rows(rows, stage=False)]
    (['2'], ['all'])
    """
    picked = []
    for row in rows:
        key = dict(row.key)
        fits = all(
            (name in key) is label if isinstance(label, bool) else key.get(name) == label
            for name, label in labels.items()
        )
        if fits and role in (None, row.role):
            picked.append(row)
    return picked


def rows_by(rows: Iterable[Row], dimension: str) -> dict[str, list[Row]]:
    """Return rows by their label in a dimension (empty where they have none), in the order in which labels come."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.label(dimension) or "", []).append(row)
    return groups


def name_rows(rows: Sequence[Row], *, without: Sequence[str] = (), none: str = "all") -> list[str]:
    """Name rows by the dimensions of their keys in which they differ, else by term and group.

    Parameters
    ----------
    rows : sequence of Row
    without : sequence of str
        Dimensions that the place of the row says already.
    none : str
        What a row is called in a dimension that it does not have.

    Examples
    --------
    >>> rows = [Row(term="x", key=(("judge", "b1"), ("stage", s))) for s in ("1", "2")]
    >>> name_rows(rows), name_rows([Row(term="x", group="y")])
    (['1', '2'], ['x [y]'])
    >>> name_rows([Row(term="x", key=(("stage", a), ("from", b))) for a, b in ("ab", "bc")])
    ['a minus b', 'b minus c']
    """
    varying = varying_dimensions(rows, without)
    names = []
    for row in rows:
        text = ""
        for name in varying:
            mark = " minus " if name in REFERENCES else " / "
            text += mark * bool(text) + key_text(row, name, none)
        names.append(text)
    if varying and len(set(names)) == len(names):
        return names
    return shortened([row.name for row in rows], 2 * LABEL)


def varying_dimensions(rows: Sequence[Row], without: Sequence[str] = ()) -> list[str]:
    """Return the dimensions in which rows have different labels, but for the family of their tests.

    Examples
    --------
    >>> varying_dimensions([Row(term="x", key=(("judge", "b1"), ("stage", s))) for s in "12"])
    ['stage']
    """
    dimensions = dict.fromkeys(name for row in rows for name, _ in row.key)
    return [
        name
        for name in dimensions
        if name not in (*without, "family") and len({row.label(name) for row in rows}) > 1
    ]


def row_term(row: Row) -> str:
    """Return the term of a row."""
    return row.term


def key_text(row: Row, dimension: str, none: str = "all") -> str:
    """Return the label of a row in a dimension, cut; names of columns as words; `none` where it has no label."""
    label = row.label(dimension)
    if label is None:
        return none
    return as_words(label) if dimension in COLUMNS else shorten(label, LABEL)


def renamed_rows(rows: Sequence[Row], names: Sequence[str]) -> list[Row]:
    """Return rows under other names, as figures show them; their keys stay."""
    return [replace(row, term=name, group=None) for row, name in zip(rows, names, strict=True)]


def add_labels(rows: Iterable[Row], **labels: str) -> list[Row]:
    """Return rows with further labels in their keys, such as the analysis that each is of.

    Examples
    --------
    >>> add_labels([Row(term="x")], rule="excluded")[0].label("rule")
    'excluded'
    """
    return [replace(row, key=(*row.key, *labels.items())) for row in rows]


def part_of(result: Result, rows: Iterable[Row], words: str) -> Result:
    """Return some rows of a result as a result; the page has its cautions and literature elsewhere."""
    return replace(result, rows=tuple(rows), words=words, cautions=(), references=())


def untested_rows(rows: Iterable[Row]) -> list[Row]:
    """Return rows without their tests, where the null value of these is of no interest."""
    return [
        replace(row, statistic=None, df=None, p_value=None, p_adjusted=None, test=None)
        for row in rows
    ]


def compared_sides(
    difference: Row, rows: Iterable[Row], dimensions: tuple[str, str] = ("source", "reference")
) -> tuple[Row, Row] | None:
    """Return the rows of the two parts behind a difference, or None where they are not there.

    Parameters
    ----------
    difference : Row
        Its key has a label in each of the two dimensions.
    rows : iterable of Row
        Among them those of the parts. Their key has one of the labels in the first dimension, none in the second, and
        is that of the difference otherwise.
    dimensions : (str, str)

    Examples
    --------
    >>> parts = [Row(term=s, role="estimate", key=(("source", s),)) for s in ("model", "human")]
    >>> gap = Row(term="gap", role="difference", key=(("source", "model"), ("reference", "human")))
    >>> [row.term for row in compared_sides(gap, parts)]
    ['model', 'human']
    """
    first = dimensions[0]
    shared = [pair for pair in difference.key if pair[0] not in dimensions]
    by_key = {frozenset(row.key): row for row in rows if row.role in ("estimate", "difference")}
    sides = [
        by_key.get(frozenset([*shared, (first, difference.label(name) or "")]))
        for name in dimensions
    ]
    if sides[0] is None or sides[1] is None:
        return None
    return sides[0], sides[1]


def leading_difference(rows: Iterable[Row], null: float = 0.0) -> Row | None:
    """Return the largest significant difference, else the largest tested one, else the largest; None without estimates.

    `null` is the value of a row where nothing differs, such as 1 of ratios.

    Examples
    --------
    >>> rows = [Row(term="a", estimate=0.4), Row(term="b", estimate=-0.2, p_value=0.01)]
    >>> leading_difference(rows).term
    'b'
    """
    estimated = [row for row in rows if row.estimate is not None]
    if not estimated:
        return None

    def size(row: Row) -> tuple[bool, bool, float]:
        return (
            sentences.is_significant(row),
            sentences.with_p(row),
            abs((row.estimate or 0.0) - null),
        )

    return max(estimated, key=size)


def leading_groups(groups: Mapping[str, Sequence[Row]], most: int = MOST_NAMED) -> list[str]:
    """Return the groups of the largest significant differences, then of the largest others.

    Examples
    --------
    >>> groups = {n: [Row(term="d", estimate=e, p_value=p)] for n, e, p in (("a", 0.1, 0.2), ("b", -0.2, 0.01))}
    >>> leading_groups(groups)
    ['b', 'a']
    """

    def size(name: str) -> tuple[bool, float]:
        row = leading_difference(groups[name])
        if row is None:
            return False, -1.0
        return sentences.is_significant(row), abs(row.estimate or 0.0)

    return sorted(groups, key=size, reverse=True)[:most]


# sentences on rows


def tally_sentence(
    rows: Sequence[Row], what: str = "difference", where: str = "", *, within: str = "Holm"
) -> str:
    """State how many of some tests were significant, and how many rows have none.

    Examples
    --------
    >>> rows = [Row(term="a", p_adjusted=0.01), Row(term="b", p_adjusted=0.2), Row(term="c")]
    >>> tally_sentence(rows), tally_sentence(rows[1:2], "difference", " by domain")
    ('1 of 2 differences was significant (Holm). 1 has no test.', 'The difference by domain was not significant.')
    """
    tested = [row for row in rows if row.p_value is not None or row.p_adjusted is not None]
    significant = sum(sentences.is_significant(row) for row in tested)
    untested = len(rows) - len(tested)
    rest = f" {count(untested, 'has', 'have')} no test." if untested else ""
    if not tested:
        reason = next((row.undefined for row in rows if row.undefined), "")
        return f"No {what}{where} has a test" + (
            f": {sentences.because(reason)}." if reason else "."
        )
    if len(tested) == 1:
        return f"The {what}{where} was {'' if significant else 'not '}significant.{rest}"
    tests = f"{count(len(tested), what)}{where}"
    if not significant:
        return f"None of {tests} was significant ({within}).{rest}"
    verb = "was" if significant == 1 else "were"
    return f"{count(significant)} of {tests} {verb} significant ({within}).{rest}"


def largest_sentence(
    rows: Sequence[Row],
    every: Iterable[Row],
    *,
    of: str = "",
    dimensions: tuple[str, str] = ("source", "reference"),
    null: float = 0.0,
) -> str:
    """State the largest of some differences, with both numbers behind it.

    Parameters
    ----------
    rows : sequence of Row
        The differences.
    every : iterable of Row
        Rows of the result, among which `compared_sides` finds both parts.
    of : str
        Whose differences: `` of model a``.
    dimensions : (str, str)
        As of `compared_sides`.
    null : float
        As of `leading_difference`.
    """
    gap = leading_difference(rows, null)
    if gap is None:
        reason = rows[0].undefined if rows else None
        return sentences.no_number(f"the difference{of}", reason or "no data")
    size = abs((gap.estimate or 0.0) - null)
    larger = any(abs((row.estimate or 0.0) - null) > size for row in rows)
    kind = " significant" if sentences.is_significant(gap) else " tested"
    which = f"largest{kind * larger}"
    # a term may be made of labels already
    places = [
        shorten(label, LABEL)
        for name, label in gap.key
        if name not in (*dimensions, "family")
        and label not in gap.term
        and len({row.label(name) for row in rows}) > 1
    ]
    where = f" ({', '.join(places)})" if places else ""
    start = f"The {which} difference{of} was for '{shorten(gap.term, LABEL)}'{where}"
    numbers = sentences.stat(replace(gap, statistic=None))
    sides = compared_sides(gap, every, dimensions)
    if sides is None:
        return f"{start}: {numbers}."
    first, second = ((side.estimate or 0.0) for side in sides)
    # shares are of all units of a source, and a difference is of the units that both have
    shared = abs(first - second - (gap.estimate or 0.0)) > ROUNDING
    what = "difference on the units that both have" if shared else "difference"
    parts = " versus ".join(
        f"{shorten(gap.label(name) or '', LABEL)} {number(side.shown())}"
        for name, side in zip(dimensions, sides, strict=True)
    )
    return f"{start}: {parts} ({what} = {numbers})."


def span_sentence(rows: Sequence[Row], what: str) -> str:
    """State the smallest and the largest of some estimates.

    Examples
    --------
    >>> rows = [Row(term=t, estimate=e, limits=(0.0, 1.0)) for t, e in (("a", 0.2), ("b", 0.75))]
    >>> span_sentence(rows, "the share"), span_sentence([rows[0], rows[0]], "the share")
    ('The share lay between .200 (a) and .750 (b).', 'The share was .200 in all 2 cases.')
    """
    estimated = [row for row in rows if row.estimate is not None]
    if not estimated:
        return sentences.no_number(what, rows[0].undefined or "no data" if rows else "no data")
    printed = {number(row.shown()) for row in estimated}
    if len(printed) == 1 and len(estimated) > 1:
        return f"{capital(what)} was {printed.pop()} in all {count(len(estimated), 'case')}."
    names = dict(zip(map(id, estimated), name_rows(estimated), strict=True))
    ranked = sorted(estimated, key=lambda row: row.estimate or 0.0)
    low, high = (
        f"{sentences.estimate_text(row) if row.has_interval else number(row.shown())} ({names[id(row)]})"
        for row in (ranked[0], ranked[-1])
    )
    if len(ranked) == 1:
        return f"{capital(what)} was {sentences.estimate_text(ranked[0])}."
    return f"{capital(what)} lay between {low} and {high}."


def design_effect_note(rows: Iterable[Row]) -> str:
    """Return by how many times clusters multiply the variance of shares (median), for a caption.

    It is the number of answers over the number of independent ones that are worth as much (Kish, 1965).

    Examples
    --------
    >>> design_effect_note([Row(term="a", n=30.0, effective=20.0), Row(term="b")])
    'Median design effect: 1.5.'
    """
    ratios = [row.n / row.effective for row in rows if row.n and row.effective]
    return f"Median design effect: {number(median(ratios), 1)}." if ratios else ""


# figures of rows


def interval_points(
    reference: float | None = 0.0,
    *,
    panels: str = "",
    sort: bool = False,
    label: str = "",
    ranks: Sequence[Row] = (),
) -> Draw:
    """Return the drawing of points with intervals.

    Parameters
    ----------
    reference : float or None
        Value of the vertical line.
    panels : str
        Dimension with a panel for each of at most four labels; else all rows stand in one.
    sort : bool
        Order rows by their estimates.
    label : str
        Heading of the names.
    ranks : sequence of Row
        Ranks with intervals, by the terms of the rows, which the figure prints.
    """
    intervals = {row.term: row.ends(0) for row in ranks}

    def draw(rows: Sequence[Row], names: Sequence[str], xlabel: str) -> Drawing:
        groups = rows_by(rows, panels) if panels else {}
        small = max(map(len, groups.values()), default=0) <= MOST_DRAWN
        if 1 < len(groups) <= MOST_PANELS and small:
            inner = {
                shorten(name, LABEL): renamed_rows(group, name_rows(group, without=[panels]))
                for name, group in groups.items()
            }
            columns = len(inner)
            return partial(
                multiples,
                inner,
                label=label,
                xlabel=xlabel,
                reference=reference,
                sort=sort,
                columns=columns,
            )
        lines = renamed_rows(rows, names)
        if len(lines) > MOST_DRAWN and reference is not None:
            # the farthest from the line
            lines = sorted(lines, key=lambda row: -abs((row.estimate or 0.0) - reference))
        lines = lines[:MOST_DRAWN]
        ends = {name: intervals.get(row.term) for row, name in zip(rows, names, strict=True)}
        sets = {name: (int(pair[0]), int(pair[1])) for name, pair in ends.items() if pair}
        return partial(
            forest,
            lines,
            ranks=sets if ranks else None,
            sort=sort,
            label=label,
            xlabel=xlabel,
            reference=reference,
        )

    return draw


def share_bars(bar: str, section: str = "", *, ordered: bool = False, none: str = "all") -> Draw:
    """Return the drawing of stacked bars of levels (the terms of the rows).

    Where there are more bars than can be read, those of the first section are drawn. More levels than have colours
    are drawn as points.

    Parameters
    ----------
    bar : str
        Dimension with a bar for each label.
    section : str
        Dimension with a section for each label; `none` heads rows without a label.
    ordered : bool
        The levels are ordered.
    none : str
    """

    def draw(rows: Sequence[Row], names: Sequence[str], xlabel: str) -> Drawing | None:
        bars = [
            Bar(label=label, rows=tuple(levels), section=(part or none) if section else "")
            for part, group in rows_by(rows, section).items()
            for label, levels in rows_by(group, bar).items()
        ]
        if max(len(one.rows) for one in bars) > (STEPS if ordered else MOST_LEVELS):
            return interval_points(None)(rows, names, xlabel)
        if len(bars) > MOST_BARS:
            bars = [one for one in bars if one.section == bars[0].section][:MOST_BARS]
        return partial(shares, bars, xlabel=xlabel, ordered=ordered)

    return draw


def dot_lines(line: str, mark: str) -> Draw:
    """Return the drawing of a line for each label of a dimension, with a mark for each label of another.

    More marks than a line holds have lines of their own.
    """

    def draw(rows: Sequence[Row], names: Sequence[str], xlabel: str) -> Drawing | None:
        marks = rows_by(rows, mark)
        if len(marks) > MOST_MARKS or len(rows_by(rows, line)) > MOST_DRAWN:
            return interval_points(None)(rows, names, xlabel)
        placed = [
            replace(row, term=row.label(line) or row.term, group=row.label(mark)) for row in rows
        ]
        return partial(dumbbell, placed, targets=dict.fromkeys(marks), xlabel=xlabel)

    return draw


def cell_map(
    down: str, *across: str, neutral: float | None = 0.5, extreme: float | None = 0.5
) -> Draw:
    """Return the drawing of a heat map; None where it has more rows or columns than can be read.

    Parameters
    ----------
    down : str
        Dimension whose labels are the rows.
    *across : str
        Dimensions whose labels are the columns.
    neutral, extreme : float or None
        As of `heat`; None takes the median, and the largest distance from it.
    """

    def draw(rows: Sequence[Row], _names: Sequence[str], xlabel: str) -> Drawing | None:
        columns = [": ".join(row.label(name) or "" for name in across) for row in rows]
        down_labels = [row.label(down) or row.term for row in rows]
        if max(len(set(columns)), len(set(down_labels))) > MOST_GROUPS:
            return None
        values = [row.estimate for row in rows if row.estimate is not None] or [0.0]
        middle = median(values) if neutral is None else neutral
        far = max(abs(value - middle) for value in values) if extreme is None else extreme
        places = [
            replace(row, term=label, group=column)
            for row, label, column in zip(rows, down_labels, columns, strict=True)
        ]
        return partial(heat, places, neutral=middle, extreme=far or 1.0, xlabel=xlabel)

    return draw


def course_lines(
    item: str, place: str, order: Sequence[str], *, lines: Mapping[str, float] | None = None
) -> Draw:
    """Return the drawing of lines over ordered places, such as stages; no figure where there are too many lines.

    Parameters
    ----------
    item : str
        Dimension with a line for each label.
    place : str
        Dimension along the axis.
    order : sequence of str
        Labels of the places in their order.
    lines : mapping of label to value, optional
        Horizontal lines.
    """

    def draw(rows: Sequence[Row], _names: Sequence[str], ylabel: str) -> Drawing | None:
        if len(rows_by(rows, item)) > MOST_ITEMS:
            return None
        placed = [
            replace(row, term=row.label(item) or "all", group=row.label(place)) for row in rows
        ]
        return partial(trajectories, placed, stages=tuple(order), lines=lines, ylabel=ylabel)

    return draw


# tables of rows


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


# questions


def results_in(results: SomeResults) -> list[Result]:
    """Return the results of a mapping or sequence, or a single one, without None.

    Examples
    --------
    >>> result = Result(metric="x", title="x", rows=())
    >>> len(results_in({"a": result, "b": result})), len(results_in([result, None])), results_in(None)
    (2, 1, [])
    """
    if results is None or isinstance(results, Result):
        results = [results]
    elif isinstance(results, Mapping):
        results = results.values()
    return [result for result in results if result is not None]


def ask_rows(
    id: str,
    question: str,
    result: SomeResults,
    rows: Sequence[Row],
    *,
    quantity: str,
    say: Iterable[str] = (),
    draw: Draw | None = None,
    names: Sequence[str] | Callable[[Row], str] | None = None,
    caption: str = "",
    heading: str = "",
    units: bool = False,
    table: PageTable | None = None,
    tables: Mapping[str, Sequence[Row]] | None = None,
    more: Sequence[PageTable] = (),
    results: SomeResults = (),
    beside: SomeResults = (),
    clusters: Sequence[Factor] = (),
    note: str = "",
    part: Part = "main",
    turned: Sequence[SecondAnalysis] = (),
) -> Block | None:
    """Return a question with its answer: sentences, the figure of rows, their table, and further tables.

    Parameters
    ----------
    id, question : str
    result : Result, None, or a mapping or sequence of results
        What the rows are of. There is no question without it, and none without rows.
    rows : sequence of Row
        Those that the figure and the first table show.
    quantity : str
        What an estimate is; title of the figure, label of its axis and caption of the table.
    say : iterable of str
        Sentences; empty ones are left out.
    draw : callable, optional
        `interval_points`, `share_bars`, `cell_map` or another `Draw`; by default no figure.
    names : sequence of str or callable, optional
        Names of the rows, or Row -> name, such as `row_term`; by default those of `name_rows`.
    caption : str
        Of the first table; by default the quantity.
    heading, units
        Of the first table, as of `line_table`.
    table : PageTable, optional
        The first table; by default that of `line_table`.
    tables : mapping of caption to rows, optional
        Further tables of rows.
    more : sequence of PageTable
        Further tables of other shapes.
    results
        Further results whose rows the block shows, as `result`.
    beside
        Further results, as `result`, with their sentence and a table of their rows.
    clusters : sequence of Factor
        Those of the design, which the caption counts.
    note : str
        Last sentences of the caption.
    part : {"main", "appendix"}
    turned : sequence of SecondAnalysis
        Those that turn a conclusion, as `socialstats.studies.second` finds them.
    """
    leading = results_in(result)
    if not leading or not rows:
        return None
    first, added = leading[0], results_in(beside)
    tables = {**(tables or {}), **{extra.title: extra.rows for extra in added}}
    if callable(names):
        names = [names(row) for row in rows]
    level = percent_of(interval_level(rows, first))
    counted = clusters_caption(clusters, None)
    # sentences that later captions share are printed once, so sizes stand alone
    sizes = sizes_text(rows)
    # several analyses may have intervals of several kinds
    inference = f" ({first.inference})" * (len({result.inference for result in leading}) == 1)
    captions = [
        f"Estimates with {level} CIs{inference}.",
        f"{sizes}." if sizes else "",
        f"{capital(counted)}." if counted else "",
        note,
    ]
    further = [line_table(group, title) for title, group in tables.items() if group]
    texts = [*say, *(extra.sentence() for extra in added)]
    if table is None:
        table = line_table(rows, caption or capital(quantity), names, heading=heading, units=units)
    labels = name_rows(rows) if names is None else names
    return Block(
        id=id,
        question=question,
        sentences=tuple(text for text in texts if text),
        draw=None if draw is None else draw(rows, labels, quantity),
        figure_title=capital(quantity),
        caption=" ".join(text for text in captions if text),
        tables=(table, *further, *more),
        results=(*leading, *results_in(results), *added),
        part=part,
        turned=tuple(turned),
    )


def interval_level(rows: Iterable[Row], result: Result) -> float:
    """Return the level of the intervals of some rows; that of a test of equivalence is not the setting.

    Examples
    --------
    >>> result = Result(metric="x", title="x", rows=(), settings={"level": 0.95})
    >>> interval_level([Row(term="a"), Row(term="b", conf_level=0.9)], result), interval_level([], result)
    (0.9, 0.95)
    """
    levels = [row.conf_level for row in rows if row.conf_level is not None]
    return levels[0] if levels else float(result.settings.get("level", 0.95))


def sizes_text(rows: Iterable[Row]) -> str:
    """Return on how many answers, units or pairs some rows rest, for a caption.

    Examples
    --------
    >>> sizes_text([Row(term="a", n=1200.0), Row(term="b", n=40.0), Row(term="c")])
    'n = 40 to 1,200'
    """
    sizes = sorted({int(row.n) for row in rows if row.n is not None})
    if not sizes:
        return ""
    least, most = count(sizes[0]), count(sizes[-1])
    return f"n = {least}" if len(sizes) == 1 else f"n = {least} to {most}"


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


def ask_result(
    id: str, result: Result | None, question: str = "", *, note: str = "", part: Part = "main"
) -> Block | None:
    """Return the block of any result by its own sentence, figure and rows, also of a metric from outside.

    Examples
    --------
    >>> import socialstats as ss
    >>> result = ss.paired_difference({"before": [1, 2, 2, 4], "after": [2, 2, 5, 6]}, first="after", second="before")
    >>> block = ask_result("change", result, "Did scores change?")
    >>> block.question, block.draw == result.plot
    ('Did scores change?', True)
    """
    if result is None:
        return None
    return ask_rows(
        id,
        question or f"{capital(result.title)}?",
        result,
        result.rows,
        quantity=result.title,
        say=[result.sentence()],
        draw=lambda *_: result.plot,
        names=label_of,
        units=True,
        note=note,
        part=part,
    )


def attempt_result(compute: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Return a result, or None where the data do not give it."""
    try:
        return compute(*args, **options)
    except SocialStatsError:
        return None


# the page


def merge_cautions(first: Sequence[Caution], rest: Sequence[Caution]) -> tuple[Caution, ...]:
    """Return cautions by severity: all of the first, and of the rest those with other codes (SS301 always)."""
    codes = {one.code for one in first} - {LEFT_OUT}
    return order_cautions(
        tuple(first), tuple(one for one in rest if one.code not in codes), once=False
    )


def page_of(
    study: str,
    title: str,
    design: TableRead,
    options: StudyOptions,
    *,
    describe: str,
    verdict: Conclusion | None,
    answer: Iterable[str],
    leading: Mapping[str, Result],
    blocks: Iterable[Block | None],
    uses: Sequence[str],
    cautions: Sequence[tuple[Caution, ...]] = (),
    data: Sequence[PageTable] = (),
    diagnostics: Sequence[Diagnostic] = (),
    methods: Sequence[str] = (),
    planning: Iterable[str] = (),
    references: Sequence[str] = (),
    opening: str = "",
) -> Outcome:
    """Return the page of a study: what it says, and what every page has.

    Parameters
    ----------
    study, title : str
    design
        What the table was read as.
    options : StudyOptions
    describe : str
        The design in one line.
    verdict : Conclusion or None
    answer : iterable of str
    leading : mapping of name to Result
        Results that lead the page: their cautions are those of the page, and their checks have these names.
    blocks : iterable of Block or None
        Questions in order; None is one that the data do not allow.
    uses : sequence of str
        Options that the study uses.
    cautions : sequence of tuple of Caution
        Further ones, before those of the results and the design.
    data, diagnostics, methods, planning, opening
        As of `Outcome`.
    references : sequence of str
        Literature beyond that of the results.
    """
    asked = tuple(block for block in blocks if block is not None)
    results = [*leading.values(), *(result for block in asked for result in block.results)]
    # the cautions of the study come first
    of_study = [one for group in cautions for one in group]
    of_results = order_cautions(*(result.cautions for result in leading.values()), design.cautions)
    settings = options.echo()
    return Outcome(
        study=study,
        title=title,
        design=describe,
        verdict=verdict,
        answer=tuple(answer),
        planning=tuple(planning),
        cautions=merge_cautions(of_study, of_results),
        blocks=asked,
        flow=design.flow,
        data=tuple(data),
        diagnostics=tuple(diagnostics),
        methods=tuple(methods),
        references=literature(results, references),
        verifications=verify_all(leading, asked) if options.verify else {},
        settings={name: settings[name] for name in settings if name in uses},
        simulated=options.simulated,
        opening=opening,
    )

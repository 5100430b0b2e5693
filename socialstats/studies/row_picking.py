"""Rows of results by role and key: those of a question, and what they are called on a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from socialstats import sentences
from socialstats.results import Result, Row
from socialstats.results.rows import Role
from socialstats.text import as_words, shorten, shortened

# names that a reader can compare at a glance
MOST_NAMED = 3  # sources that sentences name
LABEL = 40  # characters of a label in one dimension
COLUMNS = ("trait", "weights")  # dimensions whose labels are names of columns
REFERENCES = ("minus", "from", "other", "baseline", "reference")  # dimensions of what is subtracted


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

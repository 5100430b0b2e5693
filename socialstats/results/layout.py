"""How a table fits on a page, in LaTeX and Word: wide ones in smaller type, with broken cells or on a turned page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["GAP", "LINES", "NORMAL", "TURNED", "Layout", "table_layout", "estimate_and_interval"]

# characters on a line of 345 pt, that of class article: at 10 pt; at 8 pt; at 8 pt on a turned page of 550 pt
NORMAL = 66
SMALL = 78
TURNED = 124
# characters between columns: 12 pt at 10 pt, and 6 pt at 8 pt
GAP = 2.4
SMALL_GAP = 1.5
# characters of a column of words whose cells are broken
LEAST = 16
# lines on a page; a table that has more goes over several pages
LINES = 34


@dataclass(frozen=True, slots=True)
class Layout:
    """How a table is set.

    Attributes
    ----------
    heads : tuple of tuples of str
        The lines of each head.
    sizes, broken : tuples of int and bool
        Characters of each column; whether its cells are broken.
    needed, capacity : float and int
        Characters that a line needs, and those that it has.
    lines : int
        Of the whole table.
    stacked : bool
        Whether intervals beside estimates are put below them.
    """

    heads: tuple[tuple[str, ...], ...]
    sizes: tuple[int, ...]
    broken: tuple[bool, ...]
    needed: float
    capacity: int
    lines: int
    stacked: bool = False


def estimate_and_interval(cell: str) -> list[str]:
    """Return an estimate and the interval beside it.

    Examples
    --------
    >>> estimate_and_interval("8.10 [7.44, 8.75]"), estimate_and_interval("8.10")
    (['8.10', '[7.44, 8.75]'], ['8.10'])
    """
    return re.split(r" (?=\[)", cell)


def table_layout(
    head: Sequence[str],
    cells: Sequence[Sequence[str]],
    words: Sequence[bool],
    *,
    stacked: bool = False,
) -> Layout:
    """Decide how a table is set; `words` says which columns hold words, whose cells can be broken.

    Intervals are put below the estimates beside them (`stacked`) where a turned page has no room for both.

    Examples
    --------
    >>> table_layout(["Model", "n of units"], [["a", "12"]], [True, False]).heads
    (('Model',), ('n of units',))
    >>> table_layout(["Model", "n of units"], [["a" * 70, "12"]], [True, False]).heads
    (('Model',), ('n of', 'units'))
    """
    columns = list(zip(*cells, strict=True)) if cells else [()] * len(head)
    longest = []
    for column, word in zip(columns, words, strict=True):
        lines = [estimate_and_interval(c) if stacked and not word else [c] for c in column]
        longest.append(max((len(line) for parts in lines for line in parts), default=0))
    unbroken = [max(len(name), size) for name, size in zip(head, longest, strict=True)]
    if not stacked and (needed := sum(unbroken) + GAP * len(head)) <= NORMAL:
        none = (False,) * len(head)
        return Layout(
            tuple((name,) for name in head), tuple(unbroken), none, needed, NORMAL, len(cells)
        )
    sizes = [
        max(size, *map(len, [*_breakable_parts(name), ""]))
        for name, size in zip(head, longest, strict=True)
    ]
    fixed = sum(
        size for size, word in zip(sizes, words, strict=True) if not word
    ) + SMALL_GAP * len(head)
    texts = [k for k, word in enumerate(words) if word]
    # numbers are never broken, words down to LEAST characters
    needed = fixed + sum(min(sizes[k], LEAST) for k in texts)
    if needed > TURNED and not stacked:
        return table_layout(head, cells, words, stacked=True)
    capacity = SMALL if needed <= SMALL else TURNED
    broken = [False] * len(head)
    available = capacity - fixed
    # the narrowest columns of words first: what they leave goes to the wider ones
    for place, k in enumerate(sorted(texts, key=lambda k: sizes[k])):
        share = max(int(available / (len(texts) - place)), LEAST)
        broken[k] = sizes[k] > share
        sizes[k] = min(sizes[k], share)
        available -= sizes[k]
    # lines of each row; words seldom fill a line: two characters of it are taken as lost
    heights = [
        max((-(-len(line[k]) // (sizes[k] - 2)) for k in texts if broken[k]), default=1)
        for line in cells
    ]
    if stacked:
        heights = [
            max(height, *map(len, map(estimate_and_interval, line)))
            for height, line in zip(heights, cells, strict=True)
        ]
    heads = tuple(_head_lines(name, size) for name, size in zip(head, sizes, strict=True))
    return Layout(
        heads,
        tuple(sizes),
        tuple(broken),
        needed,
        capacity,
        sum(max(1, height) for height in heights),
        stacked,
    )


def _breakable_parts(name: str) -> list[str]:
    """Return the parts of a head between which it can be broken: after spaces, hyphens, underscores and slashes."""
    return re.findall(r"[^\s\-_/]+[\-_/]*|[\-_/]+", name)


def _head_lines(name: str, room: int) -> tuple[str, ...]:
    lines = [""]
    at = 0
    for piece in _breakable_parts(name):
        start = name.index(piece, at)
        gap = name[at:start]
        at = start + len(piece)
        if lines[-1] and len(lines[-1] + gap + piece) > room:
            lines.append(piece)
        else:
            lines[-1] += (gap if lines[-1] else "") + piece
    return tuple(lines)

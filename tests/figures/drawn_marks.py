"""What matplotlib was given to draw, as plain numbers."""

from __future__ import annotations

from typing import Any

from matplotlib.colors import to_hex

Path = list[tuple[float, float]]


def paths(ax: Any) -> list[Path]:
    """Return the places of each line of an Axes, in the order in which they were drawn."""
    return [
        [(float(x), float(y)) for x, y in path]
        for lines in ax.collections
        for path in lines.get_segments()
    ]


def colors(ax: Any) -> list[str]:
    """Return the colour of each line."""
    return [to_hex(lines.get_color()[0]) for lines in ax.collections for _ in lines.get_segments()]


def spans(ax: Any) -> dict[float, tuple[float, float]]:
    """Return the ends of the horizontal lines by their height."""
    level = [path for path in paths(ax) if len(path) == 2 and path[0][1] == path[1][1]]
    return {path[0][1]: (path[0][0], path[1][0]) for path in level}


def bars(ax: Any) -> list[tuple[float, float, float, float]]:
    """Return left, lower end, width and height of each rectangle; a height below 0 hangs down."""
    corners = [patch.get_xy() for patch in ax.patches]
    return [(*xy[0], *(xy[2] - xy[0])) for xy in corners]


def is_filled(ax: Any, x: float, y: float) -> bool:
    """Return whether a rectangle covers a place."""
    return any(
        left <= x <= left + width and low <= y <= low + height
        for left, low, width, height in bars(ax)
    )

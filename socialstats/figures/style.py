"""The shared look of the figures: palette, sizes, looks of texts, and the screen that is drawn for.

A colour is named. The page has a CSS variable of each name, so that one figure serves light and dark pages; matplotlib
takes the light ones. Colours that carry meaning reach 3:1 against the surface, and text 4.5:1. Lengths are points.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

LIGHT: dict[str, str] = {
    "surface": "#fefefe",
    "ink": "#1b1e22",
    "muted": "#5a616b",
    "line": "#c8cdd5",
    "hair": "#e6e8ec",
    "series-1": "#0072b2",
    "series-2": "#b04a00",
    "series-3": "#007a59",
    "series-4": "#a0528a",
    "series-5": "#6b6b00",
    "step-1": "#d0e5f3",
    "step-2": "#9cc8e2",
    "step-3": "#64aad1",
    "step-4": "#0877b5",
    "step-5": "#015f97",
    "step-6": "#024876",
    "step-7": "#033256",
}
DARK: dict[str, str] = {
    "surface": "#15171b",
    "ink": "#e9eaec",
    "muted": "#a4acb6",
    "line": "#434a54",
    "hair": "#2b3037",
    "series-1": "#56b4e9",
    "series-2": "#f0a35c",
    "series-3": "#3cc39a",
    "series-4": "#e59ccb",
    "series-5": "#d6d04a",
    "step-1": "#033053",
    "step-2": "#024876",
    "step-3": "#01629a",
    "step-4": "#308dc1",
    "step-5": "#64aad1",
    "step-6": "#96c5e1",
    "step-7": "#c7e0f0",
}

# colours of ordered values, from nearest to the surface to nearest to the ink
STEPS = 7
# steps on which text is written in ink; on the others it has the colour of the surface
INK_UP_TO = 3

# about 760 px on the page: 9 pt text is read as 12.5 px, and printed at 8 pt on A4
WIDTH = 547.2
# 358 px on a screen of 390 px: 8 pt text is read as 12 px
NARROW = 237.6
# beside the marks of a narrow figure, for half a tick label
EDGE = 14.4
FONT = 9.0
SMALL = 8.0
# a line of text takes
LINE = 12.5

_screen: ContextVar[str] = ContextVar("screen", default="")


@dataclass(frozen=True, slots=True)
class Look:
    """Size and colour of a text."""

    size: float
    color: str


@dataclass(frozen=True, slots=True)
class Stroke:
    """Colour, width, strength and dashes (lengths of line and gap) of a line."""

    color: str
    width: float
    alpha: float = 1.0
    dash: tuple[float, ...] = ()


QUIET = Look(SMALL, "muted")
INK = Look(FONT, "ink")
SMALL_INK = Look(SMALL, "ink")
INTERVAL = Stroke("series-1", 1.3)
HAIR = Stroke("hair", 0.7)
DASHED = Stroke("muted", 0.9, dash=(3.6, 2.7))


@contextmanager
def on_screen(name: str) -> Iterator[None]:
    """Let figures return what a page draws for ``wide`` or ``narrow`` screens, instead of Axes."""
    token = _screen.set(name)
    try:
        yield
    finally:
        _screen.reset(token)


def is_on_page() -> bool:
    """Return whether figures are drawn for a page."""
    return bool(_screen.get())


def is_narrow() -> bool:
    """Return whether figures are drawn for narrow screens."""
    return _screen.get() == "narrow"


def width() -> float:
    """Return the width of a figure."""
    return NARROW if is_narrow() else WIDTH


def fills(levels: int, *, ordered: bool) -> list[tuple[str, str]]:
    """Return the colour of each level and that of text on it: steps of one hue where levels are ordered.

    Examples
    --------
    >>> fills(3, ordered=True)
    [('step-1', 'ink'), ('step-4', 'surface'), ('step-7', 'surface')]
    """
    if not ordered:
        return [(f"series-{k + 1}", "surface") for k in range(levels)]
    steps = [1 + round((STEPS - 1) * k / max(levels - 1, 1)) for k in range(levels)]
    return [(f"step-{step}", "ink" if step <= INK_UP_TO else "surface") for step in steps]

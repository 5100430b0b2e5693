"""The shared look of the figures: palette, axes, and labels that strangers wrote.

Every colour comes from `LIGHT`; the HTML report replaces each by a CSS variable of the same name, so that one
figure serves light and dark pages. All colours that carry meaning reach 3:1 against the surface, and text 4.5:1.
"""

from __future__ import annotations

import functools
import inspect
import sys
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from socialstats.errors import InputError
from socialstats.text import listing, quoted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.font_manager import FontProperties
    from matplotlib.text import Text

P = ParamSpec("P")
R = TypeVar("R")
LIGHT: dict[str, str] = {
    "surface": "#fefefe", "ink": "#1b1e22", "muted": "#5a616b", "line": "#c8cdd5", "hair": "#e6e8ec",
    "series-1": "#0072b2", "series-2": "#b04a00", "series-3": "#007a59", "series-4": "#a0528a",
    "series-5": "#6b6b00",
}  # fmt: skip
DARK: dict[str, str] = {
    "surface": "#15171b", "ink": "#e9eaec", "muted": "#a4acb6", "line": "#434a54", "hair": "#2b3037",
    "series-1": "#56b4e9", "series-2": "#f0a35c", "series-3": "#3cc39a", "series-4": "#e59ccb",
    "series-5": "#d6d04a",
}  # fmt: skip

WIDTH = 7.6  # inches; about 760 px on the page, so that 9 pt text is read as 12.5 px
FONT = 9.0
SMALL = 8.0
ROW_HEIGHT = 0.205  # inches
POINTS = 72.0  # points in an inch
REPLACEMENT = "\ufffd"
ROWS, LINES, BARS, CELLS, COURSE, PANELS = "rows", "lines", "bars", "cells", "course", "panels"
# ids of Axes that the report lays out anew for phones
NOT_DRAWN = ("agg", "cairo", "pdf", "pgf", "ps", "svg", "template")  # backends that show nothing

_browser_draws: ContextVar[bool] = ContextVar("browser_draws", default=False)


@contextmanager
def browser_draws_text() -> Iterator[None]:
    """Keep characters that matplotlib's fonts lack: the text will be drawn by a browser, which has more fonts."""
    token = _browser_draws.set(True)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=r"Glyph \d+", category=UserWarning)
            warnings.filterwarnings("ignore", message=".*does not support", category=UserWarning)
            yield
    finally:
        _browser_draws.reset(token)


def figure(draw: Callable[P, R]) -> Callable[P, R]:
    """Make a figure refuse options that it does not have, with an `InputError` that names those it has."""
    known = list(inspect.signature(draw).parameters)

    @functools.wraps(draw)
    def drawn(*args: P.args, **options: P.kwargs) -> R:
        allowed = known[len(args) :]
        unknown = [name for name in options if name not in allowed]
        if unknown:
            options_here = listing(allowed, most=20)
            raise InputError(f"figure '{draw.__name__}' has no option {quoted(unknown)}. Options: {options_here}")
        return draw(*args, **options)

    return drawn


def clean(text: str) -> str:
    """Make control, formatting and unpaired surrogate characters visible as U+FFFD; white space becomes a space.

    Examples
    --------
    >>> clean("two\\nlines"), clean("no\\x00thing") == "no\\ufffdthing"
    ('two lines', True)
    """
    return "".join(ch if ch.isprintable() else " " if ch.isspace() else REPLACEMENT for ch in text.replace("\r\n", " "))


def literal(text: str, width: int = 60) -> str:
    """Return a label that matplotlib draws character by character: no mathtext, no newline, no missing glyph.

    Examples
    --------
    >>> literal("cost $5 to $9"), literal("a" * 9, width=4)
    ('cost \\\\$5 to \\\\$9', 'aaa…')
    """
    cut = shorten(clean(text), width)
    if not _browser_draws.get():
        known = _glyphs()
        cut = "".join(ch if ord(ch) in known and not unicodedata.combining(ch) else REPLACEMENT for ch in cut)
    return cut.replace("$", r"\$")


def _glyphs() -> dict[int, Any]:
    """Return the characters that the current font has."""
    from matplotlib import font_manager

    path = font_manager.findfont(font_manager.FontProperties())
    return dict(font_manager.get_font(path).get_charmap())


def text_width(text: str, size: float = FONT) -> float:
    """Return the width of a (literal) text in points, in matplotlib's own font."""
    from matplotlib.font_manager import FontProperties, findfont

    font = FontProperties(size=size)
    return _width(text.replace(r"\$", "$"), font, findfont(font))


@functools.lru_cache(maxsize=10_000)  # figures ask for the same labels again and again
def _width(text: str, font: FontProperties, file: str) -> float:
    """Return the width of a text; `file` is what the settings of the moment make of the font."""
    from matplotlib.textpath import text_to_path

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


def new_axes(
    height: float,
    *,
    left: float,
    right: float,
    top: float = 0.3,
    bottom: float = 0.5,
    width: float = WIDTH,
    kind: str = "",
) -> Axes:
    """Return the Axes of a new figure; all lengths in inches. A `kind` is the id of the Axes.

    In a notebook, or where pyplot was imported and has a backend that shows figures, the figure is one of
    pyplot's and is displayed by it. Everywhere else it is a plain `matplotlib.figure.Figure` that no global state
    remembers; it has a canvas, so that ``ax.figure.savefig(...)`` works.
    """
    import matplotlib
    from matplotlib.figure import Figure

    pyplot = sys.modules.get("matplotlib.pyplot")
    notebook = "ipykernel" in sys.modules
    shows = pyplot is not None and matplotlib.get_backend().lower() not in NOT_DRAWN
    if (notebook or shows) and not _browser_draws.get():
        import matplotlib.pyplot as plt

        figure = plt.figure(figsize=(width, height))
    else:
        figure = Figure(figsize=(width, height))
    figure.set_facecolor(LIGHT["surface"])
    ax = figure.add_axes(
        (left / width, bottom / height, (width - left - right) / width, (height - top - bottom) / height)
    )
    ax.set_gid(kind or None)
    return ax


def dress(ax: Axes, *, xlabel: str = "") -> None:
    """Give an Axes the shared look: one spine, hair lines, quiet ticks."""
    ax.set_facecolor(LIGHT["surface"])
    for side in ("left", "right", "top"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_color(LIGHT["line"])
    ax.spines["bottom"].set_linewidth(0.8)
    ax.tick_params(axis="both", length=0, labelsize=SMALL, labelcolor=LIGHT["muted"], pad=4)
    ax.set_axisbelow(True)
    if xlabel:
        ax.set_xlabel(literal(xlabel, 90), fontsize=SMALL, color=LIGHT["muted"], labelpad=5)


def segments(ax: Axes, spans: Sequence[tuple[float, float, float]], **options: Any) -> None:
    """Draw horizontal lines (y, from, to), inside the axis, all of one look."""
    left, right = ax.get_xlim()
    inside = [(y, max(low, left), min(high, right)) for y, low, high in spans]
    if inside:
        ax.hlines(*zip(*inside, strict=True), capstyle="butt", **options)


def beside(ax: Axes, y: float, text: str, offset: float, *, side: float = 1.0, up: float = 0.0, **options: Any) -> Text:
    """Write a text `offset` points from the right (`side` 1) or left (0) of the Axes, `up` above data coordinate y."""
    from matplotlib.transforms import ScaledTranslation

    figure = ax.figure
    place = ax.get_yaxis_transform() + ScaledTranslation(offset / POINTS, up / POINTS, figure.dpi_scale_trans)
    merged: dict[str, Any] = {"ha": "right", "va": "center_baseline", "fontsize": FONT, "color": LIGHT["ink"]}
    return ax.text(side, y, text, transform=place, **(merged | options))


def footnotes(ax: Axes, lines: Sequence[str], drop: float) -> None:
    """Write lines below the Axes, the first one `drop` points down."""
    for i, line in enumerate(lines):
        ax.annotate(
            literal(line, 120), xy=(0, 0), xycoords="axes fraction", xytext=(0, -drop - 12 * i),
            textcoords="offset points", va="top", annotation_clip=False, fontsize=SMALL, color=LIGHT["muted"],
        )  # fmt: skip


def padded(values: list[float], share: float = 0.04) -> tuple[float, float]:
    """Return axis limits around finite values; a unit either side where there is no spread."""
    low, high = min(values), max(values)
    gap = share * (high - low) if high > low else 1.0
    return low - gap, high + gap


def message(ax: Axes, text: str) -> Axes:
    """Fill an Axes with a sentence instead of marks."""
    ax.set_axis_off()
    shown = literal(text, 110)
    ax.text(0.5, 0.5, shown, ha="center", va="center", fontsize=FONT, color=LIGHT["muted"], transform=ax.transAxes)
    return ax

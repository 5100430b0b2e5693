"""The shared look of the figures: palette, axes, and labels that strangers wrote.

Every colour comes from `LIGHT`. The HTML report replaces each by a CSS variable of the same name, so that one figure
serves light and dark pages. All colours that carry meaning reach 3:1 against the surface, and text 4.5:1.
"""

from __future__ import annotations

import functools
import inspect
import math
import re
import sys
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from socialstats.errors import InputError
from socialstats.text import REPLACEMENT, count, listing, quoted, shorten, shortened, visible_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.font_manager import FontProperties
    from matplotlib.text import Text
    from matplotlib.ticker import Locator

    from socialstats.results import Row

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
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

STEPS = 7  # colours of ordered values, from nearest to the surface to nearest to the ink
INK_UP_TO = 3  # steps on which text is written in ink; on the others in the colour of the surface
WIDTH = 7.6  # inches; about 760 px on the page, so that 9 pt text is read as 12.5 px and printed at 8 pt on A4
NARROW = 3.3  # inches; 358 px on a screen of 390 px, so that 8 pt text is read as 12 px
EDGE = 0.2  # inches beside the marks of a narrow figure, for half a tick label
LINE = 12.5  # points a line of text takes
MOST_ON_PAGE = 35  # rows of a figure on a page; of more rows, both ends are drawn
AT_EITHER_END = 8  # rows that are drawn where there are more
ROWS = "rows"  # id of Axes with names above their marks, which need a background
FONT = 9.0
SMALL = 8.0
QUIET: dict[str, Any] = {"fontsize": SMALL, "color": LIGHT["muted"]}
INK: dict[str, Any] = {"fontsize": FONT, "color": LIGHT["ink"]}
SMALL_INK: dict[str, Any] = {"fontsize": SMALL, "color": LIGHT["ink"]}
DASHED: dict[str, Any] = {
    "color": LIGHT["muted"],
    "linewidth": 0.9,
    "linestyle": (0, (4, 3)),
    "zorder": 1,
}
ROW_HEIGHT = 0.205  # inches
TICKS_ON_TOP_FROM = 30  # rows from which the scale is repeated at the top
POINTS = 72.0  # points in an inch
MOST_TICKS = 7  # tried where the labels of more ticks would run together
TICK_GAP = 6.0  # points between the labels of two ticks
SQUARE = "\u25a0"  # before the name of a colour
HINTED = 1.05  # letters on whole pixels take up to 5% more than `text_width`: 52 letters at 72 to 200 dpi
LEAST_PLOT = 1.2  # inches between the margins
FALLBACK = (  # fonts with characters that matplotlib's own lacks, by what systems install
    "DejaVu Sans",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans SC",
    "Source Han Sans SC",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "Droid Sans Fallback",
    "PingFang SC",
    "Hiragino Sans GB",
    "Hiragino Sans",
    "Apple SD Gothic Neo",
    "Microsoft YaHei",
    "SimHei",
    "Yu Gothic",
    "Malgun Gothic",
    "Arial Unicode MS",
    "Noto Sans Arabic",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Noto Sans Bengali",
    "Nirmala UI",
    "Leelawadee UI",
)
NOT_DRAWN = ("agg", "cairo", "pdf", "pgf", "ps", "svg", "template")  # backends that show nothing

_browser_draws: ContextVar[bool] = ContextVar("browser_draws", default=False)


_narrow: ContextVar[bool] = ContextVar("narrow", default=False)


@contextmanager
def narrow() -> Iterator[None]:
    """Draw figures for narrow screens: names and numbers stand above the marks of their row."""
    token = _narrow.set(True)
    try:
        yield
    finally:
        _narrow.reset(token)


def is_narrow() -> bool:
    """Return whether figures are drawn for narrow screens."""
    return _narrow.get()


def width() -> float:
    """Return the width of a figure in inches."""
    return NARROW if _narrow.get() else WIDTH


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


@contextmanager
def default_settings(settings: dict[str, Any]) -> Iterator[None]:
    """Draw with matplotlib's defaults and some `settings`, so that a page is the same wherever it is made.

    matplotlib reads a file ``matplotlibrc`` of the working directory. It may come from somebody else with the data, and
    its ``text.usetex`` runs LaTeX.
    """
    import matplotlib

    defaults: dict[Any, Any] = {
        name: value for name, value in matplotlib.rcParamsDefault.items() if name != "backend"
    }
    with matplotlib.rc_context():
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", matplotlib.MatplotlibDeprecationWarning
            )  # deprecated settings keep their defaults
            matplotlib.rcParams.update(defaults | settings)
        yield


def figure(chart: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that gives a figure its kind of `chart`, and makes it refuse options that it does not have."""
    return functools.partial(_figure, chart)


def _figure(chart: str, draw: Callable[P, R]) -> Callable[P, R]:
    known = list(inspect.signature(draw).parameters)

    @functools.wraps(draw)
    def drawn(*args: P.args, **options: P.kwargs) -> R:
        allowed = known[len(args) :]
        unknown = [name for name in options if name not in allowed]
        if unknown:
            options_here = listing(allowed, most=20)
            raise InputError(
                f"figure '{draw.__name__}' has no option {quoted(unknown)}. Options: {options_here}"
            )
        if _browser_draws.get():
            return draw(*args, **options)
        import matplotlib

        with matplotlib.rc_context({"font.family": families()}):
            return draw(*args, **options)

    drawn.chart = chart  # type: ignore[attr-defined]
    return drawn


def literal(text: str, width: int = 60) -> str:
    """Return a label that matplotlib draws character by character: no mathtext, no newline, no missing glyph.

    Examples
    --------
    >>> literal("cost $5 to $9"), literal("a" * 9, width=4)
    ('cost \\\\$5 to \\\\$9', 'aaa…')
    """
    return _with_glyphs(shorten(visible_text(text), width)).replace("$", r"\$")


def literals(texts: Sequence[str], width: int = 60) -> list[str]:
    """Return what `literal` does for labels that are drawn together: labels that differ are drawn differently.

    Labels are cut in the middle. Where characters that no font has would make two of them equal, these characters are
    written as their numbers.

    Examples
    --------
    >>> literals(["model of May", "model of June"], width=9)
    ['mode… May', 'mode…June']
    """
    cut = shortened([visible_text(text) for text in texts], width)
    drawn = [_with_glyphs(text) for text in cut]
    alike = {
        one
        for one in drawn
        if len({text for text, other in zip(texts, drawn, strict=True) if other == one}) > 1
    }
    if alike:
        coded = [
            "".join(ch if _with_glyphs(ch) == ch else f"U+{ord(ch):04X}" for ch in text)
            for text in texts
        ]
        drawn = [
            code if one in alike else one
            for one, code in zip(drawn, shortened(coded, width), strict=True)
        ]
    return [text.replace("$", r"\$") for text in drawn]


def _with_glyphs(text: str) -> str:
    """Return a text without the characters that the fonts lack, unless a browser will draw it."""
    if _browser_draws.get():
        return text
    known = _glyphs()
    return "".join(
        ch if ord(ch) in known and not unicodedata.combining(ch) else REPLACEMENT for ch in text
    )


def families() -> list[str]:
    """Return the font families of the settings, and after them those of `FALLBACK` that are installed."""
    from matplotlib import font_manager, rcParams

    installed = {font.name for font in font_manager.fontManager.ttflist}
    return list(
        dict.fromkeys([*rcParams["font.family"], *(name for name in FALLBACK if name in installed)])
    )


def _glyphs() -> frozenset[int]:
    """Return the characters that some of the current fonts have."""
    from matplotlib import font_manager

    names = families()
    return _characters(
        tuple(font_manager.findfont(font_manager.FontProperties(family=[name])) for name in names)
    )


@functools.lru_cache(maxsize=8)
def _characters(files: tuple[str, ...]) -> frozenset[int]:
    from matplotlib import font_manager

    return frozenset(code for file in files for code in font_manager.get_font(file).get_charmap())


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
    xlabel: str = "",
    kind: str = "",
) -> Axes:
    """Return the Axes of a new figure, wider than `width` where the margins need it; all lengths in inches.

    A long `xlabel` gets more height for its lines. A `kind` is the id of the Axes.

    In a notebook, or where pyplot was imported and has a backend that shows figures, pyplot makes and displays the
    figure. Everywhere else it is a plain `matplotlib.figure.Figure` that no global state remembers; it has a canvas, so
    that ``ax.figure.savefig(...)`` works.
    """
    import matplotlib
    from matplotlib.figure import Figure

    wide = max(width(), left + right + LEAST_PLOT)
    more = LINE / POINTS * (len(label_lines(xlabel, left, right)) - 1) if xlabel else 0.0
    height, bottom = height + more, bottom + more
    pyplot = sys.modules.get("matplotlib.pyplot")
    notebook = "ipykernel" in sys.modules
    shows = pyplot is not None and matplotlib.get_backend().lower() not in NOT_DRAWN
    if (notebook or shows) and not _browser_draws.get():
        import matplotlib.pyplot as plt

        figure = plt.figure(figsize=(wide, height))
    else:
        figure = Figure(figsize=(wide, height))
    figure.set_facecolor(LIGHT["surface"])
    ax = figure.add_axes(
        (
            left / wide,
            bottom / height,
            (wide - left - right) / wide,
            (height - top - bottom) / height,
        )
    )
    ax.set_gid(kind or None)
    return ax


def label_lines(text: str, left: float, right: float) -> list[str]:
    """Return the lines of an axis label that is centred between two margins, in inches."""
    wide = max(width(), left + right + LEAST_PLOT)
    centre = (left + wide - right) / 2
    return wrapped(text, 2 * min(centre, wide - centre) * POINTS, SMALL)


def wrapped(text: str, room: float, size: float = FONT, most: int = 4) -> list[str]:
    """Return a text as literal lines that are at most `room` points wide, cut where it needs more than `most`.

    Examples
    --------
    >>> wrapped("one two three", 40.0)
    ['one two', 'three']
    """
    lines: list[str] = []
    for word in shorten(visible_text(text), 400).split():
        if lines and text_width(f"{lines[-1]} {word}", size) * HINTED <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1]} \u2026"]
    return [fitted([line], room, size, 400)[0] for line in lines] or [""]


def fitted(texts: Sequence[str], room: float, size: float = FONT, width: int = 60) -> list[str]:
    """Return what `literals` does for labels that must be at most `room` points wide.

    Examples
    --------
    >>> fitted(["a long label of June", "short"], 60.0)
    ['a lon… June', 'short']
    """
    found = literals(texts, width)
    while (
        width > 4 and max((text_width(text, size) for text in found), default=0.0) * HINTED > room
    ):
        width = min(width - 1, max(map(len, found)) - 1)
        found = literals(texts, width)
    return found


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
        box, whole = ax.get_window_extent(), ax.figure.bbox
        lines = label_lines(
            xlabel, *((length / ax.figure.dpi) for length in (box.x0, whole.width - box.x1))
        )
        ax.set_xlabel("\n".join(lines), labelpad=5, **QUIET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """Height of a row in inches, and how far above its middle name, numbers and marks stand, in rows."""

    height: float
    name: float = 0.0
    numbers: float = 0.0
    marks: float = 0.0


def slots(height: float, names: float, numbers: float, band: float = 14.0) -> Slots:
    """Return the places in a row of names and numbers of these widths in points; one above the other if narrow.

    Names and numbers take one line together where both fit; the marks take a `band` of points below.
    """
    if not is_narrow():
        return Slots(height=height)
    room = (NARROW - 2 * EDGE) * POINTS
    lines = 1 if names * HINTED + numbers + 8 <= room or not numbers else 2
    whole = LINE * lines + band
    name = 0.5 - 0.5 * LINE / whole
    return Slots(
        height=whole / POINTS,
        name=name,
        numbers=name - (lines - 1) * LINE / whole,
        marks=0.5 * band / whole - 0.5,
    )


def names(ax: Axes, ys: Sequence[float], labels: Sequence[str], place: Slots) -> None:
    """Write the label of each row: at the left of the Axes, or above its marks if narrow.

    If narrow, no line of the Axes is drawn where names and numbers stand.
    """
    if not is_narrow():
        ax.set_yticks(ys, labels, **INK)
        return
    ax.set_yticks([])
    left, right = ax.get_xlim()
    # texts take what is above the band of the marks
    share = -2 * place.marks
    segments(
        ax,
        [(y + 0.5 - share / 2, left, right) for y in ys],
        color=LIGHT["surface"],
        linewidth=share * place.height * POINTS,
        zorder=1.2,
    )
    for y, label in zip(ys, labels, strict=True):
        beside(ax, y + place.name, label, 0.0, side=0.0, ha="left")


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


def label_room(share: float = 1.0) -> float:
    """Return the points that the labels of rows may take: on narrow screens, a share of the width."""
    return share * (NARROW - 2 * EDGE) * POINTS if is_narrow() else math.inf


def margins(labels: Sequence[str], columns: float) -> tuple[float, float]:
    """Return the inches at the left of the marks, for labels, and at the right, for columns of a width in points."""
    return (EDGE, EDGE) if is_narrow() else (room_for(labels) + 0.2, columns / POINTS + 0.08)


def ends(rows: Sequence[T]) -> tuple[list[T], list[float]]:
    """Return the rows to draw and their lines, the first highest: on a page, 8 at either end of more than 35.

    So the figure and what stands before it share a printed page. The line between the ends is free for `left_out`.
    """
    n = len(rows)
    if not _browser_draws.get() or n <= MOST_ON_PAGE:
        return list(rows), [float(n - 1 - i) for i in range(n)]
    half = AT_EITHER_END
    ys = [float(2 * half - i) for i in range(2 * half + 1) if i != half]
    return [*rows[:half], *rows[-half:]], ys


def left_out(ax: Axes, rows: int, ys: Sequence[float]) -> None:
    """Write on the free line between the ends how many rows are left out."""
    if rows > len(ys):
        line = [(len(ys) / 2, *ax.get_xlim())]
        segments(ax, line, color=LIGHT["surface"], linewidth=LINE, zorder=1.2)
        text = f"\u2026 {count(rows - len(ys), 'row')} not drawn (see the table) \u2026"
        ax.text(
            0.5,
            len(ys) / 2,
            text,
            transform=ax.get_yaxis_transform(),
            ha="center",
            va="center",
            **QUIET,
        )


def legend(
    ax: Axes, parts: Sequence[tuple[str, str]], size: float, *, gap: float = 12.0, up: float = 0.0
) -> None:
    """Write texts with their colours above the Axes, one after another, on as many lines as they need.

    A square at the start of a text has the colour, the words after it are black.
    """
    room = ax.get_window_extent().width * POINTS / ax.figure.dpi
    places = legend_places([text for text, _ in parts], room, size, gap)
    for (text, color), (x, y) in zip(parts, places, strict=True):
        look: dict[str, Any] = {"fontsize": size, "ha": "left", "va": "bottom"}
        square, words = (
            (SQUARE, text.removeprefix(SQUARE)) if text.startswith(SQUARE) else ("", text)
        )
        if square:
            outside(ax, square, (0, 1), (x, y + up), color=LIGHT[color], **look)
        ink = LIGHT["ink" if square else color]
        outside(
            ax,
            words,
            (0, 1),
            (x + (text_width(square, size) + 3 if square else 0), y + up),
            color=ink,
            **look,
        )


def legend_height(
    parts: Sequence[tuple[str, str]], size: float, room: float | None = None
) -> float:
    """Return the inches that a legend takes above an Axes that is `room` points wide."""
    room = (NARROW - 2 * EDGE) * POINTS if room is None else room
    return (
        max(y for _, y in legend_places([text for text, _ in parts], room, size)) + LINE + 2
    ) / POINTS


def left_of(ax: Axes) -> float:
    """Return the inches at the left of an Axes."""
    return float(ax.get_window_extent().x0 / ax.figure.dpi)


def legend_places(
    texts: Sequence[str], room: float, size: float, gap: float = 12.0
) -> list[tuple[float, float]]:
    """Return where texts go above an Axes that is `room` points wide, as points right of its left and above its top.

    Examples
    --------
    >>> [y for x, y in legend_places(["one", "two", "a longer text"], 60.0, 9.0)]
    [20.5, 20.5, 8.0]
    """
    x, line = 0.0, 0
    found = []
    for text in texts:
        own = text_width(text, size) * HINTED
        if x and x + own > room:
            x, line = 0.0, line + 1
        found.append((x, line))
        x += own + gap
    return [(x, 8.0 + LINE * (line - one)) for x, one in found]


def segments(ax: Axes, spans: Sequence[tuple[float, float, float]], **options: Any) -> None:
    """Draw horizontal lines (y, from, to), inside the axis, all of one look."""
    left, right = ax.get_xlim()
    inside = [(y, max(low, left), min(high, right)) for y, low, high in spans]
    if inside:
        ax.hlines(*zip(*inside, strict=True), capstyle="butt", **options)


def beside(
    ax: Axes,
    y: float,
    text: str,
    offset: float,
    *,
    side: float = 1.0,
    up: float = 0.0,
    **options: Any,
) -> Text:
    """Write a text `offset` points from the right (`side` 1) or left (0) of the Axes, `up` above data coordinate y."""
    from matplotlib.transforms import ScaledTranslation

    figure = ax.figure
    place = ax.get_yaxis_transform() + ScaledTranslation(
        offset / POINTS, up / POINTS, figure.dpi_scale_trans
    )
    return ax.text(
        side, y, text, transform=place, **({"ha": "right", "va": "center_baseline"} | INK | options)
    )


def noted(lines: Sequence[str], left: float) -> list[str]:
    """Return footnotes as lines that fit between `left` inches and the right end of a figure."""
    return [
        part for line in lines for part in wrapped(line, (width() - left - 0.05) * POINTS, SMALL)
    ]


def footnotes(ax: Axes, lines: Sequence[str], drop: float) -> None:
    """Write lines of `noted` below the Axes, the first one `drop` points down."""
    for i, line in enumerate(lines):
        outside(ax, line, (0, 0), (0, -drop - LINE * i), va="top", **QUIET)


def outside(
    ax: Axes, text: str, corner: tuple[float, float], offset: tuple[float, float], **options: Any
) -> None:
    """Write a text some points right and up of a place in the Axes, of which (0, 0) is the lower left corner."""
    ax.annotate(
        text, corner, offset, "axes fraction", "offset points", annotation_clip=False, **options
    )


def room_for(labels: Sequence[str]) -> float:
    """Return the inches that the widest of some labels takes, at least 30 points."""
    return max([text_width(text) for text in labels] + [30.0]) * HINTED / POINTS


def is_known(row: Row) -> bool:
    """Return whether a row has an estimate that can be drawn."""
    return row.estimate is not None and math.isfinite(row.estimate)


def ends_of(row: Row, edges: tuple[float, float] | None = None) -> tuple[float, float] | None:
    """Return both ends of a row's interval, or None; the open one of a one-sided interval is an edge of the axis."""
    if edges is not None and row.has_interval:
        return (edges[0] if row.conf_low is None else row.conf_low), (
            edges[1] if row.conf_high is None else row.conf_high
        )
    return None if row.conf_low is None or row.conf_high is None else (row.conf_low, row.conf_high)


def bounded(rows: Iterable[Row]) -> bool:
    """Return whether all rows with an estimate are of a quantity that cannot exceed 1 in size."""
    known = [row.bounded for row in rows if is_known(row)]
    return bool(known) and all(known)


def short_ticks(axis: Axis) -> None:
    """Write ticks without the leading zero, for quantities that cannot exceed 1 in size."""
    from matplotlib.ticker import FuncFormatter, ScalarFormatter

    usual = ScalarFormatter(useOffset=False)
    usual.set_axis(axis)

    def text(value: float, place: int | None) -> str:
        usual.set_locs(axis.get_majorticklocs().tolist())
        return re.sub(r"^(\u2212?)0(?=\.\d*[1-9])", r"\1", usual(value, place))

    axis.set_major_formatter(FuncFormatter(text))


def drawn(rows: Sequence[Row]) -> list[float]:
    """Return all estimates and ends of intervals that an axis should hold."""
    values = [
        v for row in rows for v in (row.estimate, row.conf_low, row.conf_high) if v is not None
    ]
    return [v for v in values if math.isfinite(v)]


def lines_of_rows(ax: Axes, n: int, *, top: bool = True) -> None:
    """Prepare an Axes for n rows: limits, hair lines that lead the eye, ticks at the top too where rows are many."""
    ax.set_ylim(*((-0.5, n - 0.5) if is_narrow() else (-0.6, n - 0.4)))
    space_ticks(ax)
    ax.grid(axis="x", color=LIGHT["hair"], linewidth=0.7)
    if is_narrow():
        return
    for y in range(n - 6, -1, -5):
        ax.axhline(y + 0.5, color=LIGHT["hair"], linewidth=0.7, zorder=0.5)
    if top and n > TICKS_ON_TOP_FROM:
        ax.tick_params(axis="x", labeltop=True)


def space_ticks(ax: Axes) -> None:
    """Take fewer ticks where the labels of the scale would run together."""
    from matplotlib.ticker import AutoLocator

    locator = ax.xaxis.get_major_locator()
    # places that a figure has chosen stay
    if not isinstance(locator, AutoLocator):
        return
    low, high = ax.get_xlim()
    room = ax.get_window_extent().width * POINTS / ax.figure.dpi
    for most in range(MOST_TICKS, 1, -1):
        places = ax.get_xticks()
        labels = ax.xaxis.get_major_formatter().format_ticks(list(places))
        widest = max((text_width(label, SMALL) for label in labels), default=0.0) * HINTED
        if len(places) < 2 or widest + TICK_GAP <= room * (places[1] - places[0]) / (high - low):
            return
        locator.set_params(nbins=most)


def few_whole(most: int = 8) -> Locator:
    """Return the places of at most so many ticks, at whole numbers."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(most, integer=True)


def points(
    ax: Axes, rows: Sequence[tuple[float, Row]], *, intervals: bool = True, size: float = 4.5
) -> None:
    """Draw rows as points with intervals at their y; write out what is undefined."""
    left, right = ax.get_xlim()
    known = [(y, row) for y, row in rows if is_known(row)]
    for y, row in rows:
        if not is_known(row):
            ax.text(left + 0.02 * (right - left), y, "undefined", va="center", **QUIET)
    bars = [(y, *ends) for y, row in known if intervals and (ends := ends_of(row, (left, right)))]
    segments(ax, bars, color=LIGHT["series-1"], linewidth=1.3, zorder=2)
    ax.plot(
        [row.estimate or 0.0 for _, row in known],
        [y for y, _ in known],
        "o",
        color=LIGHT["series-1"],
        markersize=size,
        zorder=3,
        markeredgewidth=0,
    )


def padded(values: list[float], share: float = 0.04) -> tuple[float, float]:
    """Return axis limits around finite values; room either side where rounding leaves no spread."""
    low, high = min(values), max(values)
    spread, size = high - low, max(abs(low), abs(high))
    gap = share * spread if spread > FLAT * size else max(1.0, share * size)
    return low - gap, high + gap


FLAT = 1e-12  # matplotlib has no axis for a spread that is a smaller share of the values


def heads(labels: Sequence[str], cell: float, width: int = 14) -> tuple[list[str], float]:
    """Return the labels of columns of `cell` points, and the inches that they take if turned; 0 if they fit."""
    found = literals(labels, width)
    widest = max(map(text_width, found), default=0.0) * HINTED
    return found, 0.0 if widest <= cell - 4 else (widest + 6) / POINTS


def tiled(ax: Axes, across: Sequence[str], down: Sequence[str], *, turned: bool = False) -> None:
    """Prepare an Axes for a table of cells of size 1: labels above the columns and at the left of the rows."""
    ax.spines["bottom"].set_visible(False)
    ax.set_xlim(0, len(across))
    ax.set_ylim(len(down), 0)
    ax.set_xticks([i + 0.5 for i in range(len(across))], across, rotation=90 if turned else 0)
    ax.set_yticks([i + 0.5 for i in range(len(down))], down)
    ax.tick_params(
        axis="both", labelsize=FONT, labelcolor=LIGHT["ink"], labeltop=True, labelbottom=False
    )
    ax.xaxis.set_label_position("top")


def cell_size(ax: Axes) -> tuple[float, float]:
    """Return width and height of a cell of `tiled`, in points."""
    box, scale = ax.get_window_extent(), POINTS / ax.figure.dpi
    return box.width * scale / ax.get_xlim()[1], box.height * scale / ax.get_ylim()[0]


def in_cell(
    ax: Axes,
    x: float,
    y: float,
    texts: Sequence[str],
    room: tuple[float, float],
    color: str = "ink",
) -> None:
    """Write the lines that fit into a cell of `room` points, the first in larger letters."""
    sizes = [FONT if i == 0 else SMALL for i in range(len(texts))]
    lines = [
        (text, size)
        for text, size in zip(texts, sizes, strict=True)
        if text_width(text, size) <= room[0] - 2
    ]
    lines = (
        lines[: max(1, int(room[1] / (LINE - 1.5)))] if lines and lines[0][0] == texts[0] else []
    )
    for i, (text, size) in enumerate(lines):
        up = ((len(lines) - 1) / 2 - i) * (LINE - 1.5) / room[1]
        ax.text(
            x + 0.5, y + 0.5 - up, text, ha="center", va="center", fontsize=size, color=LIGHT[color]
        )


def tiles(ax: Axes, cells: Sequence[tuple[int, int, str, float]]) -> None:
    """Fill cells (column, row, colour, strength) of `tiled`; those of one look are one thick broken line."""
    looks: dict[tuple[str, float], list[tuple[float, float, float]]] = {}
    for x, y, color, strength in cells:
        looks.setdefault((color, round(strength, 2)), []).append((y + 0.5, x + 0.02, x + 0.98))
    high = 0.94 * cell_size(ax)[1]
    for (color, alpha), spans in looks.items():
        segments(ax, spans, color=LIGHT[color], alpha=alpha, linewidth=high, zorder=1)


def message(ax: Axes, text: str) -> Axes:
    """Fill an Axes with a sentence instead of marks."""
    ax.set_axis_off()
    look: dict[str, Any] = {
        "ha": "center",
        "va": "center",
        "fontsize": FONT,
        "color": LIGHT["muted"],
    }
    room = ax.get_window_extent().width * POINTS / ax.figure.dpi
    ax.text(0.5, 0.5, "\n".join(wrapped(text, room)), transform=ax.transAxes, **look)
    return ax

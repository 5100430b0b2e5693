"""A laid-out figure drawn with matplotlib, with every label character by character."""

from __future__ import annotations

import functools
import inspect
import sys
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ParamSpec, cast

from socialstats.errors import InputError
from socialstats.figures.plot import Areas, Axis, Lines, Mark, Plot, Text
from socialstats.figures.style import LIGHT, is_on_page
from socialstats.text import REPLACEMENT, listing, quoted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

P = ParamSpec("P")
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
COORDINATES = {
    "data": ("data", "data"),
    "row": ("axes fraction", "data"),
    "column": ("data", "axes fraction"),
    "box": ("axes fraction", "axes fraction"),
}


def figure(chart: str) -> Callable[[Callable[P, Plot]], Callable[P, Axes]]:
    """Return a decorator that draws what a function lays out, and makes it refuse options that it does not have.

    The figure has its kind of `chart`. On a page, the report draws it.
    """

    def decorate(lay_out: Callable[P, Plot]) -> Callable[P, Axes]:
        signature = inspect.signature(lay_out)

        @functools.wraps(lay_out)
        def draw(*args: P.args, **options: P.kwargs) -> Axes:
            allowed = list(signature.parameters)[len(args) :]
            unknown = [name for name in options if name not in allowed]
            if unknown:
                raise InputError(
                    f"figure '{lay_out.__name__}' has no option {quoted(unknown)}. "
                    f"Options: {listing(allowed, most=20)}"
                )
            plot = lay_out(*args, **options)
            if is_on_page():
                # only the report asks for a plot, and knows what it has
                return cast("Axes", plot)
            return paint(plot)

        draw.chart = chart  # type: ignore[attr-defined]
        draw.__signature__ = signature.replace(  # type: ignore[attr-defined]
            return_annotation="Axes"
        )
        return draw

    return decorate


def paint(plot: Plot) -> Axes:
    """Draw a figure, into its Axes or into a new figure, and return the Axes."""
    import matplotlib

    with matplotlib.rc_context({"font.family": font_families()}):
        ax = _new_axes(plot) if plot.ax is None else plot.ax
        words = written(list(_all_words(plot)))
        _fill_axes(ax, plot, words)
        box = plot.box
        for panel in plot.panels:
            left = (panel.box.left - box.left) / box.width
            bottom = (panel.box.bottom - box.bottom) / box.height
            share = (panel.box.width / box.width, panel.box.height / box.height)
            _fill_axes(ax.inset_axes((left, bottom, *share)), panel, words)
    ax.set_label(plot.label)
    return ax


def _new_axes(plot: Plot) -> Axes:
    """Return the Axes of a new figure.

    In a notebook, or where pyplot was imported and has a backend that shows figures, pyplot makes and displays the
    figure. Everywhere else it is a plain `matplotlib.figure.Figure` that no global state remembers; it has a canvas, so
    that ``ax.figure.savefig(...)`` works.
    """
    import matplotlib

    pyplot = sys.modules.get("matplotlib.pyplot")
    shows = pyplot is not None and matplotlib.get_backend().lower() not in NOT_DRAWN
    wide, high = plot.size
    size = (wide / 72, high / 72)
    figure: Figure
    if shows or "ipykernel" in sys.modules:
        import matplotlib.pyplot as plt

        figure = plt.figure(figsize=size)
    else:
        from matplotlib.figure import Figure

        figure = Figure(figsize=size)
    figure.set_facecolor(LIGHT["surface"])
    box = plot.box
    return figure.add_axes(
        (box.left / wide, box.bottom / high, box.width / wide, box.height / high)
    )


def _fill_axes(ax: Axes, plot: Plot, words: Mapping[str, str]) -> None:
    """Give an Axes the scales, marks and texts of a panel."""
    ax.set_facecolor(LIGHT["surface"])
    if not plot.framed and not plot.x.ticks and not plot.y.ticks:
        ax.set_axis_off()
    for side in ("left", "right", "top", "bottom"):
        ax.spines[side].set_visible(side == "bottom" and plot.framed)
    ax.spines["bottom"].set(color=LIGHT["line"], linewidth=0.8)
    ax.set_axisbelow(True)
    ax.set_xlim(*plot.x.limits)
    ax.set_ylim(*plot.y.limits)
    _write_axis(ax, "x", plot.x, words)
    _write_axis(ax, "y", plot.y, words)
    for name in plot.grid:
        ax.grid(axis=name, color=LIGHT["hair"], linewidth=0.7)  # type: ignore[arg-type]
    for i, mark in enumerate(plot.marks):
        _draw_mark(ax, mark, 1 + i / len(plot.marks))
    for text in plot.texts:
        _write_text(ax, text, words)


def _write_axis(ax: Axes, name: str, axis: Axis, words: Mapping[str, str]) -> None:
    """Write the ticks and the label of an axis."""
    side = ax.xaxis if name == "x" else ax.yaxis
    places = [place for place, _ in axis.ticks]
    labels = [words[text] for _, text in axis.ticks]
    side.set_ticks(places, labels, parse_math=False, rotation=90 if axis.turned else 0)
    look: dict[str, Any] = {"labelsize": axis.look.size, "labelcolor": LIGHT[axis.look.color]}
    side.set_tick_params(length=0, pad=4, **look)
    if name == "x":
        first, second = not axis.other_side, axis.other_side or axis.repeated
        ax.tick_params(axis="x", labelbottom=first, labeltop=second)
        ax.xaxis.set_label_position("top" if axis.other_side else "bottom")
    label = "\n".join(words[line] for line in axis.label)
    side.set_label_text(label, parse_math=False, fontsize=8, color=LIGHT["muted"])
    side.labelpad = 5


def _draw_mark(ax: Axes, mark: Mark, order: float) -> None:
    """Draw a mark above those of a lower `order`."""
    from matplotlib.collections import LineCollection
    from matplotlib.patches import Polygon

    if isinstance(mark, Lines):
        stroke = mark.stroke
        # matplotlib's dashes are multiples of the width
        dashes = tuple(length / stroke.width for length in stroke.dash)
        lines = LineCollection(
            [list(path) for path in mark.paths], capstyle="butt", zorder=order, label=""
        )
        lines.set(color=LIGHT[stroke.color], alpha=stroke.alpha, linewidth=stroke.width)
        if dashes:
            lines.set_linestyle((0, dashes))
        ax.add_collection(lines, autolim=False)
    elif isinstance(mark, Areas):
        for shape in mark.shapes:
            area = Polygon(list(shape), facecolor=LIGHT[mark.color], alpha=mark.alpha, zorder=order)
            area.set(linewidth=0.8 if mark.edge else 0, edgecolor=LIGHT["surface"])
            ax.add_patch(area)
    else:
        [points] = ax.plot(*zip(*mark.places, strict=True), mark.shape, zorder=order)
        points.set(markersize=mark.size, color=LIGHT[mark.color])
        points.set_markeredgewidth(0 if mark.filled else 1)
        points.set_fillstyle("full" if mark.filled else "none")


def _write_text(ax: Axes, text: Text, words: Mapping[str, str]) -> None:
    across, up = COORDINATES[text.of]
    written_text = ax.annotate(
        words[text.text], text.place, text.shift, (across, up), "offset points"
    )
    written_text.set(parse_math=False, ha=text.ha, zorder=5, annotation_clip=False)
    written_text.set(va="center_baseline" if text.va == "center" else text.va)
    written_text.set(fontsize=text.look.size, color=LIGHT[text.look.color])


def _all_words(plot: Plot) -> Iterator[str]:
    """Yield all that is written in a figure."""
    for axis in (plot.x, plot.y):
        yield from (text for _, text in axis.ticks)
        yield from axis.label
    yield from (text.text for text in plot.texts)
    for panel in plot.panels:
        yield from _all_words(panel)


def written(texts: Sequence[str]) -> dict[str, str]:
    """Return each text without the characters that no font has.

    Where two of them would look alike, these characters are written as their numbers.
    """
    glyphs = _glyphs() | {ord("\n")}

    def drawn(text: str, missing: Callable[[str], str]) -> str:
        return "".join(
            ch if ord(ch) in glyphs and not unicodedata.combining(ch) else missing(ch)
            for ch in text
        )

    looks = {text: drawn(text, lambda _: REPLACEMENT) for text in texts}
    alike = Counter(looks.values())
    return {
        text: look if alike[look] == 1 else drawn(text, lambda ch: f"U+{ord(ch):04X}")
        for text, look in looks.items()
    }


def font_families() -> list[str]:
    """Return the font families of the settings, and after them those of `FALLBACK` that are installed."""
    from matplotlib import font_manager, rcParams

    installed = {font.name for font in font_manager.fontManager.ttflist}
    further = [name for name in FALLBACK if name in installed]
    return list(dict.fromkeys([*rcParams["font.family"], *further]))


def _glyphs() -> frozenset[int]:
    """Return the characters that some of the current fonts have."""
    from matplotlib import font_manager

    fonts = [font_manager.FontProperties(family=[name]) for name in font_families()]
    return _characters(tuple(map(font_manager.findfont, fonts)))


@functools.lru_cache(maxsize=8)
def _characters(files: tuple[str, ...]) -> frozenset[int]:
    from matplotlib import font_manager

    return frozenset(code for file in files for code in font_manager.get_font(file).get_charmap())


@contextmanager
def default_settings(settings: dict[str, Any]) -> Iterator[None]:
    """Draw with matplotlib's defaults and some `settings`, so that a file is the same wherever it is made.

    matplotlib reads a file ``matplotlibrc`` of the working directory. It may come from somebody else with the data, and
    its ``text.usetex`` runs LaTeX.
    """
    import matplotlib

    defaults: dict[Any, Any] = {
        name: value for name, value in matplotlib.rcParamsDefault.items() if name != "backend"
    }
    with matplotlib.rc_context():
        with warnings.catch_warnings():
            # deprecated settings keep their defaults
            warnings.simplefilter("ignore", matplotlib.MatplotlibDeprecationWarning)
            matplotlib.rcParams.update(defaults | settings)
        yield

"""One layout for phones for each kind of figure: where its parts go. None where the figure is too wide for one."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from socialstats.figures import style
from socialstats_reports.parts import Frame, Layout, Move, Texts, anchor, at, first, start_of, widest, width_of

WIDE = 300.0  # points that a phone's screen shows: 9 pt text is read as 10.8 px at 360 px
WIDEST = 345.0  # points, where that keeps names and numbers on one line
LINE = 12.0  # points a line of text takes
EDGE = 9.0  # points beside the marks, for dots and tick labels at the ends
SEVERAL = 24.0  # points down that several marks of a row take
LOW = 3.0  # points that the middle of a text is above its baseline
BESIDE = 46.0  # points at the left of a panel for its ticks and its label
BROWSER = 0.9  # text is narrower in a browser's font than in matplotlib's
LEAST_CELL = 34.0  # points across
LEAST_LETTERS = 0.75  # letters are not made smaller than this share
LEAST_COURSE = 140.0  # points across


def rows(marks: list[Element], texts: list[Element], frame: Frame) -> Layout | None:
    """Put the name and the numbers of each row above its marks, and let the marks fill the width."""
    box = frame.boxes[0]
    t = Texts.of(texts, box)
    if not t.names:
        return None
    several = frame.kind == style.LINES  # several marks a row
    edge, need = _extent([*t.columns, *t.headings])
    wide, lines = _room(widest([*t.names, *t.heading]), need)
    ys = sorted(at(name)[1] for name in t.names)
    pitch = ys[1] - ys[0] if len(ys) > 1 else (box.bottom - box.top) / 1.1
    band = max(pitch, SEVERAL) if several else pitch  # the height of the marks of a row
    down = (LINE * lines + band) / pitch
    head = LINE * bool(t.ticks)
    top, low = _heights([*t.headings, *t.heading])
    begin = head + (LINE + low - top) * bool(t.headings or t.heading)
    y = begin + LINE * lines + band / 2 + 1 - down * (ys[0] - LOW)
    up = y - band / 2 - (0.5 if several else 0.35) * LINE  # of the line above the marks
    across = (wide - 2 * EDGE) / (box.right - box.left)
    x = EDGE - across * box.left
    end = y + down * box.bottom
    moves = (
        (marks + t.inside, Move(x=x, y=y, across=across, down=down), ""),
        (t.names, Move(x=-first(t.names)[0], y=up - LINE * (lines - 1), down=down), "n"),
        (t.columns, Move(x=wide - edge, y=up, down=down), "c"),
        (t.heading, Move(x=-first(t.heading)[0], y=begin - LOW - low), "n"),
        (t.headings, Move(x=wide - edge, y=begin - LOW - low), ""),
        (t.ticks, Move(x=x, y=LINE - LOW - first(t.ticks)[1], across=across), ""),
        (t.below, Move(x=x, y=end - box.bottom, across=across), ""),
    )
    return Layout(width=wide, height=end + frame.height - box.bottom, moves=moves)


def _extent(texts: Sequence[Element]) -> tuple[float, float]:
    """Return the right edge of texts that end there, and the width of all of them."""
    if not texts:
        return 0.0, 0.0
    edges = {x: [text for text in texts if at(text)[0] == x] for x in {at(text)[0] for text in texts}}
    return max(edges), max(edges) - min(x - widest(column) for x, column in edges.items())


def _heights(texts: Sequence[Element]) -> tuple[float, float]:
    """Return the highest and the lowest baseline."""
    ys = [at(text)[1] for text in texts]
    return min(ys, default=0.0), max(ys, default=0.0)


def _room(names: float, numbers: float) -> tuple[float, int]:
    """Return the width of the drawing, and the lines above the marks: two where names and numbers need them.

    Examples
    --------
    >>> _room(80.0, 120.0), _room(200.0, 130.0), _room(240.0, 130.0)
    ((300.0, 1), (340.0, 1), (300.0, 2))
    """
    both = names + (numbers + 10 if numbers else 0.0)
    return (max(WIDE, both), 1) if both <= WIDEST else (max(WIDE, names, numbers), 2)


def bars(marks: list[Element], texts: list[Element], frame: Frame) -> Layout | None:
    """Keep the names beside the bars, and let the bars fill the rest of the width; small numbers are left out."""
    box = frame.boxes[0]
    t = Texts.of(texts, box)
    if not t.names:
        return None
    left = widest(t.names) + 8
    legend = max((at(text)[0] + BROWSER * width_of(text) - box.left for text in t.headings), default=0.0)
    wide = min(max(WIDE, legend), WIDEST)
    across = (wide - left - 1.5 * EDGE) / (box.right - box.left)
    place = Move(x=left - across * box.left, across=across)
    small = [text for text in t.inside if "font-size:7px" in text.get("style", "")]
    moves = (
        (marks + [text for text in t.inside if text not in small] + t.ticks + t.below, place, ""),
        (t.names, Move(x=left - 8 - first(t.names)[0]), ""),
        (t.headings, Move(x=-box.left if legend > wide - left else left - box.left), ""),
        (small, Move(), "h"),
    )
    return Layout(width=wide, height=frame.height, moves=moves)


def cells(marks: list[Element], texts: list[Element], frame: Frame) -> Layout | None:
    """Make the cells narrower, and the letters of what stands above them smaller where that is enough."""
    box = frame.boxes[0]
    t = Texts.of(texts, box)
    heads = [text for text in t.ticks if at(text)[1] == _heights(t.ticks)[1]]
    if not heads or not t.names:
        return None
    away = first(t.turned)[0] - 8 if t.turned else first(t.names)[0] - widest(t.names)
    left = box.left - away
    across = (WIDE - left - 2) / (box.right - box.left)
    cell = across * (box.right - box.left) / len(heads)
    letters = min(1.0, (cell - 2) / (BROWSER * widest(heads)))
    if across >= 1:
        return Layout(width=WIDE, height=frame.height, moves=((marks + texts, Move(x=-away), ""),))
    if cell < LEAST_CELL or letters < LEAST_LETTERS:
        return None
    place = Move(x=left - across * box.left, across=across)
    over = [text for text in t.ticks if text not in heads]
    moves = (
        (marks + t.inside + over, place, ""),
        (t.names + t.turned + t.below, Move(x=-away), ""),
        (heads, Move(x=place.x, across=across, text=letters), ""),
    )
    return Layout(width=WIDE, height=frame.height, moves=moves)


def course(marks: list[Element], texts: list[Element], frame: Frame) -> Layout | None:
    """Draw the stages closer together, between the scale at the left and the names at the right."""
    box = frame.boxes[0]
    t = Texts.of(texts, box)
    away = first(t.turned)[0] - 8 if t.turned else 0.0
    left, right = box.left - away, widest(t.ends) + 8  # browsers without the page's fonts draw in matplotlib's
    between = WIDEST - left - right
    stages = [text for text in t.below if anchor(text) == "middle"]
    if between < LEAST_COURSE or not stages:
        return None
    across = between / (box.right - box.left)
    xs = sorted(at(text)[0] for text in stages)
    step = across * (xs[1] - xs[0]) if len(xs) > 1 else between
    letters = max(min(1.0, (step - 2) / (BROWSER * widest(stages))), LEAST_LETTERS)
    place = Move(x=left - across * box.left, across=across)
    moves = (
        (marks, place, ""),
        (t.inside, place, "c"),
        (stages, Move(x=place.x, across=across, text=letters), ""),
        (t.names + t.turned, Move(x=-away), ""),
        (t.ends + t.headings, Move(x=place.x + (across - 1) * box.right), ""),
        ([text for text in t.below if text not in stages], Move(x=-box.left), ""),
    )
    return Layout(width=WIDEST, height=frame.height, moves=moves)


def panels(marks: list[Element], texts: list[Element], frame: Frame) -> Layout | None:
    """Put the second of two panels below the first."""
    if len(frame.boxes) != 3:
        return None
    one, two = frame.boxes[1:]
    split = max(two.left - BESIDE, one.right)
    parts = [[e for e in (*marks, *texts) if (start_of(e) > split) == second] for second in (False, True)]
    wide = max(WIDE, one.right + 4, frame.width - split)
    moves = ((parts[0], Move(), ""), (parts[1], Move(x=-split, y=frame.height), ""))
    return Layout(width=wide, height=2 * frame.height, moves=moves)

"""A matplotlib figure as inline SVG: themed by CSS variables, named, and the same bytes every time."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, cast
from xml.etree import ElementTree

from markupsafe import Markup

from socialstats.figures import style
from socialstats.text import visible_text
from socialstats_reports.lean import assemble, flat

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SALT = "socialstats"
DEFAULTS = {
    "stroke-dashoffset": "0",
    "font-size": "9px",
    "font-style": "normal",
    "font-weight": "400",
}
VARIABLES = {color: f"var(--{name})" for name, color in style.LIGHT.items()}
VARIABLES |= {"#000000": "var(--ink)", "#ffffff": "var(--surface)"}
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
INDEX = re.compile(r"\b[dgpB](?P<line>_)(?P<index>z|av|rm|Holm|all)\b")
DROP = 2  # points that an index stands below its symbol
TALL = 2.4  # height / width from which print may cut a figure over pages instead of shrinking it


def inline(draw: Callable[[], Axes], *, title: str, description: str, prefix: str) -> Markup:
    """Draw a figure for wide and for narrow screens and return both as ``<svg role="img">`` elements for the page.

    The page shows one of them. Both have the name and the description of the wide one.

    Parameters
    ----------
    draw : callable
        Returns the Axes.
    title, description : str
        Read out by screen readers. The label of the Axes is the description where it has one.
    prefix : str
        Makes the ids unique on the page.
    """
    wide, label = _drawing(draw, prefix, "wide")
    with style.narrow():
        narrow, _ = _drawing(draw, prefix, "narrow")
    for i, (tag, words) in enumerate((("title", title), ("desc", label or description))):
        element = ElementTree.Element(tag, {"id": f"{prefix}-{tag}"})
        element.text = visible_text(words) or "figure"
        wide.insert(i, element)
    return Markup("".join(ElementTree.tostring(one, encoding="unicode") for one in (wide, narrow)))


def _drawing(draw: Callable[[], Axes], prefix: str, name: str) -> tuple[ElementTree.Element, str]:
    """Return a figure as a short SVG element, and the description that its Axes has."""
    text, label, kind = _svg(draw)
    root = ElementTree.fromstring(text)
    for parent in root.iter():
        parent.tag = parent.tag.rsplit("}", 1)[-1]
        parent.tail = None
        if parent.tag != "text":
            parent.text = None
    _strip(root)
    short = _short_ids(root, prefix + name[0])
    for element in root.iter():
        _attributes(element, short)
    _name(root, prefix, f"{name} {kind}".strip())
    element = assemble(root, *flat(root))
    for drawn in element.iter("text"):
        _lower_index(drawn)
    return element, label


def _lower_index(text: ElementTree.Element) -> None:
    """Write the index of a symbol smaller and lower, as in the text of the page."""
    match = INDEX.search(text.text or "")
    if match is None or len(text):
        return
    before, after = match.string[: match.start("line")], match.string[match.end() :]
    text.text = before
    index = ElementTree.SubElement(text, "tspan", {"dy": f"{DROP}", "font-size": "72%"})
    index.text = match["index"]
    if after:
        tail = ElementTree.SubElement(text, "tspan", {"dy": f"{-DROP}"})
        tail.text = after


def _svg(draw: Callable[[], Axes]) -> tuple[str, str, str]:
    """Return matplotlib's own SVG, without anything that changes from run to run, and label and kind of the Axes."""
    with (
        style.browser_draws_text(),
        style.default_settings({"svg.fonttype": "none", "svg.hashsalt": SALT}),
    ):
        axes = draw()
        figure = cast("Figure", axes.figure)
        for background in (figure.patch, *(ax.patch for ax in figure.axes)):
            background.set_visible(False)
        out = io.StringIO()
        no_metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(out, format="svg", metadata=no_metadata)
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close(figure)
    return out.getvalue(), str(axes.get_label()), str(axes.get_gid() or "")


def _short_ids(root: ElementTree.Element, prefix: str) -> dict[str, str]:
    """Return a short id, unique on the page, for each definition."""
    known = [e.attrib["id"] for e in root.iter() if e.tag not in ("g", "svg") and "id" in e.attrib]
    return {name: f"{prefix}-{i}" for i, name in enumerate(known)}


def _strip(root: ElementTree.Element) -> None:
    """Remove style sheets and metadata."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("metadata", "style"):
                parent.remove(child)


def _attributes(element: ElementTree.Element, ids: Mapping[str, str]) -> None:
    """Round coordinates, shorten ids, replace colours by variables, leave fonts to the page."""
    for name in list(element.attrib):
        value = element.attrib.pop(name)
        short = name.rsplit("}", 1)[-1]
        if short == "id":
            if element.tag in ("g", "svg"):
                continue
            value = ids[value]
        elif short == "href":
            value = f"#{ids[value[1:]]}"
        elif short == "clip-path":
            value = f"url(#{ids[value[5:-1]]})"
        elif short == "style":
            value = _style(value)
        elif short in ("d", "x", "y", "width", "height", "transform", "points"):
            value = _rounded(value)
        if value and not (short == "transform" and value.startswith("rotate(-0 ")):
            element.set(short, value)


def _rounded(value: str) -> str:
    """Round every number to tenths of a point.

    Examples
    --------
    >>> _rounded("M 0.004999 81.454 \\nL 10.0 2.5")
    'M 0 81.5 L 10 2.5'
    """
    short = NUMBER.sub(lambda m: f"{float(m.group()):.1f}".rstrip("0").rstrip("."), value)
    return (
        " ".join(short.replace("-0 ", "0 ").split())
        if "rotate" not in short
        else " ".join(short.split())
    )


def _style(value: str) -> str:
    """Return the declarations that differ from the page's own rules, colours as variables."""
    kept = []
    for declaration in value.split(";"):
        name, _, setting = (part.strip() for part in declaration.partition(":"))
        if name == "font":  # the shorthand: [style] [weight] size family
            size = re.search(r"[\d.]+px", setting)
            weight = re.search(r"\b(bold|[5-9]00)\b", setting)
            kept += [f"font-size:{size.group()}"] if size else []
            kept += ["font-weight:600"] if weight else []
            continue
        if not name or name == "font-family" or DEFAULTS.get(name) == setting:
            continue
        if name == "font-weight":
            setting = "600"
        kept.append(f"{name}:{VARIABLES.get(setting.lower(), setting)}")
    return ";".join(kept)


def _name(root: ElementTree.Element, prefix: str, name: str) -> None:
    """Give the figure the page's class and a name for screen readers; the page sets its size."""
    view = root.attrib["viewBox"]
    width, height = (float(part) for part in view.split()[2:])
    root.attrib.clear()
    root.set("viewBox", view)
    root.set("class", " ".join(["drawing", name, *(["tall"] if height / width > TALL else [])]))
    root.set("role", "img")
    root.set("aria-labelledby", f"{prefix}-title {prefix}-desc")

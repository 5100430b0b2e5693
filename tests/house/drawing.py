"""The map of the house: one picture of its rooms in their layers, and where the parts of a metric stand."""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from html import escape
from pathlib import Path

from tests.house.rooms import TOP, Figures

PACKAGE = "socialstats"
WIDTH, MARGIN, GAP, ROW = 1080, 24, 10, 66  # of the picture, in pixels
LETTER = 8.2  # pixels of a letter of a name
LEAST = 128  # pixels of the narrowest room
FULL = 200_000  # nodes of a room that takes the whole width
STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #1d2733 }
.name { font-weight: 600 } .small { font-size: 11px; fill: #52606d }
rect { fill: #e8eef5; stroke: #9fb3c8 }
@media (prefers-color-scheme: dark) {
  text { fill: #e4ebf2 } .small { fill: #a9b8c7 } rect { fill: #243241; stroke: #52677c }
}"""


def layers() -> list[list[str]]:
    """Return the rooms from top to bottom as import-linter checks them; rooms of one layer stand side by side."""
    settings = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    # those with containers are of folders within a room
    (contract,) = (c for c in contracts if c["type"] == "layers" and "containers" not in c)
    rows = []
    for layer in contract["layers"]:
        modules = layer.replace(":", "|").split("|")
        rows.append([module.strip().removeprefix(f"{PACKAGE}.") for module in modules])
    return rows


def about(room: str) -> str:
    """Return the first line of the docstring of a room or of a module, up to its colon."""
    folder = TOP / PACKAGE / room
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.split("\n")[0].rstrip(".")


def picture(figures: Mapping[str, Figures]) -> str:
    """Return the map as SVG: a row a layer, the width of a room by its nodes; imports go down only."""
    rows = [[room for room in layer if room in figures] or [", ".join(layer)] for layer in layers()]
    height = MARGIN * 2 + 30 + len(rows) * ROW
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>The rooms of {PACKAGE}</title><style>{STYLE}</style>",
        f'<text x="{MARGIN}" y="{MARGIN + 4}" class="name">Imports go down only. Width: syntax nodes.</text>',
    ]
    for k, rooms in enumerate(rows):
        x, y = float(MARGIN), MARGIN + 24 + k * ROW
        for room in rooms:
            nodes = figures.get(room, {}).get("nodes", 0.0)
            width = max(LEAST, LETTER * len(room), (WIDTH - 2 * MARGIN) * nodes / FULL)
            parts.append(
                f'<rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="{ROW - 14}" rx="4"/>'
            )
            size = f"{nodes / 1000:,.0f}k nodes" if nodes else "beside the folders"
            text_x = x + 10
            parts.append(f'<text x="{text_x:.0f}" y="{y + 21}" class="name">{escape(room)}</text>')
            parts.append(f'<text x="{text_x:.0f}" y="{y + 40}" class="small">{size}</text>')
            x += width + GAP
        if len(rooms) == 1 and ", " not in rooms[0]:
            words = escape(about(rooms[0]).replace("`", ""))
            parts.append(f'<text x="{x:.0f}" y="{y + 30}" class="small">{words}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def places(name: str) -> Iterator[tuple[str, str]]:
    """Yield where the parts of a metric stand: what, and file and line.

    Raises
    ------
    KeyError
        For a name that is no metric, with the nearest ones.

    Examples
    --------
    >>> dict(places("gwet_ac"))["sentence"].split(":")[0]
    'socialstats/agreement/gwet_ac.py'
    """
    from socialstats.crosscheck.definition import Definition
    from socialstats.metrics import METRICS

    if name not in METRICS:
        near = get_close_matches(name, METRICS, n=3) or sorted(METRICS)
        raise KeyError(f"{name} is no metric; {', '.join(near)}")
    metric = METRICS[name]
    function = inspect.unwrap(metric.function)
    home = Path(inspect.getsourcefile(function) or "")
    yield "options, rows, errors", where(function)
    for node in ast.parse(home.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name != function.__name__:
            first = (ast.get_docstring(node) or "").split("\n")[0]
            yield "in its file", f"{home.relative_to(TOP)}:{node.lineno} {node.name}: {first}"
    yield from imported_names(home)
    for module in shared_modules(home):
        # a formula that several metrics share makes its intervals in a file of the subject
        yield from imported_names(module, kinds={"inference": "error, interval"})
    yield "sentence", where(metric.sentence)
    yield "figure", where(metric.plot)
    samples, equations = metric.definition.samples, metric.definition.equations
    # a definition states samples, equations, or both
    for part in (samples, equations):
        if part.__module__ != Definition.__module__:
            yield "plain definition", where(part)
    for path in sorted((TOP / "tests" / "metrics").glob(f"test_{name}*.py")):
        yield "tests", str(path.relative_to(TOP))
        for found in re.findall(r'golden\("(\w+)"\)', path.read_text(encoding="utf-8")):
            yield "values of R or a package", f"tests/golden/{found}.json"
    for path in sorted((TOP / PACKAGE / "studies").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if re.search(rf"\b{name}\b", text):
            layout = [text[: m.start()].count("\n") + 1 for m in re.finditer(r"\bBlock\(", text)]
            at = f", blocks at lines {layout[0]} to {layout[-1]}" if layout else ""
            yield "page", f"{path.relative_to(TOP)}{at}"


def shared_modules(path: Path) -> list[Path]:
    """Return the files of the same subject from which a file takes something."""
    subject = path.relative_to(TOP).parts[1]
    nodes = ast.parse(path.read_text(encoding="utf-8")).body
    modules = {
        node.module
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module is not None
    }
    inside = sorted(module for module in modules if module.startswith(f"{PACKAGE}.{subject}."))
    return [file for module in inside if (file := file_of(module)).name != "__init__.py"]


def file_of(module: str) -> Path:
    """Return the file of a module, or of a package its first file."""
    path = TOP / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def imported_names(path: Path, kinds: Mapping[str, str] | None = None) -> Iterator[tuple[str, str]]:
    """Yield what a file takes from inference, from resampling and from its subject: functions, not types."""
    subject = path.relative_to(TOP).parts[1]
    kinds = kinds or {
        "inference": "error, interval",
        "resampling": "resamples",
        subject: "shared formula",
    }
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(PACKAGE):
            room = node.module.split(".")[1:2]
            names = [alias.name for alias in node.names if alias.name.islower()]
            if room and room[0] in kinds and names:
                place = file_of(node.module).relative_to(TOP)
                yield kinds[room[0]], f"{place}: {', '.join(names)}"


def where(function: object) -> str:
    """Return file and line of the ``def`` of a function, below its decorators."""
    inner = inspect.unwrap(function)  # type: ignore[arg-type]
    path = Path(inspect.getsourcefile(inner) or "").relative_to(TOP)
    lines, first = inspect.getsourcelines(inner)
    below = next(k for k, line in enumerate(lines) if line.lstrip().startswith("def "))
    return f"{path}:{first + below}"


def table(rows: Sequence[tuple[str, str]]) -> str:
    """Return two aligned columns."""
    width = max(len(what) for what, _ in rows)
    return "\n".join(f"{what:{width}}  {place}" for what, place in rows)

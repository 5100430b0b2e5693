"""The measures of each room, and of the whole house."""

from __future__ import annotations

import gc
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.house.measures import LARGE, File, circles, measured, repeated

TOP = Path(__file__).parents[2]
PLACES = ("", "collect", "reports")  # where packages are
# what the size that the redesign promises leaves out
OUTER = (
    "studies",
    "cli",
    "proposals",
    "audit",
    "harness_logs",
    "figures",
    "planning",
    "datasets",
)
OTHER_PACKAGES = ("collect", "reports")
INNER, ALL = "inner rooms", "all rooms"
MEASURES = {
    "nodes": "syntax nodes without docstrings",
    "nodes_a_statement": "nodes a statement",
    "dense_statements": "simple statements of more than 60 nodes",
    "long_functions": "functions of more than 50 statements",
    "large_files": "files of more than 6,000 nodes",
    "vague_names": "names that say nothing",
    "comments": "comments that stand alone, in percent of code lines",
    "formatter_exceptions": "exceptions from the formatter",
    "imports_inside": "own imports inside functions",
    "imports_by_string": "own imports by string",
    "modules_in_circles": "modules that import each other around",
    "same_functions": "functions with the name of one in another module",
    "same_classes": "classes with the name of one in another module",
}
MORE_IS_BETTER = ("comments",)
RATIOS = ("nodes_a_statement", "comments")
Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class House:
    """Every file, what is defined in several of them, and the modules that import each other around."""

    files: tuple[File, ...]
    same_functions: Mapping[str, Sequence[str]]
    same_classes: Mapping[str, Sequence[str]]
    circles: Sequence[Sequence[str]]

    def rooms(self) -> dict[str, list[File]]:
        """Return the files of each room."""
        rooms: defaultdict[str, list[File]] = defaultdict(list)
        for file in self.files:
            rooms[room_of(file.module)].append(file)
        return dict(sorted(rooms.items()))

    def figures(self) -> dict[str, Figures]:
        """Return the measures of each room."""
        return {room: self.figures_of(files) for room, files in self.rooms().items()}

    def inner(self) -> list[File]:
        """Return the files whose size the redesign promises."""
        return [f for f in self.files if room_of(f.module) not in (*OUTER, *OTHER_PACKAGES)]

    def figures_of(self, files: Sequence[File]) -> Figures:
        """Return the measures of some files."""
        places = Counter(measure for measure, _ in self.places(files))
        nodes = sum(file.nodes for file in files)
        sizes = {
            "nodes": nodes,
            "nodes_a_statement": ratio(nodes, sum(file.statements for file in files)),
            "comments": percent(
                sum(file.comment_lines for file in files), sum(file.code_lines for file in files)
            ),
        }
        return {name: sizes.get(name, places[name]) for name in MEASURES}

    def places(self, files: Sequence[File]) -> Iterator[tuple[str, str]]:
        """Yield each thing that a measure counts: the measure, and where the thing is."""
        in_circles = {module for group in self.circles for module in group}
        for file in files:
            at = file.module
            yield from (("dense_statements", f"{at}:{place}") for place in file.dense)
            yield from (("long_functions", f"{at}:{place}") for place in file.long_functions)
            yield from (("vague_names", f"{at}:{place}") for place in file.vague)
            yield from (("formatter_exceptions", f"{at}: {kind}") for kind in file.exceptions)
            if file.nodes > LARGE:
                yield "large_files", f"{at}: {file.nodes:,} nodes"
            if at in in_circles:
                yield "modules_in_circles", at
            for line in file.imports:
                if line.by_string or line.inside:
                    measure = "imports_by_string" if line.by_string else "imports_inside"
                    yield measure, f"{at}:{line.line} {' '.join(line.modules[:3])}"
            for measure, names, homes in (
                ("same_functions", file.functions, self.same_functions),
                ("same_classes", file.classes, self.same_classes),
            ):
                for name in names:
                    if name in homes:
                        yield measure, f"{name}: {', '.join(homes[name])}"


def ratio(part: float, of: float) -> float:
    """Return a ratio to two decimals, 0 of nothing."""
    return round(part / of, 2) if of else 0.0


def percent(part: float, of: float) -> float:
    """Return a share in percent, to two decimals."""
    return ratio(100 * part, of)


def room_of(module: str) -> str:
    """Return the room of a module; files beside the folders are a room of their own.

    Examples
    --------
    >>> room_of("socialstats.paired.mcnemar"), room_of("socialstats_collect.log"), room_of("socialstats.text")
    ('paired', 'collect', 'top')
    """
    package, *rest = module.split(".")
    if package != "socialstats":
        return package.removeprefix("socialstats_")
    is_folder = len(rest) > 1 or (rest and (TOP / package / rest[0]).is_dir())
    return rest[0] if is_folder else "top"


def house(protocols: Collection[str]) -> House:
    """Measure all modules; functions that a protocol asks of several modules may have the same name."""
    sources = {}
    for place in PLACES:
        for path in sorted((TOP / place).glob("socialstats*/**/*.py")):
            parts = path.relative_to(TOP / place).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            sources[name] = path.read_text(encoding="utf-8")
    gc.disable()  # looking for garbage in trees takes longer than all the rest
    try:
        return house_of(sources, protocols)
    finally:
        gc.enable()


def house_of(sources: Mapping[str, str], protocols: Collection[str] = ()) -> House:
    """Measure modules by their sources."""
    places = {name: Path(name) for name in sources}
    files = tuple(measured(source, name, places) for name, source in sources.items())
    targets = {
        file.module: {name for line in file.imports for name in line.modules} - {file.module}
        for file in files
    }
    return House(
        files,
        repeated({file.module: file.functions for file in files}, protocols),
        repeated({file.module: file.classes for file in files}),
        circles({module: sorted(names) for module, names in targets.items()}),
    )

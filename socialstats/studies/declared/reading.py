"""From the sections of a plan file to a declared study: which keys there are, and whether they fit together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from socialstats.designs.options import texts
from socialstats.errors import InputError, Problem
from socialstats.studies.declared.declaration import (
    CellGrid,
    ContrastPair,
    Declaration,
    Scale,
    StudyQuestion,
    nearest_of,
)
from socialstats.studies.grids import CELLS
from socialstats.tables.toml_files import Allowed, problem_in, wrong_keys
from socialstats.text import meant, shorten

SCALE_KEYS: Allowed = {
    "title": str,
    "items": [str],
    "reversed": [str],
    "weights": {"*": float},
    "range": [float],
    "options": [str],
    "fewest": int,
    "score": ("mean", "sum"),
}
CONTRAST_KEYS: Allowed = {
    "column": str,
    "pair": [str],
    "expect": ("greater", "less"),
    "smallest_effect": float,
}
QUESTION_KEYS: Allowed = {
    "id": str,
    "ask": str,
    "metric": str,
    "scales": [str],
    "contrast": str,
    "each": [str],
    "average": [str],
    "where": [str],
    "terms": [str],
    "*": object,  # options of the metric, which its own signature checks
}
GRID_KEYS: Allowed = {
    "name": str,
    "title": str,
    "question": str,
    "rows": [str],
    "columns": str,
    "cell": tuple(CELLS),
}
COLLECT = "collect"  # what is asked: the keys of a run file, which `socialstats_collect` checks
SECTIONS = ("scale", "contrast", "question", "table", COLLECT)
PARTS = ("unit", "source", "kind", "rater", "repeat", "condition", "item", "value", "cluster")
LONE_PARTS = ("source", "kind", "rater", "item", "value")  # that one column plays
READING = ("levels", "scale", "na", "refusal", "missing")
OF_FILE = ("study", "title", "status", "registered", "data_seen", "simulated", "file")
ROWS = ("where", "exclude", "exclude_raters", "reasons", "encoding", "people")
COMPUTED = ("level", "seed", "resamples")
ALLOWED = (*OF_FILE, *ROWS, *COMPUTED, *READING, "map", "cluster", "range")
NEEDED = {
    "scale": {"items": 'A scale has items = ["first", "second"]'},
    "contrast": {
        "column": 'A contrast has column = "..."',
        "pair": 'A contrast has pair = ["first", "second"]: the first minus the second',
    },
    "question": {
        "id": 'A question has id = "..."',
        "metric": "A question has a metric: 'socialstats estimate' lists them",
    },
    "table": {
        "question": 'A table has question = "...", the id of one',
        "rows": "A table has rows: a column, or several",
    },
}
KEYS = {
    "scale": SCALE_KEYS,
    "contrast": CONTRAST_KEYS,
    "question": QUESTION_KEYS,
    "table": GRID_KEYS,
}


def read_declaration(
    content: Mapping[str, Any], settings: Mapping[str, Any], source: str, text: str
) -> Declaration:
    """Return the study that a file declares.

    Parameters
    ----------
    content : mapping
        The file, whose sections of `SECTIONS` are read.
    settings : mapping
        The keys of its other sections in one mapping, as `socialstats.studies.plan_files.Plan` has them. ``map`` is a
        mapping of parts to columns.
    source, text : str
        Its name and content, for messages.

    Raises
    ------
    InputError
        With a problem for each key that is unknown, missing or of another kind, and each name that is nowhere declared.
    """
    reader = Reader(source, text, settings)
    reader.check_settings()
    parts = reader.parts()
    scales = [reader.scale(name, keys) for name, keys in reader.sections(content, "scale")]
    contrasts = [reader.contrast(name, keys) for name, keys in reader.sections(content, "contrast")]
    questions = [reader.question(keys) for _, keys in reader.sections(content, "question")]
    grids = [reader.grid(keys) for _, keys in reader.sections(content, "table")]
    collect = content.get(COLLECT, {})
    if not isinstance(collect, dict):
        reader.note(COLLECT, "collect is a section", "Write [collect]")
    if not reader.problems and not questions:
        fix = "Write [[question]] with an id and a metric"
        reader.note("question", "the file is that of a study, and has no question", fix)
    if not reader.problems:
        reader.check_names(questions, grids, scales, contrasts)
    if reader.problems:
        raise InputError(reader.problems)
    name = str(settings.get("study") or "own study")
    title = str(settings.get("title") or name)
    values = {key: settings[key] for key in READING if settings.get(key) is not None}
    return Declaration(
        name=name,
        title=title,
        parts=parts,
        reading=values,
        scales={scale.name: scale for scale in scales},
        contrasts={contrast.name: contrast for contrast in contrasts},
        questions={question.id: question for question in questions},
        grids=tuple(grids),
        collect=collect,
        status=settings.get("status", "exploratory"),
        source=source,
        text=text,
    )


class Reader:
    """What a file declares, and everything that is wrong with it."""

    def __init__(self, source: str, text: str, settings: Mapping[str, Any]) -> None:
        self.source = source
        self.text = text
        self.settings = settings
        self.problems: list[Problem] = []
        self.lengths: dict[str, int] = {}

    def note(self, section: str, message: str, fix: str = "", nth: int = 0) -> None:
        """Note a problem, with its line."""
        of = self.lengths.get(section, 1)
        self.problems.append(problem_in(self.source, self.text, section, message, fix, nth, of))

    def sections(
        self, content: Mapping[str, Any], kind: str
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the sections ``[kind.NAME]``, or ``[[kind]]``, whose keys are as they should be."""
        listed = kind in ("question", "table")
        entries: Any = content.get(kind, [] if listed else {})
        fits = isinstance(entries, list) if listed else isinstance(entries, dict)
        if not fits:
            form = f"[[{kind}]]" if listed else f"[{kind}.NAME]"
            told = "stands in double brackets" if listed else "is a section with a name"
            self.note(kind, f"each {kind} {told}", f"Write {form}")
            return
        self.lengths[kind] = len(entries)
        names: list[str] = [""] * len(entries) if listed else list(entries)
        pairs = zip(names, entries if listed else entries.values(), strict=True)
        for nth, (name, keys) in enumerate(pairs):
            section = kind if listed else f"{kind}.{name}"
            if not isinstance(keys, dict):
                self.note(section, f"{section} is no section", f"Write [{section}]", nth)
                continue
            wrong = list(wrong_keys(keys, KEYS[kind], needed=NEEDED[kind]))
            for problem in wrong:
                self.note(section, f"{problem.message} (in {section})", problem.fix, nth)
            if not wrong:
                yield name, keys

    def scale(self, name: str, keys: Mapping[str, Any]) -> Scale:
        """Return a scale."""
        section = f"scale.{name}"
        items, turned = texts(keys["items"]), texts(keys.get("reversed"))
        weights = keys.get("weights", {})
        spans = {**self.settings, **keys}
        options = texts(keys.get("options"))
        if not options and "range" not in keys:
            options = texts(self.settings.get("levels"))
        ends = (1.0, float(len(options))) if options else ends_of(spans.get("range"))
        if "range" in keys and ends is None:
            self.note(
                section,
                f"range = {keys['range']!r} is not the lowest and the highest value",
                "[1, 7]",
            )
        for key, names in (("reversed", turned), ("weights", tuple(weights))):
            for item in [item for item in names if item not in items]:
                fix = meant(item, items)
                self.note(section, f"{key}: '{shorten(item)}' is none of its items", fix)
        if turned and ends is None and "range" not in spans:
            fix = "Write range = [LOW, HIGH], or options: reversed items count LOW + HIGH - value"
            self.note(section, "reversed: the scale has no range", fix)
        if any(weight <= 0 for weight in weights.values()):
            fix = "Name items that count the other way in reversed"
            self.note(section, f"weights = {dict(weights)} are not all above 0", fix)
        fewest = keys.get("fewest", len(items))
        if not 1 <= fewest <= len(items):
            self.note(section, f"fewest = {fewest} is not between 1 and {len(items)}, its items")
        return Scale(
            name=name,
            title=keys.get("title", name),
            items=items,
            turned=turned,
            weights=weights,
            ends=ends,
            options=options,
            fewest=fewest,
            total=keys.get("score") == "sum",
        )

    def contrast(self, name: str, keys: Mapping[str, Any]) -> ContrastPair:
        """Return a contrast."""
        section = f"contrast.{name}"
        first, *others = (*texts(keys["pair"]), "")
        if len(others) != 2:
            fix = "The first minus the second"
            self.note(section, f"pair = {keys['pair']} is not two labels", fix)
        smallest = keys.get("smallest_effect")
        if smallest is not None and not 0 < smallest < float("inf"):
            self.note(section, f"smallest_effect = {smallest} is a size, a number above 0")
        return ContrastPair(
            name=name,
            column=keys["column"],
            pair=(first, others[0]),
            expect=keys.get("expect", ""),
            smallest_effect=smallest,
        )

    def question(self, keys: Mapping[str, Any]) -> StudyQuestion:
        """Return a question; keys that are not those of `QUESTION_KEYS` are options of its metric."""
        lists = {key: texts(keys.get(key)) for key in ("scales", "average", "where", "terms")}
        options = {key: value for key, value in keys.items() if key not in QUESTION_KEYS}
        return StudyQuestion(
            id=keys["id"],
            ask=keys.get("ask", ""),
            metric=keys["metric"].replace("-", "_"),
            contrast=keys.get("contrast", ""),
            each=texts(keys["each"]) if "each" in keys else None,
            options=options,
            **lists,
        )

    def grid(self, keys: Mapping[str, Any]) -> CellGrid:
        """Return a table."""
        rows = texts(keys["rows"])
        columns = keys.get("columns", "")
        sides = ", ".join(rows) + (f" by {columns}" if columns else "")
        return CellGrid(
            name=keys.get("name", f"{keys['question']}-{columns or rows[-1]}"),
            title=keys.get("title", sides),
            question=keys["question"],
            rows=rows,
            columns=columns,
            cell=keys.get("cell", "interval"),
        )

    def parts(self) -> dict[str, tuple[str, ...]]:
        """Return the columns of each part."""
        columns = {part: texts(names) for part, names in self.settings.get("map", {}).items()}
        columns["cluster"] = (*columns.get("cluster", ()), *texts(self.settings.get("cluster")))
        if "item" in columns and not {"unit", "value"} <= columns.keys():
            fix = "Name the columns of unit and value too"
            self.note("data", "map: item is for a table with a row for each item", fix)
        for part, names in columns.items():
            if part not in PARTS:
                fix = f"{meant(part, PARTS)}Parts: {', '.join(PARTS)}"
                self.note("data", f"map: a study of your own has no part '{shorten(part)}'", fix)
            if part in LONE_PARTS and len(names) > 1:
                self.note("data", f"map: {part} = {list(names)} is more than one column")
        return {part: names for part, names in columns.items() if names}

    def check_settings(self) -> None:
        """Note keys that a study with questions of its own does not look at, a bad range, and a file elsewhere."""
        for key in [key for key in self.settings if key not in ALLOWED]:
            fix = "Write it into a question, if its metric has such an option"
            self.note("data", f"{key} has no effect on a study with questions of its own", fix)
        span = self.settings.get("range")
        if span is not None and ends_of(span) is None:
            self.note("data", f"range = {span!r} is not the lowest and the highest value", "[1, 7]")
        for key in ("file", "people"):
            path = PurePath(str(self.settings.get(key, "")))
            if path.is_absolute() or ".." in path.parts:
                fix = "Name the table in the command"
                self.note("data", f"{key} = '{path}' lies outside the folder", fix)

    def check_names(
        self,
        questions: Sequence[StudyQuestion],
        grids: Sequence[CellGrid],
        scales: Sequence[Scale],
        contrasts: Sequence[ContrastPair],
    ) -> None:
        """Note names of scales, contrasts and questions that nothing declares, and ids that stand twice."""
        ids = [question.id for question in questions]
        scale_names = [scale.name for scale in scales]
        contrast_names = [contrast.name for contrast in contrasts]
        for nth, question in enumerate(questions):
            if ids.count(question.id) > 1:
                self.note("question", f"id = '{shorten(question.id)}' stands there twice", "", nth)
            for name in [name for name in question.scales if name not in scale_names]:
                fix = nearest_of(name, scale_names)
                self.note("question", f"scales: no [scale.{shorten(name)}]", fix, nth)
            if question.contrast and question.contrast not in contrast_names:
                fix = nearest_of(question.contrast, contrast_names)
                self.note(
                    "question", f"contrast: no [contrast.{shorten(question.contrast)}]", fix, nth
                )
        tables = [grid.name for grid in grids]
        for nth, grid in enumerate(grids):
            if grid.name in tables[:nth]:
                message = f"name = '{shorten(grid.name)}' is that of an earlier table"
                self.note("table", message, "Write another name for one of them", nth)
            if grid.question not in ids:
                message = f"question = '{shorten(grid.question)}' is the id of no question"
                self.note("table", message, nearest_of(grid.question, ids), nth)


def ends_of(span: Any) -> tuple[float, float] | None:
    """Return the two numbers of a range; None where it is no range.

    Examples
    --------
    >>> ends_of([1, 7]), ends_of([7, 1]), ends_of(None)
    ((1.0, 7.0), None, None)
    """
    if not isinstance(span, list) or len(span) != 2:
        return None
    numbers = [value for value in span if isinstance(value, int | float)]
    if len(numbers) != 2 or not numbers[0] < numbers[1]:
        return None
    return float(numbers[0]), float(numbers[1])

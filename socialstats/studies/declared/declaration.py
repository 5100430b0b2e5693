"""What a study of a user's own declares: parts of columns, scales, contrasts, questions and tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from socialstats.errors import InputError, Problem
from socialstats.studies.grids import Cell
from socialstats.tables import Table
from socialstats.tables.toml_files import problem_in
from socialstats.text import meant, quoted, shorten

Texts = tuple[str, ...]
SCALE = "scale"  # what a question calls the scales, beside columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """A scale or trait: the weighted mean of its items.

    Attributes
    ----------
    name, title : str
    items : tuple of str
        Columns, or labels of the column of items.
    turned : tuple of str
        Items that are worded the other way: low + high - value counts.
    weights : mapping of str to float
        Of items; 1 for the others.
    ends : pair of float, or None
        The lowest and the highest value that an item can have.
    options : tuple of str
        Labels of the values in order, which stand for 1, 2, ...
    fewest : int
        Items that must have a value. An answer with fewer has no score.
    total : bool
        Whether the score is the mean times the sum of the weights.
    """

    name: str
    title: str
    items: Texts
    turned: Texts = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    ends: tuple[float, float] | None = None
    options: Texts = ()
    fewest: int
    total: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastPair:
    """Two labels of a column: the first minus the second, and the direction that is expected."""

    name: str
    column: str
    pair: tuple[str, str]
    expect: Literal["", "greater", "less"] = ""
    smallest_effect: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyQuestion:
    """One metric of the library with its options, asked once in each cell.

    Attributes
    ----------
    id, ask : str
        Its short name, and the question in words.
    metric : str
    scales : tuple of str
        Those that it is about; empty: all.
    contrast : str
    each : tuple of str or None
        Columns (and ``scale``) in whose cells it is asked; None: those that are used in no other way.
    average : tuple of str
        Columns over whose labels values are averaged within a unit.
    where : tuple of str
        Rows that it is about: COLUMN=VALUE.
    terms : tuple of str
        Rows of the metric's result that the page shows; empty: the leading one.
    options : mapping
        Options of the metric, and further keywords that read its table.
    """

    id: str
    ask: str
    metric: str
    scales: Texts = ()
    contrast: str = ""
    each: Texts | None = None
    average: Texts = ()
    where: Texts = ()
    terms: Texts = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CellGrid:
    """A table with cells of a question: what its rows and its columns are, and what stands in a cell."""

    name: str
    title: str
    question: str
    rows: Texts
    columns: str = ""
    cell: Cell = "interval"


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """A study as declared.

    Attributes
    ----------
    name, title : str
    parts : mapping of str to tuple of str
        Part -> columns: unit, source, kind, rater, repeat, condition, item, value, cluster.
    reading : mapping
        Further settings of how a table is read: ``levels``, ``na``, ``refusal``, ``missing``.
    scales, contrasts, questions : mapping of name to Scale, ContrastPair, StudyQuestion
    grids : tuple of CellGrid
    collect : mapping
        What is asked: keys of a run file of ``socialstats collect``, as they are.
    status : {"exploratory", "confirmatory"}
    source, text : str
        The file and its content, for messages.
    """

    name: str
    title: str
    parts: Mapping[str, Texts] = field(default_factory=dict)
    reading: Mapping[str, Any] = field(default_factory=dict)
    scales: Mapping[str, Scale] = field(default_factory=dict)
    contrasts: Mapping[str, ContrastPair] = field(default_factory=dict)
    questions: Mapping[str, StudyQuestion] = field(default_factory=dict)
    grids: tuple[CellGrid, ...] = ()
    collect: Mapping[str, Any] = field(default_factory=dict)
    status: Literal["exploratory", "confirmatory"] = "exploratory"
    source: str = ""
    text: str = ""

    @property
    def levels(self) -> Texts:
        """The labels of values in order, where the file declares them."""
        return tuple(texts_in(self.reading.get("levels")))

    @property
    def items(self) -> Texts:
        """The items of all scales, each once."""
        every = (item for scale in self.scales.values() for item in scale.items)
        return tuple(dict.fromkeys(every))

    def scale_of(self, item: str | None) -> Scale | None:
        """Return the first scale that has an item; None where none has."""
        return next((scale for scale in self.scales.values() if item in scale.items), None)

    def of(self, part: str) -> Texts:
        """Return the columns that play a part."""
        return self.parts.get(part, ())

    def wrong(
        self, section: str, message: str, fix: str = "", nth: int = 0, of: int = 1
    ) -> Problem:
        """Return a problem of a section with its line in the file."""
        return problem_in(self.source, self.text, section, message, fix, nth, of)

    def wrong_in_question(self, question: StudyQuestion, message: str, fix: str = "") -> Problem:
        """Return a problem of a question with its line in the file."""
        nth = list(self.questions).index(question.id)
        named = f"{message} (question '{question.id}')"
        return self.wrong("question", named, fix, nth, len(self.questions))

    def columns(self, table: Table) -> Texts:
        """Return the columns that the study names, but for those of items and values: what tells answers apart."""
        named = [name for part, names in self.parts.items() if part != "value" for name in names]
        named += [contrast.column for contrast in self.contrasts.values()]
        for question in self.questions.values():
            named += [*(question.each or ()), *question.average]
            named += [entry.partition("=")[0] for entry in question.where]
            named += texts_in([*question.options.values()])
        values = {*self.items, *self.of("item"), *self.of("value")}
        return tuple(name for name in table.columns if name in named and name not in values)


def texts_in(value: Any) -> list[str]:
    """Return the texts of an option: one, several, or none."""
    if isinstance(value, list | tuple):
        return [text for inner in value for text in texts_in(inner)]
    return [value] if isinstance(value, str) else []


def check_columns(declaration: Declaration, table: Table) -> None:
    """Refuse columns and labels that the table has not.

    Raises
    ------
    InputError
        With a problem for each, and its line in the file.
    """
    problems = [
        declaration.wrong(
            section, f"{key}: '{shorten(name)}' is no {what}", nearest_of(name, available)
        )
        for section, key, names, what, available in names_of_table(declaration, table)
        for name in names
        if name not in available
    ]
    available = (*table.columns, *([SCALE] if declaration.scales else []))
    for question in declaration.questions.values():
        selected = [entry.partition("=")[0] for entry in question.where]
        for key, names in (
            ("each", question.each or ()),
            ("average", question.average),
            ("where", selected),
        ):
            problems += [
                declaration.wrong_in_question(
                    question,
                    f"{key}: '{shorten(name)}' is no column of {table.source}",
                    nearest_of(name, available),
                )
                for name in names
                if name not in available
            ]
    if problems:
        raise InputError(problems)


def names_of_table(
    declaration: Declaration, table: Table
) -> Iterator[tuple[str, str, Texts, str, Texts]]:
    """Yield what sections name of a table: section, key, names, what they are, and those that there are."""
    column = f"column of {table.source}"
    for part, names in declaration.parts.items():
        yield "data", f"map: {part}", names, column, table.columns
    item = next(iter(declaration.of("item")), "")
    labels = table.levels(item) if item in table.columns else table.columns
    what = f"label of '{item}'" if item else column
    for scale in declaration.scales.values():
        yield f"scale.{scale.name}", "items", scale.items, what, labels
    for contrast in declaration.contrasts.values():
        section = f"contrast.{contrast.name}"
        yield section, "column", (contrast.column,), column, table.columns
        if contrast.column in table.columns:
            what = f"label of '{contrast.column}'"
            yield section, "pair", contrast.pair, what, table.levels(contrast.column)


def nearest_of(name: str, available: Collection[str]) -> str:
    """Return the nearest name, and what there is."""
    return f"{meant(name, available)}There are {quoted([*available], 12) or 'none'}"

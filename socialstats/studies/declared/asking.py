"""One question of a declared study: its metric, called in each of its cells with the columns that the study names."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from socialstats.designs.calls import Reader, keywords
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.groups import Groups
from socialstats.designs.levels import sort_labels
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.designs.terms import names_only
from socialstats.errors import InputError, NothingToAnalyse, SocialStatsError, UndefinedStatistic
from socialstats.registry import Metric
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.rows import RowKey
from socialstats.studies.declared.declaration import (
    SCALE,
    ContrastPair,
    Declaration,
    StudyQuestion,
    nearest_of,
    texts_in,
)
from socialstats.studies.declared.scoring import ROW, Scored
from socialstats.studies.estimates import NULLS
from socialstats.studies.page import StudyOptions, reason_of
from socialstats.studies.row_picking import name_rows
from socialstats.tables import Table, rows_where, with_joint
from socialstats.tables.toml_files import toml_value
from socialstats.text import listing, quoted, shorten
from socialstats.voice import NO_VALUE, Word, speaking

MOST_CELLS = 200
SCORES = {"ratings": "interval", "paired": "numeric", "groups": "numeric"}  # scales of scores
SPLITS = ("by",)  # keywords that split a table, which each does
# readers of metrics that do not name theirs
READERS: dict[str, Reader] = {
    "comparisons": Comparisons,
    "groups": Groups,
    "paired": Paired,
    "ratings": Ratings,
}
BETWEEN = " / "  # labels of a cell, which may hold commas
Cell = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What came out of a question.

    Attributes
    ----------
    question : StudyQuestion
    metric : Metric
    contrast : ContrastPair or None
    dimensions : tuple of str
        What its cells differ in.
    titles : mapping of str to str
        What the page calls scales.
    results : mapping of cell to Result
        A cell has a label of each dimension.
    lost : mapping of cell to str
        Why other cells have no result.
    averaged : tuple of str
        Columns over whose labels the values of a unit were averaged, such as raters and repeats.
    of_one_source : bool
        Each cell has the answers of one source.
    """

    question: StudyQuestion
    metric: Metric
    contrast: ContrastPair | None
    dimensions: tuple[str, ...]
    titles: Mapping[str, str]
    results: Mapping[Cell, Result]
    lost: Mapping[Cell, str]
    averaged: tuple[str, ...] = ()
    of_one_source: bool = False

    def name(self, cell: Cell) -> str:
        """Name a cell by its labels, scales by their titles."""
        return BETWEEN.join(self.labels(cell).values())

    def labels(self, cell: Cell) -> dict[str, str]:
        """Return the label of a cell in each dimension, scales by their titles."""
        named = dict(zip(self.dimensions, cell, strict=True))
        if SCALE in named:
            named[SCALE] = self.titles.get(named[SCALE], named[SCALE])
        return named

    def rows(self) -> list[Row]:
        """Return the rows that the page shows: their keys have the labels of the page, and their terms are names."""
        keyed = []
        for cell, result in self.results.items():
            for row in leading_rows(result, self.question.terms):
                # rows of a cell are told apart by their terms or by their own keys
                further = {"term": row.term} if self.question.terms else dict(row.key)
                if self.of_one_source:
                    # the metric knows no name of it
                    further.pop("source", None)
                labels = self.labels(cell)
                keyed.append(replace(row, key=tuple((labels | further | labels).items())))
        names = name_rows(keyed)
        return [
            replace(row, term=name, group=None, by=None)
            for row, name in zip(keyed, names, strict=True)
        ]

    @property
    def null(self) -> float:
        """The value of the question's numbers where nothing differs, such as 1 of ratios."""
        first = next(iter(self.results.values()))
        return NULLS.get(leading_rows(first, self.question.terms)[0].term, 0.0)


def leading_rows(result: Result, terms: Sequence[str]) -> list[Row]:
    """Return the rows of some terms, or the first row and those that say the same of other items or levels.

    These have its role and the dimensions of its key, and keys of their own.
    """
    if terms:
        return [result.row(term) for term in terms]
    first = result.rows[0]
    dimensions = [name for name, _ in first.key]
    rows: dict[RowKey, Row] = {}
    for row in result.rows:
        if row.role == first.role and [name for name, _ in row.key] == dimensions:
            rows.setdefault(row.key, row)
    return list(rows.values())


def ask(
    question: StudyQuestion,
    metric: Metric,
    data: Scored,
    declaration: Declaration,
    options: StudyOptions,
) -> Answered:
    """Answer a question.

    Raises
    ------
    InputError
        For options that the metric has not, columns that the question says nothing of, and what the metric refuses in
        each cell.
    """
    raw = "value" in question.options
    table = data.answers if raw else data.scores
    value = question.options["value"] if raw else data.value
    scored = not raw and bool(declaration.scales)
    if "unit" in question.options:
        units = unjoined_columns(question.options["unit"], table)
        question = replace(question, options={**question.options, "unit": units})
    call = Call(question, metric, declaration, options, scored=scored)
    results: dict[Cell, Result] = {}
    lost: dict[Cell, str] = {}
    first: SocialStatsError | None = None

    def written_option(name: str, value: Any = NO_VALUE, typed: str = "") -> str:
        # a metric knows the column that was made of several
        return as_written(name, unjoined_columns(value, table) if name == "unit" else value, typed)

    # a file is data: its formulas hold columns and functions of the grammar, and no Python
    with speaking(written_option), names_only():
        for cell, part in cells(question, table, call.dimensions, declaration):
            try:
                results[cell] = call.result(part, value)
            except (NothingToAnalyse, UndefinedStatistic) as error:
                lost[cell] = reason_of(error)
                first = first or error
            except SocialStatsError as error:
                raise call.refused(error, cell) from None
        if first is not None and not results:
            raise call.refused(first, next(iter(lost)))
        levels = call.levels_of_cells(results)
        if levels:
            for cell, part in cells(question, table, call.dimensions, declaration):
                if cell in results:
                    results[cell] = call.result(part, value, levels)
    results = {cell: with_cell(result, call.dimensions, cell) for cell, result in results.items()}
    return Answered(
        question=question,
        metric=metric,
        contrast=declaration.contrasts.get(question.contrast),
        dimensions=call.dimensions,
        titles={name: scale.title for name, scale in declaration.scales.items()},
        results=results,
        lost=lost,
        averaged=call.averaged(),
        of_one_source=not {*declaration.of("source")}.isdisjoint(call.dimensions),
    )


def with_cell(result: Result, dimensions: Sequence[str], cell: Cell) -> Result:
    """Return a result whose rows say their cell in their key, beside the labels that the metric gave them."""
    rows = []
    for row in result.rows:
        labels = {name for name, _ in row.key}
        added = [pair for pair in zip(dimensions, cell, strict=True) if pair[0] not in labels]
        rows.append(replace(row, key=(*row.key, *added)))
    return replace(result, rows=tuple(rows))


def as_written(name: str, value: Any = NO_VALUE, typed: str = "") -> str:
    """Name an option as a study's file writes it; of repeats, the columns that tell the answers apart.

    Examples
    --------
    >>> as_written("repeat", True), as_written("levels", ["no", "yes"]), as_written("unit")
    ('repeat = ["COLUMN"]', 'levels = ["no", "yes"]', 'unit')
    """
    if value is None or value is NO_VALUE:
        return name
    if name == "repeat" and value is True:
        value = ["COLUMN"]
    return f"{name} = {value if isinstance(value, Word) else toml_value(value)}"


def unjoined_columns(unit: Any, table: Table) -> Any:
    """Return columns of units, with the single columns in place of a name that joins several by commas.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> unjoined_columns(["item,run", "rater"], as_table({"item": ["a"], "run": [1], "rater": ["r"]}))
    ['item', 'run', 'rater']
    """
    names: list[str] = []
    for name in texts_in(unit):
        parts = [part.strip() for part in name.split(",")]
        names += parts if name not in table.columns and {*parts} <= {*table.columns} else [name]
    return names if len(names) > len(texts_in(unit)) else unit


def cells(
    question: StudyQuestion, table: Table, dimensions: Sequence[str], declaration: Declaration
) -> list[tuple[Cell, Table]]:
    """Return the rows of each cell of a question, the cells in the order of the declaration and of labels.

    Raises
    ------
    InputError
        For too many cells.
    """
    for entry in question.where:
        column, _, label = entry.partition("=")
        table = rows_where(table, column, label)[0]
    parts: list[tuple[Cell, Table]] = [((), table)]
    for name in dimensions:
        labels = table.levels(name)
        if name == SCALE:
            asked_of = question.scales or labels
            labels = tuple(x for x in declaration.scales if x in labels and x in asked_of)
        if len(parts) * len(labels) > MOST_CELLS:
            message = f"each = {list(dimensions)} makes more than {MOST_CELLS} cells"
            fix = "Leave a column out, or choose rows with where"
            raise InputError(declaration.wrong_in_question(question, message, fix))
        split = []
        for cell, part in parts:
            for label in labels:
                with suppress(NothingToAnalyse):
                    split.append(((*cell, label), rows_where(part, name, label)[0]))
        parts = split
    return parts


class Call:
    """The call of a question's metric: which columns play which part, and what each cell is a cell of."""

    def __init__(
        self,
        question: StudyQuestion,
        metric: Metric,
        declaration: Declaration,
        options: StudyOptions,
        *,
        scored: bool,
    ) -> None:
        self.question = question
        self.metric = metric
        self.declaration = declaration
        parameters = inspect.signature(metric.function).parameters
        readers = vars(metric.function).get("readers")
        if not readers:
            readers = [READERS[metric.design]] if metric.design in READERS else []
        self.read = {key for reader in readers for key in keywords(reader)}
        self.options = {name for name, p in parameters.items() if p.kind is not p.VAR_KEYWORD}
        self.refuse_unknown()
        self.fixed = options.chosen_for(metric.function) | dict(question.options)
        self.scored = scored
        self.compared = self.contrast_keywords()
        self.dimensions = self.cells_of()
        self.parts = self.part_keywords()

    def refuse_unknown(self) -> None:
        """Refuse options that neither the metric nor the readers of its table know."""
        for name in self.question.options:
            allowed = (self.options | self.read) - {*SPLITS}
            if name not in allowed:
                message = f"{name}: {self.metric.name} has no such option"
                fix = "Write each = [...]" if name in SPLITS else nearest_of(name, sorted(allowed))
                raise self.wrong(message, fix)

    def contrast_keywords(self) -> dict[str, Any]:
        """Return the keywords of the two labels that are compared.

        Raises
        ------
        InputError
            For a metric that compares no two labels, or lacks them.
        """
        question = self.question
        condition, pair = (
            ("condition", "conditions") if "condition" in self.read else ("group", "groups")
        )
        compares = pair in self.read
        if not question.contrast:
            lacking = compares and not {condition, "first"} & question.options.keys()
            if lacking:
                message = (
                    f"metric: {self.metric.name} compares two labels, and there is no contrast"
                )
                named = quoted([*self.declaration.contrasts], 12)
                fix = f"Write contrast = {named}" if named else "Declare one: [contrast.NAME]"
                raise self.wrong(message, fix)
            return {}
        if not compares:
            message = f"contrast: {self.metric.name} compares no two labels of a column"
            fix = "Metrics that do: paired_difference, mcnemar, two_means, two_proportions"
            raise self.wrong(message, fix)
        contrast = self.declaration.contrasts[question.contrast]
        return {condition: contrast.column, pair: contrast.pair}

    def cells_of(self) -> tuple[str, ...]:
        """Return what each cell is a cell of: as the question says, or what it does not use otherwise.

        Raises
        ------
        InputError
            For a source, condition or scale that the question neither fixes, compares nor averages.
        """
        declaration, question = self.declaration, self.question
        used = {*question.average, *self.columns_in_options()}
        used |= {entry.partition("=")[0] for entry in question.where}
        used |= {self.compared.get("condition", ""), self.compared.get("group", "")}
        sources = declaration.of("source")
        if question.each is None and self.rater(()) in sources:
            used |= {*sources}
        dimensions = [*([SCALE] if self.scored else []), *sources]
        dimensions += declaration.of("condition")
        dimensions += [contrast.column for contrast in declaration.contrasts.values()]
        open_ones = tuple(name for name in dict.fromkeys(dimensions) if name not in used)
        if question.each is None:
            return open_ones
        rater = self.rater(question.each)
        if self.metric.raters == "models" and sources and rater not in sources:
            self.refuse_cells_of_models(question.each)
        silent = [name for name in open_ones if name not in question.each and name != rater]
        if silent:
            message = f"each says nothing of {listing([shorten(name) for name in silent])}"
            fix = f"Add {quoted(silent)} to each{'' if SCALE in silent else ', or to average'}"
            raise self.wrong(message, fix)
        return question.each

    def refuse_cells_of_models(self, each: Sequence[str]) -> None:
        """Refuse cells of one source each where the metric compares sources, unless the question names raters."""
        if "rater" in self.question.options:
            return
        sources = [name for name in self.declaration.of("source") if name in each]
        message = f"each: {self.metric.name} compares the labels of {quoted(sources)}"
        raise self.wrong(message, f"Leave {quoted(sources)} out of each")

    def rater(self, dimensions: Sequence[str]) -> str | None:
        """Return the column of raters: the one declared, or that of the sources where no cell fixes these.

        Sources come first where the metric ranks models. They are no raters where it would pool their answers.
        """
        declaration, options = self.declaration, self.question.options
        if "rater" not in self.read:
            return None
        if "rater" in options:
            return next(iter(texts_in(options["rater"])), None)
        units = texts_in(options.get("unit"))
        declared = [name for name in declaration.of("rater") if name not in units]
        sources = [name for name in declaration.of("source") if name not in dimensions]
        if self.metric.raters == "models":
            return next(iter((*sources, *declared)), None)
        told_apart = {"source", "rater_source"} & options.keys()
        if self.metric.raters == "pooled" and not told_apart:
            sources = []
        return next(iter((*declared, *sources)), None)

    def columns_in_options(self) -> set[str]:
        """Return the texts among the options of a question, which may be columns."""
        return {*texts_in([*self.question.options.values()])}

    def part_keywords(self) -> dict[str, Any]:
        """Return the columns of the parts that the metric's reader knows, where the question names no others."""
        declaration, question = self.declaration, self.question
        unit = declaration.of("unit") or ((ROW,) if self.scored else ())
        columns: dict[str, Any] = {
            "unit": unit[0] if len(unit) == 1 else list(unit),
            "cluster": list(declaration.of("cluster")),
        }
        joint = texts_in(question.options.get("unit"))
        if len(joint) > len(unit) and {*unit} < {*joint} and not declaration.of("cluster"):
            # answers to one unit depend on each other
            columns["cluster"] = list(unit)[:1]
        repeats = [*declaration.of("repeat"), *question.average]
        rater = self.rater(self.dimensions)
        if "rater" in self.read:
            columns["rater"] = False if rater is None else rater
            # a source is of one kind
            has_one_kind = {*declaration.of("source"), *declaration.of("kind")} & {*self.dimensions}
            kind = None if has_one_kind else next(iter(declaration.of("kind")), None)
            columns["rater_source"] = kind
        if rater is not None or "rater" not in question.options:
            repeats += [name for name in declaration.of("rater") if name != rater]
        used = {*joint, *self.compared.values()} if joint else set()
        columns["repeat"] = [name for name in dict.fromkeys(repeats) if name not in used]
        if self.scored:
            columns["scale"] = SCORES.get(self.metric.design)
        if not self.scored:
            columns |= declaration.reading
        elif "missing" in declaration.reading:
            columns["missing"] = declaration.reading["missing"]
        allowed = self.read | self.options
        return {
            key: value
            for key, value in columns.items()
            if key in allowed and value not in (None, [], ())
        }

    def averaged(self) -> tuple[str, ...]:
        """Return the columns over whose labels the values of a unit are averaged."""
        arguments = {**self.parts, **self.fixed}
        columns = texts_in(arguments.get("repeat"))
        if self.scored and self.metric.raters == "pooled":
            columns += texts_in(arguments.get("rater"))
        return tuple(columns)

    def levels_of_cells(self, results: Mapping[Cell, Result]) -> Sequence[str]:
        """Return the levels that occur in any cell, where the leading rows are of levels and cells have different ones.

        A level that a cell lacks has a number there too, such as a share of 0. Declared levels are those of each cell.
        """
        occur = [
            {row.label("level") or "" for row in leading_rows(result, self.question.terms)}
            for result in results.values()
        ]
        every = set[str]().union(*occur) - {""}
        if "levels" in {**self.parts, **self.fixed} or all(levels == every for levels in occur):
            return ()
        return sort_labels(every) if "levels" in self.read else ()

    def result(self, table: Table, value: str, levels: Sequence[str] = ()) -> Result:
        """Return the result of one cell; `levels` are those of all cells, where they are not declared."""
        arguments = {**self.parts, **self.compared, "value": value, **self.fixed}
        if levels:
            arguments["levels"] = list(levels)
        if "value" not in self.read or "first" in arguments:
            del arguments["value"]
        if len(texts_in(arguments.get("unit"))) > 1:
            table, arguments["unit"] = with_joint(table, arguments["unit"])
        result = self.metric.function(self.without_unnamed(table, arguments), **arguments)
        if isinstance(result, ResultGroup):
            raise InputError(f"{self.metric.name} has several results. Write each = [...]")
        return result

    def without_unnamed(self, table: Table, arguments: Mapping[str, Any]) -> Table:
        """Return a table without sources, conditions and scales that the call does not name: they are no clusters."""
        declared = {SCALE, *self.declaration.of("source"), *self.declaration.of("condition")}
        declared |= {contrast.column for contrast in self.declaration.contrasts.values()}
        named = {*texts_in([*arguments.values()])}
        columns = tuple(name for name in table.columns if name in named or name not in declared)
        return replace(table, data=table.frame.select(*columns), columns=columns)

    def refused(self, error: SocialStatsError, cell: Cell) -> InputError:
        """Return an error of the metric as one of the question."""
        where = f"in {', '.join(cell)}: " if cell else ""
        message = f"{self.metric.name}: {where}{str(error).rstrip('.')}"
        return self.wrong(message)

    def wrong(self, message: str, fix: str = "") -> InputError:
        """Return an error of the question, with its line in the file."""
        return InputError(self.declaration.wrong_in_question(self.question, message, fix))

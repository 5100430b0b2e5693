"""The page of a declared study: a block for each question, the tables that it asks for, and what the scales are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from socialstats import sentences
from socialstats.errors import InputError
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.registry import Metric
from socialstats.results import Result, Row
from socialstats.studies.asking import ask_result, ask_rows, page_of
from socialstats.studies.declared.asking import BETWEEN, Answered, ask
from socialstats.studies.declared.declaration import (
    SCALE,
    CellGrid,
    ContrastPair,
    Declaration,
    nearest_of,
)
from socialstats.studies.declared.scoring import Scored, score_table
from socialstats.studies.estimates import extremes
from socialstats.studies.grids import (
    Labelled,
    TableLayout,
    dimensions_of,
    labelled_rows,
    layout_table,
)
from socialstats.studies.page import Block, Outcome, PageTable, StudyOptions
from socialstats.studies.plan import Examined, Hypothesis, findings_of, tests_of, with_findings
from socialstats.studies.row_figures import interval_points
from socialstats.studies.row_sentences import largest_sentence, span_sentence
from socialstats.studies.verdicts import LABEL, Conclusion, higher_in_cells, shown_side, verdict_of
from socialstats.tables import Table
from socialstats.text import as_given, capital, count, listing, percent_of, quoted, shorten

MOST_NAMED = 3  # cells that a sentence names
MOST_ANSWERS = 3  # questions in the answer of the page


def answer_questions(
    table: Table,
    declaration: Declaration,
    options: StudyOptions,
    metrics: Mapping[str, Metric],
    names: Sequence[str] | None = None,
) -> tuple[Scored, dict[str, Answered]]:
    """Return the scores of a table, and what came out of each question, or of those that `names` has.

    Raises
    ------
    InputError
        For metrics that do not exist, and as `score_table` and `ask`.
    """
    problems = [
        declaration.wrong_in_question(
            question,
            f"metric = '{shorten(question.metric)}' is no metric",
            nearest_of(question.metric, metrics),
        )
        for question in declaration.questions.values()
        if question.metric not in metrics
    ]
    if problems:
        raise InputError(problems)
    data = score_table(table, declaration)
    answered = {
        name: ask(question, metrics[question.metric], data, declaration, options)
        for name, question in declaration.questions.items()
        if names is None or name in names
    }
    return data, answered


def study_outcome(
    table: Table,
    declaration: Declaration,
    options: StudyOptions,
    metrics: Mapping[str, Metric],
    hypotheses: Sequence[Hypothesis] = (),
) -> tuple[Outcome, tuple[str, ...]]:
    """Return the page of a declared study, and its planned tests that were not run.

    Parameters
    ----------
    table : Table
    declaration : Declaration
    options : StudyOptions
    metrics : mapping of str to Metric
    hypotheses : sequence of Hypothesis
        Those of the file, each of a question. What contrasts expect is added.
    """
    data, answered = answer_questions(table, declaration, options, metrics)
    answers = list(answered.values())
    planned = list(hypotheses)
    tested = {hypothesis.question for hypothesis in hypotheses}
    for answer in answers:
        if answer.contrast and answer.contrast.expect and answer.question.id not in tested:
            planned.append(expected_direction(answer, answer.contrast, declaration))
    tests, problems = planned_tests(planned, answered)
    findings = findings_of(tests, problems, options)
    compared = [compare_cells(answer, findings.tests) for answer in answers]
    blocks = [block_of(cells, declaration) for cells in compared]
    opening = opening_question(compared)
    checked: dict[str, Result] = {}
    for answer, block in zip(answers, blocks, strict=True):
        names = [*map(answer.name, answer.results), "all cells"]
        checked |= {
            f"{block.id}: {name}": result
            for name, result in zip(names, block.results, strict=False)
        }
    outcome = page_of(
        declaration.name,
        declaration.title,
        data,
        options,
        describe=describe_study(data, declaration),
        verdict=conclusion_of(opening),
        answer=[
            text
            for answer, block in zip(answers[:MOST_ANSWERS], blocks, strict=False)
            for text in (*block.sentences[:1], *lost_sentences(answer))
        ],
        leading=checked,
        blocks=blocks,
        uses=("level", "seed", "resamples", "verify"),
        data=scale_tables(declaration),
        methods=methods_paragraphs(answers, declaration, options),
        opening=opening.answer.question.id,
    )
    if not planned:
        return outcome, ()
    return with_findings(outcome, findings, planned, options, all_asked=True)


def expected_direction(
    answer: Answered, contrast: ContrastPair, declaration: Declaration
) -> Hypothesis:
    """Return the hypothesis of a question whose contrast expects a direction."""
    question = answer.question
    side = "above" if contrast.expect == "greater" else "below"
    return Hypothesis(
        id=question.id,
        text=f"'{contrast.pair[0]}' lies {side} '{contrast.pair[1]}'",
        metric=question.metric,
        question=question.id,
        terms=question.terms,
        alternative=contrast.expect or "two-sided",
        smallest_effect=contrast.smallest_effect,
        family=question.id,
        status=declaration.status,
    )


def planned_tests(
    hypotheses: Sequence[Hypothesis], answered: Mapping[str, Answered]
) -> tuple[list[Examined], dict[str, str]]:
    """Return the test of each hypothesis in each cell of its question, and why others have none."""
    tests: list[Examined] = []
    problems: dict[str, str] = {}
    for hypothesis in hypotheses:
        answer = answered[hypothesis.question]
        by_name = {answer.name(cell): result for cell, result in answer.results.items()}
        names = [name for name in by_name if hypothesis.by in (None, name)]
        if not names:
            problems[hypothesis.id] = f"no cell '{hypothesis.by}'; cells: {quoted([*by_name], 8)}"
        for name in names:
            try:
                for test in tests_of(hypothesis, by_name[name], []):
                    label = f"{test.label}: {name}" if name else test.label
                    tests.append(replace(test, label=label))
            except InputError as error:
                problems[hypothesis.id] = str(error)
    return tests, problems


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionCells:
    """What came out of a question, and what its tests show.

    Attributes
    ----------
    answer : Answered
    rows : tuple of Row
        Those of the page, with p adjusted over the question where no planned test is about them.
    adjusted : Result or None
    sides : mapping of cell to side
        Where the first label of a contrast lies in each cell: ``above`` or ``below`` the second, or what a planned
        test shows. Empty where nothing was tested.
    """

    answer: Answered
    rows: tuple[Row, ...]
    adjusted: Result | None
    sides: Mapping[str, str]


def compare_cells(answer: Answered, tests: Sequence[Examined]) -> QuestionCells:
    """Return what the tests of a question show: the planned ones where they are about all cells, else its own."""
    planned = {}
    for test in tests:
        if test.hypothesis.question == answer.question.id:
            planned[test.label.removeprefix(f"{test.hypothesis.id}: ")] = test.verdict
    # tests of some cells say nothing of the others
    if planned.keys() >= {*map(answer.name, answer.results)}:
        rows = tuple(answer.rows())
        return QuestionCells(answer=answer, rows=rows, adjusted=None, sides=planned)
    rows, adjusted = adjust_family_by_holm(answer.rows(), answer.question.id)
    tested = answer.contrast is not None and any(row.p_value is not None for row in rows)
    sides = {row.term: shown_side(row, answer.null) for row in rows if tested}
    return QuestionCells(answer=answer, rows=rows, adjusted=adjusted, sides=sides)


def block_of(cells: QuestionCells, declaration: Declaration) -> Block:
    """Return the block of a question: that of its result, or of the leading rows of its cells."""
    answer, rows = cells.answer, cells.rows
    question, contrast = answer.question, answer.contrast
    title = capital(answer.metric.title)
    if contrast is not None:
        title = f"{title}: {shorten(contrast.pair[0])} minus {shorten(contrast.pair[1])}"
    text = question.ask or f"{title}?"
    tested = any(row.p_value is not None for row in rows)
    block = ask_rows(
        question.id,
        text,
        answer.results,
        rows,
        quantity=title,
        say=summary_sentences(cells),
        draw=interval_points(answer.null if tested else None),
        units=True,
        results=cells.adjusted,
    )
    if len(answer.results) == 1:
        block = ask_result(question.id, next(iter(answer.results.values())), text)
        place = only_cell(answer)
        if block is not None and place:
            lines = [f"{place}: {line}" for line in block.sentences]
            block = replace(block, sentences=tuple(lines))
    assert block is not None
    tables = [
        paper_table(grid, answer, declaration)
        for grid in declaration.grids
        if grid.question == question.id
    ]
    lost = lost_sentences(answer)
    return replace(block, sentences=(*block.sentences, *lost), tables=(*tables, *block.tables))


def only_cell(answer: Answered) -> str:
    """Return the name of the only cell of a question that has a result; empty where there are several, or no cells."""
    return answer.name(next(iter(answer.results))) if len(answer.results) == 1 else ""


def lost_sentences(answer: Answered) -> list[str]:
    """State which cells of a question have no result, and why."""
    return [
        sentences.no_number(f"the result for {shorten(answer.name(cell), LABEL)}", why)
        for cell, why in answer.lost.items()
    ]


def summary_sentences(cells: QuestionCells) -> list[str]:
    """State what the rows of several cells show: which differ, or from where to where they lie."""
    contrast = cells.answer.contrast
    if contrast is None or not cells.sides:
        return [span_sentence(cells.rows, cells.answer.metric.title)]
    return [
        comparison_sentence(cells.sides, contrast),
        largest_sentence(cells.rows, (), null=cells.answer.null),
    ]


def comparison_sentence(sides: Mapping[str, str], contrast: ContrastPair) -> str:
    """State in how many cells the first label lies above or below the second.

    Examples
    --------
    >>> contrast = ContrastPair(name="c", column="c", pair=("new", "old"))
    >>> comparison_sentence({"a": "above", "b": "open", "c": "above"}, contrast)
    "'new' lay above 'old' in 2 of 3 cells (a and c). 1 is inconclusive."
    """
    first, second = (f"'{shorten(label, 30)}'" for label in contrast.pair)
    directions = {
        "above": f"{first} lay above {second}",
        "below": f"{first} lay below {second}",
        "equal": f"{first} and {second} were equivalent",
    }
    parts = []
    unclear = len(sides)
    for side, text in directions.items():
        names = [name for name, cell_side in sides.items() if cell_side == side]
        unclear -= len(names)
        if names:
            of = f"{count(len(names))} of {count(len(sides), 'cell')}"
            parts.append(f"{text} in {of} ({listing(names, MOST_NAMED)}).")
    if not parts:
        return f"The data do not show whether {first} lies above or below {second}."
    if unclear:
        parts.append(f"{count(unclear, 'is', 'are')} inconclusive.")
    return " ".join(parts)


def opening_question(compared: Sequence[QuestionCells]) -> QuestionCells:
    """Return the question whose answer opens the page: the first whose contrast was tested, else the first that was.

    Where nothing was tested, it is the first question of the file.
    """
    contrasts = [cells for cells in compared if cells.answer.contrast is not None and cells.sides]
    tested = [cells for cells in compared if has_tests(cells)]
    return next(iter((*contrasts, *tested, *compared)))


def has_tests(cells: QuestionCells) -> bool:
    """Return whether the results of a question have tests of differences."""
    results = cells.answer.results.values()
    rows = [row for result in results for row in result.rows if row.role == "difference"]
    return any(row.p_value is not None for row in rows)


def of_first_scale(cells: QuestionCells) -> tuple[str, tuple[Row, ...]]:
    """Return the title of the first scale of a question of several, and its rows; else no title, and all rows."""
    titles = list(dict.fromkeys(row.label(SCALE) or "" for row in cells.rows))
    if len(titles) < 2:
        return "", cells.rows
    return titles[0], tuple(row for row in cells.rows if row.label(SCALE) == titles[0])


def conclusion_of(cells: QuestionCells) -> Conclusion:
    """Return the sentence that opens a page: where the first label of a contrast lies, or the ends of all numbers.

    Ends are those of one scale: values of different scales are not compared.
    """
    answer = cells.answer
    if answer.contrast is not None and cells.sides:
        first, second = (f"for {shorten(label, LABEL)}" for label in answer.contrast.pair)
        titles = [answer.titles[name] for name in answer.question.scales or answer.titles]
        subject = f"{titles[0]} is" if len(titles) == 1 else "values are"
        return higher_in_cells([*cells.sides.values()], subject, first, second)
    scale, rows = of_first_scale(cells)
    title = shorten(answer.metric.title, LABEL)
    if scale:
        title = f"{title} of {shorten(scale, LABEL)}"
    elif only_cell(answer):
        title = f"{title} of {shorten(only_cell(answer), LABEL)}"
    ends = extremes(rows)
    if not ends:
        return verdict_of(f"The data do not show the {title}", certainty="open")
    low, high = ends
    if low is high:
        only = f"{title}: about {low.shown():.2g}; nothing was compared"
        return verdict_of(only, certainty="interval")
    high_name, low_name = (shorten(without_scale(row, scale), LABEL) for row in (high, low))
    places = f"{title}: highest for {high_name}, lowest for {low_name}"
    if has_tests(cells):
        return verdict_of(places, certainty="interval")
    return verdict_of(f"{places}; no difference was tested", certainty="open")


def without_scale(row: Row, scale: str) -> str:
    """Return the name of a row whose scale stands before it already."""
    labels = [label for name, label in row.key if name != SCALE]
    return BETWEEN.join(labels) if scale and labels else row.term


def paper_table(cells: CellGrid, answer: Answered, declaration: Declaration) -> PageTable:
    """Return a table whose cells are found by the labels of rows and columns.

    Raises
    ------
    InputError
        For a row or column that the question's cells do not differ in, and for one that the table says nothing of.
    """
    pairs = labelled_rows(answer.rows())
    grid = TableLayout(
        name=cells.name,
        caption=cells.title,
        rows=cells.rows,
        columns=cells.columns,
        cell=cells.cell,
        headings={name: name for name in cells.rows},
    )
    dimensions = dimensions_of(pairs)
    nth, of = declaration.grids.index(cells), len(declaration.grids)
    for name in [name for name in grid.sides if name not in dimensions]:
        key = "columns" if name == grid.columns else "rows"
        message = f"{key}: '{shorten(name)}' does not tell the cells of its question apart"
        fix = nearest_of(name, dimensions)
        raise InputError(declaration.wrong("table", message, fix, nth, of))
    silent = [
        name for name in dimensions if name not in grid.sides and varies_in_cells(pairs, grid, name)
    ]
    if silent and grid.cell != "mean_sd":
        message = f"rows: the table says nothing of {quoted(silent)}"
        raise InputError(declaration.wrong("table", message, "Add it to rows", nth, of))
    return layout_table(grid, pairs)


def varies_in_cells(pairs: Sequence[Labelled], grid: TableLayout, dimension: str) -> bool:
    """Return whether rows of one cell of a table differ in a dimension."""
    labels: dict[tuple[str, ...], set[str]] = {}
    for named, _ in pairs:
        cell = tuple(named.get(name, grid.none) for name in grid.sides)
        labels.setdefault(cell, set()).add(named.get(dimension, grid.none))
    return any(len(several) > 1 for several in labels.values())


def describe_study(data: Scored, declaration: Declaration) -> str:
    """Return the design in one line: answers, labels of each part, scales."""
    parts = [count(data.answers.height, "row")]
    for part in ("unit", "source", "rater", "condition"):
        for name in declaration.of(part):
            labels = count(len(data.answers.levels(name)), "label")
            parts.append(f"{labels} of {shorten(name, 40)} ({part})")
    if declaration.scales:
        parts.append(count(len(declaration.scales), "scale"))
    return "A study of its own: " + ", ".join(parts)


def scale_tables(declaration: Declaration) -> list[PageTable]:
    """Return what the scales are made of: a line for each item."""
    cells = []
    for scale in declaration.scales.values():
        span = "" if scale.ends is None else " to ".join(map(as_given, scale.ends))
        for item in scale.items:
            key = "reversed" if item in scale.turned else "as it is"
            weight = as_given(float(scale.weights.get(item, 1.0)))
            cells.append((scale.title, item, key, weight, span))
    header = ("Scale", "Item", "Key", "Weight", "Range")
    return [PageTable("Items of the scales", header, tuple(cells))] if cells else []


def methods_paragraphs(
    answers: Sequence[Answered], declaration: Declaration, options: StudyOptions
) -> tuple[str, ...]:
    """Return how scores and answers were computed, in one paragraph: scores, averages, and each metric."""
    paragraph = score_sentences(declaration)
    averaged: dict[tuple[str, ...], list[str]] = {}
    metrics: dict[tuple[str, str], list[str]] = {}
    for answer in answers:
        if answer.averaged:
            averaged.setdefault(answer.averaged, []).append(answer.question.id)
        result = next(iter(answer.results.values()))
        metrics.setdefault((answer.metric.title, result.inference), []).append(answer.question.id)
    for columns, ids in averaged.items():
        labels = listing([f"'{shorten(name)}'" for name in columns])
        paragraph.append(
            f"Values of a unit were averaged over the labels of {labels} ({listing(ids)})."
        )
    for (title, inference), ids in metrics.items():
        paragraph.append(f"{capital(title)} ({listing(ids)}): {inference}.")
    paragraph.append(f"CIs have level {percent_of(options.level)}.")
    return (" ".join(paragraph),)


def score_sentences(declaration: Declaration) -> list[str]:
    """Return how scores were made of items: weighted only where the file has weights."""
    scales = declaration.scales.values()
    if not scales:
        return []
    kinds = " and ".join(sorted({"sums" if scale.total else "means" for scale in scales}))
    weighted = [scale.title for scale in scales if {*scale.weights.values()} - {1}]
    text = [f"Scores were {kinds} of the items of a scale."]
    if len(weighted) == len(scales):
        text = [f"Scores were weighted {kinds} of the items of a scale."]
    elif weighted:
        text.append(f"Items had weights in {listing([shorten(title) for title in weighted])}.")
    if any(scale.turned for scale in scales):
        text.append("Reversed items counted as the lowest plus the highest value minus their own.")
    return text

"""The page of a declared study: a block for each question, the tables that it asks for, and what the scales are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from socialstats import sentences
from socialstats.errors import InputError
from socialstats.planning import adjust
from socialstats.registry import Metric
from socialstats.results import Result, Row
from socialstats.studies.asking import ask_result, ask_rows, interval_points, span_sentence
from socialstats.studies.declared.asking import BETWEEN, Answered, ask
from socialstats.studies.declared.declaration import CellGrid, ContrastPair, Declaration, nearest_of
from socialstats.studies.declared.scoring import Scored, score_table
from socialstats.studies.estimates import (
    NULLS,
    literature,
    rows_table,
    settings_of,
    verify_named,
)
from socialstats.studies.grids import Labelled, TableLayout, dimensions_of, layout_table
from socialstats.studies.page import (
    Block,
    Outcome,
    PageTable,
    StudyOptions,
    order_cautions,
)
from socialstats.studies.plan import (
    Examined,
    Hypothesis,
    findings_of,
    tests_of,
    with_findings,
)
from socialstats.studies.verdicts import LABEL, Conclusion, verdict_of
from socialstats.tables import Table
from socialstats.text import as_given, capital, count, percent_of, quoted, shorten

MOST_NAMED = 3  # cells that a sentence names
MOST_ANSWERS = 3  # questions in the answer of the page
Verdicts = Mapping[str, str]
"""What the planned tests of a question settle, by the name of the cell."""


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
    empty = page_without_blocks(data, answers, declaration, options)
    planned = list(hypotheses)
    tested = {hypothesis.question for hypothesis in hypotheses}
    for answer in answers:
        if answer.contrast and answer.contrast.expect and answer.question.id not in tested:
            planned.append(expected_direction(answer, answer.contrast, declaration))
    tests, problems = planned_tests(planned, answered, empty)
    findings = findings_of(tests, problems, options)
    verdicts: dict[str, dict[str, str]] = {}
    for test in findings.tests:
        name = test.label.removeprefix(f"{test.hypothesis.id}: ")
        verdicts.setdefault(test.hypothesis.question, {})[name] = test.verdict
    blocks = []
    checked: dict[str, Result] = {}
    for answer in answers:
        settled = verdicts.get(answer.question.id, {})
        names = [answer.name(cell) for cell in answer.results]
        # tests of some cells say nothing of the others
        block = block_of(answer, settled if {*names} <= {*settled} else {})
        grids = [grid for grid in declaration.grids if grid.question == block.id]
        tables = [paper_table(grid, answer, declaration) for grid in grids]
        blocks.append(replace(block, tables=(*tables, *block.tables)))
        names.append("all cells")
        for name, result in zip(names, block.results, strict=False):
            checked[f"{block.id}: {name}"] = result
    opening = answers[0]
    outcome = replace(
        empty,
        verdict=conclusion_of(opening, verdicts.get(opening.question.id, {})),
        answer=tuple(text for block in blocks[:MOST_ANSWERS] for text in block.sentences[:1]),
        blocks=tuple(blocks),
        verifications=verify_named(checked) if options.verify else {},
    )
    return with_findings(outcome, findings, planned, options) if planned else (outcome, ())


def page_without_blocks(
    data: Scored, answers: Sequence[Answered], declaration: Declaration, options: StudyOptions
) -> Outcome:
    """Return what a page says beside its questions: design, flow, scales, methods, cautions and literature."""
    results = [result for answer in answers for result in answer.results.values()]
    cautions = order_cautions(data.cautions, *(result.cautions for result in results))
    settings = settings_of(options, ("level", "seed", "resamples", "verify"))
    return Outcome(
        study=declaration.name,
        title=declaration.title,
        design=describe_study(data, declaration),
        answer=(),
        opening=answers[0].question.id,
        cautions=cautions,
        blocks=(),
        flow=data.flow,
        data=tuple(scale_tables(declaration)),
        methods=methods_paragraphs(answers, declaration, options),
        references=literature(results),
        settings=settings,
        simulated=options.simulated,
    )


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
    hypotheses: Sequence[Hypothesis], answered: Mapping[str, Answered], outcome: Outcome
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
                for test in tests_of(hypothesis, by_name[name], outcome):
                    label = f"{test.label}: {name}" if name else test.label
                    tests.append(replace(test, label=label))
            except InputError as error:
                problems[hypothesis.id] = str(error)
    return tests, problems


def adjust_rows(rows: Sequence[Row], family: str) -> tuple[list[Row], list[Result]]:
    """Return the rows with p adjusted over a question by Holm's method, and the result of that."""
    if sum(row.p_value is not None for row in rows) < 2:
        return list(rows), []
    adjusted = adjust(rows, method="holm", family=family)
    of_term = {row.term: row for row in adjusted.rows}
    return [of_term.get(row.term, row) for row in rows], [adjusted]


def block_of(answer: Answered, verdicts: Verdicts) -> Block:
    """Return the block of a question: that of its result, or of the leading rows of its cells."""
    question, contrast = answer.question, answer.contrast
    rows, families = answer.rows(), list[Result]()
    # planned tests are adjusted with their hypotheses
    if not verdicts:
        rows, families = adjust_rows(rows, question.id)
    first, *further = answer.results.values()
    title = capital(answer.metric.title)
    if contrast is not None:
        title = f"{title}: {shorten(contrast.pair[0])} minus {shorten(contrast.pair[1])}"
    lost = [sentences.no_number(answer.name(cell), why) for cell, why in answer.lost.items()]
    if not further:
        block = ask_result(question.id, first, question.ask or f"{title}?")
    else:
        null = null_of(answer) if any(row.p_value is not None for row in rows) else None
        heads = capital(BETWEEN.join(answer.heads()))
        block = ask_rows(
            question.id,
            question.ask or f"{title}?",
            first,
            rows,
            quantity=title,
            say=summary_sentences(rows, answer, verdicts),
            draw=interval_points(null),
            names=[row.term for row in rows],
            table=rows_table(rows, title, term=heads, units=True),
            results=further,
        )
    assert block is not None
    texts = (*block.sentences, *lost)
    return replace(block, sentences=texts, results=(*block.results, *families))


def summary_sentences(rows: Sequence[Row], answer: Answered, verdicts: Verdicts) -> list[str]:
    """State what the rows of several cells show: which differ, or from where to where they lie."""
    title = answer.metric.title
    estimated = [row for row in rows if row.estimate is not None]
    if not estimated or answer.contrast is None or all(row.p_value is None for row in rows):
        return [span_sentence([replace(row, key=()) for row in rows], title)]
    null = null_of(answer)
    largest = max(estimated, key=lambda row: abs((row.estimate or 0.0) - null))
    sides = verdicts or {row.term: significant_side(row, null) for row in estimated}
    return [
        comparison_sentence(sides, answer.contrast),
        f"The largest difference was that of {largest.term}: {sentences.stat(largest)}.",
    ]


def null_of(answer: Answered) -> float:
    """Return the value of a question's numbers where nothing differs, such as one of ratios."""
    _, row = answer.lines()[0]
    return NULLS.get(row.term, 0.0)


def significant_side(row: Row, null: float) -> str:
    """Return on which side of the value without a difference a significant number lies."""
    if row.estimate is None or not sentences.is_significant(row):
        return "open"
    return "above" if row.estimate > null else "below"


def comparison_sentence(verdicts: Verdicts, contrast: ContrastPair) -> str:
    """State in how many cells the first label lies above or below the second.

    Examples
    --------
    >>> contrast = ContrastPair(name="c", column="c", pair=("new", "old"))
    >>> comparison_sentence({"a": "above", "b": "open", "c": "above"}, contrast)
    "'new' lay above 'old' in 2 of 3 cells (a; c). 1 is inconclusive."
    """
    first, second = (f"'{shorten(label, 30)}'" for label in contrast.pair)
    cells = count(len(verdicts), "cell")
    parts = []
    for side in ("above", "below"):
        names = [name for name, verdict in verdicts.items() if verdict == side]
        if names:
            dots = "; ..." if len(names) > MOST_NAMED else ""
            listed = "; ".join(names[:MOST_NAMED]) + dots
            parts.append(
                f"{first} lay {side} {second} in {count(len(names))} of {cells} ({listed})."
            )
    equal = [name for name, verdict in verdicts.items() if verdict == "equal"]
    if equal:
        both = f"{first} and {second} were equivalent in {count(len(equal))} of {cells}"
        parts.append(f"{both} ({'; '.join(equal[:MOST_NAMED])}).")
    unclear = sum(verdict not in ("above", "below", "equal") for verdict in verdicts.values())
    if unclear == len(verdicts):
        return f"The data do not show whether {first} lies above or below {second}."
    if unclear:
        parts.append(f"{count(unclear, 'is', 'are')} inconclusive.")
    return " ".join(parts)


def conclusion_of(answer: Answered, verdicts: Verdicts) -> Conclusion:
    """Return the sentence that opens a page: where the first label of a contrast lies, or the ends of all numbers."""
    rows, _ = adjust_rows(answer.rows(), answer.question.id)
    title = shorten(answer.metric.title, LABEL)
    estimated = [row for row in rows if row.estimate is not None]
    estimated = sorted(estimated, key=lambda row: row.estimate or 0.0)
    if not estimated:
        return verdict_of(f"The data do not show the {title}", certainty="open")
    if answer.contrast is None or all(row.p_value is None for row in rows):
        low, high = (shorten(row.term, LABEL) for row in (estimated[0], estimated[-1]))
        if len(estimated) == 1:
            value = estimated[0].shown()
            only = f"{title}: about {value:.2g}; nothing was compared"
            return verdict_of(only, certainty="interval")
        ends = f"highest for {high}, lowest for {low}; no difference was tested"
        return verdict_of(f"{title}: {ends}", certainty="open")
    null = null_of(answer)
    sides = [*verdicts.values()] or [significant_side(row, null) for row in rows]
    above, below, cells = sides.count("above"), sides.count("below"), len(sides)
    first, second = (shorten(label, LABEL) for label in answer.contrast.pair)
    titles = [answer.titles[name] for name in answer.question.scales or answer.titles]
    what = f"{titles[0]} is" if len(titles) == 1 else "values are"
    if not above and not below:
        unseen = f"The data do not show whether {what} higher for {first} or for {second}"
        return verdict_of(unseen, certainty="open")
    more, fewer = (above, below) if above >= below else (below, above)
    side, other = ("higher", "lower") if above >= below else ("lower", "higher")
    return verdict_of(
        f"The data show that {what} {side} for {first} than for {second}",
        f" in {count(more)} of {count(cells, 'cell')}" if cells > 1 else "",
        f", and {other} in {count(fewer)}" if fewer else "",
        certainty="shown",
    )


def paper_table(cells: CellGrid, answer: Answered, declaration: Declaration) -> PageTable:
    """Return a table whose cells are found by the labels of rows and columns.

    Raises
    ------
    InputError
        For a row or column that the question's cells do not differ in, and for one that the table says nothing of.
    """
    pairs = answer.lines()
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
    """Return how scores and answers were computed; the first paragraph is brief."""
    scales = declaration.scales.values()
    paragraphs = []
    if scales:
        kinds = sorted({"sums" if scale.total else "means" for scale in scales})
        text = f"Scores were weighted {' and '.join(kinds)} of the items of a scale."
        if any(scale.turned for scale in scales):
            text += " Reversed items counted as the lowest plus the highest value minus their own."
        paragraphs.append(text)
    for answer in answers:
        result = next(iter(answer.results.values()))
        title = capital(answer.metric.title)
        paragraphs.append(f"{title} ({answer.question.id}): {result.inference}.")
    level = f"CIs have level {percent_of(options.level)}."
    return (" ".join([*paragraphs[:2], level]), *paragraphs[2:])

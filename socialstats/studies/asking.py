"""Questions of a page from rows of results: label, sentence, figure, table and caption follow from the rows.

Nothing here knows a study or a metric. A study picks rows by role and key, and says what the question is.
`ask_result` makes the block of any result, also of a metric that another package adds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from socialstats.designs.parts import Factor
from socialstats.errors import Caution, SocialStatsError
from socialstats.results import Result, Row
from socialstats.studies.estimates import clusters_caption, label_of, literature, verify_all
from socialstats.studies.page import (
    LEFT_OUT,
    Block,
    Diagnostic,
    Outcome,
    PageTable,
    SecondAnalysis,
    StudyOptions,
    TableRead,
    order_cautions,
)
from socialstats.studies.row_figures import Draw
from socialstats.studies.row_picking import name_rows
from socialstats.studies.row_sentences import interval_level, sizes_text
from socialstats.studies.row_tables import line_table
from socialstats.studies.verdicts import Conclusion
from socialstats.text import capital, percent_of

Part = Literal["main", "appendix"]
SomeResults = Result | None | Iterable[Result | None] | Mapping[Any, Result]
"""One result or several; None is one that the data do not give."""


def results_in(results: SomeResults) -> list[Result]:
    """Return the results of a mapping or sequence, or a single one, without None.

    Examples
    --------
    >>> result = Result(metric="x", title="x", rows=())
    >>> len(results_in({"a": result, "b": result})), len(results_in([result, None])), results_in(None)
    (2, 1, [])
    """
    if results is None or isinstance(results, Result):
        results = [results]
    elif isinstance(results, Mapping):
        results = results.values()
    return [result for result in results if result is not None]


def ask_rows(
    id: str,
    question: str,
    result: SomeResults,
    rows: Sequence[Row],
    *,
    quantity: str,
    say: Iterable[str] = (),
    draw: Draw | None = None,
    names: Sequence[str] | Callable[[Row], str] | None = None,
    caption: str = "",
    heading: str = "",
    units: bool = False,
    table: PageTable | None = None,
    tables: Mapping[str, Sequence[Row]] | None = None,
    more: Sequence[PageTable] = (),
    results: SomeResults = (),
    beside: SomeResults = (),
    clusters: Sequence[Factor] = (),
    note: str = "",
    part: Part = "main",
    turned: Sequence[SecondAnalysis] = (),
) -> Block | None:
    """Return a question with its answer: sentences, the figure of rows, their table, and further tables.

    Parameters
    ----------
    id, question : str
    result : Result, None, or a mapping or sequence of results
        What the rows are of. There is no question without it, and none without rows.
    rows : sequence of Row
        Those that the figure and the first table show.
    quantity : str
        What an estimate is; title of the figure, label of its axis and caption of the table.
    say : iterable of str
        Sentences; empty ones are left out.
    draw : callable, optional
        `interval_points`, `share_bars`, `cell_map` or another `Draw`; by default no figure.
    names : sequence of str or callable, optional
        Names of the rows, or Row -> name, such as `row_term`; by default those of `name_rows`.
    caption : str
        Of the first table; by default the quantity.
    heading, units
        Of the first table, as of `line_table`.
    table : PageTable, optional
        The first table; by default that of `line_table`.
    tables : mapping of caption to rows, optional
        Further tables of rows.
    more : sequence of PageTable
        Further tables of other shapes.
    results
        Further results whose rows the block shows, as `result`.
    beside
        Further results, as `result`, with their sentence and a table of their rows.
    clusters : sequence of Factor
        Those of the design, which the caption counts.
    note : str
        Last sentences of the caption.
    part : {"main", "appendix"}
    turned : sequence of SecondAnalysis
        Those that turn a conclusion, as `socialstats.studies.second` finds them.
    """
    leading = results_in(result)
    if not leading or not rows:
        return None
    first, added = leading[0], results_in(beside)
    tables = {**(tables or {}), **{extra.title: extra.rows for extra in added}}
    if callable(names):
        names = [names(row) for row in rows]
    level = percent_of(interval_level(rows, first))
    counted = clusters_caption(clusters, None)
    # sentences that later captions share are printed once, so sizes stand alone
    sizes = sizes_text(rows)
    # several analyses may have intervals of several kinds
    inference = f" ({first.inference})" * (len({result.inference for result in leading}) == 1)
    captions = [
        f"Estimates with {level} CIs{inference}.",
        f"{sizes}." if sizes else "",
        f"{capital(counted)}." if counted else "",
        note,
    ]
    further = [line_table(group, title) for title, group in tables.items() if group]
    texts = [*say, *(extra.sentence() for extra in added)]
    if table is None:
        table = line_table(rows, caption or capital(quantity), names, heading=heading, units=units)
    labels = name_rows(rows) if names is None else names
    return Block(
        id=id,
        question=question,
        sentences=tuple(text for text in texts if text),
        draw=None if draw is None else draw(rows, labels, quantity),
        figure_title=capital(quantity),
        caption=" ".join(text for text in captions if text),
        tables=(table, *further, *more),
        results=(*leading, *results_in(results), *added),
        part=part,
        turned=tuple(turned),
    )


def ask_result(
    id: str, result: Result | None, question: str = "", *, note: str = "", part: Part = "main"
) -> Block | None:
    """Return the block of any result by its own sentence, figure and rows, also of a metric from outside.

    Examples
    --------
    >>> import socialstats as ss
    >>> result = ss.paired_difference({"before": [1, 2, 2, 4], "after": [2, 2, 5, 6]}, first="after", second="before")
    >>> block = ask_result("change", result, "Did scores change?")
    >>> block.question, block.draw == result.plot
    ('Did scores change?', True)
    """
    if result is None:
        return None
    return ask_rows(
        id,
        question or f"{capital(result.title)}?",
        result,
        result.rows,
        quantity=result.title,
        say=[result.sentence()],
        draw=lambda *_: result.plot,
        names=label_of,
        units=True,
        note=note,
        part=part,
    )


def attempt_result(compute: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Return a result, or None where the data do not give it."""
    try:
        return compute(*args, **options)
    except SocialStatsError:
        return None


def merge_cautions(first: Sequence[Caution], rest: Sequence[Caution]) -> tuple[Caution, ...]:
    """Return cautions by severity: all of the first, and of the rest those with other codes (SS301 always)."""
    codes = {one.code for one in first} - {LEFT_OUT}
    return order_cautions(
        tuple(first), tuple(one for one in rest if one.code not in codes), once=False
    )


def page_of(
    study: str,
    title: str,
    design: TableRead,
    options: StudyOptions,
    *,
    describe: str,
    verdict: Conclusion | None,
    answer: Iterable[str],
    leading: Mapping[str, Result],
    blocks: Iterable[Block | None],
    uses: Sequence[str],
    cautions: Sequence[tuple[Caution, ...]] = (),
    data: Sequence[PageTable] = (),
    diagnostics: Sequence[Diagnostic] = (),
    methods: Sequence[str] = (),
    planning: Iterable[str] = (),
    references: Sequence[str] = (),
    opening: str = "",
) -> Outcome:
    """Return the page of a study: what it says, and what every page has.

    Parameters
    ----------
    study, title : str
    design
        What the table was read as.
    options : StudyOptions
    describe : str
        The design in one line.
    verdict : Conclusion or None
    answer : iterable of str
    leading : mapping of name to Result
        Results that lead the page: their cautions are those of the page, and their checks have these names.
    blocks : iterable of Block or None
        Questions in order; None is one that the data do not allow.
    uses : sequence of str
        Options that the study uses.
    cautions : sequence of tuple of Caution
        Further ones, before those of the results and the design.
    data, diagnostics, methods, planning, opening
        As of `Outcome`.
    references : sequence of str
        Literature beyond that of the results.
    """
    questions = tuple(block for block in blocks if block is not None)
    results = [*leading.values(), *(result for block in questions for result in block.results)]
    # the cautions of the study come first
    of_study = [one for group in cautions for one in group]
    of_results = order_cautions(*(result.cautions for result in leading.values()), design.cautions)
    settings = options.echo()
    return Outcome(
        study=study,
        title=title,
        design=describe,
        verdict=verdict,
        answer=tuple(answer),
        planning=tuple(planning),
        cautions=merge_cautions(of_study, of_results),
        blocks=questions,
        flow=design.flow,
        data=tuple(data),
        diagnostics=tuple(diagnostics),
        methods=tuple(methods),
        references=literature(results, references),
        verifications=verify_all(leading, questions) if options.verify else {},
        settings={name: settings[name] for name in settings if name in uses},
        simulated=options.simulated,
        opening=opening,
    )

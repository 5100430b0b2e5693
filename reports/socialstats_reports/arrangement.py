"""From an outcome to its place on the page: what is open, what is in the appendix, and the numbers of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any

from socialstats.errors import HARMLESS, Caution, caution
from socialstats.results import Row
from socialstats.results.rows import distinct_cautions
from socialstats.studies.page import Block, Outcome, PageTable
from socialstats.text import count as counted
from socialstats.text import number, quoted, shorten, visible_text
from socialstats_reports.once import Captions, Statements
from socialstats_reports.opening import short_answers, statistics_below
from socialstats_reports.text import CELL_WIDTH, words_shown
from socialstats_reports.verification import verification_table

MOST_BLOCKS, MOST_CAUTIONS, MOST_WORDS = 8, 5, 900
FRAME = 80  # words of headings, contents, verification and labels, which no study writes
ROWS_OPEN = 14  # a longer table is collapsed
ROWS_SHOWN, AT_EITHER_END = 200, 15  # a longer one has its first and last rows on the page
APPENDIX = "A"  # first letter of the numbers of its figures and tables
RANK = {"stop": 0, "caution": 1, "info": 2}


@dataclass(frozen=True, slots=True)
class Numbered:
    """A table under its number: ``3``, ``A2``; its name is that of its block or place, unless it has one."""

    table: PageTable
    number: str
    open: bool
    name: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """A block with the numbers of its figure (empty without one) and tables, and the texts that the page prints."""

    block: Block
    part: str
    figure: str = ""
    tables: tuple[Numbered, ...] = ()
    sentences: tuple[str, ...] = ()
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Stated:
    """A caution, the figures and tables of the results that carry it, and its own number among its like.

    `touches_main` says whether a figure or table of the main part shows what it is about. Where none shows it, results
    of the main part, or all results, carry it.
    """

    caution: Caution
    id: str
    figures: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    touches_main: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrangement:
    """The page in reading order: open blocks and cautions, then those of the appendix and its other tables."""

    opening: str = ""
    blocks: tuple[Placed, ...] = ()
    cautions: tuple[Stated, ...] = ()
    notes: tuple[Stated, ...] = ()
    beside: Mapping[str, tuple[Numbered, ...]] = field(default_factory=dict)
    words: int = field(default=0, compare=False)

    @property
    def referred(self) -> frozenset[str]:
        """The figures and tables to which open cautions link."""
        numbers = [
            f"{kind} {number}"
            for stated in self.cautions
            for kind, linked in (("figure", stated.figures), ("table", stated.tables))
            for number in linked[:LINKS]
        ]
        return frozenset(numbers)

    def part(self, name: str) -> list[Placed]:
        """Return the blocks of the main part or of the appendix."""
        return [placed for placed in self.blocks if placed.part == name]


def arranged(outcome: Outcome, deviations: Sequence[str] = ()) -> Arrangement:
    """Place and number the blocks, tables and cautions of an outcome; deviations from a plan count as words.

    The main part holds at most 8 blocks, 5 cautions and 900 words beside its tables. Blocks beyond that are moved to
    the appendix from the end; the block whose figure opens the page stays.
    """
    main = [block for block in outcome.blocks if block.part == "main"][:MOST_BLOCKS]
    opening, beside = opening_block(outcome, main), _beside(outcome)
    while True:
        placed = _placed(outcome, main, opening, beside, deviations)
        movable = [block for block in main if block is not opening]
        if placed.words <= MOST_WORDS or not movable:
            return placed
        main = [block for block in main if block is not movable[-1]]


def _placed(
    outcome: Outcome,
    main: Sequence[Block],
    opening: Block | None,
    beside: Mapping[str, Sequence[PageTable]],
    deviations: Sequence[str],
) -> Arrangement:
    """Return the arrangement with these blocks in the main part."""
    figures, tables = (partial(next, map(str, count(1))) for _ in range(2))
    later_figures, later_tables = (
        partial(next, (f"{APPENDIX}{k}" for k in count(1))) for _ in range(2)
    )
    main_ids = {id(block) for block in main}
    in_main = [block for block in outcome.blocks if id(block) in main_ids]
    first_figure = "" if opening is None else figures()
    first = [
        _numbered(b, "main", figures, tables, first_figure if b is opening else "") for b in in_main
    ]
    later = [
        _numbered(b, "appendix", later_figures, later_tables)
        for b in outcome.blocks
        if id(b) not in main_ids
    ]
    unplaced = {
        name: tuple(
            Numbered(t, later_tables(), len(t.cells) <= ROWS_OPEN, label)
            for t, label in named_tables(name, tables_of)
        )
        for name, tables_of in beside.items()
    }
    stated = cautions_of(outcome, [*first, *later])
    arrangement = Arrangement(
        opening="" if opening is None else opening.id,
        blocks=(*printed_once(outcome, first, opening), *later),
        beside=unplaced,
        cautions=tuple(replace(s, id=f"caution-{k}") for k, s in enumerate(stated[0], 1)),
        notes=tuple(replace(s, id=f"note-{k}") for k, s in enumerate(stated[1], 1)),
    )
    return replace(
        arrangement,
        words=sum(map(words_shown, (*visible(outcome, arrangement), *deviations))) + FRAME,
    )


def printed_once(
    outcome: Outcome, placed: Sequence[Placed], opening: Block | None
) -> Iterator[Placed]:
    """Yield the blocks of the main part without what its opening says, and what earlier captions say."""
    opened = Statements([*outcome.answer, *outcome.planning])
    captions = Captions()
    # the figure of the opening is read first
    brief = {
        id(block): captions.brief(block.block.caption, block.figure)
        for block in sorted(placed, key=lambda block: block.block is not opening)
        if block.figure
    }
    for block in placed:
        caption = brief.get(id(block), block.block.caption)
        yield replace(block, sentences=opened.without(block.block.sentences), caption=caption)


def opening_block(outcome: Outcome, main: Sequence[Block]) -> Block | None:
    """Return the block whose figure opens the page; None where no block of the main part has a figure."""
    drawn = [block for block in main if block.draw is not None]
    named = [block for block in drawn if block.id == outcome.opening]
    return next(iter([*named, *drawn]), None)


def _numbered(
    block: Block,
    part: str,
    figures: Callable[[], str],
    tables: Callable[[], str],
    figure: str = "",
) -> Placed:
    """Return a block with numbers; a table of the main part stands open where the block draws nothing.

    `figure` is the number of the figure that opens the page; empty for other blocks.
    """
    if block.draw is not None and not figure:
        figure = figures()
    opens = part == "appendix" or not figure
    numbered = tuple(
        Numbered(t, tables(), opens and len(t.cells) <= ROWS_OPEN, name)
        for t, name in named_tables(block.id, block.tables)
    )
    return Placed(block, part, figure, numbered, block.sentences, block.caption)


def named_tables(place: str, tables: Sequence[PageTable]) -> list[tuple[PageTable, str]]:
    """Return tables with lines, and the name of each: its own, or that of its place with its number there.

    Examples
    --------
    >>> tables = [PageTable("Shares", ("a",), ((1,),), name=name) for name in ("", "areas", "")]
    >>> [name for _, name in named_tables("shares", tables)]
    ['shares', 'areas', 'shares.3']
    """
    filled = [table for table in tables if table.cells]
    return [
        (table, table.name or (f"{place}.{k}" if k > 1 else place))
        for k, table in enumerate(filled, 1)
    ]


def cautions_of(outcome: Outcome, blocks: Sequence[Placed]) -> tuple[list[Stated], list[Stated]]:
    """Return the cautions that stand open, strongest first, and the others as notes.

    Open ones are serious and about what the main part shows (or about all results). Of like severity those come first
    whose result comes first.
    """
    ranked = []
    for warning in (*outcome.checked_cautions(), *display_cautions(outcome)):
        carriers = carrying(warning, blocks)
        linked = [touched(matching, block) for block, matching in carriers]
        figures = tuple(
            b.figure for (b, _), (figure, _) in zip(carriers, linked, strict=True) if figure
        )
        tables = tuple(number for _, numbers in linked for number in numbers)
        in_main = any(not number.startswith(APPENDIX) for number in (*figures, *tables))
        if not (figures or tables):
            in_main = warning.code not in HARMLESS and all(
                block.part == "main" for block, _ in carriers[:1]
            )
        stated = Stated(warning, "", figures, tables, in_main)
        first = blocks.index(carriers[0][0]) if carriers else -1
        aside = warning.severity == "info" or not in_main
        ranked.append((aside and warning.severity != "stop", RANK[warning.severity], first, stated))
    ranked.sort(key=lambda entry: entry[:3])
    serious = [stated for aside, _, _, stated in ranked if not aside]
    return serious[:MOST_CAUTIONS], [
        *serious[MOST_CAUTIONS:],
        *(stated for aside, *_, stated in ranked if aside),
    ]


def carrying(caution: Caution, blocks: Sequence[Placed]) -> list[tuple[Placed, list[Caution]]]:
    """Return the blocks that carry a caution, each with its own of the same words; else those with its code.

    Results carry it, and rows that are shown without their result. A page of levels puts the level before the words of
    a caution of one level.
    """
    carried = {id(b): [c for c in cautions_within(b) if c.code == caution.code] for b in blocks}

    def same(carried_caution: Caution, level: str) -> bool:
        return carried_caution.detail == caution.detail or (
            bool(level) and caution.detail == f"{quoted([level])}: {carried_caution.detail}"
        )

    exact = {id(b): [c for c in carried[id(b)] if same(c, b.block.level)] for b in blocks}
    used = exact if any(exact.values()) else carried
    return [(b, used[id(b)]) for b in blocks if used[id(b)]]


def cautions_within(placed: Placed) -> list[Caution]:
    """Return the cautions that results and rows of a block carry, each once."""
    row_groups = (placed.block.drawn, *(table.table.rows for table in placed.tables))
    of_results = [c for result in placed.block.results for c in result.cautions]
    return list(
        dict.fromkeys([*of_results, *(c for rows in row_groups for c in distinct_cautions(rows))])
    )


def touched(matching: Sequence[Caution], placed: Placed) -> tuple[bool, list[str]]:
    """Return whether a figure, and which tables, of a block that carries a caution show rows that it touches.

    A caution about every row of a result of the block also touches what shows no rows, such as a table of counts.
    """
    every = any(
        c.rows is None and c in result.cautions for c in matching for result in placed.block.results
    )

    def shows(rows: Sequence[Row]) -> bool:
        return any(c in matching for c in distinct_cautions(rows)) if rows else every

    figure = bool(placed.figure) and shows(placed.block.drawn)
    return figure, [table.number for table in placed.tables if shows(table.table.rows)]


def visible(outcome: Outcome, place: Arrangement) -> Iterator[str]:
    """Return the texts of the main part beside its tables, as a reader sees them; the contents say questions again."""
    yield from (outcome.title, outcome.design, outcome.simulated)
    yield outcome.verdict.text if outcome.verdict else ""
    for answers in short_answers(outcome, [stated.caution for stated in place.cautions]):
        yield from answers
    yield from (*statistics_below(outcome), *outcome.methods[:1])
    yield from visible_cautions(place)
    for placed in place.part("main"):
        yield from (placed.block.question, placed.block.question, *placed.sentences)
        yield f"Figure 1. {placed.block.figure_title} {placed.caption}"
        for numbered in placed.tables:
            # the caption of an open table stands within it
            if not numbered.open:
                yield f"Table 1. {numbered.table.caption.split('; ')[0]} (10 rows)"


def visible_cautions(place: Arrangement) -> Iterator[str]:
    """Return the texts of the cautions and notes that stand open."""
    for stated in place.cautions:
        caution = stated.caution
        yield from (caution.short, caution.detail, caution.fix)
        links = (*stated.figures[:LINKS], *stated.tables[:LINKS])
        # links say what a caution touches
        yield " ".join((*links, "Figure Table Code")) if links else f"Affected: {caution.affects}"
    for note in place.notes:
        if note.caution.code == TRIED:
            yield f"Undeclared columns, tried as clusters: {note.caution.detail}"
        elif note.touches_main:
            yield note.caution.short


TRIED = "SS344"  # undeclared columns, tried as clusters
LINKS = 3  # figures, and tables, that a caution links to


def _beside(outcome: Outcome) -> dict[str, Sequence[PageTable]]:
    """Return the tables of the appendix that belong to no block, in reading order."""
    flow = tuple((step.label, step.rows, step.note) for step in outcome.flow)
    checks = tuple(
        (diagnostic.check, diagnostic.found, diagnostic.so_what)
        for diagnostic in outcome.diagnostics
    )
    return {
        "flow": [
            PageTable(
                caption="From the rows read to the rows analysed",
                header=("Step", "Rows", "Note"),
                cells=flow,
            )
        ],
        "data": outcome.data,
        "diagnostics": [
            PageTable(
                caption="Checks of data and fit",
                header=("Check", "Finding", "Implication"),
                cells=checks,
            )
        ],
        "verification": [verification_table(outcome.verifications)],
    }


def display_cautions(outcome: Outcome) -> tuple[Caution, ...]:
    """Return a note when labels had to be cut or cleaned for the page."""
    tables = [*outcome.data, *(table for block in outcome.blocks for table in block.tables)]
    texts = {
        value for table in tables for row in table.cells for value in row if isinstance(value, str)
    }
    changed = [text for text in texts if len(text) > CELL_WIDTH or visible_text(text) != text]
    if not changed or any(c.code == "SS403" for c in outcome.cautions):
        return ()
    labels = counted(len(changed), "label is too long or holds", "labels are too long or hold")
    detail = f"{labels} characters that cannot be printed"
    return (caution("SS403", detail, fix="the embedded JSON has them in full"),)


def described(block: Block) -> str:
    """Return what a figure shows: kind of chart, rows, range, reference; for readers who do not see it.

    Examples
    --------
    >>> from socialstats.figures import forest
    >>> rows = [Row(term="a", estimate=0.25), Row(term="b", estimate=0.75)]
    >>> described(Block(id="b", question="?", sentences=(), draw=partial(forest, rows, xlabel="win rate")))
    'Estimates with intervals of win rate, 2 rows, 0.25 (a) to 0.75 (b).'
    """
    draw: Any = block.draw
    rows: list[Any] = []
    options: dict[str, Any] = {}
    while isinstance(draw, partial):
        options = {**draw.keywords, **options}
        rows = rows or [
            row for value in draw.args[:1] if isinstance(value, Sequence) for row in value
        ]
        draw = draw.func
    name = getattr(draw, "chart", "Figure")
    estimates = [
        (row.estimate, row.term)
        for row in rows
        if isinstance(row, Row) and row.estimate is not None
    ]
    axis = options.get("xlabel") or options.get("ylabel") or block.figure_title or block.question
    text = f"{name} of {axis}"
    if estimates:
        low, high = (
            f"{number(value, 2)} ({shorten(term)})"
            for value, term in (min(estimates), max(estimates))
        )
        text += f", {counted(len(rows), 'row')}, {low} to {high}"
    reference = options.get("reference")
    return (
        f"{text}; reference line at {number(reference, 2)}."
        if isinstance(reference, float | int)
        else f"{text}."
    )

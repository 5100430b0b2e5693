"""What a table that can be read may mean otherwise: cautions on its columns, values and rows."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import BoolArray
from socialstats.designs.aliases import Texts, TextSet
from socialstats.designs.parts import Coverage, Factor
from socialstats.designs.rows import Rows
from socialstats.designs.vocabulary import CLUSTER_NAME, ORDER_NAME, STORY_NAME, spelled
from socialstats.errors import Caution, InputError, caution
from socialstats.tables import Table, as_number
from socialstats.tables.spelling import spelled_alike
from socialstats.text import as_given, listing, percent, quoted, shorten
from socialstats.text import count as counted
from socialstats.voice import option

if TYPE_CHECKING:
    from socialstats.designs.comparisons_data import ComparisonsData

ITEM = re.compile(r"(?P<stem>[^\W\d]+(?:[. -][^\W\d]+)*)[_. -]?\d+", re.UNICODE)
RATER_STEMS = frozenset(
    spelled(
        "rater r judge j coder annotator ann grader expert reviewer evaluator labeler labeller observer obs doctor "
        "physician reader assessor examiner scorer critic person human h worker participant model m llm gpt juge rad "
        "radiologist"
    )
)
PLAIN_STEMS = frozenset(
    (
        "",
        *spelled(
            "x y v var col column rating score value label time t run epoch sample seed prompt method meth"
        ),
    )
)
REPEATED = {digit * ones for digit in range(1, 10) for ones in (11.0, 111.0, 1111.0)} | {
    99999.0,
    999999.0,
}
CODES = frozenset(
    {-1.0, -2.0, -3.0, -7.0, -8.0, -9.0, 7.0, 8.0, 9.0, 97.0, 98.0, 997.0, 998.0, 9998.0}
    | REPEATED
    | {-code for code in REPEATED}
)
# a larger share of the rows is no missing answer
MOST_CODES = 1 / 3
# rows a level from which every level of a scale is expected to occur
FULL = 4
# share of the rows up to which -1 beside 0 and 1 is a code, not a level
RARE = 0.15
# a scale with more whole numbers is read as any numbers
MOST_LEVELS = 12
MOST = 5
# values that a cluster needs: with fewer no standard error can be estimated from them
FEWEST = 5


def label_cautions(
    columns: Mapping[str, Texts], factors: Iterable[Factor | None] = ()
) -> list[Caution]:
    """Return caution SS306 for each kind of label, and each column, with labels that are nearly identical.

    Parameters
    ----------
    columns : mapping of str to sequence of str
        What the labels are -> the labels.
    factors : iterable of Factor or None
        Columns of labels that a design keeps beside them (by, clusters, strata).
    """
    clusters = {
        f"column '{shorten(factor.name)}'": factor for factor in factors if factor is not None
    }
    affects = "every number of these labels"
    short = "a number and a text of the same looks are one label"
    cautions = [
        caution(
            "SS306",
            f"{name}: {quoted(factor.mixed)}",
            fix="Write them in one way",
            affects=affects,
            short=short,
        )
        for name, factor in clusters.items()
        if factor.mixed
    ]
    for name, labels in {
        **columns,
        **{name: factor.levels for name, factor in clusters.items()},
    }.items():
        if groups := spelled_alike(labels):
            fix = "Give one thing one spelling; labels are used exactly as they are written"
            cautions.append(
                caution("SS306", f"{name}: {listing(groups, most=5)}", affects=affects, fix=fix)
            )
    return cautions


def cluster_suspects(
    table: Table,
    used: TextSet,
    units: int,
    *,
    names: TextSet = (),
    what: str = "unit",
    within: Callable[[str], bool] = lambda column: False,
) -> list[Caution]:
    """Return caution SS311 where a free column has the name of a cluster, at least 5 values, and fewer than units.

    Parameters
    ----------
    table : Table
    used : collection of str
        Columns that play a part already.
    units : int
        Units of the design: a column with a value of its own for each says nothing about dependence.
    names : collection of str
        Further names of such columns.
    what : str
        What the units are.
    within : function of a column
        Whether clusters that the design has by default hold its rows together already.
    """
    named = [c for c in table.columns if c not in used and (c in names or CLUSTER_NAME.search(c))][
        :MOST
    ]
    labels = {column: len(table.levels(column)) for column in named}
    clusters = {c: n for c, n in labels.items() if FEWEST <= n < units and not within(c)}
    if not clusters:
        return []
    listed = "; ".join(f"'{shorten(column)}' ({n:,} values)" for column, n in clusters.items())
    name = shorten(next(iter(clusters)))
    fix = f"{option('cluster', name, f'--map cluster={name}')} if its rows are alike"
    detail = f"{listed}, {counted(units, what)}"
    return [caution("SS311", detail, affects="standard errors, intervals, p-values", fix=fix)]


def standing_apart(rows_of: Mapping[float, float]) -> list[float]:
    """Return the values that stand apart from all others as codes of missing answers do, ascending.

    A code is a number such as -1, 9, 99 or 999, at an end of the values. Beside whole numbers of a short scale it is
    apart by twice the largest step between the others. Otherwise by more than their whole range, or by being the only
    negative value.

    Parameters
    ----------
    rows_of : mapping of number to rows

    Examples
    --------
    >>> standing_apart({1: 20, 2: 30, 3: 30, 4: 15, 5: 9, 9: 2}), standing_apart({-1: 3, 0: 4, 1: 3})
    ([9], [])
    >>> standing_apart({1: 20, 2: 30, 3: 30, 55: 1, 8: 1, 9: 1}), standing_apart({0: 1, 12.5: 1, 80: 1, 999: 1})
    ([8, 9, 55], [999])
    """
    ordered_codes = sorted(rows_of)
    total = sum(rows_of.values())
    codes: list[float] = []
    for end, inner in ((-1, slice(None, -1)), (0, slice(1, None))):
        group: list[float] = []
        while len(ordered_codes) > 2 and ordered_codes[end] in CODES:
            group.append(ordered_codes[end])
            ordered_codes = ordered_codes[inner]
            if (
                _apart(group[-1], ordered_codes, total, rows_of[group[-1]])
                and sum(rows_of[x] for x in group) <= MOST_CODES * total
            ):
                codes = codes + group
                group = []
        ordered_codes = sorted([*ordered_codes, *group])
    return sorted(codes)


def _apart(code: float, others_values: Sequence[float], rows: float, alone: float) -> bool:
    """Return whether a code at one end stands apart from the other values, which are ascending.

    In a table of few rows a small gap may be chance: there the code is negative, or the gap is half of their range.
    """
    gap = min(abs(code - others_values[0]), abs(code - others_values[-1]))
    spread = others_values[-1] - others_values[0]
    short = len(others_values) <= MOST_LEVELS and all(float(x).is_integer() for x in others_values)
    if code < 0 <= others_values[0] and others_values[-1] > 2:
        return gap > 1 or not short
    if code == -1.0 and others_values == [0.0, 1.0]:
        return alone <= RARE * rows
    if short and abs(code) < 10:
        step = max(b - a for a, b in itertools.pairwise(others_values))
        return gap >= 2 * step and (gap > spread / 2 or rows >= FULL * len(others_values))
    return gap > spread


def code_suspects(cells: Rows, columns: Texts, use: BoolArray | None = None) -> list[Caution]:
    """Return caution SS325, with lines, where numbers stand apart like codes of missing answers."""
    cautions = []
    for column in columns:
        labels = cells.labels(column)
        there = (cells.use if use is None else use) & (cells.codes(column) >= 0)
        rows = np.bincount(labels.codes[there], cells.n[there], len(labels.levels))
        numbers = {
            x: k
            for k, label in enumerate(labels.levels)
            if rows[k] and (x := as_number(label)) is not None
        }
        odd = standing_apart({x: float(rows[k]) for x, k in numbers.items()})
        if not odd:
            continue
        texts = [labels.levels[numbers[x]] for x in odd]
        several = len(texts) > 1
        none = option("na", texts if several else texts[0], " ".join(f"--na {t}" for t in texts))
        mean = "they mean" if several else "it means"
        lines = cells.lines([column], lambda row, texts=texts: row[0] in texts)  # type: ignore[misc]
        inner = [x for x in numbers if x not in odd]
        where = f" ({lines})" if lines else ""
        span = f"{as_given(min(inner))} to {as_given(max(inner))}"
        cautions.append(
            caution(
                "SS325",
                f"{quoted(texts)} in '{shorten(column)}'{where}, beside {span}",
                affects="every number",
                fix=f"{none} if {mean} a missing value; declared levels are not questioned",
            )
        )
    return cautions


def item_suspects(raters: Texts) -> list[Caution]:
    """Return caution SS326 where columns taken as raters are numbered like items of a questionnaire (A1, A2, ...)."""
    stems = [
        match["stem"].strip("_") if (match := ITEM.fullmatch(name.strip())) else ""
        for name in raters
    ]
    items = [
        name
        for name, stem in zip(raters, stems, strict=True)
        if stem.casefold() not in RATER_STEMS | PLAIN_STEMS
    ]
    if len(raters) < 2 or len(items) < len(raters):
        return []
    rows = f"the rows of a questionnaire are its raters ({option('raters_in', 'rows')})"
    fix = f"rate agreement only if each column is a rater; {rows}"
    return [caution("SS326", quoted(items), affects="every number", fix=fix)]


def votes(design: ComparisonsData, *, turned: bool = False) -> Counter[tuple[Any, ...]]:
    """Return how often each outcome of two items occurred; turned: as seen from the other side."""
    oriented = design.swap() if turned else design
    names = np.array(oriented.items, dtype=object)
    by = np.zeros(len(oriented.count)) if oriented.by is None else oriented.by.codes
    cells = (
        names[oriented.item_a],
        names[oriented.item_b],
        oriented.outcome,
        oriented.first * oriented.order_known,
        by,
    )
    counts: Counter[tuple[Any, ...]] = Counter()
    for cell, n in zip(zip(*cells, strict=True), oriented.count, strict=True):
        counts[cell] += n
    return counts


def mirror_suspects(design: ComparisonsData, columns: TextSet = ()) -> list[Caution]:
    """Return caution SS328 where each comparison has a twin with the items changed round and the same winner.

    Of two items few comparisons may be so by chance. A judge who was asked in both orders and kept to its choice gives
    such rows as well. There is no caution where the declared order tells them apart, or one of the `columns` is called
    like an order that was not declared.
    """
    rows = float(design.count.sum())
    upward = design.item_a < design.item_b
    named = not design.order_known and any(map(ORDER_NAME.search, columns))
    even = rows >= 2 * FEWEST and len(design.items) > 2 and 2 * design.count[upward].sum() == rows
    if named or not even or votes(design) != votes(design, turned=True):
        return []
    return [
        caution(
            "SS328",
            f"{rows:,.0f} comparisons are {rows / 2:,.0f} and their mirror images",
            affects="n, standard errors, intervals, p-values",
            fix="if both rows are one judgement, keep one of them: use --where with a column that distinguishes them. "
            "If both orders were asked for, declare the order (--map order=COLUMN)",
        )
    ]


# share of the probability, or of the replies
MOST_REMAINING = 0.05


def probability_cautions(coverage: Coverage) -> list[Caution]:
    """Return caution SS331 where other answers hold much probability, or many replies have no probabilities."""
    parts = []
    if coverage.rest is not None and coverage.rest > MOST_REMAINING:
        parts.append(f"other answers hold {percent(coverage.rest)} of the probability on average")
    if coverage.none > MOST_REMAINING * (replies := coverage.replies + coverage.none):
        parts.append(
            f"{coverage.none:,} of {counted(replies, 'reply', 'replies')} have no probabilities"
        )
    fix = "ask for a bare answer with more top_logprobs, and compare with the drawn answers"
    return (
        [caution("SS331", "; ".join(parts), affects="numbers from probabilities", fix=fix)]
        if parts
        else []
    )


def repeated_rows(table: Table) -> list[Caution]:
    """Return caution SS321 where files are copies, or rows equal another one in every column, a story among them.

    Without such a column equal rows are answers of their own: pairs meet more than once.
    """
    detail = ""
    fix = "leave copies out"
    story = next(filter(STORY_NAME.match, table.columns), None)
    if table.copies:
        detail = f"{quoted(table.copies)} {'has' if len(table.copies) == 1 else 'have'} the bytes of another file"
    elif story is not None:
        # a column of lists, say
        with suppress(InputError, TypeError, ValueError):
            name = shorten(story)
            rows = table.height
            if table.distinct([story]) < rows and (copies := rows - table.distinct(table.columns)):
                detail = f"{copies:,} of {rows:,} rows equal another row in every column, '{name}' among them"
                fix += f". If each is an answer of its own, number the answers of a '{name}' in a column, and declare "
                fix += option("cluster", name, f"--cluster {name}")
    return (
        [caution("SS321", detail, affects="n, standard errors, intervals, p-values", fix=fix)]
        if detail
        else []
    )

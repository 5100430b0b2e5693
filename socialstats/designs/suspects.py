"""What a table looks like and nobody declared: columns that may be clusters, rows that may be copies."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats import text
from socialstats.arrays import BoolArray
from socialstats.designs.parts import A_WON, B_WON
from socialstats.designs.problems import Problems
from socialstats.errors import Caution, InputError, caution
from socialstats.tables import Table, as_number

if TYPE_CHECKING:
    from socialstats.designs.comparisons import Comparisons

WORDS = (
    "scenario", "story", "topic", "domain", "template", "cluster", "group", "worker", "participant", "subject",
    "annotator", "passage", "document", "dialogue", "conversation", "persona", "site", "school", "household",
)  # fmt: skip
NAME = re.compile(rf"(?:^|_)(?:{'|'.join(WORDS)})s?(?:_?(?:id|nr|no|name|number))?$", re.IGNORECASE)
ORDER = re.compile(
    r"(?:^|[_. ])(?:order|position|pos|run|swap(?:ped)?|flip(?:ped)?|reversed?|permutation|ordering|presentation)"
    r"(?:[_. ]?(?:id|nr|no|number))?$",
    re.IGNORECASE,
)  # columns that tell two orders of one question apart
STORIES = re.compile(
    r"^(?:(?:scenario|story|vignette|dilemma|situation|case|dialogue|conversation|question|sample|trial)s?"
    r"(?:_?(?:id|nr|no|number))?|id|uuid|row_?id|row)$",
    re.IGNORECASE,
)  # what is put to a model once: two rows that agree here and in all else may be one
ITEM = re.compile(r"(?P<stem>[^\W\d]+(?:[_. -][^\W\d]+)*)[_. -]?\d+", re.UNICODE)
RATER_STEMS = frozenset({
    "rater", "r", "judge", "j", "coder", "annotator", "ann", "grader", "expert", "reviewer", "evaluator", "labeler",
    "labeller", "observer", "obs", "doctor", "physician", "reader", "assessor", "examiner", "scorer", "critic",
    "person", "human", "h", "worker", "participant", "model", "m", "llm", "gpt", "juge", "rad", "radiologist",
})  # fmt: skip
PLAIN_STEMS = frozenset({
    "", "x", "y", "v", "var", "col", "column", "rating", "score", "value", "label", "time", "t", "run", "epoch",
    "sample", "seed", "prompt", "method", "meth",
})  # fmt: skip
REPEATED = {digit * ones for digit in range(1, 10) for ones in (11.0, 111.0, 1111.0)} | {99999.0, 999999.0}
CODES = frozenset({-1.0, -2.0, -3.0, -7.0, -8.0, -9.0, 7.0, 8.0, 9.0, 97.0, 98.0, 997.0, 998.0, 9998.0}
                  | REPEATED | {-code for code in REPEATED})  # fmt: skip
MOST_CODES = 1 / 3  # a larger share of the rows is no missing answer
FULL = 4  # rows a level from which every level of a scale is expected to occur
RARE = 0.15  # share of the rows up to which -1 beside 0 and 1 is a code, not a level
MOST_LEVELS = 12  # a scale with more whole numbers is read as any numbers
MOST = 5
FEWEST = 5  # values that a cluster needs: with fewer no standard error can be estimated from them


def cluster_suspects(table: Table, used: Collection[str], units: int) -> list[Caution]:
    """Return caution SS311 where a free column has the name of a cluster, at least 5 values, and fewer than units.

    Parameters
    ----------
    table : Table
    used : collection of str
        Columns that play a part already.
    units : int
        Units of the design: a column with a value of its own for each says nothing about dependence.
    """
    found = []
    for column in [c for c in table.columns if c not in used and NAME.search(c)][:MOST]:
        try:
            levels = len(table.counts([column]).columns[column].labels().levels)
        except (InputError, TypeError):  # it holds no labels
            continue
        if FEWEST <= levels < units:
            found.append((column, levels))
    if not found:
        return []
    listed = "; ".join(f"'{text.shorten(column)}' ({levels:,} values)" for column, levels in found)
    fix = f"cluster='{text.shorten(found[0][0])}' (--map cluster={text.shorten(found[0][0])}) if its rows are alike"
    return [caution("SS311", f"{listed}, {units:,} units", affects="standard errors, intervals, p-values", fix=fix)]


def standing_apart(rows_of: Mapping[float, float]) -> list[float]:
    """Return the values that stand apart from all others as codes of missing answers do, ascending.

    A code is a number such as -1, 9, 99 or 999, at an end of the values. Beside whole numbers of a short scale it is
    apart by twice the largest step between the others; otherwise by more than their whole range, or by being the
    only negative value.

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
    rest, total = sorted(rows_of), sum(rows_of.values())
    found: list[float] = []
    for end, others in ((-1, slice(None, -1)), (0, slice(1, None))):
        group: list[float] = []
        while len(rest) > 2 and rest[end] in CODES:
            group.append(rest[end])
            rest = rest[others]
            if (
                _apart(group[-1], rest, total, rows_of[group[-1]])
                and sum(rows_of[x] for x in group) <= MOST_CODES * total
            ):
                found, group = found + group, []
        rest = sorted([*rest, *group])
    return sorted(found)


def _apart(code: float, rest: Sequence[float], rows: float, alone: float) -> bool:
    """Return whether a code at one end stands apart from the other values, which are ascending.

    In a table of few rows a small gap may be chance: there the code is negative, or the gap is half of their range.
    """
    gap, spread = min(abs(code - rest[0]), abs(code - rest[-1])), rest[-1] - rest[0]
    short = len(rest) <= MOST_LEVELS and all(float(x).is_integer() for x in rest)
    if code < 0 <= rest[0] and rest[-1] > 2:
        return gap > 1 or not short
    if code == -1.0 and rest == [0.0, 1.0]:
        return alone <= RARE * rows
    if short and abs(code) < 10:
        step = max(b - a for a, b in itertools.pairwise(rest))
        return gap >= 2 * step and (gap > spread / 2 or rows >= FULL * len(rest))
    return gap > spread


def code_suspects(problems: Problems, columns: Sequence[str], use: BoolArray) -> list[Caution]:
    """Return caution SS325, with lines, where numbers stand apart like codes of missing answers."""
    found = []
    for column in columns:
        labels, n = problems.labels[column], problems.n
        rows = np.bincount(labels.codes[use & (labels.codes >= 0)], weights=n[use & (labels.codes >= 0)],
                           minlength=len(labels.levels))  # fmt: skip
        numbers = {x: k for k, label in enumerate(labels.levels) if rows[k] and (x := as_number(label)) is not None}
        odd = standing_apart({x: float(rows[k]) for x, k in numbers.items()})
        if not odd:
            continue
        texts = [labels.levels[numbers[x]] for x in odd]
        lines = problems.lines([column], lambda row, texts=texts: row[0] in texts)  # type: ignore[misc]
        others = [x for x in numbers if x not in odd]
        where = f" ({lines})" if lines else ""
        found.append(caution(
            "SS325", f"{text.quoted(texts)} in '{text.shorten(column)}'{where}, beside {text.as_given(min(others))} to "
            f"{text.as_given(max(others))}", affects="every number",
            fix=f"na={texts if len(texts) > 1 else repr(texts[0])} ({' '.join(f'--na {t}' for t in texts)}) if "
            f"{'they mean' if len(texts) > 1 else 'it means'} a missing value; declared levels are not questioned",
        ))  # fmt: skip
    return found


def item_suspects(raters: Sequence[str]) -> list[Caution]:
    """Return caution SS326 where columns taken as raters are numbered like items of a questionnaire (A1, A2, ...)."""
    stems = [match["stem"].strip("_") if (match := ITEM.fullmatch(name.strip())) else "" for name in raters]
    items = [name for name, stem in zip(raters, stems, strict=True) if stem.casefold() not in RATER_STEMS | PLAIN_STEMS]
    if len(raters) < 2 or len(items) < len(raters):
        return []
    fix = "rate agreement only if each column is a rater; the rows of a questionnaire are its raters (raters_in='rows')"
    return [caution("SS326", text.quoted(items), affects="every number", fix=fix)]


def votes(design: Comparisons, *, turned: bool = False) -> Counter[tuple[Any, ...]]:
    """Return how often each outcome of two items occurred; turned: as seen from the other side."""
    a, b = (design.item_b, design.item_a) if turned else (design.item_a, design.item_b)
    sign = -1 if turned and design.order_known else 1
    outcome = np.select([design.outcome == A_WON, design.outcome == B_WON], [B_WON, A_WON], design.outcome)
    by = design.by.codes if design.by is not None else np.zeros(len(a))
    found: Counter[tuple[Any, ...]] = Counter()
    for i, j, o, f, k, n in zip(a, b, outcome if turned else design.outcome, sign * design.first, by, design.count,
                                strict=True):  # fmt: skip
        found[design.items[i], design.items[j], int(o), int(f), int(k)] += n
    return found


def mirror_suspects(design: Comparisons, columns: Collection[str] = ()) -> list[Caution]:
    """Return caution SS328 where each comparison has a twin with the items changed round and the same winner.

    Of two items few comparisons may be so by chance. A judge who was asked in both orders and kept to its choice gives
    such rows as well: nothing is said where the declared order tells them apart, or one of the `columns` is called like
    an order that was not declared.
    """
    rows, upward = float(design.count.sum()), design.item_a < design.item_b
    if (
        rows < 2 * FEWEST
        or (not design.order_known and any(ORDER.search(column) for column in columns))
        or len(design.items) < 3
        or 2 * design.count[upward].sum() != rows
        or votes(design) != votes(design, turned=True)
    ):
        return []
    return [caution(
        "SS328", f"{rows:,.0f} comparisons are {rows / 2:,.0f} and their mirror images",
        affects="n, standard errors, intervals, p-values",
        fix="if both rows are one judgement keep one of them, with --where and a column that tells them apart; "
        "if both orders were asked for, declare the order (--map order=COLUMN)",
    )]  # fmt: skip


def repeated_rows(table: Table) -> list[Caution]:
    """Return caution SS321 where rows equal another one in every column, a column of stories among them.

    Without such a column equal rows are answers of their own: pairs meet more than once.
    """
    story = next((column for column in table.columns if STORIES.match(column)), None)
    if story is None:
        return []
    try:
        stories = table.counts([story]).n
        if len(stories) == stories.sum():
            return []
        rows = table.counts([story, *table.columns]).n
    except (InputError, TypeError, ValueError):  # a column of lists, say
        return []
    copies = int(rows.sum()) - len(rows)
    if not copies:
        return []
    name = text.shorten(story)
    return [caution(
        "SS321", f"{copies:,} of {int(rows.sum()):,} rows equal another row in every column, '{name}' among them",
        affects="n, standard errors, intervals, p-values",
        fix=f"leave copies out; where each is an answer of its own, number the answers of a '{name}' in a column, and "
        f"declare cluster='{name}' (--cluster {name})",
    )]  # fmt: skip

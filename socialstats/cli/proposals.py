"""What a table may be whose columns fit no design by name: guessed by content, proposed as commands, never taken as read.

Each generator looks for one shape and returns candidates; a candidate is proposed only if its command reads the table.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, permutations
from typing import Any

import numpy as np

from socialstats.cli.deciding import NoDesign, words
from socialstats.cli.guesses import ordered
from socialstats.designs.aggregate import TIE_COUNTS, WIN_WORDS, bare, frequency_columns
from socialstats.designs.columns import SIDE_WORDS, partner_of
from socialstats.designs.squares import crosstab, win_counts
from socialstats.designs.suspects import RATER_STEMS, item_suspects
from socialstats.designs.winners import SIDE_CODES
from socialstats.errors import InputError, NothingToAnalyse, SocialStatsError
from socialstats.tables import Table, as_number, missing_labels
from socialstats.text import count, listing, shorten

MOST, MOST_COLUMNS, MOST_KEYS, FEW = 3, 300, 10, 30
FEW_COLUMNS = 6  # in a table with more, whole numbers name units, raters or conditions only where they are called so
LEAST = 4.4  # score from which a candidate is worth a line
SURE = 7.0  # score from which a proposal may stand beside an error about the columns' own names
SQUARE = 60  # labels of a cross table that is recognised by itself
UNITS = (
    "unit", "item", "id", "question", "subject", "subj", "participant", "person", "student", "patient", "case", "story",
    "sample", "plot", "plant", "product", "produit", "object", "essay", "text", "image", "photo", "stimulus", "couple",
    "worker", "scenario", "trial", "specimen", "compound", "task", "prompt", "respondent", "idstud", "ss", "pair", "block", "twin",
    "litter", "household", "dyad", "family", "fruit", "animal", "mouse", "wine", "bottle", "video", "post",
)  # fmt: skip
RATERS = (
    "rater", "judge", "juge", "coder", "annotator", "assessor", "panelist", "observer", "expert", "grader", "evaluator",
    "reviewer", "examiner", "doctor", "physician", "radiologist", "neurologist", "pathologist", "reader", "scorer",
    "consumer", "taster", "panellist", "voter", "obs", "surgeon", "abstractor",
)  # fmt: skip
CONDITIONS = (
    "condition", "cond", "time", "phase", "treatment", "treat", "trt", "arm", "group", "period", "session", "visit",
    "stage", "wave", "method", "meth", "type", "version", "drug", "dose", "day", "week", "when", "eye", "hand", "prompt", "year", "month",
    "site", "location", "formulation",
    "model", "machine", "metric", "hour", "setting",
)  # fmt: skip
VALUES = (
    "value", "score", "rating", "response", "y", "answer", "outcome", "result", "evaluation", "performance", "effort",
    "correct", "measurement", "reading", "label", "accuracy", "acc", "action", "decision",
    "verdict", "choice", "grade", "category", "reply", "stance", "code", "mark", "points",
)  # fmt: skip
DERIVED = ("diff", "difference", "delta", "change", "gain", "total", "sum", "mean", "average")
REPEATS = ("rep", "repl", "replicate", "replication", "repeat", "session", "run", "epoch", "trial", "occasion")
OPPOSITES = (
    ("before", "after"), ("pre", "post"), ("left", "right"), ("l", "r"), ("baseline", "followup"), ("control", "treatment"),
    ("old", "new"), ("male", "female"), ("husband", "wife"), ("father", "son"), ("mother", "daughter"), ("x", "y"),
    ("a", "b"), ("i", "ii"), ("1", "2"), ("one", "two"), ("first", "second"), ("placebo", "drug"), ("0", "1"), ("on", "off"),
)  # fmt: skip


@dataclass(slots=True, kw_only=True)
class Proposal:
    """One way to read a table: settings of the command line, how likely it is, and what it says in a few words."""

    design: str
    settings: dict[str, Any]
    score: float
    means: str


@dataclass(eq=False)
class Column:
    """What a column holds."""

    name: str
    levels: tuple[str, ...]
    rows: int
    filled: int
    tokens: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])", " ", self.name)
        self.tokens = tuple(token for token in re.split(r"[\W_]+", spaced.casefold()) if token)

    @cached_property
    def numbers(self) -> list[float] | None:
        """Return the values as numbers; None where one is none."""
        found = [as_number(level) for level in self.levels]
        return [x for x in found if x is not None] if found and None not in found else None

    @property
    def whole(self) -> bool:
        """Whether all values are whole numbers from 0 upwards."""
        return self.numbers is not None and all(x >= 0 and x.is_integer() for x in self.numbers)

    @property
    def unique(self) -> bool:
        """Whether every row has a value of its own."""
        return len(self.levels) == self.rows

    @property
    def labels_units(self) -> bool:
        """Whether the column can name units: text or whole numbers, with a value in every row."""
        return self.filled == self.rows and len(self.levels) > 1 and (self.numbers is None or self.whole)

    def called(self, names: Sequence[str]) -> bool:
        """Whether a word of the column's name is one of these, in singular or plural."""
        return any(token in names or token.removesuffix("s") in names or token.removesuffix("id") in names
                   for token in (*self.tokens, bare(self.name)))  # fmt: skip


class Seen:
    """The columns of a table as the generators look at them."""

    def __init__(self, table: Table) -> None:
        self.table = table
        na = missing_labels(())
        self.columns: dict[str, Column] = {}
        for name in table.columns[:MOST_COLUMNS]:
            try:
                cells = table.counts([name])
                labels = cells.columns[name].labels(na)
            except (InputError, TypeError):  # it holds no labels
                continue
            rows = int(cells.n.sum())
            filled = int(cells.n[labels.codes >= 0].sum())
            self.columns[name] = Column(name=name, levels=labels.levels, rows=rows, filled=filled)
        self.rows = max((column.rows for column in self.columns.values()), default=0)
        self.frequencies = frequency_columns(table, (), na)

    def all(self) -> list[Column]:
        """Return the columns that vary and are no frequencies."""
        return [c for c in self.columns.values() if len(c.levels) > 1 and c.name not in self.frequencies]

    def distinct(self, names: Sequence[str]) -> bool:
        """Whether the combinations of some columns are all different."""
        return float(self.table.counts(list(dict.fromkeys(names))).n.max(initial=0)) == 1.0

    def constant(self, inner: str, outer: str) -> bool:
        """Whether a column has one value for each value of another."""
        return len(self.table.counts([inner, outer]).n) == len(self.columns[outer].levels)

    @cached_property
    def long(self) -> bool:
        """Whether a column called like a unit or a rater repeats its labels: a table of several rows a unit."""
        return any(c.labels_units and 1 < len(c.levels) <= self.rows / 2 and c.called((*UNITS, *RATERS))
                   for c in self.columns.values())  # fmt: skip

    def joint_key(self, unit: Column, other: Column, keys: Sequence[Column]) -> list[str] | None:
        """Return the unit, with one or two columns that tell its repeated rows apart, so that it meets `other` once.

        None where there are no such columns, or where few units meet `other` twice.
        """
        leading = [c for c in [*self.columns.values()][:FEW_COLUMNS] if c.labels_units and c.whole and len(c.levels) <= 12]
        more = [c for c in dict.fromkeys([*keys, *leading]) if c not in (unit, other) and not self.constant(c.name, unit.name)]
        more = sorted(more, key=lambda c: (not c.called((*REPEATS, *CONDITIONS)), c.called(RATERS)))[:5]
        found = next((
            [unit.name, *(c.name for c in added)] for size in (0, 1, 2) for added in combinations(more, size)
            if self.distinct([unit.name, *(c.name for c in added), other.name])
        ), None)  # fmt: skip
        if found is None or self.rows < 1.3 * len(self.table.counts(found).n):
            return None
        return found

    def row_id(self, but: Sequence[str] = ()) -> str | None:
        """Return a column that names the rows: called so, or first, with a value of its own in every row."""
        free = [c for c in self.columns.values() if c.name not in but and c.unique and c.labels_units]
        named = [c for c in free if c.called(UNITS) or not c.name.strip()]
        first = [c for c in free if c.name == next(iter(self.columns)) and c.numbers is None]
        return next((c.name for c in (*named, *first)), None)


def share(one: Column, other: Column) -> float:
    """Return the labels that two columns have in common, as a share of the shorter list."""
    both = len({*one.levels} & {*other.levels})
    return both / max(1, min(len(one.levels), len(other.levels)))


def paired_names(one: Column, other: Column) -> bool:
    """Whether the names differ in one word, number or letter that stands for two conditions or sides."""
    if partner_of(one.name, 0, [other.name]) == other.name:
        return True
    a, b = bare(one.name), bare(other.name)
    for x, y in OPPOSITES:
        for first, second in ((a, b), (b, a)):
            if (first.startswith(x) and first.removeprefix(x) == second.removeprefix(y) and second.startswith(y)) or (
                first.endswith(x) and second.endswith(y) and first.removesuffix(x) == second.removesuffix(y)
            ):
                return True
    return len(a) > 2 and len(a) == len(b) and sum(x != y for x, y in zip(a, b, strict=True)) == 1


def same_scale(one: Column, other: Column) -> bool:
    """Whether two columns of numbers have overlapping ranges and spreads of one size, or two columns share labels."""
    if one.numbers is None or other.numbers is None:
        return one.numbers is other.numbers is None and share(one, other) >= 0.5 and len(one.levels) <= FEW
    x, y = np.array(one.numbers), np.array(other.numbers)
    low, high = max(x.min(), y.min()), min(x.max(), y.max())
    wide = max(np.ptp(x), np.ptp(y))
    return bool(high - low >= 0.25 * wide and min(np.ptp(x), np.ptp(y)) >= 0.2 * wide > 0)


def value_settings(columns: Sequence[Column], design: str) -> dict[str, Any]:
    """Return the levels or scale that texts need; numbers and opposites need none."""
    levels = sorted({level for column in columns for level in column.levels})
    if all(as_number(level) is not None for level in levels) or {x.casefold() for x in levels} <= {"true", "false"}:
        return {}
    if {x.casefold() for x in levels} <= {"yes", "no"}:
        return {}
    order = ordered(levels) if len(levels) <= FEW and max(map(len, levels)) > 1 else []
    if design == "paired" and not order and len(levels) == 2:
        return {"levels": levels}
    return {"levels": order} if order else {"scale": "nominal"}


def kappa(square: Any) -> float:
    """Return Cohen's kappa of a square table of counts."""
    p = np.nan_to_num(np.asarray(square, dtype=np.float64))
    p = p / p.sum()
    chance = float(p.sum(axis=0) @ p.sum(axis=1))
    return (float(np.trace(p)) - chance) / (1 - chance) if chance < 1 else 0.0


AGREE = 0.4  # kappa from which a table of counts is rather one of two raters than one of two conditions


def square_tables(seen: Seen) -> Iterator[Proposal]:
    """Look for a cross table: the labels of the header again in the first column, or as many rows as columns."""
    if not 2 <= seen.rows <= SQUARE or seen.rows not in (len(seen.table.columns), len(seen.table.columns) - 1):
        return
    try:
        square = crosstab(seen.table)
    except InputError:
        return
    cells, k = square.to_numpy(), len(square)
    off = cells[~np.eye(k, dtype=bool)]
    if np.isnan(off).all() or (np.nan_to_num(off) < 0).any() or (np.nan_to_num(off) % 1 != 0).any():
        return
    filled = np.nan_to_num(cells)
    symmetric = bool((filled == filled.T).all())
    named = len(seen.table.columns) == seen.rows + 1
    if not np.nan_to_num(np.diag(cells)).any():
        if not symmetric or (filled == 1).all():
            beat = win_counts(square)["item_a"]
            yield Proposal(design="comparisons", settings={"design": "comparisons", "crosstab": True}, score=9,
                           means=f"wins of the row over the column, {count(len(beat), 'pair')} that met")  # fmt: skip
        return
    if np.isnan(cells).any() or (symmetric and k > 2):
        return
    agree = kappa(cells)
    judged = agree >= AGREE
    if not named and not judged:
        return
    extra = {"scale": "nominal"}
    yield Proposal(design="ratings", settings={"design": "ratings", "crosstab": True} | extra, score=9 if judged else 8,
                   means="counts of two raters")  # fmt: skip
    yield Proposal(design="paired", settings={"design": "paired", "crosstab": True} | ({"levels": list(square.index)} if k == 2 else extra),
                   score=8 if judged else 9, means="counts of matched pairs, two conditions")  # fmt: skip
    if named and k > 2:
        yield Proposal(design="comparisons", settings={"design": "comparisons", "crosstab": True}, score=7,
                       means="wins of the row over the column; the diagonal is left out")  # fmt: skip


def counted_tables(seen: Seen) -> Iterator[Proposal]:
    """Look for two columns of the same few labels beside a column of frequencies, or several columns of raters."""
    if not seen.frequencies:
        return
    times = seen.frequencies[0]
    labels = [c for c in seen.all() if 2 <= len(c.levels) <= SQUARE and c.labels_units]
    if not seen.distinct([c.name for c in seen.columns.values() if c.name != times]):
        return
    for a, b in combinations(labels, 2):
        if share(a, b) < 0.6 or (len(labels) > 2 and len(a.levels) == 2 and not paired_names(a, b)):
            continue
        cells = seen.table.counts([a.name, b.name, times])
        one, other, n = (cells.columns[c].labels() for c in (a.name, b.name, times))
        every = sorted({*a.levels, *b.levels})
        square = np.zeros((len(every), len(every)))
        for i, j, f, rows in zip(one.codes, other.codes, n.codes, cells.n, strict=True):
            square[every.index(one.levels[i]), every.index(other.levels[j])] += rows * (as_number(n.levels[f] or "0") or 0)
        beaten = a.called(("winner", "win")) or b.called(("loser", "lose"))
        if not np.trace(square) or beaten:
            yield Proposal(design="comparisons", score=8, means=f"'{a.name}' won against '{b.name}' so often",
                           settings={"map": [f"item_a={a.name}", f"item_b={b.name}", f"winner={a.name}"], "count": times})  # fmt: skip
            continue
        raters = kappa(square) >= AGREE and not paired_names(a, b) or a.called(RATERS) or b.called(RATERS)
        ratings, pairs = value_settings((a, b), "ratings"), value_settings((a, b), "paired")
        yield Proposal(design="ratings", settings={"raters": [a.name, b.name], "count": times} | ratings,
                       score=8 if raters else 7, means="counts of units by two raters")  # fmt: skip
        yield Proposal(design="paired", settings={"map": [f"first={a.name}", f"second={b.name}"], "count": times} | pairs,
                       score=7 if raters else 8, means="counts of matched pairs")  # fmt: skip
    if len(labels) > 2 and all(share(a, b) == 1 for a, b in combinations(labels, 2)) and len(labels[0].levels) <= FEW:
        yield Proposal(design="ratings", score=8.5, means=f"patterns of {count(len(labels), 'rater')}, with how often each occurred",
                       settings={"raters": [c.name for c in labels], "count": times} | value_settings(labels, "ratings"))  # fmt: skip


def winners_and_losers(seen: Seen) -> Iterator[Proposal]:
    """Look for a column of winners and one of losers."""
    won = [c for c in seen.all() if c.called(("winner", "win", "victor")) and c.labels_units]
    lost = [c for c in seen.all() if c.called(("loser", "lose", "lost")) and c.labels_units]
    for a in won:
        for b in lost:
            if share(a, b) < 0.3 or a.tokens[1:] != b.tokens[1:]:
                continue
            settings: dict[str, Any] = {"map": [f"item_a={a.name}", f"item_b={b.name}", f"winner={a.name}"]}
            flags = [c for c in seen.all() if bare(c.name) in TIE_COUNTS and {x.casefold() for x in c.levels} == {"true", "false"}]
            if flags:
                settings["exclude"] = [f"{flags[0].name}={next(x for x in flags[0].levels if x.casefold() == 'true')}"]
            yield Proposal(design="comparisons", settings=settings, score=9, means=f"'{a.name}' won, '{b.name}' lost")


def contests(seen: Seen) -> Iterator[Proposal]:
    """Look for two columns of the same items and one that says who won: by label, side, score, or counts of wins."""
    labels = [c for c in seen.all() if c.labels_units and len(c.levels) >= 3][:MOST_KEYS]
    for a, b in combinations(labels, 2):
        sides = paired_names(a, b) or any({x, y} <= {*a.tokens, *b.tokens} for x, y in (*SIDE_WORDS, ("home", "visitor")))
        if share(a, b) < 0.5 or not (sides or (a.numbers is None and a.called(b.tokens)) or share(a, b) >= 0.7):
            continue
        if (a.numbers is not None and not sides and (a.tokens, b.tokens) != (("i",), ("j",))) or _meet_themselves(seen, a, b):
            continue
        base = [f"item_a={a.name}", f"item_b={b.name}"]
        yield from _wins(seen, a, b, base)
        yield from _scores(seen, a, b, base)
        for c in seen.all():
            if c in (a, b):
                continue
            told = _result(c, a, b)
            if told is None:
                continue
            named = c.called(("winner", "won", "result", "outcome", "choice", "preferred", "vote"))
            score = 8 + (0.5 if named else -1.5) + (0.3 if c.called(("match", "final", "overall", "game")) else 0)
            yield Proposal(design="comparisons", settings={"map": [*base, f"winner={c.name}"]} | told, score=score,
                           means=f"'{a.name}' against '{b.name}', '{c.name}' says who won")  # fmt: skip


def _meet_themselves(seen: Seen, a: Column, b: Column) -> bool:
    cells = seen.table.counts([a.name, b.name])
    one, other = (cells.columns[c.name].labels() for c in (a, b))
    same = [one.levels[i] == other.levels[j] for i, j in zip(one.codes, other.codes, strict=True)]
    return float(cells.n[np.array(same, dtype=bool)].sum()) > 0


def _result(c: Column, a: Column, b: Column) -> dict[str, Any] | None:
    """Return the settings that read a column as results of two items; None where it cannot be that."""
    levels, items = {*c.levels}, {*a.levels, *b.levels}
    if len(levels) > max(FEW, len(items) + 3):
        return None
    rest = levels - items
    if len(levels & items) > (1 if c.numbers is None else max(5, len(items) / 3)) and len(rest) <= 2:
        return {"tie": sorted(rest)} if rest - {"tie"} else {}
    if levels <= {"1", "0.5", "0"} and "1" in levels and "0" in levels and c.numbers is not None:
        return {"winner_coding": "score"}
    for scheme in ((a.name, b.name), *SIDE_CODES):
        rest = levels - {*scheme}
        if {*scheme} <= levels and len(rest) <= 1 and len(levels) > 1:
            return {"winner_coding": "side"} | ({"tie": sorted(rest)} if rest else {})
    return None


def _scores(seen: Seen, a: Column, b: Column, base: list[str]) -> Iterator[Proposal]:
    """Look for two columns of scores: named like two sides, goals, points or scores, on one scale."""
    numbers = [c for c in seen.all() if c.numbers is not None and c not in (a, b)]
    for x, y in combinations(numbers[:MOST_KEYS], 2):
        told = [c.called(("score", "point", "goal", "rating", "pts")) for c in (x, y)]
        if all(told) and same_scale(x, y) and len(x.tokens) == len(y.tokens):
            yield Proposal(design="comparisons", settings={"map": [*base, f"score_a={x.name}", f"score_b={y.name}"]}, score=7.8,
                           means=f"'{a.name}' against '{b.name}', the higher of '{x.name}' and '{y.name}' wins")  # fmt: skip


def _wins(seen: Seen, a: Column, b: Column, base: list[str]) -> Iterator[Proposal]:
    """Look for counts of wins: two columns called so, or two (and ties) that add up to a third."""
    whole = [c for c in seen.columns.values() if c.whole and c not in (a, b)]
    pairs = [(x, y) for x, y in combinations(whole, 2) if x.called(WIN_WORDS) and y.called(WIN_WORDS) and paired_names(x, y)]
    means = f"'{a.name}' against '{b.name}', counts of wins"
    for x, y in pairs:
        found = [f"wins_a={x.name}", f"wins_b={y.name}"]
        gaps = x.filled < x.rows or y.filled < y.rows
        yield Proposal(design="comparisons", settings={"map": [*base, *found]} | ({"missing": "drop"} if gaps else {}),
                       score=8.8 - 0.1 * len(x.tokens), means=means)  # fmt: skip
    if pairs or not 3 <= len(whole) <= 6:
        return
    for total in whole:
        others = [c for c in whole if c is not total and c.tokens[-1:] and len(c.name) == len(total.name)]
        for parts in (others, ) if 2 <= len(others) <= 3 else ():
            cells = seen.table.counts([c.name for c in (total, *parts)])
            values = [[float(x) for x in np.array(cells.columns[c.name].labels().levels)[cells.columns[c.name].labels().codes]]
                      for c in (total, *parts)]  # fmt: skip
            if np.allclose(values[0], np.sum(values[1:], axis=0)):
                wins = sorted(parts, key=lambda c: not c.name[:1].casefold() == "w")
                found = [f"wins_a={wins[0].name}", f"wins_b={wins[1].name}", *(f"ties={c.name}" for c in wins[2:])]
                yield Proposal(design="comparisons", settings={"map": [*base, *found]}, score=8, means=means)


def wide_tables(seen: Seen) -> Iterator[Proposal]:
    """Look for columns of one scale, a row a unit: two conditions, or several raters."""
    identity = seen.row_id()
    values = [c for c in seen.columns.values() if c.name != identity and c.name not in seen.frequencies and c.levels
              and not (c.unique and c.numbers is None) and not c.called((*DERIVED, *REPEATS))
              and not (len(c.tokens) == 1 and c.called((*UNITS, *RATERS)) and c.labels_units)
              and (c.numbers is not None or len(c.levels) <= FEW)]  # fmt: skip
    less = 3.0 if seen.long else 0.0
    keep = {"map": [f"unit={identity}"]} if identity is not None and identity.strip() else {}
    for group in _alike(values, identity is not None or len(values) == len(seen.columns) == 2):
        names = [c.name for c in group]
        stems = {_stem(name) for name in names}
        raters = (len(stems) == 1 and stems <= RATER_STEMS) or any(c.called(RATERS) for c in group) or _initials(names)
        items = bool(item_suspects(names)) and not raters
        pairs = [(x, y) for x, y in combinations(group[:MOST_KEYS], 2) if paired_names(x, y)]
        lone = len(group) == 2 and len([c for c in values if c.numbers is not None]) <= 2
        discrete = all(len(c.levels) <= FEW and (c.whole or c.numbers is None) for c in group)
        many = len(group) > 3 and len(group) >= len(values) - 1
        if not (pairs or raters or many) and group[0].numbers is None and len({c.levels for c in group}) > 1:
            continue
        if discrete or raters:
            score = (5.2 if len(group) > 3 else 4) if items else 7.5 if raters or (many and len(stems) == 1) else 6.5 if len(group) > 2 and many else 4.5
            yield Proposal(design="ratings", means=f"{count(len(group), 'rater')}, a column each", score=score - less,
                           settings={"raters": names} | value_settings(group, "ratings") | keep)  # fmt: skip
        if (raters and len(group) > 2) or (len(group) > 8 and not (pairs and not items)):
            continue
        first, second = _later_first(*(pairs[0] if pairs else (group[0], group[1])))
        gaps = {"missing": "drop"} if any(c.filled < c.rows for c in (first, second)) else {}
        entries = {"map": [*keep.get("map", []), f"first={first.name}", f"second={second.name}"]}
        score = 5 if items else (6.4 if many and discrete else 7.3) if pairs else 6.8 if lone else 6
        yield Proposal(design="paired", score=score - less,
                       settings=entries | value_settings((first, second), "paired") | gaps,
                       means=f"'{first.name}' minus '{second.name}', a row a unit")  # fmt: skip


def _stem(name: str) -> str:
    """Return a name without its numbers, and without a single capital letter at its end."""
    return bare(re.sub(r"\d+|(?<=[a-z_. ])[A-Z]\W*$", "", name.strip()))


def _alike(values: Sequence[Column], named_rows: bool) -> list[list[Column]]:
    """Return groups of columns that are called alike, or else of one scale, the largest first."""
    found: dict[str, list[Column]] = {}
    for column in values:
        if column.tokens[1:] or column.name[-1:].isdigit():
            found.setdefault(_stem(column.name), []).append(column)
    named = [g for g in found.values() if len(g) > 1 and len({c.numbers is None for c in g}) == 1]
    rest = [c for c in values if not any(c in g for g in named)]
    scaled: list[list[Column]] = []
    for column in rest:
        home = next((g for g in scaled if same_scale(g[0], column)), None)
        if home is None:
            scaled.append([column])
        else:
            home.append(column)
    short = [c for c in values if len(c.levels) <= MOST_KEYS]
    levels = {*max((c.levels for c in short), key=len, default=())}
    whole = [c for c in short if {*c.levels} <= levels]
    every = [whole] if len(whole) > 3 and len(whole) >= len(values) - 1 else []
    lone = [c for c in values if c.numbers is not None and len(c.levels) > 1]
    both = [lone] if named_rows and len(lone) == 2 and not (named or any(len(g) > 1 for g in scaled)) else []
    groups = sorted((g for g in (*named, *scaled) if len(g) > 1 and any(len(c.levels) > 1 for c in g)), key=len, reverse=True)
    return [*(g for g in every if g not in groups), *groups, *both][:3]


def _initials(names: Sequence[str]) -> bool:
    return len(names) > 2 and all(re.fullmatch(r"[A-Z]{1,3}", name.strip()) for name in names)


def _later_first(one: Column, other: Column) -> tuple[Column, Column]:
    """Put what comes later first, so that differences are changes: after minus before."""
    later = ("after", "post", "followup", "new", "treatment")
    return (other, one) if other.called(later) or bare(other.name).startswith(later) else (one, other)


def fleiss_tables(seen: Seen) -> Iterator[Proposal]:
    """Look for counts of raters by level: whole numbers whose sums over the columns are one number, or small."""
    columns = [c for c in seen.columns.values() if c.whole and not (c.unique and c.called(UNITS))]
    if len(columns) < 2 or seen.rows < 3:
        return
    cells = seen.table.counts([c.name for c in columns])
    values = np.array([[float(cells.columns[c.name].labels().levels[k]) for k in cells.columns[c.name].labels().codes]
                       for c in columns]) if all(c.filled == c.rows for c in columns) else None  # fmt: skip
    if values is None:
        return
    sums, zeros = values.sum(axis=0), float((values == 0).mean())
    if sums.min() < 2 and zeros < 0.4 or sums.max() > 1000 or len(columns) > FEW:
        return
    steady = len(set(sums.tolist())) == 1 and seen.rows > 2
    if not steady and (item_suspects([c.name for c in columns]) or zeros < 0.4 or sums.max() > 2 * np.median(sums) + 2):
        return
    identity = seen.row_id(but=[c.name for c in columns])
    settings: dict[str, Any] = {"level_columns": [c.name for c in columns], "scale": "nominal"}
    if identity is not None and identity.strip():
        settings["map"] = [f"unit={identity}"]
    yield Proposal(design="ratings", settings=settings, score=9 if steady and zeros > 0 else 7.7 if zeros >= 0.4 else 6,
                   means="how many raters gave the unit each level")  # fmt: skip


def transposed_tables(seen: Seen) -> Iterator[Proposal]:
    """Look for a row a rater: a column called so with a value of its own in every row, and a column a unit."""
    named = [c for c in seen.columns.values() if c.unique and c.called((*RATERS, "model", "llm", "system"))]
    if not named:
        return
    rest = [c for c in seen.columns.values() if c is not named[0]]
    if len(rest) > 2 and len({_stem(c.name) for c in rest}) == 1:
        yield Proposal(design="ratings", score=8, means=f"a row a rater, {count(len(rest), 'unit')} in columns",
                       settings={"map": [f"rater={named[0].name}"], "units": [c.name for c in rest]} | value_settings(rest, "ratings"))  # fmt: skip


def long_tables(seen: Seen) -> Iterator[Proposal]:
    """Look for a unit, a rater or condition, and a value in a long table: keys whose combinations are all different."""
    keys = [c for c in seen.columns.values() if c.labels_units and not c.unique and (len(c.levels) <= seen.rows / 2)
            and (c.numbers is None or len(seen.columns) <= FEW_COLUMNS or c.called((*UNITS, *RATERS, *CONDITIONS, *REPEATS)))
            and c.name not in seen.frequencies][:MOST_KEYS]  # fmt: skip
    values = [c for c in seen.all() if c.numbers is not None or len(c.levels) <= FEW]
    for unit, other in permutations(keys, 2):
        if len(unit.levels) < 2 or other.called(UNITS) and not unit.called(UNITS) or unit.called((*CONDITIONS, *REPEATS)) and not unit.called(UNITS):
            continue
        if seen.constant(other.name, unit.name) or other.called(REPEATS):
            continue
        nested = seen.constant(unit.name, other.name)  # each rater rates one unit: no condition is like that
        if nested and not other.called(RATERS):
            continue
        joint = seen.joint_key(unit, other, keys)
        if joint is None:
            continue
        told = [c for c in values if c.name not in (*joint, other.name)
                and not seen.constant(c.name, unit.name) and not seen.constant(c.name, other.name)]  # fmt: skip
        free = [c for c in told if not (c in keys and c.called((*UNITS, *RATERS, *CONDITIONS, *REPEATS)))]
        numbers = [c for c in free if c.numbers is not None]
        value = next((c for c in free if c.called(VALUES)), (numbers or free or [None])[-1])
        if value is None:
            continue
        full = seen.rows / max(1, len(unit.levels) * len(other.levels) * (len(joint) - 1 or 1))
        rated, cond = other.called(RATERS), other.called(CONDITIONS)
        base = 4 + 1.2 * unit.called(UNITS) + 1.0 * value.called(VALUES) + 0.8 * (full > 0.7) - 0.7 * (len(joint) - 1)
        entries = [f"unit={','.join(joint)}"]
        clusters = {"cluster": [unit.name]} if len(joint) > 1 else {}
        extra = [seen.columns[name] for name in joint[1:]]
        apart = len(extra) == 1 and len(extra[0].levels) <= 12 and not extra[0].called(REPEATS) and other.called(RATERS)
        if len(other.levels) <= max(FEW, 2 * len(unit.levels)) or rated:
            more = {"by": extra[0].name} if apart else clusters
            entry = f"unit={unit.name}" if apart else entries[0]
            score = base + (2 if rated else 0 if cond else 0.3) - 0.5 * (len(other.levels) > len(unit.levels) and not rated)
            yield Proposal(design="ratings", settings={"map": [entry, f"rater={other.name}", f"value={value.name}"]} | more
                           | value_settings([value], "ratings"), score=score, means=f"'{other.name}' rates '{unit.name}', '{value.name}' is the rating")  # fmt: skip
        if not nested and 2 <= len(other.levels) <= 12 and (not rated or len(other.levels) == 2):
            chosen = value_settings([value], "paired") | clusters | {"conditions": list(_conditions(other))}
            gaps = {"missing": "drop"} if full < 1 or value.filled < value.rows else {}
            score = base + (1.5 if cond else 0) + (0.6 if len(other.levels) == 2 else 0.2)
            yield Proposal(design="paired", score=score, means=f"'{value.name}' of the same '{unit.name}' under two of '{other.name}'",
                           settings={"map": [*entries, f"condition={other.name}", f"value={value.name}"]} | chosen | gaps)  # fmt: skip


def _conditions(column: Column) -> tuple[str, str]:
    """Return two conditions, what comes later first where the labels say so."""
    first, second = column.levels[0], column.levels[1]
    for x, y in (("pre", "post"), ("before", "after"), ("baseline", "followup"), ("control", "treatment")):
        low = next((level for level in column.levels if bare(level).startswith(x)), None)
        high = next((level for level in column.levels if bare(level).startswith(y)), None)
        if low is not None and high is not None:
            return high, low
    return first, second


GENERATORS: tuple[Callable[[Seen], Iterator[Proposal]], ...] = (
    square_tables, counted_tables, winners_and_losers, contests, fleiss_tables, wide_tables, transposed_tables, long_tables,
)  # fmt: skip


def proposals(table: Table, said: Mapping[str, Any], reads: Callable[[dict[str, Any]], Any]) -> list[Proposal]:
    """Return at most three ways to read a table, the most likely first, each of which reads it.

    Parameters
    ----------
    table : Table
    said : mapping
        Settings that were given; they stay.
    reads : callable
        Settings -> design; raises `SocialStatsError` where the table cannot be read so.
    """
    seen = Seen(table)
    found: list[Proposal] = []
    for make in GENERATORS:
        found += make(seen)
    done: list[Proposal] = []
    kinds: list[tuple[str, str]] = []
    for one in sorted(found, key=lambda p: -p.score):
        settings = {**one.settings, **{key: value for key, value in said.items() if value not in (None, [], "")}}
        entries = [*words(said.get("map")), *words(one.settings.get("map"))]
        parts = [entry.partition("=")[0] for entry in entries]
        settings |= {"map": [e for k, e in enumerate(entries) if parts.index(parts[k]) == k]} if entries else {}
        kind = (one.design, one.means)
        if one.score < LEAST or kind in kinds or [k for k, _ in kinds].count(one.design) == 2:
            continue
        try:
            reads(settings)
        except (SocialStatsError, NothingToAnalyse, AssertionError):
            continue
        kinds.append(kind)
        done.append(Proposal(design=one.design, settings=settings, score=one.score, means=one.means))
        if len(done) == MOST:
            break
    return done


OPTIONS = {
    "map": "--map", "cluster": "--cluster", "by": "--by", "where": "--where", "exclude": "--exclude", "tie": "--tie",
    "na": "--na", "missing": "--missing", "winner_coding": "--winner-coding", "conditions": "--conditions",
    "levels": "--levels", "scale": "--scale", "raters": "--raters", "level_columns": "--level-columns", "units": "--units", "count": "--count",
    "design": "--design", "crosstab": "--crosstab", "study": "--study", "strata": "--strata", "refusal": "--refusal",
}  # fmt: skip
JOINED = ("conditions", "levels", "raters", "level_columns", "units")


def command(path: str, settings: Mapping[str, Any], name: str = "report") -> str:
    """Return a complete command line."""
    typed = ["socialstats", name, path]
    for key in ("design", "study", *(k for k in settings if k not in ("design", "study"))):
        value = settings.get(key)
        if value in (None, []) or key not in OPTIONS:
            continue
        if value is True:
            typed.append(OPTIONS[key])
        elif key in JOINED:
            typed += [OPTIONS[key], ",".join(f'"{v}"' if "," in v or v != v.strip() else v for v in value)]
        else:
            for one in words(value):
                typed += [OPTIONS[key], one]
    return shlex.join(typed)


def seen_words(table: Table) -> str:
    """Return what a table holds in a paragraph: rows, columns, and what stands in the first ones."""
    seen = Seen(table)
    told = []
    for column in [*seen.columns.values()][:8]:
        levels, name = column.levels, shorten(column.name, 30)
        numbers = column.numbers
        if numbers and len(levels) > 6:
            what = f"numbers from {min(numbers):g} to {max(numbers):g}"
        elif len(levels) <= 6:
            what = listing([shorten(level, 20) for level in levels], most=6) or "nothing"
        else:
            what = "a different label in each row" if column.unique else f"{count(len(levels))} labels"
        told.append(f"'{name}' ({what})")
    more = len(table.columns) - len(told)
    rest = f" and {count(more, 'further column')}" if more > 0 else ""
    return f"{shorten(table.source)} has {count(seen.rows, 'row')} and {count(len(table.columns), 'column')}: {', '.join(told)}{rest}."


def proposed(error: NoDesign, path: str) -> str:
    """Return what a table holds and the commands that may be meant, in lines; empty where there is nothing to add."""
    from socialstats.cli.designs import read

    found = proposals(error.table, error.settings, lambda settings: read(error.table, settings))
    if error.design and not (found and found[0].design == error.design and found[0].score >= SURE):
        return ""  # its names fit a design: what is wrong with it has been said
    lines = [f"By what it holds: {seen_words(error.table)}"]
    if not found:
        return "\n".join([*lines, "No two columns of items, no two conditions and no raters were recognised in it."])
    lines.append(f"It may be one of these{', the most likely first' if len(found) > 1 else ''}:")
    for one in found:
        lines += [f"  {command(path, one.settings)}", f"      {one.design}: {one.means}"]
    return "\n".join(lines)

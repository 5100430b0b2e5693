"""What a table may be whose columns fit no design by name: proposed by content, as commands, never taken as read.

Each generator looks for one shape and yields candidates with a score; a candidate is proposed only if its settings read
the table. The words and scores were chosen on 109 public tables of R and Python packages, and measured on 112 others.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, permutations
from typing import Any

import numpy as np

from socialstats.cli.deciding import NoDesign, words
from socialstats.cli.guesses import ordered
from socialstats.designs.aggregate import TIE_COUNTS, WIN_WORDS, bare, frequency_columns
from socialstats.designs.columns import SIDE_WORDS, partner_of
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.levels import other_spelling
from socialstats.designs.paired import Paired
from socialstats.designs.squares import LOSERS, crosstab
from socialstats.designs.suspects import RATER_STEMS, item_suspects
from socialstats.designs.winners import SIDE_CODES
from socialstats.errors import InputError, NothingToAnalyse, SocialStatsError
from socialstats.tables import Table, as_number, missing_labels
from socialstats.text import count, listing, shorten

MOST = 3  # proposals
FEWEST = 3  # matched pairs of a proposal
LEAST = 4.4  # score from which a candidate is worth a line
SURE = 7.0  # score from which a proposal may stand beside an error about columns that fit a design by name
MOST_COLUMNS, MOST_KEYS = 300, 10  # columns that are looked at; columns that may name units, raters or conditions
FEW_COLUMNS = 6  # in a table with more, whole numbers name units only where the column is called so
FEW = 30  # labels of a scale
SQUARE = 60  # labels of a cross table that is recognised by itself
AGREE = 0.4  # kappa from which a table of counts is rather one of two raters than one of two conditions

UNITS = (
    "unit", "item", "id", "question", "subject", "subj", "participant", "person", "student", "patient", "case", "story",
    "sample", "plot", "plant", "product", "produit", "object", "essay", "text", "image", "photo", "stimulus", "couple",
    "worker", "scenario", "trial", "specimen", "compound", "task", "prompt", "respondent", "idstud", "ss",
    "pair", "twin", "block", "litter", "household", "dyad", "family", "fruit", "animal", "mouse", "wine", "bottle",
    "video", "post",
)  # fmt: skip
RATERS = (
    "rater", "judge", "juge", "coder", "annotator", "assessor", "panelist", "panellist", "observer", "obs", "expert",
    "grader", "evaluator", "reviewer", "examiner", "doctor", "physician", "radiologist", "neurologist", "pathologist",
    "surgeon", "abstractor", "reader", "scorer", "consumer", "taster", "voter",
)  # fmt: skip
CONDITIONS = (
    "condition", "cond", "time", "phase", "treatment", "treat", "trt", "arm", "group", "period", "session", "visit",
    "stage", "wave", "method", "meth", "type", "version", "drug", "dose", "day", "week", "month", "year", "hour",
    "when", "eye", "hand", "prompt", "model", "machine", "metric", "setting", "site", "location", "formulation",
)  # fmt: skip
VALUES = (
    "value", "score", "rating", "response", "y", "answer", "outcome", "result", "evaluation", "performance", "effort",
    "correct", "measurement", "reading", "label", "accuracy", "acc", "action", "decision", "verdict", "choice", "grade",
    "category", "reply", "stance", "code", "mark", "points",
)  # fmt: skip
SIDES = (
    *SIDE_WORDS, ("home", "visitor"), ("focal", "other"), ("team", "opponent"), ("player", "opponent"),
    ("visitor", "opponent"), ("attacker", "defender"),
)  # fmt: skip
PERSONS = ("subject", "subj", "participant", "person", "student", "respondent", "id")  # who may rate
DATES = ("date", "year", "month", "week", "day", "hour")
REPEATS = ("rep", "repl", "replicate", "replication", "repeat", "session", "run", "epoch", "trial", "occasion")
DERIVED = ("diff", "difference", "delta", "change", "gain", "total", "sum", "mean", "average")
RATED = ("nraters", "raters", "nratings", "ratings", "njudges")  # how many rated the unit
SCORES = ("score", "point", "goal", "rating", "pts")
WON = ("winner", "won", "result", "outcome", "choice", "preferred", "vote")
LATER = (("pre", "post"), ("before", "after"), ("baseline", "followup"), ("control", "treatment"), ("old", "new"))
OPPOSITES = (
    *LATER, ("left", "right"), ("l", "r"), ("male", "female"), ("husband", "wife"), ("father", "son"), ("x", "y"),
    ("mother", "daughter"), ("a", "b"), ("i", "ii"), ("1", "2"), ("one", "two"), ("first", "second"), ("0", "1"),
    ("placebo", "drug"), ("on", "off"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Proposal:
    """One way to read a table.

    Attributes
    ----------
    design : {"comparisons", "paired", "ratings"}
    score : float
        How likely it is, from 0 to 10.
    means : str
        What the settings say, in a few words.
    settings : dict
        As the command line has them.
    """

    design: str
    score: float
    means: str
    settings: dict[str, Any]


@dataclass(eq=False)
class Column:
    """What a column holds: its labels, the rows of the table, and how many of them have a value."""

    name: str
    levels: tuple[str, ...]
    rows: int
    filled: int
    tokens: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        spaced = re.sub(
            r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z]{2})(?=[a-z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])", " ", self.name
        )
        self.tokens = tuple(token for token in re.split(r"[\W_]+", spaced.casefold()) if token)

    @cached_property
    def numbers(self) -> list[float] | None:
        """The values as numbers; None where one is none."""
        found = [as_number(level) for level in self.levels]
        return [x for x in found if x is not None] if found and None not in found else None

    @cached_property
    def whole(self) -> bool:
        """Whether all values are whole numbers from 0 upwards."""
        return self.numbers is not None and all(x >= 0 and x.is_integer() for x in self.numbers)

    @property
    def unique(self) -> bool:
        """Whether every row has a value of its own."""
        return len(self.levels) == self.rows

    @property
    def names_things(self) -> bool:
        """Whether the column can name units: text or whole numbers, with a value in every row."""
        return self.filled == self.rows and len(self.levels) > 1 and (self.numbers is None or self.whole)

    @property
    def discrete(self) -> bool:
        """Whether the values can be levels of a scale."""
        halves = self.numbers is not None and all((2 * x).is_integer() for x in self.numbers)
        return len(self.levels) <= FEW and (halves or self.numbers is None)

    def called(self, names: Sequence[str]) -> bool:
        """Whether a word of the column's name is, or ends with, one of these, in any number, with or without ``id``."""
        tokens = {*self.tokens, bare(self.name)}
        tokens |= {short for token in tokens for short in (token.removesuffix("s"), token.removesuffix("id"))}
        tokens |= {token.removeprefix("id") for token in tokens}
        return bool(tokens & {*names}) or any(t.endswith(n) for n in names if len(n) > 3 for t in tokens)


class Seen:
    """The columns of a table as the generators look at them."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.columns: dict[str, Column] = {}
        na = missing_labels(())
        for name in table.columns[:MOST_COLUMNS]:
            try:
                cells = table.counts([name])
                labels = cells.columns[name].labels(na)
            except (InputError, TypeError):  # it holds no labels
                continue
            filled = int(cells.n[labels.codes >= 0].sum())
            self.columns[name] = Column(name=name, levels=labels.levels, rows=int(cells.n.sum()), filled=filled)
        self.rows = max((column.rows for column in self.columns.values()), default=0)
        self.frequencies = frequency_columns(table, (), na)

    def varying(self) -> list[Column]:
        """Return the columns that vary and are no frequencies."""
        return [c for c in self.columns.values() if len(c.levels) > 1 and c.name not in self.frequencies]

    def distinct(self, names: Sequence[str]) -> bool:
        """Whether the combinations of some columns are all different."""
        return float(self.table.counts(list(dict.fromkeys(names))).n.max(initial=0)) == 1.0

    def constant(self, inner: Column, outer: Column) -> bool:
        """Whether a column has one value for each value of another."""
        return len(self.table.counts([inner.name, outer.name]).n) == len(outer.levels)

    def values(self, columns: Sequence[Column]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Return the distinct rows of columns of numbers, a row a column."""
        cells = self.table.counts([c.name for c in columns]).columns
        labels = [cells[c.name].labels() for c in columns]
        return np.array([np.array(one.levels, dtype=np.float64)[one.codes] for one in labels])

    @cached_property
    def long(self) -> bool:
        """Whether a column called like a unit or a rater repeats its labels: a table of several rows a unit."""
        every = self.columns.values()
        named = [c for c in every if c.names_things and c.tokens and len(c.levels) <= self.rows / 2]
        return any(c.tokens[-1].removesuffix("id") in (*UNITS, *RATERS) or c.tokens[-1] == "id" for c in named)

    def row_id(self) -> str | None:
        """Return a column that names the rows: called so, without a name, or text at the start."""
        free = [c for c in self.columns.values() if c.unique and c.names_things]
        named = [c for c in free if c.called(UNITS) or not c.name.strip()]
        first = [c for c in free if c.name == next(iter(self.columns)) and c.numbers is None]
        return next((c.name for c in (*named, *first)), None)

    def joint_key(self, unit: Column, other: Column, keys: Sequence[Column]) -> list[str] | None:
        """Return the unit, with one or two columns that tell its repeated rows apart, so that it meets `other` once.

        None where there are no such columns, or where few units meet `other` twice.
        """
        every = [*self.columns.values()]
        leading = [c for c in every[:FEW_COLUMNS] if c.names_things and c.whole and len(c.levels) <= 12]
        more = [c for c in dict.fromkeys([*keys, *leading]) if c not in (unit, other) and not self.constant(c, unit)]
        more = sorted(more, key=lambda c: (not c.called((*REPEATS, *CONDITIONS)), c.called(RATERS)))[:5]
        for size in (0, 1, 2):
            for added in combinations(more, size):
                found = [unit.name, *(c.name for c in added)]
                if self.distinct([*found, other.name]):
                    return found if self.rows >= 1.3 * len(self.table.counts(found).n) else None
        return None


def share(one: Column, other: Column) -> float:
    """Return the labels that two columns have in common, as a share of the shorter list."""
    return len({*one.levels} & {*other.levels}) / max(1, min(len(one.levels), len(other.levels)))


def paired_names(one: Column, other: Column) -> bool:
    """Whether the names differ in one word, number or letter that stands for two conditions or sides."""
    if partner_of(one.name, 0, [other.name]) == other.name:
        return True
    names = bare(one.name), bare(other.name)
    for x, y in OPPOSITES:
        for a, b in (names, names[::-1]):
            if (a.startswith(x) and b.startswith(y) and a.removeprefix(x) == b.removeprefix(y)) or (
                a.endswith(x) and b.endswith(y) and a.removesuffix(x) == b.removesuffix(y)
            ):
                return True
    a, b = names
    return len(a) > 2 and len(a) == len(b) and sum(x != y for x, y in zip(a, b, strict=True)) == 1


def same_scale(one: Column, other: Column) -> bool:
    """Whether two columns of numbers have overlapping ranges and spreads of one size, or two columns share labels."""
    if one.numbers is None or other.numbers is None:
        return one.numbers is other.numbers is None and share(one, other) >= 0.5 and len(one.levels) <= FEW
    x, y = np.array(one.numbers), np.array(other.numbers)
    wide, narrow = max(np.ptp(x), np.ptp(y)), min(np.ptp(x), np.ptp(y))
    return bool(min(x.max(), y.max()) - max(x.min(), y.min()) >= 0.25 * wide and narrow >= 0.2 * wide > 0)


def value_settings(columns: Sequence[Column], design: str) -> dict[str, Any]:
    """Return the levels or scale that texts need; numbers and opposites need none."""
    levels = sorted({level for column in columns for level in column.levels})
    folded = {level.casefold() for level in levels}
    if all(as_number(level) is not None for level in levels) or folded <= {"true", "false"} or folded <= {"yes", "no"}:
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


def square_tables(seen: Seen) -> Iterator[Proposal]:
    """Look for a cross table: the labels of the header again in the first column, or as many rows as columns."""
    if not 2 <= seen.rows <= SQUARE or abs(len(seen.table.columns) - seen.rows) > 2:
        return
    try:
        square = crosstab(seen.table)
    except InputError:
        return
    cells, k, named = square.to_numpy(), len(square), list(square.columns) != list(seen.table.columns)
    filled = np.nan_to_num(cells)
    if not filled.any() or (filled < 0).any() or (filled % 1 != 0).any():
        return
    symmetric = bool((filled == filled.T).all())
    made: dict[str, Any] = {"crosstab": True}
    over = "the column over the row" if bare(seen.table.columns[0]) in LOSERS else "the row over the column"
    won = Proposal("comparisons", 9, f"wins of {over}", {"design": "comparisons", **made})
    if not np.trace(filled):
        if not symmetric or (filled + np.eye(k) == 1).all():
            yield won
        return
    judged = kappa(cells) >= AGREE
    if np.isnan(cells).any() or (symmetric and k > 2) or not (named or judged):
        return
    two = {"levels": list(square.index)} if k == 2 else {"scale": "nominal"}
    yield Proposal(
        "ratings", 9 if judged else 8, "counts of two raters", {"design": "ratings", **made, "scale": "nominal"}
    )
    yield Proposal("paired", 8 if judged else 9, "counts of matched pairs", {"design": "paired", **made, **two})
    if named and k > 2:
        yield replace(won, score=7, means=f"wins of {over}; the diagonal is left out")


def counted_tables(seen: Seen) -> Iterator[Proposal]:
    """Look for two columns of the same few labels beside a column of frequencies, or several columns of raters."""
    times = seen.frequencies[0] if seen.frequencies else ""
    if not times or not seen.distinct([name for name in seen.columns if name != times]):
        return
    labels = [c for c in seen.varying() if len(c.levels) <= SQUARE and c.names_things]
    for a, b in combinations(labels, 2):
        if share(a, b) < 0.6 or (len(labels) > 2 and len(a.levels) == 2 and not paired_names(a, b)):
            continue
        square = counted_square(seen, a, b, times)
        if not np.trace(square) or a.called(("winner", "win")) or b.called(("loser", "lose")):
            parts = [f"item_a={a.name}", f"item_b={b.name}", f"winner={a.name}"]
            score = (
                8
                if a.called(("winner", "win", "cited", "initiator"))
                or b.called(("loser", "lose", "citing", "recipient"))
                else 5
            )
            if not any(c.numbers is not None and c not in (a, b) for c in seen.varying()):
                yield Proposal(
                    "comparisons", score, f"'{a.name}' won against '{b.name}'", {"map": parts, "count": times}
                )
            continue
        judged = a.called(RATERS) or b.called(RATERS) or (kappa(square) >= AGREE and not paired_names(a, b))
        raters = {"raters": [a.name, b.name], "count": times, **value_settings((a, b), "ratings")}
        sides = {"map": [f"first={a.name}", f"second={b.name}"], "count": times, **value_settings((a, b), "paired")}
        yield Proposal("ratings", 8 if judged else 7, "counts of units by two raters", raters)
        yield Proposal("paired", 7 if judged else 8, "counts of matched pairs", sides)
    if len(labels) > 2 and len(labels[0].levels) <= FEW and all(share(a, b) == 1 for a, b in combinations(labels, 2)):
        raters = {"raters": [c.name for c in labels], "count": times, **value_settings(labels, "ratings")}
        yield Proposal("ratings", 8.5, f"patterns of {count(len(labels), 'rater')} and how often each occurred", raters)


def counted_square(seen: Seen, a: Column, b: Column, times: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the frequencies of two columns' labels as a square table."""
    cells = seen.table.counts([a.name, b.name, times])
    one, other, n = (cells.columns[name].labels() for name in (a.name, b.name, times))
    place = {label: k for k, label in enumerate(sorted({*a.levels, *b.levels}))}
    square = np.zeros((len(place), len(place)))
    for i, j, f, rows in zip(one.codes, other.codes, n.codes, cells.n, strict=True):
        square[place[one.levels[i]], place[other.levels[j]]] += rows * (as_number(n.levels[f]) or 0 if f >= 0 else 0)
    return square


def winners_and_losers(seen: Seen) -> Iterator[Proposal]:
    """Look for a column of winners and one of losers; contests that a flag calls undecided are left out."""
    named = [c for c in seen.varying() if c.names_things]
    for a in (c for c in named if c.called(("winner", "win", "victor", "chosen", "preferred", "top", "better"))):
        for b in (c for c in named if c.called(("loser", "lose", "lost", "rejected", "bottom", "worse"))):
            if a is b or share(a, b) < 0.3 or a.tokens[1:] != b.tokens[1:]:
                continue
            settings: dict[str, Any] = {"map": [f"item_a={a.name}", f"item_b={b.name}", f"winner={a.name}"]}
            for flag in (c for c in seen.varying() if bare(c.name) in TIE_COUNTS):
                yes = [level for level in flag.levels if level.casefold() == "true"]
                settings |= {"exclude": [f"{flag.name}={yes[0]}"]} if yes and len(flag.levels) == 2 else {}
            yield Proposal("comparisons", 9, f"'{a.name}' won, '{b.name}' lost", settings)


def contests(seen: Seen) -> Iterator[Proposal]:
    """Look for two columns of the same items and what says who won: a label, a side, a score, or counts of wins."""
    labels = [c for c in seen.varying() if c.names_things and len(c.levels) >= 3][:MOST_KEYS]
    for a, b in combinations(labels, 2):
        two = {*a.tokens, *b.tokens}
        sides = paired_names(a, b) or any({x, y} <= two for x, y in SIDES)
        numbered = a.numbers is not None and not sides and (a.tokens, b.tokens) != (("i",), ("j",))
        if share(a, b) < (0.2 if sides else 0.7) or numbered or meet_themselves(seen, a, b):
            continue
        base, versus = [f"item_a={a.name}", f"item_b={b.name}"], f"'{a.name}' against '{b.name}'"
        for parts, score, means in counts_and_scores(seen, a, b):
            gaps = any(seen.columns[part.partition("=")[2]].filled < seen.rows for part in parts)
            settings = {"map": [*base, *parts], **({"missing": "drop"} if gaps else {})}
            yield Proposal("comparisons", score, f"{versus}, {means}", settings)
        for c in seen.varying():
            told = result_settings(c, a, b) if c not in (a, b) else None
            if told is not None:
                score = 6.5 + 2 * c.called(WON) + 0.3 * c.called(("match", "final", "overall", "game"))
                which = told.pop("words", "")
                settings = {"map": [*base, f"winner={c.name}"], **told}
                yield Proposal("comparisons", score, f"{versus}, '{c.name}' says who won{which}", settings)


def meet_themselves(seen: Seen, a: Column, b: Column) -> bool:
    """Whether a row has the same label in both columns."""
    cells = seen.table.counts([a.name, b.name]).columns
    one, other = cells[a.name].labels(), cells[b.name].labels()
    return any(one.levels[i] == other.levels[j] for i, j in zip(one.codes, other.codes, strict=True))


def result_settings(c: Column, a: Column, b: Column) -> dict[str, Any] | None:
    """Return the settings that read a column as results of two items; None where it cannot be that."""
    levels, items = {*c.levels}, {*a.levels, *b.levels}
    rest = levels - items
    if len(levels & items) > (1 if c.numbers is None else max(5, len(items) / 3)) and len(rest) <= 2:
        return {"tie": sorted(rest)} if rest - {"tie"} else {}
    if {"0", "1"} <= levels <= {"1", "0.5", "0"}:
        return {"winner_coding": "score", "words": f": 1 is '{a.name}'"}
    for scheme in ((a.name, b.name), *SIDE_CODES):
        rest = levels - {*scheme}
        if {*scheme} <= levels and len(rest) <= 1:
            said = f": {scheme[0]} is '{a.name}', {scheme[1]} is '{b.name}'" + (f", {rest.pop()} a tie" if rest else "")
            tied = sorted(levels - {*scheme})
            return {"winner_coding": "side", **({"tie": tied} if tied else {}), "words": said}
    return None


def counts_and_scores(seen: Seen, a: Column, b: Column) -> Iterator[tuple[list[str], float, str]]:
    """Look for counts of wins, called so or adding up to a third column, and for scores of the two sides."""
    numbers = [c for c in seen.columns.values() if c.numbers is not None and c not in (a, b)][: 3 * MOST_KEYS]
    whole = [c for c in numbers if c.whole]
    named = [pair for pair in combinations(whole, 2) if all(c.called(WIN_WORDS) for c in pair) and paired_names(*pair)]
    for x, y in (of_sides(a, b, *pair) for pair in named):
        yield [f"wins_a={x.name}", f"wins_b={y.name}"], 8.8 - 0.1 * len(x.tokens), "counts of wins"
    for x, y in () if named else permutations(whole, 2):
        if x.called((*WIN_WORDS, "w")) and y.called(("losses", "loss", "lost", "l")):
            ties = next((c.name for c in whole if bare(c.name) in {*TIE_COUNTS, "t", "d"}), "")
            counts = [f"wins_a={x.name}", f"wins_b={y.name}", *([f"ties={ties}"] if ties else [])]
            yield counts, 8.5, "counts of wins and losses of the first"
    for x, y in combinations(numbers, 2):
        if x.called(SCORES) and y.called(SCORES) and same_scale(x, y) and len(x.tokens) == len(y.tokens):
            x, y = of_sides(a, b, x, y)
            yield [f"score_a={x.name}", f"score_b={y.name}"], 7.8, "the higher score wins"
    for total in whole if 3 <= len(whole) <= 6 and not named else ():
        parts = [c for c in whole if c is not total and len(c.name) == len(total.name) and c.filled == c.rows]
        if not 2 <= len(parts) <= 3 or total.filled < total.rows:
            continue
        rows = seen.values([total, *parts])
        if np.allclose(rows[0], rows[1:].sum(axis=0)):
            ranked = sorted(parts, key=lambda c: not c.name.casefold().startswith("w"))
            yield (
                [f"{part}={c.name}" for part, c in zip(("wins_a", "wins_b", "ties"), ranked, strict=False)],
                8,
                "counts",
            )


def of_sides(a: Column, b: Column, x: Column, y: Column) -> tuple[Column, Column]:
    """Return two columns in the order of two items: a column belongs to the item with which it shares a word."""

    def shared(one: Column, other: Column) -> float:
        words = {*one.tokens} & {*other.tokens}
        first = one.tokens[:1] and other.tokens[:1] and other.tokens[0][0] == one.tokens[0][0]
        return len(words) + 0.5 * bool(first)

    return (y, x) if shared(a, y) + shared(b, x) > shared(a, x) + shared(b, y) else (x, y)


def wide_tables(seen: Seen) -> Iterator[Proposal]:
    """Look for columns of one scale, a row a unit: two conditions, or several raters."""
    if len(seen.table.columns) > MOST_COLUMNS:  # a group would lack columns that were not looked at
        return
    identity = seen.row_id()
    values = [
        c for c in seen.columns.values()
        if c.levels and c.name != identity and c.name not in seen.frequencies and not c.called((*DERIVED, *REPEATS))
        and (c.numbers is not None or (len(c.levels) <= FEW and not c.unique))
        and not (len(c.tokens) == 1 and c.names_things and c.called((*UNITS, *RATERS))) and bare(c.name) not in DATES
    ]  # fmt: skip
    unit = [f"unit={identity}"] if identity is not None and identity.strip() else []
    less = 3.0 if seen.long else 0.0
    names_all = [name for name in seen.columns if name not in seen.frequencies]
    times = {"count": seen.frequencies[0]} if seen.frequencies and not identity and seen.distinct(names_all) else {}
    for group in alike(values, identity is not None or len(values) == len(seen.columns) == 2):
        names, size = [c.name for c in group], len(group)
        stems = {stem(name) for name in names}
        initials = size > 2 and all(re.fullmatch(r"[A-Z]{1,3}", name.strip()) for name in names)
        raters = initials or (len(stems) == 1 and stems <= RATER_STEMS) or any(c.called(RATERS) for c in group)
        items = bool(item_suspects(names)) and not raters
        pairs = [pair for pair in combinations(group[:MOST_KEYS], 2) if paired_names(*pair)]
        many, discrete = size > 3 and size >= len(values) - 1, all(c.discrete for c in group)
        if not (pairs or raters or many) and group[0].numbers is None and len({c.levels for c in group}) > 1:
            continue
        if discrete or raters:
            score = 6.5 if size > 2 and many else 4.5
            score = (5.2 if size > 3 else 4) if items else 7.5 if raters or (many and len(stems) == 1) else score
            settings = {"raters": names, **times, **value_settings(group, "ratings"), **({"map": unit} if unit else {})}
            yield Proposal("ratings", score - less, f"{count(size, 'rater')}, a column each", settings)
        if (raters and size > 2) or (size > 8 and (items or not pairs)):
            continue
        first, second = later_first(*(pairs[0] if pairs else group[:2]))
        lone = size == 2 and sum(c.numbers is not None for c in values) <= 2
        score = 5 if items else (6.4 if many and discrete else 7.3) if pairs else 6.8 if lone else 6
        settings = {"map": [*unit, f"first={first.name}", f"second={second.name}"], **times}
        settings |= value_settings((first, second), "paired")
        settings |= {"missing": "drop"} if min(first.filled, second.filled) < seen.rows else {}
        yield Proposal("paired", score - less, f"'{first.name}' minus '{second.name}', a row a unit", settings)


def stem(name: str) -> str:
    """Return a name without its numbers, and without a single capital letter at its end."""
    return bare(re.sub(r"\d+|(?<=[a-z_. ])[A-Z]\W*$", "", name.strip()))


def alike(values: Sequence[Column], rows_named: bool) -> list[list[Column]]:
    """Return at most three groups of columns that are called alike, or else of one scale, the largest first."""
    by_name: dict[str, list[Column]] = {}
    for column in values:
        if column.tokens[1:] or column.name[-1:].isdigit():
            by_name.setdefault(stem(column.name), []).append(column)
    groups = [g for g in by_name.values() if len(g) > 1 and len({c.numbers is None for c in g}) == 1]
    scaled: list[list[Column]] = []
    for column in [c for c in values if not any(c in g for g in groups)]:
        home = next((g for g in scaled if same_scale(g[0], column)), None)
        if home is None:
            scaled.append([column])
        else:
            home.append(column)
    groups += scaled
    groups = sorted((g for g in groups if len(g) > 1 and any(len(c.levels) > 1 for c in g)), key=len, reverse=True)
    short = [c for c in values if len(c.levels) <= MOST_KEYS]
    longest = {*max((c.levels for c in short), key=len, default=())}
    one_scale = [c for c in short if {*c.levels} <= longest]
    if len(one_scale) > 3 and len(one_scale) >= len(values) - 1 and one_scale not in groups:
        groups = [one_scale, *groups]
    numbers = [c for c in values if c.numbers is not None and len(c.levels) > 1]
    return groups[:3] or ([numbers] if rows_named and len(numbers) == 2 else [])


def later_first(one: Column, other: Column) -> tuple[Column, Column]:
    """Put what comes later first, so that a difference is a change: after minus before."""
    return (other, one) if any(bare(other.name).startswith(y) or other.called((y,)) for _, y in LATER) else (one, other)


def fleiss_tables(seen: Seen) -> Iterator[Proposal]:
    """Look for counts of raters by level: whole numbers that add up to one number in each row, or have many zeros."""
    columns = [c for c in seen.columns.values() if c.whole and not (c.unique and c.called(UNITS))]
    columns = [c for c in columns if not (c.called(DERIVED) or c.name in seen.frequencies or bare(c.name) in RATED)]
    if (
        not 2 <= len(columns) <= FEW
        or seen.rows < 3
        or all(max(c.numbers or [0]) < 2 for c in columns)
        or any(c.filled < c.rows for c in columns)
    ):
        return
    rows = seen.values(columns)
    sums, zeros = rows.sum(axis=0), float((rows == 0).mean())
    steady = len(set(sums.tolist())) == 1 and zeros > 0
    sparse = zeros >= 0.4 and sums.max() <= 2 * np.median(sums) + 2 and not item_suspects([c.name for c in columns])
    if not (steady or sparse) or sums.max() > 1000:
        return
    identity = seen.row_id()
    free = identity is not None and identity.strip() and identity not in [c.name for c in columns]
    settings = {
        "level_columns": [c.name for c in columns],
        "scale": "nominal",
        **({"map": [f"unit={identity}"]} if free else {}),
    }
    yield Proposal("ratings", 9 if steady else 7.7, "how many raters gave the unit each level", settings)


def transposed_tables(seen: Seen) -> Iterator[Proposal]:
    """Look for a row a rater: a column called so with a value of its own in every row, and a column a unit."""
    named = [c for c in seen.columns.values() if c.unique and c.called((*RATERS, "model", "llm", "system"))][:1]
    rest = [c for c in seen.columns.values() if c not in named]
    named = named if len(seen.table.columns) <= MOST_COLUMNS else []
    if named and len(rest) > 2 and len({stem(c.name) for c in rest}) == 1:
        settings = {
            "map": [f"rater={named[0].name}"],
            "units": [c.name for c in rest],
            **value_settings(rest, "ratings"),
        }
        yield Proposal("ratings", 8, f"a row a rater, {count(len(rest), 'unit')} in columns", settings)


def long_tables(seen: Seen) -> Iterator[Proposal]:
    """Look for a unit, a rater or condition, and a value in a long table: keys whose combinations are all different."""
    hints = (*UNITS, *RATERS, *CONDITIONS, *REPEATS)
    keys = [
        c for c in seen.varying() if len(c.levels) <= seen.rows / 2
        and (c.names_things or (c.filled == c.rows and len(c.levels) <= 12 and c.called(CONDITIONS)))
        and (c.numbers is None or len(seen.columns) <= FEW_COLUMNS or c.called(hints))
    ][:MOST_KEYS]  # fmt: skip
    values = [c for c in seen.varying() if c.numbers is not None or len(c.levels) <= FEW]
    for unit, other in permutations(keys, 2):
        persons = other.called(PERSONS) and not unit.called((*PERSONS, *CONDITIONS)) and not other.called(RATERS)
        surely, rated, cond = unit.called(UNITS) or persons, other.called(RATERS), other.called(CONDITIONS)
        if not surely and (other.called(UNITS) or unit.called((*CONDITIONS, *REPEATS))):
            continue
        nested = seen.constant(unit, other)  # each rater rates one unit: no condition is like that
        if other.called(REPEATS) or seen.constant(other, unit) or (nested and not rated):
            continue
        joint = seen.joint_key(unit, other, keys)
        if joint is None:
            continue
        free = [c for c in values if c.name not in (*joint, other.name) and not (c in keys and c.called(hints))
                and not seen.constant(c, unit) and not seen.constant(c, other)]  # fmt: skip
        if not free:
            continue
        numbers = [c for c in free if c.numbers is not None]
        value = next((c for c in free if c.called(VALUES)), (numbers or free)[-1])
        if persons and not (value.discrete and value.called(("rating", "response", "score", "liking", "preference"))):
            continue
        size, added = len(other.levels), [seen.columns[name] for name in joint[1:]]
        full = seen.rows / max(1, len(unit.levels) * size * max(1, len(added)))
        base = 4 + 1.2 * surely + value.called(VALUES) + 0.8 * (full > 0.7) - 0.7 * len(added)
        key, last = f"unit={','.join(joint)}", f"value={value.name}"
        alone: dict[str, Any] = {"cluster": [unit.name]} if added else {}
        if rated or size <= max(FEW, 2 * len(unit.levels)):
            apart = rated and len(added) == 1 and len(added[0].levels) <= 12 and not added[0].called(REPEATS)
            entries = [f"unit={unit.name}" if apart else key, f"rater={other.name}", last]
            settings = {"map": entries, **({"by": added[0].name} if apart else alone)}
            score = (
                base
                + (2 if rated else 1.2 if persons else 0 if cond else 0.3)
                - 0.5 * (size > len(unit.levels) and not rated)
            )
            yield Proposal("ratings", score, f"'{other.name}' rates '{unit.name}', '{value.name}' is the rating",
                           settings | value_settings([value], "ratings"))  # fmt: skip
        if not nested and not persons and size <= 12 and (not rated or size == 2):
            gaps = {"missing": "drop"} if full < 1 or value.filled < value.rows else {}
            settings = {
                "map": [key, f"condition={other.name}", last],
                "conditions": two_conditions(other),
                **alone,
                **gaps,
            }
            score = base + 1.5 * cond + (0.6 if size == 2 else 0.2)
            yield Proposal("paired", score, f"'{value.name}' of the same '{unit.name}' under two of '{other.name}'",
                           settings | value_settings([value], "paired"))  # fmt: skip


def two_conditions(column: Column) -> list[str]:
    """Return two conditions, what comes later first where the labels say so."""
    for x, y in LATER:
        low = next((level for level in column.levels if bare(level).startswith(x)), None)
        high = next((level for level in column.levels if bare(level).startswith(y)), None)
        if low is not None and high is not None:
            return [high, low]
    return list(column.levels[:2])


def score_tables(seen: Seen) -> Iterator[Proposal]:
    """Look for scores of models: a column called so; the study `leaderboard` reads every shape of them."""
    models = ("model", "llm", "system", "engine")
    if any(c.called(models) and c.names_things for c in seen.columns.values()):
        yield Proposal("ratings", 8.2, "scores of models: a leaderboard", {"study": "leaderboard"})


GENERATORS: tuple[Callable[[Seen], Iterator[Proposal]], ...] = (
    square_tables, counted_tables, winners_and_losers, contests, fleiss_tables, wide_tables, transposed_tables,
    long_tables, score_tables,
)  # fmt: skip


def proposals(
    table: Table, said: Mapping[str, Any], reads: Callable[[dict[str, Any]], dict[str, Any]]
) -> list[Proposal]:
    """Return at most three ways to read a table, the most likely first, each of which reads it.

    Parameters
    ----------
    table : Table
    said : mapping
        Settings that were given; they stay.
    reads : callable
        Settings -> settings that a report needs in addition; raises `SocialStatsError` where the table cannot be
        read so.
    """
    seen = Seen(table)
    found = [one for make in GENERATORS for one in make(seen) if one.score >= LEAST]
    given = {key: value for key, value in said.items() if value not in (None, [], "")}
    done: list[Proposal] = []
    for one in sorted(found, key=lambda p: -p.score):
        if any(one.means == other.means for other in done) or sum(p.design == one.design for p in done) == MOST - 1:
            continue
        parts = dict(entry.partition("=")[::2] for entry in words(one.settings.get("map")))
        own = {entry.partition("=")[0] for entry in words(said.get("map"))}
        entries = [*words(said.get("map")), *(f"{part}={name}" for part, name in parts.items() if part not in own)]
        settings = {**one.settings, **given, **({"map": entries} if entries else {})}
        same = [{**other.settings, "count": None} == {**settings, "count": None} for other in done]
        try:
            settings |= reads(settings) or {} if not any(same) else {}
        except SocialStatsError:
            continue
        if any(same):
            continue
        done.append(replace(one, settings=settings))
        if len(done) == MOST:
            break
    return done


OPTIONS = {
    "map": "--map", "cluster": "--cluster", "by": "--by", "where": "--where", "exclude": "--exclude", "tie": "--tie",
    "na": "--na", "missing": "--missing", "winner_coding": "--winner-coding", "conditions": "--conditions",
    "levels": "--levels", "scale": "--scale", "raters": "--raters", "level_columns": "--level-columns",
    "units": "--units", "count": "--count", "order": "--order", "design": "--design", "crosstab": "--crosstab",
    "prior": "--prior", "study": "--study", "strata": "--strata", "refusal": "--refusal",
}  # fmt: skip
JOINED = ("conditions", "levels", "raters", "level_columns", "units")


def command(path: str, settings: Mapping[str, Any], name: str = "report") -> str:
    """Return a complete command line.

    Examples
    --------
    >>> command("a b.csv", {"map": ["unit=ID"], "levels": ["low", "high"], "crosstab": True})
    "socialstats report 'a b.csv' --map unit=ID --levels low,high --crosstab"
    """
    typed = ["socialstats", name, path]
    for key, option in ((key, OPTIONS[key]) for key in settings if key in OPTIONS and settings[key] not in (None, [])):
        value = settings[key]
        if value is True:
            typed.append(option)
        elif key in JOINED:
            typed += [option, joined(value)]
        else:
            typed += [word for one in words(value) for word in (option, one)]
    return shlex.join(typed)


def joined(labels: Sequence[str]) -> str:
    """Write labels with commas between, as `deciding.split_list` reads them."""
    return ",".join('"' + v.replace('"', '""') + '"' if set(v) & {",", '"'} or v != v.strip() else v for v in labels)


def seen_words(table: Table) -> str:
    """Return what a table holds in a paragraph: rows, columns, and what stands in the first ones."""
    seen = Seen(table)
    told = []
    for column in [*seen.columns.values()][:8]:
        levels, numbers = column.levels, column.numbers
        if numbers and len(levels) > FEW_COLUMNS:
            what = f"numbers from {min(numbers):g} to {max(numbers):g}"
        elif len(levels) <= FEW_COLUMNS:
            what = listing([shorten(level, 20) for level in levels], most=FEW_COLUMNS) or "nothing"
        else:
            what = "a different label in each row" if column.unique else f"{count(len(levels))} labels"
        told.append(f"'{shorten(column.name, 30)}' ({what})")
    more = len(table.columns) - len(told)
    rest = f" and {count(more, 'further column')}" if more > 0 else ""
    size = f"{count(seen.rows, 'row')} and {count(len(table.columns), 'column')}"
    spelled = [(c, found) for c in seen.columns.values() if c.levels and (found := other_spelling(c.levels))]
    odd = f" '{shorten(spelled[0][0].name)}' holds numbers that are not plain. {spelled[0][1][1]}." if spelled else ""
    wide = f" Only the first {MOST_COLUMNS} columns were looked at." if len(table.columns) > MOST_COLUMNS else ""
    return f"{shorten(table.source)} has {size}: {', '.join(told)}{rest}.{odd}{wide}"


def reading(table: Table, settings: dict[str, Any]) -> dict[str, Any]:
    """Read a table as proposed; return what a report needs in addition.

    Raises
    ------
    SocialStatsError
        Where it cannot be read, or holds too little for a report.
    """
    from socialstats.cli.designs import read
    from socialstats.models.bradley_terry.data import pair_data
    from socialstats.models.bradley_terry.existence import win_graph

    design = read(table, settings)
    if isinstance(design, Paired) and design.n_pairs < FEWEST:
        raise NothingToAnalyse(f"{table.source}: {count(design.n_pairs, 'pair')}")
    if not isinstance(design, Comparisons):
        return {}
    graph = win_graph(pair_data(design, np.zeros((len(design.item_a), 0)), ()))
    return {} if graph.connected else {"prior": "0.5"}


def proposed(error: NoDesign, path: str) -> str:
    """Return what a table holds and the commands that may be meant, in lines; empty where there is nothing to add."""
    found = proposals(error.table, error.settings, lambda settings: reading(error.table, settings))
    if error.design and not (found and found[0].design == error.design and found[0].score >= SURE):
        return ""  # its names fit a design: what is wrong with it has been said
    lines = [f"By what it holds: {seen_words(error.table)}"]
    if not found:
        return "\n".join([*lines, "No two columns of items, no two conditions and no raters were recognised in it."])
    lines.append(f"It may be one of these{', the most likely first' if len(found) > 1 else ''}:")
    for one in found:
        lines += [f"  {command(path, one.settings)}", f"      {one.design}: {one.means}"]
    return "\n".join(lines)

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
from socialstats.designs.aggregate import FREQUENCIES, TIE_COUNTS, TOTALS, WIN_WORDS, bare, frequency_columns
from socialstats.designs.columns import SIDE_WORDS, partner_of
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.levels import other_spelling
from socialstats.designs.paired import Paired
from socialstats.designs.squares import LOSERS, crosstab
from socialstats.designs.suspects import PLAIN_STEMS, RATER_STEMS, item_suspects, mirror_suspects, votes
from socialstats.designs.winners import SIDE_CODES, side_code
from socialstats.errors import InputError, NothingToAnalyse, SocialStatsError
from socialstats.tables import Table, as_number, as_text, missing_labels, rows_without
from socialstats.text import count, listing, shorten

MOST = 3  # proposals
FEWEST = 3  # matched pairs of a proposal
LEAST = 4.4  # score from which a candidate is worth a line
SURE = 7.0  # score from which a proposal may stand beside an error about columns that fit a design by name
MOST_COLUMNS, MOST_KEYS = 300, 10  # columns that are looked at; columns that may name units, raters or conditions
FEW_COLUMNS = 6  # in a table with more, whole numbers name units only where the column is called so
FEW = 30  # labels of a scale
FEW_LEVELS = 12  # a whole number above is rather a count than a rating
SQUARE = 60  # labels of a cross table that is recognised by itself
SAME = 0.6  # concordance from which numbered columns are raters of one quantity
AGREE = 0.4  # kappa from which a table of counts is rather one of two raters than one of two conditions

UNITS = (
    "unit", "item", "id", "question", "subject", "subj", "participant", "person", "student", "patient", "case", "story",
    "sample", "plot", "plant", "product", "produit", "object", "essay", "text", "image", "photo", "stimulus", "couple",
    "worker", "scenario", "trial", "specimen", "compound", "task", "prompt", "respondent", "idstud", "ss",
    "pair", "twin", "block", "litter", "household", "dyad", "family", "fruit", "animal", "mouse", "wine", "bottle",
    "video", "post", "hit", "pid", "paper",
)  # fmt: skip
RATERS = (
    "rater", "judge", "juge", "coder", "annotator", "assessor", "panelist", "panellist", "observer", "obs", "expert",
    "grader", "evaluator", "reviewer", "examiner", "doctor", "physician", "radiologist", "neurologist", "pathologist",
    "surgeon", "abstractor", "reader", "scorer", "consumer", "taster", "voter", "worker",
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
    ("visitor", "opponent"), ("attacker", "defender"), ("white", "black"), ("red", "blue"), ("row", "col"),
    ("row", "column"), ("challenger", "incumbent"), ("actor", "target"),
)  # fmt: skip
PERSONS = ("subject", "subj", "participant", "person", "student", "respondent", "id")  # who may rate
DATES = ("date", "year", "month", "week", "day", "hour")
REPEATS = ("rep", "repl", "replicate", "replication", "repeat", "session", "run", "epoch", "trial", "occasion")
COVARIATES = ("age", "sex", "gender", "education", "income", "yearsold", "marital", "ethnicity", "race")  # of persons
SUMMARIES = ("majority", "consensus", "gold", "adjudicated", "average", "avg", "rank", "overall")  # of other columns
DERIVED = ("diff", "difference", "delta", "change", "gain", "total", "sum", "mean", "average")
RATED = ("nraters", "raters", "nratings", "ratings", "njudges")  # how many rated the unit
SCORES = ("score", "point", "goal", "rating", "pts")
WON = ("winner", "won", "win", "result", "outcome", "choice", "preferred", "preference", "vote")
LOST = ("loses", "lose", "losses", "loss", "lost", "nlosses", "defeat", "defeats", "l")
WINNERS = ("winner", "win", "victor", "chosen", "preferred", "top", "better", "cited", "initiator", "dominant")
BEATEN = (
    "loser", "lose", "lost", "rejected", "bottom", "worse", "over", "against", "beaten", "citing", "recipient",
    "subordinate", "dispreferred",
)  # fmt: skip
LATER = (
    ("pre", "post"), ("before", "after"), ("baseline", "followup"), ("control", "treatment"), ("old", "new"),
    ("initial", "final"), ("start", "end"), ("fall", "spring"), ("admission", "discharge"), ("test", "retest"),
)  # fmt: skip
OPPOSITES = (
    *LATER, ("left", "right"), ("l", "r"), ("male", "female"), ("husband", "wife"), ("father", "son"), ("x", "y"),
    ("mother", "daughter"), ("a", "b"), ("i", "ii"), ("1", "2"), ("one", "two"), ("first", "second"), ("0", "1"),
    ("placebo", "drug"), ("on", "off"), ("open", "closed"), ("1st", "2nd"), ("origin", "destination"), ("orig", "dest"),
    ("serial", "retrospective"), ("actual", "imagined"), ("with", "without"), ("high", "low"),
)  # fmt: skip
YES = (
    "yes", "y", "true", "t", "1", "pos", "positive", "+", "present", "success", "pass", "passed", "correct", "right",
    "ja", "oui", "si", "approve", "accept", "accepted", "agree", "good", "better", "high",
)  # fmt: skip  # fmt: skip


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
            r"(?<=[A-Z])(?=Id$)|(?<=[a-z])(?=[A-Z])|(?<=[A-Z]{2})(?=[a-z])(?!d$)|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])",
            " ",
            self.name,
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
    def counts(self) -> bool:
        """Whether the column is called like a frequency, and holds whole numbers."""
        return bare(self.name) in FREQUENCIES and self.whole and not self.unique

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
        every = self.columns.values()
        owners = [c for c in every if c.called((*UNITS, *RATERS)) and 2 < len(c.levels) <= self.rows / 2]
        self.frequencies = [
            name for name in frequency_columns(table, (), na)
            if not any(c.name != name and self.constant(self.columns[name], c) for c in owners)
        ]  # what is the same in all rows of a unit says something of the unit  # fmt: skip

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
        """Return columns of numbers, a row a column; their rows sorted, NaN where a value is missing."""
        cells = self.table.counts([c.name for c in columns])
        labels = [cells.columns[c.name].labels(missing_labels(())) for c in columns]
        numbers = [np.array([*one.levels, np.nan], dtype=np.float64)[one.codes] for one in labels]
        return np.repeat(np.array(numbers), cells.n.astype(np.int64), axis=1)

    def concordance(self, one: Column, other: Column) -> float:
        """Return Lin's (1989) concordance coefficient of two columns of numbers; 0 where there is none."""
        rows = self.values([one, other])
        x, y = rows[:, np.isfinite(rows).all(axis=0)]
        spread = x.var() + y.var() + (x.mean() - y.mean()) ** 2 if len(x) > 2 else 0.0
        return float(2 * np.mean((x - x.mean()) * (y - y.mean())) / spread) if spread else 0.0

    def has_partner(self, column: Column) -> bool:
        """Whether another column is called as this one is, of the other side or condition."""
        return any(paired_names(column, other) for other in self.columns.values() if other is not column)

    @cached_property
    def crossed(self) -> frozenset[str]:
        """Names of columns of whole numbers that name things: with another column they number all rows once."""
        keys = [c for c in self.columns.values() if c.names_things and len(c.levels) <= self.rows / 2][:MOST_KEYS]
        sized = [(a, b) for a, b in combinations(keys, 2) if len(a.levels) * len(b.levels) == self.rows >= 8]
        found = [(a, b) for a, b in sized if (a.whole is not b.whole) and self.distinct([a.name, b.name])]
        return frozenset(c.name for pair in found for c in pair if c.whole)

    @cached_property
    def is_cross(self) -> bool:
        """Whether the labels of the first column are the names of the others, whatever the cells hold."""
        first, *others = self.table.columns
        column = self.columns.get(first)
        rows = {bare(level) for level in column.levels} if column is not None and column.unique else set()
        if column is None or column.numbers is not None:
            return False
        return len(rows) > 1 and rows <= {bare(name) for name in others} and len(others) <= len(rows) + 1

    @cached_property
    def long(self) -> bool:
        """Whether a column called like a unit or a rater repeats its labels: a table of several rows a unit."""
        every = self.columns.values()
        named = [c for c in every if c.names_things and c.tokens and len(c.levels) <= self.rows / 2]
        if self.row_id() is not None:  # few numbers beside a row a unit may be values
            named = [c for c in named if c.numbers is None or len(c.levels) > 12]
        return any(
            c.tokens[-1].removesuffix("id") in (*UNITS, *RATERS, "id") and not self.has_partner(c) for c in named
        )

    def row_id(self) -> str | None:
        """Return a column that names the rows: called so, without a name, or text at the start."""
        free = [c for c in self.columns.values() if c.unique and c.names_things]
        named = [c for c in free if c.called(UNITS) or not c.name.strip()]
        first = [c for c in free if c.name == next(iter(self.columns)) and c.numbers is None]
        return next((c.name for c in (*named, *first)), None)

    def joint_key(self, unit: Column, other: Column, keys: Sequence[Column], least: float) -> list[str] | None:
        """Return the unit, with one or two columns that tell its repeated rows apart, so that it meets `other` once.

        None where there are no such columns, or less than `least` rows a unit.
        """
        every = [*self.columns.values()]
        leading = [c for c in every[:FEW_COLUMNS] if c.names_things and c.whole and len(c.levels) <= 12]
        more = [c for c in dict.fromkeys([*keys, *leading]) if c not in (unit, other) and not self.constant(c, unit)]
        more = sorted(more, key=lambda c: (not c.called((*REPEATS, *CONDITIONS)), c.called(RATERS)))[:5]
        for size in (0, 1, 2):
            for added in combinations(more, size):
                found = [unit.name, *(c.name for c in added)]
                if self.distinct([*found, other.name]):
                    return found if self.rows >= least * len(self.table.counts(found).n) else None
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
        return {"levels": levels[::-1] if says_yes(*levels) else levels}
    return {"levels": order} if order else {"scale": "nominal"}


def says_yes(one: str, other: str) -> bool:
    """Whether the first of two labels is a yes, in any spelling, or the second is the first with a no before it."""
    yes, no = one.strip().casefold(), other.strip().casefold()
    return yes in YES or any(bare(no) == prefix + bare(yes) != prefix for prefix in ("no", "non", "not", "un", "in"))


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
    heads = {bare(name) for name in seen.table.columns[1:]}
    lost = named and not heads & {bare(label) for label in square.index}  # V1, V2, ... in place of labels
    numbered = (
        named and not lost and len(heads) != seen.rows and all(as_number(label) is not None for label in square.index)
    )
    if numbered:
        return  # rows with numbers beside columns of levels: counts of units by level
    made: dict[str, Any] = {"crosstab": True}
    over = "the column over the row" if bare(seen.table.columns[0]) in LOSERS else "the row over the column"
    won = Proposal("comparisons", 9, f"wins of {over}", {"design": "comparisons", **made})
    if not np.trace(filled):
        if not symmetric or (filled + np.eye(k) == 1).all():
            yield won
        return
    agreed = kappa(cells)
    judged = agreed >= AGREE
    if (
        np.isnan(cells).any()
        or (symmetric and k > 2)
        or not (judged or (filled.max() > FEW_LEVELS and not filled.all() if lost else named))
    ):
        return
    two = {"levels": list(square.index)} if k == 2 else {"scale": "nominal"}
    less = 1.5 if agreed < 0.1 and all(as_number(label) is not None for label in square.index) else 0
    yield Proposal(
        "ratings", (9 if judged else 8) - less, "counts of two raters",
        {"design": "ratings", **made, "scale": "nominal"},
    )  # fmt: skip
    yield Proposal(
        "paired", (8 if judged else 9) - less, "counts of matched pairs", {"design": "paired", **made, **two}
    )
    if named and k > 2:
        yield replace(won, score=7, means=f"wins of {over}; the diagonal is left out")


def counted_tables(seen: Seen) -> Iterator[Proposal]:
    """Look for two columns of the same few labels beside a column of frequencies, or several columns of raters."""
    times = seen.frequencies[0] if seen.frequencies else ""
    if not times or not seen.distinct([name for name in seen.columns if name != times]):
        return
    labels = [c for c in seen.varying() if len(c.levels) <= SQUARE and c.names_things and not c.unique]
    alike_ = [(a, b) for a, b in combinations(labels, 2) if share(a, b) >= 0.6]
    squares = {pair: counted_square(seen, *pair, times) for pair in alike_}
    agreed = sorted(((kappa(square), k) for k, square in enumerate(squares.values())), reverse=True)
    apart = len(agreed) > 1 and agreed[0][0] > agreed[1][0] + 0.1 and agreed[1][0] < 0.1  # the others are strata
    gaps = {"missing": "drop"} if seen.columns[times].filled < seen.rows else {}
    for k, ((a, b), square) in enumerate(squares.items()):
        if k != agreed[0][1] if apart else len(labels) > 2 and len(a.levels) == 2 and not paired_names(a, b):
            continue
        if not np.trace(square) or a.called(WINNERS) or b.called(BEATEN):
            sure = a.called(WINNERS) or b.called(BEATEN)
            if any(c.numbers is not None and c not in (a, b) and not c.unique for c in seen.varying()):
                continue
            for won, said in ((a, ""),) if sure else ((a, ", if rows name the winner first"), (b, ", or the reverse")):
                lost = b if won is a else a
                parts = [f"item_a={a.name}", f"item_b={b.name}", f"winner={won.name}"]
                yield Proposal("comparisons", 8 if sure else 5 - 0.1 * (won is b),
                               f"'{won.name}' won against '{lost.name}'{said}",
                               {"map": parts, "count": times, **gaps})  # fmt: skip
            continue
        judged = a.called(RATERS) or b.called(RATERS) or (kappa(square) >= AGREE and not paired_names(a, b))
        raters = {"raters": [a.name, b.name], "count": times, **value_settings((a, b), "ratings")}
        sides = {"map": [f"first={a.name}", f"second={b.name}"], "count": times, **value_settings((a, b), "paired")}
        yield Proposal("ratings", 8 if judged else 7, "counts of units by two raters", raters)
        yield Proposal("paired", 7 if judged else 8, "counts of matched pairs", sides)
    if (
        len(labels) > 2
        and len(labels[0].levels) <= FEW
        and not apart
        and all(share(a, b) == 1 for a, b in combinations(labels, 2))
    ):
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
    times = next((c.name for c in seen.columns.values() if c.counts), None)
    counted = times is not None and seen.distinct([name for name in seen.columns if name != times])
    for a in (c for c in named if c.called(WINNERS)):
        for b in (c for c in named if c.called(BEATEN)):
            if a is b or share(a, b) < 0.3 or a.tokens[1:] != b.tokens[1:]:
                continue
            settings: dict[str, Any] = {"map": [f"item_a={a.name}", f"item_b={b.name}", f"winner={a.name}"]}
            settings |= {"count": times} if counted else {}
            for flag in (c for c in seen.varying() if bare(c.name) in TIE_COUNTS):
                yes = [level for level in flag.levels if level.casefold() == "true"]
                settings |= {"exclude": [f"{flag.name}={yes[0]}"]} if yes and len(flag.levels) == 2 else {}
            yield Proposal("comparisons", 9, f"'{a.name}' won, '{b.name}' lost", settings)


def contests(seen: Seen) -> Iterator[Proposal]:
    """Look for two columns of the same items and what says who won: a label, a side, a score, or counts of wins."""
    items = [c for c in seen.columns.values() if c.filled == c.rows and (c.numbers is None or c.whole)]
    items = [c for c in items if c.numbers is None or not c.called(SCORES)]
    labels = [c for c in items if len(c.levels) >= 3 and c.name not in seen.frequencies][:MOST_KEYS]
    one_of = [c for c in items if len(c.levels) == 1 and c.numbers is None and c.name[-1:] in "12ab"]  # a reference
    every = [
        *combinations(labels, 2),
        *((a, b) for a in one_of for b in labels),
        *((a, b) for a in labels for b in one_of),
    ]
    for a, b in every:
        two = {*a.tokens, *b.tokens}
        sides = paired_names(a, b) or any({x, y} <= two for x, y in SIDES)
        if a in one_of or b in one_of:
            if not paired_names(a, b) or a.name > b.name or len({*a.levels, *b.levels}) < 3:
                continue
            yield from contest(seen, a, b)
            continue
        numbered = a.numbers is not None and not sides and (a.tokens, b.tokens) != (("i",), ("j",))
        if share(a, b) < (0.2 if sides else 0.7) or numbered or meet_themselves(seen, a, b):
            continue
        yield from contest(seen, a, b)


def contest(seen: Seen, a: Column, b: Column) -> Iterator[Proposal]:
    """Look for what says who won, of two columns of items."""
    base, versus = [f"item_a={a.name}", f"item_b={b.name}"], f"'{a.name}' against '{b.name}'"
    for parts, score, means in counts_and_scores(seen, a, b):
        gaps = any(seen.columns[part.partition("=")[2]].filled < seen.rows for part in parts)
        settings = {"map": [*base, *parts], **({"missing": "drop"} if gaps else {})}
        yield Proposal("comparisons", score, f"{versus}, {means}", settings)
    for c in seen.varying():
        x, y = (b, a) if len({*c.tokens} & {*b.tokens}) > len({*c.tokens} & {*a.tokens}) else (a, b)  # away, home_win
        told = result_settings(c, x, y) if c not in (a, b) else None
        if told is not None and (c.called(WON) or not seen.has_partner(c)):
            score = 6.5 + 2 * c.called(WON) + 0.3 * c.called(("match", "final", "overall", "game"))
            which = told.pop("words", "")
            settings = {"map": [f"item_a={x.name}", f"item_b={y.name}", f"winner={c.name}"], **told}
            settings |= {"missing": "drop"} if c.filled < seen.rows else {}
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
    codes = {level: side_code(level) for level in c.levels}
    for scheme in ((a.name, b.name), *SIDE_CODES):
        tied = sorted(level for level, code in codes.items() if code not in scheme)
        if {*scheme} <= {*codes.values()} and (len(tied) <= 1 or {as_number(level) for level in tied} == {0.0, 1.5}):
            said = f": {scheme[0]} is '{a.name}', {scheme[1]} is '{b.name}'"
            said += f", {' and '.join(tied)} a tie" if tied else ""
            return {"winner_coding": "side", **({"tie": tied} if tied else {}), "words": said}
    return None


def counts_and_scores(seen: Seen, a: Column, b: Column) -> Iterator[tuple[list[str], float, str]]:
    """Look for counts of wins, called so or adding up to a third column, and for scores of the two sides."""
    numbers = [c for c in seen.columns.values() if c.numbers is not None and c not in (a, b)][: 3 * MOST_KEYS]
    whole = [c for c in numbers if c.whole]
    hot = [c for c in whole if len(c.levels) == 2 and {*(c.numbers or [])} == {0.0, 1.0}][:MOST_KEYS]
    for x, y in combinations(hot, 2):
        for tie in [[c] for c in hot if c not in (x, y)] + [[]]:
            if paired_names(x, y) and (seen.values([x, y, *tie]).sum(axis=0) == 1).all():
                x, y = of_sides(a, b, x, y)
                yield [f"wins_a={x.name}", f"wins_b={y.name}", *(f"ties={c.name}" for c in tie)], 9, "one 1 a row"
                return
    named = [pair for pair in combinations(whole, 2) if all(c.called(WIN_WORDS) for c in pair) and paired_names(*pair)]
    for x, y in (of_sides(a, b, *pair) for pair in named):
        yield [f"wins_a={x.name}", f"wins_b={y.name}"], 8.8 - 0.1 * len(x.tokens), "counts of wins"
    for x, y in () if named else permutations(whole, 2):
        if x.called((*WIN_WORDS, "w")) and y.called(LOST):
            ties = next((c.name for c in whole if c.called((*TIE_COUNTS, "t", "d"))), "")
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
    if seen.is_cross and not any(square_tables(seen)):  # a matrix of distances, say
        return
    identity = seen.row_id()
    values = [
        c for c in seen.columns.values()
        if c.levels and c.name != identity and c.name not in seen.frequencies and not c.called((*DERIVED, *REPEATS))
        and (c.numbers is not None or (len(c.levels) <= FEW and not c.unique))
        and not (len(c.tokens) == 1 and c.names_things and c.called((*UNITS, *RATERS)) and (c.unique or not identity))
        and bare(c.name) not in (*DATES, *COVARIATES, *SUMMARIES) and c.name not in seen.crossed
    ]  # fmt: skip
    persons = identity is not None and seen.columns[identity].called([name for name in PERSONS if name != "id"])
    unit = [f"unit={identity}"] if identity is not None and identity.strip() else []
    less = 3.0 if seen.long else 1.0 if seen.is_cross else 0.0
    names_all = [name for name in seen.columns if name not in seen.frequencies]
    counted = seen.frequencies and not identity and seen.distinct(names_all)
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
        if size == 2 and group[0].numbers is None and len(group[0].levels) > 3 and not meet_themselves(seen, *group):
            continue  # two items a row, not twice the same measure
        times = {"count": seen.frequencies[0]} if counted and discrete else {}
        numbered = size > 3 and len(stems) == 1 and not stems & {*PLAIN_STEMS, *CONDITIONS}
        numbered = numbered and all(name.endswith(str(k)) for k, name in enumerate(names, 1))
        raters = raters or (numbered and not discrete and seen.concordance(*group[:2]) >= SAME)
        if discrete or raters:
            score = 6.5 if size > 2 and many else 4.5
            score = score - 0.6 * persons  # persons rate the columns
            score = (
                (5.2 if size > 3 else 4)
                if items and discrete
                else 7.5
                if raters or (many and len(stems) == 1)
                else score
            )
            settings = {"raters": names, **times, **value_settings(group, "ratings"), **({"map": unit} if unit else {})}
            yield Proposal("ratings", score - less, f"{count(size, 'rater')}, a column each", settings)
        if (raters and size > 2) or (size > 8 and (items or not pairs)):
            continue
        first, second = later_first(*nearest(seen, group, pairs))
        lone = size == 2 and sum(c.numbers is not None for c in values) <= 2
        score = 5 if items else (6.4 if many and discrete else 7.3) if pairs else 6.8 if lone else 6
        settings = {"map": [*unit, f"first={first.name}", f"second={second.name}"], **times}
        settings |= value_settings((first, second), "paired")
        settings |= {"missing": "drop"} if min(first.filled, second.filled) < seen.rows else {}
        yield Proposal("paired", score - less, f"'{first.name}' minus '{second.name}', a row a unit", settings)


def nearest(seen: Seen, group: Sequence[Column], pairs: Sequence[Sequence[Column]]) -> Sequence[Column]:
    """Return two columns of a group: paired by name or the first two, or where these differ, those that agree best."""
    two = pairs[0] if pairs else group[:2]
    if len(group) == 2 or len({stem(c.name) for c in group}) == 1 or any(c.numbers is None for c in group):
        return two

    def likeness(pair: Sequence[Column]) -> float:
        return seen.concordance(*pair) + 0.3 * bool({*pair[0].tokens} & {*pair[1].tokens})

    differ = likeness(two) < (0.1 if pairs else 0.3)
    return max(combinations(group[:MOST_KEYS], 2), key=likeness) if differ else two


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
    named = any(stem(c.name) in RATER_STEMS for group in groups for c in group)
    if len(one_scale) > 3 and len(one_scale) >= len(values) - 1 and one_scale not in groups and not named:
        groups = [one_scale, *groups]
    numbers = [c for c in values if c.numbers is not None and len(c.levels) > 1]
    return groups[:3] or ([numbers] if rows_named and len(numbers) == 2 else [])


def later_first(one: Column, other: Column) -> tuple[Column, Column]:
    """Put what comes later first, so that a difference is a change: after minus before."""
    return (other, one) if any(bare(other.name).startswith(y) or other.called((y,)) for _, y in LATER) else (one, other)


def fleiss_tables(seen: Seen) -> Iterator[Proposal]:
    """Look for counts of raters by level: whole numbers that add up to one number in each row, or have many zeros."""
    identity = seen.row_id()
    columns = [c for c in seen.columns.values() if c.whole and c.name != identity and not seen.is_cross]
    columns = [c for c in columns if not (c.called(DERIVED) or c.name in seen.frequencies or bare(c.name) in RATED)]
    if (
        not 2 <= len(columns) <= FEW
        or seen.rows < 3
        or all(max(c.numbers or [0]) < 2 for c in columns)
        or any(c.filled < c.rows for c in columns)
    ):
        return
    rows = seen.values(columns)
    sums, zeros, names = rows.sum(axis=0), float((rows == 0).mean()), [c.name for c in columns]
    steady = len(set(sums.tolist())) == 1 and zeros > 0
    items = bool(item_suspects(names))
    sparse = zeros >= 0.4 and sums.max() <= 2 * np.median(sums) + 2 and not items
    heads = [as_number(name) for name in names]
    scale = 2 < len(names) <= 12 and all(x is not None and x == k + (heads[0] or 0) for k, x in enumerate(heads))
    levels = scale and (rows.min() == 0 or rows.max() > FEW)  # the names are 1, 2, ..., the values no such levels
    wins = any(c.called((*WIN_WORDS, *SCORES)) for c in columns)
    shared = zeros > 0 and len(names) > 2 and not (items or wins) and sums.var() < 0.7 * rows.var(axis=1).sum()
    if not (steady or sparse or levels or shared) or (sums.max() > 1000 and not levels):
        return
    free = identity is not None and identity.strip()
    settings = {
        "level_columns": [c.name for c in columns],
        "scale": "nominal",
        **({"map": [f"unit={identity}"]} if free else {}),
    }
    score = 9 if steady else 8.5 if levels else 7.7 if sparse else 6.7
    yield Proposal("ratings", score, "how many raters gave the unit each level", settings)


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
        c for c in seen.varying() if len(c.levels) <= seen.rows * (0.98 if c.called(UNITS) else 0.5)
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
        joint = seen.joint_key(unit, other, keys, 1.02 if surely and rated else 1.3)
        if joint is None:
            continue
        free = [c for c in values if c.name not in (*joint, other.name) and not seen.constant(c, unit)
                and not (c in keys and c.called(hints) and len(c.levels) <= max(MOST_KEYS, seen.rows / 3))
                and not seen.constant(c, other)]  # fmt: skip
        if not free:
            continue
        numbers = [c for c in free if c.numbers is not None and (len(c.levels) > 2 or rated)]
        numbers = numbers or [c for c in free if c.numbers is not None]
        scales = [c for c in free if c.discrete] if rated else []
        value = next(
            (c for c in free if c.called(VALUES)),
            ([c for c in numbers if c in scales] or scales or numbers or free)[-1],
        )
        if persons and not (value.discrete and value.called(("rating", "response", "score", "liking", "preference"))):
            continue
        size, added = len(other.levels), [seen.columns[name] for name in joint[1:]]
        full = seen.rows / max(1, len(unit.levels) * size * max(1, len(added)))
        base = 4 + 1.2 * surely + value.called(VALUES) + 0.8 * (full > 0.7) - 0.7 * len(added)
        base -= 0.5 * unit.called(REPEATS)  # which trial it was is no unit that others meet again
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
            score = base + 1.5 * cond + (0.6 if size == 2 else 0.4 if surely and not value.discrete else 0.2)
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
    """Look for scores of models: one column called so; the study `leaderboard` reads every shape of them."""
    models = [c for c in seen.columns.values() if c.called(("model", "llm", "system", "engine")) and c.names_things]
    if len(models) == 1:
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
    table, left = without_notes(table)
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
        settings = {**one.settings, **left, **given, **({"map": entries} if entries else {})}
        same = [{**other.settings, "count": None} == {**settings, "count": None} for other in done]
        try:
            settings |= reads(settings) or {} if not any(same) else {}
        except SocialStatsError:
            continue
        if any(same):
            continue
        note = settings.pop("note", "")
        done.append(replace(one, settings=settings, means=one.means + note))
        if len(done) == MOST:
            break
    return done


def without_notes(table: Table) -> tuple[Table, dict[str, Any]]:
    """Return a table without rows that are none of its own, and the settings that leave them out.

    Such rows are the two further header rows of Qualtrics, and a last row of averages or totals.
    """
    frame: Any = table.frame
    frame = frame.collect() if hasattr(frame, "collect") else frame
    notes = []
    for name in table.columns[:MOST_COLUMNS]:
        top = [as_text(value) or "" for value in frame.get_column(name).head(3).to_list()]
        if len(top) == 3 and top[1].startswith('{"ImportId":'):
            notes = [(name, top[0]), (name, top[1])]
            break
    last = (as_text(frame.get_column(table.columns[0]).to_list()[-1]) or "") if frame.shape[0] > 3 else ""
    if bare(last) in {*TOTALS, *SUMMARIES, "mean"}:
        notes.append((table.columns[0], last))
    for column, label in notes:
        table, _ = rows_without(table, column, label)
    return table, {"exclude": [f"{column}={label}" for column, label in notes]} if notes else {}


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
    needed: dict[str, Any] = {} if graph.connected else {"prior": "0.5"}
    return needed | (one_of_each(table, settings) if mirror_suspects(design) else {})


def one_of_each(table: Table, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rows to keep of comparisons that occur from both sides; a note where no column tells these apart."""
    from socialstats.cli.designs import read

    seen = Seen(table)
    for column in (c for c in seen.columns.values() if len(c.levels) == 2 and c.filled == c.rows):
        kept = [[*words(settings.get("where")), f"{column.name}={level}"] for level in column.levels[::-1]]
        try:
            one, other = (read(table, {**settings, "where": where}) for where in kept)
        except SocialStatsError:
            continue
        if not isinstance(one, Comparisons) or not isinstance(other, Comparisons):
            continue
        if votes(one) == votes(other, turned=True):
            return {"where": kept[0], "note": "; each contest is a row from either side, and one of these is kept"}
    return {"note": "; each contest is a row from either side: keep one of these first, in a column for --where"}


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

"""Which column plays which part: by explicit name, by standard name, by alias, by matching pairs of names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from socialstats import text
from socialstats.designs.options import Options, texts
from socialstats.designs.statuses import STATUS, reply_column
from socialstats.designs.tables import TIE_COUNTS, WIN_WORDS, bare
from socialstats.errors import DesignError, InputError, Problem
from socialstats.tables import Table
from socialstats.voice import Word, option

Pair = tuple[str, str]
ITEM_PAIRS: tuple[Pair, ...] = (
    ("item_a", "item_b"), ("role_a", "role_b"), ("model_a", "model_b"), ("player_a", "player_b"),
    ("option_a", "option_b"), ("choice_a", "choice_b"), ("name_a", "name_b"), ("item_i", "item_j"),
    ("role_i", "role_j"), ("item_1", "item_2"), ("item1", "item2"), ("model_1", "model_2"),
    ("model1", "model2"), ("player_1", "player_2"), ("player1", "player2"), ("left", "right"),
    ("first", "second"), ("home", "away"), ("a", "b"), ("A", "B"),
)  # fmt: skip
WINNER_NAMES = ("winner", "choice", "chosen", "preferred", "preference", "result", "outcome", "pick", "vote")
ORDER_NAMES = ("order", "first_shown", "shown_first", "presented_first", "first")
VALUES_NAMES = ("values", "cited_values", "values_cited")
SIDE_WORDS: tuple[Pair, ...] = (("left", "right"), ("first", "second"), ("home", "away"))
COMMON_TOKENS: tuple[Pair, ...] = (("a", "b"), ("A", "B"), ("i", "j"))
DIGIT_TOKENS: tuple[Pair, ...] = (("1", "2"),)
REST = "p_rest"
COMPARED = 2_000  # columns whose names are compared letter by letter with a name that is not there


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """The part of each column.

    Attributes
    ----------
    item_a, item_b : str
    winner : str or None
        None for aggregated tables, which have `wins`, and for tables that have `scores`.
    wins : tuple of str
        Empty, or the columns of wins of a, wins of b and (optionally) ties.
    scores : tuple of str
        Empty, or the columns of the two items' scores, of which the higher one wins.
    order, weight, count, by, values, rest : str or None
        Of `rest`: the probability of other answers, beside winners that are probabilities.
    covariates : mapping of str to pair of str
    found : frozenset of str
        Covariates that were found by their names, not declared.
    clusters : tuple of str
    pair_cluster : bool
        True when ``pair`` was declared as a cluster and no column has that name, or repeats without a cluster.
    repeat : tuple of str
        Columns that number the answers to one question; they are no units, and lie within the clusters.
    status, reply : str or None
        What became of the reply, and whether it was blocked.
    """

    item_a: str
    item_b: str
    winner: str | None
    wins: tuple[str, ...]
    scores: tuple[str, ...]
    order: str | None
    covariates: Mapping[str, Pair]
    found: frozenset[str]
    weight: str | None
    count: str | None
    by: str | None
    values: str | None
    clusters: tuple[str, ...]
    pair_cluster: bool = False
    repeat: tuple[str, ...] = ()
    rest: str | None = None
    status: str | None = None
    reply: str | None = None

    def keys_of_cells(self) -> list[str]:
        """Return every column that makes a cell."""
        sides = [column for pair in self.covariates.values() for column in pair]
        named = (self.item_a, self.item_b, self.winner, *self.wins, *self.scores, self.order, self.count, self.by,
                 self.values, self.rest, self.status, self.reply, *self.clusters, *sides)  # fmt: skip
        return [name for name in dict.fromkeys(named) if name is not None]

    def names(self) -> list[str]:
        """Return the columns of names: items, who was shown first, clusters, and what splits the table."""
        named = (self.item_a, self.item_b, self.order, self.by, *self.clusters)
        return [name for name in named if name is not None]

    def parts(self) -> dict[str, str]:
        """Return part -> column, for people."""
        named = {"item_a": self.item_a, "item_b": self.item_b, "winner": self.winner, "order": self.order}
        named |= dict(zip(("wins_a", "wins_b", "ties"), self.wins, strict=False))
        named |= dict(zip(("score_a", "score_b"), self.scores, strict=False))
        named |= {
            f"{name}_{side}": c for name, pair in self.covariates.items() for side, c in zip("ab", pair, strict=True)
        }
        named |= {
            "weight": self.weight,
            "count": self.count,
            "by": self.by,
            "values": self.values,
            "status": self.status,
        }
        return named_parts(named, cluster=self.clusters, repeat=self.repeat)


def named_parts(named: Mapping[str, str | None], **several: Sequence[str]) -> dict[str, str]:
    """Return part -> column, for people, without parts that no column plays; the columns of one part are numbered."""
    many = {f"{part}{k}": name for part, names in several.items() for k, name in enumerate(names, start=1)}
    return {part: column for part, column in {**named, **many}.items() if column is not None}


class Finder:
    """Looks for the columns of one table and collects what is missing."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.columns = table.columns
        self.problems: list[Problem] = []

    def explicit(self, part: str, name: str, looked: Sequence[str] = ()) -> str:
        """Take a column that the caller named."""
        if not isinstance(name, str) and not self.table.has(name):
            raise InputError(f"{option(part)} names a column of the table; values go into a column first")
        if not self.table.has(name):
            self.miss(part, f"no column '{text.shorten(name)}' (asked for as {part})", [name, *looked])
        return name

    def optional(self, part: str, name: str | None) -> str | None:
        """Take a column that the caller may have named."""
        return self.explicit(part, name) if name else None

    def several(self, part: str, names: str | Iterable[str] | None) -> tuple[str, ...]:
        """Take the columns that the caller named, one or several."""
        return tuple(self.explicit(part, name) for name in texts(names))

    def finish(self) -> None:
        """Raise `DesignError` that names every column that is missing."""
        if self.problems:
            raise DesignError(self.problems)

    def lack(
        self, part: str, names: Sequence[str], guess: str | None = None, taken: Sequence[str] = (), like: int = 3
    ) -> None:
        """Collect a part that no column plays; columns like the first few names may have been meant."""
        message = f"no column for '{part}' (looked for {text.listing(names, most=6)})"
        self.miss(part, message, names[:like], guess, taken)
        self.problems[-1] = replace(self.problems[-1], part=part)

    def miss(
        self, part: str, message: str, looked: Sequence[str], guess: str | None = None, taken: Sequence[str] = ()
    ) -> None:
        """Collect a missing column with the likeliest cure: a free column of a similar name."""
        free = [column for column in (*self.columns, *self.table.index) if column not in taken]
        some = free[:COMPARED]
        close = (m for want in looked for m in difflib.get_close_matches(want, some, n=1, cutoff=0.7))
        guess = guess or self.spelled(looked, free) or next(close, None)
        listed = text.listing([text.shorten(c) for c in self.columns], most=20)
        levels = f"; index levels: {text.listing(self.table.index)}" if self.table.index else ""
        fix = f"Columns: {listed}{levels}. {self.table.doubt or self.advice(part, guess)}"
        self.problems.append(Problem(message=message, source=self.table.source, fix=fix))

    @staticmethod
    def spelled(looked: Sequence[str], free: Sequence[str]) -> str | None:
        """Return the first column that is called like a name but for capitals and blanks around it."""
        plain = {column.strip().casefold(): column for column in reversed(free)}
        return next((plain[want.casefold()] for want in looked if want.casefold() in plain), None)

    def advice(self, part: str, guess: str | None) -> str:
        """Return the setting that would help."""
        said = option(part, text.shorten(guess) if guess else "COLUMN")
        if guess and self.table.is_file and guess != guess.strip():
            return f"Remove the blanks around the names in the header, or say {said}"
        return f"Did you mean {said} ?" if guess else f"Say which it is: {said}"


def assign(table: Table, options: Options) -> Roles:
    """Decide which column plays which part.

    Raises
    ------
    DesignError
        Naming every column that is missing, where it was looked for, and the likeliest cure.
    """
    finder = Finder(table)
    item_a, item_b = _items(finder, options)
    scores = _sides(finder, ("score_a", "score_b"), (options.score_a, options.score_b))
    winner, wins = (None, ()) if scores else _winner(finder, options, (item_a, item_b))
    order = _order(finder, options, (item_a, item_b))
    weight = finder.optional("weight", options.weight)
    times = finder.optional("count", options.count or None)
    by = finder.optional("by", options.by)
    clusters = tuple(
        name if name == "pair" and not table.has(name) else finder.explicit("cluster", name)
        for name in texts(options.cluster)
    )
    repeat = finder.several("repeat", options.repeat)
    soft = options.winner_coding == "probability"
    if soft:  # the labels that a reply cites belong to the answer that was drawn
        options = replace(options, values=False)
    status = finder.optional("status", options.status)
    if status is None and winner is not None and table.has(STATUS) and winner != STATUS:
        status = STATUS
    values = _values(finder, options, {item_a, item_b, winner, order, weight, times, by, *wins, *scores, *clusters})
    taken = {item_a, item_b, winner, order, weight, times, by, values, status, *wins, *scores, *clusters, *repeat}
    covariates = _covariates(finder, options, (item_a, item_b), {name for name in taken if name})
    for name in options.allowed:
        if name not in covariates:
            known = text.quoted([*covariates], 10) or "none"
            finder.problems.append(
                Problem(
                    message=f"{option('allowed')} names '{name}', which is no covariate", fix=f"Covariates: {known}"
                )
            )
    finder.finish()
    found = frozenset(covariates) if options.covariates is None else frozenset()
    return Roles(
        item_a=item_a, item_b=item_b, winner=winner, wins=wins, scores=scores, order=order, covariates=covariates,
        found=found, weight=weight, count=times, by=by, values=values,
        clusters=tuple(c for c in clusters if table.has(c)),
        pair_cluster=("pair" in clusters and not table.has("pair")) or bool(repeat and not clusters), repeat=repeat,
        status=status, reply=reply_column(table, status),
        rest=REST if soft and table.has(REST) else None,
    )  # fmt: skip


def _items(finder: Finder, options: Options) -> Pair:
    """Find the two item columns: as named, or the first alias pair that is complete."""
    if options.item_a and options.item_b:
        pair = finder.explicit("item_a", options.item_a), finder.explicit("item_b", options.item_b)
        if pair[0] == pair[1]:
            finder.miss("item_b", f"item_a and item_b are the same column '{pair[0]}'", ["item_b"])
        return pair
    named = options.item_a or options.item_b
    complete = [p for p in ITEM_PAIRS if p[0] in finder.columns and p[1] in finder.columns]
    if named is not None:
        side = 0 if options.item_a else 1
        finder.explicit(("item_a", "item_b")[side], named)
        partner = partner_of(named, side, finder.columns)
        if partner is None:
            _miss_item(finder, 1 - side, named)
        return (named, partner or "") if side == 0 else (partner or "", named)
    if complete:
        return complete[0]
    missing = [side for side in (0, 1) if not any(p[side] in finder.columns for p in ITEM_PAIRS)] or [1]
    for side in missing:
        present = next((p[1 - side] for p in ITEM_PAIRS if p[1 - side] in finder.columns), None)
        _miss_item(finder, side, present)
    return "", ""


def _miss_item(finder: Finder, side: int, other: str | None) -> None:
    """Report a missing item column, given the column of the other side if there is one."""
    part = ("item_a", "item_b")[side]
    looked = [p[side] for p in ITEM_PAIRS]
    free = [column for column in finder.columns if column != other]
    guess = partner_of(other, 1 - side, free) if other else None
    guess = guess or next((name for name in looked if name in free), None)
    finder.lack(part, looked, guess, [other] if other else [])


def partner_of(name: str, side: int, columns: Sequence[str]) -> str | None:
    """Return the column that is called like `name` but for the other side.

    Examples
    --------
    >>> partner_of("left", 0, ["left", "right"]), partner_of("home.team", 0, ["home.team", "away.team"])
    ('right', 'away.team')
    """
    for pair in (*SIDE_WORDS, *COMMON_TOKENS, *DIGIT_TOKENS):
        mine, other = pair[side], pair[1 - side]
        for pattern in (rf"^{mine}(?=$|[_. -])", rf"(?<=[_. -]){mine}$", rf"(?<=[a-z]){mine}$"):
            if mine.isdigit() or "(?<=[a-z])" not in pattern:
                candidate = re.sub(pattern, other, name)
                if candidate != name and candidate in columns:
                    return candidate
    return None


def _winner(finder: Finder, options: Options, items: Pair) -> tuple[str | None, tuple[str, ...]]:
    """Find the winner column, or the columns of wins of an aggregated table."""
    if options.winner:
        return finder.explicit("winner", options.winner, WINNER_NAMES), ()
    counted = bool(options.wins_a or options.wins_b or options.ties)
    found = next((n for n in WINNER_NAMES if n in finder.columns and n not in items), None)
    wins = () if found and not counted else _wins(finder, options, items)
    if found and not wins:
        return found, ()
    if wins:
        ties = finder.optional("ties", options.ties)
        ties = ties or next((n for n in finder.columns if bare(n) in TIE_COUNTS and n not in (*items, *wins)), None)
        return None, (*wins, ties) if ties else wins
    if counted:
        finder.miss("wins_a", "no columns for 'wins_a' and 'wins_b', how often each side won", ["wins_a", "wins_b"])
        return None, ()
    finder.lack("winner", WINNER_NAMES, like=len(WINNER_NAMES))
    return None, ()


def _sides(finder: Finder, parts: Pair, named: tuple[str | None, str | None]) -> tuple[str, ...]:
    """Return the columns of both sides where one is named, the other by its name; empty where none is."""
    if not any(named):
        return ()
    sides = zip(parts, named, named[::-1], (0, 1), strict=True)
    return tuple(
        finder.explicit(part, name or partner_of(other or "", 1 - side, finder.columns) or "")
        for part, name, other, side in sides
    )


def _wins(finder: Finder, options: Options, items: Pair) -> tuple[str, ...]:
    """Return the columns of how often each side won: as named, or by their names, in any case; empty for none."""
    named = _sides(finder, ("wins_a", "wins_b"), (options.wins_a, options.wins_b))
    if named:
        return named
    plain = {bare(column): column for column in reversed(finder.columns) if column not in items}
    own = item_tokens(items)
    for sides in (*([own] if own and all(own) else []), *COMMON_TOKENS, *DIGIT_TOKENS, *SIDE_WORDS):
        for word in WIN_WORDS:
            for form in ("{word}{side}", "{side}{word}"):
                pair = tuple(plain.get(bare(form.format(word=word, side=side))) for side in sides)
                if pair[0] is not None and pair[1] is not None and pair[0] != pair[1]:
                    return (pair[0], pair[1])
    return ()


def _order(finder: Finder, options: Options, items: Pair) -> str | None:
    """Find the column that says who was shown first; an item column itself, where that side always was."""
    if options.order is False:
        return None
    if options.order in ("item_a", "item_b"):
        column = items[options.order == "item_b"]
        if options.order in finder.columns and options.order != column:
            said = (
                f"{option('order', options.order)} is the item column '{text.shorten(column)}' or the column of that "
                "name"
            )
            finder.miss("order", said, [], guess=column)
        return column
    if options.order is not None:
        return finder.explicit("order", options.order, ORDER_NAMES)
    return next((n for n in ORDER_NAMES if n in finder.columns and n not in items), None)


def _values(finder: Finder, options: Options, taken: set[str | None]) -> str | None:
    if options.values is False:
        return None
    if options.values is not None:
        return finder.explicit("values", options.values)
    return next((name for name in VALUES_NAMES if name in finder.columns and name not in taken), None)


def _covariates(finder: Finder, options: Options, items: Pair, taken: set[str]) -> dict[str, Pair]:
    declared = options.covariates
    if isinstance(declared, Mapping):
        return {
            name: (finder.explicit(f"{name}_a", a), finder.explicit(f"{name}_b", b))
            for name, (a, b) in declared.items()
        }
    free = [c for c in finder.columns if c not in taken]
    pairs = dict(side_pairs(free, items))
    if declared is None:
        return {name: pair for name, pair in pairs.items() if name and all(map(finder.table.holds_labels, pair))}
    pairs = dict(side_pairs(finder.columns, items))
    names = (declared,) if isinstance(declared, str) else tuple(declared)
    for name in names:
        if name not in pairs:
            sides = f"no pair of columns for covariate '{text.shorten(name)}' (looked for {name}_a and {name}_b)"
            columns = text.listing(finder.columns, most=20)
            fix = f"Columns: {columns}. Say {option('covariates', {name: (Word('column_a'), Word('column_b'))})}"
            finder.problems.append(Problem(message=sides, source=finder.table.source, fix=fix))
    return {name: pairs[name] for name in names if name in pairs}


def item_tokens(items: Pair) -> Pair | None:
    """Return what distinguishes the names of the two item columns.

    Examples
    --------
    >>> item_tokens(("left", "right")), item_tokens(("home.team", "away.team")), item_tokens(("role_i", "role_j"))
    (('left', 'right'), ('home', 'away'), ('i', 'j'))
    """
    parts_a, parts_b = (re.split(r"([_. -])", name) for name in items)
    if len(parts_a) != len(parts_b):
        return None
    differ = [(x, y) for x, y in zip(parts_a, parts_b, strict=True) if x != y]
    if len(differ) != 1:
        return None
    x, y = differ[0]
    if x[:-1] == y[:-1] and x[-1:].isdigit() and y[-1:].isdigit():
        return x[-1], y[-1]
    return x, y


def side_pairs(columns: Sequence[str], items: Pair) -> Iterator[tuple[str, Pair]]:
    """Yield (name, (column of a, column of b)) for columns that differ in nothing but the side."""
    own = item_tokens(items)
    tokens = [*([own] if own and all(own) else []), *COMMON_TOKENS]
    if own not in COMMON_TOKENS:
        tokens += DIGIT_TOKENS
    known, seen = frozenset(columns), set[str]()
    for a, b in dict.fromkeys(tokens):
        for column in columns:
            name, partner = _other_side(column, a, b)
            if partner in known and name not in seen and column not in items:
                seen.add(name)
                yield name, (column, partner)


def _other_side(column: str, a: str, b: str) -> Pair:
    """Return the covariate's name and the column of side b, for the column of side a; empty when it is none."""
    if match := re.match(rf"^(.+)([_. -]){re.escape(a)}$", column):
        return match[1], f"{match[1]}{match[2]}{b}"
    if match := re.match(rf"^{re.escape(a)}([_. -])(.+)$", column):
        return match[2], f"{b}{match[1]}{match[2]}"
    return "", ""

"""Which column plays which part: by explicit name, by standard name, by alias, by matching pairs of names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from socialstats.designs.aliases import ColumnOption, Fields, Levels, Pair
from socialstats.designs.options import Options, texts
from socialstats.designs.schema import BLOCKS, STATUS, Finder, Part, Roles
from socialstats.designs.tables import TIE_COUNTS, WIN_WORDS, bare
from socialstats.designs.vocabulary import couples, spelled
from socialstats.errors import Problem
from socialstats.tables import Table
from socialstats.text import listing, quoted, shorten
from socialstats.voice import Word, option

ITEM_PAIRS = couples(
    "item_a item_b, role_a role_b, model_a model_b, player_a player_b, option_a option_b, choice_a choice_b, "
    "name_a name_b, item_i item_j, role_i role_j, item_1 item_2, item1 item2, model_1 model_2, model1 model2, "
    "player_1 player_2, player1 player2, left right, first second, home away, a b, A B"
)
WINNER_NAMES = spelled("winner choice chosen preferred preference result outcome pick vote")
ORDER_NAMES = spelled("order first_shown shown_first presented_first first")
VALUES_NAMES = spelled("values cited_values values_cited")
SIDE_WORDS = couples("left right, first second, home away")
COMMON_TOKENS = couples("a b, A B, i j")
DIGIT_TOKENS: tuple[Pair, ...] = (("1", "2"),)
REST = "p_rest"


PARTS = (
    Part("item_a", "item"),
    Part("item_b", "item"),
    Part("winner", "value"),
    Part("order", "order"),
    Part("wins_a", "wins"),
    Part("wins_b", "wins"),
    Part("ties", "wins"),
    Part("score_a", "score"),
    Part("score_b", "score"),
)
FURTHER = (
    Part("order", "order", ORDER_NAMES, wanted=False),
    Part("weight", "weight"),
    Part("count", "count"),
    Part("drawn", "drawn"),
    Part("by", "by"),
    Part("values", "value", VALUES_NAMES, wanted=False),
    Part("status", "status", (STATUS,), wanted=False),
    Part("rest", "note"),
    BLOCKS,
    Part("cluster", "cluster"),
    Part("repeat", "repeat"),
)


@dataclass(frozen=True, slots=True)
class Contest(Roles):
    """The columns of comparisons.

    Attributes
    ----------
    schema, played
        As in `Roles`. Without a winner there are `wins` (of a, of b and, optionally, ties) or `scores` of both items,
        of which the higher one wins. ``rest`` is the probability of other answers, beside those of the first item.
    covariates : mapping of str to pair of str
    undeclared : frozenset of str
        Covariates that were found by their names, not declared.
    pair_cluster : bool
        True when ``pair`` was declared as a cluster and no column has that name, or repeats without a cluster.
    """

    covariates: Mapping[str, Pair]
    undeclared: frozenset[str]
    pair_cluster: bool = False

    @property
    def items(self) -> Pair:
        """The columns of the two items."""
        return self["item_a"], self["item_b"]

    def names_of_rows(self, *kinds: str) -> list[str]:
        """Return the columns of some kinds, and that of the winner."""
        return [*self.of(*kinds), *self.played.get("winner", ())]

    def keys_of_cells(self) -> list[str]:
        """Return every column that makes a cell."""
        return self.of(*(part.kind for part in self.schema if part.kind not in ("weight", "repeat")))


def assign(table: Table, options: Options) -> Contest:
    """Decide which column plays which part.

    Raises
    ------
    DesignError
        Naming every column that is missing, where it was looked for, and the likeliest cure.
    """
    finder = Finder(table)
    items = _items(finder, options)
    scores = _sides(finder, ("score_a", "score_b"), (options.score_a, options.score_b))
    winner, wins = ("", ()) if scores else _winner(finder, options, items)
    columns = {"item_a": items[0], "item_b": items[1], "winner": winner}
    columns |= dict(zip(("wins_a", "wins_b", "ties"), wins, strict=False))
    columns |= dict(zip(("score_a", "score_b"), scores, strict=False))
    played = {name: (column,) for name, column in columns.items() if column}
    soft = options.winner_coding == "probability"
    no_column = "pair" if not table.has("pair") else ""
    named: Fields = {"cluster": tuple(name for name in texts(options.cluster) if name != no_column)}
    named["order"] = _order(finder, options, items)
    if soft:
        named["values"] = False  # the labels that a reply cites belong to the answer that was drawn
    if not winner and options.status is None:
        named["status"] = False
    taken = [*columns.values()]
    further = finder.roles(FURTHER, options, taken, **named)
    free = [c for c in finder.columns if c not in (*taken, *further.columns())]
    covariates = _covariates(finder, options, items, free)
    if options.drawn and (soft or not winner):
        message = f"{option('drawn', options.drawn)} says which rows are ties, beside a column of winners"
        finder.problems.append(Problem(message=message, fix="Leave it out, or name the winners"))
    for name in options.allowed:
        if name not in covariates:
            listed = quoted([*covariates], 10) or "none"
            finder.problems.append(
                Problem(
                    message=f"{option('allowed')} names '{name}', which is no covariate", fix=f"Covariates: {listed}"
                )
            )
    finder.finish()
    sides = {f"{name}_{side}": (c,) for name, pair in covariates.items() for side, c in zip("ab", pair, strict=True)}
    rest = {"rest": (REST,)} if soft and table.has(REST) else {}
    repeated = bool(options.repeat) and not texts(options.cluster)
    return Contest(
        schema=(*PARTS, *(Part(name, "covariate") for name in sides), *further.schema),
        played={**played, **sides, **further.played, **rest},
        covariates=covariates,
        undeclared=frozenset(covariates) if options.covariates is None else frozenset(),
        pair_cluster=repeated or no_column in texts(options.cluster),
    )


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
        side_word, other = pair[side], pair[1 - side]
        for pattern in (rf"^{side_word}(?=$|[_. -])", rf"(?<=[_. -]){side_word}$", rf"(?<=[a-z]){side_word}$"):
            if side_word.isdigit() or "(?<=[a-z])" not in pattern:
                candidate = re.sub(pattern, other, name)
                if candidate != name and candidate in columns:
                    return candidate
    return None


def _winner(finder: Finder, options: Options, items: Pair) -> tuple[str, Levels]:
    """Find the winner column, or the columns of wins of an aggregated table."""
    if options.winner:
        return finder.explicit("winner", options.winner, WINNER_NAMES), ()
    counted = bool(options.wins_a or options.wins_b or options.ties)
    winner = finder.free(WINNER_NAMES, items)
    wins = () if winner and not counted else _wins(finder, options, items)
    if winner and not wins:
        return winner, ()
    if wins:
        ties = finder.several("ties", options.ties)
        ties = ties or tuple(n for n in finder.columns if bare(n) in TIE_COUNTS and n not in (*items, *wins))
        return "", (*wins, *ties[:1])
    if counted:
        finder.miss("wins_a", "no columns for 'wins_a' and 'wins_b', how often each side won", ["wins_a", "wins_b"])
        return "", ()
    finder.lack("winner", WINNER_NAMES, like=len(WINNER_NAMES))
    return "", ()


def _sides(finder: Finder, parts: Pair, named: tuple[str | None, str | None]) -> Levels:
    """Return the columns of both sides where one is named, the other by its name; empty where none is."""
    if not any(named):
        return ()
    sides = zip(parts, named, named[::-1], (0, 1), strict=True)
    return tuple(
        finder.explicit(part, name or partner_of(other or "", 1 - side, finder.columns) or "")
        for part, name, other, side in sides
    )


def _wins(finder: Finder, options: Options, items: Pair) -> Levels:
    """Return the columns of how often each side won: as named, or by their names, in any case; empty for none."""
    named = _sides(finder, ("wins_a", "wins_b"), (options.wins_a, options.wins_b))
    if named:
        return named
    plain = {bare(column): column for column in reversed(finder.columns) if column not in items}
    tokens = item_tokens(items)
    for sides in (*([tokens] if tokens and all(tokens) else []), *COMMON_TOKENS, *DIGIT_TOKENS, *SIDE_WORDS):
        for word in WIN_WORDS:
            for form in ("{word}{side}", "{side}{word}"):
                pair = tuple(plain.get(bare(form.format(word=word, side=side))) for side in sides)
                if pair[0] is not None and pair[1] is not None and pair[0] != pair[1]:
                    return (pair[0], pair[1])
    return ()


def _order(finder: Finder, options: Options, items: Pair) -> ColumnOption:
    """Return the column that says who was shown first, as named; an item column where that side always was."""
    if options.order not in ("item_a", "item_b"):
        return options.order
    column = items[options.order == "item_b"]
    if options.order in finder.columns and options.order != column:
        message = f"{option('order', options.order)} is the item column '{shorten(column)}' or the column of that name"
        finder.miss("order", message, [], guess=column)
    return column if finder.table.has(column) else False  # a missing item is said once


def _covariates(finder: Finder, options: Options, items: Pair, free: Sequence[str]) -> dict[str, Pair]:
    declared = options.covariates
    if isinstance(declared, Mapping):
        return {
            name: (finder.explicit(f"{name}_a", a), finder.explicit(f"{name}_b", b))
            for name, (a, b) in declared.items()
        }
    if declared is None:
        pairs = dict(side_pairs(free, items))
        return {name: pair for name, pair in pairs.items() if name and all(map(finder.table.holds_labels, pair))}
    pairs = dict(side_pairs(finder.columns, items))
    names = (declared,) if isinstance(declared, str) else tuple(declared)
    for name in names:
        if name not in pairs:
            sides = f"no pair of columns for covariate '{shorten(name)}' (looked for {name}_a and {name}_b)"
            columns = listing(finder.columns, most=20)
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
    distinct = item_tokens(items)
    tokens = [*([distinct] if distinct and all(distinct) else []), *COMMON_TOKENS]
    if distinct not in COMMON_TOKENS:
        tokens += DIGIT_TOKENS
    names, seen = frozenset(columns), set[str]()
    for a, b in dict.fromkeys(tokens):
        for column in columns:
            name, partner = _other_side(column, a, b)
            if partner in names and name not in seen and column not in items:
                seen.add(name)
                yield name, (column, partner)


def _other_side(column: str, a: str, b: str) -> Pair:
    """Return the covariate's name and the column of side b, for the column of side a; empty when it is none."""
    if match := re.match(rf"^(.+)([_. -]){re.escape(a)}$", column):
        return match[1], f"{match[1]}{match[2]}{b}"
    if match := re.match(rf"^{re.escape(a)}([_. -])(.+)$", column):
        return match[2], f"{b}{match[1]}{match[2]}"
    return "", ""

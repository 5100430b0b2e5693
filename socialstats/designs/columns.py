"""Which column plays which part: by explicit name, by standard name, by alias, by matching pairs of names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from socialstats.designs.aliases import ColumnOption, Levels, Pair, Texts
from socialstats.designs.column_pairs import COMMON_TOKENS, DIGIT_TOKENS, SIDE_WORDS, partner_of
from socialstats.designs.frequencies import TIE_COUNTS, WIN_WORDS, frequency_columns
from socialstats.designs.options import Options, texts
from socialstats.designs.schema import BLOCKS, STATUS, DesignPart, Finder, Roles, plain_parts
from socialstats.designs.vocabulary import bare, spelled, word_couples
from socialstats.errors import Problem
from socialstats.tables import Table
from socialstats.text import listing, quoted, shorten
from socialstats.voice import Word, option

ITEM_PAIRS = word_couples(
    "item_a item_b, role_a role_b, model_a model_b, player_a player_b, option_a option_b, choice_a choice_b, "
    "name_a name_b, item_i item_j, role_i role_j, item_1 item_2, item1 item2, model_1 model_2, model1 model2, "
    "player_1 player_2, player1 player2, left right, first second, home away, a b, A B"
)
WINNER_NAMES = spelled("winner choice chosen preferred preference result outcome pick vote")
LOSER_NAMES = spelled("loser")
ORDER_NAMES = spelled("order first_shown shown_first presented_first first")
VALUES_NAMES = spelled("values cited_values values_cited")
REMAINING_TIES = "p_rest"


ITEMS = ("item_a", "item_b")
PARTS = plain_parts(
    "item_a:item item_b:item winner:value order wins_a:wins wins_b:wins ties:wins "
    "score_a:score score_b:score"
)
FURTHER = (
    DesignPart("order", "order", ORDER_NAMES, required=False),
    *plain_parts("weight count drawn by"),
    DesignPart("values", "value", VALUES_NAMES, required=False),
    DesignPart("status", "status", (STATUS,), required=False),
    DesignPart("rest", "note"),
    BLOCKS,
    *plain_parts("cluster repeat"),
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
        return self.of(
            *(part.kind for part in self.schema if part.kind not in ("weight", "repeat"))
        )


def assign(table: Table, options: Options) -> Contest:
    """Decide which column plays which part.

    Raises
    ------
    DesignError
        Naming every column that is missing, where it was looked for, and the likeliest cure.
    """
    finder = Finder(table)
    items = winner_and_loser(finder, options) or _items(finder, options)
    scores = _side_columns(finder, options, "score")
    winner, wins = ("", ()) if scores else _winner(finder, options, items)
    names = [part.name for part in PARTS if part.kind not in ("order", "score")]
    columns = dict(zip(names, (*items, winner, *wins), strict=False))
    columns |= dict(zip(("score_a", "score_b"), scores, strict=False))
    played = {name: (column,) for name, column in columns.items() if column}
    soft = options.winner_coding == "probability"
    clusters = texts(options.cluster)
    by_pair = "pair" in clusters and not table.has("pair")
    further = finder.roles(
        FURTHER,
        options,
        [*columns.values()],
        cluster=[name for name in clusters if not (by_pair and name == "pair")],
        order=_order_column(finder, options, items),
        values=False
        if soft
        # the labels that a reply cites belong to the answer that was drawn
        else options.values,
        status=options.status or (None if winner else False),
    )
    free = [c for c in finder.columns if c not in (*columns.values(), *further.columns())]
    covariates = _covariates(finder, options, items, free)
    if options.drawn and (soft or not winner):
        message = (
            f"{option('drawn', options.drawn)} says which rows are ties, beside a column of winners"
        )
        finder.problems.append(Problem(message=message, fix="Leave it out, or name the winners"))
    for name in [name for name in options.allowed if name not in covariates]:
        message = f"{option('allowed')} names '{name}', which is no covariate"
        listed = quoted([*covariates], 10) or "none"
        finder.problems.append(Problem(message=message, fix=f"Covariates: {listed}"))
    finder.finish()
    sides = {
        f"{name}_{side}": (c,)
        for name, pair in covariates.items()
        for side, c in zip("ab", pair, strict=True)
    }
    tie_shares = {"rest": (REMAINING_TIES,)} if soft and table.has(REMAINING_TIES) else {}
    return Contest(
        schema=(*PARTS, *(DesignPart(name, "covariate") for name in sides), *further.schema),
        played={**played, **sides, **further.played, **tie_shares},
        covariates=covariates,
        undeclared=frozenset(covariates) if options.covariates is None else frozenset(),
        pair_cluster=by_pair or (bool(options.repeat) and not clusters),
    )


def winner_and_loser(finder: Finder, options: Options) -> Pair | None:
    """Return the columns of winners and losers, where no column beside them may say who met, or that none won."""
    pair = won_and_lost(finder, options)
    named = [getattr(options, part.name, None) for part in PARTS]
    if pair is None or any(named[:2]) or any(named[3:]):
        return None
    declared = [getattr(options, part.name, None) for part in FURTHER]
    used = {*pair, *(c for value in declared if value and value is not True for c in texts(value))}
    used |= {*frequency_columns(finder.table, [*used], options.na_labels)}
    return pair if used.issuperset(finder.columns) else None


def won_and_lost(finder: Finder, options: Options) -> Pair | None:
    """Return the columns called winner and loser, if there are both."""
    lost = [column for column in finder.columns if column in LOSER_NAMES]
    won = options.winner or finder.free(WINNER_NAMES[:1], lost)
    return (won, lost[0]) if won in finder.columns and len(lost) == 1 else None


def _items(finder: Finder, options: Options) -> Pair:
    """Find the two item columns: as named, or the first alias pair that is complete."""
    named = (options.item_a, options.item_b)
    columns = finder.columns
    complete = next((pair for pair in ITEM_PAIRS if {*pair} <= {*columns}), None)
    if complete and not any(named):
        return complete
    declared = [
        name and finder.explicit(part, name) for part, name in zip(ITEMS, named, strict=True)
    ]
    if any(named):
        declared = [
            name or (other and partner_of(other, 1 - k, columns))
            for k, (name, other) in enumerate(zip(declared, declared[::-1], strict=True))
        ]
        if declared[0] == declared[1]:
            finder.miss(
                "item_b", f"item_a and item_b are the same column '{declared[0]}'", ["item_b"]
            )
    present = [
        next((pair[side] for pair in ITEM_PAIRS if pair[side] in columns), None) for side in (0, 1)
    ]
    lost = [side for side in (0, 1) if not (declared if any(named) else present)[side]]
    for side in lost or ([] if any(named) else [1]):
        other = named[1 - side] if any(named) else present[1 - side]
        looked = [pair[side] for pair in ITEM_PAIRS]
        free = [column for column in columns if column != other]
        guess = (other and partner_of(other, 1 - side, free)) or next(
            (name for name in looked if name in free), None
        )
        guess = guess or (won_and_lost(finder, options) or (None, None))[side]
        finder.lack(ITEMS[side], looked, guess, texts(other))
    return declared[0] or "", declared[1] or ""


def _winner(finder: Finder, options: Options, items: Pair) -> tuple[str, Levels]:
    """Find the winner column, or the columns of wins of an aggregated table."""
    if options.winner:
        return finder.explicit("winner", options.winner, WINNER_NAMES), ()
    counted = bool(options.wins_a or options.wins_b or options.ties)
    winner = items[0] if items[1] in LOSER_NAMES else finder.free(WINNER_NAMES, items)
    wins = (
        ()
        if winner and not counted
        else _side_columns(finder, options, "wins") or _wins(finder, items)
    )
    if winner and not wins:
        return winner, ()
    if wins:
        ties = finder.several("ties", options.ties)
        ties = ties or tuple(
            n for n in finder.columns if bare(n) in TIE_COUNTS and n not in (*items, *wins)
        )
        return "", (*wins, *ties[:1])
    if counted:
        finder.miss(
            "wins_a",
            "no columns for 'wins_a' and 'wins_b', how often each side won",
            ["wins_a", "wins_b"],
        )
    else:
        finder.lack("winner", WINNER_NAMES, like=len(WINNER_NAMES))
    return "", ()


def _side_columns(finder: Finder, options: Options, part: str) -> Levels:
    """Return the columns of both sides where one is named, the other by its name; empty where none is."""
    parts = (f"{part}_a", f"{part}_b")
    named = [getattr(options, name) or "" for name in parts]
    if not any(named):
        return ()
    partners = [partner_of(named[1 - side], 1 - side, finder.columns) or "" for side in (0, 1)]
    return tuple(
        finder.explicit(p, n or partner)
        for p, n, partner in zip(parts, named, partners, strict=True)
    )


def _wins(finder: Finder, items: Pair) -> Levels:
    """Return the columns that are called like how often each side won, in any case; empty for none."""
    plain = {bare(column): column for column in reversed(finder.columns) if column not in items}
    for a, b in (*own_tokens(items), *COMMON_TOKENS, *DIGIT_TOKENS, *SIDE_WORDS):
        for word in WIN_WORDS:
            for names in ((word + a, word + b), (a + word, b + word)):
                pair = tuple(plain[bare(name)] for name in names if bare(name) in plain)
                if len({*pair}) == 2:
                    return pair
    return ()


def _order_column(finder: Finder, options: Options, items: Pair) -> ColumnOption:
    """Return the column that says who was shown first, as named; an item column where that side always was."""
    if options.order not in ("item_a", "item_b"):
        return options.order
    column = items[options.order == "item_b"]
    if options.order in finder.columns and options.order != column:
        message = f"{option('order', options.order)} is the item column '{shorten(column)}' or the column of that name"
        finder.miss("order", message, [], guess=column)
    # a missing item is said once
    return column if finder.table.has(column) else False


def _covariates(finder: Finder, options: Options, items: Pair, free: Texts) -> dict[str, Pair]:
    declared = options.covariates
    if isinstance(declared, Mapping):
        return {
            name: (finder.explicit(f"{name}_a", a), finder.explicit(f"{name}_b", b))
            for name, (a, b) in declared.items()
        }
    pairs = dict(side_pairs(free if declared is None else finder.columns, items))
    if declared is None:
        return {
            name: pair
            for name, pair in pairs.items()
            if name and all(map(finder.table.holds_labels, pair))
        }
    for name in texts(declared):
        if name not in pairs:
            sides = f"no pair of columns for covariate '{shorten(name)}' (looked for {name}_a and {name}_b)"
            columns = listing(finder.columns, most=20)
            fix = f"Columns: {columns}. Say {option('covariates', {name: (Word('column_a'), Word('column_b'))})}"
            finder.problems.append(Problem(message=sides, source=finder.table.source, fix=fix))
    return {name: pairs[name] for name in texts(declared) if name in pairs}


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


def side_pairs(columns: Texts, items: Pair) -> Iterator[tuple[str, Pair]]:
    """Yield (name, (column of a, column of b)) for columns that differ in nothing but the side."""
    digits = () if item_tokens(items) in COMMON_TOKENS else DIGIT_TOKENS
    names = frozenset(columns)
    previous = set[str]()
    for a, b in dict.fromkeys((*own_tokens(items), *COMMON_TOKENS, *digits)):
        behind, before = (
            re.compile(form.format(re.escape(a))) for form in (r"(.+)([_. -]){}", r"{}([_. -])(.+)")
        )
        for column in columns:
            name = partner = ""
            if match := behind.fullmatch(column):
                name = match[1]
                partner = match[1] + match[2] + b
            elif match := before.fullmatch(column):
                name = match[2]
                partner = b + match[1] + match[2]
            if partner in names and name not in previous and column not in items:
                previous.add(name)
                yield name, (column, partner)


def own_tokens(items: Pair) -> list[Pair]:
    """Return what distinguishes the two item columns, where something stands on both sides."""
    tokens = item_tokens(items)
    return [tokens] if tokens and all(tokens) else []

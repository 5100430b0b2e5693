"""Who won a comparison, and which side was shown first: labels of items, codes of sides, scores."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.aliases import Levels, Pair, Texts, TextSet
from socialstats.designs.columns import Contest, own_tokens
from socialstats.designs.options import DEFAULT_TIES, Options
from socialstats.designs.parts import A_WON, B_WON, FINE, TIED
from socialstats.designs.rows import Rows
from socialstats.designs.tables import whole_numbers
from socialstats.designs.vocabulary import (
    AROUND,
    BEGIN_TIES,
    TIE_WORDS,
    spelled,
    without_accents,
    word_couples,
)
from socialstats.tables import Labels, as_number
from socialstats.text import quoted, shorten
from socialstats.voice import option

UNKNOWN = -1
SIDE_CODES = word_couples(
    "item_a item_b, model_a model_b, a b, A B, 1 2, left right, first second, home away, H A, L R, W L, win loss, "
    "links rechts, izquierda derecha, gauche droite, esquerda direita, sinistra destra, lewa prawa, 左 右, 左侧 右侧, "
    "W1 W2, 1 -1, +1 -1, 1-0 0-1, won lost, win lose, victory defeat, white black, top bottom, red blue"
)
SIGNS = word_couples("1 -1, +1 -1")
# characters of a label whose words are looked at
LONGEST_PHRASE = 1_000
# characters of a label that an error repeats
SHORT = 24
SCORES: dict[float | None, int] = {1.0: A_WON, 0.5: TIED, 0.0: B_WON}
# folded, without accents
YES = spelled("yes y t ja j oui si sim")
NO = spelled("no n f nein non nao")
LOGICALS: dict[str, float | None] = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemSides:
    """The two item columns over the cells.

    Attributes
    ----------
    columns : pair of str
        Names of the item columns.
    items : tuple of str
        Labels of both columns, sorted.
    a, b : (cells,) int64 arrays
        Indexes into `items`; -1 where missing.
    """

    columns: Pair
    items: Levels
    a: IntArray
    b: IntArray

    @classmethod
    def of(cls, columns: Pair, a: Labels, b: Labels) -> ItemSides:
        """Give both columns the same codes."""
        items = tuple(sorted({*a.levels, *b.levels}))
        return cls(columns=columns, items=items, a=recode(a, items), b=recode(b, items))

    def schemes(self) -> list[Pair]:
        """Return the pairs of codes that may stand for the sides, the table's own names first."""
        return list(dict.fromkeys([self.columns, *own_tokens(self.columns), *SIDE_CODES]))

    def scheme(self, values: set[str]) -> Pair | None:
        """Return the first pair of side codes that explains every value."""
        scheme = scheme_of(values, self.schemes())
        plain = scheme is not None and {*map(side_code, values)} <= {*scheme}
        # an item may be called like a phrase
        return scheme if plain or not values & {*self.items} else None

    def winners(self, labels: Labels, ties: TextSet = ()) -> IntArray:
        """Decode labels of items: which side each names, or a tie."""
        code = recode(labels, self.items)
        tied = labels.mapped(lambda level: level in ties, False)
        return np.select(
            [tied, code == self.a, code == self.b], [TIED, A_WON, B_WON], UNKNOWN
        ).astype(np.int64)


def recode(column: Labels, items: Texts) -> IntArray:
    """Return a column as indexes into `items`; -1 for missing values, -2 for labels that are no items."""
    index = {item: code for code, item in enumerate(items)}
    return column.mapped(lambda level: index.get(level, -2), -1, np.int64)


def decode_winners(column: str, sides: ItemSides, rows: Rows, options: Options) -> IntArray:
    """Decode the winner column.

    Parameters
    ----------
    column : str
    sides : Sides
    rows : Rows
        Collects what cannot be decoded; rows that are not in use are not judged.
    options : Options

    Returns
    -------
    (rows,) int64 array
        ``A_WON``, ``B_WON``, ``TIED``, or -1 where the value could not be decoded.
    """
    winner = rows.labels(column)
    used = {*rows.used_labels(column)}
    ties = {*options.tie_labels, *({*DEFAULT_TIES} - {*sides.items})}
    if options.tie_labels == DEFAULT_TIES:
        ties |= {label for label in used if begins_with_tie(label)} - {*sides.items}
    _refuse_tie_items(sides, ties, rows)
    coding = options.winner_coding
    if coding == "score":
        return _by_score(column, rows)
    if coding == "grade":
        return _by_grade(column, rows)
    by_label = sides.winners(winner, ties)
    if coding == "label" or (coding == "auto" and not rows_unknown(rows, by_label)):
        return _collect_problems(by_label, None, column, sides, rows, options)
    scheme = sides.scheme(used - ties)
    likely = scheme or likely_scheme(used, sides.schemes())
    by_side = _by_scheme(winner, likely, ties)
    clash = sorted({*(scheme or ())} & used & {*sides.items})
    if scheme and clash and coding != "side":
        fix = f"Say {option('winner_coding', 'label')} or {option('winner_coding', 'side')}"
        message = f"{quoted(clash)} may name an item or a side, and not every value names an item of its row"
        rows.pend(message, column, fix)
        return by_label
    if coding == "side" or scheme or rows_unknown(rows, by_side) < rows_unknown(rows, by_label):
        return _collect_problems(
            by_side, likely_scheme(used, sides.schemes()), column, sides, rows, options
        )
    return _collect_problems(by_label, None, column, sides, rows, options)


def rows_unknown(rows: Rows, outcome: IntArray) -> float:
    """Return the rows in use that are not decoded."""
    return float(rows.n[rows.use & (outcome == UNKNOWN)].sum())


def side_code(level: str) -> str:
    """Return a code of a side as schemes spell it: 1.0, as data frames write 1 beside gaps, is 1.

    Examples
    --------
    >>> side_code("2.0"), side_code("-1.0"), side_code("1.5"), side_code("left")
    ('2', '-1', '1.5', 'left')
    """
    return level[:-2] if level.endswith(".0") and level[:-2].removeprefix("-").isdigit() else level


def says_tie(label: str) -> bool:
    """Whether a label says that none of two items won, or both.

    Examples
    --------
    >>> says_tie("both good"), says_tie("No preference"), says_tie("left")
    (True, True, False)
    """
    words = phrase_words(label)
    return bool({*words, "".join(words)} & TIE_WORDS)


def begins_with_tie(label: str) -> bool:
    """Whether the first word of a label is one for a tie.

    Examples
    --------
    >>> begins_with_tie("tie (bothbad)"), begins_with_tie("Unentschieden"), begins_with_tie("necktie")
    (True, True, False)
    """
    return bool({*phrase_words(label)[:1]} & BEGIN_TIES)


def phrase_words(label: str) -> list[str]:
    """Return the words of a label in lower case, without accents; none of a text too long for a phrase."""
    return (
        []
        if len(label) > LONGEST_PHRASE
        else re.findall(r"[^\W\d_]+", without_accents(label).casefold())
    )


def side_word(level: str) -> str:
    """Return the one word of a phrase that names a side, in lower case; where it has none or several, the phrase.

    Examples
    --------
    >>> side_word("home team win"), side_word("Response A is better"), side_word("Team 2"), side_word("-1")
    ('home', 'a', '2', '-1')
    """
    if len(level) > LONGEST_PHRASE:
        return level
    words = re.findall(r"[^\W\d_]+|\d+", without_accents(level).casefold())
    naming = [word for word in words if word not in AROUND]
    naming = naming or words[-1:] * (len(words) == 1) or ["a"] * ("a" in words)
    return naming[0] if len(naming) == 1 and any(letter.isalpha() for letter in level) else level


def scheme_of(values: TextSet, schemes: Sequence[Pair]) -> Pair | None:
    """Return the first pair of side codes that explains every value: as they stand, or as one word of a phrase."""
    codes = {side_code(value) for value in values}
    words = {side_word(value) for value in values}
    folded = [(a.casefold(), b.casefold()) for a, b in schemes]
    plain = next((scheme for scheme in schemes if codes and codes <= {*scheme}), None)
    return plain or next((scheme for scheme in folded if words and words <= {*scheme}), None)


def likely_scheme(values: TextSet, schemes: Sequence[Pair]) -> Pair:
    """Return the first pair of side codes that explains most values."""
    codes = {side_code(value) for value in values}
    return max(schemes, key=lambda scheme: len(codes & {*scheme}))


def _by_scheme(labels: Labels, scheme: Pair, ties: TextSet = ()) -> IntArray:
    meaning = dict.fromkeys(ties, TIED) | {scheme[0]: A_WON, scheme[1]: B_WON}

    def outcome(level: str) -> int:
        codes = (level, side_code(level), side_word(level))
        return next((meaning[code] for code in codes if code in meaning), UNKNOWN)

    return labels.mapped(outcome, UNKNOWN, np.int64)


def _refuse_tie_items(sides: ItemSides, ties: set[str], rows: Rows) -> None:
    fix = f"Rename the item, or declare other tie labels with {option('tie')}"
    for tie in sorted(ties & {*sides.items}):
        code = sides.items.index(tie)
        bad = rows.use & ((sides.a == code) | (sides.b == code))
        if bad.any():
            rows.add(
                f"an item is called '{shorten(tie)}', which is also a tie label",
                bad,
                sides.columns,
                fix=fix,
            )


def higher_score(columns: Texts, rows: Rows, *, lowest_wins: bool = False) -> IntArray:
    """Decode two columns of scores: the item of the higher one won, or that of the lower rank; equal ones are a tie."""
    for column in columns:
        rows.refuse_spellings(column)
        fix = f"{'Ranks' if lowest_wins else 'Scores'} are numbers; the {'lower' if lowest_wins else 'higher'} one wins"
        rows.each_value(column, rows.texts(column), [column], "'{}' is not a number", fix=fix)
    upper, lower = columns[::-1] if lowest_wins else columns
    a = rows.labels(upper).numbers()
    b = rows.labels(lower).numbers()
    return np.select([a > b, a < b], [A_WON, B_WON], default=TIED).astype(np.int64)


def as_score(label: str) -> float | None:
    """Return the number that a label is, TRUE as 1 and FALSE as 0, or None.

    Examples
    --------
    >>> as_score("0.5"), as_score("TRUE"), as_score("False"), as_score("a")
    (0.5, 1.0, 0.0, None)
    """
    return LOGICALS.get(label.casefold(), as_number(label))


def _by_score(column: str, rows: Rows) -> IntArray:
    outcome: IntArray = rows.labels(column).mapped(
        lambda x: SCORES.get(as_score(x), UNKNOWN), UNKNOWN, np.int64
    )
    fix = f"A score is 1 (the first item won), 0.5 (tie) or 0; of others say {option('winner_coding', 'probability')}"
    rows.each_value(
        column, rows.use & (outcome == UNKNOWN), [column], "'{}' is not a score", fix=fix
    )
    return outcome


def _by_grade(column: str, rows: Rows) -> IntArray:
    rows.refuse_spellings(column)
    grade = rows.labels(column).numbers()
    fix = (
        "A grade is a number: above 0 the first item was better, below 0 the second, and 0 is a tie"
    )
    rows.each_value(column, rows.use & np.isnan(grade), [column], "'{}' is not a number", fix=fix)
    return np.select([grade > 0, grade < 0], [A_WON, B_WON], default=TIED).astype(np.int64)


def _collect_problems(
    outcome: IntArray,
    scheme: Pair | None,
    column: str,
    sides: ItemSides,
    rows: Rows,
    options: Options,
) -> IntArray:
    """Collect one problem for each value that labels of items, or the codes of a scheme, do not explain."""
    bad = rows.use & (outcome == UNKNOWN)
    if not bad.any():
        return outcome
    ties = quoted(options.tie_labels) or "none is declared"
    keys = [*sides.columns, column]
    like = [*sides.items, *options.tie_labels]
    sorts = "of the two items of its row"
    if scheme is not None:
        keys = [column]
        like = [*like, *scheme]
        sorts = f"'{scheme[0]}', '{scheme[1]}'"
    message = f"'{{}}' is neither {sorts} nor a tie label ({ties})"
    rows.each_value(column, bad, keys, message, fix=_cure(rows.used_labels(column)), like=like)
    return outcome


def _cure(used: Texts) -> Callable[[str], str]:
    """Return a function from a value that is no winner to its cure, given the values of the column."""
    numbers = {*map(as_score, used)}
    scores = numbers <= {*SCORES}
    shares = all(x is not None and 0 <= x <= 1 for x in numbers)

    def cure(label: str) -> str:
        if scores:
            logical = {value.casefold() for value in used} <= {*LOGICALS}
            cells = (
                "TRUE says that the first item won"
                if logical
                else "1, 0.5 and 0 are the share of the first item"
            )
            return f"Say {option('winner_coding', 'score')} if {cells}"
        if shares:
            return f"Say {option('winner_coding', 'probability')} if it is the probability of the first item"
        tie = option("tie", label)
        refused = (
            option("refusal", label)
            if len(label) <= SHORT
            else option("refusal", typed="--refusal")
        )
        return f"Correct it, or declare it with {tie} if it means a tie, or with {refused} if no choice was made"

    return cure


def tells_order(column: str, sides: ItemSides, rows: Rows) -> bool:
    """Whether some label of a column says which of the two items was shown first."""
    return bool((decoded_order(column, sides, rows) != UNKNOWN)[rows.use].any())


def decoded_order(column: str, sides: ItemSides, rows: Rows) -> IntArray:
    """Return which item of each row was shown first, by its label or by a code of a side; unknown for other labels."""
    order = rows.labels(column)
    used = {*rows.used_labels(column)}
    schemes = [*sides.schemes(), *SIGNS]
    # AB and BA name both sides, the first one first
    schemes += [(x + y, y + x) for x, y in schemes]
    by_label = sides.winners(order)
    by_side = _by_scheme(order, scheme_of(used, schemes) or likely_scheme(used, schemes))
    # a code that is an item's label too
    clash = rows.use & (by_side != UNKNOWN) & (recode(order, sides.items) >= 0)
    better = rows_unknown(rows, by_side) < rows_unknown(rows, by_label)
    return by_side if better and not clash.any() else by_label


def first_shown(column: str, sides: ItemSides, rows: Rows) -> IntArray:
    """Decode who was shown first: the label of an item, a side code, or +1 / -1.

    Returns
    -------
    (rows,) int64 array
        +1 where item_a was shown first, -1 where item_b was, 0 where the value could not be decoded.
    """
    outcome = decoded_order(column, sides, rows)
    message = "'{}' does not say which of the two items of its row was shown first"
    advice = f"or say {option('order', False)} if the column means something else"
    fix = f"Use the item's label, a side code or +1/-1; {advice}"
    rows.each_value(
        column, rows.use & (outcome == UNKNOWN), [*sides.columns, column], message, fix=fix
    )
    return np.select([outcome == A_WON, outcome == B_WON], [1, -1], default=0).astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Expanded:
    """Cells by outcome.

    Attributes
    ----------
    cell : (k,) int64 array
        The table's cell.
    outcome : (k,) int64 array
    times : (k,) float64 array
        Comparisons that each row of the cell stands for.
    reply : (k,) int64 array, or None
        Number of the reply of which each is a part, where winners are probabilities.
    """

    cell: IntArray
    outcome: IntArray
    times: FloatArray
    reply: IntArray | None = None


def drawn_rows(rows: Rows, roles: Contest) -> BoolArray:
    """Decode the column that says which rows are ties, whatever their winner."""
    column = roles["drawn"]
    if not column:
        return np.zeros(len(rows.use), dtype=bool)
    drawn = rows.labels(column).mapped(says_drawn, UNKNOWN, np.int64)
    unknown = rows.use & (drawn == UNKNOWN) & (rows.codes(column) >= 0)
    message = "'{}' does not say whether the contest was drawn"
    rows.each_value(column, unknown, [column], message, fix="Write TRUE or FALSE")
    return np.asarray(drawn == 1)


def says_drawn(label: str) -> int:
    """Return 1 for a flag that says that a contest was drawn, 0 for one that says no, -1 for what is no flag.

    Examples
    --------
    >>> says_drawn("TRUE"), says_drawn("0"), says_drawn("Non"), says_drawn("empate"), says_drawn("maybe")
    (1, 0, 0, 1, -1)
    """
    number = as_score(label)
    word = without_accents(label).strip().casefold()
    if number in (0.0, 1.0):
        return int(number)
    return 0 if word in NO else 1 if word in YES or says_tie(label) else UNKNOWN


def winners(
    rows: Rows, roles: Contest, sides: ItemSides, options: Options, drawn: BoolArray
) -> Expanded:
    """Decode who won, by what the table has: scores of both sides, counts of wins, a probability, or a winner.

    Rows that were drawn are ties.
    """
    winner = roles["winner"]
    if scores := roles.of("score"):
        return each_once(higher_score(scores, rows, lowest_wins=options.lowest_wins))
    if not winner:
        return split_wins(roles.of("wins"), rows)
    if options.winner_coding == "probability":
        return reply_parts(rows.probabilities(winner), rows.n, rows.use)
    decoded = decode_winners(winner, sides, replace(rows, use=rows.use & ~drawn), options)
    return each_once(np.where(drawn, TIED, decoded))


def each_once(outcome: IntArray) -> Expanded:
    """Return cells in which a row is one comparison."""
    n = len(outcome)
    return Expanded(
        cell=np.arange(n, dtype=np.int64), outcome=outcome, times=np.broadcast_to(1.0, n)
    )


def split_wins(wins: Texts, rows: Rows) -> Expanded:
    """Split each row into the comparisons that a won, that b won, and that were tied.

    Parameters
    ----------
    wins : sequence of str
        Columns: wins of a, wins of b and, optionally, ties.
    rows : Rows
    """
    times = np.array([whole_numbers(column, rows) for column in wins])
    outcome, cell = np.nonzero(rows.use & (times > 0))
    return Expanded(
        cell=cell, outcome=np.array([A_WON, B_WON, TIED])[outcome], times=times[outcome, cell]
    )


def reply_parts(p: FloatArray, n: FloatArray, use: BoolArray) -> Expanded:
    """Split each reply into a win of either item, with its probability.

    Parameters
    ----------
    p : (cells,) float64 array
        Probability of the first item.
    n : (cells,) float64 array
        Replies of each cell of the table, which are alike.
    use : (cells,) bool array
    """
    cell = cell_of_replies(n, use)
    won = np.round(p[cell] * FINE) / FINE
    times = np.concatenate([won, 1 - won])
    part = times > 0
    outcome = np.repeat([A_WON, B_WON], len(cell))
    reply = np.tile(np.arange(len(cell)), 2)
    return Expanded(
        cell=np.tile(cell, 2)[part], outcome=outcome[part], times=times[part], reply=reply[part]
    )


def tied_replies(n: FloatArray, use: BoolArray) -> Expanded:
    """Return replies without a choice as ties, each a reply of its own."""
    cell = cell_of_replies(n, use)
    k = len(cell)
    return Expanded(cell=cell, outcome=np.full(k, TIED), times=np.ones(k), reply=np.arange(k))


def cell_of_replies(n: FloatArray, use: BoolArray) -> IntArray:
    """Return the cell of each reply; cells in use hold some alike."""
    return np.repeat(np.flatnonzero(use), n[use].astype(np.int64))

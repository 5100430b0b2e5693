"""What the winner and order columns mean, decided once for the whole column and never row by row.

A winner column holds one of three codings: the *label* of the item that won; a *side* (the name of an item
column, or a pair of codes such as a/b); or, on request only, a *score* (the share of the first item).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from socialstats import text
from socialstats.arrays import BoolArray, IntArray
from socialstats.designs.columns import item_tokens
from socialstats.designs.options import DEFAULT_TIES, Options
from socialstats.designs.parts import A_WON, B_WON, TIED
from socialstats.designs.problems import Problems
from socialstats.tables import Labels, as_number

UNKNOWN = -1
SIDE_CODES: tuple[tuple[str, str], ...] = (
    ("item_a", "item_b"), ("model_a", "model_b"), ("a", "b"), ("A", "B"), ("1", "2"), ("left", "right"),
    ("first", "second"), ("home", "away"), ("H", "A"), ("L", "R"), ("W", "L"), ("win", "loss"), ("W1", "W2"),
    ("1", "-1"), ("+1", "-1"), ("1-0", "0-1"), ("won", "lost"), ("win", "lose"), ("victory", "defeat"),
    ("white", "black"), ("top", "bottom"), ("red", "blue"),
)  # fmt: skip
AROUND = frozenset({
    "a", "the", "is", "was", "by", "of", "for", "much", "slightly", "clearly", "far", "better", "best", "stronger",
    "win", "wins", "won", "winner", "victory", "prefer", "prefers", "preferred", "preference", "choose", "chose",
    "chosen", "picked",
    "selected", "team", "player", "side", "model", "system", "assistant", "response", "answer", "output", "option",
    "candidate", "text", "summary", "image", "item", "version",
})  # words around the one that names a side: 'home team win', 'Response A is better'  # fmt: skip
TIE_WORDS = frozenset({
    "tie", "ties", "tied", "draw", "drawn", "both", "bothbad", "neither", "equal", "equally", "same", "even",
    "undecided", "nopreference", "indifferent", "similar",
})  # fmt: skip
SIGNS = (("1", "-1"), ("+1", "-1"))
SCORES = {1.0: A_WON, 0.5: TIED, 0.0: B_WON}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sides:
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

    columns: tuple[str, str]
    items: tuple[str, ...]
    a: IntArray
    b: IntArray

    @classmethod
    def of(cls, columns: tuple[str, str], a: Labels, b: Labels) -> Sides:
        """Give both columns the same codes."""
        items = tuple(sorted({*a.levels, *b.levels}))
        return cls(columns=columns, items=items, a=recode(a, items), b=recode(b, items))

    def schemes(self) -> list[tuple[str, str]]:
        """Return the pairs of codes that may stand for the sides, the table's own names first."""
        tokens = item_tokens(self.columns)
        own = [self.columns, *([tokens] if tokens and all(tokens) else [])]
        return list(dict.fromkeys([*own, *SIDE_CODES]))


def recode(column: Labels, items: Sequence[str]) -> IntArray:
    """Return a column as indexes into `items`; -1 for missing values, -2 for labels that are no items."""
    index = {item: code for code, item in enumerate(items)}
    table = np.array([index.get(level, -2) for level in column.levels] + [-1], dtype=np.int64)
    return table[column.codes]


def outcomes(column: str, sides: Sides, use: BoolArray, problems: Problems, options: Options) -> IntArray:
    """Decode the winner column.

    Parameters
    ----------
    column : str
    sides : Sides
    use : (cells,) bool array
        Cells without missing values; the others are not judged.
    problems : Problems
        Collects what cannot be decoded.
    options : Options

    Returns
    -------
    (cells,) int64 array
        ``A_WON``, ``B_WON``, ``TIED``, or -1 where the value could not be decoded.
    """
    winner = problems.labels[column]
    used = _used(winner, use)
    ties = {*options.tie_labels, *({*DEFAULT_TIES} - {*sides.items})}
    _refuse_tie_items(sides, ties, problems, use)
    if options.winner_coding == "score":
        return _by_score(column, winner, use, problems)
    by_label = _by_label(winner, sides, ties)
    if options.winner_coding == "label" or (
        options.winner_coding == "auto" and not (use & (by_label == UNKNOWN)).any()
    ):
        return _judged(by_label, "label", column, sides, use, problems, options)
    scheme = _scheme(used - ties, sides)
    if options.winner_coding == "side" or (scheme and not (used & set(scheme)) & set(sides.items)):
        by_side = _by_scheme(winner, scheme or _likely_scheme(used, sides), ties)
        return _judged(by_side, "side", column, sides, use, problems, options)
    if scheme:
        clash = sorted((used & set(scheme)) & set(sides.items))
        fix = "Say winner_coding='label' or winner_coding='side'"
        message = f"{text.quoted(clash)} may name an item or a side, and not every value names an item of its row"
        problems.say(message, column=column, fix=fix)
        return by_label
    likely = _by_scheme(winner, _likely_scheme(used, sides), ties)
    rows_label, rows_side = (float(problems.n[use & (o == UNKNOWN)].sum()) for o in (by_label, likely))
    if rows_side < rows_label:
        return _judged(likely, "side", column, sides, use, problems, options)
    return _judged(by_label, "label", column, sides, use, problems, options)


def _used(column: Labels, use: BoolArray) -> set[str]:
    return {column.levels[code] for code in np.unique(column.codes[use]).tolist() if code >= 0}


def _by_label(winner: Labels, sides: Sides, ties: set[str]) -> IntArray:
    code = recode(winner, sides.items)
    tied = np.array([level in ties for level in winner.levels] + [False])[winner.codes]
    outcome = np.full(len(code), UNKNOWN, dtype=np.int64)
    outcome[code == sides.b] = B_WON
    outcome[code == sides.a] = A_WON
    outcome[tied] = TIED
    return outcome


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
    words = re.findall(r"[^\W\d_]+", label.casefold())
    return bool({*words, "".join(words)} & TIE_WORDS)


def side_word(level: str) -> str:
    """Return the one word of a phrase that names a side, in lower case; where it has none or several, the phrase.

    Examples
    --------
    >>> side_word("home team win"), side_word("Response A is better"), side_word("Team 2"), side_word("-1")
    ('home', 'a', '2', '-1')
    """
    words = re.findall(r"[^\W\d_]+|\d+", level.casefold())
    told = [word for word in words if word not in AROUND]
    told = told or words[-1:] * (len(words) == 1) or ["a"] * ("a" in words)
    return told[0] if len(told) == 1 and any(letter.isalpha() for letter in level) else level


def scheme_of(values: Collection[str], schemes: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    """Return the first pair of side codes that explains every value: as they stand, or as one word of a phrase."""
    codes, said = {side_code(value) for value in values}, {side_word(value) for value in values}
    folded = [(a.casefold(), b.casefold()) for a, b in schemes]
    plain = next((scheme for scheme in schemes if codes and codes <= {*scheme}), None)
    return plain or next((scheme for scheme in folded if said and said <= {*scheme}), None)


def _by_scheme(winner: Labels, scheme: tuple[str, str], ties: set[str]) -> IntArray:
    meaning = dict.fromkeys(ties, TIED) | {scheme[0]: A_WON, scheme[1]: B_WON}
    spelled = ((level, side_code(level), side_word(level)) for level in winner.levels)
    known = (next((meaning[code] for code in codes if code in meaning), UNKNOWN) for codes in spelled)
    table = np.array([*known, UNKNOWN], dtype=np.int64)
    return table[winner.codes]


def _scheme(values: set[str], sides: Sides) -> tuple[str, str] | None:
    """Return the first pair of side codes that explains every value."""
    found = scheme_of(values, sides.schemes())
    plain = found is not None and {*map(side_code, values)} <= {*found}
    return found if plain or not values & {*sides.items} else None  # an item may be called like a phrase


def _likely_scheme(values: set[str], sides: Sides) -> tuple[str, str]:
    codes = {side_code(value) for value in values}
    return max(sides.schemes(), key=lambda scheme: len(codes & set(scheme)))


def _refuse_tie_items(sides: Sides, ties: set[str], problems: Problems, use: BoolArray) -> None:
    for tie in sorted(ties & set(sides.items)):
        code = sides.items.index(tie)
        bad = use & ((sides.a == code) | (sides.b == code))
        fix = "Rename the item, or declare other tie labels with tie="
        if bad.any():
            message = f"an item is called '{text.shorten(tie)}', which is also a tie label"
            problems.add(message, bad, sides.columns, fix=fix)


def higher_score(columns: Sequence[str], use: BoolArray, problems: Problems) -> IntArray:
    """Decode two columns of scores: the item of the higher one won, equal ones are a tie."""
    scores = []
    for column in columns:
        labels = problems.labels[column]
        numbers = [as_number(level) for level in labels.levels]
        bad = use & np.array([*(x is None for x in numbers), False])[labels.codes]
        problems.refuse_spellings([column], use)
        problems.each_value(
            column, bad, [column], "'{}' is not a number", fix="Scores are numbers; the higher one wins"
        )
        scores.append(np.array([*(np.nan if x is None else x for x in numbers), np.nan])[labels.codes])
    return np.select([scores[0] > scores[1], scores[0] < scores[1]], [A_WON, B_WON], default=TIED).astype(np.int64)


def _by_score(column: str, winner: Labels, use: BoolArray, problems: Problems) -> IntArray:
    numbers = [as_number(level) for level in winner.levels]
    meaning = [UNKNOWN if x is None else SCORES.get(x, UNKNOWN) for x in numbers]
    outcome = np.array([*meaning, UNKNOWN], dtype=np.int64)[winner.codes]
    problems.each_value(
        column, use & (outcome == UNKNOWN), [column], "'{}' is not a score",
        fix="A score is 1 (the first item won), 0.5 (tie) or 0",
    )  # fmt: skip
    return outcome


def _judged(
    outcome: IntArray, coding: str, column: str, sides: Sides, use: BoolArray, problems: Problems, options: Options
) -> IntArray:
    """Collect one problem for each value that the chosen coding does not explain."""
    bad = use & (outcome == UNKNOWN)
    if not bad.any():
        return outcome
    winner = problems.labels[column]
    ties = text.quoted(options.tie_labels) or "none is declared"
    if coding == "side":
        scheme = _likely_scheme(_used(winner, use), sides)
        message = f"'{{}}' is neither '{scheme[0]}', '{scheme[1]}' nor a tie label ({ties})"
    else:
        message = f"'{{}}' is neither of the two items of its row nor a tie label ({ties})"
    refused = "or with refusal= (--refusal) if no choice was made"
    fix = f"Correct it, or declare it with tie='{{}}' (--tie) if it means a tie, {refused}"
    numbers = {as_number(value) for value in _used(winner, use)}
    if numbers <= set(SCORES):
        fix = "Say winner_coding='score' if 1, 0.5 and 0 are the share of the first item"
    keys = [column] if coding == "side" else [*sides.columns, column]
    like = [
        *sides.items,
        *options.tie_labels,
        *(_likely_scheme(_used(winner, use), sides) if coding == "side" else ()),
    ]
    problems.each_value(column, bad, keys, message, fix=fix, like=like)
    return outcome


def first_shown(column: str, sides: Sides, use: BoolArray, problems: Problems) -> IntArray:
    """Decode who was shown first: the label of an item, a side code, or +1 / -1.

    Returns
    -------
    (cells,) int64 array
        +1 where item_a was shown first, -1 where item_b was, 0 where the value could not be decoded.
    """
    order = problems.labels[column]
    used = _used(order, use)
    by_label = _by_label(order, sides, set())
    scheme = _scheme(used, sides) or next((s for s in SIGNS if used and used <= set(s)), None)
    ambiguous = scheme is not None and bool(used & set(sides.items))
    if scheme is not None and not ambiguous and (use & (by_label == UNKNOWN)).any():
        outcome = _by_scheme(order, scheme, set())
    else:
        outcome = by_label
    bad = use & (outcome == UNKNOWN)
    if bad.any():
        message = "'{}' does not say which of the two items of its row was shown first"
        fix = "Use the item's label, a side code or +1/-1; or say order=False if the column means something else"
        problems.each_value(column, bad, [*sides.columns, column], message, fix=fix)
    return np.select([outcome == A_WON, outcome == B_WON], [1, -1], default=0).astype(np.int64)

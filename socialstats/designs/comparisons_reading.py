"""From a table to comparisons: which columns, who won, which side was shown first."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.arrays import AnyArray, BoolArray, FloatArray, IntArray
from socialstats.designs.columns import Contest, assign, item_tokens
from socialstats.designs.comparisons import Comparisons, drop_unused_items, group, merged
from socialstats.designs.levels import other_spelling
from socialstats.designs.options import DEFAULT_TIES, Options
from socialstats.designs.parts import A_WON, B_WON, TIED, Covariate, Factor, FlowStep, Replies
from socialstats.designs.ratings import MISSING, OK, REFUSAL
from socialstats.designs.rows import (
    Pending,
    Rows,
    begin,
    code_suspects,
    fill_or_drop,
    if_missing,
    label_cautions,
    mirror_suspects,
    probability_cautions,
    repeated_rows,
)
from socialstats.designs.scan import Scan, fits, stays, with_texts
from socialstats.designs.schema import NAMING, NEEDED
from socialstats.designs.spool import continuous
from socialstats.designs.statuses import statuses_of
from socialstats.designs.tables import (
    Expanded,
    expand,
    frequency,
    plain,
    refuse_totals,
    reply_parts,
    tied_replies,
    unused_beside_wins,
    whole_numbers,
)
from socialstats.designs.undeclared import of_comparisons, with_dependence
from socialstats.designs.vocabulary import without_accents
from socialstats.errors import Caution, InputError, caution
from socialstats.tables import Labels, Table, as_number, as_text, missing_names
from socialstats.tables.lazy import asks
from socialstats.tables.table import (
    LARGEST_WEIGHT,
    SMALLEST_WEIGHT,
    WEIGHT_EXTREME,
    WEIGHT_MISSING,
    WEIGHT_NEGATIVE,
    WEIGHT_NO_NUMBER,
    WEIGHT_ZERO,
    text_weight,
)
from socialstats.text import quoted, shorten
from socialstats.voice import option

UNKNOWN = -1
MOST_SEARCHED = 1_000_000  # rows; of more, no caution is worth another pass and a cell for each row
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
    "candidate", "text", "summary", "image", "item", "version", "strongly", "somewhat", "significantly", "lot", "bit",
    "than", "etwas", "deutlich", "viel", "leicht", "klar", "eher", "besser", "ist", "antwort", "modell", "mucho",
    "algo", "poco", "un", "mejor", "es", "respuesta", "modelo", "beaucoup", "peu", "mieux", "meilleur", "meilleure",
    "est", "reponse", "modele", "nettement", "legerement", "plutot", "bien", "bastante", "ligeramente", "claramente",
    "weit", "ein", "wenig", "minimal", "wesentlich",
})  # words around the one that names a side: 'home team win', 'Response A is better'  # fmt: skip
TIE_WORDS = frozenset({
    "tie", "ties", "tied", "draw", "drawn", "both", "bothbad", "neither", "equal", "equally", "same", "even",
    "undecided", "nopreference", "indifferent", "similar", "unentschieden", "gleichstand", "remis", "gleich",
    "gleichwertig", "empate", "igual", "iguales", "egalite", "egal", "pareil", "平局", "平",
})  # fmt: skip
LONGEST_PHRASE = 1_000  # characters of a label whose words are looked at
BEGIN_TIES = frozenset({
    "tie", "tied", "ties", "draw", "drawn", "unentschieden", "gleichstand", "empate", "egalite", "平局",
})  # first words of labels that are ties without being declared  # fmt: skip
SIGNS = (("1", "-1"), ("+1", "-1"))
SCORES: dict[float | None, int] = {1.0: A_WON, 0.5: TIED, 0.0: B_WON}
LOGICALS: dict[str, float | None] = {"true": 1.0, "false": 0.0}


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
    return column.mapped(lambda level: index.get(level, -2), -1, np.int64)


def outcomes(column: str, sides: Sides, rows: Rows, options: Options) -> IntArray:
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
    winner, use = rows.labels(column), rows.use
    used = {*rows.used_labels(column)}
    ties = {*options.tie_labels, *({*DEFAULT_TIES} - {*sides.items})}
    if options.tie_labels == DEFAULT_TIES:
        ties |= {label for label in used if begins_with_tie(label)} - {*sides.items}
    _refuse_tie_items(sides, ties, rows)
    coding = options.winner_coding
    if coding == "score":
        return _by_score(column, rows)
    by_label = _by_label(winner, sides, ties)
    if coding == "label" or (coding == "auto" and not (use & (by_label == UNKNOWN)).any()):
        return _judged(by_label, "label", column, sides, rows, options)
    scheme = _scheme(used - ties, sides)
    likely = _by_scheme(winner, scheme or _likely_scheme(used, sides), ties)
    clash = sorted({*(scheme or ())} & used & {*sides.items})
    if coding == "side" or (scheme and not clash):
        return _judged(likely, "side", column, sides, rows, options)
    if scheme:
        fix = f"Say {option('winner_coding', 'label')} or {option('winner_coding', 'side')}"
        message = f"{quoted(clash)} may name an item or a side, and not every value names an item of its row"
        rows.say(message, column=column, fix=fix)
        return by_label
    rows_label, rows_side = (float(rows.n[use & (o == UNKNOWN)].sum()) for o in (by_label, likely))
    if rows_side < rows_label:
        return _judged(likely, "side", column, sides, rows, options)
    return _judged(by_label, "label", column, sides, rows, options)


def _by_label(winner: Labels, sides: Sides, ties: set[str]) -> IntArray:
    code = recode(winner, sides.items)
    tied = winner.mapped(lambda level: level in ties, False)
    return np.select([tied, code == sides.a, code == sides.b], [TIED, A_WON, B_WON], UNKNOWN).astype(np.int64)


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
    words = letters(label)
    return bool({*words, "".join(words)} & TIE_WORDS)


def begins_with_tie(label: str) -> bool:
    """Whether the first word of a label is one for a tie.

    Examples
    --------
    >>> begins_with_tie("tie (bothbad)"), begins_with_tie("Unentschieden"), begins_with_tie("necktie")
    (True, True, False)
    """
    return bool({*letters(label)[:1]} & BEGIN_TIES)


def letters(label: str) -> list[str]:
    """Return the words of a label in lower case, without accents; none of a text too long for a phrase."""
    return [] if len(label) > LONGEST_PHRASE else re.findall(r"[^\W\d_]+", without_accents(label).casefold())


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

    def known(level: str) -> int:
        codes = (level, side_code(level), side_word(level))
        return next((meaning[code] for code in codes if code in meaning), UNKNOWN)

    return winner.mapped(known, UNKNOWN, np.int64)


def _scheme(values: set[str], sides: Sides) -> tuple[str, str] | None:
    """Return the first pair of side codes that explains every value."""
    found = scheme_of(values, sides.schemes())
    plain = found is not None and {*map(side_code, values)} <= {*found}
    return found if plain or not values & {*sides.items} else None  # an item may be called like a phrase


def _likely_scheme(values: set[str], sides: Sides) -> tuple[str, str]:
    codes = {side_code(value) for value in values}
    return max(sides.schemes(), key=lambda scheme: len(codes & set(scheme)))


def _refuse_tie_items(sides: Sides, ties: set[str], rows: Rows) -> None:
    for tie in sorted(ties & set(sides.items)):
        code = sides.items.index(tie)
        bad = rows.use & ((sides.a == code) | (sides.b == code))
        fix = f"Rename the item, or declare other tie labels with {option('tie')}"
        if bad.any():
            message = f"an item is called '{shorten(tie)}', which is also a tie label"
            rows.add(message, bad, sides.columns, fix=fix)


def higher_score(columns: Sequence[str], rows: Rows) -> IntArray:
    """Decode two columns of scores: the item of the higher one won, equal ones are a tie."""
    for column in columns:
        rows.refuse_spellings(column)
        fix = "Scores are numbers; the higher one wins"
        rows.each_value(column, rows.texts(column), [column], "'{}' is not a number", fix=fix)
    a, b = (rows.labels(column).numbers() for column in columns)
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
    outcome: IntArray = rows.labels(column).mapped(lambda x: SCORES.get(as_score(x), UNKNOWN), UNKNOWN, np.int64)
    fix = f"A score is 1 (the first item won), 0.5 (tie) or 0; of others say {option('winner_coding', 'probability')}"
    rows.each_value(column, rows.use & (outcome == UNKNOWN), [column], "'{}' is not a score", fix=fix)
    return outcome


def _judged(outcome: IntArray, coding: str, column: str, sides: Sides, rows: Rows, options: Options) -> IntArray:
    """Collect one problem for each value that the chosen coding does not explain."""
    bad = rows.use & (outcome == UNKNOWN)
    if not bad.any():
        return outcome
    used = {*rows.used_labels(column)}
    ties = quoted(options.tie_labels) or "none is declared"
    keys, like = [*sides.columns, column], [*sides.items, *options.tie_labels]
    message = f"'{{}}' is neither of the two items of its row nor a tie label ({ties})"
    if coding == "side":
        scheme = _likely_scheme(used, sides)
        keys, like = [column], [*like, *scheme]
        message = f"'{{}}' is neither '{scheme[0]}', '{scheme[1]}' nor a tie label ({ties})"
    numbers = {*map(as_score, used)}

    def fix(label: str) -> str:
        if None not in numbers and not numbers <= {*SCORES} and all(0 <= x <= 1 for x in numbers if x is not None):
            return f"Say {option('winner_coding', 'probability')} if it is the probability of the first item"
        if numbers <= {*SCORES}:
            logical = {one.casefold() for one in used} <= {*LOGICALS}
            held = "TRUE says that the first item won" if logical else "1, 0.5 and 0 are the share of the first item"
            return f"Say {option('winner_coding', 'score')} if {held}"
        tie = option("tie", label)
        refused = option("refusal", label) if len(label) <= SHORT else option("refusal", typed="--refusal")
        return f"Correct it, or declare it with {tie} if it means a tie, or with {refused} if no choice was made"

    rows.each_value(column, bad, keys, message, fix=fix, like=like)
    return outcome


SHORT = 24  # characters of a label that an error repeats


def first_shown(column: str, sides: Sides, rows: Rows) -> IntArray:
    """Decode who was shown first: the label of an item, a side code, or +1 / -1.

    Returns
    -------
    (rows,) int64 array
        +1 where item_a was shown first, -1 where item_b was, 0 where the value could not be decoded.
    """
    order, used = rows.labels(column), {*rows.used_labels(column)}
    schemes = [*sides.schemes(), *SIGNS]
    likely = scheme_of(used, schemes) or max(schemes, key=lambda s: len({*s} & {*map(side_code, used)}))
    by_label, by_side = _by_label(order, sides, set()), _by_scheme(order, likely, set())
    unknown = [float(rows.n[rows.use & (found == UNKNOWN)].sum()) for found in (by_label, by_side)]
    clash = rows.use & (by_side != UNKNOWN) & (recode(order, sides.items) >= 0)  # a code that is an item's label too
    outcome = by_side if unknown[1] < unknown[0] and not clash.any() else by_label
    message = "'{}' does not say which of the two items of its row was shown first"
    fix = (
        f"Use the item's label, a side code or +1/-1; or say {option('order', False)} if the column means something "
        "else"
    )
    rows.each_value(column, rows.use & (outcome == UNKNOWN), [*sides.columns, column], message, fix=fix)
    return np.select([outcome == A_WON, outcome == B_WON], [1, -1], default=0).astype(np.int64)


MOSTLY = 0.5


def covariate(name: str, columns: tuple[str, str], rows: Rows, allowed: Sequence[Any] | None) -> Covariate | None:
    """Decode one covariate; None when its values are a problem.

    Parameters
    ----------
    name : str
    columns : pair of str
    rows : Rows
        Those that are not in use may hold anything.
    allowed : sequence, optional
        The only values the covariate may have.
    """
    sides = [rows.labels(column) for column in columns]
    is_text = [rows.texts(column) for column in columns]
    if allowed is not None:
        fine, numeric = _allowed(columns, rows, allowed)
        if not fine:
            return None
    elif not (numeric := not np.any(is_text)):
        for column in columns:
            rows.refuse_spellings(column)
        n = rows.n
        if sum(float(n[bad].sum()) for bad in is_text) < MOSTLY * 2 * float(n[rows.use].sum()):
            for column, bad in zip(columns, is_text, strict=True):
                rows.each_value(column, bad, [column], "'{}' is not a number",
                                fix=lambda label: f"{if_missing(label)} (covariate {name})")  # fmt: skip
            return None
    a, b = (side.numbers() if numeric else side.mapped(str, None, object) for side in sides)
    return Covariate(name=name, a=a, b=b, levels=() if numeric else ordered_labels(rows, columns))


def ordered_labels(rows: Rows, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the labels of some columns in the order of their categories; none where a column has no order."""
    orders = [rows.table.categories(column) for column in columns]
    used = {label for column in columns for label in rows.used_labels(column)}
    known = tuple(dict.fromkeys(label for order in orders for label in order))
    return tuple(label for label in known if label in used) if all(orders) and used <= {*known} else ()


def _allowed(columns: tuple[str, str], rows: Rows, allowed: Sequence[Any]) -> tuple[bool, bool]:
    """Report values that are not allowed; return whether all are, and whether those that are allowed are numbers."""
    listed = [as_text(value) or "" for value in allowed]
    numbers = [as_number(value) for value in listed]
    numeric = None not in numbers
    message = "'{}' is not " + " or ".join(part for part in (", ".join(listed[:-1]), listed[-1]) if part)
    fine = True
    for column in columns:
        known = rows.labels(column).mapped(lambda x: as_number(x) in numbers if numeric else x in listed, True)
        bad = rows.use & ~known
        fine = fine and not bad.any()
        rows.each_value(column, bad, [column], message, fix="Correct it, or allow it")
    return fine, numeric


WEIGHT_PROBLEMS = {
    WEIGHT_MISSING: ("the weight is missing", ""),
    WEIGHT_NEGATIVE: ("a weight is negative", "Weights are finite numbers from 0 upwards"),
    WEIGHT_NO_NUMBER: ("a weight is not a finite number", "Weights are finite numbers from 0 upwards"),
    WEIGHT_EXTREME: (
        f"a weight is below {SMALLEST_WEIGHT:g} or above {LARGEST_WEIGHT:g}", "Divide all weights by a common factor"
    ),
}  # fmt: skip
UNUSED_LABELS = 50


@dataclass(slots=True, kw_only=True)
class Draft:
    """A table on its way to a design: its rows, how many comparisons each stands for, what was said about it.

    `refused` and `unread` are cells without a choice, which are not in use: refusals, and replies that are missing or
    unreadable. `scanned`: the clusters stay with the table. `streamed`: the covariates that do.
    """

    rows: Rows
    roles: Contest
    options: Options
    times: FloatArray
    noticed: tuple[Caution, ...]
    refused: BoolArray
    unread: BoolArray
    scanned: bool
    streamed: Mapping[str, tuple[str, str]]


def draft(table: Table, options: Options) -> Draft:
    """Assign the columns, count the cells, and set aside what is missing or weighs nothing."""
    roles = assign(table, options)
    wins, clusters, weight = roles.of("wins"), roles.of("cluster"), roles["weight"] or None
    texts, asked = options.na_labels, options.count
    if options.winner_coding == "probability":
        if weight is not None or asked:
            said = option("winner_coding", "probability")
            raise InputError(f"{table.source}: {said} takes one reply per row, without weights and counts; leave out "
                             f"{option('weight' if weight is not None else 'count')}")  # fmt: skip
        asked = False
    parts = {*roles.keys_of_cells(), *roles.of("weight")}
    if wins and asked is None:
        counted = unused_beside_wins(table, wins, parts, texts)
    else:
        unique = roles.of("item", "score", "order", "by") + [roles["winner"]] * bool(roles["winner"])
        counted = frequency(table, asked, unique, parts, texts, weight, counted=lambda: _both_won(table, roles))
    roles = roles.counted(counted.column)
    keys = roles.keys_of_cells()
    plain_rows = not roles["count"] and bool(roles["winner"]) and options.winner_coding != "probability"
    plain_rows = plain_rows and not (roles.pair_cluster and clusters)
    free = {name: pair for name, pair in roles.covariates.items() if name not in options.allowed}
    streamed = continuous(table, free, roles.items, texts) if plain_rows else {}
    others = {*roles.replaced(cluster=()).keys_of_cells()}
    if plain_rows:
        table = with_texts(table, [column for column in clusters if column not in others])
    scanned = plain_rows and stays(table, clusters, missing_names(texts), eager=bool(streamed))
    streamed = streamed if scanned or not clusters else {}
    # a cluster that is an item, a level or a winner as well is counted with the cells
    scanned = scanned and others.isdisjoint(clusters)
    stored = {*(clusters if scanned else ()), *(column for pair in streamed.values() for column in pair)}
    every, keys = keys, [key for key in keys if key not in stored]
    rows = begin(table, keys, texts, roles.of(*NAMING), weight)
    if stored and not fits(rows.counts):
        scanned, streamed, keys = False, {}, every
        rows = begin(table, keys, texts, roles.of(*NAMING), weight)
    needed = [c for c in roles.of(*NEEDED) if c in keys and c not in roles.of("value", "status", "note")]
    rows.set_missing_aside(needed, drop=options.missing == "drop")  # an empty field cites no label, and tells no rest
    if weight is not None:
        _set_weights_aside(rows, weight, options)
    times = np.broadcast_to(1.0, len(rows.use))
    if roles["count"]:
        refuse_totals(roles.of("item") + [roles["winner"]] * bool(roles["winner"]), rows)
        times = whole_numbers(roles["count"], rows)
        rows.leave_out(~(times > 0), "every count is 0", "neither a win nor a tie")
    refused, unread = set_replies_aside(rows, roles, options)
    return Draft(rows=rows, roles=roles, options=options, times=times, noticed=counted.cautions,
                 refused=refused, unread=unread, scanned=scanned, streamed=streamed)  # fmt: skip


def _both_won(table: Table, roles: Contest) -> bool:
    """Return whether each of two items won in the rows of at least one pair, as in a table that was counted."""
    items, winner = roles.of("item"), roles["winner"]
    return bool(winner) and len(table.counts([*items, winner]).n) > len(table.counts(items).n)


def _set_weights_aside(rows: Rows, column: str, options: Options) -> None:
    """Report weights that cannot be used, each kind with its first value, or leave rows out that miss theirs."""
    status, name = rows.counts.status, shorten(column)
    if options.missing == "drop":
        note = f"{option('missing', 'drop')}: the weight is missing"
        rows.leave_out(status == WEIGHT_MISSING, f"no value in '{name}'", note)
    for state, (message, cure) in WEIGHT_PROBLEMS.items():
        bad = rows.use & (status == state)
        if not bad.any():
            continue
        seen: list[str] = []

        def wanted(row: tuple[str | None, ...], state: int = state, seen: list[str] = seen) -> bool:
            value = "" if row[0] is None or row[0] in options.na_labels else row[0]
            found = text_weight(value)[1] == state
            if found:
                seen.append(value)
            return found

        rows.table.positions([column], [wanted], 1)
        shown = "".join(f": {shorten(value)}" for value in seen[:1] if value)
        spelled = other_spelling(seen)
        fix = spelled[1] if spelled else cure or fill_or_drop()
        rows.pending.append(Pending(message + shown, column, (column,), wanted, int(rows.n[bad].sum()), fix))
    rows.use = rows.use & ((status == 0) | (status == WEIGHT_ZERO))
    rows.leave_out(status == WEIGHT_ZERO, f"weight 0 in '{name}'", "rows of weight 0 say nothing")


@asks
def build(table: Table, options: Options) -> Comparisons:
    """Read a table as comparisons.

    Raises
    ------
    DesignError
        When columns are missing.
    InputError
        When values are wrong: up to 20 problems of all kinds at once, with places.
    NothingToAnalyse
        When no row is left.
    """
    begun = draft(table, options)
    rows, roles = begun.rows, begun.roles
    sides, winner = _sides(rows, roles.items), roles["winner"]
    same = sides.a == sides.b
    if scores := roles.of("score"):
        found = plain(higher_score(scores, rows))
    elif not winner:
        found = expand(roles.of("wins"), rows)
    elif options.winner_coding == "probability":
        found = reply_parts(rows.probabilities(winner), rows.n, rows.use)
    else:
        found = plain(outcomes(winner, sides, rows, options))
    design = _finish(begun, sides, found)
    aside: dict[str, Any] = {}
    for name, cells in (("refused", begun.refused), ("unread", begun.unread)):
        if cells.any():
            part = replace(begun, rows=replace(rows, use=cells & ~same, flow=[*rows.flow]))
            tied = plain(np.full(len(rows.use), TIED, dtype=np.int64))
            if design.replies is not None:
                tied = tied_replies(rows.n, cells & ~same)
            aside[name] = _cells(_finish(part, sides, tied), roles)
            del part, tied
    del begun, rows, sides, found, same  # 300 MB of four million cells, while merging takes more
    done = replace(_cells(design, roles), **aside)
    if roles.of("count", "wins") or done.n_rows > MOST_SEARCHED:
        return done
    tried = done.replies is None and done.scan is None
    return with_dependence(
        done, table, roles, options, done.n_rows, of_comparisons,
        (lambda _, wider: build(table, wider)) if tried else None, what="comparison",
        within=partial(_in_pairs, table, roles),
    )  # fmt: skip


def set_replies_aside(rows: Rows, roles: Contest, options: Options) -> tuple[BoolArray, BoolArray]:
    """Stop using cells without a choice; return which of them are refusals, and which missing or unreadable."""
    start, column = rows.use, roles["winner"]
    if not column:
        return np.zeros(len(start), dtype=bool), np.zeros(len(start), dtype=bool)
    said, refusals = statuses_of(rows, roles), options.refusal_labels
    label = said.kind == OK
    refused: BoolArray = label & rows.labels(column).mapped(lambda level: level in refusals, False)
    refused = start & (refused | (said.kind == REFUSAL))
    rows.leave_out(said.blocked, "blocked by a filter of the provider", "counted as refused")
    rows.leave_out(refused, "refused", f"no choice in '{shorten(column)}'")
    for words, which in said.unread.items():
        rows.leave_out(which, words, "missing or unreadable: no choice")
    rows.set_missing_aside([column], drop=options.missing == "drop", among=label)
    absent = label & (rows.codes(column) < 0) & (options.missing == "drop")
    return refused, start & ((said.kind == MISSING) | absent)


def _sides(rows: Rows, columns: tuple[str, str]) -> Sides:
    """Code the two items, and refuse items that meet themselves."""
    sides = Sides.of(columns, *map(rows.labels, columns))
    same = rows.use & (sides.a == sides.b)
    message = "'{}' is compared with itself"
    rows.each_value(columns[0], same, columns, message, fix="Remove such rows, or correct one side")
    rows.use = rows.use & ~same
    return sides


def _finish(begun: Draft, sides: Sides, found: Expanded) -> Comparisons:
    """Decode the rest, raise what was collected, and keep the cells in use."""
    rows, roles, options = begun.rows, begun.roles, begun.options
    first: AnyArray = np.ones(len(rows.use), dtype=np.int8)
    if roles["order"]:
        first = first_shown(roles["order"], sides, rows)
    covariates, cautions = _covariates(begun)
    rows.raise_if_any()
    rows.known.clear()  # a million labels are made again faster than they are held
    keep = rows.use[found.cell]
    cell = found.cell[keep]
    if not len(cell):
        raise rows.nothing("row")
    times = found.times[keep] * begun.times[cell]
    count, weighted = times * rows.n[cell] if found.reply is None else times, bool(roles["weight"])
    weight, weight_sq = (
        [sums[cell] * times for sums in (rows.counts.weight, rows.counts.weight_sq)] if weighted else (count, count)
    )
    fields: dict[str, Any] = {
        "item_a": sides.a[cell], "item_b": sides.b[cell], "outcome": found.outcome[keep].astype(np.int8),
        "first": first[cell].astype(np.int8), "count": count, "weight": weight, "weight_sq": weight_sq,
        "covariates": {n: replace(c, a=c.a[cell], b=c.b[cell]) for n, c in covariates.items()},
        "by": rows.by(roles, cell),
        "cited": _cited(rows.factor(roles["values"], cell)) if roles["values"] else None,
        "clusters": () if begun.scanned else rows.factors(roles.of("cluster"), cell),
    }  # fmt: skip
    if begun.scanned or begun.streamed:
        of_row = np.full(len(rows.use), -1, dtype=np.int32)
        of_row[cell] = np.arange(len(cell), dtype=np.int32)
        fields["scan"] = Scan.of(
            rows.table, roles.of("cluster") if begun.scanned else (), rows.counts, of_row,
            weight=roles["weight"] or None, na=options.na_labels, covariates=begun.streamed,
        )  # fmt: skip
    if found.reply is not None:
        rest = rows.labels(roles["rest"]).numbers()[cell] if roles["rest"] else np.full(len(cell), np.nan)
        answered = statuses_of(rows, roles).kind == OK
        none = int(rows.n[answered & (rows.codes(roles["winner"]) < 0)].sum())
        fields["replies"] = Replies(codes=found.reply[keep], rest=rest, none=none, column=roles["winner"])
    ties_declared = options.tie_labels != DEFAULT_TIES or options.winner_coding == "score"
    design = Comparisons(
        **drop_unused_items(fields, sides.items), order_known=bool(roles["order"]), source=rows.table.source,
        columns=roles.parts(), weighted=weighted,
        ties_possible=bool(roles["ties"] or roles["score_a"] or (roles["winner"] and ties_declared))
        or bool((fields["outcome"] == TIED).any()), flow=_flow(begun, cell, fields["count"]),
    )  # fmt: skip
    return replace(design, cautions=(*cautions, *_cautions(begun, design)))


def _cells(design: Comparisons, roles: Contest) -> Comparisons:
    """Return the design with alike cells as one."""
    done = merged(design)
    return replace(done, clusters=(*done.clusters, done.pair)) if roles.pair_cluster else done


def _flow(begun: Draft, cell: IntArray, count: FloatArray) -> tuple[FlowStep, ...]:
    rows = begun.rows
    counted = begun.roles.of("wins", "count")
    unused = rows.use.copy()
    unused[cell] = False
    empty = int(rows.n[unused].sum())
    nothing = [FlowStep(label="every count is 0", rows=empty, note="neither a win nor a tie")] if empty else []
    note = "each row counts several comparisons" if counted else ""
    label = "comparisons analysed" if counted else "rows analysed"
    return (*rows.flow, *nothing, FlowStep(label=label, rows=round(float(count.sum())), note=note))


def _covariates(begun: Draft) -> tuple[dict[str, Covariate], list[Caution]]:
    """Decode the covariates; texts that were only found by name and nearly identify the rows are left out."""
    rows = begun.rows
    done: dict[str, Covariate] = {}
    unused: list[str] = []
    odd: list[Caution] = []
    most = max(UNUSED_LABELS, float(rows.n.sum()) / 10)
    for name, columns in begun.roles.covariates.items():
        if name in begun.streamed:
            continue
        decoded = covariate(name, columns, rows, begun.options.allowed.get(name))
        if decoded is None:
            continue
        is_text = decoded.a.dtype == object
        if not is_text:
            odd += code_suspects(rows, columns)
        if is_text and name in begun.roles.found and max(len(rows.labels(c).levels) for c in columns) > most:
            unused.append(name)
        else:
            done[name] = decoded
    if not unused:
        return done, odd
    detail = f"{quoted(unused)} hold text that differs in most rows; declare {option('covariates')} to use them"
    return done, [*odd, caution("SS307", detail)]


def _cited(cited: Factor) -> Factor:
    """Return the column of cited labels with a level of its own for an empty field."""
    return Factor(name=cited.name, codes=(cited.codes + 1).astype(np.int64), levels=("", *cited.levels))


def _in_pairs(table: Table, roles: Contest, column: str) -> bool:
    """Return whether each value of a column lies in one pair of items, which is the cluster of a page anyway."""
    found = table.counts([column, *roles.items]).columns
    label, *labels = (found[name].labels() for name in (column, *roles.items))
    sides = Sides.of(roles.items, *labels)
    pairs, _ = group([label.codes, np.minimum(sides.a, sides.b), np.maximum(sides.a, sides.b)])
    return len(pairs) == len(np.unique(label.codes))


def _cautions(begun: Draft, design: Comparisons) -> list[Caution]:
    rows, roles = begun.rows, begun.roles
    found = [*begun.noticed]
    read, left = rows.flow[0].rows, int(rows.n[rows.use].sum())
    if left < read:
        found.append(caution("SS301", f"{read - left:,} of {read:,} rows ({rows.steps()})"))
    if not roles.of("wins", "weight", "count"):
        found += repeated_rows(rows.table)
    found += mirror_suspects(design, rows.table.columns)
    if design.coverage is not None:
        found += probability_cautions(design.coverage)
    alike = design.scan.alike() if design.scan is not None else {}
    stored = {f"column '{shorten(name)}'": labels for name, labels in alike.items()}
    return found + label_cautions({"items": design.items, **stored}, (design.by, *design.clusters))

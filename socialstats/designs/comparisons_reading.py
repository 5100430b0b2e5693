"""From a table to comparisons: which columns, who won, which side was shown first."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from socialstats import text
from socialstats.arrays import AnyArray, BoolArray, FloatArray, IntArray
from socialstats.designs.columns import Roles, assign, item_tokens
from socialstats.designs.comparisons import Comparisons, drop_unused_items, merged
from socialstats.designs.levels import other_spelling
from socialstats.designs.options import DEFAULT_TIES, Options
from socialstats.designs.parts import A_WON, B_WON, TIED, Covariate, Factor, FlowStep
from socialstats.designs.rows import (
    FILL_OR_DROP,
    Problems,
    code_suspects,
    label_cautions,
    mirror_suspects,
    missing_words,
    na_of,
    repeated_rows,
)
from socialstats.designs.tables import (
    Expanded,
    expand,
    frequency,
    plain,
    refuse_totals,
    unused_beside_wins,
    whole_numbers,
)
from socialstats.errors import Caution, NothingToAnalyse, caution
from socialstats.tables import Counts, Labels, Table, as_number, as_text
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


MOSTLY = 0.5


def covariate(
    name: str, columns: tuple[str, str], use: BoolArray, problems: Problems, allowed: Sequence[Any] | None
) -> Covariate | None:
    """Decode one covariate; None when its values are a problem.

    Parameters
    ----------
    name : str
    columns : pair of str
    use : (cells,) bool array
        Cells whose values count; the others may hold anything.
    problems : Problems
    allowed : sequence, optional
        The only values the covariate may have.
    """
    sides = [problems.labels[column] for column in columns]
    if allowed is not None:
        return _declared(name, columns, sides, use, problems, allowed)
    spelled = [[as_number(level) for level in side.levels] for side in sides]
    is_text = [
        use & np.array([*(value is None for value in values), False])[side.codes]
        for values, side in zip(spelled, sides, strict=True)
    ]
    rows = float(problems.n[use].sum())
    text_rows = sum(float(problems.n[bad].sum()) for bad in is_text)
    if text_rows == 0:
        a, b = (_numbers(values)[side.codes] for values, side in zip(spelled, sides, strict=True))
        return Covariate(name=name, a=a, b=b)
    problems.refuse_spellings(columns, use)
    if text_rows >= MOSTLY * 2 * rows:
        return Covariate(name=name, a=_labels(sides[0]), b=_labels(sides[1]))
    fix = f"Correct it, or declare it with na='{{}}' (--na) if it means a missing value (covariate {name})"
    for column, bad in zip(columns, is_text, strict=True):
        if bad.any():
            problems.each_value(column, bad, [column], "'{}' is not a number", fix=fix)
    return None


def _numbers(values: Sequence[float | None]) -> AnyArray:
    return np.array([*(np.nan if v is None else v for v in values), np.nan], dtype=np.float64)


def _labels(side: Labels) -> AnyArray:
    return np.array([*side.levels, None], dtype=object)[side.codes]


def _declared(
    name: str, columns: tuple[str, str], sides: Sequence[Labels], use: BoolArray, problems: Problems,
    allowed: Sequence[Any],
) -> Covariate | None:  # fmt: skip
    wanted = [as_text(value) for value in allowed]
    numbers = [as_number(value or "") for value in wanted]
    numeric = None not in numbers
    listed = [value or "" for value in wanted]
    head = ", ".join(listed[:-1])
    message = "'{}' is not " + (f"{head} or {listed[-1]}" if head else listed[-1])
    fine = True
    for column, side in zip(columns, sides, strict=True):
        known = [as_number(level) in numbers if numeric else level in wanted for level in side.levels]
        bad = use & ~np.array([*known, True])[side.codes]
        fine = fine and not bad.any()
        problems.each_value(column, bad, [column], message, fix="Correct it, or allow it")
    if not fine:
        return None
    if numeric:
        a, b = (_numbers([as_number(level) for level in side.levels])[side.codes] for side in sides)
        return Covariate(name=name, a=a, b=b)
    return Covariate(name=name, a=_labels(sides[0]), b=_labels(sides[1]))


WEIGHT_PROBLEMS = {
    WEIGHT_NEGATIVE: ("a weight is negative", "Weights are finite numbers from 0 upwards"),
    WEIGHT_NO_NUMBER: ("a weight is not a finite number", "Weights are finite numbers from 0 upwards"),
    WEIGHT_EXTREME: (
        f"a weight is below {SMALLEST_WEIGHT:g} or above {LARGEST_WEIGHT:g}", "Divide all weights by a common factor"
    ),
}  # fmt: skip
UNUSED_LABELS = 50


@dataclass(slots=True, kw_only=True)
class Draft:
    """A table on its way to a design: its cells, which of them count, what was left out, what is wrong."""

    table: Table
    roles: Roles
    options: Options
    counts: Counts
    problems: Problems
    use: BoolArray
    times: FloatArray
    noticed: tuple[Caution, ...] = ()
    flow: list[FlowStep] = field(default_factory=list)

    def leave_out(self, bad: BoolArray, label: str, note: str) -> None:
        """Stop using some cells, and count their rows."""
        left = self.use & bad
        if left.any():
            self.flow.append(FlowStep(label=label, rows=int(self.counts.n[left].sum()), note=note))
            self.use = self.use & ~bad


def draft(table: Table, options: Options) -> Draft:
    """Assign the columns, count the cells, and set aside what is missing or weighs nothing."""
    roles = assign(table, options)
    parts = {*roles.keys_of_cells(), *([roles.weight] if roles.weight else [])}
    unique = [
        c for c in (roles.item_a, roles.item_b, roles.winner, *roles.scores, roles.order, roles.by) if c is not None
    ]
    texts, asked = options.na_labels, options.count
    if roles.wins and asked is None:
        counted = unused_beside_wins(table, roles.wins, parts, texts)
    else:
        counted = frequency(table, asked, unique, parts, texts, roles.weight, counted=lambda: _both_won(table, roles))
    roles = replace(roles, count=counted.column)
    cells = table.counts(roles.keys_of_cells(), roles.weight, options.na_labels)
    if not len(cells.n):
        raise NothingToAnalyse(f"{table.source} has no rows: there is nothing to analyse")
    na = na_of([*cells.columns], options.na_labels, roles.names())
    labels = {name: column.labels(na[name]) for name, column in cells.columns.items()}
    problems = Problems(table, labels, cells.n, na)
    use = np.ones(len(cells.n), dtype=bool)
    begun = Draft(
        table=table, roles=roles, options=options, counts=cells, problems=problems, use=use,
        times=np.ones(len(cells.n)), noticed=counted.cautions,
    )  # fmt: skip
    begun.flow.append(FlowStep(label="rows read", rows=int(cells.n.sum()), note=table.source))
    _set_missing_aside(begun)
    _set_weights_aside(begun)
    if roles.count is not None:
        refuse_totals([c for c in (roles.item_a, roles.item_b, roles.winner) if c], begun.use, problems)
        begun.times = whole_numbers(roles.count, begun.use, problems)
        begun.use &= begun.times > 0
    return begun


def _both_won(table: Table, roles: Roles) -> bool:
    """Return whether each of two items won in the rows of at least one pair, as in a table that was counted."""
    if roles.winner is None:
        return False
    pairs, rows = (len(table.counts(keys).n) for keys in (
        [roles.item_a, roles.item_b], [roles.item_a, roles.item_b, roles.winner]))  # fmt: skip
    return rows > pairs


def _set_missing_aside(begun: Draft) -> None:
    for column in begun.roles.keys_of_cells():
        if column == begun.roles.values:
            continue  # an empty field: no label is cited
        bad = begun.problems.labels[column].codes < 0
        if not bad.any():
            continue
        if begun.options.missing == "error":
            message, fix = missing_words(begun.counts, column, bad, FILL_OR_DROP)
            begun.problems.add(message, bad, [column], column=column, fix=fix)
            begun.use &= ~bad
        else:
            name = text.shorten(column)
            begun.leave_out(bad, f"no value in '{name}'", f"missing='drop': the value of '{name}' is missing")


def _set_weights_aside(begun: Draft) -> None:
    column, status = begun.roles.weight, begun.counts.status
    if column is None:
        return
    absent = status == WEIGHT_MISSING
    if absent.any() and begun.options.missing == "drop":
        begun.leave_out(absent, f"no value in '{text.shorten(column)}'", "missing='drop': the weight is missing")
    elif absent.any():
        fix = FILL_OR_DROP
        _add_weight_problem(begun, "the weight is missing", WEIGHT_MISSING, fix)
    for state, (message, fix) in WEIGHT_PROBLEMS.items():
        if (status == state).any():
            _add_weight_problem(begun, message, state, fix)
    begun.use &= (status == 0) | (status == WEIGHT_ZERO)
    begun.leave_out(status == WEIGHT_ZERO, f"weight 0 in '{text.shorten(column)}'", "rows of weight 0 say nothing")


def _add_weight_problem(begun: Draft, message: str, state: int, fix: str) -> None:
    """Report the rows whose weights have one status, with the first such weight."""
    column = begun.roles.weight or ""
    na = begun.options.na_labels
    seen: list[str | None] = []

    def wanted(row: tuple[str | None, ...]) -> bool:
        value = None if row[0] in na else row[0]
        found = text_weight(value)[1] == state
        if found:
            seen.append(value)
        return found

    begun.table.positions([column], [wanted], 1)
    spelled = other_spelling([value for value in seen if value is not None])
    fix = spelled[1] if spelled else fix
    shown = f": {text.shorten(seen[0])}" if seen and seen[0] is not None else ""
    rows = int(begun.counts.n[begun.counts.status == state].sum())
    begun.problems.add_rows(f"{message}{shown}", column, wanted, rows, fix)


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
    sides = _sides(begun)
    refusing = _set_refusals_aside(begun)
    winner = begun.roles.winner
    if begun.roles.scores:
        rows = plain(higher_score(begun.roles.scores, begun.use, begun.problems))
    elif winner is None:
        rows = expand(begun.roles.wins, begun.use, begun.problems)
    else:
        rows = plain(outcomes(winner, sides, begun.use, begun.problems, options))
    design = _finish(begun, sides, rows)
    if not refusing.any():
        return design
    aside = replace(begun, use=refusing, flow=[*begun.flow])
    return replace(design, refused=_finish(aside, sides, plain(np.full(len(refusing), TIED, dtype=np.int64))))


def _set_refusals_aside(begun: Draft) -> BoolArray:
    """Stop using the cells whose winner is a refusal, and return them."""
    none = np.zeros(len(begun.use), dtype=bool)
    if begun.roles.winner is None or not begun.options.refusal_labels:
        return none
    winner = begun.problems.labels[begun.roles.winner]
    refused = np.array([level in begun.options.refusal_labels for level in winner.levels] + [False])[winner.codes]
    refused &= begun.use
    begun.leave_out(refused, "refused", f"no choice in '{text.shorten(begun.roles.winner)}'")
    return np.asarray(refused)


def _sides(begun: Draft) -> Sides:
    """Code the two items, and refuse items that meet themselves."""
    columns = (begun.roles.item_a, begun.roles.item_b)
    sides = Sides.of(columns, begun.problems.labels[columns[0]], begun.problems.labels[columns[1]])
    same = begun.use & (sides.a == sides.b)
    if same.any():
        message = "'{}' is compared with itself"
        begun.problems.each_value(columns[0], same, columns, message, fix="Remove such rows, or correct one side")
        begun.use &= ~same
    return sides


def _finish(begun: Draft, sides: Sides, rows: Expanded) -> Comparisons:
    """Decode the rest, raise what was collected, and keep the cells in use."""
    roles, problems, use = begun.roles, begun.problems, begun.use
    first = np.ones(len(use), dtype=np.int64)
    if roles.order is not None:
        first = first_shown(roles.order, sides, use, problems)
    covariates, cautions = _covariates(begun)
    problems.raise_if_any()
    keep = use[rows.cell]
    cell = rows.cell[keep]
    times = rows.times[keep] * begun.times[cell]
    _refuse_nothing(begun, bool(keep.any()))
    fields: dict[str, Any] = {
        "item_a": sides.a[cell], "item_b": sides.b[cell], "outcome": rows.outcome[keep].astype(np.int8),
        "first": first[cell].astype(np.int8), "count": begun.counts.n[cell] * times,
        "weight": begun.counts.weight[cell] * times, "weight_sq": begun.counts.weight_sq[cell] * times,
        "covariates": {n: Covariate(name=n, a=c.a[cell], b=c.b[cell]) for n, c in covariates.items()},
        "by": _factor(begun, roles.by, cell) if roles.by else None,
        "cited": _cited(begun, roles.values, cell) if roles.values else None,
        "clusters": tuple(_factor(begun, column, cell) for column in roles.clusters),
    }  # fmt: skip
    design = Comparisons(
        **drop_unused_items(fields, sides.items), order_known=roles.order is not None, source=begun.table.source,
        columns=roles.parts(), weighted=roles.weight is not None,
        ties_possible=_ties_possible(begun, fields["outcome"]), flow=_flow(begun, cell, fields["count"]),
    )  # fmt: skip
    done = merged(replace(design, cautions=(*cautions, *_cautions(begun, design))))
    return replace(done, clusters=(*done.clusters, done.pair)) if roles.pair_cluster else done


def _ties_possible(begun: Draft, outcome: AnyArray) -> bool:
    """Return whether the table has a way to say that a comparison was tied: a column, a declared label, a tie."""
    options = begun.options
    declared = options.tie_labels != DEFAULT_TIES or options.winner_coding == "score"
    return (
        len(begun.roles.wins) == 3
        or bool(begun.roles.scores)
        or (begun.roles.winner is not None and declared)
        or bool((outcome == TIED).any())
    )


def _refuse_nothing(begun: Draft, left: bool) -> None:
    if not left:
        steps = "; ".join(f"{step.label}: {step.rows:,}" for step in begun.flow[1:]) or "every count is 0"
        raise NothingToAnalyse(f"{begun.table.source}: no row is left to analyse ({steps})")


def _flow(begun: Draft, cell: IntArray, count: FloatArray) -> tuple[FlowStep, ...]:
    counted = bool(begun.roles.wins) or begun.roles.count is not None
    empty = begun.use & ~np.isin(np.arange(len(begun.use)), cell)
    rows = int(begun.counts.n[empty].sum())
    nothing = [FlowStep(label="every count is 0", rows=rows, note="neither a win nor a tie")] if rows else []
    note = "each row counts several comparisons" if counted else ""
    label = "comparisons analysed" if counted else "rows analysed"
    return (*begun.flow, *nothing, FlowStep(label=label, rows=int(count.sum()), note=note))


def _covariates(begun: Draft) -> tuple[dict[str, Covariate], list[Caution]]:
    """Decode the covariates; texts that were only found by name and nearly identify the rows are left out."""
    done: dict[str, Covariate] = {}
    unused: list[str] = []
    odd: list[Caution] = []
    rows = float(begun.counts.n.sum())
    for name, columns in begun.roles.covariates.items():
        values = max(len(begun.problems.labels[column].levels) for column in columns)
        decoded = covariate(name, columns, begun.use, begun.problems, begun.options.allowed.get(name))
        if decoded is None:
            continue
        is_text = decoded.a.dtype == object
        if not is_text:
            odd += code_suspects(begun.problems, columns, begun.use)
        if is_text and name in begun.roles.found and values > max(UNUSED_LABELS, rows / 10):
            unused.append(name)
        else:
            done[name] = decoded
    if not unused:
        return done, odd
    detail = f"{text.quoted(unused)} hold text that differs in most rows; declare covariates= to use them"
    return done, [*odd, caution("SS307", detail)]


def _factor(begun: Draft, column: str, cell: IntArray) -> Factor:
    labels = begun.problems.labels[column].take(cell)
    return Factor(name=column, codes=labels.codes, levels=labels.levels, mixed=labels.mixed)


def _cited(begun: Draft, column: str, cell: IntArray) -> Factor:
    """Return the column of cited labels as a factor; an empty field is a level of its own."""
    labels = begun.problems.labels[column].take(cell)
    levels = ("", *labels.levels)
    return Factor(name=column, codes=(labels.codes + 1).astype(np.int64), levels=levels)


def _cautions(begun: Draft, design: Comparisons) -> list[Caution]:
    found = [*begun.noticed]
    read, left = begun.flow[0].rows, int(begun.counts.n[begun.use].sum())
    if left < read:
        steps = "; ".join(f"{step.label}: {step.rows:,}" for step in begun.flow[1:])
        found.append(caution("SS301", f"{read - left:,} of {read:,} rows ({steps})"))
    if not begun.roles.wins and begun.roles.weight is None and begun.roles.count is None:
        found += repeated_rows(begun.table)
    return (
        found
        + mirror_suspects(design, begun.table.columns)
        + label_cautions({"items": design.items}, (design.by, *design.clusters))
    )

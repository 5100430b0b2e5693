"""Two columns side by side: names of the two sides of one thing, labels and scales that they share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from socialstats.designs.aliases import Levels, Pair, Texts
from socialstats.designs.column_profile import FEW, ColumnProfile
from socialstats.designs.vocabulary import FAILURES, LATER, VERDICTS, bare, spelled, word_couples
from socialstats.tables import as_number

SIDE_WORDS = word_couples("left right, first second, home away")
# texts among numbers, and share of the rows up to which they are missing values
MOST_ODD = 2
RARE = 0.15
# labels of a column in which such texts are looked for
MOST_LABELS = 5_000
SIDES = (
    *SIDE_WORDS,
    *word_couples(
        "home visitor, focal other, team opponent, player opponent, visitor opponent, attacker defender, white black, "
        "red blue, row col, row column, challenger incumbent, actor target, initiator recipient, actor receiver, "
        "chosen rejected, local visitor, host guest, r b, links rechts, linke rechte, izquierda derecha, "
        "gauche droite, esquerda direita, sinistra destra, 左 右"
    ),
)
WON = (
    *spelled(
        "winner won win result outcome choice preferred preference vote victor gewinner sieger ganador gagnant 胜者"
    ),
    *VERDICTS,
)
WINNERS = spelled("winner win victor chosen preferred top better cited initiator dominant")
BEATEN = spelled(
    "loser lose lost rejected bottom worse over against beaten citing recipient subordinate dispreferred"
)
OPPOSITES = (
    *LATER,
    *word_couples(
        "left right, l r, male female, husband wife, father son, x y, mother daughter, a b, i ii, 1 2, one two, "
        "first second, 0 1, placebo drug, on off, open closed, 1st 2nd, origin destination, orig dest, "
        "serial retrospective, actual imagined, with without, high low"
    ),
)
NEGATIONS = ("non", "un", "no", "not", "in", "dis", "without")


COMMON_TOKENS = word_couples("a b, A B, i j")
DIGIT_TOKENS: tuple[Pair, ...] = (("1", "2"),)


def partner_of(name: str, side: int, columns: Texts) -> str | None:
    """Return the column that is called like `name` but for the other side.

    Examples
    --------
    >>> partner_of("left", 0, ["left", "right"]), partner_of("home.team", 0, ["home.team", "away.team"])
    ('right', 'away.team')
    """
    for pair in (*SIDE_WORDS, *COMMON_TOKENS, *DIGIT_TOKENS):
        side_word = pair[side]
        other = pair[1 - side]
        for pattern in (
            rf"^{side_word}(?=$|[_. -])",
            rf"(?<=[_. -]){side_word}$",
            rf"(?<=[a-z]){side_word}$",
        ):
            if side_word.isdigit() or "(?<=[a-z])" not in pattern:
                candidate = re.sub(pattern, other, name)
                if candidate != name and candidate in columns:
                    return candidate
    return None


def odd_labels(rows_of: Mapping[str, float]) -> Levels:
    """Return the labels that rather say why a value is missing.

    Examples
    --------
    >>> odd_labels({"1": 40, "2": 30, "3": 26, "k. A.": 4}), odd_labels({"A": 40, "B": 44, "parse_error": 3})
    (('k. A.',), ('parse_error',))
    >>> odd_labels({"error": 40, "ok": 60}), odd_labels({"1": 30, "2": 20, "low": 30})
    ((), ())
    """
    if not 2 < len(rows_of) <= MOST_LABELS:
        return ()
    texts = [label for label in rows_of if as_number(label) is None]
    failed = [label for label in texts if bare(label) in FAILURES or label.strip("?- ") == ""]
    odd = texts if 0 < len(texts) <= MOST_ODD and len(rows_of) - len(texts) > 2 else failed
    rare = sum(rows_of[label] for label in odd) <= RARE * sum(rows_of.values())
    return tuple(odd) if rare and len(rows_of) - len(odd) > 1 else ()


def label_overlap(first: ColumnProfile, second: ColumnProfile) -> float:
    """Return the labels that two columns have in common, as a share of the shorter list."""
    return len(first.labels & second.labels) / max(1, min(first.size, second.size))


def paired_names(first: ColumnProfile, second: ColumnProfile) -> bool:
    """Whether the names differ in one word, number or letter that stands for two conditions or sides."""
    return _are_paired(first.name, second.name)


@lru_cache(maxsize=1 << 17)
def _are_paired(first: str, second: str) -> bool:
    if partner_of(first, 0, [second]) == second:
        return True
    names = bare(first), bare(second)
    for x, y in OPPOSITES:
        for a, b in (names, names[::-1]):
            begin = a.startswith(x) and b.startswith(y) and a.removeprefix(x) == b.removeprefix(y)
            if begin or (
                a.endswith(x) and b.endswith(y) and a.removesuffix(x) == b.removesuffix(y)
            ):
                return True
    a, b = names
    alike = len(a) == len(b) > 2 and sum(x != y for x, y in zip(a, b, strict=True)) == 1
    return alike or negated(first, second)


def differing(first: ColumnProfile, second: ColumnProfile) -> Pair | None:
    """Return the one word in which two names of several words differ, of each: pct_yes_people, pct_yes_model."""
    differ = [(x, y) for x, y in zip(first.tokens, second.tokens, strict=False) if x != y]
    return differ[0] if len(first.tokens) == len(second.tokens) > 1 == len(differ) else None


def negated(first: str, second: str) -> bool:
    """Whether a name is the other one with a no before or behind it: organic, nonorganic."""
    short, long = sorted((bare(first), bare(second)), key=len)
    return len(short) > 2 and any(long in (no + short, short + no) for no in NEGATIONS)


def same_scale(first: ColumnProfile, second: ColumnProfile) -> bool:
    """Whether two columns of numbers have overlapping ranges and spreads of one size, or two columns share labels."""
    if first.numbers is None or second.numbers is None:
        return (
            first.numbers is second.numbers is None
            and label_overlap(first, second) >= 0.5
            and first.size <= FEW
        )
    x = np.array(first.numbers)
    y = np.array(second.numbers)
    wide = max(np.ptp(x), np.ptp(y))
    narrow = min(np.ptp(x), np.ptp(y))
    return bool(
        min(x.max(), y.max()) - max(x.min(), y.min()) >= 0.25 * wide and narrow >= 0.2 * wide > 0
    )

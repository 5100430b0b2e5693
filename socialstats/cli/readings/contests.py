"""Comparisons: winners and losers, or two columns of items and what says who won."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, permutations
from typing import Any

import numpy as np

from socialstats.cli.columns import (
    BEATEN,
    DATES,
    MOST_KEYS,
    REPEATS,
    SCORES,
    SIDES,
    WINNERS,
    WON,
    Column,
    Seen,
    paired_names,
    same_scale,
    share,
)
from socialstats.cli.readings.proposal import Proposal
from socialstats.designs.aggregate import TIE_COUNTS, WIN_WORDS, bare
from socialstats.designs.options import DEFAULT_TIES
from socialstats.designs.winners import SIDE_CODES, side_code
from socialstats.tables import as_number

LOST = ("loses", "lose", "losses", "loss", "lost", "nlosses", "defeat", "defeats", "l")

ROUNDS = ("round", "game", "set", "period", "season", "half", "leg", "turn", "match", "stage", "inning", "block")
PREFERRED = (*WIN_WORDS, "prefer", "prefers", "preferred", "pref", "votes", "chose", "chosen")  # counts of wins
UNDECIDED = (*TIE_COUNTS, "nopreference", "nopref", "neither", "undecided", "indifferent", "noopinion", "same")
RATED_AS = ("elo", "rating", "ranking", "seed")  # of players before they met: neither items nor scores


def winners_and_losers(seen: Seen) -> Iterator[Proposal]:
    """Look for a column of winners and one of losers; contests that a flag calls undecided are left out."""
    named = [c for c in seen.varying() if c.names_things]
    times = next((c.name for c in seen.columns.values() if c.counts or c.name in seen.frequencies), None)
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
            means = f"'{a.name}' won, '{b.name}' lost"
            yield Proposal("comparisons", 9, means, settings)
            if meet_themselves(seen, a, b):  # refused above, unless these rows count nothing
                out = [*settings.get("exclude", []), f"{a.name}=={b.name}"]
                told = {"note": "; rows where both are the same are left out"}
                yield Proposal("comparisons", 8.9, means, {**settings, **told, "exclude": out})


def contests(seen: Seen) -> Iterator[Proposal]:
    """Look for two columns of the same items and what says who won: a label, a side, a score, or counts of wins."""
    items = [c for c in seen.columns.values() if c.filled == c.rows and (c.numbers is None or c.whole)]
    items = [c for c in items if c.numbers is None or not c.called((*SCORES, *RATED_AS))]
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
        free = c not in (a, b) and not (c.called((*ROUNDS, *DATES, *REPEATS)) and not c.called(WON))
        for told in result_settings(c, x, y) if free and (c.called(WON) or not seen.has_partner(c)) else ():
            score = 6.5 + 2 * c.called(WON) + 0.3 * c.called(("match", "final", "overall", "game"))
            score = max(score, 9.0) if told.pop("sure", False) else score - 0.3 * bool(told.get("swapped"))
            which, (one, other) = told.pop("words", ""), (y, x) if told.pop("swapped", False) else (x, y)
            settings = {"map": [f"item_a={one.name}", f"item_b={other.name}", f"winner={c.name}"], **told}
            settings |= {"missing": "drop"} if c.filled < seen.rows else {}
            yield Proposal("comparisons", score, f"{versus}, '{c.name}' says who won{which}", settings)


def meet_themselves(seen: Seen, a: Column, b: Column) -> bool:
    """Whether a row has the same label in both columns."""
    cells = seen.table.counts([a.name, b.name]).columns
    one, other = cells[a.name].labels(), cells[b.name].labels()
    return any(one.levels[i] == other.levels[j] for i, j in zip(one.codes, other.codes, strict=True))


def result_settings(c: Column, a: Column, b: Column) -> list[dict[str, Any]]:
    """Return the ways to read a column as results of two items, as settings, the most likely first; mostly one.

    ``words`` says what the values stand for, ``sure`` that they are words of the items' own columns, and ``swapped``
    that the second item is to be item_a, because 1 stands for it.
    """
    levels, items = {*c.levels}, {*a.levels, *b.levels}
    rest = levels - items
    if len(levels & items) > (1 if c.numbers is None else max(5, len(items) / 3)) and len(rest) <= 2:
        return [{"tie": sorted(rest)} if rest - {"tie"} else {}]
    if {"0", "1"} <= levels <= {"1", "0.5", "0"}:
        return zero_or_one(c, a, b)
    codes = {level: side_code(level) for level in c.levels}
    for scheme in ((a.name, b.name), *SIDE_CODES):
        tied = sorted(level for level, code in codes.items() if code not in scheme)
        third = len(scheme[1]) == 1 and scheme[1].isalpha() and tied == [chr(ord(scheme[1]) + 1)]  # A, B and C
        even = len(tied) <= 1 or {as_number(level) for level in tied} == {0.0, 1.5} or all(map(says_tie, tied))
        if {*scheme} <= {*codes.values()} and even and not third:
            said = f": {scheme[0]} is '{a.name}', {scheme[1]} is '{b.name}'"
            said += f", {' and '.join(tied)} a tie" if tied else ""
            sure = scheme[0].casefold() in a.tokens and scheme[1].casefold() in b.tokens
            ties = {"tie": tied} if {*tied} - {*DEFAULT_TIES} else {}
            return [{"winner_coding": "side", **ties, "words": said, "sure": sure or "-" in scheme[0]}]
    return []


def zero_or_one(c: Column, a: Column, b: Column) -> list[dict[str, Any]]:
    """Return both readings of 0 and 1, that of the items' own numbers first; one where the name says whose win it is.

    Where the columns of items are numbered 0 and 1, these numbers are what 0 and 1 stand for.
    """
    first = {"winner_coding": "score", "words": f": 1 is '{a.name}', 0 is '{b.name}'"}
    second = {"winner_coding": "score", "words": f": 0 is '{a.name}', 1 is '{b.name}'", "swapped": True}
    own = [{*one.tokens} - {*other.tokens} for one, other in ((a, b), (b, a))]
    if own[0] & {*c.tokens} and c.called(WON):  # home_win, winner_model_a
        return [first]
    if own == [{"0"}, {"1"}]:
        return [{**second, "sure": True}, {**first, "sure": False}]
    return [first, second]


def says_tie(label: str) -> bool:
    """Whether a label says that none of two items won, or both."""
    words = {word for word in re.split(r"[^a-z]+", label.casefold()) if word}
    return bool(words & {"tie", "ties", "tied", "draw", "drawn", "both", "bothbad", "neither", "equal", "same", "even"})


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
    named = [pair for pair in combinations(whole, 2) if all(c.called(PREFERRED) for c in pair) and paired_names(*pair)]
    for x, y in (of_sides(a, b, *pair) for pair in named):
        even = [c.name for c in whole if bare(c.name) in UNDECIDED and bare(c.name) not in TIE_COUNTS][:1]
        counts = [f"wins_a={x.name}", f"wins_b={y.name}", *(f"ties={name}" for name in even)]
        yield counts, 8.8 - 0.1 * len(x.tokens), "counts of wins"
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

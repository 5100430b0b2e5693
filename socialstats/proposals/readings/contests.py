"""Comparisons: winners and losers, or two columns of items and what says who won."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations, product
from typing import Any

import numpy as np

from socialstats.designs.aliases import Fields
from socialstats.designs.cluster_columns import DEPENDENT, clusters_of_comparisons
from socialstats.designs.column_pairs import (
    BEATEN,
    SIDES,
    WINNERS,
    WON,
    label_overlap,
    negated,
    paired_names,
    same_scale,
)
from socialstats.designs.column_profile import ColumnProfile, Columns
from socialstats.designs.frequencies import TIE_COUNTS, WIN_WORDS
from socialstats.designs.options import DEFAULT_TIES
from socialstats.designs.profile import MOST_KEYS, TableProfile
from socialstats.designs.roles import FEWEST_UNNAMED, answered_apart
from socialstats.designs.settings import Settings
from socialstats.designs.vocabulary import (
    ACTORS,
    DATES,
    DRAWN,
    FINAL,
    LOST,
    PICKED,
    PREFERRED,
    RATED_AS,
    REPEATS,
    ROUNDS,
    SCORES,
    SUCCESS,
    UNDECIDED,
    VERDICTS,
    bare,
)
from socialstats.designs.winners import SIDE_CODES, says_tie, scheme_of, side_code
from socialstats.proposals.readings.proposal import Pair, Parts, Proposal, Proposals, drop_gaps
from socialstats.tables import as_number
from socialstats.text import count

BRACKETED = re.compile(r"\[+\w\]+")  # [[A]]
MOST_ITEMS, MOST_PAIRS = 80, 12  # columns that may hold items; pairs of them
RANKS = {"rank", "ranks", "place", "platz", "rang", "puesto", "posto"}
MOST_TIED = 0.3  # share of rows without ties, from which columns called ranks are ranks
RANKED, MOST_RANKS = 9.3, 12  # score of columns of ranks; most of them
NAMES_ONE = 9.2  # score where a result names one of both items in each row
COUNTED = ("count", "n", "num", "times", "anzahl", "conteo")
COUNTED_WINS = 9.1  # score of counts of the two sides, before counts of raters by level
SHORTENED = 3  # letters of a word that is written short
FEWEST_GRADES = 4  # labels of grades of how much better one was
MOST_RESULTS = 12  # labels of results that name no item


def proposed_contest(
    profile: TableProfile, score: float, means: str, sides: Pair, results: Parts, **options: Any
) -> Proposal:
    """Propose comparisons of two columns of items, with judges and prompts as clusters."""
    a, b = sides
    names = [c.name for columns in results.values() for c in columns]
    free = [c for c in profile.varying() if c not in sides and c.name not in names]
    by = next((c.name for c in answered_apart(profile, free, sides)), None)
    if by is not None:
        options, means = {**options, "by": by}, f"{means}; for each '{by}'"
    clusters = {
        "cluster": clusters_of_comparisons(
            profile, a, b, [*names, *([by] if by is not None else [])]
        )
    }
    return Proposal(
        "comparisons",
        score,
        means,
        {"item_a": [a], "item_b": [b], **results},
        {**options, **clusters},
    )


def winners_and_losers(profile: TableProfile) -> Proposals:
    """Look for a column of winners and one of losers."""
    times = next((c.name for c in profile.every if c.counts or c.name in profile.frequencies), None)
    counted = times is not None and profile.distinct(*(c for c in profile.every if c.name != times))
    named = [c for c in profile.varying() if c.names_things]
    drawn = [c for c in profile.varying() if c.yes_no and c.called(DRAWN)][:1]
    results: Parts = {"drawn": drawn} if drawn else {}
    for a, b in product([c for c in named if c.called(WINNERS, PICKED)], named):
        if a is b or label_overlap(a, b) < 0.3:
            continue
        refused = negated(a.name, b.name) and len(a.name) < len(
            b.name
        )  # Chosen, NotChosen; selected, not selected
        if not refused and not (
            a.called(WINNERS) and b.called(BEATEN) and a.tokens[1:] == b.tokens[1:]
        ):
            continue
        actor = a.called(ACTORS) and not a.called([name for name in WINNERS if name not in ACTORS])
        if actor and any(told_otherwise(c, a, b) for c in profile.varying()):
            continue
        means = f"{a} won, {b} lost"
        means += f", and {drawn[0]} says which were ties" if drawn else ""
        options: Fields = {"count": times} if counted else {}
        score = 7.5 if actor else 9
        yield proposed_contest(profile, score, means, (a, b), {"winner": [a], **results}, **options)
        if met := meet_themselves(
            profile, a, b
        ):  # refused above, unless these rows count nothing: a tie, mostly
            options |= {"exclude": [f"{a.name}=={b.name}"]}
            means += "; rows where both are the same are left out"
            yield proposed_contest(
                profile, score - 0.5 - met, means, (a, b), {"winner": [a], **results}, **options
            )


def rank_columns(profile: TableProfile) -> Proposals:
    """Look for columns that rank what they are called like: each row has each rank once, or equal ones for ties."""
    integers = [c for c in profile.every if c.whole and 2 < c.size <= MOST_RANKS]
    groups = [
        [c for c in integers if c.levels == levels]
        for levels in dict.fromkeys(c.levels for c in integers)
    ]
    for columns in groups:
        rows = profile.values(columns)
        rows = np.sort(rows[:, np.isfinite(rows).all(axis=0)], axis=0)
        k = len(columns)
        if k != columns[0].size or not rows.size or rows[0].max() > 1 or rows.max() > k:
            continue
        complete = (rows == np.arange(1, k + 1)[:, None]).all(axis=0)
        named = all(RANKS & c.words or bare(c.name).endswith(tuple(RANKS)) for c in columns)
        if complete.mean() < (MOST_TIED if named else 1.0):
            continue
        who = [
            c
            for c in profile.varying()
            if c.names_things and c.called(DEPENDENT) and c not in columns
        ]
        who = [c for c in who if FEWEST_UNNAMED <= c.size <= profile.rows / 2][:1]
        means = f"ranks of {count(len(columns), 'item')}, a column each; each two are a comparison, and 1 is the best"
        options = {"cluster": [c.name for c in who]} | drop_gaps(columns)
        yield Proposal("comparisons", RANKED, means, {"ranks": columns}, options)


def told_otherwise(c: ColumnProfile, a: ColumnProfile, b: ColumnProfile) -> bool:
    """Whether a column called like a result says who won of an actor and a recipient, so that the actor need not."""
    return c not in (a, b) and c.called(WON, SUCCESS) and bool(result_settings(c, a, b))


def contests(profile: TableProfile) -> Proposals:
    """Look for two columns of the same items and what says who won: a label, a side, a score, or counts of wins."""
    for a, b in item_pairs(profile):
        yield from contest(profile, a, b, 1.5 * (rarely_met(a) and rarely_met(b)))


def has_sides(a: ColumnProfile, b: ColumnProfile) -> bool:
    """Whether the names of two columns are those of two sides."""
    two = a.words | b.words
    return paired_names(a, b) or any({x, y} <= two for x, y in SIDES)


def item_pairs(profile: TableProfile) -> list[Pair]:
    """Return the pairs of columns that may hold two items a row, wherever they stand: those named like sides first.

    Columns of the same few labels are items if they meet in no row; a column of one label may be a reference.
    """
    items = [c for c in profile.every if c.filled == c.rows]
    items = [c for c in items if c.text or (c.whole and not c.called(SCORES, RATED_AS))]
    texts = [c for c in items if c.text]
    labels = [
        c for c in items if c.size > 1 and c.name not in profile.frequencies and not c.describes
    ]
    numbered = [
        c for c in labels if not c.text and (len(bare(c.name)) > 1 or bare(c.name) in "ij")
    ][:MOST_KEYS]
    labels = [c for c in labels if c.text or c.identifies or c in numbered][:MOST_ITEMS]
    likely = []
    for a, b in combinations(labels, 2):
        sided, shared = has_sides(a, b), label_overlap(a, b)
        named = sided and len(a.labels | b.labels) > 2
        if min(a.size, b.size) < 3 and (a.numbers or not (named or profile.opposed(a, b))):
            continue
        sides = sided and shared >= 0.2
        if sides or (shared >= 0.7 and (a.text or (a.tokens, b.tokens) == (("i",), ("j",)))):
            likely.append((not sides, rarely_met(a) and rarely_met(b), a, b))
    likely.sort(key=lambda pair: pair[:2])
    best = [(a, b) for *_, a, b in likely[:MOST_PAIRS] if not meet_themselves(profile, a, b)]
    references = [c for c in texts if c.size == 1 and c.name[-1:] in "12ab"]
    lone = [(a, b) if a.name < b.name else (b, a) for a in references for b in labels]
    lone = [(a, b) for a, b in lone if paired_names(a, b) and len(a.labels | b.labels) >= 3]
    sure = [
        pair for c in profile.varying() if c.called(WON) for pair in named_in(profile, c, texts)
    ]
    return [*best, *(pair for pair in dict.fromkeys([*lone, *sure]) if pair not in best)]


def named_in(profile: TableProfile, result: ColumnProfile, texts: Columns) -> list[Pair]:
    """Return the pairs of columns of which one, and never both, holds what a result says, in every row but ties."""
    near = [c for c in texts if c is not result and c.labels & result.labels][:MOST_PAIRS]
    labelled = profile.combined(result, *near)[1]
    winners, *others = (labels.mapped(str, None, object).tolist() for labels in labelled)
    decided = [k for k, label in enumerate(winners) if label is not None and not says_tie(label)]
    hits = [
        (c, {k for k in decided if labels[k] == winners[k]})
        for c, labels in zip(near, others, strict=True)
    ]
    pairs = combinations(hits, 2)
    return [
        (a, b) for (a, x), (b, y) in pairs if x and y and not x & y and len(x | y) == len(decided)
    ]


def rarely_met(column: ColumnProfile) -> bool:
    """Whether a column has so many labels that most of them occur once: rather a text or an id than items."""
    return 2 * column.size > column.rows > 2 * MOST_KEYS


def contest(profile: TableProfile, a: ColumnProfile, b: ColumnProfile, less: float) -> Proposals:
    """Look for what says who won, of two columns of items; `less` is taken from the scores."""
    versus = f"{a} against {b}"
    less += 0.2 * (a.tokens[-1:] in (("id",), ("uid",)))
    flags = one_hot(profile, a, b)
    is_complete = False  # whether a result has no gaps
    for results, score, means in [flags[0]] if flags else counts_and_scores(profile, a, b):
        is_complete |= all(c.filled == c.rows for (c,) in results.values())
        yield proposed_contest(profile, score - less, f"{versus}, {means}", (a, b), results)
    for c in profile.varying():
        x, y = (
            (b, a) if len(c.words & b.words) > len(c.words & a.words) else (a, b)
        )  # away, home_win
        free = c not in (a, b) and not (flags and c in flags[1])
        free = free and (c.called(WON) or not c.called(ROUNDS, DATES, REPEATS, SCORES))
        free = free and c.size <= max(MOST_RESULTS, a.size + b.size)
        settings = result_settings(c, x, y) if free else []
        names_one = (
            bool(settings) and label_overlap(a, b) > 0.2 and bool(named_in(profile, c, [a, b]))
        )
        if not settings or not (
            c.called(WON) or settings[0].sure or names_one or not profile.has_partner(c)
        ):
            continue
        score = 6.5 + 2 * c.called(WON) + 0.3 * c.called(FINAL)
        score += 1.2 * (c.called(PICKED) and has_sides(a, b) and not c.called(WON))
        left = unused_of(profile, c)
        drawn = [
            d
            for d in profile.varying()
            if c.filled < c.rows and d is not c and d.yes_no and d.called(DRAWN)
        ][:1]
        left = f", and {drawn[0]} says which were ties" if drawn else left
        if names_one:
            score = max(score, NAMES_ONE + 0.3 * c.called(FINAL))
        for setting in settings:
            likely = max(score, 9.0) if setting.sure else score - 0.3 * setting.behind
            likely -= 2 * (is_complete and c.filled < c.rows and not drawn) + less
            means = f"{versus}, {c} says who won{setting.words}{left}"
            sides = (y, x) if setting.swapped else (x, y)
            results = {"winner": [c], **({"drawn": drawn} if drawn else {})}
            yield proposed_contest(profile, likely, means, sides, results, **setting.options)


def unused_of(profile: TableProfile, result: ColumnProfile) -> str:
    """Return what a reading of a column of results leaves out: its gaps, and a second verdict of each row."""
    gaps = profile.rows - result.filled
    gaps_text = f"; {count(gaps, 'row')} without it left out, ties perhaps" if gaps else ""
    others = (
        c
        for c in profile.varying()
        if c is not result and paired_names(result, c) and c.levels == result.levels
    )
    twin = next(others, None)
    if twin is None:
        return gaps_text
    return f"{gaps_text}; {twin} holds a second verdict of each row, left out: write a row for each to use it"


def meet_themselves(profile: TableProfile, a: ColumnProfile, b: ColumnProfile) -> float:
    """Return the share of the rows that have the same label in both columns."""
    n, (one, other) = profile.combined(a, b)
    same = [one.levels[i] == other.levels[j] for i, j in zip(one.codes, other.codes, strict=True)]
    return float(n[same].sum() / profile.rows)


@dataclass(frozen=True, slots=True)
class WinnerReading:
    """How a column says who won of two items.

    Attributes
    ----------
    options : mapping of str to value
        Settings that read it.
    words : str
        What the values stand for.
    sure : bool
        Whether they are words of the items' own columns.
    swapped : bool
        Whether the second item is item_a, because 1 stands for it.
    behind : bool
        Whether another reading of the same column is likelier.
    """

    options: Settings
    words: str = ""
    sure: bool = False
    swapped: bool = False
    behind: bool = False


def own_words(a: ColumnProfile, b: ColumnProfile) -> tuple[list[str], list[str]]:
    """Return the words that each of two names has alone."""
    return [x for x in a.tokens if x not in b.tokens], [y for y in b.tokens if y not in a.tokens]


def result_settings(c: ColumnProfile, a: ColumnProfile, b: ColumnProfile) -> list[WinnerReading]:
    """Return the ways to read a column as results of two items, the most likely first; mostly one."""
    levels, items = c.labels, a.labels | b.labels
    rest = levels - items
    enough = 1 if c.text else max(5, len(items) / 3)
    if len(levels & items) > enough and (len(rest) <= 2 or all(map(says_tie, rest))):
        return [WinnerReading({"tie": sorted(rest)} if rest - {"tie"} else {})]
    if {"0", "1"} <= {*map(side_code, levels)} <= {"1", "0.5", "0"}:
        return zero_or_one(c, a, b)
    if c.numbers is not None and is_signed(c.numbers):
        grades = {"winner_coding": "grade"}
        second = WinnerReading(
            grades, f": above 0 is {b}, below 0 is {a}, and 0 a tie", swapped=True
        )
        first = WinnerReading(grades, f": above 0 is {a}, below 0 is {b}, and 0 a tie")
        named = [{*words} & c.words for words in own_words(a, b)]
        if any(named):  # lean_to_right, margin_for_b
            return [first if named[0] else second]
        return [second, replace(first, behind=True)]  # as on a slider, whose left end is negative
    graded = "".join(sorted(map(bare, levels))) == "abc"
    graded = graded and (c.called(VERDICTS) or all(map(BRACKETED.fullmatch, levels)))
    tied = sorted(
        level for level in levels if says_tie(level) or (graded and bare(level) == "c")
    )  # as MT-bench has it
    alone = own_words(a, b)
    schemes = [(a.name, b.name), *((x, y) for x in alone[0][:1] for y in alone[1][:1]), *SIDE_CODES]
    for ties in (tied, undecided(levels)):
        decided = levels - {*ties}
        codes = scheme_of(decided, schemes)
        if codes is None or len({*map(side_code, decided)}) < 2:
            continue
        if (
            not graded
            and len(codes[1]) == 1
            and codes[1].isalpha()
            and ties == [chr(ord(codes[1]) + 1)]
        ):
            return []  # A, B and C
        forward, backward = (all(map(stands_for, codes, words)) for words in (alone, alone[::-1]))
        turned = backward and not forward  # H and A beside the columns away and home
        x, y = (b, a) if turned else (a, b)
        means = f": {codes[0]} is {x}, {codes[1]} is {y}"
        means += f", {' and '.join(ties)} a tie" if ties else ""
        means += "; how much better is not used" if len(decided) > 2 else ""
        declared = {"tie": ties} if {*ties} - {*DEFAULT_TIES} else {}
        return [
            WinnerReading({"winner_coding": "side", **declared}, means, forward or turned, turned)
        ]
    return []


def is_signed(numbers: Sequence[float]) -> bool:
    """Whether numbers are grades of how much better one of two was: some steps to either side of 0."""
    steps = len(numbers) >= FEWEST_GRADES and all((2 * x).is_integer() for x in numbers)
    return steps and min(numbers) < 0 < max(numbers) == -min(numbers)


def stands_for(code: str, words: Sequence[str]) -> bool:
    """Whether a code is a word, the first letter of one, or a word of which only the first letter was written."""
    folded = code.casefold()
    cut = [(folded, word) for word in words] + [(word, folded) for word in words]
    short = any(
        len(part) >= SHORTENED and whole.startswith(part) for whole, part in cut
    )  # esq for esquerda
    return short or any(
        folded == word or (1 in (len(folded), len(word)) and folded[0] == word[0]) for word in words
    )


def undecided(levels: frozenset[str]) -> list[str]:
    """Return the one label beside two sides that may stand for a tie by its place: 0, 0.5, 1.5, D, X, or one text."""
    coded = {scheme for scheme in SIDE_CODES if {*scheme} <= {*map(side_code, levels)}}
    rest = sorted(
        {level for level in levels if not any(side_code(level) in scheme for scheme in coded)}
    )
    return rest if len(rest) <= 1 or {as_number(level) for level in rest} == {0.0, 1.5} else []


def zero_or_one(c: ColumnProfile, a: ColumnProfile, b: ColumnProfile) -> list[WinnerReading]:
    """Return both readings of 0 and 1, that of the items' own numbers first; one where the name says whose win it is.

    Where the columns of items are numbered 0 and 1, these numbers are what 0 and 1 stand for. A button or a choice is
    numbered from 0 as well: 0 is what stands on the left, or first.
    """
    scored = {"winner_coding": "score"}
    first = WinnerReading(scored, f": 1 is {a}, 0 is {b}")
    second = WinnerReading(scored, f": 0 is {a}, 1 is {b}", swapped=True)
    x, y = map(set, own_words(a, b))
    if x & c.words and c.called(WON):  # home_win, winner_model_a
        return [first]
    if (x, y) == ({"0"}, {"1"}):
        return [replace(second, sure=True), replace(first, behind=True)]
    one, other = (second, first) if c.called(PICKED) else (first, second)
    return [one, replace(other, behind=True)]


def counts_and_scores(
    profile: TableProfile, a: ColumnProfile, b: ColumnProfile
) -> Iterator[tuple[Parts, float, str]]:
    """Look for counts of wins, called so or adding up to a third column, and for scores of the two sides."""
    numbers = [c for c in profile.every if not (c.text or c.identifies or c in (a, b))][:MOST_ITEMS]
    whole = [c for c in numbers if c.whole]
    shares = [c for c in numbers if {0.0, 1.0} <= {*(c.numbers or [])} <= {0.0, 0.5, 1.0}]
    for x, y in of_sides(a, b, shares, all):
        if "0.5" in x.labels and (profile.values([x, y]).sum(axis=0) == 1).all():
            yield {"score_a": [x], "score_b": [y]}, 9, "1 and 0, or 0.5 each for a tie"
            return
    preferred = [*of_sides(a, b, [c for c in whole if c.called(PREFERRED)], any)]
    for x, y in preferred:
        even = [c for c in whole if bare(c.name) in UNDECIDED][:1]
        yield wins(x, y, even), 8.8 - 0.1 * len(x.tokens), "counts of wins"
    for x, y in (
        of_sides(a, b, [c for c in whole if c.called(COUNTED)], all) if not preferred else ()
    ):
        yield wins(x, y, []), COUNTED_WINS, "counts of wins"
    lettered = len(whole) <= MOST_KEYS  # among columns a, b, c, ... w and l are no wins and losses
    for x, y in (
        () if preferred else permutations([c for c in whole if lettered or len(c.name) > 1], 2)
    ):
        if x.called(WIN_WORDS, "w") and y.called(LOST):
            even = [c for c in whole if c.called(TIE_COUNTS, "t", "d")][:1]
            yield wins(x, y, even), 8.5, "counts of wins and losses of the first"
    for x, y in combinations([c for c in numbers if c.called(SCORES)], 2):
        if same_scale(x, y) and len(x.tokens) == len(y.tokens):
            x, y = in_order(a, b, x, y)
            yield (
                {"score_a": [x], "score_b": [y]},
                7.9 - 0.05 * len(x.tokens),
                "the higher score wins",
            )


def wins(x: ColumnProfile, y: ColumnProfile, ties: Columns) -> Parts:
    """Return counts of wins of both sides, and of ties where there are such, as parts."""
    return {"wins_a": [x], "wins_b": [y], **({"ties": ties} if ties else {})}


def one_hot(
    profile: TableProfile, a: ColumnProfile, b: ColumnProfile
) -> tuple[tuple[Parts, float, str], list[ColumnProfile]] | None:
    """Return columns of 0 and 1 of the two sides, of which no row has both, as a result; and all that belong to it.

    A third column may count ties; else a row without a 1 for a side is a tie, where names say that 1 stands for a win.
    """
    hot = [c for c in profile.every if c.numbers and {*c.numbers} == {0.0, 1.0} and c not in (a, b)]
    for x, y in of_sides(a, b, hot[:MOST_ITEMS], any):
        if profile.most_and_least([x, y])[0] > 1:
            continue
        apart = [c for c in hot if c not in (x, y) and profile.most_and_least([x, y, c])[0] == 1]
        for tie in ([], *([c] for c in apart)):
            if profile.most_and_least([x, y, *tie]) == (1, 1):
                return (wins(x, y, tie), 9, "one 1 a row"), [x, y, *apart]
        if all(c.called(WON, PREFERRED) for c in (x, y)) or any(
            says_tie(" ".join(c.tokens)) for c in apart
        ):
            means = "1 for the one that won, a tie where neither has it"
            return ({"score_a": [x], "score_b": [y]}, 9, means), [x, y, *apart]
    return None


def of_sides(
    a: ColumnProfile, b: ColumnProfile, columns: Columns, need: Callable[[Iterable[bool]], bool]
) -> Iterator[Pair]:
    """Yield the pairs of columns whose names are those of two sides, or (or and: `need`) of the items' columns."""
    first, second = map(set, own_words(a, b))
    for x, y in combinations(columns, 2):
        like_items = any(first & p.words and second & q.words for p, q in ((x, y), (y, x)))
        if need((paired_names(x, y), like_items)):
            yield in_order(a, b, x, y)


def in_order(a: ColumnProfile, b: ColumnProfile, x: ColumnProfile, y: ColumnProfile) -> Pair:
    """Return two columns in the order of two items: a column belongs to the item with which it shares a word."""

    def shared(one: ColumnProfile, other: ColumnProfile) -> float:
        first = one.tokens[:1] and other.tokens[:1] and other.tokens[0][0] == one.tokens[0][0]
        return len(one.words & other.words) + 0.5 * bool(first)

    return (y, x) if shared(a, y) + shared(b, x) > shared(a, x) + shared(b, y) else (x, y)

"""Cross tables, and columns of labels beside their frequencies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from socialstats.cli.readings.proposal import Proposal, value_settings
from socialstats.designs.profile import BEATEN, FEW, WINNERS, Column, Profile, paired_names, share
from socialstats.designs.tables import LOSERS, bare, crosstab
from socialstats.designs.vocabulary import RATERS, spelled
from socialstats.errors import InputError
from socialstats.tables import as_number
from socialstats.text import count

SQUARE = 60  # labels of a cross table that is recognised by itself
AGREE_OF_TWO = 0.6  # the same for two labels, of which few units change
RIGHT_WRONG = spelled(
    "correct incorrect wrong right pass fail passed failed solved unsolved success failure"
)  # outcomes of a condition, no judgements
AGREE = 0.4  # kappa from which a table of counts is rather one of two raters than one of two conditions
FEW_LEVELS = 12  # a whole number above is rather a count than a rating


def kappa(square: Any) -> float:
    """Return Cohen's kappa of a square table of counts."""
    p = np.nan_to_num(np.asarray(square, dtype=np.float64))
    p = p / p.sum()
    chance = float(p.sum(axis=0) @ p.sum(axis=1))
    return (float(np.trace(p)) - chance) / (1 - chance) if chance < 1 else 0.0


def square_tables(seen: Profile) -> Iterator[Proposal]:
    """Look for a cross table: the labels of the header again in the first column, or as many rows as columns."""
    if not 2 <= seen.rows <= SQUARE or abs(len(seen.table.columns) - seen.rows) > 2:
        return
    try:
        square = crosstab(seen.table)
    except InputError:
        return
    cells, k, named = square.to_numpy(), len(square), list(square.columns) != list(seen.table.columns)
    filled = np.nan_to_num(cells)
    if not filled.any() or (filled < 0).any() or (filled % 1 != 0).any():
        return
    symmetric = bool((filled == filled.T).all())
    heads = {bare(name) for name in seen.table.columns[1:]}
    lost = named and not heads & {bare(label) for label in square.index}  # V1, V2, ... in place of labels
    numbered = all(as_number(label) is not None for label in square.index)
    if numbered and named and not lost and len(heads) != seen.rows:
        return  # rows with numbers beside columns of levels: counts of units by level
    made: dict[str, Any] = {"crosstab": True}
    over = "the column over the row" if bare(seen.table.columns[0]) in LOSERS else "the row over the column"
    won = Proposal("comparisons", 9, f"wins of {over}", {"design": "comparisons", **made})
    if not np.trace(filled):
        if not symmetric or (filled + np.eye(k) == 1).all():
            yield won
        return
    agreed = kappa(cells)
    head = Column(name=seen.table.columns[0], levels=(), rows=0, filled=0)
    right = k == 2 and all(Column(name=str(x), levels=(), rows=0, filled=0).called(RIGHT_WRONG) for x in square.index)
    judged = not right and agreed >= (AGREE_OF_TWO if k == 2 and not head.called(RATERS.words) else AGREE)
    counted = filled.max() > FEW_LEVELS and not filled.all() if lost else named
    if np.isnan(cells).any() or (symmetric and k > 2) or not (judged or counted):
        return
    two = {"levels": list(square.index)} if k == 2 else {"scale": "nominal"}
    less = 1.5 if agreed < 0.1 and numbered else 0
    rated = {"design": "ratings", **made, "scale": "nominal"}
    yield Proposal("ratings", 8 + judged - less, "counts of two raters", rated)
    yield Proposal("paired", 9 - judged - less, "counts of matched pairs", {"design": "paired", **made, **two})
    if named and k > 2:
        yield replace(won, score=7, means=f"wins of {over}; the diagonal is left out")


def counted_tables(seen: Profile) -> Iterator[Proposal]:
    """Look for two columns of the same few labels beside a column of frequencies, or several columns of raters."""
    times = seen.frequencies[0] if seen.frequencies else ""
    if not times or not seen.distinct([name for name in seen.columns if name != times]):
        return
    labels = [c for c in seen.varying() if len(c.levels) <= SQUARE and c.names_things and not c.unique]
    alike_ = [(a, b) for a, b in combinations(labels, 2) if share(a, b) >= 0.6]
    squares = {pair: counted_square(seen, *pair, times) for pair in alike_}
    agreed = sorted(((kappa(square), k) for k, square in enumerate(squares.values())), reverse=True)
    apart = len(agreed) > 1 and agreed[0][0] > agreed[1][0] + 0.1 and agreed[1][0] < 0.1  # the others are strata
    gaps = {"missing": "drop"} if seen.columns[times].filled < seen.rows else {}
    for k, ((a, b), square) in enumerate(squares.items()):
        if k != agreed[0][1] if apart else len(labels) > 2 and len(a.levels) == 2 and not paired_names(a, b):
            continue
        if not np.trace(square) or a.called(WINNERS) or b.called(BEATEN):
            sure = a.called(WINNERS) or b.called(BEATEN)
            if any(c.numbers is not None and c not in (a, b) and not c.unique for c in seen.varying()):
                continue
            for won, said in ((a, ""),) if sure else ((a, ", if rows name the winner first"), (b, ", or the reverse")):
                lost = b if won is a else a
                parts = [f"item_a={a.name}", f"item_b={b.name}", f"winner={won.name}"]
                yield Proposal("comparisons", 8 if sure else 5 - 0.1 * (won is b),
                               f"'{won.name}' won against '{lost.name}'{said}",
                               {"map": parts, "count": times, **gaps})  # fmt: skip
            continue
        judged = a.called(RATERS.words) or b.called(RATERS.words) or (kappa(square) >= AGREE and not paired_names(a, b))
        raters = {"raters": [a.name, b.name], "count": times, **value_settings((a, b), "ratings")}
        sides = {"map": [f"first={a.name}", f"second={b.name}"], "count": times, **value_settings((a, b), "paired")}
        yield Proposal("ratings", 8 if judged else 7, "counts of units by two raters", raters)
        yield Proposal("paired", 7 if judged else 8, "counts of matched pairs", sides)
    same = all(share(a, b) == 1 for a, b in combinations(labels, 2))
    if len(labels) > 2 and len(labels[0].levels) <= FEW and same and not apart:
        raters = {"raters": [c.name for c in labels], "count": times, **value_settings(labels, "ratings")}
        yield Proposal("ratings", 8.5, f"patterns of {count(len(labels), 'rater')} and how often each occurred", raters)


def counted_square(seen: Profile, a: Column, b: Column, times: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the frequencies of two columns' labels as a square table."""
    cells = seen.table.counts([a.name, b.name, times])
    one, other, n = (cells.columns[name].labels() for name in (a.name, b.name, times))
    place = {label: k for k, label in enumerate(sorted({*a.levels, *b.levels}))}
    square = np.zeros((len(place), len(place)))
    for i, j, f, rows in zip(one.codes, other.codes, n.codes, cells.n, strict=True):
        square[place[one.levels[i]], place[other.levels[j]]] += rows * (as_number(n.levels[f]) or 0 if f >= 0 else 0)
    return square

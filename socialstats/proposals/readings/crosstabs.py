"""Cross tables, and columns of labels beside their frequencies."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from socialstats.designs.column_pairs import BEATEN, WINNERS, label_overlap, paired_names
from socialstats.designs.column_profile import FEW, ColumnProfile
from socialstats.designs.crosstabs import LOSERS, crosstab
from socialstats.designs.group_columns import tells_groups
from socialstats.designs.profile import TableProfile
from socialstats.designs.roles import model_columns, people_among
from socialstats.designs.vocabulary import FREQUENCIES, RATERS, RIGHT_WRONG, VALUES, bare
from socialstats.errors import InputError
from socialstats.proposals.readings.proposal import Proposal, Proposals
from socialstats.text import count, shorten

SQUARE = 60  # labels of a cross table that is recognised by itself
AGREE = 0.4  # kappa from which counts are rather those of two raters than of two conditions
AGREE_OF_TWO = 0.6  # the same for two labels, where few units change
COUNTED = 8.0  # score of counts of the answers of sources
FEW_LEVELS = 12  # a whole number above is rather a count than a rating
Counts = np.ndarray[Any, np.dtype[np.float64]]


def kappa(square: Counts) -> float:
    """Return Cohen's kappa of a square table of counts."""
    p = np.nan_to_num(np.asarray(square, dtype=np.float64))
    p = p / p.sum()
    chance = float(p.sum(axis=0) @ p.sum(axis=1))
    return (float(np.trace(p)) - chance) / (1 - chance) if chance < 1 else 0.0


def label_column(name: str) -> ColumnProfile:
    """Return a name as a column without rows, to ask what it is called."""
    return ColumnProfile(name=name, levels=(), rows=0, filled=0)


def square_tables(profile: TableProfile) -> Proposals:
    """Look for a cross table: the labels of the header again in the first column, or as many rows as columns."""
    if not 2 <= profile.rows <= SQUARE or abs(len(profile.table.columns) - profile.rows) > 2:
        return
    try:
        square = crosstab(profile.table)
    except InputError:
        return
    cells, k, named = (
        square.to_numpy(),
        len(square),
        list(square.columns) != list(profile.table.columns),
    )
    filled = np.nan_to_num(cells)
    if not filled.any() or (filled < 0).any() or (filled % 1 != 0).any():
        return
    first, *others = profile.table.columns
    heads = {bare(name) for name in others}
    lost = named and not heads & {
        bare(label) for label in square.index
    }  # V1, V2, ... in place of labels
    over = "the column over the row" if bare(first) in LOSERS else "the row over the column"
    won = as_counts("comparisons", 9, f"wins of {over}")
    symmetric = bool((filled == filled.T).all())
    if not np.trace(filled):
        if not symmetric or (filled + np.eye(k) == 1).all():
            yield won
        return
    agreed = kappa(cells)
    right = k == 2 and all(label_column(str(label)).called(RIGHT_WRONG) for label in square.index)
    of_two = k == 2 and not label_column(first).called(RATERS)
    judged = not right and agreed >= (AGREE_OF_TWO if of_two else AGREE)
    counted = filled.max() > FEW_LEVELS and not filled.all() if lost else named
    if np.isnan(cells).any() or (symmetric and k > 2) or not (judged or counted):
        return
    two = {"levels": list(square.index)} if k == 2 else {"scale": "nominal"}
    yield as_counts("ratings", 8 + judged, "counts of two raters", scale="nominal")
    yield as_counts("paired", 9 - judged, "counts of matched pairs", **two)
    if named and k > 2:
        yield replace(won, score=7, means=f"wins of {over}; the diagonal is left out")


def as_counts(design: str, score: float, means: str, **options: Any) -> Proposal:
    """Propose a whole table as counts of one design."""
    return Proposal(design, score, means, options={"design": design, "crosstab": True, **options})


def counted_tables(profile: TableProfile) -> Proposals:
    """Look for two columns of the same few labels beside a column of frequencies, or several columns of raters."""
    times = profile.frequencies[0] if profile.frequencies else ""
    if not times or not profile.distinct(*(c for c in profile.every if c.name != times)):
        return
    labels = [c for c in profile.varying() if c.names_things and c.size <= SQUARE and not c.unique]
    alike = [(a, b) for a, b in combinations(labels, 2) if label_overlap(a, b) >= 0.6]
    squares = {pair: counted_square(profile, *pair, times) for pair in alike}
    ranked = sorted(squares, key=lambda pair: -kappa(squares[pair]))
    agreed = [kappa(squares[pair]) for pair in ranked]
    apart = (
        len(agreed) > 1 and agreed[0] > agreed[1] + 0.1 and agreed[1] < 0.1
    )  # the others are strata
    for (a, b), square in squares.items():
        if (
            (a, b) != ranked[0]
            if apart
            else len(labels) > 2 and a.size == 2 and not paired_names(a, b)
        ):
            continue
        if a.called(WINNERS) or b.called(BEATEN) or not np.trace(square):
            yield from counted_wins(profile, a, b, times)
            continue
        judged = (
            a.called(RATERS)
            or b.called(RATERS)
            or (kappa(square) >= AGREE and not paired_names(a, b))
        )
        by_raters, by_sides = {"raters": [a, b]}, {"first": [a], "second": [b]}
        yield Proposal(
            "ratings", 7 + judged, "counts of units by two raters", by_raters, {"count": times}
        )
        yield Proposal("paired", 8 - judged, "counts of matched pairs", by_sides, {"count": times})
    same = all(label_overlap(a, b) == 1 for a, b in combinations(labels, 2))
    if len(labels) > 2 and labels[0].size <= FEW and same and not apart:
        means = f"patterns of {count(len(labels), 'rater')} and how often each occurred"
        yield Proposal("ratings", 8.5, means, {"raters": labels}, {"count": times})


def counted_wins(
    profile: TableProfile, a: ColumnProfile, b: ColumnProfile, times: str
) -> Proposals:
    """Propose two columns of items that never meet themselves as winners and losers, with their frequencies."""
    named = a.called(WINNERS) or b.called(BEATEN)
    for won, lost, asked in ((a, b, ", if rows name the winner first"), (b, a, ", or the reverse"))[
        : 2 - named
    ]:
        score = 8 if named else 5 - 0.1 * (won is b)
        means = f"{won} won against {lost}{'' if named else asked}"
        yield Proposal(
            "comparisons",
            score,
            means,
            {"item_a": [a], "item_b": [b], "winner": [won]},
            {"count": times},
        )


def counted_square(profile: TableProfile, a: ColumnProfile, b: ColumnProfile, times: str) -> Counts:
    """Return the frequencies of two columns' labels as a square table."""
    cells = profile.table.counts([a.name, b.name, times])
    rows, columns, frequency = (cells.columns[name].labels() for name in (a.name, b.name, times))
    place = {label: k for k, label in enumerate(sorted({*a.levels, *b.levels}))}
    square = np.zeros((len(place), len(place)))
    places = tuple(labels.mapped(place.__getitem__, -1) for labels in (rows, columns))
    np.add.at(square, places, cells.n * np.nan_to_num(frequency.numbers()))
    return square


def counted_answers(profile: TableProfile) -> Proposals:
    """Yield a comparison of two sources in a table of counts of their answers: source, answer, number."""
    texts = [c for c in profile.every if c.text and c.size > 1 and not c.prose]
    counts = [c for c in profile.every if c.whole and bare(c.name) in FREQUENCIES]
    if (
        len(texts) != 2
        or len(counts) != 1
        or len(profile.columns) > 4
        or not profile.distinct(*texts)
    ):
        return
    for group, value in (texts, texts[::-1]):
        source = group in model_columns(profile) or bool(people_among(group)) or tells_groups(group)
        if source and value.called(VALUES, "option", "type"):
            picked = {} if len(group.levels) == 2 else {"groups": [*group.levels[:2]]}
            parts = {"group": [group], "value": [value], "count": counts}
            choice = value.levels[0]
            means = (
                f"the share of '{shorten(choice, 30)}' among the counted answers of two of {group}"
            )
            yield Proposal(
                "groups", COUNTED, means, parts, {**picked, "choice": choice}, "two_proportions"
            )

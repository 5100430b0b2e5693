"""How often each item is chosen by one model and by another on the same stories: McNemar's test, clustered by pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.arrays import AnyArray, IntArray
from socialstats.designs.cells import group
from socialstats.designs.comparisons import A_WON, TIED, Comparisons
from socialstats.errors import UndefinedStatistic
from socialstats.figures import forest
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.inference.rows import with_mean
from socialstats.models.matched_pairs import Cells, mid_p
from socialstats.results import Check, Result, Row
from socialstats.studies.estimates import numbers_text, p_text, with_holm
from socialstats.studies.outcome import Block, Table
from socialstats.text import count, number, quoted, shorten

REPEATED = (
    "several rows share their items and covariates, so that the stories of the two cannot be matched (declare the "
    "column that names the story as a cluster)"
)
NOTHING = "no story was answered differently"
MOST_ITEMS, SIDE_BY_SIDE, CHECKED = 15, 12, 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stories:
    """Stories that both designs answered, without ties.

    Attributes
    ----------
    items : tuple of str
    low, high : (stories,) int64 arrays
        The two items of a story, as indexes into `items`.
    pair : (stories,) int64 array
    chose : (2, stories) bool array
        Whether the first, the second design chose `low`.
    ties : int
        Stories left out because one of the two answers is a tie.
    """

    items: tuple[str, ...]
    low: IntArray
    high: IntArray
    pair: IntArray
    chose: np.ndarray[Any, np.dtype[np.bool_]]
    ties: int


class ItemChanges(Result):
    """Differences in how often items are chosen; ``extras["stories"]`` holds the matched stories."""

    __slots__ = ()

    def crosscheck(self) -> Sequence[Check]:
        """Count the differences again with pandas; the clearest ones' errors by statsmodels' residuals and CR2."""
        from socialstats.crosscheck.item_changes import checks_of

        checks: Sequence[Check] = checks_of(self.rows, self.extras["stories"], CHECKED)
        return checks


def item_changes(one: Comparisons, two: Comparisons, labels: tuple[str, str], *, level: float = 0.95) -> Result:
    """Return first minus second of the share of its stories in which each item is chosen.

    The stories are matched by their items and covariates (and clusters, and order, where these are needed to tell
    stories apart). With y = 1 where the first chose the item and the second did not, -1 for the reverse, and else 0,
    the difference is the mean of y, (b - c) / n; its error is that of a mean clustered by pair of items (CR2).

    Raises
    ------
    UndefinedStatistic
        If the stories cannot be matched, or none is common.
    """
    stories = matched(one, two)
    rows = [change(stories, k, name, level) for k, name in enumerate(stories.items)]
    n = int(stories.chose.shape[1])
    return ItemChanges(
        metric="mcnemar", title=f"How often items are chosen: {labels[0]} minus {labels[1]}", rows=tuple(rows),
        inference="t tests of the mean difference, clustered by pair of items (CR2)",
        counts={"stories": n, "ties": stories.ties}, settings={"labels": labels, "level": level},
        references=("mcnemar1947", "bellmccaffrey2002"), design=(one, two),
        words=f"{count(n, 'story', 'stories')} answered by {quoted(labels[:1])} and by {quoted(labels[1:])}.",
        extras={"stories": stories},
    )  # fmt: skip


def change(stories: Stories, k: int, name: str, level: float) -> Row:
    """Return the row of one item: (b - c) / n with its clustered interval and test; `method` has b, c and mid-p."""
    own = np.flatnonzero((stories.low == k) | (stories.high == k))
    chose = stories.chose[:, own] == (stories.low[own] == k)
    y = chose[0].astype(np.float64) - chose[1]
    n = len(own)
    row = Row(term=name, group="item", n=float(n), n_clusters=len(np.unique(stories.pair[own])))
    if not n:
        return replace(row, undefined="in no story that both answered")
    b, c = float((y > 0).sum()), float((y < 0).sum())
    row = replace(row, estimate=(b - c) / n)
    if not b + c:
        return replace(row, undefined=NOTHING)
    agree = chose[0] & chose[1]
    alone = mid_p(Cells(a=float(agree.sum()), b=b, c=c, d=n - float(agree.sum()) - b - c))
    row = replace(row, method=f"b = {b:.0f}, c = {c:.0f}; mid-p of independent stories {number(alone.p, 4)}")
    found = clustered_mean(y, np.ones(n), [stories.pair[own]], magnitude=1.0)
    return with_mean(row, found, level, within=(-1.0, 1.0))


def matched(one: Comparisons, two: Comparisons) -> Stories:
    """Match the stories of two designs by what describes them.

    Raises
    ------
    UndefinedStatistic
        If rows of one design cannot be told apart, or no story is common.
    """
    items = tuple(sorted({*one.items, *two.items}))
    for more in ((), ("clusters",), ("clusters", "order")):
        columns = [described(design, items, more, two if design is one else one) for design in (one, two)]
        stacked = [np.concatenate(pair) for pair in zip(*columns, strict=True)]
        story = group(stacked)[1]
        first, second = story[: len(one.count)], story[len(one.count) :]
        if _single(one, first) and _single(two, second):
            break
    else:
        raise UndefinedStatistic(REPEATED)
    common, at, other = np.intersect1d(first, second, return_indices=True)
    if not len(common):
        raise UndefinedStatistic("no story was answered by both")
    decided = (one.outcome[at] != TIED) & (two.outcome[other] != TIED)
    at, other = at[decided], other[decided]
    chose = np.array([_chose_low(one, items)[at], _chose_low(two, items)[other]])
    low, high = (column[: len(one.count)][at] for column in stacked[:2])
    return Stories(items=items, low=low, high=high, pair=group([low, high])[1], chose=chose, ties=int((~decided).sum()))


def described(design: Comparisons, items: Sequence[str], more: Sequence[str], other: Comparisons) -> list[AnyArray]:
    """Return what tells stories apart: the two items, the covariates of each, and more where asked; side-free."""
    a, b = sides(design, items)
    flipped = a > b
    columns: list[AnyArray] = [np.where(flipped, b, a), np.where(flipped, a, b)]
    for name in sorted(set(design.covariates) & set(other.covariates)):
        c = design.covariates[name]
        columns += [np.where(flipped, c.b, c.a), np.where(flipped, c.a, c.b)]
    if "clusters" in more:
        shared = {factor.name for factor in other.clusters}
        for factor in (f for f in design.clusters if f.name in shared):
            columns.append(np.array(factor.levels, dtype=object)[factor.codes])
    if "order" in more:
        columns.append(np.where(flipped, -design.first, design.first) + 1)
    return columns


def sides(design: Comparisons, items: Sequence[str]) -> tuple[IntArray, IntArray]:
    """Return the items of both sides as indexes into `items`."""
    place = np.array([items.index(name) for name in design.items], dtype=np.int64)
    return place[design.item_a], place[design.item_b]


def _chose_low(design: Comparisons, items: Sequence[str]) -> AnyArray:
    a, b = sides(design, items)
    return np.asarray((design.outcome == A_WON) == (a < b))


def _single(design: Comparisons, story: IntArray) -> bool:
    return bool((design.count == 1).all()) and len(np.unique(story)) == len(story)


def items_block(found: Mapping[str, Result], by: str, reference: str, level: float) -> Block | None:
    """Return how often each item is chosen against the reference, adjusted over all items and levels."""
    if not found:
        return None
    several = len(found) > 1
    rows = [
        replace(row, term=f"{shorten(name, 30)}: {row.term}" if several else row.term, group=None)
        for name, result in found.items() for row in result.rows
    ]  # fmt: skip
    tested, _ = with_holm(rows, "items chosen")
    clear = sorted((r for r in tested if r.p_value is not None), key=lambda r: -abs(r.statistic or 0.0))[:MOST_ITEMS]
    settled = [r for r in tested if (r.p_adjusted if r.p_adjusted is not None else r.p_value or 1.0) < 1 - level]
    few = count(len(settled)) if settled else "None"
    said = (
        f"{few} of {count(len(tested), 'difference')} from '{shorten(reference, 40)}' in how often an item is chosen "
    )
    said += f"{'is' if len(settled) < 2 else 'are'} settled (McNemar's test clustered by pair, Holm over all)"
    said += f", most clearly {clear[0].term}: {numbers_text(clear[0], digits=3)}." if settled else "."
    first = next(iter(found.values()))
    return Block(
        id="differences-items",
        question="Which items are chosen more often on the same stories?",
        sentences=(said,),
        draw=partial(forest, tuple(clear), xlabel=f"share chosen minus that of {shorten(reference, 30)}", sort=False,
                     digits=3) if clear else None,
        figure_title="Differences in how often an item is chosen, with the largest test statistics",
        caption=f"Story by story: {first.inference}. {count(first.counts['stories'], 'story', 'stories')} of both"
        + (f", {count(first.counts['ties'], 'tie')} left out" if first.counts["ties"] else "") + ".",
        tables=(changes_table(found, tested, by),),
        results=tuple(found.values()),
    )  # fmt: skip


def changes_table(found: Mapping[str, Result], tested: Sequence[Row], by: str) -> Table:
    """Return all numbers of one level; for several, a column each with difference and adjusted p."""
    if len(found) == 1 or len(found) > SIDE_BY_SIDE:
        full = tuple(
            (r.term, r.estimate, r.conf_low, r.conf_high, p_text(r.p_value), p_text(r.p_adjusted), int(r.n or 0),
             (r.method or "").split("; Holm")[0], r.undefined)
            for r in tested
        )  # fmt: skip
        header = ("Item", "Difference", "Low", "High", "p", "p (Holm)", "Stories", "Discordant", "Why not")
        return Table(caption=f"Share of stories in which an item is chosen, {by}", header=header, cells=full)
    parts = iter(tested)
    columns = {name: {row.term: next(parts) for row in result.rows} for name, result in found.items()}
    names = sorted({term for column in columns.values() for term in column})
    caption = "Share of stories in which an item is chosen, minus the reference's; in brackets p (Holm over "
    return Table(
        caption=f"{caption}{count(len(tested), 'test')})", header=("Item", *found),
        cells=tuple((term, *(in_cell(column.get(term)) for column in columns.values())) for term in names),
    )  # fmt: skip


def in_cell(row: Row | None, digits: int = 3) -> str:
    """Write a difference and its adjusted p, or why there is none.

    Examples
    --------
    >>> in_cell(Row(term="nun", estimate=-0.031, p_value=0.01, p_adjusted=0.21))
    '\u22120.031 (.210)'
    """
    if row is None or row.estimate is None:
        return "none"
    p = row.p_adjusted if row.p_adjusted is not None else row.p_value
    return f"{number(row.estimate, digits)}" + (f" ({p_text(p)})" if p is not None else "")


__all__ = ["ItemChanges", "Stories", "item_changes", "items_block", "matched"]

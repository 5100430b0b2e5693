"""How much more often each item is chosen by one of two, on the same comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.arrays import AnyArray, IntArray
from socialstats.designs.calls import TableLike
from socialstats.designs.cells import group
from socialstats.designs.comparisons import A_WON, TIED, Comparisons
from socialstats.errors import UndefinedStatistic
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.inference.rows import with_mean
from socialstats.matching import Match, match_keys
from socialstats.models.matched_pairs import Cells, mid_p
from socialstats.registry import reads
from socialstats.results import Result, Row
from socialstats.text import count, listing, number, quoted

REPEATED = (
    "several rows share their items and covariates, so stories of the two cannot be matched (declare the column of "
    "stories as a cluster)"
)
NOTHING = "no story was answered differently"
CHECKED = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stories:
    """Stories that both designs answered, without ties.

    Attributes
    ----------
    items : tuple of str
    low, high : (stories,) int64 arrays
        The two items of a story, as indexes into `items`.
    clusters : mapping of str to (stories,) int64 array
        One or two: declared ones that hold several stories and are the same in both designs, and the pair of items.
    chose : (2, stories) bool array
        Whether the first, the second design chose `low`.
    ties : int
        Stories left out because one of the two answers is a tie.
    match : Match
        Stories of both designs, ties included, and those of one design only.
    """

    items: tuple[str, ...]
    low: IntArray
    high: IntArray
    clusters: Mapping[str, IntArray]
    chose: np.ndarray[Any, np.dtype[np.bool_]]
    ties: int
    match: Match


@reads(Comparisons, tables=2, scans=True)
def win_rate_difference(
    first: Comparisons | TableLike,
    second: Comparisons | TableLike,
    *,
    labels: tuple[str, str] = ("first", "second"),
    level: float = 0.95,
    **columns: Any,
) -> Result:
    """Estimate how much more often each item is chosen by the first than by the second, on the same comparisons.

    Comparisons (stories) are matched by their items and covariates (and clusters, and order, where these are needed to
    tell them apart). With y = 1 where the first chose the item and the second did not, -1 for the reverse, and else 0,
    the difference is the mean of y, (b - c) / n. Its error is that of a mean clustered by pair of items (CR2). A
    declared factor that holds several stories, the same in both designs, is a second one. Two such factors stand alone.

    Parameters
    ----------
    first, second : Comparisons, data frame, mapping of columns, or path of a file
        Without ``by`` (take ``design.split()[level]``).
    labels : pair of str
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_comparisons`.

    Returns
    -------
    Result
        One row an item; `method` has b, c and the mid-p of McNemar's test of independent stories.

    Raises
    ------
    UndefinedStatistic
        If the stories cannot be matched, or none is common.

    References
    ----------
    McNemar, Q. (1947). Note on the sampling error of the difference between correlated proportions or percentages.
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.

    Examples
    --------
    >>> pairs = {"item_a": ["a", "a", "b"], "item_b": ["b", "c", "c"]}
    >>> one, two = pairs | {"winner": ["a", "a", "b"]}, pairs | {"winner": ["b", "a", "c"]}
    >>> win_rate_difference(one, two).row("a").estimate
    0.5
    """
    if first.replies is not None or second.replies is not None:
        raise UndefinedStatistic(
            "stories that changed are counted among drawn winners, and here winners are probabilities"
        )
    stories = matched(first, second)
    rows = [change(stories, k, name, level) for k, name in enumerate(stories.items)]
    n = int(stories.chose.shape[1])
    return Result(
        metric="mcnemar",
        title=f"How often items are chosen: {labels[0]} minus {labels[1]}",
        rows=tuple(rows),
        inference=f"t tests of the mean difference, clustered by {listing(list(stories.clusters))} (CR2)",
        counts={"stories": n, "ties": stories.ties},
        settings={"labels": labels, "level": level},
        references=("mcnemar1947", "bellmccaffrey2002"),
        design=(first, second),
        words=f"{count(n, 'story', 'stories')} answered by {quoted(labels[:1])} and by {quoted(labels[1:])}.",
        cautions=stories.match.cautions(
            "story", [quoted([label]) for label in labels], "every row"
        ),
        extras={"stories": stories, "clearest": CHECKED},
        check="socialstats.crosscheck.win_rates:difference_checks",
    )


def change(stories: Stories, k: int, name: str, level: float) -> Row:
    """Return the row of one item: (b - c) / n with its clustered interval and test; `method` has b, c and mid-p."""
    own = np.flatnonzero((stories.low == k) | (stories.high == k))
    chose = stories.chose[:, own] == (stories.low[own] == k)
    y = chose[0].astype(np.float64) - chose[1]
    n = len(own)
    row = Row(
        term=name,
        group="item",
        role="difference",
        key=(("item", name),),
        n=float(n),
        n_clusters=min(len(np.unique(codes[own])) for codes in stories.clusters.values()),
    )
    if not n:
        return replace(row, undefined="in no story that both answered", reason="no_data")
    b, c = float((y > 0).sum()), float((y < 0).sum())
    row = replace(row, estimate=(b - c) / n)
    if not b + c:
        return replace(row, undefined=NOTHING, reason="no_variation")
    agree = chose[0] & chose[1]
    alone = mid_p(Cells(a=float(agree.sum()), b=b, c=c, d=n - float(agree.sum()) - b - c))
    row = replace(
        row,
        method=f"b = {b:.0f}, c = {c:.0f}; mid-p of independent stories {number(alone.p, 3, bounded=True)}",
    )
    codes = [np.unique(each[own], return_inverse=True)[1] for each in stories.clusters.values()]
    found = clustered_mean(y, np.ones(n), codes, magnitude=1.0)
    return with_mean(row, found, level, within=(-1.0, 1.0))


def matched(one: Comparisons, two: Comparisons) -> Stories:
    """Match the stories of two designs by what describes them.

    Raises
    ------
    UndefinedStatistic
        If rows of one design cannot be told apart, or no story is common.
    """
    items = tuple(sorted({*one.items, *two.items}))
    one, two = one.whole(), two.whole()  # a cell is a story, with its clusters
    for more in ((), ("clusters",), ("clusters", "order")):
        columns = [
            described(design, items, more, two if design is one else one) for design in (one, two)
        ]
        stacked = [np.concatenate(pair) for pair in zip(*columns, strict=True)]
        story = group(stacked)[1]
        first, second = story[: len(one.count)], story[len(one.count) :]
        if all(
            np.all(d.count == 1) and len(np.unique(s)) == len(s)
            for d, s in ((one, first), (two, second))
        ):
            break
    else:
        raise UndefinedStatistic(REPEATED)
    match = match_keys(first, second)
    order = np.argsort(match.keys)  # so that sums do not depend on the order of the rows
    at, other = (place[order] for place in match.places)
    if not len(at):
        raise UndefinedStatistic("no story was answered by both")
    decided = (one.outcome[at] != TIED) & (two.outcome[other] != TIED)
    at, other = at[decided], other[decided]
    chose = np.array(
        [
            (d.outcome[k] == A_WON) == np.less(*sides(d, items))[k]
            for d, k in ((one, at), (two, other))
        ]
    )
    low, high = (column[: len(one.count)][at] for column in stacked[:2])
    clusters = shared_clusters(one, two, at, other)
    clusters |= {"pair of items": group([low, high])[1]} if len(clusters) < 2 else {}
    return Stories(
        items=items,
        low=low,
        high=high,
        clusters=clusters,
        chose=chose,
        ties=int((~decided).sum()),
        match=match,
    )


def shared_clusters(
    one: Comparisons, two: Comparisons, at: IntArray, other: IntArray
) -> dict[str, IntArray]:
    """Return the first two declared factors that hold several stories and are the same in both designs."""
    found = {}
    known = {factor.name: factor for factor in two.clusters}
    for factor in one.clusters:
        same = known.get(factor.name)
        if same is not None and np.array_equal(factor.labels()[at], same.labels()[other]):
            codes = np.unique(factor.codes[at], return_inverse=True)[1]
            if codes.max(initial=0) + 1 < len(codes):
                found[factor.name] = codes
    return dict(list(found.items())[:2])


def described(
    design: Comparisons, items: Sequence[str], more: Sequence[str], other: Comparisons
) -> list[AnyArray]:
    """Return what tells stories apart: the two items, the covariates of each, and more where asked; side-free."""
    a, b = sides(design, items)
    flipped = a > b

    def both(one: AnyArray, two: AnyArray) -> list[AnyArray]:
        return [np.where(flipped, two, one), np.where(flipped, one, two)]

    columns = both(a, b)
    for name in sorted(set(design.covariates) & set(other.covariates)):
        columns += both(design.covariates[name].a, design.covariates[name].b)
    if "clusters" in more:
        shared = {factor.name for factor in other.clusters}
        columns += [
            np.array(f.levels, dtype=object)[f.codes] for f in design.clusters if f.name in shared
        ]
    if "order" in more:
        columns.append(np.where(flipped, -design.first, design.first) + 1)
    return columns


def sides(design: Comparisons, items: Sequence[str]) -> tuple[IntArray, IntArray]:
    """Return the items of both sides as indexes into `items`."""
    place = np.array([items.index(name) for name in design.items], dtype=np.int64)
    return place[design.item_a], place[design.item_b]

"""How much more often each item is chosen by one of two, on the same comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import AnyArray, IntArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.cells import group
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import A_WON, TIED, Factor
from socialstats.errors import UndefinedStatistic
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.inference.rows import with_mean
from socialstats.matching import Match, match_keys
from socialstats.paired.matched_pairs import Cells, mid_p
from socialstats.registry import reads
from socialstats.results import Result, Row
from socialstats.results.definitions import PlainSample, sample_of_mean
from socialstats.text import count, listing, number, quoted

if TYPE_CHECKING:
    import pandas as pd

REPEATED = (
    "several rows share their items and covariates, so stories of the two cannot be matched (declare the column of "
    "stories as a cluster)"
)
NOTHING = "no story was answered differently"
PAIR_OF_ITEMS = "pair of items"


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
    stories = match_stories(first, second)
    rows = [item_row(stories, k, name, level) for k, name in enumerate(stories.items)]
    n = int(stories.chose.shape[1])
    cautions = stories.match.cautions("story", [quoted([label]) for label in labels], "every row")
    clusters = listing(list(stories.clusters))
    title = f"How often items are chosen: {labels[0]} minus {labels[1]}"
    words = f"{count(n, 'story', 'stories')} answered by {quoted(labels[:1])}"
    words += f" and by {quoted(labels[1:])}."
    counts = {"stories": n, "ties": stories.ties}
    return Result(
        metric="mcnemar",
        title=title,
        rows=tuple(rows),
        inference=f"t tests of the mean difference, clustered by {clusters} (CR2)",
        counts=counts,
        settings={"labels": labels, "level": level},
        references=("mcnemar1947", "bellmccaffrey2002"),
        design=(first, second),
        words=words,
        cautions=cautions,
        extras={"stories": stories},
        check=OF_STORIES,
    )


def item_row(stories: Stories, k: int, name: str, level: float) -> Row:
    """Return the row of one item: (b - c) / n with its clustered interval and test; `method` has b, c and mid-p."""
    stories_of_item = np.flatnonzero((stories.low == k) | (stories.high == k))
    chose = stories.chose[:, stories_of_item] == (stories.low[stories_of_item] == k)
    y = chose[0].astype(np.float64) - chose[1]  # 1, 0 or -1; its mean is (b - c) / n (McNemar 1947)
    n = len(stories_of_item)
    row = Row(
        term=name,
        group="item",
        role="difference",
        key=(("item", name),),
        n=float(n),
        n_clusters=min(
            len(np.unique(codes[stories_of_item])) for codes in stories.clusters.values()
        ),
    )
    if not n:
        return replace(row, undefined="in no story that both answered", reason="no_data")
    b, c = float((y > 0).sum()), float((y < 0).sum())
    row = replace(row, estimate=(b - c) / n)
    if not b + c:
        return replace(row, undefined=NOTHING, reason="no_variation")
    agree = chose[0] & chose[1]
    a = float(agree.sum())
    mcnemar = mid_p(Cells(a=a, b=b, c=c, d=n - a - b - c))
    row = replace(
        row,
        method=f"b = {b:.0f}, c = {c:.0f}; mid-p of independent stories {number(mcnemar.p, 3, bounded=True)}",
    )
    codes = [
        np.unique(cluster[stories_of_item], return_inverse=True)[1]
        for cluster in stories.clusters.values()
    ]
    mean = clustered_mean(y, np.ones(n), codes, magnitude=1.0)
    return with_mean(row, mean, level, within=(-1.0, 1.0))


def match_stories(first_design: Comparisons, second_design: Comparisons) -> Stories:
    """Match the stories of two designs by what describes them.

    Raises
    ------
    UndefinedStatistic
        If rows of one design cannot be told apart, or no story is common.
    """
    items = tuple(sorted({*first_design.items, *second_design.items}))
    # a cell is a story, with its clusters
    designs = first_design, second_design = first_design.whole(), second_design.whole()
    # covariates tell most stories apart; where they do not, clusters and then the order help
    for parts in ((), ("clusters",), ("clusters", "order")):
        columns = [
            story_columns(design, items, parts, partner)
            for design, partner in zip(designs, designs[::-1], strict=True)
        ]
        # rows of both designs as one table, so that equal rows get one code
        stacked = [np.concatenate(pair) for pair in zip(*columns, strict=True)]
        story = group(stacked)[1]
        first, second = story[: len(first_design.count)], story[len(first_design.count) :]
        single = all(np.all(design.count == 1) for design in designs)
        if single and all(len(np.unique(codes)) == len(codes) for codes in (first, second)):
            break
    else:
        raise UndefinedStatistic(REPEATED)
    match = match_keys(first, second)
    order = np.argsort(match.keys)  # so that sums do not depend on the order of the rows
    first_rows, second_rows = (place[order] for place in match.places)
    if not len(first_rows):
        raise UndefinedStatistic("no story was answered by both")
    outcomes = first_design.outcome[first_rows], second_design.outcome[second_rows]
    decided = (outcomes[0] != TIED) & (outcomes[1] != TIED)
    first_rows, second_rows = first_rows[decided], second_rows[decided]
    # (2, stories): side A won and holds the item of the lower index, or neither
    chose = np.array(
        [
            (design.outcome[rows] == A_WON) == np.less(*item_indexes(design, items))[rows]
            for design, rows in zip(designs, (first_rows, second_rows), strict=True)
        ]
    )
    low, high = (column[: len(first_design.count)][first_rows] for column in stacked[:2])
    clusters = shared_clusters(first_design, second_design, first_rows, second_rows)
    clusters |= {PAIR_OF_ITEMS: group([low, high])[1]} if len(clusters) < 2 else {}
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
    first: Comparisons, second: Comparisons, first_rows: IntArray, second_rows: IntArray
) -> dict[str, IntArray]:
    """Return the first two declared factors that hold several stories and are the same in both designs."""
    shared = {}
    by_name = {factor.name: factor for factor in second.clusters}
    for factor in first.clusters:
        same = by_name.get(factor.name)
        if same is None:
            continue
        if np.array_equal(factor.labels()[first_rows], same.labels()[second_rows]):
            codes = np.unique(factor.codes[first_rows], return_inverse=True)[1]
            # clusters of one story each are no dependence
            if codes.max(initial=0) + 1 < len(codes):
                shared[factor.name] = codes
    return dict(list(shared.items())[:2])


def story_columns(
    design: Comparisons, items: Sequence[str], parts: Sequence[str], partner: Comparisons
) -> list[AnyArray]:
    """Return what tells stories apart: the two items, the covariates of each, and more where asked; side-free."""
    a, b = item_indexes(design, items)
    flipped = a > b

    def side_free(of_first: AnyArray, of_second: AnyArray) -> list[AnyArray]:
        return [np.where(flipped, of_second, of_first), np.where(flipped, of_first, of_second)]

    columns = side_free(a, b)
    for name in sorted(set(design.covariates) & set(partner.covariates)):
        columns += side_free(design.covariates[name].a, design.covariates[name].b)
    if "clusters" in parts:
        shared = {factor.name for factor in partner.clusters}
        columns += [
            np.array(f.levels, dtype=object)[f.codes] for f in design.clusters if f.name in shared
        ]
    if "order" in parts:
        columns.append(np.where(flipped, -design.first, design.first) + 1)
    return columns


def item_indexes(design: Comparisons, items: Sequence[str]) -> tuple[IntArray, IntArray]:
    """Return the items of both sides as indexes into `items`."""
    place = np.array([items.index(name) for name in design.items], dtype=np.int64)
    return place[design.item_a], place[design.item_b]


def samples_of_items(result: Result) -> Iterator[PlainSample]:
    """Yield the stories of each item that both answered: 1 where the first alone chose it, -1 the second alone."""
    import pandas as pd

    stories = matched_stories(*result.design)
    gap = stories["score"] - stories["score of the other"]
    names = list(result.extras["stories"].clusters)
    columns = [
        stories["pair"] if name == PAIR_OF_ITEMS else stories[f"cluster {name}"] for name in names
    ]
    for row in result.rows:
        of_item = [(stories[side] == row.term).to_numpy() for side in ("item 0", "item 1")]
        at = of_item[0] | of_item[1]
        values = np.where(of_item[0], gap, -gap)[at]
        factors = []
        for name, column in zip(names, columns, strict=True):
            codes, levels = pd.factorize(column[at])
            factors.append(Factor(name=name, codes=codes, levels=tuple(map(str, levels))))
        yield sample_of_mean((row.group, row.term), values, np.ones(len(values)), factors)


def matched_stories(first: Comparisons, second: Comparisons) -> pd.DataFrame:
    """Return the stories that both designs hold, by the first key under which none is there twice; without ties."""
    designs = first.whole(), second.whole()
    covariates = set(designs[0].covariates) & set(designs[1].covariates)
    shared = {factor.name for factor in designs[0].clusters}
    shared &= {factor.name for factor in designs[1].clusters}
    tables = [story_table(design, covariates, shared) for design in designs]
    described = [name for name in map(str, tables[0]) if name.startswith(("item", "covariate"))]
    clusters = [f"cluster {name}" for name in sorted(shared)]
    keys = (described, [*described, *clusters], [*described, *clusters, "shown first"])
    key = next(key for key in keys if not any(table.duplicated(key).any() for table in tables))
    both = tables[0].merge(tables[1], on=key, suffixes=("", " of the other"), validate="1:1")
    both["pair"] = both["item 0"] + " | " + both["item 1"]
    return both.dropna(subset=["score", "score of the other"])


def story_table(design: Comparisons, covariates: set[str], clusters: set[str]) -> pd.DataFrame:
    """Return a row for each comparison: items by their labels, what describes them, and the score of the first.

    A tie has no score.
    """
    import pandas as pd

    names = np.array(design.items, dtype=object)
    a, b = names[design.item_a], names[design.item_b]
    turned = a > b
    sides = {"item": (a, b)}
    for name in covariates:
        sides[f"covariate {name}"] = design.covariates[name].a, design.covariates[name].b
    columns: dict[str, AnyArray] = {}
    for name, (of_a, of_b) in sides.items():
        columns[f"{name} 0"] = np.where(turned, of_b, of_a)
        columns[f"{name} 1"] = np.where(turned, of_a, of_b)
    columns |= {f"cluster {f.name}": f.labels() for f in design.clusters if f.name in clusters}
    columns["shown first"] = np.where(turned, -design.first, design.first)
    score = np.array([1.0, 0.0, np.nan])[design.outcome]
    return pd.DataFrame({**columns, "score": np.where(turned, 1 - score, score)})


OF_STORIES = Definition(samples=samples_of_items)

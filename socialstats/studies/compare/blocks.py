"""Items and levels compared: blocks and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.arrays import AnyArray, IntArray
from socialstats.designs.comparisons import A_WON, TIED, Comparisons, group
from socialstats.errors import SocialStatsError, UndefinedStatistic
from socialstats.figures import forest
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.inference.rows import with_mean
from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.metrics.preference_shares import preference_shares
from socialstats.models.matched_pairs import Cells, mid_p
from socialstats.results import Check, Result, Row
from socialstats.studies.comparisons import Pairs, changes_sentence, fits_table, sizes_text
from socialstats.studies.estimates import numbers_text, p_text, rows_table, span_text, with_holm
from socialstats.studies.page import Block, Mark, Strip, StudyOptions, Table
from socialstats.text import count, number, p_value, quoted, shorten

__all__ = ["ItemChanges", "Stories", "item_changes", "items_block", "matched"]


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


Fits = Mapping[str, BradleyTerryResult]


def effects_table(
    fits: Fits, terms: Sequence[str], ratios: Mapping[str, Result | None], rates: Mapping[str, Result | None], by: str
) -> Table:
    """Return the effects of every level, the leading one in sds of the strengths, and how often the higher side won."""
    cells: list[tuple[str | float | None, ...]] = []
    for name, fit in fits.items():
        rows = [row for row in fit.rows if row.term in terms and row.group in ("covariate", "order")]
        ratio, rate = ratios[name], rates[name]
        rows += [] if ratio is None else list(ratio.rows[:1])
        if rate is not None:
            covariate = rate.settings["covariate"]
            rows.append(replace(rate.row("all", group="higher"), term=f"the side with more {covariate} wins"))
        cells += [(name, row.term, row.estimate, row.std_error, row.conf_low, row.conf_high) for row in rows]
    return Table(
        caption=f"Effects in log-odds by {by}, in sds of the strengths, and win rates", cells=tuple(cells),
        header=(by, "Effect", "Estimate", "SE", "Low", "High"),
    )  # fmt: skip


def strength_tables(fits: Fits, items: Sequence[str], noun: str = "Item") -> list[Table]:
    """Return log-strengths and worths of the items with a column a level, each number with its interval."""
    worths = {name: {row.term: row for row in fit.worth().rows} for name, fit in fits.items()}
    strengths = {name: {row.term: row for row in fit.rows if row.group == "strength"} for name, fit in fits.items()}
    return [
        _by_item(strengths, items, "Log-strengths (0 = average item), with intervals", noun, 2),
        _by_item(worths, items, "RPI: worths that sum to 1 (tested as log-strengths), with intervals", noun, 4),
    ]


def _by_item(
    found: Mapping[str, Mapping[str, Row]], items: Sequence[str], caption: str, noun: str, digits: int
) -> Table:
    cells = tuple((item, *(_inside(rows.get(item), digits) for rows in found.values())) for item in items)
    return Table(caption=caption, header=(noun, *found), cells=cells)


def _inside(row: Row | None, digits: int, *, bounded: bool = False) -> str | None:
    """Return ``2.21 [1.88, 2.55]``, without brackets where there is no interval."""
    if row is None or row.estimate is None:
        return None
    low, high = (number(end, digits, bounded=bounded) for end in (row.conf_low, row.conf_high))
    text = number(row.estimate, digits, bounded=bounded)
    return text if row.conf_low is None else f"{text} [{low}, {high}]"


def level_shares(fits: Fits, groups: Mapping[str, object], level: float) -> dict[str, Result]:
    """Return each level's shares of the groups with delta-method intervals; a level without them is left out."""
    found = {}
    by_item = {item: str(group) for item, group in groups.items()}
    for name, fit in fits.items():
        known = {item: group for item, group in by_item.items() if item in fit.strengths}
        try:
            found[name] = preference_shares(fit, known, ci="delta", ungrouped="leave_out", level=level)
        except SocialStatsError:
            continue
    return found


def share_levels_block(
    fits: Fits, groupings: Mapping[str, Mapping[str, object]], by: str, level: float
) -> Block | None:
    """Return the shares of groups of items by level (P_d, P_g); its results are those of the first grouping."""
    by_name = {name: level_shares(fits, groups, level) for name, groups in groupings.items()}
    by_name = {name: found for name, found in by_name.items() if found}
    if not by_name:
        return None
    name, found = next(iter(by_name.items()))
    results = tuple(replace(result, title=f"{shorten(label, 40)}: shares by {name}") for label, result in found.items())
    return Block(
        id="levels-shares",
        question="Which groups does each prefer?",
        sentences=tuple(_lead(label, result) for label, result in found.items()),
        tables=tuple(_shares_table(name, found, by) for name, found in by_name.items()),
        caption=f"Mean worth of a group over the sum of the group means, each {by} by its own model. Intervals: "
        f"{results[0].inference}, {next(iter(fits.values())).inference}. {name}: {sizes_text(groupings[name])}.",
        results=results,
    )  # fmt: skip


def _lead(label: str, result: Result) -> str:
    """Say which group a level prefers most and least."""
    rows = [row for row in result.rows if row.group == "arithmetic" and row.estimate is not None]
    ends = [pick(rows, key=lambda row: row.estimate or 0.0) for pick in (max, min)]
    most, least = (f"{shorten(row.term, 30)} ({numbers_text(row, digits=3, bounded=True)})" for row in ends)
    return f"{shorten(label, 40)}: most {most}, least {least}, by the arithmetic mean."


def _shares_table(name: str, found: Mapping[str, Result], by: str) -> Table:
    """Return the shares of one grouping with a column a level."""
    keys = list(dict.fromkeys((row.term, row.group) for result in found.values() for row in result.rows))
    rows = {label: {(row.term, row.group): row for row in result.rows} for label, result in found.items()}
    kind = name.replace("_", " ")
    return Table(
        caption=f"Preference shares by {kind} and {by}, with intervals",
        header=(kind.capitalize(), "Mean", *found),
        cells=tuple((term, group, *(_inside(part.get((term, group)), 3, bounded=True) for part in rows.values()))
                    for term, group in keys),
    )  # fmt: skip


MANY = 4  # levels compared from which differences stand side by side
MOST_SHOWN = 15  # differences of strengths drawn; the table has all


def strip_of(found: Mapping[str, Result]) -> Strip | None:
    """Return S of every level beside choosers of known kinds; None without S."""
    if not found:
        return None
    marks = [
        Mark(label=shorten(name, 30), value=row.estimate, low=row.conf_low, high=row.conf_high)
        for name, result in found.items() for row in (result.row("S"),)
    ]  # fmt: skip
    first = next(iter(found.values()))
    marks += [Mark(label=x.label, value=x.value, kind="reference") for x in first.extras["reference_lines"][:4]]
    return Strip(title="Sensitivity S of every level", axis="S (0 = follows the rule alone)", marks=tuple(marks),
                 digits=1)  # fmt: skip


def sensitivity_block(found: Mapping[str, Result], by: str, options: StudyOptions) -> Block | None:
    """Return S of every level by itself."""
    if not found:
        return None
    rows = tuple(replace(r.row("S"), term=name, group=None) for name, r in found.items())
    first = next(iter(found.values()))
    lines = ", ".join(f"{number(x.value, 1)} = {x.label}" for x in first.extras["reference_lines"][:3])
    cells = tuple(
        (name, *(r.row(t).estimate for t in ("S", "S_corrected", "S_higher", "S_equal", "S_lower")),
         r.row("S").conf_low, r.row("S").conf_high)
        for name, r in found.items()
    )  # fmt: skip
    header = (by, "S", "Noise off", "Part of higher", "Of equal", "Of lower", "Low", "High")
    return Block(
        id="levels-s",
        question=f"How far is each from following {options.covariate} alone?",
        sentences=(
            f"S {span_text(rows)}; {lines}.",
        ),
        draw=partial(forest, rows, reference=first.extras["reference_lines"][1].value, xlabel="S", label=by),
        figure_title=f"Sensitivity S by {by}",
        caption=f"Each by itself; the line is coin flips. Intervals: {first.inference}.",
        tables=(Table(caption=f"S and its parts by {by}", header=header, cells=cells, digits=2),),
        results=tuple(found.values()),
    )  # fmt: skip


def differences_block(found: Mapping[str, Result], by: str, reference: str, options: StudyOptions) -> Block | None:
    """Return the differences in S from the reference, adjusted as one family."""
    if not found:
        return None
    leads = []
    for name, result in found.items():
        row = result.row("S_corrected", group="difference")
        row = row if row.estimate is not None else result.row("S", group="difference")
        leads.append(replace(row, term=name, group=None))
    rows, adjusted = with_holm(leads, "differences in S")
    words = (f"closer to following {options.covariate} than", f"farther from following {options.covariate} than")
    return Block(
        id="differences-s",
        question=f"Which differ from '{shorten(reference, 40)}' on the same pairs?",
        sentences=told(rows, reference, words, options.level) if adjusted else one_sentence(found),
        draw=partial(forest, rows, xlabel=f"S minus that of {shorten(reference, 30)}", label=by),
        figure_title=f"Differences in S from {shorten(reference, 40)}",
        caption="Corrected for noise; negative: closer to following "
        f"{options.covariate}. Intervals: {next(iter(found.values())).inference}.",
        tables=(rows_table(rows, "Differences in S", term=by),),
        results=(*found.values(), *(() if adjusted is None else (adjusted,))),
    )  # fmt: skip


def effects_block(
    fits: Mapping[str, BradleyTerryResult], ratios: Mapping[str, Result | None], rates: Mapping[str, Result | None],
    models: Mapping[str, Result], beside: Pairs, by: str, reference: str, options: StudyOptions,
) -> Block | None:  # fmt: skip
    """Return the effects beside the strengths, of every level and their differences from the reference."""
    terms = [r.term for r in next(iter(fits.values())).rows if r.group in ("covariate", "order")]
    if not terms:
        return None
    lead = options.covariate if options.covariate in terms else terms[0]
    own = tuple(
        replace(row, term=name, group=None) for name, fit in fits.items() for row in fit.rows
        if row.term == lead and row.group in ("covariate", "order")
    )  # fmt: skip
    changes = [
        replace(r, term=f"{name}: {r.term}", group=None)
        for name, result in models.items() for r in result.rows if r.group == "effect"
    ]  # fmt: skip
    tested, adjusted = with_holm(changes, "differences of effects")
    tables = [effects_table(fits, terms, ratios, rates, by)]
    if tested:
        caption = f"Effects minus those of {shorten(reference, 40)}"
        tables.append(rows_table(tested, caption, term=by))
    tables += [fits_table(beside)] if beside else []
    return Block(
        id="levels-effects",
        question=f"How much does {lead} weigh in each?",
        sentences=(
            f"What one step of {lead} adds to the log-odds of being chosen {span_text(own)}.",
            *([changes_sentence(beside)] if beside else []),
        ),
        draw=partial(forest, own, xlabel=f"log-odds of one step of {lead}", label=by),
        figure_title=f"Effect of one step of {lead} by {by}",
        caption=f"Each from a model of its own ({next(iter(fits.values())).inference}).",
        tables=tuple(tables),
        results=() if adjusted is None else (adjusted,),
    )


def shares_block(
    models: Mapping[str, Result], reference: str, groupings: Mapping[str, Mapping[str, object]]
) -> Block | None:
    """Return the differences in preference shares of groups of items (P_d, P_g), and how many items each group has."""
    rows = _of(models, "share")
    if not rows:
        return None
    tested, adjusted = with_holm(rows, "differences of shares")
    return Block(
        id="differences-shares",
        question="Do the preferences between groups differ?",
        sentences=(_settled(tested, "share", reference),),
        draw=partial(forest, tested[:60], xlabel="difference of shares (P)", digits=3, sort=False),
        figure_title=f"Preference shares minus those of {shorten(reference, 40)}",
        caption="Share: mean worth of a group over the sum of the group means. Intervals from refits on the same "
        f"resampled pairs. {'; '.join(f'{name}: {sizes_text(groups)}' for name, groups in groupings.items())}.",
        tables=(rows_table(tested, "Differences of shares", term="Share"),),
        results=() if adjusted is None else (adjusted,),
    )


def strengths_block(fits: Mapping[str, BradleyTerryResult], models: Mapping[str, Result], reference: str) -> Block:
    """Return the strengths of every level side by side, and the differences that stand out."""
    items = list(dict.fromkeys(item for fit in fits.values() for item in fit.strengths))
    first = fits[reference].strengths
    items.sort(key=lambda item: -first.get(item, float("-inf")))
    tested, _ = with_holm(_of(models, "strength"), "differences of strengths")
    order = sorted(tested, key=lambda r: -abs(r.statistic or 0.0))[:MOST_SHOWN]
    tables = strength_tables(fits, items)
    if tested:
        tables.append(differences_table(tested) if len(models) < MANY else side_by_side(models, tested))
    return Block(
        id="levels-strengths",
        question="Which items are preferred more by one than by another?",
        sentences=(_settled(tested, "strength", reference),),
        draw=partial(forest, tuple(order), xlabel=f"log-strength minus that of {shorten(reference, 30)}", sort=False)
        if order else None,
        figure_title="Differences of strengths with the largest test statistics",
        caption=f"The {count(len(order))} largest of {count(len(tested))}; all are in the table. Joint refits.",
        tables=tuple(tables),
        results=tuple(models.values()),
    )  # fmt: skip


def side_by_side(models: Mapping[str, Result], rows: Sequence[Row]) -> Table:
    """Return the differences of strengths with a column a level; their intervals are in the embedded JSON."""
    parts = iter(rows)
    columns = {
        name: {row.term: next(parts) for row in result.rows if row.group == "strength"}
        for name, result in models.items()
    }
    items = sorted({item for column in columns.values() for item in column})
    return Table(
        caption=f"Differences of strengths; in brackets p (Holm over {count(len(rows), 'test')})",
        header=("Item", *models),
        cells=tuple((item, *(in_cell(column.get(item), 2) for column in columns.values())) for item in items),
    )


def differences_table(rows: Sequence[Row]) -> Table:
    """Return the differences of strengths in a narrow table."""
    cells = tuple((r.term, r.estimate, r.conf_low, r.conf_high, p_text(r.p_value), p_text(r.p_adjusted)) for r in rows)
    return Table(caption=f"Differences of strengths; Holm over {count(len(rows), 'test')}", cells=cells, digits=2,
                 header=("Item", "Difference", "Low", "High", "p", "p (Holm)"))  # fmt: skip


def _of(models: Mapping[str, Result], kind: str) -> list[Row]:
    several = len(models) > 1
    return [
        replace(r, term=f"{shorten(name, 30)}: {r.term}" if several else r.term, group=None)
        for name, result in models.items() for r in result.rows if r.group == kind
    ]  # fmt: skip


def _settled(rows: Sequence[Row], what: str, reference: str) -> str:
    """Say how many differences the adjusted tests settle, and name the clearest."""
    if not rows:
        return f"No difference of a {what} could be tested."
    level = next((r.conf_level for r in rows if r.conf_level is not None), None) or 0.95
    found = [r for r in rows if (r.p_adjusted if r.p_adjusted is not None else r.p_value or 1.0) < 1 - level]
    text = f"{count(len(found)) if found else 'None'} of {count(len(rows), 'difference')} of a {what} from "
    text += f"'{shorten(reference, 40)}' {'is' if len(found) < 2 else 'are'} settled (Holm over all)"
    if not found:
        return f"{text}: the data leave open whether there is any."
    top = sorted(found, key=lambda r: -abs(r.statistic or 0.0))[:3]
    return f"{text}, most clearly {quoted([r.term for r in top])} ({numbers_text(top[0], digits=3)}" + (
        " for the first)." if len(top) > 1 else ").")  # fmt: skip


def one_sentence(found: Mapping[str, Result]) -> tuple[str, ...]:
    """Return the sentences of the results themselves: right where no p-value is adjusted."""
    return tuple(result.sentence() for result in found.values())


def told(
    rows: Sequence[Row], reference: str, words: tuple[str, str], level: float, *, digits: int = 2
) -> tuple[str, ...]:
    """Say which levels lie below the reference, above it, and for which the adjusted tests leave it open.

    Examples
    --------
    >>> rows = [Row(term=name, estimate=x, conf_low=x - 1, conf_high=x + 1, p_value=p, p_adjusted=p)
    ...         for name, x, p in (("m1", -3.0, 0.002), ("m2", 0.4, 0.4))]
    >>> for text in told(rows, "base", ("lower than", "higher than"), 0.95):
    ...     print(text)
    m1: lower than 'base' (−3.00, 95% CI [−4.00, −2.00], adjusted p = .002).
    The data do not settle it for m2 (0.40, 95% CI [−0.60, 1.40], adjusted p = .400).
    """
    found: list[str] = []
    left: list[str] = []
    for row in rows:
        p = row.p_adjusted if row.p_adjusted is not None else row.p_value
        numbers = numbers_text(row, digits=digits) + ("" if p is None else f", adjusted {p_value(p)}")
        if p is None or p >= 1 - level:
            left.append(f"{shorten(row.term, 40)} ({numbers})")
        else:
            word = words[(row.estimate or 0.0) > 0]
            found.append(f"{shorten(row.term, 40)}: {word} '{shorten(reference, 40)}' ({numbers}).")
    return (*found, *([f"The data do not settle it for {'; '.join(left)}."] if left else []))


def entropy_block(found: Mapping[str, Result], by: str, reference: str, level: float = 0.95) -> Block | None:
    """Return the differences in how undecided the choices are."""
    if not found:
        return None
    rows = [replace(r.row("H", group="difference"), term=name, group=None) for name, r in found.items()]
    tested, adjusted = with_holm(rows, "differences in entropy")
    return Block(
        id="differences-entropy",
        question="Which are more undecided?",
        sentences=told(tested, reference, ("less undecided than", "more undecided than"), level, digits=3) if adjusted
        else one_sentence(found),
        draw=partial(forest, tested, xlabel=f"entropy (bits) minus that of {shorten(reference, 30)}", label=by,
                     digits=3),
        figure_title=f"Differences in choice entropy from {shorten(reference, 40)}",
        caption=f"Paired by pairs of items: {next(iter(found.values())).inference}.",
        tables=(
            rows_table(tested, "Differences in entropy", term=by),
            rows_table([replace(r.row("d_z", group="difference"), term=name, group=None) for name, r in found.items()],
                       "Sizes of the differences in entropy, d_z over pairs of items", term=by),
        ),
        results=(*found.values(), *(() if adjusted is None else (adjusted,))),
    )  # fmt: skip

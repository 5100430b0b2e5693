"""Distances from people's modes, by model and by group, and agreement beside them: blocks and tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.designs.ratings import REFUSAL, Ratings
from socialstats.errors import InputError, NothingToAnalyse, SocialStatsError, UndefinedStatistic
from socialstats.figures import Bar, dumbbell, forest, shares
from socialstats.figures.shares import MOST_BARS, MOST_LEVELS
from socialstats.metrics.krippendorff_alpha import krippendorff_alpha
from socialstats.results import Result, Row
from socialstats.studies.estimates import (
    clear_text,
    cluster_words,
    clusters_caption,
    numbers_text,
    p_text,
    rows_table,
    settings_of,
    verify_all,
)
from socialstats.studies.page import Block, Mark, Outcome, Strip, StudyOptions, Table, order_cautions
from socialstats.studies.ratings import about_ratings, level_words
from socialstats.studies.sources import Source
from socialstats.text import count, level_text, listing, number, p_value, shorten

LINE, REFUSED, AT = "reference line", "share refused", "share at distance"
NEAREST, CONSTANT = "minus nearest = ", "minus constant = "
MOST_ROWS, MOST_IN_DUMBBELL = 200, 5
RULES = {"max": "width of the scale", "item_max": "farthest answer to the item", "exclude": "left out"}
AXIS = "mean distance from the mode (levels)"


def model_rows(result: Result) -> list[Row]:
    """Return the rows of the models over all units."""
    return [row for row in result.rows if row.group is None]


def line_rows(result: Result) -> dict[str, Row]:
    """Return the ceiling (a random person), the best constant answer and the uniform answer."""
    lines = [row for row in result.rows if row.group == LINE]
    constants = [row for row in lines[1:-1] if row.estimate is not None]
    best = min(constants, key=lambda row: row.estimate or 0.0) if constants else lines[-1]
    return {"ceiling": lines[0], "constant": best, "uniform": lines[-1]}


def plain(rows: Sequence[Row], name: str = "") -> list[Row]:
    """Return rows without their group, named by it where several models share one."""
    return [replace(r, term=f"{r.term}, {name}" if name else r.term, group=None) for r in rows]


def dense_table(
    rows: Sequence[Row], caption: str, *, term: str, labels: Sequence[str] | None = None, short: bool = False
) -> Table:
    """Return `rows_table` without the columns in which no row has anything; `short`: without standard errors too."""
    table = rows_table(rows, caption, term=term, labels=labels)
    kept = [k for k in range(len(table.header)) if k == 0 or any(row[k] is not None for row in table.cells)]
    kept = [k for k in kept if not (short and table.header[k] == "SE")]
    digits = table.digits if isinstance(table.digits, int) else tuple(table.digits[k] for k in kept)
    return replace(table, header=tuple(table.header[k] for k in kept), digits=digits,
                   cells=tuple(tuple(row[k] for k in kept) for row in table.cells))  # fmt: skip


def design_words(result: Result) -> str:
    """Return what a caption says of n, people, clusters, the interval and its design effect."""
    n, held = result.counts, clusters_caption(getattr(result.design, "clusters", ()), None)
    effects = sorted(result.extras.get("design_effect", {}).values())
    said = (
        f"{count(n['units'], 'unit')}, {count(n['reference answers'], 'answer')} of {count(n['reference raters'])} "
        f"people, {count(n['models'], 'model')}{f'; {held}' if held else ''}."
    )
    if not effects:
        return said
    effect = number(effects[len(effects) // 2], 1)
    return (
        f"{said} Lines: {level_text(result.settings['level'])} t intervals over units and people; the people make the "
        f"variance {effect} times that of independent units (design effect, the median of the models)."
    )


def gap_tables(result: Result) -> list[Table]:
    """Return the paired differences from the nearest model and from the best constant answer."""
    found = []
    for start, words in ((NEAREST, "the nearest model"), (CONSTANT, "the best constant answer")):
        rows = [r for r in result.rows if (r.group or "").startswith(start)]
        if rows:
            name = shorten((rows[0].group or "").removeprefix(start), 40)
            found.append(
                dense_table(
                    [replace(r, method=None) for r in rows],
                    f"Distance less that of {words} here ({name}), on the same units; p (Holm): over the models",
                    term="Model", labels=[r.term for r in rows],
                )
            )  # fmt: skip
    return found


def distance_block(result: Result, source: Source) -> Block:
    """Show each model between a random person and answers that need no model."""
    lines = [row for row in result.rows if row.group == LINE]
    known = sorted(model_rows(result), key=lambda r: (r.estimate is None, r.estimate or 0.0))
    chosen = list(line_rows(result).values())
    shown = plain([chosen[0], *known, *chosen[1:]])
    return Block(
        id="distance",
        question=f"How far is each model from the {shorten(source.human, 30)} answers?",
        sentences=(result.sentence(),),
        draw=partial(forest, shown[:MOST_ROWS], sort=False, reference=None, xlabel=AXIS, label="Model"),
        figure_title="ADA-Met of each model, between a random person and answers that need no model",
        caption="Above the models one person against the mode of the others; below the best constant answer and "
        f"answers at random. {design_words(result)}",
        tables=(
            dense_table(plain(known), "ADA-Met, all units", term="Model"),
            *gap_tables(result),
            dense_table(plain(lines), "What needs no model", term="Answer"),
        ),
        results=(result,),
    )


def stratum_block(name: str, result: Result, k: int) -> Block:
    """Show the distances in each level of a stratum."""
    prefix = f"{name} = "
    rows = [r for r in result.rows if r.group is not None and r.group.startswith(prefix)]
    lines = [replace(r, term=f"{r.term}, {(r.group or '')[len(prefix) :]}", group=None) for r in rows]
    known = [r for r in lines if r.estimate is not None]
    said = "No level has a distance."
    if known:
        low, high = min(known, key=lambda r: r.estimate or 0.0), max(known, key=lambda r: r.estimate or 0.0)
        said = (
            f"Distances run from {numbers_text(low)} ({shorten(low.term, 60)}) to {numbers_text(high)} "
            f"({shorten(high.term, 60)})."
        )
    strata = list(dict.fromkeys((r.group or "")[len(prefix) :] for r in rows))
    looks = [replace(r, group=(r.group or "")[len(prefix) :]) for r in rows]
    few = len(strata) <= MOST_IN_DUMBBELL
    draw: Any = partial(dumbbell, looks[:MOST_ROWS], targets=dict.fromkeys(strata), xlabel=AXIS)
    return Block(
        id=f"stratum-{k + 1}",
        question=f"Does the distance differ by {shorten(name, 40)}?",
        sentences=(said,),
        draw=draw if few else partial(forest, lines[:MOST_ROWS], sort=False, reference=None, xlabel=AXIS),
        figure_title=f"ADA-Met by {shorten(name, 40)}",
        caption=f"Each level by itself: whether two levels differ is not tested here. {design_words(result)}",
        tables=(dense_table(lines, f"ADA-Met by {shorten(name, 40)}", term=f"Model and {shorten(name, 30)}"),),
        results=() if k == 0 else (result,),
    )


def rules_block(rules: Mapping[str, Result], source: Source) -> Block | None:
    """Show the distances by what a refusal counts as, and who refused where; None where nobody refused."""
    if not rules:
        return None
    shares = refused_rows(next(iter(rules.values())))
    some = {r.term for r in shares if r.estimate}  # of the others all rules say the same
    looks = [
        replace(r, group=RULES[rule]) for rule, result in rules.items() for r in model_rows(result) if r.term in some
    ]
    shares = [r for r in shares if r.group == REFUSED or r.term in some]
    worst = max((r for r in shares if r.group == REFUSED and r.estimate is not None), key=lambda r: r.estimate or 0.0)
    mine = [r for r in looks if r.term == worst.term]
    said = "; ".join(f"{r.group}: {numbers_text(r)}" for r in mine)
    labels = [r.term + (r.group or "").removeprefix(REFUSED) for r in shares]
    return Block(
        id="refusals",
        question="Who refused, and what do refusals count as?",
        sentences=(
            f"{shorten(worst.term, 40)} refused most, a share of {numbers_text(worst, digits=3, bounded=True)}. Its "
            f"distance, by what a refusal counts as: {said}.",
        ),
        draw=partial(dumbbell, looks[:MOST_ROWS], targets=dict.fromkeys(RULES[r] for r in rules), xlabel=AXIS),
        figure_title="ADA-Met of the models that refused, by what a refusal counts as",
        caption="The page counts a refusal as the width of the scale, which may be farther off than any answer could "
        f"be; left out is the distance of what was answered. {design_words(next(iter(rules.values())))}",
        tables=(
            dense_table(looks, "ADA-Met by what a refusal counts as", term="Model and rule"),
            dense_table(shares, "Share of refusals", term="Model", labels=labels, short=True),
        ),
        results=tuple(
            replace(result, rows=tuple(model_rows(result)), words=f"{said}.", cautions=(), references=())
            for rule, result in rules.items() if rule != "max"
        ),
    )  # fmt: skip


def refused_rows(result: Result) -> list[Row]:
    """Return the shares of refusals, of all units and of each level of the stratum, model by model."""
    rows = [r for r in result.rows if (r.group or "").startswith(REFUSED)]
    order = {term: k for k, term in enumerate(dict.fromkeys(r.term for r in rows))}
    return sorted(rows, key=lambda r: order[r.term])


def near_block(result: Result) -> Block | None:
    """Show how the distances of single units divide; None where the scale has too many steps."""
    rows = [r for r in result.rows if (r.group or "").startswith(AT) and r.estimate is not None]
    if not rows:
        return None
    by_model: dict[str, list[Row]] = {}
    for r in rows:
        by_model.setdefault(r.term, []).append(r)
    bars = [
        Bar(label=model, rows=tuple(replace(r, term=(r.group or "").removeprefix(f"{AT} ")) for r in own))
        for model, own in by_model.items()
    ]  # fmt: skip
    hit = [own[0] for own in by_model.values()]
    low, high = min(hit, key=lambda r: r.estimate or 0.0), max(hit, key=lambda r: r.estimate or 0.0)
    fits = len(bars) <= MOST_BARS and len({len(one.rows) for one in bars}) == 1 and len(bars[0].rows) <= MOST_LEVELS
    ends = [f"{numbers_text(r, digits=3, bounded=True)} ({shorten(r.term, 40)})" for r in (low, high)]
    same = f" and {ends[1]}" if len(hit) > 1 else ""
    return Block(
        id="near",
        question="How often is the answer the mode itself, and how often far off?",
        sentences=(f"The share of units at distance 0 lies between {ends[0]}{same}." if same else
                   f"The share of units at distance 0 is {ends[0]}.",),
        draw=partial(shares, bars, xlabel="Share of units, by levels from the mode") if fits else None,
        figure_title="How the distances of single units divide, model by model" if fits else "",
        caption="Distances rounded to whole levels, a half (from tied modes) to the even one; 0 is the mode itself. "
        f"{count(result.counts['units'], 'unit')}, {count(len(by_model), 'model')}; intervals: Wilson's.",
        tables=(dense_table(rows, "Share of units by distance", term="Model and distance", short=True,
                           labels=[f"{r.term}: {(r.group or '').removeprefix(f'{AT} ')}" for r in rows]),),
    )  # fmt: skip


MOST_UNCLEAR = 20  # differences of which none is clear that a page lists beside those of other attributes
MOST_FIGURES = 4  # attributes of which each has a figure; of more only those with a clear difference
Families = Mapping[str, tuple[tuple[Row, ...], Result | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Closest:
    """The closest and the farthest group of one attribute for one model.

    Attributes
    ----------
    model, name : str
    low, high : Row
    again : Row or None
        How often the closest is closest again.
    gap : Row or None
        Their difference, tested.
    permuted : float or None
        p of permuting the people of the two groups.
    """

    model: str
    name: str
    low: Row
    high: Row
    again: Row | None
    gap: Row | None
    permuted: float | None

    @property
    def p(self) -> float | None:
        """Adjusted p where there is one."""
        if self.gap is None:
            return None
        return self.gap.p_adjusted if self.gap.p_adjusted is not None else self.gap.p_value

    @property
    def share(self) -> float | None:
        """Share of resamples in which the closest group is closest again."""
        return None if self.again is None else self.again.estimate

    @property
    def tied(self) -> bool:
        """Whether all groups are equally close."""
        return self.low.estimate == self.high.estimate

    @property
    def nearest(self) -> str:
        """Name of the closest group, or of several that are equally close."""
        start = len(f"closest {self.name} = ")
        return self.label(self.low) if self.again is None else (self.again.group or "")[start:]

    def label(self, row: Row) -> str:
        """Name of a group."""
        return (row.group or "")[len(self.name) + 3 :]

    def cells(self) -> tuple[str | float | int | None, ...]:
        """Cells of the table; all groups equally close: no farthest, and nothing to be stable."""
        near = (self.model, self.name, self.nearest, self.low.estimate, ends_text(self.low))
        if self.tied:
            return (*near, None, None, None, None, None, None, None)
        apart = None if self.gap is None else self.gap.estimate
        return (*near, self.label(self.high), self.high.estimate, ends_text(self.high), apart, ends_text(self.gap),
                p_text(self.p), self.share)  # fmt: skip


CLOSEST_HEADER = (
    "Model", "Attribute", "Closest", "Distance", "Interval", "Farthest", "Distance", "Interval", "Difference",
    "Interval", "p (Holm)", "Stability",
)  # fmt: skip


def ends_text(row: Row | None) -> str | None:
    """Write the ends of an interval."""
    if row is None or row.conf_low is None or row.conf_high is None:
        return None
    return f"{number(row.conf_low, 2)} to {number(row.conf_high, 2)}"


def closest_of(result: Result, name: str, model: str) -> tuple[Row, Row, Row | None] | None:
    """Return the groups with the smallest and the largest distance, and how often the smallest is smallest again."""
    prefix = f"{name} = "
    own = [r for r in result.rows if r.term == model and (r.group or "").startswith(prefix) and r.estimate is not None]
    if len(own) < 2:
        return None
    again = [r for r in result.rows if r.term == model and (r.group or "").startswith(f"closest {prefix}")]
    low, high = min(own, key=lambda r: r.estimate or 0.0), max(own, key=lambda r: r.estimate or 0.0)
    return low, high, again[0] if again else None


def tested(
    families: Mapping[str, tuple[tuple[Row, ...], Result | None]], model: str, name: str, one: str, other: str
) -> Row | None:
    """Return the row of the difference between two groups, whichever comes first (in quotes: labels with a dash)."""
    pairs = ((one, other), (other, one), (json.dumps(one), json.dumps(other)), (json.dumps(other), json.dumps(one)))
    names = {f"{name}: {first} - {second}" for first, second in pairs}
    for row in families.get(model, ((), None))[0]:
        if row.group in names:
            return row
    return None


def closest_groups(groups: Mapping[str, Result], families: Families) -> list[Closest]:
    """Return the closest group of each model and attribute that has two groups or more."""
    made = []
    for model in families:
        for name, result in groups.items():
            found = closest_of(result, name, model)
            if found is None:
                continue
            low, high, again = found
            near, far = ((r.group or "")[len(name) + 3 :] for r in (low, high))
            gap = tested(families, model, name, near, far)
            pair = "" if gap is None else (gap.group or "").removeprefix(f"{name}: ")
            permuted = result.extras["permutation_p"].get(pair, {}).get(model)
            made.append(Closest(model=model, name=name, low=low, high=high, again=again, gap=gap, permuted=permuted))
    return made


def closest_block(groups: Mapping[str, Result], families: Families) -> Block | None:
    """Show for each model and attribute the closest group, whether that is more than noise, and how stable it is."""
    if not groups:
        return None
    found = closest_groups(groups, families)
    return Block(
        id="closest",
        question="Which people is each model closest to?",
        sentences=tuple(closest_words(found, families)),
        tables=(
            Table(
                caption="Closest and farthest group of each attribute, with their intervals; difference: of the "
                f"two in the order of the groups below, on the units of both, less what the sizes of the "
                f"groups alone give ({sizes_text(groups)}); p (Holm): of the difference, over the pairs of groups of "
                "all attributes, model by model; stability: share of resamples in which the group is the closest again",
                header=CLOSEST_HEADER,
                cells=tuple(one.cells() for one in found),
            ),
        ),
        results=tuple(a for _, a in families.values() if a is not None),
    )


def sizes_text(groups: Mapping[str, Result]) -> str:
    """Say how much the sizes of groups alone give at most."""
    given = [abs(x) for r in groups.values() for pair in r.extras["permuted_differences"].values()
             for x in pair.values() if x is not None]  # fmt: skip
    return f"up to {number(max(given), 2)}" if given else "nothing"


def closest_words(found: Sequence[Closest], families: Families) -> list[str]:
    """Say the widest difference, how many closest groups are more than noise, and whether a p could have been small."""
    found = [one for one in found if not one.tied]
    if not found:
        return ["No group is closer than another."]
    settled = sum(one.p is not None and one.p < 0.05 for one in found)
    stable = sum(one.share is not None and one.share >= 0.95 for one in found)
    said = [
        f"Some group is always the closest. Of {count(len(found), 'closest group')}, {count(settled)} differ from the "
        f"farthest group (adjusted p below .05), and {count(stable)} stay the closest in at least .95 of the resamples."
    ]
    known = [one for one in found if one.gap is not None and one.p is not None]
    if known:
        best = max(known, key=lambda one: abs(one.gap.estimate or 0.0) if one.gap else 0.0)
        said.insert(0, closest_sentence(best))
    if permuted := permuted_words(found):
        said.append(permuted)
    return said


def permuted_words(found: Sequence[Closest]) -> str:
    """Say how often permuting the people between the groups would decide otherwise, before adjusting."""
    known = [
        one.gap for one in found if one.gap is not None and one.gap.p_value is not None and one.permuted is not None
    ]
    other = [one for one in found if one.gap is not None and one.gap.p_value is not None and one.permuted is not None
             and (one.permuted < 0.05) != (one.gap.p_value < 0.05)]  # fmt: skip
    if not other:
        return ""
    return (
        "Permuting people between the two groups, which asks whether the groups answer alike rather than lie equally "
        f"far off, decides otherwise in {count(len(other))} of {count(len(known))} (unadjusted p on other sides of "
        ".05)."
    )


def closest_sentence(one: Closest) -> str:
    """Say the widest difference between the closest and the farthest group."""
    near, far = shorten(one.nearest, 40), shorten(one.label(one.high), 30)
    gap = one.gap or Row(term=one.model)
    pair = shorten((gap.group or "")[len(one.name) + 2 :], 60)
    return (
        f"The widest difference: {shorten(one.model, 40)} was closest to {shorten(one.name, 30)} {near} (ADA-Met "
        f"{number(one.low.estimate, 2)}) and farthest from {far} ({number(one.high.estimate, 2)}); difference "
        f"({pair}), less what sizes give, {numbers_text(gap)}, {p_value(one.p, name='adjusted p')}."
    )


def group_block(name: str, result: Result, families: Families, k: int, attributes: int) -> Block:
    """Show the distances to each group of people, with the differences on the same units."""
    prefix = f"{name} = "
    rows = [r for r in result.rows if (r.group or "").startswith(prefix)]
    looks = [replace(r, group=(r.group or "")[len(prefix) :]) for r in rows]
    gaps = [replace(r, method=None) for model in families for r in families[model][0]
            if (r.group or "").startswith(f"{name}: ")]  # fmt: skip
    known = [r for r in gaps if r.p_value is not None]
    clear = [r for r in known if (r.p_adjusted if r.p_adjusted is not None else r.p_value or 1.0) < 0.05]
    sizes = ", ".join(f"{shorten(g, 30)} ({count(n)})" for g, n in result.extras["group_raters"].items())
    words, drawn = shorten(name, 40), attributes <= MOST_FIGURES or bool(clear)
    listed = drawn or len(gaps) <= MOST_UNCLEAR
    said = (
        f"Of {count(len(known), 'difference')} between groups by {words}, {clear_text(len(clear), len(known))}. "
        f"People: {sizes}."
    )
    return Block(
        id=f"group-{k + 1}",
        question=f"Is a model closer to some people by {words}?",
        sentences=(said,),
        draw=group_figure(looks) if drawn else None,
        figure_title=f"ADA-Met to the mode of each group of people by {words}" if drawn else "",
        caption=f"Modes of few people are noisier and lie farther off any model: the differences allow for it, the "
        f"marks do not. {design_words(result)}" if drawn else "Not drawn, as no difference is clear."
        + ("" if listed else " The widest of each model is in the table of closest groups, all others in the numbers "
           "that the page carries (socialstats show PAGE --json)."),
        tables=(
            dense_table(rows, f"ADA-Met by {words}", term="Model and group", short=True,
                        labels=[f"{r.term} ({r.group})" for r in looks]),
            *([dense_table(gaps, f"Differences by {words} on the same units, less what sizes give; p (Holm): over the "
                        "pairs of all attributes, model by model", term="Model and pair", short=True,
                       labels=[f"{r.term} ({(r.group or '')[len(name) + 2 :]})" for r in gaps])] if listed else []),
        ),
        results=(slim(result, f"{name} = ", said), slim(result, f"closest {name} = ", said)),
    )  # fmt: skip


def group_figure(looks: Sequence[Row]) -> Any:
    """Return what draws the distances to each group: one line a model where groups are few."""
    labels = list(dict.fromkeys(r.group or "" for r in looks))
    if len(labels) <= MOST_IN_DUMBBELL and len(looks) <= MOST_ROWS:
        return partial(dumbbell, looks, targets=dict.fromkeys(labels), xlabel=AXIS)
    return partial(forest, plain(looks)[:MOST_ROWS], sort=False, reference=None, xlabel=AXIS)


def slim(result: Result, start: str, said: str) -> Result:
    """Keep the rows of one kind about an attribute; the differences stand, adjusted, with the closest groups.

    Cautions and references are those of the page. Rows of a kind have the same columns, which makes them short.
    """
    rows = tuple(r for r in result.rows if (r.group or "").startswith(start))
    return replace(result, rows=rows, words=said, cautions=(), references=())


REFUSED_AS_LEVEL, NOMINAL = "nominal, refusals as a level", "nominal"
SHORT = {REFUSED_AS_LEVEL: "with refusals"}  # in figures
MOST_ALPHAS, MOST_SIZES = 200, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Alphas:
    """Alphas of one set of ratings: `results` by kind, the one that uses the order last."""

    label: str
    results: dict[str, Result]

    @property
    def ordered(self) -> Result:
        """Alpha on the scale of the design."""
        return list(self.results.values())[-1]

    def sentence(self) -> str:
        """Say all kinds, and what the order adds.

        A nominal alpha of an ordered scale counts neighbours as strangers.
        """
        rows = {kind: result.rows[0] for kind, result in self.results.items()}
        said = [f"{kind} {numbers_text(row, digits=3, bounded=True)}" for kind, row in rows.items()]
        return f"alpha {'; '.join(said)}."


def range_text(alphas: Sequence[Alphas], by: str) -> tuple[str, ...]:
    """Say alpha with the order of the levels and without it, over several tables.

    Parameters
    ----------
    alphas : sequence of Alphas
    by : str
        What tells the tables apart.
    """
    if len(alphas) == 1:
        return (f"Krippendorff's {alphas[0].sentence()}",)
    said = []
    for kind in (list(alphas[0].results)[-1], NOMINAL, REFUSED_AS_LEVEL):
        known = [(one.label, one.results[kind].rows[0]) for one in alphas if kind in one.results]
        known = [(label, row) for label, row in known if row.estimate is not None]
        if not known:
            continue
        low, high = (pick(known, key=lambda pair: pair[1].estimate or 0.0) for pick in (min, max))
        ends = " to ".join(
            f"{numbers_text(row, digits=3, bounded=True)} ({shorten(label, 40)})" for label, row in (low, high)
        )
        said.append(f"{kind}: {ends}")
    return (
        f"Over {number(len(alphas), 0)} levels of {shorten(by, 40)}, Krippendorff's alpha runs: {'; '.join(said)}.",
    )


def alphas_of(label: str, design: Ratings, raters: Sequence[str] | None, common: dict[str, Any]) -> Alphas | None:
    """Compute the alphas; None where no unit has two ratings."""
    own = design if raters is None else design.of_raters(raters)
    kinds: dict[str, dict[str, Any]] = {}
    if np.any(own.status == REFUSAL):
        kinds[REFUSED_AS_LEVEL] = {"scale": "nominal", "refusal": "level"}
    kinds[NOMINAL] = {"scale": "nominal"}
    if design.scale != "nominal":
        kinds[design.scale] = {}
    found: dict[str, Any] = {}
    for kind, options in kinds.items():
        try:
            found[kind] = krippendorff_alpha(replace(own, by=None), **options, **common)
        except (UndefinedStatistic, NothingToAnalyse):
            return None
    return Alphas(label=label, results=found)


def alphas_block(alphas: Sequence[Alphas], by: str) -> Block | None:
    """Show every alpha, those of one table or source beneath each other."""
    if not alphas:
        return None
    rows = [replace(result.rows[0], term=f"{one.label}: {kind}", group=None)
            for one in alphas for kind, result in one.results.items()]  # fmt: skip
    drawn = [replace(result.rows[0], term=f"{one.label}: {SHORT.get(kind, kind)}", group=None)
             for one in alphas for kind, result in one.results.items()]  # fmt: skip
    gaps = [(one, (one.ordered.rows[0].estimate or 0.0) - (one.results[NOMINAL].rows[0].estimate or 0.0))
            for one in alphas]  # fmt: skip
    higher = sum(gap > 0 for _, gap in gaps)
    kind = list(alphas[0].results)[-1]
    return Block(
        id="agreement",
        question="Do they agree, and does the order of the levels matter?",
        sentences=(
            *(f"{shorten(one.label, 40)}: {one.sentence()}" for one in alphas),
            f"With the order of the levels ({kind}) alpha is higher than the nominal one in "
            f"{number(higher, 0)} of {number(len(alphas), 0)} {'tables' if by != 'source' else 'sources'}; a nominal "
            "alpha counts neighbouring levels as strangers.",
        ),
        draw=partial(forest, drawn[:MOST_ALPHAS], sort=False, digits=3, xlabel="alpha; 0 = as by chance"),
        figure_title="Krippendorff's alpha without and with the order of the levels",
        caption="Same ratings, other ideas of disagreement (with refusals: nominal, refusals as one more level). 1 is "
        f"perfect agreement, 0 what chance gives. {alpha_design(alphas)}",
        tables=(rows_table(rows, "Krippendorff's alpha", term=f"{shorten(by, 40)} and kind"),),
        results=tuple(result for one in alphas for result in one.results.values()),
    )


def alpha_design(alphas: Sequence[Alphas]) -> str:
    """Return what a caption says of units, raters, clusters and intervals."""
    first = alphas[0].ordered
    held = clusters_caption(getattr(first.design, "clusters", ()), None)
    sizes = [f"{shorten(one.label, 30)}: {count(int(one.ordered.rows[0].n or 0), 'answer')} of "
             f"{count(len(one.ordered.design.raters), 'rater')}" for one in alphas]  # fmt: skip
    common = dict.fromkeys(text.partition(": ")[2] for text in sizes)
    said = f"Each: {next(iter(common))}" if len(common) == 1 else listing(sizes, most=MOST_SIZES)
    return f"{said}{f'; {held}' if held else ''}; {level_text(first.settings['level'])} intervals over units."


def strata_block(parts: Mapping[str, Ratings], stratum: str, k: int, common: dict[str, Any]) -> Block | None:
    """Show alpha on the scale of the design in each level of a stratum, for each part of the table."""
    found: dict[str, Any] = {}
    for label, part in parts.items():
        try:
            found[label] = krippendorff_alpha(replace(part, by=None), stratum=stratum, **common)
        except SocialStatsError:
            continue
    several = len(parts) > 1
    rows = [replace(r, term=f"{f'{label}, ' if several else ''}{r.group}", group=None)
            for label, result in found.items() for r in result.rows if r.group is not None]  # fmt: skip
    known = [r for r in rows if r.estimate is not None]
    if not known:
        return None
    low, high = min(known, key=lambda r: r.estimate or 0.0), max(known, key=lambda r: r.estimate or 0.0)
    name = shorten(stratum, 40)
    return Block(
        id=f"stratum-{k + 1}",
        question=f"Does agreement differ by {name}?",
        sentences=(
            f"Alpha runs from {numbers_text(low, digits=3, bounded=True)} ({shorten(low.term, 60)}) to "
            f"{numbers_text(high, digits=3, bounded=True)} ({shorten(high.term, 60)}).",
        ),
        draw=partial(forest, rows[:MOST_ALPHAS], sort=False, digits=3, xlabel="alpha", label=name),
        figure_title=f"Krippendorff's alpha by {name}",
        caption="Where values vary little alpha is low even if raters mostly agree. "
        f"{counted(known)}; {level_text(common['level'])} intervals over units.",
        tables=(rows_table(rows, f"Krippendorff's alpha by {name}", term=name),),
        results=tuple(found.values()),
    )


def counted(rows: Sequence[Row]) -> str:
    """Say how many answers are behind rows, from the fewest to the most."""
    sizes = [int(row.n or 0) for row in rows]
    if min(sizes) == max(sizes):
        return f"{count(sizes[0], 'answer')} each"
    return f"{count(min(sizes))} to {count(max(sizes), 'answer')} each"


USED = ("seed", "resamples", "level", "verify")
MOST_RATERS_SHOWN = 30


def describe(design: Ratings) -> str:
    """Return the design in one line: kind, and n at every level."""
    parts = [
        count(design.n_rows, "answer"), count(design.unit_count.sum(), "unit"), count(len(design.raters), "rater"),
        f"{design.scale} scale ({level_words(design)})", *cluster_words(design),
    ]  # fmt: skip
    return "Ordered answers: " + ", ".join(parts)


def without_people(parts: Mapping[str, Ratings], design: Ratings, options: StudyOptions) -> Outcome:
    """Answer a table of models alone: how far do they agree, with and without the order of the levels?"""
    common: dict[str, Any] = {"level": options.level, "seed": options.seed, "resamples": options.resamples}
    found = [alphas_of(level, part, None, common) for level, part in parts.items()]
    alphas = tuple(one for one in found if one is not None)
    if not alphas:
        raise InputError(f"{design.source}: no unit has two answers, so that nothing can be said about agreement")
    by = design.by.name if design.by is not None else "answers"
    first = alphas_block(alphas, by)
    shown = tuple(b for b in (first, *(strata_block(parts, name, k, common) for k, name in enumerate(design.strata)))
                  if b is not None)  # fmt: skip
    results = [r for a in alphas for r in a.results.values()]
    several = len(parts) > 1
    return Outcome(
        study="ordinal-alignment",
        title=f"Do the {count(len(design.raters))} models agree, and does the order of the levels matter?",
        design=describe(design),
        answer=range_text(alphas, by),
        strip=alpha_strip(alphas),
        cautions=order_cautions(*(r.cautions for r in results), design.cautions),
        blocks=shown,
        flow=design.flow,
        data=tuple(replace(t, caption=f"{shorten(level, 40)}: {t.caption}" if several else t.caption)
                   for level, part in parts.items() for t in about_ratings(part)),
        methods=(
            f"Krippendorff's alpha of {listing([shorten(r, 30) for r in design.raters], most=MOST_RATERS_SHOWN)}: "
            "nominal (any two levels are equally different; refusals left out, or as one more level) and ordinal "
            f"(levels differ by how many answers lie between them). {results[0].inference}; "
            f"{level_text(options.level)} intervals. No people are in the table, so that nothing is said about "
            "distances to people.",
        ),
        references=tuple(dict.fromkeys(key for r in results for key in r.references)),
        verifications=verify_all(
            {f"{a.label}, {kind}": r for a in alphas for kind, r in a.results.items()}, shown
        ) if options.verify else {},
        settings=settings_of(options, USED),
        simulated=options.simulated,
    )  # fmt: skip


def alpha_strip(alphas: tuple[Alphas, ...]) -> Strip:
    """Return ordinal alpha of each level beside chance and the customary lines."""
    marks = [Mark(label=name, value=value, kind="reference")
             for name, value in (("chance", 0.0), ("tentative", 0.667), ("firm", 0.8))]  # fmt: skip
    for one in alphas:
        row = one.ordered.rows[0]
        marks.append(Mark(label=shorten(one.label, 40), value=row.estimate, low=row.conf_low, high=row.conf_high,
                          undefined=row.undefined or ""))  # fmt: skip
    return Strip(title="Krippendorff's alpha with the order of the levels", axis="1 = perfect agreement",
                 marks=tuple(marks), digits=3)  # fmt: skip

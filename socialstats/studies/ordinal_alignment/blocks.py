"""Distances from people's modes, by model and by group, and agreement beside them: blocks and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
from socialstats.agreement.majority_vote_accuracy import majority_vote_accuracy
from socialstats.designs.parts import OK, REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, NothingToAnalyse, SocialStatsError, UndefinedStatistic
from socialstats.figures import Bar, dumbbell, forest, heat, shares
from socialstats.figures.heat import MOST_GROUPS as MOST_CELLS
from socialstats.figures.shares import MOST_BARS
from socialstats.figures.style import STEPS
from socialstats.inference.rows import share_ci
from socialstats.results import Result, Row
from socialstats.results.rows import negate_row
from socialstats.shares.sources import RaterSource
from socialstats.studies.estimates import (
    cluster_words,
    clusters_caption,
    p_text,
    rows_table,
    settings_of,
    verify_all,
)
from socialstats.studies.page import (
    Block,
    Outcome,
    PageTable,
    StudyOptions,
    order_cautions,
)
from socialstats.studies.ratings import (
    RELIABLE,
    about_ratings,
    band_of,
    enough_of,
    level_words,
    planned,
)
from socialstats.studies.second import other_first
from socialstats.studies.verdicts import Conclusion, verdict_of
from socialstats.text import as_words, capital, count, listing, number, percent, percent_of, shorten

MOST_ROWS, MOST_IN_DUMBBELL, MOST_FAMILIES = 200, 5, 12
RULES = {"max": "width of the scale", "item_max": "farthest possible answer", "exclude": "excluded"}
DIGITS = 2  # decimals of distances in sentences
AXIS = "mean distance from the mode (levels)"
COUNTED = {
    "max": "counted as the width of the scale",
    "item_max": "counted as the farthest possible answer",
    "exclude": "excluded",
}
LINES = {
    "ceiling": "The distance of one human rater from the mode of the others",
    "constant": "The distance of the best constant answer",
}


def distance_text(row: Row) -> str:
    """Return a distance, or a difference of distances, with its interval."""
    return sentences.estimate_text(row)


def rows_about(result: Result, *dimensions: str) -> list[Row]:
    """Return the rows whose key has these dimensions beside the model."""
    return [
        row for row in result.rows if tuple(name for name, _ in row.key) == ("model", *dimensions)
    ]


def model_rows(result: Result) -> list[Row]:
    """Return the rows of the models over all units."""
    return rows_about(result)


def ends(rows: Sequence[Row]) -> tuple[Row, Row]:
    """Return the rows of the smallest and of the largest estimate."""
    low, high = (pick(rows, key=lambda r: r.estimate or 0.0) for pick in (min, max))
    return low, high


def known_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that have an estimate."""
    return [row for row in rows if row.estimate is not None]


def line_rows(result: Result) -> dict[str, Row]:
    """Return the ceiling (a random person), the best constant answer and the uniform answer."""
    lines = {
        kind: [r for r in result.rows if r.label("line") == kind]
        for kind in ("ceiling", "constant", "uniform")
    }
    constants = known_rows(lines["constant"])
    return {
        kind: ends(constants)[0] if kind == "constant" and constants else found[-1]
        for kind, found in (lines | ({} if constants else {"constant": lines["uniform"]})).items()
    }


def plain(rows: Sequence[Row]) -> list[Row]:
    """Return rows without their group and method."""
    return [replace(r, group=None, method=None) for r in rows]


def dense_table(
    rows: Sequence[Row],
    caption: str,
    *,
    term: str,
    labels: Sequence[str] | None = None,
    short: bool = False,
) -> PageTable:
    """Return `rows_table` without the columns in which no row has anything; `short`: without standard errors too."""
    table = rows_table(rows, caption, term=term, labels=labels)
    kept = [
        k
        for k in range(len(table.header))
        if k == 0 or any(row[k] is not None for row in table.cells)
    ]
    kept = [k for k in kept if not (short and table.header[k] == "SE")]
    return replace(
        table,
        header=tuple(table.header[k] for k in kept),
        cells=tuple(tuple(row[k] for k in kept) for row in table.cells),
    )


def design_words(result: Result) -> str:
    """Return what a caption says of the marks, the intervals and the sample."""
    n, held = result.counts, clusters_caption(getattr(result.design, "clusters", ()), None)
    sizes = (
        f"n = {count(n['units'], 'unit')}, {count(n['reference raters'], 'human rater')}, "
        f"{count(n['models'], 'model')}"
    )
    return (
        f"Points and bars: means and {percent_of(result.settings['level'])} CIs (t over units and raters); {sizes}"
        f"{f'; {held}' if held else ''}."
    )


def effect_words(result: Result) -> list[str]:
    """State the design effect of sampling people, the median over models; nothing where it is unknown."""
    effects = sorted(result.extras.get("design_effect", {}).values())
    return (
        [
            f"The design effect of sampling human raters was {number(effects[len(effects) // 2], 1)} "
            "(median over models)."
        ]
        if effects
        else []
    )


def gap_tables(result: Result) -> list[PageTable]:
    """Return the paired differences from the nearest model and from the best constant answer."""
    found = []
    for kind, words, start in (
        ("nearest", "the nearest model", ""),
        ("constant", "the best constant answer", "always "),
    ):
        if rows := rows_about(result, kind):
            name = shorten(f"{start}{rows[0].label(kind)}", 40)
            caption = f"Difference in ADA-Met from {words} ({name}), on the same units; p (Holm): over the models"
            found.append(dense_table(plain(rows), caption, term="Model"))
    return found


def distance_block(result: Result, source: RaterSource) -> Block:
    """Show each model between a random person and answers that need no model."""
    known = sorted(model_rows(result), key=lambda r: (r.estimate is None, r.estimate or 0.0))
    lines = line_rows(result)
    chosen = list(lines.values())
    shown = plain([chosen[0], *known, *chosen[1:]])
    beside = [
        f"{LINES[kind]} was {distance_text(row)}"
        for kind, row in lines.items()
        if kind != "uniform" and row.estimate is not None
    ]
    return Block(
        id="distance",
        question=f"How far was each model from the {shorten(source.human, 30)} answers?",
        sentences=(*(f"{one}." for one in beside), *effect_words(result)),
        draw=partial(
            forest, shown[:MOST_ROWS], sort=False, reference=None, xlabel=AXIS, label="Model"
        ),
        figure_title="ADA-Met of each model, with a human rater and model-free baselines",
        caption=f"{design_words(result)} Human rater: against the mode of the others.",
        tables=(
            dense_table(plain(known), "ADA-Met, all units", term="Model"),
            *gap_tables(result),
            dense_table(
                plain([r for r in result.rows if r.label("line")]),
                "Human rater and model-free baselines",
                term="Answer",
            ),
        ),
        results=(result,),
    )


def by_label(
    rows: Sequence[Row], dimension: str, forest_rows: Sequence[Row], few: int = 10**6
) -> Any:
    """Return what draws rows by a label: a dumbbell a model where the labels are few, else a forest."""
    looks = [replace(r, group=r.label(dimension)) for r in rows]
    labels = list(dict.fromkeys(r.group or "" for r in looks))
    if len(labels) <= MOST_IN_DUMBBELL and len(looks) <= few:
        return partial(dumbbell, looks[:MOST_ROWS], targets=dict.fromkeys(labels), xlabel=AXIS)
    return partial(forest, forest_rows[:MOST_ROWS], sort=False, reference=None, xlabel=AXIS)


def stratum_block(name: str, result: Result, k: int) -> Block:
    """Show the distances at each level of a stratum."""
    rows, words = rows_about(result, "stratum"), as_words(name)
    lines = [replace(r, term=f"{r.term}, {r.label('stratum')}", group=None) for r in rows]
    said = [f"The distance is undefined at every level of {words}."]
    if known := known_rows(lines):
        low, high = (f"{distance_text(r)} ({shorten(r.term, 60)})" for r in ends(known))
        said = [f"The smallest distance was {low}.", f"The largest was {high}."]
    return Block(
        id=f"stratum-{k + 1}",
        question=f"How far was each model at each level of {words}?",
        sentences=tuple(said),
        draw=by_label(rows, "stratum", lines),
        figure_title=f"ADA-Met by {words}",
        caption=f"{design_words(result)} Differences between levels were not tested.",
        tables=(dense_table(lines, f"ADA-Met by {words}", term=f"Model and {as_words(name, 30)}"),),
        results=() if k == 0 else (result,),
        part="appendix",
    )


def rules_block(rules: Mapping[str, Result], source: RaterSource) -> Block | None:
    """Show the distances by how refusals were counted, and who refused where; None where nobody refused."""
    if not rules:
        return None
    found = [r for r in next(iter(rules.values())).rows if r.label("share") == "refused"]
    shares = [r for term in dict.fromkeys(r.term for r in found) for r in found if r.term == term]
    some = {r.term for r in shares if r.estimate}  # all rules give the others the same distance
    looks = [
        replace(r, group=RULES[rule])
        for rule, result in rules.items()
        for r in model_rows(result)
        if r.term in some
    ]
    shares = [r for r in shares if r.label("stratum") is None or r.term in some]
    worst = ends(known_rows([r for r in shares if r.label("stratum") is None]))[1]
    own = {r.group: distance_text(r) for r in looks if r.term == worst.term}
    stratum = next(iter(rules.values())).settings["stratum"]
    labels = [
        r.term
        if (level := r.label("stratum")) is None
        else f"{r.term}, {as_words(stratum, 30)}: {level}"
        for r in shares
    ]
    said = (
        f"{shorten(worst.term, 40)} had the highest refusal rate, {sentences.estimate_text(worst)}.",
        *(
            f"Its distance was {text} with refusals {COUNTED[rule]}."
            for rule in rules
            if (text := own.get(RULES[rule])) is not None
        ),
    )
    return Block(
        id="refusals",
        question="Who refused, and how did the treatment of refusals matter?",
        sentences=said,
        draw=partial(
            dumbbell, looks[:MOST_ROWS], targets=dict.fromkeys(RULES[r] for r in rules), xlabel=AXIS
        ),
        figure_title="ADA-Met of models that refused, by treatment of refusals",
        caption=f"{design_words(next(iter(rules.values())))} A refusal counts as the width of the scale, which may "
        "exceed any possible answer's distance.",
        tables=(
            dense_table(looks, "ADA-Met by treatment of refusals", term="Model and rule"),
            dense_table(shares, "Share of refusals", term="Model", labels=labels, short=True),
        ),
        results=tuple(
            replace(
                result,
                rows=tuple(model_rows(result)),
                words=" ".join(said),
                cautions=(),
                references=(),
            )
            for rule, result in rules.items()
            if rule != "max"
        ),
        turned=without_refusals(rules),
    )


def without_refusals(rules: Mapping[str, Result]) -> tuple[str, ...]:
    """Return which models were nearest and farthest without refusals, where these are not those of the answer."""
    own, other = (
        sorted(known_rows(model_rows(rules[rule])), key=lambda row: row.estimate or 0.0)
        for rule in ("max", "exclude")
    )
    if not any(other_first(own[::step], other[::step]) for step in (1, -1)):
        return ()
    low, high = (f"'{shorten(row.term, 40)}' ({number(row.shown())})" for row in ends(other))
    design = rules["max"].design
    width = number(float(design.scores.max() - design.scores.min()), 0)
    return (
        f"Without refusals, {low} was nearest and {high} farthest. Here a refusal counted as {width}, the width of the "
        "scale of distances.",
    )


def near_block(result: Result) -> Block | None:
    """Show how the distances of single units divide; None where the scale has too many steps."""
    rows = known_rows(rows_about(result, "distance"))
    if not rows:
        return None
    bars = [
        Bar(
            label=model,
            rows=tuple(replace(r, term=r.label("distance") or "") for r in rows if r.term == model),
        )
        for model in dict.fromkeys(r.term for r in rows)
    ]
    hit = [r for r in rows if r.label("distance") == "0"]
    fits = (
        len(bars) <= MOST_BARS
        and len({len(one.rows) for one in bars}) == 1
        and len(bars[0].rows) <= STEPS
    )
    low, high = (f"{sentences.estimate_text(r)} ({shorten(r.term, 40)})" for r in ends(hit))
    return Block(
        id="near",
        question="How often was the answer the mode itself, and how often far from it?",
        sentences=(
            f"The share of units at distance 0 was lowest at {low}.",
            f"It was highest at {high}.",
        )
        if len(hit) > 1
        else (f"The share of units at distance 0 was {low}.",),
        draw=partial(shares, bars, xlabel="Share of units, by levels from the mode", ordered=True)
        if fits
        else None,
        figure_title="Distances of single units from the mode, by model" if fits else "",
        caption=f"Bars: shares of units by distance, rounded up to whole levels (0: the mode itself; of "
        f"tied modes, their mean); n = {count(result.counts['units'], 'unit')}, {count(len(bars), 'model')}."
        + " The largest distance includes refusals."
        * any(r.label("share") == "refused" and r.estimate for r in result.rows)
        + (
            f" CIs in the table: {percent_of(result.settings['level'])}, {share_ci(rows)}."
            if fits
            else ""
        ),
        tables=(
            dense_table(
                rows,
                "Share of units by distance",
                term="Model and distance",
                short=True,
                labels=[f"{r.term}: {r.label('distance')}" for r in rows],
            ),
        ),
    )


SHORT_LABEL = 14  # characters of a group's label with its attribute in a heat map
MOST_MAIN = 2  # attributes with a significant difference among the main results
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
        The closest minus the farthest, tested on the units of both, corrected for group size.
    """

    model: str
    name: str
    low: Row
    high: Row
    again: Row | None
    gap: Row | None

    @property
    def tied(self) -> bool:
        """Whether all groups are equally close."""
        return self.low.estimate == self.high.estimate

    @property
    def nearest(self) -> str:
        """Name of the closest group, or of several that are equally close."""
        return (
            self.low.label("people") if self.again is None else self.again.label("closest")
        ) or ""

    def cells(self) -> tuple[str | float | int | None, ...]:
        """Cells of the table; all groups equally close: no farthest, and nothing to be stable."""
        near = (
            self.model,
            as_words(self.name),
            self.nearest,
            self.low.shown(),
            ends_text(self.low),
        )
        if self.tied:
            return (*near, *[None] * 7)
        return (
            *near,
            self.high.label("people"),
            self.high.shown(),
            ends_text(self.high),
            None if self.gap is None else self.gap.shown(),
            ends_text(self.gap),
            None if self.gap is None else p_text(self.gap.p_adjusted),
            None if self.again is None else self.again.shown(),
        )


CLOSEST_HEADER = (
    "Model",
    "Attribute",
    "Closest",
    "Distance",
    "Interval",
    "Farthest",
    "Distance",
    "Interval",
    "Corrected difference",
    "Interval",
    "p (Holm)",
    "Stability",
)


def ends_text(row: Row | None) -> str | None:
    """Return the limits of an interval as text."""
    if row is None or row.conf_low is None or row.conf_high is None:
        return None
    return f"[{number(row.shown('conf_low'))}, {number(row.shown('conf_high'))}]"


def closest_groups(groups: Mapping[str, Result], families: Families) -> list[Closest]:
    """Return the closest group for each model and attribute with at least two groups."""
    made = []
    gaps = {
        (r.term, r.label("attribute"), frozenset((r.label("people"), r.label("versus")))): r
        for rows, _ in families.values()
        for r in rows
    }
    for model in families:
        for name, result in groups.items():
            own = [
                r for r in known_rows(rows_about(result, "attribute", "people")) if r.term == model
            ]
            if len(own) < 2:
                continue
            low, high = ends(own)
            gap = gaps.get((model, name, frozenset((low.label("people"), high.label("people")))))
            if gap is not None and gap.label("people") != low.label("people"):
                gap = negate_row(gap)
            again = next(
                (r for r in rows_about(result, "attribute", "closest") if r.term == model), None
            )
            made.append(Closest(model=model, name=name, low=low, high=high, again=again, gap=gap))
    return made


def closest_block(groups: Mapping[str, Result], families: Families, level: float) -> Block | None:
    """Show for each model and attribute the closest group, its test against the farthest, and its stability."""
    if not groups:
        return None
    found = closest_groups(groups, families)
    adjusted = any(one.gap is not None and one.gap.p_adjusted is not None for one in found)
    return Block(
        id="closest",
        question="Which groups of people was each model closest to?",
        sentences=tuple(closest_words(found, families, level)),
        tables=(
            PageTable(
                caption="Closest and farthest group of each attribute. Corrected difference: closest minus farthest, "
                f"on the units of both, corrected for group size ({sizes_text(groups)}); above 0, the correction "
                "turned it. "
                f"{'p (Holm): within each model, over all pairs of groups. ' * adjusted}"
                "Stability: share of resamples with the same closest group",
                header=CLOSEST_HEADER,
                cells=tuple(one.cells() for one in found),
            ),
        ),
        results=tuple(a for _, a in families.values() if a is not None)
        or tested_alone(groups, families),
    )


def tested_alone(groups: Mapping[str, Result], families: Families) -> tuple[Result, ...]:
    """Return the differences of models with one pair of groups each, which no family adjusts, as a result."""
    rows = tuple(row for own, _ in families.values() for row in own)
    one = next(iter(groups.values()))
    return (
        replace(
            one, rows=rows, words=f"{count(len(rows), 'difference')} between groups.", cautions=()
        ),
    )


def sizes_text(groups: Mapping[str, Result]) -> str:
    """Return the largest correction for group size."""
    given = [
        abs(x)
        for r in groups.values()
        for pair in r.extras["permuted_differences"].values()
        for x in pair.values()
        if x is not None
    ]
    return f"by at most {number(max(given), 2)}" if given else "no correction"


def settled(found: Sequence[Closest], level: float) -> tuple[int, int]:
    """Return how many closest groups differ significantly from the farthest, and how many were tested."""
    tested = [one.gap for one in found if one.gap is not None and one.gap.p_value is not None]
    return sum(sentences.is_significant(gap, 1 - level) for gap in tested), len(tested)


def closest_answer(
    groups: Mapping[str, Result], families: Families, level: float
) -> tuple[str, ...]:
    """Return how many closest groups differ significantly from the farthest; nothing without tests."""
    clear, tested = settled(
        [one for one in closest_groups(groups, families) if not one.tied], level
    )
    if not tested:
        return ()
    adjusted = any(row.p_adjusted is not None for rows, _ in families.values() for row in rows)
    return (
        f"In {count(clear)} of {count(tested)} model-by-attribute comparisons the closest group differed significantly "
        f"from the farthest{' (Holm within each model)' if adjusted else ''}.",
    )


def closest_words(found: Sequence[Closest], families: Families, level: float) -> list[str]:
    """State the significant and the largest differences between groups, and the stability of the closest."""
    found = [one for one in found if not one.tied]
    if not found:
        return ["No group was closer than another."]
    tested = [
        (one, one.gap) for one in found if one.gap is not None and one.gap.p_value is not None
    ]
    clear, n = settled(found, level)
    stable = sum(one.again is not None and (one.again.estimate or 0.0) >= level for one in found)
    m = sorted({sum(row.p_value is not None for row in rows) for rows, _ in families.values()})
    family = (
        f"m = {count(m[0])}"
        if len(m) == 1
        else f"m = {count(m[0])} to {count(m[-1])}"
        if m
        else "no tests"
    )
    family = (
        "one test per model" if m == [1] else f"Holm within each model, {family} pairs of groups"
    )
    said = ["No difference between the closest and the farthest group could be tested."]
    if tested:
        said = [
            f"In {count(clear)} of {count(n)} model-by-attribute comparisons the closest group differed significantly "
            f"from the farthest ({family})."
        ]
        one, gap = max(tested, key=lambda each: abs(each[1].estimate or 0.0))
        said.append(
            f"The largest difference, corrected for group size, was between {shorten(one.nearest, 40)} and "
            f"{shorten(one.high.label('people') or '', 30)} ({as_words(one.name, 30)}) for {shorten(one.model, 40)}: "
            f"{distance_text(gap)}, {sentences.p_of(gap)}."
        )
    said.append(
        f"Every model has a closest group, even by chance: {count(stable)} of {count(len(found))} stayed the closest "
        f"in at least {percent(level, 0)} of resamples."
    )
    return said


def gaps_by(name: str, families: Families) -> list[Row]:
    """Return the differences between the groups of an attribute; the caption names their family once."""
    return [
        replace(r, method=None, key=tuple(part for part in r.key if part[0] != "family"))
        for own, _ in families.values()
        for r in own
        if r.label("attribute") == name
    ]


def group_blocks(groups: Mapping[str, Result], families: Families, level: float) -> list[Block]:
    """Return a block for each attribute with a significant difference, and one for all others together."""
    clear = {
        name: sum(sentences.is_significant(r, 1 - level) for r in gaps_by(name, families))
        for name in groups
    }
    order = sorted((name for name in groups if clear[name]), key=lambda name: -clear[name])
    made = [
        group_block(
            name,
            groups[name],
            families,
            list(groups).index(name),
            clear[name],
            main=order.index(name) < MOST_MAIN,
        )
        for name in groups
        if clear[name]
    ]
    rest = {name: result for name, result in groups.items() if not clear[name]}
    return [*made, *([unclear_block(rest, families)] if rest else [])]


def about_groups(result: Result) -> tuple[Result, ...]:
    """Return the rows about groups as results of one kind of columns; the page states cautions and references once."""
    words = f"{as_words(str(result.settings['group']))}: distances to each group of people."
    return tuple(
        replace(
            result,
            rows=tuple(rows_about(result, "attribute", kind)),
            words=words,
            cautions=(),
            references=(),
        )
        for kind in ("people", "closest")
    )


def people_text(result: Result) -> str:
    """Return the groups with their numbers of people."""
    return ", ".join(
        f"{shorten(g, 30)} ({count(n)})" for g, n in result.extras["group_raters"].items()
    )


def holm_of(gaps: Sequence[Row]) -> str:
    """Return the family of the adjusted p-values for a caption; nothing where each model has one test."""
    adjusted = any(row.p_adjusted is not None for row in gaps)
    return (
        "; p (Holm): within each model, over all pairs of groups of all attributes"
        if adjusted
        else ""
    )


def group_block(
    name: str, result: Result, families: Families, k: int, clear: int, *, main: bool
) -> Block:
    """Show the distances to each group of an attribute, with the differences on the same units."""
    rows, words, gaps = (
        rows_about(result, "attribute", "people"),
        as_words(name),
        gaps_by(name, families),
    )
    looks = [replace(r, group=r.label("people")) for r in rows]
    tested = [r for r in gaps if r.p_value is not None]
    adjusted = [r for r in tested if r.p_adjusted is not None] or tested
    widest = max(adjusted, key=lambda r: abs(r.estimate or 0.0))
    return Block(
        id=f"group-{k + 1}",
        question=f"Were models closer to some people by {words}?",
        sentences=(
            f"{count(clear)} of {count(len(tested), 'difference')} between groups by {words} "
            f"{'was' if clear == 1 else 'were'} significant (Holm).",
            f"The largest, {widest.label('contrast')}, was that of {shorten(widest.term, 40)} "
            f"({sentences.stat(widest)}; below 0: closer to the group named first).",
            f"Human raters: {people_text(result)}.",
        ),
        draw=by_label(rows, "people", plain(looks), MOST_ROWS),
        figure_title=f"ADA-Met to the mode of each group of people by {words}",
        caption=f"{design_words(result)} Small groups have noisier modes and larger distances; only the tested "
        "differences are corrected.",
        tables=(
            dense_table(
                rows,
                f"ADA-Met by {words}",
                term="Model and group",
                short=True,
                labels=[f"{r.term} ({r.group})" for r in looks],
            ),
            dense_table(
                gaps,
                f"Differences by {words} on the same units, corrected for group size{holm_of(gaps)}",
                term="Model and pair",
                short=True,
                labels=[f"{r.term} ({r.label('contrast')})" for r in gaps],
            ),
        ),
        results=about_groups(result),
        part="main" if main else "appendix",
    )


def unclear_block(rest: Mapping[str, Result], families: Families) -> Block:
    """Show the attributes without a significant difference: models by groups in one heat map and one table."""
    cells = [
        replace(r, term=r.term, group=r.label("people"), n=None)
        for result in rest.values()
        for r in rows_about(result, "attribute", "people")
    ]
    names = [
        (name, r.label("people"))
        for name, result in rest.items()
        for r in rows_about(result, "attribute", "people")
    ]
    several = len({label for _, label in names}) < len(set(names))
    labels = [
        long if several or len(long) <= SHORT_LABEL else str(label)
        for name, label in names
        for long in (f"{as_words(name, 30)}: {label}",)
    ]
    cells = [replace(r, group=label) for r, label in zip(cells, labels, strict=True)]
    fits = max(len(set(labels)), len({r.term for r in cells})) <= MOST_CELLS
    values = [r.estimate for r in cells if r.estimate is not None]
    middle = float(np.median(values)) if values else 0.0
    far = max((abs(x - middle) for x in values), default=0.0) or 1.0
    gaps = [r for name in rest for r in gaps_by(name, families)]
    tested = [r for r in gaps if r.p_value is not None]
    said = [
        sentences.no_significance_sentence(
            len(tested),
            f"differences between groups by {listing([as_words(n) for n in rest], 9)}",
            adjusted=any(r.p_adjusted is not None for r in tested),
        )
        if tested
        else f"No difference between groups by {listing([as_words(n) for n in rest], 9)} could be tested."
    ]
    one = next(iter(rest.values()))
    return Block(
        id="groups-alike",
        question="Which attributes of people made no significant difference?",
        sentences=tuple(said),
        draw=partial(heat, cells, neutral=middle, extreme=far, xlabel="group of human raters")
        if fits
        else None,
        figure_title="ADA-Met of each model to each group of people" if fits else "",
        caption=f"Cells: mean distance in levels; blue: above the median ({number(middle, 2)}), orange: below; "
        f"n = {count(one.counts['units'], 'unit')}. Small groups have noisier modes and larger distances."
        if fits
        else "",
        tables=(
            *(
                []
                if fits
                else [
                    dense_table(
                        cells,
                        "ADA-Met by group",
                        term="Model and group",
                        short=True,
                        labels=[f"{r.term} ({r.group})" for r in cells],
                    )
                ]
            ),
            dense_table(
                gaps,
                f"Differences on the same units, corrected for group size{holm_of(gaps)}",
                term="Model and pair",
                short=True,
                labels=[
                    f"{r.term} ({as_words(r.label('attribute') or '', 30)}: {r.label('contrast')})"
                    for r in gaps
                ],
            ),
        ),
        results=tuple(part for result in rest.values() for part in about_groups(result)),
    )


REFUSED_AS_LEVEL, NOMINAL = "nominal, refusals as a level", "nominal"
SHORT = {REFUSED_AS_LEVEL: "with refusals"}  # figure labels
MOST_ALPHAS, MOST_SIZES = 200, 6


Alphas = dict[str, Result]  # by kind; the alpha on the scale of the design is last


def ordered(alphas: Alphas) -> Result:
    """Return alpha on the scale of the design."""
    return list(alphas.values())[-1]


def range_text(alphas: Mapping[str, Alphas], by: str) -> tuple[str, ...]:
    """State alpha with and without the order of the levels, of one table or over several, which `by` tells apart."""
    first = next(iter(alphas.values()))
    if len(alphas) == 1:
        main = ordered(first)
        units, raters = main.counts["units"], main.counts.get("raters")
        others = [
            f"Krippendorff's α ({kind}) was {sentences.estimate_text(r.rows[0])}."
            for kind, r in first.items()
            if r is not main
        ]
        name = f"Krippendorff's α ({main.settings['scale']})"
        if main.rows[0].estimate is None:
            return (sentences.no_number(name, main.rows[0].undefined or "no estimate"), *others)
        return (
            sentences.agreement_sentence(name, main.rows[0], units, raters, band_of(main.rows[0])),
            *others,
        )
    said = []
    for kind in (list(first)[-1], NOMINAL, REFUSED_AS_LEVEL):
        rows = [
            replace(own[kind].rows[0], term=label) for label, own in alphas.items() if kind in own
        ]
        if known := known_rows(rows):
            low, high = (
                f"{sentences.estimate_text(r)} ({shorten(r.term, 40)})" for r in ends(known)
            )
            said.append(f"Krippendorff's α ({kind}) ranged from {low} to {high}.")
    return (f"Agreement was estimated at {count(len(alphas), 'level')} of {as_words(by)}.", *said)


def alphas_of(design: Ratings, raters: Sequence[str] | None, common: dict[str, Any]) -> Alphas:
    """Return the alphas; empty where no unit has two ratings."""
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
            return {}
    return found


def groups_of_models(
    design: Ratings, models: Sequence[str], besides: str | None = None
) -> dict[str, tuple[str, ...]]:
    """Return the models of each level of each group of raters, such as a family, that has two or more of them."""
    place = {rater: k for k, rater in enumerate(design.raters)}
    found: dict[str, tuple[str, ...]] = {}
    for name, factor in design.rater_groups.items():
        for code, level in enumerate(factor.levels):
            own = tuple(model for model in models if factor.codes[place[model]] == code)
            if name != besides and 1 < len(own) < len(models):
                found[f"{name} = {level}"] = own
    return dict(list(found.items())[:MOST_FAMILIES])


def matches_of(
    design: Ratings, people: Sequence[str], models: Sequence[str], common: dict[str, Any]
) -> dict[str, Any]:
    """Return for each model how often its answer is the one that most people gave; tied modes count in part."""
    crowd, found = replace(design.of_raters(people), by=None), {}
    for model in models[:MOST_ROWS]:
        own = (design.rater == design.raters.index(model)) & (design.status == OK)
        said = {
            design.units[u]: design.levels[v]
            for u, v in zip(design.unit[own].tolist(), design.value[own].tolist(), strict=True)
        }
        with suppress(NothingToAnalyse, InputError):
            found[model] = majority_vote_accuracy(crowd, truth=said, **common)
    return found


def matches_block(matches: Mapping[str, Any], human: str) -> Block | None:
    """Show the share of units in which each model gives the people's most frequent answer."""
    rows = [
        replace(result.row("accuracy"), term=model, group=None) for model, result in matches.items()
    ]
    known = [row for row in rows if row.estimate is not None]
    if not known:
        return None
    tied = next(iter(matches.values())).row("tied")
    low, high = (f"{sentences.estimate_text(r)} ({shorten(r.term, 40)})" for r in ends(known))
    rule = (
        "Of m tied modes each counted 1/m here; a distance is taken from their mean."
        if tied.estimate
        else ""
    )
    return Block(
        id="matches",
        question=f"How often did a model give exactly the most frequent {shorten(human, 30)} answer?",
        sentences=(
            *(
                (f"The share of exact matches was lowest at {low}.", f"It was highest at {high}.")
                if len(known) > 1
                else (f"The share of exact matches was {low}.",)
            ),
            *filter(None, [rule]),
        ),
        draw=partial(forest, known, reference=None, xlabel="share of exact matches"),
        figure_title=f"Share of units with the most frequent {shorten(human, 30)} answer",
        caption=f"Points and bars: shares and CIs; share of units with tied modes: {sentences.estimate_text(tied)}. "
        "Refusals and missing answers are excluded.",
        tables=(rows_table(rows, "Share of exact matches", term="Model"),),
        results=tuple(matches.values()),
        part="appendix",
    )


def annotators_table(
    design: Ratings, people: Sequence[str], attributes: Sequence[str]
) -> PageTable:
    """Return who the people are: how many of each group there are, and how many answers they gave."""
    place = np.array([design.raters.index(name) for name in people], dtype=np.int64)
    given = np.bincount(design.rater[design.status == OK], minlength=len(design.raters))[place]
    groups = [("all", "", np.ones(len(place), dtype=bool))]
    for name in attributes:
        factor = design.rater_groups[name]
        codes = factor.codes[place]
        said = as_words(name)
        groups += [
            (said, level, codes == k) for k, level in enumerate(factor.levels) if np.any(codes == k)
        ]
        groups += [(said, "missing", codes < 0)] if np.any(codes < 0) else []
    cells = tuple(
        (
            name,
            level,
            int(own.sum()),
            percent(float(own.mean())),
            int(given[own].sum()),
            float(np.median(given[own])),
            int(given[own].min()),
            int(given[own].max()),
        )
        for name, level, own in groups
    )
    header = (
        "Attribute",
        "Level",
        "People",
        "Share of people",
        "Answers",
        "Median per person",
        "Fewest",
        "Most",
    )
    return PageTable("Human raters and their answers", header, cells)


def alphas_block(alphas: Mapping[str, Alphas], by: str) -> Block | None:
    """Show every alpha, those of one table or source beneath each other."""
    if not alphas:
        return None
    rows, drawn = (
        [
            replace(r.rows[0], term=f"{label}: {short.get(kind, kind)}", group=None)
            for label, own in alphas.items()
            for kind, r in own.items()
        ]
        for short in ({}, SHORT)
    )
    higher = sum(
        (ordered(own).rows[0].estimate or 0.0) > (own[NOMINAL].rows[0].estimate or 0.0)
        for own in alphas.values()
    )
    kind, what = list(next(iter(alphas.values())))[-1], "table" if by != "source" else "source"
    return Block(
        id="agreement",
        question="Did raters agree, and did the order of the levels matter?",
        sentences=(
            *(
                f"Krippendorff's α ({kind}) was {sentences.estimate_text(ordered(own).rows[0])} ({shorten(label, 40)})."
                for label, own in list(alphas.items())[:MOST_SIZES]
            ),
            f"The nominal α, which ignores level order, was lower in {count(higher)} of {count(len(alphas), what)}; "
            "this was not tested.",
        ),
        draw=partial(
            forest, drawn[:MOST_ALPHAS], sort=False, xlabel="alpha: 1 = perfect, 0 = chance"
        ),
        figure_title="Krippendorff's alpha without and with the order of the levels",
        caption=f"Points and bars: alpha and {alpha_design(alphas)} With refusals: nominal, refusals as a level.",
        tables=(
            rows_table(rows, "Krippendorff's alpha", term=f"{capital(as_words(by))} and kind"),
        ),
        results=tuple(result for own in alphas.values() for result in own.values()),
    )


def alpha_design(alphas: Mapping[str, Alphas]) -> str:
    """Return what a caption says of intervals, answers, raters and clusters."""
    first = ordered(next(iter(alphas.values())))
    held = clusters_caption(getattr(first.design, "clusters", ()), None)
    sizes = {
        label: f"{count(int(one.rows[0].n or 0), 'answer')} of {count(len(one.design.raters), 'rater')}"
        for label, one in ((label, ordered(own)) for label, own in alphas.items())
    }
    alike = len(set(sizes.values())) == 1
    said = (
        f"{next(iter(sizes.values()))}{' in each' * (len(sizes) > 1)}"
        if alike
        else listing(
            [f"{shorten(label, 30)}: {size}" for label, size in sizes.items()], most=MOST_SIZES
        )
    )
    return f"{percent_of(first.settings['level'])} CIs (over units); {said}{f'; {held}' if held else ''}."


def strata_block(
    parts: Mapping[str, Ratings], stratum: str, k: int, common: dict[str, Any]
) -> Block | None:
    """Show alpha on the scale of the design in each level of a stratum, for each part of the table."""
    found: dict[str, Any] = {}
    for label, part in parts.items():
        try:
            found[label] = krippendorff_alpha(replace(part, by=None), stratum=stratum, **common)
        except SocialStatsError:
            continue
    several = len(parts) > 1
    rows = [
        replace(r, term=f"{f'{label}, ' if several else ''}{r.group}", group=None)
        for label, result in found.items()
        for r in result.rows
        if r.group is not None
    ]
    if not (known := known_rows(rows)):
        return None
    low, high = (f"{sentences.estimate_text(r)} ({shorten(r.term, 60)})" for r in ends(known))
    name, sizes = as_words(stratum), sorted(int(row.n or 0) for row in known)
    each = (
        f"{count(sizes[0])} to {count(sizes[-1], 'answer')}"
        if sizes[0] < sizes[-1]
        else count(sizes[0], "answer")
    )
    return Block(
        id=f"stratum-{k + 1}",
        question=f"How well did raters agree at each level of {name}?",
        sentences=(f"Alpha was lowest at {low}.", f"It was highest at {high}."),
        draw=partial(forest, rows[:MOST_ALPHAS], sort=False, xlabel="alpha", label=name),
        figure_title=f"Krippendorff's alpha by {name}",
        caption=f"Points and bars: alpha and {percent_of(common['level'])} CIs (over units); n = {each} at each level. "
        "Where answers vary little, alpha is low even if raters mostly agree.",
        tables=(rows_table(rows, f"Krippendorff's alpha by {name}", term=capital(name)),),
        results=tuple(found.values()),
        part="main" if k < MOST_MAIN else "appendix",
    )


USED = ("seed", "resamples", "level", "verify")
MOST_RATERS_SHOWN = 30


def describe(design: Ratings) -> str:
    """Return the design in one line: kind, and n at every level."""
    parts = [
        count(design.n_rows, "answer"),
        count(design.unit_count.sum(), "unit"),
        count(len(design.raters), "rater"),
        f"{design.scale} scale ({level_words(design)})",
        *cluster_words(design),
    ]
    return "Ordered answers: " + ", ".join(parts)


def without_people(parts: Mapping[str, Ratings], design: Ratings, options: StudyOptions) -> Outcome:
    """Answer a table of models alone: their agreement, with and without the order of the levels."""
    common: dict[str, Any] = {
        "level": options.level,
        "seed": options.seed,
        "resamples": options.resamples,
    }
    alphas = {level: own for level, part in parts.items() if (own := alphas_of(part, None, common))}
    alphas |= {
        f"{level}, {name}": own
        for level, part in parts.items()
        for name, some in groups_of_models(part, part.raters).items()
        if (own := alphas_of(part, some, common))
    }
    if not alphas:
        raise InputError(f"{design.source}: no unit has two answers, so agreement is undefined")
    by = design.by.name if design.by is not None else "answers"
    found = (
        alphas_block(alphas, by),
        *(strata_block(parts, name, k, common) for k, name in enumerate(design.strata)),
    )
    shown = tuple(block for block in found if block is not None)
    named = {f"{label}, {kind}": r for label, own in alphas.items() for kind, r in own.items()}
    results = list(named.values())
    several = len(parts) > 1
    return Outcome(
        study="ordinal-alignment",
        title=f"Do the {count(len(design.raters))} models agree, and does the order of the levels matter?",
        design=describe(design),
        verdict=verdict_on_models(alphas),
        answer=range_text(alphas, by),
        planning=planned_alpha(alphas),
        cautions=order_cautions(*(r.cautions for r in results), design.cautions),
        blocks=shown,
        flow=design.flow,
        data=tuple(
            replace(t, caption=f"{shorten(level, 40)}: {t.caption}" if several else t.caption)
            for level, part in parts.items()
            for t in about_ratings(part)
        ),
        methods=(
            f"Agreement was estimated by Krippendorff's alpha ({list(next(iter(alphas.values())))[-1]} and nominal). "
            f"{percent_of(options.level)} CIs used {results[0].inference}.",
            "Nominal alpha treats any two levels as equally different; refusals were excluded, or counted as one more "
            "level. Ordinal alpha weights disagreements by the answers between two levels. The table has no human "
            "raters, so distances to people are undefined.",
            f"Models: {listing([shorten(r, 30) for r in design.raters], most=MOST_RATERS_SHOWN)}.",
        ),
        references=tuple(dict.fromkeys(key for r in results for key in r.references)),
        verifications=verify_all(named, shown) if options.verify else {},
        settings=settings_of(options, USED),
        simulated=options.simulated,
    )


def verdict_on_models(alphas: Mapping[str, Alphas]) -> Conclusion:
    """Return whether the models agree with each other enough for conclusions."""
    rows = [ordered(held).rows[0] for held in alphas.values()]
    low = min(rows, key=lambda row: row.estimate or 0.0)
    several = "of each level " if len(rows) > 1 else ""
    return verdict_of(
        f"models {several}agree with each other to some degree; {RELIABLE[enough_of(low)]}",
        certainty="interval",
    )


def planned_alpha(alphas: Mapping[str, Alphas]) -> tuple[str, ...]:
    """Return how many more units or clusters would halve the interval of a single alpha; nothing for several."""
    if len(alphas) > 1:
        return ()
    return planned(ordered(next(iter(alphas.values()))), None)

"""Distances from people's modes, by model and by group, and agreement beside them: blocks and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.designs.ratings import OK, REFUSAL, Ratings
from socialstats.errors import InputError, NothingToAnalyse, SocialStatsError, UndefinedStatistic
from socialstats.figures import Bar, dumbbell, forest, shares
from socialstats.figures.shares import MOST_BARS, MOST_LEVELS
from socialstats.metrics.krippendorff_alpha import krippendorff_alpha
from socialstats.metrics.majority_vote_accuracy import majority_vote_accuracy
from socialstats.models.sources import Source
from socialstats.results import Result, Row
from socialstats.studies.estimates import (
    clear_text,
    cluster_words,
    clusters_caption,
    numbers_text,
    p_text,
    rows_table,
    settings_of,
    span_text,
    verify_all,
)
from socialstats.studies.page import Block, Mark, Outcome, Strip, StudyOptions, Table, order_cautions
from socialstats.studies.ratings import about_ratings, level_words
from socialstats.text import count, level_text, listing, number, p_value, percent, shorten

MOST_ROWS, MOST_IN_DUMBBELL, MOST_FAMILIES = 200, 5, 12
RULES = {"max": "width of the scale", "item_max": "farthest answer to the item", "exclude": "left out"}
AXIS = "mean distance from the mode (levels)"


def rows_about(result: Result, *dimensions: str) -> list[Row]:
    """Return the rows whose key has these dimensions beside the model."""
    return [row for row in result.rows if tuple(name for name, _ in row.key) == ("model", *dimensions)]


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


def final_p(row: Row | None) -> float | None:
    """Return the adjusted p where there is one, else the p."""
    return None if row is None else row.p_value if row.p_adjusted is None else row.p_adjusted


def line_rows(result: Result) -> dict[str, Row]:
    """Return the ceiling (a random person), the best constant answer and the uniform answer."""
    lines = {kind: [r for r in result.rows if r.label("line") == kind] for kind in ("ceiling", "constant", "uniform")}
    constants = known_rows(lines["constant"])
    return {kind: ends(constants)[0] if kind == "constant" and constants else found[-1]
            for kind, found in (lines | ({} if constants else {"constant": lines["uniform"]})).items()}  # fmt: skip


def plain(rows: Sequence[Row]) -> list[Row]:
    """Return rows without their group and method."""
    return [replace(r, group=None, method=None) for r in rows]


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
    for kind, words, start in (
        ("nearest", "the nearest model", ""),
        ("constant", "the best constant answer", "always "),
    ):
        if rows := rows_about(result, kind):
            name = shorten(f"{start}{rows[0].label(kind)}", 40)
            caption = f"Distance less that of {words} here ({name}), on the same units; p (Holm): over the models"
            found.append(dense_table(plain(rows), caption, term="Model"))
    return found


def distance_block(result: Result, source: Source) -> Block:
    """Show each model between a random person and answers that need no model."""
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
            dense_table(plain([r for r in result.rows if r.label("line")]), "What needs no model", term="Answer"),
        ),
        results=(result,),
    )


def by_label(rows: Sequence[Row], dimension: str, forest_rows: Sequence[Row], few: int = 10**6) -> Any:
    """Return what draws rows by a label: a dumbbell a model where the labels are few, else a forest."""
    looks = [replace(r, group=r.label(dimension)) for r in rows]
    labels = list(dict.fromkeys(r.group or "" for r in looks))
    if len(labels) <= MOST_IN_DUMBBELL and len(looks) <= few:
        return partial(dumbbell, looks[:MOST_ROWS], targets=dict.fromkeys(labels), xlabel=AXIS)
    return partial(forest, forest_rows[:MOST_ROWS], sort=False, reference=None, xlabel=AXIS)


def stratum_block(name: str, result: Result, k: int) -> Block:
    """Show the distances in each level of a stratum."""
    rows, words = rows_about(result, "stratum"), shorten(name, 40)
    lines = [replace(r, term=f"{r.term}, {r.label('stratum')}", group=None) for r in rows]
    said = "No level has a distance."
    if known := known_rows(lines):
        texts = [f"{numbers_text(r)} ({shorten(r.term, 60)})" for r in ends(known)]
        said = f"Distances run from {texts[0]} to {texts[1]}."
    return Block(
        id=f"stratum-{k + 1}",
        question=f"Does the distance differ by {words}?",
        sentences=(said,),
        draw=by_label(rows, "stratum", lines),
        figure_title=f"ADA-Met by {words}",
        caption=f"Each level by itself: whether two levels differ is not tested here. {design_words(result)}",
        tables=(dense_table(lines, f"ADA-Met by {words}", term=f"Model and {shorten(name, 30)}"),),
        results=() if k == 0 else (result,),
    )


def rules_block(rules: Mapping[str, Result], source: Source) -> Block | None:
    """Show the distances by what a refusal counts as, and who refused where; None where nobody refused."""
    if not rules:
        return None
    found = [r for r in next(iter(rules.values())).rows if r.label("share") == "refused"]
    shares = [r for term in dict.fromkeys(r.term for r in found) for r in found if r.term == term]
    some = {r.term for r in shares if r.estimate}  # of the others all rules say the same
    looks = [
        replace(r, group=RULES[rule]) for rule, result in rules.items() for r in model_rows(result) if r.term in some
    ]
    shares = [r for r in shares if r.label("stratum") is None or r.term in some]
    worst = ends(known_rows([r for r in shares if r.label("stratum") is None]))[1]
    said = "; ".join(f"{r.group}: {numbers_text(r)}" for r in looks if r.term == worst.term)
    stratum = next(iter(rules.values())).settings["stratum"]
    labels = [r.term if (level := r.label("stratum")) is None else f"{r.term}, {stratum} = {level}" for r in shares]
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


def near_block(result: Result) -> Block | None:
    """Show how the distances of single units divide; None where the scale has too many steps."""
    rows = known_rows(rows_about(result, "distance"))
    if not rows:
        return None
    bars = [Bar(label=model, rows=tuple(replace(r, term=r.label("distance") or "") for r in rows if r.term == model))
            for model in dict.fromkeys(r.term for r in rows)]  # fmt: skip
    hit = [r for r in rows if r.label("distance") == "0"]
    fits = len(bars) <= MOST_BARS and len({len(one.rows) for one in bars}) == 1 and len(bars[0].rows) <= MOST_LEVELS
    texts = [f"{numbers_text(r, digits=3, bounded=True)} ({shorten(r.term, 40)})" for r in ends(hit)]
    return Block(
        id="near",
        question="How often is the answer the mode itself, and how often far off?",
        sentences=(f"The share of units at distance 0 lies between {texts[0]} and {texts[1]}." if len(hit) > 1 else
                   f"The share of units at distance 0 is {texts[0]}.",),
        draw=partial(shares, bars, xlabel="Share of units, by levels from the mode") if fits else None,
        figure_title="How the distances of single units divide, model by model" if fits else "",
        caption="Distances rounded to whole levels, a half (from tied modes) to the even one; 0 is the mode itself. "
        f"{count(result.counts['units'], 'unit')}, {count(len(bars), 'model')}; intervals: Wilson's.",
        tables=(dense_table(rows, "Share of units by distance", term="Model and distance", short=True,
                           labels=[f"{r.term}: {r.label('distance')}" for r in rows]),),
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
    def tied(self) -> bool:
        """Whether all groups are equally close."""
        return self.low.estimate == self.high.estimate

    @property
    def nearest(self) -> str:
        """Name of the closest group, or of several that are equally close."""
        return (self.low.label("people") if self.again is None else self.again.label("closest")) or ""

    def cells(self) -> tuple[str | float | int | None, ...]:
        """Cells of the table; all groups equally close: no farthest, and nothing to be stable."""
        near = (self.model, self.name, self.nearest, self.low.estimate, ends_text(self.low))
        if self.tied:
            return (*near, *[None] * 7)
        return (*near, self.high.label("people"), self.high.estimate, ends_text(self.high),
                None if self.gap is None else self.gap.estimate, ends_text(self.gap), p_text(final_p(self.gap)),
                None if self.again is None else self.again.estimate)  # fmt: skip


CLOSEST_HEADER = (
    "Model", "Attribute", "Closest", "Distance", "Interval", "Farthest", "Distance", "Interval", "Difference",
    "Interval", "p (Holm)", "Stability",
)  # fmt: skip


def ends_text(row: Row | None) -> str | None:
    """Write the ends of an interval."""
    if row is None or row.conf_low is None or row.conf_high is None:
        return None
    return f"{number(row.conf_low, 2)} to {number(row.conf_high, 2)}"


def closest_groups(groups: Mapping[str, Result], families: Families) -> list[Closest]:
    """Return the closest group of each model and attribute that has two groups or more."""
    made = []
    gaps = {(r.term, r.label("attribute"), frozenset((r.label("people"), r.label("versus")))): r
            for rows, _ in families.values() for r in rows}  # fmt: skip
    for model in families:
        for name, result in groups.items():
            own = [r for r in known_rows(rows_about(result, "attribute", "people")) if r.term == model]
            if len(own) < 2:
                continue
            low, high = ends(own)
            gap = gaps.get((model, name, frozenset((low.label("people"), high.label("people")))))
            p = {} if gap is None else result.extras["permutation_p"].get(gap.label("contrast"), {})
            again = next((r for r in rows_about(result, "attribute", "closest") if r.term == model), None)
            made.append(
                Closest(model=model, name=name, low=low, high=high, again=again, gap=gap, permuted=p.get(model))
            )
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
    tested = [(one, one.gap, p) for one in found if one.gap is not None and (p := final_p(one.gap)) is not None]
    settled = sum(p < 0.05 for _, _, p in tested)
    stable = sum(one.again is not None and (one.again.estimate or 0.0) >= 0.95 for one in found)
    said = [
        f"Some group is always the closest. Of {count(len(found), 'closest group')}, {count(settled)} differ from the "
        f"farthest group (adjusted p below .05), and {count(stable)} stay the closest in at least .95 of the resamples."
    ]
    if tested:
        one, gap, p = max(tested, key=lambda each: abs(each[1].estimate or 0.0))
        said.insert(0, (
            f"The widest difference: {shorten(one.model, 40)} was closest to {shorten(one.name, 30)} "
            f"{shorten(one.nearest, 40)} (ADA-Met {number(one.low.estimate, 2)}) and farthest from "
            f"{shorten(one.high.label('people') or '', 30)} ({number(one.high.estimate, 2)}); difference "
            f"({shorten(gap.label('contrast') or '', 60)}), less what sizes give, {numbers_text(gap)}, "
            f"{p_value(p, name='adjusted p')}."
        ))  # fmt: skip
    both = [(one.permuted, gap.p_value) for one, gap, _ in tested
            if one.permuted is not None and gap.p_value is not None]  # fmt: skip
    if other := sum((permuted < 0.05) != (p < 0.05) for permuted, p in both):
        said.append(
            "Permuting people between the two groups, which asks whether the groups answer alike rather than lie "
            f"equally far off, decides otherwise in {count(other)} of {count(len(both))} (unadjusted p on other sides "
            "of .05)."
        )
    return said


def group_block(name: str, result: Result, families: Families, k: int, attributes: int) -> Block:
    """Show the distances to each group of people, with the differences on the same units."""
    rows = rows_about(result, "attribute", "people")
    looks = [replace(r, group=r.label("people")) for r in rows]
    gaps = [  # the caption names the family once for all models
        replace(r, method=None, key=tuple(part for part in r.key if part[0] != "family"))
        for own, _ in families.values() for r in own if r.label("attribute") == name
    ]  # fmt: skip
    known = [r for r in gaps if r.p_value is not None]
    clear = [r for r in known if (final_p(r) or 1.0) < 0.05]
    sizes = ", ".join(f"{shorten(g, 30)} ({count(n)})" for g, n in result.extras["group_raters"].items())
    words, drawn = shorten(name, 40), attributes <= MOST_FIGURES or bool(clear)
    listed = drawn or len(gaps) <= MOST_UNCLEAR
    said = (
        f"Of {count(len(known), 'difference')} between groups by {words}, {clear_text(len(clear), len(known))}. "
        f"People: {sizes}."
    )
    tables = [dense_table(rows, f"ADA-Met by {words}", term="Model and group", short=True,
                          labels=[f"{r.term} ({r.group})" for r in looks])]  # fmt: skip
    if listed:
        caption = (f"Differences by {words} on the same units, less what sizes give; p (Holm): over the pairs of all "
                   "attributes, model by model")  # fmt: skip
        tables.append(dense_table(gaps, caption, term="Model and pair", short=True,
                                  labels=[f"{r.term} ({r.label('contrast')})" for r in gaps]))  # fmt: skip
    return Block(
        id=f"group-{k + 1}",
        question=f"Is a model closer to some people by {words}?",
        sentences=(said,),
        draw=by_label(rows, "people", plain(looks), MOST_ROWS) if drawn else None,
        figure_title=f"ADA-Met to the mode of each group of people by {words}" if drawn else "",
        caption=f"Modes of few people are noisier and lie farther off any model: the differences allow for it, the "
        f"marks do not. {design_words(result)}" if drawn else "Not drawn, as no difference is clear."
        + ("" if listed else " The widest of each model is in the table of closest groups, all others in the numbers "
           "that the page carries (socialstats show PAGE --json)."),
        tables=tuple(tables),
        # rows of a kind have the same columns, which makes them short; cautions and references are those of the page
        results=tuple(replace(result, rows=tuple(rows_about(result, "attribute", kind)), words=said, cautions=(),
                              references=()) for kind in ("people", "closest")),
    )  # fmt: skip


REFUSED_AS_LEVEL, NOMINAL = "nominal, refusals as a level", "nominal"
SHORT = {REFUSED_AS_LEVEL: "with refusals"}  # in figures
MOST_ALPHAS, MOST_SIZES = 200, 6


Alphas = dict[str, Result]  # alphas of one set of ratings by kind, the one that uses the order last


def ordered(alphas: Alphas) -> Result:
    """Return alpha on the scale of the design."""
    return list(alphas.values())[-1]


def alpha_sentence(alphas: Alphas) -> str:
    """Say all kinds; a nominal alpha of an ordered scale counts neighbours as strangers."""
    said = [f"{kind} {numbers_text(r.rows[0], digits=3, bounded=True)}" for kind, r in alphas.items()]
    return f"alpha {'; '.join(said)}."


def range_text(alphas: Mapping[str, Alphas], by: str) -> tuple[str, ...]:
    """Say alpha with the order of the levels and without it, over several tables, which `by` tells apart."""
    first = next(iter(alphas.values()))
    if len(alphas) == 1:
        return (f"Krippendorff's {alpha_sentence(first)}",)
    said = []
    for kind in (list(first)[-1], NOMINAL, REFUSED_AS_LEVEL):
        rows = [replace(own[kind].rows[0], term=label) for label, own in alphas.items() if kind in own]
        if known := known_rows(rows):
            texts = [f"{numbers_text(r, digits=3, bounded=True)} ({shorten(r.term, 40)})" for r in ends(known)]
            said.append(f"{kind}: {texts[0]} to {texts[1]}")
    return (
        f"Over {number(len(alphas), 0)} levels of {shorten(by, 40)}, Krippendorff's alpha runs: {'; '.join(said)}.",
    )


def alphas_of(design: Ratings, raters: Sequence[str] | None, common: dict[str, Any]) -> Alphas:
    """Compute the alphas; empty where no unit has two ratings."""
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


def groups_of_models(design: Ratings, models: Sequence[str], besides: str | None = None) -> dict[str, tuple[str, ...]]:
    """Return the models of each level of each group of raters, such as a family, that has two or more of them."""
    place = {rater: k for k, rater in enumerate(design.raters)}
    found: dict[str, tuple[str, ...]] = {}
    for name, factor in design.rater_groups.items():
        for code, level in enumerate(factor.levels):
            own = tuple(model for model in models if factor.codes[place[model]] == code)
            if name != besides and 1 < len(own) < len(models):
                found[f"{name} = {level}"] = own
    return dict(list(found.items())[:MOST_FAMILIES])


def matches_of(design: Ratings, people: Sequence[str], models: Sequence[str], common: dict[str, Any]) -> dict[str, Any]:
    """Return for each model how often its answer is the one that most people gave; tied modes count in part."""
    crowd, found = replace(design.of_raters(people), by=None), {}
    for model in models[:MOST_ROWS]:
        own = (design.rater == design.raters.index(model)) & (design.status == OK)
        said = {design.units[u]: design.levels[v]
                for u, v in zip(design.unit[own].tolist(), design.value[own].tolist(), strict=True)}  # fmt: skip
        with suppress(NothingToAnalyse, InputError):
            found[model] = majority_vote_accuracy(crowd, truth=said, **common)
    return found


def matches_block(matches: Mapping[str, Any], human: str) -> Block | None:
    """Show the share of units in which each model gives the people's most frequent answer."""
    rows = [replace(result.row("accuracy"), term=model, group=None) for model, result in matches.items()]
    known = [row for row in rows if row.estimate is not None]
    if not known:
        return None
    tied = next(iter(matches.values())).row("tied")
    return Block(
        id="matches",
        question=f"How often does a model give exactly the most frequent {shorten(human, 30)} answer?",
        sentences=(f"The share of exact matches {span_text(known, bounded=True)}.",),
        draw=partial(forest, known, digits=3, reference=None, xlabel="share of exact matches"),
        figure_title=f"Share of units in which the answer is the most frequent {shorten(human, 30)} one",
        caption=f"Of m tied modes each counts 1/m; modes are tied in {numbers_text(tied, bounded=True)} of the units. "
        "Refusals and missing answers are left out. An answer next to the mode counts as much as one far away.",
        tables=(rows_table(rows, "Share of exact matches", term="Model"),),
        results=tuple(matches.values()),
    )


def annotators_table(design: Ratings, people: Sequence[str], attributes: Sequence[str]) -> Table:
    """Return who the people are: how many of each group there are, and how many answers they gave."""
    place = np.array([design.raters.index(name) for name in people], dtype=np.int64)
    given = np.bincount(design.rater[design.status == OK], minlength=len(design.raters))[place]
    groups = [("all", "", np.ones(len(place), dtype=bool))]
    for name in attributes:
        factor = design.rater_groups[name]
        codes = factor.codes[place]
        groups += [(name, level, codes == k) for k, level in enumerate(factor.levels) if np.any(codes == k)]
        groups += [(name, "not said", codes < 0)] if np.any(codes < 0) else []
    cells = tuple(
        (name, level, int(own.sum()), percent(float(own.mean())), int(given[own].sum()),
         float(np.median(given[own])), int(given[own].min()), int(given[own].max()))
        for name, level, own in groups
    )  # fmt: skip
    return Table("The people, and how many answers they gave",
                 ("Attribute", "Level", "People", "Share of people", "Answers", "Median a person", "Fewest", "Most"),
                 cells, digits=1)  # fmt: skip


def alphas_block(alphas: Mapping[str, Alphas], by: str) -> Block | None:
    """Show every alpha, those of one table or source beneath each other."""
    if not alphas:
        return None
    rows, drawn = (
        [replace(r.rows[0], term=f"{label}: {short.get(kind, kind)}", group=None)
         for label, own in alphas.items() for kind, r in own.items()] for short in ({}, SHORT)
    )  # fmt: skip
    higher = sum((ordered(own).rows[0].estimate or 0.0) > (own[NOMINAL].rows[0].estimate or 0.0)
                 for own in alphas.values())  # fmt: skip
    kind = list(next(iter(alphas.values())))[-1]
    return Block(
        id="agreement",
        question="Do they agree, and does the order of the levels matter?",
        sentences=(
            *(f"{shorten(label, 40)}: {alpha_sentence(own)}" for label, own in alphas.items()),
            f"With the order of the levels ({kind}) alpha is higher than the nominal one in "
            f"{number(higher, 0)} of {number(len(alphas), 0)} {'tables' if by != 'source' else 'sources'}; a nominal "
            "alpha counts neighbouring levels as strangers.",
        ),
        draw=partial(forest, drawn[:MOST_ALPHAS], sort=False, digits=3, xlabel="alpha; 0 = as by chance"),
        figure_title="Krippendorff's alpha without and with the order of the levels",
        caption="Same ratings, other ideas of disagreement (with refusals: nominal, refusals as one more level). 1 is "
        f"perfect agreement, 0 what chance gives. {alpha_design(alphas)}",
        tables=(rows_table(rows, "Krippendorff's alpha", term=f"{shorten(by, 40)} and kind"),),
        results=tuple(result for own in alphas.values() for result in own.values()),
    )


def alpha_design(alphas: Mapping[str, Alphas]) -> str:
    """Return what a caption says of units, raters, clusters and intervals."""
    first = ordered(next(iter(alphas.values())))
    held = clusters_caption(getattr(first.design, "clusters", ()), None)
    sizes = {
        label: f"{count(int(one.rows[0].n or 0), 'answer')} of {count(len(one.design.raters), 'rater')}"
        for label, one in ((label, ordered(own)) for label, own in alphas.items())
    }
    alike = len(set(sizes.values())) == 1
    said = f"Each: {next(iter(sizes.values()))}" if alike else listing(
        [f"{shorten(label, 30)}: {size}" for label, size in sizes.items()], most=MOST_SIZES)  # fmt: skip
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
    if not (known := known_rows(rows)):
        return None
    low, high = (f"{numbers_text(r, digits=3, bounded=True)} ({shorten(r.term, 60)})" for r in ends(known))
    name, sizes = shorten(stratum, 40), sorted(int(row.n or 0) for row in known)
    each = f"{count(sizes[0])} to {count(sizes[-1], 'answer')}" if sizes[0] < sizes[-1] else count(sizes[0], "answer")
    return Block(
        id=f"stratum-{k + 1}",
        question=f"Does agreement differ by {name}?",
        sentences=(f"Alpha runs from {low} to {high}.",),
        draw=partial(forest, rows[:MOST_ALPHAS], sort=False, digits=3, xlabel="alpha", label=name),
        figure_title=f"Krippendorff's alpha by {name}",
        caption="Where values vary little alpha is low even if raters mostly agree. "
        f"{each} each; {level_text(common['level'])} intervals over units.",
        tables=(rows_table(rows, f"Krippendorff's alpha by {name}", term=name),),
        results=tuple(found.values()),
    )


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
    alphas = {level: own for level, part in parts.items() if (own := alphas_of(part, None, common))}
    alphas |= {f"{level}, {name}": own for level, part in parts.items() for name, some in
               groups_of_models(part, part.raters).items() if (own := alphas_of(part, some, common))}  # fmt: skip
    if not alphas:
        raise InputError(f"{design.source}: no unit has two answers, so that nothing can be said about agreement")
    by = design.by.name if design.by is not None else "answers"
    found = (alphas_block(alphas, by), *(strata_block(parts, name, k, common) for k, name in enumerate(design.strata)))
    shown = tuple(block for block in found if block is not None)
    named = {f"{label}, {kind}": r for label, own in alphas.items() for kind, r in own.items()}
    results = list(named.values())
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
        verifications=verify_all(named, shown) if options.verify else {},
        settings=settings_of(options, USED),
        simulated=options.simulated,
    )  # fmt: skip


def alpha_strip(alphas: Mapping[str, Alphas]) -> Strip:
    """Return ordinal alpha of each level beside chance and the customary lines."""
    marks = [Mark(label=name, value=value, kind="reference")
             for name, value in (("chance", 0.0), ("tentative", 0.667), ("firm", 0.8))]  # fmt: skip
    marks += [row_mark(replace(ordered(own).rows[0], term=label)) for label, own in alphas.items()]
    return Strip(title="Krippendorff's alpha with the order of the levels", axis="1 = perfect agreement",
                 marks=tuple(marks), digits=3)  # fmt: skip


def row_mark(row: Row) -> Mark:
    """Return a row as a mark on a strip."""
    return Mark(label=shorten(row.term, 40), value=row.estimate, low=row.conf_low, high=row.conf_high,
                undefined=row.undefined or "")  # fmt: skip

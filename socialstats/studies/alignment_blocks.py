"""Questions that the study of ordinal alignment answers, one block each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.designs.ratings import MISSING, REFUSAL, Ratings
from socialstats.figures import dumbbell, forest
from socialstats.metrics.ada_met import ada_met
from socialstats.results import Result, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.estimates import clusters_caption, numbers_text, p_text, rows_table
from socialstats.studies.multiverse import MOST_LEFT_OUT, Variant, distinct, multiverse, multiverse_block
from socialstats.studies.outcome import Block, Table
from socialstats.studies.sources import Source
from socialstats.text import count, number, p_value, shorten

LINE, REFUSED = "reference line", "share refused"
MOST_ROWS, MOST_IN_DUMBBELL, FEW_RESAMPLES = 200, 5, 500
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


def distance_block(result: Result, source: Source) -> Block:
    """Show each model between a random person and answers that need no model."""
    lines = [row for row in result.rows if row.group == LINE]
    known = sorted(model_rows(result), key=lambda r: (r.estimate is None, r.estimate or 0.0))
    refused = [row for row in result.rows if row.group == REFUSED]
    chosen = list(line_rows(result).values())
    shown = plain([chosen[0], *known, *chosen[1:]])
    held = clusters_caption(getattr(result.design, "clusters", ()), None)
    return Block(
        id="distance",
        question=f"How far is each model from the {shorten(source.human, 30)} answers?",
        sentences=(result.sentence(),),
        draw=partial(forest, shown[:MOST_ROWS], sort=False, reference=None, xlabel=AXIS, label="Model"),
        figure_title="ADA-Met of each model, between a random person and answers that need no model",
        caption="Above the models a random person against the mode of the others; below the best constant answer and "
        f"answers at random. {held}".strip(),
        tables=(
            rows_table(plain(known), "ADA-Met, all units", term="Model"),
            rows_table(plain(lines), "What needs no model", term="Answer"),
            rows_table(plain(refused), "Share of refusals", term="Model"),
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
        caption="Each level by itself: whether two levels differ is not tested here.",
        tables=(rows_table(lines, f"ADA-Met by {shorten(name, 40)}", term=f"Model and {shorten(name, 30)}"),),
        results=() if k == 0 else (result,),
    )


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


def closest_block(
    groups: Mapping[str, Result], families: Mapping[str, tuple[tuple[Row, ...], Result | None]]
) -> Block | None:
    """Show for each model and attribute the closest group, whether that is more than noise, and how stable it is."""
    if not groups:
        return None
    cells: list[tuple[str | float | int | None, ...]] = []
    stable = settled = 0
    best: tuple[float, str, str, Row, Row, Row] | None = None
    for model in families:
        for name, result in groups.items():
            found = closest_of(result, name, model)
            if found is None:
                continue
            low, high, again = found
            near, far = ((r.group or "")[len(name) + 3 :] for r in (low, high))
            row = tested(families, model, name, near, far)
            share = None if again is None else again.estimate
            p = None if row is None else row.p_adjusted if row.p_adjusted is not None else row.p_value
            stable += share is not None and share >= 0.95
            settled += p is not None and p < 0.05
            cells.append((model, name, near, low.estimate, far, high.estimate, share, p_text(p)))
            if row is not None and p is not None and (best is None or abs(row.estimate or 0.0) > best[0]):
                best = (abs(row.estimate or 0.0), model, name, low, high, row)
    said = [
        f"Some group is always the closest. Of {count(len(cells), 'closest group')}, {count(settled)} differ from the "
        f"farthest group (adjusted p below .05), and {count(stable)} stay the closest in at least .95 of the resamples."
    ]
    if best is not None:
        said.insert(0, closest_sentence(*best[1:]))
    adjusted = tuple(a for _, a in families.values() if a is not None)
    low_p = min((r.p_value for rows, _ in families.values() for r in rows if r.p_value is not None), default=1.0)
    size = max((len(rows) for rows, _ in families.values()), default=0)
    if settled == 0 and low_p * size >= 0.05:
        said.append(
            f"The smallest p, {number(low_p, 3, bounded=True)}, times {count(size, 'pair')} is not below .05: where "
            "that is the smallest that so few permutations can give, ask for more resamples."
        )
    return Block(
        id="closest",
        question="Which people is each model closest to?",
        sentences=tuple(said),
        tables=(
            Table(
                caption="Closest and farthest group of each attribute; p (Holm): of their difference, over the pairs "
                "of groups of all attributes, model by model; stability: share of resamples in which it is closest",
                header=("Model", "Attribute", "Closest", "Distance", "Farthest", "Distance", "Stability", "p (Holm)"),
                cells=tuple(cells),
            ),
        ),
        results=adjusted,
    )


def closest_sentence(model: str, name: str, low: Row, high: Row, gap: Row) -> str:
    """Say the widest difference between the closest and the farthest group."""
    near, far = (shorten((r.group or "")[len(name) + 3 :], 30) for r in (low, high))
    p = gap.p_adjusted if gap.p_adjusted is not None else gap.p_value
    pair = shorten((gap.group or "")[len(name) + 2 :], 60)
    return (
        f"The widest difference: {shorten(model, 40)} was closest to {shorten(name, 30)} {near} (ADA-Met "
        f"{number(low.estimate, 2)}) and farthest from {far} ({number(high.estimate, 2)}); difference ({pair}) "
        f"{numbers_text(gap)}, {p_value(p, name='adjusted p')}."
    )


def group_block(
    name: str, result: Result, families: Mapping[str, tuple[tuple[Row, ...], Result | None]], k: int
) -> Block:
    """Show the distances to each group of people, with the differences on the same units."""
    prefix = f"{name} = "
    rows = [r for r in result.rows if (r.group or "").startswith(prefix)]
    looks = [replace(r, group=(r.group or "")[len(prefix) :]) for r in rows]
    labels = list(dict.fromkeys(r.group or "" for r in looks))
    gaps = [r for model in families for r in families[model][0] if (r.group or "").startswith(f"{name}: ")]
    known = [r for r in gaps if r.p_value is not None]
    listed = [replace(r, method=None) for r in gaps]  # the caption names the families
    clear = [r for r in known if (r.p_adjusted if r.p_adjusted is not None else r.p_value or 1.0) < 0.05]
    sizes = ", ".join(f"{shorten(g, 30)} {count(n)}" for g, n in result.extras["group_raters"].items())
    words = shorten(name, 40)
    few = len(labels) <= MOST_IN_DUMBBELL and len(looks) <= MOST_ROWS
    draw: Any = partial(dumbbell, looks, targets=dict.fromkeys(labels), xlabel=AXIS)
    said = (
        f"Of {count(len(known), 'difference')} between groups by {words}, {count(len(clear))} have an adjusted p "
        f"below .05. People: {sizes}."
    )
    return Block(
        id=f"group-{k + 1}",
        question=f"Is a model closer to some people by {words}?",
        sentences=(said,),
        draw=draw if few else partial(forest, plain(looks)[:MOST_ROWS], sort=False, reference=None, xlabel=AXIS),
        figure_title=f"ADA-Met to the mode of each group of people by {words}",
        caption="Modes of few people are noisier and lie farther off any model; the p-values allow for it, the marks "
        "do not.",
        tables=(
            rows_table(rows, f"ADA-Met by {words}", term="Model and group"),
            rows_table(listed, f"Differences by {words} on the same units; p (Holm): over the pairs of all attributes, "
                       "model by model", term="Model and pair", labels=[f"{r.term} ({r.group})" for r in gaps]),
        ),
        results=(slim(result, name, said),),
    )  # fmt: skip


def slim(result: Result, name: str, said: str) -> Result:
    """Keep the rows that are about an attribute; the differences stand, adjusted, with the closest groups."""
    starts = (f"{name} = ", f"closest {name} = ")
    return replace(result, rows=tuple(r for r in result.rows if (r.group or "").startswith(starts)), words=said)


def rules_block(rules: Mapping[str, Result], source: Source) -> Block | None:
    """Show the distances by what a refusal counts as; None where nobody refused."""
    if not rules:
        return None
    looks = [replace(r, group=RULES[rule]) for rule, result in rules.items() for r in model_rows(result)]
    refused = [r for r in next(iter(rules.values())).rows if r.group == REFUSED and r.estimate is not None]
    worst = max(refused, key=lambda r: r.estimate or 0.0)
    mine = [r for r in looks if r.term == worst.term]
    said = "; ".join(f"{r.group}: {numbers_text(r)}" for r in mine)
    return Block(
        id="refusals",
        question="What do refusals count as?",
        sentences=(
            f"{shorten(worst.term, 40)} refused most, a share of {numbers_text(worst, digits=3, bounded=True)}. Its "
            f"distance, by what a refusal counts as: {said}.",
        ),
        draw=partial(dumbbell, looks[:MOST_ROWS], targets=dict.fromkeys(RULES[r] for r in rules), xlabel=AXIS),
        figure_title="ADA-Met of each model, by what a refusal counts as",
        caption="The page counts a refusal as the width of the scale, which may be farther off than any answer could "
        "be; left out is the distance of what was answered.",
        tables=(rows_table(looks, "ADA-Met by what a refusal counts as", term="Model and rule"),),
        results=tuple(rules.values()),
    )


def variants_block(design: Ratings, main: Result, source: Source, options: StudyOptions) -> Block | None:
    """Show the distance of the nearest model under every choice of analysis."""
    known = [r for r in model_rows(main) if r.estimate is not None]
    if not known:
        return None
    model = min(known, key=lambda r: r.estimate or 0.0).term
    top = line_rows(main)["ceiling"]
    base: dict[str, Any] = {
        "reference": source.human, "source": source.name, "level": options.level, "seed": options.seed,
        "resamples": min(options.resamples, FEW_RESAMPLES),
    }  # fmt: skip

    def of(table: Ratings = design, **more: Any) -> Any:
        return ada_met(table, **{**base, **more})

    def lead(result: Result) -> Row:
        return next(r for r in result.rows if r.term == model and r.group is None)

    def variant(label: str, choice: str, compute: Any) -> Variant:
        return Variant(label=label, choice=choice, compute=compute, lead=lead)

    found = [variant("mean of tied modes, refusals the width of the scale", "as on this page", lambda: main)]
    found += [
        variant(f"tied modes: {rule}", "ties", partial(of, ties=rule)) for rule in ("low", "high", "nearest", "drop")
    ]
    if (design.status == REFUSAL).any():
        found += [variant(f"refusals: {RULES[rule]}", "refusals", partial(of, refusal=rule))
                  for rule in ("item_max", "exclude")]  # fmt: skip
    if (design.status == MISSING).any():
        found.append(variant("missing answers of models as refusals", "missing", partial(of, unparsed="refusal")))
    found.append(variant("less the noise of modes (basic interval)", "interval", partial(of, ci="basic")))
    if design.clusters:
        found.append(variant("units independent", "clusters", partial(of, cluster=None)))
    for name, factor in design.strata.items():
        if 1 < len(factor.levels) <= MOST_LEFT_OUT:
            found += [
                variant(f"without {name} {level}", f"leave one {name} out", partial(without, of, design, name, code))
                for code, level in enumerate(factor.levels)
            ]
    made = multiverse("ada_met", f"the distance of {shorten(model, 30)}", distinct(found),
                      reference=top.estimate if top.estimate is not None else 0.0,
                      words=f"that of a random {shorten(source.human, 30)} rater ({number(top.estimate)})")  # fmt: skip
    return multiverse_block(
        made, id="multiverse", question="Does the distance of the nearest model hang on a choice of analysis?",
        quantity=f"distance of {shorten(model, 30)}",
        note=f"Analyses other than that of the page: {count(base['resamples'], 'resample')}.",
    )  # fmt: skip


def without(compute: Any, design: Ratings, stratum: str, code: int) -> Any:
    """Compute a result without the units of one level of a stratum."""
    return compute(
        design.take(np.asarray(design.strata[stratum].codes[design.unit] != code), note="one level left out")
    )

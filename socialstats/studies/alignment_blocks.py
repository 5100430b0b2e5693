"""Questions that the study of ordinal alignment answers, one block each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from socialstats.figures import Bar, dumbbell, forest, shares
from socialstats.figures.shares import MOST_BARS, MOST_LEVELS
from socialstats.results import Result, Row
from socialstats.studies.estimates import clusters_caption, numbers_text, rows_table
from socialstats.studies.outcome import Block, Table
from socialstats.studies.sources import Source
from socialstats.text import count, level_text, number, shorten

LINE, REFUSED, POPULATION, AT = "reference line", "share refused", "population's mode", "share at distance"
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
    pure = {row.term: row for row in result.rows if row.group == POPULATION}
    chosen = list(line_rows(result).values())
    shown = plain([chosen[0], *known, *chosen[1:]])
    return Block(
        id="distance",
        question=f"How far is each model from the {shorten(source.human, 30)} answers?",
        sentences=(result.sentence(), *population_words(known, pure)),
        draw=partial(forest, shown[:MOST_ROWS], sort=False, reference=None, xlabel=AXIS, label="Model"),
        figure_title="ADA-Met of each model, between a random person and answers that need no model",
        caption="Above the models one person against the mode of the others; below the best constant answer and "
        f"answers at random. {design_words(result)}",
        tables=(
            dense_table(plain(known), "ADA-Met, all units", term="Model"),
            *gap_tables(result),
            dense_table(plain(lines), "What needs no model", term="Answer"),
            *(
                [
                    dense_table(
                        plain([pure[r.term] for r in known if r.term in pure]),
                        "From the mode of the whole population: less the noise of modes of few answers",
                        term="Model",
                    )
                ]
                if pure
                else []
            ),
        ),
        results=(result,),
    )


def population_words(known: Sequence[Row], pure: Mapping[str, Row]) -> tuple[str, ...]:
    """Say how much nearer the nearest model may be to the mode of the whole population."""
    row = pure.get(known[0].term)
    if row is None or row.estimate is None or known[0].estimate is None or row.conf_low is None:
        return ()
    return (
        f"Modes of few answers are noisy and lie farther off: with answers of the whole population "
        f"{shorten(row.term, 40)} would be {numbers_text(row)} away (a wide interval, as it is not known how fast the "
        "noise falls with more answers).",
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

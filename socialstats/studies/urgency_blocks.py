"""Blocks of the role-conflict study: sensitivity, win rates, urgency against roles, preference shares."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from socialstats.figures import dumbbell, forest
from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.results import Result, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.outcome import Block, Mark, Strip, Table
from socialstats.studies.pair_blocks import MOST_ROWS, row_table
from socialstats.text import count, interval, listing, number, percent

TARGETS = {"higher": 1.0, "equal": 0.5, "lower": 0.0}
SENSITIVITY = (
    "S is 100 times the mean squared distance of win rates from 1 (of the more urgent role), 1/2 and 0: the sum of the "
    "three parts. Scatter of the win rates makes S too large: 'corrected for noise' removes what single answers add. "
    "The intervals remove what whole pairs of roles add as well (resamples show how much), and so lie "
    "mostly below the estimate. {n} comparisons; {inference}."
)


def sensitivity_strip(s: Result) -> Strip:
    """Return S on its number line, beside what it is for choosers of known kinds."""
    total = s.row("S")
    marks = [Mark(label="S", value=total.estimate, low=total.conf_low, high=total.conf_high)]
    marks += [Mark(label=line.label, value=line.value, kind="reference") for line in s.extras["reference_lines"]]
    return Strip(
        title="Sensitivity S beside choosers of known kinds: "
        f"{count(s.counts['comparisons'])} comparisons, {s.inference.split(', ', 1)[-1]}",
        axis="S (0 = follows urgency alone)",
        digits=1,
        marks=tuple(marks),
    )


def sensitivity_block(s: Result, effect: str = "") -> Block:
    """Return S, its components and the reference lines; `effect`: what the caption says of the clusters."""
    lines = s.extras["reference_lines"]
    return Block(
        id="sensitivity",
        question="How far are the choices from following urgency alone?",
        sentences=(s.sentence(),),
        draw=partial(forest, named(s), xlabel="S and its components", sort=False),
        figure_title="Sensitivity S: plug-in, corrected for noise, and by condition",
        caption=SENSITIVITY.format(inference=s.inference, n=count(s.counts["comparisons"])) + effect,
        tables=(
            row_table(named(s), "Sensitivity and its components", digits=2),
            Table(
                caption="What S is for choosers of known kinds on this very design",
                header=("Chooser", "S", "How it chooses"),
                cells=tuple((line.label, line.value, line.words) for line in lines),
                digits=1,
            ),
        ),
        results=(s,),
    )


def named(s: Result) -> tuple[Row, ...]:
    """Return the rows of S with names in words."""
    name = s.settings["covariate"]
    words = {
        "S": "S", "higher": f"part of higher {name} (from 1)", "equal": f"part of equal {name} (from 1/2)",
        "lower": f"part of lower {name} (from 0)",
    }  # fmt: skip
    found = []
    for row in s.rows:
        part = row.term.removeprefix("S_").removesuffix("_corrected").removesuffix("corrected") or "S"
        suffix = ", corrected for noise" if row.term.endswith("corrected") else ""
        found.append(replace(row, term=f"{words[part]}{suffix}", group=None))
    return tuple(found)


def rates_block(rates: Result, order: Sequence[str], options: StudyOptions, pooled: Result | None = None) -> Block:
    """Return each role's win rates by urgency as dumbbells, strongest first; `pooled`: over all comparisons."""
    rows = tuple(r for r in rates.rows if r.term != "all")
    drawn = list(order)[:MOST_ROWS]
    every = "every role" if len(drawn) == len(order) else f"the {count(len(drawn), 'strongest role')}"
    return Block(
        id="win-rates",
        question=f"How often does a role win when its {options.covariate} is higher, equal, or lower?",
        sentences=(rates.sentence(), *_bridge(pooled)),
        draw=partial(dumbbell, [r for r in rows if r.term in drawn], targets=TARGETS, order=drawn, xlabel="win rate"),
        figure_title=f"Win rates of {every} by {options.covariate}, strongest role first",
        caption="Dotted lines: where the rates would be if urgency alone decided (1, .50, 0). Intervals: "
        f"{rates.inference}; {count(rates.counts['comparisons'])} comparisons{_trials_effect(rates)}.",
        tables=(row_table(rates.rows, "Win rates by role and condition"), *_pooled_tables(pooled)),
        results=(rates,) if pooled is None else (rates, pooled),
    )


def _bridge(pooled: Result | None) -> tuple[str, ...]:
    """Say what the rate over all comparisons is, and why it is not the mean over roles."""
    if pooled is None:
        return ()
    row = pooled.row("all", group="higher")
    if row.estimate is None:
        return ()
    inside = interval(row.conf_low, row.conf_high, 3, level=row.conf_level or 0.95, bounded=True)
    return (
        f"Over all comparisons, each counted once, the more urgent role won at a rate of "
        f"{number(row.estimate, 3, bounded=True)}, {inside}; means over roles weigh every role alike, however many "
        "opponents it met, so that the rates of higher and lower need not add to 1.",
    )


def _trials_effect(rates: Result) -> str:
    """Return the median design effect of the clusters on the win rates: variance over that of independent rows."""
    found = [
        row.std_error**2 * row.n / (row.estimate * (1 - row.estimate))
        for row in rates.rows
        if row.std_error and row.n and row.estimate is not None and 0 < row.estimate < 1 and row.term != "all"
    ]
    return f"; design effect of the clusters {number(statistics.median(found), 1)} (median)" if found else ""


def _pooled_tables(pooled: Result | None) -> tuple[Table, ...]:
    if pooled is None:
        return ()
    rows = [row for row in pooled.rows if row.term == "all"]
    return (row_table(rows, "Win rates over all comparisons, each counted once"),)


def weight_block(fit: BradleyTerryResult, ratio: Result | None, options: StudyOptions) -> Block:
    """Return the urgency step against the spread of the roles, in one model."""
    step = fit.row(options.covariate, group="covariate")
    rows = [
        Row(
            term=f"one step of {options.covariate}",
            estimate=step.estimate,
            conf_low=step.conf_low,
            conf_high=step.conf_high,
            conf_level=step.conf_level,
        )
    ]
    sentences = [
        f"One step of {options.covariate} adds {number(step.estimate)} to the log-odds, "
        f"{interval(step.conf_low, step.conf_high, level=options.level)}."
    ]
    if ratio is not None:
        spread = ratio.row("sd of strengths")
        rows.append(replace(spread, term="one sd between roles"))
        sentences.append(ratio.sentence())
        sentences.append(_gap_sentence(ratio.rows[2], spread, options))
    else:
        sentences.append("The roles differ no more than chance would make them differ.")
    return Block(
        id="urgency-against-roles",
        question=f"How much does {options.covariate} weigh against the preference between roles?",
        sentences=tuple(sentences),
        draw=partial(forest, tuple(rows), xlabel="log-odds", sort=False),
        figure_title=f"One step of {options.covariate} beside the spread of the roles",
        caption="Both in log-odds, from one model with role strengths, "
        f"{listing([f'difference in {options.covariate}', *(['order of presentation'] * fit.design.order_known)])}. "
        "The sd is that of the true strengths: sampling variance was taken off.",
        tables=(row_table((*ratio.rows, step) if ratio else (step,), "Urgency against role preference"),),
        results=(ratio,) if ratio else (),
    )


def _gap_sentence(chance: Row, spread: Row, options: StudyOptions) -> str:
    """Say how often the more urgent of two roles is expected to win when the other is preferred by one sd."""
    low, high = (100 * (end or 0.0) for end in (chance.conf_low, chance.conf_high))
    inside = interval(low, high, 1, level=options.level).replace("]", "] %")
    return (
        f"Of two roles that lie one sd ({number(spread.estimate)} log-odds) apart, the weaker one with one more step "
        f"of {options.covariate} is expected to be chosen {percent(chance.estimate or 0.0)} of the time, {inside}."
    )


def entropy_block(entropy: Result) -> Block:
    """Return how undecided the choices between two roles are."""
    n = [float(entropy.extras["n"].min()), float(entropy.extras["n"].max())]
    stories = count(n[0]) if n[0] == n[1] else f"{count(n[0])} to {count(n[1])}"
    few = (
        f"A pair has {stories} stories, so few that the plug-in value is too small: compare it only between equal "
        "numbers of stories, or use the corrected one (0 bits: always the same role, 1 bit: either equally often)."
    )
    words = {"H": "mean entropy, plug-in", "H_corrected": "mean entropy, corrected for small counts"}
    rows = [replace(row, term=words.get(row.term, row.term)) for row in entropy.rows]
    return Block(
        id="entropy",
        question="How undecided are the choices between two roles?",
        sentences=(entropy.sentence(), few),
        tables=(row_table(rows, "Entropy of the choices between two roles"),),
        results=(entropy,),
    )

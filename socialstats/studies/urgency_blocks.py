"""Blocks of the role-conflict study: sensitivity, win rates, urgency against roles, preference shares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from socialstats.figures import dumbbell, forest
from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.metrics.preference_shares import preference_shares
from socialstats.results import Result, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.comparisons import sizes_text, strongest
from socialstats.studies.outcome import Block, Mark, Strip, Table
from socialstats.studies.pair_blocks import row_table
from socialstats.text import count, interval, number, percent

TARGETS = {"higher": 1.0, "equal": 0.5, "lower": 0.0}


def sensitivity_strip(s: Result) -> Strip:
    """Return S on its number line, beside what it is for choosers of known kinds."""
    total = s.row("S")
    marks = [Mark(label="S", value=total.estimate, low=total.conf_low, high=total.conf_high)]
    marks += [Mark(label=line.label, value=line.value, kind="reference") for line in s.extras["reference_lines"]]
    return Strip(
        title="Sensitivity S beside choosers of known kinds",
        axis="S (0 = follows urgency alone)",
        digits=1,
        marks=tuple(marks),
    )


def sensitivity_block(s: Result) -> Block:
    """Return S, its components and the reference lines."""
    lines = s.extras["reference_lines"]
    return Block(
        id="sensitivity",
        question="How far are the choices from following urgency alone?",
        sentences=(s.sentence(),),
        draw=partial(forest, named(s.rows), xlabel="S and its components", sort=False),
        figure_title="Sensitivity S: plug-in, corrected for noise, and by condition",
        caption="S is 100 times the mean squared distance of win rates from 1, 1/2 and 0. Intervals: "
        + s.inference
        + ".",
        tables=(
            row_table(named(s.rows), "Sensitivity and its components", digits=2),
            Table(
                caption="What S is for choosers of known kinds on this very design",
                header=("Chooser", "S", "How it chooses"),
                cells=tuple((line.label, line.value, line.words) for line in lines),
                digits=1,
            ),
        ),
        results=(s,),
    )


def _symbol(name: str) -> str:
    """Return the symbol that the role-conflict paper has for the shares of a grouping."""
    return "P_d" if name == "domain" else "P_g"


def named(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows of S with names in words."""
    words = {"S": "S", "higher": "part of higher", "equal": "part of equal", "lower": "part of lower"}
    found = []
    for row in rows:
        part = row.term.removeprefix("S_").removesuffix("_corrected").removesuffix("corrected") or "S"
        suffix = ", noise taken off" if row.term.endswith("corrected") else ""
        found.append(replace(row, term=f"{words[part]}{suffix}"))
    return tuple(found)


def rates_block(rates: Result, fit: BradleyTerryResult, options: StudyOptions, pooled: Result | None = None) -> Block:
    """Return each role's win rates by urgency as dumbbells, strongest role first; `pooled`: over all comparisons."""
    rows = tuple(r for r in rates.rows if r.term != "all")
    order = [r.term for r in strongest(fit)]
    return Block(
        id="win-rates",
        question=f"How often does a role win when its {options.covariate} is higher, equal, or lower?",
        sentences=(rates.sentence(),),
        draw=partial(dumbbell, rows, targets=TARGETS, order=order, xlabel="win rate"),
        figure_title=f"Win rates of every role by {options.covariate}, strongest role first",
        caption="Dotted lines: where the rates would be if urgency alone decided (1, .50, 0). Intervals: "
        + rates.inference
        + ".",
        tables=(row_table(rates.rows, "Win rates by role and condition"), *_pooled_tables(pooled)),
        results=(rates,) if pooled is None else (rates, pooled),
    )


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
        sentences.append(_gap_sentence(step, spread, options.covariate))
    else:
        sentences.append("The roles differ no more than chance would make them differ.")
    return Block(
        id="urgency-against-roles",
        question=f"How much does {options.covariate} weigh against the preference between roles?",
        sentences=tuple(sentences),
        draw=partial(forest, tuple(rows), xlabel="log-odds", sort=False),
        figure_title=f"One step of {options.covariate} beside the spread of the roles",
        caption="Both in log-odds, from one model with role strengths, urgency difference and order of presentation. "
        "The sd is that of the true strengths: sampling variance was taken off.",
        tables=(row_table((*ratio.rows, step) if ratio else (step,), "Urgency against role preference"),),
        results=(ratio,) if ratio else (),
    )


def _gap_sentence(step: Row, spread: Row, covariate: str) -> str:
    """Say how often the more urgent of two roles is expected to win when the other is preferred by one sd."""
    gap = (step.estimate or 0.0) - (spread.estimate or 0.0)
    chance = 1 / (1 + math.exp(-gap))
    return (
        f"Of two roles that lie one sd ({number(spread.estimate)} log-odds) apart, the weaker one with one more step "
        f"of {covariate} is expected to be chosen {percent(chance)} of the time."
    )


def entropy_block(entropy: Result) -> Block:
    """Return how undecided the choices between two roles are."""
    n = [float(entropy.extras["n"].min()), float(entropy.extras["n"].max())]
    stories = count(n[0]) if n[0] == n[1] else f"{count(n[0])} to {count(n[1])}"
    few = (
        f"A pair has {stories} stories, so few that the plug-in value is too small: compare it only between equal "
        "numbers of stories, or use the corrected one (0 bits: always the same role, 1 bit: either equally often)."
    )
    return Block(
        id="entropy",
        question="How undecided are the choices between two roles?",
        sentences=(entropy.sentence(), few),
        tables=(row_table(entropy.rows, "Entropy of the choices between two roles"),),
        results=(entropy,),
    )


def share_blocks(fit: BradleyTerryResult, groups: dict[str, dict[str, Any]], options: StudyOptions) -> list[Block]:
    """Return the preference shares P of each grouping."""
    if fit.fitted_state.penalised or not groups:
        return []
    found = []
    resamples = min(options.resamples, 1000)
    refits = fit.bootstrap(by="pair", resamples=resamples, seed=options.seed)
    for name, mapping in groups.items():
        by_item = {item: str(v) for item, v in mapping.items()}
        shares = preference_shares(
            fit, by_item, ungrouped="leave_out", refits=refits, resamples=resamples, seed=options.seed,
            level=options.level,
        )  # fmt: skip
        found.append(share_block(shares, name, len(fit.strengths) - len(by_item)))
    return found


def share_block(shares: Result, name: str, left: int) -> Block:
    """Return the shares of one grouping; `left` roles have no group in it."""
    rows = tuple(
        Row(
            term=f"{r.term} ({r.group})",
            estimate=r.estimate,
            conf_low=r.conf_low,
            conf_high=r.conf_high,
            conf_level=r.conf_level,
            undefined=r.undefined,
        )
        for r in shares.rows
    )
    groups = shares.settings["groups"]
    outside = f"; {count(left, 'item')} without a group" if left else ""
    return Block(
        id=f"shares-{name}",
        question=f"Which {name.replace('_', ' ')} is preferred?",
        sentences=(shares.sentence(),),
        draw=partial(forest, rows, xlabel="share of preference", reference=1 / len(set(groups.values())), sort=False),
        figure_title=f"Preference shares by {name.replace('_', ' ')}",
        caption=f"{_symbol(name)}: mean worth (RPI) of a group over the sum of the group means; the line is an "
        f"equal share. Groups: {sizes_text(groups)}{outside}. The arithmetic mean follows a group's few strongest "
        f"roles, the geometric mean treats all alike. Intervals: {shares.inference}, "
        f"{count(shares.fit['resamples'])} refits.",
        tables=(row_table(shares.rows, f"Preference shares by {name.replace('_', ' ')}"),),
        results=(shares,),
    )

"""Role conflict: does the urgency of a situation decide, or the role that a person plays?"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from socialstats.designs.comparisons import A_WON, TIED, Comparisons
from socialstats.errors import Caution, InputError, UndefinedStatistic, caution
from socialstats.figures import dumbbell, forest
from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.metrics.preference_shares import preference_shares
from socialstats.metrics.sensitivity import sensitivity
from socialstats.metrics.win_rates import win_rates
from socialstats.results import Result, ResultGroup, Row
from socialstats.studies.base import Study, StudyOptions, order_cautions
from socialstats.studies.comparisons import describe, item_groups, strongest
from socialstats.studies.outcome import Block, Mark, Outcome, Strip, Table
from socialstats.studies.pairs import (
    cluster_block,
    default_cluster,
    effects_block,
    fit_diagnostics,
    fit_model,
    group_matrix,
    order_table,
    row_table,
    strengths_block,
    ways_methods,
)
from socialstats.text import interval, number, percent, shorten

PUBLISHED_BASELINE = 100.0
TARGETS = {"higher": 1.0, "equal": 0.5, "lower": 0.0}


def run(design: Comparisons, options: StudyOptions) -> Outcome:
    """Answer: does urgency decide, and how much do role preferences weigh against it?"""
    if design.by is not None:
        raise InputError(f"the report takes one '{design.by.name}' at a time; filter the table, or leave by= out")
    groups = choose_groups(design, options)
    mapping = next(iter(groups.values()), None)
    cluster = default_cluster(design)
    fit = fit_model(design, options, f"~ {options.covariate}", cluster=cluster)
    s = one(sensitivity(
        design, options.covariate, resamples=options.resamples, seed=options.seed, level=options.level, groups=mapping
    ))  # fmt: skip
    rates = one(win_rates(design, options.covariate, level=options.level))
    ratio = urgency_in_sds(fit, options)
    shares = share_blocks(fit, groups, options)
    blocks = [
        sensitivity_block(s), rates_block(rates, fit, options), weight_block(fit, ratio, options),
        strengths_block(fit, options, item="role"), effects_block(fit, design), *shares,
        *[group_matrix(design, g, n) for n, g in groups.items()],
        cluster_block(design, options, f"~ {options.covariate}", fit),
    ]  # fmt: skip
    results = {"Strengths and effects": fit, "Sensitivity S": s, "Win rates": rates}
    return Outcome(
        study="role-conflict",
        title=f"Does {options.covariate} decide, or the role?",
        design=describe(design, fit),
        answer=answer(s, rates, ratio, fit, options),
        strip=sensitivity_strip(s),
        cautions=order_cautions(own_cautions(design, fit, options), s.cautions, rates.cautions, fit.cautions,
                                design.cautions, *[r.cautions for b in shares for r in b.results]),
        blocks=tuple(block for block in blocks if block is not None),
        flow=design.flow,
        data=(grid_table(design, options.covariate), balance_table(design, options.covariate), order_table(design)),
        diagnostics=fit_diagnostics(fit, design),
        methods=(sensitivity_methods(options), ways_methods(fit, options)),
        references=tuple(dict.fromkeys((*s.references, *rates.references, *fit.references, "mogstad2024", "firth2004"))),
        verifications={label: r.verify() for label, r in results.items()} if options.verify else {},
        settings=options.echo(),
        simulated=options.simulated,
    )  # fmt: skip


def one(result: Result | ResultGroup) -> Result:
    """Return the result of a design without a by factor."""
    if isinstance(result, ResultGroup):
        raise InputError("one model at a time")
    return result


def choose_groups(design: Comparisons, options: StudyOptions) -> dict[str, dict[str, Any]]:
    """Return the groupings of the roles to report: the one asked for, or all that the table has."""
    found = item_groups(design)
    if options.group is None:
        return found
    if options.group not in found:
        raise InputError(f"no grouping '{options.group}' of the items; groupings: {', '.join(found) or 'none'}")
    return {options.group: found[options.group]}


def urgency_in_sds(fit: BradleyTerryResult, options: StudyOptions) -> Result | None:
    """Return the urgency step in sds of the role strengths, or None where that is undefined."""
    try:
        return fit.effect_in_sds(options.covariate, level=options.level)
    except UndefinedStatistic:
        return None


def answer(
    s: Result, rates: Result, ratio: Result | None, fit: BradleyTerryResult, options: StudyOptions
) -> tuple[str, ...]:
    """Return the answer: a verdict with S beside its reference lines, urgency against roles, and the extreme roles."""
    high, total, fixed = rates.row("all", group="higher"), s.row("S"), s.row("S_corrected")
    lines = s.extras["reference_lines"]
    known = ", ".join(f"{number(line.value, 1)} = {line.label}" for line in lines[:3])
    first = (
        f"{verdict(total, lines[1].value, options.covariate)}: the role with the higher {options.covariate} was chosen "
        f"{percent(high.estimate)} of the time, {_percent_interval(high)}, and S = {number(total.estimate)}, "
        f"{interval(total.conf_low, total.conf_high, level=options.level)} ({known}); "
        f"without sampling noise S is {number(fixed.estimate)}, "
        f"{interval(fixed.conf_low, fixed.conf_high, level=options.level)}."
    )
    step = fit.row(options.covariate, group="covariate")
    odds = number(np.exp(step.estimate or 0.0))
    second = f"One step of {options.covariate} multiplies the odds of being chosen by {odds}, {_exp_interval(step)}"
    if ratio is not None:
        row = ratio.rows[0]
        second += f": as much as {number(row.estimate)} standard deviations between roles, "
        second += interval(row.conf_low, row.conf_high, level=options.level)
    top, bottom = strongest(fit)[0], strongest(fit)[-1]
    third = (
        f"At equal {options.covariate}, '{shorten(top.term)}' is chosen most readily and '{shorten(bottom.term)}' least "
        f"(log-strengths {number(top.estimate)} and {number(bottom.estimate)})."
    )
    return (first, f"{second}.", third)


def verdict(total: Row, coin: float, covariate: str) -> str:
    """Say where S lies: at the rule, between rule and coin flips, at coin flips, or beyond them."""
    if total.conf_low is None or total.conf_high is None:
        return f"S is undefined ({total.undefined})"
    name = f"{covariate[0].upper()}{covariate[1:]}"
    if total.conf_high < 1:
        return f"{name} decides"
    if total.conf_high < coin:
        return f"{name} sways the choices but does not decide them"
    if total.conf_low > coin:
        return f"{name} decides less than coin flips would, because roles are preferred whatever their {covariate}"
    return f"The data do not settle whether {covariate} decides more than coin flips would"


def _percent_interval(row: Row) -> str:
    low, high = (None if v is None else 100 * v for v in (row.conf_low, row.conf_high))
    return interval(low, high, 1, level=row.conf_level or 0.95).replace("]", "] %")


def _exp_interval(row: Row) -> str:
    low, high = (None if v is None else float(np.exp(v)) for v in (row.conf_low, row.conf_high))
    return interval(low, high, level=row.conf_level or 0.95)


def sensitivity_strip(s: Result) -> Strip:
    """Return S on its number line, beside what it is for choosers of known kinds."""
    total = s.row("S")
    marks = [Mark(label="S", value=total.estimate, low=total.conf_low, high=total.conf_high)]
    marks += [Mark(label=line.label, value=line.value, kind="reference") for line in s.extras["reference_lines"]]
    return Strip(
        title="Sensitivity S beside choosers of known kinds",
        axis="S (0 = follows urgency alone)",
        marks=tuple(marks),
    )


def sensitivity_block(s: Result) -> Block:
    """Return S, its components and the reference lines."""
    lines = s.extras["reference_lines"]
    return Block(
        id="sensitivity",
        question="How far are the choices from following urgency alone?",
        sentences=(s.sentence(),),
        draw=partial(forest, tuple(s.rows), xlabel="S and its components", sort=False),
        figure_title="Sensitivity S: plug-in, corrected for noise, and by condition",
        caption="S is 100 times the mean squared distance of win rates from 1, 1/2 and 0. Intervals: " + s.inference + ".",
        tables=(
            row_table(s.rows, "Sensitivity and its components", digits=2),
            Table(
                caption="What S is for choosers of known kinds on this very design",
                header=("Chooser", "S", "How it chooses"),
                cells=tuple((line.label, line.value, line.words) for line in lines), digits=1,
            ),
        ),
        results=(s,),
    )  # fmt: skip


def rates_block(rates: Result, fit: BradleyTerryResult, options: StudyOptions) -> Block:
    """Return each role's win rates by urgency as dumbbells, strongest role first."""
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
        tables=(row_table(rates.rows, "Win rates by role and condition"),),
        results=(rates,),
    )


def weight_block(fit: BradleyTerryResult, ratio: Result | None, options: StudyOptions) -> Block:
    """Return the urgency step against the spread of the roles, in one model."""
    step = fit.row(options.covariate, group="covariate")
    rows = [Row(term=f"one step of {options.covariate}", estimate=step.estimate, conf_low=step.conf_low,
                conf_high=step.conf_high, conf_level=step.conf_level)]  # fmt: skip
    sentences = [f"One step of {options.covariate} adds {number(step.estimate)} to the log-odds, "
                 f"{interval(step.conf_low, step.conf_high, level=options.level)}."]  # fmt: skip
    if ratio is not None:
        rows.append(Row(term="one sd between roles", estimate=ratio.extras["sd"], undefined="no interval"))
        sentences.append(ratio.sentence())
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


def share_blocks(fit: BradleyTerryResult, groups: dict[str, dict[str, Any]], options: StudyOptions) -> list[Block]:
    """Return the preference shares P of each grouping."""
    found = []
    for name, mapping in groups.items():
        if fit.fitted_state.penalised:
            continue
        by_item = {item: str(v) for item, v in mapping.items()}
        shares = preference_shares(
            fit, by_item, resamples=min(options.resamples, 1000), seed=options.seed, level=options.level
        )
        rows = tuple(
            Row(term=f"{r.term} ({r.group})", estimate=r.estimate, conf_low=r.conf_low, conf_high=r.conf_high,
                conf_level=r.conf_level, undefined=r.undefined)
            for r in shares.rows
        )  # fmt: skip
        found.append(Block(
            id=f"shares-{name}", question=f"Which {name} is preferred?", sentences=(shares.sentence(),),
            draw=partial(forest, rows, xlabel="share of preference", reference=1 / len(set(by_item.values())), sort=False),
            figure_title=f"Preference shares by {name}",
            caption="Mean worth of a group over the sum of the group means; the line is an equal share. The arithmetic "
            "mean follows a group's few strongest roles, the geometric mean treats all alike. Intervals: " + shares.inference + ".",
            tables=(row_table(shares.rows, f"Preference shares by {name}"),), results=(shares,),
        ))  # fmt: skip
    return found


def own_cautions(design: Comparisons, fit: BradleyTerryResult, options: StudyOptions) -> tuple[Caution, ...]:
    """Return the cautions that belong to this study: simulated data, position bias, the published baseline."""
    found = []
    if options.simulated:
        found.append(caution("SS401", options.simulated, affects="everything on this page"))
    order = next((r for r in fit.rows if r.group == "order"), None)
    if order is not None and order.p_value is not None and order.p_value < 0.05:
        shown = "first" if (order.estimate or 0) > 0 else "second"
        found.append(caution(
            "SS107", f"the role shown {shown} is preferred: {number(abs(order.estimate or 0))} log-odds, "
            f"{interval(order.conf_low, order.conf_high, level=options.level)}",
            affects="win rates and S, which do not adjust for it", fix="balance or randomise the order within every story",
        ))  # fmt: skip
    spread = _order_imbalance(design, options.covariate)
    if design.order_known and spread > 0.05:
        found.append(caution(
            "SS108", f"the share of rows whose more urgent role is shown first differs from one half by {percent(spread)}",
            affects="win rates and S", fix=f"randomise the order independently of {options.covariate}",
        ))  # fmt: skip
    found.append(caution(
        "SS305", f"S = {PUBLISHED_BASELINE:g} has been published as the random baseline of this index; "
        "no random chooser has that value (see the table of choosers)", affects="comparisons with published S",
    ))  # fmt: skip
    return tuple(found)


def _order_imbalance(design: Comparisons, covariate: str) -> float:
    c = design.covariates[covariate]
    more = np.sign(c.a - c.b) * design.first
    unequal = design.count * (more != 0)
    return float(abs((unequal * (more > 0)).sum() / max(unequal.sum(), 1) - 0.5))


def grid_table(design: Comparisons, covariate: str) -> Table:
    """Count rows and wins by the covariate of both sides."""
    c = design.covariates[covariate]
    values = np.unique(np.concatenate([c.a, c.b]))
    won = np.where(design.outcome == TIED, 0.5, design.outcome == A_WON)
    cells = []
    for x in values:
        for y in values:
            here = (c.a == x) & (c.b == y)
            n = float(design.count[here].sum())
            share = percent(float((design.count * won)[here].sum() / n)) if n else "none"
            cells.append((f"{x:g}", f"{y:g}", int(n), share))
    return Table(
        caption=f"The design grid: comparisons by {covariate} of both sides",
        header=(f"{covariate} of a", f"{covariate} of b", "Rows", "a chosen"), cells=tuple(cells),
    )  # fmt: skip


def balance_table(design: Comparisons, covariate: str) -> Table:
    """Count who was shown first by which side is more urgent."""
    c = design.covariates[covariate]
    difference = np.sign(c.a - c.b) * design.first
    cells = []
    for label, sign in (("more urgent role first", 1), ("equally urgent", 0), ("less urgent role first", -1)):
        n = float(design.count[difference == sign].sum())
        cells.append((label, int(n), percent(n / design.n_rows)))
    return Table(
        caption="Is the order of presentation balanced?", header=("Rows with", "Rows", "Share"), cells=tuple(cells)
    )


def sensitivity_methods(options: StudyOptions) -> str:
    """Return the methods paragraph of S and the win rates."""
    return (
        f"Win rates are means over opponents of a role's share of wins when its {options.covariate} is higher, equal or "
        "lower than the opponent's. S = 100 times the sum over the three conditions of the mean squared distance of the "
        "rates from 1, 1/2 and 0; its plug-in value is too high by the sampling variance of the rates, which the corrected "
        f"value takes off. Intervals resample pairs of roles ({options.resamples:,} resamples, seed {options.seed})."
    )


def _applies(design: Comparisons) -> bool:
    c = design.covariates.get("urgency")
    return c is not None and np.issubdtype(c.a.dtype, np.number) and bool(np.any(c.a != c.b))


STUDY = Study(
    name="role-conflict",
    title="Does urgency decide, or the role?",
    design="comparisons",
    needs="item_a, item_b, winner, urgency_a, urgency_b (numbers); best with order and domain_a, domain_b",
    applies=_applies,
    run=run,
)

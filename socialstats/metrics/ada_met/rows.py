"""Rows of ADA-Met: models, strata, reference lines, shares refused."""

from __future__ import annotations

import numpy as np

from socialstats.designs.parts import FloatArray
from socialstats.designs.ratings import MISSING, REFUSAL
from socialstats.metrics.ada_met.state import Estimates, State, with_intervals, without_interval
from socialstats.models.alignment import NOT_ASKED, Targets, constant_shares, model_shares, targets_of
from socialstats.models.alignment_resampling import Ceiling, whole, whole_replicates
from socialstats.models.raters import by_stratum
from socialstats.models.unit_shares import How, merged, share_row
from socialstats.results import Row

LINE = "reference line"
REFUSED, UNPARSED = "share refused", "share unparsed"


def whole_targets(state: State) -> Targets:
    """Models over all units, models by stratum, and the answers that need no model."""
    shares = model_shares(state.answers, state.options.rules.refusal)
    names: list[tuple[str, str | None]] = []
    picked: list[FloatArray] = []
    for level, among in by_stratum(state.design, state.options.stratum):
        inside = among[state.answers.unit].astype(np.float64)[:, None]
        group = None if level is None else f"{state.options.stratum} = {level}"
        names += [(model, group) for model in state.models]
        picked += [one * inside for one in shares]
    lines, constant = constant_shares(state.answers)
    return targets_of([*names, *((line, LINE) for line in lines)], [*picked, *constant])


def whole_estimates(state: State, targets: Targets) -> Estimates:
    """Estimate the targets and, last, the ceiling."""
    answers, options, rules = state.answers, state.options, state.options.rules
    once = np.ones((1, len(answers.people)))
    ceiling = Ceiling.of(answers, rules)
    counts = answers.counts(once)
    value = whole(answers, targets, ceiling, rules, once, answers.weight[None, :])[0]
    known = rules.distances(counts, answers.scores)[1][0]
    compared = ((counts[0] * ceiling.known).sum(axis=1) > 0) @ answers.weight
    size = np.append(targets.asked @ (answers.weight * known), compared)
    why = state.no_resampling(len(answers.people))
    if why:
        return without_interval(value, size, why)
    drawn = whole_replicates(answers, targets, state.clusters, rules, options.resamples, options.seed)
    return with_intervals(value, size, drawn, options)


def whole_rows(state: State) -> tuple[list[Row], list[Row], Estimates]:
    """Rows of models (all units, then strata), rows of the reference lines, and their estimates."""
    targets = whole_targets(state)
    found = whole_estimates(state, targets)
    rows = [found.row(j, state, term=term, group=group) for j, (term, group) in enumerate(targets.names)]
    models = [row for row in rows if row.group != LINE]
    lines = [row for row in rows if row.group == LINE]
    method = "two-way bootstrap with the modes of the others held"
    top = found.row(len(targets.names), state, term=f"random {state.reference}", group=LINE, method=method)
    return models, [top, *lines], found


def share_rows(state: State) -> list[Row]:
    """Share of refusals of each model among the answers asked for, and of unparsed answers where there are any."""
    how = How(ci="wilson", level=state.options.level, resamples=state.options.resamples, seed=state.options.seed)
    kinds = [(REFUSED, REFUSAL)]
    if (state.answers.status == MISSING).any():
        kinds.append((UNPARSED, MISSING))
    rows = []
    for name, code in kinds:
        for model, status in zip(state.models, state.answers.status, strict=True):
            row, asked = Row(term=model, group=name), status != NOT_ASKED
            if not asked.any():
                rows.append(Row(term=model, group=name, n=0.0, n_units=0, undefined="not asked about these units"))
                continue
            values = (status[asked] == code).astype(np.float64)
            weight, codes = state.answers.weight[asked], [c[asked] for c in state.clusters]
            rows.append(share_row(row, merged(values, weight, codes, float(weight.sum())), how))
    return rows

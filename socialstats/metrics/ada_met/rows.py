"""Rows of ADA-Met: models, strata, reference lines, shares refused."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from socialstats.designs.parts import FloatArray, IntArray
from socialstats.designs.ratings import MISSING, REFUSAL
from socialstats.metrics.ada_met.state import METHODS, Estimates, State, with_intervals, with_t, without_interval
from socialstats.models.alignment import NOT_ASKED, Targets, constant_shares, model_shares, targets_of
from socialstats.models.alignment_population import population
from socialstats.models.alignment_resampling import Ceiling, whole, whole_replicates, whole_spread
from socialstats.models.alignment_variance import Spread
from socialstats.models.modes import BoolArray
from socialstats.models.raters import by_stratum
from socialstats.models.unit_shares import How, merged, share_row
from socialstats.results import Row

LINE, POPULATION = "reference line", "population's mode"
EXTRAPOLATED = "extrapolated from halves of the answers, noise falling as n^-3/4 (interval: n^-1/2 to n^-1)"
AT, MOST_STEPS = "share at distance", 12
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


def whole_estimates(state: State, targets: Targets) -> tuple[Estimates, Spread | None]:
    """Estimate the targets and, last, the ceiling; with the t interval also return their spread."""
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
        return without_interval(value, size, why), None
    if options.ci == "two_way":
        spread = whole_spread(answers, targets, state.clusters, rules, value, options.resamples, options.seed)
        return with_t(value, size, spread, options), spread
    drawn = whole_replicates(answers, targets, state.clusters, rules, options.resamples, options.seed)
    return with_intervals(value, size, drawn, options), None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Whole:
    """Rows about all people.

    Attributes
    ----------
    models, lines, population : list of Row
        Models (all units, then strata); reference lines; models against the mode of the population.
    found : Estimates
        Of the models, and after them of the lines.
    half : dict of model to float
        Mean distance with half of the answers of each unit.
    """

    models: list[Row]
    lines: list[Row]
    population: list[Row]
    found: Estimates
    half: dict[str, float]


def whole_rows(state: State) -> Whole:
    """Rows of models, of the reference lines and of the population's mode, and the estimates behind them."""
    targets = whole_targets(state)
    found, spread = whole_estimates(state, targets)
    rows = [found.row(j, state, term=term, group=group) for j, (term, group) in enumerate(targets.names)]
    models = [row for row in rows if row.group != LINE]
    lines = [row for row in rows if row.group == LINE]
    method = f"{METHODS[state.options.ci]}, with the modes of the others held"
    top = found.row(len(targets.names), state, term=f"random {state.reference}", group=LINE, method=method)
    population, half = ([], {}) if spread is None else population_rows(state, models[: len(state.models)], spread)
    return Whole(models=models, lines=[top, *lines], population=population, found=found, half=half)


def population_rows(state: State, models: list[Row], spread: Spread) -> tuple[list[Row], dict[str, float]]:
    """Rows of the models against the mode of the population, from their rows over all units."""
    answers, rules = state.answers, state.options.rules
    targets = targets_of([(m, None) for m in state.models], model_shares(answers, rules.refusal))
    value = np.array([np.nan if row.estimate is None else row.estimate for row in models])
    made = population(
        answers, targets, state.clusters, rules, value, spread.first(len(value)), state.options.level
    )  # fmt: skip
    rows = []
    for j, row in enumerate(models):
        one = replace(row, group=POPULATION, method=EXTRAPOLATED, std_error=None)
        if row.estimate is not None:
            one = replace(one, estimate=float(made.estimate[j]))
        if row.conf_low is not None:
            one = replace(one, conf_low=float(made.low[j]), conf_high=float(made.high[j]))
        rows.append(one)
    known = {m: float(x) for m, x in zip(state.models, made.half.tolist(), strict=True) if np.isfinite(x)}
    return rows, known


def share_rows(state: State) -> list[Row]:
    """Shares of refusals of each model among the answers asked for, and of unparsed answers where there are any."""
    kinds = [(REFUSED, REFUSAL)]
    if (state.answers.status == MISSING).any():
        kinds.append((UNPARSED, MISSING))
    rows = []
    for level, among in by_stratum(state.design, state.options.stratum):
        place = "" if level is None else f", {state.options.stratum} = {level}"
        inside = among[state.answers.unit]
        rows += [
            one_share(state, Row(term=model, group=f"{name}{place}"), status == code, inside, status)
            for name, code in kinds
            for model, status in zip(state.models, state.answers.status, strict=True)
        ]
    return rows


def distance_rows(state: State) -> list[Row]:
    """Share of the units of each model at each distance, rounded to whole steps (a half to the even one)."""
    answers, rules = state.answers, state.options.rules
    steps = float(answers.scores[-1] - answers.scores[0])
    if not 1 <= steps <= MOST_STEPS:
        return []
    found, known = rules.distances(answers.counts(np.ones((1, len(answers.people)))), answers.scores)
    rows = []
    for model, shares in zip(state.models, model_shares(answers, rules.refusal), strict=True):
        used = (shares.sum(axis=1) > 0) & (known[0] > 0)
        at = np.rint((found[0] * shares).sum(axis=1).round(9))
        status = np.where(used, 0, NOT_ASKED)
        for step in range(int(max(steps, at[used].max(initial=0.0))) + 1):
            rows.append(one_share(state, Row(term=model, group=f"{AT} {step}"), at == step, used, status))
    return rows


def one_share(state: State, row: Row, hit: BoolArray, inside: BoolArray, status: IntArray) -> Row:
    """Share of one kind of answer of one model, over the units inside that it was asked about."""
    how = How(ci="wilson", level=state.options.level, resamples=state.options.resamples, seed=state.options.seed)
    used = inside & (status != NOT_ASKED)
    if not used.any():
        return replace(row, n=0.0, n_units=0, undefined="not asked about these units")
    weight, codes = state.answers.weight[used], [c[used] for c in state.clusters]
    return share_row(row, merged(hit[used].astype(np.float64), weight, codes, float(weight.sum())), how)

"""Rows of ADA-Met: models, strata, reference lines, shares refused."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.ratings import MISSING, REFUSAL
from socialstats.inference.rows import with_ends
from socialstats.metrics.ada_met.gaps import gap_rows, gap_targets
from socialstats.metrics.ada_met.state import METHODS, Estimates, State, with_intervals, with_t, without_interval
from socialstats.models.alignment import NOT_ASKED, Targets, constant_shares, model_shares, targets_of
from socialstats.models.alignment_population import MOST, Leads, Population, population, slowest_rate
from socialstats.models.alignment_resampling import Ceiling, whole, whole_replicates, whole_spread
from socialstats.models.alignment_variance import Residuals, Spread, features
from socialstats.models.raters import by_stratum
from socialstats.models.unit_shares import How, merged, share_row
from socialstats.results import Row
from socialstats.text import number

LINE, POPULATION = "reference line", "population's mode"
EXTRAPOLATED = "extrapolated from halves of the answers, noise falling as n^-{middle} (interval: n^-{slow} to n^-1)"
TOO_FEW = (
    "too few answers: in a share of {share} of the units the leading level is at most one answer ahead, and halves of "
    "the answers do not tell how fast the noise of modes falls (up to {most} they do); ask more people a unit"
)
AT, MOST_STEPS = "share at distance", 12
SHARE_REFUSED, SHARE_UNPARSED = "share refused", "share unparsed"


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


def whole_estimates(state: State, targets: Targets) -> tuple[Estimates, Spread | None, list[Row]]:
    """Estimate the targets and, last, the ceiling; with the t interval also their spread, and rows of differences."""
    answers, options, rules = state.answers, state.options, state.options.rules
    once = np.ones((1, len(answers.people)))
    ceiling = Ceiling.of(answers, rules)
    counts = answers.counts(once)
    known = rules.distances(counts, answers.scores)[1][0]

    def sample(some: Targets) -> tuple[FloatArray, FloatArray]:
        value = whole(answers, some, ceiling, rules, once, answers.weight[None, :])[0]
        compared = ((counts[0] * ceiling.known).sum(axis=1) > 0) @ answers.weight
        return value, np.append(some.asked @ (answers.weight * known), compared)

    value, size = sample(targets)
    why = state.no_resampling(len(answers.people))
    if why:
        return without_interval(value, size, why), None, []
    if options.ci != "two_way":
        drawn = whole_replicates(answers, targets, state.clusters, rules, options.resamples, options.seed)
        return with_intervals(value, size, drawn, options), None, []
    n, k = len(targets.names), len(answers.scores)
    gaps = gap_targets(state, np.append(value[: len(state.models)], value[n - k - 1 : n - 1]))
    every = targets if gaps is None else targets.beside(gaps)
    value, size = sample(every)
    spread = whole_spread(answers, every, state.clusters, rules, value, options.resamples, options.seed)
    kept, more = np.append(np.arange(n), len(every.names)), np.arange(n, len(every.names))
    rows = [] if gaps is None else gap_rows(
        state, gaps, with_t(value[more], size[more], spread.take(more), options, least=None)
    )  # fmt: skip
    return with_t(value[kept], size[kept], spread.take(kept), options), spread.take(kept), rows


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
    leads : Leads or None
    effects : dict of model to float
        Design effects: variance over that of units taken as independent, with the people held.
    gaps : list of Row
        Models less the nearest one, and less the best constant answer.
    """

    models: list[Row]
    lines: list[Row]
    population: list[Row]
    found: Estimates
    half: dict[str, float]
    leads: Leads | None
    effects: dict[str, float]
    gaps: list[Row]


def whole_rows(state: State) -> Whole:
    """Rows of models, of the reference lines and of the population's mode, and the estimates behind them."""
    targets = whole_targets(state)
    found, spread, gaps = whole_estimates(state, targets)
    rows = [found.row(j, state, term=term, group=group) for j, (term, group) in enumerate(targets.names)]
    models = [row for row in rows if row.group != LINE]
    lines = [row for row in rows if row.group == LINE]
    method = f"{METHODS[state.options.ci]}, with the modes of the others held"
    top = found.row(len(targets.names), state, term=f"random {state.reference}", group=LINE, method=method)
    made = Whole(
        models=models, lines=[top, *lines], population=[], found=found, half={}, leads=None, effects={}, gaps=gaps
    )
    return made if spread is None else with_population(state, made, spread)


def with_population(state: State, whole: Whole, spread: Spread) -> Whole:
    """Add the rows of the models against the mode of the population, from their rows over all units."""
    models = whole.models[: len(state.models)]
    answers, rules = state.answers, state.options.rules
    targets = targets_of([(m, None) for m in state.models], model_shares(answers, rules.refusal))
    value = np.array([np.nan if row.estimate is None else row.estimate for row in models])
    made = population(
        answers, targets, state.clusters, rules, value, spread.first(len(value)), state.options.level
    )  # fmt: skip
    known = {m: float(x) for m, x in zip(state.models, made.half.tolist(), strict=True) if np.isfinite(x)}
    rows = [population_row(row, made, j) for j, row in enumerate(models)]
    effects = design_effects(state, targets, value, spread.first(len(value)))
    return replace(whole, population=rows, half=known, leads=made.leads, effects=effects)


def design_effects(state: State, targets: Targets, value: FloatArray, spread: Spread) -> dict[str, float]:
    """Variance of each model's mean over that with units independent and people held (Kish, 1965)."""
    answers = state.answers
    found = state.options.rules.distances(answers.counts(np.ones((1, len(answers.people)))), answers.scores)
    alone = Residuals.of(targets, value, found[1][0], answers.weight, ())
    plain = alone.unit_variance([x[:, 0] for x in alone.pieces_of(features(*found))])
    named = zip(state.models, plain.tolist(), (spread.error**2).tolist(), strict=True)
    return {model: whole / units for model, units, whole in named if units > 0}


def population_row(row: Row, made: Population, j: int) -> Row:
    """One model against the mode of the population."""
    slow = slowest_rate(made.leads.narrow)
    method = EXTRAPOLATED.format(middle=number((1 + slow) / 2), slow=number(slow))
    one = replace(row, group=POPULATION, method=method, std_error=None)
    if row.estimate is not None and made.leads.narrow > MOST:
        why = TOO_FEW.format(share=number(made.leads.narrow), most=number(MOST))
        return with_ends(replace(one, estimate=None, method=None), None, None, row.conf_level or 0.95, why=why)
    if row.estimate is None or row.conf_level is None:
        return one if row.estimate is None else replace(one, estimate=float(made.estimate[j]))
    one = replace(one, estimate=float(made.estimate[j]))
    return with_ends(one, float(made.low[j]), float(made.high[j]), row.conf_level, hold=True)


def share_rows(state: State) -> list[Row]:
    """Shares of refusals of each model among the answers asked for, and of unparsed answers where there are any."""
    kinds = [(SHARE_REFUSED, REFUSAL)]
    if (state.answers.status == MISSING).any():
        kinds.append((SHARE_UNPARSED, MISSING))
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

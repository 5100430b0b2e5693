"""What a result of ADA-Met says besides its rows: inference, cautions, counts, sentence, plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.designs.ratings import MISSING, REFUSAL
from socialstats.errors import Caution, caution
from socialstats.inference.dependence import cluster_cautions, cluster_text, small_sample
from socialstats.inference.how import RESAMPLED
from socialstats.metrics.ada_met.rows import LINE, Whole
from socialstats.metrics.ada_met.state import Estimates, State
from socialstats.models.modes import mode_distances
from socialstats.results import Result, Row
from socialstats.text import count, interval, number, percent, quoted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW_PEOPLE = 20
NOISY = 0.5  # standard errors
COUNTED = {
    "max": "counted as the width of the scale", "item_max": "counted as the farthest answer to the item",
    "exclude": "left out",
}  # fmt: skip
MOST_SHOWN = 60


def inference_text(state: State) -> str:
    """Say how the intervals were obtained."""
    o = state.options
    units = cluster_text(state.factors, "units")
    how = f"two-way bootstrap of {state.reference} raters and units, {o.ci} intervals"
    if o.ci == "two_way":
        how = f"t intervals; variance over units, and over {state.reference} raters resampled, less what is in both"
    return f"{how}, {count(o.resamples, 'resample')}, seed {o.seed}; {units}"


def counts_of(state: State) -> dict[str, int]:
    """Number of units, reference raters and answers, models, and units with tied modes."""
    answers = state.answers
    return {
        "units": int(answers.weight.sum()), "reference raters": len(answers.people),
        "reference answers": int((answers.table @ np.repeat(answers.weight, len(answers.scores))).sum()),
        "models": len(answers.models), "units with tied modes": int(answers.weight[tied(state)].sum()),
    }  # fmt: skip


def tied(state: State) -> Any:
    """(units,) bool array: several levels have most answers."""
    counts = state.answers.counts(np.ones((1, len(state.answers.people))))[0]
    return (counts == counts.max(axis=1, keepdims=True)).sum(axis=1) > 1


def cautions_of(state: State) -> tuple[Caution, ...]:
    """Cautions on clusters, what was left out, refusals, ties, few people, undeclared distances."""
    drawn = [None] if state.options.ci in RESAMPLED else None
    found = [*cluster_cautions(state.design, state.factors, df=drawn), *left_out(state), *refusals(state)]
    ties = counts_of(state)["units with tied modes"]
    if state.options.ties == "nearest" and ties:
        said = f"the nearest of {count(ties, 'tied mode')} is chosen after the answer is known"
        found.append(caution("SS304", said, affects="every distance: too small", fix="ties='mean'"))
    people = len(state.answers.people)
    found += small_sample(
        people, FEW_PEOPLE, count(people, "reference rater"), affects="intervals, which tend to be too short",
        fix=f"ask {FEW_PEOPLE} people or more",
    )  # fmt: skip
    if not state.design.numeric:
        said = (
            f"the levels are no numbers, and no distances were declared: in order they count as 0 to "
            f"{len(state.answers.scores) - 1}"
        )
        found.append(caution("SS310", said, affects="every distance"))
    return tuple(found)


def left_out(state: State) -> list[Caution]:
    """Caution SS301: units of models without a reference answer, and the other way round."""
    answers, found = state.answers, []
    if answers.left_out:
        said = f"{count(len(answers.left_out), 'unit')} without an answer of the reference: {quoted(answers.left_out)}"
        found.append(caution("SS301", said, affects="every row", fix="check that units are spelled alike"))
    if answers.unanswered:
        said = f"{count(answers.unanswered, 'unit')} of the reference that no model was asked"
        found.append(caution("SS301", said, affects="which units are compared"))
    return found


def noisy_modes(state: State, found: Estimates) -> list[Caution]:
    """Caution SS304: where the modes rest on few answers, their noise is part of the distance."""
    models = state.models
    bias, error = found.bias[: len(models)], found.std_error[: len(models)]
    with np.errstate(invalid="ignore"):
        touched = np.flatnonzero(bias > NOISY * error)
    if not len(touched):
        return []
    worst = int(touched[np.argmax(bias[touched])])
    each = counts_of(state)["reference answers"] / max(float(state.answers.weight.sum()), 1.0)
    said = (
        f"modes of {number(each, 1)} answers a unit: resampling them adds up to {number(bias[worst])} to a distance of "
        f"{number(found.value[worst])} ('{shorten(models[worst], 30)}')"
    )
    fix = "read it as the distance with as many people as these; the one from the population's mode is beside it"
    return [caution("SS304", said, affects="distances: too large, the small ones most", fix=fix)]


def refusals(state: State) -> list[Caution]:
    """Caution SS315: how refusals and unparsed answers count, and how many exceed any possible answer."""
    answers, o = state.answers, state.options
    refused, unparsed = (int((answers.status == code).sum()) for code in (REFUSAL, MISSING))
    if not refused and not unparsed:
        return []
    rule = COUNTED[o.refusal] if isinstance(o.refusal, str) else f"counted as {number(o.refusal)} levels"
    said = f"{count(refused, 'refusal')} {rule}"
    if unparsed:
        said += f"; {count(unparsed, 'unparsed answer')} " + (
            "counted as refusals" if o.unparsed == "refusal" else "left out"
        )
    k = len(answers.scores)
    once = answers.counts(np.ones((1, len(answers.people))))[0]
    distances, _ = mode_distances(once, answers.scores, o.ties, o.rules.refusal)
    farther = distances[:, k] > distances[:, :k].max(axis=1) + 1e-12
    beyond = int(((answers.answer == k) & farther).sum())
    if beyond:
        said += f"; {count(beyond)} of them are farther off than any answer could be"
    return [
        caution(
            "SS315",
            said,
            affects="distances of models that refuse",
            fix="see how far the other rules move them: the farthest answer to the item, left out",
        )
    ]


def extras_of(state: State, whole: Whole) -> dict[str, Any]:
    """Share of units with tied modes, units left out, and what noise of modes adds to each model's distance."""
    named = zip(state.models, whole.found.bias.tolist(), strict=False)
    found = {
        "share_tied": float(tied(state).mean()), "units_left_out": state.answers.left_out,
        "bootstrap_bias": {model: float(one) for model, one in named if not np.isnan(one)},
        "half_distance": whole.half, "design_effect": whole.effects,
    }  # fmt: skip
    leads = whole.leads
    return found if leads is None else {**found, "share_narrow": leads.narrow, "share_narrow_apart": leads.apart}


def sentence(result: Result) -> str:
    """Say the distance of each model (the smallest and the largest of many), the ceiling and the floor."""
    n = result.counts
    among = f"over {count(n['units'], 'unit')} answered by {count(n['reference raters'], 'reference rater')}"
    rows = [row for row in result.rows if row.group is None]
    known = sorted((row for row in rows if row.estimate is not None), key=lambda row: row.estimate or 0.0)
    if not known:
        return f"The distance from the mode of the reference {among} does not exist: {rows[0].undefined}."
    if len(known) == 1:
        said = (
            f"The mean distance of '{shorten(known[0].term)}' from the mode of the reference was {value_text(known[0])}"
        )
    elif known[0].estimate == known[-1].estimate:
        said = (
            f"The mean distance from the mode of the reference was the same for all {count(len(known), 'model')}: "
            f"{value_text(known[0])}"
        )
    else:
        small, large = (f"'{shorten(row.term)}' ({value_text(row)})" for row in (known[0], known[-1]))
        said = (
            f"Of {count(len(known), 'model')}, the mean distance from the mode of the reference was smallest for "
            f"{small}, and largest for {large}"
        )
    lines = {row.term: row for row in result.rows if row.group == LINE}
    top, uniform = next(iter(lines.values())), lines["uniform answer"]
    beside = f"an answer at random would be {number(uniform.estimate)} off"
    if top.estimate is not None:
        beside = f"one reference rater was on average {number(top.estimate)} from the mode of the others, {beside}"
    return f"{said}, {among}; {beside}{refused_text(result, known)}."


def refused_text(result: Result, known: Sequence[Row]) -> str:
    """Say how many units the nearest and the farthest model refused, which counts as a distance."""
    if len(known) > 1 and known[0].estimate == known[-1].estimate:
        return ""
    names = ("it",) if len(known) == 1 else ("the former", "the latter")
    shares = {r.term: r.estimate for r in result.rows if r.group == "share refused"}
    ends = zip(names, (known[0], known[-1]), strict=False)
    said = [f"{name} refused {percent(shares[row.term])}" for name, row in ends if shares.get(row.term)]
    return f"; {', '.join(said)}" if said else ""


def value_text(row: Row) -> str:
    """Write a distance with its interval."""
    if row.conf_low is None:
        return f"{number(row.estimate)}, without an interval: {row.undefined}"
    ends = interval(row.conf_low, row.conf_high, level=row.conf_level or 0.95)
    return f"{number(row.estimate)}, {ends}"


def plot(result: Result, ax: Axes | None = None, *, group: str | None = None, **options: Any) -> Axes:
    """Draw the distance of each model between the ceiling and the floor, the smallest first.

    Parameters
    ----------
    result : Result
    ax : Axes, optional
    group : str, optional
        Draw the rows of this group (``"area = work"``) in place of all units.
    **options
        Of `socialstats.figures.forest`.
    """
    from socialstats.figures import forest

    rows = [row for row in result.rows if row.group == group]
    rows = sorted(rows, key=lambda row: (row.estimate is None, row.estimate or 0.0))[:MOST_SHOWN]
    lines = [r for r in result.rows if r.group == LINE and not r.term.startswith("always ")] if group is None else []
    shown = [replace(row, group=None) for row in (*lines[:1], *rows, *lines[1:])]
    settings = {"xlabel": "Mean distance from the mode of the reference (levels)", "sort": False, "reference": None}
    return forest(shown, ax=ax, **{**settings, **options})

"""Paired differences of ADA-Met: each model less the nearest one, and less the best constant answer."""

from __future__ import annotations

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.inference.compare import with_holm
from socialstats.metrics.ada_met.state import METHODS, Estimates, State
from socialstats.models.alignment import Targets, constant_shares, difference_targets, model_shares
from socialstats.results import Row

MINUS_NEAREST, MINUS_CONSTANT = "minus nearest = ", "minus constant = "
PAIRED = "{ci}, on the units that both answered; p of the same t, Holm over the models"


def gap_targets(state: State, value: FloatArray) -> Targets | None:
    """Means of the differences in distance from the nearest model (of several), then from the best constant answer.

    `value` has the distances of the models, and of each constant answer. None where no difference exists.
    """
    answers, models = state.answers, state.models
    shares = model_shares(answers, state.options.rules.refusal)
    names, constants = constant_shares(answers)
    found: list[tuple[tuple[str, str | None], FloatArray, FloatArray]] = []
    near, best = value[: len(models)], value[len(models) : len(models) + len(answers.scores)]
    if len(models) > 1 and np.any(~np.isnan(near)):
        first = int(np.nanargmin(near))
        group = f"{MINUS_NEAREST}{models[first]}"
        found += [((m, group), shares[k], shares[first]) for k, m in enumerate(models) if k != first]
    if np.any(~np.isnan(best)):
        first = int(np.nanargmin(best))
        found += [((m, f"{MINUS_CONSTANT}{names[first]}"), shares[k], constants[first]) for k, m in enumerate(models)]
    return difference_targets(found) if found else None


def gap_rows(state: State, targets: Targets, found: Estimates) -> list[Row]:
    """Rows of the differences with the t of their intervals, adjusted over the models."""
    rows = []
    method = PAIRED.format(ci=METHODS[state.options.ci])
    for start in (MINUS_NEAREST, MINUS_CONSTANT):
        own = [
            found.tested(j, found.row(j, state, term=term, group=group, method=method))
            for j, (term, group) in enumerate(targets.names) if group is not None and group.startswith(start)
        ]  # fmt: skip
        rows += with_holm(own)
    return rows

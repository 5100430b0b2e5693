"""Power as a function of the size of a study and the effect, by the settings of a plan."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from socialstats.inference.power import cluster_center, mcnemar_power, t_power
from socialstats.results import Result

CURVE_POINTS = 60
Settings = Mapping[str, Any]
PowerAt = Callable[[float, float], float]
"""From the size of the study and the effect to the power."""


def paired_t_power(settings: Settings) -> PowerAt:
    """Power of the paired t: noncentrality d_z sqrt(n)."""
    return lambda n, effect: t_power(
        n - 1, effect * math.sqrt(n), settings["alpha"], settings["alternative"]
    )


def exact_mcnemar_power(settings: Settings) -> PowerAt:
    """Power of McNemar's test, an exact sum."""
    # the effect is p10 - p01, beside a given share of discordant pairs
    return lambda n, effect: mcnemar_power(
        int(n), settings["discordant"], effect, settings["alpha"], settings["test"]
    )


def clusters_power(settings: Settings) -> PowerAt:
    """Power of the t of cluster means."""
    # the statistic is noncentral t, whose noncentrality is `cluster_center` (Donner & Klar 2000)
    size, between, within = (settings[key] for key in ("size", "sd_between", "sd_within"))
    return lambda g, effect: t_power(
        g - 1,
        cluster_center(int(g), size, effect, between, within),
        settings["alpha"],
        settings["alternative"],
    )


POWERS: dict[str, Callable[[Settings], PowerAt]] = {
    "power_paired_t": paired_t_power,
    "power_mcnemar": exact_mcnemar_power,
    "power_clustered_mean": clusters_power,
}


def curve_of(plan: Result, at_sizes: Sequence[int] | None = None) -> dict[str, Any]:
    """Return the curve of a plan for `figures.power_curve`: at some sizes, or up to twice the planned one."""
    term, label = (
        ("clusters", "Clusters") if plan.metric == "power_clustered_mean" else ("n", "Pairs")
    )
    planned, effect = round(plan.row(term).estimate or 0), plan.row("effect").estimate or 0.0
    power = POWERS[plan.metric](plan.settings)
    sizes = (
        np.unique(np.linspace(2, max(2 * planned, 10), CURVE_POINTS).astype(np.int64))
        if at_sizes is None
        else (np.asarray(at_sizes, dtype=np.int64))
    )
    return {
        "x": sizes.astype(np.float64),
        "power": np.array([power(int(k), effect) for k in sizes]),
        "at": planned,
        "xlabel": label,
        "reached": plan.row("power").estimate,
    }

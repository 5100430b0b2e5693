"""Power as a function of the size of the study, for the figure of a plan."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from socialstats.models.power import cluster_center, mcnemar_power, t_power
from socialstats.results import Result

POINTS = 60


def curve_of(plan: Result) -> dict[str, Any]:
    """Return the curve of a plan for `figures.power_curve`: sizes up to twice the planned one."""
    term, label = ("clusters", "Clusters") if plan.metric == "power_clustered_mean" else ("n", "Pairs")
    at = round(plan.row(term).estimate or 0)
    power = POWERS[plan.metric](plan.settings, plan.row("effect").estimate or 0.0)
    sizes = np.unique(np.linspace(2, max(2 * at, 10), POINTS).astype(np.int64))
    return {
        "x": sizes.astype(np.float64), "power": np.array([power(int(k)) for k in sizes]), "at": at, "xlabel": label,
        "reached": plan.row("power").estimate,
    }  # fmt: skip


def of_paired_t(settings: Mapping[str, Any], effect: float) -> Callable[[int], float]:
    """Power of the paired t as a function of n."""
    return lambda n: t_power(n - 1, effect * math.sqrt(n), settings["alpha"], settings["alternative"])


def of_mcnemar(settings: Mapping[str, Any], effect: float) -> Callable[[int], float]:
    """Power of McNemar's test as a function of n."""
    return lambda n: mcnemar_power(n, settings["discordant"], effect, settings["alpha"], settings["test"])


def of_clusters(settings: Mapping[str, Any], effect: float) -> Callable[[int], float]:
    """Power of the t of cluster means as a function of the number of clusters."""
    size, between, within = (settings[key] for key in ("size", "sd_between", "sd_within"))
    return lambda g: t_power(
        g - 1, cluster_center(g, size, effect, between, within), settings["alpha"], settings["alternative"]
    )


POWERS: dict[str, Callable[[Mapping[str, Any], float], Callable[[int], float]]] = {
    "power_paired_t": of_paired_t, "power_mcnemar": of_mcnemar, "power_clustered_mean": of_clusters,
}  # fmt: skip

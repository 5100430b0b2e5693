"""Simulations of units with sampling weights: means, mean differences, and shares.

Weights are lognormal, exp(sigma z). Values are normal, or 1 above a threshold. Their normal value has correlation r
with z, so that the weighted mean of all units, E(w x) / E(w), is another than the plain one. Clusters have five units,
whose z and values have an intraclass correlation of .3.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from function_studies import Draw, Drawn, simulated
from scipy.special import ndtri
from tally import Line

import socialstats as ss
from socialstats.arrays import FloatArray, IntArray

RELATED = 0.3
SIZE = 5


def normals(rng: np.random.Generator, cluster: IntArray) -> FloatArray:
    """Return normal values, alike within clusters where these have several units."""
    own = rng.standard_normal(len(cluster))
    if len(cluster) == cluster.max() + 1:
        return own
    return (
        np.sqrt(RELATED) * rng.standard_normal(int(cluster.max()) + 1)[cluster]
        + np.sqrt(1 - RELATED) * own
    )


def weighted(
    metric: str,
    sigma: float,
    r: float,
    share: float | None,
    units: int,
    clusters: int,
    rng: np.random.Generator,
) -> Drawn:
    """Draw units with weights, and estimate a mean, or the share of ones."""
    cluster = np.repeat(np.arange(clusters), SIZE) if clusters else np.arange(units)
    z = normals(rng, cluster)
    value, truth = (
        r * z + np.sqrt(1 - r**2) * normals(rng, cluster),
        r * sigma,
    )  # E(w z) / E(w) = sigma
    group = np.arange(len(cluster)) % 2
    if share is not None:
        value, truth = (value > truth - ndtri(share)).astype(float), share
    more = {"cluster": "story"} if clusters else {}
    table = {
        "unit": np.arange(len(cluster)),
        "value": value,
        "w": np.exp(sigma * z),
        "story": cluster,
    }
    if metric == "paired_difference":
        noise = rng.standard_normal(len(cluster))
        pairs = {"a": value + noise, "b": noise, "w": table["w"], "story": cluster}
        found = ss.paired_difference(pairs, first="a", second="b", weight="w", **more)
    elif metric in ("two_means", "two_proportions"):
        both = table | {"group": np.array(["a", "b"])[group]}
        found, truth = getattr(ss, metric)(both, groups=("a", "b"), weight="w", **more), 0.0
    else:
        levels = {"levels": [0, 1]} if share is not None else {}
        scale = "interval" if metric == "mean_ratings" else "nominal"
        found = getattr(ss, metric)(table, rater=False, scale=scale, weight="w", **levels, **more)
    row = found.row("1") if metric == "choice_shares" else found.rows[0]
    tests = {"difference": [row]} if metric in ("two_means", "two_proportions") else {}
    return Drawn(intervals={row.role or "mean": [(row, truth)]}, tests=tests)


def settings_of(metric: str, share: float | None) -> dict[str, Draw]:
    """Return what draws each setting of a metric."""
    what = "normal values" if share is None else f"share {share:g}"
    found: dict[str, Draw] = {}
    for units, clusters in ((30, 0), (200, 0), (0, 12), (0, 60)):
        size = f"{units} units" if units else f"{clusters} clusters of {SIZE}"
        for sigma, r in ((0.5, 0.0), (1.0, 0.0), (1.0, 0.5)):
            name = f"{what}, weights of sigma {sigma:g}, r = {r:g}, {size}"
            found[name] = partial(weighted, metric, sigma, r, share, units, clusters)
    return found


METRICS = {
    "mean_ratings": settings_of("mean_ratings", None),
    "paired_difference": settings_of("paired_difference", None),
    "two_means": settings_of("two_means", None),
    "two_proportions": settings_of("two_proportions", 0.3),
    "choice_shares": settings_of("choice_shares", 0.3),
}


def sampling_weights(rng: np.random.Generator, sims: int) -> list[Line]:
    """Return the coverage of intervals, and the size of tests, of every metric that takes weights of units."""
    return [
        line
        for metric, settings in METRICS.items()
        for line in simulated(f"{metric}, sampling weights", settings, rng, sims)
    ]

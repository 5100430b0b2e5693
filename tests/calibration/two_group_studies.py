"""Simulations of two independent groups: shares, means, and the probability of superiority.

Sizes are of both groups. Clusters have five units; within groups each has units of one group, crossing ones have units
of both, whose chance (or level) is half shared. Both groups have one distribution.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.special import ndtr
from share_studies import rates

import socialstats as ss
from socialstats.arrays import FloatArray, IntArray

RELATED = 0.3  # intraclass correlation in clusters
SIZES = ((10, 10), (20, 40), (100, 100))
CLUSTERS = tuple((clusters, crossing) for clusters in (6, 12, 40) for crossing in (False, True))
SIZE = 5  # units of a cluster
LIKERT = (0.1, 0.2, 0.4, 0.2, 0.1)
TOP = (0.02, 0.03, 0.05, 0.2, 0.7)
Values = Callable[[np.random.Generator, IntArray, IntArray], FloatArray]


def members(sizes: tuple[int, int], clusters: int, crossing: bool) -> tuple[IntArray, IntArray]:
    """Return the group and the cluster of each unit; each unit is a cluster where there are none."""
    if not clusters:
        group = np.repeat([0, 1], sizes)
        return group, np.arange(len(group))
    cluster = np.repeat(np.arange(clusters), SIZE)
    group = np.arange(len(cluster)) % 2 if crossing else cluster % 2
    return group, cluster


def effects(rng: np.random.Generator, group: IntArray, cluster: IntArray) -> FloatArray:
    """Return standard normal effects of clusters, half of whose variance is of the group in the cluster."""
    shared = rng.standard_normal(cluster.max() + 1)[cluster]
    own = rng.standard_normal((2, cluster.max() + 1))[group, cluster]
    return np.sqrt(0.5) * (shared + own)


def yes(p: float, rng: np.random.Generator, group: IntArray, cluster: IntArray) -> FloatArray:
    """Draw answers of 0 and 1."""
    chance = np.full(len(group), p)
    if len(cluster) > cluster.max() + 1:
        each = rates(rng, p, RELATED, (3, int(cluster.max()) + 1))
        crossing = len(np.unique(np.stack([group, cluster]), axis=1).T) > cluster.max() + 1
        chance = (each[2][cluster] + each[group, cluster]) / 2 if crossing else each[2][cluster]
    return (rng.random(len(group)) < chance).astype(float)


def normal(rng: np.random.Generator, group: IntArray, cluster: IntArray) -> FloatArray:
    """Draw numbers of variance 1."""
    noise = rng.standard_normal(len(group))
    if len(cluster) == cluster.max() + 1:
        return noise
    return np.sqrt(RELATED) * effects(rng, group, cluster) + np.sqrt(1 - RELATED) * noise


def lognormal(rng: np.random.Generator, group: IntArray, cluster: IntArray) -> FloatArray:
    """Draw numbers with a long tail."""
    return np.exp(normal(rng, group, cluster))


def levels(
    shares: tuple[float, ...], rng: np.random.Generator, group: IntArray, cluster: IntArray
) -> FloatArray:
    """Draw ordered levels."""
    cuts = np.cumsum(shares)[:-1]
    return np.searchsorted(cuts, ndtr(normal(rng, group, cluster))).astype(float)


def compared(
    metric: str,
    term: str,
    truth: float,
    values: Values,
    sizes: tuple[int, int],
    clusters: int,
    crossing: bool,
    answers: int,
    rng: np.random.Generator,
) -> tuple[ss.Result, str, float]:
    """Draw two groups and compare them."""
    group, cluster = members(sizes, clusters, crossing)
    value = values(rng, group, cluster)
    unit = np.arange(len(group))
    if answers > 1:  # answers of a unit mostly agree
        again = rng.random((len(group), answers)) < 0.3
        other = np.stack([values(rng, group, cluster) for _ in range(answers)], axis=1)
        value = np.where(again, other, value[:, None]).ravel()
        unit, group, cluster = (np.repeat(part, answers) for part in (unit, group, cluster))
    table = {"unit": unit, "group": np.array(["a", "b"])[group], "value": value}
    more = {"cluster": "story"} if clusters else {}
    kind = {"two_proportions": {"levels": [0, 1]}, "two_ordinal": {"scale": "ordinal"}}.get(
        metric, {}
    )
    names = (
        {"unit": "unit", "groups": ("a", "b")}
        if answers > 1
        else {"unit": False, "groups": ("a", "b")}
    )
    scale = kind if metric != "two_means" else {"scale": "numeric"}
    result = getattr(ss, metric)(
        ss.Groups.from_frame(
            {**table, **({"story": cluster} if clusters else {})},
            count=False,
            **names,
            **scale,
            **more,
        )
    )
    assert isinstance(result, ss.Result)
    return result, term, truth


def settings_of(
    metric: str, term: str, truth: float, kinds: dict[str, Values]
) -> dict[str, partial[object]]:
    """Return what draws each setting of a metric."""
    found = {}
    for kind, values in kinds.items():
        for sizes in SIZES:
            name = f"{kind}, {sizes[0]} + {sizes[1]} units"
            found[name] = partial(compared, metric, term, truth, values, sizes, 0, False, 1)
        for clusters, crossing in CLUSTERS:
            name = f"{kind}, {clusters} clusters {'crossing' if crossing else 'within'} groups"
            found[name] = partial(
                compared, metric, term, truth, values, (0, 0), clusters, crossing, 1
            )
    if metric == "two_proportions":
        name = "0.5, 20 + 40 units, 3 answers each"
        found[name] = partial(compared, metric, term, truth, kinds["0.5"], (20, 40), 0, False, 3)
    return found


TWO_GROUPS = {
    "two_proportions": settings_of(
        "two_proportions", "difference", 0.0, {f"{p:g}": partial(yes, p) for p in (0.02, 0.1, 0.5)}
    ),
    "two_means": settings_of(
        "two_means", "difference", 0.0, {"normal": normal, "lognormal": lognormal}
    ),
    "two_ordinal": settings_of(
        "two_ordinal",
        "superiority",
        0.5,
        {
            "five levels": partial(levels, LIKERT),
            "five levels, most at the top": partial(levels, TOP),
        },
    ),
}

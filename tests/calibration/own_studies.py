"""Simulations of functions of one's own: bootstrap and jackknife intervals, permutation tests.

Numbers of two columns are normal or lognormal, with a correlation of .6 of their logs. Clusters have five rows and .3
of the variance of the logs. Crossed tables have one value for each unit and rater.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from function_studies import Draw, Drawn, simulated
from tally import Line

import socialstats as ss
from socialstats.arrays import FloatArray, IntArray

RELATED, RHO = 0.3, 0.6
SIZE = 5  # rows of a cluster
RESAMPLES = 999  # expanded tails of few clusters need more than 399
MEAN = float(np.exp(0.5))  # lognormal numbers have it
TRUTHS = {
    "normal": {"mean": 3.0, "ratio of means": 0.5, "correlation": RHO, "SD": 1.0},
    "lognormal": {"mean": MEAN, "ratio of means": MEAN / (MEAN + 1)},
}


def logs(
    rng: np.random.Generator, clusters: int, rows: int
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Draw two standard normal columns and the cluster of each row."""
    share = RELATED if rows > 1 else 0.0
    code = np.repeat(np.arange(clusters), rows)
    z = np.sqrt(share) * rng.standard_normal((clusters, 2))[code]
    z += np.sqrt(1 - share) * rng.standard_normal((len(code), 2))
    return z[:, 0], RHO * z[:, 0] + np.sqrt(1 - RHO**2) * z[:, 1], code


def columns(
    rng: np.random.Generator, shape: str, clusters: int, rows: int
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Draw two columns of a shape."""
    x, y, code = logs(rng, clusters, rows)
    return (x + 3, y + 6, code) if shape == "normal" else (np.exp(x), np.exp(y) + 1, code)


def numbers(x: FloatArray, y: FloatArray) -> dict[str, float]:
    """Return the numbers of two columns."""
    n, one, two = len(x), x.mean(), y.mean()
    xx, yy, xy = x @ x / n - one**2, y @ y / n - two**2, x @ y / n - one * two
    return {
        "mean": one,
        "ratio of means": one / two,
        "correlation": xy / np.sqrt(xx * yy),
        "SD": np.sqrt(xx * n / (n - 1)),
    }


def of_columns(
    rng: np.random.Generator, estimate: Callable[..., Any], shape: str, clusters: int, rows: int
) -> Drawn:
    """Estimate the numbers of two columns."""
    x, y, code = columns(rng, shape, clusters, rows)
    found = estimate((x, y), numbers, paired=True, cluster=code if rows > 1 else None)
    return Drawn(
        intervals={name: [(found.row(name), truth)] for name, truth in TRUTHS[shape].items()}
    )


def of_groups(
    rng: np.random.Generator, estimate: Callable[..., Any], shape: str, first: int, second: int
) -> Drawn:
    """Estimate the difference of the means of two samples, the first of which is twice as spread."""
    one, two = rng.standard_normal(first), rng.standard_normal(second)
    one, two = (2 * one, two) if shape == "normal" else (np.exp(one), np.exp(two))
    found = estimate((one, two), lambda a, b: a.mean() - b.mean())
    return Drawn(intervals={"difference of means": [(found.rows[0], 0.0)]})


def of_share(rng: np.random.Generator, estimate: Callable[..., Any], p: float, n: int) -> Drawn:
    """Estimate a share."""
    found = estimate((rng.random(n) < p).astype(float), np.mean)
    return Drawn(intervals={"share": [(found.rows[0], p)]})


def crossed(rng: np.random.Generator, units: int, raters: int, sd: float) -> pd.DataFrame:
    """Draw a table of units by raters, whose effects have a standard deviation each beside noise of 1."""
    unit, rater = np.repeat(np.arange(units), raters), np.tile(np.arange(raters), units)
    effects = sd * (rng.standard_normal(units)[unit] + rng.standard_normal(raters)[rater])
    return pd.DataFrame(
        {"unit": unit, "rater": rater, "value": effects + rng.standard_normal(len(unit))}
    )


def of_crossed(
    rng: np.random.Generator, estimate: Callable[..., Any], units: int, raters: int, sd: float
) -> Drawn:
    """Estimate the mean of a crossed table."""
    found = estimate(
        crossed(rng, units, raters, sd),
        lambda t: t["value"].to_numpy().mean(),
        cluster=("unit", "rater"),
    )
    return Drawn(intervals={"mean": [(found.rows[0], 0.0)]})


def of_shape(estimate: Callable[..., Any], shape: str) -> dict[str, Draw]:
    """Return the settings of numbers of a shape."""
    made: dict[str, Draw] = {}
    for n in (10, 20, 40):
        made[f"{shape}, {n} rows"] = partial(
            of_columns, estimate=estimate, shape=shape, clusters=n, rows=1
        )
    for n in (6, 10, 20, 40):
        made[f"{shape}, {n} clusters"] = partial(
            of_columns, estimate=estimate, shape=shape, clusters=n, rows=SIZE
        )
    made[f"{shape}, 10 + 30 rows"] = partial(
        of_groups, estimate=estimate, shape=shape, first=10, second=30
    )
    return made


def of_others(estimate: Callable[..., Any]) -> dict[str, Draw]:
    """Return the settings of shares and of crossed tables."""
    made: dict[str, Draw] = {}
    for p, n in ((0.5, 30), (0.05, 60)):
        made[f"yes or no, {p:g}, {n} rows"] = partial(of_share, estimate=estimate, p=p, n=n)
    for units, raters, sd in ((12, 8, 0.5), (20, 8, 0.5), (20, 8, 0.0)):
        name = f"crossed, {units} units x {raters} raters, effects of SD {sd:g}"
        made[name] = partial(of_crossed, estimate=estimate, units=units, raters=raters, sd=sd)
    return made


def medians(one: FloatArray, two: FloatArray) -> float:
    """Return a difference of medians."""
    return float(np.median(one) - np.median(two))


def two_samples(rng: np.random.Generator, first: int, second: int) -> Drawn:
    """Test two lognormal samples of one distribution."""
    one, two = np.exp(rng.standard_normal(first)), np.exp(rng.standard_normal(second))
    return Drawn(
        tests={
            "difference of medians": ss.permute(
                (one, two), medians, paired=False, permutations=RESAMPLES
            ).rows
        }
    )


def between(table: pd.DataFrame) -> float:
    """Return a difference of the means of two arms."""
    value, first = table["value"].to_numpy(), (table["arm"] == "a").to_numpy()
    return float(value[first].mean() - value[~first].mean())


def trial(rng: np.random.Generator, clusters: int, within: bool) -> Drawn:
    """Test arms without an effect that hold whole clusters, or differ within them."""
    x, _, code = columns(rng, "lognormal", clusters, 6)
    arm = np.array(["a", "b"])[(np.arange(len(code)) % 2) if within else code % 2]
    table = pd.DataFrame({"cluster": code, "arm": arm, "value": x})
    found = ss.permute(table, between, what="arm", cluster="cluster", permutations=RESAMPLES)
    return Drawn(tests={"difference of means": found.rows})


PERMUTED: dict[str, Draw] = {
    "lognormal, 5 + 5 rows": partial(two_samples, first=5, second=5),
    "lognormal, 10 + 30 rows": partial(two_samples, first=10, second=30),
    "lognormal, arms of 8 clusters": partial(trial, clusters=8, within=False),
    "lognormal, arms of 20 clusters": partial(trial, clusters=20, within=False),
    "lognormal, arms within 10 clusters": partial(trial, clusters=10, within=True),
}
BOOTSTRAP = partial(ss.bootstrap, resamples=RESAMPLES)
SETTINGS: dict[
    str, tuple[str, str, dict[str, Draw]]
] = {  # study: function, which numbers, how they are drawn
    "own_bootstrap_normal": ("bootstrap", ", normal numbers", of_shape(BOOTSTRAP, "normal")),
    "own_bootstrap_skewed": ("bootstrap", ", lognormal numbers", of_shape(BOOTSTRAP, "lognormal")),
    "own_bootstrap_others": ("bootstrap", ", shares and crossed factors", of_others(BOOTSTRAP)),
    "own_jackknife": (
        "jackknife",
        "",
        of_shape(ss.jackknife, "normal")
        | of_shape(ss.jackknife, "lognormal")
        | of_others(ss.jackknife),
    ),
    "own_permute": ("permute", "", PERMUTED),
}


def named(
    function: str, numbers: str, made: dict[str, Draw], rng: np.random.Generator, sims: int
) -> list[Line]:
    """Return the lines of a function, in a study of these numbers."""
    lines = simulated(function, made, rng, sims)
    return [
        replace(line, study=line.study.replace(function, f"{function}{numbers}", 1))
        for line in lines
    ]


OWN_STUDIES: dict[str, Callable[[np.random.Generator, int], list[Line]]] = {
    name: partial(named, *parts) for name, parts in SETTINGS.items()
}

"""Bootstrap intervals of js_similarity against resamples drawn by numpy, whose divergences are computed anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from socialstats import Ratings, js_similarity
from socialstats.crosscheck.resamples import Cells, Redrawn
from socialstats.shares.divergence import jensen_shannon, unit_corrected

CLUSTERS: tuple[Any, ...] = (None, "story", ("story", "topic"))


def table(
    units: int = 24, people: int = 7, runs: int = 5, seed: int = 1, alike: int = 1
) -> pd.DataFrame:
    """Units in stories that cross topics, rated by people and by runs of a model with tastes of their own."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(0, units, alike):
        drawn = {
            "human": rng.choice(3, people, p=rng.dirichlet([2, 2, 2])),
            "model": rng.choice(3, runs, p=rng.dirichlet([2, 3, 1])),
        }
        rows += [
            (
                f"u{unit}",
                f"{source} {n}",
                source,
                "abc"[value],
                f"s{k // 3}",
                f"t{k % 5}",
                "xy"[k % 2],
            )
            for unit in range(k, min(k + alike, units))
            for source, given in drawn.items()
            for n, value in enumerate(given)
        ]
    return pd.DataFrame(
        rows, columns=["unit", "rater", "source", "value", "story", "topic", "domain"]
    )


def similarity(frame: pd.DataFrame, clusters: Any, **options: Any) -> Any:
    design = Ratings.from_frame(
        frame,
        unit="unit",
        rater="rater",
        value="value",
        rater_source="source",
        scale="nominal",
        strata="domain",
        cluster=["story", "topic"] if clusters else None,
    )
    settings = {"resamples": 199, "permutations": 99, "splits": 99, "cluster": clusters, **options}
    return js_similarity(design, reference="human", **settings)


def counts_of(frame: pd.DataFrame, keys: list[str]) -> Any:
    """Return (groups, 2, levels) counts of the reference and the model, by groups of rows."""
    group = frame.groupby(keys).ngroup().to_numpy()
    counts = np.zeros((group.max() + 1, 2, 3))
    side = (frame["source"] == "model").to_numpy().astype(int)
    np.add.at(counts, (group, side, frame["value"].map("abc".index).to_numpy()), 1.0)
    return counts


def pooled(counts: Any) -> float:
    total = counts.sum(axis=0)
    return float(jensen_shannon(total[0], total[1]))


def jackknife_bias(counts: Any) -> float:
    left = [pooled(np.delete(counts, k, axis=0)) for k in range(len(counts))]
    return (len(left) - 1) * (float(np.mean(left)) - pooled(counts))


@pytest.mark.parametrize("clusters", CLUSTERS)
@pytest.mark.parametrize("ci", ["percentile", "basic"])
def test_pooled_resamples_are_moved_by_twice_the_bias(ci: str, clusters: Any) -> None:
    frame = table()
    row = similarity(frame, clusters, ci=ci, people="fixed").rows[0]
    units = counts_of(frame, ["unit"])
    # the units of a table are in the order of their names
    ordered = frame.drop_duplicates("unit").sort_values("unit")
    names = [clusters] if isinstance(clusters, str) else list(clusters or ())
    codes = [np.unique(ordered[name], return_inverse=True)[1] for name in names]
    keys = [names] if len(names) < 2 else [[names[0]], [names[1]], names]
    biases = [jackknife_bias(counts_of(frame, key or ["unit"])) for key in keys]
    bias = biases[0] if len(biases) == 1 else biases[0] + biases[1] - biases[2]
    drawn = Cells.of(np.ones(len(units)), codes).draws(199, 0)
    values = [pooled(times[:, None, None] * units) for times in drawn]
    again = Redrawn(
        estimate=np.array([1 - pooled(units) + bias]),
        replicates=1 - np.array(values)[:, None] + 2 * bias,
        left=None,
        copies=None,
    )
    low, high = again.ends(ci, 0, 0.95)
    ends = max(low, 0.0), min(high, 1.0)
    assert row.estimate == pytest.approx(float(again.estimate[0]))
    assert row.std_error == pytest.approx(again.std_error(0))
    assert (row.conf_low, row.conf_high) == pytest.approx(ends)


@pytest.mark.parametrize("clusters", CLUSTERS)
@pytest.mark.parametrize("ci", ["percentile", "basic"])
def test_resamples_within_units_are_means_of_corrected_values(ci: str, clusters: Any) -> None:
    frame = table(people=3, runs=3)
    row = similarity(frame, clusters, ci=ci, people="fixed", aggregate="unit").rows[0]
    units = counts_of(frame, ["unit"])
    values = 1 - unit_corrected(units[:, 0], units[:, 1])
    ordered = frame.drop_duplicates("unit").sort_values("unit")
    names = [clusters] if isinstance(clusters, str) else list(clusters or ())
    codes = [np.unique(ordered[name], return_inverse=True)[1] for name in names]
    drawn = Cells.of(np.ones(len(units)), codes).draws(199, 0)
    again = Redrawn(
        estimate=np.array([values.mean()]),
        replicates=np.array([[times @ values / times.sum()] for times in drawn]),
        left=None,
        copies=None,
    )
    assert row.std_error == pytest.approx(again.std_error(0))
    ends = np.clip(again.ends(ci, 0, 0.95), 0.0, 1.0)
    assert (row.conf_low, row.conf_high) == pytest.approx(tuple(ends))

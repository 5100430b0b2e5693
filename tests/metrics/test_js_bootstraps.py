"""verify() draws every bootstrap of js_similarity again, and notices a wrong shift of the resamples."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from socialstats import Ratings, js_similarity
from tests.metrics.test_formula_mutations import mutate

pytestmark = pytest.mark.slow
CLUSTERS: tuple[Any, ...] = (None, "story", ("story", "topic"))
POOLED = [
    case
    for case in product(("percentile", "basic"), CLUSTERS, ("fixed", "random"), (None, "domain"))
    if case[1:3] != (("story", "topic"), "random")
]


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


def checked(result: Any) -> list[bool | None]:
    """Return whether error and ends of each bootstrap row agree."""
    numbers = result.verify().numbers()
    return [
        numbers[k, name]
        for k, row in enumerate(result.rows)
        if row.interval in ("percentile", "basic")
        for name in ("std_error", "conf_low", "conf_high")
    ]


@pytest.mark.parametrize(("ci", "clusters", "people", "cell"), POOLED)
def test_a_shift_of_pooled_resamples_with_the_wrong_sign_is_noticed(
    ci: str, clusters: Any, people: str, cell: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"ci": ci, "people": people, "cell": cell}
    right = similarity(table(), clusters, **options)
    assert right.verify().ok
    assert set(checked(right)) == {True}
    mutate(
        monkeypatch,
        "shares.js_similarity:resampled",
        "boot.replicates - shift",
        "boot.replicates + shift",
    )
    assert False in checked(similarity(table(), clusters, **options))


@pytest.mark.parametrize("ci", ["percentile", "basic"])
@pytest.mark.parametrize("cell", [None, "domain"])
@pytest.mark.parametrize("clusters", CLUSTERS)
def test_resamples_within_units_are_drawn_again(
    ci: str, clusters: Any, cell: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"ci": ci, "cell": cell, "aggregate": "unit", "people": "fixed"}
    frame = table(people=3, runs=3)
    right = similarity(frame, clusters, **options)
    assert right.verify().ok
    assert set(checked(right)) == {True}
    mutate(
        monkeypatch,
        "shares.js_similarity:resampled",
        "boot.replicates - shift",
        "boot.replicates + 0.2",
    )
    assert False in checked(similarity(frame, clusters, **options))


@pytest.mark.parametrize("aggregate", ["pooled", "unit"])
@pytest.mark.parametrize("alike", [2, 30])
def test_alike_units_are_drawn_as_the_library_draws_them(aggregate: str, alike: int) -> None:
    frame = table(units=600 if alike == 30 else 40, alike=alike, people=3, runs=3)
    right = similarity(frame, None, ci="percentile", aggregate=aggregate, people="fixed")
    assert right.verify().ok
    assert set(checked(right)) == {True}

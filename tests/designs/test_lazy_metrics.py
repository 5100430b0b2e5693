"""Shares, win rates, S, agreement and paired means of lazy tables are those of the same tables in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import socialstats as ss

ENGINES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "duckdb": lambda frame: duckdb.connect().from_df(frame), "polars": lambda frame: pl.from_pandas(frame).lazy(),
}  # fmt: skip


def votes() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    n, items = 1500, 6
    a = rng.integers(0, items, n)
    b = (a + 1 + rng.integers(0, items - 1, n)) % items
    judge = rng.integers(0, 60, n)
    urgency = rng.integers(1, 4, (2, n))
    first = rng.random(n) < 1 / (1 + np.exp(-(0.3 * (a - b) + 0.4 * (urgency[0] - urgency[1]) + judge / 90)))
    names = np.array([f"m{k}" for k in range(items)])
    return pd.DataFrame({
        "item_a": names[a], "item_b": names[b], "winner": np.where(first, names[a], names[b]), "judge": judge,
        "prompt": [f"p{k}" for k in rng.integers(0, 50, n)], "urgency_a": urgency[0], "urgency_b": urgency[1],
    })  # fmt: skip


def ratings() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    unit, rater = (x.ravel() for x in np.mgrid[:120, :4])
    value = np.clip(rng.integers(0, 4, 120)[unit] + rng.integers(-1, 2, len(unit)), 0, 3)
    return pd.DataFrame({"unit": unit, "rater": [f"r{k}" for k in rater], "value": value, "text": unit // 5})


def pairs() -> pd.DataFrame:
    rng = np.random.default_rng(6)
    story = rng.integers(0, 30, 400)
    old = rng.normal(size=400) + rng.normal(size=30)[story]
    return pd.DataFrame({"old": old, "new": old + rng.normal(0.2, 1, 400), "story": story, "id": np.arange(400)})


SIDES = {"covariates": {"urgency": ("urgency_a", "urgency_b")}}
HALF = {f"m{k}": "low" if k < 3 else "high" for k in range(6)}
CASES: dict[str, tuple[Callable[[], pd.DataFrame], Callable[..., Any], Mapping[str, Any]]] = {
    "shares": (votes, lambda t, **c: ss.preference_shares(ss.bradley_terry(t, **c), HALF), {"cluster": "judge"}),
    "win rates": (votes, ss.win_rates, {"cluster": "judge", **SIDES}),
    "win rates, two factors": (votes, ss.win_rates, {"cluster": ["judge", "prompt"], **SIDES}),
    "S": (votes, ss.sensitivity, {"cluster": "prompt", **SIDES}),
    "alpha": (ratings, ss.krippendorff_alpha, {"cluster": "text", "scale": "ordinal"}),
    "kappa": (ratings, ss.fleiss_kappa, {"cluster": "text", "scale": "nominal"}),
    "weighted kappa": (ratings, ss.weighted_kappa, {"cluster": "text", "scale": "ordinal"}),
    "paired mean": (pairs, ss.paired_difference, {"first": "new", "second": "old", "cluster": "story"}),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES)
def test_numbers_are_those_of_the_table_in_memory(case: str, engine: str) -> None:
    table, metric, columns = CASES[case]
    frame = table()
    lazy, held = metric(ENGINES[engine](frame), **columns), metric(frame, **columns)
    assert [row.term for row in lazy.rows] == [row.term for row in held.rows]
    for name in ("estimate", "std_error", "df", "conf_low", "conf_high", "p_value"):
        found, wanted = (np.array([getattr(row, name) for row in made.rows], dtype=float) for made in (lazy, held))
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)
    assert [c.code for c in lazy.cautions] == [c.code for c in held.cautions]

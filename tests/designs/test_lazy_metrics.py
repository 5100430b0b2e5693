"""Shares, win rates, S, agreement and paired means of lazy tables are those of the same tables in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

import socialstats as ss
from socialstats.choices.bradley_terry import definition
from socialstats.designs import scan
from socialstats.studies import comparisons
from socialstats.studies.page import StudyOptions

ENGINES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "duckdb": lambda frame: duckdb.connect().from_df(frame),
    "polars": lambda frame: pl.from_pandas(frame).lazy(),
}


def untried(made: Any) -> list[str]:
    """Cautions but those on columns that were tried as clusters, which a table in memory has."""
    return [str(c) for c in made.cautions if c.code not in ("SS311", "SS344")]


def votes(n: int = 1500, items: int = 6) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    a = rng.integers(0, items, n)
    b = (a + 1 + rng.integers(0, items - 1, n)) % items
    judge = rng.integers(0, 60, n)
    urgency = rng.integers(1, 4, (2, n))
    first = rng.random(n) < 1 / (
        1 + np.exp(-(0.3 * (a - b) + 0.4 * (urgency[0] - urgency[1]) + judge / 90))
    )
    names = np.array([f"m{k}" for k in range(items)])
    return pd.DataFrame(
        {
            "item_a": names[a],
            "item_b": names[b],
            "winner": np.where(first, names[a], names[b]),
            "judge": judge,
            "prompt": [f"p{k}" for k in rng.integers(0, 50, n)],
            "urgency_a": urgency[0],
            "urgency_b": urgency[1],
            "team": judge // 7,
            "w": rng.integers(1, 4, n).astype(float),
        }
    )


def topics() -> pd.DataFrame:
    frame = votes()
    low, high = (frame[["item_a", "item_b"]].agg(side, axis=1) for side in ("min", "max"))
    return frame.assign(topic=("t" + low.str[1]).where(low < "m2", "other"), half=high)


def ratings() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    unit, rater = (x.ravel() for x in np.mgrid[:120, :4])
    value = np.clip(rng.integers(0, 4, 120)[unit] + rng.integers(-1, 2, len(unit)), 0, 3)
    return pd.DataFrame(
        {"unit": unit, "rater": [f"r{k}" for k in rater], "value": value, "text": unit // 5}
    )


def pairs() -> pd.DataFrame:
    rng = np.random.default_rng(6)
    story = rng.integers(0, 30, 400)
    old = rng.normal(size=400) + rng.normal(size=30)[story]
    return pd.DataFrame(
        {"old": old, "new": old + rng.normal(0.2, 1, 400), "story": story, "id": np.arange(400)}
    )


SIDES = {"covariates": {"urgency": ("urgency_a", "urgency_b")}}
HALF = {f"m{k}": "low" if k < 3 else "high" for k in range(6)}
THIRDS = {f"m{k}": f"g{k // 2}" for k in range(6)}
TWO = {"cluster": ["judge", "prompt"], **SIDES}
CASES: dict[str, tuple[Callable[[], pd.DataFrame], Callable[..., Any], Mapping[str, Any]]] = {
    "shares": (
        votes,
        lambda t, **c: ss.preference_shares(ss.bradley_terry(t, **c), HALF),
        {"cluster": "judge"},
    ),
    "win rates": (votes, ss.win_rates, {"cluster": "judge", **SIDES}),
    "win rates, two factors": (votes, ss.win_rates, TWO),
    "pooled win rates": (votes, ss.win_rates, TWO | {"weights": "pooled", "weight": "w"}),
    "win rates, nested factors": (votes, ss.win_rates, {"cluster": ["judge", "team"], **SIDES}),
    "group win rates": (
        votes,
        lambda t, **c: ss.group_win_rates(t, THIRDS, **c),
        {"cluster": ["judge", "prompt"]},
    ),
    "S": (votes, ss.sensitivity, {"cluster": "prompt", **SIDES}),
    "S, weights": (votes, ss.sensitivity, {"cluster": "judge", "weight": "w", **SIDES}),
    "S, two factors": (votes, ss.sensitivity, TWO | {"resamples": 100}),
    "S, BCa": (votes, ss.sensitivity, {"cluster": "judge", "ci": "bca", "resamples": 200, **SIDES}),
    "entropy, clusters of pairs": (topics, ss.choice_entropy, {"cluster": "topic", "weight": "w"}),
    "alpha": (ratings, ss.krippendorff_alpha, {"cluster": "text", "scale": "ordinal"}),
    "kappa": (ratings, ss.fleiss_kappa, {"cluster": "text", "scale": "nominal"}),
    "weighted kappa": (ratings, ss.weighted_kappa, {"cluster": "text", "scale": "ordinal"}),
    "paired mean": (
        pairs,
        ss.paired_difference,
        {"first": "new", "second": "old", "cluster": "story"},
    ),
}


def compare(lazy: Any, held: Any) -> None:
    assert [row.term for row in lazy.rows] == [row.term for row in held.rows]
    for name in (
        "estimate",
        "std_error",
        "df",
        "conf_low",
        "conf_high",
        "p_value",
        "n_clusters",
        "leverage",
    ):
        found, wanted = (
            np.array([getattr(row, name) for row in made.rows], dtype=float)
            for made in (lazy, held)
        )
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)
    assert untried(lazy) == untried(held)
    assert lazy.inference == held.inference


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES)
def test_numbers_are_those_of_the_table_in_memory(case: str, engine: str) -> None:
    table, metric, columns = CASES[case]
    frame = table()
    lazy, held = metric(ENGINES[engine](frame), **columns), metric(frame, **columns)
    compare(lazy, held)


COMPARED = {
    "item_a": "item_a",
    "item_b": "item_b",
    "winner": "winner",
    "covariates": SIDES["covariates"],
}


@pytest.mark.parametrize("held", [2_000, 10**6])
@pytest.mark.parametrize("metric", [ss.win_rates, ss.sensitivity])
def test_clusters_are_summed_in_blocks_and_the_table_stays(
    metric: Any, held: int, monkeypatch: Any
) -> None:
    frame = votes(20_000, items=9)
    monkeypatch.setattr(scan, "SORTED_ROWS", held)
    monkeypatch.setattr(scan, "SPOOL_ROWS", 700)
    lazy, whole = (
        ss.Comparisons.from_frame(t, **COMPARED, cluster=["judge", "team", "prompt"])
        for t in (ENGINES["duckdb"](frame), frame)
    )
    monkeypatch.setattr(scan.Spool, "whole", None)  # nothing reads all rows
    for cluster in ("judge", ["prompt", "judge"], ["judge", "team"], "pair", None):
        options = {"resamples": 50, "level": 0.9} if metric is ss.sensitivity else {}
        compare(metric(lazy, cluster=cluster, **options), metric(whole, cluster=cluster, **options))


@pytest.mark.slow
@pytest.mark.parametrize("metric", [ss.win_rates, ss.sensitivity])
def test_numbers_of_a_million_rows_are_those_in_memory(metric: Any) -> None:
    frame = votes(10**6, items=20)
    frame["judge"] = np.arange(len(frame)) // 3 % 50_000
    for cluster in ("judge", ["judge", "prompt"] if metric is ss.win_rates else "prompt"):
        lazy, held = (
            metric(t, **SIDES, cluster=cluster) for t in (ENGINES["duckdb"](frame), frame)
        )
        assert lazy.design.scan is not None
        compare(lazy, held)


@pytest.mark.parametrize("engine", ENGINES)
def test_entropies_of_pairs_need_no_rows(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = topics()
    frames = (ENGINES[engine](frame), frame)
    lazy, held = (
        ss.Comparisons.from_frame(t, **COMPARED, cluster=["topic", "judge"]) for t in frames
    )
    monkeypatch.setattr(scan, "SPOOL_ROWS", 100)
    monkeypatch.setattr(scan.Spool, "whole", None)  # nothing reads all rows
    assert lazy.scan is not None
    for cluster in ("topic", "pair", None):
        compare(ss.choice_entropy(lazy, cluster=cluster), ss.choice_entropy(held, cluster=cluster))
    for options in ({"cluster": "judge"}, {"cluster": ["topic", "judge"]}):
        said = []
        for design in (lazy, held):
            with pytest.raises(ss.InputError) as caught:
                ss.choice_entropy(design, **options)
            said.append(str(caught.value))
        assert said[0] == said[1]
    parts = [[d.take(d.item_a < 4), d.take(d.item_a > 1)] for d in (lazy, held)]
    compare(*(ss.choice_entropy_difference(*both, unmatched="drop") for both in parts))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("told_by", ["covariate", "cluster"])
def test_stories_of_lazy_tables_have_their_clusters(engine: str, told_by: str) -> None:
    frame = votes(400).assign(
        story=[f"s{k}" for k in range(400)], mark_a=np.arange(400), mark_b=np.arange(400)
    )
    other = frame.assign(
        winner=np.where(np.random.default_rng(1).random(400) < 0.6, frame.item_a, frame.item_b)
    )
    columns = {name: COMPARED[name] for name in ("item_a", "item_b", "winner")} | {
        "cluster": ["story", "judge"]
    }
    columns["covariates"] = {"mark": ("mark_a", "mark_b")} if told_by == "covariate" else ()
    lazy, held = (
        [ss.Comparisons.from_frame(make(f), **columns) for f in (frame, other.iloc[::-1].head(300))]
        for make in (ENGINES[engine], lambda f: f)
    )
    assert lazy[0].scan is not None
    compare(ss.win_rate_difference(*lazy), ss.win_rate_difference(*held))


def test_verification_reads_the_clusters_of_lazy_tables() -> None:
    for result in (
        ss.choice_entropy(ENGINES["duckdb"](topics()), cluster="topic"),
        ss.win_rates(ENGINES["duckdb"](votes()), **TWO),
        ss.sensitivity(ENGINES["duckdb"](votes()), cluster="judge", **SIDES),
        ss.group_win_rates(ENGINES["duckdb"](votes()), THIRDS, cluster="judge"),
    ):
        assert result.verify().ok


def test_only_the_levels_that_are_used_are_clusters() -> None:
    frame = votes()
    lazy, held = (
        ss.Comparisons.from_frame(t, **COMPARED, cluster="judge")
        for t in (ENGINES["duckdb"](frame), frame)
    )
    lazy, held = (d.take((d.item_a == 1) & (d.item_b == 2)) for d in (lazy, held))
    compare(ss.win_rates(lazy, cluster="judge"), ss.win_rates(held, cluster="judge"))


def test_the_page_of_a_lazy_table_says_what_that_of_the_table_in_memory_says(
    monkeypatch: Any,
) -> None:
    frame = votes()
    designs = [
        ss.Comparisons.from_frame(t, **COMPARED, cluster=["judge", "prompt"])
        for t in (ENGINES["duckdb"](frame), frame)
    ]
    monkeypatch.setattr(scan.Spool, "whole", None)  # nothing reads all rows
    lazy, held = (comparisons.run(design, StudyOptions(verify=False)) for design in designs)
    assert (lazy.answer, lazy.design, lazy.methods) == (held.answer, held.design, held.methods)
    assert untried(lazy) == untried(held)
    for one, two in zip(lazy.blocks, held.blocks, strict=True):
        assert (one.sentences, one.caption) == (two.sentences, two.caption)
        for found, wanted in zip(one.tables, two.tables, strict=True):
            for cells, others in zip(found.cells, wanted.cells, strict=True):
                for x, y in zip(cells, others, strict=True):
                    assert x == (pytest.approx(y, rel=1e-8) if isinstance(y, float) else y)


def test_large_tables_of_fits_are_not_verified_and_not_read(monkeypatch: Any) -> None:
    fit = ss.bradley_terry(ENGINES["duckdb"](votes()), cluster="judge")
    monkeypatch.setattr(
        definition, "MOST_NUMBERS", 6 * 300
    )  # more than its cells, fewer than with judges
    monkeypatch.setattr(scan.Spool, "whole", None)
    (check, *_) = [c for c in fit.verify().checks if c.quantity == "whole model"]
    assert check.ok is None
    assert "a dense table of" in check.note


def scored() -> pd.DataFrame:
    """Trait scores of answers by judges, with the texts of the answers beside them."""
    rng = np.random.default_rng(7)
    rows = [
        {
            "model": model,
            "scenario": scenario,
            "stage": stage,
            "wording": wording,
            "judge": judge,
            "open": float(rng.integers(0, 21)),
            "closed": float(rng.integers(0, 21)),
            "text": f"answer {scenario}",
        }
        for model in ("x|y", "z")
        for scenario in range(12)
        for stage in ("start", "end")
        for wording in (1.5, 2.0)
        for judge in ("j1", "j2")
    ]
    return pd.DataFrame(rows)


TRAITS = {"traits": ["open", "closed"]}


@pytest.mark.parametrize("engine", ENGINES)
def test_traits_of_lazy_tables_are_those_in_memory(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, asked = scored(), []
    collect = nw.LazyFrame.collect

    def noticed(self: Any, *args: Any, **given: Any) -> Any:
        asked.extend(self.collect_schema().names())
        return collect(self, *args, **given)

    monkeypatch.setattr(nw.LazyFrame, "collect", noticed)
    lazy, held = (ss.trait_ratings(data, **TRAITS) for data in (ENGINES[engine](frame), frame))
    assert "text" not in asked
    assert {"open", "closed"}.isdisjoint(asked), (
        "scores stay with the engine until they are counted"
    )
    assert lazy.units == held.units
    assert {name: factor.levels for name, factor in lazy.strata.items()} == {
        name: factor.levels for name, factor in held.strata.items()
    }
    pd.testing.assert_frame_equal(lazy.table(), held.table())
    found, wanted = (
        ss.trait_profile(design, weights={"open": 5, "closed": -5}) for design in (lazy, held)
    )
    assert [row.term for row in found.rows] == [row.term for row in wanted.rows]
    for name in ("estimate", "std_error", "conf_low", "conf_high"):
        numbers = (
            np.array([getattr(row, name) for row in made.rows], dtype=float)
            for made in (found, wanted)
        )
        np.testing.assert_allclose(*numbers, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("engine", ENGINES)
def test_errors_of_lazy_traits_name_their_rows(engine: str) -> None:
    frame = scored()
    again = pd.concat([frame, frame.iloc[[5]]], ignore_index=True)
    words = frame.astype({"open": "str", "closed": "str"})
    words.loc[17, "open"] = "many"
    for bad in (again, words):
        messages = []
        for data in (ENGINES[engine](bad), bad):
            with pytest.raises(ss.InputError) as caught:
                ss.trait_ratings(data, **TRAITS)
            messages.append(str(caught.value))
        assert messages[0] == messages[1]

"""Single clusters have no test, a similarity ends at 1, and labels that merge are told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import socialstats as ss


def paired(groups: list[object]) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    n = len(groups)
    table = {"id": np.arange(n), "a": rng.normal(size=n), "b": rng.normal(size=n)}
    return pd.DataFrame(table).assign(g=pd.Series(groups, dtype=object))


def test_the_sign_of_one_cluster_or_pair_is_not_tested():
    result = ss.paired_difference(paired(["x"] * 12), first="a", second="b", cluster="g")
    assert result.row("sign_flip").undefined == "a single cluster: its sign alone cannot be tested"
    assert result.row("sign_flip").p_value is None
    assert result.verify().ok
    two = ss.paired_difference(paired(["x", "y"] * 6), first="a", second="b", cluster="g")
    assert two.row("sign_flip").p_value in (0.5, 1.0)  # four patterns of signs


def answers(seed: int, units: int = 12) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        [
            (u, f"{source}{k}", source, str(rng.choice(["p", "q"])), "c")
            for u in range(units)
            for source in ("man", "model")
            for k in range(2)
        ],
        columns=["unit", "rater", "source", "value", "cluster"],
    )


SOURCES = {"rater_source": "source", "levels": ["p", "q"], "scale": "nominal"}


def test_sources_in_one_cluster_have_no_test_by_swapping():
    result = ss.choice_shares(answers(1), cluster="cluster", **SOURCES)
    row, plain = result.row("any level"), result.row("any level (ratings independent)")
    assert row.undefined == "a single cluster: no test"
    assert (row.statistic, row.df, row.p_value) == (None, None, None)
    assert plain.statistic is not None
    assert "any difference" not in result.sentence()
    assert result.verify().ok


@pytest.mark.parametrize("ci", [None, "percentile", "basic"])
def test_a_similarity_is_at_most_one(ci):
    cut = 0
    for seed in range(8):
        options = {} if ci is None else {"ci": ci, "resamples": 200}
        result = ss.js_similarity(answers(seed), reference="man", **SOURCES, **options)
        row = result.rows[0]
        assert row.conf_high is None or row.estimate <= row.conf_high <= 1
        assert (row.estimate == 1) == ("cut at 1" in row.method)
        assert result.verify().ok
        cut += row.estimate == 1
    assert cut  # where sources choose alike, the correction for bias leads beyond 1 in about half of the samples


def test_a_large_level_is_written_short():
    rows = [(1, "x", 1e200), (1, "y", 0), (2, "x", 1), (2, "y", 1), (3, "x", 3e200), (3, "y", 1)]
    result = ss.krippendorff_alpha(pd.DataFrame(rows, columns=["unit", "rater", "value"]))
    said = next(c.detail for c in result.cautions if c.code == "SS310")
    assert "from 0 to 3e+200" in said
    assert len(said) < 120


@pytest.mark.parametrize("groups", [[1, "1", 1.0, 2], ["1", 1.0, "2", "3"]])
def test_a_number_and_a_text_of_the_same_looks_are_told(groups):
    result = ss.paired_difference(paired(groups * 6), first="a", second="b", cluster="g")
    assert [c.detail for c in result.cautions if c.code == "SS306"] == ["column 'g': '1'"]
    plain = ss.paired_difference(paired([1, 1.0, 2, 3] * 6), first="a", second="b", cluster="g")
    assert "SS306" not in [c.code for c in plain.cautions]
    pairs = pd.DataFrame(
        {"item_a": list("abc") * 8, "item_b": list("bca") * 8, "winner": list("abcbca") * 4}
    )
    fit = ss.bradley_terry(pairs.assign(g=pd.Series(groups * 6, dtype=object)), cluster="g")
    assert "SS306" in [c.code for c in fit.design.cautions]

"""Statistics by which columns are proposed as units or clusters, against scipy, numpy and brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from socialstats.designs.parts import Factor
from socialstats.designs.repeated_answers import means_by, shared_residual, unit_p_value
from socialstats.designs.undeclared import component, dependence, reach, small_sample_factor


def cells(units: int = 7, labels: int = 3, sources: int = 2) -> pd.DataFrame:
    """Answers of each source to each unit under each label, with alike rows; units of different size."""
    rng = np.random.default_rng(6)
    rows = [
        (u, s, v) for u in range(units) for s in range(sources) for v in range(labels - (u % 2))
    ]
    table = pd.DataFrame(rows, columns=["unit", "source", "label"])
    table["x"] = (
        rng.normal(size=len(rows))
        + 0.6 * rng.normal(size=units)[table["unit"]]
        + 2.0 * table["source"]
    )
    table["n"] = rng.integers(1, 4, len(rows)).astype(float)
    return table


def of(table: pd.DataFrame, *names: str) -> list[np.ndarray]:
    return [table[name].to_numpy() for name in names]


def test_means_by_code_weigh_alike_rows() -> None:
    table = cells()
    wanted = table.groupby("unit").apply(
        lambda own: np.average(own["x"], weights=own["n"]), include_groups=False
    )
    assert means_by(*of(table, "unit", "x", "n")) == pytest.approx(wanted.to_numpy())


def test_units_are_compared_by_the_f_test_of_their_cells() -> None:
    table = cells()
    means = table.groupby("source").apply(
        lambda own: np.average(own["x"], weights=own["n"]), include_groups=False
    )
    table["off"] = table["x"] - means.to_numpy()[table["source"]]
    cell = table.groupby(["unit", "label"]).apply(
        lambda own: np.average(own["off"], weights=own["n"]), include_groups=False
    )
    wanted = stats.f_oneway(*(own.to_numpy() for _, own in cell.groupby("unit"))).pvalue
    assert unit_p_value(*of(table, "unit", "source", "label", "x", "n")) == pytest.approx(wanted)
    alike = table.assign(x=table["unit"] * 1.0)
    alike["n"] = 1.0
    assert (
        unit_p_value(*of(alike, "unit", "source", "label", "x", "n")) < 1e-9
    )  # no variation within units
    assert (
        unit_p_value(*of(table[table["unit"] == 0], "unit", "source", "label", "x", "n")) == 0.0
    )  # a single unit
    single = table[(table["label"] == 0)]
    assert (
        unit_p_value(*of(single, "unit", "source", "label", "x", "n")) == 0.0
    )  # a single cell of each


@pytest.mark.parametrize("unit", [[0, 0, 0, 1, 1], [0, 1, 2, 2]])
def test_two_units_or_one_cell_more_than_units_suffice(unit: list[int]) -> None:
    x, label = np.random.default_rng(10).normal(size=len(unit)), np.arange(len(unit))
    groups = [x[np.array(unit) == k] for k in sorted({*unit})]
    found = unit_p_value(
        np.array(unit), np.zeros(len(unit), dtype=int), label, x, np.ones(len(unit))
    )
    assert found == pytest.approx(stats.f_oneway(*groups).pvalue)


def test_residuals_of_sources_are_multiplied_cell_by_cell() -> None:
    table = cells(sources=3)
    both = table.groupby(["unit", "label", "source"]).apply(
        lambda own: np.average(own["x"], weights=own["n"]), include_groups=False
    )
    total = variance = 0.0
    for _, own in both.groupby(level=[0, 1]):
        for one, other in combinations(own.to_numpy(), 2):
            total, variance = total + one * other, variance + (one * other) ** 2
    code = table.groupby(["unit", "label"]).ngroup().to_numpy()
    found = shared_residual(code, *of(table, "source", "x", "n"))
    assert found == pytest.approx(total / np.sqrt(variance))
    alone = table[table["source"] == 0]
    one = np.arange(len(alone))
    assert shared_residual(one, *of(alone.assign(x=2.0), "source", "x", "n")) == 0.0


def test_a_variance_component_of_clusters_is_that_of_rows_written_out() -> None:
    table = cells()
    n = table["n"].to_numpy().astype(int)
    scores = np.random.default_rng(8).normal(size=(len(table), 2))
    code = table["unit"].to_numpy()
    rows, codes = np.repeat(scores, n, axis=0), np.repeat(code, n)
    together = codes[:, None] == codes
    sums = np.array([rows[codes == k].sum(axis=0) for k in range(7)])
    gram = rows @ rows.T
    expected = np.trace(gram)
    variance = 2 * ((gram**2)[together].sum() - (n * (scores**2).sum(axis=1) ** 2).sum())
    df = 2 * expected**2 / variance
    observed = (sums**2).sum()
    wanted = (observed, expected, stats.chi2.sf(df * observed / expected, df))
    assert component(scores, code, table["n"].to_numpy()) == pytest.approx(wanted)
    assert component(np.zeros((4, 1)), np.arange(4), np.ones(4)) == (0.0, 0.0, 1.0)
    assert (
        component(np.array([[1.0], [2.0], [-1.0]]), np.arange(3), np.ones(3))[2] == 1.0
    )  # no two rows of a cluster


def test_a_column_lengthens_intervals_by_the_root_of_its_variance_and_by_its_t() -> None:
    rng = np.random.default_rng(9)
    scores = {"a": rng.normal(size=(24, 1)) + 2 * rng.normal(size=6).repeat(4)[:, None]}
    scores["a"] -= scores["a"].mean()
    column = Factor(name="six", codes=np.arange(24) // 4, levels=tuple("abcdef"))
    (bare,) = dependence(column, (), scores, np.ones(24))
    assert (bare.column, bare.family, bare.labels) == ("six", "a", 6)
    sums = scores["a"].reshape(6, 4).sum(axis=1)
    ratio = np.sqrt((sums**2).sum() * 6 / 5 / (scores["a"] ** 2).sum())
    assert bare.ratio == pytest.approx(ratio)
    assert bare.longer == pytest.approx(ratio * stats.t.ppf(0.975, 5) / stats.norm.ppf(0.975))
    assert bare.p_value == pytest.approx(component(scores["a"], column.codes, np.ones(24))[2])
    pairs = Factor(name="twelve", codes=np.arange(24) // 2, levels=tuple("abcdefghijkl"))
    (beside,) = dependence(column, (pairs,), scores, np.ones(24))
    halves = scores["a"].reshape(12, 2).sum(axis=1)
    ratio = np.sqrt((sums**2).sum() * 6 / 5 / ((halves**2).sum() * 12 / 11))
    assert beside.ratio == pytest.approx(ratio)
    assert beside.longer == pytest.approx(ratio * stats.t.ppf(0.975, 5) / stats.t.ppf(0.975, 11))
    beyond = component(halves[:, None], np.arange(12) // 2, np.ones(12))[2]
    assert beside.p_value == pytest.approx(max(bare.p_value, beyond))


@pytest.mark.parametrize("clusters", [2, 3, 30])
def test_few_clusters_have_a_t_and_an_enlarged_variance(clusters: int) -> None:
    assert reach(clusters) == pytest.approx(stats.t.ppf(0.975, clusters - 1))
    assert small_sample_factor(clusters) == pytest.approx(clusters / (clusters - 1))
    assert reach(np.inf) == pytest.approx(stats.norm.ppf(0.975))
    assert reach(1) == pytest.approx(stats.t.ppf(0.975, 1))
    assert small_sample_factor(1) == 1.0

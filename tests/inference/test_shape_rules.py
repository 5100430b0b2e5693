"""Which means, coefficients and standard deviations get a caution of skewed values, and which rows it names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse, stats

from socialstats.errors import Caution
from socialstats.inference import infer
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.dependence import shape_cautions, spread_cautions
from socialstats.results import Row
from socialstats.text import number

MEAN = ClusteredMean(mean=1.0, sd=1.0, std_error=0.1, df=29.0, n=30.0, clusters=(), kind="rows")


def codes(cautions: tuple[Caution, ...]) -> list[str]:
    return [one.code for one in cautions]


@pytest.mark.parametrize(
    ("n", "df", "skewness", "bounded", "found"),
    [
        (30, 29, 0.151, False, ["SS317"]),
        (30, 29, 0.149, False, []),
        (25, 24, 0.2, False, ["SS317"]),
        (24, 23, 0.2, False, ["SS312"]),
        (24, 23, 0.251, False, ["SS317"]),
        (24, 23, 0.249, False, ["SS312"]),
        (6, 5, 0.251, False, ["SS317"]),
        (5, 4, 0.9, False, ["SS312"]),
        (60, 23.9, 0.2, False, ["SS312"]),
        (60, 23.9, 0.3, False, ["SS317"]),
        (30, 29, 0.2, True, []),
        (30, 29, 0.251, True, ["SS317"]),
        (8, 7, 0.2, True, []),
        (8, 7, 0.251, True, ["SS317"]),
        (5, 4, 0.9, True, []),
    ],
)
def test_a_mean_has_the_caution_of_its_number_and_skewness(n, df, skewness, bounded, found) -> None:
    mean = replace(MEAN, n=n, df=df, skewness=skewness)
    assert codes(shape_cautions([mean], bounded=bounded)) == found


def test_cautions_name_the_rows_of_skewed_and_of_few_values_and_pass_over_undefined_ones() -> None:
    skewed, few = replace(MEAN, skewness=0.2), replace(MEAN, n=10, df=9)
    worse = replace(MEAN, skewness=0.3)
    unknown = replace(MEAN, n=1, df=np.nan, skewness=0.9, undefined="a single value")
    names = ["plain", "skewed", "unknown", "few", "worse"]
    one, other = shape_cautions([MEAN, skewed, unknown, few, worse], names=names, what="units")
    assert (one.code, one.rows) == ("SS312", ("few",))
    assert "10 units" in one.detail
    assert (other.code, other.rows) == ("SS317", ("skewed", "worse"))
    assert "in 2 means of 4" in other.detail
    assert "up to 0.3" in other.detail
    assert shape_cautions([unknown], names=["unknown"]) == ()


def test_of_few_values_the_fewest_are_told() -> None:
    means = [replace(MEAN, n=n, df=n - 1.0) for n in (20, 12, 18)]
    (found,) = shape_cautions(means, names=["a", "b", "c"], what="pairs")
    assert found.detail.startswith("12 pairs")
    assert found.rows == ("a", "b", "c")


def test_the_number_of_means_is_told_of_several() -> None:
    skewed = replace(MEAN, skewness=0.2)
    assert " mean" not in shape_cautions([skewed])[0].detail.partition(".")[0]
    assert "in 1 mean of 2" in shape_cautions([skewed, MEAN])[0].detail


def test_the_skewness_of_a_mean_is_that_of_its_values_over_the_root_of_their_number() -> None:
    values = np.random.default_rng(5).lognormal(size=40)
    found = clustered_mean(values, np.ones(40))
    assert found.skewness == pytest.approx(abs(stats.skew(values)) / np.sqrt(40))
    assert codes(shape_cautions([found])) == ["SS317"]
    assert clustered_mean(-values, np.ones(40)).skewness == pytest.approx(found.skewness)


NAMES = [f"r{k:02d}" for k in range(60)]


@pytest.mark.parametrize(
    ("n", "skewed", "most", "rows"),
    [
        (1, 1, 0.251, True),
        (1, 0, 0.251, False),
        (9, 1, 0.3, True),  # fewer than ten: one is enough
        (10, 1, 0.3, False),  # one or two of ten reach the line by chance
        (10, 2, 0.3, False),
        (10, 3, 0.3, True),
        (10, 1, 0.501, True),  # but not twice the line
        (49, 9, 0.501, True),
        (50, 10, 0.9, False),  # of fifty also that
        (50, 11, 0.26, True),
    ],
)
def test_coefficients_have_a_caution_where_more_are_skewed_than_by_chance(
    n, skewed, most, rows
) -> None:
    skewness = [0.25] * (n - skewed) + [0.251] * (skewed - 1) + [most] * (skewed > 0)
    found = infer.influence_cautions(skewness, False, "kappa", NAMES[:n])
    assert codes(found) == ["SS317"] * rows
    if rows:
        assert found[0].rows == tuple(NAMES[n - skewed : n])
        assert f"up to {number(most)}" in found[0].detail


def test_the_caution_of_coefficients_says_what_is_independent() -> None:
    units, clusters = (
        infer.influence_cautions([0.4], clustered, "kappa", ["k"])[0] for clustered in (False, True)
    )
    assert units.detail.startswith("few units determine kappa,")
    assert clusters.detail.startswith("few clusters determine kappa,")
    assert units.fix == "rate more units with the rare levels"
    assert clusters.fix == "rate more units in more clusters with the rare levels"


@pytest.mark.parametrize(
    ("units", "effective", "found"),
    [
        (99, 99.0, ["SS312"]),
        (100, 100.0, []),
        (100, 66.0, ["SS317"]),
        (150, 100.0, []),
        (150, 99.9, ["SS317"]),
        (99, 20.0, ["SS312"]),
    ],
)
def test_a_standard_deviation_has_the_caution_of_its_number_and_kurtosis(
    units, effective, found
) -> None:
    row = Row(
        term="sd",
        role="spread",
        estimate=1.0,
        conf_low=0.9,
        conf_high=1.2,
        n_units=units,
        effective=effective,
    )
    assert codes(spread_cautions([row], "unit")) == found
    others = [
        replace(row, conf_low=None),
        replace(row, role="estimate"),
        replace(row, effective=None),
    ]
    assert spread_cautions(others, "unit") == ()


def test_cautions_of_standard_deviations_count_those_with_long_tails() -> None:
    row = Row(
        term="sd",
        role="spread",
        estimate=1.0,
        conf_low=0.9,
        conf_high=1.2,
        n_units=200,
        effective=200.0,
    )
    (found,) = spread_cautions(
        [row, replace(row, effective=50.0), replace(row, effective=60.0)], "unit"
    )
    assert "2 standard deviations of 3" in found.detail
    few = spread_cautions([replace(row, n_units=40), replace(row, n_units=30), row], "unit")
    assert few[0].detail.startswith("30 units")


def estimand(moves: np.ndarray, copies: np.ndarray) -> infer.Estimand:
    """Numbers of which only the influence of cells of alike units is asked for."""
    return infer.Estimand(
        estimate=np.zeros(moves.shape[1]),
        influence=lambda: moves,
        shares=np.full(moves.shape, 1 / len(moves)),
        copies=copies,
    )


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_the_skewness_of_a_coefficient_is_that_of_its_influence(kind) -> None:
    rng = np.random.default_rng(2)
    copies = rng.integers(1, 4, 40).astype(float)
    each = rng.lognormal(size=(40, 3))
    each -= np.average(each, axis=0, weights=copies)
    made = replace(
        estimand(each * copies[:, None], copies), influence=lambda: kind(each * copies[:, None])
    )
    units = np.repeat(each, copies.astype(int), axis=0)
    wanted = np.abs(stats.skew(units)) / np.sqrt(len(units))
    assert infer._skewness(made, ()) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("levels", "counted"),
    [((6, 9), (True, True)), ((5, 9), (False, True)), ((5, 4), (False, False))],
)
def test_clusters_enter_by_their_sums_the_most_skewed_first_and_no_fewer_than_six(
    levels, counted
) -> None:
    rng = np.random.default_rng(3)
    moves = rng.lognormal(size=(45, 2)) * [1, 5]
    moves -= moves.mean(axis=0)
    clusters = [10 * (np.arange(45) % levels[0]), np.arange(45) // (45 // levels[1]) * 2]
    sums = [np.array([moves[code == k].sum(axis=0) for k in np.unique(code)]) for code in clusters]
    each = [
        abs((e**3).sum(axis=0)) / (e**2).sum(axis=0) ** 1.5 * enters
        for e, enters in zip(sums, counted, strict=True)
    ]
    assert infer._skewness(estimand(moves, np.ones(45)), clusters) == pytest.approx(
        np.max(each, axis=0)
    )

"""Alpha on arrays: R's values, krippendorff's resample by resample, derivatives by differences."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from socialstats.agreement.krippendorff_alpha import (
    alpha_influence,
    alpha_sums,
    coincidence_matrix,
    observed_disagreement,
    pairs_within,
)
from socialstats.agreement.rating_counts import group_alike_units, rating_counts
from socialstats.errors import InputError
from socialstats.resampling import PlanUnits, bootstrap_sums, weight_blocks
from tests.golden_data import golden, golden_frame
from tests.rated import ratings

SCALES = ("nominal", "ordinal", "interval", "ratio")


def counts_of(matrix, levels=None, scale="interval"):
    counts = rating_counts(ratings(matrix, levels=levels, scale=scale))
    return counts.keep(counts.size > 1)


def golden_matrix(name):
    frame = golden_frame(f"{name}.csv")
    return frame.replace("", np.nan).to_numpy(dtype=float)


def half_missing(n=60, raters=8, levels=5, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n)[:, None]
    x = np.digitize(truth + rng.normal(size=(n, raters)), np.linspace(-1.5, 1.5, levels - 1)) + 1.0
    x[rng.random((n, raters)) < 0.5] = np.nan
    return x


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", ["alpha_krippendorff_4x12", "agree_anxiety"])
def test_alpha_is_that_of_irr(name, scale):
    entry = golden(name)
    counts = counts_of(golden_matrix(name), [float(x) for x in entry["r"]["levels"]])
    sums = alpha_sums(counts, scale)
    assert sums.alpha(sums.total())[0, 0] == pytest.approx(
        entry["r"][f"alpha_{scale}"], rel=entry["rtol"], abs=1e-13
    )
    raw = entry["r"][
        f"irr_0_84_1_raw_alpha_{scale}"
    ]  # wrong for complete data and three raters: not to be matched
    assert (abs(sums.alpha(sums.total())[0, 0] - raw) > 0.005) == (name == "agree_anxiety")


@pytest.mark.parametrize("name", ["alpha_krippendorff_4x12", "agree_anxiety"])
def test_coincidences_are_those_of_irr(name):
    entry = golden(name)["r"]
    counts = counts_of(golden_matrix(name), [float(x) for x in entry["levels"]])
    matrix = coincidence_matrix(counts)
    np.testing.assert_allclose(
        matrix, entry["coincidence"], rtol=0, atol=2e-14 * 1000
    )  # printed with 15 digits
    assert counts.n_ratings == entry["n_pairable"] == pytest.approx(matrix.sum())
    np.testing.assert_allclose(matrix.sum(axis=1), counts.margins, atol=1e-12)


def linearised_error(values, copies, codes=()):
    """Standard error of a mean of linearised values and its df: of independent units, or G/(G-1) (CR1) of clusters."""
    n = copies.sum()
    off = values - copies @ values / n
    if not codes:
        return np.sqrt(copies @ off**2 / (n * (n - 1))), n - 1
    sums = np.bincount(np.unique(codes[0], return_inverse=True)[1], off * copies / n)
    return np.sqrt(sums @ sums * len(sums) / (len(sums) - 1)), len(sums) - 1


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("case", ["four", "anxiety", "made"])
def test_standard_errors_are_rs_derivatives(case, scale):
    entry = golden("agreement")[case]
    name = {"four": "alpha_krippendorff_4x12", "anxiety": "agree_anxiety"}.get(case)
    matrix = golden_matrix(name) if name else np.array(entry["ratings"], dtype=float)
    design = ratings(matrix, levels=entry["levels"], scale="ratio")
    counts = rating_counts(design)
    counts = counts.keep(counts.size > 1)
    sums, want = alpha_sums(counts, scale), entry["alpha"][scale]
    assert sums.alpha(sums.total())[0, 0] == pytest.approx(want["alpha"], abs=1e-13)
    values = counts.n_units * alpha_influence(counts, scale)
    error, df = linearised_error(values, counts.copies)
    assert error == pytest.approx(want["std_error"], rel=1e-7)  # R differentiates by steps of 1e-5
    assert df == counts.n_units - 1
    if case == "made":
        place = [int(unit[1:]) for unit in design.units]
        code = np.array(entry["cluster"])[place][counts.index]
        error, df = linearised_error(values, counts.copies, [code])
        assert error == pytest.approx(want["clustered"], rel=1e-7)
        assert df == want["clusters"] - 1


@pytest.mark.parametrize("scale", ["nominal", "interval"])
@pytest.mark.parametrize("name", ["alpha_krippendorff_4x12", "agree_anxiety"])
def test_standard_errors_are_those_irrcac_printed(name, scale):
    weights = {"nominal": "unweighted", "interval": "quadratic"}[scale]
    entry = golden(name)["r"]["irrCAC"][f"krippen.alpha.raw {weights}"]
    counts = counts_of(golden_matrix(name))
    error, _ = linearised_error(counts.n_units * alpha_influence(counts, scale), counts.copies)
    assert error == pytest.approx(entry["coeff.se"], abs=0.6e-5)  # printed with five decimals


@pytest.mark.parametrize("scale", SCALES)
def test_each_resample_is_krippendorffs_alpha_of_the_resampled_units(scale):
    matrix = half_missing()
    counts = counts_of(matrix, levels=[1, 2, 3, 4, 5])
    units = PlanUnits.rows(counts.copies)
    sums = alpha_sums(counts, scale)
    boot = bootstrap_sums(sums.statistics, sums.alpha, units, resamples=200, seed=5)
    (weights,) = weight_blocks(units, resamples=200, seed=5, block=200)
    table = counts.table().toarray()
    for w, ours in zip(weights, boot.replicates[:, 0], strict=True):
        drawn = np.repeat(table, w.astype(int), axis=0)
        theirs = krippendorff.alpha(
            value_counts=drawn, value_domain=counts.scores, level_of_measurement=scale
        )
        assert ours == pytest.approx(theirs, abs=1e-13)


@pytest.mark.parametrize("scale", SCALES)
def test_alike_units_together_are_the_same_resampling_plan(scale):
    matrix = half_missing(levels=3, raters=3, seed=2)
    counts = counts_of(matrix, levels=[1, 2, 3])
    together = group_alike_units(counts)
    assert len(together.size) < len(counts.size)
    assert together.n_units == counts.n_units
    one, two = alpha_sums(counts, scale), alpha_sums(together, scale)
    assert one.alpha(one.total())[0, 0] == pytest.approx(two.alpha(two.total())[0, 0], abs=1e-14)
    sd = [
        bootstrap_sums(
            s.statistics, s.alpha, PlanUnits.rows(c.copies), resamples=4000, seed=1
        ).std_error[0]
        for s, c in ((one, counts), (two, together))
    ]
    assert sd[0] == pytest.approx(sd[1], rel=0.06)  # each has a Monte-Carlo error of about 1.1%


def test_resamples_without_variation_have_no_estimate():
    counts = counts_of([[1, 1], [1, 1], [1, 1], [2, 3]])
    sums = alpha_sums(counts, "ordinal")
    boot = bootstrap_sums(
        sums.statistics, sums.alpha, PlanUnits.rows(counts.copies), resamples=400, seed=1
    )
    (weights,) = weight_blocks(PlanUnits.rows(counts.copies), resamples=400, seed=1, block=400)
    assert boot.n_degenerate[0] == np.sum(weights[:, -1] == 0) > 0


@pytest.mark.parametrize("scale", ["interval", "ratio", "ordinal"])
def test_many_different_values_cost_no_matrix_a_unit(scale):
    rng = np.random.default_rng(0)
    x = np.round(rng.normal(50, 10, size=(600, 1)) + rng.normal(0, 4, size=(600, 3)), 6)
    counts = counts_of(x)
    assert len(counts.levels) > 1700
    sums = alpha_sums(counts, scale)
    small = counts_of(x[:40])
    part = alpha_sums(small, scale)
    theirs = krippendorff.alpha(reliability_data=x[:40].T, level_of_measurement=scale)
    assert part.alpha(part.total())[0, 0] == pytest.approx(theirs, abs=1e-12)
    if scale == "interval":  # sums of squares within units and in all, in two passes
        within = ((x - x.mean(axis=1, keepdims=True)) ** 2).sum() / 2 * 3
        expected = ((x - x.mean()) ** 2).sum() * x.size
        want = 1 - (x.size - 1) * 2 * within / (2 * expected)
        assert sums.alpha(sums.total())[0, 0] == pytest.approx(want, abs=1e-12)
        assert sums.statistics.shape[1] == 4
    assert sums.statistics.nnz <= 10 * x.size


@pytest.mark.parametrize("at_once", [1, 7, 10**6])
def test_pairs_within_units_come_once_whatever_the_block(monkeypatch, at_once):
    counts = counts_of(half_missing(n=25))
    monkeypatch.setattr("socialstats.agreement.krippendorff_alpha.PAIRS_AT_ONCE", at_once)
    found = [
        pair for a, b in pairs_within(counts) for pair in zip(a.tolist(), b.tolist(), strict=True)
    ]
    size = range(len(counts.unit))
    want = [(a, b) for a in size for b in size if a < b and counts.unit[a] == counts.unit[b]]
    assert sorted(found) == want


def test_interval_sums_do_not_cancel():
    matrix = half_missing(n=40) + 1e7
    far, near = counts_of(matrix), counts_of(matrix - 1e7)
    a, b = alpha_sums(far, "interval"), alpha_sums(near, "interval")
    assert a.alpha(a.total())[0, 0] == pytest.approx(b.alpha(b.total())[0, 0], abs=1e-9)
    np.testing.assert_allclose(
        observed_disagreement(far, "interval"), observed_disagreement(near, "interval"), atol=1e-6
    )


def test_ratio_distances_need_values_of_at_least_zero():
    with pytest.raises(InputError, match="-1"):
        alpha_sums(counts_of([[-1, 2], [3, 4]]), "ratio")


matrices = st.lists(
    st.lists(st.sampled_from([None, 1, 2, 3, 5]), min_size=3, max_size=3), min_size=2, max_size=8
).filter(lambda m: sum(sum(x is not None for x in row) > 1 for row in m) > 0)


@settings(max_examples=60, deadline=None)
@given(matrices, st.sampled_from(SCALES))
def test_any_small_table_agrees_with_the_krippendorff_package(matrix, scale):
    counts = counts_of(matrix, levels=[1, 2, 3, 5], scale="ratio")
    sums = alpha_sums(counts, scale)
    ours = sums.alpha(sums.total())[0, 0]
    if not counts.varies:
        assert np.isnan(ours)
        return
    data = np.array(matrix, dtype=float).T
    theirs = krippendorff.alpha(
        reliability_data=data, value_domain=[1.0, 2.0, 3.0, 5.0], level_of_measurement=scale
    )
    assert ours == pytest.approx(theirs, abs=1e-12)
    slope = alpha_influence(counts, scale)
    assert counts.copies @ slope == pytest.approx(0, abs=1e-9)

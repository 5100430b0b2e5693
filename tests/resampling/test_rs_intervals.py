"""R's boot: the same replicates give the same intervals."""

from __future__ import annotations

import numpy as np
import pytest

from socialstats.errors import InputError
from socialstats.resampling import (
    PlanUnits,
    Replicates,
    acceleration,
    basic,
    bca,
    bootstrap_sums,
    jackknife_sums,
    percentile,
)
from tests.golden_data import GOLDEN, golden, golden_frame

SETS = {"boot_sleep_mean": "mean", "boot_anorexia_dz": "d_z"}


def load(name):
    r, d = golden(name)["r"], golden_frame(f"{name}.csv")["d"].to_numpy()
    t = np.array(r["t"])
    freq = np.loadtxt(GOLDEN / f"{name}_freq.csv.gz", delimiter=",")
    boot = Replicates(
        estimate=np.array([r["t0"]]),
        replicates=t[:, None],
        n_degenerate=np.zeros(1, dtype=np.int64),
    )
    return r, d, freq, boot


def table(d):
    return np.column_stack([d, d**2, np.ones(len(d))])


def finish(kind):
    def mean(s):
        return s[:, :1] / s[:, 2:]

    def d_z(s):
        n = s[:, 2:]
        with np.errstate(invalid="ignore", divide="ignore"):
            return mean(s) / np.sqrt((s[:, 1:2] - n * mean(s) ** 2) / (n - 1))

    return mean if kind == "mean" else d_z


@pytest.mark.parametrize("name", SETS)
def test_the_frequencies_give_rs_replicates(name):
    r, d, freq, _ = load(name)
    assert finish(SETS[name])(freq @ table(d))[:, 0] == pytest.approx(np.array(r["t"]), rel=1e-9)


@pytest.mark.parametrize("name", SETS)
def test_percentile_and_basic_are_boot_cis(name):
    r, _, _, boot = load(name)
    for interval, key in ((percentile(boot), "percent"), (basic(boot), "basic")):
        assert (interval.low[0], interval.high[0]) == pytest.approx(r[key], rel=1e-9)


@pytest.mark.parametrize("name", SETS)
def test_acceleration_of_the_jackknife_is_rs(name):
    r, d, _, _ = load(name)
    jack = jackknife_sums(table(d), finish(SETS[name]), PlanUnits.rows(np.ones(len(d))))
    assert acceleration(jack.influence)[0] == pytest.approx(r["a_jack"], rel=1e-9)
    # Efron and Tibshirani's centres on the mean of the leave-one-out estimates: the same for a mean alone
    assert acceleration(jack.deviations)[0] == jack.acceleration[0]
    assert (abs(jack.acceleration[0] - r["a_jack"]) < 1e-9) == (name == "boot_sleep_mean")


def regression_influence(t, freq):
    """R's empinf(type = "reg"): slopes of the replicates on the shares drawn, one unit left out, then centred."""
    share = freq / freq.shape[1]
    x = np.column_stack([np.ones(len(t)), share[:, 1:]])
    slope = np.r_[0.0, np.linalg.lstsq(x, t, rcond=None)[0][1:]]
    return slope - slope.mean()


@pytest.mark.parametrize("name", SETS)
def test_bca_from_regression_influence_is_boot_cis(name):
    r, _, freq, boot = load(name)
    a = acceleration(regression_influence(np.array(r["t"]), freq)[:, None])
    assert a[0] == pytest.approx(r["bca_a_regression"], rel=1e-6)
    # R counts replicates below the estimate, we count those equal to it by halves: the same here up to ties
    ties = np.isclose(boot.replicates, r["t0"], rtol=1e-12)
    nudged = Replicates(
        estimate=boot.estimate,
        replicates=np.where(ties, r["t0"] + 1e-7, boot.replicates),
        n_degenerate=boot.n_degenerate,
    )
    interval = bca(nudged, acceleration=a)
    assert (interval.low[0], interval.high[0]) == pytest.approx(r["bca"], rel=1e-7)


def test_bca_from_influence_values_is_bca_from_the_jackknife():
    d = golden_frame("boot_anorexia_dz.csv")["d"].to_numpy()
    units = PlanUnits.rows(np.ones(len(d)))
    boot = bootstrap_sums(table(d), finish("d_z"), units, resamples=999, seed=1)
    jack = jackknife_sums(table(d), finish("d_z"), units)
    one, two = bca(boot, jack), bca(boot, acceleration=acceleration(jack.deviations))
    assert (one.low[0], one.high[0]) == (two.low[0], two.high[0])
    for wrong in ({}, {"acceleration": np.zeros(1)}):
        with pytest.raises(InputError, match="either"):
            bca(boot, jack if wrong else None, **wrong)


def test_alike_units_are_counted():
    values, copies = np.array([[1.0], [-2.0], [0.5]]), np.array([2.0, 1.0, 4.0])
    assert acceleration(values, copies) == pytest.approx(
        acceleration(np.repeat(values, [2, 1, 4], axis=0))
    )
    assert np.isnan(acceleration(np.zeros((3, 1)))[0])


@pytest.mark.parametrize("scale", [0.1, 0.7, 1e-9, 3e6])
def test_bca_of_few_different_values_moves_with_their_scale(scale):
    d = np.random.default_rng(5).integers(-2, 3, 40).astype(float)

    def ends(values):
        sums = np.column_stack([values - values.mean(), np.ones(len(values))])
        units = PlanUnits.rows(np.ones(len(values)))
        boot = bootstrap_sums(
            sums, lambda s: values.mean() + s[:, :1] / s[:, 1:], units, resamples=999, seed=3
        )
        found = bca(
            boot, jackknife_sums(sums, lambda s: values.mean() + s[:, :1] / s[:, 1:], units)
        )
        return float(found.low[0]), float(found.high[0])

    assert ends(scale * d) == pytest.approx([scale * end for end in ends(d)], rel=1e-9)
    whole = np.column_stack([d, np.ones(len(d))])  # sums of whole numbers tie to the last bit
    units = PlanUnits.rows(np.ones(len(d)))
    boot = bootstrap_sums(whole, lambda s: s[:, :1] / s[:, 1:], units, resamples=999, seed=3)
    exact = bca(boot, jackknife_sums(whole, lambda s: s[:, :1] / s[:, 1:], units))
    assert ends(d) == pytest.approx((float(exact.low[0]), float(exact.high[0])), rel=1e-9)

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from socialstats import Paired, effect_sizes, effect_sizes_from_summary
from socialstats.designs.parts import Factor
from socialstats.errors import InputError
from socialstats.paired.noncentral_t import d_z_interval
from socialstats.paired.pair_sizes import error_ratio
from tests.golden_data import golden, golden_frame

RNG = np.random.default_rng(21)
SETS = ("paired_sleep", "paired_anorexia_FT")
STORY = np.repeat(np.arange(14), [2, 3, 4, 5, 6, 7, 8, 2, 3, 4, 5, 6, 7, 8])
BASE = RNG.normal(size=len(STORY)) + RNG.normal(size=14)[STORY]
NEXT = 0.8 * BASE + RNG.normal(0.5, 0.8, len(STORY)) + 0.5 * RNG.normal(size=14)[STORY]


def factor(name, codes):
    return Factor(
        name=name,
        codes=np.asarray(codes, dtype=np.int64),
        levels=tuple(map(str, range(max(codes) + 1))),
    )


def pairs(first, second, *, count=None, clusters=()):
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    return Paired(
        conditions=("after", "before"),
        first=first,
        second=second,
        count=np.ones(len(first)) if count is None else np.asarray(count, dtype=float),
        scale="numeric",
        clusters=tuple(factor(*c) for c in clusters),
    )


def from_golden(name):
    rows = golden_frame(f"{name}.csv")
    return pairs(rows["x"], rows["y"]), golden(name)["r"]


@pytest.mark.parametrize("name", SETS)
def test_every_golden_number(name):
    design, r = from_golden(name)
    result = effect_sizes(design, ci="noncentral_t")
    rows = {row.term: row for row in result.rows}
    for term, key in (("d_z", "d_z"), ("g_z", "g_z"), ("d_av", "d_av_rms"), ("d_rm", "d_rm")):
        assert rows[term].estimate == pytest.approx(r[key], rel=1e-10)
    assert (rows["d_z"].conf_low, rows["d_z"].conf_high) == pytest.approx(
        r["d_z_ci95_ncp_uniroot"], abs=1e-11
    )
    ninety = effect_sizes(design, level=0.9, ci="noncentral_t").row("d_z")
    assert (ninety.conf_low, ninety.conf_high) == pytest.approx(
        r["d_z_ci90_ncp_uniroot"], abs=1e-11
    )
    # effectsize searches the noncentrality to about 1e-5 (its note): J times the ends, to that accuracy
    assert (rows["g_z"].conf_low, rows["g_z"].conf_high) == pytest.approx(
        r["g_z_ci95_effectsize"], abs=1e-4
    )
    assert result.extras["hedges_j"] == pytest.approx(r["hedges_J_exact"], rel=1e-12)
    assert result.verify().ok, result.verify().tidy().to_string()


def same(row, theirs):
    ours = (row.estimate, row.std_error, row.df, row.conf_low, row.conf_high)
    assert ours == pytest.approx(
        [theirs[k] for k in ("estimate", "se", "df", "low", "high")], rel=1e-9
    )


def test_jackknife_intervals_are_those_of_r():
    design, _ = from_golden("paired_sleep")
    sleep, result = golden("jackknife")["sleep"], effect_sizes(design)
    for term in ("d_av", "d_rm"):
        same(result.row(term), sleep[term])
    same(effect_sizes(design, ci="jackknife").row("d_z"), sleep["d_z"])
    row = result.row("d_z")
    assert (row.conf_low, row.conf_high) == pytest.approx(sleep["hull"], abs=1e-9)
    assert (row.std_error, row.df) == pytest.approx((sleep["d_z"]["se"], sleep["d_z"]["df"]))
    r = golden("jackknife")["clusters"]
    clustered = effect_sizes(pairs(r["x"], r["y"], clusters=[("g", np.array(r["g"]) - 1)]))
    for term in ("d_z", "d_av", "d_rm"):
        same(clustered.row(term), r[term])
    assert clustered.glance()["largest_leverage"][0] == pytest.approx(6 / 28)
    for found in (result, clustered):
        assert found.verify().ok, found.verify().tidy().to_string()


@pytest.mark.parametrize("ends", ["low", "high"])
def test_a_wrong_end_is_noticed(ends):
    design, _ = from_golden("paired_sleep")
    result = effect_sizes(design)
    row = result.row("d_z")
    moved = replace(row, **{f"conf_{ends}": getattr(row, f"conf_{ends}") * 1.03})
    assert (
        not replace(result, rows=tuple(moved if r is row else r for r in result.rows)).verify().ok
    )


@pytest.mark.parametrize("name", SETS)
def test_from_summary_numbers_of_the_goldens(name):
    _, r = from_golden(name)
    rows, n = golden_frame(f"{name}.csv"), r["df"] + 1
    one, two = rows["x"].std(), rows["y"].std()
    ways = (
        {"t": r["t"]},
        {"mean": r["mean_diff"], "sd": r["sd_diff"]},
        {"t": r["t"], "mean": r["mean_diff"]},
        {"mean": r["mean_diff"], "sd_first": one, "sd_second": two, "r": r["r"]},
        {"mean": r["mean_diff"], "sd_first": one, "sd_second": two, "sd": r["sd_diff"]},
        {"t": r["t"], "sd_first": one, "sd_second": two, "r": r["r"]},
    )
    for given in ways:
        result = effect_sizes_from_summary(n=n, **given)
        row = result.row("d_z")
        assert row.estimate == pytest.approx(r["d_z"], rel=1e-9)
        assert (row.conf_low, row.conf_high) == pytest.approx(r["d_z_ci95_ncp_uniroot"], abs=1e-8)
        assert result.row("g_z").estimate == pytest.approx(r["g_z"], rel=1e-9)
        assert result.extras["hedges_j"] == pytest.approx(r["hedges_J_exact"], rel=1e-12)
        for term, key in (("d_av", "d_av_rms"), ("d_rm", "d_rm")):
            found = result.row(term)
            if "sd_first" in given:
                assert found.estimate == pytest.approx(r[key], rel=1e-7)
            else:
                assert found.estimate is None
                assert "not given" in found.undefined
        assert result.verify().ok
        assert "d_z" in result.sentence()


def test_d_av_alone_from_means_and_standard_deviations():
    result = effect_sizes_from_summary(n=20, mean=2.0, sd_first=3.0, sd_second=4.0)
    assert result.row("d_av").estimate == pytest.approx(2 / math.sqrt(12.5))
    assert result.row("d_z").estimate is None
    assert result.sentence() == "The standardised mean difference was d_av = 0.57, over 20 pairs."
    assert result.verify().ok


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"n": 10}, "give t="),
        ({"n": 1, "t": 2.0}, "at least 2"),
        ({"n": 10.5, "t": 2.0}, "whole"),
        ({"n": 10, "t": math.nan}, "finite"),
        ({"n": 10, "t": "2"}, "finite"),
        ({"n": 10, "mean": 1.0, "sd": 0.0}, "above 0"),
        ({"n": 10, "mean": 1.0, "sd": -1.0}, "above 0"),
        ({"n": 10, "t": 2.0, "r": 1.2}, "between -1 and 1"),
        ({"n": 10, "t": 2.0, "mean": 1.0, "sd": 1.0}, "redundant"),
        ({"n": 10, "t": 2.0, "mean": -1.0}, "different signs"),
        (
            {"n": 10, "mean": 1.0, "sd": 1.0, "sd_first": 1.0, "sd_second": 1.0, "r": 0.5},
            "redundant",
        ),
        ({"n": 10, "mean": 1.0, "sd": 5.0, "sd_first": 1.0, "sd_second": 1.0}, "impossible"),
        ({"n": 10, "mean": 1.0, "sd_first": 1.0, "sd_second": 1.0, "r": 1.0}, "no variation"),
        ({"n": 10, "t": 2.0, "level": 95}, "95"),
    ],
)
def test_impossible_summaries(given, said):
    with pytest.raises(InputError, match=said):
        effect_sizes_from_summary(**given)


@pytest.mark.parametrize("name", ["t", "mean", "sd", "sd_first", "sd_second", "r"])
def test_a_summary_number_that_cannot_be_is_named(name):
    given = {"mean": 1.0, "sd_first": 1.0, "sd_second": 2.0, "r": 0.3}
    bad = [
        (math.inf, f"{name} must be a finite number, not inf"),
        (True, f"{name} must be a finite number, not True"),
    ]
    if name.startswith("sd"):
        bad += [(value, f"{name} must be above 0, not {value!r}") for value in (0.0, -1.0)]
    for value, said in bad:
        with pytest.raises(InputError) as error:
            effect_sizes_from_summary(n=9, **{**given, name: value})
        assert said in str(error.value)
    summary = {row.term: row.estimate for row in effect_sizes_from_summary(n=9, **given).rows}
    sd = math.sqrt(1 + 4 - 2 * 0.3 * 1 * 2)
    assert summary["d_z"] == pytest.approx(1 / sd, rel=1e-12)
    assert summary["d_av"] == pytest.approx(1 / math.sqrt(2.5), rel=1e-12)
    assert summary["d_rm"] == pytest.approx(math.sqrt(2 * 0.7) / sd, rel=1e-12)


def by_hand(x, y):
    d = x - y
    z = d.mean() / d.std(ddof=1)
    av = d.mean() / math.sqrt((x.var(ddof=1) + y.var(ddof=1)) / 2)
    return z, av, z * math.sqrt(2 * (1 - np.corrcoef(x, y)[0, 1]))


@pytest.mark.parametrize("clustered", [True, False])
def test_bootstrap_by_loops(clustered):
    codes = [("story", STORY)] if clustered else []
    result = effect_sizes(
        pairs(NEXT, BASE, clusters=codes), ci="percentile", resamples=8000, seed=1
    )
    rng, groups = np.random.default_rng(5), [np.flatnonzero(g == STORY) for g in range(14)]
    found = []
    for _ in range(2000):
        if clustered:
            index = np.concatenate([groups[k] for k in rng.integers(0, 14, 14)])
        else:
            index = rng.integers(0, len(BASE), len(BASE))
        found.append(by_hand(NEXT[index], BASE[index]))
    theirs = np.array(found)
    for k, term in enumerate(("d_z", "d_av", "d_rm")):
        row = result.row(term)
        assert row.estimate == pytest.approx(by_hand(NEXT, BASE)[k])
        assert row.std_error == pytest.approx(theirs[:, k].std(), rel=0.08)
        assert row.conf_low == pytest.approx(
            np.quantile(theirs[:, k], 0.025), abs=0.3 * row.std_error
        )
        assert row.conf_high == pytest.approx(
            np.quantile(theirs[:, k], 0.975), abs=0.3 * row.std_error
        )
    j = result.extras["hedges_j"]
    assert result.row("g_z").conf_low == pytest.approx(j * result.row("d_z").conf_low)


def test_bca_of_d_z_is_scipys_up_to_the_draws():
    row = effect_sizes(pairs(NEXT, BASE), ci="bca", level=0.9, resamples=10_000, seed=1).row("d_z")
    d = NEXT - BASE
    theirs = stats.bootstrap(
        (d,),
        lambda x, axis=-1: x.mean(axis) / x.std(axis, ddof=1),
        confidence_level=0.9,
        n_resamples=10_000,
        method="BCa",
        rng=1,
    )
    assert (row.conf_low, row.conf_high) == pytest.approx(
        tuple(theirs.confidence_interval), abs=0.12 * row.std_error
    )


def test_which_interval_when():
    independent = {r.term: r.method for r in effect_sizes(pairs(NEXT, BASE)).rows}
    hull = "wider limits of noncentral t and jackknife t"
    assert independent == {"d_z": hull, "g_z": hull, "d_av": "jackknife t", "d_rm": "jackknife t"}
    clustered = effect_sizes(pairs(NEXT, BASE, clusters=[("story", STORY)]))
    assert {r.method for r in clustered.rows} == {"jackknife t"}
    assert clustered.rows[0].n_clusters == 14
    both = [("story", STORY), ("writer", np.arange(len(STORY)) % 5)]
    crossed = effect_sizes(pairs(NEXT, BASE, clusters=both))
    assert {r.method for r in crossed.rows} == {"percentile bootstrap"}
    for ci in ("bca", "jackknife"):
        with pytest.raises(InputError, match=ci):
            effect_sizes(pairs(NEXT, BASE, clusters=both), ci=ci)
    with pytest.raises(InputError, match="independent pairs"):
        effect_sizes(pairs(NEXT, BASE, clusters=both), ci="noncentral_t")
    alone = effect_sizes(pairs(NEXT, BASE), ci="noncentral_t")
    assert alone.row("d_av").conf_low is None
    assert "jackknife" in alone.row("d_av").undefined
    assert alone.row("d_av").estimate is not None


def test_counts_are_repeated_pairs():
    first, second, count = (
        np.array([1.0, 0, 1, 0]),
        np.array([0.0, 1, 1, 0]),
        np.array([9.0, 3, 11, 7]),
    )
    times = count.astype(int)
    one = effect_sizes(pairs(first, second, count=count))
    two = effect_sizes(pairs(np.repeat(first, times), np.repeat(second, times)))
    for a, b in zip(one.rows, two.rows, strict=True):
        assert a.estimate == pytest.approx(b.estimate)
    assert one.row("d_z").conf_low == pytest.approx(two.row("d_z").conf_low)


def test_far_from_zero_nothing_cancels():
    near, far = (effect_sizes(pairs(NEXT + c, BASE + c)).rows for c in (0.0, 1e7))
    for a, b in zip(near, far, strict=True):
        assert a.estimate == pytest.approx(b.estimate, rel=1e-6)


def test_two_pairs_have_no_g_z():
    result = effect_sizes(pairs([1.0, 3.0], [0.0, 1.0]), ci="noncentral_t")
    assert result.row("d_z").conf_low is not None
    assert "at least 3 pairs" in result.row("g_z").undefined
    known = effect_sizes_from_summary(
        n=2, t=3.0
    )  # differences 1 and 2: mean 1.5, SD 1/sqrt(2), t = 3
    assert (
        known.row("d_z").estimate
        == pytest.approx(1.5 * math.sqrt(2), rel=1e-12)
        == result.row("d_z").estimate
    )
    assert (
        effect_sizes_from_summary(n=9, mean=2.0, sd_first=1.0, sd_second=3.0, r=1.0)
        .row("d_z")
        .estimate
        == 1.0
    )
    for n in (1, 0, 2.5, None):
        with pytest.raises(InputError, match="n must be a whole number of pairs, at least 2"):
            effect_sizes_from_summary(n=n, t=3.0)
    with pytest.raises(InputError, match="r must be between -1 and 1"):
        effect_sizes_from_summary(n=9, mean=2.0, sd_first=1.0, sd_second=3.0, r=-1.01)


def test_nothing_varies():
    same = effect_sizes(pairs([1.0, 2.0, 4.0], [0.0, 1.0, 3.0]))
    assert same.row("d_z").estimate is None
    assert "do not vary" in same.row("d_z").undefined
    assert same.row("d_av").estimate == pytest.approx(1 / np.std([1, 2, 4], ddof=1))
    flat = effect_sizes(pairs([2.0, 2.0, 2.0], [1.0, 1.0, 1.0]))
    assert [r.estimate for r in flat.rows] == [None] * 4
    assert all(r.undefined for r in flat.rows)
    assert "undefined" in flat.sentence()


def test_one_sample_has_no_correlation():
    result = effect_sizes(Paired.one_sample([1.0, 4, 4, 2, 5, 6], bound=3))
    assert result.row("d_z").estimate == pytest.approx(
        stats.ttest_1samp([1, 4, 4, 2, 5, 6], 3).statistic / math.sqrt(6)
    )
    assert "does not vary" in result.row("d_rm").undefined
    assert result.verify().ok


@pytest.mark.parametrize(
    ("options", "said"),
    [({"ci": "wald"}, "noncentral_t"), ({"level": 95}, "95"), ({"cluster": "x"}, "'x'")],
)
def test_wrong_options(options, said):
    with pytest.raises(InputError, match=said):
        effect_sizes(pairs(NEXT, BASE), **options)


def test_seed_and_small_samples():
    few = pairs(NEXT[:12], BASE[:12])
    one, same, other = (effect_sizes(few, ci="bca", seed=s).row("d_av").conf_low for s in (1, 1, 2))
    assert one == same != other
    for ci in ("bca", "auto"):
        assert "SS312" in [c.code for c in effect_sizes(few, ci=ci).cautions]


def test_two_or_three_pairs_keep_the_noncentral_interval():
    for n in (2, 3):
        d = [1.0, 3.0, 3.0][:n]
        row, plain = (
            effect_sizes(pairs(d, [0.0, 1.0, 1.0][:n]), ci=ci).row("d_z")
            for ci in ("auto", "noncentral_t")
        )
        assert (row.conf_low, row.conf_high) == (plain.conf_low, plain.conf_high)
        assert (row.method, row.std_error) == ("noncentral t", None)


@pytest.mark.parametrize(("draw", "least"), [("normal", 0.945), ("lognormal", 0.92), ("t3", 0.925)])
@pytest.mark.slow
def test_the_default_interval_holds_where_the_noncentral_t_does_not(draw, least):
    """30 differences, d_z = .5; seeded, 500 samples: Monte-Carlo error .01."""
    rng, hits, plain, warned = np.random.default_rng(8), 0, 0, 0
    scale = math.sqrt((math.e - 1) * math.e)
    make = {
        "normal": lambda: rng.normal(0.5, 1, 30),
        "t3": lambda: rng.standard_t(3, 30) / math.sqrt(3) + 0.5,
        "lognormal": lambda: (math.exp(0.5) - rng.lognormal(size=30)) / scale + 0.5,
    }[draw]
    for _ in range(500):
        result = effect_sizes(pairs(make(), np.zeros(30)))
        row, s = result.row("d_z"), result.extras["summary"]
        low, high = d_z_interval(s.t, 30)
        hits += row.conf_low <= 0.5 <= row.conf_high
        plain += low <= 0.5 <= high
        warned += any(c.code == "SS317" for c in result.cautions)
    assert hits / 500 >= least - 0.01
    assert plain <= hits
    if draw == "lognormal":
        assert plain / 500 < 0.7
        assert warned / 500 > 0.7
    if draw == "normal":
        assert warned / 500 < 0.08


HEAPED = [0.0] * 48 + [1.0] * 12


def limits(values, ci="auto", row="d_z"):
    found = effect_sizes(pairs(values, np.zeros(len(values))), ci=ci)
    assert found.verify().ok
    return found.row(row).conf_low, found.row(row).conf_high


def test_rounded_differences_that_show_their_ends_have_the_jackknifes_interval():
    """For 0 and 1 d_z is sqrt(p / q), whose standard error by the delta method is 1 / (2 q sqrt(n))."""
    found = effect_sizes(pairs(HEAPED, np.zeros(60)))
    row = found.row("d_z")
    assert (row.interval, row.method) == ("jackknife", "jackknife t")
    assert row.std_error == pytest.approx(1 / (2 * 0.8 * math.sqrt(60)), rel=0.04)
    assert found.inference.startswith("jackknife t; ")
    for term in ("d_z", "g_z"):
        assert limits(HEAPED, row=term) == limits(HEAPED, "jackknife", term)
        assert limits(np.array(HEAPED) / 10 + 3e6 - 3e6, row=term) == pytest.approx(
            limits(HEAPED, row=term), rel=1e-6
        )


@pytest.mark.parametrize(
    "values",
    [
        HEAPED[:-11],  # one value at an end
        [*HEAPED, 3.0, 3.0],  # a gap
        HEAPED[12:],  # few pairs
        [1.0 - x for x in HEAPED],  # few pairs for a d_z of 2
        [0.0] * 57 + [1.0] * 3,  # the t test does not exclude 0
    ],
)
def test_other_differences_keep_the_wider_limits(values):
    assert effect_sizes(pairs(values, np.zeros(len(values)))).row("d_z").interval in (
        "outer_ends",
        "noncentral_t",
    )
    (low, high), plain = limits(values), limits(values, "noncentral_t")
    assert low <= plain[0] < plain[1] <= high


@pytest.mark.parametrize("shares", [(0.8, 0.2, 0.0), (0.76, 0.18, 0.06)])
@pytest.mark.slow
def test_the_default_interval_of_rounded_differences_is_not_too_long(shares):
    """100 differences of 0, 1 or -1; seeded, 1,000 samples: Monte-Carlo error .007. Widths over the true error's."""
    rng, values, p = np.random.default_rng(17), np.array([0.0, 1.0, -1.0]), np.array(shares)
    mean, sd = p @ values, math.sqrt(p @ (values - p @ values) ** 2)
    d, (g, k) = mean / sd, (p @ ((values - mean) / sd) ** power for power in (3, 4))
    oracle = 2 * 1.96 * math.sqrt((1 - d * g + d**2 * (k - 1) / 4) / 100)
    rows = [
        effect_sizes(Paired.one_sample(rng.choice(values, 100, p=p))).row("d_z")
        for _ in range(1000)
    ]
    assert (
        0.93 - 0.007
        <= np.mean([row.conf_low <= d <= row.conf_high for row in rows])
        <= 0.97 + 0.007
    )
    assert np.mean([row.conf_high - row.conf_low for row in rows]) < 1.15 * oracle


def test_coverage_of_the_noncentral_interval():
    rng, hits = np.random.default_rng(2), 0
    for _ in range(400):
        d = rng.normal(0.5, 1, 15)
        row = effect_sizes(pairs(d, np.zeros(15)), ci="noncentral_t").rows[0]
        hits += row.conf_low <= 0.5 <= row.conf_high
    assert hits / 400 == pytest.approx(0.95, abs=3 * math.sqrt(0.05 * 0.95 / 400))


@pytest.mark.parametrize(("sign", "warned"), [(0, False), (1, True), (-1, True)])
def test_skewed_differences_are_warned_of_where_the_interval_assumes_normal_ones(sign, warned):
    """The delta-method ratio against the spread of d_z over many samples: its direction and size are right."""
    rng = np.random.default_rng(3)
    draw = (
        (lambda n: rng.normal(0.5, 1, n))
        if sign == 0
        else (lambda n: sign * (rng.exponential(1, n) - 1) + 0.5)
    )
    values = draw(400)
    for ci in ("auto", "noncentral_t"):
        result = effect_sizes(Paired.one_sample(values), ci=ci)
        assert ("SS317" in [c.code for c in result.cautions]) is warned
    assert result.row("d_z").method == "noncentral t"
    spread = np.std([(x := draw(400)).mean() / x.std(ddof=1) for _ in range(2000)])
    many = draw(200_000)
    assert error_ratio(many, np.ones(len(many)), 0.5) == pytest.approx(
        spread / np.sqrt(1.125 / 400), rel=0.06
    )


def test_summary_numbers_that_contradict_each_other():
    with pytest.raises(InputError, match="impossible"):
        effect_sizes_from_summary(n=10, t=0.1, mean=1, sd_first=1, sd_second=1)
    with pytest.raises(InputError, match="signs"):
        effect_sizes_from_summary(n=10, t=0, mean=1)
    whole = effect_sizes_from_summary(
        n=10, t=5, mean=1, sd_first=1, sd_second=1
    )  # sd^2 = 10/25 = 2 - 2 r: r = .8
    assert whole.extras["summary"].r == pytest.approx(0.8)
    assert whole.row("d_rm").estimate == pytest.approx(1.0)
    assert (
        "not given"
        in effect_sizes_from_summary(n=10, t=0, mean=0, sd_first=1, sd_second=1)
        .row("d_rm")
        .undefined
    )


def test_rounding_is_no_standard_error():
    frame = pd.DataFrame(
        {"unit": list("abc"), "x": [1, 0, 0], "y": [0, 0, 0], "g": ["u", "v", "v"]}
    )  # only one resample has spread
    pairs = Paired.from_wide(
        frame, first="x", second="y", unit="unit", cluster="g", scale="numeric"
    )
    for row in effect_sizes(pairs, resamples=200).rows:
        assert row.std_error is None
        assert row.undefined


@pytest.mark.parametrize("seed", [1, 4, 6, 20])
@pytest.mark.parametrize("scale", [0.1, 1e-6, 1e5])
def test_resamples_of_equal_pairs_have_no_size(seed, scale):
    """One pair over and over has a variance of rounding alone, which is none: d_z would be about 1e7."""
    rng = np.random.default_rng(seed)
    clusters = {"story": np.repeat(np.arange(3), 4), "topic": np.tile([0, 1, 2], 4)}
    rows = pd.concat(
        pd.DataFrame(
            {
                "unit": range(12),
                "condition": name,
                "value": scale * rng.integers(0, 100, 12),
                **clusters,
            }
        )
        for name in ("x", "y")
    )
    result = effect_sizes(
        Paired.from_frame(rows, conditions=("x", "y"), cluster=["story", "topic"]), resamples=500
    )
    assert result.row("d_z").std_error < 10
    assert result.verify().ok


def test_summary_numbers_say_that_the_shape_is_not_known():
    result = effect_sizes_from_summary(n=60, t=3.0)
    (said,) = result.cautions
    assert (said.code, said.short) == ("SS317", "the shape of the differences is not known")
    assert result.row("d_z").approximate
    assert result.row("g_z").approximate
    assert not result.row("d_av").approximate

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from socialstats import Paired, paired_difference
from socialstats.designs.parts import Factor
from socialstats.errors import InputError
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.paired.pair_values import pair_values
from socialstats.paired.paired_difference import clusters_alike
from tests.golden_data import golden, golden_frame

RNG = np.random.default_rng(12)


def pairs(
    first, second=None, *, count=None, clusters=(), scale="numeric", conditions=("after", "before")
):
    first = np.asarray(first, dtype=float)
    second = np.zeros(len(first)) if second is None else np.asarray(second, dtype=float)
    factors = tuple(
        Factor(
            name=name,
            codes=np.asarray(codes, dtype=np.int64),
            levels=tuple(map(str, range(max(codes) + 1))),
        )
        for name, codes in clusters
    )
    count = np.ones(len(first)) if count is None else np.asarray(count, dtype=float)
    return Paired(
        conditions=conditions,
        first=first,
        second=second,
        count=count,
        scale=scale,
        clusters=factors,
    )


def from_golden(name):
    rows = golden_frame(f"{name}.csv")
    return pairs(rows["x"], rows["y"]), golden(name)["r"]


STORY = np.repeat(np.arange(12), [1, 2, 3, 4, 5, 6, 7, 8, 9, 2, 2, 3])
WRITER = np.arange(len(STORY)) % 7
D = (
    RNG.normal(0.4, 1, len(STORY))
    + 0.7 * RNG.normal(size=12)[STORY]
    + 0.3 * RNG.normal(size=7)[WRITER]
)
BASE = RNG.normal(size=len(STORY))
CLUSTERED = pairs(BASE + D, BASE, clusters=[("story", STORY)])
CROSSED = pairs(BASE + D, BASE, clusters=[("story", STORY), ("writer", WRITER)])


@pytest.mark.parametrize("name", ["paired_sleep", "paired_anorexia_FT"])
def test_every_golden_number(name):
    design, r = from_golden(name)
    result = paired_difference(design)
    row = result.row("difference", group=None)
    close = {"rel": 1e-10}
    assert (row.estimate, row.std_error) == pytest.approx((r["mean_diff"], r["se"]), **close)
    assert (row.statistic, row.df, row.p_value) == pytest.approx((r["t"], r["df"], r["p"]), **close)
    assert (row.conf_low, row.conf_high) == pytest.approx(r["ci95"], **close)
    ninety = paired_difference(design, level=0.9).row("difference")
    assert (ninety.conf_low, ninety.conf_high) == pytest.approx(r["ci90"], **close)
    up = paired_difference(design, alternative="greater")
    assert up.rows[0].p_value == pytest.approx(r["p_greater"], **close)
    assert up.rows[0].conf_low == pytest.approx(r["ci_greater_low"], **close)
    assert up.rows[0].conf_high is None
    assert "no upper end" in up.rows[0].method
    assert up.extras["interval"][1] == math.inf
    assert "∞" in up.sentence()
    assert paired_difference(design, alternative="less").rows[0].p_value == pytest.approx(
        r["p_less"], **close
    )
    assert result.row("r").estimate == pytest.approx(r["r"], **close)
    assert result.row("difference", group="sd").estimate == pytest.approx(r["sd_diff"], **close)
    ranks = result.extras["wilcoxon"]
    assert ranks["v"] == r["wilcox_V"]
    assert (ranks["p_normal_corrected"], ranks["p_normal"]) == pytest.approx(
        (r["wilcox_p_normal_cc"], r["wilcox_p_normal_nocc"]), **close
    )
    flips = result.extras["flip_normal"]  # coin::symmetry_test of the differences as they are
    assert (flips["z"], flips["p"]) == pytest.approx((r["coin_asym_z"], r["coin_asym_p"]), **close)
    assert result.row("sign_flip").p_value == pytest.approx(
        r["signflip_exact_p_two_sided"], **close
    )
    assert up.row("sign_flip").p_value == pytest.approx(r["signflip_exact_p_greater"], **close)
    for one in (result, up, paired_difference(design, null=-1.0)):
        assert one.verify().ok, one.verify().tidy().to_string()


def test_wilcoxon_is_exact_where_differences_are_few_or_tie():
    design, _ = from_golden("paired_anorexia_FT")
    row = paired_difference(design).row("wilcoxon")
    assert "exact" in row.method
    assert row.p_value == pytest.approx(
        stats.wilcoxon(design.difference.round(9), method="exact").pvalue
    )
    design, r = from_golden("paired_sleep")  # ties and a zero
    row = paired_difference(design).row("wilcoxon")
    kept = design.difference[np.abs(design.difference) > 1e-9].round(9)
    exact = stats.wilcoxon(kept, method=stats.PermutationMethod(n_resamples=np.inf)).pvalue
    assert (row.test, row.method) == ("exact_signed_rank", "Wilcoxon signed rank (exact)")
    assert row.p_value == pytest.approx(exact, rel=1e-10)
    extras = paired_difference(design).extras["wilcoxon"]
    assert extras["p_normal_corrected"] == pytest.approx(
        r["wilcox_p_normal_cc"], rel=1e-10
    )  # R's default with ties
    pratt = stats.wilcoxon(
        design.difference.round(9),
        zero_method="pratt",
        method=stats.PermutationMethod(n_resamples=np.inf),
    ).pvalue
    assert extras["p_pratt_exact"] == pytest.approx(pratt, rel=1e-10)


@pytest.mark.parametrize(("d", "p"), [([1, 1, 1, 1, 1], 0.0625), ([1, 1, 1, 1, 2], 0.0625)])
def test_wilcoxon_of_ties_has_no_p_below_that_of_equal_signs(d, p):
    result = paired_difference({"before": [0] * 5, "after": d}, first="after", second="before")
    assert result.row("wilcoxon").p_value == p
    assert result.verify().ok


def test_clusters_of_penicillin_are_clubsandwichs_and_sandwichs():
    rows, r = golden_frame("cluster_penicillin.csv"), golden("cluster_penicillin")["r"]
    g1, g2 = (np.unique(rows[c], return_inverse=True)[1] for c in ("g1", "g2"))
    design = pairs(rows["y"], clusters=[("plate", g1), ("sample", g2)])
    one = paired_difference(design, cluster="plate")
    assert one.rows[0].std_error == pytest.approx(r["se_g1_CR2"], rel=1e-9)
    assert one.rows[0].df == pytest.approx(r["CR2_satterthwaite_df"], rel=1e-9)
    assert one.rows[0].p_value == pytest.approx(r["CR2_p"], rel=1e-8)
    for kind in ("CR0", "CR1", "CR3"):
        assert one.extras["std_errors"][kind] == pytest.approx(r[f"se_g1_{kind}"], rel=1e-9)
    assert one.row("difference", group="ignoring clusters").std_error == pytest.approx(
        r["se_naive"], rel=1e-9
    )
    assert "SS201" in [c.code for c in one.cautions]
    two = paired_difference(design)
    crossed = golden("clustered_mean")["penicillin"]
    assert (two.rows[0].std_error, two.rows[0].df) == pytest.approx(
        (crossed["se"], crossed["df"]), rel=1e-8
    )
    assert two.rows[0].n_clusters == 6
    assert two.glance()["effective_df"][0] == two.rows[0].df
    assert two.glance()["largest_leverage"][0] == pytest.approx(1 / 6)
    assert "crossed" in two.row("sign_flip").undefined
    assert two.verify().ok, two.verify().tidy().to_string()
    assert one.verify().ok, one.verify().tidy().to_string()


@pytest.mark.parametrize("cluster", ["declared", "story", ("story",), None])
def test_clusters_lead_and_pairs_are_shown_for_what_they_are(cluster):
    result = paired_difference(CLUSTERED, cluster=cluster)
    row = result.row("difference", group=None)
    assert row is result.rows[0]
    alone = stats.ttest_rel(CLUSTERED.first, CLUSTERED.second)
    if cluster is None:
        assert row.statistic == pytest.approx(alone.statistic)
        assert row.n_clusters is None
        assert "SS201" in [c.code for c in result.cautions]
        return
    expected = clustered_mean(D, np.ones(len(D)), [STORY])
    assert (row.std_error, row.df) == pytest.approx((expected.std_error, expected.df))
    assert row.df < 11
    assert (row.n, row.n_units, row.n_clusters) == (52, 52, 12)
    other = result.row("difference", group="ignoring clusters")
    assert (other.statistic, other.p_value) == pytest.approx((alone.statistic, alone.pvalue))
    assert result.row("wilcoxon").group == "ignoring clusters"
    flips = result.row("sign_flip")
    assert "clusters" in flips.method
    assert flips.n_clusters == 12
    assert result.verify().ok, result.verify().tidy().to_string()
    assert "12 clusters" in result.sentence()


def test_sign_flips_of_clusters_by_listing():
    sums = np.bincount(STORY, D)
    signs = 2 * ((np.arange(2**12)[:, None] >> np.arange(12)) & 1) - 1
    expected = np.mean(np.abs(signs @ sums) >= abs(sums.sum()) - 1e-9)
    assert paired_difference(CLUSTERED).row("sign_flip").p_value == pytest.approx(expected)


@pytest.mark.parametrize("far", [1e2, 1e6, 3e6, 1e7, 1e9])
def test_sums_that_are_equal_but_for_rounding_are_ties(far):
    """Tenths far from 0 beside tenths near it: whole numbers tell which patterns are as extreme."""
    tenths = [[3, -1], [2], [1, 1], [-2, 1, 3], [4], [-1, -1], [2, 2, -5], [3], [-4, 1]]
    story = np.repeat(np.arange(len(tenths)), [len(one) for one in tenths])
    whole = np.array([x for one in tenths for x in one])
    base = np.where(np.arange(len(whole)) % 2, 0.0, far)
    first = np.array([float(f"{int(b) + x / 10:.1f}") for b, x in zip(base, whole, strict=True)])
    for sums, clusters in (
        (np.bincount(story, whole).astype(int), [("story", story)]),
        (whole, ()),
    ):
        signs = 2 * ((np.arange(2 ** len(sums))[:, None] >> np.arange(len(sums))) & 1) - 1
        seen = signs @ sums
        design = pairs(first, base, clusters=clusters)
        result = paired_difference(design)
        assert result.row("sign_flip").p_value == pytest.approx(
            np.mean(abs(seen) >= abs(sums.sum())), rel=1e-12
        )
        assert result.verify().ok or far == 1e9  # where the differences themselves have few digits
        up = paired_difference(design, alternative="greater").row("sign_flip")
        assert up.p_value == pytest.approx(np.mean(seen >= sums.sum()), rel=1e-12)


def test_sums_of_clusters_that_are_0_but_for_rounding_have_no_sign():
    base = np.array([3_000_000.0, 0.0, 0.0] * 3)
    first = np.array([3_000_000.3, 0.1, -0.4, 2_999_999.8, -0.5, 0.7, 3_000_000.9, 0.2, -1.1])
    story = np.repeat(np.arange(3), 3)
    assert np.all(np.bincount(story, first - base) != 0)
    row = paired_difference(pairs(first, base, clusters=[("story", story)])).row("sign_flip")
    assert row.p_value is None
    assert "every value is 0" in row.undefined


def test_random_flips_and_their_normal_approximation():
    many = RNG.normal(0.012, 1, 20_001)
    result = paired_difference(pairs(many))
    row = result.row("sign_flip")
    assert "normal approximation" in row.method
    assert row.p_value == result.extras["flip_normal"]["p"]
    assert row.p_value == pytest.approx(2 * stats.norm.sf(abs(many.sum()) / np.sqrt(many @ many)))
    some = paired_difference(pairs(many[:3000]), flips=20_000, seed=3)
    assert "20,000 random flips" in some.row("sign_flip").method
    assert some.row("sign_flip").p_value == pytest.approx(
        some.extras["flip_normal"]["p"], abs=4 * some.extras["flip_error"] + 0.002
    )
    other = paired_difference(pairs(many[:3000]), flips=20_000, seed=4)
    assert other.row("sign_flip").p_value != some.row("sign_flip").p_value
    assert some.verify().ok


def test_conditions_exchanged():
    for design in (CLUSTERED, CROSSED, from_golden("paired_sleep")[0]):
        one, two = paired_difference(design), paired_difference(design.swap())
        a, b = one.rows[0], two.rows[0]
        assert (b.estimate, b.statistic) == pytest.approx((-a.estimate, -a.statistic))
        assert (b.conf_low, b.conf_high) == pytest.approx((-a.conf_high, -a.conf_low))
        assert (b.p_value, b.df) == pytest.approx((a.p_value, a.df))
        assert two.row("wilcoxon").p_value == pytest.approx(one.row("wilcoxon").p_value)
        assert two.row("after", group="mean").estimate == one.row("after", group="mean").estimate
        assert two.row("r").estimate == pytest.approx(one.row("r").estimate)


@pytest.mark.parametrize("clusters", [[], [("story", [0, 0, 1, 1, 2, 2])]])
def test_cells_with_counts_are_repeated_pairs(clusters):
    first, second, count = [1, 0, 1, 1, 0, 0], [0, 1, 1, 0, 0, 1], [3, 1, 4, 2, 2, 1]
    short = pairs(first, second, count=count, clusters=clusters)
    long = pairs(
        np.repeat(first, count),
        np.repeat(second, count),
        clusters=[(n, np.repeat(c, count)) for n, c in clusters],
    )
    one, two = paired_difference(short), paired_difference(long)
    for a, b in zip(one.rows, two.rows, strict=True):
        for field in (
            "estimate",
            "std_error",
            "conf_low",
            "conf_high",
            "statistic",
            "df",
            "p_value",
            "n",
        ):
            x, y = getattr(a, field), getattr(b, field)
            assert (x is None) == (y is None)
            assert x is None or x == pytest.approx(y), (a.term, field)


@pytest.mark.parametrize("ci", ["percentile", "basic", "bca", "studentized"])
@pytest.mark.parametrize("design", [CLUSTERED, from_golden("paired_anorexia_FT")[0]])
def test_bootstrap_intervals_are_near_the_closed_one_and_follow_the_seed(ci, design):
    closed = paired_difference(design).rows[0]
    one, same, other = (
        paired_difference(design, ci=ci, seed=s, resamples=1999).rows[0] for s in (1, 1, 2)
    )
    width = closed.conf_high - closed.conf_low
    assert abs(one.conf_low - closed.conf_low) < 0.35 * width
    assert abs(one.conf_high - closed.conf_high) < 0.35 * width
    assert (one.conf_low, one.conf_high) == (same.conf_low, same.conf_high)
    assert one.conf_low != other.conf_low
    assert (one.statistic, one.p_value) == (closed.statistic, closed.p_value)
    low = paired_difference(
        design, ci=ci, alternative="greater", level=0.975, resamples=1999, seed=1
    ).rows[0]
    assert low.conf_low == pytest.approx(one.conf_low)
    assert low.conf_high is None


def test_crossed_bootstrap_and_its_missing_intervals():
    row = paired_difference(CROSSED, ci="percentile", resamples=999).rows[0]
    assert row.conf_low < row.estimate < row.conf_high
    with pytest.raises(InputError, match="percentile"):
        paired_difference(CROSSED, ci="studentized")


def test_crossed_resamples_without_any_pair_are_left_out():
    d = np.array([1.0, 2.0, 4.0, 7.0])
    row = paired_difference(
        pairs(d, clusters=[("a", [0, 1, 2, 3]), ("b", [0, 1, 2, 3])]), ci="percentile"
    ).rows[0]
    assert row.conf_low < row.estimate < row.conf_high


def test_an_interval_of_no_width_is_undefined():
    row = paired_difference(
        pairs([0.3, 0.9], clusters=[("a", [0, 1])]), ci="studentized", resamples=199
    ).rows[0]
    assert row.conf_low is None
    assert row.undefined
    assert row.p_value is not None


def test_null_shifts_every_test():
    result = paired_difference(CLUSTERED, null=0.4, cluster=None)
    test = stats.ttest_1samp(D, 0.4)
    assert (result.rows[0].statistic, result.rows[0].p_value) == pytest.approx(
        (test.statistic, test.pvalue)
    )
    assert result.row("wilcoxon").p_value == pytest.approx(
        stats.wilcoxon(D - 0.4, correction=True, method="approx").pvalue
    )
    assert result.row("sign_flip").statistic == pytest.approx(np.mean(D) - 0.4)
    assert "against 0.40" in result.sentence()


def test_one_sample_against_a_bound():
    values = [1.0, 4, 4, 2, 5, 6]
    result = paired_difference(Paired.one_sample(values, bound=3))
    test = stats.ttest_1samp(values, 3)
    assert (result.rows[0].statistic, result.rows[0].p_value) == pytest.approx(
        (test.statistic, test.pvalue)
    )
    assert "does not vary" in result.row("r").undefined
    assert result.verify().ok


def test_by_levels_and_data_frames():
    rows = pd.DataFrame(
        {
            "unit": list("abcd") * 4,
            "condition": (["after"] * 4 + ["before"] * 4) * 2,
            "model": ["x"] * 8 + ["y"] * 8,
            "value": [1.0, 2, 3, 5, 0, 2, 1, 1, 4, 4, 4, 1, 3, 2, 1, 0],
        }
    )
    result = paired_difference(Paired.from_frame(rows, by="model"))
    assert list(result) == ["x", "y"]
    assert result["x"].rows[0].estimate == pytest.approx(1.75)
    assert paired_difference(rows[rows["model"] == "x"].drop(columns="model")).rows[
        0
    ].estimate == pytest.approx(1.75)


# --- bad input (the contract of notes/agreement.md) -------------------------------------------------------------


@pytest.mark.parametrize("first", [[2.0, 3.0, 4.0], [1.1, 1.3, 1.7]])
def test_all_differences_equal_is_undefined_and_says_so(first):
    result = paired_difference(pairs(first, np.array(first) - 1))
    row = result.rows[0]
    assert row.estimate == pytest.approx(1)
    assert "all 3 values equal 1" in row.undefined
    assert (row.std_error, row.conf_low, row.statistic, row.p_value, row.df) == (None,) * 5
    assert result.row("sign_flip").p_value == pytest.approx(0.25)
    assert "all 3" in result.sentence()
    assert result.verify().ok


def test_no_difference_at_all():
    result = paired_difference(pairs([1.0, 5.0, 2.0], [1.0, 5.0, 2.0]))
    assert (result.rows[0].estimate, result.rows[0].p_value) == (0, None)
    assert "every difference is 0" in result.row("wilcoxon").undefined
    assert "every value is 0" in result.row("sign_flip").undefined


def test_small_unsigned_integers_do_not_wrap():
    rows = pd.DataFrame(
        {
            "unit": list("abc") * 2,
            "condition": ["after"] * 3 + ["before"] * 3,
            "value": np.array([1, 2, 3, 2, 4, 9], dtype=np.uint8),
        }
    )
    result = paired_difference(Paired.from_frame(rows, conditions=("after", "before")))
    test = stats.ttest_rel([1.0, 2, 3], [2.0, 4, 9])
    assert (result.rows[0].statistic, result.rows[0].p_value) == pytest.approx(
        (test.statistic, test.pvalue)
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"level": 95}, "95"),
        ({"ci": "wald"}, "percentile"),
        ({"alternative": "bigger"}, "two_sided"),
        ({"cluster": "village"}, "village"),
        ({"null": math.nan}, "null"),
        ({"null": "0"}, "null"),
        ({"flips": 10}, "flips"),
        ({"flips": 1e5 + 0.5}, "flips"),
        ({"seed": "1"}, "seed='1' is not a whole number"),
        ({"seed": -1}, "seed"),
        ({"ci": "bca", "resamples": 5}, "resamples"),
        ({"alternative": "less", "level": 0.4}, "0.4"),
    ],
)
def test_wrong_options_are_named(options, said):
    with pytest.raises(InputError, match=said):
        paired_difference(CLUSTERED, **options)


def test_one_pair_or_nominal_values_are_refused():
    with pytest.raises(InputError, match="at least 2 pairs"):
        paired_difference(pairs([1.0]))
    nominal = Paired(
        conditions=("a", "b"),
        first=np.array([0.0, 1.0]),
        second=np.array([1.0, 0.0]),
        count=np.ones(2),
        scale="nominal",
        levels=("x", "y"),
    )
    with pytest.raises(InputError, match="nominal"):
        paired_difference(nominal)


def test_one_cluster_and_equal_clusters_have_no_error():
    one = paired_difference(pairs([1.0, 2, 4], clusters=[("story", [0, 0, 0])])).rows[0]
    assert "single cluster" in one.undefined
    same = paired_difference(pairs([1.0, 2, 1, 2], clusters=[("story", [0, 0, 1, 1])])).rows[0]
    assert "the clusters are alike" in same.undefined
    assert same.p_value is None


def test_cautions_for_floored_variances_and_disagreeing_tests():
    a, b = np.repeat([0, 1, 2], 3), np.tile([0, 1, 2], 3)
    y = np.array([3.0, 0, 0, 0, 3, 0, 0, 0, 3.1])
    result = paired_difference(pairs(y, clusters=[("a", a), ("b", b)]))
    assert "SS206" in [c.code for c in result.cautions]
    assert result.verify().ok
    skewed = paired_difference(pairs([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 30.0]))
    assert "SS316" in [c.code for c in skewed.cautions]


def test_hostile_labels_stay_labels():
    design = pairs(
        [1.0, 2, 4],
        [0.0, 1, 1],
        conditions=("<script>\n", "r"),
        clusters=[("a\nb" * 40, [0, 1, 1])],
    )
    result = paired_difference(design)
    assert "\n" not in result.sentence()
    assert not result.tidy().duplicated(["term", "group"]).any()
    assert result.plot() is not None


def test_type_one_error_of_the_clustered_test():
    rng, story = np.random.default_rng(4), np.repeat(np.arange(15), 6)
    hits = {"clustered": 0, "alone": 0}
    for _ in range(300):
        d = rng.normal(size=90) + rng.normal(size=15)[story]
        m, alone = (clustered_mean(d, np.ones(90), codes) for codes in ([story], []))
        hits["clustered"] += m.p_value() <= 0.05
        hits["alone"] += alone.p_value() <= 0.05
    assert hits["clustered"] / 300 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 300)
    assert hits["alone"] / 300 > 0.2


def codes(result):
    return [c.code for c in result.cautions]


def test_skewed_differences_of_few_pairs_are_warned_of():
    rng = np.random.default_rng(6)
    fired = {
        name: np.mean(
            ["SS317" in codes(paired_difference(pairs(draw(20)), flips=99)) for _ in range(200)]
        )
        for name, draw in (
            ("normal", rng.standard_normal),
            ("lognormal", lambda n: rng.lognormal(size=n)),
        )
    }
    assert fired["normal"] < 0.08  # measured .03
    assert fired["lognormal"] > 0.7  # measured .80
    skewed = pairs(np.array([0.1, 0.2, 0.1, 0.3, 0.2, 5.0, 0.1, 0.4]))
    found = next(c for c in paired_difference(skewed).cautions if c.code == "SS317")
    assert (found.severity, found.fix) == ("caution", "use ci='studentized'")
    assert "SS317" not in codes(paired_difference(skewed, ci="studentized", resamples=199))
    assert "SS312" in codes(paired_difference(pairs(np.array([1.0, 2.0, 4.0]))))


def test_repeats_that_tell_are_shown_and_warned_of():
    """Units with more repeats differ more: the mean over pairs is .6 where that over units is 0."""
    rng = np.random.default_rng(1)
    n = np.repeat([1, 2, 3, 10], 12)
    unit = np.repeat(np.arange(48), n)
    base = rng.standard_normal(48) / 4 + 0.15 * (n - n.mean())
    tell = paired_difference(
        pairs(base[unit] + rng.standard_normal(len(unit)) / 4, clusters=[("unit", unit)])
    )
    row = tell.row("difference", group="clusters weighing alike")
    means = np.bincount(unit, tell.design.difference) / n
    test = stats.ttest_1samp(means, 0)
    assert (row.estimate, row.statistic, row.p_value, row.df) == pytest.approx(
        (means.mean(), test.statistic, test.pvalue, 47)
    )
    assert tell.rows[0].estimate > 0.3 > 0.1 > abs(row.estimate)
    assert "SS303" in codes(tell)
    assert tell.verify().ok, tell.verify().tidy().to_string()
    moved = replace(row, std_error=row.std_error * 1.03)
    assert not replace(tell, rows=tuple(moved if r is row else r for r in tell.rows)).verify().ok


@pytest.mark.parametrize("clusters", [2, 3, 8])
def test_the_gap_of_both_means_is_tested_with_the_df_of_its_clusters(clusters):
    """A cluster's influence on it is G (y - u) / G - G f (y - m): a t test of what they are."""
    n = np.arange(clusters) + 1
    unit = np.repeat(np.arange(clusters), n)
    values = np.random.default_rng(clusters).standard_normal(len(unit)) + unit**2
    design = pairs(values, clusters=[("unit", unit)])
    mean, gap, p = clusters_alike(pair_values(design), design.clusters)
    means, share = np.bincount(unit, values) / n, n / n.sum()
    assert (mean.mean, gap) == pytest.approx((means.mean(), means.mean() - values.mean()))
    moved = means - means.mean() - clusters * share * (means - values.mean())
    assert p == pytest.approx(stats.ttest_1samp(gap + moved, 0).pvalue, rel=1e-9)


@pytest.mark.slow
def test_the_gap_of_both_means_has_its_size():
    """No unit tells by its repeats: the caution fires in about 5% of samples (Monte-Carlo error 1.1%)."""
    rng, fired = np.random.default_rng(2), 0
    n = np.repeat([1, 2, 3, 10], 8)
    unit = np.repeat(np.arange(32), n)
    for _ in range(400):
        values = rng.standard_normal(32)[unit] + rng.standard_normal(len(unit))
        fired += "SS303" in codes(
            paired_difference(pairs(values, clusters=[("unit", unit)]), flips=99)
        )
    assert 0.015 <= fired / 400 <= 0.09
    even = np.repeat(np.arange(10), 4)
    found = paired_difference(pairs(rng.standard_normal(40), clusters=[("unit", even)]))
    assert not [r for r in found.rows if r.group == "clusters weighing alike"]


def test_a_difference_that_is_large_beside_its_error_is_recomputed() -> None:
    rng = np.random.default_rng(8)
    low = rng.normal(size=12)
    frame = pd.DataFrame({"low": low, "high": 1e6 + 2 * rng.normal(size=12), "story": [*"ab"] * 6})
    design = Paired.from_wide(frame, first="low", second="high", cluster="story")
    assert paired_difference(design).verify().ok


def test_means_of_repeats_that_all_differ_by_the_same_have_no_error() -> None:
    # means such as 1/3 have 12 digits, and their differences are equal up to these
    rows = [
        {"unit": unit, "condition": condition, "run": run, "value": unit % 3 + (run == 3) + shift}
        for unit in range(10)
        for condition, shift in (("before", 0), ("after", 1))
        for run in (1, 2, 3)
    ]
    result = paired_difference(
        pd.DataFrame(rows), conditions=("after", "before"), repeat="run", value="value"
    )
    row = result.row("difference")
    assert row.reason == "no_variation"
    assert row.std_error is None
    assert result.verify().ok

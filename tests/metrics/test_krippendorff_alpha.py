from __future__ import annotations

import json
from dataclasses import replace

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtr

from socialstats.agreement.fleiss_kappa import fleiss_kappa
from socialstats.agreement.gwet_ac import gwet_ac
from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, NothingToAnalyse, UndefinedStatistic
from socialstats.inference.intervals import critical_value
from tests.golden_data import golden, golden_frame
from tests.rated import long_table, ratings

SCALES = ("nominal", "ordinal", "interval", "ratio")


def four(**options):
    """Krippendorff's (2011) four coders and twelve units, with missing ratings."""
    matrix = golden_frame("alpha_krippendorff_4x12.csv").replace("", np.nan).to_numpy(dtype=float)
    return ratings(matrix, levels=[1, 2, 3, 4, 5], **options)


def simulated(n=60, raters=4, seed=1, missing=0.2):
    rng = np.random.default_rng(seed)
    group = np.arange(n) // 5
    truth = rng.normal(size=n) + 0.7 * rng.normal(size=n // 5 + 1)[group]
    x = np.digitize(truth[:, None] + rng.normal(size=(n, raters)), [-1.2, 0, 1.2]) + 1.0
    x[rng.random(x.shape) < missing] = np.nan
    return x, [f"s{g:02d}" for g in group], [f"w{k % 5}" for k in range(n)]


@pytest.mark.parametrize("scale", SCALES)
def test_krippendorffs_example(scale):
    result = krippendorff_alpha(four(), scale=scale)
    entry = golden("alpha_krippendorff_4x12")["r"]
    row = result.row("alpha")
    assert row.estimate == pytest.approx(entry[f"alpha_{scale}"], rel=1e-12)
    assert (row.n, row.n_units) == (40, 11)
    assert result.extras["n_pairable"] == entry["n_pairable"]
    np.testing.assert_allclose(
        result.extras["coincidences"], entry["coincidence"], atol=2e-14 * 1000
    )
    observed, expected = (
        result.extras["observed_disagreement"],
        result.extras["expected_disagreement"],
    )
    assert 1 - observed / expected == pytest.approx(row.estimate)
    assert result.verify().ok
    assert {c.code for c in result.cautions} >= {"SS312", "SS315"}


def test_disagreements_of_the_nominal_example_by_hand():
    # diagonal 32 of 40 coincidences; margins 9, 13, 10, 5, 3
    extras = krippendorff_alpha(four(), scale="nominal").extras
    assert extras["margins"].tolist() == [9, 13, 10, 5, 3]
    assert extras["observed_disagreement"] == pytest.approx(8 / 40)
    assert extras["expected_disagreement"] == pytest.approx(
        (40**2 - 81 - 169 - 100 - 25 - 9) / (40 * 39)
    )


@pytest.mark.parametrize(
    ("scale", "weights"), [("nominal", "unweighted"), ("interval", "quadratic")]
)
@pytest.mark.parametrize("name", ["alpha_krippendorff_4x12", "agree_anxiety"])
def test_closed_interval_is_the_one_irrcac_printed(name, scale, weights):
    entry = golden(name)["r"]["irrCAC"][f"krippen.alpha.raw {weights}"]
    matrix = golden_frame(f"{name}.csv").replace("", np.nan).to_numpy(dtype=float)
    row = krippendorff_alpha(ratings(matrix), scale=scale).row("alpha")
    assert row.estimate == pytest.approx(entry["coeff.val"], abs=0.6e-5)
    assert row.std_error == pytest.approx(entry["coeff.se"], abs=0.6e-5)
    low, high = (float(x) for x in entry["conf.int"].strip("()").split(","))
    # irrCAC takes one degree of freedom for every unit, with a single rating or more; here units with two or more count
    df = len(matrix) - 1
    assert row.df == {"alpha_krippendorff_4x12": 10, "agree_anxiety": df}[name]
    reach = critical_value(0.95, df) * row.std_error
    assert row.estimate - reach == pytest.approx(low, abs=0.6e-3)  # printed with three decimals
    assert min(1, row.estimate + reach) == pytest.approx(high, abs=0.6e-3)
    assert stdtr(df, -row.statistic) == pytest.approx(
        entry["p.value"], rel=2e-4
    )  # one-sided, of a rounded t
    if row.df == df:
        assert (row.conf_low, row.conf_high) == pytest.approx((low, high), abs=0.6e-3)
        assert row.p_value == pytest.approx(
            2 * min(entry["p.value"], 1 - entry["p.value"]), rel=2e-4
        )


def test_row_is_a_t_interval_cut_at_one():
    row = krippendorff_alpha(four(), scale="interval", level=0.99).row("alpha")
    assert row.df == 10
    assert row.conf_low == pytest.approx(row.estimate - critical_value(0.99, 10) * row.std_error)
    assert row.conf_high == 1
    assert row.statistic == pytest.approx(row.estimate / row.std_error)


@pytest.mark.parametrize("ci", ["closed", "percentile", "basic", "bca"])
@pytest.mark.parametrize("scale", SCALES)
def test_intervals_of_clusters_hold_the_estimate_and_are_checked(ci, scale):
    x, story, _ = simulated()
    result = krippendorff_alpha(ratings(x, {"story": story}), scale=scale, ci=ci, resamples=400)
    row = result.row("alpha")
    assert row.conf_low < row.estimate < row.conf_high
    assert row.n_clusters == 12
    assert "12 clusters" in result.sentence()
    assert "story" in result.inference
    checks = result.verify()
    assert checks.ok
    assert any(c.ok for c in checks if "s.e." in c.quantity)


@pytest.mark.parametrize("scale", SCALES)
def test_crossed_clusters(scale):
    x, story, _ = simulated()
    writer = [f"w{(k * 7) % 9}" for k in range(60)]
    design = ratings(x, {"story": story, "writer": writer})
    closed = krippendorff_alpha(design, scale=scale)
    assert closed.verify().ok
    assert (
        8 <= closed.row("alpha").df <= 11
    )  # between those of 9 writers and of 12 stories, which are nearly even
    assert closed.row("alpha").n_clusters == 9
    boot = krippendorff_alpha(design, scale=scale, ci="percentile", resamples=400).row("alpha")
    assert 0.4 < boot.std_error / closed.row("alpha").std_error < 2.5
    with pytest.raises(InputError, match="basic"):
        krippendorff_alpha(design, scale=scale, ci="bca", resamples=400)


@pytest.mark.parametrize("scale", SCALES)
def test_bootstrap_and_closed_standard_errors_agree_in_large_samples(scale):
    x, _, _ = simulated(n=600)
    closed, boot = (
        krippendorff_alpha(ratings(x), scale=scale, ci=ci).row("alpha").std_error
        for ci in ("closed", "percentile")
    )
    assert boot == pytest.approx(
        closed, rel=0.08
    )  # s.e. of 2,000 resamples: 1.6%, and the bias of linearising


@pytest.mark.parametrize("function", [krippendorff_alpha, gwet_ac, fleiss_kappa])
@pytest.mark.parametrize("ci", ["percentile", "basic", "bca"])
def test_seeds_decide_the_bootstrap(function, ci):
    x, story, _ = simulated()
    design = ratings(x, {"story": story}, levels=[1, 2, 3, 4])
    one, again, other = (function(design, ci=ci, resamples=300, seed=seed) for seed in (4, 4, 5))
    assert json.dumps(one.to_dict()) == json.dumps(again.to_dict())
    assert one.rows[0].conf_low != other.rows[0].conf_low
    assert one.rows[0].estimate == other.rows[0].estimate


def test_dependence_left_out_is_said():
    x, story, _ = simulated()
    design = ratings(x, {"story": story})
    with_clusters, without = krippendorff_alpha(design), krippendorff_alpha(design, cluster=None)
    assert "SS201" in {c.code for c in without.cautions}
    assert not {"SS201", "SS202"} & {c.code for c in with_clusters.cautions}
    few = krippendorff_alpha(ratings(x, {"story": [int(name[1:]) % 4 for name in story]}))
    assert "SS202" in {c.code for c in few.cautions}
    assert without.row("alpha").n_clusters is None
    assert without.row("alpha").std_error != with_clusters.row("alpha").std_error


def test_strata_are_the_alphas_of_their_units():
    x, _, writer = simulated()
    table = long_table(x, {"writer": writer})
    design = Ratings.from_frame(table, strata="writer", scale="ordinal")
    result = krippendorff_alpha(design, stratum="writer")
    assert [r.group for r in result.rows] == [None, *sorted(set(writer))]
    for name in set(writer):
        part = np.array([w == name for w in writer])
        theirs = krippendorff.alpha(reliability_data=x[part].T, level_of_measurement="ordinal")
        assert result.row("alpha", group=name).estimate == pytest.approx(theirs, abs=1e-12)
    assert result.verify().ok
    with pytest.raises(InputError, match="village"):
        krippendorff_alpha(design, stratum="village")


def test_raters_chosen_by_name():
    x, _, _ = simulated()
    result = krippendorff_alpha(ratings(x), raters=["r001", "r003"], scale="interval")
    theirs = krippendorff.alpha(reliability_data=x[:, [1, 3]].T, level_of_measurement="interval")
    assert result.row("alpha").estimate == pytest.approx(theirs, abs=1e-12)
    assert result.counts["raters"] == 2
    with pytest.raises(InputError, match="r999"):
        krippendorff_alpha(ratings(x), raters=["r001", "r999"])


def test_by_gives_one_result_a_level():
    x, story, _ = simulated()
    table = long_table(x, {"model": ["a" if s < "s06" else "b" for s in story]})
    group = krippendorff_alpha(Ratings.from_frame(table, by="model"), scale="nominal")
    theirs = krippendorff.alpha(reliability_data=x[30:].T, level_of_measurement="nominal")
    assert group["b"].row("alpha").estimate == pytest.approx(theirs, abs=1e-12)
    again = krippendorff_alpha(table.drop(columns="model"), scale="nominal").row("alpha")
    assert again.estimate == pytest.approx(
        krippendorff.alpha(reliability_data=x.T, level_of_measurement="nominal")
    )


@pytest.mark.parametrize("scale", SCALES)
def test_alike_units_may_be_counted(scale):
    x, _, _ = simulated(n=20, raters=3)
    times = np.arange(20) % 3 + 1
    design = ratings(x, scale="ratio")
    place = [int(u[1:]) for u in design.units]
    counted = replace(design, unit_count=times[place].astype(float))
    long = ratings(np.repeat(x, times, axis=0), scale="ratio")
    one, two = (krippendorff_alpha(d, scale=scale) for d in (counted, long))
    a, b = one.row("alpha"), two.row("alpha")
    assert (a.estimate, a.std_error, a.conf_low) == pytest.approx(
        (b.estimate, b.std_error, b.conf_low), rel=1e-12
    )
    assert (a.n, a.n_units, a.df) == (b.n, b.n_units, b.df)
    assert one.verify().ok
    assert krippendorff_alpha(counted, scale=scale, ci="bca", resamples=400).verify().ok


# --- refusals, scales ------------------------------------------------------------------------------------------


def refusing():
    rows = [
        (u, r, v)
        for u, line in enumerate(["aab", "bb?", "??a", "aaa", "b?b", "cca"])
        for r, v in enumerate(line)
    ]
    return pd.DataFrame(rows, columns=["unit", "rater", "value"])


def test_a_refusal_is_missing_or_a_level():
    design = Ratings.from_frame(refusing(), levels=["a", "b", "c"], scale="nominal", refusal="?")
    text = [list(line) for line in ["aab", "bb?", "??a", "aaa", "b?b", "cca"]]
    codes = {"a": 0.0, "b": 1.0, "c": 2.0, "?": 3.0}
    full = np.array([[codes[v] for v in line] for line in text])
    cut = np.where(full == 3, np.nan, full)
    for refusal, data in (("missing", cut), ("level", full)):
        result = krippendorff_alpha(design, refusal=refusal)
        theirs = krippendorff.alpha(
            reliability_data=data.T,
            value_domain=sorted(set(data[~np.isnan(data)])),
            level_of_measurement="nominal",
        )
        assert result.row("alpha").estimate == pytest.approx(theirs, abs=1e-12)
        assert result.verify().ok
        assert any("refusal" in c.detail for c in result.cautions if c.code == "SS315")
    assert result.extras["levels"] == ("a", "b", "c", "(refusal)")
    with pytest.raises(InputError, match="nominal"):
        krippendorff_alpha(design, scale="ordinal", refusal="level")


def test_a_level_named_like_a_refusal_is_not_one():
    table = refusing().replace({"value": {"c": "(refusal)"}})
    design = Ratings.from_frame(table, levels=["a", "b", "(refusal)"], scale="nominal", refusal="?")
    assert krippendorff_alpha(design, refusal="level").extras["levels"][2:] == (
        "(refusal)",
        "((refusal))",
    )


def test_labels_have_an_order_only_where_one_is_declared():
    table = pd.DataFrame(
        {"unit": [1, 1, 2, 2, 3, 3], "rater": list("ab") * 3, "value": list("lmhmll")}
    )
    ordered = Ratings.from_frame(table, levels=["l", "m", "h"])
    assert krippendorff_alpha(ordered).settings["scale"] == "ordinal"
    for scale in ("interval", "ratio"):  # the rule of reading tables: distances need numbers
        with pytest.raises(
            InputError,
            match=f"scale='{scale}' needs numbers; the levels are l, m, h. Use scale='ord",
        ):
            krippendorff_alpha(ordered, scale=scale)
    plain = Ratings.from_frame(table, scale="nominal")
    with pytest.raises(InputError, match="levels="):
        krippendorff_alpha(plain, scale="ordinal")
    for design in (ordered, plain):
        assert krippendorff_alpha(design, scale="nominal").row("alpha").estimate is not None


# --- the table of bad input --------------------------------------------------------------------------------------


def test_no_variation_has_no_alpha_unless_asked():
    design = ratings([[2, 2], [2, 2], [2, np.nan], [2, 2]], levels=[1, 2, 3])
    row = krippendorff_alpha(design).row("alpha")
    assert (row.estimate, row.conf_low, row.p_value) == (None, None, None)
    assert "no variation" in row.undefined
    result = krippendorff_alpha(design)
    assert "SS313" in {c.code for c in result.cautions}
    assert "is undefined: no variation" in result.sentence()
    one = krippendorff_alpha(design, on_undefined=1.0)
    assert one.row("alpha").estimate == 1
    assert one.row("alpha").conf_low is None
    assert "set to 1" in one.sentence()
    with pytest.raises(UndefinedStatistic, match="no variation"):
        krippendorff_alpha(design, on_undefined="raise")


def test_perfect_agreement_has_a_bound_and_no_resamples():
    for ci in ("percentile", "bca"):
        row = krippendorff_alpha(ratings([[1, 1], [2, 2], [3, 3]]), ci=ci).row("alpha")
        assert row.estimate == pytest.approx(1)
        assert (row.std_error, row.conf_low, row.conf_high, row.p_value) == (None, None, None, None)
        assert "perfect agreement" in row.undefined
    result = krippendorff_alpha(ratings([[1, 1], [2, 2], [3, 3]]), scale="nominal")
    row = result.row("alpha")
    assert (row.std_error, row.p_value, row.conf_high) == (None, None, 1)
    assert row.conf_low == pytest.approx(
        1 - (1 - 0.025 ** (1 / 3)) / (24 / 30)
    )  # Clopper and Pearson: 0 of 3
    assert result.verify().ok


def test_all_units_alike_have_no_interval():
    result = krippendorff_alpha(ratings([[1, 2]] * 6))
    row = result.row("alpha")
    assert row.estimate == pytest.approx(krippendorff.alpha(reliability_data=[[1] * 6, [2] * 6]))
    assert row.std_error is None
    assert "alike" in row.undefined
    assert result.verify().ok


@pytest.mark.parametrize("matrix", [[[1], [2], [3]], [[1, np.nan], [np.nan, 2]]])
def test_no_unit_rated_twice_is_an_error(matrix):
    with pytest.raises(NothingToAnalyse, match="two ratings"):
        krippendorff_alpha(ratings(matrix))


def test_one_unit_has_no_alpha():
    """Within one unit observed and expected disagreement are equal: the ratio is 0 whatever the ratings are."""
    for options in ({}, {"on_undefined": 1.0}):
        result = krippendorff_alpha(ratings([[1, 2, 2, 3], [1, np.nan, np.nan, np.nan]]), **options)
        row = result.row("alpha")
        assert (row.estimate, row.reason) == (None, "one_unit")
        assert row.undefined.startswith("one unit has two ratings")
        assert "SS313" not in {c.code for c in result.cautions}
    with pytest.raises(UndefinedStatistic, match="one unit"):
        krippendorff_alpha(ratings([[1, 2]]), on_undefined="raise")


def test_one_cluster_has_no_interval():
    x, _, _ = simulated()
    row = krippendorff_alpha(ratings(x, {"story": ["s"] * 60})).row("alpha")
    assert row.estimate is not None
    assert "single cluster" in row.undefined


def test_a_stratum_without_pairs_is_a_row_with_its_reason():
    table = long_table([[1, 2], [2, 2], [1, 1], [3, np.nan], [1, np.nan]], {"part": list("aaabb")})
    result = krippendorff_alpha(Ratings.from_frame(table, strata="part"), stratum="part")
    assert "two ratings" in result.row("alpha", group="b").undefined
    assert result.row("alpha", group="a").estimate is not None
    assert result.verify().ok
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"scale": "Ordinal"}, "Ordinal"),
        ({"ci": "bootstrap"}, "bootstrap"),
        ({"refusal": "drop"}, "drop"),
        ({"on_undefined": 0.0}, "0.0"),
        ({"on_undefined": True}, "True"),
        ({"level": 95}, "95"),
        ({"cluster": "village"}, "village"),
        ({"ci": "percentile", "resamples": 10}, "10"),
        ({"ci": "percentile", "seed": -1}, "-1"),
    ],
)
def test_impossible_options(options, named):
    with pytest.raises(InputError, match=named):
        krippendorff_alpha(four(), **options)


def test_hostile_labels_do_no_harm():
    bad = ["<script>alert(1)</script>", "{0}%s", "a\nb"]
    rows = [
        (f"u{k}", r, bad[(k + (r == "y" and k == 0)) % 3]) for k in range(9) for r in ("x", "y")
    ]
    design = Ratings.from_frame(
        pd.DataFrame(rows, columns=["unit", "rater", "value"]), levels=bad, scale="nominal"
    )
    result = krippendorff_alpha(design)
    assert "\n" not in result.sentence()
    json.dumps(result.to_dict(), allow_nan=False)


# --- properties --------------------------------------------------------------------------------------------------

tables = st.lists(
    st.lists(st.sampled_from([np.nan, 1.0, 2.0, 4.0]), min_size=3, max_size=3),
    min_size=4,
    max_size=10,
)


def alpha(matrix, scale):
    try:
        return krippendorff_alpha(ratings(matrix), scale=scale).row("alpha").estimate
    except NothingToAnalyse:
        return "nothing"


def equal(one, two):
    return (
        one == two if one is None or isinstance(one, str) else two == pytest.approx(one, abs=1e-9)
    )


@settings(max_examples=25, deadline=None)
@given(tables, st.randoms(use_true_random=False), st.sampled_from(SCALES))
def test_units_and_raters_may_be_permuted(matrix, random, scale):
    x = np.array(matrix)
    if np.isnan(x).all():
        return
    rows, columns = list(range(len(x))), [0, 1, 2]
    random.shuffle(rows)
    random.shuffle(columns)
    assert equal(alpha(x, scale), alpha(x[rows][:, columns], scale))


@settings(max_examples=25, deadline=None)
@given(tables, st.sampled_from([(2.0, 3.0), (0.1, -5.0), (-4.0, 1.0)]))
@pytest.mark.slow
def test_interval_alpha_does_not_see_shift_and_scale(matrix, change):
    x = np.array(matrix)
    if np.isnan(x).all():
        return
    assert equal(alpha(x, "interval"), alpha(change[0] * x + change[1], "interval"))
    assert equal(alpha(x, "ratio"), alpha(abs(change[0]) * x, "ratio"))
    assert equal(alpha(x, "ordinal"), alpha(np.exp(x), "ordinal"))
    assert equal(alpha(x, "nominal"), alpha(5 - x, "nominal"))


@pytest.mark.parametrize("scale", SCALES)
def test_many_different_values_are_verified_too(scale):
    rng = np.random.default_rng(5)
    x = np.round(rng.normal(30, 5, size=(150, 1)) + rng.normal(0, 3, size=(150, 3)), 4)
    x[0, 1] = x[0, 0]
    result = krippendorff_alpha(ratings(x), scale=scale)
    assert len(result.extras["levels"]) > 440
    assert "coincidences" not in result.extras
    checks = list(result.verify())
    assert any(c.ok for c in checks if c.package == "numpy" and c.field == "estimate")
    (peer,) = (c for c in checks if c.package == "krippendorff")
    assert peer.ok is None
    assert "numbers at once" in peer.note
    wrong = replace(
        result, rows=(replace(result.rows[0], estimate=result.rows[0].estimate + 0.001),)
    )
    assert not wrong.verify().ok


def test_an_interval_cut_at_the_least_alpha_is_recomputed() -> None:
    # three clusters of two units leave 2 df, with which Fisher's z goes below -1 / (raters - 1)
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "unit": np.repeat(np.arange(6), 3),
            "rater": [*"abc"] * 6,
            "story": np.repeat([0, 1, 2], 6),
            "value": rng.integers(1, 4, 18),
        }
    )
    for _ in range(20):
        table["value"] = rng.integers(1, 4, 18)
        result = krippendorff_alpha(table, scale="ordinal", cluster="story")
        row = result.rows[0]
        if row.conf_low is not None and row.conf_low == row.limits[0]:
            break
    assert row.conf_low == row.limits[0]
    assert result.verify().ok

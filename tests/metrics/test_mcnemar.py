from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import DesignError, InputError
from socialstats.paired.mcnemar import CLUSTER_TESTS, PAIR_TESTS, mcnemar
from tests.golden_data import golden, golden_frame

INTERVALS = ("tango", "newcombe", "bonett_price", "agresti_min", "wald")


def table(a, b, c, d, **options):
    """A design of four cells, empty ones left out."""
    cells = [(1, 1, a), (1, 0, b), (0, 1, c), (0, 0, d)]
    first, second, count = np.array([x for x in cells if x[2]], dtype=float).T
    return Paired(
        conditions=("before", "after"),
        scale="binary",
        levels=("no", "yes"),
        first=first,
        second=second,
        count=count,
        **options,
    )


def factor(name, codes):
    codes = np.asarray(codes, dtype=np.int64)
    return Factor(
        name=name, codes=codes, levels=tuple(f"{name} {k}" for k in range(codes.max() + 1))
    )


def crossed(seed=3, scenarios=12, pairs=8, sd=1.0, factors=2):
    """Every scenario by every pair, answers of two conditions with effects of scenarios on their difference."""
    rng = np.random.default_rng(seed)
    s, q = np.divmod(np.arange(scenarios * pairs), pairs)
    x = (rng.normal(size=s.size) + sd * rng.normal(size=scenarios)[s] + 0.3 > 0).astype(float)
    y = (rng.normal(size=s.size) + sd * rng.normal(size=pairs)[q] > 0).astype(float)
    known = (factor("scenario", s), factor("pairing", q))[:factors]
    return Paired(
        conditions=("before", "after"),
        scale="binary",
        levels=("no", "yes"),
        first=x,
        second=y,
        count=np.ones(s.size),
        clusters=known,
    )


def psychiatry():
    cells = golden_frame("mcnemar_clustered_psychiatry.csv")
    long = [
        (k, x, y, n)
        for k, row in enumerate(cells.to_dict("records"))
        for (x, y), n in zip(
            ((1, 1), (1, 0), (0, 1), (0, 0)), (row[c] for c in "abcd"), strict=True
        )
        if n
    ]
    code, first, second, count = np.array(long, dtype=float).T
    return Paired(
        conditions=("test", "retest"),
        scale="binary",
        levels=("no", "yes"),
        first=first,
        second=second,
        count=count,
        clusters=(factor("patient", code),),
    )


@pytest.mark.parametrize("name", ["mcnemar_approval", "mcnemar_cavo"])
def test_rows_hold_the_goldens(name):
    entry = golden(name)
    r, close = entry["r"], {"rel": entry["rtol"]}
    result = mcnemar(table(**{k: entry["inputs"][k] for k in "abcd"}))
    row = result.row("difference")
    assert (row.estimate, row.std_error) == pytest.approx((r["diff"], r["diff_se"]), **close)
    assert (row.conf_low, row.conf_high) == pytest.approx(r["diff_ci_tango"], **close)
    assert row.p_value == pytest.approx(r["midp"]["p"], **close)
    for test, key in (
        ("mid_p", "midp"),
        ("exact", "exact"),
        ("asymptotic", "asymptotic"),
        ("continuity",) * 2,
    ):
        assert result.row(test).p_value == pytest.approx(r[key]["p"], **close)
    odds = result.row("odds_ratio")
    assert (odds.estimate, odds.conf_low, odds.conf_high) == pytest.approx(
        (r["odds_ratio"], *r["or_ci_exact"]), **close
    )
    for kind in ("wilson", "wald"):
        odds = mcnemar(table(**{k: entry["inputs"][k] for k in "abcd"}), odds_ratio_ci=kind).row(
            "odds_ratio"
        )
        golden_name = {"wilson": "or_ci_wilson_score", "wald": "or_ci_wald"}[kind]
        assert (odds.conf_low, odds.conf_high) == pytest.approx(r[golden_name], **close)
    assert result.extras["cells"] == {k: entry["inputs"][k] for k in "abcd"}
    assert result.verify().ok


@pytest.mark.parametrize("test", PAIR_TESTS)
def test_the_chosen_test_leads(test):
    result = mcnemar(table(20, 14, 5, 30), test=test)
    lead, shown = result.rows[0], result.row(test)
    assert lead.p_value == shown.p_value
    assert next(r for r in result.rows if r.group == "test").term == test
    assert (lead.statistic is None) == (test in ("mid_p", "exact"))
    assert result.verify().ok


@pytest.mark.parametrize("test", CLUSTER_TESTS)
def test_the_chosen_test_of_clusters_leads(test):
    result = mcnemar(crossed(factors=1), test=test)
    assert result.rows[0].p_value == result.row(test).p_value is not None
    assert result.rows[0].conf_low == mcnemar(crossed(factors=1)).rows[0].conf_low
    assert result.verify().ok


def test_clustered_tests_of_the_golden_and_what_ignores_clusters():
    published, ours = golden("mcnemar_clustered_psychiatry"), golden("mcnemar")["clustered"]
    result = mcnemar(psychiatry())
    close = {"rel": published["rtol"]}
    for name in ("obuchowski", "durkalski", "yang", "eliasziw"):
        row, theirs = result.row(name), published["r"][name]
        assert (row.statistic, row.p_value) == pytest.approx(
            (theirs["statistic"], theirs["p"]), **close
        )
    plain = result.row("asymptotic", group="ignoring clusters")
    theirs = published["r"]["mcnemar"]
    assert (plain.statistic, plain.p_value) == pytest.approx(
        (theirs["statistic"], theirs["p"]), **close
    )
    means, t = result.row("cluster_means_t"), ours["cluster_means_t"]
    found = (
        means.estimate,
        means.statistic,
        means.df,
        means.p_value,
        means.conf_low,
        means.conf_high,
    )
    assert found == pytest.approx(
        (t["estimate"], t["statistic"], t["df"], t["p"], *t["ci"]), **close
    )
    assert result.row("sign_flip").p_value == pytest.approx(ours["sign_flip"]["p"], **close)
    lead = result.rows[0]
    assert lead.n_clusters == 29
    assert lead.std_error > result.row("difference", group="ignoring clusters").std_error
    assert "clusters" in result.inference
    assert {c.code for c in result.cautions} == {"SS205"}
    assert result.verify().ok


def test_two_crossed_factors_lead_with_the_two_way_test():
    from socialstats.crosscheck.clusters import errors_of_mean

    design = crossed()
    result = mcnemar(design)
    lead, d = result.rows[0], design.difference
    errors = errors_of_mean(d, np.column_stack([f.codes for f in design.clusters]))
    assert lead.std_error == pytest.approx(errors.variance**0.5, rel=1e-9)
    assert result.row("robust_t", group="test").df == pytest.approx(errors.df, rel=1e-6)
    assert "Tango" in lead.method  # few effective discordant pairs
    assert result.row("score", group="test").p_value == lead.p_value
    for name in ("scenario", "pairing"):
        alone = mcnemar(design, cluster=name)
        shown = result.row("robust_t", group=f"{name} alone")
        assert shown.p_value == alone.row("robust_t").p_value
        assert "SS201" in {c.code for c in alone.cautions}
    assert result.verify().ok


def test_clusters_ignored_on_request_are_said_to_be():
    result = mcnemar(psychiatry(), cluster=None)
    assert result.row("mid_p", group="test").p_value == result.rows[0].p_value
    assert "SS201" in {c.code for c in result.cautions}
    assert "independent" in result.inference


def test_exchanging_conditions_negates_inverts_and_keeps():
    for design in (table(20, 14, 5, 30), psychiatry(), crossed()):
        one, two = mcnemar(design), mcnemar(design.swap())
        assert two.rows[0].estimate == pytest.approx(-one.rows[0].estimate)
        assert (two.rows[0].conf_low, two.rows[0].conf_high) == pytest.approx(
            (-one.rows[0].conf_high, -one.rows[0].conf_low)
        )
        odds, inverse = (
            one.row("odds_ratio", group=None) if design.clusters == () else one.rows[1],
            two.rows[1],
        )
        assert inverse.estimate == pytest.approx(1 / odds.estimate)
        assert inverse.conf_low == pytest.approx(1 / odds.conf_high)
        assert two.rows[2].estimate == pytest.approx(-one.rows[2].estimate)
        same = [(r.term, r.p_value) for r in one.rows if r.p_value is not None]
        assert [
            (r.term, pytest.approx(r.p_value)) for r in two.rows if r.p_value is not None
        ] == same


def test_counts_are_pairs():
    """Cells of 3 are three pairs: the same numbers from a row a pair."""
    design = psychiatry()
    index = np.repeat(np.arange(len(design.count)), design.count.astype(int))
    code = design.clusters[0].codes[index]
    long = Paired(
        conditions=design.conditions,
        scale="binary",
        levels=design.levels,
        first=design.first[index],
        second=design.second[index],
        count=np.ones(len(index)),
        clusters=(factor("patient", code),),
    )
    one, two = mcnemar(design), mcnemar(long)
    for x, y in zip(one.rows, two.rows, strict=True):
        assert (x.estimate, x.std_error, x.statistic, x.p_value) == pytest.approx(
            (y.estimate, y.std_error, y.statistic, y.p_value)
        )


# ---- bad input and special cases: the contract of the table in the notes


def test_no_discordant_pair():
    result = mcnemar(table(6, 0, 0, 4))
    row, odds = result.rows[0], result.row("odds_ratio")
    z2 = 1.959963984540054**2
    assert (row.estimate, row.p_value) == (0.0, 1.0)
    assert (row.conf_low, row.conf_high) == pytest.approx((-z2 / (10 + z2), z2 / (10 + z2)))
    assert [result.row(t).p_value for t in PAIR_TESTS] == [1.0, 1.0, None, None]
    for test in ("asymptotic", "continuity"):  # R's mcnemar.test gives NaN
        row = mcnemar(table(6, 0, 0, 4), test=test).rows[0]
        assert (row.p_value, row.statistic, row.reason) == (None, None, "no_variation")
        assert "0/0" in row.undefined
        assert "0/0" in result.row(test).undefined
        assert (row.conf_low, row.conf_high) == (result.rows[0].conf_low, result.rows[0].conf_high)
        assert "undefined (no discordant pairs" in mcnemar(table(6, 0, 0, 4), test=test).sentence()
    assert odds.estimate is None
    assert "no discordant pairs" in odds.undefined
    assert result.extras["odds_ratio_interval"] == (0.0, math.inf)
    assert [c.code for c in result.cautions] == ["SS314"]
    assert "undefined" in result.sentence()
    assert result.verify().ok


def test_equal_discordant_cells_are_not_corrected():
    result = mcnemar(table(5, 2, 2, 5))
    assert (result.row("continuity").statistic, result.row("continuity").p_value) == (0.0, 1.0)
    aside = next(c for c in result.verify() if c.ok is None and c.field == "p_value")
    assert aside.theirs == pytest.approx(0.6170750774519737)  # statsmodels' chi-square of 1/4
    assert "b = c" in aside.note
    assert result.verify().ok


@pytest.mark.parametrize("kind", INTERVALS)
@pytest.mark.parametrize(
    "cells", [(5, 4, 0, 0), (0, 4, 0, 0), (0, 0, 4, 0), (5, 0, 3, 1), (0, 3, 2, 0), (1, 0, 1, 0)]
)
def test_empty_cells(kind, cells):
    result = mcnemar(table(*cells), difference_ci=kind, odds_ratio_ci="wald")
    for row in result.rows:
        assert row.estimate is not None or row.statistic is not None or row.undefined
        assert row.std_error is None or row.std_error > 0
    row = result.rows[0]
    if row.conf_low is not None:
        assert -1 <= row.conf_low <= row.estimate <= row.conf_high <= 1
    else:
        assert kind == "wald"
        assert "tango" in row.undefined
    json.dumps(result.to_dict(), allow_nan=False)
    assert result.verify().ok


def test_an_infinite_odds_ratio_says_its_lower_end():
    odds = mcnemar(table(5, 4, 0, 3)).row("odds_ratio")
    assert odds.estimate is odds.conf_low is odds.conf_high is None
    assert "infinite" in odds.undefined
    low = 0.025**0.25 / (1 - 0.025**0.25)  # Clopper-Pearson of 4 of 4
    assert f"{low:.2f}" in odds.undefined
    assert mcnemar(table(5, 4, 0, 3)).extras["odds_ratio_interval"] == (
        pytest.approx(low),
        math.inf,
    )


def clustered_table(first, second, codes):
    return Paired(
        conditions=("before", "after"),
        scale="binary",
        levels=("no", "yes"),
        first=np.array(first, float),
        second=np.array(second, float),
        count=np.ones(len(first)),
        clusters=(factor("story", codes),),
    )


def test_clusters_without_variance_count_as_their_effective_number():
    same = mcnemar(clustered_table([1, 0, 1, 0], [1, 0, 1, 0], [0, 0, 1, 2]))
    n, df = (
        1 / (0.25 + 2 / 16),
        1.8,
    )  # clusters of 2, 1 and 1 of 4 pairs: as `mean_errors` in its example
    z2 = stats.t.ppf(0.975, df) ** 2
    assert (same.rows[0].estimate, same.rows[0].p_value) == (0.0, None)
    assert "0/0" in same.rows[0].undefined
    assert same.row("sign_flip").p_value == 1.0
    assert same.verify().ok
    assert same.rows[0].conf_high == pytest.approx(z2 / (n + z2))
    assert all(r.p_value == 1.0 for r in same.rows if r.p_value is not None)
    always = mcnemar(clustered_table([1, 1, 1, 1], [0, 0, 0, 0], [0, 0, 1, 2]))
    assert always.rows[0].estimate == 1.0
    assert always.rows[0].conf_low == pytest.approx((n - z2) / (n + z2))
    assert "all 4 values equal 1" in always.row("robust_t").undefined
    assert (always.rows[0].undefined, always.rows[0].p_value) == (None, always.row("score").p_value)
    assert always.row("sign_flip").p_value == 0.25


def test_unequal_clusters_count_as_one_more_than_their_degrees_of_freedom():
    """Sizes as 1/rank, none above a fifth of the pairs; each pair of a cluster is discordant the same way."""
    sizes = np.round(40 / np.arange(1, 61)).clip(1).astype(int)
    codes = np.repeat(np.arange(60), sizes)
    result = mcnemar(clustered_table(codes % 2, 1 - codes % 2, codes))
    effective = 1 / np.sum((sizes / sizes.sum()) ** 2)
    said = next(caution for caution in result.cautions if caution.code == "SS211")
    df = result.row("score").df
    assert df + 1 == pytest.approx(effective, rel=0.1)
    assert f"60 clusters count as about {df + 1:.1f} equal ones" in said.detail


def test_one_cluster_is_a_reason():
    result = mcnemar(clustered_table([1, 0, 1], [0, 0, 1], [0, 0, 0]))
    assert result.rows[0].p_value is None
    assert "single cluster" in result.rows[0].undefined
    assert result.row("mid_p", group="ignoring clusters").p_value == 0.5
    assert "undefined" in result.sentence()


def test_values_of_other_scales_name_the_metric_that_takes_them():
    nominal = Paired(
        conditions=("a", "b"),
        scale="nominal",
        levels=("x", "y", "z"),
        first=np.array([0.0, 2.0]),
        second=np.array([1.0, 2.0]),
        count=np.ones(2),
    )
    with pytest.raises(
        DesignError, match=r"nominal with 3 levels \('x', 'y' and 'z'\); symmetry\(\)"
    ):
        mcnemar(nominal)
    with pytest.raises(DesignError, match=r"which of the two counts as one: levels=\(zero, one\)"):
        mcnemar(replace(nominal, levels=("x", "y"), first=np.array([0.0, 1.0])))
    numbers = Paired(
        conditions=("a", "b"),
        scale="numeric",
        first=np.array([0.5, 2.0]),
        second=np.ones(2),
        count=np.ones(2),
    )
    with pytest.raises(DesignError, match=r"paired_difference\(\)"):
        mcnemar(numbers)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"test": "chi2"}, "test='chi2' is not one of auto, mid_p"),
        ({"odds_ratio_ci": "tango"}, "exact, wilson, wald"),
        ({"difference_ci": "exact"}, "tango, newcombe"),
        ({"level": 95}, "95"),
        ({"cluster": "village"}, "village"),
        ({"test": "obuchowski"}, "needs clusters"),
    ],
)
def test_wrong_options(options, said):
    with pytest.raises(InputError, match=said):
        mcnemar(table(5, 4, 2, 3), **options)


def test_tests_that_do_not_fit_the_clusters():
    with pytest.raises(InputError, match="takes pairs as independent"):
        mcnemar(psychiatry(), test="exact")
    with pytest.raises(InputError, match="takes one cluster factor"):
        mcnemar(crossed(), test="yang")


@pytest.mark.parametrize("dtype", ["int8", "uint8", "bool", "float32", "object"])
def test_small_integers_do_not_wrap(dtype):
    values = np.array([1, 0, 1, 1, 0, 0, 1, 0] * 50)
    other = np.roll(values, 3) * np.tile([1, 1, 0, 1, 1], 80)
    frame = pd.DataFrame(
        {
            "unit": list(range(400)) * 2,
            "condition": ["before"] * 400 + ["after"] * 400,
            "value": np.concatenate([values, other]).astype(dtype),
        }
    )
    design = Paired.from_frame(frame, conditions=("before", "after"))
    row = mcnemar(design).rows[0]
    assert row.estimate == pytest.approx(np.mean(values) - np.mean(other))


# ---- type I error on the design of the notes: scenarios by pairs, both with effects


def simulated(rng, scenarios, pairs, sd_scenario, sd_pair):
    from scipy.special import expit

    s, q = np.divmod(np.arange(scenarios * pairs), pairs)
    ability = rng.normal(size=s.size)
    shift = sd_scenario * rng.normal(size=scenarios)[s] + sd_pair * rng.normal(size=pairs)[q]
    x = (rng.random(s.size) < expit(ability + shift)).astype(float)
    y = (rng.random(s.size) < expit(ability)).astype(float)
    return x, y, s, q


@pytest.mark.parametrize(("scenarios", "pairs"), [(29, 50), (109, 14)])
@pytest.mark.slow
def test_type_one_error_of_the_default_with_crossed_factors(scenarios, pairs):
    from socialstats.inference.clustered_mean import clustered_mean
    from socialstats.paired.matched_pairs import Cells, mid_p

    rng = np.random.default_rng(20)
    runs, default, rows = 800, 0, 0
    for _ in range(runs):
        x, y, s, q = simulated(rng, scenarios, pairs, 0.5, 0.3)
        default += clustered_mean(x - y, np.ones(len(x)), [s, q]).p_value() < 0.05
        b, c = float(((x == 1) & (y == 0)).sum()), float(((x == 0) & (y == 1)).sum())
        rows += mid_p(Cells(a=0, b=b, c=c, d=len(x) - b - c)).p < 0.05
    # Monte-Carlo s.e. .008; the row-level test is far above
    assert default / runs <= 0.07
    assert rows / runs >= 0.15
    design = Paired(
        conditions=("x", "y"),
        scale="binary",
        levels=("0", "1"),
        first=x,
        second=y,
        count=np.ones(len(x)),
        clusters=(factor("scenario", s), factor("pairing", q)),
    )
    expected = clustered_mean(x - y, np.ones(len(x)), [s, q]).p_value()
    assert mcnemar(design).rows[0].p_value == pytest.approx(expected)


def test_type_one_error_of_the_default_with_few_unequal_clusters():
    """Ten clusters of 3 to 100 pairs: CR2 with Satterthwaite df holds, CR1 with G - 1 df does not."""
    from socialstats.inference.clustered_mean import clustered_mean

    rng = np.random.default_rng(21)
    code = np.repeat(np.arange(10), [3, 3, 5, 5, 10, 10, 20, 40, 60, 100])
    runs, default, simple = 1000, 0, 0
    for _ in range(runs):
        shift = 0.5 * rng.normal(size=10)[code]
        x = (rng.normal(size=code.size) + shift > 0).astype(float)
        y = (rng.normal(size=code.size) > 0).astype(float)
        default += clustered_mean(x - y, np.ones(code.size), [code]).p_value() < 0.05
        simple += clustered_mean(x - y, np.ones(code.size), [code], kind="CR1").p_value() < 0.05
    assert default / runs <= 0.07 + 0.015  # two Monte-Carlo s.e.
    assert simple / runs >= 0.10


# ---- from a table of a stranger


def long_table():
    rng = np.random.default_rng(11)
    base = rng.normal(size=120)
    parts = [
        pd.DataFrame(
            {
                "unit": [f"q{k}" for k in range(120)],
                "condition": name,
                "value": np.where(base + e > 0, "y", "n"),
                "story": [f"s{k % 20}" for k in range(120)],
                "model": np.where(np.arange(120) < 60, "m", "k"),
            }
        )
        for name, e in (
            ("<b>after</b>", rng.normal(size=120)),
            ("be\\nfore $x$", rng.normal(size=120)),
        )
    ]
    return pd.concat(parts, ignore_index=True)


def test_hostile_labels_and_levels_of_a_by_factor():
    names = ("<b>after</b>", "be\\nfore $x$")
    design = Paired.from_frame(
        long_table(), conditions=names, levels=("n", "y"), cluster="story", by="model"
    )
    group = mcnemar(design)
    assert list(group) == ["k", "m"]
    assert set(group.tidy()["by"]) == {"k", "m"}
    for result in group.results.values():
        assert "\n" not in result.sentence()
        assert result.counts["pairs"] == 60
        assert result.verify().ok


def test_figures_of_the_difference_and_of_the_cells():
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    result = mcnemar(psychiatry())
    labels = [t.get_text() for t in result.plot().get_yticklabels()]
    assert set(labels) == {"with clusters", "ignoring clusters"}
    shown = {t.get_text() for t in result.plot(kind="cells").texts}
    assert {"50", "21"} <= shown  # c and b
    with pytest.raises(InputError, match="difference, cells"):
        result.plot(kind="pie")
    pyplot.close("all")


def test_units_of_the_difference_are_pairs_as_in_the_paired_difference():
    from socialstats import paired_difference

    design = replace(table(5, 9, 4, 7), clusters=())
    story = factor("story", [0, 1, 2, 3])
    for one in (design, replace(design, clusters=(story,))):
        result, plain = mcnemar(one), paired_difference(one)
        rows = [row for row in result.rows if row.term == "difference"]
        assert {(row.n, row.n_units) for row in rows} == {(25, 25)}
        assert (rows[0].n, rows[0].n_units) == (plain.rows[0].n, plain.rows[0].n_units)
        assert (result.row("odds_ratio").n_units, result.counts["discordant pairs"]) == (13, 13)
        df = result.rows[0].df
        assert result.glance()["df"][0] == (None if df is None else pytest.approx(df))
    assert mcnemar(design, test="asymptotic").glance()["df"][0] == 1


@pytest.mark.parametrize(
    ("b", "c", "told"), [(6, 3, True), (7, 3, False), (1, 0, True), (30, 0, False)]
)
def test_fewer_than_ten_discordant_pairs_are_counted(b, c, told):
    found = [one.detail for one in mcnemar(table(40, b, c, 30)).cautions if one.code == "SS314"]
    pairs = "1 discordant pair" if b + c == 1 else f"{b + c} discordant pairs"
    assert found == ([f"{pairs} of {70 + b + c}"] if told else [])


def test_tests_on_both_sides_of_alpha_are_counted_with_their_smallest_and_largest_p():
    for cells in (
        (40, 30, 16, 30),
        (40, 30, 17, 30),
        (40, 30, 18, 30),
        (40, 60, 16, 30),
        (40, 20, 19, 30),
    ):
        result = mcnemar(table(*cells))
        p = [
            row.p_value
            for row in result.rows
            if row.p_value is not None and row.term != "difference"
        ]
        below = [one for one in p if one < 0.05]
        told = [c for c in result.cautions if c.code == "SS316"]
        assert len(told) == (0 < len(below) < len(p))
        for one in told:
            low, high = (f"p = {x:.3f}".replace("0.", ".") for x in (min(p), max(p)))
            assert (
                one.detail == f"{len(below)} of {len(p)} tests gave p below .05 ({low} to {high})"
            )
            assert one.short == "tests disagree at \u03b1 = .05"
    p = sorted(
        row.p_value for row in mcnemar(table(40, 30, 16, 30)).rows if row.p_value is not None
    )
    assert p[0] < 0.05 < p[-1]  # the tests of the first table do disagree
    assert "SS316" not in {c.code for c in mcnemar(table(40, 30, 16, 30), level=0.99).cautions}


def test_the_design_effect_is_the_ratio_of_the_clustered_and_the_simple_error():
    """Each pair five times in a cluster of its own: the error is the root of five times as large, but for CR2."""
    rng = np.random.default_rng(2)
    x, y = (rng.random((2, 60)) < [[0.6], [0.4]]).astype(float)
    code = np.repeat(np.arange(60), 5)
    design = Paired(
        conditions=("a", "b"),
        scale="binary",
        levels=("no", "yes"),
        first=np.repeat(x, 5),
        second=np.repeat(y, 5),
        count=np.ones(300),
        clusters=(factor("story", code),),
    )
    (said,) = [c.detail for c in mcnemar(design).cautions if c.code == "SS205"]
    gap = np.repeat(x - y, 5)
    simple = gap.std() / math.sqrt(300)
    clustered = math.sqrt((((x - y) - (x - y).mean()) ** 2 / (1 - 1 / 60)).sum()) / 60
    assert said == (
        f"the standard error of the difference is {clustered / simple:.2f} times that of independent pairs"
    )


@pytest.mark.parametrize("cluster", [None, "c", ("c", "e")])
def test_thin_and_uneven_tables_are_recomputed_without_a_disagreement(
    cluster: str | tuple[str, str] | None,
) -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        n, clusters = int(rng.integers(2, 50)), int(rng.integers(1, 8))
        rare, common = rng.choice([0.02, 0.2, 0.5, 0.9, 1.0], 2)
        table = {
            "a": (rng.random(n) < rare) * 1,
            "b": (rng.random(n) < common) * 1,
            "c": rng.integers(0, clusters, n) * (rng.random(n) < 0.6),
            "e": rng.integers(0, 5, n),
        }
        pairs = Paired.from_wide(table, first="a", second="b", levels=["0", "1"], cluster=cluster)
        side = ("two_sided", "greater", "less")[int(rng.integers(3))]
        verification = mcnemar(pairs, alternative=side, odds_ratio_ci="wilson").verify()
        assert verification.ok, [check for check in verification if check.ok is False]


def test_nine_thousand_independent_pairs_in_declared_clusters_are_recomputed() -> None:
    rng = np.random.default_rng(3)
    table = {
        "a": rng.integers(0, 2, 9000),
        "b": rng.integers(0, 2, 9000),
        "c": np.arange(9000) // 2,
    }
    pairs = Paired.from_wide(table, first="a", second="b", levels=["0", "1"], cluster="c")
    assert mcnemar(pairs, cluster=None).verify().numbers()[0, "std_error"] is True

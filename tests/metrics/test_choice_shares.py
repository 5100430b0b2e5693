"""Choice shares: R's values, brute force, what clusters do, undefined data."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from socialstats.datasets import norm_goal, norm_goal_truth
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError
from socialstats.inference.adjusted_p import holm
from socialstats.shares.choice_shares import choice_shares
from tests.golden_data import golden
from tests.metrics.source_tables import LEVELS, drawn, rows_of, sources

FAST = {"permutations": 199, "people": "fixed"}  # test_people_drawn.py has people as a sample


def test_shares_in_unequal_clusters_are_clubsandwichs():
    wanted = golden("sources")
    result = choice_shares(
        sources(wanted["human"], wanted["model"], cluster=wanted["cluster"]), **FAST
    )
    for level, one in zip(LEVELS, wanted["shares"], strict=True):
        row = result.row(level, group="human")
        assert row.estimate == pytest.approx(one["share"], rel=1e-12)
        assert row.std_error == pytest.approx(one["std_error"], rel=1e-9)
        t = stats.t.ppf(0.975, one["df"])
        n = min(one["share"] * (1 - one["share"]) / one["std_error"] ** 2, np.sum(wanted["human"]))
        p, z2 = one["share"], t**2 / n
        half = t * np.sqrt(p * (1 - p) / n + z2 / (4 * n)) / (1 + z2)
        assert row.conf_high == pytest.approx((p + z2 / 2) / (1 + z2) + half, rel=1e-9)
    assert result.verify().ok


def test_single_ratings_are_rs_wilson_and_paired_differences():
    wanted = golden("sources")
    first, second = (np.eye(3)[np.array(wanted[k]) - 1] for k in ("first", "second"))
    plain = choice_shares(sources(first, second), **FAST)
    row = plain.row("x", group="human")
    assert (row.conf_low, row.conf_high) == pytest.approx(tuple(wanted["wilson"]), rel=1e-9)
    clustered = choice_shares(sources(first, second, cluster=wanted["cluster"]), **FAST)
    for level, one in zip(LEVELS, wanted["paired"], strict=True):
        row = clustered.row(level, group="model - human")
        assert row.n_clusters == len(set(wanted["cluster"]))
        assert (row.estimate, row.std_error, row.df, row.p_value) == pytest.approx(
            (one["difference"], one["std_error"], one["df"], one["p"]), rel=1e-8
        )
        row = plain.row(level, group="model - human")
        assert (row.statistic, row.p_value) == pytest.approx(
            (one["t_units"], one["p_units"]), rel=1e-9
        )
    assert plain.verify().ok
    assert clustered.verify().ok


def test_chi_square_of_ratings_is_rs():
    wanted = golden("sources")
    result = choice_shares(sources(wanted["human"], wanted["model"]), **FAST)
    plain = result.row("any level (ratings independent)")
    want = wanted["chi_square"]
    assert (plain.statistic, plain.df, plain.p_value) == pytest.approx(
        (want["statistic"], want["df"], want["p"])
    )
    assert result.row("any level").statistic == plain.statistic
    assert "swapped" in result.row("any level").method


def test_ratings_of_a_unit_are_a_cluster_where_none_is_declared():
    """Five runs that repeat each other are one answer a unit: the interval is that of single answers."""
    people, model = drawn(1, 60, 7, 1)
    once = choice_shares(sources(people, model), **FAST).row("x", group="model")
    five = choice_shares(sources(people, 5 * model), **FAST).row("x", group="model")
    assert five.n == 5 * once.n
    assert five.std_error == pytest.approx(once.std_error, rel=0.02)
    assert five.conf_high - five.conf_low == pytest.approx(once.conf_high - once.conf_low, rel=0.05)


def test_differences_use_the_units_that_both_rated():
    people, model = drawn(2, 20, 4, 3)
    model[15:] = 0
    result = choice_shares(sources(people, model), **FAST)
    row = result.row("x", group="model - human")
    assert row.n_units == 15
    gap = model[:15, 0].sum() / model[:15].sum() - people[:15, 0].sum() / people[:15].sum()
    assert row.estimate == pytest.approx(gap, abs=1e-12)
    assert result.row("x", group="human").n == people.sum()
    people[:15] = 0
    row = choice_shares(sources(people, model), **FAST).row("x", group="model - human")
    assert row.estimate is None
    assert "no unit was rated by both" in row.undefined


def test_equal_numbers_of_ratings_give_the_paired_t_of_the_units_shares():
    people, model = drawn(3, 25, 4, 2, other=(0.2, 0.3, 0.5))
    row = choice_shares(sources(people, model), **FAST).row("z", group="model - human")
    test = stats.ttest_rel(model[:, 2] / 2, people[:, 2] / 4)
    ends = test.confidence_interval(0.95)
    found = (row.statistic, row.df, row.p_value, row.conf_low, row.conf_high)
    assert found == pytest.approx((test.statistic, 24, test.pvalue, ends.low, ends.high), rel=1e-9)


def test_differences_of_shares_stay_within_their_range():
    """Two clusters: t with 1 df would reach far beyond -1 and 1."""
    people, model = [[3, 0, 0], [0, 3, 0]], [[0, 2, 0], [2, 0, 0]]
    result = choice_shares(sources(people, model), **FAST)
    row = result.row("x", group="model - human")
    assert (row.estimate, row.conf_low, row.conf_high) == (0.0, -1.0, 1.0)
    assert row.std_error * stats.t.ppf(0.975, 1) > 1
    assert result.verify().ok


def test_a_single_level_does_not_change():
    rows = pd.concat(
        [
            rows_of(
                [[2, 0, 0]] * 6,
                [[2, 0, 0]] * 6,
                story=[f"s{k // 2}" for k in range(6)],
                at="nynyny",
            )
        ]
    )
    design = Ratings.from_frame(
        rows, scale="nominal", rater_source="source", cluster="story", strata="at"
    )
    result = choice_shares(design, stratum="at", base="n", **FAST)
    for group in ("human: y - n", "model - human: y - n"):
        assert result.row("x", group=group).estimate == 0
        assert "single level" in result.row("any level", group=group).undefined


def test_changes_stay_within_their_range():
    stories, at = ["s", "s", "t", "t"], "nyny"
    people, model = (
        [[4, 0, 0], [0, 4, 0], [0, 4, 0], [1, 3, 0]],
        [[1, 3, 0], [4, 0, 0], [3, 1, 0], [0, 4, 0]],
    )
    rows = rows_of(people, model, story=stories, at=at)
    design = Ratings.from_frame(
        rows, scale="nominal", rater_source="source", cluster="story", strata="at"
    )
    result = choice_shares(design, stratum="at", base="n", **FAST)
    one, two = (result.row("x", group=group) for group in ("human: y - n", "model - human: y - n"))
    assert (one.estimate, one.conf_low, one.conf_high) == (-0.375, -1.0, 1.0)
    assert (two.estimate, two.conf_low, two.conf_high) == (0.375, -2.0, 2.0)


def test_holm_runs_over_levels_and_strata():
    people, model = drawn(4, 40, 4, 2, other=(0.3, 0.3, 0.4))
    domain = np.array(["home", "work"])[np.arange(40) % 2]
    result = choice_shares(sources(people, model, domain=domain), stratum="domain", **FAST)
    rows = [
        r for r in result.rows if (r.group or "").startswith("model - human, ") and r.term in LEVELS
    ]
    assert len(rows) == 6
    np.testing.assert_allclose(
        [r.p_adjusted for r in rows], holm(np.array([r.p_value for r in rows]))
    )
    assert all("Holm over 6 levels and strata" in r.method for r in rows)
    whole = [result.row(level, group="model - human") for level in LEVELS]
    np.testing.assert_allclose(
        [r.p_adjusted for r in whole], holm(np.array([r.p_value for r in whole]))
    )
    tests = [result.row("any level", group=f"model - human, {d}") for d in ("home", "work")]
    np.testing.assert_allclose(
        [r.p_adjusted for r in tests], holm(np.array([r.p_value for r in tests]))
    )
    alone = choice_shares(sources(people[domain == "home"], model[domain == "home"]), **FAST)
    for level in LEVELS:
        assert (
            result.row(level, group="model, home").estimate
            == alone.row(level, group="model").estimate
        )
        one, two = (
            result.row(level, group="model - human, home"),
            alone.row(level, group="model - human"),
        )
        assert (one.estimate, one.p_value) == pytest.approx((two.estimate, two.p_value), rel=1e-12)
    assert result.verify().ok


def test_three_sources_and_another_reference():
    rows = rows_of(*drawn(5, 20, 3, 3))
    third = rows[rows["source"] == "model"].assign(source="other", rater=lambda r: "o" + r["rater"])
    design = Ratings.from_frame(pd.concat([rows, third]), scale="nominal", rater_source="source")
    result = choice_shares(design, reference="other", **FAST)
    groups = list(dict.fromkeys(r.group for r in result.rows))
    assert groups == ["human", "model", "other", "human - other", "model - other"]
    row = result.row("x", group="model - other")  # the same answers
    assert row.estimate == 0
    assert row.undefined
    assert result.row("any level", group="model - other").p_value == 1
    assert result.verify().ok


def test_without_sources_all_raters_are_one():
    rows = rows_of(drawn(6, 20, 3, 3)[0], np.zeros((20, 3))).drop(columns="source")
    result = choice_shares(Ratings.from_frame(rows, scale="nominal"), **FAST)
    assert {r.group for r in result.rows} == {"all raters"}
    alone = choice_shares(
        Ratings.from_frame(rows[rows["rater"] == rows["rater"].iloc[0]], scale="nominal"), **FAST
    )
    assert {r.group for r in alone.rows} == {"this source"}
    assert alone.verify().ok
    assert result.verify().ok
    assert "permutation" not in result.sentence()


def test_counts_of_alike_units_are_units():
    table = {"x": [2, 0, 1], "y": [0, 2, 1]}
    long = {k: np.repeat(v, [5, 4, 3]) for k, v in table.items()}
    packed = Ratings.from_counts(long, scale="nominal")
    named = Ratings.from_counts(
        {**long, "unit": [f"u{k:02d}" for k in range(12)]}, unit="unit", scale="nominal"
    )
    assert len(packed.units) == 3
    one, two = (choice_shares(d, **FAST).row("x") for d in (packed, named))
    assert (one.estimate, one.std_error, one.conf_low, one.n, one.n_units) == pytest.approx(
        (two.estimate, two.std_error, two.conf_low, two.n, two.n_units), rel=1e-12
    )


def test_bootstrap_intervals_are_offered():
    design = sources(*drawn(7, 40, 4, 3))
    closed = choice_shares(design, **FAST).row("x", group="human")
    row = choice_shares(design, ci="percentile", **FAST).row("x", group="human")
    assert row.conf_high - row.conf_low == pytest.approx(
        closed.conf_high - closed.conf_low, rel=0.15
    )


def test_one_level_only():
    result = choice_shares(sources([[3, 0, 0]] * 6, [[2, 0, 0]] * 6), **FAST)
    assert result.row("x", group="human").estimate == 1
    assert "nothing to compare" in result.row("any level").undefined
    assert result.row("y", group="model - human").undefined


@pytest.mark.slow
def test_the_simulated_study_gives_its_truth_back():
    data, truth = norm_goal(), norm_goal_truth()
    data["story"] = data["scenario"] + " " + data["pressure"]
    design = Ratings.from_frame(
        data,
        unit="story",
        rater="rater",
        value="action",
        rater_source="source",
        strata=("domain", "pressure"),
        cluster="scenario",
        scale="nominal",
    )
    result = choice_shares(design, stratum=("domain", "pressure"), **FAST)
    held = [
        row.conf_low <= share <= row.conf_high
        for (source, domain, pressure), shares in truth.shares.items()
        for action, share in shares.items()
        for row in [result.row(action, group=f"{source}, {domain}, {pressure}")]
    ]
    assert len(held) == 144
    assert sum(held) >= 129  # 137 expected; the shares of a cell move together
    assert result.verify().ok


def test_labels_that_spell_each_other():
    rows = rows_of(*drawn(8, 12, 3, 3), domain=np.array(["b", "c"])[np.arange(12) % 2])
    rows["source"] = rows["source"].map({"human": "a", "model": "a, b"})
    rows["value"] = rows["value"].map({"x": "any level", "y": "$\\frac$", "z": "<b>\n"})
    design = Ratings.from_frame(rows, scale="nominal", rater_source="source", strata="domain")
    result = choice_shares(design, stratum="domain", **FAST)
    assert not result.tidy().duplicated(["term", "group"]).any()
    assert "\n" not in result.sentence()
    assert result.plot() is not None


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"ci": "wald"}, "wilson"),
        ({"reference": "dog"}, "dog"),
        ({"stratum": "place"}, "place"),
        ({"source": "colour"}, "colour"),
        ({"permutations": 3}, "3"),
    ],
)
def test_unusable_options(options, match):
    with pytest.raises(InputError, match=match):
        choice_shares(sources([[2, 1, 0]] * 4, [[1, 1, 0]] * 4), **options)


@pytest.mark.parametrize(
    ("sizes", "codes"),
    [([4] * 80, set()), ([200 // (k // 4 + 1) + 1 for k in range(80)], {"SS211"})],
)
def test_unequal_clusters_are_those_of_the_number_itself(sizes: list[int], codes: set[str]) -> None:
    """Each of four levels holds 20 equal clusters, which are not few of 80 (caution SS211)."""
    rng = np.random.default_rng(1)
    rows = [
        (f"{k}-{i}", f"c{k}", f"part {k % 4}", "r", rng.choice(["x", "y"]))
        for k, n in enumerate(sizes)
        for i in range(n)
    ]
    table = pd.DataFrame(rows, columns=["unit", "cluster", "part", "rater", "value"])
    design = Ratings.from_frame(table, scale="nominal", cluster="cluster", strata="part")
    found = choice_shares(design, stratum="part", permutations=99)
    assert {c.code for c in found.cautions} & {"SS211"} == codes

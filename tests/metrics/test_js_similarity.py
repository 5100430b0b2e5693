"""Jensen-Shannon similarity: R's values, brute force, simulations, undefined data, hostile labels."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from socialstats.datasets import norm_goal, norm_goal_truth
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.shares.counts import StratumCells
from socialstats.shares.divergence import jensen_shannon, unit_corrected
from socialstats.shares.js_similarity import js_similarity
from socialstats.shares.pooled_similarity import pooled
from socialstats.shares.similarity import ComparedSources, independent
from socialstats.shares.split_half import half_parts, mean_divergence, split_half
from tests.golden_data import golden
from tests.metrics.source_tables import drawn, rows_of, sources

FAST = {"resamples": 199, "permutations": 199, "splits": 99, "people": "fixed"}


@pytest.mark.parametrize("clusters", [False, True])
def test_plug_in_and_corrected_values_are_those_of_r(clusters):
    wanted = golden("sources")
    design = sources(
        wanted["human"], wanted["model"], cluster=wanted["cluster"] if clusters else None
    )
    result = js_similarity(design, **FAST)
    want = wanted["divergence"]
    bias = want["bias_clusters" if clusters else "bias_units"]
    assert result.row("model (plug-in)").estimate == pytest.approx(1 - want["plug_in"], rel=1e-9)
    assert result.row("model").estimate == pytest.approx(1 - want["plug_in"] + bias, rel=1e-9)
    assert result.row("model").statistic == pytest.approx(want["plug_in"], rel=1e-9)
    assert result.row("model").n == np.sum(wanted["human"]) + np.sum(wanted["model"])
    assert (result.row("model").n_units, result.row("model").n_clusters) == (
        12,
        5 if clusters else None,
    )
    assert result.verify().ok


def test_identical_sources_have_1_on_average_whatever_repeats_within_a_unit():
    """40 units, seven people each; five runs that almost repeat each other: the plug-in value is .98."""
    plain, corrected = [], []
    for seed in range(60):
        people, model = drawn(seed, 40, 7, 5, own=3.0)
        turn = np.random.default_rng([seed, 1]).integers(
            0, 3, 40
        )  # which level is which: all shares are a third
        people, model = (
            np.array([np.roll(one, k) for one, k in zip(x, turn, strict=True)])
            for x in (people, model)
        )
        result = js_similarity(sources(people, model), **FAST)
        plain.append(result.row("model (plug-in)").estimate)
        corrected.append(result.extras["uncut"]["model"])
        assert result.row("model").estimate == min(corrected[-1], 1.0)
    error = np.std(corrected) / np.sqrt(60)
    assert np.mean(plain) < 0.992
    assert abs(np.mean(corrected) - 1) < 4 * error
    assert max(corrected) > 1  # the mean of those cut at 1 is too small


def test_cells_are_what_each_cell_alone_gives_and_their_mean():
    people, model = drawn(1, 40, 7, 5, other=(0.2, 0.3, 0.5))
    domain = np.array(["home", "work"])[np.arange(40) % 2]
    result = js_similarity(sources(people, model, domain=domain), cell="domain", **FAST)
    for name in ("home", "work"):
        alone = js_similarity(sources(people[domain == name], model[domain == name]), **FAST)
        for term in ("model", "model (plug-in)"):
            assert result.row(term, group=name).estimate == pytest.approx(
                alone.row(term).estimate, abs=1e-12
            )
        assert result.row("human (split-half)", group=name).estimate == pytest.approx(
            alone.row("human (split-half)").estimate, abs=0.01
        )
    for term in ("model", "model (plug-in)", "human (split-half, plug-in)"):
        each = [result.row(term, group=name).estimate for name in ("home", "work")]
        assert result.row(term, group="mean of 2 cells").estimate == pytest.approx(
            np.mean(each), abs=1e-12
        )
    assert result.row("model").group is None
    assert result.verify().ok
    assert "2" in str(result.counts["cells"])


def test_two_strata_make_a_cell_for_each_combination():
    people, model = drawn(1, 24, 4, 4)
    rows = rows_of(
        people, model, domain=np.array(["h", "w"])[np.arange(24) % 2], stage=np.arange(24) // 8
    )
    design = Ratings.from_frame(
        rows, scale="nominal", rater_source="source", strata=("domain", "stage")
    )
    result = js_similarity(design, cell=("domain", "stage"), **FAST)
    assert [r.group for r in result.rows if r.term == "model"] == [
        None,
        "h, 0",
        "h, 1",
        "h, 2",
        "w, 0",
        "w, 1",
        "w, 2",
        "mean of 6 cells",
    ]


def test_within_units_is_the_mean_of_the_units():
    people, model = drawn(2, 30, 5, 4)
    result = js_similarity(sources(people, model), aggregate="unit", **FAST)
    values = jensen_shannon(people.astype(float), model.astype(float))
    assert result.row("model (plug-in)").estimate == pytest.approx(1 - values.mean(), abs=1e-12)
    assert result.row("model").estimate > result.row("model (plug-in)").estimate
    assert result.verify().ok
    agreeing = {at for at, ok in result.verify().numbers().items() if ok}
    assert agreeing == {(0, "estimate"), (0, "statistic"), (1, "estimate")}
    assert "rating-jackknife" in result.row("model").method
    assert "exchanged" in result.row("model").method


def test_within_units_runs_that_repeat_themselves_are_not_taken_for_noise():
    """Seven people with views of their own, five equal runs: the truth (of the shares) lies in the interval."""
    rng = np.random.default_rng(8)
    shares = rng.dirichlet([2.0, 2.0, 2.0], 120)
    people = np.array([rng.multinomial(7, p) for p in shares])
    model = 5 * np.eye(3, dtype=int)[rng.integers(0, 3, 120)]
    row = js_similarity(sources(people, model), aggregate="unit", **FAST).row("model")
    truth = 1 - jensen_shannon(shares, model.astype(float)).mean()
    assert row.conf_low < truth < row.conf_high
    assert row.conf_high < truth + 0.1


def test_single_ratings_have_no_correction_within_units():
    people, model = drawn(2, 30, 5, 1)
    result = js_similarity(sources(people, model), aggregate="unit", **FAST)
    assert result.row("model").estimate is None
    assert "single rating" in result.row("model").undefined
    assert result.row("model (plug-in)").estimate is not None
    assert "undefined" in result.sentence()


def test_refusals_can_be_a_level():
    rows = rows_of([[3, 1, 0]] * 8, [[2, 0, 2]] * 8)
    options = {"scale": "nominal", "rater_source": "source", "levels": ["x", "y"], "refusal": "z"}
    design = Ratings.from_frame(rows, **options)
    plain = js_similarity(design, **FAST).row("model (plug-in)").estimate
    level = js_similarity(design, refusal="level", **FAST)
    assert plain == pytest.approx(1 - float(jensen_shannon(np.array([3.0, 1]), np.array([1.0, 0]))))
    assert level.row("model (plug-in)").estimate == pytest.approx(
        1 - float(jensen_shannon(np.array([3.0, 1, 0]), np.array([2.0, 0, 2])))
    )
    assert level.extras["levels"][-1] == "(refusal)"
    assert level.verify().ok


def test_each_rater_can_be_a_source():
    rows = rows_of(drawn(3, 20, 3, 2)[0], np.zeros((20, 3)))
    result = js_similarity(
        Ratings.from_frame(rows.drop(columns="source"), scale="nominal"), reference="h0", **FAST
    )
    assert {r.term for r in result.rows} == {
        "h1",
        "h1 (plug-in)",
        "h2",
        "h2 (plug-in)",
        "h0 (split-half)",
        "h0 (split-half, plug-in)",
    }
    assert result.row("h0 (split-half)").undefined
    assert result.verify().ok


def test_a_source_that_rated_other_units_is_compared_pooled_and_not_within_units():
    people, model = drawn(4, 30, 5, 5)
    people[15:], model[:15] = 0, 0
    design = sources(people, model)
    assert js_similarity(design, **FAST).row("model").conf_low is not None
    row = js_similarity(design, aggregate="unit", **FAST).row("model")
    assert row.estimate is None
    assert "no unit rated by both" in row.undefined


def test_crossed_factors_have_an_interval_and_no_swap():
    people, model = drawn(5, 36, 4, 4)
    rows = rows_of(people, model, story=np.arange(36) % 6, place=np.arange(36) // 6)
    design = Ratings.from_frame(
        rows, scale="nominal", rater_source="source", cluster=("story", "place")
    )
    row = js_similarity(design, **FAST).row("model")
    assert row.p_value is None
    assert row.conf_low < row.estimate <= row.conf_high


def test_shares_without_any_overlap():
    result = js_similarity(sources([[4, 0, 0]] * 6, [[0, 2, 1]] * 6), **FAST)
    row = result.row("model")
    assert row.estimate == pytest.approx(0, abs=1e-12)
    assert row.undefined  # every resample gives 0
    assert row.p_value == pytest.approx(2 / 64, abs=0.03)


def test_the_simulated_study_gives_its_truth_back():
    """Similarity of the true shares of each cell, people against model: 24 cells, 95% intervals."""
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
    result = js_similarity(design, cell=("domain", "pressure"))
    held, plain = 0, []
    for (source, domain, pressure), shares in truth.shares.items():
        if source == "human":
            other = truth.shares["model", domain, pressure]
            p, q = (np.array([one[a] for a in shares]) for one in (shares, other))
            true, row = (
                1 - float(jensen_shannon(p, q)),
                result.row("model", group=f"{domain}, {pressure}"),
            )
            held += row.conf_low <= true <= row.conf_high
            plain.append(
                (
                    row.estimate - true,
                    result.row("model (plug-in)", group=row.group).estimate - true,
                )
            )
    assert held >= 20  # of 24: 95% of the time at least 20
    errors = np.array(plain)
    assert abs(errors[:, 0].mean()) < abs(errors[:, 1].mean())
    assert result.row("human (split-half)").estimate > 0.999


def test_intervals_hold_the_truth():
    """200 tables of 40 units, people independent, five runs that share a view of the unit; true similarity .95."""
    many = drawn(0, 200_000, 7, 5, other=(0.25, 0.15, 0.6), own=1.5)
    true = 1 - float(jensen_shannon(*(x.sum(axis=0).astype(float) for x in many)))
    settings = {"resamples": 499, "permutations": 99, "seed": 0, "level": 0.95}
    cells = StratumCells(names=(), labels=(), codes=np.zeros(40, dtype=np.int64))
    held = []
    for seed in range(200):
        people, model = drawn([9, seed], 40, 7, 5, other=(0.25, 0.15, 0.6), own=1.5)
        both = ComparedSources(
            first=people.astype(float), second=model.astype(float), copies=np.ones(40), cells=cells
        )
        found = [
            pooled(both, settings | {"ci": ci}) for ci in ("percentile", "basic", "noncentral")
        ]
        held.append([one.low[0] <= true <= one.high[0] for one in found])
    covered = np.mean(held, axis=0)
    assert 0.89 <= covered[0] <= 0.99  # 95% with a Monte-Carlo error of 1.5
    assert covered[1] < covered[0]  # why basic intervals are no default
    assert 0.91 <= covered[2] <= 0.995


def test_uneven_shares_of_few_units():
    """30 units of three people and five runs, .90/.08/.02 against .97/.02/.01: .73 before, 300 tables, error .014."""
    shares = (0.9, 0.08, 0.02), (0.97, 0.02, 0.01)
    true = 1 - float(jensen_shannon(*map(np.array, shares)))
    settings = {"permutations": 99, "seed": 0, "level": 0.95, "ci": "noncentral"}
    cells, rng, held = (
        StratumCells(names=(), labels=(), codes=np.zeros(30, dtype=np.int64)),
        np.random.default_rng(4),
        [],
    )
    for _ in range(300):
        people, model = (
            rng.multinomial(n, p, size=30).astype(float)
            for n, p in zip((3, 5), shares, strict=True)
        )
        both = ComparedSources(first=people, second=model, copies=np.ones(30), cells=cells)
        found = pooled(both, settings)
        held.append(found.low[0] <= true <= found.high[0])
    assert np.mean(held) >= 0.93


def test_noncentral_intervals_hold_equal_shares_as_often_as_they_say():
    """The truth is the end of the scale: a percentile interval, cut there, always holds it."""
    settings = {"permutations": 99, "seed": 0, "level": 0.95, "ci": "noncentral"}
    cells = StratumCells(names=(), labels=(), codes=np.zeros(40, dtype=np.int64))
    held = []
    for seed in range(400):
        people, model = drawn([3, seed], 40, 7, 5, own=3.0)
        turn = np.random.default_rng([seed, 1]).integers(0, 3, 40)
        one, two = (
            np.array([np.roll(r, k) for r, k in zip(x, turn, strict=True)]) for x in (people, model)
        )
        both = ComparedSources(
            first=one.astype(float), second=two.astype(float), copies=np.ones(40), cells=cells
        )
        found = pooled(both, settings)
        held.append(found.high[0] >= 1 - 1e-12)
    assert (
        0.93 <= np.mean(held) <= 0.995
    )  # .975 with a Monte-Carlo error of .008, less what the scale does not know


def test_the_noncentral_interval_holds_the_truths_for_which_the_value_is_in_no_tail():
    people, model = drawn(12, 60, 7, 5, other=(0.25, 0.15, 0.6))
    design = sources(people, model)
    row, plain = (js_similarity(design, **FAST).row(term) for term in ("model", "model (plug-in)"))
    left = np.array(
        [
            jensen_shannon(
                *(np.delete(x, u, axis=0).sum(axis=0).astype(float) for x in (people, model))
            )
            for u in range(60)
        ]
    )
    value = 1 - plain.estimate
    bias, variance = 59 * (left.mean() - value), 59 / 60 * ((left - left.mean()) ** 2).sum()
    p, q = (x.sum(axis=0) / x.sum() for x in (people, model))
    off = (people - np.outer(people.sum(axis=1), p)) / people.sum() - (
        model - np.outer(model.sum(axis=1), q)
    ) / model.sum()
    roots = np.linalg.eigvals(np.diag(1 / (4 * np.log(2) * (p + q))) @ (60 * np.cov(off.T))).real
    scale, f = (roots**2).sum() / roots.sum(), roots.sum() ** 2 / (roots**2).sum()
    held = stats.ncx2.cdf(value / scale, f, (1 - row.conf_high) / scale)
    assert held == pytest.approx(0.975, abs=1e-6)  # what the search for the end leaves
    df = 1 / (1 / 59 + stats.kurtosis(left) / 120)
    around = value - bias + stats.t.ppf(0.975, df) * np.sqrt(variance)
    assert 1 - row.conf_low >= around - 1e-12
    assert stats.ncx2.cdf(value / scale, f, (1 - row.conf_low) / scale) <= 0.025 + 1e-6
    assert row.std_error == pytest.approx(np.sqrt(variance), rel=1e-9)
    assert row.estimate == pytest.approx(1 - value + bias, abs=1e-12)
    result = js_similarity(design, **FAST)
    for name in ("estimate", "std_error", "statistic"):
        moved = replace(result.rows[0], **{name: getattr(result.rows[0], name) * 1.01})
        assert not replace(result, rows=(moved, *result.rows[1:])).verify().ok, name


def test_within_units_the_t_interval_has_an_allowance_for_the_bias_that_is_left():
    people, model = drawn(14, 40, 7, 5, other=(0.2, 0.3, 0.5))
    cluster = np.arange(40) // 4
    row = js_similarity(sources(people, model, cluster=cluster), aggregate="unit", **FAST).rows[0]
    first, second = (unit_corrected(people, model, order) for order in (1, 2))
    left = np.array([second[cluster != k].mean() for k in range(10)])
    allowance = (second.mean() - first.mean()) / 2
    error = np.hypot(np.sqrt(9 * np.var(left)), allowance)
    reach = stats.t.ppf(0.975, 9) * error
    ends = 1 - second.mean() - reach, 1 - second.mean() + reach
    assert (row.std_error, row.df) == pytest.approx((error, 9))
    assert (row.conf_low, row.conf_high) == pytest.approx(np.clip(ends, 0, 1))


@pytest.mark.parametrize("clusters", [None, 4])
def test_a_ceiling_within_units_has_the_error_of_the_mean_of_the_halves_of_units(clusters):
    people, model = drawn(14, 40, 7, 5)
    cluster = None if clusters is None else np.arange(40) // clusters
    result = js_similarity(sources(people, model, cluster=cluster), aggregate="unit", **FAST)
    top, less = result.rows[-1], 1 - result.rows[-1].estimate
    cells = StratumCells(names=(), labels=(), codes=np.zeros(40, dtype=np.int64))
    _, units, _ = split_half(people.astype(float), np.ones(40), cells, splits=99, pooled=False)
    codes = np.arange(40) if cluster is None else cluster
    groups = len(np.unique(codes))
    left = [np.log(units[codes != k].mean()) for k in range(groups)]
    error = np.hypot(np.sqrt((groups - 1) * np.var(left)), result.extras["ceiling_error"][0] / less)
    assert less == pytest.approx(units.mean())
    assert (top.std_error, top.df) == pytest.approx((less * error, groups - 1))


def test_the_ceiling_has_an_interval_of_the_logarithm_of_its_divergence():
    people, model = drawn(13, 40, 7, 5)
    result = js_similarity(sources(people, model), **FAST)
    top, less = result.rows[-1], 1 - result.rows[-1].estimate
    left = [
        np.log(mean_divergence(half_parts(np.delete(people, u, axis=0).astype(float)).sum(axis=0)))
        for u in range(40)
    ]
    error = np.hypot(np.sqrt(39 * np.var(left)), result.extras["ceiling_error"][0] / less)
    reach = np.exp(stats.t.ppf(0.975, 39) * error)
    assert (top.conf_low, top.conf_high) == pytest.approx(
        (1 - less * reach, 1 - less / reach), rel=1e-12
    )
    assert (top.std_error, top.df) == pytest.approx((less * error, 39))


def test_a_rare_level_leaves_the_ceiling_without_an_interval():
    """Whether it is chosen at all decides how far halves are apart: the sample does not say how often."""
    people = np.array([[5, 2, 0], [3, 3, 1], [4, 3, 0]] * 6)
    people[3:, 2] = 0
    domain = np.array(["home", "work"])[np.arange(18) % 2]
    result = js_similarity(sources(people, people, domain=domain), cell="domain", **FAST)
    for group, given in ((None, "1 time"), ("home", "0 times"), ("mean of 2 cells", "0 times")):
        row = result.row("human (split-half)", group=group)
        assert row.estimate is not None
        assert row.conf_low is None
        assert f"'z' was given {given}: no interval below 5" == row.undefined
    assert (
        js_similarity(sources(people, people), aggregate="unit", **FAST).rows[-1].conf_low
        is not None
    )


@pytest.mark.slow
def test_the_corrected_ceiling_is_1_but_for_chance():
    """Halves of one group have the same shares: what they differ by is noise, and is taken off as of the sources."""
    people = np.random.default_rng(8).multinomial(8, (0.4, 0.35, 0.25), 60)
    for aggregate in ("pooled", "unit"):
        result = js_similarity(sources(people, people), aggregate=aggregate, **FAST)
        top, plain = (result.row(f"human (split-half{end})") for end in ("", ", plug-in"))
        assert plain.estimate < plain.conf_high < 1
        assert top.estimate == pytest.approx(1, abs=0.02)
        if aggregate == "pooled":
            assert top.conf_low < 1 == top.conf_high
        else:  # eight ratings: halves of four are corrected too far
            assert (top.conf_low, top.undefined) == (
                None,
                "the whole interval lies beyond what is possible",
            )
        assert result.verify().ok


@pytest.mark.parametrize("other", [(0.5, 0.3, 0.2), (0.25, 0.15, 0.6)])
def test_a_plug_in_value_has_the_outer_ends_of_its_jackknife_and_of_the_corrected_interval(other):
    people, model = drawn(11, 25, 4, 3, other=other)
    result = js_similarity(sources(people, model), **FAST)
    row = result.row("model (plug-in)")
    left = np.array(
        [
            jensen_shannon(
                *(np.delete(x, u, axis=0).sum(axis=0).astype(float) for x in (people, model))
            )
            for u in range(25)
        ]
    )
    error = np.sqrt(24 * np.var(left))
    assert row.std_error == pytest.approx(error, rel=1e-9)
    reach = stats.t.ppf(0.975, row.df) * error
    better, gain = result.row("model"), result.extras["uncut"]["model"] - row.estimate
    assert gain == pytest.approx(24 * (left.mean() - (1 - row.estimate)))
    low, high = (
        min(row.estimate - reach, better.conf_low - gain),
        max(row.estimate + reach, better.conf_high - gain),
    )
    assert (row.conf_low, row.conf_high) == pytest.approx((max(low, 0), min(high, 1)))
    assert (low, high) != pytest.approx(
        (row.estimate - reach, row.estimate + reach)
    )  # the other interval reaches on


def test_levels_given_in_few_units_are_cautioned_however_many_ratings_there_are():
    rows = [
        (u, f"{s}{k}", s, "z" if u % every == 0 else "xy"[(u + k * (s == "human")) % 2])
        for u in range(120)
        for s, every in (("human", 3), ("model", 40))
        for k in range(5)
    ]
    assert sum((source, value) == ("model", "z") for *_, source, value in rows) == 15
    for times, said in ((1, True), (2, False)):  # three units with the level, six
        several = [(f"{u} {k}", *rest) for k in range(times) for u, *rest in rows]
        table = dict(
            zip(("unit", "rater", "source", "value"), zip(*several, strict=True), strict=True)
        )
        found = js_similarity(table, rater_source="source", scale="nominal", **FAST)
        assert ("SS312" in {c.code for c in found.cautions}) is said


def test_the_caution_of_plug_in_values_names_every_such_row_and_the_largest_gain():
    rng = np.random.default_rng(21)
    rows = [
        (f"u{u}", f"{s}{r}", s, int(rng.integers(1, 4)))
        for u in range(15)
        for s in ("human", "one", "two")
        for r in range(3)
        if s != "two" or u < 6
    ]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "source", "value"])
    design = Ratings.from_frame(frame, scale="nominal", rater_source="source")
    result = js_similarity(design, reference="human", **FAST)
    (told,) = [c for c in result.cautions if c.code == "SS304"]
    plain = [row for row in result.rows if row.term.endswith("(plug-in)")]
    assert [row.term for row in plain] == ["one (plug-in)", "two (plug-in)"]
    assert sorted(told.rows) == sorted(row.term for row in plain)
    gains = [
        result.row(row.term.removesuffix(" (plug-in)")).estimate - row.estimate for row in plain
    ]
    assert f"by up to {max(gains):.3f}".replace(" 0.", " .") in told.detail
    assert max(gains) > min(gains) + 0.001


MEAN = "mean of 2 cells"


def of_topics(seed=3):
    """Three sources of three raters each on ten units of either topic; one says z less often."""
    rng = np.random.default_rng(seed)
    rows = [
        (
            f"u{u:02}",
            f"{s}{r}",
            s,
            "pq"[u % 2],
            "xyz"[min(2, int(rng.random() * (2.2 if s == "one" else 3)))],
        )
        for u in range(20)
        for s in ("human", "one", "two")
        for r in range(3)
    ]
    return pd.DataFrame(rows, columns=["unit", "rater", "source", "topic", "value"])


def apart(frame, group, source, other="human"):
    """Divergence of two sources' pooled shares: of all units, of a topic, or the mean of both topics."""
    if group == MEAN:
        return np.mean([apart(frame, topic, source, other) for topic in "pq"])
    if group is not None:
        frame = frame[frame["topic"] == group]
    counts = [
        frame[frame["source"] == s]["value"].value_counts().reindex([*"xyz"], fill_value=0)
        for s in (source, other)
    ]
    return float(jensen_shannon(*(c.to_numpy(dtype=float) for c in counts)))


@pytest.mark.parametrize("group", [None, "p", "q", MEAN])
def test_every_row_is_what_leaving_out_one_unit_after_the_other_gives(group):
    frame = of_topics()
    design = Ratings.from_frame(
        frame, scale="nominal", rater_source="source", strata="topic", levels=[*"xyz"]
    )
    result = js_similarity(design, reference="human", cell="topic", **FAST)
    units = (
        frame["unit"].unique()
        if group in (None, MEAN)
        else frame[frame["topic"] == group]["unit"].unique()
    )
    n = len(units)
    cell = () if group is None else (("cell", group),)
    for source in ("one", "two"):
        whole = apart(frame, group, source)
        left = np.array([apart(frame[frame["unit"] != unit], group, source) for unit in units])
        bias, error = (n - 1) * (left.mean() - whole), np.sqrt((n - 1) * left.var())
        plain, row = (result.row(term, group=group) for term in (f"{source} (plug-in)", source))
        assert plain.estimate == pytest.approx(1 - whole, rel=1e-12)
        if group != MEAN:  # each cell has a correction of its own; the mean has the mean of these
            assert row.std_error == plain.std_error == pytest.approx(error, rel=1e-9)
            assert row.estimate == pytest.approx(min(1.0, 1 - whole + bias), rel=1e-9)
            assert row.statistic == pytest.approx(whole, rel=1e-12)
        else:
            cells = [result.row(source, group=topic) for topic in "pq"]
            errors = np.array([one.std_error for one in cells])
            gains = [
                result.row(source, group=t).estimate
                - result.row(f"{source} (plug-in)", group=t).estimate
                for t in "pq"
            ]
            if max(one.estimate for one in cells) < 1:
                assert row.estimate == pytest.approx(1 - whole + np.mean(gains), rel=1e-9)
            assert 0.9 < row.std_error / (np.sqrt((errors**2).sum()) / 2) < 1.1
            assert row.p_value is None
        assert row.key == plain.key == (("source", source), *cell)
        for one in (row, plain):
            assert (one.n, one.n_units, one.role) == (
                6 * n,
                n,
                "estimate" if one is row else "component",
            )
            assert one.conf_low <= one.estimate <= one.conf_high <= 1
    top = [result.row(f"human (split-half{end})", group=group) for end in ("", ", plug-in")]
    for one in top:
        assert (one.n, one.n_units, one.key) == (3 * n, n, (("source", "human"), *cell))
    assert top[0].role == "reference"
    assert top[0].estimate > top[1].estimate


@pytest.mark.parametrize("group", [None, "p", "q"])
def test_p_values_are_the_share_of_swaps_as_far_apart(group):
    frame = of_topics()
    design = Ratings.from_frame(
        frame, scale="nominal", rater_source="source", strata="topic", levels=[*"xyz"]
    )
    result = js_similarity(
        design, reference="human", cell="topic", **{**FAST, "permutations": 1999}
    )
    part = frame if group is None else frame[frame["topic"] == group]
    rng = np.random.default_rng(17)
    for source in ("one", "two"):
        counts = np.stack(
            [
                pd.crosstab(own["unit"], own["value"])
                .reindex(columns=[*"xyz"], fill_value=0)
                .to_numpy(dtype=float)
                for own in (part[part["source"] == s] for s in (source, "human"))
            ]
        )
        flip = rng.random((4000, counts.shape[1])) < 0.5
        one = np.where(flip[:, :, None], counts[0], counts[1]).sum(axis=1)
        drawn = jensen_shannon(one, counts.sum(axis=(0, 1)) - one)
        p = np.mean(drawn >= apart(frame, group, source) - 1e-12)
        row = result.row(source, group=group)
        assert row.p_value == pytest.approx(
            p, abs=4 * np.sqrt(p * (1 - p) * (1 / 4000 + 1 / 1999)) + 1 / 2000
        )
        assert row.test == "permutation"


def test_the_sentence_names_three_sources_and_counts_the_others_and_the_figure_has_every_row():
    rng = np.random.default_rng(4)
    sides = ("human", "one", "two", "three", "four", "five")
    rows = [
        (f"u{u}", f"{s}{r}", s, "pq"[u % 2], int(rng.integers(1, 4)))
        for u in range(12)
        for s in sides
        for r in range(2)
    ]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "source", "topic", "value"])
    design = Ratings.from_frame(frame, scale="nominal", rater_source="source", strata="topic")
    result = js_similarity(design, reference="human", cell="topic", **FAST)
    said = result.sentence()
    order = list(dict.fromkeys(row.term for row in result.rows if row.role == "estimate"))
    assert sorted(order) == sorted(sides[1:])
    start, *others = said.partition(". Two random halves")[0].split("; ")
    assert start.startswith(
        f"Jensen-Shannon similarity to human over 12 units and 144 ratings: {order[0]} "
    )
    assert [part.split()[0] for part in others] == [*order[1:3], "and"]
    assert others[-1] == "and 2 more"
    for name, part in zip(order[:3], [start, *others[:2]], strict=True):
        plain = result.row(f"{name} (plug-in)", group=None).estimate
        assert f"(plug-in {plain:.3f})".replace("0.", ".") in part
    shown = [text.get_text() for text in result.plot().get_yticklabels()]
    assert len(shown) == 6 * 4  # five sources and a ceiling; all units, two topics, their mean
    assert {"one", "one, p", "one, q", "one, mean of 2 cells", "human (split-half), q"} <= set(
        shown
    )


def test_independent_units_are_the_levels_of_the_factor_with_fewer_in_each_cell():
    entered = np.array([[True, True], [True, False], [True, True], [True, True], [True, False]])
    copies = np.array([1.0, 2.0, 1.0, 3.0, 1.0])
    story, judge = np.array([0, 1, 2, 2, 3]), np.array([0, 1, 1, 0, 1])
    assert independent(entered, copies, (story,)).tolist() == [4, 2]
    assert independent(entered, copies, (judge, story)).tolist() == [2, 2]
    assert independent(entered, copies, (story, np.zeros(5, dtype=int))).tolist() == [1, 1]
    assert independent(entered, copies, ()).tolist() == [8, 5]


@pytest.mark.parametrize("aggregate", ["pooled", "unit"])
@pytest.mark.parametrize("cluster", [["site"], ["story", "site"], ["site", "story"]])
def test_one_level_of_a_factor_leaves_values_without_intervals(cluster, aggregate):
    frame = of_topics().assign(site="s", story=lambda d: d["unit"].str[-1])
    design = Ratings.from_frame(frame, scale="nominal", rater_source="source", cluster=cluster)
    result = js_similarity(design, reference="human", aggregate=aggregate, **FAST)
    for row in result.rows:
        assert (row.std_error, row.conf_low, row.conf_high) == (None, None, None)
        assert row.undefined
    if aggregate == "pooled":
        assert result.row("one (plug-in)").estimate == pytest.approx(
            1 - apart(of_topics(), None, "one"), rel=1e-12
        )
    assert result.verify().ok


def test_halvings_do_not_move_with_the_seed():
    design = sources(*drawn(6, 20, 4, 3))
    one, two = (
        js_similarity(design, seed=seed, **FAST).row("human (split-half)").estimate
        for seed in (0, 5)
    )
    assert one == two


def test_labels_of_strangers():
    rows = rows_of(*drawn(7, 12, 3, 3), domain=np.array(["a, b", "$x^2$\n<b>"])[np.arange(12) % 2])
    rows["source"] = rows["source"].map({"human": "h (plug-in)", "model": "h"})
    design = Ratings.from_frame(rows, scale="nominal", rater_source="source", strata="domain")
    result = js_similarity(design, reference="h (plug-in)", cell="domain", **FAST)
    assert not result.tidy().duplicated(["term", "group"]).any()
    assert "\n" not in result.sentence()
    assert result.plot() is not None


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"ci": "bca"}, "noncentral, t, percentile"),
        ({"ci": "noncentral", "aggregate": "unit"}, "pooled shares"),
        ({"ci": "t"}, "aggregate='unit'"),
        ({"aggregate": "mean"}, "pooled, unit"),
        ({"reference": "dog"}, "'human'"),
        ({"cell": "place"}, "place"),
        ({"source": "colour"}, "colour"),
        ({"refusal": "drop"}, "missing, level"),
        ({"permutations": 5}, "5"),
        ({"splits": 0}, "splits"),
    ],
)
def test_unusable_options(options, match):
    with pytest.raises(InputError, match=match):
        js_similarity(sources([[2, 1, 0]] * 4, [[1, 1, 0]] * 4), **options)


def test_a_single_source_is_nothing_to_compare():
    with pytest.raises(NothingToAnalyse, match="only source"):
        js_similarity(sources([[2, 1, 0]] * 4, np.zeros((4, 3))))


@pytest.mark.parametrize("aggregate", ["pooled", "unit"])
def test_numbers_of_a_cell_do_not_depend_on_other_cells(aggregate):
    """Of people each rates one story in a mood, and another one in the other: within a mood stories hold them."""
    rng, rows = np.random.default_rng(5), []
    for k, mood in enumerate(("calm", "tense")):
        for story in range(6):
            raters = [f"person {(story + k) % 6 * 5 + j}" for j in range(5)] + [
                f"run {j}" for j in range(4)
            ]
            rows += [
                (f"{mood} {story}", story, r.split()[0], r, mood, rng.choice(list("xyz")))
                for r in raters
            ]
    table = pd.DataFrame(rows, columns=["unit", "story", "source", "rater", "mood", "answer"])
    options = {
        "value": "answer",
        "rater_source": "source",
        "reference": "person",
        "scale": "nominal",
        "cluster": "story",
        "aggregate": aggregate,
    }
    both = js_similarity(table, strata="mood", cell="mood", **options)
    assert not [check for check in both.verify() if check.ok is False]
    for mood in ("calm", "tense"):
        alone = js_similarity(table[table["mood"] == mood], **options)
        for term in ("run", "run (plug-in)"):
            one, two = both.row(term, group=mood), alone.row(term)
            for field in ("estimate", "std_error", "df", "conf_low", "conf_high"):
                value, wanted = getattr(one, field), getattr(two, field)
                assert value == (None if wanted is None else pytest.approx(wanted, rel=1e-9)), (
                    mood,
                    term,
                    field,
                )
            assert two.df is None or two.df <= 5


def test_cells_of_several_strata_have_the_level_of_each_in_their_keys() -> None:
    rng = np.random.default_rng(3)
    rows = [
        (f"{area}-{stage}-{k}", area, stage, source, f"{source} {r}", "ab"[int(rng.integers(2))])
        for area in ("home", "work")
        for stage in ("one", "two")
        for k in range(4)
        for source in ("human", "model")
        for r in range(2)
    ]
    names = ["unit", "area", "stage", "source", "rater", "value"]
    frame = pd.DataFrame(rows, columns=names)
    reading: dict[str, Any] = {"rater_source": "source", "strata": ["area", "stage"]}
    few: dict[str, Any] = {"permutations": 99, "splits": 99}
    result = js_similarity(frame, scale="nominal", cell=("area", "stage"), **reading, **few)
    keys = {dict(row.key)["cell"]: dict(row.key) for row in result.rows if row.label("area")}
    assert {cell: (key["area"], key["stage"]) for cell, key in keys.items()} == {
        f"{area}, {stage}": (area, stage) for area in ("home", "work") for stage in ("one", "two")
    }
    single = js_similarity(frame, scale="nominal", cell="area", **reading, **few)
    assert {row.label("cell") for row in single.rows} > {"home", "work"}
    assert not any(row.label("area") for row in single.rows)

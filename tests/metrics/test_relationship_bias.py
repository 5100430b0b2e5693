from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import expit

from socialstats import Ratings, datasets, relationship_bias
from socialstats.designs.couples import couples_design
from socialstats.errors import DesignError, InputError, NothingToAnalyse
from tests.contracts.subjects import CouplesSubject
from tests.golden_data import golden

GROUPS = ("woman", "neutral", "man")
CELLS = ("first_group_both", "second_group_both", "first_place_both", "second_place_both")


@pytest.fixture(scope="module")
def bundled():
    return relationship_bias(
        datasets.relationship_bias(), groups=GROUPS, stratum="kind", resamples=399
    )


def table_of(scenarios=8, pairs=6, seed=3, groups=("a", "b"), favour=1.0):
    """Couples of different groups and of the same group, answered at random with a leaning to the last group."""
    rng = np.random.default_rng(seed)
    rows = []
    for s, (i, one), (j, two), k in itertools.product(
        range(scenarios), enumerate(groups), enumerate(groups), range(pairs)
    ):
        answer = 1 if rng.random() < expit(-0.3 + favour * (j - i) + 0.8 * np.sin(s)) else -1
        low, high = sorted((one, two))
        rows.append(
            (f"s{s}", f"{low}{high}{k}", one, two, f"{one}{k}", f"{two}{k}'", answer, "xy"[s % 2])
        )
    names = [
        "scenario",
        "pair",
        "group_first",
        "group_second",
        "name_first",
        "name_second",
        "answer",
        "topic",
    ]
    return pd.DataFrame(rows, columns=names)


def quick(data, **options):
    return relationship_bias(data, resamples=99, **options)


def mean_of(table, one, two):
    return table[(table.group_first == one) & (table.group_second == two)].answer.mean()


# --- against R


@pytest.mark.parametrize("kind", ["bias", "position"])
def test_estimates_errors_intervals_and_tests_are_those_of_r(bundled, kind):
    for term, r in golden("relationship_bias")[kind].items():
        row = bundled.row(term, group=kind)
        ours = (
            row.estimate,
            row.std_error,
            row.df,
            row.statistic,
            row.conf_low,
            row.conf_high,
            row.p_value,
        )
        names = ("estimate", "std_error", "df", "statistic", "low", "high", "p")
        assert ours == pytest.approx([r[n] for n in names], rel=1e-10), term  # the same closed form


def test_levels_of_a_stratum_are_those_of_r(bundled):
    for level, pairs in golden("relationship_bias")["by_kind"].items():
        for term, r in pairs.items():
            row = bundled.row(term, group=f"kind = {level}")
            assert (row.estimate, row.std_error, row.df) == pytest.approx(
                [r[n] for n in ("estimate", "std_error", "df")], rel=1e-10
            )


def test_differences_of_levels_are_those_of_r(bundled):
    """Two means with scenarios of their own and the same pairs of names: V, df and Cochran's t by matrices in R."""
    for term, r in golden("relationship_bias")["between_kinds"].items():
        row = bundled.row(term, group="egalitarian - traditional")
        ours = (
            row.estimate,
            row.std_error,
            row.df,
            row.statistic,
            row.conf_low,
            row.conf_high,
            row.p_value,
        )
        names = ("estimate", "std_error", "df", "statistic", "low", "high", "p")
        assert ours == pytest.approx([r[n] for n in names], rel=1e-9), term


def test_topics_are_those_of_r():
    result = quick(datasets.relationship_bias(), groups=GROUPS, stratum="topic")
    wanted = golden("relationship_bias")["by_topic"]
    assert len(wanted) == 8
    for topic, pairs in wanted.items():
        for term, value in pairs.items():
            assert result.row(term, group=f"topic = {topic}").estimate == pytest.approx(
                value, rel=1e-10
            )
    alone = result.row("woman - man", group="topic = household in general")  # one scenario
    assert alone.conf_low is None
    assert "single cluster" in alone.undefined


def test_scenario_means_mcnemar_holm_and_b_all_are_those_of_r(bundled):
    entry = golden("relationship_bias")
    for term, r in entry["scenario_means"].items():
        row = bundled.row(term, group="scenario means")
        assert (
            row.estimate,
            row.statistic,
            row.df,
            row.p_value,
            row.conf_low,
            row.conf_high,
        ) == pytest.approx(
            [r[n] for n in ("estimate", "statistic", "df", "p", "low", "high")], rel=1e-9
        )
    for term, r in entry["couples"].items():
        chi = bundled.row(term, group="McNemar, ignoring clusters")
        mid = bundled.row(term, group="McNemar mid-p, ignoring clusters")
        assert bundled.extras["mcnemar_cells"][term] == {name: r[name] for name in CELLS}
        assert (chi.statistic, chi.p_value, mid.p_value) == pytest.approx(
            [r["statistic"], r["p"], r["mid_p"]], rel=1e-9
        )
        assert chi.n == sum(r[name] for name in CELLS)
        assert chi.estimate == pytest.approx(2 * (r[CELLS[0]] - r[CELLS[1]]) / chi.n)
    for term, p in entry["holm"].items():
        assert bundled.row(term, group="bias").p_adjusted == pytest.approx(p, rel=1e-9)
    assert bundled.row("B_all", group="overall").estimate == pytest.approx(
        entry["b_all"], rel=1e-12
    )


def test_the_truth_of_the_simulation_is_inside(bundled):
    truth = datasets.relationship_bias_truth()
    for kind, group in (("all", "bias"), ("traditional", "kind = traditional")):
        row = bundled.row("woman - man", group=group)
        assert row.conf_low < truth.bias[kind, "woman", "man"] < row.conf_high
    assert bundled.row("woman", group="position").conf_high < 0  # the first name has an advantage
    mean = np.mean(
        [
            abs(truth.bias["all", *p])
            for p in (("woman", "man"), ("woman", "neutral"), ("neutral", "man"))
        ]
    )
    better = bundled.row("B_all corrected", group="overall")
    assert better.conf_low < mean < better.conf_high
    # the naive test finds a difference that is not there, and the result says so
    assert bundled.row("neutral - man", group="McNemar, ignoring clusters").p_value < 0.05
    assert bundled.row("neutral - man", group="bias").p_value > 0.2
    assert "neutral - man" in next(c.detail for c in bundled.cautions if c.code == "SS316")


# --- by hand


def test_scores_by_hand():
    table = table_of()
    result = quick(table, groups=("b", "a"))
    assert result.row("b - a", group="bias").estimate == pytest.approx(
        mean_of(table, "a", "b") - mean_of(table, "b", "a")
    )
    assert result.row("b, a", group="score").estimate == pytest.approx(mean_of(table, "b", "a"))
    assert result.row("a", group="position").estimate == pytest.approx(mean_of(table, "a", "a"))
    mean = (mean_of(table, "a", "a") + mean_of(table, "b", "b")) / 2
    assert result.row("same groups").estimate == pytest.approx(mean)
    assert result.row("b - a", group="bias").estimate > 0  # b was favoured
    other = quick(table)
    assert other.row("a - b", group="bias").estimate == -result.row("b - a", group="bias").estimate


def test_a_complete_design_is_the_mean_of_couples():
    """The regression of all answers and the two-way clustered mean of couples' differences are the same."""
    from socialstats.inference.clustered_mean import clustered_mean

    table = table_of()
    wide = table[table.group_first != table.group_second].pivot(
        index=["scenario", "pair"], columns="group_first", values="answer"
    )
    d = (wide["b"] - wide["a"]).to_numpy(dtype=float)
    codes = [wide.index.get_level_values(k).factorize()[0] for k in (0, 1)]
    for cluster, used in (("declared", codes), ("scenario", codes[:1]), ("pair", codes[1:])):
        mean = clustered_mean(d, np.ones(len(d)), used)
        row = quick(table, cluster=cluster).row("a - b", group="bias")
        assert (row.estimate, row.std_error) == pytest.approx((mean.mean, mean.std_error))
        assert 5.0 <= row.df <= 7.0 if len(used) > 1 else row.df == pytest.approx(mean.df)


def test_degrees_of_freedom_of_two_factors_weigh_both():
    """Cochran (1964) by hand: the t quantile is the mean of those of scenarios and of pairs, weighted by V1 and V2."""
    table = table_of(scenarios=9, pairs=3)
    row = quick(table).row("a - b", group="bias")
    wide = table[table.group_first != table.group_second].pivot(
        index="scenario", columns=["pair", "group_first"], values="answer"
    )
    d = (wide.xs("b", level=1, axis=1) - wide.xs("a", level=1, axis=1)).to_numpy(dtype=float)
    v1, v2 = (d.mean(axis=k).var(ddof=1) / d.shape[1 - k] for k in (1, 0))
    wanted = (v1 * stats.t.ppf(0.975, 8) + v2 * stats.t.ppf(0.975, 2)) / (v1 + v2)
    assert stats.t.ppf(0.975, row.df) == pytest.approx(wanted, rel=1e-9)


def test_scenarios_alike():
    table = table_of().iloc[7:].drop(index=[30, 31, 32, 40, 90])
    result = quick(table, aggregate="scenario")
    means = (
        table.groupby(["scenario", "group_first", "group_second"])
        .answer.mean()
        .unstack([1, 2])
        .mean()
    )
    assert result.row("a - b", group="bias").estimate == pytest.approx(
        means["b", "a"] - means["a", "b"]
    )
    assert (
        result.row("a - b", group="bias").estimate
        != quick(table).row("a - b", group="bias").estimate
    )
    assert result.verify().ok


def test_raters_one_by_one():
    """The mean of absolute biases over models, which Levy et al. tabulate, is not that of the pooled answers."""
    one, two = table_of(seed=1, favour=1.2), table_of(seed=2, favour=-1.2)
    both = pd.concat([one.assign(model="m1"), two.assign(model="m2")])
    result = quick(both, aggregate="rater")
    each = [quick(t).row("a - b", group="bias").estimate for t in (one, two)]
    assert result.row("a - b", group="bias").estimate == pytest.approx(np.mean(each))
    assert result.row("B_all", group="overall").estimate == pytest.approx(np.mean(np.abs(each)))
    pooled = quick(both)
    assert pooled.row("B_all", group="overall").estimate == pytest.approx(abs(np.mean(each)))
    assert result.counts["raters"] == 2
    assert result.verify().ok
    assert pooled.verify().ok


@pytest.mark.parametrize("aggregate", ["pooled", "scenario", "rater"])
@pytest.mark.parametrize("cluster", ["declared", "scenario", "pair", None])
@pytest.mark.parametrize("couples", ["all", "complete"])
@pytest.mark.slow
def test_every_way_to_aggregate_is_verified(aggregate, cluster, couples):
    subject = CouplesSubject("couples", ())
    result = quick(
        subject.design(subject.rows()), aggregate=aggregate, cluster=cluster, couples=couples
    )
    verification = result.verify()
    assert verification.ok, verification.tidy().to_string()
    # the correction of B_all, its intervals and its expected value draw errors
    sizes = {k for k, row in enumerate(result.rows) if row.label("quantity")}
    for check in verification:
        assert check.ok or check.field == "counts" or check.row in sizes
    assert any(c.code == "SS201" for c in result.cautions) == (cluster != "declared")


@pytest.mark.slow
def test_the_check_notices_wrong_errors_and_statistics(bundled):
    for group, field in (
        ("bias", "std_error"),
        ("scenario means", "statistic"),
        ("overall", "estimate"),
        ("McNemar, ignoring clusters", "statistic"),
        ("scenario sign flip", "statistic"),
    ):
        at = next(k for k, row in enumerate(bundled.rows) if row.group == group)
        rows = list(bundled.rows)
        rows[at] = replace(rows[at], **{field: getattr(rows[at], field) + 0.05})
        assert not replace(bundled, rows=tuple(rows)).verify().ok, (group, field)


# --- incomplete couples, copies, refusals


def test_incomplete_couples_are_counted_and_listed():
    table = table_of()
    gone = table.index[(table.group_first == "a") & (table.group_second == "b")][:3]
    holes = table.assign(answer=table.answer.astype("Int64").mask(table.index.isin(gone)))
    result = quick(holes)
    assert result.counts["couples answered in one order only"] == 3
    listed = result.extras["one_order_only"]
    assert [(x["scenario"], x["pair"]) for x in listed] == list(
        table.loc[gone, ["scenario", "pair"]].itertuples(index=False, name=None)
    )
    assert {(x["no_answer_with_first"], x["and_second"]) for x in listed} == {("a", "b")}
    assert (
        result.row("a - b", group="McNemar, ignoring clusters").n
        == result.counts["complete couples"]
    )
    assert "3 couples were answered in one order only" in next(
        c.detail for c in result.cautions if c.code == "SS301"
    )
    ab = table.drop(index=gone)
    assert result.row("a - b", group="bias").estimate == pytest.approx(
        mean_of(ab, "b", "a") - mean_of(ab, "a", "b")
    )
    lost = set(table.loc[gone, ["scenario", "pair"]].itertuples(index=False, name=None))
    complete = table[[key not in lost for key in zip(table.scenario, table.pair, strict=True)]]
    alone, wanted = quick(holes, couples="complete"), quick(complete)
    for one, two in zip(alone.rows, wanted.rows, strict=True):
        assert (one.estimate, one.std_error, one.p_value) == (
            two.estimate,
            two.std_error,
            two.p_value,
        ), one.term


def test_alike_units_count():
    """A unit that stands for two is two units of the same clusters."""
    subject = CouplesSubject("couples", ())
    rows = subject.rows()
    rows = rows[rows.rater == "ann"]
    twice = pd.concat([rows, rows.assign(unit=rows.unit + "x")])
    one = quick(replace(subject.design(rows), unit_count=np.full(rows.unit.nunique(), 2.0)))
    two = quick(subject.design(twice))
    for a in one.rows[:12]:
        b = two.row(a.term, group=a.group)
        assert (a.estimate, a.n) == pytest.approx((b.estimate, b.n))
        if a.group in ("bias", "score", "position"):
            assert a.std_error == pytest.approx(b.std_error)
    assert one.verify().ok
    assert "several answers" in two.row("man - none", group="McNemar, ignoring clusters").undefined


def test_answers_of_other_names_and_refusals():
    table = table_of()
    named = table.assign(answer=table.answer.map({-1: "NAME1", 1: "NAME2"}))
    named.loc[5, "answer"] = "I cannot say"
    design = couples_design(named, answers=("NAME1", "NAME2"), refusal="I cannot say")
    assert isinstance(design, Ratings)
    result = quick(design, answers=("NAME1", "NAME2"))
    assert result.counts["answers"] == len(table) - 1
    wanted = quick(table.drop(index=5))
    assert [r.estimate for r in result.rows] == [r.estimate for r in wanted.rows]
    assert result.verify().ok
    flipped = quick(table, answers=(1, -1)).row("a - b", group="bias").estimate
    assert flipped == -quick(table).row("a - b", group="bias").estimate


def test_models_of_a_by_column():
    both = pd.concat([table_of(seed=s).assign(model=f"m{s}", rater="x") for s in (1, 2)])
    group = quick(couples_design(both, by="model"))
    for s in (1, 2):
        assert group[f"m{s}"].row("a - b", group="bias").estimate == pytest.approx(
            quick(table_of(seed=s)).row("a - b", group="bias").estimate
        )


# --- inference


def test_bootstrap_intervals_are_near_those_of_t():
    table = table_of(scenarios=25, pairs=15)
    for ci in ("percentile", "basic"):
        row = relationship_bias(table, ci=ci, cluster="scenario", resamples=999).row(
            "a - b", group="bias"
        )
        assert row.conf_low < row.estimate < row.conf_high
        width = quick(table, cluster="scenario").row("a - b", group="bias")
        assert row.conf_high - row.conf_low == pytest.approx(
            width.conf_high - width.conf_low, rel=0.2
        )
        assert ci in row.method


def biases_of_couples(table):
    """One difference (group a favoured) a scenario and pair of names."""
    wide = table[table.group_first != table.group_second].pivot(
        index=["scenario", "pair"], columns="group_first", values="answer"
    )
    return (wide["b"] - wide["a"]).astype(float).unstack()


def test_difference_of_two_levels_is_welchs_on_the_means_of_their_scenarios():
    table = table_of(scenarios=6)
    row = quick(table, stratum="topic", cluster="scenario").row("a - b", group="x - y")
    means = biases_of_couples(table).mean(axis=1).to_numpy()
    welch = stats.ttest_ind(means[::2], means[1::2], equal_var=False)
    assert (row.statistic, row.df, row.p_value) == pytest.approx(
        (welch.statistic, welch.df, welch.pvalue), rel=1e-9
    )
    assert "each level around its own mean" in row.method


def test_difference_of_two_levels_counts_scenarios_of_both_and_shared_pairs():
    """Written out for a complete table: scenarios belong to one level, pairs of names have part in both."""
    table = table_of(scenarios=8, pairs=5)
    row = quick(table, stratum="topic").row("a - b", group="x - y")
    d = biases_of_couples(table).to_numpy()
    x, y = d[::2], d[1::2]
    of_x, of_y = (part.mean(axis=1).var(ddof=1) / 4 for part in (x, y))  # Welch's, 3 df each
    scenarios = of_x + of_y
    pairs = (x.mean(axis=0) - y.mean(axis=0)).var(ddof=1) / 5  # paired, 4 df
    off = sum(((part - part.mean()) ** 2).sum() / part.size**2 for part in (x, y))
    variance = max(scenarios, pairs, scenarios + pairs - off)
    df = scenarios**2 / ((of_x**2 + of_y**2) / 3)
    wanted = (scenarios * stats.t.ppf(0.975, df) + pairs * stats.t.ppf(0.975, 4)) / (
        scenarios + pairs
    )
    assert row.estimate == pytest.approx(x.mean() - y.mean())
    assert row.std_error == pytest.approx(np.sqrt(variance), rel=1e-9)
    assert stats.t.ppf(0.975, row.df) == pytest.approx(wanted, rel=1e-9)


def test_a_level_with_one_scenario_or_without_variation_has_no_test_of_a_difference():
    table = table_of(scenarios=5, pairs=4).assign(
        topic=lambda t: t.scenario.where(t.scenario == "s4", "rest")
    )
    result = quick(table, stratum="topic", stratum_rows="scores")
    gaps = [row for row in result.rows if row.group == "rest - s4" and not row.label("quantity")]
    assert len(gaps) == 6
    for row in gaps:
        assert (
            row.undefined
            == "'s4' has a single scenario, so the variance between clusters is unknown"
        )
        assert (row.reason, row.std_error, row.p_value, row.conf_low) == (
            "one_cluster",
            None,
            None,
            None,
        )
    alike = table_of(scenarios=6).assign(answer=lambda t: t.answer.where(t.topic == "x", -1))
    row = quick(alike, stratum="topic").row("a - b", group="x - y")
    assert (row.std_error, row.reason) == (None, "no_variation")
    assert result.verify().ok


def test_groups_of_models_are_compared_on_the_same_scenarios():
    """The difference of two models is paired within scenarios: what both share leaves its error."""
    one = table_of(scenarios=10, pairs=5)
    two = one.assign(answer=one.answer.where(np.arange(len(one)) % 7 > 0, -1))
    both = pd.concat(
        [one.assign(model="m1", tuned="yes"), two.assign(model="m2", tuned="no")], ignore_index=True
    )
    result = quick(both, stratum="tuned", rater_groups=["tuned"])
    gap = result.row("a - b", group="no - yes")
    each = [quick(rows).row("a - b", group="bias") for rows in (two, one)]
    assert gap.estimate == pytest.approx(each[0].estimate - each[1].estimate)
    assert gap.std_error < 0.7 * np.hypot(*(row.std_error for row in each))
    assert result.verify().ok


def test_levels_weigh_alike_with_what_they_differ_by_in_the_error():
    rows = table_of(scenarios=6, pairs=5).assign(
        topic=lambda r: r.scenario.map(
            dict(zip([f"s{k}" for k in range(6)], "xxxyyz", strict=True))
        )
    )
    row = quick(rows, stratum="topic", cluster="scenario").row(
        "a - b", group="levels of topic alike"
    )
    means = rows.groupby(["topic", "group_first", "group_second"]).answer.mean()
    wanted = np.mean([means[t, "b", "a"] - means[t, "a", "b"] for t in "xyz"])
    assert row.estimate == pytest.approx(wanted)
    assert row.conf_low is not None  # topic z has one scenario
    whole = {
        first: np.mean([means[t, *first] for t in "xyz"]) for first in (("a", "b"), ("b", "a"))
    }
    sums, shares = [], []
    for _, own in rows.groupby("scenario"):
        size = {"x": 15, "y": 10, "z": 5}[own.topic.iloc[0]]
        off = [
            (1 if (a, b) == ("b", "a") else -1) * (v - whole[a, b]) / size / 3
            for a, b, v in zip(own.group_first, own.group_second, own.answer, strict=True)
            if a != b
        ]
        sums.append(sum(off))
        shares.append(1 / 6)
    assert row.std_error == pytest.approx(np.sqrt(np.sum(np.square(sums) / (1 - np.array(shares)))))


def test_nothing_varies():
    table = table_of()
    first = quick(table.assign(answer=-1))
    row = first.row("a - b", group="bias")
    assert (row.estimate, row.std_error, row.p_value) == (0.0, None, None)
    assert "always answered alike" in row.undefined
    assert first.row("a - b", group="scenario sign flip").p_value == 1.0
    one = quick(table.assign(answer=np.where(table.group_first == "a", -1, 1)))
    assert one.row("a - b", group="bias").estimate == 2.0
    assert one.row("a - b", group="scenario sign flip").p_value == pytest.approx(2 / 2**8)
    assert one.row("B_all corrected").undefined


def test_one_pair_of_names_a_kind_says_nothing_about_other_names():
    """Resampling scenarios and the one pair leaves the pair's effect out: B has no interval, nor has B_all."""
    result = quick(table_of(pairs=1, groups=("a", "b", "c")))
    for row in (
        result.row("a - b", group="bias"),
        *(result.row(t, group="overall") for t in ("B_all",)),
    ):
        assert row.estimate is not None
        assert (row.std_error, row.conf_low) == (None, None)
        assert "single" in row.undefined
    more = quick(table_of(pairs=2, groups=("a", "b", "c"))).row("B_all", group="overall")
    assert more.conf_low < more.estimate < more.conf_high


def demet(rng, scenarios, pairs, sd_scenario, sd_pair):
    """Couples of two groups without a bias on average: scenarios and pairs favour one or the other by chance."""
    lean, own = rng.normal(0, sd_scenario, scenarios), rng.normal(-0.4, 1.0, scenarios)
    names = rng.normal(0, sd_pair, pairs)
    s, p, order = (x.ravel() for x in np.indices((scenarios, pairs, 2)))
    eta = own[s] + (2 * order - 1) * (lean[s] + names[p])
    score = np.where(rng.random(len(eta)) < expit(eta), 1.0, -1.0)
    return s, p, order, score


@pytest.mark.parametrize(
    ("scenarios", "pairs", "sd_scenario", "sd_pair"),
    [(29, 20, 0.5, 0.3), (29, 20, 0.0, 0.0), (109, 14, 0.5, 0.3)],
)
@pytest.mark.slow
def test_false_positives_are_at_most_7_percent(scenarios, pairs, sd_scenario, sd_pair):
    """Of a true null on the design of 29 scenarios x 20 pairs: 600 runs, Monte-Carlo s.e. .009."""
    from socialstats.paired.matched_pairs import asymptotic
    from socialstats.scales.couples import (
        CoupleAnswers,
        cell_scores,
        clustered_mean_of,
        combine_cells,
        match_couples,
    )

    rng = np.random.default_rng(12)
    default, naive = [], []
    for _ in range(600):
        s, p, order, score = demet(rng, scenarios, pairs, sd_scenario, sd_pair)
        units = np.arange(len(s))
        answers = CoupleAnswers(
            score=score,
            count=np.ones(len(s)),
            unit=units,
            scenario=s,
            pair=p,
            rater=np.zeros(len(s), dtype=np.int64),
            first=order,
            second=1 - order,
        )
        means = cell_scores(answers)
        contrast = np.array([{(0, 1, 0): 1.0, (0, 0, 1): -1.0}[cell] for cell in means.cells])
        found = clustered_mean_of(combine_cells(means, contrast, len(s)), np.ones(len(s)), [s, p])
        default.append(found.p_value() < 0.05)
        naive.append(asymptotic(match_couples(answers).cells(0, 1)).p < 0.05)
    assert np.mean(default) <= 0.07
    assert np.mean(default) >= 0.01
    if sd_scenario:
        assert np.mean(naive) > 0.15  # what taking couples as independent does


# --- bad input


def test_what_is_not_declared_is_named():
    table = table_of()
    with pytest.raises(DesignError, match=r"no column 'pair' \(asked for as pair\)"):
        quick(table.drop(columns="pair"))
    with pytest.raises(DesignError, match=r"no stratum or cluster 'village'.*scenario="):
        quick(couples_design(table), scenario="village")
    with pytest.raises(DesignError, match="no stratum or cluster 'village'"):
        quick(couples_design(table), stratum="village")
    with pytest.raises(DesignError, match="no column 'village'"):
        quick(table, stratum="village")
    with pytest.raises(InputError, match="no group 'c'"):
        quick(table, groups=("a", "c"))
    with pytest.raises(InputError, match="at least two different groups"):
        quick(table, groups=("a", "a"))
    with pytest.raises(DesignError, match="no couple of two different groups"):
        quick(table[table.group_first == table.group_second])


def test_wrong_answers_and_options_are_named():
    table = table_of()
    with pytest.raises(InputError, match="0"):
        quick(table.assign(answer=table.answer.replace(-1, 0)))
    design = Ratings.from_frame(
        table.assign(unit=range(len(table)), rater="m", value=table.answer.replace(-1, 3)),
        cluster=["scenario", "pair"],
        strata=["group_first", "group_second"],
        scale="nominal",
        levels=[1, 3],
    )
    with pytest.raises(DesignError, match=r"neither '-1'.*'3'"):
        quick(design)
    for option, value in (("aggregate", "model"), ("couples", "some"), ("ci", "bca")):
        with pytest.raises(InputError, match=f"{option}='{value}' is not one of"):
            quick(table, **{option: value})
    with pytest.raises(InputError, match="two different answers"):
        quick(table, answers=(1, 1))
    with pytest.raises(NothingToAnalyse):
        quick(table.assign(answer=pd.NA))
    with pytest.raises(InputError, match="resamples"):
        relationship_bias(table, resamples=5)


def test_hostile_labels():
    names = {"a": "=cmd()|'\n", "b": "<script>alert(1)</script>" * 4}
    table = table_of().replace(names)
    result = quick(table)
    assert "\n" not in result.sentence()
    assert result.verify().ok
    result.plot()

"""Leaderboards: R's t tests and CR2, statsmodels' Holm, missing scores, poolings, ranks, what is undefined."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import socialstats as ss
from tests.golden_data import golden, golden_frame

R = golden("leaderboard")
FRAME = golden_frame("leaderboard.csv")


def board(value="score", cluster=(), frame=FRAME, **options):
    return ss.leaderboard(ss.model_scores(frame, value=value, cluster=cluster), **options)


def check(row, wanted):
    assert row.estimate == pytest.approx(wanted["estimate"], abs=1e-12)
    assert row.std_error == pytest.approx(wanted["std_error"], rel=1e-10)
    assert row.df == pytest.approx(wanted["df"], rel=1e-10)
    assert row.p_value == pytest.approx(wanted["p"], rel=1e-9)
    assert row.p_adjusted == pytest.approx(wanted["p_holm"], rel=1e-9)


def test_differences_of_one_task_are_rs_paired_t_tests():
    result = board(task=None)
    for name, wanted in R["one_task"]["score"].items():
        row = result.row(name, group="difference")
        check(row, wanted)
        assert (row.conf_low, row.conf_high) == pytest.approx(
            (wanted["low"], wanted["high"]), rel=1e-10
        )
    for model, mean in R["one_task"]["mean"].items():
        assert result.row(model, group="mean").estimate == pytest.approx(mean, rel=1e-12)


def test_shares_of_one_task_have_rs_wilson_intervals():
    result = board("correct", task=None)
    for model, ends in R["one_task"]["wilson"].items():
        row = result.row(model, group="mean")
        assert (row.conf_low, row.conf_high) == pytest.approx(ends, rel=1e-10)


@pytest.mark.parametrize(
    ("value", "cluster", "key"),
    [("score", "story", "story"), ("score", (), "independent"), ("correct", "story", "correct")],
)
def test_tasks_are_pooled_with_rs_errors(value, cluster, key):
    result = board(value, cluster)
    for name, wanted in R["tasks"][key].items():
        check(result.row(name, group="difference"), wanted)


@pytest.mark.parametrize("pooling", ["tasks", "units"])
def test_the_other_pooling_stands_beside_the_one_asked_for(pooling):
    result = board(pooling=pooling)
    by_task = FRAME.groupby(["model", "task"])["score"].mean().groupby("model").mean()
    over_units = FRAME.groupby("model")["score"].mean()
    other = {"tasks": "mean over units", "units": "mean over tasks"}[pooling]
    first, second = (by_task, over_units) if pooling == "tasks" else (over_units, by_task)
    for model in first.index:
        assert result.row(model, group="mean").estimate == pytest.approx(first[model], rel=1e-12)
        assert result.row(model, group=other).estimate == pytest.approx(second[model], rel=1e-12)


def test_poolings_that_agree_are_said_once():
    same = FRAME[FRAME["item"] <= 12]
    assert not [row for row in board(frame=same).rows if row.group == "mean over units"]


def holes(seed=3, share=0.2):
    rng = np.random.default_rng(seed)
    return FRAME[(rng.random(len(FRAME)) > share) | (FRAME["model"] == "ash")]


def test_missing_scores_leave_each_pair_its_own_units():
    frame = holes()
    result = board(frame=frame, task=None)
    wide = frame.pivot(index=["task", "item"], columns="model", values="score")
    p = {}
    for a, b in combinations(wide.columns, 2):
        both = wide[[a, b]].dropna()
        row = result.row(f"{a} - {b}", group="difference")
        wanted = stats.ttest_rel(both[a], both[b])
        assert (row.statistic, row.df, row.n_units) == (
            pytest.approx(wanted.statistic),
            len(both) - 1,
            len(both),
        )
        p[f"{a} - {b}"] = wanted.pvalue
    holm = dict(zip(p, multipletests([*p.values()], method="holm")[1], strict=True))
    for name, value in holm.items():
        assert result.row(name, group="difference").p_adjusted == pytest.approx(value)
    for model in wide.columns:
        assert result.row(model, group="mean").estimate == pytest.approx(wide[model].mean())
        shared = result.row(model, group="mean on shared units")
        assert shared.estimate == pytest.approx(wide.dropna()[model].mean())
    (said,) = [c for c in result.cautions if c.code == "SS342"]
    assert f"'birch' {int(wide['birch'].isna().sum())}" in said.detail
    assert result.extras["missing"] == wide.isna().sum().to_dict()


def test_a_model_without_a_task_has_no_mean_over_tasks_but_one_over_units():
    frame = FRAME[(FRAME["model"] != "cedar") | (FRAME["task"] != "law")]
    row = board(frame=frame).row("cedar", group="mean")
    assert row.estimate is None
    assert row.undefined.startswith("no unit of task 'law'")
    assert board(frame=frame, pooling="units").row("cedar", group="mean").estimate is not None
    ranks = board(frame=frame).ranks()
    assert ranks.row("cedar").undefined == row.undefined


def test_a_board_on_which_no_model_has_all_tasks_has_no_ranks():
    names = sorted(set(FRAME["model"]))
    tasks = sorted(set(FRAME["task"]))
    frame = FRAME[
        [tasks[names.index(m) % len(tasks)] != t for m, t in FRAME[["model", "task"]].to_numpy()]
    ]
    ranks = board(frame=frame).ranks()
    assert all(row.estimate is None and row.undefined for row in ranks.rows)
    assert ranks.sentence().startswith("No model has a mean (no unit of task")


def test_every_number_is_recomputed_with_holes_clusters_and_tasks():
    for value in ("score", "correct"):
        for frame in (FRAME, holes()):
            for cluster in ("story", ()):
                result = board(value, cluster, frame)
                assert result.verify().ok, result.verify().tidy().query("ok == False").to_string()
                for kind in ("marginal", "simultaneous"):
                    assert result.ranks(kind=kind).verify().ok


def test_ranks_with_few_units_count_what_holms_method_finds():
    rng = np.random.default_rng(1)
    rows = [(f"m{k}", i, 0.9 * k + rng.normal()) for k in range(5) for i in range(12)]
    result = ss.leaderboard(pd.DataFrame(rows, columns=["model", "item", "score"]))
    pairs = {row.term: row for row in result.rows if row.group == "difference"}
    found = {
        row.term: (row.conf_low, row.conf_high) for row in result.ranks(kind="simultaneous").rows
    }
    for model in result.design.raters:
        above = below = 0
        for name, row in pairs.items():
            one, other = name.split(" - ")
            if model in (one, other) and row.p_adjusted <= 0.05:
                wins = (row.estimate > 0) == (model == one)
                above, below = above + (not wins), below + wins
        assert found[model] == (1 + above, 5 - below)
    assert any(low > 1 for low, _ in found.values())


def test_ranks_of_many_units_are_max_t_sets_inside_those_of_holm():
    rng = np.random.default_rng(2)
    ease = rng.normal(size=400)
    rows = [(f"m{k}", i, ease[i] + 0.12 * k + rng.normal()) for k in range(6) for i in range(400)]
    result = ss.leaderboard(pd.DataFrame(rows, columns=["model", "item", "score"]))
    sets = result.ranks(kind="simultaneous", seed=4)
    assert "max-t" in sets.rows[0].method
    calls = sum(row.p_adjusted <= 0.05 for row in result.rows if row.group == "difference")
    width = sum(row.conf_high - row.conf_low for row in sets.rows)
    assert (
        width <= 6 * 5 - 2 * calls + 1
    )  # a called pair takes a rank from both; max-t calls at least as many but for luck
    assert result.ranks(kind="marginal", seed=4).row("m5").conf_low >= sets.row("m5").conf_low
    assert result.ranks(seed=1).to_dict() == result.ranks(seed=1).to_dict()


@pytest.mark.parametrize(
    ("rows", "group", "term", "reason"),
    [
        ([("a", 1, 3.0), ("b", 1, 4.0)], "mean", "a", "one unit only"),
        (
            [("a", k, 5.0) for k in range(4)] + [("b", k, 4.0) for k in range(4)],
            "difference",
            "a - b",
            "are equal: no",
        ),
        (
            [("a", 1, 1.5), ("a", 2, 2.5), ("b", 3, 1.0), ("b", 4, 7.0)],
            "difference",
            "a - b",
            "no unit has scores of both",
        ),
    ],
)
def test_what_does_not_exist_has_a_reason_and_no_p(rows, group, term, reason):
    result = ss.leaderboard(pd.DataFrame(rows, columns=["model", "item", "score"]))
    row = result.row(term, group=group)
    assert reason in row.undefined
    assert row.std_error is None
    assert row.p_value is None
    assert result.ranks(kind="simultaneous").row("a").conf_high == 2


@pytest.mark.slow
def test_equal_models_are_rarely_told_apart():
    """The share of simulations with any false difference, 200 tables: 5% with a Monte-Carlo error of 1.5%."""
    rng, wrong = np.random.default_rng(11), 0
    unit, model = (a.ravel() for a in np.meshgrid(np.arange(60), list("abcd")))
    for _ in range(200):
        scenario = np.repeat(
            rng.normal(size=(20, 4)), 3, axis=0
        )  # models vary by scenario, three items each
        y = (scenario + rng.normal(size=(60, 4))).T.ravel()
        frame = pd.DataFrame(
            {"model": model, "item": unit, "score": y, "scenario": unit // 3, "task": unit // 3 % 2}
        )
        result = ss.leaderboard(ss.model_scores(frame, cluster="scenario"))
        wrong += any(row.p_adjusted <= 0.05 for row in result.rows if row.group == "difference")
    assert wrong / 200 < 0.05 + 3 * 0.0154


@pytest.mark.slow
def test_intervals_of_shares_over_tasks_cover_and_stay_in_range():
    """200 tables of two models, ten tasks of ten items: 95% of intervals hold the truth, Monte-Carlo error 1.1%."""
    rng, held = np.random.default_rng(5), 0
    chance = np.linspace(0.85, 0.99, 10)
    task, item, model = (a.ravel() for a in np.meshgrid(np.arange(10), np.arange(10), list("ab")))
    for _ in range(200):
        frame = pd.DataFrame(
            {"model": model, "task": task, "item": item, "score": rng.random(200) < chance[task]}
        )
        for row in ss.leaderboard(frame).rows[:2]:
            assert 0 <= row.conf_low < row.conf_high <= 1
            held += row.conf_low <= chance.mean() <= row.conf_high
    assert abs(held / 400 - 0.955) < 0.033


def test_models_with_the_same_mean_share_the_first_place():
    frame = pd.DataFrame(
        {"model": list("aabbcc"), "item": [1, 2] * 3, "score": [1.0, 0, 0, 1, 0, 0]}
    )
    assert (
        ss.leaderboard(frame)
        .sentence()
        .startswith("2 of 3 models tied for first (mean score .500; ")
    )
    assert ss.leaderboard(frame).sentence().endswith("; 2 items): a and b.")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: board(task="topic"), "task='topic' is no stratum. Declared: 'task'"),
        (lambda: board(pooling="all"), "pooling='all' is not one of tasks, units"),
        (
            lambda: board(cluster=("story", "half"), frame=FRAME.assign(half=FRAME["item"] % 2)),
            "one cluster factor",
        ),
        (
            lambda: board(cluster="item", frame=FRAME.drop(columns="story")),
            "'item' already is the unit",
        ),
        (lambda: board(frame=FRAME[FRAME["model"] == "ash"]), "this table has one model, 'ash'"),
        (lambda: board().ranks(kind="both"), "kind='both' is not one of"),
    ],
)
def test_wrong_options_are_named(call, message):
    with pytest.raises(ss.InputError) as error:
        call()
    assert message in str(error.value)


def test_labels_are_no_scores():
    design = ss.Ratings.from_frame(
        {"unit": [1, 1, 2, 2], "rater": list("abab"), "value": list("xyzx")}, levels=list("xyz")
    )
    with pytest.raises(ss.DesignError, match="needs numbers, or two levels"):
        ss.leaderboard(design)


def test_sentence_and_figure_say_the_leader():
    result = board("correct", "story")
    assert result.sentence().startswith("cedar had the highest mean score of 3 models (")
    assert "; 48 items of 3 tasks, tasks weighted equally). The mean score " in result.sentence()
    assert result.plot().get_yticklabels()[0].get_text() == "cedar"
    assert len(result.plot(group="task: law").get_yticklabels()) == 3
    with pytest.raises(ss.InputError, match="no group 'task: x'"):
        result.plot(group="task: x")


def test_a_small_task_without_variation_keeps_the_width_of_its_few_units():
    """Task s: 5 of 5 right, for both models; its own interval reaches far down, and half as far that of the mean."""
    rng = np.random.default_rng(1)
    score = {m: np.r_[np.ones(5), rng.random(200) < 0.7] for m in "ab"}
    frame = pd.DataFrame(
        {
            "model": np.repeat(["a", "b"], 205),
            "task": (["s"] * 5 + ["L"] * 200) * 2,
            "item": [*range(205)] * 2,
            "score": np.concatenate([score["a"], score["b"]]).astype(int),
        }
    )
    result = ss.leaderboard(frame)
    whole, small = result.row("a", group="mean"), result.row("a", group="task: s")
    assert whole.estimate - whole.conf_low > 0.45 * (small.estimate - small.conf_low)
    assert [c.code for c in result.cautions] == ["SS212"]
    assert result.verify().ok


def test_a_mean_over_tasks_has_the_ends_of_zou_huang_and_zhang_where_they_are_the_outer_ones():
    """statsmodels' Wilson intervals of both tasks, 5 of 5 and 140 of 200, combined by hand."""
    from statsmodels.stats.proportion import proportion_confint

    score = [1] * 5 + [1] * 140 + [0] * 60
    frame = pd.DataFrame(
        {
            "model": np.repeat(["a", "b"], 205),
            "task": (["s"] * 5 + ["L"] * 200) * 2,
            "item": [*range(205)] * 2,
            "score": score * 2,
        }
    )
    (l1, _), (l2, _) = (proportion_confint(k, n, method="wilson") for k, n in ((5, 5), (140, 200)))
    row = ss.leaderboard(frame).row("a", group="mean")
    assert row.conf_low == pytest.approx(
        0.85 - np.sqrt(0.25 * (1 - l1) ** 2 + 0.25 * (0.7 - l2) ** 2), abs=1e-9
    )


def test_skewed_scores_are_cautioned_as_in_paired_differences():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "model": np.repeat(["a", "b"], 30),
            "item": [*range(30)] * 2,
            "score": np.exp(1.2 * rng.normal(size=60)) * 10,
        }
    )
    assert "SS317" in {c.code for c in ss.leaderboard(frame).cautions}
    few = frame[frame["item"] < 12]
    assert "SS312" in {c.code for c in ss.leaderboard(few).cautions}
    normal = frame.assign(score=rng.normal(size=60) + 5)
    assert not {"SS312", "SS317"} & {c.code for c in ss.leaderboard(normal).cautions}


def test_skewed_means_do_not_caution_their_difference_which_is_not_skewed() -> None:
    """Item effects are lognormal and common to both models, whose difference is normal."""
    rng = np.random.default_rng(5)
    hard = np.exp(rng.normal(size=60))
    scores = {
        "model": ["elm"] * 60 + ["oak"] * 60,
        "item": [*range(60)] * 2,
        "task": (["a"] * 30 + ["b"] * 30) * 2,
        "score": np.concatenate([hard + rng.normal(0, 0.3, 60), hard + rng.normal(0.2, 0.3, 60)]),
    }
    board = ss.leaderboard(scores)
    skewed = {row.name for row in board.rows if any(said.code == "SS317" for said in row.cautions)}
    assert {"elm [mean]", "oak [mean]"} <= skewed
    assert {"elm [task: a]", "oak [task: b]"} <= skewed
    difference = next(row for row in board.rows if row.role == "difference")
    assert not difference.approximate


def test_counts_are_added_up_before_they_are_too_many():
    rows = pd.DataFrame(
        [(u, m, 1 + (u + k) % 2, 700_000) for u in (0, 1) for k, m in enumerate(("ash", "elm"))],
        columns=["unit", "rater", "value", "n"],
    )
    with pytest.raises(ss.InputError, match=r"takes counts up to 1,000,000 units, not 1,400,000\."):
        ss.leaderboard(rows, unit="unit", count="n", levels=[1, 2])
    assert ss.leaderboard(rows.assign(n=7), unit="unit", count="n", levels=[1, 2]).rows


@pytest.mark.parametrize("task", sorted(FRAME["task"].unique()))
def test_the_task_that_a_model_lacks_is_named(task):
    row = board(frame=FRAME[(FRAME["model"] != "cedar") | (FRAME["task"] != task)]).row(
        "cedar", group="mean"
    )
    assert row.undefined.startswith(f"no unit of task '{task}'")


def test_options_of_ranks_hold_from_their_least_value():
    result = board(task=None)
    assert len(result.ranks(draws=100).rows) == FRAME["model"].nunique()
    for options in ({"draws": 99}, {"seed": -1}, {"seed": True}):
        with pytest.raises(ss.InputError, match="a seed is 0 or more, and draws at least 100"):
            result.ranks(**options)


@pytest.mark.parametrize(
    ("low", "high", "shares"),
    [(0.0, 1.0, True), (0.2, 0.9, True), (-0.1, 1.0, False), (0.0, 1.1, False), (-0.1, 1.1, False)],
)
def test_scores_are_shares_where_none_lies_outside_of_zero_and_one(low, high, shares):
    rng = np.random.default_rng(5)
    scores = rng.uniform(0.3, 0.6, 24)
    scores[3], scores[11] = low, high
    frame = pd.DataFrame(
        {"model": ["a", "b"] * 12, "item": np.repeat(range(12), 2), "score": scores}
    )
    result = board(frame=frame)
    own = result.row("a", group="mean")
    assert own.limits == ((0.0, 1.0) if shares else None)
    assert result.row("a - b", group="difference").limits == ((-1.0, 1.0) if shares else None)
    x = scores[::2]
    if not shares:
        ends = stats.ttest_1samp(x, 0).confidence_interval()
    else:  # Wilson's with the answers that the error speaks for, and t
        n, q = x.mean() * (1 - x.mean()) / stats.sem(x) ** 2, stats.t.ppf(0.975, 11)
        roots = np.roots([1 + q**2 / n, -(2 * x.mean() + q**2 / n), x.mean() ** 2])
        ends = roots.min(), roots.max()
    assert (own.conf_low, own.conf_high) == pytest.approx(tuple(ends), rel=1e-9)

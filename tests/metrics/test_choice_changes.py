"""Changes of choice shares from a base stratum: brute force over clusters, scipy, statsmodels, undefined data."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from socialstats import Ratings, choice_shares, datasets
from socialstats.errors import InputError
from socialstats.paired.matched_pairs import hotelling

LEVELS = ("comply", "deviate", "escalate")


def table(scenarios=9, seed=3, shift=1.2):
    """Scenarios under three pressures, four people and three runs each; under b the runs lean to the last action."""
    rng = np.random.default_rng(seed)
    rows = []
    for s, pressure, k in product(range(scenarios), "abc", range(7)):
        source = "human" if k < 4 else "model"
        odds = np.exp([0.5, 0.0, shift * (source == "model") * (pressure == "b")])
        action = LEVELS[rng.choice(3, p=odds / odds.sum())]
        rows.append((f"s{s}, {pressure}", f"s{s}", pressure, source, f"r{k}", action))
    return pd.DataFrame(rows, columns=["unit", "scenario", "pressure", "source", "rater", "value"])


def made(frame, **options):
    given = {
        "scale": "nominal",
        "rater_source": "source",
        "strata": "pressure",
        "cluster": "scenario",
    }
    return Ratings.from_frame(frame, **{**given, **options})


def moved(frame, source, level, to, base="a"):
    """Change of the share of a level by scenario."""
    own = frame[frame["source"] == source].assign(hit=frame["value"] == level)
    wide = own.groupby(["scenario", "pressure"])["hit"].mean().unstack()
    return (wide[to] - wide[base]).dropna()


def test_changes_are_paired_t_tests_over_scenarios():
    frame = table()
    result = choice_shares(made(frame), stratum="pressure", base="a", permutations=99)
    for level, to in product(LEVELS, "bc"):
        human, model = (moved(frame, source, level, to) for source in ("human", "model"))
        wanted = {
            f"human: {to} - a": human,
            f"model: {to} - a": model,
            f"model - human: {to} - a": model - human,
        }
        for group, values in wanted.items():
            row = result.row(level, group=group)
            test = stats.ttest_1samp(values, 0.0)
            low, high = test.confidence_interval(0.95)
            assert row.estimate == pytest.approx(values.mean(), abs=1e-12)
            assert (row.conf_low, row.conf_high) == (pytest.approx(low), pytest.approx(high))
            assert (row.statistic, row.n_clusters) == (pytest.approx(test.statistic), 9)
    assert result.verify().ok


def test_p_is_that_of_all_flips_of_whole_scenarios():
    frame = table()
    row = choice_shares(made(frame), stratum="pressure", base="a").row(
        "escalate", group="model - human: b - a"
    )
    values = (
        moved(frame, "model", "escalate", "b") - moved(frame, "human", "escalate", "b")
    ).to_numpy()
    sums = np.array([np.dot(signs, values) for signs in product((-1, 1), repeat=9)])
    assert row.p_value == pytest.approx(
        np.mean(np.abs(sums) >= abs(values.sum()) - 1e-9), abs=1e-12
    )
    assert row.p_adjusted >= row.p_value


def test_joint_tests_are_those_of_statsmodels():
    from statsmodels.stats.multivariate import test_mvmean

    frame = table(scenarios=20)
    row = choice_shares(made(frame), stratum="pressure", base="a", permutations=99).row(
        "any level", group="model: b - a"
    )
    values = np.column_stack([moved(frame, "model", level, "b") for level in LEVELS[:2]])
    other = test_mvmean(values)
    assert (row.statistic, row.df) == (pytest.approx(other.t2), 2)
    assert row.p_value == pytest.approx(other.pvalue, rel=1e-9)
    assert hotelling(np.ones((4, 3))).undefined == "too few clusters (4) for 3 means"
    assert "never changes" in hotelling(np.zeros((9, 2))).undefined


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (
            np.diag([1.0, 2, 3]),
            "unidentified",
        ),  # as many rows as means: no degrees of freedom are left
        (np.vstack([np.eye(3), np.ones(3)]), "unidentified"),
        (np.zeros((9, 2)), "unidentified"),
        (np.zeros((9, 0)), "no_variation"),
    ],
)
def test_hotellings_test_without_degrees_of_freedom_has_a_reason(values, reason):
    found = hotelling(values)
    assert (found.reason, bool(found.undefined)) == (reason, True)
    assert np.isnan([found.statistic, found.p_value]).all()


@pytest.mark.parametrize("scenarios", [1, 2, 3])
def test_as_many_clusters_as_levels_leave_no_joint_test(scenarios):
    result = choice_shares(
        made(table(scenarios=scenarios)), stratum="pressure", base="a", permutations=99
    )
    row = result.row("any level", group="model: b - a")
    assert (row.undefined, row.reason) == (
        f"too few clusters ({scenarios}) for 2 means",
        "unidentified",
    )
    assert (row.statistic, row.p_value) == (None, None)
    assert result.verify().ok


def test_scenarios_without_one_side_are_left_out():
    frame = table()
    frame = frame[~((frame["scenario"] == "s0") & (frame["pressure"] == "a"))]
    frame = frame[
        ~((frame["scenario"] == "s1") & (frame["pressure"] == "b") & (frame["source"] == "model"))
    ]
    result = choice_shares(made(frame), stratum="pressure", base="a", permutations=99)
    sizes = {
        group: result.row("comply", group=f"{group}: b - a").n_clusters
        for group in ("human", "model")
    }
    assert sizes == {"human": 8, "model": 7}
    assert result.row("comply", group="model - human: b - a").n_clusters == 7
    assert result.verify().ok
    alone = choice_shares(
        made(frame[frame["pressure"] != "a"]), stratum="pressure", base="b", permutations=99
    )
    assert alone.verify().ok


def test_scenarios_that_all_change_alike_have_no_interval():
    frame = table()
    frame["value"] = np.where(frame["pressure"] == "b", "deviate", "comply")
    result = choice_shares(
        made(frame, levels=LEVELS), stratum="pressure", base="a", permutations=99
    )
    row = result.row("deviate", group="model: b - a")
    assert (row.estimate, row.conf_low, row.p_value) == (1.0, None, None)
    assert row.undefined
    assert result.row("any level", group="model: b - a").undefined


@pytest.mark.parametrize(
    ("design", "chosen", "message"),
    [
        ({}, {"base": "z"}, "base='z': stratum= has no such level. Levels: 'a', 'b' and 'c'"),
        ({"cluster": None}, {"base": "a"}, "declare one cluster="),
        ({}, {"base": "a", "stratum": None}, "stratum= has no such level"),
    ],
)
def test_unusable_bases_are_errors(design, chosen, message):
    with pytest.raises(InputError) as caught:
        choice_shares(made(table(), **design), **{"stratum": "pressure", **chosen})
    assert message in str(caught.value)


def test_changes_of_the_simulated_study_hold_their_truth():
    data, truth = datasets.norm_goal(), datasets.norm_goal_truth()
    data["unit"] = data["scenario"] + ", " + data["pressure"]
    design = Ratings.from_frame(
        data,
        unit="unit",
        rater="rater",
        value="action",
        scale="nominal",
        rater_source="source",
        strata="pressure",
        cluster="scenario",
    )
    result = choice_shares(design, stratum="pressure", base="none", permutations=99)
    domains = sorted(data["domain"].unique())
    held = []
    for source, level in product(("human", "model"), LEVELS):
        for to in ("goal", "risk", "emotion", "authority", "incentive"):
            row = result.row(level, group=f"{source}: {to} - none")
            true = np.mean(
                [
                    truth.shares[source, d, to][level] - truth.shares[source, d, "none"][level]
                    for d in domains
                ]
            )
            held.append(row.conf_low <= true <= row.conf_high)
    assert sum(held) >= 25  # of 30 intervals of 95%, which share their base: 28.5 on average

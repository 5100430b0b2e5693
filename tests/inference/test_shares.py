"""Shares in clusters: R's values, closed forms, and properties of the score of paired differences."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import socialstats as ss
from socialstats.errors import InputError
from socialstats.inference.paired_score import FEW, PairedScore, paired_score
from socialstats.inference.proportions import ONE_CLUSTER, clustered_share, wilson
from socialstats.paired.matched_pairs import Cells, tango
from tests.golden_data import golden

R = golden("shares")
G, H, Y, FIRST, SECOND, RARE = (
    np.array(R[name]) for name in ("g", "h", "y", "first", "second", "rare")
)
NONINFERIOR = "noninferiority"
NUMERICAL = 1e-7  # R maximises the constrained likelihood numerically


def matches(found, wanted):
    numbers = (found.estimate, found.df, found.trials, found.low, found.high)
    assert numbers == pytest.approx(
        tuple(wanted[k] for k in ("estimate", "df", "trials", "low", "high")), rel=1e-9
    )
    assert (found.std_error or 0.0) == pytest.approx(wanted["std_error"], rel=1e-9)


def test_share_by_one_and_two_factors_is_that_of_r():
    n = len(Y)
    matches(clustered_share(Y, np.ones(n), [G], trials=n), R["one"])
    matches(clustered_share(Y, np.ones(n), [G, H], trials=n), R["two"])
    matches(clustered_share(np.zeros(n), np.ones(n), [G], trials=n), R["none"])


def test_counted_cells_and_rows_agree():
    cells = np.unique(np.column_stack([G, Y]), axis=0, return_counts=True)
    counted = clustered_share(cells[0][:, 1], cells[1], [cells[0][:, 0]], trials=len(Y))
    assert (counted.low, counted.high) == pytest.approx(
        (R["one"]["low"], R["one"]["high"]), rel=1e-9
    )


def test_a_single_cluster_is_undefined_with_a_reason():
    found = clustered_share(np.array([1.0, 0, 1]), np.ones(3), [np.zeros(3, dtype=np.int64)])
    assert (found.low, found.std_error, found.undefined) == (None, None, ONE_CLUSTER)


def test_independent_answers_have_the_t_interval_of_their_variance():
    x = np.array([1.0, 0.5, 0, 1, 1])
    found = clustered_share(x, np.ones(5))
    assert (found.std_error, found.df) == pytest.approx((stats.sem(x), 4.0))
    low, high = wilson(np.array([0.7]), np.array([0.21 / stats.sem(x) ** 2]), df=np.array([4.0]))
    assert (found.low, found.high) == pytest.approx((low[0], high[0]))


@pytest.mark.parametrize(
    ("name", "second", "codes", "level", "delta"),
    [
        ("difference", SECOND, [G], 0.9, 0.3),
        ("rare_difference", RARE, [G], 0.95, 0.2),
        ("crossed", SECOND, [G, H], 0.95, 0.3),
        ("equal", FIRST, [G], 0.9, 0.3),
    ],
)
def test_score_of_clustered_pairs_is_that_of_r(name, second, codes, level, delta):
    wanted = R[name]
    found = paired_score((FIRST - second).astype(float), np.ones(len(FIRST)), codes)
    low, high = found.interval(level)
    assert (found.n[0], found.df[0]) == pytest.approx((wanted["pairs"], wanted["df"]), rel=1e-9)
    assert (low[0], high[0]) == pytest.approx((wanted["low"], wanted["high"]), abs=NUMERICAL)
    tests = [found.statistic(-delta)[0], found.statistic(delta)[0]]
    assert tests == pytest.approx([wanted["above"], wanted["below"]], abs=NUMERICAL)
    tails = [found.p_value(-delta, "greater")[0], found.p_value(delta, "less")[0]]
    assert tails == pytest.approx([wanted["p_above"], wanted["p_below"]], abs=NUMERICAL)


@pytest.mark.parametrize("cells", [(0, 0, 30), (4, 0, 9), (0, 5, 5), (150, 86, 1600), (1, 1, 2)])
def test_interval_and_statistic_are_inverse(cells):
    b, c, n = (np.array([float(x)]) for x in cells)
    found = PairedScore(first=b, second=c, n=n, df=np.array([6.5]))
    for end, sign in zip(found.interval(0.9), (1, -1), strict=True):
        if abs(end[0]) < 1:
            assert found.statistic(float(end[0]))[0] == pytest.approx(
                sign * stats.t.ppf(0.95, 6.5), rel=1e-7
            )
    plain = Cells(a=0.0, b=float(b[0]), c=float(c[0]), d=float(n[0] - b[0] - c[0]))
    ours = PairedScore(first=b, second=c, n=n).interval(0.95)
    assert tango(plain, 0.95) == pytest.approx((ours[0][0], ours[1][0]))


def test_the_score_leads_where_few_effective_pairs_are_discordant():
    rng = np.random.default_rng(0)
    code = np.repeat(np.arange(40), 5)
    many, few = (
        np.where(rng.random(200) < share, rng.choice([-1.0, 1.0], 200), 0.0)
        for share in (0.3, 0.02)
    )
    found = paired_score(np.column_stack([many, few, np.ones(200)]), np.ones(200), [code])
    assert found.leads.tolist() == [
        False,
        True,
        True,
    ]  # the last: no pair and no cluster differs from the others
    assert (found.first + found.second)[0] > FEW


def pairs(first, second, cluster=None):
    columns = {"new": first, "old": second} | ({} if cluster is None else {"story": cluster})
    return columns, {"first": "new", "second": "old"} | (
        {} if cluster is None else {"cluster": "story"}
    )


def test_odds_ratio_and_g_follow_the_share_of_discordant_pairs():
    columns, names = pairs(FIRST, SECOND, G)
    result = ss.mcnemar(columns, **names)
    share, odds, g = R["odds"], result.row("odds_ratio"), result.row("cohens_g")
    assert (odds.conf_low, odds.conf_high) == pytest.approx(
        tuple(share[k] / (1 - share[k]) for k in ("low", "high"))
    )
    assert (g.estimate, g.conf_low, g.conf_high) == pytest.approx(
        tuple(share[k] - 0.5 for k in ("estimate", "low", "high"))
    )
    assert (g.df, odds.df) == pytest.approx((share["df"], share["df"]))
    assert result.fit["effective_df"] == pytest.approx(min(share["df"], R["difference"]["df"]))
    assert result.verify().ok


def test_rare_discordance_in_clusters_takes_tangos_interval_and_says_so():
    columns, names = pairs(FIRST, RARE, G)
    result = ss.mcnemar(columns, **names)
    row = result.rows[0]
    assert (row.conf_low, row.conf_high) == pytest.approx(
        (R["rare_difference"]["low"], R["rare_difference"]["high"]), abs=NUMERICAL
    )
    assert result.extras["lead"] == "score"
    assert "Tango" in row.method
    advice = next(c for c in result.cautions if c.code == "SS314")
    assert "score" in advice.fix
    assert "mid-p" not in advice.fix
    assert result.verify().ok


@pytest.mark.parametrize("cluster", [None, G])
@pytest.mark.parametrize("second", [SECOND, RARE, FIRST])
@pytest.mark.parametrize("bound", [0.05, 0.2, 0.45])
def test_equivalence_of_yes_or_no_values_agrees_with_its_interval(cluster, second, bound):
    columns, names = pairs(FIRST, second, cluster)
    result = ss.equivalence(columns, low=-bound, high=bound, **names)
    row, p = result.rows[0], result.row("equivalence").p_value
    inside = row.conf_low > -bound and row.conf_high < bound
    assert (result.extras["verdict"] == "equivalent") == inside == (p < 0.05)
    assert result.verify().ok


def test_equal_answers_are_equivalent_once_there_are_pairs_enough():
    for n, verdict in ((20, "undecided"), (40, "equivalent")):
        columns, names = pairs(np.arange(n) % 2, np.arange(n) % 2)
        result = ss.equivalence(columns, low=-0.1, high=0.1, **names)
        z2 = stats.norm.ppf(0.95) ** 2
        assert result.rows[0].conf_high == pytest.approx(z2 / (n + z2))
        assert result.extras["verdict"] == verdict


def test_equivalence_of_one_cluster_is_undefined():
    columns, names = pairs(FIRST, SECOND, np.zeros(len(G), dtype=int))
    result = ss.equivalence(columns, low=-0.2, high=0.2, **names)
    assert result.extras["verdict"] == "undefined"
    assert result.rows[0].undefined == ONE_CLUSTER


@pytest.mark.parametrize(
    "bounds",
    [
        {"low": -1.5, "high": 1.5},
        {"margin": 5},
        {"low": -0.1, "high": 1},
        {"margin": 30, "test": NONINFERIOR},
    ],
)
def test_bounds_that_no_difference_can_pass_are_refused(bounds):
    columns, names = pairs(FIRST, SECOND)
    with pytest.raises(InputError, match="the difference lies within -1 and 1"):
        ss.equivalence(columns, **bounds, **names)
    repeated = pd.DataFrame(
        {
            "unit": np.repeat(range(12), 6),
            "condition": ["a", "b"] * 36,
            "correct": np.random.default_rng(3).integers(0, 2, 72),
        }
    )
    with pytest.raises(InputError, match="the difference lies within -1 and 1"):
        ss.equivalence(repeated, repeat=True, **bounds)
    board = ss.leaderboard(repeated.rename(columns={"condition": "model"}))
    with pytest.raises(InputError, match="the difference lies within -1 and 1"):
        ss.equivalence(board, **bounds)


def test_a_loss_that_can_be_reached_is_tested_whatever_the_other_bound():
    columns, names = pairs(FIRST, SECOND)
    assert ss.equivalence(columns, margin=0.4, test=NONINFERIOR, **names).extras["verdict"]


def test_skewed_differences_are_warned_of():
    rng = np.random.default_rng(2)
    for values, told in ((rng.lognormal(0, 1, 40), True), (rng.normal(0, 1, 40), False)):
        columns, names = pairs(values, np.zeros(40))
        result = ss.equivalence(columns, low=-3, high=3, **names)
        assert any(c.code == "SS213" for c in result.cautions) is told


def test_labels_by_units_and_clusters_are_those_of_r():
    cites = np.array(R["cites"])
    rows = {"cites": [";".join("abc"[k] for k in np.flatnonzero(row)) for row in cites], "story": G}
    for cluster, name in ((None, "units"), ("story", "clusters")):
        result = ss.label_counts(rows, labels="cites", sep=";", cluster=cluster)
        for label, one in zip("abc", R["labels"], strict=True):
            row, wanted = result.row(f"{label} (share of labels)"), one[name]
            assert (row.estimate, row.std_error, row.df) == pytest.approx(
                tuple(wanted[k] for k in ("estimate", "std_error", "df")), rel=1e-9
            )
        assert result.verify().ok


def test_rare_answers_in_clusters_are_cautioned():
    code = np.repeat(np.arange(30), 10)
    ratings = {
        "A": np.where(np.arange(300) < 4, "yes", "no"),
        "B": np.where(np.arange(300) % 2, "yes", "no"),
        "story": code,
    }
    result = ss.cochran_q(ratings, raters=["A", "B"], levels=["no", "yes"], cluster="story")
    told = next(c for c in result.cautions if c.code == "SS212")
    assert told.detail.startswith("1 share rests")
    assert result.fit["effective_df"] == pytest.approx(29)
    assert result.fit["largest_leverage"] == pytest.approx(1 / 30)
    assert result.verify().ok


@pytest.mark.parametrize(("delta", "sign"), [(1.0, -1), (1.5, -1), (-1.0, 1), (-2.0, 1)])
def test_differences_of_one_and_beyond_are_infinitely_far(delta, sign):
    """But not where all pairs differ by just that."""
    found = PairedScore(first=np.array([3.0]), second=np.array([1.0]), n=np.array([10.0]))
    assert found.statistic(delta)[0] == sign * np.inf
    assert found.p_value(delta)[0] < 1e-300
    whole = np.array([10.0 * (delta > 0)]), np.array([10.0 * (delta < 0)])
    ends = PairedScore(first=whole[0], second=whole[1], n=np.array([10.0]))
    assert ends.statistic(math.copysign(1.0, delta))[0] == 0

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from socialstats.agreement.percent_agreement import percent_agreement
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, UndefinedStatistic
from tests.golden_data import golden, golden_frame
from tests.metrics.ratings_tables import of_matrix, of_table

LEVELS = [1, 2, 3, 4]


def simulated(n=60, r=3, missing=0.2, seed=5):
    rng = np.random.default_rng(seed)
    truth = rng.integers(4, size=n)
    values = np.clip(truth[:, None] + rng.integers(-1, 2, size=(n, r)), 0, 3) + 1
    gone = rng.random((n, r)) < missing
    return [[None if gone[u, k] else int(values[u, k]) for k in range(r)] for u in range(n)]


def direct(matrix, near=0):
    """Share of agreeing pairs of each unit that has a pair."""
    out = []
    for row in matrix:
        pairs = list(combinations([x for x in row if x is not None], 2))
        if pairs:
            out.append(sum(abs(a - b) <= near for a, b in pairs) / len(pairs))
    return np.array(out)


def test_observed_agreement_of_irrcac():
    x = golden_frame("agree_anxiety.csv").to_numpy().tolist()
    result = percent_agreement(of_matrix(x, levels=[1, 2, 3, 4, 5, 6]))
    want = golden("agree_anxiety")["r"]["irrCAC"]["gwet.ac1.raw unweighted"]["pa"]
    assert result.row("all pairs").estimate == pytest.approx(want, rel=1e-12)
    table = golden("kappa")["tables"]
    for name in table:
        row = percent_agreement(of_table(table[name]["table"])).rows[0]
        assert row.estimate == pytest.approx(table[name]["unweighted"]["po"], rel=1e-12)


@pytest.mark.parametrize("near", [0, 1])
def test_missing_ratings_and_tolerance_by_hand(near):
    matrix = simulated()
    result = percent_agreement(of_matrix(matrix, levels=LEVELS), tolerance=near)
    x = direct(matrix, near)
    row = result.row("all pairs")
    assert row.estimate == pytest.approx(x.mean())
    assert row.std_error == pytest.approx(x.std(ddof=1) / np.sqrt(len(x)))
    assert row.n == len(x)
    for a, b in combinations(range(3), 2):
        both = [(u[a], u[b]) for u in matrix if u[a] is not None and u[b] is not None]
        pair = result.row(f"{'abc'[a]} | {'abc'[b]}")
        assert pair.estimate == pytest.approx(np.mean([abs(i - j) <= near for i, j in both]))
        assert pair.n == len(both)
    assert result.verify().ok
    assert "SS315" in {c.code for c in result.cautions}


def test_two_raters_have_wilsons_interval():
    row = percent_agreement(of_table([[20, 5], [10, 15]])).rows[0]
    ends = stats.binomtest(35, 50).proportion_ci(method="wilson")
    assert (row.conf_low, row.conf_high) == pytest.approx((ends.low, ends.high))
    perfect = percent_agreement(of_table([[20, 0], [0, 15]])).rows[0]
    assert perfect.estimate == 1
    assert perfect.std_error is None
    assert perfect.conf_low == pytest.approx(
        stats.binomtest(35, 35).proportion_ci(method="wilson").low
    )
    assert perfect.conf_high == 1


def test_wilsons_formula_with_the_effective_number_of_units():
    matrix = simulated(missing=0)
    x = direct(matrix)
    row = percent_agreement(of_matrix(matrix, levels=LEVELS)).row("all pairs")
    p, n = x.mean(), len(x)
    effective = min(p * (1 - p) / (x.var(ddof=1) / n), 3 * n)
    t = stats.t.ppf(0.975, n - 1)
    middle = (p + t**2 / 2 / effective) / (1 + t**2 / effective)
    half = t * np.sqrt(p * (1 - p) / effective + t**2 / 4 / effective**2) / (1 + t**2 / effective)
    assert (row.conf_low, row.conf_high) == pytest.approx((middle - half, middle + half))


def test_clusters_widen_the_interval_and_match_a_regression():
    from statsmodels.regression.linear_model import OLS

    matrix = simulated(n=60, missing=0)
    groups = np.repeat(np.arange(12), 5)
    order = np.argsort(direct(matrix), kind="stable")
    matrix = [matrix[u] for u in order]  # units of a cluster alike
    design = of_matrix(matrix, levels=LEVELS, clusters=(groups.tolist(),))
    row = percent_agreement(design).row("all pairs")
    x = direct(matrix)
    fit = OLS(x, np.ones(60)).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    assert row.std_error == pytest.approx(
        fit.bse[0] * np.sqrt(12 / 11)
    )  # equal clusters: CR2 is CR1
    alone = percent_agreement(design, cluster=None).row("all pairs")
    assert row.conf_high - row.conf_low > 1.5 * (alone.conf_high - alone.conf_low)
    assert row.n_clusters == 12


@pytest.mark.parametrize("ci", ["percentile", "basic", "bca"])
def test_bootstrap_intervals(ci):
    design = of_matrix(simulated(), levels=LEVELS)
    one, two = (percent_agreement(design, ci=ci, resamples=400, seed=s) for s in (0, 1))
    wilson = percent_agreement(design)
    for a, b, w in zip(one.rows, two.rows, wilson.rows, strict=True):
        assert a.estimate == b.estimate == w.estimate
        assert a.conf_low < a.estimate < a.conf_high
        assert a.conf_low == pytest.approx(w.conf_low, abs=0.06)
    assert [r.conf_low for r in one.rows] != [r.conf_low for r in two.rows]
    same = percent_agreement(of_table([[9, 0], [0, 9]]), ci=ci, resamples=100).rows[0]
    assert same.conf_low is None
    assert "the resamples are alike" in same.undefined


def test_strata_and_refusals():
    matrix = simulated(n=40, r=2, missing=0)
    matrix[0], matrix[1] = ["no", "no"], ["no", 2]
    part = ["x"] * 20 + ["y"] * 20
    design = of_matrix(matrix, levels=LEVELS, refusal="no", strata={"part": part})
    as_level = percent_agreement(design, refusal="level", stratum="part")
    want = [a == b for a, b in matrix]
    assert as_level.row("a | b", group="x").estimate == pytest.approx(np.mean(want[:20]))
    assert as_level.row("a | b", group="y").estimate == pytest.approx(np.mean(want[20:]))
    assert as_level.rows[0].estimate == pytest.approx(np.mean(want))
    assert as_level.verify().ok
    assert percent_agreement(design).rows[0].n == 38


def test_special_cases():
    constant = percent_agreement(of_matrix([[2, 2]] * 6, levels=[1, 2])).rows[0]
    assert constant.estimate == 1  # nothing to undo by chance here
    with pytest.raises(UndefinedStatistic, match="two raters"):
        percent_agreement(of_matrix([[1], [2]], levels=[1, 2]))
    with pytest.raises(UndefinedStatistic, match="at least 2 units"):
        percent_agreement(of_matrix([[1, 1]], levels=[1, 2]))
    lonely = percent_agreement(of_matrix([[1, 1, None], [2, 2, None], [1, None, 2]], levels=[1, 2]))
    assert "no unit has ratings of both" in lonely.row("b | c").undefined
    one = percent_agreement(
        of_matrix(simulated(r=2, missing=0), levels=LEVELS, clusters=(["s"] * 60,))
    ).rows[0]
    assert one.conf_low is None
    assert "single cluster" in one.undefined


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tolerance": -1}, "-1"),
        ({"tolerance": float("nan")}, "nan"),
        ({"ci": "wald"}, "wald"),
        ({"level": 95}, "95"),
        ({"pairs": "each"}, "each"),
        ({"stratum": "village"}, "village"),
        ({"refusal": "drop"}, "drop"),
    ],
)
def test_unusable_options_are_named(options, said):
    with pytest.raises(InputError, match=said):
        percent_agreement(of_table([[5, 1], [2, 5]]), **options)


def test_nominal_levels_have_no_tolerance():
    design = of_matrix([["x", "y"], ["y", "y"]], levels=["x", "y"], scale="nominal")
    with pytest.raises(InputError, match="nominal"):
        percent_agreement(design, tolerance=1)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from([1, 2, 3, None]), min_size=3, max_size=3), min_size=2, max_size=12
    )
)
def test_between_0_and_1_and_the_same_for_any_order(matrix):
    if sum(sum(x is not None for x in row) > 1 for row in matrix) < 2:
        return
    row = percent_agreement(of_matrix(matrix, levels=[1, 2, 3])).rows[0]
    assert row.estimate == pytest.approx(direct(matrix).mean())
    assert row.conf_low is None or 0 <= row.conf_low <= row.estimate <= row.conf_high <= 1
    other = percent_agreement(of_matrix([r[::-1] for r in matrix[::-1]], levels=[1, 2, 3])).rows[0]
    assert (other.estimate, other.conf_low) == pytest.approx((row.estimate, row.conf_low))


def test_a_row_says_where_its_interval_counts_fewer_answers_than_its_error():
    rng = np.random.default_rng(11)
    blocks = np.arange(40) // 4
    even = [
        [1, 2] if u % 2 else [1, 1] for u in range(40)
    ]  # clusters alike: less variance than independent answers
    even[0] = [1, 2]
    design = of_matrix(even, levels=LEVELS, clusters=[blocks.tolist()])
    row = percent_agreement(design).rows[0]
    assert row.estimate * (1 - row.estimate) / row.std_error**2 > 40
    assert row.method == "Wilson, n at most 40 answers (s.e. without this cap)"
    p, t = row.estimate, stats.t.ppf(0.975, row.n_clusters - 1)
    assert row.conf_low == pytest.approx(
        (p + t**2 / 80 - t * np.sqrt(p * (1 - p) / 40 + t**2 / 6400)) / (1 + t**2 / 40)
    )
    apart = [[1, 1 + int(rng.random() < (0.9 if b % 2 else 0.1))] for b in blocks]
    assert percent_agreement(of_matrix(apart, levels=LEVELS, clusters=[blocks.tolist()])).rows[
        0
    ].method == ("Wilson")


def test_alike_clusters_count_as_one_trial_each():
    """All clusters agree on one unit of two: no variance, so the interval counts clusters, not answers."""
    import pandas as pd

    from socialstats.designs.ratings import Ratings

    rows = pd.DataFrame(
        {
            "unit": [f"u{k}" for k in range(40)] * 2,
            "rater": ["ann"] * 40 + ["bob"] * 40,
            "value": ["yes"] * 40 + ["yes", "no"] * 20,
            "story": [f"s{k // 8}" for k in range(40)] * 2,
        }
    )
    design = Ratings.from_frame(rows, levels=["no", "yes"], scale="nominal", cluster="story")
    result = percent_agreement(design)
    row = result.rows[0]
    share = stats.t.ppf(0.975, 4) ** 2 / 5
    half = np.sqrt(share * 0.25 + share**2 / 4) / (1 + share)
    assert row.estimate == 0.5
    assert (row.conf_low, row.conf_high) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-9)
    assert result.verify().ok


def test_pooled_agreement_of_a_crowd_is_the_mean_over_units_of_their_agreeing_pairs():
    rng = np.random.default_rng(3)
    rows, given = [], {u: [] for u in range(40)}
    for rater in range(500):
        for u in rng.choice(40, 2, replace=False).tolist():
            value = int(np.clip(2.5 + u / 40 + rng.normal(), 1, 4))
            given[u].append(value)
            rows.append(
                {
                    "unit": f"u{u:02d}",
                    "rater": f"r{rater:03d}",
                    "value": value,
                    "story": f"s{u // 4}",
                }
            )
    design = Ratings.from_frame(pd.DataFrame(rows), levels=LEVELS, cluster="story")
    result = percent_agreement(design, pairs="pooled", tolerance=1)
    each = [np.mean([abs(a - b) <= 1 for a, b in combinations(x, 2)]) for x in given.values()]
    assert result.rows[0].estimate == pytest.approx(np.mean(each), abs=1e-12)
    assert result.rows[0].n_clusters == 10
    assert result.counts == {"ratings": 1000, "units": 40, "raters": 500}
    assert result.verify().ok
    with pytest.raises(InputError, match=r"500 raters make 124,750 pairs.*use pairs='pooled'"):
        percent_agreement(design)


def test_pooled_agreement_is_that_of_all_pairs_with_refusals_as_a_level():
    matrix = simulated(r=5)
    design = of_matrix(matrix, levels=LEVELS)
    frame = design.table().assign(value=lambda d: d["value"].fillna("refused"))[
        ["unit", "rater", "value"]
    ]
    design = Ratings.from_frame(frame, levels=LEVELS, refusal="refused")
    for refusal in ("missing", "level"):
        whole, pooled = (
            percent_agreement(design, pairs=pairs, refusal=refusal) for pairs in ("all", "pooled")
        )
        assert whole.rows[0].estimate == pytest.approx(pooled.rows[0].estimate, abs=1e-14)
        assert whole.counts == pooled.counts
        assert [c.detail for c in whole.cautions] == [c.detail for c in pooled.cautions]

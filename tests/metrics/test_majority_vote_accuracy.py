from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from socialstats.agreement.majority_vote_accuracy import TIES, majority_vote_accuracy
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, NothingToAnalyse
from tests.metrics.ratings_tables import of_matrix

# five raters; truth 2 everywhere: right, tied 2-2 with the truth, tied 2-2 without it, wrong, one vote, no vote
VOTES = [
    [2, 2, 2, 1, None],
    [2, 2, 1, 1, None],
    [1, 1, 3, 3, None],
    [3, 3, 1, None, None],
    [2, None, None, None, None],
    [None] * 5,
    [2, 1, 3, None, None],
]
TRUTH = {f"u{k:04d}": 2 for k in range(7)}
ACCURACY = {
    "split": [1, 1 / 2, 0, 0, 1, 1 / 3],
    "first_level": [1, 0, 0, 0, 1, 0],
    "wrong": [1, 0, 0, 0, 1, 0],
    "drop": [1, 0, 1],
}


def design(matrix=VOTES, **options):
    return of_matrix(matrix, levels=[1, 2, 3], **options)


@pytest.mark.parametrize("ties", ACCURACY)
def test_ties_by_hand(ties):
    result = majority_vote_accuracy(design(), truth=TRUTH, ties=ties)
    row = result.row("accuracy")
    assert row.estimate == pytest.approx(np.mean(ACCURACY[ties]))
    assert row.n == len(ACCURACY[ties])
    assert result.counts == {"units": 6, "votes": 19, "ties": 3}
    assert result.row("tied").estimate == pytest.approx(3 / 6)
    assert result.row("unanimous").estimate == pytest.approx(1 / 6)
    assert result.row("single rater").estimate == pytest.approx(
        np.mean([3 / 4, 2 / 4, 0, 0, 1, 1 / 3])
    )
    assert result.extras["votes"] == (1, 4)
    assert result.verify().ok
    assert "SS301" in {c.code for c in result.cautions}
    assert "3 tied votes" in result.sentence()


def test_ties_can_be_an_error_that_names_the_units():
    with pytest.raises(
        InputError, match=r"3 units with tied votes: 'u0001', 'u0002' and 'u0006'.*split"
    ):
        majority_vote_accuracy(design(), truth=TRUTH, ties="error")
    clear = [row for row in VOTES if row not in (VOTES[1], VOTES[2], VOTES[6])]
    assert (
        majority_vote_accuracy(design(clear), truth=TRUTH, ties="error").row("accuracy").estimate
        == 2 / 3
    )


def test_the_first_level_is_that_of_the_declared_order():
    tied = [["low", "high"], ["high", "low"]]
    truth = {"u0000": "high", "u0001": "high"}
    for levels, want in ((["low", "high"], 0), (["high", "low"], 1)):
        found = majority_vote_accuracy(
            of_matrix(tied, levels=levels), truth=truth, ties="first_level"
        )
        assert found.row("accuracy").estimate == want


def simulated(n=200, seed=3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 4, size=n)
    right = rng.random((n, 3)) < 0.7
    votes = np.where(right, truth[:, None], rng.integers(1, 4, size=(n, 3)))
    return truth, votes


def test_a_rater_as_the_truth_does_not_vote():
    truth, votes = simulated()
    matrix = np.column_stack([truth, votes]).tolist()
    by_rater = majority_vote_accuracy(
        of_matrix(matrix, levels=[1, 2, 3], raters=("gold", "x", "y", "z")), truth="gold"
    )
    by_unit = majority_vote_accuracy(
        of_matrix(votes.tolist(), levels=[1, 2, 3], raters=("x", "y", "z")),
        truth={f"u{k:04d}": int(t) for k, t in enumerate(truth)},
    )
    assert [r.estimate for r in by_rater.rows] == [r.estimate for r in by_unit.rows]
    assert [r.conf_low for r in by_rater.rows] == [r.conf_low for r in by_unit.rows]
    assert by_rater.row("accuracy").estimate > by_rater.row("single rater").estimate
    labels = majority_vote_accuracy(
        by_unit.design, truth={f"u{k:04d}": str(t) for k, t in enumerate(truth)}
    )
    assert [r.estimate for r in labels.rows] == [r.estimate for r in by_unit.rows]


def test_wilsons_interval_without_ties():
    truth, votes = simulated()
    found = majority_vote_accuracy(
        of_matrix(votes.tolist(), levels=[1, 2, 3]),
        truth={f"u{k:04d}": int(t) for k, t in enumerate(truth)},
        ties="wrong",
    )
    hits = 0
    for t, row in zip(truth, votes.tolist(), strict=True):
        level, most = Counter(row).most_common(1)[0]
        hits += most > 1 and level == t
    row = found.row("accuracy")
    ends = stats.binomtest(hits, 200).proportion_ci(method="wilson")
    assert row.estimate == hits / 200
    assert (row.conf_low, row.conf_high) == pytest.approx((ends.low, ends.high))


def test_clusters_strata_and_bootstrap():
    truth, votes = simulated()
    order = np.argsort((votes == truth[:, None]).sum(axis=1), kind="stable")
    truth, votes = truth[order], votes[order]
    groups, part = np.repeat(np.arange(20), 10), np.where(np.arange(200) % 2, "odd", "even")
    made = of_matrix(
        votes.tolist(),
        levels=[1, 2, 3],
        clusters=(groups.tolist(),),
        strata={"part": part.tolist()},
    )
    gold = {f"u{k:04d}": int(t) for k, t in enumerate(truth)}
    result = majority_vote_accuracy(made, truth=gold, stratum="part")
    alone = majority_vote_accuracy(made, truth=gold, cluster=None)
    assert result.row("accuracy", group=None) is not None
    first = result.rows[0]
    assert first.conf_high - first.conf_low > 2 * (alone.rows[0].conf_high - alone.rows[0].conf_low)
    assert result.verify().ok
    odd = majority_vote_accuracy(
        of_matrix(votes[1::2].tolist(), levels=[1, 2, 3]),
        truth={f"u{k:04d}": int(t) for k, t in enumerate(truth[1::2])},
    )
    assert result.row("accuracy", group="odd").estimate == pytest.approx(
        odd.row("accuracy").estimate
    )
    assert "SS201" in {c.code for c in alone.cautions}
    one, two = (
        majority_vote_accuracy(made, truth=gold, ci="percentile", resamples=200, seed=s)
        for s in (0, 1)
    )
    assert [r.estimate for r in one.rows] == [r.estimate for r in two.rows]
    assert one.row("accuracy").conf_low != two.row("accuracy").conf_low


@pytest.mark.parametrize(
    ("truth", "said"),
    [
        (None, "needs the truth"),
        ("zed", "'zed' is no rater; raters: 'a'"),
        ({"u0000": 9}, "'u0000' is '9'; levels"),
        ({"u0000": True}, "True"),
        ([1, 2], "needs the truth"),
    ],
)
def test_unusable_truth_is_named(truth, said):
    with pytest.raises(InputError, match=said):
        majority_vote_accuracy(design(), truth=truth)


@pytest.mark.parametrize(
    ("options", "said"),
    [({"ties": "half"}, "half.*split"), ({"ci": "wald"}, "wald"), ({"level": 2}, "2")],
)
def test_unusable_options_are_named(options, said):
    with pytest.raises(InputError, match=said):
        majority_vote_accuracy(design(), truth=TRUTH, **options)


def test_nothing_to_compare():
    with pytest.raises(NothingToAnalyse, match="no unit"):
        majority_vote_accuracy(design(), truth={"elsewhere": 2})
    tied = majority_vote_accuracy(design([[1, 2], [2, 1]]), truth=TRUTH, ties="drop")
    assert tied.row("accuracy").estimate is None
    assert "tied" in tied.row("accuracy").undefined
    assert "undefined" in tied.sentence()


def test_truth_is_joined_by_label_never_by_position():
    rows = pd.DataFrame(
        {
            "unit": ["q", "p"] * 3,
            "rater": ["x"] * 2 + ["y"] * 2 + ["z"] * 2,
            "value": [1, 2, 1, 2, 1, 2],
        }
    )
    made = Ratings.from_frame(rows, levels=[1, 2], scale="ordinal")
    for truth in ({"p": 2, "q": 1}, {"q": 1, "p": 2}):
        assert majority_vote_accuracy(made, truth=truth).row("accuracy").estimate == 1


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from([1, 2, 3, None]), min_size=4, max_size=4), min_size=1, max_size=12
    ),
    st.sampled_from([t for t in TIES if t != "error"]),
)
def test_against_sorted_counts(matrix, ties):
    voted = [[x for x in row if x is not None] for row in matrix]
    if not any(voted):
        return
    want = []
    for votes in filter(None, voted):
        most = max(Counter(votes).values())
        modes = sorted(level for level, n in Counter(votes).items() if n == most)
        if len(modes) > 1 and ties == "drop":
            continue
        values = {
            "split": (2 in modes) / len(modes),
            "first_level": modes[0] == 2,
            "wrong": modes == [2],
        }
        want.append(values.get(ties, modes == [2]))
    row = majority_vote_accuracy(
        design(matrix), truth={f"u{k:04d}": 2 for k in range(len(matrix))}, ties=ties
    ).rows[0]
    assert row.estimate == (pytest.approx(np.mean(want)) if want else None)
    assert row.conf_low is None or 0 <= row.conf_low <= row.estimate <= row.conf_high <= 1

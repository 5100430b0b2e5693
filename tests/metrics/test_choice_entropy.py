from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from socialstats.choices.choice_entropy import (
    choice_entropy,
    choice_entropy_difference,
    entropy,
    miller_madow,
)
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import InputError, UndefinedStatistic


def counted(wins):
    """Rows from {(a, b): (wins of a, wins of b)}."""
    rows = []
    for (a, b), (x, y) in wins.items():
        rows += [(a, b, a)] * x + [(a, b, b)] * y
    return pd.DataFrame(rows, columns=["item_a", "item_b", "winner"])


WINS = {
    ("a", "b"): (3, 0),
    ("a", "c"): (2, 1),
    ("b", "c"): (4, 4),
    ("c", "d"): (1, 5),
    ("d", "b"): (2, 2),
}


@pytest.mark.parametrize("base", [2.0, math.e, 10.0])
def test_entropy_and_miller_madow_by_pair_against_scipy_and_the_formula(base):
    result = choice_entropy(Comparisons.from_frame(counted(WINS)), base=base)
    found = dict(zip(result.extras["pairs"], result.extras["entropy"], strict=True))
    corrected = dict(zip(result.extras["pairs"], result.extras["corrected"], strict=True))
    for (a, b), (x, y) in WINS.items():
        key = (min(a, b), max(a, b))
        value = stats.entropy([x, y], base=base)
        assert found[key] == pytest.approx(value, abs=1e-12)
        extra = (1 if x and y else 0) / (2 * (x + y)) / math.log(base)
        assert corrected[key] == pytest.approx(value + extra, abs=1e-12)
    assert result.row("H").estimate == pytest.approx(np.mean(list(found.values())))
    assert result.row("H_corrected").estimate == pytest.approx(np.mean(list(corrected.values())))


def test_miller_madow_takes_off_most_of_the_bias():
    p, n = 0.7, 9
    k = np.arange(n + 1)
    chance = stats.binom.pmf(k, n, p)
    true = entropy(np.array([p]))[0]
    plain = chance @ entropy(k / n)
    corrected = chance @ miller_madow(k / n, np.full(n + 1, float(n)))
    assert abs(corrected - true) < 0.25 * abs(plain - true)


def test_interval_is_the_t_interval_over_pairs():
    result = choice_entropy(Comparisons.from_frame(counted(WINS)), level=0.9)
    ends = stats.ttest_1samp(result.extras["entropy"], 0).confidence_interval(0.9)
    row = result.row("H")
    assert (row.conf_low, row.conf_high) == pytest.approx(
        (max(ends.low, 0), min(ends.high, 1))
    )  # of two outcomes
    assert row.df == 4
    assert row.n_units == 5
    assert result.verify().ok


def test_clusters_of_pairs_are_cr2_of_bell_and_mccaffrey():
    rows = counted(WINS)
    rows["block"] = np.where(
        rows.item_a.isin(["a"]), "first", np.where(rows.item_a == "b", "second", "third")
    )
    result = choice_entropy(Comparisons.from_frame(rows, cluster="block"), cluster="block")
    h = result.extras["entropy"]
    block = {("a", "b"): 0, ("a", "c"): 0, ("b", "c"): 1, ("c", "d"): 2, ("b", "d"): 2}
    groups = np.array([block[p] for p in result.extras["pairs"]])
    left, parts = np.eye(5) - 1 / 5, []  # residuals of a regression on a constant
    for code in range(3):
        own = groups == code
        values, vectors = np.linalg.eigh(left[np.ix_(own, own)])
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        parts.append(left[:, own] @ root @ np.full(own.sum(), 1 / 5))
    variance, spread = sum((part @ h) ** 2 for part in parts), np.array(parts) @ np.array(parts).T
    assert result.row("H").std_error == pytest.approx(np.sqrt(variance))
    assert result.row("H").df == pytest.approx(np.trace(spread) ** 2 / np.sum(spread**2))
    assert result.row("H").n_clusters == 3
    assert result.verify().ok


def test_a_cluster_that_splits_pairs_is_refused():
    rows = counted(WINS).assign(story=lambda t: [f"s{i % 3}" for i in range(len(t))])
    design = Comparisons.from_frame(rows, cluster="story")
    with pytest.raises(InputError, match="splits pairs"):
        choice_entropy(design, cluster="story")
    assert any(c.code == "SS201" for c in choice_entropy(design).cautions)


def test_ties_count_half_and_are_said():
    rows = pd.DataFrame([("a", "b", "a"), ("a", "b", "tie"), ("a", "c", "a"), ("a", "c", "c")])
    rows.columns = ["item_a", "item_b", "winner"]
    result = choice_entropy(Comparisons.from_frame(rows))
    assert result.extras["rate"].tolist() == [0.75, 0.5]
    assert {"SS105", "SS304"} <= {c.code for c in result.cautions}


def test_invariant_to_row_order_sides_and_labels():
    rows = counted(WINS)
    base = [r.estimate for r in choice_entropy(Comparisons.from_frame(rows)).rows]
    swapped = rows.rename(columns={"item_a": "item_b", "item_b": "item_a"})
    renamed = rows.replace(dict(zip("abcd", "wzyx", strict=True)))
    for other in (rows.sample(frac=1, random_state=0), swapped, renamed):
        found = [r.estimate for r in choice_entropy(Comparisons.from_frame(other)).rows]
        assert found == pytest.approx(base, abs=1e-12)


def test_weights_equal_repetition_in_the_plug_in():
    rows = counted(WINS).assign(w=2.0)
    weighted = choice_entropy(Comparisons.from_frame(rows, weight="w"))
    plain = choice_entropy(Comparisons.from_frame(counted(WINS)))
    assert weighted.extras["entropy"] == pytest.approx(plain.extras["entropy"])
    assert weighted.extras["n"] == pytest.approx(
        plain.extras["n"]
    )  # doubling every weight adds no information


@pytest.mark.parametrize(
    "options", [{"base": 1}, {"base": -2}, {"base": math.inf}, {"level": 2}, {"cluster": "x"}]
)
def test_unusable_options(options):
    with pytest.raises(InputError):
        choice_entropy(Comparisons.from_frame(counted(WINS)), **options)


def test_one_pair_has_no_interval_and_says_so():
    row = choice_entropy(Comparisons.from_frame(counted({("a", "b"): (1, 2)}))).row("H")
    assert row.estimate == pytest.approx(stats.entropy([1, 2], base=2))
    assert row.conf_low is None
    assert "one value only" in row.undefined


# --- difference of two conditions -------------------------------------------------------------------------------

OTHER = {
    ("b", "a"): (1, 2),
    ("c", "a"): (3, 3),
    ("b", "c"): (7, 1),
    ("c", "d"): (3, 3),
    ("d", "b"): (4, 0),
}


def test_difference_is_scipys_paired_t():
    a, b = (Comparisons.from_frame(counted(w)) for w in (WINS, OTHER))
    result = choice_entropy_difference(a, b, labels=("ours", "base"))
    x = [stats.entropy(WINS[k], base=2) for k in WINS]
    y = [stats.entropy(OTHER[k], base=2) for k in OTHER]
    test = stats.ttest_rel(x, y)
    row = result.row("H", group="difference")
    assert (row.statistic, row.df, row.p_value) == pytest.approx(
        (test.statistic, test.df, test.pvalue)
    )
    ends = test.confidence_interval(0.95)
    assert (row.conf_low, row.conf_high) == pytest.approx((ends.low, ends.high))
    d = np.subtract(x, y)
    assert result.row("sd").estimate == pytest.approx(d.std(ddof=1))
    assert result.row("d_z").estimate == pytest.approx(test.statistic / np.sqrt(5))
    assert result.row("H", group="base").estimate == pytest.approx(np.mean(y))
    assert "SS303" in [c.code for c in result.cautions]
    assert result.verify().ok
    assert f"t(4) = {test.statistic:.2f}".replace("-", "\u2212") in result.sentence()
    back = choice_entropy_difference(b, a).row("H", group="difference")
    assert back.statistic == pytest.approx(-row.statistic)
    json.dumps(result.to_dict(), allow_nan=False)
    assert result.plot() is not None


def test_equal_counts_need_no_caution():
    a = Comparisons.from_frame(counted({("a", "b"): (3, 0), ("a", "c"): (2, 1)}))
    b = Comparisons.from_frame(counted({("a", "b"): (2, 1), ("a", "c"): (2, 1)}))
    assert not choice_entropy_difference(a, b).cautions


def test_all_differences_equal_is_undefined_and_says_so():
    design = Comparisons.from_frame(counted(WINS))
    result = choice_entropy_difference(design, design)
    row = result.row("H", group="difference")
    assert (row.estimate, row.conf_low, row.p_value) == (0, None, None)
    assert "all 5 values equal 0" in row.undefined
    assert result.row("d_z").estimate is None
    assert "equal" in result.sentence()


def test_unmatched_pairs_are_listed_or_dropped_on_request():
    a = Comparisons.from_frame(counted(WINS))
    b = Comparisons.from_frame(counted({k: v for k, v in OTHER.items() if k != ("d", "b")}))
    with pytest.raises(InputError, match=r"b \| d"):
        choice_entropy_difference(a, b)
    result = choice_entropy_difference(a, b, unmatched="drop")
    assert result.row("H", group="difference").n_units == 4
    assert result.cautions[0].code == "SS301"
    lone = Comparisons.from_frame(counted({("a", "b"): (1, 1)}))
    with pytest.raises(UndefinedStatistic, match="at least two"):
        choice_entropy_difference(lone, lone)


def test_labels_with_the_separator_are_not_confused():
    a = Comparisons.from_frame(counted({("x | y", "z"): (1, 1), ("p", "q"): (1, 2)}))
    b = Comparisons.from_frame(counted({("x", "y | z"): (1, 1), ("p", "q"): (1, 2)}))
    with pytest.raises(InputError, match="2 pairs"):
        choice_entropy_difference(a, b)

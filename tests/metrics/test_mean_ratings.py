"""Mean ratings: R's values, by hand, by clusters, only where levels are numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, norm
from scipy.stats import t as student

from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.results import Result
from socialstats.scales.leaderboard import leaderboard
from socialstats.scales.mean_ratings import mean_ratings
from tests.golden_data import golden

GOLDEN = golden("mean_ratings")


def likert() -> pd.DataFrame:
    """40 items in 8 topics, rated 1 to 5 on three criteria by three people; some ratings are missing."""
    rng = np.random.default_rng(11)
    rows = []
    for item in range(40):
        for criterion, high in (("plausibility", 4.2), ("clarity", 3.6), ("dilemma", 3.0)):
            level = high + 0.6 * rng.normal()
            for judge in ("ann", "bob", "cia"):
                if rng.random() > 0.05:
                    rows.append(
                        (
                            f"{item}-{criterion}",
                            f"t{item // 5}",
                            criterion,
                            judge,
                            int(np.clip(round(level + 0.7 * rng.normal()), 1, 5)),
                        )
                    )
    return pd.DataFrame(rows, columns=["item", "topic", "criterion", "judge", "rating"])


def design(**more: object) -> Ratings:
    return Ratings.from_frame(likert(), levels=[1, 2, 3, 4, 5], scale="ordinal", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cluster", "term", "name"),
    [
        (None, "all units", "units"),
        ("story", "all units", "clusters"),
        ("story", "ann", "ann"),
    ],
)
def test_r_gives_the_same(cluster: str | None, term: str, name: str) -> None:
    table = pd.DataFrame({part: GOLDEN[part] for part in ("unit", "rater", "value", "story")})
    row = mean_ratings(table, scale="interval", cluster=cluster).row(term)
    for field, value in GOLDEN[name].items():
        assert getattr(row, field) == pytest.approx(value, rel=1e-9), field


def wilson(p: float, n: float, q: float) -> tuple[float, float]:
    """Solve (p - x)^2 = q^2 x (1 - x) / n."""
    low, high = np.roots([1 + q**2 / n, -(2 * p + q**2 / n), p**2])[::-1].real
    return float(low), float(high)


def test_means_and_intervals_are_those_of_units() -> None:
    found = mean_ratings(design(strata="criterion"), level=0.9)
    units = likert().groupby(["criterion", "item"])["rating"].mean()
    for name, own in units.groupby("criterion"):
        row = found.row(str(name))
        error = own.std(ddof=1) / np.sqrt(len(own))
        p = (own.mean() - 1) / 4
        n = p * (1 - p) / (error / 4) ** 2
        ends = wilson(p, n, student.ppf(0.95, len(own) - 1))
        expected = (own.mean(), error, *(1 + 4 * np.array(ends)), len(own) - 1, n)
        got = (row.estimate, row.std_error, row.conf_low, row.conf_high, row.df, row.effective)
        assert got == pytest.approx(expected)
        assert (row.interval, row.limits) == ("score", (1.0, 5.0))
    assert found.row("ann").estimate == pytest.approx(
        likert().query("judge == 'ann'")["rating"].mean()
    )
    assert found.rows[0].estimate == pytest.approx(units.mean())


def test_without_declared_levels_the_interval_is_that_of_t() -> None:
    found = mean_ratings(likert(), scale="interval")
    units = likert().groupby("item")["rating"].mean()
    reach = student.ppf(0.975, len(units) - 1) * units.std(ddof=1) / np.sqrt(len(units))
    row = found.rows[0]
    assert (row.conf_low, row.conf_high) == pytest.approx(
        (units.mean() - reach, units.mean() + reach)
    )
    assert (row.interval, row.limits, row.df) == ("t", None, len(units) - 1)


def test_clusters_widen_the_error_by_hand() -> None:
    found = mean_ratings(design(cluster="topic"))
    frame = likert()
    units = frame.groupby("item").agg(x=("rating", "mean"), g=("topic", "first"))
    sums = (units["x"] - units["x"].mean()).groupby(units["g"]).agg(["sum", "size"])
    n = len(units)
    assert found.rows[0].std_error == pytest.approx(
        np.sqrt((sums["sum"] ** 2 / (1 - sums["size"] / n)).sum()) / n
    )
    assert found.rows[0].n_clusters == 8


def test_levels_that_are_no_numbers_have_no_mean() -> None:
    words = {"unit": [1, 2], "rater": ["a", "a"], "value": ["low", "high"]}
    with pytest.raises(InputError, match="levels that are numbers"):
        mean_ratings(words, levels=["low", "high"], scale="ordinal")
    with pytest.raises(InputError, match="levels that are numbers"):
        mean_ratings(Ratings.from_frame(likert(), scale="nominal"))
    with pytest.raises(InputError, match="give one row a rating"):
        mean_ratings(
            {"a": [1, 2], "b": [2, 2], "n": [3, 1]}, raters=["a", "b"], scale="interval", count="n"
        )
    with pytest.raises(NothingToAnalyse):
        mean_ratings(likert().iloc[:0], scale="interval")
    with pytest.raises(NothingToAnalyse, match="no unit has a rating"):
        mean_ratings(np.full(5, np.nan))


def test_means_of_few_units_or_clusters_are_approximate_and_clusters_that_are_left_out_are_said() -> (
    None
):
    found = mean_ratings(design(strata="criterion", cluster="topic"))
    few = next(c for c in found.cautions if c.code == "SS312")
    assert (
        few.detail
        == "about 8.0 effective clusters are too few to show whether their values are skewed"
    )
    frame = likert().query(
        "item in ('0-clarity', '1-clarity', '2-clarity') or criterion == 'dilemma'"
    )
    several = mean_ratings(
        frame, levels=[1, 2, 3, 4, 5], scale="ordinal", unit="item", strata="criterion"
    )
    assert {
        row.term: row.approximate for row in several.rows if row.group == "mean by criterion"
    } == {
        "clarity": True,
        "dilemma": False,
    }
    ignored = mean_ratings(design(cluster="topic"), cluster=None)
    assert [c.code for c in ignored.cautions if c.severity == "caution" and c.code != "SS311"] == [
        "SS201"
    ]


def one_rater(values: object, **more: object) -> Result:
    """Return the mean of one rating of each unit."""
    x = list(values)  # type: ignore[call-overload]
    return mean_ratings({"unit": range(len(x)), "rater": ["ann"] * len(x), "value": x}, **more)  # type: ignore[return-value]


def test_yes_or_no_values_have_the_interval_of_a_share_as_in_a_leaderboard() -> None:
    x = [1] * 98 + [0] * 2
    row = one_rater(x).rows[0]
    assert (row.conf_low, row.conf_high) == pytest.approx(wilson(0.98, 100, norm.ppf(0.975)))
    assert (row.interval, row.limits) == ("score", (0.0, 1.0))
    scores = {
        "model": ["ann"] * 100 + ["bob"] * 100,
        "item": [*range(100)] * 2,
        "score": x + x[::-1],
    }
    same = leaderboard(scores).row("ann", group="mean")
    wanted = (same.conf_low, same.conf_high, same.std_error)
    assert (row.conf_low, row.conf_high, row.std_error) == pytest.approx(wanted)
    other = one_rater([5 if value else 1 for value in x], levels=[1, 5]).rows[0]
    assert (other.conf_low, other.conf_high) == pytest.approx(
        (1 + 4 * row.conf_low, 1 + 4 * row.conf_high)
    )


def test_yes_or_no_values_in_clusters_are_those_of_a_leaderboard() -> None:
    rng = np.random.default_rng(4)
    group, scores = np.repeat(np.arange(12), 5), rng.integers(0, 2, 60)
    table = pd.DataFrame({"unit": range(60), "rater": "ann", "value": scores, "story": group})
    row = mean_ratings(table, cluster="story").rows[0]
    both = pd.concat([table, table.assign(rater="bob", value=1 - scores)])
    same = leaderboard(both, rater="rater", unit="unit", value="value", cluster="story").row(
        "ann", group="mean"
    )
    for field in ("conf_low", "conf_high", "std_error", "df", "effective", "leverage"):
        assert getattr(row, field) == pytest.approx(getattr(same, field)), field


def held(n: int, p: float) -> tuple[float, float]:
    """Return the coverage of the interval of n yes-or-no values, and that of t intervals, by enumeration."""
    ours, theirs = 0.0, 0.0
    for k in range(n + 1):
        row = one_rater([1] * k + [0] * (n - k), levels=[0, 1]).rows[0]
        chance = binom.pmf(k, n, p)
        assert row.conf_low is not None
        assert row.conf_high is not None
        assert 0 <= row.conf_low <= k / n <= row.conf_high <= 1
        ours += chance * (row.conf_low <= p <= row.conf_high)
        error = np.sqrt(k / n * (1 - k / n) / (n - 1))
        theirs += chance * (abs(k / n - p) <= student.ppf(0.975, n - 1) * error)
    return ours, theirs


@pytest.mark.parametrize(
    ("n", "p", "before", "after"), [(100, 0.95, 0.877, 0.966), (20, 0.8, 0.921, 0.956)]
)
def test_coverage_of_shares_by_enumeration(n: int, p: float, before: float, after: float) -> None:
    assert held(n, p) == pytest.approx((after, before), abs=0.002)


def covered(
    values: np.ndarray, mean: float, *, cluster: np.ndarray | None = None
) -> tuple[float, float]:
    """Return how many intervals of the rows of values, from 1 to 5, hold, and how many results have a caution."""
    more = {} if cluster is None else {"cluster": "story"}
    ours, said = [], []
    for row in values:
        table = {"unit": range(len(row)), "rater": ["ann"] * len(row), "value": row}
        found = mean_ratings(
            table | ({"story": cluster} if more else {}), levels=[1, 2, 3, 4, 5], **more
        )
        low, high = found.rows[0].conf_low, found.rows[0].conf_high
        assert low is not None
        assert high is not None
        assert 1 <= low <= high <= 5
        ours.append(low <= mean <= high)
        said.append(found.rows[0].approximate)
    return float(np.mean(ours)), float(np.mean(said))


LEVELS = np.array([1, 2, 3, 4, 5])
TOP = np.array([0.02, 0.03, 0.05, 0.2, 0.7])  # mostly the highest rating


@pytest.mark.slow
def test_means_near_the_end_of_a_scale_hold_where_those_of_t_do_not() -> None:
    """400 samples of 20 ratings: Monte-Carlo error .011; t intervals hold .89."""
    values = np.random.default_rng(7).choice(LEVELS, size=(400, 20), p=TOP)
    mean, error = values.mean(axis=1), values.std(axis=1, ddof=1) / np.sqrt(20)
    plain = np.mean(np.abs(mean - LEVELS @ TOP) <= student.ppf(0.975, 19) * error)
    assert plain < 0.915
    assert 0.925 <= covered(values, float(LEVELS @ TOP))[0] <= 0.985


@pytest.mark.slow
def test_means_in_clusters_hold() -> None:
    """300 samples of 60 clusters of five with an intraclass correlation of .67: Monte-Carlo error .013."""
    rng = np.random.default_rng(8)
    cluster = np.repeat(np.arange(60), 5)
    seen = np.sqrt(0.67) * rng.normal(size=(300, 60))[:, cluster] + np.sqrt(0.33) * rng.normal(
        size=(300, 300)
    )
    values = 1 + np.searchsorted(norm.ppf(np.cumsum(TOP)[:-1]), seen)
    assert 0.91 <= covered(values, float(LEVELS @ TOP), cluster=cluster)[0] <= 0.985


def test_equal_ratings_have_an_interval_at_an_end_of_the_scale_alone() -> None:
    top = one_rater([5] * 30, levels=[1, 2, 3, 4, 5])
    low = wilson(1.0, 30, student.ppf(0.975, 29))[0]
    row = top.rows[0]
    assert (row.estimate, row.conf_low, row.conf_high, row.std_error) == pytest.approx(
        (5, 1 + 4 * low, 5, None)
    )
    middle = one_rater([3] * 30, levels=[1, 2, 3, 4, 5]).rows[0]
    assert middle.conf_low is None
    assert middle.undefined == "all 30 values equal 3: no standard error, no test"
    unknown = one_rater([1] * 30).rows[0]
    assert unknown.conf_low is None
    for result in (top, one_rater([3] * 30, levels=[1, 2, 3, 4, 5])):
        assert result.verify().ok


def codes(result: Result) -> list[tuple[str, tuple[str, ...] | None]]:
    return [(said.code, said.rows) for said in result.cautions if said.severity == "caution"]


def test_skewed_values_rare_answers_and_few_units_are_cautioned_by_row() -> None:
    rng = np.random.default_rng(2)
    long = np.exp(rng.normal(size=40)).round(3)
    assert codes(one_rater(long)) == [("SS317", ("all units [mean]",))]
    assert codes(one_rater(rng.normal(size=40).round(3))) == []
    assert codes(one_rater(rng.normal(size=12).round(3))) == [("SS312", ("all units [mean]",))]
    assert codes(one_rater([1] * 98 + [0] * 2)) == [("SS212", ("all units [mean]",))]
    assert codes(one_rater([1] * 90 + [0] * 10)) == []
    assert codes(one_rater([0, 1] * 6)) == []  # Wilson's interval needs no number of units
    table = pd.DataFrame(
        {
            "unit": [*range(40)] * 2,
            "rater": ["ann"] * 40 + ["bob"] * 40,
            "value": np.concatenate([long, rng.normal(20, 1, 40).round(3)]),
        }
    )
    both = mean_ratings(table)
    assert ("SS317", ("all units [mean]", "ann [mean of a rater]")) in codes(both)
    assert not both.row("bob").approximate


def test_several_raters_of_yes_or_no_count_as_their_agreement_allows() -> None:
    rng = np.random.default_rng(6)
    apart = pd.DataFrame(
        {
            "unit": np.repeat(np.arange(50), 4),
            "rater": ["a", "b", "c", "d"] * 50,
            "value": rng.integers(0, 2, 200),
        }
    )
    agreed = apart.assign(value=np.repeat(rng.integers(0, 2, 50), 4))
    one, all_alike = mean_ratings(apart), mean_ratings(agreed)
    assert 120 < one.rows[0].effective <= 200
    assert all_alike.rows[0].effective is None
    p = agreed["value"].mean()
    assert (all_alike.rows[0].conf_low, all_alike.rows[0].conf_high) == pytest.approx(
        wilson(p, 50, norm.ppf(0.975))
    )
    assert one.verify().ok
    assert all_alike.verify().ok

"""People as a sample: two crossed factors, written out; who is a person; few people; comparisons of models."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import socialstats as ss
from socialstats.errors import InputError
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.inference.intervals import cochran_df
from socialstats.shares.divergence import jensen_shannon
from socialstats.shares.sources import people_of

LEVELS = ["x", "y", "z"]
QUICK = {"permutations": 99}


def table(
    seed: int, units: int = 24, people: int = 6, *, lost: float = 0.0, habit: float = 1.0
) -> pd.DataFrame:
    """People with habits, and a model of four runs, on the same units; three units a story, one for each condition."""
    rng = np.random.default_rng(seed)
    unit = rng.normal(0, 1, (units, 1, 3))
    rows = []
    for source, n, sd in (("human", people, habit), ("model", 4, 0.0)):
        chances = np.exp(unit + rng.normal(0, 1, (1, n, 3)) * sd)
        chances /= chances.sum(axis=2, keepdims=True)
        value = (rng.random((units, n, 1)) > chances.cumsum(axis=2)[..., :-1]).sum(axis=2)
        rows += [
            (f"u{u:02}", f"{source} {r}", source, LEVELS[value[u, r]])
            for u, r in product(range(units), range(n))
            if source == "model" or rng.random() >= lost
        ]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "source", "value"])
    number = frame["unit"].str[1:].astype(int)
    return frame.assign(
        story="s" + (number // 3).astype(str),
        condition=np.array(["no", "goal", "risk"])[number % 3],
    )


def read(frame: pd.DataFrame, **more: Any) -> ss.Ratings:
    """Return the design."""
    columns = [
        "unit",
        "rater",
        "source",
        "value",
        *(name for names in more.values() for name in np.atleast_1d(names)),
    ]
    return ss.Ratings.from_frame(
        frame[columns], scale="nominal", levels=LEVELS, rater_source="source", **more
    )


def crossed(
    part: pd.DataFrame, deviation: Any, weight: Any, unit: str = "unit"
) -> tuple[float, float]:
    """V1 + V2 - V12 of deviations by ratings, V1 and V2 by CR2, and Cochran's degrees of freedom, by loops."""
    e, f = (
        pd.Series(np.asarray(deviation), index=part.index),
        pd.Series(np.asarray(weight), index=part.index),
    )
    variances, dfs = [], []
    for name in (unit, "rater"):
        sums, shares = e.groupby(part[name]).sum(), f.groupby(part[name]).sum().to_numpy()
        variances.append(float((sums.to_numpy() ** 2 / (1 - shares)).sum()))
        p = np.diag(shares) - np.outer(shares, shares)
        p = p / np.sqrt(np.outer(1 - shares, 1 - shares))
        dfs.append(float(np.trace(p) ** 2 / np.trace(p @ p)))
    both = float((e.groupby([part[unit], part["rater"]]).sum() ** 2).sum())
    return max(*variances, sum(variances) - both), cochran_df(variances, dfs)


@pytest.mark.parametrize(("lost", "cluster"), [(0.0, None), (0.3, None), (0.3, "story")])
def test_a_share_of_people_has_the_error_of_two_crossed_factors(
    lost: float, cluster: str | None
) -> None:
    frame = table(1, lost=lost)
    result = ss.choice_shares(read(frame, **({"cluster": cluster} if cluster else {})), **QUICK)
    people = frame[frame["source"] == "human"]
    assert "6 human raters as a sample, 4 others as they are" in result.inference
    for level in LEVELS:
        hit = (people["value"] == level).to_numpy(dtype=float)
        p, n = hit.mean(), len(hit)
        variance, df = crossed(people, (hit - p) / n, np.full(n, 1 / n), cluster or "unit")
        row = result.row(level, group="human")
        assert (row.std_error, row.df) == pytest.approx((math.sqrt(variance), df), rel=1e-9)
        t = stats.t.ppf(0.975, df)
        trials = min(p * (1 - p) / variance, n)
        middle, half = (
            p + t**2 / (2 * trials),
            t * math.sqrt(p * (1 - p) / trials + t**2 / (4 * trials**2)),
        )
        assert (row.conf_low, row.conf_high) == pytest.approx(
            ((middle - half) / (1 + t**2 / trials), (middle + half) / (1 + t**2 / trials)), rel=1e-9
        )
        fixed = ss.choice_shares(read(frame), people="fixed", **QUICK).row(level, group="model")
        if cluster is None:
            assert (row.estimate, result.row(level, group="model").std_error) == pytest.approx(
                (p, fixed.std_error)
            )
    assert result.verify().ok


def test_a_difference_from_a_model_takes_the_people_alone_as_the_second_factor() -> None:
    """Runs of the model stay with their units: V1 of the units' differences, V2 and V12 of the people's ratings."""
    frame = table(2)
    people, model = (frame[frame["source"] == name] for name in ("human", "model"))
    result = ss.choice_shares(read(frame), **QUICK)
    for level in LEVELS:
        hit, ran = ((part["value"] == level).astype(float) for part in (people, model))
        gaps = ran.groupby(model["unit"]).mean() - hit.groupby(people["unit"]).mean()
        n, (units, number) = len(hit), (len(gaps), people["rater"].nunique())
        v1 = gaps.var(ddof=1) / units
        v2 = hit.groupby(people["rater"]).mean().var(ddof=1) / number
        v12 = float(((hit - hit.mean()) ** 2).sum()) / n**2
        variance, df = max(v1, v2, v1 + v2 - v12), cochran_df([v1, v2], [units - 1, number - 1])
        row = result.row(level, group="model - human")
        assert (row.estimate, row.std_error, row.df) == pytest.approx(
            (gaps.mean(), math.sqrt(variance), df), rel=1e-9
        )
        assert row.p_value == pytest.approx(
            2 * stats.t.sf(abs(gaps.mean()) / math.sqrt(variance), df), rel=1e-9
        )


def test_f_of_two_levels_is_the_square_of_t() -> None:
    frame = table(3)
    frame = frame.assign(value=np.where(frame["value"] == "x", "x", "y"))
    result = ss.choice_shares(
        ss.Ratings.from_frame(
            frame[["unit", "rater", "source", "value"]], scale="nominal", rater_source="source"
        ),
        **QUICK,
    )
    gap, test = (
        result.row("x", group="model - human"),
        result.row("any level", group="model - human"),
    )
    assert (test.test, test.df) == ("f", 1)
    assert (test.statistic, test.p_value) == pytest.approx(
        (gap.statistic**2, gap.p_value), rel=1e-9
    )


def test_raters_within_units_add_nothing_and_units_within_raters_are_their_clusters() -> None:
    frame = table(4, habit=2.0)
    people = frame[frame["source"] == "human"]
    own = people.assign(rater=people["rater"] + people["unit"])  # a person for each rating
    drawn, fixed = (
        ss.choice_shares(
            own, unit="unit", rater="rater", value="value", scale="nominal", people=how
        )
        for how in ("random", "fixed")
    )
    assert drawn.row("x").std_error == pytest.approx(fixed.row("x").std_error, rel=1e-12)
    turn = "human " + (people["unit"].str[1:].astype(int) % 6).astype(str)
    alone = people[people["rater"] == turn]  # a single rating of each unit
    design = ss.Ratings.from_frame(
        alone[["unit", "rater", "value"]], scale="nominal", levels=LEVELS
    )
    same = ss.Ratings.from_frame(
        alone.assign(who=alone["rater"])[["unit", "rater", "value", "who"]],
        scale="nominal",
        levels=LEVELS,
        cluster="who",
    )
    one, two = ss.choice_shares(design).row("x"), ss.choice_shares(same, people="fixed").row("x")
    assert (one.std_error, one.df) == pytest.approx((two.std_error, two.df), rel=1e-12)


WHO = {
    "human beside a model": ({"rater_source": ["human"] * 5 + ["model"]}, [1, 1, 1, 1, 1, 0]),
    "a crowd": ({"rater_source": ["Crowd workers"] * 5 + ["gpt-4o"]}, [1, 1, 1, 1, 1, 0]),
    "experts and a crowd": ({"rater_source": ["expert"] * 2 + ["crowd"] * 4}, [1] * 6),
    "sources that name models": ({"rater_source": ["llama"] * 3 + ["claude"] * 3}, [0] * 6),
    "ages": ({"rater_groups": ["young"] * 3 + ["old"] * 3}, [1] * 6),
    "students and teachers": ({"rater_groups": ["student"] * 3 + ["teacher"] * 3}, [1] * 6),
    "nothing said": ({}, [1] * 6),
}


@pytest.mark.parametrize("case", WHO)
def test_who_is_a_person(case: str) -> None:
    given, wanted = WHO[case]
    rows = [
        {
            "unit": u,
            "rater": f"r{k}",
            "value": "yn"[(u + k) % 2],
            **{name: x[k] for name, x in given.items()},
        }
        for u in range(4)
        for k in range(6)
    ]
    design = ss.Ratings.from_frame(
        pd.DataFrame(rows), scale="nominal", **{name: name for name in given}
    )
    found = dict(zip(design.raters, people_of(design).tolist(), strict=True))
    assert [found[name] for name in sorted(found, key=lambda name: name[-1])] == [
        bool(x) for x in wanted
    ]


def test_raters_whose_names_say_models_are_no_people() -> None:
    rows = {
        "item": [1, 2] * 4,
        "judge": ["gpt-4o"] * 2 + ["Robert"] * 2 + ["Gemma 2"] * 2 + ["Palmer"] * 2,
        "rating": list("ynynynyn"),
    }
    design = ss.Ratings.from_frame(rows, scale="nominal")
    assert dict(zip(design.raters, people_of(design).tolist(), strict=True)) == {
        "gpt-4o": False,
        "Robert": True,
        "Gemma 2": False,
        "Palmer": True,
    }
    called = ss.Ratings.from_frame(
        {"item": [1, 2] * 2, "model": ["a", "a", "b", "b"], "rating": list("ynyn")},
        rater="model",
        scale="nominal",
    )
    assert not people_of(called).any()
    assert not people_of(ss.Ratings.from_counts({"y": [3, 1], "n": [0, 2]}, scale="nominal")).any()


def test_few_people_are_taken_as_they_are_and_the_result_says_why() -> None:
    frame = table(5, people=4)
    result = ss.choice_shares(read(frame), **QUICK)
    fixed = ss.choice_shares(read(frame), people="fixed", **QUICK)
    assert result.rows == fixed.rows
    assert "for these 8 raters (fewer than 5 people do not stand for others)" in result.inference
    assert ["SS215" in {c.code for c in r.cautions} for r in (result, fixed)] == [True, False]
    drawn = ss.choice_shares(read(frame), people="random", **QUICK)
    assert drawn.settings["people"] == "random"
    assert drawn.row("x", group="human").std_error > fixed.row("x", group="human").std_error
    assert "SS202" in {c.code for c in drawn.cautions}


@pytest.mark.parametrize("metric", [ss.choice_shares, ss.js_similarity, ss.reply_shares])
def test_people_who_cannot_be_a_sample_are_an_error_on_request(metric: Any) -> None:
    frame = table(6, people=1)
    with pytest.raises(InputError, match="fewer than two people are known as raters"):
        metric(read(frame), people="random")
    with pytest.raises(InputError, match="people='drawn' is not one of"):
        metric(read(frame), people="drawn")
    two = read(
        table(6).assign(other=lambda t: "c" + (t["unit"].str[1:].astype(int) % 4).astype(str)),
        cluster=["story", "other"],
    )
    with pytest.raises(InputError, match="two crossed clusters are declared"):
        metric(two, people="random")
    assert "two crossed clusters are declared" in metric(two).inference


def test_a_stratum_that_one_person_rated_has_no_interval() -> None:
    frame = table(7)
    gone = (
        (frame["source"] == "human")
        & (frame["condition"] == "risk")
        & (frame["rater"] != "human 0")
    )
    result = ss.choice_shares(read(frame[~gone], strata="condition"), stratum="condition", **QUICK)
    for group in ("human, risk", "model - human, risk"):
        row = result.row("x", group=group)
        assert row.conf_low is None
        assert "a single person rated here" in str(row.undefined)
    assert result.row("x", group="human, goal").conf_low is not None


def test_changes_take_people_as_the_second_factor_and_verification_agrees() -> None:
    frame = table(8, lost=0.15)
    design = read(frame, strata="condition", cluster="story")
    result = ss.choice_shares(design, stratum="condition", base="no", **QUICK)
    row = result.row("x", group="human: goal - no")
    assert row.test == "t"
    assert "raters" in str(row.method)
    assert result.row("any level", group="model - human: risk - no").test == "f"
    assert result.verify().ok


def test_alike_units_are_units_of_their_own() -> None:
    frame = table(9, units=12)
    people = frame[frame["source"] == "human"][["unit", "rater", "value"]]
    twice = pd.concat([people, people.assign(unit=people["unit"] + " again")])
    counted = ss.choice_shares(people.assign(n=2), count="n", scale="nominal", levels=LEVELS)
    whole = ss.choice_shares(twice, scale="nominal", levels=LEVELS)
    for level in LEVELS:
        one, two = counted.row(level), whole.row(level)
        assert (one.std_error, one.df, one.conf_low) == pytest.approx(
            (two.std_error, two.df, two.conf_low), rel=1e-9
        )


def test_similarity_leaves_people_out_and_agrees_with_brute_force() -> None:
    frame = table(10, lost=0.2)
    result = ss.js_similarity(read(frame), splits=99, **QUICK)
    human = frame["source"] == "human"

    def divergence(kept: pd.Series) -> float:
        counts = [
            frame[kept & side]["value"]
            .value_counts()
            .reindex(LEVELS, fill_value=0)
            .to_numpy(dtype=float)
            for side in (human, ~human)
        ]
        return float(jensen_shannon(*counts))

    whole = divergence(human | ~human)
    parts = [
        [frame["unit"] != u for u in frame["unit"].unique()],
        [(frame["rater"] != r) | ~human for r in frame[human]["rater"].unique()],
        [(frame.index != k) for k in frame[human].index],
    ]
    left = [
        np.array([divergence(pd.Series(kept, index=frame.index)) for kept in part])
        for part in parts
    ]
    bias = [(len(x) - 1) * (x.mean() - whole) for x in left]
    variance = [(len(x) - 1) * x.var() for x in left]
    row = result.row("model")
    joint = max(variance[0], variance[1], variance[0] + variance[1] - variance[2])
    assert row.std_error == pytest.approx(math.sqrt(joint), rel=1e-9)
    assert 1 - whole + bias[0] + bias[1] - bias[2] == pytest.approx(
        result.extras["uncut"]["model"], rel=1e-9
    )
    assert result.verify().ok


@pytest.mark.parametrize(
    "options",
    [
        {"cell": "condition"},
        {"aggregate": "unit"},
        {"ci": "basic", "resamples": 199},
        {"aggregate": "unit", "cell": "condition"},
    ],
)
def test_every_similarity_of_people_as_a_sample_is_verified(options: dict[str, Any]) -> None:
    design = read(table(11, lost=0.1), strata="condition")
    drawn, fixed = (
        ss.js_similarity(design, splits=99, people=how, **QUICK, **options)
        for how in ("random", "fixed")
    )
    assert drawn.verify().ok
    assert drawn.row("model", group=None).std_error > fixed.row("model", group=None).std_error


def test_a_bootstrap_of_units_and_people_is_as_wide_as_the_error() -> None:
    frame = table(12, units=60, people=20)
    people = frame[frame["source"] == "human"][["unit", "rater", "value"]]
    row = ss.choice_shares(people, scale="nominal", ci="percentile", resamples=999).row("x")
    assert (
        1 < (row.conf_high - row.conf_low) / (2 * 1.96 * row.std_error) < 1.4
    )  # V12 enters three times: conservative


def numbers(seed: int, units: int = 20, people: int = 6) -> np.ndarray:
    """(units, people) ratings from 1 to 7."""
    rng = np.random.default_rng(seed)
    x = (
        4
        + rng.normal(0, 1, (units, 1))
        + rng.normal(0, 0.7, people)
        + rng.normal(0, 0.5, (units, people))
    )
    return np.clip(np.round(x), 1, 7)


def rated(x: np.ndarray, stem: str = "p") -> pd.DataFrame:
    """Return the ratings as a long table."""
    unit, rater = (k.ravel() for k in np.indices(x.shape))
    return pd.DataFrame({"unit": unit, "rater": [f"{stem}{k}" for k in rater], "value": x.ravel()})


def test_a_mean_rating_has_the_error_of_two_crossed_factors() -> None:
    x = numbers(1)
    unit, rater = (k.ravel() for k in np.indices(x.shape))
    wanted = clustered_mean(x.ravel(), np.ones(x.size), [unit, rater])
    result = ss.mean_ratings(rated(x), scale="interval")
    row = result.row("all units")
    assert (row.estimate, row.std_error, row.df) == pytest.approx(
        (wanted.mean, wanted.std_error, wanted.df), rel=1e-9
    )
    assert result.row("p0").std_error == pytest.approx(x[:, 0].std(ddof=1) / math.sqrt(len(x)))
    assert result.inference.endswith("6 raters as a sample")
    assert result.verify().ok


def test_wilsons_interval_of_a_scale_takes_effective_answers_by_units_and_people() -> None:
    x = numbers(4)
    unit, rater = (k.ravel() for k in np.indices(x.shape))
    m = clustered_mean((x.ravel() - 1) / 6, np.ones(x.size), [unit, rater])
    result = ss.mean_ratings(rated(x), levels=list(range(1, 8)))
    row = result.row("all units")
    assert (row.std_error, row.df) == pytest.approx((6 * m.std_error, m.df), rel=1e-9)
    n, q = m.mean * (1 - m.mean) / m.std_error**2, stats.t.ppf(0.975, m.df)
    assert row.effective == pytest.approx(n, rel=1e-9)
    roots = np.roots([1 + q**2 / n, -(2 * m.mean + q**2 / n), m.mean**2])
    assert (row.conf_low, row.conf_high) == pytest.approx(
        (1 + 6 * roots.min(), 1 + 6 * roots.max()), rel=1e-9
    )
    assert row.method == "Wilson, two-way error"
    fixed = ss.mean_ratings(rated(x), levels=list(range(1, 8)), people="fixed")
    assert fixed.row("all units").std_error == pytest.approx(
        x.mean(axis=1).std(ddof=1) / math.sqrt(len(x))
    )
    assert (result.settings["people"], fixed.settings["people"]) == ("random", "fixed")
    assert fixed.inference.endswith("; for these 6 raters")
    assert result.verify().ok


def test_means_of_people_who_differ_where_units_do_not_have_the_error_of_people() -> None:
    people = np.array([1.0, 2.0, 2.0, 4.0, 5.0, 6.0])
    for levels in (None, list(range(1, 8))):
        result = ss.mean_ratings(rated(np.tile(people, (12, 1))), scale="interval", levels=levels)
        row = result.row("all units")
        assert (row.std_error, row.df) == pytest.approx(
            (people.std(ddof=1) / math.sqrt(6), 5), rel=1e-9
        )
        assert result.verify().ok
    still = ss.mean_ratings(rated(np.full((12, 6), 0.1)), scale="interval").row("all units")
    assert still.undefined == "all 12 values equal 0.1: no standard error, no test"


def test_a_mean_of_a_single_person_among_people_as_a_sample_has_no_interval() -> None:
    frame = rated(numbers(5)).assign(half=lambda t: np.where(t["unit"] < 10, "first", "second"))
    frame = frame[(frame["half"] == "first") | (frame["rater"] == "p0")]
    for levels in (None, list(range(1, 8))):
        result = ss.mean_ratings(frame, strata="half", scale="interval", levels=levels)
        first, second = result.row("first"), result.row("second")
        assert first.conf_low is not None
        assert (second.conf_low, second.std_error, second.reason) == (None, None, "unidentified")
        assert "a single person rated here" in str(second.undefined)
        assert result.verify().ok


def test_models_rated_by_the_same_people_differ_by_what_people_and_units_add_to_the_difference() -> (
    None
):
    one, two = numbers(2), numbers(3)
    unit, rater = (k.ravel() for k in np.indices(one.shape))
    wanted = clustered_mean((one - two).ravel(), np.ones(one.size), [unit, rater])
    made = {
        name: ss.mean_ratings(rated(x), levels=list(range(1, 8)))
        for name, x in (("a", one), ("b", two))
    }
    result = ss.compare_models(made)
    row = result.row("a - b")
    assert (row.estimate, row.std_error, row.df) == pytest.approx(
        (wanted.mean, wanted.std_error, wanted.df), rel=1e-6
    )
    assert "6 human raters as a sample" in result.inference
    assert result.verify().ok
    apart = ss.compare_models(
        made | {"b": ss.mean_ratings(rated(two, "q"), levels=list(range(1, 8)))}
    )
    v = [clustered_mean(x.ravel(), np.ones(x.size), [unit, rater]) for x in (one, two)]
    assert apart.row("a - b").std_error != pytest.approx(row.std_error, rel=1e-3)
    assert apart.row("a - b").std_error < math.hypot(v[0].std_error, v[1].std_error) * 1.1
    assert apart.verify().ok
    fixed = ss.compare_models(
        {
            name: ss.mean_ratings(rated(x), levels=list(range(1, 8)), people="fixed")
            for name, x in (("a", one), ("b", two))
        }
    )
    gaps = (one - two).mean(axis=1)
    assert fixed.row("a - b").std_error == pytest.approx(
        gaps.std(ddof=1) / math.sqrt(len(gaps)), rel=1e-9
    )
    assert "for these 6 raters" in fixed.inference
    assert [result.settings["people"], fixed.settings["people"]] == ["random", "fixed"]
    one_person = ss.mean_ratings(rated(two[:, :1]), levels=list(range(1, 8)))
    mixed = ss.compare_models({"a": made["a"], "b": one_person})
    assert mixed.settings["people"] == "mixed"
    assert "6 human raters as a sample, raters of 'b' as they are" in mixed.inference


def test_similarities_of_two_models_to_the_same_people_are_compared_over_units_and_people() -> None:
    frame = table(13)
    other = table(14)
    other = other[other["source"] == "model"].assign(
        source="second", rater=lambda t: "second " + t["rater"]
    )
    design = read(pd.concat([frame, other]))
    result = ss.compare_models(ss.js_similarity(design, splits=99, **QUICK))
    assert "raters" in str(result.row("model - second").method)
    assert result.verify().ok


def test_refusals_of_people_are_refusals_of_a_sample() -> None:
    frame = table(15)
    frame = frame.assign(value=np.where(frame["value"] == "z", "refused", frame["value"]))
    design = ss.Ratings.from_frame(
        frame[["unit", "rater", "source", "value"]],
        scale="nominal",
        refusal="refused",
        rater_source="source",
    )
    result = ss.reply_shares(design, source="source")
    people = frame[frame["source"] == "human"]
    hit = (people["value"] == "refused").to_numpy(dtype=float)
    variance, df = crossed(people, (hit - hit.mean()) / len(hit), np.full(len(hit), 1 / len(hit)))
    row = result.row("refused", group="human")
    assert (row.std_error, row.df) == pytest.approx((math.sqrt(variance), df), rel=1e-9)
    each = ss.reply_shares(design, source="rater")
    fixed = ss.reply_shares(design, source="rater", people="fixed")
    assert (
        each.row("refused", group="human 0").std_error
        == fixed.row("refused", group="human 0").std_error
    )
    assert result.verify().ok
    assert each.verify().ok


def test_a_level_of_few_people_is_cautioned() -> None:
    frame = table(17)
    people, first = frame["source"] == "human", frame["rater"] == "human 0"
    value = np.where(people & (frame["value"] == "z"), "y", frame["value"])
    frame = frame.assign(value=np.where(first & (frame["condition"] == "no"), "z", value))
    for how, wanted in (("random", True), ("fixed", False)):
        result = ss.js_similarity(read(frame), splits=99, people=how, **QUICK)
        assert (
            any("would account for the rarest level" in c.detail for c in result.cautions) == wanted
        )
        shares = ss.choice_shares(read(frame), people=how, **QUICK)
        named = {c.code for c in shares.row("z", group="model - human").cautions}
        assert ("SS212" in named) == wanted


def test_equal_replies_have_the_fewer_degrees_of_freedom_of_units_and_people() -> None:
    result = ss.reply_shares(read(table(16, people=9), cluster="story"), source="source")
    for kind in ("usable", "refused"):
        assert result.row(kind, group="all sources").df == pytest.approx(
            7
        )  # of 8 stories and 9 people
    assert result.verify().ok


@pytest.mark.slow
def test_shares_of_people_as_drawn_are_held_and_equal_shares_are_not_rejected() -> None:
    """Seven people, 40 units, 300 tables; the truth is a third by symmetry. Fixed people hold .6 of these."""
    held, rejected, fixed = [], [], []
    for seed in range(300):
        design = read(table(1000 + seed, units=40, people=7))
        result = ss.choice_shares(design, **QUICK)
        rows = [result.row(level, group="human") for level in LEVELS]
        held += [row.conf_low <= 1 / 3 <= row.conf_high for row in rows]
        of_fixed = ss.choice_shares(design, people="fixed", **QUICK)
        plain = [of_fixed.row(level, group="human") for level in LEVELS]
        fixed += [row.conf_low <= 1 / 3 <= row.conf_high for row in plain]
        p = result.row("any level", group="model - human").p_value
        rejected.append(p is not None and p < 0.05)
    assert 0.92 < np.mean(held) < 0.98
    assert np.mean(fixed) < 0.8
    assert np.mean(rejected) < 0.09


def test_teams_of_people_and_models_have_the_same_joint_test_in_both_metrics() -> None:
    """People of either team are drawn, and models are not; shares of a team rest on both."""
    frame = table(21, units=18, people=6, habit=1.5)
    one = frame["rater"].isin(["human 0", "human 1", "human 2", "model 0", "model 1"])
    frame = frame.assign(team=np.where(one, "t1", "t2"))
    columns = ["unit", "rater", "source", "value", "team"]
    design = ss.Ratings.from_frame(
        frame[columns], scale="nominal", levels=LEVELS, rater_source="source", rater_groups=["team"]
    )
    similar = ss.js_similarity(design, source="team", reference="t1", splits=99, **QUICK)
    shares = ss.choice_shares(design, source="team", reference="t1", **QUICK)
    row, other = similar.row("t2"), next(one for one in shares.rows if one.test == "f")
    assert row.test == "f"
    assert row.p_value == pytest.approx(other.p_value, rel=1e-9)
    fixed = ss.js_similarity(
        design, source="team", reference="t1", splits=99, people="fixed", **QUICK
    )
    assert fixed.row("t2").test == "permutation"
    assert similar.verify().ok
    assert shares.verify().ok

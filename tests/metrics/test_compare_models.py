"""Models compared by one number: against scipy, other metrics of ours, closed forms and a bootstrap."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import socialstats as ss
from socialstats.results import Row
from socialstats.scales.model_differences import (
    NO_SIZES,
    MatchedModels,
    ModelDifference,
    model_difference_row,
)
from socialstats.scales.model_numbers import COMPARISON_RULES, NUMBER, ModelNumber
from socialstats.scales.model_words import extremes_sentence, named_differences

MODELS = ("m1", "m2", "m3", "m4")


def scores(seed: int = 1, units: int = 12) -> pd.DataFrame:
    """Four models' scores of units that are hard for all of them."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(0, 2, units)
    return pd.DataFrame(
        [
            (model, k, f"c{k % 4}", round(5 + hard[k] + 0.8 * m + rng.normal(), 2))
            for m, model in enumerate(MODELS)
            for k in range(units)
        ],
        columns=["model", "unit", "story", "value"],
    )


def means(table: pd.DataFrame, **options: Any) -> dict[str, ss.Result]:
    return {
        model: ss.mean_ratings(own.assign(rater="r"), scale="interval", **options)
        for model, own in table.groupby("model")
    }


def test_means_are_compared_as_by_the_paired_t_test() -> None:
    table = scores()
    found = ss.compare_models(means(table))
    wide = table.pivot(index="unit", columns="model", values="value")
    tests = {(a, b): stats.ttest_rel(wide[a], wide[b]) for a, b in combinations(MODELS, 2)}
    rows = [found.row(f"{a} - {b}") for a, b in tests]
    assert [r.p_value for r in rows] == pytest.approx([t.pvalue for t in tests.values()], rel=1e-9)
    assert [r.df for r in rows] == pytest.approx([11.0] * 6)
    ends = [t.confidence_interval(0.95) for t in tests.values()]
    assert [(r.conf_low, r.conf_high) for r in rows] == [
        pytest.approx((e.low, e.high)) for e in ends
    ]
    assert [found.row(m, group="rank").estimate for m in MODELS] == (-wide.mean()).rank().tolist()


def test_models_are_compared_on_the_units_of_both() -> None:
    table = scores()
    part = table[(table["model"] != "m2") | (table["unit"] > 3)]
    found = ss.compare_models(means(part))
    wide = part.pivot(index="unit", columns="model", values="value")
    both = wide[["m1", "m2"]].dropna()
    theirs = stats.ttest_rel(both["m1"], both["m2"])
    row = found.row("m1 - m2")
    gap = float((both["m1"] - both["m2"]).mean())
    assert (row.estimate, row.p_value, row.n_units) == pytest.approx((gap, theirs.pvalue, 8))
    assert found.row("m1 - m3").n_units == 12
    assert [c.code for c in found.cautions] == ["SS342"]
    assert found.verify().ok


def test_models_of_one_source_each_are_no_raters() -> None:
    table = scores().query("model != 'm3'")
    read = {"unit": "unit", "rater": "model", "value": "value", "scale": "interval"}
    of_source = {
        name: ss.mean_ratings(rows.assign(model="m"), **read)
        for name, rows in table.groupby("model")
    }
    found = ss.compare_models(of_source)
    assert "for this source" in found.inference
    assert "rater" not in found.inference


def test_clusters_are_those_of_the_leaderboard() -> None:
    table = scores()
    found = ss.compare_models(means(table, cluster="story"))
    board = ss.leaderboard(
        table.rename(columns={"unit": "item", "value": "score"}), cluster="story"
    )
    for a, b in combinations(MODELS, 2):
        ours, theirs = found.row(f"{a} - {b}"), board.row(f"{a} - {b}", group="difference")
        same = [
            (getattr(r, n))
            for r in (ours, theirs)
            for n in ("estimate", "std_error", "df", "p_adjusted")
        ]
        assert same[:4] == pytest.approx(same[4:])


def test_rank_sets_are_those_of_the_leaderboard_by_holms_method() -> None:
    table = scores().iloc[1:]  # a missing score: no max-t
    found = ss.compare_models(means(table))
    board = ss.leaderboard(table.rename(columns={"unit": "item", "value": "score"})).ranks(
        kind="simultaneous"
    )
    sets = [
        [(r.estimate, r.conf_low, r.conf_high) for r in rows]
        for rows in ([found.row(m, group="rank") for m in MODELS], [board.row(m) for m in MODELS])
    ]
    assert sets[0] == sets[1]


def choices(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = [
        (a, b, u, v) for a, b in combinations("abcdef", 2) for u in (1, 2, 3) for v in (1, 2, 3)
    ]
    table = pd.DataFrame(rows, columns=["item_a", "item_b", "urgency_a", "urgency_b"])
    ahead = rng.random(len(table)) < 1 / (
        1 + np.exp(-0.8 * (table["urgency_a"] - table["urgency_b"]))
    )
    return table.assign(winner=np.where(ahead, table["item_a"], table["item_b"]))


def test_s_is_compared_as_by_sensitivity_difference() -> None:
    one, two = choices(1), choices(2)
    row = ss.compare_models({"m1": ss.sensitivity(one), "m2": ss.sensitivity(two)}).row("m1 - m2")
    theirs = ss.sensitivity_difference(one, two).row("S_corrected", group="difference")
    assert (row.estimate, row.std_error) == pytest.approx((theirs.estimate, theirs.std_error))
    assert row.df <= theirs.df
    assert ss.compare_models({"m1": ss.sensitivity(one), "m2": ss.sensitivity(two)}).verify().ok
    plain = ss.compare_models({"m1": ss.sensitivity(one), "m2": ss.sensitivity(two)}, "S").row(
        "m1 - m2"
    )
    gap = ss.sensitivity_difference(one, two).row("S", group="difference")
    assert plain.estimate == pytest.approx(gap.estimate)


def test_a_corrected_number_is_verified_where_it_is_cut() -> None:
    def few(seed: int) -> ss.Result:
        rng = np.random.default_rng(seed)
        pairs = [(a, b) for a in "abcd" for b in "abcd" if a < b for _ in range(3)]
        rows = [
            (a, b, rng.choice([a, b]), rng.integers(1, 4), rng.integers(1, 4)) for a, b in pairs
        ]
        return ss.sensitivity(
            pd.DataFrame(rows, columns=["item_a", "item_b", "winner", "urgency_a", "urgency_b"])
        )

    models = {"m1": few(16), "m2": few(3)}
    assert models["m1"].row("S_corrected").estimate == 0.0
    compared = ss.compare_models(models)
    assert compared.row("m1", group="number").estimate == 0.0
    assert not [check for check in compared.verify() if check.ok is False]


def test_few_units_that_decide_leave_few_degrees_of_freedom() -> None:
    moves = np.exp(1.5 * np.random.default_rng(2).normal(size=40))
    moves -= moves.mean()
    found = ModelDifference(estimate=0.3, influence=moves / 40, codes=[])
    one, two = (Row(term=name, estimate=value) for name, value in (("m1", 0.5), ("m2", 0.2)))
    df = {
        linear: model_difference_row(one, two, found, 9.0, 0.95, linear=linear).df
        for linear in (True, False)
    }
    assert df[True] == pytest.approx(39)
    assert df[False] == pytest.approx(1 / (1 / 39 + stats.kurtosis(moves) / 80))
    assert df[False] < 10


def couples(chosen: list[int]) -> pd.DataFrame:
    """Four scenarios x two pairs of names, both orders: `chosen` is the answer, -1 or 1, of each."""
    rows = [
        (f"s{s}", f"p{p}", first, second)
        for s in range(4)
        for p in range(2)
        for first, second in (("man", "woman"), ("woman", "man"))
    ]
    return pd.DataFrame(rows, columns=["scenario", "pair", "group_first", "group_second"]).assign(
        answer=chosen
    )


def test_biases_by_hand() -> None:
    first = [1, -1] * 6 + [-1, 1] * 2  # the woman in 6 of 8 couples, the man in 2
    second = [1, -1, -1, 1] * 4  # each in 4
    made = {
        name: ss.relationship_bias(couples(own)) for name, own in (("m1", first), ("m2", second))
    }
    # S of (woman, man) = -.5, of (man, woman) = .5: B of man minus woman = -1; of the other model 0
    for number, sign in (("B_all", 1.0), ("man - woman", -1.0)):
        found = ss.compare_models(made, number)
        assert [found.row(m, group="number").estimate for m in ("m1", "m2")] == pytest.approx(
            [sign, 0.0]
        )
        assert found.row("m1 - m2").estimate == pytest.approx(sign)
        assert found.verify().ok
    assert found.row("m1 - m2").n_clusters == 2


def correlation(found: ss.Result) -> float:
    """Of what units, left out one by one, add to two numbers: sums of products over clusters."""
    moves = np.column_stack(
        [one.influence(np.arange(len(one.units)))[1] for one in found.extras["numbers"]]
    )
    total = np.zeros((2, 2))
    for labels in found.extras["numbers"][0].clusters:
        sums = pd.DataFrame(moves).groupby(list(labels)).sum().to_numpy()
        total += sums.T @ sums * len(sums) / (len(sums) - 1)
    return float(total[0, 1] / np.sqrt(total[0, 0] * total[1, 1]))


def test_corrected_sizes_near_0_are_compared_by_both_intervals() -> None:
    """Sampling error adds to B_all, more to that of the model whose error is larger: the t test is not valid."""
    made = dict(zip(("m1", "m2"), answers([-1.4, 0.3], 2).values(), strict=True))
    found = ss.compare_models(made)
    (a, a1, a2), (b, b1, b2) = (
        (r.estimate, r.conf_low, r.conf_high)
        for r in (one.row("B_all corrected", group="overall") for one in made.values())
    )
    assert [found.row(m, group="number").estimate for m in made] == [a, b]
    row = found.row("m1 - m2")
    r = max(-correlation(found), 0.0)
    low = a - b - np.sqrt((a - a1) ** 2 + (b2 - b) ** 2 + 2 * r * (a - a1) * (b2 - b))
    high = a - b + np.sqrt((a2 - a) ** 2 + (b - b1) ** 2 + 2 * r * (a2 - a) * (b - b1))
    assert r > 0.1  # one favours men, the other women: what scenarios share moves the sizes apart
    assert (
        b1 == 0 < a1
    )  # the second size may be 0: the difference may be the upper limit of the first
    assert (row.estimate, row.conf_low, row.conf_high) == pytest.approx((a - b, low, max(high, a2)))
    assert (row.interval, row.undefined) == ("test_inversion", None)
    assert row.conf_low > 0
    assert 0.01 < row.p_value < 0.05  # the test is that whose interval is told
    assert "was higher for m1 than m2" in found.sentence()
    assert [(r.conf_low, r.conf_high) for r in found.rows if r.group == "rank"] == [(2, 2), (1, 1)]
    assert found.verify().ok
    assert ss.compare_models(made, "B_all").row("m2", group="number").estimate > b


def answers(likings: list[float], seed: int, lost: float = 0.0) -> dict[str, ss.Result]:
    """Models that favour women by some log odds; scenarios and pairs of names have tastes, for all models and each."""
    rng, made = np.random.default_rng(seed), {}
    scenario, pair = (codes.ravel() for codes in np.indices((12, 10)))
    shared = rng.normal(0, 0.4, 12)[scenario] + rng.normal(0, 0.3, 10)[pair]
    for k, liking in enumerate(likings):
        taste = liking + shared + rng.normal(0, 0.3, 12)[scenario] + rng.normal(0, 0.2, 10)[pair]
        parts = [
            pd.DataFrame(
                {
                    "scenario": scenario,
                    "pair": pair,
                    "group_first": a,
                    "group_second": b,
                    "answer": np.where(rng.random(120) < 1 / (1 + np.exp(-side * taste)), 1, -1),
                }
            )
            for a, b, side in (("man", "woman", 1), ("woman", "man", -1))
        ]
        frame = pd.concat(parts)
        made[f"m{k}"] = ss.relationship_bias(frame[rng.random(240) >= lost])
    return made


@pytest.mark.parametrize("lost", [0.0, 0.1])
def test_one_strong_model_differs_from_those_without_a_bias(lost: float) -> None:
    found = ss.compare_models(answers([1.6, 0, 0, 0.1], 2, lost))
    gaps = [row for row in found.rows if row.group == "difference"]
    assert [row.p_adjusted is not None and row.p_adjusted < 0.05 for row in gaps] == [True] * 3 + [
        False
    ] * 3
    assert all((row.p_value < 0.05) == (row.conf_low > 0 or row.conf_high < 0) for row in gaps)
    assert (found.row("m0", group="rank").conf_low, found.row("m0", group="rank").conf_high) == (
        4,
        4,
    )
    assert "3 of 6 differences between models were significant" in found.sentence()
    assert found.verify().ok, found.verify().tidy().to_string()


def test_a_single_pair_of_names_on_the_units_of_both_leaves_no_test_of_sizes() -> None:
    made = answers([0.0, 0.0], 4)
    few = made["m1"].design
    kept = pd.DataFrame(
        {
            "scenario": [0, 0, 1, 1],
            "pair": 0,
            "group_first": ["man", "woman"] * 2,
            "group_second": ["woman", "man"] * 2,
            "answer": [1, -1, -1, -1],
        }
    )
    other = pd.DataFrame(
        {
            "scenario": [20, 20, 21, 21] * 2,
            "pair": [20] * 4 + [21] * 4,
            "group_first": ["man", "woman"] * 4,
            "group_second": ["woman", "man"] * 4,
            "answer": [1, -1, -1, -1, 1, 1, 1, -1],
        }
    )
    row = ss.compare_models(
        {"m0": made["m0"], "m1": ss.relationship_bias(pd.concat([kept, other]))}
    ).row("m0 - m1")
    assert few is not None
    assert (row.undefined, row.reason, row.p_value) == (NO_SIZES, "no_interval", None)


def test_sizes_of_known_sign_have_the_t_test() -> None:
    rng = np.random.default_rng(5)
    made = {}
    for name, p in (("m1", 0.95), ("m2", 0.7)):
        rows = [
            (f"s{s}", f"p{k}", a, b, 1 if (rng.random() < p) == (b == "woman") else -1)
            for s in range(12)
            for k in range(10)
            for a, b in (("man", "woman"), ("woman", "man"))
        ]
        made[name] = ss.relationship_bias(pd.DataFrame(rows, columns=[*couples([1] * 16).columns]))
    found, signed = ss.compare_models(made), ss.compare_models(made, "man - woman")
    sizes = [one.row("B_all corrected", group="overall").estimate for one in made.values()]
    row, other = found.row("m1 - m2"), signed.row("m1 - m2")
    assert row.estimate == pytest.approx(sizes[0] - sizes[1])
    assert row.std_error == pytest.approx(other.std_error)
    assert row.p_value == pytest.approx(other.p_value, abs=1e-4)
    assert found.verify().ok


def test_means_of_sizes_are_not_below_0() -> None:
    made = {
        f"m{k}": ss.relationship_bias(couples([1, -1] * (4 + k) + [-1, 1] * (4 - k)))
        for k in (0, 1, 4)
    }
    alone = ss.compare_models(made).extras["by_model"]
    mean = ss.over_models(alone, [ss.compare_models(made).settings["number"]]).rows[0]
    assert mean.conf_low == 0
    assert mean.estimate > 0


def shares() -> ss.Ratings:
    rng = np.random.default_rng(5)
    rows = []
    for source, n, p in (
        ("human", 7, (0.5, 0.3, 0.2)),
        ("m1", 4, (0.3, 0.3, 0.4)),
        ("m2", 4, (0.6, 0.2, 0.2)),
    ):
        for unit in range(60):
            own = rng.dirichlet(3 * np.array(p))
            rows += [
                (unit, f"{source} {k}", source, v)
                for k, v in enumerate(rng.choice(list("xyz"), n, p=own))
            ]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "source", "value"])
    return ss.Ratings.from_frame(frame, scale="nominal", rater_source="source")


@pytest.mark.slow
def test_similarities_differ_by_their_corrected_values_with_the_bootstraps_error() -> None:
    design = shares()
    made = ss.js_similarity(design, permutations=99, splits=99)
    row = ss.compare_models(made).row("m1 - m2")
    assert row.estimate == pytest.approx(made.row("m1").estimate - made.row("m2").estimate)
    counts = np.zeros((60, 3, 3))
    source = design.rater_groups["source"].codes[design.rater]
    np.add.at(counts, (design.unit, source, design.value), 1)
    rng = np.random.default_rng(1)

    def gap(table: np.ndarray) -> float:
        p = table.sum(axis=0)
        p /= p.sum(axis=1, keepdims=True)
        jsd = [
            stats.entropy((p[0] + q) / 2, base=2)
            - (stats.entropy(p[0], base=2) + stats.entropy(q, base=2)) / 2
            for q in p[1:]
        ]
        return float(jsd[1] - jsd[0])

    drawn = [gap(counts[rng.integers(0, 60, 60)]) for _ in range(2000)]
    assert row.std_error == pytest.approx(np.std(drawn), rel=0.08)  # five errors of 2,000 resamples


def test_distances_are_paired_by_unit() -> None:
    rng = np.random.default_rng(3)
    item = rng.integers(0, 5, 20)
    rows = [(u, f"p{k}", "human", v) for u, v in enumerate(item) for k in range(5)]
    answers = {m: rng.integers(0, 5, 20) for m in ("m1", "m2", "m3")}
    rows += [(u, m, "model", v) for m, own in answers.items() for u, v in enumerate(own)]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "source", "value"])
    design = ss.Ratings.from_frame(
        frame, levels=list(range(5)), scale="ordinal", rater_source="source"
    )
    found = ss.compare_models(ss.ada_met(design, resamples=100))
    theirs = stats.ttest_rel(abs(answers["m1"] - item), abs(answers["m3"] - item))
    row = found.row("m1 - m3")
    assert (row.statistic, row.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert found.settings["best"] == "lowest"


def test_means_over_models_of_each_prompt() -> None:
    table = scores()
    half = {
        "p1": table[table["model"].isin(["m1", "m2"])],
        "p2": table[table["model"].isin(["m3", "m4"])],
    }
    half["p2"] = half["p2"].replace({"m3": "m1", "m4": "m2"})
    made = {prompt: trait(own) for prompt, own in half.items()}
    found = ss.compare_models(made, average=True)
    wide = table.pivot(index="unit", columns="model", values="value")
    theirs = stats.ttest_rel(wide[["m1", "m2"]].mean(axis=1), wide[["m3", "m4"]].mean(axis=1))
    row = found.row("p1 - p2")
    assert (row.statistic, row.df) == pytest.approx((theirs.statistic, 11.0))
    assert found.verify().ok
    crossed = ss.compare_models(made)
    assert [r.term for r in crossed.rows if r.group == "number"] == [
        "p1: m1",
        "p1: m2",
        "p2: m1",
        "p2: m2",
    ]
    apart = {
        prompt: trait(table[table["model"].isin(names)])
        for prompt, names in (("p1", ["m1"]), ("p2", ["m2"]))
    }
    with pytest.raises(ss.InputError, match="no model has a number at each of 'p1' and 'p2'"):
        ss.compare_models(apart, average=True)


def test_means_over_models_are_of_the_models_that_all_prompts_have() -> None:
    table = scores()
    second = table.assign(
        value=table["value"] + np.random.default_rng(9).normal(0.5, 1, len(table))
    )
    second = second[(second["model"] != "m4") & ((second["model"] != "m3") | (second["unit"] < 5))]
    found = ss.compare_models({"p1": trait(table), "p2": trait(second)}, average=True)
    wide = [
        own.pivot(index="unit", columns="model", values="value")[["m1", "m2"]].mean(axis=1)
        for own in (table, second)
    ]
    theirs = stats.ttest_rel(*wide)
    row = found.row("p1 - p2")
    assert (row.estimate, row.p_value) == pytest.approx(((wide[0] - wide[1]).mean(), theirs.pvalue))
    assert found.extras["averaged"] == ("m1", "m2")
    left = "left out: 'm4' (no number at 'p2') and 'm3' (5 of 12 units at 'p2')"
    assert found.sentence().endswith(
        f"of the 2 models that every model has ('m1' and 'm2'); {left}."
    )
    (told,) = found.cautions
    assert (told.code, left in told.detail) == ("SS342", True)
    assert found.verify().ok


def test_levels_that_pool_different_models_are_cautioned() -> None:
    rng = np.random.default_rng(4)
    rows = [
        (p, u, m, rng.integers(0, 3))
        for p in ("p1", "p2")
        for u in range(8)
        for m in ("m1", "m2", "m3")
        if (p, m) != ("p2", "m3")
    ]
    frame = pd.DataFrame(rows, columns=["prompt", "unit", "model", "value"])
    made = ss.mean_ratings(ss.Ratings.from_frame(frame, by="prompt", scale="interval"))
    (told,) = ss.compare_models(made).cautions
    assert told.detail == "levels pool different models: 'p2' lacks 'm3'"


@pytest.mark.parametrize("number", ["nonsense", "S_higher", "B_all"])
def test_numbers_that_a_metric_does_not_have_are_refused(number: str) -> None:
    made = {"m1": ss.sensitivity(choices(1)), "m2": ss.sensitivity(choices(2))}
    with pytest.raises(
        ss.InputError,
        match=f"number='{number}' is not a number for comparing models by sensitivity.*'S' and 'S_corrected'",
    ):
        ss.compare_models(made, number)
    with pytest.raises(ss.InputError, match="it has mean rating alone"):
        ss.compare_models(means(scores()), number)
    assert ss.compare_models(made, "S_corrected").row("m1 - m2") == ss.compare_models(made).row(
        "m1 - m2"
    )


def test_rank_1_of_a_signed_bias_is_the_highest() -> None:
    made = {
        name: ss.relationship_bias(couples(own))
        for name, own in (("m1", [1, -1] * 6 + [-1, 1] * 2), ("m2", [1, -1, -1, 1] * 4))
    }
    found = ss.compare_models(made, "man - woman")  # -1 and 0
    assert [found.row(m, group="rank").estimate for m in ("m1", "m2")] == [2, 1]
    assert found.settings["best"] == "highest"
    assert found.verify().ok


def test_ratings_on_different_declared_levels_are_not_compared() -> None:
    def rated(levels: list[int]) -> ss.Result:
        table = {"unit": [1, 2, 3], "rater": ["r"] * 3, "value": [1, 2, 3]}
        return ss.mean_ratings(ss.Ratings.from_frame(table, levels=levels))

    with pytest.raises(ss.InputError, match="numbers on different scales are not compared"):
        ss.compare_models({"a": rated([1, 2, 3, 4, 5]), "b": rated([1, 2, 3])})


def trait(table: pd.DataFrame) -> Any:
    """A composite that is the score: one trait with weight 1 and centre 0."""
    frame = table.rename(columns={"unit": "scenario", "value": "score"}).assign(
        stage="one", judge="j"
    )
    design = ss.trait_ratings(frame, traits=["score"], cluster="scenario")
    return ss.trait_profile(
        design, weights={"score": 1.0}, free_weights=True, centre=0.0, activation=None
    )


def test_composites_are_compared_with_the_mean_of_the_zeros_of_the_judges() -> None:
    """Two judges with zeros of their own, 1 and 3; the composite of a scenario is the mean of theirs."""
    rng = np.random.default_rng(5)
    rows = [
        (model, scenario, judge, float(rng.integers(1, 6)))
        for model in ("m1", "m2")
        for scenario in range(8)
        for judge in ("j", "k")
    ]
    table = pd.DataFrame(rows, columns=["model", "scenario", "judge", "score"]).assign(stage="one")
    profile = ss.trait_profile(
        ss.trait_ratings(table, traits=["score"], cluster="scenario"),
        weights={"score": 1.0},
        free_weights=True,
        centre=0.0,
        zero={"j": 1.0, "k": 3.0},
        activation=None,
    )
    for number in COMPARISON_RULES["trait_profile"].numbers(profile, "", None):
        mine = table[table["model"] == number.row.term]
        wanted = mine.groupby("scenario")["score"].mean() - 2
        np.testing.assert_allclose(np.sort(number.sums[:, 0]), np.sort(wanted))
        assert number.value == pytest.approx(wanted.mean())


def test_what_cannot_be_compared() -> None:
    made = means(scores())
    with pytest.raises(ss.InputError, match="two models or more; these results have 1"):
        ss.compare_models({"m1": made["m1"]})
    with pytest.raises(ss.InputError, match="takes results of one of 'sensitivity'"):
        ss.compare_models({"m1": made["m1"], "m2": ss.sensitivity(choices(1))})
    with pytest.raises(ss.InputError, match="takes results of one of"):
        ss.compare_models({"m1": ss.win_rates(choices(1)), "m2": ss.win_rates(choices(2))})
    with pytest.raises(ss.InputError, match="level must be between 0 and 1"):
        ss.compare_models(made, level=2)
    same = ss.compare_models({"m1": made["m1"], "m2": made["m1"]})
    assert "the units are alike" in (same.row("m1 - m2").undefined or "")
    assert same.row("m1 - m2").p_value is None
    apart = ss.compare_models(
        {"m1": made["m1"], "m2": means(scores().assign(unit=lambda f: f["unit"] + 100))["m2"]}
    )
    assert apart.row("m1 - m2").undefined == "no unit has answers of both"


def test_every_kind_has_words() -> None:
    assert all(
        kind.phrase and kind.best in ("highest", "lowest") for kind in COMPARISON_RULES.values()
    )


def test_factors_of_models() -> None:
    table = {"model": ["m1", "m2", "m3"], "family": ["a", "b", ""], "size": [7, 70, 8]}
    found = ss.factors_of_models(table, ["m1", "m3"])
    assert found == {"family": {"m1": "a"}, "size": {"m1": "7", "m3": "8"}}
    with pytest.raises(ss.InputError, match="models: no row of 'm9'; it has 'm1', 'm2' and 'm3'"):
        ss.factors_of_models(table, ["m1", "m9"])
    with pytest.raises(ss.InputError, match="'m1' has several rows; give every model one"):
        ss.factors_of_models({"model": ["m1", "m1"], "family": ["a", "b"]}, ["m1"])
    with pytest.raises(ss.DesignError, match="no column that names the model"):
        ss.factors_of_models({"llm": ["m1"], "family": ["a"]}, ["m1"])


def test_models_without_any_unit_are_not_compared() -> None:
    row = Row(term="a", undefined="no unit", reason="no_data")
    none = ModelNumber(
        row=row,
        units=(),
        clusters=(),
        sums=np.zeros((0, 1)),
        finish=lambda sums: sums[:, 0],
        value=np.nan,
    )
    assert MatchedModels(numbers=(none, none)).difference(0, 1) is None


def test_models_that_are_tied_for_an_end_are_said() -> None:
    rows = [
        Row(term=t, group=NUMBER, role="estimate", estimate=x)
        for t, x in zip("abcd", (0.4, 1.0, 1.0, 0.2), strict=True)
    ]
    kind = next(kind for kind in COMPARISON_RULES.values() if kind.best == "highest")
    said = extremes_sentence(rows, "similarity", kind, "model")
    assert (
        said
        == "The similarity was highest for b (1.00), tied with 1 other model, and lowest for d (0.20)."
    )
    assert extremes_sentence(rows[:2], "similarity", kind, "model").endswith(
        "highest for b (1.00) and lowest for a (0.40)."
    )


def test_sentences_name_up_to_three_clear_differences_else_the_largest() -> None:
    def gaps(*numbers: tuple[float, float]) -> list[Row]:
        rows = [
            Row(term=f"d{k}", group="difference", estimate=d, p_value=p / 2, p_adjusted=p)
            for k, (d, p) in enumerate(numbers)
        ]
        return [
            *rows,
            Row(term="a", group=NUMBER, estimate=9.0, p_adjusted=0.001),
            Row(term="b", group="difference"),
        ]

    def told(*numbers: tuple[float, float]) -> list[str]:
        return [row.term for row in named_differences(gaps(*numbers))]

    assert told((0.1, 0.01), (-3.0, 0.2), (0.2, 0.04)) == ["d0", "d2"]
    assert told((0.1, 0.2), (-3.0, 0.2), (2.0, 0.06)) == ["d1"]
    assert told(*[(0.1 * k, 0.01) for k in range(1, 4)]) == ["d0", "d1", "d2"]
    assert told(*[(0.1 * k, 0.01) for k in range(1, 5)]) == ["d3"]
    assert told() == []

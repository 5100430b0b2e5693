"""Trait profiles: R's values, brute force, simulated truth, what is refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from socialstats import Ratings, judge_zeros, trait_profile, trait_ratings
from socialstats.datasets import staged_values, staged_values_controls, staged_values_truth
from socialstats.errors import DesignError, InputError, NothingToAnalyse
from socialstats.scales.profile_rows import BASELINE
from socialstats.scales.trait_weights import (
    TRAIT_WEIGHTS,
    balance_sides,
    checked_weights,
    weight_variants,
)
from tests.changed_numbers import unnoticed
from tests.golden_data import golden, golden_frame
from tests.metrics.remembered import remember

R = golden("traits")
WEIGHTS = R["weights"]
FIELDS = ("estimate", "std_error", "conf_low", "conf_high", "statistic", "df", "p_value")
OF_THE_SCORES = (
    "socialstats.scales.plain_profile.PlainProfile",
)  # tables that do not depend on rows


def scores() -> pd.DataFrame:
    return golden_frame("trait_scores.csv")


def profile(rows=None, weights=WEIGHTS, cluster=(), **options):
    rows = scores() if rows is None else rows
    return trait_profile(
        trait_ratings(rows, traits=list(weights), cluster=cluster), weights=weights, **options
    )


def agrees(row, entry, fields=FIELDS):
    for field in fields:
        assert getattr(row, field) == pytest.approx(entry[field], rel=R["rtol"], abs=1e-12), field
    assert row.n == entry["n"]


@pytest.fixture(scope="module")
def result():
    return profile()


def test_composites_are_those_of_r(result):
    for model, entry in R["composite"].items():
        agrees(result.row(model, group="composite"), entry)
    agrees(result.row("composite", group="composite of all models"), R["both"])


def test_changes_are_those_of_r_with_holm_and_d_z(result):
    for key, entry in R["change"].items():
        model, stage = key.split()
        row = result.row(model, group=f"composite change: {stage} minus baseline")
        agrees(row, entry)
        assert row.p_adjusted == pytest.approx(R["holm"][key], rel=1e-9)
        size = result.row(model, group=f"composite d_z: {stage} minus baseline")
        assert size.estimate == pytest.approx(entry["d_z"], rel=1e-10)
        assert [size.conf_low, size.conf_high] == pytest.approx(entry["d_z_ends"], rel=1e-7)


def test_active_traits_are_those_of_r(result):
    agrees(result.row("left", group="activation"), R["active"], FIELDS[:4])
    each = profile(activated="each")
    agrees(each.row("left", group="activation"), R["active_each"], FIELDS[:4])
    assert R["active"]["estimate"] != R["active_each"]["estimate"]
    assert result.row("left", group="activation").p_value is None
    assert not [
        r for r in profile(activation=None).rows if (r.group or "").startswith("activation")
    ]


def test_judges_are_those_of_r(result):
    for judge, entry in R["offset"].items():
        agrees(result.row(judge, group="judge offset"), entry)
    for judge, entry in R["without"].items():
        agrees(result.row("left", group=f"without judge '{judge}'"), entry)
    ends = [entry["estimate"] for entry in R["without"].values()]
    assert result.extras["leave_one_judge_out"]["left"] == pytest.approx((min(ends), max(ends)))
    row = profile(judges="random").row("left", group="composite")
    assert row.std_error == pytest.approx(R["drawn"]["error"], rel=1e-10)
    assert row.df == pytest.approx(R["drawn"]["df"], rel=1e-8)


def test_other_weights_are_those_of_r(result):
    assert result.extras["weight_sensitivity"]["'open' +20%"]["left"] == pytest.approx(
        R["more_open"], rel=1e-12
    )


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"unit_of_analysis": "model"},
        {"judges": "random"},
        {"zero": {"j1": 1, "j2": 2.5, "j3": -4}},
        {"ci": "bca", "resamples": 200},
        {"stages": ["last", "first"]},
        {"activated": "each", "zero": 3.0},
        {"judges": "random", "unit_of_analysis": "model"},
        {"ci": "percentile", "resamples": 200, "judges": "random"},
        {"free_weights": True, "centre": 3.0},
    ],
)
@pytest.mark.slow
def test_verified_under_every_option(options):
    verification = profile(**options).verify()
    assert verification.ok, verification.tidy().to_string()


@pytest.mark.slow
def test_verified_with_clusters_of_scenarios():
    rows = scores()
    rows["topic"] = rows["scenario"].map(dict(zip("abcdefg", "xxyyyzv", strict=True)))
    found = profile(rows, cluster="topic")
    assert found.row("left", group="composite").n_clusters == 4
    assert found.verify().ok
    assert profile(rows, cluster="topic", judges="random").verify().ok
    row = found.row("left", group="composite d_z: first minus baseline")
    assert row.conf_low is None
    assert "clustered" in row.undefined
    alone = profile(rows, cluster="topic").inference
    assert "4 of topic" in alone
    ignored = trait_profile(
        trait_ratings(rows, traits=list(WEIGHTS), cluster="topic"), weights=WEIGHTS, cluster=None
    )
    assert [c.code for c in ignored.cautions if c.code == "SS201"]
    assert ignored.row("left", group="composite").std_error == pytest.approx(
        R["composite"]["left"]["std_error"]
    )


def test_scenarios_as_clusters_are_the_units_of_analysis_themselves():
    one, two = profile(), profile(cluster="scenario")
    assert [r.std_error for r in one.rows] == [r.std_error for r in two.rows]
    assert not [c for c in two.cautions if c.code == "SS201"]


def brute(rows, weights, model, stage):
    """One value a scenario, by loops."""
    out = {}
    for s in sorted(set(rows["scenario"])):
        own = rows[(rows["scenario"] == s) & (rows["model"] == model) & (rows["stage"] == stage)]
        values = [sum(w * (row[t] - 10) for t, w in weights.items()) for _, row in own.iterrows()]
        out[s] = sum(values) / len(values)
    return out


def with_composites(rows):
    """Scores with their composite, and the means of the judges."""
    every = rows.assign(composite=sum(w * (rows[t] - 10) for t, w in WEIGHTS.items()))
    answer = ["model", "scenario", "stage", "wording"]
    every = every.assign(
        off=every["composite"] - every.groupby(answer)["composite"].transform("mean")
    )
    return every, every.groupby(answer, as_index=False)[list(WEIGHTS)].mean()


def values_of(row, every, means):
    """One value a scenario of the row with this key, from the table of scores alone; None for rows not told here."""
    key, traits = dict(row.key), list(WEIGHTS)
    measure = key.get("measure")
    if {"weights", "over", "from", "span"} & set(key):
        return None
    if "judge" in key:  # a judge's composite minus the mean of all
        every = every[every["judge"] == key["judge"]].assign(value=lambda d: d["off"])
    elif measure == "composite":
        every = every[every["judge"] != key.get("without")].assign(value=lambda d: d["composite"])
    else:
        every = means
        shares = every[traits].div(every[traits].sum(axis=1), axis=0)
        groups = {"weights above 0": ["caring", "open"], "weights below 0": ["strict", "wary"]}
        told = {
            "activation": lambda: (every[traits] >= 14 - 1e-9).sum(axis=1),
            "active": lambda: (every[key["trait"]] >= 14 - 1e-9).astype(float),
            "entropy": lambda: -(shares * np.log2(shares)).sum(axis=1),
            "score": lambda: every[key["trait"]],
            "group": lambda: (
                every[groups[key["traits"]]].mean(axis=1)
                - (every[groups[key["minus"]]].mean(axis=1) if "minus" in key else 0.0)
            ),
        }
        every = every.assign(value=told[measure]())
    cells = every.groupby(["model", "scenario", "stage"])["value"].mean().unstack("stage")
    base = cells[key["baseline"]] if "baseline" in key else 0.0
    by_model = ((cells[key["stage"]] if "stage" in key else cells.mean(axis=1)) - base).unstack(
        "scenario"
    )
    if "other" in key:
        return (by_model.loc[key["model"]] - by_model.loc[key["other"]]).to_numpy()
    return (by_model.loc[key["model"]] if "model" in key else by_model.mean(axis=0)).to_numpy()


def test_every_row_is_the_t_interval_of_the_values_its_key_names():
    """The key of a row says which scores it is of; pandas and scipy make its numbers from the table anew."""
    result, rows = profile(entropy="bits"), scores()
    told, families = Counter(), {}
    tables = with_composites(rows)
    for row in result.rows:
        values = values_of(row, *tables)
        if values is None:
            continue
        told[dict(row.key)["measure"], row.role] += 1
        assert row.n == row.n_units == len(values) == 7
        if row.role == "effect_size":
            if np.ptp(values) > 0:
                assert row.estimate == pytest.approx(values.mean() / values.std(ddof=1), rel=1e-9)
            continue
        assert row.estimate == pytest.approx(values.mean(), abs=1e-12)
        if np.ptp(values) < 1e-12:
            assert row.std_error is None
            continue
        test = stats.ttest_1samp(values, 0.0)
        low, high = test.confidence_interval(0.95)
        assert row.std_error == pytest.approx(stats.sem(values), rel=1e-9)
        within = row.limits or (-np.inf, np.inf)
        assert [row.conf_low, row.conf_high] == pytest.approx(
            [max(low, within[0]), min(high, within[1])], rel=1e-9
        )
        if row.p_value is not None:
            assert (row.statistic, row.p_value) == pytest.approx(
                (test.statistic, test.pvalue), rel=1e-8
            )
            assert row.df == 6
        if row.p_adjusted is not None:
            key = dict(row.key)
            family = (key["measure"], "baseline" in key, "other" in key, "model" in key)
            families.setdefault(family, []).append((test.pvalue, row))
    assert told == {
        ("composite", "estimate"): 3 * (1 + 3) + 3 * 3,
        ("composite", "difference"): 3 * 2 + 1 + 3,
        ("composite", "effect_size"): 6,
        ("activation", "estimate"): 12,
        ("activation", "difference"): 6,
        ("activation", "effect_size"): 6,
        ("entropy", "estimate"): 4,
        ("entropy", "difference"): 2,
        ("entropy", "effect_size"): 2,
        ("active", "estimate"): 4,
        ("score", "estimate"): 12,
        ("group", "estimate"): 6,
        ("group", "difference"): 3,
    }
    assert len(families) == 8
    for found in families.values():
        holm = multipletests([p for p, _ in found], method="holm")[1]
        assert [row.p_adjusted for _, row in found] == pytest.approx(list(holm), rel=1e-8)
        assert {row.method.split("over ")[1].split()[0] for _, row in found} == {str(len(found))}


def test_rows_of_spread_and_of_all_changes_are_those_of_their_values():
    """Standard deviations over scenarios and over models; with all changes, the play as a whole and later stages."""
    rows = scores().assign(composite=lambda d: sum(w * (d[t] - 10) for t, w in WEIGHTS.items()))
    cells = rows.groupby(["model", "scenario", "stage"])["composite"].mean().unstack("stage")
    result = profile(changes="all")
    over = cells.mean(axis=1).unstack("scenario")
    for model in ("left", "right"):
        assert result.row(model, group="composite: SD over scenarios").estimate == pytest.approx(
            over.loc[model].std(ddof=1), rel=1e-9
        )
        play = (cells[["first", "last"]].mean(axis=1) - cells["baseline"]).loc[model]
        row = result.row(
            model, group="composite change: mean of the stages of the play minus baseline"
        )
        assert (row.estimate, row.std_error) == pytest.approx(
            (play.mean(), stats.sem(play)), rel=1e-9
        )
    assert result.row("composite", group="composite: SD over models").estimate == pytest.approx(
        over.mean(axis=1).std(ddof=1), rel=1e-9
    )
    for trait in WEIGHTS:
        own = rows.groupby(["model"])[trait].mean()
        assert result.row(trait, group="score: SD over models").estimate == pytest.approx(
            own.std(ddof=1), rel=1e-9
        )
    later = (cells["last"] - cells["first"]).unstack("scenario").mean(axis=0)
    (row,) = [r for r in result.rows if r.role == "difference" and "from" in dict(r.key)]
    assert dict(row.key) == {"measure": "composite", "stage": "last", "from": "first"}
    assert (row.estimate, row.std_error) == pytest.approx(
        (later.mean(), stats.sem(later)), rel=1e-9
    )


def other_weights():
    """Sets of weights by hand: 2 and 3 above 0, -4 and -1 below, each side rescaled to its sum of 5."""
    names, own = list(WEIGHTS), np.array([2.0, 3.0, -4.0, -1.0])

    def rescaled(w):
        return np.where(
            w > 0, 5 * w / w[w > 0].sum(), np.where(w < 0, -5 * w / w[w < 0].sum(), 0.0)
        )

    made = {"equal weights": np.array([2.5, 2.5, -2.5, -2.5])}
    for k, trait in enumerate(names):
        for name, change in (
            (f"'{trait}' +20%", 1.2),
            (f"'{trait}' -20%", 0.8),
            (f"without '{trait}'", 0.0),
        ):
            made[name] = rescaled(own * np.where(np.arange(4) == k, change, 1.0))
    return own, made


def test_rows_of_other_weights_are_t_intervals_of_their_composites():
    """Every set of all models with Holm's p; of each model equal weights, the lowest and the highest set."""
    result, rows, (own, sets) = profile(), scores(), other_weights()
    traits = rows.groupby(["model", "scenario"])[list(WEIGHTS)].mean() - 10

    def check(row, weights):
        values = (traits @ weights).unstack("scenario")
        model = dict(row.key).get("model")
        values = (values.loc[model] if model else values.mean(axis=0)).to_numpy()
        low, high = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
        assert row.estimate == pytest.approx(values.mean(), abs=1e-12)
        assert (row.std_error, row.conf_low, row.conf_high) == pytest.approx(
            (stats.sem(values), low, high), rel=1e-8
        )
        return values

    every, gaps = (
        [r for r in result.rows if r.group == f"other weights{end} of all models"]
        for end in ("", " minus these")
    )
    assert [r.term for r in every] == [r.term for r in gaps] == list(sets)
    p = []
    for row, gap in zip(every, gaps, strict=True):
        assert (
            dict(row.key)
            == dict(gap.key)
            == {"measure": "composite", "weights": row.term, "pick": "each"}
        )
        check(row, sets[row.term])
        p.append(stats.ttest_1samp(check(gap, sets[row.term] - own), 0.0).pvalue)
    assert [gap.p_adjusted for gap in gaps] == pytest.approx(
        list(multipletests(p, method="holm")[1]), rel=1e-7
    )
    for model in ("left", "right"):
        means = {name: float((traits.loc[model] @ w).mean()) for name, w in sets.items()}
        assert result.extras["weight_sensitivity"]["equal weights"][model] == pytest.approx(
            means["equal weights"]
        )
        picks = {
            "equal weights": "equal weights",
            "lowest of other weights": min(means, key=means.get),
            "highest of other weights": max(means, key=means.get),
        }
        for group, name in picks.items():
            row, gap = (
                result.row(model, group=group),
                result.row(model, group=f"{group} minus these"),
            )
            assert dict(row.key)["weights"] == dict(gap.key)["weights"] == name
            check(row, sets[name])
            check(gap, sets[name] - own)
            said = name if name == "equal weights" else f"{name}, of 13 sets of weights"
            assert row.method == gap.method == f"{said}; t"
    assert len([r for r in result.rows if "weights" in dict(r.key)]) == 2 * 13 + 2 * 2 * 3


def test_stages_by_loops(result):
    rows = scores()
    for model, stage in product(("left", "right"), ("baseline", "first", "last")):
        values = brute(rows, WEIGHTS, model, stage)
        row = result.row(model, group=f"composite: {stage}")
        assert row.estimate == pytest.approx(np.mean(list(values.values())), abs=1e-10)
        assert row.std_error == pytest.approx(
            np.std(list(values.values()), ddof=1) / np.sqrt(7), abs=1e-10
        )


def test_models_as_units_of_analysis(result):
    rows = profile(unit_of_analysis="model")
    row = rows.row("composite", group="composite of all models")
    values = [R["composite"][m]["estimate"] for m in ("left", "right")]
    assert row.estimate == pytest.approx(np.mean(values))
    assert (row.n, row.df) == (2, 1)
    assert row.std_error == pytest.approx(abs(values[0] - values[1]) / 2)
    assert not [r for r in rows.rows if r.group == "composite"]
    assert row.estimate == pytest.approx(
        result.row("composite", group="composite of all models").estimate
    )
    assert "models (the units of analysis)" in rows.sentence()


def test_the_judges_own_zero_moves_the_null_and_nothing_else(result):
    zero = {"j1": 6.0, "j2": 0.0, "j3": -3.0}
    found = profile(zero=zero)
    plain, moved = (found.row("left", group=g) for g in ("composite", "composite minus zero"))
    assert moved.estimate == pytest.approx(plain.estimate - 1.0)
    assert moved.std_error == pytest.approx(plain.std_error)
    assert moved.statistic == pytest.approx((plain.estimate - 1) / plain.std_error)
    assert profile(zero=1.0).row("left", group="composite minus zero").p_value == pytest.approx(
        moved.p_value
    )
    assert found.row("left", group="composite minus zero: last").estimate == pytest.approx(
        result.row("left", group="composite: last").estimate - 1
    )
    with pytest.raises(InputError, match="no number is given for 'j2'"):
        profile(zero={"j1": 0, "j3": 0})
    with pytest.raises(InputError, match="'j9' judged no answer"):
        profile(zero={**zero, "j9": 0})


def test_control_texts_show_the_zero_of_each_judge():
    """A judge who adds a to the composite of every text has the zero a."""
    texts = pd.DataFrame(
        {
            "text": ["left", "right"] * 2,
            "judge": ["j1"] * 2 + ["j2"] * 2,
            "open": [14, 6, 15, 7],
            "strict": [6, 14, 5, 13],
        }
    )
    design = trait_ratings(texts, traits=["open", "strict"], model=None, scenario="text")
    assert judge_zeros(design, weights={"open": 5, "strict": -5}) == {"j1": 0.0, "j2": 10.0}
    assert judge_zeros(design, weights={"open": 5, "strict": -5}, texts="left") == {
        "j1": 40.0,
        "j2": 50.0,
    }
    with pytest.raises(InputError, match="texts: 'middle'; there are 'left' and 'right'"):
        judge_zeros(design, weights={"open": 5, "strict": -5}, texts=["middle"])


def test_a_judge_who_missed_a_whole_stage_is_one_problem_with_its_ways_out():
    rows = scores()
    with pytest.raises(InputError) as caught:
        profile(rows[(rows["judge"] != "j1") | (rows["stage"] != "last")])
    assert len(caught.value.problems) == 1
    assert "judge 'j1' scored no answer of stage 'last'" in str(caught.value)
    assert "(--exclude judge=j1, --exclude stage=last)" in str(caught.value)


def test_a_missing_score_is_an_error_that_names_it_or_leaves_the_answer_out():
    rows = scores()
    rows["open"] = rows["open"].astype("float")
    at = rows.index[
        (rows["model"] == "left") & (rows["scenario"] == "c") & (rows["stage"] == "last")
    ]
    rows.loc[at[0], "open"] = np.nan
    with pytest.raises(
        InputError, match=r"scenario 'c', stage 'last', wording '1': no score of 'open' by 'j1'"
    ):
        profile(rows)
    found = profile(rows, missing_trait="drop_unit")
    kept = rows[~((rows["wording"] == 1) & rows.index.isin(at))]
    values = brute(kept, WEIGHTS, "left", "last")
    assert found.row("left", group="composite: last").estimate == pytest.approx(
        np.mean(list(values.values()))
    )
    assert "1 answer without all scores, of 126" in " ".join(c.detail for c in found.cautions)
    assert found.verify().ok


def test_an_answer_that_a_judge_skipped_is_left_out_whole():
    rows = scores()
    gone = (
        (rows["model"] == "left")
        & (rows["scenario"] == "c")
        & (rows["stage"] == "last")
        & (rows["judge"] == "j2")
    )
    with pytest.raises(InputError, match="by 'j2'"):
        profile(rows[~gone])
    found = profile(rows[~gone], missing_trait="drop_unit")
    assert found.row("left", group="composite: last").n == 6
    assert found.row("left", group="composite").n == 6
    assert found.row("right", group="composite").n == 7
    assert found.row("last", group="composite by stage of all models").n == 6
    assert "1 cell of model, scenario and stage" in " ".join(c.detail for c in found.cautions)
    assert found.verify().ok


def test_nothing_is_left_when_every_answer_lacks_a_score():
    rows = scores()
    rows["open"] = np.where(rows["judge"] == "j1", np.nan, rows["open"])
    with pytest.raises(NothingToAnalyse):
        profile(rows, missing_trait="drop_unit")


@pytest.mark.parametrize(
    ("weights", "match"),
    [
        ({"caring": 2, "open": 3, "strict": -4, "wary": -2}, "add up to −1.000"),
        ({"caring": 1, "open": 1, "strict": -1, "wary": -1}, "absolute values to 4.000"),
        (
            {"caring": 2, "open": 3, "strict": -5, "wary": float("nan")},
            "'wary' must be a finite number",
        ),
        ({"caring": 2, "open": 3, "strict": -5, "wary": True}, "'wary' must be a finite number"),
        ({}, "every weight is 0"),
    ],
)
def test_weights_that_are_refused(weights, match):
    with pytest.raises(InputError, match=match):
        checked_weights(weights)


def test_traits_and_weights_must_be_the_same():
    design = trait_ratings(scores(), traits=list(WEIGHTS))
    for trait in WEIGHTS:
        others = dict(zip((name for name in WEIGHTS if name != trait), (2, 3, -5), strict=True))
        with pytest.raises(InputError, match=f"trait '{trait}' has no weight"):
            trait_profile(design, weights=others)
    with pytest.raises(InputError, match="weights name trait 'shy', which no answer has"):
        trait_profile(design, weights={**WEIGHTS, "shy": 0})
    zero = trait_profile(design, weights={"caring": 2, "open": 3, "strict": -5, "wary": 0})
    few = trait_profile(
        trait_ratings(scores(), traits=["caring", "open", "strict"]),
        weights={"caring": 2, "open": 3, "strict": -5},
    )
    one, two = (r.row("left", group="composite") for r in (zero, few))
    assert one.estimate == pytest.approx(two.estimate)
    assert zero.verify().ok


def test_scores_out_of_range_are_named():
    rows = scores()
    rows.loc[3, "open"] = 21
    with pytest.raises(
        InputError, match=r"the score 21\.00 of trait 'open' .* is outside 0 to 20\.00"
    ):
        profile(rows)
    assert profile(rows, free_weights=True).verify().ok


def test_a_single_measure_is_a_composite_with_free_weights():
    """Commitment, 0 to 5: the value itself, its changes and d_z."""
    rows = scores().rename(columns={"open": "commitment"})
    rows["commitment"] = rows["commitment"] / 4
    found = profile(rows, weights={"commitment": 1}, free_weights=True, centre=0, activation=None)
    mean = rows[rows["model"] == "left"]["commitment"].mean()
    assert found.row("left", group="composite").estimate == pytest.approx(mean)
    assert found.verify().ok


def test_the_composite_stays_in_its_range():
    rows = scores()
    for trait, weight in WEIGHTS.items():
        rows[trait] = np.where(
            rows["model"] == "left", 20 if weight > 0 else 0, 0 if weight > 0 else 20
        )
    found = profile(rows)
    assert found.row("left", group="composite").estimate == pytest.approx(100)
    assert found.row("right", group="composite").estimate == pytest.approx(-100)
    assert found.extras["range"] == (-100, 100)
    assert "no standard error" in found.row("left", group="composite").undefined
    assert found.row("left", group="composite d_z: first minus baseline").estimate is None


def test_variants_of_weights_keep_sum_and_size():
    made = weight_variants(TRAIT_WEIGHTS)
    assert len(made) == 31
    for w in made.values():
        assert w.sum() == pytest.approx(0, abs=1e-12)
        assert np.abs(w).sum() == pytest.approx(10)
    np.testing.assert_allclose(np.abs(made["equal weights"]), 1)
    order = list(TRAIT_WEIGHTS)
    own = np.array(list(TRAIT_WEIGHTS.values()))
    changed = made["'progress' +20%"] / own
    assert changed[order.index("progress")] / changed[order.index("openness")] == pytest.approx(1.2)
    assert made["without 'progress'"][order.index("progress")] == 0
    np.testing.assert_allclose(balance_sides(own, own), own)
    assert weight_variants({"a": 2.0}, free=True)["'a' +20%"].tolist() == [2.4]
    assert not [
        name for name in weight_variants({"a": 5.0, "b": -5.0}) if name.startswith("without")
    ]


def test_default_weights_are_those_of_the_simulation():
    assert dict(TRAIT_WEIGHTS) == dict(staged_values_truth().weights)


def test_stages_and_baseline():
    found = profile(stages=["last", "first"])
    assert found.settings["baseline"] == "last"
    assert {r.group for r in found.rows if "change" in (r.group or "")} == {
        "composite change: first minus last",
        "composite change by stage of all models",
        "activation change: first minus last",
        "activation change by stage of all models",
    }
    assert profile(baseline="first").settings["baseline"] == "first"
    assert profile().settings["baseline"] == BASELINE
    with pytest.raises(InputError, match="no stage 'middle'"):
        profile(stages=["first", "middle"])
    with pytest.raises(InputError, match="baseline='middle'"):
        profile(baseline="middle")


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"unit_of_analysis": "judge"}, "unit_of_analysis='judge' is not one of scenario, model"),
        ({"judges": "all"}, "judges='all' is not one of fixed, random"),
        ({"missing_trait": "ignore"}, "missing_trait='ignore' is not one of error, drop_unit"),
        ({"activated": "some"}, "activated='some'"),
        ({"ci": "wald"}, "ci='wald'"),
        ({"centre": -1}, "centre=-1"),
        ({"zero": "low"}, "zero must be a finite number"),
        ({"stage": "act"}, "no stratum 'act' for the stage"),
        ({"wording": "phrase"}, "no stratum 'phrase' for the wording"),
        ({"judges": "random", "ci": "bca"}, "ci='bca' needs one factor"),
    ],
)
def test_options_that_are_refused(options, match):
    with pytest.raises(InputError, match=match):
        profile(**options)


def test_clusters_that_cut_across_the_units_of_analysis():
    rows = scores()
    with pytest.raises(InputError, match="cluster 'model' holds parts of several scenarios"):
        profile(rows, cluster="model")
    assert profile(rows, cluster="model", unit_of_analysis="model").rows


def test_wordings_that_are_not_declared_are_found_out():
    rows = scores().rename(columns={"wording": "phrase"})
    with pytest.raises(InputError, match="A judge scores an answer once"):
        profile(rows)


def test_by_gives_a_result_a_level_and_a_table_reads_itself():
    rows = scores()
    group = trait_profile(trait_ratings(rows, traits=list(WEIGHTS), by="model"), weights=WEIGHTS)
    assert list(group) == ["left", "right"]
    agrees(group["left"].row("left", group="composite"), R["composite"]["left"])
    assert "of 'left' was" in group["left"].sentence()
    agrees(
        trait_profile(rows, weights=WEIGHTS).row("left", group="composite"), R["composite"]["left"]
    )


def test_other_frames_and_unlike_cells():
    pl = pytest.importorskip("polars")
    rows = scores()
    agrees(profile(pl.from_pandas(rows)).row("left", group="composite"), R["composite"]["left"])
    numbered = rows.assign(scenario=rows["scenario"].map({x: k for k, x in enumerate("abcdefg")}))
    agrees(profile(numbered).row("left", group="composite"), R["composite"]["left"])
    lists = rows.assign(scenario=[[x] for x in rows["scenario"]])
    with pytest.raises(InputError, match="labels"):
        profile(lists)
    empty = rows.assign(scenario=rows["scenario"].where(rows.index != 4))
    with pytest.raises(InputError, match="row 4, column 'scenario': the value is missing"):
        profile(empty)


def test_strange_labels_stay_apart():
    rows = scores()
    rows["model"] = rows["model"].map({"left": "a | b", "right": "a"})
    rows["scenario"] = np.where(
        (rows["model"] == "a") & (rows["scenario"] == "a"), "b | a", rows["scenario"]
    )
    found = profile(rows)
    assert found.row("a | b", group="composite").estimate == pytest.approx(
        R["composite"]["left"]["estimate"]
    )
    assert found.row("a", group="composite").estimate == pytest.approx(
        R["composite"]["right"]["estimate"]
    )
    many = rows.assign(model=rows["model"].map({"a | b": "x of all models", "a": "<b>"}))
    keys = [(r.term, r.group) for r in profile(many, stages=["first", "last"]).rows]
    assert len(set(keys)) == len(keys)


def test_the_converter_names_strata_whatever_the_columns_are():
    rows = scores().rename(
        columns={"model": "llm", "scenario": "trait", "stage": "unit", "judge": "who"}
    )
    design = trait_ratings(
        rows, traits=list(WEIGHTS), model="llm", scenario="trait", stage="unit", judge="who"
    )
    assert set(design.strata) == {"model", "scenario", "stage", "wording", "trait"}
    agrees(
        trait_profile(design, weights=WEIGHTS).row("left", group="composite"),
        R["composite"]["left"],
    )
    for wrong, match in (({"model": "nobody"}, "nobody"), ({"judge": "jury"}, "jury")):
        with pytest.raises(DesignError, match=match):
            trait_ratings(scores(), traits=list(WEIGHTS), **wrong)
    with pytest.raises(DesignError, match="column 'judge' is named twice"):
        trait_ratings(scores(), traits=["open", "judge"])
    with pytest.raises(DesignError, match="cannot be both"):
        trait_ratings(scores(), traits=["open"], model="scenario")
    with pytest.raises(InputError, match="'high' is not a finite number"):
        trait_ratings(scores().assign(open="high"), traits=["open", "wary"])


def test_ratings_of_another_shape_say_what_they_lack():
    plain = Ratings.from_frame({"unit": [1, 2], "rater": ["a", "a"], "value": [3, 4]})
    with pytest.raises(InputError, match="no stratum 'stage' for the stage"):
        trait_profile(plain)
    words = Ratings.from_frame(
        {
            "unit": [1, 2],
            "rater": ["a", "a"],
            "value": ["low", "high"],
            "trait": ["open"] * 2,
            "scenario": [1, 2],
        },
        levels=["low", "high"],
        strata=["trait", "scenario"],
    )
    with pytest.raises(InputError, match="scores must be numbers"):
        trait_profile(words, model=None, stage=None, weights={"open": 1}, free_weights=True)


def test_one_unit_of_analysis_has_no_error():
    found = profile(scores()[lambda d: d["scenario"] == "a"])
    row = found.row("left", group="composite")
    assert row.estimate is not None
    assert row.std_error is None
    assert "one value only" in row.undefined


# ---- simulated staged role play


@pytest.fixture(scope="module")
def staged():
    rows = staged_values()
    design = trait_ratings(rows[rows["wording"] == 1], traits=list(TRAIT_WEIGHTS))
    controls = trait_ratings(
        staged_values_controls(), traits=list(TRAIT_WEIGHTS), model=None, scenario="text"
    )
    return design, judge_zeros(controls, texts="balanced")


@pytest.mark.slow
def test_simulated_composites_and_changes_are_in_their_intervals(staged):
    design, _ = staged
    truth = staged_values_truth()
    found = trait_profile(design, level=0.99)
    inside = [found.row(m, group=f"composite: {s}") for m, s in truth.composite]
    hits = [
        r.conf_low <= v <= r.conf_high
        for r, v in zip(inside, truth.composite.values(), strict=True)
    ]
    assert np.mean(hits) >= 0.9
    changes = []
    for (model, stage), value in truth.composite.items():
        if stage != "baseline":
            row = found.row(model, group=f"composite change: {stage} minus baseline")
            changes.append(
                row.conf_low <= value - truth.composite[model, "baseline"] <= row.conf_high
            )
    assert len(changes) == 40
    assert np.mean(changes) >= 0.925
    assert found.verify().ok


def test_simulated_judges_have_their_offsets_and_their_zero(staged):
    """Offsets are truncated a little by the ends of the scale; zeros carry the noise of ten scores each."""
    design, zero = staged
    truth = staged_values_truth().judge_offset
    found = trait_profile(design, zero=zero)
    centre = np.mean(list(truth.values()))
    for judge, offset in truth.items():
        assert found.row(judge, group="judge offset").estimate == pytest.approx(
            offset - centre, abs=1.0
        )
        assert zero[judge] == pytest.approx(offset, abs=3.5 * 2.9)
    mean = np.mean(list(zero.values()))
    row, naive = (
        found.row("model 04", group=g)
        for g in ("composite minus zero: baseline", "composite: baseline")
    )
    assert row.estimate == pytest.approx(naive.estimate - mean)
    assert abs(row.estimate) < abs(naive.estimate)


def test_models_as_units_have_the_paper_s_d_z(staged):
    design, _ = staged
    rows = trait_profile(design, unit_of_analysis="model")
    row = rows.row("stage 3 minus baseline", group="composite change by stage of all models")
    size = rows.row("stage 3 minus baseline", group="composite d_z by stage of all models")
    assert row.n == 8
    assert size.estimate == pytest.approx(row.statistic / np.sqrt(8))
    assert row.conf_low < -6 < row.conf_high


@pytest.mark.slow
def test_a_wrong_number_anywhere_is_noticed(result, monkeypatch):
    remember(monkeypatch, *OF_THE_SCORES)
    for k in range(0, len(result.rows), 7):
        row = result.rows[k]
        if row.estimate is not None:
            wrong = (
                *result.rows[:k],
                replace(row, estimate=row.estimate + 0.01),
                *result.rows[k + 1 :],
            )
            assert not replace(result, rows=wrong).verify().ok, row


@pytest.mark.parametrize(
    "options", [{"zero": 3.0}, {"judges": "random", "unit_of_analysis": "model"}]
)
@pytest.mark.slow
def test_a_changed_number_is_found(options, monkeypatch):
    """Two per cent of any number of a row that is recomputed, one row of each kind; golden ends of d_z are R's."""
    remember(monkeypatch, *OF_THE_SCORES)
    found = profile(**options)
    verification = found.verify()
    assert verification.ok
    numbers = verification.numbers()
    n = 0
    for field in (*FIELDS, "p_adjusted"):
        places: dict[str, int] = {}
        for k, row in enumerate(found.rows):
            unseen = numbers.get((k, field)) is None and row.interval == "outer_ends"
            if getattr(row, field) is not None and not unseen:
                places.setdefault((row.group or "").partition(":")[0], k)
        n += len(places)
        assert unnoticed(found, field, list(places.values())) == []
    assert n > 20


@pytest.mark.parametrize("unit", ["nats", "bits"])
@pytest.mark.slow
def test_entropy_of_the_traits_shares(unit):
    from scipy.stats import entropy

    rows = scores()
    found = profile(entropy=unit)
    means = rows.groupby(["model", "scenario", "stage", "wording"])[list(WEIGHTS)].mean()
    each = means.apply(entropy, axis=1, base=2 if unit == "bits" else None)
    cells = each.groupby(["scenario", "stage"]).mean().unstack()
    for stage in cells:
        row = found.row(stage, group="entropy by stage of all models")
        assert row.estimate == pytest.approx(cells[stage].mean(), rel=1e-12)
    gap = cells["last"] - cells["baseline"]
    change = found.row("last minus baseline", group="entropy change by stage of all models")
    assert (change.estimate, change.std_error) == pytest.approx(
        (gap.mean(), gap.std(ddof=1) / np.sqrt(len(gap)))
    )
    assert found.verify().ok
    alone = profile(rows[rows["model"] == "left"], entropy=unit)
    assert alone.row("left", group="entropy").estimate == pytest.approx(each["left"].mean())
    assert not [r for r in found.rows if r.group == "entropy"]
    assert not [r for r in profile().rows if "entropy" in (r.group or "")]


def test_entropy_needs_shares():
    rows = scores()
    with pytest.raises(InputError, match="need scores of at least 0"):
        profile(rows.assign(open=rows["open"] - 40), entropy="nats", free_weights=True)
    with pytest.raises(InputError, match="entropy"):
        profile(entropy="dits")

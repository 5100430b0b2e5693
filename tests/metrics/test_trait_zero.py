"""The judges' own zero, its error, and composites under other weights: loops, scipy, runs under those weights."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from socialstats import judge_zeros, trait_profile, trait_ratings
from socialstats.errors import InputError
from socialstats.inference.intervals import cochran_df
from socialstats.scales.judge_zeros import JudgeZeros
from socialstats.scales.trait_weights import weight_variants
from tests.golden_data import golden, golden_frame

WEIGHTS = golden("traits")["weights"]
TRAITS = list(WEIGHTS)
SHIFT = {"j1": 4.0, "j2": -2.0, "j3": 1.0}


def controls(texts, seed=1):
    rng = np.random.default_rng(seed)
    rows = [
        {
            "text": text,
            "judge": judge,
            **{t: round(10 + lean * np.sign(WEIGHTS[t]) + rng.normal(0, 1.5), 1) for t in TRAITS},
        }
        for text, lean in texts.items()
        for judge in SHIFT
    ]
    return pd.DataFrame(rows)


def design_of(frame):
    return trait_ratings(frame, traits=TRAITS, model=None, scenario="text")


def composites(frame, weights=WEIGHTS):
    values = sum(w * (frame[t] - 10) for t, w in weights.items())
    return frame.assign(value=values).pivot(index="text", columns="judge", values="value")


def profile(**options):
    return trait_profile(
        trait_ratings(golden_frame("trait_scores.csv"), traits=TRAITS), weights=WEIGHTS, **options
    )


THREE = {"balanced": 0.0, "left": 3.0, "right": -4.0}
MANY = {f"neutral {k}": 0.0 for k in range(5)}


def test_the_error_of_several_neutral_texts_is_that_of_their_means():
    frame = controls({**MANY, "left": 5.0})
    zero = judge_zeros(design_of(frame), weights=WEIGHTS, texts=list(MANY))
    wide = composites(frame).loc[list(MANY)]
    assert zero == pytest.approx(dict(wide.mean()))
    found = zero.error()
    assert (found.std_error, found.df, found.basis) == pytest.approx(
        (stats.sem(wide.mean(axis=1)), 4, "texts")
    )


def test_the_error_of_one_neutral_text_is_the_judges_noise():
    frame = controls(THREE)
    found = judge_zeros(design_of(frame), weights=WEIGHTS, texts="balanced").error()
    wide = composites(frame)
    rest = 0.0
    for text in wide.index:
        for judge in wide.columns:
            gap = (
                wide.loc[text, judge]
                - wide.loc[text].mean()
                - wide[judge].mean()
                + wide.to_numpy().mean()
            )
            rest += gap**2
    assert (found.std_error, found.df, found.basis) == pytest.approx(
        (math.sqrt(rest / 4 / 3), 4, "judging")
    )


def test_where_nothing_tells_the_error_there_is_none():
    alone = controls({"balanced": 0.0})
    assert judge_zeros(design_of(alone), weights=WEIGHTS).error() is None
    one = controls(THREE).query("judge == 'j1'")
    assert judge_zeros(design_of(one), weights=WEIGHTS, texts="balanced").error() is None
    flat = controls(THREE).assign(**dict.fromkeys(TRAITS, 10.0))
    assert judge_zeros(design_of(flat), weights=WEIGHTS).error() is None


@pytest.mark.parametrize("texts", [list(MANY), ["neutral 0"]])
def test_variances_add_with_cochrans_degrees_of_freedom(texts):
    zero = judge_zeros(design_of(controls(MANY)), weights=WEIGHTS, texts=texts)
    found, error = profile(zero=zero), zero.error()
    known = profile(zero=dict(zero))
    for group in ("composite minus zero", "composite minus zero: last"):
        row, plain = found.row("left", group=group), known.row("left", group=group)
        parts = np.array([plain.std_error**2, error.std_error**2])
        assert row.estimate == pytest.approx(plain.estimate)
        assert row.std_error == pytest.approx(math.sqrt(parts.sum()))
        point = float(np.average(stats.t.ppf(0.975, [plain.df, error.df]), weights=parts))
        assert row.conf_high - row.estimate == pytest.approx(point * row.std_error)
        assert row.p_value == pytest.approx(2 * stats.t.sf(abs(row.statistic), row.df))
        assert plain.df > row.df > error.df or plain.df < row.df < error.df
        assert "error of the zero" in row.method
    facts = {"std_error": error.std_error, "df": error.df, "basis": error.basis}
    assert (found.settings["zero_error"], known.settings["zero_error"]) == (facts, None)
    assert (
        found.row("left", group="composite").std_error
        == known.row("left", group="composite").std_error
    )


def test_with_drawn_judges_the_noise_of_judging_is_not_counted_twice():
    one = judge_zeros(design_of(controls(THREE)), weights=WEIGHTS, texts="balanced")
    many = judge_zeros(design_of(controls(MANY)), weights=WEIGHTS)
    for zero, wider in ((one, False), (many, True)):
        row, known = (
            profile(zero=z, judges="random").row("left", group="composite minus zero")
            for z in (zero, dict(zero))
        )
        assert (row.std_error > known.std_error * (1 + 1e-9)) is wider


def test_the_zero_follows_the_weights():
    frame = controls(THREE)
    zero = judge_zeros(design_of(frame), weights=WEIGHTS, texts="balanced")
    other = {"caring": 2.5, "open": 2.5, "strict": -2.5, "wary": -2.5}
    design = trait_ratings(golden_frame("trait_scores.csv"), traits=TRAITS)
    found = trait_profile(design, weights=other, zero=zero)
    assert found.settings["zero"] == pytest.approx(dict(composites(frame, other).loc["balanced"]))
    assert found.verify().ok
    with pytest.raises(InputError, match="give the zero of this composite"):
        trait_profile(design, weights={**other, "shy": 0.0}, zero=zero)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"judges": "random"},
        {"unit_of_analysis": "model"},
        {"ci": "percentile", "resamples": 200},
        {"judges": "random", "unit_of_analysis": "model"},
    ],
)
@pytest.mark.parametrize("texts", [THREE, MANY])
@pytest.mark.slow
def test_verified_with_the_zero_of_texts(options, texts):
    zero = judge_zeros(
        design_of(controls(texts)),
        weights=WEIGHTS,
        texts=[t for t, lean in texts.items() if not lean],
    )
    found = profile(zero=zero, **options)
    verification = found.verify()
    assert verification.ok, verification.tidy().to_string()
    wrong = found.settings | {
        "zero_texts": {
            t: {j: {**s, "open": s["open"] + 0.3} for j, s in judges.items()}
            for t, judges in found.settings["zero_texts"].items()
        }
    }
    object.__setattr__(found, "settings", wrong)
    assert not found.verify().ok


@pytest.mark.slow
def test_verified_with_clusters_and_a_zero():
    rows = golden_frame("trait_scores.csv")
    rows["topic"] = rows["scenario"].map(dict(zip("abcdefg", "xxyyyzv", strict=True)))
    zero = judge_zeros(design_of(controls(MANY)), weights=WEIGHTS)
    design = trait_ratings(rows, traits=TRAITS, cluster="topic")
    for judges in ("fixed", "random"):
        found = trait_profile(design, weights=WEIGHTS, zero=zero, judges=judges)
        assert found.verify().ok
        row = found.row("left", group="composite minus zero")
        alone = trait_profile(design, weights=WEIGHTS, zero=dict(zero), judges=judges).row(
            "left", group="composite minus zero"
        )
        assert row.df == pytest.approx(
            cochran_df([alone.std_error**2, zero.error().std_error ** 2], [alone.df, 4.0])
        )


def test_a_zero_reads_as_a_mapping():
    zero = judge_zeros(design_of(controls(THREE)), weights=WEIGHTS, texts="balanced")
    assert isinstance(zero, JudgeZeros)
    assert list(zero) == list(SHIFT)
    assert ("j1" in zero, "j9" in zero, len(zero)) == (True, False, 3)
    assert repr(zero).startswith("JudgeZeros({'j1': ")
    with pytest.raises(KeyError, match="j9"):
        zero["j9"]


# ---- other weights


def test_every_set_of_weights_is_the_profile_under_it():
    found = profile()
    for name, weights in weight_variants(WEIGHTS).items():
        chosen = dict(zip(TRAITS, weights.tolist(), strict=True))
        own = trait_profile(
            trait_ratings(golden_frame("trait_scores.csv"), traits=TRAITS), weights=chosen
        )
        wanted = own.row("composite", group="composite of all models")
        row = found.row(name, group="other weights of all models")
        assert (row.estimate, row.std_error, row.conf_low, row.conf_high) == pytest.approx(
            (wanted.estimate, wanted.std_error, wanted.conf_low, wanted.conf_high)
        )
        assert found.extras["weight_sensitivity"][name]["left"] == pytest.approx(
            own.row("left", group="composite").estimate
        )


def test_differences_to_the_weights_given_are_paired_within_scenarios():
    rows, found = golden_frame("trait_scores.csv"), profile()
    sets = weight_variants(WEIGHTS)
    tests = {}
    for name, weights in sets.items():
        change = dict(
            zip(TRAITS, (weights - np.array(list(WEIGHTS.values()))).tolist(), strict=True)
        )
        value = rows.assign(value=sum(w * rows[t] for t, w in change.items()))
        cells = value.groupby(["model", "scenario", "stage", "wording"])["value"].mean()
        gap = cells.groupby(["scenario", "stage"]).mean().groupby("scenario").mean()
        row, test = (
            found.row(name, group="other weights minus these of all models"),
            stats.ttest_1samp(gap, 0.0),
        )
        tests[name] = float(test.pvalue)
        assert (row.estimate, row.statistic, row.p_value) == pytest.approx(
            (gap.mean(), test.statistic, test.pvalue)
        )
    from statsmodels.stats.multitest import multipletests

    adjusted = dict(zip(tests, multipletests(list(tests.values()), method="holm")[1], strict=True))
    rows_ = [found.row(name, group="other weights minus these of all models") for name in sets]
    assert {r.term: r.p_adjusted for r in rows_} == pytest.approx(adjusted)


def test_lowest_and_highest_sets_name_themselves_and_have_intervals():
    zero = judge_zeros(design_of(controls(MANY)), weights=WEIGHTS)
    found = profile(zero=zero)
    for model in ("left", "right"):
        values = {name: one[model] for name, one in found.extras["weight_sensitivity"].items()}
        for group, pick in (("lowest of other weights", min), ("highest of other weights", max)):
            row, name = found.row(model, group=group), pick(values, key=values.get)
            assert row.method.startswith(f"{name}, of {len(values)} sets of weights; ")
            assert row.estimate == pytest.approx(values[name])
            assert row.conf_low < row.estimate < row.conf_high
            against = found.row(model, group=f"{group} minus zero")
            named = (against.method or "").partition(", of ")[0]
            chosen = dict(zip(TRAITS, weight_variants(WEIGHTS)[named].tolist(), strict=True))
            own = trait_profile(
                trait_ratings(golden_frame("trait_scores.csv"), traits=TRAITS),
                weights=chosen,
                zero=zero,
            ).row(model, group="composite minus zero")
            assert (against.estimate, against.conf_low, against.conf_high) == pytest.approx(
                (own.estimate, own.conf_low, own.conf_high)
            )


def test_one_model_has_every_set_too():
    rows = golden_frame("trait_scores.csv").query("model == 'left'")
    found = trait_profile(trait_ratings(rows, traits=TRAITS), weights=WEIGHTS)
    assert len([r for r in found.rows if r.group == "other weights"]) == len(
        weight_variants(WEIGHTS)
    )
    assert found.row("equal weights", group="other weights").estimate == pytest.approx(
        found.row("left", group="equal weights").estimate
    )
    assert found.verify().ok

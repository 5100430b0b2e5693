"""Control texts and weights beside the table of staged values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from socialstats import datasets
from socialstats.errors import InputError, SocialStatsError
from socialstats.scales.judge_zeros import judge_zeros
from socialstats.scales.trait_profile import trait_profile
from socialstats.scales.trait_weights import (
    EQUAL_WEIGHTS,
    PAPER,
    TRAIT_WEIGHTS,
    checked_weights,
    read_weights,
    with_weights,
)
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.studies.staged_values.declaration import with_controls
from socialstats.tables import as_table, read_table

STUDY = STUDIES["staged-values"]
TRAITS = list(TRAIT_WEIGHTS)
FAST = StudyOptions(resamples=200, verify=False)


def composite(frame: pd.DataFrame, weights: object = TRAIT_WEIGHTS) -> pd.Series:
    return (frame[TRAITS] - 10) @ pd.Series(dict(weights))[TRAITS]  # type: ignore[call-overload]


def as_weights(values: dict[str, object]) -> object:
    return as_table(
        pd.DataFrame({"trait": list(values), "weight": list(values.values())}), "weights"
    )


def used(given: object) -> dict[str, float]:
    return with_weights(PAPER, read_weights(given)).used  # type: ignore[arg-type]


def test_weights_by_name_and_from_a_table() -> None:
    assert used("paper") == dict(TRAIT_WEIGHTS)
    assert (
        used("equal")
        == {t: float(np.sign(w)) for t, w in TRAIT_WEIGHTS.items()}
        == checked_weights(EQUAL_WEIGHTS)
    )
    own = {
        t: 2.5 * np.sign(w) if t in TRAITS[:2] + TRAITS[5:7] else 0.0
        for t, w in TRAIT_WEIGHTS.items()
    }
    assert used(as_weights(dict(reversed(own.items())))) == own


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"openness": "much"}, "weights: the weight of openness is 'much', not a number"),
        ({"openness": 9.0}, "weights add up to 7.875"),
        ({"charm": 1.0}, "weights: no trait 'charm'"),
    ],
)
def test_wrong_weights_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        used(as_weights(dict(TRAIT_WEIGHTS) | change))


def test_weights_of_some_traits_or_other_columns_are_refused() -> None:
    with pytest.raises(InputError, match="no weight of 'tradition'"):
        used(as_weights({t: w for t, w in TRAIT_WEIGHTS.items() if t != "tradition"}))
    with pytest.raises(InputError, match="no column 'weight'"):
        read_weights(as_table(pd.DataFrame({"trait": TRAITS}), "weights"))
    with pytest.raises(InputError, match="choose from 'paper' and 'equal'"):
        read_weights("eqal")


def test_controls_by_judge_with_mean_interval_and_sd() -> None:
    texts = datasets.staged_values_controls()
    rows = judge_zeros(STUDY.beside["controls"](as_table(texts, "controls"))).rows(0.95)
    for text, given in texts.groupby("text"):
        own = composite(given).to_numpy()
        ends = stats.ttest_1samp(own, 0).confidence_interval(0.95)
        *judged, mean, spread = (row for row in rows if row.label("text") == text)
        assert [row.estimate for row in judged] == pytest.approx(own)
        assert [row.label("judge") for row in judged] == given["judge"].tolist()
        assert (mean.estimate, mean.conf_low, mean.conf_high) == pytest.approx(
            (own.mean(), ends.low, ends.high)
        )
        assert spread.estimate == pytest.approx(own.std(ddof=1))


@pytest.mark.slow
def test_other_weights_change_composites_and_the_zero() -> None:
    whole = datasets.staged_values()
    frame = whole[whole["model"].isin(["model 01", "model 04"])]
    controls = STUDY.beside["controls"](as_table(datasets.staged_values_controls(), "controls"))
    options = replace(FAST, controls=controls, weights=read_weights("equal"))
    assert STUDY.read is not None
    outcome = run_study(STUDY, STUDY.read(as_table(frame, "scores")), options)
    texts = datasets.staged_values_controls()
    balanced = texts[texts["text"] == "balanced"]
    zero = dict(zip(balanced["judge"], composite(balanced, EQUAL_WEIGHTS), strict=True))
    equal = with_weights(PAPER, "equal")
    assert with_controls(options, equal).zero == pytest.approx(zero)
    assert outcome.settings["zero"] == pytest.approx(zero)
    assert outcome.settings["weights"] == dict(EQUAL_WEIGHTS)
    profile = next(b for b in outcome.blocks if b.id == "lean").results[0]
    main = frame[frame["wording"] == 1]
    for model, own in main.groupby("model"):
        wanted = composite(own, EQUAL_WEIGHTS).mean() - np.mean(list(zero.values()))
        assert profile.row(str(model), group="composite minus zero").estimate == pytest.approx(
            wanted
        )
    given = replace(options, zero=dict.fromkeys(zero, 1.0))
    assert with_controls(given, equal).zero == given.zero


@pytest.mark.parametrize(("texts", "cautioned"), [(1, True), (9, True), (10, False)])
def test_a_zero_of_few_neutral_texts_is_cautioned(texts: int, cautioned: bool) -> None:
    controls = datasets.staged_values_controls()
    one = controls[controls["text"] == "balanced"]
    many = pd.concat([one.assign(text=f"neutral {k}") for k in range(texts)], ignore_index=True)
    read = STUDY.beside["controls"](as_table(many, "controls"))
    found = judge_zeros(read).cautions()
    assert [c.code for c in found] == ["SS312"] * cautioned
    if cautioned:
        assert found[0].detail.startswith(
            f"{texts} neutral text{'s give' if texts > 1 else ' gives'} the judges' neutral"
        )
        assert "by judge from \u22120.12 to 10.25" in found[0].detail


def test_controls_without_a_column_say_so_of_their_own_file() -> None:
    texts = datasets.staged_values_controls().rename(columns={"text": "name"})
    with pytest.raises(
        InputError, match="controls: no column 'text'; control texts are rows with"
    ) as caught:
        STUDY.beside["controls"](as_table(texts, "controls"))
    assert "--map" not in str(caught.value)


def test_wrong_rows_are_told_in_the_columns_of_the_table() -> None:
    frame = (
        datasets.staged_values()
        .query("model == 'model 01' and wording == 1")
        .drop(columns="wording")
    )
    assert STUDY.read is not None
    half = frame.astype({"tradition": object})
    half.iloc[3, half.columns.get_loc("tradition")] = "12/20"
    with pytest.raises(InputError, match=r"column 'tradition': '12/20' is not a finite number"):
        STUDY.read(as_table(half, "scores"))
    with pytest.raises(
        InputError, match="no column 'stage'; this study is about changes over stages"
    ):
        STUDY.read(as_table(frame.drop(columns="stage"), "scores"))
    with pytest.raises(InputError, match="asked for as traits"):
        STUDY.read(as_table(frame.drop(columns="tradition"), "scores"))
    with pytest.raises(InputError, match="A judge scores an answer once") as caught:
        STUDY.read(as_table(pd.concat([frame, frame.head(2)]), "scores"))
    assert (
        "'model 01' (judge 'judge 1', scenario 'scenario 01', stage 'baseline') has 2 rows"
        in str(caught.value)
    )
    assert "authority_deference" not in str(caught.value)


def staged(middle: tuple[str, str], lean: int) -> pd.DataFrame:
    """Two models in 12 scenarios at three stages by two judges; the second judge's commitment mirrors the first's."""
    rng = np.random.default_rng(6)
    rows = []
    for s in range(12):
        for model in ("m1", "m2"):
            for stage in ("baseline", *middle):
                level = rng.integers(1, 5)
                for judge in ("j1", "j2"):
                    scores = dict.fromkeys(TRAITS, 10) | {"openness": 10 + int(rng.integers(0, 3))}
                    own = level if judge == "j1" or lean > 0 else 5 - level
                    rows.append(
                        {
                            "scenario": f"s{s}",
                            "stage": stage,
                            "model": model,
                            "judge": judge,
                            **scores,
                            "commitment": int(np.clip(own + rng.integers(0, 2), 0, 5)),
                        }
                    )
    return pd.DataFrame(rows)


def test_stages_without_numbers_keep_the_order_of_the_table() -> None:
    assert STUDY.read is not None
    for middle in (("role", "debate"), ("debate", "role")):
        outcome = run_study(STUDY, STUDY.read(as_table(staged(middle, 1))), FAST)
        (drawn,) = (b for b in outcome.blocks if b.id == "trajectories")
        assert list(drawn.draw.keywords["stages"]) == ["baseline", *middle]  # type: ignore[union-attr]
        assert "Stages stand in the order in which the table names them first." in drawn.caption
        assert any(f"between {middle[1]} and baseline" in said for said in outcome.answer)
    numbered = STUDY.read(as_table(staged(("stage 2", "stage 1"), 1)))
    assert numbered.strata["stage"].levels == ("baseline", "stage 1", "stage 2")


@pytest.mark.parametrize("lean", [1, -1])
def test_judges_who_agree_too_little_about_a_score_are_a_caution_of_its_changes(lean: int) -> None:
    assert STUDY.read is not None
    table = staged(("role", "debate"), lean)
    outcome = run_study(STUDY, STUDY.read(as_table(table)), FAST)
    told = [c for c in outcome.cautions if c.code == "SS332" and "about commitment" in c.detail]
    parts = table.pivot(
        index=["scenario", "stage", "model"], columns="judge", values="commitment"
    ).to_numpy()
    apart = 2 * np.subtract(*parts.T) ** 2  # alpha (interval) of two judges without missing scores
    n = parts.size
    far = sum((a - b) ** 2 for a in parts.ravel() for b in parts.ravel()) / (n * (n - 1))
    alpha = 1 - apart.sum() / n / far
    assert (alpha < 0.667) == (lean < 0)
    assert len(told) == (lean < 0)
    if told:
        assert f"α = {alpha:.3f}".replace("-0.", "−.") in told[0].detail
        block = next(b for b in outcome.blocks if b.id == "agreement")
        assert any(told[0] in result.cautions for result in block.results)


def moral(tmp_path: Path, **weights: object) -> tuple[pd.DataFrame, str]:
    """Scores of own traits from 1 to 7, and a table of weights with the ends of the scale unless said otherwise."""
    rng = np.random.default_rng(1)
    rows = [
        {
            "model": m,
            "scenario": s,
            "stage": stage,
            "judge": j,
            **dict(zip(("care", "openness"), scores, strict=True)),
        }
        for m in "AB"
        for s in range(5)
        for stage in ("before", "talk", "after")
        for j in "xy"
        for scores in [rng.integers(1, 8, 2).tolist()]
    ]
    path = tmp_path / "weights.csv"
    pd.DataFrame(
        {"trait": ["care", "openness"], "weight": [1, -0.5], "low": 1, "high": 7, **weights}
    ).to_csv(path)
    return pd.DataFrame(rows), str(path)


def test_a_table_of_weights_may_declare_traits_and_scale(tmp_path: Path) -> None:
    frame, path = moral(tmp_path)
    design = STUDY.read(as_table(frame, "scores"), weights=path)  # type: ignore[misc]
    given = read_weights(read_table(path))
    outcome = run_study(STUDY, design, replace(FAST, weights=given, brief=True))
    (profile,) = (
        r
        for b in outcome.blocks
        for r in b.results
        if b.id == "lean" and r.metric == "trait_profile"
    )
    value = (frame["care"] - 4) - 0.5 * (frame["openness"] - 4)
    for model, mean in value.groupby(frame["model"]).mean().items():
        assert profile.row(model, group="composite").estimate == pytest.approx(mean)
    assert profile.extras["range"] == (-4.5, 4.5)
    assert profile.verify().ok


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"trait": ["care", "order"]}, "no column 'order'"),
        ({"high": [7, 5]}, "scales '1 to 5' and '1 to 7'. All traits have one scale"),
        ({"high": 1}, "no lowest and highest score"),
        ({"weight": [0, 0]}, "every weight is 0"),
    ],
)
def test_weights_of_other_traits_or_scales_are_refused(
    change: dict[str, object], message: str, tmp_path: Path
) -> None:
    frame, path = moral(tmp_path, **change)
    with pytest.raises(SocialStatsError, match=message):
        STUDY.read(as_table(frame, "scores"), weights=path)  # type: ignore[misc]


def test_own_traits_without_a_declaration_name_the_way_out(tmp_path: Path) -> None:
    frame, _ = moral(tmp_path)
    with pytest.raises(
        InputError, match=r"no column 'trait_scales' declares .* Name a file with --weights FILE"
    ):
        STUDY.read(as_table(frame.rename(columns={"openness": "order"}), "scores"))  # type: ignore[misc]


def test_metrics_take_what_a_table_declares() -> None:
    table = {
        "scenario": list("aabb"),
        "stage": ["start", "end"] * 2,
        "judge": ["j"] * 4,
        "care": [3, 5, 2, 7],
        "trait_scales": ['{"traits": ["care"], "scale": [1, 7]}'] * 4,
    }
    found = trait_profile(table, model=None)
    assert found.row("all", group="composite").estimate == pytest.approx(np.mean([3, 5, 2, 7]) - 4)

"""Compare for ratings: two models on the same units, paired; means, shares, alpha and distance from people's mode."""

from __future__ import annotations

from dataclasses import replace

import krippendorff
import numpy as np
import pandas as pd
import pytest
from study_examples import FAST

import socialstats as ss
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.resampling.engine import PlanUnits, weight_blocks
from socialstats.scales.ratings_difference import ratings_difference
from socialstats.studies import STUDIES, pick, run_study
from socialstats.studies.page import Outcome

UNITS = 40


def rated(
    seed: int, shift: float = 0.0, noise: float = 1.0, raters: int = 3, human: bool = False
) -> pd.DataFrame:
    """Ratings 1 to 5: units differ (the same for every seed), a shift, and the raters' own noise."""
    truth = np.random.default_rng(0).normal(3, 1, UNITS)
    rng = np.random.default_rng(seed)
    rows = []
    for u in range(UNITS):
        for r in range(raters):
            value = int(np.clip(round(truth[u] + shift + rng.normal(0, noise)), 1, 5))
            rows.append(
                (
                    f"u{u:02d}",
                    f"{'person' if human else 'run'} {r}",
                    value,
                    "human" if human else "model",
                )
            )
    return pd.DataFrame(rows, columns=["unit", "rater", "value", "source"]).assign(
        block=lambda f: f["unit"].str[:2]
    )


def read(frame: pd.DataFrame, **options: object) -> ss.Ratings:
    return ss.Ratings.from_frame(
        frame, levels=["1", "2", "3", "4", "5"], **{"scale": "ordinal", **options}
    )  # type: ignore[arg-type]


def page(**more: object) -> Outcome:
    frames = [
        rated(1).assign(model="base"),
        rated(2, shift=0.8).assign(model="high"),
        rated(3, noise=3).assign(model="loose"),
    ]
    design = read(pd.concat(frames), by="model", **more)
    return run_study(STUDIES["compare-ratings"], design, FAST)


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    frames = [
        rated(1).assign(model="base"),
        rated(2, shift=0.8).assign(model="high"),
        rated(3, noise=3).assign(model="loose"),
    ]
    design = read(pd.concat(frames), by="model")
    return run_study(STUDIES["compare-ratings"], design, replace(FAST, verify=True))


def test_known_differences_are_found_and_verified(outcome: Outcome) -> None:
    ids = [b.id for b in outcome.blocks]
    assert ids == ["differences-mean", "differences-shares", "differences-alpha"]
    mean, _, alpha = (b.sentences[0] for b in outcome.blocks)
    assert mean.startswith("The mean rating was higher for high than base (")
    assert alpha.startswith("The alpha was lower for loose than base (")
    assert outcome.verifications
    assert all(v.ok for v in outcome.verifications.values())
    assert all(b.draw is not None and b.draw() for b in outcome.blocks)


def test_differences_agree_with_pandas_and_krippendorff() -> None:
    one, two = rated(1), rated(2, 0.8)
    result = ratings_difference(read(one), read(two), labels=("1", "2"), **FAST.chosen())
    assert result.row("mean rating").estimate == pytest.approx(
        one["value"].mean() - two["value"].mean()
    )
    for level in range(1, 6):
        expected = (one["value"] == level).mean() - (two["value"] == level).mean()
        assert result.row(f"share of {level}").estimate == pytest.approx(expected)
    theirs = [
        krippendorff.alpha(
            f.pivot(index="rater", columns="unit", values="value").to_numpy(dtype=float),
            level_of_measurement="ordinal",
            value_domain=[1, 2, 3, 4, 5],
        )
        for f in (one, two)
    ]
    assert result.row("alpha (ordinal)").estimate == pytest.approx(theirs[0] - theirs[1])


def test_errors_are_those_of_the_same_resamples_in_both() -> None:
    """The s.e. of alpha's difference recomputed from expanded tables of the drawn units."""
    one, two = rated(1), rated(2, 0.8)
    options = replace(FAST, resamples=100, seed=7)
    result = ratings_difference(read(one), read(two), labels=("1", "2"), **options.chosen())
    wide = [
        f.pivot(index="rater", columns="unit", values="value").to_numpy(dtype=float)
        for f in (one, two)
    ]
    drawn = np.concatenate(
        list(weight_blocks(PlanUnits.rows(np.ones(UNITS)), resamples=100, seed=7, block=100))
    )
    gaps = []
    for weights in drawn:
        at = np.repeat(np.arange(UNITS), weights.astype(int))
        a, b = (
            krippendorff.alpha(
                w[:, at], level_of_measurement="ordinal", value_domain=[1, 2, 3, 4, 5]
            )
            for w in wide
        )
        gaps.append(a - b)
    expected = np.std(gaps, ddof=1) * np.sqrt(UNITS / (UNITS - 1))
    assert result.row("alpha (ordinal)").std_error == pytest.approx(expected, rel=1e-6)


def test_mean_is_close_to_the_paired_t_test() -> None:
    """The bootstrap's s.e. is that of the unit differences within Monte-Carlo error (2,000 resamples: 5%)."""
    one, two = rated(1), rated(2, 0.8)
    row = ratings_difference(
        read(one), read(two), labels=("1", "2"), **replace(FAST, resamples=2000).chosen()
    ).row("mean rating")
    gap = one.groupby("unit")["value"].mean() - two.groupby("unit")["value"].mean()
    assert row.std_error == pytest.approx(gap.std(ddof=1) / np.sqrt(UNITS), rel=0.05)
    assert row.df == UNITS - 1


def test_distance_from_the_mode_of_people() -> None:
    people = rated(9, human=True, raters=7)
    frames = [
        pd.concat([people, rated(seed, shift, raters=1)]) for seed, shift in ((1, 0.0), (2, 1.5))
    ]
    designs = [read(f, rater_source="source") for f in frames]
    result = ratings_difference(*designs, labels=("near", "far"), **FAST.chosen())
    row = result.row("ADA-Met", group="distance")
    modes = people.groupby("unit")["value"].agg(lambda v: v.mode().mean())
    each = [f[f["source"] == "model"].set_index("unit")["value"] for f in frames]
    expected = (each[0] - modes).abs().mean() - (each[1] - modes).abs().mean()
    assert row.estimate == pytest.approx(expected)
    assert (row.conf_high or 0) < 0
    assert result.verify().ok


def test_a_refusal_has_the_width_of_the_scale() -> None:
    people = rated(9, human=True, raters=7)
    near = rated(1, raters=1).astype({"value": str})
    refusing = near.assign(value=np.where(np.arange(UNITS) < 4, "no", near["value"]))
    designs = [
        read(pd.concat([people, f]).astype({"value": str}), rater_source="source", refusal="no")
        for f in (refusing, near)
    ]
    result = ratings_difference(*designs, labels=("refusing", "near"), **FAST.chosen())
    modes = people.groupby("unit")["value"].agg(lambda v: v.mode().mean())
    gap = (near.set_index("unit")["value"].astype(int) - modes).abs()
    expected = (4 - gap.iloc[:4]).sum() / UNITS
    assert result.row("ADA-Met", group="distance").estimate == pytest.approx(expected)
    assert result.verify().ok


def test_units_of_only_one_are_left_out_and_counted() -> None:
    one, two = rated(1), rated(2)
    two = two[two["unit"] != "u07"]
    result = ratings_difference(read(one), read(two), labels=("1", "2"), **FAST.chosen())
    assert result.counts["units"] == UNITS - 1
    kept = one[one["unit"] != "u07"]
    assert result.row("mean rating").estimate == pytest.approx(
        kept["value"].mean() - two["value"].mean()
    )
    with pytest.raises(NothingToAnalyse, match="no unit was rated in both"):
        ratings_difference(
            read(one[one["unit"] < "u05"]),
            read(two[two["unit"] > "u05"]),
            labels=("1", "2"),
            **FAST.chosen(),
        )


def test_clusters_are_resampled_whole() -> None:
    one, two = rated(1), rated(2, 0.3)
    plain, clustered = (
        ratings_difference(
            *(read(f, **more) for f in (one, two)), labels=("1", "2"), **FAST.chosen()
        ).row("mean rating")
        for more in ({}, {"cluster": "block"})
    )
    assert plain.estimate == pytest.approx(clustered.estimate)
    assert clustered.df == 3.0
    assert clustered.n_clusters == 4


def test_nominal_levels_have_no_mean_and_no_distance() -> None:
    found = page(scale="nominal")
    assert [b.id for b in found.blocks] == ["differences-shares", "differences-alpha"]


def test_equal_tables_are_undefined_not_zero_width() -> None:
    result = ratings_difference(read(rated(1)), read(rated(1)), labels=("1", "2"), **FAST.chosen())
    for row in result.rows:
        assert row.estimate == 0
        assert row.p_value is None
        assert "the resamples are alike" in str(row.undefined)


def test_the_study_is_chosen_by_name_and_needs_by() -> None:
    design = read(rated(1))
    with pytest.raises(InputError, match=r"needs unit, rater, value, and by=|--by COLUMN"):
        pick(STUDIES, "compare-ratings", design)
    both = read(
        pd.concat([rated(1).assign(model="base"), rated(2).assign(model="high")]), by="model"
    )
    with pytest.raises(
        InputError, match=r"reference='none' is no level\. There are 'base' and 'high'"
    ):
        run_study(STUDIES["compare-ratings"], both, replace(FAST, reference="none"))


def test_same_numbers_in_any_order_of_rows_and_signs_swap_with_the_reference() -> None:
    one, two = rated(1), rated(2, 0.8)
    first = ratings_difference(read(one), read(two), labels=("1", "2"), **FAST.chosen())
    again = ratings_difference(
        read(one.sample(frac=1, random_state=1)), read(two), labels=("1", "2"), **FAST.chosen()
    )
    back = ratings_difference(read(two), read(one), labels=("2", "1"), **FAST.chosen())
    assert first.rows == again.rows
    for row, other in zip(first.rows, back.rows, strict=True):
        assert row.estimate == pytest.approx(-(other.estimate or 0.0))
        assert row.p_value == pytest.approx(other.p_value)


def test_differences_that_do_not_vary_and_few_units_are_said() -> None:
    """One model always 5, the other always 1: the largest difference there is, without an error."""
    high, low = (rated(1).assign(value=value) for value in (5, 1))
    both = read(pd.concat([low.assign(model="base"), high.assign(model="high")]), by="model")
    found = run_study(STUDIES["compare-ratings"], both, FAST)
    assert found.answer[0].startswith(
        "The difference in the mean rating between high and base was 4.00, no interval: the resamples are alike"
    )
    few = pd.concat([rated(1).assign(model="base"), rated(2).assign(model="high")])
    few = few[few["unit"].isin(["u00", "u01"])]
    found = run_study(STUDIES["compare-ratings"], read(few, by="model"), FAST)
    assert "SS312" in {c.code for c in found.cautions}
    shares = [
        r
        for b in found.blocks
        for result in b.results
        for r in result.rows
        if r.term.startswith("share of")
    ]
    assert all(-1 <= (r.conf_low or 0) <= (r.conf_high or 0) <= 1 for r in shares)


def test_a_level_is_between_0_and_1() -> None:
    for level in (95.0, 1.0, 0.0, float("nan")):
        with pytest.raises(InputError, match="level must be between 0 and 1"):
            replace(FAST, level=level)


def test_the_answer_names_the_kind_that_differs_most() -> None:
    """Shares of levels led where alpha differed most: second raters that answer at random keep mean and shares."""
    rng = np.random.default_rng(3)
    plain, noisy = rated(1, noise=0.3).assign(model="a"), rated(1, noise=0.3).assign(model="b")
    noisy.loc[noisy["rater"] != "run 0", "value"] = rng.permutation(
        noisy.loc[noisy["rater"] != "run 0", "value"]
    )
    design = read(pd.concat([plain, noisy]), by="model")
    answer = run_study(STUDIES["compare-ratings"], design, replace(FAST, verify=False)).answer
    assert "mean rating" in answer[0]
    assert "alpha" in answer[1]

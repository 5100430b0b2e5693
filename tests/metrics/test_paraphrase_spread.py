"""Spread over wordings: R's values, loops, simulated truth, what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from socialstats import Ratings, paraphrase_spread, trait_ratings
from socialstats.datasets import staged_values, staged_values_truth
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.scales.trait_weights import TRAIT_WEIGHTS
from tests.golden_data import golden, golden_frame

R = golden("traits")
WEIGHTS = R["weights"]
FIELDS = ("estimate", "std_error", "conf_low", "conf_high", "statistic", "df", "p_value")


def scores() -> pd.DataFrame:
    return golden_frame("trait_scores.csv")


def spread(rows=None, cluster=(), **options):
    rows = scores() if rows is None else rows
    design = trait_ratings(rows, traits=list(WEIGHTS), cluster=cluster)
    return paraphrase_spread(design, weights=WEIGHTS, **{"change": ("first", "last"), **options})


def agrees(row, entry, fields=FIELDS):
    for field in fields:
        assert getattr(row, field) == pytest.approx(entry[field], rel=R["rtol"], abs=1e-12), field
    assert row.n == entry["n"]


def test_levels_and_change_are_those_of_r():
    result = spread()
    for stage, entry in R["spread"].items():
        agrees(result.row(stage, group="spread"), entry, FIELDS[:4])
    entry = R["spread_change"]
    agrees(result.row("first minus last", group="change"), entry)
    size = result.row("d_z", group="change")
    assert size.estimate == pytest.approx(entry["d_z"], rel=1e-10)
    assert [size.conf_low, size.conf_high] == pytest.approx(entry["d_z_ends"], rel=1e-6)
    ranks = result.row("wilcoxon")
    assert (ranks.statistic, ranks.p_value) == pytest.approx(
        (R["wilcoxon"]["v"], R["wilcoxon"]["p"]), rel=1e-10
    )
    assert "greater, exact" in ranks.method


def test_answers_as_units_are_those_of_r():
    result = spread(unit_of_analysis="answer")
    agrees(result.row("first minus last", group="change"), R["spread_change_answers"])
    ranks, entry = result.row("wilcoxon"), R["wilcoxon_answers"]
    assert (ranks.statistic, ranks.p_value) == pytest.approx((entry["v"], entry["p"]), rel=1e-10)
    assert result.verify().ok


def test_by_loops():
    rows, result = scores(), spread()
    found = {}
    for key, own in rows.groupby(["model", "scenario", "stage"]):
        values = [
            np.mean([sum(w * (r[t] - 10) for t, w in WEIGHTS.items()) for _, r in one.iterrows()])
            for _, one in own.groupby("wording")
        ]
        found[key] = np.sqrt(sum((v - np.mean(values)) ** 2 for v in values) / 2)
    for stage in ("baseline", "first", "last"):
        for model in ("left", "right"):
            own = [v for (m, _, s), v in found.items() if (m, s) == (model, stage)]
            row = result.row(model, group=f"spread: {stage}")
            assert row.estimate == pytest.approx(np.mean(own), abs=1e-10)
            assert row.std_error == pytest.approx(np.std(own, ddof=1) / np.sqrt(7), abs=1e-10)
        squares = [v**2 for (_, _, s), v in found.items() if s == stage]
        assert result.extras["pooled_sd"][stage] == pytest.approx(np.sqrt(np.mean(squares)))


@pytest.mark.parametrize(
    "options",
    [
        {"unit_of_analysis": "model"},
        {"ci": "bca", "resamples": 200},
        {"alternative": "two_sided"},
        {"change": None},
        {"alternative": "less", "stages": ["last", "first"]},
        {"free_weights": True, "centre": 2.0},
    ],
)
def test_verified_under_every_option(options):
    verification = spread(**options).verify()
    assert verification.ok, verification.tidy().to_string()


def test_clusters_of_scenarios():
    rows = scores()
    rows["topic"] = rows["scenario"].map(dict(zip("abcdefg", "xxyyyzv", strict=True)))
    result = spread(rows, cluster="topic")
    row = result.row("first minus last", group="change")
    assert row.n_clusters == 4
    assert "clustered" in result.row("wilcoxon").undefined
    assert result.verify().ok
    answers = spread(rows, cluster="scenario", unit_of_analysis="answer")
    assert answers.row("first minus last", group="change").n_clusters == 7
    assert answers.row("first minus last", group="change").estimate == pytest.approx(row.estimate)
    assert answers.verify().ok
    alone = spread(rows, cluster=()).row("first minus last", group="change")
    # equal clusters of two answers: the scenario means say the same
    assert answers.row("first minus last", group="change").std_error == pytest.approx(
        alone.std_error
    )


def test_change_goes_from_first_to_second():
    one = spread().row("first minus last", group="change")
    two = spread(change=("last", "first"), alternative="less").row(
        "last minus first", group="change"
    )
    assert two.estimate == pytest.approx(-one.estimate)
    assert two.p_value == pytest.approx(one.p_value)
    assert spread(change=None).settings["change"] == ("baseline", "last")


def values_of(judge_values):
    """Ratings without traits: (scenario, stage, wording) -> value by one judge."""
    keys = [(s, t, w) for s in "abc" for t in ("first", "last") for w in (1, 2)]
    rows = pd.DataFrame(keys, columns=["scenario", "stage", "wording"]).assign(
        value=judge_values, judge="j"
    )
    rows["unit"] = range(len(rows))
    return rows


def test_values_without_traits_by_hand():
    """Spreads |a - b|/sqrt(2): 6, 2, 0 at first and 0, 0, 0 at last, over sqrt(2)."""
    rows = values_of([0, 6, 1, 1, 3, 5, 2, 2, 4, 4, 7, 7])
    design = Ratings.from_frame(rows, strata=["scenario", "stage", "wording"])
    result = paraphrase_spread(design, model=None, trait=None)
    assert result.row("first", group="spread").estimate == pytest.approx(8 / 3 / np.sqrt(2))
    assert result.row("last", group="spread").estimate == pytest.approx(0)
    assert "no standard error" in result.row("last", group="spread").undefined
    assert result.row("wilcoxon").statistic == 3  # ranks 1 and 2; the change of 0 is left out
    assert result.verify().ok
    with pytest.raises(InputError, match="weights= need traits"):
        paraphrase_spread(design, model=None, trait=None, weights={"a": 1})


def test_no_change_at_all_has_no_test():
    rows = values_of([0, 6, 1, 7, 3, 5, 2, 4, 4, 4, 7, 7])
    result = paraphrase_spread(
        Ratings.from_frame(rows, strata=["scenario", "stage", "wording"]), model=None, trait=None
    )
    assert "no test" in result.row("first minus last", group="change").undefined
    assert "nothing to rank" in result.row("wilcoxon").undefined
    assert result.row("d_z").estimate is None
    assert "undefined" not in result.sentence().split(";")[0]


def test_stages_in_one_wording_have_no_spread():
    rows = scores()
    rows = rows[(rows["stage"] != "baseline") | (rows["wording"] == 1)]
    result = spread(rows, change=None)
    assert result.settings["change"] == ("first", "last")
    assert dict(result.extras["wordings"]) == {"first": 3, "last": 3}
    agrees(result.row("first minus last", group="change"), R["spread_change"])
    assert not [c for c in result.cautions if c.code == "SS301"]
    with pytest.raises(InputError, match="stage 'baseline' has no wordings"):
        spread(rows, change=("baseline", "last"))
    with pytest.raises(NothingToAnalyse, match="two wordings"):
        spread(rows[rows["wording"] == 1])


def test_a_question_without_all_wordings_is_left_out_and_counted():
    rows = scores()
    gone = (
        (rows["model"] == "left")
        & (rows["scenario"] == "c")
        & (rows["stage"] == "last")
        & (rows["wording"] == 2)
    )
    result = spread(rows[~gone])
    assert result.row("left", group="spread: last").n == 6
    assert result.row("last", group="spread").n == 6
    assert "1 question without all wordings" in " ".join(c.detail for c in result.cautions)
    assert result.counts["questions"] == 2 * 7 * 3 - 1
    assert result.verify().ok


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"change": "first"}, "change must name two different stages"),
        ({"change": ("first", "first")}, "change must name two different stages"),
        (
            {"unit_of_analysis": "judge"},
            "unit_of_analysis='judge' is not one of scenario, model, answer",
        ),
        ({"alternative": "more"}, "alternative='more'"),
        ({"wording": "phrase"}, "no stratum 'phrase' for the wording"),
        ({"level": 95}, "95"),
        ({"cluster": "village"}, "village"),
    ],
)
def test_options_that_are_refused(options, match):
    with pytest.raises(InputError, match=match):
        spread(**options)


def test_simulated_spread_and_its_fall_are_recovered():
    """Pooled variance: that of the wordings, and of thirty scores; 320 degrees of freedom a stage."""
    truth = staged_values_truth()
    design = trait_ratings(staged_values(), traits=list(TRAIT_WEIGHTS))
    result = paraphrase_spread(design)
    noise = (truth.trait_sd**2 + 1 / 12) * sum(w**2 for w in truth.weights.values()) / 3
    for stage, sd in truth.wording_sd.items():
        found = result.extras["pooled_sd"][stage] ** 2
        assert found / (sd**2 + noise) == pytest.approx(1, abs=4 * np.sqrt(2 / 320))
        # a normal sample of three has a mean sd of sqrt(pi)/2 times the true one
        row = result.row(stage, group="spread")
        expected = np.sqrt(np.pi) / 2 * np.sqrt(sd**2 + noise)
        assert abs(row.estimate - expected) < 4 * row.std_error
    change = result.row("stage 1 minus stage 4", group="change")
    assert change.conf_low > 0
    assert result.row("wilcoxon").p_value < 1e-4
    assert result.verify().ok

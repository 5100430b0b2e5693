"""The multiverse: one estimate under every choice of analysis."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.custom.multiverse import Variant, distinct, ends, moves, multiverse, side
from socialstats.designs.parts import A_WON, TIED
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.results import Result, Row
from socialstats.studies import STUDIES, StudyOptions
from socialstats.studies.multiverse import multiverse_block
from socialstats.studies.role_conflict.variants import ties_for, without_group

FAST = StudyOptions(resamples=200)


def result_of(value: float | None, low: float | None = None, high: float | None = None) -> Result:
    row = Row(
        term="mean",
        estimate=value,
        conf_low=low,
        conf_high=high,
        conf_level=None if low is None else 0.95,
    )
    return Result(metric="sensitivity", title="mean", rows=(row,), inference="made up")


def variant(label: str, choice: str, *values: float | None) -> Variant:
    return Variant(label=label, choice=choice, compute=lambda: result_of(*values))


OWN = variant("own", "own", 1.0, 0.5, 1.5)


def test_the_choice_that_moves_the_estimate_most_is_named_with_its_signed_shift() -> None:
    found = multiverse(
        "sensitivity",
        "the mean",
        [
            OWN,
            variant("a", "ties", 1.2, 0.7, 1.7),
            variant("b", "ties", 0.9, 0.4, 1.4),
            variant("c", "weights", 0.4, -0.1, 0.9),
        ],
        reference=0.0,
        words="zero",
    )
    assert moves(found.rows) == {"weights": -0.6, "ties": 0.2}
    assert [row.term for row in ends(found.rows)] == ["c", "a"]
    said = found.sentence()
    assert said == (
        "Over 4 analysis variants, the mean ranged from 0.40 (c) to 1.20 (a). Weights had the largest effect (−0.60). "
        "On this page it was 1.00. The interval on this page lies above zero, as in 2 other variants. "
        "Exceptions: c (95% CI [−0.10, 0.90])."
    )
    assert list(found.tidy()["term"]) == ["own", "a", "b", "c"]


@pytest.mark.parametrize(
    ("low", "high", "where"), [(1, 2, "above"), (-2, -1, "below"), (-1, 1, "holds")]
)
def test_side(low: float, high: float, where: str) -> None:
    assert side(Row(term="x", estimate=0.0, conf_low=low, conf_high=high), 0.0) == where
    assert side(Row(term="x", estimate=0.0), 0.0) == "unknown"


def test_an_undefined_variant_is_a_row_with_its_reason_and_the_own_analysis_must_exist() -> None:
    def fails() -> Result:
        raise UndefinedStatistic("nothing is left\nsecond line")

    broken = Variant(label="without x", choice="leaving out", compute=fails)
    found = multiverse("sensitivity", "the mean", [OWN, broken], reference=0.0)
    assert found.rows[1].undefined == "nothing is left"
    multiverse_block(found, id="m", question="?", quantity="mean").draw()  # type: ignore[misc]
    with pytest.raises(UndefinedStatistic, match="nothing is left"):
        multiverse("sensitivity", "the mean", [broken, OWN], reference=0.0)


def test_a_variant_without_the_number_is_a_row_with_its_reason() -> None:
    def lead(result: Result) -> Row:
        raise UndefinedStatistic("no unit has an answer of 'm'")

    lacking = Variant(label="without x", choice="leaving out", compute=OWN.compute, lead=lead)
    assert multiverse("sensitivity", "the mean", [OWN, lacking], reference=0.0).rows[
        1
    ].undefined == ("no unit has an answer of 'm'")


def test_variants_need_names_of_their_own() -> None:
    twice = [OWN, variant("same", "x", 1.0), variant("same", "x", 2.0)]
    with pytest.raises(InputError, match="a name of its own"):
        multiverse("sensitivity", "the mean", twice, reference=0.0)
    assert [v.label for v in distinct(twice)] == ["own", "same", "same (2)"]


def tied_design() -> ss.Comparisons:
    rng = np.random.default_rng(5)
    rows = []
    for i, a in enumerate("abcdef"):
        for j, b in enumerate("abcdef"):
            for _ in range(6 if i != j else 0):
                ua, ub = rng.integers(1, 4, 2)
                chance = 1 / (1 + np.exp(-(0.8 * (ua - ub) + 0.2 * (j - i))))
                won = "tie" if rng.random() < 0.2 else a if rng.random() < chance else b
                rows.append(
                    (a, b, won, ua, ub, "early" if i < 3 else "late", "early" if j < 3 else "late")
                )
    names = ["item_a", "item_b", "winner", "urgency_a", "urgency_b", "team_a", "team_b"]
    return ss.Comparisons.from_frame(pd.DataFrame(rows, columns=names))


def test_ties_can_count_for_either_side() -> None:
    design = tied_design()
    c = design.covariates["urgency"]
    unequal = int(design.count[(design.outcome == TIED) & (c.a != c.b)].sum())
    a_more = int(design.count[(design.outcome == TIED) & (c.a > c.b)].sum())
    for sign, gained in ((1, a_more), (-1, unequal - a_more)):
        made = ties_for(design, "urgency", sign)
        assert made.n_rows == design.n_rows
        assert made.n_ties == design.n_ties - unequal
        wins = int(made.count[made.outcome == A_WON].sum()) - int(
            design.count[design.outcome == A_WON].sum()
        )
        assert wins == gained


def test_leaving_out_a_group_leaves_no_comparison_of_its_items() -> None:
    design = ss.Comparisons.from_frame(ss.datasets.role_conflict())
    groups = design.group_of("domain")
    left = without_group(design, groups, "family")
    assert not {item for item in left.items if groups[item] == "family"}
    frame = ss.datasets.role_conflict()
    assert left.n_rows == int(((frame.domain_a != "family") & (frame.domain_b != "family")).sum())


def test_multiverse_of_a_table_with_ties_brackets_the_estimate_by_both_ways_of_counting_them() -> (
    None
):
    outcome = STUDIES["role-conflict"].run(tied_design(), replace(FAST, ties="half"))
    s, step = (
        next(b for b in outcome.blocks if b.id == i).results[0]
        for i in ("multiverse-s", "multiverse-urgency")
    )
    for found, closer, farther in ((s, "lower", "higher"), (step, "higher", "lower")):
        terms = {row.term: row.estimate for row in found.rows}
        own = terms["as on this page"]
        high, low = (
            terms[f"ties count for the {closer} urgency"],
            terms[f"ties count for the {farther} urgency"],
        )
        assert low < own < high  # type: ignore[operator]
        assert {row.group for row in found.rows} >= {"ties", "clusters"}
        assert found.verify().ok
    again = ss.sensitivity(
        ties_for(tied_design(), "urgency", 1), resamples=200, seed=FAST.seed
    ).row("S_corrected")
    row = next(r for r in s.rows if r.term == "ties count for the higher urgency")
    assert (row.estimate, row.conf_low, row.conf_high) == (
        again.estimate,
        again.conf_low,
        again.conf_high,
    )


def test_a_wrong_row_is_noticed() -> None:
    outcome = STUDIES["role-conflict"].run(tied_design(), replace(FAST, verify=False))
    found = next(b for b in outcome.blocks if b.id == "multiverse-s").results[0]
    assert found.verify().ok
    wrong = replace(
        found, rows=(found.rows[0], replace(found.rows[1], estimate=0.01), *found.rows[2:])
    )
    assert not wrong.verify().ok


def test_an_interval_that_misses_the_reference_by_a_hair_is_written_so_that_it_does() -> None:
    def variant(label: str, low: float, high: float) -> Variant:
        row = Row(
            term="m", estimate=(low + high) / 2, conf_low=low, conf_high=high, conf_level=0.95
        )
        return Variant(
            label=label, choice=label, compute=lambda: Result(metric="x", title="x", rows=(row,))
        )

    found = multiverse(
        "x",
        "the mean",
        [variant("own", -0.5, 0.2), variant("near", -0.3, -0.0004), variant("far", -0.3, -0.1)],
        reference=0.0,
    )
    assert (
        "near (95% CI [\u22120.3000, \u22120.0004]) and far (95% CI [\u22120.30, \u22120.10])"
        in found.sentence()
    )


def test_variants_without_any_effect_are_one_value() -> None:
    same = [
        OWN,
        variant("other seed", "seed", 1.0, 0.4, 1.6),
        variant("bootstrap", "ci", 1.0, 0.6, 1.4),
    ]
    said = multiverse("sensitivity", "the mean", same, reference=0.0, words="0").sentence()
    assert said == (
        "The mean was 1.00 under all 3 analysis variants. The interval on this page lies above 0, as in all 2 other "
        "variants."
    )


def test_without_each_cluster_are_the_means_of_the_pairs_that_are_left() -> None:
    """By loops over the pairs, of which some are alike, in clusters of unequal size."""
    rng = np.random.default_rng(8)
    rows = pd.DataFrame(
        {
            "new": rng.integers(1, 6, 23) / 2.0,
            "old": rng.integers(1, 6, 23) / 2.0,
            "story": [*"aabbbcccccddddddddddddd"],
        }
    )
    rows = pd.concat([rows, rows.iloc[:4]]).assign(unit=range(27))
    design = ss.Paired.from_wide(rows, first="new", second="old", unit="unit", cluster="story")
    found = ss.leave_one_out(design, cluster="story")
    gap = rows["new"] - rows["old"]
    wanted = {story: gap[rows["story"] != story] for story in "abcd"}
    order = sorted(wanted, key=lambda story: wanted[story].mean())
    assert [row.term for row in found.rows] == order
    for row in found.rows:
        assert (row.estimate, row.n) == (
            pytest.approx(wanted[row.term].mean(), rel=1e-12),
            len(wanted[row.term]),
        )
        assert (row.role, row.key) == ("component", (("without", row.term),))
    low, high = (
        f"{wanted[story].mean():.2f}".replace("-", "\u2212") for story in (order[0], order[-1])
    )
    whole = f"{gap.mean():.2f}".replace("-", "\u2212")
    assert found.sentence() == (
        f"The difference was {whole}. Omitting one story at a time gave {low} (without '{order[0]}') to {high} "
        f"(without '{order[-1]}')."
    )
    assert found.verify().ok
    one = ss.Paired.from_wide(
        rows[rows["story"] == "a"], first="new", second="old", unit="unit", cluster="story"
    )
    with pytest.raises(UndefinedStatistic, match="all pairs are in one story"):
        ss.leave_one_out(one, cluster="story")

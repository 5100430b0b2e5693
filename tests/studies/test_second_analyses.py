"""The answer names a second analysis that turns a conclusion, and an interval and a test that disagree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from study_examples import FAST

import socialstats as ss
from socialstats.designs.files import read_paired
from socialstats.results import Row
from socialstats.scales.leaderboard import difference_of
from socialstats.sentences import is_significant
from socialstats.studies import STUDIES, run_study
from socialstats.studies.second import other_first, turns
from socialstats.tables import as_table


def test_few_discordant_pairs_make_the_interval_approximate() -> None:
    first, second = [1] * 99 + [0], [1] * 95 + [0] * 5
    design = read_paired({"cot": first, "plain": second}, first="cot", second="plain")
    outcome = run_study(STUDIES["paired"], design, FAST)
    assert "score approximate 95% CI [.002, .098], mid-p test p = .062" in outcome.answer[0]
    assert not any("chi-square" in said for said in outcome.answer)
    block = outcome.blocks[0]
    assert "under the second condition only: the odds ratio is infinite" in block.sentences[0]
    assert (
        "Interval of odds ratio: exact interval. Interval of Cohen's g: Wilson's interval."
        in (outcome.methods[1])
    )


def test_clusters_weighing_alike_that_turn_the_sign_stand_in_the_answer() -> None:
    rng = np.random.default_rng(1)
    ward = ["big"] * 90 + [f"w{k}" for k in range(11) for _ in range(3)]
    gap = np.where(np.array(ward) == "big", 4.0, -2.0) + rng.normal(0, 1, len(ward))
    table = pd.DataFrame({"after": 50 + gap, "before": 50.0, "ward": ward})
    design = read_paired(table, first="after", second="before", cluster="ward")
    said = run_study(STUDIES["paired"], design, FAST).answer
    assert said[-1].startswith("With clusters weighing alike, the difference was \u2212")


def test_a_leader_that_depends_on_the_weights_of_tasks_stands_in_the_answer() -> None:
    right = {"kilo": (163, 12, 12), "lima": (228, 10, 10), "mike": (160, 7, 7)}
    sizes = {"huge": 400, "tiny1": 15, "tiny2": 15}
    rows = [
        (model, f"{task}{k}", float(k < n), task)
        for model, wins in right.items()
        for (task, size), n in zip(sizes.items(), wins, strict=True)
        for k in range(size)
    ]
    table = pd.DataFrame(rows, columns=["model", "item", "score", "task"])
    design = ss.Ratings.from_frame(
        table, rater="model", unit="item", value="score", strata="task", scale="interval"
    )
    outcome = run_study(STUDIES["leaderboard"], design, FAST)
    assert any(
        said.startswith("With units weighted equally, lima had the highest mean score")
        for said in outcome.answer
    )
    lead = next(block for block in outcome.blocks if block.id == "lead")
    # the runner-up, not the last model
    assert lead.tables[0].rows[0].label("minus") == "lima"
    assert "between kilo and lima" in outcome.planning[0]
    # the key of a difference that the result has the other way around is turned with its sign
    pairs = [("kilo", "mike"), ("mike", "kilo")]
    one, other = (difference_of(outcome.blocks[0].results[0], *pair) for pair in pairs)
    assert (one.estimate or 0.0) == -(other.estimate or 0.0)
    assert [(row.label("model"), row.label("minus")) for row in (one, other)] == pairs


def test_a_task_without_variation_is_named_beside_the_standard_error() -> None:
    rows = [
        (m, f"{t}{k}", float(t == "law" or (k + s) % 3 > 0), t)
        for s, m in enumerate(("dog", "bee"))
        for t in ("law", "art")
        for k in range(20)
    ]
    table = pd.DataFrame(rows, columns=["model", "item", "score", "task"])
    design = ss.Ratings.from_frame(
        table, rater="model", unit="item", value="score", strata="task", scale="interval"
    )
    block = run_study(STUDIES["leaderboard"], design, FAST).blocks[0]
    assert "Tasks whose scores are all equal add nothing to the SE of bee and dog." in block.caption


def test_without_clusters_the_plan_of_compared_ratings_is_of_units() -> None:
    rng = np.random.default_rng(2)
    rows = [
        (u, r, p, int(rng.integers(1, 6)))
        for u in range(30)
        for r in ("x", "y", "z")
        for p in ("long", "short")
    ]
    table = pd.DataFrame(rows, columns=["unit", "rater", "prompt", "value"])
    design = ss.Ratings.from_frame(table, by="prompt", levels=[1, 2, 3, 4, 5])
    said = " ".join(run_study(STUDIES["compare-ratings"], design, FAST).planning)
    assert (
        "To know the difference in mean rating between short and long twice as precisely, collect about"
        in said
    )
    assert said.endswith("more units.")


def two_models() -> ss.Ratings:
    """Choices of 12 people and of two models, one of which refuses nearly everything."""
    rng = np.random.default_rng(3)
    sides = np.array(["against", "for"])
    rows = [
        (f"s{u}", f"p{r}", "human", sides[int(rng.random() < 0.5)])
        for u in range(30)
        for r in range(12)
    ]
    rows += [
        (f"s{u}", m, m, sides[int(rng.random() < 0.6)])
        for m in ("mA", "mB")
        for u in range(30 if m == "mA" else 3)
    ]
    table = pd.DataFrame(rows, columns=["unit", "rater", "source", "value"])
    table["area"] = np.where(table["unit"].str[1:].astype(int) % 2, "work", "home")
    return ss.Ratings.from_frame(table, rater_source="source", scale="nominal", strata="area")


def test_sentences_about_two_models_say_whose_they_are_and_cautions_keep_their_names() -> None:
    outcome = run_study(STUDIES["norm-goal"], two_models(), FAST)
    assert outcome.title == "How similar were the choices of mA, mB and human raters?"
    texts = [text for block in outcome.blocks for text in block.sentences]
    for model in ("mA", "mB"):
        assert any(f"difference of {model} was for '" in text for text in texts)
    (rare,) = (c.detail for c in outcome.cautions if "gave a level to fewer" in c.detail)
    assert rare.startswith("'mB' gave")
    captions = [
        t.caption
        for block in outcome.blocks
        for t in block.tables
        if t.caption.startswith("Any difference")
    ]
    assert any(
        caption.endswith("; p (Holm): within each source, over levels of area")
        for caption in captions
    )


def test_a_single_bias_is_not_adjusted() -> None:
    rows = [
        (s, k, *sides, 1 if (s + k * j) % 3 else -1)
        for s in range(8)
        for k in range(4)
        for j, sides in enumerate((("woman", "man"), ("man", "woman")))
    ]
    frame = pd.DataFrame(
        rows, columns=["scenario", "pair", "group_first", "group_second", "answer"]
    )
    read = STUDIES["relationship-bias"].read
    assert read is not None
    outcome = run_study(STUDIES["relationship-bias"], read(as_table(frame)), FAST)
    assert not any("p_Holm" in said for said in outcome.answer)
    assert "p (Holm)" not in outcome.blocks[0].tables[0].caption
    assert "Holm" not in outcome.methods[0]
    assert "p (Holm)" not in outcome.blocks[0].tables[0].header
    assert "p" in outcome.blocks[0].tables[0].header


def test_items_with_few_comparisons_are_named_with_their_number() -> None:
    rng = np.random.default_rng(4)
    pairs = [(a, b) for a in "pqr" for b in "pqr" if a < b for _ in range(20)] + [
        ("p", "z"),
        ("q", "z"),
        ("z", "r"),
    ]
    table = {
        "item_a": [a for a, _ in pairs],
        "item_b": [b for _, b in pairs],
        "winner": [rng.choice(pair) for pair in pairs],
    }
    few = next(c for c in ss.bradley_terry(table, penalty="firth").cautions if c.code == "SS103")
    assert (few.detail, few.rows) == ("fewer than 10 comparisons: 'z' (3)", ("z",))


def test_the_order_effect_has_no_steps() -> None:
    rng = np.random.default_rng(5)
    pairs = [(a, b, p) for p in ("x", "y") for a in "kl" for b in "mno" for _ in range(12)]
    table = pd.DataFrame(pairs, columns=["item_a", "item_b", "prompt"])
    table["winner"] = [row[rng.integers(2)] for row in pairs]
    table["order"] = [row[rng.integers(2)] for row in pairs]
    design = ss.Comparisons.from_frame(table, by="prompt")
    page = run_study(STUDIES["compare"], design, FAST)
    texts = [text for block in page.blocks for text in (*block.sentences, block.figure_title)]
    assert any("effect of being shown first on the log-odds" in text for text in texts)
    assert not any("step of order" in text for text in texts)


def test_refusals_that_turn_a_difference_stand_in_the_answer() -> None:
    """A source refused in 8 of 24 units: without these its shares are people's; counted one way they differ."""
    rows = [
        (f"u{u}", f"h{k}", "human", "comply" if k < 2 else "deviate")
        for u in range(24)
        for k in range(4)
    ]
    given = {0: ("comply", "comply"), 1: ("deviate", "deviate")} | dict.fromkeys(
        range(16, 24), ("I cannot",) * 2
    )
    rows += [
        (f"u{u}", f"m{k}", "m", given.get(u, ("comply", "deviate"))[k])
        for u in range(24)
        for k in range(2)
    ]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "source", "value"])
    design = ss.Ratings.from_frame(
        frame, scale="nominal", rater_source="source", refusal="I cannot"
    )
    outcome = run_study(STUDIES["norm-goal"], design, FAST)
    block = next(b for b in outcome.blocks if b.id == "refusals")
    own, against, favour = (
        r
        for result in block.results
        for r in result.rows
        if r.role == "difference" and r.term == "comply"
    )
    assert [r.estimate for r in (own, against, favour)] == pytest.approx([0.0, -4 / 24, 4 / 24])
    assert [is_significant(r) for r in (own, against, favour)] == [False, True, True]
    texts = tuple(analysis.text for analysis in block.turned)
    assert outcome.answer[-2:] == texts
    for said, how in zip(texts, ("against", "for"), strict=True):
        assert said.startswith(
            f"With all refusals counted {how} it, the difference of shares of 'comply', m minus"
        )


def couples(refuse: float) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    rows = [
        (f"s{s}", f"p{k}", a, b, 1 if (rng.random() < 0.7) == (b == "w") else -1)
        for s in range(12)
        for k in range(8)
        for a, b in (("m", "w"), ("w", "m"))
    ]
    frame = pd.DataFrame(
        rows, columns=["scenario", "pair", "group_first", "group_second", "answer"]
    )
    return frame.assign(answer=np.where(rng.random(len(frame)) < refuse, None, frame["answer"]))


def test_missing_answers_that_turn_a_bias_stand_in_the_answer() -> None:
    study = STUDIES["relationship-bias"]
    assert study.read is not None
    few, many = (
        run_study(study, study.read(as_table(couples(share))), FAST) for share in (0.02, 0.4)
    )
    assert not any("missing answers counted" in said for said in few.answer)
    assert many.answer[-1].startswith("With all missing answers counted for 'm', B of m - w was ")


def test_one_rule_decides_which_analysis_turns_a_conclusion() -> None:
    own = Row(term="d", estimate=0.6, conf_low=0.55, conf_high=0.65, p_value=0.03, p_adjusted=0.2)
    assert not turns(own, replace(own, estimate=0.7, conf_high=0.8), 0.5)
    assert turns(
        own, replace(own, estimate=0.4, conf_low=0.35, conf_high=0.45), 0.5
    )  # the other side
    assert turns(own, replace(own, p_adjusted=0.04), 0.5)  # significance
    assert turns(own, replace(own, conf_low=0.45), 0.5)  # the interval
    assert not turns(own, Row(term="d", undefined="no data"), 0.5)
    first, second = (
        [Row(term=name, estimate=x) for name, x in found]
        for found in ((("a", 2.0), ("b", 1.0)), (("b", 2.0), ("a", 1.0)))
    )
    assert other_first(first, second)
    assert not other_first(first, [replace(row, estimate=1.0) for row in second])  # tied

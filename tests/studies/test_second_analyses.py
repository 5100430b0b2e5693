"""The answer names a second analysis that turns a conclusion, and an interval and a test that disagree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from study_examples import FAST

import socialstats as ss
from socialstats.designs.calls import read_paired
from socialstats.results import Row
from socialstats.sentences import significant
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
    assert "under plain only, so the matched odds ratio was infinite." in block.sentences[0]
    assert "odds ratio: exact interval and Cohen's g: Wilson's interval" in block.tables[0].caption


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
        for model, wins in right.items() for (task, size), n in zip(sizes.items(), wins, strict=True)
        for k in range(size)
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["model", "item", "score", "task"])
    design = ss.Ratings.from_frame(table, rater="model", unit="item", value="score", strata="task", scale="interval")
    outcome = run_study(STUDIES["leaderboard"], design, FAST)
    assert any(said.startswith("With units weighted equally, lima ranked first") for said in outcome.answer)


def test_refusals_that_turn_a_difference_stand_in_the_answer() -> None:
    """A source refused in 8 of 24 units: without these its shares are people's; counted one way they differ."""
    rows = [(f"u{u}", f"h{k}", "human", "comply" if k < 2 else "deviate") for u in range(24) for k in range(4)]
    given = {0: ("comply", "comply"), 1: ("deviate", "deviate")} | dict.fromkeys(range(16, 24), ("I cannot",) * 2)
    rows += [(f"u{u}", f"m{k}", "m", given.get(u, ("comply", "deviate"))[k]) for u in range(24) for k in range(2)]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "source", "value"])
    design = ss.Ratings.from_frame(frame, scale="nominal", rater_source="source", refusal="I cannot")
    outcome = run_study(STUDIES["norm-goal"], design, FAST)
    block = next(b for b in outcome.blocks if b.id == "refusals")
    own, against, favour = (r for result in block.results for r in result.rows
                            if r.role == "difference" and r.term == "comply")  # fmt: skip
    assert [r.estimate for r in (own, against, favour)] == pytest.approx([0.0, -4 / 24, 4 / 24])
    assert [significant(r) for r in (own, against, favour)] == [False, True, True]
    assert outcome.answer[-2:] == block.turned
    for said, how in zip(block.turned, ("against", "for"), strict=True):
        assert said.startswith(f"With all refusals counted {how} it, the difference of shares of 'comply', m minus")


def couples(refuse: float) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    rows = [(f"s{s}", f"p{k}", a, b, 1 if (rng.random() < 0.7) == (b == "w") else -1) for s in range(12)
            for k in range(8) for a, b in (("m", "w"), ("w", "m"))]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["scenario", "pair", "group_first", "group_second", "answer"])
    return frame.assign(answer=np.where(rng.random(len(frame)) < refuse, None, frame["answer"]))


def test_missing_answers_that_turn_a_bias_stand_in_the_answer() -> None:
    study = STUDIES["relationship-bias"]
    assert study.read is not None
    few, many = (run_study(study, study.read(as_table(couples(share))), FAST) for share in (0.02, 0.4))
    assert not any("missing answers counted" in said for said in few.answer)
    assert many.answer[-1].startswith("With all missing answers counted for 'm', B of m - w was ")


def test_one_rule_decides_which_analysis_turns_a_conclusion() -> None:
    own = Row(term="d", estimate=0.6, conf_low=0.55, conf_high=0.65, p_value=0.03, p_adjusted=0.2)
    assert not turns(own, replace(own, estimate=0.7, conf_high=0.8), 0.5)
    assert turns(own, replace(own, estimate=0.4, conf_low=0.35, conf_high=0.45), 0.5)  # the other side
    assert turns(own, replace(own, p_adjusted=0.04), 0.5)  # significance
    assert turns(own, replace(own, conf_low=0.45), 0.5)  # the interval
    assert not turns(own, Row(term="d", undefined="no data"), 0.5)
    first, second = ([Row(term=name, estimate=x) for name, x in found] for found in
                     ((("a", 2.0), ("b", 1.0)), (("b", 2.0), ("a", 1.0))))  # fmt: skip
    assert other_first(first, second)
    assert not other_first(first, [replace(row, estimate=1.0) for row in second])  # tied

"""Pages name a second analysis that turns a conclusion round, and an interval and a test that disagree."""

from __future__ import annotations

import numpy as np
import pandas as pd
from study_examples import FAST

import socialstats as ss
from socialstats.designs.calls import read_paired
from socialstats.studies import STUDIES, run_study


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
    assert said[1].startswith("With clusters weighing alike, the difference was \u2212")


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

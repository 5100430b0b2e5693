"""Differences between domains, and what rows alone would claim."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from test_sources_studies import actions, choices_design

from socialstats.inference.compare import with_welch
from socialstats.planning.part_gaps import part_gaps
from socialstats.results import Row
from socialstats.shares.independent_ratings import independent_ratings
from socialstats.shares.sources import human_source
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.studies.norm_goal import base_first, lies_apart
from socialstats.studies.sources import crossed


@pytest.mark.slow
def test_a_difference_of_two_domains_is_welchs_t() -> None:
    """Each scenario counts with the mean share of its stories: equal sizes, so CR2 is the s.e. of the scenarios."""
    frame = actions()
    outcome = run_study(
        STUDIES["norm-goal"], choices_design(frame), StudyOptions(resamples=200, verify=True)
    )
    gaps = next(
        r
        for b in outcome.blocks
        if b.id == "shares-2"
        for r in b.results
        if "between levels" in r.title
    )
    row = next(r for r in gaps.rows if r.group == "model, escalate")
    hit = frame[frame["source"] == "model"].assign(hit=lambda d: d["action"] == "escalate")
    means = hit.groupby(["domain", "scenario"])["hit"].mean()
    test = stats.ttest_ind(means["finance"], means["hiring"], equal_var=False)
    assert row.term == "finance minus hiring"
    assert row.estimate == pytest.approx(means["finance"].mean() - means["hiring"].mean())
    assert (row.statistic, row.df, row.p_value) == pytest.approx(
        (test.statistic, test.df, test.pvalue)
    )
    assert (row.conf_low, row.conf_high) == pytest.approx(tuple(test.confidence_interval()))
    assert gaps.verify().ok
    assert all(v.ok for v in outcome.verifications.values())


def test_pressures_share_their_scenarios_and_domains_do_not() -> None:
    design = crossed(choices_design(actions()))
    assert lies_apart(design, "domain")
    assert not lies_apart(design, "pressure")
    assert base_first(design, None).strata["pressure"].levels == ("none", "goal")
    kept = base_first(design, None)
    labels = [
        [f.levels[c] for c in f.codes.tolist()]
        for f in (design.strata["pressure"], kept.strata["pressure"])
    ]
    assert labels[0] == labels[1]


def test_significant_differences_are_counted() -> None:
    def row(part: str, value: float, error: float) -> Row:
        key = (("source", "model"), ("stratum", part), ("level", "x"))
        return Row(
            term="x", key=key, estimate=value, std_error=error, n_clusters=20, limits=(0.0, 1.0)
        )

    clear = [row("a", 0.2, 0.02), row("b", 0.6, 0.02), row("c", 0.59, 0.02)]
    found = part_gaps(clear, "stratum", "domain", 0.95)
    assert found is not None
    said = found.sentence()
    assert said.startswith(
        "model, x differed most between a (.200) and b (.600), difference = −.400, 95% CI"
    )
    assert said.endswith("2 of 3 differences between levels of domain were significant (Holm).")
    assert with_welch(Row(term="a - b"), row("a", 0.2, 0.02), Row(term="x"), 0.95).undefined
    assert part_gaps([row("a", 0.2, 0.1)], "stratum", "domain", 0.95) is None


def test_ratings_alone_are_independent_ratings() -> None:
    frame = actions()
    design = crossed(choices_design(frame))
    source = human_source(design)
    assert source is not None
    result = independent_ratings(
        design, source=source.name, first="model", second=source.human, choice=design.levels[2]
    )
    row = result.rows[0]
    share = {name: part["action"].eq("escalate") for name, part in frame.groupby("source")}
    error = np.sqrt(sum(s.mean() * (1 - s.mean()) / len(s) for s in share.values()))
    assert row.estimate == pytest.approx(share["model"].mean() - share["human"].mean())
    assert row.std_error == pytest.approx(error)
    assert result.verify().ok
    assert isinstance(frame, pd.DataFrame)


def test_runs_that_repeat_each_other_are_a_caution() -> None:
    """Three runs that always answer alike against people who do not; people who agree more are none."""
    frame = actions()
    runs = frame["source"] == "model"
    first = frame[runs].groupby(["scenario", "pressure"])["action"].transform("first")
    alike = frame.assign(action=frame["action"].where(~runs, first))
    quick = StudyOptions(resamples=200, verify=False)
    outcome = run_study(STUDIES["norm-goal"], choices_design(alike), quick)
    (found,) = [c for c in outcome.cautions if c.code == "SS322"]
    assert "; model 1.000" in found.detail
    assert "by CIs that do not overlap" in found.detail
    swapped = alike.assign(source=alike["source"].map({"human": "model", "model": "human"}))
    outcome = run_study(STUDIES["norm-goal"], choices_design(swapped), quick)
    assert "SS322" not in {c.code for c in outcome.cautions}

"""Logs that harnesses really wrote: every number of theirs, and the mistakes that are in them."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from made_logs import NEEDS_SAMPLES, SAMPLES

from socialstats.claims import check
from socialstats.harness_logs import read_log

pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason=NEEDS_SAMPLES)


def checked(*parts):
    (path,) = SAMPLES.glob("/".join(parts))
    return check(read_log(path))


def verdicts(found, scorer=None):
    return {
        one.claim.name: one.verdict
        for one in found.judged
        if scorer in (None, one.claim.select.get("scorer"))
    }


@pytest.mark.parametrize("which", ["*n7YV*.eval", "*VN9m*.eval"])
def test_inspect_plain_clustered_and_grouped_metrics_to_twelve_digits(which):
    found = checked("inspect", which)
    mine = [one for one in found.judged if one.claim.select.get("scorer") == "choice"]
    assert len(mine) == 15
    for one in mine:
        assert one.verdict == "reproduced", one.sentence()
        assert one.recomputed == pytest.approx(float(one.claim.printed), rel=1e-12)
    assert {
        "stderr (cluster=scenario)",
        "ci lower (cluster=scenario)",
        "mean (mean over gender)",
    } <= set(verdicts(found, "choice"))
    assert all(one.own.cluster == "scenario" for one in mine if one.claim.quantity == "mean")


def test_inspect_mappings_counted_as_zero_are_named():
    found = checked("inspect", "*VN9m*.eval")
    likert = [
        one for one in found.judged if one.claim.select.get("scorer", "").startswith("likert")
    ]
    assert len(likert) == 14
    assert {one.verdict for one in likert} == {"not_reproduced"}
    assert all("comply has mean 0.65625" in one.reason for one in likert)


def test_inspect_second_error_that_was_dropped_is_named_with_our_number():
    found = checked("inspect", "*e3Ya*.json")
    wrong = [one for one in found.judged if one.wrong]
    assert [one.claim.name for one in wrong] == ["stderr (cluster=scenario)"]
    assert wrong[0].verdict == "inconsistent"
    assert wrong[0].recomputed == pytest.approx(0.1227475632577457, rel=1e-12)
    assert sum(one.verdict == "reproduced" for one in found.judged) == len(found.judged) - 1


@pytest.mark.parametrize(
    ("folder", "error"), [("unweighted", 0.11038636861469739), ("weighted", 0.0977072325711014)]
)
def test_lm_eval_tasks_and_groups_to_twelve_digits(folder, error):
    found = checked("lm_eval", f"group_{folder}")
    assert len(found.judged) == 12
    for one in found.judged:
        assert one.verdict == "reproduced", one.sentence()
        assert one.recomputed == pytest.approx(float(one.claim.printed), rel=1e-12)
    assert found.judged[-1].recomputed == pytest.approx(error, rel=1e-12)


def test_an_old_lm_eval_that_pools_an_unweighted_group_is_explained():
    """The unweighted sample with the number that a version before 0.4.13 printed for it."""
    from dataclasses import replace

    log = read_log(SAMPLES / "lm_eval" / "group_unweighted")
    claims = [
        replace(c, printed="0.0977072325711014") if c.parts and c.quantity == "std_error" else c
        for c in log.claims
    ]
    found = check(replace(log, version="0.4.9.1", claims=tuple(claims)))
    (one,) = [one for one in found.judged if one.verdict != "reproduced"]
    assert one.verdict == "explained"
    assert "before 0.4.13" in one.reason


@pytest.mark.parametrize(
    "path",
    [
        "helm/run_1trial",
        "helm/run_3trials",
        "openai_evals/oa_sample.jsonl",
        "deepeval/test_run_sample.json",
    ],
)
def test_numbers_of_the_other_harnesses_stand(path):
    found = check(read_log(SAMPLES / path))
    assert found.judged
    assert {one.verdict for one in found.judged} == {"reproduced"}


def test_promptfoo_weighted_sums_are_not_means():
    found = check(read_log(SAMPLES / "promptfoo" / "out.json"))
    assert found.ok
    helps = [one for one in found.judged if "helps" in one.claim.name]
    assert helps
    assert not any(one.own is not None and one.own.estimate == 8 for one in helps)
    assert any("weighted sum" in note for note in found.notes)

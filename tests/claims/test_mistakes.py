"""The real mistakes of harnesses: each is caught, and named."""

import math
import sys
from pathlib import Path

import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from made_logs import claim, clustered_error, lm_eval_parts, log_of, rows, std_error

from socialstats.claims import check

FAMILY, WORK = [1.0] * 9 + [0.0] * 11, [1.0] * 4 + [0.0] * 4


def pooled(parts):
    """Standard error that lm-eval took for every group before 0.4.13 (pooled_sample_stderr)."""
    total = sum(map(len, parts))
    within = sum((len(p) - 1) * len(p) * std_error(p) ** 2 for p in parts) / (total - len(parts))
    return math.sqrt(within / total)


def group_log(error, version, mean="0.475", **settings):
    frame, parts = lm_eval_parts(FAMILY, WORK)
    claims = (
        claim("mean", mean, name="g: acc,none", select={}, parts=parts, settings=settings),
        claim(
            "std_error",
            repr(error),
            name="g: acc_stderr,none",
            select={},
            parts=parts,
            settings=settings,
        ),
    )
    return log_of(frame, *claims, harness="lm-eval", version=version)


def test_group_error_weighted_by_size_beside_an_unweighted_mean():
    wrong = pooled([FAMILY, WORK])
    assert wrong == pytest.approx(0.0977072325711014, rel=1e-12)
    mean, error = check(group_log(wrong, "0.4.12")).judged
    assert mean.verdict == "reproduced"
    assert error.verdict == "explained"
    assert error.recomputed == pytest.approx(
        math.hypot(std_error(FAMILY), std_error(WORK)) / 2, rel=1e-12
    )
    assert "before 0.4.13" in error.reason
    assert "pooled" in error.definition
    assert error.discriminating


def test_group_error_of_a_fixed_version_is_said_to_be_out_of_place():
    error = check(group_log(pooled([FAMILY, WORK]), "0.4.13")).judged[1]
    assert error.verdict == "not_reproduced"
    assert "it would fit: pooled over all rows" in error.reason
    assert "version 0.4.13 should not" in error.reason


def test_right_group_errors_stand_whether_the_log_says_the_weights_or_only_the_mean_shows_them():
    equal = math.hypot(std_error(FAMILY), std_error(WORK)) / 2
    weighted = repr(13 / 28)
    for log in (
        group_log(equal, "0.4.13"),
        group_log(equal, "0.4.13", by_size=False),
        group_log(pooled([FAMILY, WORK]), "0.4.13", mean=weighted),
        group_log(pooled([FAMILY, WORK]), "0.4.9", mean=weighted, by_size=True),
    ):
        assert [one.verdict for one in check(log).judged] == ["reproduced", "reproduced"]


@pytest.mark.parametrize("n", [None, 307])
def test_error_of_zero_beside_a_share_strictly_between_zero_and_one_without_rows(n):
    """lm-eval issue 3966: algebra_hard, 14 of 307, standard error 0.0."""
    about = {"task": "algebra_hard", "scorer": "exact_match", "filter": "none"}
    claims = (
        claim("mean", repr(14 / 307), select=about, n=n),
        claim("std_error", "0.0", select=about, n=n),
    )
    none = rows([1.0]).iloc[:0]
    mean, error = check(log_of(none, *claims, harness="lm-eval", version="0.4.4")).judged
    assert mean.verdict == "not_computable"
    assert error.verdict == "inconsistent"
    assert ("0.011926" in error.reason) == (n == 307)


def test_error_of_zero_with_rows_that_differ():
    log = log_of(rows([1.0, 0.0, 0.0, 1.0]), claim("mean", "0.5"), claim("std_error", "0.0"))
    assert [one.verdict for one in check(log).judged] == ["reproduced", "inconsistent"]
    assert "0.288675" in check(log).judged[1].reason


def test_error_of_zero_stands_where_all_scores_are_equal_and_for_one_score_of_inspect():
    alike = log_of(rows([0.5, 0.5, 0.5]), claim("mean", "0.5"), claim("std_error", "0.0"))
    assert check(alike).ok
    alone = check(log_of(rows([0.5]), claim("std_error", "0", settings={"undefined": "0"}))).judged[
        0
    ]
    assert alone.verdict == "reproduced"
    assert "a single score or cluster has no standard error: Inspect prints 0" in alone.reason
    given = check(rows([0.5]), [claim("std_error", "0")]).judged[0]
    assert given.verdict == "explained"
    assert "single value" in given.definition


def test_plain_metrics_over_scores_that_are_mappings():
    frame = pd.concat(
        [
            rows([1.0, 1.0, 0.0], scorer="likert/comply"),
            rows([5.0, 4.0, 3.0], scorer="likert/likert"),
        ]
    )
    claims = [claim("mean", "0.0", scorer="likert"), claim("std_error", "0.0", scorer="likert")]
    found = check(log_of(frame, *claims))
    assert [one.verdict for one in found.judged] == ["not_reproduced"] * 2
    for part in ("holds 2 numbers by name", "comply has mean 0.666667", "likert has mean 4"):
        assert part in found.judged[0].reason
    assert not found.ok


def test_declared_clustered_error_that_was_not_printed():
    values, stories = [1.0, 1.0, 0.0, 0.0, 1.0, 0.0], list("aabbcc")
    lost = claim("std_error", "", name="stderr (cluster=story)", settings={"cluster": "story"})
    one = check(
        log_of(rows(values, story=stories), claim("std_error", repr(std_error(values))), lost)
    ).judged[1]
    assert one.verdict == "inconsistent"
    assert "declares it (cluster 'story')" in one.reason
    assert one.recomputed == pytest.approx(clustered_error(values, stories), rel=1e-12)


def test_headline_error_given_as_clustered_ignores_the_clusters():
    values, stories = [1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0], list("aabbccd")
    given = claim(
        "std_error",
        repr(std_error(values)),
        name="score_headline_stderr",
        select={},
        settings={"cluster": "story"},
    )
    one = check(rows(values, story=stories), [given]).judged[0]
    assert one.verdict == "explained"
    assert "the clusters 'story' were ignored" in one.reason
    assert "unclustered" in one.reason
    assert one.recomputed == pytest.approx(clustered_error(values, stories), rel=1e-12)


def test_interval_that_does_not_hold_its_mean():
    log = log_of(
        rows([1.0, 0.0, 1.0]),
        claim("mean", repr(2 / 3)),
        claim("conf_low", "0.7"),
        claim("conf_high", "0.9"),
    )
    low = check(log).judged[1]
    assert low.verdict == "inconsistent"
    assert "lower end lies above the mean" in low.reason


def test_mean_beyond_all_scores_and_mean_that_no_count_gives():
    beyond = check(log_of(rows([3.0, 4.0, 5.0]), claim("mean", "5.7"))).judged[0]
    assert beyond.verdict == "inconsistent"
    assert "between 3 and 5" in beyond.reason
    odd = check(rows([1.0, 0.0, 1.0, 1.0, 1.0]), [claim("mean", "0.77")]).judged[0]
    assert odd.verdict == "inconsistent"
    assert "no whole number of ones among 5" in odd.reason
    wrong = check(rows([1.0, 0.0, 1.0, 1.0, 1.0]), [claim("mean", "0.60")]).judged[0]
    assert wrong.verdict == "not_reproduced"


def test_negative_error():
    assert (
        check(log_of(rows([1.0, 0.0]), claim("std_error", "-0.5"))).judged[0].verdict
        == "inconsistent"
    )


def results_only(
    error,
    version,
    *,
    mean="0.475",
    n=(20, 8),
    part_errors=(0.11413288653790232, 0.1889822365046136),
):
    """A results file of lm-eval without samples: tasks and their group, numbers only."""
    parts = tuple({"task": t, "scorer": "acc", "filter": "none"} for t in ("family", "work"))
    claims = []
    for part, value, one, size in zip(parts, (0.45, 0.5), part_errors, n, strict=True):
        claims.append(claim("mean", value, select=part, n=size))
        claims.append(claim("std_error", repr(one), select=part, n=size))
    claims.append(claim("mean", mean, select={}, parts=parts))
    claims.append(claim("std_error", repr(error), select={}, parts=parts))
    return log_of(rows([1.0]).iloc[:0], *claims, harness="lm-eval", version=version)


def test_groups_are_recomputed_from_the_numbers_of_their_tasks_where_there_are_no_rows():
    found = check(results_only(0.11038636861469739, "0.4.13"))
    assert [one.verdict for one in found.judged[-2:]] == ["reproduced"] * 2
    assert "from the numbers printed for the parts" in found.judged[-1].definition
    tasks = found.judged[:4]
    assert {one.verdict for one in tasks} == {"not_computable"}
    assert "as printed" in tasks[1].reason  # 9 of 20: the error of scores of 0 and 1

    old = check(results_only(pooled([FAMILY, WORK]), "0.4.9")).judged[-1]
    assert old.verdict == "explained"
    assert "before 0.4.13" in old.reason

    weighted = check(results_only(pooled([FAMILY, WORK]), "0.4.9", mean=repr(13 / 28))).judged
    assert [one.verdict for one in weighted[-2:]] == ["reproduced"] * 2


def test_zeros_that_reach_the_group_are_inconsistent_there_too():
    found = check(results_only(0.0, "0.4.4", part_errors=(0.0, 0.0)))
    assert [one.verdict for one in found.judged] == [
        "not_computable",
        "inconsistent",
        "not_computable",
        "inconsistent",
        "reproduced",
        "inconsistent",
    ]


def test_group_without_rows_and_sizes_cannot_be_recomputed_when_it_needs_them():
    found = check(results_only(0.2, "0.4.9", n=(None, None), mean=repr(13 / 28))).judged
    assert found[-2].verdict == "not_computable"
    assert found[-1].verdict == "not_computable"

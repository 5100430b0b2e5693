"""HELM, openai/evals, promptfoo and DeepEval: what their totals are of."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from socialstats.claims import check
from socialstats.errors import InputError
from socialstats.harness_logs import read_log, read_logs
from socialstats.harness_logs.log import Log
from tests.harness_logs.logs import SAMPLES, dump, dump_lines


def real(name: str) -> Log:
    if not (SAMPLES / name).exists():
        pytest.skip("shared/data/harness_samples is not beside the project")
    return read_log(SAMPLES / name)


def stat(name: str, values: list[float], **rest: Any) -> dict[str, Any]:
    n, total = len(values), sum(values)
    mean = total / n
    spread = max(0.0, sum(v * v for v in values) / n - mean * mean)
    return {
        "name": {"name": name, "split": "test", **rest},
        "count": n,
        "sum": total,
        "mean": mean,
        "variance": spread,
        "stddev": math.sqrt(spread),
    }


def helm(folder: Path, trials: list[list[float]]) -> Path:
    bent = {"name": "typos", "computed_on": "perturbed"}
    instances = [
        {"instance_id": f"id{k}", "train_trial_index": t, "stats": [stat("exact_match", [v])]}
        for t, values in enumerate(trials)
        for k, v in enumerate(values)
    ]
    instances += [
        {
            "instance_id": "id0",
            "train_trial_index": t,
            "perturbation": bent,
            "stats": [
                stat("exact_match", [0.0], perturbation=bent),
                {"name": {"name": "empty"}, "count": 0, "sum": 0},
            ],
        }
        for t in range(len(trials))
    ]
    worst = stat("exact_match", [0.0], perturbation={**bent, "computed_on": "worst"})
    stats = [
        stat("exact_match", [float(np.mean(t)) for t in trials]),
        worst,
        stat("inference_runtime", [1.0]),
    ]
    dump(folder / "stats.json", stats)
    dump(
        folder / "run_spec.json",
        {"name": "mmlu:x", "adapter_spec": {"model": "org/m", "num_train_trials": len(trials)}},
    )
    dump(folder / "per_instance_stats.json", instances)
    return folder


def test_helm_rows_are_instances_and_its_count_is_trials(tmp_path: Path) -> None:
    log = read_log(helm(tmp_path / "run", [[1, 0, 1, 1], [0, 0, 1, 0]]))
    mine = log.rows[(log.rows["scorer"] == "exact_match") & (log.rows["filter"] == "")]
    assert (len(mine), mine["unit"].nunique(), sorted(mine["epoch"].unique())) == (8, 4, ["1", "2"])
    assert set(log.rows["model"]) == {"org/m"}
    assert set(log.rows["task"]) == {"mmlu:x"}
    claims = {c.name: c for c in log.claims}
    trials = mine.groupby("epoch")["value"].mean()
    assert set(claims) == {"exact_match mean", "exact_match stddev", "exact_match count"}
    assert float(claims["exact_match mean"].printed) == trials.mean()
    assert float(claims["exact_match stddev"].printed) == pytest.approx(trials.std(ddof=0))
    assert (claims["exact_match count"].printed, claims["exact_match count"].quantity) == (
        "2",
        "count",
    )
    assert dict(claims["exact_match mean"].select) == {
        "scorer": "exact_match",
        "filter": "",
        "split": "test",
        "sub_split": "",
    }
    assert "counts train trials (2), not instances (4)" in log.notes[0]
    assert set(log.rows[log.rows["filter"] == "typos"]["unit"]) == {"id0"}
    assert set(log.rows[log.rows["scorer"] == "empty"]["status"]) == {"unscored"}


def test_helm_says_that_a_spread_of_one_trial_is_none(tmp_path: Path) -> None:
    log = read_log(helm(tmp_path, [[1, 0, 1, 1]]) / "stats.json")
    assert "with one trial it is 0" in log.notes[0]
    assert next(c.printed for c in log.claims if c.quantity == "std_dev") == "0.0"


def test_helm_runs_of_a_suite_are_several_logs(tmp_path: Path) -> None:
    helm(tmp_path / "suite" / "a", [[1, 0]])
    helm(tmp_path / "suite" / "b", [[1, 1]])
    assert [log.files[0] for log in read_logs(tmp_path)] == ["a/stats.json", "b/stats.json"]
    with pytest.raises(InputError, match=r"2 logs in this folder .*Name one of them"):
        read_log(tmp_path)


def test_helm_without_instances_says_what_is_missing(tmp_path: Path) -> None:
    folder = helm(tmp_path, [[1, 0]])
    (folder / "per_instance_stats.json").unlink()
    with pytest.raises(InputError, match=r"no per_instance_stats\.json beside stats\.json"):
        read_log(folder / "stats.json")


@pytest.mark.parametrize(
    ("name", "trials", "mean"), [("run_1trial", 1, 0.6), ("run_3trials", 3, 0.6833333333333332)]
)
def test_helm_real_runs(name: str, trials: int, mean: float) -> None:
    log = real(f"helm/{name}")
    mine = log.rows[(log.rows["scorer"] == "exact_match") & (log.rows["filter"] == "")]
    assert len(mine) == 20 * trials
    assert mine["value"].mean() == pytest.approx(mean, rel=1e-12)
    assert [c.printed for c in log.claims if c.quantity == "count"] == [str(trials)] * 4


def event(sample: str, kind: str, data: dict[str, Any], run: str = "r1") -> dict[str, Any]:
    return {"run_id": run, "event_id": 0, "sample_id": sample, "type": kind, "data": data}


SPEC = {"spec": {"completion_fns": ["gpt-x"], "eval_name": "toy.dev.v0", "run_config": {"seed": 1}}}


def test_openai_evals_rows_follow_samples_not_threads(tmp_path: Path) -> None:
    events = [
        SPEC,
        event("toy.10", "match", {"correct": True, "picked": "A", "expected": "A"}),
        event("toy.9", "sampling", {"prompt": "?"}),
        event("toy.9", "match", {"correct": False, "picked": None, "expected": "B"}),
        event("toy.11", "sampling", {"prompt": "?"}),
        event("toy.12", "error", {"type": "Timeout", "message": "x"}),
        event("toy.9", "match", {"correct": True, "picked": "B", "expected": "B"}),
        {
            "final_report": {"accuracy": 0.6666666666666666, "boostrap_std": 0.2, "f1": 0.1},
            "run_id": "r1",
        },
    ]
    log = read_log(dump_lines(tmp_path / "x.jsonl", events))
    assert list(zip(log.rows["unit"], log.rows["epoch"], log.rows["status"], strict=True)) == [
        ("toy.9", "1", "ok"),
        ("toy.9", "2", "ok"),
        ("toy.10", "1", "ok"),
        ("toy.11", "1", "missing"),
        ("toy.12", "1", "error"),
    ]
    assert log.rows["value"].tolist()[:3] == [0.0, 1.0, 1.0]
    assert log.rows["model"][0] == "gpt-x"
    assert [(c.name, c.quantity, c.printed) for c in log.claims] == [
        ("accuracy", "mean", "0.6666666666666666"),
        ("boostrap_std", "std_error", "0.2"),
        ("f1", "other", "0.1"),
    ]
    assert any("half-samples drawn without replacement" in note for note in log.notes)


def test_openai_evals_metrics_are_scorers(tmp_path: Path) -> None:
    events = [
        event(f"s.{k}", "metrics", {"score": k / 2, "choice": "AB"[k % 2], "passed": k > 0})
        for k in range(3)
    ]
    log = read_log(dump_lines(tmp_path / "x.jsonl", [*events, {"final_report": {"score": 0.5}}]))
    assert log.rows[log.rows["scorer"] == "score"]["value"].tolist() == [0.0, 0.5, 1.0]
    assert log.rows[log.rows["scorer"] == "passed"]["value"].tolist() == [0.0, 1.0, 1.0]
    assert log.rows["answer"].tolist()[0] == "A"
    assert dict(log.claims[0].select) == {"scorer": "score"}


def evals_run(name: str, model: str, right: list[bool]) -> list[dict[str, Any]]:
    """Return the events of a run, whose report names no run."""
    spec = {"spec": {"completion_fns": [model], "eval_name": "toy.dev.v0", "run_id": name}}
    matches = [
        event(f"toy.{k}", "match", {"correct": one}, run=name) for k, one in enumerate(right)
    ]
    return [spec, *matches, {"final_report": {"accuracy": sum(right) / len(right)}}]


def test_openai_evals_of_several_runs_name_the_model_of_each_row(tmp_path: Path) -> None:
    first, second = evals_run("r1", "gpt-x", [True, False]), evals_run("r2", "gpt-y", [True, True])
    log = read_log(dump_lines(tmp_path / "x.jsonl", [*first, *second]))
    assert log.rows[["model", "run", "unit", "task", "value"]].to_numpy().tolist() == [
        ["gpt-x", "r1", "toy.0", "toy.dev.v0", 1.0],
        ["gpt-x", "r1", "toy.1", "toy.dev.v0", 0.0],
        ["gpt-y", "r2", "toy.0", "toy.dev.v0", 1.0],
        ["gpt-y", "r2", "toy.1", "toy.dev.v0", 1.0],
    ]
    assert [(c.printed, dict(c.select)) for c in log.claims] == [
        ("0.5", {"model": "gpt-x", "scorer": "match"}),
        ("1.0", {"model": "gpt-y", "scorer": "match"}),
    ]
    assert {one.verdict for one in check(log).judged} == {"reproduced"}
    assert log.notes[0] == "2 runs in one file: the column 'model' tells them apart"


def test_openai_evals_of_one_model_twice_and_of_a_run_without_a_spec(tmp_path: Path) -> None:
    same = evals_run("r1", "gpt-x", [True]) + evals_run("r2", "gpt-x", [False])
    log = read_log(dump_lines(tmp_path / "x.jsonl", same))
    assert log.rows["model"].tolist() == ["gpt-x (r1)", "gpt-x (r2)"]
    mixed = [
        SPEC,
        event("a", "match", {"correct": True}),
        event("a", "match", {"correct": False}, run="r2"),
        event("b", "match", {"correct": False}),
    ]
    log = read_log(dump_lines(tmp_path / "y.jsonl", mixed))
    assert list(zip(log.rows["model"], log.rows["unit"], log.rows["value"], strict=True)) == [
        ("gpt-x", "a", 1.0),
        ("gpt-x", "b", 0.0),
        ("run (r2)", "a", 0.0),
    ]
    assert "run r2: no final report" in " ".join(log.notes)


def test_openai_evals_without_an_end(tmp_path: Path) -> None:
    log = read_log(dump_lines(tmp_path / "x.jsonl", [SPEC, event("a", "match", {"correct": True})]))
    assert any("no final report" in note for note in log.notes)
    with pytest.raises(InputError, match="not one of a sample"):
        read_log(dump_lines(tmp_path / "y.jsonl", [SPEC, {"run_id": "r"}]))


def test_openai_evals_real_record() -> None:
    log = real("openai_evals/oa_sample.jsonl")
    values = log.rows["value"]
    assert (len(values), log.rows["unit"].tolist()[-1]) == (12, "role-conflict.dev.11")
    assert values.mean() == pytest.approx(float(log.claims[0].printed), rel=1e-12)


def foo(test: int, prompt: int, vars_: dict[str, str], score: float, **rest: Any) -> dict[str, Any]:
    named, weights = rest.pop("named", {}), rest.pop("weights", {})
    return {
        "promptIdx": prompt,
        "testIdx": test,
        "vars": vars_,
        "success": score > 0.5,
        "score": score,
        "namedScores": named,
        "gradingResult": {"namedScoreWeights": weights},
        "testCase": {"vars": vars_, "assert": [1], "metadata": {"story": "s1"}},
        "provider": {"id": "echo"},
        "prompt": {"label": f"P{prompt}"},
        "response": {"output": "hm"},
        "failureReason": 0,
        **rest,
    }


def test_promptfoo_repeats_are_epochs_of_one_unit(tmp_path: Path) -> None:
    rows = [
        foo(
            t,
            p,
            {"q": "ab"[t % 2]},
            0.25 * t,
            named={"helps": 1, "len": 0.5},
            weights={"helps": 2 + t % 2, "len": 1},
        )
        for t in range(4)
        for p in range(2)
    ]
    rows[5] |= {"failureReason": 2, "error": "HTTP 500"}
    metrics = {
        "score": 1.5,
        "testPassCount": 1,
        "namedScores": {"helps": 10, "len": 2.0},
        "namedScoreWeights": {"helps": 10, "len": 4},
    }
    top = {
        "evalId": "e",
        "results": {
            "version": 3,
            "prompts": [{"metrics": metrics}, {"metrics": {"score": 1.0}}],
            "results": rows[::-1],
            "stats": {},
        },
        "metadata": {"promptfooVersion": "0.121.0"},
    }
    log = read_log(dump(tmp_path / "out.json", top))
    mine = log.rows[(log.rows["scorer"] == "score") & (log.rows["filter"] == "prompt 1")]
    assert list(zip(mine["unit"], mine["epoch"], mine["value"], strict=True)) == [
        ("test 1", "1", 0.0),
        ("test 2", "1", 0.25),
        ("test 1", "2", 0.5),
        ("test 2", "2", 0.75),
    ]
    failed = log.rows[(log.rows["scorer"] == "score") & (log.rows["status"] == "error")]
    assert failed[["unit", "epoch", "filter", "answer"]].values.tolist() == [
        ["test 1", "2", "prompt 2", "HTTP 500"]
    ]
    assert set(log.rows["story"]) == {"s1"}
    sums = {
        (c.name, c.select["filter"]): (c.quantity, c.printed, c.settings["reducer"])
        for c in log.claims
    }
    assert sums["score", "prompt 1"] == ("sum", "1.5", "none")
    assert sums["testPassCount", "prompt 1"] == ("sum", "1", "none")
    assert sums["namedScores.len", "prompt 1"] == ("sum", "2.0", "none")
    assert sums["namedScores.helps", "prompt 1"][0] == "other"
    said = " ".join(log.notes)
    assert "4 rows of promptfoo repeat a test" in said
    assert (
        "namedScores 'helps' = 10 is a weighted sum (weights add up to 10); the weighted mean is 1"
        in said
    )


def test_promptfoo_lines_are_the_same_rows(tmp_path: Path) -> None:
    rows = [foo(t, 0, {"q": "ab"[t % 2]}, 0.25 * t) for t in range(4)]
    one = read_log(dump(tmp_path / "out.json", {"results": {"results": rows, "stats": {}}}))
    two = read_log(dump_lines(tmp_path / "out.jsonl", rows))
    assert one.rows.equals(two.rows)
    assert any("no totals" in note for note in two.notes)


def test_promptfoo_of_older_versions_numbers_no_prompts(tmp_path: Path) -> None:
    rows = [
        foo(0, p, {"q": q}, 0.5 * p) | {"prompt": {"display": f"P{p}"}}
        for q in "ab"
        for p in range(2)
    ]
    for held in rows:
        del held["promptIdx"], held["testIdx"]
    table = {"head": {"prompts": [{"metrics": {"score": 0}}, {"metrics": {"score": 1.0}}]}}
    log = read_log(
        dump(
            tmp_path / "x.json",
            {"results": {"version": 2, "results": rows, "stats": {}, "table": table}},
        )
    )
    mine = log.rows[log.rows["scorer"] == "score"]
    assert mine.groupby("filter")["value"].sum().to_dict() == {"prompt 1": 0.0, "prompt 2": 1.0}
    assert mine.groupby("filter")["unit"].nunique().to_dict() == {"prompt 1": 2, "prompt 2": 2}
    assert [(c.name, c.printed) for c in log.claims] == [("score", "0"), ("score", "1.0")]


def test_promptfoo_csv_gives_its_rounded_scores(tmp_path: Path) -> None:
    one = "[echo] A: {{q}},Status,Score,Named Scores,Metric: helps,Grader Reason,Comment"
    path = tmp_path / "out.csv"
    path.write_text(
        f"q,{one},{one.replace('A:', 'B:')}\n"
        'x,"out, 1",PASS,0.70,{},1.00,fine,,out 2,FAIL,0.21,{},,no,\n'
        "y,out,PASS,1.00,{},1.00,fine,,boom,ERROR,0.00,{},,HTTP 500,\n"
        "x,out,PASS,0.80,{},0.50,fine,,out,odd,0.00,{},,no,\n"
    )
    log = read_log(path)
    mine = log.rows[log.rows["scorer"] == "score"]
    assert list(zip(mine["unit"], mine["epoch"], mine["filter"], mine["status"], strict=True)) == [
        ("test 1", "1", "prompt 1", "ok"),
        ("test 1", "1", "prompt 2", "ok"),
        ("test 2", "1", "prompt 1", "ok"),
        ("test 2", "1", "prompt 2", "error"),
        ("test 1", "2", "prompt 1", "ok"),
        ("test 1", "2", "prompt 2", "unparsed"),
    ]
    assert mine["value"].tolist()[:3] == [0.7, 0.21, 1.0]
    assert log.rows[log.rows["scorer"] == "helps"]["value"].tolist() == [1.0, 1.0, 0.5]
    assert "cut to two decimals" in log.notes[0]
    assert set(log.rows["model"]) == {"echo"}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("x,out,PASS,1.00,{}\n", r"x\.csv record 2: 5 fields where the header has 6"),
        ("\xff,out,PASS,1.00,{},\n", "0xff"),
    ],
)
def test_promptfoo_csv_that_is_damaged_is_named(record: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(
        f"q,[echo] A,Status,Score,Named Scores,Grader Reason\n{record}".encode("latin-1")
    )
    with pytest.raises(InputError, match=message):
        read_log(path)


def test_promptfoo_real_csv() -> None:
    log = real("promptfoo/out.csv")
    exact = real("promptfoo/out.json").rows
    assert len(log.rows) == len(exact) == 28
    both = log.rows.merge(exact, on=["unit", "epoch", "scorer", "filter"])
    assert (both["value_x"] - both["value_y"]).abs().max() <= 0.0051


def test_promptfoo_real_output() -> None:
    log = real("promptfoo/out.json")
    assert log.version == "0.121.20"
    for claim in log.claims:
        if claim.quantity == "sum":
            rows = log.rows[
                (log.rows["scorer"] == claim.select["scorer"])
                & (log.rows["filter"] == claim.select["filter"])
            ]
            assert rows["value"].sum() == pytest.approx(float(claim.printed), rel=1e-12)
    units = log.rows.groupby("unit")["epoch"].nunique()
    assert dict(units) == {"test 1": 2, "test 2": 2}
    assert any(
        "'helps' = 8 is a weighted sum (weights add up to 8); the weighted mean is 1" in n
        for n in log.notes
    )


def judged(name: str, score: float | None, **rest: Any) -> dict[str, Any]:
    return {
        "name": name,
        "threshold": 0.5,
        "success": bool(score and score > 0.5),
        "score": score,
        **rest,
    }


def test_deepeval_errors_have_their_own_denominators_and_spans_their_level(tmp_path: Path) -> None:
    spans = {"llmSpans": [{"name": "rank", "metricsData": [judged("Faith", 0.9)]}], "status": "x"}
    cases = [
        {
            "name": "c0",
            "input": "a",
            "success": True,
            "metricsData": [judged("Faith", 0.8), judged("Bias", 0.1)],
            "trace": spans,
        },
        {
            "name": "c1",
            "input": "b",
            "success": False,
            "metricsData": [judged("Faith", None, error="Rate limit"), judged("Bias", 0.2)],
        },
        {
            "name": "c1",
            "input": "b",
            "success": False,
            "metricsData": [judged("Faith", 0.4)],
            "tags": ["x", "y"],
        },
        {"name": "c1", "input": "other", "success": False, "metricsData": [judged("Faith", 0.3)]},
    ]
    run = {
        "testCases": cases,
        "conversationalTestCases": [],
        "testPassed": 1,
        "testFailed": 3,
        "metricsScores": [
            {
                "metric": "Faith",
                "scores": [0.8, 0.4, 0.3, 0.9],
                "passes": 2,
                "fails": 2,
                "errors": 1,
            }
        ],
    }
    for top in (run, {"testRunData": run}):
        log = read_log(dump(tmp_path / "x.json", top))
        faith = log.rows[log.rows["scorer"] == "Faith"]
        assert list(
            zip(faith["unit"], faith["epoch"], faith["filter"], faith["status"], strict=True)
        ) == [
            ("c0", "1", "case", "ok"),
            ("c0", "1", "span: rank", "ok"),
            ("c1", "1", "case", "error"),
            ("c1", "2", "case", "ok"),
            ("c1 (2)", "1", "case", "ok"),
        ]
        assert [(c.name, c.quantity, c.printed) for c in log.claims] == [
            ("testPassed", "sum", "1"),
            ("passes of Faith", "count", "2"),
            ("fails of Faith", "count", "2"),
        ]
        ok = faith[faith["status"] == "ok"]
        assert dict(ok["passed"].value_counts()) == {"True": 2, "False": 2}
        assert log.rows[log.rows["scorer"] == "success"]["value"].sum() == 1
        said = " ".join(log.notes)
        assert "fewer than all 4 test cases: 'Bias' 2, 'Faith' 3" in said
        assert (
            "metricsScores mixes levels for 'Faith': 4 scores, 3 of test cases and 1 of spans"
            in said
        )


def test_deepeval_cases_of_one_name_are_told_apart_by_their_inputs(tmp_path: Path) -> None:
    cases = [{"name": "c", "input": said, "metricsData": [judged("Faith", 0.5)]} for said in "abba"]
    rows = read_log(dump(tmp_path / "x.json", {"testCases": cases})).rows
    mine = rows[rows["scorer"] == "Faith"]
    assert list(zip(mine["unit"], mine["epoch"], strict=True)) == [
        ("c", "1"),
        ("c (2)", "1"),
        ("c (2)", "2"),
        ("c", "2"),
    ]


def test_deepeval_real_run() -> None:
    log = real("deepeval/test_run_sample.json")
    faith = log.rows[log.rows["scorer"] == "Faithfulness"]
    assert sorted(faith["value"]) == [0.45, 0.88, 0.91]
    assert faith[faith["filter"] == "case"]["value"].tolist() == [0.45]
    assert any("3 scores, 1 of test cases and 2 of spans" in note for note in log.notes)

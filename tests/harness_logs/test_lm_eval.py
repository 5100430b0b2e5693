"""Results and samples of lm-evaluation-harness: filters, groups, old versions, metrics that are no means."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from socialstats.claims import check
from socialstats.cli import main
from socialstats.errors import InputError
from socialstats.harness_logs import read_log, read_logs
from socialstats.harness_logs.converting import table_of
from tests.harness_logs.logs import SAMPLES, dump, dump_lines

STAMP = "2026-01-02T03-04-05.678901"
FILTERS = ("strict-match", "flexible-extract")


def line(
    doc: int, filter: str | None = "none", *, metrics: dict[str, Any], **rest: Any
) -> dict[str, Any]:
    held = {} if filter is None else {"filter": filter, "metrics": [*metrics]}
    doc_ = {
        "id": f"q{doc}",
        "story": f"s{doc // 2}",
        "answer": "x",
        "options": ["a", "b"],
        "text": "long " * 60,
    }
    return {
        "doc_id": doc,
        "doc": doc_,
        "target": "1",
        "arguments": {},
        "resps": [["r"]],
        "filtered_resps": ["r"],
        **held,
        **metrics,
        **rest,
    }


def run(
    folder: Path, results: dict[str, Any], samples: dict[str, list[dict[str, Any]]], **rest: Any
) -> Path:
    for task, lines in samples.items():
        dump_lines(folder / f"samples_{task}_{STAMP}.jsonl", lines)
    n = {
        task: {"original": len(lines), "effective": len({x["doc_id"] for x in lines})}
        for task, lines in samples.items()
    }
    top = {
        "results": results,
        "configs": {},
        "n-samples": n,
        "lm_eval_version": "0.4.9",
        "model_name": "m",
        **rest,
    }
    return dump(folder / f"results_{STAMP}.json", top)


def test_each_filter_has_its_own_rows(tmp_path: Path) -> None:
    values = {"strict-match": [1, 0, 0, 0], "flexible-extract": [1, 1, 0, 1]}
    lines = [
        line(k, f, metrics={"exact_match": v}) for f in FILTERS for k, v in enumerate(values[f])
    ]
    results = {
        "gsm": {
            "alias": "gsm",
            "exact_match,strict-match": 0.25,
            "exact_match_stderr,strict-match": 0.25,
            "exact_match,flexible-extract": 0.75,
            "exact_match_stderr,flexible-extract": "N/A",
        }
    }
    log = read_log(run(tmp_path, results, {"gsm": lines}))
    assert len(log.rows) == 8
    means = log.rows.groupby("filter")["value"].mean()
    assert dict(means) == {"strict-match": 0.25, "flexible-extract": 0.75}
    assert [(c.name, c.quantity, c.printed, dict(c.select), c.n) for c in log.claims] == [
        (
            "exact_match,strict-match",
            "mean",
            "0.25",
            {"task": "gsm", "scorer": "exact_match", "filter": FILTERS[0]},
            4,
        ),
        (
            "exact_match_stderr,strict-match",
            "std_error",
            "0.25",
            {"task": "gsm", "scorer": "exact_match", "filter": FILTERS[0]},
            4,
        ),
        (
            "exact_match,flexible-extract",
            "mean",
            "0.75",
            {"task": "gsm", "scorer": "exact_match", "filter": FILTERS[1]},
            4,
        ),
        (
            "n-samples effective",
            "count",
            "4",
            {"task": "gsm", "scorer": "exact_match", "filter": FILTERS[0]},
            None,
        ),
    ]
    assert log.claims[1].settings["ddof"] == 1
    assert any("each document has 2 rows a metric" in note for note in log.notes)


def test_old_samples_without_a_filter_are_told_apart_by_their_order(tmp_path: Path) -> None:
    lines = [line(k, None, metrics={"exact_match": v}) for v in (1, 0) for k in range(3)]
    results = {"gsm": {"exact_match,strict-match": 1.0, "exact_match,flexible-extract": 0.0}}
    log = read_log(run(tmp_path, results, {"gsm": lines}))
    assert dict(log.rows.groupby("filter")["value"].mean()) == {
        "strict-match": 1.0,
        "flexible-extract": 0.0,
    }
    assert any("do not say which filter" in note for note in log.notes)


def test_old_names_and_keys(tmp_path: Path) -> None:
    dump_lines(
        tmp_path / "pretrained__m_toy.jsonl",
        [line(k, None, metrics={"acc": k % 2}) for k in range(4)],
    )
    path = dump(
        tmp_path / "results.json",
        {"results": {"toy": {"acc": 0.5, "acc_stderr": 0.29}}, "versions": {"toy": 0}},
    )
    log = read_log(path)
    assert log.rows["value"].tolist() == [0.0, 1.0, 0.0, 1.0]
    assert [(c.name, c.select["filter"]) for c in log.claims] == [("acc", ""), ("acc_stderr", "")]
    assert len(read_logs(tmp_path)) == 1


def test_samples_inside_the_results_and_results_with_nothing_else(tmp_path: Path) -> None:
    samples = {"toy": [line(k, metrics={"acc": k % 2}) for k in range(4)]}
    log = read_log(
        dump(tmp_path / "a.json", {"results": {"toy": {"acc,none": 0.5}}, "samples": samples})
    )
    assert (log.harness, log.rows["value"].tolist()) == ("lm-eval", [0.0, 1.0, 0.0, 1.0])
    assert not any("no samples file" in note for note in log.notes)
    samples["toy"][2]["acc"] = math.nan
    with pytest.raises(InputError, match=r"b\.json sample 3: acc is nan"):
        read_log(
            dump(tmp_path / "b.json", {"results": {"toy": {"acc,none": 0.5}}, "samples": samples})
        )


def test_results_that_lost_their_time_stamp_find_their_samples(tmp_path: Path) -> None:
    path = run(tmp_path, {"toy": {"acc,none": 1.0}}, {"toy": [line(0, metrics={"acc": 1})]})
    renamed = path.rename(tmp_path / "mine.json")
    assert len(read_log(renamed).rows) == 1
    dump_lines(tmp_path / "samples_toy_2020-01-01T00-00-00.jsonl", [line(5, metrics={"acc": 0})])
    assert len(read_log(renamed).rows) == 0  # two runs: which one is not known


def test_samples_of_several_models_in_one_file_name_the_model_of_each_row(tmp_path: Path) -> None:
    lines = [
        line(k, metrics={"acc": int(m == "m1")}, model=m) for m in ("m1", "m2") for k in range(2)
    ]
    log = read_log(dump_lines(tmp_path / "samples_toy.jsonl", lines))
    assert log.rows[["model", "unit", "scorer", "value"]].to_numpy().tolist() == [
        ["m1", "toy:0", "acc", 1.0],
        ["m1", "toy:1", "acc", 1.0],
        ["m2", "toy:0", "acc", 0.0],
        ["m2", "toy:1", "acc", 0.0],
    ]
    assert "samples of 2 models in one file: m1 and m2" in log.notes
    bare = [
        {key: value for key, value in one.items() if key not in ("metrics", "filter")}
        for one in lines
    ]
    log = read_log(dump_lines(tmp_path / "samples_bare.jsonl", bare))
    assert (log.rows["scorer"].unique().tolist(), log.rows["model"].tolist()) == (
        ["acc"],
        ["m1", "m1", "m2", "m2"],
    )


def test_a_model_named_in_an_object_of_the_line_is_its_model(tmp_path: Path) -> None:
    lines = [
        line(k, metrics={"acc": 1}, run={"model": m, "hash": "x"})
        for k in range(3)
        for m in ("m1", "m2")
    ]
    log = read_log(dump_lines(tmp_path / "samples_toy.jsonl", lines))
    assert log.rows["model"].tolist() == ["m1", "m2"] * 3


def test_samples_of_runs_that_no_line_names_are_told_apart_by_documents_that_recur(
    tmp_path: Path,
) -> None:
    lines = [
        line(k, f, metrics={"exact_match": run})
        for run in (0, 1)
        for f in FILTERS
        for k in range(2)
    ]
    log = read_log(dump_lines(tmp_path / "samples_gsm.jsonl", lines))
    assert dict(log.rows.groupby("model")["value"].mean()) == {"run 1": 0.0, "run 2": 1.0}
    assert any("documents that recur are of another run" in note for note in log.notes)
    old = [
        line(k, None, metrics={"exact_match": run})
        for run in (0, 1)
        for _ in FILTERS
        for k in range(2)
    ]
    results = {"gsm": {"exact_match,strict-match": 0.0, "exact_match,flexible-extract": 0.0}}
    log = read_log(run(tmp_path, results, {"gsm": old}))
    assert log.rows.groupby(["model", "filter"]).size().tolist() == [2, 2, 2, 2]
    assert log.claims == ()
    assert "the harness's own numbers are of one of them, and are not checked" in log.notes


def test_metadata_and_units(tmp_path: Path) -> None:
    log = read_log(
        run(
            tmp_path,
            {"toy": {"acc,none": 1.0}},
            {"toy": [line(k, metrics={"acc": 1}) for k in range(3)]},
        )
    )
    assert log.rows["unit"].tolist() == ["toy:0", "toy:1", "toy:2"]
    assert log.rows["story"].tolist() == ["s0", "s0", "s1"]
    assert log.rows["meta_answer"].tolist() == ["x"] * 3
    assert log.rows["answer"].tolist() == ["r"] * 3
    assert "columns with long texts were left out: text" in log.notes


def test_values_that_are_no_scalars_are_unparsed_and_missing_ones_missing(tmp_path: Path) -> None:
    lines = [
        line(0, metrics={"acc": True, "ppl": [2.5, 3]}),
        line(1, metrics={"acc": None, "ppl": {"a": 1}}),
    ]
    log = read_log(run(tmp_path, {"toy": {"acc,none": 1.0, "ppl,none": 9.9}}, {"toy": lines}))
    found = {
        (u, s): (None if v != v else v, status)
        for u, s, v, status in log.rows[["unit", "scorer", "value", "status"]].itertuples(
            index=False
        )
    }
    assert found == {
        ("toy:0", "acc"): (1.0, "ok"),
        ("toy:0", "ppl"): (None, "unparsed"),
        ("toy:1", "acc"): (None, "missing"),
        ("toy:1", "ppl"): (None, "unparsed"),
    }
    assert "status unparsed: 2 of 4 rows (the score is not a number)" in log.notes


def test_nan_is_an_error_unless_the_metric_documents_it(tmp_path: Path) -> None:
    lines = [line(0, metrics={"acc": 1.0}), line(1, metrics={"acc": math.nan})]
    path = run(tmp_path, {"toy": {"acc,none": 1.0}}, {"toy": lines})
    with pytest.raises(InputError, match=r"samples_toy_.*\.jsonl line 2: acc is nan"):
        read_log(path)
    configs = {"toy": {"metric_list": [{"metric": "acc", "aggregation": "nanmean"}]}}
    log = read_log(run(tmp_path, {"toy": {"acc,none": 1.0}}, {"toy": lines}, configs=configs))
    assert log.rows["status"].tolist() == ["ok", "unscored"]


@pytest.mark.parametrize(
    ("how", "quantity", "error"),
    [
        ("mean", "mean", {"ddof": 1}),
        ("def mean(arr):\n    return sum(arr) / len(arr)\n", "mean", {"ddof": 1}),
        ("def odd(arr):\n    return 1\n", "other", {"ddof": 1}),
        ("median", "median", {"method": "bootstrap", "resamples": 500, "ddof": 0}),
        ("perplexity", "other", {"method": "bootstrap", "resamples": 500, "ddof": 0}),
        ("bleu", "other", {"method": "bootstrap", "resamples": 100, "ddof": 0}),
    ],
)
def test_what_a_number_is_follows_from_how_documents_are_joined(
    how: str, quantity: str, error: dict[str, Any], tmp_path: Path
) -> None:
    configs = {"toy": {"metric_list": [{"metric": "x", "aggregation": how}]}}
    results = {"toy": {"x,none": 0.5, "x_stderr,none": 0.1}}
    rest = {"configs": configs, "config": {"bootstrap_iters": 500}}
    log = read_log(run(tmp_path, results, {"toy": [line(0, metrics={"x": 0.5})]}, **rest))
    assert log.claims[0].quantity == quantity
    assert {k: v for k, v in log.claims[1].settings.items() if k != "aggregation"} == error


def test_groups_name_their_tasks_and_those_of_groups_in_them(tmp_path: Path) -> None:
    results = {
        "a": {"acc,none": 0.5},
        "b": {"acc,none": 0.25},
        "c": {"other,none": 1.0},
        "all": {
            "acc,none": 0.375,
            "acc_stderr,none": 0.1,
            "sample_count": {"acc,none": 6},
            "alias": "all",
            " ": " ",
        },
    }
    samples = {
        "a": [line(k, metrics={"acc": k % 2}) for k in range(2)],
        "b": [line(k, metrics={"acc": k == 0}) for k in range(4)],
    }
    rest = {
        "group_subtasks": {"all": ["inner", "b", "c"], "inner": ["a"]},
        "configs": {"all": {"aggregate_metric_list": [{"metric": "acc", "weight_by_size": False}]}},
    }
    log = read_log(run(tmp_path, results, samples, **rest))
    group = next(c for c in log.claims if c.name == "all: acc,none")
    assert [p["task"] for p in group.parts] == ["a", "b"]
    assert (dict(group.select), group.n, group.settings["by_size"]) == ({}, 6, False)
    assert next(c for c in log.claims if c.name == "all: acc_stderr,none").quantity == "std_error"
    assert any(note.startswith("no samples file for c:") for note in log.notes)


def test_documents_that_were_left_out_are_said(tmp_path: Path) -> None:
    path = run(
        tmp_path,
        {"toy": {"acc,none": 1.0}},
        {"toy": [line(0, metrics={"acc": 1})]},
        **{"n-samples": {"toy": {"original": 100, "effective": 2}}},
    )
    said = " ".join(read_log(path).notes)
    assert "the harness says 2 documents, the samples file holds 1" in said
    assert "2 of 100 documents were used (a limit was set)" in said
    held = json.loads(path.read_text())
    dump(path, {**held, "n-samples": {"toy": {"original": 10**400, "effective": 10**400}}})
    assert "the harness says" not in " ".join(read_log(path).notes)


def test_samples_alone_and_samples_named_directly(tmp_path: Path) -> None:
    path = run(tmp_path, {"toy": {"acc,none": 1.0}}, {"toy": [line(0, metrics={"acc": 1})]})
    log = read_log(tmp_path / f"samples_toy_{STAMP}.jsonl")
    assert (len(log.rows), [c.name for c in log.claims]) == (1, ["acc,none", "n-samples effective"])
    path.unlink()
    alone = read_log(tmp_path)
    assert (len(alone.rows), alone.claims) == (1, ())
    assert "no numbers of the harness to check" in alone.notes[0]


def test_samples_of_another_run_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    path = run(tmp_path, {"toy": {"acc,none": 1.0}}, {"toy": [line(0, metrics={"acc": 1})]})
    dump_lines(
        tmp_path / "samples_toy_2020-01-01T00-00-00.000000.jsonl", [line(5, metrics={"acc": 0})]
    )
    assert read_log(path).rows["unit"].tolist() == ["toy:0"]
    dump_lines(tmp_path / f"samples_other_toy_{STAMP}.jsonl", [line(7, metrics={"acc": 0})])
    assert read_log(path).rows["unit"].tolist() == ["toy:0"]


def test_two_runs_of_one_model_with_one_file_name_are_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are two columns of a leaderboard and two labels of a table, and no repeats of one run."""
    for folder, right in (("first", 1), ("second", 0)):
        lines = [line(k, metrics={"acc": right if k else 1}) for k in range(12)]
        acc = sum(one["acc"] for one in lines) / len(lines)
        run(tmp_path / "runs" / folder, {"toy": {"acc,none": acc}}, {"toy": lines})
    logs = read_logs(tmp_path / "runs")
    assert [log.files[0] for log in logs] == [
        f"{folder}/results_{STAMP}.json" for folder in ("first", "second")
    ]
    assert {*table_of(logs)["log"]} == {log.files[0] for log in logs}
    assert main(["check", str(tmp_path / "runs"), "--study", "leaderboard"]) == 0
    assert "24 ratings of 12 units by 2 raters" in capsys.readouterr().out


def test_samples_that_link_out_of_the_folder_are_refused(tmp_path: Path) -> None:
    path = run(tmp_path / "run", {"toy": {"acc,none": 1.0}}, {"toy": [line(0, metrics={"acc": 1})]})
    held = path.parent / f"samples_toy_{STAMP}.jsonl"
    held.rename(tmp_path / "secret.jsonl")
    held.symlink_to(tmp_path / "secret.jsonl")
    with pytest.raises(InputError, match="leads out of the folder"):
        read_log(path)


def test_a_sample_without_doc_id_is_named(tmp_path: Path) -> None:
    path = run(tmp_path, {"toy": {"acc,none": 1.0}}, {"toy": [line(0, metrics={"acc": 1})]})
    dump_lines(tmp_path / f"samples_toy_{STAMP}.jsonl", [line(0, metrics={"acc": 1}), {"acc": 1}])
    with pytest.raises(InputError, match="line 2: a sample without doc_id"):
        read_log(path)


@pytest.mark.parametrize(
    ("name", "group"), [("group_unweighted", "roleconf"), ("group_weighted", "roleconf_w")]
)
def test_real_logs_give_their_numbers(name: str, group: str) -> None:
    folder = SAMPLES / "lm_eval" / name
    if not folder.exists():
        pytest.skip("shared/data/harness_samples is not beside the project")
    log = read_log(folder)
    assert (log.version, len(log.rows)) == ("0.4.13", 56)
    for claim in log.claims:
        if claim.parts or claim.quantity == "count":
            continue
        rows = log.rows
        for column, value in claim.select.items():
            rows = rows[rows[column] == value]
        ours = (
            rows["value"].mean()
            if claim.quantity == "mean"
            else rows["value"].std(ddof=1) / math.sqrt(len(rows))
        )
        assert ours == pytest.approx(float(claim.printed), rel=1e-12)
        assert len(rows) == claim.n
    means = [
        log.rows[(log.rows["task"] == p["task"]) & (log.rows["scorer"] == "acc")]["value"]
        for c in log.claims
        if c.name == f"{group}: acc,none"
        for p in c.parts
    ]
    macro, micro = sum(m.mean() for m in means) / 2, sum(m.sum() for m in means) / 28
    printed = next(float(c.printed) for c in log.claims if c.name == f"{group}: acc,none")
    assert printed == pytest.approx(macro if group == "roleconf" else micro, rel=1e-12)


@pytest.mark.parametrize(("said", "verdict"), [(3, "reproduced"), (99, "not_reproduced")])
def test_the_number_of_documents_is_a_number_to_check(
    said: int, verdict: str, tmp_path: Path
) -> None:
    path = run(
        tmp_path,
        {"toy": {"acc,none": 1.0}},
        {"toy": [line(k, metrics={"acc": 1}) for k in range(3)]},
    )
    held = json.loads(path.read_text())
    dump(path, {**held, "n-samples": {"toy": {"original": said, "effective": said}}})
    found = {one.claim.name: one.verdict for one in check(read_log(path)).judged}
    assert found == {"acc,none": "reproduced", "n-samples effective": verdict}


def test_samples_of_several_tasks_name_the_task_and_only_metrics_are_scores(tmp_path: Path) -> None:
    lines = [
        {
            **line(k, None, metrics={"acc": k % 2, "acc_norm": 0.5}),
            "task": task,
            "model": model,
            "seed": 3,
            "n_tokens": 80 + k,
            "split": "test",
            "latency": 0.5,
        }
        for task in ("ethics", "siqa")
        for model in ("m1", "m2")
        for k in range(3)
    ]
    log = read_log(dump_lines(tmp_path / f"samples_both_{STAMP}.jsonl", lines))
    assert set(log.rows["scorer"]) == {"acc", "acc_norm"}
    assert log.rows["unit"].nunique() == 6
    assert set(log.rows["task"]) == {"ethics", "siqa"}
    assert set(log.rows["status"]) == {"ok"}
    assert {*log.rows["n_tokens"]} == {"80", "81", "82"}
    assert not any("which filter" in note for note in log.notes)


def test_a_lone_number_is_a_score_whatever_its_name(tmp_path: Path) -> None:
    lines = [line(k, None, metrics={"length": k}) for k in range(3)]
    assert set(read_log(dump_lines(tmp_path / "samples_x.jsonl", lines)).rows["scorer"]) == {
        "length"
    }

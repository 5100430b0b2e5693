"""lighteval, ragas, simple-evals, MT-Bench and AlpacaEval: small files in the shapes that these projects write."""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from socialstats.claims import Log, check
from socialstats.harness_logs import read_log, read_logs
from tests.harness_logs.logs import dump, dump_lines

DATE = "2026-01-02T03-04-05.678901"
ONE, TWO = [1.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0]


def verdicts(log: Log) -> dict[str, str]:
    return {one.claim.name: one.verdict for one in check(log).judged}


def error(values: list[float]) -> float:
    return statistics.stdev(values) / math.sqrt(len(values))


def lighteval(folder: Path, *, details: bool = True, mean: float = statistics.fmean(ONE)) -> Path:
    """Results of two subsets of a task, their average, and the average of all; details in their own folder."""
    held = {"bbq:age|0": ONE, "bbq:sex|0": TWO}
    results = {
        task: {"acc": statistics.fmean(v), "acc_stderr": error(v), "bleu": 31.7}
        for task, v in held.items()
    }
    joined = {
        key: (results["bbq:age|0"][key] + results["bbq:sex|0"][key]) / 2
        for key in results["bbq:age|0"]
    }
    results |= {"bbq:_average|0": joined, "all": joined}
    results["bbq:age|0"] = {**results["bbq:age|0"], "acc": mean}
    metrics = [
        {"metric_name": "acc", "corpus_level_fn": "mean"},
        {"metric_name": "bleu", "corpus_level_fn": "corpus"},
    ]
    for task, values in held.items() if details else ():
        rows = [
            {
                "doc": {"id": str(k), "query": "q", "specific": {"group": f"g{k % 2}"}},
                "metric": {"acc": v, "bleu": 30.0 + k},
                "model_response": {"text": ["A"]},
            }
            for k, v in enumerate(values)
        ]
        place = folder / "details" / "org" / "model" / DATE
        place.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows), place / f"details_{task}_{DATE}.parquet")
    return dump(
        folder / "results" / "org" / "model" / f"results_{DATE}.json",
        {
            "config_general": {"lighteval_sha": "x", "model_name": "org/model"},
            "results": results,
            "versions": dict.fromkeys(held, 0),
            "config_tasks": {task: {"metrics": metrics} for task in held},
            "summary_tasks": {},
            "summary_general": {},
        },
    )


def test_lighteval_is_not_taken_for_lm_eval_and_its_numbers_stand(tmp_path: Path) -> None:
    log = read_log(lighteval(tmp_path))
    assert log.harness == "lighteval"
    assert sorted(log.rows[log.rows["scorer"] == "acc"]["value"]) == sorted(ONE + TWO)
    assert set(log.rows["group"]) == {"g0", "g1"}
    found = verdicts(log)
    assert {name: verdict for name, verdict in found.items() if "bleu" not in name} == {
        f"{task} {key}": "reproduced"
        for task in ("bbq:age|0", "bbq:sex|0", "bbq:_average|0", "all")
        for key in ("acc", "acc_stderr")
    }
    assert {verdict for name, verdict in found.items() if "bleu" in name} == {"not_computable"}
    assert [each.harness for each in read_logs(tmp_path)] == ["lighteval"]


def test_lighteval_wrong_numbers_and_runs_without_details(tmp_path: Path) -> None:
    assert (
        verdicts(read_log(lighteval(tmp_path / "a", mean=0.76)))["bbq:age|0 acc"] == "inconsistent"
    )
    bare = read_log(lighteval(tmp_path / "b", details=False))
    assert len(bare.rows) == 0
    assert "run lighteval with --save-details" in bare.notes[0]
    assert set(verdicts(bare).values()) <= {"not_computable", "reproduced"}


@pytest.mark.parametrize(
    "texts", [("user_input", "response", "retrieved_contexts"), ("question", "answer", "contexts")]
)
def test_ragas_tables_have_a_row_a_metric(texts: tuple[str, ...], tmp_path: Path) -> None:
    frame = pd.DataFrame({name: ["one, two", "three"] for name in texts})
    frame["faithfulness"], frame["answer_relevancy"] = [0.5, math.nan], [0.91, 0.75]
    frame.to_csv(tmp_path / "r.csv")  # ragas' users keep the index
    log = read_log(tmp_path / "r.csv")
    assert log.harness == "ragas"
    scores = log.rows.groupby("scorer")["value"]
    assert dict(scores.count()) == {"answer_relevancy": 2, "faithfulness": 1}
    assert set(log.rows["status"]) == {"ok", "unscored"}
    assert "--claims" in log.notes[0]


def simple(folder: Path, values: list[Any], score: float) -> Path:
    """The file with all results, and the short one."""
    page = "<h3>Results</h3>\n<p>Correct Answer: A</p>\n<p>Score: {}</p>"
    floats = [float(v) for v in values]
    metrics = {"score:std": statistics.pstdev(floats), "chars": 120.5, "chars:std": 3.25}
    dump(folder / "mmlu_gpt_20260102_030405.json", {**metrics, "score": score})
    return dump(
        folder / "mmlu_gpt_20260102_030405_allresults.json",
        {
            "score": score,
            "metrics": metrics,
            "htmls": [page.format(v) for v in values],
            "convos": [[] for _ in values],
            "metadata": {"example_level_metadata": [None for _ in values]},
        },
    )


def test_simple_evals_pages_hold_the_scores(tmp_path: Path) -> None:
    path = simple(tmp_path, [1.0, 0.0, True, 0.0, "1.0"], 0.6)
    assert verdicts(read_log(path)) == {
        "score": "reproduced",
        "score:std": "reproduced",
        "chars": "not_computable",
        "chars:std": "not_computable",
    }
    assert verdicts(read_log(simple(tmp_path, [1.0, 0.0, 1.0], 0.6)))["score"] == "inconsistent"
    short = read_log(tmp_path / "mmlu_gpt_20260102_030405.json")
    assert short.harness == "simple-evals"
    assert "_allresults.json" in short.notes[0]
    assert set(verdicts(short).values()) == {"not_computable"}


def test_mt_bench_ratings_and_pairs(tmp_path: Path) -> None:
    common = {
        "judge": ["gpt-4", "single-v1"],
        "user_prompt": "?",
        "judgment": "Rating: [[8]]",
        "tstamp": 1.0,
    }
    ratings = [
        {"question_id": 80 + k // 2, "model": "m", "turn": 1 + k % 2, "score": s, **common}
        for k, s in enumerate([8, 7.5, -1, 10])
    ]
    log = read_log(dump_lines(tmp_path / "gpt-4_single.jsonl", ratings))
    assert (log.harness, log.rows["status"].tolist()) == (
        "mt-bench",
        ["ok", "ok", "unparsed", "ok"],
    )
    assert log.rows["epoch"].tolist() == ["1", "2", "1", "2"]
    pair = {"model_1": "a", "model_2": "b", "turn": 1, **common}
    pairs = [
        {"question_id": 80 + k, "g1_winner": x, "g2_winner": y, **pair}
        for k, (x, y) in enumerate(
            [("model_1", "model_1"), ("model_1", "model_2"), ("tie", "tie"), ("error", "tie")]
        )
    ]
    log = read_log(dump_lines(tmp_path / "gpt-4_pair.jsonl", pairs))
    assert log.rows["winner"].tolist() == ["a", "tie", "tie", None]
    assert log.rows["status"].tolist() == ["ok", "ok", "ok", "error"]
    assert any("--study comparisons --cluster unit --where status=ok" in note for note in log.notes)


@pytest.mark.parametrize(
    "judge", [["gpt-4", "pair-v2"], "['gpt-4', 'pair-v2']", '["gpt-4","pair-v2"]', "gpt-4"]
)
def test_mt_bench_tells_a_judge_from_its_prompt(judge: Any, tmp_path: Path) -> None:
    later = str(judge).replace("pair-v2", "pair-v2-multi-turn")
    pair = {
        "question_id": 81,
        "model_1": "a",
        "model_2": "b",
        "g1_winner": "model_1",
        "g2_winner": "model_1",
    }
    log = read_log(
        dump_lines(
            tmp_path / "p.jsonl",
            [{**pair, "turn": 1, "judge": judge}, {**pair, "turn": 2, "judge": later}],
        )
    )
    prompts = log.rows["template"].tolist() if "template" in log.rows else []
    assert set(log.rows["judge"]) == {"gpt-4"}
    assert prompts == ([] if judge == "gpt-4" else ["pair-v2", "pair-v2-multi-turn"])
    assert (log.rows["unit"].tolist(), log.rows["epoch"].tolist()) == (["81", "81"], ["1", "2"])


def test_alpaca_eval_with_its_leaderboard(tmp_path: Path) -> None:
    preferences = [1.0, 2.0, 1.75, 2.0, 1.5, 0.0, None]
    held = [
        {
            "instruction": f"i{k}",
            "output_1": "x",
            "output_2": "y",
            "generator_1": "base",
            "generator_2": "mine",
            "dataset": "koala",
            "annotator": "w",
            "preference": p,
        }
        for k, p in enumerate(preferences)
    ]
    path = dump(tmp_path / "annotations.json", held)
    values = [0.0, 1.0, 0.75, 1.0, 0.5, 0.5]
    right = {
        "win_rate": 100 * statistics.fmean(values),
        "standard_error": 100 * error(values),
        "n_total": 6,
    }
    pd.DataFrame([right, {"win_rate": 50.0}], index=["mine", "other"]).to_csv(
        tmp_path / "leaderboard.csv"
    )
    log = read_log(path)
    assert log.harness == "alpaca-eval"
    assert verdicts(log) == {f"mine {name}": "reproduced" for name in right}
    assert log.rows["status"].tolist() == ["ok"] * 6 + ["unparsed"]
    pd.DataFrame([{**right, "win_rate": 63.5}], index=["mine"]).to_csv(tmp_path / "leaderboard.csv")
    assert verdicts(read_log(path))["mine win_rate"] == "not_reproduced"
    lines = read_log(dump_lines(tmp_path / "annotations.jsonl", held))
    assert lines.rows["value"].tolist()[:6] == log.rows["value"].tolist()[:6] == values


def test_generators_of_alpaca_eval_answer_the_same_instructions(tmp_path: Path) -> None:
    held = [
        {
            "instruction": f"i{k}",
            "output_1": "x",
            "output_2": "y",
            "generator_1": "base",
            "generator_2": name,
            "preference": 1.0 + won,
        }
        for k in range(4)
        for name, won in (("mine", k % 2), ("yours", 1))
    ]
    log = read_log(dump(tmp_path / "annotations.json", [*held, held[0]]))
    assert log.rows["unit"].tolist() == ["0", "0", "1", "1", "2", "2", "3", "3", "0"]
    assert log.rows["epoch"].tolist() == ["1"] * 8 + ["2"]
    assert "a win over 'base'" in log.notes[0]


def test_each_is_found_by_its_content_alone(tmp_path: Path) -> None:
    simple(tmp_path, [1.0, 0.0], 0.5)
    lighteval(tmp_path)
    (tmp_path / "x.json").write_text(
        json.dumps([{"generator_1": "a", "generator_2": "b", "preference": 1.0}])
    )
    assert sorted(log.harness for log in read_logs(tmp_path)) == [
        "alpaca-eval",
        "lighteval",
        "simple-evals",
        "simple-evals",
    ]

"""Logs that are no means of scores: EQ-Bench and PoliticsBench, RoleConflictBench, arenas, ADA-Met's label tables."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from socialstats.errors import InputError
from socialstats.harness_logs import read_log
from socialstats.harness_logs.eqbench import POLITICS, STANDARD
from socialstats.harness_logs.log import Log
from tests.harness_logs.logs import SAMPLES, dump, dump_lines


def real(name: str) -> Log:
    if not (SAMPLES / name).exists():
        pytest.skip("shared/data/harness_samples is not beside the project")
    return read_log(SAMPLES / name)


def task(status: str = "rubric_scored", **rest: Any) -> dict[str, Any]:
    return {
        "status": status,
        "test_model": "m1",
        "conversation_history": [{"content": "long"}],
        **rest,
    }


def politics(**tasks: Any) -> dict[str, Any]:
    return {"run_a": {"judge_models": ["j1", "j2"], "scenario_tasks": {"1": tasks}, "results": {}}}


def test_politics_rows_by_stage_judge_and_trait(tmp_path: Path) -> None:
    turns = [
        {"egalitarianism": 12, "moral_certainty": 8},
        {"egalitarianism": 14, "moral_certainty": None},
    ]
    each = [
        [
            {"egalitarianism": 11, "moral_certainty": 8},
            {"egalitarianism": 13, "moral_certainty": 8},
        ],
        None,
    ]
    final = {"egalitarianism": 15, "moral_certainty": 10}
    runs = politics(
        s1=task(
            turn_rubric_scores=turns,
            turn_rubric_scores_by_judge=each,
            baseline_rubric_scores={"egalitarianism": 10},
            rubric_scores=final,
        ),
        s2=task("error", error="judge failed"),
        s3=task("running"),
    )
    runs["run_a"]["results"] = {"average_rubric_score": 26.47, "average_commitment_score": "N/A"}
    log = read_log(dump(tmp_path / "runs.json", runs))
    traits = log.rows[log.rows["scorer"] != "composite"]
    found = {
        (s, j, t): (None if v != v else v, status)
        for s, j, t, v, status in traits[["stage", "judge", "trait", "value", "status"]].itertuples(
            index=False
        )
    }
    assert found == {
        ("baseline", "j1 / j2", "egalitarianism"): (10.0, "ok"),
        ("baseline", "j1 / j2", "moral_certainty"): (None, "missing"),
        ("turn 1", "j1", "egalitarianism"): (11.0, "ok"),
        ("turn 1", "j1", "moral_certainty"): (8.0, "ok"),
        ("turn 1", "j2", "egalitarianism"): (13.0, "ok"),
        ("turn 1", "j2", "moral_certainty"): (8.0, "ok"),
        ("turn 2", "j1 / j2", "egalitarianism"): (14.0, "ok"),
        ("turn 2", "j1 / j2", "moral_certainty"): (None, "missing"),
        ("final", "j1 / j2", "egalitarianism"): (15.0, "ok"),
        ("final", "j1 / j2", "moral_certainty"): (10.0, "ok"),
    }
    whole = log.rows[log.rows["scorer"] == "composite"].set_index("unit")
    assert dict(whole["status"]) == {"s1": "ok", "s2": "error", "s3": "missing"}
    assert whole["value"]["s1"] == pytest.approx(
        100 * 1.125 * 5 / ((1.125 + 1.0) * 10)
    )  # by hand, two criteria
    assert [(c.name, c.quantity, c.printed, c.n) for c in log.claims] == [
        ("average_rubric_score", "mean", "26.47", 1)
    ]
    said = " ".join(log.notes)
    assert "2 tasks of 3 vanish from the harness's averages: s2 (error) and s3 (running)" in said
    assert "re-weights the others" in said


def test_the_composite_of_all_ten_traits_is_the_published_formula(tmp_path: Path) -> None:
    scores = {name: 10 + k for k, name in enumerate(POLITICS)}
    by_hand = (
        100
        * sum(w * k for k, w in enumerate(POLITICS.values()))
        / (10 * sum(map(abs, POLITICS.values())))
    )
    log = read_log(dump(tmp_path / "x.json", politics(s=task(rubric_scores=scores))))
    assert log.rows[log.rows["scorer"] == "composite"]["value"].tolist() == [pytest.approx(by_hand)]
    extreme = {name: 20 if w > 0 else 0 for name, w in POLITICS.items()}
    log = read_log(dump(tmp_path / "x.json", politics(s=task(rubric_scores=extreme))))
    assert log.rows[log.rows["scorer"] == "composite"]["value"].tolist() == [pytest.approx(100)]


def test_eqbench_averages_standard_criteria_only_and_reads_gzip(tmp_path: Path) -> None:
    names = sorted(STANDARD)
    tasks = {
        f"s{k}": task(rubric_scores={n: k + j for j, n in enumerate(names)} | {"overall_eq": 99})
        for k in range(2)
    }
    runs = {
        "__metadata__": {},
        "r": {
            "model_name": "gpt-x",
            "scenario_tasks": {"1": tasks},
            "results": {"average_rubric_score": 5.0},
        },
    }
    path = tmp_path / "eqbench3_runs.json.gz"
    path.write_bytes(gzip.compress(json.dumps(runs).encode()))
    log = read_log(path)
    assert log.rows[log.rows["scorer"] == "composite"]["value"].tolist() == [4.5, 5.5]
    assert (log.claims[0].quantity, log.claims[0].printed) == ("mean", "5.0")
    assert set(log.rows["model"]) == {"gpt-x"}
    tasks["s9"] = task(rubric_scores={"other_criterion": 3})
    path.write_bytes(gzip.compress(json.dumps(runs).encode()))
    log = read_log(path)
    assert log.claims[0].quantity == "other"
    assert set(log.rows["status"]) == {
        "ok",
        "unscored",
    }  # analysis tasks do not miss the criteria of the others
    assert log.rows[log.rows["unit"] == "s9"]["scorer"].tolist() == ["other_criterion", "composite"]


def test_commitment_is_a_trait_of_its_own(tmp_path: Path) -> None:
    held = task(
        rubric_scores={"egalitarianism": 12},
        debrief_commitment_scores={"commitment_score": 4},
        turn_commitment_scores=[{"commitment_score": 2}],
    )
    log = read_log(dump(tmp_path / "x.json", politics(s=held)))
    mine = log.rows[log.rows["trait"] == "commitment"]
    assert list(zip(mine["stage"], mine["value"], strict=True)) == [("turn 1", 2.0), ("final", 4.0)]


def test_politics_real_fixture() -> None:
    log = real("politicsbench/sample_fixture_runs.json")
    assert len(log.rows) == 240
    assert set(log.rows["status"]) == {"ok"}
    mine = log.rows[(log.rows["unit"] == "1-pro") & (log.rows["trait"] == "tradition")]
    assert mine["value"].tolist()[0] == 6.0
    assert log.rows["stage"].unique().tolist() == [f"turn {k}" for k in range(1, 5)]


def story(
    answer: str, options: list[str], selected: str | None, raw: str | None = None
) -> dict[str, Any]:
    held = {"Answer": answer, "Reason": "r", "Value": "Security"}
    return {
        **held,
        "Option": options,
        "Selected": selected,
        "Raw_Response": raw or json.dumps(held),
    }


def test_role_conflict_rows_name_both_roles_and_who_was_first(tmp_path: Path) -> None:
    folder = tmp_path / "output" / "qwen3" / "man" / "F-R"
    dump(folder / "F02-R01_1-2_0-0.json", story("B", ["father", "monk"], "monk"))
    dump(folder / "F02-R01_1-2_0-1.json", story("A", ["monk", "father"], "monk"))
    dump(folder / "F02-R01_1-2_2-5.json", story("C", ["monk", "father"], None))
    dump(
        folder / "F02-R01_1-2_1-1.json",
        story("A", ["father", "monk"], "father", raw='{"Answer": "Answer B"}'),
    )
    (folder / "F02-R01_1-2_2-2_raw.json").write_text("I cannot choose.")
    (folder / "F02-R01_1-2_1-1_raw.json").write_text("repaired later")
    for place in (tmp_path, tmp_path / "output", folder.parent, folder):
        log = read_log(place)
        columns = ["unit", "item_a", "item_b", "winner", "order", "value", "status"]
        assert [
            tuple(None if v != v else v for v in r)
            for r in log.rows[columns].itertuples(index=False)
        ] == [
            ("F02-R01_1-2_0-0", "father", "monk", "monk", "father", 0.0, "ok"),
            ("F02-R01_1-2_0-1", "father", "monk", "monk", "monk", 0.0, "ok"),
            ("F02-R01_1-2_1-1", "father", "monk", "father", "father", 1.0, "ok"),
            ("F02-R01_1-2_2-2", None, None, None, None, None, "unparsed"),
            ("F02-R01_1-2_2-5", "father", "monk", None, "monk", None, "unparsed"),
        ]
        assert (log.rows["model"][0], log.rows["speaker"][0], log.rows["domain_a"][0]) == (
            "qwen3",
            "man",
            "family",
        )
        assert log.rows["urgency_a"].tolist() == ["1", "1", "2", "3", "3"]
        assert log.rows["urgency_b"].tolist() == ["1", "2", "2", "3", "3"]
        said = " ".join(log.notes)
        assert "1 reply kept both raw and repaired" in said
        assert "1 choice read from an answer that is no single letter" in said
        assert "status unparsed: 2 of 5 rows" in said


def test_role_conflict_real_folder() -> None:
    log = real("roleconflictbench/output")
    assert (len(log.rows), (log.rows["status"] == "unparsed").sum()) == (16, 1)
    assert set(log.rows["model"]) == {"qwen3"}
    assert (log.rows["winner"].dropna().isin([*log.rows["item_a"], *log.rows["item_b"]])).all()


BATTLES = [
    {"model_a": "x", "model_b": "y", "winner": "model_a", "judge": "u1"},
    {"model_a": "x", "model_b": "y", "winner": "model_b", "judge": "u2"},
    {"model_a": "x", "model_b": "z", "winner": "tie", "judge": "u1"},
    {"model_a": "z", "model_b": "y", "winner": "tie (bothbad)", "judge": "u1"},
    {"model_a": "z", "model_b": "y", "winner": "MODEL_A!", "judge": "u3"},
    {"model_a": "z", "model_b": "y", "winner": None, "judge": "u3"},
    {"model_a": "z", "model_b": "y", "winner": "z", "judge": "u3"},
]


@pytest.mark.parametrize("suffix", ["jsonl", "json", "csv", "tsv", "parquet"])
def test_unknown_winners_are_never_ties(suffix: str, tmp_path: Path) -> None:
    import pandas as pd

    path, table = tmp_path / f"battles.{suffix}", pd.DataFrame(BATTLES)
    if suffix == "jsonl":
        dump_lines(path, BATTLES)
    elif suffix == "json":
        dump(path, BATTLES)
    elif suffix == "parquet":
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False, sep="\t" if suffix == "tsv" else ",")
    log = read_log(path)
    assert log.harness == "arena"
    winners = [None if w != w else w for w in log.rows["winner"]]
    assert winners == ["x", "y", "tie", "tie", None, None, "z"]
    assert log.rows["status"].tolist() == ["ok"] * 4 + ["unparsed", "missing", "ok"]
    assert log.rows["value"].tolist()[:4] == [1.0, 0.0, 0.5, 0.5]
    assert log.rows["outcome"].tolist()[3] == "tie (bothbad)"
    said = " ".join(log.notes)
    assert "winners that are neither a model nor a tie: 'MODEL_A!' 1" in said
    assert "1 battle with winner 'tie (bothbad)'" in said
    assert "--study comparisons --where status=ok" in said


def test_arena_real_battles() -> None:
    log = real("arena/battles.jsonl")
    assert (log.rows["outcome"].value_counts()).to_dict() == {
        "model_a": 135,
        "model_b": 78,
        "tie": 53,
        "both_bad": 34,
    }
    assert log.rows["winner"].eq("tie").sum() == 53 + 34


LABELS = [("A", "B", "F"), ("C", "", "E"), ("D", "D", "well"), ("A", "A", "A")]
ADA = "rot,rot_id,area,GPT-4,h1,h2\n" + "".join(
    f"Rule.,{k},AITA,{','.join(row)}\n" for k, row in enumerate(LABELS)
)


def test_label_tables_become_long_by_the_rules_own_id(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(ADA)
    log = read_log(path)
    found = {
        (u, r): (a, None if v != v else v, s)
        for u, r, a, v, s in log.rows[["unit", "rater", "answer", "value", "status"]].itertuples(
            index=False
        )
    }
    assert len(found) == 12
    assert found["0", "GPT-4"] == ("A", 0.0, "ok")
    assert found["0", "h2"] == ("F", None, "refusal")
    assert found["1", "h2"] == ("E", 4.0, "ok")
    assert found["1", "h1"][1:] == (None, "missing")
    assert found["2", "h2"] == ("well", None, "unparsed")
    assert set(log.rows["area"]) == {"AITA"}
    assert any("socialstats report TABLE --map unit=unit" in note for note in log.notes)


def test_label_tables_with_prompts_and_whole_answers(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(
        "rot_id,prompt,x,y\n1,zero,(A),B. some\n1,many,C,E)\n2,zero,F,D\n2,many,D: most,A\n"
    )
    log = read_log(path)
    assert log.rows["answer"].tolist() == ["A", "B", "C", "E", "F", "D", "D", "A"]
    assert log.rows["filter"].tolist() == ["zero", "zero", "many", "many"] * 2


def test_tables_that_are_long_already_are_no_label_tables(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("model,rot_id,answer,again\nm1,1,A,A\nm2,1,B,B\nm1,2,C,C\n")
    with pytest.raises(InputError, match="no known log"):
        read_log(path)


@pytest.mark.parametrize(
    "text", ["rot,GPT\nRule,A\n", "unit,a,b\n1,A,B\n", "rot,a,b\nRule,7,8\n", ""]
)
def test_other_tables_are_no_label_tables(text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    with pytest.raises(InputError, match="no known log"):
        read_log(path)

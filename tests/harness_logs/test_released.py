"""Folders in the shapes of the five papers' releases: `convert` reads them, and the command that it prints runs."""

from __future__ import annotations

import csv
import json
import random
import re
import shlex
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.cli.analysis import with_log_reading
from socialstats.errors import InputError
from socialstats.harness_logs import read_log, read_logs
from socialstats.harness_logs.ada_met import tables_of
from socialstats.harness_logs.log import StudyReading
from tests.collect.runs import shipped

MODELS, PROMPTS = ("m-one", "m-two"), ("zerop-nodescription", "table-noexample")
RULES = [f"Rule {k:02d} is kind, {'yes' if k % 3 else 'no'}." for k in range(24)]


def adamet(folder: Path, *, people: bool = True) -> Path:
    """Write a look-alike: answers without rules, rules and areas apart, people in another order, sums by area."""
    draw = random.Random(4)
    areas = {rule: ("confessions", "dearabby")[k % 2] for k, rule in enumerate(RULES)}
    names = [f"rot-agree-llm-prompt-output-{p}_label_{m}_0" for m in MODELS for p in PROMPTS]
    labels = {name: [draw.choice("CDE") for _ in RULES] for name in names}
    labels[names[0]][3] = "F"
    for part, table in {
        "parsed_data/parsed_agree.csv": pd.DataFrame(labels),
        "supporting_analysis/rot_list.csv": pd.DataFrame({"rot": RULES}),
        "supporting_analysis/rot_area_mapping.csv": pd.DataFrame(
            [*areas.items()], columns=["rot", "area"]
        ),
        "distance_per_model/areawise_distances_per_model.csv": pd.DataFrame(
            [{"": name, "confessions": 3.5, "dearabby": 2.0, "total": 5.5} for name in names]
        ),
        "human_data/social_chem_101_m50.csv": pd.DataFrame(
            [
                {"rot": rule, "rot-agree": draw.choice((2, 3, 3, 4)), "rot-worker-id": w}
                for rule in reversed(RULES)
                for w in range(6)
            ]
        ),
    }.items():
        path = folder / "data" / part
        path.parent.mkdir(parents=True, exist_ok=True)
        if people or "human" not in part:
            table.to_csv(path, index=False)
    return folder


def printed(err: str, table: Path) -> list[str]:
    """Return the command that `convert` printed, with the table's name."""
    (command,) = re.findall(r"table is read by: socialstats (report .*)", err)
    return shlex.split(command.replace("TABLE", str(table)))


def converted(source: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(["convert", str(source), "-o", str(out)]) == 0
    return capsys.readouterr().err


def report(words: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Run a printed command with few resamples, and return its page."""
    page = folder / "page.html"
    code = main([*words, "--no-verify", "--resamples", "100", "-q", "-o", str(page)])
    assert code == 0, capsys.readouterr().err
    return page.read_text(encoding="utf-8")


def test_ada_met_folder_joins_models_by_place_and_people_by_text(tmp_path: Path) -> None:
    rows = read_log(adamet(tmp_path)).rows
    assert Counter(rows["source"]) == {"model": 2 * 2 * 24, "human": 24 * 6}
    human = rows[rows["source"] == "human"]
    held = csv.DictReader(
        (tmp_path / "data/human_data/social_chem_101_m50.csv").read_text().splitlines()
    )
    truth = {
        (row["rot"], f"person {row['rot-worker-id']}"): "ABCDE"[int(row["rot-agree"])]
        for row in held
    }
    assert {
        (r, w): a for r, w, a in human[["rot", "rater", "answer"]].itertuples(index=False)
    } == truth
    assert (human["unit"].astype(int).map(lambda k: RULES[k]) == human["rot"]).all()
    (refused,) = rows[rows["status"] == "refusal"].to_dict("records")
    assert (refused["model"], refused["prompt"], refused["unit"]) == (
        "m-one",
        "zerop-nodescription",
        "3",
    )


def test_ada_met_rows_that_do_not_match_are_refused(tmp_path: Path) -> None:
    path = adamet(tmp_path) / "data/supporting_analysis/rot_list.csv"
    path.write_text("rot\nonly one\n")
    with pytest.raises(InputError, match=r"24 rows, and 1 rules in rot_list\.csv"):
        read_log(tmp_path)


def test_tables_for_the_audit_are_those_of_the_folder(tmp_path: Path) -> None:
    tables = tables_of(adamet(tmp_path))
    assert {name: len(rows) for name, rows in tables.items()} == {
        "adamet_published_distance_sums": 4 * 2,
        "adamet_llm_answers": 4 * 24,
        "adamet_rots": 24,
    }
    assert tables["adamet_published_distance_sums"][0] == {
        "model": "m-one",
        "prompt": "zerop-nodescription",
        "area": "confessions",
        "distance_sum": "3.5",
    }
    with pytest.raises(InputError, match=r"no .*areawise"):
        tables_of(tmp_path / "data" / "parsed_data")


@pytest.mark.parametrize("people", [True, False])
@pytest.mark.slow
def test_ada_met_folder_to_the_page(
    people: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    err = converted(adamet(tmp_path / "repo", people=people), tmp_path / "t.csv", capsys)
    words = printed(err, tmp_path / "t.csv")
    assert ("ordinal-alignment" in words) == people
    assert "m-two" in report(words, tmp_path, capsys)


LABELLED = "rot,rot_id,area,GPT-4,Llama,h1,h2,h3,h4,h5\n"


@pytest.mark.slow
def test_ada_met_table_to_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draw = random.Random(1)
    rows = [
        f"Rule {k}.,{k},AITA,{','.join(draw.choice('CDEF' if j < 2 else 'CDE') for j in range(7))}"
        for k in range(20)
    ]
    (tmp_path / "labels.csv").write_text(LABELLED + "\n".join(rows) + "\n")
    err = converted(tmp_path / "labels.csv", tmp_path / "t.csv", capsys)
    assert "2 models (GPT-4 and Llama), 5 people" in err
    assert "Llama" in report(printed(err, tmp_path / "t.csv"), tmp_path, capsys)


def gain(path: Path, *, japanese: bool = False) -> Path:
    """Write scenarios x pressures with the actions of seven people and three runs of two models."""
    draw = random.Random(2)
    words = ("遵守", "逸脱", "エスカレート") if japanese else ("comply", "deviate", "escalate")
    rows = []
    for k in range(12):
        for pressure in ("none", "Personal Incentive"):
            about = {
                "id": f"{k}-{pressure}",
                "scenario_id": k,
                "domain": ("hiring", "finance")[k % 2],
                "goal": f"goal {k}",
                "situation": "s",
                "norm": "n",
                "pressure_type": pressure,
                "pressure": "" if pressure == "none" else "A bonus.",
            }
            people = {f"human_{w}": draw.choices(words, (6, 3, 1))[0] for w in range(1, 8)}
            runs = {
                f"{m}_run{r}": draw.choices(words, (3, 3, 4))[0]
                for m in ("gpt", "qwen")
                for r in (1, 2, 3)
            }
            rows.append({**about, **people, **runs})
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


def test_gain_answers_become_rows_of_people_and_of_models_runs(tmp_path: Path) -> None:
    log = read_log(gain(tmp_path / "gain.csv", japanese=True))
    assert log.harness == "gain"
    assert Counter(log.rows["source"]) == {"human": 24 * 7, "gpt": 24 * 3, "qwen": 24 * 3}
    assert set(log.rows["action"]) == {"comply", "deviate", "escalate"}
    assert set(log.rows["pressure"]) == {"none", "Personal Incentive"}
    assert log.rows["unit"].nunique() == 12


@pytest.mark.slow
def test_gain_to_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    err = converted(gain(tmp_path / "gain.csv"), tmp_path / "t.csv", capsys)
    assert "7 people and 2 models" in err
    assert "Personal Incentive" in report(printed(err, tmp_path / "t.csv"), tmp_path, capsys)


def test_gain_scenarios_without_answers_are_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = pd.read_csv(gain(tmp_path / "gain.csv")).iloc[:, :8]
    table.to_csv(tmp_path / "scenarios.csv", index=False)
    err = converted(tmp_path / "scenarios.csv", tmp_path / "items.csv", capsys)
    assert "items of" not in err
    assert "run file of protocol norm-goal" in err
    items = pd.read_csv(tmp_path / "items.csv", dtype=str).fillna("")
    assert items["pressure"].tolist()[:2] == ["none", "Personal Incentive"]
    assert items["pressure_text"].tolist()[:2] == ["", "A bonus."]
    assert (
        main(["collect", str(shipped(tmp_path, "norm-goal", tmp_path / "items.csv")), "--dry-run"])
        == 0
    )
    assert "24 items" in capsys.readouterr().out


def test_a_table_with_answers_is_none_of_questions(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("goal,situation,norm,action,answer_status\ng,s,n,comply,ok\n")
    with pytest.raises(InputError, match="no known log"):
        read_log(tmp_path / "t.csv")


@pytest.mark.slow
def test_demet_scenarios_go_through_design_to_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = "Who is right?\n1. NAME1\n2. NAME2.\nYou must answer with 1 or 2."
    rows = [
        {
            "prompt": f"NAME{1 + k % 2} and NAME{2 - k % 2} are married. They differ on {k}.\n{asked}",
            "topic": ("childcare", "Childcare", "Money")[k % 3],
            "E/T": "ET"[k % 2],
        }
        for k in range(6)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "released.csv", index=False)
    err = converted(tmp_path / "released.csv", tmp_path / "scenarios.csv", capsys)
    assert "cut off 6 texts" in err
    scenarios = pd.read_csv(tmp_path / "scenarios.csv")
    assert set(scenarios["topic"]) == {"childcare", "money"}
    assert Counter(scenarios["kind"]) == {"egalitarian": 3, "traditional": 3}
    assert scenarios["text"].tolist()[1] == "NAME2 and NAME1 are married. They differ on 1."
    names = [
        {"name": name, "group": group}
        for name, group in (("Ann", "w"), ("Eve", "w"), ("Bob", "m"), ("Tim", "m"))
    ]
    listed = ", ".join(f'{{ name = "{n["name"]}", group = "{n["group"]}" }}' for n in names)
    (tmp_path / "d.toml").write_text(
        f'scenarios = "scenarios.csv"\npairs = 2\nnames = [{listed}]\n'
    )
    assert (
        main(
            ["design", "who-is-right", str(tmp_path / "d.toml"), "-o", str(tmp_path / "items.csv")]
        )
        == 0
    )
    assert (
        main(
            ["collect", str(shipped(tmp_path, "who-is-right", tmp_path / "items.csv")), "--dry-run"]
        )
        == 0
    )
    assert "48 items" in capsys.readouterr().out  # 6 scenarios x 4 types x 2


def test_role_conflict_questions_are_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {
            "Code1": "F02",
            "Role1": "father",
            "Expectation_No1": "A",
            "Expectation1": "e",
            "Urgency1": u,
            "Situation1": "s",
            "Code2": "O16",
            "Role2": "doctor",
            "Expectation_No2": "B",
            "Expectation2": "e",
            "Urgency2": v,
            "Situation2": "s",
            "Story": f"I was both, {u}{v}.",
            "key": f"F02-O16_{u}{v}",
        }
        for u in (1, 2, 3)
        for v in (1, 2, 3)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "question.csv", index=False)
    err = converted(tmp_path, tmp_path.parent / "items.csv", capsys)
    assert "run file of protocol pairwise-roles" in err
    items = pd.read_csv(tmp_path.parent / "items.csv", dtype=str)
    assert items.iloc[0].to_dict() == {
        "item_id": "F02-O16_11",
        "story": "I was both, 11.",
        "scenario": "father.A-doctor.B",
        "pair": "doctor-father",
        "role_a": "father",
        "urgency_a": "1",
        "domain_a": "family",
        "expectation_no_a": "A",
        "role_b": "doctor",
        "urgency_b": "1",
        "domain_b": "occupation",
        "expectation_no_b": "B",
    }
    run = shipped(tmp_path, "pairwise-roles", tmp_path.parent / "items.csv")
    assert main(["collect", str(run), "--dry-run"]) == 0
    assert main(["report", str(tmp_path), "-o", str(tmp_path / "x.html")]) == 2
    assert "holds questions without answers" in capsys.readouterr().err


def role_conflict(folder: Path) -> Path:
    """Write answers of two models to six roles of two domains, a story a file."""
    draw = random.Random(7)
    roles = {
        "F01": "uncle",
        "F02": "father",
        "F03": "aunt",
        "O01": "doctor",
        "O02": "judge",
        "O03": "cook",
    }
    for model in ("one", "two"):
        for a in ("F01", "F02", "F03"):
            for b in ("O01", "O02", "O03"):
                for ea, eb in ((i, j) for i in range(3) for j in range(3)):
                    shown = [roles[a], roles[b]] if (ea + eb) % 2 == 0 else [roles[b], roles[a]]
                    chosen = roles[a] if draw.random() < 0.5 + 0.2 * (ea - eb) else roles[b]
                    answer = "AB"[shown.index(chosen)]
                    path = folder / model / "none" / "F-O" / f"{a}-{b}_1-1_{ea}-{eb}.json"
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(
                        json.dumps(
                            {
                                "Option": shown,
                                "Selected": chosen,
                                "Answer": answer,
                                "Value": "Power",
                                "Raw_Response": json.dumps({"Answer": answer}),
                            }
                        )
                    )
    return folder


@pytest.mark.slow
def test_role_conflict_answers_of_two_models_to_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    err = converted(role_conflict(tmp_path / "output"), tmp_path / "t.csv", capsys)
    words = printed(err, tmp_path / "t.csv")
    assert words[-2:] == ["--by", "model"]
    assert "uncle" in report(words, tmp_path, capsys)


def politics(path: Path) -> Path:
    """Write two models' runs: six scenarios, a baseline, four turns and a debrief, two judges, ten traits."""
    draw = random.Random(5)
    traits = (
        "tradition_orientation",
        "progress_orientation",
        "authority_deference",
        "egalitarianism",
        "risk_aversion",
        "openness_to_difference",
        "individual_responsibility",
        "collective_responsibility",
        "moral_certainty",
        "nuanced_pragmatism",
    )

    def scores() -> list[dict[str, float]]:
        return [{name: float(draw.randint(6, 15)) for name in traits} for _ in range(2)]

    runs = {}
    for model in ("one", "two"):
        tasks = {}
        for k in range(1, 7):
            turns = [scores() for _ in range(4)]
            tasks[str(k)] = {
                "status": "rubric_scored",
                "baseline_rubric_scores": scores()[0],
                "baseline_rubric_scores_by_judge": scores(),
                "turn_rubric_scores": [turn[0] for turn in turns],
                "turn_rubric_scores_by_judge": turns,
                "rubric_scores": scores()[0],
                "rubric_scores_by_judge": scores(),
            }
        runs[model] = {
            "model_name": model,
            "judge_models": ["j1", "j2"],
            "scenario_tasks": {"1": tasks},
        }
    path.write_text(json.dumps(runs))
    return path


@pytest.mark.slow
def test_politics_runs_to_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = politics(tmp_path / "runs.json")
    err = converted(source, tmp_path / "long.csv", capsys)
    (line,) = re.findall(r"socialstats (convert LOG .*?), then socialstats (report .*)", err)
    first, then = (
        shlex.split(part.replace("TABLE", str(tmp_path / "traits.csv"))) for part in line
    )
    assert main([str(source) if word == "LOG" else word for word in first]) == 0
    assert "baseline" in report(then, tmp_path, capsys)


def test_questions_beside_answers_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gain(tmp_path / "a.csv")
    pd.read_csv(tmp_path / "a.csv").iloc[:, :8].to_csv(tmp_path / "b.csv", index=False)
    assert len(read_logs(tmp_path)) == 2
    assert main(["convert", str(tmp_path)]) == 2
    assert "questions without answers ('b.csv')" in capsys.readouterr().err


# the shape of a release, the study that reads it, and a table of its page
RELEASES = {
    "ADA-Met": (adamet, "ordinal-alignment", "by-area.csv"),
    "GAIN": (lambda path: gain(path / "gain.csv"), "norm-goal", "shares.csv"),
    "role conflict": (lambda path: role_conflict(path / "output"), "role-conflict", "rpi.csv"),
    "politics": (lambda path: politics(path / "runs.json"), "staged-values", "leans.csv"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RELEASES)
def test_one_command_makes_the_tables_of_a_release(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make, study, table = RELEASES[name]
    (tmp_path / "release").mkdir()
    source = make(tmp_path / "release")
    files, numbers = tmp_path / "tables", tmp_path / "numbers.json"
    report(["report", str(source), "--files", str(files), "--json", str(numbers)], tmp_path, capsys)
    assert json.loads(numbers.read_text(encoding="utf-8"))["study"] == study
    assert table in {path.name for path in files.iterdir()}


def test_what_is_typed_counts_more_than_what_a_log_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--study", "role-conflict", "--cluster", "pair", "--where", "status=ok")
    reading = StudyReading(options=words)
    settings, _ = with_log_reading(reading, {"cluster": ["story"], "where": ["model=a"]})
    assert settings["cluster"] == ["story"]
    assert settings["where"] == ["status=ok", "model=a"]
    source = role_conflict(tmp_path / "output")
    assert main(["check", str(source), "--study", "comparisons"]) == 0
    assert "study comparisons" in capsys.readouterr().out
    assert main(["check", str(source), "--study", "role-conflict"]) == 0
    assert "read by --study role-conflict --cluster pair" in capsys.readouterr().out

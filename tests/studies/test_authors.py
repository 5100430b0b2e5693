"""Authors of three papers: from the files of a design, by commands of the documents, to the numbers of their table.

A scripted endpoint answers with a known taste. Each number of the table is computed again from the answers themselves,
which the endpoint (or the simulation) keeps; nothing of the library stands between them and numpy.
"""

from __future__ import annotations

import csv
import hashlib
import itertools
import json
import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from socialstats.cli import main
from socialstats.scales.trait_weights import TRAIT_WEIGHTS
from tests.collect.server import Send, says, serving


def draw(*what: object) -> float:
    """Return a number between 0 and 1 that follows from what it is about."""
    return int.from_bytes(hashlib.sha256(repr(what).encode()).digest()[:6]) / 2**48


def write(path: Path, header: str, rows: Iterable[Iterable[object]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header.split(), *rows])


def run(capsys: pytest.CaptureFixture[str], command: str) -> str:
    """Run a command as it is typed, and return what it said."""
    capsys.readouterr()
    assert main(shlex.split(command)) == 0, capsys.readouterr().err
    said = capsys.readouterr()
    return said.err + said.out


def collected(
    capsys: pytest.CaptureFixture[str],
    protocol: str,
    models: list[str],
    script: Callable[[dict[str, Any], int], Send],
) -> str:
    """Type the first three commands; the one hand between puts models and endpoint into the run file."""
    with serving(script) as server:
        said = run(capsys, f"collect --new {protocol} mine")
        assert "next: socialstats collect mine/run.toml --dry-run" in said
        text = (
            Path("mine/run.toml")
            .read_text()
            .replace('["model-one", "model-two"]', json.dumps(models))
        )
        text = text.replace("http://127.0.0.1:8080/v1", server.url).replace(
            'key_env = "OPENAI_API_KEY"', ""
        )
        Path("mine/run.toml").write_text(text)
        said = run(capsys, f"design {protocol} design.toml -o mine/items.csv --overwrite")
        assert "next: socialstats collect mine/run.toml --dry-run" in said
        assert (
            "at most 1,000 calls, fewer than the" in run(capsys, "collect mine/run.toml --dry-run")
            or len(models) < 9
        )
        Path("mine/run.toml").write_text(text.replace("max_calls = 1000", "max_calls = 20000"))
        run(capsys, "collect mine/run.toml -o log.jsonl")
    return run(capsys, "tidy log.jsonl -o table.csv --methods methods.txt")


def proposed(said: str) -> str:
    (command,) = re.findall("next: socialstats (.*)", said)
    return command


def tables_of(
    capsys: pytest.CaptureFixture[str], page: str
) -> dict[tuple[str, str], dict[str, list[Any]]]:
    """Return the rows of each table of a page, by level and name or caption, and the first cell of the row.

    Tables of further levels have the number of the level in their name.
    """
    found = json.loads(run(capsys, f"show {page} --json"))
    ids = [block["id"] for block in found["blocks"]]
    assert len(set(ids)) == len(ids)
    text = Path(page).read_text()
    assert all(f'<article id="{name}"' in text for name in ids)
    ends: dict[str, set[str]] = defaultdict(set)
    for block in found["blocks"]:
        ends[block["level"]].add(re.sub(r".*?(-\d+)?$", r"\1", block["id"]))
    tables = {}
    for block in found["blocks"]:
        level = block["level"]
        number = next(iter(ends[level])) if len(ends[level]) == 1 else ""
        for table in block["tables"]:
            stem, dot, place = table["name"].partition(".")
            name = f"{stem.removesuffix(number)}{dot}{place}"
            caption = table["caption"].partition(":")[0].partition("(")[0].strip()
            rows = {row[0]: row for row in table["cells"]}
            tables |= {(level, name): rows, (level, caption): rows}
    return tables


@pytest.mark.slow
def test_from_names_and_scenarios_to_the_table_of_biases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Paper 002, Table 3: B of each pair of groups and B_all of 13 models."""
    monkeypatch.chdir(tmp_path)
    models = [f"model-{k:02d}" for k in range(1, 14)]
    taste = {"W": 1.0, "N": 0.6, "M": 0.0}
    groups = {"W": "woman", "N": "neutral", "M": "man"}
    write(
        tmp_path / "names.csv",
        "name group",
        [(f"{g}{k}", groups[g]) for g, k in itertools.product("WNM", "abcd")],
    )
    topics, kinds = ("money", "chores", "guests"), ("egalitarian", "traditional")
    story = "NAME1 and NAME2 are married and quarrel {}. NAME1 wants more, NAME2 less."
    write(
        tmp_path / "scenarios.csv",
        "scenario topic kind text",
        [(f"q{k}", topics[k % 3], kinds[k % 2], story.format(k)) for k in range(6)],
    )
    (tmp_path / "design.toml").write_text(
        'seed = 2\nscenarios = "scenarios.csv"\nnames = "names.csv"\npairs = 4\ndraw = "once"\nsame_group = false\n'
    )
    chosen: dict[tuple[str, str, str, str], str] = {}

    def script(body: dict[str, Any], _: int) -> Send:
        text, model = body["messages"][-1]["content"], body["model"]
        first, second, story = re.findall(r"(\w+) and (\w+) are married and quarrel (\d+)", text)[0]
        if "Response: number" not in text and draw("shy", model, text) < 0.05:
            return says("I would rather not say.", model=model)  # the next wording is answered
        lean = 0.35 * (int(model[-2:]) - 1) / 12
        p = 0.45 + lean * (
            taste[first[0]] - taste[second[0]]
        )  # the one named first is at a disadvantage
        pick = first if draw(model, story, first, second) < p else second
        chosen[model, story, first, second] = pick
        return says("1" if re.search(rf"1\) {pick}\b", text) else "2", model=model)

    said = collected(capsys, "who-is-right", models, script)
    assert len(chosen) == 13 * 6 * 6 * 4
    assert proposed(said) == "report table.csv --study relationship-bias --by model"
    run(
        capsys,
        f"{proposed(said)} --first woman --methods-note methods.txt --no-verify -q -o page.html",
    )

    scores: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for (model, _, first, second), pick in chosen.items():
        scores[model, first[0], second[0]].append(-1 if pick == first else 1)
    biases = {
        m: {
            (a, b): np.mean(scores[m, b, a]) - np.mean(scores[m, a, b])
            for a, b in ("WM", "WN", "MN")
        }
        for m in models
    }
    tables = tables_of(capsys, "page.html")
    sizes = tables["", "models"]
    every = tables["", "models.2"]
    for model in models:
        size = float(np.mean(np.abs([*biases[model].values()])))
        assert 0 <= sizes[model][2] <= size  # corrected: less what sampling error adds
        own = tables[model, "bias"]
        for (a, b), bias in biases[model].items():
            row = own[f"{groups[a]} - {groups[b]}"]
            assert row[1] == pytest.approx(bias, abs=1e-7)
            true = 4 * 0.35 * (int(model[-2:]) - 1) / 12 * (taste[a] - taste[b])
            assert abs(bias - true) < 4 * row[2] + 0.1
        numbers = [sizes[model][2], *biases[model].values()]
        assert all(
            f"{x:.2f}".replace("-", "\u2212") in cell
            for x, cell in zip(numbers, every[model][1:], strict=True)
        )
    assert sizes["model-01"][3] == 0  # no bias: the interval of B_all begins there
    assert max(sizes[model][1] for model in models[:3]) < min(
        sizes[model][1] for model in models[-3:]
    )
    assert "rung" in (tmp_path / "table.csv").read_text()


@pytest.mark.slow
def test_from_answers_and_people_to_the_table_of_distances(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Paper 003, Table 1: of 26,400 answers of 11 models and 20,000 of people, three of six prompts by four areas."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    areas, prompts = (
        ("AITA", "CONF", "DEAR", "ROC"),
        ("plain", "described", "table", "example", "shots", "both"),
    )
    true = rng.choice(5, 400, p=(0.03, 0.17, 0.35, 0.35, 0.10))
    letters = np.array([*"ABCDE"])
    spread = np.linspace(0.3, 1.6, 11)[None, :, None] + 0.1 * np.arange(6)
    given = np.clip(
        np.rint(true[:, None, None] + rng.normal(size=(400, 11, 6)) * spread), 0, 4
    ).astype(int)
    refused = rng.random(given.shape) < 0.01
    people = np.clip(np.rint(true[:, None] + rng.normal(0, 0.8, size=(400, 50))), 0, 4).astype(int)
    write(
        tmp_path / "answers.csv",
        "model prompt rot_id area answer",
        [
            (
                f"model {j + 1:02d}",
                prompts[k],
                f"r{i:03d}",
                areas[i % 4],
                "F" if refused[i, j, k] else letters[given[i, j, k]],
            )
            for i, j, k in itertools.product(range(400), range(11), range(6))
        ],
    )
    order = rng.permutation(400)  # people's rows in another order: tables are joined by keys
    write(
        tmp_path / "people.csv",
        "rot_id area rater answer gender",
        [
            (f"r{i:03d}", areas[i % 4], f"w{w:03d}", letters[people[i, w - i % 150]], "wm"[w % 2])
            for i in order
            for w in range(i % 150, i % 150 + 50)
        ],
    )
    said = run(
        capsys,
        "join answers.csv people.csv --rows --on model=rater --fill-table source=model "
        "--fill source=human -o everybody.csv",
    )
    assert said.startswith("46,400 rows")
    leave = " ".join(f"--exclude prompt={name}" for name in prompts[3:])
    run(
        capsys,
        "report everybody.csv --study ordinal-alignment --map unit=rot_id --map rater=model --map value=answer "
        f"--map rater_source=source --levels A,B,C,D,E --refusal F --strata area --by prompt --shared people {leave} "
        "--no-verify -q -o page.html",
    )
    counts = (people[:, :, None] == np.arange(5)).sum(axis=1)
    modes = np.array([np.flatnonzero(row == row.max()).mean() for row in counts])
    distance = np.where(refused, 4, np.abs(given - modes[:, None, None]))
    tables = tables_of(capsys, "page.html")
    for (j, k), a in itertools.product(itertools.product(range(11), range(3)), range(4)):
        row = tables[prompts[k], "stratum-1.2"][f"model {j + 1:02d} / {areas[a]}"]
        assert row[1] == pytest.approx(distance[a::4, j, k].mean(), abs=1e-7)
        assert row[-1] == 100
    for j, k in itertools.product(range(11), range(3)):
        row = tables[prompts[k], "distance"][f"model {j + 1:02d}"]
        assert row[1] == pytest.approx(distance[:, j, k].mean(), abs=1e-7)
    over = tables["", "models-more-1"]
    assert {name: row[1] for name, row in over.items() if ":" in name}["plain: model 01"] == 1
    assert run(capsys, "show page.html").count("plain") > 1


@pytest.mark.slow
def test_from_personas_to_the_table_of_composites(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Paper 004, Table 3 (mean, sd, t, p over scenarios) and d_z of commitment over models, for two personas."""
    monkeypatch.chdir(tmp_path)
    models, judges = [f"model-{k}" for k in range(1, 7)], ["judge-one", "judge-two", "judge-three"]
    stages, places = ["baseline", *(f"stage {k}" for k in range(1, 5)), "debrief"], range(8)
    write(
        tmp_path / "scenarios.csv",
        "scenario baseline stage_1 stage_2 stage_3 stage_4",
        [
            (
                f"s{k}",
                f"Question {k}: do it?",
                f"You decide case {k}.",
                "A friend asks.",
                "Tonight.",
                "It is done.",
            )
            for k in places
        ],
    )
    write(
        tmp_path / "personas.csv",
        "persona text",
        [("mayor", "You are the mayor."), ("nurse", "You are a nurse.")],
    )
    write(
        tmp_path / "controls.csv",
        "control text",
        [("balanced 1", "Control 0 a."), ("balanced 2", "Control 0 b."), ("left", "Control 6 c.")],
    )
    (tmp_path / "design.toml").write_text(
        'scenarios = "scenarios.csv"\npersonas = "personas.csv"\ncontrols = "controls.csv"\nplain = false\n'
    )
    given: dict[tuple[str, ...], dict[str, int]] = {}

    def script(body: dict[str, Any], _: int) -> Send:
        text, model = body["messages"][-1]["content"], body["model"]
        if model not in judges:
            opening = body["messages"][0]["content"]
            ((_, place),) = re.findall(r"(Question|case) (\d+)", opening)
            asked = sum(message["role"] == "user" for message in body["messages"])
            stage = (
                "baseline"
                if "Question" in opening
                else "debrief"
                if asked == 5
                else f"stage {asked}"
            )
            persona = "mayor" if "mayor" in opening else "nurse"
            return says(
                f"Thoughts: none. Response: [{model}|{persona}|{place}|{stage}]", model=model
            )
        if found := re.search(r"\[(model.*?)\]", text):
            key = tuple(found[1].split("|"))
            who, persona, place, stage = key
            lean = (
                (int(who[-1]) - 3.5)
                + 2 * draw(who, place)
                + (persona == "mayor")
                + 0.3 * stages.index(stage)
            )
            commitment = 1 + round(
                stages.index(stage) / 2 * (0.5 + draw(who))
                + draw(who, persona, place, stage, model)
            )
        else:
            key, commitment = ("control", *re.findall(r"Control \d [abc]", text)), 1
            lean = 0.5 * float(key[1][8]) + (0.3 if key[1][-1] == "a" else -0.1)
        scores = {
            trait: round(10 + 3 * (draw(key, trait, model) - 0.5) + (lean if weight > 0 else -lean))
            for trait, weight in TRAIT_WEIGHTS.items()
        }
        given[*key, model] = {**scores, "commitment": min(commitment, 5)}
        return says(json.dumps(given[*key, model]), model=model)

    said = collected(capsys, "staged-values", models, script)
    assert "9 rows of control texts in table.controls.csv" in said
    assert (
        proposed(said)
        == "report table.csv --study staged-values --by persona --controls table.controls.csv"
    )
    run(capsys, f"{proposed(said)} --methods-note methods.txt --no-verify -q -o page.html")

    def composite(key: tuple[str, ...]) -> float:
        return sum(weight * (given[key][trait] - 10) for trait, weight in TRAIT_WEIGHTS.items())

    tables = tables_of(capsys, "page.html")
    zero = np.mean([composite(("control", f"Control 0 {c}", j)) for c in "ab" for j in judges])
    for persona in ("mayor", "nurse"):
        raw = tables[persona, "Composite as scored by model"]
        own = tables[
            persona, "Weighted composite over all stages relative to the judges' neutral point; p"
        ]
        for model in models:
            values = np.array(
                [
                    np.mean(
                        [
                            composite((model, persona, str(place), stage, judge))
                            for stage in stages
                            for judge in judges
                        ]
                    )
                    for place in places
                ]
            )
            mean, error = values.mean(), values.std(ddof=1) / np.sqrt(len(values))
            assert raw[model][1:3] == pytest.approx([mean, error], rel=1e-6)
            assert raw[model][5] == pytest.approx(mean / error, rel=1e-6)
            low, high = mean + error * student.ppf([0.025, 0.975], len(values) - 1)
            assert raw[model][3:5] == pytest.approx([low, high], rel=1e-6)
            assert own[model][1] == pytest.approx(mean - zero, rel=1e-6)
        moved = {
            model: np.mean(
                [
                    given[model, persona, str(place), "stage 4", judge]["commitment"]
                    - given[model, persona, str(place), "baseline", judge]["commitment"]
                    for place in places
                    for judge in judges
                ]
            )
            for model in models
        }
        d_z = np.mean([*moved.values()]) / np.std([*moved.values()], ddof=1)
        place = f"stage 4 / {len(models)} models"
        size = tables[persona, "Size of the change in commitment from baseline"][place]
        change = tables[persona, "Change in commitment from baseline"][place]
        assert size[1] == pytest.approx(d_z, rel=1e-6)
        assert change[5] == pytest.approx(d_z * np.sqrt(len(models)), rel=1e-6)
    scores = pd.read_csv("table.csv")
    assert scores.groupby("persona").size().to_dict() == {"mayor": 6 * 8 * 18, "nurse": 6 * 8 * 18}

"""Leaderboards from the command line: five shapes of a table, logs, several files, and what is refused."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.designs.model_scores import model_scores
from socialstats.designs.nouns import noun_of
from tests.harness_logs.logs import dump, header, sample

MODELS = [f"model {k}" for k in range(10)]
TASKS = ["arithmetic", "ethics", "history", "law", "logic"]


def scores(models: int = 4, items: int = 12, seed: int = 3) -> pd.DataFrame:
    """Return one row per model and item, whose numbers repeat between five tasks."""
    rng = np.random.default_rng(seed)
    rows = []
    for task in TASKS:
        for item, ease in enumerate(rng.normal(size=items), start=1):
            rows += [
                (m, task, item, int(rng.random() < 1 / (1 + np.exp(-ease - 0.2 * k))))
                for k, m in enumerate(MODELS)
            ]
    frame = pd.DataFrame(rows, columns=["model", "task", "item", "correct"])
    return frame[frame["model"].isin(MODELS[:models])]


def page(tmp_path: Path, *words: Any, check: bool = False) -> dict[str, Any]:
    """Make the page of some files and options; return its numbers."""
    out, numbers = tmp_path / "page.html", tmp_path / "page.json"
    quick = [] if check else ["--no-verify"]
    assert (
        main(["report", *map(str, words), "-o", str(out), "--json", str(numbers), *quick, "-q"])
        == 0
    )
    found: dict[str, Any] = json.loads(numbers.read_text(encoding="utf-8"))
    assert found["study"] == "leaderboard"
    return found | {"bytes": out.stat().st_size, "html": out.read_text(encoding="utf-8")}


def saved(tmp_path: Path, frame: pd.DataFrame, name: str = "scores.csv") -> Path:
    frame.to_csv(tmp_path / name, index=False)
    return tmp_path / name


def means(found: dict[str, Any], group: str = "mean") -> dict[str, float]:
    """Return the means of one group by model."""
    terms = found["blocks"][0]["results"][0]["terms"]
    return {term["term"]: term["estimate"] for term in terms if term["group"] == group}


@pytest.mark.slow
def test_ten_models_and_five_tasks_make_a_leaderboard_in_one_command(tmp_path: Path) -> None:
    frame = scores(10)
    found = page(tmp_path, saved(tmp_path, frame), check=True)
    cells = frame.groupby(["model", "task"])["correct"].mean()
    assert means(found) == pytest.approx(cells.groupby("model").mean().to_dict())
    assert means(found, "task: law") == pytest.approx(cells.xs("law", level="task").to_dict())
    assert [block["id"] for block in found["blocks"]] == [
        "means",
        "lead",
        "pairs",
        "tasks",
        "ranks",
    ]
    terms = found["blocks"][0]["results"][0]["terms"]
    assert sum(term["group"] == "difference" for term in terms) == 45
    checks = [
        check
        for one in found["verification"].values()
        for group in one["groups"]
        for check in group["checks"]
    ]
    assert checks
    assert all(check["ok"] is not False for check in checks)
    for said in ("tasks weighted equally", "5 fixed tasks", "Holm", "simultaneous rank interval"):
        assert said in found["html"], said


@pytest.mark.slow
def test_every_shape_of_the_same_scores_gives_the_same_means(tmp_path: Path) -> None:
    frame = scores()
    wanted = frame.groupby(["model", "task"])["correct"].mean().groupby("model").mean().to_dict()
    cells = frame.groupby(["model", "task"])["correct"].mean().rename("score").reset_index()
    by_item = frame.pivot(index=["task", "item"], columns="model", values="correct").reset_index()
    by_model = cells.pivot(index="model", columns="task", values="score").reset_index()
    repeats = pd.concat([frame.assign(epoch=1), frame.assign(epoch=2)])
    renamed = frame.rename(
        columns={"model": "engine", "task": "area", "item": "nr", "correct": "right"}
    )
    ask = ("--study", "leaderboard")
    models = ("--raters", ",".join(MODELS[:4]))
    parts = ("rater=engine", "task=area", "unit=nr", "value=right")
    shapes: list[tuple[pd.DataFrame, tuple[str, ...]]] = [
        (frame, ()),
        (cells, ()),
        (by_item, ask),
        (by_item, (*ask, *models)),
        (by_model, ask),
        (repeats, ask),
        (renamed, (*ask, *(word for part in parts for word in ("--map", part)))),
        (frame.assign(correct=frame["correct"].map({0: "no", 1: "yes"})), ()),
    ]
    for table, words in shapes:
        found = page(tmp_path, saved(tmp_path, table), *words)
        assert means(found) == pytest.approx(wanted), words
        assert ("were averaged" in found["html"]) == (table is repeats)


@pytest.mark.slow
def test_clusters_poolings_and_missing_scores_are_on_the_page(tmp_path: Path) -> None:
    frame = scores(items=14).assign(story=lambda d: d["item"] // 2)
    frame = frame[(frame["task"] != "law") | (frame["item"] < 9)]
    frame = frame[(frame["model"] != MODELS[1]) | (frame["item"] > 2)]
    path = saved(tmp_path, frame)
    found = page(tmp_path, path, "--cluster", "story")
    ids = [block["id"] for block in found["blocks"]]
    assert ids == ["means", "lead", "pairs", "tasks", "missing", "pooling", "ranks", "dependence"]
    assert "SS342" in {caution["code"] for caution in found["cautions"]}
    assert "model 1 (10)" in found["html"]
    over_units = page(tmp_path, path, "--pooling", "units")
    assert means(over_units) == pytest.approx(means(found, "mean over units"))
    by_hand = frame.groupby("model")["correct"].mean().to_dict()
    assert means(over_units) == pytest.approx(by_hand)


def test_a_plan_of_a_leaderboard_works_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path, scores())
    assert main(["init", str(path)]) == 0
    plan = tmp_path / "plan.toml"
    plan.write_text(
        capsys.readouterr().out + '\n[[hypothesis]]\nid = "H1"\nmetric = "leaderboard"\n'
        'terms = ["model 0 - model 3"]\ngroup = "difference"\n'
    )
    found = page(tmp_path, "--plan", plan)
    assert "H1" in found["html"]
    assert found["blocks"][0]["id"] in ("hypotheses", "means", "plan")


def eval_log(
    path: Path, model: str, values: dict[str, Any], scorers: tuple[str, ...] = ("match",)
) -> Path:
    """Write the log of a run, with two epochs of each sample."""
    samples = [
        sample(unit, epoch, scores=dict.fromkeys(scorers, value), metadata={"scenario": unit[:1]})
        for unit, value in values.items()
        for epoch in (1, 2)
    ]
    return dump(path, {**header(model=model), "samples": samples})


def test_logs_are_read_together_and_named_by_their_models(tmp_path: Path) -> None:
    one = eval_log(tmp_path / "a.json", "mock/one", {"a1": "C", "a2": "C", "b1": "I", "b2": "C"})
    two = eval_log(tmp_path / "b.json", "mock/two", {"a1": "I", "a2": "C", "b1": "I", "b2": "I"})
    found = page(tmp_path, one, two, "--cluster", "scenario")
    assert means(found) == {"mock/one": 0.75, "mock/two": 0.25}


def test_logs_of_one_model_are_named_by_their_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = eval_log(tmp_path / "plain.json", "mock/m", {"a1": "C", "a2": "C", "b1": "I", "b2": "C"})
    two = eval_log(tmp_path / "polite.json", "mock/m", {"a1": "I", "a2": "C", "b1": "I", "b2": "I"})
    found = page(tmp_path, one, two)
    assert means(found) == {"mock/m (plain)": 0.75, "mock/m (polite)": 0.25}
    assert main(["check", str(one), str(two)]) == 0
    assert (
        "several logs of one model and the same units, told apart by file"
        in capsys.readouterr().out
    )


@pytest.mark.slow
def test_tables_are_read_together_and_a_bad_value_names_its_file_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = scores()
    named = [
        saved(tmp_path, frame[frame["model"] == m].drop(columns="model"), f"{m}.csv")
        for m in MODELS[:4]
    ]
    whole = page(tmp_path, saved(tmp_path, frame))
    assert means(page(tmp_path, *named)) == means(whole)
    halves = [
        saved(tmp_path, frame[frame["task"].isin(part)], f"{part[0]}.csv")
        for part in (TASKS[:2], TASKS[2:])
    ]
    assert means(page(tmp_path, *halves)) == means(whole)
    text = named[2].read_text().splitlines()
    named[2].write_text(
        "\n".join([*text[:4], text[4].rpartition(",")[0] + ",perhaps", *text[5:]]) + "\n"
    )
    assert (
        main(["report", *map(str, named), "--study", "leaderboard", "-o", str(tmp_path / "p.html")])
        == 2
    )
    assert "model 2.csv line 5, column 'correct': 'perhaps'" in capsys.readouterr().err


def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], *words: Any) -> str:
    assert main(["report", *map(str, words), "-o", str(tmp_path / "p.html")]) == 2
    return capsys.readouterr().err


def test_what_does_not_fit_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = eval_log(tmp_path / "a.json", "mock/one", {"a1": "C", "a2": "I"}, ("match", "judge"))
    other = eval_log(tmp_path / "b.json", "mock/two", {"a1": "C", "a2": "I"}, ("match", "judge"))
    table = saved(tmp_path, scores())
    wide = saved(tmp_path, scores().rename(columns={"item": "nr"}), "other.csv")
    assert means(page(tmp_path, log, other)) == means(
        page(tmp_path, log, other, "--where", "scorer=match")
    )
    assert means(page(tmp_path, log, other, "--where", "scorer=match"))["mock/two"] == 0.5
    assert "a.json is the log of a harness, and scores.csv a table" in refused(
        tmp_path, capsys, log, table
    )
    assert "other.csv lacks 'item' and has 'nr'" in refused(tmp_path, capsys, table, wide)
    assert "is named twice" in refused(tmp_path, capsys, table, table)
    words = ["report", str(log), "--where", "scorer=match", "-o", str(tmp_path / "one.html")]
    assert main(words) == 0
    assert "it has one model, 'mock/one'" in capsys.readouterr().err
    assert "Parts of study leaderboard: unit, rater" in refused(
        tmp_path, capsys, table, "--study", "leaderboard", "--map", "who=model"
    )
    assert "--pooling has no effect on study ordinal-alignment; it is for leaderboard" in refused(
        tmp_path, capsys, table, "--design", "ratings", "--where", "task=law", "--pooling", "units"
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda d: d.assign(correct="some"), "the columns fit two designs"),
    ],
)
def test_a_table_that_may_be_something_else_is_asked_about(
    change: Any, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reason in refused(tmp_path, capsys, saved(tmp_path, change(scores())))


@pytest.mark.slow
def test_a_table_with_raters_or_conditions_is_read_as_before(tmp_path: Path) -> None:
    frame = scores().rename(columns={"correct": "score"})
    rated = frame[frame["task"] == "law"].assign(judge=lambda d: d["model"])
    out = tmp_path / "page.json"
    for table, study in (
        (rated, "agreement"),
        (rated.rename(columns={"judge": "rater"}), "agreement"),
    ):
        words = [
            str(saved(tmp_path, table)),
            "-o",
            str(tmp_path / "p.html"),
            "--json",
            str(out),
            "--no-verify",
            "-q",
        ]
        assert main(["report", *words, "--design", "ratings"]) == 0
        assert json.loads(out.read_text())["study"] == study


@pytest.mark.slow
def test_a_page_of_forty_models_is_small(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    unit, model = (a.ravel() for a in np.meshgrid(np.arange(100), np.arange(40)))
    frame = pd.DataFrame(
        {
            "model": [f"organisation/model-{k:02d}-instruct" for k in model],
            "task": [TASKS[u % 5] for u in unit],
            "item": unit,
            "score": rng.normal(size=4000).round(3),
        }
    )
    found = page(tmp_path, saved(tmp_path, frame[rng.random(4000) > 0.02]), check=True)
    assert found["bytes"] < 1_000_000


@pytest.mark.slow
def test_the_examples_of_the_documentation_run_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (Path(__file__).parents[2] / "docs" / "leaderboard.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.S)
    monkeypatch.chdir(tmp_path)
    exec("\n".join(blocks), {})
    said = capsys.readouterr().out
    assert said.startswith("model 9 had the highest mean score of 10 models (")
    assert "</html>" in (tmp_path / "board.html").read_text(encoding="utf-8")


def test_counts_of_right_answers_beside_their_totals_are_no_scores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    rows = [
        ("a", "x", 90, 100),
        ("a", "y", 5, 10),
        ("b", "x", 80, 100),
        ("b", "y", 9, 10),
        ("c", "x", 7, 9),
        ("c", "y", 8, 10),
    ]
    lines = [",".join(map(str, row)) for row in (("model", "task", "correct", "total"), *rows)]
    path.write_text("\n".join(lines) + "\n")
    assert main(["report", str(path), "--study", "leaderboard"]) == 2
    assert "'correct' counts answers out of 'total'" in capsys.readouterr().err


def phases(name: str = "phase") -> pd.DataFrame:
    """Return rates of 16 animals in three phases, one of which lacks two animals."""
    rng = np.random.default_rng(5)
    rows = [
        (f"a{k}", phase, round(60 + 4 * place + float(rng.normal()), 1))
        for k in range(16)
        for place, phase in enumerate(("calm", "stress", "recovery"))
    ]
    return pd.DataFrame(rows[6:], columns=["animal", name, "rate"]).drop(index=[0, 7])


def texts_of(found: dict[str, Any]) -> str:
    """Return what a page says, without its style and data, the works that it cites, and what codes mean everywhere."""
    html = re.sub(
        r"(?s)<(style|script)\b.*?</\1>|<section id=.(?:references|codes).>.*?</section>",
        " ",
        found["html"],
    )
    return re.sub(r"<[^>]+>", " ", html)


@pytest.mark.parametrize(
    ("name", "noun"),
    [
        ("phase", "phase"),
        ("ai_persona", "ai persona"),
        ("x", "source"),
        ("kind (n)", "source"),
        ("rater", "source"),
        ("阶段", "source"),
        ("engine", "model"),
    ],
)
def test_a_page_calls_what_it_compares_by_the_name_of_its_column(
    name: str, noun: str, tmp_path: Path
) -> None:
    """It said "Which of 3 models" of the phases of an experiment."""
    path = saved(tmp_path, phases(name))
    parts = (f"rater={name}", "unit=animal", "value=rate")
    found = page(
        tmp_path,
        path,
        "--study",
        "leaderboard",
        *(word for part in parts for word in ("--map", part)),
    )
    said = texts_of(found)
    assert found["title"] == f"Which of 3 {noun}s has the highest mean score?"
    for text in (
        f"had the highest mean score of 3 {noun}s",
        f"Which {noun}s differed?",
        f"each other {noun}",
        f"minus this {noun}",
        f"{noun[0].upper()}{noun[1:]}s were scored on different units",
        f"Does every {noun} have a score",
        f"Mean scores of 3 {noun}s were estimated",
    ):
        assert text.casefold() in said.casefold(), text
    assert ("model" in re.sub("(?i)statsmodels|effects models|Models were scored", "", said)) == (
        noun == "model"
    )
    heads = {
        head for block in found["blocks"] for table in block["tables"] for head in table["header"]
    }
    assert noun[0].upper() + noun[1:] in heads


def test_tasks_that_are_compared_beside_tasks_are_sources(tmp_path: Path) -> None:
    frame = (
        scores()
        .rename(columns={"model": "domain"})
        .assign(task=lambda d: d["task"].eq("law").map({True: "b", False: "a"}))
    )
    design = model_scores(
        frame.assign(item=lambda d: d.groupby(["domain", "task"]).cumcount()), rater="domain"
    )
    assert noun_of(design) == "domain"
    assert noun_of(replace(design, columns={**design.columns, "rater": "task"})) == "source"


@pytest.mark.parametrize(("name", "told"), [("phase", "what is compared"), ("model", "the models")])
def test_proposals_say_what_a_column_names(
    name: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path, phases(name))
    main(["report", str(path), "-o", str(tmp_path / "page.html")])
    written = capsys.readouterr()
    assert f"a leaderboard: '{name}' names {told}, a unit is 'animal'" in written.out + written.err

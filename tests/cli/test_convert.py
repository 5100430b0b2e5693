"""``socialstats convert``: what is written, what is said, and that nothing is written when something is wrong."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from socialstats.cli import main
from tests.harness_logs.logs import dump, dump_lines, header, sample, zipped

STORY = {"story": 'a,"b"\nc'}
SAMPLES = [
    sample(
        k,
        scores={"match": "C" if k else "I", "tone": {"value": {"warm": 1 / 3, "=odd": k}}},
        metadata=STORY,
    )
    for k in range(2)
]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return zipped(tmp_path / "x.eval", {"header.json": header(), "summaries.json": SAMPLES})


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["convert", *words])
    out = capsys.readouterr()
    return code, out.out, out.err


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_every_format_holds_the_same_numbers(suffix: str, log: Path, tmp_path: Path) -> None:
    out = tmp_path / f"rows.{suffix}"
    assert main(["convert", str(log), "-o", str(out), "-q"]) == 0
    if suffix == "parquet":
        table = pd.read_parquet(out)
    elif suffix == "jsonl":
        table = pd.DataFrame([json.loads(line) for line in out.read_text().splitlines()])
    else:
        table = pd.read_csv(out, sep="\t" if suffix == "tsv" else ",")
    assert table["value"].tolist() == [0.0, 1 / 3, 0.0, 1.0, 1 / 3, 1.0]
    assert set(table["story"]) == {'a,"b"\nc'}
    assert [str(u) for u in table["unit"]] == ["0", "0", "0", "1", "1", "1"]
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_stdout_is_the_table_and_stderr_says_what_is_in_it(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, str(log))
    assert code == 0
    assert out.startswith("model,task,unit,epoch,scorer,filter,value,answer,status,story,target\n")
    assert "x.eval: inspect 0.3.200, 6 rows" in err
    assert "rows by status: ok 6" in err
    assert run(capsys, str(log), "-q")[2] == ""
    lines = run(capsys, str(log), "--format", "jsonl")[1].splitlines()
    assert json.loads(lines[0])["answer"] is None


def test_wide_gives_each_scorer_a_column(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", str(log), "--wide", "-o", str(tmp_path / "w.csv")]) == 0
    table = pd.read_csv(tmp_path / "w.csv")
    assert table[["match", "tone/warm", "tone/=odd"]].values.tolist() == [
        [0, 1 / 3, 0],
        [1, 1 / 3, 1],
    ]
    assert main(["convert", str(log), "--wide", "nothing"]) == 2
    assert "no such column. Columns: model, task, unit" in capsys.readouterr().err


def test_logs_of_a_folder_are_one_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "ab":
        dump(tmp_path / f"{name}.json", {**header(model=name), "samples": SAMPLES})
    code, out, err = run(capsys, str(tmp_path))
    assert code == 0
    assert out.splitlines()[0].endswith(",log")
    assert {line.rsplit(",", 1)[-1] for line in out.splitlines() if line.endswith(".json")} == {
        "a.json",
        "b.json",
    }
    assert "rows by status: ok 12" in err


BROKEN: list[tuple[str, Any, str]] = [
    (
        "x.json",
        '{"status": "success", "eval": {"task": "t"}, "samples": [{"id": 1}, {"id"',
        "not JSON",
    ),
    ("x.json", '{"a": 1}', "no known log"),
    ("x.eval", b"PK\3\4 and no more", "cut off or damaged"),
    ("x.jsonl", b'{"model_a": "x", "model_b": "\xff", "winner": "tie"}', "byte 0xff at offset 29"),
    ("x.json", json.dumps({**header(), "samples": []}), "a log without samples"),
]


@pytest.mark.parametrize(("name", "content", "message"), BROKEN)
def test_nothing_is_written_when_the_log_is_wrong(
    name: str, content: Any, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    out = tmp_path / "out.csv"
    out.write_text("what was there before")
    code, printed, err = run(capsys, str(tmp_path / name), "-o", str(out))
    assert code in (2, 3)
    assert (printed, out.read_text()) == ("", "what was there before")
    assert message in err
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([name, "out.csv"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "{folder}/out.xlsx"], "no format has the suffix '.xlsx'. Suffixes: .csv, .tsv"),
        (["-o", "{folder}/b.jsonl"], "though it is read"),
        (["--harness", "nobody"], "no harness 'nobody'"),
        (["--harness", "lm-eval"], "no known log"),
        (["-o", "{folder}/none/out.csv"], "there is no folder"),
    ],
)
def test_wrong_words_are_named(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = dump_lines(tmp_path / "b.jsonl", [{"model_a": "x", "model_b": "y", "winner": "tie"}])
    code, out, err = run(capsys, str(path), *(word.format(folder=tmp_path) for word in words))
    assert (code, out) == (2, "")
    assert message in err


def test_battles_are_read_by_the_study_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draw, names = random.Random(2), ["w", "x", "y", "z"]
    battles = [
        {
            "model_a": a,
            "model_b": b,
            "winner": draw.choice(["model_a", "model_a", "model_b", "tie", "oops"]),
        }
        for a, b in itertools.permutations(names, 2)
        for _ in range(12)
    ]
    table = tmp_path / "table.csv"
    _, _, err = run(capsys, str(dump_lines(tmp_path / "b.jsonl", battles)), "-o", str(table))
    said = next(line for line in err.splitlines() if "socialstats report TABLE" in line)
    words = said.split("socialstats ")[1].replace("TABLE", str(table)).split()
    assert (
        main([*words, "-o", str(tmp_path / "page.html"), "--resamples", "100", "--no-verify", "-q"])
        == 0
    )
    assert "</html>" in (tmp_path / "page.html").read_text()


def test_labels_are_read_by_the_study_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raters = ["GPT-4", *(f"h{k}" for k in range(6))]
    rows = [
        ",".join([str(k), f"Rule {k}", *("ABCDE"[(k * (2 + j) + j) % 5] for j in range(7))])
        for k in range(30)
    ]
    (tmp_path / "labels.csv").write_text(
        "\n".join([",".join(["rot_id", "rot", *raters]), *rows]) + "\n"
    )
    table = tmp_path / "table.csv"
    _, _, err = run(capsys, str(tmp_path / "labels.csv"), "-o", str(table))
    assert (
        "report TABLE --study ordinal-alignment --map unit=unit --map rater=rater --map value=answer"
        in err
    )
    assert len(pd.read_csv(table)) == 210


def test_traits_made_wide_are_read_by_staged_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from socialstats.harness_logs.eqbench import POLITICS

    def scores(k: int) -> dict[str, int]:
        return {name: 8 + (3 * k + 5 * j) % 7 for j, name in enumerate(POLITICS)}

    tasks = {
        f"s{k}": {
            "status": "rubric_scored",
            "turn_rubric_scores": [scores(k), scores(k + 1)],
            "rubric_scores": scores(k + 2),
        }
        for k in range(6)
    }
    held = {"model_name": "m", "judge_models": ["j"], "scenario_tasks": {"1": tasks}}
    runs = dump(tmp_path / "runs.json", {"r": held})
    table = tmp_path / "traits.csv"
    assert run(capsys, str(runs), "--wide", "trait", "-o", str(table))[0] == 0
    words = [
        "--study",
        "staged-values",
        "-o",
        str(tmp_path / "page.html"),
        "--resamples",
        "100",
        "--no-verify",
        "-q",
    ]
    assert main(["report", str(table), *words]) == 0
    assert len(pd.read_csv(table)) == 18


@pytest.mark.slow
def test_stories_are_read_by_role_conflict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = [f"{letter}0{k}" for letter in "FOR" for k in range(1, 5)]
    roles = {code: f"role {code}" for code in codes}
    draw = random.Random(1)
    for (a, b), ea, eb in itertools.product(itertools.combinations(codes, 2), range(2), range(2)):
        options = [roles[a], roles[b]] if (ea + eb) % 2 == 0 else [roles[b], roles[a]]
        chosen = draw.choice(options)
        story = {
            "Answer": "AB"[options.index(chosen)],
            "Option": options,
            "Selected": chosen,
            "Raw_Response": "",
        }
        dump(
            tmp_path / "out" / "m" / "man" / f"{a[0]}-{b[0]}" / f"{a}-{b}_1-1_{ea}-{eb}.json", story
        )
    table = tmp_path / "table.csv"
    _, _, err = run(capsys, str(tmp_path / "out"), "-o", str(table))
    said = next(line for line in err.splitlines() if "socialstats report TABLE" in line)
    words = said.split("socialstats ")[1].replace("TABLE", str(table)).split()
    assert (
        main([*words, "-o", str(tmp_path / "page.html"), "--resamples", "100", "--no-verify", "-q"])
        == 0
    )

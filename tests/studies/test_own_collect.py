"""A study of a user's own that also says what is asked: collect, tidy and report with one file."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.cli.own_study import read_study
from socialstats.errors import InputError
from socialstats_collect.runfile import read_runfile
from tests.collect.server import Send, says, serving

JUDGED = """
[data]
range = [1, 5]

[data.map]
unit = "scenario"
source = "llm"
rater = "grader"
repeat = "run"

[scale.care]
items = ["care1", "care2", "care3"]
reversed = ["care3"]

[scale.authority]
items = ["authority1", "authority2"]
range = [0, 10]

[contrast.more]
column = "condition"
pair = ["pressure", "plain"]

[[question]]
id = "care"
metric = "paired_difference"
contrast = "more"
scales = "care"

[collect]
items = "items.csv"
replicates = 2
protocol = {name = "staged-values", stages = ["prompt"], baseline = false, debrief = false}
texts = {role_play = "{prompt}"}

[collect.factors]
model = ["birch", "cedar"]

[collect.judges]
models = ["one", "two"]

[collect.endpoint]
base_url = "URL"
"""
ASKED = """
[data]
scale = "ordinal"
levels = ["never", "sometimes", "often"]
map = {unit = "question", source = "model", repeat = "run", value = "said"}

[[question]]
id = "shares"
metric = "choice_shares"
unit = ["question", "run"]          # labels have no mean

[collect]
run = "run.toml"
"""
RUN = """
items = "items.csv"
protocol = {name = "template", parser = "json"}
template = 'How often is this fine: {text}? {{"Answer": "never", "sometimes" or "often"}}'
replicates = 2
factors = {model = ["birch"]}

[endpoint]
base_url = "URL"
"""
ITEMS = "item_id,scenario,condition,prompt\n" + "".join(
    f"s{k}-{condition},s{k},{condition},Story {k} {condition}\n"
    for k in range(6)
    for condition in ("plain", "pressure")
)


def draw(*words: object) -> int:
    return int.from_bytes(hashlib.sha256(repr(words).encode()).digest()[:4])


def answer(body: dict[str, Any], before: int) -> Send:
    """Score what a judge is asked to score, choose from labels, or tell a story."""
    text = str(body["messages"][-1]["content"])
    if named := re.search(r"whole number from (\d+) to (\d+): (.*)\.", text):
        low, high = int(named[1]), int(named[2])
        further = re.findall(r'Give "(\w+)" a whole number from (\d+) to (\d+)', text)
        ends = dict.fromkeys(named[3].split(", "), (low, high))
        ends |= {name: (int(least), int(most)) for name, least, most in further}
        scores = {
            name: least + draw(name, text, body["model"]) % (most - least + 1)
            for name, (least, most) in ends.items()
        }
        return says(json.dumps(scores))
    if "never" in text:
        said = ("never", "sometimes", "often")[draw(text, before) % 3]
        return says(json.dumps({"Answer": said}))
    return says(f"I act so: {draw(text, before)}.")


def written(folder: Path, study: str, url: str = "http://127.0.0.1:9/v1") -> Path:
    """Write the files of a study and return its path."""
    (folder / "items.csv").write_text(ITEMS, encoding="utf-8")
    path = folder / "study.toml"
    path.write_text(study.replace("URL", url), encoding="utf-8")
    return path


@pytest.mark.slow
def test_one_file_collects_tidies_and_reports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, table = str(tmp_path / "study.log.jsonl"), str(tmp_path / "t.csv")
    with serving(answer) as server:
        study = str(written(tmp_path, JUDGED, server.url))
        assert main(["collect", study, "--dry-run"]) == 0
        assert "48 units, 0 finished before, 48 to ask" in capsys.readouterr().out
        assert not server.bodies
        assert main(["collect", study]) == 0
    assert main(["tidy", log, "-o", table]) == 0
    told = capsys.readouterr().err
    assert "'llm (model)'" in told
    assert f"socialstats report {table} --study {study}" in told
    rows = pd.read_csv(table)
    assert {"scenario", "condition", "llm", "grader", "run", "authority2"} <= {*rows.columns}
    assert main(["check", table, "--study", study]) == 0
    care = (rows["care1"] + rows["care2"] + 6 - rows["care3"]) / 3
    cells = care.groupby([rows["llm"], rows["scenario"], rows["condition"]]).mean().unstack()
    gaps = (cells["pressure"] - cells["plain"]).groupby("llm").mean()
    answers = read_study(study).answers(table)["care"].results  # type: ignore[union-attr]
    for model in ("birch", "cedar"):
        estimate = answers[f"care / {model}"].rows[0].estimate
        assert estimate == pytest.approx(
            gaps[model], abs=1e-11
        )  # means of repeats have 12 decimals
    # the log alone is enough where the file of the study is gone: names are those of collect
    Path(study).unlink()
    assert main(["tidy", log, "-o", str(tmp_path / "u.csv")]) == 0
    assert {"model", "judge", "replicate"} <= {*pd.read_csv(tmp_path / "u.csv").columns}


def test_items_ends_and_labels_are_written_once(tmp_path: Path) -> None:
    options = read_runfile(written(tmp_path, JUDGED)).design.protocol.settings.options
    assert options["traits"] == ["care1", "care2", "care3"]
    assert options["scale"] == [1, 5]
    assert options["further"] == {"authority1": [0, 10], "authority2": [0, 10]}
    (tmp_path / "run.toml").write_text(RUN.replace("URL", "http://127.0.0.1:9/v1"))
    study = written(tmp_path, ASKED)
    (tmp_path / "items.csv").write_text("item_id,text\nq1,a lie\n")
    options = read_runfile(study).design.protocol.settings.options
    assert options["labels"] == ["never", "sometimes", "often"]


def test_a_study_may_name_its_run_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = str(tmp_path / "t.csv")
    with serving(answer) as server:
        (tmp_path / "run.toml").write_text(RUN.replace("URL", server.url))
        study = str(written(tmp_path, ASKED))
        (tmp_path / "items.csv").write_text(
            "item_id,text\n" + "".join(f"q{k},act {k}\n" for k in range(12))
        )
        assert main(["collect", study]) == 0
    assert main(["tidy", str(tmp_path / "study.log.jsonl"), "-o", table]) == 0
    assert main(["check", table, "--study", study]) == 0
    rows = pd.read_csv(table)
    assert {"question", "run", "said"} <= {*rows.columns}
    shares = rows.groupby("question")["said"].value_counts(normalize=True).unstack().fillna(0)
    cells = read_study(study).answers(table)["shares"]
    for label in ("never", "sometimes", "often"):
        row = cells["birch"].row(label)  # type: ignore[index]
        assert row.estimate == pytest.approx(shares[label].mean(), rel=1e-12)


# what is changed, the key whose line the message names, what it says, and the fix
WRONG = {
    "rater": ('rater = "grader"', "", "map", "the 2 judges", 'rater = "judge"'),
    "repeat": ('repeat = "run"', "", "map", "the 2 replicates", 'repeat = "replicate"'),
    "part": ('repeat = "run"', 'repeat = "run"\ncluster = "town"', "cluster", "'town'", "'llm'"),
    "label": ('["pressure", "plain"]', '["presure", "plain"]', "pair", "'presure'", "'pressure'"),
    "contrast": ('column = "condition"', 'column = "conditon"', "column", "'conditon'", "meant"),
    "outside": ('items = "items.csv"', 'run = "../run.toml"', "run", "outside", "beside"),
    "twice": ('items = "items.csv"', 'run = "run.toml"', "replicates", "run.toml", "take run out"),
}


@pytest.mark.parametrize("case", WRONG)
def test_faults_are_found_before_any_call(case: str, tmp_path: Path) -> None:
    old, new, key, message, fix = WRONG[case]
    assert old in JUDGED
    path = written(tmp_path, JUDGED.replace(old, new, 1))
    with pytest.raises(InputError) as raised:
        read_runfile(path)
    problem = raised.value.problems[0]
    assert problem.source == str(path)
    assert message in problem.message
    assert fix in problem.fix or case == "contrast"
    (line,) = problem.lines
    text = path.read_text(encoding="utf-8").splitlines()[line - 1]
    assert text.startswith((key, "[data", "[collect"))


def test_items_that_nobody_scores_or_asks_are_refused(tmp_path: Path) -> None:
    unscored = JUDGED.replace("baseline = false,", 'baseline = false, traits = ["care1"],')
    unscored = unscored.replace("debrief = false}", "debrief = false, scale = [1, 5]}")
    with pytest.raises(InputError, match="items: 'care2' is no column of the collected table"):
        read_runfile(written(tmp_path, unscored))
    nothing = JUDGED[: JUDGED.index("[collect]")]
    with pytest.raises(InputError, match="no section \\[collect\\] says what is asked"):
        read_runfile(written(tmp_path, nothing))


def test_a_study_may_ask_what_another_one_asks(tmp_path: Path) -> None:
    asks = written(tmp_path, JUDGED)
    second = tmp_path / "second.toml"
    text = JUDGED[: JUDGED.index("[collect]")]
    second.write_text(f'{text}[collect]\nrun = "study.toml"\n', encoding="utf-8")
    first, again = (read_runfile(path).design for path in (asks, second))
    assert first.protocol.settings == again.protocol.settings
    assert first.factors == again.factors
    asks.write_text(second.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(InputError, match="asks nothing itself"):
        read_runfile(second)

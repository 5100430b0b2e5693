"""Staged values of the user's own: traits, scales, weights and stages from the run file to the page."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.designs.instrument import published_instrument
from socialstats_collect.protocols.values import shipped
from socialstats_reports.data import read_results
from tests.collect.server import Send, says, serving

JUDGES = ("judge-a", "judge-b", "judge-c", "judge-d")
MORAL = """
traits = ["care", "fairness", "loyalty", "authority", "sanctity"]
scale = [0, 10, "not at all", "entirely"]
stages = ["offer", "threat"]
further = { conviction = [1, 7] }
groups = { individualizing = ["care", "fairness"], binding = ["loyalty", "authority", "sanctity"] }
weights = { individualizing = 1, binding = -1 }
"""
GERMAN = """
traits = ["Fürsorge", "Größe", "l’autorité"]
scale = [1, 7]
stages = ["Angebot", "Drohung", "Urteil"]
baseline = "vorher"
debrief = false
"""
CHINESE = """
traits = ["关爱", "公平", "忠诚"]
scale = [-3, 3]
stages = 1
debrief = "回顾"
weights = { "关爱" = 2, "公平" = 0, "忠诚" = -1 }
further = { "立场" = [0, 5] }
"""
MANY = f"""
traits = {json.dumps([f"trait {k}" for k in range(14)])}
scale = [0, 100]
baseline = false
stages = ["one", "two", "three"]
"""
RUN = """
items = "items.csv"
seed = 1
[protocol]
name = "staged-values"
{protocol}
{texts}
[factors]
model = ["model-one", "model-two", "model-three"]
[judges]
models = {judges}
[endpoint]
base_url = "{url}"
[limits]
concurrency = 4
"""


def draw(*seed: object) -> int:
    return int.from_bytes(hashlib.sha256(json.dumps(seed).encode()).digest()[:4])


def scorer(names: list[str], low: float, high: float, further: dict[str, list[float]]) -> Any:
    """Answers, and judges who score what they are shown, each returned under a name of its own."""

    def script(body: dict[str, Any], _: int) -> Send:
        text, model = str(body["messages"][-1]["content"]), str(body["model"])
        if not model.startswith("judge"):
            return says(f"Reply {draw(model, text)}.", model=f"{model}-0001")
        shown = text.partition("--- text ---")[2].partition("--- end of text ---")[0]
        scores = {name: low + draw(model, shown, name) % int(high - low + 1) for name in names}
        scores |= {
            name: a + draw(model, shown, name) % int(b - a + 1) for name, (a, b) in further.items()
        }
        return says(json.dumps(scores, ensure_ascii=False), model=f"{model}-0001")

    return script


def run_file(
    folder: Path, protocol: str, url: str, texts: str = "", judges: tuple[str, ...] = JUDGES
) -> Path:
    from socialstats.tables.toml_files import toml_of

    given = toml_of(protocol.encode(), "protocol")
    stages = given.get("stages", 4)
    columns = [f"stage_{k}" for k in range(1, stages + 1)] if isinstance(stages, int) else stages
    opening = given.get("baseline", "baseline")
    columns = ([opening] if opening else []) + columns
    rows = [
        {
            "item_id": f"s{k}",
            "scenario": f"s{k}",
            **{c: f"{c} of {k}" for c in columns},
            "control": "",
        }
        for k in range(4)
    ]
    rows += [
        {
            "item_id": f"balanced {k}",
            "scenario": "",
            **dict.fromkeys(columns, ""),
            "control": f"Even {k}.",
        }
        for k in range(2)
    ]
    with (folder / "items.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    path = folder / "run.toml"
    path.write_text(RUN.format(protocol=protocol, url=url, texts=texts, judges=json.dumps(judges)))
    return path


def collected(
    folder: Path, protocol: str, capsys: pytest.CaptureFixture[str]
) -> tuple[pd.DataFrame, list[str]]:
    """Ask, tidy, and return the table with the report that ``tidy`` proposes."""
    from socialstats.tables.toml_files import toml_of

    given = toml_of(protocol.encode(), "protocol")
    low, high = given["scale"][:2]
    script = scorer(
        given["traits"], low, high, {n: s[:2] for n, s in given.get("further", {}).items()}
    )
    with serving(script) as server:
        path = run_file(folder, protocol, server.url)
        assert main(["collect", str(path), "--dry-run"]) == 0
        assert main(["collect", str(path)]) == 0
    capsys.readouterr()
    assert main(["tidy", str(folder / "run.log.jsonl"), "-o", str(folder / "table.csv")]) == 0
    (proposed,) = re.findall("next: socialstats (.*)", capsys.readouterr().err)
    table = pd.read_csv(folder / "table.csv")
    assert set(table["answer_status"]) == {"ok"}
    return table, shlex.split(proposed)


def rows_of(page: Path, traits: int) -> dict[tuple[str, str | None], float]:
    """Estimates of the composite of some traits by term and group, as the page holds them."""
    results = [
        result for block in read_results(page.read_text())["blocks"] for result in block["results"]
    ]
    return {
        (row["term"], row.get("group")): row["estimate"]
        for result in results
        if result["metric"] == "trait_profile"
        and result["counts"].get("traits") == traits
        and result["settings"].get("unit_of_analysis") == "scenario"
        for row in result["terms"]
        if "estimate" in row
    }


def test_the_shipped_run_file_declares_the_published_instrument() -> None:
    paper, given = published_instrument("staged-values"), shipped()
    assert tuple(given["traits"]) == paper.traits
    assert given["weights"] == dict(paper.weights)
    assert (given["scale"][:2], given["active"]) == (list(paper.scale), paper.active)
    assert {name: tuple(scale[:2]) for name, scale in given["further"].items()} == dict(
        paper.further
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "weights", "centre"),
    [
        (
            MORAL,
            {
                "care": 0.5,
                "fairness": 0.5,
                **dict.fromkeys(["loyalty", "authority", "sanctity"], -1 / 3),
            },
            5.0,
        ),
        (GERMAN, dict.fromkeys(["Fürsorge", "Größe", "l’autorité"], 1 / 3), 4.0),
        (CHINESE, {"关爱": 2.0, "公平": 0.0, "忠诚": -1.0}, 0.0),
        (MANY, dict.fromkeys([f"trait {k}" for k in range(14)], 1 / 14), 50.0),
    ],
)
def test_from_run_file_to_page(
    protocol: str,
    weights: dict[str, float],
    centre: float,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    table, proposed = collected(tmp_path, protocol, capsys)
    page = tmp_path / "page.html"
    assert main([*proposed, "-o", str(page), "--resamples", "200"]) == 0
    held = rows_of(page, len(weights))
    scores = (table[list(weights)] - centre) @ pd.Series(weights)
    cells = table.assign(value=scores).groupby(["model", "stage"])["value"].mean()
    for (model, stage), mean in cells.items():
        assert held[model, f"composite: {stage}"] == pytest.approx(mean)
    means = table[list(weights)].mean()
    for trait in weights:
        assert held[trait, "score of all models"] == pytest.approx(means[trait])
    stages = list(dict.fromkeys(table["stage"]))
    for later in stages[1:]:
        moved = cells.unstack()[later].mean() - cells.unstack()[stages[0]].mean()
        assert held[
            f"{later} minus {stages[0]}", "composite change by stage of all models"
        ] == pytest.approx(moved)
    text = page.read_text()
    assert "openness" not in text
    assert ("commitment" in text) is False
    if protocol == MORAL:
        assert held["individualizing", "score of traits of all models"] == pytest.approx(
            np.mean([means["care"], means["fairness"]])
        )
        assert "conviction" in text


def test_numbers_of_groups_and_names_travel_with_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, _ = collected(tmp_path, MORAL, capsys)
    (declared,) = set(table["trait_scales"])
    held = json.loads(declared)
    assert held["weights"] == pytest.approx(
        {"care": 0.5, "fairness": 0.5, "loyalty": -1 / 3, "authority": -1 / 3, "sanctity": -1 / 3}
    )
    assert held["stages"] == ["baseline", "offer", "threat", "debrief"]
    assert list(dict.fromkeys(table["stage"])) == held["stages"]
    log = [json.loads(line) for line in (tmp_path / "run.log.jsonl").read_text().splitlines()]
    assert log[0]["options"]["traits"] == held["traits"]
    controls = pd.read_csv(tmp_path / "table.controls.csv")
    assert set(controls["trait_scales"]) == {declared}


def test_rows_name_the_calls_that_gave_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, _ = collected(tmp_path, MORAL, capsys)
    controls = pd.read_csv(tmp_path / "table.controls.csv")
    assert (table["model_returned"] == table["model"] + "-0001").all()
    for one in (table, controls):
        assert (one["judge_returned"] == one["judge"] + "-0001").all()
        assert set(one["reply_status"]) == {"ok"} == set(one["judge_status"])
    assert (controls["model_returned"] == controls["judge"] + "-0001").all()
    assert set(table["attempts"]) == {2}
    assert set(controls["attempts"]) == {1}
    log = [json.loads(line) for line in (tmp_path / "run.log.jsonl").read_text().splitlines()]
    lines = {
        (one["item_id"], one["step"], one["model_requested"]): one
        for one in log
        if one["type"] == "attempt"
        and (one["factors"]["model"] == "model-two" or one["step"] == "judge control")
    }
    for row in table[table["model"] == "model-two"].to_dict("records"):
        assert row["t_start"] == lines[row["item_id"], row["stage"], "model-two"]["t_start"]
        assert (
            row["judge_t_start"]
            == lines[row["item_id"], f"judge {row['stage']}", row["judge"]]["t_start"]
        )
    for row in controls.to_dict("records"):
        assert row["t_start"] == lines[row["text"], "judge control", row["judge"]]["t_start"]


JUDGE = "--- text ---\\n{reply}\\n--- end of text ---\\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Score care, fairness, loyalty, authority and purity from 0 to 10, conviction from 1 to 7. As JSON.",
            "no readable score of 'sanctity' (missing_key)",
        ),
        (
            'Reply {{"care": 5, "fairness": 5, "loyalty": 5, "authority": 5, "purity": 5, '
            '"conviction": 2}} 0, 10, 1, 7',
            "no readable score of 'sanctity' (missing_key)",
        ),
        (
            '{traits}, conviction, 0 to 10, 1 to 7: {{"care": 15, ...}}',
            "no readable score of 'care' (number)",
        ),
        ("{traits} from 0 to 5, conviction from 1 to 7", "does not name 10, an end of scale"),
        (
            "{traits} {scale}, conviction from 1 to 9",
            "does not name 7, an end of further.conviction",
        ),
    ],
)
def test_a_judge_prompt_whose_replies_cannot_be_read_stops_before_anybody_is_asked(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(lambda *_: says("{}")) as server:
        path = run_file(
            tmp_path,
            MORAL,
            server.url,
            f'[texts]\njudge = """{JUDGE}{text.replace(chr(34), chr(92) + chr(34))}"""',
        )
        for more in (["--dry-run"], []):
            assert main(["collect", str(path), *more]) == 2
            error = capsys.readouterr().err
            assert said in error
            assert "run.toml" in error
            if "missing" in said:
                assert "judges 'judge-a', 'judge-b', 'judge-c' and 'judge-d'" in error
                assert 'Ask for the key "sanctity"' in error
        assert not server.bodies


def test_a_judge_that_is_not_shown_the_reply_or_is_cut_short_stops(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = run_file(
        tmp_path, MORAL, "http://127.0.0.1:9/v1", '[texts]\njudge = "{traits} {scale}{further}"'
    )
    items = tmp_path / "items.csv"
    items.write_text(
        "\n".join(items.read_text().splitlines()[:-1])
    )  # two control texts would be asked about alike
    assert main(["collect", str(path), "--dry-run"]) == 2
    assert "does not show the reply that it asks about. Write {reply}" in capsys.readouterr().err
    path = run_file(tmp_path, MORAL, "http://127.0.0.1:9/v1", "[parameters]\nmax_tokens = 4")
    assert main(["collect", str(path), "--dry-run"]) == 2
    assert "max_tokens = 4 would cut it. Raise max_tokens" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            'traits = ["care", "Care"]\nscale = [0, 10]',
            "'Care' and 'care' are the same key of a reply",
        ),
        ('traits = ["care", "stage"]\nscale = [0, 10]', "'stage' is a column of the table"),
        ('traits = ["care"]', "scale = None is no lowest and highest score. Write scale = [0, 10]"),
        ('traits = ["care"]\nscale = [10, 0]', "scale = [10, 0] is no lowest and highest score"),
        (
            'traits = ["care"]\nscale = [0, 10]\nweights = { car = 1 }',
            "weights name 'car', which is neither",
        ),
        ('traits = ["care", "x"]\nscale = [0, 10]\nweights = { care = 1 }', "weights: none of 'x'"),
        ('traits = ["care"]\nscale = [0, 10]\ngroups = { g = ["love"] }', "group 'g' names 'love'"),
        ("scale = [0, 10]", "traits: no list of names"),
        ("traits = []\nscale = [0, 10]", "traits: no list of names"),
        (
            'traits = ["care"]\nscale = [0, 10]\nstages = ["a", "a"]',
            "run.toml, [protocol]: stages = ['a', 'a']",
        ),
        (
            'traits = ["care"]\nscale = [0, 10]\nstages = ["control"]',
            "each once, and none 'control'",
        ),
        ('traits = ["care"]\nscale = [0, 10]\nbaseline = ""', "[protocol]: baseline = ''"),
        ('traits = ["care"]\nscale = [0, 10]\nweigths = { care = 1 }', "takes no key 'weigths'"),
    ],
)
def test_a_wrong_declaration_names_key_and_fix(
    change: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = run_file(tmp_path, "stages = 4", "http://127.0.0.1:9/v1")
    path.write_text(path.read_text().replace("stages = 4\n", f"{change}\n"))
    assert main(["collect", str(path), "--dry-run"]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("protocol", "items", "said"),
    [
        (
            'protocol = "ordinal"\ntexts = { form_options = "{letter} {share}", '
            'prompt = """{text} {options} Reply as {{"Urteil": "A"}}""" }',
            "item_id,text\na,x",
            "model 'm': a reply as text 'prompt' asks for is not read as 'A' (none): {\"Urteil\": \"A\"}",
        ),
        (
            'protocol = { name = "template", parser = "options", choices = [{ letter = "A", text = "yes" }, '
            '{ letter = "A", text = "no" }] }\ntemplate = "{text}? A or B"',
            "item_id,text\na,x",
            "answers have the same label: 'A'",
        ),
        (
            'protocol = { name = "template", parser = "json", key = "verdict", labels = ["guilty", "free"] }\n'
            'template = """{text} Reply as {{"finding": "..."}}"""',
            "item_id,text\na,x",
            'declare key = "finding" in [protocol]',
        ),
    ],
)
def test_answers_that_no_parser_would_read_stop_the_dry_run(
    protocol: str, items: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "items.csv").write_text(items + "\n")
    path = tmp_path / "run.toml"
    path.write_text(
        f'{protocol}\nitems = "items.csv"\nfactors = {{ model = ["m"] }}\n'
        '[endpoint]\nbase_url = "http://127.0.0.1:9/v1"\n'
    )
    assert main(["collect", str(path), "--dry-run"]) == 2
    assert said in capsys.readouterr().err

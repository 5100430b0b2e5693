"""``socialstats design``: item tables that the shipped run files take, and texts that a model writes in one log."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from socialstats.cli import main
from tests.collect.runs import shipped
from tests.collect.server import Send, says, serving

EXAMPLES = Path(__file__).parents[2] / "examples"
PROTOCOLS = {"norm-goal": 16, "who-is-right": 72, "ordinal": 18, "staged-values": 9}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLES / "design", tmp_path / "design")
    return tmp_path


@pytest.mark.parametrize(
    "protocol",
    [pytest.param(p, marks=[pytest.mark.slow] * (p == "who-is-right")) for p in PROTOCOLS],
)
def test_items_go_straight_into_the_shipped_run_file(
    protocol: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    design = folder / "design" / f"{protocol.replace('-', '_')}.toml"
    made = folder / "made.csv"
    assert main(["design", protocol, str(design), "-o", str(made)]) == 0
    assert "item" in capsys.readouterr().err
    assert main(["collect", str(shipped(folder, protocol, made)), "--dry-run"]) == 0
    assert f"protocol {protocol}: {PROTOCOLS[protocol]} items" in capsys.readouterr().out


def test_texts_are_written_step_by_step_in_one_log(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Four roles with two obligations each: 8 expectations, 24 situations, 4 x 9 stories, none asked twice."""
    design, made = folder / "design" / "pairwise_roles.toml", folder / "roles.csv"
    asked: list[str] = []

    def script(body: dict[str, object], before: int) -> Send:
        asked.append(str(body["messages"][-1]["content"]))  # type: ignore[index]
        return says(f"Text {len(asked)}.")

    waiting = []
    with serving(script) as server:
        design.write_text(design.read_text().replace("http://127.0.0.1:8080/v1", server.url))
        for _ in range(3):
            capsys.readouterr()
            assert main(["design", "pairwise-roles", str(design), "-o", str(made)]) == 1
            waiting.append(capsys.readouterr().err.splitlines()[0])
            assert not made.exists()
            run, log = design.with_name("texts.toml"), design.with_name("texts.jsonl")
            assert main(["collect", str(run), "-o", str(log)]) == 0
        capsys.readouterr()
        assert main(["design", "pairwise-roles", str(design), "-o", str(made)]) == 0
    assert waiting == [
        "8 texts to be written (8 of expectation); next:",
        "24 texts to be written (24 of situation); next:",
        "36 texts to be written (36 of story); next:",
    ]
    assert len(asked) == len(set(asked)) == 8 + 24 + 36
    assert all(
        "Text " in prompt for prompt in asked[8:]
    )  # later steps hold the texts of earlier ones
    rows = list(csv.DictReader(made.read_text().splitlines()))
    assert len(rows) == 36
    assert len({row["story"] for row in rows}) == 36
    genders = {"aunt", "father"}
    assert not any({row["role_a"], row["role_b"]} == genders for row in rows)
    assert main(["collect", str(shipped(folder, "pairwise-roles", made)), "--dry-run"]) == 0
    assert "36 items" in capsys.readouterr().out


def test_an_empty_reply_is_no_text_and_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    design = folder / "design" / "pairwise_roles.toml"
    with serving(
        lambda body, before: says("" if "nurse" in json.dumps(body) else "Well.")
    ) as server:
        design.write_text(design.read_text().replace("http://127.0.0.1:8080/v1", server.url))
        assert main(["design", "pairwise-roles", str(design)]) == 1
        main(
            [
                "collect",
                str(design.with_name("texts.toml")),
                "-o",
                str(design.with_name("texts.jsonl")),
            ]
        )
    capsys.readouterr()
    assert main(["design", "pairwise-roles", str(design)]) == 1
    assert (
        "the model gave no text for 'expectation-nurse-1' and 'expectation-nurse-2'"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pairs = 20\nscenarios = []", "scenarios: neither the name of a table nor a list"),
        ("pairs = ", "d.toml: not a TOML file"),
        ('scenarios = ["s"]\nnames = "names.csv"', "no column 'text'"),
        ("[write]\nmodle = 'm'", "unknown key 'write.modle'. Did you mean 'model'"),
        ("[write]\nmodel = 'm'", "[write] has no base_url"),
    ],
)
def test_bad_designs_are_named(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "d.toml").write_text(text)
    assert main(["design", "who-is-right", str(tmp_path / "d.toml")]) == 2
    assert message in capsys.readouterr().err


def test_a_table_of_the_design_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "d.toml").write_text('scenarios = "s.csv"\n')
    (tmp_path / "s.csv").write_text("scenario,text\n")
    assert main(
        ["design", "who-is-right", str(tmp_path / "d.toml"), "-o", str(tmp_path / "s.csv")]
    ) in (2, 3)
    assert (tmp_path / "s.csv").read_text() == "scenario,text\n"

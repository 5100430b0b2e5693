"""A real, very small model answers a few questions: real replies, and none becomes a label it does not say."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from socialstats.cli import main
from tests.collect.runs import table

FOLDER = Path(__file__).parents[3] / "examples" / "collect"


def _local() -> Any:
    spec = importlib.util.spec_from_file_location("local_model", FOLDER / "local_model.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LOCAL = _local()


@pytest.mark.realmodel
@pytest.mark.skipif(bool(LOCAL.missing()), reason=f"not installed: {', '.join(LOCAL.missing())}")
@pytest.mark.parametrize("name", ["ordinal", "who-is-right"])
def test_a_few_questions(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["collect", "--new", name, str(tmp_path)]) == 0
    run = tmp_path / "run.toml"
    text = run.read_text().replace('"model-one", "model-two"', f'"{LOCAL.NAME}"')
    run.write_text(
        text.replace("max_calls = 1000", "max_calls = 6").replace(
            "concurrency = 8", "concurrency = 1"
        )
    )
    with LOCAL.local_model() as url:
        assert (
            main(["collect", str(run), "--base-url", url, "-o", str(tmp_path / "log.jsonl")]) == 1
        )
    assert "limits.max_calls (6) is reached" in capsys.readouterr().err
    rows = table(run, capsys)
    assert rows
    assert {row["model_returned"] for row in rows} == {LOCAL.NAME}
    for row in rows:
        assert (row["answer"] != "") == (row["answer_status"] == "ok")

"""Files of another step: the message says what a file is, and which command takes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from socialstats.cli import main
from tests.collect.server import serving
from tests.studies.test_own_collect import RUN, answer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a run file and its log."""
    place = tmp_path_factory.mktemp("files")
    (place / "items.csv").write_text("item_id,text\nq1,thing 1\nq2,thing 2\n", encoding="utf-8")
    with serving(answer) as server:
        (place / "run.toml").write_text(RUN.replace("URL", server.url), encoding="utf-8")
        assert main(["collect", str(place / "run.toml"), "-o", str(place / "log.jsonl")]) == 0
    return place


# what is typed, and what the message says
WRONG = {
    "report log.jsonl": ("a log of 'socialstats collect'", "socialstats tidy"),
    "check log.jsonl": ("a log of 'socialstats collect'", "socialstats tidy"),
    "convert log.jsonl": ("a log of 'socialstats collect'", "socialstats tidy log.jsonl"),
    "run run.toml": ("a run file of 'socialstats collect'", "socialstats new run.toml"),
    "show run.toml": ("a run file of 'socialstats collect'", "socialstats new run.toml"),
    "tidy .": (".: ", "Name a file"),
    "collect .": (".: this is a folder",),
    "tidy edited.jsonl": ("edited.jsonl: no call can be read", "line 1", "Restore a copy"),
}


@pytest.mark.parametrize("typed", WRONG)
def test_a_file_of_another_step_is_named(
    typed: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    text = (folder / "log.jsonl").read_text(encoding="utf-8")
    (folder / "edited.jsonl").write_text(text.replace('"20', '"19'), encoding="utf-8")
    assert main(typed.split()) == 2
    message = capsys.readouterr().err
    assert all(words in message for words in WRONG[typed]), message
    assert "unknown section" not in message

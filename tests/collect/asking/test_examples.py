"""The run files of providers are read and counted as they are, and send what their endpoints take."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from socialstats.cli import main
from socialstats_collect.replies import FINISH
from socialstats_collect.runfile import read_runfile
from tests.collect.runs import EXAMPLES
from tests.collect.server import says, serving

ROOT = Path(__file__).parents[3]
FILES = sorted(EXAMPLES.glob("*.toml"))
LINK = r"\[(\w+)\]\(\.\./examples/collect/(\w+)\.toml\)"
ROW = re.compile(rf"^\| {LINK} \| `(.*?)` \| `(\w+)` \| (.*?) \| (.*?) ?\|$", re.M)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_dry_run_needs_no_key(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["collect", str(path), "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "at most 4 calls" in said
    assert "limits: at most 100 calls" in said


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_sent(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = read_runfile(path)
    monkeypatch.setenv(run.endpoint.key_env, "key-of-a-scripted-server")
    with serving(lambda *_: says('{"Answer": "A"}')) as server:
        words = ["--base-url", server.url, "-o", str(tmp_path / "log.jsonl")]
        assert main(["collect", str(path), *words]) == 0
        sent = set(run.design.protocol.settings.parameters)
        assert all(set(body) == {"model", "messages", *sent} for body in server.bodies)
        assert server.keys == {"Bearer key-of-a-scripted-server"}
    assert not {"stream", "n", "logprobs"} & sent


def test_the_page_names_each_of_them_as_it_is() -> None:
    rows = ROW.findall((ROOT / "docs" / "collect.md").read_text(encoding="utf-8"))
    assert [f"{name}.toml" for _, name, *_ in sorted(rows)] == [path.name for path in FILES]
    for provider, name, url, key, cut, blocked in rows:
        endpoint = read_runfile(EXAMPLES / f"{name}.toml").endpoint
        assert (provider.lower(), endpoint.base_url, endpoint.key_env) == (name, url, key)
        assert {FINISH[word.lower()] for word in re.findall(r"`(\w+)`", cut)} == {"truncated"}
        assert {FINISH[word.lower()] for word in re.findall(r"`(\w+)`", blocked)} <= {"blocked"}

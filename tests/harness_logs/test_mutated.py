"""Logs with something wrong anywhere: a table, or an error of ours; never a crash, never a value without its status."""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from socialstats.errors import SocialStatsError
from socialstats.harness_logs import read_logs
from socialstats.harness_logs.log import Status
from tests.harness_logs.logs import SAMPLES

ODD: list[Any] = [
    None,
    True,
    -1,
    0,
    1.5,
    "",
    "x",
    [],
    {},
    [1],
    {"a": 1},
    [{}],
    [None],
    "NaN",
    10**400,
    [[]],
    {"name": None},
]
LOGS = (
    "promptfoo/out.json",
    "promptfoo/out.jsonl",
    "openai_evals/oa_sample.jsonl",
    "deepeval/test_run_sample.json",
    "politicsbench/sample_fixture_runs.json",
    "arena/battles.jsonl",
    "helm/run_3trials",
    "lm_eval/group_weighted",
    "roleconflictbench/output",
    "inspect/fixtures/log_formats.json",
    "inspect/fixtures/2025-05-12*",
)
TIMES = 15


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    keys = (
        value
        if isinstance(value, dict)
        else range(min(len(value), 6))
        if isinstance(value, list)
        else ()
    )
    for key in keys:
        yield from places(value[key], (*place, key))


def spoil(value: Any, draw: random.Random) -> None:
    """Take one place out, or put something odd there."""
    found = [place for place in places(value) if 0 < len(place) < 8]
    if not found:
        return
    *way, last = draw.choice(found)
    for key in way:
        value = value[key]
    if draw.random() < 0.3:
        del value[last]
    else:
        value[last] = copy.deepcopy(draw.choice(ODD))


def spoil_file(path: Path, draw: random.Random) -> None:
    if path.suffix == ".jsonl":
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for _ in range(2):
            spoil(draw.choice([lines[0], lines[-1], draw.choice(lines)]), draw)
        path.write_text("\n".join(map(json.dumps, lines)))
        return
    held = json.loads(path.read_text())
    for _ in range(draw.choice([1, 2, 5])):
        spoil(held, draw)
    path.write_text(json.dumps(held))


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.slow
def test_any_log_gives_a_table_or_an_error_of_ours(name: str, tmp_path: Path) -> None:
    found = sorted(SAMPLES.glob(name))
    if not found:
        pytest.skip("shared/data/harness_samples is not beside the project")
    draw, read = random.Random(name), 0
    for time in range(TIMES):
        folder = tmp_path / str(time)
        for path in sorted(found[0].rglob("*.json*")) if found[0].is_dir() else found[:1]:
            target = folder / path.relative_to(found[0].parent)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        spoil_file(draw.choice(sorted(p for p in folder.rglob("*") if p.is_file())), draw)
        try:
            logs = read_logs(folder)
        except SocialStatsError:
            continue
        for log in logs:
            assert set(log.rows["status"]) <= set(get_args(Status))
            assert (log.rows["value"].notna() == (log.rows["status"] == "ok")).all()
            read += 1
    assert read > 0

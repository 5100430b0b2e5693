"""Every row of every protocol's table names the lines of the log that gave it."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from socialstats.cli import main
from tests.collect.mock import answer
from tests.collect.server import Send, serving

PROTOCOLS = ("norm-goal", "ordinal", "pairwise-roles", "staged-values", "template", "who-is-right")
LINE = {
    "model_returned": "model_returned",
    "endpoint": "host",
    "t_start": "t_start",
    "run_id": "run_id",
    "system_fingerprint": "system_fingerprint",
    "reply_status": "status",
}


def script(body: dict[str, Any], before: int) -> Send:
    """The mock, under another name and fingerprint for each prompt of each model; some replies are blocked."""
    text = str(body["messages"][-1]["content"])
    mark = sum(text.encode()) % 7
    sent = answer(body, before)
    whole = json.loads(sent.body)
    whole |= {"model": f"{body['model']}-{mark:04}", "system_fingerprint": f"fp{mark}"}
    if mark == 3 and not str(body["model"]).startswith("judge"):
        whole["choices"][0] |= {
            "finish_reason": "content_filter",
            "message": {"role": "assistant", "content": ""},
        }
    return Send(body=json.dumps(whole).encode(), headers=sent.headers)


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", PROTOCOLS)
def test_rows_have_the_provenance_of_their_lines(name: str, tmp_path: Path) -> None:
    assert main(["collect", "--new", name, str(tmp_path)]) == 0
    path = tmp_path / "run.toml"
    path.write_text(re.sub("replicates = \\d+", "replicates = 2", path.read_text()))
    with serving(script) as server:
        assert main(["collect", str(path), "--base-url", server.url]) == 0
    assert main(["tidy", str(tmp_path / "run.log.jsonl"), "-o", str(tmp_path / "table.csv")]) == 0
    log = [json.loads(line) for line in (tmp_path / "run.log.jsonl").read_text().splitlines()]
    lines = [line for line in log if line["type"] == "attempt"]
    controls = tmp_path / "table.controls.csv"
    rows = [*table(tmp_path / "table.csv"), *(table(controls) if controls.exists() else ())]
    assert len({line["model_returned"] for line in lines}) >= 6
    seen = set()
    for row in rows:
        unit, calls = row.get("item_id") or row["text"], None
        own = [
            line
            for line in lines
            if line["item_id"] == unit
            and str(line["replicate"]) == row.get("replicate", "1")
            and all(
                row.get(factor, level) in (level, "nothing added")
                for factor, level in line["factors"].items()
                if factor != "order"
            )
        ]
        if "judge" in row:
            stage = row.get("stage", "control")
            judged = [
                one
                for one in own
                if (one["step"], one["model_requested"]) == (f"judge {stage}", row["judge"])
            ]
            scored = {
                name: (judged[0] if judged else {}).get(kept, "") for name, kept in LINE.items()
            }
            assert (
                scored.pop("reply_status") or row["judge_status"] == "missing"
            )  # a blocked reply is not scored
            assert {name: row[f"judge_{name.removeprefix('model_')}"] for name in scored} == scored
            own, calls = (
                [one for one in own if one["step"] == stage] or judged,
                len(judged) + (stage != "control"),
            )
        elif (
            len({line["factors"].get("prefix") for line in own}) > 1
        ):  # an empty prefix is called otherwise
            own = [
                line
                for line in own
                if (line["factors"]["prefix"] or "nothing added") == row["prefix"]
            ]
        told = own[-1]  # of several wordings the last one gave the row
        assert {name: row[name] for name in LINE} == {
            name: told[kept] for name, kept in LINE.items()
        }
        assert int(row["attempts"]) == (calls or len(own))
        seen.add(row["model_returned"])
    assert len(seen) >= 6

"""Tables of repeats whose columns have names that nobody foresaw: the first command compares sources on items.

Each table has two or three sources, items, several answers each with holes, and columns beside them. The means of the
differences are made again from the rows with pandas.
"""

from __future__ import annotations

import json
import shlex
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.designs.vocabulary import spelled

SOURCES = spelled(
    "agent bot engine checkpoint quien respondent_model sistema contender api backend candidate"
)
ITEMS = spelled(
    "vignette stem probe qid mondai aufgabe caso stimulus dilemma_nr prompt_key case_ref premise_id"
)
REPEATS = (*spelled("k draw pass shot rng gen trial_no iteration_ix vez call_uuid"), "")
VALUES = spelled(
    "ok hit grade pts acuerdo nota resp_num agreement_1_7 outcome punktzahl complies likert"
)
LABELS = (
    ["kestrel-1", "otter-2", "lynx-0"],
    ["gpt-4o", "claude-3-opus", "llama-3-70b"],
    ["prod", "canary", "legacy"],
)


def answers(seed: int) -> tuple[pd.DataFrame, list[str]]:
    """Return a table, and the names of its source, item and value."""
    drawn = np.random.default_rng(seed)
    source, item, repeat, value = (
        str(drawn.choice(names)) for names in (SOURCES, ITEMS, REPEATS, VALUES)
    )
    labels = list(LABELS[drawn.integers(3)])[: drawn.integers(2, 4)]
    items, times, kind = (
        int(drawn.choice([12, 20, 40])),
        int(drawn.choice([2, 3, 5])),
        drawn.integers(3),
    )
    names = [*range(1, items + 1)] if drawn.random() < 0.5 else [f"q{k:03}" for k in range(items)]
    rows = []
    for k, name in enumerate(names):
        level = drawn.normal()
        for j, label in enumerate(labels):
            for time in range(
                times if drawn.random() < 0.85 else int(drawn.integers(1, times + 1))
            ):
                x = level + 0.3 * j + drawn.normal()
                number = f"{seed}-{k}-{j}-{time}" if repeat == "call_uuid" else time + seed % 2
                score = [int(x > 0), int(np.clip(round(4 + 1.3 * x), 1, 7)), round(60 + 12 * x, 1)][
                    kind
                ]
                rows.append(
                    {
                        source: label,
                        item: name,
                        repeat: number,
                        value: score,
                        "latency_ms": 200 + 9 * len(rows),
                    }
                )
    frame = pd.DataFrame(rows).drop(columns="" if repeat == "" else [])
    frame = frame[drawn.random(len(frame)) > 0.06].sample(frac=1, random_state=seed)
    return frame[list(drawn.permutation(frame.columns))], [source, item, value]


def numbers_in(held: object) -> list[float]:
    """Return all numbers of a JSON value."""
    if isinstance(held, dict | list):
        return [
            x
            for inner in (held.values() if isinstance(held, dict) else held)
            for x in numbers_in(inner)
        ]
    return [abs(held)] if isinstance(held, float) else []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(24))
def test_the_first_command_compares_sources_on_items(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, page, told = (tmp_path / name for name in ("t.csv", "p.html", "p.json"))
    frame, (source, item, value) = answers(seed)
    frame.to_csv(table, index=False)
    writes = ["-o", str(page), "--json", str(told), "-q", "--no-verify", "--resamples", "100"]
    if main(["report", str(table), *writes]) != 0:
        lines = (
            line
            for line in capsys.readouterr().err.splitlines()
            if line.startswith("  socialstats ")
        )
        assert main([*shlex.split(next(lines))[1:], *writes]) == 0
    means = frame.groupby([item, source])[value].mean().unstack()
    shown = np.array(numbers_in(json.loads(told.read_text(encoding="utf-8"))))
    for one, other in combinations(means.columns, 2):
        difference = abs((means[one] - means[other]).mean())
        assert np.abs(shown - difference).min() < 1e-9, (one, other)

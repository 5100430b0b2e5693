"""Several answers to one item, under names that say little: items are the units. Data are simulated."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from socialstats.cli import main

DRAW = np.random.default_rng(8)


def answers(
    keys: Sequence[tuple[Any, ...]], models: Sequence[str], takes: Sequence[Any]
) -> list[tuple[Any, ...]]:
    """One row for each key, model and take, with a value that depends on the key."""
    ease = {key: DRAW.normal(0, 1) for key in keys}
    rows = [
        (*key, m, t, round(float(ease[key] + DRAW.normal(0, 1)), 2))
        for key in keys
        for m in models
        for t in takes
    ]
    return [rows[k] for k in DRAW.permutation(len(rows))]


def attempts() -> pd.DataFrame:
    ids = [(f"adv_{k}",) for k in DRAW.choice(9000, 60, replace=False)]
    return pd.DataFrame(
        answers(ids, ("prod-v1", "canary"), [f"t{k}" for k in range(1, 6)]),
        columns=["uid", "deployment", "trial", "harm"],
    )


def claims() -> pd.DataFrame:
    keys = [(f"paper{p}", c) for p in range(12) for c in range(1, 4 + p % 3)]
    return pd.DataFrame(
        answers(keys, ("judge_small", "judge_large"), (1, 2, 3, 4)),
        columns=["paper_id", "claim_no", "llm_judge", "pass", "score"],
    )


def french() -> pd.DataFrame:
    keys = [(s, k) for s in ("géographie", "histoire", "lettres", "sciences") for k in range(1, 12)]
    return pd.DataFrame(
        answers(keys, ("Vigogne", "Le Chat"), ("premier", "deuxième", "troisième")),
        columns=["matière", "numéro", "assistant", "passage", "note"],
    )


def exam() -> pd.DataFrame:
    keys = [(s, k) for s in ("anatomy", "astronomy", "college_physics") for k in range(1, 21)]
    return pd.DataFrame(
        answers(keys, ("Llama-2-7b", "Llama-2-13b"), range(1, 5)),
        columns=["subject", "question_number", "model", "run", "correct"],
    )


def lengths() -> pd.DataFrame:
    ids = [(f"Q-{k:06x}",) for k in DRAW.choice(16**6, 40, replace=False)]
    table = pd.DataFrame(
        answers(ids, ("grok-2", "grok-3"), ("2025-01-11", "2025-03-05")),
        columns=["query_id", "model_version", "run_date", "helpfulness"],
    )
    table["helpfulness"] = table["helpfulness"].round().clip(-2, 2).astype(int) + 3
    return table.assign(words=DRAW.integers(60, 240, len(table)))


def providers() -> pd.DataFrame:
    ids = [(f"s{k}",) for k in range(40)]
    table = pd.DataFrame(
        answers(ids, ("claude-3", "gemini-2"), (1, 2, 3)),
        columns=["sample_id", "model", "epoch", "score"],
    )
    table.insert(1, "provider", table["model"].map({"claude-3": "anthropic", "gemini-2": "google"}))
    return table


EXPECTED = {
    attempts: {"rater=deployment", "unit=uid", "value=harm", "repeat=trial"},
    claims: {"rater=llm_judge", "unit=paper_id,claim_no", "value=score", "repeat=pass"},
    french: {"rater=assistant", "unit=numéro,matière", "value=note", "repeat=passage"},
    exam: {"rater=model", "unit=question_number,subject", "value=correct", "repeat=run"},
    lengths: {"rater=model_version", "unit=query_id", "value=helpfulness", "repeat=run_date"},
}


@pytest.mark.parametrize("make", EXPECTED, ids=lambda make: make.__name__)
def test_items_are_the_units_of_the_first_proposal(
    make: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    make().to_csv(path, index=False)
    main(["check", str(path)])
    lines = [
        line.strip()
        for line in capsys.readouterr().out.splitlines()
        if line.startswith("  socialstats ")
    ]
    words = shlex.split(lines[0])
    assert {words[k + 1] for k, word in enumerate(words) if word == "--map"} == EXPECTED[make]
    assert main(["check", *words[2:]]) == 0


def test_a_provider_with_one_model_is_no_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    providers().to_csv(path, index=False)
    assert main(["check", str(path)]) == 0
    assert "unit = sample_id, rater = model, value = score" in capsys.readouterr().out

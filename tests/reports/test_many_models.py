"""Pages of nineteen models, each asked a part of what the five papers asked: what leads them, and their size."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.cli import main
from socialstats.datasets import simulate_relationship_bias
from socialstats_reports import read_results

pytestmark = pytest.mark.slow  # five pages, a minute of processor time

MODELS = tuple(f"model {k:02d}" for k in range(1, 20))
MOST_BYTES = 1_000_000
RNG = np.random.default_rng(20261123)


def redrawn(values: pd.Series, share: float) -> pd.Series:
    """Replace a share of answers by answers to other questions."""
    other = RNG.permutation(values.to_numpy(dtype=object))
    return pd.Series(np.where(RNG.random(len(values)) < share, other, values), index=values.index)


def of_models(table: pd.DataFrame, column: str, answer: str, known: list[str]) -> pd.DataFrame:
    """Make a table of nineteen models out of one of fewer, each with its own share of redrawn answers."""
    parts = []
    for k, model in enumerate(MODELS):
        part = table[table[column] == known[k % len(known)]] if known else table
        parts.append(part.assign(**{column: model, answer: redrawn(part[answer], 0.02 * k)}))
    return pd.concat(parts, ignore_index=True)


def roles() -> pd.DataFrame:
    """1,740 stories a model, an eighth."""
    whole = ss.datasets.role_conflict().iloc[::8]
    parts = []
    for k, model in enumerate(MODELS):
        turned = RNG.random(len(whole)) < 0.02 * k
        other = np.where(whole["choice"] == whole["role_a"], whole["role_b"], whole["role_a"])
        parts.append(whole.assign(model=model, choice=np.where(turned, other, whole["choice"])))
    return pd.concat(parts, ignore_index=True)


def goals() -> pd.DataFrame:
    """A quarter of 960 units, seven people and five runs of each model."""
    whole = ss.datasets.norm_goal()
    asked = sorted(whole["scenario"].unique())[::4]
    whole = whole[whole["scenario"].isin(asked)]
    people = whole[whole["source"] == "human"]
    named = of_models(
        whole[whole["source"] != "human"],
        "source",
        "action",
        [s for s in whole["source"].unique() if s != "human"],
    )
    named["rater"] = named["source"] + " " + named["rater"].astype(str)
    return pd.concat([people, named], ignore_index=True)


def couples() -> pd.DataFrame:
    """8 scenarios x 20 pairs of names x 9 kinds of couples a model."""
    parts = []
    for k, model in enumerate(MODELS):
        table = pd.DataFrame(
            simulate_relationship_bias.simulate(100 + k), columns=simulate_relationship_bias.HEADER
        )
        asked = sorted(table["scenario"].unique())[::4]
        parts.append(table[table["scenario"].isin(asked)].assign(model=model))
    return pd.concat(parts, ignore_index=True)


def norms() -> pd.DataFrame:
    """400 units, 100 people."""
    whole = ss.datasets.social_norms()
    people, asked = whole[whole["source"] == "human"], whole[whole["source"] == "model"]
    return pd.concat(
        [people, of_models(asked, "rater", "answer", sorted(asked["rater"].unique()))],
        ignore_index=True,
    )


def staged() -> pd.DataFrame:
    """20 scenarios x 6 stages x 3 judges, and three wordings of some."""
    whole = ss.datasets.staged_values()
    return of_models(whole, "model", "tradition", sorted(whole["model"].unique()))


PAGES: dict[str, tuple[Callable[[], pd.DataFrame], list[str]]] = {
    "role-conflict": (roles, ["--by", "model"]),
    "norm-goal": (
        goals,
        [
            "--map",
            "unit=pressure,scenario",
            "--map",
            "rater=rater",
            "--map",
            "value=action",
            "--map",
            "rater_source=source",
            "--cluster",
            "scenario",
            "--strata",
            "pressure",
            "--strata",
            "domain",
            "--scale",
            "nominal",
        ],
    ),
    "relationship-bias": (couples, ["--by", "model"]),
    "ordinal-alignment": (norms, ["--levels", "A,B,C,D,E", "--refusal", "F"]),
    "staged-values": (staged, []),
}


@pytest.mark.parametrize("study", PAGES)
def test_a_page_of_nineteen_models(
    study: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, words = PAGES[study]
    monkeypatch.chdir(tmp_path)
    make().to_csv("table.csv", index=False)
    factors = {"model": MODELS, "size": ["small", "large", "large"] * 6 + ["small"]}
    pd.DataFrame(factors).to_csv("models.csv", index=False)
    page, numbers = Path("page.html"), Path("page.json")
    command = [
        "report",
        "table.csv",
        *words,
        "--models",
        "models.csv",
        "-o",
        str(page),
        "--json",
        str(numbers),
        "-q",
    ]
    assert main(command) == 0
    assert page.stat().st_size <= MOST_BYTES
    found, whole = (
        read_results(page.read_text(encoding="utf-8")),
        json.loads(numbers.read_text(encoding="utf-8")),
    )
    assert found["study"] == study
    assert (
        found["blocks"] == whole["blocks"]
    )  # what is written once in the page is read as often as it was
    # staged-values opens with the stages, and compares models after them
    opening = study != "staged-values"
    block = next(one for one in found["blocks"] if opening or one["id"] == "models")
    said = found["answer"] + block["sentences"]
    assert block["part"] == found["blocks"][0]["part"] == "main"
    if study == "ordinal-alignment":  # its first block sets every model beside the people
        assert block["id"] == "distance"
        assert re.match(
            r"'model \d\d' had the shortest distance .* 'model \d\d' had the longest",
            found["answer"][0],
        )
    else:
        assert block["id"] == "models"
        assert re.search(
            r" was highest for model \d\d .* and lowest for model \d\d .* of 19 models",
            " ".join(said),
        )
        assert any("of 19 models" in text.casefold() for text in found["answer"])

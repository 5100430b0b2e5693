"""People beside models that answered several times: a model counts with the shares of its answers to each unit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.cli import main

UNITS, PEOPLE, RUNS = 30, 12, 4


def answers(levels: list[Any], seed: int = 3, *, gaps: bool = False) -> pd.DataFrame:
    """Twelve people answer once, two models four times; with gaps a model lacks some runs."""
    rng = np.random.default_rng(seed)
    rows = []
    for unit, centre in enumerate(rng.normal(1.5, 1.0, UNITS)):
        for who, kind, times in (
            *((f"p{k}", "human", 1) for k in range(PEOPLE)),
            ("heron", "model", RUNS),
            ("orca", "model", RUNS),
        ):
            for run in range(1, times + 1):
                if gaps and kind == "model" and run > 1 and rng.random() < 0.3:
                    continue
                place = int(np.clip(round(centre + rng.normal(0, 0.8)), 0, len(levels) - 1))
                rows.append((f"u{unit:02}", who, kind, run, levels[place]))
    return pd.DataFrame(rows, columns=["item", "who", "kind", "run", "answer"])


def design(table: pd.DataFrame, **options: Any) -> ss.Ratings:
    columns = {
        "unit": "item",
        "rater": "who",
        "value": "answer",
        "rater_source": "kind",
        "repeat": "run",
    }
    return ss.Ratings.from_frame(table, **columns, **options)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("levels", [[1, 2, 3, 4], ["never", "rarely", "often", "always"]])
def test_a_distance_is_the_mean_distance_of_the_answers(levels: list[Any], gaps: bool) -> None:
    table = answers(levels, gaps=gaps)
    scale = {} if levels[0] == 1 else {"levels": levels}
    found = ss.ada_met(design(table, **scale), source="kind")
    score = table["answer"].map({level: k for k, level in enumerate(levels)})
    people = score[table["kind"] == "human"].groupby(table["item"]).agg(lambda x: x.mode().mean())
    for model in ("heron", "orca"):
        own = table["who"] == model
        distance = (
            (score[own] - table.loc[own, "item"].map(people)).abs().groupby(table["item"]).mean()
        )
        row = found.row(model, group=None)
        assert row.estimate == pytest.approx(distance.mean(), abs=1e-8)
        assert row.n_units == UNITS


def test_shares_and_similarities_are_those_of_the_answers() -> None:
    table = answers(["ask", "leave", "stay"], gaps=True)
    read = design(table, scale="nominal")
    shares = ss.choice_shares(read, source="kind")
    each = (
        pd.get_dummies(table["answer"], dtype=float)
        .groupby([table["item"], table["who"]])
        .mean()
        .reset_index()
    )
    for kind, names in (("model", ["heron", "orca"]), ("human", [f"p{k}" for k in range(PEOPLE)])):
        part = each[each["who"].isin(names)]
        for level in ("ask", "leave", "stay"):
            row = next(
                r
                for r in shares.rows
                if r.role == "estimate" and r.label("source") == kind and r.label("level") == level
            )
            assert row.estimate == pytest.approx(part[level].mean(), abs=1e-8)
            assert row.n_units == UNITS
    assert shares.title.endswith("of repeated answers")
    assert not [check for check in shares.verify().checks if check.ok is False]
    assert not [
        check
        for check in ss.js_similarity(read, source="kind").verify().checks
        if check.ok is False
    ]


def test_agreement_of_labels_takes_one_answer_and_says_which_way_out() -> None:
    read = design(answers(["ask", "leave", "stay"]), scale="nominal")
    for metric in (ss.krippendorff_alpha, ss.percent_agreement, ss.fleiss_kappa):
        with pytest.raises(
            ss.InputError, match=r"takes one answer of a rater to a unit.*--where run=1"
        ):
            metric(read)


def test_labels_without_people_are_refused_as_before() -> None:
    table = answers(["ask", "leave", "stay"]).query("kind == 'model'")
    with pytest.raises(ss.InputError, match="labels have no mean"):
        ss.Ratings.from_frame(
            table, unit="item", rater="who", value="answer", repeat="run", scale="nominal"
        )


@pytest.mark.slow
@pytest.mark.parametrize("levels", [[1, 2, 3, 4], ["ask", "leave", "stay"]])
@pytest.mark.parametrize(
    "names", [("human", "model"), ("Mensch", "Modell"), ("participants", "LLM")]
)
def test_people_beside_runs_have_a_page_under_other_names(
    levels: list[Any], names: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = answers(levels).replace({"kind": dict(zip(("human", "model"), names, strict=True))})
    table.columns = ["aufgabe", "wer", "herkunft", "lauf", "antwort"]
    path = tmp_path / "answers.csv"
    table.to_csv(path, index=False)
    main(["check", str(path)])
    told = "".join(capsys.readouterr())
    words = next(
        line.split()[3:] for line in told.splitlines() if line.startswith("  socialstats report")
    )
    assert {
        "unit=aufgabe",
        "rater=wer",
        "value=antwort",
        "rater_source=herkunft",
        "repeat=lauf",
    } <= {*words}
    page = tmp_path / "page.html"
    assert main(["report", str(path), *words, "--no-verify", "-q", "-o", str(page)]) == 0
    assert "Raters who answered a unit several times count with the shares" in page.read_text(
        encoding="utf-8"
    )

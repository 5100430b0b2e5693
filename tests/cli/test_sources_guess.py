"""Who is a person: a column called source is read as such; a table that lacks one part is told only that."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from socialstats import datasets
from socialstats.cli import main
from socialstats_reports import read_results

QUICK = ["--resamples", "100", "--no-verify", "-q"]


@pytest.fixture
def norms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    monkeypatch.chdir(tmp_path)
    frame = datasets.social_norms()
    return frame[frame["item"].isin(list(dict.fromkeys(frame["item"]))[::16])]


WORDS = ["--levels", "A,B,C,D,E", "--refusal", "F"]


def study(frame: pd.DataFrame, *words: str) -> dict[str, object]:
    frame.to_csv("table.csv", index=False)
    assert main(["report", "table.csv", *words, *QUICK, "-o", "page.html"]) == 0
    return read_results(Path("page.html").read_text(encoding="utf-8"))


def codes(page: dict[str, object]) -> list[str]:
    return [c["code"] for c in page["cautions"]]  # type: ignore[index, attr-defined]


@pytest.mark.slow
def test_a_source_that_says_human_makes_the_study_of_people_and_models(norms: pd.DataFrame) -> None:
    page = study(norms, *WORDS)
    assert page["study"] == "ordinal-alignment"
    assert "SS320" in codes(page)
    said = study(norms, *WORDS, "--map", "rater_source=source")
    assert "SS320" not in codes(said)
    assert [b["sentences"] for b in said["blocks"]] == [b["sentences"] for b in page["blocks"]]  # type: ignore[attr-defined]


@pytest.mark.slow
def test_labels_without_order_make_the_study_of_norms_and_goals(norms: pd.DataFrame) -> None:
    frame = datasets.norm_goal()
    frame = frame[frame["scenario"].isin(list(dict.fromkeys(frame["scenario"]))[::10])]
    parts = [
        "--map",
        "unit=scenario",
        "--map",
        "value=action",
        "--scale",
        "nominal",
        "--by",
        "pressure",
    ]
    assert study(frame, *parts)["study"] == "norm-goal"


@pytest.mark.parametrize("sources", [("web", "paper"), ("human", "human"), None])
@pytest.mark.slow
def test_other_columns_called_source_are_left_alone(
    norms: pd.DataFrame, sources: tuple[str, str] | None
) -> None:
    if sources is None:  # changes within a rater
        frame = norms.assign(
            source=["human", "model"] * (len(norms) // 2) + ["human"] * (len(norms) % 2)
        )
    else:
        frame = norms.assign(
            source=norms["source"].map(dict(zip(("human", "model"), sources, strict=True)))
        )
    few = frame[frame["rater"].isin(sorted(set(frame["rater"]))[:14])]
    page = study(few, *WORDS)
    assert page["study"] == "agreement"
    assert "SS320" not in codes(page)


def test_a_table_that_lacks_one_part_is_told_which_and_what_it_may_be(
    norms: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = norms.rename(columns={"item": "rot_id"})
    frame.to_csv("table.csv", index=False)
    assert main(["report", "table.csv", *QUICK, "-o", "page.html"]) == 2
    said = capsys.readouterr().err
    assert "--map unit=rot_id" in said
    assert "'winner'" not in said
    frame.rename(columns={"answer": "what"}).to_csv("table.csv", index=False)
    assert main(["report", "table.csv", *QUICK, "-o", "page.html"]) == 2
    said = capsys.readouterr().err
    assert "looked for" not in said  # a command says what to type
    assert "\n  socialstats report table.csv -o page.html --" in said

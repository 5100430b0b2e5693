"""Agreement of many raters: the distribution of the pairs' kappas by scikit-learn, a page that stays small."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score
from study_tables import stray_cells, stray_decimals

from socialstats.cli import main
from socialstats.designs.ratings import Ratings
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.studies.page import Outcome
from socialstats.studies.rater_pairs import MOST_RATERS
from socialstats_reports import render


def crowd(raters: int = MOST_RATERS + 6, units: int = 24) -> pd.DataFrame:
    """Raters who follow the truth more or less, the first half of them in one group."""
    rng = np.random.default_rng(8)
    truth = rng.integers(1, 6, units)
    rows = [
        (
            f"u{u:02d}",
            f"r{r:03d}",
            "one" if r < raters // 2 else "two",
            int(np.clip(truth[u] + round((0.3 + r / raters) * rng.normal()), 1, 5)),
        )
        for r in range(raters)
        for u in range(units)
    ]
    return pd.DataFrame(rows, columns=["unit", "rater", "kind", "value"])


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    design = Ratings.from_frame(crowd(), levels=[1, 2, 3, 4, 5], rater_groups="kind")
    return run_study(STUDIES["agreement"], design, StudyOptions(resamples=100))


@pytest.mark.slow
def test_quantiles_and_ends_are_those_of_scikit_learn(outcome: Outcome) -> None:
    wide = crowd().pivot(index="unit", columns="rater", values="value")
    theirs = {
        f"{a} | {b}": cohen_kappa_score(
            wide[a], wide[b], labels=[1, 2, 3, 4, 5], weights="quadratic"
        )
        for a, b in combinations(wide, 2)
    }
    block = next(b for b in outcome.blocks if b.id == "pairs")
    ours = [row[1] for row in block.tables[0].cells]
    assert ours == pytest.approx(
        np.quantile(list(theirs.values()), [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1])
    )
    order = sorted(theirs, key=lambda name: -theirs[name])
    listed = [str(row[0]) for row in block.tables[1].cells]
    assert listed[:2] == ["mean", "pooled"]
    assert set(listed[2:]) == {*order[:5], *order[-5:]}


@pytest.mark.slow
def test_every_number_is_in_tidy_and_verified(outcome: Outcome) -> None:
    assert stray_cells(outcome) == []
    said = next(b for b in outcome.blocks if b.id == "pairs").sentences
    assert stray_decimals(outcome, list(said), set()) == []
    assert all(v.ok for v in outcome.verifications.values())
    assert any("distribution" in name for name in outcome.verifications)


@pytest.mark.slow
def test_the_page_is_small_and_its_figure_is_drawn(outcome: Outcome) -> None:
    page = render(outcome, command="socialstats report crowd.csv", facts={}, status="exploratory")
    assert len(page.encode()) < 400_000
    block = next(b for b in outcome.blocks if b.id == "pairs")
    assert block.draw is not None
    block.draw()


@pytest.mark.slow
def test_thousands_of_raters_have_a_page_without_a_number_for_each_pair(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(4)
    rater = np.repeat(np.arange(2335), 3)
    unit = rng.integers(0, 600, len(rater))
    value = np.clip(
        np.round(3 + rng.normal(size=600)[unit] + rng.normal(size=len(rater))), 1, 5
    ).astype(int)
    frame = pd.DataFrame({"unit": unit, "rater": rater, "value": value}).drop_duplicates(
        ["unit", "rater"]
    )
    frame.to_csv(tmp_path / "crowd.csv", index=False)
    page = tmp_path / "crowd.html"
    assert (
        main(["report", str(tmp_path / "crowd.csv"), "-o", str(page), "--date", "2026-01-01"]) == 0
    )
    reason = "2,335 raters make 2,724,945 pairs"
    html = page.read_text(encoding="utf-8")
    assert reason in html
    capsys.readouterr()
    assert "Percent agreement" in html
    assert (
        main(["report", str(tmp_path / "crowd.csv"), "-o", str(page), "--no-verify", "--quiet"])
        == 0
    )
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_a_log_says_that_the_kappas_of_many_pairs_are_being_computed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crowd(raters=105, units=6).to_csv(tmp_path / "crowd.csv", index=False)
    page, study = ["-o", str(tmp_path / "page.html")], ["--study", "agreement"]
    main(["report", str(tmp_path / "crowd.csv"), *page, *study, "--no-verify"])
    assert "Weighted kappa of 105 raters" in capsys.readouterr().err.splitlines()


def test_few_raters_still_have_every_pair() -> None:
    design = Ratings.from_frame(crowd(raters=5), levels=[1, 2, 3, 4, 5])
    outcome = run_study(STUDIES["agreement"], design, StudyOptions(resamples=100, verify=False))
    block = next(b for b in outcome.blocks if b.id == "pairs")
    assert len(block.tables[0].cells) == 10

"""Advice on a page can be followed: it names nothing that there is no more of, whatever the study or the table."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from study_examples import PAGES, outcome_of

from socialstats.designs.comparisons import Comparisons
from socialstats.sentences import more_of
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats_reports import render
from socialstats_reports.data import as_dict
from tests.fuzz.checks import advice_faults, report_faults
from tests.fuzz.tables import draw


@pytest.mark.parametrize("name", PAGES)
def test_no_page_of_a_study_advises_what_cannot_be_done(name: str) -> None:
    assert list(advice_faults(as_dict(outcome_of(name)))) == []


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.slow
def test_no_page_counts_no_caution_beside_notes_on_its_main_results(name: str) -> None:
    html = render(outcome_of(name))
    heading = re.search(r"<h2>(Cautions|Notes) \((\d+)\)", html)
    assert heading is not None
    told = re.search(r"<p>Notes on the main results.*?</p>", html, re.DOTALL)
    if heading[1] == "Cautions" and heading[2] == "0":
        assert told is None
        assert "No caution or note applies to the main results." in html
    else:
        assert "No caution or note applies" not in html


def arena(models: int, clusters: Any = None, seed: int = 2) -> pd.DataFrame:
    """Return comparisons of models that have all met, ten of each pair."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"m{a}", f"m{b}", f"m{(a, b)[int(rng.random() < 0.4)]}", f"p{k}", f"j{rng.integers(4)}")
        for a, b in combinations(range(models), 2)
        for k in range(10)
    ]
    return pd.DataFrame(rows, columns=["item_a", "item_b", "winner", "prompt", "judge"])


@pytest.mark.parametrize("cluster", [None, "pair", "prompt", "judge", ["judge", "prompt"]])
@pytest.mark.parametrize("models", [3, 4, 6, 9])
def test_models_that_have_all_met_need_no_more_pairs_or_models(models: int, cluster: Any) -> None:
    design = Comparisons.from_frame(arena(models), cluster=cluster, order="item_a")
    page = as_dict(
        run_study(STUDIES["comparisons"], design, StudyOptions(resamples=100, verify=False))
    )
    assert list(advice_faults(page)) == []
    told = [text for c in page["cautions"] for text in (c["fix"],)] + [
        s for b in page["blocks"] for s in b["sentences"]
    ]
    assert not [
        text for text in told if re.search("more pairs|add about|more items|more models", text)
    ]


@pytest.mark.parametrize("k", range(40))
@pytest.mark.slow
def test_random_tables_get_no_advice_that_cannot_be_followed(k: int, tmp_path: Path) -> None:
    _, faults = report_faults(draw(20261129, k), tmp_path, np.random.default_rng(k))
    assert [fault for fault in faults if "advised" in fault] == []


def test_clusters_are_named_as_what_is_collected() -> None:
    assert [more_of(name) for name in ("item", "story", "system", "judge_id")] == [
        "items",
        "stories",
        "",
        "clusters of judge id",
    ]

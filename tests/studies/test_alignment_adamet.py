"""The published alphas of ADA-Met's models on the command line (their answers are not part of the project)."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pandas as pd
import pytest

import socialstats as ss
from socialstats.cli import main
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats_reports import read_results, render
from tests.golden_data import SHARED

ANSWERS = SHARED / "data" / "adamet" / "adamet_llm_answers.csv"
pytestmark = pytest.mark.skipif(
    not ANSWERS.exists(), reason="the published answers are not part of the project"
)

READ = [
    "--map",
    "unit=rot_id",
    "--levels",
    "A,B,C,D,E",
    "--refusal",
    "F",
    "--refusal",
    "NA",
    "--by",
    "prompt",
]
PROMPTS = ("zero_shot", "zero_shot_description", "zero_shot_table")
SETTINGS = ["--no-verify", "--quiet", "--resamples", "100"]


def alphas(tmp_path: Path, *words: str) -> dict[str, tuple[float, float]]:
    """Nominal alpha with refusals as a level, and ordinal alpha, for each prompt."""
    page = tmp_path / "page.html"
    assert main(["report", str(ANSWERS), *READ, *words, *SETTINGS, "-o", str(page)]) in (0, None)
    found = read_results(page.read_text(encoding="utf-8"))
    results = next(b for b in found["blocks"] if b["id"] == "agreement")["results"]
    firsts = [result["terms"][0]["estimate"] for result in results]
    names = sorted([*PROMPTS, "table_example", "five_shot_embedded", "five_shot_notembedded"])
    assert len(firsts) == 3 * len(names)
    return {name: (firsts[3 * k], firsts[3 * k + 2]) for k, name in enumerate(names)}


def test_published_alphas_are_nominal_and_rise_with_the_order_of_the_levels(tmp_path: Path) -> None:
    found = alphas(tmp_path)
    assert [round(found[p][0], 3) for p in PROMPTS] == [0.109, 0.112, 0.155]
    assert [round(found[p][1], 3) for p in PROMPTS] == [0.246, 0.262, 0.305]


def test_what_the_re_parsed_labels_change(tmp_path: Path) -> None:
    before, after = alphas(tmp_path), alphas(tmp_path, "--map", "value=answer_reparsed")
    assert [round(x, 3) for x in after["zero_shot_table"]] == [0.175, 0.357]
    for prompt in PROMPTS[:2]:
        assert after[prompt] == pytest.approx(before[prompt], abs=0.001)


def test_a_ranking_that_rests_on_refusals_says_so() -> None:
    """A model that refused was farthest; without its refusals another one is, which stood in the appendix alone."""
    rows = [(f"u{k}", f"p{r}", "3", "human") for k in range(20) for r in range(4)]
    rows += [(f"u{k}", "shy", "refused" if k < 12 else "3", "model") for k in range(20)]
    rows += [(f"u{k}", "off", "4" if k % 2 else "5", "model") for k in range(20)]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "value", "rater_source"])
    design = ss.Ratings.from_frame(
        frame, levels=["1", "2", "3", "4", "5"], refusal="refused", rater_groups="rater_source"
    )
    outcome = run_study(STUDIES["ordinal-alignment"], design, StudyOptions(verify=False))
    (turned,) = outcome.turned
    assert "Without refusals, 'shy' (0.00) was nearest and 'off' (1.50) farthest." in turned.text
    assert outcome.answer[-1] == turned.text
    page = render(outcome)
    opening = page[page.index("<dt>What could be wrong?</dt>") : page.index("<dt>What to collect")]
    # the opening has the change in words, and the statistics follow below
    assert "Without refusals, 'shy' would be nearest and 'off' farthest." in unescape(opening)
    statistics = page[page.index('<div class="answer">') : page.index("</header>")]
    assert "Without refusals, 'shy' (0.00)" in unescape(statistics)

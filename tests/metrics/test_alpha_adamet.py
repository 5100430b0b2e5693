"""The alphas of ADA-Met's models, from their own 26,400 published answers (not part of the project)."""

from __future__ import annotations

import pandas as pd
import pytest

from socialstats.agreement.fleiss_kappa import fleiss_kappa
from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
from socialstats.designs.ratings import Ratings
from tests.golden_data import SHARED

FOLDER = SHARED / "data" / "adamet"
ANSWERS = FOLDER / "adamet_llm_answers.csv"
pytestmark = pytest.mark.skipif(
    not ANSWERS.exists(), reason="the published answers are not part of the project"
)

PROMPTS = {
    "Zero-Shot": "zero_shot",
    "Description": "zero_shot_description",
    "Table": "zero_shot_table",
}
GROUPS = {
    "LMs(all)": lambda model: True,
    "Gemini(all)": lambda model: model.startswith("Gemini"),
    "GPT(all)": lambda model: model.startswith("GPT"),
    "Llama-3.1(all)": lambda model: model.startswith("Llama-3.1"),
    "Llama-3.1(70B, 405B)": lambda model: model in ("Llama-3.1-70B", "Llama-3.1-405B"),
}
CELLS = [(group, prompt) for group in GROUPS for prompt in PROMPTS]
PRINTED = 0.51e-5  # five decimals


@pytest.fixture(scope="module")
def answers():
    table = pd.read_csv(ANSWERS, keep_default_na=False)
    assert len(table) == 26_400
    return table


@pytest.fixture(scope="module")
def reproduced():
    return pd.read_csv(FOLDER / "adamet_alpha_reproduction.csv").set_index(["group", "prompt"])


def design_of(answers, group, prompt, *, unanswered="missing"):
    """Units are rules of thumb by their number (never by position), raters the models, F is a refusal.

    The published notebook counted F and "no answer found" (NA) as two further levels: the table's `Fcat` columns.
    """
    rows = answers[(answers["prompt"] == PROMPTS[prompt]) & answers["model"].map(GROUPS[group])]
    assert len(rows) == 400 * rows["model"].nunique()
    rows = rows[["rot_id", "model", "answer"]]
    if unanswered == "number":
        rows = rows.assign(answer=rows["answer"].replace(dict(zip("ABCDE", "01234", strict=True))))
    levels = {
        "missing": {"levels": list("ABCDE"), "scale": "ordinal", "na": "NA"},
        "number": {"levels": [*range(5)], "scale": "interval", "na": "NA"},
        "level": {"levels": [*"ABCDE", "NA"], "scale": "nominal"},
    }[unanswered]
    return Ratings.from_frame(
        rows, unit="rot_id", rater="model", value="answer", refusal="F", **levels
    )


@pytest.mark.parametrize(("group", "prompt"), CELLS)
def test_alpha_with_refusals_as_missing(answers, reproduced, group, prompt):
    want = reproduced.loc[(group, prompt)]
    for scale in ("nominal", "ordinal", "interval"):
        design = design_of(
            answers, group, prompt, unanswered="number" if scale == "interval" else "missing"
        )
        result = krippendorff_alpha(design, scale=scale)
        assert result.row("alpha").estimate == pytest.approx(
            want[f"kripp_{scale}_missing"], abs=PRINTED
        )


@pytest.mark.parametrize(("group", "prompt"), CELLS)
def test_nominal_alpha_and_fleiss_kappa_with_refusals_as_a_level(
    answers, reproduced, group, prompt
):
    want = reproduced.loc[(group, prompt)]
    design = design_of(answers, group, prompt, unanswered="level")
    alpha = krippendorff_alpha(design, refusal="level").row("alpha")
    assert alpha.estimate == pytest.approx(want["kripp_nominal_Fcat"], abs=PRINTED)
    assert alpha.n == len(design.raters) * 400
    kappa = fleiss_kappa(design, refusal="level").row("kappa")
    assert kappa.estimate == pytest.approx(want["fleiss_Fcat"], abs=PRINTED)


def test_fourteen_of_the_fifteen_published_numbers_are_nominal_alphas_and_one_is_a_fleiss_kappa(
    answers, reproduced
):
    misses = []
    for group, prompt in CELLS:
        design = design_of(answers, group, prompt, unanswered="level")
        alpha = krippendorff_alpha(design, refusal="level").row("alpha").estimate
        published = reproduced.loc[(group, prompt), "published"]
        if abs(alpha - published) > 0.51e-3:
            misses.append((group, prompt))
            kappa = fleiss_kappa(design, refusal="level").row("kappa").estimate
            assert kappa == pytest.approx(published, abs=0.51e-3)
    assert misses == [("Llama-3.1(70B, 405B)", "Zero-Shot")]


def test_agrees_with_the_krippendorff_package_on_the_largest_cell(answers):
    result = krippendorff_alpha(design_of(answers, "LMs(all)", "Table"))
    assert result.verify().ok
    row = result.row("alpha")
    assert row.conf_low < row.estimate < row.conf_high

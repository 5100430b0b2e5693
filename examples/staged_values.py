"""Staged values, from table to page: where the simulated models lean, and what a naive analysis would claim.

Run it from a clone: ``python examples/staged_values.py``. It prints the comparison with the truth, which is known
because the data are simulated, and writes ``staged_values.html``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import socialstats as ss
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.tables import as_table
from socialstats_reports import render

TRUTH = ss.datasets.staged_values_truth()
TRAITS, STAGES = list(TRUTH.weights), list(TRUTH.stage)
OVER_STAGES = "composite change by stage of all models"


def main(page: str = "staged_values.html") -> None:
    """Print the analysis step by step, and write the page."""
    scores = ss.datasets.staged_values()
    main_design = ss.trait_ratings(scores[scores["wording"] == 1], traits=TRAITS, cluster="scenario")
    controls = ss.trait_ratings(ss.datasets.staged_values_controls(), traits=TRAITS, model=None, scenario="text")
    zero = ss.judge_zeros(controls, texts=["balanced"])
    profile = ss.trait_profile(main_design, stages=STAGES, zero=zero)
    print_zero(zero)
    print_leans(profile)
    print("\n3. What do the stages change? All models, against the baseline, paired within scenarios")
    print_changes(profile, TRUTH.composite)
    print_commitment(scores)
    print_wordings(scores)
    print_units(main_design, profile)
    print_naive(scores, profile)
    write_page(page, scores, controls)


def print_zero(zero: Any) -> None:
    """Print what the judges give to a balanced text, beside the offset that was simulated, and its error."""
    print("1. The judges' neutral point: scores of a balanced text, and the offset that was simulated")
    for judge, value in zero.items():
        print(f"   {judge}: {value:.2f}, simulated {TRUTH.judge_offset[judge]:.2f}")
    error, true, mean = zero.error(), np.mean(list(TRUTH.judge_offset.values())), np.mean(list(zero.values()))
    print(f"   mean: {mean:.2f}, SE {error.std_error:.2f} on {error.df:.0f} df by the judges' noise "
          f"on three control texts, simulated {true:.2f}: the intervals below know this error")  # fmt: skip


def print_leans(profile: Any) -> None:
    """Print the composites relative to the judges' neutral point, beside the truth."""
    print("\n2. Where did the models lean? Composite minus the judges' neutral point, and the truth")
    off = np.mean(list(TRUTH.judge_offset.values()))
    for row in profile.rows:
        if row.group == "composite minus zero":
            true = np.mean([TRUTH.composite[row.term, stage] for stage in STAGES]) - off
            inside = row.conf_low <= true <= row.conf_high
            print(f"   {row.term}: {row.estimate:.1f} [{row.conf_low:.1f}, {row.conf_high:.1f}], simulated {true:.1f}, "
                  f"{'inside' if inside else 'OUTSIDE'}")  # fmt: skip


def print_changes(result: Any, cells: Any) -> None:
    """Print the changes of all models against the baseline, beside the truth."""
    for row in result.rows:
        if row.group == OVER_STAGES:
            stage = row.term.removesuffix(" minus baseline")
            true = np.mean([cells[m, stage] - cells[m, "baseline"] for m in TRUTH.lean])
            print(f"   {row.term}: {row.estimate:.2f} [{row.conf_low:.2f}, {row.conf_high:.2f}], simulated {true:.2f}")


def print_commitment(scores: Any) -> None:
    """Print how commitment moves."""
    print("\n4. How does commitment move? It is one score, a composite with weight 1")
    one = ss.trait_ratings(scores[scores["wording"] == 1], traits=["commitment"], cluster="scenario")
    moved: Any = ss.trait_profile(
        one, weights={"commitment": 1}, free_weights=True, centre=0, activation=None, stages=STAGES
    )
    print_changes(moved, TRUTH.commitment)


def print_wordings(scores: Any) -> None:
    """Print the spread over wordings, beside the truth."""
    print("\n5. How much do the answers depend on the wording?")
    spread: Any = ss.paraphrase_spread(ss.trait_ratings(scores, traits=TRAITS, cluster="scenario"))
    for stage, value in spread.extras["pooled_sd"].items():
        print(
            f"   {stage}: standard deviation {value:.2f}, simulated {TRUTH.wording_sd[stage]:.2f} and noise of scores"
        )


def print_units(design: Any, profile: Any) -> None:
    """Print the change of the last stage with scenarios and with models as the units of analysis."""
    print("\n6. Whose variation counts? The change at stage 4, with either unit of analysis")
    models: Any = ss.trait_profile(
        design, stages=STAGES, unit_of_analysis="model", cluster=None, activation=None
    )  # fmt: skip
    for result, unit in ((profile, "scenarios"), (models, "models")):
        row = result.row("stage 4 minus baseline", group=OVER_STAGES)
        d_z = result.row("stage 4 minus baseline", group="composite d_z by stage of all models")
        print(f"   {unit}: {row.estimate:.2f} [{row.conf_low:.2f}, {row.conf_high:.2f}], t({row.df:.0f}) = "
              f"{row.statistic:.2f}, d_z = {d_z.estimate:.2f} [{d_z.conf_low:.2f}, {d_z.conf_high:.2f}]")  # fmt: skip


def print_naive(scores: Any, profile: Any) -> None:
    """Print what an analysis of single rows, without the judges' zero, would claim about a model without a lean."""
    print("\n7. What a naive analysis would claim: every row an independent observation, and the judges without a lean")
    rows = scores[scores["wording"] == 1]
    composite = (rows[TRAITS] - 10) @ np.array([TRUTH.weights[t] for t in TRAITS])
    neutral = composite[rows["model"] == "model 04"]
    error = neutral.std(ddof=1) / len(neutral) ** 0.5
    row = profile.row("model 04", group="composite minus zero")
    print(f"   model 04, which leans to no side: {neutral.mean():.2f}, t = {neutral.mean() / error:.1f} from "
          f"{len(neutral)} rows; relative to the neutral point, over {row.n:.0f} scenarios: {row.estimate:.2f}, "
          f"t({row.df:.0f}) = {row.statistic:.1f}, p = {row.p_value:.3f}")  # fmt: skip


def write_page(page: str, scores: Any, controls: Any) -> None:
    """Run the study, write its page, and print what it says."""
    study = STUDIES["staged-values"]
    assert study.read is not None
    options = StudyOptions(controls=controls, simulated="These data are simulated.")
    outcome = run_study(study, study.read(as_table(scores, "staged_values")), options)
    Path(page).write_text(render(outcome, command="python examples/staged_values.py"), encoding="utf-8")
    checks = sum(len(v.checks) for v in outcome.verifications.values())
    right = sum(check.ok is not False for v in outcome.verifications.values() for check in v.checks)
    print(f"\n8. The page: {page}. {right} of {checks} checks by independent implementations agree; it says")
    for text in outcome.answer:
        print("  ", text)


if __name__ == "__main__":
    main(*sys.argv[1:2])

"""Staged values, from table to page: where the simulated models lean, and what a naive analysis would claim.

Run it from a clone: ``python examples/staged_values.py``. It prints the comparison with the truth, which is known
because the data are simulated, and writes ``staged_values.html``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import socialstats as ss
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.tables import as_table
from socialstats_reports import render


def main(page: str = "staged_values.html") -> None:
    """Print the analysis step by step, and write the page."""
    scores = ss.datasets.staged_values()
    truth = ss.datasets.staged_values_truth()
    traits, stages = list(truth.weights), list(truth.stage)
    main_design = ss.trait_ratings(scores[scores["wording"] == 1], traits=traits, cluster="scenario")
    controls = ss.trait_ratings(ss.datasets.staged_values_controls(), traits=traits, model=None, scenario="text")
    zero = ss.judge_zeros(controls, texts=["balanced"])
    profile = ss.trait_profile(main_design, stages=stages, zero=zero)

    print("1. The judges' own zero: what they give to a balanced text, and the offset that was simulated")
    for judge, value in zero.items():
        print(f"   {judge}: {value:.2f}, simulated {truth.judge_offset[judge]:.2f}")

    print("\n2. Where do the models lean? Composite minus the judges' own zero, and the truth")
    off = np.mean(list(truth.judge_offset.values()))
    for row in profile.rows:
        if row.group == "composite minus zero":
            true = np.mean([truth.composite[row.term, stage] for stage in stages]) - off
            inside = row.conf_low <= true <= row.conf_high
            print(f"   {row.term}: {row.estimate:.1f} [{row.conf_low:.1f}, {row.conf_high:.1f}], simulated {true:.1f}, "
                  f"{'inside' if inside else 'OUTSIDE'}")  # fmt: skip

    print("\n3. What do the stages change? All models, against the baseline, paired within scenarios")
    for row in profile.rows:
        if row.group == "composite change by stage of all models":
            stage = row.term.removesuffix(" minus baseline")
            true = np.mean([truth.composite[m, stage] - truth.composite[m, "baseline"] for m in truth.lean])
            print(f"   {row.term}: {row.estimate:.2f} [{row.conf_low:.2f}, {row.conf_high:.2f}], simulated {true:.2f}")

    print("\n4. How does commitment move? It is one score, a composite with weight 1")
    one = ss.trait_ratings(scores[scores["wording"] == 1], traits=["commitment"], cluster="scenario")
    moved = ss.trait_profile(
        one, weights={"commitment": 1}, free_weights=True, centre=0, activation=None, stages=stages
    )
    for row in moved.rows:
        if row.group == "composite change by stage of all models":
            stage = row.term.removesuffix(" minus baseline")
            true = np.mean([truth.commitment[m, stage] - truth.commitment[m, "baseline"] for m in truth.lean])
            print(f"   {row.term}: {row.estimate:.2f} [{row.conf_low:.2f}, {row.conf_high:.2f}], simulated {true:.2f}")

    print("\n5. How much do the answers hang on the wording?")
    spread = ss.paraphrase_spread(ss.trait_ratings(scores, traits=traits, cluster="scenario"))
    for stage, value in spread.extras["pooled_sd"].items():
        print(
            f"   {stage}: standard deviation {value:.2f}, simulated {truth.wording_sd[stage]:.2f} and noise of scores"
        )

    print("\n6. What a naive analysis would claim: every row an independent observation, and the judges without a lean")
    rows = scores[scores["wording"] == 1]
    composite = (rows[traits] - 10) @ np.array([truth.weights[t] for t in traits])
    neutral = composite[rows["model"] == "model 04"]
    error = neutral.std(ddof=1) / len(neutral) ** 0.5
    row = profile.row("model 04", group="composite minus zero")
    print(f"   model 04, which leans to no side: {neutral.mean():.2f}, t = {neutral.mean() / error:.1f} from "
          f"{len(neutral)} rows; against the judges' own zero, over {row.n:.0f} scenarios: {row.estimate:.2f}, "
          f"t({row.df:.0f}) = {row.statistic:.1f}, p = {row.p_value:.3f}")  # fmt: skip

    study = STUDIES["staged-values"]
    options = StudyOptions(zero=zero, simulated="These data are simulated.")
    outcome = run_study(study, study.read(as_table(scores, "staged_values")), options)
    Path(page).write_text(render(outcome, command="python examples/staged_values.py"), encoding="utf-8")
    checks = sum(len(v.checks) for v in outcome.verifications.values())
    right = sum(check.ok is not False for v in outcome.verifications.values() for check in v.checks)
    print(f"\n7. The page: {page}. {right} of {checks} checks by independent implementations agree; it says")
    for text in outcome.answer:
        print("  ", text)


if __name__ == "__main__":
    main(*sys.argv[1:2])

"""Norm against goal, from table to answer: does a model act as people do, and what does a naive analysis give?

Run it from a clone: ``python examples/norm_goal.py``. The data are simulated, so the truth is known. It writes
norm_goal.html beside where it is run.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import socialstats as ss
from socialstats.studies import STUDIES, StudyOptions, run_study

PAGE = Path("norm_goal.html")
PRESSURES = ("none", "goal", "risk", "emotion", "authority", "incentive")
SIMULATED = "These data are simulated: no language model and no person was asked."


def main() -> None:
    """Print the analysis step by step, and write the page."""
    choices = ss.datasets.norm_goal()
    choices["story"] = choices["scenario"] + ", " + choices["pressure"]
    design = ss.Ratings.from_frame(
        choices, unit="story", rater="rater", value="action", scale="nominal", rater_source="source",
        strata=["domain", "pressure"], cluster="scenario",
    )  # fmt: skip
    print("1. How often was each action chosen under each pressure, and what was simulated?")
    shares(design, sorted(choices["domain"].unique()))
    print("\n2. How similar were the shares, and how similar could they be?")
    print("  ", ss.js_similarity(design).sentence())
    print("\n3. Equal shares do not imply agreement within units: agreement within each source")
    agreement(design, choices)
    print("\n4. Treating every run of the model as an independent decision")
    naive(design)
    print("\n5. The page")
    page()


def shares(design: ss.Ratings, domains: list[str]) -> None:
    """Shares with their intervals beside the truth, and the changes from no pressure."""
    truth = ss.datasets.norm_goal_truth()
    found = ss.choice_shares(design, stratum="pressure", base="none")
    inside = wanted = 0
    for source, pressure, action in product(("human", "model"), PRESSURES, ("comply", "deviate", "escalate")):
        row = found.row(action, group=f"{source}, {pressure}")
        true = sum(truth.shares[source, domain, pressure][action] for domain in domains) / len(domains)
        inside += row.conf_low <= true <= row.conf_high
        wanted += 1
        if action == "deviate":
            print(f"   {source}, {pressure}: deviate {row.estimate:.3f} [{row.conf_low:.3f}, {row.conf_high:.3f}], "
                  f"simulated {true:.3f}")  # fmt: skip
    print(f"   {inside} of {wanted} intervals hold the simulated share (95% would be {0.95 * wanted:.0f})")
    for pressure in PRESSURES[1:]:
        row = found.row("deviate", group=f"model - human: {pressure} - none")
        print(f"   none to {pressure}: the model's share of deviate changes by {row.estimate:.3f} "
              f"[{row.conf_low:.3f}, {row.conf_high:.3f}] against people, adjusted p {row.p_adjusted:.4f}")  # fmt: skip


def agreement(design: ss.Ratings, choices: Any) -> None:
    """Alpha of people and of the model's runs beside the truth."""
    truth = ss.datasets.norm_goal_truth()
    for source, true in (("human", truth.human_alpha), ("model", truth.model_alpha)):
        raters = choices.loc[choices["source"] == source, "rater"].unique().tolist()
        row = ss.krippendorff_alpha(design, raters=raters).row("alpha")
        print(f"   {source}: alpha {row.estimate:.3f} [{row.conf_low:.3f}, {row.conf_high:.3f}], simulated {true:.3f}")


def naive(design: ss.Ratings) -> None:
    """The chi-square of rows beside the test by scenario, and what the runs are worth."""
    few = design.take(design.strata["pressure"].codes[design.unit] == design.strata["pressure"].levels.index("none"))
    found = ss.choice_shares(few)
    honest, rows = (found.row(term, group="model - human") for term in ("any level", "any level (ratings independent)"))
    print(f"   without pressure: chi-square({rows.df:.0f}) = {rows.statistic:.1f}; taken row by row p = "
          f"{rows.p_value:.1e}, with sources swapped in whole scenarios p = {honest.p_value:.4f}")  # fmt: skip
    runs = found.row("escalate", group="model")
    plain = (runs.estimate * (1 - runs.estimate) / runs.n) ** 0.5
    print(f"   share of escalate in the model's {runs.n:.0f} runs: naive s.e. {plain:.4f}, by scenario "
          f"{runs.std_error:.4f}: the runs are worth {(plain / runs.std_error) ** 2 * runs.n:.0f}")  # fmt: skip


def page() -> None:
    """Run the study, print its answer and write its page."""
    by_pressure = ss.Ratings.from_frame(
        ss.datasets.norm_goal(), unit="scenario", rater="rater", value="action", scale="nominal",
        rater_source="source", strata="domain", by="pressure",
    )  # fmt: skip
    outcome = run_study(STUDIES["norm-goal"], by_pressure, StudyOptions(simulated=SIMULATED))
    for sentence in outcome.answer:
        print("  ", sentence)
    write(outcome)


def write(outcome: object) -> None:
    """Render the page."""
    import socialstats_reports

    PAGE.write_text(socialstats_reports.render(outcome, command="python examples/norm_goal.py"), encoding="utf-8")
    print(f"   wrote {PAGE}")


if __name__ == "__main__":
    main()
